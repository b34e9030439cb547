; Bash: bats (its @test lines are parsed as functions), bats-assert, shunit2.

; --- tests: the parenthesis behind the name of a bats test stands in place of its closing quote
(function_definition name: (word) @name "(" @_q body: (compound_statement) @body (#match? @_q "^[\"']$")) @test
(function_definition name: (word) @name body: (compound_statement) @body (#match? @name "^test(_\\w+|[A-Z]\\w*)$")) @test

; --- functions, names, calls
(function_definition name: (word) @name body: (_) @body (#match? @name "^(setup|teardown|setup_file|teardown_file|setup_suite|teardown_suite|setUp|tearDown|oneTimeSetUp|oneTimeTearDown)$") (#set! kind "hook")) @function
(function_definition name: (word) @name body: (_) @body) @function
(function_definition name: (word) @define)
(command name: (command_name) @call)
(command name: (command_name) @_r . argument: (word) @call (#match? @_r "^(run|bats_pipe|assert|refute)$") (#not-match? @call "^[-!]"))
(command name: (command_name) @_r . argument: (_) @_flag . argument: (word) @call (#eq? @_r "run") (#match? @_flag "^[-!]") (#not-match? @call "^[-!]"))

; --- what keeps tests from running
(command name: (command_name) @skip (#match? @skip "^(skip|startSkipping)$"))
((comment) @mark . (function_definition) @focus (#match? @mark "bats test_tags=\\S*bats:focus"))
((comment) @focus (#match? @focus "bats file_tags=\\S*bats:focus") (#set! of "file"))

; a test that ends early by a variable of the environment
(list . (test_command) @condition . ["||" "&&"] . (command name: (command_name) @_leave) (#match? @_leave "^(return|exit)$") (#match? @condition "\\$\\{?[A-Z][A-Z_]{2,}")) @skip
(if_statement condition: (test_command) @condition . (command name: (command_name) @_leave) (#match? @_leave "^(return|exit)$") (#match? @condition "\\$\\{?[A-Z][A-Z_]{2,}")) @skip

; --- assertions: constants first
(compound_statement (test_command (binary_expression left: (_) @_l right: (_) @_r) @subject) @assert (#eq? @_l @_r) (#set! strength "nothing") (#set! how "["))
(compound_statement (test_command (binary_expression left: [(number) (word) (raw_string)] right: [(number) (word) (raw_string)]) @subject) @assert (#set! strength "nothing") (#set! how "["))
(compound_statement (test_command [(word) (number)] @subject) @assert (#set! strength "nothing") (#set! how "["))
(compound_statement (command name: (command_name) @how) @assert (#match? @how "^(true|:)$") (#set! strength "nothing"))
(compound_statement (command name: (command_name) @how argument: (_) @subject .) @assert (#eq? @how "assert") (#any-of? @subject "true" ":") (#set! strength "nothing"))
; [ "$status" -eq 0 ], [[ "$output" == *text* ]]
([(compound_statement (test_command (binary_expression left: (_) @subject operator: (test_operator) @how right: (_) @expected)) @assert) (list (test_command (binary_expression left: (_) @subject operator: (test_operator) @how right: (_) @expected)) @assert)] (#match? @how "^-(eq|ef)$") (#set! strength "exact"))
([(compound_statement (test_command (binary_expression left: (_) @subject operator: (test_operator) @how right: (_) @expected)) @assert) (list (test_command (binary_expression left: (_) @subject operator: (test_operator) @how right: (_) @expected)) @assert)] (#set! strength "part"))
([(compound_statement (test_command (binary_expression left: (_) @subject operator: ["=" "=="] @how right: [(extglob_pattern) (regex)] @expected)) @assert) (list (test_command (binary_expression left: (_) @subject operator: ["=" "=="] @how right: [(extglob_pattern) (regex)] @expected)) @assert)] (#match? @expected "[*?\\[]") (#set! strength "part"))
([(compound_statement (test_command (binary_expression left: (_) @subject operator: ["=" "=="] @how right: (concatenation) @expected)) @assert) (list (test_command (binary_expression left: (_) @subject operator: ["=" "=="] @how right: (concatenation) @expected)) @assert)] (#match? @expected "^\\*|\\*$") (#set! strength "part"))
([(compound_statement (test_command (binary_expression left: (_) @subject operator: ["=" "=="] @how right: (_) @expected)) @assert) (list (test_command (binary_expression left: (_) @subject operator: ["=" "=="] @how right: (_) @expected)) @assert)] (#set! strength "exact"))
([(compound_statement (test_command (binary_expression left: (_) @subject operator: ["=~" "<" ">" "<=" ">="] @how right: (_) @expected)) @assert) (list (test_command (binary_expression left: (_) @subject operator: ["=~" "<" ">"] @how right: (_) @expected)) @assert)] (#set! strength "part"))
([(compound_statement (test_command (binary_expression left: (_) @subject operator: "!=" @how right: (_) @expected)) @assert) (list (test_command (binary_expression left: (_) @subject operator: "!=" @how right: (_) @expected)) @assert)] (#set! strength "something"))
([(compound_statement (test_command (unary_expression) @subject) @assert) (list (test_command (unary_expression) @subject) @assert)] (#match? @subject "^-z|^! -e") (#set! how "[") (#set! strength "exact"))
([(compound_statement (test_command (unary_expression) @subject) @assert) (list (test_command (unary_expression) @subject) @assert)] (#set! how "[") (#set! strength "something"))
(compound_statement (test_command) @assert (#set! how "[") (#set! strength "something"))
(compound_statement (negated_command (command name: (command_name) @how argument: (_)? @subject)) @assert (#set! strength "part"))
(command name: (command_name) @how argument: (_) @expected (#match? @how "^(grep|egrep|fgrep|cmp|diff)$") (#set! strength "part")) @assert
; if [ "$status" -ne 0 ]; then return 1; fi
(if_statement condition: (test_command (binary_expression left: (_) @subject operator: "!=" right: (_) @expected)) (command name: (command_name) @_leave argument: (_) @_status) (#any-of? @_leave "return" "exit") (#not-match? @_status "^0$") (#set! how "=") (#set! strength "exact")) @assert
(if_statement condition: (test_command (binary_expression left: (_) @subject operator: (test_operator) @_ne right: (_) @expected)) (command name: (command_name) @_leave argument: (_) @_status) (#any-of? @_leave "return" "exit") (#not-match? @_status "^0$") (#eq? @_ne "-ne") (#set! how "-eq") (#set! strength "exact")) @assert
(if_statement condition: [(test_command) (negated_command)] @subject (command name: (command_name) @how argument: (_) @_status) (#any-of? @how "return" "exit") (#not-match? @_status "^0$") (#set! strength "part")) @assert
; test "$output" = "text"
(command name: (command_name) @_test . argument: (_) @subject . argument: (word) @how . argument: (_) @expected . (#eq? @_test "test") (#any-of? @how "=" "==" "-eq") (#set! strength "exact")) @assert
(command name: (command_name) @_test . argument: (_) @subject . argument: (word) @how . argument: (_) @expected . (#eq? @_test "test") (#match? @how "^(!=|-(ne|gt|ge|lt|le))$") (#set! strength "part")) @assert
; run -1 command
(command name: (command_name) @how . argument: (_) @expected (#eq? @how "run") (#match? @expected "^-\\d+$") (#set! subject "$status") (#set! strength "exact")) @assert
(command name: (command_name) @how . argument: (_) @expected (#eq? @how "run") (#match? @expected "^-?!$") (#set! subject "$status") (#set! strength "part")) @assert
; bats-assert, shunit2
(command name: (command_name) @how . argument: [(number) (word) (raw_string) (string)] @expected . argument: [(number) (word) (raw_string) (string)] @subject (#eq? @how "assert_equal") (#not-match? @expected "\\$") (#not-match? @subject "\\$") (#set! strength "nothing")) @assert
(command name: (command_name) @how . argument: (_) @expected (#eq? @how "assert_failure") (#match? @expected "^-?\\d+$") (#set! subject "$status") (#set! strength "exact")) @assert
(command name: (command_name) @how (#eq? @how "assert_failure") (#set! subject "$status") (#set! strength "part")) @assert
(command name: (command_name) @how (#eq? @how "assert_success") (#set! subject "$status") (#set! strength "exact")) @assert
(command name: (command_name) @how argument: (_) @_mode argument: (_) @expected . (#match? @how "^assert_(output|line|stderr|stderr_line)$") (#match? @_mode "^(--partial|-p|--regexp|-e)$") (#set! subject "$output") (#set! strength "part")) @assert
(command name: (command_name) @how argument: (_) @_mode argument: (_) @expected . (#match? @how "^refute_(output|line|stderr|stderr_line)$") (#match? @_mode "^(--partial|-p|--regexp|-e)$") (#set! subject "$output") (#set! strength "something")) @assert
(command name: (command_name) @how . argument: (_) @expected . (#match? @how "^assert_(output|stderr)$") (#set! subject "$output") (#set! strength "exact")) @assert
(command name: (command_name) @how !argument (#match? @how "^assert_(output|stderr)$") (#set! subject "$output") (#set! strength "something")) @assert
(command name: (command_name) @how !argument (#match? @how "^refute_(output|stderr)$") (#set! subject "$output") (#set! strength "exact")) @assert
(command name: (command_name) @how . argument: (_) @_index . argument: (_) @expected . argument: (_) @expected . (#match? @how "^assert_(line|stderr_line)$") (#match? @_index "^(--index|-n)$") (#set! subject "$lines") (#set! strength "exact")) @assert
(command name: (command_name) @how . argument: (_) @expected . (#match? @how "^assert_(line|stderr_line)$") (#set! subject "$lines") (#set! strength "part")) @assert
(command name: (command_name) @how . argument: (_) @expected . argument: (_) @subject (#match? @how "^assert(Not)?(Equals|Same)$")) @assert
(command name: (command_name) @how . argument: (_)? @subject . argument: (_)? @expected (#match? @how "^((assert|refute)(_\\w+|[A-Z]\\w*)?|fail|flunk)$")) @assert

; --- rows: the values of a loop that runs or asserts something
((for_statement value: [(number) (word) (raw_string) (string)] @rows body: (do_group [(test_command) (command name: (command_name) @_c)])) (#match? @_c "^(run|assert|refute|check|expect|verify)") (#not-match? @rows "[$*]") (#set! rows "one"))

; --- code that is not reached, and failures that are lost
(compound_statement (command name: (command_name) @_c) @return (#match? @_c "^(return|exit)$"))
(if_statement condition: (command name: (command_name) @_c) [(command) (test_command) (negated_command) (list) (pipeline) (if_statement) (for_statement) (variable_assignment)] @dead (#eq? @_c "false"))
(if_statement condition: (_) @condition [(command) (list) (test_command)] @branch)
(list . (_) @condition "&&" . (command) @branch)
(list . (_) @condition "||" . (command) @branch)
(list . (_) @swallow "||" . (command name: (command_name) @_c) (#match? @_c "^(true|:|echo|printf)$"))
(while_statement condition: (command name: (command_name) @_c) body: (_) @dead (#eq? @_c "false"))

; --- comments, debugging aids
(comment) @comment
(command name: (command_name) @_c argument: (word) @_x (#eq? @_c "set") (#match? @_x "^-\\w*x\\w*$|^xtrace$")) @debug
