//! What a copy holds: looked at through the stat cache, told apart from what git has already, and the rest of it stored.

use super::Wish;
use super::beside::{Beside, Entry, Kind};
use super::store::Store;
use crate::git::{Index, ObjectId, Objects, Repository};
use crate::snapshot::{self, File, Look, Rules, Stat, Use, What};
use crate::store::state::State;
use crate::sys::digest;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a restore leaves behind when it is killed; no copy holds it.
pub const TEMPORARY: &str = ".rg-rescue-";

/// How often a file that changes while it is copied is tried again.
const TRIES: usize = 3;

/// From how many files, or bytes, on git is asked first whether it has them packed.
const ASK_FILES: usize = 64;
const ASK_BYTES: u64 = 1 << 20;

/// What a copy holds, and what its taking needs to know.
#[derive(Default)]
pub struct Held {
    /// Files, links and repositories inside, sorted by the bytes of their paths.
    pub entries: Vec<Entry>,
    /// What the file system said of each.
    pub stats: Vec<Stat>,
    /// The directories that were gone through.
    pub dirs: Vec<PathBuf>,
    /// What a restore left behind that was killed.
    pub leftovers: Vec<(PathBuf, Stat)>,
    /// What a tree cannot say.
    pub beside: Beside,
    /// Those whose bytes are to be stored.
    pub missing: Vec<usize>,
    /// Trees that git has.
    pub known: HashSet<ObjectId>,
    /// Objects that the index names and the files do not.
    pub pins: HashSet<ObjectId>,
    /// The index's own lines, without times: what is staged.
    pub staged: String,
}

/// Looks at the work tree.
pub fn gather(
    store: &Store,
    objects: &Objects,
    tree: Option<&Repository>,
    state: &State,
    wish: &Wish<'_>,
) -> Result<Held> {
    let rules = if wish.ignored { Rules::None } else { Rules::Today };
    let cached = if wish.fresh { Use::Fresh } else { Use::Sparing };
    let mut also: Vec<PathBuf> = Vec::new();
    wish.also.iter().for_each(|path| expand(&store.top, path, &mut also));
    let mut look = snapshot::look(&store.top, &rules, &also, state, cached, wish.most)?;
    let index = std::mem::take(&mut look.index);
    let mut held = Held { known: index.trees.clone(), ..Held::default() };
    let nested = nested(&store.top, &look, &index);
    files(store, objects, look, &nested, &mut held)?;
    for (path, head) in &nested {
        held.beside.push(Kind::Repository, 0, path);
        if let Some(id) = head {
            held.entries.push(Entry { path: path.clone(), mode: 0o160000, id: *id });
            held.stats.push(Stat::default());
        }
    }
    if !nested.is_empty() {
        let mut both: Vec<(Entry, Stat)> = held.entries.drain(..).zip(held.stats.drain(..)).collect();
        both.sort_by(|a, b| key(&a.0.path).cmp(key(&b.0.path)));
        (held.entries, held.stats) = both.into_iter().unzip();
    }
    for path in wish.also.iter().filter(|path| fs::symlink_metadata(store.top.join(path)).is_err()) {
        held.beside.push(Kind::Absent, 0, path);
    }
    permissions(&store.top, &mut held);
    against_index(&index, &mut held);
    let partial = tree.is_some_and(Repository::is_partial);
    if partial {
        // What was never fetched cannot be pinned.
        for row in index.iter().filter(|row| row.is_skip_worktree) {
            held.pins.remove(&row.id);
        }
    }
    held.beside.odd.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(held)
}

fn key(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// A path that must be in; what is below it where it is a directory.
fn expand(top: &Path, path: &Path, also: &mut Vec<PathBuf>) {
    also.push(path.to_path_buf());
    if fs::symlink_metadata(top.join(path)).is_ok_and(|meta| meta.is_dir()) {
        let below = walkdir::WalkDir::new(top.join(path)).min_depth(1).into_iter().flatten();
        let files = below.filter(|entry| !entry.file_type().is_dir());
        also.extend(files.filter_map(|entry| entry.path().strip_prefix(top).ok().map(Path::to_path_buf)));
    }
}

/// Repositories inside: submodules that are checked out, and any other directory with a `.git` that is one; each with its head.
/// Into a directory in which it tracks files git goes all the same: of such a one only what is git's own is left out.
fn nested(top: &Path, look: &Look, index: &Index) -> Vec<(PathBuf, Option<ObjectId>)> {
    let mut found: BTreeMap<PathBuf, Repository> = BTreeMap::new();
    let mut met: HashSet<PathBuf> = HashSet::new();
    let mut meet = |place: &Path| {
        if !met.insert(place.to_path_buf()) {
            return;
        }
        let inner = Repository::at(&top.join(place)).filter(|_| !place.as_os_str().is_empty());
        found.extend(inner.filter(Repository::can_be_opened).map(|inner| (place.to_path_buf(), inner)));
    };
    let files = look.snapshot.files.iter();
    files.clone().filter(|file| file.entry.what == What::Submodule).for_each(|file| meet(&file.path));
    for path in files.map(|file| file.path.as_path()).chain(look.dirs.iter().map(PathBuf::as_path)) {
        // What lies in a `.git`, or is one.
        if memchr::memmem::find(path.as_os_str().as_bytes(), b".git").is_none() {
            continue;
        }
        for dir in path.ancestors().filter(|dir| dir.file_name().is_some_and(|name| name == ".git")) {
            meet(dir.parent().unwrap_or(Path::new("")));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    // What they keep of git's own lies in them, or elsewhere in the tree.
    let mut all: BTreeMap<PathBuf, Option<ObjectId>> = BTreeMap::new();
    all.extend(found.values().flat_map(|inner| inner.git_dirs_below(top)).map(|dir| (dir, None)));
    for row in index.iter().filter(|row| !row.is_submodule) {
        for above in row.path.ancestors().skip(1).filter(|above| found.contains_key(*above)).collect::<Vec<_>>() {
            found.remove(above);
            all.insert(above.join(".git"), None);
        }
    }
    let head = |inner: &Repository| inner.head().and_then(|head| ObjectId::parse(head.as_bytes()));
    all.extend(found.iter().map(|(path, inner)| (path.clone(), head(inner))));
    // One inside of another is that one's.
    let is_outer = |path: &Path| !path.ancestors().skip(1).any(|above| all.contains_key(above));
    all.iter().filter(|(path, _)| is_outer(path)).map(|(path, head)| (path.clone(), *head)).collect()
}

/// Whether a path goes through, or is, something that git calls its own.
pub fn is_gits(path: &Path) -> bool {
    path.as_os_str().as_bytes().split(|b| *b == b'/').any(|part| part.eq_ignore_ascii_case(b".git"))
}

/// Whether it is a file that a restore was writing.
fn is_leftover(path: &Path) -> bool {
    let path = key(path);
    let name = &path[path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1)..];
    let id = name.strip_prefix(TEMPORARY.as_bytes()).and_then(|name| name.strip_suffix(b".tmp"));
    id.is_some_and(|id| std::str::from_utf8(id).ok().and_then(crate::sys::ids::time_of).is_some())
}

fn files(
    store: &Store,
    objects: &Objects,
    look: Look,
    nested: &[(PathBuf, Option<ObjectId>)],
    held: &mut Held,
) -> Result<()> {
    let roots: HashSet<&Path> = nested.iter().map(|(path, _)| path.as_path()).collect();
    let is_nested = |path: &Path| !roots.is_empty() && path.ancestors().any(|above| roots.contains(above));
    for (file, stat) in look.snapshot.files.into_iter().zip(look.stats) {
        let File { path, entry, id } = file;
        if is_nested(&path) {
            continue;
        }
        if is_leftover(&path) {
            held.leftovers.push((path, stat));
            continue;
        }
        let mode = match entry.what {
            _ if is_gits(&path) => 0,
            What::File => 0o100644,
            What::Executable => 0o100755,
            What::Link => 0o120000,
            // One in truth is among the repositories inside; of any other the files speak.
            What::Submodule => continue,
            What::Unreadable => 0,
        };
        if mode == 0 {
            held.beside.push(Kind::Left, 0, &path);
            continue;
        }
        let id = match mode {
            0o120000 => match fs::read_link(store.top.join(&path)) {
                Ok(target) => objects.write("blob", target.as_os_str().as_bytes())?,
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => {
                    held.beside.push(Kind::Left, 0, &path);
                    continue;
                }
            },
            _ => id,
        };
        held.entries.push(Entry { path, mode, id });
        held.stats.push(stat);
    }
    held.dirs = look.dirs.into_iter().filter(|dir| !is_nested(dir) && !is_gits(dir)).collect();
    Ok(())
}

/// Notes permissions that are not those of most, and empty directories.
fn permissions(top: &Path, held: &mut Held) {
    let mut counts: [HashMap<u32, usize>; 3] = Default::default();
    let which = |mode: u32| match mode {
        0o100644 => Some(0),
        0o100755 => Some(1),
        _ => None,
    };
    let modes: Vec<(usize, u32)> = held
        .entries
        .iter()
        .zip(&held.stats)
        .map(|(entry, stat)| which(entry.mode).map_or((9, 0), |kind| (kind, stat.mode & 0o7777)))
        .collect();
    let dirs: Vec<u32> = held
        .dirs
        .iter()
        .map(|dir| fs::symlink_metadata(top.join(dir)).map_or(0o755, |meta| meta.mode() & 0o7777))
        .collect();
    let of_dirs = dirs.iter().map(|mode| (2, *mode));
    for (kind, mode) in modes.iter().copied().chain(of_dirs).filter(|(kind, _)| *kind < 3) {
        *counts[kind].entry(mode).or_default() += 1;
    }
    for (kind, counts) in counts.iter().enumerate() {
        let most = counts.iter().max_by_key(|(mode, count)| (**count, **mode)).map(|(mode, _)| *mode);
        held.beside.usual[kind] = most.unwrap_or(held.beside.usual[kind]);
    }
    let usual = held.beside.usual;
    for (entry, (kind, mode)) in held.entries.iter().zip(&modes) {
        if *kind < 3 && usual[*kind] != *mode {
            held.beside.push(Kind::File, *mode, &entry.path);
        }
    }
    // Sorted by their bytes, what lies in a directory stands behind its name with a slash.
    let mut sorted: Vec<&[u8]> = held.dirs.iter().map(|dir| key(dir)).collect();
    sorted.sort_unstable();
    for (dir, mode) in held.dirs.iter().zip(dirs) {
        let inside = [key(dir), b"/"].concat();
        let file = held.entries.partition_point(|entry| key(&entry.path) < inside.as_slice());
        let other = sorted.partition_point(|dir| *dir < inside.as_slice());
        let holds = held.entries.get(file).is_some_and(|entry| key(&entry.path).starts_with(&inside))
            || sorted.get(other).is_some_and(|dir| dir.starts_with(&inside));
        let is_empty = !holds;
        if is_empty || mode != usual[2] {
            held.beside.push(Kind::Directory, mode, dir);
        }
    }
}

/// What git has already, what only the index holds, and a digest of what is staged.
fn against_index(index: &Index, held: &mut Held) {
    let mut lines = digest::Stream::default();
    let mut rows = index.iter().peekable();
    for (at, entry) in held.entries.iter().enumerate() {
        let name = entry.path.as_os_str().as_bytes();
        let mut has = entry.mode == 0o120000 || entry.mode == 0o160000;
        while let Some(row) = rows.next_if(|row| row.path.as_os_str().as_bytes() <= name) {
            let is_it = row.path.as_os_str().as_bytes() == name && row.id == entry.id;
            has |= is_it;
            note(&row, is_it, &mut held.pins, &mut lines);
        }
        if !has {
            held.missing.push(at);
        }
    }
    for row in rows {
        note(&row, false, &mut held.pins, &mut lines);
    }
    held.staged = lines.finish();
}

fn note(row: &crate::git::Tracked<'_>, held: bool, pins: &mut HashSet<ObjectId>, lines: &mut digest::Stream) {
    lines.update(row.path.as_os_str().as_bytes());
    lines.update(&[0]);
    lines.update(&row.mode_and_flags.to_le_bytes());
    lines.update(row.id.as_bytes());
    if !held && !row.is_submodule && !row.id.is_none() {
        pins.insert(row.id);
    }
}

/// Stores what git has not got.
pub fn keep(store: &Store, objects: &Objects, held: &mut Held, most: Option<u64>) -> Result<()> {
    // An entry that is only intended is of the empty object, which git knows without having it.
    objects.write("blob", b"")?;
    let missing = std::mem::take(&mut held.missing);
    let mut lost: Vec<usize> = missing
        .into_iter()
        .filter(|at| held.entries[*at].id.is_none() || !objects.refresh(held.entries[*at].id))
        .collect();
    let size = |lost: &[usize]| lost.iter().map(|at| held.stats[*at].size).sum::<u64>();
    if lost.len() > ASK_FILES || size(&lost) > ASK_BYTES {
        let ids: Vec<ObjectId> = lost.iter().map(|at| held.entries[*at].id).collect();
        let has = store.git.has_objects(&ids)?;
        lost = lost.into_iter().zip(has).filter(|(_, has)| !has).map(|(at, _)| at).collect();
    }
    let bytes = size(&lost);
    if let Some(most) = most.filter(|most| bytes > *most) {
        return Err(snapshot::copy_too_large(bytes, most));
    }
    let mut gone = Vec::new();
    for at in lost {
        match one(store, objects, &held.entries[at])? {
            Some((id, mode, stat)) => {
                (held.entries[at].id, held.entries[at].mode) = (id, mode);
                held.stats[at] = stat;
            }
            None => gone.push(at),
        }
    }
    for at in gone.into_iter().rev() {
        let entry = held.entries.remove(at);
        held.stats.remove(at);
        if fs::symlink_metadata(store.top.join(&entry.path)).is_ok() {
            held.beside.push(Kind::Left, 0, &entry.path);
        }
    }
    Ok(())
}

/// Stores one file; None when it is gone, or may not be read.
fn one(store: &Store, objects: &Objects, entry: &Entry) -> Result<Option<(ObjectId, u32, Stat)>> {
    let path = store.top.join(&entry.path);
    for tries in 1..=TRIES {
        let mut file = match files::open_nofollow(&path) {
            Ok(file) => file,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => return Ok(None),
            Err(e) => return Err(Error::io("read", &path, &e)),
        };
        let meta = file.metadata().map_err(|e| Error::io("read", &path, &e))?;
        if !meta.is_file() {
            return Ok(None);
        }
        // What grows all the time is kept as long as it was.
        let is_last = tries == TRIES;
        let id = match is_last {
            true => objects.write_from(&mut (&file).take(meta.len()), meta.len())?,
            false => objects.write_from(&mut file, meta.len())?,
        };
        let after = file.metadata().map_err(|e| Error::io("read", &path, &e))?;
        let is_steady = Stat::of(&after) == Stat::of(&meta);
        if let Some(id) = id.filter(|_| is_steady || is_last) {
            let mode = if meta.mode() & 0o100 != 0 { 0o100755 } else { 0o100644 };
            let stat = Stat::of(&meta);
            return Ok(Some((id, mode, if is_steady { stat } else { Stat { mtime: Stat::NEVER, ..stat } })));
        }
    }
    Err(Error::changed(format!("{} changes while it is copied", path.display())))
}
