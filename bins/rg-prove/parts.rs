//! The parts of a change that are undone one by one.

use crate::change::{Changed, Content, Piece, Role, lines};
use crate::outlines;
use std::ops::Range;
use std::path::PathBuf;

/// Changes with at most so many unchanged lines between them are one part.
const NEAR: usize = 1;

/// How often a part is joined with its neighbour so that the syntax of the file stays whole.
const JOINS: usize = 4;

/// What begins a line that no test can notice, after its indent.
const COMMENTS: [&str; 9] = ["//", "#", "/*", "*", "--", ";;", "<!--", "%", "\"\"\""];

/// A part of the change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// The file, for people.
    pub shown: String,
    /// The lines of the new file, from 1; empty where lines were removed.
    pub lines: Range<usize>,
    /// How many lines were added or removed.
    pub size: usize,
    /// The file with this part undone; None if the file goes.
    pub undone: Option<Content>,
    /// The changed lines, which identify the part although it moves.
    pub text: String,
    /// The pieces of the change that it holds.
    pieces: Range<usize>,
}

impl Part {
    /// The place, for people.
    pub fn place(&self) -> String {
        match self.lines.len() {
            0 | 1 => format!("{}:{}", self.shown, self.lines.start.max(1)),
            _ => format!("{}:{}-{}", self.shown, self.lines.start, self.lines.end - 1),
        }
    }
}

/// The parts of these changes, the largest first, of which `most` are needed.
pub fn parts<'a>(changed: impl Iterator<Item = &'a Changed>, most: usize) -> Vec<Part> {
    let changed: Vec<&Changed> = changed.collect();
    let mut parts: Vec<(usize, Part)> = Vec::new();
    for (at, file) in changed.iter().enumerate() {
        parts.extend(of_file(file).into_iter().map(|part| (at, part)));
    }
    let by_size = |parts: &mut Vec<(usize, Part)>| {
        parts.sort_by(|(_, a), (_, b)| {
            b.size.cmp(&a.size).then_with(|| (&a.path, a.lines.start).cmp(&(&b.path, b.lines.start)))
        });
    };
    by_size(&mut parts);
    for _ in 0..JOINS {
        if !join_broken(&changed, &mut parts, most) {
            break;
        }
        by_size(&mut parts);
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Joins the first parts without which the syntax is broken with their neighbours. Returns whether any was joined.
fn join_broken(changed: &[&Changed], parts: &mut Vec<(usize, Part)>, most: usize) -> bool {
    let first = &parts[..parts.len().min(most)];
    let texts: Vec<(&str, &[u8])> = first
        .iter()
        .map(|(at, part)| {
            (changed[*at].shown.as_str(), part.undone.as_ref().map_or(&[] as &[u8], |it| it.bytes.as_slice()))
        })
        .collect();
    let now: Vec<(&str, &[u8])> = first
        .iter()
        .map(|(at, _)| {
            (changed[*at].shown.as_str(), changed[*at].new.as_ref().map_or(&[] as &[u8], |it| it.bytes.as_slice()))
        })
        .collect();
    let is_broken = outlines::broken(&texts);
    if !is_broken.contains(&true) {
        return false;
    }
    let was_broken = outlines::broken(&now);
    let broken: Vec<(usize, Range<usize>)> = first
        .iter()
        .zip(is_broken.iter().zip(&was_broken))
        .filter(|(_, (is, was))| **is && !**was)
        .map(|((at, part), _)| (*at, part.pieces.clone()))
        .collect();
    let mut is_joined = false;
    for (at, pieces) in broken {
        let Some(own) = parts.iter().position(|(file, part)| *file == at && part.pieces == pieces) else { continue };
        let near = (0..parts.len())
            .filter(|other| *other != own && parts[*other].0 == at)
            .min_by_key(|other| gap(&parts[own].1.lines, &parts[*other].1.lines));
        let Some(near) = near else { continue };
        let both = pieces.start.min(parts[near].1.pieces.start)..pieces.end.max(parts[near].1.pieces.end);
        if let Some(joined) = part(changed[at], both.clone()) {
            parts.retain(|(file, part)| *file != at || part.pieces.end <= both.start || part.pieces.start >= both.end);
            parts.push((at, joined));
            is_joined = true;
        }
    }
    is_joined
}

fn gap(a: &Range<usize>, b: &Range<usize>) -> usize {
    if a.start < b.start { b.start.saturating_sub(a.end) } else { a.start.saturating_sub(b.end) }
}

fn of_file(changed: &Changed) -> Vec<Part> {
    if !changed.is_code() {
        return Vec::new();
    }
    let count = |content: &Content| lines(&content.bytes).len();
    let whole = |lines: Range<usize>, size, undone: Option<Content>| Part {
        path: changed.path.clone(),
        shown: changed.shown.clone(),
        lines,
        size,
        undone,
        text: String::new(),
        pieces: 0..0,
    };
    match (&changed.old, &changed.new, &changed.pieces) {
        (Some(old), Some(new), Some(pieces)) if pieces.is_empty() => match old.is_executable == new.is_executable {
            true => Vec::new(),
            false => vec![whole(0..0, 0, Some(old.clone()))],
        },
        (_, _, Some(pieces)) => groups(pieces).into_iter().filter_map(|group| part(changed, group)).collect(),
        (old, Some(new), None) => vec![whole(1..count(new) + 1, count(new), old.clone())],
        (Some(old), None, None) => vec![whole(0..0, count(old), Some(old.clone()))],
        (None, None, None) => Vec::new(),
    }
}

/// The ranges of pieces that are near each other.
fn groups(pieces: &[Piece]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut last: Option<&Piece> = None;
    for (at, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.role == Role::Source) {
        match (groups.last_mut(), last) {
            (Some(group), Some(last)) if piece.after.start.saturating_sub(last.after.end) <= NEAR => group.end = at + 1,
            _ => groups.push(at..at + 1),
        }
        last = Some(piece);
    }
    groups
}

/// The part with the code of these pieces; None if only comments and indents differ.
fn part(changed: &Changed, range: Range<usize>) -> Option<Part> {
    let pieces = changed.pieces.as_ref()?;
    let own: Vec<&Piece> = pieces[range.clone()].iter().filter(|piece| piece.role == Role::Source).collect();
    let (first, last) = (own.first()?, own.last()?);
    let empty = Vec::new();
    let before = lines(changed.old.as_ref().map_or(&empty, |old| &old.bytes));
    let after = lines(changed.new.as_ref().map_or(&empty, |new| &new.bytes));
    let text = |lines: &[&[u8]], of: &dyn Fn(&Piece) -> Range<usize>| -> Vec<u8> {
        own.iter().flat_map(|piece| lines[of(piece)].concat()).collect()
    };
    let (was, is) = (text(&before, &|piece| piece.before.clone()), text(&after, &|piece| piece.after.clone()));
    if code(&was) == code(&is) {
        return None;
    }
    let in_group = |piece: &Piece| own.contains(&piece);
    Some(Part {
        path: changed.path.clone(),
        shown: changed.shown.clone(),
        lines: first.after.start + 1..last.after.end + 1,
        size: own.iter().map(|piece| piece.before.len().max(piece.after.len())).sum(),
        undone: changed.undo(in_group),
        text: [code(&was).join("\n"), code(&is).join("\n")].join("\0"),
        pieces: range,
    })
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

    fn changed(old: &str, new: &str) -> Changed {
        let content = |text: &str| Some(Content { bytes: text.into(), is_executable: false });
        Changed::new("a.py".into(), "a.py".into(), content(old), content(new), Role::Source)
    }

    fn places(old: &str, new: &str) -> Vec<String> {
        parts([&changed(old, new)].into_iter(), 10).iter().map(Part::place).collect()
    }

    #[test]
    fn near_changes_are_one_part_and_the_largest_comes_first() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        assert_eq!(places(old, "a\nB\nc\nD\ne\nf\ng\nh\n"), ["a.py:2-4"]);
        assert_eq!(places(old, "A\nb\nc\nd\ne\nf\nG\nH\n"), ["a.py:7-8", "a.py:1"]);
    }

    #[test]
    fn a_part_undone_is_the_new_file_with_the_old_lines() {
        let changed = changed("1\n2\n3\n4\n5\n6\n7\n", "1\nnew\n2\n3\n4\n5\n6\n");
        let undone: Vec<String> = parts([&changed].into_iter(), 10)
            .iter()
            .map(|part| String::from_utf8_lossy(&part.undone.as_ref().unwrap().bytes).into_owned())
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
