//! Whether a commit holds the files that were judged. A filter, an ignore rule, another process or the agent's configuration may make a
//! difference. The user's own conversions, as those of Git LFS, are none; files that git ignores are named.

use crate::outside;
use crate::settings::Place;
use review_gate::git::{ObjectId, Repository, TreeFile};
use review_gate::snapshot::commit::of_commit;
use review_gate::snapshot::{self, Rules, Snapshot, Use};
use review_gate::store::receipt::Receipt;
use review_gate::store::record::{RunEnd, RunStart};
use review_gate::sys::error::{Error, Result};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// What a commit lacks of the files that were judged, because git ignores it; empty if nothing. Errors: it is not the work that was judged.
pub fn require_judged(place: &Place, start: &RunStart, commit: &str, end: &RunEnd) -> Result<String> {
    let id = end.receipt.as_deref().ok_or_else(|| Error::changed("no receipt names the files"))?;
    let judged =
        Receipt::load(&place.state, id)?.snapshot.ok_or_else(|| Error::changed("the receipt names no files"))?;
    let repository = Repository::find(&place.root).ok_or_else(|| Error::changed("no repository"))?;
    let committed = of_commit(&repository, commit)?;
    require_submodules(&repository, start, commit)?;
    if committed.digest() == judged {
        return Ok(String::new());
    }
    let short = commit.get(..12).unwrap_or(commit);
    let other = |files: &[PathBuf]| {
        let names = if files.is_empty() { String::new() } else { format!(": {}", names(files)) };
        Error::changed(format!(
            "the files of commit {short} are not those that were judged{names}. Compare them with the worktree's"
        ))
    };
    let now = [Rules::Today, rules_of_base(&repository, start)?]
        .iter()
        .map(|rules| snapshot::take(&place.root, rules, &place.state, Use::Fresh))
        .find(|now| now.as_ref().map_or(true, |now| now.digest() == judged));
    let Some(now) = now.transpose()? else { return Err(other(&[])) };
    let differing = now.changed_since(&committed);
    let has_own_settings = repository.git_dir.join("config.worktree").exists();
    if has_own_settings || outside::changed_programs(place, start)?.is_some() {
        return Err(other(&differing));
    }
    let (lacking, converted): (Vec<PathBuf>, Vec<PathBuf>) =
        differing.iter().cloned().partition(|path| committed.get(path).is_none());
    let ignored = ignored(&repository, &lacking)?;
    let is_explained = ignored.len() == lacking.len()
        && (converted.is_empty() || is_converted(start, &repository, commit, (&now, &committed), &converted)?);
    match is_explained {
        true if ignored.is_empty() => Ok(String::new()),
        true => Ok(format!("not committed, because git ignores it: {}", names(&ignored))),
        false => Err(other(&differing)),
    }
}

fn names(files: &[PathBuf]) -> String {
    outside::names(files.iter().map(|path| path.display().to_string()))
}

/// The ignore rules that the task began with.
fn rules_of_base(repository: &Repository, start: &RunStart) -> Result<Rules> {
    let ignores = start.base.as_ref().map_or(Ok(Vec::new()), |base| repository.ignore_files_of(base))?;
    Ok(Rules::Fixed { ignores, forced: Vec::new() })
}

/// An error if a submodule has another commit than at the base and is not checked out: its files were not judged.
fn require_submodules(repository: &Repository, start: &RunStart, commit: &str) -> Result<()> {
    let links = |commit: &str| -> Result<Vec<(PathBuf, ObjectId)>> {
        let tree = repository.tree(commit)?;
        Ok(tree.iter().filter(|file| file.is_submodule()).map(|file| (file.path.clone(), file.id)).collect())
    };
    let before = start.base.as_deref().map_or(Ok(Vec::new()), links)?;
    let unseen =
        |link: &&(PathBuf, ObjectId)| !before.contains(link) && Repository::at(&repository.top.join(&link.0)).is_none();
    match links(commit)?.iter().find(unseen) {
        None => Ok(()),
        Some((path, _)) => {
            Err(Error::changed(format!("the submodule {} was not judged: it is not checked out", path.display())))
        }
    }
}

/// The paths among these that git ignores.
fn ignored(repository: &Repository, paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let list = paths.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect();
    // It fails if none is ignored.
    let said = repository.feed(&["check-ignore", "-z", "--stdin"], list).unwrap_or_default();
    let named: BTreeSet<&[u8]> = said.split(|byte| *byte == 0).collect();
    Ok(paths.iter().filter(|path| named.contains(path.as_os_str().as_bytes())).cloned().collect())
}

/// Whether conversions of the user's git make the whole difference of these files: no file of attributes changed, and git makes exactly
/// these objects of the judged files.
fn is_converted(
    start: &RunStart,
    repository: &Repository,
    commit: &str,
    (now, committed): (&Snapshot, &Snapshot),
    paths: &[PathBuf],
) -> Result<bool> {
    let Some(base) = start.base.as_deref() else { return Ok(false) };
    if changes_attributes(repository, base, commit)? {
        return Ok(false);
    }
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
