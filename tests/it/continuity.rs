//! What a task begins from: changes between two tasks, turns that changed nothing, repairs of DONE.md, commits that existed, and
//! journals that were edited.

use crate::scratch::{Said, Scratch, lines_of};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Runs a line as a user at a terminal; None without script(1).
fn at_a_terminal(scratch: &Scratch, line: &str) -> Option<Said> {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        crate::scratch::skipped("no script");
        return None;
    }
    Some(scratch.run("script", &["-qec", line, "/dev/null"], b""))
}

const PROTECTED: &str = "checks:\n  - {name: tests, run: sh test.sh}\nguards:\n  protect: [test.sh]\n";

/// A repository with those keys whose first task is done.
fn after_done(yaml: &str) -> Scratch {
    let mut scratch = Scratch::repo_with(yaml);
    scratch.write("test/a.test.sh", "exit 0\n");
    scratch.ok("git add -A && git commit -qm test");
    scratch.prompt("s", "fix it");
    scratch.write("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    scratch.later(60.0);
    scratch
}

fn finding_texts(receipt: &Value) -> String {
    receipt["findings"].to_string()
}

#[test]
fn a_protected_file_that_changed_between_two_tasks_is_told_and_is_never_done_unseen() {
    let scratch = after_done(PROTECTED);
    scratch.write("test.sh", "exit 0\n");
    let told = scratch.prompt("s", "now the next thing").told();
    assert!(told.contains("1 file changed between the last task and this prompt: test.sh"), "{told}");
    assert!(told.contains("rg-tamper bless --why TEXT --task "), "{told}");
    scratch.write("src.txt", "utterly broken\n");
    let told = scratch.stop("s").told();
    assert!(told.contains("unverified: ") && told.contains("If you made this change, accept it with"), "{told}");
    assert_eq!(scratch.words(), ["done", "unverified"]);
    assert!(finding_texts(&scratch.receipt()).contains("changed between the last task and this one"));
}

#[test]
fn the_next_prompt_accepts_what_the_stop_before_told() {
    let mut scratch = after_done(PROTECTED);
    scratch.write("test.sh", "grep -q more src.txt\n");
    scratch.prompt("s", "make the new test pass");
    scratch.append("src.txt", "more\n");
    assert!(scratch.stop("s").told().contains("unverified"));
    scratch.later(60.0);
    assert_eq!(scratch.prompt("s", "go on").told(), "");
    scratch.append("src.txt", "and more\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["done", "unverified", "done"]);
}

#[test]
fn a_blessed_change_between_two_tasks_is_done() {
    let scratch = after_done(PROTECTED);
    scratch.write("test.sh", "grep -q more src.txt\n");
    scratch.prompt("s", "make the new test pass");
    let Some(said) = at_a_terminal(&scratch, "rg-tamper bless --why 'my test'") else { return };
    assert_eq!(said.status, 0, "{said:?}");
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["done", "done"]);
}

#[test]
fn a_change_between_two_tasks_that_is_undone_is_no_edit() {
    let scratch = after_done(PROTECTED);
    scratch.write("test.sh", "exit 0\n");
    scratch.prompt("s", "next");
    scratch.ok("git checkout -q test.sh");
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["done", "done"]);
}

#[test]
fn what_the_user_edits_between_two_tasks_is_told_and_not_charged() {
    let scratch = after_done("checks:\n  - {name: tests, run: sh test.sh}\n");
    scratch.ok("git rm -q test/a.test.sh && git commit -qam 'an obsolete test'");
    scratch.append("DONE.md", "More words.\n");
    for n in 0..7 {
        scratch.write(&format!("notes/{n}.txt"), "x\n");
    }
    let told = scratch.prompt("s", "next").told();
    let names = "DONE.md, test/a.test.sh, notes/0.txt, notes/1.txt, notes/2.txt and 4 more";
    assert_eq!(told, format!("review-gate: 9 files changed between the last task and this prompt: {names}"));
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["done", "done"]);
    let receipt = scratch.receipt();
    assert_eq!(receipt["findings"][0]["level"], "note");
    assert!(finding_texts(&receipt).contains("9 files changed between the last task and this one"));
}

#[test]
fn a_weaker_definition_between_two_tasks_needs_the_user() {
    let scratch = after_done("checks:\n  - {name: tests, run: sh test.sh}\n");
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: tests, run: 'true'}\n```\n");
    let told = scratch.prompt("s", "next").told();
    assert!(told.contains("DONE.md: its checks, guards or settings differ"), "{told}");
    scratch.write("src.txt", "broken\n");
    assert!(scratch.stop("s").told().contains("unverified"));
    // More checks ask for more.
    let scratch = after_done("checks:\n  - {name: tests, run: sh test.sh}\n");
    scratch.write(
        "DONE.md",
        "```yaml\nchecks:\n  - {name: tests, run: sh test.sh}\n  - {name: more, run: test -f src.txt}\n```\n",
    );
    scratch.prompt("s", "next");
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["done", "done"]);
}

#[test]
fn a_missing_record_of_the_last_files_hides_no_change() {
    let scratch = after_done(PROTECTED);
    let snapshot = scratch.receipt()["snapshot"].as_str().unwrap().to_string();
    fs::remove_file(scratch.state().join("blobs").join(snapshot)).unwrap();
    scratch.write("test.sh", "exit 0\n");
    assert!(scratch.prompt("s", "next").told().contains("the record of the previous ones is missing"));
    scratch.append("src.txt", "more\n");
    assert!(scratch.stop("s").told().contains("unverified"));
}

#[test]
fn files_that_a_new_ignore_rule_hides_are_not_told_as_removed() {
    let scratch = Scratch::repo();
    scratch.write("build/x.o", "x\n");
    scratch.prompt("s", "ignore the build");
    scratch.write(".gitignore", "build/\n");
    scratch.write("src.txt", "fixed\n");
    scratch.stop("s");
    assert_eq!(scratch.words(), ["done"]);
    assert_eq!(scratch.prompt("s", "next").told(), "");
}

#[test]
fn edits_after_a_turn_that_changed_nothing_are_not_charged() {
    let mut scratch = Scratch::repo();
    scratch.write("test/a.test.sh", "exit 0\n");
    scratch.ok("git add -A && git commit -qm test");
    scratch.prompt("s", "what is this?");
    assert_eq!(scratch.stop("s").out, "");
    scratch.ok("git rm -q test/a.test.sh && git commit -qam 'an obsolete test'");
    scratch.later(60.0);
    let told = scratch.prompt("s", "and this?").told();
    assert!(told.contains("1 file changed between the last task and this prompt: test/a.test.sh"), "{told}");
    assert_eq!(scratch.stop("s").out, "");
    scratch.later(60.0);
    assert_eq!(scratch.prompt("s", "now fix it").told(), "", "it was told");
    scratch.write("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn a_turn_that_changed_nothing_launders_no_protected_file() {
    let scratch = after_done(PROTECTED);
    scratch.write("test.sh", "exit 0\n");
    scratch.prompt("s", "a question");
    assert_eq!(scratch.stop("s").out, "");
    scratch.prompt("s", "now the next thing");
    scratch.write("src.txt", "broken\n");
    assert!(scratch.stop("s").told().contains("unverified"));
}

#[test]
fn an_interrupted_turn_keeps_its_baseline() {
    let scratch = Scratch::repo();
    scratch.write("test/a.test.sh", "exit 0\n");
    scratch.ok("git add -A && git commit -qm test");
    scratch.prompt("s", "a question");
    assert_eq!(scratch.stop("s").out, "");
    scratch.prompt("s", "fix it");
    scratch.ok("rm test/a.test.sh");
    // The user interrupts the turn, so that it has no stop.
    scratch.prompt("s", "go on");
    scratch.write("src.txt", "fixed\n");
    assert!(scratch.stop("s").reason().contains("this test file was removed"));
}

fn with_a_typo() -> Scratch {
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh tset.sh}\n");
    scratch.prompt("s", "go");
    scratch.write("src.txt", "fixed\n");
    scratch
}

fn correct(scratch: &Scratch) {
    scratch.ok("sed -i s/tset/test/ DONE.md");
}

#[test]
fn a_check_that_could_never_run_is_repaired_by_the_users_edit() {
    let mut scratch = with_a_typo();
    scratch.append("test.sh", "# shorter\n");
    for _ in 0..4 {
        scratch.stop("s");
    }
    correct(&scratch);
    scratch.later(60.0);
    let told = scratch.prompt("s", "I corrected DONE.md").told();
    assert!(told.contains("`sh tset.sh` is now `sh test.sh`. It judges from now on"), "{told}");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words().last().unwrap(), "done");
    // The baseline stays.
    let baselines = scratch.records("baseline");
    assert!(baselines[1]["from"].is_string() && baselines[1]["snapshot"] == baselines[0]["snapshot"], "{baselines:?}");
}

#[test]
fn no_other_edit_of_the_definition_is_taken_for_a_repair() {
    // An edit before the stop, by the agent.
    let scratch = with_a_typo();
    correct(&scratch);
    scratch.stop("s");
    assert_eq!(scratch.prompt("s", "continue").told(), "");
    assert!(scratch.stop("s").reason().contains("edited: the baseline's version applies"));
    // A script that existed when the task began.
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.ok("git rm -q test.sh");
    scratch.stop("s");
    scratch.ok("sed -i 's/sh test.sh/true/' DONE.md");
    scratch.prompt("s", "continue");
    assert!(scratch.stop("s").reason().contains("edited: the baseline's version applies"));
    // More than the command.
    let scratch = with_a_typo();
    scratch.stop("s");
    scratch.write(
        "DONE.md",
        "```yaml\nchecks:\n  - {name: tests, run: sh test.sh}\nguards:\n  no_deleted_tests: off\n```\n",
    );
    scratch.prompt("s", "continue");
    assert!(scratch.stop("s").reason().contains("edited: the baseline's version applies"));
}

#[test]
fn a_repaired_definition_is_no_edit() {
    let mut scratch = Scratch::repo_with("checks:\n  - {name: tests, rnu: sh test.sh}\n");
    scratch.prompt("s", "go");
    scratch.write("src.txt", "fixed\n");
    scratch.stop("s");
    scratch.ok("sed -i s/rnu/run/ DONE.md");
    scratch.later(60.0);
    scratch.prompt("s", "I repaired it");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["unverified", "done"]);
}

#[test]
fn a_blessed_definition_judges_and_no_other_file_is_blessed_with_it() {
    let scratch = Scratch::repo();
    scratch.write("test/a.test.sh", "exit 0\n");
    scratch.ok("git add -A && git commit -qm test");
    scratch.prompt("s", "go");
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: tests, run: test -f src.txt}\n```\n");
    scratch.ok("rm test/a.test.sh");
    let told = scratch.stop("s").told();
    assert!(told.contains("accept it with `rg-tamper bless --definition --why TEXT --task "), "{told}");
    let Some(said) = at_a_terminal(&scratch, "rg-tamper bless --definition --why 'another command'") else { return };
    assert!(said.status == 0 && said.out.contains("DONE.md judges task"), "{said:?}");
    let reason = scratch.stop("s").reason();
    assert!(reason.contains("this test file was removed") && !reason.contains("not fixed"), "{reason}");
    assert!(!reason.contains("DONE.md: edited"), "{reason}");
}

/// A repository with a commit that adds a test, and a branch `old` before it.
fn with_history() -> Scratch {
    let scratch = Scratch::repo_with("checks:\n  - {name: c, run: test -f a}\n");
    scratch.write("a", "1\n");
    scratch.ok("git add -A && git commit -qm a && git branch old");
    scratch.append("DONE.md", "More words.\n");
    scratch.write("test/x.test.js", "test('x',()=>{});\n");
    scratch.ok("git add -A && git commit -qm 'add x'");
    scratch
}

#[test]
fn what_heads_own_history_brings_is_not_charged() {
    let scratch = with_history();
    scratch.prompt("r", "revert the last commit");
    scratch.ok("git revert --no-edit HEAD");
    assert_eq!(scratch.stop("r").out, "");
    assert!(finding_texts(&scratch.receipt()).contains("HEAD moved to"));
    scratch.ok("git reset -q --hard HEAD~1");
    scratch.prompt("b", "go on on branch old");
    scratch.ok("git checkout -q old");
    scratch.write("a", "2\n");
    assert_eq!(scratch.stop("b").out, "");
    // Commits on top of a branch are compared with that branch.
    let scratch = with_history();
    scratch.ok("git checkout -q old && git checkout -q -b other && echo \"test('y',()=>{});\" >y.test.js && git add -A && git commit -qm y && git checkout -q main");
    scratch.prompt("s", "go on on branch other");
    scratch
        .ok("git checkout -q other && echo 2 >a && git commit -qam more && git rm -q y.test.js && git commit -qm less");
    let reason = scratch.stop("s").reason();
    assert!(
        reason.contains("y.test.js: ") && !reason.contains("x.test.js") && !reason.contains("DONE.md:"),
        "{reason}"
    );
}

#[test]
fn a_mixture_of_commits_is_charged() {
    let gone = "test/x.test.js: this test file was removed";
    let removed = |line: &str| {
        let scratch = with_history();
        scratch.write("b.txt", "1\n");
        scratch.ok("git add -A && git commit -qm b");
        scratch.prompt("s", "go");
        scratch.ok(line);
        let reason = scratch.stop("s").reason();
        assert!(reason.contains("test/x.test.js") && reason.contains("removed"), "{line}: {reason} {gone}");
    };
    // One old file.
    removed("git checkout -q old -- a && git rm -q test/x.test.js && git commit -qm pick");
    // A branch, with the newer files put back.
    removed("git checkout -q old && git checkout -q main -- b.txt");
    // An earlier commit, with the newer files written again.
    removed("git checkout -q HEAD~2 && echo 2 >b.txt");
    // A branch that was made in the task.
    removed("git rm -q test/x.test.js && git commit -qm less && git branch less && git checkout -q less");
    // A branch that an earlier task of the session made.
    let scratch = with_history();
    scratch.prompt("s", "go");
    scratch.ok("git checkout -q -b weak && git rm -q test/x.test.js && git commit -qm less && git checkout -q main && echo 2 >a");
    assert_eq!(scratch.stop("s").out, "");
    scratch.prompt("s", "next");
    scratch.ok("git checkout -q weak && echo 3 >a");
    assert!(scratch.stop("s").reason().contains("test/x.test.js"));
}

/// The only journal of a task.
fn journal(scratch: &Scratch) -> PathBuf {
    fs::read_dir(scratch.state().join("tasks")).unwrap().flatten().next().unwrap().path()
}

/// Appends a record that is not in the chain.
fn forge(scratch: &Scratch, kind: &str, fields: &str) {
    let record = format!(
        r#"{{"v":1,"kind":"{kind}","id":"01M80VMRMSJJGH6PHVWB2R4DR0","at":"2026-11-22T05:28:00.000Z","by_tool":"rg-event","prev":null,{fields}}}"#
    );
    let path = journal(scratch);
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str(&record);
    text.push('\n');
    fs::write(path, text).unwrap();
}

#[test]
fn an_edited_journal_waives_nothing_and_the_user_is_told() {
    for (kind, fields) in [
        ("gate-off", r#""who":"alice","until":"2099-11-23T05:28:00.000Z""#),
        ("waive", r#""scope":"gate","why":"x","who":"alice","until":"2099-11-23T05:28:00.000Z""#),
    ] {
        let scratch = Scratch::repo();
        scratch.prompt("s", "go");
        scratch.append("src.txt", "more\n");
        forge(&scratch, kind, fields);
        let told = scratch.stop("s").told();
        assert!(told.contains("the journal of this task was edited before record"), "{told}");
        assert!(
            told.contains("An edited journal can waive nothing. Quit the client and start a new session"),
            "{told}"
        );
        assert!(!told.contains("rg-bounce waive"), "{told}");
        assert_eq!(scratch.words(), ["not-done"]);
    }
}

#[test]
fn in_an_edited_journal_an_earlier_waiver_and_a_later_command_count_for_nothing() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "#gate:off");
    let text = fs::read_to_string(journal(&scratch)).unwrap();
    fs::write(journal(&scratch), text.replacen("\"until\":\"2026", "\"until\":\"2126", 1)).unwrap();
    let told = scratch.prompt("s", "#gate:off\n#review:stop").told();
    assert!(told.contains("no waiver, approval or command in it counts"), "{told}");
    assert!(told.contains("#gate:off refused") && told.contains("#review:stop refused"), "{told}");
    scratch.append("src.txt", "more\n");
    assert!(scratch.stop("s").reason().contains("src.txt:1: not fixed"));
    let task = lines_of(&journal(&scratch)).len();
    for line in ["rg-bounce waive --why x", "rg-tamper bless --why x"] {
        let Some(said) = at_a_terminal(&scratch, line) else { return };
        assert!(said.status == 100 && said.out.contains("was edited before record"), "{said:?}");
    }
    assert_eq!(lines_of(&journal(&scratch)).len(), task);
}

#[test]
fn a_receipt_in_an_edited_journal_ends_no_task() {
    let scratch = Scratch::repo();
    scratch.write("test/a.test.sh", "exit 0\n");
    scratch.ok("git add -A && git commit -qm test");
    scratch.prompt("s", "go");
    scratch.ok("rm test/a.test.sh");
    scratch.write("src.txt", "fixed\n");
    scratch.stop("s");
    let sealed = scratch.records("receipt")[0].to_string().replace("not-done", "done").replace("block", "allow");
    let mut text = fs::read_to_string(journal(&scratch)).unwrap();
    text.push_str(&format!("{sealed}\n"));
    fs::write(journal(&scratch), text).unwrap();
    scratch.prompt("s", "next");
    scratch.append("src.txt", "more\n");
    assert!(scratch.stop("s").reason().contains("this test file was removed"));
}

/// A plan that the user and the agent made in turns without changes stays the goal of the work.
#[test]
fn what_the_user_asked_for_before_anything_changed_stays_in_the_task() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "make a plan to repair src.txt");
    assert_eq!(scratch.stop("s").out, "");
    scratch.prompt("s", "go");
    let prompts = scratch.records("prompt");
    let carried: Vec<_> = prompts.iter().filter(|prompt| !prompt["from"].is_null()).collect();
    assert_eq!(scratch.records("begin").len(), 2);
    assert_eq!((carried.len(), &carried[0]["text"]), (1, &"make a plan to repair src.txt".into()), "{prompts:?}");
}

/// The files of the last `done` are kept even if the stat cache is of an earlier snapshot, so that the next prompt names what changed.
#[test]
fn what_changed_since_done_is_named_also_without_a_stat_cache_of_it() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.write("src.txt", "fixed\n");
    scratch.write(".gitignore", "*.log\n");
    assert_eq!(scratch.stop("s").out, "");
    scratch.ok("find $RG_STATE -name 'stat*' -delete; rm -rf $RG_STATE/cache");
    scratch.append("test.sh", "# by the user\n");
    let told = scratch.prompt("s", "go on").told();
    assert!(told.contains("test.sh") && !told.contains("unknown"), "{told}");
}
