//! Journals: append-only files of records, chained by `prev`, readable whatever happened to them.
//!
//! One record is one `write(2)` on an `O_APPEND` descriptor under the state's lock. `prev` is the SHA-256 of all bytes
//! of the line before, whole or torn, without its newline. Nothing is fsynced here.

use crate::store::record::{self, Body, Damaged, Entry, Envelope, JournalKind, NewRecord, Record, Unknown, VERSION};
use crate::sys::clock::{self, Time};
use crate::sys::digest;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use crate::sys::limits;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Where a journal lies, and which records stand in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalPath {
    path: PathBuf,
    kind: JournalKind,
}

impl JournalPath {
    /// A journal of that kind.
    pub fn new(path: PathBuf, kind: JournalKind) -> JournalPath {
        JournalPath { path, kind }
    }
}

impl AsRef<Path> for JournalPath {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

impl Deref for JournalPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

/// One line of a journal.
#[derive(Clone, Debug)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// It follows on the line before it, as its writer saw that.
    pub is_in_chain: bool,
    /// When it was written; of a line that does not say so, when the last one before it was.
    pub at: Time,
    /// What it holds.
    pub entry: Entry,
}

/// What is true of a journal, found out line by line. What cannot be read must be answered, too.
pub trait Fold {
    /// A record.
    fn record(&mut self, line: &Line, record: &Record);

    /// A record of a later release.
    fn unknown(&mut self, line: &Line, unknown: &Unknown);

    /// A line that is no record.
    fn damaged(&mut self, line: &Line, damaged: &Damaged);
}

/// How a journal's chain stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Lines that are no records of this release: torn, damaged or of a later one.
    pub skipped: usize,
    /// Numbers (from 1) of records whose `prev` is not the digest of the line before.
    pub broken: Vec<usize>,
    /// Numbers of records that were written without the lock.
    pub unlocked: Vec<usize>,
}

/// A journal as it was read, once.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    lines: Vec<Line>,
    chain: Chain,
}

impl Journal {
    /// Reads the journal at `path` and walks its chain. One that is not there is empty; one that cannot be read, is no regular file
    /// or is too large to be read whole is an error.
    pub fn open(path: &Path) -> Result<Journal> {
        Ok(Journal::read(&files::read(path, limits::JOURNAL)?.unwrap_or_default()))
    }

    /// A journal of those bytes.
    pub fn read(bytes: &[u8]) -> Journal {
        let mut journal = Journal::default();
        let mut head: Option<String> = None;
        let mut at = Time::default();
        for line in split(bytes) {
            let number = journal.lines.len() + 1;
            let entry = Entry::read(line);
            let mut is_in_chain = true;
            match entry.envelope() {
                None => journal.chain.skipped += 1,
                Some(Envelope { prev, unlocked, at: written, .. }) => {
                    is_in_chain = *prev == head && !unlocked;
                    at = *written;
                    match (is_in_chain, unlocked) {
                        (true, _) => {}
                        (false, true) => journal.chain.unlocked.push(number),
                        (false, false) => journal.chain.broken.push(number),
                    }
                }
            }
            head = Some(digest::sha256(line));
            journal.lines.push(Line { number, is_in_chain, at, entry });
        }
        journal
    }

    /// All lines, in file order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// How the chain stands.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The records that can be read, each with its line. For questions to which a lost record can only answer less; all others are
    /// folds.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = (&Line, &Record)> {
        self.lines.iter().filter_map(|line| match &line.entry {
            Entry::Record(record) => Some((line, record)),
            Entry::Unknown(_) | Entry::Damaged(_) => None,
        })
    }

    /// The bodies of one kind among them.
    pub fn of<'a, T: 'a>(&'a self) -> impl DoubleEndedIterator<Item = &'a T>
    where
        &'a T: TryFrom<&'a Body>,
    {
        self.records().filter_map(|(_, record)| <&T>::try_from(&record.body).ok())
    }

    /// Finds out what is true of it.
    pub fn fold<F: Fold + Default>(&self) -> F {
        let mut fold = F::default();
        self.feed(&mut fold);
        fold
    }

    /// Hands every line to `fold`.
    pub fn feed(&self, fold: &mut impl Fold) {
        for line in &self.lines {
            match &line.entry {
                Entry::Record(record) => fold.record(line, record),
                Entry::Unknown(unknown) => fold.unknown(line, unknown),
                Entry::Damaged(damaged) => fold.damaged(line, damaged),
            }
        }
    }
}

/// The bodies of one kind among whose lines' bytes `needle` occurs as a JSON string: a cheap way into a long journal. Of one that is
/// too large to be read whole the newest part is looked at. The chain is not walked.
pub fn search<T: TryFrom<Body>>(path: &Path, needle: &str) -> Result<Vec<T>> {
    let bytes = newest_part(path)?;
    let Ok(needle) = serde_json::to_string(needle) else { return Ok(Vec::new()) };
    let found = split(&bytes).filter(|line| memchr::memmem::find(line, needle.as_bytes()).is_some());
    Ok(found
        .filter_map(|line| match Entry::read(line) {
            Entry::Record(record) => T::try_from(record.body).ok(),
            Entry::Unknown(_) | Entry::Damaged(_) => None,
        })
        .collect())
}

fn newest_part(path: &Path) -> Result<Vec<u8>> {
    let Some(mut file) = files::open(path)? else { return Ok(Vec::new()) };
    let failed = |e: io::Error| Error::io("read", path, &e);
    let length = file.metadata().map_err(failed)?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(limits::JOURNAL))).map_err(failed)?;
    let mut bytes = Vec::with_capacity(length.min(limits::JOURNAL) as usize);
    file.take(limits::JOURNAL).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Lines without their newlines, the torn last one too. What follows the last newline is a line only when it is not empty.
fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = whole.split(|byte| *byte == b'\n');
    lines.take(if bytes.is_empty() { 0 } else { usize::MAX })
}

/// Appends a record and returns its id. The caller holds the lock. A torn last line is closed off first. When the write falls
/// short or fails nothing was acknowledged.
pub fn append(path: &JournalPath, by_tool: &str, draft: impl Into<NewRecord>) -> Result<String> {
    write(path, by_tool, draft.into(), true)
}

/// Appends without the lock, where waiting for it would lose the record: on a fresh line of its own, without a place in the
/// chain, and marked `unlocked`.
pub fn append_unlocked(path: &JournalPath, by_tool: &str, draft: impl Into<NewRecord>) -> Result<String> {
    write(path, by_tool, draft.into(), false)
}

fn write(path: &JournalPath, by_tool: &str, draft: NewRecord, locked: bool) -> Result<String> {
    let kind = draft.body.kind();
    let writers = kind.writers();
    if kind.journal() != path.kind || !(writers.is_empty() || writers.contains(&by_tool)) {
        let what = format!("{by_tool} writes no {} record into {}", kind.word(), path.display());
        return Err(Error::bug(format!("a bug: {what}")));
    }
    let mut file = files::open_append(path)?;
    let (last, torn, length) = last_line(&mut file).map_err(|e| Error::io("read", path, &e))?;
    let envelope = Envelope {
        v: VERSION,
        kind: kind.word().to_string(),
        id: draft.id.unwrap_or_else(|| ids::ulid(&[by_tool, kind.word(), &length.to_string()])),
        at: clock::now(),
        by_tool: by_tool.to_string(),
        prev: last.filter(|_| locked).map(|line| digest::sha256(&line)),
        pid: draft.pid,
        unlocked: !locked,
    };
    let mut line = if torn || !locked && length > 0 { b"\n".to_vec() } else { Vec::new() };
    line.extend(record::encode(&envelope, &draft.body)?);
    files::append_once(&mut file, &line).map_err(|e| Error::io("append to", path, &e))?;
    Ok(envelope.id)
}

/// Where a journal stands: its length in bytes and the digest of its last line. A journal that is not there is empty.
pub fn head(path: &Path) -> Result<(u64, Option<String>)> {
    let Some(mut file) = files::open(path)? else { return Ok((0, None)) };
    let (last, _, length) = last_line(&mut file).map_err(|e| Error::io("read", path, &e))?;
    Ok((length, last.map(|line| digest::sha256(&line))))
}

/// The last line without its newline, whether it was torn, and the file's length.
fn last_line(file: &mut File) -> io::Result<(Option<Vec<u8>>, bool, u64)> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut tail = Vec::new();
    let mut start = length;
    loop {
        let ended = tail.last() == Some(&b'\n');
        let body = &tail[..tail.len() - usize::from(ended)];
        if let Some(at) = body.iter().rposition(|b| *b == b'\n') {
            return Ok((Some(body[at + 1..].to_vec()), !ended, length));
        }
        if start == 0 {
            let line = (length > 0).then(|| body.to_vec());
            return Ok((line, length > 0 && !ended, length));
        }
        let step = start.min(4096.max(tail.len() as u64));
        start -= step;
        file.seek(SeekFrom::Start(start))?;
        let mut piece = vec![0; step as usize];
        file.read_exact(&mut piece)?;
        piece.extend_from_slice(&tail);
        tail = piece;
    }
}

#[cfg(test)]
mod tests;
