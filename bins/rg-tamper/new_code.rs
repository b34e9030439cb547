//! New code: tells a mark on code that the task wrote from a mark on code that existed at the base. Only the latter lowers the bar.
//! Code that moved from another file existed.

use crate::line::Line;
use crate::patterns::Kind;
use crate::places;
use crate::scan::{Hit, Scan};
use crate::sides::Sides;
use imara_diff::{Algorithm, Diff, InternedInput};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// How many telling lines on each side of a mark are compared with what was removed elsewhere.
const NEAR: usize = 3;

/// The changed files, with what tells their new code.
pub struct NewCode<'a> {
    all: &'a [Sides],
    /// The digests of lines that are no longer where they were at the base; collected when a mark first needs them.
    removed: OnceCell<HashSet<u64>>,
    /// For each file: which of its lines are in a place where lines were only inserted.
    inserted: Vec<OnceCell<Vec<bool>>>,
}

/// The digests of the lines that can be recognised in another file.
fn telling(scan: Option<&Scan>) -> impl Iterator<Item = u64> {
    scan.into_iter().flat_map(|scan| &scan.lines).filter(|line| line.is_telling()).map(|line| line.digest)
}

impl<'a> NewCode<'a> {
    /// The new code of these changes.
    pub fn of(all: &'a [Sides]) -> NewCode<'a> {
        NewCode { all, removed: OnceCell::new(), inserted: vec![OnceCell::new(); all.len()] }
    }

    fn removed(&self) -> &HashSet<u64> {
        let of = |one: &Sides| difference(telling(one.then.as_ref()), telling(one.now.as_ref()));
        self.removed.get_or_init(|| self.all.iter().flat_map(of).collect())
    }

    /// Why a mark in a file is on no code that existed, in one word; None if it is on code that existed.
    pub fn reason(&self, at: usize, hit: &Hit) -> Option<&'static str> {
        let one = &self.all[at];
        let is_new = hit.kind() == Kind::Lint && self.is_new_suppression(at, hit);
        let may_change = hit.kind() == Kind::Lint && one.then.is_some();
        match () {
            () if is_new => Some("new code"),
            () if may_change && places::is_vendored(&one.role.shown) => Some("vendored"),
            () if may_change && is_generated(&one.then) && is_generated(&one.now) => Some("generated"),
            () => None,
        }
    }

    /// Whether a file is new, and little of it was elsewhere at the base.
    pub fn is_new_file(&self, at: usize) -> bool {
        let one = &self.all[at];
        let lines = || one.now.iter().flat_map(|now| &now.lines).filter(|line| line.is_telling());
        let moved = lines().filter(|line| self.removed().contains(&line.digest)).count();
        one.change.then.is_none() && (moved == 0 || moved * 3 < lines().count())
    }

    fn is_new_suppression(&self, at: usize, hit: &Hit) -> bool {
        let one = &self.all[at];
        if one.change.then.is_none() {
            let about = if hit.code == 0 { hit.after } else { hit.code };
            return self.is_new_file(at) && !self.removed().contains(&about);
        }
        let (Some(now), Some(_)) = (&one.now, &one.then) else { return false };
        !hit.is_wide && self.is_inserted(at, now, hit)
    }

    /// Whether a mark in a line is on new code: on its own line if code precedes it there, else on the next one.
    pub fn is_new_line(&self, at: usize, line: u64, is_trailing: bool, is_wide: bool) -> bool {
        let one = &self.all[at];
        let place = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        let Some((now, own)) = one.now.as_ref().and_then(|now| Some((now, now.lines.get(place)?))) else {
            return false;
        };
        let is_code = |line: &&Line| line.has_text() && !line.is_attribute;
        let after = now.lines[place + 1..].iter().find(is_code).map_or(0, |line| line.digest);
        let about = if is_trailing { own.digest } else { after };
        if one.change.then.is_none() {
            let is_here = self.is_new_file(at) || !is_wide && self.is_written_here(now, place);
            return is_here && !self.removed().contains(&about);
        }
        !is_wide
            && one.then.is_some()
            && self.are_inserted(at, now, place, if is_trailing { None } else { Some(about) })
    }

    /// Whether all of these lines, from 0, are in places where lines were only inserted.
    pub fn are_new_lines(&self, at: usize, lines: std::ops::Range<usize>) -> bool {
        let inserted = self.inserted[at].get_or_init(|| inserted_lines(&self.all[at]));
        let Some(now) = &self.all[at].now else { return false };
        let is_new =
            |at: usize| now.lines.get(at).is_some_and(|line| !line.has_text() || inserted.get(at) == Some(&true));
        lines.into_iter().all(is_new)
    }

    /// Whether no line near a place in a new file was elsewhere at the base.
    fn is_written_here(&self, now: &Scan, place: usize) -> bool {
        let telling = |line: &&Line| line.is_telling();
        let before: Vec<&Line> = now.lines[..place].iter().rev().filter(telling).take(NEAR).collect();
        let after: Vec<&Line> = now.lines[place..].iter().filter(telling).take(NEAR).collect();
        before.len() + after.len() > NEAR
            && before.iter().chain(&after).all(|line| !self.removed().contains(&line.digest))
    }

    /// Whether the line of a mark, the line that it is about, and the block below that line were all inserted.
    fn is_inserted(&self, at: usize, now: &Scan, hit: &Hit) -> bool {
        let place = usize::try_from(hit.line).unwrap_or(usize::MAX).saturating_sub(1);
        if now.lines.get(place).is_none_or(|line| line.digest != hit.own) {
            return false;
        }
        self.are_inserted(at, now, place, (hit.code == 0).then_some(hit.after))
    }

    /// Whether a line, the line below it with the digest `after`, and the block below that one were all inserted.
    fn are_inserted(&self, at: usize, now: &Scan, place: usize, after: Option<u64>) -> bool {
        let inserted = self.inserted[at].get_or_init(|| inserted_lines(&self.all[at]));
        let about = match after {
            Some(after) => now.lines[place + 1..]
                .iter()
                .position(|line| line.digest == after && line.has_text())
                .map(|n| place + 1 + n),
            None => Some(place),
        };
        let Some(about) = about else { return false };
        let indent = now.lines[about].indent;
        let is_inner = |line: &&Line| !line.has_text() || line.indent > indent;
        let end = about + 1 + now.lines[about + 1..].iter().take_while(is_inner).count();
        let is_new = |at: usize| !now.lines[at].has_text() || inserted.get(at) == Some(&true);
        (place..end).all(is_new)
    }
}

/// The values of `then` that are more often there than in `now`.
fn difference(then: impl Iterator<Item = u64>, now: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut left: HashMap<u64, usize> = HashMap::new();
    now.for_each(|value| *left.entry(value).or_default() += 1);
    then.filter(|value| match left.get_mut(value).filter(|count| **count > 0) {
        Some(count) => {
            *count -= 1;
            false
        }
        None => true,
    })
    .collect()
}

/// Which lines of a file are in a place where lines were only inserted.
fn inserted_lines(one: &Sides) -> Vec<bool> {
    let digests = |scan: &Option<Scan>| -> Vec<u64> {
        scan.iter().flat_map(|scan| &scan.lines).map(|line| line.digest).collect()
    };
    let (then, now) = (digests(&one.then), digests(&one.now));
    let mut inserted = vec![false; now.len()];
    let (known, digests_now): (HashSet<u64>, Vec<u64>) = (then.iter().copied().collect(), now.clone());
    let mut input = InternedInput::default();
    input.update_before(then.into_iter());
    input.update_after(now.into_iter());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    // A hunk that replaces a few lines by about as many edits them; a longer one is written anew.
    let is_edit = |before: usize, after: usize| before > 0 && before <= 3 && after <= before + 2;
    for hunk in diff.hunks().filter(|hunk| !is_edit(hunk.before.len(), hunk.after.len())) {
        let lines = hunk.after.start as usize..hunk.after.end as usize;
        for (line, is_new) in inserted.iter_mut().enumerate().take(lines.end).skip(lines.start) {
            *is_new = hunk.before.is_empty() || !known.contains(&digests_now[line]);
        }
    }
    inserted
}

/// Whether a comment at the start of a file says that a program wrote it.
fn is_generated(scan: &Option<Scan>) -> bool {
    let head = scan.as_ref().map_or(&[][..], |scan| &scan.head);
    let says = |line: &[u8]| {
        let has = |words: &str| memchr::memmem::find(line, words.as_bytes()).is_some();
        line.trim_ascii_start().first().is_some_and(|b| b.is_ascii_punctuation())
            && (has("Code generated") || has("@generated") || has("DO NOT EDIT"))
    };
    head.split(|b| *b == b'\n').any(says)
}
