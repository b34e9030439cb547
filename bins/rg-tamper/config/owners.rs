//! CODEOWNERS and .gitattributes: who has to approve a change, and whose changes a review does not show.

use super::{Around, Edit, Loss, text_now};
use crate::places;
use review_gate::donefile;
use review_gate::event::Rule;
use review_gate::outline::language;
use review_gate::sys::gitignore::Patterns;
use std::path::Path;

/// Where CODEOWNERS may be; the first that exists counts.
const OWNERS: [&str; 4] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];

/// How many files of the project are looked at.
const FILES: usize = 20_000;

/// The attributes that keep the changes of a file out of a review.
const HIDING: [&str; 6] =
    ["-diff", "binary", "linguist-generated", "linguist-generated=true", "gitlab-generated", "diff=false"];

/// Whether a file of this path is read here.
pub fn is_read(path: &str) -> bool {
    OWNERS.contains(&path) || is_attributes(path)
}

fn is_attributes(path: &str) -> bool {
    path == ".gitattributes" || path.ends_with("/.gitattributes")
}

/// What the changed files no longer have approved, or hide.
pub fn judge(edits: &[Edit], around: &Around<'_>) -> Vec<Loss> {
    let mut found = Vec::new();
    if let Some(edit) = edits.iter().find(|edit| OWNERS.contains(&edit.path.as_str())) {
        found.extend(lost_owners(edit, edits, around));
    }
    for edit in edits.iter().filter(|edit| is_attributes(&edit.path)) {
        found.extend(hidden(edit, around));
    }
    found
}

/// The text of the CODEOWNERS that counts.
fn owners_file(edits: &[Edit], around: &Around<'_>, is_then: bool) -> Option<String> {
    let text = |path: &&str| match edits.iter().find(|edit| edit.path == **path) {
        Some(edit) if is_then => edit.then.clone(),
        _ => text_now(path, edits, around),
    };
    OWNERS.iter().find_map(text)
}

/// A rule: its pattern as written, its patterns, and whether it names an owner.
struct Owned {
    pattern: String,
    patterns: Patterns,
    has_owner: bool,
}

fn rules(text: Option<String>) -> Vec<Owned> {
    let rule = |line: &str| {
        let line = line.split(" #").next().unwrap_or(line);
        let mut words = line.split_whitespace();
        let pattern = words.next().filter(|pattern| !pattern.starts_with(['#', '[', '^', '!']))?.to_string();
        // A directory with `/*` stands for its own files only; a plain name for everything below.
        let patterns = Patterns::new([pattern.as_str()]);
        Some(Owned { patterns, has_owner: words.next().is_some(), pattern })
    };
    text.unwrap_or_default().lines().filter_map(rule).collect()
}

/// The last rule for a path that names an owner; none if nobody owns it.
fn rule_of<'r>(rules: &'r [Owned], path: &str) -> Option<&'r Owned> {
    rules.iter().rev().find(|rule| rule.patterns.matches(Path::new(path))).filter(|rule| rule.has_owner)
}

/// Whether checks depend on a file: DONE.md, CI, tests.
fn is_guarded(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let is_test = lower.split(['/', '.', '_', '-']).any(|word| matches!(word, "test" | "tests" | "spec" | "specs"));
    let is_ci = lower.starts_with(".github/") || lower.starts_with(".gitlab") || OWNERS.contains(&path);
    is_test || is_ci || donefile::NAMES.contains(&path)
}

/// Guarded files that had an owner and have none now, by the rule that they lost.
fn lost_owners(edit: &Edit, edits: &[Edit], around: &Around<'_>) -> Vec<Loss> {
    let (then, now) = (rules(owners_file(edits, around, true)), rules(owners_file(edits, around, false)));
    let mut lost: Vec<(String, String, usize)> = Vec::new();
    for path in around.paths().iter().take(FILES).filter(|path| is_guarded(path)) {
        let Some(rule) = rule_of(&then, path).filter(|_| rule_of(&now, path).is_none()) else { continue };
        match lost.iter_mut().find(|(pattern, ..)| *pattern == rule.pattern) {
            Some((.., count)) => *count += 1,
            None => lost.push((rule.pattern.clone(), path.clone(), 1)),
        }
    }
    let loss = |(pattern, path, count): (String, String, usize)| {
        let others = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let text = format!("no owner has to approve {path}{others}: the rule `{pattern}` is gone or names nobody");
        Loss {
            rule: Rule::NoCiGutting,
            path: edit.path.clone(),
            key: format!("owner {pattern}"),
            text,
            is_certain: false,
        }
    };
    lost.into_iter().map(loss).collect()
}

/// Patterns that newly hide source files or tests from a review.
fn hidden(edit: &Edit, around: &Around<'_>) -> Vec<Loss> {
    let dir = edit.path.strip_suffix(".gitattributes").unwrap_or("");
    let lines = |text: &Option<String>| -> Vec<(String, String)> {
        let words = |line: &str| {
            let mut words = line.split_whitespace();
            let pattern = words.next().filter(|pattern| !pattern.starts_with('#'))?.to_string();
            let hiding = words.find(|word| HIDING.contains(word))?;
            Some((pattern, hiding.to_string()))
        };
        text.iter().flat_map(|text| text.lines()).filter_map(words).collect()
    };
    let then = lines(&edit.then);
    let mut found = Vec::new();
    for (pattern, attribute) in lines(&edit.now).into_iter().filter(|line| !then.contains(line)) {
        let patterns = Patterns::new([pattern.as_str()]);
        let is_hidden = |path: &&String| {
            let below = path.strip_prefix(dir);
            let is_output = path.split('/').any(|part| matches!(part, "dist" | "build" | "out" | "target"));
            let is_foreign = is_output || places::is_vendored(path) || places::is_built(path);
            let is_code = language::of(path).is_some() && !is_foreign;
            is_code && below.is_some_and(|below| patterns.matches(Path::new(below))) && !is_generated(path, around)
        };
        if let Some(path) = around.paths().iter().take(FILES).find(is_hidden) {
            let text = format!("a review no longer shows the changes of {path}: `{pattern} {attribute}`");
            let key = format!("{pattern} {attribute}");
            found.push(Loss { rule: Rule::NoCiGutting, path: edit.path.clone(), key, text, is_certain: false });
        }
    }
    found
}

/// Whether a file says at its start that a program wrote it.
fn is_generated(path: &str, around: &Around<'_>) -> bool {
    let text = around.read(path).unwrap_or_default();
    text.lines().take(10).any(|line| line.to_ascii_lowercase().contains("generated"))
}
