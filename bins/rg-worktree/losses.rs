//! The reasons not to remove a worktree: what would be lost with it.

/// The reasons not to remove a worktree.
#[derive(Debug, Default)]
pub struct Losses {
    /// It must not be removed, even with a backup: for example it is locked.
    pub never: Vec<String>,
    /// A backup cannot hold it: repositories inside with work of their own.
    pub uncopied: Vec<String>,
    /// Lost without a backup.
    pub lost: Vec<String>,
    /// Commits that only its branch contains; they stay if the branch stays.
    pub unmerged: Option<String>,
}

impl Losses {
    /// Whether there is no reason.
    pub fn is_none(&self) -> bool {
        self.never.is_empty() && self.uncopied.is_empty() && self.lost.is_empty() && self.unmerged.is_none()
    }

    /// All reasons in one line.
    pub fn words(&self) -> String {
        self.all().join("; ")
    }

    /// All reasons.
    pub fn all(&self) -> Vec<String> {
        self.never.iter().chain(&self.uncopied).chain(&self.lost).chain(&self.unmerged).cloned().collect()
    }
}
