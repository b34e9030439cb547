//! Handovers: the files that one judge read, and the ignore rules, for the next judge of the same event line.
//!
//! With `--against` and in CI no judge trusts the stat cache, because an agent may have written it. The line names the digest of the
//! handover instead, so that a handover that was written by anybody else is not used.

use super::Rules;
use super::cache::Cache;
use crate::store::state::State;
use crate::sys::digest::sha256;
use crate::sys::error::Result;
use crate::sys::files;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The largest handover that is read, in bytes.
const LIMIT: u64 = 1 << 30;

/// The length that stands before a field, in bytes.
const FIELD: usize = 8;

/// The files that a judge read, and the rules that were applied.
pub struct Handover {
    /// The files.
    pub cache: Cache,
    /// The rules.
    pub rules: Rules,
}

impl Handover {
    /// Reads the handover of the tree at `top` that has this digest.
    pub fn load(state: &State, top: &Path, digest: &str) -> Option<Handover> {
        let mut bytes = files::try_read(&state.handover(top), LIMIT).filter(|bytes| sha256(bytes) == digest)?;
        let mut rest = bytes.as_slice();
        let length = field(&mut rest)?.len();
        let (ignores, forced) = (list(&mut rest)?, list(&mut rest)?);
        let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        let ignores = ignores.chunks_exact(2).map(|pair| (path(pair[0]), pair[1].to_vec())).collect();
        let forced = forced.into_iter().map(path).collect();
        // The cache takes over the memory: it is most of the file.
        bytes.truncate(FIELD + length);
        bytes.drain(..FIELD);
        let cache = Cache::parse_verified(bytes, top)?;
        Some(Handover { cache, rules: Rules::Fixed { ignores, forced } })
    }
}

/// Writes a handover, and returns its digest; None without recorded rules.
pub fn write(state: &State, top: &Path, rules: &Rules, cache: &Cache) -> Result<Option<String>> {
    let Rules::Fixed { ignores, forced } = rules else { return Ok(None) };
    let names: usize = forced.iter().map(|path| FIELD + path.as_os_str().len()).sum();
    let mut bytes = Vec::with_capacity(cache.bytes().len() + names + (1 << 16));
    put(&mut bytes, cache.bytes());
    let count = |bytes: &mut Vec<u8>, count: usize| bytes.extend_from_slice(&(count as u64).to_le_bytes());
    count(&mut bytes, 2 * ignores.len());
    for (path, content) in ignores {
        put(&mut bytes, path.as_os_str().as_bytes());
        put(&mut bytes, content);
    }
    count(&mut bytes, forced.len());
    forced.iter().for_each(|path| put(&mut bytes, path.as_os_str().as_bytes()));
    state.write_whole(&state.handover(top), &bytes, false)?;
    Ok(Some(sha256(&bytes)))
}

/// Adds a field: its length and its bytes.
fn put(bytes: &mut Vec<u8>, field: &[u8]) {
    bytes.extend_from_slice(&(field.len() as u64).to_le_bytes());
    bytes.extend_from_slice(field);
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let (first, after) = rest.split_first_chunk::<FIELD>()?;
    *rest = after;
    usize::try_from(u64::from_le_bytes(*first)).ok()
}

fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = number(rest)?;
    let (field, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(field)
}

/// Reads the number of fields and the fields.
fn list<'a>(rest: &mut &'a [u8]) -> Option<Vec<&'a [u8]>> {
    let count = number(rest)?;
    (0..count).map(|_| field(rest)).collect()
}
