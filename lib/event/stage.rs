//! The programs that an event passes through, and their order.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A program that reads or writes event lines. In an event line it is the value of every field `by`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// rg-event, the source.
    Event,
    /// rg-tamper, which compares the files with the baseline.
    Tamper,
    /// rg-check, which runs the checks.
    Check,
    /// rg-prove, which finds out what the tests prove.
    Prove,
    /// rg-review-state, which judges whether an approving review exists.
    ReviewState,
    /// rg-review, which starts a reviewer. It writes as [`Stage::ReviewState`], and as itself only if it fails.
    Review,
    /// rg-bounce, which counts bounces.
    Bounce,
    /// rg-loop, which keeps the agent on its task. Its steps `mark` and `next` write one section.
    Loop,
    /// rg-receipt, which seals receipts.
    Receipt,
    /// rg-anchor, which restores context after compaction.
    Anchor,
    /// rg-guard, which judges tool calls.
    Guard,
    /// rg-issue, which files findings and tells what is ready.
    Issue,
    /// rg-trace, which records events.
    Trace,
    /// rg-answer, the sink.
    Answer,
    /// A program that this version does not know.
    Other(String),
}

use Stage::{
    Anchor, Answer, Bounce, Check, Event, Guard, Issue, Loop, Prove, Receipt, Review, ReviewState, Tamper, Trace,
};

/// All programs that this version knows.
pub(super) const STAGES: [Stage; 14] =
    [Event, Tamper, Check, Prove, ReviewState, Review, Bounce, Loop, Receipt, Anchor, Guard, Issue, Trace, Answer];

/// The judges in the order of the pipeline, the cheapest first. Scores are compared in this order.
pub const JUDGES: [Stage; 5] = [Tamper, Check, Prove, ReviewState, Review];

impl Stage {
    /// The program's name.
    pub const fn name(&self) -> &str {
        match self {
            Stage::Event => "rg-event",
            Stage::Tamper => "rg-tamper",
            Stage::Check => "rg-check",
            Stage::Prove => "rg-prove",
            Stage::ReviewState => "rg-review-state",
            Stage::Review => "rg-review",
            Stage::Bounce => "rg-bounce",
            Stage::Loop => "rg-loop",
            Stage::Receipt => "rg-receipt",
            Stage::Anchor => "rg-anchor",
            Stage::Guard => "rg-guard",
            Stage::Issue => "rg-issue",
            Stage::Trace => "rg-trace",
            Stage::Answer => "rg-answer",
            Stage::Other(name) => name.as_str(),
        }
    }

    /// The program of that name.
    pub fn named(name: &str) -> Stage {
        let known = STAGES.iter().find(|stage| stage.name() == name);
        known.map_or_else(|| Stage::Other(name.to_string()), Clone::clone)
    }

    /// The index among the judges; a program that is no judge comes last.
    pub fn place(&self) -> usize {
        JUDGES.iter().position(|judge| judge == self).unwrap_or(JUDGES.len())
    }
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Stage {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Stage {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Stage, D::Error> {
        Ok(Stage::named(&String::deserialize(from)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_found_by_its_name() {
        for stage in STAGES {
            assert_eq!(Stage::named(stage.name()), stage);
        }
        assert_eq!(Stage::named("rg-later"), Stage::Other("rg-later".into()));
    }

    /// hooks.json defines the pipeline. Scores are compared in its order.
    #[test]
    fn the_judges_are_those_of_hooks_json_in_its_order() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks.json");
        let hooks: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let line = |event: &str| -> Vec<String> {
            let command = hooks["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().replace('"', "");
            let steps = command.split(" | ").map(|step| step.split_once("/bin/").unwrap().1);
            let name = |step: &str| step.split(" -").next().unwrap().to_string();
            steps.map(name).collect()
        };
        let stop = line("Stop");
        // All judges are between rg-loop mark and rg-bounce.
        let judges: Vec<&str> = JUDGES.iter().map(Stage::name).collect();
        let around = (
            &["rg-event", "rg-loop mark"],
            &["rg-bounce", "rg-loop next", "rg-receipt", "rg-issue", "rg-trace", "rg-answer"],
        );
        assert_eq!(stop, [around.0.as_slice(), &judges, around.1.as_slice()].concat());
        // Some of the judges judge a subagent, in the same order.
        let own: Vec<String> = line("SubagentStop");
        let counted = own.iter().position(|step| step == "rg-bounce").unwrap();
        let mut rest = judges.iter();
        assert!(own[1..counted].iter().all(|step| rest.any(|judge| judge == step)), "{own:?}");
        for step in stop.iter().chain(&own) {
            let name = step.split(' ').next().unwrap();
            assert!(STAGES.contains(&Stage::named(name)), "{name} is no stage");
        }
    }

    /// A judge that fails is inconclusive. A filter that does not decide would pass the event on as if it had not run.
    #[test]
    fn every_judge_decides() {
        for judge in JUDGES {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("bins/{judge}/main.rs"));
            let text = std::fs::read_to_string(path).unwrap();
            assert!(text.contains(&format!("const STAGE: Stage = Stage::{judge:?};")), "{judge} is no filter");
            assert!(text.contains("const DECIDES: bool = true;"), "{judge} does not decide");
        }
    }
}
