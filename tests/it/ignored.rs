//! Laws of ignore rules: what git hides is hidden, and nothing else.

use crate::scratch::Scratch;
use proptest::prelude::*;
use review_gate::snapshot::{Rules, Use, take};
use review_gate::state::State;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// Names that patterns are about, and that are about patterns.
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

/// Git looks at two stars behind a plain beginning as if the pattern began there: no manual says so.
fn line() -> impl Strategy<Value = String> {
    let parts = proptest::collection::vec(prop_oneof![9 => 0..PARTS.len(), 1 => Just(9)], 1..6);
    let ends = (
        proptest::bool::weighted(0.15),
        prop_oneof![6 => Just(""), 1 => Just("**/"), 1 => Just("/"), 1 => Just("/**/")],
    );
    let tails =
        prop_oneof![7 => Just(""), 1 => Just("/"), 1 => Just("/**"), 1 => Just("  "), 1 => Just("\t"), 1 => Just("\\")];
    (parts, ends, tails).prop_map(|(parts, (not, begin), tail)| {
        let body: String = parts.iter().map(|at| PARTS[*at]).collect();
        let body = body.replace("**", "*");
        format!("{}{begin}{body}{tail}", if not { "!" } else { "" })
    })
}

fn hidden_alike(scratch: &Scratch, top: &str, inner: &str) {
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
fn what_git_hides_is_hidden_and_nothing_else() {
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
        hidden_alike(&scratch, &format!("{line}\n"), "");
        hidden_alike(&scratch, "a\n", &format!("*\n!{line}\r\n#{line}\n"));
    }
    let lines = (proptest::collection::vec(line(), 1..4), proptest::collection::vec(line(), 0..3));
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    proptest::test_runner::TestRunner::new(config)
        .run(&lines, |(top, inner)| {
            hidden_alike(&scratch, &top.join("\n"), &inner.join("\n"));
            Ok(())
        })
        .unwrap();
}
