//! A part of the repository: a directory that may have its own build files.

use review_gate::sys::files;
use review_gate::sys::text::one_line;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest build file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// How deep below the root parts are searched.
const DEPTH: usize = 3;

/// The most directories that are searched.
const MOST: usize = 2000;

/// Directories without parts: dependencies, build results, and projects that only serve as examples or test data.
const SKIPPED: [&str; 22] = [
    "node_modules",
    "target",
    "vendor",
    "third_party",
    "dist",
    "build",
    "out",
    "obj",
    "venv",
    "env",
    "coverage",
    "deps",
    "_build",
    "Pods",
    "fixtures",
    "__fixtures__",
    "testdata",
    "test",
    "tests",
    "spec",
    "examples",
    "example",
];

/// A directory with build files.
#[derive(Clone, Debug)]
pub struct Part {
    /// The directory.
    pub dir: PathBuf,
    /// Its path below the root; empty for the root.
    pub below: String,
}

impl Part {
    /// The root of the repository.
    pub fn root(dir: &Path) -> Part {
        Part { dir: dir.to_path_buf(), below: String::new() }
    }

    /// Whether it has one of these files.
    pub fn has(&self, names: &[&str]) -> bool {
        self.first(names).is_some()
    }

    /// The first of these files that it has.
    pub fn first<'a>(&self, names: &[&'a str]) -> Option<&'a str> {
        names.iter().copied().find(|name| self.dir.join(name).is_file())
    }

    /// Whether it has that directory.
    pub fn has_dir(&self, name: &str) -> bool {
        self.dir.join(name).is_dir()
    }

    /// The text of a file; empty if it does not exist, is no regular file, or is too large.
    pub fn text(&self, name: &str) -> String {
        let bytes = files::try_read_following(&self.dir.join(name), LARGEST).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A file as JSON. None if it does not exist.
    pub fn json(&self, name: &str) -> Option<Result<Value, String>> {
        let bytes = files::try_read_following(&self.dir.join(name), LARGEST)?;
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        Some(serde_json::from_slice(text).map_err(|error| one_line(&error.to_string())))
    }

    /// The names of its files with that extension, sorted.
    pub fn with_extension(&self, extension: &str) -> Vec<String> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let is_wanted = |path: &Path| path.extension() == Some(OsStr::new(extension)) && path.is_file();
        let paths = entries.map(|entry| entry.path()).filter(|path| is_wanted(path));
        let mut names: Vec<String> =
            paths.filter_map(|path| path.file_name().map(|name| name.to_string_lossy().into_owned())).collect();
        names.sort();
        names
    }

    /// The path of one of its files below the root, for a message.
    pub fn shown(&self, name: &str) -> String {
        if self.below.is_empty() { name.to_string() } else { format!("{}/{name}", one_line(&self.below)) }
    }
}

/// The root and the directories below it, nearer ones first. A directory whose name is not UTF-8 is left out, because DONE.md cannot
/// name it.
pub fn parts(root: &Path) -> Vec<Part> {
    let mut all = vec![Part::root(root)];
    let mut at = 0;
    while at < all.len() && all.len() < MOST {
        let part = all[at].clone();
        at += 1;
        if !part.below.is_empty() && part.below.split('/').count() >= DEPTH {
            continue;
        }
        let entries = fs::read_dir(&part.dir).into_iter().flatten().flatten();
        // A link may lead out of the root or back to a directory above.
        let dirs = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut names: Vec<String> = dirs.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| !name.starts_with('.') && !SKIPPED.contains(&name.as_str()));
        names.sort();
        all.extend(names.into_iter().map(|name| {
            let below = if part.below.is_empty() { name.clone() } else { format!("{}/{name}", part.below) };
            Part { dir: part.dir.join(name), below }
        }));
    }
    all.truncate(MOST);
    all
}
