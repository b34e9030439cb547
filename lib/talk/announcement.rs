//! Copies of what the programs decide, posted for readers of the talk. No program reads them back: they are no evidence.

use super::directory::TalkDir;
use super::log::{self, Draft};
use super::message::Sender;
use crate::git::Repository;
use crate::sys::text::{cut_end, one_line};
use std::path::Path;

/// The longest text, in characters.
const TEXT: usize = 400;

/// Posts `[who] text` to a topic of the talk of `dir`, if `rg-msg init` was run there. A failure changes nothing for the caller.
pub fn announce(dir: &Path, topic: &str, who: &str, text: &str) {
    let repository = Repository::find(dir);
    let Ok(talk) = TalkDir::of(dir, repository.as_ref()) else { return };
    if !talk.is_initialised() || talk.is_judged(repository.as_ref()) {
        return;
    }
    let mut sender = Sender { from: who.to_string(), ..Sender::default() };
    if let Some(repository) = &repository {
        sender.commit = repository.head();
        sender.branch = repository.branch().map(|name| name.trim_start_matches("refs/heads/").to_string());
    }
    let body = cut_end(&one_line(&format!("[{who}] {text}")), TEXT);
    let draft = Draft { topic, reply_to: None, sender: &sender, body: &body };
    let _ = talk.file(topic).and_then(|path| log::append(&path, &draft));
}
