//! `show`, `history`, `verify`: how the review of a task stands, what was decided, and whether that still holds.

use crate::verbs::{asked, looked_up};
use review_gate::event::{Event, Part, ReviewState, Source, Trust};
use review_gate::review::judge::{Said, judge};
use review_gate::review::record::{Given, Reviews, Standing};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;
use std::collections::BTreeMap;

/// `show`: in a few lines. The status is 0 where nothing is owed any more, else 1.
pub fn show(args: &mut Args) -> Result<Exit> {
    let asked = asked(args, &[])?;
    let (event, basis) = looked_up(args, asked.task)?;
    // What was asked for in the task arms it for a look by hand, too, and its decisions were given in its session.
    let task = basis.task.as_ref();
    let client = task.map_or(event.client, |task| task.begin.client);
    let review_armed =
        task.and_then(|task| task.prompts.is_review_asked()).filter(|asked| *asked).map(|_| "#review".to_string());
    let event = Event::new(Source { client, review_armed, ..Source::clone(&event) });
    let mut said = Said::of(&event);
    judge(&event, &basis, None, &mut said)?;
    let reviews = Reviews::of(basis.task.as_ref());
    let Some(review) = &said.own.review else {
        pipes::write(b"no review is armed (#review in a prompt, or review.when in DONE.md)\n")?;
        return Ok(Exit::Yes);
    };
    let why = said.verdict().map_or("", |judgement| judgement.why.as_str());
    let mut out = format!(
        "{}: {}\narmed by {}\n",
        review.state,
        if why.is_empty() { "the lot fell on another task" } else { why },
        review.armed
    );
    if let Some(packet) = &review.packet {
        out.push_str(&format!("packet {packet}\n"));
    }
    if review.round > 0 {
        out.push_str(&format!("rejected {} of {} times\n", review.round, review.of));
    }
    for issue in reviews.open_issues() {
        let place = if issue.path.is_empty() { String::new() } else { format!("{}: ", issue.path) };
        out.push_str(&format!(
            "{} {} {place}{}\n",
            issue.key,
            issue.severity,
            cut_end(&one_line(&issue.description), 200)
        ));
    }
    pipes::write(out.as_bytes())?;
    let is_settled = matches!(
        review.state,
        ReviewState::Approved | ReviewState::Waived | ReviewState::NotRequired | ReviewState::NotSampled
    );
    Ok(if is_settled { Exit::Yes } else { Exit::No })
}

/// `history`: a line for each decision; with `--reviewers` a line for each reviewer.
pub fn history(args: &mut Args) -> Result<Exit> {
    let asked = asked(args, &["reviewers"])?;
    let (_, basis) = looked_up(args, asked.task)?;
    let reviews = Reviews::of(basis.task.as_ref());
    let mut out = String::new();
    if asked.part {
        let mut all: BTreeMap<String, Tally> = BTreeMap::new();
        for (at, given) in reviews.given.iter().enumerate() {
            all.entry(reviewer(given)).or_default().add(given, &reviews.given[at + 1..]);
        }
        for (who, tally) in all {
            out.push_str(&format!("{who}: {tally}\n"));
        }
    } else {
        for given in &reviews.given {
            let at = given.at.to_string().get(..16).unwrap_or("").replace('T', " ");
            let trust =
                given.trust.filter(|_| given.standing != Standing::Void).map_or("nobody's", |trust| trust.word());
            let short = given.snapshot.as_deref().map_or("", |snapshot| snapshot.get(..12).unwrap_or(snapshot));
            let words = if given.why.is_empty() { &given.summary } else { &given.why };
            let words = cut_end(&one_line(words), 100);
            out.push_str(&format!("{at} {} {trust} {} {short} {words}\n", given.standing, given.by));
        }
    }
    if out.is_empty() {
        out.push_str("no reviewer spoke in this task\n");
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// A launched reviewer is known by its program, the client's own by its role.
fn reviewer(given: &Given) -> String {
    match given.trust {
        Some(Trust::Client) => "the client's reviewer".to_string(),
        Some(trust) => format!("{} ({trust})", given.by),
        None => "nobody".to_string(),
    }
}

/// What one reviewer did, and what became of it.
#[derive(Default)]
struct Tally {
    approved: usize,
    refuted: usize,
    rejected: usize,
    raised: usize,
    settled_unchanged: usize,
    unusable: usize,
}

impl Tally {
    /// An approval is refuted by a later rejection of the same files; an issue by a later decision that finds it settled
    /// although no file changed.
    fn add(&mut self, given: &Given, later: &[Given]) {
        let same = || later.iter().filter(|one| one.snapshot == given.snapshot && one.standing != Standing::Void);
        match given.standing {
            Standing::Approved => {
                self.approved += 1;
                self.refuted += usize::from(same().any(|one| one.standing == Standing::Rejected));
            }
            Standing::Rejected => {
                self.rejected += 1;
                let blocking: Vec<_> = given.issues.iter().filter(|issue| issue.blocks).collect();
                self.raised += blocking.len();
                let is_settled = |key: &String| same().any(|one| one.settled.contains(key));
                self.settled_unchanged += blocking.iter().filter(|issue| is_settled(&issue.key)).count();
            }
            _ => self.unusable += 1,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "approved {}, {} of them refuted; rejected {}, with {}, {} of them refuted; {} that could not be used",
            self.approved,
            self.refuted,
            self.rejected,
            count(self.raised, "issue"),
            self.settled_unchanged,
            self.unusable
        )
    }
}

/// `verify`: whether the approval of these files stands, and the journal that it stands in. The status is 0 where both do.
pub fn verify(args: &mut Args) -> Result<Exit> {
    let asked = asked(args, &[])?;
    let (event, basis) = looked_up(args, asked.task)?;
    let snapshot = basis.look(&event)?.digest();
    let Some(task) = &basis.task else { return Ok(Exit::Unjudged) };
    let (chain, records) = (task.journal.chain(), task.journal.lines().len());
    let reviews = Reviews::of(Some(task));
    let last = reviews
        .given
        .iter()
        .rfind(|given| given.snapshot.as_ref() == Some(&snapshot) && given.standing != Standing::Void);
    let mut lines = vec![match chain.broken.is_empty() {
        true => format!("ok: the chain of task {} ({})", task.id, count(records, "record")),
        false => format!("BROKEN: the chain of task {} at record {}", task.id, chain.broken[0]),
    }];
    let is_elsewhere = |given: &Given| given.trust == Some(Trust::External);
    let has_packet = |given: &Given| {
        let packet = given.packet.as_deref().and_then(|id| reviews.packet(id));
        let kept = given.snapshot.as_deref().is_some_and(|digest| basis.state.read_blob(digest).is_ok());
        is_elsewhere(given) || packet.is_some() && kept
    };
    let packet = |given: &Given| given.packet.clone().unwrap_or_default();
    let stands = match last {
        Some(given) if given.standing == Standing::Approved && has_packet(given) => {
            let trust = given.trust.map_or("nobody's", |trust| trust.word());
            lines.push(format!("ok: approved ({trust}) by {}, packet {}", given.by, packet(given)));
            true
        }
        Some(given) if given.standing == Standing::Approved => {
            lines.push(format!("BROKEN: packet {} of the approval is not on record", packet(given)));
            false
        }
        Some(given) => {
            lines.push(format!("not approved: {}", given.standing));
            false
        }
        None => {
            lines.push("not approved: no reviewer spoke of these files".to_string());
            false
        }
    };
    pipes::write((lines.join("\n") + "\n").as_bytes())?;
    Ok(if stands && chain.broken.is_empty() { Exit::Yes } else { Exit::No })
}
