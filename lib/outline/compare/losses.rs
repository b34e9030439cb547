//! Losses: what a test asserted before and no longer asserts, or asserts more weakly.

use super::features::{asks_truth, identifiers, is_side, plain};
use super::values::is_open_value;
use super::{
    alternatives, common, conditions, counts, covered, demand, errors, facts, forms, lists, reduced, spelled, types,
    wholes, wider,
};
use crate::outline::{Assert, Digest, Strength, Test};
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
    let of = |asserts: &[Assert]| {
        let common = common::all(asserts);
        common.iter().map(compared).flat_map(spelled::split).collect::<Vec<_>>()
    };
    let (then, now) = (of(then), of(now));
    let (then, now) = (common::near(then.clone(), &now), common::near(now, &then));
    let in_old_form = |now: Assert| then.iter().find_map(|then| conditions::like(then, &now)).unwrap_or(now);
    let now: Vec<Assert> = now.into_iter().map(in_old_form).collect();
    // A call that fails with the error that was caught demands no more than to let the error pass.
    let is_rethrown = |a: &&Assert| a.how == "fail" && forms::is_about_error(a) && then.len() > 1;
    // Where a value had to be there, it is taken out of its optional with a call that fails, or each link of a chain is asked.
    let unwraps = |asserts: &[Assert]| asserts.iter().filter(|a| is_unwrap(&a.how)).count();
    let is_chain =
        |b: &Assert| b.strength == Strength::Exact && b.subject.contains("?.") && !b.expected.contains("nil");
    let is_taken = unwraps(&now) > unwraps(&then)
        || now.iter().filter(|b| is_chain(b)).count() > then.iter().filter(|b| is_chain(b)).count();
    let is_covered = |a: &&Assert| covered::is_covered(a, &then, &now, is_taken);
    let mut old: Vec<&Assert> = then.iter().filter(is_demand).filter(|a| !is_rethrown(a) && !is_covered(a)).collect();
    let mut new: Vec<&Assert> = now.iter().collect();
    old.sort_by_key(|assert| (std::cmp::Reverse(assert.strength), assert.line));
    new.sort_by_key(|assert| (assert.strength, assert.line));
    let mut found = Vec::new();
    cancel(&mut old, &mut new, |a| (plain(&a.subject), plain(&a.how), plain(&a.expected), a.strength));
    let added = new.clone();
    old.retain(|a| {
        let Some(at) = new.iter().position(|b| forms::is_same_demand(a, b)) else { return true };
        new.remove(at);
        false
    });
    // The same subject with the same demand: another expected value cannot be judged, unless it allows everything.
    for is_same_how in [true, false] {
        old.retain(|a| {
            let is_match = |b: &&Assert| {
                plain(&a.subject) == plain(&b.subject) && b.strength >= a.strength && (!is_same_how || a.how == b.how)
            };
            let Some(at) = new.iter().position(is_match) else { return true };
            let b = new.remove(at);
            if wider::is_wider(a, b) && !is_stated_elsewhere(a, b, &now) || has_lost_links(a, b, &added) {
                found.push(loss(LossKind::Wider, a, Some(b)));
            }
            false
        });
    }
    // The same demand about a subject in which a placeholder stands now: `verify { charge(any()) }`.
    old.retain(|a| {
        let is_open = |b: &&Assert| a.how == b.how && wider::is_open(&a.subject, &b.subject);
        let Some(at) = new.iter().position(is_open) else { return true };
        let b = new.remove(at);
        found.push(loss(LossKind::Wider, a, Some(b)));
        false
    });
    // All fields or elements of a value are compared one by one.
    old.retain(|a| !spelled::is_spelled_out(a, &now));
    // That there is a value is said by what it is.
    old.retain(|a| !now.iter().any(|b| demand::is_implied(a, b) || facts::is_of_type(a, b)));
    // Less of the value, or one of several values.
    old.retain(|a| {
        let is_less = |b: &&Assert| {
            reduced::is_reduced(a, b)
                || alternatives::is_open_alternative(a, b)
                || errors::is_untyped(a, b)
                || plain(&a.subject) != plain(&b.subject) && demand::is_less(a, b)
        };
        let Some(at) = new.iter().position(is_less) else { return true };
        found.push(loss(LossKind::Wider, a, Some(new.remove(at))));
        false
    });
    // A whole value is compared now, and another one than before: a part of the old one stands in it or not.
    old.retain(|a| !added.iter().any(|b| wholes::is_whole_of(a, b)));
    // One that states facts of its value stands for nothing else.
    let compared: Vec<&Assert> = now.iter().filter(|b| facts::is_whole(b)).collect();
    new.retain(|b| !compared.contains(b) || !old.iter().any(|a| facts::is_stated(a, b)));
    old.retain(|a| !compared.iter().any(|b| facts::is_stated(a, b)) && !now.iter().any(|b| facts::is_in_pattern(a, b)));
    // What was taken out of the subject first has the value: `first = XCTUnwrap(x.first)`.
    old.retain(|a| {
        let is_taken = |b: &&Assert| is_unwrap(&b.how) && plain(&a.subject) == plain(&b.subject);
        let is_value = |b: &&Assert| {
            b.strength >= a.strength && !a.expected.is_empty() && plain(&b.expected) == plain(&a.expected)
        };
        let Some(at) = new.iter().position(is_value).filter(|_| new.iter().any(is_taken)) else { return true };
        new.remove(at);
        false
    });
    // The same subject, demanded less: the strongest that is left.
    old.retain(|a| {
        let Some(at) = new.iter().rposition(|b| plain(&a.subject) == plain(&b.subject)) else { return true };
        let b = new.remove(at);
        if !is_stated_elsewhere(a, b, &now) {
            found.push(loss(LossKind::Weaker, a, Some(b)));
        }
        false
    });
    // One assertion about a whole value may hold several about its parts, and then stands for nothing else.
    let is_whole = |b: &Assert| old.iter().any(|a| forms::is_part_of(a, b));
    let wholes: Vec<&Assert> = added.into_iter().filter(|b| is_whole(b)).collect();
    old.retain(|a| !wholes.iter().any(|b| forms::is_part_of(a, b)));
    new.retain(|b| !wholes.iter().any(|whole| std::ptr::eq(*whole, *b)));
    // What stands twice beside another subject was asked for once: no call lies between that could change it.
    old.retain(|a| a.subject.contains('(') || !now.iter().any(|b| is_same(a, b)));
    // What failed never, and has to fail with a given error now, is not asserted less.
    let is_refused =
        new.iter().any(|b| forms::expects_error(b) && b.strength >= Strength::Part && !b.expected.is_empty());
    old.retain(|a| !(is_refused && forms::expects_no_error(a)));
    // Another subject: one with the same expected value is taken first, then one that shares a word and its demand.
    for (needs_value, needs_how, needs_word) in
        [(true, true, false), (true, false, false), (false, true, true), (false, false, true), (false, false, false)]
    {
        old.retain(|a| {
            let is_match = |b: &&Assert| {
                // How often something was called is one value.
                let is_counted =
                    forms::counts_calls(b) && !a.expected.is_empty() && plain(&a.expected) == plain(&b.expected);
                (b.strength >= a.strength || is_counted || is_same_matcher(a, b))
                    && !wider::is_presence_for_condition(a, b)
                    && !is_mere_part(a, b, &now)
                    && !counts::is_count_of(a, b)
                    && !counts::is_limit_for(a, b)
                    && (!needs_value || !a.expected.is_empty() && plain(&a.expected) == plain(&b.expected))
                    && (!needs_how || a.how == b.how)
                    && (!needs_word || shares_word(a, b))
            };
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

/// Matchers of RSpec within others, and what they are joined with.
const COMPOSED: [&str; 9] = [
    "be_a",
    "a_kind_of",
    "and",
    "have_attributes",
    "having_attributes",
    "message",
    "match",
    "include",
    "an_instance_of",
];

/// Whether other assertions of today name what an expected error no longer names: its text is asserted by itself.
fn is_stated_elsewhere(a: &Assert, b: &Assert, now: &[Assert]) -> bool {
    let words = |text: &str| -> BTreeSet<String> { identifiers(text).map(str::to_string).collect() };
    let kept = words(&b.expected);
    let is_matcher = |word: &String| COMPOSED.contains(&word.as_str());
    let lost: Vec<String> =
        words(&a.expected).into_iter().filter(|word| !kept.contains(word) && !is_matcher(word)).collect();
    let said: BTreeSet<String> = now
        .iter()
        .filter(|other| *other != b)
        .flat_map(|other| words(&format!("{} {}", other.expected, other.subject)))
        .collect();
    forms::expects_error(a) && !lost.is_empty() && lost.iter().all(|word| said.contains(word))
}

/// Whether an assertion compares only some fields of a value that another one compared whole.
fn is_mere_part(whole: &Assert, part: &Assert, now: &[Assert]) -> bool {
    let is_part = |b: &Assert| forms::is_compared_in(b, whole) || forms::is_key_of(b, whole);
    let is_exact = |b: &&Assert| b.strength == Strength::Exact && !is_open_value(&b.expected);
    let parts = now.iter().filter(is_exact).filter(|b| is_part(b)).count();
    whole.expected.contains(['=', ':']) && is_part(part) && parts < lists::fields(&whole.expected)
}

/// Whether both assert one value with the same matcher. One of them may be about something that is named like a length.
fn is_same_matcher(a: &Assert, b: &Assert) -> bool {
    let is_value = !a.expected.is_empty() && plain(&a.expected) == plain(&b.expected);
    is_value && a.how == b.how && b.strength >= Strength::Part && forms::measured(&b.subject).is_some()
}

/// Whether an assertion gives what it found.
fn is_unwrap(how: &str) -> bool {
    [
        "XCTUnwrap",
        "require",
        "#require",
        "assertNotNull",
        "assertIsNotNone",
        "requireNotNull",
        "shouldNotBeNull",
        "NotNull",
    ]
    .contains(&how)
}

/// Whether a chain lost demands that no new assertion makes.
fn has_lost_links(a: &Assert, b: &Assert, added: &[&Assert]) -> bool {
    let is_made = |link: &&str| added.iter().any(|other| *other != b && other.how.split('.').any(|how| how == *link));
    wider::lost_links(a, b).iter().any(|link| !is_made(link))
}

/// Whether two assertions say the same.
fn is_same(a: &Assert, b: &Assert) -> bool {
    a.how == b.how && plain(&a.subject) == plain(&b.subject) && plain(&a.expected) == plain(&b.expected)
}

/// An assertion that a whole comparison holds is that comparison: `assert (a == b), "why"`. A matcher has the name that its library
/// prefers.
fn compared(assert: &Assert) -> Assert {
    if let Some(spied) = spied(assert) {
        return spied;
    }
    // `assertTrue($x !== null)`
    if assert.how == "assertTrue" && assert.strength == Strength::Part && assert.expected.trim() == "null" {
        let (how, expected) = ("assertNotNull".into(), String::new());
        return Assert { how, expected, strength: Strength::Something, ..assert.clone() };
    }
    // What stands behind the value is a message.
    if covered::PRESENCE.contains(&assert.how.as_str()) && !assert.expected.is_empty() {
        return compared(&Assert { expected: String::new(), ..assert.clone() });
    }
    let is_of_mock = assert.how == "verify" && assert.expected.is_empty() && !assert.subject.contains(['(', ',', ' ']);
    if assert.how == "assert_mock" || is_of_mock && !assert.subject.is_empty() {
        let (how, subject) = ("assert".to_string(), format!("{}.verify", assert.subject));
        return Assert { how, subject, strength: Strength::Something, ..assert.clone() };
    }
    // A pattern that is written out is met by one value only.
    if assert.how == "=" && assert.strength == Strength::Part && is_ground(&assert.expected) {
        return Assert { how: "==".into(), strength: Strength::Exact, ..assert.clone() };
    }
    if assert.how == "shouldHaveMessage" {
        let subject = format!("{}.message", assert.subject);
        return Assert { how: "shouldBe".into(), subject, strength: Strength::Exact, ..assert.clone() };
    }
    let is_open = assert.strength == Strength::Something && asks_truth(assert);
    let sides = assert.subject.split_once("==").filter(|_| is_open && assert.expected.is_empty());
    let Some((subject, expected)) = sides.filter(|(a, b)| is_side(a) && is_side(b)) else {
        let subject = called(&assert.subject).to_string();
        // A length tells a part of a value, in every dialect.
        let is_length = assert.strength == Strength::Exact && forms::measured(&subject).is_some();
        let strength = match assert.strength {
            strength if is_length => strength.min(Strength::Part),
            strength if types::is_asked(assert) || is_any_call(&assert.how) => strength.min(Strength::Something),
            strength => strength,
        };
        return Assert { how: forms::preferred(&assert.how), subject, strength, ..assert.clone() };
    };
    let (subject, expected) = (subject.trim().trim_start_matches('(').to_string(), expected.trim().to_string());
    Assert { how: "==".into(), subject, expected, strength: Strength::Exact, line: assert.line }
}

/// Whether a pattern of Elixir has no place for another value: no variable, no map, no rest.
fn is_ground(pattern: &str) -> bool {
    let outside: String = pattern.split('"').step_by(2).collect::<Vec<_>>().join("\"");
    let is_value = |word: &str| {
        let at = word.as_ptr() as usize - outside.as_ptr() as usize;
        let is_atom = outside[..at].ends_with(':') || outside[at + word.len()..].starts_with(':');
        is_atom || ["true", "false", "nil"].contains(&word) || word.starts_with(char::is_uppercase)
    };
    !pattern.trim().is_empty()
        && !outside.contains(['%', '|', '^', '<', '~', '#'])
        && identifiers(&outside).all(is_value)
}

/// Whether a mock may be called in any way, or any number of times.
fn is_any_call(how: &str) -> bool {
    how.split('.').any(|link| ["withAnyArgs", "zeroOrMoreTimes", "anyNumberOfTimes"].contains(&link))
}

/// What is asked of a spy, as the matcher of that name: `expect(f.calledWith(1)).to.be.true`, `expect(f).to.have.been.calledWith(1)`.
fn spied(assert: &Assert) -> Option<Assert> {
    let named = |how: &str, subject: &str, expected: &str| {
        let strength = match how {
            "called" | "notCalled" => Strength::Something,
            "calledOnce" | "calledTwice" | "calledThrice" => Strength::Part,
            _ => Strength::Exact,
        };
        let (how, subject, expected) = (how.to_string(), subject.to_string(), expected.to_string());
        Some(Assert { how, subject, expected, strength, line: assert.line })
    };
    let is_name = |name: &str| name.starts_with("called") || matches!(name, "notCalled" | "alwaysCalledWith");
    let is_true = assert.how.ends_with("true") || plain(&assert.expected) == "true" || asks_truth(assert);
    if let Some(name) = assert.how.strip_prefix("to.have.been.").filter(|name| is_name(name)) {
        return named(name, &assert.subject, &assert.expected);
    }
    let (subject, question) =
        assert.subject.rsplit_once(".called").map(|(of, _)| (of, &assert.subject[of.len() + 1..]))?;
    let (name, arguments) = question.split_once('(').unwrap_or((question, ""));
    let is_positive = is_true && !assert.how.contains("not") && assert.strength > Strength::Nothing;
    (is_positive && name.chars().all(char::is_alphanumeric))
        .then(|| named(name, subject, arguments.strip_suffix(')').unwrap_or(arguments)))?
}

/// What a function without parameters only calls: `() => f()`, `lambda: f()`.
fn called(subject: &str) -> &str {
    let without = ["async()=>", "async ()=>", "()=>", "lambda:"];
    // A block that is given to an assertion: `{ try f() }`.
    let block = subject.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    if let Some(block) = block.filter(|block| block.contains('(') && !block.contains([':', ';', '{'])) {
        return block.trim();
    }
    let body = without.iter().find_map(|begin| subject.strip_prefix(begin));
    body.filter(|body| !body.trim_start().starts_with('{')).map_or(subject, str::trim)
}

/// The losses that rows of a new table do not hold: the test has rows now and asserts as much about a common name, once for each row.
pub fn without_rows(losses: Vec<Loss>, then: &Test, now: &Test) -> Vec<Loss> {
    let rows = now.rows.as_ref().filter(|_| then.rows.is_none());
    let is_room = |rows: &&Vec<Digest>| rows.contains(&Digest(0)) || rows.len() * now.asserts.len() >= losses.len();
    let Some(rows) = rows.filter(is_room) else { return losses };
    let is_in_row = |loss: &Loss| {
        let is_same = |b: &Assert| {
            // A helper of the project that asserts is known by its name.
            let is_alike = b.how == loss.before.how && shares_expected(&loss.before, b);
            b.strength >= loss.before.strength && (shares_word(&loss.before, b) || is_alike)
        };
        !rows.is_empty() && now.asserts.iter().any(is_same)
    };
    losses.into_iter().filter(|loss| !is_in_row(loss)).collect()
}

fn loss(kind: LossKind, before: &Assert, after: Option<&Assert>) -> Loss {
    Loss { kind, before: before.clone(), after: after.cloned() }
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

/// Whether the expected values construct a value of the same type.
fn shares_expected(a: &Assert, b: &Assert) -> bool {
    let is_type =
        |word: &&str| word.starts_with(char::is_uppercase) && !["None", "True", "False", "Some"].contains(word);
    let words: BTreeSet<&str> = identifiers(&a.expected).filter(is_type).collect();
    identifiers(&b.expected).any(|word| words.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert(how: &str, subject: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: subject.into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn assertions_that_became_rows_are_no_losses() {
        let exact = |subject: &str| assert("toBe", subject, "true", Strength::Exact);
        let old = Test { asserts: vec![exact("f(1,4)"), exact("f(2,3)"), exact("f(5,6)")], ..Test::default() };
        let table = |rows: &[u64], asserts: &[Assert]| Test {
            rows: Some(rows.iter().map(|row| Digest(*row)).collect()),
            asserts: asserts.to_vec(),
            ..Test::default()
        };
        let count = |new: &Test| without_rows(losses(&old.asserts, &new.asserts), &old, new).len();
        assert_eq!(count(&table(&[1, 2, 3], &[exact("f(a,b)")])), 0);
        assert_eq!(count(&table(&[0], &[exact("f(a,b)")])), 0);
        assert_eq!(count(&table(&[1], &[exact("f(a,b)")])), 2, "too few rows");
        assert_eq!(count(&table(&[1, 2, 3], &[exact("g(a,b)")])), 2, "another subject");
        let token = |subject: &str, value: &str| {
            assert("AssertParsed", subject, &format!("new TextToken({value})"), Strength::Exact)
        };
        let text = Test { asserts: vec![token("\"{0 a}\"", "\"{0 a}\"")], ..Test::default() };
        let lost = |new: &Test| without_rows(losses(&text.asserts, &new.asserts), &text, new).len();
        assert_eq!(lost(&table(&[1], &[token("template", "expected")])), 0, "values of the same type");
        let weak = assert("toBeDefined", "f(a,b)", "", Strength::Something);
        assert_eq!(count(&table(&[1, 2, 3], &[weak])), 3, "a weaker assertion");
        assert_eq!(count(&Test { asserts: vec![exact("f(a,b)")], ..Test::default() }), 2, "no table");
    }

    #[test]
    fn a_pattern_without_variables_is_met_by_one_value() {
        assert!(is_ground("{:error, {:unknown, \"WAT\"}}") && is_ground("[1, 2]") && is_ground("nil"));
        for pattern in ["{:error, reason}", "{:error, _}", "%{a: 1}", "[1 | rest]", "\"a\" <> rest", "^x", ""] {
            assert!(!is_ground(pattern), "{pattern}");
        }
    }

    #[test]
    fn another_form_of_an_assertion_is_no_loss() {
        use Strength::{Exact, Part, Something};
        let count = |a: &Assert, b: &Assert| losses(std::slice::from_ref(a), std::slice::from_ref(b)).len();
        let equal = assert("==", "text", "f\"{a}\"", Exact);
        assert_eq!(count(&equal, &assert("assert", "(text==f\"{a}\")", "", Something)), 0);
        assert_eq!(count(&equal, &assert("assert", "text==a or text==b", "", Something)), 1);
        assert_eq!(count(&equal, &assert("assert", "text", "", Something)), 1);
        let empty = assert("==", "leaks", "[]", Exact);
        assert_eq!(count(&empty, &assert("not", "leaks", "", Something)), 0);
        assert_eq!(count(&empty, &assert("toBeDefined", "leaks", "", Something)), 1);
        let limit = assert("isGreaterThanOrEqualTo", "ms", "100", Part);
        assert_eq!(count(&limit, &assert("isAtLeast", "ms", "100", Something)), 0);
        assert_eq!(count(&limit, &assert("isNotNull", "ms", "", Something)), 1);
    }
}
