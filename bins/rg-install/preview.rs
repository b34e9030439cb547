//! The difference that an edit of a file makes, line by line, with context.

use std::fmt::Write;

/// How many unchanged lines stand around a change.
const CONTEXT: usize = 3;

/// How many pairs of lines are compared. Beyond that, everything between the first and the last change is one change.
const COMPARED: usize = 4_000_000;

/// A line of a difference: what it is in the old text, in the new one, or in both.
#[derive(Clone, Copy, PartialEq)]
enum Line<'a> {
    Same(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// The difference in the form of `diff -u`; empty if there is none.
pub fn difference(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    if before == after {
        return String::new();
    }
    let lines = compare(before.unwrap_or(""), after.unwrap_or(""));
    let name = |text: Option<&str>| if text.is_some() { path } else { "/dev/null" };
    let mut out = format!("--- {}\n+++ {}\n", name(before), name(after));
    let changes: Vec<usize> = (0..lines.len()).filter(|at| !matches!(lines[*at], Line::Same(_))).collect();
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for at in changes {
        let (start, end) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(lines.len()));
        match hunks.last_mut().filter(|hunk| hunk.1 >= start) {
            Some(hunk) => hunk.1 = end,
            None => hunks.push((start, end)),
        }
    }
    for (start, end) in hunks {
        let count = |lines: &[Line<'_>], is_old: bool| {
            lines
                .iter()
                .filter(|line| if is_old { !matches!(line, Line::New(_)) } else { !matches!(line, Line::Old(_)) })
                .count()
        };
        let range = |is_old: bool| {
            let (first, many) = (count(&lines[..start], is_old), count(&lines[start..end], is_old));
            format!("{},{many}", if many == 0 { first } else { first + 1 })
        };
        let _ = writeln!(out, "@@ -{} +{} @@", range(true), range(false));
        for line in &lines[start..end] {
            let (sign, text) = match line {
                Line::Same(text) => (' ', text),
                Line::Old(text) => ('-', text),
                Line::New(text) => ('+', text),
            };
            let end = if text.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
            let _ = write!(out, "{sign}{text}{end}");
        }
    }
    out
}

/// Both texts line by line, with as many common lines as there are.
fn compare<'a>(before: &'a str, after: &'a str) -> Vec<Line<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (left, right) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<Line<'a>> = old[..head].iter().map(|line| Line::Same(line)).collect();
    lines.extend(middle(left, right));
    lines.extend(old[old.len() - tail..].iter().map(|line| Line::Same(line)));
    lines
}

/// The longest common subsequence of the lines between the first and the last change.
fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let whole = || old.iter().map(|line| Line::Old(line)).chain(new.iter().map(|line| Line::New(line))).collect();
    if old.len().saturating_mul(new.len()) > COMPARED {
        return whole();
    }
    // The length of the longest one from each pair of places on.
    let width = new.len() + 1;
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            longest[a * width + b] = match old[a] == new[b] {
                true => longest[(a + 1) * width + b + 1] + 1,
                false => longest[(a + 1) * width + b].max(longest[a * width + b + 1]),
            };
        }
    }
    let (mut a, mut b, mut lines) = (0, 0, Vec::new());
    while a < old.len() || b < new.len() {
        if a < old.len() && b < new.len() && old[a] == new[b] {
            lines.push(Line::Same(old[a]));
            (a, b) = (a + 1, b + 1);
        } else if a < old.len() && (b == new.len() || longest[(a + 1) * width + b] >= longest[a * width + b + 1]) {
            lines.push(Line::Old(old[a]));
            a += 1;
        } else {
            lines.push(Line::New(new[b]));
            b += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_difference_names_the_file_and_shows_the_lines_around_a_change() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let shown = difference("x", Some(old), Some(&old.replace("e\n", "E\nF\n")));
        assert_eq!(shown, "--- x\n+++ x\n@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+F\n f\n g\n h\n");
        assert_eq!(
            difference("x", None, Some("a")),
            "--- /dev/null\n+++ x\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n"
        );
        assert_eq!(difference("x", Some("a\n"), None), "--- x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
        assert_eq!(difference("x", Some(old), Some(old)), "");
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_a_difference(old in "([ab]\n){0,12}[ab]?", new in "([ab]\n){0,12}[ab]?") {
            let lines = compare(&old, &new);
            let side = |is_old: bool| -> String {
                let of = |line: &Line<'_>| match *line {
                    Line::Same(text) => Some(text.to_string()),
                    Line::Old(text) => is_old.then(|| text.to_string()),
                    Line::New(text) => (!is_old).then(|| text.to_string()),
                };
                lines.iter().filter_map(of).collect()
            };
            prop_assert_eq!((side(true), side(false)), (old, new));
        }
    }
}
