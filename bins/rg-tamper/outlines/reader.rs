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

/// How often the child is started.
const STARTS: usize = 6;

/// How often it may be silent for too long.
const SILENCES: usize = 2;

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
pub struct Reader {
    program: PathBuf,
    patience: Duration,
    child: Option<Coprocess>,
    sent: VecDeque<Sent>,
    again: Vec<Sent>,
    /// The outline of each side, or why there is none.
    answers: BTreeMap<Key, Result<Outline, String>>,
    starts: usize,
    silences: usize,
    began: Option<Instant>,
    /// Why no more files are read.
    stopped: Option<String>,
    /// The program cannot be started.
    pub is_missing: bool,
}

impl Default for Reader {
    /// A reader with the program that is installed beside this one, otherwise the one on `PATH`.
    fn default() -> Reader {
        let beside = env::bin_dir().map(|dir| dir.join(PROGRAM)).filter(|path| path.is_file());
        Reader::new(beside.unwrap_or_else(|| PROGRAM.into()), PATIENCE)
    }
}

impl Reader {
    fn new(program: PathBuf, patience: Duration) -> Reader {
        Reader {
            program,
            patience,
            child: None,
            sent: VecDeque::new(),
            again: Vec::new(),
            answers: BTreeMap::new(),
            starts: 0,
            silences: 0,
            began: None,
            stopped: None,
            is_missing: false,
        }
    }

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
        let patience = self.patience;
        let is_written =
            self.child.as_mut().is_some_and(|child| child.write(&frame, patience) && child.write(bytes, patience));
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
                if !self.take(self.patience) {
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
                self.child = self.start();
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
        let is_silent = self.child.as_mut().is_some_and(Coprocess::is_running);
        self.silences += usize::from(is_silent);
        if self.silences == SILENCES {
            self.stopped = Some(format!("{PROGRAM} printed nothing for {} s", self.patience.as_secs_f64().ceil()));
        }
        self.child = None;
        if let Some(sent) = self.sent.pop_front() {
            self.answers.insert(sent.key, Err(format!("{PROGRAM} gave no answer for it")));
        }
        self.again.extend(self.sent.drain(..));
    }

    fn start(&self) -> Option<Coprocess> {
        let mut command = Command::new(&self.program);
        command.args(["--json", "-"]);
        Coprocess::start(command, LONGEST).ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// Reads the files `a` to `e` with a program that answers each line that names a file as this script says.
    fn read(script: &str) -> Vec<Result<(), String>> {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        // It reads a line, skips the file, and has the name in `$f`.
        let name = "f=$(echo \"$line\" | tr -d '\"}'); f=${f#*:}; f=${f%%,*}";
        let script = format!("#!/bin/sh\nwhile read -r line; do read -r skipped\n{name}\n{script}\ndone\n");
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        loop {
            let mut reader = Reader::new(program.clone(), Duration::from_millis(1500));
            let keys = ["a", "b", "c", "d", "e"].map(|name| (PathBuf::from(name), Side::Now));
            keys.iter().for_each(|key| reader.send(key.clone(), &key.0.to_string_lossy(), b"x\n"));
            reader.finish(|_| Some(b"x\n".to_vec()));
            // A child of another test may still hold the script open for writing.
            if !reader.is_missing {
                return keys.iter().map(|key| reader.outline(key).unwrap().map(drop)).collect();
            }
        }
    }

    const GOOD: &str = "printf '{\"path\":\"%s\",\"language\":\"x\"}\n' \"$f\"";

    #[test]
    fn a_file_on_which_the_program_ends_is_left_out() {
        let of = |script: String| read(&script).iter().map(Result::is_ok).collect::<Vec<_>>();
        assert_eq!(of(GOOD.into()), [true; 5]);
        assert_eq!(of(format!("[ $f = c ] && exit 1\n{GOOD}")), [true, true, false, true, true]);
        assert_eq!(of(format!("[ $f = a ] && kill -9 $$\n{GOOD}")), [false, true, true, true, true]);
        assert_eq!(of(format!("[ $f = b ] && echo nonsense\n{GOOD}")), [true, false, true, true, true]);
    }

    #[test]
    fn a_program_that_always_fails_is_not_started_forever() {
        assert!(read("exit 1").iter().all(Result::is_err));
        assert!(read("echo '{}'").iter().all(Result::is_err));
        let silent = read("sleep 60");
        assert_eq!(silent[4], Err("rg-outline printed nothing for 2 s".into()));
    }

    #[test]
    fn a_missing_program_is_told() {
        let mut reader = Reader::new("/nowhere/rg-outline".into(), PATIENCE);
        let key = (PathBuf::from("a"), Side::Then);
        reader.send(key.clone(), "a", b"");
        reader.finish(|_| None);
        assert!(reader.is_missing && reader.outline(&key).unwrap().is_err());
        reader.send(key.clone(), "a", &vec![0; LARGEST + 1]);
        assert_eq!(reader.outline(&key).unwrap().unwrap_err(), "it has more than 5 MiB");
    }
}
