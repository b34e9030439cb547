//! Children: every program that is started gets its own process group, no input, pipes of its own and a deadline that
//! nobody can stretch by holding a pipe open.

use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::procfs;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use std::process::Command;

/// How long a group that was asked to end has until it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// How long output that is already in the pipe is still read after the child's end.
const DRAIN: Duration = Duration::from_millis(100);

/// How much output `output` keeps, in bytes.
const OUTPUT_LIMIT: usize = 256 << 20;

/// The groups that are running, so that all can be ended at once.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Set when everything is to end: nothing is started any more.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// How a child ended.
#[derive(Debug)]
pub struct Ended {
    /// Its status; None when it ran into the deadline.
    pub status: Option<ExitStatus>,
    /// How long it took.
    pub took: Duration,
    /// It left processes behind that could not be ended.
    pub left_running: bool,
}

/// A finished child and what it said.
#[derive(Debug)]
pub struct Output {
    ended: Ended,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl Output {
    /// Whether it ended by itself with status 0.
    pub fn success(&self) -> bool {
        self.ended.status.is_some_and(|status| status.success())
    }

    /// Its status; None when a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.ended.status.and_then(|status| status.code())
    }
}

/// Ends every child when this process is asked to end (Ctrl-C, SIGTERM, SIGHUP): they run in groups of their own, and would
/// live on. Then the signal does what it always does. Only a kill that cannot be caught leaves them.
pub fn end_with_us() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // What whoever started us wants ignored (nohup) stays ignored.
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !procfs::is_ignored(*signal));
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heeded) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            stop_all();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

/// Ends every running child, and lets no further one start. For a stage that nobody listens to any more.
pub fn stop_all() {
    STOPPED.store(true, Ordering::SeqCst);
    let groups: Vec<i32> = RUNNING.lock().map(|set| set.iter().copied().collect()).unwrap_or_default();
    for group in groups {
        signal_group(group, Signal::KILL);
    }
    kill_adopted();
}

/// Set when every child of this process that is not running here is an orphan of one that was.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// Makes this process the one that orphans of its children fall to, so that none outlives a check unseen. Only for a
/// process that starts its children through here and nowhere else.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if !ADOPTS.load(Ordering::SeqCst) && rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok() {
        // Children that this process had before it became this program are somebody else's.
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

/// Children that were there before this program was.
static INHERITED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Runs `command` to its end or to `deadline`, handing its output (both streams, in order of arrival) to `sink`. When
/// it has ended its whole group is killed, and so is what it left behind.
pub fn run(mut command: Command, deadline: Duration, mut sink: impl FnMut(&[u8])) -> Result<Ended> {
    let (reader, writer) = io::pipe().map_err(|e| Error::stream("make a pipe", e))?;
    let other = writer.try_clone().map_err(|e| Error::stream("make a pipe", e))?;
    command.stdout(writer).stderr(other);
    let mut child = Running::start(&mut command)?;
    // The command holds the writing ends; while they are open the pipe would never end.
    drop(command);
    let mut streams = [Stream::new(reader)];
    child.watch(deadline, &mut streams, |_, bytes| sink(bytes))
}

/// Runs `command` with `input` on its standard input, handing its output to `sink`. What it says on standard error, the first
/// of it, comes back when it fails. Past `deadline`: 111.
pub fn feed(command: Command, input: Vec<u8>, deadline: Duration, sink: impl FnMut(&[u8])) -> Result<()> {
    fed(command, input, deadline, false, sink)
}

/// The same for what may take as long as it needs while it goes on: only so long a silence ends it.
pub fn feed_patiently(command: Command, input: Vec<u8>, silence: Duration, sink: impl FnMut(&[u8])) -> Result<()> {
    fed(command, input, silence, true, sink)
}

fn fed(
    mut command: Command,
    input: Vec<u8>,
    deadline: Duration,
    patient: bool,
    mut sink: impl FnMut(&[u8]),
) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running::spawn(&mut command)?;
    child.patient = patient;
    let (stdin, stdout, stderr) = (child.child.stdin.take(), child.child.stdout.take(), child.child.stderr.take());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
        return Err(Error::bug("no pipe to a child"));
    };
    // A child that ends early does not want the rest.
    std::thread::spawn(move || drop(stdin.write_all(&input)));
    let mut words = Vec::new();
    let mut streams = [Stream::new(stdout), Stream::new(stderr)];
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
            let what = if patient { "said nothing for" } else { "did not end within" };
            Err(Error::deadline(format!("{name} {what} {} s", deadline.as_secs_f64().ceil())))
        }
    }
}

/// Runs `command` and keeps what it says on both streams apart. Past `deadline`: 111.
pub fn output(mut command: Command, deadline: Duration) -> Result<Output> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = command.get_program().to_string_lossy().into_owned();
    kept(Running::start(&mut command)?, &name, deadline, OUTPUT_LIMIT)
}

/// The same with `input` on its standard input, of which the end is then shown; at most `limit` bytes of each stream are kept.
pub fn answer(mut command: Command, input: Vec<u8>, deadline: Duration, limit: usize) -> Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = Running::spawn(&mut command)?;
    if let Some(mut stdin) = child.child.stdin.take() {
        // A child that ends early does not want the rest.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
    kept(child, &name, deadline, limit)
}

fn kept(mut child: Running, name: &str, deadline: Duration, limit: usize) -> Result<Output> {
    let pipes = (child.child.stdout.take(), child.child.stderr.take());
    let (Some(stdout), Some(stderr)) = pipes else { return Err(Error::bug("no pipe to a child")) };
    let mut kept = [Vec::new(), Vec::new()];
    let mut streams = [Stream::new(stdout), Stream::new(stderr)];
    let ended = child.watch(deadline, &mut streams, |from, bytes| {
        let room = limit.saturating_sub(kept[from].len());
        kept[from].extend_from_slice(&bytes[..bytes.len().min(room)]);
    })?;
    if ended.status.is_none() {
        return Err(Error::deadline(format!("{name} did not end within {} s", deadline.as_secs_f64().ceil())));
    }
    let [stdout, stderr] = kept;
    Ok(Output { ended, stdout, stderr })
}

/// A pipe that is read without waiting.
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

struct Running {
    child: Child,
    group: i32,
    began: Instant,
    /// Its deadline counts from what it said last.
    patient: bool,
}

impl Running {
    fn start(command: &mut Command) -> Result<Running> {
        command.stdin(Stdio::null());
        Running::spawn(command)
    }

    fn spawn(command: &mut Command) -> Result<Running> {
        command.process_group(0);
        for name in env::scrubbed() {
            // What the caller set on purpose stays.
            if !command.get_envs().any(|(set, _)| set == name) {
                command.env_remove(name);
            }
        }
        let program = command.get_program().to_os_string();
        // Held over the start: whoever ends everything sees this child, or this child sees that everything is to end.
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if STOPPED.load(Ordering::SeqCst) {
            return Err(Error::disconnected("nobody is waiting for the answer any more"));
        }
        let child = command.spawn().map_err(|e| Error::io("start", Path::new(&program), &e))?;
        let group = child.id() as i32;
        running.insert(group);
        drop(running);
        Ok(Running { child, group, began: Instant::now(), patient: false })
    }

    /// Reads the streams until the child has ended; the pipe itself may stay open in other hands.
    fn watch(
        &mut self,
        deadline: Duration,
        streams: &mut [Stream],
        mut sink: impl FnMut(usize, &[u8]),
    ) -> Result<Ended> {
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
            if heard && self.patient {
                since = Instant::now();
            }
            nap = (nap * 2).min(Duration::from_millis(10));
            let ended = self.child.try_wait().map_err(|e| Error::stream("wait", e))?;
            if let Some(status) = ended {
                let took = self.began.elapsed();
                // The group first: what it still holds open would keep the pipe from ending.
                signal_group(self.group, Signal::KILL);
                let left_running = !kill_adopted();
                let until = Instant::now() + DRAIN;
                while streams.iter().any(|stream| stream.open) && Instant::now() < until {
                    read_ready(streams, Duration::from_millis(2), &mut sink)?;
                }
                let status = asked_to_end.is_none().then_some(status);
                return Ok(Ended { status, took, left_running });
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
    }
}

/// Waits up to `patience` for output and reads what is there.
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

/// How long orphans are hunted; one that forks faster than it can be killed is given up after that.
const HUNT: Duration = Duration::from_secs(1);

/// Kills the orphans that fell to this process (`adopt_orphans`), and theirs, until none is left. False when that could not
/// be done.
fn kill_adopted() -> bool {
    #[cfg(target_os = "linux")]
    if ADOPTS.load(Ordering::SeqCst) {
        let mine = rustix::process::getpid().as_raw_nonzero().get();
        let began = Instant::now();
        let mut quiet = 0;
        // Twice nothing: between a fork and its parent's death there is a moment in which neither shows.
        while quiet < 2 {
            let running: BTreeSet<i32> = RUNNING.lock().map(|set| set.clone()).unwrap_or_default();
            let inherited: BTreeSet<i32> = INHERITED.lock().map(|set| set.clone()).unwrap_or_default();
            let is_orphan = |pid: &i32| !running.contains(pid) && !inherited.contains(pid);
            let orphans: Vec<i32> = procfs::children_of(mine).into_iter().filter(is_orphan).collect();
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

    /// What goes on is not ended, however long it takes; what is silent is.
    #[test]
    fn patience_counts_from_the_last_word() {
        let (silence, said) = (Duration::from_millis(1500), std::cell::Cell::new(0));
        let run = |patient: bool, line: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", line]);
            said.set(0);
            fed(command, Vec::new(), silence, patient, |bytes| said.set(said.get() + bytes.len()))
                .map_err(|e| e.to_string())
        };
        let words = "for n in 1 2 3 4 5 6 7 8; do printf x; sleep 0.3; done";
        assert!(run(false, words).unwrap_err().contains("did not end within"));
        assert_eq!((run(true, words), said.get()), (Ok(()), 8));
        assert!(run(true, "printf x; sleep 30").unwrap_err().contains("said nothing for 2 s"));
    }
}
