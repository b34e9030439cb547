//! The text of a message or of an issue: from an option, a file or standard input, as it came.

use super::cli::Args;
use super::pipes;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::limits;
use std::path::Path;

/// The text, which must not be empty: that of `--message`, that of the file of `--file` (`-` is standard input), else standard input.
pub fn read(args: &Args, message: Option<&str>, file: Option<&Path>) -> Result<String> {
    let body = match (message, file) {
        (Some(text), _) => text.to_string(),
        (None, Some(path)) if path != Path::new("-") => {
            let bytes = files::read_following(path, limits::LINE as u64)?;
            let bytes = bytes.ok_or_else(|| Error::usage(format!("no such file: {}", path.display())))?;
            String::from_utf8(bytes).map_err(|_| Error::usage(format!("{} is not UTF-8", path.display())))?
        }
        (None, _) => {
            args.refuse_terminal("a message")?;
            pipes::read_text(limits::LINE, None)?
        }
    };
    match body.is_empty() {
        true => Err(Error::usage("the message is empty")),
        false => Ok(body),
    }
}
