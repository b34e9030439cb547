//! Splits a shell text into steps, and tells of each whether its failure reaches the caller.

use super::shell_text::{functions, hides_failures, is_never_run, is_reading_flag, without_documents};

/// How many steps of a text are looked at.
const STEPS: usize = 2000;

/// How far a chain of commands is followed.
const CHAIN: usize = 32;

/// How a shell treats a failing command in the middle of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// It goes on: `sh -c` without `set -e`.
    Continue,
    /// It stops.
    Stop,
}

/// One simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its words, without assignments before them.
    pub words: Vec<String>,
    /// The assignments before it, as `NAME=value`.
    pub env: Vec<String>,
    /// Its failure does not reach the caller, or it never runs.
    pub is_masked: bool,
    /// Its output goes through a pipe.
    pub is_piped: bool,
}

/// What follows a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    End,
    And,
    Or,
    Sequence,
    Pipe,
    Background,
}

struct Raw {
    words: Vec<String>,
    next: Next,
}

/// The steps of a text.
pub fn steps(text: &str, mut on_failure: OnFailure) -> Vec<Step> {
    let text = &without_documents(text);
    let raw = split(text);
    let functions = functions(text);
    // After a block it is not known here what decides.
    let is_block = |word: &String| ["if", "fi", "done", "esac"].contains(&word.as_str());
    let has_block = raw.iter().any(|one| one.words.first().is_some_and(is_block));
    let mut steps: Vec<Step> = Vec::new();
    // How many `if` are open inside of one whose condition is never true.
    let mut never = 0usize;
    let mut has_ended = is_never_run(text);
    for (at, one) in raw.iter().enumerate() {
        let mut words = &one.words[..];
        let is_turned = words.first().is_some_and(|word| word == "!") || loses_condition(&raw[at..]);
        let is_if = words.first().is_some_and(|word| word == "if");
        never += usize::from(is_if && (never > 0 || words.get(1).is_some_and(|word| word == "false")));
        if words.first().is_some_and(|word| word == "fi") {
            never = never.saturating_sub(1);
        }
        while let Some((first, rest)) = words.split_first() {
            let is_keyword = ["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!"];
            if !is_keyword.contains(&first.as_str()) {
                break;
            }
            words = rest;
        }
        let is_assignment = |word: &&String| {
            let name = word.split_once('=').map_or("", |(name, _)| name);
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        let env: Vec<String> = words.iter().take_while(is_assignment).cloned().collect();
        let words = words[env.len()..].to_vec();
        match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            // The shell only reads what follows.
            ["set", "-o", "noexec", ..] => has_ended = true,
            ["set", flag] if is_reading_flag(flag) => has_ended = true,
            ["set", flag, ..] if flag.starts_with('-') && flag.contains('e') => on_failure = OnFailure::Stop,
            ["set", "+e", ..] => on_failure = OnFailure::Continue,
            ["set", "-o", "errexit", ..] => on_failure = OnFailure::Stop,
            ["set", "+o", "errexit", ..] => on_failure = OnFailure::Continue,
            ["trap", action, ref signals @ ..] if hides_failures(action, signals) => has_ended = true,
            _ => {}
        }
        if words.is_empty() && env.is_empty() {
            continue;
        }
        let decides_alone = if has_block { OnFailure::Stop } else { on_failure };
        let is_function = words.first().is_some_and(|word| functions.contains(word));
        let is_masked = has_ended || never > 0 || is_turned || is_function || is_masked(&raw, at, decides_alone);
        // What follows an unconditional `exit` never runs.
        let is_alone = at == 0 || raw[at - 1].next == Next::Sequence;
        has_ended |= !has_block
            && is_alone
            && one.next == Next::Sequence
            && words.first().is_some_and(|w| w == "exit" || w == "exec");
        steps.push(Step { words, env, is_masked, is_piped: one.next == Next::Pipe });
    }
    steps
}

/// Whether a command is the condition of an `if` in which nothing can fail.
fn loses_condition(rest: &[Raw]) -> bool {
    let is_first = |one: &Raw, known: &str| one.words.first().is_some_and(|word| word == known);
    if !rest.first().is_some_and(|one| is_first(one, "if")) {
        return false;
    }
    let block = rest.iter().position(|one| is_first(one, "fi")).and_then(|end| rest.get(1..end));
    let is_idle = |one: &Raw| is_idle(&one.words[usize::from(is_first(one, "else"))..]);
    block.is_some_and(|block| block.iter().all(is_idle))
}

/// Whether the shell stops at a failing command when a text has run to its end.
pub fn stops(text: &str) -> bool {
    let mut stops = false;
    for one in split(text) {
        match one.words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["set", flag, ..] if flag.starts_with('-') && flag.contains('e') => stops = true,
            ["set", "-o", "errexit", ..] => stops = true,
            ["set", "+e", ..] | ["set", "+o", "errexit", ..] => stops = false,
            _ => {}
        }
    }
    stops
}

/// Whether the failure of a step is lost.
fn is_masked(raw: &[Raw], at: usize, on_failure: OnFailure) -> bool {
    if fails(&raw[at].words) {
        return false;
    }
    let mut end = at;
    // The chain of this step: `a && b || c`.
    while end < at + CHAIN {
        match raw[end].next {
            Next::Background => return true,
            Next::Or => {
                let rest: Vec<&Raw> = group(&raw[end + 1..]);
                let fails = rest.iter().any(|one| fails(&one.words));
                let succeeds = rest.first().is_some_and(|one| is_idle(&one.words));
                if succeeds && !fails {
                    return true;
                }
                // Another command instead: whether it checks the same is not known here.
                end += 1;
            }
            Next::And | Next::Pipe => end += 1,
            Next::End => return false,
            Next::Sequence => break,
        }
        if end >= raw.len() {
            return false;
        }
    }
    // What follows decides, if the shell goes on.
    let rest = &raw[end + 1..];
    on_failure == OnFailure::Continue
        && !rest.is_empty()
        && rest.iter().all(|one| is_idle(&one.words) && !fails(&one.words))
}

/// The steps after `||` that belong to it: one chain, or what is in braces.
fn group(rest: &[Raw]) -> Vec<&Raw> {
    let is_open = rest.first().and_then(|one| one.words.first()).is_some_and(|word| word == "{");
    let mut group = Vec::new();
    for one in rest.iter().take(CHAIN) {
        group.push(one);
        let is_closed = one.words.first().is_some_and(|word| word == "}");
        if is_open && is_closed || !is_open && !matches!(one.next, Next::And | Next::Or | Next::Pipe) {
            break;
        }
    }
    group
}

/// The words without braces and keywords.
fn plain(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).filter(|word| !matches!(*word, "{" | "}" | "then" | "fi")).collect()
}

/// Whether a command always fails, so that the failure before it is told.
fn fails(words: &[String]) -> bool {
    match plain(words)[..] {
        ["false"] => true,
        ["exit" | "return", status] => status != "0",
        _ => false,
    }
}

/// Whether a command checks nothing and always succeeds.
pub fn is_idle(words: &[String]) -> bool {
    let words = plain(words);
    match words.first() {
        None => true,
        Some(&("exit" | "return")) => words.get(1).is_none_or(|status| *status == "0"),
        Some(program) => {
            let name = program.rsplit('/').next().unwrap_or(program);
            [
                "true", ":", "echo", "printf", "sleep", "date", "pwd", "ls", "exit", "cd", "export", "set", "wait",
                "unset",
            ]
            .contains(&name)
                || matches!(words[..], ["node", "-e" | "--eval", "" | "0" | "process.exit(0)" | "process.exit()"])
        }
    }
}

/// Splits a text at the signs between commands.
fn split(text: &str) -> Vec<Raw> {
    let mut all: Vec<Raw> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    // How many `$(` and `${` are open: what is in them is part of the word.
    let mut inner = 0usize;
    let mut is_quoted = false;
    while let Some(c) = chars.next() {
        let next = match c {
            '\\' => {
                match chars.next() {
                    Some('\n') | None => {}
                    Some('\r') => drop(chars.next_if_eq(&'\n')),
                    Some(c) => word.get_or_insert_default().push(c),
                }
                continue;
            }
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
                continue;
            }
            '\'' if !is_quoted => {
                word.get_or_insert_default().extend(chars.by_ref().take_while(|c| *c != '\''));
                continue;
            }
            '$' if matches!(chars.peek(), Some('(' | '{')) => {
                let open = chars.next().unwrap_or('(');
                inner += 1;
                word.get_or_insert_default().extend(['$', open]);
                continue;
            }
            ')' | '}' if inner > 0 => {
                inner -= 1;
                word.get_or_insert_default().push(c);
                continue;
            }
            c if is_quoted || inner > 0 => {
                word.get_or_insert_default().push(c);
                continue;
            }
            '#' if word.is_none() => {
                while chars.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            // A redirection: `2>&1`, `&>file`.
            '&' if word.as_ref().is_some_and(|word| word.ends_with('>')) || chars.peek() == Some(&'>') => {
                word.get_or_insert_default().push(c);
                continue;
            }
            '&' if chars.next_if_eq(&'&').is_some() => Next::And,
            '|' if chars.next_if_eq(&'|').is_some() => Next::Or,
            '|' => {
                chars.next_if_eq(&'&');
                Next::Pipe
            }
            '&' => Next::Background,
            ';' | '\n' => Next::Sequence,
            '(' | ')' => Next::Sequence,
            c if c.is_whitespace() => {
                words.extend(word.take());
                continue;
            }
            c => {
                word.get_or_insert_default().push(c);
                continue;
            }
        };
        words.extend(word.take());
        let ended = std::mem::take(&mut words);
        match ended.is_empty() {
            // A parenthesis before or behind another sign; the last sign tells what follows.
            true => {
                if let Some(last) = all.last_mut().filter(|_| !matches!(c, '(' | '\n')) {
                    last.next = if last.next == Next::Sequence || next != Next::Sequence { next } else { last.next };
                }
            }
            false => all.push(Raw { words: ended, next }),
        }
        if all.len() >= STEPS {
            break;
        }
    }
    words.extend(word.take());
    if !words.is_empty() {
        all.push(Raw { words, next: Next::End });
    } else if let Some(last) = all.last_mut().filter(|last| last.next == Next::Sequence) {
        last.next = Next::End;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str, on_failure: OnFailure) -> Vec<(String, bool)> {
        steps(text, on_failure).into_iter().map(|step| (step.words.join(" "), step.is_masked)).collect()
    }

    #[test]
    fn a_step_is_masked_if_its_failure_is_lost() {
        for (text, want) in [
            ("jest", vec![false]),
            ("jest || true", vec![true, false]),
            ("lint && jest || :", vec![true, true, false]),
            ("jest || exit 1", vec![false, false]),
            ("jest || { echo bad; exit 1; }", vec![false, false, false]),
            ("jest || (echo bad && exit 1)", vec![false, false, false]),
            ("jest; exit 0", vec![true, false]),
            ("jest; echo done", vec![true, false]),
            ("cd web; jest", vec![false, false]),
            ("jest &", vec![true]),
            ("(jest) || true", vec![true, false]),
            ("if false; then jest; fi", vec![true, true]),
            ("jest > log 2>&1", vec![false]),
            ("! jest", vec![true]),
            ("if jest; then echo ok; fi", vec![true, false]),
            ("if jest; then echo ok; else exit 1; fi", vec![false, false, false]),
            ("if jest; then upload; fi", vec![false, false]),
            ("trap 'exit 0' EXIT; jest", vec![true, true]),
            ("trap 'rm -f log' EXIT; jest", vec![false, false]),
            ("set -n\njest", vec![true, true]),
            ("exec true\njest", vec![false, true]),
            ("#!/bin/true\njest", vec![true]),
            ("jest() {\n:\n}\njest", vec![true, false, true]),
            ("cat <<END\njest\nEND\nlint", vec![false, false]),
            ("bash <<END\njest\nEND", vec![false, false, false]),
        ] {
            let found: Vec<bool> = masked(text, OnFailure::Continue).into_iter().map(|(_, masked)| masked).collect();
            assert_eq!(found, want, "{text}");
        }
        assert_eq!(masked("set +e\njest\necho done", OnFailure::Stop)[1], ("jest".to_string(), true));
        assert_eq!(masked("jest\necho done", OnFailure::Stop)[0], ("jest".to_string(), false));
    }

    #[test]
    fn hostile_texts_are_split_in_time() {
        for unit in ["(", ")", "&&", "|", "\"", "'", "$(", "\\", ";", "a||", "{ ", "if ", "a;"] {
            let _ = steps(&unit.repeat((1 << 17) / unit.len()), OnFailure::Continue);
        }
    }
}
