//! The manifest, which is a snapshot as text, and the differences between two lists of files.

use super::{Entry, File, What};
use crate::git::ObjectId;
use crate::sys::digest::{push_hex, unhex};
use std::cmp::Ordering;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// One line per file, in the order of `files`.
pub fn write(files: &[File]) -> Vec<u8> {
    let mut out = Vec::with_capacity(files.len() * 110);
    for file in files {
        let path = file.path.as_os_str().as_bytes();
        // A newline or a backslash in a name is escaped as by sha256sum, with a backslash before the line.
        let is_escaped = memchr::memchr3(b'\n', b'\r', b'\\', path).is_some();
        if is_escaped {
            out.push(b'\\');
        }
        push_hex(&mut out, &file.entry.sha256);
        let mark = What::MARKS.iter().find(|(what, _)| *what == file.entry.what);
        out.extend([b' ', mark.map_or(b'?', |(_, mark)| *mark)]);
        let plain = if is_escaped { &[] } else { path };
        out.extend_from_slice(plain);
        for byte in &path[plain.len()..] {
            match byte {
                b'\n' => out.extend_from_slice(b"\\n"),
                b'\r' => out.extend_from_slice(b"\\r"),
                b'\\' => out.extend_from_slice(b"\\\\"),
                byte => out.push(*byte),
            }
        }
        out.push(b'\n');
    }
    out
}

/// The files of a manifest, in its order; None if it is malformed.
pub fn read_manifest(bytes: &[u8]) -> Option<Vec<File>> {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if body.is_empty() {
        return bytes.is_empty().then(Vec::new);
    }
    body.split(|b| *b == b'\n').map(read_line).collect()
}

fn read_line(line: &[u8]) -> Option<File> {
    let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |line| (true, line));
    let sha256 = unhex(line.get(..64)?)?;
    let (blank, mark) = (*line.get(64)?, *line.get(65)?);
    let (what, _) = What::MARKS.into_iter().find(|(_, known)| *known == mark)?;
    let name = line.get(66..).filter(|name| blank == b' ' && !name.is_empty())?;
    let name = if escaped { unescape(name)? } else { name.to_vec() };
    let path = PathBuf::from(OsString::from_vec(name));
    Some(File { path, entry: Entry { what, sha256 }, id: ObjectId::default() })
}

fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(name.len());
    let mut bytes = name.iter();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            byte => *byte,
        });
    }
    Some(out)
}

/// The differences between two sorted lists of files: paths in only one of them, and paths whose entries differ.
pub fn differences<'a>(then: &'a [File], now: &'a [File]) -> Vec<(Option<&'a File>, Option<&'a File>)> {
    let key = |file: &'a File| file.path.as_os_str().as_bytes();
    let (mut a, mut b) = (then.iter().peekable(), now.iter().peekable());
    let mut found = Vec::new();
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(then), Some(now)) => key(then).cmp(key(now)),
        };
        let (then, now) = match order {
            Ordering::Less => (a.next(), None),
            Ordering::Greater => (None, b.next()),
            Ordering::Equal => (a.next(), b.next()),
        };
        if then.map(|file| file.entry) != now.map(|file| file.entry) {
            found.push((then, now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn manifests_are_read_back(paths in proptest::collection::btree_set(proptest::collection::vec(1u8.., 1..12), 0..9), mark in 0usize..5) {
            let entry = |path: &Vec<u8>| Entry { what: What::MARKS[mark].0, sha256: crate::sys::digest::raw(path) };
            let file = |path: Vec<u8>| File { entry: entry(&path), path: OsString::from_vec(path).into(), id: ObjectId::default() };
            let files: Vec<File> = paths.into_iter().map(file).collect();
            prop_assert_eq!(read_manifest(&write(&files)), Some(files.clone()));
            prop_assert_eq!(differences(&files, &files).len(), 0);
            prop_assert_eq!(differences(&files, &[]).len(), files.len());
        }

        #[test]
        fn damaged_manifests_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_manifest(&bytes);
        }
    }
}
