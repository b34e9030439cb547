//! Git's binary patches: base 85, compressed, either the whole content or a delta to the other version.

use crate::inflate;
use crate::input::Line;
use review_gate::sys::error::{Error, Result};

/// The largest content, in bytes.
const MOST: usize = 64 << 20;

/// The largest total of unpacked contents in one patch, in bytes.
pub const TOTAL: usize = 256 << 20;

/// The digits of git's base 85.
const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Both directions of a binary change.
#[derive(Clone, Debug)]
pub struct BinaryPatch {
    forward: Content,
    /// None if the patch cannot be reversed.
    backward: Option<Content>,
}

/// One direction.
#[derive(Clone, Debug)]
enum Content {
    Whole(Vec<u8>),
    Delta(Vec<u8>),
    Missing,
}

impl BinaryPatch {
    /// Exchanges the versions.
    pub fn reverse(&mut self) {
        let backward = self.backward.take().unwrap_or(Content::Missing);
        self.backward = Some(std::mem::replace(&mut self.forward, backward));
    }

    /// The content afterwards, or why there is none.
    pub fn apply(&self, before: &[u8]) -> std::result::Result<Vec<u8>, &'static str> {
        match &self.forward {
            Content::Whole(bytes) => Ok(bytes.clone()),
            Content::Delta(delta) => applied(before, delta).ok_or("the binary delta does not fit the file"),
            Content::Missing => Err("the binary patch cannot be reversed: it holds one version only"),
        }
    }
}

/// Reads a binary patch and the number of its lines; `room` is what is left of [`TOTAL`]. Errors (100): it is malformed.
pub fn read(lines: &[Line<'_>], room: &mut usize) -> Result<(BinaryPatch, usize)> {
    let mut at = 1;
    let forward = content(lines, &mut at, room)?;
    let forward = forward.ok_or_else(|| wrong(&lines[0], "`literal` or `delta` does not follow"))?;
    let backward = content(lines, &mut at, room)?;
    Ok((BinaryPatch { forward, backward }, at))
}

fn wrong(line: &Line<'_>, why: &str) -> Error {
    Error::usage(format!("line {}: the binary patch is damaged: {why}", line.number))
}

/// One direction, up to the empty line after it. None if none begins here.
fn content(lines: &[Line<'_>], at: &mut usize, room: &mut usize) -> Result<Option<Content>> {
    let Some(head) = lines.get(*at) else { return Ok(None) };
    let (size, is_delta) = match (head.after("literal "), head.after("delta ")) {
        (Some(size), _) => (size, false),
        (_, Some(size)) => (size, true),
        _ => return Ok(None),
    };
    let size = std::str::from_utf8(size).ok().and_then(|size| size.parse::<usize>().ok()).filter(|size| *size <= MOST);
    let size = size.ok_or_else(|| wrong(head, "its size is not a number up to 64 MiB"))?;
    *room = room.checked_sub(size).ok_or_else(|| wrong(head, "all contents together exceed 256 MiB"))?;
    *at += 1;
    let mut packed = Vec::new();
    while let Some(line) = lines.get(*at).filter(|line| !line.trimmed().is_empty()) {
        decode(line.trimmed(), &mut packed).ok_or_else(|| wrong(line, "not a line of base 85"))?;
        *at += 1;
    }
    // The empty line.
    *at += usize::from(*at < lines.len());
    let bytes = inflate::zlib(&packed, size).ok_or_else(|| wrong(head, "it cannot be unpacked to its size"))?;
    Ok(Some(if is_delta { Content::Delta(bytes) } else { Content::Whole(bytes) }))
}

/// Adds the bytes of one line: its length as a letter, then five digits for each four bytes.
fn decode(line: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (first, digits) = line.split_first()?;
    let length = match first {
        b'A'..=b'Z' => usize::from(first - b'A') + 1,
        b'a'..=b'z' => usize::from(first - b'a') + 27,
        _ => return None,
    };
    if digits.len() != length.div_ceil(4) * 5 {
        return None;
    }
    let end = out.len() + length;
    for group in digits.chunks(5) {
        let mut value = 0u32;
        for digit in group {
            let digit = DIGITS.iter().position(|known| known == digit)? as u32;
            value = value.checked_mul(85)?.checked_add(digit)?;
        }
        out.extend_from_slice(&value.to_be_bytes());
    }
    out.truncate(end);
    Some(())
}

/// The content that a delta makes of `before`; None if it does not fit.
fn applied(before: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta.iter().copied();
    let mut size = || {
        let (mut size, mut shift) = (0usize, 0);
        loop {
            let byte = rest.next()?;
            size |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(size);
            }
            if shift > 35 {
                return None;
            }
        }
    };
    let (from, to) = (size()?, size()?);
    if from != before.len() || to > MOST {
        return None;
    }
    let mut out = Vec::with_capacity(to);
    while let Some(op) = rest.next() {
        if op & 0x80 != 0 {
            let mut number = |bits: std::ops::Range<u8>, first: u8| {
                let mut value = 0usize;
                for bit in bits {
                    if op & (1 << bit) != 0 {
                        value |= usize::from(rest.next()?) << (8 * (bit - first));
                    }
                }
                Some(value)
            };
            let (start, count) = (number(0..4, 0)?, number(4..7, 4)?);
            let count = if count == 0 { 0x10000 } else { count };
            out.extend_from_slice(before.get(start..start.checked_add(count)?)?);
        } else if op > 0 {
            for _ in 0..op {
                out.push(rest.next()?);
            }
        } else {
            return None;
        }
        if out.len() > to {
            return None;
        }
    }
    (out.len() == to).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_copies_and_inserts_and_never_reads_outside() {
        // 4 bytes to 5: copy 2 from 1, insert 3.
        assert_eq!(applied(b"abcd", &[4, 5, 0x91, 1, 2, 3, b'x', b'y', b'z']).as_deref(), Some(&b"bcxyz"[..]));
        for wrong in
            [&[4, 5, 0x91, 3, 2][..], &[5, 1, 1, b'x'], &[4, 9, 1, b'x'], &[4, 1, 0], &[4, 1, 2, b'x'], &[0x80; 9]]
        {
            assert_eq!(applied(b"abcd", wrong), None, "{wrong:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_the_decoders_panic(bytes in proptest::collection::vec(0u8.., 0..64)) {
            let _ = applied(b"abcd", &bytes);
            let _ = decode(&bytes, &mut Vec::new());
        }
    }
}
