//! The options and operands of all verbs, and the talk directory that they mean.

use review_gate::git::Repository;
use review_gate::sys::clock::{self, Time};
use review_gate::sys::error::Result;
use review_gate::talk::directory::TalkDir;
use review_gate::tool::cli::{Args, Flag};
use std::path::PathBuf;

/// How many messages are printed by default.
const LIMIT: usize = 20;

/// What was asked for. Each verb takes some of it; the command line refuses the rest.
#[derive(Default)]
pub struct Options {
    pub operands: Vec<String>,
    pub all: bool,
    pub json: bool,
    pub quiet: bool,
    pub limit: Option<usize>,
    pub name: Option<String>,
    pub role: Option<String>,
    pub model: Option<String>,
    pub message: Option<String>,
    pub file: Option<PathBuf>,
    pub from: Option<String>,
    pub since: Option<Time>,
    pub timeout: Option<f64>,
    pub topic: Option<String>,
}

impl Options {
    /// Reads the rest of the command line.
    pub fn parse(args: &mut Args) -> Result<Options> {
        let mut options = Options::default();
        while let Some(flag) = args.flag()? {
            match flag {
                Flag::Long(name) if name == "all" => options.all = true,
                Flag::Long(name) if name == "as" => options.name = Some(named(args)?),
                Flag::Long(name) if name == "file" => options.file = Some(args.value()?.into()),
                Flag::Long(name) if name == "from" => options.from = Some(args.value()?),
                Flag::Long(name) if name == "json" => options.json = true,
                Flag::Long(name) if name == "limit" => options.limit = Some(number(args)?),
                Flag::Long(name) if name == "message" => options.message = Some(args.value()?),
                Flag::Long(name) if name == "model" => options.model = Some(named(args)?),
                Flag::Long(name) if name == "quiet" => options.quiet = true,
                Flag::Long(name) if name == "role" => options.role = Some(named(args)?),
                Flag::Long(name) if name == "since" => options.since = Some(time(args)?),
                Flag::Long(name) if name == "timeout" => options.timeout = Some(seconds(args)?),
                Flag::Long(name) if name == "topic" => options.topic = Some(args.value()?),
                Flag::Operand(word) => options.operands.push(word),
                flag => return Err(args.unknown(&flag)),
            }
        }
        match () {
            _ if options.all && options.limit.is_some() => Err(args.wrong("use --all or --limit")),
            _ if options.file.is_some() && options.message.is_some() => Err(args.wrong("use --file or --message")),
            _ => Ok(options),
        }
    }

    /// The only operand.
    pub fn operand(&self, args: &Args, what: &str) -> Result<&str> {
        match &self.operands[..] {
            [only] => Ok(only),
            [] => Err(args.wrong(&format!("no {what}"))),
            [_, extra, ..] => Err(args.wrong(&format!("unexpected operand {extra:?}"))),
        }
    }

    /// Refuses operands.
    pub fn no_operand(&self, args: &Args) -> Result<()> {
        match self.operands.first() {
            None => Ok(()),
            Some(extra) => Err(args.wrong(&format!("unexpected operand {extra:?}"))),
        }
    }

    /// How many messages to print.
    pub fn count(&self) -> usize {
        if self.all { usize::MAX } else { self.limit.unwrap_or(LIMIT) }
    }
}

/// The talk directory and the repository of the directory of `-C`.
pub fn place(args: &Args) -> Result<(TalkDir, Option<Repository>)> {
    let dir = args.dir()?;
    let repository = Repository::find(&dir);
    Ok((TalkDir::of(&dir, repository.as_ref())?, repository))
}

fn named(args: &mut Args) -> Result<String> {
    let value = args.value()?;
    if value.is_empty() { Err(args.wrong("a name is empty")) } else { Ok(value) }
}

fn number(args: &mut Args) -> Result<usize> {
    let value = args.value()?;
    let number = value.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| args.wrong(&format!("--limit {value:?} is not a number above 0")))
}

fn time(args: &mut Args) -> Result<Time> {
    let value = args.value()?;
    let ago = || clock::parse_duration(&value).map(|seconds| clock::now().plus(-seconds));
    let time = Time::parse(&value).or_else(ago);
    time.ok_or_else(|| args.wrong(&format!("--since {value:?} is neither a time nor a duration such as 2h")))
}

fn seconds(args: &mut Args) -> Result<f64> {
    let value = args.value()?;
    // A longer wait than a year is not meant.
    let seconds = clock::parse_duration(&value).filter(|seconds| *seconds <= 366.0 * clock::DAY);
    seconds
        .ok_or_else(|| args.wrong(&format!("--timeout {value:?} is not a duration such as 30s, of at most 366 days")))
}
