//! The renamed terms: fields, values and words of the old programs that may have another name in the new programs.
//!
//! A row allows a change but does not require it, so the same programs on both sides never differ.

/// Fields of events, records and receipts: old name, new name.
pub const FIELDS: &[(&str, &str)] =
    &[("judged", "verdicts"), ("owed", "required"), ("seat", "budget_owner"), ("request", "request")];

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

/// Words of texts: old, new. Texts are compared token by token, so `gamed` inside another word does not match.
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
    ("request", "request"),
];

/// Fields whose numbers differ between any two runs.
pub const VOLATILE: &[&str] = &["seconds", "pid", "file_nanos"];

/// Fields whose digests must be equal: keys of findings, and snapshots.
pub const EXACT: &[&str] = &["key", "keys", "snapshot"];

/// The fields of an event line that hold a decision, by their new names; `--no-state` compares only these.
pub const DECISIVE: &[&str] = &["verdicts", "required", "findings", "reply", "outcome", "waivers", "bounce", "ended"];

/// The names that a field may have in the new programs, its own first.
pub fn names_of(field: &str) -> impl Iterator<Item = &str> {
    std::iter::once(field).chain(FIELDS.iter().filter(move |(old, _)| *old == field).map(|(_, new)| *new))
}

/// Whether `field`, by its old name, may hold `new` where it held `old`.
pub fn is_renamed(field: &str, old: &str, new: &str) -> bool {
    VALUES.contains(&(field, old, new))
}
