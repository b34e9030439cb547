//! The journal of a patch that is being applied. It is written before the first file and removed after the last one, so that the next
//! run can undo what a killed one began.

use crate::tree::{Identity, Tree};
use review_gate::sys::env::crash_point;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use rustix::fs::{self as sys, AtFlags};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The largest journal, in bytes.
const LARGEST: u64 = 256 << 20;

/// The journal.
#[derive(Debug, Serialize, Deserialize)]
pub struct Journal {
    v: u32,
    /// Whether the new files are complete, so that they may be moved.
    pub is_staged: bool,
    /// The directories that are made, the outermost first.
    pub dirs: Vec<Name>,
    /// The files.
    pub entries: Vec<Entry>,
}

/// A path of any bytes, relative to the top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name(Vec<u8>);

impl From<&Path> for Name {
    fn from(path: &Path) -> Name {
        Name(path.as_os_str().as_bytes().to_vec())
    }
}

impl Name {
    /// The path.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(std::ffi::OsString::from_vec(self.0.clone()))
    }
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its path.
    pub path: Name,
    /// The directory of its temporary files.
    pub dir: Name,
    /// The name of the temporary file with its new version; none if it is removed.
    pub new_name: Option<String>,
    /// The name under which its old version is kept until all files are moved; none if it is created.
    pub old_name: Option<String>,
    /// The states of both versions. That of the new one is known when it is complete.
    pub before: Option<Identity>,
    pub after: Option<Identity>,
}

impl Journal {
    /// A journal of these files, which are not complete yet.
    pub fn new(entries: Vec<Entry>, dirs: Vec<PathBuf>) -> Journal {
        Journal { v: 1, is_staged: false, dirs: dirs.iter().map(|dir| Name::from(dir.as_path())).collect(), entries }
    }

    /// Reads the journal at `path`; None if there is none.
    pub fn read(path: &Path) -> Result<Option<Journal>> {
        let Some(bytes) = files::read(path, LARGEST)? else { return Ok(None) };
        let damaged =
            || Error::damaged(path, format!("{} is damaged: remove it after a look at `git status`", path.display()));
        let journal: Journal = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        let is_plain = |name: &Option<String>| {
            name.as_ref().is_none_or(|name| name.starts_with(crate::rules::PREFIX) && !name.contains(['/', '\0']))
        };
        let is_inside = |name: &Name| name.0.is_empty() || crate::names::checked(&name.0).is_ok();
        let is_valid = journal.v == 1
            && journal.dirs.iter().all(is_inside)
            && journal.entries.iter().all(|entry| {
                is_plain(&entry.new_name)
                    && is_plain(&entry.old_name)
                    && is_inside(&entry.path)
                    && is_inside(&entry.dir)
            });
        if is_valid { Ok(Some(journal)) } else { Err(damaged()) }
    }

    /// Writes it to `path`.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_vec(self).map_err(|e| Error::stream("write a journal", e))?;
        files::write_whole(path, &text, false)
    }

    /// Removes it.
    pub fn remove(path: &Path) -> Result<()> {
        fs::remove_file(path).map_err(|e| Error::io("remove", path, &e))
    }

    /// Whether every file is in its new state.
    fn is_finished(&self, tree: &Tree) -> Result<bool> {
        for entry in &self.entries {
            let now = entry.now(tree)?;
            let is_moved = match (&entry.after, now) {
                (Some(after), Some(now)) => now == *after,
                (None, now) => now.is_none(),
                (Some(_), None) => false,
            };
            if !is_moved {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Finishes or undoes what a killed run began, and removes its temporary files. Returns whether it was finished, and the files that
    /// another process has changed since, which stay as they are.
    pub fn settle(&self, tree: &Tree) -> Result<(bool, Vec<String>)> {
        tree.forget();
        if self.is_staged && self.is_finished(tree)? {
            self.clean(tree);
            return Ok((true, Vec::new()));
        }
        let mut kept = Vec::new();
        for entry in self.entries.iter().rev() {
            crash_point();
            entry.undo(self.is_staged, tree, &mut kept)?;
        }
        tree.forget();
        for dir in self.dirs.iter().rev() {
            crash_point();
            let path = dir.path();
            if let Ok(parent) = tree.parent(&path)
                && parent.is_whole
            {
                // A directory that is not empty is somebody else's by now.
                let _ = sys::unlinkat(&*parent.fd, path.file_name().unwrap_or_default(), AtFlags::REMOVEDIR);
                tree.forget();
            }
        }
        Ok((false, kept))
    }

    /// Removes the temporary files and the old versions.
    pub fn clean(&self, tree: &Tree) {
        for entry in &self.entries {
            if let Ok(parent) = tree.parent(&entry.dir.path().join("x")) {
                for name in entry.new_name.iter().chain(&entry.old_name) {
                    crash_point();
                    let _ = sys::unlinkat(&*parent.fd, name.as_str(), AtFlags::empty());
                }
            }
        }
    }
}

impl Entry {
    /// The state of the file now.
    fn now(&self, tree: &Tree) -> Result<Option<Identity>> {
        let path = self.path.path();
        match tree.parent(&path) {
            Ok(parent) if parent.is_whole => tree.identity(&parent.fd, path.file_name().unwrap_or_default(), &path),
            // The directory is missing, or a file is in its place.
            _ => Ok(None),
        }
    }

    /// Whether the file at the place of a new one is that one, changed since.
    fn is_changed_new(&self, now: Option<Identity>) -> bool {
        self.before.is_none() && now.zip(self.after).is_some_and(|(now, after)| now.is_same_file(&after))
    }

    /// Puts back the file that was there, if the new version or nothing is in its place.
    fn undo(&self, is_staged: bool, tree: &Tree, kept: &mut Vec<String>) -> Result<()> {
        let path = self.path.path();
        let name = path.file_name().unwrap_or_default();
        let failed = |e: rustix::io::Errno| Error::io("put back", &path, &e.into());
        let Ok(dir) = tree.parent(&self.dir.path().join("x")) else { return Ok(()) };
        let names: Vec<&str> = self.new_name.iter().chain(&self.old_name).map(String::as_str).collect();
        if is_staged {
            let now = self.now(tree)?;
            let is_ours = now.is_none() || now == self.after;
            // The file that was there may be another one than the one that was read.
            let is_displaced = |name: &&&str| {
                let found = tree.identity(&dir.fd, OsStr::new(**name), &path);
                found.is_ok_and(|found| found.is_some() && found != self.after)
            };
            match names.iter().find(is_displaced) {
                Some(displaced) if is_ours => {
                    sys::renameat(&*dir.fd, *displaced, &*dir.fd, name).map_err(failed)?;
                }
                Some(displaced) => {
                    kept.push(format!(
                        "{} (its old version is {})",
                        path.display(),
                        self.dir.path().join(displaced).display()
                    ));
                    return Ok(());
                }
                None if now.is_some() && is_ours && self.before.is_none() => {
                    let parent = tree.parent(&path).map_err(|_| Error::changed(format!("{} moved", path.display())))?;
                    sys::unlinkat(&*parent.fd, name, AtFlags::empty()).map_err(failed)?;
                }
                // Somebody removed the old version, or changed the new file.
                None if now.is_some() && (is_ours || self.is_changed_new(now)) => kept.push(path.display().to_string()),
                None => {}
            }
        }
        for name in names {
            crash_point();
            let _ = sys::unlinkat(&*dir.fd, name, AtFlags::empty());
        }
        Ok(())
    }
}
