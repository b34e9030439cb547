//! The mends of rg-doctor: each problem is made on a machine, the mend that is printed is done, and the problem is gone.

use crate::scratch::{Scratch, bin_dir, skipped};
use serde_json::{Value, json};
use std::fs;

/// What makes a machine sick, or mends it.
type Step = fn(&Scratch);

/// A problem: its name, how it comes, and what the user does after reading the mend. Without a step, the mend is a command, and runs.
type Case = (&'static str, Step, Option<Step>);

/// Problems with tests of their own: `doctor_state::git_that_is_missing_is_a_problem_in_a_repository`, `records_on_a_network_file_system_are_a_problem_until_they_are_elsewhere`, and
/// `doctor_changes::a_program_that_changed_since_the_install_is_a_problem_until_it_is_recorded_again`.
const ELSEWHERE: [&str; 3] = ["no-git", "state-remote", "program-changed"];

const CASES: [Case; 22] = [
    ("not-wired", |s| drop(s.ok("rm -r .claude; mkdir .claude")), None),
    ("hooks-off", |s| edit(s, |text| text.replacen('{', "{\"disableAllHooks\": true,", 1)), Some(|s| edit(s, enabled))),
    ("settings-unreadable", |s| edit(s, |text| format!("}}{text}")), Some(|s| edit(s, |text| text[1..].to_string()))),
    ("program-missing", |s| edit(s, |text| text.replace(bin_dir().to_str().unwrap(), "/nonexistent")), None),
    ("no-answer", |s| change_stop(s, |line| line.rsplit_once(" | ").unwrap().0.to_string()), None),
    ("event-missing", |s| edit(s, |text| text.replace("\"Stop\"", "\"Stopp\"")), None),
    ("other-lines", |s| change_stop(s, |line| line.replace("--within 3560", "--within 10")), None),
    ("old-client", |s| client(s, "2.1.196"), Some(|s| client(s, "2.1.330"))),
    ("untrusted", |s| drop(s.ok("rm -r .claude && rg-install codex >/dev/null 2>&1")), Some(|s| drop(s.ok(APPROVED)))),
    ("no-definition", |s| drop(s.ok("rm DONE.md; printf 'test:\\n\\ttrue\\n' >Makefile")), None),
    (
        "definition-broken",
        |s| define(s, "chekcs: []"),
        Some(|s| {
            let said = s.sh("rg-check --validate", b"");
            assert!(said.status == 100 && said.err.contains("chekcs"), "the mend names the mistake: {said:?}");
            define(s, GOOD);
        }),
    ),
    (
        "timeouts",
        |s| define(s, "checks: [{name: a, run: 'true', timeout: 3000}, {name: b, run: 'true', timeout: 900}]"),
        Some(|s| define(s, "checks: [{name: a, run: 'true', timeout: 300}, {name: b, run: 'true', timeout: 900}]")),
    ),
    (
        "pipe",
        |s| define(s, "checks: [{name: a, run: 'make | tee log'}]"),
        Some(|s| define(s, "checks: [{name: a, run: 'make | tee log', shell: [bash, -eo, pipefail, -c]}]")),
    ),
    (
        "no-reviewer",
        |s| define(s, &format!("{GOOD}\nreview: {{command: [no-such-reviewer]}}")),
        Some(|s| define(s, &format!("{GOOD}\nreview: {{command: [cat]}}"))),
    ),
    ("state-unwritable", |s| drop(s.ok("rm -rf \"$RG_STATE\" && touch \"$RG_STATE\"")), None),
    ("state-writable", |s| drop(s.ok("mkdir -p \"$RG_STATE\" && chmod o+w \"$RG_STATE\"")), None),
    ("state-owner", |s| drop(s.ok("mkdir -p \"$RG_STATE\" && chown 12345 \"$RG_STATE\"")), None),
    (
        "unread-notices",
        |s| {
            let payload = s.payload("s", json!({"hook_event_name": "Stop"}));
            s.sh("rg-event --client claude | rg-answer --client claude", &payload);
        },
        Some(|s| fire(s, "SessionStart", json!({"source": "startup"}))),
    ),
    (
        "edited-journal",
        |s| {
            s.prompt("s", "go");
            s.append("src.txt", "x\n");
            s.stop("s");
            s.ok("sed -i '2s/\"by_tool\":\"/&x/' \"$RG_STATE\"/tasks/*.jsonl");
        },
        Some(|s| {
            at_a_terminal(s, "rg-doctor --reset");
        }),
    ),
    (
        "not-fired",
        |s| {
            fire(s, "UserPromptSubmit", json!({"prompt": "go"}));
            fire(s, "PostToolUse", json!({"tool_name": "Read", "tool_input": {}, "tool_response": {}}));
        },
        Some(|s| {
            fire_in(s, "new", "SessionStart", json!({"source": "startup"}));
            fire_in(s, "new", "UserPromptSubmit", json!({"prompt": "go"}));
            fire_in(s, "new", "PostToolUse", json!({"tool_name": "Read", "tool_input": {}, "tool_response": {}}));
        }),
    ),
    ("no-reply", |s| change_stop(s, |line| format!("{line} >/dev/null; echo hello")), None),
    ("not-blocked", |s| change_stop(s, |line| format!("cat >/dev/null; : || {line}")), None),
];

const GOOD: &str = "checks: [{name: t, run: 'true'}]";

const APPROVED: &str = "mkdir -p \"$HOME\"/.codex && \
    printf '[hooks.state.\"x\"]\\ntrusted_hash = \"y\"\\n' >\"$HOME\"/.codex/config.toml";

fn edit(scratch: &Scratch, change: fn(String) -> String) {
    let path = scratch.work().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, change(text)).unwrap();
}

fn enabled(text: String) -> String {
    text.replacen("\"disableAllHooks\": true,", "", 1)
}

fn change_stop(scratch: &Scratch, change: fn(&str) -> String) {
    let path = scratch.work().join(".claude/settings.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let command = &mut settings["hooks"]["Stop"][0]["hooks"][0]["command"];
    *command = change(command.as_str().unwrap()).into();
    fs::write(path, settings.to_string()).unwrap();
}

fn define(scratch: &Scratch, yaml: &str) {
    scratch.write("DONE.md", &format!("```yaml\n{yaml}\n```\n"));
}

/// A client's program of that version, found by PATH.
fn client(scratch: &Scratch, version: &str) {
    scratch.ok(&format!(
        "mkdir -p ../versions ../client-bin && printf '#!/bin/sh\\n' >../versions/{version} && \
         chmod +x ../versions/{version} && ln -sf ../versions/{version} ../client-bin/claude"
    ));
}

fn fire(scratch: &Scratch, event: &str, fields: Value) {
    fire_in(scratch, "s", event, fields);
}

/// Runs the line of an event, as it is in the settings.
fn fire_in(scratch: &Scratch, session: &str, event: &str, mut fields: Value) {
    let settings = fs::read(scratch.work().join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_slice(&settings).unwrap();
    fields["hook_event_name"] = event.into();
    let line = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
    let said = scratch.sh(line, &scratch.payload(session, fields));
    assert_eq!(said.status, 0, "{said:?}");
}

fn at_a_terminal(scratch: &Scratch, line: &str) {
    let said = scratch.sh(&format!("script -qec '{line}' /dev/null </dev/null"), b"");
    assert_eq!(said.status, 0, "{said:?}");
}

/// The problems, by name and mend.
fn problems(scratch: &Scratch, is_live: bool) -> Vec<(String, String)> {
    let args: &[&str] = if is_live { &["--live", "--json"] } else { &["--json"] };
    let report = scratch.run("rg-doctor", args, b"").json();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let all = report["problems"].as_array().unwrap();
    all.iter().map(|problem| (text(&problem["name"]), text(&problem["mend"]))).collect()
}

#[test]
fn the_mend_of_each_problem_mends_it() {
    let is_root = rustix::process::getuid().is_root();
    let mut wrong = Vec::new();
    for (name, sicken, step) in CASES {
        if name == "state-owner" && !is_root {
            skipped("not root: no file of another user");
            continue;
        }
        let mut scratch = Scratch::repo_with(&format!("{GOOD}\n"));
        let path = format!("{}:{}", scratch.top().join("client-bin").display(), scratch.env["PATH"]);
        scratch.set("PATH", &path);
        if scratch.sh("command -v script", b"").status != 0 && name == "edited-journal" {
            skipped("no script");
            continue;
        }
        scratch.ok("rg-install claude >/dev/null");
        let is_live = matches!(name, "no-reply" | "not-blocked");
        assert_eq!(problems(&scratch, is_live), [], "{name}: a healthy machine");
        sicken(&scratch);
        let found = problems(&scratch, is_live);
        let mend = found.iter().find(|(found, _)| found == name).map(|(_, mend)| mend);
        let Some(mend) = mend else {
            wrong.push(format!("{name} is not found: {found:?}"));
            continue;
        };
        match step {
            Some(step) => step(&scratch),
            None => {
                let said = scratch.sh(&format!("{{ {mend}; }} >/dev/null 2>&1"), b"");
                if said.status != 0 {
                    wrong.push(format!("{name}: `{mend}`: {said:?}"));
                }
            }
        }
        let left = problems(&scratch, is_live);
        if left.iter().any(|(left, _)| left == name) {
            wrong.push(format!("{name}: `{mend}` does not mend it: {left:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The magic number of NFS, as `statfs` returns it: the first eight bytes of its answer.
const NFS: &str = "6969000000000000";

/// strace(1) makes the kernel answer that a directory is on NFS.
#[test]
fn records_on_a_network_file_system_are_a_problem_until_they_are_elsewhere() {
    let mut scratch = Scratch::repo_with(&format!("{GOOD}\n"));
    let remote = scratch.top().join("state");
    let traced = |scratch: &Scratch, what: &str| {
        let inject = format!("inject=statfs:poke_exit=@arg2={NFS}");
        let place = remote.to_str().unwrap();
        let args = ["-f", "-qq", "-o", "/dev/null", "-P", place, "-e", "trace=statfs", "-e", &inject, "sh", "-c", what];
        scratch.run("strace", &args, b"")
    };
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) || traced(&scratch, "true").status != 0 {
        skipped("no strace that can change a result");
        return;
    }
    scratch.ok("rg-install claude >/dev/null 2>&1; mkdir -p -m 700 \"$RG_STATE\"");
    assert_eq!(problems(&scratch, false), [], "a healthy machine");
    let report = traced(&scratch, "rg-doctor --json").json();
    let found = &report["problems"][0];
    assert_eq!(found["name"], "state-remote", "{report}");
    let mend = found["mend"].as_str().unwrap();
    let name = mend.strip_prefix("set ").and_then(|rest| rest.strip_suffix(" to a local directory")).unwrap();
    scratch.set(name, scratch.top().join("local").to_str().unwrap());
    scratch.ok("mkdir -p -m 700 \"$RG_STATE\"");
    assert_eq!(traced(&scratch, "rg-doctor --json").json()["problems"], json!([]));
}

#[test]
fn every_problem_has_a_case() {
    let sources = crate::tidy::sources_of("bins/rg-doctor").concat();
    let named = sources.split(".problem(\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let mut names: Vec<&str> = named.collect();
    names.sort();
    names.dedup();
    assert!(names.len() >= 20, "{names:?}");
    for name in names {
        let is_known = CASES.iter().any(|(known, ..)| *known == name) || ELSEWHERE.contains(&name);
        assert!(is_known, "no test mends {name}");
    }
}
