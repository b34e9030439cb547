; Rust: #[test] and the attributes of test crates, rstest, test-case, proptest, insta, googletest.
; The calls of the macros that take expressions (assert!, assert_eq!) are parsed as calls of functions: see the table of languages.

; Tests: functions with an attribute that makes them a test; its attributes belong to it.
((attribute_item (attribute [(identifier) @_attribute (scoped_identifier name: (identifier) @_attribute)])) @test . (attribute_item)* @test . (function_item name: (identifier) @name body: (block) @body) @test
  (#match? @_attribute "^(test|[a-z_]+_test|test_case|test_matrix|rstest|quickcheck|proptest|parameterized|gtest)$"))
((attribute_item)+ @test . (attribute_item (attribute [(identifier) @_attribute (scoped_identifier name: (identifier) @_attribute)])) @test . (attribute_item)* @test . (function_item name: (identifier) @name body: (block) @body) @test
  (#match? @_attribute "^(test|[a-z_]+_test|test_case|test_matrix|rstest|quickcheck|proptest|parameterized|gtest)$"))
((attribute_item (attribute (identifier) @_attribute arguments: (token_tree) @_arguments)) @test . (attribute_item)* @test . (function_item name: (identifier) @name body: (block) @body) @test
  (#eq? @_attribute "cfg_attr") (#match? @_arguments ", *([a-z_]+::)*test *\\)$"))
([(source_file (macro_invocation macro: (identifier) @_macro (token_tree . (identifier) @name . ["," ":" "=>"]) @body) @test) (source_file (expression_statement (macro_invocation macro: (identifier) @_macro (token_tree . (identifier) @name . ["," ":" "=>"]) @body) @test)) (declaration_list (macro_invocation macro: (identifier) @_macro (token_tree . (identifier) @name . ["," ":" "=>"]) @body) @test)] (#match? @_macro "^([a-z]*test|test_[a-z]+|[a-z_]+_test)$"))

; Suites: modules. Tests in the token trees of macros are parsed again.
(mod_item name: (identifier) @name body: (declaration_list) @body) @suite
((attribute_item)+ @suite . (mod_item name: (identifier) @name body: (declaration_list) @body) @suite)
((macro_invocation (token_tree) @inner) (#match? @inner "#\\[([a-z_]+::)*([a-z_]+_)?test") (#set! language "rust"))

; Everything else that can hold assertions.
(function_item name: (identifier) @name body: (block) @body) @function

; Names.
[(function_item name: (identifier) @define) (function_signature_item name: (identifier) @define) (macro_definition name: (identifier) @define) (const_item name: (identifier) @define) (static_item name: (identifier) @define) (struct_item name: (type_identifier) @define) (enum_item name: (type_identifier) @define) (union_item name: (type_identifier) @define) (trait_item name: (type_identifier) @define) (type_item name: (type_identifier) @define) (associated_type name: (type_identifier) @define) (enum_variant name: (identifier) @define)]

; Skips.
(attribute_item (attribute (identifier) @_ignore) (#eq? @_ignore "ignore")) @skip
(attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @condition) (#eq? @_cfg "cfg_attr") (#match? @condition ",\\s*ignore\\b") (#not-match? @condition "^\\(\\s*(all\\(\\)|TRUE|true|test|any\\(\\)|not\\(any\\(\\)\\))\\s*,")) @skip
(attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @_always) (#eq? @_cfg "cfg_attr") (#match? @_always "^\\(\\s*(all\\(\\)|TRUE|true|test|not\\(any\\(\\)\\))\\s*,\\s*ignore\\b")) @skip
((attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @_always)) @skip . (attribute_item)* . (attribute_item (attribute [(identifier) @_attribute (scoped_identifier name: (identifier) @_attribute)])) . (attribute_item)* . (function_item)
  (#eq? @_cfg "cfg") (#match? @_always "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))") (#match? @_attribute "^(test|[a-z_]+_test|test_case|test_matrix|rstest|quickcheck|proptest|parameterized|gtest)$"))
((attribute_item (attribute [(identifier) @_attribute (scoped_identifier name: (identifier) @_attribute)])) . (attribute_item)* . (attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @_always)) @skip . (attribute_item)* . (function_item)
  (#eq? @_cfg "cfg") (#match? @_always "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))") (#match? @_attribute "^(test|[a-z_]+_test|test_case|test_matrix|rstest|quickcheck|proptest|parameterized|gtest)$"))
((attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @_always)) @skip . (attribute_item)* . (mod_item body: (declaration_list))
  (#eq? @_cfg "cfg") (#match? @_always "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))"))
(source_file (inner_attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @_always)) @skip (#eq? @_cfg "cfg") (#match? @_always "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))") (#set! of "file"))
(mod_item body: (declaration_list (inner_attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @_always)) @skip) (#eq? @_cfg "cfg") (#match? @_always "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))") (#set! of "suite"))
((attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @condition)) @skip . (attribute_item)* . (attribute_item (attribute [(identifier) @_attribute (scoped_identifier name: (identifier) @_attribute)])) . (attribute_item)* . (function_item)
  (#eq? @_cfg "cfg") (#not-match? @condition "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))") (#not-match? @condition "^\\(\\s*(test|any\\(test\\)|all\\(test\\)|all\\(\\)|TRUE|true)\\s*,?\\s*\\)$") (#match? @_attribute "^(test|[a-z_]+_test|test_case|test_matrix|rstest|quickcheck|proptest|parameterized|gtest)$"))
((attribute_item (attribute [(identifier) @_attribute (scoped_identifier name: (identifier) @_attribute)])) . (attribute_item)* . (attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @condition)) @skip . (attribute_item)* . (function_item)
  (#eq? @_cfg "cfg") (#not-match? @condition "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))") (#not-match? @condition "^\\(\\s*(test|any\\(test\\)|all\\(test\\)|all\\(\\)|TRUE|true)\\s*,?\\s*\\)$") (#match? @_attribute "^(test|[a-z_]+_test|test_case|test_matrix|rstest|quickcheck|proptest|parameterized|gtest)$"))
((attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @condition)) @skip . (attribute_item)* . (mod_item body: (declaration_list))
  (#eq? @_cfg "cfg") (#not-match? @condition "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))") (#not-match? @condition "^\\(\\s*(test|any\\(test\\)|all\\(test\\)|all\\(\\)|TRUE|true)\\s*,?\\s*\\)$"))
(source_file (inner_attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @condition)) @skip (#eq? @_cfg "cfg") (#not-match? @condition "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))") (#not-match? @condition "^\\(\\s*(test|any\\(test\\)|all\\(test\\)|all\\(\\)|TRUE|true)\\s*,?\\s*\\)$") (#set! of "file"))
(mod_item body: (declaration_list (inner_attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @condition)) @skip) (#eq? @_cfg "cfg") (#not-match? @condition "^\\(\\s*((any\\(\\))|FALSE|false|not\\(all\\(\\)\\)|not\\(test\\))") (#not-match? @condition "^\\(\\s*(test|any\\(test\\)|all\\(test\\)|all\\(\\)|TRUE|true)\\s*,?\\s*\\)$") (#set! of "suite"))
(attribute_item (attribute [(identifier) @_row (scoped_identifier) @_row] arguments: (token_tree) @condition) (#match? @_row "(^|::)(test_case|case)$") (#match? @condition "=> *(ignore|inconclusive)\\b")) @skip
(attribute_item (attribute (scoped_identifier path: (identifier) @_crate) arguments: (token_tree) @condition) (#eq? @_crate "test_with")) @skip
(attribute_item (attribute (identifier) @how value: (string_literal) @expected) (#eq? @how "should_panic") (#set! strength "part")) @assert
(attribute_item (attribute (identifier) @how arguments: (token_tree) @expected) (#eq? @how "should_panic") (#set! strength "part")) @assert
(attribute_item (attribute (identifier) @how) (#eq? @how "should_panic") (#set! strength "something")) @assert

; Tables.
(attribute_item (attribute [(identifier) @_row (scoped_identifier path: (identifier) @_row)] arguments: (token_tree)) (#any-of? @_row "case" "test_case" "values" "files" "test_matrix" "parameterized") (#set! rows "one")) @rows
(for_expression value: [(array_expression) @rows (reference_expression value: (array_expression) @rows) (call_expression function: (field_expression value: (array_expression) @rows))])
(let_declaration pattern: (identifier) @_table value: [(array_expression) @rows (reference_expression value: (array_expression) @rows)] (#match? @_table "^(tests?|cases|.*_(tests|cases)|table|examples|scenarios|vectors|params)$"))

; Skips: an assumption that never holds.
(macro_invocation macro: (identifier) @_assume (token_tree) @_never (#eq? @_assume "prop_assume") (#match? @_never "^\\(\\s*false\\b")) @skip

; Skips: a test that ends early by its environment.
(if_expression condition: (_) @condition consequence: (block . (expression_statement (return_expression)) .) !alternative (#match? @condition "\\benv::var(_os)?\\(|\\boption_env!|\\bcfg!\\(")) @skip

; Assertions: assert! over an expression.
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . [(boolean_literal) (integer_literal) (string_literal) (float_literal) (char_literal) (unit_expression)] @subject) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "nothing")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (unary_expression (boolean_literal)) @subject) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "nothing")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (binary_expression operator: "||" right: (boolean_literal)) @subject) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "nothing")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (binary_expression left: (boolean_literal) operator: "||") @subject) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "nothing")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (binary_expression left: [(boolean_literal) (integer_literal) (string_literal) (float_literal) (char_literal) (unit_expression)] @subject right: [(boolean_literal) (integer_literal) (string_literal) (float_literal) (char_literal) (unit_expression)] @expected)) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "nothing")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (binary_expression left: (call_expression function: (field_expression field: (field_identifier) @_measure) arguments: (arguments)) @subject operator: "==" right: (_) @expected)) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#any-of? @_measure "len" "count") (#set! strength "part")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (binary_expression left: (_) @subject operator: "==" right: (_) @expected)) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "exact")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (binary_expression left: (_) @subject operator: ["!=" "<" ">" "<=" ">="] right: (_) @expected)) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "part")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (binary_expression operator: "&&") @subject) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "part")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (binary_expression operator: "||") @subject) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "something")) @assert
(call_expression function: [(identifier) @_macro (scoped_identifier name: (identifier) @_macro)] arguments: (arguments . (binary_expression operator: "&&" right: (binary_expression left: (_) @subject operator: ["==" "!=" "<" ">" "<=" ">="] @how right: (_) @expected) @assert)) (#match? @_macro "^(debug_|prop_)?assert$"))
(call_expression function: [(identifier) @_macro (scoped_identifier name: (identifier) @_macro)] arguments: (arguments . (binary_expression left: (binary_expression left: (_) @subject operator: ["==" "!=" "<" ">" "<=" ">="] @how right: (_) @expected) @assert operator: "&&")) (#match? @_macro "^(debug_|prop_)?assert$"))
(call_expression function: [(identifier) @_macro (scoped_identifier name: (identifier) @_macro)] arguments: (arguments . (binary_expression left: (binary_expression left: (binary_expression left: (_) @subject operator: ["==" "!=" "<" ">" "<=" ">="] @how right: (_) @expected) @assert operator: "&&") operator: "&&")) (#match? @_macro "^(debug_|prop_)?assert$"))
(call_expression function: [(identifier) @_macro (scoped_identifier name: (identifier) @_macro)] arguments: (arguments . (binary_expression left: (binary_expression operator: "&&" right: (binary_expression left: (_) @subject operator: ["==" "!=" "<" ">" "<=" ">="] @how right: (_) @expected) @assert) operator: "&&")) (#match? @_macro "^(debug_|prop_)?assert$"))
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (call_expression function: (field_expression value: (_) @subject field: (field_identifier) @_part) arguments: (arguments . (_) @expected))) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#any-of? @_part "eq" "cmp_eq" "approx_eq") (#set! strength "exact")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (call_expression function: (field_expression value: (_) @subject field: (field_identifier) @_part) arguments: (arguments . (_) @expected))) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#not-any-of? @_part "eq" "cmp_eq" "approx_eq") (#set! strength "part")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (macro_invocation macro: (identifier) @_matches (token_tree) @subject)) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#eq? @_matches "matches") (#match? @subject ", *(Ok|Err|Some)\\((_|\\.\\.)\\) *,?\\)$|, *_ *\\)$") (#set! strength "something")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (macro_invocation macro: (identifier) @_matches (token_tree) @subject)) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#eq? @_matches "matches") (#set! strength "exact")) @assert
(call_expression function: [(identifier) @_macro (scoped_identifier name: (identifier) @_macro)] arguments: (arguments . (call_expression function: (field_expression value: (_) @subject field: (field_identifier) @how) arguments: (arguments) @_none)) (#match? @_macro "^(debug_|prop_)?assert$|^assert_true$") (#any-of? @how "is_ok" "is_err" "is_some" "is_none") (#eq? @_none "()") (#set! strength "something")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (_) @subject) (#match? @how "^(debug_|prop_)?assert$|^assert_true$") (#set! strength "something")) @assert

; Assertions: macros of two values, of one value, and of patterns. Their strengths are in the table of languages.
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . [(boolean_literal) (integer_literal) (string_literal) (float_literal) (char_literal) (unit_expression)] @subject . [(boolean_literal) (integer_literal) (string_literal) (float_literal) (char_literal) (unit_expression)] @expected) (#match? @how "^((debug_|prop_)?assert_(eq|ne)|assert_(equal|str_eq|not_equal|eq_.*|approx_eq.*|relative_eq|relative_ne|ulps_eq|abs_diff_eq|float_.*|lt|le|gt|ge|greater_than.*|less(er)?_than.*|ok_eq|some_eq|err_eq|contains|starts_with|in_delta.*)|assert_that|expect_that|expect_eq|expect_ne|expect_(lt|le|gt|ge|near|float_eq)|verify_(that|eq|ne))$") (#set! strength "nothing")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (call_expression function: (field_expression field: (field_identifier) @_measure) arguments: (arguments)) @subject . (_) @expected) (#any-of? @how "assert_eq" "prop_assert_eq") (#any-of? @_measure "len" "count") (#set! strength "part")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . [(boolean_literal) (integer_literal) (string_literal) (float_literal) (char_literal) (unit_expression)] @expected . (_) @subject) (#any-of? @how "assert_eq" "assert_ne" "prop_assert_eq")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (_) @subject . (_)? @expected) (#match? @how "^((debug_|prop_)?assert_(eq|ne)|assert_(equal|str_eq|not_equal|eq_.*|approx_eq.*|relative_eq|relative_ne|ulps_eq|abs_diff_eq|float_.*|lt|le|gt|ge|greater_than.*|less(er)?_than.*|ok_eq|some_eq|err_eq|contains|starts_with|in_delta.*)|assert_that|expect_that|expect_eq|expect_ne|expect_(lt|le|gt|ge|near|float_eq)|verify_(that|eq|ne))$")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (_) @subject) (#match? @how "^assert_(ok|err|some|none|pending|ready.*|is_.*|empty|not_empty|success|error|panics?)$|^(expect|verify)_(true|false|pred)$")) @assert
(macro_invocation macro: [(identifier) @how (scoped_identifier name: (identifier) @how)] (token_tree) @subject (#match? @how "^(debug_|prop_)?assert(_matches)?$") (#match? @subject ", *(Ok|Err|Some)\\((_|\\.\\.)\\) *,?\\)$|, *_ *\\)$") (#set! strength "something")) @assert
(macro_invocation macro: [(identifier) @how (scoped_identifier name: (identifier) @how)] (token_tree) @subject (#match? @how "^(debug_|prop_)?assert(_.*)?$|^(expect|verify)_[a-z_]+$")) @assert
(call_expression function: (field_expression value: (_) @subject field: (field_identifier) @how) arguments: (arguments . (_)? @expected) (#match? @how "^assert(_.*)?$")) @assert
(call_expression function: (field_expression value: (_) @subject field: (field_identifier) @how) arguments: (arguments . (_)? @expected) (#any-of? @how "compile_fail" "pass_with")) @assert
(call_expression function: (field_expression value: (call_expression function: (field_expression field: (field_identifier) @_assert_call))  field: (field_identifier) @how) arguments: (arguments . (_)? @expected) (#eq? @_assert_call "assert") (#any-of? @how "success" "failure" "code" "stdout" "stderr" "interrupted")) @assert
(call_expression function: (field_expression value: (call_expression function: (field_expression value: (call_expression function: (field_expression field: (field_identifier) @_assert_call))) arguments: (_)) field: (field_identifier) @how) arguments: (arguments . (_)? @expected) (#eq? @_assert_call "assert") (#any-of? @how "success" "failure" "code" "stdout" "stderr")) @assert
(call_expression function: [(identifier) @how (scoped_identifier name: (identifier) @how)] arguments: (arguments . (_) @subject . (_)? @expected) (#match? @how "^assert(_[a-z_]+)?$")) @assert
(match_expression value: (_) @subject body: (match_block (match_arm value: (macro_invocation macro: (identifier) @how) @assert)) (#any-of? @how "panic" "unreachable") (#set! strength "part"))
(match_expression value: (_) @subject body: (match_block (match_arm value: (block (expression_statement (macro_invocation macro: (identifier) @how) @assert)))) (#any-of? @how "panic" "unreachable") (#set! strength "part"))
(let_declaration pattern: (_) @expected value: (_) @subject alternative: (block [(expression_statement (macro_invocation macro: (identifier) @how) @assert) (macro_invocation macro: (identifier) @how) @assert]) (#any-of? @how "panic" "unreachable") (#set! strength "part"))
(if_expression condition: (_) @subject consequence: (block . (expression_statement (macro_invocation macro: (identifier) @how) @assert)) (#eq? @how "panic") (#set! strength "part"))

; Calls.
(call_expression function: [(identifier) @call (scoped_identifier name: (identifier) @call) (field_expression field: (field_identifier) @call) (generic_function function: [(identifier) @call (scoped_identifier name: (identifier) @call) (field_expression field: (field_identifier) @call)])])
(struct_expression name: [(type_identifier) @call (scoped_type_identifier name: (type_identifier) @call)])
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (identifier) @call)])

; Code that does not count.
(expression_statement [(return_expression) (break_expression) (continue_expression)]) @return
(expression_statement (if_expression condition: (boolean_literal) @_always consequence: (block . (expression_statement (return_expression)))) (#eq? @_always "true")) @return
(expression_statement (call_expression function: (scoped_identifier) @_leave) (#match? @_leave "(^|::)process::(exit|abort)$")) @return
(if_expression condition: (boolean_literal) @_false consequence: (block) @dead (#eq? @_false "false"))
(if_expression condition: (unary_expression (boolean_literal) @_true) consequence: (block) @dead (#eq? @_true "true"))
(if_expression condition: (binary_expression operator: "&&" right: (boolean_literal) @_false) consequence: (block) @dead (#eq? @_false "false"))
(if_expression condition: (binary_expression left: (boolean_literal) @_false operator: "&&") consequence: (block) @dead (#eq? @_false "false"))
(if_expression condition: (macro_invocation macro: (identifier) @_cfg (token_tree) @_never) consequence: (block) @dead (#eq? @_cfg "cfg") (#match? @_never "^\\((any\\(\\)|FALSE|not\\(test\\))\\)$"))
(if_expression condition: (boolean_literal) @_true alternative: (else_clause (block) @dead) (#eq? @_true "true"))
(while_expression condition: (boolean_literal) @_false body: (block) @dead (#eq? @_false "false"))
(let_declaration pattern: ["_" (identifier)] @_blank value: [(closure_expression) (async_block)] @dead (#match? @_blank "^_"))
((attribute_item (attribute (identifier) @_cfg arguments: (token_tree) @_never)) . [(expression_statement) (block) (let_declaration)] @dead (#eq? @_cfg "cfg") (#match? @_never "^\\(\\s*(any\\(\\)|FALSE|false|not\\(test\\))"))

; Assertions whose failure is discarded.
(let_declaration pattern: ["_" (identifier)] @_blank value: (call_expression function: [(identifier) @_catch (scoped_identifier name: (identifier) @_catch)] arguments: (arguments [(closure_expression body: (_) @swallow) (call_expression arguments: (arguments (closure_expression body: (_) @swallow)))])) (#match? @_blank "^_") (#eq? @_catch "catch_unwind"))
(expression_statement (call_expression function: (field_expression value: (call_expression function: [(identifier) @_catch (scoped_identifier name: (identifier) @_catch)] arguments: (arguments [(closure_expression body: (_) @swallow) (call_expression arguments: (arguments (closure_expression body: (_) @swallow)))])) field: (field_identifier) @_ok) ) (#eq? @_catch "catch_unwind") (#eq? @_ok "ok"))
(let_declaration pattern: ["_" (identifier)] @_blank value: (call_expression function: (field_expression value: (call_expression function: (scoped_identifier) @_spawn arguments: (arguments (closure_expression body: (_) @swallow))) field: (field_identifier) @_join)) (#match? @_blank "^_") (#match? @_spawn "thread::spawn$") (#eq? @_join "join"))

; Suppressed lint. Rules with a tool are clippy's (or rustdoc's), rules without one the compiler's.
((attribute_item (attribute (identifier) @_level arguments: (token_tree (identifier) @_tool . "::" . (identifier) @rule))) @suppress (#any-of? @_level "allow" "expect") (#any-of? @_tool "clippy" "rustdoc") (#set! linter "clippy") (#set! reach "definition"))
((attribute_item (attribute (identifier) @_cfg arguments: (token_tree (identifier) @_level . (token_tree (identifier) @_tool . "::" . (identifier) @rule)))) @suppress (#eq? @_cfg "cfg_attr") (#any-of? @_level "allow" "expect") (#any-of? @_tool "clippy" "rustdoc") (#set! linter "clippy") (#set! reach "definition"))
((attribute_item (attribute (identifier) @_level arguments: (token_tree ["(" ","] . (identifier) @rule . [")" ","]))) @suppress (#any-of? @_level "allow" "expect") (#set! linter "rustc") (#set! reach "definition"))
((attribute_item (attribute (identifier) @_cfg arguments: (token_tree (identifier) @_level . (token_tree ["(" ","] . (identifier) @rule . [")" ","])))) @suppress (#eq? @_cfg "cfg_attr") (#any-of? @_level "allow" "expect") (#set! linter "rustc") (#set! reach "definition"))
(source_file (inner_attribute_item (attribute (identifier) @_level arguments: (token_tree (identifier) @_tool . "::" . (identifier) @rule))) @suppress (#any-of? @_level "allow" "expect") (#any-of? @_tool "clippy" "rustdoc") (#set! linter "clippy") (#set! reach "file"))
(source_file (inner_attribute_item (attribute (identifier) @_cfg arguments: (token_tree (identifier) @_level . (token_tree (identifier) @_tool . "::" . (identifier) @rule)))) @suppress (#eq? @_cfg "cfg_attr") (#any-of? @_level "allow" "expect") (#any-of? @_tool "clippy" "rustdoc") (#set! linter "clippy") (#set! reach "file"))
([(mod_item body: (declaration_list (inner_attribute_item (attribute (identifier) @_level arguments: (token_tree (identifier) @_tool . "::" . (identifier) @rule))) @suppress)) (function_item body: (block (inner_attribute_item (attribute (identifier) @_level arguments: (token_tree (identifier) @_tool . "::" . (identifier) @rule))) @suppress)) (impl_item body: (declaration_list (inner_attribute_item (attribute (identifier) @_level arguments: (token_tree (identifier) @_tool . "::" . (identifier) @rule))) @suppress))] (#any-of? @_level "allow" "expect") (#any-of? @_tool "clippy" "rustdoc") (#set! linter "clippy") (#set! reach "definition"))
(source_file (inner_attribute_item (attribute (identifier) @_level arguments: (token_tree ["(" ","] . (identifier) @rule . [")" ","]))) @suppress (#any-of? @_level "allow" "expect") (#set! linter "rustc") (#set! reach "file"))
(source_file (inner_attribute_item (attribute (identifier) @_cfg arguments: (token_tree (identifier) @_level . (token_tree ["(" ","] . (identifier) @rule . [")" ","])))) @suppress (#eq? @_cfg "cfg_attr") (#any-of? @_level "allow" "expect") (#set! linter "rustc") (#set! reach "file"))
([(mod_item body: (declaration_list (inner_attribute_item (attribute (identifier) @_level arguments: (token_tree ["(" ","] . (identifier) @rule . [")" ","]))) @suppress)) (function_item body: (block (inner_attribute_item (attribute (identifier) @_level arguments: (token_tree ["(" ","] . (identifier) @rule . [")" ","]))) @suppress)) (impl_item body: (declaration_list (inner_attribute_item (attribute (identifier) @_level arguments: (token_tree ["(" ","] . (identifier) @rule . [")" ","]))) @suppress))] (#any-of? @_level "allow" "expect") (#set! linter "rustc") (#set! reach "definition"))
((attribute_item (attribute [(identifier) (scoped_identifier)] @_off arguments: (token_tree)? @_arguments)) @suppress (#match? @_off "^(no_coverage|tarpaulin::skip|mutants::skip)$") (#set! linter "coverage") (#set! reach "definition"))
((attribute_item (attribute (identifier) @_coverage arguments: (token_tree) @_arguments)) @suppress (#any-of? @_coverage "coverage" "cfg_attr" "cfg") (#match? @_arguments "^\\(off\\)$|coverage\\(off\\)|no_coverage|mutants::skip|not\\(tarpaulin") (#set! linter "coverage") (#set! reach "definition"))

; Comments.
[(line_comment) (block_comment)] @comment

; Debugging aids.
((macro_invocation macro: [(identifier) @what (scoped_identifier name: (identifier) @what)]) @debug (#any-of? @what "dbg" "todo"))
