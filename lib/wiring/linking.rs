//! Finds out from its ELF header whether a program is dynamically linked.

use crate::sys::files;
use std::io::Read;
use std::path::Path;

/// How much of a program is read, in bytes: its program headers follow its header.
const HEAD: u64 = 4096;

/// The type of a program header that names a loader.
const PT_INTERP: u32 = 3;

/// Whether a program needs a loader. False if it is not a 64-bit little-endian ELF file or cannot be read, because a warning needs proof.
pub fn is_dynamic(program: &Path) -> bool {
    let mut head = Vec::new();
    let file = files::open_following(program).ok().flatten();
    let read = file.and_then(|file| file.take(HEAD).read_to_end(&mut head).ok());
    read.is_some() && has_loader(&head).unwrap_or(false)
}

/// Whether a program header names a loader; None if the bytes end before that.
fn has_loader(head: &[u8]) -> Option<bool> {
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let start = usize::try_from(u64::from_le_bytes(head.get(32..40)?.try_into().ok()?)).ok()?;
    let size = usize::from(u16::from_le_bytes(head.get(54..56)?.try_into().ok()?));
    let count = usize::from(u16::from_le_bytes(head.get(56..58)?.try_into().ok()?));
    for number in 0..count {
        let at = start.checked_add(number * size)?;
        let kind = head.get(at..at.checked_add(4)?)?;
        if u32::from_le_bytes(kind.try_into().ok()?) == PT_INTERP {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with program headers of these types.
    fn elf(kinds: &[u32]) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = kinds.len() as u8;
        for kind in kinds {
            bytes.extend(kind.to_le_bytes());
            bytes.extend([0; 52]);
        }
        bytes
    }

    #[test]
    fn a_program_with_a_loader_is_dynamic() {
        assert_eq!(has_loader(&elf(&[6, 3, 1])), Some(true));
        assert_eq!(has_loader(&elf(&[6, 1])), Some(false));
    }

    #[test]
    fn cut_and_false_headers_give_no_answer() {
        let whole = elf(&[1, 3]);
        for cut in 0..whole.len() - 52 {
            assert_eq!(has_loader(&whole[..cut]), None, "{cut}");
        }
        let mut far = elf(&[3]);
        far[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(has_loader(&far), None);
        assert_eq!(has_loader(b"#!/bin/sh\n"), None);
    }
}
