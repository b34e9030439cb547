//! Newcomers: tools that a change begins to use. Their first configuration lowers no bar.

use super::files::Tool;
use super::side::Side;
use super::value::Value;
use super::{Around, Edit, is_compared};
use std::collections::BTreeSet;

/// How many files of the base are read.
const FILES: usize = 60;

/// The names by which manifests, scripts and CI call a tool. None if a tool runs without being named.
fn names(tool: Tool) -> Option<&'static [&'static str]> {
    Some(match tool {
        Tool::Ava => &["ava"],
        Tool::Bandit => &["bandit"],
        Tool::Biome => &["biome"],
        Tool::Eslint => &["eslint", "xo"],
        Tool::Flake8 => &["flake8"],
        Tool::Jest => &["jest"],
        Tool::Karma => &["karma"],
        Tool::Mocha => &["mocha"],
        Tool::Mypy => &["mypy"],
        Tool::Nyc => &["nyc"],
        Tool::Playwright => &["playwright"],
        Tool::PreCommit => &["pre-commit", "prek"],
        Tool::Pylint => &["pylint"],
        Tool::Pyright => &["pyright"],
        Tool::Rubocop => &["rubocop"],
        Tool::Ruff => &["ruff"],
        Tool::Stylelint => &["stylelint"],
        Tool::Vitest => &["vitest"],
        _ => return None,
    })
}

/// Whether nothing at the base configured or called a tool.
pub fn is_new(tool: Tool, path: &str, edits: &[Edit], around: &Around<'_>) -> bool {
    let Some(names) = names(tool) else { return false };
    // What the definition of done runs was used before.
    let is_definition = |other: &str| other.rsplit('/').next() == Some("DONE.md");
    let is_text = |other: &str| is_compared(other) || is_requirement(other) || is_definition(other);
    // The name of a file tells as well: `.eslintrc.json`.
    let named = |path: &str, text: String| format!("{path}\n{text}");
    let changed = edits.iter().filter_map(|edit| Some(named(&edit.path, edit.then.clone()?)));
    let is_other = |other: &&String| is_text(other) && *other != path && !edits.iter().any(|edit| edit.path == **other);
    let mut unchanged = around.paths().iter().filter(is_other);
    let texts: Vec<String> =
        unchanged.by_ref().take(FILES).filter_map(|other| Some(named(other, around.read(other)?))).collect();
    // Of many files some were not read.
    if unchanged.next().is_some() {
        return false;
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_');
    let is_named = |text: &str| {
        text.split(|c| !is_part(c) && c != '-')
            .any(|word| names.iter().any(|name| word.split('-').any(|part| part == *name) || word == *name))
    };
    !changed.chain(texts).any(|text| is_named(&text))
}

/// Whether a file is a further configuration beside the usual one of its directory, which did not change: `vitest.e2e.config.ts`
/// beside `vitest.config.ts`. What runs the checks calls it by its name.
pub fn is_additional(path: &str, edits: &[Edit], around: &Around<'_>) -> bool {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parts: Vec<&str> = name.trim_start_matches('.').split('.').collect();
    let is_usual = |other: &&String| {
        let (other_dir, other) = other.rsplit_once('/').unwrap_or(("", other));
        let others: Vec<&str> = other.trim_start_matches('.').split('.').collect();
        // One part more; the ending may be another one.
        let bare = |parts: &[&'_ str]| parts[..parts.len() - 1].join(".");
        let is_one_less = (1..parts.len().saturating_sub(1)).any(|at| {
            let mut less = parts.clone();
            less.remove(at);
            bare(&less) == bare(&others)
        });
        other_dir == dir && others.len() + 1 == parts.len() && others.len() > 1 && is_one_less
    };
    let is_new = edits.iter().any(|edit| edit.path == path && edit.then.is_none());
    is_new && around.paths().iter().filter(|other| is_compared(other)).any(|other| is_usual(&other))
}

/// Keys of lists of configurations that are used beside each other.
const LISTS: [&str; 4] = ["projects", "references", "workspaces", "defineWorkspace"];

/// Whether a new configuration was joined to a list of projects, which had entries before and keeps all of them: it is used beside theirs.
pub fn is_joined(path: &str, edits: &[Edit]) -> bool {
    let is_new = edits.iter().any(|edit| edit.path == path && edit.then.is_none() && edit.now.is_some());
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*');
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c| !is_part(c)).map(|word| word.trim_start_matches("./").trim_end_matches('/'));
        words.filter(|word| !word.is_empty()).map(str::to_string).collect()
    };
    let is_it =
        |word: &String| word == name || word == path || !dir.is_empty() && path.ends_with(&format!("{word}/{name}"));
    let joins = |edit: &Edit| {
        let (Some(then), Some(now)) = (&edit.then, &edit.now) else { return false };
        let (before, after) = (words(then), words(now));
        let has_list = LISTS.iter().any(|list| before.contains(*list));
        is_compared(&edit.path) && has_list && before.is_subset(&after) && after.difference(&before).any(is_it)
    };
    is_new && edits.iter().any(joins)
}

/// Whether the directory of a file is new, and no code moved there: a new package configures its tools for the first time.
pub fn is_of_new_place(path: &str, edits: &[Edit], around: &Around<'_>) -> bool {
    let Some((dir, _)) = path.rsplit_once('/') else { return false };
    let is_below = |other: &str| other.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    let was_there = || edits.iter().any(|edit| edit.then.is_some() && is_below(&edit.path));
    !around.has_removed_code && !was_there() && !around.paths().iter().any(|other| is_below(other))
}

/// Whether the file of a target of Cargo, `test/[name]/harness`, was not there before. Code that was removed may be in it.
pub fn is_new_target(tool: Tool, key: &[String], dir: &str, now: &[Side], around: &Around<'_>) -> bool {
    let [kind, name, ..] = key else { return false };
    let name = name.trim_matches(['[', ']']);
    let is_named = |item: &&Value| item.get("name").and_then(Value::text).is_some_and(|text| text == name);
    let item = now.iter().find_map(|side| side.value.get(kind)?.items().iter().find(is_named));
    let given = item.and_then(|item| item.get("path")).and_then(Value::text);
    let path = given.unwrap_or_else(|| format!("tests/{name}.rs"));
    let path = if dir.is_empty() { path } else { format!("{dir}/{path}") };
    let main = format!("{}/main.rs", path.trim_end_matches(".rs"));
    tool == Tool::Cargo
        && kind == "test"
        && !around.has_removed_code
        && !around.paths().iter().any(|other| *other == path || *other == main)
}

/// Whether a file lists packages of Python.
fn is_requirement(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".txt") && (name.contains("requirements") || path.contains("requirements/")) || name == "Gemfile"
}
