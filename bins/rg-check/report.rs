//! The report of a check: which files hold it, whether they are of this run, and what they say.

use crate::earlier_reports::EarlierReports;
use review_gate::donefile::{CheckSpec, ReportSpec};
use review_gate::event::Check;
use review_gate::evidence::{Evidence, OutputReader, read_report};
use review_gate::git::{Index, Repository};
use review_gate::store::state::State;
use review_gate::sys::glob;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{cut_end, one_line};
use review_gate::sys::{clock, files};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The largest report file, in bytes.
const FILE: u64 = 32 << 20;

/// The largest total of the files of one report, in bytes.
const TOTAL: u64 = 128 << 20;

/// The most paths that are looked at for a pattern.
const PATHS: usize = 20_000;

/// The most report files that are read, and the most that are named.
const FILES: (usize, usize) = (2_000, 10);

/// How much earlier than the clock a file system may date a write, in nanoseconds.
const COARSE: i64 = 10_000_000;

/// When a check began, in nanoseconds, and the report files that were there before.
pub struct Begin {
    at: i64,
    earlier: EarlierReports,
}

impl Begin {
    /// Just before the check runs.
    pub fn of(spec: &CheckSpec, root: &Path) -> Begin {
        let paths = match &spec.report {
            Some(ReportSpec::Files(pattern)) => matching(pattern, root).unwrap_or_default(),
            _ => Vec::new(),
        };
        let earlier = EarlierReports::of(paths, FILE);
        Begin { at: clock::file_nanos(), earlier }
    }
}

/// What the check reports, or why its report cannot be used.
pub fn evidence(
    spec: &CheckSpec,
    root: &Path,
    begin: Begin,
    output: OutputReader,
    document: impl FnOnce() -> Vec<u8>,
) -> Result<Option<Evidence>, String> {
    match &spec.report {
        Some(ReportSpec::Files(pattern)) => in_files(pattern, root, begin).map(Some),
        Some(ReportSpec::Runner(runner)) => {
            let found = output.finish(document);
            let is_of = |name: &String| name.split(' ').next() == Some(runner);
            match found.filter(|found| found.run.runners.iter().any(is_of)) {
                Some(found) => Ok(Some(found)),
                None => Err(format!("the output has no closing line of {runner}")),
            }
        }
        None => Ok(output.finish(document)),
    }
}

/// Adds it to the result of the check. The names of the tests go to a blob.
pub fn add(check: &mut Check, found: Result<Option<Evidence>, String>, state: &State) {
    match found {
        Ok(Some(mut evidence)) => {
            let names = evidence.tests.take().map(|tests| redact(&String::from_utf8_lossy(&tests.bytes())));
            // Without the names, only the counts are compared.
            evidence.run.list =
                names.filter(|names| !names.is_empty()).and_then(|names| state.keep_blob(names.as_bytes()).ok());
            check.tests = Some(evidence.run);
        }
        Ok(None) => {}
        Err(why) => check.report_error = Some(cut_end(&one_line(&redact(&why)), 300)),
    }
}

/// The sum of the files that match the pattern and were written by this run.
fn in_files(pattern: &str, root: &Path, begin: Begin) -> Result<Evidence, String> {
    let earlier = begin.earlier.unwritten();
    let found = matching(pattern, root)?;
    if found.is_empty() {
        return Err(format!("there is no file {pattern}"));
    }
    let real_root = fs::canonicalize(root).map_err(|error| format!("{pattern}: {error}"))?;
    let mut indexes = Indexes::default();
    let mut sum: Option<Evidence> = None;
    // Why a file is not of this run. It matters only if no other file is.
    let (mut stale, mut total, mut read) = (None, 0, 0);
    for path in found {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let meta = fs::symlink_metadata(&path).map_err(|error| format!("{name}: {error}"))?;
        let is_inside = fs::canonicalize(&path).is_ok_and(|real| real.starts_with(&real_root));
        if meta.is_symlink() || !is_inside {
            return Err(format!("{name} is a symbolic link, or is reached through one"));
        }
        let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
        let written = nanos(meta.mtime(), meta.mtime_nsec()).min(nanos(meta.ctime(), meta.ctime_nsec()));
        if written < begin.at - COARSE {
            stale = Some(format!("{name} is older than the start of the check: this run did not write it"));
            continue;
        }
        (total, read) = (total + meta.len(), read + 1);
        if meta.len() > FILE || total > TOTAL || read > FILES.0 {
            return Err(format!(
                "{name} is too large: a file may have {} MiB, all together {} MiB",
                FILE >> 20,
                TOTAL >> 20
            ));
        }
        let bytes = files::read(&path, FILE).map_err(|error| error.to_string())?.unwrap_or_default();
        if earlier.has(&path, &meta, &bytes) {
            stale = Some(format!("{name} was there before the check with the same bytes: this run did not write it"));
            continue;
        }
        if indexes.have(&path, &bytes) {
            stale = Some(format!("{name} has the bytes that are committed: a report of this run is not in the index"));
            continue;
        }
        let mut evidence = read_report(&bytes).map_err(|why| format!("{name}: {why}"))?;
        evidence.run.reports.push(name);
        match &mut sum {
            Some(sum) => sum.add(evidence),
            None => sum = Some(evidence),
        }
    }
    if let Some(sum) = &mut sum {
        sum.run.reports.truncate(FILES.1);
    }
    sum.ok_or_else(|| stale.unwrap_or_default())
}

/// The indexes of git, by the top of their files. Each is read once for all reports.
#[derive(Default)]
struct Indexes(BTreeMap<PathBuf, Option<Index>>);

impl Indexes {
    /// Whether an index has a file of this path and these bytes, so that it may have been checked out.
    fn have(&mut self, path: &Path, bytes: &[u8]) -> bool {
        let Some(repository) = path.parent().and_then(Repository::find) else { return false };
        let Ok(below) = path.strip_prefix(&repository.top) else { return false };
        let index = self.0.entry(repository.top.clone()).or_insert_with(|| repository.tracked().ok());
        let mut files = index.iter().flat_map(Index::iter);
        files.any(|tracked| tracked.path == below && tracked.id.names("blob", bytes))
    }
}

/// The paths below the root that match, sorted.
fn matching(pattern: &str, root: &Path) -> Result<Vec<PathBuf>, String> {
    if glob::is_literal(pattern) {
        let path = root.join(pattern);
        return Ok(if fs::symlink_metadata(&path).is_ok() { vec![path] } else { Vec::new() });
    }
    let star = pattern.find(['*', '?']).unwrap_or(0);
    let fixed = pattern[..star].rsplit_once('/').map_or("", |(dir, _)| dir);
    let mut paths = Vec::new();
    for (at, entry) in WalkDir::new(root.join(fixed)).into_iter().enumerate() {
        if at >= PATHS {
            return Err(format!("more than {PATHS} files lie below the fixed part of {pattern}"));
        }
        let Ok(entry) = entry else { continue };
        let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
        if !entry.file_type().is_dir() && glob::matches(pattern, &below.to_string_lossy()) {
            paths.push(entry.into_path());
        }
    }
    paths.sort();
    Ok(paths)
}
