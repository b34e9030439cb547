//! Sides: the scans of each changed file, on disk and at the base. The base's bytes come from git's objects or from the baseline's
//! copies, and match their digests.

use crate::outlines::reader::{Key, LARGEST, Reader};
use crate::patterns::Kind;
use crate::places;
use crate::scan::{Scan, Scanner};
use review_gate::outline::compare::Side;
use review_gate::snapshot::changes::Change;
use review_gate::snapshot::old_bytes::{self, OldBytes};
use review_gate::snapshot::{Snapshot, What, client_settings};
use review_gate::store::state::State;
use review_gate::sys::digest;
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::limits;
use std::io::{self, Read};
use std::path::Path;

/// What to scan one changed file for.
#[derive(Clone, Debug, Default)]
pub struct Role {
    /// The path as shown and matched.
    pub shown: String,
    /// It is a test file now.
    pub is_test: bool,
    /// It was a test file at the base.
    pub was_test: bool,
    /// A pattern matches its name, and not only its directory.
    pub is_named: bool,
    /// The kinds of marks to look for.
    pub kinds: Vec<Kind>,
    /// Its name is that of a source file.
    pub is_source: bool,
    /// The language in which rg-outline reads it; its lines are not matched with patterns.
    pub language: Option<&'static str>,
    /// rg-outline refuses its bytes: its lines are matched with patterns, too, so that a NUL byte or a large comment hides no mark.
    pub is_refused: bool,
}

impl Role {
    /// Whether its lines tell what moved and what is new.
    fn keeps_lines(&self) -> bool {
        self.is_test || self.was_test || self.kinds.contains(&Kind::Lint)
    }

    /// The kinds of marks that are found by patterns.
    fn patterns(&self) -> &[Kind] {
        // A hook of pytest may skip the tests of other files.
        let has_hooks = self.shown.rsplit('/').next() == Some("conftest.py") && self.kinds.contains(&Kind::Skip);
        match self.language {
            Some(_) if self.is_refused => &self.kinds,
            Some(_) if has_hooks => &[Kind::Skip],
            Some(_) => &[],
            None => &self.kinds,
        }
    }
}

/// One change with the scans of both sides.
#[derive(Debug)]
pub struct Sides {
    pub change: Change,
    pub role: Role,
    /// The base's side; None if there was no file, or if it was not scanned.
    pub then: Option<Scan>,
    /// The side on disk; None if there is no file.
    pub now: Option<Scan>,
    /// The base's bytes cannot be read or do not match their digest.
    pub is_lost: bool,
    /// Git does not have the base's bytes.
    pub is_missing: bool,
    /// The file on disk changed since the snapshot.
    pub is_moving: bool,
}

/// Scans the files on disk, and sends those in a known language to the reader.
pub fn scan_now(top: &Path, changes: Vec<(Change, Role)>, reader: &mut Reader) -> Vec<Sides> {
    let mut all = Vec::with_capacity(changes.len());
    for (change, role) in changes {
        let mut sides =
            Sides { change, role, then: None, now: None, is_lost: false, is_missing: false, is_moving: false };
        let file = sides.change.now.as_ref().filter(|file| file.entry.what.is_file());
        if let Some(file) = file.filter(|_| !sides.change.is_mode_only()) {
            let mut bytes = Vec::new();
            let mut scan = scan_file(&top.join(&file.path), &sides.role, &mut bytes);
            let is_refused = bytes.len() > LARGEST || scan.as_ref().is_some_and(|scan| scan.has_nul);
            if sides.role.language.is_some() && is_refused {
                sides.role.is_refused = true;
                bytes.clear();
                scan = scan_file(&top.join(&file.path), &sides.role, &mut bytes);
            }
            sides.is_moving = scan.as_ref().is_none_or(|scan| scan.sha256 != file.entry.sha256);
            if sides.role.language.is_some() && !sides.is_moving {
                reader.send((sides.change.path.clone(), Side::Now), &sides.role.shown, &bytes);
            }
            sides.now = scan;
            // The lines of a new file without marks are compared with nothing.
            let is_plain = |scan: &&mut Scan| {
                scan.hits.is_empty()
                    && !sides.role.is_test
                    && sides.change.then.is_none()
                    && sides.role.language.is_none()
            };
            if let Some(scan) = sides.now.as_mut().filter(is_plain) {
                scan.lines = Vec::new();
            }
        }
        all.push(sides);
    }
    all
}

fn scanner(role: &Role) -> Scanner {
    let scanner = Scanner::new(role.patterns(), role.keeps_lines());
    let scanner = scanner.with_undeclared(places::undeclared_test(&role.shown).filter(|_| role.was_test));
    if client_settings::is_settings(&role.shown) { scanner.with_head(limits::SETTINGS as usize) } else { scanner }
}

/// Keeps bytes for the reader, up to one more than it reads.
fn keep(kept: &mut Vec<u8>, role: &Role, bytes: &[u8]) {
    if role.language.is_some() {
        let room = (LARGEST + 1).saturating_sub(kept.len());
        kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

fn scan_file(path: &Path, role: &Role, kept: &mut Vec<u8>) -> Option<Scan> {
    let mut scanner = scanner(role);
    let mut file = files::try_open(path)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                scanner.feed(&buffer[..n]);
                keep(kept, role, &buffer[..n]);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(scanner.finish())
}

/// Removes the marks from binary files. Source files, and files that were text at the base, keep theirs.
pub fn clear_binary(sides: &mut Sides) {
    let is_binary = |scan: &Scan| scan.has_nul && !scan.head.starts_with(b"#!");
    let was_text = sides.then.as_ref().is_some_and(|then| !is_binary(then));
    if !sides.role.is_source && !was_text {
        for scan in [&mut sides.then, &mut sides.now].into_iter().flatten().filter(|scan| is_binary(scan)) {
            scan.hits.clear();
            scan.more.clear();
        }
    }
}

/// Scans the base's side of the changes that `filter` selects, and sends those in a known language to the reader.
pub fn scan_then(
    top: &Path,
    state: &State,
    sides: &mut [Sides],
    reader: &mut Reader,
    filter: impl Fn(&Sides) -> bool,
) -> Result<()> {
    let is_selected = |one: &Sides| !one.change.is_mode_only() && filter(one);
    let places: Vec<usize> = (0..sides.len()).filter(|at| is_selected(&sides[*at])).collect();
    let changes: Vec<Change> = places.iter().map(|at| sides[*at].change.clone()).collect();
    let mut open: Option<Scanner> = None;
    let mut kept = Vec::new();
    old_bytes::read(top, state, &changes, |at, piece| {
        let one = &mut sides[places[at]];
        match (piece, open.as_mut()) {
            (OldBytes::Begin, _) => {
                open = Some(scanner(&one.role));
                kept.clear();
            }
            (OldBytes::Bytes(bytes), Some(scanner)) => {
                scanner.feed(bytes);
                keep(&mut kept, &one.role, bytes);
            }
            (OldBytes::End, _) => {
                one.then = open.take().map(Scanner::finish);
                if one.role.language.is_some() {
                    reader.send((one.change.path.clone(), Side::Then), &one.role.shown, &kept);
                }
            }
            (OldBytes::Lost { missing }, _) => (one.is_lost, one.is_missing) = (true, missing),
            (OldBytes::Bytes(_), None) => {}
        }
    })
}

/// The bytes of one side of a file that is sent to the reader again.
pub fn bytes_again(top: &Path, state: &State, all: &[Sides], (path, side): &Key) -> Option<Vec<u8>> {
    let change = all.iter().map(|one| &one.change).find(|change| change.path == *path)?;
    if *side == Side::Now {
        return files::try_read(&top.join(path), LARGEST as u64);
    }
    let (mut kept, mut is_whole) = (Vec::new(), false);
    let read = old_bytes::read(top, state, std::slice::from_ref(change), |_, piece| match piece {
        OldBytes::Bytes(bytes) if kept.len() <= LARGEST => kept.extend_from_slice(bytes),
        OldBytes::End => is_whole = true,
        _ => {}
    });
    (read.is_ok() && is_whole).then_some(kept)
}

/// Where the files of a change are read again.
pub struct Source<'a> {
    /// The top of the working tree.
    pub top: &'a Path,
    /// The old bytes.
    pub state: &'a State,
    /// All files of today.
    pub now: &'a Snapshot,
}

impl Source<'_> {
    /// The bytes of both sides of changed files, in order; empty for a side without a file. None if they are more than `room` or cannot be
    /// read.
    pub fn both_texts(&self, changes: &[Change], mut room: usize) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut texts: Vec<(Vec<u8>, Vec<u8>)> = vec![Default::default(); changes.len()];
        let mut take = |size: usize| {
            room = room.saturating_sub(size);
            room > 0
        };
        let mut is_whole = true;
        old_bytes::read(self.top, self.state, changes, |at, piece| match piece {
            OldBytes::Bytes(bytes) if take(bytes.len()) => texts[at].0.extend_from_slice(bytes),
            OldBytes::Bytes(_) | OldBytes::Lost { .. } => is_whole = false,
            _ => {}
        })
        .ok()?;
        for (text, change) in texts.iter_mut().zip(changes) {
            let Some(file) = change.now.as_ref().filter(|file| file.entry.what.is_file()) else { continue };
            text.1 = files::try_read(&self.top.join(&file.path), LARGEST as u64)?;
            is_whole &= take(text.1.len());
        }
        is_whole.then_some(texts)
    }
}

/// Whether both sides differ only by a git filter: in line endings, or as a git-lfs pointer and its content.
pub fn is_filtered(sides: &Sides) -> bool {
    let (Some(then), Some(now)) = (&sides.then, &sides.now) else { return false };
    let is_file = sides.change.now.as_ref().is_some_and(|file| file.entry.what.is_file());
    let same_mode = sides
        .change
        .then
        .as_ref()
        .zip(sides.change.now.as_ref())
        .is_some_and(|(then, now)| then.what == now.entry.what);
    is_file && same_mode && (then.folded == now.folded || points_to(&then.head, &sides.change))
}

/// Whether bytes are a git-lfs pointer to the content on disk.
fn points_to(pointer: &[u8], change: &Change) -> bool {
    let Some(rest) = pointer.strip_prefix(b"version https://git-lfs.github.com/spec/v1\n") else { return false };
    let text = String::from_utf8_lossy(rest);
    let oid = text.lines().find_map(|line| line.strip_prefix("oid sha256:"));
    let oid = oid.and_then(|oid| digest::unhex::<32>(oid.trim().as_bytes()));
    change.now.as_ref().is_some_and(|file| oid == Some(file.entry.sha256))
}

/// The noun for a kind of file.
pub fn noun(what: What) -> &'static str {
    match what {
        What::File | What::Executable => "file",
        What::Link => "link",
        What::Submodule => "submodule",
        What::Unreadable => "unreadable file",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use super::*;
    use review_gate::git::ObjectId;
    use review_gate::snapshot::{Entry, File as Seen};

    /// The sides of a file with `bytes` on disk and `seen` in the snapshot.
    fn sides_of(bytes: Option<&[u8]>, seen: &[u8]) -> Sides {
        let dir = tempfile::tempdir().unwrap();
        if let Some(bytes) = bytes {
            std::fs::write(dir.path().join("a.js"), bytes).unwrap();
        }
        let entry = Entry { what: What::File, sha256: digest::raw(seen) };
        let now = Seen { path: "a.js".into(), entry, id: ObjectId::default() };
        let change = Change { path: "a.js".into(), then: None, now: Some(now) };
        let role = Role { shown: "a.js".into(), kinds: vec![Kind::Todo], ..Role::default() };
        scan_now(dir.path(), vec![(change, role)], &mut Reader::default()).remove(0)
    }

    #[test]
    fn a_file_that_changed_or_vanished_since_the_snapshot_is_moving() {
        assert!(!sides_of(Some(b"// TODO"), b"// TODO").is_moving);
        assert!(sides_of(Some(b"// TODO later"), b"// TODO").is_moving);
        assert!(sides_of(None, b"// TODO").is_moving);
    }
}
