//! Data of tests: a removed file that is no code goes with the lines that named it.

use crate::code::{extent, tree};
use crate::sides::{Sides, Source};
use regex::bytes::Regex;
use review_gate::outline::language;
use review_gate::snapshot::changes::Change;
use std::collections::BTreeSet;
use std::path::Path;

/// How many bytes of changed files are read.
const IN_ALL: usize = 32 << 20;

/// Extensions of files beside code that name the files which tests use.
const CALLING: [&str; 4] = ["yml", "yaml", "toml", "mk"];

/// How many lines of a removed file stand in another one at least, of ten.
const MOVED: usize = 9;

/// How short a line of data is that tells something.
const TELLING: usize = 8;

/// How short a name is that tells a file.
const SHORTEST: usize = 4;

/// The code of a change: what it removed, and what it holds today.
pub struct Lines {
    removed: String,
    today: String,
}

impl Lines {
    /// Reads the changed files of code. None if they are too large.
    pub fn of(all: &[Sides], source: &Source<'_>) -> Option<Lines> {
        let is_code = |change: &&Change| {
            let end = change.path.extension().and_then(|end| end.to_str());
            let is_script = end.is_none_or(|end| CALLING.contains(&end));
            is_script || change.path.to_str().is_some_and(|path| language::of(path).is_some())
        };
        let changes: Vec<Change> = all.iter().map(|one| &one.change).filter(is_code).cloned().collect();
        let mut lines = Lines { removed: String::new(), today: String::new() };
        for (change, (then, now)) in changes.iter().zip(source.both_texts(&changes, IN_ALL)?) {
            let name = change.path.to_str().and_then(language::of).unwrap_or_default();
            let is_hash = language::has_hash_comments(name);
            let (then, now) = (extent::code_lines(&then, is_hash), extent::code_lines(&now, is_hash));
            let kept: BTreeSet<&str> = now.iter().map(|line| line.trim()).collect();
            let removed = then.iter().filter(|line| !kept.contains(line.trim()));
            removed.for_each(|line| lines.removed.extend([line, "\n"]));
            now.iter().for_each(|line| lines.today.extend([line, "\n"]));
        }
        Some(lines)
    }

    /// Whether removed lines named a removed file, or a directory that went with it, and no code does so any more.
    pub fn named_only(&self, one: &Sides, all: &[Sides], source: &Source<'_>) -> bool {
        let path = &one.change.path;
        let text = |part: Option<&std::ffi::OsStr>| part.and_then(|part| part.to_str()).map(regex::escape);
        let (Some(name), Some(stem)) = (text(path.file_name()), text(path.file_stem())) else { return false };
        let is_gone =
            |dir: &&Path| dir.file_name().is_some() && !source.now.files.iter().any(|file| file.path.starts_with(dir));
        let dirs = path.ancestors().skip(1).take_while(is_gone).filter_map(|dir| text(dir.file_name()));
        let dirs = dirs.filter(|dir| dir.len() >= SHORTEST).map(|dir| format!(r#"["'`/]{dir}["'`/]"#));
        let whole = format!(r"\b{name}\b");
        let bare = (stem.len() >= SHORTEST).then(|| format!(r#"["'`:./]{stem}(?:["'`/]|\b[^\w(])"#));
        let changed: BTreeSet<&Path> = all.iter().map(|one| one.change.path.as_path()).collect();
        let is_held = |regex: &Regex| {
            regex.is_match(self.today.as_bytes()) || tree::is_held(source.top, source.now, &changed, regex)
        };
        let mut regexes =
            std::iter::once(whole.clone()).chain(bare).chain(dirs).filter_map(|one| Regex::new(&one).ok());
        let is_whole_held = Regex::new(&whole).is_ok_and(|regex| is_held(&regex));
        !is_whole_held && regexes.any(|regex| regex.is_match(self.removed.as_bytes()) && !is_held(&regex))
    }
}

/// Whether the lines of a removed file of data stand in another one of its directory and kind now, which gained some of them.
pub fn is_merged(one: &Sides, all: &[Sides], source: &Source<'_>) -> bool {
    let path = &one.change.path;
    let is_near = |other: &&Sides| {
        let other = &other.change;
        other.now.is_some() && other.path.parent() == path.parent() && other.path.extension() == path.extension()
    };
    let near = all.iter().filter(is_near).map(|other| other.change.clone());
    let changes: Vec<Change> = std::iter::once(one.change.clone()).chain(near).collect();
    let Some(texts) = source.both_texts(&changes, IN_ALL).filter(|_| changes.len() > 1) else { return false };
    let lines = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(text);
        text.lines()
            .map(|line| line.trim().trim_end_matches(',').to_string())
            .filter(|line| line.len() >= TELLING)
            .collect()
    };
    let removed = lines(&texts[0].0);
    texts[1..].iter().any(|(then, now)| {
        let (then, now): (BTreeSet<String>, BTreeSet<String>) =
            (lines(then).into_iter().collect(), lines(now).into_iter().collect());
        let there = removed.iter().filter(|line| now.contains(*line)).count();
        let gained = removed.iter().any(|line| now.contains(line) && !then.contains(line));
        gained && there * 10 >= removed.len() * MOVED
    })
}
