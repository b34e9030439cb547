//! Backups: the files of a working tree, byte by byte, with its index and its head, saved before a risky step.
//!
//! A backup is a commit under refs/review-gate/rescue. Its tree holds the files; its first parent is the head; its last parent holds
//! the index and the metadata. Format: review-gate-state(5).

pub mod declared_copies;
mod gather;
mod metadata;
mod store;
mod trees;

pub use gather::{FileSet, TEMPORARY_PREFIX, is_git_internal};
pub use metadata::{Entry, Kind, Metadata, MetadataEntry, is_below};
pub use store::{Backup, BackupInfo, KEEP, LONGEST, Store};

use crate::git::{ObjectId, Objects, Repository};
use crate::snapshot::Stat;
use crate::store::state::State;
use crate::sys::digest;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use crate::sys::redact::redact;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The refs of the backups.
pub const REFS: &str = "refs/review-gate/rescue";

/// How often a backup is tried if git prunes its objects meanwhile.
const TRIES: usize = 3;

/// The largest index that is saved, in bytes.
const MAX_INDEX: u64 = 1 << 30;

/// The options of a backup.
#[derive(Clone, Copy, Debug, Default)]
pub struct BackupOptions<'a> {
    /// The program that takes it.
    pub by: &'a str,
    /// Why it is taken.
    pub why: &'a str,
    /// Include ignored files.
    pub ignored: bool,
    /// The backup that is info to be restored.
    pub undo: Option<&'a str>,
    /// Paths below the top that are included even if they are ignored. A missing one is recorded.
    pub also: &'a [PathBuf],
    /// Read every file and do not use the stat cache.
    pub fresh: bool,
    /// Take a new backup even if nothing changed since the last one.
    pub anew: bool,
    /// The most bytes that it may write.
    pub most: Option<u64>,
}

/// The result of taking a backup.
pub struct TakenBackup {
    /// Its id.
    pub id: String,
    /// It is an earlier backup, because nothing changed since.
    pub is_known: bool,
    /// Its files.
    pub files: FileSet,
}

/// Takes a backup of the working tree that holds `root`. Changes nothing in it. The backup gets its ref only when it is complete.
pub fn take(root: &Path, state: &State, options: &BackupOptions<'_>) -> Result<TakenBackup> {
    let store = Store::open(root, state)?;
    for _ in 0..TRIES {
        if let Some(taken) = once(&store, root, state, options)? {
            store.tidy(state);
            return Ok(taken);
        }
    }
    Err(Error::changed("git pruned objects of the backup before it was complete. Try again"))
}

/// Tries once. None if git pruned some of its objects before it was complete.
fn once(store: &Store, root: &Path, state: &State, options: &BackupOptions<'_>) -> Result<Option<TakenBackup>> {
    let tree = Repository::find(root);
    let objects = store.git.objects();
    let (files_tree, set) = collect(store, &objects, tree.as_ref(), state, options)?;
    let head = tree.as_ref().and_then(Repository::head);
    let mut info = BackupInfo {
        v: 1,
        worktree: store.top.to_string_lossy().into_owned(),
        place: place_digest(&store.top),
        branch: tree.as_ref().and_then(Repository::branch),
        head: head.clone(),
        why: redact(options.why),
        by: options.by.to_string(),
        ignored: options.ignored,
        undo: options.undo.map(str::to_string),
        under_way: tree.as_ref().and_then(Repository::operation_in_progress).map(str::to_string),
        index_at: None,
        files: set.entries.len(),
        left: set.metadata.not_copied().count(),
    };
    let metadata = set.metadata.write();
    let key = digest::sha256_parts(&[
        files_tree.as_bytes(),
        &metadata,
        set.staged.as_bytes(),
        head.as_deref().unwrap_or("").as_bytes(),
        info.branch.as_deref().unwrap_or("").as_bytes(),
        info.under_way.as_deref().unwrap_or("").as_bytes(),
        &[u8::from(options.ignored), u8::from(options.undo.is_some())],
    ]);
    if !options.anew
        && let Some(id) = store.last_known(state, &key)
    {
        return Ok(Some(TakenBackup { id, is_known: true, files: set }));
    }
    let index = match &tree {
        Some(tree) => {
            // Read before the index: with an older time git checks too many files, with a later one too few.
            info.index_at = fs::metadata(tree.git_dir.join("index")).ok().map(|meta| Stat::of(&meta).mtime);
            index_bytes(tree)?
        }
        None => None,
    };
    let metadata_tree = trees::write_metadata(&objects, index.as_deref(), &metadata, &set.pins)?;
    let parents: Vec<ObjectId> = head.iter().filter_map(|head| ObjectId::parse(head.as_bytes())).collect();
    let second = trees::commit(&objects, metadata_tree, &parents, "review-gate: the index and the metadata\n")?;
    let message = info.message()?;
    let commit = trees::commit(&objects, files_tree, &[parents, vec![second]].concat(), &message)?;
    let id = store.name(commit)?;
    if !objects.all_exist() {
        store.remove(&[id])?;
        return Ok(None);
    }
    store.remember(state, &key, &id, commit);
    Ok(Some(TakenBackup { id, is_known: false, files: set }))
}

/// Writes the files as a tree, without taking a backup.
pub fn tree_of(root: &Path, state: &State, options: &BackupOptions<'_>) -> Result<ObjectId> {
    let store = Store::open(root, state)?;
    collect(&store, &store.git.objects(), Repository::find(root).as_ref(), state, options).map(|(tree, _)| tree)
}

fn collect(
    store: &Store,
    objects: &Objects,
    tree: Option<&Repository>,
    state: &State,
    options: &BackupOptions<'_>,
) -> Result<(ObjectId, FileSet)> {
    let mut set = gather::gather(store, objects, tree, state, options)?;
    gather::keep(store, objects, &mut set, options.most)?;
    Ok((trees::write(objects, &set.entries, &set.known)?, set))
}

/// A digest of a working tree's path, which tells the worktrees of one repository apart.
pub fn place_digest(top: &Path) -> String {
    let real = fs::canonicalize(top).unwrap_or_else(|_| top.to_path_buf());
    digest::sha256(real.as_os_str().as_bytes())[..12].to_string()
}

/// The bytes of the index; None if there is none. A split index is joined.
fn index_bytes(tree: &Repository) -> Result<Option<Vec<u8>>> {
    let path = tree.git_dir.join("index");
    if !path.exists() {
        return Ok(None);
    }
    let bytes = files::try_read_following(&path, MAX_INDEX)
        .ok_or_else(|| Error::unreadable(&path, format!("{} cannot be read", path.display())))?;
    let is_split = fs::read_dir(&tree.git_dir)
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| entry.file_name().as_bytes().starts_with(b"sharedindex."));
    if !is_split {
        return Ok(Some(bytes));
    }
    // A new file, so that no existing file or link is written to. git removes leftovers with this prefix.
    let own = std::process::id().to_string();
    let name = format!("tmp_obj_{}", ids::ulid(&["index", &own, &place_digest(&tree.top)]));
    let copy = tree.common_dir.join("objects").join(name);
    let whole = files::write_new(&copy, &bytes)
        .and_then(|()| tree.git_with_index(&copy, &["update-index", "--no-split-index"]))
        .and_then(|_| {
            files::try_read_following(&copy, MAX_INDEX)
                .ok_or_else(|| Error::unreadable(&copy, "cannot read the split index"))
        });
    let _ = fs::remove_file(&copy);
    let _ = fs::remove_file(copy.with_extension("lock"));
    whole.map(Some)
}
