//! Honest changes of values, tables, conditions and marks: another name, another place, a wider condition. Each stands beside tampering
//! that looks like it.

use crate::honest_tests::{edited, found};

#[test]
fn a_value_with_another_name_is_asserted_as_before() {
    let test = |open: &str, name: &str, rest: &str| {
        format!(
            "const {{ tspl }} = require('@matteo.collina/tspl');\nconst {{ test }} = require('node:test');\n\ntest('times out', async (t) => {{\n  {open}\n  const err = await run().catch((e) => e);\n  {name}.ok(err instanceof TimeoutError);\n{rest}}});\n"
        )
    };
    let exact = |name: &str| format!("  {name}.strictEqual(err.code, 'TIMEOUT');\n");
    let then = test("t = tspl(t, { plan: 2 });", "t", &exact("t"));
    let open = "const plan = tspl(t, { plan: 2 });";
    assert_eq!(edited("test/a.js", &then, &test(open, "plan", &exact("plan"))), "");
    assert_ne!(edited("test/a.js", &then, &test(open, "plan", "")), "", "one assertion is gone");
    let other = test("const plan = fake(t, { plan: 2 });", "plan", &exact("plan"));
    assert_ne!(edited("test/a.js", &then, &other), "", "another value");
    let branch = "  if (false) {\n    plan.strictEqual(err.code, 'TIMEOUT');\n  }\n";
    assert_ne!(edited("test/a.js", &then, &test(open, "plan", branch)), "", "in a branch");
}

#[test]
fn assertions_about_single_values_may_become_a_loop_over_them() {
    let single = "  it 'matches' do\n    r = Block::SYNTAX\n    assert_match 'ruby', r\n    assert_match 'c#', r\n    assert_match 'x.y', r\n  end\n";
    let looped = |values: &str, assert: &str| {
        format!("  it 'matches' do\n    r = Block::SYNTAX\n    [{values}].each {{ |sample| {assert} }}\n  end\n")
    };
    let spec = |test: &str| format!("describe Block do\n{test}end\n");
    let with = |now: &str| edited("spec/block_spec.rb", &spec(single), &spec(now));
    assert_eq!(with(&looped("'ruby', 'c#', 'x.y'", "assert_match sample, r")), "");
    assert_ne!(with(&looped("'ruby', 'c#'", "assert_match sample, r")), "", "a value is gone");
    assert_ne!(with(&looped("'ruby', 'c#', 'x.y'", "assert sample")), "", "less is asserted");
    let js = |body: &str| format!("test('parses', () => {{\n{body}}});\n");
    let then = js("  expect(parse('a')).toBe(1);\n  expect(parse('a')).toBe(2);\n  expect(parse('a')).toBe(3);\n");
    let now = js("  for (const n of [1, 2, 3]) {\n    expect(parse('a')).toBe(n);\n  }\n");
    assert_eq!(edited("a.test.js", &then, &now), "");
}

#[test]
fn a_table_may_have_a_name_or_move_to_conftest() {
    let go = |table: &str, over: &str| {
        format!(
            "package zap\n\nfunc TestSampler(t *testing.T) {{\n{table}\tfor _, lvl := range {over} {{\n\t\tt.Run(lvl.String(), func(t *testing.T) {{\n\t\t\tif sample(lvl) != 1 {{\n\t\t\t\tt.Fatal(lvl)\n\t\t\t}}\n\t\t}})\n\t}}\n}}\n"
        )
    };
    let list = "[]Level{DebugLevel, InfoLevel, WarnLevel}";
    let named = |list: &str| go(&format!("\tlevels := {list}\n"), "levels");
    assert_eq!(edited("sampler_test.go", &go("", list), &named(list)), "");
    assert_ne!(edited("sampler_test.go", &go("", list), &named("[]Level{DebugLevel}")), "", "cases are gone");

    let fixture = |params: &str| {
        format!("@pytest.fixture(params=[{params}])\ndef runner(request):\n    return request.param\n\n\n")
    };
    let test = "def test_runs(runner):\n    assert runner(f) == 1\n";
    let then = format!("import pytest\n\n\n{}{test}", fixture("with_asyncio, with_trio"));
    let with = |conftest: &str| {
        let conftest = format!("import pytest\n\n\n{conftest}");
        found(&[("tests/test_async.py", Some(&then), Some(test)), ("tests/conftest.py", None, Some(&conftest))])
    };
    assert_eq!(with(&fixture("with_asyncio, with_trio")), "");
    assert_eq!(with(&fixture("with_asyncio")), "tampered no_deleted_tests", "a case is gone");
}

#[test]
fn a_wider_condition_of_a_build_skips_nothing_more() {
    let rust = |condition: &str| {
        format!("{condition}#[test]\nfn opens() {{\n    let out = open(\"a\");\n    assert_eq!(out.name, \"a\");\n}}\n")
    };
    let with = |then: &str, now: &str| edited("tests/open.rs", &rust(then), &rust(now));
    assert_eq!(with("#[cfg(unix)]\n", "#[cfg(any(unix, windows))]\n"), "");
    assert_eq!(with("#[cfg(all(unix, feature = \"slow\"))]\n", "#[cfg(unix)]\n"), "");
    assert_ne!(with("#[cfg(any(unix, windows))]\n", "#[cfg(feature = \"slow\")]\n"), "", "another condition");
    assert_ne!(with("#[cfg(unix)]\n", "#[cfg(all(unix, feature = \"slow\"))]\n"), "", "a narrower one");
    let js = |condition: &str| {
        format!("it.skipIf({condition})('opens', () => {{\n  expect(open('a').name).toBe('a');\n}});\n")
    };
    let with = |then: &str, now: &str| edited("a.test.js", &js(then), &js(now));
    assert_eq!(with("isSlow || isOld", "isSlow"), "");
    assert_ne!(with("isSlow", "isSlow || isOld"), "", "it skips more");
}

#[test]
fn a_new_test_may_skip_where_something_cannot_be_had() {
    let test = |body: &str| {
        format!("class ServerTest < Minitest::Test\n  def test_starts\n    assert_equal 1, start\n  end\n{body}end\n")
    };
    let skips = "\n  def test_connects\n    assert_equal 'ok', connect\n  rescue Errno::ECONNREFUSED\n    skip 'no server'\n  end\n";
    assert_eq!(edited("test/server_test.rb", &test(""), &test(skips)), "");
    let always = "\n  def test_connects\n    skip 'no server'\n    assert_equal 'ok', connect\n  end\n";
    assert_ne!(edited("test/server_test.rb", &test(""), &test(always)), "", "it never runs");
    let known = test(&skips.replace("  rescue Errno::ECONNREFUSED\n    skip 'no server'\n", ""));
    assert_ne!(edited("test/server_test.rb", &known, &test(skips)), "", "it was there, and ran");
}

#[test]
fn an_assertion_in_a_function_that_hides_failures_is_weaker() {
    let test = |body: &str, swallow: &str| format!("{swallow}test('adds', () => {{\n{body}}});\n");
    let plain = "  const x = add(1, 2);\n  expect(x).toBe(3);\n";
    let inside = "  const x = add(1, 2);\n  swallow(() => expect(x).toBe(3));\n";
    let hides = "function swallow(f) {\n  try {\n    f();\n  } catch {\n  }\n}\n\n";
    let passes = "function swallow(f) {\n  try {\n    f();\n  } finally {\n    close();\n  }\n}\n\n";
    let with = |swallow: &str| edited("a.test.js", &test(plain, ""), &test(inside, swallow));
    assert_eq!(with(hides), "tampered no_weakened_asserts");
    assert_eq!(with(passes), "", "a failure passes");
    let elsewhere = found(&[
        (
            "a.test.js",
            Some(&test(plain, "")),
            Some(&format!("import {{ swallow }} from './util';\n{}", test(inside, ""))),
        ),
        ("util.js", None, Some(&format!("export {hides}"))),
    ]);
    assert!(elsewhere.contains("tampered no_weakened_asserts"), "in another file: {elsewhere}");
    let python = |body: &str, with: &str| format!("{with}def test_adds():\n    x = add(1, 2)\n{body}");
    let quiet =
        "@contextmanager\ndef quietly():\n    try:\n        yield\n    except AssertionError:\n        pass\n\n\n";
    let then = python("    assert x == 3\n", "");
    let now = python("    with quietly():\n        assert x == 3\n", quiet);
    assert_eq!(edited("tests/test_add.py", &then, &now), "tampered no_weakened_asserts");
}

#[test]
fn a_function_of_the_project_that_compares_again_and_again_makes_the_demand() {
    let test = |assert: &str| format!("test('shows', async () => {{\n  await click('a');\n  {assert}\n}});\n");
    let once = test("expect(await page.textContent('.title')).toBe('hello');");
    let again = |value: &str| test(&format!("await untilUpdated(() => page.textContent('.title'), '{value}');"));
    let helper = |last: &str| {
        format!(
            "export async function untilUpdated(poll, expected) {{\n  for (let tries = 0; tries < 100; tries++) {{\n    const actual = await poll();\n    if (actual === expected || tries === 99) {{\n      {last}\n      break;\n    }}\n    await timeout(50);\n  }}\n}}\n"
        )
    };
    let with = |value: &str, last: &str| {
        found(&[
            ("e2e/title.test.js", Some(&once), Some(&again(value))),
            ("e2e/util.js", Some(&helper(last)), Some(&helper(last))),
        ])
    };
    assert_eq!(with("hello", "expect(actual).toBe(expected);"), "");
    assert_ne!(with("bye", "expect(actual).toBe(expected);"), "", "another value");
    assert_ne!(with("hello", "log(actual, expected);"), "", "it never fails");
}

#[test]
fn a_suppression_on_a_rewritten_statement_is_no_new_one() {
    let source = |body: &str| format!("class Block:\n    def render(self):\n{body}        return rv\n");
    let with = |then: &str, now: &str| edited("app/block.py", &source(then), &source(now));
    let old = "        rv = concat([x for x in self.stack])  # type: ignore\n";
    let split = "        rv = self.environment.concat(  # type: ignore\n            [x for x in self.stack]  # type: ignore\n        )\n";
    assert_eq!(with(old, split), "");
    let bare = "        rv = concat(self.stack)\n";
    let anew = "        rv = self._context.environment.join_all(  # type: ignore\n            self.stack\n        )\n";
    assert_eq!(with(bare, anew), "warning no_disabled_lint", "a statement that was written anew");
    assert_eq!(with(bare, "        rv = concat(self.stack)  # type: ignore\n"), "tampered no_disabled_lint");
    let beside = "        rv = concat([x for x in self.stack])\n        rw = concat(self.rest)\n";
    let both =
        beside.replace(")\n        rw", ")  # type: ignore\n        rw").replace("rest)\n", "rest)  # type: ignore\n");
    assert_ne!(with(&beside.replace(")\n        rw", ")  # type: ignore\n        rw"), &both), "", "another line");
}

#[test]
fn documentation_loggers_and_binaries_hold_no_debugging_aids() {
    let code = "# Types\n\n```ts\nconsole.log(Key.equals('string'))\n```\n";
    assert_eq!(found(&[("docs/types.mdx", None, Some(code))]), "");
    let log = "export function write(line) {\n  console.log(line);\n}\n";
    assert_eq!(found(&[("src/logger-plugin.ts", None, Some(log))]), "");
    assert_eq!(found(&[("src/plugin.ts", None, Some(log))]), "warning no_debug_artifacts");
    assert_eq!(found(&[("test/fixture/sum.wasm", None, Some("\u{0}asm\u{1}"))]), "");
    assert_ne!(found(&[("test/fixture/sum.js", Some("a\n"), Some("a\u{0}b\n"))]), "");
}

#[test]
fn a_package_without_code_configures_its_tools_for_the_first_time() {
    let base = (
        "tsconfig.json",
        Some("{\"compilerOptions\": {\"strict\": true}}\n"),
        Some("{\"compilerOptions\": {\"strict\": true}}\n"),
    );
    let loose = "{\"compilerOptions\": {\"strict\": false, \"skipLibCheck\": true}}\n";
    let new = ("examples/app/tsconfig.json", None, Some(loose));
    assert_eq!(found(&[base, new, ("examples/app/index.ts", None, Some("export {};\n"))]), "");
    let there = ("examples/app/index.ts", Some("export {};\n"), Some("export {};\n"));
    assert_ne!(found(&[base, new, there]), "", "its code was there");
    let source = "export function f(text: string) {\n  return text.trim();\n}\n";
    let moved = found(&[base, new, ("src/f.ts", Some(source), None), ("examples/app/f.ts", None, Some(source))]);
    assert_ne!(moved, "", "code moved there");
    assert_ne!(found(&[("tsconfig.json", base.1, Some(loose))]), "", "an existing one");
    let go = |list: &str| format!("linters:\n  enable:\n{list}");
    let lint = |now: &str| edited(".golangci.yml", &go("    - gofmt\n    - revive\n"), &go(now));
    assert_eq!(lint("    - gofumpt\n    - revive\n"), "", "it demands more");
    assert_ne!(lint("    - revive\n"), "");
}

#[test]
fn code_that_a_grammar_does_not_know_is_no_broken_syntax() {
    let test = "import { vi, it, expect } from 'vitest';\n\nvi.mock('./dep.ts', async (original) => ({\n  ...(await original<typeof import('./dep.ts')>()),\n}));\n\nit('a', () => {\n  expect(a()).toBe(1);\n});\n";
    assert_eq!(found(&[("a.test.ts", None, Some(test))]), "");
    let open = test.replace("expect(a()).toBe(1);\n});", "expect(a()).toBe(1);\n");
    assert_ne!(found(&[("a.test.ts", None, Some(&open))]), "", "a bracket is open");
}

#[test]
fn the_assertion_of_the_other_branch_goes_with_the_condition() {
    let test = |body: &str| {
        format!("class MonsterTest < Minitest::Test\n  def test_creates\n    run_generator\n{body}  end\nend\n")
    };
    let then = test(
        "    if Rails.version >= '5.0.3'\n      assert_migration 'db2/create.rb', /def change/\n    else\n      assert_migration 'db/create.rb', /def change/\n    end\n",
    );
    let with = |now: &str| edited("test/monster_test.rb", &then, &test(now));
    assert_eq!(with("    assert_migration 'db2/create.rb', /def change/\n"), "");
    assert_ne!(with(""), "", "neither is left");
    assert_ne!(with("    assert File.exist?('db2/create.rb')\n"), "", "less is asserted");
}

#[test]
fn an_assertion_of_a_chain_over_lines_is_read() {
    let poll = |value: &str| {
        format!(
            "test('shows', async () => {{\n  await expect\n    .poll(() => page.textContent('.a'), {{ timeout: 5_000 }})\n    .toBe({value});\n}});\n"
        )
    };
    let once = "test('shows', async () => {\n  await expect.poll(() => page.textContent('.a')).toBe('b');\n});\n";
    assert_eq!(edited("a.test.ts", once, &poll("'b'")), "");
    let empty = "test('shows', async () => {\n  await page.textContent('.a');\n});\n";
    assert_ne!(edited("a.test.ts", &poll("'b'"), empty), "", "nothing is asserted");
}

#[test]
fn a_helper_that_lets_an_error_pass_asserts_as_much() {
    let test = |body: &str| {
        format!(
            "class MonitorTest {{\n    void observe(File file) throws Exception {{\n{body}    }}\n\n    @Test\n    void starts() throws Exception {{\n        observe(new File(\"a\"));\n        assertEquals(1, count());\n    }}\n}}\n"
        )
    };
    let then = test(
        "        try {\n            observer.initialize(file);\n        } catch (final Exception e) {\n            fail(\"threw \" + e);\n        }\n",
    );
    assert_eq!(edited("src/test/java/MonitorTest.java", &then, &test("        observer.initialize(file);\n")), "");
    let hides = test(
        "        try {\n            observer.initialize(file);\n        } catch (final Exception e) {\n            log(e);\n        }\n",
    );
    assert_ne!(edited("src/test/java/MonitorTest.java", &then, &hides), "");
}

#[test]
fn a_fixture_that_skips_as_before_may_be_rewritten() {
    let conftest = |body: &str| format!("import pytest\n\n\n@pytest.fixture\ndef remote(is_there):\n{body}");
    let skip = "    pytest.skip('not resolvable')\n";
    let then = conftest(&format!("    if is_there:\n        return Server('http://a')\n{skip}"));
    let now = conftest(&format!("    if is_there:\n        return 'http://a'\n{skip}"));
    assert_eq!(edited("tests/conftest.py", &then, &now), "");
    let more = format!("{then}\n\n@pytest.fixture(autouse=True)\ndef always():\n{skip}");
    assert_ne!(edited("tests/conftest.py", &then, &more), "", "another fixture skips");
}

#[test]
fn a_new_test_may_assert_the_opposite_or_more() {
    let test = |rest: &str, beside: &str| {
        format!(
            "describe('handler', () => {{\n  it('calls', () => {{\n    const handler = define({{ fetch }});\n    handler();\n{rest}    expect(called).toBe(1);\n    expect(fetch.name).toBe('a');\n  }});\n{beside}}});\n"
        )
    };
    let then = test("    expect(handler.fetch).toBe(fetch);\n", "");
    let opposite = "\n  it('wraps fetch', () => {\n    const handler = define({ fetch });\n    expect(handler.fetch).not.toBe(fetch);\n  });\n";
    let source = |value: &str| format!("export function define(options) {{\n  return {value};\n}}\n");
    let with = |source_now: &str, now: &str| {
        found(&[
            ("src/handler.js", Some(&source("options.fetch")), Some(source_now)),
            ("test/handler.test.js", Some(&then), Some(now)),
        ])
    };
    let wrapped = source("wrap(options.fetch)");
    assert_eq!(with(&wrapped, &test("", opposite)), "");
    assert_ne!(with(&wrapped, &test("", "")), "", "nothing says what holds now");
    assert_ne!(with(&source("options.fetch"), &test("", opposite)), "", "source is the same");
    assert_ne!(with(&wrapped, &test("", &opposite.replace("it('wraps", "it.skip('wraps"))), "", "it does not run");
}
