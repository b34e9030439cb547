//! Runs one check: in its shell, with a deadline, with its output to a log and the end of it in the record.

use crate::{TOOL, report, time_left};
use review_gate::donefile::{CheckSpec, Donefile};
use review_gate::event::{Check, CheckEnd, Event};
use review_gate::evidence::OutputReader;
use review_gate::excerpt::{self, Excerpt};
use review_gate::store::state::State;
use review_gate::sys::clock::{self, Time};
use review_gate::sys::digest;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::files;
use review_gate::sys::lock::{self, Lock};
use review_gate::sys::process::{self, Command};
use review_gate::sys::procfs;
use review_gate::sys::redact;
use review_gate::sys::text::plain;
use review_gate::tool::cli;
use review_gate::tool::status_line::StatusLine;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long before the client's deadline the last check must end.
pub const MARGIN: Duration = Duration::from_secs(10);

/// How long to wait before printing that another run is under way.
const BRIEFLY: Duration = Duration::from_millis(300);

/// How often a waiting run looks whether the other one is stopped.
const LOOK: Duration = Duration::from_secs(1);

/// How many bytes of a check's output the record keeps.
const TAIL: usize = 16 << 10;

/// How many bytes of a check's output the log keeps.
const LOG: usize = 8 << 20;

/// An output of at most so many bytes is always read as a document.
const SHORT: usize = 256 << 10;

/// How many bytes at the beginning of a log are searched for failures.
const HEAD: usize = 512 << 10;

/// How many bytes at the end of a log are searched for failures.
const END: usize = 3 << 19;

/// Waits until no other session runs checks in this root, at most as long as all checks may take and as the client waits.
pub fn wait_for_turn(state: &State, journal: &Path, done: &Donefile, until: Option<Time>) -> Result<Lock> {
    let path = journal.with_extension("lock");
    state.make_parent(&path)?;
    let all = Duration::from_secs_f64(done.checks.iter().map(|check| check.timeout).sum::<f64>()) + MARGIN;
    let patience = time_left(until).map_or(all, |left| left.min(all));
    let briefly = patience.min(BRIEFLY);
    let mut turn = lock::take(&path, briefly).or_else(|error| {
        // Another failure, such as a state directory that cannot be written, is no other run.
        let is_held = matches!(error.kind(), ErrorKind::Locked { .. });
        if is_held && patience > briefly { wait_for(&path, patience - briefly) } else { Err(error) }
    })?;
    turn.sign();
    Ok(turn)
}

/// Waits for the lock that another run holds. A run that was stopped, by an agent or with Ctrl-Z, checks nothing and may never go on: then the
/// checks run beside it, one session after the other.
fn wait_for(path: &Path, patience: Duration) -> Result<Lock> {
    let holder = lock::holder(path).unwrap_or_else(|| "another process".into());
    cli::print_error(&TOOL, &format!("waiting for another run of the checks: {holder}"));
    let began = Instant::now();
    loop {
        let left = patience.saturating_sub(began.elapsed());
        let error = match lock::take(path, left.min(LOOK)) {
            Ok(turn) => return Ok(turn),
            Err(error) => error,
        };
        if let Some(pid) = lock::signer(path).filter(|pid| procfs::is_stopped(*pid)) {
            cli::print_error(&TOOL, &format!("process {pid} is stopped: the checks run beside it"));
            return lock::take(&path.with_extension("beside.lock"), left);
        }
        if left <= LOOK || !matches!(error.kind(), ErrorKind::Locked { .. }) {
            return Err(error);
        }
    }
}

/// Runs one check, again after a failure as often as `retries` permits. If it cannot be started, the result says so.
pub fn run(spec: &CheckSpec, event: &Event, log: &Path, state: &State) -> Check {
    process::adopt_orphans();
    if spec.is_timeout_cut {
        let text = format!("check \"{}\": `timeout` is cut to {} seconds, the maximum", spec.name, spec.timeout);
        cli::print_error(&TOOL, &text);
    }
    let mut failed: Vec<Check> = Vec::new();
    loop {
        let log = match failed.len() {
            0 => log.to_path_buf(),
            n => log.with_extension(format!("{n}.log")),
        };
        let check = run_once(spec, event, &log, state);
        let has_time = time_left(event.until).is_none_or(|left| left.as_secs_f64() > check.seconds);
        if check.ended != CheckEnd::Failed || failed.len() >= spec.retries as usize || !has_time {
            return Check { failed_tries: failed, ..check };
        }
        failed.push(check);
    }
}

fn run_once(spec: &CheckSpec, event: &Event, log: &Path, state: &State) -> Check {
    let mut output = Output::new(log);
    let own = Duration::from_secs_f64(spec.timeout);
    let left = time_left(event.until).unwrap_or(own);
    let status_line = StatusLine::start(&format!("{}: {}", TOOL.name, spec.name));
    if status_line.is_none() {
        cli::progress(&format!("{}: {} ...", TOOL.name, spec.name));
    }
    let mut take = |bytes: &[u8]| {
        output.take(bytes);
        if let Some(line) = &status_line {
            line.take(bytes);
        }
    };
    let begin = report::Begin::of(spec, &event.root);
    let dir = entered(spec, event);
    let is_missing = matches!(&dir, Err(error) if *error.kind() == ErrorKind::Missing);
    let ended = match left.is_zero() {
        true => dir.and(Err(Error::deadline("no time left"))),
        false => dir.and_then(|dir| process::run(command(spec, dir)?, own.min(left), &mut take)),
    };
    // The status line is removed, and the report repeats the time.
    let was_shown = status_line.map(drop).is_some();
    if let Ok(ended) = &ended
        && !was_shown
    {
        cli::progress(&format!("{}: {}: {}", TOOL.name, spec.name, clock::human(ended.duration.as_secs_f64())));
    }
    let mut check = Check {
        name: spec.name.clone(),
        run: spec.run.clone(),
        ended: CheckEnd::NotRun,
        exit: None,
        signal: None,
        seconds: 0.0,
        tests: None,
        report_error: None,
        failed_tries: Vec::new(),
        quarantined: None,
        tail: redact::redact(&plain(&output.tail[output.tail.len().saturating_sub(TAIL)..])),
        excerpt: None,
        log: output.file.is_some().then(|| log.to_path_buf()),
        sha256: String::new(),
        replayed_at: None,
        partial: false,
        red_before: false,
    };
    match ended {
        Ok(ended) => {
            check.seconds = (ended.duration.as_secs_f64() * 1000.0).round() / 1000.0;
            check.exit = ended.status.and_then(|status| status.code());
            check.signal = ended.status.and_then(|status| status.signal());
            check.ended = match ended.status {
                Some(status) if status.success() => CheckEnd::Passed,
                Some(_) => CheckEnd::Failed,
                None if left < own => CheckEnd::NotRun,
                None => CheckEnd::TimedOut,
            };
            if check.ended == CheckEnd::NotRun {
                check.tail = "no time left".into();
            } else if ended.has_survivors {
                check.ended = CheckEnd::NotRun;
                check.tail = "processes that it started could not be killed".into();
            }
            if clock::pinned().is_some() {
                check.seconds = 0.0;
            }
            // After a timeout the last lines tell most.
            if check.ended == CheckEnd::Failed {
                check.excerpt = output.excerpt(log);
            }
            if matches!(check.ended, CheckEnd::Passed | CheckEnd::Failed) {
                let reader = std::mem::take(&mut output.tests);
                let whole = || output.document(log, spec.needs_evidence());
                report::add(&mut check, report::evidence(spec, &event.root, begin, reader, whole), state);
            }
        }
        Err(error) => check.tail = error.to_string(),
    }
    if is_missing {
        // As if its shell had been unable to enter it.
        (check.ended, check.exit) = (CheckEnd::Failed, Some(1));
    }
    check.sha256 = output.hash.finish();
    check
}

/// The directory in which a check runs. Errors: it is gone, as the agent may have removed it (`Missing`), or it is outside of the root.
fn entered(spec: &CheckSpec, event: &Event) -> Result<PathBuf> {
    let dir = spec.cwd.as_ref().map_or_else(|| event.root.clone(), |below| event.root.join(below));
    let missing = || Error::missing(format!("`cwd` is no directory: {}", dir.display()));
    // The agent may have put a link here since DONE.md was read.
    let real = std::fs::canonicalize(&dir).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => missing(),
        _ => Error::io("enter", &dir, &error),
    })?;
    if !real.starts_with(&event.root) {
        return Err(Error::usage(format!("check \"{}\": `cwd` is outside of the root: {}", spec.name, dir.display())));
    }
    if real.is_dir() { Ok(real) } else { Err(missing()) }
}

fn command(spec: &CheckSpec, dir: PathBuf) -> Result<Command> {
    let (program, args) = spec.shell.split_first().ok_or_else(|| Error::usage("the shell is empty"))?;
    let mut command = Command::new(program);
    command.args(args).arg(&spec.run).current_dir(dir).envs(&spec.env);
    Ok(command)
}

/// Collects a check's output into the log, the digest and the tail.
struct Output {
    hash: digest::Stream,
    tail: Vec<u8>,
    file: Option<File>,
    logged: usize,
    total: usize,
    tests: OutputReader,
}

impl Output {
    fn new(log: &Path) -> Output {
        if let Some(dir) = log.parent() {
            use std::os::unix::fs::DirBuilderExt;
            let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
        }
        // The verdict does not depend on the log.
        let file = files::open_empty(log).ok();
        Output {
            hash: digest::Stream::default(),
            tail: Vec::new(),
            file,
            logged: 0,
            total: 0,
            tests: OutputReader::default(),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.total += bytes.len();
        self.tests.take(bytes);
        self.tail.extend_from_slice(bytes);
        if self.tail.len() > 8 * TAIL {
            self.tail.drain(..self.tail.len() - TAIL);
        }
        let room = LOG.saturating_sub(self.logged);
        let piece = &bytes[..bytes.len().min(room)];
        self.logged += piece.len();
        if self.file.as_mut().is_some_and(|file| file.write_all(piece).is_err()) {
            self.file = None;
        }
    }

    /// The output as one document, unless it is long and nobody needs it.
    fn document(&self, log: &Path, is_needed: bool) -> Vec<u8> {
        let limit = if is_needed { LOG } else { SHORT };
        match self.file.is_some() && self.total <= limit {
            true => files::try_read(log, LOG as u64).unwrap_or_default(),
            false => Vec::new(),
        }
    }

    /// The failures that the output reports: those in the log, and after it those in the last part that was kept.
    fn excerpt(&self, log: &Path) -> Option<Excerpt> {
        let logged = self.file.is_some().then(|| files::try_read(log, LOG as u64)).flatten().unwrap_or_default();
        let missing = self.tail.len().min(self.total.saturating_sub(logged.len()));
        let (head, middle) = logged.split_at(logged.len().min(HEAD));
        let mut output = excerpt::short_lines(head);
        output.extend(excerpt::short_lines(&middle[middle.len().saturating_sub(END)..]));
        output.extend(excerpt::short_lines(&self.tail[self.tail.len() - missing..]));
        Excerpt::of(&redact::redact(&plain(&output)))
    }
}
