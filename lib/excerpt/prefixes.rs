//! Lines behind a time, or of several programs that run together behind their names: `[lint] text`, `web:test: text`, `web | text`.

use std::borrow::Cow;

/// The most programs.
const MOST: usize = 16;

/// The name of a time, which stands in the place of a name.
const TIME: &str = "time";

/// The fewest lines with a name that count as such an output.
const FEWEST: usize = 5;

/// The text without the names, the lines of each program together. Unchanged if fewer than four in five lines have a name.
pub fn without(text: &str) -> Cow<'_, str> {
    let mut programs: Vec<(&str, String)> = vec![("", String::new())];
    let (mut all, mut named) = (0, 0);
    for line in text.lines() {
        all += usize::from(!line.trim().is_empty());
        let (name, rest) = split(line).unwrap_or(("", line));
        named += usize::from(!name.is_empty());
        let at = programs.iter().position(|(known, _)| *known == name);
        let at = match at {
            Some(at) => at,
            None if programs.len() == MOST => return Cow::Borrowed(text),
            None => {
                programs.push((name, String::new()));
                programs.len() - 1
            }
        };
        programs[at].1.push_str(rest);
        programs[at].1.push('\n');
        if all > FEWEST * 4 && named * 5 < all {
            return Cow::Borrowed(text);
        }
    }
    if named < FEWEST || named * 5 < all * 4 {
        return Cow::Borrowed(text);
    }
    Cow::Owned(programs.into_iter().map(|(_, lines)| lines).collect())
}

/// `[12:00:01]`, `2026-11-28T12:00:01.123Z`
fn is_time(word: &str) -> bool {
    let time = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')).unwrap_or(word);
    let is_part = |b: u8| b.is_ascii_digit() || b":.-+TZ".contains(&b);
    time.bytes().filter(|b| *b == b':').count() >= 2 && time.len() >= 7 && time.bytes().all(is_part)
}

/// The name of the program, and the line that it printed.
fn split(line: &str) -> Option<(&str, &str)> {
    let is_word = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_lowercase() || c == '@')
            && text.len() < 60
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"@/_.-#".contains(&b))
    };
    let first = line.split(' ').next().unwrap_or("");
    if is_time(first) {
        return Some((TIME, line[first.len()..].strip_prefix(' ').unwrap_or("")));
    }
    let (name, rest) = match line.strip_prefix('[') {
        Some(inner) => inner.split_once(']').filter(|(name, _)| is_word(name))?,
        None => match line.split_once(" | ").or_else(|| Some((line.strip_suffix(" |")?, ""))) {
            Some((name, rest)) if is_word(name.trim_end()) => return Some((name.trim_end(), rest)),
            _ => {
                let end = line.find(": ").or_else(|| line.ends_with(':').then(|| line.len() - 1))?;
                let (package, task) = line[..end].split_once(':')?;
                (is_word(package) && task.split(':').all(is_word)).then(|| (&line[..end], &line[end + 1..]))?
            }
        },
    };
    let is_level = ["info", "warn", "warning", "error", "debug", "trace", "success"].contains(&name);
    (!is_level).then(|| (name, rest.strip_prefix(' ').unwrap_or(rest)))
}
