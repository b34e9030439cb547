//! Messages of a jwz store: one JSON object a line, topics and messages.

use super::directory::TalkDir;
use super::log::{self, Messages};
use super::message::{Message, Sender};
use crate::sys::clock::Time;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The name of the log in a store.
const LOG: &str = "messages.jsonl";

/// The longest line that is read.
const LINE: u64 = 100 << 20;

/// The sender of a message that names none, and of descriptions.
const NOBODY: &str = "jwz";

/// A record of a store.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Record {
    Topic { id: String, name: String, description: Option<String>, created_at: Option<f64> },
    Message(Box<Post>),
}

#[derive(Deserialize)]
struct Post {
    id: String,
    topic_id: String,
    parent_id: Option<String>,
    body: String,
    created_at: Option<f64>,
    sender: Option<By>,
    git: Option<Checkout>,
}

#[derive(Deserialize)]
struct By {
    id: Option<String>,
    name: Option<String>,
    model: Option<String>,
    role: Option<String>,
}

#[derive(Deserialize)]
struct Checkout {
    oid: Option<String>,
    head: Option<String>,
    prefix: Option<String>,
}

/// What a store holds.
#[derive(Default)]
pub struct Store {
    messages: BTreeMap<String, Message>,
    topics: BTreeMap<String, String>,
    /// Lines that are no record.
    pub damaged: usize,
    /// The names of topics that hold no message and have no description.
    pub empty: Vec<String>,
    /// The database of the store, which alone holds its blobs.
    pub database: Option<PathBuf>,
}

/// What an import did.
#[derive(Default)]
pub struct Imported {
    /// The messages that are new.
    pub messages: usize,
    /// The messages that were there before.
    pub known: usize,
    /// The topics of all messages of the store.
    pub topics: usize,
}

impl Store {
    /// Reads a store: its directory, its log, or a directory that holds `.jwz` or `.zawinski`. Usage error if there is none.
    pub fn read(path: &Path) -> Result<Store> {
        let places =
            [path.to_path_buf(), path.join(LOG), path.join(".jwz").join(LOG), path.join(".zawinski").join(LOG)];
        let Some(log) = places.into_iter().find(|place| place.is_file()) else {
            return Err(Error::usage(format!("no jwz store: {} holds no {LOG}", path.display())));
        };
        let file =
            files::open_following(&log)?.ok_or_else(|| Error::usage(format!("no such file: {}", log.display())))?;
        let mut store =
            Store { database: Some(log.with_extension("db")).filter(|path| path.exists()), ..Store::default() };
        let mut posts = Vec::new();
        let (mut reader, mut line) = (BufReader::with_capacity(64 << 10, file), Vec::new());
        loop {
            line.clear();
            let read = (&mut reader).take(LINE).read_until(b'\n', &mut line);
            if read.map_err(|e| Error::io("read", &log, &e))? == 0 {
                break;
            }
            let line = line.trim_ascii();
            match serde_json::from_slice(line) {
                Ok(Record::Message(post)) => posts.push(*post),
                Ok(Record::Topic { id, name, description, created_at }) if !name.is_empty() => {
                    if let Some(text) = description.filter(|text| !text.trim().is_empty()) {
                        let own = id_of(&id, created_at);
                        let at = time(created_at).or(ids::time_of(&own)).unwrap_or_default();
                        store.messages.insert(own.clone(), Message::new(own, at, &name, None, &nobody(), &text));
                    }
                    store.topics.insert(id, name);
                }
                _ if line.is_empty() => {}
                _ => store.damaged += 1,
            }
        }
        let times: HashMap<String, Option<f64>> = posts.iter().map(|post| (post.id.clone(), post.created_at)).collect();
        for post in posts {
            // The name of a topic whose record is lost is its id.
            let topic = store.topics.get(&post.topic_id).unwrap_or(&post.topic_id).clone();
            if topic.is_empty() {
                store.damaged += 1;
                continue;
            }
            let message = message(post, &topic, &times);
            store.messages.insert(message.id.clone(), message);
        }
        let used: HashSet<&str> = store.messages.values().map(|message| message.topic.as_str()).collect();
        let names = store.topics.values().filter(|name| !used.contains(name.as_str()));
        store.empty = names.cloned().collect();
        store.empty.sort();
        store.empty.dedup();
        Ok(store)
    }

    /// Adds the messages to a talk, except for those that it has. A second import of the same store adds nothing.
    pub fn write(self, talk: &TalkDir) -> Result<Imported> {
        let mut topics: BTreeMap<String, Vec<Message>> = BTreeMap::new();
        for message in self.messages.into_values() {
            topics.entry(message.topic.clone()).or_default().push(message);
        }
        let mut imported = Imported { topics: topics.len(), ..Imported::default() };
        talk.make()?;
        for (topic, messages) in topics {
            let path = talk.file(&topic)?;
            let mut known = Messages::default();
            known.read(&path, |_| true)?;
            let known: HashSet<String> = known.into_sorted().into_iter().map(|message| message.id).collect();
            let (old, new): (Vec<Message>, Vec<Message>) =
                messages.into_iter().partition(|message| known.contains(&message.id));
            log::append_all(&path, &new)?;
            imported.messages += new.len();
            imported.known += old.len();
        }
        Ok(imported)
    }
}

fn message(post: Post, topic: &str, times: &HashMap<String, Option<f64>>) -> Message {
    let Post { id, parent_id, body, created_at, sender, git, .. } = post;
    let mut by = nobody();
    if let Some(sender) = sender {
        by.from = sender.name.or(sender.id).filter(|name| !name.is_empty()).unwrap_or(by.from);
        (by.role, by.model) = (sender.role, sender.model);
    }
    if let Some(git) = git {
        // jwz names what is no commit and no branch in parentheses.
        let named = |text: Option<String>| text.filter(|text| !text.is_empty() && !text.starts_with('('));
        (by.commit, by.branch, by.prefix) = (named(git.oid), named(git.head), named(git.prefix));
    }
    let id = id_of(&id, created_at);
    let at = time(created_at).or(ids::time_of(&id)).unwrap_or_default();
    let parent = parent_id
        .filter(|parent| !parent.is_empty())
        .map(|parent| id_of(&parent, times.get(&parent).copied().flatten()));
    Message::new(id, at, topic, parent.as_deref(), &by, &body)
}

fn nobody() -> Sender {
    Sender { from: NOBODY.to_string(), ..Sender::default() }
}

/// The id of a message in the talk: its own, if it is a ULID. Otherwise one that depends only on it and on its time, so that each import
/// gives the same.
fn id_of(id: &str, created_at: Option<f64>) -> String {
    let upper = id.to_ascii_uppercase();
    match ids::time_of(&upper) {
        Some(_) => upper,
        None => ids::ulid_of(time(created_at).unwrap_or_default(), &["jwz", id]),
    }
}

/// A time in milliseconds; None if no calendar has it.
fn time(millis: Option<f64>) -> Option<Time> {
    millis.filter(|millis| (0.0..253_402_300_799_000.0).contains(millis)).map(|millis| Time(millis as u64))
}
