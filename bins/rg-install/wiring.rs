//! What is wired: the lines of hooks.json with the programs at their absolute place.

use crate::linking;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::shell;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The one table of lines.
const HOOKS: &str = include_str!("../../hooks.json");

/// How hooks.json names the place of the programs.
const PLACE: &str = "\"${CLAUDE_PLUGIN_ROOT}\"/bin/";

/// The same where no shell reads it: the program is started as it is named.
const PROGRAM: &str = "${CLAUDE_PLUGIN_ROOT}/bin/";

/// The entries by event, each a list of hook groups.
pub fn hooks() -> Result<Map<String, Value>> {
    let bin = bin_dir()?;
    let missing: Vec<&str> = tools().into_iter().filter(|tool| !bin.join(tool).is_file()).collect();
    if !missing.is_empty() {
        return Err(Error::missing(format!("not in {}: {}", bin.display(), missing.join(", "))));
    }
    let text = bin.to_str().ok_or_else(|| Error::missing(format!("{} is not UTF-8", bin.display())))?;
    let place = format!("{}/", shell_quoted(text));
    let whole: Value = serde_json::from_str(HOOKS).map_err(|e| Error::bug(format!("hooks.json: {e}")))?;
    let Some(Value::Object(mut hooks)) = whole.get("hooks").cloned() else {
        return Err(Error::bug("hooks.json holds no hooks"));
    };
    for group in hooks.values_mut().filter_map(Value::as_array_mut).flatten() {
        for hook in group["hooks"].as_array_mut().into_iter().flatten() {
            let line = hook["command"].as_str().unwrap_or("");
            let line = match hook.get("args") {
                Some(_) => line.replace(PROGRAM, &format!("{text}/")),
                None => line.replace(PLACE, &place),
            };
            hook["command"] = line.into();
        }
    }
    Ok(hooks)
}

/// Where the programs are: beside this one.
fn bin_dir() -> Result<PathBuf> {
    env::bin_dir().ok_or_else(|| Error::missing("unable to find my own directory"))
}

/// Whether a program that is wired is dynamically linked.
pub fn has_dynamic_program() -> Result<bool> {
    let bin = bin_dir()?;
    Ok(tools().into_iter().any(|tool| linking::is_dynamic(&bin.join(tool))))
}

/// The events that are wired.
pub fn events() -> Result<Vec<String>> {
    Ok(hooks()?.keys().cloned().collect())
}

/// The programs that hooks.json names.
fn tools() -> Vec<&'static str> {
    let marked = HOOKS.split("/bin/").skip(1);
    let mut names: Vec<&str> = marked.filter_map(|rest| rest.split([' ', '"', '\\']).next()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whether a hook's command is one of ours, wherever its programs lay.
pub fn is_ours(command: &str) -> bool {
    // A program alone, wherever blanks stand in its path.
    let alone = command.rsplit_once('/').is_some_and(|(_, name)| tools().contains(&name));
    alone
        || shell::commands(command).iter().any(|words| {
            let program = words.first().map_or("", String::as_str);
            program.contains('/') && tools().contains(&shell::program_name(program))
        })
}
