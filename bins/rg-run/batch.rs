//! `--each`: a run in a worktree of its own for each issue or line, several at the same time.
//!
//! The batch records the begin of each run and starts it as an interrupted one. So a run of a batch that died is resumed as any other.

use crate::amount::Spent;
use crate::budget::Room;
use crate::item::{Item, Items};
use crate::options::{Manner, Options};
use crate::past::{self, Found, PastBatch};
use crate::progress::{self, Progress};
use crate::settings::{self, Place};
use crate::{TOOL, branch, budget, cycle, outside, record, reuse};
use review_gate::event::Outcome;
use review_gate::store::record::{Each, RunBatch, RunItem, RunStart, RunStep, RunSummary, RunVerdict};
use review_gate::sys::ending;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::process::{self, Command};
use review_gate::sys::text::{count, cut_end, one_line, plain};
use review_gate::tool::cli;
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// How often a run that died is continued.
const MOST_TRIES: u32 = 3;

/// How long a run may take beyond its minutes: for its last judges and its landing.
const MARGIN: Duration = Duration::from_secs(3 * 3600);

/// How long the runs get to end by themselves after Ctrl-C.
const GRACE: Duration = Duration::from_secs(3);

/// The longest line of a run that is kept, in bytes.
const LONGEST_LINE: usize = 1 << 20;

/// The batch that a signal interrupts.
static INTERRUPTED: OnceLock<String> = OnceLock::new();

/// What a run under way sends.
enum News {
    /// It printed a line.
    Line(String, String),
    /// It has ended, with the last line of its errors.
    Ended(String, String),
}

/// A batch under way.
struct Batch<'a> {
    home: &'a Place,
    batch: RunBatch,
    items: Items,
    /// The items under way and how often each was started.
    working: HashMap<String, (Item, RunStart, u32)>,
    /// What each item has spent, and the seconds of its last turn.
    spent: HashMap<String, (Spent, f64)>,
    ended: Vec<RunItem>,
    progress: Progress,
    news: (Sender<News>, Receiver<News>),
}

/// Begins a batch.
pub fn begin(home: &Place, options: &Options, each: Each, manner: Manner) -> Result<Exit> {
    if !home.is_repository() {
        return Err(Error::usage("--each needs a git repository: each item gets a worktree"));
    }
    let lines = match each {
        Each::Line => options.request()?,
        Each::Issue => String::new(),
    };
    let start = options.start(home)?;
    let batch = RunBatch { run: start.run.clone(), each, parallel: options.parallel.unwrap_or(1), start };
    if options.is_dry {
        let names = Items::of(home, &batch, &lines)?.names()?;
        let mut subject = vec![format!("items: {}, {} at a time", names.len(), batch.parallel)];
        subject.extend(names.iter().map(|name| format!("  {}", progress::brief(name))));
        return progress::plan(home, &batch.start, &subject, Some("one for each item"));
    }
    let _lock = home.lock(manner)?;
    // Issues that are made while it works are for the next batch: an agent could make one after the other.
    let lines = if each == Each::Issue { Items::open(home, &batch)? } else { lines };
    let (request, programs) = (home.state.keep_blob(lines.as_bytes())?, outside::keep_branches(home)?);
    let batch = RunBatch { start: RunStart { request, programs, ..batch.start }, ..batch };
    record(home, RunStep::Batch(batch.clone()))?;
    env::crash_point();
    let past = PastBatch { batch, runs: Vec::new(), items: Vec::new(), summary: None };
    Batch::of(home, past, &lines, manner)?.work()
}

/// Continues an interrupted batch.
pub fn resume(home: &Place, id: &str, manner: Manner) -> Result<Exit> {
    let _lock = home.lock(manner)?;
    // It may have gone on, and ended, while this one waited.
    let Found::Batch(past) = past::find(home, id)? else { return Err(Error::bug("a batch is a run")) };
    let past = *past;
    let lines = String::from_utf8_lossy(&home.state.read_blob(&past.batch.start.request)?).into_owned();
    if let Some(summary) = past.summary {
        let progress = Progress::new(manner.json);
        progress.step(&RunStep::Summary(summary.clone()));
        progress.end(&words(&summary));
        return Ok(Exit::of(summary.status));
    }
    Batch::of(home, past, &lines, manner)?.work()
}

impl<'a> Batch<'a> {
    fn of(home: &'a Place, past: PastBatch, lines: &str, manner: Manner) -> Result<Batch<'a>> {
        let mut items = Items::of(home, &past.batch, lines)?;
        items.leave_out(&past)?;
        let (progress, news) = (Progress::new(manner.json), channel());
        let (working, spent) = (HashMap::new(), HashMap::new());
        let batch = Batch { home, batch: past.batch, items, working, spent, ended: past.items, progress, news };
        batch.progress.step(&RunStep::Batch(batch.batch.clone()));
        Ok(batch)
    }

    /// Works on all items, and returns the status of the batch.
    fn work(mut self) -> Result<Exit> {
        let _ = INTERRUPTED.set(self.batch.run.clone());
        ending::on_signal(|| {
            process::ask_all_to_end(GRACE);
            process::stop_all();
            if let Some(batch) = INTERRUPTED.get() {
                cli::print_error(&TOOL, &format!("interrupted. To go on, run `rg-run --resume {batch}`"));
            }
        });
        loop {
            while self.working.len() < self.batch.parallel as usize {
                let over = match self.room()? {
                    // Without room no worktree is made and no issue is claimed.
                    Room::Full(_) if !self.working.is_empty() => break,
                    Room::Over(last) => Some(last.text),
                    Room::Full(_) | Room::Free => None,
                };
                // Lines are named one by one.
                if let Some(why) = over.as_ref().filter(|_| self.batch.each == Each::Issue && !self.items.has_stopped())
                {
                    cli::print_error(&TOOL, why);
                    self.items.stop();
                }
                match self.items.next() {
                    Ok(Some(item)) => self.start(item, over)?,
                    Ok(None) => break,
                    Err(error) => {
                        cli::print_error(&TOOL, &error.to_string());
                        self.items.stop();
                    }
                }
            }
            if self.working.is_empty() {
                break;
            }
            match self.news.1.recv().map_err(|_| Error::bug("no run is under way"))? {
                News::Line(item, line) => self.relay(&item, &line),
                News::Ended(item, words) => self.settle(&item, &words)?,
            }
        }
        let of = |wanted: &dyn Fn(&RunItem) -> bool| self.ended.iter().filter(|item| wanted(item)).count() as u32;
        let summary = RunSummary {
            run: self.batch.run.clone(),
            items: of(&|_| true),
            done: of(&|item| matches!(item.outcome, Outcome::Done | Outcome::Waived)),
            landed: of(&|item| item.landed),
            later: self.items.later()?,
            status: self.ended.iter().map(|item| item.status).chain([self.items.status()]).max().unwrap_or(0),
        };
        record(self.home, RunStep::Summary(summary.clone()))?;
        self.progress.step(&RunStep::Summary(summary.clone()));
        self.progress.end(&words(&summary));
        Ok(Exit::of(summary.status))
    }

    /// Whether another run can start a turn.
    fn room(&self) -> Result<Room> {
        let nothing = past::Past::nothing();
        budget::room(self.home, &self.template(), (&nothing, &Spent::NOTHING), (0, 0.0), self.working.len())
    }

    /// What each run begins with.
    fn template(&self) -> RunStart {
        RunStart { batch: Some(self.batch.run.clone()), ..self.batch.start.clone() }
    }

    /// Begins the run of an item, or continues it. `over` says why no further run may begin.
    fn start(&mut self, item: Item, over: Option<String>) -> Result<()> {
        match self.run_of(&item, over) {
            Ok(start) => {
                // Turns from before an interruption were not relayed.
                if item.begun.is_some()
                    && let Found::Run(found) = past::find(self.home, &start.run)?
                {
                    self.spent.insert(item.id.clone(), (found.1.spent(), 0.0));
                }
                cli::progress(&format!("{}: {}", item.id, item.title));
                self.spawn(&item, &start);
                self.working.insert(item.id.clone(), (item, start, 1));
                Ok(())
            }
            Err(error) => {
                self.end(&item, None, Outcome::Unverified, Exit::Unjudged as u8, &format!("not begun: {error}"))
            }
        }
    }

    fn run_of(&self, item: &Item, over: Option<String>) -> Result<RunStart> {
        if let Some(start) = &item.begun {
            return Ok(start.clone());
        }
        // A batch without a budget left makes no more worktrees.
        if let Some(why) = over {
            return Err(Error::refused(why));
        }
        let (place, branch, was_there) = branch::make(self.home, &item.name)?;
        if was_there {
            outside::require_branch(self.home, self.batch.start.programs.as_deref(), &branch)?;
            reuse::require_known(&place)?;
        }
        env::crash_point();
        let start = RunStart {
            run: settings::new_id(&place.root, self.ended.len() + self.working.len() + 1),
            root: place.root.clone(),
            request: self.home.state.keep_blob(item.request.as_bytes())?,
            base: settings::base(&place.root),
            branch: Some(branch),
            home: Some(self.home.root.clone()),
            programs: outside::keep(self.home)?,
            item: Some(item.id.clone()),
            ..self.template()
        };
        record(self.home, RunStep::Begin(start.clone()))?;
        env::crash_point();
        Ok(start)
    }

    /// Starts the process of a run.
    fn spawn(&self, item: &Item, start: &RunStart) {
        let (sender, item, run) = (self.news.0.clone(), item.id.clone(), start.run.clone());
        let deadline = Duration::from_secs_f64(start.minutes * 60.0) + MARGIN;
        let (home, state) = (self.home.root.clone(), env::state_override().ok().flatten());
        std::thread::spawn(move || {
            let words =
                follow(&sender, &item, &run, (&home, state), deadline).unwrap_or_else(|error| error.to_string());
            let _ = sender.send(News::Ended(item, words));
        });
    }

    fn relay(&mut self, item: &str, line: &str) {
        let (spent, seconds) = self.spent.entry(item.to_string()).or_insert((Spent::NOTHING, 0.0));
        match serde_json::from_str(line) {
            Ok(RunStep::Turn(turn)) => {
                spent.add(turn.tokens, turn.cost);
                *seconds = turn.seconds;
            }
            Ok(RunStep::Lost(_)) => spent.add(None, None),
            Ok(RunStep::Judged(RunVerdict { models: Some(models), .. })) => spent.add(models.tokens, models.cost),
            _ => {}
        }
        self.progress.relay(item, line, *seconds, spent);
    }

    /// A run's process has ended: the item ends with its run, or the run is continued.
    fn settle(&mut self, id: &str, words: &str) -> Result<()> {
        let Some((item, start, tries)) = self.working.remove(id) else { return Ok(()) };
        let end = match past::end_of(self.home, &start.run)? {
            Some(end) => end,
            None if tries < MOST_TRIES => {
                self.spawn(&item, &start);
                self.working.insert(item.id.clone(), (item, start, tries + 1));
                return Ok(());
            }
            None => {
                let Found::Run(found) = past::find(self.home, &start.run)? else {
                    return Err(Error::bug("a run is a batch"));
                };
                let place = Place::worktree(&start.root, self.home)?;
                cycle::give_up(&place, found.0, found.1, &format!("the run died {tries} times: {words}"))?
            }
        };
        self.end(&item, Some((&start, end.landed)), end.outcome, end.status, &end.why)
    }

    /// Records how an item ended.
    fn end(
        &mut self,
        item: &Item,
        run: Option<(&RunStart, bool)>,
        outcome: Outcome,
        status: u8,
        why: &str,
    ) -> Result<()> {
        let (start, landed) = (run.map(|run| run.0), run.is_some_and(|run| run.1));
        let notice = if landed { "" } else { self.items.notice(item)? };
        let ended = RunItem {
            run: self.batch.run.clone(),
            item: item.id.clone(),
            title: cut_end(&item.title, 200),
            of: start.map(|start| start.run.clone()),
            outcome,
            status,
            why: format!("{why}{notice}"),
            branch: start.and_then(|start| start.branch.clone()),
            landed,
        };
        // The issue first: a batch that is killed in between does it again.
        self.items.leave(item, start, &ended)?;
        env::crash_point();
        record(self.home, RunStep::Item(ended.clone()))?;
        env::crash_point();
        self.progress.step(&RunStep::Item(ended.clone()));
        let left = start.filter(|_| !landed);
        let place = left.map_or(String::new(), |start| format!("; {}", branch::place_of(start, outcome)));
        let spent = self.spent.get(&item.id).map_or(String::new(), |(spent, _)| format!(" ({})", spent.words()));
        self.progress.end(&format!("{}: {outcome}: {}{place}{spent}\n", item.id, one_line(&ended.why)));
        self.ended.push(ended);
        Ok(())
    }
}

/// Runs the process of one run, and passes on what it prints. Returns the last line of its errors.
fn follow(
    sender: &Sender<News>,
    item: &str,
    run: &str,
    (home, state): (&std::path::Path, Option<std::path::PathBuf>),
    deadline: Duration,
) -> Result<String> {
    let bin = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
    let mut command = Command::new(bin.join(TOOL.name));
    command.args(["--json", "--lock", "--resume", run]).current_dir(home);
    command.envs(env::own_variables()).envs(env::model_credentials());
    if let Some(state) = state {
        command.env("RG_STATE", state);
    }
    let (mut line, mut errors) = (Vec::new(), Vec::new());
    process::run_with_input(
        command,
        Vec::new(),
        deadline,
        |_| {},
        |from, bytes| {
            if from > 0 {
                errors.extend_from_slice(&bytes[..bytes.len().min(LONGEST_LINE.saturating_sub(errors.len()))]);
                return;
            }
            for byte in bytes {
                match byte {
                    b'\n' => {
                        let text = String::from_utf8_lossy(&std::mem::take(&mut line)).into_owned();
                        let _ = sender.send(News::Line(item.to_string(), text));
                    }
                    _ if line.len() < LONGEST_LINE => line.push(*byte),
                    _ => {}
                }
            }
        },
    )?;
    let words = plain(&errors);
    Ok(cut_end(&one_line(words.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message")), 300))
}

/// The end of a batch for people.
fn words(summary: &RunSummary) -> String {
    let items = count(summary.items as usize, "item");
    let later = match summary.later {
        0 => String::new(),
        n => format!("{} made meanwhile: run it again\n", count(n as usize, "issue")),
    };
    format!("{items}: {} done, {} landed\n{later}", summary.done, summary.landed)
}
