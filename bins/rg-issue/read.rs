//! `list`, `ready`, `search`, `show`, `deps` and `brief`: what prints issues.

use crate::options::{Options, store};
use crate::print;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::talk::issue::board::Issue;
use review_gate::talk::issue::columns::Ready;
use review_gate::talk::query::Query;
use review_gate::tool::cli::Args;
use std::cmp::Reverse;

/// Prints the issues that have not ended, the last changed one first.
pub fn list(args: &Args, options: &Options) -> Result<Exit> {
    options.operands(args, [])?;
    let board = if options.all { store(args)?.read_all()? } else { store(args)?.read()? };
    let is_wanted = |issue: &&Issue| {
        (options.all || options.status.is_some() || !issue.course.status.is_end()) && fits(options, issue)
    };
    let mut found: Vec<&Issue> = board.issues().filter(is_wanted).collect();
    found.sort_by_key(|issue| Reverse((issue.updated, &issue.id)));
    print::warn(args, options, &board.skipped);
    print::list(&board, &found, options)?;
    Ok(Exit::Yes)
}

/// Prints what can be worked on now.
pub fn ready(args: &Args, options: &Options) -> Result<Exit> {
    options.operands(args, [])?;
    let (store, now) = (store(args)?, clock::now());
    // Tags are texts, so all issues are read for them.
    let limit = if options.tags.is_empty() { options.limit.unwrap_or(usize::MAX) } else { usize::MAX };
    let Ready { board, ids, .. } = store.ready(now, limit)?;
    let found: Vec<&Issue> = ids.iter().filter_map(|id| board.get(id)).filter(|issue| fits(options, issue)).collect();
    print::warn(args, options, &board.skipped);
    print::list(&board, &found, options)?;
    Ok(Exit::Yes)
}

/// Prints the issues whose title, text or comments have all the words.
pub fn search(args: &Args, options: &Options) -> Result<Exit> {
    let query = Query::parse(&options.operands.join(" "));
    let board = store(args)?.read_all()?;
    let text = |issue: &Issue| {
        let comments = issue.comments.iter().map(|comment| comment.text.as_str());
        let tags = issue.tags.iter().map(String::as_str);
        [issue.title.as_str(), &issue.body].into_iter().chain(comments).chain(tags).collect::<Vec<_>>().join("\n")
    };
    // Words without a letter or a digit select nothing.
    let is_selective =
        options.operands.is_empty() || query.has_terms() || options.status.is_some() || !options.tags.is_empty();
    let is_wanted = |issue: &&Issue| is_selective && fits(options, issue) && query.fits(&text(issue));
    let mut found: Vec<&Issue> = board.issues().filter(is_wanted).collect();
    found.sort_by_key(|issue| (issue.course.status.is_end(), Reverse((issue.updated, &issue.id))));
    print::warn(args, options, &board.skipped);
    print::list(&board, &found, options)?;
    Ok(Exit::Yes)
}

fn fits(options: &Options, issue: &Issue) -> bool {
    options.status.is_none_or(|status| status == issue.course.status)
        && options.tags.iter().all(|tag| issue.tags.contains(tag))
}

/// Prints an issue.
pub fn show(args: &Args, options: &Options) -> Result<Exit> {
    let [word] = options.operands(args, ["id"])?;
    let board = store(args)?.read_all()?;
    let issue = board.find(word)?;
    print::warn(args, options, &board.skipped);
    print::one(&board, &issue.id, options)?;
    Ok(Exit::Yes)
}

/// Prints the relations of an issue.
pub fn deps(args: &Args, options: &Options) -> Result<Exit> {
    let [word] = options.operands(args, ["id"])?;
    let board = store(args)?.read_all()?;
    let issue = board.find(word)?;
    print::warn(args, options, &board.skipped);
    print::deps(&board, issue, options)?;
    Ok(Exit::Yes)
}

/// Prints an issue for an agent that is to work on it.
pub fn brief(args: &Args, options: &Options) -> Result<Exit> {
    let [word] = options.operands(args, ["id"])?;
    let board = store(args)?.read_all()?;
    let issue = board.find(word)?;
    print::brief(&board, issue)?;
    Ok(Exit::Yes)
}
