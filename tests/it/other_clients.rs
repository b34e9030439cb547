//! The real Codex and Gemini CLI with a scripted model (tests/clients), wired by rg-install.

use crate::scratch::{bin_dir, lines_of, skipped};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of a client, if it is installed.
pub fn program(client: &str) -> Option<PathBuf> {
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

/// What came of a scenario: the report, the outcomes of the receipts, and what the user was told.
struct Played {
    report: Value,
    outcomes: Vec<String>,
    notices: Vec<String>,
}

/// Plays a scenario with the hooks that rg-install writes.
fn play(client: &str, program: &Path, scenario: &Value) -> Played {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let dir = tempfile::tempdir().unwrap();
    let (project, run) = (dir.path().join("project"), dir.path().join("run"));
    fs::create_dir(&project).unwrap();
    let text = scenario.to_string().replace("{{TOP}}", dir.path().to_str().unwrap());
    fs::write(dir.path().join("scenario.json"), text).unwrap();
    fs::write(dir.path().join("reviewer"), REVIEWER).unwrap();
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
        .arg(dir.path().join("scenario.json"))
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
    assert_eq!(report["failures"], json!([]), "{client}: {:#}", report["requests"]);
    let notices = lines_of(&run.join("state/notices.jsonl"));
    let notices = notices.iter().filter_map(|notice| notice["text"].as_str().map(str::to_string)).collect();
    Played { outcomes: of("receipt", "outcome"), notices, report }
}

/// A scenario of the checkout.
fn scenario(client: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/clients/scenarios/{client}-sent-back.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The same with another definition of done, and a model that runs these commands, each followed by a stop.
fn scenario_with(client: &str, definition: &str, commands: &[&str], saw: &[&str]) -> Value {
    let mut scenario = scenario(client);
    scenario["files"]["DONE.md"] = format!("# Done\n\n```yaml\n{definition}```\n").into();
    let call = |command: &str| match client {
        "codex" => json!({"name": "exec_command", "input": {"cmd": command}}),
        _ => json!({"name": "run_shell_command", "input": {"command": command, "description": "x"}}),
    };
    let turns = commands.iter().flat_map(|command| [json!({"tools": [call(command)]}), json!({"text": "I am done."})]);
    scenario["actors"][0]["replies"] = turns.collect();
    let saw = saw.iter().map(|text| json!({"actor": "main", "text": text}));
    scenario["expect"] = json!({"exit_code": 0, "model_saw": saw.collect::<Vec<_>>()});
    scenario
}

/// A reviewer that finds fault until the file says `twice`. An approval names the open issues that are resolved.
const REVIEWER: &str = r#"in=$(cat)
request=$(echo "$in" | sed -n 's/^# Review request //p')
nonce=$(echo "$in" | sed -n 's/.*"nonce": "\([0-9A-Z]*\)".*/\1/p')
key=$(echo "$in" | sed -n 's/^| \([^ ]*\) major src.txt: .*/\1/p' | head -n 1)
if grep -q twice src.txt; then
    printf '{"decision":"approve","request":"%s","nonce":"%s","summary":"good","reviewed":["src.txt","%s"]}' "$request" "$nonce" "$key"
else
    printf '{"decision":"issues","request":"%s","nonce":"%s","summary":"not yet","reviewed":["src.txt"],"issues":[{"severity":"major","path":"src.txt","description":"it is fixed only once"}]}' "$request" "$nonce"
fi
"#;

#[test]
fn codex_and_gemini_are_denied_sent_back_and_then_done() {
    for client in ["codex", "gemini"] {
        let Some(program) = program(client) else { continue };
        let played = play(client, &program, &scenario(client));
        assert_eq!(played.outcomes, ["not-done", "not-done", "done"], "{client}: {:#}", played.report["requests"]);
    }
}

#[test]
fn with_codex_and_gemini_a_spent_budget_ends_the_task_and_the_user_is_told() {
    let definition = "checks:\n  - {name: tests, run: sh test.sh}\ngate: {max_bounces: 1}\n";
    for client in ["codex", "gemini"] {
        let Some(program) = program(client) else { continue };
        let played = play(
            client,
            &program,
            &scenario_with(client, definition, &["echo a > src.txt", "echo b > src.txt"], &["bounce 1 of 1"]),
        );
        assert_eq!(played.outcomes, ["not-done", "abandoned"], "{client}: {:#}", played.report["requests"]);
        assert!(played.notices.iter().any(|text| text.contains("abandoned")), "{client}: {:?}", played.notices);
    }
}

#[test]
fn with_codex_and_gemini_a_reviewers_program_rejects_and_then_approves() {
    let definition = "checks:\n  - {name: tests, run: sh test.sh}\nreview: {when: always, by: command, command: \"sh {{TOP}}/reviewer\"}\n";
    for client in ["codex", "gemini"] {
        let Some(program) = program(client) else { continue };
        let commands = ["echo fixed > src.txt", "echo fixed twice > src.txt"];
        let played = play(client, &program, &scenario_with(client, definition, &commands, &["it is fixed only once"]));
        assert_eq!(played.outcomes, ["not-done", "done"], "{client}: {:#}", played.report["requests"]);
    }
}
