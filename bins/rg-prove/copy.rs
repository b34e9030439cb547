//! Copies of the work tree in which the experiments run: all files, also ignored ones, and a repository of its own.

use crate::change::Content;
use crate::plan::Plan;
use review_gate::git::Repository;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::lock::{self, Lock};
use review_gate::sys::{ending, process};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use walkdir::WalkDir;

/// The most entries of a work tree that is copied.
const ENTRIES: usize = 1_000_000;

/// The most bytes of a work tree that is copied.
const BYTES: u64 = 16 << 30;

/// The directory that a signal removes.
static PLACE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The directory of the copies. It is removed when it is dropped.
pub struct Copies<'a> {
    plan: &'a Plan,
    place: PathBuf,
    made: Mutex<usize>,
    _turn: Lock,
}

impl Copies<'_> {
    /// Waits for no other rg-prove. What a killed run left is removed.
    pub fn new(plan: &Plan) -> Result<Copies<'_>> {
        let dir = plan.state.dir().join("prove");
        let held = dir.join("lock");
        plan.state.make_parent(&held)?;
        let mut turn = lock::take(&held, Duration::ZERO)
            .map_err(|error| Error::refused(format!("another rg-prove runs in this repository: {error}")))?;
        turn.sign();
        let place = dir.join("copy");
        remove(&place);
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = Some(place.clone());
        Ok(Copies { plan, place, made: Mutex::new(0), _turn: turn })
    }

    /// Copies the work tree.
    pub fn make(&self) -> Result<Copy> {
        let number = {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            *made += 1;
            *made
        };
        let plan = self.plan;
        let (top, state) = (self.place.join(format!("tree{number}")), self.place.join(format!("state{number}")));
        let below = plan.root.strip_prefix(&plan.repository.top).unwrap_or(Path::new(""));
        let root = if below.as_os_str().is_empty() { top.clone() } else { top.join(below) };
        for dir in [&state, &top] {
            fs::create_dir_all(dir).map_err(|e| Error::io("create", dir, &e))?;
        }
        copy_tree(&plan.repository.top, &top)?;
        let copy = Copy { top, root, state, times: BTreeMap::new() };
        copy.make_repository(&plan.repository)?;
        Ok(copy)
    }
}

impl Drop for Copies<'_> {
    fn drop(&mut self) {
        remove(&self.place);
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A copy.
pub struct Copy {
    /// The top of its work tree.
    pub top: PathBuf,
    /// Its root.
    pub root: PathBuf,
    /// The state directory of the programs that run in it.
    pub state: PathBuf,
    /// The time of each file that was replaced.
    times: BTreeMap<PathBuf, SystemTime>,
}

impl Copy {
    /// A repository with the objects, the HEAD and the index of the one that was copied.
    fn make_repository(&self, of: &Repository) -> Result<()> {
        let own = Repository::init(&self.top, of.format())?;
        let info = self.top.join(".git/objects/info");
        let line = [of.common_dir.join("objects").as_os_str().as_encoded_bytes(), b"\n"].concat();
        fs::create_dir_all(&info).map_err(|e| Error::io("create", &info, &e))?;
        files::write_new(&info.join("alternates"), &line)?;
        if let Some(head) = of.head() {
            own.git(&["update-ref", "--no-deref", "HEAD", &head])?;
            own.git(&["read-tree", "HEAD"])?;
        }
        Ok(())
    }

    /// Replaces a file; None removes it. Its time differs by a second or more from that of each earlier version, because some caches compare whole
    /// seconds.
    pub fn put(&mut self, path: &Path, content: Option<&Content>) -> Result<()> {
        let path = self.top.join(path);
        let failed = |e: &io::Error| Error::io("write", &path, e);
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(&path).map_err(|e| failed(&e))?,
            Ok(meta) => {
                if let Ok(time) = meta.modified() {
                    self.times.entry(path.clone()).or_insert(time);
                }
                fs::remove_file(&path).map_err(|e| failed(&e))?;
            }
            Err(_) => {}
        }
        let Some(Content { bytes, is_executable }) = content else { return Ok(()) };
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(|e| failed(&e))?;
        }
        let mut file = files::create_new(&path, if *is_executable { 0o777 } else { 0o666 }).map_err(|e| failed(&e))?;
        file.write_all(bytes).map_err(|e| failed(&e))?;
        let now = file.metadata().and_then(|meta| meta.modified()).map_err(|e| failed(&e))?;
        let time = self.times.get(&path).map_or(now, |last| now.max(*last + Duration::from_secs(1)));
        file.set_modified(time).map_err(|e| failed(&e))?;
        self.times.insert(path, time);
        Ok(())
    }
}

/// Prepares this process for checks in copies: a signal ends the checks and removes the copies, and no orphan of a check survives. It
/// costs as much as a whole stop that proves nothing, so it is called only if something is proved.
pub fn prepare() {
    ending::on_signal(stop);
    process::adopt_orphans();
}

/// Ends the checks and removes the copies.
fn stop() {
    process::stop_all();
    if let Ok(place) = PLACE.lock()
        && let Some(place) = place.as_ref()
    {
        remove(place);
    }
}

/// Removes a directory, also if a check took away the permission to write in it.
fn remove(place: &Path) {
    if fs::remove_dir_all(place).is_ok() || !place.exists() {
        return;
    }
    for entry in WalkDir::new(place).into_iter().flatten().filter(|entry| entry.file_type().is_dir()) {
        let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o700));
    }
    let _ = fs::remove_dir_all(place);
}

/// Copies files, links and directories, without git's own. Files keep their times, which build tools compare.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    let (mut entries, mut bytes) = (0, 0);
    let is_wanted = |entry: &walkdir::DirEntry| entry.depth() == 0 || entry.file_name() != ".git";
    for entry in WalkDir::new(from).min_depth(1).into_iter().filter_entry(is_wanted) {
        let entry = entry.map_err(|e| Error::child(format!("unable to copy the work tree: {e}")))?;
        let below = entry.path().strip_prefix(from).unwrap_or(entry.path());
        let target = to.join(below);
        let failed = |e: io::Error| Error::io("copy", entry.path(), &e);
        let kind = entry.file_type();
        if kind.is_dir() {
            fs::create_dir(&target).map_err(failed)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(entry.path()).map_err(failed)?, &target).map_err(failed)?;
        } else if kind.is_file() {
            bytes += files::copy_new(entry.path(), &target).map_err(failed)?;
        }
        entries += 1;
        if entries > ENTRIES || bytes > BYTES {
            let text =
                format!("the work tree is too large to copy: more than {ENTRIES} entries or {} GiB", BYTES >> 30);
            return Err(Error::refused(text));
        }
    }
    Ok(())
}
