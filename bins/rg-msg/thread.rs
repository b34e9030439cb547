//! `show` and `thread`: one message, and all that belong together.

use crate::options::{Options, place};
use crate::print;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::talk::log::{self, Messages};
use review_gate::talk::message::Message;
use review_gate::tool::cli::Args;
use std::collections::{BTreeMap, BTreeSet};

/// Prints one message.
pub fn show(args: &Args, options: &Options) -> Result<Exit> {
    let prefix = options.operand(args, "id")?;
    let (talk, _) = place(args)?;
    let message = log::find(&talk.files()?, prefix)?;
    print::write(&[message], options)?;
    Ok(Exit::Yes)
}

/// Prints the thread that a message belongs to, from its first message.
pub fn thread(args: &Args, options: &Options) -> Result<Exit> {
    let prefix = options.operand(args, "id")?;
    let (talk, _) = place(args)?;
    let message = log::find(&talk.files()?, prefix)?;
    let mut found = Messages::default();
    found.read(&talk.file(&message.topic)?, |other| other.topic == message.topic)?;
    print::warn(args, options, &found.skipped);
    print::write_levels(&levels(&found.into_sorted(), &message.id), options)?;
    Ok(Exit::Yes)
}

/// The messages of the thread of `id` with their levels, each before its answers. An edited log may hold answers in a circle.
fn levels<'a>(messages: &'a [Message], id: &str) -> Vec<(usize, &'a Message)> {
    let by_id: BTreeMap<&str, &Message> = messages.iter().map(|message| (message.id.as_str(), message)).collect();
    let mut answers: BTreeMap<&str, Vec<&Message>> = BTreeMap::new();
    for message in messages {
        if let Some(parent) = &message.reply_to {
            answers.entry(parent).or_default().push(message);
        }
    }
    let Some(mut root) = by_id.get(id).copied() else { return Vec::new() };
    let mut above = BTreeSet::new();
    while above.insert(&root.id)
        && let Some(parent) = root.reply_to.as_deref().and_then(|parent| by_id.get(parent))
    {
        root = parent;
    }
    let (mut printed, mut seen, mut open) = (Vec::new(), BTreeSet::new(), vec![(0, root)]);
    while let Some((level, message)) = open.pop() {
        if !seen.insert(&message.id) {
            continue;
        }
        printed.push((level, message));
        let below = answers.get(message.id.as_str()).into_iter().flatten();
        open.extend(below.rev().map(|answer| (level + 1, *answer)));
    }
    printed
}
