//! Assertions for a type checker: that a value is there, where the lines below read a member of it and would fail without it.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::weight::Lost;
use super::words::Texts;
use review_gate::outline::Assert;
use review_gate::outline::compare::{Loss, LossKind, Pair, Side};

/// Drops the lost assertions of presence that what the test still does demands.
pub fn drop_typing(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let (Some(new), Some((_, now))) = (judgement.test(Side::Now, pair.now), texts.lines(pair.now.file)) else {
            return true;
        };
        let body = &now[extent::of(now, line_at(new.line))];
        losses.retain(|loss| !is_demanded(loss, body));
        !losses.is_empty()
    });
}

/// Whether an assertion of presence is gone, and these lines read a member of its value.
pub fn is_demanded(loss: &Loss, lines: &[String]) -> bool {
    loss.kind == LossKind::Gone
        && asks_presence(&loss.before)
        && lines.iter().any(|line| reads(line, &loss.before.subject))
}

/// `assert x`, `assert x is not None` about a name or a member.
pub fn asks_presence(assert: &Assert) -> bool {
    let is_bare = assert.how == "assert" && assert.expected.is_empty();
    let is_not_none = assert.how == "is not" && assert.expected.trim() == "None";
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    (is_bare || is_not_none)
        && assert.subject.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && assert.subject.chars().all(is_name)
}

/// Whether a line reads a member of a value.
fn reads(line: &str, value: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    line.match_indices(value).any(|(at, _)| {
        let rest = &line[at + value.len()..];
        let is_member =
            rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        !line[..at].ends_with(is_part) && (is_member || rest.starts_with('['))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_whose_member_is_read_has_to_be_there() {
        let is = |how: &str, subject: &str, expected: &str, line: &str| {
            let before =
                Assert { how: how.into(), subject: subject.into(), expected: expected.into(), ..Assert::default() };
            is_demanded(&Loss { kind: LossKind::Gone, before, after: None }, &[line.to_string()])
        };
        let reads = "    assert crawler.stats.get_value(\"count\") == 1";
        assert!(is("assert", "crawler.stats", "", reads) && is("is not", "crawler.stats", "None", reads));
        assert!(!is("assert", "crawler.stats", "", "    return crawler.stats"), "it is only given away");
        assert!(!is("assert", "stats", "", reads) && !is("assert", "crawler.stat", "", reads), "another value");
        assert!(!is("assert", "is_valid(x)", "", "is_valid(x).y") && !is("==", "x", "1", "x.y"));
    }
}
