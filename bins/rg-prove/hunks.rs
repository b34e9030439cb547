//! The parts of a change that are undone one by one.

use crate::plan::{Changed, Content};
use imara_diff::{Algorithm, Diff, InternedInput};
use std::ops::Range;
use std::path::PathBuf;

/// Changes with at most so many unchanged lines between them are one part.
const NEAR: u32 = 1;

/// The largest file that is divided, in bytes.
const FILE: usize = 1 << 20;

/// What begins a line that no test can notice, after its indent.
const COMMENTS: [&str; 9] = ["//", "#", "/*", "*", "--", ";;", "<!--", "%", "\"\"\""];

/// Files that no test can notice.
const TEXTS: [&str; 5] = ["md", "txt", "rst", "adoc", "org"];

/// A part of the change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// The lines of the new file, from 1; empty where lines were removed.
    pub lines: Range<u32>,
    /// How many lines were added or removed.
    pub size: u32,
    /// The file with this part undone; None if the file goes.
    pub undone: Option<(Vec<u8>, bool)>,
}

impl Part {
    /// The place, for people.
    pub fn place(&self) -> String {
        let path = self.path.display();
        match self.lines.len() {
            0 => format!("{path}:{}", self.lines.start),
            1 => format!("{path}:{}", self.lines.start),
            _ => format!("{path}:{}-{}", self.lines.start, self.lines.end - 1),
        }
    }
}

/// The parts of these changes, the largest first.
pub fn parts<'a>(changed: impl Iterator<Item = &'a Changed>) -> Vec<Part> {
    let mut parts: Vec<Part> = changed.flat_map(of_file).collect();
    parts.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| (&a.path, a.lines.start).cmp(&(&b.path, b.lines.start))));
    parts
}

fn of_file(changed: &Changed) -> Vec<Part> {
    let is_text = changed.path.extension().is_some_and(|end| TEXTS.iter().any(|text| end == *text));
    if is_text {
        return Vec::new();
    }
    let undone = |content: &Content| (content.bytes.clone(), content.is_executable);
    let lines = |content: &Content| content.bytes.split_inclusive(|byte| *byte == b'\n').count() as u32;
    let whole = |lines: Range<u32>, size| {
        let undone = changed.old.as_ref().map(undone);
        vec![Part { path: changed.path.clone(), lines, size, undone }]
    };
    match (&changed.old, &changed.new) {
        (Some(old), Some(new)) if is_divisible(old) && is_divisible(new) => within(changed, old, new),
        (_, Some(new)) => whole(1..lines(new) + 1, lines(new)),
        (Some(old), None) => whole(0..0, lines(old)),
        (None, None) => Vec::new(),
    }
}

fn is_divisible(content: &Content) -> bool {
    content.bytes.len() <= FILE && !content.bytes.contains(&0)
}

fn within(changed: &Changed, old: &Content, new: &Content) -> Vec<Part> {
    let split = |bytes| <[u8]>::split_inclusive(bytes, |byte| *byte == b'\n').collect::<Vec<&[u8]>>();
    let (before, after) = (split(&old.bytes), split(&new.bytes));
    let mut input: InternedInput<&[u8]> = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let mut groups: Vec<(Range<u32>, Range<u32>)> = Vec::new();
    for hunk in diff.hunks() {
        match groups.last_mut() {
            Some((was, is)) if hunk.after.start - is.end <= NEAR => {
                (was.end, is.end) = (hunk.before.end, hunk.after.end);
            }
            _ => groups.push((hunk.before, hunk.after)),
        }
    }
    let slice = |lines: &[&[u8]], range: &Range<u32>| lines[range.start as usize..range.end as usize].concat();
    let mut parts = Vec::new();
    for (was, is) in groups {
        let (old_lines, new_lines) = (slice(&before, &was), slice(&after, &is));
        if code(&old_lines) == code(&new_lines) {
            continue;
        }
        let bytes = [slice(&after, &(0..is.start)), old_lines, slice(&after, &(is.end..after.len() as u32))].concat();
        parts.push(Part {
            path: changed.path.clone(),
            lines: is.start + 1..is.end + 1,
            size: was.len().max(is.len()) as u32,
            undone: Some((bytes, new.is_executable)),
        });
    }
    if parts.is_empty() && old.is_executable != new.is_executable {
        parts.push(Part {
            path: changed.path.clone(),
            lines: 0..0,
            size: 0,
            undone: Some((new.bytes.clone(), old.is_executable)),
        });
    }
    parts
}

/// The lines that are no comments, without their indent.
fn code(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !COMMENTS.iter().any(|begin| line.starts_with(begin) && !is_directive(line)))
        .map(str::to_string)
        .collect()
}

/// A line such as `#include` or `#[derive]` is code.
fn is_directive(line: &str) -> bool {
    let rest = line.strip_prefix('#').unwrap_or("");
    line.starts_with('#') && rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '[' || c == '!')
        || line.starts_with('*') && !line.starts_with("* ") && line.len() > 1 && !line.starts_with("*/")
        || line.starts_with("--") && !line.starts_with("-- ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Option<Content> {
        Some(Content { bytes: text.into(), is_executable: false })
    }

    fn places(old: &str, new: &str) -> Vec<String> {
        let changed = Changed { path: "a.py".into(), old: content(old), new: content(new), is_test: false };
        parts([changed].iter()).iter().map(Part::place).collect()
    }

    #[test]
    fn near_changes_are_one_part_and_the_largest_comes_first() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        assert_eq!(places(old, "a\nB\nc\nD\ne\nf\ng\nh\n"), ["a.py:2-4"]);
        assert_eq!(places(old, "A\nb\nc\nd\ne\nf\nG\nH\n"), ["a.py:7-8", "a.py:1"]);
    }

    #[test]
    fn a_part_undone_is_the_new_file_with_the_old_lines() {
        let changed = Changed {
            path: "a.py".into(),
            old: content("1\n2\n3\n4\n5\n6\n7\n"),
            new: content("1\nnew\n2\n3\n4\n5\n6\n"),
            is_test: false,
        };
        let undone: Vec<String> = parts([changed].iter())
            .iter()
            .map(|part| String::from_utf8_lossy(&part.undone.as_ref().unwrap().0).into_owned())
            .collect();
        assert_eq!(undone, ["1\n2\n3\n4\n5\n6\n", "1\nnew\n2\n3\n4\n5\n6\n7\n"]);
    }

    #[test]
    fn comments_and_indents_are_no_parts() {
        assert!(places("a\n# old\n", "a\n# new\n\n").is_empty());
        assert!(places("a\n", "    a\n").is_empty());
        assert_eq!(places("#include <a>\n", "#include <b>\n"), ["a.py:1"]);
    }
}
