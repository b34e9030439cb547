//! Names of git's objects: SHA-1 or SHA-256 over a header and the content.

use crate::digest::{hex, unhex};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::fmt;

/// Which digest names a repository's objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// SHA-1, 40 digits.
    #[default]
    Sha1,
    /// SHA-256, 64 digits.
    Sha256,
}

/// The name of an object; all zero where there is none.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// SHA-1 names fill the first 20 bytes.
    bytes: [u8; 32],
    long: bool,
}

impl ObjectId {
    /// Reads 40 or 64 hexadecimal digits; None for anything else.
    pub fn parse(digits: &[u8]) -> Option<ObjectId> {
        match digits.len() {
            40 => unhex::<20>(digits).and_then(|bytes| ObjectId::from_bytes(&bytes)),
            64 => unhex::<32>(digits).and_then(|bytes| ObjectId::from_bytes(&bytes)),
            _ => None,
        }
    }

    /// Takes 20 or 32 bytes; None for another number.
    pub fn from_bytes(raw: &[u8]) -> Option<ObjectId> {
        let mut bytes = [0; 32];
        bytes.get_mut(..raw.len())?.copy_from_slice(raw);
        matches!(raw.len(), 20 | 32).then_some(ObjectId { bytes, long: raw.len() == 32 })
    }

    /// Its 20 or 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..if self.long { 32 } else { 20 }]
    }

    /// Whether it is the name of an object of that kind and these bytes. Git itself does not look.
    pub fn names(&self, kind: &str, bytes: &[u8]) -> bool {
        let mut name = ObjectName::new(self.format(), kind, bytes.len() as u64);
        name.update(bytes);
        name.finish() == *self
    }

    /// Which digest it is.
    pub fn format(&self) -> Format {
        if self.long { Format::Sha256 } else { Format::Sha1 }
    }

    /// Whether it names nothing.
    pub fn is_none(&self) -> bool {
        self.bytes == [0; 32]
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.as_bytes()))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The name that git gives to an object's bytes, fed piece by piece. Its length must be known before.
pub enum ObjectName {
    /// In a repository of SHA-1.
    Sha1(Sha1),
    /// In a repository of SHA-256.
    Sha256(Sha256),
}

impl ObjectName {
    /// Begins with an object of that kind (`blob`, `tree`, `commit`) and `length` bytes.
    pub fn new(format: Format, kind: &str, length: u64) -> ObjectName {
        let header = format!("{kind} {length}\0");
        match format {
            Format::Sha1 => ObjectName::Sha1(Sha1::new_with_prefix(header)),
            Format::Sha256 => ObjectName::Sha256(Sha256::new_with_prefix(header)),
        }
    }

    /// Takes in the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            ObjectName::Sha1(hash) => hash.update(bytes),
            ObjectName::Sha256(hash) => hash.update(bytes),
        }
    }

    /// The name.
    pub fn finish(self) -> ObjectId {
        let id = match self {
            ObjectName::Sha1(hash) => ObjectId::from_bytes(&hash.finalize()),
            ObjectName::Sha256(hash) => ObjectId::from_bytes(&hash.finalize()),
        };
        id.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_have_gits_names() {
        let mut name = ObjectName::new(Format::Sha1, "blob", 6);
        name.update(b"hel");
        name.update(b"lo\n");
        let id = name.finish();
        assert_eq!(id.to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(ObjectId::parse(id.to_string().as_bytes()), Some(id));
        assert_eq!(ObjectId::parse(b"zz"), None);
        assert!(ObjectId::default().is_none() && !id.is_none());
    }
}
