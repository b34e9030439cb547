//! What is new in a file of lines since it was last read, even if another file took its place meanwhile.

use crate::sys::error::{Error, Result};
use crate::sys::files;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The bytes before the last read place that must be unchanged.
const CHECKED: u64 = 4096;

/// The longest line that is waited for.
const LINE: u64 = 100 << 20;

/// A file of lines that is read again and again.
pub struct FileTail {
    path: PathBuf,
    /// The device and the inode that were read last.
    file: (u64, u64),
    /// Where the last complete line ends, and the bytes before.
    end: u64,
    before: Vec<u8>,
}

impl FileTail {
    /// A file of which nothing was read yet.
    pub fn new(path: &Path) -> FileTail {
        FileTail { path: path.to_path_buf(), file: (0, 0), end: 0, before: Vec::new() }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Passes each complete line that is new to `take`, without its newline. If the file is another one, or was changed before the last
    /// read place, all its lines are read again; `take` gets false with them. A missing file has no lines.
    pub fn read(&mut self, mut take: impl FnMut(&[u8], bool)) -> Result<()> {
        let Some(file) = files::open(&self.path)? else {
            *self = FileTail::new(&self.path);
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
            take(line.trim_ascii(), is_same);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn complete_lines_are_read_once_and_a_file_that_was_replaced_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut tail = FileTail::new(&path);
        let mut read = || {
            let mut lines = Vec::new();
            tail.read(|line, is_same| lines.push((String::from_utf8_lossy(line).into_owned(), is_same))).unwrap();
            lines
        };
        let line = |text: &str, is_same| (text.to_string(), is_same);
        assert_eq!(read(), []);
        fs::write(&path, "one\nhal").unwrap();
        assert_eq!(read(), [line("one", false)]);
        assert_eq!(read(), []);
        fs::write(&path, "one\nhalf\ntwo\n").unwrap();
        assert_eq!(read(), [line("half", true), line("two", true)]);
        // Shorter, changed before the last read place, replaced, gone and back.
        fs::write(&path, "one\n").unwrap();
        assert_eq!(read(), [line("one", false)]);
        fs::write(&path, "One\ntwo\n").unwrap();
        assert_eq!(read(), [line("One", false), line("two", false)]);
        fs::write(dir.path().join("other"), "One\ntwo\n3\n").unwrap();
        fs::rename(dir.path().join("other"), &path).unwrap();
        assert_eq!(read().len(), 3);
        fs::remove_file(&path).unwrap();
        assert_eq!(read(), []);
        fs::write(&path, "new\n").unwrap();
        assert_eq!(read(), [line("new", false)]);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(tail.read(|_, _| ()).is_err());
    }
}
