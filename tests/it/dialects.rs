//! The hook protocols of Codex, Gemini CLI and Cursor: real and documented calls become events, and each client gets only fields that
//! it knows.

use crate::scratch::{STOP, Said, Scratch};
use serde_json::{Value, json};
use std::path::Path;

/// The events of each client, with the kind that each becomes.
const KINDS: [(&str, &[(&str, &str)]); 3] = [
    (
        "codex",
        &[
            ("SessionStart", "session-start"),
            ("UserPromptSubmit", "prompt"),
            ("PreToolUse", "tool-before"),
            ("PostToolUse", "tool-after"),
            ("Stop", "stop"),
            ("SubagentStart", "subagent-start"),
            ("SubagentStop", "subagent-stop"),
            ("PreCompact", "compact-before"),
            ("PostCompact", "compact-after"),
            ("SessionEnd", "session-end"),
        ],
    ),
    (
        "gemini",
        &[
            ("SessionStart", "session-start"),
            ("BeforeAgent", "prompt"),
            ("BeforeTool", "tool-before"),
            ("AfterTool", "tool-after"),
            ("AfterAgent", "stop"),
            ("PreCompress", "compact-before"),
            ("SessionEnd", "session-end"),
        ],
    ),
    (
        "cursor",
        &[
            ("sessionStart", "session-start"),
            ("beforeSubmitPrompt", "prompt"),
            ("beforeShellExecution", "tool-before"),
            ("beforeMCPExecution", "tool-before"),
            ("beforeReadFile", "tool-before"),
            ("afterShellExecution", "tool-after"),
            ("afterFileEdit", "tool-after"),
            ("stop", "stop"),
            ("preCompact", "compact-before"),
            ("sessionEnd", "session-end"),
        ],
    ),
];

/// The calls of a capture.
fn calls(client: &str, name: &str) -> Vec<Value> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures").join(client);
    let text = std::fs::read_to_string(dir.join(format!("{name}.json"))).unwrap();
    let capture: Value = serde_json::from_str(&text).unwrap();
    capture["variants"].as_array().unwrap().iter().map(|variant| variant["stdin"].clone()).collect()
}

#[test]
fn every_capture_decodes_to_its_kind_with_and_without_the_name_of_the_client() {
    let scratch = Scratch::new();
    for (client, kinds) in KINDS {
        let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures").join(client));
        assert_eq!(files.unwrap().count(), kinds.len(), "{client}: a capture without a row");
        for (name, kind) in kinds {
            for call in calls(client, name) {
                let ended = call["status"].as_str().is_some_and(|status| status != "completed");
                let want = if ended { "stop-failed" } else { kind };
                let event = scratch.run("rg-event", &["--client", client], call.to_string().as_bytes()).json();
                assert_eq!((&event["kind"], &event["client"]), (&json!(want), &json!(client)), "{client} {name}");
                let session = call.get("session_id").filter(|_| client != "cursor").unwrap_or(&call["conversation_id"]);
                assert_eq!(&event["session"], session, "{client} {name}");
                let is_of_subagent = call.get("agent_id").is_some();
                assert_eq!(event.get("agent").is_some(), is_of_subagent, "{client} {name}");
                if *kind == "prompt" {
                    let by = if is_of_subagent { "agent" } else { "user" };
                    assert_eq!(event["by"], by, "{client} {name}");
                }
                // Session starts and ends of Codex look like those of Claude Code.
                if client != "codex" || call.get("turn_id").is_some() {
                    let guessed = scratch.run("rg-event", &[], call.to_string().as_bytes()).json();
                    assert_eq!(guessed["client"], client, "{name}");
                }
            }
        }
    }
}

#[test]
fn the_fields_of_each_client_have_neutral_names() {
    let scratch = Scratch::new();
    let event = |client: &str, name: &str, at: usize| {
        scratch.run("rg-event", &["--client", client], calls(client, name)[at].to_string().as_bytes()).json()
    };
    let stop = event("codex", "Stop", 1);
    assert_eq!(
        (&stop["message"], &stop["repeat"], &stop["turn"]),
        (&json!("second answer"), &json!(true), &json!("<uuid>"))
    );
    let stop = event("gemini", "AfterAgent", 1);
    assert_eq!((&stop["message"], &stop["repeat"]), (&json!("first answer\nsecond answer"), &json!(true)));
    assert_eq!(stop.get("prompt"), None, "a stop of Gemini repeats the prompt of its turn");
    assert_eq!(event("gemini", "BeforeAgent", 0)["prompt"], "Please say hello.", "without the context of hooks");
    let stop = event("cursor", "stop", 1);
    assert_eq!((&stop["repeat"], &stop["cwd"]), (&json!(true), &json!(scratch.work())));
    let tool = &event("cursor", "beforeShellExecution", 0)["tool"];
    assert_eq!((&tool["name"], &tool["input"]["command"]), (&json!("Shell"), &json!("rm -rf forbidden-one")));
    let tool = &event("cursor", "beforeMCPExecution", 0)["tool"];
    assert_eq!((&tool["name"], &tool["input"]["query"]), (&json!("mcp__database_query"), &json!("SELECT 1")));
    let mut failed = calls("gemini", "AfterTool")[0].clone();
    failed["tool_response"]["error"] = json!({"message": "exit 3"});
    let failed = scratch.run("rg-event", &["--client", "gemini"], failed.to_string().as_bytes()).json();
    assert_eq!((&failed["kind"], &failed["tool"]["error"]), (&json!("tool-failed"), &json!("exit 3")));
}

/// A client's call of an event, in a project.
pub fn call(client: &str, kind: &str, scratch: &Scratch, fields: Value) -> Vec<u8> {
    let (_, kinds) = KINDS.iter().find(|(name, _)| *name == client).unwrap();
    let (name, _) = kinds.iter().find(|(_, known)| *known == kind).unwrap();
    let mut call = calls(client, name)[0].clone();
    let object = call.as_object_mut().unwrap();
    let session = if client == "cursor" { "conversation_id" } else { "session_id" };
    object.insert(session.into(), json!("s"));
    let place = match client {
        "cursor" => ("workspace_roots", json!([scratch.work()])),
        _ => ("cwd", json!(scratch.work())),
    };
    object.insert(place.0.into(), place.1);
    object.remove("transcript_path");
    object.extend(fields.as_object().unwrap().clone());
    call.to_string().into_bytes()
}

fn line(line: &str, client: &str) -> String {
    line.replace("--client claude", &format!("--client {client}"))
}

fn prompt(scratch: &Scratch, client: &str, text: &str) -> Said {
    let stages = "rg-event --client claude | rg-tamper | rg-review-state | rg-answer --client claude --kind prompt";
    scratch.sh(&line(stages, client), &call(client, "prompt", scratch, json!({"prompt": text})))
}

fn stop(scratch: &Scratch, client: &str) -> Said {
    scratch.sh(&line(STOP, client), &call(client, "stop", scratch, json!({})))
}

/// The reason in a reply, which has no other field than a message for the user.
pub fn reason(client: &str, said: &Said) -> String {
    let reply = said.json();
    let (field, others): (&str, &[&str]) = match client {
        "cursor" => ("followup_message", &[]),
        _ => ("reason", &["decision", "systemMessage"]),
    };
    let fields: Vec<&String> = reply.as_object().unwrap().keys().collect();
    assert!(fields.iter().all(|name| *name == field || others.contains(&name.as_str())), "{client}: {fields:?}");
    match client {
        "codex" => assert_eq!(reply["decision"], "block"),
        "gemini" => assert_eq!(reply["decision"], "deny"),
        _ => {}
    }
    reply[field].as_str().unwrap().to_string()
}

#[test]
fn each_client_is_bounced_until_the_work_is_right() {
    for (client, _) in KINDS {
        let scratch = Scratch::repo();
        prompt(&scratch, client, "go");
        scratch.append("src.txt", "more\n");
        let said = stop(&scratch, client);
        let sent_back = reason(client, &said);
        assert!(sent_back.contains("not fixed"), "{client}: {sent_back}");
        // Gemini and Cursor submit the reason as the next prompt, which is not the user's.
        prompt(&scratch, client, &sent_back);
        let prompts = scratch.records("prompt");
        let by: Vec<&str> = prompts.iter().filter_map(|prompt| prompt["by"].as_str()).collect();
        assert_eq!(by, ["user", "client"], "{client}");
        scratch.append("src.txt", "fixed\n");
        let said = stop(&scratch, client);
        assert_eq!((said.status, said.out.as_str()), (0, ""), "{client}: {said:?}");
        assert_eq!(scratch.receipt()["outcome"], "done", "{client}");
        assert_eq!(scratch.receipt()["client"], client);
    }
}

#[test]
fn a_dangerous_command_is_denied_in_the_protocol_of_each_client_and_a_similar_one_runs() {
    let scratch = Scratch::repo();
    for (client, tool, denied) in [
        ("codex", "Bash", "/hookSpecificOutput/permissionDecisionReason"),
        ("gemini", "run_shell_command", "/reason"),
        ("cursor", "Shell", "/agent_message"),
    ] {
        let guard = |command: &str| {
            let fields = match client {
                "cursor" => json!({"command": command}),
                _ => json!({"tool_name": tool, "tool_input": {"command": command}, "permission_mode": "default"}),
            };
            scratch.run("rg-guard", &["--hook", "--client", client], &call(client, "tool-before", &scratch, fields))
        };
        let said = guard("rm -rf ~");
        let reply = said.json();
        assert!(
            reply.pointer(denied).and_then(Value::as_str).is_some_and(|text| text.contains("rm")),
            "{client}: {said:?}"
        );
        let decision = ["/hookSpecificOutput/permissionDecision", "/decision", "/permission"];
        let decision = |reply: &Value| decision.iter().find_map(|at| reply.pointer(at).cloned()).unwrap();
        assert_eq!(decision(&reply), "deny", "{client}");
        assert_eq!(guard("rm -rf ./build").out, "", "{client}");
        // Codex runs a call about which a hook replies `ask`, and Gemini knows no such word.
        let asked = decision(&guard("docker system prune").json());
        assert_eq!(asked, if client == "cursor" { "ask" } else { "deny" }, "{client}");
    }
}

#[test]
fn calls_that_cannot_be_read_are_denied_and_stops_are_not_silent() {
    let scratch = Scratch::repo();
    for (client, _) in KINDS {
        for garbage in ["{", "[]", "{\"hook_event_name\": 7}", "null", ""] {
            let said = scratch.run("rg-guard", &["--hook", "--client", client], garbage.as_bytes());
            assert!(said.status == 0 && said.out.contains("deny"), "{client} {garbage}: {said:?}");
            let said = scratch.sh(&line(STOP, client), garbage.as_bytes());
            assert!(!said.out.contains("block") && said.status == 0, "{client} {garbage}: {said:?}");
            assert!(said.out.contains("unverified") || !said.err.is_empty(), "{client} {garbage}: {said:?}");
        }
    }
}

#[test]
fn the_context_of_a_start_reaches_each_client_in_its_own_field() {
    for (client, at) in [
        ("codex", "/hookSpecificOutput/additionalContext"),
        ("gemini", "/hookSpecificOutput/additionalContext"),
        ("cursor", "/additional_context"),
    ] {
        let scratch = Scratch::repo();
        prompt(&scratch, client, "go");
        scratch.append("src.txt", "more\n");
        stop(&scratch, client);
        let stages = "rg-event --client claude | rg-tamper | rg-review-state | rg-anchor | rg-answer --client claude --kind session-start";
        let source = json!({"source": if client == "gemini" { "resume" } else { "compact" }, "trigger": "compact"});
        let reply = scratch.sh(&line(stages, client), &call(client, "session-start", &scratch, source)).json();
        let context = reply.pointer(at).and_then(Value::as_str);
        assert!(context.is_some_and(|text| text.contains("go")), "{client}: {reply}");
    }
}
