//! Reasons: why a test may assert less. The behaviour is gone, a text says less, or an error is allowed now.

use super::weight::{Lost, Weight};
use super::words;
use super::{Judgement, extent};
use crate::sides::Source;
use review_gate::outline::compare::{Loss, LossKind, Pair, Place, Side, forms, is_generic};
use review_gate::outline::{Assert, Strength, Test};
use std::collections::BTreeSet;

/// Lowers to notes what tests lost together with the behaviour: each lost assertion named a word or a literal that no code holds any more.
pub fn lower_obsolete(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    test_globs: &[String],
    found: &mut [(&Pair, Lost)],
) {
    // A weaker assertion about the same subject counts only if it is the opposite.
    let may_go = |loss: &Loss| match (&loss.kind, &loss.after) {
        (LossKind::Gone | LossKind::Replaced, _) => true,
        (LossKind::Weaker, Some(after)) => is_negated(&after.how) && !is_negated(&loss.before.how),
        _ => false,
    };
    let code = |loss: &Loss| format!("{} {}", loss.before.subject, loss.before.expected);
    let all = found.iter().filter_map(|(_, lost)| match lost {
        Lost::Some { losses, how } if *how != Weight::Minor => Some(losses),
        _ => None,
    });
    let used: Vec<String> = all.filter(|losses| losses.iter().all(may_go)).flatten().map(code).collect();
    if used.is_empty() {
        return;
    }
    let used: Vec<&str> = used.iter().map(String::as_str).collect();
    let texts = judgement.texts(source);
    let mut vanished = texts.vanished(judgement, source, &used);
    vanished.extend(texts.lost_literals(judgement, source, test_globs, &used));
    for (_, lost) in found {
        if let Lost::Some { losses, how } = lost
            && losses.iter().all(|loss| may_go(loss) && words::uses(&code(loss), &vanished))
        {
            *how = Weight::Minor;
        }
    }
}

/// Lowers to notes what tests lost that have another name now and could have gone: they used words that no code holds any more.
pub fn lower_gone_with_code(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    test_globs: &[String],
    found: &mut [(&Pair, Lost)],
) {
    let is_renamed = |pair: &Pair| {
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        tests.is_some_and(|(old, new)| old.name != new.name)
    };
    let is_open = |(pair, lost): &&(&Pair, Lost)| {
        matches!(lost, Lost::Some { how, .. } if *how != Weight::Minor) && is_renamed(pair)
    };
    let open: BTreeSet<Place> = found.iter().filter(is_open).map(|(pair, _)| pair.then).collect();
    if open.is_empty() || !judgement.texts(source).has_other_source(judgement) {
        return;
    }
    let gone = judgement.texts(source).lost(judgement, source, test_globs, &open).vanished;
    for (pair, lost) in found {
        if let Lost::Some { how, .. } = lost
            && gone.contains_key(&pair.then)
        {
            *how = Weight::Minor;
        }
    }
}

/// Lowers to notes what tests lost of a text that says less now: the file that the test imports from lost a word of the text, and the test
/// still asserts another part of it.
pub fn lower_reworded(judgement: &Judgement<'_>, source: &Source<'_>, found: &mut [(&Pair, Lost)]) {
    let text_of = |assert: &Assert| {
        let (a, b) = (&assert.subject, &assert.expected);
        let is_text = |code: &str| code.trim_start_matches(['f', 'r', 'b']).starts_with(['"', '\'', '`', '/']);
        match (is_text(a), is_text(b)) {
            (true, false) => Some((a.clone(), b.clone())),
            (false, true) => Some((b.clone(), a.clone())),
            _ => None,
        }
    };
    let may_be = |lost: &Lost| {
        let is_part = |loss: &Loss| {
            matches!(loss.kind, LossKind::Gone)
                && loss.before.strength == Strength::Part
                && text_of(&loss.before).is_some()
        };
        matches!(lost, Lost::Some { losses, how } if *how != Weight::Minor && losses.iter().all(is_part))
    };
    if !found.iter().any(|(_, lost)| may_be(lost)) {
        return;
    }
    let texts = judgement.texts(source);
    for (pair, lost) in found.iter_mut().filter(|(_, lost)| may_be(lost)) {
        let Some(new) = judgement.test(Side::Now, pair.now) else { continue };
        let words = texts.lost_where_imported(judgement, pair.then.file);
        let is_less = |loss: &Loss| {
            let Some((text, subject)) = text_of(&loss.before) else { return false };
            let is_still = |assert: &Assert| {
                assert.strength >= Strength::Part && text_of(assert).is_some_and(|(_, other)| other == subject)
            };
            extent::all_words(&text).any(|word| words.contains(word)) && new.asserts.iter().any(is_still)
        };
        if let Lost::Some { losses, how } = lost
            && losses.iter().all(is_less)
        {
            *how = Weight::Minor;
        }
    }
}

/// Lowers to notes what tests lost because an error is allowed now: the code of the change differs, and the test, or a new one beside it
/// about the same words, asserts a new value of what it called before.
pub fn lower_allowed(judgement: &Judgement<'_>, source: &Source<'_>, found: &mut [(&Pair, Lost)]) {
    let is_of_error = |pair: &Pair, lost: &Lost| {
        let is_of_error = |loss: &Loss| forms::expects_error(&loss.before) || forms::is_about_error(&loss.before);
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let (Lost::Some { losses, how }, Some((old, new))) = (lost, tests) else { return false };
        let is_kept = |a: &Assert| new.asserts.iter().any(|b| b.how == a.how && b.subject == a.subject);
        let mut errors = old.asserts.iter().filter(|assert| forms::expects_error(assert));
        *how != Weight::Minor && losses.iter().all(is_of_error) && errors.any(|assert| !is_kept(assert))
    };
    let of_error: Vec<bool> = found.iter().map(|(pair, lost)| is_of_error(pair, lost)).collect();
    if !of_error.contains(&true) {
        return;
    }
    let texts = judgement.texts(source);
    if !texts.has_other_source(judgement) {
        return;
    }
    let is_allowed = |pair: &Pair, losses: &[Loss]| {
        let Some(old) = judgement.test(Side::Then, pair.then) else { return false };
        let is_beside = |losses: &[Loss]| {
            let of_file = judgement.compared.new.iter().filter(|place| place.file == pair.now.file);
            let mut new =
                of_file.filter(|place| judgement.test(Side::Now, **place).is_some_and(|new| states(new, old, true)));
            let code = losses.iter().map(|loss| format!("{} {}", loss.before.subject, loss.before.expected));
            let code: Vec<String> = code.collect();
            new.any(|place| code.iter().all(|code| texts.holds_telling(judgement, *place, code)))
        };
        judgement.test(Side::Now, pair.now).is_some_and(|new| states(new, old, false)) || is_beside(losses)
    };
    for ((pair, lost), _) in found.iter_mut().zip(of_error).filter(|(_, is_of_error)| *is_of_error) {
        if let Lost::Some { losses, how } = lost
            && is_allowed(pair, losses)
        {
            *how = Weight::Minor;
        }
    }
}

/// Whether a test asserts one value, and no error, of something that an older test called, and the older one did not assert it. A test
/// beside the older one may give that a name first.
fn states(new: &Test, old: &Test, is_beside: bool) -> bool {
    let is_value = |assert: &Assert| {
        let is_stated = assert.strength == Strength::Exact && !assert.expected.is_empty();
        let mut words = assert.subject.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_same = |known: &Assert| known.how == assert.how && known.subject == assert.subject;
        let is_called = words.any(|word| !is_generic(word) && old.calls.iter().any(|call| call == word));
        let is_about =
            is_called || is_beside && new.calls.iter().any(|call| !is_generic(call) && old.calls.contains(call));
        is_stated && is_about && !old.asserts.iter().any(is_same) && !forms::expects_error(assert)
    };
    new.asserts.iter().any(is_value)
}

/// Whether a matcher asks for the opposite: `not.toThrow`, `to.not.throw`, `doesNotThrow`.
fn is_negated(how: &str) -> bool {
    how.split(['.', '_']).any(|word| word == "not" || word == "never")
        || how.contains("Not")
        || how.starts_with("refute")
}
