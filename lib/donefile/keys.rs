//! The keys that DONE.md may have at its top, and which of them a misspelt one may mean.

/// Keys that this release takes in and does not judge by; their tools read them.
pub(super) const LATER: [&str; 3] = ["run", "issues", "notify"];

/// All of them.
pub(super) fn all_keys() -> Vec<&'static str> {
    let mut keys = vec![
        "version",
        "checks",
        "gate",
        "guards",
        "paths",
        "review",
        "diagnostics",
        "ask",
        "land",
        "loop",
        "commands",
        "trace",
    ];
    keys.extend(LATER);
    keys
}

/// Whether two words are at most two edits apart (a cheap bound: common prefix and suffix).
pub(super) fn is_near(a: &str, b: &str) -> bool {
    let prefix = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let suffix = a.bytes().rev().zip(b.bytes().rev()).take_while(|(x, y)| x == y).count();
    let longest = a.len().max(b.len());
    prefix + suffix + 2 >= longest && prefix + suffix > 0
}
