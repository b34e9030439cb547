//! Programs whose processes only the user may signal: those of the gate, and the clients.

use regex::bytes::RegexBuilder;

/// The programs of the gate whose calls the rules judge. Most are filters: an agent that runs one could report events that did not happen.
pub const PROGRAMS: &[&str] = &[
    "rg-event",
    "rg-answer",
    "rg-tamper",
    "rg-check",
    "rg-bounce",
    "rg-receipt",
    "rg-trace",
    "rg-review-state",
    "rg-review",
    "rg-anchor",
    "rg-loop",
    "rg-issue",
    "rg-msg",
    "rg-guard",
    "rg-ask",
    "rg-rescue",
    "rg-worktree",
    "rg-land",
    "rg-install",
    "rg-init",
    "rg-doctor",
    "review-gate",
];

/// The other programs of the gate.
const OTHERS: [&str; 4] = ["rg-outline", "rg-patch", "rg-prove", "rg-run"];

/// The programs of clients: the agent's own, or another agent's.
pub const CLIENTS: [&str; 5] = ["claude", "codex", "gemini", "cursor-agent", "opencode"];

/// The longest pattern that is compiled, in bytes, and the largest compiled one.
const LONGEST: usize = 512;
const LARGEST: usize = 1 << 20;

/// Whether a program is one of the gate.
pub fn is_gate_program(name: &str) -> bool {
    PROGRAMS.contains(&name) || OTHERS.contains(&name)
}

fn all() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().copied().chain(OTHERS).chain(CLIENTS)
}

/// Whether a text has one of the names as a whole word. `~/.claude` is a directory.
pub fn mentions(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    all().any(|name| {
        text.match_indices(name)
            .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
    })
}

/// What a pattern is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// The whole name: `pgrep -x`.
    Exact,
    /// A part of the name.
    Name,
    /// A part of the command line: `pgrep -f`, `ps | grep`.
    Line,
}

impl Match {
    /// The match that options of `pgrep` and `pkill` ask for.
    pub fn of(is_exact: bool, is_full: bool) -> Match {
        match (is_full, is_exact) {
            (true, _) => Match::Line,
            (false, true) => Match::Exact,
            (false, false) => Match::Name,
        }
    }
}

/// The command line of a hook's shell, which runs the judges.
const HOOK_LINE: &str = "/bin/sh -c rg-event stop";

/// Whether a pattern of `pgrep`, `pkill` or `grep` selects one of them by its name or its command line.
pub fn selects(pattern: &str, how: Match) -> bool {
    let is_exact = how == Match::Exact;
    // `[c]laude` is a way to leave the search itself out.
    let plain = without_brackets(pattern);
    if !is_exact && mentions(&plain) {
        return true;
    }
    if pattern.is_empty() || pattern.len() > LONGEST {
        return false;
    }
    let whole = if is_exact { format!("^(?:{pattern})$") } else { pattern.to_string() };
    let regex = RegexBuilder::new(&whole).case_insensitive(true).unicode(false).size_limit(LARGEST).build();
    let lines = (how == Match::Line).then_some(HOOK_LINE);
    regex.is_ok_and(|regex| all().chain(lines).any(|name| regex.is_match(name.as_bytes())))
}

/// The pattern with each class of one character as that character, and without anchors.
fn without_brackets(pattern: &str) -> String {
    let chars: Vec<char> = pattern.chars().collect();
    let (mut out, mut at) = (String::new(), 0);
    while at < chars.len() {
        match &chars[at..] {
            ['[', c, ']', ..] => {
                out.push(*c);
                at += 3;
            }
            ['^' | '$' | '\\', ..] => at += 1,
            [c, ..] => {
                out.push(*c);
                at += 1;
            }
            [] => break,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_selects_by_name_and_by_command_line() {
        for (pattern, want) in [
            ("rg-check", true),
            ("[c]laude", true),
            ("claude --resume", true),
            ("rg-.*", true),
            ("^codex$", true),
            ("node .*/claude ", true),
            ("/home/dev/.claude/x.js", false),
            ("npm start", false),
            ("claude-notes-server", false),
            ("ripgrep", false),
        ] {
            assert_eq!(selects(pattern, Match::Line), want, "{pattern}");
        }
        assert!(!selects("rg", Match::Exact) && selects("rg-check", Match::Exact));
        assert!(selects("sh -c", Match::Line) && !selects("sh -c", Match::Name));
    }
}
