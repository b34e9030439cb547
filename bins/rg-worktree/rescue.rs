//! A copy of everything that would be lost, as a commit under refs/review-gate/rescue: the files as they lie, byte by byte, the index
//! and the head beside them.

use crate::place::Place;
use review_gate::error::{Error, Result};
use review_gate::git::{Repository, Said, WorkTree};
use review_gate::ids;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where copies are kept.
pub const REFS: &str = "refs/review-gate/rescue";

/// Makes the copy and returns its reference.
pub fn keep(place: &Place, tree: &WorkTree) -> Result<String> {
    let inside = place.inside(tree)?;
    let index = inside.git_dir.join("review-gate-rescue.index");
    let made = commit(place, &inside, tree, &index);
    let _ = fs::remove_file(&index);
    let commit = made?;
    let name = format!(
        "{REFS}/{}",
        ids::ulid(&["rescue", tree.head.as_deref().unwrap_or(""), tree.branch.as_deref().unwrap_or("")])
    );
    // Empty old value: it must not be there.
    inside.act(&["update-ref", "--create-reflog", &name, &commit, ""])?;
    Ok(name)
}

fn commit(place: &Place, inside: &Repository, tree: &WorkTree, index: &Path) -> Result<String> {
    let files = files_tree(place, inside, tree, index)?;
    let staged = staged_tree(inside, index)?;
    let mut parents: Vec<String> = tree.head.iter().cloned().collect();
    if let Some(staged) = staged {
        parents.push(write(inside, &staged, &parents, "the index as it was")?);
    }
    let id = write(inside, &files, &parents, &format!("the files of {} as they were", tree.path.display()))?;
    match files_tree(place, inside, tree, index)? == files {
        true => Ok(id),
        false => {
            Err(Error::unjudged(format!("files change in {} while they are copied: not removed", tree.path.display())))
        }
    }
}

/// The files as they lie: no filter, no attribute, no flag stands between.
fn files_tree(place: &Place, inside: &Repository, tree: &WorkTree, index: &Path) -> Result<String> {
    let _ = fs::remove_file(index);
    if let Some(head) = &tree.head {
        with_index(inside, index, &["read-tree", head])?;
    }
    // What the index tracks though it is ignored, or hides by a flag, is in it, too.
    let listed = index.with_extension("list");
    let mut names: Vec<u8> = Vec::new();
    let tracked = inside.tracked()?;
    let known = tracked.iter().filter(|entry| !entry.submodule && !entry.absent).map(|entry| entry.path.to_path_buf());
    let own: Vec<PathBuf> = place.own(tree)?;
    for path in known.chain(own) {
        if fs::symlink_metadata(inside.top.join(&path)).is_ok() {
            names.extend_from_slice(path.as_os_str().as_bytes());
            names.push(0);
        }
    }
    fs::write(&listed, &names).map_err(|e| Error::io("write", &listed, &e))?;
    let mut from = OsString::from("--pathspec-from-file=");
    from.push(&listed);
    let added = match names.is_empty() {
        true => Ok(Vec::new()),
        false => with_index(
            inside,
            index,
            &[
                OsStr::new("--literal-pathspecs"),
                OsStr::new("add"),
                OsStr::new("--force"),
                OsStr::new("--sparse"),
                &from,
                OsStr::new("--pathspec-file-nul"),
            ],
        ),
    };
    let _ = fs::remove_file(&listed);
    added?;
    with_index(inside, index, &["add", "--all", "--sparse"])?;
    let out = with_index(inside, index, &["write-tree"])?;
    Ok(String::from_utf8_lossy(&out).trim().to_string())
}

/// What was staged; None where there are conflicts, or no index.
fn staged_tree(inside: &Repository, index: &Path) -> Result<Option<String>> {
    let _ = fs::remove_file(index);
    if fs::copy(inside.git_dir.join("index"), index).is_err() {
        return Ok(None);
    }
    let said = ask_index(inside, index, &["write-tree"])?;
    Ok(Some(String::from_utf8_lossy(&said.out).trim().to_string()).filter(|_| said.ok))
}

fn write(inside: &Repository, tree: &str, parents: &[String], words: &str) -> Result<String> {
    let message = format!("review-gate: {words}");
    let mut args =
        vec!["-c", "user.name=review-gate", "-c", "user.email=review-gate@localhost", "-c", "commit.gpgSign=false"];
    args.extend(["commit-tree", tree, "-m", &message]);
    parents.iter().for_each(|parent| args.extend(["-p", parent]));
    Ok(String::from_utf8_lossy(&inside.act(&args)?).trim().to_string())
}

fn with_index<S: AsRef<OsStr>>(inside: &Repository, index: &Path, args: &[S]) -> Result<Vec<u8>> {
    let said = ask_index(inside, index, args)?;
    match said.ok {
        true => Ok(said.out),
        false => Err(Error::unjudged(format!("no copy can be kept: {}", said.words))),
    }
}

fn ask_index<S: AsRef<OsStr>>(inside: &Repository, index: &Path, args: &[S]) -> Result<Said> {
    // The empty tree as the source of attributes: none applies.
    let empty = match inside.format() {
        review_gate::git::Format::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        review_gate::git::Format::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    };
    let attributes = format!("--attr-source={empty}");
    let mut words: Vec<&OsStr> = vec![OsStr::new(&attributes)];
    words.extend(
        [
            "-c",
            "core.autocrlf=false",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.attributesFile=/dev/null",
            "-c",
            "advice.addEmbeddedRepo=false",
        ]
        .map(OsStr::new),
    );
    words.extend(args.iter().map(|arg| arg.as_ref()));
    inside.ask_with(&words, &[("GIT_INDEX_FILE", index.as_os_str())])
}
