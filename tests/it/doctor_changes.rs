//! Laws of rg-doctor about what changed since the install: programs, hooks that did not fire, clients that are too old.

use crate::scratch::{Said, Scratch, bin_dir};
use crate::tidy::tools;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn wired() -> Scratch {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    assert_eq!(scratch.run("rg-install", &["claude"], b"").status, 0);
    scratch
}

/// The problems, by name and text.
fn problems(said: &Said) -> Vec<(String, String)> {
    let report = said.json();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let all = report["problems"].as_array().unwrap();
    all.iter().map(|problem| (text(&problem["name"]), text(&problem["text"]))).collect()
}

fn doctor(scratch: &Scratch) -> Vec<(String, String)> {
    problems(&scratch.run("rg-doctor", &["--json"], b""))
}

/// A directory with its own links to the programs.
fn own_programs(scratch: &Scratch) -> PathBuf {
    let bin = scratch.top().join("bin");
    fs::create_dir(&bin).unwrap();
    for tool in tools() {
        if fs::hard_link(bin_dir().join(&tool), bin.join(&tool)).is_err() {
            fs::copy(bin_dir().join(&tool), bin.join(&tool)).unwrap();
        }
    }
    bin
}

#[test]
fn a_program_that_changed_since_the_install_is_a_problem_until_it_is_recorded_again() {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    let bin = own_programs(&scratch);
    let run = |name: &str, args: &[&str]| scratch.run(bin.join(name).to_str().unwrap(), args, b"");
    assert_eq!(run("rg-install", &["claude"]).status, 0);
    assert_eq!(problems(&run("rg-doctor", &["--json"])), []);
    // A copy of the same bytes is the same program.
    let check = bin.join("rg-check");
    fs::rename(&check, bin.join("old")).unwrap();
    fs::copy(bin.join("old"), &check).unwrap();
    assert_eq!(problems(&run("rg-doctor", &["--json"])), []);
    // The same size and time, and other bytes.
    let bytes = fs::read(&check).unwrap();
    let modified = fs::metadata(&check).unwrap().modified().unwrap();
    let mut other = bytes.clone();
    *other.last_mut().unwrap() ^= 1;
    fs::write(&check, &other).unwrap();
    fs::File::options().write(true).open(&check).unwrap().set_modified(modified).unwrap();
    let found = problems(&run("rg-doctor", &["--json"]));
    assert!(found.len() == 1 && found[0].0 == "program-changed", "{found:?}");
    assert!(found[0].1.contains("/rg-check") && !found[0].1.contains("rg-tamper"), "{found:?}");
    // So is the program that reads the code, which no hook names.
    fs::write(&check, &bytes).unwrap();
    fs::remove_file(bin.join("rg-outline")).unwrap();
    fs::write(bin.join("rg-outline"), "#!/bin/sh\n").unwrap();
    let found = problems(&run("rg-doctor", &["--json"]));
    assert!(found.len() == 1 && found[0].1.contains("/rg-outline"), "{found:?}");
    let again = run("rg-install", &["claude"]);
    assert!(again.out.contains("already wired: ") && again.out.contains("recorded the programs"), "{again:?}");
    assert_eq!(problems(&run("rg-doctor", &["--json"])), [], "the mend that is named");
    let third = run("rg-install", &["claude"]);
    assert!(!third.out.contains("recorded the programs"), "{third:?}");
    run("rg-install", &["claude", "--uninstall"]);
    assert!(!scratch.work().join(".claude").exists(), "it was not there before");
}

#[test]
fn what_was_recorded_for_one_client_is_not_believed_for_the_next() {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    let bin = own_programs(&scratch);
    let run = |name: &str, args: &[&str]| scratch.run(bin.join(name).to_str().unwrap(), args, b"");
    // A copy: the others are links to the programs themselves.
    let check = bin.join("rg-check");
    fs::rename(&check, bin.join("old")).unwrap();
    fs::copy(bin.join("old"), &check).unwrap();
    assert_eq!(run("rg-install", &["claude"]).status, 0);
    // The same inode, size and time, and other bytes.
    let (mut bytes, modified) = (fs::read(&check).unwrap(), fs::metadata(&check).unwrap().modified().unwrap());
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&check, &bytes).unwrap();
    fs::File::options().write(true).open(&check).unwrap().set_modified(modified).unwrap();
    assert_eq!(run("rg-install", &["gemini"]).status, 0);
    let report = run("rg-doctor", &["--json"]).json();
    let mends: Vec<_> = report["problems"].as_array().unwrap().iter().map(|problem| &problem["mend"]).collect();
    assert!(mends.len() == 1 && mends[0].as_str().unwrap().contains("`rg-install claude`"), "{report}");
}

#[test]
fn the_mend_names_the_file_that_it_is_about() {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    for (flag, path) in [("--global", "home/.claude/settings.json"), ("--local", "repo/.claude/settings.local.json")] {
        assert_eq!(scratch.run("rg-install", &["claude", flag], b"").status, 0);
        let path = scratch.top().join(path);
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("--within 3560", "--within 3561")).unwrap();
        let report = scratch.run("rg-doctor", &["--json"], b"").json();
        let mend = report["problems"][0]["mend"].as_str().unwrap().to_string();
        assert_eq!(mend, format!("rg-install claude {flag}"));
        scratch.ok(&format!("{mend} >/dev/null 2>&1"));
        assert_eq!(doctor(&scratch), []);
        scratch.ok(&format!("rg-install claude {flag} --uninstall >/dev/null 2>&1"));
    }
}

/// Runs the line of an event, as it is in the settings.
fn fire(scratch: &Scratch, event: &str, fields: Value) {
    let settings = fs::read_to_string(scratch.work().join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let hook = &settings["hooks"][event][0]["hooks"][0];
    let args = hook["args"].as_array().into_iter().flatten().map(|word| word.as_str().unwrap());
    let line = args.fold(hook["command"].as_str().unwrap().to_string(), |line, word| line + " " + word);
    let mut call = fields;
    call["hook_event_name"] = event.into();
    let said = scratch.sh(&line, &scratch.payload("s", call));
    assert_eq!(said.status, 0, "{said:?}");
}

/// What fires a hook.
type Fire<'a> = &'a dyn Fn(&Scratch);

fn tool(name: &str) -> Value {
    json!({"tool_name": name, "tool_input": {"file_path": "new.txt", "content": "x"}, "tool_use_id": "t", "tool_response": {}})
}

#[test]
fn a_hook_that_did_not_fire_in_the_last_session_is_a_problem() {
    let start = |scratch: &Scratch| fire(scratch, "SessionStart", json!({"source": "startup"}));
    let prompt = |scratch: &Scratch| fire(scratch, "UserPromptSubmit", json!({"prompt": "go"}));
    let before = |scratch: &Scratch| fire(scratch, "PreToolUse", tool("Write"));
    let after = |scratch: &Scratch| fire(scratch, "PostToolUse", tool("Write"));
    let all: [(&str, Fire<'_>); 4] =
        [("session-start", &start), ("prompt", &prompt), ("tool-before", &before), ("tool-after", &after)];
    let names = |scratch: &Scratch| -> Vec<String> {
        let found = doctor(scratch).into_iter().filter(|(name, _)| name == "not-fired");
        found.map(|(_, text)| text.split(" of ").nth(1).unwrap().split(' ').next().unwrap().to_string()).collect()
    };
    let whole = wired();
    for (_, fire) in all {
        fire(&whole);
        assert_eq!(names(&whole), [""; 0], "a session that goes on");
    }
    for left_out in ["session-start", "prompt", "tool-before"] {
        let scratch = wired();
        for (name, fire) in all {
            if name != left_out {
                fire(&scratch);
            }
        }
        let found = names(&scratch);
        // Without a prompt there is no task, and so no mark of it.
        assert_eq!(found, [left_out], "{:?}", doctor(&scratch));
    }
    // A session that only reads has no mark to remove.
    let reads = wired();
    start(&reads);
    prompt(&reads);
    fire(&reads, "PostToolUse", tool("Read"));
    assert_eq!(names(&reads), [""; 0]);
}

/// A client's program of that version, found by PATH.
fn client(scratch: &mut Scratch, version: &str) {
    let dir = scratch.top().join(format!("versions/{version}"));
    fs::create_dir_all(dir.parent().unwrap()).unwrap();
    fs::write(&dir, "#!/bin/sh\ntouch \"$HOME\"/ran\n").unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    let bin = scratch.top().join("client-bin");
    fs::create_dir_all(&bin).unwrap();
    let _ = fs::remove_file(bin.join("claude"));
    symlink(&dir, bin.join("claude")).unwrap();
    let path = scratch.env["PATH"].clone();
    if !path.starts_with(bin.to_str().unwrap()) {
        scratch.set("PATH", &format!("{}:{path}", bin.display()));
    }
}

#[test]
fn a_client_that_is_too_old_is_a_problem_and_its_program_is_not_started() {
    let mut scratch = wired();
    for (version, is_old) in [("2.1.196", true), ("2.1.197", false), ("1.99.999", true), ("10.0.0", false)] {
        client(&mut scratch, version);
        let found: Vec<String> = doctor(&scratch).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, if is_old { vec!["old-client"] } else { vec![] }, "{version}");
    }
    // rg-install says it, too, and what happens to marks in prompts.
    for (version, takes_marks) in [("2.0.75", true), ("2.0.76", false)] {
        client(&mut scratch, version);
        scratch.ok("rg-install claude --uninstall");
        let said = scratch.ok("rg-install claude").out;
        assert!(said.contains(&format!("Claude Code {version} (")) && said.contains("is older than 2.1.197"), "{said}");
        assert_eq!(said.contains("begins with # to its memory"), takes_marks, "{said}");
    }
    assert!(!Path::new(&scratch.top().join("home/ran")).exists());
}
