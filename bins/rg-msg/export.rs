//! `export`: all messages as Markdown or as JSON lines.

use crate::options::{Options, place};
use crate::print;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::talk::log::Messages;
use review_gate::talk::markdown::{code, quotation};
use review_gate::talk::message::Message;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;
use std::collections::BTreeMap;

/// Prints all messages of a topic, or of all topics, each topic for itself.
pub fn export(args: &Args, options: &Options) -> Result<Exit> {
    let (talk, _) = place(args)?;
    let topic = match options.operands.is_empty() {
        true => None,
        false => Some(options.operand(args, "topic")?),
    };
    let paths = match topic {
        Some(topic) => vec![talk.file(topic)?],
        None => talk.files()?,
    };
    let mut found = Messages::default();
    for path in paths {
        found.read(&path, |message| topic.is_none_or(|topic| message.topic == topic))?;
    }
    print::warn(args, options, &found.skipped);
    let mut topics: BTreeMap<String, Vec<Message>> = BTreeMap::new();
    for message in found.into_sorted() {
        topics.entry(message.topic.clone()).or_default().push(message);
    }
    for (topic, messages) in topics {
        match options.json || options.quiet {
            true => print::write(&messages, options)?,
            false => pipes::write(markdown(&topic, &messages).as_bytes())?,
        }
    }
    Ok(Exit::Yes)
}

/// A topic as a chapter. The texts are quoted line by line, so that no text ends its quotation.
fn markdown(topic: &str, messages: &[Message]) -> String {
    let mut out = format!("# {}\n\n", code(topic));
    for message in messages {
        let sender = &message.sender;
        let known = [&sender.role, &sender.model].into_iter().flatten().map(|name| code(name)).collect::<Vec<_>>();
        let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
        let answer = message.reply_to.as_ref().map_or(String::new(), |id| format!(", answers {}", code(id)));
        out.push_str(&format!("## {} {}{known}\n\n{}{answer}\n\n", message.at, code(&sender.from), code(&message.id)));
        out.push_str(&quotation(&message.body));
        out.push('\n');
    }
    out
}
