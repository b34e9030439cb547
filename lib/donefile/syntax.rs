//! Says in plain words why a text is not YAML, and on which line. The scanner often reports the line after the mistake.

use super::keys::all_keys;
use crate::sys::text::{cut_end, one_line};

/// How many lines with content, back from the one that the scanner reports, may hold the mistake.
const SUSPECTS: usize = 3;

/// The longest line that is shown, in characters.
const WIDTH: usize = 80;

/// Keys below the top level that are often written without their colon.
const INNER: [&str; 9] = ["name", "run", "timeout", "kind", "report", "cwd", "env", "writes", "retries"];

/// The line, from 1, that is wrong, and what is wrong there. The scanner reported line `at` with `words`.
pub(super) fn explain(lines: &[&str], at: usize, words: &str) -> (usize, String) {
    let literal = literal_lines(lines);
    let has_content = |n: &usize| !literal[*n] && !body(lines[*n]).1.is_empty();
    let end = at.clamp(1, lines.len().max(1)).min(lines.len());
    if let Some((n, bracket)) = unclosed(lines, &literal) {
        let close = if bracket == '{' { '}' } else { ']' };
        return (n + 1, format!("`{bracket}` is not closed in `{}`: add `{close}`", shown(lines[n])));
    }
    let suspects: Vec<usize> = (0..end).rev().filter(has_content).take(SUSPECTS).collect();
    if let Some((n, text)) = suspects.iter().find_map(|n| Some((*n, mistake(lines, *n)?))) {
        return (n + 1, text);
    }
    match suspects.first() {
        Some(n) => {
            let line = shown(lines[*n]);
            let advice = "Check the indentation and the colon of this line and of the line before it";
            (n + 1, format!("not valid YAML: `{line}` ({words}). {advice}"))
        }
        None => (end.max(1), words.to_string()),
    }
}

/// What is wrong with one line by itself, and what to write instead.
fn mistake(lines: &[&str], n: usize) -> Option<String> {
    let line = lines[n];
    let (lead, text) = body(line);
    let instead = |words: &str, better: String| format!("{words} in `{}`: write `{better}`", shown(line));
    if lead.contains('\t') {
        return Some(format!("a tab indents `{}`: indent with spaces", shown(line)));
    }
    let dash = if lead.contains('-') { "- " } else { "" };
    let (key, rest) = text.split_at(text.find(|c: char| c == ':' || c.is_whitespace()).unwrap_or(text.len()));
    let is_known = INNER.contains(&key) || all_keys().contains(&key);
    match rest.strip_prefix(':') {
        Some(value) if is_known && !value.is_empty() && !value.starts_with(char::is_whitespace) => {
            Some(instead("no space after the colon", format!("{dash}{key}: {value}")))
        }
        Some(value) => {
            let value = value.trim();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let is_open = !value[1..].contains(quote);
            is_open.then(|| format!("the quotation is not closed in `{}`: add `{quote}` at its end", shown(line)))
        }
        None if rest.trim().is_empty() => {
            let opens = is_known || dash.is_empty() && opens_block(lines, n, lead.len());
            opens.then(|| instead("no colon", format!("{dash}{key}:")))
        }
        None if is_known && !rest.contains(": ") => Some(instead("no colon", format!("{dash}{key}: {}", rest.trim()))),
        None => None,
    }
}

/// Whether the next line with content is a list or is indented more.
fn opens_block(lines: &[&str], n: usize, column: usize) -> bool {
    let next = lines[n + 1..].iter().map(|line| body(line)).find(|(_, text)| !text.is_empty());
    next.is_some_and(|(lead, _)| lead.contains('-') || lead.len() > column)
}

/// The first bracket at the begin of a value that nothing closes up to the end, and its line from 0.
fn unclosed(lines: &[&str], literal: &[bool]) -> Option<(usize, char)> {
    let mut open: Option<(usize, char, i32)> = None;
    for (n, line) in lines.iter().enumerate().filter(|(n, _)| !literal[*n]) {
        let text = body(line).1;
        let value = match text.split_once(": ") {
            Some((key, value)) if open.is_none() && !key.contains(['"', '\'', '{', '[']) => value.trim_start(),
            _ => text,
        };
        if open.is_none() && !value.starts_with(['{', '[']) {
            continue;
        }
        let (_, _, depth) = open.get_or_insert((n, value.chars().next().unwrap_or('{'), 0));
        *depth += nesting(value);
        if *depth <= 0 {
            open = None;
        }
    }
    open.map(|(n, bracket, _)| (n, bracket))
}

/// How many more brackets a text opens than it closes, outside quotations.
fn nesting(text: &str) -> i32 {
    let (mut depth, mut quote) = (0, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth -= 1,
            (None, _) => {}
        }
    }
    depth
}

/// For each line, whether it belongs to a text after `|` or `>`.
fn literal_lines(lines: &[&str]) -> Vec<bool> {
    let mut column = None;
    let mut found = Vec::with_capacity(lines.len());
    for line in lines {
        let (lead, text) = body(line);
        let is_literal = column.is_some_and(|column| text.is_empty() || lead.len() > column);
        if !is_literal {
            let value = text.split_once(": ").map_or("", |(_, value)| value.trim());
            let is_begin = value.starts_with(['|', '>']) && value.len() <= 3;
            column = is_begin.then_some(lead.len());
        }
        found.push(is_literal);
    }
    found
}

/// The indentation of a line with its dashes, and the rest without a comment.
fn body(line: &str) -> (&str, &str) {
    let mut at = line.len() - line.trim_start().len();
    while line[at..].starts_with("- ") {
        at += 2;
        at += line[at..].len() - line[at..].trim_start().len();
    }
    let (lead, text) = line.split_at(at);
    let text = if text.starts_with('#') { "" } else { text };
    (lead, text.split(" #").next().unwrap_or(text).trim_end())
}

fn shown(line: &str) -> String {
    cut_end(&one_line(line.trim()), WIDTH)
}
