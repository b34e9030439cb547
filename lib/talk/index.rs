//! The index of a talk directory: an SQLite database with which a search need not read all logs.
//!
//! It holds nothing that the logs do not have, and may be deleted at any time. For each line of a log it has its place and its words.
//! A search reads the lines that it prints from the logs. If the index cannot be used, the caller reads the logs instead.

use super::index_log::{self, IndexLog};
use super::index_rows as rows;
use super::log::Messages;
use super::message::{self, Line};
use super::query::Query;
use crate::sys::clock;
use crate::sys::files;
use crate::sys::lock;
use rusqlite::{Connection, OpenFlags};
use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a search waits for another one that updates the index.
const PATIENCE: Duration = Duration::from_millis(500);

/// The longest version of a database file.
const STAMP: u64 = 1024;

/// The files of one index.
pub struct Index {
    database: PathBuf,
    /// The version of the database after the last complete update. A database that was changed since is not used.
    stamp: PathBuf,
    lock: PathBuf,
}

impl Index {
    /// The index whose database is at `database`. The directory must exist.
    pub fn at(database: &Path) -> Index {
        let beside = |end: &str| database.with_extension(end);
        Index { database: database.to_path_buf(), stamp: beside("talk-stamp"), lock: beside("talk-lock") }
    }

    /// The messages of the logs at `wanted` that `query` selects: the last `count` of them, and perhaps others. Updates the index, which has
    /// the logs at `all`. None if the index cannot be used.
    pub fn search(&self, all: &[PathBuf], wanted: &[PathBuf], query: &Query, count: usize) -> Option<Messages> {
        let _lock = lock::take(&self.lock, PATIENCE).ok()?;
        let mut logs: Vec<IndexLog> = all.iter().map(|path| IndexLog::open(path)).collect::<Option<_>>()?;
        let wanted: HashSet<&[u8]> = wanted.iter().filter_map(|path| Some(path.file_name()?.as_bytes())).collect();
        if let Some(found) = self.open().and_then(|database| {
            if rows::update(&database, &mut logs)? {
                self.write_stamp()?;
            }
            select(&database, &mut logs, &wanted, query, count)
        }) {
            return Some(found);
        }
        let database = self.rebuild(&mut logs)?;
        select(&database, &mut logs, &wanted, query, count)
    }

    /// The database, if nothing else has written to it.
    fn open(&self) -> Option<Connection> {
        let stamp = files::try_read(&self.stamp, STAMP)?;
        let meta = files::try_open(&self.database)?.metadata().ok()?;
        if index_log::version(&meta).as_bytes() != stamp {
            return None;
        }
        let database = connect(&self.database)?;
        rows::is_of_this_form(&database).then_some(database)
    }

    /// Makes the index anew, in a file that then replaces the old one.
    fn rebuild(&self, logs: &mut [IndexLog]) -> Option<Connection> {
        let new = self.database.with_extension("talk-new");
        let _ = fs::remove_file(&new);
        files::write_new(&new, b"").ok()?;
        let filled = connect(&new).and_then(|database| {
            rows::create(&database)?;
            rows::update(&database, logs)
        });
        if filled.is_none() {
            let _ = fs::remove_file(&new);
            return None;
        }
        fs::rename(&new, &self.database).ok()?;
        self.write_stamp()?;
        connect(&self.database)
    }

    /// Makes the database as it is now the one that the next search trusts.
    fn write_stamp(&self) -> Option<()> {
        // After a power failure the stamp must not be newer than the database.
        files::sync(&self.database).ok()?;
        let meta = files::try_open(&self.database)?.metadata().ok()?;
        files::write_whole(&self.stamp, index_log::version(&meta).as_bytes(), false).ok()
    }
}

/// Opens a database that only the holder of the lock uses. It has no journal: after a failed write its stamp is wrong.
fn connect(path: &Path) -> Option<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).ok()?;
    database
        .execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
             PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768; PRAGMA trusted_schema = OFF;",
        )
        .ok()?;
    Some(database)
}

/// The messages that `query` selects, read from the lines that the index names.
fn select(
    database: &Connection,
    logs: &mut [IndexLog],
    wanted: &HashSet<&[u8]>,
    query: &Query,
    count: usize,
) -> Option<Messages> {
    let mut messages = Messages::default();
    let (mut is_wanted, mut numbers) = (vec![false; logs.len()], vec![0; logs.len()]);
    for known in rows::files(database)? {
        let at = logs.iter().position(|log| log.name == known.name)?;
        numbers[at] = known.number;
        is_wanted[at] = wanted.contains(&known.name[..]);
        if is_wanted[at] {
            messages.skipped.damaged += known.damaged;
            messages.skipped.newer += known.newer;
            // A line that nobody has completed is not in the index.
            let log = &mut logs[at];
            let rest = usize::try_from(log.size.checked_sub(known.length)?).ok()?;
            messages.add(log.bytes(known.length, rest)?.trim_ascii(), |message| query.matches(message));
        }
    }
    let mut read = |row: &rows::Row| -> Option<Option<message::Message>> {
        let at = numbers.iter().position(|number| *number == row.file)?;
        if !is_wanted[at] || query.since.is_some_and(|since| row.at < since.0) {
            return Some(None);
        }
        match message::parse(logs[at].bytes(row.start, row.length)?.trim_ascii()) {
            Line::Message(message) => Some(query.matches(&message).then_some(*message)),
            // The log was changed meanwhile.
            Line::Newer | Line::Damaged => None,
        }
    };
    // Of two lines with one id only one counts, so all such lines are read.
    let mut twins = HashSet::new();
    for row in rows::twins(database)? {
        if let Some(message) = read(&row)? {
            messages.insert(message);
        }
        twins.insert(row.key);
    }
    if !is_wanted.contains(&true) {
        return Some(messages);
    }
    // Messages from far ahead are counted, so they are all read.
    let ahead = clock::now().plus(clock::DAY).0;
    let only = query.topic.as_ref().and_then(|_| is_wanted.iter().position(|wanted| *wanted));
    let terms = rows::terms(query, only.map(|at| numbers[at]));
    let (mut found, mut last) = (0, u64::MAX);
    rows::each_from_the_end(database, &terms, |row| {
        let time = rows::time(row.key);
        if found >= count && time < last && time <= ahead {
            return Some(false);
        }
        if !twins.contains(&row.key)
            && let Some(message) = read(row)?
        {
            last = time;
            messages.insert(message);
            found += 1;
        }
        Some(true)
    })?;
    Some(messages)
}
