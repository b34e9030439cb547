//! A reviewer's decision in a record. `review::decision` parses it from a message.

use crate::event::{Confidence, words};
use serde::{Deserialize, Serialize};

words! {
    /// The decision.
    Word {
        /// The files are good.
        Approve = "approve",
        /// The files have issues.
        Issues = "issues",
        /// The reviewer cannot tell, and says what would help.
        Unsure = "unsure",
        /// A user must decide.
        Human = "human",
    }
}

words! {
    /// The severity of an issue.
    Severity {
        /// Style, naming or convenience.
        Minor = "minor",
        /// Wrong behaviour that a user will meet.
        Major = "major",
        /// Loss of data, a security hole, or the task is not fulfilled.
        Critical = "critical",
    }
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The decision itself.
    pub word: Word,
    /// The nonce that the reviewer was given.
    #[serde(default, skip_serializing)]
    pub nonce: String,
    /// A summary in one or two sentences.
    #[serde(default)]
    pub summary: String,
    /// The full reasoning.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The message to the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message_to_agent: String,
    /// The issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// The files that were reviewed, and the keys of earlier issues that are resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviewed: Vec<String>,
    /// What other models said, in the reviewer's words. It proves nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second_opinions: Vec<String>,
    /// Names of diagnostics whose output it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// A proposed patch. It is never applied automatically.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suggested_patch: String,
    /// Tests that it proposes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra_tests: Vec<String>,
    /// Names of required fields that are missing.
    #[serde(skip)]
    pub missing: Vec<String>,
}

/// One issue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Issue {
    /// The severity; None if it gave none that is known.
    #[serde(default)]
    pub severity: Option<Severity>,
    /// How sure the reviewer is; None if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// The file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    #[serde(default)]
    pub description: String,
    /// How the issue can be reproduced.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub how_to_verify: String,
    /// The key of the earlier issue that this repeats.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
}
