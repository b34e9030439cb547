//! Laws of the status line of rg-check: one line of a terminal, rewritten and removed; nothing elsewhere.

use crate::scratch::{Said, Scratch, skipped};

/// A check that runs long enough to be shown and prints what a hostile program prints.
const SLOW: &str = "checks:\n  - name: slow\n    run: |\n      printf 'first\\n'; sleep 0.5\n      printf '\\033[2J\\033]0;title\\007\\033[31msecond\\033[0m \\342\\200\\256 %s\\n' \"$(head -c 300 /dev/zero | tr '\\0' x)\"; sleep 0.5\n      printf '漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢\\n'; sleep 0.5\n  - name: quick\n    run: \"true\"\n";

/// Runs a line at a terminal of 40 columns, and returns what the terminal gets. None without script(1).
fn at_a_terminal(scratch: &Scratch, line: &str) -> Option<Said> {
    if scratch.sh("command -v script", b"").status != 0 {
        skipped("no script");
        return None;
    }
    let line = format!("stty cols 40; {line}").replace('\'', "'\\''");
    Some(scratch.sh(&format!("script -qec '{line}' /dev/null </dev/null"), b""))
}

fn terminal_repo(yaml: &str) -> Scratch {
    let mut scratch = Scratch::repo_with(yaml);
    scratch.set("TERM", "xterm");
    scratch
}

/// The texts that the status line had, in order; an empty one removes it.
fn drawn(out: &str) -> Vec<&str> {
    let pieces = out.split('\r').filter_map(|piece| piece.split_once("\u{1b}[K"));
    pieces.map(|(text, _)| text).collect()
}

#[test]
fn the_running_check_is_shown_in_one_line_that_is_removed() {
    let scratch = terminal_repo(SLOW);
    let Some(said) = at_a_terminal(&scratch, "rg-check --now >out") else { return };
    let drawn = drawn(&said.out);
    let is_drawn = |text: &str| drawn.iter().any(|line| line.starts_with("rg-check: slow ") && line.contains(text));
    assert!(is_drawn(" s: first") && is_drawn(" s: second xxx") && is_drawn(" s: 漢漢"), "{said:?}");
    let columns = |line: &str| line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    assert!(drawn.iter().all(|line| columns(line) < 40), "{drawn:?}");
    assert_eq!(drawn.last(), Some(&""), "the line is removed: {said:?}");
    // The only control sequence is the one that ends a line.
    let rest = said.out.replace("\u{1b}[K", "");
    assert!(!rest.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{rest:?}");
    let report = std::fs::read_to_string(scratch.work().join("out")).unwrap();
    assert!(said.status == 0 && report.contains("ok   slow: passed") && report.contains("ok   quick"), "{report:?}");
    assert!(!is_drawn("quick"), "work that ends at once is not shown: {drawn:?}");
}

#[test]
fn nothing_is_rewritten_where_control_sequences_are_unwanted() {
    for (name, value) in [("TERM", "dumb"), ("NO_COLOR", "1"), ("CI", "true")] {
        let mut scratch = terminal_repo("checks:\n  - {name: slow, run: echo one; sleep 0.6}\n");
        scratch.set(name, value);
        let Some(said) = at_a_terminal(&scratch, "rg-check --now >out") else { return };
        assert!(!said.out.contains('\u{1b}') && said.out.contains("rg-check: slow ..."), "{name}: {said:?}");
    }
    let scratch = terminal_repo("checks:\n  - {name: slow, run: echo one; sleep 0.6}\n");
    let said = scratch.run("rg-check", &["--now"], b"");
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
    // Only standard error counts: a report that goes to a file is no reason to show nothing.
    let Some(said) = at_a_terminal(&scratch, "rg-check --now --fresh >out") else { return };
    assert!(drawn(&said.out).iter().any(|line| line.contains("slow")), "{said:?}");
    let Some(said) = at_a_terminal(&scratch, "rg-check --now --fresh 2>err; cat err") else { return };
    assert!(!said.out.contains("\u{1b}[K"), "{said:?}");
}

#[test]
fn a_signal_removes_the_line() {
    let scratch = terminal_repo("checks:\n  - {name: slow, run: echo one; sleep 60}\n");
    let Some(said) = at_a_terminal(&scratch, "timeout --foreground -s INT 1 rg-check --now; echo ended") else {
        return;
    };
    let (drawing, after) = said.out.rsplit_once("\u{1b}[K").expect("a status line");
    assert!(drawing.ends_with('\r') && drawing.contains(": one"), "{said:?}");
    assert_eq!(after.trim_end(), "ended", "{said:?}");
}
