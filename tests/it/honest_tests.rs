//! Honest changes of tests that look like tampering, each beside the tampering that it looks like.

use crate::scratch::Scratch;
use crate::tamper::{against, repo, session};
use serde_json::Value;

/// A file: its path, and its text before and after.
pub type Edit<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

/// The levels and rules of the findings, without notes. They are the same in a session and against a commit.
pub fn found(edits: &[Edit<'_>]) -> String {
    let scratch = repo("");
    let write = |scratch: &Scratch, path: &str, text: Option<&str>| match text {
        Some(text) => scratch.write(path, text),
        None => drop(scratch.ok(&format!("rm -f '{path}'"))),
    };
    edits.iter().for_each(|(path, then, _)| write(&scratch, path, *then));
    scratch.ok("git add -A && git commit -qm code --allow-empty && git branch -f main");
    scratch.prompt("s", "go");
    edits.iter().for_each(|(path, _, now)| write(&scratch, path, *now));
    let of = |event: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or("").to_string();
        let all = event["findings"].as_array().into_iter().flatten();
        let all = all.map(|finding| format!("{} {}", text(&finding["level"]), text(&finding["rule"])));
        all.filter(|row| !row.starts_with("note")).collect::<Vec<_>>().join(", ")
    };
    let (in_session, by_commit) = (of(&session(&scratch)), of(&against(&scratch)));
    assert_eq!(in_session, by_commit);
    in_session
}

pub fn edited(path: &str, then: &str, now: &str) -> String {
    found(&[(path, Some(then), Some(now))])
}

const BY_CLASS: &str = "class Strict(Parser):\n    def load_lenient_mode(self):\n        return None\n\n\ndef test_parses():\n    assert Parser().parse('a') == 'a'\n\n\ndef test_strict():\n    assert Strict().parse('a') == 'a'\n";
const PARSER: &str = "class Parser:\n    def parse(self, text):\n        self.load_lenient_mode()\n        return text\n\n    def load_lenient_mode(self):\n        return 1\n";

#[test]
fn a_test_goes_with_what_its_own_helper_class_overrides() {
    let tests = "def test_parses():\n    assert Parser().parse('a') == 'a'\n";
    let source = "class Parser:\n    def parse(self, text):\n        return text\n";
    let with = |now: &str, class: &str| {
        let tests = format!("{class}{tests}");
        found(&[("src/parser.py", Some(PARSER), Some(now)), ("tests/test_parser.py", Some(BY_CLASS), Some(&tests))])
    };
    assert_eq!(with(source, ""), "");
    assert_eq!(with(PARSER, ""), "tampered no_deleted_tests", "source still has it");
    let class = BY_CLASS.split("def test_parses").next().unwrap();
    assert_eq!(with(source, class), "tampered no_deleted_tests", "the class of the test is still there");
}

#[test]
fn a_file_below_helpers_is_no_test_whatever_its_language() {
    let compose = "services:\n  db:\n    image: db\n";
    assert_eq!(found(&[("test/helpers/compose.yml", Some(compose), None)]), "");
    let server = "const client = connect();\nexport function verify(it) {\n  return client.verify(it);\n}\n";
    assert_eq!(found(&[("test/helpers/server.js", Some(server), None)]), "");
    assert_eq!(found(&[("test/server.js", Some(server), None)]), "tampered no_deleted_tests");
    let test = "test('a', () => {\n  expect(a()).toBe(1);\n});\n";
    assert_eq!(found(&[("test/helpers/server.test.js", Some(test), None)]), "tampered no_deleted_tests");
}

#[test]
fn prose_in_asciidoc_has_no_marks() {
    let prose = "= Use\n\nTODO entries: `# rubocop:disable all`\n";
    assert_eq!(found(&[("docs/use.adoc", None, Some(prose))]), "");
    assert_eq!(found(&[("docs/use.rb", None, Some("# TODO: later\n"))]), "warning no_new_todos");
}

#[test]
fn a_test_that_needs_the_same_module_is_skipped_as_before() {
    let body = "    assert watch() == 1\n";
    let by_mark = format!("@pytest.mark.skipif(watchdog_version < '5', reason='old')\ndef test_a():\n{body}");
    let by_import = |name: &str| format!("def test_a():\n    pytest.importorskip('{name}')\n{body}");
    let path = "tests/test_a.py";
    assert_eq!(edited(path, &by_mark, &by_import("watchdog")), "");
    assert_eq!(edited(path, &by_mark, &by_import("other")), "warning no_new_skips");
    assert_eq!(edited(path, &format!("def test_a():\n{body}"), &by_import("watchdog")), "warning no_new_skips");
}

#[test]
fn a_test_that_is_called_by_a_condition_is_read() {
    let test = |callee: &str| format!("{callee}('works', () => {{\n  expect(a()).toBe(1);\n}});\n");
    let chosen = "(/^v18/.test(process.version) ? it.skip : it)";
    let path = "test/a.test.js";
    assert_eq!(edited(path, &test("it"), &test(chosen)), "warning no_new_skips");
    assert_eq!(edited(path, &test(chosen), &test("it")), "");
    assert_eq!(edited(path, &test("it"), &test("(true ? it.skip : it)")), "tampered no_new_skips");
    assert_eq!(edited(path, &test(chosen), ""), "tampered no_deleted_tests");
}

#[test]
fn rows_may_be_values_of_an_object() {
    let tests = "it('joins', () => {\n  expect(slug('a b')).toBe('a-b');\n});\nit('trims', () => {\n  expect(slug(' a ')).toBe('a');\n});\n";
    let table = |rows: &str| {
        format!(
            "const cases = {{{rows}}};\nfor (const [name, row] of Object.entries(cases)) {{\n  it(name, () => {{\n    expect(slug(row.text)).toBe(row.slug);\n  }});\n}}\n"
        )
    };
    let both = table("joins: { text: 'a b', slug: 'a-b' }, trims: { text: ' a ', slug: 'a' }");
    let one = table("joins: { text: 'a b', slug: 'a-b' }");
    let path = "test/slug.test.js";
    assert_eq!(edited(path, tests, &both), "");
    assert_eq!(edited(path, tests, &one), "tampered no_deleted_tests");
    assert_eq!(edited(path, &both, &one), "tampered no_deleted_tests");
}

#[test]
fn rows_that_became_assertions_of_the_same_test_are_not_lost() {
    let table =
        "@pytest.mark.parametrize('a', [1, 2, 3])\ndef test_a(a):\n    result = run(a)\n    assert result.ok is True\n";
    let inline = |times: &[u8]| {
        let lines: String =
            times.iter().map(|a| format!("    result = run({a})\n    assert result.ok is True\n")).collect();
        format!("def test_a():\n{lines}")
    };
    let path = "tests/test_a.py";
    assert_eq!(edited(path, table, &inline(&[1, 2, 3])), "");
    assert_eq!(edited(path, table, &inline(&[1])), "tampered no_deleted_tests");
}

#[test]
fn a_subject_that_is_expected_is_the_subject() {
    let head = "RSpec.describe Slug do\n  subject { Slug.new('a b') }\n";
    let short = format!("{head}  it {{ is_expected.to eq('a-b') }}\n  it {{ is_expected.to be_frozen }}\nend\n");
    let long = format!(
        "{head}  it 'joins words' do\n    expect(subject).to eq('a-b')\n  end\n  it 'is frozen' do\n    expect(subject).to be_frozen\n  end\nend\n"
    );
    let path = "spec/slug_spec.rb";
    assert_eq!(edited(path, &short, &long), "");
    assert_eq!(edited(path, &long, &short), "");
    let less = long.replace("to eq('a-b')", "to be_truthy");
    assert!(edited(path, &short, &less).contains("no_weakened_asserts"), "{}", edited(path, &short, &less));
}

#[test]
fn a_comparison_that_may_throw_is_the_same_comparison() {
    let test = |code: &str| format!("import Testing\n\n@Test func less() throws {{\n  #expect({code})\n}}\n");
    let path = "Tests/LessTests.swift";
    assert_eq!(edited(path, &test("a < b"), &test("try a < b")), "");
    assert_eq!(edited(path, &test("a == 1"), &test("try a == 1")), "");
    assert!(edited(path, &test("try a == 1"), &test("try a != 2")).contains("no_weakened_asserts"));
}

#[test]
fn the_text_around_an_escape_is_a_part_of_a_string() {
    let scratch = repo("");
    let outline = |text: &str| {
        scratch.write("test_a.py", &format!("def test_a():\n    assert show('{text}\\n') == 'a'\n"));
        scratch.ok("rg-outline --json test_a.py").out
    };
    let (foo, bar) = (outline("foo"), outline("bar"));
    assert!(foo.contains("foo") && bar.contains("bar"), "{foo}\n{bar}");
}
