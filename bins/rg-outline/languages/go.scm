; Go: testing, testify, gocheck, quicktest, Ginkgo with Gomega, GoConvey.

; Tests: functions by name and parameter, methods of suites, subtests with a constant name.
((function_declaration name: (identifier) @name parameters: (parameter_list . (parameter_declaration type: (pointer_type) @_type) .) body: (block) @body) @test
  (#match? @name "^(Test|Fuzz)([^a-z]|$)") (#match? @_type "^\\*(.*\\.)?[TF]$"))
((function_declaration name: (identifier) @name body: (block (comment) @_output) @body) @test (#match? @name "^Example([^a-z]|$)") (#match? @_output "^// *([uU]nordered )?[oO]utput:"))
((method_declaration receiver: (parameter_list (parameter_declaration type: [(type_identifier) @_type @in (pointer_type (type_identifier) @_type @in)])) name: (field_identifier) @name body: (block) @body) @test
  (#match? @name "^Test([^a-z]|$)") (#match? @_type "Suite|Test|^\\*?S$|suite|test"))
(call_expression function: (selector_expression operand: (_) @_t field: (field_identifier) @_run) arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] @name . (func_literal body: (block) @body) .)
  (#eq? @_run "Run") (#match? @_t "^(t|tt|st|s|suite|c|tb|tc|.*T|.*\\.T\\(\\))$")) @test
(call_expression function: (selector_expression operand: (_) @_t field: (field_identifier) @_run) arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] @name . [(identifier) (selector_expression) (call_expression)] @body .)
  (#eq? @_run "Run") (#match? @_t "^(t|tt|st|s|suite|c|tb|tc|.*T|.*\\.T\\(\\))$")) @test
(call_expression function: [(identifier) @_it (selector_expression field: (field_identifier) @_it)] arguments: (argument_list . (interpreted_string_literal) @name (func_literal body: (block) @body) .) (#any-of? @_it "It" "Specify" "FIt" "PIt" "XIt" "FSpecify" "PSpecify" "XSpecify")) @test
(call_expression function: [(identifier) @_it (selector_expression field: (field_identifier) @_it)] arguments: (argument_list . (interpreted_string_literal) @name .) (#any-of? @_it "It" "Specify" "PIt" "XIt")) @test
(call_expression function: [(identifier) @_it (selector_expression field: (field_identifier) @_it)] arguments: (argument_list . (interpreted_string_literal) @name (func_literal body: (block) @body)) (#any-of? @_it "DescribeTable" "FDescribeTable" "PDescribeTable" "XDescribeTable")) @test

; Suites: a function with subtests is the suite of its subtests.
(call_expression function: [(identifier) @_it (selector_expression field: (field_identifier) @_it)] arguments: (argument_list . (interpreted_string_literal) @name (func_literal body: (block) @body) .) (#match? @_it "^[FPX]?(Describe|Context|When)$|^(Skip|Focus)?Convey$")) @suite

; Everything else that can hold assertions: helpers, benchmarks, and hooks of Ginkgo, which run with every test around them.
((function_declaration name: (identifier) @name body: (block) @body) @function (#not-match? @name "^(Test|Fuzz|Example)([^a-z]|$)"))
((function_declaration name: (identifier) @name parameters: (parameter_list . (parameter_declaration) . (parameter_declaration)) body: (block) @body) @function (#match? @name "^(Test|Fuzz)([^a-z]|$)"))
((function_declaration name: (identifier) @name parameters: (parameter_list . (parameter_declaration type: (pointer_type) @_type)) body: (block) @body) @function (#match? @name "^(Test|Fuzz)([^a-z]|$)") (#not-match? @_type "^\\*(.*\\.)?[TF]$"))
((method_declaration receiver: (parameter_list (parameter_declaration type: (_) @_type)) name: (field_identifier) @name body: (block) @body) @function (#not-match? @name "^Test([^a-z]|$)"))
((method_declaration receiver: (parameter_list (parameter_declaration type: (_) @_type)) name: (field_identifier) @name body: (block) @body) @function (#match? @name "^Test([^a-z]|$)") (#not-match? @_type "Suite|Test|^\\*?S$|suite|test"))
(call_expression function: (identifier) @name arguments: (argument_list . (func_literal body: (block) @body) .) (#any-of? @name "BeforeEach" "AfterEach" "JustBeforeEach" "JustAfterEach" "BeforeSuite" "AfterSuite" "BeforeAll" "AfterAll") (#set! kind "hook")) @function

; Names.
(function_declaration name: (identifier) @define)
(method_declaration name: (field_identifier) @define)
(type_spec name: (type_identifier) @define)
(type_alias name: (type_identifier) @define)
(source_file (const_declaration (const_spec name: (identifier) @define)))
(source_file (var_declaration (var_spec name: (identifier) @define)))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @define))))
(method_elem name: (field_identifier) @define)

; Skips: statements. Their condition is that of the branch around them; one in a function that only some tests call is not counted.
((call_expression function: (selector_expression operand: (_) @_t field: (field_identifier) @_what) @mark arguments: (argument_list) @_why) @skip (#not-match? @_why "^\\(\\s*(func\\b|[0-9])") (#any-of? @_what "Skip" "Skipf" "SkipNow") (#match? @_t "^(t|tt|tb|st|f|s|c|sub|suite|.*T|.*\\.T\\(\\))$"))
((expression_statement (call_expression function: [(identifier) @condition (selector_expression field: (field_identifier) @condition)] arguments: (argument_list . [(identifier) (call_expression)] @_t))) @skip (#match? @condition "^[sS]kip[A-Z]") (#match? @_t "^(t|tt|tb|st|f|c|.*\\.T\\(\\))$"))

; Branches.
(if_statement condition: (_) @condition consequence: (block) @branch (#not-match? @condition "^(true|!false)$"))
(if_statement condition: (_) @condition alternative: (_) @branch)
(expression_case value: (_) @condition (statement_list) @branch)
(type_case type: (_) @condition (statement_list) @branch)
(default_case (statement_list) @branch) @condition

; Skips: a table of which only the first rows are used.
(for_statement (range_clause right: (slice_expression operand: (identifier) @_table end: (int_literal)) @skip) (#match? @_table "^(tests?|tcs?|tts?|cases|.*(Tests|Cases|_tests|_cases)|table|examples|scenarios|inputs|vectors|specs)$"))

; Skips: a test that ends early by its environment.
(if_statement condition: (_) @condition consequence: (block (statement_list . (return_statement) .)) !alternative (#match? @condition "\\bos\\.(Getenv|LookupEnv)\\(|runtime\\.GOOS")) @skip

; Skips: Ginkgo and GoConvey.
(call_expression function: [(identifier) @mark (selector_expression field: (field_identifier) @mark)] arguments: (argument_list . (interpreted_string_literal)) (#match? @mark "^[PX](It|Specify|Describe|Context|When|DescribeTable)$|^SkipConvey$")) @skip
(call_expression function: [(identifier) @mark (selector_expression field: (field_identifier) @mark)] arguments: (argument_list . (interpreted_string_literal)) @condition (#match? @mark "^[PX]Entry$")) @skip
(call_expression function: [(identifier) @_it (selector_expression field: (field_identifier) @_it)] arguments: (argument_list . (interpreted_string_literal) (identifier) @skip) (#match? @_it "^F?(It|Specify|Describe|Context|When|DescribeTable)$") (#eq? @skip "Pending"))
(call_expression function: [(identifier) @_it @mark (selector_expression field: (field_identifier) @_it @mark)] arguments: (argument_list . (interpreted_string_literal) @_title .) @skip (#any-of? @_it "It" "Specify") (#set! kind "todo"))
((call_expression function: (identifier) @mark) @skip (#eq? @mark "Skip"))
(call_expression function: [(identifier) @mark (selector_expression field: (field_identifier) @mark)] arguments: (argument_list . (interpreted_string_literal)) (#match? @mark "^F(It|Specify|Describe|Context|When|DescribeTable|Entry)$|^FocusConvey$")) @focus
(call_expression function: [(identifier) @_it (selector_expression field: (field_identifier) @_it)] arguments: (argument_list . (interpreted_string_literal) (identifier) @focus) (#match? @_it "^(It|Specify|Describe|Context|When|DescribeTable)$") (#eq? @focus "Focus"))

; Skips: the whole file, by build tag or by TestMain.
(source_file (comment) @skip (#match? @skip "^//(go:build| *\\+build) +(ignore|never|none|skip|disabled?|off|false)\\b") (#set! of "file"))
(source_file (comment) @skip @condition (#match? @skip "^//(go:build| *\\+build) ") (#not-match? @skip "^//(go:build| *\\+build) +((ignore|never|none|skip|disabled?|off|false)\\b|go1[.0-9]* *$)") (#set! of "file"))
(function_declaration name: (identifier) @_main body: (block (statement_list (expression_statement (call_expression function: (_) @mark arguments: (argument_list (int_literal) @_status)) @skip))) (#eq? @_main "TestMain") (#eq? @mark "os.Exit") (#eq? @_status "0") (#set! of "file"))
(function_declaration name: (identifier) @_main body: (block (statement_list (if_statement condition: (_) @condition consequence: (block (statement_list (expression_statement (call_expression function: (_) @mark arguments: (argument_list (int_literal) @_status)) @skip)))))) (#eq? @_main "TestMain") (#eq? @mark "os.Exit") (#eq? @_status "0") (#set! of "file"))
(function_declaration name: (identifier) @_main @mark body: (block) @skip (#eq? @_main "TestMain") (#not-match? @skip "\\.Run\\(|Run|os\\.Exit\\(0\\)|[vV]erify[A-Za-z]*\\(|[mM]ain") (#set! of "file"))

; Tables: composite literals of the usual names, rows of f.Add and of Ginkgo's Entry.
(short_var_declaration left: (expression_list . (identifier) @_table .) right: (expression_list . (composite_literal type: [(slice_type) (map_type) (array_type) (implicit_length_array_type)] body: (literal_value) @rows) .) (#match? @_table "^(tests?|tcs?|tts?|cases|.*(Tests|Cases|_tests|_cases)|table|examples|scenarios|inputs|data|params|vectors|specs)$"))
(function_declaration body: (block (statement_list (var_declaration [(var_spec name: (identifier) @_table value: (expression_list (composite_literal type: [(slice_type) (map_type) (array_type) (implicit_length_array_type)] body: (literal_value) @rows))) (var_spec_list (var_spec name: (identifier) @_table value: (expression_list (composite_literal type: [(slice_type) (map_type) (array_type) (implicit_length_array_type)] body: (literal_value) @rows))))]))) (#match? @_table "^(tests?|tcs?|tts?|cases|.*(Tests|Cases|_tests|_cases)|table|examples|scenarios|inputs|data|params|vectors|specs)$"))
(for_statement (range_clause right: (composite_literal type: [(slice_type) (map_type) (array_type) (implicit_length_array_type)] body: (literal_value) @rows)))
(source_file (var_declaration [(var_spec name: (identifier) @name value: (expression_list (composite_literal body: (literal_value) @list))) (var_spec_list (var_spec name: (identifier) @name value: (expression_list (composite_literal body: (literal_value) @list))))]))
(for_statement (range_clause right: (identifier) @rows) (#match? @rows "^[a-zA-Z]+(Tests|Cases|TestCases|TestData)$") (#set! rows "name"))
(expression_statement (call_expression function: (selector_expression operand: (identifier) @_f field: (field_identifier) @_add)) @rows (#eq? @_f "f") (#eq? @_add "Add") (#set! rows "one"))
(argument_list (call_expression function: [(identifier) @_entry (selector_expression field: (field_identifier) @_entry)] arguments: (argument_list . (interpreted_string_literal))) @rows (#match? @_entry "^[FPX]?Entry$") (#set! rows "one"))

; Goroutines that a test or a whole package leaves behind.
(call_expression function: (selector_expression operand: (identifier) @_leak field: (field_identifier) @how) arguments: (argument_list) (#eq? @_leak "goleak") (#match? @how "^Verify(None|TestMain)$") (#set! subject "goroutines") (#set! strength "part")) @assert

; Assertions: t.Error and its kin. What is asserted is the condition of the `if` around them.
(if_statement condition: (binary_expression left: [(int_literal) (interpreted_string_literal) (true) (false) (nil)] @subject right: [(int_literal) (interpreted_string_literal) (true) (false) (nil)] @expected) consequence: (block (statement_list (expression_statement (call_expression function: (selector_expression field: (field_identifier) @how)) @assert))) (#match? @how "^(Error|Fatal)f?$|^Fail(Now)?$") (#set! strength "nothing"))
(if_statement condition: (false) @subject consequence: (block (statement_list (expression_statement (call_expression function: (selector_expression field: (field_identifier) @how)) @assert))) (#match? @how "^(Error|Fatal)f?$|^Fail(Now)?$") (#set! strength "nothing"))
(if_statement condition: (_) @subject consequence: (block (statement_list (expression_statement (call_expression function: (selector_expression field: (field_identifier) @how)) @assert))) (#match? @how "^(Error|Fatal)f?$|^Fail(Now)?$") (#set! read "failing"))
(if_statement condition: (_) @subject alternative: (block (statement_list (expression_statement (call_expression function: (selector_expression field: (field_identifier) @how)) @assert))) (#match? @how "^(Error|Fatal)f?$|^Fail(Now)?$") (#set! strength "part"))
(expression_case value: (_) @subject (statement_list (expression_statement (call_expression function: (selector_expression field: (field_identifier) @how)) @assert)) (#match? @how "^(Error|Fatal)f?$|^Fail(Now)?$") (#set! strength "part"))
(call_expression function: (selector_expression operand: (_) @_t field: (field_identifier) @how) (#match? @_t "^(t|tt|tb|st|f|c|s|sub|suite|T|.*\\.T\\(\\))$") (#match? @how "^(Error|Fatal)f?$|^Fail(Now)?$") (#set! strength "part")) @assert

; Assertions: libraries. The names' strengths are in the table of languages.
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @how) arguments: (argument_list . (_) . (_) @expected . (_) @subject . (_) @expected) (#match? @_library "^(assert|require|should|must)$") (#match? @how "^(InDelta|InEpsilon|InDeltaSlice|InEpsilonSlice|WithinDuration)f?$") (#set! strength "part")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @how) arguments: (argument_list . (_) @expected . (_) @subject . (_) @expected) (#match? @_library "^(s|suite|ts|a|r|is|as|.*\\.(Require|Assert)\\(\\))$") (#match? @how "^(InDelta|InEpsilon|WithinDuration)f?$") (#set! strength "part")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @how) arguments: (argument_list . (identifier) . [(true) (false) (nil) (int_literal) (interpreted_string_literal)] @subject .) (#match? @_library "^(assert|require|should|must)$") (#match? @how "^(True|False|Nil|NotNil|NotEmpty|Empty|Zero|NotZero|NoError)f?$") (#set! strength "nothing")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @how) arguments: (argument_list . (identifier) . [(true) (false) (nil) (int_literal) (interpreted_string_literal)] @expected . [(true) (false) (nil) (int_literal) (interpreted_string_literal)] @subject) (#match? @_library "^(assert|require|should|must)$") (#match? @how "^(Equal|EqualValues|Exactly|DeepEqual|NotEqual|Contains|Less|Greater)f?$") (#set! strength "nothing")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @how) arguments: (argument_list . (_) . (_) @expected . (_) @subject) (#match? @_library "^(assert|require|should|must)$") (#match? @how "^(Equal|EqualValues|Exactly|EqualExportedValues|NotEqual|Same|NotSame|JSONEq|YAMLEq|IsType|Implements)f?$")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @how) arguments: (argument_list . (_) . (_) @subject . (_)? @expected) (#match? @_library "^(assert|require|should|must)$") (#match? @how "^[A-Z]") (#not-match? @how "^((Equal|EqualValues|Exactly|EqualExportedValues|NotEqual|Same|NotSame|JSONEq|YAMLEq|IsType|Implements)f?|New)$")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @how) arguments: (argument_list . (_) .) (#match? @_library "^(assert|require|should|must)$") (#match? @how "^(Fail|FailNow)f?$") (#set! strength "part")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @how) arguments: (argument_list . (_) @expected . (_) @subject) (#match? @_library "^(s|suite|ts|a|r|is|as|assert[A-Z].*|.*\\.(Require|Assert)\\(\\))$") (#match? @how "^(Equal|EqualValues|Exactly|NotEqual|Same|NotSame|JSONEq|YAMLEq|IsType|Implements)f?$")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @how) arguments: (argument_list . (_) @subject . (_)? @expected) (#match? @_library "^(s|suite|ts|a|r|is|as|.*\\.(Require|Assert)\\(\\))$") (#match? @how "^(Nil|NotNil|True|False|NoError|NoErr|Error|Err|ErrorIs|ErrorAs|ErrorContains|EqualError|Contains|NotContains|Len|Empty|NotEmpty|Zero|NotZero|ElementsMatch|Subset|NotSubset|Regexp|NotRegexp|Greater|GreaterOrEqual|Less|LessOrEqual|Positive|Negative|Panics|NotPanics|PanicsWithValue|PanicsWithError|Eventually|Never|Condition|FileExists|DirExists|NoFileExists|InDelta|InEpsilon|WithinDuration|WithinRange)f?$")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @_how_call) arguments: (argument_list . (_) @subject . [(identifier) (selector_expression)] @how . (_)? @expected) (#eq? @_library "c") (#any-of? @_how_call "Assert" "Check")) @assert
(call_expression function: (selector_expression operand: (_) @_library field: (field_identifier) @_how_call) arguments: (argument_list . (identifier) @_t . (_) @subject . (selector_expression) @how . (_)? @expected) (#eq? @_library "qt") (#any-of? @_how_call "Assert" "Check")) @assert
(call_expression function: (selector_expression operand: (call_expression function: [(identifier) @_starter (selector_expression field: (field_identifier) @_starter)] arguments: (argument_list . (_) @subject)) field: (field_identifier) @_to) arguments: (argument_list . (call_expression) @expected) (#match? @_starter "^(Expect|Ω|Eventually|Consistently)(WithOffset)?$") (#match? @_to "^(To|Should)$") (#set! read "matcher")) @assert
(call_expression function: (selector_expression operand: (call_expression function: [(identifier) @_starter (selector_expression field: (field_identifier) @_starter)] arguments: (argument_list . (_) @subject)) field: (field_identifier) @_to) arguments: (argument_list . (call_expression) @expected) (#match? @_starter "^(Expect|Ω|Eventually|Consistently)(WithOffset)?$") (#match? @_to "^(ToNot|NotTo|ShouldNot)$") (#set! read "matcher") (#set! how "not")) @assert
(call_expression function: [(identifier) @_convey (selector_expression field: (field_identifier) @_convey)] arguments: (argument_list . (_) @subject . [(identifier) (selector_expression)] @how . (_)? @expected) (#eq? @_convey "So")) @assert
(call_expression function: (selector_expression operand: (_) @subject field: (field_identifier) @how) (#any-of? @how "AssertExpectations" "AssertCalled" "AssertNotCalled" "AssertNumberOfCalls" "ExpectationsWereMet" "MatchSnapshot" "MatchJSON" "SnapshotT" "AssertGolden")) @assert
(call_expression function: (selector_expression operand: (identifier) @_library field: (field_identifier) @how) arguments: (argument_list . (_) . (_) @subject . (_)? @expected) (#any-of? @_library "golden" "autogold" "snaps" "cupaloy" "goldie" "approvals") (#match? @how "^[A-Z]")) @assert
(call_expression function: (identifier) @how arguments: (argument_list . (identifier) @_t . (_)? @subject . (_)? @expected) (#eq? @_t "t") (#match? @how "^(assert|require|check|verify|expect|must|eq|compare|diff)([A-Z].*)?$")) @assert
(function_declaration name: (identifier) @_example body: (block (statement_list) (comment) @assert @expected) (#match? @_example "^Example") (#match? @assert "^// *([uU]nordered )?[oO]utput:"))

; Calls.
(call_expression function: [(identifier) @call (selector_expression field: (field_identifier) @call)])
(composite_literal type: [(type_identifier) @call (qualified_type name: (type_identifier) @call)])

; Code that does not count.
(return_statement) @return
(block (statement_list (if_statement condition: (true) consequence: (block (statement_list . (return_statement)))) @return))
[(continue_statement) (break_statement) (goto_statement)] @return
(expression_statement (call_expression function: (_) @_leave) (#any-of? @_leave "panic" "os.Exit" "runtime.Goexit")) @return
(if_statement condition: (false) consequence: (block) @dead)
(if_statement condition: (unary_expression operator: "!" operand: (true)) consequence: (block) @dead)
(if_statement condition: (binary_expression operator: "&&" (false)) consequence: (block) @dead)
(if_statement condition: (true) alternative: (block) @dead)
(for_statement (false) body: (block) @dead)
(assignment_statement left: (expression_list (identifier) @_blank) right: (expression_list (func_literal) @dead) (#eq? @_blank "_"))
(var_spec name: (identifier) @_blank value: (expression_list (func_literal) @dead) (#eq? @_blank "_"))

; Comments.
(comment) @comment

; Debugging aids.
(call_expression function: (identifier) @what (#any-of? @what "println" "print")) @debug
(call_expression function: (selector_expression) @what (#match? @what "^(spew\\.(Dump|Print|Printf|Println|Fdump)|litter\\.Dump|repr\\.Println|pp\\.Print(ln|f)?|runtime\\.Breakpoint|debug\\.PrintStack|dd\\.Dump|godump\\.Dump|q\\.Q)$")) @debug
(import_spec path: (interpreted_string_literal) @what (#match? @what "go-spew/spew\"$|k0kubun/pp|sanity-io/litter|ryboe/q\"$|goforj/godump")) @debug
