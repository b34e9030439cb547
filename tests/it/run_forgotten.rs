//! Tests of records that are taken away: what was spent today is unknown then, and not nothing.

use crate::run::steps;
use crate::run_batch::with_claude_that;
use crate::scratch::{Said, Scratch};
use std::fs;

fn run(scratch: &Scratch, options: &[&str]) -> Said {
    scratch.ok("rm -f a.out");
    scratch.run("rg-run", &[&["--builder", "claude"], options, &["a"]].concat(), b"")
}

fn calls(scratch: &Scratch) -> usize {
    fs::read_to_string(scratch.top().join("calls")).unwrap_or_default().lines().count()
}

#[test]
fn a_later_run_of_the_day_finds_that_records_are_gone() {
    for (edit, why) in [
        ("rm ../state/runs.jsonl", "lacks records of run-"),
        (": >../state/runs.jsonl", "lacks records of run-"),
        ("sed -i '/\"turn\"/d' ../state/runs.jsonl", "were removed or changed"),
        ("tail -n 1 ../state/runs.jsonl >../x; mv ../x ../state/runs.jsonl", "were removed or changed"),
        // The chain does not break behind the end.
        ("sed -i '/\"turn\"/,$d' ../state/runs.jsonl", "lacks records of run-"),
        ("head -n 7 ../state/runs.jsonl >../x; mv ../x ../state/runs.jsonl", "lacks records of run-"),
    ] {
        let mut scratch = with_claude_that("echo call >>TOP/calls");
        assert_eq!(run(&scratch, &[]).status, 0);
        assert_eq!(run(&scratch, &["--budget", "9usd/day"]).status, 0);
        scratch.ok(edit);
        let said = run(&scratch, &["--budget", "9usd/day"]);
        assert_eq!((said.status, calls(&scratch)), (111, 2), "{edit}: {said:?}");
        let end = steps(&scratch, "end").pop().unwrap();
        let told = end["why"].as_str().unwrap();
        assert!(told.contains(why) && told.contains("restore the file, or remove the limit"), "{edit}: {told}");
        assert!(told.contains("runs.jsonl"), "{edit}: {told}");
        // The user's own limit, in all repositories.
        let config = scratch.top().join("home/.config/review-gate");
        fs::create_dir_all(&config).unwrap();
        fs::write(config.join("config.yaml"), "daily: {tokens: 100000}\n").unwrap();
        assert_eq!((run(&scratch, &[]).status, calls(&scratch)), (111, 2), "{edit}");
        fs::remove_file(config.join("config.yaml")).unwrap();
        // Without a limit, and on the next day, it works.
        assert_eq!((run(&scratch, &[]).status, calls(&scratch)), (0, 3), "{edit}");
        scratch.later(86_400.0);
        assert_eq!((run(&scratch, &["--budget", "9usd/day"]).status, calls(&scratch)), (0, 4), "{edit}");
    }
}

#[test]
fn an_agent_that_takes_its_own_records_away_ends_the_day() {
    for edit in ["rm -f STATE/runs.jsonl", ": >STATE/runs.jsonl"] {
        let scratch = with_claude_that(&format!("echo call >>TOP/calls; {edit}"));
        for _ in 0..3 {
            run(&scratch, &["--budget", "2usd/day"]);
        }
        assert_eq!(calls(&scratch), 1, "{edit}");
    }
}

#[test]
fn complete_records_are_not_taken_for_gone() {
    let scratch = with_claude_that("echo call >>TOP/calls");
    let words = ["--each", "line", "--builder", "claude", "--budget", "90usd/day"];
    assert_eq!(scratch.run("rg-run", &words, b"a\nb\nc\n").status, 0);
    for n in 4..7 {
        let said = run(&scratch, &["--budget", "90usd/day"]);
        assert_eq!((said.status, calls(&scratch)), (0, n), "{said:?}");
    }
}

#[test]
fn a_receipt_that_nothing_seals_ends_no_day() {
    let scratch = with_claude_that("echo call >>TOP/calls");
    assert_eq!(run(&scratch, &[]).status, 0);
    scratch.ok("cd ../state/receipts && f=$(ls | head -n 1) && sed 's/\"id\":\"run-[0-9A-Z]*/\"id\":\"run-01M7YZMHG0AAAAAAAAAAAAAAAA/' $f >$(echo $f | sed 's/.\\.json/Z.json/')");
    let said = run(&scratch, &["--budget", "9usd/day"]);
    assert_eq!((said.status, calls(&scratch)), (0, 2), "{said:?}");
}
