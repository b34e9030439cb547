//! Laws of the posts of the programs: copies for readers, which change nothing.

use crate::ask::{DECIDE, program};
use crate::land;
use crate::loops;
use crate::review_session::{Session, decision, issue};
use crate::scratch::Scratch;
use review_gate::git::Repository;
use review_gate::talk::directory::TalkDir;
use serde_json::{Value, json};
use std::fs;

/// A repository whose talk is committed.
fn talk() -> Scratch {
    let scratch = Scratch::repo();
    scratch.ok("rg-msg init && git add -A && git commit -qm talk");
    scratch
}

/// The senders and texts of all messages.
fn posts(scratch: &Scratch) -> Vec<(String, String)> {
    let said = scratch.run("rg-msg", &["list", "--quiet"], b"");
    let mut found = Vec::new();
    for topic in said.out.lines() {
        let said = scratch.run("rg-msg", &["read", topic, "--all", "--json"], b"");
        assert_eq!(said.err, "");
        let values = said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let text = |value: &Value, field: &str| value[field].as_str().unwrap().to_string();
        found.extend(values.map(|value| (text(&value, "topic"), text(&value, "body"))));
    }
    found
}

fn task(scratch: &Scratch) -> String {
    let journals = fs::read_dir(scratch.state().join("tasks")).unwrap();
    let names: Vec<String> = journals.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let journal = names.iter().find(|name| name.ends_with(".jsonl")).unwrap();
    journal.trim_end_matches(".jsonl").to_string()
}

#[test]
fn the_gate_and_the_loop_post_what_they_decided() {
    let scratch = talk();
    loops::prompt(&scratch, "s", "#loop make src.txt say fixed");
    let topic = format!("task:{}", task(&scratch));
    let posted = |text: &str| (topic.clone(), text.to_string());
    assert_eq!(posts(&scratch), [posted("[loop] STARTED: at most 10 iterations")]);
    scratch.append("src.txt", "fixed\n");
    loops::stop(&scratch, "s", loops::COMPLETE);
    let receipt = scratch.receipt()["id"].as_str().unwrap().to_string();
    let done = posted(&format!("[gate] DONE: receipt {receipt}"));
    assert_eq!(posts(&scratch)[1..], [done]);
    // The posts are no change: the next stop is about the same files, and no news.
    assert_eq!(loops::stop(&scratch, "s", "Bye.").out, "");
    let snapshots: Vec<Value> = scratch.records("receipt").iter().map(|record| record["snapshot"].clone()).collect();
    assert!(snapshots.len() == 2 && snapshots[0] == snapshots[1], "{snapshots:?}");
    assert_eq!(posts(&scratch).len(), 2);

    let scratch = talk();
    loops::prompt(&scratch, "s", "#loop again");
    loops::prompt(&scratch, "s", "#loop:stop");
    assert_eq!(posts(&scratch).last().unwrap().1, "[loop] CANCELLED: the user ended the loop");
    loops::prompt(&scratch, "s", "#loop once more");
    scratch.append("src.txt", "tried\n");
    loops::stop(&scratch, "s", "No network.\n<loop-done>STUCK</loop-done>");
    assert!(posts(&scratch).last().unwrap().1.starts_with("[loop] STUCK: "), "{:?}", posts(&scratch));
}

#[test]
fn a_review_and_a_landing_are_posted() {
    let mut session = Session::with("");
    session.scratch.ok("rg-msg init && git add -A && git commit -qm talk");
    session.prompt("#review make it better");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    session.approved_by("a1", &["src.txt"]);
    let snapshot = session.last()["snapshot"].as_str().unwrap().to_string();
    assert_eq!(posts(&session.scratch).last().unwrap().1, format!("[review] APPROVED snapshot:{snapshot}"));
    // It is still the approval of these files.
    assert_eq!(session.stop().out, "");
    assert_eq!(session.scratch.words(), ["not-done", "done"]);

    let scratch = land::shared();
    scratch.ok("rg-msg init && git add -A && git commit -qm talk && git push -q origin main");
    land::work(&scratch, "a", "a.txt", "a");
    assert_eq!(land::land(&scratch, &["rg/a"]).status, 0);
    let sha = land::remote(&scratch);
    let posted = ("project:repo".to_string(), format!("[land] LANDED rg/a sha:{sha}"));
    assert_eq!(posts(&scratch), [posted]);
    // The message is not committed, and that refuses no landing from the main worktree.
    scratch.ok("git switch -qc topic && echo b >b.txt && git add b.txt && git commit -qm b");
    let said = land::land(&scratch, &["topic"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(posts(&scratch).len(), 2);
}

#[test]
fn nothing_is_posted_without_init_or_into_the_work() {
    let mut scratch = Scratch::repo();
    scratch.ok("rg-msg post t -m x");
    loops::prompt(&scratch, "s", "#loop make src.txt say fixed");
    scratch.append("src.txt", "fixed\n");
    loops::stop(&scratch, "s", loops::COMPLETE);
    assert_eq!((posts(&scratch).len(), scratch.words()), (1, vec!["done".to_string()]));
    // A talk directory among the judged files: a post would change what was judged.
    let inside = scratch.work().join("talk");
    scratch.set("RG_TALK", inside.to_str().unwrap());
    scratch.ok("rg-msg init");
    loops::prompt(&scratch, "t", "#loop more");
    assert_eq!(fs::read_dir(&inside).unwrap().count(), 1);
    let outside = scratch.top().join("talk");
    scratch.set("RG_TALK", outside.to_str().unwrap());
    scratch.ok("rg-msg init");
    loops::prompt(&scratch, "u", "#loop even more");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
}

#[test]
fn a_post_that_fails_changes_no_result_and_a_forged_one_proves_nothing() {
    let scratch = talk();
    scratch.prompt("s", "go");
    let topic = format!("task:{}", task(&scratch));
    scratch.append("src.txt", "more\n");
    for text in ["[gate] DONE: receipt 01", "[review] APPROVED snapshot:0", "[loop] CANCELLED: the user ended the loop"]
    {
        scratch.ok(&format!("rg-msg post {topic} --as gate -m '{text}'"));
    }
    assert!(scratch.stop("s").reason().contains("src.txt:1: not fixed"));
    // Something else is in the place of the log.
    let talk = TalkDir::of(&scratch.work(), Repository::at(&scratch.work()).as_ref()).unwrap();
    let log = talk.file(&topic).unwrap();
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    scratch.append("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["not-done", "done"]);
    assert_eq!(fs::read_dir(&log).unwrap().count(), 0);
}

#[test]
fn a_rejection_and_a_second_opinion_are_found_in_the_topic_of_the_task() {
    let mut session = Session::with("review:\n  second_opinion: asked\n");
    session.scratch.ok("rg-msg init && git add -A && git commit -qm talk");
    session.prompt("#review make it better");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    let given = session.review("a1");
    let raised = issue("major", "src.txt", "it loses the password=hunter2sesame line");
    let script = DECIDE.replace("WORD", "issues").replace("\"x\"}", &format!("\"x\", \"issues\": [{raised}]}}"));
    program(&mut session.scratch, "codex", &script);
    session.scratch.ok(&format!("rg-ask --request {}", given.request));
    let snapshot = |session: &Session| {
        session.scratch.records("request").last().unwrap()["snapshot"].as_str().unwrap().to_string()
    };
    let topic = format!("task:{}", task(&session.scratch));
    let (at, text) = posts(&session.scratch).pop().unwrap();
    let head = format!("[review] SECOND OPINION of codex: issues snapshot:{}: src.txt", snapshot(&session));
    assert!(at == topic && text.starts_with(&head) && !text.contains("hunter2"), "{at}: {text}");
    let fields =
        json!({"decision": "issues", "reviewed": ["src.txt"], "issues": [issue("major", "src.txt", "it is empty")]});
    session.says("a1", &format!("## Second Opinion\nCodex agrees.\n{}", decision(&given, fields)));
    let (at, text) = posts(&session.scratch).pop().unwrap();
    let head = format!("[review] REJECTED snapshot:{}: src.txt", snapshot(&session));
    assert!(at == topic && text.starts_with(&head) && text.contains("it is empty"), "{at}: {text}");
    // What others say is one line, however it is written.
    assert!(posts(&session.scratch).iter().all(|(_, text)| !text.contains('\n')));
    let found = session.scratch.run("rg-msg", &["search", "second opinion", "--topic", &topic, "--quiet"], b"");
    assert_eq!(found.out.lines().count(), 1, "{found:?}");
}
