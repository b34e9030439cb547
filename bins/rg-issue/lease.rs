//! `claim` and `release`: one holder works on an issue at a time.

use crate::options::{Options, store};
use crate::print;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::talk::issue::board::{Board, Issue};
use review_gate::talk::issue::change::Fields;
use review_gate::talk::issue::order;
use review_gate::tool::cli::Args;

/// How long a claim holds by default, in seconds.
const LEASE: f64 = 3600.0;

/// Claims an issue, by default the first one that is ready. The holder of a claim extends it.
pub fn claim(args: &Args, options: &Options) -> Result<Exit> {
    let word = match &options.operands[..] {
        [] => None,
        [word] if options.tags.is_empty() => Some(word),
        [_] => return Err(args.wrong("use an id or --tag")),
        [_, extra, ..] => return Err(args.wrong(&format!("unexpected operand {extra:?}"))),
    };
    let by = options.holder();
    let (id, board) = store(args)?.change(&by, |board| {
        let now = clock::now();
        let issue = match word {
            Some(word) => board.find(word)?,
            None => first(board, options).ok_or_else(|| Error::refused("no issue is ready"))?,
        };
        if issue.course.status.is_end() {
            return Err(Error::refused(format!("{} is {}", issue.id, issue.course.status.word())));
        }
        if let Some(claim) = issue.claim_at(now).filter(|claim| claim.holder != by) {
            return Err(Error::refused(format!("{} is claimed: {}", issue.id, print::claim(claim))));
        }
        let blockers = board.blockers(&issue.id);
        if !blockers.is_empty() {
            return Err(Error::refused(format!("{} is blocked by {}", issue.id, blockers.join(", "))));
        }
        let until = now.plus(options.lease.unwrap_or(LEASE));
        Ok((issue.id.clone(), Fields { claim: Some(until), ..Fields::default() }))
    })?;
    print::warn(args, options, &board.skipped);
    print::claimed(&board, &id, options)?;
    Ok(Exit::Yes)
}

/// The first issue that is ready and has all tags that were named.
fn first<'a>(board: &'a Board, options: &Options) -> Option<&'a Issue> {
    let ready = order::ready(board, clock::now());
    ready.into_iter().find(|issue| options.tags.iter().all(|tag| issue.tags.contains(tag)))
}

/// Ends a claim.
pub fn release(args: &Args, options: &Options) -> Result<Exit> {
    let [word] = options.operands(args, ["id"])?;
    options.require_force_of_user()?;
    let by = options.holder();
    let (id, board) = store(args)?.change(&by, |board| {
        let issue = board.find(word)?;
        match issue.claim_at(clock::now()) {
            None => Err(Error::refused(format!("{} is not claimed", issue.id))),
            Some(claim) if claim.holder != by && !options.force => {
                Err(Error::refused(format!("{} is claimed: {}", issue.id, print::claim(claim))))
            }
            Some(_) => {
                let set = Fields { release: true, force: options.force, ..Fields::default() };
                Ok((issue.id.clone(), set))
            }
        }
    })?;
    print::warn(args, options, &board.skipped);
    print::changed(&board, &id, options)?;
    Ok(Exit::Yes)
}
