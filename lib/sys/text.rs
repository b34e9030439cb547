//! Makes text from other sources fit to store and to show: cut, without control sequences, on one line.

/// The head and the tail of `text`, at most `limit` bytes in all, cut on character boundaries, with the number of missing bytes
/// between them.
pub fn cut_middle(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_string();
    }
    let half = limit.saturating_sub(48) / 2;
    let head = &text[..floor_boundary(text, half)];
    let tail = &text[ceil_boundary(text, text.len() - half)..];
    format!("{head}\n[... {} bytes left out ...]\n{tail}", text.len() - head.len() - tail.len())
}

/// At most `limit` characters of `text`; an ellipsis replaces the rest.
pub fn cut_end(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_string(),
        Some(_) => {
            let end = text.char_indices().nth(limit.saturating_sub(1)).map_or(0, |(at, _)| at);
            format!("{}…", &text[..end])
        }
    }
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Program output as plain text. Bytes that are not UTF-8 are replaced. Terminal control sequences, control characters and invisible
/// direction marks are removed. Text after a carriage return overwrites the line, as on a terminal.
pub fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_csi(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.truncate(out.rfind('\n').map_or(0, |at| at + 1)),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || is_invisible(c) => {}
            c => out.push(c),
        }
    }
    out
}

fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => skip_csi(chars),
        // Operating system commands and similar sequences end with BEL or ESC \.
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        Some('(' | ')' | '#' | '%') => {
            chars.next();
        }
        _ => {}
    }
}

fn skip_csi(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    for c in chars.by_ref() {
        if ('\u{40}'..='\u{7e}').contains(&c) {
            break;
        }
    }
}

/// Whether a character is invisible and changes how a line is displayed.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The last `count` lines of `text` that are not blank, each cut to `width` characters.
pub fn last_lines(text: &str, count: usize, width: usize) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].iter().map(|line| cut_end(line.trim_end(), width)).collect()
}

/// `text` on one line: every run of white space becomes one space, and control characters are removed.
pub fn one_line(text: &str) -> String {
    plain(text.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `1 check`, `2 checks`.
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terminal_output_becomes_plain_text() {
        assert_eq!(plain(b"\x1b[31mred\x1b[0m\r\nok"), "red\nok");
        assert_eq!(plain(b"10%\r100%\n"), "100%\n");
        assert_eq!(plain(b"\x1b]0;title\x07text\x1b]8;;x\x1b\\link"), "textlink");
        assert_eq!(plain("a\u{202e}b\u{0}cü".as_bytes()), "abcü");
        assert_eq!(plain(b"\xff"), "\u{fffd}");
    }

    #[test]
    fn cutting_keeps_both_ends() {
        let long = format!("{}middle{}", "a".repeat(1000), "z".repeat(1000));
        let cut = cut_middle(&long, 200);
        assert!(cut.len() <= 200 && cut.starts_with('a') && cut.ends_with('z') && cut.contains("left out"));
        assert_eq!(cut_end("grün", 3), "gr…");
        assert_eq!(cut_end("grün", 4), "grün");
    }

    proptest! {
        #[test]
        fn cut_text_stays_within_its_limit(text in "\\PC{0,400}", limit in 64usize..200) {
            prop_assert!(cut_middle(&text, limit).len() <= limit.max(text.len().min(limit)));
        }

        #[test]
        fn plain_text_has_no_control_characters(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(plain(&bytes).chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
        }
    }
}
