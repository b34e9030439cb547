//! Issues as text, for agents and as JSON, and warnings about what was skipped.

use crate::options::Options;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::text::{count, one_line, plain};
use review_gate::talk::issue::board::{Board, Claim, Comment, Issue};
use review_gate::talk::issue::change::{Holder, Relation};
use review_gate::talk::issue::store;
use review_gate::talk::lines::Skipped;
use review_gate::tool::cli::{self, Args};
use review_gate::tool::pipes;
use serde_json::{Value, json};
use std::fmt::Write;

/// The longest title in a list, in characters.
const TITLE: usize = 100;

/// The longest text of an issue in a brief, in bytes. The rest is one command away.
const BRIEF: usize = 4096;

/// The last comments in a brief.
const COMMENTS: usize = 5;

/// Prints an id.
pub fn id(id: &str) -> Result<()> {
    pipes::write(format!("{id}\n").as_bytes())
}

/// Prints an issue that was changed: with `--json` the whole issue, else a line.
pub fn changed(board: &Board, id: &str, options: &Options) -> Result<()> {
    let issue = store::changed(board, id)?;
    match (options.quiet, options.json) {
        (true, _) => self::id(id),
        (false, true) => pipes::write(json_line(board, issue).as_bytes()),
        (false, false) => pipes::write(line(board, issue).as_bytes()),
    }
}

/// Prints an issue that was claimed.
pub fn claimed(board: &Board, id: &str, options: &Options) -> Result<()> {
    let issue = store::changed(board, id)?;
    match &issue.course.claim {
        Some(claim) if !options.json && !options.quiet => {
            let text =
                format!("{} {}\nclaim {}, until {}\n", id, one_line(&issue.title), claim.fence, claim.until.local());
            pipes::write(text.as_bytes())
        }
        _ => changed(board, id, options),
    }
}

/// Prints an issue whole.
pub fn one(board: &Board, id: &str, options: &Options) -> Result<()> {
    let issue = store::changed(board, id)?;
    match (options.quiet, options.json) {
        (true, _) => self::id(id),
        (false, true) => pipes::write(json_line(board, issue).as_bytes()),
        (false, false) => pipes::write(text(board, issue, usize::MAX).as_bytes()),
    }
}

/// Prints a line for each issue, at most as many as `--limit` says.
pub fn list(board: &Board, issues: &[&Issue], options: &Options) -> Result<()> {
    let mut out = String::new();
    for issue in issues.iter().take(options.limit.unwrap_or(usize::MAX)) {
        match (options.quiet, options.json) {
            (true, _) => out.push_str(&format!("{}\n", issue.id)),
            (false, true) => out.push_str(&json_line(board, issue)),
            (false, false) => out.push_str(&line(board, issue)),
        }
    }
    pipes::write(out.as_bytes())
}

/// Prints an issue for an agent that is to work on it: its text, what blocks it and the last comments.
pub fn brief(board: &Board, issue: &Issue) -> Result<()> {
    let mut out = text(board, issue, COMMENTS);
    if out.len() > BRIEF {
        let end = (0..=BRIEF).rev().find(|at| out.is_char_boundary(*at));
        out.truncate(end.unwrap_or(0));
        let _ = write!(out, "\nThe rest: rg-issue show {}\n", issue.id);
    }
    pipes::write(out.as_bytes())
}

/// Prints the relations of an issue, in both directions.
pub fn deps(board: &Board, issue: &Issue, options: &Options) -> Result<()> {
    let mut out = String::new();
    for (words, id) in relations(board, issue) {
        let other = board.get(&id);
        let title = other.map_or("(not here)", |other| other.title.as_str());
        let status = other.map_or("unknown", |other| other.course.status.word());
        let _ = match (options.quiet, options.json) {
            (true, _) => writeln!(out, "{id}"),
            (false, true) => {
                writeln!(out, "{}", json!({"relation": words, "id": id, "status": status, "title": title}))
            }
            (false, false) => writeln!(out, "{words} {id}  {status}  {}", one_line(title)),
        };
    }
    pipes::write(out.as_bytes())
}

/// The relations of an issue in both directions, in words.
fn relations(board: &Board, issue: &Issue) -> Vec<(&'static str, String)> {
    let own = issue.deps.iter().map(|(relation, target)| {
        let words = match relation {
            Relation::Blocks => "blocks",
            Relation::Relates => "relates to",
            Relation::Parent => "is the parent of",
        };
        (words, target.clone())
    });
    let others = board.issues().flat_map(|other| {
        let about = other.deps.iter().filter(|(_, target)| *target == issue.id);
        about.map(|(relation, _)| {
            let words = match relation {
                Relation::Blocks => "is blocked by",
                Relation::Relates => "relates to",
                Relation::Parent => "is a part of",
            };
            (words, other.id.clone())
        })
    });
    let mut found: Vec<(&'static str, String)> = own.chain(others).collect();
    found.sort();
    found.dedup();
    found
}

/// Who has a claim and until when.
pub fn claim(claim: &Claim) -> String {
    format!("{} until {}", name(&claim.holder), claim.until.local())
}

fn name(holder: &Holder) -> String {
    let session = holder.session.as_ref().map_or(String::new(), |session| format!(" (session {})", one_line(session)));
    format!("{}{session}", one_line(&holder.from))
}

/// An issue in a line.
fn line(board: &Board, issue: &Issue) -> String {
    let mut notes = String::new();
    if !issue.tags.is_empty() {
        let tags: Vec<String> = issue.tags.iter().map(|tag| one_line(tag)).collect();
        let _ = write!(notes, "  [{}]", tags.join(", "));
    }
    if let Some(held) = issue.claim_at(clock::now()) {
        let _ = write!(notes, "  claimed by {}", claim(held));
    }
    if !board.blockers(&issue.id).is_empty() && !issue.course.status.is_end() {
        notes.push_str("  blocked");
    }
    let title: String = one_line(&issue.title).chars().take(TITLE).collect();
    format!("{}  p{}  {:11}  {title}{notes}\n", issue.id, issue.priority, issue.course.status.word())
}

/// An issue as text, with its last comments.
fn text(board: &Board, issue: &Issue, comments: usize) -> String {
    let mut out = line(board, issue);
    let _ = writeln!(out, "made {} by {}, changed {}", issue.created.local(), name(&issue.by), issue.updated.local());
    if let Some(commit) = &issue.commit {
        let _ = writeln!(out, "closed with commit {}", one_line(commit));
    }
    if issue.course.void > 0 {
        let changes = count(issue.course.void, "change");
        let _ = writeln!(out, "{changes} without effect: another one had claimed the issue");
    }
    for (words, id) in relations(board, issue) {
        let other = board.get(&id);
        let title = other.map_or("(not here)", |other| other.title.as_str());
        let ended = other.filter(|other| other.course.status.is_end());
        let ended = ended.map_or(String::new(), |other| format!(" ({})", other.course.status.word()));
        let _ = writeln!(out, "{words} {id} {}{ended}", one_line(title));
    }
    if !issue.body.trim().is_empty() {
        let _ = write!(out, "\n{}\n", plain(issue.body.trim_end().as_bytes()));
    }
    let skipped = issue.comments.len().saturating_sub(comments);
    if skipped > 0 {
        let _ = write!(out, "\n{} not shown\n", count(skipped, "earlier comment"));
    }
    for Comment { at, by, text, .. } in &issue.comments[skipped..] {
        let _ = write!(out, "\n{} {}\n", at.local(), name(by));
        for line in plain(text.trim_end().as_bytes()).lines() {
            let _ = writeln!(out, "{}", format!("    {line}").trim_end());
        }
    }
    out
}

/// An issue as a JSON object on a line.
fn json_line(board: &Board, issue: &Issue) -> String {
    let now = clock::now();
    let person = |holder: &Holder| match &holder.session {
        Some(session) => json!({"from": holder.from, "session": session}),
        None => json!({"from": holder.from}),
    };
    let mut value = json!({
        "id": issue.id,
        "title": issue.title,
        "body": issue.body,
        "status": issue.course.status,
        "priority": issue.priority,
        "tags": issue.tags,
        "deps": issue.deps.iter().map(|(relation, id)| json!({"relation": relation, "id": id})).collect::<Vec<_>>(),
        "blocked_by": board.blockers(&issue.id),
        "comments": issue.comments.iter().map(|comment| json!({"id": comment.id, "at": comment.at, "by": person(&comment.by), "text": comment.text})).collect::<Vec<_>>(),
        "by": person(&issue.by),
        "created": issue.created,
        "updated": issue.updated,
        "void": issue.course.void,
    });
    let held = issue.course.claim.as_ref().filter(|_| !issue.course.status.is_end());
    let claim = held.map(|claim| {
        json!({"id": claim.id, "by": person(&claim.holder), "until": claim.until, "fence": claim.fence, "holds": claim.holds(now)})
    });
    for (name, field) in [
        ("claim", claim),
        ("key", issue.key.as_ref().map(|key| json!(key))),
        ("commit", issue.commit.as_ref().map(|id| json!(id))),
    ] {
        value[name] = field.unwrap_or(Value::Null);
    }
    format!("{value}\n")
}

/// Warns once about what was skipped.
pub fn warn(args: &Args, options: &Options, skipped: &Skipped) {
    if let Some(text) = skipped.warning("change").filter(|_| !options.quiet) {
        cli::print_error(args.tool, &text);
    }
}
