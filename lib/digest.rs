//! SHA-256, always written as 64 lower-case hexadecimal digits.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};

/// The digest of `bytes`.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The digest of several parts, each framed by its length so that no two lists of parts read the same.
pub fn sha256_parts(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

/// A digest that is fed piece by piece.
#[derive(Default)]
pub struct Stream(Sha256);

impl Stream {
    /// Takes in the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all pieces.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// The digest of all that `file` still holds, read in pieces.
pub fn sha256_file(file: &mut File) -> io::Result<String> {
    let mut hash = Stream::default();
    let mut buffer = [0u8; 32 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hash.finish()),
            Ok(n) => hash.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)] as char);
        text.push(DIGITS[usize::from(byte & 15)] as char);
    }
    text
}
