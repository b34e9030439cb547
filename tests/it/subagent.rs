//! Laws of the subagent seat: its own baseline, its own ledger, guards only, and nothing of what others wrote.

use crate::scratch::{Said, Scratch};
use crate::tamper::{JS, found, repo, session, want};
use serde_json::{Value, json};

const START: &str =
    "rg-event --client claude --within 110 | rg-tamper | rg-trace | rg-answer --client claude --kind subagent-start";
const STOP: &str = "rg-event --client claude --within 290 | rg-tamper | rg-bounce | rg-receipt | rg-trace | rg-answer --client claude --kind subagent-stop";

fn hook(scratch: &Scratch, line: &str, event: &str, agent: &str, fields: Value) -> Said {
    let mut payload = json!({"hook_event_name": event, "agent_id": agent, "agent_type": "worker"});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    scratch.sh(line, &scratch.payload("s", payload))
}

fn start(scratch: &Scratch, agent: &str) {
    let said = hook(scratch, START, "SubagentStart", agent, json!({}));
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{said:?}");
}

fn stop(scratch: &Scratch, agent: &str) -> Said {
    hook(scratch, STOP, "SubagentStop", agent, json!({"last_assistant_message": "done"}))
}

fn skip(scratch: &Scratch) {
    scratch.write("test/a.test.js", &JS.replace("it('a'", "it.skip('a'"));
}

#[test]
fn a_read_only_subagent_is_free_and_a_red_check_is_not_its() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "still broken\n");
    start(&scratch, "a1");
    assert_eq!(stop(&scratch, "a1").out, "");
    assert!(scratch.words().is_empty(), "nothing is sealed where nothing was owed");
    assert_eq!(scratch.records("close").len(), 1);
    assert!(!scratch.state().join("checks").exists(), "no check was run");
}

#[test]
fn what_a_subagent_lowered_sends_it_back_within_a_budget_of_its_own() {
    let mut scratch = repo("");
    scratch.prompt("s", "go");
    start(&scratch, "a1");
    skip(&scratch);
    for round in ["bounce 1 of 3", "bounce 2 of 3", "bounce 3 of 3"] {
        scratch.later(1.0);
        let reason = stop(&scratch, "a1").reason();
        assert!(reason.contains(round) && reason.contains("was skipped: it -> it.skip"), "{reason}");
    }
    scratch.later(1.0);
    assert!(stop(&scratch, "a1").told().contains("abandoned"));
    assert_eq!(scratch.words(), ["not-done", "not-done", "not-done", "abandoned"]);
    assert!(scratch.records("receipt").iter().all(|receipt| receipt["budget_owner"] == "agent:a1"));
    // The session's budget is untouched, its stop judges the same, and says who left it.
    scratch.later(1.0);
    let reason = scratch.stop("s").reason();
    assert!(reason.contains("bounce 1 of 3") && reason.contains("(left by subagent a1)"), "{reason}");
}

#[test]
fn parallel_subagents_have_ledgers_apart() {
    let mut scratch = repo("");
    scratch.prompt("s", "go");
    let agents: Vec<String> = (0..8).map(|n| format!("agent{n}")).collect();
    agents.iter().for_each(|agent| start(&scratch, agent));
    skip(&scratch);
    for round in 1..=2 {
        for agent in &agents {
            scratch.later(1.0);
            let reason = stop(&scratch, agent).reason();
            assert!(reason.contains(&format!("bounce {round} of 3")), "{agent}: {reason}");
        }
    }
    // One that is green clears nobody else's.
    scratch.write("test/a.test.js", JS);
    scratch.append("src/a.js", "x\n");
    assert_eq!(stop(&scratch, "agent0").out, "");
    skip(&scratch);
    scratch.later(1.0);
    assert!(stop(&scratch, "agent1").reason().contains("bounce 3 of 3"));
    assert_eq!(scratch.records("baseline").len(), 9);
}

#[test]
fn what_only_a_siblings_own_tool_calls_wrote_is_not_charged() {
    let mut scratch = repo("");
    scratch.prompt("s", "go");
    start(&scratch, "a1");
    start(&scratch, "a2");
    scratch.later(1.0);
    skip(&scratch);
    let path = scratch.work().join("test/a.test.js");
    let call = json!({
        "hook_event_name": "PostToolUse", "agent_id": "a2", "agent_type": "worker", "tool_name": "Edit",
        "tool_input": {"file_path": path, "old_string": "it('a'", "new_string": "it.skip('a'"}, "tool_response": {},
    });
    scratch.run("rg-trace", &["--hook", "--client", "claude"], &scratch.payload("s", call));
    scratch.later(1.0);
    assert_eq!(stop(&scratch, "a1").out, "", "the trace tells that another one wrote it");
    scratch.later(1.0);
    assert!(stop(&scratch, "a2").reason().contains("was skipped: it -> it.skip"));
    assert_eq!(
        found(&session(&scratch)),
        want(&[("no_new_skips", "tampered", "test/a.test.js:1")]),
        "the session answers for all of it"
    );
}

#[test]
fn an_agents_start_that_was_not_seen_leaves_all_to_the_session() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    skip(&scratch);
    assert_eq!(stop(&scratch, "late").out, "");
    assert!(scratch.records("open").is_empty());
    assert!(scratch.stop("s").reason().contains("was skipped: it -> it.skip"));
}

#[test]
fn a_resumed_subagent_goes_on_from_its_first_start() {
    let mut scratch = repo("");
    scratch.prompt("s", "go");
    start(&scratch, "a1");
    skip(&scratch);
    scratch.later(1.0);
    start(&scratch, "a1");
    assert!(stop(&scratch, "a1").reason().contains("was skipped: it -> it.skip"));
    assert_eq!(scratch.records("baseline").len(), 2);
}

#[test]
fn an_edited_or_removed_definition_is_a_subagents_to_answer_for() {
    for edit in ["echo >>DONE.md", "rm DONE.md", "ln -sf test DONE.md"] {
        let scratch = repo("");
        scratch.prompt("s", "go");
        start(&scratch, "a1");
        scratch.ok(edit);
        assert!(stop(&scratch, "a1").reason().contains("DONE.md: tampered"), "{edit}");
    }
}

#[test]
fn the_last_receipt_is_the_sessions_own() {
    let mut scratch = repo("");
    scratch.prompt("s", "go");
    start(&scratch, "a1");
    skip(&scratch);
    scratch.stop("s");
    let own = scratch.receipt()["id"].as_str().unwrap().to_string();
    // A green subagent after it.
    scratch.later(1.0);
    scratch.write("test/a.test.js", JS);
    scratch.append("src/a.js", "x\n");
    assert_eq!(stop(&scratch, "a1").out, "");
    assert_eq!(scratch.words(), ["not-done", "done"]);
    assert!(scratch.run("rg-receipt", &["show"], b"").out.contains(&format!("receipt {own}")));
    assert!(scratch.run("rg-receipt", &["list"], b"").out.lines().last().unwrap().contains("(agent:a1)"));
    // A subagent's green ends no task.
    scratch.prompt("s", "more");
    assert_eq!(scratch.records("begin").len(), 1);
}

#[test]
fn cannot_is_a_subagents_way_out_too() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    start(&scratch, "a1");
    skip(&scratch);
    let said =
        hook(&scratch, STOP, "SubagentStop", "a1", json!({"last_assistant_message": "CANNOT: the test is wrong"}));
    assert!(said.told().contains("abandoned: the test is wrong"), "{said:?}");
}
