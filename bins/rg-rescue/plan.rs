//! Plans a restore: what to write, what to remove, and what to skip and why.

use review_gate::git::{ObjectId, TreeFile};
use review_gate::rescue::{FileSet, Kind, Metadata, is_below, is_git_internal};
use review_gate::snapshot::{RecordedIgnores, Stat, is_talk};
use review_gate::sys::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The named paths; empty: all.
pub struct Scope(Vec<PathBuf>);

impl Scope {
    /// Resolves paths relative to `dir` into paths below the top.
    pub fn of(top: &Path, dir: &Path, paths: &[PathBuf]) -> Result<Scope> {
        let mut below = Vec::new();
        for path in paths {
            let whole = lexical(&dir.join(path));
            let real =
                || std::fs::canonicalize(whole.parent()?).ok()?.strip_prefix(top).ok()?.join(whole.file_name()?).into();
            let found = whole.strip_prefix(top).ok().map(Path::to_path_buf).or_else(real);
            let found = found.ok_or_else(|| {
                Error::usage(format!("{} is outside of the worktree {}", path.display(), top.display()))
            })?;
            if is_git_internal(&found) {
                return Err(Error::usage(format!("{} belongs to git", path.display())));
            }
            below.push(found);
        }
        // The top means everything.
        let whole = below.iter().any(|path| path.as_os_str().is_empty());
        Ok(Scope(if whole { Vec::new() } else { below }))
    }

    /// Whether no path is named, so that everything is restored.
    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// The named paths.
    pub fn paths(&self) -> &[PathBuf] {
        &self.0
    }

    /// Whether a path is one of them or below one.
    pub fn holds(&self, path: &Path) -> bool {
        self.0.is_empty() || self.0.iter().any(|named| path.starts_with(named))
    }
}

/// Resolves `.` and `..` without reading the file system.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            step => out.push(step),
        }
    }
    out
}

/// One file to write.
pub struct FileWrite {
    pub path: PathBuf,
    pub id: ObjectId,
    pub is_link: bool,
    pub mode: u32,
    /// The state of the file there now, as the backup before the restore found it.
    pub over: Option<Stat>,
}

/// The steps of a restore, in this order.
#[derive(Default)]
pub struct Plan {
    /// Files to remove, each in the state in which it was backed up.
    pub removals: Vec<(PathBuf, Stat)>,
    /// Directories to remove if they are empty, the deepest first.
    pub empty_dirs: Vec<PathBuf>,
    /// Files to write.
    pub writes: Vec<FileWrite>,
    /// Directories to make, with their permissions.
    pub dirs: BTreeMap<PathBuf, u32>,
    /// Logs of messages and issues, which get the lines of the backup that they lack: what others wrote since stays.
    pub logs: Vec<(PathBuf, ObjectId)>,
    /// What is not restored, and why.
    pub skipped: Vec<String>,
}

/// The contents of a backup.
pub struct Contents<'a> {
    pub files: &'a [TreeFile],
    pub beside: &'a Metadata,
    /// What the backup's ignore rules hide.
    pub hidden: &'a RecordedIgnores,
}

/// Every path that the restore may replace: the paths of the backup, and files in the place of their directories.
pub fn touched(top: &Path, contents: &Contents<'_>, scope: &Scope) -> Vec<PathBuf> {
    let files = contents.files.iter().filter(|file| !file.is_submodule()).map(|file| file.path.as_path());
    let odd = contents.beside.entries.iter().filter(|odd| matches!(odd.kind, Kind::Absent | Kind::Directory));
    let mut all: BTreeSet<PathBuf> = BTreeSet::new();
    for path in files.chain(odd.filter(|odd| !top.join(&odd.path).is_dir()).map(|odd| odd.path.as_path())) {
        if !scope.holds(path) || is_git_internal(path) || !is_below(path) {
            continue;
        }
        all.insert(path.to_path_buf());
        let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        for above in above.take_while(|above| !all.contains(*above)).map(Path::to_path_buf).collect::<Vec<_>>() {
            let meta = std::fs::symlink_metadata(top.join(&above));
            if meta.is_ok_and(|meta| !meta.is_dir()) {
                all.insert(above);
            }
        }
    }
    all.into_iter().collect()
}

/// Compares a backup with the current files: `held` is the backup that was just taken of those.
pub fn make(contents: &Contents<'_>, held: &FileSet, scope: &Scope) -> Plan {
    let mut plan = Plan::default();
    let now: HashMap<&Path, (u32, ObjectId, Stat)> = held
        .entries
        .iter()
        .zip(&held.stats)
        .map(|(entry, stat)| (entry.path.as_path(), (entry.mode, entry.id, *stat)))
        .collect();
    let odd: HashMap<&Path, u32> = contents.beside.of(Kind::File).map(|odd| (odd.path.as_path(), odd.mode)).collect();
    let blocked: BTreeSet<&Path> = held.metadata.not_copied().map(|odd| odd.path.as_path()).collect();
    // Paths that must be directories.
    let mut above: BTreeSet<&Path> = BTreeSet::new();
    let mut files: BTreeSet<&[u8]> = BTreeSet::new();
    for file in contents.files.iter().filter(|file| scope.holds(&file.path)) {
        files.insert(file.path.as_os_str().as_bytes());
        above.extend(file.path.ancestors().skip(1));
        if file.is_submodule() {
            if !blocked.contains(file.path.as_path()) {
                plan.skipped.push(format!("{}: another repository is not in the backup", file.path.display()));
            }
            continue;
        }
        if let Some(by) = file.path.ancestors().find(|above| blocked.contains(above)) {
            plan.skipped.push(format!("{}: {} cannot be backed up first", file.path.display(), by.display()));
            continue;
        }
        if is_talk(&file.path) && file.is_regular() {
            plan.logs.push((file.path.clone(), file.id));
            continue;
        }
        let link = file.mode == 0o120000;
        let usual = contents.beside.usual[usize::from(file.mode == 0o100755)];
        let mode = odd.get(file.path.as_path()).copied().unwrap_or(usual);
        let there = now.get(file.path.as_path());
        let same = |(kind, id, stat): &(u32, ObjectId, Stat)| {
            (*kind == 0o120000) == link && *id == file.id && (link || stat.mode & 0o7777 == mode)
        };
        if !there.is_some_and(same) {
            let over = there.map(|(_, _, stat)| *stat);
            plan.writes.push(FileWrite { path: file.path.clone(), id: file.id, is_link: link, mode, over });
        }
    }
    for odd in contents.beside.of(Kind::Directory).filter(|odd| scope.holds(&odd.path)) {
        plan.dirs.insert(odd.path.clone(), odd.mode);
        above.extend(odd.path.ancestors());
    }
    // An existing directory gets the permissions of the backup.
    let usual = contents.beside.usual[2];
    let noted: HashMap<&Path, u32> =
        held.metadata.of(Kind::Directory).map(|odd| (odd.path.as_path(), odd.mode)).collect();
    let is_otherwise = |dir: &&PathBuf| *noted.get(dir.as_path()).unwrap_or(&held.metadata.usual[2]) != usual;
    for dir in held.dirs.iter().filter(|dir| above.contains(dir.as_path()) && scope.holds(dir)).filter(is_otherwise) {
        plan.dirs.entry(dir.clone()).or_insert(usual);
    }
    let absent: BTreeSet<&Path> = contents.beside.of(Kind::Absent).map(|odd| odd.path.as_path()).collect();
    let in_the_way = |path: &Path| path.ancestors().skip(1).any(|over| files.contains(over.as_os_str().as_bytes()));
    for (entry, stat) in held.entries.iter().zip(&held.stats).filter(|(entry, _)| entry.mode != 0o160000) {
        let path = entry.path.as_path();
        let stays = files.contains(path.as_os_str().as_bytes());
        // Remove a file in the place of a directory, and a file that the backup did not have unless the backup's ignore rules hide it.
        let goes = above.contains(path)
            || in_the_way(path)
            || scope.holds(path) && (absent.contains(path) || !contents.hidden.hides(path, false));
        if !stays && goes && !is_talk(path) {
            plan.removals.push((path.to_path_buf(), *stat));
        }
    }
    let mut emptied: Vec<PathBuf> = held
        .dirs
        .iter()
        .filter(|dir| !above.contains(dir.as_path()) && (scope.holds(dir) || in_the_way(dir)))
        .filter(|dir| {
            !contents.hidden.hides(dir, true) || in_the_way(dir) || files.contains(dir.as_os_str().as_bytes())
        })
        .cloned()
        .collect();
    emptied.sort_by_key(|dir| std::cmp::Reverse(dir.components().count()));
    plan.empty_dirs = emptied;
    plan
}
