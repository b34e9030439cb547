//! Loops: a stack of frames, which is a fold over a task's journal. Only rg-loop writes these records.

use crate::event::Loop;
use crate::store::journal::{Fold, Journal, Line};
use crate::store::record::{Body, Damaged, FrameBegin, FrameNext, FrameStep, Kind, Record, Unknown};
use std::path::Path;

/// The most iterations that a frame may have.
pub const MOST: u32 = 100;

/// The file that switches loops off, if it was at the root when the task began.
pub const OFF_FILE: &str = ".review-gate-disabled";

/// Whether that file exists. A dangling link counts, too.
pub fn has_off_file(root: &Path) -> bool {
    std::fs::symlink_metadata(root.join(OFF_FILE)).is_ok()
}

/// One loop.
#[derive(Clone, Debug)]
pub struct Frame {
    /// How it began.
    pub begin: FrameBegin,
    /// The session that it keeps going.
    pub session: String,
    /// The current iteration, from 1.
    pub iteration: u32,
    /// The state when the loop began, and at the end of each iteration.
    pub seen: Vec<IterationState>,
    /// How many iterations ended, of this loop and of the loops inside it.
    pub spent: u32,
}

impl Frame {
    /// A loop of `session` that has just begun.
    pub fn new(begin: FrameBegin, session: String) -> Frame {
        let seen = vec![IterationState { snapshot: begin.snapshot.clone(), ..IterationState::default() }];
        Frame { begin, session, iteration: 1, seen, spent: 0 }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.begin.frame
    }

    /// The step to its next iteration.
    pub fn step(&self, seen: &IterationState) -> FrameNext {
        FrameNext {
            frame: self.begin.frame.clone(),
            iteration: self.iteration + 1,
            snapshot: seen.snapshot.clone(),
            keys: seen.keys.clone(),
            has_helpers: seen.has_helpers,
            open: None,
        }
    }

    /// The step that ends it.
    pub fn end(&self, why: &str) -> FrameStep {
        FrameStep::End { frame: self.begin.frame.clone(), why: why.to_string() }
    }
}

/// The files and the open findings at one moment of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IterationState {
    /// The snapshot.
    pub snapshot: String,
    /// The keys of the open findings.
    pub keys: Vec<String>,
    /// Other agents were still running.
    pub has_helpers: bool,
}

/// The loops of a task, the innermost last.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// The frames.
    pub frames: Vec<Frame>,
    /// Why the records are inconsistent, if they are. Then none of them counts.
    pub wrong: Option<String>,
    /// The task's own session.
    session: String,
    /// There are records of loops since they were last set aside.
    has_records: bool,
    /// How the journal was damaged since then, if it was.
    damage: Option<String>,
}

impl Fold for Stack {
    fn record(&mut self, line: &Line, record: &Record) {
        self.check_chain(line);
        match &record.body {
            Body::Begin(begin) if self.session.is_empty() => self.session = begin.session.clone(),
            Body::Frame(FrameStep::SetAside { .. }) => {
                let damage = self.damage.take().filter(|_| !line.is_in_chain);
                let session = std::mem::take(&mut self.session);
                *self = Stack { session, has_records: damage.is_some(), damage, ..Stack::default() };
            }
            Body::Frame(step) => {
                self.has_records = true;
                if let Err(why) = self.take(step) {
                    self.wrong.get_or_insert(why);
                }
            }
            _ => {}
        }
    }

    fn unknown(&mut self, line: &Line, unknown: &Unknown) {
        self.check_chain(line);
        if unknown.may_be(Kind::Frame) {
            self.note_unreadable();
        }
    }

    // A torn line is no damage: its writer died before it acknowledged the record.
    fn damaged(&mut self, _line: &Line, damaged: &Damaged) {
        if damaged.kind.as_deref() == Some(Kind::Frame.word()) && !damaged.is_torn {
            self.note_unreadable();
        }
    }
}

impl Stack {
    /// The loops in a task's journal.
    pub fn of(journal: &Journal) -> Stack {
        let mut stack: Stack = journal.fold();
        if stack.has_records && stack.wrong.is_none() {
            stack.wrong = stack.damage.take();
        }
        stack
    }

    /// Whether earlier records are damaged, so that a loop that begins now would not count.
    pub fn is_damaged(&self) -> bool {
        self.wrong.is_some() || self.damage.is_some()
    }

    fn check_chain(&mut self, line: &Line) {
        if !line.is_in_chain {
            self.damage.get_or_insert("its journal was edited".to_string());
        }
    }

    fn note_unreadable(&mut self) {
        self.has_records = true;
        self.damage.get_or_insert("one of its lines cannot be read".to_string());
    }

    fn take(&mut self, step: &FrameStep) -> Result<(), String> {
        match step {
            FrameStep::Begin(begin) => self.begin(begin),
            FrameStep::Next(next) => self.next(next),
            FrameStep::End { frame, .. } => self.end(frame),
            FrameStep::SetAside { .. } => Ok(()),
        }
    }

    fn begin(&mut self, begin: &FrameBegin) -> Result<(), String> {
        let is_known = self.frames.iter().any(|known| known.id() == begin.frame);
        if is_known || begin.frame.is_empty() || !(1..=MOST).contains(&begin.max) {
            return Err(format!("the begin record of frame {:?} is invalid", begin.frame));
        }
        let session = begin.session.clone().unwrap_or_else(|| self.session.clone());
        self.frames.push(Frame::new(begin.clone(), session));
        Ok(())
    }

    fn next(&mut self, next: &FrameNext) -> Result<(), String> {
        let at = self.known("next", &next.frame)?;
        // The sessions of one task have separate stacks.
        let session = self.frames[at].session.clone();
        if self.frames.iter().rposition(|frame| frame.session == session) != Some(at) {
            return Err(unknown_frame("next", &next.frame));
        }
        let top = &mut self.frames[at];
        if next.iteration != top.iteration + 1 || top.iteration >= top.begin.max {
            return Err(format!("iteration {} of frame {} is out of order", next.iteration, next.frame));
        }
        top.iteration += 1;
        top.seen.push(IterationState {
            snapshot: next.snapshot.clone(),
            keys: next.keys.clone(),
            has_helpers: next.has_helpers,
        });
        self.frames.iter_mut().filter(|frame| frame.session == session).for_each(|frame| frame.spent += 1);
        Ok(())
    }

    fn end(&mut self, frame: &str) -> Result<(), String> {
        let at = self.known("end", frame)?;
        let session = self.frames[at].session.clone();
        let mut places = 0..;
        self.frames.retain(|frame| places.next() < Some(at) || frame.session != session);
        Ok(())
    }

    fn known(&self, state: &str, frame: &str) -> Result<usize, String> {
        self.frames.iter().position(|known| known.id() == frame).ok_or_else(|| unknown_frame(state, frame))
    }

    /// The loops of one session.
    pub fn of_session(mut self, session: &str) -> Stack {
        self.frames.retain(|frame| frame.session == session);
        self
    }

    /// The summary for an event; None if there is no loop.
    pub fn summary(&self) -> Option<Loop> {
        let top = self.frames.last();
        let known = |top: &Frame| Loop {
            frame: top.id().to_string(),
            iteration: top.iteration,
            of: top.begin.max,
            depth: self.frames.len() as u32,
        };
        let wrong = || Loop { frame: String::new(), iteration: 0, of: 0, depth: self.frames.len() as u32 };
        if self.wrong.is_some() { Some(wrong()) } else { top.map(known) }
    }
}

fn unknown_frame(state: &str, frame: &str) -> String {
    format!("{state:?} record of an unknown frame {frame:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::digest::sha256;
    use serde_json::{Value, json};

    /// A journal with these bodies of frame records, correctly chained.
    fn journal(bodies: &[Value]) -> Journal {
        let mut bytes: Vec<u8> = Vec::new();
        let mut prev: Option<String> = None;
        for (n, body) in bodies.iter().enumerate() {
            let mut record = json!({"v": 1, "kind": "frame", "id": n.to_string(), "at": "2026-11-21T00:00:00.000Z",
                "by_tool": "rg-loop", "prev": prev});
            record.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
            let line = record.to_string();
            prev = Some(sha256(line.as_bytes()));
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        Journal::read(&bytes)
    }

    fn stack(bodies: &[Value]) -> Stack {
        Stack::of(&journal(bodies))
    }

    fn begin(id: &str) -> Value {
        json!({"state": "begin", "frame": id, "mode": "task", "max": 3, "prompt": "p", "worktree": "/w",
            "snapshot": "s0", "by": "user"})
    }

    fn next(id: &str, iteration: u32) -> Value {
        json!({"state": "next", "frame": id, "iteration": iteration, "snapshot": "s", "keys": ["k"]})
    }

    fn end(id: &str) -> Value {
        json!({"state": "end", "frame": id, "why": "complete"})
    }

    #[test]
    fn frames_are_a_stack() {
        let one = stack(&[begin("a"), next("a", 2), begin("b"), next("b", 2), end("b"), next("a", 3)]);
        assert!(one.wrong.is_none(), "{one:?}");
        assert_eq!(one.frames.len(), 1);
        assert_eq!((one.frames[0].iteration, one.frames[0].seen.len()), (3, 3));
        // A loop ends with the loops inside it.
        let none = stack(&[begin("a"), begin("b"), begin("c"), end("a")]);
        assert!(none.frames.is_empty() && none.wrong.is_none() && none.summary().is_none());
    }

    #[test]
    fn each_session_has_its_own_stack() {
        let of = |id: &str, session: &str| {
            let mut record = begin(id);
            record["session"] = session.into();
            record
        };
        let both = stack(&[of("a", "s"), of("f", "t"), next("a", 2), of("b", "s"), next("b", 2), next("f", 2)]);
        assert!(both.wrong.is_none(), "{both:?}");
        let spent: Vec<u32> = both.clone().of_session("s").frames.iter().map(|frame| frame.spent).collect();
        assert_eq!((spent, both.of_session("t").frames[0].iteration), (vec![2, 1], 2));
        let left = stack(&[of("a", "s"), of("f", "t"), of("b", "s"), end("a")]);
        assert_eq!(left.frames.iter().map(Frame::id).collect::<Vec<_>>(), ["f"]);
    }

    #[test]
    fn inconsistent_records_count_only_after_they_are_set_aside() {
        let foreign = json!({"state": "next", "frame": 7, "iteration": "many"});
        for wrong in [
            vec![next("a", 2)],
            vec![end("a")],
            vec![begin("a"), begin("a")],
            vec![begin("a"), next("a", 7)],
            vec![begin("a"), next("a", 2), next("a", 3), next("a", 4)],
            vec![begin("a"), begin("b"), next("a", 2)],
            vec![begin("a"), foreign],
            vec![begin("")],
            // A record without its fields.
            vec![json!({})],
            vec![begin("a"), json!({"state": "next", "frame": "a"})],
            vec![json!({"state": "begin", "frame": "a", "max": -1})],
            vec![json!({"state": "burn"})],
        ] {
            let mut records = wrong.clone();
            assert!(stack(&records).wrong.is_some(), "{wrong:?}");
            assert_eq!(stack(&records).summary().map(|of| of.frame), Some(String::new()));
            records.push(json!({"state": "set-aside", "why": "x"}));
            assert!(stack(&records).summary().is_none());
            records.push(begin("z"));
            assert_eq!(stack(&records).frames.len(), 1);
        }
    }

    #[test]
    fn an_edited_line_is_reported_until_it_is_set_aside() {
        let whole = journal(&[begin("a"), next("a", 2)]);
        assert!(Stack::of(&whole).wrong.is_none());
        let mut bytes = Vec::new();
        for (n, max) in [(0, "3"), (1, "9")] {
            let prev = if n == 0 { "null".to_string() } else { format!("{:?}", "0".repeat(64)) };
            let line = format!(
                r#"{{"v":1,"kind":"frame","id":"{n}","at":"2026-11-21T00:00:00.000Z","by_tool":"rg-loop","prev":{prev},"state":"begin","frame":"f{n}","mode":"task","max":{max},"prompt":"p","worktree":"/w","snapshot":"s","by":"user"}}"#
            );
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        assert_eq!(Stack::of(&Journal::read(&bytes)).wrong.as_deref(), Some("its journal was edited"));
    }
}
