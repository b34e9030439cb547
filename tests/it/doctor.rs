//! Laws of rg-doctor: a healthy machine has no problem; each sick one has one, and its mend mends it.

use crate::scratch::{Said, Scratch};
use serde_json::Value;
use std::fs;

fn doctor(scratch: &Scratch) -> Said {
    scratch.run("rg-doctor", &["--json"], b"")
}

/// The names of the problems.
fn problems(scratch: &Scratch) -> Vec<String> {
    let said = doctor(scratch);
    let report = said.json();
    let all = report["problems"].as_array().unwrap();
    assert_eq!(said.status, i32::from(!all.is_empty()), "{said:?}");
    for problem in all {
        assert!(!problem["text"].as_str().unwrap().is_empty() && !problem["mend"].as_str().unwrap().is_empty());
    }
    all.iter().map(|problem| problem["name"].as_str().unwrap().to_string()).collect()
}

/// The command that mends the first problem of that name.
fn mend(scratch: &Scratch, name: &str) -> String {
    let report = doctor(scratch).json();
    let found = report["problems"].as_array().unwrap().iter().find(|problem| problem["name"] == name).cloned();
    found.unwrap_or_else(|| panic!("no {name}: {report}"))["mend"].as_str().unwrap().to_string()
}

/// A repository with a definition of done and the hooks of Claude Code.
fn healthy() -> Scratch {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    assert_eq!(scratch.run("rg-install", &["claude"], b"").status, 0);
    scratch
}

fn settings(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.work().join(".claude/settings.json")).unwrap()
}

#[test]
fn a_healthy_machine_has_no_problem_and_its_facts_are_shown() {
    let scratch = healthy();
    assert_eq!(problems(&scratch), [""; 0]);
    scratch.prompt("s", "go");
    scratch.append("src.txt", "x\n");
    scratch.stop("s");
    let report = doctor(&scratch).json();
    assert_eq!(report["definition"]["checks"], serde_json::json!(["t"]));
    assert_eq!(
        (&report["wired"][0]["client"], report["wired"][0]["events"].as_array().unwrap().len()),
        (&"claude".into(), 10)
    );
    assert_eq!((&report["receipts"][0]["outcome"], &report["tasks"][0]["outcome"]), (&"done".into(), &"done".into()));
    assert_eq!(report["seen"][0]["client"], "claude");
    assert!(report["state"]["bytes"].as_u64().unwrap() > 0);
    let screen = scratch.run("rg-doctor", &[], b"");
    for word in ["hooks       claude: ", "definition  ", "tasks       ", "receipts    ", "nothing is wrong\n"] {
        assert!(screen.out.contains(word), "{word}: {screen:?}");
    }
    let brief = scratch.run("rg-doctor", &["--brief"], b"");
    assert_eq!((brief.status, brief.out.lines().count()), (0, 4), "{brief:?}");
    assert_eq!(scratch.run("review-gate", &[], b"").out, brief.out, "review-gate alone is its short form");
}

#[test]
fn denied_calls_waivers_and_loops_are_shown() {
    let scratch = healthy();
    let prompt = scratch.payload("s", serde_json::json!({"hook_event_name": "UserPromptSubmit", "prompt": "#loop go"}));
    scratch.sh("rg-event --client claude | rg-tamper | rg-loop mark | rg-answer --client claude", &prompt);
    let call = serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}});
    scratch.run("rg-guard", &["--hook", "--client", "claude"], &scratch.payload("s", call));
    let report = doctor(&scratch).json();
    assert_eq!(report["denials"][0]["tool"], "Bash");
    assert!(report["denials"][0]["input"].as_str().unwrap().contains("git push --force"), "{report}");
    assert_eq!(report["loops"].as_array().unwrap().len(), 1, "{report}");
}

#[test]
fn a_definition_that_is_missing_or_broken_is_a_problem() {
    let scratch = healthy();
    let text = fs::read_to_string(scratch.work().join("DONE.md")).unwrap();
    scratch.ok("rm DONE.md && printf 'test:\\n\\ttrue\\n' > Makefile");
    assert_eq!(problems(&scratch), ["no-definition"]);
    assert_eq!(mend(&scratch, "no-definition"), "rg-init");
    scratch.write("DONE.md", &text.replace("checks:", "chekcs:"));
    assert_eq!(problems(&scratch), ["definition-broken"]);
    let said = scratch.sh(&mend(&scratch, "definition-broken"), b"");
    assert!(said.status == 100 && said.err.contains("chekcs"), "{said:?}");
    scratch.write("DONE.md", &text);
    assert_eq!(problems(&scratch), [""; 0]);
}

#[test]
fn checks_that_cannot_end_in_time_or_lose_a_failure_are_problems() {
    let slow = Scratch::repo_with(
        "checks:\n  - {name: a, run: 'true', timeout: 3000}\n  - {name: b, run: 'true', timeout: 900}\n",
    );
    slow.run("rg-install", &["claude"], b"");
    assert_eq!(problems(&slow), ["timeouts"]);
    let piped = Scratch::repo_with("checks:\n  - {name: a, run: 'make 2>&1 | tee log'}\n");
    piped.run("rg-install", &["claude"], b"");
    assert_eq!(problems(&piped), ["pipe"]);
    let strict = "checks:\n  - {name: a, run: 'make 2>&1 | tee log', shell: [bash, -eo, pipefail, -c]}\n";
    piped.write("DONE.md", &format!("```yaml\n{strict}```\n"));
    assert_eq!(problems(&piped), [""; 0], "{}", "the mend that is named");
    let reviewed =
        Scratch::repo_with("checks:\n  - {name: a, run: 'true'}\nreview: {command: [no-such-reviewer, run]}\n");
    reviewed.run("rg-install", &["claude"], b"");
    assert_eq!(problems(&reviewed), ["no-reviewer"]);
}

#[test]
fn a_client_without_hooks_is_a_problem_and_install_mends_it() {
    let mut scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    // Where no client is found, `rg-install all` would find none either.
    let path = format!("{}:/usr/bin:/bin", crate::scratch::bin_dir().display());
    scratch.set("PATH", &path);
    assert_eq!(problems(&scratch), ["not-wired"]);
    assert_eq!(mend(&scratch, "not-wired"), "rg-install claude");
    scratch.ok("mkdir ../home/.codex");
    assert_eq!(mend(&scratch, "not-wired"), "rg-install all");
    scratch.ok("mkdir .gemini");
    assert_eq!(mend(&scratch, "not-wired"), "rg-install gemini");
    scratch.ok("rg-install gemini >/dev/null 2>&1");
    assert_eq!(problems(&scratch), [""; 0]);
}

#[test]
fn hooks_that_are_off_missing_changed_or_do_not_answer_are_problems_and_install_mends_them() {
    let scratch = healthy();
    let whole = settings(&scratch);
    let with = |text: &str| scratch.write(".claude/settings.json", text);
    let wired: Value = serde_json::from_str(&whole).unwrap();
    let without_stop = {
        let mut value = wired.clone();
        value["hooks"].as_object_mut().unwrap().remove("Stop");
        value.to_string()
    };
    for (sick, name) in [
        (whole.replacen('{', "{\"disableAllHooks\": true,", 1), "hooks-off"),
        (without_stop, "event-missing"),
        (whole.replace(" --within 3560", " --within 10"), "other-lines"),
        ("{".to_string(), "settings-unreadable"),
    ] {
        assert_ne!(sick, whole);
        with(&sick);
        assert_eq!(problems(&scratch)[0], name);
        let mend = mend(&scratch, name);
        match mend.starts_with("rg-install") {
            true => drop(scratch.ok(&format!("{mend} >/dev/null 2>&1"))),
            false => with(&whole),
        }
        assert_eq!(problems(&scratch), [""; 0], "{name}");
    }
    let stop = wired["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    let cut = stop.rsplit_once(" | ").unwrap().0;
    let mut silent = wired.clone();
    silent["hooks"]["Stop"][0]["hooks"][0]["command"] = cut.into();
    with(&silent.to_string());
    assert!(problems(&scratch).contains(&"no-answer".to_string()));
    scratch.ok(&format!("{} >/dev/null 2>&1", mend(&scratch, "no-answer")));
    assert_eq!(problems(&scratch), [""; 0]);
}

#[test]
fn a_program_that_is_gone_is_a_problem() {
    let scratch = healthy();
    let bin = crate::scratch::bin_dir().display().to_string();
    scratch.write(".claude/settings.json", &settings(&scratch).replace(&bin, "/nonexistent/bin"));
    let found = problems(&scratch);
    assert!(found.contains(&"program-missing".to_string()), "{found:?}");
    scratch.ok(&format!("{} >/dev/null 2>&1", mend(&scratch, "program-missing")));
    assert_eq!(problems(&scratch), [""; 0]);
}

#[test]
fn codex_hooks_without_an_approval_are_a_problem() {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    scratch.ok("rg-install codex >/dev/null 2>&1");
    assert_eq!(problems(&scratch), ["untrusted"]);
    scratch.ok("mkdir -p \"$HOME\"/.codex && printf '[hooks.state.\"x\"]\\ntrusted_hash = \"y\"\\n' > \"$HOME\"/.codex/config.toml");
    assert_eq!(problems(&scratch), [""; 0]);
}

#[test]
fn records_that_others_can_write_or_that_were_edited_are_problems() {
    let scratch = healthy();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "x\n");
    scratch.stop("s");
    scratch.ok(&format!("chmod o+w '{}'", scratch.state().display()));
    assert_eq!(problems(&scratch), ["state-writable"]);
    scratch.ok(&mend(&scratch, "state-writable"));
    assert_eq!(problems(&scratch), [""; 0]);
    scratch.ok(&format!("sed -i '2s/\"by_tool\":\"/&x/' '{}'/tasks/*.jsonl", scratch.state().display()));
    assert_eq!(problems(&scratch), ["edited-journal"]);
}

#[test]
fn a_notice_that_no_session_has_shown_is_a_problem() {
    let scratch = healthy();
    let payload = scratch.payload("s", serde_json::json!({"hook_event_name": "Stop"}));
    scratch.sh("rg-event --client claude | rg-answer --client claude", &payload);
    let found = problems(&scratch);
    assert_eq!(found, ["unread-notices"], "an unverified stop leaves a notice");
}

#[test]
fn it_changes_nothing() {
    let scratch = healthy();
    let before = scratch.ok("find . \"$HOME\" -type f | sort | xargs cksum").out;
    doctor(&scratch);
    assert_eq!(scratch.ok("find . \"$HOME\" -type f | sort | xargs cksum").out, before);
}
