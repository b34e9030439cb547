//! Conditions of skips compared with each other: the same one in another form, its opposite, one that it implies.

use super::implies;
use regex::Regex;
use review_gate::outline::Mark;
use std::sync::LazyLock;

/// Words of marks whose condition says where a test runs.
const RUNS: [&str; 10] = [
    "[cfg(",
    "go:build",
    "runIf",
    "EnabledOn",
    "EnabledIf",
    ".enabled",
    "skipUnless",
    "SkipUnless",
    "skip_unless",
    "assume",
];

/// The reason that an annotation gives.
pub static REASON: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#",?\s*(?:disabledReason|reason|Reason|because)\s*=\s*"[^"]*"?"#).ok());

/// The opposite of a condition without blanks and brackets.
pub fn opposite(condition: &str) -> String {
    if condition.contains("||") || condition.contains("&&") {
        format!("!{condition}")
    } else if condition.contains("!=") {
        condition.replacen("!=", "==", 1)
    } else if condition.contains("==") {
        condition.replacen("==", "!=", 1)
    } else {
        condition.strip_prefix('!').map_or(format!("!{condition}"), str::to_string)
    }
}

/// A condition without what formatters change.
pub fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '(' | ')')).collect()
}

/// The namespaces before a name of PHP: `\MongoDB\`.
static NAMESPACES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:\b[A-Z]\w*)?\\{1,2}([A-Za-z_])").ok());

/// A condition in which names of PHP stand without their namespaces: `class_exists('MongoDB\Client')` asks for `Client::class`.
fn without_namespaces(condition: &str) -> String {
    let bare = NAMESPACES.as_ref().map_or(condition.into(), |regex| regex.replace_all(condition, "$1"));
    bare.replace("::class", "")
}

/// Whether the condition of a mark says where the test runs.
pub fn says_where(mark: &Mark) -> bool {
    RUNS.iter().any(|word| mark.text.contains(word))
}

/// Whether a test runs wherever it ran before. Some marks say where a test runs, others where it does not.
pub fn is_implied(then: &Mark, before: &str, mark: &Mark, now: &str) -> bool {
    let without_ignore = |text: &str| {
        let at = text.find(",ignore=\"").or_else(|| text.trim_end().strip_suffix(",ignore)").map(str::len));
        at.and_then(|at| text.get(..at)).map_or(text.to_string(), |text| format!("{text})"))
    };
    let (before, now) = (without_ignore(before), without_ignore(now));
    match (says_where(then), says_where(mark)) {
        (true, true) => implies::implies(&before, &now),
        (false, false) => implies::implies(&now, &before),
        (true, false) => implies::implies(&before, &format!("!({now})")),
        (false, true) => implies::implies(&format!("!({before})"), &now),
    }
}

/// Whether a condition is the other one, or the other one with a further demand, so that it skips no more. The reason does not matter.
pub fn is_no_wider(before: &str, now: &str) -> bool {
    // `({ isMobile }) => !isMobile` asks what `!isMobile` asks.
    let asked = |text: &str| match text.split_once("=>") {
        Some((given, asked)) if given.trim_start().starts_with(['(', '{']) => asked.to_string(),
        _ => text.to_string(),
    };
    let bare = |text: &str| {
        let text = without_namespaces(&asked(text));
        REASON.as_ref().map_or(plain(&text), |regex| plain(&regex.replace_all(&text, "")))
    };
    let (before, now) = (bare(before), bare(now));
    let parts = now.split("&&").chain(now.split(" and "));
    before == now || parts.into_iter().any(|part| part == before)
}
