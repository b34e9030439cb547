//! Journals: append-only files of JSON lines, chained by `prev`, readable whatever happened to them.
//!
//! One record is one `write(2)` on an `O_APPEND` descriptor under the state's lock. `prev` is the SHA-256 of all bytes
//! of the line before, whole or torn, without its newline. Nothing is fsynced here.

use crate::error::{Error, Result};
use crate::{clock, digest, env, ids};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// The version of every record.
pub const VERSION: u64 = 1;

/// The largest journal that a reader takes in, in bytes.
const READ_LIMIT: u64 = 64 << 20;

/// One record as it was read.
#[derive(Clone, Debug)]
pub struct Record {
    /// What it says.
    pub kind: String,
    /// All its fields.
    pub fields: Map<String, Value>,
}

impl Record {
    /// A text field; empty where there is none.
    pub fn text(&self, name: &str) -> &str {
        self.fields.get(name).and_then(Value::as_str).unwrap_or("")
    }

    /// When it was written, as it says.
    pub fn at(&self) -> Option<clock::Time> {
        clock::Time::parse(self.text("at"))
    }

    /// A field read as `T`; None where it is absent or of another form.
    pub fn get<T: serde::de::DeserializeOwned>(&self, name: &str) -> Option<T> {
        T::deserialize(self.fields.get(name)?).ok()
    }
}

/// Appends a record `{v, kind, id, at, by_tool, prev, ...}` and returns its id. The caller holds the lock. A torn last
/// line is closed off first. When the write falls short or fails nothing was acknowledged: 111.
pub fn append(path: &Path, by_tool: &str, kind: &str, fields: impl Serialize) -> Result<String> {
    write_record(path, by_tool, kind, fields, true)
}

fn write_record(path: &Path, by_tool: &str, kind: &str, fields: impl Serialize, locked: bool) -> Result<String> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .mode(0o600)
        .open(path)
        .map_err(|e| Error::io("append to", path, &e))?;
    let (last, torn, length) = last_line(&mut file).map_err(|e| Error::io("read", path, &e))?;
    let id = ids::ulid(&[by_tool, kind, &length.to_string()]);
    let mut record = Map::new();
    record.insert("v".into(), VERSION.into());
    record.insert("kind".into(), kind.into());
    record.insert("id".into(), id.clone().into());
    record.insert("at".into(), clock::now().to_string().into());
    record.insert("by_tool".into(), by_tool.into());
    record.insert("prev".into(), last.filter(|_| locked).map(|line| digest::sha256(&line)).into());
    if !locked {
        record.insert("unlocked".into(), true.into());
    }
    let fields = serde_json::to_value(fields).map_err(|e| Error::unjudged(format!("unable to write record: {e}")))?;
    if let Value::Object(fields) = fields {
        record.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }
    let mut line = if torn || !locked && length > 0 { b"\n".to_vec() } else { Vec::new() };
    serde_json::to_writer(&mut line, &record).map_err(|e| Error::unjudged(format!("unable to write record: {e}")))?;
    line.push(b'\n');
    write_whole(&mut file, &line).map_err(|e| Error::io("append to", path, &e))?;
    Ok(id)
}

/// One write; a short one is an error, because a second one could land behind another writer's.
fn write_whole(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let bytes = crash_point(file, bytes)?;
    loop {
        match file.write(bytes) {
            Ok(n) if n == bytes.len() => return Ok(()),
            Ok(_) => return Err(io::Error::new(io::ErrorKind::StorageFull, "short write")),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Tests of crash safety: the process dies at its n-th write, with half of it done.
fn crash_point<'a>(file: &mut File, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
    static WRITES: AtomicU32 = AtomicU32::new(0);
    if let Some(at) = env::crash_at() {
        let n = WRITES.fetch_add(1, Ordering::SeqCst) + 1;
        if n == at {
            file.write_all(&bytes[..bytes.len() / 2])?;
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
    Ok(bytes)
}

/// Where a journal stands: its length in bytes and the digest of its last line. A journal that is not there is empty.
pub fn head(path: &Path) -> Result<(u64, Option<String>)> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok((0, None)),
        Err(e) => return Err(Error::io("read", path, &e)),
    };
    let (last, _, length) = last_line(&mut file).map_err(|e| Error::io("read", path, &e))?;
    Ok((length, last.map(|line| digest::sha256(&line))))
}

/// Appends without the lock, where waiting for it would lose the record: on a fresh line of its own, without a place in the
/// chain, and marked `unlocked`.
pub fn append_unlocked(path: &Path, by_tool: &str, kind: &str, fields: impl Serialize) -> Result<String> {
    write_record(path, by_tool, kind, fields, false)
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

/// The records of a journal in file order. Lines that are no records (torn, damaged, of a later version) are skipped.
/// A journal that is not there is empty; one that cannot be read, or is too large to be read whole, is an error.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    Ok(lines(path)?.iter().filter_map(|line| parse(line)).collect())
}

/// The records among whose bytes `needle` occurs: a cheap way into a long journal. Of one that is too large to be read
/// whole, the newest part is looked at.
pub fn read_matching(path: &Path, needle: &str) -> Result<Vec<Record>> {
    let bytes = read_bytes(path, true)?;
    let Ok(needle) = serde_json::to_string(needle) else { return Ok(Vec::new()) };
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter(|line| line.contains(&needle)).filter_map(|line| parse(line.as_bytes())).collect())
}

/// The lines of a journal without their newlines, the torn last one too.
pub fn lines(path: &Path) -> Result<Vec<Vec<u8>>> {
    let bytes = read_bytes(path, false)?;
    let mut lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    // What follows the last newline is a line only when it is not empty.
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    Ok(lines)
}

fn read_bytes(path: &Path, newest: bool) -> Result<Vec<u8>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io("read", path, &e)),
    };
    let failed = |e: io::Error| Error::io("read", path, &e);
    let length = file.metadata().map_err(failed)?.len();
    if length > READ_LIMIT && !newest {
        return Err(Error::unjudged(format!("{} is larger than {} MiB", path.display(), READ_LIMIT >> 20)));
    }
    let mut bytes = Vec::with_capacity(length.min(READ_LIMIT) as usize);
    file.seek(SeekFrom::Start(length.saturating_sub(READ_LIMIT))).map_err(failed)?;
    file.take(READ_LIMIT).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// One line as a record.
pub fn parse(line: &[u8]) -> Option<Record> {
    let Value::Object(fields) = serde_json::from_slice(line).ok()? else { return None };
    (fields.get("v")?.as_u64()? == VERSION).then_some(())?;
    let kind = fields.get("kind")?.as_str()?.to_string();
    Some(Record { kind, fields })
}

/// How a journal's chain stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Lines in all.
    pub lines: usize,
    /// Lines that are no records: torn or damaged.
    pub skipped: usize,
    /// Numbers (from 1) of records whose `prev` is not the digest of the line before.
    pub broken: Vec<usize>,
    /// Digest of the last line; None for an empty journal.
    pub head: Option<String>,
}

/// Walks the chain of the journal at `path`.
pub fn verify(path: &Path) -> Result<Chain> {
    let mut chain = Chain::default();
    for line in lines(path)? {
        chain.lines += 1;
        match parse(&line) {
            None => chain.skipped += 1,
            Some(record) => {
                let unlocked = record.fields.get("unlocked") == Some(&Value::Bool(true));
                let prev: Option<String> = record.get("prev");
                if prev != chain.head && !unlocked {
                    chain.broken.push(chain.lines);
                }
            }
        }
        chain.head = Some(digest::sha256(&line));
    }
    Ok(chain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn scratch() -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.jsonl");
        (dir, path)
    }

    #[test]
    fn records_are_chained_and_read_in_order() {
        let (_dir, path) = scratch();
        for n in 0..5 {
            append(&path, "t", "k", json!({"n": n, "long": "x".repeat(n * 3000), "none": null})).unwrap();
        }
        let records = read(&path).unwrap();
        assert_eq!(records.iter().map(|r| r.get::<u64>("n").unwrap()).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert!(!records[0].fields.contains_key("none"));
        let chain = verify(&path).unwrap();
        assert_eq!((chain.lines, chain.skipped, chain.broken.len()), (5, 0, 0));
    }

    #[test]
    fn a_torn_last_line_is_closed_off_and_skipped() {
        let (_dir, path) = scratch();
        append(&path, "t", "k", json!({"n": 1})).unwrap();
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"v\":1,\"kind\":\"k").unwrap();
        assert_eq!(read(&path).unwrap().len(), 1);
        append(&path, "t", "k", json!({"n": 2})).unwrap();
        assert_eq!(read(&path).unwrap().len(), 2);
        let chain = verify(&path).unwrap();
        assert_eq!((chain.lines, chain.skipped, chain.broken.len()), (3, 1, 0));
    }

    #[test]
    fn an_edited_line_breaks_the_chain() {
        let (_dir, path) = scratch();
        for n in 0..3 {
            append(&path, "t", "k", json!({"n": n})).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap().replace("\"n\":1", "\"n\":7");
        std::fs::write(&path, text).unwrap();
        assert_eq!(verify(&path).unwrap().broken, [3]);
    }

    proptest! {
        #[test]
        fn any_prefix_of_a_journal_yields_a_prefix_of_its_records(cut in 0usize..2000) {
            let (_dir, path) = scratch();
            for n in 0..6 {
                append(&path, "t", "k", json!({"n": n})).unwrap();
            }
            let whole = std::fs::read(&path).unwrap();
            std::fs::write(&path, &whole[..cut.min(whole.len())]).unwrap();
            let ns: Vec<u64> = read(&path).unwrap().iter().map(|r| r.get("n").unwrap()).collect();
            prop_assert_eq!(&ns, &(0..ns.len() as u64).collect::<Vec<_>>());
            append(&path, "t", "k", json!({"n": 99})).unwrap();
            prop_assert_eq!(read(&path).unwrap().len(), ns.len() + 1);
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let (_dir, path) = scratch();
            std::fs::write(&path, &bytes).unwrap();
            let before = read(&path).unwrap().len();
            append(&path, "t", "k", json!({})).unwrap();
            prop_assert_eq!(read(&path).unwrap().len(), before + 1);
            verify(&path).unwrap();
        }
    }
}
