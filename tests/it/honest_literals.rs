//! Honest changes of tests whose input, option, form or place is another one now. Each stands beside tampering that looks like it.

use crate::honest_tests::{Edit, found};

const GONE: &str = "tampered no_deleted_tests";

/// A command with a flag whose words stand in other code and in other tests, too.
const COMMAND: &str = "import { write } from './write.js';\n\nexport function run(args) {\n  const options = { color: true };\n  for (const arg of args) {\n    if (arg === '--keep') {\n      options.keep = true;\n      options.color = !arg;\n      continue;\n    }\n    if (arg === '--plain') {\n      options.color = false;\n      continue;\n    }\n    options.file = arg;\n  }\n  return write(options);\n}\n";
const FLAG: &str = "    if (arg === '--plain') {\n      options.color = false;\n      continue;\n    }\n";
/// Other code with the word of the flag.
const OTHER: &str =
    "export function plain(text) {\n  return text.trim();\n}\n\nexport function write(plain) {\n  return plain;\n}\n";
const OTHER_TEST: &str = "import { plain } from '../src/write.js';\n\ntest('writes a text', () => {\n  expect(plain(' plain ')).toBe('plain');\n});\n";
const KEPT: &str = "import { run } from '../src/run.js';\n\ntest('keeps', () => {\n  expect(run(['--keep', 'a']).keep).toBe(true);\n});\n";
const LOST: &str =
    "\ntest('writes no colors', () => {\n  const out = run(['--plain', 'a']);\n  expect(out.color).toBe(false);\n});\n";

/// The findings if the source, and one more file, become these, and the test of the flag is removed.
fn without_flag(source: &str, more: &[Edit<'_>]) -> String {
    let then = format!("{KEPT}{LOST}");
    let mut edits: Vec<Edit<'_>> = vec![
        ("src/run.js", Some(COMMAND), Some(source)),
        ("src/write.js", Some(OTHER), Some(OTHER)),
        ("test/write.test.js", Some(OTHER_TEST), Some(OTHER_TEST)),
        ("test/run.test.js", Some(&then), Some(KEPT)),
    ];
    edits.extend(more);
    found(&edits)
}

#[test]
fn a_test_goes_with_a_flag_that_left_the_source() {
    let less = COMMAND.replace(FLAG, "");
    assert_eq!(without_flag(&less, &[]), "");
    assert_eq!(without_flag(COMMAND, &[]), GONE, "the flag is still there");
    assert_eq!(without_flag(&COMMAND.replace("'--plain'", "`--${PLAIN}`"), &[]), GONE, "it was replaced");
}

#[test]
fn a_flag_that_is_still_reachable_excuses_no_removed_test() {
    let less = COMMAND.replace(FLAG, "");
    let table = less.replace("options.file = arg", "if (FLAGS[arg]) FLAGS[arg](options);\n    options.file = arg");
    let flags = "export const FLAGS = { '--plain': options => (options.color = false) };\n";
    assert_eq!(without_flag(&table, &[("src/flags.js", None, Some(flags))]), GONE, "a table in another file");
    let named = "export const NAMES = ['plain'];\n";
    assert_eq!(without_flag(&table, &[("src/names.js", None, Some(named))]), GONE, "its name is in a list");
    let data = "{\n  \"plain\": { \"color\": false }\n}\n";
    assert_eq!(without_flag(&table, &[("src/flags.json", None, Some(data))]), GONE, "data that code reads");
    let known = "export const known = ['--plain'];\n";
    assert_eq!(without_flag(&less, &[("src/known.js", Some(known), Some(known))]), GONE, "an unchanged file");
    let constant = COMMAND.replace("arg === '--plain'", "arg === PLAIN");
    assert_eq!(without_flag(&constant, &[("src/a.js", None, Some("export const PLAIN = '--plain';\n"))]), GONE);
}

#[test]
fn a_removed_line_that_does_nothing_excuses_no_removed_test() {
    let with = |line: &str| COMMAND.replace("  const options", &format!("{line}  const options"));
    let then = format!("{KEPT}{}", LOST.replace("--plain", "--bare"));
    let by = |line: &str| {
        found(&[
            ("src/run.js", Some(&with(line)), Some(COMMAND)),
            ("src/write.js", Some(OTHER), Some(OTHER)),
            ("test/write.test.js", Some(OTHER_TEST), Some(&OTHER_TEST.replace("' plain '", "' plain'"))),
            ("test/run.test.js", Some(&then), Some(KEPT)),
            // Other tests use the word, so that it has not vanished.
            (
                "test/bare.test.js",
                Some("// --bare\nconst bare = '--bare';\n"),
                Some("// --bare\nconst bare = '--bare';\n"),
            ),
        ])
    };
    assert_eq!(by("  console.log('--bare');\n"), GONE);
    assert_eq!(by("  logger.debug(['--bare']);\n"), GONE);
    assert_eq!(by("  // '--bare'\n"), GONE);
    let check = "  if (args.includes('--bare')) throw new TypeError('bare');\n";
    assert_eq!(by(check), "warning no_deleted_tests", "a check that failed");
}

#[test]
fn a_test_of_many_literals_goes_with_most_of_them() {
    let source = |last: &str| {
        format!(
            "READERS = {{\n    'json': load,\n    'yaml': load,\n    'toml': load,\n{last}}}\n\n\ndef read(kind, text):\n    return READERS[kind](text)\n"
        )
    };
    let other = "def text(plist):\n    return plist\n";
    let with = |name: &str, body: &str| {
        let kept = "from app.read import read\n\n\ndef test_reads():\n    assert read('json', '1') == 1\n";
        let then = format!("{kept}\n\ndef {name}():\n{body}");
        found(&[
            ("app/read.py", Some(&source("    'plist': load,\n")), Some(&source(""))),
            ("app/text.py", Some(other), Some(other)),
            (
                "tests/test_text.py",
                Some("def test_a():\n    assert text('plist') == 'plist'\n"),
                Some("def test_a():\n    assert text('plist') == 'plist'\n"),
            ),
            ("tests/test_read.py", Some(&then), Some(kept)),
        ])
    };
    let one = "    assert read('plist', '<a/>') == 'a'\n";
    assert_eq!(with("test_last", one), "");
    let all = "    for kind in ['json', 'yaml', 'toml', 'plist']:\n        assert read(kind, '1') == 1\n";
    assert_eq!(with("test_all", all), "warning no_deleted_tests", "three kinds of four are still there");
    assert_eq!(with("test_plist", all), "", "its name says which one");
}

/// A function with a special case whose name stands in other code, too.
const CLIENT: &str = "def connect(host, fast=False, http2=False):\n    name = host.strip()\n    if http2:\n        name = name.upper()\n    return name\n";
const PLAIN_CLIENT: &str = "def connect(host, fast=False):\n    name = host.strip()\n    return name\n";
const HTTP2: &str = "def open_http2(http2):\n    return http2\n";
const TYPE: &str = "class Http2:\n    pass\n\n\ndef fail(x):\n    raise ValueError(isinstance(x, int))\n";
const HTTP2_TEST: &str =
    "from app.http2 import open_http2\n\n\ndef test_opens():\n    http2 = open_http2(1)\n    assert http2 == 1\n";

/// The findings if the client becomes this, with another file, and a test is removed from a test file that imports so.
fn without_case(then: &str, now: &str, other: Option<&str>, import: &str) -> String {
    let kept = format!("{import}\n\n\ndef test_connects():\n    assert connect('a') == 'a'\n");
    let old = format!("{kept}\n\ndef test_upper():\n    assert connect('a', http2=True) == 'A'\n");
    found(&[
        ("app/client.py", Some(then), Some(now)),
        ("app/other.py", Some("def other():\n    return 1\n"), Some(other.unwrap_or("def other():\n    return 1\n"))),
        ("app/http2.py", Some(HTTP2), Some(HTTP2)),
        ("tests/test_http2.py", Some(HTTP2_TEST), Some(HTTP2_TEST)),
        ("tests/test_calls.py", Some(&old), Some(&kept)),
    ])
}

#[test]
fn a_test_goes_with_the_special_case_of_the_file_that_it_tests() {
    let import = "from app.client import connect";
    assert_eq!(without_case(CLIENT, PLAIN_CLIENT, None, import), "");
    assert_eq!(without_case(CLIENT, CLIENT, None, import), GONE, "it is still there");
    let half = CLIENT.replace("    if http2:\n        name = name.upper()\n", "");
    assert_eq!(without_case(CLIENT, &half, None, import), GONE, "the file still mentions it");
    let moved = "def prepare(name, http2=False):\n    return name.upper() if http2 else name\n";
    assert_eq!(without_case(CLIENT, PLAIN_CLIENT, Some(moved), import), GONE, "another file has it now");
    assert_eq!(without_case(CLIENT, PLAIN_CLIENT, None, "from app.other import connect"), GONE, "another subject");
    let check = PLAIN_CLIENT
        .replace("    return", "    if isinstance(host, Http2):\n        raise ValueError(Http2)\n    return");
    let with_check = |now: &str| {
        let kept = "from app.client import connect\n\n\ndef test_connects():\n    assert connect('a') == 'a'\n";
        let old =
            format!("{kept}\n\ndef test_type():\n    with pytest.raises(ValueError):\n        connect(Http2())\n");
        let used = HTTP2_TEST.replace("http2 = ", "Http2 = ");
        found(&[
            ("app/client.py", Some(&check), Some(now)),
            ("app/http2.py", Some(TYPE), Some(TYPE)),
            ("tests/test_http2.py", Some(&used), Some(&used)),
            ("tests/test_calls.py", Some(&old), Some(kept)),
        ])
    };
    assert_eq!(with_check(PLAIN_CLIENT), "warning no_deleted_tests", "a check that failed");
    assert_eq!(with_check(&check), GONE);
}

/// A test of a path, with a title, options and an expected value.
fn route(title: &str, options: &str, value: &str) -> String {
    format!("test('{title}', () => {{\n  reset();\n  expect(route('a'{options}).length).toBe({value});\n}});\n")
}

#[test]
fn the_test_of_an_option_that_became_the_default_goes_into_its_twin() {
    let source = |value: &str| {
        format!(
            "export function route(path, options = {{ strict: {value} }}) {{\n  return options.strict ? path : path + '/';\n}}\n"
        )
    };
    let strict = ", { strict: true }";
    let (then, old) = (route("routes", "", "2"), route("routes strictly", strict, "1"));
    let with = |then: &str, now: &str, value: &str| {
        let source = [source("false"), source(value)];
        found(&[("src/route.js", Some(&source[0]), Some(&source[1])), ("src/route.test.js", Some(then), Some(now))])
    };
    assert_eq!(with(&format!("{then}{old}"), &route("routes", "", "1"), "true"), "");
    assert_eq!(with(&format!("{then}{old}"), &route("routes", "", "1"), "false"), GONE, "source did not change");
    assert_eq!(with(&format!("{then}{old}"), &then, "true"), GONE, "the twin expects what it expected before");
    let loose = format!("{}{}", route("routes", "", "1"), route("routes on", strict, "1").replace("'a'", "'b'"));
    assert_eq!(with(&format!("{loose}{old}"), &loose, "true"), GONE, "other tests still use the option");
    let suite = format!(
        "describe('strict', () => {{\n  beforeEach(() => configure(1));\n  {}}});\n",
        route("routes", "", "1").replace('\n', "\n  ")
    );
    assert_eq!(with(&format!("{then}{suite}"), &route("routes", "", "1"), "true"), "", "a suite for the option");
    assert_eq!(with(&format!("{then}{suite}"), &then, "true"), GONE);
}

#[test]
fn a_copy_of_a_test_in_an_inner_suite_is_no_loss_if_nothing_else_happens_there() {
    let inner = |hook: &str| {
        format!("describe('more', () => {{\n{hook}  {}}});\n", route("routes", "", "1").replace('\n', "\n  "))
    };
    let (test, hook) = (route("routes", "", "1"), "  beforeEach(() => configure(1));\n");
    let with = |then: &str, now: &str| found(&[("src/route.test.js", Some(then), Some(now))]);
    assert_eq!(with(&format!("{test}{}", inner("")), &test), "");
    assert_eq!(with(&format!("{test}{}", inner(hook)), &test), GONE, "something happens before it");
    let renamed = inner("").replace("'routes'", "'also routes'");
    assert_eq!(with(&format!("{test}{renamed}"), &test), "", "under another name");
    assert_eq!(
        with(&format!("{}{}", route("routes", "", "2"), inner("")), &route("routes", "", "2")),
        GONE,
        "another one"
    );
}

#[test]
fn a_test_without_assertions_may_become_a_part_of_another_one() {
    let begin = "    path = make('file.py')\n    path.write('import os')\n";
    let fails = "    with raises(SystemExit) as error:\n        main([str(path), '--root'])\n    assert '--all' in str(error.value)\n";
    let runs = "    main(\n        [str(path), '--root', '--all']\n    )\n";
    let test = |name: &str, body: &str| format!("def test_{name}():\n{begin}{body}\n\n");
    let then = format!("{}{}", test("root_alone", fails), test("root_with_all", runs));
    let with = |now: &str| found(&[("tests/test_main.py", Some(&then), Some(now))]);
    assert_eq!(with(&test("root_alone", &format!("{fails}\n    main([str(path), '--root', '--all'])\n"))), "");
    assert_eq!(
        with(&test("root_alone", &format!("{fails}\n    main([str(path), '--all'])\n"))),
        GONE,
        "it runs something else"
    );
    let skipped = format!("@pytest.mark.skip\n{}", test("root_alone", &format!("{fails}{runs}")));
    assert_eq!(with(&skipped), "tampered no_deleted_tests, tampered no_new_skips");
}

#[test]
fn an_assertion_goes_with_the_branch_of_a_variant_that_is_gone() {
    let source = "def dump(kind, text):\n    if kind == 'json':\n        return load(text)\n    if kind == 'legacy':\n        text = old(text)\n    return text\n";
    let less = source.replace("    if kind == 'legacy':\n        text = old(text)\n", "");
    let other = "def old(legacy):\n    return legacy\n\n\ndef load(text):\n    return text\n";
    let test = |kinds: &str, branch: &str| {
        format!(
            "import pytest\nfrom app.dump import dump\n\n\n@pytest.mark.parametrize('kind', [{kinds}])\ndef test_dumps(kind):\n    out = dump(kind, 'a')\n    assert out.name == 'a'\n{branch}    assert out.size == 1\n"
        )
    };
    let branch = "    if kind == 'legacy':\n        assert out.version == 1\n";
    let with = |source_now: &str, kinds: &str, now: &str| {
        found(&[
            ("app/dump.py", Some(source), Some(source_now)),
            ("app/old.py", Some(other), Some(other)),
            (
                "tests/test_old.py",
                Some("def test_a():\n    legacy = old('legacy')\n    assert legacy\n"),
                Some("def test_a():\n    legacy = old('legacy')\n    assert legacy\n"),
            ),
            ("tests/test_dump.py", Some(&test("'json', 'text', 'legacy'", branch)), Some(&test(kinds, now))),
        ])
    };
    let row = "tampered no_deleted_tests";
    let all = "'json', 'text', 'legacy'";
    assert_eq!(with(&less, all, ""), "");
    assert_ne!(with(source, all, ""), "", "source still knows the variant");
    assert_ne!(with(&less, all, "    if kind == 'legacy':\n        print(out)\n"), "", "the branch is still there");
    assert!(with(source, "'json', 'text'", "").contains(row), "a row is lost");
}

#[test]
fn a_test_that_moved_to_another_level_is_known_by_its_texts() {
    let page = "test('shows an error in the browser', async ({ page }) => {\n  await page.goto('/broken/config.html');\n  const text = await page.textContent('#overlay .message-body');\n  expect(text).toBe('Failed to resolve import ./gone.js');\n});\n";
    let unit = |expected: &str| {
        format!(
            "it('formats', () => {{\n  const html = overlay({{ file: '/broken/config.html', at: '#overlay .message-body' }});\n  expect(html.text).toBe({expected});\n}});\n"
        )
    };
    let kept = "test('opens', async ({ page }) => {\n  await page.goto('/');\n  expect(page.url()).toBe('/');\n});\n";
    let then = format!("{kept}{page}");
    let with = |now: &str, new: Option<&str>| {
        found(&[("e2e/overlay.spec.ts", Some(&then), Some(now)), ("src/overlay.test.ts", None, new)])
    };
    assert_eq!(with(kept, Some(&unit("'Failed to resolve import ./gone.js'"))), "");
    assert_eq!(with(kept, None), GONE);
    assert_eq!(with(kept, Some(&unit("'ok'").replace("toBe('ok')", "toBeTruthy()"))), GONE, "it demands less");
    assert_eq!(with(kept, Some(&unit("1").replace("/broken/config.html", "/other/config.html"))), GONE, "other texts");
    let skipped = unit("'Failed to resolve import ./gone.js'").replace("it(", "it.skip(");
    assert!(with(kept, Some(&skipped)).contains(GONE), "it does not run");
}

#[test]
fn a_text_that_was_returned_may_be_thrown() {
    let test = |line: &str| {
        format!("test('checks', () => {{\n  const lint = make();\n{line}  expect(lint.count).toBe(1);\n}});\n")
    };
    let held = "  expect(lint.run('a').includes('must be a number')).toBe(true);\n";
    let thrown = "  expect(() => lint.run('a')).toThrow(/must be a number/);\n";
    let with = |then: &str, now: &str| found(&[("a.test.js", Some(&test(then)), Some(&test(now)))]);
    assert_eq!(with(held, thrown), "");
    assert_eq!(with(thrown, held), "");
    assert_ne!(with(held, "  expect(() => lint.run('a')).toThrow();\n"), "", "any error");
    assert_ne!(with(held, "  expect(() => lint.run('a')).not.toThrow(/must be a number/);\n"), "", "the opposite");
}

#[test]
fn a_file_of_tests_may_get_another_ending_of_its_language() {
    let test = "const { run } = require('../lib/run.js');\nconst { check } = require('./check.js');\n\nit('runs', () => {\n  check(run('a'));\n});\n\nit('stops', () => {\n  check(run('b'));\n});\n";
    let helper =
        "exports.check = value => {\n  global.expect = require('expect');\n  global.expect(value).toBe(1);\n};\n";
    let other = test.replace("./check.js", "./check.cjs");
    let with = |name: &str, now: &str| {
        found(&[
            ("test/run.spec.js", Some(test), None),
            (name, None, Some(now)),
            ("test/setup.js", Some(helper), None),
            ("test/setup.cjs", None, Some(helper)),
        ])
    };
    assert_eq!(with("test/run.spec.cjs", &other), "");
    let all = with("test/run.spec.cjs.txt", &other);
    assert!(all.contains(GONE), "no script: {all}");
    let less = other.replace("it('stops', () => {\n  check(run('b'));\n});\n", "");
    assert_eq!(with("test/run.spec.cjs", &less), GONE, "a test is missing");
}

#[test]
fn an_entry_of_a_table_of_functions_takes_its_assertions_with_it() {
    let entry = |name: &str, count: u8| {
        format!(
            "\t\t\"{name}\": func(t *testing.T, args []string) {{\n\t\t\tif len(args) != {count} {{\n\t\t\t\tt.Fatalf(\"usage: {name}\")\n\t\t\t}}\n\t\t\trun(args)\n\t\t}},\n"
        )
    };
    let file = |entries: &str| {
        format!(
            "package a\n\nimport \"testing\"\n\nfunc commands(t *testing.T) map[string]func(*testing.T, []string) {{\n\treturn map[string]func(*testing.T, []string){{\n{entries}\t}}\n}}\n\nfunc TestAll(t *testing.T) {{\n\tif got := play(commands(t)); got != 1 {{\n\t\tt.Fatalf(\"got %d\", got)\n\t}}\n}}\n"
        )
    };
    let (set, unset) = (entry("set", 2), entry("unset", 1));
    let then = file(&format!("{set}{unset}"));
    let with = |entries: &str| found(&[("a_test.go", Some(&then), Some(&file(entries)))]);
    assert_eq!(with(&set), "");
    let loose = unset.replace("\t\t\tif len(args) != 1 {\n\t\t\t\tt.Fatalf(\"usage: unset\")\n\t\t\t}\n", "");
    assert_ne!(with(&format!("{set}{loose}")), "", "the entry is still there");
}

#[test]
fn what_new_input_of_tests_suppresses_and_skips_is_a_note() {
    let case =
        "def test():\n    return 1  # type: ignore\n\n\n# output\n\n\ndef test():\n    return 1  # type: ignore\n";
    assert_eq!(found(&[("tests/data/cases/a.py", None, Some(case))]), "");
    assert_ne!(found(&[("tests/data/cases/test_a.py", None, Some(case))]), "", "it is a test by its name");
    assert_ne!(found(&[("src/data/cases/a.py", None, Some(case))]), "", "it is source");
    let then = case.replace("  # type: ignore", "");
    assert_ne!(found(&[("tests/data/cases/a.py", Some(&then), Some(case))]), "", "it is not new");
}
