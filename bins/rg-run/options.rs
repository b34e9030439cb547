//! The command line of rg-run.

use crate::amount::Limits;
use review_gate::store::record::Each;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The longest request, in bytes: it is an argument of rg-event.
const LONGEST_REQUEST: usize = 100_000;

/// The longest list of requests, in bytes.
const LONGEST_LIST: usize = 4 << 20;

/// The most rounds and minutes of a run.
const MOST: f64 = 100_000.0;

/// The most runs that work at the same time.
const MOST_PARALLEL: f64 = 64.0;

/// The options that describe a run. A resumed run takes none of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The operand.
    request: Option<String>,
    /// `--prompt-file`
    prompt_file: Option<PathBuf>,
    /// The command after `--`.
    pub command: Vec<String>,
    /// `--builder`
    pub builder: Option<String>,
    /// `--model`
    pub model: Option<String>,
    /// `--effort`
    pub effort: Option<String>,
    /// `--reviewer`
    pub reviewer: Option<String>,
    /// `--reviewer-model`
    pub reviewer_model: Option<String>,
    /// `--reviewer-effort`
    pub reviewer_effort: Option<String>,
    /// `--feedback argument`
    pub is_argument: bool,
    /// `--patch`
    pub is_patch: bool,
    /// `--step`
    pub is_stepwise: bool,
    /// `--rounds`
    pub rounds: Option<u32>,
    /// `--minutes`
    pub minutes: Option<f64>,
    /// `--budget`
    pub budget: Limits,
    /// `--branch`
    pub branch: Option<String>,
    /// `--land`
    pub lands: bool,
    /// `--each`
    pub each: Option<Each>,
    /// `--parallel`
    pub parallel: Option<u32>,
    /// `--dry-run`
    pub is_dry: bool,
}

/// What the command line asks for.
pub enum Asked {
    /// A new run, or a batch of them.
    New(Box<Options>),
    /// To continue the run or the batch of that id.
    Resume(String),
}

/// How it is done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// `--lock`
    pub waits: bool,
    /// `--json`
    pub json: bool,
}

/// Parses the command line.
pub fn parse(args: &mut Args) -> Result<(Asked, Manner)> {
    let (mut options, mut manner, mut resume) = (Options::default(), Manner::default(), None);
    loop {
        if let Some(words) = args.words_after_dashes() {
            options.command = words.into_iter().map(text_of).collect::<Result<_>>()?;
            if options.command.is_empty() {
                return Err(args.wrong("-- needs a command"));
            }
            break;
        }
        let Some(flag) = args.flag()? else { break };
        match &flag {
            Flag::Operand(word) if options.request.is_none() => options.request = Some(word.clone()),
            Flag::Operand(_) => return Err(args.unknown(&flag)),
            Flag::Long(name) => match name.as_str() {
                "branch" => options.branch = Some(args.value()?),
                "budget" => options.budget.add(&args.value()?)?,
                "builder" => options.builder = Some(args.value()?),
                "dry-run" => options.is_dry = true,
                "each" => options.each = Some(each(args)?),
                "effort" => options.effort = Some(args.value()?),
                "feedback" => options.is_argument = way(args)?,
                "json" => manner.json = true,
                "land" => options.lands = true,
                "lock" => manner.waits = true,
                "minutes" => options.minutes = Some(number(args, name, MOST)?),
                "model" => options.model = Some(args.value()?),
                "parallel" => options.parallel = Some(whole(args, name, MOST_PARALLEL)?),
                "patch" => options.is_patch = true,
                "prompt-file" => options.prompt_file = Some(PathBuf::from(args.value()?)),
                "resume" => resume = Some(args.value()?),
                "reviewer" => options.reviewer = Some(args.value()?),
                "reviewer-effort" => options.reviewer_effort = Some(args.value()?),
                "reviewer-model" => options.reviewer_model = Some(args.value()?),
                "rounds" => options.rounds = Some(whole(args, name, MOST)?),
                "step" => options.is_stepwise = true,
                _ => return Err(args.unknown(&flag)),
            },
        }
    }
    if let Some(id) = resume {
        if options != Options::default() {
            return Err(args.wrong("--resume continues a run as it began: only --json and --lock may stand beside it"));
        }
        return Ok((Asked::Resume(id), manner));
    }
    options.require_consistent(args)?;
    options.prompt_file = options.prompt_file.map(|path| args.dir().map(|dir| dir.join(path))).transpose()?;
    Ok((Asked::New(Box::new(options)), manner))
}

impl Options {
    /// Makes the path of a program absolute that is relative to the directory of the user: the agent starts in the root.
    pub fn find_program(&mut self, dir: &Path) {
        if let Some(program) = self.command.first_mut().filter(|program| program.contains('/')) {
            let path = dir.join(&program);
            if let Some(path) = path.to_str().filter(|_| path.is_file()) {
                *program = path.to_string();
            }
        }
    }

    fn require_consistent(&self, args: &Args) -> Result<()> {
        if !self.command.is_empty() && (self.builder.is_some() || self.model.is_some()) {
            return Err(args.wrong("a command after -- is the builder: omit --builder and --model"));
        }
        if self.reviewer.is_none() && (self.reviewer_model.is_some() || self.reviewer_effort.is_some()) {
            return Err(args.wrong("--reviewer-model and --reviewer-effort need --reviewer"));
        }
        if self.parallel.is_some() && self.each.is_none() {
            return Err(args.wrong("--parallel needs --each"));
        }
        if self.each.is_some() && self.branch.is_some() {
            return Err(args.wrong("--each makes a branch for each item: omit --branch"));
        }
        if self.is_stepwise && !self.is_patch {
            return Err(args.wrong("--step needs --patch: only a patch can be seen before it is applied"));
        }
        if self.is_stepwise && self.each.is_some() {
            return Err(args.wrong("--step shows the patches of one run: omit --each"));
        }
        if self.is_stepwise && !self.is_dry {
            args.require_user("--step")?;
        }
        if self.each == Some(Each::Issue) {
            return match self.request.is_some() || self.prompt_file.is_some() {
                true => Err(args.wrong("--each issue takes the requests from the issues: omit the request")),
                false => Ok(()),
            };
        }
        if self.request.is_none() && self.prompt_file.is_none() {
            args.refuse_terminal(if self.each.is_some() { "the lines" } else { "a request" })?;
        }
        Ok(())
    }

    /// The request: the operand, the file, or standard input. For `--each line`, all lines.
    pub fn request(&self) -> Result<String> {
        let longest = if self.each == Some(Each::Line) { LONGEST_LIST } else { LONGEST_REQUEST };
        let text = match (&self.request, &self.prompt_file) {
            (Some(_), Some(_)) => return Err(Error::usage("pass a request or --prompt-file, not both")),
            (Some(text), None) => text.clone(),
            (None, Some(path)) => {
                let bytes = files::read_following(path, longest as u64)?;
                let bytes = bytes.ok_or_else(|| Error::usage(format!("no such file: {}", path.display())))?;
                String::from_utf8(bytes).map_err(|_| Error::usage(format!("{} is not UTF-8", path.display())))?
            }
            (None, None) => pipes::read_text(longest, None)?,
        };
        match text.trim() {
            "" => Err(Error::usage("the request is empty")),
            text if text.len() > longest => {
                Err(Error::usage(format!("the request exceeds {longest} bytes: name a file in it")))
            }
            text if text.contains('\0') => Err(Error::usage("the request contains a NUL")),
            text if self.each.is_some() && text.lines().any(|line| line.len() > LONGEST_REQUEST) => {
                Err(Error::usage(format!("a line exceeds {LONGEST_REQUEST} bytes")))
            }
            text => Ok(text.to_string()),
        }
    }
}

fn text_of(word: OsString) -> Result<String> {
    word.into_string().map_err(|word| Error::usage(format!("not UTF-8: {}", word.to_string_lossy())))
}

/// The value of `--feedback`: whether the prompt is an argument.
fn way(args: &mut Args) -> Result<bool> {
    match args.value()?.as_str() {
        "argument" => Ok(true),
        "stdin" => Ok(false),
        word => Err(args.wrong(&format!("--feedback must be stdin or argument, not {word:?}"))),
    }
}

fn each(args: &mut Args) -> Result<Each> {
    match args.value()?.as_str() {
        "issue" => Ok(Each::Issue),
        "line" => Ok(Each::Line),
        word => Err(args.wrong(&format!("--each must be issue or line, not {word:?}"))),
    }
}

fn number(args: &mut Args, name: &str, most: f64) -> Result<f64> {
    let word = args.value()?;
    let number = word.parse().ok().filter(|n: &f64| *n > 0.0 && *n <= most);
    number.ok_or_else(|| args.wrong(&format!("--{name} needs a number above 0 and at most {most}: {word:?}")))
}

/// A number of at least 1. Part of one counts as one, and more than one is rounded down.
fn whole(args: &mut Args, name: &str, most: f64) -> Result<u32> {
    Ok(number(args, name, most)?.floor().max(1.0) as u32)
}
