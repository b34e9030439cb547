; Ruby: RSpec, minitest and its spec style, test-unit, Rails, shoulda.

; --- tests
(call receiver: (constant)? method: (identifier) @line arguments: (argument_list . (_) @name) block: [(do_block body: (_)? @body) (block body: (_)? @body)]
  (#match? @line "^([xf]?(it|specify|example|scenario)|focus|pending|skip|its|test)$") (#not-match? @name "^[:0-9]")) @test
(call !receiver method: (identifier) @line arguments: (argument_list . (_) @name) block: (_ body: (_)? @body) (#eq? @line "its")) @test
(call !receiver !block method: (identifier) @line arguments: (argument_list . [(string) (chained_string)] @name) (#match? @line "^[xf]?(it|specify|example|scenario|test)$")) @test
(call !receiver !arguments method: (identifier) @name block: [(do_block body: (_)? @body) (block body: (_)? @body)] (#match? @name "^[xf]?(it|specify|example)$")) @test
(call !receiver method: (identifier) @line arguments: (argument_list . [(string) (binary)] @name) block: [(do_block body: (_)? @body) (block body: (_)? @body)] (#any-of? @line "should" "should_eventually")) @test
(call !receiver method: (identifier) @line arguments: (argument_list . [(string) (simple_symbol) (constant) (scope_resolution)] @name) @body (#match? @line "^[xf]?(it_behaves_like|it_should_behave_like|include_examples)$")) @test
(method name: (identifier) @name body: (_)? @body (#match? @name "^test_")) @test
(call !receiver method: (identifier) @line arguments: (argument_list . [(string) (simple_symbol) (delimited_symbol)] @name) block: [(do_block body: (_)? @body) (block body: (_)? @body)]
  (#eq? @line "define_method") (#match? @name "^[:\"']+test_")) @test

; --- suites
(class name: (_) @name body: (_)? @body) @suite
(module name: (_) @name body: (_)? @body) @suite
(call method: (identifier) @line arguments: (argument_list . (_) @name) block: [(do_block body: (_)? @body) (block body: (_)? @body)]
  (#match? @line "^([xf]?(describe|context|feature|example_group)|shared_examples|shared_examples_for|shared_context|sub_test_case)$")) @suite

; --- functions, hooks, names, calls
(method name: (_) @name body: (_) @body (#match? @name "^(setup|teardown|before_setup|after_setup|before_teardown|after_teardown|startup)$") (#set! kind "hook")) @function
(method name: (_) @name body: (_) @body) @function
(singleton_method name: (_) @name body: (_) @body) @function
(call method: (identifier) @name block: [(do_block body: (_) @body) (block body: (_) @body)] (#match? @name "^(before|after|around|setup|teardown|background|prepend_before|append_before|prepend_after|append_after)$") (#set! kind "hook")) @function
(call !receiver method: (identifier) @_l arguments: (argument_list . [(simple_symbol) (string)] @name) block: [(do_block body: (_) @body) (block body: (_) @body)] (#match? @_l "^(let!?|subject!?|define_method|define|matcher|def_delegator|shared_context)$")) @function
(call !receiver !arguments method: (identifier) @name block: [(do_block body: (_) @body) (block body: (_) @body)] (#match? @name "^subject!?$")) @function
(method name: (_) @define)
(singleton_method name: (_) @define)
(class name: [(constant) @define (scope_resolution name: (_) @define)])
(module name: [(constant) @define (scope_resolution name: (_) @define)])
(assignment left: (constant) @define)
(alias name: (_) @define)
(call !receiver method: (identifier) @_l arguments: (argument_list (simple_symbol) @define) (#match? @_l "^(attr_(accessor|reader|writer)|define_method|alias_method|scope|delegate|let!?|subject!?|helper_method|mattr_accessor|cattr_accessor|class_attribute)$"))
(call method: (identifier) @call)
(call method: (constant) @call)
(constant) @call
; A bare word is a call.
[(body_statement (identifier) @call) (block_body (identifier) @call) (then (identifier) @call) (else (identifier) @call) (do (identifier) @call)]

; --- what keeps tests from running
(call method: (identifier) @skip block: (_) (#match? @skip "^x(it|specify|example|describe|context|feature|scenario|example_group|it_behaves_like|test)$"))
(call !receiver method: (identifier) @skip arguments: (argument_list) (#match? @skip "^(x(it|specify|example|it_behaves_like|it_should_behave_like|include_examples))$"))
(call !receiver method: (identifier) @skip arguments: (argument_list . (string)) block: (_) (#any-of? @skip "skip" "should_eventually"))
(call !receiver method: (identifier) @skip arguments: (argument_list . (string)) block: (_) (#eq? @skip "pending") (#set! kind "fails"))
(call !receiver !block method: (identifier) @skip arguments: (argument_list . [(string) (chained_string)] .) (#match? @skip "^(it|specify|example|scenario|test)$") (#set! kind "todo"))
; A bare word is a call.
([(body_statement (identifier) @skip) (block_body (identifier) @skip) (then (identifier) @skip) (else (identifier) @skip) (do (identifier) @skip)] (#any-of? @skip "skip" "omit"))
([(if_modifier body: (identifier) @skip condition: (_) @condition) (unless_modifier body: (identifier) @skip condition: (_) @condition)] (#any-of? @skip "skip" "omit" "pend"))
([(body_statement (identifier) @skip) (block_body (identifier) @skip) (then (identifier) @skip)] (#any-of? @skip "pending" "pend") (#set! kind "fails"))
(unless_modifier body: (call !block method: (identifier) @mark) @skip condition: (_) @condition (#match? @mark "^(skip|omit|omit_if|pend)$"))
(if_modifier body: (call !block method: (identifier) @mark) @skip condition: [(true) (nil)] (#match? @mark "^(skip|omit|pend)$"))
(if_modifier body: (call !block method: (identifier) @mark) @skip condition: (_) @condition (#match? @mark "^(skip|omit|pend|pending)$") (#not-match? @condition "^true$"))
(call !receiver !block method: (identifier) @mark arguments: (argument_list . (_) @condition) (#match? @mark "^(omit_if|omit_unless|skip_if|skip_unless|skip_until|skip_on\\w*)$") (#not-match? @condition "^(true|false|\"|')")) @skip
(call !receiver !block method: (identifier) @mark (#match? @mark "^(skip|omit|omit_if|omit_unless|skip_until|skip_if|skip_unless)$")) @skip
(call !receiver !block method: (identifier) @mark (#match? @mark "^(pending|pend)$") (#set! kind "fails")) @skip
(call receiver: (_) @_r method: (identifier) @_m (#any-of? @_r "Minitest::Test" "self" "RSpec::Core::Pending" "example" "ex") (#eq? @_m "skip")) @skip
(program (call !receiver method: (identifier) @mark) @skip (#match? @mark "^exit!?$") (#set! of "file"))
(call !receiver method: (identifier) @_m arguments: (argument_list . (simple_symbol) @_s) @skip (#eq? @_m "throw") (#match? @_s "^:(skip|pending|done)$"))
(call !receiver method: (identifier) @_m arguments: (argument_list . (_) @_s) (#eq? @_m "raise") (#match? @_s "^(::)?(Minitest::Skip|RSpec::Core::Pending::SkipDeclaredInExample|Test::Unit::(AssertionFailedError::)?(Omitted|Pended)\\w*)")) @skip
; metadata: skip: "why", :skip, pending: true, if: condition
(call method: (identifier) @_m arguments: (argument_list (pair key: (_) @_k value: [(true) (string)]) @skip) block: (_)? (#match? @_m "^[f]?(it|specify|example|scenario|describe|context|feature|test|shared_examples|shared_context|example_group)$") (#eq? @_k "skip"))
(call method: (identifier) @_m arguments: (argument_list (pair key: (_) @_k value: [(identifier) (call) (binary) (unary) (conditional) (constant) (scope_resolution) (element_reference) (parenthesized_statements)] @condition) @skip) block: (_) (#match? @_m "^[f]?(it|specify|example|scenario|describe|context|feature|test)$") (#any-of? @_k "skip" "if" "unless"))
(call method: (identifier) @_m arguments: (argument_list (pair key: (_) @_k value: (false)) @skip) block: (_) (#match? @_m "^[f]?(it|specify|example|scenario|describe|context|feature)$") (#eq? @_k "if"))
(call method: (identifier) @_m arguments: (argument_list (pair key: (_) @_k value: (true)) @skip) block: (_) (#match? @_m "^[f]?(it|specify|example|scenario|describe|context|feature)$") (#eq? @_k "unless"))
(call method: (identifier) @_m arguments: (argument_list (pair key: (_) @_k value: [(true) (string)]) @skip) block: (_) (#match? @_m "^[f]?(it|specify|example|scenario|describe|context|feature)$") (#eq? @_k "pending") (#set! kind "fails"))
(call method: (identifier) @_m arguments: (argument_list (simple_symbol) @skip) block: (_) (#match? @_m "^[f]?(it|specify|example|scenario|describe|context|feature)$") (#eq? @skip ":skip"))
(call method: (identifier) @_m arguments: (argument_list (simple_symbol) @skip) block: (_) (#match? @_m "^[f]?(it|specify|example|scenario|describe|context|feature)$") (#eq? @skip ":pending") (#set! kind "fails"))
; A test method that is not public does not run.
(body_statement (identifier) @mark (method name: (_) @_n) @skip (#any-of? @mark "private" "protected") (#match? @_n "^test_"))
(call !receiver method: (identifier) @mark arguments: (argument_list (method name: (_) @_n) @skip) (#any-of? @mark "private" "protected" "private_class_method") (#match? @_n "^test_"))
; focus
(call method: (identifier) @focus block: (_) (#match? @focus "^(f(it|specify|example|describe|context|feature|scenario|example_group|it_behaves_like)|focus)$"))
(call method: (identifier) @_m arguments: (argument_list (pair key: (_) @_k value: (true)) @focus) (#match? @_m "^(it|specify|example|scenario|describe|context|feature|test|it_behaves_like)$") (#any-of? @_k "focus" "focused"))
(call method: (identifier) @_m arguments: (argument_list (simple_symbol) @focus) block: (_) (#match? @_m "^(it|specify|example|scenario|describe|context|feature)$") (#any-of? @focus ":focus" ":focused"))
(body_statement (identifier) @mark . [(method) (call)] @focus (#eq? @mark "focus"))
(call !receiver method: (identifier) @mark arguments: (argument_list (method) @focus) (#eq? @mark "focus"))

; --- assertions: constants and the like first
(call !receiver method: (identifier) @how arguments: (argument_list . [(true) (false) (nil) (string) (integer) (simple_symbol)] @subject @constant) (#match? @how "^(assert|refute|assert_not|assert_true|assert_false|assert_nil|assert_not_nil|refute_nil|assert_block)$")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (binary left: (_) @_l operator: "==" right: (_) @_r) @subject) (#any-of? @how "assert" "assert_true") (#eq? @_l @_r) (#set! strength "nothing")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (binary operator: ["||" "or"] [(true) (integer)]) @subject) (#any-of? @how "assert" "assert_true") (#set! strength "nothing")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (_) @expected . (_) @subject) (#match? @how "^assert_(equal|same)$") (#eq? @expected @subject) (#set! strength "nothing")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . [(integer) (true) (false) (nil)] @expected . [(integer) (string) (true) (false) (nil) (simple_symbol)] @subject @constant) (#match? @how "^(assert|refute)_(equal|same|nil)$")) @assert
(call receiver: (call method: (identifier) @_e arguments: (argument_list . [(true) (false) (nil) (integer) (string) (simple_symbol)] @subject @constant)) method: (identifier) @how arguments: (argument_list) (#eq? @_e "expect") (#any-of? @how "to" "not_to" "to_not")) @assert
(call receiver: (call method: (identifier) @_e arguments: (argument_list . (_) @subject .)) method: (identifier) @_t arguments: (argument_list . (call method: (identifier) @how arguments: (argument_list . (_) @expected .))) (#eq? @_e "expect") (#eq? @_t "to") (#any-of? @how "eq" "eql" "equal" "be") (#eq? @expected @subject) (#set! strength "nothing")) @assert
(call receiver: (call method: (identifier) @_e arguments: (argument_list . (_) @subject)) method: (identifier) @_t arguments: (argument_list . [(call method: (identifier) @how) (identifier) @how]) (#eq? @_e "expect") (#eq? @_t "to") (#match? @how "^(anything|be_anything)$") (#set! strength "nothing")) @assert
; expect(x).to / not_to matcher
(call receiver: (call method: (identifier) @_e arguments: (argument_list . (_) @subject)) method: (identifier) @_t arguments: (argument_list . (call !receiver method: (identifier) @how arguments: (argument_list . (array) @expected .))) (#eq? @_e "expect") (#eq? @_t "to") (#eq? @how "match") (#set! strength "exact")) @assert
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject) (identifier) @_e (call receiver: (_) @subject method: (identifier) @_e)] method: (identifier) @how
  arguments: (argument_list . [(identifier) @how (call method: (_) @how arguments: (argument_list)? @expected) (binary left: (_) @how right: (_) @expected)])
  (#match? @_e "^(expect|is_expected|are_expected|expect_any_instance_of|assert_that|wont)$") (#any-of? @how "not_to" "to_not" "be" "be_nil" "eq" "eql" "raise_error" "include" "match" "receive" "have_received" "be_empty" "be_truthy" "be_falsey" "change" "have_key" "have_content" "equal" "be_a" "be_kind_of" "be_an_instance_of" "have_attributes" "contain_exactly" "match_array" "start_with" "end_with" "respond_to" "exist" "cover" "be_present" "be_blank" "be_valid" "be_nan" "be_zero" "raise_exception" "throw_symbol" "yield_control" "output")
  (#not-any-of? @how "to")) @assert
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject) (identifier) @_e] method: (identifier) @how
  arguments: (argument_list . (_) @expected) (#match? @_e "^(expect|is_expected)$") (#any-of? @how "not_to" "to_not") (#set! strength "something")) @assert
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject) (identifier) @_e] method: (identifier) @_t
  arguments: (argument_list . (binary left: (_) @_be operator: _ @how right: (_) @expected)) (#match? @_e "^(expect|is_expected)$") (#match? @_t "^(to|should)$") (#match? @_be "^be$") (#set! strength "part")) @assert
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject) (identifier) @_e] method: (identifier) @_t
  arguments: (argument_list . (call receiver: (call receiver: (call method: (_) @how arguments: (argument_list)? @expected) method: (_) @how arguments: (argument_list)? @expected) method: (_) @how arguments: (argument_list)? @expected)) (#match? @_e "^(expect|is_expected|expect_any_instance_of)$") (#any-of? @_t "to" "should")) @assert
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject) (identifier) @_e] method: (identifier) @_t
  arguments: (argument_list . (call receiver: [(call !receiver method: (_) @how arguments: (argument_list)? @expected) (identifier) @how] method: (_) @how arguments: (argument_list)? @expected)) (#match? @_e "^(expect|is_expected|expect_any_instance_of)$") (#any-of? @_t "to" "should")) @assert
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject) (identifier) @_e] method: (identifier) @_t
  arguments: (argument_list . (call !receiver method: (identifier) @how arguments: (argument_list . (_) @expected))) (#match? @_e "^(expect|is_expected)$") (#eq? @_t "to") (#match? @how "^raise_(error|exception)$") (#match? @expected "^(::)?(StandardError|Exception|RuntimeError)$") (#set! strength "something")) @assert
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject) (identifier) @_e] method: (identifier) @_t
  arguments: (argument_list . [(call !receiver !arguments method: (identifier) @how) (identifier) @how]) (#match? @_e "^(expect|is_expected)$") (#eq? @_t "to") (#match? @how "^(raise_(error|exception)|be|be_[a-z_?]+|exist)$") (#not-match? @how "^be_(nil|empty|zero|blank|nan|infinite)$") (#set! strength "something")) @assert
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject) (identifier) @_e] method: (identifier) @_t
  arguments: (argument_list . [(call !receiver method: (_) @how arguments: (argument_list)? @expected) (identifier) @how]) (#match? @_e "^(expect|is_expected|are_expected|expect_any_instance_of)$") (#any-of? @_t "to" "should")) @assert
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject) (identifier) @_e] method: (identifier) @_t arguments: (argument_list . (_) @expected) (#match? @_e "^(expect|is_expected)$") (#eq? @_t "to") (#set! how "to")) @assert
; is_expected asserts about `subject`.
(call receiver: (identifier) @_e method: (identifier) @how arguments: (argument_list . (_)) (#eq? @_e "is_expected") (#any-of? @how "to" "not_to" "to_not") (#set! subject "subject")) @assert
; should
(call receiver: (_)? @subject method: (identifier) @_s arguments: (argument_list . [(call !receiver !arguments method: (identifier) @how) (identifier) @how]) !block (#eq? @_s "should") (#match? @how "^(be|be_[a-z_?]+|exist)$") (#not-match? @how "^be_(nil|empty|zero|blank|nan|infinite)$") (#set! strength "something")) @assert
(call receiver: (_)? @subject method: (identifier) @_s arguments: (argument_list . (call receiver: [(call !receiver method: (_) @how arguments: (argument_list)? @expected) (identifier) @how] method: (_) @how arguments: (argument_list)? @expected)) !block (#eq? @_s "should")) @assert
(call receiver: (_)? @subject method: (identifier) @_s arguments: (argument_list . [(call method: (_) @how arguments: (argument_list)? @expected) (identifier) @how (binary left: (_) @how right: (_) @expected)]) !block (#eq? @_s "should")) @assert
(call receiver: (_)? @subject method: (identifier) @how arguments: (argument_list . (_) @expected) (#match? @how "^should_not$") (#set! strength "something")) @assert
(binary left: (call receiver: (_) @subject method: (identifier) @_s) operator: "==" @how right: (_) @expected (#eq? @_s "should")) @assert
(binary left: (call receiver: (_) @subject method: (identifier) @_s) operator: ["=~" ">" "<" ">=" "<=" "!="] @how right: (_) @expected (#eq? @_s "should") (#set! strength "part")) @assert
; minitest's spec style
(call receiver: [(call method: (identifier) @_e arguments: (argument_list . (_) @subject)) (call method: (identifier) @_e block: (_) @subject)] method: (identifier) @how arguments: (argument_list)? @expected (#match? @_e "^(_|expect|value)$") (#match? @how "^(must|wont)_")) @assert
(call receiver: (_) @subject method: (identifier) @how arguments: (argument_list)? @expected (#match? @how "^(must|wont)_")) @assert
; assert a == b, assert a.include?(b), refute a != b
(call !receiver method: (identifier) @how arguments: (argument_list . (binary left: (_) @subject operator: "==" right: (_) @expected)) (#any-of? @how "assert" "assert_true") (#set! strength "exact")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (binary left: (_) @subject operator: ["<" ">" "<=" ">=" "=~" "==="] right: (_) @expected)) (#any-of? @how "assert" "assert_true" "refute") (#set! strength "part")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (call receiver: (_) @subject method: (identifier) @_m arguments: (argument_list . (_) @expected))) (#any-of? @how "assert" "assert_true" "refute") (#match? @_m "^(include|start_with|end_with|match|key|has_key|any|all|none|member|cover)\\?$") (#set! strength "part")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (_) @expected . (_) @subject . [(float) (integer) (identifier) (constant)] @expected) (#match? @how "^(assert|refute)_in_(delta|epsilon)$")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (_) @expected . (_) @subject) (#match? @how "^(assert|refute|assert_not)_(equal|same|in_delta|in_epsilon|match|instance_of|kind_of|no_match|not_equal|nested_equal|hash_equal|array_equal)$")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (_) @subject . (integer) @expected) (#eq? @how "assert_difference") (#not-eq? @expected "1") (#set! strength "exact")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (_) @subject .) block: (_) (#match? @how "^assert_(no_)?(difference|changes)$")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (_) @subject . (_) @expected) (#match? @how "^(assert|refute|assert_not)_(includes|respond_to|operator|predicate|include|send|start_with|end_with|empty|changes|difference)$")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . [(constant) (scope_resolution)] @expected . [(constant) (scope_resolution)] @expected) block: (_) @subject (#match? @how "^assert_raises?$")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (_) @expected) block: (_) @subject (#match? @how "^assert_raises?(_with_message|_kind_of)?$") (#match? @expected "^(::)?(StandardError|Exception|RuntimeError)$") (#set! strength "something")) @assert
(call !receiver !arguments method: (identifier) @how block: (_) @subject (#match? @how "^assert_raises?$") (#set! strength "something")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (_)? @expected) block: (_) @subject (#match? @how "^(assert_raises?|assert_throws?|assert_output|assert_silent|assert_difference|assert_no_difference|assert_changes|assert_no_changes|assert_nothing_raised|assert_nothing_thrown|assert_raise\\w*|assert_queries\\w*|assert_enqueued\\w*|assert_performed\\w*|assert_emails|assert_deprecated|assert_not_deprecated|refute_raises)$")) @assert
(call receiver: (_) @subject method: (identifier) @how arguments: (argument_list)? @expected (#any-of? @how "verify") (#set! strength "exact")) @assert
(call !receiver method: (identifier) @how arguments: (argument_list . (_)? @subject . (_)? @expected) (#match? @how "^(assert|refute|flunk)(_\\w+[?!]?)?$")) @assert
(call receiver: (constant) @_r method: (identifier) @how arguments: (argument_list . (_)? @subject) (#match? @how "^(assert|refute)(_\\w+)?$")) @assert
(body_statement (identifier) @how @assert (#match? @how "^(flunk|assert_silent|assert_response|assert_valid\\w*|assert_no_\\w+|assert_[a-z_]+)$"))
(call receiver: (constant) @_r method: (identifier) @how arguments: (argument_list . (_) @subject) (#match? @_r "^(RSpec|Expectations)$") (#match? @how "^fail_with$")) @assert
; Capybara's and other matchers with a bang: page.assert_text "x"
(call receiver: (_) @subject method: (identifier) @how arguments: (argument_list . (_) @expected) (#match? @how "^assert_(text|selector|no_text|no_selector|current_path|content|title|matches_selector|any_of_selectors)$") (#set! strength "part")) @assert

; --- what keeps a test from running, said by its name; a class of tests without a superclass is no case of minitest
((class name: (constant) @skip !superclass body: (body_statement (method name: (identifier) @_m))) (#match? @skip "Test(Case)?$|^Test[A-Z]") (#match? @_m "^test_"))
((call !receiver method: (identifier) @_m arguments: (argument_list (simple_symbol) @target)) @skip (#any-of? @_m "undef_method" "remove_method"))
((undef (identifier) @target) @skip)

; --- rows of tables: a list or a hash around tests
((call receiver: [(array) (hash) (string_array) (symbol_array)] @rows method: (identifier) @_m block: (_) @each) (#match? @_m "^(each|each_with_index|each_pair|map)$"))
((call receiver: (call receiver: [(array) (hash) (string_array) (symbol_array)] @rows method: (identifier) @_f) method: (identifier) @_m block: (_) @each) (#match? @_f "^(freeze|each|to_a)$") (#match? @_m "^(each|each_pair|with_index)$"))
((call receiver: [(identifier) (constant)] @rows method: (identifier) @_m block: (_) @each) (#match? @_m "^(each|each_with_index|each_pair)$") (#set! rows "name"))
(assignment left: [(identifier) (constant)] @name right: [(array) @list (hash) @list (string_array) @list (symbol_array) @list (call receiver: [(array) (hash) (string_array) (symbol_array)] @list method: (identifier) @_f)])

; --- code that is not reached, and failures that are lost
(body_statement [(return) (next) (break)] @return)
(block_body [(return) (next) (break)] @return)
(then [(return) (next) (break)] @return)
(body_statement (call !receiver method: (identifier) @_m) @return (#match? @_m "^(exit!?|abort|raise|throw|flunk)$"))
(block_body (call !receiver method: (identifier) @_m) @return (#match? @_m "^(exit!?|abort|raise|throw|flunk)$"))
(body_statement (identifier) @return (#match? @return "^(exit!?|abort|raise)$"))
(block_body (identifier) @return (#match? @return "^(exit!?|abort|raise)$"))
(if condition: [(false) (nil)] consequence: (_) @dead) @mark
(if condition: (binary operator: ["&&" "and"] . [(false) (nil)]) consequence: (_) @dead) @mark
(if condition: (binary operator: ["&&" "and"] [(false) (nil)] .) consequence: (_) @dead) @mark
(if condition: (true) alternative: (_) @dead)
(unless condition: (true) consequence: (_) @dead) @mark
(unless condition: [(false) (nil)] alternative: (_) @dead)
(while condition: [(false) (nil)] body: (_) @dead) @mark
(until condition: (true) body: (_) @dead) @mark
(if_modifier body: (_) @dead condition: [(false) (nil)])
(unless_modifier body: (_) @dead condition: (true))
(call receiver: (array) @_e method: (identifier) @_m block: (_) @dead (#match? @_e "^\\[\\s*\\]$") (#eq? @_m "each"))
(call receiver: (integer) @_e method: (identifier) @_m block: (_) @dead (#eq? @_e "0") (#eq? @_m "times"))
(if condition: (_) @condition consequence: (_) @branch)
(if condition: (_) @condition alternative: (_) @branch)
(unless condition: (_) @condition consequence: (_) @branch)
(unless condition: (_) @condition alternative: (_) @branch)
(if_modifier body: (_) @branch condition: (_) @condition)
(unless_modifier body: (_) @branch condition: (_) @condition)
(binary left: (_) @condition operator: ["&&" "and" "||" "or"] right: (_) @branch)
(rescue exceptions: (_) @condition body: (_) @branch)
(rescue !exceptions body: (_) @branch @condition)
(begin (rescue !exceptions body: (_)? @handler)) @swallow
(begin (rescue exceptions: (_) @_t body: (_)? @handler) (#match? @_t "\\b(Exception|StandardError|Assertion|ExpectationNotMetError|AssertionFailedError|Object)\\b")) @swallow
(body_statement (rescue !exceptions body: (_)? @handler)) @swallow
(body_statement (rescue exceptions: (_) @_t body: (_)? @handler) (#match? @_t "\\b(Exception|StandardError|Assertion|ExpectationNotMetError|AssertionFailedError|Object)\\b")) @swallow
(rescue_modifier body: (_) @swallow handler: (_) @handler)
(call !receiver method: (identifier) @_m arguments: (argument_list . (_) @_t) block: (_) @swallow (#eq? @_m "suppress") (#match? @_t "\\b(Exception|StandardError|Assertion|ExpectationNotMetError)\\b"))
(begin (ensure (return))) @swallow
(body_statement (ensure (return))) @swallow
(call !receiver method: (identifier) @throw (#match? @throw "^(raise|flunk|fail|abort|exit!?)$"))
((identifier) @throw (#match? @throw "^(raise|flunk|fail|abort)$"))

; --- comments and debugging aids
(comment) @comment
(call receiver: (identifier) @_b method: (identifier) @_m (#eq? @_b "binding") (#match? @_m "^(pry|irb|b|break|remote_pry|pry_remote|console|debugger)$")) @debug
(call receiver: (constant) @_b method: (identifier) @_m (#match? @_b "^(Pry|Byebug|Debugger|DEBUGGER__|IRB)$") (#match? @_m "^(start|rescue|attach|start_server|break|byebug)$")) @debug
([(body_statement (identifier) @what @debug) (block_body (identifier) @what @debug) (then (identifier) @what @debug) (else (identifier) @what @debug) (program (identifier) @what @debug) (if_modifier body: (identifier) @what @debug) (unless_modifier body: (identifier) @what @debug)]  (#match? @what "^(byebug|debugger|pry|save_and_open_page|save_and_open_screenshot|show_page|remote_byebug|jard)$"))
(call !receiver method: (identifier) @what (#match? @what "^(byebug|debugger|save_and_open_page|save_and_open_screenshot|remote_byebug)$")) @debug
(call receiver: (_) @_r method: (identifier) @_m (#match? @_r "^(page|screen)$") (#match? @_m "^(driver\\.debug|save_and_open_page|save_and_open_screenshot)$")) @debug
(call !receiver method: (identifier) @_m arguments: (argument_list . (string) @_s) (#eq? @_m "require") (#match? @_s "^[\"'](pry|byebug|pry-byebug|pry-nav|pry-remote|irb|ruby-debug|ruby_jard|debug|debug/\\w+|binding_of_caller)[\"']$")) @debug
