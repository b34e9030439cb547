//! Laws about turns that were never judged, and about work that an earlier session left red.

use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};

const START: &str = "rg-event --client claude | rg-answer --client claude --kind session-start";
const PROMPT: &str = "rg-event --client claude | rg-tamper | rg-answer --client claude --kind prompt";

/// A repository; hooks run for a client process that has ended.
fn scratch() -> Scratch {
    let mut scratch = Scratch::repo();
    scratch.set("CLAUDE_PID", &ended());
    scratch
}

/// The id of a process that has ended.
fn ended() -> String {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id().to_string()
}

fn running() -> String {
    std::process::id().to_string()
}

fn start(scratch: &Scratch, session: &str, source: &str) -> Said {
    scratch.sh(START, &scratch.payload(session, json!({"hook_event_name": "SessionStart", "source": source})))
}

/// A prompt with the client's id of the turn.
fn prompt(scratch: &Scratch, session: &str, turn: &str) -> Said {
    let fields = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go", "prompt_id": turn});
    scratch.sh(PROMPT, &scratch.payload(session, fields))
}

fn stop_beside(scratch: &Scratch, session: &str, helpers: &[&str]) -> Said {
    let list: Vec<Value> =
        helpers.iter().map(|id| json!({"id": id, "type": "subagent", "status": "running"})).collect();
    scratch.stop_with(session, json!({"background_tasks": list}))
}

#[test]
fn a_turn_without_a_stop_is_told_once_in_any_session() {
    for is_at_start in [true, false] {
        let mut scratch = scratch();
        scratch.prompt("a", "go");
        scratch.append("src.txt", "more\n");
        scratch.set("CLAUDE_PID", &running());
        let told = if is_at_start { start(&scratch, "b", "startup") } else { scratch.prompt("b", "hi") }.told();
        for part in
            ["session a (2026-11-21 12:00)", "no stop followed", "interrupted or failed, or the hooks did not run"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!scratch.prompt("c", "hi").told().contains("session a ("), "told once");
    }
}

#[test]
fn several_turns_are_one_notice() {
    let mut scratch = scratch();
    let clients: Vec<_> = (0..5).map(|_| std::process::Command::new("sleep").arg("60").spawn().unwrap()).collect();
    for (client, session) in clients.iter().zip(["a", "b", "c", "d", "e"]) {
        scratch.set("CLAUDE_PID", &client.id().to_string());
        assert!(!scratch.prompt(session, "go").told().contains("never judged"), "the other clients still run");
    }
    scratch.append("src.txt", "more\n");
    for mut client in clients {
        client.kill().unwrap();
        client.wait().unwrap();
    }
    scratch.set("CLAUDE_PID", &running());
    let told = scratch.prompt("f", "go").told();
    assert!(told.contains("5 turns never judged: session ") && told.contains("; and 2 more"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn a_turn_that_may_still_run_or_changed_nothing_is_not_told() {
    let mut scratch = scratch();
    scratch.prompt("question", "what is this?");
    scratch.set("CLAUDE_PID", &running());
    assert_eq!(scratch.prompt("b", "hi").told(), "", "no file changed");
    scratch.append("src.txt", "more\n");
    scratch.set("CLAUDE_PID", &ended());
    assert_eq!(scratch.prompt("c", "hi").told(), "", "the client of b still runs");
    scratch.set("CLAUDE_PID", &running());
    assert!(scratch.prompt("d", "hi").told().contains("session b"), "it prompts another session now");
}

#[test]
fn an_answered_stop_leaves_no_turn_open() {
    let mut scratch = scratch();
    scratch.prompt("a", "go");
    scratch.append("src.txt", "fixed\n");
    assert_eq!(scratch.stop("a").out, "");
    scratch.prompt("a", "and?");
    assert_eq!(scratch.stop("a").out, "");
    scratch.append("src.txt", "by the user\n");
    scratch.set("CLAUDE_PID", &running());
    assert_eq!(scratch.prompt("b", "hi").told(), "");
    assert_eq!(start(&scratch, "c", "startup").told(), "");
}

#[test]
fn the_next_turn_of_a_session_says_that_no_stop_was_seen() {
    let scratch = scratch();
    prompt(&scratch, "s", "one");
    scratch.append("src.txt", "more\n");
    assert_eq!(prompt(&scratch, "s", "one").told(), "", "a prompt during the turn has the turn's id");
    let told = prompt(&scratch, "s", "two").told();
    assert!(told.contains("the turn before (since 2026-11-21 12:00): no stop followed"), "{told}");
    assert_eq!(scratch.stop("s").json()["decision"], "block", "the next stop judges both turns");
    assert!(!prompt(&scratch, "s", "three").told().contains("no stop"));
}

#[test]
fn a_resumed_session_is_told_about_its_own_turn() {
    let scratch = scratch();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    assert_eq!(start(&scratch, "s", "compact").told(), "", "a compaction does not end a turn");
    assert!(start(&scratch, "s", "resume").told().contains("the last turn of this task (since 2026-11-21 12:00)"));
    assert_eq!(start(&scratch, "s", "resume").told(), "", "told once");
}

#[test]
fn settings_that_switch_hooks_off_are_named() {
    let mut scratch = scratch();
    scratch.prompt("a", "go");
    scratch.append("src.txt", "more\n");
    scratch.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    scratch.set("CLAUDE_PID", &running());
    assert!(start(&scratch, "b", "startup").told().contains(".claude/settings.local.json switches all hooks off"));
}

#[test]
fn a_deferred_or_unclosed_stop_is_told_to_another_session() {
    let mut scratch = scratch();
    scratch.prompt("a", "go");
    scratch.append("src.txt", "more\n");
    assert_eq!(stop_beside(&scratch, "a", &["h"]).out, "");
    scratch.set("CLAUDE_PID", &ended());
    scratch.prompt("b", "go");
    scratch.append("src.txt", "more\n");
    // The pipeline ends after rg-event: the stop is opened and never closed.
    scratch.run("rg-event", &["--client", "claude"], &scratch.stop_payload("b", json!({})));
    scratch.set("CLAUDE_PID", &running());
    let told = start(&scratch, "c", "startup").told();
    assert!(told.contains("session a (2026-11-21 12:00): its stop was deferred and never judged"), "{told}");
    assert!(told.contains("session b (2026-11-21 12:00): judging of its stop never ended"), "{told}");
    assert_eq!(start(&scratch, "d", "startup").told(), "", "told once");
}

/// A check that the agent cannot pass, and a test that it may not remove.
const GUARDED: &str = "checks:\n  - {name: tests, run: grep -q fixed src.txt}\nguards: {no_deleted_tests: true}\n";

/// Session `a`, whose client has ended, removed a test.
fn ended_session_that_removed_a_test() -> Scratch {
    let mut scratch = Scratch::repo_with(GUARDED);
    scratch.write("src.txt", "fixed\n");
    scratch.write("a.test.js", "it('a', () => {})\n");
    scratch.ok("git add -A && git commit -qm tests");
    scratch.set("CLAUDE_PID", &ended());
    scratch.prompt("a", "go");
    std::fs::remove_file(scratch.work().join("a.test.js")).unwrap();
    scratch
}

#[test]
fn red_work_of_another_session_is_told_and_its_findings_stay_open() {
    let mut scratch = ended_session_that_removed_a_test();
    assert!(scratch.stop("a").reason().contains("a.test.js"));
    scratch.stop_saying("a", "CANNOT: that test");
    scratch.set("CLAUDE_PID", &running());
    let told = scratch.prompt("b", "go on").told();
    assert!(told.contains("session a left the files here abandoned (2026-11-21 12:00): `rg-receipt show"), "{told}");
    assert!(told.contains("What rg-tamper found there counts in this task, too"), "{told}");
    assert_eq!(scratch.stop("b").out, "", "a session that does nothing is not judged");
    scratch.write("new.txt", "work\n");
    let reason = scratch.stop("b").reason();
    assert!(reason.contains("a.test.js") && reason.contains("(from session a)"), "{reason}");
    scratch.stop_saying("b", "CANNOT: that test");
    // The next session does not take it as given, either.
    scratch.prompt("c", "go on");
    scratch.write("other.txt", "work\n");
    assert!(scratch.stop("c").reason().contains("(from session a)"));
    scratch.write("a.test.js", "it('a', () => {})\n");
    assert_eq!(scratch.stop("c").out, "", "what is mended is gone");
    assert_eq!(scratch.words().last().unwrap(), "done");
    assert_eq!(scratch.prompt("d", "go on").told(), "", "nothing is red since");
}

#[test]
fn red_work_on_which_a_client_works_is_not_told() {
    let mut scratch = Scratch::repo();
    let mut client = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    scratch.set("CLAUDE_PID", &client.id().to_string());
    scratch.prompt("a", "go");
    scratch.append("src.txt", "more\n");
    scratch.stop_saying("a", "CANNOT: no way");
    prompt(&scratch, "a", "again");
    scratch.set("CLAUDE_PID", &running());
    assert_eq!(scratch.prompt("b", "hi").told(), "", "session a goes on");
    client.kill().unwrap();
    client.wait().unwrap();
    let told = scratch.prompt("c", "hi").told();
    assert!(told.contains("session a left the files here abandoned"), "{told}");
    assert!(!told.contains("rg-tamper"), "only a check failed there: {told}");
}

#[test]
fn a_journal_that_cannot_be_written_hinders_no_prompt() {
    let mut scratch = scratch();
    scratch.prompt("a", "go");
    scratch.append("src.txt", "more\n");
    let journal = std::fs::read_dir(scratch.state().join("tasks")).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&journal).unwrap();
    // A link is not written through.
    std::fs::write(scratch.top().join("elsewhere"), bytes).unwrap();
    std::fs::remove_file(&journal).unwrap();
    std::os::unix::fs::symlink(scratch.top().join("elsewhere"), &journal).unwrap();
    scratch.set("CLAUDE_PID", &running());
    scratch.prompt("b", "go");
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.stop("b").json()["decision"], "block", "the prompt is recorded");
    assert_ne!(scratch.receipt()["state"], "missing");
}

#[test]
fn what_a_session_did_unjudged_is_a_warning_for_the_next() {
    let mut scratch = ended_session_that_removed_a_test();
    scratch.set("CLAUDE_PID", &running());
    assert!(scratch.prompt("b", "go on").told().contains("session a (2026-11-21 12:00): no stop followed"));
    scratch.write("new.txt", "work\n");
    assert_eq!(scratch.stop("b").out, "", "the user may have removed it");
    let found = &scratch.receipt()["findings"][0];
    assert_eq!(found["level"], "warning");
    assert!(found["text"].as_str().unwrap().contains("(from session a)"), "{found}");
}

#[test]
fn a_helper_defers_once_and_the_next_stop_is_judged() {
    let mut scratch = scratch();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    assert_eq!(stop_beside(&scratch, "s", &["h"]).out, "", "deferred");
    scratch.prompt("s", "and now?");
    assert!(stop_beside(&scratch, "s", &["h"]).reason().contains("bounce 1"), "the helper still runs");
    scratch.prompt("s", "really?");
    assert!(stop_beside(&scratch, "s", &["h"]).reason().contains("bounce 1"), "it deferred a stop before");
    let after_bounce = stop_beside(&scratch, "s", &["h", "new"]);
    assert!(
        after_bounce.told().contains("not done yet: a stop was bounced"),
        "a new helper defers once: {after_bounce:?}"
    );
    scratch.set("CLAUDE_PID", &running());
    scratch.prompt("s", "and now?");
    assert!(stop_beside(&scratch, "s", &["newer"]).reason().contains("bounce 1"), "never two deferred stops in a row");
}

/// A session that the client moved into a worktree below the root.
fn moved(yaml_ignored: bool) -> Scratch {
    let scratch = Scratch::repo_with(GUARDED);
    scratch.write("src.txt", "fixed\n");
    scratch.write("a.test.js", "it('a', () => {})\n");
    if yaml_ignored {
        scratch.write(".gitignore", ".claude/worktrees/\n");
    }
    scratch.ok("git add -A && git commit -qm green");
    scratch.prompt("s", "go");
    scratch.ok("git worktree add -q .claude/worktrees/w -b w");
    scratch
}

fn stop_in(scratch: &Scratch, dir: &str) -> Said {
    scratch.stop_with("s", json!({"cwd": scratch.work().join(dir)}))
}

const OTHER: &str = ".claude/worktrees/w";

#[test]
fn a_session_that_moved_into_a_worktree_is_judged_there_too() {
    for is_ignored in [true, false] {
        let scratch = moved(is_ignored);
        scratch.write(&format!("{OTHER}/src.txt"), "broken\n");
        scratch.ok("cd .claude/worktrees/w && git rm -q a.test.js && git commit -qam red");
        let reason = stop_in(&scratch, OTHER).reason();
        for part in ["heck \"tests in .claude/worktrees/w\" failed", ".claude/worktrees/w/a.test.js"] {
            assert!(reason.contains(part), "{part}: {reason}");
        }
        scratch.ok("cd .claude/worktrees/w && git reset -q --hard HEAD~1");
        assert_eq!(stop_in(&scratch, OTHER).out, "", "both are green");
        assert_eq!(scratch.words().last().unwrap(), "done");
    }
}

#[test]
fn entering_a_worktree_hides_no_work_in_the_root() {
    let scratch = moved(true);
    scratch.write("src.txt", "broken\n");
    assert!(stop_in(&scratch, OTHER).reason().contains("heck \"tests\" failed"));
    scratch.write("src.txt", "fixed\n");
    scratch.write(&format!("{OTHER}/src.txt"), "broken\n");
    assert!(stop_in(&scratch, OTHER).reason().contains("in .claude/worktrees/w"), "the other tree is red");
    assert_ne!(scratch.words().last().unwrap(), "done");
}

#[test]
fn a_worktree_that_is_only_looked_at_requires_nothing() {
    let mut scratch = moved(true);
    assert_eq!(stop_in(&scratch, OTHER).out, "");
    assert!(scratch.words().is_empty(), "no file changed in either");
    // Another client works there.
    scratch.set("CLAUDE_PID", &running());
    scratch.set("CLAUDE_PROJECT_DIR", scratch.work().join(OTHER).to_str().unwrap());
    scratch.prompt("other", "work here");
    scratch.write(&format!("{OTHER}/src.txt"), "broken\n");
    scratch.env.remove("CLAUDE_PROJECT_DIR");
    scratch.set("CLAUDE_PID", "4242");
    assert_eq!(stop_in(&scratch, OTHER).out, "", "that session is judged for it");
    // Another repository is not the session's.
    scratch.ok("git init -q ../elsewhere");
    assert_eq!(stop_in(&scratch, "../elsewhere").out, "");
}

#[test]
fn a_verb_without_a_task_means_no_other_session() {
    let mut scratch = scratch();
    scratch.prompt("a", "go");
    scratch.append("src.txt", "more\n");
    scratch.stop("a");
    let ask = |scratch: &Scratch| scratch.run("rg-anchor", &["show"], b"");
    assert_eq!(ask(&scratch).status, 0, "one task is open");
    scratch.set("CLAUDE_PID", &running());
    scratch.prompt("b", "go");
    let said = ask(&scratch);
    let ids: Vec<String> = scratch.records("begin").iter().map(|begin| begin["session"].to_string()).collect();
    assert_eq!(ids, ["\"a\"", "\"b\""]);
    assert!(said.status == 100 && said.err.contains("several tasks are open: "), "{said:?}");
    for session in ["(session a)", "(session b)", "`--task ID`"] {
        assert!(said.err.contains(session), "{said:?}");
    }
    // A session's own shell means that session.
    scratch.set("CLAUDE_CODE_SESSION_ID", "b");
    assert!(ask(&scratch).status == 0);
    assert_eq!(scratch.run("rg-receipt", &["show"], b"").status, 100, "b has no receipt yet");
    scratch.set("CLAUDE_CODE_SESSION_ID", "a");
    let said = scratch.run("rg-receipt", &["show"], b"");
    assert!(said.status == 0 && said.out.contains("not-done"), "{said:?}");
}
