//! Rewritten expectations: a switch that makes tests write what they expect, instead of comparing it, is on by default now.

use super::Judgement;
use super::rewritten::Hunks;
use crate::guards::Inspection;
use crate::sides::Source;
use regex::Regex;
use review_gate::event::Rule;
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A line about such a switch.
static SWITCH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let (writes, what) = (
        "update|rewrite|overwrite|record|regen|bless|accept|approve",
        "golden|snapshot|cassette|fixture|expected|baseline",
    );
    Regex::new(&format!("(?i)(?:{writes}).*(?:{what})|(?:{what}).*(?:{writes})")).ok()
});

impl Inspection<'_> {
    /// Finds switches of tests that are on now.
    pub fn find_rewriting(&mut self, judgement: &Judgement<'_>, source: &Source<'_>) {
        let Some(level) = self.guards.level(Rule::NoWeakenedAsserts) else { return };
        let is_test = |file: &usize| {
            let sides = judgement.sides(*file);
            sides.role.is_test && sides.role.was_test && sides.change.then.is_some()
        };
        for file in (0..judgement.code.files.len()).filter(is_test) {
            let Some((then, now)) = judgement.texts(source).lines(file) else { continue };
            let known: BTreeSet<&str> = then.iter().map(|line| line.trim()).collect();
            let is_new = |line: &String| !known.contains(line.trim()) && is_switch(line);
            let hunks = LazyCell::new(|| Hunks::of((then, now)));
            for (at, line) in now.iter().enumerate().filter(|(_, line)| is_new(line)) {
                let before = hunks.replaced(at);
                let Some(old) = before.and_then(|range| then[range].iter().find(|old| turned_on(old, line))) else {
                    continue;
                };
                let text = format!("tests write what they expect now: `{}` -> `{}`", old.trim(), line.trim());
                let place = (judgement.shown(file), Some(at as u64 + 1));
                self.find_at(judgement.level(file, level), Rule::NoWeakenedAsserts, place.0, place.1, "rewrites", text);
            }
        }
    }
}

fn is_switch(line: &str) -> bool {
    SWITCH.as_ref().is_some_and(|regex| regex.is_match(line))
}

/// Whether only a value in a line became true.
fn turned_on(old: &str, new: &str) -> bool {
    [("false", "true"), ("False", "True"), ("none", "all"), ("never", "always")]
        .iter()
        .any(|(off, on)| old.contains(off) && old.replacen(off, on, 1).trim() == new.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_is_turned_on() {
        let old = "var update = flag.Bool(\"update\", false, \"rewrite golden files\")";
        assert!(is_switch(old) && turned_on(old, &old.replace("false", "true")));
        assert!(!turned_on(&old.replace("false", "true"), old), "it is turned off");
        assert!(!turned_on(old, "var update = true"));
        assert!(!is_switch("const verbose = false") && is_switch("  updateSnapshot: false,"));
    }
}
