//! Collects the files of a backup with the stat cache, finds out which of them git has already, and stores the rest.

use super::BackupOptions;
use super::metadata::{Entry, Kind, Metadata};
use super::store::Store;
use crate::git::{Index, ObjectId, Objects, Repository};
use crate::snapshot::{self, File, Look, Rules, Stat, Use, What};
use crate::store::state::State;
use crate::sys::digest;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::talk;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The name prefix of temporary files, which a killed restore leaves behind. No backup includes them.
pub const TEMPORARY_PREFIX: &str = ".rg-rescue-";

/// How often a file is read that changes during the copy.
const TRIES: usize = 3;

/// git is asked which objects it has packed if there are more files, or more bytes, than this.
const ASK_FILES: usize = 64;
const ASK_BYTES: u64 = 1 << 20;

/// The files of a backup, and what is needed to store them.
#[derive(Default)]
pub struct FileSet {
    /// Files, links and nested repositories, sorted by the bytes of their paths.
    pub entries: Vec<Entry>,
    /// The file status of each entry.
    pub stats: Vec<Stat>,
    /// The directories.
    pub dirs: Vec<PathBuf>,
    /// Temporary files that a killed restore left behind.
    pub leftovers: Vec<(PathBuf, Stat)>,
    /// The metadata that a tree cannot hold.
    pub metadata: Metadata,
    /// The indexes of entries whose bytes must be stored.
    pub missing: Vec<usize>,
    /// The trees that git has already.
    pub known: HashSet<ObjectId>,
    /// The objects that only the index names.
    pub pins: HashSet<ObjectId>,
    /// A digest of the index entries without their times.
    pub staged: String,
}

/// Collects the files of the working tree.
pub fn gather(
    store: &Store,
    objects: &Objects,
    tree: Option<&Repository>,
    state: &State,
    options: &BackupOptions<'_>,
) -> Result<FileSet> {
    let rules = if options.ignored { Rules::None } else { Rules::Today };
    let cached = if options.fresh { Use::Fresh } else { Use::Sparing };
    let mut also: Vec<PathBuf> = Vec::new();
    options.also.iter().for_each(|path| expand(&store.top, path, &mut also));
    // A message is no change of the work, but it may be lost like one.
    let talk = fs::read_dir(store.top.join(talk::directory::NAME)).into_iter().flatten().flatten();
    also.extend(
        talk.map(|entry| Path::new(talk::directory::NAME).join(entry.file_name()))
            .filter(|path| snapshot::is_talk(path)),
    );
    let mut look = snapshot::look(&store.top, &rules, &also, state, cached, options.most)?;
    let index = std::mem::take(&mut look.index);
    let mut set = FileSet { known: index.trees.clone(), ..FileSet::default() };
    let nested = nested(&store.top, &look, &index);
    files(store, objects, look, &nested, &mut set)?;
    for (path, head) in &nested {
        set.metadata.push(Kind::Repository, 0, path);
        if let Some(id) = head {
            set.entries.push(Entry { path: path.clone(), mode: 0o160000, id: *id });
            set.stats.push(Stat::default());
        }
    }
    if !nested.is_empty() {
        let mut both: Vec<(Entry, Stat)> = set.entries.drain(..).zip(set.stats.drain(..)).collect();
        both.sort_by(|a, b| key(&a.0.path).cmp(key(&b.0.path)));
        (set.entries, set.stats) = both.into_iter().unzip();
    }
    for path in options.also.iter().filter(|path| fs::symlink_metadata(store.top.join(path)).is_err()) {
        set.metadata.push(Kind::Absent, 0, path);
    }
    permissions(&store.top, &mut set);
    compare_with_index(&index, &mut set);
    let partial = tree.is_some_and(Repository::is_partial);
    if partial {
        // An object that was never fetched cannot be pinned.
        for row in index.iter().filter(|row| row.is_skip_worktree) {
            set.pins.remove(&row.id);
        }
    }
    set.metadata.entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(set)
}

fn key(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Adds a path that must be included, and everything below it if it is a directory.
fn expand(top: &Path, path: &Path, also: &mut Vec<PathBuf>) {
    also.push(path.to_path_buf());
    if fs::symlink_metadata(top.join(path)).is_ok_and(|meta| meta.is_dir()) {
        let below = walkdir::WalkDir::new(top.join(path)).min_depth(1).into_iter().flatten();
        let files = below.filter(|entry| !entry.file_type().is_dir());
        also.extend(files.filter_map(|entry| entry.path().strip_prefix(top).ok().map(Path::to_path_buf)));
    }
}

/// The nested repositories, each with its head: submodules that are checked out, and other directories with a valid `.git`. A directory
/// in which the outer repository tracks files is included; only its `.git` is left out.
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
        // Only paths that are a `.git` or inside one matter here.
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
    // Their git directories may be elsewhere in the tree.
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
    // A repository inside a nested one belongs to that one.
    let is_outer = |path: &Path| !path.ancestors().skip(1).any(|above| all.contains_key(above));
    all.iter().filter(|(path, _)| is_outer(path)).map(|(path, head)| (path.clone(), *head)).collect()
}

/// Whether a part of the path is `.git` in any case.
pub fn is_git_internal(path: &Path) -> bool {
    path.as_os_str().as_bytes().split(|b| *b == b'/').any(|part| part.eq_ignore_ascii_case(b".git"))
}

/// Whether it is a temporary file of a restore.
fn is_leftover(path: &Path) -> bool {
    let path = key(path);
    let name = &path[path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1)..];
    let id = name.strip_prefix(TEMPORARY_PREFIX.as_bytes()).and_then(|name| name.strip_suffix(b".tmp"));
    id.is_some_and(|id| std::str::from_utf8(id).ok().and_then(crate::sys::ids::time_of).is_some())
}

fn files(
    store: &Store,
    objects: &Objects,
    look: Look,
    nested: &[(PathBuf, Option<ObjectId>)],
    set: &mut FileSet,
) -> Result<()> {
    let roots: HashSet<&Path> = nested.iter().map(|(path, _)| path.as_path()).collect();
    let is_nested = |path: &Path| !roots.is_empty() && path.ancestors().any(|above| roots.contains(above));
    for (file, stat) in look.snapshot.files.into_iter().zip(look.snapshot.stats) {
        let File { path, entry, id } = file;
        if is_nested(&path) {
            continue;
        }
        if is_leftover(&path) {
            set.leftovers.push((path, stat));
            continue;
        }
        let mode = match entry.what {
            _ if is_git_internal(&path) => 0,
            What::File => 0o100644,
            What::Executable => 0o100755,
            What::Link => 0o120000,
            // A valid one is among the nested repositories; the files of any other are included.
            What::Submodule => continue,
            What::Unreadable => 0,
        };
        if mode == 0 {
            set.metadata.push(Kind::NotCopied, 0, &path);
            continue;
        }
        let id = match mode {
            0o120000 => match fs::read_link(store.top.join(&path)) {
                Ok(target) => objects.write("blob", target.as_os_str().as_bytes())?,
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => {
                    set.metadata.push(Kind::NotCopied, 0, &path);
                    continue;
                }
            },
            _ => id,
        };
        set.entries.push(Entry { path, mode, id });
        set.stats.push(stat);
    }
    set.dirs = look.dirs.into_iter().filter(|dir| !is_nested(dir) && !is_git_internal(dir)).collect();
    Ok(())
}

/// Records unusual permissions and empty directories.
fn permissions(top: &Path, set: &mut FileSet) {
    let mut counts: [HashMap<u32, usize>; 3] = Default::default();
    let which = |mode: u32| match mode {
        0o100644 => Some(0),
        0o100755 => Some(1),
        _ => None,
    };
    let modes: Vec<(usize, u32)> = set
        .entries
        .iter()
        .zip(&set.stats)
        .map(|(entry, stat)| which(entry.mode).map_or((9, 0), |kind| (kind, stat.mode & 0o7777)))
        .collect();
    let dirs: Vec<u32> = set
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
        set.metadata.usual[kind] = most.unwrap_or(set.metadata.usual[kind]);
    }
    let usual = set.metadata.usual;
    for (entry, (kind, mode)) in set.entries.iter().zip(&modes) {
        if *kind < 3 && usual[*kind] != *mode {
            set.metadata.push(Kind::File, *mode, &entry.path);
        }
    }
    // In byte order, the content of a directory follows its name with a slash.
    let mut sorted: Vec<&[u8]> = set.dirs.iter().map(|dir| key(dir)).collect();
    sorted.sort_unstable();
    for (dir, mode) in set.dirs.iter().zip(dirs) {
        let inside = [key(dir), b"/"].concat();
        let file = set.entries.partition_point(|entry| key(&entry.path) < inside.as_slice());
        let other = sorted.partition_point(|dir| *dir < inside.as_slice());
        let holds = set.entries.get(file).is_some_and(|entry| key(&entry.path).starts_with(&inside))
            || sorted.get(other).is_some_and(|dir| dir.starts_with(&inside));
        let is_empty = !holds;
        if is_empty || mode != usual[2] {
            set.metadata.push(Kind::Directory, mode, dir);
        }
    }
}

/// Finds the entries that git has not, the objects that only the index names, and the digest of the index.
fn compare_with_index(index: &Index, set: &mut FileSet) {
    let mut lines = digest::Stream::default();
    let mut rows = index.iter().peekable();
    for (at, entry) in set.entries.iter().enumerate() {
        let name = entry.path.as_os_str().as_bytes();
        let mut has = entry.mode == 0o120000 || entry.mode == 0o160000;
        while let Some(row) = rows.next_if(|row| row.path.as_os_str().as_bytes() <= name) {
            let is_it = row.path.as_os_str().as_bytes() == name && row.id == entry.id;
            has |= is_it;
            note(&row, is_it, &mut set.pins, &mut lines);
        }
        if !has {
            set.missing.push(at);
        }
    }
    for row in rows {
        note(&row, false, &mut set.pins, &mut lines);
    }
    set.staged = lines.finish();
}

fn note(row: &crate::git::Tracked<'_>, is_in_files: bool, pins: &mut HashSet<ObjectId>, lines: &mut digest::Stream) {
    lines.update(row.path.as_os_str().as_bytes());
    lines.update(&[0]);
    lines.update(&row.mode_and_flags.to_le_bytes());
    lines.update(row.id.as_bytes());
    if !is_in_files && !row.is_submodule && !row.id.is_none() {
        pins.insert(row.id);
    }
}

/// Stores the files that git does not have.
pub fn keep(store: &Store, objects: &Objects, set: &mut FileSet, most: Option<u64>) -> Result<()> {
    // An intent-to-add entry names the empty object, which git knows without storing it.
    objects.write("blob", b"")?;
    let missing = std::mem::take(&mut set.missing);
    let mut lost: Vec<usize> = missing
        .into_iter()
        .filter(|at| set.entries[*at].id.is_none() || !objects.refresh(set.entries[*at].id))
        .collect();
    let size = |lost: &[usize]| lost.iter().map(|at| set.stats[*at].size).sum::<u64>();
    if lost.len() > ASK_FILES || size(&lost) > ASK_BYTES {
        let ids: Vec<ObjectId> = lost.iter().map(|at| set.entries[*at].id).collect();
        let has = store.git.has_objects(&ids)?;
        lost = lost.into_iter().zip(has).filter(|(_, has)| !has).map(|(at, _)| at).collect();
    }
    let bytes = size(&lost);
    if let Some(most) = most.filter(|most| bytes > *most) {
        return Err(snapshot::copy_too_large(bytes, most));
    }
    let mut gone = Vec::new();
    for at in lost {
        match store_one(store, objects, &set.entries[at])? {
            Some((id, mode, stat)) => {
                (set.entries[at].id, set.entries[at].mode) = (id, mode);
                set.stats[at] = stat;
            }
            None => gone.push(at),
        }
    }
    for at in gone.into_iter().rev() {
        let entry = set.entries.remove(at);
        set.stats.remove(at);
        if fs::symlink_metadata(store.top.join(&entry.path)).is_ok() {
            set.metadata.push(Kind::NotCopied, 0, &entry.path);
        }
    }
    Ok(())
}

/// Stores one file. None if it is missing or may not be read.
fn store_one(store: &Store, objects: &Objects, entry: &Entry) -> Result<Option<(ObjectId, u32, Stat)>> {
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
        // The last try copies only the initial length, for files that grow all the time.
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
    Err(Error::changed(format!("the file changed during the copy: {}. Try again", path.display())))
}
