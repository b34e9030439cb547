//! Reads single values of DONE.md: texts, numbers, paths, patterns, each with an error that names its line.

use super::yaml::{Node, Value, wrong};
use crate::sys::clock::parse_duration;
use crate::sys::error::{Error, Result};
use crate::sys::gitignore::is_pattern;
use std::fs;
use std::path::{Component, Path};

/// Reads nodes of one file.
pub(super) struct Reader<'a> {
    pub(super) file: &'a str,
    pub(super) root: &'a Path,
}

impl Reader<'_> {
    pub(super) fn wrong<T>(&self, line: usize, words: &str) -> Result<T> {
        Err(wrong(self.file, line, words))
    }

    pub(super) fn unknown<T>(&self, line: usize, name: &str, what: &str, known: &[&str]) -> Result<T> {
        let near = known.iter().filter(|key| is_near(name, key)).min_by_key(|key| key.len().abs_diff(name.len()));
        let hint = near.map_or(String::new(), |key| format!(" (did you mean \"{key}\"?)"));
        Err(wrong(self.file, line, &format!("unknown {what} \"{name}\"{hint}")))
    }

    pub(super) fn text(&self, node: &Node, name: &str) -> Result<String> {
        match &node.value {
            Value::Text(text) if text.contains('\0') => self.wrong(node.line, &format!("\"{name}\" contains a NUL")),
            Value::Text(text) if !text.trim().is_empty() => Ok(text.clone()),
            Value::Text(_) | Value::Null => self.wrong(node.line, &format!("\"{name}\" is empty")),
            other => self.wrong(node.line, &format!("\"{name}\" must be a text, not {}: quote it", other.name())),
        }
    }

    pub(super) fn texts(&self, node: &Node, name: &str) -> Result<Vec<String>> {
        match &node.value {
            Value::List(items) => items.iter().map(|item| self.text(item, name)).collect(),
            other => self.wrong(node.line, &format!("\"{name}\" must be a list of texts, not {}", other.name())),
        }
    }

    pub(super) fn patterns(&self, node: &Node, name: &str) -> Result<Vec<String>> {
        let patterns = self.texts(node, name)?;
        match patterns.iter().find(|pattern| pattern.split('/').any(|part| part == "..")) {
            Some(pattern) => self.wrong(node.line, &format!("\"{name}\": {pattern:?} leaves the root")),
            None => Ok(patterns),
        }
    }

    /// Gitignore patterns. An invalid one is an error, because it would match nothing.
    pub(super) fn ignore_patterns(&self, node: &Node, name: &str) -> Result<Vec<String>> {
        let patterns = self.patterns(node, name)?;
        match patterns.iter().find(|pattern| !is_pattern(pattern)) {
            Some(pattern) => self.wrong(node.line, &format!("\"{name}\": {pattern:?} is not a gitignore pattern")),
            None => Ok(patterns),
        }
    }

    pub(super) fn positive(&self, node: &Node, name: &str) -> Result<f64> {
        match node.value {
            Value::Number(n) if n > 0.0 => Ok(n),
            _ => self.wrong(node.line, &format!("\"{name}\" must be a number above 0")),
        }
    }

    /// A number of seconds.
    pub(super) fn seconds(&self, node: &Node, name: &str) -> Result<f64> {
        match &node.value {
            Value::Text(text) => {
                let hint =
                    parse_duration(text).map_or(String::new(), |seconds| format!(": write {seconds}, not {text}"));
                self.wrong(node.line, &format!("\"{name}\" must be a number of seconds{hint}"))
            }
            Value::Number(n) if *n > 0.0 => Ok(*n),
            _ => self.wrong(node.line, &format!("\"{name}\" must be a number of seconds above 0")),
        }
    }

    pub(super) fn one_of(&self, node: &Node, name: &str, words: &[&str]) -> Result<()> {
        match &node.value {
            Value::Text(text) if words.contains(&text.as_str()) => Ok(()),
            _ => self.wrong(node.line, &format!("\"{name}\" must be one of: {}", words.join(", "))),
        }
    }

    /// One of these words.
    pub(super) fn word<W: Copy + std::fmt::Display>(&self, node: &Node, name: &str, words: &[W]) -> Result<W> {
        let is_named = |word: &&W| node.value == Value::Text(word.to_string());
        let names: Vec<String> = words.iter().map(W::to_string).collect();
        match words.iter().find(is_named) {
            Some(word) => Ok(*word),
            None => self.wrong(node.line, &format!("\"{name}\" must be one of: {}", names.join(", "))),
        }
    }

    pub(super) fn inside(&self, node: &Node, name: &str) -> Result<String> {
        let path = self.text(node, name)?;
        self.stays_inside(node.line, &path)?;
        Ok(path)
    }

    /// Refuses a path that leaves the root, as written or, as far as it exists, by its real path.
    pub(super) fn stays_inside(&self, line: usize, path: &str) -> Result<()> {
        let steps = Path::new(path).components();
        let plain = steps.into_iter().all(|step| matches!(step, Component::Normal(_) | Component::CurDir));
        let whole = self.root.join(path);
        let real = whole.ancestors().find_map(|dir| fs::canonicalize(dir).ok());
        let real_root = fs::canonicalize(self.root).map_err(|e| Error::io("resolve", self.root, &e))?;
        if !plain || path.is_empty() || !real.is_some_and(|real| real.starts_with(real_root)) {
            return self.wrong(line, &format!("{path:?} leaves the root"));
        }
        Ok(())
    }
}

/// Whether two words are at most two edits apart (a cheap bound: common prefix and suffix).
fn is_near(a: &str, b: &str) -> bool {
    let prefix = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let suffix = a.bytes().rev().zip(b.bytes().rev()).take_while(|(x, y)| x == y).count();
    let longest = a.len().max(b.len());
    prefix + suffix + 2 >= longest && prefix + suffix > 0
}
