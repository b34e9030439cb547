//! What DONE.md says about commands: further patterns to deny, to ask about, to allow.

use crate::pattern;
use crate::run::Call;
use review_gate::donefile::Commands;
use review_gate::sys::clock::{self, Time};

/// How much is asked of commands.
pub use review_gate::donefile::CommandPreset as Preset;

/// One pattern, as somebody wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub pattern: String,
    pub reason: String,
    until: Option<Time>,
}

impl Said {
    /// Whether it speaks of that command, and still holds.
    pub fn matches(&self, call: &Call) -> bool {
        pattern::matches(&self.pattern, call) && self.until.is_none_or(|until| until > clock::now())
    }
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    pub preset: Preset,
    pub deny: Vec<Said>,
    pub ask: Vec<Said>,
    pub allow: Vec<Said>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { preset: Preset::Standard, deny: Vec::new(), ask: Vec::new(), allow: Vec::new() }
    }
}

impl Policy {
    /// What a definition of done says.
    pub fn of(commands: &Commands) -> Policy {
        let said = |list: &[review_gate::donefile::CommandRule]| {
            list.iter()
                .map(|rule| Said { pattern: rule.pattern.clone(), reason: rule.reason.clone(), until: rule.until })
                .collect()
        };
        Policy {
            preset: commands.preset,
            deny: said(&commands.deny),
            ask: said(&commands.ask),
            allow: said(&commands.allow),
        }
    }
}
