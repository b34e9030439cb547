//! rg-install for Codex, Gemini CLI and Cursor: each gets its own names, units and form, and the wired hooks work.

use crate::dialects::{call, reason};
use crate::scratch::{Said, Scratch, bin_dir};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// The settings file of each client, and its events of a prompt, of a tool call before it runs, and of a stop.
const CLIENTS: [(&str, &str, [&str; 3]); 4] = [
    ("claude", ".claude/settings.json", ["UserPromptSubmit", "PreToolUse", "Stop"]),
    ("codex", ".codex/hooks.json", ["UserPromptSubmit", "PreToolUse", "Stop"]),
    ("gemini", ".gemini/settings.json", ["BeforeAgent", "BeforeTool", "AfterAgent"]),
    ("cursor", ".cursor/hooks.json", ["beforeSubmitPrompt", "beforeShellExecution", "stop"]),
];

fn install(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-install", args, b"")
}

fn settings(scratch: &Scratch, file: &str) -> Value {
    let text = fs::read_to_string(scratch.work().join(file)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// The first hook of an event.
fn hook<'a>(wired: &'a Value, client: &str, event: &str) -> &'a Value {
    let first = &wired["hooks"][event][0];
    if client == "cursor" { first } else { &first["hooks"][0] }
}

#[test]
fn each_client_gets_its_own_events_units_and_form() {
    for (client, file, [_, tool, stop]) in CLIENTS {
        let scratch = Scratch::repo();
        let said = install(&scratch, &[client]);
        assert_eq!(said.status, 0, "{client}: {said:?}");
        assert!(said.out.contains(stop) && said.out.contains(file), "{client}: {said:?}");
        let wired = settings(&scratch, file);
        let line = hook(&wired, client, stop)["command"].as_str().unwrap();
        let place = format!("'{}'/rg-event --client {client} ", bin_dir().display());
        assert!(line.starts_with(&place), "{client}: {line}");
        let others = ["claude", "codex", "gemini", "cursor"].into_iter().filter(|other| *other != client);
        assert!(others.into_iter().all(|other| !line.contains(&format!("--client {other}"))), "{client}: {line}");
        let unit = if client == "gemini" { 1000 } else { 1 };
        assert_eq!(hook(&wired, client, stop)["timeout"], 3600 * unit, "{client}");
        let guard = hook(&wired, client, tool);
        let command = guard["command"].as_str().unwrap();
        match client {
            "claude" => assert_eq!(guard["args"], json!(["--hook", "--client", "claude"])),
            _ => assert!(command.ends_with(&format!("rg-guard --hook --client {client}")), "{client}: {command}"),
        }
        // A field that another client knows may void the whole file.
        let text = wired.to_string();
        for (field, of) in
            [("onFailure", "claude"), ("failClosed", "cursor"), ("loop_limit", "cursor"), ("\"version\"", "cursor")]
        {
            assert_eq!(text.contains(field), client == of, "{client}: {field}");
        }
    }
}

#[test]
fn the_wired_lines_of_each_client_work() {
    for (client, file, [prompt, tool, stop]) in CLIENTS.into_iter().skip(1) {
        let scratch = Scratch::repo();
        install(&scratch, &[client]);
        scratch.ok("git add -A && git commit -qm wired");
        let wired = settings(&scratch, file);
        let line = |event: &str| hook(&wired, client, event)["command"].as_str().unwrap().to_string();
        scratch.sh(&line(prompt), &call(client, "prompt", &scratch, json!({"prompt": "go"})));
        scratch.append("src.txt", "x\n");
        let said = scratch.sh(&line(stop), &call(client, "stop", &scratch, json!({})));
        assert!(reason(client, &said).contains("src.txt:1: not fixed"), "{client}: {said:?}");
        let command = json!({"command": "rm -rf ~", "tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}});
        let said = scratch.sh(&line(tool), &call(client, "tool-before", &scratch, command));
        assert!(said.out.contains("deny"), "{client}: {said:?}");
    }
}

#[test]
fn what_a_client_cannot_do_and_what_the_user_has_to_do_is_said_once() {
    for (client, said_of) in [
        ("codex", ["/hooks", "cannot ask", "review.command"]),
        ("gemini", ["trust this folder", "subagents", "review.command"]),
        ("cursor", ["trusted workspace", "no version was tested", "review.command"]),
    ] {
        let scratch = Scratch::repo();
        let said = install(&scratch, &[client]).out;
        let unseen = match client {
            "codex" => "failed tool calls",
            "gemini" => "failed tool calls, subagents",
            _ => "",
        };
        assert_eq!(said.contains(&format!("\nnot watched: {unseen}\n")), !unseen.is_empty(), "{client}: {said}");
        assert!(
            said.contains("\nwatched: your prompts, tool calls, ") && said.contains(", stops\n"),
            "{client}: {said}"
        );
        assert!(said_of.iter().all(|part| said.contains(part)), "{client}: {said}");
        let again = install(&scratch, &[client]).out;
        assert!(again.starts_with("already wired: ") && again.lines().count() == 1, "{client}: {again}");
    }
}

#[test]
fn all_are_the_clients_that_are_used_here() {
    let mut scratch = Scratch::repo();
    scratch.set("PATH", "/usr/bin:/bin");
    let none = install(&scratch, &["all"]);
    assert!(none.status == 100 && none.err.contains("no client found"), "{none:?}");
    fs::create_dir_all(scratch.top().join("home/.gemini")).unwrap();
    fs::create_dir_all(scratch.work().join(".cursor")).unwrap();
    let said = install(&scratch, &["all"]);
    let files: Vec<PathBuf> =
        CLIENTS.iter().map(|(_, file, _)| scratch.work().join(file)).filter(|path| path.exists()).collect();
    assert_eq!(
        files,
        [scratch.work().join(".gemini/settings.json"), scratch.work().join(".cursor/hooks.json")],
        "{said:?}"
    );
    let said = install(&scratch, &["all", "--uninstall"]);
    assert_eq!(said.out.matches("removed the hooks from ").count(), 2, "{said:?}");
    assert_eq!(said.out.lines().count(), 2, "a client that is not used here has nothing to remove: {said:?}");
    let again = install(&scratch, &["all", "--uninstall"]);
    assert!(again.status == 0 && again.out.starts_with("no client has settings in "), "{again:?}");
    assert!(files.iter().all(|path| !path.exists()));
}

#[test]
fn the_users_settings_are_where_the_client_reads_them() {
    let mut scratch = Scratch::repo();
    scratch.set("CODEX_HOME", scratch.top().join("codex").to_str().unwrap());
    for (client, path) in
        [("codex", "codex/hooks.json"), ("gemini", "home/.gemini/settings.json"), ("cursor", "home/.cursor/hooks.json")]
    {
        assert_eq!(install(&scratch, &[client, "--global"]).status, 0);
        assert!(scratch.top().join(path).exists(), "{client}");
        install(&scratch, &[client, "--global", "--uninstall"]);
        assert!(!scratch.top().join(path).exists(), "{client}");
    }
}

/// JSON with comments in several layouts.
fn layout(value: &Value, style: u8) -> String {
    let text = match style % 3 {
        0 => value.to_string(),
        1 => serde_json::to_string_pretty(value).unwrap() + "\n",
        _ => serde_json::to_string_pretty(value).unwrap().replace("  ", "\t").replace('\n', "\r\n"),
    };
    if style < 3 { text } else { format!("// mine {style}\n{text} /* end */") }
}

fn any_settings() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"/* ]{0,6}".prop_map(Value::from)
    ];
    let group = "[a-z ]{1,6}".prop_map(|command| json!({"hooks": [{"type": "command", "command": command}]}));
    let event = prop_oneof![Just("Stop"), Just("AfterAgent"), Just("stop"), Just("Other")];
    let hooks = proptest::collection::btree_map(event, proptest::collection::vec(group, 0..3), 0..3);
    let members = proptest::collection::btree_map("[a-z]{1,4}", leaf, 0..4);
    (members, proptest::option::of(hooks)).prop_map(|(members, hooks)| {
        let mut all = json!(members);
        if let Some(hooks) = hooks {
            all["hooks"] = json!(hooks);
        }
        all
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Whatever stood there: the values and comments of others stay, twice is once, and uninstalling restores every byte.
    #[test]
    fn install_and_uninstall_restore_every_byte(value in any_settings(), style in 0u8..6, at in 0usize..4) {
        let (client, file, _) = CLIENTS[at];
        let scratch = Scratch::new();
        let before = layout(&value, style);
        scratch.write(file, &before);
        let said = install(&scratch, &[client]);
        prop_assert_eq!(said.status, 0, "{}: {:?}", before, said);
        let text = fs::read_to_string(scratch.work().join(file)).unwrap();
        prop_assert_eq!(before.matches("mine").count(), text.matches("mine").count());
        install(&scratch, &[client]);
        prop_assert_eq!(&fs::read_to_string(scratch.work().join(file)).unwrap(), &text);
        // A later change of the user stays, and only the hooks go.
        scratch.write(file, &format!("{text} "));
        install(&scratch, &[client, "--uninstall"]);
        let left = fs::read_to_string(scratch.work().join(file)).unwrap();
        prop_assert!(!left.contains("rg-event") && !left.contains("rg-guard"), "{}", left);
        scratch.write(file, &text);
        install(&scratch, &[client, "--uninstall"]);
        prop_assert_eq!(fs::read_to_string(scratch.work().join(file)).unwrap(), before);
    }
}
