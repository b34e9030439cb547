; JavaScript, and with jsx.scm and typescript.scm JSX, TypeScript and TSX: jest, vitest, mocha, node:test, playwright, bun, deno, ava, tape, QUnit.
; A callee is compared as a text: `it.only` is one text, and so is `test.describe.skip`.

; --- tests: it("title", ...), test.only("title", ...), it.each(table)("title", ...), t.test("title", ...)
(call_expression
  function: [(identifier) (member_expression)] @line
  arguments: (arguments . (_) @name [(arrow_function body: (_) @body) (function_expression body: (_) @body)] .)
  (#not-match? @name "^\\{")
  (#match? @line "^([xf]?(it|test|specify)|(t|test|Deno|bench|QUnit)\\.(test|it)|QUnit\\.(skip|only|todo)|(it|test|specify|t\\.test|QUnit\\.test)(\\.(only|skip|concurrent|sequential|serial|failing|fails|fail|fixme|slow|todo|shuffle|runIf|skipIf))+)$")) @test
(call_expression
  function: [(identifier) (member_expression)] @line
  arguments: (arguments . (_) @name [(arrow_function body: (_) @body) (function_expression body: (_) @body)] . [(number) (object)] .)
  (#match? @line "^([xf]?(it|test|specify)|(t|test|Deno|bench|QUnit)\\.(test|it)|QUnit\\.(skip|only|todo)|(it|test|specify|t\\.test|QUnit\\.test)(\\.(only|skip|concurrent|sequential|serial|failing|fails|fail|fixme|slow|todo|shuffle|runIf|skipIf))+)$")) @test
; With a macro of ava and what it is given: test("title", macro, input, expected)
(call_expression
  function: [(identifier) (member_expression)] @line
  arguments: (arguments . [(string) (template_string)] @name . (identifier) . (_)* . [(array) (object) (string) (number)] @body .)
  (#match? @line "^([xf]?(it|test|specify)|(t|test|Deno|bench|QUnit)\\.(test|it)|QUnit\\.(skip|only|todo)|(it|test|specify|t\\.test|QUnit\\.test)(\\.(only|skip|concurrent|sequential|serial|failing|fails|fail|fixme|slow|todo|shuffle|runIf|skipIf))+)$")) @test
; Announced only, or with a function that stands elsewhere.
(call_expression
  function: [(identifier) (member_expression)] @line
  arguments: (arguments . [(string) (template_string)] @name)
  (#match? @line "^([xf]?(it|test|specify)|(t|test|Deno|bench|QUnit)\\.(test|it)|QUnit\\.(skip|only|todo)|(it|test|specify|t\\.test|QUnit\\.test)(\\.(only|skip|concurrent|sequential|serial|failing|fails|fail|fixme|slow|todo|shuffle|runIf|skipIf))+)$")) @test

; it.each(table)("title", ...), test.for(table)(...), test.skipIf(condition)("title", ...), it.each`...`("title", ...)
(call_expression
  function: (call_expression function: (_) @line arguments: (_))
  arguments: (arguments . [(string) (template_string) (identifier) (binary_expression)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body)]?)
  (#match? @line "^[xf]?(it|test|specify)(\\.(only|skip|concurrent|sequential|failing|fails|todo))*\\.(each|for|skipIf|runIf|failing|if|todoIf)$")) @test

; (condition ? it.skip : it)("title", ...)
(call_expression
  function: (parenthesized_expression (ternary_expression consequence: (_) @line alternative: (_) @_other))
  arguments: (arguments . (_) @name [(arrow_function body: (_) @body) (function_expression body: (_) @body)] .)
  (#match? @line "^(it|test|specify)(\\.(skip|only|todo))?$") (#match? @_other "^(it|test|specify)(\\.(skip|only|todo))?$")) @test

; Deno.test({ name: "title", fn() { } }), Deno.test(function title() { })
(call_expression
  function: (_) @line (#any-of? @line "Deno.test" "Deno.test.only" "Deno.test.ignore")
  arguments: (arguments . (object
    (pair key: (_) @_name value: [(string) (template_string)] @name)
    [(method_definition name: (_) @_fn body: (_) @body)
     (pair key: (_) @_fn value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])]))
  (#eq? @_name "name") (#eq? @_fn "fn")) @test
; Deno.test({ name: "title", ignore: true }, () => { })
(call_expression
  function: (_) @line (#any-of? @line "Deno.test" "Deno.test.only" "Deno.test.ignore")
  arguments: (arguments . (object (pair key: (_) @_name value: [(string) (template_string)] @name))
    . [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  (#eq? @_name "name")) @test
(call_expression
  function: (_) @line (#any-of? @line "Deno.test" "Deno.test.only" "Deno.test.ignore" "test" "it")
  arguments: (arguments . (function_expression name: (_) @name body: (_) @body))) @test

; --- suites
(call_expression
  function: [(identifier) (member_expression)] @line
  arguments: (arguments . [(string) (template_string) (identifier) (member_expression) (binary_expression) (call_expression)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  (#match? @line "^([xf]?(describe|context|suite)|(test|t)\\.describe|QUnit\\.module(\\.(skip|only|todo))?|(test\\.)?(describe|context|suite)(\\.(only|skip|concurrent|sequential|shuffle|serial|parallel|fixme|todo|skipIf|runIf|configure))+)$")) @suite
(call_expression
  function: (call_expression function: (_) @line)
  arguments: (arguments . [(string) (template_string) (identifier)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  (#match? @line "^[xf]?(describe|context|suite)(\\.(only|skip|concurrent|sequential))*\\.(each|for|skipIf|runIf|if|todoIf)$")) @suite

; --- tables
(call_expression
  function: (call_expression function: (member_expression property: (_) @_each) arguments: (arguments . (array) @rows .))
  (#any-of? @_each "each" "for")) @each
(call_expression
  function: (call_expression function: (member_expression property: (_) @_each) arguments: (arguments . (identifier) @rows .))
  (#any-of? @_each "each" "for") (#set! rows "name")) @each
(call_expression
  function: (call_expression function: (member_expression property: (_) @_each)
    arguments: (arguments . [(call_expression) (member_expression)] .) @rows)
  (#any-of? @_each "each" "for") (#set! rows "one")) @each
(call_expression
  function: (call_expression function: (member_expression property: (_) @_each)
    arguments: (template_string) @rows)
  (#any-of? @_each "each" "for") (#set! rows "template")) @each
(variable_declarator name: (identifier) @name value: [(array) (object)] @list)
; for (const row of rows) { it(...) }, rows.forEach((row) => { it(...) })
(for_in_statement right: (array) @rows body: (_) @each)
(for_in_statement right: (identifier) @rows body: (_) @each (#set! rows "name"))
(for_in_statement right: [(call_expression) (member_expression)] @rows body: (_) @each (#not-match? @rows "^Object\\.(entries|keys|values)\\([a-zA-Z_$]+\\)$") (#set! rows "one"))
; for (const [name, row] of Object.entries(rows)) { it(...) }
(for_in_statement
  right: (call_expression function: (_) @_of (#any-of? @_of "Object.entries" "Object.keys" "Object.values") arguments: (arguments . (identifier) @rows .))
  body: (_) @each (#set! rows "name"))
(call_expression function: (member_expression object: (array) @rows property: (_) @_each (#any-of? @_each "forEach" "map"))
  arguments: (arguments . [(arrow_function) (function_expression)] @each))
(call_expression function: (member_expression object: (identifier) @rows property: (_) @_each (#any-of? @_each "forEach" "map"))
  arguments: (arguments . [(arrow_function) (function_expression)] @each) (#set! rows "name"))

; --- what keeps tests from running
(call_expression
  function: [(identifier) (member_expression)] @skip
  arguments: (arguments . [(string) (template_string) (identifier) (member_expression) (binary_expression)] [(arrow_function) (function_expression) (object)])
  (#match? @skip "^(x(it|test|describe|context|specify|suite)|([a-zA-Z_$]+\\.)*(it|test|t|describe|context|suite|specify)(\\.[a-z]+)*\\.(skip|fixme|ignore)(\\.[a-z]+)*|Deno\\.test\\.ignore|QUnit\\.(module\\.)?skip)$"))
(call_expression
  function: (call_expression function: (_) @skip)
  (#match? @skip "^(x(it|test|describe|context)\\.(each|for)|([a-zA-Z_$]+\\.)*(it|test|describe|context|suite)(\\.[a-z]+)*\\.(skip|fixme)(\\.[a-z]+)*)$"))
(call_expression
  function: (_) @skip
  arguments: (arguments . [(string) (template_string) (identifier)])
  (#match? @skip "^([a-zA-Z_$]+\\.)*(it|test|t|describe|suite)\\.todo$") (#set! kind "todo"))
(call_expression
  function: (_) @skip
  arguments: (arguments . [(string) (template_string) (identifier)])
  (#match? @skip "^(it|test)(\\.[a-z]+)*\\.(fails|failing|fail)(\\.[a-z]+)*$") (#set! kind "fails"))
; A test without a function is announced only (mocha, jasmine).
(call_expression
  function: (identifier) @skip (#any-of? @skip "it" "specify")
  arguments: (arguments . [(string) (template_string)] .) (#set! kind "todo"))
; test.skipIf(condition)("title", ...), describe.runIf(condition)(...), describe.if(condition)(...)
(call_expression
  function: (call_expression function: (member_expression property: (_) @_if) @skip arguments: (arguments . (_) @condition))
  (#any-of? @_if "skipIf" "runIf" "if" "todoIf"))
; (condition ? it.skip : it)("title", ...)
(call_expression
  function: (parenthesized_expression (ternary_expression condition: (_) @condition consequence: (_) @skip))
  (#match? @skip "^(it|test|specify|describe|suite)\\.(skip|todo)$"))
(call_expression
  function: (parenthesized_expression (ternary_expression condition: (_) @condition alternative: (_) @skip))
  (#match? @skip "^(it|test|specify|describe|suite)\\.(skip|todo)$"))
; { skip: true }, { skip: "why" }, { todo: true }, { ignore: true }
(call_expression
  function: (_) @_f (#match? @_f "^([a-zA-Z_$]+\\.)*(it|test|describe|suite)(\\.[a-z]+)*$")
  arguments: (arguments (object (pair key: (_) @_key value: [(true) (string) (template_string)]) @skip))
  (#any-of? @_key "skip" "ignore"))
(call_expression
  function: (_) @_f (#match? @_f "^([a-zA-Z_$]+\\.)*(it|test|describe|suite)(\\.[a-z]+)*$")
  arguments: (arguments (object (pair key: (_) @_key @mark (#any-of? @_key "skip" "ignore")
    value: [(identifier) (member_expression) (binary_expression) (unary_expression) (call_expression) (ternary_expression) (parenthesized_expression) (subscript_expression)] @condition) @skip)))
(call_expression
  function: (_) @_f (#match? @_f "^([a-zA-Z_$]+\\.)*(it|test|describe|suite)(\\.[a-z]+)*$")
  arguments: (arguments (object (pair key: (_) @_key (#any-of? @_key "todo" "fails" "failing" "expectFailure") value: [(true) (string)]) @skip))
  (#set! kind "fails"))
; t.skip(), this.skip(), ctx.skip(), test.skip(), test.fixme() inside a body; test.skip(condition, "why")
(expression_statement
  (call_expression function: (member_expression object: (_) @_o property: (_) @_skip) @skip arguments: (arguments . [(string) (template_string)]? .))
  (#any-of? @_o "t" "this" "ctx" "context" "test" "it" "testInfo" "task") (#any-of? @_skip "skip" "fixme"))
(arrow_function body: (call_expression function: (member_expression object: (_) @_o property: (_) @_skip) arguments: (arguments . [(string) (template_string)]? .)) @skip
  (#any-of? @_o "t" "this" "ctx" "context" "task" "testInfo" "test") (#any-of? @_skip "skip" "fixme"))
; A test that is declared only under a condition of the environment.
(if_statement condition: (_) @condition consequence: (statement_block (expression_statement (call_expression
  function: (identifier) @_it (#any-of? @_it "it" "test" "describe" "specify" "context" "suite")
  arguments: (arguments . [(string) (template_string)] [(arrow_function) (function_expression)])) @skip)) !alternative
  (#match? @condition "process\\.(env|platform)|import\\.meta\\.env|Deno\\.env|Bun\\.env") (#set! mark "declared under a condition"))
(expression_statement
  (call_expression function: (_) @skip
    arguments: (arguments . [(identifier) (binary_expression) (member_expression) (unary_expression) (call_expression) (arrow_function) (ternary_expression) (subscript_expression) (parenthesized_expression)] @condition . [(string) (template_string) (binary_expression)]? .))
  (#any-of? @skip "test.skip" "test.fixme" "test.describe.skip" "ctx.skip" "t.skip" "testInfo.skip" "testInfo.fixme"))
(expression_statement
  (call_expression function: (_) @skip arguments: (arguments . (true)))
  (#any-of? @skip "test.skip" "test.fixme" "ctx.skip" "t.skip" "testInfo.skip"))
(expression_statement
  (call_expression function: (_) @skip arguments: (arguments))
  (#any-of? @skip "test.fail" "t.todo" "pending" "testInfo.fail") (#set! kind "fails"))

; A test that ends early by its environment: if (!process.env.X) return
(if_statement condition: (_) @condition consequence: [(return_statement) (statement_block . (return_statement) .)] !alternative
  (#match? @condition "process\\.(env|platform)|import\\.meta\\.env|Deno\\.env|Bun\\.env|(^|[^a-zA-Z])(CI|isCI)($|[^a-zA-Z])")) @skip

; The process ends with success before a test runs.
(program (expression_statement (call_expression function: (_) @_f) @skip)
  (#eq? @_f "process.exit") (#match? @skip "^process\\.exit\\(0?\\)$") (#set! of "file"))

; --- focus
(call_expression
  function: [(identifier) (member_expression)] @focus
  arguments: (arguments . [(string) (template_string) (identifier) (member_expression) (binary_expression) (arrow_function) (function_expression) (object)] . [(arrow_function) (function_expression) (object) (identifier)]?)
  (#match? @focus "^(f(it|test|describe|context|specify)|([a-zA-Z_$]+\\.)*(it|test|t|describe|context|suite|specify)(\\.[a-z]+)*\\.only(\\.[a-z]+)*|Deno\\.test\\.only|QUnit\\.(module\\.)?only|serial\\.only)$"))
(call_expression
  function: (call_expression function: (_) @focus)
  (#match? @focus "^(f(it|test|describe|context)\\.(each|for)|([a-zA-Z_$]+\\.)*(it|test|describe|context|suite)(\\.[a-z]+)*\\.only(\\.[a-z]+)*)$"))
(call_expression
  function: (_) @_f (#match? @_f "^([a-zA-Z_$]+\\.)*(it|test|describe|suite)(\\.[a-z]+)*$")
  arguments: (arguments (object (pair key: (_) @_key (#eq? @_key "only") value: (true)) @focus)))

; --- other names for these callees
(variable_declarator name: (identifier) @name value: [(identifier) (member_expression)] @value) @alias
(variable_declarator name: (identifier) @name
  value: (ternary_expression condition: (_) @condition consequence: (_) @value alternative: (_) @value)) @alias
(import_specifier name: (identifier) @value alias: (identifier) @name) @alias
(object_pattern (pair_pattern key: (property_identifier) @value value: (identifier) @name)) @alias

; --- assertions: expect(x).toBe(y), expect(x).to.equal(y), x.should.equal(y)
(call_expression
  function: [(identifier) (member_expression)] @_e (#match? @_e "^(expect(\\s*\\.\\s*(soft|poll))?|expectTypeOf|assertThat|should|chai\\.expect)$")
  arguments: (arguments . (_) @subject)
  (#set! chain "member_expression call_expression non_null_expression")) @assert
; A function of the project that gives an expectation: expectDedent(lines).to.equal(y)
(member_expression
  object: (call_expression function: (identifier) @_e (#match? @_e "^expect[A-Z]\\w*$") arguments: (arguments . (_) @subject)) @assert
  property: (property_identifier) @_to (#match? @_to "^(to|not|to[A-Z]\\w*|resolves|rejects)$")
  (#set! chain "member_expression call_expression non_null_expression"))
(call_expression
  function: [(identifier) (member_expression)] @_e (#any-of? @_e "expect" "chai.expect" "assert" "assert.ok" "should")
  arguments: (arguments . [(true) (false) (number) (string) (null)] @subject @constant)
  (#set! chain "member_expression call_expression")) @assert
(call_expression
  function: (identifier) @_e (#eq? @_e "expect") arguments: (arguments "(" . ")")
  (#set! chain "member_expression call_expression") (#set! strength "nothing")) @assert
(member_expression object: (member_expression object: (_) @subject property: (_) @_should) @assert (#eq? @_should "should")
  (#set! chain "member_expression call_expression"))
; expect(x).toBe; calls no matcher.
(expression_statement (member_expression
  object: (call_expression function: (identifier) @_e (#eq? @_e "expect") arguments: (arguments . (_) @subject))
  property: (property_identifier) @how (#match? @how "^to[A-Z]")) @assert (#set! strength "nothing"))
(call_expression
  function: (member_expression object: (_) @_e property: (_) @_how (#any-of? @_how "assertions" "hasAssertions" "unreachable" "fail")) @how
  arguments: (arguments (_)? @expected)
  (#eq? @_e "expect")) @assert
; assert(a === b) demands one value.
(call_expression
  function: [(identifier) (member_expression)] @how (#any-of? @how "assert" "assert.ok" "t.assert.ok" "chai.assert")
  arguments: (arguments . (binary_expression left: (_) @subject operator: ["===" "=="] right: (_) @expected))
  (#set! strength "exact")) @assert
; assert(x), assert.equal(a, b), t.is(a, b), sinon.assert.calledOnce(spy)
(call_expression
  function: (identifier) @how (#any-of? @how "assert" "assertEquals" "assertStrictEquals" "assertNotEquals" "assertExists" "assertThrows" "assertRejects" "assertMatch" "assertStringIncludes" "assertArrayIncludes" "assertObjectMatch" "assertAlmostEquals" "assertInstanceOf" "assertFalse" "fail" "ok" "equal" "strictEqual" "deepEqual" "deepStrictEqual" "notEqual" "notStrictEqual" "throws" "rejects" "doesNotThrow")
  arguments: (arguments . (_)? @subject . (_)? @expected)) @assert
(call_expression
  function: (member_expression object: (_) @_o property: (property_identifier) @how)
  arguments: (arguments . (_)? @subject . (_)? @expected)
  (#match? @_o "^(chai\\.|sinon\\.|console\\.|t\\.|ctx\\.|context\\.)?assert(\\.strict)?$|^(strictAssert|nodeAssert)$") (#not-match? @_o "^console")) @assert
(call_expression
  function: (member_expression object: (identifier) @_o (#eq? @_o "t") property: (property_identifier) @how)
  arguments: (arguments . (_)? @subject . (_)? @expected)
  (#any-of? @how "is" "not" "deepEqual" "notDeepEqual" "like" "truthy" "falsy" "true" "false" "assert" "throws" "throwsAsync" "notThrows" "notThrowsAsync" "regex" "notRegex" "snapshot" "equal" "equals" "notEqual" "same" "notSame" "ok" "notOk" "match" "error" "fail" "deepLooseEqual" "strictEqual" "isDeeply")) @assert
; t.pass() holds always.
(call_expression
  function: (member_expression object: (identifier) @_o (#eq? @_o "t") property: (property_identifier) @how (#eq? @how "pass"))
  (#set! strength "nothing")) @assert
; cy.get("x").should("be.visible"), and with a part: should("have.length.above", 1)
(call_expression
  function: (member_expression object: (call_expression) @subject property: (property_identifier) @how (#any-of? @how "should" "and"))
  arguments: (arguments . (string) @expected .)
  (#match? @expected "^.(not\\.)?(exist|be\\.(visible|hidden|ok|enabled|disabled|checked|focused|an?))") (#set! strength "something")) @assert
(call_expression
  function: (member_expression object: (call_expression) @subject property: (property_identifier) @how (#any-of? @how "should" "and"))
  arguments: (arguments . (string) @_chain (_)) @expected
  (#match? @_chain "^.(not\\.|contain|include|match|have\\.length|be\\.(greater|gt|above|less|lt|below|at|within|close))") (#set! strength "part")) @assert
; request(app).get("/").expect(200), cy.get("x").should("have.text", "a")
(call_expression
  function: (member_expression object: (call_expression) @subject property: (property_identifier) @how (#any-of? @how "expect" "should" "expectStatus" "expectJson"))
  arguments: (arguments) @expected) @assert
(call_expression function: (_) @how (#any-of? @how "assert.fail" "expect.fail" "should.fail" "expect.unreachable") (#set! strength "exact")) @assert

; --- code that is not reached, and failures that are lost
(statement_block (return_statement) @return)
(statement_block (throw_statement) @return)
(if_statement condition: (parenthesized_expression [(false) (null) (undefined)]) consequence: (_) @dead) @mark
(if_statement condition: (parenthesized_expression (number) @_zero) consequence: (_) @dead (#eq? @_zero "0")) @mark
(while_statement condition: (parenthesized_expression (false)) body: (_) @dead) @mark
(call_expression function: (member_expression object: (array) @_none property: (_) @_each (#any-of? @_each "forEach" "map" "every" "filter"))
  arguments: (arguments . (_) @dead) (#match? @_none "^\\[\\s*\\]$")) @mark
(for_in_statement right: (array) @_none body: (_) @dead (#match? @_none "^\\[\\s*\\]$")) @mark
(if_statement condition: (parenthesized_expression (true)) alternative: (_) @dead)
(if_statement condition: (parenthesized_expression (_) @condition) consequence: (_) @branch)
(if_statement condition: (_) @condition alternative: (_) @branch)
(binary_expression left: (_) @condition operator: "&&" right: (_) @branch)
(catch_clause body: (_) @branch @condition)
(try_statement body: (_) @swallow handler: (catch_clause body: (_) @handler))
(throw_statement) @throw
(call_expression function: [(identifier) @_f (member_expression property: (_) @_f)] (#any-of? @_f "done" "reject" "fail" "next" "cb" "callback")) @throw
(call_expression function: (member_expression object: (_) @swallow property: (_) @_catch)
  arguments: (arguments . [(arrow_function body: (_) @handler) (function_expression body: (_) @handler)] .) (#eq? @_catch "catch"))

; --- functions, hooks, names
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(method_definition name: (_) @name body: (_) @body) @function
(variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(pair key: (property_identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(assignment_expression left: (_) @name right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(call_expression
  function: (_) @name (#match? @name "^((test|t|QUnit|hooks)\\.)?(before|after|beforeEach|afterEach|beforeAll|afterAll|setup|teardown|suiteSetup|suiteTeardown)$")
  arguments: (arguments [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) (#set! kind "hook")) @function

(function_declaration name: (_) @define)
(generator_function_declaration name: (_) @define)
(class_declaration name: (_) @define)
(method_definition name: (_) @define)
(variable_declarator name: (identifier) @define)
(assignment_expression left: (member_expression property: (_) @define))
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (_) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (_) @call))

; --- comments and debugging aids
(comment) @comment
(debugger_statement "debugger" @what) @debug
(call_expression function: (member_expression object: (identifier) @_c (#eq? @_c "console") property: (_) @_log
  (#any-of? @_log "log" "debug" "dir" "trace" "table" "time" "timeEnd")) @what) @debug
(call_expression function: (identifier) @what (#eq? @what "alert")) @debug
(call_expression function: (_) @what (#any-of? @what "page.pause" "cy.pause" "cy.debug" "screen.debug" "browser.debug")) @debug
