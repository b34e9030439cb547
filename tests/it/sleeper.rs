//! Sleeping processes, which a test knows by a time of their own: also while this suite runs twice on one machine.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A number of seconds, about an hour, that no other test sleeps for.
pub fn time() -> String {
    format!("4242.{}{:04}1", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst))
}

/// How many processes sleep for that time.
pub fn count(time: &str) -> usize {
    let listed = Command::new("ps").args(["-eo", "args"]).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let line = format!("sleep {time}");
    String::from_utf8_lossy(&listed.stdout).lines().filter(|args| args.trim_end() == line).count()
}
