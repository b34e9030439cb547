//! A search in the logs: by the index, or by reading them whole. Both give the same answer.

use super::directory::TalkDir;
use super::index::Index;
use super::log::Messages;
use super::query::Query;
use crate::sys::error::Result;
use std::fs;
use std::path::PathBuf;

/// The bytes of all logs below which reading them is as fast as an index.
const SMALL: u64 = 256 << 10;

/// The last `count` messages that `query` selects, and perhaps earlier ones. `index` names the database. It is called if an
/// index is worth while, and may have none.
pub fn search(
    talk: &TalkDir,
    query: &Query,
    count: usize,
    index: impl FnOnce() -> Option<PathBuf>,
) -> Result<Messages> {
    if !query.has_terms() {
        return Ok(Messages::default());
    }
    let all = talk.files()?;
    let wanted = match &query.topic {
        Some(topic) => vec![talk.file(topic)?],
        None => all.clone(),
    };
    let size = |path: &PathBuf| fs::symlink_metadata(path).map_or(0, |meta| meta.len());
    if all.iter().map(size).sum::<u64>() >= SMALL
        && let Some(database) = index()
        && let Some(found) = Index::at(&database).search(&all, &wanted, query, count)
    {
        return Ok(found);
    }
    scan(&wanted, query)
}

/// All messages of these logs that `query` selects.
pub fn scan(paths: &[PathBuf], query: &Query) -> Result<Messages> {
    let mut found = Messages::default();
    for path in paths {
        found.read(path, |message| query.matches(message))?;
    }
    Ok(found)
}
