//! The top-level keys of DONE.md.

/// Keys that this release accepts and ignores.
pub(super) const LATER: [&str; 1] = ["notify"];

/// All top-level keys.
pub(super) fn all_keys() -> Vec<&'static str> {
    let mut keys = vec![
        "version",
        "checks",
        "quarantine",
        "gate",
        "guards",
        "paths",
        "review",
        "diagnostics",
        "ask",
        "land",
        "proof",
        "loop",
        "issues",
        "run",
        "commands",
        "trace",
    ];
    keys.extend(LATER);
    keys
}
