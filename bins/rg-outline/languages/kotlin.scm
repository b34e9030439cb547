; Kotlin: kotlin.test, JUnit, TestNG, kotest, Spek; assertions of those, AssertJ, Truth, AssertK, Hamcrest, MockK, Mockito, Compose.

; --- tests
(function_declaration (modifiers (annotation [(user_type) @_a (constructor_invocation (user_type) @_a)])) name: (_) @name (function_body)? @body
  (#match? @_a "^(\\w+\\.)*(\\w*Test|TestFactory|TestTemplate|Theory|Property|Example)$") (#not-match? @_a "(Before|After|Ignore|Disabled|Flaky|Ui|Small|Medium|Large)\\w*Test$")) @test
; kotest: "title" { }, test("title") { }, should("title").config(...) { }
(call_expression . (string_literal) @name . (annotated_lambda (lambda_literal) @body)) @test
(call_expression . (call_expression . (navigation_expression . (string_literal) @name . (identifier) @_c) (value_arguments)) . (annotated_lambda (lambda_literal) @body) (#eq? @_c "config")) @test
(call_expression . (call_expression . (identifier) @_f . (value_arguments . (value_argument (string_literal) @name))) . (annotated_lambda (lambda_literal) @body) (#match? @_f "^`?x?(test|should|it|then|Then|expect|scenario)`?$")) @test
(call_expression . (call_expression . (navigation_expression . (call_expression . (identifier) @_f . (value_arguments . (value_argument (string_literal) @name))) . (identifier) @_c) (value_arguments)) . (annotated_lambda (lambda_literal) @body)
  (#match? @_f "^`?x?(test|should|it|then|Then|expect|scenario)`?$") (#eq? @_c "config")) @test
(call_expression . (call_expression . (identifier) @_f . (value_arguments . (value_argument (string_literal) @name) . (value_argument))) . (annotated_lambda (lambda_literal) @body) (#match? @_f "^x?(test|it)$")) @test
(infix_expression . (string_literal) @name . (identifier) @_f . (lambda_literal) @body (#any-of? @_f "should" "xshould")) @test
(call_expression . (call_expression . (identifier) @name @_f . (value_arguments)) . (annotated_lambda (lambda_literal) @body) (#eq? @_f "withData")) @test

; --- suites
(class_declaration name: (_) @name [(class_body) (enum_class_body) (delegation_specifiers)]? @body) @suite
(object_declaration name: (_) @name (class_body)? @body) @suite
(call_expression . (call_expression . (identifier) @_f . (value_arguments . (value_argument (string_literal) @name))) . (annotated_lambda (lambda_literal) @body)
  (#match? @_f "^`?[xf]?(describe|context|given|Given|when|When|and|And|feature|group|Feature|Scenario)`?$")) @suite
(infix_expression . (string_literal) @name . (identifier) @_f . (lambda_literal) @body (#match? @_f "^`?x?(when|When|that|and)`?$")) @suite
(call_expression . (navigation_expression . (string_literal) @name . (identifier)) . (annotated_lambda (lambda_literal) @body)) @suite
(call_expression . (string_literal) @name . (annotated_lambda (lambda_literal [(call_expression . (string_literal)) (call_expression . (call_expression . (navigation_expression . (string_literal)))) (infix_expression . (string_literal) . (identifier) @_s)])) (#match? @_s "^x?should$")) @suite

; --- functions, hooks, names, calls
(function_declaration (modifiers (annotation [(user_type) @_a (constructor_invocation (user_type) @_a)])) name: (_) @name (function_body) @body
  (#match? @_a "^(\\w+\\.)*(Before|After)(Each|All|Class|Method|Suite|Test|Groups|Property|Try)?$") (#set! kind "hook")) @function
(call_expression . (identifier) @name (annotated_lambda (lambda_literal) @body) (#match? @name "^(before|after)(Test|Spec|Each|Any|Container|Project|Invocation|EachTest|Group)?$") (#set! kind "hook")) @function
(function_declaration name: (_) @name (function_body) @body) @function
(function_declaration name: (_) @define)
(class_declaration name: (_) @define)
(object_declaration name: (_) @define)
(type_alias type: (_) @define)
(enum_entry . (identifier) @define)
(class_body (property_declaration (variable_declaration . (identifier) @define)))
(source_file (property_declaration (variable_declaration . (identifier) @define)))
(class_parameter (identifier) @define)
(call_expression . (identifier) @call)
(call_expression . (navigation_expression (_) (identifier) @call .))
(infix_expression . (_) . (identifier) @call)

; --- rows of tables
(annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument (collection_literal) @rows))) (#match? @_a "^(\\w+\\.)*(ValueSource|CsvSource|EnumSource|MethodSource|FieldSource|JsonSource)$"))
(annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument (call_expression (value_arguments) @rows)))) (#match? @_a "^(\\w+\\.)*(ValueSource|EnumSource)$"))
(annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument . [(string_literal) (callable_reference) (number_literal)]) @rows)) (#match? @_a "^(\\w+\\.)*(CsvSource|EnumSource|CsvFileSource|ArgumentsSource|RepeatedTest)$") (#set! rows "one"))
(annotation [(user_type) @_a (constructor_invocation (user_type) @_a)] (#match? @_a "^(\\w+\\.)*(NullSource|EmptySource|NullAndEmptySource)$") (#set! rows "one")) @rows
(annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument (string_literal (string_content) @rows)))) (#match? @_a "^(\\w+\\.)*(MethodSource|FieldSource)$") (#set! rows "name"))
(function_declaration name: (_) @name (function_body [(call_expression (value_arguments) @list) (block (return_expression (call_expression (value_arguments) @list)))]))
(call_expression . (call_expression . (identifier) @_f . (value_arguments) @rows @_rows) . (annotated_lambda) (#match? @_f "^(forAll|withData|table)$") (#not-match? @_rows "^\\(\\s*(map|list|set|sequence)Of\\("))
(call_expression . (navigation_expression (call_expression . (identifier) @_f . (value_arguments) @rows) (identifier) @_g .) . (annotated_lambda) (#any-of? @_f "table" "listOf") (#match? @_g "^for(All|None)$"))
(call_expression . (call_expression . (identifier) @_f . (value_arguments . (value_argument (call_expression . (identifier) @_of . (value_arguments) @rows)) .)) . (annotated_lambda) (#match? @_f "^(forAll|withData)$") (#any-of? @_of "mapOf" "listOf" "setOf" "sequenceOf"))
(call_expression . (navigation_expression . (call_expression . (identifier) @_f . (value_arguments) @rows) . (identifier) @_each .) . (annotated_lambda) @each (#match? @_f "^(listOf|setOf|arrayOf|sequenceOf|mapOf)$") (#match? @_each "^(forEach|forEachIndexed|onEach)$"))

; --- what keeps tests from running
(annotation [(user_type) @_a (constructor_invocation (user_type) @_a)] (#match? @_a "^(\\w+\\.)*(Disabled|Ignore|Ignored)$")) @skip
(annotation (constructor_invocation (user_type) @_a (value_arguments) @condition) (#match? @_a "^(\\w+\\.)*((Disabled|Enabled)(If|On|For|Until|In|When)\\w*|IfProfileValue|RunIf|SkipIf\\w*|SdkSuppress|IgnoreOn\\w*|IgnoreIos|IgnoreJs)$")) @skip
(annotation [(user_type) @condition] (#match? @condition "^(\\w+\\.)*(IgnoreOn\\w+|IgnoreIos|IgnoreJs|IgnoreNative|IgnoreJvm|(Disabled|Enabled)(On|For|In|When)\\w+)$")) @skip
(annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument . (identifier) @_k . (identifier) @_v) @mark)) (#match? @_a "(^|\\.)Test$") (#eq? @_k "enabled") (#eq? @_v "false")) @skip
(call_expression . (identifier) @skip (annotated_lambda) (#match? @skip "^x(test|it|should|describe|context|given|when|then|feature|scenario|expect|and)$"))
(call_expression . (call_expression . (identifier) @skip . (value_arguments)) . (annotated_lambda) (#match? @skip "^x(test|it|should|describe|context|given|when|then|feature|scenario|expect|and)$"))
(infix_expression . (string_literal) . (identifier) @skip . (lambda_literal) (#match? @skip "^x(should|when|that|and)$"))
(call_expression . (navigation_expression [(string_literal) (identifier)] (identifier) @_c .) (value_arguments (value_argument . (identifier) @_k . (identifier) @_v) @skip) (#eq? @_c "config") (#eq? @_k "enabled") (#eq? @_v "false"))
(call_expression . (navigation_expression (call_expression . (identifier) @_f) (identifier) @_c .) (value_arguments (value_argument . (identifier) @_k . (identifier) @_v) @skip) (#match? @_f "^[a-z]") (#eq? @_c "config") (#eq? @_k "enabled") (#eq? @_v "false"))
(call_expression . (navigation_expression (_) (identifier) @_c .) (value_arguments (value_argument . (identifier) @_k . (_) @condition) @skip) (#eq? @_c "config") (#match? @_k "^(enabled|enabledIf|enabledOrReasonIf)$") (#not-match? @condition "^(true|false)$"))
(call_expression . (string_literal) @skip . (annotated_lambda) (#match? @skip "^\"+!"))
(call_expression . (call_expression . (identifier) @_f . (value_arguments . (value_argument (string_literal) @skip))) . (annotated_lambda) (#match? @_f "^(test|should|it|then|describe|context|given|when|feature|scenario|expect)$") (#match? @skip "^\"+!"))
(call_expression . (string_literal) @focus . (annotated_lambda) (#match? @focus "^\"+f:"))
(call_expression . (call_expression . (identifier) @_f . (value_arguments . (value_argument (string_literal) @focus))) . (annotated_lambda) (#match? @_f "^(test|should|it|then|describe|context|given|when|feature|scenario|expect)$") (#match? @focus "^\"+f:"))
(call_expression . (call_expression . (identifier) @focus . (value_arguments)) . (annotated_lambda) (#match? @focus "^f(test|it|describe|context)$"))
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments . (value_argument (identifier) @_v)) (#any-of? @_f "assumeTrue" "assumeThat") (#eq? @_v "false")) @skip
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments . (value_argument (string_literal)) . (value_argument (identifier) @_v) .) (#eq? @_f "assumeTrue") (#eq? @_v "false")) @skip
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments . (value_argument (identifier) @_v)) (#eq? @_f "assumeFalse") (#eq? @_v "true")) @skip
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments (value_argument) @condition) (#match? @_f "^assume(True|False|That|NotNull|NoException)?$") (#not-match? @condition "^(true|false|\".*)$")) @skip
(throw_expression (call_expression . (_) @_t) (#match? @_t "(^|\\.)(TestAbortedException|SkipException|AssumptionViolatedException)$")) @skip
(function_declaration (modifiers (visibility_modifier) @skip (annotation [(user_type) @_a (constructor_invocation (user_type) @_a)])) (#eq? @skip "private") (#match? @_a "^(\\w+\\.)*(Test|ParameterizedTest|RepeatedTest|TestFactory)$"))
(function_declaration (modifiers (annotation [(user_type) @_a (constructor_invocation (user_type) @_a)]) (visibility_modifier) @skip) (#eq? @skip "private") (#match? @_a "^(\\w+\\.)*(Test|ParameterizedTest|RepeatedTest|TestFactory)$"))

; a test that ends early by its environment
(if_expression condition: (_) @condition [(block . (return_expression) .) (return_expression)] (#match? @condition "System\\.(getenv|getProperty)\\(")) @skip

; --- assertions: constants first
; JUnit 4: a message, then what is asserted
(call_expression . [(identifier) @how (navigation_expression (_) (identifier) @how .)] . (value_arguments . (value_argument (string_literal)) . (value_argument) @expected . (value_argument) @subject .) (#any-of? @how "assertEquals" "assertSame" "assertNotEquals") (#not-match? @subject "^([0-9]|\"|msg|message)")) @assert
(call_expression . [(identifier) @how (navigation_expression (_) (identifier) @how .)] . (value_arguments . (value_argument (string_literal)) . (value_argument [(call_expression) (navigation_expression) (identifier) (binary_expression) (in_expression) (unary_expression)]) @subject .) (#any-of? @how "assertTrue" "assertFalse" "assertNull" "assertNotNull") (#set! strength "something")) @assert
(call_expression . [(identifier) @how (navigation_expression (_) (identifier) @how .)] . (value_arguments . (value_argument . (binary_expression operator: "||" (identifier) @_true .)) @subject) (#match? @how "^assert(True)?$") (#eq? @_true "true") (#set! strength "nothing")) @assert
(call_expression . (identifier) @how . (value_arguments . (value_argument . [(identifier) (number_literal) (string_literal)] @subject .) . (value_argument (string_literal))? .) (#match? @how "^assert(True|False|NotNull|Null)?$") (#match? @subject "^(true|false|null|[0-9].*|\".*)$") (#set! strength "nothing")) @assert
(call_expression . (identifier) @how . (value_arguments . (value_argument) @_l . (value_argument) @_r) (#match? @how "^assert(Equals|Same|ContentEquals)$") (#eq? @_l @_r) (#set! strength "nothing")) @assert
(call_expression . (identifier) @how . (value_arguments . (value_argument [(number_literal) (string_literal)]) . (value_argument [(number_literal) (string_literal)])) (#match? @how "^assert(Equals|Same|NotEquals)$") (#set! strength "nothing")) @assert
(infix_expression . (_) @subject . (identifier) @how . (_) @expected (#match? @how "^should(Be|Equal)$") (#eq? @subject @expected) (#set! strength "nothing")) @assert
(infix_expression . [(number_literal) (string_literal)] @subject . (identifier) @how . [(number_literal) (string_literal)] @expected (#match? @how "^should") (#set! strength "nothing")) @assert
(call_expression . (identifier) @_f . (value_arguments . (value_argument . [(identifier) (number_literal) (string_literal)] @subject .)) (#eq? @_f "assertThat") (#match? @subject "^(true|false|null|[0-9].*|\".*)$") (#set! chain "navigation_expression call_expression") (#set! strength "nothing")) @assert
; kotest
(infix_expression . (_) @subject . (identifier) @_f . (call_expression . (identifier) @_m (value_arguments)) @expected (#eq? @_f "shouldBe") (#match? @_m "^be[A-Z]") (#set! read "matcher")) @assert
(call_expression . (call_expression . (identifier) @how . (type_arguments) @expected . (value_arguments) @expected) (annotated_lambda) @subject (#eq? @how "shouldThrowWithMessage")) @assert
(call_expression . (navigation_expression . (parenthesized_expression (in_expression . (_) @subject "in" . (_) @expected)) . (identifier) @_f .) (#eq? @_f "shouldBeTrue") (#set! how "in") (#set! strength "part")) @assert
(infix_expression . (_) @subject . (identifier) @_should . (call_expression . [(identifier) @how (navigation_expression (_) (identifier) @how .)] (value_arguments)? @expected) (#eq? @_should "should")) @assert
(infix_expression . (_) @subject . (identifier) @how . (_) @expected (#match? @how "^should(Not)?$") (#set! strength "something")) @assert
(infix_expression . (_) @subject . (identifier) @how . (_) @expected (#match? @how "^should")) @assert
(call_expression . (navigation_expression . (_) @subject . (identifier) @how .) . (type_arguments) @expected (#match? @how "^should[A-Z]")) @assert
(call_expression . (call_expression . (navigation_expression . (_) @subject . (identifier) @how .) . (type_arguments) @expected) . (value_arguments) (#match? @how "^should[A-Z]")) @assert
(call_expression . (navigation_expression . (_) @subject . (identifier) @how .) (value_arguments)? @expected (#match? @how "^should[A-Z]")) @assert
(call_expression . (identifier) @how (annotated_lambda) @subject (#match? @how "^(shouldThrow\\w*|shouldNotThrow\\w*|shouldFail\\w*|assertFails|assertThrows|assertDoesNotThrow|assertFailsWith|assertTimeout\\w*|eventually|verify\\w*|coVerify\\w*|expectThrows|expectCatching)$")) @assert
(call_expression . (call_expression . (identifier) @how . [(type_arguments) (value_arguments)] @expected) (annotated_lambda) @subject (#match? @how "^(shouldThrow\\w*|shouldNotThrow\\w*|shouldFail\\w*|assertThrows|assertFailsWith|verify\\w*|coVerify\\w*|expectThrows)$") (#not-match? @expected "^<(Exception|Throwable|RuntimeException)>$|^\\((Exception|Throwable|RuntimeException)::class")) @assert
(call_expression . (identifier) @how . (type_arguments) @expected (annotated_lambda) @subject (#match? @how "^(shouldThrow\\w*|assertThrows|assertFailsWith|expectThrows)$") (#match? @expected "^<(Exception|Throwable|RuntimeException)>$") (#set! strength "something")) @assert
(call_expression . (call_expression . (identifier) @how . [(type_arguments) (value_arguments)] @expected) (annotated_lambda) @subject (#match? @how "^(shouldThrow\\w*|assertThrows|assertFailsWith|expectThrows)$") (#set! strength "something")) @assert
; f<X> { } is read as a comparison
(binary_expression . (binary_expression . (identifier) @how . (_) @expected .) . (lambda_literal) @subject (#match? @how "^(shouldThrow\\w*|assertThrows|assertFailsWith|expectThrows|assertIs)$") (#match? @expected "^(Exception|Throwable|RuntimeException)$") (#set! strength "something")) @assert
(binary_expression . (binary_expression . (identifier) @how . (_) @expected .) . [(lambda_literal) (parenthesized_expression)] @subject (#match? @how "^(shouldThrow\\w*|assertThrows|assertFailsWith|expectThrows|assertIs)$")) @assert
; AssertJ, Truth, AssertK, Strikt
(call_expression . (call_expression . (navigation_expression (_) (identifier) @_t .) . (value_arguments . (value_argument) @subject .)) @_x (#eq? @_t "that") (#set! chain "navigation_expression call_expression")) @assert
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (annotated_lambda) @subject (#match? @_f "^(assertThatThrownBy|assertFailure|invoking|catchThrowable)$") (#set! chain "navigation_expression call_expression") (#set! begin "throws")) @assert
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (annotated_lambda) @subject (#match? @_f "^(assertThatCode|assertThat)$") (#set! chain "navigation_expression call_expression")) @assert
(call_expression . [(identifier) @subject (navigation_expression (_) (identifier) @subject .)] . (value_arguments) @_none (#match? @subject "^assertThat\\w+Exception$") (#match? @_none "^\\(\\s*\\)$") (#set! chain "navigation_expression call_expression")) @assert
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments . (value_argument) @subject .) (#match? @_f "^(assertThat|assertThatThrownBy|assertThatCode|expectThat|assertThatExceptionOfType)$") (#set! chain "navigation_expression call_expression")) @assert
(call_expression . (call_expression . (identifier) @_f . (value_arguments . (value_argument) @subject .)) . (annotated_lambda) (#match? @_f "^(expectThat)$") (#set! how "expectThat")) @assert
(call_expression . (identifier) @_f . (value_arguments (value_argument) @subject . (value_argument (call_expression) @expected) .) (#eq? @_f "assertThat") (#set! read "matcher")) @assert
; expected first, then the subject, and how far it may be away
(call_expression . [(identifier) @how (navigation_expression (_) (identifier) @how .)] . (value_arguments . (value_argument) @expected . (value_argument) @subject . (value_argument) @_delta @expected .) (#any-of? @how "assertEquals" "assertContentEquals") (#match? @_delta "^((absoluteTolerance|delta) *= *)?([0-9.]*[1-9][0-9.]*(e-?\\d+)?[fF]?|1e-?\\d+[fF]?|\\w*([eE]ps|EPS|[tT]olerance|TOLERANCE|[dD]elta|DELTA)\\w*)$") (#set! strength "part")) @assert
; expected first, then the subject
(call_expression . [(identifier) @how (navigation_expression (_) (identifier) @how .)] . (value_arguments . (value_argument) @expected . (value_argument) @subject) (#match? @how "^assert(Not)?(Equals|Same|ContentEquals|ArrayEquals|IterableEquals)$")) @assert
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments . (value_argument . (binary_expression . (_) @subject operator: ["==" "==="] @how . (_) @expected))) (#match? @_f "^assert(True)?$") (#not-match? @expected "^null$") (#set! strength "exact")) @assert
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments . (value_argument . (binary_expression . (_) @subject operator: ["<" ">" "<=" ">="] @how . (_) @expected))) (#match? @_f "^assert(True)?$") (#set! strength "part")) @assert
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments . (value_argument . (binary_expression . (_) @subject operator: ["<" ">" "<=" ">="] @how . (_) @expected))) (#eq? @_f "assertFalse") (#set! strength "part") (#set! opposite "how")) @assert
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments . (value_argument . (in_expression . (_) @subject "in" . (_) @expected))) (#match? @_f "^assert(True)?$") (#set! how "in") (#set! strength "part")) @assert
(call_expression . [(identifier) @_f (navigation_expression (_) (identifier) @_f .)] . (value_arguments . (value_argument . (in_expression . (_) @subject "in" . (_) @expected))) (#eq? @_f "assertFalse") (#set! how "not in") (#set! strength "something")) @assert
(annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument . (identifier) @how . (_) @expected) @assert)) (#match? @_a "(^|\\.)Test$") (#any-of? @how "expected" "expectedExceptions"))
(call_expression . [(identifier) @how (navigation_expression (_) (identifier) @how .)] . (value_arguments . (value_argument)? @subject . (value_argument)? @expected) (#match? @how "^(assert([A-Z]\\w*)?|fail|checkAll)$") (#not-match? @how "^assert(True|False|Null|NotNull|All|Soft\\w*|That\\w*|FailsWith|Throws)$")) @assert
(call_expression . [(identifier) @how (navigation_expression (_) (identifier) @how .)] . (value_arguments . (value_argument) @subject . (value_argument)? @expected) (#match? @how "^assert(True|False|Null|NotNull)$") (#not-match? @subject "^\"")) @assert
(call_expression . (navigation_expression (call_expression . (identifier) @how . (value_arguments) @subject) . (identifier)) . (value_arguments) @expected (#eq? @how "verify")) @assert
(call_expression . (identifier) @how . (value_arguments) @subject (#match? @how "^(confirmVerified|verifyNoMoreInteractions|verifyNoInteractions)$")) @assert
(throw_expression (call_expression . (_) @how) (#match? @how "(^|\\.)AssertionError$")) @assert

; --- code that is not reached, and failures that are lost
(block [(return_expression) (throw_expression)] @return)
(lambda_literal [(return_expression) (throw_expression)] @return)
(if_expression condition: (identifier) @_c . [(block) (call_expression) (infix_expression)] @dead (#eq? @_c "false")) @mark
(if_expression condition: (binary_expression operator: "&&" (identifier) @_c) . [(block) (call_expression)] @dead (#eq? @_c "false")) @mark
(while_statement condition: (identifier) @_c [(block)] @dead (#eq? @_c "false")) @mark
(if_expression condition: (_) @condition [(block) (call_expression) (throw_expression)] @branch)
(try_expression (block) @swallow (catch_block (user_type) @_t (block)? @handler) (#match? @_t "^(\\w+\\.)*(Throwable|Error|AssertionError)$"))
(try_expression (block) @swallow (catch_block (user_type) @_t (block)? @handler) (#match? @_t "^(\\w+\\.)*(Exception|RuntimeException)$") (#not-match? @swallow "\\bfail\\("))
(call_expression . (identifier) @_f (annotated_lambda) @swallow (#eq? @_f "runCatching"))
(throw_expression) @throw
(call_expression . (identifier) @throw (#match? @throw "^(fail|error)$"))

; --- suppressions, comments, debugging aids
(annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument (string_literal) @rule))) (#match? @_a "(^|\\.)(Suppress|SuppressWarnings)$") (#set! linter "kotlin")) @suppress
(file_annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument (string_literal) @rule))) (#match? @_a "(^|\\.)Suppress$") (#set! linter "kotlin") (#set! reach "file")) @suppress
(annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument (string_literal) @rule))) (#match? @_a "(^|\\.)(SuppressLint)$") (#set! linter "android-lint")) @suppress
(annotation (constructor_invocation (user_type) @_a (value_arguments (value_argument (string_literal) @rule))) (#match? @_a "(^|\\.)(SuppressFBWarnings)$") (#set! linter "spotbugs")) @suppress
[(line_comment) (block_comment)] @comment
(call_expression . (navigation_expression (_) (identifier) @what .) (value_arguments) (#eq? @what "printStackTrace")) @debug
