//! rg-outline: input that is no source code, standard input, limits.

use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};

/// The endings of all languages, as rg-outline(1) lists them.
const ENDINGS: [&str; 17] =
    ["js", "ts", "tsx", "vue", "py", "rs", "go", "java", "rb", "kt", "cs", "php", "swift", "exs", "c", "cpp", "bats"];

fn frame(path: &str, bytes: &[u8]) -> Vec<u8> {
    let mut all = format!("{}\n", json!({"path": path, "bytes": bytes.len()})).into_bytes();
    all.extend_from_slice(bytes);
    all
}

fn read(files: &[(&str, &[u8])]) -> Said {
    let input: Vec<u8> = files.iter().flat_map(|(path, bytes)| frame(path, bytes)).collect();
    Scratch::new().run("rg-outline", &["--json", "-"], &input)
}

fn outlines(said: &Said) -> Vec<Value> {
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn files_on_standard_input_are_answered_in_order() {
    let said = read(&[
        ("a.test.js", b"it('a', () => { expect(f()).toBe(1) })"),
        ("notes.txt", b"nothing"),
        ("empty.js", b""),
        ("run", b"#!/usr/bin/env node\nit('b', () => {})"),
    ]);
    let all = outlines(&said);
    assert_eq!((said.status, all.len()), (0, 4), "{said:?}");
    assert_eq!(all[0]["tests"][0]["asserts"][0]["how"], "toBe");
    assert_eq!(all[1], json!({"path": "notes.txt"}));
    assert_eq!(all[2], json!({"path": "empty.js", "language": "javascript"}));
    assert_eq!(all[3]["tests"][0]["name"], "b");
}

#[test]
fn malformed_frames_are_usage_errors() {
    for input in [&b"{}\n"[..], b"x", b"{\"path\":\"a.js\",\"bytes\":9}\nshort", b"{\"path\":\"a.js\",\"bytes\":-1}\n"]
    {
        let said = Scratch::new().run("rg-outline", &["--json", "-"], input);
        assert_eq!((said.status, said.out.as_str()), (100, ""), "{said:?}");
        assert!(said.err.starts_with("rg-outline: "), "{said:?}");
    }
}

#[test]
fn what_is_no_source_code_is_named_and_not_read() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01".to_vec();
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain("it('a')".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let large = vec![b'\n'; (5 << 20) + 1];
    for ending in ENDINGS {
        let name = format!("a.{ending}");
        for (bytes, why) in [(&png, "it is binary"), (&utf16, "it is UTF-16"), (&large, "it has more than 5 MiB")] {
            let all = outlines(&read(&[(&name, bytes), ("b.js", b"it('b', () => {})")]));
            assert_eq!(all[0]["unread"], why, "{name}");
            assert_eq!(all[1]["tests"][0]["name"], "b", "{name}: the next file is read");
        }
    }
}

/// A million of one byte: some scanners never come back.
#[test]
fn long_runs_of_one_byte_are_not_read() {
    for ending in ENDINGS {
        let name = format!("a.{ending}");
        for byte in b"(#[{\"'/*<" {
            let all = outlines(&read(&[(&name, &vec![*byte; 1 << 20])]));
            let why = all[0]["unread"].as_str().unwrap();
            assert!(why.contains("1048576 times"), "{name}: {why}");
        }
    }
}

/// Deep nesting, one long line, a file that is cut, conflict markers, bytes that are no UTF-8: each is answered, none is a crash.
#[test]
fn hostile_texts_end_in_time() {
    let deep = |open: &str, count: usize| open.repeat(count).into_bytes();
    let line = "f(1);".repeat(40_000).into_bytes();
    let texts: Vec<(&str, Vec<u8>)> = vec![
        ("f(", deep("f(", 4_000)),
        ("[(", deep("[(", 4_000)),
        ("{\"a\":", deep("{\"a\":", 2_000)),
        ("if (a) {", deep("if (a) {\n", 2_000)),
        ("<a>", deep("<a>", 4_000)),
        ("one line", line),
        ("latin", b"// caf\xe9 na\xefve\nit('\xe9', () => {})\n".to_vec()),
        ("cut", b"describe('a', () => { it('b', () => { expect(".to_vec()),
    ];
    for ending in ENDINGS {
        let name = format!("a.{ending}");
        for (what, text) in &texts {
            let said = read(&[(&name, text)]);
            assert!(said.took.as_secs() < 30, "{name}: {what}: {:?}", said.took);
            // The limits may end the process; then there is no answer, and the caller knows.
            let is_answer = said.status == 0 && outlines(&said).len() == 1;
            assert!(is_answer || said.status < 0 || said.status > 128, "{name}: {what}: {said:?}");
            assert!(!said.err.contains("panicked"), "{name}: {what}: {}", said.err);
        }
    }
}

#[test]
fn conflict_markers_are_broken_syntax() {
    let text = b"it('a', () => {\n<<<<<<< HEAD\n  expect(1).toBe(a)\n=======\n  expect(2).toBe(a)\n>>>>>>> other\n})\n";
    let all = outlines(&read(&[("a.test.js", text)]));
    let lines: Vec<u64> = all[0]["errors"].as_array().unwrap().iter().map(|line| line.as_u64().unwrap()).collect();
    assert!(lines.contains(&2) && lines.contains(&6), "{lines:?}");
}

#[test]
fn a_missing_file_is_unread_and_the_others_are_read() {
    let scratch = Scratch::new();
    scratch.write("a.test.js", "it('a', () => {})\n");
    let said = scratch.run("rg-outline", &["gone.js", "a.test.js"], b"");
    assert_eq!(said.status, 111, "{said:?}");
    assert!(said.out.starts_with("gone.js: not read: it does not exist\na.test.js: javascript, 1 test\n"), "{said:?}");
}

#[test]
fn a_language_can_be_named() {
    let scratch = Scratch::new();
    scratch.write("tests", "it('a', () => {})\n");
    let said = scratch.run("rg-outline", &["--lang", "javascript", "tests"], b"");
    assert_eq!(said.out, "tests: javascript, 1 test\n  a: 0 assertions (line 1)\n");
    let said = scratch.run("rg-outline", &["--lang", "cobol", "tests"], b"");
    assert_eq!(said.status, 100);
    assert!(said.err.contains("unknown language \"cobol\". Use javascript, typescript,"), "{said:?}");
}
