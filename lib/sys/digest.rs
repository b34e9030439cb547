//! SHA-256, written as 64 lower-case hexadecimal digits. `Raw` saves memory where there are very many digests.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};

/// The 32 bytes of a digest.
pub type Raw = [u8; 32];

/// The digest of `bytes` as 32 bytes.
pub fn raw(bytes: &[u8]) -> Raw {
    Sha256::digest(bytes).into()
}

/// The digest of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The digest of several parts. The length of each part is hashed before it, so that no two lists of parts have the same digest.
pub fn sha256_parts(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

/// A digest of bytes that arrive in pieces.
#[derive(Clone, Default)]
pub struct Stream(Sha256);

impl Stream {
    /// Adds the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all pieces in hexadecimal.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }

    /// The digest of all pieces as 32 bytes.
    pub fn finish_raw(self) -> Raw {
        self.0.finalize().into()
    }
}

/// The digest of `file` from its current position to its end, read in pieces.
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

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len() * 2);
    push_hex(&mut text, bytes);
    String::from_utf8(text).unwrap_or_default()
}

/// Adds the hexadecimal digits of `bytes`.
pub fn push_hex(text: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    text.extend(bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]));
}

/// The bytes of hexadecimal digits of either case; None for anything else.
pub fn unhex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    let mut bytes = [0; N];
    for (at, pair) in digits.chunks(2).enumerate() {
        *bytes.get_mut(at)? = value(pair[0])? << 4 | value(*pair.get(1)?)?;
    }
    (digits.len() == 2 * N).then_some(bytes)
}
