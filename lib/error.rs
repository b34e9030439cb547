//! Errors: one sentence for a person that names the object, and the status that goes with it.

use crate::exit::Exit;
use std::fmt;
use std::io;
use std::path::Path;

/// A failure that ends what was asked for.
#[derive(Clone, Debug)]
pub struct Error {
    /// The status a program ends with: `Usage` when it was asked wrongly, `Unjudged` when the machine failed it.
    pub exit: Exit,
    text: String,
}

/// The result type of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Asked wrongly: usage, a malformed record, a broken DONE.md (100). Trying again is pointless.
    pub fn usage(text: impl Into<String>) -> Error {
        Error { exit: Exit::Usage, text: text.into() }
    }

    /// Not done, and nothing was (1): doing it would lose or overreach something.
    pub fn refused(text: impl Into<String>) -> Error {
        Error { exit: Exit::No, text: text.into() }
    }

    /// Could not be judged (111): a lock, a deadline, a dead upstream. Trying again may help.
    pub fn unjudged(text: impl Into<String>) -> Error {
        Error { exit: Exit::Unjudged, text: text.into() }
    }

    /// No failure at all: the text answers the question (`--help`), and the status is 0.
    pub fn answer(text: impl Into<String>) -> Error {
        Error { exit: Exit::Yes, text: text.into() }
    }

    /// A system call failed (111): `unable to <doing> <path>: <reason>`.
    pub fn io(doing: &str, path: &Path, source: &io::Error) -> Error {
        Error::unjudged(format!("unable to {doing} {}: {}", path.display(), reason(source)))
    }
}

/// The operating system's words without Rust's "(os error N)".
fn reason(source: &io::Error) -> String {
    let text = source.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_string(),
        None => text,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

impl From<lexopt::Error> for Error {
    fn from(source: lexopt::Error) -> Error {
        Error::usage(source.to_string())
    }
}
