//! The log of a topic: appends with one write, and reads what can be read.

use super::message::{self, Line, Message, Sender};
use crate::sys::clock::{self, Time};
use crate::sys::error::{Error, ErrorKind, Result};
use crate::sys::files;
use crate::sys::ids;
use crate::sys::lock;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

/// How long a writer waits for the lock. After that it writes without the lock: one write does not mix with another.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bytes at the end of a log in which a writer looks for the last id.
const TAIL: u64 = 16 << 10;

/// The bytes at the end of a log that hold its last messages. Only a message that a merge put farther from the end is missed.
const WINDOW: u64 = 1 << 20;

/// The longest line: a body of 16 MiB whose characters are all written as six bytes, and the other fields.
const LINE: u64 = 100 << 20;

/// How often a message is written again because its file was replaced meanwhile.
const RETRIES: usize = 8;

/// What a reader skipped, and what it warns of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Lines that cannot be read.
    pub damaged: usize,
    /// Records of a later release.
    pub newer: usize,
    /// Messages from more than a day ahead. They are not skipped.
    pub ahead: usize,
}

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
    for _ in 0..RETRIES {
        let lock = match lock::take(path, PATIENCE) {
            Ok(lock) => Some(lock),
            Err(error) if matches!(error.kind(), ErrorKind::Locked { .. }) => None,
            Err(error) => return Err(error),
        };
        let mut file = files::open_append(path)?;
        let (before, tail) = read_tail(&file, TAIL).map_err(|e| Error::io("read", path, &e))?;
        let message = message.get_or_insert_with(|| {
            let now = clock::now();
            let seed = ["rg-msg", draft.topic, &before.to_string(), draft.reply_to.unwrap_or(""), draft.body];
            let id = ids::ulid_at(next_time(&tail, now), &seed);
            Message::new(id, now, draft.topic, draft.reply_to, draft.sender, draft.body)
        });
        let mut line = message.to_line();
        if tail.last().is_some_and(|byte| *byte != b'\n') {
            // A writer was killed; its half line ends here.
            line.insert(0, b'\n');
        }
        if let Err(e) = files::append_once(&mut file, &line) {
            if lock.is_some() {
                remove_part(&file, before, &line);
            }
            return Err(Error::io("write", path, &e));
        }
        if is_at(&file, path) {
            return Ok(message.clone());
        }
    }
    Err(Error::changed(format!("unable to write {}: it is replaced again and again", path.display())))
}

/// Appends messages that have their ids to the log at `path`. The directory must exist.
pub fn append_all(path: &Path, messages: &[Message]) -> Result<()> {
    for _ in 0..RETRIES {
        if messages.is_empty() {
            return Ok(());
        }
        let lock = lock::take(path, PATIENCE)?;
        let mut file = files::open_append(path)?;
        for message in messages {
            let (before, tail) = read_tail(&file, 1).map_err(|e| Error::io("read", path, &e))?;
            let mut line = message.to_line();
            if tail.last().is_some_and(|byte| *byte != b'\n') {
                line.insert(0, b'\n');
            }
            if let Err(e) = files::append_once(&mut file, &line) {
                remove_part(&file, before, &line);
                return Err(Error::io("write", path, &e));
            }
        }
        drop(lock);
        if is_at(&file, path) {
            return Ok(());
        }
    }
    Err(Error::changed(format!("unable to write {}: it is replaced again and again", path.display())))
}

/// Whether `file` is still the file at `path`. A checkout of git replaces it.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(ours), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    (ours.dev(), ours.ino()) == (there.dev(), there.ino())
}

/// Removes the part of a line that was written before the disk was full, unless another writer's bytes follow.
fn remove_part(file: &File, before: u64, line: &[u8]) {
    let mut written = vec![0; line.len() + 1];
    let Ok(n) = file.read_at(&mut written, before) else { return };
    if n > 0 && line.starts_with(&written[..n]) {
        let _ = file.set_len(before);
    }
}

/// The length of a file and its last bytes, at most `limit`.
fn read_tail(file: &File, limit: u64) -> std::io::Result<(u64, Vec<u8>)> {
    let length = file.metadata()?.len();
    let start = length.saturating_sub(limit);
    let mut bytes = vec![0; (length - start) as usize];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], start + filled as u64)? {
            0 => break,
            n => filled += n,
        }
    }
    bytes.truncate(filled);
    Ok((length, bytes))
}

/// The time of the next id: after the last one, so that the ids of a log are in the order of its lines. A message from more than a day
/// ahead does not count: its clock was wrong.
fn next_time(tail: &[u8], now: Time) -> Time {
    let times = tail.split(|byte| *byte == b'\n').filter_map(message::id_of).filter_map(|id| ids::time_of(&id));
    times
        .filter(|time| time.since(now) <= clock::DAY)
        .map(|time| Time(time.0 + 1))
        .max()
        .map_or(now, |time| time.max(now))
}

/// Calls `each` with every line of the log at `path`. Nothing happens if there is no such file.
fn each_line(path: &Path, mut each: impl FnMut(&[u8])) -> Result<()> {
    let Some(file) = files::open(path)? else { return Ok(()) };
    let mut reader = BufReader::with_capacity(64 << 10, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut reader).take(LINE).read_until(b'\n', &mut line);
        if read.map_err(|e| Error::io("read", path, &e))? == 0 {
            return Ok(());
        }
        each(line.trim_ascii());
    }
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
        each_line(path, |line| self.add(line, &wants))
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
        let now = clock::now();
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
                if ids::time_of(&message.id).is_some_and(|time| time.since(now) > clock::DAY) {
                    self.skipped.ahead += 1;
                }
                self.found.insert(message.id.clone(), message);
            }
        }
    }
}

/// The last `count` messages of a topic, read from the end of its log.
pub fn last(path: &Path, topic: &str, count: usize) -> Result<Messages> {
    let is_of_topic = |message: &Message| message.topic == topic;
    let Some(file) = files::open(path)? else { return Ok(Messages::default()) };
    let (length, tail) = read_tail(&file, WINDOW).map_err(|e| Error::io("read", path, &e))?;
    // The first line of a window is only the end of one.
    let cut = if length > WINDOW { memchr::memchr(b'\n', &tail).map_or(tail.len(), |at| at + 1) } else { 0 };
    let mut messages = Messages::default();
    let mut with_ids: Vec<(Cow<'_, str>, &[u8])> = Vec::new();
    let mut rest = &tail[cut..];
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..end].trim_ascii();
        rest = rest.get(end + 1..).unwrap_or_default();
        if line.is_empty() {
            continue;
        }
        match message::id_of(line) {
            Some(id) => with_ids.push((id, line)),
            None => messages.add(line, is_of_topic),
        }
    }
    with_ids.sort_by(|a, b| a.0.cmp(&b.0));
    for lines in with_ids.chunk_by(|a, b| a.0 == b.0).rev() {
        if messages.found.len() >= count {
            break;
        }
        lines.iter().for_each(|(_, line)| messages.add(line, is_of_topic));
    }
    if length > WINDOW && messages.found.len() < count {
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
        each_line(path.as_ref(), |line| {
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
