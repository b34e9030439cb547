//! Patterns: regular expressions that more texts match than before.

use crate::outline::{Assert, Strength};

/// The marks of the begin and the end of a text.
const ANCHORS: [&str; 6] = ["^", "$", "\\A", "\\z", "\\Z", "\\b"];

/// Whether a pattern is the old one without its anchors, a part of it, or one that nearly every text matches.
pub fn is_looser(a: &Assert, b: &Assert) -> bool {
    let how = a.how.to_ascii_lowercase();
    let is_asked = ["match", "regex", "=~", "expression", "tohavetext", "tohaveurl", "output"]
        .iter()
        .any(|word| how.contains(word));
    let (Some(new), old) = (pattern(&b.expected), pattern(&a.expected)) else { return false };
    // A text became a pattern.
    let is_any =
        matches!(new, "." | ".*" | ".+" | "\\w" | "\\w+" | "\\w*" | "\\d" | "\\d*" | "\\S" | "\\S+" | "\\s*" | "");
    let Some(old) = old else {
        let was_text = a.strength >= Strength::Part && a.expected.trim_start_matches('(').starts_with(['"', '\'', '`']);
        return was_text && is_any && !a.how.contains("not");
    };
    let (before, after) = (without_anchors(old), without_anchors(new));
    let is_part = after.len() < before.len() && before.contains(after.as_str());
    let is_open = new.len() < old.len() && before == after || before != after && before.replace('+', "*") == after;
    is_asked && !a.how.contains("not") && old != new && (is_open || is_part && is_telling(old) || is_any)
}

/// What stands in a regular expression: between slashes, or in a text behind `r`.
fn pattern(expected: &str) -> Option<&str> {
    let text = expected.trim().trim_start_matches('(').trim_end_matches(')').trim();
    if let Some(rest) = text.strip_prefix('/').or_else(|| text.strip_prefix("~r/")) {
        return rest.rsplit_once('/').map(|(inner, _)| inner);
    }
    let rest = text.strip_prefix('r').unwrap_or(text);
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = rest[1..].strip_suffix(quote)?;
    let inner = inner.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).unwrap_or(inner);
    let has_signs = inner.contains(['^', '$', '\\', '*', '+', '[']) || inner == ".";
    has_signs.then_some(inner)
}

fn without_anchors(pattern: &str) -> String {
    ANCHORS.iter().fold(pattern.to_string(), |text, anchor| {
        let text = text.strip_prefix(anchor).map(str::to_string).unwrap_or(text);
        text.strip_suffix(anchor).map(str::to_string).unwrap_or(text)
    })
}

/// Whether a pattern asks for more than words.
fn is_telling(pattern: &str) -> bool {
    pattern.contains(['[', '\\', '^', '$', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_more_texts_match_is_looser() {
        let is = |before: &str, after: &str| {
            let of = |expected: &str| Assert {
                how: "toMatch".into(),
                subject: "x".into(),
                expected: expected.into(),
                strength: Strength::Part,
                line: 1,
            };
            is_looser(&of(before), &of(after))
        };
        assert!(is("/^x-\\d+$/", "/x-\\d+/") && is("/^x[0-9]{4}$/", "/x/") && is("/^a$/", "/./"));
        assert!(is("\"/cart\"", "/.*/") && is("r\"^\\d+$\"", "r\"\\d+\""));
        assert!(!is("/x-\\d+/", "/^x-\\d+$/") && !is("/must be a number/", "/must be a text/"));
        assert!(!is("/is a number/", "/number/"), "a text may be worded otherwise");
        assert!(!is("\"a\"", "\"b\"") && !is("/a/", "/b.*/"));
    }
}
