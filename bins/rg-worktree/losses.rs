//! What would be lost with a worktree.

/// What keeps a worktree from being removed.
#[derive(Debug, Default)]
pub struct Losses {
    /// It may not be removed at all, whatever is kept: locked, or we are inside.
    pub never: Vec<String>,
    /// A copy cannot hold it: repositories inside with work of their own.
    pub uncopied: Vec<String>,
    /// Lost unless a copy is kept.
    pub lost: Vec<String>,
    /// Commits that only its branch holds; kept with the branch.
    pub unmerged: Option<String>,
}

impl Losses {
    /// Nothing at all.
    pub fn is_none(&self) -> bool {
        self.never.is_empty() && self.uncopied.is_empty() && self.lost.is_empty() && self.unmerged.is_none()
    }

    /// All of it in a line.
    pub fn words(&self) -> String {
        self.all().join("; ")
    }

    /// All of it, one by one.
    pub fn all(&self) -> Vec<String> {
        self.never.iter().chain(&self.uncopied).chain(&self.lost).chain(&self.unmerged).cloned().collect()
    }
}
