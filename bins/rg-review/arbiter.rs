//! The arbiter: an issue that is contested, or that came back, is settled by a test that another model writes and a declared check runs.
//!
//! The proof of a refutation is kept. In changed files it is tried again, and no model is asked if it still holds.

use crate::launch;
use crate::model::{Ask, Case};
use crate::scratch_copy;
use crate::trial::Trial;
use review_gate::donefile::{Arbiter, CheckKind, CheckSpec, Donefile};
use review_gate::event::marks;
use review_gate::event::{Contest, Event};
use review_gate::review::diff::quoted;
use review_gate::review::record::{Dispute, Proof, RaisedIssue, Ruled, Settled};
use review_gate::review::subject::Subject;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{cut_end, one_line};
use std::collections::BTreeMap;

/// How many issues one stop settles.
const PER_STOP: usize = 3;

/// How often an issue comes before the arbiter without being contested.
const COMES_BACK: usize = 2;

/// The largest proof that is kept, in bytes.
const KEPT: usize = 64 << 10;

/// The shortest name of a test.
const NAME: usize = 3;

/// The arbiter's prompt.
const SYSTEM: &str = include_str!("../../agents/arbiter.md");

/// The fields of its reply.
const FORM: &str = "\"test\": \"the name of the test, as a failure prints it\", \"test_patch\": \"a unified diff that adds the test\", \"control_patch\": \"a unified diff of the sources\", \"explanation\": \"...\"";

/// An answer: the record, and the patch of the test if it confirms the issue.
pub struct Arbitration {
    /// What is recorded.
    pub settled: Settled,
    /// The test to put into the working tree.
    pub test: Option<String>,
}

/// Whether DONE.md has an arbiter, and an issue is contested or came back.
pub fn disputed(event: &Event, subject: &Subject) -> Vec<(RaisedIssue, Option<Contest>)> {
    if subject.spec.arbiter.is_none() {
        return Vec::new();
    }
    let contests = marks::marks(event).contests;
    let of = |issue: &RaisedIssue| contests.iter().find(|contest| issue.key.starts_with(&contest.key)).cloned();
    let open = subject.open_issues().into_iter().filter(|issue| subject.ruling_here(&issue.key).is_none());
    let all = open.map(|issue| (of(&issue), issue)).map(|(contest, issue)| (issue, contest));
    all.filter(|(issue, contest)| contest.is_some() || subject.reviews.times_raised(&issue.key) >= COMES_BACK)
        .take(PER_STOP)
        .collect()
}

/// The open issues that were refuted before their file changed, each with that ruling.
pub fn refuted_before(subject: &Subject) -> Vec<(RaisedIssue, Settled)> {
    let open = subject.open_issues().into_iter().filter(|issue| subject.ruling_here(&issue.key).is_none());
    let all = open.filter_map(|issue| Some((subject.last_ruling(&issue.key)?.clone(), issue)));
    let all = all.filter(|(settled, _)| settled.ruled == Ruled::Refuted && settled.proof.is_some());
    all.map(|(settled, issue)| (issue, settled)).take(PER_STOP).collect()
}

/// Tries the proof of a refutation on the files as they are now. Returns the new ruling if it still holds.
pub fn refute_again(case: &Case<'_>, before: &Settled) -> Option<Settled> {
    let (subject, proof) = (case.subject, before.proof.as_ref()?);
    let done = subject.done.as_ref()?;
    let check = check_of(done, Some(&proof.check)).ok()?;
    // Whatever it fails for: the issue is settled anew then.
    let (ruled, _) = Trial { case, done, check, proof }.hold().ok()?;
    (ruled == Ruled::Refuted).then(|| Settled {
        snapshot: case.request.snapshot.clone(),
        at: clock::now(),
        ..before.clone()
    })
}

/// Settles one issue. A failure is an answer that cannot be used.
pub fn settle(case: &Case<'_>, issue: &RaisedIssue, contest: Option<&Contest>) -> Arbitration {
    let mut settled = Settled {
        about: Dispute::Arbiter,
        ruled: Ruled::Invalid,
        by: "nobody".to_string(),
        why: String::new(),
        snapshot: case.request.snapshot.clone(),
        keys: vec![issue.key.clone()],
        files: BTreeMap::new(),
        proof: None,
        at: clock::now(),
        place: 0,
    };
    let mut test = None;
    let result = answer(case, issue, contest, &mut settled);
    match result {
        Ok(patch) => test = patch.filter(|_| settled.ruled == Ruled::Confirmed),
        Err(error) => settled.why = cut_end(&one_line(&error.to_string()), 500),
    }
    Arbitration { settled, test }
}

fn answer(
    case: &Case<'_>,
    issue: &RaisedIssue,
    contest: Option<&Contest>,
    settled: &mut Settled,
) -> Result<Option<String>> {
    let subject = case.subject;
    let declared = match &subject.spec.arbiter {
        Some(Arbiter::Program(words)) => Some(words),
        _ => subject.spec.command.as_ref(),
    };
    let target = launch::target(case.event, subject, declared)?;
    settled.by = target.name.clone();
    let done = subject.done.as_ref().ok_or_else(|| Error::usage("no definition of done"))?;
    let check = check_of(done, subject.spec.arbiter_check.as_deref())?;
    let text = dispute_text(issue, contest, check, done);
    let ask = Ask { role: "arbiter", system: SYSTEM, text: &text, form: FORM };
    let reply = case.ask(&target, &ask)?;
    let text = |name: &str| reply.text(name).to_string();
    let proof = Proof {
        check: check.name.clone(),
        test: reply.text("test").trim().to_string(),
        test_patch: text("test_patch"),
        control_patch: text("control_patch"),
    };
    if proof.test.chars().count() < NAME || proof.test_patch.trim().is_empty() || proof.control_patch.trim().is_empty()
    {
        return Err(Error::child("the arbiter's answer lacks test, test_patch or control_patch"));
    }
    let (ruled, added) = Trial { case, done, check, proof: &proof }.hold()?;
    settled.why = cut_end(&one_line(reply.text("explanation")), 500);
    settled.ruled = ruled;
    if ruled == Ruled::Refuted {
        settled.proof = Some(proof).filter(|proof| proof.test_patch.len() + proof.control_patch.len() <= KEPT);
        return Ok(None);
    }
    settled.files = added;
    Ok(Some(proof.test_patch))
}

/// The check that runs the test.
fn check_of<'a>(done: &'a Donefile, name: Option<&str>) -> Result<&'a CheckSpec> {
    let found = match name {
        Some(name) => done.checks.iter().find(|check| check.name == name),
        None => done.checks.iter().find(|check| check.kind == Some(CheckKind::Test)).or(done.checks.first()),
    };
    found.ok_or_else(|| Error::usage("no check can run the arbiter's test: `review.arbiter_check` of DONE.md"))
}

/// The dispute, for the arbiter.
fn dispute_text(issue: &RaisedIssue, contest: Option<&Contest>, check: &CheckSpec, done: &Donefile) -> String {
    let mut out = String::from("## The issue\n\n");
    let place = issue.line.map_or(issue.path.clone(), |line| format!("{}:{line}", issue.path));
    let text = format!("{} {place}\n{}\nTo verify: {}", issue.severity, issue.description, issue.how_to_verify);
    out.push_str(&quoted(&text));
    match contest {
        Some(contest) => {
            out.push_str("\n## Why the agent contests it (a claim)\n\n");
            out.push_str(&quoted(&contest.reason));
        }
        None => out.push_str("\nThe agent was told about this issue before, and the reviewer raised it again.\n"),
    }
    let cwd = check.cwd.as_deref().unwrap_or(".");
    out.push_str(&format!("\n## How your test is run\n\nCheck {} runs in {cwd}:\n", one_line(&check.name)));
    out.push_str(&quoted(&check.run));
    out.push_str(&format!("Paths of tests: {}\n", done.guards.test_globs.join(" ")));
    out
}

/// Puts a test that confirms an issue into the working tree.
pub fn place(subject: &Subject, test: &str) -> Result<()> {
    scratch_copy::apply(test, &subject.top, None).map(drop)
}
