//! Known forms of tokens.

use super::MARK;

/// The forms of well-known tokens: the prefix, the minimum length, and the characters it may have besides letters and digits.
pub(super) const SHAPES: [(&str, usize, &str); 25] = [
    ("AKIA", 20, ""),
    ("ASIA", 20, ""),
    ("ghp_", 30, "_-"),
    ("gho_", 30, "_-"),
    ("ghu_", 30, "_-"),
    ("ghs_", 30, "_-."),
    ("ghr_", 30, "_-"),
    ("github_pat_", 40, "_-"),
    ("glpat-", 20, "_-."),
    ("sk-ant-", 24, "_-"),
    ("sk-proj-", 24, "_-"),
    ("sk-svcacct-", 35, "_-"),
    ("sk-admin-", 35, "_-"),
    ("sk-or-v1-", 35, ""),
    // Names of branches and packages begin like this, too, but are shorter.
    ("sk-", 35, ""),
    ("sk_live_", 20, "_"),
    ("rk_live_", 20, "_"),
    ("xoxb-", 20, "-"),
    ("xoxp-", 20, "-"),
    ("xoxa-", 20, "-"),
    ("AIza", 35, "_-"),
    ("npm_", 30, ""),
    ("pypi-", 40, "_-"),
    ("hf_", 30, ""),
    ("eyJ", 60, "_-."),
];

/// The first characters of the prefixes.
pub(super) const FIRST_CHARACTERS: &[u8] = b"Aghsrxnpe";

/// How much of a token is examined to distinguish it from plain words, so that the time stays linear.
const LOOKED_AT: usize = 128;

/// Copies a word or a part of one without the tokens in it. A token begins after a character that is not a letter or a digit.
pub(super) fn without_tokens(line: &str, from: usize, to: usize, out: &mut String) {
    let (mut done, mut at) = (from, from);
    while at < to {
        let is_first = FIRST_CHARACTERS.contains(&line.as_bytes()[at]) && may_begin(line.as_bytes(), at);
        if let Some(length) = is_first.then(|| token(&line[at..to])).flatten() {
            out.push_str(&line[done..at]);
            out.push_str(MARK);
            done = at + length;
        }
        at = done.max(at + 1);
    }
    out.push_str(&line[done..to]);
}

/// Whether a token may begin at this position, which includes the position after an escape: `\n` in JSON, `%2F` in a URL.
fn may_begin(line: &[u8], at: usize) -> bool {
    let before = &line[..at];
    let is_after_percent = || matches!(before, [.., b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    !before.last().is_some_and(u8::is_ascii_alphanumeric)
        || matches!(before, [.., b'\\', b'n' | b't' | b'r'])
        || is_after_percent()
}

/// The length of the token that a text begins with.
fn token(text: &str) -> Option<usize> {
    let mut shapes =
        SHAPES.iter().filter_map(|(prefix, least, joins)| Some((text.strip_prefix(prefix)?, least, joins)));
    shapes.find_map(|(body, least, joins)| {
        let prefix = text.len() - body.len();
        let is_its = |b: &u8| b.is_ascii_alphanumeric() || joins.as_bytes().contains(b);
        let looked_at = body.bytes().take(LOOKED_AT).take_while(|b| is_its(b)).count();
        // Plain words joined by hyphens are not a token.
        let is_random = |body: &[u8]| {
            body.iter().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
                || body.split(|b| !b.is_ascii_alphanumeric()).any(|run| run.len() >= 24)
        };
        let is_token = prefix + looked_at >= *least && is_random(&body.as_bytes()[..looked_at]);
        let length = || body.bytes().take_while(|b| is_its(b)).count();
        is_token.then(|| prefix + body[..length()].trim_end_matches('.').len())
    })
}
