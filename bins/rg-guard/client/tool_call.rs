//! Whether a tool call may run, by its tool and its input.

use super::call::ToolCall;
use super::definition::Definition;
use super::{file_names, json_text, mcp_tools, records, reviewer};
use crate::command::{Arg, Call, Write, quote};
use crate::judge::backups::Risks;
use crate::judge::{self, Refusal};
use crate::rules::{self, Context, Level};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Tools that run a shell line.
const SHELLS: [&str; 13] = [
    "Bash",
    "bash",
    "Shell",
    "shell",
    "run_shell_command",
    "exec_command",
    "local_shell",
    "unified_exec",
    "execute_command",
    "run_terminal_cmd",
    "terminal",
    "Terminal",
    "Monitor",
];

/// Tools that write files.
const WRITERS: [&str; 16] = [
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "apply_patch",
    "ApplyPatch",
    "write_file",
    "edit_file",
    "replace",
    "create_file",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "delete_file",
    "search_replace",
    "write",
    "edit",
];

/// Tools that read files.
const READERS: [&str; 9] =
    ["Read", "NotebookRead", "read_file", "read_many_files", "Grep", "view_file", "read", "view", "grep_search"];

/// Tools that send a message to another agent.
const MESSENGERS: [&str; 6] =
    ["SendMessage", "send_input", "send_message", "SendInput", "resume_agent", "AgentMessage"];

/// The most files that one command may write by name: each is resolved.
const MAX_WRITTEN: usize = 4096;

/// Judges a tool call, and notes in `risks` what it may lose. None allows it.
pub fn judge(call: &ToolCall<'_>, context: &Context, definition: &Definition, risks: &mut Risks) -> Option<Refusal> {
    if call.tool.is_empty() {
        return Some(Refusal::new("unreadable", "the hook call names no tool, so it cannot be judged", ""));
    }
    let is_shell = SHELLS.contains(&call.tool);
    if call.by_reviewer
        && let Some(refusal) = reviewer::judge_tool(call.tool, is_shell)
    {
        return Some(refusal);
    }
    if is_shell {
        return match command_of(call) {
            Some(command) => judge_line(call, &command, context, definition, risks),
            None => {
                let reason = format!("{} has no readable command, so it cannot be judged", call.tool);
                Some(Refusal::new("unreadable", reason, ""))
            }
        };
    }
    let input: Value = serde_json::from_str(call.input).unwrap_or(Value::Null);
    let is_writer =
        WRITERS.contains(&call.tool) || mcp_tools::is_writer(call.tool) && !file_names::in_fields(&input).is_empty();
    if is_writer && let Some(refusal) = judge_write(call, &input, context, definition) {
        return Some(refusal);
    }
    if WRITERS.contains(&call.tool) {
        return None;
    }
    if READERS.contains(&call.tool) {
        return file_names::in_fields(&input)
            .iter()
            .flat_map(|path| file_names::names_of(&context.cwd, path))
            .find_map(|path| {
                judge::judge_call(&reading(path.to_string_lossy(), context), context, &definition.policy)
            });
    }
    let lines = mcp_tools::shell_lines(call.tool, &input);
    let refusals: Vec<Refusal> =
        lines.iter().filter_map(|line| judge_line(call, line, context, definition, risks)).collect();
    let worst = refusals.into_iter().reduce(|worst, next| if worst.level < next.level { next } else { worst });
    worst.or_else(|| judge_message(call, &input))
}

/// The shell line of a call; None if its tool is no shell, or if it has none.
pub fn command_of(call: &ToolCall<'_>) -> Option<String> {
    if !SHELLS.contains(&call.tool) {
        return None;
    }
    // Nearly always it is a text, which may be long.
    let line = serde_json::from_str::<ShellInput<'_>>(call.input)
        .ok()
        .and_then(|input| json_text::decode(input.command.get()));
    line.or_else(|| shell_line(&mut serde_json::from_str(call.input).ok()?))
}

/// The input of a shell.
#[derive(Deserialize)]
struct ShellInput<'a> {
    #[serde(borrow)]
    command: &'a RawValue,
}

/// The shell line of a tool's input: a text, or a list of words.
fn shell_line(input: &mut Value) -> Option<String> {
    let field = ["command", "cmd"].iter().find_map(|name| input.as_object_mut()?.get_mut(*name).map(Value::take))?;
    match field {
        Value::String(text) => Some(text),
        Value::Array(words) => {
            let words: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(quote)).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    }
}

fn judge_line(
    call: &ToolCall<'_>,
    line: &str,
    context: &Context,
    definition: &Definition,
    risks: &mut Risks,
) -> Option<Refusal> {
    let mut written: Vec<(String, String)> = Vec::new();
    let (mut not_for_reviewers, mut too_many) = (None, false);
    let refusal = judge::judge_each(line, context, &definition.policy, &mut |command| {
        risks.note(command, context);
        let files = rules::changed_files(command).filter(|path| !path.starts_with("/dev/"));
        written.extend(files.map(|path| (command.cwd.clone(), path.to_string())));
        if written.len() > MAX_WRITTEN {
            // A loop writes the same file again: only different files count.
            written.sort_unstable();
            written.dedup();
            too_many |= written.len() > MAX_WRITTEN;
            written.truncate(MAX_WRITTEN);
        }
        if call.by_reviewer && not_for_reviewers.is_none() {
            not_for_reviewers = reviewer::judge_command(command);
        }
    });
    if refusal.as_ref().is_some_and(|refusal| refusal.level == Level::Deny) {
        return refusal;
    }
    if too_many {
        let reason = format!("it writes more than {MAX_WRITTEN} files by name, the most that are resolved");
        return Some(Refusal::new("too-much", reason, "let a script in the project write them"));
    }
    written.sort_unstable();
    written.dedup();
    let mut dirs = HashMap::new();
    let names: Vec<Vec<PathBuf>> =
        written.iter().map(|(cwd, path)| file_names::names_of_each(Path::new(cwd), path, &mut dirs)).collect();
    // Writing through a link is writing its target.
    let through_link = names.iter().find_map(|names| {
        let write = writing(names.get(1)?.to_string_lossy(), context);
        judge::judge_call(&write, context, &definition.policy).filter(|refusal| refusal.level == Level::Deny)
    });
    let protected = names.iter().find_map(|names| judge_names(names, definition));
    not_for_reviewers.or(through_link).or(protected).or(refusal)
}

/// The refusal of DONE.md's `protect` and `paths` for a file under any of its names.
fn judge_names(names: &[PathBuf], definition: &Definition) -> Option<Refusal> {
    let (rule, reason) = definition.forbids(names)?;
    Some(Refusal::new(rule, reason, "ask the user to change it, or to change DONE.md"))
}

fn judge_write(call: &ToolCall<'_>, input: &Value, context: &Context, definition: &Definition) -> Option<Refusal> {
    let mut paths = file_names::in_fields(input);
    paths.extend(file_names::in_patch(input));
    if paths.is_empty() {
        let reason = format!("{} names no readable file, so it cannot be judged", call.tool);
        return Some(Refusal::new("unreadable", reason, ""));
    }
    paths.iter().find_map(|path| {
        let names = file_names::names_of(&context.cwd, path);
        let by_rule = names.iter().find_map(|path| {
            let path = path.to_string_lossy();
            let by_writing = judge::judge_call(&writing(path.clone(), context), context, &definition.policy);
            // A key must not be overwritten: what denies reading it denies writing it.
            by_writing.or_else(|| {
                let by_reading = judge::judge_call(&reading(path, context), context, &definition.policy);
                by_reading.filter(|refusal| refusal.level == Level::Deny)
            })
        });
        by_rule.or_else(|| judge_names(&names, definition))
    })
}

/// A command that reads a file.
fn reading(path: impl Into<String>, context: &Context) -> Call {
    let args = vec![Arg::new(path, Default::default())];
    Call { name: "cat".into(), path: "cat".into(), args, cwd: cwd(context), ..Call::default() }
}

/// A command that writes a file.
fn writing(path: impl Into<String>, context: &Context) -> Call {
    let write = Write { path: path.into(), append: false, span: Default::default() };
    Call { writes: vec![write], cwd: cwd(context), ..Call::default() }
}

fn cwd(context: &Context) -> String {
    context.cwd.to_string_lossy().into_owned()
}

/// Denies a message to a reviewer, and a workflow that names one.
fn judge_message(call: &ToolCall<'_>, input: &Value) -> Option<Refusal> {
    let deny = |reason: &str| {
        Some(Refusal::new("gate-reviewer", reason, "finish the work: the gate requests the review at the stop"))
    };
    if call.tool == "Workflow" {
        let names_reviewer = call.input.to_lowercase().contains("reviewer");
        return if names_reviewer {
            deny("a workflow that names a reviewer is not a review of the gate")
        } else {
            None
        };
    }
    if !MESSENGERS.contains(&call.tool) {
        return None;
    }
    let fields = ["to", "agent_id", "agentId", "id", "recipient", "target", "name", "thread_id"];
    let targets: Vec<&str> = fields.iter().filter_map(|name| input.get(name)?.as_str()).collect();
    let is_reviewer = |to: &&str| {
        to.to_lowercase().contains("reviewer")
            || call.session.is_some_and(|session| records::is_reviewer(call.client, session, to))
    };
    if targets.iter().any(is_reviewer) { deny("only the gate sends messages to a reviewer") } else { None }
}
