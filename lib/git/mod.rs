//! Git. Repositories, references, the index and settings are read from files where possible; git(1) does the rest.

mod command;
mod contents;
mod dirs;
mod discover;
mod index;
mod loose;
mod object;
mod programs;
mod reader;
mod settings;
mod status;
mod worktree;

pub use contents::{Piece, TreeFile};
pub use discover::{is_git_dir, resolve_parent};
pub use index::Index;
pub use loose::Objects;
pub use object::{Format, ObjectId, ObjectName};
pub use reader::end_reader;
pub use settings::Settings;
pub use status::Status;
pub use worktree::{GitOutput, WorkTree};

use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::process::{self, Command};
use command::Mode;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The usual names of the base branch, in the order in which they are tried.
pub const TRUNKS: [&str; 2] = ["main", "master"];

/// The reference to the default branch of the remote `origin`.
pub const REMOTE_TRUNK: &str = "refs/remotes/origin/HEAD";

/// How long one call of git may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A work tree and its repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The top of the work tree.
    pub top: PathBuf,
    /// The git directory of the work tree.
    pub git_dir: PathBuf,
    /// The git directory that all work trees of the repository share.
    pub common_dir: PathBuf,
}

/// One tracked path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracked<'a> {
    /// Relative to the top of the work tree.
    pub path: &'a Path,
    /// Whether it is a submodule.
    pub is_submodule: bool,
    /// The object id in the index.
    pub id: ObjectId,
    /// Whether git does not check it for changes (assume-unchanged, skip-worktree).
    pub is_unchecked: bool,
    /// Whether it is not expected on disk (skip-worktree).
    pub is_skip_worktree: bool,
    /// Its mode, stage and flags in one number, to compare with a later read.
    pub mode_and_flags: u32,
}

/// The error of a repository without a commit.
fn no_commit() -> Error {
    Error::usage("there is no commit yet. Make the first one: `git add -A && git commit`")
}

impl Repository {
    /// The repository whose work tree contains `path`. Starts no child process and ignores environment variables.
    pub fn find(path: &Path) -> Option<Repository> {
        path.ancestors().find_map(Repository::at)
    }

    /// The repository whose work tree has its top at `top`.
    pub fn at(top: &Path) -> Option<Repository> {
        let dot_git = top.join(".git");
        let meta = fs::symlink_metadata(&dot_git).ok()?;
        let git_dir = if meta.is_file() { top.join(read_path(&dot_git, "gitdir:")?) } else { dot_git };
        if !git_dir.join("HEAD").exists() {
            return None;
        }
        let common_dir = match read_path(&git_dir.join("commondir"), "") {
            Some(path) => git_dir.join(path),
            None => git_dir.clone(),
        };
        let common_dir = fs::canonicalize(&common_dir).unwrap_or(common_dir);
        Some(Repository { top: top.to_path_buf(), git_dir, common_dir })
    }

    /// Whether this is a linked work tree that the repository has a record of.
    pub fn is_linked_worktree(&self) -> bool {
        let back = read_path(&self.git_dir.join("gitdir"), "");
        let ours = fs::canonicalize(self.top.join(".git")).ok();
        self.git_dir != self.common_dir
            && back.is_some_and(|path| fs::canonicalize(self.git_dir.join(path)).ok() == ours)
    }

    /// The object format.
    pub fn format(&self) -> Format {
        if self.is_sha256() { Format::Sha256 } else { Format::Sha1 }
    }

    /// The commit that is checked out; None before the first commit.
    pub fn head(&self) -> Option<String> {
        let mut name = "HEAD".to_string();
        for _ in 0..8 {
            let text = self.read_ref(&name)?;
            match text.strip_prefix("ref: ") {
                Some(next) => name = next.trim().to_string(),
                None => return is_object_id(text.trim()).then(|| text.trim().to_string()),
            }
        }
        None
    }

    /// The full name of the branch that is checked out; None if the head is detached.
    pub fn branch(&self) -> Option<String> {
        if self.uses_reftable() {
            let out = self.git(&["symbolic-ref", "--quiet", "HEAD"]).ok()?;
            return Some(String::from_utf8_lossy(&out).trim().to_string());
        }
        Some(read_small(&self.git_dir.join("HEAD"))?.strip_prefix("ref:")?.trim().to_string())
    }

    /// Creates a reference atomically. The name must be unique.
    pub fn create_ref(&self, name: &str, id: ObjectId) -> Result<()> {
        if self.uses_reftable() {
            return self.git(&["update-ref", name, &id.to_string(), ""]).map(drop);
        }
        let path = self.common_dir.join(name);
        let failed = |e: std::io::Error| Error::io("write", &path, &e);
        // Git's gc removes leftover files with this prefix.
        let temporary =
            self.common_dir.join("objects").join(format!("tmp_obj_{}", crate::sys::ids::ulid(&["refer", name])));
        // A pinned clock gives the same name again, so an existing file is a leftover.
        let _ = fs::remove_file(&temporary);
        let written = fs::create_dir_all(path.parent().unwrap_or(&path))
            .and_then(|()| files::create_new(&temporary, 0o666)?.write_all(format!("{id}\n").as_bytes()))
            .and_then(|()| {
                crate::sys::env::crash_point();
                fs::rename(&temporary, &path)
            });
        written.map_err(|e| {
            let _ = fs::remove_file(&temporary);
            failed(e)
        })
    }

    /// Whether a reference of that name points to that object.
    pub fn is_ref_at(&self, name: &str, id: ObjectId) -> bool {
        self.read_ref(name).is_some_and(|text| text.trim() == id.to_string())
    }

    /// The value of a reference, loose or packed. Git reads it if the repository uses reftables.
    fn read_ref(&self, name: &str) -> Option<String> {
        if name.split('/').any(|part| part == "..") {
            return None;
        }
        if self.uses_reftable() {
            let out = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", name]).ok()?;
            return Some(String::from_utf8_lossy(&out).trim().to_string());
        }
        let loose = [&self.git_dir, &self.common_dir].into_iter().find_map(|dir| read_small(&dir.join(name)));
        loose.or_else(|| {
            let packed = read_small(&self.common_dir.join("packed-refs"))?;
            let line = packed.lines().find(|line| line.split_once(' ').is_some_and(|(_, path)| path == name))?;
            line.split_once(' ').map(|(id, _)| id.to_string())
        })
    }

    /// The index. Git reads it only if its format is unknown here.
    pub fn tracked(&self) -> Result<Index> {
        match index::read(&self.git_dir.join("index")) {
            index::Read::Paths(index) => Ok(index),
            index::Read::Missing => Ok(Index::default()),
            index::Read::Unknown => {
                let out = self.git(&["ls-files", "-z", "-v", "--stage"])?;
                let mut index = Index::default();
                split_nul(&out).for_each(|entry| index.push_line(entry));
                Ok(index)
            }
        }
    }

    /// The `.gitignore` files of a commit: path relative to the top, and bytes.
    pub fn ignore_files_of(&self, commit: &str) -> Result<Vec<(PathBuf, Vec<u8>)>> {
        let is_ignore = |file: &TreeFile| file.path.file_name() == Some(OsStr::new(".gitignore")) && file.is_regular();
        let files = self.tree(commit)?;
        let ignores: Vec<&TreeFile> = files.iter().filter(|file| is_ignore(file)).collect();
        let ids: Vec<ObjectId> = ignores.iter().map(|file| file.id).collect();
        let bodies = self.whole("blob", &ids, &mut { 256 << 20 })?;
        Ok(ignores.iter().map(|file| file.path.clone()).zip(bodies).collect())
    }

    /// Every path of the commit that is checked out.
    pub fn paths_of_head(&self) -> Result<Vec<PathBuf>> {
        match self.head() {
            Some(head) => Ok(split_nul(&self.git(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", &head])?)
                .map(to_path)
                .collect()),
            None => Ok(Vec::new()),
        }
    }

    /// The commit of a revision. Errors (100): there is no such commit, the name is ambiguous, or it begins with a dash.
    pub fn resolve(&self, name: &str) -> Result<String> {
        let wrong = || match name.starts_with("HEAD") && self.head().is_none() {
            true => no_commit(),
            false => Error::usage(format!("no such commit: {name:?}")),
        };
        if name.is_empty() || name.starts_with('-') || name.contains(['\n', '\0']) {
            return Err(wrong());
        }
        // Git would prefer a tag to a branch of the same name.
        let places = ["heads", "tags", "remotes"].map(|kind| format!("refs/{kind}/{name}"));
        let found: Vec<&str> = if self.uses_reftable() {
            let mut args = vec!["for-each-ref", "--format=%(refname)"];
            args.extend(places.iter().map(String::as_str));
            let listed = String::from_utf8_lossy(&self.git(&args)?).into_owned();
            let is_listed = |place: &&String| listed.lines().any(|line| line == place.as_str());
            places.iter().filter(is_listed).map(String::as_str).collect()
        } else {
            places.iter().map(String::as_str).filter(|place| self.read_ref(place).is_some()).collect()
        };
        if found.len() > 1 {
            return Err(Error::usage(format!(
                "ambiguous commit name {name:?}: {}. Use the full name",
                found.join(", ")
            )));
        }
        self.commit_named(name)?.map(|id| id.to_string()).ok_or_else(wrong)
    }

    /// The merge base of `name` and HEAD; None if they have no common commit or HEAD does not exist.
    pub fn merge_base(&self, name: &str) -> Option<String> {
        if is_object_id(name) && self.head().as_deref() == Some(name) {
            return Some(name.to_string());
        }
        let out = self.git(&["merge-base", "--end-of-options", name, "HEAD"]).ok()?;
        let line = String::from_utf8_lossy(&out).lines().next()?.to_string();
        is_object_id(&line).then_some(line)
    }

    /// The replacement references (git-replace), and `grafts` if there are any. These programs ignore them; a user's git shows the
    /// replacement instead of the object.
    pub fn replace_refs(&self) -> Vec<String> {
        if self.uses_reftable() {
            let out = self.git(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/replace/"]).unwrap_or_default();
            return String::from_utf8_lossy(&out).lines().map(str::to_string).collect();
        }
        let loose = fs::read_dir(self.common_dir.join("refs/replace")).into_iter().flatten().flatten();
        let mut names: Vec<String> = loose.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        let packed = read_small(&self.common_dir.join("packed-refs")).unwrap_or_default();
        let of_packed = packed.lines().filter_map(|line| line.split_once(" refs/replace/"));
        names.extend(of_packed.map(|(_, name)| name.to_string()));
        if self.common_dir.join("info/grafts").exists() {
            names.push("grafts".to_string());
        }
        names.sort();
        names.dedup();
        names
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command::git(Mode::Read, &self.top);
        command.args(args);
        command
    }

    /// For each object, whether it exists and is a blob.
    pub fn has_objects(&self, ids: &[ObjectId]) -> Result<Vec<bool>> {
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let out = self.feed(&["cat-file", "--batch-check=%(objecttype)"], input.into_bytes())?;
        let has: Vec<bool> = out.split(|b| *b == b'\n').take(ids.len()).map(|line| line == b"blob").collect();
        match has.len() == ids.len() {
            true => Ok(has),
            false => Err(Error::child(format!("git cat-file printed too few objects in {}", self.top.display()))),
        }
    }

    /// Runs git here with `input` on its standard input and returns its output.
    pub fn feed(&self, args: &[&str], input: Vec<u8>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        process::feed(self.command(args), input, PATIENCE, |bytes| out.extend_from_slice(bytes))?;
        Ok(out)
    }

    /// Like [`Repository::git`], with paths as last arguments, which may contain any bytes.
    pub fn git_with_paths(&self, args: &[&str], paths: &[PathBuf]) -> Result<Vec<u8>> {
        let mut command = self.command(args);
        command.args(paths);
        self.output_of(command, args)
    }

    /// Like [`Repository::git`], with another index.
    pub fn git_with_index(&self, index: &Path, args: &[&str]) -> Result<Vec<u8>> {
        let mut command = self.command(args);
        command.env("GIT_INDEX_FILE", index);
        self.output_of(command, args)
    }

    /// Runs git here in read mode and returns its output. Git ignores replacement objects.
    pub fn git(&self, args: &[&str]) -> Result<Vec<u8>> {
        self.output_of(self.command(args), args)
    }

    fn output_of(&self, command: Command, args: &[&str]) -> Result<Vec<u8>> {
        let out = process::output(command, PATIENCE)?;
        if out.success() {
            return Ok(out.stdout);
        }
        let words = String::from_utf8_lossy(&out.stderr).lines().next().unwrap_or("").to_string();
        Err(Error::child(format!("git {} failed in {}: {words}", args.first().unwrap_or(&""), self.top.display())))
    }
}

/// The path after `prefix` in one of git's files; it may contain any bytes.
fn read_path(file: &Path, prefix: &str) -> Option<PathBuf> {
    let bytes = files::try_read_following(file, 1 << 20)?;
    Some(to_path(bytes.strip_prefix(prefix.as_bytes())?.trim_ascii()))
}

/// The text of one of git's files; None for a FIFO, a device or a file that is too large.
fn read_small(path: &Path) -> Option<String> {
    String::from_utf8(files::try_read_following(path, 64 << 20)?).ok()
}

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn split_nul(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| *b == 0).filter(|entry| !entry.is_empty())
}

fn split_at_tab(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = entry.iter().position(|b| *b == b'\t')?;
    Some((&entry[..at], &entry[at + 1..]))
}

fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()))
}
