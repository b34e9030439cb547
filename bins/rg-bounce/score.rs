//! Progress: a later judge reached for the first time, or strictly fewer open findings than ever at this one.

use review_gate::answer;
use review_gate::event::outcome;
use review_gate::event::{Action, Event, JUDGES, Score, Stage, Verdict};
use review_gate::store::record::Sealed;
use review_gate::store::task::Decision;
use review_gate::sys::clock::Time;

/// Where the work stands: the first judge in pipeline order that is not green, and its open keys.
pub fn now(event: &Event) -> Score {
    let judges = outcome::judges(event);
    let first = judges.into_iter().find(|judge| !is_green(outcome::standing(event, judge)));
    let judge = first.cloned();
    let open = answer::open_findings(event).filter(|finding| Some(&finding.by) == judge.as_ref()).count().max(1) as u32;
    // A review that was given is a step, and rounds are bounded.
    let round = event.review().filter(|_| judge == Some(Stage::ReviewState)).map_or(0, |review| review.round);
    Score { judge, open, round }
}

fn is_green(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Pass | Verdict::NotRequired)
}

/// The place of a score's judge in the order of the pipeline.
fn place(score: &Score) -> usize {
    score.judge.as_ref().map_or(JUDGES.len(), Stage::place)
}

/// Whether `score` is better than everything that was ever sealed for this budget owner. The first score is no progress.
pub fn is_progress(score: &Score, all: &[&Sealed]) -> bool {
    let before: Vec<&Score> =
        all.iter().filter_map(|sealed| sealed.bounce.as_ref()).map(|bounce| &bounce.score).collect();
    let furthest = before.iter().map(|then| place(then)).max();
    let fewest = before.iter().filter(|then| then.judge == score.judge).map(|then| then.open).min();
    let rounds = before.iter().map(|then| then.round).max().unwrap_or(0);
    match (furthest, fewest) {
        (None, _) => false,
        (Some(furthest), _) if place(score) > furthest => true,
        (_, Some(fewest)) => score.open < fewest || score.round > rounds,
        (_, None) => false,
    }
}

/// The bounces since the last progress, of the decisions since the user's last prompt. One that cannot be read is a bounce.
pub fn consecutive(since: &[&Decision]) -> u32 {
    let mut count = 0;
    for decision in since.iter().filter(|decision| is_bounce(decision)) {
        let bounce = decision.sealed.as_ref().and_then(|sealed| sealed.bounce.as_ref());
        count = if bounce.is_some_and(|bounce| bounce.progress) { 1 } else { count + 1 };
    }
    count
}

fn is_bounce(decision: &Decision) -> bool {
    decision.sealed.as_ref().is_none_or(|sealed| sealed.reply == Action::Block)
}

/// When the agent was first bounced since the user's last prompt.
pub fn first_bounce(since: &[&Decision]) -> Option<Time> {
    since.iter().find(|decision| is_bounce(decision)).map(|decision| decision.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use review_gate::event::{Bounce, BudgetOwner, Outcome};

    fn score(judge: &Stage, open: u32) -> Score {
        Score { judge: Some(judge.clone()), open, round: 0 }
    }

    fn decision(score: Score, progress: bool) -> Decision {
        let bounce = Bounce { score, progress, ..Bounce::default() };
        let sealed = Sealed {
            event: "e".into(),
            budget_owner: BudgetOwner::Main,
            outcome: Outcome::NotDone,
            reply: Action::Block,
            bounce: Some(bounce),
            keys: vec![],
            snapshot: None,
            ended: None,
            reason_sha256: None,
            receipt: "r".into(),
            file: "f".into(),
            sha256: "0".into(),
            deferred: false,
        };
        Decision { line: 1, at: Time(0), pid: None, sealed: Some(sealed) }
    }

    /// The bounces that a script of scores gets before it is given up.
    fn bounces(script: impl Iterator<Item = Score>, max: u32) -> usize {
        let mut all: Vec<Decision> = Vec::new();
        for score in script {
            let sealed: Vec<&Sealed> = all.iter().filter_map(|decision| decision.sealed.as_ref()).collect();
            let progress = is_progress(&score, &sealed);
            let spent = if progress { 0 } else { consecutive(&all.iter().collect::<Vec<_>>()) };
            if spent >= max {
                break;
            }
            all.push(decision(score, progress));
        }
        all.len()
    }

    #[test]
    fn oscillation_farms_nothing() {
        let script = (0..1000).map(|n| score(&Stage::Check, 1 + n % 2));
        // 1, 2, 1, 2: one is the best from the start.
        assert_eq!(bounces(script, 3), 3);
    }

    #[test]
    fn reaching_a_later_judge_is_progress_once() {
        let judges = [Stage::Tamper, Stage::Check, Stage::Tamper, Stage::Check, Stage::Tamper, Stage::Check];
        let script = judges.iter().cycle().take(100).map(|judge| score(judge, 2));
        assert_eq!(bounces(script, 3), 1 + 3);
    }

    proptest! {
        /// Whatever the agent does, the bounces are bounded by max x (sum over judges of first findings + 1).
        #[test]
        fn bounces_are_bounded(script in proptest::collection::vec((0usize..4, 1u32..6), 200), max in 1u32..5) {
            let scores: Vec<Score> = script.iter().map(|(at, open)| score(&JUDGES[*at], *open)).collect();
            let first = |judge: &Stage| scores.iter().find(|score| score.judge.as_ref() == Some(judge)).map_or(0, |score| score.open);
            let bound = max * (JUDGES.iter().map(first).sum::<u32>() + 1);
            prop_assert!(bounces(scores.iter().cloned(), max) <= bound as usize);
        }
    }
}
