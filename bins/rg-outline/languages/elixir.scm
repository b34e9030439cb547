; Elixir: ExUnit, StreamData, Mox, Phoenix.

; Tests. The tags that stand directly before a test belong to it.
((call target: (identifier) @_test (arguments . [(string) (charlist) (identifier) (call)] @name) (do_block) @body) @test (#any-of? @_test "test" "property" "feature" "integration_test"))
((call target: (identifier) @_test (arguments . [(string) (charlist)] @name (keywords (pair value: (_) @body)))) @test (#any-of? @_test "test" "property"))
((call target: (identifier) @_test (arguments . [(string) (charlist)] @name .) .) @test (#any-of? @_test "test" "property"))
((unary_operator operator: "@" operand: (_))+ @test . (call target: (identifier) @_test (arguments . [(string) (charlist)] @name) (do_block) @body) @test (#any-of? @_test "test" "property" "feature" "integration_test"))
((unary_operator operator: "@" operand: (_))+ @test . (call target: (identifier) @_test (arguments . [(string) (charlist)] @name (keywords (pair value: (_) @body)))) @test (#any-of? @_test "test" "property"))
((call target: (identifier) @line (arguments . (_) @name)) @test @body (#eq? @line "doctest"))

; Suites: modules and describe blocks.
((call target: (identifier) @_module (arguments . (alias) @name) (do_block) @body) @suite (#eq? @_module "defmodule"))
((call target: (identifier) @_describe (arguments . (string) @name) (do_block) @body) @suite (#eq? @_describe "describe"))

; Everything else that can hold assertions: functions, and hooks, which run with every test around them.
((call target: (identifier) @_def (arguments . [(call target: (identifier) @name) (identifier) @name (binary_operator left: (call target: (identifier) @name))]) (do_block) @body) @function (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))
((call target: (identifier) @_def (arguments . [(call target: (identifier) @name) (identifier) @name (binary_operator left: (call target: (identifier) @name))] (keywords (pair value: (_) @body)))) @function (#any-of? @_def "def" "defp" "defmacro"))
((call target: (identifier) @name (do_block) @body) @function (#any-of? @name "setup" "setup_all") (#set! kind "hook"))
((call target: (identifier) @_setup (arguments [(atom) @name @body (list (atom) @name @body)])) @function (#eq? @_setup "setup") (#match? @name "verify_on_exit!") (#set! kind "hook"))

; Names.
(call target: (identifier) @_def (arguments . [(call target: (identifier) @define) (identifier) @define (binary_operator left: (call target: (identifier) @define))]) (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defdelegate" "defguard"))
(call target: (identifier) @_module (arguments . (alias) @define) (#any-of? @_module "defmodule" "defprotocol"))

; Skips: tags of tests, describe blocks and modules.
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments [(atom) @_skip (list (atom) @_skip)]))) @skip . (call target: (identifier) @_test) (#eq? @_tag "tag") (#eq? @_skip ":skip") (#any-of? @_test "test" "property" "feature"))
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments [(atom) @_skip (list (atom) @_skip)]))) @skip . (unary_operator)+ . (call target: (identifier) @_test) (#eq? @_tag "tag") (#eq? @_skip ":skip") (#any-of? @_test "test" "property" "feature"))
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments (keywords (pair key: (keyword) @_skip value: [(string) (atom) (boolean)] @_value))))) @skip . (call target: (identifier) @_test) (#eq? @_tag "tag") (#match? @_skip "^skip:") (#not-match? @_value "^(false|nil)$") (#any-of? @_test "test" "property" "feature"))
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments (keywords (pair key: (keyword) @_skip value: [(string) (atom) (boolean)] @_value))))) @skip . (unary_operator)+ . (call target: (identifier) @_test) (#eq? @_tag "tag") (#match? @_skip "^skip:") (#not-match? @_value "^(false|nil)$") (#any-of? @_test "test" "property" "feature"))
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments (keywords (pair key: (keyword) @_skip value: [(call) (binary_operator) (unary_operator) (identifier)] @condition))))) @skip . (call target: (identifier) @_test) (#eq? @_tag "tag") (#match? @_skip "^skip:") (#any-of? @_test "test" "property" "feature"))
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments (keywords (pair key: (keyword) @_skip value: [(call) (binary_operator) (unary_operator) (identifier)] @condition))))) @skip . (unary_operator)+ . (call target: (identifier) @_test) (#eq? @_tag "tag") (#match? @_skip "^skip:") (#any-of? @_test "test" "property" "feature"))
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments [(atom) @_skip (list (atom) @_skip)]))) @skip (#any-of? @_tag "moduletag" "describetag") (#eq? @_skip ":skip") (#set! of "suite"))
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments (keywords (pair key: (keyword) @_skip value: [(string) (atom) (boolean)] @_value))))) @skip (#any-of? @_tag "moduletag" "describetag") (#match? @_skip "^skip:") (#not-match? @_value "^(false|nil)$") (#set! of "suite"))
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments (keywords (pair key: (keyword) @_skip value: [(call) (binary_operator) (unary_operator) (identifier)] @condition))))) @skip (#any-of? @_tag "moduletag" "describetag") (#match? @_skip "^skip:") (#set! of "suite"))
((call target: (identifier) @_test (arguments . (string) @mark .) .) @skip (#any-of? @_test "test" "property") (#set! kind "todo"))

((call target: (identifier) @_if (arguments . (_) @condition) (do_block (call target: (identifier) @_inner))) @skip (#any-of? @_if "if" "unless") (#any-of? @_inner "test" "describe" "property") (#not-match? @condition "^(true|false|nil)$") (#set! of "inside"))

((call target: (identifier) @_doctest (arguments (keywords (pair key: (keyword) @_except value: (_) @condition) @skip))) (#eq? @_doctest "doctest") (#match? @_except "^(except|only):"))

; Focus: a tag that people run alone.
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments [(atom) @_focus (keywords (pair key: (keyword) @_focus))]))) @focus . (call target: (identifier) @_test) (#any-of? @_tag "tag") (#match? @_focus "^:?(focus|only)(:|$)") (#any-of? @_test "test" "property"))
((unary_operator operator: "@" operand: (call target: (identifier) @_tag (arguments (atom) @_focus))) @focus (#any-of? @_tag "moduletag" "describetag") (#any-of? @_focus ":focus" ":only"))

; Branches.
(call target: (identifier) @_if (arguments . (_) @condition) (do_block) @branch (#any-of? @_if "if" "unless" "case") (#not-match? @condition "^(true|false|nil)$"))
(stab_clause left: (arguments) @condition right: (body) @branch)

; Tables: comprehensions over a list around tests or assertions.
((call target: (identifier) @_for (arguments (binary_operator operator: "<-" right: (list) @rows)) (do_block (call target: (identifier) @_inner))) @each (#eq? @_for "for") (#any-of? @_inner "test" "property" "describe"))
((call target: (identifier) @_for (arguments (binary_operator operator: "<-" right: [(identifier) @rows (call) @rows (unary_operator operand: (identifier) @rows)])) (do_block (call target: (identifier) @_inner))) @each (#eq? @_for "for") (#any-of? @_inner "test" "property" "describe") (#set! rows "name"))
(unary_operator operator: "@" operand: (call target: (identifier) @name (arguments . (list) @list .)))
(call target: (identifier) @_for (arguments (binary_operator operator: "<-" right: (list) @rows)) (#eq? @_for "for") (#not-match? @rows "^\\[\\s*\\]$"))
(binary_operator left: (identifier) @_table operator: "=" right: (list) @rows (#match? @_table "^(test_?)?(cases|table|examples|params|inputs)$"))

; Assertions. How it asserts is the operator, for a match `=`.
((call target: (identifier) @how (arguments . [(boolean) (integer) (string) (atom) (float)] @subject)) @assert (#any-of? @how "assert" "refute") (#set! strength "nothing"))
((call target: (identifier) @_assert (arguments . (binary_operator left: [(boolean) (integer) (string) (atom) (float)] @subject operator: _ @how right: [(boolean) (integer) (string) (atom) (float)] @expected))) @assert (#any-of? @_assert "assert" "refute") (#set! strength "nothing"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (_) @_left operator: ["or" "||"] @how right: [(boolean) (atom) (string) (integer)]) @subject)) @assert (#eq? @_assert "assert") (#set! strength "nothing"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (identifier) @expected operator: "=" @how right: (_) @subject))) @assert (#eq? @_assert "assert") (#match? @expected "^_") (#set! strength "something"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (_) @expected operator: "=" @how right: (_) @subject))) @assert (#eq? @_assert "assert") (#set! strength "part"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (_) @subject operator: "in" right: (_) @expected))) @assert (#eq? @_assert "refute") (#set! how "not in") (#set! strength "part"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (call target: [(identifier) @_measure (dot right: (identifier) @_measure)]) @subject operator: [">" ">=" "!="] @how right: (integer) @expected))) @assert (#eq? @_assert "assert") (#any-of? @_measure "length" "map_size" "byte_size" "count") (#set! strength "something"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (call target: (dot left: (alias) @_enum right: (identifier) @_measure)) @subject operator: ["==" "==="] @how right: (_) @expected))) @assert (#eq? @_assert "assert") (#eq? @_enum "Enum") (#eq? @_measure "count") (#set! strength "part"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (call target: (identifier) @_measure) @subject operator: ["==" "==="] @how right: (_) @expected))) @assert (#eq? @_assert "assert") (#any-of? @_measure "length" "map_size" "byte_size") (#set! strength "part"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (_) @subject operator: ["==" "==="] @how right: (_) @expected))) @assert (#eq? @_assert "refute") (#set! strength "something") (#set! opposite "how"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (_) @subject operator: ["==" "==="] @how right: (_) @expected))) @assert (#eq? @_assert "assert"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (binary_operator left: (_) @subject operator: ["==" "===" "!=" "<" ">" "<=" ">=" "in" "=~"] @how right: (_) @expected) @assert operator: ["and" "&&"]))) (#eq? @_assert "assert"))
((call target: (identifier) @_assert (arguments . (binary_operator operator: ["and" "&&"] right: (binary_operator left: (_) @subject operator: ["==" "===" "!=" "<" ">" "<=" ">=" "in" "=~"] @how right: (_) @expected) @assert))) (#eq? @_assert "assert"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (_) @subject operator: _ @how right: (_) @expected))) @assert (#eq? @_assert "assert") (#not-any-of? @how "==" "===" "=" "|>" "and" "&&" "or" "||") (#set! strength "part"))
((call target: (identifier) @_assert (arguments . (binary_operator left: (_) @subject operator: _ @how right: (_) @expected))) @assert (#eq? @_assert "refute") (#not-any-of? @how "==" "===" "=" "|>" "and" "&&" "or" "||") (#set! strength "part") (#set! opposite "how"))
((call target: (identifier) @_assert (arguments . (call target: (identifier) @_match (arguments . (_) @expected . (_) @subject)))) @assert (#eq? @_assert "assert") (#eq? @_match "match?") (#set! how "=") (#set! strength "part"))
((call target: (identifier) @how (arguments . (binary_operator operator: ["or" "||"]) @subject)) @assert (#eq? @how "assert") (#set! strength "part"))
((call target: (identifier) @how (arguments . (_) @subject)) @assert (#any-of? @how "assert" "refute") (#set! strength "something"))
((call target: (identifier) @how (arguments . (_) @expected . [(string) (sigil)] @expected . (_) @subject)) @assert (#eq? @how "assert_raise") (#set! strength "exact"))
((call target: (identifier) @how (arguments . (_) @expected . (anonymous_function) @subject)) @assert (#eq? @how "assert_raise"))
((call target: (identifier) @how (arguments . (_) @subject . (_) @expected . (_) @expected)) @assert (#any-of? @how "assert_in_delta" "refute_in_delta"))
([(do_block (call target: (identifier) @how (arguments . (_) @expected . (_)? @subject)) @assert) (body (call target: (identifier) @how (arguments . (_) @expected . (_)? @subject)) @assert) (pair value: (call target: (identifier) @how (arguments . (_) @expected . (_)? @subject)) @assert) (else_block (call target: (identifier) @how (arguments . (_) @expected . (_)? @subject)) @assert)] (#match? @how "^(assert|refute)_[a-z_!?]+$|^catch_(error|exit|throw)$"))
((call target: (identifier) @how) @assert (#any-of? @how "flunk" "verify!" "verify_on_exit!"))
((call target: (identifier) @_setup (arguments [(atom) @how @assert (list (atom) @how @assert)])) (#eq? @_setup "setup") (#match? @how "verify_on_exit!"))
((call target: (identifier) @how (arguments . (_) @subject . (_) @expected (anonymous_function) @expected .)) @assert (#eq? @how "expect") (#set! strength "exact"))
((call target: (identifier) @how (arguments . (_) @subject . (_) @expected)) @assert (#any-of? @how "expect") (#set! strength "exact"))
(binary_operator left: (_) @subject operator: "|>" right: (call target: (identifier) @how (arguments)) @assert (#match? @how "^(assert|refute)(_[a-z_]+)?$"))

; Calls.
(call target: [(identifier) @call (dot right: (identifier) @call)] (#not-any-of? @call "def" "defp" "defmodule" "test" "describe" "do" "use" "alias" "import" "require" "if" "unless" "case" "cond" "for" "with" "try"))

; Code that does not count.
((call target: (identifier) @_leave) @return (#any-of? @_leave "raise" "throw" "exit"))
((call target: (identifier) @_if (arguments . [(boolean) (nil)] @_false) (do_block) @dead) @mark (#eq? @_if "if") (#any-of? @_false "false" "nil"))
((call target: (identifier) @_if (arguments . (boolean) @_true) (do_block) @dead) @mark (#eq? @_if "unless") (#eq? @_true "true"))
((call target: (identifier) @_if (arguments . (boolean) @_true) (do_block (else_block) @dead)) @mark (#eq? @_if "if") (#eq? @_true "true"))
(binary_operator left: (identifier) @_blank operator: "=" right: (anonymous_function) @dead (#match? @_blank "^_"))
((call target: (identifier) @_for (arguments (binary_operator operator: "<-" right: (list) @_empty)) (do_block) @dead) @mark (#eq? @_for "for") (#match? @_empty "^\\[\\s*\\]$"))

; Assertions whose failure is discarded.
((call target: (identifier) @_try (do_block (rescue_block) @handler) @swallow) (#eq? @_try "try") (#not-match? @handler "^rescue\\s+(_?[a-z]+ in )?\\[?(Argument|Runtime|Match|FunctionClause|Key|Enum|File|Arithmetic|UndefinedFunction)[A-Za-z.]*Error"))
((call target: (identifier) @_try (do_block (catch_block) @handler) @swallow) (#eq? @_try "try"))
((call target: (identifier) @_throw) @throw (#any-of? @_throw "raise" "reraise" "throw" "exit" "flunk"))

; Comments, and attributes that suppress.
(comment) @comment
((unary_operator operator: "@" operand: (call target: (identifier) @_dialyzer (arguments [(tuple) (atom) (list)] @rule))) @suppress (#eq? @_dialyzer "dialyzer") (#set! linter "dialyzer") (#set! reach "definition"))
((unary_operator operator: "@" operand: (call target: (identifier) @_compile (arguments (_) @rule))) @suppress (#eq? @_compile "compile") (#match? @rule "nowarn|no_warn") (#set! linter "elixir") (#set! reach "file"))
((unary_operator operator: "@" operand: (call target: (identifier) @_sobelow (arguments (_) @rule))) @suppress (#eq? @_sobelow "sobelow_skip") (#set! linter "sobelow") (#set! reach "definition"))

; Debugging aids.
((call target: (dot left: (alias) @_module right: (identifier) @_function) @what) @debug (#match? @what "^(IO\\.inspect|IEx\\.pry|IEx\\.break!|Kernel\\.dbg)$"))
((call target: (identifier) @what) @debug (#any-of? @what "dbg"))
