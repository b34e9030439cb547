//! Laws of the program review-gate: it starts what it names, and nothing else.

use crate::scratch::{Said, Scratch, feed};
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_word_starts_the_program_of_that_name_with_its_arguments_and_status() {
    let scratch = Scratch::repo();
    for (short, long) in [
        ("check --now --only tests", "rg-check --now --only tests"),
        ("rg-check --now", "rg-check --now"),
        ("guard explain 'rm -rf /'", "rg-guard explain 'rm -rf /'"),
        ("-C .. check --now", "rg-check -C .. --now"),
        ("check --no-such-option", "rg-check --no-such-option"),
        ("receipt --version", "rg-receipt --version"),
    ] {
        let (ours, theirs) = (scratch.sh(&format!("review-gate {short}"), b""), scratch.sh(long, b""));
        assert_eq!((ours.status, &ours.out, &ours.err), (theirs.status, &theirs.out, &theirs.err), "{short}");
    }
    let line = scratch.ok("rg-event stop | review-gate check | rg-answer; true");
    assert!(line.out.contains("not-done"), "a filter in a pipeline: {line:?}");
}

#[test]
fn a_hook_runs_the_line_that_rg_install_writes() {
    let scratch = Scratch::repo();
    for (client, file) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
    ] {
        scratch.ok(&format!("rg-install {client}"));
        let text = fs::read_to_string(scratch.work().join(file)).unwrap();
        let wired: Value = serde_json::from_str(&text).unwrap();
        let printed = scratch.ok(&format!("review-gate hook --print {client}")).out;
        let lines: Vec<&str> = printed.lines().filter(|line| !line.starts_with('#')).collect();
        let mut commands = Vec::new();
        collect(&wired["hooks"], &mut commands);
        assert_eq!(lines.len(), commands.len(), "{client}: {printed}");
        for command in &commands {
            let is_printed = lines.iter().any(|line| line.replace('\'', "").starts_with(&command.replace('\'', "")));
            assert!(is_printed, "{client}: {command} is not in {printed}");
        }
    }
    let call = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}});
    let denied = scratch.sh("review-gate hook claude pretooluse", &scratch.payload("s", call));
    assert_eq!(denied.json()["hookSpecificOutput"]["permissionDecision"], "deny");
    let agents = scratch.ok("review-gate hook --print --matcher 'Agent|Task' claude PreToolUse").out;
    assert!(agents.contains("rg-review-state") && agents.lines().count() == 1, "{agents}");
}

/// The commands of all hooks in a value.
fn collect(value: &Value, commands: &mut Vec<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| collect(one, commands)),
        Value::Object(fields) => {
            commands.extend(fields.get("command").and_then(Value::as_str).map(str::to_string));
            fields.values().for_each(|one| collect(one, commands));
        }
        _ => {}
    }
}

#[test]
fn what_review_gate_does_not_know_is_an_error_that_lists_what_it_knows() {
    let scratch = Scratch::repo();
    for (words, want) in [
        ("chekc", "unknown program \"chekc\". Programs: hook, anchor, answer, "),
        ("../x", "unknown program \"../x\". Programs: hook, "),
        ("hook", "hook needs a client. Clients: claude, codex, gemini, cursor"),
        ("hook clade Stop", "unknown client \"clade\". Clients: claude, codex, gemini, cursor"),
        ("hook claude", "hook needs an event. Events of Claude Code: SessionStart, "),
        ("hook gemini Stop", "no hook for \"Stop\". Events of Gemini CLI: SessionStart, BeforeAgent, "),
        ("--print claude", "unknown option --print"),
    ] {
        let said = scratch.sh(&format!("review-gate {words}"), b"");
        assert!(said.status == 100 && said.out.is_empty(), "{words}: {said:?}");
        assert!(said.err.starts_with(&format!("review-gate: {want}")) && said.err.lines().count() == 1, "{said:?}");
    }
}

#[test]
fn a_hook_by_one_name_comes_from_the_client() {
    let mut scratch = Scratch::repo();
    // The process of this test is the client. bash waits for a command while a trap is set.
    scratch.env.remove("CLAUDE_PID");
    fs::write(scratch.top().join("traps"), "trap : EXIT\n").unwrap();
    let traps = scratch.top().join("traps").display().to_string();
    scratch.set("BASH_ENV", &traps);
    let hook = |scratch: &Scratch, line: &str, fields: Value| -> Said {
        let payload = match fields["hook_event_name"].as_str() {
            Some("Stop") => scratch.stop_payload("s", fields),
            _ => scratch.payload("s", fields),
        };
        feed(scratch.command("bash").args(["-c", line]), &payload)
    };
    if scratch.command("bash").arg("--version").output().is_err() {
        return crate::scratch::skipped("no bash");
    }
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    hook(&scratch, "review-gate hook claude SessionStart", start);
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"});
    hook(&scratch, "review-gate hook claude UserPromptSubmit", prompt);
    scratch.append("src.txt", "more\n");
    let stop = json!({"hook_event_name": "Stop", "last_assistant_message": "done"});
    let said = hook(&scratch, "review-gate hook claude Stop", stop.clone());
    assert!(said.reason().contains("tests"), "{said:?}");
    assert_eq!(scratch.receipt()["origin"], "client");
    scratch.append("src.txt", "more\n");
    hook(&scratch, "review-gate hook claude Stop; true", stop);
    assert_eq!(scratch.receipt()["origin"], "manual");
}
