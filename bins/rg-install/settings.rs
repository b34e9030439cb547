//! Adds hooks to Claude Code's settings file and removes them; every other byte stays.

use crate::jsonc::{self, Edit, Kind, Node};
use crate::{TOOL, wiring};
use review_gate::event::Client;
use review_gate::store::journal::{self, JournalPath};
use review_gate::store::record::{Install, JournalKind, Uninstall};
use review_gate::store::state::State;
use review_gate::sys::digest::sha256;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The largest file of settings that is read, in bytes.
const LIMIT: u64 = 16 << 20;

/// The file's text; None if the file does not exist.
pub fn read(path: &Path) -> Result<Option<String>> {
    let bytes = files::read_following(path, LIMIT)?;
    bytes.map(|bytes| String::from_utf8(bytes).map_err(|_| damaged(path, "not UTF-8"))).transpose()
}

fn damaged(path: &Path, why: &str) -> Error {
    Error::usage(format!("unable to edit {}: {why}. Fix the file first", path.display()))
}

fn parse(path: &Path, text: &str) -> Result<Node> {
    let tree = jsonc::parse(text).map_err(|why| damaged(path, &why))?;
    if !matches!(tree.kind, Kind::Object(_)) {
        return Err(damaged(path, "not an object"));
    }
    Ok(tree)
}

/// The text with review-gate's hooks. Existing ones, of any version, are replaced.
pub fn with(path: &Path, before: &Option<String>) -> Result<Option<String>> {
    let text = before.clone().filter(|text| !text.trim().is_empty()).unwrap_or_else(|| "{}\n".to_string());
    let tree = parse(path, &text)?;
    refuse_beside_plugin(path, &tree, &text)?;
    let wanted = wiring::hooks()?;
    if is_wired(&tree, &text, &wanted) {
        return Ok(before.clone());
    }
    let mut text = remove_own_hooks(path, &text)?;
    for (event, groups) in &wanted {
        let tree = parse(path, &text)?;
        let edit = match tree.get("hooks") {
            None => Edit::member(&text, &tree, "hooks", &json!({event: groups})),
            Some(hooks) => match (&hooks.kind, hooks.get(event)) {
                (Kind::Object(_), None) => Edit::member(&text, hooks, event, groups),
                (Kind::Object(_), Some(list)) if matches!(list.kind, Kind::Array(_)) => {
                    text = append_groups(path, text, event, groups)?;
                    continue;
                }
                _ => {
                    return Err(damaged(path, &format!("\"hooks\" has an unknown form (at {event})")));
                }
            },
        };
        text = edit.apply(&text);
    }
    Ok(Some(text))
}

/// Adds hook groups after the existing ones.
fn append_groups(path: &Path, mut text: String, event: &str, groups: &Value) -> Result<String> {
    for group in groups.as_array().into_iter().flatten() {
        let tree = parse(path, &text)?;
        let Some(list) = tree.get("hooks").and_then(|hooks| hooks.get(event)) else { return Ok(text) };
        text = Edit::element(&text, list, group).apply(&text);
    }
    Ok(text)
}

/// An error if the plugin is enabled in this file or in another one that applies: each hook would run twice.
fn refuse_beside_plugin(path: &Path, tree: &Node, text: &str) -> Result<()> {
    let user = env::claude_config_dir().or_else(|| Some(env::home()?.join(".claude")));
    let user = user.map(|dir| dir.join("settings.json"));
    for other in [Some(path.with_file_name("settings.local.json")), user].into_iter().flatten() {
        if let Some(text) = read(&other).ok().flatten()
            && let Ok(tree) = jsonc::parse(&text)
        {
            refuse_enabled(&other, &tree, &text)?;
        }
    }
    refuse_enabled(path, tree, text)
}

fn refuse_enabled(path: &Path, tree: &Node, text: &str) -> Result<()> {
    let Some(Node { kind: Kind::Object(plugins), .. }) = tree.get("enabledPlugins") else { return Ok(()) };
    let on =
        plugins.iter().any(|(name, node)| name.starts_with("review-gate@") && &text[node.start..node.end] == "true");
    if on {
        return Err(Error::usage(format!(
            "the review-gate plugin is enabled and has the same hooks: {}. Disable the plugin first, or keep using it",
            path.display()
        )));
    }
    Ok(())
}

/// Whether exactly the wanted hooks exist.
fn is_wired(tree: &Node, text: &str, wanted: &serde_json::Map<String, Value>) -> bool {
    let groups = wanted.values().filter_map(Value::as_array).flatten();
    let hooks = groups.filter_map(|group| group["hooks"].as_array()).flatten();
    let mut want: Vec<String> = hooks.filter_map(|hook| hook["command"].as_str().map(str::to_string)).collect();
    let mut have: Vec<String> = own_hooks(tree, text).into_iter().map(|hook| hook.command).collect();
    want.sort();
    have.sort();
    want == have
}

/// A hook of review-gate in the tree: its event, the index of its group, and its index in the group.
struct OwnHook {
    event: String,
    group: usize,
    at: usize,
    command: String,
}

fn own_hooks(tree: &Node, text: &str) -> Vec<OwnHook> {
    let mut found = Vec::new();
    let Some(Node { kind: Kind::Object(events), .. }) = tree.get("hooks") else { return found };
    for (event, list) in events {
        let Kind::Array(groups) = &list.kind else { continue };
        for (at, group) in groups.iter().enumerate() {
            let Some(Node { kind: Kind::Array(hooks), .. }) = group.get("hooks") else { continue };
            for (nth, hook) in hooks.iter().enumerate() {
                let command = hook.get("command").and_then(|command| jsonc::string(text, command));
                if let Some(command) = command.filter(|command| wiring::is_ours(command)) {
                    found.push(OwnHook { event: event.clone(), group: at, at: nth, command });
                }
            }
        }
    }
    found
}

/// The text without review-gate's hooks: the recorded earlier text if nothing else changed since, else the text with only these hooks
/// removed.
pub fn without(path: &Path, before: &Option<String>) -> Result<Option<String>> {
    let mut text = before.clone();
    // The earlier text of a second install contains the hooks of the first one.
    for _ in 0..16 {
        match text.as_deref().and_then(|text| earlier_text(path, text)) {
            Some(original) => text = original,
            None => break,
        }
    }
    text.map(|text| remove_own_hooks(path, &text)).transpose()
}

fn remove_own_hooks(path: &Path, text: &str) -> Result<String> {
    let mut text = text.to_string();
    loop {
        let tree = parse(path, &text)?;
        let Some(hook) = own_hooks(&tree, &text).pop() else { return Ok(text) };
        let hooks = tree.get("hooks").ok_or_else(|| damaged(path, "no hooks"))?;
        let Some(Node { kind: Kind::Array(groups), .. }) = hooks.get(&hook.event) else { return Ok(text) };
        let beside = groups[hook.group].get("hooks");
        // Other hooks in the group stay; a group, event or table that becomes empty is removed.
        let edit = match (groups.len(), hooks.len()) {
            _ if beside.is_some_and(|list| list.len() > 1) => match beside.map(|list| &list.kind) {
                Some(Kind::Array(list)) => Edit::remove_element(&text, list, hook.at),
                _ => return Ok(text),
            },
            (1, 1) => Edit::remove_member(&text, &tree, "hooks"),
            (1, _) => Edit::remove_member(&text, hooks, &hook.event),
            _ => Edit::remove_element(&text, groups, hook.group),
        };
        text = edit.apply(&text);
    }
}

/// The journal of installs, in the user's state directory, for all repositories.
fn installs_journal() -> Result<(State, JournalPath)> {
    let home = env::state_home().ok_or_else(|| Error::missing("neither XDG_STATE_HOME nor HOME is set"))?;
    let state = State::at(home.join("review-gate/installed"));
    let path = JournalPath::new(state.dir().join("installs.jsonl"), JournalKind::Installs);
    Ok((state, path))
}

/// The text before the last install into that file, if the file has not changed since.
fn earlier_text(path: &Path, text: &str) -> Option<Option<String>> {
    let (_, memory) = installs_journal().ok()?;
    let installs: Vec<Install> = journal::search(&memory, path.to_str()?).ok()?;
    let last = installs.into_iter().rfind(|install| install.path == path)?;
    (last.after_sha256 == Some(sha256(text.as_bytes()))).then_some(last.before)
}

/// Replaces the file atomically and records its earlier text.
pub fn write(path: &Path, before: Option<&str>, after: Option<&str>, uninstall: bool) -> Result<()> {
    let (state, memory) = installs_journal()?;
    // If the file is a symbolic link, write its target.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let mode = fs::metadata(&target).map_or(0o644, |meta| meta.permissions().mode() & 0o7777);
    match after {
        None => fs::remove_file(&target).map_err(|e| Error::io("remove", &target, &e))?,
        Some(text) => {
            let parent = target.parent().unwrap_or(Path::new("/"));
            fs::create_dir_all(parent).map_err(|e| Error::io("make", parent, &e))?;
            state.write_whole(&target, text.as_bytes(), true)?;
            fs::set_permissions(&target, fs::Permissions::from_mode(mode))
                .map_err(|e| Error::io("set the mode of", &target, &e))?;
        }
    }
    let install = Install {
        path: path.to_path_buf(),
        client: Client::Claude,
        before: before.map(str::to_string),
        after_sha256: after.map(|text| sha256(text.as_bytes())),
        version: review_gate::tool::cli::VERSION.to_string(),
    };
    match uninstall {
        true => state.append(&memory, TOOL.name, Uninstall(install)),
        false => state.append(&memory, TOOL.name, install),
    }
    .map(drop)
}
