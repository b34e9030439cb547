//! Adds hooks to a client's settings file and removes them; every other value and comment stays.

use crate::TOOL;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::errors::ParseError;
use review_gate::event::Client;
use review_gate::store::installs;
use review_gate::store::record::{Install, Uninstall};
use review_gate::sys::digest::sha256;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::wiring;
use review_gate::wiring::clients::{HookForm, Wired};
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The largest file of settings that is read, in bytes.
const LIMIT: u64 = 16 << 20;

/// What may precede the settings.
const MARK: &str = "\u{feff}";

/// JSON with comments and trailing commas: what the clients read.
const JSONC: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The file's text; None if the file does not exist.
pub fn read(path: &Path) -> Result<Option<String>> {
    let bytes = files::read_following(path, LIMIT)?;
    bytes.map(|bytes| String::from_utf8(bytes).map_err(|_| damaged(path, "not UTF-8"))).transpose()
}

/// The error of a file that has another form than its client documents.
pub fn damaged(path: &Path, why: &str) -> Error {
    Error::usage(format!("unable to edit {}: {why}. Fix the file first", path.display()))
}

/// What the parser says, as the end of a sentence.
fn why(error: &ParseError) -> String {
    let text = error.kind().to_string();
    let mut letters = text.chars();
    let first = letters.next().map_or(String::new(), |first| first.to_lowercase().to_string());
    first + letters.as_str()
}

/// Settings that are edited.
pub struct Settings<'a> {
    path: &'a Path,
    /// What precedes them.
    mark: &'static str,
    root: CstRootNode,
    /// The settings themselves.
    pub object: CstObject,
}

impl<'a> Settings<'a> {
    /// Parses the text of a file. The error names the line.
    pub fn parse(path: &'a Path, text: &str) -> Result<Settings<'a>> {
        let (mark, text) = text.strip_prefix(MARK).map_or(("", text), |rest| (MARK, rest));
        let root = CstRootNode::parse(text, &JSONC)
            .map_err(|error| damaged(path, &format!("line {}: {}", error.line_display(), why(&error))))?;
        let object = root.object_value().ok_or_else(|| damaged(path, "not an object"))?;
        if let Some(name) = duplicate(&CstNode::from(object.clone())) {
            return Err(damaged(path, &format!("{name:?} stands there twice")));
        }
        Ok(Settings { path, mark, root, object })
    }

    /// The text with all edits.
    pub fn text(&self) -> String {
        format!("{}{}", self.mark, self.root)
    }

    /// The table of hooks; None if there is none.
    fn hooks(&self) -> Result<Option<CstObject>> {
        let unknown = || damaged(self.path, "\"hooks\" is not an object");
        self.object.get("hooks").map(|member| member.object_value().ok_or_else(unknown)).transpose()
    }

    /// The hooks of an event, which are created if they are missing.
    fn list(&self, event: &str) -> Result<CstArray> {
        let hooks = match self.hooks()? {
            Some(hooks) => hooks,
            None => self.object.object_value_or_set("hooks"),
        };
        let unknown = || damaged(self.path, &format!("\"hooks\" has an unknown form (at {event})"));
        match hooks.get(event) {
            Some(member) => member.array_value().ok_or_else(unknown),
            None => Ok(hooks.array_value_or_set(event)),
        }
    }

    /// The hooks of review-gate.
    fn own_hooks(&self) -> Result<Vec<OwnHook>> {
        let mut found = Vec::new();
        for event in self.hooks()?.iter().flat_map(CstObject::properties) {
            for entry in event.array_value().iter().flat_map(CstArray::elements) {
                let Some(object) = entry.as_object() else { continue };
                if let Some(command) = own_command(&object) {
                    found.push(OwnHook { command, event: event.clone(), group: None, hook: entry });
                    continue;
                }
                for hook in object.array_value("hooks").iter().flat_map(CstArray::elements) {
                    if let Some(command) = hook.as_object().as_ref().and_then(own_command) {
                        found.push(OwnHook { command, event: event.clone(), group: Some(entry.clone()), hook });
                    }
                }
            }
        }
        Ok(found)
    }

    /// Removes the hooks of review-gate. A group, an event or a table that becomes empty is removed.
    fn remove_own_hooks(&self) -> Result<()> {
        let own = self.own_hooks()?;
        if own.is_empty() {
            return Ok(());
        }
        let mut touched: Vec<CstObjectProp> = Vec::new();
        for OwnHook { event, group, hook, .. } in own {
            if touched.iter().all(|known| known.decoded_name() != event.decoded_name()) {
                touched.push(event);
            }
            hook.remove();
            if let Some(group) = group
                && group.as_object().and_then(|group| group.array_value("hooks")).is_some_and(|list| is_empty(&list))
            {
                group.remove();
            }
        }
        for event in touched {
            if event.array_value().is_some_and(|list| is_empty(&list)) {
                event.remove();
            }
        }
        if self.hooks()?.is_some_and(|hooks| hooks.properties().is_empty())
            && let Some(member) = self.object.get("hooks")
        {
            member.remove();
        }
        Ok(())
    }
}

/// A hook of review-gate, its event, and the group that holds it.
struct OwnHook {
    command: String,
    event: CstObjectProp,
    group: Option<CstNode>,
    hook: CstNode,
}

fn own_command(hook: &CstObject) -> Option<String> {
    let value = hook.get("command")?.value()?;
    let command = value.as_string_lit()?.decoded_value().ok()?;
    wiring::is_ours(&command).then_some(command)
}

fn is_empty(list: &CstArray) -> bool {
    list.elements().is_empty()
}

/// A name that an object holds twice. Clients take the last one, and an edit the first.
fn duplicate(node: &CstNode) -> Option<String> {
    let mut names = HashSet::new();
    let of_object = node.as_object().map(|object| object.properties()).unwrap_or_default();
    for member in &of_object {
        let name = member.decoded_name()?;
        if !names.insert(name.clone()) {
            return Some(name);
        }
    }
    let values = of_object.iter().filter_map(|member| member.value());
    let elements = node.as_array().map(|list| list.elements()).unwrap_or_default();
    values.chain(elements).find_map(|value| duplicate(&value))
}

/// A JSON value for the editor.
pub fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(truth) => CstInputValue::Bool(*truth),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

/// The text with review-gate's hooks. Existing ones, of any version, are replaced.
pub fn with(client: &Wired, path: &Path, before: &Option<String>) -> Result<Option<String>> {
    let text = before.clone().filter(|text| !text.trim().is_empty()).unwrap_or_else(|| "{}\n".to_string());
    let settings = Settings::parse(path, &text)?;
    if client.client == Client::Claude {
        refuse_beside_plugin(path, &settings)?;
    }
    let wanted = wiring::hooks(client)?;
    if is_wired(&settings, client, &wanted)? {
        return Ok(before.clone());
    }
    settings.remove_own_hooks()?;
    if client.form == HookForm::Cursor && settings.object.get("version").is_none() {
        settings.object.insert(0, "version", CstInputValue::Number("1".into()));
    }
    for (event, entries) in &wanted {
        let list = settings.list(event)?;
        for entry in entries.as_array().into_iter().flatten() {
            list.insert(list.elements().len(), input(entry));
        }
    }
    Ok(Some(settings.text()))
}

/// An error if the plugin is enabled in this file or in another one that applies: each hook would run twice.
fn refuse_beside_plugin(path: &Path, settings: &Settings<'_>) -> Result<()> {
    let user = env::claude_config_dir().or_else(|| Some(env::home()?.join(".claude")));
    let user = user.map(|dir| dir.join("settings.json"));
    for other in [Some(path.with_file_name("settings.local.json")), user].into_iter().flatten() {
        if let Some(text) = read(&other).ok().flatten()
            && let Ok(settings) = Settings::parse(&other, &text)
        {
            refuse_enabled(&settings)?;
        }
    }
    refuse_enabled(settings)
}

fn refuse_enabled(settings: &Settings<'_>) -> Result<()> {
    let plugins = settings.object.object_value("enabledPlugins").map(|plugins| plugins.properties());
    let is_on = plugins.into_iter().flatten().any(|plugin| {
        let is_ours = plugin.decoded_name().is_some_and(|name| name.starts_with("review-gate@"));
        is_ours && plugin.value().and_then(|value| value.as_boolean_lit()).is_some_and(|truth| truth.value())
    });
    if is_on {
        return Err(Error::usage(format!(
            "the review-gate plugin is enabled and has the same hooks: {}. Disable the plugin first, or keep using it",
            settings.path.display()
        )));
    }
    Ok(())
}

/// Whether exactly the wanted hooks exist, each below its event.
fn is_wired(settings: &Settings<'_>, client: &Wired, wanted: &serde_json::Map<String, Value>) -> Result<bool> {
    let mut want: Vec<(String, String)> = Vec::new();
    for (event, entries) in wanted {
        for entry in entries.as_array().into_iter().flatten() {
            let hooks = match client.form {
                HookForm::Cursor => std::slice::from_ref(entry),
                _ => entry["hooks"].as_array().map_or(&[][..], Vec::as_slice),
            };
            let commands = hooks.iter().filter_map(|hook| hook["command"].as_str());
            want.extend(commands.map(|command| (event.clone(), command.to_string())));
        }
    }
    let own = settings.own_hooks()?.into_iter();
    let mut have: Vec<(String, String)> =
        own.map(|hook| (hook.event.decoded_name().unwrap_or_default(), hook.command)).collect();
    want.sort();
    have.sort();
    Ok(want == have)
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
    let Some(text) = text else { return Ok(None) };
    let settings = Settings::parse(path, &text)?;
    if settings.own_hooks()?.is_empty() {
        return Ok(Some(text));
    }
    settings.remove_own_hooks()?;
    Ok(Some(settings.text()))
}

/// The text before the last install into that file, if the file has not changed since.
pub fn earlier_text(path: &Path, text: &str) -> Option<Option<String>> {
    let last = installs::of_file(path)?.pop()?;
    (last.after_sha256 == Some(sha256(text.as_bytes()))).then_some(last.before)
}

/// The directory that was made for the file when it was first wired.
fn made_dir_of(path: &Path) -> Option<PathBuf> {
    let installs = installs::of_file(path)?;
    // An install into a file that existed follows the one that made it.
    let first = installs.into_iter().rfind(|install| install.before.is_none());
    first.and_then(|install| install.made_dir)
}

/// Replaces the file atomically and records its earlier text. What can fail comes before the change: without the record, an uninstall
/// could not restore the file.
pub fn write(client: Client, path: &Path, before: Option<&str>, after: Option<&str>, uninstall: bool) -> Result<()> {
    let (state, memory) = installs::journal()?;
    // If the file is a symbolic link, write its target.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let mode = fs::metadata(&target).map_or(0o644, |meta| meta.permissions().mode() & 0o7777);
    // Its directory may allow to replace it, but its owner did not want that.
    if mode & 0o200 == 0 {
        let shown = target.display();
        let text = format!("unable to edit {shown}: it is read-only. Make it writable first: `chmod u+w '{shown}'`");
        return Err(Error::usage(text));
    }
    let parent = target.parent().unwrap_or(Path::new("/"));
    let made_dir = (after.is_some() && !parent.exists()).then(|| parent.to_path_buf());
    let install = Install {
        path: path.to_path_buf(),
        client,
        before: before.map(str::to_string),
        after_sha256: after.map(|text| sha256(text.as_bytes())),
        made_dir: made_dir.clone(),
        programs: if uninstall { Default::default() } else { installs::programs() },
        version: review_gate::tool::cli::VERSION.to_string(),
    };
    let dir_to_remove = made_dir_of(path).filter(|_| after.is_none());
    let record = || match uninstall {
        true => state.append(&memory, TOOL.name, Uninstall(install)),
        false => state.append(&memory, TOOL.name, install),
    };
    let change = || match after {
        None => {
            record()?;
            fs::remove_file(&target).map_err(|e| Error::io("remove", &target, &e))
        }
        Some(text) => {
            fs::create_dir_all(parent).map_err(|e| Error::io("make", parent, &e))?;
            let written = files::write_temporary(&target, text.as_bytes(), true)?;
            written.set_mode(mode)?;
            record()?;
            written.rename()
        }
    };
    let changed = change();
    // The directory stays if it holds something else.
    if let Some(dir) = if changed.is_ok() { dir_to_remove } else { made_dir } {
        let _ = fs::remove_dir(dir);
    }
    changed.map_err(|error| {
        let text = format!("{error}. Nothing was changed in {}", target.display());
        error.with_text(text)
    })
}

/// Records the programs again, for hooks that are wired already. Returns whether one had changed, or none was on record.
pub fn record_programs(client: Client, path: &Path, text: &str) -> Result<bool> {
    let last = installs::of_file(path).and_then(|mut installs| installs.pop());
    let programs = installs::programs();
    let is_known = |install: &Install| {
        let was = |path| install.programs.get(path).map(|program| &program.sha256);
        install.programs.len() == programs.len()
            && programs.iter().all(|(path, program)| was(path) == Some(&program.sha256))
    };
    if last.as_ref().is_some_and(is_known) {
        return Ok(false);
    }
    let now = Some(sha256(text.as_bytes()));
    // Without these, an uninstall could not restore the earlier text.
    let kept = last.filter(|last| last.after_sha256 == now);
    let install = Install {
        path: path.to_path_buf(),
        client,
        before: kept.as_ref().map_or(Some(text.to_string()), |kept| kept.before.clone()),
        after_sha256: kept.as_ref().and(now),
        made_dir: kept.and_then(|kept| kept.made_dir),
        programs,
        version: review_gate::tool::cli::VERSION.to_string(),
    };
    let (state, memory) = installs::journal()?;
    state.append(&memory, TOOL.name, install).map(|_| true)
}
