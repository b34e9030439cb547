//! The state directory, which holds all records and receipts. Manual: review-gate-state(5).

use crate::event::{Client, Event};
use crate::git::Repository;
use crate::store::journal;
use crate::store::journal::JournalPath;
use crate::store::record::{JournalKind, NewRecord, Notice};
use crate::sys::clock;
use crate::sys::digest;
use crate::sys::env;
use crate::sys::error::{Error, ErrorKind, Result};
use crate::sys::files;
use crate::sys::ids;
use crate::sys::limits;
use crate::sys::lock::{self, Lock};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long a writer waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The state directory of one repository. A `State` is only a path; the first writer creates the directory.
#[derive(Clone, Debug)]
pub struct State {
    dir: PathBuf,
}

impl State {
    /// The state directory of the repository at `path`, or of the directory itself outside a repository: `$RG_STATE`, else
    /// `$XDG_STATE_HOME/review-gate/<name>`. Errors: there is no home directory (111), or a variable is a relative path (100).
    pub fn of(path: &Path) -> Result<State> {
        State::named_after(|| Repository::find(path).map_or_else(|| path.to_path_buf(), |found| found.common_dir))
    }

    /// The state directory of a repository, which may be bare.
    pub fn of_repository(repository: &Repository) -> Result<State> {
        State::named_after(|| repository.common_dir.clone())
    }

    fn named_after(dir: impl FnOnce() -> PathBuf) -> Result<State> {
        match env::state_override()? {
            Some(dir) => Ok(State { dir }),
            None => Ok(State { dir: state_home()?.join("review-gate").join(directory_name(&dir())) }),
        }
    }

    /// The state directory of an event: the one that holds its task's records, else that of its root.
    pub fn of_event(event: &Event) -> Result<State> {
        match &event.evidence {
            Some(dir) => Ok(State { dir: dir.clone() }),
            None => State::of(&event.root),
        }
    }

    /// The user's own state directory, for records that belong to no repository: sessions and installs.
    pub fn of_user() -> Result<State> {
        if let Some(dir) = env::state_override()? {
            return Ok(State { dir });
        }
        Ok(State { dir: state_home()?.join("review-gate") })
    }

    /// The state directory at a known path.
    pub fn at(dir: PathBuf) -> State {
        State { dir }
    }

    /// Its path.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether the directory exists, so that something was written.
    pub fn exists(&self) -> bool {
        self.dir.is_dir()
    }

    /// The journal of a task.
    pub fn task(&self, task: &str) -> JournalPath {
        JournalPath::new(self.dir.join("tasks").join(format!("{}.jsonl", ids::file_name(task))), JournalKind::Task)
    }

    /// The journal of a session: how its client calls hooks, its task, and its scheduled prompts. It is in the user's state
    /// directory, so that the session's task is found even if the repository is gone.
    pub fn session(&self, client: Client, session: &str) -> JournalPath {
        JournalPath::new(
            self.sessions().join(format!("{}.jsonl", ids::file_name(&format!("{client}-{session}")))),
            JournalKind::Session,
        )
    }

    /// The directory of the sessions.
    pub fn sessions(&self) -> PathBuf {
        self.dir.join("sessions")
    }

    /// The directory of the marks about the tool calls of sessions.
    pub fn calls(&self) -> PathBuf {
        self.dir.join("calls")
    }

    /// The notices for the user, shown and not yet shown.
    pub fn notices(&self) -> JournalPath {
        JournalPath::new(self.dir.join("notices.jsonl"), JournalKind::Notices)
    }

    /// The runs of the checks of one root. Their lock and logs are in the same directory.
    pub fn checks(&self, root: &Path) -> JournalPath {
        JournalPath::new(self.dir.join("checks").join(format!("{}.jsonl", directory_name(root))), JournalKind::Checks)
    }

    /// The stat cache of a working tree. It is always safe to delete.
    pub fn stat_cache(&self, top: &Path) -> PathBuf {
        self.dir.join("cache").join(format!("{}.stat", directory_name(top)))
    }

    /// The journal of a patch that is being applied in the working tree at `top`.
    pub fn patch_journal(&self, top: &Path) -> PathBuf {
        self.dir.join("patch").join(format!("{}.json", directory_name(top)))
    }

    /// The handover of the work tree at `top` from one judge to the next.
    pub fn handover(&self, top: &Path) -> PathBuf {
        self.dir.join("cache").join(format!("{}.handover", directory_name(top)))
    }

    /// The index of a talk directory. It is always safe to delete.
    pub fn talk_index(&self, talk: &Path) -> PathBuf {
        self.dir.join("cache").join(format!("{}.talk", directory_name(talk)))
    }

    /// The worktrees that were created and removed.
    pub fn worktrees(&self) -> JournalPath {
        JournalPath::new(self.dir.join("worktrees.jsonl"), JournalKind::Worktrees)
    }

    /// The directory of the receipts.
    pub fn receipts(&self) -> PathBuf {
        self.dir.join("receipts")
    }

    /// The models that were asked.
    pub fn asks(&self) -> JournalPath {
        JournalPath::new(self.dir.join("asks.jsonl"), JournalKind::Asks)
    }

    /// The commits that landed.
    pub fn land(&self) -> JournalPath {
        JournalPath::new(self.dir.join("land.jsonl"), JournalKind::Land)
    }

    /// The runs of agents.
    pub fn runs(&self) -> JournalPath {
        JournalPath::new(self.dir.join("runs.jsonl"), JournalKind::Runs)
    }

    /// The lock of the run that works in `root`.
    pub fn run_lock(&self, root: &Path) -> PathBuf {
        self.dir.join("runs").join(format!("{}.lock", directory_name(root)))
    }

    /// The lock that a run holds while it starts a turn.
    pub fn turn_lock(&self) -> PathBuf {
        self.dir.join("runs").join("turn.lock")
    }

    /// Whether loops are off in the repository.
    pub fn loops(&self) -> JournalPath {
        JournalPath::new(self.dir.join("loops.jsonl"), JournalKind::Loops)
    }

    /// The ids of the tasks, unordered.
    pub fn task_ids(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.join("tasks")).into_iter().flatten().flatten();
        let name = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(".jsonl")?.to_string());
        entries.filter_map(name).collect()
    }

    /// The trace of a session.
    pub fn trace(&self, session: &str) -> JournalPath {
        JournalPath::new(self.dir.join("trace").join(format!("{}.jsonl", ids::file_name(session))), JournalKind::Trace)
    }

    /// The file of a receipt.
    pub fn receipt(&self, id: &str) -> PathBuf {
        self.dir.join("receipts").join(format!("{}.json", ids::file_name(id)))
    }

    /// Creates the directory of `path` with mode 0700 if it is missing.
    pub fn make_parent(&self, path: &Path) -> Result<()> {
        let parent = path.parent().unwrap_or(&self.dir);
        DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(|e| Error::io("make", parent, &e))
    }

    /// Takes the lock that every writer of a journal holds. Waits at most one second.
    pub fn lock(&self) -> Result<Lock> {
        let path = self.dir.join("lock");
        self.make_parent(&path)?;
        lock::take(&path, LOCK_TIMEOUT)
    }

    /// Appends one record to a journal under the lock and returns its id.
    pub fn append(&self, journal: &JournalPath, by_tool: &str, draft: impl Into<NewRecord>) -> Result<String> {
        let _lock = self.lock()?;
        self.append_locked(journal, by_tool, draft)
    }

    /// Appends one record to a journal; the caller holds the lock.
    pub fn append_locked(&self, journal: &JournalPath, by_tool: &str, draft: impl Into<NewRecord>) -> Result<String> {
        self.make_parent(journal)?;
        journal::append(journal, by_tool, draft)
    }

    /// Appends one record, without the lock if the lock is not available. For records that are only copies.
    pub fn append_best_effort(
        &self,
        journal: &JournalPath,
        by_tool: &str,
        draft: impl Into<NewRecord>,
    ) -> Result<String> {
        self.make_parent(journal)?;
        match self.lock() {
            Ok(_lock) => journal::append(journal, by_tool, draft),
            Err(_) => journal::append_unlocked(journal, by_tool, draft),
        }
    }

    /// Records a notice for the user, which the next session-start shows.
    pub fn notice(&self, by_tool: &str, task: Option<&str>, text: &str, receipt: Option<&str>) -> Result<String> {
        let (task, text, receipt) = (task.map(str::to_string), text.to_string(), receipt.map(str::to_string));
        self.append(&self.notices(), by_tool, Notice { task, text, receipt })
    }

    /// Stores bytes under their digest, and returns the digest.
    pub fn keep_blob(&self, bytes: &[u8]) -> Result<String> {
        let name = digest::sha256(bytes);
        if self.read_blob(&name).is_err() {
            self.write_whole(&self.blob(&name), bytes, false)?;
        }
        Ok(name)
    }

    /// Reads a blob. Error 111 if it is missing, unreadable or altered.
    pub fn read_blob(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.blob(name);
        let file = files::open(&path)?.ok_or_else(|| Error::io("read", &path, &io::ErrorKind::NotFound.into()))?;
        // A blob that is read is still needed, so its age starts again. A failure here can be ignored.
        let _ = file.set_modified(clock::file_now());
        let bytes = files::read_opened(&file, &path, limits::BLOB)?;
        if digest::sha256(&bytes) != name {
            return Err(Error::damaged(&path, format!("{} does not match its digest", path.display())));
        }
        Ok(bytes)
    }

    /// The secret of this state directory. The first call creates it.
    pub fn secret(&self) -> Result<Vec<u8>> {
        let path = self.dir.join("secret");
        if let Some(bytes) = files::try_read(&path, 1 << 16).map(|bytes| bytes.trim_ascii().to_vec())
            && !bytes.is_empty()
        {
            return Ok(bytes);
        }
        let _lock = self.lock()?;
        match files::try_read(&path, 1 << 16) {
            Some(bytes) if !bytes.is_empty() => Ok(bytes.trim_ascii().to_vec()),
            _ => {
                let secret = format!("{}{}", ids::ulid(&["secret"]), ids::ulid(&["secret", "more"]));
                self.write_whole(&path, secret.as_bytes(), false)?;
                Ok(secret.into_bytes())
            }
        }
    }

    /// The file of a blob.
    pub fn blob(&self, name: &str) -> PathBuf {
        self.dir.join("blobs").join(ids::file_name(name))
    }

    /// Writes a whole file under a temporary name, then renames it. With `durable`, its bytes and its name are on disk before this
    /// returns.
    pub fn write_whole(&self, path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
        self.make_parent(path)?;
        files::write_whole(path, bytes, durable)
    }
}

/// The files of a directory with their modification times, the oldest first. Empty if there is no such directory.
pub fn files_by_age(dir: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path()))).collect();
    files.sort();
    files
}

fn state_home() -> Result<PathBuf> {
    match env::state_home() {
        Some(home) => Ok(home),
        None => env::require_home("no state directory").map_err(|error| match error.kind() {
            ErrorKind::Missing => error
                .with_text("no state directory: RG_STATE, XDG_STATE_HOME and HOME are not set. Set HOME or RG_STATE"),
            _ => error,
        }),
    }
}

/// A directory's name in the state directory: the letters, digits, `-` and `_` of its base name, and 12 digits of the digest of its
/// real path.
fn directory_name(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    // Every repository has a `.git`, so the name comes from the directory that holds it.
    let named = if real.ends_with(".git") { real.parent().unwrap_or(&real) } else { &real };
    let base = named.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let base: String = base.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(40).collect();
    let digest = digest::sha256(real.as_os_str().as_bytes());
    let base = if base.is_empty() { "root".to_string() } else { base };
    format!("{base}-{}", &digest[..12])
}
