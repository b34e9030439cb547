//! What a run is asked to do: the options, and the keys below `run` in DONE.md.

use crate::amount::Amount;
use review_gate::donefile::{Donefile, RunSpec};
use review_gate::git::Repository;
use review_gate::review::ask::{self, KNOWN};
use review_gate::snapshot::workspace;
use review_gate::store::record::RunStart;
use review_gate::store::state::State;
use review_gate::sys::env;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::files;
use review_gate::sys::ids;
use review_gate::sys::lock::{self, Lock};
use review_gate::sys::procfs;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest request, in bytes: it is an argument of rg-event.
const LONGEST_REQUEST: usize = 100_000;

/// The most rounds and minutes of a run.
const MOST: f64 = 100_000.0;

/// Where a run works.
pub struct Place {
    /// The root.
    pub root: PathBuf,
    /// The state directory.
    pub state: State,
    /// The definition of done as it is now; None if there is none.
    pub done: Option<Donefile>,
}

impl Place {
    /// The place of a directory. An invalid DONE.md is an error.
    pub fn of(dir: &Path) -> Result<Place> {
        let (root, found) = workspace::root_of(dir)?;
        let parse = |found: review_gate::donefile::FoundDonefile| {
            review_gate::donefile::parse(found.name, &found.bytes, &found.root)
        };
        Ok(Place { state: State::of(&root)?, done: found.map(parse).transpose()?, root })
    }

    /// The keys below `run` in DONE.md, or their defaults.
    pub fn spec(&self) -> RunSpec {
        self.done.as_ref().map(|done| done.run.clone()).unwrap_or_default()
    }

    /// The lock that lets one run work in the root.
    pub fn lock(&self, options: &Options) -> Result<Lock> {
        let path = self.state.run_lock(&self.root);
        self.state.make_parent(&path)?;
        let patience = if options.waits { Duration::from_secs(7 * 86_400) } else { Duration::from_millis(300) };
        let mut lock = lock::take(&path, patience).map_err(|error| match error.kind() {
            ErrorKind::Locked { .. } => {
                let holder = lock::holder(&path).map_or(String::new(), |holder| format!(" ({holder})"));
                error.with_text(format!(
                    "another run works in {}{holder}. Wait for it with `rg-run --lock`",
                    self.root.display()
                ))
            }
            _ => error,
        })?;
        lock.sign();
        Ok(lock)
    }
}

/// The parsed options.
#[derive(Default)]
pub struct Options {
    request: Option<String>,
    prompt_file: Option<PathBuf>,
    command: Vec<String>,
    builder: Option<String>,
    reviewer: Option<String>,
    model: Option<String>,
    effort: Option<String>,
    is_argument: bool,
    is_patch: bool,
    rounds: Option<u32>,
    minutes: Option<f64>,
    budget: Vec<Amount>,
    waits: bool,
    /// The run to continue.
    pub resume: Option<String>,
    /// Print what would be started.
    pub is_dry: bool,
    /// Print JSON.
    pub json: bool,
}

impl Options {
    /// Parses the command line.
    pub fn parse(args: &mut Args) -> Result<Options> {
        let mut options = Options::default();
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
                    "budget" => options.budget.push(Amount::parse(&args.value()?)?),
                    "builder" => options.builder = Some(args.value()?),
                    "dry-run" => options.is_dry = true,
                    "effort" => options.effort = Some(args.value()?),
                    "feedback" => options.is_argument = way(args)?,
                    "json" => options.json = true,
                    "lock" => options.waits = true,
                    "minutes" => options.minutes = Some(number(args, name)?),
                    "model" => options.model = Some(args.value()?),
                    "patch" => options.is_patch = true,
                    "prompt-file" => options.prompt_file = Some(PathBuf::from(args.value()?)),
                    "resume" => options.resume = Some(args.value()?),
                    "reviewer" => options.reviewer = Some(args.value()?),
                    "rounds" => options.rounds = Some(number(args, name)?.floor().max(1.0) as u32),
                    _ => return Err(args.unknown(&flag)),
                },
            }
        }
        if options.resume.is_some() {
            if options.is_set() {
                return Err(args.wrong("--resume continues a run as it began: only --json may stand beside it"));
            }
        } else if !options.command.is_empty() && (options.builder.is_some() || options.model.is_some()) {
            return Err(args.wrong("a command after -- is the builder: omit --builder and --model"));
        }
        if options.resume.is_none() && options.request.is_none() && options.prompt_file.is_none() {
            args.refuse_terminal("a request")?;
        }
        options.prompt_file = options.prompt_file.map(|path| args.dir().map(|dir| dir.join(path))).transpose()?;
        Ok(options)
    }

    /// Whether an option is set that a resumed run does not take.
    fn is_set(&self) -> bool {
        let texts = [&self.request, &self.builder, &self.reviewer, &self.model, &self.effort];
        texts.iter().any(|text| text.is_some())
            || self.prompt_file.is_some()
            || !self.command.is_empty()
            || self.rounds.is_some()
            || self.minutes.is_some()
            || !self.budget.is_empty()
            || self.is_argument
            || self.is_patch
            || self.is_dry
    }

    /// The first step of the run and the request.
    pub fn start(&self, place: &Place) -> Result<(RunStart, String)> {
        let request = self.request()?;
        let spec = place.spec();
        if place.done.is_none() && self.reviewer.is_none() {
            let what = "nothing can judge the work: there is no DONE.md";
            return Err(Error::usage(format!("{what}. Run `rg-init`, or require a review with --reviewer")));
        }
        if let Some(name) = &self.reviewer {
            let spec = place.done.as_ref().map(|done| done.ask.clone()).unwrap_or_default();
            ask::targets(&spec, std::slice::from_ref(name), false)?;
        }
        let agent = match (&self.builder, self.command.is_empty(), &spec.builder) {
            (_, false, _) => self.command.clone(),
            (Some(name), _, _) | (None, _, Some(name)) => agent_words(name),
            (None, _, None) => {
                let found = KNOWN.iter().find(|name| env::program(name).is_some());
                let none =
                    || Error::missing("no builder found: none of codex, gemini, claude is on PATH. Pass --builder");
                vec![found.ok_or_else(none)?.to_string()]
            }
        };
        let is_own = self.builder.is_none() && self.command.is_empty();
        let own = |value: Option<String>| value.filter(|_| is_own);
        let limit = |of: fn(&Amount) -> Option<f64>| self.budget.iter().filter_map(of).reduce(f64::min);
        let run = ids::ulid(&["run", &place.root.to_string_lossy(), &procfs::own_pid().to_string()]);
        let start = RunStart {
            run: run_id(run),
            root: place.root.clone(),
            request: String::new(),
            agent,
            model: self.model.clone().or(own(spec.model)),
            effort: self.effort.clone().or(own(spec.effort)),
            reviewer: self.reviewer.clone(),
            patch: self.is_patch,
            base: base(&place.root),
            argument: self.is_argument,
            rounds: self.rounds.or(spec.rounds),
            minutes: self.minutes.unwrap_or(spec.minutes),
            tokens: limit(Amount::tokens).map(|tokens| tokens as u64).or(spec.tokens),
            cost: limit(Amount::cost).or(spec.cost),
        };
        crate::agent::Builder::of(&start)?;
        Ok((start, request))
    }

    /// The request: the operand, the file, or standard input.
    fn request(&self) -> Result<String> {
        let text = match (&self.request, &self.prompt_file) {
            (Some(_), Some(_)) => return Err(Error::usage("pass a request or --prompt-file, not both")),
            (Some(text), None) => text.clone(),
            (None, Some(path)) => {
                let bytes = files::read_following(path, LONGEST_REQUEST as u64)?;
                let bytes = bytes.ok_or_else(|| Error::usage(format!("no such file: {}", path.display())))?;
                String::from_utf8(bytes).map_err(|_| Error::usage(format!("{} is not UTF-8", path.display())))?
            }
            (None, None) => pipes::read_text(LONGEST_REQUEST, None)?,
        };
        match text.trim() {
            "" => Err(Error::usage("the request is empty")),
            text if text.len() > LONGEST_REQUEST => {
                Err(Error::usage(format!("the request exceeds {LONGEST_REQUEST} bytes: name a file in it")))
            }
            text if text.contains('\0') => Err(Error::usage("the request contains a NUL")),
            text => Ok(text.to_string()),
        }
    }
}

/// The commit whose DONE.md says which files a patch may change; None if there is none.
fn base(root: &Path) -> Option<String> {
    let head = Repository::find(root)?.head()?;
    workspace::donefile_of(root, &head).ok()?.map(|_| head)
}

/// A run's id names its session, which no client's session may have.
fn run_id(ulid: String) -> String {
    format!("run-{ulid}")
}

/// The words of a builder: a known program by its name, anything else as a shell command.
fn agent_words(name: &str) -> Vec<String> {
    match KNOWN.contains(&name) {
        true => vec![name.to_string()],
        false => ["sh", "-c", name].map(str::to_string).to_vec(),
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

fn number(args: &mut Args, name: &str) -> Result<f64> {
    let word = args.value()?;
    let number = word.parse().ok().filter(|n: &f64| *n > 0.0 && *n <= MOST);
    number.ok_or_else(|| args.wrong(&format!("--{name} needs a number above 0: {word:?}")))
}
