//! Ignore rules: which untracked files a work tree's .gitignore files hide.

use crate::sys::files;
use crate::sys::gitignore::Patterns;
use crate::sys::limits;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The ignore rules of a work tree's current .gitignore files, each of which is read once.
pub struct CurrentIgnores {
    top: PathBuf,
    rules: Ignores,
    entered: HashSet<PathBuf>,
}

impl CurrentIgnores {
    /// The rules of the work tree at `top`.
    pub fn new(top: &Path) -> CurrentIgnores {
        let rules = Ignores { from_disk: true, ..Ignores::default() };
        CurrentIgnores { top: top.to_path_buf(), rules, entered: HashSet::new() }
    }

    /// Whether a file below the top is hidden. A hidden directory hides everything below it.
    pub fn hide(&mut self, path: &Path) -> bool {
        self.hides(path, false)
    }

    /// Whether a directory below the top is hidden, with everything in it.
    pub fn hide_dir(&mut self, path: &Path) -> bool {
        self.hides(path, true)
    }

    fn hides(&mut self, path: &Path, is_dir: bool) -> bool {
        let dirs: Vec<&Path> = path.ancestors().skip(1).collect();
        for dir in dirs.iter().rev() {
            if self.entered.insert(dir.to_path_buf()) {
                self.rules.enter(&self.top, dir);
            }
        }
        let hidden_dir = dirs.iter().rev().any(|dir| !dir.as_os_str().is_empty() && self.rules.hide(dir, true));
        hidden_dir || self.rules.hide(path, is_dir)
    }
}

/// The ignore rules of .gitignore files that were recorded earlier.
pub struct RecordedIgnores(Ignores);

impl RecordedIgnores {
    /// The rules of these files: path below the top, and bytes.
    pub fn new(files: Vec<(PathBuf, Vec<u8>)>) -> RecordedIgnores {
        let mut rules = Ignores::default();
        files.into_iter().for_each(|(path, bytes)| rules.add(&path, bytes));
        RecordedIgnores(rules)
    }

    /// Whether they hide a path below the top or a directory above it.
    pub fn hides(&self, path: &Path, is_dir: bool) -> bool {
        let mut above = path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty());
        self.0.hide(path, is_dir) || above.any(|dir| self.0.hide(dir, true))
    }
}

/// Ignore rules by the directory of their file.
#[derive(Default)]
pub struct Ignores {
    /// Whether `enter` reads rules from disk.
    pub from_disk: bool,
    /// The rules by the bytes of the directory's path below the top.
    by_dir: HashMap<Vec<u8>, Patterns>,
    /// The files: path below the top, and bytes.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl Ignores {
    /// Adds one file.
    pub fn add(&mut self, path: &Path, bytes: Vec<u8>) {
        let dir = path.parent().unwrap_or(Path::new(""));
        let text = String::from_utf8_lossy(&bytes);
        let rules = Patterns::new(text.strip_prefix('\u{feff}').unwrap_or(&text).split('\n'));
        self.by_dir.insert(dir.as_os_str().as_bytes().to_vec(), rules);
        self.files.push((path.to_path_buf(), bytes));
    }

    /// Reads the .gitignore of a directory that the walk enters. A link is not followed, as in git.
    pub fn enter(&mut self, top: &Path, dir: &Path) {
        let path = dir.join(".gitignore");
        let plain = self.from_disk && fs::symlink_metadata(top.join(&path)).is_ok_and(|meta| meta.is_file());
        if plain && let Some(bytes) = files::try_read_following(&top.join(&path), limits::DEFINITION) {
            self.add(&path, bytes);
        }
    }

    /// Whether the rules hide a path. The nearest file with a matching pattern decides.
    pub fn hide(&self, path: &Path, is_dir: bool) -> bool {
        let mut dir = path.as_os_str().as_bytes();
        while !dir.is_empty() && !self.by_dir.is_empty() {
            dir = &dir[..dir.iter().rposition(|b| *b == b'/').unwrap_or(0)];
            if let Some(rules) = self.by_dir.get(dir) {
                let below = &path.as_os_str().as_bytes()[dir.len()..];
                let below = OsStr::from_bytes(below.strip_prefix(b"/").unwrap_or(below));
                if let Some(is_hidden) = rules.decide(Path::new(below), is_dir) {
                    return is_hidden;
                }
            }
        }
        false
    }
}
