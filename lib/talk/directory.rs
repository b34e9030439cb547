//! The talk directory, and the file of each topic in it.

use crate::git::Repository;
use crate::sys::digest;
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Its name in the main worktree.
pub const NAME: &str = ".review-gate";

/// The longest name of a topic, in bytes.
const TOPIC: usize = 4096;

/// How git merges the files: it keeps the lines of both sides.
const ATTRIBUTES: &str = "*.jsonl merge=union\n";

/// The talk directory. It is only a path; the first writer creates the directory.
#[derive(Clone, Debug)]
pub struct TalkDir {
    dir: PathBuf,
}

impl TalkDir {
    /// The talk directory for work in `dir`: `$RG_TALK`, else `.review-gate` in the main worktree, so that all worktrees share it.
    /// Outside a repository it is in `dir` itself. Errors: `$RG_TALK` is a relative path.
    pub fn of(dir: &Path, repository: Option<&Repository>) -> Result<TalkDir> {
        if let Some(dir) = env::talk_override()? {
            return Ok(TalkDir { dir });
        }
        let top = match repository {
            None => dir.to_path_buf(),
            Some(found) if !found.is_linked_worktree() => found.top.clone(),
            Some(found) => match found.common_dir.parent() {
                Some(top) if found.common_dir.ends_with(".git") => top.to_path_buf(),
                // The worktrees of a bare repository share its own directory.
                _ => found.common_dir.clone(),
            },
        };
        Ok(TalkDir { dir: top.join(NAME) })
    }

    /// The one in that directory, whatever is configured.
    pub fn at(top: &Path) -> TalkDir {
        TalkDir { dir: top.join(NAME) }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Creates the directory, and the settings with which git merges its files.
    pub fn init(&self) -> Result<()> {
        self.make()?;
        let path = self.dir.join(".gitattributes");
        match files::create_new(&path, 0o644) {
            Ok(mut file) => {
                files::append_once(&mut file, ATTRIBUTES.as_bytes()).map_err(|e| Error::io("write", &path, &e))
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(e) => Err(Error::io("write", &path, &e)),
        }
    }

    /// Whether [`TalkDir::init`] was called.
    pub fn is_initialised(&self) -> bool {
        fs::symlink_metadata(self.dir.join(".gitattributes")).is_ok_and(|meta| meta.is_file())
    }

    /// Whether its files are part of the snapshot of a repository: then a message is a change of the work.
    pub fn is_judged(&self, repository: Option<&Repository>) -> bool {
        repository.is_some_and(|found| self.dir.starts_with(&found.top) && self.dir != found.top.join(NAME))
    }

    /// Creates the directory. Errors: a link is in its place, which could lead anywhere.
    pub fn make(&self) -> Result<()> {
        match fs::symlink_metadata(&self.dir) {
            Ok(meta) if meta.is_dir() => Ok(()),
            Ok(_) => Err(Error::unreadable(&self.dir, format!("{} is not a directory", self.dir.display()))),
            Err(_) => fs::create_dir_all(&self.dir).map_err(|e| Error::io("make", &self.dir, &e)),
        }
    }

    /// The file of a topic. Errors: the name is empty or too long.
    pub fn file(&self, topic: &str) -> Result<PathBuf> {
        match topic.len() {
            0 => Err(Error::usage("the name of a topic is empty")),
            1..=TOPIC => Ok(self.dir.join(file_name(topic))),
            _ => Err(Error::usage(format!("the name of the topic is longer than {TOPIC} bytes"))),
        }
    }

    /// The files of all topics, sorted by name. Empty if there is no talk directory.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let failed = |e: std::io::Error| Error::io("read", &self.dir, &e);
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(failed(e)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("topic-") && name.ends_with(".jsonl") {
                found.push(entry.path());
            }
        }
        found.sort();
        Ok(found)
    }
}

/// The file name of a topic: a short plain name is kept. Any other one becomes plain and ends with digits of its digest.
fn file_name(topic: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if topic.len() <= 64 && topic.chars().all(is_plain) {
        return format!("topic-{topic}.jsonl");
    }
    let plain = topic.chars().take(40).map(|c| c.to_ascii_lowercase()).map(|c| if is_plain(c) { c } else { '-' });
    let plain: String = plain.collect();
    format!("topic-{}.{}.jsonl", plain.trim_matches('-'), &digest::sha256(topic.as_bytes())[..16])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_topic_has_a_safe_file_of_its_own() {
        let long = "a".repeat(4096);
        let names =
            ["a", "A", "a/b", "a-b", "../a", "..", ".", "/etc/passwd", "a\nb", "\u{1f980}", "a\0b", "-", " ", &long];
        let dir = TalkDir { dir: PathBuf::from("/talk") };
        let mut seen = HashSet::new();
        for name in names {
            let path = dir.file(name).unwrap();
            assert_eq!(path.parent(), Some(Path::new("/talk")), "{name:?}");
            let file = path.file_name().unwrap().to_str().unwrap().to_string();
            assert!(file.len() < 100 && file.starts_with("topic-") && file.ends_with(".jsonl"), "{name:?}: {file}");
            assert!(
                file.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b)),
                "{file}"
            );
            assert!(seen.insert(file), "{name:?} shares a file");
        }
        assert!(dir.file("").is_err() && dir.file(&"a".repeat(4097)).is_err());
    }
}
