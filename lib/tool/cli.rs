//! The command line that all tools share: `-C`, `--help`, `--version`, one line for an error, the exit status.

use crate::sys::error::{Error, ErrorKind, Result};
use crate::sys::exit::Exit;
use crate::tool::{completion, pipes};
use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub use crate::tool::description::{Form, Opt, Tool};

/// The version of all tools.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs a tool, prints an error in one line and returns the exit status.
pub fn main(tool: &'static Tool, run: impl FnOnce(&mut Args) -> Result<Exit>) -> ExitCode {
    let mut args = Args { tool, parser: Parser::from_env(), dir: None, verb: "", pending: None };
    match run(&mut args) {
        Ok(exit) => exit.into(),
        Err(error) if *error.kind() == ErrorKind::Help => match pipes::write(error.to_string().as_bytes()) {
            Ok(()) => error.exit().into(),
            // A reader that has seen enough, such as head(1), needs no message.
            Err(failed) if *failed.kind() == ErrorKind::Disconnected => failed.exit().into(),
            Err(failed) => {
                print_error(tool, &failed.to_string());
                failed.exit().into()
            }
        },
        Err(error) => {
            print_error(tool, &error.to_string());
            error.exit().into()
        }
    }
}

/// Prints one line on standard error, in one write, so that it does not mix with the line of another program. A failed write is ignored.
pub fn print_error(tool: &Tool, text: &str) {
    let line = format!("{}: {text}\n", tool.name);
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Prints lines that have a form of their own on standard error, in one write. A failed write is ignored.
pub fn print_report(lines: &[u8]) {
    let _ = io::stderr().write_all(lines);
}

/// Prints a line about progress if standard error is a terminal.
pub fn progress(text: &str) {
    if is_stderr_terminal() {
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// Whether standard error is a terminal.
pub(super) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

/// The columns of the terminal on standard error, if it reports them.
pub(super) fn stderr_width() -> Option<usize> {
    rustix::termios::tcgetwinsize(rustix::stdio::stderr()).ok().map(|size| size.ws_col.into())
}

/// Replaces the line at the cursor of the terminal on standard error, in one write.
pub(super) fn rewrite_line(text: &str) {
    let _ = io::stderr().write_all(format!("\r{text}\u{1b}[K").as_bytes());
}

/// The arguments of one call.
pub struct Args {
    /// The tool that was called.
    pub tool: &'static Tool,
    parser: Parser,
    dir: Option<PathBuf>,
    verb: &'static str,
    /// A word that was read in search of a verb, and is not one.
    pending: Option<Word>,
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `--name`
    Long(String),
    /// A word that is not an option.
    Operand(String),
}

/// One argument before its text is validated.
enum Word {
    Long(String),
    Operand(OsString),
}

impl Args {
    /// The next argument, for tools whose operands are paths, which may contain any bytes.
    pub fn flag_or_path(&mut self) -> Result<Option<std::result::Result<Flag, PathBuf>>> {
        Ok(match self.next()? {
            None => None,
            Some(Word::Long(name)) => Some(Ok(Flag::Long(name))),
            Some(Word::Operand(word)) => Some(Err(PathBuf::from(word))),
        })
    }

    /// The next argument. Handles `--help`, `--version`, `--completion` and `-C DIR`. An option that the tool's description does not
    /// name is a usage error.
    pub fn flag(&mut self) -> Result<Option<Flag>> {
        Ok(match self.next()? {
            None => None,
            Some(Word::Long(name)) => Some(Flag::Long(name)),
            Some(Word::Operand(word)) => Some(Flag::Operand(word.string()?)),
        })
    }

    fn next(&mut self) -> Result<Option<Word>> {
        if let Some(word) = self.pending.take() {
            return Ok(Some(word));
        }
        loop {
            let word = match self.parser.next()? {
                None => return Ok(None),
                Some(Arg::Short('h') | Arg::Long("help")) => return Err(Error::help(self.tool.help())),
                Some(Arg::Short('V') | Arg::Long("version")) => {
                    return Err(Error::help(format!("{} {VERSION}\n", self.tool.name)));
                }
                Some(Arg::Long("completion")) => return Err(self.completion()?),
                Some(Arg::Short('C')) => {
                    self.dir = Some(PathBuf::from(self.parser.value()?));
                    continue;
                }
                // The one short form that a tool shares with git.
                Some(Arg::Short('m')) if self.tool.takes(self.verb, "message") => Word::Long("message".to_string()),
                Some(Arg::Long(name)) if self.tool.takes(self.verb, name) => Word::Long(name.to_string()),
                Some(Arg::Long(name)) => {
                    let dashed = format!("--{name}");
                    return Err(self.unknown_option(&dashed));
                }
                Some(Arg::Value(word)) => Word::Operand(word),
                Some(Arg::Short(c)) => return Err(self.unknown_option(&format!("-{c}"))),
            };
            return Ok(Some(word));
        }
    }

    /// The verb; empty if none was given and the tool works without one.
    pub fn verb(&mut self) -> Result<&'static str> {
        let needs_verb = self.tool.forms_of("").next().is_none();
        let word = self.next()?;
        if let Some(Word::Operand(word)) = &word {
            if let Some(form) = self.tool.verbs().find(|form| *word == form.verb) {
                self.verb = form.verb;
                return Ok(form.verb);
            }
            if self.tool.forms_of("").all(|form| form.operands.is_empty()) {
                return Err(self.unknown_verb(&word.to_string_lossy()));
            }
        }
        if needs_verb {
            return Err(Error::usage(format!("no verb. Verbs: {}", self.tool.verb_names())));
        }
        self.pending = word;
        Ok("")
    }

    /// A usage error about a verb that the tool does not have.
    pub fn unknown_verb(&self, verb: &str) -> Error {
        Error::usage(format!("unknown verb {verb:?}. Verbs: {}", self.tool.verb_names()))
    }

    fn unknown_option(&self, option: &str) -> Error {
        if self.verb.is_empty() && self.tool.forms_of("").next().is_none() {
            return Error::usage(format!("no verb before {option}. Verbs: {}", self.tool.verb_names()));
        }
        let of = if self.verb.is_empty() { String::new() } else { format!(" of {}", self.verb) };
        let known: String = self.tool.options_of(self.verb).map(|option| format!(", --{}", option.name)).collect();
        Error::usage(format!("unknown option {option}. Options{of}: -C{known}, --help, --version"))
    }

    /// The completion script for the shell that the option names.
    fn completion(&mut self) -> Result<Error> {
        let shell = self.value()?;
        match completion::script(self.tool, &shell) {
            Some(script) => Ok(Error::help(script)),
            None => Err(self.wrong(&format!("unknown shell {shell:?}: use bash, zsh or fish"))),
        }
    }

    /// Returns a usage error if standard input is a terminal, because no user types `what`.
    pub fn refuse_terminal(&self, what: &str) -> Result<()> {
        if io::stdin().is_terminal() {
            let hint = self.tool.hint;
            return Err(Error::usage(format!("reads {what} on standard input; did you mean `{hint}`?")));
        }
        Ok(())
    }

    /// All further words as they are, for the program that they are meant for.
    pub fn rest(&mut self) -> Result<Vec<OsString>> {
        Ok(self.parser.raw_args()?.collect())
    }

    /// The words after `--`, if it comes next.
    pub fn words_after_dashes(&mut self) -> Option<Vec<OsString>> {
        let words = self.parser.try_raw_args()?;
        words.peek().filter(|word| *word == "--")?;
        Some(words.skip(1).collect())
    }

    /// The value of the last option.
    pub fn value(&mut self) -> Result<String> {
        Ok(self.parser.value()?.string()?)
    }

    /// Refuses a verb that only the user may run: in an agent's shell, and without a terminal.
    pub fn require_user(&self, verb: &str) -> Result<()> {
        if crate::sys::env::is_below_agent() {
            return Err(Error::usage(format!("{verb} is only for the user: this is an agent's shell")));
        }
        if !io::stdin().is_terminal() {
            return Err(Error::usage(format!(
                "{verb} is only for the user at a terminal: standard input is not a terminal"
            )));
        }
        Ok(())
    }

    /// A usage error about `flag`.
    pub fn unknown(&self, flag: &Flag) -> Error {
        match flag {
            Flag::Long(name) => self.unknown_option(&format!("--{name}")),
            Flag::Operand(word) => {
                let verbs = self.tool.verb_names();
                let known =
                    if self.verb.is_empty() && !verbs.is_empty() { format!(". Verbs: {verbs}") } else { String::new() };
                self.wrong(&format!("unexpected operand {word:?}{known}"))
            }
        }
    }

    /// A usage error that refers to `--help`.
    pub fn wrong(&self, text: &str) -> Error {
        Error::usage(format!("{text} (see {} --help)", self.tool.name))
    }

    /// The real path of the directory of `-C`; default the current one.
    pub fn dir(&self) -> Result<PathBuf> {
        let here = Path::new(".");
        let dir = self.dir.as_deref().unwrap_or(here);
        // The kernel's path of the current directory is already a real path.
        let found = if dir == here { std::env::current_dir() } else { std::fs::canonicalize(dir) };
        found.map_err(|e| Error::io("enter", dir, &e))
    }

    /// The same for the hook of a client, whose payload names its directory: `/` if the current directory was removed.
    pub fn dir_of_hook(&self) -> Result<PathBuf> {
        match self.dir {
            None => Ok(std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))),
            Some(_) => self.dir(),
        }
    }
}
