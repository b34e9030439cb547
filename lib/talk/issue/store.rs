//! The file of issues: appends changes that depend on what is there.

use super::board::{Board, Claim, Issue};
use super::change::{self, Change, Fields, Holder, Line};
use super::columns::{self, Ready};
use super::order;
use crate::sys::clock::{self, Time};
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use crate::talk::directory::TalkDir;
use crate::talk::lines::{self, End, Waiting};
use std::collections::{BTreeSet, HashSet};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

/// The files of a repository's issues.
pub struct Store {
    /// Its talk directory.
    pub talk: TalkDir,
    path: PathBuf,
    old: PathBuf,
}

impl Store {
    /// The issues in a talk directory.
    pub fn of(talk: TalkDir) -> Store {
        let (path, old) = (talk.path().join("issues.jsonl"), talk.path().join("issues-old.jsonl"));
        Store { talk, path, old }
    }

    /// The issues without those that were set aside.
    pub fn read(&self) -> Result<Board> {
        Board::read(&[&self.path])
    }

    /// All issues.
    pub fn read_all(&self) -> Result<Board> {
        Board::read(&[&self.old, &self.path])
    }

    /// The first `limit` issues that can be worked on.
    pub fn ready(&self, now: Time, limit: usize) -> Result<Ready> {
        columns::ready(&self.path, now, limit)
    }

    /// Whether there is a file of issues.
    pub fn has_issues(&self) -> bool {
        self.path.exists()
    }

    /// Appends the changes that `decide` makes of the issues as they stand, while no other writer can change them.
    pub fn append_changes(&self, mut decide: impl FnMut(&Board, &End) -> Result<Vec<Change>>) -> Result<()> {
        self.talk.make()?;
        lines::append(&self.path, Waiting::ForTheLock, |end| {
            let changes = decide(&self.read_all()?, end)?;
            let mut bytes = Vec::new();
            for change in changes {
                bytes.extend(self.lines_set_aside(&change.issue)?);
                bytes.extend(change.to_line());
            }
            Ok(bytes)
        })
    }

    /// Ends the claims that a session holds. Returns the ids of their issues.
    pub fn release_session(&self, session: &str) -> Result<Vec<String>> {
        self.change_claims(session, |_, _| Some(Fields { release: true, ..Fields::default() }))
    }

    /// Extends the claims that a session holds to their full length, those of which a quarter is over. Returns the ids of their issues.
    pub fn renew_session(&self, session: &str) -> Result<Vec<String>> {
        self.change_claims(session, |claim, now| {
            let is_old = claim.until.since(now) < claim.length * 0.75;
            is_old.then(|| Fields { claim: Some(now.plus(claim.length)), ..Fields::default() })
        })
    }

    /// Sets what `decide` returns for each claim that a session holds. Returns the ids of the issues that were changed.
    fn change_claims(&self, session: &str, decide: impl Fn(&Claim, Time) -> Option<Fields>) -> Result<Vec<String>> {
        let mut changed = Vec::new();
        if !self.has_issues() {
            return Ok(changed);
        }
        self.append_changes(|board, end| {
            let now = clock::now();
            let (mut changes, mut time) = (Vec::new(), end.next_time(now));
            changed.clear();
            for issue in board.issues() {
                let claim = issue.claim_at(now).filter(|claim| claim.holder.session.as_deref() == Some(session));
                let Some((claim, set)) = claim.and_then(|claim| Some((claim, decide(claim, now)?))) else { continue };
                time = issue.next_time(time);
                let id = ids::ulid_at(time, &["rg-issue", &issue.id, &end.length.to_string()]);
                changes.push(Change::new(id, now, &issue.id, &claim.holder, set));
                changed.push(issue.id.clone());
                time.0 += 1;
            }
            Ok(changes)
        })?;
        Ok(changed)
    }

    /// Makes a new issue and returns its id.
    pub fn create(&self, by: &Holder, set: &Fields) -> Result<String> {
        self.talk.make()?;
        let mut made = None;
        lines::append(&self.path, Waiting::Briefly, |end| {
            let now = clock::now();
            let change = made.get_or_insert_with(|| {
                let title = set.title.as_deref().unwrap_or_default();
                let id = ids::ulid_at(end.next_time(now), &["rg-issue", title, &end.length.to_string()]);
                Change::new(id.clone(), now, &id, by, set.clone())
            });
            Ok(change.to_line())
        })?;
        made.map(|change| change.id).ok_or_else(|| Error::bug("no issue was made"))
    }

    /// Changes an issue. `decide` sees the issues as they stand while no other writer can change them, and returns the issue's id and
    /// what to set. Returns the id of the issue and all issues after the change.
    pub fn change(
        &self,
        by: &Holder,
        mut decide: impl FnMut(&Board) -> Result<(String, Fields)>,
    ) -> Result<(String, Board)> {
        // Without issues nothing is created: the decision fails first.
        if !self.path.exists() {
            decide(&self.read_all()?)?;
            self.talk.make()?;
        }
        let mut changed = None;
        lines::append(&self.path, Waiting::ForTheLock, |end| {
            let mut board = self.read_all()?;
            let (issue, set) = decide(&board)?;
            let now = clock::now();
            let time = board.get(&issue).map_or(now, |issue| issue.next_time(end.next_time(now)));
            let id = ids::ulid_at(time, &["rg-issue", &issue, &end.length.to_string()]);
            let mut bytes = self.lines_set_aside(&issue)?;
            let change = Change::new(id, now, &issue, by, set);
            bytes.extend(change.to_line());
            board.add(change);
            changed = Some((issue, board));
            Ok(bytes)
        })?;
        changed.ok_or_else(|| Error::bug("no change was made"))
    }

    /// Like [`Store::change`], if `decide` names a change. Without a file of issues nothing is decided.
    pub fn change_if(&self, by: &Holder, mut decide: impl FnMut(&Board) -> Option<(String, Fields)>) -> Result<()> {
        if !self.has_issues() {
            return Ok(());
        }
        self.append_changes(|board, end| {
            let Some((issue, set)) = decide(board) else { return Ok(Vec::new()) };
            let now = clock::now();
            let time = board.get(&issue).map_or(now, |issue| issue.next_time(end.next_time(now)));
            let id = ids::ulid_at(time, &["rg-issue", &issue, &end.length.to_string()]);
            Ok(vec![Change::new(id, now, &issue, by, set)])
        })
    }

    /// Claims the first issue that is ready and wanted, and returns its id. None if there is none.
    pub fn claim_ready(&self, by: &Holder, until: Time, is_wanted: impl Fn(&Issue) -> bool) -> Result<Option<String>> {
        let mut claimed = None;
        self.change_if(by, |board| {
            let ready = order::ready(board, clock::now());
            claimed = ready.into_iter().find(|issue| is_wanted(issue)).map(|issue| issue.id.clone());
            claimed.clone().map(|id| (id, Fields { claim: Some(until), ..Fields::default() }))
        })?;
        Ok(claimed)
    }

    /// The lines of an issue in the file of old issues, which come back with its next change.
    fn lines_set_aside(&self, issue: &str) -> Result<Vec<u8>> {
        let mut found = Vec::new();
        lines::each_line(&self.old, |line| {
            if matches!(change::parse(line), Line::Change(it) if it.issue == issue) {
                found.extend_from_slice(line);
                found.push(b'\n');
            }
        })?;
        Ok(found)
    }

    /// The ids of the issues that ended before that time.
    pub fn old(&self, before: Time) -> Result<Vec<String>> {
        let board = self.read()?;
        Ok(board.issues().filter(|issue| is_old(issue, before)).map(|issue| issue.id.clone()).collect())
    }

    /// Moves the lines of the issues that ended before that time to the file of old issues. Returns their ids. Killed at any moment, it
    /// has lost nothing: a line is in the second file before it leaves the first.
    pub fn set_aside(&self, before: Time) -> Result<Vec<String>> {
        if self.old(before)?.is_empty() {
            return Ok(Vec::new());
        }
        let _lock = lines::take_lock(&self.path, Waiting::ForTheLock)?;
        let Some(mut file) = files::open(&self.path)? else { return Ok(Vec::new()) };
        let old: BTreeSet<String> = self.old(before)?.into_iter().collect();
        let (mut kept, mut moved) = (Vec::new(), Vec::new());
        let mut length = 0;
        let mut sort = |bytes: &[u8]| {
            length += bytes.len() as u64;
            let is_old =
                |line: &[u8]| matches!(change::parse(line.trim_ascii()), Line::Change(it) if old.contains(&it.issue));
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                if is_old(line) { &mut moved } else { &mut kept }.extend_from_slice(line);
            }
        };
        sort(&files::read_opened(&file, &self.path, u64::MAX)?);
        if moved.last().is_some_and(|byte| *byte != b'\n') {
            moved.push(b'\n');
        }
        lines::append(&self.old, Waiting::ForTheLock, |_| Ok(moved.clone()))?;
        files::write_whole(&self.path, &kept, true)?;
        // A writer that had no lock may have appended to the file that was replaced.
        let mut late = Vec::new();
        file.seek(SeekFrom::Start(length))
            .and_then(|_| file.read_to_end(&mut late))
            .map_err(|e| Error::io("read", &self.path, &e))?;
        if !late.is_empty() {
            lines::append(&self.path, Waiting::Briefly, |_| Ok(late.clone()))?;
        }
        Ok(old.into_iter().collect())
    }

    /// Appends changes whose ids are given, without those that are there. Returns how many were appended.
    pub fn add(&self, changes: &[Change]) -> Result<usize> {
        self.talk.make()?;
        let mut added = 0;
        lines::append(&self.path, Waiting::ForTheLock, |_| {
            let mut known = HashSet::new();
            for path in [&self.old, &self.path] {
                lines::each_line(path, |line| known.extend(lines::id_of(line)))?;
            }
            let fresh: Vec<&Change> = changes.iter().filter(|change| !known.contains(&change.id)).collect();
            added = fresh.len();
            Ok(fresh.iter().flat_map(|change| change.to_line()).collect())
        })?;
        Ok(added)
    }
}

fn is_old(issue: &Issue, before: Time) -> bool {
    issue.course.status.is_end() && issue.updated < before
}

/// The issue that was changed.
pub fn changed<'a>(board: &'a Board, id: &str) -> Result<&'a Issue> {
    board.get(id).ok_or_else(|| Error::changed("the issue is not in the file any more"))
}
