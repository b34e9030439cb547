//! Moves new files into their places, all or none of them.

use crate::journal::{Entry, Journal, Name};
use crate::plan::Move;
use crate::rules::PREFIX;
use crate::tree::{self, Stop, Tree};
use crate::version::After;
use review_gate::sys::env::crash_point;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use rustix::fd::OwnedFd;
use rustix::fs::{self as sys, AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Finishes or undoes what an earlier run left. Returns a line about it.
pub fn recover(tree: &Tree, path: &Path) -> Result<Option<String>> {
    let Some(journal) = Journal::read(path)? else { return Ok(None) };
    let (is_finished, kept) = journal.settle(tree)?;
    Journal::remove(path)?;
    tree.forget();
    if !kept.is_empty() {
        let text = format!(
            "an earlier rg-patch was killed and is undone, except for files that changed since: {}",
            kept.join(", ")
        );
        return Err(Error::changed(text));
    }
    let what = if is_finished { "had changed all files and is finished" } else { "is undone" };
    Ok(Some(format!("an earlier rg-patch was killed; it {what}")))
}

/// Moves the files. After an error every file is as it was.
pub fn apply(moves: &[Move], tree: &Tree, path: &Path) -> Result<()> {
    if moves.is_empty() {
        return Ok(());
    }
    let (mut entries, mut dirs) = (Vec::new(), BTreeSet::new());
    let token = ids::ulid(&["patch", &moves.len().to_string()]);
    for (at, one) in moves.iter().enumerate() {
        let parent = tree.parent(&one.path).map_err(|stop| moved(stop, &one.path))?;
        let above = one.path.ancestors().skip(1).take_while(|dir| **dir != parent.path);
        dirs.extend(above.map(Path::to_path_buf));
        entries.push(Entry {
            path: Name::from(one.path.as_path()),
            dir: Name::from(parent.path.as_path()),
            new_name: one.after.as_ref().map(|_| format!("{PREFIX}{token}-{at}.new")),
            old_name: one.before.map(|_| format!("{PREFIX}{token}-{at}.old")),
            before: one.before,
            after: None,
        });
    }
    // A directory sorts before those in it.
    let mut journal = Journal::new(entries, dirs.into_iter().collect());
    crash_point();
    journal.write(path)?;
    let done = stage(moves, &mut journal, tree).and_then(|()| {
        journal.is_staged = true;
        journal.write(path)?;
        crash_point();
        place(moves, &journal, tree)
    });
    match done {
        Ok(()) => {
            crash_point();
            journal.clean(tree);
            remove_empty_dirs(moves, tree);
            crash_point();
            Journal::remove(path)
        }
        Err(error) => {
            let (_, kept) = journal.settle(tree)?;
            Journal::remove(path)?;
            match kept.is_empty() {
                true => Err(error),
                false => Err(Error::changed(format!(
                    "{error}; not undone, because they changed meanwhile: {}",
                    kept.join(", ")
                ))),
            }
        }
    }
}

fn moved(stop: Stop, path: &Path) -> Error {
    match stop {
        Stop::Refused(_) => tree::changed(path),
        Stop::Failed(error) => error,
    }
}

/// Writes the new versions beside their places.
fn stage(moves: &[Move], journal: &mut Journal, tree: &Tree) -> Result<()> {
    for (one, entry) in moves.iter().zip(&mut journal.entries) {
        let (Some(after), Some(name)) = (&one.after, &entry.new_name) else { continue };
        let parent = tree.parent(&one.path).map_err(|stop| moved(stop, &one.path))?;
        if Name::from(parent.path.as_path()) != entry.dir {
            return Err(tree::changed(&one.path));
        }
        crash_point();
        write(&parent.fd, name, after).map_err(|e| Error::io("write", &one.path, &e))?;
        entry.after = tree.identity(&parent.fd, OsStr::new(name), &one.path)?;
    }
    Ok(())
}

fn write(dir: &OwnedFd, name: &str, after: &After) -> std::io::Result<()> {
    // A pinned clock gives the same name again, so an existing file is a leftover.
    let _ = sys::unlinkat(dir, name, AtFlags::empty());
    if after.is_link {
        return Ok(sys::symlinkat(OsStr::from_bytes(&after.bytes), dir, name)?);
    }
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = if after.is_new { after.permissions } else { 0o600 };
    let mut file = File::from(sys::openat(dir, name, flags, Mode::from_raw_mode(mode as _))?);
    file.write_all(&after.bytes)?;
    if !after.is_new {
        file.set_permissions(Permissions::from_mode(after.permissions))?;
    }
    Ok(())
}

/// Moves every file into its place. Before each one it makes sure that nobody changed the file meanwhile.
fn place(moves: &[Move], journal: &Journal, tree: &Tree) -> Result<()> {
    for (one, entry) in moves.iter().zip(&journal.entries) {
        crash_point();
        let Some(new_name) = &entry.new_name else {
            take_away(one, entry, tree)?;
            continue;
        };
        let stage = tree.parent(&one.path).map_err(|stop| moved(stop, &one.path))?;
        if !stage.is_whole {
            make_dirs(&journal.dirs, &one.path, tree)?;
        }
        let parent = tree.parent(&one.path).map_err(|stop| moved(stop, &one.path))?;
        let name = one.path.file_name().unwrap_or_default();
        if !parent.is_whole {
            return Err(tree::changed(&one.path));
        }
        let stage = tree.parent(&entry.dir.path().join("x")).map_err(|stop| moved(stop, &one.path))?;
        match one.before {
            Some(_) => exchange(one, entry, new_name, &parent.fd, tree)?,
            None => match rename_new(&stage.fd, new_name, &parent.fd, name) {
                Ok(()) => {}
                Err(Errno::EXIST) => return Err(tree::changed(&one.path)),
                Err(e) => return Err(Error::io("write", &one.path, &e.into())),
            },
        }
    }
    Ok(())
}

/// Makes the missing directories above a path.
fn make_dirs(dirs: &[Name], path: &Path, tree: &Tree) -> Result<()> {
    for dir in dirs.iter().map(Name::path).filter(|dir| path.starts_with(dir)) {
        tree.forget();
        let parent = tree.parent(&dir).map_err(|stop| moved(stop, path))?;
        crash_point();
        match sys::mkdirat(&*parent.fd, dir.file_name().unwrap_or_default(), Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(e) => return Err(Error::io("make", &dir, &e.into())),
        }
    }
    tree.forget();
    Ok(())
}

/// Exchanges the new version with the old one in one step, and makes sure that the old one is the one that was read.
fn exchange(one: &Move, entry: &Entry, new_name: &str, dir: &OwnedFd, tree: &Tree) -> Result<()> {
    let name = one.path.file_name().unwrap_or_default();
    let failed = |e: Errno| Error::io("write", &one.path, &e.into());
    let is_old = |name: &OsStr| Ok::<_, Error>(tree.identity(dir, name, &one.path)? == one.before);
    if !is_old(name)? {
        return Err(tree::changed(&one.path));
    }
    match sys::renameat_with(dir, new_name, dir, name, RenameFlags::EXCHANGE) {
        Ok(()) => {
            crash_point();
            if is_old(OsStr::new(new_name))? {
                return Ok(());
            }
            sys::renameat_with(dir, new_name, dir, name, RenameFlags::EXCHANGE).map_err(failed)?;
            Err(tree::changed(&one.path))
        }
        // This file system cannot exchange names.
        Err(e) if is_unsupported(e) => {
            take_away(one, entry, tree)?;
            crash_point();
            rename_new(dir, new_name, dir, name).map_err(failed)
        }
        Err(Errno::NOENT) => Err(tree::changed(&one.path)),
        Err(e) => Err(failed(e)),
    }
}

/// Renames the old version to its other name, and makes sure that it is the one that was read.
fn take_away(one: &Move, entry: &Entry, tree: &Tree) -> Result<()> {
    let parent = tree.parent(&one.path).map_err(|stop| moved(stop, &one.path))?;
    let (name, old_name) = (one.path.file_name().unwrap_or_default(), entry.old_name.as_deref().unwrap_or_default());
    let is_old = |name: &OsStr| Ok::<_, Error>(tree.identity(&parent.fd, name, &one.path)? == one.before);
    if !parent.is_whole || !is_old(name)? {
        return Err(tree::changed(&one.path));
    }
    sys::renameat(&*parent.fd, name, &*parent.fd, old_name).map_err(|e| Error::io("remove", &one.path, &e.into()))?;
    crash_point();
    if is_old(OsStr::new(old_name))? {
        return Ok(());
    }
    rename_new(&parent.fd, old_name, &parent.fd, name).map_err(|e| Error::io("put back", &one.path, &e.into()))?;
    Err(tree::changed(&one.path))
}

/// Whether a file system does not know a way to rename.
fn is_unsupported(e: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP].contains(&e)
}

/// Renames a file to a name that must not exist.
fn rename_new(from: &OwnedFd, old: &str, to: &OwnedFd, new: &OsStr) -> std::result::Result<(), Errno> {
    match sys::renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        Err(e) if is_unsupported(e) => {
            // A hard link never replaces a file, either.
            sys::linkat(from, old, to, new, AtFlags::empty())?;
            sys::unlinkat(from, old, AtFlags::empty())
        }
        done => done,
    }
}

/// Removes the directories that lost their last file, as git does.
fn remove_empty_dirs(moves: &[Move], tree: &Tree) {
    let gone = moves.iter().filter(|one| one.after.is_none());
    let dirs: BTreeSet<PathBuf> = gone.flat_map(|one| one.path.ancestors().skip(1).map(Path::to_path_buf)).collect();
    for dir in dirs.iter().rev().filter(|dir| !dir.as_os_str().is_empty()) {
        tree.forget();
        if let Ok(parent) = tree.parent(dir)
            && parent.is_whole
        {
            let _ = sys::unlinkat(&*parent.fd, dir.file_name().unwrap_or_default(), AtFlags::REMOVEDIR);
        }
    }
    tree.forget();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The moves of a change of `a`, a removal of `b` and a new `d/c`, for the files as they are now.
    fn moves(tree: &Tree) -> Vec<Move> {
        let before = |name: &str| tree.find(Path::new(name)).ok().flatten().map(|found| found.identity);
        let after = || Some(After { bytes: b"new".to_vec(), is_link: false, permissions: 0o644, is_new: false });
        let one = |path: &str, before, after| Move { path: path.into(), before, after };
        vec![one("a", before("a"), after()), one("b", before("b"), None), one("d/c", None, after())]
    }

    #[test]
    fn a_file_that_changed_meanwhile_stops_the_whole_patch() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 5] = [
            ("a", |top| fs::write(top.join("a"), "mine, longer").unwrap()),
            ("a", |top| fs::remove_file(top.join("a")).unwrap()),
            ("b", |top| fs::write(top.join("b"), "mine, longer").unwrap()),
            ("d/c", |top| {
                fs::create_dir(top.join("d")).unwrap();
                fs::write(top.join("d/c"), "mine").unwrap();
            }),
            ("d/c", |top| std::os::unix::fs::symlink("/etc", top.join("d")).unwrap()),
        ];
        for (path, change) in changes {
            let dir = tempfile::tempdir().unwrap();
            let (top, journal) = (dir.path().join("top"), dir.path().join("journal"));
            fs::create_dir(&top).unwrap();
            fs::write(top.join("a"), "old").unwrap();
            fs::write(top.join("b"), "old").unwrap();
            let tree = Tree::open(&top, &[]).unwrap();
            let moves = moves(&tree);
            change(&top);
            tree.forget();
            let listing = || {
                let all = ["a", "b", "d", "d/c"]
                    .map(|name| (name, fs::read(top.join(name)).ok(), fs::symlink_metadata(top.join(name)).is_ok()));
                (all, fs::read_dir(&top).unwrap().count())
            };
            let before = listing();
            let error = apply(&moves, &tree, &journal).unwrap_err();
            assert!(error.to_string().contains(path) && error.to_string().contains("changed"), "{path}: {error}");
            assert_eq!(listing(), before, "{path}");
            assert!(!journal.exists());
        }
    }

    /// A file system that cannot exchange names goes through this path.
    #[test]
    fn a_file_is_taken_away_only_if_it_is_the_one_that_was_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "old").unwrap();
        let tree = Tree::open(dir.path(), &[]).unwrap();
        let one = &moves(&tree)[0];
        let entry = Entry {
            path: Name::from(Path::new("a")),
            dir: Name::from(Path::new("")),
            new_name: None,
            old_name: Some(format!("{PREFIX}x.old")),
            before: one.before,
            after: None,
        };
        fs::write(dir.path().join("a"), "mine, longer").unwrap();
        assert!(take_away(one, &entry, &tree).is_err());
        assert_eq!(fs::read(dir.path().join("a")).unwrap(), b"mine, longer");
        let now = moves(&tree);
        take_away(&now[0], &entry, &tree).unwrap();
        assert!(!dir.path().join("a").exists() && dir.path().join(format!("{PREFIX}x.old")).exists());
    }
}
