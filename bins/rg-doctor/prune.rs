//! `--prune`: removes the records that have expired, by the rules of the programs that wrote them.

use review_gate::donefile;
use review_gate::store::retention::{self, KEPT, KEPT_FOR, LOGS};
use review_gate::store::state::State;
use review_gate::sys::error::Result;
use review_gate::sys::text::count;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A kind of record: its name, its files that have expired, and its directories.
struct Class {
    name: &'static str,
    expired: Vec<PathBuf>,
    dirs: Vec<PathBuf>,
}

/// Removes what has expired for `root`, and returns what was removed and what stays, a line for each kind. Backups are not touched.
pub fn run(root: &Path, state: &State) -> Result<String> {
    let user = State::of_user()?;
    let dir = |name: &str| state.dir().join(name);
    let by_age = |dir: PathBuf, keep: usize| (retention::expired(&dir, keep, KEPT_FOR), vec![dir]);
    let logs = log_dirs(&dir("checks"));
    let (age, keep) = trace_rule(root);
    let class = |name, (expired, dirs)| Class { name, expired, dirs };
    let classes = [
        class("trace", (retention::expired_traces(state, age, keep), vec![dir("trace")])),
        class("receipt", by_age(state.receipts(), KEPT)),
        class("task", by_age(dir("tasks"), KEPT)),
        class("session", by_age(user.sessions(), KEPT)),
        // A session has two marks.
        class("session mark", by_age(user.calls(), 2 * KEPT)),
        class("blob", (retention::expired_blobs(state), vec![dir("blobs")])),
        class("check log", (logs.iter().flat_map(|dir| retention::expired(dir, LOGS, Duration::ZERO)).collect(), logs)),
    ];
    let mut out = String::new();
    for class in classes {
        let (removed, bytes) = retention::remove(class.expired);
        let (left, size) = class.dirs.iter().map(|dir| content(dir)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        if removed + left > 0 {
            let (gone, stays) = (count(removed, class.name), count(left, class.name));
            out.push_str(&format!("removed {gone} ({}), kept {stays} ({})\n", megabytes(bytes), megabytes(size)));
        }
    }
    if out.is_empty() {
        out = "there are no records\n".to_string();
    }
    Ok(out)
}

/// How long traces are kept, as DONE.md says.
fn trace_rule(root: &Path) -> (Option<Duration>, Option<usize>) {
    let found = donefile::find(root).ok().flatten();
    let definition = found.and_then(|found| donefile::parse(found.name, &found.bytes, &found.root).ok());
    definition.map(|definition| definition.trace_keep).unwrap_or_default().limits()
}

/// The directories with the logs of checks, one for each root.
fn log_dirs(checks: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(checks).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "logs") && path.is_dir()).collect()
}

/// How many files a directory has, and their size in bytes.
fn content(dir: &Path) -> (usize, u64) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| entry.metadata().ok()).filter(|meta| meta.is_file()).map(|meta| meta.len());
    sizes.fold((0, 0), |(files, bytes), size| (files + 1, bytes + size))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
