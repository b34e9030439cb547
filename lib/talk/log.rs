//! The log of a topic: appends with one write, and reads what can be read.

use super::lines::{self, Skipped, Waiting};
use super::message::{self, Line, Message, Sender};
use crate::sys::clock;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The bytes at the end of a log that hold its last messages. Only a message that a merge put farther from the end is missed.
const WINDOW: u64 = 1 << 20;

/// A new message before it has an id.
pub struct Draft<'a> {
    /// Its topic.
    pub topic: &'a str,
    /// The message that it answers.
    pub reply_to: Option<&'a str>,
    /// Who posts it.
    pub sender: &'a Sender,
    /// Its text.
    pub body: &'a str,
}

/// Appends a message to the log at `path` and returns it. The directory must exist.
pub fn append(path: &Path, draft: &Draft<'_>) -> Result<Message> {
    let mut message = None;
    lines::append(path, Waiting::Briefly, |end| {
        let message = message.get_or_insert_with(|| {
            let now = clock::now();
            let seed = ["rg-msg", draft.topic, &end.length.to_string(), draft.reply_to.unwrap_or(""), draft.body];
            let id = ids::ulid_at(end.next_time(now), &seed);
            Message::new(id, now, draft.topic, draft.reply_to, draft.sender, draft.body)
        });
        Ok(message.to_line())
    })?;
    message.ok_or_else(|| Error::bug("no message was made"))
}

/// Appends messages that have their ids to the log at `path`, all or none. The directory must exist.
pub fn append_all(path: &Path, messages: &[Message]) -> Result<()> {
    lines::append(path, Waiting::ForTheLock, |_| Ok(messages.iter().flat_map(Message::to_line).collect()))
}

/// Messages by id, so that the order and the number of their lines do not matter.
#[derive(Default)]
pub struct Messages {
    found: BTreeMap<String, Message>,
    /// Lines that do not count because of another line with their id.
    others: BTreeSet<Vec<u8>>,
    /// What was skipped.
    pub skipped: Skipped,
}

impl Messages {
    /// All messages of the log at `path` that `wants` selects.
    pub fn read(&mut self, path: &Path, wants: impl Fn(&Message) -> bool) -> Result<()> {
        lines::each_line(path, |line| self.add(line, &wants))
    }

    /// The messages in the order of their ids.
    pub fn into_sorted(self) -> Vec<Message> {
        self.found.into_values().collect()
    }

    /// Adds the message of a line, if it is one that `wants` selects.
    pub(super) fn add(&mut self, line: &[u8], wants: impl Fn(&Message) -> bool) {
        match message::parse(line) {
            _ if line.is_empty() => {}
            Line::Damaged => self.skipped.damaged += 1,
            Line::Newer => self.skipped.newer += 1,
            Line::Message(message) if wants(&message) => self.insert(*message),
            Line::Message(_) => {}
        }
    }

    /// Of two messages with one id the smaller line counts, whichever came first. Each other line is counted once.
    pub(super) fn insert(&mut self, message: Message) {
        match self.found.get(&message.id) {
            Some(known) if *known == message => {}
            Some(known) => {
                let (line, known) = (message.to_line(), known.to_line());
                if line < known {
                    self.found.insert(message.id.clone(), message);
                }
                if self.others.insert(line.max(known)) {
                    self.skipped.damaged += 1;
                }
            }
            None => {
                self.skipped.note_time(&message.id, clock::now());
                self.found.insert(message.id.clone(), message);
            }
        }
    }
}

/// The last `count` messages of a topic, read from the end of its log.
pub fn last(path: &Path, topic: &str, count: usize) -> Result<Messages> {
    let is_of_topic = |message: &Message| message.topic == topic;
    let Some(file) = files::open(path)? else { return Ok(Messages::default()) };
    let failed = |e| Error::io("read", path, &e);
    let length = file.metadata().map_err(failed)?.len();
    let begin = length.saturating_sub(WINDOW);
    let mut messages = Messages::default();
    // First only where each message is: the window is many times as long as what is printed.
    let mut places: Vec<(String, u64, usize)> = Vec::new();
    // The first line of a window is only the end of one.
    let mut is_cut = begin > 0;
    lines::each_line_from(&file, path, begin, |place, line| {
        if std::mem::take(&mut is_cut) || line.is_empty() {
            return;
        }
        match message::id_of(line) {
            Some(id) => places.push((id.into_owned(), place, line.len())),
            None => messages.add(line, is_of_topic),
        }
    })?;
    places.sort_unstable();
    let mut line = Vec::new();
    for same in places.chunk_by(|a, b| a.0 == b.0).rev() {
        if messages.found.len() >= count {
            break;
        }
        for (_, place, length) in same {
            line.resize(*length, 0);
            match file.read_exact_at(&mut line, *place) {
                Ok(()) => messages.add(&line, is_of_topic),
                // A writer took back a half line in the meantime.
                Err(e) if e.kind() == ErrorKind::UnexpectedEof => {}
                Err(e) => return Err(failed(e)),
            }
        }
    }
    if begin > 0 && messages.found.len() < count {
        messages = Messages::default();
        messages.read(path, is_of_topic)?;
        while messages.found.len() > count {
            messages.found.pop_first();
        }
    }
    Ok(messages)
}

/// The message whose id begins with `prefix`, in any of the logs. Errors: there is none, or there are two.
pub fn find(paths: &[impl AsRef<Path>], prefix: &str) -> Result<Message> {
    let prefix = prefix.to_ascii_uppercase();
    if prefix.is_empty() {
        return Err(Error::usage("the id is empty"));
    }
    let mut messages = Messages::default();
    for path in paths {
        let is_it = |line: &[u8]| message::id_of(line).is_some_and(|id| id.starts_with(&prefix));
        lines::each_line(path.as_ref(), |line| {
            if is_it(line) {
                messages.add(line, |_| true);
            }
        })?;
    }
    let ids: BTreeSet<String> = messages.found.keys().cloned().collect();
    let mut found = messages.into_sorted().into_iter();
    match (found.next(), ids.len()) {
        (Some(only), 1) => Ok(only),
        (None, _) => Err(Error::usage(format!("no message has an id that begins with {prefix:?}"))),
        (Some(_), n) => {
            let named: Vec<&str> = ids.iter().take(4).map(String::as_str).collect();
            Err(Error::usage(format!("{n} ids begin with {prefix:?}: {}", named.join(", "))))
        }
    }
}
