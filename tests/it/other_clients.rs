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

/// A client that ran a scenario: the directory that holds its home, its project and the records, and the report.
struct Ran {
    dir: tempfile::TempDir,
    report: Value,
}

impl Ran {
    fn at(&self, place: &str) -> PathBuf {
        self.dir.path().join("run").join(place)
    }

    /// The values of a field in the records of a kind.
    fn records(&self, kind: &str, field: &str) -> Vec<String> {
        let tasks = fs::read_dir(self.at("state/tasks")).into_iter().flatten().flatten();
        let records: Vec<Value> = tasks.flat_map(|task| lines_of(&task.path())).collect();
        let of_kind = records.iter().filter(|record| record["kind"] == kind);
        of_kind.filter_map(|record| record[field].as_str().map(str::to_string)).collect()
    }
}

/// Runs a client with the hooks that rg-install writes, after `edit`.
fn run_client(client: &str, program: &Path, scenario: &Value, edit: impl Fn(String) -> String) -> Ran {
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
    fs::write(&hooks, edit(fs::read_to_string(&hooks).unwrap())).unwrap();
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
    assert_eq!(report["failures"], json!([]), "{client}: {:#}", report["requests"]);
    Ran { dir, report }
}

/// Plays a scenario with the hooks that rg-install writes.
fn play(client: &str, program: &Path, scenario: &Value) -> Played {
    let ran = run_client(client, program, scenario, |hooks| hooks);
    // The reasons that Gemini submits as prompts are not the user's.
    let by = ran.records("prompt", "by");
    assert_eq!(by.iter().filter(|by| *by == "user").count(), 1, "{client}: {by:?}");
    assert_eq!(ran.records("begin", "client"), [client], "{client}");
    let notices = lines_of(&ran.at("state/notices.jsonl"));
    let notices = notices.iter().filter_map(|notice| notice["text"].as_str().map(str::to_string)).collect();
    Played { outcomes: ran.records("receipt", "outcome"), notices, report: ran.report }
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

#[test]
fn hooks_that_codex_does_not_trust_do_not_run_and_rg_doctor_finds_them() {
    let Some(program) = program("codex") else { return };
    let definition = "checks:\n  - {name: tests, run: 'true'}\n";
    for trust in ["bypass", "none"] {
        let mut scenario = scenario_with("codex", definition, &["echo a > src.txt"], &[]);
        scenario["hook_trust"] = trust.into();
        let ran = run_client("codex", &program, &scenario, |hooks| hooks);
        let want: &[&str] = if trust == "bypass" { &["done"] } else { &[] };
        assert_eq!(ran.records("receipt", "outcome"), want, "{trust}: {:#}", ran.report["requests"]);
        let said = Command::new(bin_dir().join("rg-doctor"))
            .args(["--json", "-C", ran.at("project").to_str().unwrap()])
            .env("HOME", ran.at("home"))
            .env("CODEX_HOME", ran.at("home/.codex"))
            .env("RG_STATE", ran.at("state"))
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&said.stdout).unwrap();
        let problems = report["problems"].as_array().unwrap();
        let found = problems.iter().find(|problem| problem["name"] == "untrusted");
        assert!(found.is_some_and(|found| found["mend"].as_str().unwrap().contains("/hooks")), "{trust}: {report}");
    }
}

/// In seconds the same numbers would be too short: then Gemini ends the turn without the answer of the hook.
#[test]
fn gemini_waits_for_a_check_because_its_timeouts_are_in_milliseconds() {
    let Some(program) = program("gemini") else { return };
    let definition = "checks:\n  - {name: tests, run: sleep 6 && sh test.sh}\n";
    let commands = ["echo a > src.txt", "echo fixed > src.txt"];
    for (divisor, is_done) in [(1, true), (1000, false)] {
        let mut scenario = scenario_with("gemini", definition, &commands, &["src.txt:1: not fixed"]);
        if !is_done {
            scenario["expect"] = json!({"exit_code": 0, "model_never_saw": ["src.txt:1: not fixed"]});
        }
        let ran = run_client("gemini", &program, &scenario, |hooks| {
            let mut hooks: Value = serde_json::from_str(&hooks).unwrap();
            divide_timeouts(&mut hooks, divisor);
            hooks.to_string()
        });
        let outcomes = ran.records("receipt", "outcome");
        assert_eq!(outcomes.iter().any(|outcome| outcome == "done"), is_done, "{divisor}: {outcomes:?}");
    }
}

fn divide_timeouts(value: &mut Value, divisor: u64) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_u64() {
                    Some(number) if name == "timeout" => *field = (number / divisor).into(),
                    _ => divide_timeouts(field, divisor),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| divide_timeouts(item, divisor)),
        _ => {}
    }
}

#[test]
fn after_a_compaction_codex_gets_the_restored_context() {
    let Some(program) = program("codex") else { return };
    let definition = "checks:\n  - {name: tests, run: sh test.sh}\n";
    let saw = ["this conversation was compacted during a task", "Goal: Make src.txt fixed."];
    let mut scenario = scenario_with("codex", definition, &["echo fixed > src.txt"], &saw);
    scenario["config_toml_top"] = "model_auto_compact_token_limit = 1000".into();
    scenario["actors"][0]["replies"][0]["usage"] = json!({"input_tokens": 5000, "total_tokens": 5010});
    let summary = json!({"id": "summary", "when": {"last_user": "CONTEXT CHECKPOINT COMPACTION"}, "replies": [{"text": "SUMMARY-TEXT"}]});
    scenario["actors"].as_array_mut().unwrap().insert(0, summary);
    let played = play("codex", &program, &scenario);
    assert_eq!(played.outcomes, ["done"], "{:#}", played.report["requests"]);
}
