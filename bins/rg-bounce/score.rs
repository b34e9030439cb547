//! Progress: a later judge is reached for the first time, or a judge has fewer open findings than ever before.

use review_gate::answer;
use review_gate::event::outcome;
use review_gate::event::{Action, Event, JUDGES, Score, Stage, Verdict};
use review_gate::store::record::SealedReceipt;
use review_gate::store::task::LedgerEntry;
use review_gate::sys::clock::Time;

/// The score of an event: the first judge in pipeline order that did not pass, and its open findings.
pub fn now(event: &Event) -> Score {
    let judges = outcome::judges(event);
    let first = judges.into_iter().find(|judge| !is_green(outcome::judge_verdict(event, judge)));
    let judge = first.cloned();
    let open = answer::open_findings(event).filter(|finding| Some(&finding.by) == judge.as_ref()).count().max(1) as u32;
    // A new decision of a reviewer is progress; rounds are limited.
    let round = event.review().filter(|_| judge == Some(Stage::ReviewState)).map_or(0, |review| review.round);
    Score { judge, open, round }
}

fn is_green(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Pass | Verdict::NotRequired)
}

/// The position of a score's judge in the pipeline.
fn place(score: &Score) -> usize {
    score.judge.as_ref().map_or(JUDGES.len(), Stage::place)
}

/// Whether `score` is better than every sealed score of this budget owner. The first score is no progress.
pub fn is_progress(score: &Score, all: &[&SealedReceipt]) -> bool {
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

/// How many bounces follow the last progress, among the decisions since the user's last prompt. A decision that cannot be read is a
/// bounce.
pub fn consecutive(since: &[&LedgerEntry]) -> u32 {
    let mut count = 0;
    for decision in since.iter().filter(|decision| is_bounce(decision)) {
        let bounce = decision.sealed.as_ref().and_then(|sealed| sealed.bounce.as_ref());
        count = if bounce.is_some_and(|bounce| bounce.progress) { 1 } else { count + 1 };
    }
    count
}

fn is_bounce(decision: &LedgerEntry) -> bool {
    decision.sealed.as_ref().is_none_or(|sealed| sealed.reply == Action::Block)
}

/// The time of the first bounce since the user's last prompt.
pub fn first_bounce(since: &[&LedgerEntry]) -> Option<Time> {
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

    fn decision(score: Score, progress: bool) -> LedgerEntry {
        let bounce = Bounce { score, progress, ..Bounce::default() };
        let sealed = SealedReceipt {
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
            awaits_user: false,
        };
        LedgerEntry { line: 1, at: Time(0), pid: None, sealed: Some(sealed) }
    }

    /// How many bounces a sequence of scores gets before it is abandoned.
    fn bounces(script: impl Iterator<Item = Score>, max: u32) -> usize {
        let mut all: Vec<LedgerEntry> = Vec::new();
        for score in script {
            let sealed: Vec<&SealedReceipt> = all.iter().filter_map(|decision| decision.sealed.as_ref()).collect();
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
    fn oscillation_is_no_progress() {
        let script = (0..1000).map(|n| score(&Stage::Check, 1 + n % 2));
        // 1, 2, 1, 2: the first score is the best one.
        assert_eq!(bounces(script, 3), 3);
    }

    #[test]
    fn reaching_a_later_judge_is_progress_once() {
        let judges = [Stage::Tamper, Stage::Check, Stage::Tamper, Stage::Check, Stage::Tamper, Stage::Check];
        let script = judges.iter().cycle().take(100).map(|judge| score(judge, 2));
        assert_eq!(bounces(script, 3), 1 + 3);
    }

    proptest! {
        /// For every sequence of scores, the bounces are at most max x (sum over judges of first findings + 1).
        #[test]
        fn bounces_are_bounded(script in proptest::collection::vec((0usize..4, 1u32..6), 200), max in 1u32..5) {
            let scores: Vec<Score> = script.iter().map(|(at, open)| score(&JUDGES[*at], *open)).collect();
            let first = |judge: &Stage| scores.iter().find(|score| score.judge.as_ref() == Some(judge)).map_or(0, |score| score.open);
            let bound = max * (JUDGES.iter().map(first).sum::<u32>() + 1);
            prop_assert!(bounces(scores.iter().cloned(), max) <= bound as usize);
        }
    }
}
