//! A reviewer's decision, as it stands in records. How it is read out of a message: `review::decision`.

use crate::event::words;
use serde::{Deserialize, Serialize};

words! {
    /// What was decided.
    Word {
        /// These files are good.
        Approve = "approve",
        /// Something is wrong with them.
        Issues = "issues",
        /// It cannot tell, and says what would help.
        Unsure = "unsure",
        /// A user must decide.
        Human = "human",
    }
}

words! {
    /// How bad an issue is.
    Severity {
        /// Style, naming, comfort.
        Minor = "minor",
        /// Wrong behaviour that somebody will meet.
        Major = "major",
        /// Data, security or the task itself is lost.
        Critical = "critical",
    }
}

/// One decision, as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The word.
    pub word: Word,
    /// What was given at the reviewer's start, repeated.
    #[serde(default, skip_serializing)]
    pub nonce: String,
    /// In a sentence or two.
    #[serde(default)]
    pub summary: String,
    /// At length.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// For the agent whose work it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message_to_agent: String,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// The files that were looked at, and the keys of earlier issues that it found settled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviewed: Vec<String>,
    /// What other models said, in its own words: no proof.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second_opinions: Vec<String>,
    /// Declared commands whose output would help it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// A proposal, never applied unseen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suggested_patch: String,
    /// Tests that it would add.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra_tests: Vec<String>,
    /// Fields that must be there and are not, by name.
    #[serde(skip)]
    pub missing: Vec<String>,
}

/// One issue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Issue {
    /// How bad; None where it did not say in words that are known.
    #[serde(default)]
    pub severity: Option<Severity>,
    /// The file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    #[serde(default)]
    pub description: String,
    /// How anybody can see that it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub how_to_verify: String,
    /// The key of the earlier issue that this is again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
}
