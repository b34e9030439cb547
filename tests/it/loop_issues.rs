//! Laws of the loop over issues: it claims, works in a worktree, lands, closes, and goes on until nothing is ready.

use crate::land::{self, shared_with};
use crate::scratch::{Said, Scratch, stop_stages};
use serde_json::{Value, json};
use std::path::PathBuf;

const PROMPT: &str =
    "rg-event --client claude --within 290 | rg-tamper | rg-loop mark | rg-answer --client claude --kind prompt";

const COMPLETE: &str = "<loop-done>COMPLETE</loop-done>";

/// A repository with a remote, this DONE.md and these issues.
fn with_issues(yaml: &str, titles: &[&str]) -> (Scratch, Vec<String>) {
    let mut scratch = shared_with(yaml);
    let ids = titles.iter().map(|title| new(&scratch, title)).collect();
    scratch.later(1.0);
    (scratch, ids)
}

fn new(scratch: &Scratch, title: &str) -> String {
    scratch.run("rg-issue", &["new", title, "-m", &format!("Do {title}.")], b"").out.trim_end().to_string()
}

fn prompt(scratch: &mut Scratch, text: &str) -> Said {
    scratch.later(1.0);
    scratch.sh(PROMPT, &scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": text})))
}

fn stop(scratch: &mut Scratch, message: &str) -> Said {
    scratch.later(1.0);
    let said =
        scratch.sh(&stop_stages().join(" | "), &scratch.stop_payload("s", json!({"last_assistant_message": message})));
    assert_eq!(said.status, 0, "{said:?}");
    said
}

fn issue(scratch: &Scratch, id: &str) -> Value {
    serde_json::from_str(&scratch.run("rg-issue", &["show", id, "--json"], b"").out).unwrap()
}

fn status(scratch: &Scratch, id: &str) -> String {
    issue(scratch, id)["status"].as_str().unwrap().to_string()
}

/// The worktree that was made for an issue.
fn worktree(scratch: &Scratch, id: &str) -> PathBuf {
    let made = scratch.run("rg-worktree", &["list"], b"").out;
    let line = made.lines().find(|line| line.contains(id) || line.contains(&id.to_lowercase()));
    let word = line.unwrap_or_else(|| panic!("no worktree of {id}: {made}"));
    let path = word.split_whitespace().find(|word| word.starts_with('/')).unwrap();
    PathBuf::from(path)
}

#[test]
fn issues_are_worked_on_landed_and_closed_until_none_is_ready() {
    let (mut scratch, ids) = with_issues("", &["one", "two"]);
    let context = prompt(&mut scratch, "#loop").out;
    assert!(context.contains(&format!("Issue {}: one", ids[0])) && context.contains("Do one."), "{context}");
    assert_eq!((status(&scratch, &ids[0]), status(&scratch, &ids[1])), ("in_progress".into(), "open".into()));
    let tree = worktree(&scratch, &ids[0]);
    assert!(context.contains(tree.to_str().unwrap()), "{context}");
    land::commit(&scratch, &tree, "one.txt", "one\n");
    let said = stop(&mut scratch, COMPLETE);
    let reason = said.reason();
    assert!(reason.contains("landed ") && reason.contains(&format!("Issue {}: two", ids[1])), "{reason}");
    let done = issue(&scratch, &ids[0]);
    assert_eq!((&done["status"], &done["commit"]), (&json!("closed"), &json!(land::remote(&scratch))));
    assert!(!tree.exists() && scratch.work().join("one.txt").exists());
    let tree = worktree(&scratch, &ids[1]);
    // Without the mark the work on the issue goes on.
    assert!(stop(&mut scratch, "Hm.").reason().starts_with("[iteration 2 of 10]"));
    land::commit(&scratch, &tree, "two.txt", "two\n");
    let said = stop(&mut scratch, COMPLETE);
    assert!(said.json()["decision"].is_null() && said.told().contains("no issue is ready"), "{said:?}");
    assert_eq!(status(&scratch, &ids[1]), "closed");
    assert_eq!(land::tip(&scratch, "-C ../remote.git ls-tree --name-only main").matches(".txt").count(), 3);
    assert_eq!(stop(&mut scratch, "Bye.").out, "");
}

#[test]
fn what_does_not_pass_does_not_land_and_the_work_goes_on() {
    let (mut scratch, ids) = with_issues("", &["one"]);
    prompt(&mut scratch, "#loop");
    let tree = worktree(&scratch, &ids[0]);
    let before = land::remote(&scratch);
    // Nothing was done.
    assert!(stop(&mut scratch, COMPLETE).reason().contains("nothing to land"));
    land::commit(&scratch, &tree, "one.txt", "bad\n");
    let reason = stop(&mut scratch, COMPLETE).reason();
    assert!(reason.contains("not landed") && reason.contains("[iteration 3 of 10]"), "{reason}");
    std::fs::write(tree.join("one.txt"), "good\n").unwrap();
    assert!(stop(&mut scratch, COMPLETE).reason().contains("uncommitted file"));
    assert_eq!((land::remote(&scratch), status(&scratch, &ids[0])), (before, "in_progress".into()));
    land::commit(&scratch, &tree, "one.txt", "good and whole\n");
    stop(&mut scratch, COMPLETE);
    assert_eq!(status(&scratch, &ids[0]), "closed");
}

#[test]
fn an_issue_is_paused_after_its_last_iteration_and_three_in_a_row_end_the_loop() {
    let (mut scratch, ids) = with_issues("loop: {max: 1}\n", &["one", "two", "three", "four"]);
    prompt(&mut scratch, "#loop");
    for n in 0..2 {
        let said = stop(&mut scratch, "Hm.");
        assert!(said.reason().contains(&format!("Issue {}", ids[n + 1])), "{said:?}");
        let paused = issue(&scratch, &ids[n]);
        assert_eq!(paused["status"], "paused");
        let comment = paused["comments"][0]["text"].as_str().unwrap();
        assert!(comment.contains("1 iterations") || comment.contains("Given up"), "{comment}");
        assert!(comment.contains("Next: ") && worktree(&scratch, &ids[n]).is_dir(), "{comment}");
    }
    let said = stop(&mut scratch, "Hm.");
    assert!(said.json()["decision"].is_null(), "{said:?}");
    assert_eq!((status(&scratch, &ids[2]), status(&scratch, &ids[3])), ("paused".into(), "open".into()));
    assert_eq!(scratch.words().last().unwrap(), "abandoned");
}

#[test]
fn an_issue_is_let_go_if_the_agent_is_stuck_and_paused_if_the_user_ends_the_loop() {
    let (mut scratch, ids) = with_issues("", &["one"]);
    prompt(&mut scratch, "#loop");
    stop(&mut scratch, "<loop-done>STUCK</loop-done>");
    assert_eq!(status(&scratch, &ids[0]), "open");
    assert_eq!(scratch.words().last().unwrap(), "abandoned");
    prompt(&mut scratch, "#loop");
    assert_eq!(status(&scratch, &ids[0]), "in_progress");
    let said = prompt(&mut scratch, "#loop:stop");
    assert!(said.told().contains("ended the loop"), "{said:?}");
    assert_eq!(status(&scratch, &ids[0]), "paused");
    assert_eq!(stop(&mut scratch, "Bye.").out, "");
}

#[test]
fn a_claim_ends_with_the_session_and_is_taken_again_when_it_goes_on() {
    let (mut scratch, ids) = with_issues("", &["one", "two"]);
    prompt(&mut scratch, "#loop");
    let until = |scratch: &Scratch| issue(scratch, &ids[0])["claim"]["until"].as_str().map(str::to_string);
    let first = until(&scratch);
    scratch.later(60.0);
    stop(&mut scratch, "Hm.");
    assert!(until(&scratch) > first, "each stop renews it");
    let end = scratch.payload("s", json!({"hook_event_name": "SessionEnd", "reason": "other"}));
    scratch.run("rg-issue", &["--hook", "--client", "claude"], &end);
    assert_eq!(status(&scratch, &ids[0]), "open");
    assert!(stop(&mut scratch, "Hm.").reason().starts_with("[iteration 3"));
    assert_eq!(status(&scratch, &ids[0]), "in_progress");
    // Another one took it meanwhile: the loop goes on with the next issue.
    scratch.run("rg-issue", &["--hook", "--client", "claude"], &end);
    scratch.run("rg-issue", &["claim", &ids[0], "--as", "ada"], b"");
    let reason = stop(&mut scratch, COMPLETE).reason();
    assert!(reason.contains("another one has claimed it") && reason.contains(&ids[1]), "{reason}");
    assert_eq!(issue(&scratch, &ids[0])["claim"]["by"]["from"], "ada");
}

#[test]
fn without_an_issue_no_loop_begins() {
    let (mut scratch, _) = with_issues("", &[]);
    let said = prompt(&mut scratch, "#loop");
    assert!(said.told().contains("no issue is ready"), "{said:?}");
    let (mut scratch, ids) = with_issues("loop: {disabled: true}\n", &["one"]);
    assert!(prompt(&mut scratch, "#loop").told().contains("`loop.disabled` is set"));
    assert_eq!(status(&scratch, &ids[0]), "open");
}

/// A call of a tool, as the client tells rg-trace.
fn call(scratch: &Scratch, session: &str) {
    let tool = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": "ok"});
    assert_eq!(scratch.sh("rg-trace --hook", &scratch.payload(session, tool)).status, 0);
}

#[test]
fn calls_of_tools_renew_the_claims_of_their_session_once_in_a_quarter_of_an_hour() {
    let (mut scratch, ids) = with_issues("", &["one", "two", "three"]);
    prompt(&mut scratch, "#loop");
    scratch.set("CLAUDE_CODE_SESSION_ID", "s");
    scratch.run("rg-issue", &["claim", &ids[1], "--for", "1h"], b"");
    scratch.env.remove("CLAUDE_CODE_SESSION_ID");
    scratch.run("rg-issue", &["claim", &ids[2], "--as", "ada", "--for", "1h"], b"");
    let file = scratch.work().join(".review-gate/issues.jsonl");
    let length = || std::fs::metadata(&file).unwrap().len();
    // One turn of ten hours.
    for _ in 0..40 {
        scratch.later(905.0);
        call(&scratch, "s");
        let before = length();
        (0..3).for_each(|_| call(&scratch, "s"));
        assert_eq!(length(), before, "nothing is written at the other calls of this quarter");
    }
    for (id, hours) in [(&ids[0], 2.0), (&ids[1], 1.0)] {
        let claim = &issue(&scratch, id)["claim"];
        let until = review_gate::sys::clock::Time::parse(claim["until"].as_str().unwrap()).unwrap();
        let now = review_gate::sys::clock::Time::parse(&scratch.env["RG_NOW"]).unwrap();
        assert_eq!((claim["holds"].as_bool(), claim["fence"].as_u64()), (Some(true), Some(1)), "{claim}");
        assert!(until.since(now) > hours * 3600.0 - 1800.0 && until.since(now) <= hours * 3600.0, "{claim}");
    }
    assert_eq!(issue(&scratch, &ids[2])["claim"]["holds"], false, "it is of another session");
    // A call renews no claim that has run out.
    scratch.later(3.0 * 3600.0);
    call(&scratch, "s");
    assert_eq!(issue(&scratch, &ids[1])["claim"]["holds"], false);
}

#[test]
fn a_call_of_a_tool_passes_if_the_file_of_issues_cannot_be_read() {
    let (mut scratch, _) = with_issues("", &["one"]);
    prompt(&mut scratch, "#loop");
    for make in ["mkfifo", "mkdir"] {
        scratch.later(1000.0);
        scratch.ok(&format!("cd .review-gate && rm -rf issues.jsonl && {make} issues.jsonl"));
        call(&scratch, "s");
    }
}

#[test]
fn start_without_a_text_begins_the_loop_over_issues_with_its_limit() {
    let (mut scratch, ids) = with_issues("", &["one", "two"]);
    prompt(&mut scratch, "work");
    for wrong in ["''", "--max 0", "--max 101"] {
        let said = scratch.sh(&format!("rg-loop start {wrong}"), b"");
        assert!(said.status == 100 && said.err.lines().count() == 1, "{wrong}: {said:?}");
    }
    assert_eq!(status(&scratch, &ids[0]), "open");
    let said = scratch.run("rg-loop", &["start", "--max", "2"], b"");
    assert!(said.status == 0 && said.out.contains("at most 2 iterations"), "{said:?}");
    assert!(said.out.contains(&format!("Issue {}: one\n\nDo one.", ids[0])), "{said:?}");
    let tree = worktree(&scratch, &ids[0]);
    assert!(said.out.contains(tree.to_str().unwrap()) && status(&scratch, &ids[0]) == "in_progress", "{said:?}");
    // A second one takes no issue and makes no worktree.
    let before = scratch.ok("git worktree list; git branch").out;
    let again = scratch.run("rg-loop", &["start"], b"");
    assert!(again.status == 1 && again.err.contains("cannot be inside another loop"), "{again:?}");
    assert!(prompt(&mut scratch, "#loop").told().contains("cannot be inside another loop"));
    assert_eq!((scratch.ok("git worktree list; git branch").out, status(&scratch, &ids[1])), (before, "open".into()));
    land::commit(&scratch, &tree, "one.txt", "one\n");
    assert!(stop(&mut scratch, COMPLETE).reason().contains("at most 2 iterations"), "the limit is that of each issue");
    assert!(stop(&mut scratch, "Hm.").reason().starts_with("[iteration 2 of 2]"));
    stop(&mut scratch, "Hm.");
    assert_eq!(status(&scratch, &ids[1]), "paused");
}

#[test]
fn a_worktree_stays_until_the_agents_shell_has_left_it() {
    let (mut scratch, ids) = with_issues("", &["one", "two", "three"]);
    prompt(&mut scratch, "#loop");
    let trees: Vec<PathBuf> = (0..3)
        .map(|n| {
            let tree = worktree(&scratch, &ids[n]);
            land::commit(&scratch, &tree, &format!("{n}.txt"), "text\n");
            scratch.later(1.0);
            // The client says where its shell is.
            let fields = json!({"last_assistant_message": COMPLETE, "cwd": tree});
            let said = scratch.sh(&stop_stages().join(" | "), &scratch.stop_payload("s", fields));
            assert_eq!(status(&scratch, &ids[n]), "closed", "{said:?}");
            assert!(tree.is_dir(), "the shell is in it");
            if n == 2 {
                let told = said.told();
                assert!(told.contains("no issue is ready") && told.contains("rg-worktree remove"), "{told}");
            }
            tree
        })
        .collect();
    assert!(!trees[0].exists() && !trees[1].exists(), "it has left these");
    let name = trees[2].to_str().unwrap();
    assert_eq!(scratch.run("rg-worktree", &["remove", name], b"").status, 0, "nothing would be lost");
    assert_eq!(scratch.ok("git branch --list 'rg/*'").out, "");
}

#[test]
fn two_sessions_work_on_different_issues_and_land_at_the_same_time() {
    let (mut scratch, ids) = with_issues("", &["one", "two", "three"]);
    for session in ["s", "t"] {
        scratch.later(1.0);
        let payload = scratch.payload(session, json!({"hook_event_name": "UserPromptSubmit", "prompt": "#loop"}));
        let said = scratch.sh(PROMPT, &payload);
        assert!(said.out.contains(": one") != said.out.contains(": two"), "{said:?}");
    }
    for (id, name) in ids.iter().zip(["one", "two"]) {
        land::commit(&scratch, &worktree(&scratch, id), &format!("{name}.txt"), "text\n");
    }
    scratch.later(1.0);
    for session in ["s", "t"] {
        let fields = json!({"last_assistant_message": COMPLETE});
        scratch
            .write(&format!("../{session}.json"), std::str::from_utf8(&scratch.stop_payload(session, fields)).unwrap());
    }
    let line = stop_stages().join(" | ");
    let both = format!(
        "for s in s t; do ( {line} ) <../$s.json >../$s.out 2>../$s.err & done; wait; cat ../s.out ../t.out; cat ../s.err ../t.err >&2"
    );
    let said = scratch.sh(&both, b"");
    assert_eq!(said.err, "", "{said:?}");
    assert_eq!((status(&scratch, &ids[0]), status(&scratch, &ids[1])), ("closed".into(), "closed".into()), "{said:?}");
    // One of them goes on with the third issue, the other one has none left.
    assert_eq!(said.out.matches(&format!("Issue {}: three", ids[2])).count(), 1, "{said:?}");
    assert_eq!(status(&scratch, &ids[2]), "in_progress");
    let files = land::tip(&scratch, "-C ../remote.git ls-tree --name-only main");
    assert!(files.contains("one.txt") && files.contains("two.txt"), "{files}");
}
