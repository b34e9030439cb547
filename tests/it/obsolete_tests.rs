//! Removed tests and what they were about: options and behaviour that go from source with their tests, packages that are removed, and
//! the changes that only look like it.

use crate::scratch::Scratch;
use crate::tamper::{against, repo, session};
use serde_json::Value;

const SOURCE: &str = "export function parse(text, options) {\n  if (options.useSemicolon) {\n    text = text.split(';').join('&');\n  }\n  if (options.strict) {\n    check(text);\n  }\n  return text;\n}\n\nfunction check(text) {\n  if (!text) throw new Error('empty');\n}\n";

const OPTION: &str =
    "it('splits at semicolons', () => {\n  expect(parse('a;b', { useSemicolon: true })).toBe('a&b');\n});\n";
const PLAIN: &str = "it('parses', () => {\n  expect(parse('a', {})).toBe('a');\n});\n";

/// The levels of the findings about removed tests, which are the same in a session and against a commit.
fn levels(files: &[(&str, &str)], edit: impl Fn(&Scratch)) -> String {
    let scratch = repo("");
    files.iter().for_each(|(path, text)| scratch.write(path, text));
    scratch.ok("git add -A && git commit -qm code && git branch -f main");
    scratch.prompt("s", "go");
    edit(&scratch);
    let of = |event: &Value| {
        let is_of_rule = |finding: &&Value| finding["rule"] == "no_deleted_tests";
        let all = event["findings"].as_array().into_iter().flatten().filter(is_of_rule);
        all.filter_map(|finding| finding["level"].as_str()).collect::<Vec<_>>().join(" ")
    };
    let (in_session, by_commit) = (of(&session(&scratch)), of(&against(&scratch)));
    assert_eq!(in_session, by_commit);
    in_session
}

/// The levels after the test of the option went and source became this.
fn without_option(source: &str) -> String {
    let tests = format!("{OPTION}{PLAIN}");
    levels(&[("src/parse.js", SOURCE), ("test/parse.test.js", &tests)], |s| {
        s.write("src/parse.js", source);
        s.write("test/parse.test.js", PLAIN);
    })
}

#[test]
fn a_test_of_an_option_goes_with_the_option() {
    let gone = SOURCE.replace("  if (options.useSemicolon) {\n    text = text.split(';').join('&');\n  }\n", "");
    assert_eq!(without_option(&gone), "note");
}

#[test]
fn an_option_that_is_renamed_or_kept_keeps_its_test() {
    assert_eq!(without_option(SOURCE), "tampered");
    assert_eq!(without_option(&SOURCE.replace("useSemicolon", "semicolon")), "tampered", "renamed");
    let other = SOURCE.replace("    check(text);\n", "");
    assert_eq!(without_option(&other), "tampered", "other code was removed");
    let comment = format!("// useSemicolon\n// splits semicolons\n\n{SOURCE}");
    let tests = format!("{}{PLAIN}", OPTION.replace("useSemicolon", "other"));
    let found = levels(&[("src/parse.js", &comment), ("test/parse.test.js", &tests)], |s| {
        s.write("src/parse.js", SOURCE);
        s.write("test/parse.test.js", PLAIN);
    });
    assert_eq!(found, "tampered", "a comment is no code");
}

#[test]
fn a_word_that_is_elsewhere_in_the_tree_keeps_the_test() {
    let gone = SOURCE.replace("  if (options.useSemicolon) {\n    text = text.split(';').join('&');\n  }\n", "");
    let tests = format!("{OPTION}{PLAIN}");
    let other = "export const useSemicolon = true;\n";
    let files = [("src/parse.js", SOURCE), ("src/other.js", other), ("test/parse.test.js", &tests)];
    let found = levels(&files, |s| {
        s.write("src/parse.js", &gone);
        s.write("test/parse.test.js", PLAIN);
    });
    assert_eq!(found, "warning", "source uses it less, and still uses it");
    let found = levels(&files, |s| s.write("test/parse.test.js", PLAIN));
    assert_eq!(found, "tampered");
}

#[test]
fn words_of_inline_tests_are_no_source() {
    let tests = "#[cfg(test)]\nmod tests {\n    fn long_text() -> &'static str {\n        \"a, b\"\n    }\n\n    #[test]\n    fn drops_commas() {\n        assert_eq!(super::slug(long_text()), \"a-b\");\n    }\n}\n";
    let source = "pub fn slug(text: &str) -> String {\n    text.replace(\", \", \"-\")\n}\n\n";
    let found = levels(&[("src/lib.rs", &format!("{source}{tests}"))], |s| s.write("src/lib.rs", source));
    assert!(["tampered", "warning"].contains(&found.as_str()), "{found}");
}

#[test]
fn a_test_goes_with_its_package() {
    let files = [
        ("examples/a/package.json", "{}\n"),
        ("examples/a/app.js", "export const app = 1;\n"),
        ("examples/a/tests/app.test.js", PLAIN),
        ("src/parse.js", SOURCE),
    ];
    assert_eq!(levels(&files, |s| drop(s.ok("rm -r examples/a"))), "");
    assert_eq!(levels(&files, |s| drop(s.ok("rm -r examples/a/tests"))), "tampered");
    assert_eq!(
        levels(&files, |s| drop(s.ok("mkdir b && mv examples/a/app.js b && rm -r examples"))),
        "tampered",
        "it moved"
    );
}

#[test]
fn a_test_file_goes_with_the_script_of_its_name() {
    let test = "@test \"puts it back\" {\n  run unrotate log\n  [ \"$status\" -eq 0 ]\n}\n";
    let files = [("unrotate", "#!/bin/sh\nmv \"$1.1\" \"$1\"\n"), ("test/unrotate.bats", test)];
    assert_eq!(levels(&files, |s| drop(s.ok("rm unrotate test/unrotate.bats"))), "");
    let moved = "mkdir bin && mv unrotate bin && rm test/unrotate.bats";
    assert_ne!(levels(&files, |s| drop(s.ok(moved))), "", "it moved");
    assert_ne!(levels(&files, |s| drop(s.ok("rm test/unrotate.bats"))), "");
}
