//! Kills what a test waits for too long, so that the test fails by its name and the suite ends.

use review_gate::sys::procfs;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Once;
use std::time::{Duration, Instant};

/// How long a child of the tests may run. The longest takes two minutes where the machine does nothing else.
const LIMIT: Duration = Duration::from_secs(600);

/// Watches the children of this process from the first call on. Without /proc it sees none.
pub fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        std::thread::spawn(|| {
            let mut seen = BTreeMap::new();
            loop {
                std::thread::sleep(Duration::from_secs(5));
                let children = procfs::children_of(procfs::own_pid());
                end_older_than(LIMIT, children, &mut seen);
            }
        });
    });
}

/// A process, and the time of its start: an id is used again.
type Process = (i32, Option<u64>);

/// Ends the children that were first seen longer ago than `limit`, and what they started.
fn end_older_than(limit: Duration, children: Vec<i32>, seen: &mut BTreeMap<Process, Instant>) {
    let children: Vec<Process> = children.into_iter().map(|pid| (pid, procfs::start_of(pid))).collect();
    seen.retain(|process, _| children.contains(process));
    for child in children {
        let since = seen.entry(child).or_insert_with(Instant::now);
        if since.elapsed() > limit {
            end(child.0, 0);
        }
    }
}

/// Ends a process after those that it started, and names them all.
fn end(pid: i32, depth: usize) {
    let children = procfs::children_of(pid);
    let line = procfs::command_line(pid).join(" ");
    let _ = writeln!(std::io::stderr(), "watchdog: {:indent$}{pid} {line}", "", indent = depth * 2);
    children.into_iter().for_each(|child| end(child, depth + 1));
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

#[test]
fn a_child_that_does_not_end_is_killed_with_what_it_started() {
    let time = crate::sleeper::time();
    let line = format!("sleep {time} & sleep {time}; :");
    let mut child = std::process::Command::new("sh").args(["-c", &line]).spawn().unwrap();
    while crate::sleeper::count(&time) < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let (mut seen, pid) = (BTreeMap::new(), child.id().cast_signed());
    end_older_than(LIMIT, vec![pid], &mut seen);
    assert_eq!(crate::sleeper::count(&time), 2);
    end_older_than(Duration::ZERO, vec![pid], &mut seen);
    assert!(!child.wait().unwrap().success());
    assert_eq!(crate::sleeper::count(&time), 0);
}
