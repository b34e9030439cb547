//! The records of models that the judges of a run ask: what each of them spends counts in the budgets of the run.

use serde::{Deserialize, Serialize};

/// A step of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum ModelCall {
    /// A model is about to be asked. Without the second step, what it spent is unknown.
    Asked(AskedModel),
    /// It was asked.
    Answered(AnsweredModel),
}

impl ModelCall {
    /// The run in whose budgets it counts.
    pub fn run(&self) -> &str {
        match self {
            ModelCall::Asked(step) => &step.run,
            ModelCall::Answered(step) => &step.run,
        }
    }
}

/// A model that is about to be asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedModel {
    /// The id of the call.
    pub call: String,
    /// The run.
    pub run: String,
    /// What it is asked as: reviewer, arbiter, moderator, canary or second-opinion.
    pub role: String,
    /// Its program.
    pub to: String,
}

/// A model that was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnsweredModel {
    /// The id of the call.
    pub call: String,
    /// The run.
    pub run: String,
    /// The tokens that its program reported.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// The cost that it reported, in US dollars.
    #[serde(default)]
    pub cost: Option<f64>,
}

/// What models spent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSpending {
    /// How many times one was asked.
    pub calls: u32,
    /// The tokens; None if a call reported none.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// The cost in US dollars; None if a call reported none.
    #[serde(default)]
    pub cost: Option<f64>,
}
