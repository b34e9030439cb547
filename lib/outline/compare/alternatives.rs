//! Alternatives: a pattern of which one alternative fits more than the old pattern.

use super::features::plain;
use super::wider;
use crate::outline::Assert;

/// `matches!(x, A { .. } | B)` instead of `matches!(x, A { a: 1 })`: one of the patterns fits more than the old one.
pub fn is_open_alternative(a: &Assert, b: &Assert) -> bool {
    let parts = |text: &'_ str| -> Option<(String, String)> {
        let (subject, pattern) = text.split_once(',')?;
        Some((plain(subject), pattern.trim_end().strip_suffix(')')?.trim().to_string()))
    };
    let (Some((subject, old)), Some((other, new))) = (parts(&a.subject), parts(&b.subject)) else { return false };
    let alternatives: Vec<&str> = new.split('|').map(str::trim).filter(|one| !one.is_empty()).collect();
    let fits = |one: &&str| plain(one) == plain(&old) || wider::is_open(&old, one);
    let is_more = alternatives.len() > old.split('|').count() && !new.contains("||");
    a.how == b.how && subject == other && is_more && alternatives.iter().any(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::Strength;

    #[test]
    fn one_of_several_patterns_fits_more() {
        let assert = |subject: &str| Assert {
            how: "assert".into(),
            subject: subject.into(),
            strength: Strength::Exact,
            ..Assert::default()
        };
        let old = assert("(err,E::Eof{offset:11})");
        assert!(is_open_alternative(&old, &assert("(err,E::Eof{..}|E::Syntax(_))")));
        assert!(!is_open_alternative(&old, &assert("(err,E::Syntax(_))")), "another pattern");
        assert!(!is_open_alternative(&old, &assert("(other,E::Eof{..}|E::Syntax(_))")), "another value");
    }
}
