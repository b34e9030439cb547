//! The rest of the tree: whether unchanged files still define a name.

use super::extent;
use super::phrases::{BETWEEN, Phrase};
use regex::bytes::{Regex, RegexSet};
use review_gate::outline::language;
use review_gate::snapshot::Snapshot;
use review_gate::sys::files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many bytes are read in all.
const IN_ALL: u64 = 64 << 20;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The ends of the names of files that hold values for code.
const DATA: [&str; 16] = [
    "json",
    "toml",
    "yaml",
    "yml",
    "xml",
    "ini",
    "cfg",
    "conf",
    "properties",
    "vue",
    "svelte",
    "astro",
    "erb",
    "html",
    "graphql",
    "proto",
];

/// How many names are looked for.
const NAMES: usize = 128;

/// How many phrases are looked for.
const PHRASES: usize = 64;

/// Those of these names that no unchanged source file defines. If the tree is too large to tell, none.
pub fn undefined<'a>(
    top: &Path,
    now: &Snapshot,
    changed: &BTreeSet<&Path>,
    names: &BTreeSet<&'a str>,
) -> BTreeSet<&'a str> {
    unfound(top, now, changed, names, definition_of)
}

/// Those of these words that no unchanged source file and no unchanged test holds. If the tree is too large to tell, none.
pub fn absent<'a>(
    top: &Path,
    now: &Snapshot,
    changed: &BTreeSet<&Path>,
    words: &BTreeSet<&'a str>,
) -> BTreeSet<&'a str> {
    unfound(top, now, changed, words, use_of)
}

/// How often unchanged source files hold each of these words. None if the tree is too large to tell, or if no word is wanted.
pub fn counts<'a>(
    top: &Path,
    now: &Snapshot,
    changed: &BTreeSet<&Path>,
    words: &BTreeSet<&'a str>,
) -> Option<BTreeMap<&'a str, i64>> {
    let regex = use_of(words)?;
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    let is_whole = each_file(top, now, changed, |_, bytes| {
        for found in regex.find_iter(bytes) {
            if let Some(word) = words.iter().find(|word| word.as_bytes() == found.as_bytes()) {
                *counts.entry(word).or_default() += 1;
            }
        }
        true
    });
    is_whole.then_some(counts)
}

/// Those of these phrases that no unchanged source file and no unchanged test holds. If the tree is too large to tell, none.
pub fn absent_phrases<'a>(
    top: &Path,
    now: &Snapshot,
    changed: &BTreeSet<&Path>,
    phrases: &BTreeSet<Phrase<'a>>,
) -> BTreeSet<Phrase<'a>> {
    let wanted: Vec<Phrase<'_>> = phrases.iter().copied().take(PHRASES).collect();
    let expression =
        |(a, b): &Phrase<'_>| format!(r"(?-u)\b{}[^\w\n]{{1,{BETWEEN}}}{}\b", regex::escape(a), regex::escape(b));
    let Ok(set) = RegexSet::new(wanted.iter().map(expression)) else { return BTreeSet::new() };
    let mut is_held = vec![false; wanted.len()];
    let is_whole = !wanted.is_empty()
        && each_file(top, now, changed, |_, bytes| {
            set.matches(bytes).into_iter().for_each(|at| is_held[at] = true);
            is_held.contains(&false)
        });
    let left = wanted.into_iter().zip(is_held).filter(|(_, is_held)| !is_held);
    if is_whole { left.map(|(phrase, _)| phrase).collect() } else { BTreeSet::new() }
}

/// The lines, without comments, of the unchanged source files that define one of these names. If the tree is too large to tell, none.
pub fn definers(top: &Path, now: &Snapshot, changed: &BTreeSet<&Path>, names: &BTreeSet<&str>) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let Some(regex) = definition_of(names) else { return found };
    let is_whole = each_file(top, now, changed, |path, bytes| {
        if regex.is_match(bytes) {
            let language = path.to_str().and_then(language::of).unwrap_or_default();
            found.push(extent::code_lines(bytes, language::has_hash_comments(language)));
        }
        true
    });
    if is_whole { found } else { Vec::new() }
}

/// The unchanged source files that hold one of these lines, each with its lines without comments. If the tree is too large to tell, none.
pub fn holding(
    top: &Path,
    now: &Snapshot,
    changed: &BTreeSet<&Path>,
    lines: &BTreeSet<&str>,
) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let any: Vec<String> = lines.iter().take(NAMES).map(|line| regex::escape(line)).collect();
    let Some(regex) = Regex::new(&format!("(?-u)(?:{})", any.join("|"))).ok().filter(|_| !any.is_empty()) else {
        return found;
    };
    let is_whole = each_file(top, now, changed, |path, bytes| {
        if let Some(shown) = path.to_str().filter(|_| regex.is_match(bytes)) {
            let language = language::of(shown).unwrap_or_default();
            found.push((shown.to_string(), extent::code_lines(bytes, language::has_hash_comments(language))));
        }
        true
    });
    if is_whole { found } else { Vec::new() }
}

/// Whether an unchanged source file holds what an expression matches. If the tree is too large to tell, one does.
pub fn is_held(top: &Path, now: &Snapshot, changed: &BTreeSet<&Path>, regex: &Regex) -> bool {
    let mut is_found = false;
    let is_whole = each_file(top, now, changed, |_, bytes| {
        is_found = regex.is_match(bytes);
        !is_found
    });
    is_found || !is_whole
}

/// Whether an unchanged source file of a place holds what an expression matches. If the tree is too large to tell, none does.
pub fn is_in(
    top: &Path,
    now: &Snapshot,
    changed: &BTreeSet<&Path>,
    is_there: impl Fn(&Path) -> bool,
    regex: &Regex,
) -> bool {
    let mut is_found = false;
    let is_whole = each_file(top, now, changed, |path, bytes| {
        is_found = is_there(path) && regex.is_match(bytes);
        !is_found
    });
    is_found && is_whole
}

/// The lines of unchanged source files that may assign a value to a name. None if the tree is too large to tell.
pub fn assigning(top: &Path, now: &Snapshot, changed: &BTreeSet<&Path>, name: &str) -> Option<Vec<String>> {
    let regex = Regex::new(&format!(r"(?m-u)^[^\n]*\b{}\b[^=\n]{{0,80}}=[^\n]*$", regex::escape(name))).ok()?;
    let mut found = Vec::new();
    let is_whole = each_file(top, now, changed, |_, bytes| {
        found.extend(regex.find_iter(bytes).map(|line| String::from_utf8_lossy(line.as_bytes()).into_owned()));
        true
    });
    is_whole.then_some(found)
}

/// Reads the unchanged source files until `read` is done. False if the tree is too large.
fn each_file(top: &Path, now: &Snapshot, changed: &BTreeSet<&Path>, read: impl FnMut(&Path, &[u8]) -> bool) -> bool {
    each_of(top, now, changed, |path| language::of(path).is_some(), read)
}

/// Reads the unchanged source files, configurations and pages until `read` is done. False if the tree is too large.
pub fn each_with_data(
    top: &Path,
    now: &Snapshot,
    changed: &BTreeSet<&Path>,
    read: impl FnMut(&Path, &[u8]) -> bool,
) -> bool {
    let is_data = |path: &str| path.rsplit_once('.').is_some_and(|(_, end)| DATA.contains(&end));
    each_of(top, now, changed, |path| language::of(path).is_some() || is_data(path), read)
}

/// Reads the unchanged files of some kind until `read` is done. False if the tree is too large.
fn each_of(
    top: &Path,
    now: &Snapshot,
    changed: &BTreeSet<&Path>,
    is_wanted: impl Fn(&str) -> bool,
    mut read: impl FnMut(&Path, &[u8]) -> bool,
) -> bool {
    let mut room = IN_ALL;
    let is_wanted = |path: &Path| path.to_str().is_some_and(&is_wanted);
    for file in now.files.iter().filter(|file| file.entry.what.is_file() && is_wanted(&file.path)) {
        if changed.contains(file.path.as_path()) {
            continue;
        }
        let Some(bytes) = files::try_read(&top.join(&file.path), LARGEST) else { continue };
        match room.checked_sub(bytes.len() as u64) {
            Some(rest) => room = rest,
            None => return false,
        }
        if !read(&file.path, &bytes) {
            break;
        }
    }
    true
}

fn unfound<'a>(
    top: &Path,
    now: &Snapshot,
    changed: &BTreeSet<&Path>,
    names: &BTreeSet<&'a str>,
    regex_of: fn(&BTreeSet<&str>) -> Option<Regex>,
) -> BTreeSet<&'a str> {
    let mut left: BTreeSet<&str> = names.iter().copied().take(NAMES).collect();
    let Some(regex) = regex_of(&left) else { return BTreeSet::new() };
    let is_whole = each_file(top, now, changed, |_, bytes| {
        for found in regex.captures_iter(bytes) {
            let name = found.iter().skip(1).flatten().next().map(|name| name.as_bytes().to_vec()).unwrap_or_default();
            left.retain(|known| known.as_bytes() != name);
        }
        !left.is_empty()
    });
    if is_whole { left } else { BTreeSet::new() }
}

/// One of these words, as a whole.
fn use_of(words: &BTreeSet<&str>) -> Option<Regex> {
    let words: Vec<String> = words.iter().rev().map(|word| regex::escape(word)).collect();
    if words.is_empty() { None } else { Regex::new(&format!(r"(?-u)\b({})\b", words.join("|"))).ok() }
}

/// What defines one of these names: a keyword before it, or a body, a value or a colon after it.
fn definition_of(names: &BTreeSet<&str>) -> Option<Regex> {
    let names: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
    if names.is_empty() {
        return None;
    }
    let keywords = "def|defp|defmodule|defmacro|fn|func|fun|function|class|struct|enum|trait|interface|const|let|var|val|type|module\
        |macro_rules!|object|record|protocol|extension|sub|define|static|union|typedef|abstract|override|public|private|protected|internal";
    let names = names.join("|");
    let before = format!(r"\b(?:{keywords})\s+(?:\w+\s+|\([^)\n]*\)\s*|self\.|\w+\.|\*)?({names})\b");
    let after = format!(
        r"(?m)^\s*(?:async\s+|static\s+|\*)*({names})\s*(?:\([^;\n]*\)\s*\{{|[:=]\s*(?:async\s*)?(?:function\b|\(|\w+\s*=>))"
    );
    Regex::new(&format!("(?-u){before}|{after}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_told_from_a_use() {
        let regex = definition_of(&["slug", "Slug"].into()).unwrap();
        for text in [
            "def slug(a):",
            "function slug(a) {",
            "export const slug = 1",
            "pub fn slug() {",
            "func (s *S) slug() {",
            "class Slug",
            "  slug(a) {\n",
            "  slug: function (a) {",
            "  slug = (a) =>",
            "def self.slug",
            "public String slug(",
        ] {
            assert!(regex.is_match(text.as_bytes()), "{text}");
        }
        for text in ["x = slug(a);", "slug(a)", "import { slug } from 'x'", "return slug", "expect(slug('a')).toBe(1)"]
        {
            assert!(!regex.is_match(text.as_bytes()), "{text}");
        }
    }
}
