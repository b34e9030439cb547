//! The outcome: the decision table of rg-event(5) as one function, which rg-bounce, rg-receipt and rg-answer share.
//!
//! It depends only on the event: the required judges, the verdicts, findings and waivers, `ended`, `bounce`, `reply` and the
//! client. It reads no file and no clock.

use crate::event::{Action, Client, EndedWhy, Event, Judgement, Level, Outcome, Stage, Verdict, words};
use crate::sys::exit::Exit;
use serde::{Deserialize, Serialize};

words! {
    /// The rows of the decision table in their order. The first one that applies decides.
    Row {
        /// The user waived the whole gate.
        GateWaived = "gate-waived",
        /// The source deferred the stop to a later one.
        Deferred = "deferred",
        /// rg-loop or rg-review-state keeps the turn going, and nothing is decided.
        Continued = "continued",
        /// A judge fails or found tampering, and the bounces could not be counted.
        NotCounted = "not-counted",
        /// The stop is to be blocked, and the receipt could not be sealed.
        NotSealed = "not-sealed",
        /// The agent reported `CANNOT:`.
        GaveUp = "gave-up",
        /// A judge fails or found tampering, and the budget, the time, the iterations or the rounds are spent.
        Spent = "spent",
        /// A judge fails.
        Failed = "failed",
        /// A judge found tampering, another one could not judge, and none fails.
        TamperedAndInconclusive = "tampered-and-inconclusive",
        /// A judge found tampering, and all others pass.
        Tampered = "tampered",
        /// A judge could not judge.
        Inconclusive = "inconclusive",
        /// All judges pass, some only because findings are waived.
        FindingsWaived = "findings-waived",
        /// All judges pass.
        Passed = "passed",
        /// No judge was required.
        NotRequired = "not-required",
    }
}

/// What was decided about one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The row of the table.
    pub row: Row,
    /// The outcome; None if nothing was judged.
    pub outcome: Option<Outcome>,
    /// The exit status for a manual event.
    pub status: Exit,
    /// Whether the stop is blocked.
    pub is_blocked: bool,
    /// Whether the user must be notified.
    pub notify: bool,
}

/// How many judges have each result. Each judge counts once, as the worst of its verdict and its unwaived findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Judges that fail.
    pub fail: usize,
    /// Judges that found tampering.
    pub tampered: usize,
    /// Judges that could not judge, gave no verdict although required, or passed another snapshot or only a part.
    pub inconclusive: usize,
    /// Judges that passed.
    pub pass: usize,
    /// Judges whose verdict is `not-required`.
    pub not_required: usize,
    /// Whether a finding that would count is waived.
    pub waived: bool,
}

/// Every judge that counts, in the order of the pipeline: the required ones, and those with a verdict or a finding.
pub fn judges(event: &Event) -> Vec<&Stage> {
    let judged = event.verdicts().iter().map(|judgement| &judgement.by);
    let found = event.findings().iter().map(|finding| &finding.by);
    let mut all: Vec<&Stage> = Vec::new();
    for by in event.required().into_iter().chain(judged).chain(found) {
        if !all.contains(&by) {
            all.push(by);
        }
    }
    all.sort_by_key(|by| by.place());
    all
}

/// How one judge counts: the worst of its verdict and its unwaived findings.
pub fn judge_verdict(event: &Event, judge: &Stage) -> Verdict {
    let word = match event.verdict_of(judge) {
        Some(judgement) => effective_verdict(event, judgement),
        None if event.requires(judge) => Verdict::Inconclusive,
        None => Verdict::NotRequired,
    };
    let found = event.findings().iter().filter(|finding| finding.by == *judge);
    let (waived, open): (Vec<_>, Vec<_>) = found.partition(|finding| is_waived(event, &finding.rule, &finding.key));
    let worst = open.iter().filter_map(|finding| weight(finding.level)).max();
    // If all findings that made a verdict red are waived, only the open ones count.
    let own_are_waived = !waived.is_empty() && worst.is_none_or(|worst| worst < word);
    match (word, worst) {
        (Verdict::Fail | Verdict::Tampered, worst) if own_are_waived => worst.unwrap_or(Verdict::Pass),
        (word, Some(worst)) => word.max(worst),
        (word, None) => word,
    }
}

/// A judge's verdict; a pass of another snapshot or of a part is inconclusive.
fn effective_verdict(event: &Event, judgement: &Judgement) -> Verdict {
    let green = matches!(judgement.verdict, Verdict::Pass | Verdict::NotRequired);
    let is_whole = !judgement.partial && event.is_about_these_files(judgement);
    if green && !is_whole { Verdict::Inconclusive } else { judgement.verdict }
}

fn weight(level: Level) -> Option<Verdict> {
    match level {
        Level::Note | Level::Warning => None,
        Level::Inconclusive => Some(Verdict::Inconclusive),
        Level::Tampered => Some(Verdict::Tampered),
        Level::Error => Some(Verdict::Fail),
    }
}

/// Whether the user waived this rule or this finding.
pub fn is_waived(event: &Event, rule: &str, key: &str) -> bool {
    event.waivers().any(|waiver| waiver.scope.covers(rule, key))
}

/// Counts all judges.
pub fn tally(event: &Event) -> Tally {
    let mut tally = Tally::default();
    for judge in judges(event) {
        match judge_verdict(event, judge) {
            Verdict::Fail => tally.fail += 1,
            Verdict::Tampered => tally.tampered += 1,
            Verdict::Inconclusive => tally.inconclusive += 1,
            Verdict::Pass => tally.pass += 1,
            Verdict::NotRequired => tally.not_required += 1,
        }
    }
    tally.waived = event.findings().iter().any(|f| weight(f.level).is_some() && is_waived(event, &f.rule, &f.key));
    tally
}

/// Whether bounces are counted for this event: one of a client, or a manual one with a session.
pub fn is_counted(event: &Event) -> bool {
    event.client != Client::Text || event.session_key().is_some()
}

/// The first row of the table that applies, with its outcome, status and reply.
pub fn ruling(event: &Event) -> Ruling {
    let Tally { fail, tampered, inconclusive, pass, waived, .. } = tally(event);
    let red = fail + tampered > 0;
    let could_not = |stage: Stage| event.has_verdict(&stage, Verdict::Inconclusive);
    let ended = event.ended().map(|ended| ended.why);
    let uncounted = is_counted(event) && (could_not(Stage::Bounce) || event.bounce().is_none() && ended.is_none());
    let block = event.reply().filter(|reply| reply.action == Action::Block);
    let chose_block = block.is_some();
    let row = |row, outcome, status, is_blocked, notify| Ruling { row, outcome, status, is_blocked, notify };

    if event.is_gate_waived() {
        row(Row::GateWaived, Some(Outcome::Waived), Exit::Yes, false, true)
    } else if event.is_deferred() {
        row(Row::Deferred, Some(Outcome::Unverified), Exit::Unjudged, false, false)
    } else if block.is_some_and(|reply| keeps_turn_going(&reply.by)) {
        row(Row::Continued, None, Exit::Yes, true, false)
    } else if red && uncounted {
        row(Row::NotCounted, Some(Outcome::Unverified), Exit::Unjudged, false, true)
    } else if chose_block && could_not(Stage::Receipt) {
        row(Row::NotSealed, Some(Outcome::Unverified), Exit::Unjudged, false, true)
    } else if (red || inconclusive > 0) && ended == Some(EndedWhy::Cannot) {
        row(Row::GaveUp, Some(Outcome::Abandoned), Exit::No, false, true)
    } else if red && ended.is_some() {
        row(Row::Spent, Some(Outcome::Abandoned), Exit::No, false, true)
    } else if fail > 0 {
        row(Row::Failed, Some(Outcome::NotDone), Exit::No, true, false)
    } else if tampered > 0 && inconclusive > 0 {
        row(Row::TamperedAndInconclusive, Some(Outcome::NotDone), Exit::No, true, false)
    } else if tampered > 0 {
        row(Row::Tampered, Some(Outcome::NotDone), Exit::Tampered, true, false)
    } else if inconclusive > 0 && ended.is_some() {
        row(Row::Inconclusive, Some(Outcome::Abandoned), Exit::No, false, true)
    } else if inconclusive > 0 {
        row(Row::Inconclusive, Some(Outcome::Unverified), Exit::Unjudged, chose_block, !chose_block)
    } else if waived && pass > 0 {
        row(Row::FindingsWaived, Some(Outcome::Waived), Exit::Yes, false, true)
    } else if pass > 0 {
        row(Row::Passed, Some(Outcome::Done), Exit::Yes, false, false)
    } else {
        let has_nothing_to_judge = event.client == Client::Text && event.donefile.is_none();
        row(Row::NotRequired, None, if has_nothing_to_judge { Exit::Usage } else { Exit::Yes }, false, false)
    }
}

/// Programs that keep a turn going without a decision: for the next iteration of a loop, or to ask a reviewer for what its
/// decision lacks.
fn keeps_turn_going(stage: &Stage) -> bool {
    matches!(stage, Stage::Loop | Stage::ReviewState)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Bounce, Ended, Finding, JUDGES, Kind, Reply, Rewritten, Rule, Scope, Source, Waiver};
    use crate::sys::clock::Time;

    /// An event with those verdicts, each of a required judge. `!` before a verdict means that it is about other files.
    fn event(client: Client, verdicts: &[(Stage, &str)]) -> Event {
        let mut event = Event::new(Source::new(client, Kind::Stop, "/".into()));
        event.source_mut().session = Some("s".into());
        event.results_mut().snapshot = Some("now".into());
        for (by, verdict) in verdicts {
            event.source_mut().required_at_intake.push(by.clone());
            let elsewhere = verdict.starts_with('!');
            let word = match verdict.trim_start_matches('!') {
                "P" => Verdict::Pass,
                "N" => Verdict::NotRequired,
                "F" => Verdict::Fail,
                "G" => Verdict::Tampered,
                "U" => Verdict::Inconclusive,
                _ => continue,
            };
            let snapshot = Some(if elsewhere { "then" } else { "now" }.into());
            let (by, why) = (by.clone(), String::new());
            event.results_mut().verdicts.push(Judgement { by, verdict: word, why, snapshot, partial: false });
        }
        event
    }

    fn waive(event: &mut Event, scope: &str) {
        let (id, scope, until) = ("w".to_string(), Scope::parse(scope), Time(u64::MAX));
        let (why, who) = ("x".into(), "y".into());
        let waiver = Waiver { id, scope, why, who, at: None, origin: None, until };
        event.source_mut().waivers_at_intake.push(waiver);
    }

    fn bounced(mut event: Event) -> Event {
        event.results_mut().bounce = Some(Bounce { n: 1, of: 3, ..Bounce::default() });
        event
    }

    fn ended(mut event: Event, why: EndedWhy) -> Event {
        event.results_mut().ended = Some(Ended { by: Stage::Bounce, why, text: String::new() });
        event
    }

    fn reply(mut event: Event, action: Action, by: Stage) -> Event {
        event.results_mut().reply = Some(Reply { action, reason: String::new(), by });
        event
    }

    #[test]
    fn the_decision_table() {
        use Client::{Claude, Text};
        let [t, c] = [Stage::Tamper, Stage::Check];
        let waived = |verdict, scope: &str| {
            let mut event = bounced(event(Claude, &[(c.clone(), verdict)]));
            event.results_mut().findings.push(Finding::new(
                c.clone(),
                Rule::CheckFailed,
                Level::Error,
                None,
                "tests",
                "tests",
            ));
            waive(&mut event, scope);
            event
        };
        let not_sealed = {
            let mut event = reply(bounced(event(Claude, &[(c.clone(), "F")])), Action::Block, Stage::Bounce);
            event.fail(Stage::Receipt, "no space");
            event
        };
        let not_counted = {
            let mut event = bounced(event(Claude, &[(c.clone(), "F")]));
            event.fail(Stage::Bounce, "lock");
            event
        };
        let manual = |verdicts: &[(Stage, &str)]| {
            let mut event = event(Text, verdicts);
            event.source_mut().session = None;
            event
        };
        use Outcome::*;
        let table: Vec<(Row, Option<Outcome>, u8, bool, Event)> = vec![
            (Row::GateWaived, Some(Waived), 0, false, waived("F", "gate")),
            (
                Row::Deferred,
                Some(Unverified),
                111,
                false,
                reply(event(Claude, &[(c.clone(), "")]), Action::Allow, Stage::Event),
            ),
            (Row::Continued, None, 0, true, reply(event(Claude, &[(c.clone(), "")]), Action::Block, Stage::Loop)),
            (Row::NotCounted, Some(Unverified), 111, false, event(Claude, &[(c.clone(), "F")])),
            (Row::NotCounted, Some(Unverified), 111, false, event(Claude, &[(t.clone(), "G"), (c.clone(), "P")])),
            (Row::NotCounted, Some(Unverified), 111, false, not_counted),
            (Row::NotSealed, Some(Unverified), 111, false, not_sealed),
            (Row::GaveUp, Some(Abandoned), 1, false, ended(event(Claude, &[(c.clone(), "F")]), EndedWhy::Cannot)),
            (Row::GaveUp, Some(Abandoned), 1, false, ended(event(Claude, &[(c.clone(), "U")]), EndedWhy::Cannot)),
            (
                Row::GaveUp,
                Some(Abandoned),
                1,
                false,
                ended(event(Claude, &[(t.clone(), "G"), (c.clone(), "P")]), EndedWhy::Cannot),
            ),
            (Row::Spent, Some(Abandoned), 1, false, ended(event(Claude, &[(c.clone(), "F")]), EndedWhy::Budget)),
            (
                Row::Spent,
                Some(Abandoned),
                1,
                false,
                ended(event(Claude, &[(t.clone(), "G"), (c.clone(), "U")]), EndedWhy::Minutes),
            ),
            (Row::Failed, Some(NotDone), 1, true, bounced(event(Claude, &[(c.clone(), "F")]))),
            (Row::Failed, Some(NotDone), 1, true, bounced(event(Claude, &[(t.clone(), "G"), (c.clone(), "F")]))),
            (Row::Failed, Some(NotDone), 1, true, bounced(event(Claude, &[(t.clone(), "U"), (c.clone(), "F")]))),
            (Row::Failed, Some(NotDone), 1, true, manual(&[(c.clone(), "F")])),
            (
                Row::TamperedAndInconclusive,
                Some(NotDone),
                1,
                true,
                bounced(event(Claude, &[(t.clone(), "G"), (c.clone(), "")])),
            ),
            (
                Row::TamperedAndInconclusive,
                Some(NotDone),
                1,
                true,
                bounced(event(Claude, &[(t.clone(), "G"), (c.clone(), "!P")])),
            ),
            (Row::Tampered, Some(NotDone), 3, true, bounced(event(Claude, &[(t.clone(), "G"), (c.clone(), "P")]))),
            (Row::Tampered, Some(NotDone), 3, true, manual(&[(t.clone(), "G"), (c.clone(), "P")])),
            (Row::Inconclusive, Some(Unverified), 111, false, event(Claude, &[(c.clone(), "U")])),
            (Row::Inconclusive, Some(Unverified), 111, false, event(Claude, &[(c.clone(), "")])),
            (Row::Inconclusive, Some(Unverified), 111, false, event(Claude, &[(c.clone(), "!P")])),
            (Row::Inconclusive, Some(Unverified), 111, false, event(Claude, &[(c.clone(), "!N")])),
            (
                Row::Inconclusive,
                Some(Unverified),
                111,
                true,
                reply(bounced(event(Claude, &[(c.clone(), "U")])), Action::Block, Stage::Bounce),
            ),
            (Row::Inconclusive, Some(Abandoned), 1, false, ended(event(Claude, &[(c.clone(), "U")]), EndedWhy::Budget)),
            (Row::FindingsWaived, Some(Waived), 0, false, waived("F", "rule:check-failed")),
            (Row::Passed, Some(Done), 0, false, event(Claude, &[(t.clone(), "N"), (c.clone(), "P")])),
            (Row::Passed, Some(Done), 0, false, ended(event(Claude, &[(c.clone(), "P")]), EndedWhy::Cannot)),
            (Row::NotRequired, None, 0, false, event(Claude, &[(t.clone(), "N"), (c.clone(), "N")])),
            (Row::NotRequired, None, 0, false, event(Claude, &[])),
            (Row::NotRequired, None, 100, false, manual(&[])),
        ];
        for (at, (row, word, status, block, event)) in table.iter().enumerate() {
            let ruling = ruling(event);
            let got = (ruling.row, ruling.outcome, ruling.status as u8, ruling.is_blocked);
            assert_eq!(got, (*row, *word, *status, *block), "line {at} of the table");
        }
    }

    #[test]
    fn a_partial_pass_is_unverified() {
        let mut event = event(Client::Text, &[(Stage::Check, "P")]);
        event.results_mut().verdicts[0].partial = true;
        assert_eq!(ruling(&event).outcome, Some(Outcome::Unverified));
    }

    #[test]
    fn a_waiver_of_one_finding_leaves_the_others_open() {
        let mut event = bounced(event(Client::Claude, &[(Stage::Check, "F")]));
        for name in ["a", "b"] {
            event.results_mut().findings.push(Finding::new(
                Stage::Check,
                Rule::CheckFailed,
                Level::Error,
                None,
                name,
                name,
            ));
        }
        let key = event.findings()[0].key.clone();
        waive(&mut event, &format!("key:{key}"));
        assert_eq!(ruling(&event).row, Row::Failed);
        let key = event.findings()[1].key.clone();
        waive(&mut event, &format!("key:{key}"));
        assert_eq!(ruling(&event).row, Row::FindingsWaived);
    }

    #[test]
    fn warnings_never_change_the_outcome() {
        let mut event = event(Client::Claude, &[(Stage::Check, "P")]);
        event.results_mut().findings.push(Finding::new(Stage::Check, Rule::CheckWrote, Level::Warning, None, "x", "x"));
        assert_eq!(ruling(&event).outcome, Some(Outcome::Done));
    }

    #[test]
    fn a_verdict_about_the_files_before_declared_writes_is_about_these_files() {
        let mut event = event(Client::Claude, &[(Stage::Tamper, "!P"), (Stage::Check, "P")]);
        assert_eq!(ruling(&event).outcome, Some(Outcome::Unverified));
        let seen = |before: &str, after: &str| Some(Rewritten { seen_before: before.into(), seen_after: after.into() });
        event.results_mut().rewritten = seen("then", "now");
        assert_eq!(ruling(&event).outcome, Some(Outcome::Done));
        for (before, after) in [("then", "later"), ("earlier", "now")] {
            event.results_mut().rewritten = seen(before, after);
            assert_eq!(ruling(&event).outcome, Some(Outcome::Unverified), "{before} {after}");
        }
    }

    proptest::proptest! {
        /// No combination of verdicts without a pass for these files is ever done.
        #[test]
        fn done_needs_every_required_judge(words in proptest::collection::vec("[PNFGU]|!P|!N|", 1..5)) {
            let verdicts: Vec<(Stage, &str)> = JUDGES.into_iter().zip(words.iter().map(String::as_str)).collect();
            let event = bounced(event(Client::Claude, &verdicts));
            let clean = verdicts.iter().all(|(_, word)| *word == "P" || *word == "N");
            let passed = verdicts.iter().any(|(_, word)| *word == "P");
            proptest::prop_assert_eq!(ruling(&event).outcome == Some(Outcome::Done), clean && passed);
        }
    }
}
