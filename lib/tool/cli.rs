//! The command line that all tools share: `-C`, `--help`, `--version`, errors in one line, the exit status.

use crate::sys::error::{Error, ErrorKind, Result};
use crate::sys::exit::Exit;
use crate::tool::pipes;
use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What a tool says of itself.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line; the same words as in its manual's NAME.
    pub about: &'static str,
    /// Its synopsis, the same lines as in its manual.
    pub usage: &'static str,
}

/// The version of all tools.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs a tool: parses, works, says what went wrong in one line, and chooses the status.
pub fn main(tool: &'static Tool, run: impl FnOnce(&mut Args) -> Result<Exit>) -> ExitCode {
    let mut args = Args { tool, parser: Parser::from_env(), dir: None };
    match run(&mut args) {
        Ok(exit) => exit.into(),
        Err(error) if *error.kind() == ErrorKind::Help => match pipes::write(error.to_string().as_bytes()) {
            Ok(()) => error.exit().into(),
            Err(_) => Exit::Unjudged.into(),
        },
        Err(error) => {
            complain(tool, &error.to_string());
            error.exit().into()
        }
    }
}

/// One line for people on standard error. That it cannot be written changes nothing.
pub fn complain(tool: &Tool, text: &str) {
    let _ = writeln!(io::stderr(), "{}: {text}", tool.name);
}

/// A line about work in progress, where a person looks at standard error and nowhere else.
pub fn progress(text: &str) {
    if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// The arguments of one call.
pub struct Args {
    /// The tool that was called.
    pub tool: &'static Tool,
    parser: Parser,
    dir: Option<PathBuf>,
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `--name`
    Long(String),
    /// A word that is no option.
    Operand(String),
}

/// One argument as it came.
enum Word {
    Long(String),
    Operand(OsString),
}

impl Args {
    /// The next argument, where operands are paths: of any bytes.
    pub fn flag_or_path(&mut self) -> Result<Option<std::result::Result<Flag, PathBuf>>> {
        Ok(match self.next()? {
            None => None,
            Some(Word::Long(name)) => Some(Ok(Flag::Long(name))),
            Some(Word::Operand(word)) => Some(Err(PathBuf::from(word))),
        })
    }

    /// The next argument. `--help` and `--version` are answered, `-C DIR` is taken in, on the way; short options other
    /// than these there are none.
    pub fn flag(&mut self) -> Result<Option<Flag>> {
        Ok(match self.next()? {
            None => None,
            Some(Word::Long(name)) => Some(Flag::Long(name)),
            Some(Word::Operand(word)) => Some(Flag::Operand(word.string()?)),
        })
    }

    fn next(&mut self) -> Result<Option<Word>> {
        loop {
            let flag = match self.parser.next()? {
                None => return Ok(None),
                Some(Arg::Short('h') | Arg::Long("help")) => return Err(self.help()),
                Some(Arg::Short('V') | Arg::Long("version")) => {
                    return Err(Error::help(format!("{} {VERSION}\n", self.tool.name)));
                }
                Some(Arg::Short('C')) => {
                    self.dir = Some(PathBuf::from(self.parser.value()?));
                    continue;
                }
                Some(Arg::Long(name)) => Word::Long(name.to_string()),
                Some(Arg::Value(word)) => Word::Operand(word),
                Some(Arg::Short(c)) => return Err(self.wrong(&format!("unknown option -{c}"))),
            };
            return Ok(Some(flag));
        }
    }

    /// The first argument, when it is one of `verbs`.
    pub fn verb(&mut self, verbs: &[&'static str]) -> Result<Option<&'static str>> {
        let first = self.parser.try_raw_args().and_then(|raw| raw.peek().map(|word| word.to_os_string()));
        let Some(word) = first else { return Ok(None) };
        match verbs.iter().find(|verb| **verb == word) {
            Some(verb) => {
                self.flag()?;
                Ok(Some(verb))
            }
            None => Ok(None),
        }
    }

    /// The value of the option that came last.
    pub fn value(&mut self) -> Result<String> {
        Ok(self.parser.value()?.string()?)
    }

    /// Refuses a verb that only a person may say: in an agent's shell, and where no terminal is.
    pub fn by_a_person(&self, verb: &str) -> Result<()> {
        if crate::sys::env::is_below_agent() {
            return Err(Error::usage(format!("{verb} is for a person: this is an agent's shell")));
        }
        if !io::stdin().is_terminal() {
            return Err(Error::usage(format!("{verb} is for a person at a terminal: standard input is none")));
        }
        Ok(())
    }

    /// A usage error about `flag`.
    pub fn unknown(&self, flag: &Flag) -> Error {
        match flag {
            Flag::Long(name) => self.wrong(&format!("unknown option --{name}")),
            Flag::Operand(word) => self.wrong(&format!("unexpected operand {word:?}")),
        }
    }

    /// A usage error, with where to look.
    pub fn wrong(&self, text: &str) -> Error {
        Error::usage(format!("{text} (see {} --help)", self.tool.name))
    }

    /// The directory that was named with `-C`, else the current one; its real path.
    pub fn dir(&self) -> Result<PathBuf> {
        let here = Path::new(".");
        let dir = self.dir.as_deref().unwrap_or(here);
        // The kernel's own word for where we are is a real path already.
        let found = if dir == here { std::env::current_dir() } else { std::fs::canonicalize(dir) };
        found.map_err(|e| Error::io("enter", dir, &e))
    }

    fn help(&self) -> Error {
        let Tool { name, about, usage } = self.tool;
        let mut lines = usage.lines();
        let mut text = format!("usage: {}\n", lines.next().unwrap_or(name));
        for line in lines {
            text.push_str(&format!("       {line}\n"));
        }
        Error::help(format!("{text}\n{name}: {about}. Manual: {name}(1).\n"))
    }
}
