//! The directories that hold git's own, wherever they lie and whatever they are called.

use super::{Repository, is_git_dir};
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

    /// Whether it is a repository that git can open: less than that may bear the name, and one whose head was emptied is torn.
    pub fn is_genuine(&self) -> bool {
        is_git_dir(&self.git_dir) && fs::symlink_metadata(self.git_dir.join("HEAD")).is_ok_and(|meta| meta.len() > 0)
    }

    /// The git directory that a path lies in; of use where no work tree holds it.
    pub fn dir_around(path: &Path) -> Option<PathBuf> {
        path.ancestors().find(|dir| is_git_dir(dir)).map(Path::to_path_buf)
    }
}
