//! The hooks of each client: the lines of hooks.json, in the form of the client, with the absolute paths of the programs.

pub mod clients;
mod linking;
pub mod nix_store;
pub mod settings;
pub mod versions;

use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::shell;
use clients::{HookForm, Wired};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::fmt;
use std::path::{Path, PathBuf};

/// The hooks of the plugin, the only source of the lines.
const HOOKS: &str = include_str!("../../hooks.json");

/// The directory of the programs in the shell lines of hooks.json.
const PLACE: &str = "\"${CLAUDE_PLUGIN_ROOT}\"/bin/";

/// The same in commands with `args`, which no shell reads.
const PROGRAM: &str = "${CLAUDE_PLUGIN_ROOT}/bin/";

/// How often Cursor may send the agent back by itself. rg-bounce has its own, smaller budget.
const CURSOR_LOOPS: u32 = 50;

/// The tools of Cursor that write files. Its other tools have events of their own.
const CURSOR_WRITERS: &str = "Write|Edit|MultiEdit|StrReplace|ApplyPatch|Delete|NotebookEdit";

/// The names that Codex has for the events of hooks.json.
const CODEX: [(&str, &[&str]); 9] = [
    ("SessionStart", &["SessionStart"]),
    ("UserPromptSubmit", &["UserPromptSubmit"]),
    ("PreToolUse", &["PreToolUse"]),
    ("PostToolUse", &["PostToolUse"]),
    ("SubagentStart", &["SubagentStart"]),
    ("SubagentStop", &["SubagentStop"]),
    ("PreCompact", &["PreCompact"]),
    ("Stop", &["Stop"]),
    ("SessionEnd", &["SessionEnd"]),
];

/// The names that Gemini CLI has for them.
const GEMINI: [(&str, &[&str]); 7] = [
    ("SessionStart", &["SessionStart"]),
    ("UserPromptSubmit", &["BeforeAgent"]),
    ("PreToolUse", &["BeforeTool"]),
    ("PostToolUse", &["AfterTool"]),
    ("PreCompact", &["PreCompress"]),
    ("Stop", &["AfterAgent"]),
    ("SessionEnd", &["SessionEnd"]),
];

/// The names that Cursor has for them. A tool call before it runs has an event for each kind of tool.
const CURSOR: [(&str, &[&str]); 9] = [
    ("SessionStart", &["sessionStart"]),
    ("UserPromptSubmit", &["beforeSubmitPrompt"]),
    ("PreToolUse", &["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"]),
    ("PostToolUse", &["postToolUse"]),
    ("PostToolUseFailure", &["postToolUseFailure"]),
    ("SubagentStop", &["subagentStop"]),
    ("PreCompact", &["preCompact"]),
    ("Stop", &["stop"]),
    ("SessionEnd", &["sessionEnd"]),
];

/// hooks.json. A hook that runs reads only those of its own event.
#[derive(Deserialize)]
struct Plugin<'a> {
    #[serde(borrow)]
    hooks: ByEvent<'a>,
}

/// The hooks of each event, in the order of the file.
struct ByEvent<'a>(Vec<(&'a str, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for ByEvent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = ByEvent<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of events")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> std::result::Result<ByEvent<'de>, M::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(ByEvent(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// A hook of hooks.json, without its form.
struct Hook {
    /// A shell line; of a command with `args`, its program and its arguments.
    line: String,
    /// In seconds.
    timeout: u64,
    /// A failure of the hook blocks the call.
    is_closed: bool,
}

/// The shell line of one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookLine {
    /// The client's name of the event.
    pub event: String,
    /// The tools that it is for; None if it is for all.
    pub matcher: Option<String>,
    /// The line.
    pub line: String,
}

/// The shell lines of a client's hooks, with the absolute paths of the programs.
pub fn lines(client: &Wired) -> Result<Vec<HookLine>> {
    Ok(lines_in(&hooks(client)?))
}

/// The same for one event of the client, in any case of its letters. Whether the programs exist is left to the shell.
pub fn lines_of(client: &Wired, event: &str) -> Result<Vec<HookLine>> {
    let bin = bin_dir()?;
    let mut lines = lines_in(&formed(client, text_of(&bin)?, |own| own.eq_ignore_ascii_case(event))?);
    lines.retain(|line| line.event.eq_ignore_ascii_case(event));
    Ok(lines)
}

fn lines_in(hooks: &Map<String, Value>) -> Vec<HookLine> {
    let mut lines = Vec::new();
    for (event, entries) in hooks {
        for entry in entries.as_array().into_iter().flatten() {
            let inner = entry.get("hooks").and_then(Value::as_array);
            // Cursor has no groups. Its matcher belongs to its only hook for the event.
            let matcher = entry.get("matcher").filter(|_| inner.is_some()).and_then(Value::as_str);
            for hook in inner.map_or(std::slice::from_ref(entry), Vec::as_slice) {
                let command = hook["command"].as_str().unwrap_or_default();
                let line = match hook.get("args").and_then(Value::as_array) {
                    None => command.to_string(),
                    Some(words) => {
                        let words = words.iter().filter_map(Value::as_str).map(str::to_string);
                        [shell_quoted(command)].into_iter().chain(words).collect::<Vec<_>>().join(" ")
                    }
                };
                lines.push(HookLine { event: event.clone(), matcher: matcher.map(str::to_string), line });
            }
        }
    }
    lines
}

/// The programs of the plugin's first line for an event, between rg-event and rg-answer, each with its arguments.
pub fn filters(event: &str) -> Result<Vec<String>> {
    let whole: Value = serde_json::from_str(HOOKS).map_err(|e| Error::bug(format!("hooks.json: {e}")))?;
    let line = whole["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap_or_default();
    let stages: Vec<String> = line.split(" | ").map(|stage| stage.replace(PLACE, "")).collect();
    match stages.split_first().map(|(_, rest)| rest.split_last()) {
        Some(Some((_, filters))) => Ok(filters.to_vec()),
        _ => Err(Error::bug(format!("hooks.json has no line for {event}"))),
    }
}

/// The hooks of a client by event, each a list of hook groups, or of hooks.
pub fn hooks(client: &Wired) -> Result<Map<String, Value>> {
    let bin = nix_store::lasting(bin_dir()?);
    let missing: Vec<&str> = tools().into_iter().filter(|tool| !bin.join(tool).is_file()).collect();
    if !missing.is_empty() {
        return Err(Error::missing(format!("programs missing in {}: {}", bin.display(), missing.join(", "))));
    }
    formed(client, text_of(&bin)?, |_| true)
}

fn text_of(bin: &Path) -> Result<&str> {
    bin.to_str().ok_or_else(|| Error::missing(format!("{} is not UTF-8", bin.display())))
}

/// The hooks in the form of a client, of the events whose names in the client are wanted.
fn formed(client: &Wired, bin: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Map<String, Value>> {
    let bug = |e| Error::bug(format!("hooks.json: {e}"));
    let plugin: Plugin = serde_json::from_str(HOOKS).map_err(bug)?;
    let names = names_of(client.form);
    let mut hooks = Map::new();
    for (event, raw) in plugin.hooks.0 {
        let own = names.iter().find(|(name, _)| *name == event).map(|(_, own)| *own);
        if own.unwrap_or(&[event]).iter().any(|name| is_wanted(name)) {
            hooks.insert(event.to_string(), serde_json::from_str(raw.get()).map_err(bug)?);
        }
    }
    Ok(match client.form {
        HookForm::Claude => placed(hooks, bin),
        _ => converted(&hooks, bin, client, names),
    })
}

/// The client's names of the events of hooks.json. Claude Code has the names of the file.
fn names_of(form: HookForm) -> &'static [(&'static str, &'static [&'static str])] {
    match form {
        HookForm::Claude => &[],
        HookForm::Codex => &CODEX,
        HookForm::Gemini => &GEMINI,
        HookForm::Cursor => &CURSOR,
    }
}

/// Whether the client has that event of hooks.json.
pub fn has_event(client: &Wired, event: &str) -> bool {
    client.form == HookForm::Claude || names_of(client.form).iter().any(|(name, _)| *name == event)
}

/// The hooks for Claude Code, whose form hooks.json has.
fn placed(mut hooks: Map<String, Value>, bin: &str) -> Map<String, Value> {
    for group in hooks.values_mut().filter_map(Value::as_array_mut).flatten() {
        for hook in group["hooks"].as_array_mut().into_iter().flatten() {
            let line = hook["command"].as_str().unwrap_or("");
            let line = match hook.get("args") {
                Some(_) => line.replace(PROGRAM, &format!("{bin}/")),
                None => line.replace(PLACE, &format!("{}/", shell_quoted(bin))),
            };
            hook["command"] = line.into();
        }
    }
    hooks
}

/// The hooks under the names of another client. Groups with a matcher are about tools of Claude Code alone.
fn converted(hooks: &Map<String, Value>, bin: &str, client: &Wired, names: &[(&str, &[&str])]) -> Map<String, Value> {
    let mut converted = Map::new();
    for (name, events) in names {
        let Some(groups) = hooks.get(*name) else { continue };
        let groups = groups.as_array().into_iter().flatten();
        let plain = groups.filter(|group| group.get("matcher").is_none());
        let of_group = plain.filter_map(|group| group["hooks"].as_array()).flatten();
        let found: Vec<Hook> = of_group.map(|hook| hook_of(hook, bin, client)).collect();
        for event in *events {
            let written: Vec<Value> = found.iter().map(|hook| write(hook, event, client.form)).collect();
            converted.insert((*event).to_string(), Value::Array(written));
        }
    }
    converted
}

fn hook_of(hook: &Value, bin: &str, client: &Wired) -> Hook {
    let place = format!("{}/", shell_quoted(bin));
    let command = hook["command"].as_str().unwrap_or("");
    let words = hook.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let line = [command.replace(PLACE, &place).replace(PROGRAM, &place)];
    let line = line.iter().map(String::as_str).chain(words).collect::<Vec<_>>().join(" ");
    Hook {
        line: line.replace("--client claude", &format!("--client {}", client.client)),
        timeout: hook["timeout"].as_u64().unwrap_or(60),
        is_closed: hook.get("onFailure").is_some(),
    }
}

/// A hook as the client writes it.
fn write(hook: &Hook, event: &str, form: HookForm) -> Value {
    let Hook { line, timeout, is_closed } = hook;
    match form {
        HookForm::Claude | HookForm::Codex => {
            json!({ "hooks": [{ "type": "command", "command": line, "timeout": timeout }] })
        }
        HookForm::Gemini => {
            let milliseconds = timeout * 1000;
            json!({ "hooks": [{ "name": "review-gate", "type": "command", "command": line, "timeout": milliseconds }] })
        }
        HookForm::Cursor => {
            let mut hook = json!({ "command": line, "timeout": timeout });
            if *is_closed {
                hook["failClosed"] = true.into();
            }
            match event {
                "stop" | "subagentStop" => hook["loop_limit"] = CURSOR_LOOPS.into(),
                "preToolUse" => hook["matcher"] = CURSOR_WRITERS.into(),
                _ => {}
            }
            hook
        }
    }
}

/// The directory of the programs: that of this program.
pub fn bin_dir() -> Result<PathBuf> {
    env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))
}

/// Whether one of the programs to wire is dynamically linked.
pub fn has_dynamic_program() -> Result<bool> {
    let bin = bin_dir()?;
    Ok(tools().into_iter().any(|tool| linking::is_dynamic(&bin.join(tool))))
}

/// Whether a program is dynamically linked. False if that is not known.
pub fn is_dynamic(program: &Path) -> bool {
    linking::is_dynamic(program)
}

/// The events with hooks.
pub fn events(client: &Wired) -> Result<Vec<String>> {
    Ok(hooks(client)?.keys().cloned().collect())
}

/// The programs that hooks.json names.
pub fn tools() -> Vec<&'static str> {
    let marked = HOOKS.split("/bin/").skip(1);
    let mut names: Vec<&str> = marked.filter_map(|rest| rest.split([' ', '"', '\\']).next()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A word of a shell line that has this text.
pub fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whether a hook's command runs a program of review-gate in any directory, or `review-gate hook`.
pub fn is_ours(command: &str) -> bool {
    // A program without arguments, whose path may contain blanks.
    let alone = command.rsplit_once('/').is_some_and(|(_, name)| tools().contains(&name));
    alone
        || shell::commands(command).iter().any(|words| {
            let program = words.first().map_or("", String::as_str);
            let name = shell::program_name(program);
            let is_named = name == "review-gate" && words.get(1).is_some_and(|word| word == "hook");
            is_named || program.contains('/') && tools().contains(&name)
        })
}
