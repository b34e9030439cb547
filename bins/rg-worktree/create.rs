//! `create`: a worktree on a branch of its own from the base; or the one that is there, where path, branch and repository agree.

use crate::making::{self, Making};
use crate::place::{DIR, Place};
use review_gate::git::{Repository, WorkTree};
use review_gate::rescue::declared_copies;
use review_gate::store::record::Made;
use review_gate::store::worktrees;
use review_gate::sys::clock::Time;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::files;
use review_gate::tool::cli::{self, Args, Flag};
use review_gate::tool::pipes;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Makes it, and prints where it is.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (mut id, mut base) = (None, None);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "base" => base = Some(args.value()?),
            Flag::Operand(word) if id.is_none() => id = Some(word.clone()),
            _ => return Err(args.unknown(&flag)),
        }
    }
    let id = id.filter(|id| !id.trim().is_empty()).ok_or_else(|| args.wrong("create wants an id"))?;
    let mut place = Place::of(args)?;
    let _lock = place.lock()?;
    place.refresh()?;
    let (path, branch) = (place.path(&id), place.branch(&id));
    let mut making = Making::of(&place, &id);
    let was_begun = making.was_begun();
    if was_begun {
        making.begin(&place, &path)?;
        place.refresh()?;
        making::clear(&place, &path)?;
        place.refresh()?;
    }
    place.mend(&path)?;
    let is_there = is_there(&place, &path, &branch)?;
    // One that was begun and not ended, because somebody killed us, is ended now.
    if was_begun || !is_there || worktrees::at(&place.state, &path).is_none() {
        making.begin(&place, &path)?;
        let (base, fork) = base_of(&place.repository, base.as_deref())?;
        let is_new = !is_there && make(&place, &path, &branch, &fork)?;
        // One that was there before goes off from where it did.
        let fork = if is_new { fork } else { parted(&place.repository, &branch, fork)? };
        finish(&place, Made { name: id, path: path.clone(), branch, base, fork, at: Time::default() })?;
        making.end()?;
    }
    pipes::write(&[path.as_os_str().as_bytes(), b"\n"].concat())?;
    Ok(Exit::Yes)
}

/// Whether the worktree stands already. Where path, branch and repository do not agree nothing is touched.
fn is_there(place: &Place, path: &Path, branch: &str) -> Result<bool> {
    let refused = |text: String| Err(Error::refused(text));
    let elsewhere = |tree: &&WorkTree| tree.branch.as_deref() == Some(branch) && tree.path != path;
    if let Some(other) = place.linked.iter().chain([&place.main]).find(elsewhere) {
        return refused(format!("{branch} is checked out in {}: not touched", other.path.display()));
    }
    let Some(tree) = place.at(path) else {
        let is_empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        return match fs::symlink_metadata(path) {
            Err(_) => Ok(false),
            Ok(meta) if meta.is_dir() && is_empty() => Ok(false),
            Ok(_) => refused(format!("{} is there and is no worktree of this repository: not touched", path.display())),
        };
    };
    if tree.gone {
        return match &tree.locked {
            Some(why) => refused(format!("{} is locked and not there ({why})", path.display())),
            None => Ok(false),
        };
    }
    place.inside(tree)?;
    match tree.branch.as_deref() {
        Some(found) if found == branch => Ok(true),
        Some(found) => refused(format!("{} is on {found}, not on {branch}: not touched", path.display())),
        None => refused(format!("{} is on no branch: git switch {branch} there first", path.display())),
    }
}

/// The commit at which a branch and another commit parted.
fn parted(repository: &Repository, branch: &str, other: String) -> Result<String> {
    let tip = repository.tip(branch)?.unwrap_or_else(|| other.clone());
    Ok(repository.line(&["merge-base", &tip, &other])?.unwrap_or(other))
}

/// Makes it; whether its branch is new.
fn make(place: &Place, path: &Path, branch: &str, fork: &str) -> Result<bool> {
    let repository = &place.repository;
    let home = place.main.path.join(DIR);
    match fs::symlink_metadata(&home) {
        Ok(meta) if !meta.is_dir() => {
            return Err(Error::refused(format!("{} is no directory of ours: move it away", home.display())));
        }
        Ok(_) => {}
        Err(_) => fs::create_dir_all(&home).map_err(|e| Error::io("make", &home, &e))?,
    }
    keep_out(place)?;
    let short = OsStr::new(branch.strip_prefix("refs/heads/").unwrap_or(branch));
    let mut words: Vec<&OsStr> = ["worktree", "add", "--quiet"].map(OsStr::new).to_vec();
    // Its own entry may have outlived its directory.
    if place.at(path).is_some() {
        words.push(OsStr::new("--force"));
    }
    let found = repository.tip(branch)?;
    match &found {
        // A branch of this id without a worktree is gone on with as it is: nothing of it is moved.
        Some(_) => words.extend([path.as_os_str(), short]),
        None => words.extend(["--no-track", "-b"].map(OsStr::new).into_iter().chain([
            short,
            path.as_os_str(),
            OsStr::new(fork),
        ])),
    }
    repository.act(&words)?;
    Ok(found.is_none())
}

/// Submodules and declared files; the record comes last, and says that it is whole.
fn finish(place: &Place, made: Made) -> Result<()> {
    let inside = Repository::at(&made.path).ok_or_else(|| Error::missing("git made no worktree"))?;
    if made.path.join(".gitmodules").exists() {
        inside.act(&["submodule", "--quiet", "update", "--init", "--recursive"])?;
    }
    if !place.main.bare {
        for name in declared_copies::copy(&place.main.path, &made.path, &place.land_or_default().copy)? {
            cli::complain(&crate::TOOL, &format!("not copied: {name}"));
        }
    }
    place.write(made)
}

/// The base: as it was named, as the repository's setting names it, else the trunk; and its commit.
fn base_of(repository: &Repository, named: Option<&str>) -> Result<(String, String)> {
    let configured = repository.line(&["config", "--get", "review-gate.base"])?;
    let name = match named.map(str::to_string).or(configured) {
        Some(name) => name,
        None => repository.trunk()?,
    };
    let commit = repository.resolve(&name)?;
    Ok((name, commit))
}

/// Keeps the directory of worktrees out of the main one's status: in git's own list, never in a tracked file.
fn keep_out(place: &Place) -> Result<()> {
    if place.main.bare {
        return Ok(());
    }
    let main = Repository::at(&place.main.path).unwrap_or_else(|| place.repository.clone());
    if main.ask(&["check-ignore", "--quiet", "--no-index", &format!("{DIR}/x")])?.ok {
        return Ok(());
    }
    let path = place.repository.common_dir.join("info/exclude");
    let before = files::try_read_following(&path, 16 << 20).unwrap_or_default();
    let newline = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" };
    let info = place.repository.common_dir.join("info");
    fs::create_dir_all(&info).map_err(|e| Error::io("make", &info, &e))?;
    files::append_following(&path, format!("{newline}/{DIR}/\n").as_bytes())
}
