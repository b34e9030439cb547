//! Compares the decisions of two sets of programs over the same inputs.
//!
//! A refactoring changes names and shapes. To show that nothing else changed, the programs from before and after run over every
//! transcript, capture and labelled case, and their statuses, replies, event lines and state files are compared.

mod cases;
mod files;
mod hooks;
mod inputs;
mod meaning;
mod terms;
#[cfg(test)]
mod tests;
mod tokens;

use crate::place::{Place, Said, Set};
use crate::stage::say;
use crate::{Failure, parallel, plugin};
use std::fs;
use std::path::{Path, PathBuf};
use tokens::Pairs;
use xshell::{Shell, cmd};

/// Runs one job with one set of programs. The returned runs are compared one by one.
type Play = Box<dyn Fn(&Place) -> Result<Vec<Run>, Failure> + Send + Sync>;

/// A job: runs that share a scratch place.
pub struct Job {
    name: String,
    play: Play,
}

impl Job {
    fn new(name: String, play: impl Fn(&Place) -> Result<Vec<Run>, Failure> + Send + Sync + 'static) -> Job {
        Job { name, play: Box::new(play) }
    }
}

/// A part of the result of a run.
#[derive(Clone, PartialEq, Eq)]
struct Part {
    name: String,
    text: String,
    /// Whether it is an event line between two stages.
    is_line: bool,
}

/// One input and the results of one set.
#[derive(Default)]
pub struct Run {
    input: String,
    parts: Vec<Part>,
}

impl Run {
    fn new(input: String) -> Run {
        Run { input, parts: Vec::new() }
    }

    /// The result of one command.
    fn of(input: String, said: &Said) -> Run {
        let mut run = Run::new(input);
        run.push("status", said.status.to_string());
        run.push("output", said.out.clone());
        run.push("error output", said.err.clone());
        run
    }

    fn push(&mut self, name: &str, text: String) {
        self.parts.push(Part { name: name.into(), text, is_line: false });
    }

    fn push_line(&mut self, text: String) {
        self.parts.push(Part { name: "event line".into(), text, is_line: true });
    }
}

/// The parsed command line.
struct Options {
    old: Set,
    new: Set,
    captures: Vec<PathBuf>,
    cases: Vec<PathBuf>,
    only: String,
    state: bool,
}

/// The number of runs, and the differences in the order of the inputs.
#[derive(Default)]
struct Found {
    runs: usize,
    differences: Vec<String>,
}

/// `xtask compare OLD_DIR NEW_DIR`: prints each difference and the counts. Returns an error if there is a difference.
///
/// `--captures DIR` and `--cases DIR` add inputs, `--only TEXT` keeps the inputs whose name contains it. `--no-state` leaves out
/// the files of the state directory, and compares only the decisions of event lines. `--old-tree DIR` is the checkout of the
/// old programs, if its transcripts or hooks.json differ. Both sides must be debug builds, or both release builds, because only
/// debug builds can pin the clock.
pub fn run(args: &mut lexopt::Parser) -> Result<(), Failure> {
    let options = parse(args)?;
    let jobs = inputs::jobs(&options)?;
    let found = compare(&options, &jobs)?;
    found.differences.iter().for_each(|difference| say(difference));
    say(&format!("compared {} runs: {} differ", found.runs, found.differences.len()));
    if found.differences.is_empty() { Ok(()) } else { Err("the programs differ".into()) }
}

fn parse(args: &mut lexopt::Parser) -> Result<Options, Failure> {
    use lexopt::Arg::{Long, Value};
    let (mut dirs, mut old_tree) = (Vec::new(), plugin::checkout());
    let (mut captures, mut cases) = (vec![plugin::checkout().join("tests/captures")], Vec::new());
    cases.push(plugin::checkout().join("tests/cases"));
    let (mut only, mut state) = (String::new(), true);
    while let Some(arg) = args.next()? {
        match arg {
            Value(dir) if dirs.len() < 2 => {
                let found = fs::canonicalize(&dir).map_err(|error| format!("{}: {error}", Path::new(&dir).display()));
                dirs.push(found?);
            }
            Long("captures") => captures.push(fs::canonicalize(args.value()?)?),
            Long("cases") => cases.push(fs::canonicalize(args.value()?)?),
            Long("old-tree") => old_tree = fs::canonicalize(args.value()?)?,
            Long("only") => only = args.value()?.to_string_lossy().into_owned(),
            Long("state") => state = true,
            Long("no-state") => state = false,
            other => return Err(other.unexpected().into()),
        }
    }
    let mut dirs = dirs.into_iter();
    let (Some(old), Some(new)) = (dirs.next(), dirs.next()) else {
        return Err("two folders are required. Usage: `cargo xtask compare OLD NEW`".into());
    };
    let (old, new) = (Set { bin: old, tree: old_tree }, Set { bin: new, tree: plugin::checkout() });
    Ok(Options { old, new, captures, cases, only, state })
}

/// Runs every job with both sets, with one thread for each processor.
fn compare(options: &Options, jobs: &[Job]) -> Result<Found, Failure> {
    let place = Shell::new()?.create_temp_dir()?;
    let results = parallel::for_each(jobs, place.path(), |job, dir| {
        compare_job(options, job, dir).map_err(|error| format!("{}: could not be played: {error}", job.name))
    });
    let mut all = Found::default();
    for found in results {
        // A job that one side could not run is a difference; the other jobs still count.
        let found = found.unwrap_or_else(|error| Found { runs: 1, differences: vec![format!("== {error}\n")] });
        all.runs += found.runs;
        all.differences.extend(found.differences);
    }
    Ok(all)
}

fn compare_job(options: &Options, job: &Job, top: &Path) -> Result<Found, Failure> {
    let old = play(&options.old, job, top, options.state)?;
    let new = play(&options.new, job, top, options.state)?;
    let mut pairs = Pairs::default();
    let mut found = Found { runs: old.runs.len().max(new.runs.len()), differences: Vec::new() };
    let (mut mine, mut theirs) = (old.runs.into_iter(), new.runs.into_iter());
    loop {
        let (old, new) = (mine.next(), theirs.next());
        if old.is_none() && new.is_none() {
            break;
        }
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let input = if new.input.is_empty() { &old.input } else { &new.input };
        let report = compare_parts(&mut pairs, &old.parts, &new.parts, options.state, top)?;
        if !report.is_empty() {
            found.differences.push(format!("== {}: {input}\n{report}", job.name));
        }
    }
    if options.state {
        found.runs += 1;
        let (old, new) = files::pair(&mut pairs, old.files, new.files);
        let report = compare_parts(&mut pairs, &old, &new, true, top)?;
        if !report.is_empty() {
            found.differences.push(format!("== {}: files of the state directory\n{report}", job.name));
        }
    }
    Ok(found)
}

struct Played {
    runs: Vec<Run>,
    files: Vec<Part>,
}

/// Runs a job in a new place and removes the place, because the other set uses the same path.
fn play(set: &Set, job: &Job, top: &Path, state: bool) -> Result<Played, Failure> {
    fs::create_dir_all(top)?;
    let place = Place::new(set, top)?;
    let runs = (job.play)(&place)?;
    let files = if state { files::read(top)? } else { Vec::new() };
    fs::remove_dir_all(top)?;
    Ok(Played { runs, files })
}

/// A report of the parts that differ. Empty if none does.
fn compare_parts(pairs: &mut Pairs, old: &[Part], new: &[Part], whole: bool, top: &Path) -> Result<String, Failure> {
    let mut report = String::new();
    for part in old.iter().chain(new.iter().filter(|part| old.iter().all(|old| old.name != part.name))) {
        let text = |side: &[Part]| side.iter().find(|other| other.name == part.name).map(|part| part.text.clone());
        let (old, new) = (text(old), text(new));
        let (before, after) = match (&old, &new) {
            (Some(old), Some(new)) if part.is_line && !whole => meaning::compare_decisions(pairs, old, new),
            (Some(old), Some(new)) => meaning::compare(pairs, old, new),
            _ => (
                old.map_or("(absent)\n".into(), |_| "(present)\n".into()),
                new.map_or("(absent)\n".into(), |_| "(present)\n".into()),
            ),
        };
        if before != after {
            report.push_str(&format!("--- {} (old, new)\n{}", part.name, diff(&before, &after, top)?));
        }
    }
    Ok(report)
}

/// The hunks of a unified diff, at most `MOST` lines of them.
fn diff(old: &str, new: &str, top: &Path) -> Result<String, Failure> {
    const MOST: usize = 60;
    fs::create_dir_all(top)?;
    let (before, after) = (top.join("old"), top.join("new"));
    fs::write(&before, old)?;
    fs::write(&after, new)?;
    let shell = Shell::new()?;
    let text = cmd!(shell, "git diff --no-index --no-color --no-ext-diff --text {before} {after}").quiet();
    let text = text.ignore_status().read()?;
    // The output of a program is data, so control characters are shown, not printed.
    let text: String = text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect();
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("@@")).collect();
    let mut report: String = lines.iter().take(MOST).map(|line| format!("{line}\n")).collect();
    if lines.len() > MOST {
        report.push_str(&format!("... {} more lines\n", lines.len() - MOST));
    }
    fs::remove_dir_all(top)?;
    Ok(report)
}
