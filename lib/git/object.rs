//! Git's object ids: SHA-1 or SHA-256 over a header and the content.

use crate::sys::digest::{hex, unhex};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::fmt;

/// The object format of a repository: the digest of its ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// SHA-1, 40 digits.
    #[default]
    Sha1,
    /// SHA-256, 64 digits.
    Sha256,
}

/// The id of an object; all zero for none.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// A SHA-1 id fills the first 20 bytes.
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

    /// The id of 20 or 32 bytes; None for another length.
    pub fn from_bytes(raw: &[u8]) -> Option<ObjectId> {
        let mut bytes = [0; 32];
        bytes.get_mut(..raw.len())?.copy_from_slice(raw);
        matches!(raw.len(), 20 | 32).then_some(ObjectId { bytes, long: raw.len() == 32 })
    }

    /// Its 20 or 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..if self.long { 32 } else { 20 }]
    }

    /// Whether it is the id of an object of that kind and these bytes, and the bytes are no SHA-1 collision. Git does not verify that on
    /// every read.
    pub fn names(&self, kind: &str, bytes: &[u8]) -> bool {
        let mut name = ObjectName::checked(self.format(), kind, bytes.len() as u64);
        name.update(bytes);
        name.finish() == *self
    }

    /// Its object format.
    pub fn format(&self) -> Format {
        if self.long { Format::Sha256 } else { Format::Sha1 }
    }

    /// Whether it is all zero.
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

/// Computes an object id from bytes that arrive in pieces. The length must be known at the start.
pub enum ObjectName {
    /// SHA-1.
    Sha1(Sha1),
    /// SHA-1 with collision detection.
    CheckedSha1(Box<sha1_checked::Sha1>),
    /// SHA-256.
    Sha256(Sha256),
}

impl ObjectName {
    /// Starts an object of that kind (`blob`, `tree`, `commit`) with `length` bytes.
    pub fn new(format: Format, kind: &str, length: u64) -> ObjectName {
        let name = match format {
            Format::Sha1 => ObjectName::Sha1(Sha1::new()),
            Format::Sha256 => ObjectName::Sha256(Sha256::new()),
        };
        name.with_header(kind, length)
    }

    fn with_header(mut self, kind: &str, mut length: u64) -> ObjectName {
        // The digits are written here, because a text for each file would take as long as a block of the digest.
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (length % 10) as u8;
            length /= 10;
            if length == 0 {
                break;
            }
        }
        [kind.as_bytes(), b" ", &digits[first..], b"\0"].into_iter().for_each(|part| self.update(part));
        self
    }

    /// Like [`ObjectName::new`], with collision detection, for bytes from git's object store, where an agent may have put other bytes with
    /// the same id. It takes five times as long, so it is not used for files in the working tree, which SHA-256 identifies.
    pub fn checked(format: Format, kind: &str, length: u64) -> ObjectName {
        if format == Format::Sha256 {
            return ObjectName::new(format, kind, length);
        }
        ObjectName::CheckedSha1(Box::default()).with_header(kind, length)
    }

    /// Adds the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            ObjectName::Sha1(hash) => hash.update(bytes),
            ObjectName::CheckedSha1(hash) => sha1_checked::Digest::update(hash.as_mut(), bytes),
            ObjectName::Sha256(hash) => hash.update(bytes),
        }
    }

    /// The id; all zero for a collision.
    pub fn finish(self) -> ObjectId {
        let id = match self {
            ObjectName::Sha1(hash) => ObjectId::from_bytes(&hash.finalize()),
            ObjectName::CheckedSha1(hash) => {
                let found = hash.try_finalize();
                ObjectId::from_bytes(found.hash()).filter(|_| !found.has_collision())
            }
            ObjectName::Sha256(hash) => ObjectId::from_bytes(&hash.finalize()),
        };
        id.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_have_the_ids_of_git() {
        let mut name = ObjectName::new(Format::Sha1, "blob", 6);
        name.update(b"hel");
        name.update(b"lo\n");
        let id = name.finish();
        assert_eq!(id.to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(ObjectId::parse(id.to_string().as_bytes()), Some(id));
        assert_eq!(ObjectId::parse(b"zz"), None);
        assert!(ObjectId::default().is_none() && !id.is_none());
    }

    /// The beginning of one of the two files of SHAttered, which have the same SHA-1.
    const SHATTERED: &str = "\
        255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f4865696768742033203020522f547970652034203020522f\
        537562747970652035203020522f46696c7465722036203020522f436f6c6f7253706163652037203020522f4c656e6774682038203020522f42697473506572\
        436f6d706f6e656e7420383e3e0a73747265616d0affd8fffe00245348412d3120697320646561642121212121852fec092339759c39b1a1c63c4c97e1fffe01\
        7346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c79030c2b3de218f86db3a90901d5df45c14f26fedfb3dc38e96ac22fe7bd728f0e45bce046d2\
        3c570feb141398bb552ef5a0a82be331fea48037b8b5d71f0e332edf93ac3500eb4ddc0decc1a864790c782c76215660dd309791d06bd0af3f98cda4bc4629b1\
";

    #[test]
    fn a_collision_has_no_id() {
        let bytes = unhex::<320>(SHATTERED.as_bytes()).unwrap();
        let named = |mut name: ObjectName| {
            name.update(&bytes);
            name.finish()
        };
        assert!(named(ObjectName::CheckedSha1(Box::default())).is_none());
        assert!(!named(ObjectName::Sha1(Sha1::new())).is_none());
        // After git's header the two files have different ids, and there is no collision.
        let checked = named(ObjectName::checked(Format::Sha1, "blob", 320));
        assert_eq!(checked, named(ObjectName::new(Format::Sha1, "blob", 320)));
        assert!(checked.names("blob", &bytes) && !ObjectId::default().names("blob", &bytes));
    }
}
