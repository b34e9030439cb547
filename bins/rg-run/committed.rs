//! Whether a commit holds the files that were judged. A filter, an ignore rule, another process or the agent's configuration may make a
//! difference; the user's own conversions, as those of Git LFS, are none.

use crate::outside;
use crate::settings::Place;
use review_gate::git::{ObjectId, Repository, TreeFile};
use review_gate::snapshot::commit::of_commit;
use review_gate::snapshot::{self, Rules, Snapshot, Use};
use review_gate::store::receipt::Receipt;
use review_gate::store::record::{RunEnd, RunStart};
use review_gate::sys::error::Result;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Why a commit is not the work that was judged; None if it is.
pub fn difference(place: &Place, start: &RunStart, commit: &str, end: &RunEnd) -> Option<String> {
    let judged = Receipt::load(&place.state, end.receipt.as_deref()?).ok()?.snapshot?;
    let repository = Repository::find(&place.root)?;
    let committed = of_commit(&repository, commit).ok()?;
    let is_same = committed.digest() == judged
        || is_converted(place, start, &repository, commit, &committed, &judged).unwrap_or(false);
    (!is_same).then(|| {
        let short = commit.get(..12).unwrap_or(commit);
        format!("the files of commit {short} are not those that were judged: compare them with the worktree's")
    })
}

/// Whether conversions of the user's git make the whole difference: git still runs what it ran when the run began, no file of attributes
/// changed, the files on disk are those that were judged, and git makes exactly these objects of them.
fn is_converted(
    place: &Place,
    start: &RunStart,
    repository: &Repository,
    commit: &str,
    committed: &Snapshot,
    judged: &str,
) -> Result<bool> {
    let now = snapshot::take(&place.root, &Rules::Today, &place.state, Use::Fresh)?;
    let Some(base) = start.base.as_deref().filter(|_| now.digest() == *judged) else { return Ok(false) };
    let has_own_settings = repository.git_dir.join("config.worktree").exists();
    if has_own_settings
        || outside::changed_programs(place, start)?.is_some()
        || changes_attributes(repository, base, commit)?
    {
        return Ok(false);
    }
    let paths = now.changed_since(committed);
    // Only contents may differ, and a name with a newline cannot be asked for.
    let is_content = |path: &PathBuf| {
        let kinds = (now.get(path).map(|entry| entry.what), committed.get(path).map(|entry| entry.what));
        kinds.0 == kinds.1
            && kinds.0.is_some_and(snapshot::What::is_file)
            && !path.as_os_str().as_bytes().contains(&b'\n')
    };
    if !paths.iter().all(is_content) {
        return Ok(false);
    }
    let lines = paths.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\n"].concat()).collect();
    let made = repository.feed(&["hash-object", "--stdin-paths"], lines)?;
    let made: Vec<Option<ObjectId>> = made.split(|byte| *byte == b'\n').map(ObjectId::parse).collect();
    let tree = repository.tree(commit)?;
    let stored = |path: &PathBuf| tree.iter().find(|file: &&TreeFile| file.path == *path).map(|file| file.id);
    Ok(paths.iter().zip(made).all(|(path, made)| made.is_some() && made == stored(path)))
}

/// Whether a `.gitattributes` differs between two commits.
fn changes_attributes(repository: &Repository, base: &str, commit: &str) -> Result<bool> {
    let of = |commit: &str| -> Result<Vec<(PathBuf, ObjectId)>> {
        let tree = repository.tree(commit)?;
        let named = tree.iter().filter(|file| file.path.file_name() == Some(OsStr::new(".gitattributes")));
        Ok(named.map(|file| (file.path.clone(), file.id)).collect())
    };
    Ok(of(base)? != of(commit)?)
}
