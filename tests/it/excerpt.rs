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
    let found = Excerpt::of(&plain(&excerpt::short_lines(output)));
    let (lines, left_out) = excerpt::lines(found.as_ref(), &text, excerpt::LINES, excerpt::WIDTH);
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
fn lines_of_programs_around_a_runner_and_warnings_stand_beside_the_last_lines() {
    for (name, cause) in [
        ("make-program", "not equal: b.txt: line 3: expected 'foo' but was 'bar'"),
        ("make-npm", "route /users: status 500 instead of 200 (src/routes/users.js:14)"),
        ("cargo-stack-overflow", "fatal runtime error: stack overflow, aborting"),
        ("go-main-exits", "cannot open database: connection refused"),
        ("gcc-warning-then-program", "not equal: b.txt: line 3: expected 'foo' but was 'bar'"),
        ("eslint-warning-then-program", "GET /login: expected 302, got 200"),
        ("pytest-coverage-passed", "GET /login: expected 302, got 200"),
    ] {
        let shown = shown(&fixture(&format!("{name}.txt")));
        assert!(shown.contains(&format!("| {cause}\n")), "{name}: {shown}");
    }
    // What was printed before the line of the program is shown, however much follows.
    let mut output = b"cannot open database\nmake[1]: *** [Makefile:2: run] Error 1\n".to_vec();
    output.extend((0..40).flat_map(|n| format!("waiting {n}\n").into_bytes()));
    let shown = shown(&output);
    assert!(
        shown.starts_with("| cannot open database\n| make[1]: *** [Makefile:2: run] Error 1\n| waiting"),
        "{shown}"
    );
    assert_eq!(shown.lines().count(), excerpt::LINES, "{shown}");
}

#[test]
fn an_error_stands_before_a_warning_and_no_line_is_lost_above_the_last_lines() {
    let mut output = b"a.c:1:2: warning: unused\n".repeat(2);
    output
        .extend((1..=30).flat_map(|n| format!("line {n}{}\n", if n % 5 == 0 { ": failed" } else { "" }).into_bytes()));
    let shown = shown(&output);
    let numbers: Vec<&str> = shown.lines().collect();
    let failed = ["| line 5: failed", "| line 10: failed", "| line 15: failed"];
    assert_eq!(numbers[..3], failed, "{shown}");
    assert!(shown.contains("warning: unused") && shown.contains("| line 20: failed\n"), "{shown}");
    assert_eq!(numbers.len(), excerpt::LINES, "{shown}");
}

#[test]
fn frames_of_runtimes_are_not_among_the_last_lines() {
    let shown = shown(&fixture("mocha-syntax.txt"));
    assert!(shown.contains("| SyntaxError: Unexpected token ';'\n"), "{shown}");
    assert!(!shown.contains("node:internal") && !shown.contains("node_modules"), "{shown}");
}

#[test]
fn each_of_five_failures_keeps_its_place_and_both_values() {
    for (name, headline, values) in [
        ("jest-many", "\u{25cf} square of 0 (test/many.test.js:", ["Expected: 1", "Received: 0"]),
        ("rspec-many", "1) square of 0 (spec/many_spec.rb:2)", ["expected: 1", "got: 0"]),
        ("cargo-many", "test a failed (tests/many.rs:2:1)", ["left: 1", "right: 9"]),
        ("tap-many", "not ok 6 - square 4 (/home/dev/shop/nt/long.test.js:7:30)", ["expected: 17", "actual: 16"]),
        ("testify", "--- FAIL: TestInt (0.00s) (/home/dev/shop/s_test.go:21)", ["expected: 3", "actual  : 4"]),
    ] {
        let shown = shown(&fixture(&format!("{name}.txt")));
        let lines: Vec<&str> = shown.lines().map(|line| line[1..].trim()).collect();
        let at = lines.iter().position(|line| line.starts_with(headline));
        assert!(
            at.is_some_and(|at| lines[at + 1..].iter().take(3).filter(|l| values.contains(l)).count() == 2),
            "{shown}"
        );
        assert!(lines.len() <= excerpt::LINES + 1, "{shown}");
    }
    for (name, headline) in [
        (
            "vitest-many",
            "FAIL test/many.test.ts > square of 4 (test/many.test.ts:2:75)\n| AssertionError: expected 16 to be 17",
        ),
        ("mocha-many", "5) square 3 (test/long.js:6:61)\n|       AssertionError [ERR_ASSERTION]: 9 == 10"),
    ] {
        let shown = shown(&fixture(&format!("{name}.txt")));
        assert!(shown.contains(headline), "{shown}");
    }
}

#[test]
fn long_values_are_cut_around_their_first_difference() {
    for name in ["jest-long-values", "vitest-long-values"] {
        let shown = shown(&fixture(&format!("{name}.txt")));
        assert!(shown.contains("row 200 had") && shown.contains("row 200 has"), "{name}: {shown}");
    }
    let (same, more) = ("x".repeat(5000), "y".repeat(5000));
    let output = format!("    Expected: \"{same}one{more}\"\n    Received: \"{same}two{more}\"\n");
    let short = String::from_utf8(excerpt::short_lines(output.as_bytes())).unwrap();
    let lines: Vec<&str> = short.lines().collect();
    assert!(lines[0].starts_with("    Expected: \"\u{2026}xxx") && lines[0].contains("xoney"), "{short}");
    assert!(lines[1].starts_with("    Received: \"\u{2026}xxx") && lines[1].contains("xtwoy"), "{short}");
    assert!(lines.iter().all(|line| line.len() < 2100), "{short}");
    let output = format!("a_test.go:3: got \"{same}one{more}\", want \"{same}two{more}\"");
    let short = String::from_utf8(excerpt::short_lines(output.as_bytes())).unwrap();
    assert!(short.contains("xoney") && short.contains("want \"\u{2026}xxx") && short.contains("xtwoy"), "{short}");
    assert!(short.len() < 500, "{short}");
}

#[test]
fn values_of_several_lines_are_shown_where_they_differ() {
    for (name, values) in [
        ("go-values", "|         got: 3\n|         want: 4\n"),
        ("go-example", "| got: hello\n| want: hallo\n"),
        ("tape", "|   expected: { a: [ 1, { b: 3 } ] }\n|   actual: { a: [ 1, { b: 2 } ] }\n"),
        ("pytest-doctest", "| Expected: 4\n| Got: 3\n"),
        ("pytest-diff", "| E - WHERE x = 2\n| E + WHERE x = 1\n"),
        ("jest-snapshot", "|     -       \"name\": \"user 20\",\n|     +       \"name\": \"changed\",\n"),
    ] {
        let shown = shown(&fixture(&format!("{name}.txt")));
        assert!(shown.contains(values), "{name}: {shown}");
    }
}

#[test]
fn what_was_logged_is_not_shown_in_place_of_a_failure() {
    for (name, cause, logged) in [
        ("unittest-logged", "| AssertionError: 2 != 3\n", "ConnectionError"),
        ("go-log", "x_test.go:8: quota exceeded\n", "handled request"),
        ("cargo-captured", "| test tests::noisy failed (src/lib.rs:52:9)\n| assertion failed", "error: request"),
        ("jest-document", "at Object.getByRole (test/react.test.jsx:6:10)\n", "<body>"),
        ("pytest-coverage", "| FAIL Required test coverage of 99% not reached", "coverage: platform"),
        ("cargo-should-panic", "| coverage 71.2% is below 80%\n", "(and"),
        ("jest-suite", "SyntaxError: Cannot use import statement outside a module", "jestjs.io"),
    ] {
        let shown = shown(&fixture(&format!("{name}.txt")));
        assert!(shown.contains(cause) && !shown.contains(logged), "{name}: {shown}");
    }
}

#[test]
fn an_error_of_a_library_has_a_place_in_the_project() {
    for (name, headline) in [
        ("pytest-library", "shop/models.py:21: in dump\n"),
        ("pytest-library", "E RecursionError: maximum recursion depth exceeded\n"),
        ("pytest-fixture", "> con = sqlite3.connect("),
        ("pytest-native", "test_total (/home/dev/shop/tests/test_assert.py:6)\n"),
        ("python-segfault", "/home/dev/shop/tests/test_crash.py\", line 9 in test_segv\n"),
        ("node-test-import", "at Object.<anonymous> (/home/dev/shop/nt/import.test.js:2:18)\n"),
        (
            "node-test-syntax",
            "| /home/dev/shop/nt/syntax.test.js:3\n|   const a = [1, 2;\n| SyntaxError: Unexpected token ';'\n",
        ),
        ("node-test-tap-import", "| Error: Cannot find module '../src/kart'\n"),
        (
            "go-timeout",
            "| panic: test timed out after 3s\n|     running: TestSlow (3s)\n| \t/home/dev/shop/to/x_test.go:6\n",
        ),
        ("go-stack-overflow", "| fatal error: stack overflow\n| \t/home/dev/shop/so/x_test.go:5\n"),
    ] {
        let shown = shown(&fixture(&format!("{name}.txt")));
        assert!(shown.contains(headline), "{name}: {shown}");
    }
}

#[test]
fn lines_behind_names_and_times_are_read() {
    let shown_of = |name: &str| shown(&fixture(&format!("{name}.txt")));
    assert!(shown_of("concurrently").contains("src/a.ts:4:3: error: Unexpected var"), "{}", shown_of("concurrently"));
    assert!(shown_of("turbo").contains("adds up (test/cart.test.js:4:24)\n"), "{}", shown_of("turbo"));
    let timed: String = String::from_utf8(fixture("cargo-test.txt"))
        .unwrap()
        .lines()
        .fold(String::new(), |all, line| all + "2026-11-28T23:14:20.247Z " + line + "\n");
    assert_eq!(shown(timed.as_bytes()), shown_of("cargo-test"));
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
        b"/a.js:1\n",
        b"  x\n  ^\n",
        b"# node:a:1\n#  ^\n",
        b"got:\n  1\nwant:\n  2\n",
        b"a_test.go:1: x:\n",
        b"- a\n+ b\n",
        b"A.java:1: error: x\n",
        b"    Error: x:\n",
        b"make: *** [a] Error 1\n",
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
