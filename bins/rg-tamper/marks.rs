//! Marks: findings for new skips, suppressions, debugging aids and unfinished work.

use crate::build_output::Output;
use crate::guards::Inspection;
use crate::moves::Moves;
use crate::new_code::NewCode;
use crate::patterns::rule_of;
use crate::sides::Sides;
use review_gate::event::Level;

impl Inspection<'_> {
    /// Finds new marks: those that were not at the base, did not move, and do not replace an equal one.
    pub fn find_marks(&mut self, output: &mut Output, all: &[Sides], moved: &Moves, new_code: &NewCode) {
        for (at, hit) in &moved.new_marks {
            let one = &all[*at];
            let (rule, what) = rule_of(hit.kind());
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
