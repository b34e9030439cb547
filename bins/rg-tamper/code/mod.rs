//! Code: the guards over what the changed files held before and hold today, as rg-outline reads them.

mod absorbed;
mod aliases;
mod arities;
mod asserts;
mod attributes;
mod awaited;
mod blocks;
mod blunt;
mod branches;
mod callbacks;
mod callers;
mod calls;
mod cargo_features;
mod condition;
mod dependencies;
mod destructured;
mod elsewhere;
mod exits;
mod experimental;
pub mod extent;
mod filters;
mod focus;
mod gained;
mod handed;
mod implies;
mod imports;
mod inherited;
mod inlined;
mod known_skips;
mod left_out;
mod lints;
mod literals;
mod looped;
mod margins;
mod marks;
mod matchers;
mod modes;
mod narrowed;
mod notes;
mod phrases;
mod reasons;
mod recorded;
mod relocated;
mod removed;
mod removed_words;
mod renamed;
mod restated;
mod retried;
mod rewriting;
mod rewritten;
mod row_values;
mod rows;
mod setup;
mod show;
mod skip_conditions;
mod skippers;
mod skips;
mod special_cases;
mod staged;
mod successors;
mod suppressions;
mod swallowed;
mod tables;
mod test_marks;
pub mod tree;
mod twins;
mod typing;
mod unawaited;
mod unlisted;
mod unread;
mod weight;
mod words;
mod wrappers;

use crate::build_output::Output;
use crate::guards::Inspection;
use crate::new_code::NewCode;
use crate::outlines::Code;
use crate::places;
use crate::sides::{Sides, Source};
use attributes::Attributes;
pub use calls::is_asserting;
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::{self, Comparison, Names, Place, Side};
use review_gate::outline::{Outline, Test, is_example, language};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use words::Texts;

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
    /// Files that a program wrote or that others maintain.
    foreign: BTreeSet<usize>,
    /// The lines of the changed files, read when a guard first asks for them.
    texts: OnceCell<Texts>,
}

impl<'a> Judgement<'a> {
    fn of(all: &'a [Sides], code: &'a Code, output: &mut Output) -> Judgement<'a> {
        let is_broken = |file: &usize| {
            let errors = |outline: &Option<Outline>| outline.as_ref().map(|outline| !outline.errors.is_empty());
            errors(&code.files[*file].0) == Some(false) && errors(&code.files[*file].1) == Some(true)
        };
        let change = |file: &usize| &all[code.of[*file]].change;
        let is_new = |file: &usize| change(file).then.is_none() && change(file).now.is_some();
        let attributes = Attributes::of(&output.top, all);
        let is_foreign = |file: &usize| {
            let (then, now) = &code.files[*file];
            let mut sides = then.iter().chain(now);
            let shown = &all[code.of[*file]].role.shown;
            sides.all(|outline| outline.generated)
                || places::is_vendored(shown)
                || places::is_built(shown)
                || attributes.is_foreign(&change(file).path)
        };
        let foreign = (0..code.files.len()).filter(is_foreign).collect();
        let hidden = (0..code.files.len()).filter(|file| is_new(file) && output.holds(&change(file).path)).collect();
        Judgement {
            all,
            code,
            compared: compare::compare(&code.files),
            names: Names::of(&code.files),
            broken: (0..code.files.len()).filter(is_broken).collect(),
            reported: BTreeSet::new(),
            hidden,
            foreign,
            texts: OnceCell::new(),
        }
    }

    /// The lines of the changed files.
    pub fn texts(&self, source: &Source<'_>) -> &Texts {
        self.texts.get_or_init(|| Texts::of(self, source))
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
        !(role.is_test || role.was_test)
    }

    /// Whether a program wrote a file, or others maintain it: no guard looks at its lines.
    pub fn is_foreign(&self, file: usize) -> bool {
        self.foreign.contains(&file)
    }

    /// A level, or a warning if the file is the output of a tool.
    pub fn level(&self, file: usize, level: Level) -> Level {
        if self.hidden.contains(&file) { level.min(Level::Warning) } else { level }
    }

    /// A level, or a warning if a test is an example in documentation: it tells users something, and changes with what it tells.
    pub fn level_of_example(&self, (side, place): (Side, Place), level: Level) -> Level {
        let is_example = self.test(side, place).is_some_and(|test| is_example(self.shown(place.file), test));
        if is_example { level.min(Level::Warning) } else { level }
    }

    /// Whether a file is new input of tests, and no test by its name.
    pub fn is_new_input(&self, file: usize) -> bool {
        let (role, change) = (&self.sides(file).role, &self.sides(file).change);
        change.then.is_none() && role.is_test && !role.is_named && places::is_input(&role.shown)
    }

    /// Whether a runner no longer looks for a test where it is now.
    pub fn is_out_of_sight(&self, then: usize, now: usize) -> bool {
        let (old, new) = (&self.sides(then).role, &self.sides(now).role);
        let is_marked = new.language.is_some_and(language::marks_its_tests);
        // RSpec finds its files by this name.
        let is_named = new.is_named || new.shown.ends_with("_spec.rb");
        let is_unnamed = old.is_named && !is_named && !is_marked;
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
        source: &Source<'_>,
    ) {
        self.find_unread_code(all, code);
        if code.files.is_empty() {
            return;
        }
        let first = self.found.len();
        let mut judgement = Judgement::of(all, code, output);
        self.find_skips(&mut judgement, source);
        self.find_skipping_functions(&judgement);
        self.find_skipping_attributes(&judgement, source);
        self.find_focus(&judgement);
        self.find_filters(&judgement, source);
        self.find_left_out(&judgement, source);
        self.find_gone_tests(&mut judgement, source);
        self.find_lost_asserts(&mut judgement, source);
        self.find_wider_margins(&judgement, source);
        self.find_rewriting(&judgement, source);
        self.find_unlisted(&judgement, source);
        self.find_broken(&judgement, source);
        self.find_suppressions(&judgement, new_code, source);
        self.find_notes(&judgement);
        self.lower_experimental(first);
    }

    /// Whether a guard is on for a file.
    fn is_on(&self, rule: Rule) -> bool {
        self.guards.level(rule).is_some()
    }
}
