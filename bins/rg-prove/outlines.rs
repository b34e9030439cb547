//! What rg-outline reads in the changed files: which hold tests, which tests changed, and where the syntax is broken.

use crate::change::{Changed, Content, Role};
use crate::inline;
use review_gate::outline::{Outline, Test, language};
use review_gate::sys::env;
use review_gate::sys::limits;
use review_gate::sys::process::{self, Command};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

/// How long all files may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads the files and completes what is known of each: its role, its tests.
pub fn read(all: &mut [Changed]) {
    let known: Vec<usize> = (0..all.len()).filter(|at| language::of(&all[*at].shown).is_some()).collect();
    let sides: Vec<(&str, &[u8])> = known
        .iter()
        .flat_map(|at| [(&all[*at], &all[*at].old), (&all[*at], &all[*at].new)])
        .map(|(file, side)| (file.shown.as_str(), side.as_ref().map_or(&[] as &[u8], |side| side.bytes.as_slice())))
        .collect();
    let outlines = outlines(&sides);
    let then: Vec<&Outline> = outlines.iter().step_by(2).flatten().collect();
    for (at, both) in known.into_iter().zip(outlines.chunks(2)) {
        if let [old, now] = both {
            complete(&mut all[at], old.as_ref(), now.as_ref(), &then);
        }
    }
}

/// `all_then`: what all changed files held at the base, from where tests may have moved.
fn complete(file: &mut Changed, then: Option<&Outline>, now: Option<&Outline>, all_then: &[&Outline]) {
    let language = language::of(&file.shown).unwrap_or_default();
    let tests = |outline: Option<&Outline>| outline.map(|outline| outline.tests.len()).unwrap_or_default();
    if file.role == Role::Source {
        match language {
            "rust" => {
                let ranges = |side: &Option<Content>| -> Vec<Range<usize>> {
                    side.as_ref()
                        .map(|side| inline::tests_of_rust(&String::from_utf8_lossy(&side.bytes)))
                        .unwrap_or_default()
                };
                let (then, now) = (ranges(&file.old), ranges(&file.new));
                file.divide(&then, &now);
            }
            // A file of tests that no pattern of `test_globs` names.
            _ if language::marks_its_tests(language) && tests(then) + tests(now) > 0 => {
                file.role = Role::Test;
                file.divide(&[], &[]);
            }
            _ => {}
        }
    }
    if let (Some(then), Some(now)) = (then, now)
        && file.has_tests()
        && then.tests.len() + now.tests.len() > 0
    {
        file.changed_tests = Some(changed_tests(then, now, all_then));
    }
}

/// The names of the tests that were added, or that assert more now.
fn changed_tests(then: &Outline, now: &Outline, all_then: &[&Outline]) -> BTreeSet<String> {
    let asserts = |test: &Test| -> Vec<(String, String, String)> {
        test.asserts.iter().map(|one| (one.how.clone(), one.subject.clone(), one.expected.clone())).collect()
    };
    let is_same =
        |old: &Test, test: &Test| old.rows == test.rows && (old.body == test.body || asserts(old) == asserts(test));
    let before: BTreeMap<(&[String], &str), &Test> =
        then.tests.iter().map(|test| ((test.suite.as_slice(), test.name.as_str()), test)).collect();
    let has_moved = |test: &Test| {
        all_then.iter().flat_map(|outline| &outline.tests).any(|old| old.name == test.name && is_same(old, test))
    };
    let is_changed = |test: &&Test| match before.get(&(test.suite.as_slice(), test.name.as_str())) {
        // A test that was only written otherwise, as in a refactoring, claims nothing new.
        Some(old) => !is_same(old, test) && (test.asserts.len() > old.asserts.len() || test.rows != old.rows),
        None => !has_moved(test),
    };
    now.tests.iter().filter(is_changed).map(|test| test.name.clone()).collect()
}

/// The files of these texts whose syntax is broken. Empty where that cannot be told.
pub fn broken(files: &[(&str, &[u8])]) -> Vec<bool> {
    outlines(files).iter().map(|outline| outline.as_ref().is_some_and(|outline| !outline.errors.is_empty())).collect()
}

/// The outline of each file; None if rg-outline does not read it.
fn outlines(files: &[(&str, &[u8])]) -> Vec<Option<Outline>> {
    let mut found: Vec<Option<Outline>> = files.iter().map(|_| None).collect();
    let Some(program) = env::bin_dir().map(|dir| dir.join("rg-outline")).filter(|_| !files.is_empty()) else {
        return found;
    };
    let mut input = Vec::new();
    for (path, bytes) in files {
        input.extend(json!({ "path": path, "bytes": bytes.len() }).to_string().bytes());
        input.push(b'\n');
        input.extend_from_slice(bytes);
    }
    let mut command = Command::new(program);
    command.args(["--json", "-"]);
    let Ok(said) = process::output_with_input(command, input, PATIENCE, limits::LINE) else { return found };
    for (place, line) in found.iter_mut().zip(said.stdout.split(|byte| *byte == b'\n')) {
        *place = serde_json::from_slice(line)
            .ok()
            .filter(|outline: &Outline| outline.unread.is_none() && outline.language.is_some());
    }
    found
}
