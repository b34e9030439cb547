//! The renamed terms: which field, value or word of the old programs may be another one in the new programs.
//!
//! A row allows a change, it does not ask for it: the same programs on both sides never differ.

/// Fields of events, records and receipts: old name, new name.
pub const FIELDS: &[(&str, &str)] = &[("judged", "verdicts"), ("owed", "required"), ("seat", "budget_owner")];

/// Values: the old name of their field (or of the array that holds them), old value, new value.
pub const VALUES: &[(&str, &str, &str)] = &[
    ("level", "gamed", "tampered"),
    ("level", "fail", "error"),
    ("level", "warn", "warning"),
    ("level", "info", "note"),
    ("level", "unverified", "inconclusive"),
    ("verdict", "gamed", "tampered"),
    ("verdict", "unverified", "inconclusive"),
    ("verdict", "not-owed", "not-required"),
    ("origin", "hand", "manual"),
    ("seat", "hand", "manual"),
    ("trust", "witnessed", "client"),
    ("trust", "launched", "gate"),
    ("trust", "elsewhere", "external"),
    ("state", "not-owed", "not-required"),
    ("state", "owed", "required"),
    ("state", "unverified", "inconclusive"),
    ("by", "person", "user"),
];

/// Words of texts: old, new. Both are compared token by token, so `gamed` inside of another word is left alone.
pub const WORDS: &[(&str, &str)] = &[
    ("gamed", "tampered"),
    ("fail", "error"),
    ("warn", "warning"),
    ("info", "note"),
    ("unverified", "inconclusive"),
    ("not-owed", "not-required"),
    ("witnessed", "client"),
    ("launched", "gate"),
    ("elsewhere", "external"),
    ("by hand", "manual"),
    ("person", "user"),
    ("hand", "manual"),
    ("seat", "budget owner"),
    ("judged", "verdicts"),
    ("owed", "required"),
    ("status --prompt", "show --prompt"),
];

/// Fields whose numbers are never the same twice.
pub const VOLATILE: &[&str] = &["seconds", "pid", "file_nanos"];

/// Fields whose digests must agree to the letter: what a finding is recognised by, and which files were judged.
pub const EXACT: &[&str] = &["key", "keys", "snapshot"];

/// What an event line decides, under the new names: what `--no-state` compares of a line.
pub const DECISIVE: &[&str] = &["verdicts", "required", "findings", "reply", "outcome", "waivers", "bounce", "ended"];

/// The names that a field may have in the new programs, its own first.
pub fn names_of(field: &str) -> impl Iterator<Item = &str> {
    std::iter::once(field).chain(FIELDS.iter().filter(move |(old, _)| *old == field).map(|(_, new)| *new))
}

/// Whether `field`, by its old name, may hold `new` where it held `old`.
pub fn is_renamed(field: &str, old: &str, new: &str) -> bool {
    VALUES.contains(&(field, old, new))
}
