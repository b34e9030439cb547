//! Questions to the user at the terminal.

use review_gate::sys::ending;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::plain;
use rustix::process::{Signal, getpid, kill_process};
use rustix::stdio::stderr;
use std::io::{self, BufRead, IsTerminal, Read};
use std::time::Duration;

/// The longest answer that is read, in bytes.
const LONGEST: u64 = 64 << 10;

/// Whether a user can be asked.
pub fn is_there() -> bool {
    io::stdin().is_terminal() && stderr().is_terminal()
}

/// Shows a text. Standard output is for records.
pub fn show(text: &str) {
    let _ = rustix::io::write(stderr(), text.as_bytes());
}

/// The user's answer to a question, in a line; None at the end of the input.
pub fn ask(question: &str) -> Result<Option<String>> {
    // Nothing that was typed before the question is an answer: it may be an agent's.
    let _ = rustix::termios::tcflush(rustix::stdio::stdin(), rustix::termios::QueueSelector::IFlush);
    show(question);
    let mut line = Vec::new();
    let read = io::stdin().lock().take(LONGEST).read_until(b'\n', &mut line);
    match read.map_err(|e| Error::stream("read from the terminal", e))? {
        0 => Ok(None),
        _ => Ok(Some(plain(&line).trim().to_string())),
    }
}

/// Ends this process as Ctrl-C does, so that the run can be resumed.
pub fn interrupt() {
    let _ = kill_process(getpid(), Signal::INT);
    // The signal's thread ends the process.
    std::thread::sleep(Duration::from_secs(1));
    ending::wait();
}
