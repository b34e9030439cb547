//! What decides which hooks run: a change is told after the tool call that made it, and hooks of skills are pinned like settings.

use crate::scratch::{Said, Scratch, lines_of};
use serde_json::json;

/// The PostToolUse line of hooks.json.
fn tool_call(scratch: &Scratch) -> Said {
    let call = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": {}});
    scratch.run("rg-trace", &["--hook", "--client", "claude"], &scratch.payload("s", call))
}

fn session() -> Scratch {
    let scratch = Scratch::repo();
    scratch.prompt("s", "fix it");
    assert_eq!(tool_call(&scratch).out, "");
    scratch
}

/// Waits until the files that are written next are newer than the trace on every file system.
fn pause() {
    std::thread::sleep(std::time::Duration::from_millis(20));
}

const OFF: &str = "{\"disableAllHooks\": true}";
const SKILL: &str = "---\nname: a\nhooks:\n  Stop:\n  - hooks: [{type: command, command: x}]\n---\nText.\n";

#[test]
fn a_tool_call_after_which_other_hooks_run_is_told_to_the_user_and_the_agent() {
    let scratch = session();
    pause();
    scratch.ok("mkdir -p t && echo '{\"disableAllHooks\": true}' > t/settings.local.json && mv t .claude");
    let said = tool_call(&scratch);
    let text = "review-gate: which hooks run was changed during this task: .claude/settings.local.json (added)";
    assert_eq!(said.told(), text);
    let context = &said.json()["hookSpecificOutput"];
    assert_eq!(context["hookEventName"], "PostToolUse");
    assert!(context["additionalContext"].as_str().unwrap().starts_with(&format!("{text}. Undo this change now")));
    let traced = lines_of(&scratch.state().join("trace/s.jsonl"));
    assert_eq!(traced.last().unwrap()["tell"], json!([text]), "the trace shows it, too");
}

#[test]
fn each_way_to_put_settings_there_is_told() {
    let outside = "mkdir -p \"$HOME\"/t/skills/a && cd \"$HOME\"/t && echo '{\"hooks\": {}}' > settings.json";
    for way in [
        "ln -s \"$HOME\"/t .claude",
        "cp -r \"$HOME\"/t .claude",
        "mkdir .claude && ln -s \"$HOME\"/t/settings.json .claude/settings.json",
        "mkdir -p .claude && touch -r DONE.md \"$HOME\"/t/settings.json && mv \"$HOME\"/t/settings.json .claude/",
        "cp \"$HOME\"/t/settings.json \"$HOME\"/.claude/",
    ] {
        let scratch = Scratch::repo();
        scratch.ok("mkdir -p \"$HOME\"/.claude");
        scratch.ok(outside);
        scratch.prompt("s", "fix it");
        tool_call(&scratch);
        pause();
        scratch.ok(way);
        let told = tool_call(&scratch).told();
        assert!(told.contains(".claude/settings.json (added)"), "{way}: {told}");
        assert!(!told.contains('\n'));
    }
}

#[test]
fn settings_that_the_environment_moves_are_told_too() {
    for (variable, file, text, shown) in [
        ("CODEX_HOME", "hooks.json", "{\"hooks\": {}}", "/moved/hooks.json (changed)"),
        ("CODEX_HOME", "config.toml", "[features]\nhooks = false\n", "/moved/config.toml (added)"),
        ("GEMINI_CLI_HOME", ".gemini/settings.json", OFF, "/moved/.gemini/settings.json (added)"),
    ] {
        let mut scratch = Scratch::repo();
        scratch
            .ok("mkdir -p \"$HOME\"/moved/.gemini && echo '{\"hooks\": {\"Stop\": []}}' > \"$HOME\"/moved/hooks.json");
        let moved = scratch.top().join("home/moved");
        scratch.set(variable, &moved.display().to_string());
        scratch.prompt("s", "fix it");
        tool_call(&scratch);
        pause();
        std::fs::write(moved.join(file), text).unwrap();
        let told = tool_call(&scratch).told();
        assert!(told.contains(shown), "{variable}: {told}");
    }
}

#[test]
fn what_codex_writes_into_its_own_file_is_not_told() {
    let scratch = Scratch::repo();
    scratch.ok("mkdir -p \"$HOME\"/.codex && echo 'model = \"x\"' > \"$HOME\"/.codex/config.toml");
    scratch.prompt("s", "fix it");
    tool_call(&scratch);
    pause();
    scratch.ok("printf '[projects.\"/a\"]\\ntrust_level = \"trusted\"\\n' >> \"$HOME\"/.codex/config.toml");
    assert_eq!(tool_call(&scratch).out, "");
    pause();
    scratch.ok("printf '[features]\\nhooks = false\\n' >> \"$HOME\"/.codex/config.toml");
    assert!(tool_call(&scratch).told().contains("~/.codex/config.toml (added)"));
}

#[test]
fn what_decides_nothing_and_what_was_there_before_is_not_told() {
    let scratch = Scratch::repo();
    scratch.write(".claude/settings.json", OFF);
    scratch.write(".claude/skills/a/SKILL.md", SKILL);
    scratch.prompt("s", "fix it");
    tool_call(&scratch);
    pause();
    scratch.write(".claude/settings.local.json", "{\"permissions\": {\"allow\": [\"Bash(ls)\"]}}");
    scratch.write(".claude/settings.json", OFF);
    scratch.write(".claude/skills/a/SKILL.md", &SKILL.replace("Text.", "More text."));
    scratch.write(".claude/skills/b/SKILL.md", "---\nname: b\ndescription: about hooks\n---\nhooks: none\n");
    assert_eq!(tool_call(&scratch).out, "");
    assert_eq!(tool_call(&scratch).out, "");
}

#[test]
fn without_a_definition_of_done_nothing_is_told() {
    let scratch = Scratch::new();
    scratch.ok("git init -q && git commit -q --allow-empty -m x");
    scratch.prompt("s", "fix it");
    pause();
    scratch.write(".claude/settings.json", OFF);
    assert_eq!(tool_call(&scratch).out, "");
}

#[test]
fn hooks_in_the_frontmatter_of_a_skill_an_agent_or_a_command_are_tampering() {
    for path in [".claude/skills/a/SKILL.md", ".claude/agents/deep/b.md", ".claude/commands/c.md"] {
        let scratch = session();
        scratch.write("src.txt", "fixed\n");
        scratch.write(path, SKILL);
        let reason = scratch.stop("s").reason();
        assert!(reason.contains(&format!("{path}: tampered: added: it decides which hooks run")), "{reason}");
    }
}

#[test]
fn hooks_in_the_frontmatter_of_the_users_own_skills_are_tampering() {
    let scratch = session();
    scratch.ok("mkdir -p \"$HOME\"/.claude/skills/a");
    std::fs::write(scratch.top().join("home/.claude/skills/a/SKILL.md"), SKILL).unwrap();
    assert!(tool_call(&scratch).told().contains("~/.claude/skills/a/SKILL.md (added)"));
    let reason = scratch.stop("s").reason();
    assert!(reason.contains("~/.claude/skills/a/SKILL.md: tampered: added: it decides which hooks run"), "{reason}");
}

#[test]
fn a_skill_without_hooks_and_hooks_that_stay_are_no_findings() {
    let scratch = Scratch::repo();
    scratch.write(".claude/skills/a/SKILL.md", SKILL);
    scratch.prompt("s", "fix it");
    scratch.write("src.txt", "fixed\n");
    scratch.write(".claude/skills/a/SKILL.md", &SKILL.replace("name: a", "name: a\ndescription: better"));
    scratch.write(".claude/skills/b/SKILL.md", "---\nname: b\n---\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn with_a_commit_as_the_base_only_the_hooks_of_a_frontmatter_count() {
    let scratch = Scratch::repo();
    scratch.write(".claude/agents/a.md", "---\nname: a\n---\nText.\n");
    let line = "git add -A && git commit -qm more && rg-tamper --now --against HEAD~1";
    assert_eq!(scratch.sh(line, b"").status, 0);
    scratch.write(".claude/agents/a.md", SKILL);
    let said = scratch.sh(line, b"");
    assert!(
        said.status == 3 && said.out.contains(".claude/agents/a.md: tampered: edited: it decides which hooks run"),
        "{said:?}"
    );
}
