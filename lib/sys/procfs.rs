//! Processes as /proc describes them; empty without /proc.

use crate::sys::clock::Time;
use crate::sys::env;
use crate::sys::files;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use std::path::PathBuf;

/// The largest file of a process that is read, in bytes.
const LIMIT: u64 = 4 << 20;

fn of(pid: &str, name: &str) -> Option<Vec<u8>> {
    files::try_read(&env::proc_dir().join(pid).join(name), LIMIT)
}

fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok()
}

/// The fields after a process's name, which is in parentheses and may contain any character.
fn after_name(stat: Vec<u8>) -> String {
    let text = String::from_utf8_lossy(&stat);
    text.rsplit_once(')').map_or(String::new(), |(_, after)| after.to_string())
}

/// A process's arguments.
pub fn command_line(pid: i32) -> Vec<String> {
    let bytes = of(&pid.to_string(), "cmdline").unwrap_or_default();
    bytes.split(|b| *b == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// The processes of this machine; None without /proc.
pub fn all() -> Option<Vec<i32>> {
    let names = std::fs::read_dir(env::proc_dir()).ok()?;
    Some(names.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// This process.
pub fn own_pid() -> i32 {
    std::process::id().cast_signed()
}

/// The name of a process's program, as far as the kernel keeps it.
pub fn name_of(pid: i32) -> Option<String> {
    Some(String::from_utf8_lossy(&of(&pid.to_string(), "comm")?).trim_end_matches('\n').to_string())
}

/// The directory that a process works in.
pub fn working_dir(pid: i32) -> Option<PathBuf> {
    std::fs::read_link(env::proc_dir().join(pid.to_string()).join("cwd")).ok()
}

/// The parent of a process.
pub fn parent_of(pid: i32) -> Option<i32> {
    after_name(of(&pid.to_string(), "stat")?).split_whitespace().nth(1)?.parse().ok()
}

/// The running processes of a process group.
pub fn group_of(group: i32) -> Vec<i32> {
    let of_group = |pid: &i32| {
        let stat = after_name(of(&pid.to_string(), "stat")?);
        let mut fields = stat.split_whitespace();
        let is_zombie = fields.next() == Some("Z");
        (!is_zombie && fields.nth(1)?.parse() == Ok(group)).then_some(())
    };
    all().unwrap_or_default().into_iter().filter(|pid| of_group(pid).is_some()).collect()
}

/// Whether a process runs; a zombie does not.
pub fn is_running(pid: i32) -> bool {
    let exists = Pid::from_raw(pid).is_some_and(|pid| {
        // Another user's process exists, too.
        matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM))
    });
    exists && pid > 0 && state_of(pid).is_none_or(|state| state != "Z")
}

/// Whether a process was stopped by a signal, or by a debugger.
pub fn is_stopped(pid: i32) -> bool {
    state_of(pid).is_some_and(|state| matches!(state.as_str(), "T" | "t"))
}

/// The letter of a process's state.
fn state_of(pid: i32) -> Option<String> {
    after_name(of(&pid.to_string(), "stat")?).split_whitespace().next().map(str::to_string)
}

/// When the system started; None without /proc.
pub fn boot_time() -> Option<Time> {
    let text = text(files::try_read(&env::proc_dir().join("stat"), LIMIT)?)?;
    let seconds: u64 = text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    Some(Time(seconds.saturating_mul(1000)))
}

/// When a process started, in clock ticks since the system did: two processes of one id differ in it.
pub fn start_of(pid: i32) -> Option<u64> {
    after_name(of(&pid.to_string(), "stat")?).split_whitespace().nth(19)?.parse().ok()
}

/// The most ancestors of a process that are followed.
const MOST_ANCESTORS: usize = 100_000;

/// A process, its parent, the parent's parent and so on. None if there are too many to follow.
pub fn line_of_descent(pid: i32) -> Option<Vec<i32>> {
    let mut line = Vec::new();
    let mut next = Some(pid);
    while let Some(here) = next.filter(|pid| *pid > 1) {
        // A line of descent has no cycle, except if a process's id was reused while it was read.
        if line.len() == MOST_ANCESTORS {
            return None;
        }
        line.push(here);
        next = parent_of(here);
    }
    Some(line)
}

/// Whether a process was started with one of these variables.
pub fn has_variable(pid: i32, names: &[&str]) -> bool {
    let bytes = of(&pid.to_string(), "environ").unwrap_or_default();
    let mut entries = bytes.split(|b| *b == 0).filter_map(|entry| entry.split(|b| *b == b'=').next());
    entries.any(|name| names.iter().any(|known| known.as_bytes() == name))
}

/// Whether a process runs that was started with this value of a variable.
pub fn has_value(pid: i32, name: &str, value: &str) -> bool {
    let bytes = of(&pid.to_string(), "environ").unwrap_or_default();
    let mut entries = bytes.split(|b| *b == 0).filter_map(|entry| entry.strip_prefix(name.as_bytes()));
    entries.any(|entry| entry.strip_prefix(b"=") == Some(value.as_bytes()))
}

/// The children of a process.
#[cfg(target_os = "linux")]
pub fn children_of(pid: i32) -> Vec<i32> {
    let tasks = std::fs::read_dir(PathBuf::from(format!("/proc/{pid}/task"))).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| text(files::try_read(&task.path().join("children"), LIMIT)?));
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()).collect()
}

/// Whether this process ignores a signal.
pub fn is_ignored(signal: i32) -> bool {
    let status = of("self", "status").and_then(text).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}

/// Whether a process has a terminal; None means this process. True without /proc.
pub fn has_terminal(pid: Option<i32>) -> bool {
    let pid = pid.map_or("self".to_string(), |pid| pid.to_string());
    let Some(stat) = of(&pid, "stat") else { return true };
    after_name(stat).split_whitespace().nth(4).is_none_or(|terminal| terminal != "0")
}

/// The processor time that this thread used, for tests on a machine under load; zero where the kernel does not count it.
#[cfg(test)]
pub(crate) fn processor_time() -> std::time::Duration {
    let counted = files::try_read(std::path::Path::new("/proc/thread-self/schedstat"), LIMIT).and_then(text);
    let nanos = counted.and_then(|text| text.split(' ').next()?.parse().ok());
    std::time::Duration::from_nanos(nanos.unwrap_or(0))
}
