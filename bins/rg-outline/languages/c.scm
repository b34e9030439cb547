; C, and with cpp.scm C++: GoogleTest and its kin in macros, Unity, Check, cmocka, CUnit, Criterion, glib.

; --- tests: TEST(suite, name) { }, START_TEST(name) { }, void test_name(void) { }
(function_definition declarator: (function_declarator declarator: (identifier) @_f parameters: (parameter_list . (parameter_declaration) @in . (parameter_declaration) @name)) body: (compound_statement) @body
  (#match? @_f "^(TYPED_TEST(_P)?|TEST(_F|_P|_GROUP|_METHOD)?|GTEST_TEST(_F)?|FRIEND_TEST|FUZZ_TEST_F|Test|ParameterizedTest|Theory|MUNIT_TEST|IGNORE_TEST|BOOST_FIXTURE_TEST_CASE)$")) @test
(function_definition declarator: (function_declarator declarator: (identifier) @_f parameters: (parameter_list . (parameter_declaration) @name .)) body: (compound_statement) @body
  (#match? @_f "^(TEST|START_TEST|TEST_METHOD|BOOST_AUTO_TEST_CASE|BOOST_FIXTURE_TEST_CASE|TEST_CASE|SCENARIO|MU_TEST|CTEST|ZTEST|KUNIT_CASE|TEST_FUNCTION)$")) @test
(function_definition declarator: (function_declarator declarator: (identifier) @_f parameters: (parameter_list . (parameter_declaration) @name)) body: (compound_statement) @body (#match? @_f "^(BOOST_AUTO_TEST_CASE|BOOST_DATA_TEST_CASE|BOOST_AUTO_TEST_CASE_TEMPLATE|CTEST2|TEST_CASE_METHOD)$")) @test
(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (compound_statement) @body (#match? @name "^(test_\\w+|test[A-Z]\\w*|\\w+_test)$")) @test
(function_definition type: (type_identifier) @_f declarator: (parenthesized_declarator (identifier) @name) body: (compound_statement) @body (#match? @_f "^(START_TEST|TEST|MU_TEST|CTEST|ZTEST)$")) @test

; --- functions, names, calls
(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (compound_statement) @body (#match? @name "^(setUp|tearDown|setup|teardown|SetUp|TearDown)$") (#set! kind "hook")) @function
(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (compound_statement) @body) @function
(function_definition declarator: (pointer_declarator (function_declarator declarator: (identifier) @name)) body: (compound_statement) @body) @function
(function_declarator declarator: (identifier) @define (#not-match? @define "^[A-Z][A-Z0-9_]*$"))
(init_declarator declarator: (identifier) @define)
(struct_specifier name: (type_identifier) @define)
(enum_specifier name: (type_identifier) @define)
(enumerator name: (identifier) @define)
(type_definition declarator: (type_identifier) @define)
(preproc_def name: (identifier) @define)
(preproc_function_def name: (identifier) @define)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))

; --- what keeps tests from running
(function_definition declarator: (function_declarator declarator: (identifier) @_f parameters: (parameter_list (parameter_declaration) @skip)) (#match? @_f "^(TYPED_)?TEST(_F|_P)?$|^GTEST_TEST") (#match? @skip "^DISABLED_"))
(function_definition declarator: (function_declarator declarator: (identifier) @skip) (#match? @skip "^(IGNORE_TEST|XTEST|DISABLED_TEST\\w*|TEST_IGNORE\\w*|CTEST_SKIP|CTEST2_SKIP|SKIP_TEST)$"))
(call_expression function: (identifier) @mark (#match? @mark "^(GTEST_SKIP\\w*|TEST_IGNORE\\w*|SKIP|QSKIP|BOOST_TEST_SKIP|g_test_skip\\w*|skip|cr_skip\\w*|cr_skip_test|TEST_PASS|TEST_PASS_MESSAGE|MUNIT_SKIP|ztest_test_skip|kunit_skip|kunit_mark_skipped)$")) @skip
(call_expression function: (identifier) @mark (#match? @mark "^(QEXPECT_FAIL|g_test_incomplete)$") (#set! kind "fails")) @skip

; a test that is compiled only under a condition
(preproc_ifdef name: (identifier) @condition (#not-match? @condition "(_H|_HPP|_HH|_INCLUDED|_H_)_*$") (#set! of "inside")) @skip
(preproc_if condition: [(identifier) (call_expression) (preproc_defined) (unary_expression) (binary_expression)] @condition (#set! of "inside")) @skip

; --- assertions: those that never fail, and constants first
(call_expression function: (identifier) @how arguments: (argument_list . (_) @subject . (_)? @expected) (#match? @how "^(CATCH_|DOCTEST_)?(CHECK_NOFAIL|WARN|WARN_(EQ|NE|GT|LT|GE|LE|UNARY|FALSE|THROWS\\w*|NOTHROW))$|^BOOST_WARN\\w*$") (#set! strength "nothing")) @assert
(call_expression function: (identifier) @how arguments: (argument_list . [(true) (false) (number_literal) (string_literal)] @subject @constant .)
  (#match? @how "^((EXPECT|ASSERT|CHECK|REQUIRE|WARN|TEST_ASSERT|BOOST_CHECK|BOOST_REQUIRE|BOOST_TEST|QVERIFY|ck_assert|g_assert|cr_assert|cr_expect|assert)(_(TRUE|FALSE|true|false|MESSAGE|NULL|NOT_NULL|UNARY))?|QVERIFY2?|CU_ASSERT(_TRUE|_FALSE)?)$")) @assert
(call_expression function: (identifier) @how arguments: (argument_list . [(true) (false) (number_literal) (string_literal)] @subject @constant . [(true) (false) (number_literal) (string_literal)] @expected) (#match? @how "^(\\w+_)?(EXPECT|ASSERT|CHECK|REQUIRE|COMPARE|assert|ASSERT_\\w+)_(EQ|EQUAL|STREQ|eq|int_eq|EQUAL_INT|equal|int_equal|cmpint)$")) @assert
(call_expression function: (identifier) @how arguments: (argument_list . (binary_expression left: (_) @_l operator: "==" right: (_) @_r) @subject @constant .) (#match? @how "^(CHECK|REQUIRE|EXPECT_TRUE|ASSERT_TRUE|assert|BOOST_CHECK|BOOST_TEST|BOOST_REQUIRE|TEST_ASSERT|ck_assert|g_assert|cr_assert|QVERIFY)$") (#eq? @_l @_r)) @assert
(call_expression function: (identifier) @how arguments: (argument_list . (binary_expression left: (number_literal) @_l right: (number_literal) @_r) @subject @constant .) (#match? @how "^(CHECK|REQUIRE|EXPECT_TRUE|ASSERT_TRUE|assert|BOOST_CHECK|BOOST_TEST|BOOST_REQUIRE|TEST_ASSERT|ck_assert|g_assert|cr_assert|QVERIFY)$")) @assert
(call_expression function: (identifier) @how arguments: (argument_list . (binary_expression operator: "||" right: [(true) (number_literal)]) @subject @constant .) (#match? @how "^(CHECK|REQUIRE|EXPECT_TRUE|ASSERT_TRUE|assert|BOOST_CHECK|BOOST_TEST|TEST_ASSERT|ck_assert|g_assert|cr_assert|QVERIFY)$")) @assert
; EXPECT_THAT(value, matcher)
(call_expression function: (identifier) @_f arguments: (argument_list . (_) @subject . (call_expression) @expected) (#match? @_f "^(EXPECT|ASSERT|CHECK|REQUIRE|ON_CALL)_THAT$") (#set! read "matcher")) @assert
; a matcher in a namespace, and one that matches everything
(call_expression function: (identifier) @_f arguments: (argument_list . (_) @subject . (identifier) @how .) (#match? @_f "^(EXPECT|ASSERT)_THAT$") (#eq? @how "_") (#set! strength "nothing")) @assert
; a value and how far it may be away
(call_expression function: (identifier) @how arguments: (argument_list . (_) @subject . (_) @expected . (_) @expected .) (#match? @how "^((EXPECT|ASSERT)_NEAR|BOOST_(CHECK|REQUIRE)_CLOSE(_FRACTION)?|CHECK_CLOSE|DOUBLES_EQUAL|munit_assert_double_equal|cr_assert_float_eq|ck_assert_double_eq_tol)$")) @assert
; CHECK(a == b), EXPECT_TRUE(a == b)
(call_expression function: (identifier) @_f arguments: (argument_list . (binary_expression left: (_) @subject operator: "==" @how right: (_) @expected)) (#match? @_f "^((EXPECT|ASSERT|TEST_ASSERT|CU_ASSERT)_TRUE|CHECK|REQUIRE|CHECK_MESSAGE|REQUIRE_MESSAGE|BOOST_(CHECK|REQUIRE|TEST)(_MESSAGE)?|TEST_ASSERT|ck_assert\\w*|g_assert(_true)?|cr_assert|cr_expect|QVERIFY2?|assert|assert_true|CU_ASSERT|munit_assert)$") (#not-match? @expected "^(NULL|nullptr|true)$") (#set! strength "exact")) @assert
(call_expression function: (identifier) @_f arguments: (argument_list . (binary_expression left: (_) @subject operator: ["<" ">" "<=" ">="] @how right: (_) @expected)) (#match? @_f "^((EXPECT|ASSERT|TEST_ASSERT|CU_ASSERT)_TRUE|CHECK|REQUIRE|BOOST_(CHECK|REQUIRE|TEST)|TEST_ASSERT|ck_assert\\w*|g_assert(_true)?|cr_assert|cr_expect|QVERIFY2?|assert|assert_true|CU_ASSERT)$") (#set! strength "part")) @assert
(call_expression function: (identifier) @how arguments: (argument_list . (unary_expression argument: (call_expression function: (identifier) @_c arguments: (argument_list . (_) @subject . (_) @expected)))) (#match? @_c "^(strcmp|memcmp|wcscmp|strncmp)$") (#set! strength "exact")) @assert
; expected first: Unity, cmocka's kin
(call_expression function: (identifier) @how arguments: (argument_list . (_) @expected . (_) @subject) (#match? @how "^TEST_ASSERT_(EQUAL|NOT_EQUAL|BITS|GREATER|LESS|INT_WITHIN)\\w*$")) @assert
(call_expression function: (identifier) @how arguments: (argument_list . (_)? @subject . (_)? @expected)
  (#match? @how "^((EXPECT|ASSERT|TEST_ASSERT|TEST_FAIL|CHECK|REQUIRE|WARN|STATIC_REQUIRE|STATIC_CHECK|FAST_CHECK|FAST_REQUIRE|BOOST_CHECK|BOOST_REQUIRE|BOOST_WARN|BOOST_TEST|BOOST_ERROR|BOOST_FAIL|CPPUNIT_ASSERT|CPPUNIT_FAIL|CU_ASSERT|CU_FAIL|QVERIFY|QCOMPARE|QTRY|QFAIL|KUNIT_EXPECT|KUNIT_ASSERT|LONGS_EQUAL|STRCMP_EQUAL|CHECK_EQUAL)(_\\w+|2)?|FAIL(_CHECK)?|ADD_FAILURE(_AT)?|(ck|munit|g|cr|mu|zassert)_(assert|expect)\\w*|cr_(assert|expect)|ck_abort\\w*|g_test_fail\\w*|assert(_[a-z]\\w*)?|zassert_\\w+|fail|fail_(if|unless|msg))$")
  (#not-match? @how "^(BOOST_TEST_(MESSAGE|CONTEXT|INFO|SKIP)|BOOST_TEST_DONT_PRINT_LOG_VALUE)$")) @assert

; --- code that is not reached, and failures that are lost
(compound_statement [(return_statement) (goto_statement) (break_statement)] @return)
(compound_statement (expression_statement (call_expression function: (identifier) @_f)) @return (#match? @_f "^(exit|_exit|abort|quick_exit)$"))
(if_statement condition: (_ (false)) consequence: (_) @dead) @mark
(if_statement condition: (_ (number_literal) @_c) consequence: (_) @dead (#eq? @_c "0")) @mark
(if_statement condition: (_ (binary_expression operator: "&&" [(false) (number_literal)] @_c)) consequence: (_) @dead (#any-of? @_c "0" "false")) @mark
(while_statement condition: (_ (false)) body: (_) @dead) @mark
(while_statement condition: (_ (number_literal) @_c) body: (_) @dead (#eq? @_c "0")) @mark
(preproc_if condition: (number_literal) @_c (#eq? @_c "0") !alternative) @dead
(preproc_if condition: (number_literal) @_c [(function_definition) (expression_statement) (compound_statement) (declaration)] @dead (#eq? @_c "0"))
(preproc_ifdef "#ifdef" name: (identifier) @_c (#match? @_c "^(NEVER|DISABLED|NOT_?YET|TODO|BROKEN|IGNORE\\w*|SKIP\\w*|FALSE|ENABLE_BROKEN\\w*|FIXME|NOT_WORKING)$")) @dead
(if_statement condition: (_ (_) @condition) consequence: (_) @branch)
(if_statement condition: (_ (_) @condition) alternative: (_) @branch)
(preproc_if condition: [(identifier) (call_expression) (preproc_defined) (unary_expression) (binary_expression)] @condition) @branch
(preproc_ifdef name: (identifier) @condition) @branch

; --- suppressions, comments, debugging aids
(preproc_call directive: (_) @_d argument: (preproc_arg) @rule (#match? @_d "^#\\s*pragma$") (#match? @rule "^\\s*(GCC|clang)\\s+diagnostic\\s+ignored|^\\s*warning\\s*\\(\\s*(push\\s*,\\s*\\d\\s*\\)\\s*)?(disable|suppress)|^\\s*(GCC|clang)\\s+system_header|^\\s*diag_suppress") (#set! linter "compiler") (#set! reach "block")) @suppress
(comment) @comment
(call_expression function: (identifier) @what (#match? @what "^(__debugbreak|DebugBreak|__builtin_trap|__builtin_debugtrap|DEBUG_BREAK|__breakpoint)$")) @debug
(call_expression function: (identifier) @_f arguments: (argument_list . (identifier) @_s) (#eq? @_f "raise") (#eq? @_s "SIGTRAP")) @debug
