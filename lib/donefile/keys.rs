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
