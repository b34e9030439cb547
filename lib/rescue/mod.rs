//! Rescue copies: the files of a work tree as they lie, byte by byte, its index and its head, kept before something risky.
//!
//! A copy is a commit under refs/review-gate/rescue whose tree are the files; its first parent is the head, its last parent holds
//! the index as it was and what a tree cannot say. review-gate-state(5) has the form.

mod beside;
pub mod declared_copies;
mod gather;
mod store;
mod trees;

pub use beside::{Beside, Entry, Kind, Odd, is_below};
pub use gather::{Held, TEMPORARY, is_gits};
pub use store::{About, Copy, KEEP, LONGEST, Store};

use crate::git::{ObjectId, Objects, Repository};
use crate::snapshot::Stat;
use crate::store::state::State;
use crate::sys::digest;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where copies are kept.
pub const REFS: &str = "refs/review-gate/rescue";

/// How often a copy is begun again of which something was pruned.
const TRIES: usize = 3;

/// The largest index that is kept, in bytes.
const INDEX: u64 = 1 << 30;

/// How a copy is to be taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish<'a> {
    /// Who takes it.
    pub by: &'a str,
    /// What for.
    pub why: &'a str,
    /// Files that .gitignore hides, too.
    pub ignored: bool,
    /// It is taken before that copy is restored.
    pub undo: Option<&'a str>,
    /// Paths below the top that are in it though a rule may hide them; that one is not there is noted.
    pub also: &'a [PathBuf],
    /// Every file is read, whatever the stat cache says.
    pub fresh: bool,
    /// A new one, though nothing changed since the last.
    pub anew: bool,
    /// The most that may have to be written, in bytes.
    pub most: Option<u64>,
}

/// A copy that was taken.
pub struct Taken {
    /// Its id.
    pub id: String,
    /// Nothing changed since it was taken before.
    pub known: bool,
    /// What it holds.
    pub held: Held,
}

/// Takes a copy of the work tree that holds `root`. Nothing of it is changed, and until the copy is whole nothing names it.
pub fn take(root: &Path, state: &State, wish: &Wish<'_>) -> Result<Taken> {
    let store = Store::open(root, state)?;
    for _ in 0..TRIES {
        if let Some(taken) = once(&store, root, state, wish)? {
            store.tidy(state);
            return Ok(taken);
        }
    }
    Err(Error::changed("what is copied is pruned before it has a name"))
}

/// None where something of it was pruned before it had its name.
fn once(store: &Store, root: &Path, state: &State, wish: &Wish<'_>) -> Result<Option<Taken>> {
    let tree = Repository::find(root);
    let objects = store.git.objects();
    let (files, held) = files(store, &objects, tree.as_ref(), state, wish)?;
    let head = tree.as_ref().and_then(Repository::head);
    let mut about = About {
        v: 1,
        worktree: store.top.to_string_lossy().into_owned(),
        place: place_of(&store.top),
        branch: tree.as_ref().and_then(Repository::branch),
        head: head.clone(),
        why: wish.why.to_string(),
        by: wish.by.to_string(),
        ignored: wish.ignored,
        undo: wish.undo.map(str::to_string),
        under_way: tree.as_ref().and_then(Repository::operation_in_progress).map(str::to_string),
        index_at: None,
        files: held.entries.len(),
        left: held.beside.left().count(),
    };
    let beside = held.beside.write();
    let key = digest::sha256_parts(&[
        files.as_bytes(),
        &beside,
        held.staged.as_bytes(),
        head.as_deref().unwrap_or("").as_bytes(),
        about.branch.as_deref().unwrap_or("").as_bytes(),
        about.under_way.as_deref().unwrap_or("").as_bytes(),
        &[u8::from(wish.ignored), u8::from(wish.undo.is_some())],
    ]);
    if !wish.anew
        && let Some(id) = store.last_known(state, &key)
    {
        return Ok(Some(Taken { id, known: true, held }));
    }
    let index = match &tree {
        Some(tree) => {
            // Asked before it is read: with an older time git looks at too many files, with a younger one at too few.
            about.index_at = fs::metadata(tree.git_dir.join("index")).ok().map(|meta| Stat::of(&meta).mtime);
            index_bytes(tree)?
        }
        None => None,
    };
    let beside = trees::beside(&objects, index.as_deref(), &beside, &held.pins)?;
    let parents: Vec<ObjectId> = head.iter().filter_map(|head| ObjectId::parse(head.as_bytes())).collect();
    let second =
        trees::commit(&objects, beside, &parents, "review-gate: the index as it was, and what no tree says\n")?;
    let message = about.message()?;
    let commit = trees::commit(&objects, files, &[parents, vec![second]].concat(), &message)?;
    let id = store.name(commit)?;
    if !objects.all_exist() {
        store.remove(&[id])?;
        return Ok(None);
    }
    store.remember(state, &key, &id, commit);
    Ok(Some(Taken { id, known: false, held }))
}

/// Writes the files as a tree, and names no copy of it.
pub fn tree_of(root: &Path, state: &State, wish: &Wish<'_>) -> Result<ObjectId> {
    let store = Store::open(root, state)?;
    files(&store, &store.git.objects(), Repository::find(root).as_ref(), state, wish).map(|(tree, _)| tree)
}

fn files(
    store: &Store,
    objects: &Objects,
    tree: Option<&Repository>,
    state: &State,
    wish: &Wish<'_>,
) -> Result<(ObjectId, Held)> {
    let mut held = gather::gather(store, objects, tree, state, wish)?;
    gather::keep(store, objects, &mut held, wish.most)?;
    Ok((trees::write(objects, &held.entries, &held.known)?, held))
}

/// By what the work trees of one repository are told apart.
pub fn place_of(top: &Path) -> String {
    let real = fs::canonicalize(top).unwrap_or_else(|_| top.to_path_buf());
    digest::sha256(real.as_os_str().as_bytes())[..12].to_string()
}

/// The index to the byte; None where there is none. One that is split over two files is put together.
fn index_bytes(tree: &Repository) -> Result<Option<Vec<u8>>> {
    let path = tree.git_dir.join("index");
    if !path.exists() {
        return Ok(None);
    }
    let bytes = files::try_read_following(&path, INDEX)
        .ok_or_else(|| Error::unreadable(&path, format!("{} cannot be read", path.display())))?;
    let is_split = fs::read_dir(&tree.git_dir)
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| entry.file_name().as_bytes().starts_with(b"sharedindex."));
    if !is_split {
        return Ok(Some(bytes));
    }
    // Made anew, so that nobody's file or link is written to; of that beginning git removes what was left behind.
    let own = std::process::id().to_string();
    let name = format!("tmp_obj_{}", ids::ulid(&["index", &own, &place_of(&tree.top)]));
    let beside = tree.common_dir.join("objects").join(name);
    let whole = files::write_new(&beside, &bytes)
        .and_then(|()| tree.git_with_index(&beside, &["update-index", "--no-split-index"]))
        .and_then(|_| {
            files::try_read_following(&beside, INDEX)
                .ok_or_else(|| Error::unreadable(&beside, "a split index cannot be read"))
        });
    let _ = fs::remove_file(&beside);
    let _ = fs::remove_file(beside.with_extension("lock"));
    whole.map(Some)
}
