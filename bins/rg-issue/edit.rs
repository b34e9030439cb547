//! `new`, `edit`, `status`, `comment`, `tag` and `dep`: what changes an issue.

use crate::options::{self, Options, store};
use crate::print;
use review_gate::sys::clock;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::talk::issue::board::{Board, Issue};
use review_gate::talk::issue::change::{Dep, Fields, Relation};
use review_gate::talk::issue::order;
use review_gate::tool::body;
use review_gate::tool::cli::Args;

/// Makes an issue.
pub fn new(args: &Args, options: &Options) -> Result<Exit> {
    let [title] = options.operands(args, ["title"])?;
    let set = Fields {
        title: Some(checked_title(args, title)?),
        body: text(args, options)?,
        priority: options.priority,
        tags: options.tags.clone(),
        ..Fields::default()
    };
    let store = store(args)?;
    let id = store.create(&options.holder(), &set)?;
    match options.json {
        true => print::one(&store.read()?, &id, options)?,
        false => print::id(&id)?,
    }
    Ok(Exit::Yes)
}

/// Changes the title, the text or the priority.
pub fn edit(args: &Args, options: &Options) -> Result<Exit> {
    let [word] = options.operands(args, ["id"])?;
    let title = options.title.as_deref().map(|title| checked_title(args, title)).transpose()?;
    let set = Fields { title, body: text(args, options)?, priority: options.priority, ..Fields::default() };
    match set == Fields::default() {
        true => Err(args.wrong("nothing to change: use --title, --message, --file or --priority")),
        false => change(args, options, word, |_, _| Ok(set.clone())),
    }
}

/// Sets the status.
pub fn status(args: &Args, options: &Options) -> Result<Exit> {
    let [word, status] = options.operands(args, ["id", "status"])?;
    let status = options::status(args, status)?;
    if status.is_end() && env::is_in_run() {
        return Err(Error::refused("the run that started you decides how issues end"));
    }
    if options.commit.is_some() && !status.is_end() {
        return Err(args.wrong("--commit is for an issue that ends"));
    }
    options.require_force_of_user()?;
    let by = options.holder();
    change(args, options, word, |_, issue| {
        let now = clock::now();
        let mut set =
            Fields { status: Some(status), commit: options.commit.clone(), force: options.force, ..Fields::default() };
        let held = issue.claim_at(now);
        if let Some(fence) = options.fence
            && held.map(|claim| claim.fence) != Some(fence)
        {
            return Err(Error::refused(format!("claim {fence} of {} does not hold any more", issue.id)));
        }
        match &issue.course.claim {
            _ if options.force || !status.is_end() || issue.course.status.is_end() => {}
            Some(claim) if claim.holder == by && !claim.holds(now) => {
                let ended = claim.until;
                return Err(Error::refused(format!("your claim of {} ran out at {ended}: claim it again", issue.id)));
            }
            Some(claim) if claim.holder == by => set.under = Some(claim.id.clone()),
            Some(claim) if claim.holds(now) => {
                return Err(Error::refused(format!("{} is claimed: {}", issue.id, print::claim(claim))));
            }
            _ => {}
        }
        Ok(set)
    })
}

/// Adds a comment.
pub fn comment(args: &Args, options: &Options) -> Result<Exit> {
    let [word] = options.operands(args, ["id"])?;
    // An id that does not exist is told before standard input is read.
    store(args)?.read_all()?.find(word)?;
    let text = body::read(args, options.message.as_deref(), options.file.as_deref())?;
    let set = Fields { comment: Some(text), ..Fields::default() };
    change(args, options, word, |_, _| Ok(set.clone()))
}

/// Adds tags or removes them.
pub fn tag(args: &Args, options: &Options) -> Result<Exit> {
    let (word, names) = match &options.operands[..] {
        [word, names @ ..] if !names.is_empty() => (word, names.to_vec()),
        [_] => return Err(args.wrong("no tag")),
        _ => return Err(args.wrong("no id")),
    };
    if names.iter().any(|name| name.trim().is_empty() || name.contains('\n')) {
        return Err(args.wrong("a tag is empty or has several lines"));
    }
    let set = match options.remove {
        true => Fields { untags: names, ..Fields::default() },
        false => Fields { tags: names, ..Fields::default() },
    };
    change(args, options, word, |_, _| Ok(set.clone()))
}

/// Adds a relation to another issue or removes it.
pub fn dep(args: &Args, options: &Options) -> Result<Exit> {
    let [word, relation, target] = options.operands(args, ["id", "relation", "second id"])?;
    let words = Relation::ALL.map(Relation::word).join(", ");
    let relation = Relation::named(relation)
        .ok_or_else(|| args.wrong(&format!("unknown relation {relation:?}: use one of {words}")))?;
    change(args, options, word, |board, issue| {
        let target = board.find(target)?;
        if target.id == issue.id {
            return Err(Error::refused("an issue has no relation to itself"));
        }
        if !options.remove
            && let Some(cycle) = order::cycle(board, &issue.id, relation, &target.id)
        {
            return Err(Error::refused(format!("this would be a circle: {}", cycle.join(" -> "))));
        }
        let dep = Dep { relation, target: target.id.clone(), removed: options.remove };
        Ok(Fields { deps: vec![dep], ..Fields::default() })
    })
}

/// Changes the issue that `word` names.
fn change(args: &Args, options: &Options, word: &str, set: impl Fn(&Board, &Issue) -> Result<Fields>) -> Result<Exit> {
    let (id, board) = store(args)?.change(&options.holder(), |board| {
        let issue = board.find(word)?;
        Ok((issue.id.clone(), set(board, issue)?))
    })?;
    print::warn(args, options, &board.skipped);
    print::changed(&board, &id, options)?;
    Ok(Exit::Yes)
}

/// The text of an issue, if there is one.
fn text(args: &Args, options: &Options) -> Result<Option<String>> {
    match (&options.message, &options.file) {
        (None, None) => Ok(None),
        // An empty text removes the old one.
        (Some(text), _) => Ok(Some(text.clone())),
        (None, Some(path)) => body::read(args, None, Some(path)).map(Some),
    }
}

fn checked_title(args: &Args, title: &str) -> Result<String> {
    match title.trim() {
        "" => Err(args.wrong("the title is empty")),
        title if title.contains('\n') => Err(args.wrong("the title has several lines: use --message for the text")),
        title => Ok(title.to_string()),
    }
}
