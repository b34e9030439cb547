//! Journals: append-only files of records, chained by `prev`. A damaged journal can still be read.
//!
//! One record is one `write(2)` on an `O_APPEND` descriptor under the state's lock. `prev` is the SHA-256 of the line before, complete
//! or torn, without its newline. Journals are not fsynced.

use crate::store::record::{
    self, Body, Damaged, Entry, Envelope, JournalHead, JournalKind, NewRecord, Record, Unknown, VERSION,
};
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

/// The path of a journal, and the kind that decides which records it may hold.
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
    /// Its `prev` is the digest of the line before.
    pub is_in_chain: bool,
    /// When it was written; for a line without a time, that of the last line that has one.
    pub at: Time,
    /// Its content.
    pub entry: Entry,
}

/// A state that is computed from a journal line by line. It must also handle lines that cannot be read.
pub trait Fold {
    /// A record.
    fn record(&mut self, line: &Line, record: &Record);

    /// A record of a later release.
    fn unknown(&mut self, line: &Line, unknown: &Unknown);

    /// A line that is no record.
    fn damaged(&mut self, line: &Line, damaged: &Damaged);
}

/// The result of verifying a journal's chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// How many lines are no records of this release: torn, damaged, or of a later release.
    pub skipped: usize,
    /// Numbers (from 1) of records whose `prev` is not the digest of the line before.
    pub broken: Vec<usize>,
    /// Numbers of records that were written without the lock.
    pub unlocked: Vec<usize>,
}

/// The content of a journal.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    lines: Vec<Line>,
    chain: Chain,
    /// The digest of each line.
    digests: Vec<String>,
}

impl Journal {
    /// Reads the journal at `path` and verifies its chain. A missing journal is empty. Errors: it cannot be read, is no regular file,
    /// or exceeds the size limit.
    pub fn open(path: &Path) -> Result<Journal> {
        Ok(Journal::read(&files::read(path, limits::JOURNAL)?.unwrap_or_default()))
    }

    /// A journal of those bytes.
    pub fn read(bytes: &[u8]) -> Journal {
        let mut journal = Journal::default();
        let mut at = Time::default();
        for line in split(bytes) {
            let number = journal.lines.len() + 1;
            let entry = Entry::read(line);
            let mut is_in_chain = true;
            match entry.envelope() {
                None => journal.chain.skipped += 1,
                Some(Envelope { prev, unlocked, at: written, .. }) => {
                    is_in_chain = prev.as_ref() == journal.digests.last() && !unlocked;
                    at = *written;
                    match (is_in_chain, unlocked) {
                        (true, _) => {}
                        (false, true) => journal.chain.unlocked.push(number),
                        (false, false) => journal.chain.broken.push(number),
                    }
                }
            }
            journal.digests.push(digest::sha256(line));
            journal.lines.push(Line { number, is_in_chain, at, entry });
        }
        journal
    }

    /// Whether the journal has a line with that digest.
    pub fn has_line(&self, digest: &str) -> bool {
        self.digests.iter().any(|known| known == digest)
    }

    /// The readable records behind the line with that digest; None if there is no such line.
    pub fn records_after(&self, digest: &str) -> Option<impl Iterator<Item = &Record>> {
        let at = self.digests.iter().position(|known| known == digest)?;
        Some(self.records().filter(move |(line, _)| line.number > at + 1).map(|(_, record)| record))
    }

    /// All lines, in file order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The state of the chain.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The readable records, each with its line. Only for questions to which an unreadable record cannot give a better answer; all
    /// others are folds.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = (&Line, &Record)> {
        self.lines.iter().filter_map(|line| match &line.entry {
            Entry::Record(record) => Some((line, record)),
            Entry::Unknown(_) | Entry::Damaged(_) => None,
        })
    }

    /// The bodies of the readable records of one kind.
    pub fn of<'a, T: 'a>(&'a self) -> impl DoubleEndedIterator<Item = &'a T>
    where
        &'a T: TryFrom<&'a Body>,
    {
        self.records().filter_map(|(_, record)| <&T>::try_from(&record.body).ok())
    }

    /// Computes a fold.
    pub fn fold<F: Fold + Default>(&self) -> F {
        let mut fold = F::default();
        self.feed(&mut fold);
        fold
    }

    /// Passes every line to `fold`.
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

/// The bodies of one kind whose lines hold `needle` as a JSON string. It is faster than `Journal::open`: it parses only those lines and
/// does not verify the chain. Only the newest part of a journal that exceeds the size limit is read.
pub fn search<T: TryFrom<Body>>(path: &Path, needle: &str) -> Result<Vec<T>> {
    let Ok(needle) = serde_json::to_string(needle) else { return Ok(Vec::new()) };
    let finder = memchr::memmem::Finder::new(needle.as_bytes());
    search_lines(path, |line| finder.find(line).is_some())
}

/// Like [`search`], for the lines of which `concerns` holds. It must hold for each text that has such a line, too: most journals have
/// none, and are not split into lines.
pub fn search_lines<T: TryFrom<Body>>(path: &Path, concerns: impl Fn(&[u8]) -> bool) -> Result<Vec<T>> {
    let bytes = newest_part(path)?;
    if !concerns(&bytes) {
        return Ok(Vec::new());
    }
    let found = split(&bytes).filter(|line| concerns(line));
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

/// Lines without their newlines. Bytes after the last newline are a line, too.
fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = whole.split(|byte| *byte == b'\n');
    lines.take(if bytes.is_empty() { 0 } else { usize::MAX })
}

/// Appends a record and returns its id. The caller holds the lock. A torn last line is ended with a newline first. Errors: the write
/// failed or was short.
pub fn append(path: &JournalPath, by_tool: &str, draft: impl Into<NewRecord>) -> Result<String> {
    write(path, by_tool, draft.into(), true)
}

/// Appends without the lock, if waiting for the lock would lose the record. The record gets a new line, is marked `unlocked`, and is
/// not part of the chain.
pub fn append_unlocked(path: &JournalPath, by_tool: &str, draft: impl Into<NewRecord>) -> Result<String> {
    write(path, by_tool, draft.into(), false)
}

fn write(path: &JournalPath, by_tool: &str, draft: NewRecord, is_locked: bool) -> Result<String> {
    let kind = draft.body.kind();
    let writers = kind.writers();
    if kind.journal() != path.kind || !(writers.is_empty() || writers.contains(&by_tool)) {
        let what = format!("{by_tool} writes no {} record into {}", kind.word(), path.display());
        return Err(Error::bug(format!("a bug: {what}")));
    }
    let mut file = files::open_append(path)?;
    let (last, is_torn, length) = last_line(&mut file).map_err(|e| Error::io("read", path, &e))?;
    let envelope = Envelope {
        v: VERSION,
        kind: kind.word().to_string(),
        id: draft.id.unwrap_or_else(|| ids::ulid(&[by_tool, kind.word(), &length.to_string()])),
        at: clock::now(),
        by_tool: by_tool.to_string(),
        prev: last.filter(|_| is_locked).map(|line| digest::sha256(&line)),
        pid: draft.pid,
        unlocked: !is_locked,
    };
    let mut line = if is_torn || !is_locked && length > 0 { b"\n".to_vec() } else { Vec::new() };
    line.extend(record::encode(&envelope, &draft.body)?);
    files::append_once(&mut file, &line).map_err(|e| Error::io("append to", path, &e))?;
    Ok(envelope.id)
}

/// The head of a journal, without a digest if another program is still writing the last line. A missing journal is empty.
pub fn head(path: &Path) -> Result<JournalHead> {
    Ok(head_and_earlier(path, 0)?.0)
}

/// The head of a journal, and the digest of the line that ends at `position`; None if the journal is shorter or no line ends there.
pub fn head_and_earlier(path: &Path, position: u64) -> Result<(JournalHead, Option<String>)> {
    let failed = |e: io::Error| Error::io("read", path, &e);
    let digest = |line: Option<Vec<u8>>, is_torn: bool| line.filter(|_| !is_torn).map(|line| digest::sha256(&line));
    let Some(mut file) = files::open(path)? else { return Ok((JournalHead { length: 0, head: None }, None)) };
    let (last, is_torn, length) = last_line(&mut file).map_err(failed)?;
    let head = JournalHead { length, head: digest(last, is_torn) };
    if position > length {
        return Ok((head, None));
    }
    let (line, is_torn) = line_before(&mut file, position).map_err(failed)?;
    Ok((head, digest(line, is_torn)))
}

/// The last record of a journal; None if its last line is no record.
pub fn last(path: &Path) -> Result<Option<Record>> {
    let Some(mut file) = files::open(path)? else { return Ok(None) };
    let (line, _, _) = last_line(&mut file).map_err(|e| Error::io("read", path, &e))?;
    Ok(match line.map(|line| Entry::read(&line)) {
        Some(Entry::Record(record)) => Some(record),
        _ => None,
    })
}

/// The last line without its newline, whether it is torn, and the length of the file.
fn last_line(file: &mut File) -> io::Result<(Option<Vec<u8>>, bool, u64)> {
    let length = file.seek(SeekFrom::End(0))?;
    let (line, is_torn) = line_before(file, length)?;
    Ok((line, is_torn, length))
}

/// The line before that position, without its newline, and whether it has none.
fn line_before(file: &mut File, position: u64) -> io::Result<(Option<Vec<u8>>, bool)> {
    let mut tail = Vec::new();
    let mut start = position;
    loop {
        let ended = tail.last() == Some(&b'\n');
        let body = &tail[..tail.len() - usize::from(ended)];
        if let Some(at) = body.iter().rposition(|b| *b == b'\n') {
            return Ok((Some(body[at + 1..].to_vec()), !ended));
        }
        if start == 0 {
            let line = (position > 0).then(|| body.to_vec());
            return Ok((line, position > 0 && !ended));
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
