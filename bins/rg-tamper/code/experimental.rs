//! Experimental languages: what rg-outline reads in them only warns, unless DONE.md names the level of the guard.

use crate::guards::{CODE, Inspection};
use review_gate::event::Level;
use review_gate::outline::language;

impl Inspection<'_> {
    /// Turns the findings from this one on into warnings if their file is in an experimental language.
    pub fn lower_experimental(&mut self, first: usize) {
        for finding in self.found.iter_mut().skip(first) {
            let title = finding.path.as_deref().and_then(language::of).and_then(language::experimental);
            let rule = CODE.iter().find(|rule| finding.rule == **rule);
            let is_chosen = rule.is_none_or(|rule| self.guards.is_chosen(*rule));
            let is_certain = finding.level > Level::Warning && finding.level != Level::Inconclusive;
            if let Some(title) = title.filter(|_| is_certain && !is_chosen) {
                finding.level = Level::Warning;
                finding.text.push_str(&format!(" (rg-outline reads {title} experimentally: warning only)"));
            }
        }
    }
}
