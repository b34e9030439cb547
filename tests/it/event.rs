//! Laws of rg-event: reading hook calls, the user's prompts, sessions and tasks, deferral, missing records.

use crate::scratch::{Scratch, lines_of};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

fn event(scratch: &Scratch, payload: &[u8]) -> Value {
    scratch.run("rg-event", &["--client", "claude"], payload).json()
}

#[test]
fn one_json_value_is_read_without_waiting_for_the_end_of_input() {
    let scratch = Scratch::new();
    let mut child = scratch
        .command(crate::scratch::bin_dir().join("rg-event"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&scratch.payload("s", json!({"hook_event_name": "Stop"}))).unwrap();
    let began = Instant::now();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(child.wait().unwrap().success() && out.ends_with('\n'), "{out}");
    assert!(began.elapsed() < Duration::from_secs(2), "waited {:?}", began.elapsed());
    drop(stdin);
}

#[test]
fn a_client_that_sends_nothing_times_out_after_two_seconds() {
    let scratch = Scratch::new();
    for start in ["", "{\"hook_event_name\":\"Stop\""] {
        let began = Instant::now();
        let mut child = scratch
            .command(crate::scratch::bin_dir().join("rg-event"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(start.as_bytes()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(111));
        assert!(began.elapsed() < Duration::from_millis(3500), "{:?}", began.elapsed());
        drop(stdin);
    }
}

#[test]
fn malformed_input_is_a_usage_error_without_an_event() {
    let scratch = Scratch::new();
    for input in [
        &b""[..],
        b"  \n",
        b"42",
        b"[]",
        b"null",
        b"{\"a\":1",
        b"{}",
        b"{\"hook_event_name\":7}",
        b"\xff\xfe",
        b"{\"hook_event_name\":\"St\xffop\"}",
    ] {
        let said = scratch.run("rg-event", &["--client", "claude"], input);
        assert_eq!(said.status, 100, "{:?}: {said:?}", &input[..input.len().min(40)]);
        assert!(said.out.is_empty() && said.err.lines().count() == 1 && said.err.starts_with("rg-event: "), "{said:?}");
    }
}

#[test]
fn input_is_limited_to_16_mebibytes() {
    let scratch = Scratch::new();
    let payload =
        |size: usize| scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": "x".repeat(size)}));
    let said = scratch.run("rg-event", &[], &payload(10 << 20));
    assert_eq!(said.status, 0);
    assert!(said.out.len() < 80 << 10, "an event keeps 64 KiB of a prompt");
    let said = scratch.run("rg-event", &[], &payload(100 << 20));
    assert_eq!((said.status, said.out.as_str()), (100, ""), "{}", said.err);
    assert!(said.err.contains("16 MiB"));
}

#[test]
fn memory_stays_within_64_mebibytes_at_100_mebibytes_of_input() {
    let scratch = Scratch::new();
    let mut payload = scratch.payload("s", json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"}));
    payload.pop();
    payload.extend_from_slice(b",\"tool_response\":[");
    payload.extend("1,".repeat(50 << 20).into_bytes());
    // On a busy machine rg-event may stop waiting for input: then it is asked again.
    let line = "ulimit -v 98304; rg-event --client claude <payload; echo \"status $?\"";
    let run = |payload: &[u8], line: &str| {
        std::fs::write(scratch.work().join("payload"), payload).unwrap();
        let mut tries = (0..20).map(|_| scratch.sh(line, b""));
        tries.find(|said| !said.err.contains("within 2 s")).expect("rg-event reads its input within 2 s")
    };
    let said = run(&payload, line);
    assert_eq!(said.out, "status 100\n", "{said:?}");
    payload.truncate(15 << 20);
    payload.extend_from_slice(b"1]}");
    let said = run(&payload, &line.replace("<payload;", "<payload | wc -c;"));
    assert!(said.out.ends_with("status 0\n") && said.err.is_empty(), "{said:?}");
}

#[test]
fn unknown_events_and_fields_pass() {
    let scratch = Scratch::repo();
    let event = event(&scratch, &scratch.payload("s", json!({"hook_event_name": "BrandNew", "x": {"y": 1}})));
    assert_eq!(event["kind"], "BrandNew");
    let said = scratch.sh(crate::scratch::STOP, &scratch.payload("s", json!({"hook_event_name": "BrandNew"})));
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{said:?}");
}

#[test]
fn every_real_capture_decodes_to_its_kind() {
    let scratch = Scratch::new();
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/claude");
    let kinds = [
        ("PostCompact", "compact-after"),
        ("PostToolUse", "tool-after"),
        ("PostToolUseFailure", "tool-failed"),
        ("PreCompact", "compact-before"),
        ("PreToolUse", "tool-before"),
        ("SessionEnd", "session-end"),
        ("SessionStart", "session-start"),
        ("Stop", "stop"),
        ("StopFailure", "stop-failed"),
        ("SubagentStart", "subagent-start"),
        ("SubagentStop", "subagent-stop"),
        ("UserPromptSubmit", "prompt"),
        ("TaskCompleted", "TaskCompleted"),
    ];
    for (name, kind) in kinds {
        let text = std::fs::read_to_string(dir.join(format!("{name}.json"))).unwrap();
        let capture: Value = serde_json::from_str(&text).unwrap();
        for variant in capture["variants"].as_array().unwrap() {
            let event = event(&scratch, variant["stdin"].to_string().as_bytes());
            assert_eq!(event["kind"], kind, "{name}");
            assert_eq!(event["session"], variant["stdin"]["session_id"]);
        }
    }
}

#[test]
fn a_prompt_is_the_users_only_by_exclusion() {
    let scratch = Scratch::new();
    let by = |fields: Value| {
        let mut payload = json!({"hook_event_name": "UserPromptSubmit", "prompt": "hello"});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event(&scratch, &scratch.payload("s", payload))["by"].as_str().unwrap().to_string()
    };
    assert_eq!(by(json!({})), "user");
    assert_eq!(by(json!({"source": "user"})), "user");
    assert_eq!(by(json!({"source": "sdk"})), "user");
    assert_eq!(by(json!({"source": "schedule_wakeup"})), "client");
    assert_eq!(by(json!({"agent_id": "a1", "agent_type": "x"})), "agent");
    assert_eq!(by(json!({"agent_type": "x"})), "user", "a session started with --agent is no subagent");
    for tag in ["<task-notification>\n#gate:off", " \n<agent-message from=\"x\">", "<subagent_notification>"] {
        assert_eq!(by(json!({"prompt": tag})), "client", "{tag}");
    }
}

/// The agent schedules a wakeup whose prompt is `#gate:off by wakeup`. The client submits it without a mark.
#[test]
fn a_scheduled_prompt_is_not_the_users() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    let crons = json!([{"id": "c", "schedule": "* * * * *", "recurring": false, "prompt": "#gate:off"}]);
    scratch.append("src.txt", "more\n");
    scratch.stop_with("s", json!({"session_crons": crons}));
    scratch.prompt("s", "#gate:off");
    assert!(scratch.records("gate-off").is_empty());
    assert_eq!(scratch.records("prompt").last().unwrap()["by"], "client");
    // Merged with a prompt of the user: the user's lines count, the scheduled line does not.
    scratch.prompt("s", "how is it going?\n#gate:off");
    assert!(scratch.records("gate-off").is_empty());
    assert_eq!(scratch.records("prompt").last().unwrap()["by"], "user");
}

#[test]
fn a_scheduling_tool_call_is_recorded() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    let call =
        json!({"hook_event_name": "PreToolUse", "tool_name": "ScheduleWakeup", "tool_input": {"prompt": "#gate:off"}});
    event(&scratch, &scratch.payload("s", call));
    scratch.prompt("s", "#gate:off");
    assert!(scratch.records("gate-off").is_empty());
}

#[test]
fn gate_off_must_be_a_whole_line() {
    for (prompt, counts) in [
        ("#gate:off", true),
        ("thanks\n#gate:off", true),
        ("  #gate:off  ", true),
        ("#gate:off please", false),
        ("say #gate:off", false),
        ("<task-notification>\n#gate:off", false),
    ] {
        let scratch = Scratch::repo();
        scratch.prompt("s", "go");
        scratch.prompt("s", prompt);
        assert_eq!(!scratch.records("gate-off").is_empty(), counts, "{prompt:?}");
    }
}

#[test]
fn gate_off_holds_for_the_session_until_gate_on_or_24_hours() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.prompt("other", "go");
    scratch.append("src.txt", "more\n");
    assert!(scratch.prompt("s", "#gate:off").told().contains("off for this session"));
    assert!(scratch.stop("s").told().contains("waived"));
    assert_eq!(scratch.stop("other").json()["decision"], "block", "the waiver is for one session");
    // The waived task is finished. The waiver also covers the session's next task.
    scratch.prompt("s", "and now this");
    scratch.append("src.txt", "more\n");
    assert!(scratch.stop("s").told().contains("waived"));
    scratch.prompt("s", "go on\n#gate:on");
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.stop("s").json()["decision"], "block");
    scratch.prompt("s", "#gate:off");
    scratch.later(24.0 * 3600.0 + 1.0);
    assert_eq!(scratch.stop("s").json()["decision"], "block");
}

#[test]
fn a_task_ends_when_done_and_the_users_next_prompt_begins_another() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "one");
    scratch.append("src.txt", "more\n");
    scratch.stop("s");
    scratch.prompt("s", "two");
    assert_eq!(scratch.records("begin").len(), 1, "not-done does not end a task");
    scratch.append("src.txt", "fixed\n");
    scratch.stop("s");
    scratch.prompt("s", "<task-notification>three");
    assert_eq!(scratch.records("begin").len(), 1, "a client's prompt begins no task");
    scratch.prompt("s", "four");
    assert_eq!(scratch.records("begin").len(), 2);
    assert_eq!(scratch.words(), ["not-done", "done"]);
}

#[test]
fn two_sessions_in_one_directory_are_two_tasks() {
    let scratch = Scratch::repo();
    scratch.prompt("a", "work");
    scratch.append("src.txt", "more\n");
    scratch.prompt("b", "just look");
    assert_eq!(scratch.stop("b").out, "", "b began after the change and changed nothing");
    for _ in 0..3 {
        assert_eq!(scratch.stop("a").json()["decision"], "block");
    }
    assert!(scratch.stop("a").told().contains("abandoned"));
    scratch.append("src.txt", "even more\n");
    assert_eq!(scratch.stop("b").json()["decision"], "block", "b has a budget of its own");
}

#[test]
fn an_empty_or_null_session_has_no_task() {
    let scratch = Scratch::repo();
    for session in ["", "null"] {
        scratch.prompt(session, "#gate:off");
        scratch.append("src.txt", "more\n");
        let said = scratch.stop(session);
        assert!(said.told().contains("unverified"), "{said:?}");
    }
    assert!(scratch.records("begin").is_empty());
}

#[test]
fn hostile_session_ids_are_one_file_each_inside_the_state_directory() {
    let scratch = Scratch::repo();
    for session in ["../../escape", "a/b", "..", "x-y", &"z".repeat(4096), "new\nline", "nul\u{0}"] {
        scratch.prompt(session, "go");
        scratch.append("src.txt", "more\n");
        assert_eq!(scratch.stop(session).json()["decision"], "block", "{session:?}");
    }
    assert!(!scratch.top().join("escape").exists() && !scratch.top().join("escape.jsonl").exists());
}

#[test]
fn the_root_is_fixed_at_the_first_event() {
    let scratch = Scratch::repo();
    scratch.write("sub/DONE.md", "```yaml\nchecks:\n  - {name: easy, run: \"true\"}\n```\n");
    scratch.ok("git add -A && git commit -qm sub");
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    let said = scratch.stop_with("s", json!({"cwd": scratch.work().join("sub")}));
    assert!(said.reason().contains("\"tests\""), "{said:?}");
}

#[test]
fn the_project_directory_counts_more_than_the_current_one() {
    let mut scratch = Scratch::repo();
    scratch.write("sub/x", "");
    let project = scratch.work();
    scratch.set("CLAUDE_PROJECT_DIR", project.to_str().unwrap());
    let payload = scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": "/"}));
    assert_eq!(event(&scratch, &payload)["root"], scratch.work().to_str().unwrap());
}

#[test]
fn a_cleared_session_continues_the_task_of_its_process() {
    let mut scratch = Scratch::repo();
    let start = |scratch: &Scratch, session: &str, source: &str| {
        scratch.run(
            "rg-event",
            &[],
            &scratch.payload(session, json!({"hook_event_name": "SessionStart", "source": source})),
        );
    };
    start(&scratch, "old", "startup");
    scratch.prompt("old", "go");
    scratch.append("src.txt", "more\n");
    scratch.stop("old");
    start(&scratch, "new", "clear");
    assert!(scratch.stop("new").reason().contains("bounce 2 of 3"), "budgets are carried over");
    scratch.set("CLAUDE_PID", "51515151");
    start(&scratch, "elsewhere", "clear");
    scratch.stop("elsewhere");
    assert_eq!(scratch.records("begin").len(), 2, "another process has a task of its own");
}

#[test]
fn a_nested_client_spends_its_own_budget() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    assert!(scratch.stop("s").reason().contains("bounce 1"));
    scratch.set("CLAUDE_PID", "77777777");
    scratch.prompt("s", "a nested client's prompt restores only its own budget");
    for round in ["bounce 1", "bounce 2", "bounce 3"] {
        assert!(scratch.stop("s").reason().contains(round));
    }
    scratch.set("CLAUDE_PID", "42424242");
    assert!(scratch.stop("s").reason().contains("bounce 2"));
}

#[test]
fn an_event_with_another_hook_origin_is_manual() {
    let scratch = Scratch::repo();
    scratch.run(
        "rg-event",
        &[],
        &scratch.payload("s", json!({"hook_event_name": "SessionStart", "source": "startup"})),
    );
    let payload = scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"}));
    assert_eq!(event(&scratch, &payload)["origin"], "client", "the same hook origin");
    std::fs::write(
        scratch.work().join("payload"),
        scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": "#gate:off"})),
    )
    .unwrap();
    let said = scratch.sh("rg-event <payload", b"");
    assert_eq!(said.json()["origin"], "manual", "{said:?}");
    assert!(said.out.contains("refused") && scratch.records("gate-off").is_empty());
    scratch.append("src.txt", "more\n");
    let said = scratch.stop("s");
    assert_eq!(scratch.receipt()["origin"], "manual", "the receipt says so: {said:?}");
}

#[test]
fn a_running_subagent_defers_a_stop_once_and_a_server_never() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    let running =
        |kind: &str| json!({"background_tasks": [{"id": "a1", "type": kind, "status": "running", "description": "d"}]});
    assert_eq!(scratch.stop_with("s", running("shell")).json()["decision"], "block");
    assert_eq!(scratch.stop_with("s", running("monitor")).json()["decision"], "block");
    let said = scratch.stop_with("s", running("subagent"));
    assert!(said.told().contains("not done yet: a stop was bounced"), "the user is told: {said:?}");
    assert_eq!(scratch.receipt()["outcome"], "unverified");
    assert!(scratch.receipt()["why"].as_str().unwrap().contains("deferred"));
    assert_eq!(
        scratch.stop_with("s", running("workflow")).json()["decision"],
        "block",
        "a stop is deferred once, even if another agent runs"
    );
    scratch.prompt("s", "go on");
    assert_eq!(scratch.stop_with("s", running("workflow")).json()["decision"], "block", "once for each agent");
    let other = json!({"background_tasks": [{"id": "a2", "type": "workflow", "status": "running"}]});
    assert!(scratch.stop_with("s", other).told().contains("is deferred to the next stop"), "another agent defers once");
}

#[test]
fn compaction_and_subagent_starts_never_block() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    for fields in
        [json!({"agent_type": "", "agent_id": "a"}), json!({"agent_type": "general-purpose", "agent_id": "a"})]
    {
        let mut payload = json!({"hook_event_name": "SubagentStop"});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let said = scratch.sh(crate::scratch::STOP, &scratch.payload("s", payload));
        assert_eq!((said.status, said.out.as_str()), (0, ""), "{said:?}");
    }
    assert!(scratch.records("open").is_empty());
}

#[test]
fn a_stop_without_records_is_judged_and_reported() {
    let scratch = Scratch::repo();
    let said = scratch.stop("unknown");
    assert_eq!(said.json()["decision"], "block", "without a baseline everything is judged");
    assert_eq!(scratch.receipt()["state"], "missing");
    // The records were removed during a session, but a receipt still shows it.
    std::fs::remove_dir_all(scratch.state().join("tasks")).unwrap();
    std::fs::remove_dir_all(scratch.state().join("sessions")).unwrap();
    scratch.append("src.txt", "fixed\n");
    let said = scratch.stop("unknown");
    assert!(said.reason().contains("records of this session were removed"), "{said:?}");
    // All records were removed, but the client says that a hook blocked a stop.
    std::fs::remove_dir_all(scratch.state()).unwrap();
    let said = scratch.stop_with("unknown", json!({"stop_hook_active": true}));
    assert!(said.told().contains("unverified"), "{said:?}");
}

#[test]
fn a_stop_without_a_definition_of_done_writes_nothing() {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    let said = scratch.stop("s");
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", ""));
    assert!(!scratch.state().exists());
}

#[test]
fn a_manual_session_has_a_task_of_its_own() {
    let scratch = Scratch::repo();
    scratch.prompt("S", "go");
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.ok("rg-event prompt --session S --prompt 'work' | rg-tamper | rg-answer").out, "");
    assert_eq!(scratch.records("begin").len(), 2, "the same id from another client is another session");
    let line = "rg-event stop --session S | rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer; echo $?";
    assert!(scratch.sh(line, b"").out.contains("nothing to check"), "the session began after the change");
    scratch.append("src.txt", "even more\n");
    for round in ["bounce 1 of 3", "bounce 2 of 3", "bounce 3 of 3", "abandoned"] {
        let said = scratch.sh(line, b"");
        assert!(said.out.contains(round) && said.out.ends_with("1\n"), "{round}: {said:?}");
    }
    assert!(scratch.stop("S").reason().contains("bounce 1 of 3"), "the client's budget is untouched");
}

#[test]
fn an_unclosed_stop_is_reported_at_the_next_session_start() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    // The pipeline ends after rg-event: the stop is opened and never closed.
    scratch.run("rg-event", &["--client", "claude"], &scratch.stop_payload("s", json!({})));
    let start = scratch.payload("s", json!({"hook_event_name": "SessionStart", "source": "resume"}));
    let line = "rg-event --client claude | rg-answer --client claude --kind session-start";
    let said = scratch.sh(line, &start);
    assert!(said.told().contains("unverified: judging of 1 stop of this task never ended"), "{said:?}");
    assert_eq!(scratch.sh(line, &start).out, "", "reported once");
}

#[test]
fn a_missing_definition_is_reported_once_per_repository() {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    let line = "rg-event --client claude | rg-answer --client claude --kind session-start";
    let start =
        |session: &str| scratch.payload(session, json!({"hook_event_name": "SessionStart", "source": "startup"}));
    assert!(scratch.sh(line, &start("a")).told().contains("no DONE.md in"));
    assert_eq!(scratch.sh(line, &start("b")).out, "");
}

#[test]
fn a_deferred_stop_that_was_never_judged_is_reported() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    scratch.stop_with("s", json!({"background_tasks": [{"id": "a", "type": "subagent", "status": "running"}]}));
    let start = scratch.payload("s", json!({"hook_event_name": "SessionStart", "source": "resume"}));
    let line = "rg-event --client claude | rg-answer --client claude --kind session-start";
    assert!(scratch.sh(line, &start).told().contains("unverified: a stop of this task was deferred and never judged"));
    assert_eq!(scratch.sh(line, &start).out, "", "reported once");
}

#[test]
fn notices_are_shown_once_at_the_next_session_start() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    scratch.stop_saying("s", "CANNOT: no way");
    let start = scratch.payload("later", json!({"hook_event_name": "SessionStart", "source": "startup"}));
    let line = "rg-event --client claude | rg-answer --client claude --kind session-start";
    let told = scratch.sh(line, &start).told();
    assert!(told.contains("abandoned: no way"), "{told}");
    assert_eq!(scratch.sh(line, &start).out, "");
    assert_eq!(lines_of(&scratch.state().join("notices.jsonl")).len(), 2);
}
