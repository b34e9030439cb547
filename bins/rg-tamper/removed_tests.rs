//! Removed test files that rg-outline does not read: findings for those that are gone. Fixtures, helpers and obsolete snapshots are
//! not tests.

use crate::code::is_asserting;
use crate::guards::Inspection;
use crate::moves::{self, Moves};
use crate::outlines::Code;
use crate::packages;
use crate::places;
use crate::sides::{Sides, Source, noun};
use crate::test_data::{self, Lines};
use review_gate::event::{Level, Rule};
use review_gate::outline::language;
use review_gate::snapshot::What;
use review_gate::sys::files;
use std::cell::LazyCell;
use std::path::{Path, PathBuf};

impl Inspection<'_> {
    /// Finds removed test files. A file that moved is not removed.
    pub fn find_removed_tests(&mut self, all: &[Sides], moved: &Moves, code: &Code, source: &Source<'_>) {
        let now = source.now;
        let lines = LazyCell::new(|| Lines::of(all, source));
        // Files with tests that were read are compared by their tests.
        let is_other = |at: usize, one: &Sides| {
            let is_gone = one.change.now.is_none();
            one.role.was_test && !code.had_tests(at) && !(is_gone && one.role.language.is_some() && !code.has(at))
        };
        for (at, one) in all.iter().enumerate().filter(|(at, one)| is_other(*at, one)) {
            let is_file = one.change.now.as_ref().is_some_and(|file| file.entry.what.is_file());
            let was_file = one.change.then.as_ref().is_some_and(|then| then.what.is_file());
            let is_submodule = one.change.then.as_ref().is_some_and(|then| then.what == What::Submodule);
            let was_loose = one.change.then.as_ref().is_some_and(|then| then.id.is_none());
            let text = match &one.change.now {
                None if is_submodule => "this submodule of tests was removed".to_string(),
                _ if !was_file => continue,
                Some(file) if !is_file => format!("this test file became a {}", noun(file.entry.what)),
                None if moved.whole.contains(&at) => continue,
                // A tool left this file: it was not committed, declares no test, and is only a test by its directory.
                None if was_loose && !one.role.is_named => continue,
                None if places::is_snapshot(&one.role.shown) => {
                    self.find_removed_snapshot(one, all);
                    continue;
                }
                None if places::is_fixture(&one.role.shown) || is_helper(one) => continue,
                // Each test of these languages is declared: a file without one holds what others use.
                None if code.asserted_nothing(at) && one.role.language.is_some_and(language::declares_tests) => {
                    continue;
                }
                // What has this name may be a program that runs the tests.
                None if code.asserted_nothing(at) && is_bare_name(&one.role.shown) => continue,
                // A directory of source that is called like one of tests.
                None if !one.role.is_named && code.asserted_nothing(at) && is_below_source(&one.role.shown) => continue,
                // What its functions asserted is missed in the tests that called them.
                None if !one.role.is_named && code.held_helpers(at, is_asserting) => continue,
                // So is each test of these. Most lines of this file without tests are in a new one.
                None if !one.role.is_named
                    && one.role.language.is_some_and(language::marks_its_tests)
                    && !code.had_main(at)
                    && all.iter().any(|other| moves::is_mostly_in(one, other)) =>
                {
                    let text = "the lines of this file without tests are in another file now".to_string();
                    self.find_at(Level::Note, Rule::NoDeletedTests, &one.role.shown, None, "moved", text);
                    continue;
                }
                None if packages::is_gone_with_package(&one.change.path, all, now) => continue,
                None if is_data(one) && lines.as_ref().is_some_and(|lines| lines.named_only(one, all, source)) => {
                    let text = "these data of tests were removed with the code that names them".to_string();
                    self.find_at(Level::Note, Rule::NoDeletedTests, &one.role.shown, None, "data", text);
                    continue;
                }
                None if is_data(one) && test_data::is_merged(one, all, source) => {
                    let text = "the lines of these data of tests are in another file now".to_string();
                    self.find_at(Level::Note, Rule::NoDeletedTests, &one.role.shown, None, "data", text);
                    continue;
                }
                None => "this test file was removed".to_string(),
                Some(_) => continue,
            };
            self.find(Rule::NoDeletedTests, &one.role.shown, None, "file", text);
        }
    }

    /// A snapshot is obsolete if its test is gone, or was changed and compares no snapshot any more: what it asserts today is judged by itself.
    /// Else the next run of its test may record anything.
    fn find_removed_snapshot(&mut self, one: &Sides, all: &[Sides]) {
        let is_obsolete = self.is_unused(&one.change.path, all) || self.is_unnamed(&one.change.path);
        if let Some(level) = self.guards.level(Rule::NoDeletedTests).filter(|_| !is_obsolete) {
            let text = "this snapshot was removed: the next run of its test may record another one".to_string();
            self.find_at(level.min(Level::Warning), Rule::NoDeletedTests, &one.role.shown, None, "snapshot", text);
        }
    }
}

/// Whether a file of JavaScript or TypeScript is only called `test` or `spec`.
fn is_bare_name(shown: &str) -> bool {
    let name = shown.rsplit('/').next().unwrap_or(shown);
    name.split_once('.').is_some_and(|(stem, end)| {
        matches!(stem, "test" | "spec") && matches!(end, "js" | "ts" | "jsx" | "tsx" | "mjs")
    })
}

/// Whether a file of Ruby lies in a directory of tests within source: that of a generator of tests.
fn is_below_source(shown: &str) -> bool {
    let mut dirs = shown.split('/');
    let is_source = |dir: &str| matches!(dir, "lib" | "src" | "app");
    dirs.any(is_source) && dirs.clone().count() > 2 && shown.ends_with(".rb")
}

impl Inspection<'_> {
    /// Whether the test file of a snapshot is gone, or was changed and says nothing of snapshots.
    fn is_unused(&self, snapshot: &Path, all: &[Sides]) -> bool {
        let of_jest = places::test_of_snapshot(snapshot);
        let is_gone = of_jest.as_ref().is_some_and(|test| !self.top.join(test).exists());
        let test = of_jest.or_else(|| of_insta(snapshot).map(|(test, _)| test));
        let test = test.filter(|test| all.iter().any(|other| other.change.path == *test));
        let text = test.and_then(|test| files::try_read(&self.top.join(test), LARGEST));
        is_gone || text.is_some_and(|text| !String::from_utf8_lossy(&text).to_lowercase().contains("snapshot"))
    }

    /// Whether no test names a snapshot of insta any more.
    fn is_unnamed(&self, snapshot: &Path) -> bool {
        let Some((test, name)) = of_insta(snapshot).filter(|(_, name)| name.len() >= SHORTEST) else { return false };
        let text = files::try_read(&self.top.join(test), LARGEST);
        text.is_some_and(|text| !String::from_utf8_lossy(&text).contains(&name))
    }
}

/// The test file of a snapshot of insta, and the name of its test: `snapshots/crate__module__name.snap` is of `module.rs`.
fn of_insta(path: &Path) -> Option<(PathBuf, String)> {
    let stem = path.file_stem()?.to_str()?;
    let (before, name) = stem.rsplit_once("__")?;
    let module = before.rsplit("__").next()?;
    let dir = path.parent().filter(|dir| dir.ends_with("snapshots"))?;
    // Several snapshots of one test are numbered.
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    Some((dir.with_file_name(format!("{module}.rs")), name.to_string()))
}

/// How short the name of a snapshot may be, so that a text without it has no such snapshot.
const SHORTEST: usize = 4;

/// The largest file of tests that is searched for the name of a snapshot, in bytes.
const LARGEST: u64 = 1 << 20;

/// Whether a file is no code, and is only a test by its directory.
fn is_data(one: &Sides) -> bool {
    !one.role.is_named && language::of(&one.role.shown).is_none()
}

/// Whether a removed file was only near tests: it is not named like a test, and it is in a directory of helpers, or nothing in it
/// could run as a test.
fn is_helper(one: &Sides) -> bool {
    let is_known = places::undeclared_test(&one.role.shown).is_some();
    let is_silent = is_known && one.then.as_ref().is_some_and(|then| !then.has_undeclared);
    // The configuration of a tool for the directory of tests is a hidden file.
    let is_hidden = one.role.shown.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
    !one.role.is_named && (is_silent || is_hidden || places::is_for_tests(&one.role.shown))
}
