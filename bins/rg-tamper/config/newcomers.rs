//! Newcomers: tools that a change begins to use. Their first configuration lowers no bar.

use super::files::Tool;
use super::{Around, Edit, is_compared};

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
    let is_text = |other: &str| is_compared(other) || is_requirement(other);
    let changed = edits.iter().filter_map(|edit| edit.then.clone());
    let is_other = |other: &&String| is_text(other) && *other != path && !edits.iter().any(|edit| edit.path == **other);
    let mut unchanged = around.paths().iter().filter(is_other);
    let texts: Vec<String> = unchanged.by_ref().take(FILES).filter_map(|other| around.read(other)).collect();
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

/// Whether a file lists packages of Python.
fn is_requirement(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".txt") && (name.contains("requirements") || path.contains("requirements/")) || name == "Gemfile"
}
