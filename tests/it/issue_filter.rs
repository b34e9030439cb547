//! Laws of rg-issue as a filter: what is ready at a session's start, findings that become issues, claims that end with a session.

use crate::review_session::{Session, approval, decision, issue};
use crate::scratch::{Said, Scratch, stop_stages};
use serde_json::{Value, json};
use std::fs;

const START: &str =
    "rg-event --client claude --within 50 | rg-anchor | rg-issue | rg-answer --client claude --kind session-start";

/// A definition of done whose check fails without the file `ok`, and which gives up after one bounce.
const DONE: &str =
    "checks:\n  - {name: tests, run: test -f ok}\ngate: {max_bounces: 1}\nissues: {from: [review, abandoned]}\n";

/// The context of a session's start.
fn context(scratch: &Scratch, source: &str) -> String {
    let payload = scratch.payload("s1", json!({"hook_event_name": "SessionStart", "source": source}));
    let said = scratch.sh(START, &payload);
    assert_eq!(said.status, 0, "{said:?}");
    if said.out.is_empty() {
        return String::new();
    }
    said.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_string()
}

fn stop(scratch: &Scratch) -> Said {
    scratch.sh(&stop_stages().join(" | "), &scratch.stop_payload("s1", json!({})))
}

fn list(scratch: &Scratch) -> Vec<Value> {
    let said = scratch.run("rg-issue", &["list", "--all", "--json"], b"");
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The statuses of all issues.
fn statuses(scratch: &Scratch) -> Vec<String> {
    list(scratch).iter().map(|issue| issue["status"].as_str().unwrap().to_string()).collect()
}

/// Stops until the task is abandoned.
fn abandon(scratch: &Scratch) -> Said {
    scratch.prompt("s1", "work");
    scratch.write("src.txt", "changed\n");
    assert!(stop(scratch).reason().contains("tests"));
    stop(scratch)
}

#[test]
fn a_session_is_told_of_at_most_ten_ready_issues_and_of_two_commands() {
    let scratch = Scratch::repo();
    assert!(!context(&scratch, "startup").contains("rg-issue"), "nobody uses the talk here");
    for n in 0..12 {
        let title = format!("mend part {n} {}", "of many ".repeat(30));
        scratch.run("rg-issue", &["new", &title, "--priority", if n == 11 { "1" } else { "3" }], b"");
    }
    let text = context(&scratch, "startup");
    let text = &text[text.find("12 issues").unwrap_or_else(|| panic!("{text}"))..];
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("12 issues are ready") && lines[1].contains("(priority 1): mend part 11"), "{text}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("- 0")).count(), 10, "{text}");
    assert!(text.len() < 1_800 && text.contains("`rg-issue claim ID`") && text.contains("`rg-msg post "), "{text}");
    assert_eq!(text.matches("rg-msg post").count(), 1, "{text}");
    // Titles are one line each, whatever they hold.
    fs::remove_dir_all(scratch.work().join(".review-gate")).unwrap();
    scratch.run("rg-msg", &["init"], b"");
    assert!(context(&scratch, "compact").contains("`rg-issue claim ID`"));
}

#[test]
fn a_file_of_issues_that_cannot_be_read_stops_no_session() {
    let scratch = Scratch::repo();
    let dir = scratch.work().join(".review-gate");
    fs::create_dir_all(&dir).unwrap();
    for make in [
        "mkfifo issues.jsonl",
        "ln -s /dev/zero issues.jsonl",
        "mkdir issues.jsonl",
        "printf '{\"id\":\"' > issues.jsonl",
    ] {
        scratch.ok(&format!("cd .review-gate && rm -rf issues.jsonl && {make}"));
        let payload = scratch.payload("s1", json!({"hook_event_name": "SessionStart", "source": "startup"}));
        let said = scratch.sh(START, &payload);
        assert!(said.status == 0 && !said.out.contains("priority"), "{make}: {said:?}");
        let end = scratch.payload("s1", json!({"hook_event_name": "SessionEnd", "reason": "other"}));
        let said = scratch.run("rg-issue", &["--hook", "--client", "claude"], &end);
        assert!(said.status == 0 && said.out.is_empty(), "{make}: {said:?}");
    }
}

#[test]
fn what_an_abandoned_task_left_open_becomes_an_issue_once_and_closes_when_it_is_gone() {
    let scratch = Scratch::repo_with(DONE);
    let said = abandon(&scratch);
    assert!(said.told().contains("filed 1 issue"), "{said:?}");
    let filed = list(&scratch);
    assert_eq!(filed.len(), 1);
    assert!(filed[0]["title"].as_str().unwrap().contains("tests"), "{filed:?}");
    assert!(filed[0]["body"].as_str().unwrap().contains("rg-receipt show "), "{filed:?}");
    assert_eq!((&filed[0]["by"]["from"], &filed[0]["tags"][0]), (&json!("gate"), &json!("abandoned")));
    // The same finding again is the same issue, also in another session.
    stop(&scratch);
    assert_eq!(statuses(&scratch), ["open"]);
    scratch.write("ok", "");
    scratch.prompt("s1", "go on");
    let said = stop(&scratch);
    assert!(said.told().contains("closed 1 issue"), "{said:?}");
    assert_eq!(statuses(&scratch), ["closed"]);
}

#[test]
fn a_finding_that_comes_back_opens_its_issue_again() {
    let scratch = Scratch::repo_with(DONE);
    abandon(&scratch);
    let id = list(&scratch)[0]["id"].as_str().unwrap().to_string();
    scratch.run("rg-issue", &["status", &id, "closed"], b"");
    stop(&scratch);
    assert_eq!(statuses(&scratch), ["open"]);
    scratch.run("rg-issue", &["status", &id, "duplicate"], b"");
    stop(&scratch);
    assert_eq!(statuses(&scratch), ["duplicate"], "a user who calls it a duplicate does not want it");
}

#[test]
fn nothing_is_filed_unless_the_definition_of_the_task_says_so() {
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: test -f ok}\ngate: {max_bounces: 1}\n");
    scratch.prompt("s1", "work");
    // The agent cannot add it.
    let done = fs::read_to_string(scratch.work().join("DONE.md")).unwrap();
    scratch.write("DONE.md", &done.replace("gate:", "issues: {from: [abandoned]}\ngate:"));
    stop(&scratch);
    stop(&scratch);
    assert!(!scratch.work().join(".review-gate").exists());
}

#[test]
fn a_new_issue_is_given_to_the_declared_program_and_its_id_is_kept() {
    let done = DONE.replace("abandoned]", "abandoned], command: 'cat > ../given; echo bd-42'");
    let scratch = Scratch::repo_with(&done);
    abandon(&scratch);
    let given: Value = serde_json::from_str(&fs::read_to_string(scratch.top().join("given")).unwrap()).unwrap();
    let filed = &list(&scratch)[0];
    assert_eq!((&given["id"], &given["title"]), (&filed["id"], &filed["title"]));
    assert_eq!(filed["comments"][0]["text"], "issues.command: bd-42");
    // Its failure loses nothing.
    let scratch = Scratch::repo_with(&done.replace("echo bd-42", "exit 7"));
    let said = abandon(&scratch);
    assert!(said.told().contains("issues.command failed"), "{said:?}");
    assert_eq!(statuses(&scratch), ["open"]);
}

#[test]
fn the_claims_of_a_session_end_with_it() {
    let mut scratch = Scratch::repo();
    let make = |title: &str| scratch.run("rg-issue", &["new", title], b"").out.trim_end().to_string();
    let (one, two) = (make("one"), make("two"));
    scratch.set("CLAUDE_CODE_SESSION_ID", "s1");
    scratch.run("rg-issue", &["claim", &one], b"");
    scratch.set("CLAUDE_CODE_SESSION_ID", "s2");
    scratch.run("rg-issue", &["claim", &two], b"");
    let end = scratch.payload("s1", json!({"hook_event_name": "SessionEnd", "reason": "other"}));
    let said = scratch.run("rg-issue", &["--hook", "--client", "claude"], &end);
    assert!(said.status == 0 && said.out.is_empty() && said.err.is_empty(), "{said:?}");
    assert_eq!(scratch.run("rg-issue", &["ready", "--quiet"], b"").out, format!("{one}\n"));
    // A second end changes nothing.
    let file = scratch.work().join(".review-gate/issues.jsonl");
    let before = fs::read(&file).unwrap();
    scratch.run("rg-issue", &["--hook", "--client", "claude"], &end);
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn what_a_reviewer_found_becomes_an_issue_until_it_is_resolved() {
    let mut session = Session::with("review:\n  when: always\nissues: {from: [review]}\n");
    session.prompt("work");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    let given = session.review("a1");
    let found = json!([issue("critical", "src.txt", "loses the last line"), issue("minor", "src.txt", "an odd name")]);
    let message = decision(&given, json!({"decision": "issues", "reviewed": ["src.txt"], "issues": found}));
    session.says("a1", &message);
    let filed = list(&session.scratch);
    assert_eq!(filed.len(), 1, "{filed:?}");
    assert_eq!(filed[0]["title"], "src.txt:1: loses the last line");
    assert_eq!((&filed[0]["tags"][0], &filed[0]["priority"]), (&json!("review"), &json!(1)));
    let key = session.last()["issues"][0]["key"].as_str().unwrap().to_string();
    assert_eq!(filed[0]["key"], json!(key));
    session.stop();
    assert_eq!(statuses(&session.scratch), ["open"]);
    session.scratch.append("src.txt", "fixed for good\n");
    session.stop();
    let given = session.review("a2");
    session.says("a2", &approval(&given, &["src.txt", &key]));
    assert_eq!(statuses(&session.scratch), ["closed"]);
}
