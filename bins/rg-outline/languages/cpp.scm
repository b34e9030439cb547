; C++: GoogleTest, GoogleMock, Catch2, doctest, Boost.Test, Qt Test, CppUTest.

; TEST_CASE("title", "[tag]") { } is a call and a block behind it.
((expression_statement (call_expression function: (identifier) @_f arguments: (argument_list . [(string_literal) @name (concatenated_string) @name (identifier) @name (binary_expression . [(string_literal) @name (binary_expression . [(string_literal) @name (binary_expression . (string_literal) @name)])])]))) @test . (compound_statement) @test @body
  (#match? @_f "^(CATCH_)?((TEST_CASE|SCENARIO)(_METHOD|_FIXTURE|_TEMPLATE|_CLASS)?|DOCTEST_TEST_CASE|DOCTEST_SCENARIO|TEMPLATE_TEST_CASE(_SIG)?|BOOST_AUTO_TEST_CASE|BOOST_DATA_TEST_CASE|BOOST_FIXTURE_TEST_CASE|METHOD_AS_TEST_CASE|TEST)$"))
((expression_statement (call_expression function: (identifier) @_f arguments: (argument_list . (identifier) . (string_literal) @name))) @test . (compound_statement) @test @body
  (#match? @_f "^(CATCH_)?(TEST_CASE_METHOD|TEST_CASE_FIXTURE|SCENARIO_METHOD|TEST_CASE_CLASS|TEMPLATE_TEST_CASE_METHOD)$"))
((expression_statement (call_expression function: (identifier) @_f arguments: (argument_list . (_) @name))) @test . (compound_statement) @test @body
  (#match? @_f "^(CATCH_|DOCTEST_)?(SECTION|SUBCASE|GIVEN|WHEN|THEN|AND_GIVEN|AND_WHEN|AND_THEN|DYNAMIC_SECTION)$"))
((ERROR (call_expression function: (identifier) @_f arguments: (argument_list . (_) @name))) @test . (compound_statement) @test @body
  (#match? @_f "^(CATCH_|DOCTEST_)?(SECTION|SUBCASE|GIVEN|WHEN|THEN|AND_GIVEN|AND_WHEN|AND_THEN|TEST_CASE|SCENARIO|DYNAMIC_SECTION)$"))
((expression_statement (call_expression function: (identifier) @_f arguments: (argument_list . (_) @name))) @suite . (compound_statement) @suite @body (#match? @_f "^(DOCTEST_)?TEST_SUITE$"))
(call_expression function: (identifier) @_f arguments: (argument_list . (_) @name . (_) @in . (_)? @body) (#match? @_f "^INSTANTIATE_(TYPED_)?TEST_(SUITE|CASE)_P$")) @test
(call_expression function: (identifier) @_f arguments: (argument_list (call_expression function: (_) @_v arguments: (argument_list) @rows)) (#match? @_f "^INSTANTIATE_TEST_(SUITE|CASE)_P$") (#match? @_v "(^|::)Values$"))
(call_expression function: (identifier) @_f arguments: (argument_list (call_expression function: (_) @_v) @rows) (#match? @_f "^INSTANTIATE_TEST_(SUITE|CASE)_P$") (#match? @_v "(^|::)(ValuesIn|Range|Bool|Combine|ConvertGenerator)$") (#set! rows "name"))
(call_expression function: (identifier) @_f arguments: (argument_list . (_) . (identifier) @call) (#match? @_f "^INSTANTIATE_(TYPED_)?TEST_(SUITE|CASE)_P$"))
(call_expression function: (identifier) @_f arguments: (argument_list) @rows (#match? @_f "^(GENERATE|GENERATE_COPY)$"))
(call_expression function: (identifier) @_f arguments: (argument_list (call_expression function: (_) @_v arguments: (argument_list . (initializer_list) @rows .))) (#match? @_f "^(GENERATE|GENERATE_COPY|GENERATE_REF)$") (#match? @_v "^(Catch::Generators::)?(table|values)\\b"))
; CppUnit: void MatrixTest::testIdentity()
((function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @_class name: (identifier) @name)) body: (compound_statement) @body) @test (#match? @name "^test[A-Z_]") (#match? @_class "Test(s|Case|Suite|Fixture)?$"))
(class_specifier name: (_) @name body: (_) @body) @suite
(struct_specifier name: (_) @name body: (_) @body) @suite
(function_definition declarator: (function_declarator declarator: [(field_identifier) (qualified_identifier) (destructor_name)] @name) body: (compound_statement) @body) @function
(function_definition declarator: (function_declarator declarator: [(field_identifier) (qualified_identifier)] @name) body: (compound_statement) @body (#match? @name "(^|::)(SetUp|TearDown|SetUpTestSuite|TearDownTestSuite|init|cleanup|initTestCase)$") (#set! kind "hook")) @function
(function_declarator declarator: [(field_identifier) @define (qualified_identifier name: (identifier) @define)])
(class_specifier name: (type_identifier) @define)
(alias_declaration name: (type_identifier) @define)
(call_expression function: (qualified_identifier name: (identifier) @call))
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @call)))
(new_expression type: (type_identifier) @call)
(declaration type: (type_identifier) @call)

; --- what keeps tests from running
(call_expression function: (identifier) @_f arguments: (argument_list (string_literal) @skip) (#match? @_f "^(CATCH_)?(TEST_CASE|SCENARIO|TEST_CASE_METHOD|TEMPLATE_TEST_CASE)$") (#match? @skip "\\[(\\.[^\\]]*|!?hide|!benchmark)\\]"))
(call_expression function: (identifier) @_f arguments: (argument_list (string_literal) @skip) (#match? @_f "^(CATCH_)?(TEST_CASE|SCENARIO|TEST_CASE_METHOD|TEMPLATE_TEST_CASE)$") (#match? @skip "\\[!(mayfail|shouldfail)\\]") (#set! kind "fails"))
(call_expression function: (qualified_identifier) @mark arguments: (argument_list) @_args (#match? @mark "(^|::)(skip|disabled|disable_if)$") (#match? @mark "doctest|unit_test|utf") (#match? @_args "^\\(\\s*(true)?\\s*\\)$")) @skip
(call_expression function: (qualified_identifier) @mark arguments: (argument_list (_) @condition) (#match? @mark "(^|::)(skip|enable_if|precondition)$") (#match? @mark "doctest|unit_test|utf") (#not-match? @condition "^(true|false)$")) @skip
(call_expression function: (qualified_identifier) @mark (#match? @mark "(^|::)(may_fail|should_fail|expected_failures)$") (#match? @mark "doctest|unit_test|utf") (#set! kind "fails")) @skip
(call_expression function: (identifier) @_f arguments: (argument_list (identifier) @skip) (#match? @_f "^INSTANTIATE_TEST") (#match? @skip "^DISABLED_"))

((function_definition declarator: (function_declarator declarator: [(field_identifier) (identifier)] @_f) body: (compound_statement [(expression_statement [(call_expression function: (identifier) @mark) (binary_expression left: (call_expression function: (identifier) @mark))]) @skip (if_statement condition: (_ (_) @condition) consequence: [(expression_statement [(call_expression function: (identifier) @mark) (binary_expression left: (call_expression function: (identifier) @mark))]) @skip (compound_statement (expression_statement [(call_expression function: (identifier) @mark) (binary_expression left: (call_expression function: (identifier) @mark))]) @skip)])])) (#match? @_f "^SetUp(TestSuite)?$") (#match? @mark "^GTEST_SKIP") (#set! of "suite"))
(if_statement condition: (_ (_) @condition) consequence: [(return_statement) (compound_statement . (return_statement) .)] !alternative (#match? @condition "\\bgetenv\\(")) @skip

; --- assertions
(call_expression function: (identifier) @_f arguments: (argument_list . (_) @subject . (qualified_identifier) @how .) (#match? @_f "^(EXPECT|ASSERT)_THAT$") (#match? @how "::_$") (#set! strength "nothing")) @assert
(call_expression function: (identifier) @_f arguments: (argument_list . (_) @subject . (call_expression function: [(template_function name: (identifier) @how) (qualified_identifier name: (template_function name: (identifier) @how))] arguments: (argument_list) @expected)) (#match? @_f "^(EXPECT|ASSERT|CHECK|REQUIRE)_THAT$")) @assert
; EXPECT_CALL(mock, method(arguments)), how often first
(call_expression function: (field_expression argument: (call_expression function: (identifier) @how arguments: (argument_list . (_) @subject . (_) @expected)) @assert field: (field_identifier) @_times) arguments: (argument_list . (_) @_often) (#eq? @how "EXPECT_CALL") (#eq? @_times "Times") (#match? @_often "AnyNumber|AtLeast|AtMost|Between") (#set! strength "part"))
(call_expression function: (identifier) @how arguments: (argument_list . (_) @subject . (_) @expected) (#eq? @how "EXPECT_CALL") (#set! strength "exact")) @assert
(call_expression function: (identifier) @how arguments: (argument_list . (_) @subject . (_) @expected) (#match? @how "^((EXPECT|ASSERT)_THROW|(CHECK|REQUIRE)_THROWS_AS|BOOST_(CHECK|REQUIRE)_THROW)$") (#match? @expected "^(const )?(std::)?(exception|runtime_error)( ?&)?$") (#set! strength "something")) @assert
(call_expression function: (identifier) @how arguments: (argument_list . (binary_expression left: (call_expression) @subject operator: "==" right: (_) @expected)) (#match? @how "^STATIC_REQUIRE$")) @assert
(static_assert_declaration condition: (_) @subject (#set! strength "something") (#set! how "static_assert")) @assert

; --- failures that are lost, dead code
(compound_statement (throw_statement) @return)
(throw_statement) @throw
(try_statement body: (compound_statement) @swallow (catch_clause parameters: (parameter_list) @_t body: (compound_statement) @handler) (#match? @_t "^\\(\\s*\\.\\.\\.\\s*\\)$|\\bexception\\b|AssertionException"))
(attribute prefix: (_) @_p name: (_) @_n (#match? @_p "^(gsl|clang)$") (#eq? @_n "suppress") (#set! linter "clang-tidy")) @suppress
