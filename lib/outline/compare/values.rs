//! Values: what assertions expect.

use super::features::plain;

/// Values that match everything.
const ANYTHING: [&str; 9] =
    ["expect.anything", "anything()", "mock.ANY", "ANY", ".*", ".+", "[\\s\\S]*", "any()", "match.any"];

/// How long a word of an expected value is at least, to be recognised elsewhere.
pub const TELLING: usize = 4;

/// Whether a value, as `plain` writes it, matches everything.
pub fn is_anything(text: &str) -> bool {
    let bare = text.trim_matches(|c| matches!(c, '/' | '^' | '$' | 'r'));
    ANYTHING.iter().any(|any| bare == plain(any)) || text.starts_with("expect.anything")
}

/// Whether a part of a value is left open.
pub fn is_open_value(expected: &str) -> bool {
    let expected = expected.to_ascii_lowercase();
    is_anything(&plain(&expected))
        || ["any(", "anything", "containing", "matching", ".any"].iter().any(|word| expected.contains(word))
}

/// Whether a value has every word of another one, and one of these words is long.
pub fn holds_words(value: &str, of: &str) -> bool {
    words(value).any(|word| word.chars().count() >= TELLING) && holds_all_words(value, of)
}

/// Whether a value has every word of another one, which has at least one.
pub fn holds_all_words(value: &str, of: &str) -> bool {
    let there: Vec<&str> = words(of).collect();
    words(value).next().is_some() && words(value).all(|word| there.contains(&word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}
