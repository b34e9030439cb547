//! Experimental languages: what rg-outline reads in them warns only, unless DONE.md names the level of the guard.

use crate::tamper::{against, repo, session};
use review_gate::outline::language::{self, LANGUAGES, State};
use serde_json::Value;
use std::fs;
use std::path::Path;

const PHP: &str = "<?php\n\nclass SlugTest extends TestCase\n{\n    public function testLowers(): void\n    {\n        self::assertSame('a', slug('A'));\n    }\n\n    public function testTrims(): void\n    {\n        self::assertSame('b', slug(' b '));\n    }\n}\n";
const C: &str = "#include \"unity.h\"\n\nvoid test_lowers(void)\n{\n    TEST_ASSERT_EQUAL_STRING(\"a\", slug(\"A\"));\n}\n\nvoid test_trims(void)\n{\n    TEST_ASSERT_EQUAL_STRING(\"b\", slug(\" b \"));\n}\n";
const GONE: &str =
    "#include \"unity.h\"\n\nvoid test_lowers(void)\n{\n    TEST_ASSERT_EQUAL_STRING(\"a\", slug(\"A\"));\n}\n";

/// Level, rule and text of the findings after a file is replaced, or removed, under these guards of DONE.md.
fn found(guards: &str, before: &[(&str, &str)], path: &str, after: Option<&str>) -> String {
    let scratch = repo(guards);
    before.iter().for_each(|(path, text)| scratch.write(path, text));
    scratch.ok("git add -A && git commit -qm code && git branch -f main");
    scratch.prompt("s", "go");
    match after {
        Some(text) => scratch.write(path, text),
        None => drop(scratch.ok(&format!("git rm -q {path}"))),
    }
    let lines = |event: &Value| -> Vec<String> {
        let text = |finding: &Value, name: &str| finding[name].as_str().unwrap_or("").to_string();
        let all = event["findings"].as_array().into_iter().flatten();
        all.map(|finding| format!("{} {} {}", text(finding, "level"), text(finding, "rule"), text(finding, "text")))
            .collect()
    };
    let (in_session, by_commit) = (lines(&session(&scratch)), lines(&against(&scratch)));
    assert_eq!(in_session, by_commit);
    in_session.join("\n")
}

#[test]
fn a_finding_in_an_experimental_language_is_a_warning_that_says_why() {
    let removed = |guards: &str| found(guards, &[("tests/test_slug.c", C)], "tests/test_slug.c", Some(GONE));
    let was = "no_deleted_tests test \"test_trims\" was removed";
    assert_eq!(removed(""), format!("warning {was} (rg-outline reads C experimentally: warning only)"));
    assert_eq!(removed("  no_deleted_tests: fail\n"), format!("tampered {was}"), "a level that is named holds");
    assert_eq!(removed("  no_deleted_tests: warn\n"), format!("warning {was}"));
}

#[test]
fn the_manual_lists_the_experimental_languages() {
    let manual = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("man/rg-outline.5")).unwrap();
    let section = manual.split(".Ss Experimental languages").nth(1).unwrap().split(".Ss ").next().unwrap();
    let list = section.split(".El").next().unwrap();
    let listed: Vec<&str> = list.split(".It\n").skip(1).map(str::trim).collect();
    let known = LANGUAGES.iter().filter(|of| of.state == State::Experimental).map(|of| of.title);
    assert_eq!(listed, known.collect::<Vec<_>>());
    assert!(language::experimental("c").is_some() && language::experimental("cpp").is_none());
}

#[test]
fn a_weaker_assertion_of_another_name_excuses_nothing() {
    let named = "  no_weakened_asserts: fail\n  no_emptied_tests: fail\n";
    let php = |to: &str| {
        let after = PHP.replace("self::assertSame('b', slug(' b '));", to);
        found(named, &[("tests/SlugTest.php", PHP)], "tests/SlugTest.php", Some(&after))
    };
    assert!(
        php("self::assertTrue(true);").starts_with("tampered no_emptied_tests"),
        "{}",
        php("self::assertTrue(true);")
    );
    let not_empty = php("self::assertNotEmpty(slug(' b '));");
    assert!(not_empty.starts_with("tampered no_weakened_asserts"), "{not_empty}");
    assert_eq!(php("self::assertSlug('b', ' b ');"), "", "a helper that asserts");
    let rust = "#[test]\nfn a() {\n    assert_eq!(push('b'), Err(Full));\n}\n";
    let is_err = rust.replace("assert_eq!(push('b'), Err(Full))", "assert!(push('b').is_err())");
    let weaker = found(named, &[("tests/a.rs", rust)], "tests/a.rs", Some(&is_err));
    assert!(weaker.starts_with("tampered no_weakened_asserts"), "{weaker}");
}

#[test]
fn a_removed_test_file_does_not_excuse_its_tests() {
    let source = "pub fn drain() -> u8 {\n    1\n}\n";
    let tests = "fn filled() -> u8 {\n    9\n}\n\n#[test]\nfn drains() {\n    assert_eq!(drain() + filled(), 10);\n}\n";
    let named = "  no_deleted_tests: fail\n";
    let removed = found(named, &[("src/lib.rs", source), ("tests/drain.rs", tests)], "tests/drain.rs", None);
    assert!(removed.starts_with("tampered no_deleted_tests this test file was removed"), "{removed}");
}

#[test]
fn a_new_test_file_that_does_not_parse_is_unverified() {
    let broken = "test('a', () => {\n  expect(one()).toBe(1;\n";
    let new = |path: &str, text: &str| found("", &[("src/x.js", "export const one = 1;\n")], path, Some(text));
    let wanted = "inconclusive syntax-error the syntax of this new test file is broken";
    assert_eq!(new("test/n.test.js", "}}}} ((("), wanted);
    assert!(new("test/n.test.js", broken).contains("syntax-error the syntax of this new test file is broken"));
    assert_eq!(new("test/n.test.js", "test('a', () => {\n  expect(one()).toBe(1);\n});\n"), "");
    assert_eq!(new("test/fixtures/broken.js", "}}}} ((("), "", "data of a test of a parser");
    let experimental = new("tests/test_n.c", "}}}} (((");
    assert!(!experimental.contains("inconclusive"), "{experimental}");
}

#[test]
fn a_test_that_is_switched_off_by_its_name_is_skipped() {
    let python = "def test_a():\n    assert one() == 1\n\n\ndef test_b():\n    assert one() == 2\n";
    for off in ["test_b.__test__ = False", "del test_b", "test_b = unittest.skip('later')(test_b)"] {
        let text = format!("{python}\n\n{off}\n");
        let all = found("", &[("tests/test_n.py", python)], "tests/test_n.py", Some(&text));
        assert!(all.starts_with("tampered no_new_skips test \"test_b\" was skipped"), "{off}: {all}");
    }
}

#[test]
fn an_example_in_documentation_that_goes_is_a_removed_test() {
    let source = "/// Adds.\n///\n/// ```\n/// assert_eq!(a::add(1, 2), 3);\n/// ```\npub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n";
    let named = "  no_deleted_tests: fail\n  no_new_skips: fail\n";
    let after = |text: &str| found(named, &[("src/lib.rs", source)], "src/lib.rs", Some(text));
    let removed = after(&source.replace("///\n/// ```\n/// assert_eq!(a::add(1, 2), 3);\n/// ```\n", ""));
    assert!(removed.contains("no_deleted_tests test \"example of add\" was removed"), "{removed}");
    let ignored = after(&source.replace("/// ```\n/// a", "/// ```ignore\n/// a"));
    assert!(ignored.contains("no_new_skips test \"example of add\" was skipped: ignore"), "{ignored}");
    assert_eq!(after(&source.replace("Adds.", "Adds two numbers.")), "", "other words");
    assert_eq!(after("pub fn sub(a: u8, b: u8) -> u8 {\n    a - b\n}\n"), "", "it goes with its function");
}
