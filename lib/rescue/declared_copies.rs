//! Ignored files that DONE.md declares (`land.copy`): copied into a new worktree, and compared with the main one before removal.

use crate::git::Repository;
use crate::sys::error::Result;
use crate::sys::files;
use crate::sys::gitignore::Patterns;
use crate::sys::text::one_line;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

/// The ignored files below `top` that match the patterns.
fn declared(top: &Path, patterns: &[String]) -> Result<Vec<PathBuf>> {
    let Some(repository) = Repository::at(top).filter(|_| !patterns.is_empty()) else { return Ok(Vec::new()) };
    let patterns = Patterns::of(patterns);
    let out = repository.run(&["ls-files", "-z", "--others", "--ignored", "--exclude-standard"])?;
    let paths = out.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let paths = paths.map(|name| PathBuf::from(std::ffi::OsString::from_vec(name.to_vec())));
    Ok(paths.filter(|path| patterns.matches(path)).collect())
}

/// Copies the declared files of one working tree into another. Returns the files that could not be copied, each with the reason.
pub fn copy(from: &Path, to: &Path, patterns: &[String]) -> Result<Vec<String>> {
    let mut failed = Vec::new();
    for path in declared(from, patterns)? {
        // An interrupted earlier call may have copied it already.
        if fs::symlink_metadata(to.join(&path)).is_ok() {
            continue;
        }
        if let Err(why) = copy_one(&from.join(&path), to, &path) {
            failed.push(format!("{}: {why}", one_line(&path.to_string_lossy())));
        }
    }
    Ok(failed)
}

/// Copies one file or link. Follows no link in the new worktree and overwrites nothing.
fn copy_one(from: &Path, top: &Path, path: &Path) -> io::Result<()> {
    let refused = |why: &str| Err(io::Error::other(why.to_string()));
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return refused("not a plain path");
    }
    let mut dir = top.to_path_buf();
    for part in path.parent().into_iter().flat_map(Path::components) {
        dir.push(part);
        match fs::symlink_metadata(&dir) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return refused("its directory is a link or a file in the new worktree"),
            Err(_) => fs::create_dir(&dir)?,
        }
    }
    let to = top.join(path);
    let meta = fs::symlink_metadata(from)?;
    if meta.is_symlink() {
        return symlink(fs::read_link(from)?, &to);
    }
    let Some(mut source) = files::try_open(from) else { return refused("not a file") };
    let mode = meta.permissions().mode() & 0o777;
    // The file gets its name only when it is complete, even if this process is killed.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let part = to.with_file_name(format!(".{}.part", name.chars().take(50).collect::<String>()));
    let _ = fs::remove_file(&part);
    let mut target = files::create_new(&part, mode)?;
    let done = io::copy(&mut source, &mut target).and_then(|_| match fs::hard_link(&part, &to) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => fs::rename(&part, &to),
        linked => linked,
    });
    let _ = fs::remove_file(&part);
    done
}

/// The declared files of a working tree that are missing or different in another one. None: there is no other one.
pub fn differing(top: &Path, other: Option<&Path>, patterns: &[String]) -> Result<Vec<PathBuf>> {
    let differs = |path: &PathBuf| other.is_none_or(|other| !is_same(&top.join(path), &other.join(path)));
    Ok(declared(top, patterns)?.into_iter().filter(differs).collect())
}

fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::read_link(a), fs::read_link(b)) {
        (Ok(a), Ok(b)) => return a == b,
        (Err(_), Err(_)) => {}
        _ => return false,
    }
    let digest = |path: &Path| crate::sys::digest::sha256_file(&mut files::try_open(path)?).ok();
    digest(a).is_some_and(|found| digest(b) == Some(found))
}
