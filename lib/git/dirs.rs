//! The directories that hold git's own, wherever they lie and whatever they are called.

use super::Repository;
use std::fs;
use std::path::{Path, PathBuf};

impl Repository {
    /// Those of them that lie in the tree at `top` under another name than `.git`, relative to it.
    pub fn dirs_below(&self, top: &Path) -> Vec<PathBuf> {
        let Ok(top) = fs::canonicalize(top) else { return Vec::new() };
        let real = [&self.git_dir, &self.common_dir].into_iter().filter_map(|dir| fs::canonicalize(dir).ok());
        let mut below: Vec<PathBuf> = real.filter_map(|dir| Some(dir.strip_prefix(&top).ok()?.to_path_buf())).collect();
        below.retain(|dir| !dir.as_os_str().is_empty() && !dir.starts_with(".git"));
        below.dedup();
        below
    }

    /// Whether it is a repository as git sees it: a head, objects, references. Less than that may bear the name.
    pub fn is_genuine(&self) -> bool {
        let has_head = fs::symlink_metadata(self.git_dir.join("HEAD")).is_ok_and(|meta| meta.len() > 0);
        has_head && self.common_dir.join("objects").is_dir() && self.common_dir.join("refs").is_dir()
    }

    /// The git directory that a path lies in; of use where no work tree holds it.
    pub fn dir_around(path: &Path) -> Option<PathBuf> {
        let at = |dir: &Path| Repository { top: dir.into(), git_dir: dir.into(), common_dir: dir.into() };
        path.ancestors().find(|dir| at(dir).is_genuine()).map(Path::to_path_buf)
    }
}
