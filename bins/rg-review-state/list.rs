//! `list`: prints the decisions of a task, or, with `--reviewers`, the record of each reviewer.

use crate::verbs::{parse_options, task_and_event};
use review_gate::event::Trust;
use review_gate::review::record::{CheckedDecision, Dispute, Reviews, Ruled, Standing};
use review_gate::sys::clock::Time;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Prints a line for each decision; with `--reviewers` a line for each reviewer.
pub fn run(args: &mut Args) -> Result<Exit> {
    let options = parse_options(args, &["json", "reviewers"])?;
    let (_, workspace) = task_and_event(args, options.task)?;
    let reviews = Reviews::of(workspace.task.as_ref());
    let mut out = String::new();
    if options.has_part {
        let mut all: BTreeMap<String, Tally> = BTreeMap::new();
        for (at, given) in reviews.decisions.iter().enumerate() {
            all.entry(reviewer(given)).or_default().add(given, &reviews.decisions[at + 1..]);
        }
        for settled in reviews.settled_about(Dispute::Canary).filter(|settled| settled.ruled == Ruled::Missed) {
            all.entry(format!("{} ({})", settled.by, Trust::Gate)).or_default();
        }
        for (who, mut tally) in all {
            tally.add_settled(&reviews, &who);
            out.push_str(&match options.json {
                true => json_line(&json!({"reviewer": who, "decisions": tally}))?,
                false => format!("{who}: {tally}\n"),
            });
        }
    } else {
        for given in &reviews.decisions {
            if options.json {
                out.push_str(&json_line(&Listed { at: given.at, given })?);
                continue;
            }
            let at = given.at.local_minute();
            let trust = given.trust.filter(|_| given.standing != Standing::Void).map_or("-", |trust| trust.word());
            let short = given.snapshot.as_deref().map_or("", |snapshot| snapshot.get(..12).unwrap_or(snapshot));
            let words = if given.why.is_empty() { &given.summary } else { &given.why };
            let words = cut_end(&one_line(words), 100);
            out.push_str(&format!("{at} {} {trust} {} {short} {words}\n", given.standing, given.by));
        }
    }
    if out.is_empty() && !options.json {
        out.push_str("no decision in this task\n");
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// One JSON object in a line.
fn json_line(what: &impl Serialize) -> Result<String> {
    serde_json::to_string(what).map(|line| line + "\n").map_err(|e| Error::stream("write", e))
}

/// A decision with its time, which is in the record's envelope.
#[derive(Serialize)]
struct Listed<'a> {
    at: Time,
    #[serde(flatten)]
    given: &'a CheckedDecision,
}

/// The name of a reviewer: the program that the gate started, or the client's role.
fn reviewer(given: &CheckedDecision) -> String {
    match given.trust {
        Some(Trust::Client) => "the client's reviewer".to_string(),
        Some(trust) => format!("{} ({trust})", given.by),
        None => "void".to_string(),
    }
}

/// One reviewer's decisions, and how many were refuted later.
#[derive(Default, Serialize)]
struct Tally {
    approved: usize,
    refuted: usize,
    rejected: usize,
    raised: usize,
    settled_unchanged: usize,
    refuted_by_test: usize,
    confirmed_by_test: usize,
    missed_defects: usize,
    found_defects: usize,
    unusable: usize,
}

impl Tally {
    /// Counts a decision. A later rejection of the same files refutes an approval; a later decision on the same files that settles an
    /// issue refutes the issue.
    fn add(&mut self, given: &CheckedDecision, later: &[CheckedDecision]) {
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

impl Tally {
    /// Counts what tests and planted defects showed about the reviewer `who`.
    fn add_settled(&mut self, reviews: &Reviews, who: &str) {
        for settled in &reviews.settled {
            let raised = |given: &&CheckedDecision| {
                given.place < settled.place && given.issues.iter().any(|issue| settled.keys.contains(&issue.key))
            };
            let by = reviews.decisions.iter().rfind(raised).map(reviewer);
            let is_theirs = by.as_deref() == Some(who);
            match settled.ruled {
                Ruled::Refuted if is_theirs => self.refuted_by_test += 1,
                Ruled::Confirmed if is_theirs => self.confirmed_by_test += 1,
                Ruled::Missed if who.starts_with(&settled.by) => self.missed_defects += 1,
                Ruled::Found if who.starts_with(&settled.by) => self.found_defects += 1,
                _ => {}
            }
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "approved {} ({} refuted); rejected {} with {} ({} refuted); {} unusable",
            self.approved,
            self.refuted,
            self.rejected,
            count(self.raised, "issue"),
            self.settled_unchanged,
            self.unusable
        )?;
        let tests = self.confirmed_by_test + self.refuted_by_test;
        if tests > 0 {
            write!(f, "; by tests {} confirmed, {} refuted", self.confirmed_by_test, self.refuted_by_test)?;
        }
        if self.found_defects + self.missed_defects > 0 {
            write!(f, "; planted defects {} found, {} missed", self.found_defects, self.missed_defects)?;
        }
        Ok(())
    }
}
