//! The snapshot of a commit: that of its clean checkout, with every file as the commit stores it.

use super::{Entry, File, Snapshot, What};
use crate::git::{ObjectId, ObjectName, Piece, Repository, TreeFile};
use crate::sys::digest::{self, Raw};
use crate::sys::error::{Error, Result};
use std::path::{Path, PathBuf};

/// The maximum nesting of submodules.
const SUBMODULES: usize = 16;

/// The snapshot of a commit, from the bytes of its blobs. Each is verified against its id. A submodule that is not checked out in this work
/// tree is left out, as in a clean checkout.
pub fn of_commit(repository: &Repository, commit: &str) -> Result<Snapshot> {
    let mut files = Vec::new();
    for Part { below, repository, tree } in parts(repository, commit)? {
        let hashes = hashes(&repository, &tree)?;
        let of_blobs = tree.iter().zip(hashes).filter_map(|(file, sha256)| {
            let what = match file.mode {
                0o100755 => What::Executable,
                0o120000 => What::Link,
                _ => What::File,
            };
            Some(File { path: below.join(&file.path), entry: Entry { what, sha256: sha256? }, id: file.id })
        });
        files.extend(of_blobs);
        let is_here = |file: &&TreeFile| file.is_submodule() && submodule(&repository, file).is_some();
        files.extend(tree.iter().filter(is_here).map(|file| {
            let sha256 = digest::raw(file.id.to_string().as_bytes());
            File { path: below.join(&file.path), entry: Entry { what: What::Submodule, sha256 }, id: file.id }
        }));
    }
    files.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    Ok(Snapshot { files, ..Snapshot::default() })
}

/// The files of a commit in one repository: its own, or those of a submodule.
pub struct Part {
    /// The path of the submodule; empty for the repository itself.
    pub below: PathBuf,
    /// The repository that has the objects.
    pub repository: Repository,
    /// The files.
    pub tree: std::sync::Arc<[TreeFile]>,
}

/// The files of a commit and of its submodules that are checked out in this work tree.
pub fn parts(repository: &Repository, commit: &str) -> Result<Vec<Part>> {
    let mut all = Vec::new();
    add(repository, commit, Path::new(""), 0, &mut all)?;
    Ok(all)
}

fn add(repository: &Repository, commit: &str, below: &Path, depth: usize, all: &mut Vec<Part>) -> Result<()> {
    let tree = repository.tree(commit)?;
    all.push(Part { below: below.to_path_buf(), repository: repository.clone(), tree: tree.clone() });
    for file in tree.iter().filter(|file| file.is_submodule() && depth < SUBMODULES) {
        if let Some(inner) = submodule(repository, file) {
            add(&inner, &file.id.to_string(), &below.join(&file.path), depth + 1, all)?;
        }
    }
    Ok(())
}

/// The repository of a submodule that is checked out.
fn submodule(repository: &Repository, file: &TreeFile) -> Option<Repository> {
    Repository::at(&repository.top.join(&file.path))
}

/// SHA-256 of each blob; None for a submodule.
fn hashes(repository: &Repository, tree: &[TreeFile]) -> Result<Vec<Option<Raw>>> {
    let mut all: Vec<Option<Raw>> = vec![None; tree.len()];
    let blobs: Vec<usize> = (0..tree.len()).filter(|at| !tree[*at].is_submodule()).collect();
    let ids: Vec<ObjectId> = blobs.iter().map(|at| tree[*at].id).collect();
    let mut open: Option<(digest::Stream, ObjectName)> = None;
    repository.contents_with_idle_timeout(&ids, |n, piece| match piece {
        Piece::Begin(length) => {
            open = Some((digest::Stream::default(), ObjectName::checked(ids[n].format(), "blob", length)));
        }
        Piece::Bytes(bytes) => {
            if let Some((hash, name)) = &mut open {
                hash.update(bytes);
                name.update(bytes);
            }
        }
        Piece::End => {
            all[blobs[n]] = open.take().and_then(|(hash, name)| (name.finish() == ids[n]).then(|| hash.finish_raw()));
        }
        Piece::Missing => {}
    })?;
    match blobs.iter().find(|at| all[**at].is_none()) {
        None => Ok(all),
        Some(at) => {
            let text = format!("git object is missing or damaged: {}. Check with `git fsck`", tree[*at].id);
            Err(Error::damaged(&repository.common_dir.join("objects"), text))
        }
    }
}
