//! Tests of the budgets of runs: turns at the same time, and what a turn under way may still spend.

use crate::run::steps;
use crate::run_batch::{with_claude, with_claude_that};
use crate::scratch::{Scratch, bin_dir, lines_of};
use crate::sleeper;
use proptest::prelude::*;
use std::collections::HashMap;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How often the agent was started.
fn calls(scratch: &Scratch) -> usize {
    fs::read_to_string(scratch.top().join("calls")).unwrap_or_default().lines().count()
}

/// Starts a run in a worktree of its own.
fn start(scratch: &Scratch, branch: &str, options: &[&str]) -> Child {
    let mut command = scratch.command(bin_dir().join("rg-run"));
    command.args(["--builder", "claude", "--branch", branch]).args(options).arg(branch);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until there is something to see.
fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn turns_at_the_same_time_spend_no_more_than_one_after_another() {
    for (budget, turns) in [("600", 1), ("1300", 3), ("1.5usd", 2)] {
        let scratch = with_claude_that("echo call >>TOP/calls; sleep 0.5");
        let words = ["--each", "line", "--parallel", "8", "--builder", "claude", "--budget", budget];
        let said = scratch.run("rg-run", &words, b"a\nb\nc\nd\ne\nf\ng\nh\ni\n");
        assert_eq!(
            (calls(&scratch), steps(&scratch, "item").len(), said.status),
            (turns, 9, 111),
            "{budget}: {said:?}"
        );
        // An item that cannot start a turn gets no worktree.
        assert!(steps(&scratch, "begin").len() <= turns, "{budget}: {said:?}");
        let refused = steps(&scratch, "item").into_iter().filter(|item| item["of"].is_null());
        let why: Vec<String> = refused.map(|item| item["why"].as_str().unwrap().to_string()).collect();
        assert!(why.len() == 9 - turns && why.iter().all(|why| why.contains("the batch spent")), "{why:?}");
    }
}

#[test]
fn a_budget_that_is_large_enough_lets_turns_work_at_the_same_time() {
    let meet = "touch TOP/here.$$; ls TOP | grep -c '^here' >>TOP/most; sleep 2; rm TOP/here.$$; echo call >>TOP/calls";
    let scratch = with_claude_that(meet);
    let words = ["--each", "line", "--parallel", "3", "--builder", "claude", "--budget", "100k"];
    let said = scratch.run("rg-run", &words, b"a\nb\nc\nd\n");
    assert_eq!((calls(&scratch), said.status), (4, 0), "{said:?}");
    let most = fs::read_to_string(scratch.top().join("most")).unwrap();
    assert!(most.starts_with("1\n") && most.lines().any(|n| n.trim() == "3"), "the first turn is alone: {most}");
}

#[test]
fn runs_of_other_processes_count_their_turns_under_way_too() {
    let scratch = with_claude_that("echo call >>TOP/calls; while [ ! -e TOP/go ]; do sleep 0.1; done");
    let mut first = start(&scratch, "a", &["--budget", "600/day"]);
    wait_for("the first turn", || calls(&scratch) == 1);
    // It waits, and its own minutes end it.
    let began = Instant::now();
    let status = start(&scratch, "b", &["--budget", "600/day", "--minutes", "0.05"]).wait().unwrap();
    assert!(status.code() == Some(111) && began.elapsed() < Duration::from_secs(40), "{status}");
    let waits = steps(&scratch, "waits");
    let why = "the runs of today spent 0 of 600 tokens, and 1 turn under way may spend the rest";
    assert_eq!((waits.len(), waits[0]["why"].as_str()), (1, Some(why)), "{waits:?}");
    assert!(steps(&scratch, "end")[0]["why"].as_str().unwrap().contains("0.05 minutes"));
    // Another one is refused as soon as the first turn has spent everything.
    let mut third = start(&scratch, "c", &["--budget", "600/day"]);
    wait_for("another run waits", || steps(&scratch, "waits").len() == 2);
    fs::write(scratch.top().join("go"), "").unwrap();
    assert_eq!((first.wait().unwrap().code(), third.wait().unwrap().code()), (Some(0), Some(111)));
    assert_eq!(calls(&scratch), 1);
    let ends = steps(&scratch, "end");
    let is_refused = |why: &str| why.contains("the runs of today spent 600 of 600 tokens");
    assert!(ends.iter().any(|end| is_refused(end["why"].as_str().unwrap())), "{ends:?}");
}

#[test]
fn the_turn_of_a_killed_run_is_unknown_and_nobody_waits_for_it() {
    let time = sleeper::time();
    let scratch = with_claude_that(&format!("echo call >>TOP/calls; [ -e TOP/go ] || sleep {time}"));
    let mut first = start(&scratch, "a", &["--budget", "9usd/day"]);
    wait_for("the first turn", || calls(&scratch) == 1 && sleeper::count(&time) == 1);
    first.kill().unwrap();
    first.wait().unwrap();
    fs::write(scratch.top().join("go"), "").unwrap();
    let said = scratch.run("rg-run", &["--builder", "claude", "--branch", "b", "--budget", "9usd/day", "b"], b"");
    assert!(said.status == 111 && said.out.contains("was interrupted: the budget cannot be held"), "{said:?}");
    assert_eq!((calls(&scratch), steps(&scratch, "waits").len()), (1, 0), "{said:?}");
    // Its resume ends what it left.
    let said = scratch.run("rg-run", &["--resume", "last"], b"");
    assert_eq!((said.status, calls(&scratch)), (111, 1), "{said:?}");
    let first = steps(&scratch, "begin")[0]["run"].as_str().unwrap().to_string();
    let said = scratch.run("rg-run", &["--resume", &first], b"");
    assert_eq!((said.status, calls(&scratch), sleeper::count(&time)), (111, 1, 0), "{said:?}");
}

#[test]
fn without_a_budget_nobody_waits() {
    let scratch = with_claude();
    let words = ["--each", "line", "--parallel", "2", "--builder", "claude"];
    assert_eq!(scratch.run("rg-run", &words, b"a\nb\n").status, 0);
    assert!(!scratch.state().join("runs/turn.lock").exists() && steps(&scratch, "waits").is_empty());
}

/// Reads the records in their order, and holds each start of a turn against what was known then.
fn replay(scratch: &Scratch, budget: u64) -> Result<usize, TestCaseError> {
    let (mut spent, mut largest, mut starts, mut has_judged) = (0, None, 0, false);
    // Whether the agent of a round under way has ended.
    let mut under_way: HashMap<String, bool> = HashMap::new();
    for step in lines_of(&scratch.state().join("runs.jsonl")) {
        let run = step["run"].as_str().unwrap_or_default().to_string();
        match step["state"].as_str().unwrap_or_default() {
            "agent" => {
                let working = under_way.values().filter(|has_ended| !**has_ended).count() as u64;
                let reserved = working * largest.unwrap_or(budget);
                prop_assert!(spent + reserved < budget, "turn {starts} of {run}: {spent} + {reserved} of {budget}");
                prop_assert!(under_way.is_empty() || has_judged, "the first turn is alone");
                under_way.insert(run, false);
                starts += 1;
            }
            "turn" => {
                let tokens = step["tokens"].as_u64().unwrap();
                (spent, largest) = (spent + tokens, Some(largest.unwrap_or(0).max(tokens)));
                under_way.insert(run, true);
            }
            "judged" => {
                under_way.remove(&run);
                has_judged = true;
            }
            _ => {}
        }
    }
    Ok(starts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn no_turn_of_any_batch_starts_without_room(budget in 1u64..4000, parallel in 1u32..6, seed in 0u32..100) {
        // Each agent takes another time, and reports another number of tokens.
        let line = "n=$(( ($$ + SEED) % 5 )); sleep 0.$n; echo call >>TOP/calls; set -- 1 300 600 900 2000; shift $n\n\
            echo '{\"type\":\"result\",\"result\":\"x\",\"usage\":{\"input_tokens\":'$1'}}'; exit";
        let scratch = with_claude_that(&line.replace("SEED", &seed.to_string()));
        let (tokens, at_once) = (budget.to_string(), parallel.to_string());
        let words = ["--each", "line", "--parallel", &at_once, "--builder", "claude", "--budget", &tokens];
        let said = scratch.run("rg-run", &words, b"a\nb\nc\nd\ne\nf\n");
        prop_assert_eq!(replay(&scratch, budget)?, calls(&scratch), "{:?}", said);
        prop_assert_eq!(steps(&scratch, "item").len(), 6, "{:?}", said);
        prop_assert!(calls(&scratch) >= 1 && (said.status == 0) == (calls(&scratch) == 6), "{:?}", said);
    }
}

#[test]
fn a_lock_that_another_process_holds_is_told() {
    let scratch = with_claude_that("true");
    if scratch.sh("flock --version", b"").status != 0 {
        return crate::scratch::skipped("no flock");
    }
    let lock = "f=$(find ../home ../state -name turn.lock | head -n 1); flock $f sleep 2 & sleep 0.3";
    let run = "rg-run --builder claude --budget 9usd/day a";
    assert_eq!(scratch.sh(run, b"").status, 0);
    let said = scratch.sh(&format!("rm -f a.out; {lock}; {run}; s=$?; wait; exit $s"), b"");
    assert_eq!(said.status, 0, "{said:?}");
    let why = steps(&scratch, "waits").pop().unwrap_or_default()["why"].to_string();
    assert!(why.contains("another process holds") && why.contains("turn.lock"), "{why}: {said:?}");
}
