//! Laws of the program review-gate: it starts what it names, and nothing else.

use crate::scratch::{Said, Scratch, bin_dir, feed};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::Instant;

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

#[test]
fn a_check_that_gets_a_hook_call_answers_as_the_line_of_that_hook() {
    let scratch = Scratch::repo();
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"});
    scratch.sh("review-gate check", &scratch.payload("s", prompt));
    assert_eq!(scratch.records("prompt").len(), 1, "the line of each event");
    scratch.append("src.txt", "more\n");
    // A client that never closes its end, and whose call is larger than a pipe holds.
    let call = scratch.stop_payload("s", json!({"last_assistant_message": "x".repeat(200_000)}));
    let said = open_ended(&scratch, &call);
    assert!(said.reason().contains("check did not pass"), "{said:?}");
    // Each client gets the reply of its own protocol. No line has a matcher here.
    let deny = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}});
    let denied = scratch.sh("review-gate check", &scratch.payload("s", deny));
    assert_eq!(denied.json()["hookSpecificOutput"]["permissionDecision"], "deny");
    let cursor = json!({"hook_event_name": "beforeShellExecution", "conversation_id": "c", "command": "rm -rf /", "cwd": scratch.work()});
    let denied = scratch.sh("review-gate check", cursor.to_string().as_bytes());
    assert_eq!(denied.json()["permission"], "deny", "{denied:?}");
    let gemini = json!({"hook_event_name": "BeforeTool", "session_id": "g", "timestamp": "2026-11-21T12:00:00Z",
        "tool_name": "run_shell_command", "tool_input": {"command": "rm -rf /"}, "cwd": scratch.work()});
    let denied = scratch.sh("review-gate check", format!("\n {gemini}\n").as_bytes());
    assert_eq!(denied.json()["decision"], "deny", "{denied:?}");
}

#[test]
fn a_check_that_gets_something_else_is_rg_check() {
    let scratch = Scratch::repo();
    let event = scratch.ok("rg-event stop").out;
    let two = format!("{event}{event}");
    let spaced = event.replacen("{\"v\":1,", "{ \"v\": 1,", 1);
    for input in ["", "\n", "no JSON", "[1]", "{\"a\":", "{\"a\":1}\n", "{}", &two, &spaced, event.trim_end()] {
        let ours = scratch.sh("review-gate check", input.as_bytes());
        let theirs = scratch.sh("rg-check", input.as_bytes());
        assert_eq!(ours.status, theirs.status, "{input:?}");
        // Between two pipes rg-check leaves it to its neighbours to report a line that was cut off.
        assert!(ours.err == theirs.err || theirs.err.is_empty() && ours.err.contains("no event line"), "{ours:?}");
        assert_eq!(ours.out.contains("\"verdicts\""), theirs.out.contains("\"verdicts\""), "{input:?}");
    }
    // A stage may be slow, and its line larger than a pipe holds.
    let long = "x".repeat(300_000);
    let line =
        format!("{{ sleep 3; rg-event stop --message {} ; }} | review-gate check | rg-answer; true", &long[..100_000]);
    assert!(scratch.ok(&line).out.contains("not-done"));
    let unknown = scratch.sh("review-gate check", &scratch.payload("s", json!({"hook_event_name": "Nonsense"})));
    assert!(unknown.status == 100 && unknown.err.contains("no hook for \"Nonsense\""), "{unknown:?}");
    let half = open_ended(&scratch, b"{\"session_id\":");
    assert!(half.err.contains("no complete record on standard input within 2 s"), "{half:?}");
}

/// `review-gate check` with that input, whose end never comes.
fn open_ended(scratch: &Scratch, input: &[u8]) -> Said {
    let mut command = scratch.command(bin_dir().join("review-gate"));
    let command = command.arg("check").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let status = output.status.code().unwrap_or(-1);
    Said { status, out: text(output.stdout), err: text(output.stderr), took: began.elapsed() }
}
