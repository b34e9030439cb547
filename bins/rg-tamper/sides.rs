//! Both sides of each change, scanned: the bytes on disk, and those that stood there before, from git's objects or from the copies
//! that the baseline kept. Each byte that is believed was held against its digest.

use crate::patterns::Kind;
use crate::pinned;
use crate::scan::{Scan, Scanner};
use review_gate::snapshot::What;
use review_gate::snapshot::changes::Change;
use review_gate::snapshot::old_bytes::{self, Before};
use review_gate::store::state::State;
use review_gate::sys::digest;
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::limits;
use std::io::{self, Read};
use std::path::Path;

/// What is looked for in one changed file.
#[derive(Clone, Debug, Default)]
pub struct Role {
    /// The path as it is shown and matched.
    pub shown: String,
    /// It is a test, and was one.
    pub is_test: bool,
    pub was_test: bool,
    /// A pattern names it a test, and not only the directory that it lies in.
    pub is_named: bool,
    /// What is looked for.
    pub kinds: Vec<Kind>,
    /// Its name says that it is source.
    pub is_source: bool,
}

/// One change with what was found on both sides.
#[derive(Debug)]
pub struct Sides {
    pub change: Change,
    pub role: Role,
    /// What stood there; None where nothing did, or where it was not asked for.
    pub then: Option<Scan>,
    pub now: Option<Scan>,
    /// What stood there can be read no more, or is not what it was.
    pub is_lost: bool,
    /// Git does not have it at all.
    pub is_missing: bool,
    /// It changed while it was read.
    pub is_moving: bool,
}

/// Scans the files as they lie.
pub fn scan_now(top: &Path, changes: Vec<(Change, Role)>) -> Vec<Sides> {
    let mut all = Vec::with_capacity(changes.len());
    for (change, role) in changes {
        let mut sides =
            Sides { change, role, then: None, now: None, is_lost: false, is_missing: false, is_moving: false };
        let file = sides.change.now.as_ref().filter(|file| file.entry.what.is_file());
        if let Some(file) = file.filter(|_| !sides.change.is_mode_only()) {
            let scan = scan_file(&top.join(&file.path), &sides.role);
            sides.is_moving = scan.as_ref().is_none_or(|scan| scan.sha256 != file.entry.sha256);
            sides.now = scan;
        }
        all.push(sides);
    }
    all
}

fn scanner(role: &Role) -> Scanner {
    let scanner = Scanner::new(&role.shown, &role.kinds, role.is_test || role.was_test);
    if pinned::is_settings(&role.shown) { scanner.keeping(limits::SETTINGS as usize) } else { scanner }
}

fn scan_file(path: &Path, role: &Role) -> Option<Scan> {
    let mut scanner = scanner(role);
    let mut file = files::try_open(path)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => scanner.feed(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(scanner.finish())
}

/// What only happens to look like a mark among the bytes of a picture is none; a source stays one, whatever bytes are in it, and
/// so does what was text before.
pub fn leave_pictures(sides: &mut Sides) {
    let is_binary = |scan: &Scan| scan.has_nul && !scan.head.starts_with(b"#!");
    let was_text = sides.then.as_ref().is_some_and(|then| !is_binary(then));
    if !sides.role.is_source && !was_text {
        for scan in [&mut sides.then, &mut sides.now].into_iter().flatten().filter(|scan| is_binary(scan)) {
            scan.hits.clear();
            scan.more.clear();
        }
    }
}

/// Scans what stood at those places before.
pub fn scan_then(top: &Path, state: &State, sides: &mut [Sides], wanted: impl Fn(&Sides) -> bool) -> Result<()> {
    let is_wanted = |one: &Sides| !one.change.is_mode_only() && wanted(one);
    let places: Vec<usize> = (0..sides.len()).filter(|at| is_wanted(&sides[*at])).collect();
    let changes: Vec<Change> = places.iter().map(|at| sides[*at].change.clone()).collect();
    let mut open: Option<Scanner> = None;
    old_bytes::read(top, state, &changes, |at, piece| {
        let one = &mut sides[places[at]];
        match (piece, open.as_mut()) {
            (Before::Begin, _) => open = Some(scanner(&one.role)),
            (Before::Bytes(bytes), Some(scanner)) => scanner.feed(bytes),
            (Before::End, _) => one.then = open.take().map(Scanner::finish),
            (Before::Lost { missing }, _) => (one.is_lost, one.is_missing) = (true, missing),
            (Before::Bytes(_), None) => {}
        }
    })
}

/// Whether only a filter stands between both sides: ends of lines, or a pointer of git-lfs and what it points to.
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

/// Whether bytes are a git-lfs pointer to what lies there now.
fn points_to(pointer: &[u8], change: &Change) -> bool {
    let Some(rest) = pointer.strip_prefix(b"version https://git-lfs.github.com/spec/v1\n") else { return false };
    let text = String::from_utf8_lossy(rest);
    let oid = text.lines().find_map(|line| line.strip_prefix("oid sha256:"));
    let oid = oid.and_then(|oid| digest::unhex::<32>(oid.trim().as_bytes()));
    change.now.as_ref().is_some_and(|file| oid == Some(file.entry.sha256))
}

/// The kind of thing that stands there, in a word.
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

    /// What a look saw and what lies there now, of one file.
    fn scanned(bytes: Option<&[u8]>, seen: &[u8]) -> Sides {
        let dir = tempfile::tempdir().unwrap();
        if let Some(bytes) = bytes {
            std::fs::write(dir.path().join("a.js"), bytes).unwrap();
        }
        let entry = Entry { what: What::File, sha256: digest::raw(seen) };
        let now = Seen { path: "a.js".into(), entry, id: ObjectId::default() };
        let change = Change { path: "a.js".into(), then: None, now: Some(now) };
        let role = Role { shown: "a.js".into(), kinds: vec![Kind::Todo], ..Role::default() };
        scan_now(dir.path(), vec![(change, role)]).remove(0)
    }

    #[test]
    fn a_file_that_changed_or_vanished_since_the_look_is_moving() {
        assert!(!scanned(Some(b"// TODO"), b"// TODO").is_moving);
        assert!(scanned(Some(b"// TODO later"), b"// TODO").is_moving);
        assert!(scanned(None, b"// TODO").is_moving);
    }
}
