//! Recorded calls: what a test asked of a mock, and asks now of the list of calls that a double of the project keeps.

use super::Judgement;
use super::elsewhere::VALUE;
use super::weight::Lost;
use super::words::Texts;
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
pub fn drop_recorded(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let Some((old, new)) = tests else { return true };
        let is_new = |b: &Assert| !old.asserts.iter().any(|a| a.subject == b.subject && a.expected == b.expected);
        losses.retain(|loss| {
            // What the function of a mock asserted, the test asserts.
            let is_inner = |b: &Assert| !b.expected.is_empty() && loss.before.expected.contains(&b.expected);
            let mut exact = new.asserts.iter().filter(|b| is_exact(b) && (is_new(b) || is_inner(b)));
            let keeps = |b: &Assert| texts.lines(pair.now.file).is_some_and(|(_, now)| is_kept(now, b.subject.trim()));
            let is_none = || new.asserts.iter().any(|b| is_new(b) && is_never(&loss.before, b));
            !exact.any(|b| holds(&loss.before, b, keeps(b))) && !is_none()
        });
        !losses.is_empty()
    });
}

fn is_exact(assert: &Assert) -> bool {
    let is_negated = assert.how.to_ascii_lowercase().contains("not") || assert.how.contains("!=");
    assert.strength == Strength::Exact && !is_negated
}

/// Whether an assertion compares all that a double kept: a field of it, or a list of the test to which it adds its calls.
fn is_whole(assert: &Assert, is_kept: bool) -> bool {
    let is_list = LIST.as_ref().is_some_and(|regex| regex.is_match(assert.expected.trim()));
    is_list && (is_kept || assert.subject.contains(['.', '>']))
}

/// Whether something adds to a list: `list::add`, `calls.push(x)`.
fn is_kept(lines: &[String], list: &str) -> bool {
    let adds = ["::add", ".add", ".Add", ".push", ".append", "::addLast", "::plusAssign", " += ", " << "];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_name = !list.is_empty() && list.chars().all(is_part);
    let does = |line: &String, form: &&str| {
        let call = format!("{list}{form}");
        line.match_indices(&call)
            .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + call.len()..].starts_with(is_part))
    };
    is_name && lines.iter().any(|line| adds.iter().any(|form| does(line, form)))
}

/// Whether an assertion asks something of a mock.
fn is_call(assert: &Assert) -> bool {
    let how = assert.how.to_ascii_lowercase();
    let is_expected = how == "expect" && assert.subject.contains("Mock");
    is_expected || ["once", "receive", "expect_call", "verify", "calledwith"].iter().any(|word| how.contains(word))
}

/// Whether a mock must not be called, and the list of all calls that its double keeps is empty.
fn is_never(asked: &Assert, new: &Assert) -> bool {
    let text = format!("{} {}", asked.how, asked.expected).to_lowercase();
    let is_none = ["never", "notcalled", "isany", "anyint()", "any()", "not_to.have_received"]
        .iter()
        .any(|word| text.contains(word));
    let how = new.how.to_ascii_lowercase().replace('_', "");
    let is_empty = ["empty", "beempty", "isempty", "assertempty", "shouldbeempty"].contains(&how.as_str());
    let root = |assert: &Assert| assert.subject.split(['.', '(']).next().map(str::to_string);
    is_call(asked) && is_none && is_empty && new.subject.contains('.') && root(asked) == root(new)
}

/// Whether an assertion states what was asked of a mock: its values, or with a whole list how often it was called, or that nothing else was.
fn holds(asked: &Assert, new: &Assert, is_kept: bool) -> bool {
    let how = asked.how.to_ascii_lowercase();
    let is_rest = ["nomoreinteractions", "nointeractions", "confirmverified", "noothercalls"]
        .iter()
        .any(|word| how.contains(word));
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
    let is_of_same = is_other && root(asked) == root(new) && is_whole(new, is_kept);
    let given = values(&new.expected);
    // A text of the list may say what was called, and with what: `"delete mon"`.
    let is_in_text = |value: &String| {
        let word = value.trim_matches('"');
        given.iter().any(|text| text.trim_matches('"').split([' ', ':', '(', ')', ',']).any(|part| part == word))
    };
    let is_stated = !asked_for.is_empty()
        && asked_for.iter().all(|value| given.contains(value) || is_whole(new, is_kept) && is_in_text(value));
    let is_count = is_rest || how.ends_with("times");
    !is_call(new) && (is_count && is_whole(new, is_kept) || (is_call(asked) || is_of_same) && !is_rest && is_stated)
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
        let holds = |asked: &Assert, new: &Assert| super::holds(asked, new, false);
        let is_whole = |assert: &Assert| super::is_whole(assert, false);
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

    #[test]
    fn a_list_of_the_test_keeps_calls_if_something_adds_to_it() {
        let is = |line: &str| is_kept(&[line.to_string()], "positions");
        assert!(
            is("new Thermostat(21, positions::add);") && is("positions.push(x)") && is("_ = positions.Add(percent);")
        );
        assert!(
            !is("List<Integer> positions = new ArrayList<>();")
                && !is("otherpositions::add")
                && !is("positions::addAll")
        );
    }
}
