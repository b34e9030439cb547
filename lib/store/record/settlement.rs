//! The record of what rg-review settled: a dispute about an issue, a deadlock, a planted defect.

use crate::event::words;
use crate::sys::clock::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

words! {
    /// What was settled, and by whom.
    Dispute {
        /// Whether an issue is real, by a test of the arbiter.
        Arbiter = "arbiter",
        /// Whether the builder or the reviewer is right, by the moderator.
        Moderator = "moderator",
        /// Whether the reviewer finds a planted defect.
        Canary = "canary",
    }
}

words! {
    /// How it was settled.
    Ruled {
        /// A test shows the issue.
        Confirmed = "confirmed",
        /// A test shows that the issue does not exist.
        Refuted = "refuted",
        /// The arbiter or the moderator gave no answer that can be used.
        Invalid = "invalid",
        /// The moderator accepts the work.
        AcceptBuilder = "accept_builder",
        /// The moderator upholds the issues.
        AcceptReviewer = "accept_reviewer",
        /// A person must decide.
        RejectBoth = "reject_both",
        /// The reviewer did not approve the planted defect.
        Found = "found",
        /// The reviewer approved the planted defect.
        Missed = "missed",
        /// No defect could be planted.
        NotPlanted = "not-planted",
    }
}

/// The test with which an arbiter settled an issue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// The name of the check that runs it.
    pub check: String,
    /// The name of the test, as a failure prints it.
    pub test: String,
    /// A unified diff that adds the test.
    pub test_patch: String,
    /// A unified diff of the sources with which the test ends otherwise.
    pub control_patch: String,
}

/// What rg-review settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// What was settled.
    pub about: Dispute,
    /// How.
    pub ruled: Ruled,
    /// The program that decided.
    pub by: String,
    /// The reason.
    pub why: String,
    /// The files that it is about.
    pub snapshot: String,
    /// The keys of the issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Of a confirmed issue: the tests that show it, by path, with their digests.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Of a refuted issue: what shows it. It is tried again when the files changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// When: the envelope's.
    #[serde(skip_serializing)]
    pub at: Time,
    /// Its line in the journal, from 1. The fold sets it.
    #[serde(skip)]
    pub place: usize,
}
