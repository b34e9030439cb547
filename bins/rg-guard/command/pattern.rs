//! Patterns over the words of a command, for rules and for DONE.md.
//!
//! `docker|podman volume rm` is a program and its first operands. `-f|--force` is an option that must be given, in any
//! spelling; `!--dry-run` one that must not; `--request=DELETE` one with that value. `*` is any characters of one word. `...` is
//! any number of operands. Further operands are allowed, except after `$`.

use super::call::Call;
use super::flags::{Flags, flags};
use super::{marks, valued_options, wildcard};

/// Whether a program only prints its help.
fn explains(name: &str, found: &Flags<'_>) -> bool {
    let short =
        "helm|az|terraform|tofu|terragrunt|kubectl|oc|pulumi|gh|glab|flyctl|fly|doctl|hcloud|vercel|wrangler|eksctl";
    found.options.contains(&"--help")
        || found.options.iter().any(|option| matches!(*option, "-h" | "-help")) && any(short, name)
        || name == "aws" && found.operands.last().is_some_and(|last| last.text == "help")
}

/// Whether a pattern matches a command.
pub fn matches(pattern: &str, call: &Call) -> bool {
    let mut tokens = pattern.split(' ').filter(|token| !token.is_empty());
    let Some(names) = tokens.next() else { return false };
    if !any(names, &call.name) {
        return false;
    }
    let found = flags(&call.args, valued_options::of_call(call));
    // A program that prints its help does nothing else.
    if explains(&call.name, &found) {
        return false;
    }
    let (mut at, mut skipping) = (0, false);
    for token in tokens {
        match token {
            "..." => skipping = true,
            "$" => {
                if at < found.operands.len() {
                    return false;
                }
            }
            token if token.starts_with('!') => {
                if is_left_out(&found, &token[1..]) {
                    return false;
                }
            }
            token if token.starts_with('-') => {
                if !has_any(&found, token) {
                    return false;
                }
            }
            token => {
                let rest = found.operands.get(at..).unwrap_or_default();
                let reach = if skipping { rest.len() } else { 1 };
                match rest.iter().take(reach).position(|arg| any(token, &marks::as_literal(&arg.text))) {
                    Some(more) => at += more + 1,
                    None => return false,
                }
                skipping = false;
            }
        }
    }
    true
}

/// Whether an option that must not be given is given, and not taken back by a later one.
fn is_left_out(found: &Flags<'_>, token: &str) -> bool {
    if token.contains('=') {
        return has_any(found, token);
    }
    found.is_set(&token.split('|').collect::<Vec<_>>())
}

/// Whether any of several options is given, with the value where the pattern has one.
fn has_any(found: &Flags<'_>, token: &str) -> bool {
    let (names, value) = match token.split_once('=') {
        Some((names, value)) => (names, Some(value)),
        None => (token, None),
    };
    names.split('|').any(|name| match value {
        Some(wanted) => found.value(name).is_some_and(|value| any(wanted, &marks::as_literal(&value))),
        None => found.has(name),
    })
}

/// The byte of a name in `a|b* ...`; zero at its end.
const fn byte_of(names: &[u8], at: usize) -> u8 {
    if at < names.len() && names[at] != b'|' && names[at] != b' ' { names[at] } else { 0 }
}

/// A bit for the first two bytes of the name at an index. Some names share one.
const fn start_at(names: &[u8], at: usize) -> u64 {
    let first = byte_of(names, at);
    let second = if first == 0 { 0 } else { byte_of(names, at + 1) };
    if first == b'*' || second == b'*' {
        u64::MAX
    } else {
        1 << ((first.wrapping_mul(5) ^ second.wrapping_mul(3)) % 64)
    }
}

/// A bit for the first two bytes of a program's name.
pub fn start_of(name: &str) -> u64 {
    start_at(name.as_bytes(), 0)
}

/// The bits of the names in `a|b* ...`.
pub const fn starts_of(pattern: &str) -> u64 {
    let names = pattern.as_bytes();
    let (mut bits, mut at) = (0, 0);
    loop {
        bits |= start_at(names, at);
        while byte_of(names, at) != 0 {
            at += 1;
        }
        if at == names.len() || names[at] == b' ' {
            return bits;
        }
        at += 1;
    }
}

/// Whether a pattern is about a program of that name.
pub fn is_about(pattern: &str, name: &str) -> bool {
    let end = memchr::memchr(b' ', pattern.as_bytes()).unwrap_or(pattern.len());
    is_one_of(&pattern.as_bytes()[..end], name)
}

/// Whether a word matches `a|b*c`.
pub fn any(alternatives: &str, word: &str) -> bool {
    is_one_of(alternatives.as_bytes(), word)
}

fn is_one_of(alternatives: &[u8], word: &str) -> bool {
    alternatives.split(|c| *c == b'|').any(|pattern| is_like(pattern, word.as_bytes()))
}

/// `*` matches any characters; every other character matches itself.
fn is_like(pattern: &[u8], word: &[u8]) -> bool {
    // Most patterns are about other programs: their first character decides.
    match pattern.first() {
        Some(b'*') => {}
        first if first != word.first() => return false,
        _ if memchr::memchr(b'*', pattern).is_none() => return pattern == word,
        _ => {}
    }
    wildcard::is_match(pattern, word, |piece| *piece == b'*', |piece, c| piece == c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Arg;

    fn call(line: &str) -> Call {
        let mut words = line.split(' ');
        let name = words.next().unwrap().to_string();
        Call { name, args: words.map(|word| Arg::new(word, Default::default())).collect(), ..Call::default() }
    }

    #[test]
    fn words_options_and_values_are_matched() {
        for (pattern, line, want) in [
            ("kubectl delete ns", "kubectl -n x delete ns prod", true),
            ("kubectl delete ns !--dry-run", "kubectl delete ns x --dry-run=client", false),
            ("docker ... prune -a|--all", "docker system prune -af", true),
            ("curl -X|--request=DELETE", "curl -XDELETE https://x", true),
            ("curl -X|--request=DELETE", "curl -X GET https://x", false),
            ("gh repo delete", "gh issue list --search repo", false),
            ("aws * delete-*", "aws --profile p rds delete-db-instance", true),
            ("mkfs|mkfs.* /dev/*", "mkfs.ext4 /dev/sda", true),
            ("terraform destroy", "terraform destroy --help", false),
            ("gh repo delete $", "gh repo delete x", false),
        ] {
            assert_eq!(matches(pattern, &call(line)), want, "{pattern} over {line}");
        }
    }
}
