//! The tasks of Visual Studio Code, with a problem matcher; every other task and comment stays.

use crate::settings::{self, Settings, damaged, input};
use crate::{Request, preview};
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode};
use review_gate::event::Client;
use review_gate::sys::error::{Error, Result};
use review_gate::tool::pipes;
use review_gate::wiring::{self, shell_quoted};
use serde_json::{Value, json};
use std::path::Path;

/// Where they are, relative to the top of the working tree.
const PATH: &str = ".vscode/tasks.json";

/// How the label of each own task begins.
const LABEL: &str = "review-gate: ";

/// The labels and the shell lines. `BIN` stands for the directory of the programs.
const TASKS: [(&str, &str); 4] = [
    ("judge the changes", "BIN/rg-event stop --against HEAD | BIN/rg-tamper | BIN/rg-check | BIN/rg-answer"),
    ("run the checks", "BIN/rg-check --now"),
    ("show the last receipt", "BIN/rg-receipt show"),
    ("show the last session", "BIN/rg-trace show"),
];

/// A finding in the text of rg-answer, as in `a.js:3: error: text [rule]`.
const WITH_LINE: &str = r"^(.+?):(\d+): (?:tampered|(error|warning)|note|inconclusive): (.+) \[([a-z0-9_-]+)\]$";

/// A finding about a whole file.
const WITHOUT_LINE: &str = r"^([^:]+): (?:tampered|(error|warning)|note|inconclusive): (.+) \[([a-z0-9_-]+)\]$";

/// Adds the tasks, or removes them.
pub fn edit(top: &Path, request: &Request) -> Result<()> {
    let path = top.join(PATH);
    let before = settings::read(&path)?;
    let after = if request.removes { without(&path, &before)? } else { with(&path, &before)? };
    if request.is_dry {
        return pipes::write(preview::difference(PATH, before.as_deref(), after.as_deref()).as_bytes());
    }
    let shown = path.display();
    let said = match (after == before, request.removes) {
        (true, true) => format!("no tasks of review-gate in {shown}\n"),
        (true, false) => format!("already there: {shown}\n"),
        (false, true) => format!("removed the tasks from {shown}\n"),
        (false, false) => format!("added the tasks to {shown}. Run one with `Tasks: Run Task`\n"),
    };
    if after != before {
        settings::write(Client::Text, &path, before.as_deref(), after.as_deref(), request.removes)?;
    }
    pipes::write(said.as_bytes())
}

/// The text with the tasks. Existing ones, of any version, are replaced.
fn with(path: &Path, before: &Option<String>) -> Result<Option<String>> {
    let text = before.clone().filter(|text| !text.trim().is_empty()).unwrap_or_else(|| "{}\n".to_string());
    let tasks = Settings::parse(path, &text)?;
    let wanted = wanted()?;
    let current: Vec<Value> = own(path, &tasks)?.iter().filter_map(value).collect();
    if current == wanted {
        return Ok(before.clone());
    }
    own(path, &tasks)?.into_iter().for_each(CstNode::remove);
    if tasks.object.get("version").is_none() {
        tasks.object.insert(0, "version", CstInputValue::String("2.0.0".into()));
    }
    let list = tasks.object.array_value_or_set("tasks");
    for task in &wanted {
        list.insert(list.elements().len(), input(task));
    }
    Ok(Some(tasks.text()))
}

/// The text without the tasks: the recorded earlier text if nothing else changed since, else the text with only these tasks removed.
fn without(path: &Path, before: &Option<String>) -> Result<Option<String>> {
    let Some(text) = before else { return Ok(None) };
    if own(path, &Settings::parse(path, text)?)?.is_empty() {
        return Ok(before.clone());
    }
    if let Some(earlier) = settings::earlier_text(path, text) {
        return Ok(earlier);
    }
    let tasks = Settings::parse(path, text)?;
    own(path, &tasks)?.into_iter().for_each(CstNode::remove);
    Ok(Some(tasks.text()))
}

/// The tasks of review-gate in the file.
fn own(path: &Path, tasks: &Settings<'_>) -> Result<Vec<CstNode>> {
    let Some(member) = tasks.object.get("tasks") else { return Ok(Vec::new()) };
    let list = member.array_value().ok_or_else(|| damaged(path, "\"tasks\" is not a list"))?;
    Ok(CstArray::elements(&list).into_iter().filter(is_own).collect())
}

fn is_own(task: &CstNode) -> bool {
    let label = task.as_object().and_then(|task| task.get("label")?.value()?.as_string_lit()?.decoded_value().ok());
    label.is_some_and(|label| label.starts_with(LABEL))
}

/// A node as JSON. None if it has comments.
fn value(node: &CstNode) -> Option<Value> {
    serde_json::from_str(&node.to_string()).ok()
}

/// The tasks.
fn wanted() -> Result<Vec<Value>> {
    let bin = wiring::nix_store::lasting(wiring::bin_dir()?);
    let bin = bin.to_str().ok_or_else(|| Error::missing(format!("{} is not UTF-8", bin.display())))?;
    let matcher = |kind: &str, pattern: Value| {
        json!({
            "owner": "review-gate",
            "severity": "error",
            "fileLocation": ["relative", "${workspaceFolder}"],
            "pattern": [pattern],
            "source": kind,
        })
    };
    let with_line = json!({ "regexp": WITH_LINE, "file": 1, "line": 2, "severity": 3, "message": 4, "code": 5 });
    let without_line =
        json!({ "regexp": WITHOUT_LINE, "kind": "file", "file": 1, "severity": 2, "message": 3, "code": 4 });
    let task = |(label, line): &(&str, &str)| {
        json!({
            "label": format!("{LABEL}{label}"),
            "type": "shell",
            "command": line.replace("BIN", &shell_quoted(bin)),
            "problemMatcher": [matcher("review-gate", with_line.clone()), matcher("review-gate", without_line.clone())],
        })
    };
    Ok(TASKS.iter().map(task).collect())
}
