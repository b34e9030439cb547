//! Which tool is called with what: shells, files, messages.

use crate::definition::Definition;
use crate::foreign;
use crate::reviewer;
use crate::risk;
use crate::rules::Level;
use crate::rules::writes::patched as patched_line;
use crate::run::{Arg, Call, Write};
use crate::verdict::{self, Finding};
use crate::world::World;
use review_gate::event::Client;
use review_gate::store::journal;
use review_gate::store::record::ReviewStep;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A tool call.
pub struct Asked<'a> {
    pub tool: &'a str,
    /// Its input, as the client sent it.
    pub input: &'a str,
    /// A reviewer calls it.
    pub reviewer: bool,
    pub session: Option<&'a str>,
}

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

/// Tools that speak to another agent.
const SPEAKERS: [&str; 6] = ["SendMessage", "send_input", "send_message", "SendInput", "resume_agent", "AgentMessage"];

/// How many files that a command writes are followed to where they lead.
const MOST_WRITTEN: usize = 4096;

/// Fields that name a file.
const PATHS: [&str; 9] =
    ["file_path", "notebook_path", "path", "absolute_path", "target_file", "filename", "file", "filePath", "paths"];

/// Judges a tool call; None lets it run.
pub fn judge(asked: &Asked<'_>, world: &World, definition: &Definition) -> Option<Finding> {
    if asked.tool.is_empty() {
        return Some(Finding::of_text("unreadable", "the hook call names no tool, and cannot be judged", ""));
    }
    let mut input: Value = serde_json::from_str(asked.input).unwrap_or(Value::Null);
    let runs = SHELLS.contains(&asked.tool);
    let writes = WRITERS.contains(&asked.tool) || is_foreign_writer(asked.tool) && !named(&input).is_empty();
    if asked.reviewer
        && let Some(found) = reviewer::tool(asked.tool, runs)
    {
        return Some(found);
    }
    if runs {
        return match line(&mut input) {
            Some(command) => shell(asked, &command, world, definition),
            None => {
                let why = format!("{} without a command that can be read cannot be judged", asked.tool);
                Some(Finding::of_text("unreadable", why, ""))
            }
        };
    }
    if writes && let Some(found) = file_written(asked, &input, world, definition) {
        return Some(found);
    }
    if WRITERS.contains(&asked.tool) {
        return None;
    }
    if READERS.contains(&asked.tool) {
        return named(&input).iter().flat_map(|path| all_names(&world.cwd, path)).find_map(|path| {
            let args = vec![Arg::new(path.to_string_lossy(), Default::default())];
            by_rules(&Call { name: "cat".into(), path: "cat".into(), args, ..about(world) }, world, definition)
        });
    }
    let run = foreign::lines(asked.tool, &input);
    let found: Vec<Finding> = run.iter().filter_map(|line| shell(asked, line, world, definition)).collect();
    let worst = found.into_iter().reduce(|worst, next| if worst.level < next.level { next } else { worst });
    worst.or_else(|| to_a_reviewer(asked, &input))
}

/// Whether a tool of a server of its own writes files, by its name.
fn is_foreign_writer(tool: &str) -> bool {
    let name = tool.rsplit("__").next().unwrap_or("").to_lowercase();
    let verbs = ["write", "edit", "create", "delete", "remove", "move", "rename", "patch", "append", "replace"];
    tool.starts_with("mcp__") && verbs.iter().any(|verb| name.contains(verb))
}

/// The shell line of a tool's input: a text, or a list of words.
fn line(input: &mut Value) -> Option<String> {
    let field = ["command", "cmd"].iter().find_map(|name| input.as_object_mut()?.get_mut(*name).map(Value::take))?;
    match field {
        Value::String(text) => Some(text),
        Value::Array(words) => {
            let words: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(crate::run::quoted)).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    }
}

fn shell(asked: &Asked<'_>, command: &str, world: &World, definition: &Definition) -> Option<Finding> {
    let mut written: Vec<(String, String)> = Vec::new();
    let (mut not_for_reviewers, mut too_many) = (None, false);
    let found = verdict::judge_showing(command, world, &definition.policy, &mut |call| {
        risk::note(call, world);
        let files = crate::rules::changed(call).filter(|path| !path.starts_with("/dev/"));
        written.extend(files.map(|path| (call.cwd.clone(), path.to_string())));
        if written.len() > MOST_WRITTEN {
            // The same file again, as loops write it, is no further one.
            written.sort_unstable();
            written.dedup();
            too_many |= written.len() > MOST_WRITTEN;
            written.truncate(MOST_WRITTEN);
        }
        if asked.reviewer && not_for_reviewers.is_none() {
            not_for_reviewers = reviewer::call(call);
        }
    });
    if found.as_ref().is_some_and(|found| found.level == Level::Deny) {
        return found;
    }
    if too_many {
        let why =
            format!("it writes more than {MOST_WRITTEN} files by name, and nobody follows so many to where they lead");
        return Some(Finding::of_text("too-much", why, "let a script in the project write them"));
    }
    written.sort_unstable();
    written.dedup();
    let mut dirs = HashMap::new();
    let names: Vec<Vec<PathBuf>> =
        written.iter().map(|(cwd, path)| names_in(Path::new(cwd), path, &mut dirs)).collect();
    // A link that leads to what is not to be written is as good as its target.
    let linked = names.iter().find_map(|names| {
        let write =
            Write { path: names.get(1)?.to_string_lossy().into_owned(), append: false, span: Default::default() };
        let through = Call { writes: vec![write], ..about(world) };
        by_rules(&through, world, definition).filter(|found| found.level == Level::Deny)
    });
    let forbidden = names.iter().find_map(|names| forbidden(names, definition));
    not_for_reviewers.or(linked).or(forbidden).or(found)
}

fn forbidden(paths: &[PathBuf], definition: &Definition) -> Option<Finding> {
    let (rule, why) = definition.forbids(paths)?;
    Some(Finding::of_text(rule, why, "what must change there is a person's to say"))
}

fn file_written(asked: &Asked<'_>, input: &Value, world: &World, definition: &Definition) -> Option<Finding> {
    let mut paths = named(input);
    paths.extend(patched(input));
    if paths.is_empty() {
        let why = format!("{} without a file that can be read cannot be judged", asked.tool);
        return Some(Finding::of_text("unreadable", why, ""));
    }
    paths.iter().find_map(|path| {
        let names = all_names(&world.cwd, path);
        let by_rule = names.iter().find_map(|path| {
            let path = path.to_string_lossy().into_owned();
            let write = Write { path: path.clone(), append: false, span: Default::default() };
            // A key is not written over either.
            let key = Call {
                name: "cat".into(),
                path: "cat".into(),
                args: vec![Arg::new(path, Default::default())],
                ..about(world)
            };
            let writes = Call { writes: vec![write], ..about(world) };
            by_rules(&writes, world, definition)
                .or_else(|| by_rules(&key, world, definition).filter(|found| found.level == Level::Deny))
        });
        by_rule.or_else(|| forbidden(&names, definition))
    })
}

fn about(world: &World) -> Call {
    Call { cwd: world.cwd.to_string_lossy().into_owned(), ..Call::default() }
}

fn by_rules(call: &Call, world: &World, definition: &Definition) -> Option<Finding> {
    verdict::about(call, world, &definition.policy)
}

/// The files that an input names by its fields.
fn named(input: &Value) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(all) => all.iter().filter_map(|one| one.as_str().map(str::to_string)).collect(),
            _ => Vec::new(),
        }
    };
    PATHS.iter().filter_map(|name| input.get(name)).flat_map(texts).filter(|text| !text.is_empty()).collect()
}

/// The files that a patch names.
fn patched(input: &Value) -> Vec<String> {
    let fields = ["input", "patch", "diff", "command"].iter().filter_map(|name| input.get(name));
    let texts = fields.flat_map(|value| match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>(),
        value => value.as_str().into_iter().collect(),
    });
    texts.flat_map(str::lines).filter_map(patched_line).map(str::to_string).collect()
}

/// The names of a file: as it was given, whole, and where links and the file system lead.
fn all_names(cwd: &Path, path: &str) -> Vec<PathBuf> {
    let path = crate::run::marks::plain(path);
    let whole = cwd.join(path);
    let plain = lexical(&whole);
    let real = real(&whole);
    if plain == real { vec![plain] } else { vec![plain, real] }
}

/// The same for one of many files: where a directory leads is found out once.
fn names_in(cwd: &Path, path: &str, dirs: &mut HashMap<PathBuf, PathBuf>) -> Vec<PathBuf> {
    let whole = cwd.join(crate::run::marks::plain(path));
    let plain = lexical(&whole);
    let leads = match (whole.parent(), whole.file_name()) {
        (Some(parent), Some(name)) if fs::read_link(&whole).is_err() => {
            dirs.entry(parent.to_path_buf()).or_insert_with(|| real(parent)).join(name)
        }
        _ => real(&whole),
    };
    if plain == leads { vec![plain] } else { vec![plain, leads] }
}

/// Without `.` and `..`, by its words.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            step => out.push(step),
        }
    }
    out
}

/// Where a path leads: what exists of it by the file system, the rest by its words. A link that leads nowhere is followed.
fn real(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..8 {
        if let Ok(target) = fs::read_link(&path) {
            path = path.parent().unwrap_or(Path::new("/")).join(target);
        } else {
            break;
        }
    }
    let steps: Vec<Component<'_>> = path.components().collect();
    for count in (1..=steps.len()).rev() {
        let existing: PathBuf = steps[..count].iter().collect();
        if let Ok(real) = fs::canonicalize(&existing) {
            return lexical(&steps[count..].iter().fold(real, |path, step| path.join(step)));
        }
    }
    lexical(&path)
}

/// Whether something is said to a reviewer, or a workflow starts one.
fn to_a_reviewer(asked: &Asked<'_>, input: &Value) -> Option<Finding> {
    let deny = |why: &str| {
        Some(Finding::of_text("gate-reviewer", why, "a review is asked for by the gate, when the work is done"))
    };
    if asked.tool == "Workflow" {
        let names = asked.input.to_lowercase().contains("reviewer");
        return if names { deny("a workflow that names a reviewer is no review of the gate") } else { None };
    }
    if !SPEAKERS.contains(&asked.tool) {
        return None;
    }
    let fields = ["to", "agent_id", "agentId", "id", "recipient", "target", "name", "thread_id"];
    let targets: Vec<&str> = fields.iter().filter_map(|name| input.get(name)?.as_str()).collect();
    let is_reviewer = |to: &&str| {
        to.to_lowercase().contains("reviewer") || asked.session.is_some_and(|session| is_known(session, to))
    };
    if targets.iter().any(is_reviewer) { deny("nobody speaks to a reviewer but the gate") } else { None }
}

/// Whether the records of a session's task know an agent as a reviewer.
fn is_known(session: &str, agent: &str) -> bool {
    let Ok(Some((state, task))) = crate::definition::task_of(Client::Claude, session) else { return false };
    let steps: Vec<ReviewStep> = journal::search(&state.task(&task), agent).unwrap_or_default();
    steps.iter().any(|step| match step {
        ReviewStep::Began(began) => began.agent == agent,
        ReviewStep::Uninvited { agent: known, .. } => known == agent,
        ReviewStep::SentBack(sent) => sent.agent == agent,
        ReviewStep::Decided(given) => given.by == agent,
        ReviewStep::Pinned { .. } | ReviewStep::Opened(_) => false,
    })
}
