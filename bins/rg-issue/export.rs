//! `export`: all issues as Markdown or as JSON lines.

use crate::options::{Options, store};
use crate::print;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::talk::issue::board::{Board, Issue};
use review_gate::talk::markdown::{code, quotation};
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;
use std::fmt::Write;

/// Prints all issues, also those that have ended, the oldest first.
pub fn export(args: &Args, options: &Options) -> Result<Exit> {
    options.operands(args, [])?;
    let board = store(args)?.read_all()?;
    print::warn(args, options, &board.skipped);
    let all: Vec<&Issue> = board.issues().collect();
    if options.json || options.quiet {
        print::list(&board, &all, options)?;
        return Ok(Exit::Yes);
    }
    for issue in all {
        pipes::write(markdown(&board, issue).as_bytes())?;
    }
    Ok(Exit::Yes)
}

/// An issue as a chapter. The texts are quoted line by line, so that no text ends its quotation.
fn markdown(board: &Board, issue: &Issue) -> String {
    let mut out = format!("# {}\n\n", code(&issue.title));
    let tags: String = issue.tags.iter().map(|tag| format!(", {}", code(tag))).collect();
    let status = issue.course.status.word();
    let _ = writeln!(out, "{} `{status}`, priority {}{tags}\n", code(&issue.id), issue.priority);
    let _ = writeln!(out, "Made {} by {}, changed {}", issue.created, code(&issue.by.from), issue.updated);
    if let Some(commit) = &issue.commit {
        let _ = writeln!(out, "\nClosed with commit {}", code(commit));
    }
    for (relation, id) in &issue.deps {
        let title = board.get(id).map_or("(not here)", |other| other.title.as_str());
        let _ = writeln!(out, "\n* {} {} {}", relation.word(), code(id), code(title));
    }
    if !issue.body.trim().is_empty() {
        let _ = write!(out, "\n{}", quotation(issue.body.trim_end()));
    }
    for comment in &issue.comments {
        let (at, by) = (comment.at, code(&comment.by.from));
        let _ = write!(out, "\n## {at} {by}\n\n{}", quotation(comment.text.trim_end()));
    }
    out.push('\n');
    out
}
