//! Reads files from standard input: one line of JSON with the path and the size, then the bytes, and so on.

use crate::file::{Reader, SIZE};
use crate::limits;
use review_gate::outline::Outline;
use review_gate::sys::error::{Error, Result};
use review_gate::tool::pipes;
use serde::Deserialize;
use std::io::{self, BufRead, Read};

/// The longest line before the bytes of a file.
const LINE: u64 = 64 << 10;

/// What stands before the bytes of a file.
#[derive(Deserialize)]
struct Frame {
    path: String,
    bytes: u64,
}

/// Writes an outline for each file, in their order.
pub fn run(reader: &mut Reader) -> Result<()> {
    let mut input = io::stdin().lock();
    let failed = |error| Error::stream("read standard input", error);
    loop {
        let mut line = Vec::new();
        input.by_ref().take(LINE).read_until(b'\n', &mut line).map_err(failed)?;
        if line.is_empty() {
            return Ok(());
        }
        let frame: Frame = serde_json::from_slice(&line)
            .map_err(|error| Error::usage(format!("expected a line with path and bytes on standard input: {error}")))?;
        let outline = match frame.bytes > SIZE as u64 {
            true => {
                let skipped = io::copy(&mut input.by_ref().take(frame.bytes), &mut io::sink()).map_err(failed)?;
                complete(&frame, skipped)?;
                let unread = Some(format!("it has more than {} MiB", SIZE >> 20));
                Outline { path: frame.path, unread, ..Outline::default() }
            }
            false => {
                let mut text = Vec::new();
                let read = input.by_ref().take(frame.bytes).read_to_end(&mut text).map_err(failed)?;
                complete(&frame, read as u64)?;
                limits::limit_time();
                reader.read(&frame.path, &text)
            }
        };
        pipes::write(crate::show::json(&outline)?.as_bytes())?;
    }
}

fn complete(frame: &Frame, read: u64) -> Result<()> {
    match read == frame.bytes {
        true => Ok(()),
        false => {
            Err(Error::usage(format!("standard input ends inside {}: {read} of {} bytes", frame.path, frame.bytes)))
        }
    }
}
