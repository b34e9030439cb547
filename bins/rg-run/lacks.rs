//! What an agent's change lacks: a test, a place in its plan, a word about a new dependency.

use crate::settings::Place;
use crate::survey;
use review_gate::event::{BudgetOwner, Client, RunNote, RunNoteKind};
use review_gate::git::Repository;
use review_gate::snapshot::{File, baseline};
use review_gate::store::record::RunStart;
use review_gate::store::task::{self, Task};
use review_gate::sys::digest;
use review_gate::sys::files;
use review_gate::sys::glob;
use review_gate::sys::text::{count, cut_end, one_line};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The most files and dependencies that are named.
const MOST: usize = 10;

/// The longest manifest that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// The largest file that is compared with its content at the begin, in bytes. A larger one counts as changed.
const LARGEST: u64 = 16 << 20;

/// What the change since the begin of a run lacks. `said` is what the agent answered.
pub fn notes(place: &Place, start: &RunStart, goal: &str, said: &str) -> Vec<RunNote> {
    let Some(repository) = Repository::find(&place.root) else { return Vec::new() };
    let changed = changed(&repository, start);
    let mut notes = Vec::new();
    let mut note = |what, path: &str, text: String| {
        notes.push(RunNote { what, path: one_line(&cut_end(path, 200)), text, blocks: start.strict });
    };
    let globs = place.done.as_ref().map(|done| done.guards.test_globs.clone()).unwrap_or_default();
    let is_test = |path: &String| glob::any(&globs, path);
    let sources: Vec<&String> = changed.iter().filter(|path| survey::is_source(path) && !is_test(path)).collect();
    // Without any test file there may be no place for one.
    if let Some(first) = sources.first()
        && !changed.iter().any(is_test)
    {
        let text = format!("{} changed, and no test changed", count(sources.len(), "source file"));
        note(RunNoteKind::Untested, first, text);
    }
    if start.patch {
        let unplanned = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            !said.contains(path.as_str()) && !said.contains(name)
        };
        for path in changed.iter().filter(unplanned).take(MOST) {
            note(RunNoteKind::Unplanned, path, "the plan does not name this file".to_string());
        }
    }
    let named = format!("{goal}\n{said}");
    for path in changed.iter().filter(|path| is_manifest(path)) {
        let now = files::try_read(&repository.top.join(path), LONGEST).unwrap_or_default();
        let then = start.base.as_ref().and_then(|base| repository.git(&["show", &format!("{base}:{path}")]).ok());
        let before = dependencies(path, &then.unwrap_or_default());
        let added = dependencies(path, &now).into_iter().filter(|name| !before.contains(name));
        for name in added.filter(|name| !named.contains(name.as_str())).take(MOST) {
            let text = format!("the new dependency {} is not named", cut_end(&one_line(&name), 80));
            note(RunNoteKind::UnnamedDependency, path, text);
        }
    }
    notes
}

/// The files that differ from those at the begin of the run, relative to the top. Uncommitted work that was there then does not count.
fn changed(repository: &Repository, start: &RunStart) -> BTreeSet<String> {
    let base = start.base.as_deref().unwrap_or("HEAD");
    let mut found = BTreeSet::new();
    let lists = [
        vec!["diff", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "-z", base, "--"],
        vec!["ls-files", "--others", "--exclude-standard", "-z"],
    ];
    for list in lists.into_iter().filter_map(|args| repository.git(&args).ok()) {
        let names = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        found.extend(names.map(|name| String::from_utf8_lossy(name).into_owned()));
    }
    if let Some(then) = files_at_begin(&start.run).filter(|_| !found.is_empty()) {
        found.retain(|path| !is_as_then(repository, &then, path));
    }
    found
}

/// The files at the begin of a run, sorted; None if no baseline is on record.
fn files_at_begin(run: &str) -> Option<Vec<File>> {
    let (state, id) = task::task_of(Client::Text, run).ok()??;
    let task = Task::load(&state, &id).ok()??;
    baseline::last(&task, &BudgetOwner::Main)?.files(&state).ok()
}

/// Whether a file is the same as at the begin of the run.
fn is_as_then(repository: &Repository, then: &[File], path: &str) -> bool {
    let was = then.iter().find(|file| file.path == Path::new(path));
    let full = repository.top.join(path);
    match was {
        None => !full.exists() && !full.is_symlink(),
        Some(file) if file.entry.what.is_file() => {
            files::try_read(&full, LARGEST).is_some_and(|now| digest::raw(&now) == file.entry.sha256)
        }
        Some(_) => false,
    }
}

fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "Cargo.toml" | "package.json" | "pyproject.toml" | "go.mod" | "Gemfile")
        || name.starts_with("requirements") && name.ends_with(".txt")
}

/// The names of the dependencies in a manifest. Only the usual spellings are read.
fn dependencies(path: &str, bytes: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(bytes);
    let name = path.rsplit('/').next().unwrap_or(path);
    if name == "package.json" {
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let maps = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
        let maps = maps.iter().filter_map(|key| value[*key].as_object());
        return maps.flat_map(|map| map.keys().cloned()).collect();
    }
    let (mut found, mut section, mut is_list) = (BTreeSet::new(), String::new(), false);
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        let first = |line: &str| {
            let end = |c: char| !(c.is_alphanumeric() || "-_./@".contains(c));
            line.trim_start_matches(['"', '\'']).split(end).next().unwrap_or("").to_string()
        };
        if line.starts_with('[') && name.ends_with(".toml") {
            section = line.trim_matches(['[', ']']).to_string();
            is_list = false;
            // `[dependencies.serde]`
            if let Some((_, name)) = section.split_once("dependencies.") {
                found.insert(name.to_string());
            }
            continue;
        }
        let word = match name {
            "Cargo.toml" if section.ends_with("dependencies") && line.contains('=') => first(line),
            "pyproject.toml" if section.ends_with("dependencies") && line.contains('=') => first(line),
            "pyproject.toml" => {
                let opens = line.starts_with("dependencies") && line.contains('[');
                let items = if opens { line.split_once('[').map_or("", |(_, rest)| rest) } else { line };
                let inside = is_list || opens;
                is_list = inside && !items.contains(']');
                if inside {
                    found.extend(items.split(',').map(|item| first(item.trim())).filter(|name| !name.is_empty()));
                }
                continue;
            }
            "go.mod" => match line.trim_start_matches("require ").split_whitespace().collect::<Vec<_>>()[..] {
                [path, version, ..] if version.starts_with('v') && path != "module" => path.to_string(),
                _ => continue,
            },
            "Gemfile" => match line.strip_prefix("gem ") {
                Some(rest) => first(rest.trim()),
                None => continue,
            },
            _ if name.starts_with("requirements") && !line.starts_with('-') => first(line),
            _ => continue,
        };
        if !word.is_empty() {
            found.insert(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_read_from_the_usual_manifests() {
        for (path, text, wanted) in [
            (
                "Cargo.toml",
                "[package]\nname = \"x\"\n[dependencies]\nserde = \"1\"\nrand = { version = \"1\" }\n[dev-dependencies.proptest]\nversion = \"1\"\n[features]\na = []\n",
                "proptest rand serde",
            ),
            (
                "a/package.json",
                r#"{"name": "x", "scripts": {"test": "y"}, "dependencies": {"@a/b": "1"}, "devDependencies": {"c": "2"}}"#,
                "@a/b c",
            ),
            ("package.json", "not json", ""),
            (
                "pyproject.toml",
                "[project]\nname = \"x\"\ndependencies = [\n \"requests>=2\",\n 'rich[all]',\n]\n[tool.poetry.dependencies]\nflask = \"^2\"\n",
                "flask requests rich",
            ),
            (
                "requirements-dev.txt",
                "# tools\n-r base.txt\npytest==8\nblack ; python_version > '3'\n\n",
                "black pytest",
            ),
            (
                "go.mod",
                "module a.b/c\n\ngo 1.22\nrequire x.y/z v1.0.0\nrequire (\n\tq.r/s v2.0.0 // indirect\n)\n",
                "q.r/s x.y/z",
            ),
            ("Gemfile", "source 'https://rubygems.org'\ngem \"rails\", \"7\"\n", "rails"),
        ] {
            let found: Vec<String> = dependencies(path, text.as_bytes()).into_iter().collect();
            assert_eq!(found.join(" "), wanted, "{path}");
            assert!(is_manifest(path));
        }
    }
}
