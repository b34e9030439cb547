//! The tables of an index, and how new lines of the logs come into them.

use super::index_log::IndexLog;
use super::message::{self, Line};
use super::query::{self, Query};
use crate::sys::digest;
use crate::sys::ids;
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// The form of the tables and of what is in them. A database of another form is made anew.
const FORM: i64 = 1;

/// The bits of a key below the time of the id.
const BITS: u32 = 15;

/// The latest time of a key.
const LATEST: u64 = (1 << 48) - 1;

/// What marks the log and the sender among the words. No word has this character.
const MARK: char = '\u{a7}';

/// At most so many words of a query are looked up. The lines that are found are compared with the whole query.
const TERMS: usize = 32;

/// `lines` has the place of each message. Its key is in the order of the times of the ids.
const TABLES: &str = "
    CREATE TABLE files (
        number INTEGER PRIMARY KEY, name BLOB NOT NULL, version TEXT NOT NULL, length INTEGER NOT NULL, digest BLOB NOT NULL,
        damaged INTEGER NOT NULL, newer INTEGER NOT NULL);
    CREATE TABLE lines (
        key INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL, at INTEGER NOT NULL);
    CREATE TABLE twins (key INTEGER PRIMARY KEY);
    CREATE VIRTUAL TABLE words USING fts5(body, marks, content='', columnsize=0, detail=none, tokenize='ascii');
    INSERT INTO words(words, rank) VALUES ('hashsize', 33554432);";

/// A log as the index knows it.
pub struct Known {
    /// Its number in the other tables.
    pub number: i64,
    /// The bytes of its file name.
    pub name: Vec<u8>,
    version: String,
    /// Where its last complete line ends.
    pub length: u64,
    digest: Vec<u8>,
    /// Lines that cannot be read.
    pub damaged: usize,
    /// Records of a later release.
    pub newer: usize,
}

/// The place of a message.
pub struct Row {
    /// Its key.
    pub key: i64,
    /// The number of its log.
    pub file: i64,
    /// The offset of its line.
    pub start: u64,
    /// The length of its line.
    pub length: usize,
    /// Its time by its sender's clock.
    pub at: u64,
}

/// A line that is new to the index.
struct New {
    id: String,
    log: usize,
    start: u64,
    length: usize,
}

/// A line that the index has.
struct Indexed {
    key: i64,
    id: String,
    log: usize,
    bytes: Vec<u8>,
}

/// Creates the tables.
pub fn create(database: &Connection) -> Option<()> {
    database.pragma_update(None, "page_size", 8192).ok()?;
    database.execute_batch(TABLES).ok()?;
    database.pragma_update(None, "user_version", FORM).ok()
}

/// Whether the tables are those of this release.
pub fn is_of_this_form(database: &Connection) -> bool {
    database.pragma_query_value(None, "user_version", |row| row.get(0)).is_ok_and(|form: i64| form == FORM)
}

/// The time of a message, from its key.
pub fn time(key: i64) -> u64 {
    (key as u64) >> BITS
}

/// The logs that the index knows.
pub fn files(database: &Connection) -> Option<Vec<Known>> {
    let text = "SELECT number, name, version, length, digest, damaged, newer FROM files";
    let mut statement = database.prepare(text).ok()?;
    let rows = statement.query_map([], |row| {
        Ok(Known {
            number: row.get(0)?,
            name: row.get(1)?,
            version: row.get(2)?,
            length: row.get(3)?,
            digest: row.get(4)?,
            damaged: row.get(5)?,
            newer: row.get(6)?,
        })
    });
    rows.ok()?.collect::<Result<_, _>>().ok()
}

/// The lines whose id another line has, too.
pub fn twins(database: &Connection) -> Option<Vec<Row>> {
    let mut found = Vec::new();
    each_row(database, "SELECT lines.* FROM twins JOIN lines USING (key)", None, |row| {
        found.push(row);
        Some(true)
    })?;
    Some(found)
}

/// Calls `each` with the lines that have all terms, the latest first, until it returns false. None if that fails, or if `each` does.
pub fn each_from_the_end(database: &Connection, terms: &str, mut each: impl FnMut(&Row) -> Option<bool>) -> Option<()> {
    let (text, terms) = match terms.is_empty() {
        true => ("SELECT * FROM lines ORDER BY key DESC", None),
        false => (
            "SELECT lines.* FROM words CROSS JOIN lines ON lines.key = words.rowid WHERE words MATCH ?1
             ORDER BY words.rowid DESC",
            Some(terms),
        ),
    };
    each_row(database, text, terms, |row| each(&row))
}

fn each_row(
    database: &Connection,
    text: &str,
    terms: Option<&str>,
    mut each: impl FnMut(Row) -> Option<bool>,
) -> Option<()> {
    let mut statement = database.prepare(text).ok()?;
    let mut rows = match terms {
        Some(terms) => statement.query([terms]).ok()?,
        None => statement.query([]).ok()?,
    };
    while let Some(row) = rows.next().ok()? {
        if !each(row_of(row).ok()?)? {
            return Some(());
        }
    }
    Some(())
}

fn row_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row { key: row.get(0)?, file: row.get(1)?, start: row.get(2)?, length: row.get(3)?, at: row.get(4)? })
}

/// What a line must have among its words and marks, as FTS5 reads it. Empty if a query has no word and no mark.
pub fn terms(query: &Query, file: Option<i64>) -> String {
    let words =
        query.terms().take(TERMS).map(|(word, is_prefix)| format!("\"{word}\"{}", if is_prefix { " *" } else { "" }));
    let marks = file.map(|number| format!("\"{MARK}{number}\""));
    let marks = marks.into_iter().chain(query.from.iter().map(|from| format!("\"{}\"", sender_mark(from))));
    marks.chain(words).collect::<Vec<_>>().join(" AND ")
}

fn sender_mark(from: &str) -> String {
    format!("{MARK}s{}", &digest::sha256(from.as_bytes())[..16])
}

/// Adds what the logs have and the index does not. Returns whether it wrote. None if the beginning of a log is not what the index knows,
/// or a write failed: then the index is made anew.
pub fn update(database: &Connection, logs: &mut [IndexLog]) -> Option<bool> {
    let known = files(database)?;
    if known.iter().any(|known| logs.iter().all(|log| log.name != known.name)) {
        return None;
    }
    let is_empty = known.is_empty();
    let (mut new, mut changed, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = known.iter().map(|known| known.number + 1).max().unwrap_or(0);
    for (at, log) in logs.iter_mut().enumerate() {
        let before = known.iter().find(|known| known.name == log.name);
        numbers.push(before.map_or(next, |known| known.number));
        if before.is_none() {
            next += 1;
        }
        // The version of a log that was just written is not recorded, so it never fits.
        if before.is_some_and(|known| known.version == log.version) {
            continue;
        }
        let length = before.map_or(0, |known| known.length);
        let mut digest = log.digest(length)?;
        if before.is_some_and(|known| digest.clone().finish_raw()[..] != known.digest[..]) {
            return None;
        }
        let (mut damaged, mut newer) = before.map_or((0, 0), |known| (known.damaged, known.newer));
        let end = log.each_line(length, &mut digest, |start, line| {
            let trimmed = line.trim_ascii();
            match message::id_of(trimmed) {
                Some(id) => new.push(New { id: id.into_owned(), log: at, start, length: line.len() }),
                None if trimmed.is_empty() => {}
                None if matches!(message::parse(trimmed), Line::Newer) => newer += 1,
                None => damaged += 1,
            }
        })?;
        changed.push((at, end, digest.finish_raw(), damaged, newer));
    }
    if changed.is_empty() {
        return Some(false);
    }
    let transaction = database.unchecked_transaction().ok()?;
    let wrong = add(database, logs, &numbers, new, is_empty)?;
    for (at, end, digest, damaged, newer) in changed {
        let (more_damaged, more_newer) = wrong.get(&at).copied().unwrap_or_default();
        let version = if logs[at].is_settled { logs[at].version.as_str() } else { "" };
        let values =
            params![numbers[at], logs[at].name, version, end, digest, damaged + more_damaged, newer + more_newer];
        database.execute("REPLACE INTO files VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", values).ok()?;
    }
    transaction.commit().ok()?;
    Some(true)
}

/// Adds lines, in the order of their ids. Returns how many were damaged and newer, by log.
fn add(
    database: &Connection,
    logs: &mut [IndexLog],
    numbers: &[i64],
    mut new: Vec<New>,
    is_empty: bool,
) -> Option<HashMap<usize, (usize, usize)>> {
    new.sort_by(|a, b| (&a.id, a.log, a.start).cmp(&(&b.id, b.log, b.start)));
    let mut wrong: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut line = database.prepare("INSERT INTO lines VALUES (?1, ?2, ?3, ?4, ?5)").ok()?;
    let mut words = database.prepare("INSERT INTO words(rowid, body, marks) VALUES (?1, ?2, ?3)").ok()?;
    let mut twin = database.prepare("INSERT OR IGNORE INTO twins VALUES (?1)").ok()?;
    // The lines whose ids have the same time.
    let mut same: Vec<Indexed> = Vec::new();
    let (mut same_time, mut next) = (None, 0);
    for New { id, log, start, length } in new {
        let bytes = logs[log].bytes(start, length)?.trim_ascii().to_vec();
        let message = match message::parse(&bytes) {
            Line::Message(message) => *message,
            other => {
                let (damaged, newer) = wrong.entry(log).or_default();
                *if matches!(other, Line::Newer) { newer } else { damaged } += 1;
                continue;
            }
        };
        let time = ids::time_of(&id)?.0.min(LATEST);
        if same_time != Some(time) {
            (same_time, same, next) = (Some(time), Vec::new(), (time << BITS) as i64);
            if !is_empty {
                same = of_time(database, logs, numbers, time)?;
                next = same.iter().map(|other| other.key.wrapping_add(1)).max().unwrap_or(next);
            }
        }
        let others: Vec<_> = same.iter().filter(|other| other.id == id).collect();
        if others.iter().any(|other| other.log == log && other.bytes == bytes) {
            continue;
        }
        if self::time(next) != time {
            // More messages of one millisecond than keys.
            return None;
        }
        line.execute(params![next, numbers[log], start, length, message.at.0]).ok()?;
        let marks = format!("{MARK}{} {}", numbers[log], sender_mark(&message.sender.from));
        words.execute(params![next, query::as_words(&message.body), marks]).ok()?;
        for key in others.iter().map(|other| other.key).chain((!others.is_empty()).then_some(next)) {
            twin.execute([key]).ok()?;
        }
        same.push(Indexed { key: next, id, log, bytes });
        next = next.wrapping_add(1);
    }
    Some(wrong)
}

/// The lines of the index whose ids have that time.
fn of_time(database: &Connection, logs: &mut [IndexLog], numbers: &[i64], time: u64) -> Option<Vec<Indexed>> {
    let (first, mut found) = ((time << BITS) as i64, Vec::new());
    let text = format!("SELECT * FROM lines WHERE key BETWEEN {first} AND {}", first | ((1 << BITS) - 1));
    each_row(database, &text, None, |row| {
        let log = numbers.iter().position(|number| *number == row.file)?;
        let bytes = logs[log].bytes(row.start, row.length)?.trim_ascii().to_vec();
        found.push(Indexed { key: row.key, id: message::id_of(&bytes)?.into_owned(), log, bytes });
        Some(true)
    })?;
    Some(found)
}
