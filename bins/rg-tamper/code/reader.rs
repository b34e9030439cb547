//! Reads files with rg-outline: one child for all of them, which gets the bytes and answers with outlines. A file on which it ends is
//! left out, and the others are read again.

use review_gate::outline::Outline;
use review_gate::outline::compare::Side;
use review_gate::sys::coprocess::Coprocess;
use review_gate::sys::env;
use review_gate::sys::process::Command;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The size of the largest file that is read, in bytes.
pub const LARGEST: usize = 5 << 20;

/// How long the child may be silent.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long all files may take.
const IN_ALL: Duration = Duration::from_secs(60);

/// How often the child is started again.
const STARTS: usize = 6;

/// The longest answer, in bytes.
const LONGEST: u64 = 64 << 20;

/// The name of the program.
const PROGRAM: &str = "rg-outline";

/// One side of a file.
pub type Key = (PathBuf, Side);

/// A file that the child has, and the path that it was told.
struct Sent {
    key: Key,
    path: String,
}

/// Reads files, in the order in which they come.
#[derive(Default)]
pub struct Reader {
    child: Option<Coprocess>,
    sent: VecDeque<Sent>,
    again: Vec<Sent>,
    /// The outline of each side, or why there is none.
    answers: BTreeMap<Key, Result<Outline, String>>,
    starts: usize,
    began: Option<Instant>,
    /// Why no more files are read.
    stopped: Option<String>,
    /// The program cannot be started.
    pub is_missing: bool,
}

impl Reader {
    /// Sends one side of a file.
    pub fn send(&mut self, key: Key, path: &str, bytes: &[u8]) {
        if bytes.len() > LARGEST {
            self.answers.insert(key, Err(format!("it has more than {} MiB", LARGEST >> 20)));
            return;
        }
        if let Some(why) = self.why_stopped() {
            self.answers.insert(key, Err(why));
            return;
        }
        self.sent.push_back(Sent { key, path: path.to_string() });
        let mut frame = json!({ "path": path, "bytes": bytes.len() }).to_string().into_bytes();
        frame.push(b'\n');
        let is_written =
            self.child.as_mut().is_some_and(|child| child.write(&frame, PATIENCE) && child.write(bytes, PATIENCE));
        while self.take(Duration::ZERO) {}
        if !is_written || self.child.is_none() {
            self.give_up_child();
        }
    }

    /// Waits for all outlines. `bytes_of` gives the bytes of a file that has to be sent again.
    pub fn finish(&mut self, bytes_of: impl Fn(&Key) -> Option<Vec<u8>>) {
        loop {
            if self.again.is_empty()
                && let Some(child) = &mut self.child
            {
                child.close();
            }
            while !self.sent.is_empty() {
                if !self.take(PATIENCE) {
                    self.give_up_child();
                }
            }
            if self.again.is_empty() {
                return;
            }
            for Sent { key, path } in std::mem::take(&mut self.again) {
                match bytes_of(&key) {
                    Some(bytes) => self.send(key, &path, &bytes),
                    None => drop(self.answers.insert(key, Err("its content could not be read again".into()))),
                }
            }
        }
    }

    /// The outline of a side; None if the file was not sent.
    pub fn outline(&mut self, key: &Key) -> Option<Result<Outline, String>> {
        self.answers.remove(key)
    }

    /// Starts the child if there is none; returns why no file can be read.
    fn why_stopped(&mut self) -> Option<String> {
        let began = *self.began.get_or_insert_with(Instant::now);
        if self.stopped.is_none() && began.elapsed() > IN_ALL {
            self.stopped = Some(format!("{PROGRAM} took longer than {} s", IN_ALL.as_secs()));
        }
        if self.stopped.is_none() && self.child.is_none() {
            if self.starts == STARTS {
                self.stopped = Some(format!("{PROGRAM} failed {STARTS} times"));
            } else {
                self.starts += 1;
                self.child = start();
                self.is_missing = self.child.is_none();
                self.stopped = self.is_missing.then(|| format!("{PROGRAM} is not installed"));
            }
        }
        self.stopped.clone()
    }

    /// Takes the next answer. False if there is none.
    fn take(&mut self, patience: Duration) -> bool {
        let Some(line) = self.child.as_mut().and_then(|child| child.line(patience)) else { return false };
        let outline = serde_json::from_slice::<Outline>(&line).ok();
        let Some(sent) = self.sent.front() else { return false };
        match outline.filter(|outline| outline.path == sent.path) {
            Some(outline) => {
                let answer = match &outline.unread {
                    Some(why) => Err(why.clone()),
                    None if outline.language.is_none() => Err(format!("{PROGRAM} does not know its language")),
                    None => Ok(outline),
                };
                if let Some(sent) = self.sent.pop_front() {
                    self.answers.insert(sent.key, answer);
                }
                true
            }
            // What follows cannot be trusted.
            None => {
                self.child = None;
                false
            }
        }
    }

    /// Ends the child. The file that it did not answer is left out; the others are sent again.
    fn give_up_child(&mut self) {
        while self.take(Duration::ZERO) {}
        self.child = None;
        if let Some(sent) = self.sent.pop_front() {
            self.answers.insert(sent.key, Err(format!("{PROGRAM} gave no answer for it")));
        }
        self.again.extend(self.sent.drain(..));
    }
}

/// Starts the program that is installed beside this one, otherwise the one on `PATH`.
fn start() -> Option<Coprocess> {
    let beside = env::bin_dir().map(|dir| dir.join(PROGRAM)).filter(|path| path.is_file());
    let mut command = Command::new(beside.unwrap_or_else(|| PROGRAM.into()));
    command.args(["--json", "-"]);
    Coprocess::start(command, LONGEST).ok()
}
