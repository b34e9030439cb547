//! The window of a run: the time between the snapshot before the checks and the one after them, and the files that changed in it.

use crate::leftovers::{Leftovers, is_lock_file};
use crate::loaded::is_loaded_unasked;
use review_gate::donefile::{self, Donefile, ReportSpec};
use review_gate::event::Event;
use review_gate::git::Repository;
use review_gate::snapshot::{self, CurrentIgnores, RecordedIgnores, Snapshot, baseline};
use review_gate::sys::clock;
use review_gate::sys::gitignore::Patterns;
use review_gate::sys::text::count;
use review_gate::sys::watch::{DirEvents, DirWatch};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The files that changed in the window, relative to the root.
#[derive(Default)]
pub struct Changes {
    /// Files with other content, which no check declares.
    pub differing: Vec<String>,
    /// Files that were written or replaced and have their old content again, which no check declares.
    pub restored: Vec<String>,
    /// Files that exist in neither snapshot but came or went between them, which no check declares, and which may be loaded unasked.
    pub passing: Vec<String>,
    /// Directories that were moved, of which no check declares the files.
    pub moved: Vec<String>,
    /// Paths at which a mount came or went that covers judged files.
    pub mounted: Vec<String>,
    /// Whether events about files were lost.
    pub has_lost_events: bool,
    /// Files that a check declares, and caches and logs of tools.
    pub declared: Vec<String>,
    /// The ignore rules that would cover the caches and logs.
    pub leftovers: Vec<String>,
}

impl Changes {
    /// The files that changed between two snapshots. Only `writes` and the ignore rules of the snapshots permit a change: a rule that
    /// was added in this task does not.
    pub fn between(before: &Snapshot, after: &Snapshot, events: DirEvents, done: &Donefile, event: &Event) -> Changes {
        let (differing, restored) = (after.changed_since(before), after.restored_since(before));
        let DirEvents { changed, moved, mounts, has_lost_events } = events;
        let mut changes = Changes { has_lost_events, ..Changes::default() };
        let top = snapshot::top_of(&event.root);
        let covers = |point: &Path| match point.strip_prefix(&top) {
            Ok(point) => before.files.iter().any(|file| file.path.starts_with(point)),
            Err(_) => top.starts_with(point),
        };
        changes.mounted.extend(mounts.iter().filter(|point| covers(point)).map(|point| point.display().to_string()));
        if differing.is_empty() && restored.is_empty() && changed.is_empty() && moved.is_empty() {
            return changes;
        }
        let name = |path: &Path| baseline::display_path(&top, &event.root, path);
        let writes = done.checks.iter().flat_map(|check| &check.writes);
        let reports = done.checks.iter().filter_map(|check| match &check.report {
            Some(ReportSpec::Files(pattern)) => Some(pattern),
            _ => None,
        });
        let declared = Patterns::new(writes.chain(reports).map(String::as_str));
        let is_declared =
            |path: &Path| top.join(path).strip_prefix(&event.root).is_ok_and(|path| declared.matches_strictly(path));
        let committed = committed(&top);
        let leftovers = Leftovers::new(before, &committed);
        let mut current = CurrentIgnores::new(&top);
        let ignore_rule = |path: &Path| {
            let is_definition = donefile::NAMES.iter().any(|name| path.ends_with(name));
            leftovers.ignore_rule(path).filter(|_| !is_definition && !committed.contains(path))
        };
        for path in differing {
            if is_declared(&path) {
                changes.declared.push(name(&path));
            } else if let Some(rule) = ignore_rule(&path) {
                changes.declared.push(name(&path));
                // A cache may bring its own ignore rules, and the agent may have added one in this task.
                changes.leftovers.extend((!current.hide(&path)).then_some(rule));
            } else {
                changes.differing.push(name(&path));
            }
        }
        let is_permitted = |path: &Path| is_declared(path) || ignore_rule(path).is_some();
        // `npm install` writes its lock file each time, mostly with the same bytes.
        let restored = restored.iter().filter(|path| !is_permitted(path)).map(|path| name(path));
        changes.restored = restored.filter(|path| !is_lock_file(path)).collect();
        let ignored = RecordedIgnores::new(after.ignores.clone());
        for path in changed.iter().filter_map(|path| path.strip_prefix(&top).ok()) {
            let is_judged = before.get(path).is_some() || after.get(path).is_some();
            if !is_judged && !ignored.hides(path, false) && !is_permitted(path) {
                changes.passing.push(name(path));
            }
        }
        let is_above = |dir: &&PathBuf| !dir.starts_with(&top);
        changes.moved.extend(moved.iter().filter(is_above).map(|dir| format!("{}/", dir.display())));
        for dir in moved.iter().filter_map(|dir| dir.strip_prefix(&top).ok()) {
            let file = before.files.iter().find(|file| file.path.starts_with(dir));
            if file.is_some_and(|file| !is_permitted(&file.path)) {
                changes.moved.push(format!("{}/", if dir.as_os_str().is_empty() { ".".into() } else { name(dir) }));
            }
        }
        changes.leftovers.sort();
        changes.leftovers.dedup();
        changes
    }

    /// All changes that no check declares.
    pub fn undeclared(&self) -> Vec<String> {
        let lost = self.has_lost_events.then(|| "(lost events)".to_string());
        [&self.differing, &self.restored, &self.passing, &self.moved, &self.mounted]
            .into_iter()
            .flatten()
            .cloned()
            .chain(lost)
            .collect()
    }

    /// One report for each kind of change that no check declares: the names that identify it, and its text.
    pub fn reports(&self) -> Vec<(String, String)> {
        let (locks, others): (Vec<&String>, Vec<&String>) = self.differing.iter().partition(|path| is_lock_file(path));
        let shown = |paths: &[&String]| {
            let names = paths.iter().take(SHOWN).map(|path| path.as_str()).collect::<Vec<_>>().join(", ");
            (names, if paths.len() > SHOWN { format!(" and {} more", paths.len() - SHOWN) } else { String::new() })
        };
        let mut reports = Vec::new();
        let mut report = |paths: &[&String], noun: &str, what: &str, remedy: String| {
            if !paths.is_empty() {
                let (names, more) = shown(paths);
                let text = format!("{} {what}: {names}{more}. {remedy}", count(paths.len(), noun));
                reports.push((names, text));
            }
        };
        let restored: Vec<&String> = self.restored.iter().collect();
        let declare =
            |paths: &[&String]| format!("If a check writes there, declare it in DONE.md: `{}`", declaration(paths));
        report(&others, "file", "changed while the checks ran", declare(&others));
        report(&locks, "lock file", "changed while the checks ran", "Commit it".into());
        let what = "changed while the checks ran, and back to the old content";
        report(&restored, "file", what, declare(&restored));
        let passing: Vec<&String> = self.passing.iter().collect();
        report(&passing, "file", "existed only while the checks ran", declare(&passing));
        let moved: Vec<&String> = self.moved.iter().collect();
        report(&moved, "directory", "moved while the checks ran", declare(&moved));
        let mounted: Vec<&String> = self.mounted.iter().collect();
        let remedy = "The checks may have read other files than these. Run them without the mount".to_string();
        report(&mounted, "path", "mounted or unmounted while the checks ran", remedy);
        if self.has_lost_events {
            let text =
                "too many files came and went while the checks ran to look at each. Run `rg-check --now --fresh`";
            reports.push(("events".into(), text.into()));
        }
        reports
    }
}

/// The most files that a report names.
const SHOWN: usize = 5;

/// The line of DONE.md that declares those files. Of many files, it names the directories.
fn declaration(paths: &[&String]) -> String {
    let dir = |path: &str| path.split_once('/').map_or(path.to_string(), |(first, _)| format!("{first}/"));
    let mut names: Vec<String> = match paths.len() {
        ..=SHOWN => paths.iter().map(|path| path.to_string()).collect(),
        _ => paths.iter().map(|path| dir(path)).collect(),
    };
    names.dedup();
    let is_plain = |name: &String| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b));
    match names.len() <= SHOWN && names.iter().all(is_plain) {
        true => format!("writes: [{}]", names.join(", ")),
        false => "writes: [PATTERN]".to_string(),
    }
}

/// The paths in the index and in the checked-out commit.
fn committed(top: &Path) -> BTreeSet<PathBuf> {
    let Some(repository) = Repository::at(top) else { return BTreeSet::new() };
    let index = repository.tracked().unwrap_or_default();
    let tracked = index.iter().map(|tracked| tracked.path.to_path_buf());
    tracked.chain(repository.paths_of_head().unwrap_or_default()).collect()
}

/// The most directories that are watched.
const MOST_DIRS: usize = 10_000;

/// Watches the directories of a snapshot, the outer ones first, because their configuration has effect further inside.
pub fn watch(before: &Snapshot, root: &Path) -> Option<DirWatch> {
    let top = snapshot::top_of(root);
    let mut parents: Vec<&Path> = before.files.iter().filter_map(|file| file.path.parent()).collect();
    // The files of a directory mostly follow each other.
    parents.dedup_by(|next, kept| next.as_os_str() == kept.as_os_str());
    let mut dirs: BTreeSet<&Path> = BTreeSet::new();
    for dir in parents {
        // The ancestors of a known directory are known.
        dir.ancestors().take_while(|dir| dirs.insert(dir)).for_each(drop);
    }
    let mut dirs: Vec<PathBuf> = dirs.into_iter().map(|dir| top.join(dir)).collect();
    dirs.sort_by_key(|dir| dir.components().count());
    dirs.truncate(MOST_DIRS);
    // Another tree stands at the path of this one while a directory above it is moved.
    let above = top.ancestors().skip(1);
    DirWatch::start(dirs.iter().map(PathBuf::as_path), above, is_loaded_unasked)
}

/// The age from which on a file is old enough to have another ctime after a write, whatever the resolution of its file system.
const OLD: i64 = 2_000_000_000;

/// Waits until every write changes the ctime of its file. Otherwise a file that was written just before `before` was taken could be
/// written twice more without a trace in its stat. `taken` is a time after `before` was taken, in nanoseconds.
pub fn outlast_resolution(before: &Snapshot, taken: i64) {
    std::thread::sleep(Duration::from_nanos(wait(before, taken, clock::file_nanos())));
}

/// How long to wait at `now`, in nanoseconds.
fn wait(before: &Snapshot, taken: i64, now: i64) -> u64 {
    // A file server's clock may differ from this machine's, so the time that passed here is counted, not the difference of the clocks.
    let young = before.stats.iter().filter(|stat| stat.ctime > taken.saturating_sub(OLD));
    let resolution = young.map(|stat| stat.resolution()).max().unwrap_or(0);
    let passed = now.saturating_sub(taken).max(0);
    resolution.saturating_sub(passed).max(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use review_gate::snapshot::Stat;

    #[test]
    fn checks_begin_after_the_resolution_of_file_times() {
        const TAKEN: i64 = 1_800_000_000_000_000_000;
        let snapshot = |ctime| {
            let mut snapshot = Snapshot::default();
            snapshot.stats.push(Stat { ctime, ..Stat::default() });
            snapshot
        };
        for (ctime, passed, want) in [
            (TAKEN - 1, 0, 10_000_000),
            (TAKEN - 1, 4_000_000, 6_000_000),
            (TAKEN - 1, 50_000_000, 0),
            (TAKEN - 1, -5_000_000, 10_000_000),
            (TAKEN - 3_000_000_001, 0, 0),
            (TAKEN + 3_600_000_000_001, 0, 10_000_000),
            (TAKEN - 1_000_000_000, 0, 2_000_000_000),
            (Stat::NEVER, 0, 10_000_000),
        ] {
            assert_eq!(wait(&snapshot(ctime), TAKEN, TAKEN + passed), want, "{ctime} {passed}");
        }
        assert_eq!(wait(&Snapshot::default(), TAKEN, TAKEN), 0);
    }
}
