//! Errors: one sentence that names the object, the kind of failure, and what caused it. The exit status follows from the kind.

use crate::sys::exit::Exit;
use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A failure that ends what was asked for.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    text: String,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// What kind of failure it is. Callers that tolerate a failure match on it; the text is for people only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// No failure: `--help` or `--version`. The text is the answer and belongs on standard output.
    Help,
    /// Usage error: a wrong option, operand or input. Trying again is pointless.
    Usage,
    /// The definition of done is invalid.
    Definition {
        /// Its name as messages show it.
        file: String,
        /// The line, from 1, where one line is at fault.
        line: Option<usize>,
        /// What is wrong, without the place.
        words: String,
    },
    /// Refused: it would do harm, or the answer to a question is no.
    Refused,
    /// Refused because the bar was lowered.
    Tampered,
    /// Input or output failed.
    Io {
        /// The file; None for pipes, standard streams and records that cannot be encoded.
        path: Option<PathBuf>,
    },
    /// Another process holds a lock.
    Locked {
        /// The lock's file.
        path: PathBuf,
    },
    /// No time is left.
    Deadline,
    /// The stage before ended without an event line, or nobody reads the answer.
    Disconnected,
    /// A record, or a file that must keep its bytes, is damaged.
    Damaged {
        /// Which file.
        file: PathBuf,
    },
    /// A program that was started failed, or did not do what was asked of it.
    Child,
    /// Something needed does not exist: a record, a repository, a program, a directory.
    Missing,
    /// Something changed while it was used.
    Changed,
    /// The evidence for a yes is missing or does not hold: nothing is sealed or landed.
    Unverified,
    /// A bug in the program itself.
    Bug,
}

impl ErrorKind {
    /// The exit status of a program that ends with such an error.
    pub fn exit(&self) -> Exit {
        match self {
            ErrorKind::Help => Exit::Yes,
            ErrorKind::Usage | ErrorKind::Definition { .. } => Exit::Usage,
            ErrorKind::Refused => Exit::No,
            ErrorKind::Tampered => Exit::Lowered,
            ErrorKind::Io { .. }
            | ErrorKind::Locked { .. }
            | ErrorKind::Deadline
            | ErrorKind::Disconnected
            | ErrorKind::Damaged { .. }
            | ErrorKind::Child
            | ErrorKind::Missing
            | ErrorKind::Changed
            | ErrorKind::Unverified => Exit::Unjudged,
            ErrorKind::Bug => Exit::Bug,
        }
    }
}

/// The result type of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of a kind that says nothing but its name.
    fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        Error { kind, text: text.into(), source: None }
    }

    /// The answer to `--help` or `--version`, which ends a program with status 0.
    pub fn help(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Help, text)
    }

    /// A usage error, or malformed input (100).
    pub fn usage(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Usage, text)
    }

    /// An invalid definition of done (100): `file:line: words`, or `file: words` where no line is at fault.
    pub fn definition(file: &str, line: Option<usize>, words: &str) -> Error {
        let text = match line {
            Some(line) => format!("{file}:{line}: {words}"),
            None => format!("{file}: {words}"),
        };
        Error::new(ErrorKind::Definition { file: file.to_string(), line, words: words.trim().to_string() }, text)
    }

    /// Refused (1): it would do harm, or a question has the answer no. The text says what to do.
    pub fn refused(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Refused, text)
    }

    /// Refused (3): it would be done, but the bar was lowered to get there.
    pub fn tampered(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Tampered, text)
    }

    /// A system call on a file failed (111): `unable to <doing> <path>: <reason>`.
    pub fn io(doing: &str, path: &Path, source: &io::Error) -> Error {
        let text = format!("unable to {doing} {}: {}", path.display(), reason(source));
        Error::new(ErrorKind::Io { path: Some(path.to_path_buf()) }, text).caused_by(copy_of(source))
    }

    /// A file cannot be used (111), for a reason that is no system call's.
    pub fn unreadable(path: &Path, text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Io { path: Some(path.to_path_buf()) }, text)
    }

    /// Input or output without a path failed (111): `unable to <doing>: <reason>`.
    pub fn stream(doing: &str, source: impl StdError + Send + Sync + 'static) -> Error {
        Error::new(ErrorKind::Io { path: None }, format!("unable to {doing}: {source}")).caused_by(source)
    }

    /// Another process holds the lock at `path` (111).
    pub fn locked(path: &Path, text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Locked { path: path.to_path_buf() }, text)
    }

    /// No time is left (111).
    pub fn deadline(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Deadline, text)
    }

    /// The stage before ended without an event line, or nobody reads the answer (111).
    pub fn disconnected(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Disconnected, text)
    }

    /// `file` does not hold what it must (111).
    pub fn damaged(file: &Path, text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Damaged { file: file.to_path_buf() }, text)
    }

    /// A program that was started failed (111).
    pub fn child(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Child, text)
    }

    /// Something needed does not exist (111).
    pub fn missing(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Missing, text)
    }

    /// Something changed while it was used (111). Trying again may help.
    pub fn changed(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Changed, text)
    }

    /// The evidence for a yes is missing or does not hold (111).
    pub fn unverified(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Unverified, text)
    }

    /// A bug in the program itself (101).
    pub fn bug(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Bug, text)
    }

    /// An error of the same kind in other words, caused by this one.
    pub fn reworded(self, text: impl Into<String>) -> Error {
        Error::new(self.kind.clone(), text).caused_by(self)
    }

    /// The same error with what caused it.
    pub fn caused_by(self, source: impl StdError + Send + Sync + 'static) -> Error {
        Error { source: Some(Arc::new(source)), ..self }
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Whether the definition of done is to blame: it is invalid, or the commit that it should come from does not exist.
    pub fn is_of_definition(&self) -> bool {
        matches!(self.kind, ErrorKind::Definition { .. } | ErrorKind::Usage)
    }

    /// The exit status that follows from its kind.
    pub fn exit(&self) -> Exit {
        self.kind.exit()
    }
}

/// An `io::Error` is not `Clone`, and whoever reports one may still need it.
fn copy_of(source: &io::Error) -> io::Error {
    match source.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(source.kind(), source.to_string()),
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

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<lexopt::Error> for Error {
    fn from(source: lexopt::Error) -> Error {
        Error::usage(source.to_string()).caused_by(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_every_kind() -> Vec<(Error, u8)> {
        let gone = io::Error::from_raw_os_error(2);
        let file = Path::new("/a/b");
        vec![
            (Error::help("x"), 0),
            (Error::usage("x"), 100),
            (Error::definition("DONE.md", Some(3), " x"), 100),
            (Error::refused("x"), 1),
            (Error::tampered("x"), 3),
            (Error::io("read", file, &gone), 111),
            (Error::unreadable(file, "x"), 111),
            (Error::stream("write", gone), 111),
            (Error::locked(file, "x"), 111),
            (Error::deadline("x"), 111),
            (Error::disconnected("x"), 111),
            (Error::damaged(file, "x"), 111),
            (Error::child("x"), 111),
            (Error::missing("x"), 111),
            (Error::changed("x"), 111),
            (Error::unverified("x"), 111),
            (Error::bug("x"), 101),
        ]
    }

    #[test]
    fn every_kind_has_its_status() {
        for (error, status) in of_every_kind() {
            assert_eq!(error.exit() as u8, status, "{error:?}");
        }
    }

    #[test]
    fn what_an_error_says_is_what_it_always_said() {
        let gone = || io::Error::from_raw_os_error(2);
        let text = |error: Error| error.to_string();
        assert_eq!(
            text(Error::io("read", Path::new("/a/b"), &gone())),
            "unable to read /a/b: No such file or directory"
        );
        assert_eq!(
            text(Error::stream("make a pipe", gone())),
            "unable to make a pipe: No such file or directory (os error 2)"
        );
        assert_eq!(text(Error::definition("DONE.md", Some(12), "unknown key")), "DONE.md:12: unknown key");
        assert_eq!(text(Error::definition("/p/DONE.md", None, "too long")), "/p/DONE.md: too long");
        assert_eq!(text(Error::usage("no such task: x")), "no such task: x");
    }

    #[test]
    fn an_error_names_its_file_and_its_cause() {
        let error = Error::io("read", Path::new("/a/b"), &io::Error::from_raw_os_error(13));
        let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::PermissionDenied));
        assert_eq!(*error.kind(), ErrorKind::Io { path: Some("/a/b".into()) });
        // A cause that is no system call's keeps its words.
        let error = Error::io("read", Path::new("x"), &io::Error::other("a link is there"));
        assert_eq!(error.source().map(ToString::to_string), Some("a link is there".into()));
        assert!(Error::usage("x").source().is_none());
    }
}
