//! The keys `review`, `diagnostics` and `ask` of DONE.md.

use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::event::{Trust, words};
use crate::sys::error::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

words! {
    /// What arms a review beside the user's prompt.
    Trigger {
        /// Nothing.
        Asked = "asked",
        /// Every task.
        Always = "always",
        /// Every task without a user at the client.
        Unattended = "unattended",
    }
}

words! {
    /// Who starts the reviewer.
    Starter {
        /// The agent calls the client's subagent, in a call that the gate opens.
        Agent = "agent",
        /// The gate starts a program.
        Command = "command",
    }
}

words! {
    /// Whether another model must be asked, too.
    SecondOpinion {
        /// No.
        None = "none",
        /// Yes, whatever it decides.
        Asked = "asked",
        /// Yes, and a model of another vendor must decide the same.
        Agree = "agree",
        /// Yes, if `paths` match or an issue was critical.
        Critical = "critical",
    }
}

words! {
    /// Which issues block.
    Floor {
        /// Critical ones, broken tests, security.
        Lenient = "lenient",
        /// Major ones, too.
        Balanced = "balanced",
        /// All.
        Strict = "strict",
    }
}

/// `review`.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewSpec {
    /// What arms it beside the user's prompt.
    pub when: Trigger,
    /// Who starts the reviewer; None: it depends on whether a user is at the client.
    pub by: Option<Starter>,
    /// The program of the reviewer, for `by: command`; a string is run by the shell. None: the first model that rg-ask finds.
    pub command: Option<Vec<String>>,
    /// The file of the prompt for a reviewer that rg-review starts, below the root; None: the one that comes with review-gate.
    pub agent: Option<String>,
    /// The model that the reviewer is to use.
    pub model: Option<String>,
    /// A changed file that matches arms it, too; gitignore patterns.
    pub paths: Vec<String>,
    /// One task in so many is reviewed.
    pub sample: Option<u32>,
    /// The trust that an approval must have; None: any, if a user is at the client.
    pub require: Option<Trust>,
    /// Whether another model must be asked, too.
    pub second: SecondOpinion,
    /// Which issues block.
    pub floor: Floor,
    /// After how many rejections the task is abandoned.
    pub rounds: u32,
    /// The longest time that a reviewer which rg-review started may take, in seconds.
    pub timeout: f64,
}

impl Default for ReviewSpec {
    fn default() -> ReviewSpec {
        ReviewSpec {
            when: Trigger::Asked,
            by: None,
            command: None,
            agent: None,
            model: None,
            paths: Vec::new(),
            sample: None,
            require: None,
            second: SecondOpinion::None,
            floor: Floor::Balanced,
            rounds: 3,
            timeout: 900.0,
        }
    }
}

/// A command whose output a reviewer may request by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Its name.
    pub name: String,
    /// The command, for the shell.
    pub run: String,
    /// The longest time that it may take, in seconds.
    pub timeout: f64,
}

/// `ask`: the models that rg-ask asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskSpec {
    /// Their names, in this order; empty: the first program that is found.
    pub to: Vec<String>,
    /// The longest time that an answer may take, in seconds.
    pub timeout: Option<f64>,
    /// Programs of the user's own, by name.
    pub targets: BTreeMap<String, Vec<String>>,
}

/// The keys of `review`, with those that have no effect in this release.
pub(super) const KEYS: [&str; 16] = [
    "when",
    "by",
    "command",
    "agent",
    "model",
    "paths",
    "sample",
    "require",
    "second_opinion",
    "floor",
    "strictness",
    "rounds",
    "timeout",
    "mode",
    "canary",
    "moderator",
];

impl Reader<'_> {
    /// Reads `review`. Keys without effect in this release are added to `not_judged`.
    pub(super) fn review(&self, node: &Node, not_judged: &mut Vec<String>) -> Result<ReviewSpec> {
        let mut spec = ReviewSpec::default();
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, &format!("\"review\" must be a map, not {}", node.value.name()));
        };
        for (key, node) in entries {
            match key.as_str() {
                "when" => spec.when = self.word(node, key, &[Trigger::Asked, Trigger::Always, Trigger::Unattended])?,
                "by" => spec.by = Some(self.word(node, key, &[Starter::Agent, Starter::Command])?),
                "command" => spec.command = Some(self.program(node, key)?),
                "agent" => spec.agent = Some(self.inside(node, key)?),
                "model" => spec.model = Some(self.text(node, key)?),
                "paths" => spec.paths = self.ignore_patterns(node, key)?,
                "sample" => spec.sample = Some(self.count(node, key, 1_000_000)?),
                "require" => {
                    spec.require = Some(self.word(node, key, &[Trust::Client, Trust::Gate, Trust::External])?);
                }
                "second_opinion" => {
                    spec.second = self.word(
                        node,
                        key,
                        &[SecondOpinion::None, SecondOpinion::Asked, SecondOpinion::Agree, SecondOpinion::Critical],
                    )?;
                }
                "floor" | "strictness" => {
                    spec.floor = self.word(node, key, &[Floor::Lenient, Floor::Balanced, Floor::Strict])?;
                }
                "rounds" => spec.rounds = self.count(node, key, 20)?,
                "timeout" => spec.timeout = self.seconds(node, key)?,
                // A review follows only when everything else passes, so all three mean the same.
                "mode" => self.one_of(node, key, &["always", "selective", "final_only"])?,
                "canary" | "moderator" => match node.value {
                    Value::Bool(false) | Value::Null => {}
                    Value::Bool(true) if key == "moderator" => {
                        return self.wrong(node.line, "\"moderator\" must be a command, not true");
                    }
                    _ => not_judged.push(format!("review.{key}")),
                },
                name => return self.unknown(node.line, name, "key of review", &KEYS),
            }
        }
        self.contradictions(node, &spec)?;
        Ok(spec)
    }

    /// Refuses keys that no review could satisfy together.
    fn contradictions(&self, node: &Node, spec: &ReviewSpec) -> Result<()> {
        match (spec.by, spec.require) {
            (Some(Starter::Agent), Some(Trust::Gate)) => {
                self.wrong(node.line, "review: require: gate needs by: command")
            }
            (Some(Starter::Command), Some(Trust::Client)) => {
                self.wrong(node.line, "review: require: client needs by: agent")
            }
            (Some(Starter::Agent), _) if spec.command.is_some() => {
                self.wrong(node.line, "review: \"command\" needs by: command, not by: agent")
            }
            _ => Ok(()),
        }
    }

    /// Reads `diagnostics`.
    pub(super) fn diagnostics(&self, node: &Node) -> Result<Vec<Diagnostic>> {
        let Value::List(items) = &node.value else {
            return self.wrong(node.line, "\"diagnostics\" must be a list of {name, run}");
        };
        let mut all: Vec<Diagnostic> = Vec::new();
        for item in items {
            let Value::Map(entries) = &item.value else {
                return self.wrong(item.line, "a diagnostic must be a map of name and run");
            };
            let mut one = Diagnostic { name: String::new(), run: String::new(), timeout: 60.0 };
            for (key, node) in entries {
                match key.as_str() {
                    "name" => one.name = self.text(node, key)?.trim().to_string(),
                    "run" => one.run = self.text(node, key)?.trim().to_string(),
                    "timeout" => one.timeout = self.seconds(node, key)?.min(3600.0),
                    name => return self.unknown(node.line, name, "key of a diagnostic", &["name", "run", "timeout"]),
                }
            }
            if one.name.is_empty() || one.run.is_empty() {
                return self.wrong(item.line, "a diagnostic needs a name and a run");
            }
            if all.iter().any(|known| known.name == one.name) {
                return self.wrong(item.line, &format!("duplicate diagnostic \"{}\"", one.name));
            }
            all.push(one);
        }
        Ok(all)
    }

    /// Reads `ask`: a name, a list of names, or a map.
    pub(super) fn ask(&self, node: &Node) -> Result<AskSpec> {
        let mut spec = AskSpec::default();
        let Value::Map(entries) = &node.value else {
            spec.to = self.names(node, "ask")?;
            return Ok(spec);
        };
        for (key, node) in entries {
            match key.as_str() {
                "to" => spec.to = self.names(node, key)?,
                "timeout" => spec.timeout = Some(self.seconds(node, key)?),
                "targets" => {
                    let Value::Map(targets) = &node.value else {
                        return self.wrong(node.line, "\"targets\" must be a map of names and commands");
                    };
                    for (name, node) in targets {
                        spec.targets.insert(name.clone(), self.program(node, name)?);
                    }
                }
                name => return self.unknown(node.line, name, "key of ask", &["to", "timeout", "targets"]),
            }
        }
        Ok(spec)
    }

    fn names(&self, node: &Node, name: &str) -> Result<Vec<String>> {
        match &node.value {
            Value::List(_) => self.texts(node, name),
            _ => Ok(vec![self.text(node, name)?]),
        }
    }

    /// A program and its arguments, or a command for the shell.
    pub(super) fn program(&self, node: &Node, name: &str) -> Result<Vec<String>> {
        let words = match &node.value {
            Value::List(_) => self.texts(node, name)?,
            _ => vec!["sh".into(), "-c".into(), self.text(node, name)?],
        };
        if words.is_empty() { self.wrong(node.line, &format!("\"{name}\" is empty")) } else { Ok(words) }
    }

    fn count(&self, node: &Node, name: &str, most: u32) -> Result<u32> {
        match node.value {
            Value::Number(n) if (1.0..=f64::from(most)).contains(&n) => Ok(n.floor() as u32),
            _ => self.wrong(node.line, &format!("\"{name}\" must be a number from 1 to {most}")),
        }
    }
}
