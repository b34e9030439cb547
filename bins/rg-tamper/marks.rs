//! Marks: findings for new skips, suppressions, debugging aids and unfinished work.

use crate::guards::Inspection;
use crate::moves::Moves;
use crate::new_code::NewCode;
use crate::patterns::Kind;
use crate::sides::Sides;
use review_gate::event::{Level, Rule};
use review_gate::git::Repository;
use review_gate::snapshot::CurrentIgnores;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

impl Inspection<'_> {
    /// Finds new marks: those that were not at the base, did not move, and do not replace an equal one.
    pub fn find_marks(&mut self, output: &mut Output, all: &[Sides], moved: &Moves, new_code: &NewCode) {
        for (at, hit) in &moved.new_marks {
            let one = &all[*at];
            let Some((rule, what)) = rule_of(hit.kind()) else { continue };
            let Some(level) = self.guards.level(rule) else { continue };
            // A mark in a new file that a new ignore rule hides, or on new code, is only a warning.
            let is_output = one.change.then.is_none() && output.holds(&one.change.path);
            let reason = if is_output { Some("hidden by a new ignore rule") } else { new_code.reason(*at, hit) };
            let level = if reason.is_some() { level.min(Level::Warning) } else { level };
            let note = reason.map_or(String::new(), |reason| format!(" ({reason})"));
            let text = format!("{what}: {}{note}", hit.text);
            let key = format!("{:x}{:x}{:x}", hit.mark, hit.own, hit.after);
            self.find_at(level, rule, &one.role.shown, Some(hit.line), &key, text);
        }
    }
}

/// The guard for a kind of mark, and a description of the mark.
pub fn rule_of(kind: Kind) -> Option<(Rule, &'static str)> {
    match kind {
        Kind::Skip => Some((Rule::NoNewSkips, "skipped or focused test")),
        Kind::Lint => Some((Rule::NoDisabledLint, "suppressed lint")),
        Kind::Todo => Some((Rule::NoNewTodos, "unfinished work")),
        Kind::Debug => Some((Rule::NoDebugArtifacts, "debugging aid")),
        Kind::Test => None,
    }
}

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
