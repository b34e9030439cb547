//! Child processes. Each runs in its own process group with its own pipes and without input, up to a deadline that a descendant cannot
//! extend by keeping a pipe open.

use crate::sys::ending;
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::procfs;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use crate::sys::output::Output;
pub use std::process::Command;

/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// How long the pipe is drained after the child has ended.
const DRAIN: Duration = Duration::from_millis(100);

/// How much of each stream `output` keeps, in bytes.
const OUTPUT_LIMIT: usize = 256 << 20;

/// The running process groups, so that all can be killed at once.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Set by `stop_all`: no further child is started.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// How a child process ended.
#[derive(Debug)]
pub struct ChildExit {
    /// Its status; None if it reached the deadline.
    pub status: Option<ExitStatus>,
    /// How long it ran.
    pub duration: Duration,
    /// Whether it left processes behind that could not be killed.
    pub has_survivors: bool,
}

/// Kills every child when this process gets SIGINT, SIGTERM or SIGHUP, because children run in their own process groups and would
/// survive. Then the signal has its default effect. Only SIGKILL leaves children behind.
pub fn end_children_on_signal() {
    ending::on_signal(stop_all);
}

/// Asks every running child to end, and waits up to `patience`. Prevents further ones.
pub fn ask_all_to_end(patience: Duration) {
    STOPPED.store(true, Ordering::SeqCst);
    let running = || RUNNING.lock().map(|set| set.iter().copied().collect::<Vec<i32>>()).unwrap_or_default();
    running().into_iter().for_each(|group| signal_group(group, Signal::TERM));
    let began = Instant::now();
    while began.elapsed() < patience && running().into_iter().any(procfs::is_running) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Kills every running child and prevents further ones. For a stage whose reader is gone or whose time is up.
pub fn stop_all() {
    STOPPED.store(true, Ordering::SeqCst);
    let groups: Vec<i32> = RUNNING.lock().map(|set| set.iter().copied().collect()).unwrap_or_default();
    for group in groups {
        signal_group(group, Signal::KILL);
    }
    kill_adopted();
}

/// Set by `adopt_orphans`: every child of this process that `RUNNING` does not list is an orphan of one that it listed.
#[cfg(target_os = "linux")]
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// Makes this process adopt the orphans of its children (subreaper), so that none survives a check unnoticed. Only for a process that
/// starts all its children with this module.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if !ADOPTS.load(Ordering::SeqCst) && rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok() {
        // Children from before this program was executed are not its own.
        let mine = rustix::process::getpid().as_raw_nonzero().get();
        if let Ok(running) = RUNNING.lock() {
            let before = procfs::children_of(mine).into_iter().filter(|pid| !running.contains(pid));
            if let Ok(mut inherited) = INHERITED.lock() {
                inherited.extend(before);
            }
        }
        ADOPTS.store(true, Ordering::SeqCst);
    }
}

/// Children from before this program was executed.
#[cfg(target_os = "linux")]
static INHERITED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Runs `command` up to `deadline` and passes its output (both streams, in order of arrival) to `sink`. After it has ended, its whole
/// group and its orphans are killed.
pub fn run(mut command: Command, deadline: Duration, mut sink: impl FnMut(&[u8])) -> Result<ChildExit> {
    let (reader, writer) = io::pipe().map_err(|e| Error::stream("make a pipe", e))?;
    let other = writer.try_clone().map_err(|e| Error::stream("make a pipe", e))?;
    command.stdout(writer).stderr(other);
    let mut child = Running::start(&mut command)?;
    // The command keeps the writing ends open, and the pipe would never end.
    drop(command);
    let mut streams = [Stream::new(reader)];
    child.watch(deadline, &mut streams, |_, bytes| sink(bytes))
}

/// Runs `command` with `input` on its standard input and passes its output to `sink`. Errors (111): it failed, with the first line of
/// its standard error; it did not end before `deadline`.
pub fn feed(command: Command, input: Vec<u8>, deadline: Duration, sink: impl FnMut(&[u8])) -> Result<()> {
    feed_until(command, input, deadline, false, sink)
}

/// Like [`feed`], with a limit for the time without output instead of a deadline.
pub fn feed_with_idle_timeout(
    command: Command,
    input: Vec<u8>,
    silence: Duration,
    sink: impl FnMut(&[u8]),
) -> Result<()> {
    feed_until(command, input, silence, true, sink)
}

/// Runs `command` with `input` on its standard input up to `deadline`. Calls `started` with its process group, and `sink` with the
/// number of each stream (0 or 1) and its output. A deadline is no error.
pub fn run_with_input(
    command: Command,
    input: Vec<u8>,
    deadline: Duration,
    started: impl FnOnce(i32),
    sink: impl FnMut(usize, &[u8]),
) -> Result<ChildExit> {
    let (mut child, mut streams) = with_input(command, input)?;
    started(child.group);
    child.watch(deadline, &mut streams, sink)
}

/// Starts `command` with `input` on its standard input, and gives its output.
fn with_input(mut command: Command, input: Vec<u8>) -> Result<(Running, [Stream; 2])> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running::spawn(&mut command)?;
    let (stdin, stdout, stderr) = (child.child.stdin.take(), child.child.stdout.take(), child.child.stderr.take());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
        return Err(Error::bug("no pipe to a child"));
    };
    // A child that ends early does not read the rest.
    std::thread::spawn(move || drop(stdin.write_all(&input)));
    Ok((child, [Stream::new(stdout), Stream::new(stderr)]))
}

fn feed_until(
    command: Command,
    input: Vec<u8>,
    deadline: Duration,
    is_idle_timeout: bool,
    mut sink: impl FnMut(&[u8]),
) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let (mut child, mut streams) = with_input(command, input)?;
    child.is_idle_timeout = is_idle_timeout;
    let mut words = Vec::new();
    let ended = child.watch(deadline, &mut streams, |from, bytes| match from {
        0 => sink(bytes),
        _ => words.extend_from_slice(&bytes[..bytes.len().min(4096usize.saturating_sub(words.len()))]),
    })?;
    match ended.status {
        Some(status) if status.success() => Ok(()),
        Some(_) => {
            let words = String::from_utf8_lossy(&words).lines().next().unwrap_or("").to_string();
            Err(Error::child(format!("{name} failed: {words}")))
        }
        None => {
            let what = if is_idle_timeout { "printed nothing for" } else { "did not end within" };
            Err(Error::deadline(format!("{name} {what} {} s", deadline.as_secs_f64().ceil())))
        }
    }
}

/// Runs `command` and collects both streams separately. Errors (111): it did not end before `deadline`.
pub fn output(mut command: Command, deadline: Duration) -> Result<Output> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = Running::start(&mut command)?;
    let pipes = (child.child.stdout.take(), child.child.stderr.take());
    let (Some(stdout), Some(stderr)) = pipes else { return Err(Error::bug("no pipe to a child")) };
    collect(child, [Stream::new(stdout), Stream::new(stderr)], &name, deadline, OUTPUT_LIMIT)
}

/// Like [`output`], with `input` on standard input, which is then closed; at most `limit` bytes of each stream are kept.
pub fn output_with_input(command: Command, input: Vec<u8>, deadline: Duration, limit: usize) -> Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    let (child, streams) = with_input(command, input)?;
    collect(child, streams, &name, deadline, limit)
}

fn collect(
    mut child: Running,
    mut streams: [Stream; 2],
    name: &str,
    deadline: Duration,
    limit: usize,
) -> Result<Output> {
    let mut kept = [Vec::new(), Vec::new()];
    let ended = child.watch(deadline, &mut streams, |from, bytes| {
        let room = limit.saturating_sub(kept[from].len());
        kept[from].extend_from_slice(&bytes[..bytes.len().min(room)]);
    })?;
    if ended.status.is_none() {
        return Err(Error::deadline(format!("{name} did not end within {} s", deadline.as_secs_f64().ceil())));
    }
    let [stdout, stderr] = kept;
    Ok(Output { status: ended.status, stdout, stderr })
}

/// A pipe that is read without blocking.
struct Stream {
    pipe: Box<dyn ReadFd>,
    open: bool,
}

trait ReadFd: Read + AsFd {}
impl<T: Read + AsFd> ReadFd for T {}

impl Stream {
    fn new(pipe: impl Read + AsFd + 'static) -> Stream {
        Stream { pipe: Box::new(pipe), open: true }
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// A child in its own process group, which is killed when this is dropped.
pub(super) struct Running {
    pub(super) child: Child,
    group: i32,
    began: Instant,
    /// Its deadline counts from its last output.
    is_idle_timeout: bool,
}

impl Running {
    fn start(command: &mut Command) -> Result<Running> {
        command.stdin(Stdio::null());
        Running::spawn(command)
    }

    pub(super) fn spawn(command: &mut Command) -> Result<Running> {
        command.process_group(0);
        for name in env::variables_to_remove() {
            // A variable that the caller set stays.
            if !command.get_envs().any(|(set, _)| set == name) {
                command.env_remove(name);
            }
        }
        // Locked during the start: either `stop_all` sees this child, or this function sees that `stop_all` ran.
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if STOPPED.load(Ordering::SeqCst) {
            return Err(Error::disconnected("the reader of standard output is gone"));
        }
        let child = command.spawn().map_err(|e| Error::start(command, &e))?;
        let group = child.id() as i32;
        running.insert(group);
        drop(running);
        Ok(Running { child, group, began: Instant::now(), is_idle_timeout: false })
    }

    /// Reads the streams until the child has ended; a descendant may keep the pipe open longer.
    fn watch(
        &mut self,
        deadline: Duration,
        streams: &mut [Stream],
        mut sink: impl FnMut(usize, &[u8]),
    ) -> Result<ChildExit> {
        let mut asked_to_end: Option<Instant> = None;
        let mut since = self.began;
        let mut nap = Duration::from_millis(1);
        loop {
            let mut heard = false;
            let mut hear = |from: usize, bytes: &[u8]| {
                heard = true;
                sink(from, bytes);
            };
            read_ready(streams, nap, &mut hear)?;
            if heard && self.is_idle_timeout {
                since = Instant::now();
            }
            nap = (nap * 2).min(Duration::from_millis(10));
            let ended = self.child.try_wait().map_err(|e| Error::stream("wait", e))?;
            if let Some(status) = ended {
                let duration = self.began.elapsed();
                // The group is killed first, because its processes would keep the pipe open.
                signal_group(self.group, Signal::KILL);
                let has_survivors = !kill_adopted();
                let until = Instant::now() + DRAIN;
                while streams.iter().any(|stream| stream.open) && Instant::now() < until {
                    read_ready(streams, Duration::from_millis(2), &mut sink)?;
                }
                let status = asked_to_end.is_none().then_some(status);
                return Ok(ChildExit { status, duration, has_survivors });
            }
            match asked_to_end {
                None if since.elapsed() >= deadline => {
                    signal_group(self.group, Signal::TERM);
                    asked_to_end = Some(Instant::now());
                }
                Some(since) if since.elapsed() >= GRACE => signal_group(self.group, Signal::KILL),
                _ => {}
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(mut running) = RUNNING.lock() {
            running.remove(&self.group);
        }
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            signal_group(self.group, Signal::KILL);
            let _ = self.child.wait();
        }
        ending::wait();
    }
}

/// Waits up to `patience` for output and reads what is available.
fn read_ready(streams: &mut [Stream], patience: Duration, sink: &mut impl FnMut(usize, &[u8])) -> Result<()> {
    if !streams.iter().any(|stream| stream.open) {
        std::thread::sleep(patience);
        return Ok(());
    }
    let open: Vec<usize> = (0..streams.len()).filter(|at| streams[*at].open).collect();
    let timeout = Timespec { tv_sec: 0, tv_nsec: patience.as_nanos() as _ };
    let mut fds: Vec<PollFd<'_>> =
        open.iter().map(|at| PollFd::from_borrowed_fd(streams[*at].fd(), PollFlags::IN)).collect();
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(e) => return Err(Error::stream("wait for a child", e)),
    }
    let ready: Vec<usize> =
        open.iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty()).map(|(at, _)| *at).collect();
    let mut buffer = [0u8; 64 * 1024];
    for at in ready {
        match streams[at].pipe.read(&mut buffer) {
            Ok(0) => streams[at].open = false,
            Ok(n) => sink(at, &buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => streams[at].open = false,
        }
    }
    Ok(())
}

fn signal_group(group: i32, signal: Signal) {
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, signal);
    }
}

/// How long orphans are killed repeatedly, because one may fork faster than it can be killed.
#[cfg(target_os = "linux")]
const HUNT: Duration = Duration::from_secs(1);

/// Kills the orphans that this process adopted (`adopt_orphans`) and their children, until none is left. Returns false if some
/// survive.
fn kill_adopted() -> bool {
    #[cfg(target_os = "linux")]
    if ADOPTS.load(Ordering::SeqCst) {
        let mine = rustix::process::getpid().as_raw_nonzero().get();
        let began = Instant::now();
        let mut quiet = 0;
        // The list must be empty twice: between a fork and the parent's end, neither process is listed for a moment.
        while quiet < 2 {
            // Listed before the lock: a child that another thread starts meanwhile is in `RUNNING` once the lock is free.
            let children = procfs::children_of(mine);
            let running: BTreeSet<i32> = RUNNING.lock().map(|set| set.clone()).unwrap_or_default();
            let inherited: BTreeSet<i32> = INHERITED.lock().map(|set| set.clone()).unwrap_or_default();
            let is_orphan = |pid: &i32| !running.contains(pid) && !inherited.contains(pid);
            let orphans: Vec<i32> = children.into_iter().filter(is_orphan).collect();
            quiet = if orphans.is_empty() { quiet + 1 } else { 0 };
            for pid in orphans.into_iter().filter_map(Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
                let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG);
            }
            if began.elapsed() > HUNT {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A child that keeps printing is not killed; a silent one is.
    #[test]
    fn the_idle_timeout_counts_from_the_last_output() {
        let (silence, said) = (Duration::from_millis(1500), std::cell::Cell::new(0));
        let run = |is_idle_timeout: bool, line: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", line]);
            said.set(0);
            feed_until(command, Vec::new(), silence, is_idle_timeout, |bytes| said.set(said.get() + bytes.len()))
                .map_err(|e| e.to_string())
        };
        let words = "for n in 1 2 3 4 5 6 7 8; do printf x; sleep 0.3; done";
        assert!(run(false, words).unwrap_err().contains("did not end within"));
        assert_eq!((run(true, words), said.get()), (Ok(()), 8));
        assert!(run(true, "printf x; sleep 30").unwrap_err().contains("printed nothing for 2 s"));
    }
}
