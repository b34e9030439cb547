//! Losses: what a test asserted before and no longer asserts, or asserts more weakly.

use super::features::identifiers;
use super::tolerance;
use crate::outline::{Assert, Strength};
use std::collections::{BTreeSet, HashMap};

/// How an assertion was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// Another subject is asserted more weakly in its place.
    Replaced,
    /// The same subject, and what is expected allows more.
    Wider,
    /// The same subject is asserted more weakly.
    Weaker,
    /// Nothing is asserted in its place.
    Gone,
}

/// An assertion that was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How.
    pub kind: LossKind,
    /// The assertion before.
    pub before: Assert,
    /// What stands in its place.
    pub after: Option<Assert>,
}

/// Compares what is asserted before with what is asserted today. The order of assertions does not matter.
pub fn losses(then: &[Assert], now: &[Assert]) -> Vec<Loss> {
    let is_demand = |assert: &&Assert| assert.strength > Strength::Nothing;
    let mut old: Vec<&Assert> = then.iter().filter(is_demand).collect();
    let mut new: Vec<&Assert> = now.iter().collect();
    old.sort_by_key(|assert| (std::cmp::Reverse(assert.strength), assert.line));
    new.sort_by_key(|assert| (assert.strength, assert.line));
    let mut found = Vec::new();
    cancel(&mut old, &mut new, |a| (plain(&a.subject), plain(&a.how), plain(&a.expected)));
    // The same subject with the same demand: another expected value cannot be judged, unless it allows everything.
    for is_same_how in [true, false] {
        old.retain(|a| {
            let is_match = |b: &&Assert| {
                plain(&a.subject) == plain(&b.subject) && b.strength >= a.strength && (!is_same_how || a.how == b.how)
            };
            let Some(at) = new.iter().position(is_match) else { return true };
            let b = new.remove(at);
            if is_wider(a, b) {
                found.push(loss(LossKind::Wider, a, Some(b)));
            }
            false
        });
    }
    // The same subject, demanded less: the strongest that is left.
    old.retain(|a| {
        let Some(at) = new.iter().rposition(|b| plain(&a.subject) == plain(&b.subject)) else { return true };
        found.push(loss(LossKind::Weaker, a, Some(new.remove(at))));
        false
    });
    // Another subject: one that shares a word is taken first.
    for needs_word in [true, false] {
        old.retain(|a| {
            let is_match = |b: &&Assert| b.strength >= a.strength && (!needs_word || shares_word(a, b));
            let Some(at) = new.iter().position(is_match) else { return true };
            new.remove(at);
            false
        });
    }
    for a in old {
        match new.iter().rposition(|b| shares_word(a, b)).or(new.len().checked_sub(1)) {
            Some(at) => found.push(loss(LossKind::Replaced, a, Some(new.remove(at)))),
            None => found.push(loss(LossKind::Gone, a, None)),
        }
    }
    found.sort_by_key(|loss| (std::cmp::Reverse(loss.kind), loss.before.line));
    found
}

fn loss(kind: LossKind, before: &Assert, after: Option<&Assert>) -> Loss {
    Loss { kind, before: before.clone(), after: after.cloned() }
}

/// Code without what formatters change.
fn plain(code: &str) -> String {
    let is_form = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ';' | ',' | '(' | ')');
    code.chars().filter(|c| !is_form(*c)).collect()
}

fn cancel<K: std::hash::Hash + Eq>(old: &mut Vec<&Assert>, new: &mut Vec<&Assert>, key: impl Fn(&Assert) -> K) {
    let mut there: HashMap<K, usize> = HashMap::new();
    old.iter().for_each(|a| *there.entry(key(a)).or_default() += 1);
    let mut taken: HashMap<K, usize> = HashMap::new();
    new.retain(|b| {
        let Some(count) = there.get_mut(&key(b)).filter(|count| **count > 0) else { return true };
        *count -= 1;
        *taken.entry(key(b)).or_default() += 1;
        false
    });
    old.retain(|a| {
        let Some(count) = taken.get_mut(&key(a)).filter(|count| **count > 0) else { return true };
        *count -= 1;
        false
    });
}

fn shares_word(a: &Assert, b: &Assert) -> bool {
    let words: BTreeSet<&str> = identifiers(&a.subject).collect();
    identifiers(&b.subject).any(|word| words.contains(word))
}

/// Values that match everything.
const ANYTHING: [&str; 9] =
    ["expect.anything", "anything()", "mock.ANY", "ANY", ".*", ".+", "[\\s\\S]*", "any()", "match.any"];

/// Whether an assertion with the same subject and demand allows more: everything, itself, or a limit that is further away.
fn is_wider(a: &Assert, b: &Assert) -> bool {
    let (before, after) = (plain(&a.expected), plain(&b.expected));
    if before == after {
        return false;
    }
    let is_any = |text: &str| {
        let bare = text.trim_matches(|c| matches!(c, '/' | '^' | '$' | 'r'));
        ANYTHING.iter().any(|any| bare == plain(any)) || text.starts_with("expect.anything")
    };
    if is_any(&after) && !is_any(&before) || !after.is_empty() && after == plain(&b.subject) {
        return true;
    }
    if tolerance::is_wider(a, b) {
        return true;
    }
    let (Some(old), Some(new)) = (tolerance::number(&before), tolerance::number(&after)) else { return false };
    let how = a.how.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| how.contains(word));
    if a.how != b.how {
        return false;
    }
    if says(&["greater", "atleast", ">", "above", "morethan"]) {
        return new < old;
    }
    says(&["less", "atmost", "<", "below"]) && new > old
}
