//! A labelled change: one or more files before and after.

use crate::Failure;
use crate::place::Place;
use serde_json::Value;
use std::fs;

/// The definition of done of a change that brings none.
pub const DONE: &str = "```yaml\nchecks:\n  - {name: tests, run: \"true\"}\n```\n";

/// The files of a case: the path, then the text before and after. None is a file that does not exist on that side.
pub struct Change<'a> {
    files: Vec<(&'a str, Option<&'a str>, Option<&'a str>)>,
}

impl<'a> Change<'a> {
    /// The change of a row of `tests/cases`: its own file and those of `also`, or `files` with both sides, and `others` that stay.
    pub fn of(row: &'a Value) -> Result<Change<'a>, Failure> {
        if let Some(files) = row["files"].as_object() {
            let changed = files.iter().map(|(path, sides)| (path.as_str(), sides[0].as_str(), sides[1].as_str()));
            let others = row["others"].as_object().into_iter().flatten();
            let others = others.map(|(path, text)| (path.as_str(), text.as_str(), text.as_str()));
            return Ok(Change { files: changed.chain(others).collect() });
        }
        let rows = std::iter::once(row).chain(row["also"].as_array().into_iter().flatten());
        let file = |row: &'a Value| Some((row["path"].as_str()?, row["before"].as_str(), row["after"].as_str()));
        let files = rows.map(file).collect::<Option<Vec<_>>>().ok_or("a case without a path")?;
        Ok(Change { files })
    }

    /// Writes the files as they are before the change, and a definition of done.
    pub fn write_before(&self, place: &Place) -> Result<(), Failure> {
        place.write("DONE.md", DONE)?;
        self.files.iter().try_for_each(|(path, before, _)| write(place, path, *before))
    }

    /// Writes the files as they are after the change.
    pub fn write_after(&self, place: &Place) -> Result<(), Failure> {
        self.files.iter().try_for_each(|(path, _, after)| write(place, path, *after))
    }
}

fn write(place: &Place, path: &str, text: Option<&str>) -> Result<(), Failure> {
    match text {
        Some(text) => place.write(path, text),
        // The file may not exist on either side.
        None => fs::remove_file(place.repo().join(path)).or(Ok(())),
    }
}
