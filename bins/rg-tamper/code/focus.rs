//! Focus: marks that keep all other tests from running.

use super::marks::{self, ByMark};
use super::{Judgement, show};
use crate::guards::Inspection;
use review_gate::outline::compare::Side;

impl Inspection<'_> {
    /// Finds new marks of focus, on new tests, too: they stop the others.
    pub fn find_focus(&mut self, judgement: &Judgement<'_>) {
        let mut found = ByMark::new();
        let pairs = judgement.compared.by_new_test();
        for file in 0..judgement.code.files.len() {
            let Some(outline) = judgement.outline(Side::Now, file) else { continue };
            for (at, test) in outline.tests.iter().enumerate() {
                let place = review_gate::outline::compare::Place { file, at };
                let old = pairs.get(&place).and_then(|pair| judgement.test(Side::Then, pair.then));
                if let Some(mark) = test.focus.as_ref().filter(|_| old.is_none_or(|old| old.focus.is_none())) {
                    marks::add(&mut found, mark, place, true);
                }
            }
        }
        let rule = self.guards.of_focused_tests();
        let Some(level) = self.guards.level(rule) else { return };
        for ((file, line, _), marked) in found {
            let names = marks::names(judgement, &marked.old);
            let mark = show::mark(marked.mark);
            let (tests, was) = (show::tests(&names), show::was(names.len()));
            let text = format!("{tests} {was} focused, so that the other tests do not run: {mark}");
            let key = marks::key(judgement, marked.mark, &marked.old);
            self.find_at(judgement.level(file, level), rule, judgement.shown(file), Some(line), &key, text);
        }
    }
}
