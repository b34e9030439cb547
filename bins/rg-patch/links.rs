//! Symbolic links that a patch makes: both the link and what it points to must be allowed.

use crate::names;
use crate::rules::Rules;
use crate::tree::{Stop, Tree};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The path of the target if it does not exist. Errors: the target is outside of the tree, forbidden, a directory, or reached through
/// another link.
pub fn check(link: &Path, target: &[u8], tree: &Tree, rules: &Rules) -> Result<Option<PathBuf>, Stop> {
    let refused = |why: &str| {
        Stop::Refused(format!("it is a symbolic link to {}: {why}", Path::new(OsStr::from_bytes(target)).display()))
    };
    if target.is_empty() || target.contains(&0) || target.contains(&b'\n') {
        return Err(refused("the target is not a path"));
    }
    let path = resolved(link, Path::new(OsStr::from_bytes(target)))
        .ok_or_else(|| refused("the target is outside of the working tree"))?;
    names::checked(path.as_os_str().as_bytes()).map_err(refused)?;
    if let Some(why) = rules.forbids(&path) {
        return Err(refused(&why));
    }
    match tree.find(&path) {
        Ok(Some(found)) if found.is_link => Err(refused("the target is another link")),
        Ok(Some(_)) => Ok(None),
        Ok(None) => Ok(Some(path)),
        // That includes a directory: the rules do not see which file below it is meant.
        Err(Stop::Refused(why)) => Err(refused(&why)),
        Err(failed) => Err(failed),
    }
}

/// The path of a target below the top; None if it leads outside.
fn resolved(link: &Path, target: &Path) -> Option<PathBuf> {
    let mut path = link.parent()?.to_path_buf();
    for part in target.components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_resolved_from_the_directory_of_the_link() {
        let at = |link: &str, target: &str| {
            resolved(Path::new(link), Path::new(target)).map(|path| path.display().to_string())
        };
        assert_eq!(at("a/b", "c").as_deref(), Some("a/c"));
        assert_eq!(at("a/b", "../c/./d").as_deref(), Some("c/d"));
        assert_eq!(at("a/b", "../../c"), None);
        assert_eq!(at("a/b", "/etc/passwd"), None);
    }
}
