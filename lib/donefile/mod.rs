//! DONE.md, the definition of done: finds it, extracts its YAML and parses it into a `Donefile`. Manual: DONE.md(5).

mod ask;
mod checks;
mod commands;
mod daily;
mod guards;
mod issues;
mod keys;
mod land;
mod looping;
mod model;
mod paths;
mod proof;
mod reader;
mod review;
mod run;
mod schema;
mod syntax;
mod yaml;

pub use ask::{AskSpec, Diagnostic};
pub use daily::Daily;
pub use guards::Guards;
pub use issues::{IssueSource, IssueSpec};
pub use land::Land;
pub use looping::LoopSpec;
pub use model::{
    CheckKind, CheckSpec, CommandPreset, CommandRule, Commands, Donefile, Gate, OnError, Quarantine, ReportSpec,
    Retention, TraceLevel,
};
pub use paths::{Forbidden, PathRules, folded};
pub use proof::{CHANGES, JOBS, MINUTES, ProofSpec, ProofTime};
pub use review::{Arbiter, Floor, Moderator, ReviewMode, ReviewSpec, SecondOpinion, Starter, Trigger};
pub use run::RunSpec;

use crate::event::DonefileRef;
use crate::git::Repository;
use crate::sys::digest;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::limits::DEFINITION;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The names that are searched in each directory, in this order.
pub const NAMES: [&str; 4] = ["DONE.md", "done.yml", "done.yaml", ".donegate/done.yml"];

/// An example of a DONE.md, for users without one.
pub const SKELETON: &str = "# Done\n\n```yaml\nchecks:\n  - {name: tests, run: make test}\n```\n";

/// A definition of done on disk.
#[derive(Clone, Debug)]
pub struct FoundDonefile {
    /// The root: its directory, in which its checks run.
    pub root: PathBuf,
    /// Its name below that directory.
    pub name: &'static str,
    /// Whether it is a symbolic link.
    pub is_link: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl FoundDonefile {
    /// The reference to it in an event.
    pub fn reference(&self) -> DonefileRef {
        DonefileRef { path: PathBuf::from(self.name), sha256: digest::sha256(&self.bytes) }
    }
}

/// The nearest definition of done at or above `from`, up to the repository's top; outside a repository only in `from`.
/// Errors: a file that exists and cannot be read.
pub fn find(from: &Path) -> Result<Option<FoundDonefile>> {
    let top = Repository::find(from).map_or_else(|| from.to_path_buf(), |repository| repository.top);
    for dir in from.ancestors().take_while(|dir| dir.starts_with(&top)) {
        if let Some(found) = at(dir)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The sentence that no definition of done applies in `dir`, and what to do.
pub fn absence(dir: &Path) -> String {
    match broken_link(dir) {
        Some(text) => format!("{text}. Correct the link, or remove it and run `rg-init`"),
        None => format!("no DONE.md in {}. Write one with `rg-init`", dir.display()),
    }
}

/// That a definition of done that would apply in `dir` is a link that leads to no file.
pub fn broken_link(dir: &Path) -> Option<String> {
    let top = Repository::find(dir).map_or_else(|| dir.to_path_buf(), |repository| repository.top);
    let places = dir.ancestors().take_while(|dir| dir.starts_with(&top));
    let mut names = places.flat_map(|dir| NAMES.map(|name| dir.join(name)));
    let (path, target) = names.find_map(|path| Some((path.clone(), fs::read_link(&path).ok()?)))?;
    Some(format!("{} is a link to {}, which is no file", path.display(), target.display()))
}

/// The definition of done in `dir` itself.
pub fn at(dir: &Path) -> Result<Option<FoundDonefile>> {
    NAMES.iter().find_map(|name| look(dir, name).transpose()).transpose()
}

/// The definition of done of that name in `dir`, if it is a regular file or a link to one.
fn look(dir: &Path, name: &'static str) -> Result<Option<FoundDonefile>> {
    let path = dir.join(name);
    let meta = match fs::metadata(&path) {
        Ok(meta) => meta,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(e) => return Err(Error::io("look at", &path, &e)),
    };
    if !meta.is_file() {
        return Ok(None);
    }
    if meta.len() > DEFINITION {
        return Err(Error::definition(&path.to_string_lossy(), None, &format!("larger than {DEFINITION} bytes")));
    }
    let is_link = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink());
    let missing = || Error::io("read", &path, &ErrorKind::NotFound.into());
    let bytes = files::read_following(&path, DEFINITION)?.ok_or_else(missing)?;
    Ok(Some(FoundDonefile { root: dir.to_path_buf(), name, is_link, bytes }))
}

/// Parses the bytes of a definition of done named `name`; its paths must stay inside `root`. Errors: a definition error with
/// its line.
pub fn parse(name: &str, bytes: &[u8], root: &Path) -> Result<Donefile> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
        yaml::wrong(name, line, "not UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, block) = if name.to_ascii_lowercase().ends_with(".md") {
        fenced(text).map_err(|open| no_block(name, text, open))?
    } else {
        (1, text.to_string())
    };
    schema::read(name, yaml::read(name, &block, first)?, root)
}

/// Why a text has no definition: the block that opens on a line is not closed, or there is none.
fn no_block(name: &str, text: &str, open: Option<usize>) -> Error {
    let end = "add a line with ``` after its last line";
    match open {
        Some(line) => {
            Error::definition(name, Some(line), &format!("the yaml block that begins here is not closed: {end}"))
        }
        None if text.trim().is_empty() => {
            Error::definition(name, None, "the file is empty: `rg-init --force` writes a definition")
        }
        None => Error::definition(name, None, "no fenced yaml block (```yaml ... ```)"),
    }
}

/// The first fenced `yaml` block: the number of its first line, and its text. Otherwise the line of the block that is not closed.
fn fenced(text: &str) -> std::result::Result<(usize, String), Option<usize>> {
    let mut lines = text.lines().enumerate();
    let open = lines.by_ref().find(|(_, line)| {
        let word = line.trim().strip_prefix("```").map(|rest| rest.trim_start_matches([' ', '\t']));
        word.is_some_and(|word| word.eq_ignore_ascii_case("yaml") || word.eq_ignore_ascii_case("yml"))
    });
    let open = open.ok_or(None)?;
    let mut block = String::new();
    for (_, line) in lines {
        if line.trim() == "```" {
            return Ok((open.0 + 2, block));
        }
        block.push_str(line);
        block.push('\n');
    }
    Err(Some(open.0 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_yaml_block_is_read_with_its_line_numbers() {
        let text = "# Done\n```sh\nls\n```\n  ``` YAML \n  a: 1\n  ```\n```yaml\nb: 2\n```\n";
        assert_eq!(fenced(text), Ok((6, "  a: 1\n".into())));
        assert_eq!(fenced("```yaml title=x\na: 1\n```\n"), Err(None));
        assert_eq!(fenced("````yaml\na: 1\n````\n"), Err(None));
        assert_eq!(fenced("~~~yaml\na: 1\n~~~\n"), Err(None));
        assert_eq!(fenced("# a\n```yaml\na: 1\n"), Err(Some(2)));
        assert_eq!(fenced("```yml\r\na: 1\r\n```\r\n"), Ok((2, "a: 1\n".into())));
    }

    fn manual() -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("man/DONE.md.5");
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn the_skeleton_has_six_lines_and_is_valid() {
        assert_eq!(SKELETON.lines().count(), 6);
        assert_eq!(parse("DONE.md", SKELETON.as_bytes(), &std::env::temp_dir()).unwrap().checks.len(), 1);
    }

    #[test]
    fn the_manual_lists_every_key_and_guard() {
        let page = manual();
        let items: Vec<&str> = page.lines().filter(|line| line.starts_with(".It Li ")).collect();
        let is_listed = |name: &str| items.iter().any(|item| item.split([' ', ',']).any(|word| word == name));
        let guards = guards::GUARDS.iter().map(|guard| guard.rule.word());
        for name in keys::all_keys().into_iter().chain(review::KEYS).chain(run::KEYS).chain(guards) {
            assert!(is_listed(name), "DONE.md(5) has no item for {name}");
        }
        for guard in &guards::GUARDS {
            let level = match guard.default {
                crate::event::Level::Tampered => "fail",
                _ => "warn",
            };
            let preset = if guard.is_donegates { "on" } else { "off" };
            assert!(
                page.contains(&format!(".It Li {} Ta {level} Ta {preset}\n", guard.rule.word())),
                "{}",
                guard.rule.word()
            );
        }
    }

    #[test]
    fn the_examples_of_the_manual_are_valid() {
        let page = manual();
        let examples =
            page.split(".Bd -literal -offset indent\n").skip(1).map(|part| part.split(".Ed").next().unwrap());
        let root = std::env::temp_dir();
        let mut count = 0;
        for example in examples {
            parse("DONE.md", example.as_bytes(), &root).unwrap_or_else(|why| panic!("{why}\n{example}"));
            count += 1;
        }
        assert!(count >= 3, "{count} examples");
    }
}
