//! The copy of the work tree in which the experiments run: all files, also ignored ones, and a repository of its own.

use crate::plan::{Changed, Content, Plan};
use review_gate::git::Repository;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::lock::{self, Lock};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use walkdir::WalkDir;

/// The most entries of a work tree that is copied.
const ENTRIES: usize = 1_000_000;

/// The most bytes of a work tree that is copied.
const BYTES: u64 = 16 << 30;

/// The directory that a signal removes.
static PLACE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The copy. It is removed when it is dropped.
pub struct Copy {
    /// The top of its work tree.
    pub top: PathBuf,
    /// Its root.
    pub root: PathBuf,
    /// The state directory of the programs that run in it.
    pub state: PathBuf,
    place: PathBuf,
    _turn: Lock,
}

impl Copy {
    /// Copies the work tree. What a killed run left is removed first.
    pub fn make(plan: &Plan) -> Result<Copy> {
        let dir = plan.state.dir().join("prove");
        let held = dir.join("lock");
        plan.state.make_parent(&held)?;
        let mut turn = lock::take(&held, Duration::ZERO)
            .map_err(|error| Error::refused(format!("another rg-prove runs in this repository: {error}")))?;
        turn.sign();
        let place = dir.join("copy");
        remove(&place);
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = Some(place.clone());
        // From here on, dropping it removes what was made.
        let mut copy =
            Copy { top: place.join("tree"), root: PathBuf::new(), state: place.join("state"), place, _turn: turn };
        let below = plan.root.strip_prefix(&plan.repository.top).unwrap_or(Path::new(""));
        copy.root = if below.as_os_str().is_empty() { copy.top.clone() } else { copy.top.join(below) };
        let make = |dir: &Path| fs::create_dir_all(dir).map_err(|e| Error::io("create", dir, &e));
        make(&copy.state)?;
        make(&copy.top)?;
        copy_tree(&plan.repository.top, &copy.top)?;
        copy.make_repository(&plan.repository)?;
        Ok(copy)
    }

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

    /// Makes a changed file the old one, or the new one.
    pub fn put(&self, changed: &Changed, content: Option<&Content>) -> Result<()> {
        self.put_bytes(&changed.path, content.map(|content| (content.bytes.as_slice(), content.is_executable)))
    }

    /// Replaces a file; None removes it.
    pub fn put_bytes(&self, path: &Path, content: Option<(&[u8], bool)>) -> Result<()> {
        let path = self.top.join(path);
        let failed = |e: &io::Error| Error::io("write", &path, e);
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(&path).map_err(|e| failed(&e))?,
            Ok(_) => fs::remove_file(&path).map_err(|e| failed(&e))?,
            Err(_) => {}
        }
        let Some((bytes, is_executable)) = content else { return Ok(()) };
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(|e| failed(&e))?;
        }
        let mut file = files::create_new(&path, if is_executable { 0o777 } else { 0o666 }).map_err(|e| failed(&e))?;
        file.write_all(bytes).map_err(|e| failed(&e))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        remove(&self.place);
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Removes the copy before a signal ends this process.
pub fn remove_on_signal() {
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
