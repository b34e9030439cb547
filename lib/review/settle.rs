//! Checks a reviewer's message against its review request: what the decision lacks, which issues block, and how it counts.

use super::decision::{Decision, Issue, Reading, Severity, Word, read};
use super::record::{CheckedDecision, RaisedIssue, ReviewRequest, Standing};
use super::second::{self, Proof};
use super::subject::Subject;
use crate::donefile::Floor;
use crate::event::Confidence;
use crate::event::{Finding, Level, Rule, Stage, Trust};
use crate::snapshot::workspace::Workspace;
use crate::sys::digest::sha256;
use crate::sys::error::Result;
use crate::sys::text::{count, cut_end};
use std::collections::BTreeSet;
use std::path::Path;

/// How often diagnostics are run for one reviewer.
const DIAGNOSTICS: usize = 3;

/// What a reviewer is asked for in addition.
#[derive(Clone, Debug, PartialEq)]
pub enum FollowUp {
    /// The parts that its decision lacks.
    Form(String),
    /// Another model's opinion.
    SecondOpinion,
    /// It asked for the output of these diagnostics, which it gets.
    Diagnostics(Vec<String>),
}

impl FollowUp {
    /// Its name in records.
    pub fn about(&self) -> &'static str {
        match self {
            FollowUp::Form(_) => "form",
            FollowUp::SecondOpinion => "second-opinion",
            FollowUp::Diagnostics(_) => "diagnostics",
        }
    }
}

/// The reviewer that wrote the message.
pub struct Speaker<'a> {
    /// The agent's id, or the program.
    pub by: &'a str,
    /// The vendor of its model. A second opinion must come from another one.
    pub vendor: &'a str,
    /// Who started the reviewer.
    pub trust: Trust,
    /// SHA-256 of the nonce that it must repeat.
    pub nonce_sha256: &'a str,
    /// How often it was already asked for a follow-up of that name.
    pub asked: &'a dyn Fn(&str) -> usize,
    /// Its transcript, if there is one.
    pub transcript: Option<&'a Path>,
}

/// Checks a message against its review request. Returns the decision, and what the reviewer must be asked for, if anything.
pub fn settle(
    message: &str,
    request: &ReviewRequest,
    speaker: &Speaker<'_>,
    subject: &Subject,
    workspace: &Workspace,
) -> Result<(CheckedDecision, Option<FollowUp>)> {
    let mut given = CheckedDecision {
        snapshot: Some(request.snapshot.clone()),
        trust: Some(speaker.trust),
        ..CheckedDecision::new(speaker.by.to_string(), Some(request.id.clone()))
    };
    let may_ask = |about: &str, often: usize| (speaker.asked)(about) < often;
    let form = |given: CheckedDecision, why: String| {
        let follow_up = may_ask("form", 1).then(|| FollowUp::Form(why.clone()));
        Ok((CheckedDecision { why, ..given }, follow_up))
    };
    let decision = match read(message, &request.id) {
        Reading::None(why) => return form(given, format!("no decision on review request {}: {why}", request.id)),
        Reading::Contradiction => {
            given.why = "it gave two different decisions on one review request".to_string();
            return Ok((given, None));
        }
        Reading::Decision(decision) => *decision,
    };
    given.summary = cut_end(&decision.summary, 1_000);
    given.message = cut_end(&decision.message_to_agent, 2_000);
    given.decision = Some(decision.clone());
    let asked_for: Vec<String> =
        decision.diagnostics.iter().filter(|name| is_declared(subject, name)).cloned().collect();
    if decision.word == Word::Unsure && !asked_for.is_empty() && may_ask("diagnostics", DIAGNOSTICS) {
        return Ok((given, Some(FollowUp::Diagnostics(asked_for))));
    }
    given.issues = raised(&decision.issues, subject, workspace)?;
    let keys: Vec<String> =
        subject.reviews.decisions.iter().flat_map(|given| &given.issues).map(|issue| issue.key.clone()).collect();
    given.settled = decision.reviewed.iter().filter(|name| keys.contains(name)).cloned().collect();
    let lacks = lacks(&decision, &given, speaker, subject);
    if !lacks.is_empty() {
        let why = format!("the decision lacks: {}", lacks.join("; "));
        // A rejection in a poor form is still one: its issues block.
        if has_nonce(&decision, speaker) && rejects(&decision, &given.issues) && !may_ask("form", 1) {
            return Ok((CheckedDecision { standing: Standing::Rejected, why, ..given }, None));
        }
        return form(given, why);
    }
    (given.standing, given.why) = standing(&decision, &given.issues, subject);
    if given.standing == Standing::Approved {
        return second_opinion(given, decision.word, request, speaker, subject, workspace);
    }
    Ok((given, None))
}

fn is_declared(subject: &Subject, name: &str) -> bool {
    subject.done.as_ref().is_some_and(|done| done.diagnostics.iter().any(|known| known.name == name))
}

fn has_nonce(decision: &Decision, speaker: &Speaker<'_>) -> bool {
    sha256(decision.nonce.as_bytes()) == speaker.nonce_sha256
}

/// Whether a decision rejects: it raises a blocking issue. An approval that does is asked to be consistent, and then counts as `issues`.
fn rejects(decision: &Decision, issues: &[RaisedIssue]) -> bool {
    matches!(decision.word, Word::Approve | Word::Issues) && issues.iter().any(|issue| issue.blocks)
}

/// The decision of another model by the same rule: an approval with an issue at the floor is `issues`.
pub fn effective_word(decision: &Decision, floor: Floor) -> Word {
    let blocks = |issue: &Issue| is_above(floor, severity_of(issue, floor), &issue.description);
    if decision.word == Word::Approve && decision.issues.iter().any(blocks) { Word::Issues } else { decision.word }
}

/// The severity of an issue. A missing one counts as the floor.
fn severity_of(issue: &Issue, floor: Floor) -> Severity {
    issue.severity.unwrap_or(match floor {
        Floor::Lenient => Severity::Critical,
        Floor::Balanced => Severity::Major,
        Floor::Strict => Severity::Minor,
    })
}

/// The names of the required parts that are missing.
fn lacks(decision: &Decision, given: &CheckedDecision, speaker: &Speaker<'_>, subject: &Subject) -> Vec<String> {
    let mut lacks = decision.missing.clone();
    if !has_nonce(decision, speaker) {
        lacks.push("nonce (from the start of the review)".to_string());
    }
    if matches!(decision.word, Word::Unsure | Word::Human) {
        return lacks;
    }
    let paths = subject.paths();
    let unseen: Vec<&str> = paths.iter().map(String::as_str).filter(|path| !covers(&decision.reviewed, path)).collect();
    if !unseen.is_empty() {
        let more = if unseen.len() > 10 { format!(" and {} more", unseen.len() - 10) } else { String::new() };
        lacks.push(format!("reviewed: {}{more}", unseen[..unseen.len().min(10)].join(", ")));
    }
    let blocks = given.issues.iter().any(|issue| issue.blocks);
    if decision.word == Word::Approve || !blocks {
        let open = subject.open_issues();
        let left: Vec<&str> =
            open.iter().map(|issue| issue.key.as_str()).filter(|key| !given.settled.iter().any(|s| s == key)).collect();
        if !left.is_empty() {
            lacks.push(format!("reviewed: the keys of open issues that are resolved, of {}", left.join(", ")));
        }
        if blocks {
            lacks.push("a consistent decision: it approves, and raises blocking issues".to_string());
        }
    }
    lacks
}

/// Whether the reviewed paths cover a path: they hold the path itself, or a directory above it with a trailing slash.
fn covers(reviewed: &[String], path: &str) -> bool {
    let shown = crate::sys::text::one_line(path);
    let is_it = |name: &str| {
        let in_root = name == "./" && !path.contains('/');
        let name = name.trim_start_matches("./");
        let above = name.len() > 1 && name.ends_with('/') && path.starts_with(name);
        in_root || above || name == path || name == shown
    };
    // Reviewers may copy the path with the note in parentheses that follows it in the review request.
    reviewed.iter().any(|name| is_it(name) || name.rsplit_once(" (").is_some_and(|(name, _)| is_it(name)))
}

/// A reviewer's path, relative to the root and without a line number.
pub fn below_root(path: &str, subject: &Subject) -> String {
    let root = format!("{}/", subject.root.display());
    let path = path.trim().trim_start_matches(root.as_str()).trim_start_matches("./");
    match path.rsplit_once(':') {
        Some((name, line)) if line.bytes().all(|b| b.is_ascii_digit()) => name.to_string(),
        _ => path.to_string(),
    }
}

/// The issues, each with the decision whether it blocks.
fn raised(issues: &[Issue], subject: &Subject, workspace: &Workspace) -> Result<Vec<RaisedIssue>> {
    let known: Vec<&RaisedIssue> = subject.reviews.counting().flat_map(|given| &given.issues).collect();
    let last = subject.reviews.counting().rfind(|given| given.standing == Standing::Rejected);
    // An issue in a file that did not change since the last rejection blocks only if it is critical.
    let then = last.and_then(|last| last.snapshot.as_deref());
    let changed = then.map(|then| subject.changed_since(then, workspace)).transpose()?;
    let raise = |issue: &Issue| {
        let fingerprint = Finding::new(
            Stage::ReviewState,
            Rule::ReviewIssue,
            Level::Error,
            Some(&below_root(&issue.path, subject)),
            &plain(&issue.description),
            "",
        )
        .key;
        let path = below_root(&issue.path, subject);
        // A reviewer may give the key of one issue to another one.
        let is_same = |one: &&&RaisedIssue| one.path == path && are_alike(&one.description, &issue.description);
        let again = known.iter().find(|one| one.key == issue.key).filter(is_same);
        let again = again.or_else(|| known.iter().find(|one| one.key == fingerprint));
        let severity = severity_of(issue, subject.spec.floor);
        // A reviewer that does not say is taken as sure.
        let confidence = issue.confidence.unwrap_or(Confidence::High);
        let is_regression = issue.description.to_lowercase().contains("regress");
        let is_new = path.is_empty() || is_regression || changed.as_ref().is_none_or(|changed| changed.contains(&path));
        let why_not = match () {
            _ if !is_above(subject.spec.floor, severity, &issue.description) => "below the floor",
            _ if confidence < subject.spec.confidence => "below the confidence",
            _ if subject.is_refuted(again.map_or(&fingerprint, |again| &again.key)) => "refuted by a test",
            _ if again.is_none() && !is_new && severity < Severity::Critical => "not raised in the previous round",
            _ => "",
        };
        RaisedIssue {
            key: again.map_or(fingerprint, |again| again.key.clone()),
            severity,
            confidence: issue.confidence,
            path,
            line: issue.line,
            description: cut_end(&issue.description, 1_000),
            how_to_verify: cut_end(&issue.how_to_verify, 500),
            blocks: why_not.is_empty(),
            why_not: why_not.to_string(),
        }
    };
    Ok(issues.iter().take(100).map(raise).collect())
}

/// A description without case, digits and punctuation, which may change from round to round.
fn plain(text: &str) -> String {
    let words = text.to_lowercase().chars().map(|c| if c.is_alphabetic() { c } else { ' ' }).collect::<String>();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether two descriptions have most words in common, as the same issue in other words has.
fn are_alike(one: &str, other: &str) -> bool {
    let (one, other) = (plain(one), plain(other));
    let words = |text: &'_ str| text.split(' ').map(str::to_string).collect::<BTreeSet<String>>();
    let (one, other) = (words(&one), words(&other));
    2 * one.intersection(&other).count() > one.len().max(other.len())
}

/// Words that mark an issue as one about security or failing tests.
const SERIOUS_WORDS: [&str; 12] = [
    "security",
    "injection",
    "traversal",
    "xss",
    "secret",
    "credential",
    "password",
    "deserializ",
    "overflow",
    "privilege",
    "test fails",
    "tests fail",
];

fn is_above(floor: Floor, severity: Severity, description: &str) -> bool {
    let description = description.to_lowercase();
    match floor {
        Floor::Strict => true,
        Floor::Balanced => severity >= Severity::Major,
        Floor::Lenient => severity == Severity::Critical || SERIOUS_WORDS.iter().any(|word| description.contains(word)),
    }
}

fn standing(decision: &Decision, issues: &[RaisedIssue], subject: &Subject) -> (Standing, String) {
    let below = issues.iter().filter(|issue| !issue.blocks).count();
    match decision.word {
        Word::Unsure => (Standing::Unsure, "the reviewer is unsure".to_string()),
        Word::Human => (Standing::Human, "the reviewer asks for the user's decision".to_string()),
        _ if rejects(decision, issues) => (Standing::Rejected, String::new()),
        Word::Approve | Word::Issues if below > 0 => {
            let is_below = |issue: &RaisedIssue| issue.why_not.is_empty() || issue.why_not == "below the floor";
            let all_below = issues.iter().all(is_below);
            let how =
                if all_below { format!("below the floor ({})", subject.spec.floor) } else { "not blocking".into() };
            (Standing::Approved, format!("{} {how}", count(below, "issue")))
        }
        Word::Approve | Word::Issues => (Standing::Approved, String::new()),
    }
}

/// Checks an approval against the second opinion that it requires.
fn second_opinion(
    mut given: CheckedDecision,
    word: Word,
    request: &ReviewRequest,
    speaker: &Speaker<'_>,
    subject: &Subject,
    workspace: &Workspace,
) -> Result<(CheckedDecision, Option<FollowUp>)> {
    let was_critical = |given: &CheckedDecision| given.issues.iter().any(|issue| issue.severity == Severity::Critical);
    let is_critical =
        super::matches_paths(&subject.spec, &subject.paths()) || subject.reviews.decisions.iter().any(was_critical);
    let follow_up = second::is_wanted(subject.spec.second, is_critical);
    let proof = match follow_up {
        true => second::proof(
            subject.spec.second,
            &request.id,
            (word, speaker.vendor),
            &workspace.state,
            speaker.transcript,
        ),
        false => Proof::NotWanted,
    };
    match proof {
        Proof::NotWanted => return Ok((given, None)),
        Proof::Given(who) => {
            given.second_opinion = Some(who);
            return Ok((given, None));
        }
        Proof::Missing if (speaker.asked)("second-opinion") == 0 => return Ok((given, Some(FollowUp::SecondOpinion))),
        Proof::Missing => given.why = "the reviewer asked for no second opinion".to_string(),
        Proof::Unavailable(who) => {
            given.why = format!("no second opinion available: {who}");
            given.second_opinion = Some(format!("unavailable: {who}"));
        }
        Proof::Disagrees(who, issues) => {
            given.why = format!("the second opinion disagrees: {who}");
            given.issues.extend(raised(&named(issues, &who), subject, workspace)?);
            given.second_opinion = Some(who);
            if given.issues.iter().any(|issue| issue.blocks) {
                given.standing = Standing::Rejected;
                return Ok((given, None));
            }
        }
    }
    given.standing = Standing::Unusable;
    Ok((given, None))
}

/// The issues of another model, with its name.
fn named(issues: Vec<Issue>, who: &str) -> Vec<Issue> {
    let name = who.split(':').next().unwrap_or(who);
    let with_name =
        |issue: Issue| Issue { description: format!("{name}: {}", issue.description), key: String::new(), ..issue };
    issues.into_iter().map(with_name).collect()
}
