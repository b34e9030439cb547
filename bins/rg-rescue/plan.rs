//! What a restore has to do: what to write, what to take away, and why something stays.

use review_gate::git::{ObjectId, TreeFile};
use review_gate::rescue::{Beside, Held, Kind, is_below, is_gits};
use review_gate::snapshot::{HiddenThen, Stat};
use review_gate::sys::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The paths that were asked for; none: all.
pub struct Scope(Vec<PathBuf>);

impl Scope {
    /// Paths as somebody in `dir` writes them, below the top.
    pub fn of(top: &Path, dir: &Path, paths: &[PathBuf]) -> Result<Scope> {
        let mut below = Vec::new();
        for path in paths {
            let whole = lexical(&dir.join(path));
            let real =
                || std::fs::canonicalize(whole.parent()?).ok()?.strip_prefix(top).ok()?.join(whole.file_name()?).into();
            let found = whole.strip_prefix(top).ok().map(Path::to_path_buf).or_else(real);
            let found =
                found.ok_or_else(|| Error::usage(format!("{} is outside of {}", path.display(), top.display())))?;
            if is_gits(&found) {
                return Err(Error::usage(format!("{} is git's own", path.display())));
            }
            below.push(found);
        }
        // The top is all of it.
        let whole = below.iter().any(|path| path.as_os_str().is_empty());
        Ok(Scope(if whole { Vec::new() } else { below }))
    }

    /// Whether it is everything.
    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// What was asked for.
    pub fn paths(&self) -> &[PathBuf] {
        &self.0
    }

    /// Whether a path is one of them, or below one.
    pub fn holds(&self, path: &Path) -> bool {
        self.0.is_empty() || self.0.iter().any(|wanted| path.starts_with(wanted))
    }
}

/// Without `.` and `..`, by its words.
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
pub struct Put {
    pub path: PathBuf,
    pub id: ObjectId,
    pub link: bool,
    pub mode: u32,
    /// What lies there now, as the copy of it was taken.
    pub over: Option<Stat>,
}

/// What is to be done, in this order.
#[derive(Default)]
pub struct Plan {
    /// Files that go, each as its copy was taken.
    pub gone: Vec<(PathBuf, Stat)>,
    /// Directories that go when they are empty, the deepest first.
    pub emptied: Vec<PathBuf>,
    pub put: Vec<Put>,
    /// Directories that must be there, with their permissions.
    pub dirs: BTreeMap<PathBuf, u32>,
    /// What is left alone, and why.
    pub left: Vec<String>,
}

/// What a copy holds.
pub struct Wanted<'a> {
    pub files: &'a [TreeFile],
    pub beside: &'a Beside,
    /// What its own ignore rules hide.
    pub hidden: &'a HiddenThen,
}

/// Every path that must be looked at before anything is done: those of the copy, and what stands in their way.
pub fn touched(top: &Path, wanted: &Wanted<'_>, scope: &Scope) -> Vec<PathBuf> {
    let files = wanted.files.iter().filter(|file| !file.is_submodule()).map(|file| file.path.as_path());
    let odd = wanted.beside.odd.iter().filter(|odd| matches!(odd.kind, Kind::Absent | Kind::Directory));
    let mut all: BTreeSet<PathBuf> = BTreeSet::new();
    for path in files.chain(odd.filter(|odd| !top.join(&odd.path).is_dir()).map(|odd| odd.path.as_path())) {
        if !scope.holds(path) || is_gits(path) || !is_below(path) {
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

/// Holds what a copy wants against what is there: `held` is the copy that was just taken of that.
pub fn make(wanted: &Wanted<'_>, held: &Held, scope: &Scope) -> Plan {
    let mut plan = Plan::default();
    let now: HashMap<&Path, (u32, ObjectId, Stat)> = held
        .entries
        .iter()
        .zip(&held.stats)
        .map(|(entry, stat)| (entry.path.as_path(), (entry.mode, entry.id, *stat)))
        .collect();
    let odd: HashMap<&Path, u32> = wanted.beside.of(Kind::File).map(|odd| (odd.path.as_path(), odd.mode)).collect();
    let blocked: BTreeSet<&Path> = held.beside.left().map(|odd| odd.path.as_path()).collect();
    // Where directories must be.
    let mut above: BTreeSet<&Path> = BTreeSet::new();
    let mut files: BTreeSet<&[u8]> = BTreeSet::new();
    for file in wanted.files.iter().filter(|file| scope.holds(&file.path)) {
        files.insert(file.path.as_os_str().as_bytes());
        above.extend(file.path.ancestors().skip(1));
        if file.is_submodule() {
            if !blocked.contains(file.path.as_path()) {
                plan.left.push(format!("{}: a repository of its own is not in the copy", file.path.display()));
            }
            continue;
        }
        if let Some(by) = file.path.ancestors().find(|above| blocked.contains(above)) {
            plan.left.push(format!("{}: {} could not be copied first", file.path.display(), by.display()));
            continue;
        }
        let link = file.mode == 0o120000;
        let usual = wanted.beside.usual[usize::from(file.mode == 0o100755)];
        let mode = odd.get(file.path.as_path()).copied().unwrap_or(usual);
        let there = now.get(file.path.as_path());
        let same = |(kind, id, stat): &(u32, ObjectId, Stat)| {
            (*kind == 0o120000) == link && *id == file.id && (link || stat.mode & 0o7777 == mode)
        };
        if !there.is_some_and(same) {
            let over = there.map(|(_, _, stat)| *stat);
            plan.put.push(Put { path: file.path.clone(), id: file.id, link, mode, over });
        }
    }
    for odd in wanted.beside.of(Kind::Directory).filter(|odd| scope.holds(&odd.path)) {
        plan.dirs.insert(odd.path.clone(), odd.mode);
        above.extend(odd.path.ancestors());
    }
    // A directory that is there still has the permissions of then.
    let usual = wanted.beside.usual[2];
    let noted: HashMap<&Path, u32> =
        held.beside.of(Kind::Directory).map(|odd| (odd.path.as_path(), odd.mode)).collect();
    let is_otherwise = |dir: &&PathBuf| *noted.get(dir.as_path()).unwrap_or(&held.beside.usual[2]) != usual;
    for dir in held.dirs.iter().filter(|dir| above.contains(dir.as_path()) && scope.holds(dir)).filter(is_otherwise) {
        plan.dirs.entry(dir.clone()).or_insert(usual);
    }
    let absent: BTreeSet<&Path> = wanted.beside.of(Kind::Absent).map(|odd| odd.path.as_path()).collect();
    let in_the_way = |path: &Path| path.ancestors().skip(1).any(|over| files.contains(over.as_os_str().as_bytes()));
    for (entry, stat) in held.entries.iter().zip(&held.stats).filter(|(entry, _)| entry.mode != 0o160000) {
        let path = entry.path.as_path();
        let stays = files.contains(path.as_os_str().as_bytes());
        // Where a directory must be nothing else is; what was not there goes; what the rules of then hide is nobody's business.
        let goes = above.contains(path)
            || in_the_way(path)
            || scope.holds(path) && (absent.contains(path) || !wanted.hidden.hides(path, false));
        if !stays && goes {
            plan.gone.push((path.to_path_buf(), *stat));
        }
    }
    let mut emptied: Vec<PathBuf> = held
        .dirs
        .iter()
        .filter(|dir| !above.contains(dir.as_path()) && (scope.holds(dir) || in_the_way(dir)))
        .filter(|dir| !wanted.hidden.hides(dir, true) || in_the_way(dir) || files.contains(dir.as_os_str().as_bytes()))
        .cloned()
        .collect();
    emptied.sort_by_key(|dir| std::cmp::Reverse(dir.components().count()));
    plan.emptied = emptied;
    plan
}
