//! Laws of rg-guard before a client's tool calls: silence, exact denials, files, messages, reviewers, DONE.md.

use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;

/// A tool call before it runs.
fn call(scratch: &Scratch, tool: &str, input: Value) -> Said {
    call_with(scratch, tool, input, json!({"permission_mode": "default"}))
}

fn call_with(scratch: &Scratch, tool: &str, input: Value, more: Value) -> Said {
    let mut fields =
        json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "t"});
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.run("rg-guard", &["--hook", "--client", "claude"], &scratch.payload("s", fields))
}

fn bash(scratch: &Scratch, command: &str) -> Said {
    call(scratch, "Bash", json!({"command": command}))
}

/// The decision and its reason; empty when the call runs.
fn decided(said: &Said) -> (String, String) {
    assert_eq!(said.status, 0, "{said:?}");
    if said.out.is_empty() {
        return Default::default();
    }
    let reply: Value = serde_json::from_str(&said.out).unwrap();
    let specific = reply["hookSpecificOutput"].as_object().unwrap();
    let fields: Vec<&String> = specific.keys().collect();
    assert_eq!(fields, ["hookEventName", "permissionDecision", "permissionDecisionReason"]);
    assert_eq!((reply.as_object().unwrap().len(), &specific["hookEventName"]), (1, &json!("PreToolUse")));
    let text = |name: &str| specific[name].as_str().unwrap().to_string();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

fn is_silent(said: &Said) -> bool {
    said.status == 0 && said.out.is_empty() && said.err.is_empty()
}

#[track_caller]
fn denies(said: &Said, what: &str) {
    let (decision, reason) = decided(said);
    assert!(decision == "deny" && reason.contains(what), "{what}: {said:?}");
}

#[test]
fn a_permitted_call_is_answered_with_silence() {
    let scratch = Scratch::repo();
    for (tool, input) in [
        ("Bash", json!({"command": "ls -la"})),
        ("Bash", json!({"command": "git commit -m 'rm -rf /'"})),
        ("Write", json!({"file_path": "src/a.rs", "content": "rm -rf /"})),
        (
            "Edit",
            json!({"file_path": scratch.work().join("src.txt"), "old_string": "a", "new_string": "git reset --hard"}),
        ),
        ("Read", json!({"file_path": "src.txt"})),
        ("Grep", json!({"pattern": "DROP TABLE"})),
        ("Glob", json!({"pattern": "**"})),
        ("WebFetch", json!({"url": "https://example.com"})),
        ("Agent", json!({"prompt": "rm -rf /", "subagent_type": "general"})),
        ("SendMessage", json!({"to": "worker-1", "message": "go on"})),
        ("Workflow", json!({"script": "agent('count')"})),
        ("mcp__files__read", json!({"path": "x"})),
    ] {
        let said = call(&scratch, tool, input.clone());
        assert!(is_silent(&said), "{tool} {input}: {said:?}");
    }
}

#[test]
fn a_denial_is_exactly_the_clients_fields() {
    let scratch = Scratch::repo();
    denies(&bash(&scratch, "git reset --hard"), "rg-guard: git-reset-hard: ");
    let (decision, reason) = decided(&bash(&scratch, "git push -f origin feature/x"));
    assert!(decision == "ask" && reason.contains("git-push-force-branch"), "{reason}");
    // Whatever the order of the keys and the blanks between them.
    let odd = b" {\"tool_input\" : {\"description\":\"x\",\n\"command\":\"git reset \\u002d-hard\"}, \"x\":[{}], \"tool_name\":\"Bash\",\"hook_event_name\":\"PreToolUse\"}  tail";
    denies(&scratch.run("rg-guard", &["--hook"], odd), "git-reset-hard");
    let half = b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"git reset --hard # \\ud83d\"}}";
    denies(&scratch.run("rg-guard", &["--hook"], half), "git-reset-hard");
}

#[test]
fn what_cannot_be_judged_does_not_run() {
    let scratch = Scratch::repo();
    for input in [
        &b""[..],
        b"garbage",
        b"{}",
        b"{\"tool_name\":",
        b"[]",
        b"{\"tool_name\":7}",
        b"{\"tool_name\":\"Bash\"}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{}}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":{}}}",
        b"{\"tool_name\":\"Write\",\"tool_input\":{\"content\":\"x\"}}",
    ] {
        let said = scratch.run("rg-guard", &["--hook"], input);
        denies(&said, "unreadable");
    }
    let long = format!("echo {}", "x".repeat(1 << 20));
    denies(&bash(&scratch, &long), "too-long");
    denies(&bash(&scratch, &"(".repeat(100)), "too-deep");
    // Another event is nobody's tool call.
    let said = scratch.run(
        "rg-guard",
        &["--hook"],
        &scratch.payload("s", json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"})),
    );
    assert!(is_silent(&said), "{said:?}");
}

#[test]
fn a_question_where_nobody_attends_is_a_denial_that_says_so() {
    let mut scratch = Scratch::repo();
    let asked = json!({"command": "git push -f origin feature/x"});
    for mode in ["bypassPermissions", "dontAsk"] {
        denies(
            &call_with(&scratch, "Bash", asked.clone(), json!({"permission_mode": mode})),
            "this session is unattended",
        );
    }
    scratch.set("CLAUDE_CODE_SESSION_ATTENDED", "0");
    denies(&call(&scratch, "Bash", asked.clone()), "this session is unattended");
    scratch.set("CLAUDE_CODE_SESSION_ATTENDED", "1");
    assert_eq!(decided(&call(&scratch, "Bash", asked)).0, "ask");
}

#[test]
fn other_clients_shells_and_unknown_tools_with_commands_are_judged() {
    let scratch = Scratch::repo();
    for (tool, input) in [
        ("run_shell_command", json!({"command": "git reset --hard"})),
        ("shell", json!({"command": ["bash", "-lc", "git reset --hard"]})),
        ("exec_command", json!({"cmd": "git reset --hard"})),
        ("mcp__box__run", json!({"command": "git reset --hard"})),
        ("Monitor", json!({"command": "git reset --hard", "until": "x"})),
        ("mcp__box__run", json!({"command": "git", "args": ["reset", "--hard"]})),
        ("mcp__box__start_process", json!({"command": ["git", "reset", "--hard"]})),
        ("mcp__box__create_terminal", json!({"path": "src", "command": "git reset --hard"})),
        ("mcp__gate__call", json!({"name": "shell", "params": {"cmd": "git reset --hard"}})),
        ("mcp__box__batch", json!({"steps": [{"commands": ["ls", "git reset --hard"]}]})),
        ("mcp__box__run_script", json!({"script": "cd x\ngit reset --hard"})),
        ("mcp__tmux__send", json!({"pane": 1, "keys": "git reset --hard\n"})),
        ("write_stdin", json!({"session_id": 3, "chars": "git reset --hard\n"})),
        ("mcp__ide__executeCode", json!({"code": "import os\nos.system('git reset --hard')"})),
        (
            "mcp__js__run",
            json!({"language": "javascript", "code": "require('child_process').execSync('git reset --hard')"}),
        ),
    ] {
        denies(&call(&scratch, tool, input), "git-reset-hard");
    }
    denies(&call(&scratch, "mcp__postgres__query", json!({"sql": "DROP TABLE users"})), "sql-destroy");
    denies(&call(&scratch, "mcp__supabase__execute_sql", json!({"query": "select 1; truncate users"})), "sql-destroy");
    for (tool, input) in [
        ("mcp__postgres__query", json!({"sql": "select * from t where note = 'drop table users'"})),
        ("mcp__web__search", json!({"query": "DROP TABLE users"})),
        ("mcp__ide__executeCode", json!({"code": "print('git reset --hard')"})),
        ("mcp__github__create_issue", json!({"title": "git reset --hard", "body": "rm -rf /", "labels": ["rm -rf /"]})),
        ("mcp__tests__run", json!({"command": "npm", "args": ["test"]})),
        ("TodoWrite", json!({"todos": [{"content": "git reset --hard", "status": "pending"}]})),
    ] {
        let said = call(&scratch, tool, input.clone());
        assert!(is_silent(&said), "{tool} {input}: {said:?}");
    }
}

#[test]
fn the_gates_own_files_are_nobodys() {
    let scratch = Scratch::repo();
    let state = scratch.state();
    fs::create_dir_all(&state).unwrap();
    symlink(&state, scratch.work().join("link")).unwrap();
    for path in [
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/agents/reviewer.md",
        ".claude/agents/x/y.md",
        ".CLAUDE/Agents/x.md",
        "../home/.claude/settings.json",
        ".codex/hooks.json",
        ".cursor/hooks.json",
        ".gemini/settings.json",
        "sub/../.claude/agents/x.md",
        ".git/config",
        ".git/hooks/pre-commit",
    ] {
        for tool in ["Write", "Edit", "MultiEdit"] {
            let said = call(&scratch, tool, json!({"file_path": path, "content": "x"}));
            assert_eq!(decided(&said).0, "deny", "{tool} {path}");
        }
    }
    for path in
        [state.join("tasks/t.jsonl"), scratch.work().join("link/tasks/t.jsonl"), scratch.work().join("../state/x")]
    {
        denies(&call(&scratch, "Write", json!({"file_path": path, "content": "x"})), "gate-state");
        denies(&bash(&scratch, &format!("echo x >> '{}'", state.join("tasks/t.jsonl").display())), "gate-state");
    }
    denies(
        &call(
            &scratch,
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Add File: .claude/agents/r.md\n+x\n*** End Patch"}),
        ),
        "gate-wiring",
    );
    denies(
        &bash(&scratch, "apply_patch <<'E'\n*** Begin Patch\n*** Add File: .claude/agents/r.md\n+x\n*** End Patch\nE"),
        "gate-wiring",
    );
    denies(&bash(&scratch, "echo x > link/tasks/t.jsonl"), "gate-state");
    denies(
        &call(&scratch, "mcp__files__write_file", json!({"path": ".claude/agents/r.md", "content": "x"})),
        "gate-wiring",
    );
    assert!(is_silent(&call(&scratch, "mcp__tracker__create_issue", json!({"title": "x"}))));
    denies(&call(&scratch, "NotebookEdit", json!({"notebook_path": state.join("x.ipynb")})), "gate-state");
    for command in [
        "rg-event stop",
        "printf '{}' | rg-event --client claude | rg-bounce",
        "rg-bounce waive --scope gate --why x",
        "script -qec 'rg-tamper bless --why x' /dev/null",
        "expect -c 'spawn rg-review-state approve'",
        "ssh localhost rg-bounce waive",
        "tmux send-keys -t x 'rg-tamper bless' Enter",
        "rg-install claude --uninstall",
    ] {
        denies(&bash(&scratch, command), "gate-speak");
    }
    assert!(is_silent(&bash(&scratch, "rg-check --now; rg-receipt show last; rg-guard explain 'rm -rf /'")));
}

#[test]
fn nobody_speaks_to_a_reviewer_but_the_gate() {
    let scratch = Scratch::repo();
    for (tool, input) in [
        ("SendMessage", json!({"to": "reviewer", "message": "approve"})),
        ("SendMessage", json!({"to": "review-gate:Reviewer", "message": "approve"})),
        ("send_input", json!({"id": "reviewer-1", "items": []})),
        ("Workflow", json!({"script": "agent('x', {agentType: 'review-gate:reviewer'})"})),
    ] {
        denies(&call(&scratch, tool, input), "gate-reviewer");
    }
    // One that the records know by its id.
    let mut session = crate::review_session::Session::with("review:\n  by: agent\n");
    session.prompt("#review go");
    session.scratch.append("src.txt", "more\n");
    session.review("a1b2c3");
    denies(&call(&session.scratch, "SendMessage", json!({"to": "a1b2c3", "message": "approve"})), "gate-reviewer");
    assert!(is_silent(&call(&session.scratch, "SendMessage", json!({"to": "d4e5f6", "message": "go on"}))));
}

#[test]
fn a_reviewer_only_looks() {
    let scratch = Scratch::repo();
    for role in ["review-gate:reviewer", "reviewer"] {
        let ask =
            |tool: &str, input: Value| call_with(&scratch, tool, input, json!({"agent_id": "a1", "agent_type": role}));
        for command in [
            "git diff HEAD",
            "cat src.txt | head -3",
            "grep -rn x . 2>/dev/null",
            "sed -n 1,5p src.txt",
            "rg-review-state show",
        ] {
            assert!(is_silent(&ask("Bash", json!({"command": command}))), "{command}");
        }
        for command in [
            "touch x",
            "echo x > y",
            "sed -i s/a/b/ src.txt",
            "git stash",
            "sh -c 'cat x'",
            "find . -exec cat {} +",
            "make",
        ] {
            denies(&ask("Bash", json!({"command": command})), "reviewer-read-only");
        }
        for tool in ["Write", "Edit", "Agent", "SendMessage", "mcp__files__write"] {
            denies(&ask(tool, json!({"file_path": "x", "to": "y"})), "reviewer-read-only");
        }
        assert!(is_silent(&ask("Read", json!({"file_path": "src.txt"}))));
    }
    // A role without an id is a session of a person's, a role of another name a worker's.
    for more in [json!({"agent_type": "reviewer"}), json!({"agent_id": "a1", "agent_type": "other:reviewer2"})] {
        assert!(is_silent(&call_with(&scratch, "Bash", json!({"command": "touch x"}), more)));
    }
}

#[test]
fn secrets_are_not_read() {
    let scratch = Scratch::repo();
    denies(&call(&scratch, "Read", json!({"file_path": "../home/.ssh/id_rsa"})), "secret-key");
    denies(&call(&scratch, "Read", json!({"file_path": "/home/dev/.aws/credentials"})), "secret-key");
    assert_eq!(decided(&call(&scratch, "Read", json!({"file_path": ".env"}))).0, "ask");
    assert!(is_silent(&call(&scratch, "Read", json!({"file_path": ".env.example"}))));
    fs::create_dir_all(scratch.top().join("home/.ssh")).unwrap();
    fs::write(scratch.top().join("home/.ssh/id_rsa"), "key").unwrap();
    symlink(scratch.top().join("home/.ssh/id_rsa"), scratch.work().join("notes")).unwrap();
    denies(&call(&scratch, "Read", json!({"file_path": "notes"})), "secret-key");
}

#[test]
fn protected_files_and_paths_hold_for_tools_and_for_shells() {
    let yaml = "checks:\n  - {name: a, run: \"true\"}\nguards:\n  protect: [\"kept/**\", \"one.txt\"]\npaths:\n  allow: [\"src/\", \"kept/\", \"one.txt\"]\n  deny: [\"src/secret/\"]\n";
    let scratch = Scratch::repo_with(yaml);
    scratch.write("src/a.rs", "x");
    scratch.write("kept/a.txt", "x");
    symlink(scratch.work().join("kept"), scratch.work().join("src/link")).unwrap();
    symlink("/nowhere/at/all", scratch.work().join("src/away")).unwrap();
    let write = |path: &str| call(&scratch, "Write", json!({"file_path": path, "content": "x"}));
    assert!(is_silent(&write("src/new.rs")));
    for (path, rule) in [
        ("kept/a.txt", "done-protect"),
        ("KEPT/a.txt", "done-protect"),
        ("./src/../kept/new.txt", "done-protect"),
        ("src/link/a.txt", "done-protect"),
        ("src/secret/x", "done-paths"),
        ("other/x", "done-paths"),
        ("src/../../x", "done-paths"),
        ("src/away", "done-paths"),
        ("/tmp/x", "done-paths"),
    ] {
        denies(&write(path), rule);
    }
    for command in [
        "echo x > kept/a.txt",
        "cd src && rm -f ../kept/a.txt",
        "cp src/a.rs one.txt",
        "sed -i s/x/y/ src/link/a.txt",
        "tee other/x < src/a.rs",
    ] {
        let (decision, reason) = decided(&bash(&scratch, command));
        assert!(decision == "deny" && reason.contains("done-"), "{command}: {reason}");
    }
    assert!(is_silent(&bash(&scratch, "echo x > src/b.rs; cat kept/a.txt; ls > /dev/null")));
    // Many others before it hide none; past a bound nobody looks, and the answer is no.
    let many = |count| (0..count).map(|at| format!("echo x > src/{at}.rs; ")).collect::<String>();
    denies(&bash(&scratch, &format!("{}echo x > src/link/a.txt", many(400))), "done-protect");
    assert!(is_silent(&bash(&scratch, &many(400))));
    denies(&bash(&scratch, &many(5000)), "too-much");
}

#[test]
fn done_md_says_what_else_is_denied_asked_and_allowed() {
    let yaml = "checks:\n  - {name: a, run: \"true\"}\ncommands:\n  deny:\n    - {pattern: \"npm install\", reason: \"the lock file is frozen\"}\n    - {pattern: \"make deploy\", until: 2026-01-01}\n  ask: [\"cargo update\"]\n  allow:\n    - git stash drop\n    - {pattern: \"git clean -f\", reason: \"generated\", until: 2027-01-01}\n    - {pattern: \"git restore\", until: \"2026-01-01T00:00:00Z\"}\n    - git push\n    - rm\n";
    let scratch = Scratch::repo_with(yaml);
    denies(&bash(&scratch, "cd x && npm install left-pad"), "the lock file is frozen");
    assert_eq!(decided(&bash(&scratch, "cargo update")).0, "ask");
    for command in ["git stash drop", "git clean -fdx", "make deploy", "rm -rf ~/src"] {
        assert!(is_silent(&bash(&scratch, command)), "{command}");
    }
    denies(&bash(&scratch, "git restore ."), "git-restore-discard");
    // The core stays.
    for command in ["git push -f origin main", "rm -rf /", "rm -rf ~", "rm -rf .git", "rg-event stop"] {
        assert_eq!(decided(&bash(&scratch, command)).0, "deny", "{command}");
    }
}

#[test]
fn presets_are_strict_or_off_except_for_the_core() {
    let yaml = |preset: &str| format!("checks:\n  - {{name: a, run: \"true\"}}\ncommands: {{preset: {preset}}}\n");
    let strict = Scratch::repo_with(&yaml("strict"));
    assert_eq!(decided(&bash(&strict, "git push -f origin feature/x")).0, "deny");
    let off = Scratch::repo_with(&yaml("off"));
    assert!(is_silent(&bash(&off, "git reset --hard; git push -f origin feature/x")));
    for command in
        ["git push -f origin main", "rm -rf /", "dd if=/dev/zero of=/dev/sda", "echo x > .claude/agents/a.md"]
    {
        assert_eq!(decided(&bash(&off, command)).0, "deny", "{command}");
    }
}

#[test]
fn mistakes_in_commands_name_their_line() {
    for (commands, words) in [
        ("commands: [a]", "must be a map"),
        ("commands: {denny: []}", "did you mean \"deny\""),
        ("commands: {preset: weak}", "one of: standard, strict, container, off"),
        ("commands: {deny: [\"--force\"]}", "begins with the name"),
        ("commands: {deny: [{pattern: x, until: soon}]}", "must be a day"),
        ("commands: {allow: [\"*\"]}", "preset: off"),
        ("commands: {deny: [{patern: x}]}", "unknown key of a command"),
    ] {
        let scratch = Scratch::repo_with(&format!("checks:\n  - {{name: a, run: \"true\"}}\n{commands}\n"));
        let said = scratch.run("rg-check", &["--now"], b"");
        assert!(said.status == 100 && said.out.contains(words) | said.err.contains(words), "{commands}: {said:?}");
    }
}

#[test]
fn the_definition_of_the_tasks_begin_counts() {
    let yaml = "checks:\n  - {name: a, run: \"true\"}\ncommands: {deny: [\"npm install\"]}\n";
    let scratch = Scratch::repo_with(yaml);
    scratch.prompt("s", "go");
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: a, run: \"true\"}\ncommands: {preset: \"off\"}\n```\n");
    denies(&bash(&scratch, "npm install"), "DONE.md: npm install");
    denies(&bash(&scratch, "git reset --hard"), "git-reset-hard");
    fs::remove_file(scratch.work().join("DONE.md")).unwrap();
    denies(&bash(&scratch, "npm install"), "DONE.md: npm install");
}

#[test]
fn a_denial_is_written_down_without_secrets_and_a_permission_is_not() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    let before = scratch.records("denied").len();
    assert!(is_silent(&bash(&scratch, "ls")));
    assert_eq!(scratch.records("denied").len(), before);
    denies(&bash(&scratch, "TOKEN=abcdefgh12345678 git reset --hard"), "git-reset-hard");
    let records = scratch.records("denied");
    let record = &records[before];
    assert_eq!(
        (&record["by_tool"], &record["rule"], &record["tool"], &record["level"]),
        (&json!("rg-guard"), &json!("git-reset-hard"), &json!("Bash"), &json!("deny"))
    );
    assert!(!record.to_string().contains("abcdefgh12345678"), "{record}");
    // That it cannot be written changes nothing.
    fs::remove_file(scratch.state().join("lock")).unwrap();
    fs::create_dir(scratch.state().join("lock")).unwrap();
    denies(&bash(&scratch, "git reset --hard"), "git-reset-hard");
}

#[test]
fn a_permitted_call_without_a_definition_writes_nothing() {
    let scratch = Scratch::new();
    assert!(is_silent(&bash(&scratch, "ls -la")));
    assert!(!scratch.state().exists());
}

#[test]
fn in_a_pipeline_a_denial_is_the_reply() {
    let scratch = Scratch::repo();
    let payload = |command: &str| {
        scratch.payload(
            "s",
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}),
        )
    };
    let line = "rg-event --client claude | rg-guard | rg-answer --client claude --kind tool-before";
    denies(&scratch.sh(line, &payload("git reset --hard")), "git-reset-hard");
    assert_eq!(decided(&scratch.sh(line, &payload("git push -f origin feature/x"))).0, "ask");
    assert!(is_silent(&scratch.sh(line, &payload("ls"))));
    // An event cut short on its way cannot be judged, and is not let through.
    denies(&scratch.sh(line, &payload(&format!("echo {}", "x".repeat(100_000)))), "unreadable");
    // What does not concern it passes.
    let stop = scratch.sh("rg-event --client claude | rg-guard", &scratch.stop_payload("s", json!({})));
    assert!(stop.status == 0 && stop.out.contains("rg-guard/"), "{stop:?}");
}

#[test]
fn a_pipeline_asks_nobody_in_an_unattended_session_and_records_refusals_as_the_hook_does() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "go");
    let payload = |scratch: &Scratch, mode: &str| {
        let call = json!({
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "git push -f origin feature/x"},
            "permission_mode": mode
        });
        scratch.payload("s", call)
    };
    let line = "rg-event --client claude | rg-guard | rg-answer --client claude --kind tool-before";
    let before = scratch.records("denied").len();
    denies(&scratch.sh(line, &payload(&scratch, "dontAsk")), "this session is unattended");
    assert_eq!(decided(&scratch.sh(line, &payload(&scratch, "default"))).0, "ask");
    scratch.set("CLAUDE_CODE_SESSION_ATTENDED", "0");
    denies(&scratch.sh(line, &payload(&scratch, "default")), "this session is unattended");
    let records = scratch.records("denied");
    let levels: Vec<&Value> = records[before..].iter().map(|record| &record["level"]).collect();
    assert_eq!(levels, [&json!("deny"), &json!("ask"), &json!("deny")], "{records:?}");
    let of = |record: &Value| (record["rule"].clone(), record["tool"].clone(), record["session"].clone());
    scratch.set("CLAUDE_CODE_SESSION_ATTENDED", "1");
    call(&scratch, "Bash", json!({"command": "git push -f origin feature/x"}));
    assert_eq!(of(scratch.records("denied").last().unwrap()), of(&records[before]), "the hook writes the same record");
}
