//! `create`: creates a worktree on a new branch from the base, or finds the existing one with that path and branch.

use crate::creation::{self, Creation};
use crate::place::{DIR, Place};
use crate::runners;
use review_gate::git::{Repository, WorkTree};
use review_gate::rescue::declared_copies;
use review_gate::store::record::CreatedWorktree;
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

/// Creates the worktree and prints its path.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (mut id, mut base) = (None, None);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "base" => base = Some(args.value()?),
            Flag::Operand(word) if id.is_none() => id = Some(word.clone()),
            _ => return Err(args.unknown(&flag)),
        }
    }
    let id = id.filter(|id| !id.trim().is_empty()).ok_or_else(|| args.wrong("create needs one operand: an id"))?;
    let mut place = Place::of(args)?;
    let _lock = place.lock()?;
    place.refresh()?;
    let (path, branch) = (place.path(&id), place.branch(&id));
    let mut creation = Creation::of(&place, &id);
    let is_unfinished = creation.is_unfinished();
    if is_unfinished {
        creation.begin(&place, &path)?;
        place.refresh()?;
        creation::clear(&place, &path)?;
        place.refresh()?;
    }
    place.mend(&path)?;
    let is_there = is_there(&place, &path, &branch)?;
    // Complete a worktree that a killed run left unfinished.
    if is_unfinished || !is_there || worktrees::at_path(&place.state, &path).is_none() {
        creation.begin(&place, &path)?;
        let (base, fork) = base_of(&place.repository, base.as_deref())?;
        let is_new = !is_there && add(&place, &path, &branch, &fork)?;
        // A branch that existed before keeps its fork point.
        let fork = if is_new { fork } else { merge_base(&place.repository, &branch, fork)? };
        finish(&place, CreatedWorktree { name: id, path: path.clone(), branch, base, fork, at: Time::default() })?;
        creation.end()?;
        // Told at the first one only.
        let is_first = place.linked.iter().all(|tree| !tree.path.starts_with(place.main.path.join(DIR)));
        if is_first
            && !place.main.is_bare
            && let Some(text) = runners::warning(&place.main.path)
        {
            cli::print_error(args.tool, &text);
        }
    }
    pipes::write(&[path.as_os_str().as_bytes(), b"\n"].concat())?;
    Ok(Exit::Yes)
}

/// Whether the worktree exists already. An error if its path, branch and repository do not match.
fn is_there(place: &Place, path: &Path, branch: &str) -> Result<bool> {
    let refused = |text: String| Err(Error::refused(text));
    let elsewhere = |tree: &&WorkTree| tree.branch.as_deref() == Some(branch) && tree.path != path;
    if let Some(other) = place.linked.iter().chain([&place.main]).find(elsewhere) {
        return refused(format!(
            "{branch} is checked out elsewhere: {}. Remove that worktree or choose another id",
            other.path.display()
        ));
    }
    let Some(tree) = place.at(path) else {
        let is_empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        return match fs::symlink_metadata(path) {
            Err(_) => Ok(false),
            Ok(meta) if meta.is_dir() && is_empty() => Ok(false),
            Ok(_) => refused(format!(
                "not a worktree of this repository: {}. Move it away or choose another id",
                path.display()
            )),
        };
    };
    if tree.is_prunable {
        return match &tree.lock_reason {
            Some(why) => refused(format!(
                "the worktree is locked and its directory is missing: {} ({why}). Unlock it with `git worktree unlock`",
                path.display()
            )),
            None => Ok(false),
        };
    }
    place.inside(tree)?;
    let short = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    match tree.branch.as_deref() {
        Some(found) if found == branch => Ok(true),
        Some(found) => refused(format!(
            "{} has {found} checked out, not {branch}. Switch back or choose another id",
            path.display()
        )),
        None => refused(format!("{} has no branch checked out. Run `git switch {short}` there", path.display())),
    }
}

/// The merge base of a branch and another commit.
fn merge_base(repository: &Repository, branch: &str, other: String) -> Result<String> {
    let tip = repository.tip(branch)?.unwrap_or_else(|| other.clone());
    Ok(repository.line(&["merge-base", &tip, &other])?.unwrap_or(other))
}

/// Adds the worktree; returns whether its branch is new.
fn add(place: &Place, path: &Path, branch: &str, fork: &str) -> Result<bool> {
    let repository = &place.repository;
    let home = place.main.path.join(DIR);
    match fs::symlink_metadata(&home) {
        Ok(meta) if !meta.is_dir() => {
            return Err(Error::refused(format!("not a directory: {}. Move it away", home.display())));
        }
        Ok(_) => {}
        Err(_) => fs::create_dir_all(&home).map_err(|e| Error::io("make", &home, &e))?,
    }
    exclude(place)?;
    let short = OsStr::new(branch.strip_prefix("refs/heads/").unwrap_or(branch));
    let mut words: Vec<&OsStr> = ["worktree", "add", "--quiet"].map(OsStr::new).to_vec();
    // Git may still list a worktree whose directory is gone.
    if place.at(path).is_some() {
        words.push(OsStr::new("--force"));
    }
    let found = repository.tip(branch)?;
    match &found {
        // Check out an existing branch of this id as it is.
        Some(_) => words.extend([path.as_os_str(), short]),
        None => words.extend(["--no-track", "-b"].map(OsStr::new).into_iter().chain([
            short,
            path.as_os_str(),
            OsStr::new(fork),
        ])),
    }
    repository.run(&words)?;
    Ok(found.is_none())
}

/// Checks out submodules and copies declared files. The record is written last, so that it proves a complete worktree.
fn finish(place: &Place, made: CreatedWorktree) -> Result<()> {
    let inside = Repository::at(&made.path).ok_or_else(|| Error::missing("git worktree add made no worktree"))?;
    if made.path.join(".gitmodules").exists() {
        inside.run(&["submodule", "--quiet", "update", "--init", "--recursive"])?;
    }
    if !place.main.is_bare {
        for name in declared_copies::copy(&place.main.path, &made.path, &place.land_or_default().copy)? {
            cli::print_error(&crate::TOOL, &format!("not copied: {name}"));
        }
    }
    place.write(made)
}

/// The base and its commit: the named one, else `review-gate.base`, else the trunk.
fn base_of(repository: &Repository, named: Option<&str>) -> Result<(String, String)> {
    let configured = repository.line(&["config", "--get", "review-gate.base"])?;
    let name = match named.map(str::to_string).or(configured) {
        Some(name) => name,
        None => repository.trunk()?,
    };
    let commit = repository.resolve(&name)?;
    Ok((name, commit))
}

/// Hides the directory of worktrees from the main worktree's status, in `info/exclude` and not in a tracked file.
fn exclude(place: &Place) -> Result<()> {
    if place.main.is_bare {
        return Ok(());
    }
    let main = Repository::at(&place.main.path).unwrap_or_else(|| place.repository.clone());
    if main.try_run(&["check-ignore", "--quiet", "--no-index", &format!("{DIR}/x")])?.is_success {
        return Ok(());
    }
    let path = place.repository.common_dir.join("info/exclude");
    let before = files::try_read_following(&path, 16 << 20).unwrap_or_default();
    let newline = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" };
    let info = place.repository.common_dir.join("info");
    fs::create_dir_all(&info).map_err(|e| Error::io("make", &info, &e))?;
    files::append_following(&path, format!("{newline}/{DIR}/\n").as_bytes())
}
