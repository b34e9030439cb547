//! Notes: debugging aids and marks of unfinished work that were not there before, in the same file or in another one.

use super::{Judgement, show};
use crate::guards::Inspection;
use crate::line;
use crate::places;
use review_gate::event::Rule;
use review_gate::outline::compare::Side;
use review_gate::outline::{Note, Outline};
use std::collections::{BTreeSet, HashMap};

impl Inspection<'_> {
    /// Finds new notes. Tests may print what they like.
    pub fn find_notes(&mut self, judgement: &Judgement<'_>) {
        let is_test = |file: usize| judgement.sides(file).role.is_test;
        let prints = |file: usize| {
            let is_program = judgement.sides(file).now.as_ref().is_some_and(|now| now.head.starts_with(b"#!"));
            is_program || places::is_script(judgement.shown(file))
        };
        self.find_new(judgement, Rule::NoNewTodos, "unfinished work", |_, outline| &outline.todos);
        self.find_new(judgement, Rule::NoDebugArtifacts, "debugging aid", |file, outline| {
            if is_test(file) || prints(file) { &[] } else { &outline.debug }
        });
    }

    fn find_new(
        &mut self,
        judgement: &Judgement<'_>,
        rule: Rule,
        what: &str,
        notes: impl for<'o> Fn(usize, &'o Outline) -> &'o [Note],
    ) {
        let Some(level) = self.guards.level(rule) else { return };
        let key = |note: &Note| line::normal(note.text.as_bytes());
        let of = |side, file| judgement.outline(side, file).map_or(&[][..], |outline| notes(file, outline));
        let mut there: HashMap<u64, usize> = HashMap::new();
        for file in 0..judgement.code.files.len() {
            of(Side::Then, file).iter().for_each(|note| *there.entry(key(note)).or_default() += 1);
        }
        // Those of the same file first.
        let mut left: Vec<(usize, &Note)> = Vec::new();
        for file in 0..judgement.code.files.len() {
            let mut own: HashMap<u64, usize> = HashMap::new();
            of(Side::Then, file).iter().for_each(|note| *own.entry(key(note)).or_default() += 1);
            for note in of(Side::Now, file) {
                match own.get_mut(&key(note)).filter(|count| **count > 0) {
                    Some(count) => {
                        *count -= 1;
                        there.entry(key(note)).and_modify(|count| *count -= 1);
                    }
                    None => left.push((file, note)),
                }
            }
        }
        for (file, note) in left.into_iter().filter(|(file, _)| !judgement.is_foreign(*file)) {
            if let Some(count) = there.get_mut(&key(note)).filter(|count| **count > 0) {
                *count -= 1;
                continue;
            }
            let is_reworded =
                |old: &&Note| there.get(&key(old)).is_some_and(|count| *count > 0) && is_alike(&old.text, &note.text);
            if let Some(old) = of(Side::Then, file).iter().find(is_reworded) {
                there.entry(key(old)).and_modify(|count| *count -= 1);
                continue;
            }
            let text = format!("{what}: {}", show::code(&note.text));
            let level = judgement.level(file, level);
            self.find_at(level, rule, judgement.shown(file), Some(note.line), &format!("{:x}", key(note)), text);
        }
    }
}

/// Whether two notes have half of their words in common.
fn is_alike(a: &str, b: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    shared > 1 && shared * 2 >= a.len().max(b.len())
}
