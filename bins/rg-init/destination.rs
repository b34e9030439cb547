//! Where DONE.md is written. No file is replaced unless the user says so, and then the old one is kept.

use review_gate::donefile;
use review_gate::git::Repository;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The most copies of earlier files that are kept.
const COPIES: usize = 100;

/// Refuses if the directory has a definition of done and the user did not ask to replace it.
pub fn refuse_existing(root: &Path, is_forced: bool) -> Result<()> {
    let path = root.join("DONE.md");
    if is_forced && env::is_below_agent() {
        return Err(Error::usage("--force is only for the user: this is an agent's shell"));
    }
    if fs::symlink_metadata(&path).is_ok_and(|meta| !meta.is_file()) {
        return Err(Error::refused("DONE.md is no regular file here. Remove it and run `rg-init` again"));
    }
    let existing = donefile::NAMES.iter().find(|name| fs::symlink_metadata(root.join(name)).is_ok());
    match existing {
        Some(name) if !is_forced => Err(Error::refused(format!(
            "{name} exists and is not replaced. Print a proposal with `rg-init --dry-run`, or replace it with `rg-init --force`"
        ))),
        _ => Ok(()),
    }
}

/// The definition of done of a directory above, which a new one in `root` replaces there.
pub fn above(root: &Path) -> Option<PathBuf> {
    let top = Repository::find(root)?.top;
    let parent = root.parent().filter(|parent| parent.starts_with(&top))?;
    donefile::find(parent).ok()?.map(|found| found.root.join(found.name))
}

/// Writes DONE.md. Returns the name of the copy of an earlier DONE.md.
pub fn write(root: &Path, text: &str, is_forced: bool) -> Result<Option<String>> {
    let path = root.join("DONE.md");
    let old = match fs::symlink_metadata(&path) {
        // It may have appeared while the checks were tried.
        Ok(meta) if !is_forced || !meta.is_file() => {
            return Err(Error::refused("DONE.md exists and is not replaced. Remove it and run `rg-init` again"));
        }
        Ok(_) => Some(set_aside(root, &path)?),
        Err(_) => None,
    };
    let created = files::create_new(&path, 0o644).map_err(|e| Error::io("write", &path, &e));
    let written = created.and_then(|mut file| {
        file.write_all(text.as_bytes()).map_err(|e| {
            // Half a definition is worse than none. The cause is reported in any case.
            let _ = fs::remove_file(&path);
            Error::io("write", &path, &e)
        })
    });
    match (written, old) {
        (Ok(()), old) => Ok(old),
        (Err(error), None) => Err(error),
        (Err(error), Some(name)) => {
            // A file that appeared meanwhile stays, and so does the copy.
            let _ = fs::hard_link(root.join(&name), &path).and_then(|()| fs::remove_file(root.join(&name)));
            Err(error)
        }
    }
}

/// Renames the earlier DONE.md to a name that no file has.
fn set_aside(root: &Path, path: &Path) -> Result<String> {
    for number in 0..COPIES {
        let name = if number == 0 { "DONE.md.old".to_string() } else { format!("DONE.md.old.{number}") };
        let copy: PathBuf = root.join(&name);
        // A hard link fails if the name is taken; a rename would replace that file.
        match fs::hard_link(path, &copy) {
            Ok(()) => {
                fs::remove_file(path).map_err(|e| Error::io("rename", path, &e))?;
                return Ok(name);
            }
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(Error::io("copy", path, &e)),
        }
    }
    Err(Error::refused(format!("{COPIES} copies of DONE.md exist. Remove the old ones: `rm DONE.md.old*`")))
}
