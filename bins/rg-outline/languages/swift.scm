; Swift: XCTest, Swift Testing, Quick with Nimble.

; Tests: methods of test classes and their extensions, functions with @Test.
((class_declaration (inheritance_specifier inherits_from: (_) @_base) body: (class_body (function_declaration name: (simple_identifier) @name body: (function_body) @body) @test)) (#match? @name "^test") (#match? @_base "Test|Spec|Case"))
((class_declaration name: (_) @_class body: (class_body (function_declaration name: (simple_identifier) @name body: (function_body) @body) @test)) (#match? @name "^test") (#match? @_class "Tests?$"))
((function_declaration (modifiers (attribute . (user_type (type_identifier) @_attribute))) name: (simple_identifier) @name body: (function_body) @body) @test (#eq? @_attribute "Test"))
((call_expression . (simple_identifier) @_it (call_suffix (value_arguments . (value_argument value: (line_string_literal) @name)) (lambda_literal) @body)) @test (#any-of? @_it "it" "fit" "xit" "pending"))
((call_expression . (simple_identifier) @_it (call_suffix (value_arguments . (value_argument value: (line_string_literal) @name) (value_argument value: (lambda_literal) @body)))) @test (#any-of? @_it "it" "fit" "xit" "pending"))

; Suites: types and their extensions, blocks of Quick.
(class_declaration name: (_) @name body: (_) @body) @suite
((call_expression . (simple_identifier) @_describe (call_suffix (value_arguments . (value_argument value: (line_string_literal) @name)) (lambda_literal) @body)) @suite (#match? @_describe "^[fx]?(describe|context)$"))

; Everything else that can hold assertions: helpers, and hooks, which run with every test around them.
(function_declaration name: (simple_identifier) @name body: (function_body) @body) @function
((function_declaration name: (simple_identifier) @name body: (function_body) @body) @function (#any-of? @name "setUp" "setUpWithError" "tearDown" "tearDownWithError") (#set! kind "hook"))
((call_expression . (simple_identifier) @name (call_suffix (lambda_literal) @body)) @function (#any-of? @name "beforeEach" "afterEach" "beforeSuite" "afterSuite" "justBeforeEach" "aroundEach") (#set! kind "hook"))

; Names.
[(function_declaration name: (simple_identifier) @define) (class_declaration name: (type_identifier) @define) (protocol_declaration name: (type_identifier) @define) (typealias_declaration name: (type_identifier) @define) (enum_entry name: (simple_identifier) @define)]
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @define)))
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @define)))

; Skips: statements. Their condition is their own or that of the branch around them.
; #if !os(macOS) throw XCTSkip("...") #endif
((directive) @condition . (control_transfer_statement (throw_keyword) (call_expression . (simple_identifier) @mark)) @skip (#eq? @mark "XCTSkip") (#match? @condition "^#(if|elseif|else)\\b") (#not-match? @condition "^#if true\\b"))
((control_transfer_statement (throw_keyword) (call_expression . (simple_identifier) @mark)) @skip (#eq? @mark "XCTSkip"))
((call_expression . (simple_identifier) @mark (call_suffix (value_arguments . (value_argument value: (_) @condition)))) @skip (#any-of? @mark "XCTSkipIf" "XCTSkipUnless") (#not-match? @condition "^(true|false)$"))
((call_expression . (simple_identifier) @mark (call_suffix (value_arguments . (value_argument value: (boolean_literal) @_always)))) @skip (#eq? @mark "XCTSkipIf") (#eq? @_always "true"))
((call_expression . (simple_identifier) @mark (call_suffix (value_arguments . (value_argument value: (boolean_literal) @_always)))) @skip (#eq? @mark "XCTSkipUnless") (#eq? @_always "false"))
((call_expression . (simple_identifier) @mark) @skip (#any-of? @mark "XCTExpectFailure" "withKnownIssue") (#set! kind "fails"))

; Skips: traits of @Test and @Suite, attributes, blocks of Quick.
(attribute . (user_type (type_identifier) @_attribute) (prefix_expression target: (simple_identifier) @_trait) @skip (#any-of? @_attribute "Test" "Suite") (#eq? @_trait "disabled"))
(attribute . (user_type (type_identifier) @_attribute) (call_expression . (prefix_expression target: (simple_identifier) @_trait) @mark (call_suffix (value_arguments . (value_argument . value: (line_string_literal))))) @skip (#any-of? @_attribute "Test" "Suite") (#eq? @_trait "disabled"))
(attribute . (user_type (type_identifier) @_attribute) (call_expression . (prefix_expression target: (simple_identifier) @_trait) @mark (call_suffix (value_arguments) @_none)) @skip (#any-of? @_attribute "Test" "Suite") (#eq? @_trait "disabled") (#match? @_none "^\\(\\s*\\)$"))
(attribute . (user_type (type_identifier) @_attribute) (call_expression . (prefix_expression target: (simple_identifier) @_trait) @mark (call_suffix (value_arguments (value_argument name: (value_argument_label) @_if value: (_) @condition)))) @skip (#any-of? @_attribute "Test" "Suite") (#any-of? @_trait "disabled" "enabled") (#eq? @_if "if") (#not-match? @condition "^(true|false)$"))
(attribute . (user_type (type_identifier) @_attribute) (call_expression . (prefix_expression target: (simple_identifier) @_trait) @mark (call_suffix (value_arguments (value_argument name: (value_argument_label) @_if value: (boolean_literal) @_always)))) @skip (#any-of? @_attribute "Test" "Suite") (#eq? @_trait "disabled") (#eq? @_always "true"))
(attribute . (user_type (type_identifier) @_attribute) (call_expression . (prefix_expression target: (simple_identifier) @_trait) @mark (call_suffix (value_arguments (value_argument name: (value_argument_label) @_if value: (boolean_literal) @_always)))) @skip (#any-of? @_attribute "Test" "Suite") (#eq? @_trait "enabled") (#eq? @_always "false"))
((attribute . (user_type (type_identifier) @_attribute)) @skip (#eq? @_attribute "available") (#match? @skip "\\bunavailable\\b"))
((call_expression . (simple_identifier) @mark (call_suffix (value_arguments . (value_argument value: (line_string_literal))))) @skip (#match? @mark "^x(it|describe|context)$|^pending$"))
((call_expression . (simple_identifier) @mark (call_suffix (value_arguments . (value_argument value: (line_string_literal))))) @focus (#match? @mark "^f(it|describe|context)$"))

; Branches.
(if_statement condition: (_) @condition (statements) @branch (#not-match? @condition "^true$"))
(guard_statement condition: (_) @condition (statements) @branch)
(switch_entry (switch_pattern) @condition (statements) @branch)
(catch_block (statements) @branch) @condition

; Tables.
(attribute . (user_type (type_identifier) @_attribute) (array_literal) @rows (#eq? @_attribute "Test"))
(attribute . (user_type (type_identifier) @_attribute) (as_expression expr: (array_literal) @rows) (#eq? @_attribute "Test"))
(attribute . (user_type (type_identifier) @_attribute) (simple_identifier) @_arguments . [(call_expression) (navigation_expression) (dictionary_literal) (range_expression)] @rows (#eq? @_attribute "Test") (#eq? @_arguments "arguments") (#set! rows "one"))
(attribute . (user_type (type_identifier) @_attribute) (simple_identifier) @_arguments . (simple_identifier) @rows . (#eq? @_attribute "Test") (#eq? @_arguments "arguments") (#set! rows "name"))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) value: (array_literal) @list)
(for_statement collection: (array_literal) @rows)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @_table) value: (array_literal) @rows (#match? @_table "^(test)?([cC]ases|table|examples|params|inputs)$|TestCases$"))

; Assertions. The names' strengths are in the table of languages.
((call_expression . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: [(boolean_literal) (integer_literal) (line_string_literal)] @subject)))) @assert (#match? @how "^XCTAssert(True|False|Nil|NotNil)?$") (#set! strength "nothing"))
((call_expression . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: [(boolean_literal) (integer_literal) (line_string_literal) (real_literal)] @subject) . (value_argument value: [(boolean_literal) (integer_literal) (line_string_literal) (real_literal)] @expected)))) @assert (#match? @how "^XCTAssert(Equal|NotEqual|Identical|GreaterThan|LessThan)$") (#set! strength "nothing"))
((call_expression . (simple_identifier) @_f (call_suffix (value_arguments . (value_argument value: (equality_expression lhs: (_) @subject op: ["==" "==="] @how rhs: (_) @expected))))) @assert (#any-of? @_f "XCTAssert" "XCTAssertTrue") (#not-eq? @expected "nil") (#set! strength "exact"))
((call_expression . (simple_identifier) @_f (call_suffix (value_arguments . (value_argument value: (comparison_expression lhs: (_) @subject op: _ @how rhs: (_) @expected))))) @assert (#any-of? @_f "XCTAssert" "XCTAssertTrue") (#set! strength "part"))
((call_expression . (simple_identifier) @_f (call_suffix (value_arguments . (value_argument value: (comparison_expression lhs: (_) @subject op: _ @how rhs: (_) @expected))))) @assert (#eq? @_f "XCTAssertFalse") (#set! strength "part") (#set! opposite "how"))
((call_expression . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: (_) @subject) . (value_argument value: (_) @expected) (value_argument name: (value_argument_label) @_accuracy) @expected))) @assert (#eq? @how "XCTAssertEqual") (#eq? @_accuracy "accuracy") (#set! strength "part"))
((call_expression . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @_count)) @subject) . (value_argument value: (_) @expected)))) @assert (#eq? @how "XCTAssertEqual") (#eq? @_count "count") (#set! strength "part"))
((call_expression . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: (_) @subject) . (value_argument value: (_) @expected)))) @assert (#match? @how "^XCTAssert(Equal|NotEqual|Identical|NotIdentical|GreaterThan|LessThan|GreaterThanOrEqual|LessThanOrEqual)$"))
((call_expression . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: (_) @subject)))) @assert (#match? @how "^XCT(Assert[A-Za-z]*|Unwrap)$"))
((call_expression . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: (_) @subject) . (value_argument value: (_) @expected)))) @assert (#match? @how "^(assert|expect)[A-Z]"))
((call_expression . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: (_) @subject)))) @assert (#match? @how "^(assert|expect)[A-Z]"))
((call_expression . (simple_identifier) @how) @assert (#any-of? @how "XCTFail" "waitForExpectations" "confirmation"))
((call_expression . (navigation_expression) @how) @assert (#any-of? @how "Issue.record" "self.waitForExpectations") (#set! strength "part"))
((macro_invocation . (simple_identifier) @how (call_suffix (value_arguments . (value_argument . value: [(boolean_literal) (integer_literal) (line_string_literal)] @subject)))) @assert (#any-of? @how "expect" "require") (#set! strength "nothing"))
((macro_invocation . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: (equality_expression lhs: [(boolean_literal) (integer_literal) (line_string_literal)] @subject rhs: [(boolean_literal) (integer_literal) (line_string_literal)] @expected))))) @assert (#any-of? @how "expect" "require") (#set! strength "nothing"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument value: (equality_expression lhs: (_) @subject op: ["!=" "!=="] @how rhs: (_) @expected))))) @assert (#any-of? @_macro "expect" "require") (#set! strength "something"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument value: (try_expression (equality_expression lhs: (_) @subject op: ["!=" "!=="] @how rhs: (_) @expected)))))) @assert (#any-of? @_macro "expect" "require") (#set! strength "something"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument value: (equality_expression lhs: (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @_count)) @subject op: "==" @how rhs: (_) @expected))))) @assert (#any-of? @_macro "expect" "require") (#eq? @_count "count") (#set! strength "part"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument value: (equality_expression lhs: (_) @subject op: ["==" "==="] @how rhs: (_) @expected))))) @assert (#any-of? @_macro "expect" "require"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument value: (try_expression (equality_expression lhs: (_) @subject op: ["==" "==="] @how rhs: (_) @expected)))))) @assert (#any-of? @_macro "expect" "require"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument value: (infix_expression lhs: (_) @subject op: (custom_operator) @how rhs: (_) @expected))))) @assert (#any-of? @_macro "expect" "require") (#set! strength "something"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument value: (try_expression (infix_expression lhs: (_) @subject op: (custom_operator) @how rhs: (_) @expected)))))) @assert (#any-of? @_macro "expect" "require") (#set! strength "something"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument value: (comparison_expression lhs: (_) @subject op: _ @how rhs: (_) @expected))))) @assert (#any-of? @_macro "expect" "require") (#set! strength "part"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument value: (try_expression (comparison_expression lhs: (_) @subject op: _ @how rhs: (_) @expected)))))) @assert (#any-of? @_macro "expect" "require") (#set! strength "part"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument name: (value_argument_label) @_throws value: (_) @expected)) (lambda_literal)? @subject)) @assert (#any-of? @_macro "expect" "require") (#eq? @_throws "throws") (#set! how "expect.throws") (#match? @expected "^(any )?\\(?(any )?Error\\)?\\.self$|^Never\\.self$") (#set! strength "something"))
((macro_invocation . (simple_identifier) @_macro (call_suffix (value_arguments . (value_argument name: (value_argument_label) @_throws value: (_) @expected)) (lambda_literal)? @subject)) @assert (#any-of? @_macro "expect" "require") (#eq? @_throws "throws") (#set! how "expect.throws") (#set! strength "exact"))
((macro_invocation . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: (call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @_part))) @subject)))) @assert (#any-of? @how "expect" "require") (#any-of? @_part "contains" "hasPrefix" "hasSuffix" "elementsEqual" "allSatisfy") (#set! strength "part"))
((macro_invocation . (simple_identifier) @how (call_suffix (value_arguments . (value_argument value: (_) @subject)))) @assert (#any-of? @how "expect" "require"))
((call_expression . (navigation_expression target: (call_expression . (simple_identifier) @_expect (call_suffix [(value_arguments (value_argument value: (_) @subject)) (lambda_literal) @subject])) suffix: (navigation_suffix suffix: (simple_identifier) @_to)) (call_suffix (value_arguments . (value_argument value: (call_expression) @expected)))) @assert (#eq? @_expect "expect") (#match? @_to "^(to|toEventually|toAlways)$") (#set! read "matcher"))
((call_expression . (navigation_expression target: (call_expression . (simple_identifier) @_expect (call_suffix [(value_arguments (value_argument value: (_) @subject)) (lambda_literal) @subject])) suffix: (navigation_suffix suffix: (simple_identifier) @_to)) (call_suffix (value_arguments . (value_argument value: (call_expression) @expected)))) @assert (#eq? @_expect "expect") (#match? @_to "^(toNot|notTo|toEventuallyNot|toNever)$") (#set! read "matcher") (#set! how "not") (#set! strength "something"))
((equality_expression lhs: (call_expression . (simple_identifier) @_expect (call_suffix [(value_arguments (value_argument value: (_) @subject)) (lambda_literal) @subject])) op: "==" @how rhs: (_) @expected) @assert (#eq? @_expect "expect"))

; Calls.
(call_expression . [(simple_identifier) @call (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call))])
(macro_invocation . (simple_identifier) @call)

; Code that does not count.
(control_transfer_statement) @return
((if_statement condition: (boolean_literal) @_false . (statements) @dead) @mark (#eq? @_false "false"))
((while_statement condition: (boolean_literal) @_false (statements) @dead) @mark (#eq? @_false "false"))
((directive (boolean_literal) @_false) @mark . [(function_declaration) (class_declaration) (property_declaration) (call_expression) (macro_invocation)]+ @dead . (directive) (#eq? @_false "false"))
(property_declaration name: (pattern) @_blank value: (lambda_literal) @dead (#match? @_blank "^_"))
(assignment target: (directly_assignable_expression) @_blank result: (lambda_literal) @dead (#eq? @_blank "_"))

; Comments.
[(comment) (multiline_comment)] @comment

; Debugging aids.
((call_expression . (simple_identifier) @what) @debug (#any-of? @what "debugPrint" "dump"))
((call_expression . (simple_identifier) @what (call_suffix (value_arguments . (value_argument value: (simple_identifier) @_signal)))) @debug (#eq? @what "raise") (#any-of? @_signal "SIGINT" "SIGTRAP"))
