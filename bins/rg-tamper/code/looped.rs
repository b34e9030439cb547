//! Looped assertions: one that stands in a loop over the values of those that stood there one by one.

use super::Judgement;
use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::tables::is_loop;
use super::weight::Lost;
use super::words::Texts;
use regex::Regex;
use review_gate::outline::compare::{Loss, Pair, Side};
use review_gate::outline::{Assert, Test};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A text or a number.
static VALUE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""[^"]*"|'[^']*'|`[^`]*`|\b\d[\d_.]*\b"#).ok());

/// Drops the assertions about single values that the test makes in a loop over these values now.
pub fn drop_looped(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let (Some(new), Some((_, now))) = (judgement.test(Side::Now, pair.now), texts.lines(pair.now.file)) else {
            return true;
        };
        let body = &now[extent::of(now, line_at(new.line))];
        let values = values(losses, new);
        let held = |value: &String| {
            let bare = value.trim_matches(['"', '\'', '`']);
            let quoted =
                |line: &str| ['"', '\'', '`'].iter().any(|quote| line.contains(&format!("{quote}{bare}{quote}")));
            let is_text = bare.len() < value.len();
            body.iter().any(|line| if is_text { quoted(line) } else { all_words(line).any(|word| word == bare) })
        };
        let has_loop = body.iter().any(|line| is_loop(line));
        let is_whole = !values.is_empty() && values.len() == losses.len();
        losses.retain(|loss| !has_loop || !is_row(&loss.before, body, new));
        !(losses.is_empty() || is_whole && has_loop && values.iter().all(held))
    });
}

/// Whether one line holds all values of an assertion, and the test makes that assertion of the same call about names.
fn is_row(old: &Assert, body: &[String], new: &Test) -> bool {
    let code = format!("{} {}", old.subject, old.expected);
    let found = VALUE.as_ref().into_iter().flat_map(|regex| regex.find_iter(&code));
    let values: Vec<&str> = found.map(|found| found.as_str().trim_matches(['"', '\'', '`'])).collect();
    let head = |subject: &str| subject.split_once('(').map(|(head, _)| head.to_string());
    let is_it = |b: &Assert| {
        let is_same_call = head(&old.subject).is_some_and(|of| head(&b.subject) == Some(of));
        let has_value = VALUE.as_ref().is_some_and(|regex| regex.is_match(&b.subject) || regex.is_match(&b.expected));
        b.how == old.how && b.strength >= old.strength && is_same_call && !has_value
    };
    let holds = |line: &String| {
        let mut rest = line.as_str();
        // Each value stands there for itself.
        values.iter().all(|value| match rest.split_once(value) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    };
    values.len() > 1 && new.asserts.iter().any(is_it) && body.iter().any(holds)
}

/// The value of each loss that an assertion of today makes about a name in its place, without repetitions.
fn values(losses: &[Loss], new: &Test) -> BTreeSet<String> {
    losses.iter().filter_map(|loss| new.asserts.iter().find_map(|assert| value(&loss.before, assert))).collect()
}

/// The literal in place of which the other assertion has a name.
fn value(a: &Assert, b: &Assert) -> Option<String> {
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_') && !text.starts_with(char::is_numeric)
    };
    let is_literal = |text: &str| text.starts_with(['"', '\'', '`']) || text.parse::<f64>().is_ok();
    let (of_subject, of_expected) = (is_literal(&a.subject), is_literal(&a.expected));
    if a.how != b.how || b.strength < a.strength {
        return None;
    }
    match () {
        () if of_subject && is_name(&b.subject) && a.expected == b.expected => Some(a.subject.clone()),
        () if of_expected && is_name(&b.expected) && a.subject == b.subject => Some(a.expected.clone()),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_takes_the_place_of_a_value() {
        let assert = |how: &str, subject: &str, expected: &str| Assert {
            how: how.into(),
            subject: subject.into(),
            expected: expected.into(),
            ..Assert::default()
        };
        let of = |a: (&str, &str, &str), b: (&str, &str, &str)| value(&assert(a.0, a.1, a.2), &assert(b.0, b.1, b.2));
        assert_eq!(of(("match", "\"c#\"", "r"), ("match", "sample", "r")), Some("\"c#\"".into()));
        assert_eq!(of(("eq", "f(x)", "3"), ("eq", "f(x)", "n")), Some("3".into()));
        assert_eq!(of(("match", "\"c#\"", "r"), ("match", "\"d\"", "r")), None);
        assert_eq!(of(("match", "\"c#\"", "r"), ("match", "sample", "s")), None);
        assert_eq!(of(("match", "x", "r"), ("match", "sample", "r")), None);
    }
}
