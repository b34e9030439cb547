//! Outlines: what rg-outline reads in the changed files.

pub mod reader;

use crate::places;
use crate::sides::Sides;
use reader::Reader;
use review_gate::outline::compare::{BothSides, Side};
use review_gate::outline::{Function, Helper, Outline, language};
use std::collections::BTreeMap;

/// The outlines of the changed files.
#[derive(Default)]
pub struct Code {
    /// Both sides of each file that was read.
    pub files: Vec<BothSides>,
    /// The change of each of these files.
    pub of: Vec<usize>,
    /// The changes that were not read, each with the reason.
    pub unread: BTreeMap<usize, String>,
    /// How many files were not read because rg-outline is missing.
    pub missing: usize,
}

impl Code {
    /// Collects the outlines. A file of which only one side could be read is left out.
    pub fn of(all: &[Sides], reader: &mut Reader) -> Code {
        let mut code = Code::default();
        for (at, one) in all.iter().enumerate().filter(|(_, one)| one.role.language.is_some()) {
            let path = &one.change.path;
            let (then, now) = (reader.outline(&(path.clone(), Side::Then)), reader.outline(&(path.clone(), Side::Now)));
            let has = |is_file: bool, is_there: bool| is_file == is_there;
            let was_file = one.change.then.as_ref().is_some_and(|then| then.what.is_file());
            let is_file = one.change.now.as_ref().is_some_and(|now| now.entry.what.is_file());
            match (then.transpose(), now.transpose()) {
                (Ok(None), Ok(None)) => {}
                // Its bytes could not be read; that is a finding of its own.
                (Ok(then), Ok(now)) if !has(was_file, then.is_some()) || !has(is_file, now.is_some()) => {}
                (Ok(then), Ok(now)) => {
                    code.files.push((then.map(|o| seen(o, one)), now.map(|o| seen(o, one))));
                    code.of.push(at);
                }
                (Err(_), _) | (_, Err(_)) if reader.is_missing => code.missing += 1,
                (then, now) => {
                    // A source file that could be read at the base must stay readable.
                    let is_newly_unread = now.is_err() && matches!(then, Ok(Some(_)));
                    let why = then.as_ref().err().or(now.as_ref().err()).cloned().unwrap_or_default();
                    let other = then.ok().flatten().or(now.ok().flatten());
                    if is_newly_unread || counts(one, other.as_ref()) {
                        code.unread.insert(at, why);
                    }
                }
            }
        }
        code
    }

    /// Whether the tests of a change were read and compared.
    pub fn has(&self, at: usize) -> bool {
        self.of.binary_search(&at).is_ok()
    }

    /// Whether a change was read whole at the base and held nothing that asserts.
    pub fn asserted_nothing(&self, at: usize) -> bool {
        let file = self.of.binary_search(&at).ok();
        let is_silent = |then: &Outline| {
            then.tests.is_empty() && then.helpers.is_empty() && then.errors.is_empty() && then.unread.is_none()
        };
        file.is_some_and(|file| self.files[file].0.as_ref().is_some_and(is_silent))
    }

    /// Whether a change was read whole at the base and held no tests, but only functions that assert for tests by their names.
    pub fn held_helpers(&self, at: usize, is_asserting: impl Fn(&str) -> bool) -> bool {
        let file = self.of.binary_search(&at).ok();
        let is_only = |then: &Outline| {
            let are_helpers = !then.helpers.is_empty() && then.helpers.iter().all(|helper| is_asserting(&helper.name));
            then.tests.is_empty() && are_helpers && then.errors.is_empty() && then.unread.is_none()
        };
        file.is_some_and(|file| self.files[file].0.as_ref().is_some_and(is_only))
    }

    /// Whether a change was a program of its own at the base, or was not read.
    pub fn had_main(&self, at: usize) -> bool {
        let then = self.of.binary_search(&at).ok().and_then(|file| self.files[file].0.as_ref());
        then.is_none_or(|then| then.names.iter().any(|name| name == "main"))
    }

    /// Whether a change held tests at the base.
    pub fn had_tests(&self, at: usize) -> bool {
        let file = self.of.binary_search(&at).ok();
        file.is_some_and(|file| self.files[file].0.as_ref().is_some_and(|then| !then.tests.is_empty()))
    }
}

/// What a function says that cannot come to some branch.
const UNREACHABLE: &str = "unreachable";

/// An outline as a runner sees the file: with the path as shown, and without tests if the runner does not look for them there.
fn seen(mut outline: Outline, one: &Sides) -> Outline {
    outline.path.clone_from(&one.role.shown);
    let is_marked = outline.language.as_deref().is_some_and(language::marks_its_tests);
    if !is_marked && !one.role.is_test && !one.role.was_test {
        outline.tests.clear();
    }
    // What cannot happen in source is no demand of the tests that call it.
    if !one.role.is_test && !one.role.was_test {
        let (source, helpers): (Vec<Helper>, Vec<Helper>) =
            outline.helpers.into_iter().partition(|one| one.asserts.iter().all(|assert| assert.how == UNREACHABLE));
        outline.helpers = helpers;
        let function = |one: Helper| Function { name: one.name, line: one.line, skip: one.skip, calls: one.calls };
        outline.functions.extend(source.into_iter().map(function));
    }
    outline
}

/// Whether it matters that a file was not read: it is or was a test, or its other side holds tests or marks.
fn counts(one: &Sides, other: Option<&Outline>) -> bool {
    let role = &one.role;
    let is_data = places::is_fixture(&role.shown) && !role.is_named;
    let holds = |outline: &Outline| !outline.tests.is_empty() || !outline.suppressions.is_empty();
    (role.is_test || role.was_test) && !is_data || other.is_some_and(holds)
}
