//! What was settled about the current files: refuted and confirmed issues, the moderator's decision.

use super::record::{Dispute, RaisedIssue, Ruled, Settled};
use super::subject::Subject;
use crate::sys::digest::hex;

impl Subject {
    /// The blocking issues that are open: no later decision found them resolved, no test refutes them, and the test that confirmed one
    /// is missing or the files are still those that it failed with. The checks run that test, so this holds only where they pass.
    pub fn open_issues(&self) -> Vec<RaisedIssue> {
        let open = self.reviews.open_issues_with_places().into_iter();
        let is_settled = |place: usize, issue: &RaisedIssue| {
            let last = self.last_ruling(&issue.key).filter(|settled| settled.place > place);
            last.is_some_and(|settled| match settled.ruled {
                Ruled::Refuted => self.is_here(settled),
                Ruled::Confirmed => !self.is_here(settled) && self.has_files(settled),
                _ => false,
            })
        };
        open.filter(|(place, issue)| !is_settled(*place, issue)).map(|(_, issue)| issue).collect()
    }

    /// Whether a test refuted an issue in exactly these files: a change of any other file may bring the issue about, too.
    pub fn is_refuted(&self, key: &str) -> bool {
        self.last_ruling(key).is_some_and(|settled| settled.ruled == Ruled::Refuted && self.is_here(settled))
    }

    /// The arbiter's last answer about an issue, if one could be used.
    pub fn last_ruling(&self, key: &str) -> Option<&Settled> {
        let names = |settled: &&Settled| settled.keys.iter().any(|known| known == key);
        self.reviews.settled_about(Dispute::Arbiter).filter(names).rfind(|settled| settled.ruled != Ruled::Invalid)
    }

    /// The arbiter's last answer about an issue in these files, whatever it is.
    pub fn ruling_here(&self, key: &str) -> Option<&Settled> {
        let names = |settled: &&Settled| settled.keys.iter().any(|known| known == key);
        let here = |settled: &&Settled| self.is_here(settled);
        self.reviews.settled_about(Dispute::Arbiter).filter(names).rfind(here)
    }

    /// What the moderator decided about exactly these files with exactly these open issues.
    pub fn moderated(&self, open: &[RaisedIssue]) -> Option<&Settled> {
        let keys = keys_of(open);
        let is_this = |settled: &&Settled| settled.snapshot == self.now.digest() && settled.keys == keys;
        self.reviews.settled_about(Dispute::Moderator).rfind(is_this)
    }

    /// SHA-256 of a current file; None if there is none. The path is relative to the root.
    pub fn digest_of(&self, path: &str) -> Option<String> {
        let whole = self.root.join(path);
        let below = whole.strip_prefix(&self.top).ok()?;
        self.now.get(below).map(|entry| hex(&entry.sha256))
    }

    /// Whether it is about exactly these files.
    fn is_here(&self, settled: &Settled) -> bool {
        settled.snapshot == self.now.digest()
    }

    fn has_files(&self, settled: &Settled) -> bool {
        settled.files.iter().all(|(path, digest)| self.digest_of(path).as_ref() == Some(digest))
    }
}

/// The keys of issues, sorted.
pub fn keys_of(open: &[RaisedIssue]) -> Vec<String> {
    let mut keys: Vec<String> = open.iter().map(|issue| issue.key.clone()).collect();
    keys.sort();
    keys.dedup();
    keys
}
