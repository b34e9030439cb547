//! The real Codex and Gemini CLI with a scripted model (tests/clients), wired by rg-install.

use crate::scratch::{bin_dir, lines_of, skipped};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of a client, if it is installed.
fn program(client: &str) -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from)?;
    let clients = std::env::var_os("RG_CLIENTS").map_or_else(|| home.join(".cache/rg-clients"), PathBuf::from);
    let program = match client {
        "codex" => "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
        _ => ".bin/gemini",
    };
    let program = clients.join(client).join("node_modules").join(program);
    if !program.exists() {
        skipped(&format!("no {client}"));
    }
    program.exists().then_some(program)
}

/// Plays a scenario with the hooks that rg-install writes. Returns the report and the outcomes of the receipts.
fn play(client: &str, program: &Path) -> (Value, Vec<String>) {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let dir = tempfile::tempdir().unwrap();
    let (project, run) = (dir.path().join("project"), dir.path().join("run"));
    fs::create_dir(&project).unwrap();
    let wired = Command::new(bin_dir().join("rg-install"))
        .args(["-C", project.to_str().unwrap(), client])
        .env("XDG_STATE_HOME", dir.path().join("state"))
        .output()
        .unwrap();
    assert!(wired.status.success(), "{wired:?}");
    let name = if client == "gemini" { "settings.json" } else { "hooks.json" };
    let hooks = project.join(format!(".{client}")).join(name);
    let output = Command::new("python3")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(checkout.join("run-scenario"))
        .args(["--client", client, "--check", "--full", "--timeout", "120", "--bin"])
        .arg(program)
        .arg("--settings")
        .arg(&hooks)
        .arg("--scenario")
        .arg(checkout.join(format!("scenarios/{client}-sent-back.json")))
        .arg("--keep")
        .arg(&run)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&fs::read(run.join("report.json")).unwrap_or_default())
        .unwrap_or_else(|e| panic!("{client}: {e}: {}", String::from_utf8_lossy(&output.stderr)));
    let tasks = fs::read_dir(run.join("state/tasks")).into_iter().flatten().flatten();
    let records: Vec<Value> = tasks.flat_map(|task| lines_of(&task.path())).collect();
    let of = |kind: &str, field: &str| -> Vec<String> {
        let of_kind = records.iter().filter(|record| record["kind"] == kind);
        of_kind.filter_map(|record| record[field].as_str().map(str::to_string)).collect()
    };
    // The reasons that Gemini submits as prompts are not the user's.
    let by = of("prompt", "by");
    assert_eq!(by.iter().filter(|by| *by == "user").count(), 1, "{client}: {by:?}");
    assert_eq!(of("begin", "client"), [client], "{client}");
    (report, of("receipt", "outcome"))
}

#[test]
fn codex_and_gemini_are_denied_sent_back_and_then_done() {
    for client in ["codex", "gemini"] {
        let Some(program) = program(client) else { continue };
        let (report, outcomes) = play(client, &program);
        let brief = || serde_json::to_string_pretty(&report["requests"]).unwrap();
        assert_eq!(report["failures"], json!([]), "{client}: {}", brief());
        assert_eq!(outcomes, ["not-done", "not-done", "done"], "{client}: {}", brief());
    }
}
