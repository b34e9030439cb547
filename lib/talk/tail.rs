//! What is new in a log of messages since it was last read.

use super::log::Messages;
use super::message::{self, Line, Message};
use crate::sys::error::Result;
use crate::sys::tail::FileTail;
use std::collections::HashSet;
use std::path::Path;

/// A log that is read again and again.
pub struct LogTail {
    lines: FileTail,
}

impl LogTail {
    /// A log of which nothing was read yet.
    pub fn new(path: &Path) -> LogTail {
        LogTail { lines: FileTail::new(path) }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// Adds the messages of the complete lines that are new to `messages`, if `wants` selects them. If the file is another one, or was
    /// changed before the last read place, all its lines are read again. A message whose id is in `seen` is not new.
    pub fn read(
        &mut self,
        seen: &mut HashSet<String>,
        messages: &mut Messages,
        wants: impl Fn(&Message) -> bool,
    ) -> Result<()> {
        self.lines.read(|line, is_same| {
            if message::id_of(line).is_some_and(|id| seen.contains(&*id)) {
                return;
            }
            match message::parse(line) {
                // A half line may begin with an id, too; only a whole one counts as seen.
                Line::Message(message) => {
                    seen.insert(message.id.clone());
                    if wants(&message) {
                        messages.insert(*message);
                    }
                }
                // Those of a file that is read again were counted before.
                _ if is_same => messages.add(line, &wants),
                _ => {}
            }
        })
    }
}
