//! Laws of rg-bounce: the budget, progress, CANNOT, the user's waivers.

use crate::scratch::Scratch;
use review_gate::event::Rule;
use serde_json::json;

/// Checks a, b and c, each of which fails while its file is missing.
const THREE: &str =
    "checks:\n  - {name: a, run: test -e a}\n  - {name: b, run: test -e b}\n  - {name: c, run: test -e c}\n";

#[test]
fn fifty_failing_stops_are_bounced_three_times() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    let blocks = (0..50).filter(|_| scratch.stop("s").out.contains("\"block\"")).count();
    assert_eq!(blocks, 3, "stop_hook_active was false every time");
    assert_eq!(scratch.words()[3..], vec!["abandoned"; 47]);
}

#[test]
fn changing_the_files_alone_is_no_progress() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    for n in 0..10 {
        scratch.append("src.txt", "noise\n");
        assert_eq!(scratch.stop("s").out.contains("\"block\""), n < 3);
    }
}

#[test]
fn progress_refills_the_budget_and_says_so() {
    let scratch = Scratch::repo_with(THREE);
    scratch.prompt("s", "go");
    scratch.write("x", "");
    assert!(scratch.stop("s").reason().contains("bounce 1 of 3"));
    assert!(scratch.stop("s").reason().contains("bounce 2 of 3"));
    scratch.write("a", "");
    let reason = scratch.stop("s").reason();
    assert!(
        reason.contains("bounce 1 of 3")
            && reason.contains("Open findings: 3 before, 2 now (1 fixed, 0 new). This is progress"),
        "{reason}"
    );
    for round in ["bounce 2 of 3", "bounce 3 of 3"] {
        assert!(scratch.stop("s").reason().contains(round));
    }
    assert!(scratch.stop("s").told().contains("abandoned"));
}

#[test]
fn oscillation_is_no_progress_and_is_reported() {
    let scratch = Scratch::repo_with(THREE);
    scratch.prompt("s", "go");
    scratch.write("a", "");
    let mut blocks = 0;
    for n in 0..20 {
        match n % 2 {
            0 => scratch.write("b", ""),
            _ => std::fs::remove_file(scratch.work().join("b")).unwrap(),
        }
        let said = scratch.stop("s");
        if said.out.contains("\"block\"") {
            blocks += 1;
            assert_eq!(said.out.contains("the same as at attempt 1"), n == 2, "{n}: {said:?}");
        }
    }
    assert_eq!(blocks, 3);
}

#[test]
fn an_unchanged_stop_gets_a_one_line_reason() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    scratch.stop("s");
    let reason = scratch.stop("s").reason();
    assert_eq!(reason.lines().count(), 1);
    for part in
        ["bounce 2 of 3", "nothing changed since attempt 1", "Open: check \"tests\"", "CANNOT:", "rg-receipt show"]
    {
        assert!(reason.contains(part), "{part}: {reason}");
    }
}

#[test]
fn a_task_stays_abandoned_until_done_or_the_users_prompt() {
    let scratch = Scratch::repo_with(THREE);
    scratch.prompt("s", "go");
    scratch.write("x", "");
    (0..4).for_each(|_| drop(scratch.stop("s")));
    scratch.write("a", "");
    assert!(scratch.stop("s").told().contains("abandoned"), "progress does not reopen an abandoned task");
    scratch.prompt("s", "<task-notification>x");
    assert!(scratch.stop("s").told().contains("abandoned"));
    scratch.prompt("s", "go on");
    assert!(scratch.stop("s").reason().contains("bounce 1 of 3"), "a prompt restores the budget");
    for name in ["b", "c"] {
        scratch.write(name, "");
    }
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words().last().unwrap(), "done");
}

#[test]
fn the_best_score_outlives_a_prompt() {
    let scratch = Scratch::repo_with(THREE);
    scratch.prompt("s", "go");
    scratch.write("a", "");
    scratch.stop("s");
    scratch.write("b", "");
    scratch.stop("s");
    scratch.prompt("s", "go on");
    std::fs::remove_file(scratch.work().join("b")).unwrap();
    scratch.stop("s");
    scratch.write("b", "");
    assert!(scratch.stop("s").reason().contains("bounce 2 of 3"), "one open finding was reached before");
}

#[test]
fn minutes_are_bounded_from_the_first_bounce() {
    let mut scratch = Scratch::repo_with(&format!("{THREE}gate: {{max_minutes: 10, max_bounces: 20}}\n"));
    scratch.prompt("s", "go");
    scratch.write("x", "");
    assert!(scratch.stop("s").reason().contains("bounce 1 of 8"));
    scratch.later(9.0 * 60.0);
    assert!(scratch.stop("s").reason().contains("bounce 2 of 8"));
    scratch.later(2.0 * 60.0);
    assert!(scratch.stop("s").told().contains("11 minutes since the first bounce"));
}

#[test]
fn daily_budgets_apply_to_all_tasks() {
    let config = |scratch: &Scratch, text: &str| scratch.write("../home/.config/review-gate/config.yaml", text);
    let mut scratch = Scratch::repo();
    config(&scratch, "daily: {bounces: 2}\n");
    scratch.prompt("a", "go");
    scratch.append("src.txt", "more\n");
    assert!(scratch.stop("a").reason().contains("bounce 1 of 3"));
    scratch.prompt("b", "go");
    scratch.append("src.txt", "more\n");
    assert!(scratch.stop("b").reason().contains("bounce 1 of 3"));
    let told = scratch.stop("b").told();
    assert!(told.contains("abandoned: the daily budget of 2 bounces over all tasks is spent"), "{told}");
    assert_eq!(scratch.receipt()["ended"]["why"], "daily");
    scratch.later(86_400.0);
    scratch.prompt("b", "go on");
    assert!(scratch.stop("b").reason().contains("bounce 1 of 3"), "the next day");
    scratch.later(600.0);
    config(&scratch, "daily: {minutes: 5}\n");
    scratch.stop("b");
    scratch.prompt("b", "go on");
    assert!(scratch.stop("b").told().contains("the daily budget of 5 minutes"), "ten minutes passed after a bounce");
    config(&scratch, "daily: {reviews: 1}\n");
    scratch.prompt("b", "go on");
    assert!(scratch.stop("b").reason().contains("bounce 1 of 3"), "it does not wait for a review");
    config(&scratch, "daily: [\n");
    assert!(scratch.stop("b").told().contains("no daily budget: "), "a defective configuration is reported");
}

/// Claude Code honours 8 blocks in a row, or as many as its variable says. Then the turn would end without an outcome.
#[test]
fn the_task_is_abandoned_before_the_client_lets_go() {
    for (cap, blocks) in [(None, 8), (Some("4"), 4), (Some("0"), 20), (Some("x"), 8)] {
        let mut scratch = Scratch::repo_with(&format!("{THREE}gate: {{max_bounces: 20}}\n"));
        if let Some(cap) = cap {
            scratch.set("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", cap);
        }
        scratch.prompt("s", "go");
        scratch.write("x", "");
        for n in 1..=blocks {
            assert!(scratch.stop("s").reason().contains(&format!("bounce {n} of {blocks}")), "{cap:?}");
        }
        assert!(scratch.stop("s").told().contains("abandoned"), "{cap:?}");
    }
}

#[test]
fn cannot_ends_the_turn_but_not_the_task() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    scratch.stop("s");
    let told = scratch.stop_saying("s", "I tried everything.\nCANNOT: the spec contradicts itself").told();
    assert!(told.contains("abandoned: the spec contradicts itself"), "{told}");
    scratch.prompt("s", "then do this");
    assert_eq!(scratch.records("begin").len(), 1);
    assert!(scratch.stop("s").reason().contains("bounce 1 of 3"));
    let quoted = scratch.stop_saying("s", "> CANNOT: x\n```\nCANNOT: y\n```").reason();
    assert!(quoted.contains("bounce 2 of 3"));
}

#[test]
fn cannot_is_parsed_from_the_whole_message() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    let (before, output) = ("a line of words\n".repeat(2500), "out\n".repeat(9000));
    // Both messages are cut in the record, and the fence begins in the part that is cut.
    assert!(
        scratch.stop_saying("s", &format!("{before}```\n{output}CANNOT: x\n```\nBye.")).reason().contains("NOT DONE")
    );
    scratch.stop_saying("s", &format!("```\n{before}```\n{output}CANNOT: no network\n{output}Bye."));
    assert_eq!(scratch.words(), ["not-done", "abandoned"]);
    assert_eq!(scratch.receipt()["ended"]["text"], "no network");
}

#[test]
fn cannot_is_offered_in_every_bounce_and_ignored_when_done() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    for _ in 0..3 {
        assert!(scratch.stop("s").reason().contains("CANNOT: <reason>"));
    }
    scratch.append("src.txt", "fixed\n");
    assert_eq!(scratch.stop_saying("s", "CANNOT: whatever").out, "");
    assert_eq!(scratch.words().last().unwrap(), "done");
}

#[test]
fn an_unjudged_stop_may_end_unless_the_policy_blocks_it_once() {
    let broken = "checks:\n  - {name: a, shell: [no-such-shell], run: x}\n";
    let scratch = Scratch::repo_with(broken);
    scratch.prompt("s", "go");
    scratch.write("x", "");
    assert!(scratch.stop("s").told().contains("unverified"));
    let scratch = Scratch::repo_with(&format!("{broken}gate: {{on_error: block}}\n"));
    scratch.prompt("s", "go");
    scratch.write("x", "");
    assert_eq!(scratch.stop("s").json()["decision"], "block");
    assert!(scratch.stop("s").told().contains("abandoned: two stops could not be judged"));
    assert_eq!(scratch.words(), ["unverified", "abandoned"]);
    scratch.prompt("s", "again");
    assert_eq!(scratch.stop("s").json()["decision"], "block", "one bounce per user's prompt");
}

/// Runs a line at a pseudo-terminal; None without util-linux.
fn at_a_terminal(scratch: &Scratch, line: &str) -> Option<crate::scratch::Said> {
    let has_script = std::process::Command::new("script").arg("--version").output().is_ok();
    if !has_script {
        crate::scratch::skipped("no script");
        return None;
    }
    Some(scratch.run("script", &["-qec", line, "/dev/null"], b""))
}

#[test]
fn the_user_waives_with_reason_scope_and_end() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    let said = scratch.run("rg-bounce", &["waive", "--why", "x"], b"");
    assert!(said.status == 100 && said.err.contains("terminal"), "{said:?}");
    let Some(said) = at_a_terminal(&scratch, "rg-bounce waive --why 'flaky runner' --scope rule:check-failed --for 2h")
    else {
        return;
    };
    assert_eq!(said.status, 0, "{said:?}");
    let told = scratch.stop("s").told();
    assert!(told.contains("waived: flaky runner (tester, until 2026-11-21T14:00:00.000Z)"), "{told}");
    assert_eq!(scratch.receipt()["waivers"][0]["why"], "flaky runner");
    assert_eq!(scratch.receipt()["checks"][0]["ended"], "failed", "a waived finding is still shown");
    scratch.later(3.0 * 3600.0);
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.stop("s").json()["decision"], "block", "the waiver has expired");
}

#[test]
fn a_waiver_of_the_gate_runs_no_check() {
    let scratch = Scratch::repo_with("checks:\n  - {name: a, run: touch ../ran; false}\n");
    scratch.prompt("s", "go");
    scratch.write("x", "");
    if at_a_terminal(&scratch, "rg-bounce waive --why 'demo day'").is_some() {
        assert!(scratch.stop("s").told().contains("waived: demo day"));
        assert!(!scratch.top().join("ran").exists());
        assert_eq!(scratch.words(), ["waived"]);
    }
}

#[test]
fn waive_checks_its_options() {
    let scratch = Scratch::repo();
    for args in [
        &["waive"][..],
        &["waive", "--why", " "],
        &["waive", "--why", "x", "--scope", "all"],
        &["waive", "--why", "x", "--for", "1w"],
        &["waive", "--why", "x", "--for", "5"],
        &["waive", "--why", "x", "--for", "31d"],
    ] {
        let said = scratch.run("rg-bounce", args, b"");
        assert!(said.status == 100 && said.err.lines().count() == 1, "{args:?}: {said:?}");
    }
}

/// The user can waive every rule that a tool writes. Without a terminal only that is the error.
#[test]
fn a_waiver_needs_a_known_rule() {
    let scratch = Scratch::repo();
    for (rule, is_known) in Rule::ALL.iter().map(|rule| (rule.word(), true)).chain([("no-such-rule", false)]) {
        let said = scratch.run("rg-bounce", &["waive", "--why", "x", "--scope", &format!("rule:{rule}")], b"");
        let why = if is_known { "waive is only for the user at a terminal" } else { "unknown rule \"no-such-rule\"" };
        assert!(said.status == 100 && said.err.contains(why), "{rule}: {said:?}");
    }
}

#[test]
fn a_waiver_names_the_nearest_rule_and_a_key_that_nothing_has() {
    let scratch = Scratch::repo();
    let said = scratch.run("rg-bounce", &["waive", "--why", "x", "--scope", "rule:check-faild"], b"");
    assert!(said.err.contains("unknown rule \"check-faild\" (did you mean rule:check-failed?)"), "{said:?}");
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    scratch.stop("s");
    let Some(said) = at_a_terminal(&scratch, "rg-bounce waive --why x --scope key:zz") else { return };
    assert!(said.status == 0 && said.out.contains("no open finding has this key now"), "{said:?}");
    let key = scratch.records("receipt")[0]["keys"][0].as_str().unwrap().to_string();
    let said = at_a_terminal(&scratch, &format!("rg-bounce waive --why x --scope 'key:{key}'")).unwrap();
    assert!(said.status == 0 && !said.out.contains("no open finding"), "{said:?}");
}

#[test]
fn without_an_open_task_it_is_said_how_one_begins() {
    let scratch = Scratch::repo();
    let want = "no open task in this repository: a prompt in the client begins one\n";
    for line in ["rg-anchor show", "rg-loop show", "rg-review-state show"] {
        let said = scratch.sh(line, b"");
        assert!(said.status == 100 && said.err.ends_with(want), "{line}: {said:?}");
    }
    for line in ["rg-bounce waive --why x", "rg-tamper bless --why x", "rg-review accept"] {
        let Some(said) = at_a_terminal(&scratch, line) else { return };
        assert!(said.status != 0 && said.out.replace('\r', "").ends_with(want), "{line}: {said:?}");
    }
}

#[test]
fn every_bounce_tells_the_user_how_to_waive() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    assert!(scratch.stop("s").told().contains("rg-bounce waive"));
}

#[test]
fn an_interrupted_turn_is_never_blocked() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    let failure = scratch.payload("s", json!({"hook_event_name": "StopFailure", "error": "unknown"}));
    assert_eq!(scratch.sh(crate::scratch::STOP, &failure).out, "");
}
