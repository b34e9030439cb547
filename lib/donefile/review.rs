//! The key `review` of DONE.md.

use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::event::{Confidence, Trust, words};
use crate::sys::error::Result;
use serde::{Deserialize, Serialize};

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

words! {
    /// Which stops of a loop are reviewed.
    ReviewMode {
        /// Every stop at which everything else passes.
        Always = "always",
        /// Not the checkpoints of a loop.
        Selective = "selective",
        /// Only a stop that can end the task: no checkpoint, and no stop at which the agent leaves the loop running.
        FinalOnly = "final_only",
    }
}

/// Who settles disputes about issues, with a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Arbiter {
    /// The program that rg-review would start as the reviewer.
    Reviewer,
    /// A program.
    Program(Vec<String>),
}

/// Who decides when the builder and the reviewer do not come to an end.
#[derive(Clone, Debug, PartialEq)]
pub enum Moderator {
    /// The user.
    Human,
    /// A program.
    Program(Vec<String>),
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
    /// The effort that the reviewer is to make.
    pub effort: Option<String>,
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
    /// Who settles disputes about issues; None: nobody.
    pub arbiter: Option<Arbiter>,
    /// The check that runs the arbiter's test; None: the first one that runs tests, else the first one.
    pub arbiter_check: Option<String>,
    /// Who decides when the builder and the reviewer do not come to an end; None: nobody.
    pub moderator: Option<Moderator>,
    /// Whether the moderator may accept work that the reviewer rejects.
    pub moderator_waives: bool,
    /// Which stops of a loop are reviewed.
    pub mode: ReviewMode,
    /// How sure a reviewer must be of an issue that blocks.
    pub confidence: Confidence,
    /// In one of so many reviews a defect is planted first.
    pub canary: Option<u32>,
}

impl Default for ReviewSpec {
    fn default() -> ReviewSpec {
        ReviewSpec {
            when: Trigger::Asked,
            by: None,
            command: None,
            agent: None,
            model: None,
            effort: None,
            paths: Vec::new(),
            sample: None,
            require: None,
            second: SecondOpinion::None,
            floor: Floor::Balanced,
            rounds: 3,
            timeout: 900.0,
            arbiter: None,
            arbiter_check: None,
            moderator: None,
            moderator_waives: false,
            mode: ReviewMode::Always,
            confidence: Confidence::Low,
            canary: None,
        }
    }
}

impl ReviewSpec {
    /// The programs that DONE.md declares for a review: the reviewer, the arbiter, the moderator.
    pub fn programs(&self) -> impl Iterator<Item = &Vec<String>> {
        let arbiter = match &self.arbiter {
            Some(Arbiter::Program(words)) => Some(words),
            _ => None,
        };
        let moderator = match &self.moderator {
            Some(Moderator::Program(words)) => Some(words),
            _ => None,
        };
        self.command.iter().chain(arbiter).chain(moderator)
    }
}

/// In one of how many reviews a defect is planted with `canary: true`.
const CANARY: u32 = 5;

/// The keys of `review`.
pub(super) const KEYS: [&str; 21] = [
    "when",
    "by",
    "command",
    "agent",
    "model",
    "effort",
    "paths",
    "sample",
    "require",
    "second_opinion",
    "floor",
    "strictness",
    "rounds",
    "timeout",
    "mode",
    "confidence",
    "canary",
    "arbiter",
    "arbiter_check",
    "moderator",
    "moderator_waives",
];

impl Reader<'_> {
    /// Reads `review`.
    pub(super) fn review(&self, node: &Node) -> Result<ReviewSpec> {
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
                "effort" => spec.effort = Some(self.text(node, key)?),
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
                "mode" => {
                    let all = [ReviewMode::Always, ReviewMode::Selective, ReviewMode::FinalOnly];
                    spec.mode = self.word(node, key, &all)?;
                }
                "confidence" => {
                    spec.confidence = self.word(node, key, &[Confidence::Low, Confidence::Medium, Confidence::High])?;
                }
                "canary" => {
                    spec.canary = match node.value {
                        Value::Bool(false) | Value::Null => None,
                        Value::Bool(true) => Some(CANARY),
                        _ => Some(self.count(node, key, 1_000_000)?),
                    }
                }
                "arbiter" => {
                    spec.arbiter = match node.value {
                        Value::Bool(false) | Value::Null => None,
                        Value::Bool(true) => Some(Arbiter::Reviewer),
                        _ => Some(Arbiter::Program(self.program(node, key)?)),
                    }
                }
                "arbiter_check" => spec.arbiter_check = Some(self.text(node, key)?),
                "moderator" => {
                    spec.moderator = match &node.value {
                        Value::Bool(false) | Value::Null => None,
                        Value::Bool(true) => {
                            return self.wrong(node.line, "\"moderator\" must be a command, not true");
                        }
                        Value::Text(word) if word.trim() == "human" => Some(Moderator::Human),
                        _ => Some(Moderator::Program(self.program(node, key)?)),
                    }
                }
                "moderator_waives" => match node.value {
                    Value::Bool(may) => spec.moderator_waives = may,
                    _ => return self.wrong(node.line, "\"moderator_waives\" must be true or false"),
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
            (Some(Starter::Agent), _) if spec.canary.is_some() => self
                .wrong(node.line, "review: \"canary\" needs by: command, because the agent's reviewer reads the files"),
            _ if spec.arbiter_check.is_some() && spec.arbiter.is_none() => {
                self.wrong(node.line, "review: \"arbiter_check\" needs \"arbiter\"")
            }
            _ if spec.moderator_waives && !matches!(spec.moderator, Some(Moderator::Program(_))) => {
                self.wrong(node.line, "review: \"moderator_waives\" needs a program as \"moderator\"")
            }
            _ => Ok(()),
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
