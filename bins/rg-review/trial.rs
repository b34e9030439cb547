//! The trial of a test that an arbiter wrote: runs of a check in copies of the files, each in a new one.
//!
//! A test counts only if it ends differently with and without the arbiter's own change of the sources, the control. A test that always
//! fails, or that cannot be parsed, fails both times. A test that the check does not run passes both times. The tests that the task
//! changed were written by the accused, so they do not run beside the arbiter's if the check passes without them.

use crate::model::Case;
use crate::scratch_copy::{CheckRun, PatchedFile, ScratchCopy};
use review_gate::donefile::{CheckSpec, Donefile, PathRules};
use review_gate::evidence::{Ending, is_named};
use review_gate::review::record::{Proof, Ruled};
use review_gate::snapshot::changes::Change;
use review_gate::sys::digest::sha256;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::glob;
use review_gate::sys::limits;
use review_gate::sys::text::{cut_end, one_line};
use std::collections::BTreeMap;
use std::fs;

/// A trial.
pub struct Trial<'a> {
    /// The dispute.
    pub case: &'a Case<'a>,
    /// The definition of done.
    pub done: &'a Donefile,
    /// The check that runs the test.
    pub check: &'a CheckSpec,
    /// The test and the control.
    pub proof: &'a Proof,
}

/// The digests of the files that a test adds or extends.
type Added = BTreeMap<String, String>;

/// What is applied before a run.
#[derive(Clone, Copy, PartialEq)]
enum With {
    Nothing,
    Test,
    Control,
    Both,
}

impl Trial<'_> {
    /// What the trial shows, and the digests of the files of the test in the working tree. Errors: it shows nothing.
    pub fn hold(&self) -> Result<(Ruled, Added)> {
        let tests = self.changed_tests();
        // If the check or the test needs the tests of the task, they run, too.
        if !tests.is_empty()
            && let Ok(shown) = self.runs(&tests)
        {
            let (ruled, _) = shown?;
            // A test that stays must fit the files as they are.
            let copy = ScratchCopy::of(self.case.subject)?;
            return Ok((ruled, self.apply_test(&copy)?));
        }
        self.runs(&[])?
    }

    /// The tests that the task added, changed or removed.
    fn changed_tests(&self) -> Vec<Change> {
        let subject = self.case.subject;
        let is_test = |change: &&Change| {
            let whole = subject.top.join(&change.path);
            let below = whole.strip_prefix(&subject.root).ok().map(|below| below.to_string_lossy().into_owned());
            below.is_some_and(|below| glob::any(&self.done.guards.test_globs, &below))
        };
        subject.changes.iter().filter(is_test).cloned().collect()
    }

    /// What the runs show with these files as they were at the base. The outer error may be due to those files, the inner one is not.
    fn runs(&self, at_base: &[Change]) -> Result<Result<(Ruled, Added)>> {
        let (alone, _) = self.run(at_base, With::Nothing)?;
        if !alone.passed {
            let why = format!("check \"{}\" does not pass in a copy of the files ({})", self.check.name, alone.how);
            return Err(Error::unverified(why));
        }
        let (with_test, added) = self.run(at_base, With::Test)?;
        let (with_control, _) = self.run(at_base, With::Both)?;
        let (failed, passed, ruled) = match (with_test.passed, with_control.passed) {
            (false, true) => (&with_test, &with_control, Ruled::Confirmed),
            (true, false) => (&with_control, &with_test, Ruled::Refuted),
            (false, false) => return Err(Error::child("the test fails with and without the control")),
            (true, true) => return Ok(Err(Error::child("the test passes with and without the control"))),
        };
        let name = &self.proof.test;
        let adds_name = |line: &str| line.starts_with('+') && line.contains(name.as_str());
        let is_run = self.names_test(failed, Ending::Failed, &added)
            && (passed.tests.is_none() || self.names_test(passed, Ending::Passed, &added));
        if !is_run || !self.proof.test_patch.lines().any(adds_name) {
            let name = cut_end(&one_line(name), 80);
            return Ok(Err(Error::child(format!("the failure does not name the test {name}"))));
        }
        // The failure is that of the test, not of something else that the control breaks.
        if ruled == Ruled::Refuted && !self.run(at_base, With::Control)?.0.passed {
            return Ok(Err(Error::child("the control makes the check fail without the test, too")));
        }
        Ok(Ok((ruled, added)))
    }

    /// One run in a new copy, so that no run leaves anything to the next one.
    fn run(&self, at_base: &[Change], with: With) -> Result<(CheckRun, Added)> {
        let copy = ScratchCopy::at_base(self.case.subject, &self.case.workspace.state, at_base)?;
        let added = if matches!(with, With::Test | With::Both) { self.apply_test(&copy)? } else { Added::new() };
        if matches!(with, With::Control | With::Both) {
            self.apply_control(&copy)?;
        }
        let stamps = || added.keys().map(|path| ScratchCopy::stamp(&copy.root().join(path))).collect::<Vec<_>>();
        let before = stamps();
        let run = copy.run(self.check, self.case.event.until)?;
        let is_same = |(path, digest): (&String, &String)| {
            let bytes = files::try_read(&copy.root().join(path), limits::DEFINITION);
            bytes.is_some_and(|bytes| sha256(&bytes) == *digest)
        };
        if stamps() != before || !added.iter().all(is_same) {
            return Err(Error::unverified("the check changed the test while it ran"));
        }
        Ok((run, added))
    }

    /// Whether a run names the test, or its file, with that ending: in the runner's list of tests, else in the output.
    fn names_test(&self, run: &CheckRun, ending: Ending, added: &Added) -> bool {
        let names = |text: &str| added.keys().any(|path| has_word(text, path)) || has_word(text, &self.proof.test);
        match &run.tests {
            Some(tests) => tests.named(ending).any(|name| is_named(name, &self.proof.test) || names(name)),
            None => names(&run.output),
        }
    }

    /// Applies the test: added files or lines in the paths of tests. Returns the digest of each.
    fn apply_test(&self, copy: &ScratchCopy) -> Result<Added> {
        let done = self.done;
        let patched = copy.apply(&self.proof.test_patch)?;
        if patched.is_empty() {
            return Err(Error::child("test_patch changes nothing"));
        }
        let rules = PathRules::new(&done.guards, copy.root());
        let mut digests = BTreeMap::new();
        for PatchedFile { path, removed, is_odd } in patched {
            let whole = copy.top().join(&path);
            let below = whole.strip_prefix(copy.root()).ok().map(|below| below.to_string_lossy().into_owned());
            let is_test = below.as_ref().is_some_and(|below| glob::any(&done.guards.test_globs, below));
            let is_file = fs::symlink_metadata(&whole).is_ok_and(|meta| meta.is_file());
            let (Some(below), true) = (below, is_test && is_file && !is_odd && removed == 0) else {
                let what = "test_patch must only add files or lines in the paths of tests";
                return Err(Error::child(format!("{what}: {}", one_line(&path))));
            };
            if rules.forbids(std::slice::from_ref(&whole)).is_some() {
                return Err(Error::child(format!("DONE.md does not allow changes of {}", one_line(&below))));
            }
            let bytes = files::read(&whole, limits::DEFINITION)?.unwrap_or_default();
            digests.insert(below, sha256(&bytes));
        }
        Ok(digests)
    }

    /// Applies the control: sources only.
    fn apply_control(&self, copy: &ScratchCopy) -> Result<()> {
        for file in copy.apply(&self.proof.control_patch)? {
            let whole = copy.top().join(&file.path);
            let below = whole.strip_prefix(copy.root()).unwrap_or(&whole).to_string_lossy().into_owned();
            if glob::any(&self.done.guards.test_globs, &below) {
                return Err(Error::child(format!("control_patch must not change tests: {}", one_line(&file.path))));
            }
        }
        Ok(())
    }
}

/// Whether a text has a word that is no part of a longer name or path. A path may follow other directories.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let is_path = word.contains('/');
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(|c| is_part(c) && !(is_path && c == '/'));
        let mut rest = text[at + word.len()..].chars();
        let after = match rest.next() {
            Some('.') => rest.next().is_some_and(|c| is_part(c) || c == '.'),
            Some('/') => is_path,
            Some(c) => is_part(c),
            None => false,
        };
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_named_by_its_whole_name_or_path() {
        for (text, word, is_named) in [
            ("FAILED tests/greet.sh", "tests/greet.sh", true),
            ("FAILED /tmp/x/tree/tests/greet.sh:3", "tests/greet.sh", true),
            ("FAILED tests/greet.sh", "greet", false),
            ("FAILED tests/greet.sh.bak", "tests/greet.sh", false),
            ("FAILED other-tests/greet.sh", "tests/greet.sh", false),
            ("FAIL: test_greet (mod.Greets.test_greet)", "test_greet", true),
            ("FAIL: test_greet_all", "test_greet", false),
            ("test greets::you ... FAILED", "you", true),
            ("GreetTest.greets:12 expected", "greets", true),
            ("--- FAIL: TestTax/zero", "TestTax", true),
            ("greet failed.", "greet", true),
            ("", "greet", false),
        ] {
            assert_eq!(has_word(text, word), is_named, "{text} {word}");
        }
    }
}
