//! The output of builds and tools: new files that a new ignore rule hides.

use review_gate::git::Repository;
use review_gate::snapshot::CurrentIgnores;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Finds untracked files that today's ignore rules hide and the base's did not: the output of builds and tools.
pub struct Output {
    /// The top of the working tree.
    pub top: PathBuf,
    rules: CurrentIgnores,
    tracked: OnceCell<HashSet<PathBuf>>,
}

impl Output {
    /// With today's rules of this working tree.
    pub fn new(top: &Path) -> Output {
        Output { top: top.to_path_buf(), rules: CurrentIgnores::new(top), tracked: OnceCell::new() }
    }

    /// Whether a file is untracked and hidden.
    pub fn holds(&mut self, path: &Path) -> bool {
        let top = &self.top;
        let index = || Repository::at(top).and_then(|repository| repository.tracked().ok()).unwrap_or_default();
        let tracked = self.tracked.get_or_init(|| index().iter().map(|tracked| tracked.path.to_path_buf()).collect());
        !tracked.contains(path) && self.rules.hide(path)
    }
}
