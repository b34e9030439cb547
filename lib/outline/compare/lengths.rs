//! Lengths: how many elements a value has, as a subject and as a matcher.

use super::features::plain;

/// Matchers of a length, in lower case.
const MEASURES: [&str; 4] = ["length", "size", "count", "len"];

/// Whether a matcher, in lower case, asks for a length.
pub fn measures(how: &str) -> bool {
    MEASURES.iter().any(|word| how.contains(word))
}

/// What a length is taken of, as `plain` writes it.
pub fn measured(subject: &str) -> Option<String> {
    let subject = plain(subject);
    let ends = [".length", ".size", ".count", ".len", ".Count", ".Length", ".Size"];
    let before = ends.iter().find_map(|end| subject.strip_suffix(end));
    let calls = ["len", "count", "sizeof", "length", "map_size", "Enum.count", "tuple_size"];
    before
        .or_else(|| calls.iter().find_map(|call| subject.strip_prefix(call)))
        .filter(|rest| !rest.is_empty())
        .map(str::to_string)
}
