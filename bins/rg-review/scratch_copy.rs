//! A copy of the files in a directory of its own, in which patches are applied and a check is run. The working tree stays as it is.

use review_gate::donefile::CheckSpec;
use review_gate::evidence::{OutputReader, TestList};
use review_gate::review::subject::Subject;
use review_gate::snapshot::What;
use review_gate::snapshot::changes::Change;
use review_gate::snapshot::old_bytes::{self, OldBytes};
use review_gate::store::state::State;
use review_gate::sys::clock::Time;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::{cut_end, one_line, plain};
use serde_json::Value;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The most bytes that are copied.
const MOST: u64 = 512 << 20;

/// How much of a check's output is kept, in bytes.
const OUTPUT: usize = 1 << 20;

/// The time that is kept free after a check.
const MARGIN: Duration = Duration::from_secs(20);

/// How long a patch may take.
const PATCH: Duration = Duration::from_secs(60);

/// The copy. It is removed when this is dropped.
pub struct ScratchCopy {
    dir: TempDir,
    /// The root below the top.
    below: PathBuf,
}

/// A file that a patch changed.
pub struct PatchedFile {
    /// Relative to the top.
    pub path: String,
    /// How many lines it removes.
    pub removed: u64,
    /// Whether it does anything beside adding and removing lines: a name, a mode, a removed file.
    pub is_odd: bool,
}

/// How a check ended.
pub struct CheckRun {
    /// Whether it passed.
    pub passed: bool,
    /// How it ended, for a message.
    pub how: String,
    /// The end of its output.
    pub output: String,
    /// The tests that the output names; None if it does not name each.
    pub tests: Option<TestList>,
}

impl ScratchCopy {
    /// Copies the files of the last look.
    pub fn of(subject: &Subject) -> Result<ScratchCopy> {
        ScratchCopy::without(subject, &[])
    }

    /// The same, with these changed files as they were at the base.
    pub fn at_base(subject: &Subject, state: &State, changes: &[Change]) -> Result<ScratchCopy> {
        let copy = ScratchCopy::without(subject, changes)?;
        let mut open = Vec::new();
        let mut olds: Vec<Option<Vec<u8>>> = vec![None; changes.len()];
        let mut is_too_large = false;
        old_bytes::read(&subject.top, state, changes, |at, piece| match piece {
            OldBytes::Begin => open.clear(),
            OldBytes::Bytes(bytes) => {
                is_too_large |= open.len() + bytes.len() > MOST as usize;
                if !is_too_large {
                    open.extend_from_slice(bytes);
                }
            }
            OldBytes::End => olds[at] = Some(std::mem::take(&mut open)),
            OldBytes::Lost { .. } => {}
        })?;
        for (change, old) in changes.iter().zip(olds) {
            let Some(then) = &change.then else { continue };
            let Some(old) = old.filter(|_| then.what.is_file() && !is_too_large) else {
                let what = format!("the content of {} at the base is not known", change.path.display());
                return Err(Error::unverified(what));
            };
            let to = copy.top().join(&change.path);
            let mode = if then.what == What::Executable { 0o755 } else { 0o644 };
            let written = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| files::create_new(&to, mode));
            let written = written.and_then(|mut file| io::Write::write_all(&mut file, &old));
            written.map_err(|e| Error::io("write", &to, &e))?;
        }
        Ok(copy)
    }

    fn without(subject: &Subject, left_out: &[Change]) -> Result<ScratchCopy> {
        let dir = tempfile::tempdir().map_err(|e| Error::io("create a directory in", &std::env::temp_dir(), &e))?;
        let below = subject.root.strip_prefix(&subject.top).unwrap_or(Path::new("")).to_path_buf();
        let copy = ScratchCopy { dir, below };
        let mut bytes = 0;
        for file in subject.now.files.iter().filter(|file| !left_out.iter().any(|change| change.path == file.path)) {
            let (from, to) = (subject.top.join(&file.path), copy.top().join(&file.path));
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(|e| Error::io("create", parent, &e))?;
            }
            let copied = match file.entry.what {
                What::Link => fs::read_link(&from).and_then(|target| symlink(target, &to)),
                what if what.is_file() => copy_file(&from, &to, what).map(|count| bytes += count),
                _ => continue,
            };
            copied.map_err(|e| Error::io("copy", &from, &e))?;
            if bytes > MOST {
                return Err(Error::unverified(format!("the files are larger than {} MiB", MOST >> 20)));
            }
        }
        let root = copy.root();
        fs::create_dir_all(&root).map_err(|e| Error::io("create", &root, &e))?;
        Ok(copy)
    }

    /// The top of the copy.
    pub fn top(&self) -> PathBuf {
        self.dir.path().join("tree")
    }

    /// The root in the copy.
    pub fn root(&self) -> PathBuf {
        self.top().join(&self.below)
    }

    /// Applies a patch with rg-patch. Errors: it was refused, with the first reason.
    pub fn apply(&self, patch: &str) -> Result<Vec<PatchedFile>> {
        apply(patch, &self.top(), Some(&self.dir.path().join("state")))
    }

    /// What changes if anybody writes or replaces a file of the copy, and cannot be put back.
    pub fn stamp(path: &Path) -> Option<[i64; 4]> {
        let meta = fs::symlink_metadata(path).ok().filter(|meta| meta.is_file())?;
        Some([meta.dev() as i64, meta.ino() as i64, meta.ctime(), meta.ctime_nsec()])
    }

    /// Runs a check in the copy.
    pub fn run(&self, check: &CheckSpec, until: Option<Time>) -> Result<CheckRun> {
        let dir = self.root().join(check.cwd.as_deref().unwrap_or(""));
        let (program, args) = check.shell.split_first().ok_or_else(|| Error::usage("the shell is empty"))?;
        let mut command = Command::new(program);
        command.args(args).arg(&check.run).current_dir(&dir).envs(&check.env);
        let own = Duration::from_secs_f64(check.timeout);
        let left = until.map_or(own, |until| until.remaining().saturating_sub(MARGIN)).min(own);
        if left.is_zero() {
            return Err(Error::deadline("no time left for a check"));
        }
        let mut tail: Vec<u8> = Vec::new();
        let mut reader = OutputReader::default();
        let ended = process::run(command, left, |bytes| {
            reader.take(bytes);
            tail.extend_from_slice(bytes);
            if tail.len() > 2 * OUTPUT {
                tail.drain(..tail.len() - OUTPUT);
            }
        })?;
        let Some(status) = ended.status else {
            return Err(Error::deadline(format!("check \"{}\" did not end in time", check.name)));
        };
        let how = review_gate::sys::signal::how_it_ended(status);
        let tests = reader.finish(|| tail.clone()).and_then(|evidence| evidence.tests);
        Ok(CheckRun { passed: status.success() && !ended.has_survivors, how, output: plain(&tail), tests })
    }
}

/// Copies a regular file, and returns its length.
fn copy_file(from: &Path, to: &Path, what: What) -> io::Result<u64> {
    let mode = if what == What::Executable { 0o755 } else { 0o644 };
    io::copy(&mut files::open_nofollow(from)?, &mut files::create_new(to, mode)?)
}

/// Applies a patch below `top`; with `state`, as if nothing was recorded elsewhere.
pub fn apply(patch: &str, top: &Path, state: Option<&Path>) -> Result<Vec<PatchedFile>> {
    let place = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
    let mut command = Command::new(place.join("rg-patch"));
    command.arg("--json").current_dir(top).envs(env::own_variables());
    if let Some(state) = state {
        command.env("RG_STATE", state);
    }
    let output = process::output_with_input(command, patch.as_bytes().to_vec(), PATCH, OUTPUT)?;
    if !output.success() {
        let text = plain(&output.stdout) + &plain(&output.stderr);
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let first = lines.map(one_line).next().unwrap_or_else(|| output.how_it_ended());
        return Err(Error::child(format!("rg-patch refused it: {}", cut_end(&first, 300))));
    }
    let text = plain(&output.stdout);
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let file = |row: Value| {
        let change = row["change"].as_str().unwrap_or("");
        Some(PatchedFile {
            path: row["path"].as_str()?.to_string(),
            removed: row["removed"].as_u64().unwrap_or(u64::MAX),
            is_odd: !matches!(change, "added" | "changed")
                || !row["from"].is_null()
                || !row["mode"].is_null() && change != "added",
        })
    };
    Ok(rows.filter_map(file).collect())
}
