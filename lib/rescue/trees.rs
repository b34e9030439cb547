//! The trees and commits of a backup.

use super::metadata::Entry;
use crate::git::{ObjectId, Objects};
use crate::sys::clock;
use crate::sys::error::{Error, Result};
use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;

/// A tree within a tree.
const TREE: u32 = 0o40000;

/// Writes the trees that git does not have, and returns the topmost one. Entries must be sorted by the bytes of their paths.
pub fn write(objects: &Objects, entries: &[Entry], known: &HashSet<ObjectId>) -> Result<ObjectId> {
    write_below(objects, entries, 0, known)
}

/// One line of a tree: the name, the mode and the object.
type Line<'a> = (&'a [u8], u32, ObjectId);

/// Writes the tree of entries whose paths share the first `skip` bytes.
fn write_below(objects: &Objects, entries: &[Entry], skip: usize, known: &HashSet<ObjectId>) -> Result<ObjectId> {
    let name_of = |entry: &Entry| -> usize {
        let rest = &entry.path.as_os_str().as_bytes()[skip..];
        rest.iter().position(|b| *b == b'/').unwrap_or(rest.len())
    };
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut at = 0;
    while at < entries.len() {
        let path = entries[at].path.as_os_str().as_bytes();
        let end = skip + name_of(&entries[at]);
        let name = &path[skip..end];
        if end == path.len() {
            lines.push((name, entries[at].mode, entries[at].id));
            at += 1;
            continue;
        }
        let prefix = &path[..end + 1];
        let count = entries[at..].partition_point(|entry| entry.path.as_os_str().as_bytes().starts_with(prefix));
        lines.push((name, TREE, write_below(objects, &entries[at..at + count], end + 1, known)?));
        at += count;
    }
    tree(objects, lines, known)
}

fn tree(objects: &Objects, mut lines: Vec<Line<'_>>, known: &HashSet<ObjectId>) -> Result<ObjectId> {
    // A directory is sorted by its name with a slash.
    let slash = |line: &Line<'_>| (line.1 == TREE).then_some(b'/');
    lines.sort_by(|a, b| {
        let both = a.0.len().min(b.0.len());
        let rest = |line: &Line<'_>| line.0.get(both).copied().or_else(|| slash(line));
        a.0[..both].cmp(&b.0[..both]).then_with(|| rest(a).cmp(&rest(b)))
    });
    let mut bytes = Vec::with_capacity(lines.len() * 40);
    for (name, mode, id) in lines {
        // A tree with a missing object would make every gc fail.
        if id.is_none() {
            return Err(Error::missing(format!("no object is stored for {}", String::from_utf8_lossy(name))));
        }
        bytes.extend_from_slice(match mode {
            TREE => b"40000 ",
            0o100755 => b"100755 ",
            0o120000 => b"120000 ",
            0o160000 => b"160000 ",
            _ => b"100644 ",
        });
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend_from_slice(id.as_bytes());
    }
    let mut name = crate::git::ObjectName::new(objects.format(), "tree", bytes.len() as u64);
    name.update(&bytes);
    let id = name.finish();
    // git knows the empty tree without storing it.
    if known.contains(&id) && !bytes.is_empty() { Ok(id) } else { objects.write("tree", &bytes) }
}

/// Writes the tree with the index, the metadata, and all objects that only the index names.
pub fn write_metadata(
    objects: &Objects,
    index: Option<&[u8]>,
    metadata: &[u8],
    pins: &HashSet<ObjectId>,
) -> Result<ObjectId> {
    let none = HashSet::new();
    let mut lines: Vec<Line<'_>> = vec![(b"beside", 0o100644, objects.write("blob", metadata)?)];
    if let Some(index) = index {
        lines.push((b"index", 0o100644, objects.write("blob", index)?));
    }
    let names: Vec<(String, ObjectId)> = pins.iter().map(|id| (id.to_string(), *id)).collect();
    if !names.is_empty() {
        let pinned = names.iter().map(|(name, id)| (name.as_bytes(), 0o100644, *id)).collect();
        lines.push((b"staged", TREE, tree(objects, pinned, &none)?));
    }
    tree(objects, lines, &none)
}

/// Writes a commit.
pub fn commit(objects: &Objects, tree: ObjectId, parents: &[ObjectId], message: &str) -> Result<ObjectId> {
    let who = format!("review-gate <review-gate@localhost> {} +0000", clock::now().0 / 1000);
    let mut text = format!("tree {tree}\n");
    parents.iter().for_each(|parent| text.push_str(&format!("parent {parent}\n")));
    text.push_str(&format!("author {who}\ncommitter {who}\n\n{message}"));
    objects.write("commit", text.as_bytes())
}
