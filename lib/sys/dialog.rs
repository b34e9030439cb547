//! Dialogs: a child that answers requests until its standard input is closed. No write and no read waits beyond a deadline.

use crate::sys::error::{Error, Result};
use crate::sys::process::{Command, Running};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

/// A running child. It is killed when this is dropped.
pub struct Dialog {
    name: &'static str,
    // Dropped first, so that the child can end by itself.
    input: ChildStdin,
    output: ChildStdout,
    _running: Running,
}

impl Dialog {
    /// Starts `command`, which errors call `name`. Its standard error is discarded.
    pub fn start(name: &'static str, mut command: Command) -> Result<Dialog> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut running = Running::spawn(&mut command)?;
        let (Some(input), Some(output)) = (running.child.stdin.take(), running.child.stdout.take()) else {
            return Err(Error::bug("no pipe to a child"));
        };
        unblock(&input)?;
        unblock(&output)?;
        Ok(Dialog { name, input, output, _running: running })
    }

    /// Writes `request` and passes the output to `sink`, until `sink` returns true. Errors (111): the child ended, or did not answer
    /// within `patience`.
    pub fn ask(&mut self, mut request: &[u8], patience: Duration, sink: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
        let began = Instant::now();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let left = patience.saturating_sub(began.elapsed());
            if left.is_zero() {
                return Err(Error::deadline(format!("{} did not answer within {} s", self.name, patience.as_secs())));
            }
            let seconds = i64::try_from(left.as_secs()).unwrap_or(i64::MAX);
            let timeout = Timespec { tv_sec: seconds, tv_nsec: left.subsec_nanos().into() };
            let wanted = if request.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
            let mut both = [PollFd::new(&self.output, PollFlags::IN), PollFd::new(&self.input, wanted)];
            // An interrupted wait is repeated; a child without input left is not waited for.
            let count = if request.is_empty() { 1 } else { 2 };
            let _ = poll(&mut both[..count], Some(&timeout));
            match self.output.read(&mut buffer) {
                Ok(0) => return Err(self.ended()),
                Ok(length) if sink(&buffer[..length]) => return Ok(()),
                Ok(_) => {}
                Err(error) if is_temporary(&error) => {}
                Err(error) => return Err(Error::stream("read from a child", error)),
            }
            if !request.is_empty() {
                match self.input.write(request) {
                    Ok(count) => request = &request[count..],
                    Err(error) if is_temporary(&error) => {}
                    Err(_) => return Err(self.ended()),
                }
            }
        }
    }

    fn ended(&self) -> Error {
        Error::child(format!("{} ended before it answered", self.name))
    }
}

/// Makes reads and writes return instead of waiting.
fn unblock(pipe: impl AsFd) -> Result<()> {
    let flags = fcntl_getfl(&pipe).map_err(|e| Error::stream("prepare a pipe", e))?;
    fcntl_setfl(&pipe, flags | OFlags::NONBLOCK).map_err(|e| Error::stream("prepare a pipe", e))
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Dialog {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Dialog::start("sh", command).unwrap()
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn one_child_answers_many_requests_of_any_size() {
        let mut child = shell("exec cat");
        for size in [1, 5, 1 << 20] {
            let mut length = 0;
            let mut sink = |bytes: &[u8]| {
                length += bytes.len();
                length == size
            };
            child.ask(&vec![b'x'; size], LONG, &mut sink).unwrap();
        }
    }

    #[test]
    fn a_child_that_ends_or_hangs_is_an_error() {
        let never = &mut |_: &[u8]| false;
        assert!(shell("exit 0").ask(&vec![0; 1 << 20], LONG, never).is_err());
        let short = Duration::from_millis(100);
        assert!(shell("sleep 60").ask(&vec![0; 1 << 20], short, never).is_err());
        assert!(shell("exec cat").ask(b"", short, never).is_err());
    }
}
