//! Reads and writes pipes: one record in, one record out, without waiting for input that cannot arrive.

use crate::event::Event;
use crate::sys::error::{Error, Result};
use crate::sys::limits;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, Stat, fstat};
use rustix::io::Errno;
use rustix::stdio::{stdin, stdout};
use std::time::{Duration, Instant};

/// The size of the first read, in bytes.
const FIRST: usize = 4096;

/// The room for what is read after that, in bytes.
const ROOM: usize = 256 * 1024;

/// How long a stage that has its line waits for the end of input, to detect a second record.
const LINGER: Duration = Duration::from_millis(50);

/// The input from the previous stage.
#[derive(Debug)]
pub enum Line {
    /// One complete record, without its newline.
    Record(Vec<u8>),
    /// A complete record of a stop that concerns no filter: see [`Event::is_quiet_stop`].
    Quiet(Vec<u8>),
    /// The end of input without a record: the previous stage failed.
    Nothing,
}

/// Reads one line from standard input. Waits until the end of input, `deadline`, or until standard output is closed. A line without a
/// newline is not a record; two records are a usage error.
pub fn read_line(deadline: Option<Instant>) -> Result<Line> {
    let mut input = Input::new(true);
    let mut searched = 0;
    loop {
        if let Some(at) = input.bytes[searched..].iter().position(|b| *b == b'\n') {
            let end = searched + at;
            // After a quiet stop it does not wait for a second record.
            let quiet = Event::is_quiet_stop(&input.bytes[..end]);
            if !quiet {
                let linger = Instant::now() + LINGER;
                while input.bytes.len() == end + 1 && input.read(Some(linger))? {}
            }
            if input.bytes.len() > end + 1 {
                return Err(Error::usage("two event lines on standard input: pass one"));
            }
            input.bytes.truncate(end);
            return Ok(if quiet { Line::Quiet(input.bytes) } else { Line::Record(input.bytes) });
        }
        searched = input.bytes.len();
        if searched > limits::LINE {
            return Err(Error::usage(format!("the event line exceeds {} MiB", limits::LINE >> 20)));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Error::deadline("no time left: the previous stage wrote no event line"));
        }
        if !input.read(deadline)? && input.ended {
            return Ok(Line::Nothing);
        }
    }
}

/// Reads one complete JSON object from standard input and ignores the rest, because a client may never close its end. Errors: 111
/// after `patience`, 100 past the size limit.
pub fn read_object(patience: Duration) -> Result<Vec<u8>> {
    let mut input = Input::new(false);
    let deadline = Instant::now() + patience;
    let mut scan = Scan::default();
    loop {
        if let Some(end) = scan.end_of_object(&input.bytes)? {
            input.bytes.truncate(end);
            return Ok(input.bytes);
        }
        if input.bytes.len() > limits::LINE {
            return Err(Error::usage(format!("the hook call exceeds {} MiB", limits::LINE >> 20)));
        }
        if !input.read(Some(deadline))? {
            if !input.ended {
                let waited = patience.as_secs();
                return Err(Error::deadline(format!("no complete hook call on standard input within {waited} s")));
            }
            let what = if input.bytes.iter().all(u8::is_ascii_whitespace) { "is empty" } else { "is incomplete" };
            return Err(Error::usage(format!("hook call on standard input {what}")));
        }
    }
}

/// Reads an event line or a hook call from standard input, for another program. It waits as long as nothing arrives, then at most
/// `patience` for the rest. The end of a hook call is enough, because a client may never close its end. What is no JSON object, or
/// incomplete at the end of input, is returned as it is: the program that gets it reports it.
pub fn read_any(patience: Duration) -> Result<Vec<u8>> {
    let mut input = Input::new(true);
    let mut scan = Scan::default();
    while !matches!(scan.end_of_object(&input.bytes), Ok(Some(_)) | Err(_)) {
        if input.bytes.len() > limits::LINE {
            return Err(Error::usage(format!("standard input exceeds {} MiB", limits::LINE >> 20)));
        }
        let deadline = (!input.bytes.is_empty()).then(|| Instant::now() + patience);
        if !input.read(deadline)? {
            if input.ended {
                return Ok(input.bytes);
            }
            let waited = patience.as_secs();
            return Err(Error::deadline(format!("no complete record on standard input within {waited} s")));
        }
    }
    // The newline of a line that fills the pipe comes later, and so may a second line.
    let linger = Instant::now() + LINGER;
    let is_line = input.bytes.trim_ascii_start().starts_with(b"{\"v\":");
    while is_line && input.bytes.last() != Some(&b'\n') && input.read(Some(linger))? {}
    Ok(input.bytes)
}

/// Whether standard input is a terminal.
pub fn is_input_terminal() -> bool {
    rustix::termios::isatty(stdin())
}

/// Whether standard input and standard output are both pipes.
pub fn is_between_pipes() -> bool {
    let is_pipe =
        |stat: rustix::io::Result<Stat>| stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo);
    is_pipe(fstat(stdin())) && is_pipe(fstat(stdout()))
}

/// All of standard input, up to `limit` bytes and until `deadline`.
pub fn read_bytes(limit: usize, deadline: Option<Instant>) -> Result<Vec<u8>> {
    let mut input = Input::new(false);
    while !input.ended {
        if !input.read(deadline)? && !input.ended {
            return Err(Error::deadline("standard input did not end before the deadline"));
        }
        if input.bytes.len() > limit {
            return Err(Error::usage(format!("standard input exceeds {} MiB", limit >> 20)));
        }
    }
    Ok(input.bytes)
}

/// All of standard input as text, up to `limit` bytes and until `deadline`.
pub fn read_text(limit: usize, deadline: Option<Instant>) -> Result<String> {
    String::from_utf8(read_bytes(limit, deadline)?).map_err(|_| Error::usage("standard input is not UTF-8"))
}

/// The state of a scan for the end of a JSON object.
#[derive(Default)]
struct Scan {
    at: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Scan {
    /// The length of the first object in `bytes`; None while it is incomplete. Each byte is scanned once.
    fn end_of_object(&mut self, bytes: &[u8]) -> Result<Option<usize>> {
        while self.at < bytes.len() {
            // Inside a string only two bytes have a meaning.
            while self.in_string && !self.escaped {
                self.at += memchr::memchr2(b'"', b'\\', &bytes[self.at..]).unwrap_or(bytes.len() - self.at);
                match bytes.get(self.at..) {
                    Some([b'\\', _, ..]) => self.at += 2,
                    _ => break,
                }
            }
            let Some(byte) = bytes.get(self.at) else { return Ok(None) };
            self.at += 1;
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' if self.depth > 0 => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' if self.depth > 0 || *byte == b'{' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Ok(Some(self.at));
                    }
                }
                byte if self.depth == 0 && !byte.is_ascii_whitespace() => {
                    return Err(Error::usage("hook call on standard input is not a JSON object"));
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

/// Standard input, read with poll(2). It bypasses the standard library's buffer, because every page that a stage touches takes time.
struct Input {
    watch_output: bool,
    bytes: Vec<u8>,
    ended: bool,
}

impl Input {
    fn new(watch_output: bool) -> Input {
        Input { watch_output, bytes: Vec::new(), ended: false }
    }

    /// Waits for input until `deadline` and reads what is available. False at the end of input and after the deadline.
    fn read(&mut self, deadline: Option<Instant>) -> Result<bool> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(false);
            }
            let timeout = left.map(timespec);
            let mut fds = [
                PollFd::from_borrowed_fd(stdin(), PollFlags::IN),
                PollFd::from_borrowed_fd(stdout(), PollFlags::empty()),
            ];
            match poll(if self.watch_output { &mut fds } else { &mut fds[..1] }, timeout.as_ref()) {
                Ok(0) => return Ok(false),
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(e) => return Err(Error::stream("wait for standard input", e)),
            }
            if fds[1].revents().contains(PollFlags::ERR) {
                return Err(output_closed());
            }
            if fds[0].revents().is_empty() {
                continue;
            }
            // The first read is small, because most lines are, and every page that is touched takes time.
            let start = self.bytes.len();
            let size = if start < FIRST { FIRST } else { 64 * 1024 };
            if start >= FIRST && self.bytes.capacity() < start + size {
                // Room that is not touched costs nothing, and what was read is not moved.
                self.bytes.reserve(ROOM);
            }
            self.bytes.resize(start + size, 0);
            let read = rustix::io::read(stdin(), &mut self.bytes[start..]);
            self.bytes.truncate(start + read.unwrap_or(0));
            match read {
                Ok(0) => {
                    self.ended = true;
                    return Ok(false);
                }
                Ok(_) => return Ok(true),
                Err(Errno::INTR) => {}
                Err(e) => return Err(Error::stream("read standard input", e)),
            }
        }
    }
}

/// The error if standard output is closed.
fn output_closed() -> Error {
    Error::disconnected("standard output is closed: stopped")
}

/// Whether the other end of standard output is closed.
pub fn is_output_closed() -> bool {
    let mut fds = [PollFd::from_borrowed_fd(stdout(), PollFlags::empty())];
    matches!(poll(&mut fds, Some(&timespec(Duration::ZERO))), Ok(n) if n > 0)
        && fds[0].revents().contains(PollFlags::ERR)
}

fn timespec(duration: Duration) -> Timespec {
    // Rounded up, so that the deadline has passed when the wait ends.
    let duration = duration + Duration::from_millis(1);
    Timespec { tv_sec: duration.as_secs() as _, tv_nsec: duration.subsec_nanos() as _ }
}

/// Writes all of `bytes` to standard output.
pub fn write(mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(stdout(), bytes) {
            Ok(0) => return Err(Error::disconnected("unable to write standard output: no byte was written")),
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            // Another process made the pipe non-blocking.
            Err(Errno::AGAIN) => {
                let mut fds = [PollFd::from_borrowed_fd(stdout(), PollFlags::OUT)];
                let _ = poll(&mut fds, None);
            }
            Err(Errno::PIPE) => return Err(output_closed()),
            Err(e) => {
                let e = std::io::Error::from(e);
                return Err(Error::stream("write standard output", e));
            }
        }
    }
    Ok(())
}

/// Writes what the next stage or the client must get. If standard output was closed when the program began, this is an error.
pub fn write_answer(bytes: &[u8]) -> Result<()> {
    if !bytes.is_empty() && was_output_closed() { Err(output_closed()) } else { write(bytes) }
}

/// Whether standard output was closed when the program began. The runtime then opened /dev/null for reading and writing in its place.
fn was_output_closed() -> bool {
    let is_device = |stat: &Stat| matches!(FileType::from_raw_mode(stat.st_mode), FileType::CharacterDevice);
    let null = || rustix::fs::stat("/dev/null").map(|null| null.st_rdev);
    let is_null = fstat(stdout()).is_ok_and(|stat| is_device(&stat) && null() == Ok(stat.st_rdev));
    is_null && rustix::fs::fcntl_getfl(stdout()).is_ok_and(|flags| flags & OFlags::RWMODE == OFlags::RDWR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> Option<usize> {
        Scan::default().end_of_object(text.as_bytes()).ok().flatten()
    }

    #[test]
    fn the_end_of_the_first_object_is_found() {
        assert_eq!(end(r#" {"a":"}\"{","b":[{}]}tail"#), Some(22));
        assert_eq!(end(r#"{"a":{"b":1}"#), None);
        assert!(Scan::default().end_of_object(b"42").is_err());
        assert!(Scan::default().end_of_object(b"[{}]").is_err());
    }

    proptest::proptest! {
        #[test]
        fn piecewise_and_whole_scans_agree(text in "[{}\\[\\]\"\\\\a ]{0,40}", cut in 0usize..40) {
            let bytes = text.as_bytes();
            let mut scan = Scan::default();
            let first = scan.end_of_object(&bytes[..cut.min(bytes.len())]);
            let piecewise = match first {
                Ok(None) => scan.end_of_object(bytes),
                done => done,
            };
            let whole = Scan::default().end_of_object(bytes);
            proptest::prop_assert_eq!(piecewise.ok(), whole.ok());
        }
    }
}
