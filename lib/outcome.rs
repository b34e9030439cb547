//! The word: the decision table of contract.md as one function, for rg-bounce, rg-receipt and rg-answer alike.
//!
//! It reads `owed`, `judged`, `findings`, `waivers`, `ended`, `bounce`, `reply` and whether a client is counted
//! with, and nothing else: no file, no clock.

use crate::event::{Action, Client, EndedWhy, Event, Judged, Level, Outcome, Verdict, Waiver};
use crate::exit::Exit;

/// The judges in pipeline order: cheap before dear. Scores compare along it.
const PIPELINE: [&str; 4] = ["rg-tamper", "rg-check", "rg-review-state", "rg-review"];

/// Tools that keep a turn going with words of their own and judge nothing by it: the loop's next step, a reviewer that is asked
/// for what its decision lacks.
const SPEAKS_FOR_ITSELF: [&str; 2] = ["rg-loop", "rg-review-state"];

/// What was decided about one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The row of the table.
    pub row: u8,
    /// The word; none where nothing was judged.
    pub word: Option<Outcome>,
    /// The status that an endpoint ends with when a person asked.
    pub status: Exit,
    /// Whether the turn is kept going.
    pub block: bool,
    /// Whether the person must be told.
    pub tell: bool,
}

/// How the judges stand, each counted once by the worse of its word and its unwaived findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Judges that fail.
    pub fail: usize,
    /// Judges that saw the bar lowered.
    pub gamed: usize,
    /// Judges that could not judge, are absent, spoke of other files, or looked at a part only.
    pub unverified: usize,
    /// Judges that passed.
    pub pass: usize,
    /// Judges to whom nothing was owed.
    pub not_owed: usize,
    /// Some judge is green only because a person let its findings pass.
    pub waived: bool,
}

/// Every judge that counts: the owed ones, those who spoke, and those who found something.
pub fn judges(event: &Event) -> Vec<&str> {
    let spoke = event.judged.iter().map(|judged| judged.by.as_str());
    let found = event.findings.iter().map(|finding| finding.by.as_str());
    let mut all: Vec<&str> = Vec::new();
    for by in event.owed.iter().map(String::as_str).chain(spoke).chain(found) {
        if !all.contains(&by) {
            all.push(by);
        }
    }
    all.sort_by_key(|by| place(by));
    all
}

/// The place of a judge in pipeline order; the helpers that only add `unverified` come last.
pub fn place(judge: &str) -> usize {
    PIPELINE.iter().position(|name| *name == judge).unwrap_or(PIPELINE.len())
}

/// Where one judge stands on this event.
pub fn standing(event: &Event, judge: &str) -> Verdict {
    let word = match event.judged.iter().find(|judged| judged.by == judge) {
        Some(judged) => heard(event, judged),
        None if event.owed.iter().any(|owed| owed == judge) => Verdict::Unverified,
        None => Verdict::NotOwed,
    };
    let found = event.findings.iter().filter(|finding| finding.by == judge);
    let (waived, open): (Vec<_>, Vec<_>) = found.partition(|finding| is_waived(event, &finding.rule, &finding.key));
    let worst = open.iter().filter_map(|finding| weight(finding.level)).max();
    // A red word whose own findings are all waived falls to the worst of what is still open.
    let own_are_waived = !waived.is_empty() && worst.is_none_or(|worst| worst < word);
    match (word, worst) {
        (Verdict::Fail | Verdict::Gamed, worst) if own_are_waived => worst.unwrap_or(Verdict::Pass),
        (word, Some(worst)) => word.max(worst),
        (word, None) => word,
    }
}

/// A judge's word, as far as it is about these files and all of them.
fn heard(event: &Event, judged: &Judged) -> Verdict {
    let green = matches!(judged.verdict, Verdict::Pass | Verdict::NotOwed);
    let about_other_files = event.snapshot.is_some() && judged.snapshot != event.snapshot;
    if green && (judged.partial || about_other_files) { Verdict::Unverified } else { judged.verdict }
}

fn weight(level: Level) -> Option<Verdict> {
    match level {
        Level::Info | Level::Warn => None,
        Level::Unverified => Some(Verdict::Unverified),
        Level::Gamed => Some(Verdict::Gamed),
        Level::Fail => Some(Verdict::Fail),
    }
}

/// Whether a person let findings of this rule, or this very finding, pass.
pub fn is_waived(event: &Event, rule: &str, key: &str) -> bool {
    event.waivers.iter().any(|waiver| waives(waiver, rule, key))
}

/// Whether one waiver is about findings of this rule, or about this very finding.
pub fn waives(waiver: &Waiver, rule: &str, key: &str) -> bool {
    match waiver.scope.split_once(':') {
        Some(("rule", name)) => name == rule,
        Some(("key", name)) => name == key,
        _ => false,
    }
}

/// How all judges stand.
pub fn tally(event: &Event) -> Tally {
    let mut tally = Tally::default();
    for judge in judges(event) {
        match standing(event, judge) {
            Verdict::Fail => tally.fail += 1,
            Verdict::Gamed => tally.gamed += 1,
            Verdict::Unverified => tally.unverified += 1,
            Verdict::Pass => tally.pass += 1,
            Verdict::NotOwed => tally.not_owed += 1,
        }
    }
    tally.waived = event.findings.iter().any(|f| weight(f.level).is_some() && is_waived(event, &f.rule, &f.key));
    tally
}

/// Whether bounces are counted for this event: a client's, or a session's made by hand.
pub fn is_counted(event: &Event) -> bool {
    event.client != Client::Text || event.session_key().is_some()
}

/// The word, the status and the reply: the first row of the table that fits.
pub fn ruling(event: &Event) -> Ruling {
    let Tally { fail, gamed, unverified, pass, waived, .. } = tally(event);
    let red = fail + gamed > 0;
    let could_not =
        |tool: &str| event.judged.iter().any(|judged| judged.by == tool && judged.verdict == Verdict::Unverified);
    let uncounted = is_counted(event) && (could_not("rg-bounce") || event.bounce.is_none() && event.ended.is_none());
    let ended = event.ended.as_ref().map(|ended| ended.why);
    let reply = event.reply.as_ref();
    let chose_block = reply.is_some_and(|reply| reply.action == Action::Block);
    let row = |row, word, status, block, tell| Ruling { row, word, status, block, tell };

    if event.gate_waived() {
        row(1, Some(Outcome::Waived), Exit::Yes, false, true)
    } else if reply.is_some_and(|reply| reply.by == "rg-event" && reply.action == Action::Allow) {
        row(2, Some(Outcome::Unverified), Exit::Unjudged, false, false)
    } else if chose_block && reply.is_some_and(|reply| SPEAKS_FOR_ITSELF.contains(&reply.by.as_str())) {
        row(3, None, Exit::Yes, true, false)
    } else if red && uncounted {
        row(4, Some(Outcome::Unverified), Exit::Unjudged, false, true)
    } else if chose_block && could_not("rg-receipt") {
        row(5, Some(Outcome::Unverified), Exit::Unjudged, false, true)
    } else if (red || unverified > 0) && ended == Some(EndedWhy::Cannot) {
        row(6, Some(Outcome::Abandoned), Exit::No, false, true)
    } else if red && ended.is_some() {
        row(7, Some(Outcome::Abandoned), Exit::No, false, true)
    } else if fail > 0 {
        row(8, Some(Outcome::NotDone), Exit::No, true, false)
    } else if gamed > 0 && unverified > 0 {
        row(9, Some(Outcome::NotDone), Exit::No, true, false)
    } else if gamed > 0 {
        row(10, Some(Outcome::NotDone), Exit::Lowered, true, false)
    } else if unverified > 0 && ended.is_some() {
        row(11, Some(Outcome::Abandoned), Exit::No, false, true)
    } else if unverified > 0 {
        row(11, Some(Outcome::Unverified), Exit::Unjudged, chose_block, !chose_block)
    } else if waived && pass > 0 {
        row(12, Some(Outcome::Waived), Exit::Yes, false, true)
    } else if pass > 0 {
        row(13, Some(Outcome::Done), Exit::Yes, false, false)
    } else {
        let asked_for_nothing = event.client == Client::Text && event.donefile.is_none();
        row(14, None, if asked_for_nothing { Exit::Usage } else { Exit::Yes }, false, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Time;
    use crate::event::{Bounce, Ended, Finding, Kind, Reply};

    /// An event with those judges' verdicts, each owed; `!` before a verdict: about other files.
    fn event(client: Client, verdicts: &[(&str, &str)]) -> Event {
        let mut event = Event::new(client, Kind::Stop, "/".into());
        event.session = Some("s".into());
        event.snapshot = Some("now".into());
        for (by, verdict) in verdicts {
            event.owed.push(by.to_string());
            let elsewhere = verdict.starts_with('!');
            let word = match verdict.trim_start_matches('!') {
                "P" => Verdict::Pass,
                "N" => Verdict::NotOwed,
                "F" => Verdict::Fail,
                "G" => Verdict::Gamed,
                "U" => Verdict::Unverified,
                _ => continue,
            };
            event.judge(by, word, "").snapshot = Some(if elsewhere { "then" } else { "now" }.into());
        }
        event
    }

    fn waive(event: &mut Event, scope: &str) {
        let (id, scope, until) = ("w".to_string(), scope.to_string(), Time(u64::MAX));
        event.waivers.push(Waiver { id, scope, why: "x".into(), who: "y".into(), until });
    }

    fn bounced(mut event: Event) -> Event {
        event.bounce = Some(Bounce { n: 1, of: 3, ..Bounce::default() });
        event
    }

    fn ended(mut event: Event, why: EndedWhy) -> Event {
        event.ended = Some(Ended { why, text: String::new() });
        event
    }

    fn reply(mut event: Event, action: Action, by: &str) -> Event {
        event.reply = Some(Reply { action, reason: String::new(), by: by.into() });
        event
    }

    #[test]
    fn the_decision_table() {
        use Client::{Claude, Text};
        let (t, c) = ("rg-tamper", "rg-check");
        let waived = |verdict, scope: &str| {
            let mut event = bounced(event(Claude, &[(c, verdict)]));
            event.findings.push(Finding::new(c, "check-failed", Level::Fail, None, "tests", "tests"));
            waive(&mut event, scope);
            event
        };
        let not_sealed = {
            let mut event = reply(bounced(event(Claude, &[(c, "F")])), Action::Block, "rg-bounce");
            event.judge("rg-receipt", Verdict::Unverified, "no space");
            event
        };
        let not_counted = {
            let mut event = bounced(event(Claude, &[(c, "F")]));
            event.judge("rg-bounce", Verdict::Unverified, "lock");
            event
        };
        let by_hand = |verdicts: &[(&str, &str)]| {
            let mut event = event(Text, verdicts);
            event.session = None;
            event
        };
        use Outcome::*;
        let table: Vec<(u8, Option<Outcome>, u8, bool, Event)> = vec![
            (1, Some(Waived), 0, false, waived("F", "gate")),
            (2, Some(Unverified), 111, false, reply(event(Claude, &[(c, "")]), Action::Allow, "rg-event")),
            (3, None, 0, true, reply(event(Claude, &[(c, "")]), Action::Block, "rg-loop")),
            (4, Some(Unverified), 111, false, event(Claude, &[(c, "F")])),
            (4, Some(Unverified), 111, false, event(Claude, &[(t, "G"), (c, "P")])),
            (4, Some(Unverified), 111, false, not_counted),
            (5, Some(Unverified), 111, false, not_sealed),
            (6, Some(Abandoned), 1, false, ended(event(Claude, &[(c, "F")]), EndedWhy::Cannot)),
            (6, Some(Abandoned), 1, false, ended(event(Claude, &[(c, "U")]), EndedWhy::Cannot)),
            (6, Some(Abandoned), 1, false, ended(event(Claude, &[(t, "G"), (c, "P")]), EndedWhy::Cannot)),
            (7, Some(Abandoned), 1, false, ended(event(Claude, &[(c, "F")]), EndedWhy::Budget)),
            (7, Some(Abandoned), 1, false, ended(event(Claude, &[(t, "G"), (c, "U")]), EndedWhy::Minutes)),
            (8, Some(NotDone), 1, true, bounced(event(Claude, &[(c, "F")]))),
            (8, Some(NotDone), 1, true, bounced(event(Claude, &[(t, "G"), (c, "F")]))),
            (8, Some(NotDone), 1, true, bounced(event(Claude, &[(t, "U"), (c, "F")]))),
            (8, Some(NotDone), 1, true, by_hand(&[(c, "F")])),
            (9, Some(NotDone), 1, true, bounced(event(Claude, &[(t, "G"), (c, "")]))),
            (9, Some(NotDone), 1, true, bounced(event(Claude, &[(t, "G"), (c, "!P")]))),
            (10, Some(NotDone), 3, true, bounced(event(Claude, &[(t, "G"), (c, "P")]))),
            (10, Some(NotDone), 3, true, by_hand(&[(t, "G"), (c, "P")])),
            (11, Some(Unverified), 111, false, event(Claude, &[(c, "U")])),
            (11, Some(Unverified), 111, false, event(Claude, &[(c, "")])),
            (11, Some(Unverified), 111, false, event(Claude, &[(c, "!P")])),
            (11, Some(Unverified), 111, false, event(Claude, &[(c, "!N")])),
            (11, Some(Unverified), 111, true, reply(bounced(event(Claude, &[(c, "U")])), Action::Block, "rg-bounce")),
            (11, Some(Abandoned), 1, false, ended(event(Claude, &[(c, "U")]), EndedWhy::Budget)),
            (12, Some(Waived), 0, false, waived("F", "rule:check-failed")),
            (13, Some(Done), 0, false, event(Claude, &[(t, "N"), (c, "P")])),
            (13, Some(Done), 0, false, ended(event(Claude, &[(c, "P")]), EndedWhy::Cannot)),
            (14, None, 0, false, event(Claude, &[(t, "N"), (c, "N")])),
            (14, None, 0, false, event(Claude, &[])),
            (14, None, 100, false, by_hand(&[])),
        ];
        for (at, (row, word, status, block, event)) in table.iter().enumerate() {
            let ruling = ruling(event);
            let got = (ruling.row, ruling.word, ruling.status as u8, ruling.block);
            assert_eq!(got, (*row, *word, *status, *block), "line {at} of the table");
        }
    }

    #[test]
    fn a_partial_green_is_no_yes() {
        let mut event = event(Client::Text, &[("rg-check", "P")]);
        event.judged[0].partial = true;
        assert_eq!(ruling(&event).word, Some(Outcome::Unverified));
    }

    #[test]
    fn a_waiver_of_one_finding_leaves_the_others_open() {
        let mut event = bounced(event(Client::Claude, &[("rg-check", "F")]));
        for name in ["a", "b"] {
            event.findings.push(Finding::new("rg-check", "check-failed", Level::Fail, None, name, name));
        }
        let key = event.findings[0].key.clone();
        waive(&mut event, &format!("key:{key}"));
        assert_eq!(ruling(&event).row, 8);
        let key = event.findings[1].key.clone();
        waive(&mut event, &format!("key:{key}"));
        assert_eq!(ruling(&event).row, 12);
    }

    #[test]
    fn warnings_never_change_the_word() {
        let mut event = event(Client::Claude, &[("rg-check", "P")]);
        event.findings.push(Finding::new("rg-check", "claim", Level::Warn, None, "x", "x"));
        assert_eq!(ruling(&event).word, Some(Outcome::Done));
    }

    proptest::proptest! {
        /// No combination of verdicts without a pass for these files is ever done.
        #[test]
        fn done_needs_every_owed_judge(words in proptest::collection::vec("[PNFGU]|!P|!N|", 1..5)) {
            let names = ["rg-tamper", "rg-check", "rg-review-state", "rg-review"];
            let verdicts: Vec<(&str, &str)> = names.iter().copied().zip(words.iter().map(String::as_str)).collect();
            let event = bounced(event(Client::Claude, &verdicts));
            let clean = verdicts.iter().all(|(_, word)| *word == "P" || *word == "N");
            let passed = verdicts.iter().any(|(_, word)| *word == "P");
            proptest::prop_assert_eq!(ruling(&event).word == Some(Outcome::Done), clean && passed);
        }
    }
}
