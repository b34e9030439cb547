//! Messages as text and as JSON, and warnings about what was skipped.

use crate::options::Options;
use review_gate::sys::error::Result;
use review_gate::sys::text::{one_line, plain};
use review_gate::talk::lines::Skipped;
use review_gate::talk::message::Message;
use review_gate::tool::cli::{self, Args};
use review_gate::tool::pipes;

/// The deepest indentation of a thread, in levels.
const DEPTH: usize = 10;

/// Writes messages: ids, JSON or text.
pub fn write(messages: &[Message], options: &Options) -> Result<()> {
    let levels: Vec<(usize, &Message)> = messages.iter().map(|message| (0, message)).collect();
    write_levels(&levels, options)
}

/// Writes messages that are indented by their level in a thread.
pub fn write_levels(messages: &[(usize, &Message)], options: &Options) -> Result<()> {
    let mut out = Vec::new();
    for (level, message) in messages {
        match (options.quiet, options.json) {
            (true, _) => out.extend_from_slice(format!("{}\n", message.id).as_bytes()),
            (false, true) => out.extend_from_slice(&message.to_line()),
            (false, false) => out.extend_from_slice(text(message, *level).as_bytes()),
        }
    }
    pipes::write(&out)
}

/// A message for people: a line about it, then its text, indented and without control sequences of terminals.
fn text(message: &Message, level: usize) -> String {
    let indent = "  ".repeat(level.min(DEPTH));
    let sender = &message.sender;
    let known: Vec<String> = [&sender.role, &sender.model].into_iter().flatten().map(|name| one_line(name)).collect();
    let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
    let answer = message.reply_to.as_ref().map_or(String::new(), |id| format!(" answers {}", one_line(id)));
    let (topic, from) = (one_line(&message.topic), one_line(&sender.from));
    let mut out = format!("{indent}{} {} {topic} {from}{known}{answer}\n", message.id, message.at.local());
    for line in plain(message.body.as_bytes()).lines() {
        out.push_str(format!("{indent}    {line}").trim_end());
        out.push('\n');
    }
    out
}

/// Warns once about what was skipped.
pub fn warn(args: &Args, options: &Options, skipped: &Skipped) {
    if let Some(text) = skipped.warning("message").filter(|_| !options.quiet) {
        cli::print_error(args.tool, &text);
    }
}
