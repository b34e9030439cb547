//! rg-run with the real Claude Code, Codex and Gemini CLI as the agent and as the reviewer, each with a scripted model (tests/clients).

use crate::clients::{VERSIONS, client};
use crate::other_clients::program;
use crate::run::steps;
use crate::scratch::{Scratch, bin_dir};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The clients that are installed.
fn installed() -> Vec<(&'static str, PathBuf)> {
    let all = [
        ("claude", client(VERSIONS[0])),
        ("claude", client(VERSIONS[1])),
        ("codex", program("codex")),
        ("gemini", program("gemini")),
    ];
    all.into_iter().filter_map(|(name, bin)| Some((name, bin?))).collect()
}

/// The tool call by which a client's model writes src.txt.
fn write(name: &str, root: &Path, text: &str) -> Value {
    let path = root.join("src.txt");
    match name {
        "claude" => json!({"name": "Write", "input": {"file_path": path, "content": format!("{text}\n")}}),
        "codex" => json!({"name": "exec_command", "input": {"cmd": format!("echo {text} >src.txt")}}),
        _ => json!({"name": "write_file", "input": {"file_path": path, "content": format!("{text}\n")}}),
    }
}

/// What the model says: as the reviewer it approves; as the agent it gives these replies.
fn actors(replies: &[Value]) -> Value {
    let decision = "{\"decision\": \"approve\", \"request\": \"{{SEEN:# Review request (\\w+)}}\", \"nonce\": \"{{SEEN:\"nonce\": \"(\\w+)\"}}\", \"summary\": \"Yes.\", \"reviewed\": [\"src.txt\"]}";
    json!([
        {"id": "reviewer", "when": {"any_user": "# Review request", "tools": true}, "then": {"text": decision}},
        {"id": "main", "when": {"any_user": "# Goal", "tools": true}, "replies": replies},
    ])
}

/// Runs rg-run beside a client whose model is scripted; the harness's account.
fn play(scratch: &Scratch, (name, bin): (&str, &Path), actors: &Value, options: &[&str]) -> Value {
    let file = scratch.top().join("actors.json");
    fs::write(&file, actors.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/run-ask");
    let mut command = Command::new("python3");
    command.env("PYTHONDONTWRITEBYTECODE", "1").arg(script).args(["--client", name, "--bin"]).arg(bin);
    command.arg("--actors").arg(file).arg("--dir").arg(scratch.work()).arg("--").arg("env");
    // The clients need the true time.
    let ours = scratch.env.iter().filter(|(name, _)| name.starts_with("RG_") && *name != "RG_NOW");
    command.args(ours.map(|(name, value)| format!("{name}={value}")));
    command.arg(bin_dir().join("rg-run")).args(["--builder", name]).args(options).arg("fix src.txt");
    let out = command.output().unwrap();
    serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|e| panic!("{name}: {e}: {}", String::from_utf8_lossy(&out.stderr)))
}

#[test]
fn each_client_works_is_sent_back_reviewed_and_done() {
    for (name, bin) in installed() {
        let scratch = Scratch::repo();
        let root = scratch.work();
        // Claude Code reads a file before it writes it again.
        let read = json!({"tools": [{"name": "Read", "input": {"file_path": root.join("src.txt")}}]});
        let mut replies = vec![json!({"tools": [write(name, &root, "try")]}), json!({"text": "First."})];
        replies.extend((name == "claude").then_some(read.clone()));
        replies.extend([json!({"tools": [write(name, &root, "fixed")]}), json!({"text": "Fixed."})]);
        if name == "claude" {
            replies.insert(0, read);
        }
        let said = play(&scratch, (name, &bin), &actors(&replies), &["--reviewer", name, "--rounds", "4"]);
        assert_eq!(
            (said["status"].as_i64(), scratch.words()),
            (Some(0), vec!["not-done".into(), "done".into()]),
            "{name}: {said}"
        );
        assert_eq!(scratch.receipt()["review"]["trust"], "gate", "{name}: {said}");
        let turns = steps(&scratch, "turn");
        assert!(turns.iter().all(|turn| turn["tokens"].as_u64().is_some_and(|n| n > 0)), "{name}: {turns:?}");
        // The reviewer's usage, too.
        let judged = steps(&scratch, "judged").pop().unwrap();
        let models = &judged["models"];
        assert!(models["calls"] == 1 && models["tokens"].as_u64().is_some_and(|n| n > 0), "{name}: {judged}");
        assert_eq!(models["cost"].is_number(), name == "claude", "{name}: {judged}");
        // Only Claude Code reports a cost; what is not reported is unknown.
        assert!(turns.iter().all(|turn| turn["cost"].is_number() == (name == "claude")), "{name}: {turns:?}");
        assert!(
            said["sent"].to_string().contains("src.txt:1: not fixed"),
            "{name}: the reason reached the model: {said}"
        );
    }
}

#[test]
fn each_client_answers_with_a_patch_and_may_only_read() {
    for (name, bin) in installed() {
        let scratch = Scratch::repo();
        let root = scratch.work();
        let patch = "--- a/src.txt\n+++ b/src.txt\n@@ -1 +1 @@\n-broken\n+fixed\n";
        let reply = json!({"plan": "src.txt: say fixed", "patch": patch}).to_string();
        // It first tries to write the file itself.
        let replies = [
            json!({"tools": [write(name, &root, "sneaked")]}),
            json!({"text": format!("Here:\n```json\n{reply}\n```")}),
        ];
        let said = play(&scratch, (name, &bin), &actors(&replies), &["--patch", "--rounds", "2"]);
        assert_eq!((said["status"].as_i64(), scratch.words()), (Some(0), vec!["done".into()]), "{name}: {said}");
        assert_eq!(scratch.ok("cat src.txt").out, "fixed\n", "{name}: {said}");
    }
}
