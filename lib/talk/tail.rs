//! What is new in a log since it was last read, even if another file took its place meanwhile.

use super::log::Messages;
use super::message::{self, Line, Message};
use crate::sys::error::{Error, Result};
use crate::sys::files;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The bytes before the last read place that must be unchanged.
const CHECKED: u64 = 4096;

/// The longest line that is waited for.
const LINE: u64 = 100 << 20;

/// A log that is read again and again.
pub struct LogTail {
    path: PathBuf,
    /// The device and the inode that were read last.
    file: (u64, u64),
    /// Where the last complete line ends, and the bytes before.
    end: u64,
    before: Vec<u8>,
}

impl LogTail {
    /// A log of which nothing was read yet.
    pub fn new(path: &Path) -> LogTail {
        LogTail { path: path.to_path_buf(), file: (0, 0), end: 0, before: Vec::new() }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds the messages of the complete lines that are new to `messages`, if `wants` selects them. If the file is another one, or was
    /// changed before the last read place, all its lines are read again. A message whose id is in `seen` is not new.
    pub fn read(
        &mut self,
        seen: &mut HashSet<String>,
        messages: &mut Messages,
        wants: impl Fn(&Message) -> bool,
    ) -> Result<()> {
        let Some(file) = files::open(&self.path)? else {
            *self = LogTail::new(&self.path);
            return Ok(());
        };
        let failed = |e: std::io::Error| Error::io("read", &self.path, &e);
        let meta = file.metadata().map_err(failed)?;
        let id = (meta.dev(), meta.ino());
        let is_same =
            id == self.file && meta.len() >= self.end && self.before == before(&file, self.end).map_err(failed)?;
        if !is_same {
            (self.file, self.end) = (id, 0);
        }
        let mut reader = BufReader::with_capacity(64 << 10, &file);
        reader.seek(SeekFrom::Start(self.end)).map_err(failed)?;
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut reader).take(LINE).read_until(b'\n', &mut line).map_err(failed)?;
            if read == 0 || line.last() != Some(&b'\n') && read < LINE as usize {
                break;
            }
            self.end += read as u64;
            let line = line.trim_ascii();
            if message::id_of(line).is_some_and(|id| seen.contains(&*id)) {
                continue;
            }
            match message::parse(line) {
                // A half line may begin with an id, too; only a whole one counts as seen.
                Line::Message(message) => {
                    seen.insert(message.id.clone());
                    if wants(&message) {
                        messages.insert(*message);
                    }
                }
                // Those of a file that is read again were counted before.
                _ if is_same => messages.add(line, &wants),
                _ => {}
            }
        }
        self.before = before(&file, self.end).map_err(failed)?;
        Ok(())
    }
}

/// The bytes before a place.
fn before(file: &File, end: u64) -> std::io::Result<Vec<u8>> {
    let start = end.saturating_sub(CHECKED);
    let mut bytes = vec![0; (end - start) as usize];
    file.read_exact_at(&mut bytes, start)?;
    Ok(bytes)
}
