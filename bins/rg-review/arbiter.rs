//! The arbiter: an issue that is contested, or that came back, is settled by a test that another model writes and a declared check runs.
//!
//! A test counts only if it ends differently with and without the arbiter's own change of the sources, the control. A test that always
//! fails, or that cannot be parsed, fails both times. The proof of a refutation is kept: when the issue comes back in changed files, the
//! proof is tried again, and no model is asked if it still holds.

use crate::launch;
use crate::model::{Ask, Case};
use crate::scratch_copy::{self, PatchedFile, ScratchCopy};
use review_gate::donefile::{Arbiter, CheckKind, CheckSpec, Donefile, PathRules};
use review_gate::event::marks;
use review_gate::event::{Contest, Event};
use review_gate::review::diff::quoted;
use review_gate::review::record::{Dispute, Proof, RaisedIssue, Ruled, Settled};
use review_gate::review::subject::Subject;
use review_gate::sys::clock::{self, Time};
use review_gate::sys::digest::sha256;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::glob;
use review_gate::sys::limits;
use review_gate::sys::text::{cut_end, one_line};
use std::collections::BTreeMap;
use std::fs;

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
pub fn refute_again(case: &Case<'_>, issue: &RaisedIssue, before: &Settled) -> Option<Settled> {
    let (subject, proof) = (case.subject, before.proof.as_ref()?);
    let done = subject.done.as_ref()?;
    let check = check_of(done, Some(&proof.check)).ok()?;
    // Whatever it fails for: the issue is settled anew then.
    let (ruled, _) = trial(subject, done, check, proof, case.event.until).ok()?;
    (ruled == Ruled::Refuted).then(|| Settled {
        snapshot: case.request.snapshot.clone(),
        files: file_of(subject, issue),
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
    let (ruled, added) = trial(subject, done, check, &proof, case.event.until)?;
    settled.why = cut_end(&one_line(reply.text("explanation")), 500);
    settled.ruled = ruled;
    if ruled == Ruled::Refuted {
        settled.files = file_of(subject, issue);
        settled.proof = Some(proof).filter(|proof| proof.test_patch.len() + proof.control_patch.len() <= KEPT);
        return Ok(None);
    }
    settled.files = added;
    Ok(Some(proof.test_patch))
}

/// The file of an issue, with its digest.
fn file_of(subject: &Subject, issue: &RaisedIssue) -> BTreeMap<String, String> {
    subject.digest_of(&issue.path).map(|digest| (issue.path.clone(), digest)).into_iter().collect()
}

/// Runs the check in a copy of the files: alone, with the test, and with the test and the control. Returns what that shows, and the
/// digests of the files that the test adds. Errors: it shows nothing.
fn trial(
    subject: &Subject,
    done: &Donefile,
    check: &CheckSpec,
    proof: &Proof,
    until: Option<Time>,
) -> Result<(Ruled, BTreeMap<String, String>)> {
    let copy = ScratchCopy::of(subject)?;
    let alone = copy.run(check, until)?;
    if !alone.passed {
        let why = format!("check \"{}\" does not pass in a copy of the files ({})", check.name, alone.how);
        return Err(Error::unverified(why));
    }
    let added = apply_test(&copy, done, &proof.test_patch)?;
    let with_test = copy.run(check, until)?;
    apply_control(&copy, done, &proof.control_patch)?;
    let with_control = copy.run(check, until)?;
    let (failed, ruled) = match (with_test.passed, with_control.passed) {
        (false, true) => (&with_test, Ruled::Confirmed),
        (true, false) => (&with_control, Ruled::Refuted),
        (false, false) => return Err(Error::child("the test fails with and without the control")),
        (true, true) => return Err(Error::child("the test passes with and without the control")),
    };
    // The failure is that of the test, not of something else that the control breaks.
    let name = &proof.test;
    let names = |text: &str| text.contains(name) || added.keys().any(|path| text.contains(path.as_str()));
    let adds_name = |line: &str| line.starts_with('+') && line.contains(name);
    if !names(&failed.output) || !proof.test_patch.lines().any(adds_name) {
        return Err(Error::child(format!("the failure does not name the test {}", cut_end(&one_line(name), 80))));
    }
    Ok((ruled, added))
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

/// Applies the test: added files or lines in the paths of tests. Returns the digest of each.
fn apply_test(copy: &ScratchCopy, done: &Donefile, test: &str) -> Result<BTreeMap<String, String>> {
    let patched = copy.apply(test)?;
    if patched.is_empty() {
        return Err(Error::child("test_patch changes nothing"));
    }
    let rules = PathRules::new(&done.guards, copy.root());
    let mut digests = BTreeMap::new();
    for PatchedFile { path, removed, is_odd } in patched {
        let whole = copy.top().join(&path);
        let below = whole.strip_prefix(copy.root()).ok().map(|below| below.to_string_lossy().into_owned());
        let is_test = below.as_ref().is_some_and(|below| glob::any(&done.guards.test_globs, below));
        let is_file = fs::symlink_metadata(&whole).is_ok_and(|meta| meta.is_file());
        let (Some(below), true) = (below, is_test && is_file && !is_odd && removed == 0) else {
            let what = "test_patch must only add files or lines in the paths of tests";
            return Err(Error::child(format!("{what}: {}", one_line(&path))));
        };
        if rules.forbids(std::slice::from_ref(&whole)).is_some() {
            return Err(Error::child(format!("DONE.md does not allow changes of {}", one_line(&below))));
        }
        let bytes = files::read(&whole, limits::DEFINITION)?.unwrap_or_default();
        digests.insert(below, sha256(&bytes));
    }
    Ok(digests)
}

/// Applies the control: sources only.
fn apply_control(copy: &ScratchCopy, done: &Donefile, control: &str) -> Result<()> {
    for file in copy.apply(control)? {
        let whole = copy.top().join(&file.path);
        let below = whole.strip_prefix(copy.root()).unwrap_or(&whole).to_string_lossy().into_owned();
        if glob::any(&done.guards.test_globs, &below) {
            return Err(Error::child(format!("control_patch must not change tests: {}", one_line(&file.path))));
        }
    }
    Ok(())
}

/// Puts a test that confirms an issue into the working tree.
pub fn place(subject: &Subject, test: &str) -> Result<()> {
    scratch_copy::apply(test, &subject.top, None).map(drop)
}
