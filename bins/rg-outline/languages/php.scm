; PHP: PHPUnit, Pest, phpspec; Mockery, Laravel and Codeception assertions.

; Tests: methods by name, by attribute and by annotation.
(class_declaration name: (name) @_class body: (declaration_list (method_declaration name: (name) @name body: (compound_statement) @body) @test) (#match? @name "^test") (#match? @_class "Test|Spec|Cest$"))
(class_declaration name: (name) @_class body: (declaration_list (comment) @test . (method_declaration name: (name) @name body: (compound_statement) @body) @test) (#match? @name "^test") (#match? @_class "Test|Spec|Cest$"))
(class_declaration name: (name) @_class (base_clause (_) @_base) body: (declaration_list (method_declaration name: (name) @name body: (compound_statement) @body) @test) (#match? @name "^test") (#not-match? @_class "Test|Spec|Cest$") (#match? @_base "Test"))
(class_declaration name: (name) @_class (base_clause (_) @_base) body: (declaration_list (comment) @test . (method_declaration name: (name) @name body: (compound_statement) @body) @test) (#match? @name "^test") (#not-match? @_class "Test|Spec|Cest$") (#match? @_base "Test"))
(trait_declaration name: (name) @_class body: (declaration_list (method_declaration name: (name) @name body: (compound_statement) @body) @test) (#match? @name "^test") (#match? @_class "Test"))
((comment) @_doc @test . (method_declaration name: (name) @name body: (compound_statement) @body) @test (#match? @_doc "^/\\*\\*([^/]*\\*)? *@test\\b"))
((method_declaration attributes: (attribute_list (attribute_group (attribute [(name) @_attribute (qualified_name (name) @_attribute)]))) name: (name) @name body: (compound_statement) @body) @test (#eq? @_attribute "Test"))
(class_declaration (base_clause (_) @_base) body: (declaration_list (method_declaration name: (name) @name body: (compound_statement) @body) @test) (#match? @name "^its?_") (#match? @_base "ObjectBehavior$"))
; Tests and suites of Pest: a call with a title, and what is chained to it.
((expression_statement (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])))) @test (#any-of? @_it "it" "test"))
((expression_statement (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])))) @suite (#eq? @_it "describe"))
((expression_statement (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))))) @test (#any-of? @_it "it" "test"))
((expression_statement (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))))) @suite (#eq? @_it "describe"))
((expression_statement (_ object: (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])))))) @test (#any-of? @_it "it" "test"))
((expression_statement (_ object: (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])))))) @suite (#eq? @_it "describe"))
((expression_statement (_ object: (_ object: (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))))))) @test (#any-of? @_it "it" "test"))
((expression_statement (_ object: (_ object: (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))))))) @suite (#eq? @_it "describe"))
((expression_statement (_ object: (_ object: (_ object: (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])))))))) @test (#any-of? @_it "it" "test"))
((expression_statement (_ object: (_ object: (_ object: (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])))))))) @suite (#eq? @_it "describe"))
; Higher order: it("title")->expect(f)->toBe(1)
((expression_statement (_ object: (member_call_expression object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) .)) name: (name) @_e)) @body) @test (#any-of? @_it "it" "test") (#eq? @_e "expect"))
((expression_statement (_ object: (_ object: (member_call_expression object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) .)) name: (name) @_e))) @body) @test (#any-of? @_it "it" "test") (#eq? @_e "expect"))
((expression_statement (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) .))) @test (#any-of? @_it "it" "test" "todo"))
((expression_statement (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) .)))) @test (#any-of? @_it "it" "test" "todo"))
((expression_statement (_ object: (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) .))))) @test (#any-of? @_it "it" "test" "todo"))
((expression_statement (_ object: (_ object: (_ object: (function_call_expression function: (name) @_it arguments: (arguments . (argument [(string) (encapsed_string)] @name) .)))))) @test (#any-of? @_it "it" "test" "todo"))

; Suites: classes and traits.
(class_declaration name: (name) @name body: (declaration_list) @body) @suite
(trait_declaration name: (name) @name body: (declaration_list) @body) @suite

; Everything else that can hold assertions: helpers, and hooks, which run with every test around them.
(method_declaration name: (name) @name body: (compound_statement) @body) @function
(function_definition name: (name) @name body: (compound_statement) @body) @function
((method_declaration name: (name) @name body: (compound_statement) @body) @function (#any-of? @name "setUp" "setUpBeforeClass" "tearDown" "tearDownAfterClass" "assertPreConditions" "assertPostConditions" "_before" "_after" "let" "letGo") (#set! kind "hook"))
((method_declaration attributes: (attribute_list (attribute_group (attribute (name) @_attribute))) name: (name) @name body: (compound_statement) @body) @function (#any-of? @_attribute "Before" "BeforeClass" "After" "AfterClass" "PreCondition" "PostCondition") (#set! kind "hook"))
((function_call_expression function: (name) @name arguments: (arguments . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))) @function (#any-of? @name "beforeEach" "afterEach" "beforeAll" "afterAll") (#set! kind "hook"))

; Names.
[(class_declaration name: (name) @define) (interface_declaration name: (name) @define) (trait_declaration name: (name) @define) (enum_declaration name: (name) @define) (function_definition name: (name) @define) (method_declaration name: (name) @define) (const_element . (name) @define) (enum_case name: (name) @define)]

; Names that stand for others.
(namespace_use_clause [(qualified_name (name) @value) (name) @value] alias: (name) @name) @alias

; Skips: statements. Their condition is that of the branch around them.
((member_call_expression name: (name) @mark) @skip (#any-of? @mark "markTestSkipped" "markTestIncomplete"))
((scoped_call_expression name: (name) @mark) @skip (#any-of? @mark "markTestSkipped" "markTestIncomplete"))
((member_call_expression name: (name) @mark arguments: (arguments . (argument (_) @condition))) @skip (#any-of? @mark "markTestSkippedIf" "markTestSkippedUnless" "markTestSkippedWhen"))
((throw_expression (object_creation_expression (_) @mark)) @skip (#match? @mark "Skipped(Test|WithMessage|TestSuite)[A-Za-z]*$|IncompleteTest[A-Za-z]*$|^\\\\?(.*\\\\)?SkippingException$|PendingException$"))

; Skips: attributes and annotations.
((attribute [(name) @_attribute (qualified_name (name) @_attribute)]) @skip @condition (#match? @_attribute "^Requires[A-Z]"))
((attribute [(name) @_attribute (qualified_name (name) @_attribute)]) @skip (#any-of? @_attribute "Skip" "Incomplete" "Ignore"))
((comment) @skip @condition . (method_declaration name: (name) @_name) (#match? @skip "\\* *@requires +[A-Za-z]") (#match? @_name "^test"))
((comment) @skip @condition . (method_declaration) (#match? @skip "\\* *@requires +[A-Za-z]") (#match? @skip "\\* *@test\\b"))
((comment) @skip @condition . (class_declaration name: (name) @target) (#match? @skip "\\* *@requires +[A-Za-z]") (#match? @target "Test"))
((comment) @skip . (method_declaration) (#match? @skip "^/\\*\\*[^/]*\\* *@(skip|incomplete|ignore)\\b"))
((method_declaration (visibility_modifier) @skip name: (name) @_name) (#match? @_name "^test[A-Z_0-9]") (#any-of? @skip "private" "protected"))

; Skips: a class of tests without a superclass is no case of PHPUnit; a test that ends early by its environment.
((class_declaration name: (name) @skip) @_class (#match? @skip "Test(Case)?$") (#not-match? @_class "^[^{]*\\bextends\\b") (#match? @_class "function +test"))
(if_statement condition: (parenthesized_expression (_) @condition) body: [(return_statement) (compound_statement . (return_statement) .)] (#match? @condition "\\bgetenv\\(|\\$_ENV\\b|\\$_SERVER\\b")) @skip

; Skips and focus of Pest.
((member_call_expression name: (name) @mark arguments: (arguments) @_none) @skip (#eq? @mark "skip") (#match? @skip "^(it|test|describe|arch)\\b") (#match? @_none "^\\(\\s*\\)$"))
((member_call_expression name: (name) @mark arguments: (arguments . (argument [(string) (encapsed_string)]))) @skip (#eq? @mark "skip") (#match? @skip "^(it|test|describe|arch)\\b"))
((member_call_expression name: (name) @mark arguments: (arguments . (argument [(boolean) (integer)] @_always))) @skip (#eq? @mark "skip") (#match? @_always "^(true|TRUE|1)$") (#match? @skip "^(it|test|describe|arch)\\b"))
((member_call_expression name: (name) @mark arguments: (arguments . (argument [(function_call_expression) (arrow_function) (anonymous_function) (binary_expression) (unary_op_expression) (variable_name) (member_call_expression) (scoped_call_expression) (name) (class_constant_access_expression) (parenthesized_expression)] @condition))) @skip (#eq? @mark "skip") (#match? @skip "^(it|test|describe|arch)\\b"))
((member_call_expression name: (name) @mark @condition) @skip (#match? @mark "^skip(On|Unless|Locally|OnCI|If|When)[A-Za-z]*$|^skipLocally$") (#match? @skip "^(it|test|describe|arch)\\b"))
((member_call_expression name: (name) @mark) @skip (#any-of? @mark "todo" "wip") (#match? @skip "^(it|test|describe)\\b") (#set! kind "todo"))
((function_call_expression function: (name) @mark arguments: (arguments . (argument (string)) .)) @skip (#eq? @mark "todo") (#set! kind "todo"))
((member_call_expression name: (name) @mark) @skip (#eq? @mark "fails") (#match? @skip "^(it|test)\\b") (#set! kind "fails"))
((member_call_expression name: (name) @mark) @focus (#eq? @mark "only") (#match? @focus "^(it|test|describe)\\b"))
((scoped_call_expression name: (name) @_only) @focus (#match? @focus "^pest\\(\\)->only"))

; Branches.
(if_statement condition: (_) @condition body: (_) @branch (#not-match? @condition "^\\( *(true|TRUE|1|!false) *\\)$"))
(if_statement condition: (_) @condition alternative: (else_clause body: (_) @branch))
(else_if_clause condition: (_) @condition body: (_) @branch)
(catch_clause type: (_) @condition body: (_) @branch)
(match_conditional_expression conditional_expressions: (_) @condition return_expression: (_) @branch)
(case_statement value: (_) @condition) @branch
(conditional_expression condition: (_) @condition body: (_) @branch)
(binary_expression left: (_) @condition operator: ["&&" "and" "||" "or"] right: (_) @branch)

; Tables.
(attribute [(name) @_attribute (qualified_name (name) @_attribute)] parameters: (arguments . (argument (string (string_content) @rows))) (#eq? @_attribute "DataProvider") (#set! rows "name"))
((comment) @rows . (method_declaration) (#match? @rows "@dataProvider +\\w+") (#set! rows "name"))
((attribute [(name) @_attribute (qualified_name (name) @_attribute)]) @rows (#any-of? @_attribute "TestWith" "TestWithJson" "DataProviderExternal" "Example" "Examples") (#set! rows "one"))
(method_declaration name: (name) @name body: (compound_statement . (return_statement (array_creation_expression) @list) .))
(method_declaration name: (name) @name body: (compound_statement (expression_statement (yield_expression))) @list)
((member_call_expression name: (name) @_with arguments: (arguments . (argument (array_creation_expression) @rows) .)) @_chain (#eq? @_with "with") (#match? @_chain "^(it|test)\\b"))
((member_call_expression name: (name) @_with arguments: (arguments . (argument [(anonymous_function) (arrow_function) (function_call_expression)] @rows))) @_chain (#eq? @_with "with") (#match? @_chain "^(it|test)\\b") (#set! rows "one"))
((member_call_expression name: (name) @_with arguments: (arguments . (argument [(string (string_content) @rows) (encapsed_string (string_content) @rows)]))) @_chain (#eq? @_with "with") (#match? @_chain "^(it|test)\\b") (#set! rows "name"))
(function_call_expression function: (name) @_dataset arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)]) . (argument (array_creation_expression) @list)) (#eq? @_dataset "dataset"))
(foreach_statement . (array_creation_expression) @_none body: (_) @dead (#match? @_none "^(\\[\\s*\\]|array\\(\\s*\\))$")) @mark
(foreach_statement . (array_creation_expression) @rows)

; Assertions. The names' strengths are in the table of languages.
(member_call_expression name: (name) @how arguments: (arguments . (argument [(boolean) (null) (integer) (float) (string)] @subject @constant) .) (#match? @how "^assert(True|False|Null|NotNull|Empty|NotEmpty|NotFalse|NotTrue)$")) @assert
(scoped_call_expression name: (name) @how arguments: (arguments . (argument [(boolean) (null) (integer) (float) (string)] @subject @constant) .) (#match? @how "^assert(True|False|Null|NotNull|Empty|NotEmpty)$")) @assert
(member_call_expression name: (name) @how arguments: (arguments . (argument [(boolean) (null) (integer) (float) (string)] @expected @constant) . (argument [(boolean) (null) (integer) (float) (string)] @subject)) (#match? @how "^assert(Same|Equals|NotSame|NotEquals|GreaterThan|LessThan)$")) @assert
(scoped_call_expression name: (name) @how arguments: (arguments . (argument [(boolean) (null) (integer) (float) (string)] @expected @constant) . (argument [(boolean) (null) (integer) (float) (string)] @subject)) (#match? @how "^assert(Same|Equals|NotSame|NotEquals|GreaterThan|LessThan)$")) @assert
(member_call_expression name: (name) @how arguments: (arguments . (argument (binary_expression left: (_) @subject operator: ["===" "=="] right: (_) @expected))) (#eq? @how "assertTrue") (#set! strength "exact")) @assert
(member_call_expression name: (name) @how arguments: (arguments . (argument (binary_expression left: (_) @subject operator: [">" "<" ">=" "<=" "!=" "!=="] right: (_) @expected))) (#any-of? @how "assertTrue" "assertFalse") (#set! strength "part")) @assert
([(member_call_expression name: (name) @how arguments: (arguments . (argument (_) @expected) . (argument (_) @subject) . (argument (_) @expected))) (scoped_call_expression name: (name) @how arguments: (arguments . (argument (_) @expected) . (argument (_) @subject) . (argument (_) @expected)))] @assert (#match? @how "^assert(Not)?EqualsWithDelta$"))
(member_call_expression object: (variable_name) @_this name: (name) @how arguments: (arguments . (argument (_) @subject) .) (#eq? @_this "$this") (#match? @how "^assert[A-Z]")) @assert
(member_call_expression object: (variable_name) @_this name: (name) @how arguments: (arguments . (argument (_) @expected) . (argument (_) @subject)) (#eq? @_this "$this") (#match? @how "^assert[A-Z]") (#not-match? @how "^assert(True|False|Null|NotNull|Empty|NotEmpty|Is[A-Z].*|FileExists|DirectoryExists|Database.*|Nan|Finite|Infinite)$")) @assert
(member_call_expression object: (variable_name) @_this name: (name) @how arguments: (arguments . (argument (_) @subject) . (argument (_))) (#eq? @_this "$this") (#match? @how "^assert(True|False|Null|NotNull|Empty|NotEmpty|Is[A-Z].*|FileExists|DirectoryExists|Database.*|Nan|Finite|Infinite)$")) @assert
(member_call_expression object: (variable_name) @_this name: (name) @how arguments: (arguments . (argument) . (argument)) @expected (#eq? @_this "$this") (#match? @how "^assert[A-Z]")) @assert
(member_call_expression object: (variable_name) @_this name: (name) @how (#eq? @_this "$this") (#match? @how "^assert[A-Z]")) @assert
(scoped_call_expression name: (name) @how arguments: (arguments . (argument (_) @subject) .) (#match? @how "^assert[A-Z]")) @assert
(scoped_call_expression name: (name) @how arguments: (arguments . (argument (_) @subject) . (argument (_))) (#match? @how "^assert(True|False|Null|NotNull|Empty|NotEmpty|Is[A-Z].*|FileExists|DirectoryExists|Nan|Finite|Infinite)$")) @assert
(scoped_call_expression name: (name) @how arguments: (arguments . (argument (_) @expected) . (argument (_) @subject)) (#match? @how "^assert[A-Z]")) @assert
(function_call_expression function: (name) @how arguments: (arguments . (argument (_) @expected) . (argument (_) @subject)) (#match? @how "^assert[A-Z]")) @assert
(function_call_expression function: (name) @how arguments: (arguments . (argument (_) @subject) .) (#match? @how "^assert([A-Z].*)?$")) @assert
(member_call_expression object: (_) @subject name: (name) @how arguments: (arguments) @expected (#match? @how "^assert[A-Z]") (#not-eq? @subject "$this")) @assert
(member_call_expression name: (name) @how arguments: (arguments . (argument (_) @expected)) (#match? @how "^expect(Exception|ExceptionMessage|ExceptionMessageMatches|ExceptionCode|ExceptionObject|OutputString|OutputRegex|Deprecation|DeprecationMessage|Warning|Error|UserDeprecationMessage)$")) @assert
((member_call_expression name: (name) @how) @assert (#eq? @how "expectNotToPerformAssertions") (#set! strength "nothing"))
((member_call_expression name: (name) @how arguments: (arguments . (argument (_) @expected) . (argument (_) @expected)?)) @assert (#eq? @how "throws") (#match? @assert "^(it|test)\\b"))
((member_call_expression object: (function_call_expression function: (name) @_it) name: (name) @_expect arguments: (arguments . (argument [(arrow_function body: (_) @subject) (variable_name) @subject (object_creation_expression) @subject (function_call_expression) @subject]))) @assert (#any-of? @_it "it" "test") (#eq? @_expect "expect") (#set! chain "member_call_expression member_access_expression"))
((function_call_expression function: (name) @_expect arguments: (arguments . (argument [(boolean) (integer) (string) (null) (float)] @subject @constant))) @assert (#eq? @_expect "expect") (#set! chain "member_call_expression member_access_expression"))
((function_call_expression function: (name) @_expect arguments: (arguments . (argument (_) @subject))) @assert (#eq? @_expect "expect") (#set! chain "member_call_expression member_access_expression"))
(member_call_expression object: (_) @subject name: (name) @how arguments: (arguments . (argument (_) @expected)) (#any-of? @how "shouldHaveReceived" "shouldNotHaveReceived" "shouldNotReceive")) @assert
(member_call_expression object: (_) @subject name: (name) @how arguments: (arguments . (argument (_) @expected)) (#any-of? @how "expects" "shouldReceive") (#set! chain "member_call_expression")) @assert
(member_call_expression object: (_) @subject name: (name) @how arguments: (arguments) @expected (#match? @how "^should(BeCalled|BeCalledTimes|BeCalledOnce|NotBeCalled|HaveBeenCalled|NotHaveBeenCalled|Return|Be|BeLike|BeEqualTo|HaveType|BeAnInstanceOf|Throw|HaveCount|Contain|NotReturn|NotBe|Match|HaveKey|HaveKeyWithValue|StartWith|EndWith)$")) @assert
(member_call_expression object: (variable_name) @_actor name: (name) @how arguments: (arguments) @expected (#match? @_actor "^\\$(I|tester|browser)$") (#match? @how "^(see|dontSee|assert)[A-Z]?")) @assert
((member_call_expression name: (name) @how) @assert (#eq? @how "fail") (#match? @assert "^\\$this->fail") (#set! strength "part"))
((scoped_call_expression scope: (_) @_scope name: (name) @how) @assert (#eq? @how "fail") (#match? @_scope "^(self|static|Assert|parent)$") (#set! strength "part"))

; Calls.
(function_call_expression function: [(name) @call (qualified_name (name) @call)])
(member_call_expression name: (name) @call)
(nullsafe_member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression [(name) @call (qualified_name (name) @call)])

; Code that does not count.
(return_statement) @return
(expression_statement (throw_expression)) @return
[(break_statement) (continue_statement) (exit_statement)] @return
(if_statement condition: (parenthesized_expression [(boolean) (integer) (null)] @_false) body: (_) @dead (#match? @_false "^(false|FALSE|False|0|null)$"))
(if_statement condition: (parenthesized_expression (binary_expression operator: "&&" . (boolean) @_false)) body: (_) @dead (#match? @_false "^(false|FALSE)$"))
(if_statement condition: (parenthesized_expression (binary_expression left: (boolean) @_false operator: "&&")) body: (_) @dead (#match? @_false "^(false|FALSE)$"))
(if_statement condition: (parenthesized_expression (unary_op_expression (boolean) @_true)) body: (_) @dead (#match? @_true "^(true|TRUE)$"))
(if_statement condition: (parenthesized_expression (boolean) @_true) alternative: (else_clause body: (_) @dead) (#match? @_true "^(true|TRUE)$"))
(while_statement condition: (parenthesized_expression (boolean) @_false) body: (_) @dead (#match? @_false "^(false|FALSE)$"))
(assignment_expression right: [(anonymous_function) (arrow_function)] @dead)

; Assertions whose failure is discarded.
(try_statement body: (compound_statement) @swallow (catch_clause type: (_) @_type body: (compound_statement) @handler) (#match? @_type "(^|[\\\\| ])(Throwable|Exception|AssertionFailedError|ExpectationFailedException)( *\\||$)"))
(throw_expression) @throw

; Comments, and attributes that suppress.
(comment) @comment
((attribute [(name) @_attribute (qualified_name (name) @_attribute)] parameters: (arguments (argument (_) @rule))?) @suppress (#match? @_attribute "^(SuppressWarnings|Suppress)$") (#set! linter "phpmd"))
((attribute [(name) @_attribute (qualified_name (name) @_attribute)]) @suppress (#match? @_attribute "^CodeCoverageIgnore$") (#set! linter "coverage"))

; Debugging aids.
((function_call_expression function: (name) @what) @debug (#any-of? @what "var_dump" "dd" "ddd" "dump" "ray" "xdebug_break" "xdebug_var_dump" "debug_print_backtrace" "debug_zval_refcount" "d" "kint"))
((member_call_expression name: (name) @what arguments: (arguments) @_none) @debug (#any-of? @what "dump" "dd" "ddd" "dumpHeaders" "dumpSession" "ddHeaders" "ddSession" "ray") (#match? @_none "^\\(\\s*\\)$"))
