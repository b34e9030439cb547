//! The prompt of a round: the goal, the constraints, the files, the changes, the earlier rounds and the last reason.

use crate::past::Past;
use crate::settings::Place;
use crate::{reply, survey};
use review_gate::store::record::{RunStart, RunVerdict};
use review_gate::sys::error::Result;
use review_gate::sys::text::cut_middle;

/// The instructions, which are also a prompt of the plugin.
const INSTRUCTIONS: &str = include_str!("../../agents/builder.md");

/// The bytes of a token, as the threshold counts them.
const TOKEN: usize = 4;

/// The least room of the last reason, in bytes, even if the goal alone exceeds the threshold.
const LEAST_REASON: usize = 1000;

/// What a prompt is made of.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The form of the answer; empty if the agent edits the files itself.
    pub form: String,
    /// The request.
    pub goal: String,
    /// Languages, tools, paths and checks.
    pub constraints: String,
    /// The files.
    pub tree: String,
    /// The uncommitted changes.
    pub changes: String,
    /// A line for each earlier round.
    pub rounds: Vec<String>,
    /// The reason of the last round.
    pub reason: String,
    /// The files that the agent asked for in this round. They are no part of the threshold.
    pub contents: String,
}

/// The next prompt of a run, with the notes of the prompt's filters and the files that the agent asked for.
pub fn of(
    place: &Place,
    start: &RunStart,
    past: &Past,
    (request, notes): (&str, &[String]),
    contents: &str,
) -> Result<String> {
    let files = survey::files(&place.root);
    let reason = match past.verdicts.last().and_then(|verdict| verdict.reason.as_ref()) {
        Some(blob) => String::from_utf8_lossy(&place.state.read_blob(blob)?).into_owned(),
        None => String::new(),
    };
    let line = |verdict: &RunVerdict| format!("round {}: {}", verdict.round, verdict.summary);
    let parts = Parts {
        form: if start.patch { reply::FORM.to_string() } else { String::new() },
        goal: [&[request.to_string()], notes].concat().join("\n\n"),
        constraints: survey::constraints(place, &files),
        tree: survey::tree(&files),
        changes: survey::changes(&place.root),
        rounds: past.verdicts.iter().map(line).collect(),
        reason,
        contents: contents.to_string(),
    };
    Ok(text(&parts, place.spec().context_summary_threshold))
}

/// The prompt, with at most `threshold` tokens beside the goal. Beyond that, it holds the instructions, the goal, a summary, the last
/// round and the open findings.
fn text(parts: &Parts, threshold: u32) -> String {
    let text = bounded(parts, threshold);
    match parts.contents.is_empty() {
        true => text,
        false => format!("{text}\n{}", joined(&[("The files that you asked for", parts.contents.as_str())])),
    }
}

fn bounded(parts: &Parts, threshold: u32) -> String {
    let limit = threshold as usize * TOKEN;
    let body = INSTRUCTIONS.splitn(3, "---\n").nth(2).unwrap_or(INSTRUCTIONS).trim();
    let head = [("", body), ("", &parts.form), ("Goal", &parts.goal)];
    let rounds = parts.rounds.join("\n");
    let full = [
        &head[..],
        &[
            ("Constraints", &parts.constraints),
            ("Files", &parts.tree),
            ("Uncommitted changes", &parts.changes),
            ("Earlier rounds", &rounds),
            ("The last round", &parts.reason),
        ],
    ];
    let full = joined(&full.concat());
    if full.len() <= limit {
        return full;
    }
    // In the first round only the lists can be shorter.
    if parts.rounds.is_empty() {
        let short = |text: &str| cut_middle(text, 600);
        let (tree, changes) = (short(&parts.tree), short(&parts.changes));
        let rest = [("Constraints", parts.constraints.as_str()), ("Files", &tree), ("Uncommitted changes", &changes)];
        return joined(&[&head[..], &rest].concat());
    }
    let summary = summary(&parts.rounds);
    let short = joined(&[&head[..], &[("Earlier rounds", summary.as_str()), ("The last round", "")]].concat());
    let reason = cut_middle(&parts.reason, limit.saturating_sub(short.len() + 32).max(LEAST_REASON));
    joined(&[&head[..], &[("Earlier rounds", summary.as_str()), ("The last round", reason.as_str())]].concat())
}

/// How many rounds there were, and the last one.
fn summary(rounds: &[String]) -> String {
    let last = rounds.last().map_or("", String::as_str);
    match rounds.len() {
        1 => last.to_string(),
        n => format!("{} rounds before the last one were sent back.\n{last}", n - 1),
    }
}

/// Sections with their headings; an empty one is left out.
fn joined(sections: &[(&str, &str)]) -> String {
    let filled = sections.iter().filter(|(_, text)| !text.trim().is_empty());
    let texts: Vec<String> = filled
        .map(|(heading, text)| match *heading {
            "" => text.trim().to_string(),
            heading => format!("# {heading}\n\n{}", text.trim()),
        })
        .collect();
    texts.join("\n\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(rounds: usize, width: usize) -> Parts {
        Parts {
            goal: "fix it".into(),
            constraints: "Checks: tests\n".into(),
            tree: format!("{}\n", "f".repeat(width)).repeat(60),
            changes: "changed a\n".into(),
            rounds: (1..=rounds).map(|n| format!("round {n}: {}", "x".repeat(width))).collect(),
            reason: if rounds == 0 { String::new() } else { "NOT DONE é\n".repeat(width) },
            ..Parts::default()
        }
    }

    proptest! {
        /// Fifty rounds, with lines of any width: no prompt exceeds the threshold, and each has the goal.
        #[test]
        fn no_prompt_of_fifty_rounds_exceeds_the_threshold(width in 0usize..300, threshold in 1500u32..4000) {
            for rounds in 1..=50 {
                let text = text(&parts(rounds, width), threshold);
                prop_assert!(text.len() <= threshold as usize * TOKEN, "{} of {}", text.len(), threshold as usize * TOKEN);
                prop_assert!(text.contains("# Goal\n\nfix it\n"));
                prop_assert_eq!(text.contains("NOT DONE"), width > 0);
            }
        }
    }

    #[test]
    fn beyond_the_threshold_a_prompt_holds_the_summary_and_the_last_round() {
        let short = text(&parts(2, 5), 100_000);
        assert!(short.contains("# Files\n") && short.contains("round 1: xxxxx\nround 2: xxxxx"), "{short}");
        let long = text(&parts(30, 290), 1500);
        assert!(!long.contains("# Files") && !long.contains("round 29:") && long.contains("round 30:"), "{long}");
        assert!(long.contains("29 rounds before the last one"), "{long}");
    }

    #[test]
    fn a_long_goal_is_never_cut() {
        let goal = "word ".repeat(10_000);
        let parts = Parts { goal: goal.clone(), ..parts(3, 200) };
        let text = text(&parts, 1500);
        assert!(text.contains(goal.trim()) && text.len() < goal.len() + 6000);
    }
}
