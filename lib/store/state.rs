//! The state directory: where the evidence lies. Manual: review-gate-state(5).

use crate::event::{Client, Event};
use crate::git::Repository;
use crate::store::journal;
use crate::store::journal::JournalPath;
use crate::store::record::{JournalKind, NewRecord, Notice};
use crate::sys::clock;
use crate::sys::digest;
use crate::sys::env;
use crate::sys::error::{Error, Result};
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
const PATIENCE: Duration = Duration::from_secs(1);

/// One repository's state directory. Making one touches nothing; directories are made by the first writer.
#[derive(Clone, Debug)]
pub struct State {
    dir: PathBuf,
}

impl State {
    /// The state directory of the repository (or, outside of one, the directory) at `path`: `$RG_STATE`, else
    /// `$XDG_STATE_HOME/review-gate/<name>`. Without a home directory there is none: 111.
    pub fn of(path: &Path) -> Result<State> {
        State::named_after(|| Repository::find(path).map_or_else(|| path.to_path_buf(), |found| found.common_dir))
    }

    /// That of a repository which is known already, be it bare.
    pub fn of_repository(repository: &Repository) -> Result<State> {
        State::named_after(|| repository.common_dir.clone())
    }

    fn named_after(dir: impl FnOnce() -> PathBuf) -> Result<State> {
        match env::state_override() {
            Some(dir) => Ok(State { dir }),
            None => Ok(State { dir: state_home()?.join("review-gate").join(directory_name(&dir())) }),
        }
    }

    /// The state directory of an event: where its task's records lie, else that of its root.
    pub fn of_event(event: &Event) -> Result<State> {
        match &event.evidence {
            Some(dir) => Ok(State { dir: dir.clone() }),
            None => State::of(&event.root),
        }
    }

    /// The user's own state directory, for what belongs to no repository: sessions, installs.
    pub fn of_user() -> Result<State> {
        if let Some(dir) = env::state_override() {
            return Ok(State { dir });
        }
        Ok(State { dir: state_home()?.join("review-gate") })
    }

    /// A state directory whose place is known.
    pub fn at(dir: PathBuf) -> State {
        State { dir }
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether anything was ever written.
    pub fn exists(&self) -> bool {
        self.dir.is_dir()
    }

    /// The journal of a task.
    pub fn task(&self, task: &str) -> JournalPath {
        JournalPath::new(self.dir.join("tasks").join(format!("{}.jsonl", ids::file_name(task))), JournalKind::Task)
    }

    /// What is known of a session: how its client calls, which task it is at, what it scheduled. One small file each, in
    /// the user's state directory: whatever happens to a repository, the session's task is found.
    pub fn session(&self, client: Client, session: &str) -> JournalPath {
        JournalPath::new(
            self.sessions().join(format!("{}.jsonl", ids::file_name(&format!("{client}-{session}")))),
            JournalKind::Session,
        )
    }

    /// Where the sessions are.
    pub fn sessions(&self) -> PathBuf {
        self.dir.join("sessions")
    }

    /// What a person was, or is yet to be, told.
    pub fn notices(&self) -> JournalPath {
        JournalPath::new(self.dir.join("notices.jsonl"), JournalKind::Notices)
    }

    /// The runs of checks over one root, and beside it their lock and logs.
    pub fn checks(&self, root: &Path) -> JournalPath {
        JournalPath::new(self.dir.join("checks").join(format!("{}.jsonl", directory_name(root))), JournalKind::Checks)
    }

    /// What the files of a work tree held when they were last read; always safe to delete.
    pub fn stat_cache(&self, top: &Path) -> PathBuf {
        self.dir.join("cache").join(format!("{}.stat", directory_name(top)))
    }

    /// The worktrees that were made and removed.
    pub fn worktrees(&self) -> JournalPath {
        JournalPath::new(self.dir.join("worktrees.jsonl"), JournalKind::Worktrees)
    }

    /// The receipts.
    pub fn receipts(&self) -> PathBuf {
        self.dir.join("receipts")
    }

    /// The models that were asked.
    pub fn asks(&self) -> JournalPath {
        JournalPath::new(self.dir.join("asks.jsonl"), JournalKind::Asks)
    }

    /// What landed.
    pub fn land(&self) -> JournalPath {
        JournalPath::new(self.dir.join("land.jsonl"), JournalKind::Land)
    }

    /// Whether loops are off in the repository.
    pub fn loops(&self) -> JournalPath {
        JournalPath::new(self.dir.join("loops.jsonl"), JournalKind::Loops)
    }

    /// The ids of the tasks, in no order.
    pub fn task_ids(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.join("tasks")).into_iter().flatten().flatten();
        let name = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(".jsonl")?.to_string());
        entries.filter_map(name).collect()
    }

    /// The trace of a session.
    pub fn trace(&self, session: &str) -> JournalPath {
        JournalPath::new(self.dir.join("trace").join(format!("{}.jsonl", ids::file_name(session))), JournalKind::Trace)
    }

    /// A receipt.
    pub fn receipt(&self, id: &str) -> PathBuf {
        self.dir.join("receipts").join(format!("{}.json", ids::file_name(id)))
    }

    /// The directory that holds `path`, made with mode 0700 where it is missing.
    pub fn make_parent(&self, path: &Path) -> Result<()> {
        let parent = path.parent().unwrap_or(&self.dir);
        DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(|e| Error::io("make", parent, &e))
    }

    /// The lock under which every journal here is written; waited for at most a second.
    pub fn lock(&self) -> Result<Lock> {
        let path = self.dir.join("lock");
        self.make_parent(&path)?;
        lock::take(&path, PATIENCE)
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

    /// Appends one record, without the lock if it cannot be had: for records that are copies, not evidence.
    pub fn append_anyway(&self, journal: &JournalPath, by_tool: &str, draft: impl Into<NewRecord>) -> Result<String> {
        self.make_parent(journal)?;
        match self.lock() {
            Ok(_lock) => journal::append(journal, by_tool, draft),
            Err(_) => journal::append_unlocked(journal, by_tool, draft),
        }
    }

    /// Leaves a notice for the user; shown at the next session-start.
    pub fn notice(&self, by_tool: &str, task: Option<&str>, text: &str, receipt: Option<&str>) -> Result<String> {
        let (task, text, receipt) = (task.map(str::to_string), text.to_string(), receipt.map(str::to_string));
        self.append(&self.notices(), by_tool, Notice { task, text, receipt })
    }

    /// Keeps bytes under their digest, and returns it.
    pub fn keep_blob(&self, bytes: &[u8]) -> Result<String> {
        let name = digest::sha256(bytes);
        if self.read_blob(&name).is_err() {
            self.write_whole(&self.blob(&name), bytes, false)?;
        }
        Ok(name)
    }

    /// Bytes that were kept. Gone, unreadable or altered: 111.
    pub fn read_blob(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.blob(name);
        let file = files::open(&path)?.ok_or_else(|| Error::io("read", &path, &io::ErrorKind::NotFound.into()))?;
        // Whoever asks for it needs it: it is young again. That this cannot be noted harms nobody now.
        let _ = file.set_modified(clock::file_now());
        let bytes = files::read_opened(&file, &path, limits::BLOB)?;
        if digest::sha256(&bytes) != name {
            return Err(Error::damaged(&path, format!("{} is not what was kept there", path.display())));
        }
        Ok(bytes)
    }

    /// Bytes that only this state directory knows; made when they are first asked for.
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

    /// Where bytes of that digest are kept.
    pub fn blob(&self, name: &str) -> PathBuf {
        self.dir.join("blobs").join(ids::file_name(name))
    }

    /// Writes a file whole: to a temporary name beside it, then renamed. With `durable` the bytes and the name are on
    /// disk before this returns.
    pub fn write_whole(&self, path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
        self.make_parent(path)?;
        files::write_whole(path, bytes, durable)
    }
}

/// The files of a directory with when they were written, oldest first; none where there is no such directory.
pub fn by_age(dir: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path()))).collect();
    files.sort();
    files
}

/// Old files of a directory go: those that are neither among the last `keep` by name nor younger than `age`. One that cannot
/// be removed is kept.
pub fn prune(dir: &Path, keep: usize, age: Duration) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let beyond = paths.len().saturating_sub(keep);
    for path in paths.into_iter().take(beyond) {
        let modified = fs::metadata(&path).and_then(|meta| meta.modified());
        if modified.is_ok_and(|at| clock::age(at) >= age) {
            let _ = fs::remove_file(path);
        }
    }
}

fn state_home() -> Result<PathBuf> {
    env::state_home()
        .ok_or_else(|| Error::missing("no state directory: neither RG_STATE, XDG_STATE_HOME nor HOME is set"))
}

/// A directory's name in the state directory: its base name, made plain, and 12 digits of the digest of its real path.
fn directory_name(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    // `.git` says nothing: the repository is known by the directory that holds it.
    let named = if real.ends_with(".git") { real.parent().unwrap_or(&real) } else { &real };
    let base = named.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let base: String = base.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(40).collect();
    let digest = digest::sha256(real.as_os_str().as_bytes());
    let base = if base.is_empty() { "root".to_string() } else { base };
    format!("{base}-{}", &digest[..12])
}
