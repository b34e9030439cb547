//! Laws about a session that only answers a question while somebody else changes files.

use crate::scratch::{Said, Scratch, lines_of};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const START: &str = "rg-event --client claude | rg-tamper | rg-answer --client claude --kind session-start";
const PASSED_OVER: &str = "review-gate: the files changed, but not by this session: not judged";

/// A repository whose client names the project, as Claude Code does.
fn scratch() -> Scratch {
    let mut scratch = Scratch::repo();
    let project = scratch.work();
    scratch.set("CLAUDE_PROJECT_DIR", project.to_str().unwrap());
    scratch.set("CLAUDE_PID", &std::process::id().to_string());
    scratch
}

fn start(scratch: &Scratch, source: &str) -> Said {
    scratch.sh(START, &scratch.payload("q", json!({"hook_event_name": "SessionStart", "source": source})))
}

/// Begins a session with a question.
fn ask(scratch: &Scratch) {
    start(scratch, "startup");
    scratch.prompt("q", "what does src.txt do?");
}

/// rg-guard before a tool call.
fn call(scratch: &Scratch, tool: &str, input: Value) -> Said {
    let fields = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input});
    scratch.run("rg-guard", &["--hook", "--client", "claude"], &scratch.payload("q", fields))
}

fn read(scratch: &Scratch) {
    let said = call(scratch, "Read", json!({"file_path": "src.txt"}));
    assert_eq!(said.out, "", "{said:?}");
}

/// Somebody else saves a file that fails the check.
fn save(scratch: &Scratch) {
    scratch.append("src.txt", "half a tho\n");
}

fn marks(scratch: &Scratch) -> Vec<PathBuf> {
    let entries = fs::read_dir(scratch.state().join("calls")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Another name for a mark.
fn beside(mark: &Path) -> PathBuf {
    PathBuf::from(format!("{}-old", mark.display()))
}

#[track_caller]
fn is_passed_over(scratch: &Scratch) {
    let said = scratch.stop("q");
    assert_eq!((said.told().as_str(), said.err.as_str()), (PASSED_OVER, ""), "{said:?}");
    assert!(said.json().get("decision").is_none() && scratch.words().is_empty(), "{said:?}");
}

#[track_caller]
fn is_judged(scratch: &Scratch) {
    let said = scratch.stop("q");
    assert_eq!(said.json()["decision"], "block", "{said:?}");
}

#[test]
fn a_session_that_only_reads_is_not_sent_back_for_what_somebody_else_saved() {
    let scratch = scratch();
    ask(&scratch);
    read(&scratch);
    call(&scratch, "Bash", json!({"command": "grep -n fixed src.txt | head -5"}));
    save(&scratch);
    is_passed_over(&scratch);
    is_passed_over(&scratch);
    assert_eq!(scratch.records("close").len(), 2);
    scratch.prompt("q", "and now?");
    is_passed_over(&scratch);
}

#[test]
fn the_next_stop_of_a_session_that_writes_judges_the_change_of_others_too() {
    let scratch = scratch();
    ask(&scratch);
    read(&scratch);
    save(&scratch);
    is_passed_over(&scratch);
    scratch.prompt("q", "add a line to other.txt");
    call(&scratch, "Write", json!({"file_path": "other.txt", "content": "x"}));
    scratch.write("other.txt", "x\n");
    is_judged(&scratch);
    call(&scratch, "Read", json!({"file_path": "src.txt"}));
    is_judged(&scratch);
}

#[test]
fn a_session_without_changes_is_as_quiet_as_before() {
    let scratch = scratch();
    ask(&scratch);
    read(&scratch);
    let said = scratch.stop("q");
    assert_eq!(said.out, "", "{said:?}");
    assert!(marks(&scratch).len() == 2 && scratch.words().is_empty());
}

#[test]
fn each_call_that_can_write_ends_the_proof_even_if_it_is_denied() {
    for (tool, input) in [
        ("Write", json!({"file_path": "a", "content": "x"})),
        ("Edit", json!({"file_path": "a", "old_string": "x", "new_string": "y"})),
        ("NotebookEdit", json!({"notebook_path": "a.ipynb", "new_source": "x"})),
        ("Bash", json!({"command": "make"})),
        ("Bash", json!({"command": "git reset --hard"})),
        ("Bash", json!({})),
        ("Agent", json!({"prompt": "x", "subagent_type": "general"})),
        ("Task", json!({"prompt": "x"})),
        ("Skill", json!({"skill": "x"})),
        ("SendMessage", json!({"to": "a", "message": "x"})),
        ("CronCreate", json!({"prompt": "x"})),
        ("EnterWorktree", json!({})),
        ("mcp__files__read", json!({"path": "x"})),
        ("ToolOfALaterRelease", json!({})),
    ] {
        let scratch = scratch();
        ask(&scratch);
        read(&scratch);
        call(&scratch, tool, input.clone());
        save(&scratch);
        let said = scratch.stop("q");
        let is_blocked = !said.out.is_empty() && said.json()["decision"] == "block";
        assert!(is_blocked && marks(&scratch).len() == 1, "{tool} {input}: {said:?}");
    }
}

#[test]
fn without_a_proof_the_stop_is_judged() {
    type Step = fn(&mut Scratch);
    let steps: [(&str, Step); 12] = [
        ("rg-guard saw no call", |scratch| {
            ask(scratch);
        }),
        ("no start of the session was seen", |scratch| {
            scratch.prompt("q", "what?");
            read(scratch);
        }),
        ("the session is a copy", |scratch| {
            start(scratch, "fork");
            scratch.prompt("q", "what?");
            read(scratch);
        }),
        ("the session was cleared", |scratch| {
            ask(scratch);
            read(scratch);
            start(scratch, "clear");
        }),
        ("another process of the client resumed it", |scratch| {
            ask(scratch);
            read(scratch);
            scratch.set("CLAUDE_PID", "1");
            start(scratch, "resume");
        }),
        ("another client calls", |scratch| {
            ask(scratch);
            read(scratch);
            scratch.env.remove("CLAUDE_PROJECT_DIR");
        }),
        ("the marks were removed", |scratch| {
            ask(scratch);
            read(scratch);
            fs::remove_dir_all(scratch.state().join("calls")).unwrap();
        }),
        ("the mark is another file", |scratch| {
            ask(scratch);
            read(scratch);
            for mark in marks(scratch) {
                fs::rename(&mark, beside(&mark)).unwrap();
                fs::write(&mark, "").unwrap();
            }
        }),
        ("the mark was linked and moved back", |scratch| {
            ask(scratch);
            read(scratch);
            for mark in marks(scratch) {
                fs::hard_link(&mark, beside(&mark)).unwrap();
                fs::remove_file(&mark).unwrap();
                fs::rename(beside(&mark), &mark).unwrap();
            }
        }),
        ("the hook settings changed", |scratch| {
            ask(scratch);
            read(scratch);
            scratch.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
        }),
        ("the hook settings changed and changed back", |scratch| {
            scratch.write(".claude/settings.json", "{\"hooks\": {}}");
            ask(scratch);
            read(scratch);
            std::thread::sleep(std::time::Duration::from_millis(20));
            scratch.write(".claude/settings.json", "{\"disableAllHooks\": true}");
            scratch.write(".claude/settings.json", "{\"hooks\": {}}");
        }),
        ("the records of the session were edited", |scratch| {
            ask(scratch);
            read(scratch);
            for entry in fs::read_dir(scratch.state().join("sessions")).unwrap().flatten() {
                let text = fs::read_to_string(entry.path()).unwrap();
                fs::write(entry.path(), text.replacen("\"startup\"", "\"resume\"", 1)).unwrap();
            }
        }),
    ];
    for (name, step) in steps {
        let mut scratch = scratch();
        step(&mut scratch);
        save(&scratch);
        let said = scratch.stop("q");
        let is_blocked = !said.out.is_empty() && said.json()["decision"] == "block";
        assert!(is_blocked, "{name}: {said:?}");
    }
}

#[test]
fn what_runs_beside_a_question_is_judged() {
    for fields in [
        json!({"background_tasks": [{"id": "b", "type": "shell", "status": "running", "command": "x"}]}),
        json!({"session_crons": [{"id": "c", "schedule": "* * * * *", "recurring": true, "prompt": "x"}]}),
    ] {
        let scratch = scratch();
        ask(&scratch);
        read(&scratch);
        save(&scratch);
        let said = scratch.stop_with("q", fields.clone());
        assert!(said.out.contains("block"), "{fields}: {said:?}");
    }
}

#[test]
fn a_review_or_a_loop_that_the_user_asked_for_is_judged() {
    const PROMPT: &str = "rg-event --client claude | rg-tamper | rg-review-state | rg-loop mark | rg-answer --client claude --kind prompt";
    for prompt in ["#review\nwhat?", "#loop find out what it does"] {
        let scratch = scratch();
        start(&scratch, "startup");
        let fields = json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt});
        scratch.sh(PROMPT, &scratch.payload("q", fields));
        read(&scratch);
        save(&scratch);
        let said = scratch.stop("q");
        assert!(!said.out.is_empty() && !said.out.contains("not by this session"), "{prompt}: {said:?}");
    }
}

#[test]
fn one_record_says_that_rg_guard_sees_the_calls_of_a_session() {
    let scratch = scratch();
    ask(&scratch);
    (0..3).for_each(|_| read(&scratch));
    let sessions = fs::read_dir(scratch.state().join("sessions")).unwrap().flatten();
    let records: Vec<Value> = sessions.flat_map(|entry| lines_of(&entry.path())).collect();
    let of = |kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    assert_eq!((of("unwritten"), of("guarded")), (1, 1), "{records:?}");
}
