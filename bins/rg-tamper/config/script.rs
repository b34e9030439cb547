//! A script: a named text of commands.

use super::shell::OnFailure;

/// A named text of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Its name.
    pub name: String,
    /// The name as a finding shows it.
    pub shown: String,
    /// The commands.
    pub text: String,
    /// What the shell does when one fails.
    pub on_failure: OnFailure,
}
