//! The `run` key of DONE.md.

use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::sys::error::Result;

/// How rg-run runs an agent where its options do not say.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSpec {
    /// The agent that works: a known program, or a command.
    pub builder: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// Its effort.
    pub effort: Option<String>,
    /// How many rounds a run may have.
    pub rounds: Option<u32>,
    /// How many minutes a run may take.
    pub minutes: f64,
    /// How many tokens a run may spend.
    pub tokens: Option<u64>,
    /// What a run may cost, in US dollars.
    pub cost: Option<f64>,
    /// How many tokens all runs of the repository may spend in a day.
    pub tokens_per_day: Option<u64>,
    /// What all runs of the repository may cost in a day, in US dollars.
    pub cost_per_day: Option<f64>,
    /// The tokens above which a prompt holds only a summary of the earlier rounds.
    pub context_summary_threshold: u32,
}

impl Default for RunSpec {
    fn default() -> RunSpec {
        RunSpec {
            builder: None,
            model: None,
            effort: None,
            rounds: None,
            minutes: 120.0,
            tokens: None,
            cost: None,
            tokens_per_day: None,
            cost_per_day: None,
            context_summary_threshold: 2000,
        }
    }
}

/// The keys of `run`.
pub(super) const KEYS: [&str; 10] = [
    "builder",
    "model",
    "effort",
    "rounds",
    "minutes",
    "tokens",
    "cost",
    "tokens_per_day",
    "cost_per_day",
    "context_summary_threshold",
];

/// The fewest and the most tokens of `context_summary_threshold`. With fewer, the open findings would not fit.
const THRESHOLDS: std::ops::RangeInclusive<f64> = 1500.0..=100_000.0;

impl Reader<'_> {
    /// `run`
    pub(super) fn running(&self, node: &Node) -> Result<RunSpec> {
        let mut spec = RunSpec::default();
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, &format!("\"run\" must be a map, not {}", node.value.name()));
        };
        for (key, node) in entries {
            match key.as_str() {
                "builder" => spec.builder = Some(self.text(node, key)?),
                "model" => spec.model = Some(self.text(node, key)?),
                "effort" => spec.effort = Some(self.text(node, key)?),
                "rounds" => spec.rounds = Some(self.positive(node, key)?.ceil() as u32),
                "minutes" => spec.minutes = self.positive(node, key)?,
                "tokens" => spec.tokens = Some(self.positive(node, key)?.ceil() as u64),
                "cost" => spec.cost = Some(self.positive(node, key)?),
                "tokens_per_day" => spec.tokens_per_day = Some(self.positive(node, key)?.ceil() as u64),
                "cost_per_day" => spec.cost_per_day = Some(self.positive(node, key)?),
                "context_summary_threshold" => match node.value {
                    Value::Number(n) if THRESHOLDS.contains(&n) => spec.context_summary_threshold = n as u32,
                    _ => return self.wrong(node.line, &format!("\"{key}\" must be a number from 1500 to 100000")),
                },
                name => return self.unknown(node.line, name, "key of run", &KEYS),
            }
        }
        Ok(spec)
    }
}
