//! Coprocesses: a child that answers each input with a line, while more input is written. No write and no read waits for longer than a
//! given time.

use crate::sys::error::{Error, Result};
use crate::sys::process::{Command, Running};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A running coprocess. It is killed when this is dropped.
pub struct Coprocess {
    // Dropped first, so that the child can end by itself.
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    running: Running,
}

impl Coprocess {
    /// Starts `command`. A line of its output that is longer than `longest` ends the output.
    pub fn start(mut command: Command, longest: u64) -> Result<Coprocess> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = Running::spawn(&mut command)?;
        let (Some(input), Some(output)) = (child.child.stdin.take(), child.child.stdout.take()) else {
            return Err(Error::bug("no pipe to a child"));
        };
        // A child that does not read must not block this process.
        let flags = fcntl_getfl(&input).map_err(|e| Error::stream("prepare a pipe", e))?;
        fcntl_setfl(&input, flags | OFlags::NONBLOCK).map_err(|e| Error::stream("prepare a pipe", e))?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::with_capacity(64 << 10, output);
            loop {
                let mut line = Vec::new();
                let read = output.by_ref().take(longest).read_until(b'\n', &mut line);
                if read.is_err() || line.pop() != Some(b'\n') || sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Coprocess { input: Some(input), lines, running: child })
    }

    /// Writes to its standard input. False if it has ended, or read nothing for `patience`.
    pub fn write(&mut self, mut bytes: &[u8], patience: Duration) -> bool {
        let Some(input) = &mut self.input else { return false };
        let mut since = Instant::now();
        while !bytes.is_empty() {
            match input.write(bytes) {
                Ok(0) => return false,
                Ok(count) => {
                    bytes = &bytes[count..];
                    since = Instant::now();
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let left = patience.saturating_sub(since.elapsed());
                    let seconds = i64::try_from(left.as_secs()).unwrap_or(i64::MAX);
                    let timeout = Timespec { tv_sec: seconds, tv_nsec: left.subsec_nanos().into() };
                    let _ = poll(&mut [PollFd::new(&*input, PollFlags::OUT)], Some(&timeout));
                    if since.elapsed() >= patience {
                        return false;
                    }
                }
                Err(_) => return false,
            }
        }
        true
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        matches!(self.running.child.try_wait(), Ok(None))
    }

    /// Closes its standard input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// The next line of its output, without the end. None if it has ended, or printed no line for `patience`.
    pub fn line(&mut self, patience: Duration) -> Option<Vec<u8>> {
        self.lines.recv_timeout(patience).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Coprocess {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Coprocess::start(command, 1000).unwrap()
    }

    const LONG: Duration = Duration::from_secs(20);
    const SHORT: Duration = Duration::from_millis(100);

    #[test]
    fn each_input_is_answered_in_order() {
        let mut child = shell("while read -r line; do echo \"got $line\"; done");
        assert!(child.write(b"a\n", LONG) && child.write(b"b\n", LONG));
        child.close();
        assert_eq!(child.line(LONG), Some(b"got a".to_vec()));
        assert_eq!(child.line(LONG), Some(b"got b".to_vec()));
        assert_eq!(child.line(LONG), None);
    }

    #[test]
    fn arunning_that_hangs_ends_or_floods_blocks_nobody() {
        let mut hangs = shell("sleep 60");
        assert!(!hangs.write(&vec![0; 1 << 20], SHORT) && hangs.line(SHORT).is_none());
        let mut ended = shell("exit 0");
        assert!(ended.line(LONG).is_none());
        assert!(!ended.write(&vec![0; 1 << 20], LONG));
        let mut floods = shell("yes | tr -d '\\n'");
        assert!(floods.line(LONG).is_none(), "a line without an end");
    }
}
