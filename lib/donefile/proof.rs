//! The `proof` key of DONE.md: when rg-prove runs, and what its findings count.

use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::event::{Level, Rule, words};
use crate::sys::error::Result;
use serde::{Deserialize, Serialize};
use std::time::Duration;

words! {
    /// When rg-prove runs.
    #[derive(Default)]
    ProofTime {
        /// Only if a user calls it.
        #[default]
        Never = "never",
        /// At each landing.
        Land = "land",
        /// At each landing, and at each stop without a user at the client.
        Unattended = "unattended",
        /// At each landing and at each stop.
        Always = "always",
    }
}

/// How a change is proved.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofSpec {
    /// When.
    pub when: ProofTime,
    /// The level of the findings of each experiment; None if it is not run.
    levels: [Option<Level>; 3],
    /// The names of the checks that take part; empty for all that run tests.
    pub checks: Vec<String>,
    /// How many changes are undone one by one.
    pub changes: usize,
    /// How many minutes the checks may run in all.
    pub minutes: f64,
    /// How many experiments run at the same time, if each check permits it.
    pub jobs: usize,
}

impl Default for ProofSpec {
    fn default() -> ProofSpec {
        ProofSpec {
            when: ProofTime::Never,
            levels: [Some(Level::Warning); 3],
            checks: Vec::new(),
            changes: 10,
            minutes: 10.0,
            jobs: 2,
        }
    }
}

/// The rules of rg-prove in the order of its experiments, each with its key.
const RULES: [(Rule, &str); 3] =
    [(Rule::OldTestsFail, "old_tests"), (Rule::TestsProveNothing, "new_tests"), (Rule::ChangeNotTested, "undone")];

/// The most `changes`.
pub const CHANGES: usize = 1000;

/// The most `jobs`.
pub const JOBS: usize = 16;

/// The most `minutes`.
pub const MINUTES: f64 = 1440.0;

/// The keys.
const KEYS: [&str; 8] = ["when", "old_tests", "new_tests", "undone", "checks", "changes", "minutes", "jobs"];

impl ProofSpec {
    /// The level of the findings with this rule; None if its experiment is not run.
    pub fn level(&self, rule: Rule) -> Option<Level> {
        RULES.iter().position(|(known, _)| *known == rule).and_then(|at| self.levels[at])
    }

    /// The level of each experiment's findings, by its key.
    pub fn levels(&self) -> [(&'static str, Option<Level>); 3] {
        [0, 1, 2].map(|at| (RULES[at].1, self.levels[at]))
    }

    /// Whether a finding can stop the work.
    pub fn blocks(&self) -> bool {
        self.levels.contains(&Some(Level::Error))
    }

    /// How long the checks may run in all.
    pub fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.minutes * 60.0)
    }
}

impl Reader<'_> {
    /// `proof`
    pub(super) fn proof(&self, node: &Node) -> Result<ProofSpec> {
        let mut spec = ProofSpec::default();
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, &format!("\"proof\" must be a map, not {}", node.value.name()));
        };
        let times = [ProofTime::Never, ProofTime::Land, ProofTime::Unattended, ProofTime::Always];
        for (key, node) in entries {
            let rule = RULES.iter().position(|(_, name)| name == key);
            match (key.as_str(), rule) {
                (_, Some(at)) => spec.levels[at] = self.proof_level(node, key)?,
                ("when", _) => spec.when = self.word(node, key, &times)?,
                ("checks", _) => spec.checks = self.texts(node, key)?,
                ("changes", _) => spec.changes = self.whole(node, key, 0..=CHANGES)?,
                ("jobs", _) => spec.jobs = self.whole(node, key, 1..=JOBS)?,
                ("minutes", _) => {
                    spec.minutes = self.positive(node, key)?;
                    if spec.minutes > MINUTES {
                        return self.wrong(node.line, &format!("\"minutes\" must be a number up to {MINUTES}"));
                    }
                }
                (name, _) => return self.unknown(node.line, name, "key of proof", &KEYS),
            }
        }
        Ok(spec)
    }

    fn whole(&self, node: &Node, key: &str, range: std::ops::RangeInclusive<usize>) -> Result<usize> {
        let (from, to) = (*range.start(), *range.end());
        match node.value {
            Value::Number(n) if n.fract() == 0.0 && n >= from as f64 && n <= to as f64 => Ok(n as usize),
            _ => self.wrong(node.line, &format!("\"{key}\" must be a whole number from {from} to {to}")),
        }
    }

    fn proof_level(&self, node: &Node, key: &str) -> Result<Option<Level>> {
        match &node.value {
            Value::Bool(true) => Ok(Some(Level::Error)),
            Value::Bool(false) => Ok(None),
            Value::Text(word) if word == "fail" => Ok(Some(Level::Error)),
            Value::Text(word) if word == "warn" => Ok(Some(Level::Warning)),
            Value::Text(word) if word == "off" => Ok(None),
            _ => self.wrong(node.line, &format!("\"{key}\" must be fail, warn or off")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wanted change of behaviour looks like a test that was bent, so that no experiment blocks by default.
    #[test]
    fn by_default_nothing_runs_and_findings_are_warnings() {
        let spec = ProofSpec::default();
        assert_eq!(spec.when, ProofTime::Never);
        for (rule, _) in RULES {
            assert_eq!(spec.level(rule), Some(Level::Warning), "{rule:?}");
        }
        assert!(!spec.blocks());
        assert_eq!(spec.level(Rule::CheckFailed), None);
    }
}
