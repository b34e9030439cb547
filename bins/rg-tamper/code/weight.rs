//! How a test lost what it asserts, and how much that weighs.

use review_gate::event::Level;
use review_gate::outline::compare::Loss;

/// How a test lost what it asserts.
pub enum Lost {
    /// All of it.
    All(&'static str),
    /// It is expected to fail.
    Outcome(&'static str),
    /// None, but a function of this name hides the failures of what it asserts.
    Hidden(String),
    /// None, but it makes one more rarely now, as a line of it says.
    Rarer(Rarer),
    /// Some; the worst comes first.
    Some { losses: Vec<Loss>, how: Weight },
}

/// Why a test makes an assertion more rarely: the line that says so.
pub struct Rarer {
    pub line: String,
    pub how: &'static str,
    pub weight: Weight,
}

/// How much a loss weighs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// The test asserts less.
    Certain,
    /// It may assert the same in another form.
    Probable,
    /// It was rewritten and lost fewer than half of its assertions.
    Minor,
}

impl Weight {
    /// The level of its finding, if a certain loss has that level.
    pub fn level(self, level: Level) -> Level {
        match self {
            Weight::Certain => level,
            Weight::Probable => level.min(Level::Warning),
            Weight::Minor => level.min(Level::Note),
        }
    }
}
