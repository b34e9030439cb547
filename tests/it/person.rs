//! Laws of the verbs for users of rg-review-state, and of the review keys of DONE.md.

use crate::review_session::{Session, approval};
use crate::scratch::{Said, Scratch};
use std::fs;

/// Runs a line as a user at a terminal; None without script(1).
pub fn at_a_terminal(scratch: &Scratch, line: &str) -> Option<Said> {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        crate::scratch::skipped("no script");
        return None;
    }
    Some(scratch.run("script", &["-qec", line, "/dev/null"], b""))
}

fn armed() -> Session {
    let mut session = Session::with("");
    session.prompt("#review make it better");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    session
}

#[test]
fn the_user_approves_exactly_the_current_files() {
    let mut session = armed();
    let refused = session.scratch.run("rg-review-state", &["approve", "--why", "x"], b"");
    assert!(refused.status == 100 && refused.err.contains("only for the user at a terminal"), "{refused:?}");
    let Some(said) = at_a_terminal(&session.scratch, "rg-review-state approve --why 'I read it'") else { return };
    assert!(said.status == 0 && said.out.contains("approved: snapshot "), "{said:?}");
    let told = session.stop().told();
    assert!(told.contains("waived: I read it (tester"), "{told}");
    let review = session.scratch.receipt()["review"].clone();
    assert_eq!((review["state"].as_str(), review["by"].as_str()), (Some("waived"), Some("tester")));
    assert_eq!(session.scratch.words(), ["not-done", "waived"]);
    let mut session = armed();
    at_a_terminal(&session.scratch, "rg-review-state approve --why 'I read it'");
    session.scratch.append("src.txt", "one more\n");
    assert!(session.stop().reason().contains("no reviewer has reviewed these files"));
    // An agent's shell does not count as a terminal.
    let said = at_a_terminal(&session.scratch, "CLAUDECODE=1 rg-review-state approve --why x").unwrap();
    assert_eq!(said.status, 100, "{said:?}");
}

#[test]
fn an_external_review_is_adopted_only_for_the_same_files() {
    let mut session = armed();
    session.approved_by("a1", &["src.txt"]);
    session.stop();
    let receipt = session.scratch.receipt();
    let path = session.scratch.top().join("receipt.json");
    fs::write(&path, receipt.to_string()).unwrap();
    // Another session with the same files.
    let mut other = armed();
    let line = format!("rg-review-state adopt --why 'CI saw it' {}", path.display());
    let Some(said) = at_a_terminal(&other.scratch, &line) else { return };
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(other.stop().out, "");
    assert_eq!(other.scratch.receipt()["review"]["trust"], "external");
    assert_eq!(other.scratch.words(), ["not-done", "done"]);
    assert_eq!(other.scratch.run("rg-review-state", &["verify", "--task", &task(&other)], b"").status, 0);
    let mut third = armed();
    third.scratch.append("src.txt", "and more\n");
    let said = at_a_terminal(&third.scratch, &line).unwrap();
    assert!(said.status == 100 && said.out.contains("about other files"), "{said:?}");
    fs::write(&path, "{\"review\": {\"state\": \"owed\"}}").unwrap();
    assert_eq!(at_a_terminal(&third.scratch, &line).unwrap().status, 100);
    assert!(third.stop().reason().contains("Call the Agent tool"));
}

fn task(session: &Session) -> String {
    let path = session.scratch.records("receipt").last().unwrap()["file"].as_str().unwrap().to_string();
    let receipt: serde_json::Value =
        serde_json::from_slice(&fs::read(session.scratch.state().join(path)).unwrap()).unwrap();
    receipt["task"].as_str().unwrap().to_string()
}

#[test]
fn verify_checks_the_approval_against_the_files_and_the_chain() {
    let mut session = armed();
    session.approved_by("a1", &["src.txt"]);
    let verify = |session: &Session| session.scratch.run("rg-review-state", &["verify"], b"");
    assert_eq!(verify(&session).status, 0, "{:?}", verify(&session));
    session.scratch.append("src.txt", "x");
    let said = verify(&session);
    assert!(said.status == 1 && said.out.contains("not approved: no reviewer decided on these files"), "{said:?}");
}

#[test]
fn list_counts_how_often_each_reviewer_was_refuted() {
    let mut session = armed();
    session.approved_by("a1", &["src.txt"]);
    let given = session.review("a2");
    let fields = serde_json::json!({"decision": "issues", "reviewed": ["src.txt"], "issues": [crate::review_session::issue("major", "src.txt", "no")]});
    session.says("a2", &crate::review_session::decision(&given, fields));
    let key = session.last()["issues"][0]["key"].as_str().unwrap().to_string();
    let given = session.review("a3");
    session.says("a3", &approval(&given, &["src.txt", &key]));
    let said = session.scratch.run("rg-review-state", &["list", "--reviewers"], b"");
    assert_eq!(
        said.out,
        "the client's reviewer: approved 2 (1 refuted); rejected 1 with 1 issue (1 refuted); 0 unusable\n"
    );
}

#[test]
fn errors_in_the_review_keys_are_named() {
    for (yaml, words) in [
        ("review: yes\n", "\"review\" must be a map"),
        ("review:\n  wehn: always\n", "unknown key of review \"wehn\" (did you mean \"when\"?)"),
        ("review:\n  when: sometimes\n", "\"when\" must be one of: asked, always, unattended"),
        ("review:\n  rounds: 0\n", "\"rounds\" must be a number from 1 to 20"),
        ("review:\n  sample: half\n", "\"sample\" must be a number"),
        ("review:\n  paths: src\n", "\"paths\" must be a list"),
        ("review:\n  agent: ../x.md\n", "leaves the root"),
        ("review:\n  command: []\n", "\"command\" is empty"),
        ("review:\n  moderator: true\n", "\"moderator\" must be a command, not true"),
        ("review:\n  by: agent\n  require: gate\n", "require: gate needs by: command"),
        ("review:\n  by: command\n  require: client\n", "require: client needs by: agent"),
        ("review:\n  by: agent\n  command: x\n", "\"command\" needs by: command, not by: agent"),
        ("diagnostics:\n  - name: a\n", "needs a name and a run"),
        ("diagnostics:\n  - {name: a, run: x}\n  - {name: a, run: y}\n", "duplicate diagnostic"),
        ("ask:\n  to: []\n  targets: x\n", "\"targets\" must be a map"),
    ] {
        let scratch = Scratch::repo_with(&format!("checks:\n  - name: tests\n    run: sh test.sh\n{yaml}"));
        let said = scratch.run("rg-check", &["--now"], b"");
        assert!(said.status == 100 && format!("{}{}", said.out, said.err).contains(words), "{yaml:?}: {said:?}");
    }
}
