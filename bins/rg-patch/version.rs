//! The kinds of files, and the new version of one.

use crate::reader::Section;
use crate::tree::Found;

/// The modes of git that a patch may name: files, and the link.
pub const FILES: [u32; 3] = [0o100644, 0o100755, 0o100664];
pub const LINK: u32 = 0o120000;

/// A new version of a file.
pub struct After {
    /// Its bytes, or the target of the link.
    pub bytes: Vec<u8>,
    /// Whether it is a symbolic link.
    pub is_link: bool,
    /// Its permissions; the umask applies to those of a new file.
    pub permissions: u32,
    /// Whether it is a new file.
    pub is_new: bool,
}

/// Whether the kind of a file is the one that the patch means.
pub fn check_kind(before: &Found, section: &Section<'_>) -> std::result::Result<(), &'static str> {
    let is_link = section.modes.map(|mode| mode.map(|mode| mode == LINK));
    match (before.is_link, is_link) {
        (true, [Some(true), _]) => Ok(()),
        // A rename of unchanged content names no mode.
        (true, [None, None]) if section.hunks.is_empty() && section.binary.is_none() && section.old != section.new => {
            Ok(())
        }
        (true, _) => Err("it is a symbolic link, and the patch is for a file"),
        (false, [Some(true), _]) => Err("it is a file, and the patch is for a symbolic link"),
        (false, [_, Some(true)]) if section.new.is_some() => {
            Err("a patch changes a file into a link only by removing and adding it")
        }
        (false, _) => Ok(()),
    }
}

/// The new version of a file.
pub fn of(section: &Section<'_>, before: Option<&Found>, bytes: Vec<u8>) -> After {
    let [old, new] = section.modes;
    let is_executable = new.is_some_and(|mode| mode & 0o111 != 0);
    match before {
        None => After {
            bytes,
            is_link: new == Some(LINK),
            permissions: if is_executable { 0o777 } else { 0o666 },
            is_new: true,
        },
        Some(before) => {
            let permissions = match (old == new || new.is_none(), is_executable) {
                (true, _) => before.permissions,
                // Who may read it may execute it.
                (false, true) => before.permissions | (before.permissions & 0o444) >> 2,
                (false, false) => before.permissions & !0o111,
            };
            After { bytes, is_link: before.is_link, permissions, is_new: false }
        }
    }
}
