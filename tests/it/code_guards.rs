//! The guards of code through the whole line: what a finding says, and what happens if the reader of code fails.

use crate::scratch::Scratch;
use crate::tamper::{AGAINST, against, repo, session};
use review_gate::outline::language;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const TESTS: &str = "describe('slug', () => {\n  it('lowers', () => {\n    expect(slug('A')).toBe('a');\n    expect(slug('B')).toBe('b');\n  });\n  it('drops punctuation', () => {\n    expect(slug('a, b')).toBe('a-b');\n  });\n});\n";

const SOURCE: &str = "export function slug(a) {\n  return a;\n}\nexport function trim(a) {\n  return a;\n}\n";

/// The findings: level, rule, path, line and text.
fn lines(event: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("").to_string();
    let of = |finding: &Value| {
        let line = finding["line"].as_u64().map_or(String::new(), |line| format!(":{line}"));
        let place = text(&finding["path"]) + &line;
        format!("{} {} {place} {}", text(&finding["level"]), text(&finding["rule"]), text(&finding["text"]))
    };
    event["findings"].as_array().into_iter().flatten().map(of).collect()
}

/// The findings after an edit, which are the same in a session and against a commit.
fn edited(edit: impl Fn(&Scratch)) -> String {
    let scratch = repo("");
    scratch.write("test/slug.test.js", TESTS);
    scratch.write("src/slug.js", SOURCE);
    scratch.ok("git add -A && git commit -qm code && git branch -f main");
    scratch.prompt("s", "go");
    edit(&scratch);
    let (in_session, by_commit) = (lines(&session(&scratch)), lines(&against(&scratch)));
    assert_eq!(in_session, by_commit);
    in_session.join("\n")
}

/// The findings after this text of the tests is replaced.
fn replaced(before: &str, after: &str) -> String {
    assert!(TESTS.contains(before), "{before}");
    edited(|s| s.write("test/slug.test.js", &TESTS.replace(before, after)))
}

#[test]
fn a_finding_names_what_was_lost_before_and_after() {
    let at = "test/slug.test.js";
    assert_eq!(
        replaced("it('drops", "it.skip('drops"),
        format!("tampered no_new_skips {at}:6 test \"drops punctuation\" was skipped: it -> it.skip")
    );
    assert_eq!(
        replaced("describe(", "describe.skip("),
        format!(
            "tampered no_new_skips {at}:1 2 tests (\"lowers\", \"drops punctuation\") were skipped: describe -> describe.skip"
        )
    );
    let focused = replaced("it('drops", "it.only('drops");
    assert!(focused.starts_with(&format!("tampered no_focused_tests {at}:6 ")), "{focused}");
    assert_eq!(
        replaced("  it('drops punctuation', () => {\n    expect(slug('a, b')).toBe('a-b');\n  });\n", ""),
        format!("tampered no_deleted_tests {at} test \"drops punctuation\" was removed")
    );
    assert_eq!(
        replaced("expect(slug('a, b')).toBe('a-b');", "slug('a, b');"),
        format!("tampered no_emptied_tests {at}:6 test \"drops punctuation\" asserts nothing now")
    );
    assert_eq!(
        replaced(".toBe('a-b')", ".toBeDefined()"),
        format!(
            "tampered no_weakened_asserts {at}:6 test \"drops punctuation\" asserts less: \
             `slug(\"a, b\") toBe \"a-b\"` -> `slug(\"a, b\") toBeDefined`"
        )
    );
    let gone = replaced("    expect(slug('B')).toBe('b');\n", "");
    assert!(gone.starts_with("tampered no_weakened_asserts") && gone.contains("is gone"), "{gone}");
}

#[test]
fn a_waiver_of_one_lost_assertion_covers_no_other() {
    let scratch = repo("");
    let test = |asserts: &str| scratch.write("test/sum.test.js", &format!("it('adds', () => {{\n{asserts}}});\n"));
    let all = ["  expect(a()).toBe(1);\n", "  expect(b()).toBe(2);\n", "  expect(c()).toBe(3);\n"];
    test(&all.concat());
    scratch.ok("git add -A && git commit -qm code && git branch -f main");
    scratch.prompt("s", "go");
    let key = |asserts: &[&str]| {
        test(&asserts.concat());
        session(&scratch)["findings"][0]["key"].clone()
    };
    let first = key(&all[..2]);
    assert!(first.is_string() && key(&["\n", all[0], all[1]]) == first, "a line above changes nothing");
    assert_ne!(key(&all[..1]), first);
    assert_ne!(key(&[all[0], all[2]]), first);
}

#[test]
fn honest_edits_of_tests_are_clean() {
    assert_eq!(replaced("'drops punctuation'", "'removes commas'"), "", "renamed");
    assert_eq!(replaced("describe('slug'", "describe('slugs'"), "", "another suite");
    assert_eq!(replaced("toBe('a-b')", "toBe('a_b')"), "", "another value");
    assert_eq!(replaced("    expect(slug('a, b'))", "    // the comma\n    expect( slug(\"a, b\") )"), "", "formatted");
    assert_eq!(replaced("expect(slug('a, b')).toBe('a-b')", "expectSlug('a, b', 'a-b')"), "", "a helper that asserts");
    let new = "  it.skipIf(isWindows)('c', () => { expect(slug('c')).toBe('c'); });\n  it('drops";
    assert_eq!(replaced("  it('drops", new), "", "a new test with a condition");
    let comment = "  // it.skip( and it.only( and eslint-disable\n  it('drops";
    assert!(!replaced("  it('drops", comment).contains("skip"), "a comment");
}

#[test]
fn a_test_that_goes_with_its_code_is_not_removed() {
    let half = &SOURCE[SOURCE.find("export function trim").unwrap()..];
    let gone = |source: &'static str| {
        edited(move |s| {
            s.ok("git rm -q test/slug.test.js");
            s.write("src/slug.js", source);
        })
    };
    assert_eq!(gone(Box::leak(half.to_string().into_boxed_str())), "");
    assert!(gone(SOURCE).contains("this test file was removed with 2 tests"), "the function is still there");
    let moved = edited(|s| {
        s.ok("git rm -q test/slug.test.js");
        s.write("src/slug.js", half);
        s.write("src/other.js", &SOURCE[..SOURCE.find("export function trim").unwrap()]);
    });
    assert!(moved.contains("no_deleted_tests"), "the function moved: {moved}");
}

#[test]
fn a_file_whose_syntax_breaks_is_unverified() {
    let broken = edited(|s| s.write("test/slug.test.js", &format!("{}((((\n", &TESTS[..150])));
    assert!(broken.contains("inconclusive syntax-error test/slug.test.js"), "{broken}");
    assert!(!broken.contains("tampered"), "{broken}");
}

/// The findings with an rg-tamper that stands beside this rg-outline, or beside none.
fn with_reader(script: Option<&str>) -> (String, String) {
    let scratch = repo("");
    let dir = tempfile::tempdir().unwrap();
    for name in ["rg-tamper", "rg-event"] {
        fs::copy(Path::new(env!("CARGO_BIN_EXE_rg-tamper")).with_file_name(name), dir.path().join(name)).unwrap();
    }
    if let Some(script) = script {
        fs::write(dir.path().join("rg-outline"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(dir.path().join("rg-outline"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    scratch.ok("sed -i 's/two()).toBe/two()).not.toBe/' test/a.test.js && echo '// more' >>src/a.js");
    let line = format!("PATH='{}':/usr/bin:/bin; {AGAINST}", dir.path().display());
    let event = scratch.sh(&line, b"").json();
    (event["verdicts"][0]["verdict"].as_str().unwrap().to_string(), lines(&event).join("\n"))
}

#[test]
fn code_that_could_not_be_read_is_inconclusive() {
    let (verdict, found) = with_reader(None);
    assert_eq!(verdict, "inconclusive", "{found}");
    assert!(found.contains("rg-outline could not be started: 2 source files were not judged"), "{found}");
    for script in ["exit 1", "echo nonsense", "kill -9 $$", "cat"] {
        let (verdict, found) = with_reader(Some(script));
        assert_eq!(verdict, "inconclusive", "{script}: {found}");
        assert!(found.contains("test/a.test.js its tests and marks could not be read"), "{script}: {found}");
        assert!(!found.contains("src/a.js"), "a source file is neither a test nor was it read before: {found}");
    }
}

#[test]
fn tests_that_are_removed_from_a_file_that_becomes_unreadable_are_not_passed_over() {
    let without_a_test = TESTS.replace("  it('lowers'", "  check('lowers'");
    for (made, why) in
        [(format!("//\0\n{without_a_test}"), "NUL"), (format!("{without_a_test}//{}\n", " ".repeat(5 << 20)), "5 MiB")]
    {
        let found = edited(|s| s.write("test/slug.test.js", &made));
        let unread = "inconclusive unreadable test/slug.test.js its tests and marks could not be read";
        assert!(found.contains(unread) && found.contains(why), "{why}: {found}");
    }
}

#[test]
fn the_library_names_the_files_of_each_language_as_rg_outline_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("bins/rg-outline/languages/mod.rs");
    let text = fs::read_to_string(path).unwrap();
    let quoted = |line: &str| line.split('"').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>();
    let of = |field: &str| -> Vec<Vec<String>> {
        text.lines().filter(|line| line.trim_start().starts_with(&format!("{field}: "))).map(quoted).collect()
    };
    let (names, endings) = (of("name").concat(), of("endings"));
    let rows: Vec<(String, Vec<String>)> = names.into_iter().zip(endings).collect();
    let known = language::LANGUAGES.map(|of| (of.name.to_string(), of.endings.iter().map(|e| e.to_string()).collect()));
    assert_eq!(rows, known.to_vec());
}

/// The first finding after a file of the base is replaced.
fn rewritten(path: &str, then: &str, now: &str) -> String {
    let scratch = repo("  no_new_skips: fail\n  no_weakened_asserts: fail\n");
    scratch.write(path, then);
    scratch.ok("git add -A && git commit -qm more && git branch -f main");
    scratch.prompt("s", "go");
    scratch.write(path, now);
    let (in_session, by_commit) = (lines(&session(&scratch)), lines(&against(&scratch)));
    assert_eq!(in_session, by_commit);
    in_session.first().cloned().unwrap_or_default()
}

#[test]
fn b02_to_b07_tests_that_check_less_in_unusual_ways_are_found() {
    let removed = replaced(
        "  it('drops punctuation', () => {\n    expect(slug('a, b')).toBe('a-b');\n  });\n",
        "  // it('drops punctuation', () => {\n  //   expect(slug('a, b')).toBe('a-b');\n  // });\n",
    );
    assert!(removed.starts_with("tampered no_deleted_tests"), "B02: {removed}");
    let skipped = replaced("it('drops punctuation', ", "it('drops punctuation', { skip: true }, ");
    assert!(skipped.starts_with("tampered no_new_skips"), "B03: {skipped}");
    let python = "import pytest\n\n\ndef test_a():\n    assert one() == 1\n";
    let marked =
        rewritten("tests/test_a.py", python, &python.replacen("\n\n", "\n\npytestmark = pytest.mark.skip\n", 1));
    assert!(marked.starts_with("tampered no_new_skips"), "B03: {marked}");
    let rust = "#[test]\nfn a() {\n    assert_eq!(one(), 1);\n}\n";
    let compiled_out = rewritten("tests/a.rs", rust, &format!("#[cfg(any())]\n{rust}"));
    assert!(compiled_out.starts_with("tampered no_new_skips"), "B03: {compiled_out}");
    let swapped = replaced(
        "  it('drops punctuation', () => {\n    expect(slug('a, b')).toBe('a-b');\n  });\n",
        "  it('is easy', () => {});\n",
    );
    assert!(swapped.starts_with("tampered no_deleted_tests"), "B04: {swapped}");
    let escaped = replaced("it('drops", "it.\\u0073kip('drops");
    assert!(escaped.starts_with("tampered no_deleted_tests"), "B06: {escaped}");
    let ended = edited(|s| s.write("test/slug.test.js", &format!("process.exit(0);\n{TESTS}")));
    assert!(ended.starts_with("tampered no_new_skips"), "{ended}");
    let again = rewritten("tests/test_a.py", python, &format!("{python}\n\ndef test_a():\n    assert two() == 2\n"));
    assert!(again.contains("tampered no_new_skips") && again.contains("is defined again"), "{again}");
    let panics = rewritten("tests/a.rs", rust, &rust.replacen("fn", "#[should_panic]\nfn", 1));
    assert!(panics.contains("tampered no_weakened_asserts") && panics.contains("expected to panic"), "{panics}");
    let weaker = replaced("toBe('a-b')", "toBeDefined()");
    assert!(weaker.starts_with("tampered no_weakened_asserts"), "B07: {weaker}");
}

#[test]
fn a_function_with_the_name_of_a_focused_test_is_no_focus() {
    assert_eq!(edited(|s| s.write("test/fit.test.js", "it('fits', () => {\n  expect(fit(2)).toBe(1);\n});\n")), "");
}
