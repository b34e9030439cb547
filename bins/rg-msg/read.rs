//! `read`, `search` and `list`: messages of topics.

use crate::options::{Options, place};
use crate::print;
use review_gate::git::Repository;
use review_gate::store::state::State;
use review_gate::sys::clock::Time;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, one_line};
use review_gate::talk::directory::TalkDir;
use review_gate::talk::lines::Skipped;
use review_gate::talk::log::{self, Messages};
use review_gate::talk::query::Query;
use review_gate::talk::search;
use review_gate::tool::cli::{self, Args};
use review_gate::tool::pipes;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Prints the last messages of a topic.
pub fn read(args: &Args, options: &Options) -> Result<Exit> {
    let topic = options.operand(args, "topic")?;
    let (talk, _) = place(args)?;
    let path = talk.file(topic)?;
    let found = match options.all {
        true => {
            let mut found = Messages::default();
            found.read(&path, |message| message.topic == topic)?;
            found
        }
        false => log::last(&path, topic, options.count())?,
    };
    print_found(args, options, found, &format!("no message in the topic {topic:?}"))
}

/// Prints the last messages that fit a query.
pub fn search(args: &Args, options: &Options) -> Result<Exit> {
    let mut query = Query::parse(&options.operands.join(" "));
    (query.topic, query.from, query.since) = (options.topic.clone(), options.from.clone(), options.since);
    let (talk, repository) = place(args)?;
    let found = match options.operands.is_empty() && !query.has_terms() {
        true => search::scan(&talk.files()?, &query)?,
        false => search::search(&talk, &query, options.count(), || index(args, &talk, repository.as_ref()))?,
    };
    print_found(args, options, found, "no message fits")
}

/// The index of the talk directory, in the state directory. None if there can be none: then the logs are read.
fn index(args: &Args, talk: &TalkDir, repository: Option<&Repository>) -> Option<PathBuf> {
    let state = match repository {
        Some(repository) => State::of_repository(repository),
        None => State::of(&args.dir().ok()?),
    };
    let state = state.ok()?;
    let index = state.talk_index(talk.path());
    state.make_parent(&index).ok()?;
    Some(index)
}

fn print_found(args: &Args, options: &Options, found: Messages, none: &str) -> Result<Exit> {
    let skipped = found.skipped;
    let messages = found.into_sorted();
    print::warn(args, options, &skipped);
    if messages.is_empty() && !options.quiet {
        cli::print_error(args.tool, none);
    }
    print::write(&messages[messages.len().saturating_sub(options.count())..], options)?;
    Ok(Exit::Yes)
}

/// Prints the topics.
pub fn list(args: &Args, options: &Options) -> Result<Exit> {
    options.no_operand(args)?;
    let (talk, _) = place(args)?;
    let mut topics: BTreeMap<String, (usize, Time)> = BTreeMap::new();
    let mut skipped = Skipped::default();
    for path in talk.files()? {
        let mut found = Messages::default();
        found.read(&path, |_| true)?;
        skipped.damaged += found.skipped.damaged;
        skipped.newer += found.skipped.newer;
        skipped.ahead += found.skipped.ahead;
        for message in found.into_sorted() {
            let (number, last) = topics.entry(message.topic).or_default();
            *number += 1;
            *last = message.at.max(*last);
        }
    }
    print::warn(args, options, &skipped);
    let mut out = String::new();
    for (topic, (number, last)) in topics {
        match (options.quiet, options.json) {
            (_, true) => out.push_str(&format!("{}\n", json!({"topic": topic, "messages": number, "last": last}))),
            (true, false) => out.push_str(&format!("{}\n", one_line(&topic))),
            (false, false) => {
                out.push_str(&format!("{}  {}  {}\n", one_line(&topic), count(number, "message"), last.local()))
            }
        }
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}
