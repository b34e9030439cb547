//! Loops: a stack of frames, as a fold over a task's journal. rg-loop alone writes the records.

use crate::digest::sha256;
use crate::event::{Actor, Loop};
use crate::journal::{self, Record};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The most iterations that a frame may have.
pub const MOST: u32 = 100;

/// The file that turns loops off, where it lay at the root as the task began.
pub const OFF_FILE: &str = ".review-gate-disabled";

/// Whether that file lies there; a link that leads nowhere counts, too.
pub fn has_off_file(root: &Path) -> bool {
    std::fs::symlink_metadata(root.join(OFF_FILE)).is_ok()
}

/// How a line begins to speak of a loop.
const KIND: &[u8] = b"\"kind\":\"frame\"";

/// Whether a line of a journal, readable or not, speaks of a loop.
pub fn speaks(line: &[u8]) -> bool {
    memchr::memmem::find(line, KIND).is_some()
}

/// How far a journal can be believed where it speaks of loops: since they were last set aside by a record in its right place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Belief {
    /// Some line speaks of one.
    pub speaks: bool,
    /// Why nothing of it can be believed.
    pub wrong: Option<String>,
}

impl Belief {
    /// That in a journal's lines. A torn line is no damage: whoever wrote it died, and nothing was acknowledged.
    pub fn of(lines: &[Vec<u8>]) -> Belief {
        let mut belief = Belief::default();
        let mut head: Option<String> = None;
        for line in lines {
            belief.speaks |= speaks(line);
            match journal::parse(line) {
                Some(record) if record.get::<String>("prev") != head || record.fields.contains_key("unlocked") => {
                    belief.wrong.get_or_insert("its journal was edited".to_string());
                }
                Some(record) if record.kind == "frame" && record.text("state") == "set-aside" => {
                    belief = Belief::default();
                }
                None if speaks(line) && line.ends_with(b"}") => {
                    belief.wrong.get_or_insert("a line of them cannot be read".to_string());
                }
                _ => {}
            }
            head = Some(sha256(line));
        }
        belief
    }
}

/// One loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// Its id.
    pub frame: String,
    /// `task`.
    pub mode: String,
    /// How many iterations it may have.
    pub max: u32,
    /// What is to be done: the digest under which the words are kept.
    pub prompt: String,
    /// Where the work is.
    pub worktree: PathBuf,
    /// The branch that was checked out there.
    #[serde(default)]
    pub branch: Option<String>,
    /// What the worktree was made from, else the commit that it began at.
    #[serde(default)]
    pub base: Option<String>,
    /// The files as it found them.
    pub snapshot: String,
    /// Who began it.
    pub by: Actor,
    /// The session that it holds, as it was called before any clearing; empty where the task's own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// At which iteration it is, from 1.
    #[serde(skip)]
    pub iteration: u32,
    /// How things stood as each iteration ended, its begin first.
    #[serde(skip)]
    pub seen: Vec<Seen>,
    /// How often an iteration of it, or of a loop inside of it, ended.
    #[serde(skip)]
    pub spent: u32,
}

/// How things stood: the files, and what was open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The files.
    pub snapshot: String,
    /// The keys of what was open.
    pub keys: Vec<String>,
    /// Other agents were at work, whose results were yet to come.
    pub waits: bool,
}

/// The loops of a task, the innermost last.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// The frames.
    pub frames: Vec<Frame>,
    /// Why the records make no sense; then nothing of them is believed.
    pub wrong: Option<String>,
}

impl Stack {
    /// What a task's records say.
    pub fn of(records: &[Record]) -> Stack {
        let mut stack = Stack::default();
        for record in records.iter().filter(|record| record.kind == "frame") {
            if let Err(why) = stack.take_in(record) {
                stack.wrong.get_or_insert(why);
            }
        }
        stack
    }

    fn take_in(&mut self, record: &Record) -> Result<(), String> {
        let id = record.text("frame");
        let at = self.frames.iter().position(|frame| frame.frame == id);
        // Sessions at one task have their own loops in one another.
        let session = at.map(|at| self.frames[at].session.clone()).unwrap_or_default();
        let top = self.frames.iter().rposition(|frame| frame.session == session);
        let is_top = at.is_some() && at == top;
        match record.text("state") {
            "begin" => {
                let read = Frame::deserialize(&Value::Object(record.fields.clone()));
                let frame = read.map_err(|error| format!("a frame cannot be read: {error}"))?;
                let is_known = self.frames.iter().any(|known| known.frame == frame.frame);
                if is_known || frame.frame.is_empty() || !(1..=MOST).contains(&frame.max) {
                    return Err(format!("frame {:?} cannot be", frame.frame));
                }
                let seen = vec![Seen { snapshot: frame.snapshot.clone(), ..Seen::default() }];
                self.frames.push(Frame { iteration: 1, seen, ..frame });
            }
            "next" if is_top => {
                let seen = Seen {
                    snapshot: record.text("snapshot").to_string(),
                    keys: record.get("keys").unwrap_or_default(),
                    waits: record.get("waits").unwrap_or_default(),
                };
                let Some(top) = at.and_then(|at| self.frames.get_mut(at)) else { return Ok(()) };
                if record.get("iteration") != Some(top.iteration + 1) || top.iteration >= top.max {
                    return Err(format!("iteration {} of frame {id} does not follow", record.fields["iteration"]));
                }
                top.iteration += 1;
                top.seen.push(seen);
                self.frames.iter_mut().filter(|frame| frame.session == session).for_each(|frame| frame.spent += 1);
            }
            "end" if at.is_some() => {
                let mut places = 0..;
                self.frames.retain(|frame| places.next() < at || frame.session != session);
            }
            "set-aside" => *self = Stack::default(),
            state => return Err(format!("{state:?} of frame {id:?}, which is not there")),
        }
        Ok(())
    }

    /// Those that hold a session.
    pub fn of_session(mut self, session: &str) -> Stack {
        self.frames.retain(|frame| frame.session == session);
        self
    }

    /// What an event says of it; None where there is no loop.
    pub fn summary(&self) -> Option<Loop> {
        let top = self.frames.last();
        let known = |top: &Frame| Loop {
            frame: top.frame.clone(),
            iteration: top.iteration,
            of: top.max,
            depth: self.frames.len() as u32,
        };
        let wrong = || Loop { frame: String::new(), iteration: 0, of: 0, depth: self.frames.len() as u32 };
        if self.wrong.is_some() { Some(wrong()) } else { top.map(known) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(fields: Value) -> Record {
        let Value::Object(fields) = fields else { panic!("no record") };
        Record { kind: "frame".into(), fields }
    }

    fn begin(id: &str) -> Record {
        record(json!({"state": "begin", "frame": id, "mode": "task", "max": 3, "prompt": "p", "worktree": "/w",
            "snapshot": "s0", "by": "user"}))
    }

    fn next(id: &str, iteration: u32) -> Record {
        record(json!({"state": "next", "frame": id, "iteration": iteration, "snapshot": "s", "keys": ["k"]}))
    }

    fn end(id: &str) -> Record {
        record(json!({"state": "end", "frame": id, "why": "complete"}))
    }

    #[test]
    fn frames_are_a_stack() {
        let stack = Stack::of(&[begin("a"), next("a", 2), begin("b"), next("b", 2), end("b"), next("a", 3)]);
        assert!(stack.wrong.is_none(), "{stack:?}");
        assert_eq!(stack.frames.len(), 1);
        assert_eq!((stack.frames[0].iteration, stack.frames[0].seen.len()), (3, 3));
        // What ends takes along what it holds.
        let stack = Stack::of(&[begin("a"), begin("b"), begin("c"), end("a")]);
        assert!(stack.frames.is_empty() && stack.wrong.is_none() && stack.summary().is_none());
    }

    #[test]
    fn each_session_has_its_own() {
        let of = |id: &str, session: &str| {
            let mut record = begin(id);
            record.fields.insert("session".into(), session.into());
            record
        };
        let records = [of("a", "s"), of("f", "t"), next("a", 2), of("b", "s"), next("b", 2), next("f", 2)];
        let stack = Stack::of(&records);
        assert!(stack.wrong.is_none(), "{stack:?}");
        let spent: Vec<u32> = stack.clone().of_session("s").frames.iter().map(|frame| frame.spent).collect();
        assert_eq!((spent, stack.of_session("t").frames[0].iteration), (vec![2, 1], 2));
        let stack = Stack::of(&[of("a", "s"), of("f", "t"), of("b", "s"), end("a")]);
        assert_eq!(stack.frames.iter().map(|frame| frame.frame.as_str()).collect::<Vec<_>>(), ["f"]);
    }

    #[test]
    fn what_makes_no_sense_is_not_believed_until_it_is_set_aside() {
        let foreign = record(json!({"state": "next", "frame": 7, "iteration": "many"}));
        for wrong in [
            vec![next("a", 2)],
            vec![end("a")],
            vec![begin("a"), begin("a")],
            vec![begin("a"), next("a", 7)],
            vec![begin("a"), next("a", 2), next("a", 3), next("a", 4)],
            vec![begin("a"), begin("b"), next("a", 2)],
            vec![begin("a"), foreign],
            vec![begin("")],
            vec![record(json!({"state": "begin", "frame": "a", "max": -1}))],
            vec![record(json!({"state": "burn"}))],
        ] {
            let mut records = wrong.clone();
            assert!(Stack::of(&records).wrong.is_some(), "{wrong:?}");
            assert_eq!(Stack::of(&records).summary().map(|of| of.frame), Some(String::new()));
            records.push(record(json!({"state": "set-aside", "why": "x"})));
            assert!(Stack::of(&records).summary().is_none());
            records.push(begin("z"));
            assert_eq!(Stack::of(&records).frames.len(), 1);
        }
    }
}
