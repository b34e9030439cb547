//! The excerpts of tests/excerpts: `NAME.txt` is what a runner printed, `NAME.exp` the lines that a bounce shows of it.
//! `BLESS=1 cargo test excerpt` replaces them.

use crate::scratch::Scratch;
use review_gate::excerpt::{self, Excerpt};
use review_gate::sys::text::plain;
use std::fs;
use std::path::{Path, PathBuf};

/// The lines that a bounce shows.
fn shown(output: &[u8]) -> String {
    let text = plain(output);
    let (lines, left_out) = excerpt::lines(Excerpt::of(&text).as_ref(), &text, excerpt::LINES, excerpt::WIDTH);
    let mut shown: String = lines.iter().map(|line| format!("| {line}\n")).collect();
    shown.extend(excerpt::left_out(left_out).map(|n| format!("{n}\n")));
    shown
}

#[test]
fn the_excerpt_of_each_runner_is_the_expected_one() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/excerpts");
    let mut outputs: Vec<PathBuf> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    outputs.retain(|path| path.extension().is_some_and(|end| end == "txt"));
    outputs.sort();
    assert!(!outputs.is_empty());
    let mut wrong = Vec::new();
    for output in &outputs {
        let expected = output.with_extension("exp");
        let got = shown(&fs::read(output).unwrap());
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, &got).unwrap();
        }
        let want = fs::read_to_string(&expected).unwrap_or_default();
        if got != want {
            wrong.push(format!("--- {}: shown\n{got}--- wanted\n{want}", output.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A repository whose check prints this and fails, and what rg-check says about it.
fn judged(output: &[u8]) -> (Scratch, String) {
    let scratch = Scratch::repo_with("checks: [{name: c, run: cat ../printed; exit 1}]\n");
    fs::write(scratch.top().join("printed"), output).unwrap();
    let said = scratch.run("rg-check", &["--now"], b"");
    assert_eq!(said.status, 1, "{said:?}");
    (scratch, said.out)
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/excerpts").join(name)).unwrap()
}

#[test]
fn a_bounce_shows_the_failures_and_where_the_whole_output_is() {
    let mut output = fixture("cargo-test.txt");
    output.extend_from_slice("waiting for the cache\n".repeat(40).as_bytes());
    let (_scratch, said) = judged(&output);
    assert!(
        said.contains("| assertion `left == right` failed: tax of 100\n     |   left: 110\n     |  right: 120\n"),
        "{said}"
    );
    assert!(said.contains("Whole output: /") && !said.contains("waiting for the cache"), "{said}");
    let (_scratch, said) = judged(&fixture("mypy-default.txt"));
    assert!(said.contains("6 more failures. Whole output: /"), "{said}");
}

#[test]
fn failures_before_and_after_the_end_of_the_log_are_found() {
    let mut output = fixture("cargo-test.txt");
    output.extend_from_slice((["x"; 200].concat() + "\n").repeat(50_000).as_bytes());
    output.extend(fixture("pytest-collection.txt"));
    let (_scratch, said) = judged(&output);
    assert!(said.contains("| test tests::zero_panics failed") && said.contains("No module named"), "{said}");
}

#[test]
fn output_of_an_unknown_program_keeps_its_last_lines() {
    let lines: Vec<String> = (1..=30).map(|n| format!("line {n}")).collect();
    let text = lines.join("\n");
    assert_eq!(Excerpt::of(&text), None);
    assert_eq!(excerpt::lines(None, &text, 15, 300).0, lines[15..]);
    let text = text.replace("line 3\n", "line 3: failed\n");
    let shown = excerpt::lines(Excerpt::of(&text).as_ref(), &text, 15, 300).0;
    assert_eq!((shown.len(), shown[0].as_str(), &shown[1..]), (15, "line 3: failed", &lines[16..]));
}

#[test]
fn fewer_lines_keep_the_cause_of_each_failure() {
    let text = plain(&fixture("pytest-default.txt"));
    let found = Excerpt::of(&text);
    for count in 1..=15 {
        let (shown, left_out) = excerpt::lines(found.as_ref(), &text, count, 300);
        assert!(shown.len() <= count && !shown.is_empty(), "{count}: {shown:?}");
        assert_eq!(left_out, 5 - (count / 3).clamp(1, 5), "{count}: {shown:?}");
    }
}

#[test]
fn an_excerpt_is_small_and_plain_whatever_the_output_holds() {
    let pieces: Vec<&[u8]> = vec![
        b"---- a stdout ----\n",
        b"thread 'a' panicked at x.rs:1:1:\n",
        b"___ t ___\nE   assert\n",
        b"FAILED t.py::a\n",
        b"not ok 1 - a\n  ---\n",
        b"--- FAIL: T (0.0s)\n",
        b"=== RUN   T\n",
        b"  1) a\n",
        b"Failures:\n",
        b"\xff\0\x1b[31m",
        "\u{202e}\u{25cf} \u{2716}".as_bytes(),
        b"\n",
        b"a.c:1:2: error: x\n",
        b"error[E1]: x\n --> a:1\n",
        b"F841 x\n",
        b"Traceback (most recent call last):\n",
        b"\r",
        b":1:",
        b"error: ",
        b"[ERROR] <<< FAILURE!\n",
        b"In a line 1:\n",
    ];
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize
    };
    for _ in 0..200 {
        let output: Vec<u8> = (0..next() % 60).flat_map(|_| pieces[next() % pieces.len()].to_vec()).collect();
        let text = plain(&excerpt::short_lines(&output));
        let (lines, _) = excerpt::lines(Excerpt::of(&text).as_ref(), &text, 15, 300);
        let is_plain =
            |line: &String| line.chars().count() <= 300 && !line.chars().any(|c| c.is_control() && c != '\t');
        assert!(lines.len() <= 15 && lines.iter().all(is_plain), "{lines:?}");
    }
    for line in ["FAILED t.py::a - x\n", "=== RUN   T\n", "error: x\n", "  1) a\n", "Failures:\n  1) a\n", "a:1:"] {
        let text: String = (0..20_000).map(|n| line.replace('x', &n.to_string())).collect();
        assert!(excerpt::lines(Excerpt::of(&text).as_ref(), &text, 15, 300).0.len() <= 15);
    }
    assert!(excerpt::short_lines(&vec![b'x'; 9 << 20]).len() < 4096);
}

#[test]
fn an_excerpt_has_no_secrets() {
    let output = "thread 'main' panicked at a.rs:1:1:\ncannot log in: password=hunter2hunter2\n";
    let (scratch, said) = judged(output.as_bytes());
    assert!(said.contains("password=[redacted]"), "{said}");
    assert!(!scratch.sh("cat ../state/checks/*.jsonl", b"").out.contains("hunter2"));
}
