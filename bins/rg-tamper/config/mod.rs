//! Configuration, scripts and CI: compares them as trees with those at the base, and finds what makes checks look at less or fail less.

mod ci;
mod command;
mod direction;
mod files;
mod flags;
mod gather;
mod hidden;
mod ini;
mod line_settings;
mod lint_rules;
mod listed;
mod literal;
mod makefile;
mod neighbours;
mod newcomers;
mod owners;
mod paths;
mod pipeline;
mod presets;
mod runner_hooks;
mod script;
mod scripts;
mod settings;
mod shell;
mod shell_text;
mod side;
mod strength;
pub mod toml;
pub mod value;
mod xml;
mod yaml;

#[cfg(test)]
mod cases;

pub use gather::find;
pub use lint_rules::is_single_lint;

use crate::moves;
use files::{Format, Tool};
use review_gate::event::Rule;
use side::Side;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use value::Value;

/// A changed file, with its text on both sides.
#[derive(Clone, Debug, Default)]
struct Edit {
    /// The path as shown.
    path: String,
    /// The text at the base; None if there was no file.
    then: Option<String>,
    /// The text on disk; None if there is no file.
    now: Option<String>,
}

/// Something that checks less than at the base.
#[derive(Clone, Debug, PartialEq)]
struct Loss {
    /// The guard.
    rule: Rule,
    /// The file.
    path: String,
    /// What the finding's key derives from, besides the file.
    key: String,
    /// What happened, with both values.
    text: String,
    /// Whether it checks less for certain. Otherwise it is a warning.
    is_certain: bool,
}

type List<'a> = Box<dyn Fn() -> Vec<String> + 'a>;
type Read<'a> = Box<dyn Fn(&str) -> Option<String> + 'a>;

/// The files around the changed ones.
struct Around<'a> {
    list: List<'a>,
    read: Read<'a>,
    paths: OnceCell<Vec<String>>,
    /// Whether code was removed: it may be in a new place.
    has_removed_code: bool,
}

impl<'a> Around<'a> {
    fn new(list: List<'a>, read: Read<'a>) -> Around<'a> {
        Around { list, read, paths: OnceCell::new(), has_removed_code: false }
    }

    /// The paths of the files that existed at the base and still do.
    fn paths(&self) -> &[String] {
        self.paths.get_or_init(&self.list)
    }

    /// The text of a file that did not change.
    fn read(&self, path: &str) -> Option<String> {
        (self.read)(path)
    }
}

/// The current text of a file, changed or not.
fn text_now(path: &str, edits: &[Edit], around: &Around<'_>) -> Option<String> {
    match edits.iter().find(|edit| edit.path == path) {
        Some(edit) => edit.now.clone(),
        None => around.read(path),
    }
}

/// Whether a file of this path is compared.
fn is_compared(path: &str) -> bool {
    files::of(path).is_some()
        || scripts::is_scripts(path)
        || pipeline::is_pipeline(path)
        || runner_hooks::is_hook_file(path)
        || line_settings::is_read(path)
        || owners::is_read(path)
        || listed::is_build(path)
}

/// What the changed files lost.
fn losses(edits: &[Edit], around: &Around<'_>) -> Vec<Loss> {
    let mut found = settings_losses(edits, around);
    for edit in edits {
        let with_hidden = hidden::with_hidden(edit, edits, around);
        let edit = with_hidden.as_ref().unwrap_or(edit);
        if scripts::is_scripts(&edit.path) && !hidden::is_renamed(edit, edits) {
            found.extend(scripts::judge(edit, edits, around));
        }
        found.extend(runner_hooks::judge(&with_former(edit, edits)));
        found.extend(line_settings::judge(edit));
    }
    found.extend(ci::judge(edits, around));
    found.extend(owners::judge(edits, around));
    found.extend(listed::judge(edits, around));
    found
}

/// Compares the settings of each tool in each directory, over all files that configure it there.
fn settings_losses(edits: &[Edit], around: &Around<'_>) -> Vec<Loss> {
    let mut found = Vec::new();
    let mut groups: BTreeMap<(String, Tool), (Vec<Side>, Vec<Side>)> = BTreeMap::new();
    for edit in edits {
        let Some((format, tools)) = files::of(&edit.path) else { continue };
        let format = if format == Format::Yaml && edit.path.ends_with("rc") { yaml_or_json(edit) } else { format };
        let side = |text: &Option<String>| text.as_ref().map(|text| files::read(format, text));
        let (then, now) = (side(&edit.then), side(&edit.now));
        let was_readable = then.as_ref().is_none_or(Option::is_some);
        if now.as_ref().is_some_and(Option::is_none) && was_readable {
            found.push(unreadable(edit, Rule::NoConfigLoosening));
            continue;
        }
        if !was_readable {
            continue;
        }
        // Each file of compiler options stands for itself.
        let dir = edit.path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let own = ["tsconfig", "jsconfig", "jest-"]
            .iter()
            .any(|start| edit.path.rsplit('/').next().is_some_and(|name| name.starts_with(start)));
        for (tool, place) in tools {
            let value =
                |side: &Option<Option<Value>>| side.as_ref()?.as_ref().and_then(|value| files::settings(value, place));
            let is_own = own || newcomers::is_joined(&edit.path, edits);
            let group = if is_own { edit.path.clone() } else { dir.to_string() };
            let sides = groups.entry((group, *tool)).or_default();
            let of = |value: Value| Side { path: edit.path.clone(), place: (*place).to_string(), value };
            for (side, text) in [(&mut sides.0, &then), (&mut sides.1, &now)] {
                let value = value(text);
                let ignored = value.as_ref().filter(|_| *tool == Tool::Eslint).and_then(lint_rules::ignored);
                side.extend(value.into_iter().chain(ignored).map(of));
            }
        }
    }
    for ((dir, tool), (then, now)) in &groups {
        let hiding = then.is_empty().then(|| hidden::settings(*tool, dir, now, edits, around)).flatten();
        if let Some(hiding) = hiding {
            let mut lost = direction::compare(*tool, &hiding.then, &hiding.now, around);
            if *tool == Tool::Eslint {
                lost.extend(lint_rules::compare(&hiding.then, &hiding.now));
            }
            for loss in &mut lost {
                loss.text.push_str(&format!(", because this file hides `{}`", hiding.hidden));
                // The old format of ESLint and the new one say the same in other places.
                loss.is_certain &= *tool != Tool::Eslint;
            }
            found.extend(lost);
            continue;
        }
        // Where a tool was not used, it checked nothing.
        if then.is_empty() && now.first().is_some_and(|side| newcomers::is_new(*tool, &side.path, edits, around)) {
            continue;
        }
        let is_first = now.first().is_some_and(|side| {
            newcomers::is_of_new_place(&side.path, edits, around)
                || newcomers::is_additional(&side.path, edits, around)
                || newcomers::is_joined(&side.path, edits)
        });
        let mut lost = direction::compare(*tool, then, now, around);
        // Where no code was, nothing was checked. What runs with the checks is told.
        lost.retain(|loss| !(then.is_empty() && is_first) || loss.rule == Rule::NoRunnerHooks);
        found.extend(lost);
        match tool {
            Tool::Eslint | Tool::Stylelint => found.extend(lint_rules::compare(then, now)),
            Tool::Checkstyle => found.extend(lint_rules::compare_modules(then, now)),
            _ => {}
        }
    }
    found
}

/// A new script with the text that it had before, if only its ending changed: `setup.js` became `setup.cjs`.
fn with_former(edit: &Edit, edits: &[Edit]) -> Edit {
    let bare = |path: &str| {
        let (name, end) = path.rsplit_once('.')?;
        moves::is_script(OsStr::new(end)).then(|| name.to_string())
    };
    let own = bare(&edit.path).filter(|_| edit.then.is_none());
    let is_former = |other: &&Edit| own.is_some() && other.now.is_none() && bare(&other.path) == own;
    let former = edits.iter().find(is_former).and_then(|other| other.then.clone());
    Edit { then: edit.then.clone().or(former), ..edit.clone() }
}

/// Files without an ending are JSON or YAML.
fn yaml_or_json(edit: &Edit) -> Format {
    let is_json = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim_start().starts_with(['{', '/']));
    if is_json(&edit.then) && is_json(&edit.now) { Format::Json } else { Format::Yaml }
}

/// A file that could be read before and cannot any more. One that nests too deep is read by its tool all the same.
fn unreadable(edit: &Edit, rule: Rule) -> Loss {
    let text = "can no longer be parsed, so its settings were not compared".to_string();
    let is_certain = edit.now.as_deref().is_some_and(|text| nesting(text) > value::DEPTH);
    Loss { rule, path: edit.path.clone(), key: "unreadable".to_string(), text, is_certain }
}

/// How deep brackets are open in a text.
fn nesting(text: &str) -> usize {
    let mut depth = 0usize;
    let step = |c| {
        depth = match c {
            '{' | '[' => depth + 1,
            '}' | ']' => depth.saturating_sub(1),
            _ => depth,
        };
        depth
    };
    text.chars().map(step).max().unwrap_or(0)
}

/// Whether a word is in a table of words that commas separate.
fn is_in(table: &str, word: &str) -> bool {
    table.split(", ").any(|known| known == word)
}

/// A text without comments that begin with `mark` at the start of a line or behind a blank.
fn strip_comments(text: &str, mark: &str) -> String {
    let strip = |line: &str| -> String {
        if line.trim_start().starts_with(mark) || line.trim_start().starts_with("* ") {
            return String::new();
        }
        match line.find(&format!(" {mark} ")) {
            Some(at) => line[..at].to_string(),
            None => line.to_string(),
        }
    };
    text.lines().map(|line| strip(line) + "\n").collect()
}
