//! Reads git's index (gitformat-index(5), versions 2 to 4) without starting git.

use super::{ObjectId, Tracked, split_at_tab};
use crate::sys::files;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The entries of an index, sorted by the bytes of their paths. The names are stored in one buffer.
#[derive(Debug, Default)]
pub struct Index {
    names: Vec<u8>,
    rows: Vec<Row>,
    /// The ids in the cache-tree extension: trees that the index equals.
    pub trees: HashSet<ObjectId>,
}

#[derive(Debug)]
struct Row {
    start: u32,
    end: u32,
    is_submodule: bool,
    is_unchecked: bool,
    is_skip_worktree: bool,
    mode_and_flags: u32,
    id: ObjectId,
}

impl Index {
    /// The entries.
    pub fn iter(&self) -> impl Iterator<Item = Tracked<'_>> {
        self.rows.iter().map(|row| Tracked {
            path: Path::new(OsStr::from_bytes(&self.names[row.start as usize..row.end as usize])),
            is_submodule: row.is_submodule,
            id: row.id,
            is_unchecked: row.is_unchecked,
            is_skip_worktree: row.is_skip_worktree,
            mode_and_flags: row.mode_and_flags,
        })
    }

    /// Adds one line of `git ls-files -v --stage`; a malformed one is skipped.
    pub fn push_line(&mut self, entry: &[u8]) {
        // `H 100644 <id> 0<tab>path`: a lower-case letter means assume-unchanged, S skip-worktree.
        let Some((meta, path)) = split_at_tab(entry) else { return };
        let mut meta = meta.split(|b| *b == b' ');
        let (Some(tag), Some(mode), Some(id)) = (meta.next(), meta.next(), meta.next().and_then(ObjectId::parse))
        else {
            return;
        };
        let octal = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok();
        let stage = meta.next().and_then(octal).unwrap_or(0);
        let mode_and_flags = octal(mode).unwrap_or(0) | stage << 16 | u32::from(tag[0]) << 24;
        let is_unchecked = tag == b"S" || tag.iter().any(u8::is_ascii_lowercase);
        let start = self.names.len() as u32;
        self.names.extend_from_slice(path);
        let (end, is_submodule, is_skip_worktree) =
            (self.names.len() as u32, mode == b"160000", tag.eq_ignore_ascii_case(b"S"));
        self.rows.push(Row { start, end, is_submodule, is_unchecked, is_skip_worktree, mode_and_flags, id });
    }
}

/// The result of reading an index.
pub enum Read {
    /// Its entries.
    Paths(Index),
    /// There is no index, so no file is tracked.
    Missing,
    /// An unknown format, or damage. Git must read it.
    Unknown,
}

/// The largest index that this module reads, in bytes.
const LIMIT: u64 = 512 << 20;

/// Reads the index at `path`.
pub fn read(path: &Path) -> Read {
    let bytes = match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Read::Missing,
        Ok(_) => files::try_read_following(path, LIMIT).unwrap_or_default(),
        _ => return Read::Unknown,
    };
    match parse(bytes) {
        Some(index) => Read::Paths(index),
        None => Read::Unknown,
    }
}

/// The fixed part of an entry before its flags: ten 32-bit fields and a SHA-1 object id.
const FIXED: usize = 40 + 20;
/// The offsets of the mode and of the object id.
const MODE: usize = 24;
const ID: usize = 40;
/// Flag: a second word of flags follows.
const EXTENDED: u16 = 0x4000;
/// Flag: git does not check the file for changes (assume-unchanged).
const ASSUME_VALID: u16 = 0x8000;
/// Flag in the second word: the file is not expected on disk.
const SKIP_WORKTREE: u32 = 0x4000;

/// Parses an index. None for anything unexpected: another signature or version, SHA-256 object ids, a split or sparse index.
fn parse(bytes: Vec<u8>) -> Option<Index> {
    let version = number(&bytes, 4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let count = number(&bytes, 8)? as usize;
    let mut rows: Vec<Row> = Vec::with_capacity(count.min(bytes.len() / FIXED));
    // Version 4 stores only how a name differs from the previous one.
    let (mut names, mut last) = (Vec::new(), Vec::new());
    let mut at = 12;
    for _ in 0..count {
        let mode = number(&bytes, at + MODE)?;
        let flags = u16::from_be_bytes(bytes.get(at + FIXED..at + FIXED + 2)?.try_into().ok()?);
        let extended = if flags & EXTENDED != 0 { 2 } else { 0 };
        let more = if extended > 0 { number(&bytes, at + FIXED + 2)? >> 16 } else { 0 };
        let id = ObjectId::from_bytes(bytes.get(at + ID..at + FIXED)?)?;
        let start = at + FIXED + 2 + extended;
        let (from, to) = if version == 4 {
            let (strip, used) = offset(&bytes[start.min(bytes.len())..])?;
            let end = find_nul(&bytes, start + used)?;
            last.truncate(Vec::len(&last).checked_sub(strip)?);
            last.extend_from_slice(&bytes[start + used..end]);
            at = end + 1;
            names.extend_from_slice(&last);
            (names.len() - last.len(), names.len())
        } else {
            let end = find_nul(&bytes, start)?;
            // One to eight NULs pad every entry to a multiple of eight bytes.
            at += (end - at + 8) / 8 * 8;
            (start, end)
        };
        let stated = usize::from(flags & 0xfff);
        let kind = mode >> 12;
        if stated != (to - from).min(0xfff) || !matches!(kind, 0o10 | 0o12 | 0o16) || from == to {
            return None;
        }
        let is_skip_worktree = more & SKIP_WORKTREE != 0;
        let is_unchecked = flags & ASSUME_VALID != 0 || is_skip_worktree;
        // The mode, and the flags without the length of the name.
        let mode_and_flags = mode | more << 8 | u32::from(flags & !0xfff) << 16;
        let (start, end, is_submodule) = (from as u32, to as u32, kind == 0o16);
        rows.push(Row { start, end, is_submodule, is_unchecked, is_skip_worktree, mode_and_flags, id });
    }
    let trees = extensions(&bytes, at)?;
    Some(Index { names: if version == 4 { names } else { bytes }, rows, trees })
}

/// The trees in the cache-tree extension. None unless only extensions and a 20-byte checksum follow the entries, and no extension
/// changes the meaning of the entries.
fn extensions(bytes: &[u8], mut at: usize) -> Option<HashSet<ObjectId>> {
    let mut trees = HashSet::new();
    while at + 20 < bytes.len() {
        let name = bytes.get(at..at + 4)?;
        let length = number(bytes, at + 4)? as usize;
        if name == b"link" || name == b"sdir" || !name.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        if name == b"TREE" {
            trees = bytes.get(at + 8..at + 8 + length).map(known_trees).unwrap_or_default();
        }
        at += 8 + length;
    }
    (at + 20 == bytes.len()).then_some(trees)
}

/// Reads `<path> NUL <entries> SP <subtrees> LF` and an id, which is absent if the number of entries is -1. Stops at damage.
fn known_trees(mut bytes: &[u8]) -> HashSet<ObjectId> {
    let mut trees = HashSet::new();
    let upto = |bytes: &[u8], end: u8| bytes.iter().position(|b| *b == end);
    while let Some(path) = upto(bytes, 0) {
        let Some(line) = upto(&bytes[path..], b'\n') else { break };
        let is_known = bytes.get(path + 1) != Some(&b'-');
        bytes = &bytes[path + line + 1..];
        if is_known {
            let Some(id) = bytes.get(..20).and_then(ObjectId::from_bytes) else { break };
            trees.insert(id);
            bytes = &bytes[20..];
        }
    }
    trees
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn find_nul(bytes: &[u8], from: usize) -> Option<usize> {
    bytes.get(from..)?.iter().position(|b| *b == 0).map(|length| from + length)
}

/// Git's variable-width offset: the number, and its length in bytes.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut used = 1;
    while bytes[used - 1] & 0x80 != 0 {
        let next = *bytes.get(used)?;
        value = value.checked_add(1)?.checked_shl(7)? | usize::from(next & 0x7f);
        used += 1;
        if used > 8 {
            return None;
        }
    }
    Some((value, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn damaged_bytes_do_not_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let mut index = b"DIRC\0\0\0\x04\0\0\0\x02".to_vec();
            index.extend(bytes);
            let _ = parse(index);
        }
    }
}
