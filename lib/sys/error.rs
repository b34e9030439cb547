//! Errors: a kind, one sentence that names the object, and the cause. The kind determines the exit status.

use crate::sys::exit::Exit;
use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// A failure that ends an operation.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    text: String,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// The kind of a failure. Callers that tolerate a failure match on it; only the user reads the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// No failure: `--help` or `--version`. The text goes to standard output.
    Help,
    /// Usage error: a wrong option, operand or input. A retry cannot help.
    Usage,
    /// The definition of done is invalid.
    Definition {
        /// Its name, as messages show it.
        file: String,
        /// The line that is wrong, from 1; None if the error is about the whole file.
        line: Option<usize>,
        /// What is wrong, without the file and the line.
        words: String,
    },
    /// Refused: the operation would do harm, or the answer is no.
    Refused,
    /// Refused because of tampering.
    Tampered,
    /// Input or output failed.
    Io {
        /// The file; None for pipes, standard streams and records that cannot be encoded.
        path: Option<PathBuf>,
    },
    /// Another process holds a lock.
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// The deadline has passed.
    Deadline,
    /// The previous stage ended without an event line, or the reader of standard output is gone.
    Disconnected,
    /// A record, or a file that must not change, is damaged.
    Damaged {
        /// The file.
        file: PathBuf,
    },
    /// A child process failed or gave unusable output.
    Child,
    /// A record, a repository, a program or a directory does not exist.
    Missing,
    /// A file or a reference changed while it was used.
    Changed,
    /// The evidence for done is missing or does not match the files: nothing is sealed or landed.
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
            ErrorKind::Tampered => Exit::Tampered,
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

/// The result type of the library.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of that kind, without a cause.
    fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        Error { kind, text: text.into(), source: None }
    }

    /// The output of `--help` or `--version`, which ends a program with status 0.
    pub fn help(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Help, text)
    }

    /// A usage error, or malformed input (100).
    pub fn usage(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Usage, text)
    }

    /// An invalid definition of done (100): `file:line: words`, or `file: words` without a line.
    pub fn definition(file: &str, line: Option<usize>, words: &str) -> Error {
        let text = match line {
            Some(line) => format!("{file}:{line}: {words}"),
            None => format!("{file}: {words}"),
        };
        Error::new(ErrorKind::Definition { file: file.to_string(), line, words: words.trim().to_string() }, text)
    }

    /// Refused (1): the operation would do harm, or the answer is no. The text names a remedy.
    pub fn refused(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Refused, text)
    }

    /// Refused (3): the work would be done, but there is tampering.
    pub fn tampered(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Tampered, text)
    }

    /// A system call on a file failed (111): `unable to <doing> <path>: <reason>`.
    pub fn io(doing: &str, path: &Path, source: &io::Error) -> Error {
        let text = format!("unable to {doing} {}: {}", path.display(), reason(source));
        Error::new(ErrorKind::Io { path: Some(path.to_path_buf()) }, text).caused_by(copy_of(source))
    }

    /// A child process did not start (111). The text names a program that is missing on `PATH`.
    pub fn start(command: &Command, source: &io::Error) -> Error {
        let program = Path::new(command.get_program());
        let error = Error::io("start", program, source);
        // The system gives the same error if the directory does not exist.
        let has_dir = command.get_current_dir().is_none_or(Path::is_dir);
        if source.kind() != io::ErrorKind::NotFound || !has_dir || program.components().count() != 1 {
            return error;
        }
        let name = program.display();
        error.with_text(format!("{name} is not on PATH: install {name}"))
    }

    /// A file cannot be used (111), for a reason other than a failed system call.
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

    /// The deadline has passed (111).
    pub fn deadline(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Deadline, text)
    }

    /// The previous stage ended without an event line, or the reader of standard output is gone (111).
    pub fn disconnected(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Disconnected, text)
    }

    /// `file` is damaged (111).
    pub fn damaged(file: &Path, text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Damaged { file: file.to_path_buf() }, text)
    }

    /// A child process failed (111).
    pub fn child(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Child, text)
    }

    /// A record, a repository, a program or a directory does not exist (111).
    pub fn missing(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Missing, text)
    }

    /// A file or a reference changed while it was used (111). A retry may help.
    pub fn changed(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Changed, text)
    }

    /// The evidence for done is missing or does not match the files (111).
    pub fn unverified(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Unverified, text)
    }

    /// A bug in the program itself (101).
    pub fn bug(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Bug, text)
    }

    /// An error of the same kind with another text, caused by this one.
    pub fn with_text(self, text: impl Into<String>) -> Error {
        Error::new(self.kind.clone(), text).caused_by(self)
    }

    /// The same error with a cause.
    pub fn caused_by(self, source: impl StdError + Send + Sync + 'static) -> Error {
        Error { source: Some(Arc::new(source)), ..self }
    }

    /// The kind of the failure.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Whether the definition of done cannot be used: it is invalid, or the commit that it is read from does not exist.
    pub fn is_definition_error(&self) -> bool {
        matches!(self.kind, ErrorKind::Definition { .. } | ErrorKind::Usage)
    }

    /// The exit status of this kind.
    pub fn exit(&self) -> Exit {
        self.kind.exit()
    }
}

/// A copy, because `io::Error` is not `Clone` and the caller may still need it.
fn copy_of(source: &io::Error) -> io::Error {
    match source.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(source.kind(), source.to_string()),
    }
}

/// The text of the operating system without Rust's "(os error N)".
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

    fn one_of_every_kind() -> Vec<(Error, u8)> {
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
        for (error, status) in one_of_every_kind() {
            assert_eq!(error.exit() as u8, status, "{error:?}");
        }
    }

    #[test]
    fn error_texts_name_the_object_and_the_reason() {
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
        // A cause that is not a system call keeps its text.
        let error = Error::io("read", Path::new("x"), &io::Error::other("a link is there"));
        assert_eq!(error.source().map(ToString::to_string), Some("a link is there".into()));
        assert!(Error::usage("x").source().is_none());
    }
}
