//! The reply to the client, and texts beside it.

use super::Stage;
use super::words::Action;
use serde::{Deserialize, Serialize};

/// A text from one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The program.
    pub by: Stage,
    /// The text.
    pub text: String,
}

/// What the client is told to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The action.
    pub action: Action,
    /// The reason in one line; rg-answer writes the full text.
    #[serde(default)]
    pub reason: String,
    /// The program that chose it.
    pub by: Stage,
}
