//! Skipping functions: a helper, a fixture or a hook of the runner that skips tests now, and did not before.

use super::{Judgement, show};
use crate::guards::Inspection;
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::Side;
use review_gate::outline::{Mark, Outline, SkipKind};
use std::collections::{BTreeMap, BTreeSet};

impl Inspection<'_> {
    /// Finds functions outside tests that were there before and skip tests only now. Which tests run them is not known.
    pub fn find_skipping_functions(&mut self, judgement: &Judgement<'_>) {
        let Some(level) = self.guards.level(Rule::NoNewSkips) else { return };
        for file in 0..judgement.code.files.len() {
            let sides = judgement.outline(Side::Then, file).zip(judgement.outline(Side::Now, file));
            let Some((then, now)) = sides.filter(|_| !judgement.is_foreign(file)) else { continue };
            let before = marks(then);
            let names: BTreeSet<&str> = functions(then).map(|(name, ..)| name).collect();
            for (name, mark) in marks(now) {
                if !names.contains(name) || before.contains_key(name) || mark.kind != SkipKind::Skip {
                    continue;
                }
                // The tests of the same file have the mark themselves.
                if now.tests.iter().any(|test| test.skip.as_ref().is_some_and(|own| own.line == mark.line)) {
                    continue;
                }
                // `skip()` of a lexer, which the file defines.
                if functions(now).any(|(own, ..)| own.rsplit([':', '.']).next() == Some(mark.text.as_str())) {
                    continue;
                }
                let level = if mark.condition.is_some() { level.min(Level::Warning) } else { level };
                let text = format!("{} skips the tests that use it: {}", show::code(name), show::mark(mark));
                let key = format!("function\u{1f}{name}");
                self.find_at(level, Rule::NoNewSkips, judgement.shown(file), Some(mark.line), &key, text);
            }
        }
    }
}

/// The functions outside tests, with their marks.
fn functions(outline: &Outline) -> impl Iterator<Item = (&str, Option<&Mark>)> {
    let helpers = outline.helpers.iter().map(|one| (one.name.as_str(), one.skip.as_ref()));
    helpers.chain(outline.functions.iter().map(|one| (one.name.as_str(), one.skip.as_ref())))
}

/// The marks of the functions that have one.
fn marks(outline: &Outline) -> BTreeMap<&str, &Mark> {
    functions(outline).filter_map(|(name, mark)| Some((name, mark?))).collect()
}
