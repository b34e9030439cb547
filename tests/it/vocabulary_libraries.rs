//! The assertions of the libraries of a language, as tables of `tests/vocabulary`: what demands as much in the place of another one, and
//! what demands less.

use crate::tamper::{against, repo, session};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A test of each language: its path, and its text with a gap for the body.
const FRAMES: [(&str, &str, &str); 7] = [
    (
        "go",
        "f_test.go",
        "package f\n\nimport \"testing\"\n\nfunc TestWorks(t *testing.T) {\n\tgot, err := Make(1)\n\tGAP\n}\n",
    ),
    (
        "java",
        "src/test/java/FTest.java",
        "class FTest {\n    @Test\n    void works() throws Exception {\n        var x = make(1);\n        GAP\n    }\n}\n",
    ),
    (
        "kotlin",
        "src/test/kotlin/FTest.kt",
        "class FTest {\n    @Test\n    fun works() {\n        val x = make(1)\n        GAP\n    }\n}\n",
    ),
    (
        "csharp",
        "tests/FTests.cs",
        "public class FTests\n{\n    [Fact]\n    public async Task Works()\n    {\n        var x = Make(1);\n        GAP\n    }\n}\n",
    ),
    (
        "swift",
        "Tests/FTests.swift",
        "import XCTest\n\nfinal class FTests: XCTestCase {\n    func testWorks() async throws {\n        let x = make(1)\n        GAP\n    }\n}\n",
    ),
    ("cpp", "tests/f_test.cpp", "#include <gtest/gtest.h>\n\nTEST(F, Works) {\n  auto x = make(1);\n  GAP\n}\n"),
    (
        "elixir",
        "test/f_test.exs",
        "defmodule FTest do\n  use ExUnit.Case\n\n  test \"works\" do\n    x = F.make(1)\n    GAP\n  end\nend\n",
    ),
];

/// The rows of a table: before, after, and whether the second demands less.
fn rows(text: &str) -> Vec<(String, String, bool)> {
    let plain = |text: &str| text.replace("\\n", "\n").replace("\\\\", "\\");
    let mut before = String::new();
    let mut rows = Vec::new();
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("?", one)) => before = plain(one),
            Some((mark @ ("=" | "<"), one)) => rows.push((before.clone(), plain(one), mark == "<")),
            _ => {}
        }
    }
    rows
}

/// Checks all rows of a language in one repository: each row is a file of a directory of its own.
fn check(language: &str) {
    let (_, path, frame) = FRAMES.iter().find(|(name, ..)| *name == language).unwrap();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/vocabulary/{language}.txt"));
    let rows = rows(&fs::read_to_string(table).unwrap());
    let file = |at: usize, body: &str| {
        let named = ["Works", "works", "FTest"]
            .iter()
            .fold(frame.to_string(), |text, name| text.replace(name, &format!("{name}{at}")));
        (format!("r{at}/{path}"), named.replace("GAP", body))
    };
    let scratch = repo("");
    let write = |side: fn(&(String, String, bool)) -> &String| {
        for (at, row) in rows.iter().enumerate() {
            let (path, text) = file(at, side(row));
            scratch.write(&path, &text);
        }
    };
    write(|row| &row.0);
    scratch.ok("git add -A && git commit -qm code && git branch -f main");
    scratch.prompt("s", "go");
    write(|row| &row.1);
    for event in [session(&scratch), against(&scratch)] {
        let is_counted = |finding: &&Value| finding["level"] != "note";
        let all = event["findings"].as_array().into_iter().flatten().filter(is_counted);
        let found: BTreeSet<&str> = all.filter_map(|finding| finding["path"].as_str()).collect();
        let wrong: Vec<String> = (rows.iter().enumerate())
            .filter(|(at, row)| found.contains(file(*at, "").0.as_str()) != row.2)
            .map(|(_, (then, now, is_less))| format!("{}: {then} -> {now}", if *is_less { "less" } else { "as much" }))
            .collect();
        assert!(
            wrong.is_empty() && rows.len() > 40,
            "{language}, {} of {} rows:\n{}",
            wrong.len(),
            rows.len(),
            wrong.join("\n")
        );
    }
}

#[test]
fn libraries_of_go_say_the_same_in_other_words() {
    check("go");
}

#[test]
fn libraries_of_java_say_the_same_in_other_words() {
    check("java");
}

#[test]
fn libraries_of_kotlin_say_the_same_in_other_words() {
    check("kotlin");
}

#[test]
fn libraries_of_csharp_say_the_same_in_other_words() {
    check("csharp");
}

#[test]
fn libraries_of_swift_say_the_same_in_other_words() {
    check("swift");
}

#[test]
fn libraries_of_cpp_say_the_same_in_other_words() {
    check("cpp");
}

#[test]
fn libraries_of_elixir_say_the_same_in_other_words() {
    check("elixir");
}
