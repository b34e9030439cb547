//! The status line of a terminal: one line on standard error that shows the running work, is rewritten and is removed at the end.

use crate::sys::clock;
use crate::sys::redact::redact;
use crate::sys::text::{one_line, plain};
use crate::sys::{env, process};
use crate::tool::cli;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the line is rewritten. Work that ends earlier is not shown.
const INTERVAL: Duration = Duration::from_millis(200);

/// How many bytes at the end of the output are kept to find its last line.
const KEPT: usize = 4 << 10;

/// The width of a terminal that does not report one.
const WIDTH: usize = 80;

/// Whether the line is on the screen; None after `close`.
static IS_SHOWN: Mutex<Option<bool>> = Mutex::new(Some(false));

/// A line that shows a name, the elapsed time and the last line of an output.
pub struct StatusLine {
    output: Arc<Mutex<Vec<u8>>>,
    /// Dropping it ends the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl StatusLine {
    /// Shows `name` from now on. None if standard error is no terminal, or one that shall not get control sequences.
    pub fn start(name: &str) -> Option<StatusLine> {
        if !cli::is_stderr_terminal() || env::is_color_unwanted() || env::is_ci() {
            return None;
        }
        let output = Arc::new(Mutex::new(Vec::new()));
        let (end, ended) = channel();
        let (seen, name, began) = (output.clone(), one_line(name), Instant::now());
        let draw = move || {
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let last = last_line(&seen.lock().unwrap_or_else(PoisonError::into_inner));
                let width = cli::stderr_width().filter(|width| *width > 1).unwrap_or(WIDTH);
                let text = format!("{name} {}{}", clock::human(began.elapsed().as_secs_f64()), after_colon(&last));
                // A full line would move the cursor to the next one.
                rewrite(&cut_to_columns(&text, width - 1));
            }
            rewrite("");
        };
        let thread = std::thread::Builder::new().spawn(draw).ok()?;
        Some(StatusLine { output, end: Some(end), thread: Some(thread) })
    }

    /// Takes a piece of the output.
    pub fn take(&self, bytes: &[u8]) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT)..]);
        let surplus = output.len().saturating_sub(KEPT);
        output.drain(..surplus);
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Like [`process::stop_all`], and removes the line for good. For a signal that ends this process.
pub fn stop_all() {
    process::stop_all();
    rewrite("");
    *IS_SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Replaces the line; an empty text removes it.
fn rewrite(text: &str) {
    let mut shown = IS_SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(is_shown) = shown.as_mut() else { return };
    if *is_shown || !text.is_empty() {
        cli::rewrite_line(text);
        *is_shown = !text.is_empty();
    }
}

/// The last line of the end of an output that is not blank, without secrets and control sequences.
fn last_line(output: &[u8]) -> String {
    // The first line of a full buffer may begin inside a control sequence or a secret.
    let whole = match output.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        Some(end) if output.len() >= KEPT => &output[end..],
        None if output.len() >= KEPT => &[],
        _ => output,
    };
    // A bar of progress ends with a carriage return, and its text is still on the screen.
    let end = whole.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |at| at + 1);
    let text = redact(&plain(&whole[..end]));
    one_line(text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(""))
}

fn after_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

/// The most columns that a terminal uses for a character.
fn columns(c: char) -> usize {
    if c < '\u{300}' { 1 } else { 2 }
}

/// The beginning of `text` that is at most `width` columns wide on every terminal.
fn cut_to_columns(text: &str, width: usize) -> String {
    let mut left = width;
    let fits = |c: &char| {
        let is_room = columns(*c) <= left;
        left = left.saturating_sub(columns(*c));
        is_room
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_line_is_the_one_that_a_terminal_shows() {
        let long = [vec![b'x'; KEPT - 10], b"\nlast one\n".to_vec()].concat();
        let cases: [(&[u8], &str); 9] = [
            (b"", ""),
            (b"one\ntwo\n\n  \n", "two"),
            (b"one\n 40%\r 50%\r", "50%"),
            (b"one\n 40%\r\x1b[K 50%", "50%"),
            (b"\x1b[31mred\x1b[0m\x1b[", "red"),
            (b"\x1b]0;title\x07seen\x1b[2J\x1b[H\x08", "seen"),
            (b"half \xe2\x82", "half \u{fffd}"),
            (&long, "last one"),
            (&[b'x'; KEPT], ""),
        ];
        for (output, line) in cases {
            assert_eq!(last_line(output), line, "{}", output.escape_ascii());
        }
        assert!(!last_line(b"export TOKEN=abcdefgh12345678\n").contains("abcdefgh12345678"));
    }

    proptest! {
        #[test]
        fn a_line_is_plain_and_not_wider_than_the_terminal(output: Vec<u8>, width in 0usize..30) {
            let line = cut_to_columns(&last_line(&output), width);
            let columns: usize = line.chars().map(columns).sum();
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert!(columns <= width, "{} columns", columns);
        }

        #[test]
        fn the_kept_end_is_the_end_of_the_output(pieces: Vec<Vec<u8>>) {
            let line = StatusLine { output: Arc::default(), end: None, thread: None };
            pieces.iter().for_each(|piece| line.take(piece));
            let all = pieces.concat();
            prop_assert_eq!(&*line.output.lock().unwrap(), &all[all.len().saturating_sub(KEPT)..]);
        }
    }
}
