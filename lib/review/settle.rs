//! A message held against its packet: what the decision lacks, which issues block, how it stands.

use super::decision::{Decision, Issue, Reading, Severity, Word, read};
use super::desk::Desk;
use super::record::{Given, Packet, Raised, Standing};
use super::second::{self, Proof};
use crate::donefile::Floor;
use crate::event::{Finding, Level, Rule, Stage, Trust};
use crate::snapshot::definition::Basis;
use crate::sys::digest::sha256;
use crate::sys::error::Result;
use crate::sys::text::{count, cut_end};
use std::path::Path;

/// How often diagnostics are run for one reviewer.
const DIAGNOSTICS: usize = 3;

/// Something that a reviewer is asked for once more.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// What its decision lacks.
    Form(String),
    /// Another model's opinion.
    SecondOpinion,
    /// The output of these declared commands, which it asked for.
    Diagnostics(Vec<String>),
}

impl Wanted {
    /// The word under which it is on record.
    pub fn about(&self) -> &'static str {
        match self {
            Wanted::Form(_) => "form",
            Wanted::SecondOpinion => "second-opinion",
            Wanted::Diagnostics(_) => "diagnostics",
        }
    }
}

/// Who speaks.
pub struct Speaker<'a> {
    /// The agent's id, or the program.
    pub by: &'a str,
    /// Whose model it is: another vendor's opinion is one of another name.
    pub vendor: &'a str,
    /// Whose word it would be.
    pub trust: Trust,
    /// SHA-256 of what it must repeat.
    pub nonce_sha256: &'a str,
    /// How often it was asked for each thing already, by the word of it.
    pub asked: &'a dyn Fn(&str) -> usize,
    /// Its transcript, where there is one.
    pub transcript: Option<&'a Path>,
}

/// Holds a message against its packet: the decision, or what the reviewer is asked for once more.
pub fn hold(
    message: &str,
    packet: &Packet,
    speaker: &Speaker<'_>,
    desk: &Desk,
    basis: &Basis,
) -> Result<(Given, Option<Wanted>)> {
    let mut given = Given {
        snapshot: Some(packet.snapshot.clone()),
        trust: Some(speaker.trust),
        ..Given::new(speaker.by.to_string(), Some(packet.id.clone()))
    };
    let may_ask = |about: &str, often: usize| (speaker.asked)(about) < often;
    let form = |given: Given, why: String| {
        let wanted = may_ask("form", 1).then(|| Wanted::Form(why.clone()));
        Ok((Given { why, ..given }, wanted))
    };
    let decision = match read(message, &packet.id) {
        Reading::None(why) => return form(given, format!("no decision on packet {}: {why}", packet.id)),
        Reading::Contradiction => {
            given.why = "it decided two things about one packet".to_string();
            return Ok((given, None));
        }
        Reading::Decision(decision) => *decision,
    };
    given.summary = cut_end(&decision.summary, 1_000);
    given.message = cut_end(&decision.message_to_agent, 2_000);
    given.decision = Some(decision.clone());
    let asked_for: Vec<String> = decision.diagnostics.iter().filter(|name| is_declared(desk, name)).cloned().collect();
    if decision.word == Word::Unsure && !asked_for.is_empty() && may_ask("diagnostics", DIAGNOSTICS) {
        return Ok((given, Some(Wanted::Diagnostics(asked_for))));
    }
    given.issues = raised(&decision, desk, basis)?;
    let keys: Vec<String> =
        desk.reviews.given.iter().flat_map(|given| &given.issues).map(|issue| issue.key.clone()).collect();
    given.settled = decision.reviewed.iter().filter(|name| keys.contains(name)).cloned().collect();
    let lacks = lacks(&decision, &given, speaker, desk);
    if !lacks.is_empty() {
        return form(given, format!("the decision lacks {}", lacks.join("; ")));
    }
    (given.standing, given.why) = standing(&decision, &given.issues, desk);
    if given.standing == Standing::Approved {
        return second_opinion(given, decision.word, packet, speaker, desk, basis);
    }
    Ok((given, None))
}

fn is_declared(desk: &Desk, name: &str) -> bool {
    desk.done.as_ref().is_some_and(|done| done.diagnostics.iter().any(|known| known.name == name))
}

/// What must be there and is not, by name.
fn lacks(decision: &Decision, given: &Given, speaker: &Speaker<'_>, desk: &Desk) -> Vec<String> {
    let mut lacks = decision.missing.clone();
    if sha256(decision.nonce.as_bytes()) != speaker.nonce_sha256 {
        lacks.push("nonce (the one that was given at the start)".to_string());
    }
    if matches!(decision.word, Word::Unsure | Word::Human) {
        return lacks;
    }
    let paths = desk.paths();
    let unseen: Vec<&str> = paths.iter().map(String::as_str).filter(|path| !covers(&decision.reviewed, path)).collect();
    if !unseen.is_empty() {
        let more = if unseen.len() > 10 { format!(" and {} more", unseen.len() - 10) } else { String::new() };
        lacks.push(format!("reviewed: {}{more}", unseen[..unseen.len().min(10)].join(", ")));
    }
    let blocks = given.issues.iter().any(|issue| issue.blocks);
    if decision.word == Word::Approve || !blocks {
        let open = desk.reviews.open_issues();
        let left: Vec<&str> =
            open.iter().map(|issue| issue.key.as_str()).filter(|key| !given.settled.iter().any(|s| s == key)).collect();
        if !left.is_empty() {
            lacks.push(format!("reviewed: what became of the open issues {}", left.join(", ")));
        }
        if blocks {
            lacks.push(
                "a decision that fits: it approves, and raises issues that keep the work from being done".to_string(),
            );
        }
    }
    lacks
}

/// Whether what a reviewer says it looked at holds a path: the path itself, or a directory above it with its slash.
fn covers(reviewed: &[String], path: &str) -> bool {
    let shown = crate::sys::text::one_line(path);
    let is_it = |name: &str| {
        let in_root = name == "./" && !path.contains('/');
        let name = name.trim_start_matches("./");
        let above = name.len() > 1 && name.ends_with('/') && path.starts_with(name);
        in_root || above || name == path || name == shown
    };
    // As it is, or without what a packet says after it.
    reviewed.iter().any(|name| is_it(name) || name.rsplit_once(" (").is_some_and(|(name, _)| is_it(name)))
}

/// A path that a reviewer names, as ours are: below the root, without a line.
fn below_root(path: &str, desk: &Desk) -> String {
    let root = format!("{}/", desk.root.display());
    let path = path.trim().trim_start_matches(root.as_str()).trim_start_matches("./");
    match path.rsplit_once(':') {
        Some((name, line)) if line.bytes().all(|b| b.is_ascii_digit()) => name.to_string(),
        _ => path.to_string(),
    }
}

/// The issues as they count here.
fn raised(decision: &Decision, desk: &Desk, basis: &Basis) -> Result<Vec<Raised>> {
    let known: Vec<&Raised> = desk.reviews.counting().flat_map(|given| &given.issues).collect();
    let last = desk.reviews.counting().rfind(|given| given.standing == Standing::Rejected);
    // What the last round could have seen, and did not raise, is raised now only where it is critical.
    let then = last.and_then(|last| last.snapshot.as_deref());
    let changed = then.map(|then| desk.changed_since(then, basis)).transpose()?;
    let raise = |issue: &Issue| {
        let fingerprint = Finding::new(
            Stage::ReviewState,
            Rule::ReviewIssue,
            Level::Error,
            Some(&below_root(&issue.path, desk)),
            &plain(&issue.description),
            "",
        )
        .key;
        let again = known.iter().find(|one| one.key == issue.key || one.key == fingerprint);
        let severity = issue.severity.unwrap_or(Severity::Major);
        let path = below_root(&issue.path, desk);
        let says_so = issue.description.to_lowercase().contains("regress");
        let came_since = path.is_empty() || says_so || changed.as_ref().is_none_or(|changed| changed.contains(&path));
        let why_not = match () {
            _ if issue.severity.is_none() => "no severity",
            _ if severity >= Severity::Major && issue.how_to_verify.trim().is_empty() => "no how_to_verify",
            _ if !is_above(desk.spec.floor, severity, &issue.description) => "below the floor",
            _ if again.is_none() && !came_since && severity < Severity::Critical => "not raised in the round before",
            _ => "",
        };
        Raised {
            key: again.map_or(fingerprint, |again| again.key.clone()),
            severity,
            path,
            line: issue.line,
            description: cut_end(&issue.description, 1_000),
            how_to_verify: cut_end(&issue.how_to_verify, 500),
            blocks: why_not.is_empty(),
            why_not: why_not.to_string(),
        }
    };
    Ok(decision.issues.iter().take(100).map(raise).collect())
}

/// A description without what changes from round to round.
fn plain(text: &str) -> String {
    let words = text.to_lowercase().chars().map(|c| if c.is_alphabetic() { c } else { ' ' }).collect::<String>();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words that say of an issue that it is about security, or about tests that fail.
const WEIGHTY: [&str; 12] = [
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
        Floor::Lenient => severity == Severity::Critical || WEIGHTY.iter().any(|word| description.contains(word)),
    }
}

fn standing(decision: &Decision, issues: &[Raised], desk: &Desk) -> (Standing, String) {
    let below = issues.iter().filter(|issue| !issue.blocks).count();
    match decision.word {
        Word::Unsure => (Standing::Unsure, "the reviewer cannot tell".to_string()),
        Word::Human => (Standing::Human, "the reviewer wants a person to decide".to_string()),
        Word::Issues if issues.iter().any(|issue| issue.blocks) => (Standing::Rejected, String::new()),
        Word::Approve | Word::Issues if below > 0 => {
            (Standing::Approved, format!("{} below the floor ({})", count(below, "issue"), desk.spec.floor))
        }
        Word::Approve | Word::Issues => (Standing::Approved, String::new()),
    }
}

/// Holds an approval against the second opinion that is wanted with it.
fn second_opinion(
    mut given: Given,
    word: Word,
    packet: &Packet,
    speaker: &Speaker<'_>,
    desk: &Desk,
    basis: &Basis,
) -> Result<(Given, Option<Wanted>)> {
    let was_critical = |given: &Given| given.issues.iter().any(|issue| issue.severity == Severity::Critical);
    let is_critical = super::matches_paths(&desk.spec, &desk.paths()) || desk.reviews.given.iter().any(was_critical);
    let wanted = second::is_wanted(desk.spec.second, is_critical);
    let proof = match wanted {
        true => second::proof(desk.spec.second, &packet.id, (word, speaker.vendor), &basis.state, speaker.transcript),
        false => Proof::NotWanted,
    };
    match proof {
        Proof::NotWanted => return Ok((given, None)),
        Proof::Given(who) => {
            given.second_opinion = Some(who);
            return Ok((given, None));
        }
        Proof::Missing if (speaker.asked)("second-opinion") == 0 => return Ok((given, Some(Wanted::SecondOpinion))),
        Proof::Missing => given.why = "no second opinion was asked for".to_string(),
        Proof::Unavailable(who) => {
            given.why = format!("the second opinion could not be had: {who}");
            given.second_opinion = Some(format!("unavailable: {who}"));
        }
        Proof::Disagrees(who) => {
            given.why = format!("the second opinion disagrees: {who}");
            given.second_opinion = Some(who);
        }
    }
    given.standing = Standing::Unusable;
    Ok((given, None))
}
