//! The options and operands of all verbs, and the issues that they mean.

use review_gate::git::Repository;
use review_gate::sys::clock;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::user;
use review_gate::talk::directory::TalkDir;
use review_gate::talk::issue::change::{Holder, PRIORITIES, Status};
use review_gate::talk::issue::store::Store;
use review_gate::tool::cli::{Args, Flag};
use std::path::PathBuf;

/// What was asked for. Each verb takes some of it; the command line refuses the rest.
#[derive(Default)]
pub struct Options {
    pub operands: Vec<String>,
    pub all: bool,
    pub dry_run: bool,
    pub force: bool,
    pub json: bool,
    pub quiet: bool,
    pub remove: bool,
    pub limit: Option<usize>,
    pub fence: Option<u64>,
    pub priority: Option<u8>,
    pub name: Option<String>,
    pub commit: Option<String>,
    pub message: Option<String>,
    pub title: Option<String>,
    pub file: Option<PathBuf>,
    pub lease: Option<f64>,
    pub age: Option<f64>,
    pub status: Option<Status>,
    pub tags: Vec<String>,
}

impl Options {
    /// Reads the rest of the command line.
    pub fn parse(args: &mut Args) -> Result<Options> {
        let mut options = Options::default();
        while let Some(flag) = args.flag()? {
            let name = match flag {
                Flag::Long(name) => name,
                Flag::Operand(word) => {
                    options.operands.push(word);
                    continue;
                }
            };
            match name.as_str() {
                "all" => options.all = true,
                "as" => options.name = Some(word(args, "a name")?),
                "commit" => options.commit = Some(word(args, "the commit")?),
                "dry-run" => options.dry_run = true,
                "fence" => options.fence = Some(number(args, "fence", 1, u64::MAX)?),
                "file" => options.file = Some(args.value()?.into()),
                "for" => options.lease = Some(duration(args, "for")?),
                "force" => options.force = true,
                "json" => options.json = true,
                "limit" => options.limit = Some(number(args, "limit", 1, u64::MAX)? as usize),
                "message" => options.message = Some(args.value()?),
                "older-than" => options.age = Some(duration(args, "older-than")?),
                "priority" => {
                    let (first, last) = (u64::from(*PRIORITIES.start()), u64::from(*PRIORITIES.end()));
                    options.priority = Some(number(args, "priority", first, last)? as u8);
                }
                "quiet" => options.quiet = true,
                "remove" => options.remove = true,
                "status" => {
                    let value = args.value()?;
                    options.status = Some(status(args, &value)?);
                }
                "tag" => options.tags.push(word(args, "a tag")?),
                "title" => options.title = Some(args.value()?),
                _ => return Err(args.unknown(&Flag::Long(name))),
            }
        }
        match options.file.is_some() && options.message.is_some() {
            true => Err(args.wrong("use --file or --message")),
            false => Ok(options),
        }
    }

    /// The operands, of which there must be as many as names.
    pub fn operands<const N: usize>(&self, args: &Args, names: [&str; N]) -> Result<[&str; N]> {
        if let Some(missing) = names.get(self.operands.len()) {
            return Err(args.wrong(&format!("no {missing}")));
        }
        match self.operands.get(N) {
            Some(extra) => Err(args.wrong(&format!("unexpected operand {extra:?}"))),
            None => Ok(std::array::from_fn(|at| self.operands[at].as_str())),
        }
    }

    /// An error if an agent of rg-run uses `--force`: its issue is claimed by the batch, which decides how it ends.
    pub fn require_force_of_user(&self) -> Result<()> {
        match self.force && env::is_in_run() {
            true => Err(Error::refused("--force is for the user: the run that started you decides how its issue ends")),
            false => Ok(()),
        }
    }

    /// Who makes the change.
    pub fn holder(&self) -> Holder {
        Holder { from: self.name.clone().unwrap_or_else(user::sender), session: env::client_session() }
    }
}

/// The issues of the directory of `-C`.
pub fn store(args: &Args) -> Result<Store> {
    let dir = args.dir()?;
    TalkDir::of(&dir, Repository::find(&dir).as_ref()).map(Store::of)
}

/// The status of that word.
pub fn status(args: &Args, word: &str) -> Result<Status> {
    let words = Status::ALL.map(Status::word).join(", ");
    Status::named(word).ok_or_else(|| args.wrong(&format!("unknown status {word:?}: use one of {words}")))
}

fn word(args: &mut Args, what: &str) -> Result<String> {
    let value = args.value()?;
    match value.trim().is_empty() || value.contains('\n') {
        true => Err(args.wrong(&format!("{what} is empty or has several lines"))),
        false => Ok(value),
    }
}

fn number(args: &mut Args, name: &str, first: u64, last: u64) -> Result<u64> {
    let value = args.value()?;
    let number = value.parse().ok().filter(|number| (first..=last).contains(number));
    let range =
        if last == u64::MAX { format!("a number from {first}") } else { format!("a number from {first} to {last}") };
    number.ok_or_else(|| args.wrong(&format!("--{name} {value:?} is not {range}")))
}

fn duration(args: &mut Args, name: &str) -> Result<f64> {
    let value = args.value()?;
    let seconds = clock::parse_duration(&value);
    seconds.ok_or_else(|| args.wrong(&format!("--{name} {value:?} is not a duration such as 30m, 2h or 7d")))
}
