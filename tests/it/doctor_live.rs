//! Laws of `rg-doctor --live`: each hook is called as its client does; a hook that does not reply or block is a problem.

use crate::scratch::Scratch;
use serde_json::Value;
use std::fs;
use std::time::{Duration, Instant};

/// A repository with a check that passes and the hooks of that client.
fn wired(client: &str) -> Scratch {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    assert_eq!(scratch.run("rg-install", &[client], b"").status, 0);
    scratch
}

fn live(scratch: &Scratch) -> (i32, Value) {
    let said = scratch.run("rg-doctor", &["--live", "--json"], b"");
    (said.status, said.json())
}

/// The lines about an event.
fn lines<'a>(report: &'a Value, event: &str) -> Vec<&'a Value> {
    report["live"].as_array().unwrap().iter().filter(|line| line["event"] == event).collect()
}

fn problems(report: &Value) -> Vec<&str> {
    report["problems"].as_array().unwrap().iter().map(|problem| problem["name"].as_str().unwrap()).collect()
}

/// Replaces the command of an event's first hook, and removes its arguments.
fn replace(scratch: &Scratch, event: &str, command: &str, timeout: f64) {
    let path = scratch.work().join(".claude/settings.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let hook = &mut settings["hooks"][event][0]["hooks"][0];
    hook["command"] = command.replace("OLD", hook["command"].as_str().unwrap()).into();
    hook["timeout"] = timeout.into();
    hook.as_object_mut().unwrap().remove("args");
    fs::write(path, settings.to_string()).unwrap();
}

#[test]
fn every_hook_of_every_client_replies_and_blocks() {
    for (client, events, stop, call) in [
        ("claude", 10, "Stop", "PreToolUse"),
        ("codex", 9, "Stop", "PreToolUse"),
        ("gemini", 7, "AfterAgent", "BeforeTool"),
        ("cursor", 12, "stop", "beforeShellExecution"),
    ] {
        let scratch = wired(client);
        let (_, report) = live(&scratch);
        let all = report["live"].as_array().unwrap();
        let names: std::collections::BTreeSet<&str> = all.iter().map(|line| line["event"].as_str().unwrap()).collect();
        assert_eq!(names.len(), events, "{client}: {names:?}");
        for line in all {
            assert_eq!(line["is_good"], true, "{client}: {line}");
            assert!(line["seconds"].as_f64().unwrap() > 0.0);
        }
        let text = |event: &str, part: &str| {
            lines(&report, event).iter().any(|line| line["text"].as_str().unwrap().contains(part))
        };
        assert!(text(stop, "blocked a stop with a failing check"), "{client}: {report}");
        assert!(text(call, "blocked `rm -rf /`"), "{client}: {report}");
        assert_eq!(problems(&report), if client == "codex" { vec!["untrusted"] } else { vec![] });
    }
}

#[test]
fn nothing_is_left_behind() {
    let scratch = wired("claude");
    scratch.prompt("s", "go");
    let all = || {
        scratch.ok("find \"$HOME\"/.. -type f -o -type d | sort | grep -v '/lock$'; find . \"$HOME\" \"$RG_STATE\" -type f | sort | xargs cksum").out
    };
    let before = all();
    assert_eq!(live(&scratch).0, 0);
    assert_eq!(all(), before);
}

#[test]
fn a_hook_that_hangs_is_killed_at_its_timeout() {
    let scratch = wired("claude");
    replace(&scratch, "SessionStart", "sleep 300; OLD", 0.5);
    let began = Instant::now();
    let (status, report) = live(&scratch);
    assert!(began.elapsed() < Duration::from_secs(45), "{report}");
    assert_eq!(status, 1);
    assert!(problems(&report).contains(&"no-reply"), "{report}");
    let [line] = &lines(&report, "SessionStart")[..] else { panic!("{report}") };
    assert!(line["is_good"] == false && line["text"].as_str().unwrap().contains("did not end within"), "{line}");
    assert!(lines(&report, "Stop")[0]["is_good"] == true, "the others are called all the same: {report}");
}

#[test]
fn a_hook_that_fails_prints_garbage_or_records_nothing_is_a_problem() {
    for (command, part) in [
        ("OLD >/dev/null; echo no >&2; exit 1", "exit 1 no"),
        ("OLD >/dev/null; echo hello", "no JSON object"),
        ("OLD >/dev/null; echo '[]'", "no JSON object"),
        ("OLD >/dev/null; head -c 3000000 /dev/zero", "no JSON object"),
        ("export RG_STATE=/dev/null/none; OLD; true", "no record"),
        ("cat >/dev/null; : || OLD", "no record"),
    ] {
        let scratch = wired("claude");
        replace(&scratch, "PreCompact", command, 20.0);
        let (status, report) = live(&scratch);
        assert_eq!(status, 1, "{command}");
        let [line] = &lines(&report, "PreCompact")[..] else { panic!("{command}: {report}") };
        assert!(line["is_good"] == false && line["text"].as_str().unwrap().contains(part), "{command}: {line}");
        assert!(problems(&report).contains(&"no-reply"), "{command}: {report}");
    }
}

#[test]
fn a_stop_that_is_let_through_and_a_call_that_is_not_denied_are_problems() {
    let scratch = wired("claude");
    replace(&scratch, "Stop", "cat >/dev/null; : || OLD", 20.0);
    replace(&scratch, "PreToolUse", "cat >/dev/null; : || OLD", 20.0);
    let (status, report) = live(&scratch);
    assert_eq!(status, 1);
    assert_eq!(problems(&report).iter().filter(|name| **name == "not-blocked").count(), 2, "{report}");
    scratch.ok("rg-install claude >/dev/null 2>&1");
    assert_eq!(live(&scratch).0, 0, "the mend that is named");
}

#[test]
fn a_judge_that_is_replaced_by_nothing_does_not_block() {
    let scratch = wired("claude");
    let bin = crate::scratch::bin_dir();
    let path = scratch.work().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    scratch.write("fake/rg-check", "#!/bin/sh\nexec cat\n");
    scratch.ok("chmod +x fake/rg-check");
    let fake = scratch.work().join("fake").display().to_string();
    let with_fake = text.replace(&format!("'{}'/rg-check", bin.display()), &format!("'{fake}'/rg-check"));
    assert_ne!(with_fake, text);
    fs::write(&path, with_fake).unwrap();
    let (_, report) = live(&scratch);
    assert!(problems(&report).contains(&"not-blocked"), "{report}");
    assert_eq!(lines(&report, "Stop")[0]["is_good"], false);
}

#[test]
fn the_screen_has_a_line_for_each_hook_and_without_the_option_nothing_runs() {
    let scratch = wired("claude");
    let said = scratch.run("rg-doctor", &["--live"], b"");
    assert!(said.out.contains("claude SessionStart: replied ("), "{said:?}");
    assert!(said.out.contains("claude PreToolUse (Agent|Task): replied ("), "{said:?}");
    assert!(said.out.contains("claude Stop: blocked a stop with a failing check ("), "{said:?}");
    replace(&scratch, "SessionStart", "touch \"$HOME\"/ran; OLD", 20.0);
    let report = scratch.run("rg-doctor", &["--json"], b"").json();
    assert_eq!(report["live"], serde_json::json!([]));
    assert!(!scratch.top().join("home/ran").exists());
    live(&scratch);
    assert!(scratch.top().join("home/ran").exists(), "it is the line of the file that runs");
}
