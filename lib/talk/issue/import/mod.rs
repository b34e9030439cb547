//! Issues of other programs as changes. The ids are made from the names that the issues have there, so that a second import adds only
//! what is new, and two clones that import the same file make the same changes.

mod beads;
mod github;
mod tissue;

use super::change::{Change, Fields, Holder};
use crate::sys::clock::Time;
use crate::sys::error::{Error, Result};
use crate::sys::ids;
use serde_json::Value;
use std::collections::BTreeMap;

/// What an import found.
#[derive(Debug, Default)]
pub struct Found {
    /// The changes.
    pub changes: Vec<Change>,
    /// How many issues they are about.
    pub issues: usize,
    /// Lines and entries that cannot be read.
    pub skipped: usize,
    /// What is left out because there is nothing like it here, by its name.
    pub left_out: BTreeMap<String, usize>,
}

/// Reads the issues in `text`: the lines of tissue's or beads' `issues.jsonl`, or the list that `gh issue list --json` prints.
/// Errors: it is none of them.
pub fn read(text: &str) -> Result<Found> {
    let mut found = Found::default();
    if text.trim_start().starts_with('[') {
        let entries: Vec<Value> =
            serde_json::from_str(text).map_err(|e| Error::usage(format!("the list of issues is not JSON: {e}")))?;
        for entry in entries {
            match serde_json::from_value::<github::Issue>(entry) {
                Ok(entry) => entry.add(&mut found),
                Err(_) => found.skipped += 1,
            }
        }
        return found.checked();
    }
    let (mut records, mut beads) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let value = serde_json::from_str::<Value>(line);
        let is_tissue = value.as_ref().is_ok_and(|value| value.get("type").is_some_and(Value::is_string));
        let read = value.and_then(|value| match is_tissue {
            true => serde_json::from_value(value).map(|record| records.push(record)),
            false => serde_json::from_value(value).map(|bead| beads.push(bead)),
        });
        found.skipped += usize::from(read.is_err());
    }
    tissue::add(records, &mut found);
    beads::add(beads, &mut found);
    found.checked()
}

impl Found {
    fn checked(self) -> Result<Found> {
        match self.issues {
            0 => Err(Error::usage(
                "no issue was found: import reads issues.jsonl of tissue and beads, and the output of gh issue list --json",
            )),
            _ => Ok(self),
        }
    }

    fn push(&mut self, at: Time, parts: &[&str], issue: &str, by: &str, set: Fields) {
        if set != Fields::default() {
            let by = Holder { from: by.to_string(), session: None };
            self.changes.push(Change::new(ids::ulid_of(at, parts), at, issue, &by, set));
        }
    }

    fn leave_out(&mut self, what: &str) {
        *self.left_out.entry(what.to_string()).or_default() += 1;
    }
}

/// The id of an issue here, from its name there.
fn id_of(key: &str, created: Time) -> String {
    ids::ulid_of(created, &[key])
}

/// The time of a change: after the one before it, so that their ids are in that order.
fn after(time: Time, last: Time) -> Time {
    Time(time.0.max(last.0 + 1))
}

/// An issue of which only the current state is known.
struct Current<'a> {
    key: &'a str,
    title: &'a str,
    by: &'a str,
    created: Time,
    updated: &'a str,
}

/// Adds two changes: one that makes the issue, and one that sets its state. Returns the id of the issue.
fn add_current(found: &mut Found, current: &Current<'_>, state: Fields) -> String {
    let Current { key, title, by, created, updated } = *current;
    let issue = id_of(key, created);
    found.issues += 1;
    let make = Fields { title: Some(title.to_string()), key: Some(key.to_string()), ..Fields::default() };
    found.push(created, &[key], &issue, by, make);
    let at = after(Time::parse_with_offset(updated).unwrap_or(created), created);
    found.push(at, &[key, "state", updated], &issue, by, Fields { title: Some(title.to_string()), ..state });
    issue
}
