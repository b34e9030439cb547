//! Names: which definitions are gone from the changed files, so that a test of theirs is obsolete, and which are new.

use super::features::{identifiers, is_generic};
use super::{BothSides, Place, Side, outline, test};
use crate::outline::Outline;
use std::collections::{BTreeMap, BTreeSet};

/// The names that files defined before and that no changed file defines today, and the new names of today.
#[derive(Clone, Debug, Default)]
pub struct Names<'a> {
    gone: BTreeMap<&'a str, Vec<usize>>,
    new: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    /// Collects the names of all changed files.
    pub fn of(files: &'a [BothSides]) -> Names<'a> {
        let names =
            |outline: &'a Option<Outline>| outline.iter().flat_map(|outline| &outline.names).map(String::as_str);
        let today: BTreeSet<&str> = files.iter().flat_map(|(_, now)| names(now)).collect();
        let mut gone: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (file, (then, _)) in files.iter().enumerate() {
            for name in names(then).filter(|name| !today.contains(name)) {
                gone.entry(name).or_default().push(file);
            }
        }
        let known: BTreeSet<&str> = files.iter().flat_map(|(then, _)| names(then)).collect();
        Names { gone, new: today.difference(&known).copied().collect() }
    }

    /// The names that changed files define today and that none of them defined before.
    pub fn new_ones(&self) -> &BTreeSet<&'a str> {
        &self.new
    }

    /// The files that defined a name that is gone; empty if it is not gone.
    pub fn definers(&self, name: &str) -> &[usize] {
        self.gone.get(name).map_or(&[], Vec::as_slice)
    }

    /// The names that are gone among those that an old test is about: what stands in the subjects of its assertions, if the test calls
    /// it, otherwise all that it calls. A name counts if `is_source` says so of a file that defined it.
    pub fn subjects(&self, files: &[BothSides], then: Place, is_source: impl Fn(usize) -> bool) -> Vec<&'a str> {
        let Some(old) = test(files, Side::Then, then) else { return Vec::new() };
        let calls = old.calls.iter().map(String::as_str).filter(|call| !is_generic(call));
        let calls: BTreeSet<&str> = calls.collect();
        let asserted: BTreeSet<&str> = old.asserts.iter().flat_map(|assert| identifiers(&assert.subject)).collect();
        let both: BTreeSet<&str> = calls.intersection(&asserted).copied().collect();
        let mut about = if both.is_empty() { calls } else { both };
        // An assertion may be about a constant or a field that is gone.
        about.extend(asserted.iter().filter(|name| self.gone.contains_key(*name)));
        let found = about.iter().filter_map(|name| self.gone.get_key_value(*name));
        found.filter(|(_, files)| files.iter().any(|file| is_source(*file))).map(|(name, _)| *name).collect()
    }
}

/// The name that a test file and the file that it tests have in common: `slug` for `slug.test.js`, `test_slug.py`, `SlugTest.java`.
pub fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let name = name.strip_prefix("test_").or_else(|| name.strip_prefix("test-")).unwrap_or(&name).to_string();
    let ends = ["_test", "-test", "_spec", "-spec", "_unittest", "tests", "test", "spec"];
    let short = ends.iter().find_map(|end| name.strip_suffix(end)).filter(|short| !short.is_empty());
    short.unwrap_or(&name).to_string()
}

/// The stem of the directory that a file is in: `slug` for a file in `test_slug`.
fn parent(path: &str) -> Option<String> {
    let (dir, _) = path.rsplit_once('/')?;
    Some(stem(dir))
}

impl Names<'_> {
    /// A removed file of the same name as the file of an old test, if no changed file of today has that name.
    pub fn removed_file(files: &[BothSides], then: Place, is_source: impl Fn(usize) -> bool) -> Option<&str> {
        let test = &outline(files, Side::Then, then.file)?.path;
        let wanted = stem(test);
        let of = |file: usize, side| outline(files, side, file).map(|outline| outline.path.as_str());
        let is_there = (0..files.len()).filter(|file| is_source(*file)).filter_map(|file| of(file, Side::Now));
        let removed = (0..files.len()).filter(|file| is_source(*file) && files[*file].1.is_none());
        let mut removed = removed.filter_map(|file| of(file, Side::Then));
        if wanted.len() < 3 {
            return None;
        }
        // A name that many files have is told apart by the directory, and may say more there: `slug_v2.py`.
        let is_variant = |path: &str| stem(path).strip_prefix(&wanted).is_some_and(|rest| rest.starts_with(['_', '-']));
        let is_beside = |path: &str| parent(path).is_some_and(|dir| parent(test).is_some_and(|of| of == dir));
        let is_common = is_there.map(stem).any(|stem| stem == wanted);
        removed.find(|path| match stem(path) == wanted {
            true => !is_common || is_beside(path),
            false => is_beside(path) && is_variant(path),
        })
    }
}
