//! The hooks to add: the lines of hooks.json with the absolute paths of the programs.

use crate::linking;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::shell;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The hooks of the plugin, the only source of the lines.
const HOOKS: &str = include_str!("../../hooks.json");

/// The directory of the programs in the shell lines of hooks.json.
const PLACE: &str = "\"${CLAUDE_PLUGIN_ROOT}\"/bin/";

/// The same in commands with `args`, which no shell reads.
const PROGRAM: &str = "${CLAUDE_PLUGIN_ROOT}/bin/";

/// The hooks by event, each a list of hook groups.
pub fn hooks() -> Result<Map<String, Value>> {
    let bin = bin_dir()?;
    let missing: Vec<&str> = tools().into_iter().filter(|tool| !bin.join(tool).is_file()).collect();
    if !missing.is_empty() {
        return Err(Error::missing(format!("programs missing in {}: {}", bin.display(), missing.join(", "))));
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

/// The directory of the programs: that of this program.
fn bin_dir() -> Result<PathBuf> {
    env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))
}

/// Whether one of the programs to wire is dynamically linked.
pub fn has_dynamic_program() -> Result<bool> {
    let bin = bin_dir()?;
    Ok(tools().into_iter().any(|tool| linking::is_dynamic(&bin.join(tool))))
}

/// The events with hooks.
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

/// Whether a hook's command runs a program of review-gate, in any directory.
pub fn is_ours(command: &str) -> bool {
    // A program without arguments, whose path may contain blanks.
    let alone = command.rsplit_once('/').is_some_and(|(_, name)| tools().contains(&name));
    alone
        || shell::commands(command).iter().any(|words| {
            let program = words.first().map_or("", String::as_str);
            program.contains('/') && tools().contains(&shell::program_name(program))
        })
}
