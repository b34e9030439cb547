//! Code: the guards over what the changed files held before and hold today, as rg-outline reads them.

mod asserts;
mod focus;
mod marks;
mod notes;
pub mod reader;
mod removed;
mod show;
mod skips;
mod suppressions;
mod tree;
mod unread;

use crate::build_output::Output;
use crate::guards::Inspection;
use crate::new_code::NewCode;
use crate::places;
use crate::sides::Sides;
use reader::Reader;
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::{self, BothSides, Comparison, Names, Place, Side};
use review_gate::outline::{Outline, Test, language};
use review_gate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

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
                (Err(why), other) | (other, Err(why)) => {
                    if unread::counts(one, other.ok().flatten().as_ref()) {
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

    /// Whether a change held tests at the base.
    pub fn had_tests(&self, at: usize) -> bool {
        let file = self.of.binary_search(&at).ok();
        file.is_some_and(|file| self.files[file].0.as_ref().is_some_and(|then| !then.tests.is_empty()))
    }
}

/// An outline as a runner sees the file: with the path as shown, and without tests if the runner does not look for them there.
fn seen(mut outline: Outline, one: &Sides) -> Outline {
    outline.path.clone_from(&one.role.shown);
    let is_marked = outline.language.as_deref().is_some_and(language::marks_its_tests);
    if !is_marked && !one.role.is_test && !one.role.was_test {
        outline.tests.clear();
    }
    outline
}

/// What the guards look at.
pub struct Judgement<'a> {
    pub all: &'a [Sides],
    pub code: &'a Code,
    pub compared: Comparison,
    pub names: Names<'a>,
    /// Files whose syntax became broken.
    pub broken: BTreeSet<usize>,
    /// The old tests that have a finding of their own.
    pub reported: BTreeSet<Place>,
    /// New files that a new ignore rule hides.
    hidden: BTreeSet<usize>,
}

impl<'a> Judgement<'a> {
    fn of(all: &'a [Sides], code: &'a Code, output: &mut Output) -> Judgement<'a> {
        let is_broken = |file: &usize| {
            let errors = |outline: &Option<Outline>| outline.as_ref().map(|outline| !outline.errors.is_empty());
            errors(&code.files[*file].0) == Some(false) && errors(&code.files[*file].1) == Some(true)
        };
        let change = |file: &usize| &all[code.of[*file]].change;
        let is_new = |file: &usize| change(file).then.is_none() && change(file).now.is_some();
        let hidden = (0..code.files.len()).filter(|file| is_new(file) && output.holds(&change(file).path)).collect();
        Judgement {
            all,
            code,
            compared: compare::compare(&code.files),
            names: Names::of(&code.files),
            broken: (0..code.files.len()).filter(is_broken).collect(),
            reported: BTreeSet::new(),
            hidden,
        }
    }

    pub fn sides(&self, file: usize) -> &'a Sides {
        &self.all[self.code.of[file]]
    }

    pub fn shown(&self, file: usize) -> &'a str {
        &self.sides(file).role.shown
    }

    pub fn outline(&self, side: Side, file: usize) -> Option<&'a Outline> {
        compare::outline(&self.code.files, side, file)
    }

    pub fn test(&self, side: Side, place: Place) -> Option<&'a Test> {
        compare::test(&self.code.files, side, place)
    }

    /// Whether a file is source, and not only tests.
    pub fn is_source(&self, file: usize) -> bool {
        let role = &self.sides(file).role;
        let is_marked = role.language.is_some_and(language::marks_its_tests);
        is_marked || !(role.is_test || role.was_test)
    }

    /// A level, or a warning if the file is the output of a tool.
    pub fn level(&self, file: usize, level: Level) -> Level {
        if self.hidden.contains(&file) { level.min(Level::Warning) } else { level }
    }

    /// Whether a runner no longer looks for a test where it is now.
    pub fn is_out_of_sight(&self, then: usize, now: usize) -> bool {
        let (old, new) = (&self.sides(then).role, &self.sides(now).role);
        let is_marked = new.language.is_some_and(language::marks_its_tests);
        let is_unnamed = old.is_named && !new.is_named && !is_marked;
        let is_apart = places::is_apart(&new.shown) && !places::is_apart(&old.shown);
        then != now && (is_unnamed || is_apart)
    }
}

impl Inspection<'_> {
    /// Applies the guards of code.
    pub fn find_in_code(
        &mut self,
        all: &[Sides],
        code: &Code,
        new_code: &NewCode,
        output: &mut Output,
        now: &Snapshot,
    ) {
        self.find_unread_code(all, code);
        if code.files.is_empty() {
            return;
        }
        let mut judgement = Judgement::of(all, code, output);
        self.find_skips(&mut judgement);
        self.find_focus(&judgement);
        self.find_gone_tests(&mut judgement, now);
        self.find_lost_asserts(&mut judgement);
        self.find_broken(&judgement);
        self.find_suppressions(&judgement, new_code);
        self.find_notes(&judgement);
    }

    /// Whether a guard is on for a file.
    fn is_on(&self, rule: Rule) -> bool {
        self.guards.level(rule).is_some()
    }
}
