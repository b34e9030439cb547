//! Writes loose objects without starting git, with no filter and no compression.
//!
//! git(1) reads them like any others, and packs them at its next gc.

use super::{Format, ObjectId, ObjectName, Repository};
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The longest stored block of deflate, in bytes.
const BLOCK: usize = 0xffff;

/// The prime of Adler-32, and the number of bytes after which its sums could overflow.
const ADLER: u32 = 65_521;
const RUN: usize = 5_552;

/// The loose objects of a repository.
pub struct Objects {
    dir: PathBuf,
    format: Format,
    /// The objects that were written or found.
    used: RefCell<Vec<ObjectId>>,
}

impl Repository {
    /// The loose objects of this repository.
    pub fn objects(&self) -> Objects {
        Objects { dir: self.common_dir.join("objects"), format: self.format(), used: RefCell::default() }
    }
}

impl Objects {
    /// The object format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether a loose object exists. Its times are set to now, so that no gc removes it before a reference reaches it.
    pub fn refresh(&self, id: ObjectId) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let times = Timestamps { last_access: now, last_modification: now };
        let path = self.place(id);
        let has = match utimensat(CWD, &path, &times, AtFlags::empty()) {
            // A power failure leaves empty files behind.
            Ok(()) => fs::metadata(&path).is_ok_and(|meta| meta.len() > 0),
            Err(rustix::io::Errno::NOENT) => false,
            Err(_) => path.exists(),
        };
        if has {
            self.used.borrow_mut().push(id);
        }
        has
    }

    /// Whether all objects that were written or found still exist. A gc may remove them as long as no reference reaches them.
    pub fn all_exist(&self) -> bool {
        self.used.borrow().iter().all(|id| self.place(*id).exists())
    }

    /// Writes an object of that kind and returns its id.
    pub fn write(&self, kind: &str, bytes: &[u8]) -> Result<ObjectId> {
        let mut name = ObjectName::new(self.format, kind, bytes.len() as u64);
        name.update(bytes);
        let id = name.finish();
        if !self.refresh(id) {
            let written = self.write_object(kind, bytes.len() as u64, &mut &bytes[..])?;
            debug_assert_eq!(written, Some(id));
        }
        Ok(id)
    }

    /// Writes a blob from a reader; None if it does not have exactly `length` bytes.
    pub fn write_from(&self, from: &mut dyn Read, length: u64) -> Result<Option<ObjectId>> {
        self.write_object("blob", length, from)
    }

    fn write_object(&self, kind: &str, length: u64, from: &mut dyn Read) -> Result<Option<ObjectId>> {
        // Git's gc removes leftover files with this prefix.
        let temporary = self.dir.join(format!("tmp_obj_{}", ids::ulid(&["object", kind, &length.to_string()])));
        let failed = |e: io::Error| Error::io("write", &self.dir, &e);
        let written = self.stream(&temporary, kind, length, from);
        let placed = match written {
            Ok(Some(id)) => self.put(&temporary, id).map(|()| {
                self.used.borrow_mut().push(id);
                Some(id)
            }),
            other => other,
        };
        if !matches!(placed, Ok(Some(_))) {
            let _ = fs::remove_file(&temporary);
        }
        placed.map_err(failed)
    }

    fn stream(&self, path: &Path, kind: &str, length: u64, from: &mut dyn Read) -> io::Result<Option<ObjectId>> {
        // A pinned clock gives the same name again, so an existing file is a leftover.
        let _ = fs::remove_file(path);
        let out = files::create_new(path, 0o444)?;
        let mut out = Stored::new(out);
        let mut name = ObjectName::new(self.format, kind, length);
        out.take(format!("{kind} {length}\0").as_bytes())?;
        let mut buffer = vec![0u8; (length as usize).clamp(1, 128 * 1024)];
        let mut left = length;
        while left > 0 {
            let want = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match from.read(&mut buffer[..want]) {
                Ok(0) => return Ok(None),
                Ok(n) => {
                    name.update(&buffer[..n]);
                    out.take(&buffer[..n])?;
                    left -= n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        // The reader has more than `length` bytes.
        if from.read(&mut [0u8; 1])? > 0 {
            return Ok(None);
        }
        out.finish()?;
        Ok(Some(name.finish()))
    }

    /// Renames a complete object to its final path.
    fn put(&self, temporary: &Path, id: ObjectId) -> io::Result<()> {
        env::crash_point();
        let place = self.place(id);
        // Through a link, the object would be written to another place.
        if fs::symlink_metadata(place.parent().unwrap_or(&self.dir)).is_ok_and(|meta| meta.is_symlink()) {
            return Err(io::Error::other("the object directory is a symbolic link"));
        }
        match fs::rename(temporary, &place) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let dir = place.parent().unwrap_or(&self.dir);
                fs::create_dir(dir).or_else(|e| if dir.is_dir() { Ok(()) } else { Err(e) })?;
                // In a shared repository the new directory must be shared, too.
                let _ = fs::set_permissions(dir, fs::metadata(&self.dir)?.permissions());
                fs::rename(temporary, &place)
            }
            renamed => renamed,
        }
    }

    fn place(&self, id: ObjectId) -> PathBuf {
        let digits = id.to_string();
        self.dir.join(&digits[..2]).join(&digits[2..])
    }
}

/// A zlib stream of stored blocks.
struct Stored {
    out: File,
    /// The head of the open block, and its content so far.
    block: Vec<u8>,
    sums: (u32, u32),
}

/// The length of a block's head: a byte that marks the last block, and the block's length twice.
const HEAD: usize = 5;

impl Stored {
    fn new(out: File) -> Stored {
        let mut block = vec![0x78, 0x01];
        block.extend([0; HEAD]);
        Stored { out, block, sums: (1, 0) }
    }

    /// The offset of the open block; the first one follows the head of the stream.
    fn begin(&self) -> usize {
        usize::from(self.block[0] == 0x78 && self.block[1] == 0x01) * 2
    }

    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        for run in bytes.chunks(RUN) {
            for byte in run {
                self.sums.0 += u32::from(*byte);
                self.sums.1 += self.sums.0;
            }
            self.sums = (self.sums.0 % ADLER, self.sums.1 % ADLER);
        }
        while !bytes.is_empty() {
            let room = BLOCK - (self.block.len() - self.begin() - HEAD);
            let part = room.min(bytes.len());
            self.block.extend_from_slice(&bytes[..part]);
            bytes = &bytes[part..];
            if part == room && !bytes.is_empty() {
                self.flush(false)?;
            }
        }
        Ok(())
    }

    fn flush(&mut self, last: bool) -> io::Result<()> {
        let begin = self.begin();
        let length = (self.block.len() - begin - HEAD) as u16;
        self.block[begin] = u8::from(last);
        self.block[begin + 1..begin + 3].copy_from_slice(&length.to_le_bytes());
        self.block[begin + 3..begin + HEAD].copy_from_slice(&(!length).to_le_bytes());
        if last {
            let sum = self.sums.1 << 16 | self.sums.0;
            self.block.extend_from_slice(&sum.to_be_bytes());
        }
        self.out.write_all(&self.block)?;
        self.block.clear();
        self.block.extend([0; HEAD]);
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.flush(true)
    }
}
