; Python: pytest, unittest, Django and nose.

; Tests: functions of a module and methods of test classes.
(module (function_definition name: (identifier) @name body: (block) @body) @test (#match? @name "^test"))
(module (decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @test (#match? @name "^test"))
(module [(if_statement consequence: (block [(function_definition name: (identifier) @name body: (block) @body) @test (decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @test])) (try_statement body: (block [(function_definition name: (identifier) @name body: (block) @body) @test (decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @test])) (with_statement body: (block [(function_definition name: (identifier) @name body: (block) @body) @test (decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @test]))] (#match? @name "^test"))
(module (_ [(else_clause (block [(function_definition name: (identifier) @name body: (block) @body) @test (decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @test])) (elif_clause (block [(function_definition name: (identifier) @name body: (block) @body) @test (decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @test])) (except_clause (block [(function_definition name: (identifier) @name body: (block) @body) @test (decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @test]))]) (#match? @name "^test"))
(class_definition name: (identifier) @_class body: (block (function_definition name: (identifier) @name body: (block) @body) @test)
  (#match? @name "^test") (#match? @_class "Test|Spec|Suite|Case|Mixin"))
(class_definition name: (identifier) @_class body: (block (decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @test)
  (#match? @name "^test") (#match? @_class "Test|Spec|Suite|Case|Mixin"))
(class_definition name: (identifier) @_class superclasses: (argument_list (_) @_base) body: (block (function_definition name: (identifier) @name body: (block) @body) @test)
  (#match? @name "^test") (#not-match? @_class "Test|Spec|Suite|Case|Mixin") (#match? @_base "Test|Spec|Suite|Case"))
(class_definition name: (identifier) @_class superclasses: (argument_list (_) @_base) body: (block (decorated_definition definition: (function_definition name: (identifier) @name body: (block) @body)) @test)
  (#match? @name "^test") (#not-match? @_class "Test|Spec|Suite|Case|Mixin") (#match? @_base "Test|Spec|Suite|Case"))
(function_definition name: (identifier) @name body: (block) @body (#match? @name "^runTest$")) @test

; Suites: classes. A suite's decorators belong to it.
(class_definition name: (identifier) @name body: (block) @body) @suite
(decorated_definition definition: (class_definition name: (identifier) @name body: (block) @body)) @suite
; The test of a state machine of hypothesis.
((module (expression_statement (assignment left: (identifier) @name right: (attribute attribute: (identifier) @_case) @body) @test)) (#eq? @_case "TestCase") (#match? @name "^Test"))

; Everything else that can hold assertions: helpers, and hooks, which run with every test around them.
((function_definition name: (identifier) @name body: (block) @body) @function (#not-match? @name "^(test|runTest$)"))
((function_definition name: (identifier) @name body: (block) @body) @function (#match? @name "^test"))
((function_definition name: (identifier) @name body: (block) @body) @function
  (#any-of? @name "setUp" "setUpClass" "setUpModule" "setUpTestData" "asyncSetUp" "setup" "setup_class" "setup_method" "setup_module" "setup_function" "tearDown" "asyncTearDown" "tearDownClass" "teardown_method") (#set! kind "hook"))
(decorated_definition (decorator (call function: (_) @_fixture arguments: (argument_list (keyword_argument name: (identifier) @_key value: (true))))) definition: (function_definition name: (identifier) @name body: (block) @body) @function
  (#match? @_fixture "(^|\\.)fixture$") (#eq? @_key "autouse") (#set! kind "hook"))

; Names.
(function_definition name: (identifier) @define)
(class_definition name: (identifier) @define)
(module (expression_statement (assignment left: (identifier) @define)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @define))))

; Names that stand for a mark.
(aliased_import name: (dotted_name) @value alias: (identifier) @name) @alias
((assignment left: (identifier) @name right: (_) @value) @alias (#match? @value "^(unittest\\.)?(skip|skipIf|skipUnless|expectedFailure)(\\(|$)|^(pytest|pt)\\.(mark\\.(skip|skipif|xfail|parametrize)|skip|raises|importorskip)(\\(|$)|^(pytest|pt)\\.mark$"))
((assignment left: (identifier) @name right: (call function: (_) @value arguments: (argument_list . (_) @condition))) @alias (#match? @value "^(unittest\\.)?skip(If|Unless)$|^(pytest|pt)\\.mark\\.skipif$"))

; Skips: decorators. A condition that is a constant is none.
(decorator [(identifier) (attribute)] @skip (#match? @skip "(^|\\.)mark\\.skip$|^(unittest\\.|unittest2\\.|nose\\.tools\\.)?(skip|nottest)$"))
(decorator (call function: [(identifier) (attribute)] @mark) @skip (#match? @mark "(^|\\.)mark\\.skip$|^(.*\\.)?(unittest|unittest2|case|ut)\\.skip$|^skip$"))
(decorator (call function: [(identifier) (attribute)] @mark arguments: (argument_list . (_) @condition)) @skip (#match? @mark "(^|\\.)mark\\.skipif$|(^|\\.)skip(If|Unless)[A-Za-z]*$") (#not-match? @condition "^(condition *= *)?[\"']?(True|False|None|0|1|not False|not True)[\"']?$"))
(decorator (call function: [(identifier) (attribute)] @mark arguments: (argument_list . (_) @_always)) @skip (#match? @mark "(^|\\.)mark\\.skipif$|(^|\\.)skipIf$") (#match? @_always "^(condition *= *)?[\"']?(True|1|not False)[\"']?$"))
(decorator (call function: [(identifier) (attribute)] @mark arguments: (argument_list . (_) @_always)) @skip (#match? @mark "(^|\\.)skipUnless$") (#match? @_always "^(False|0|None|not True)$"))
(decorator (identifier) @skip (#match? @skip "^(pytest|pt)\\.mark\\.xfail\\(") (#set! kind "fails"))
(decorator (identifier) @skip (#match? @skip "^(unittest\\.)?skip(If|Unless)?\\(|^(pytest|pt)\\.mark\\.skip(if)?\\("))

; A decorator that makes another thing of a test, a table without rows, and a class that pytest does not collect.
(decorated_definition (decorator [(identifier) (attribute) (call)] @skip) definition: (function_definition name: (identifier) @_name) (#match? @_name "^test") (#match? @skip "^(property|cached_property|functools\\.cached_property|(pytest\\.)?fixture)(\\(|$)"))
(decorator (call function: (_) @mark arguments: (argument_list . (_) . [(list) (tuple)] @_none)) @skip (#match? @mark "(^|\\.)mark\\.parametrize$") (#match? @_none "^[\\[(]\\s*[\\])]$"))
(class_definition name: (identifier) @_class !superclasses body: (block (function_definition name: (identifier) @skip)) (#match? @_class "^Test") (#eq? @skip "__init__") (#set! of "suite"))

; Expected failures.
(decorator [(identifier) (attribute)] @skip (#match? @skip "(^|\\.)mark\\.xfail$|(^|\\.)expectedFailure$") (#set! kind "fails"))
(decorator (call function: (attribute) @mark arguments: (argument_list (keyword_argument name: (identifier) @_key value: (false)))) @skip (#match? @mark "(^|\\.)mark\\.xfail$") (#eq? @_key "run"))
(decorator (call function: (attribute) @mark arguments: (argument_list . [(comparison_operator) (boolean_operator) (not_operator) (call) (attribute) (identifier) (string)] @condition)) @skip (#match? @mark "(^|\\.)mark\\.xfail$") (#set! kind "fails"))
(decorator (call function: (attribute) @mark arguments: (argument_list (keyword_argument name: (identifier) @_key value: (_) @condition))) @skip (#match? @mark "(^|\\.)mark\\.xfail$") (#eq? @_key "condition") (#set! kind "fails"))
(decorator (call function: (attribute) @mark) @skip (#match? @mark "(^|\\.)mark\\.xfail$") (#set! kind "fails"))

; Marks by assignment: pytestmark of a module or a class, __test__ = False.
(module (expression_statement [(assignment left: (identifier) @_left right: [(attribute) @skip (call function: (attribute) @mark) @skip]) (assignment left: (identifier) @_left right: [(list [(attribute) @skip (call function: (attribute) @mark) @skip]) (tuple [(attribute) @skip (call function: (attribute) @mark) @skip])])]) (#eq? @_left "pytestmark") (#match? @skip "^[a-z.]*mark\\.skip(\\(|$)") (#set! of "file"))
(module (expression_statement [(assignment left: (identifier) @_left right: (call function: (attribute) @mark arguments: (argument_list . (_) @condition)) @skip) (assignment left: (identifier) @_left right: [(list (call function: (attribute) @mark arguments: (argument_list . (_) @condition)) @skip) (tuple (call function: (attribute) @mark arguments: (argument_list . (_) @condition)) @skip)])]) (#eq? @_left "pytestmark") (#match? @mark "mark\\.skipif$") (#not-match? @condition "^(condition *= *)?[\"']?(True|False|0|1)[\"']?$") (#set! of "file"))
(module (expression_statement [(assignment left: (identifier) @_left right: (call function: (attribute) @mark arguments: (argument_list . (_) @_always)) @skip) (assignment left: (identifier) @_left right: [(list (call function: (attribute) @mark arguments: (argument_list . (_) @_always)) @skip) (tuple (call function: (attribute) @mark arguments: (argument_list . (_) @_always)) @skip)])]) (#eq? @_left "pytestmark") (#match? @mark "mark\\.skipif$") (#match? @_always "^(condition *= *)?[\"']?(True|1)[\"']?$") (#set! of "file"))
(module (expression_statement [(assignment left: (identifier) @_left right: [(attribute) @skip (call function: (attribute) @mark) @skip]) (assignment left: (identifier) @_left right: [(list [(attribute) @skip (call function: (attribute) @mark) @skip]) (tuple [(attribute) @skip (call function: (attribute) @mark) @skip])])]) (#eq? @_left "pytestmark") (#match? @skip "^[a-z.]*mark\\.xfail(\\(|$)") (#set! kind "fails") (#set! of "file"))
(module (expression_statement (assignment left: (identifier) @_left right: (identifier) @skip)) (#eq? @_left "pytestmark") (#match? @skip "^[a-z.]*mark\\.skip(if)?\\(") (#set! of "file"))
(class_definition body: (block (expression_statement [(assignment left: (identifier) @_left right: [(attribute) @skip (call function: (attribute) @mark) @skip]) (assignment left: (identifier) @_left right: [(list [(attribute) @skip (call function: (attribute) @mark) @skip]) (tuple [(attribute) @skip (call function: (attribute) @mark) @skip])])])) (#eq? @_left "pytestmark") (#match? @skip "^[a-z.]*mark\\.skip(\\(|$)") (#set! of "suite"))
(class_definition body: (block (expression_statement [(assignment left: (identifier) @_left right: (call function: (attribute) @mark arguments: (argument_list . (_) @condition)) @skip) (assignment left: (identifier) @_left right: [(list (call function: (attribute) @mark arguments: (argument_list . (_) @condition)) @skip) (tuple (call function: (attribute) @mark arguments: (argument_list . (_) @condition)) @skip)])])) (#eq? @_left "pytestmark") (#match? @mark "mark\\.skipif$") (#not-match? @condition "^(condition *= *)?[\"']?(True|False|0|1)[\"']?$") (#set! of "suite"))
(class_definition body: (block (expression_statement [(assignment left: (identifier) @_left right: (call function: (attribute) @mark arguments: (argument_list . (_) @_always)) @skip) (assignment left: (identifier) @_left right: [(list (call function: (attribute) @mark arguments: (argument_list . (_) @_always)) @skip) (tuple (call function: (attribute) @mark arguments: (argument_list . (_) @_always)) @skip)])])) (#eq? @_left "pytestmark") (#match? @mark "mark\\.skipif$") (#match? @_always "^(condition *= *)?[\"']?(True|1)[\"']?$") (#set! of "suite"))
(class_definition body: (block (expression_statement [(assignment left: (identifier) @_left right: [(attribute) @skip (call function: (attribute) @mark) @skip]) (assignment left: (identifier) @_left right: [(list [(attribute) @skip (call function: (attribute) @mark) @skip]) (tuple [(attribute) @skip (call function: (attribute) @mark) @skip])])])) (#eq? @_left "pytestmark") (#match? @skip "^[a-z.]*mark\\.xfail(\\(|$)") (#set! kind "fails") (#set! of "suite"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @_left right: (identifier) @skip))) (#eq? @_left "pytestmark") (#match? @skip "^[a-z.]*mark\\.skip(if)?\\(") (#set! of "suite"))
(module (expression_statement (assignment left: (identifier) @_left right: (false)) @skip) (#eq? @_left "__test__") (#set! of "file"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @_left right: (false)) @skip)) (#eq? @_left "__test__") (#set! of "suite"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @_left right: (true)) @skip)) (#eq? @_left "__unittest_skip__") (#set! of "suite"))

; Skips: what is said about a test elsewhere by its name.
(expression_statement (assignment left: (attribute object: (identifier) @target attribute: (identifier) @_left) right: (false)) @skip (#eq? @_left "__test__"))
(module (delete_statement (identifier) @target) @skip)
(expression_statement (assignment left: (identifier) @target right: (call function: (call function: (_) @mark) arguments: (argument_list . (identifier) @_same)) @skip) (#match? @mark "(^|\\.)(unittest\\.|mark\\.)?skip$") (#eq? @target @_same))

; Skips: statements. Their condition is that of the branch around them; one in a function that only some tests call is not counted.
((call function: [(identifier) (attribute)] @mark) @skip (#match? @mark "^(.*\\.)?(pytest|pt|py\\.test)\\.(skip|exit)$|(^|\\.)skipTest$|^skip$"))
((raise_statement [(identifier) @mark (attribute) @mark (call function: (_) @mark)]) @skip (#match? @mark "(^|\\.)(SkipTest|skip\\.Exception|Skipped)$"))
((call function: [(identifier) (attribute)] @mark arguments: (argument_list . (_) @condition)) @skip (#match? @mark "(^|\\.)importorskip$"))
((call function: (attribute) @mark) @skip (#match? @mark "(^|\\.)(pytest|pt)\\.xfail$") (#set! kind "fails"))
(call function: (_) @_param arguments: (argument_list (keyword_argument name: (identifier) @_key value: (_) @skip)) @condition (#match? @_param "(^|\\.)param$") (#eq? @_key "marks") (#match? @skip "mark\\.skip"))
(call function: (_) @_param arguments: (argument_list (keyword_argument name: (identifier) @_key value: (_) @skip)) @condition (#match? @_param "(^|\\.)param$") (#eq? @_key "marks") (#match? @skip "mark\\.xfail") (#set! kind "fails"))

((call function: (attribute attribute: (identifier) @_add) arguments: (argument_list . [(identifier) (attribute) (call)] @mark)) @skip (#any-of? @_add "add_marker" "applymarker") (#match? @mark "mark\\.skip(\\(|$)"))
((call function: (attribute attribute: (identifier) @_add) arguments: (argument_list . [(attribute) (call)] @mark)) @skip (#any-of? @_add "add_marker" "applymarker") (#match? @mark "mark\\.xfail(\\(|$)") (#set! kind "fails"))
(module (function_definition name: (identifier) @mark body: (block . (return_statement (call arguments: (argument_list) @_none)) @skip .)) (#eq? @mark "load_tests") (#match? @_none "^\\(\\s*\\)$") (#set! of "file"))

; Skips: a test that ends early by its environment.
(if_statement condition: (_) @condition consequence: (block . (return_statement) .) !alternative (#match? @condition "\\b(os\\.environ|os\\.getenv|getenv|sys\\.platform|platform\\.system)\\b")) @skip

; An assertion behind the call that has to raise is not reached.
(with_statement (with_clause (with_item value: [(call function: (_) @_raises) (as_pattern (call function: (_) @_raises))] @_item)) body: (block (expression_statement) . (assert_statement) @dead) (#match? @_raises "(^|\\.)(raises|assertRaises(Regex)?)$") (#not-match? @_item "AssertionError"))

; Branches.
(if_statement condition: (_) @condition consequence: (block) @branch (#not-match? @condition "^(True|1|not False)$"))
(if_statement condition: (_) @condition alternative: (else_clause body: (block) @branch))
(elif_clause condition: (_) @condition consequence: (block) @branch)
(except_clause value: (_) @condition (block) @branch)
(except_clause . (block) @branch @condition)
(case_clause (case_pattern) @condition consequence: (block) @branch)
(conditional_expression . (_) @branch . (_) @condition)
(boolean_operator left: (_) @condition operator: "and" right: (_) @branch)

; Focus marks of plugins.
(decorator [(attribute) @focus (call function: (attribute) @mark) @focus] (#match? @focus "(^|\\.)mark\\.(only|focus)(\\(|$)"))

; Tables. The parameters of a fixture are the rows of the tests that name it.
(decorated_definition (decorator (call function: (_) @_fixture arguments: (argument_list (keyword_argument name: (identifier) @_key value: [(list) (tuple)] @rows)))) definition: (function_definition name: (identifier) @target) (#match? @_fixture "(^|\\.)fixture$") (#eq? @_key "params") (#set! of "parameter"))
(decorated_definition (decorator (call function: (_) @_fixture arguments: (argument_list (keyword_argument name: (identifier) @_key value: (identifier) @rows)))) definition: (function_definition name: (identifier) @target) (#match? @_fixture "(^|\\.)fixture$") (#eq? @_key "params") (#set! of "parameter") (#set! rows "name"))
(decorator (call function: (_) @_what arguments: (argument_list . (_) . [(list) (tuple)] @rows)) (#match? @_what "(^|\\.)mark\\.parametrize$|^parametrize$"))
(decorator (call function: (_) @_what arguments: (argument_list . (_) . [(identifier) (attribute)] @rows)) (#match? @_what "(^|\\.)mark\\.parametrize$|^parametrize$") (#set! rows "name"))
(decorator (call function: (_) @_what arguments: (argument_list . (_) . [(call) (list_comprehension) (subscript) (generator_expression) (binary_operator) (dictionary) (set)] @rows)) (#match? @_what "(^|\\.)mark\\.parametrize$|^parametrize$") (#set! rows "one"))
(decorator (call function: (_) @_what arguments: (argument_list (keyword_argument name: (identifier) @_key value: [(list) (tuple)] @rows))) (#match? @_what "(^|\\.)mark\\.parametrize$") (#eq? @_key "argvalues"))
(decorator (call function: (_) @_what arguments: (argument_list . [(list) (tuple)] @rows)) (#match? @_what "(^|\\.)(expand|parameterized|subtest_cases)$"))
(decorator (call function: (_) @_what arguments: (argument_list (_) @rows)) (#match? @_what "^(ddt\\.)?(data|named_data)$") (#set! rows "one"))
(decorator (call function: (_) @_what) @rows (#match? @_what "^(hypothesis\\.)?example$") (#set! rows "one"))
(for_statement right: [(list) (tuple)] @rows body: (block (with_statement (with_clause (with_item value: (call function: (attribute attribute: (identifier) @_what)))))) (#any-of? @_what "subTest" "test"))
(assignment left: (identifier) @_table right: [(list) (tuple) (dictionary)] @rows (#match? @_table "^(test_?)?(cases|table|examples|params|vectors|testdata)$"))
(module (expression_statement (assignment left: (identifier) @name right: [(list) (tuple)] @list)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name right: [(list) (tuple)] @list))))

; Assertions: the assert statement. How it asserts is the operator; a call's last name; `assert` for a value.
(assert_statement . [(true) (integer) (string) (tuple) (lambda) (float) (list) (dictionary)] @subject (#set! strength "nothing")) @assert
(assert_statement . (boolean_operator operator: "or" @how [(true) (integer) (string) (tuple)]) @subject (#set! strength "nothing")) @assert
(assert_statement . (not_operator argument: [(false) (none) (tuple)]) @subject (#set! strength "nothing")) @assert
(assert_statement . (comparison_operator . [(true) (false) (none) (integer) (string) (float)] @subject . operators: _ @how . [(true) (false) (none) (integer) (string) (float)] @expected .) (#set! strength "nothing")) @assert
(assert_statement . (comparison_operator . (_) @subject . operators: "==" @how . (call function: (_) @_approx) @expected .) (#match? @_approx "(^|\\.)(approx|anything|any)$|(^|\\.)ANY$") (#set! strength "part")) @assert
(assert_statement . (comparison_operator . (_) @subject . operators: "==" @how . [(identifier) (attribute)] @expected .) (#match? @expected "(^|\\.)ANY$") (#set! strength "nothing")) @assert
(assert_statement . (comparison_operator . (_) @subject . operators: "is" @how . [(true) (false)] @expected .) (#set! strength "exact")) @assert
(assert_statement . (comparison_operator . (call function: (identifier) @_measure arguments: (argument_list . (_) .)) @subject . operators: "==" @how . (_) @expected .) (#eq? @_measure "len") (#set! strength "part")) @assert
(assert_statement . (comparison_operator . (call function: (identifier) @_measure arguments: (argument_list . (_) .)) @subject . operators: [">=" ">" "!="] @how . (integer) @expected .) (#eq? @_measure "len") (#set! strength "something")) @assert
(assert_statement . (comparison_operator . (_) @subject . operators: ["!=" "is not"] @how . (none) @expected .) (#set! strength "something")) @assert
(assert_statement . (comparison_operator . (_) @subject . operators: ["is not" "not in"] @how . (_) @expected .) (#set! strength "part")) @assert
(assert_statement . (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .)) @assert
; a == b == c compares twice
(assert_statement . (comparison_operator . (_) @subject . operators: "==" @how . (_) @expected . operators: "==" . (_) .)) @assert
(assert_statement . (comparison_operator . (_) . operators: "==" . (_) @expected . operators: "==" @how . (_) @subject @assert .))
(assert_statement . (comparison_operator . (_) @subject . operators: _ @how . (_) . operators: _ . (_) @expected .) (#set! strength "part")) @assert
(assert_statement . (parenthesized_expression (comparison_operator . (call function: (identifier) @_measure arguments: (argument_list . (_) .)) @subject . operators: ["==" ">=" ">" "!="] @how . (_) @expected .)) (#eq? @_measure "len") (#set! strength "part")) @assert
(assert_statement . (parenthesized_expression (comparison_operator . (_) @subject . operators: ["!=" "is not" "not in"] @how . (_) @expected .)) (#set! strength "part")) @assert
(assert_statement . (parenthesized_expression (comparison_operator . [(true) (false) (none) (integer) (string) (float)] . operators: _ . [(true) (false) (none) (integer) (string) (float)] @expected .) @subject) (#set! strength "nothing")) @assert
(assert_statement . (parenthesized_expression (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .))) @assert
(assert_statement . (not_operator argument: (_) @subject) (#set! strength "something")) @assert
(assert_statement . (call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list) @expected) @subject (#any-of? @how "isinstance" "issubclass" "callable" "hasattr" "bool" "exists" "is_file" "is_dir" "isfile" "isdir") (#set! strength "something")) @assert
(assert_statement . (call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (_) @expected) @subject (#any-of? @how "all" "any" "startswith" "endswith" "match" "search" "fullmatch" "isclose" "allclose" "issubset" "issuperset" "isdisjoint" "findall") (#set! strength "part")) @assert
(assert_statement . (call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list) @expected) @subject (#any-of? @how "array_equal" "equals" "cmp" "array_equiv") (#set! strength "exact")) @assert
(assert_statement . [(call) (identifier) (attribute) (subscript) (await) (named_expression) (parenthesized_expression) (binary_operator) (conditional_expression) (list_comprehension) (unary_operator)] @subject (#set! strength "something")) @assert
(assert_statement . (boolean_operator operator: "or" @how) @subject (#set! strength "something")) @assert
(assert_statement . (boolean_operator operator: "and" right: (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .) @assert))
(assert_statement . (boolean_operator left: (boolean_operator operator: "and" right: (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .) @assert) operator: "and"))
(assert_statement . (boolean_operator left: (boolean_operator left: (boolean_operator operator: "and" right: (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .) @assert) operator: "and") operator: "and"))
(assert_statement . (boolean_operator left: (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .) @assert operator: "and"))
(assert_statement . (boolean_operator left: (boolean_operator left: (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .) @assert operator: "and") operator: "and"))
(assert_statement . (boolean_operator left: (boolean_operator left: (boolean_operator left: (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .) @assert operator: "and") operator: "and") operator: "and"))
(assert_statement . (boolean_operator operator: "and" right: [(call) (identifier) (attribute) (subscript) (not_operator)] @subject @assert) (#set! strength "something"))
(assert_statement . (boolean_operator left: (boolean_operator operator: "and" right: [(call) (identifier) (attribute) (subscript) (not_operator)] @subject @assert) operator: "and") (#set! strength "something"))
(assert_statement . (boolean_operator left: [(call) (identifier) (attribute) (subscript) (not_operator)] @subject @assert operator: "and") (#set! strength "something"))
(assert_statement . (boolean_operator left: (boolean_operator left: [(call) (identifier) (attribute) (subscript) (not_operator)] @subject @assert operator: "and") operator: "and") (#set! strength "something"))
(assert_statement . (boolean_operator operator: "and" right: (parenthesized_expression (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .) @assert)))
(assert_statement . (boolean_operator left: (parenthesized_expression (comparison_operator . (_) @subject . operators: _ @how . (_) @expected .) @assert) operator: "and"))

; Assertions: calls. The names' strengths are in the table of languages.
(call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list . [(true) (false) (none) (integer) (string) (float)] @subject) (#any-of? @how "assertTrue" "assertFalse" "assertIsNone" "assertIsNotNone" "assert_" "ok_" "failUnless") (#set! strength "nothing")) @assert
(call function: (attribute attribute: (identifier) @how) arguments: (argument_list . [(true) (false) (none) (integer) (string) (float)] @subject . [(true) (false) (none) (integer) (string) (float)] @expected) (#match? @how "^assert(Equals?|Is|NotEqual|In|Less|Greater|AlmostEqual|GreaterEqual|LessEqual)$") (#set! strength "nothing")) @assert
(call function: (attribute attribute: (identifier) @how) arguments: (argument_list . (comparison_operator . (_) @subject . operators: "==" . (_) @expected .)) (#any-of? @how "assertTrue" "assert_" "failUnless") (#set! strength "exact")) @assert
(call function: (attribute attribute: (identifier) @_true) arguments: (argument_list . (comparison_operator . (_) @subject . operators: ["in" "<" ">" "<=" ">=" "!=" "not in"] @how . (_) @expected .)) (#any-of? @_true "assertTrue" "assert_" "failUnless") (#set! strength "part")) @assert
(call function: (attribute attribute: (identifier) @_false) arguments: (argument_list . (comparison_operator . (_) @subject . operators: "in" . (_) @expected .)) (#eq? @_false "assertFalse") (#set! how "not in") (#set! strength "part")) @assert
(call function: (attribute attribute: (identifier) @_false) arguments: (argument_list . (comparison_operator . (_) @subject . operators: "not in" . (_) @expected .)) (#eq? @_false "assertFalse") (#set! how "in") (#set! strength "part")) @assert
(call function: (attribute attribute: (identifier) @how) arguments: (argument_list . (comparison_operator . (_) @subject . operators: ["<" ">" "<=" ">=" "!="] . (_) @expected .)) (#eq? @how "assertFalse") (#set! strength "part")) @assert
(with_statement (with_clause (with_item value: [(call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list . (_) @expected)) @assert (as_pattern (call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list . (_) @expected)) @assert)])) body: (block) @subject
  (#any-of? @how "raises" "assertRaises" "assertRaisesRegex" "assertRaisesRegexp" "assertRaisesMessage" "RaisesGroup") (#match? @expected "^(builtins\\.)?(Exception|BaseException)$|^\\((Base)?Exception,?\\)$") (#set! strength "something"))
(with_statement (with_clause (with_item value: [(call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list . (_) @expected)) @assert (as_pattern (call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list . (_) @expected)) @assert)])) body: (block) @subject
  (#match? @how "^(raises|warns|assertRaises.*|assertWarns.*|assertLogs|assertNoLogs|RaisesGroup|assertNumQueries|assertTemplateUsed|assertTemplateNotUsed)$") (#not-match? @expected "^(builtins\\.)?(Exception|BaseException)$|^\\((Base)?Exception,?\\)$"))
(with_item value: [(call function: (_) @_context arguments: (argument_list (keyword_argument name: (identifier) @how value: (_) @expected) @assert)) (as_pattern (call function: (_) @_context arguments: (argument_list (keyword_argument name: (identifier) @how value: (_) @expected) @assert)))] (#match? @_context "(^|\\.)(raises|warns)$") (#eq? @how "match") (#not-match? @expected "^r?[\"']\\^?(\\.\\*)?\\$?[\"']$"))
(with_item value: [(call function: (attribute attribute: (identifier) @how) arguments: (argument_list . (_) . (_) @expected @assert)) (as_pattern (call function: (attribute attribute: (identifier) @how) arguments: (argument_list . (_) . (_) @expected @assert)))] (#match? @how "^assert(Raises|Warns)(Regexp?|Message)$") (#set! strength "part"))
(with_item value: (call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list) @_empty) @assert (#any-of? @how "deprecated_call" "assertLogs" "assertNoLogs") (#match? @_empty "^\\(\\s*\\)$"))
(call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list . (_) @expected . (_) @subject) (#any-of? @how "assertRaises" "assertRaisesRegex" "assertWarns" "raises" "assertRaisesMessage") (#not-match? @subject "^[a-z_]+ *=[^=]")) @assert
(call function: (attribute object: (_) @subject attribute: (identifier) @how) arguments: (argument_list) @expected (#match? @how "^assert_(called|not_called|any_call|has_calls|awaited|any_await|has_awaits|not_awaited|never)")) @assert
(call function: (attribute object: (call function: (identifier) @_starter arguments: (argument_list . (_) @subject)) attribute: (identifier) @how) arguments: (argument_list) @expected (#any-of? @_starter "expect" "assert_that" "assertThat" "ensure")) @assert
(call function: (attribute object: (attribute object: (call function: (identifier) @_starter arguments: (argument_list . (_) @subject))) attribute: (identifier) @how) arguments: (argument_list) @expected (#any-of? @_starter "expect" "assert_that" "assertThat")) @assert
(call function: (identifier) @how arguments: (argument_list . (_) @subject . (_) @expected) (#any-of? @how "assert_that" "assertThat")) @assert
(call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list . (_) @subject . (_) @expected . (_) @expected) (#match? @how "(?i)^assert_?(almost|not_?almost|allclose|approx|array_almost|in_?delta|within|close)\\w*$")) @assert
(call function: [(identifier) @how (attribute attribute: (identifier) @how)] arguments: (argument_list . (_)? @subject . (_)? @expected) (#match? @how "^(assert[A-Z_].*|assert_|fail(If|Unless).*|eq_|ok_)$") (#not-match? @how "^assert(_(called|not_called|any_call|has_calls|awaited|any_await|has_awaits|not_awaited|never).*|_that|That|_never|_type|Raises.*|Warns.*|Logs|NoLogs)$")) @assert
(if_statement condition: (comparison_operator . (_) @subject . operators: "!=" . (_) @expected .) consequence: (block [(expression_statement (call function: (_) @how) @assert) (raise_statement (call function: (_) @how)) @assert]) (#match? @how "(^|\\.)(pytest\\.fail|self\\.fail|AssertionError)$|^fail$") (#set! strength "exact"))
(if_statement condition: (_) @subject consequence: (block [(expression_statement (call function: (_) @how) @assert) (raise_statement (call function: (_) @how)) @assert]) (#match? @how "(^|\\.)(pytest\\.fail|self\\.fail|AssertionError)$|^fail$") (#not-match? @subject "!=") (#set! strength "part"))
(block [(expression_statement (call function: (_) @how) @assert) (raise_statement (call function: (_) @how)) @assert] (#match? @how "(^|\\.)(pytest\\.fail|self\\.fail|AssertionError)$|^fail$") (#set! strength "part"))

; Calls.
(call function: [(identifier) @call (attribute attribute: (identifier) @call)])
(decorator [(identifier) @call (attribute attribute: (identifier) @call)])

; Code that does not count.
(return_statement) @return
(raise_statement) @return
[(continue_statement) (break_statement)] @return
(expression_statement (call function: (_) @_leave) (#any-of? @_leave "sys.exit" "exit" "quit" "os._exit" "pytest.exit")) @return
(if_statement condition: [(false) (none)] consequence: (block) @dead) @mark
((if_statement condition: (integer) @_zero consequence: (block) @dead) @mark (#eq? @_zero "0"))
(if_statement condition: (not_operator argument: (true)) consequence: (block) @dead) @mark
(if_statement condition: (boolean_operator operator: "and" [(false) (none)]) consequence: (block) @dead) @mark
(if_statement condition: (true) alternative: (else_clause body: (block) @dead)) @mark
(while_statement condition: (false) body: (block) @dead) @mark
((while_statement condition: (integer) @_zero body: (block) @dead) @mark (#eq? @_zero "0"))
((for_statement right: [(list) (tuple)] @_empty body: (block) @dead) @mark (#match? @_empty "^[\\[(]\\s*[\\])]$"))
((for_statement right: (call) @_empty body: (block) @dead) @mark (#match? @_empty "^range\\(0\\)$"))
(lambda) @dead

; Assertions whose failure is discarded.
(try_statement body: (block) @swallow (except_clause . (block) @handler))
(try_statement body: (block) @swallow (except_clause value: [(identifier) @_error (attribute) @_error (as_pattern . (_) @_error) (tuple [(identifier) (attribute)] @_error)] (block) @handler) (#match? @_error "^(builtins\\.)?(Exception|BaseException|AssertionError)$"))
(with_statement (with_clause (with_item value: (call function: (_) @_context arguments: (argument_list (_) @_error)))) body: (block) @swallow (#match? @_context "(^|\\.)suppress$") (#any-of? @_error "Exception" "BaseException" "AssertionError"))
(raise_statement) @throw
((call function: [(identifier) @_last (attribute attribute: (identifier) @_last)]) @throw (#any-of? @_last "exit" "_exit" "fail" "skip" "skipTest" "xfail" "append" "put" "set_exception" "reraise"))

; Comments, and marks for type checkers in code.
(comment) @comment
(decorated_definition (decorator [(identifier) (attribute)] @mark) (#match? @mark "^(typing\\.|t\\.|typing_extensions\\.)?no_type_check$") (#set! linter "mypy") (#set! reach "definition")) @suppress

; Debugging aids.
(call function: (identifier) @what (#any-of? @what "breakpoint" "set_trace" "ic")) @debug
(call function: (attribute) @what (#match? @what "^(i?pdb|pudb|rpdb|web_pdb|wdb|rdb|bdb|epdb|remote_pdb|celery\\.contrib\\.rdb|pu\\.db)\\.(set_trace|Rpdb|post_mortem|pm|run|break_here)$|^(debugpy|ptvsd|pydevd|pydevd_pycharm)\\.(breakpoint|listen|wait_for_client|wait_for_attach|settrace|break_into_debugger|enable_attach)$|^IPython\\.(embed|start_ipython)$|^code\\.interact$|^pytest\\.set_trace$|^sys\\.breakpointhook$")) @debug
(call function: (attribute object: (call function: (identifier) @_import arguments: (argument_list . (string) @_module))) @what (#eq? @_import "__import__") (#match? @_module "^[\"'](i?pdb|pudb|code)[\"']$")) @debug
(import_statement name: (dotted_name) @what (#any-of? @what "pdb" "ipdb" "pudb" "rpdb" "web_pdb" "icecream" "pysnooper")) @debug
(import_from_statement module_name: (dotted_name) @what (#any-of? @what "pdb" "ipdb" "pudb" "icecream" "pysnooper")) @debug
(decorator (call function: (_) @what) (#any-of? @what "pysnooper.snoop" "snoop")) @debug
