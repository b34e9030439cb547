//! The status of a work tree: its branch, and its staged, changed and untracked files.

use super::{Repository, split_nul, to_path};
use crate::sys::error::Result;
use std::path::PathBuf;

/// The output of `git status`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The commit that is checked out; None before the first commit.
    pub head: Option<String>,
    /// The branch; None if the head is detached.
    pub branch: Option<String>,
    /// Files whose index entry differs from the commit.
    pub staged: Vec<PathBuf>,
    /// Files that differ from the index, including conflicts.
    pub unstaged: Vec<PathBuf>,
    /// Untracked files; a directory without tracked files is listed instead of its files.
    pub untracked: Vec<PathBuf>,
}

/// Files in the git directory that show an unfinished operation.
const OPERATIONS: [(&str, &str); 7] = [
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisection"),
    ("sequencer", "a series of commits"),
];

impl Repository {
    /// The unfinished operation in this work tree, such as a merge or a rebase.
    pub fn operation_in_progress(&self) -> Option<&'static str> {
        // A reftable contains all of these heads except MERGE_HEAD.
        let is_ref = |name: &str| name.ends_with("_HEAD") && self.uses_reftable() && self.read_ref(name).is_some();
        let is_there = |name: &str| self.git_dir.join(name).exists() || is_ref(name);
        OPERATIONS.iter().find(|(name, _)| is_there(name)).map(|(_, what)| *what)
    }

    /// The status of the work tree. Files that git does not check for changes are missing.
    pub fn status(&self) -> Result<Status> {
        self.status_with("--untracked-files=normal")
    }

    /// Like [`Repository::status`], with each untracked file.
    pub fn status_of_each_file(&self) -> Result<Status> {
        self.status_with("--untracked-files=all")
    }

    fn status_with(&self, untracked: &str) -> Result<Status> {
        let args = ["status", "--porcelain=v2", "--branch", "-z", "--no-renames", untracked];
        let args: Vec<&str> = args.into_iter().chain(["--ignore-submodules=none"]).collect();
        Ok(read(&self.git(&args)?))
    }
}

fn read(out: &[u8]) -> Status {
    let mut status = Status::default();
    for entry in split_nul(out) {
        let text = String::from_utf8_lossy(entry);
        match entry[0] {
            b'#' => match text.split_once(' ').map(|(_, rest)| rest).and_then(|rest| rest.split_once(' ')) {
                Some(("branch.oid", id)) if id != "(initial)" => status.head = Some(id.to_string()),
                Some(("branch.head", name)) if name != "(detached)" => status.branch = Some(name.to_string()),
                _ => {}
            },
            // `1 XY sub mH mI mW hH hI path`
            b'1' => {
                let Some(path) = field(entry, 8) else { continue };
                if entry.get(2).is_some_and(|mark| *mark != b'.') {
                    status.staged.push(to_path(path));
                }
                if entry.get(3).is_some_and(|mark| *mark != b'.') {
                    status.unstaged.push(to_path(path));
                }
            }
            // `u XY sub m1 m2 m3 mW h1 h2 h3 path`
            b'u' => status.unstaged.extend(field(entry, 10).map(to_path)),
            b'?' => status.untracked.extend(field(entry, 1).map(to_path)),
            _ => {}
        }
    }
    status
}

/// The text after the `n`-th space.
fn field(entry: &[u8], n: usize) -> Option<&[u8]> {
    let at = entry.iter().enumerate().filter(|(_, byte)| **byte == b' ').nth(n - 1)?.0;
    Some(&entry[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_entry_is_read_whatever_its_name_contains() {
        let id = "0".repeat(40);
        let out = format!(
            "# branch.oid {id}\0# branch.head a b\01 M. N... 100644 100644 100644 {id} {id} s \n1 .M x\0\
             1 MM N... 100644 100644 100644 {id} {id} both\0u UU N... 1 1 1 1 {id} {id} {id} torn one\0? new dir/\0"
        );
        let status = read(out.as_bytes());
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!((status.head, status.branch), (Some(id), Some("a b".into())));
        assert_eq!(status.staged, paths(&["s \n1 .M x", "both"]));
        assert_eq!(status.unstaged, paths(&["both", "torn one"]));
        assert_eq!(status.untracked, paths(&["new dir/"]));
        assert_eq!(read(b"# branch.oid (initial)\0# branch.head (detached)\0"), Status::default());
    }

    #[test]
    fn an_unfinished_operation_is_found_in_every_form_of_references() {
        for form in ["files", "reftable"] {
            let dir = tempfile::tempdir().unwrap();
            let git = |line: &str| {
                let mut command = std::process::Command::new("git");
                command.current_dir(dir.path()).args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"]);
                command.args(line.split(' ')).output().unwrap().status.success()
            };
            if !git(&format!("init -q -b main --ref-format={form}")) {
                continue;
            }
            let commit = |text: &str| {
                std::fs::write(dir.path().join("f"), text).unwrap();
                assert!(git("add f") && git("commit -qm x"));
            };
            commit("one");
            assert!(git("checkout -qb side"));
            commit("two");
            assert!(git("checkout -q main"));
            commit("three");
            let repository = Repository::at(dir.path()).unwrap();
            assert_eq!(repository.operation_in_progress(), None, "{form}");
            assert!(!git("cherry-pick side"));
            assert_eq!(repository.operation_in_progress(), Some("a cherry-pick"), "{form}");
            assert!(git("cherry-pick --abort") && !git("merge -q side"));
            assert_eq!(repository.operation_in_progress(), Some("a merge"), "{form}");
        }
    }
}
