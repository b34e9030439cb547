//! Tests of ignore rules: they match exactly as in git.

use crate::scratch::Scratch;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use review_gate::snapshot::{Rules, Use, take};
use review_gate::store::state::State;
use review_gate::sys::gitignore::Patterns;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// Names that match patterns, and names that contain their special characters.
const NAMES: [&str; 34] = [
    "a",
    "b",
    "c/a",
    "c/b",
    "d/a",
    "d/e/a",
    "d/e/f/b",
    "d/.x",
    "-",
    "^",
    "]",
    "[ab]",
    "{a,b}",
    "ab",
    "a b",
    "a ",
    "a\t",
    "a,b",
    "b}",
    "{a",
    "!a",
    "#a",
    "\\a",
    "a*",
    "a-c/x",
    "notes.log",
    "notes.tmp",
    "notes.{log,tmp}",
    "x.log/y",
    "\u{e9}",
    "a\u{e9}",
    "A",
    "1",
    "d/e/f/x.log",
];

const PARTS: [&str; 44] = [
    "a",
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "x",
    ".log",
    "*",
    "*",
    "?",
    "/",
    "/",
    "[ab]",
    "[!a]",
    "[^-]",
    "[a\\-c]",
    "[]a]",
    "[a-]",
    "[--0]",
    "[[:alpha:]]",
    "[![:upper:]]",
    "[[:x]",
    "[\\]]",
    "[a/]",
    "[",
    "]",
    "{",
    "}",
    "{a,b}",
    ",",
    "\\a",
    "\\*",
    "\\ ",
    " ",
    "\t",
    "-",
    "^",
    "#",
    "!",
    "\\!",
    "\u{e9}",
    ".",
];

/// A random line. It has no `**` inside, because git treats `**` after a literal prefix as the beginning of the pattern, undocumented.
fn line() -> impl Strategy<Value = String> {
    let parts = proptest::collection::vec(prop_oneof![9 => 0..PARTS.len(), 1 => Just(9)], 1..6);
    let ends = (
        proptest::bool::weighted(0.15),
        prop_oneof![6 => Just(""), 1 => Just("**/"), 1 => Just("/"), 1 => Just("/**/")],
    );
    let tails =
        prop_oneof![7 => Just(""), 1 => Just("/"), 1 => Just("/**"), 1 => Just("  "), 1 => Just("\t"), 1 => Just("\\")];
    (parts, ends, tails).prop_map(|(parts, (not, begin), tail)| {
        let mut body: String = parts.iter().map(|at| PARTS[*at]).collect();
        // Again, because `***` leaves `**`.
        while body.contains("**") {
            body = body.replace("**", "*");
        }
        format!("{}{begin}{body}{tail}", if not { "!" } else { "" })
    })
}

fn assert_same_as_git(scratch: &Scratch, top: &str, inner: &str) {
    scratch.write(".gitignore", top);
    scratch.write("d/.gitignore", inner);
    let git = scratch.ok("git ls-files -z -o --exclude-per-directory=.gitignore").out;
    let mut git: Vec<&[u8]> = git.split('\0').map(str::as_bytes).filter(|name| !name.is_empty()).collect();
    git.sort_unstable();
    let ours = take(&scratch.work(), &Rules::Today, &State::at(scratch.state()), Use::Fresh).unwrap();
    let ours: Vec<&[u8]> = ours.files.iter().map(|file| file.path.as_os_str().as_bytes()).collect();
    let words = |all: &[&[u8]]| all.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect::<Vec<_>>();
    assert_eq!(words(&ours), words(&git), "{top:?} {inner:?}");
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    for name in NAMES {
        let path = scratch.work().join(OsStr::from_bytes(name.as_bytes()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    scratch
}

#[test]
fn exactly_the_files_that_git_ignores_are_ignored() {
    let scratch = scratch();
    for line in [
        "*.{log,tmp}",
        "[a\\-c]",
        "a\t",
        "a \t ",
        "\\{a",
        "*.log/",
        "a,b",
        "[[:upper:]]",
        "d/**",
        "[!-]",
        "{a,b}",
        "a\\ ",
        "[^",
    ] {
        assert_same_as_git(&scratch, &format!("{line}\n"), "");
        assert_same_as_git(&scratch, "a\n", &format!("*\n!{line}\r\n#{line}\n"));
    }
    let lines = (proptest::collection::vec(line(), 1..4), proptest::collection::vec(line(), 0..3));
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    proptest::test_runner::TestRunner::new(config)
        .run(&lines, |(top, inner)| {
            assert_same_as_git(&scratch, &top.join("\n"), &inner.join("\n"));
            Ok(())
        })
        .unwrap();
}

/// Whether git matches each name with each list of patterns. Each list has its own directory.
fn git_matches(scratch: &Scratch, lists: &[Vec<String>]) -> Vec<Vec<bool>> {
    let mut asked = Vec::new();
    for (n, list) in lists.iter().enumerate() {
        let dir = scratch.work().join(format!("list{n}"));
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join(".gitignore"), list.join("\n")).unwrap();
        NAMES.iter().for_each(|name| asked.push(format!("list{n}/{name}")));
    }
    fs::write(scratch.work().join("asked"), asked.join("\0")).unwrap();
    let said = scratch.ok("git check-ignore --no-index --verbose --non-matching -z --stdin < asked").out;
    let fields: Vec<&str> = said.split_terminator('\0').collect();
    // Four fields each: source, line, pattern, path.
    let said: Vec<bool> = fields.chunks(4).map(|said| !said[2].is_empty() && !said[2].starts_with('!')).collect();
    assert_eq!(said.len(), asked.len());
    said.chunks(NAMES.len()).map(<[bool]>::to_vec).collect()
}

#[test]
fn patterns_in_done_md_match_as_in_git() {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    let table = [
        "notes.{log,tmp}",
        "{a,b}",
        "a{",
        "[ab]",
        "\\[ab]",
        "[a\\-c]",
        "[[:upper:]]",
        "[!-]",
        "[^",
        "a\\",
        "\\!a",
        "\\#a",
        "#a",
        "a ",
        "a\\ ",
        "a\t",
        "d/",
        "d/*",
        "d/**",
        "/d",
        "**/e",
        "e/**",
        "d/**/b",
        "d/*/a",
        "*",
        "/*",
        "*/",
        "*.log",
        "x.log/",
        "??",
        "A",
        "\u{e9}",
        "?\u{e9}",
        "",
        "/",
        "//",
        "./a",
        "a//b",
        "**",
        "***",
        "!a",
    ];
    let mut lists: Vec<Vec<String>> = table.iter().map(|line| vec![line.to_string()]).collect();
    lists.extend(table.iter().map(|line| vec!["*".to_string(), format!("!{line}")]));
    lists.extend(table.iter().map(|line| vec!["d/".to_string(), format!("!{line}")]));
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let drawn = proptest::collection::vec(line(), 1..4);
    lists.extend((0..400).map(|_| drawn.new_tree(&mut runner).unwrap().current()));
    for (list, said) in lists.iter().zip(git_matches(&scratch, &lists)) {
        let patterns = Patterns::of(list);
        for (name, said) in NAMES.iter().zip(said) {
            assert_eq!(patterns.matches(std::path::Path::new(name)), said, "{list:?} {name:?}");
        }
    }
}
