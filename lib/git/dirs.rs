//! Git directories, which may have any name and place.

use super::{Repository, is_git_dir};
use std::fs;
use std::path::{Path, PathBuf};

impl Repository {
    /// The git directories of this repository below `top` with a name other than `.git`, relative to `top`.
    pub fn git_dirs_below(&self, top: &Path) -> Vec<PathBuf> {
        let Ok(top) = fs::canonicalize(top) else { return Vec::new() };
        let real = [&self.git_dir, &self.common_dir].into_iter().filter_map(|dir| fs::canonicalize(dir).ok());
        let mut below: Vec<PathBuf> = real.filter_map(|dir| Some(dir.strip_prefix(&top).ok()?.to_path_buf())).collect();
        below.retain(|dir| !dir.as_os_str().is_empty() && !dir.starts_with(".git"));
        below.dedup();
        below
    }

    /// Whether git can open this repository. A directory called `.git` need not be one, and an empty HEAD is damage.
    pub fn can_be_opened(&self) -> bool {
        is_git_dir(&self.git_dir) && fs::symlink_metadata(self.git_dir.join("HEAD")).is_ok_and(|meta| meta.len() > 0)
    }

    /// The git directory that contains a path, for paths outside of a work tree.
    pub fn enclosing_git_dir(path: &Path) -> Option<PathBuf> {
        path.ancestors().find(|dir| is_git_dir(dir)).map(Path::to_path_buf)
    }
}
