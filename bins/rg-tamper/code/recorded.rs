//! Recorded calls: what a test asked of a mock, and asks now of the list of calls that a double of the project keeps.

use super::Judgement;
use super::elsewhere::VALUE;
use super::weight::Lost;
use regex::Regex;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Assert, Strength};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A list that is written out.
static LIST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:&?\[|vec!\[|\(\[|(?:List|Arrays|Set)\.(?:of|asList)\(|(?:mutable)?[lL]istOf\(|emptyList\(|new(?:\s+\w+)?\[\])").ok()
});

/// Drops what tests asked of mocks, where what was asked is compared now.
pub fn drop_recorded(judgement: &Judgement<'_>, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let Some((old, new)) = tests else { return true };
        let is_new = |b: &Assert| !old.asserts.iter().any(|a| a.subject == b.subject && a.expected == b.expected);
        losses.retain(|loss| {
            // What the function of a mock asserted, the test asserts.
            let is_inner = |b: &Assert| !b.expected.is_empty() && loss.before.expected.contains(&b.expected);
            let mut exact = new.asserts.iter().filter(|b| is_exact(b) && (is_new(b) || is_inner(b)));
            !exact.any(|b| holds(&loss.before, b))
        });
        !losses.is_empty()
    });
}

fn is_exact(assert: &Assert) -> bool {
    let is_negated = assert.how.to_ascii_lowercase().contains("not") || assert.how.contains("!=");
    assert.strength == Strength::Exact && !is_negated
}

/// Whether an assertion compares all that a double kept.
fn is_whole(assert: &Assert) -> bool {
    LIST.as_ref().is_some_and(|regex| regex.is_match(assert.expected.trim())) && assert.subject.contains(['.', '>'])
}

/// Whether an assertion asks something of a mock.
fn is_call(assert: &Assert) -> bool {
    let how = assert.how.to_ascii_lowercase();
    let is_expected = how == "expect" && assert.subject.contains("Mock");
    is_expected || ["once", "receive", "expect_call", "verify", "calledwith"].iter().any(|word| how.contains(word))
}

/// Whether an assertion states what was asked of a mock: its values, or with a whole list how often it was called, or that nothing else was.
fn holds(asked: &Assert, new: &Assert) -> bool {
    let how = asked.how.to_ascii_lowercase();
    let is_rest = ["nomoreinteractions", "nointeractions", "confirmverified"].iter().any(|word| how.contains(word));
    let values = |text: &str| -> BTreeSet<String> {
        let all = VALUE.as_ref().into_iter().flat_map(|regex| regex.find_iter(text));
        all.map(|value| value.as_str().replace('\'', "\"")).collect()
    };
    let mut asked_for = values(&asked.expected);
    if how.contains("nth") {
        // It is the number of the call.
        asked_for.retain(|value| value.starts_with('"'));
    }
    let root = |assert: &Assert| assert.subject.split(['.', '(']).next().map(str::to_string);
    let is_other = asked.subject != new.subject && asked.subject.contains('.');
    let is_of_same = is_other && root(asked) == root(new) && is_whole(new);
    let is_stated = !asked_for.is_empty() && asked_for.is_subset(&values(&new.expected));
    let is_count = is_rest || how.ends_with("times");
    !is_call(new) && (is_count && is_whole(new) || (is_call(asked) || is_of_same) && !is_rest && is_stated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_list_states_what_was_asked_of_a_mock() {
        let assert = |how: &str, subject: &str, expected: &str| Assert {
            how: how.into(),
            subject: subject.into(),
            expected: expected.into(),
            strength: Strength::Exact,
            ..Assert::default()
        };
        let list = assert("assertEquals", "mailer.sent()", "List.of(new Sent(\"a@b\", \"Due\"))");
        assert!(is_exact(&list) && holds(&assert("verifyNoMoreInteractions", "(mailer)", ""), &list));
        let list = assert("eq", "gateway.charges", "([[2500,\"EUR\"]])");
        assert!(is_exact(&list) && holds(&assert("with.once.and_return", "gateway", "(2500,'EUR')"), &list));
        assert!(!holds(&assert("with.once.and_return", "gateway", "(2600,\"EUR\")"), &list), "another value");
        assert!(!holds(&assert("eq", "order.total", "2500"), &list), "no mock");
        assert!(!is_whole(&assert("eq", "gateway.charges.size", "1")) && !is_whole(&assert("eq", "list", "[1]")));
        assert!(!is_exact(&assert("not_to.eq", "gateway.charges", "[]")));
        let events = assert("XCTAssertEqual", "analytics.events", "[.init(name: \"add\")]");
        assert!(holds(&assert("XCTAssertEqual", "analytics.lastName", "\"add\""), &events));
        assert!(!holds(&assert("XCTAssertEqual", "analytics.lastName", "\"clear\""), &events), "another value");
        assert!(!holds(&assert("XCTAssertEqual", "cart.lastName", "\"add\""), &events), "another object");
        let message = assert("==", "mail", "%{to: \"a@b\"}");
        assert!(holds(&assert("expect", "MailerMock", ":deliver, fn mail -> assert mail == %{to: \"a@b\"}"), &message));
        assert!(!holds(&assert("confirmVerified", "(orders)", ""), &message), "no list");
    }
}
