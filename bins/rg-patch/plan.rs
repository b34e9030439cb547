//! What a patch would change on disk, and why it must not.

use crate::placement::{self, Misfit};
use crate::reader::Section;
use crate::rules::Rules;
use crate::tree::{Found, Identity, Stop, Tree};
use crate::version::{self, After, FILES, LINK};
use crate::{links, names};
use review_gate::donefile::folded;
use review_gate::git::{Format, ObjectName};
use review_gate::sys::digest;
use review_gate::sys::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The largest total of new contents, in bytes.
const TOTAL: usize = 256 << 20;

/// What happens to one path.
pub struct Move {
    /// Relative to the top.
    pub path: PathBuf,
    /// The file that is there; None if there is none.
    pub before: Option<Identity>,
    /// The file that comes there; None if it is removed.
    pub after: Option<After>,
}

/// What is reported about one file.
pub struct Record {
    /// Relative to the top.
    pub path: PathBuf,
    /// `changed`, `added`, `removed`, `renamed`, `copied` or `unchanged`.
    pub change: &'static str,
    /// The path before a rename, or the source of a copy.
    pub from: Option<PathBuf>,
    /// The lines that the hunks add and remove.
    pub lines: (usize, usize),
    /// The mode afterwards, if it changes.
    pub mode: Option<&'static str>,
    /// The digest of the new content.
    pub sha256: Option<String>,
}

/// Why a file is refused.
pub struct Refusal {
    /// As the patch names it.
    pub name: Vec<u8>,
    /// The line of its part in the input.
    pub line: usize,
    /// The reason.
    pub why: String,
    /// The hunk that does not fit.
    pub misfit: Option<Box<Misfit>>,
}

/// The result of reading a patch against a tree.
#[derive(Default)]
pub struct Plan {
    /// What to do, by path.
    pub moves: Vec<Move>,
    /// What to report, in the order of the patch.
    pub records: Vec<Record>,
    /// Why nothing is done.
    pub refusals: Vec<Refusal>,
}

/// The plan of a patch. Errors (111): a file cannot be read.
pub fn make(
    sections: &[Section<'_>],
    tree: &Tree,
    rules: &Rules,
    submodules: &BTreeSet<PathBuf>,
    format: Format,
) -> Result<Plan> {
    let mut maker = Maker {
        tree,
        rules,
        submodules,
        format,
        plan: Plan::default(),
        removed: BTreeMap::new(),
        written: BTreeMap::new(),
        unchanged: BTreeSet::new(),
        targets: Vec::new(),
        work: placement::WORK,
        room: TOTAL,
    };
    for section in sections {
        match maker.section(section) {
            Ok(()) => {}
            Err(Refused::By(refusal)) => maker.plan.refusals.push(refusal),
            Err(Refused::Failed(error)) => return Err(error),
        }
    }
    maker.check_together();
    let Maker { mut plan, removed, written, unchanged, .. } = maker;
    if plan.refusals.is_empty() {
        plan.moves = moves(removed, written);
        plan.moves.retain(|one| !unchanged.contains(&one.path));
    }
    Ok(plan)
}

enum Refused {
    By(Refusal),
    Failed(Error),
}

struct Maker<'a> {
    tree: &'a Tree,
    rules: &'a Rules,
    submodules: &'a BTreeSet<PathBuf>,
    format: Format,
    plan: Plan,
    /// The paths whose file goes, and the line of their section.
    removed: BTreeMap<PathBuf, (Identity, usize)>,
    /// The paths that get a file, the file that is there, and the line of their section.
    written: BTreeMap<PathBuf, (After, Option<Identity>, usize)>,
    /// The paths that stay as they are.
    unchanged: BTreeSet<PathBuf>,
    /// The targets of links that do not exist yet, each with its link and the line of its section.
    targets: Vec<(PathBuf, PathBuf, usize)>,
    /// The comparisons that are left.
    work: u64,
    /// The bytes that are left.
    room: usize,
}

impl Maker<'_> {
    fn section(&mut self, section: &Section<'_>) -> std::result::Result<(), Refused> {
        let shown = section.new.as_ref().or(section.old.as_ref()).cloned().unwrap_or_default();
        let by = |name: &[u8], why: String| {
            Refused::By(Refusal { name: name.to_vec(), line: section.number, why, misfit: None })
        };
        let refused = |why: &str| by(&shown, why.to_string());
        let path_of = |name: &Vec<u8>| names::checked(name).map_err(|why| by(name, why.to_string()));
        let old = section.old.as_ref().map(path_of).transpose()?;
        let new = section.new.as_ref().map(path_of).transpose()?;
        for mode in section.modes.iter().flatten() {
            match *mode {
                0o160000 => return Err(refused("it is a submodule, which a patch cannot change")),
                mode if mode == LINK || FILES.contains(&mode) => {}
                mode => return Err(refused(&format!("the mode {mode:06o} is not that of a file or a link"))),
            }
        }
        // The rules come first, so that nothing of a forbidden file is read or shown.
        for (path, name) in [(&old, &section.old), (&new, &section.new)] {
            let (Some(path), Some(name)) = (path, name) else { continue };
            if self.submodules.iter().any(|module| path.starts_with(module)) {
                return Err(by(name, "it is in a submodule, which a patch cannot change".to_string()));
            }
            let is_source = section.is_copy && section.old.as_ref() == Some(name);
            let why = if is_source { self.rules.withholds(path) } else { self.rules.forbids(path) };
            if let Some(why) = why {
                return Err(by(name, why));
            }
        }
        let stopped = |stop: Stop, name: &[u8]| match stop {
            Stop::Refused(why) => by(name, why),
            Stop::Failed(error) => Refused::Failed(error),
        };
        let before = match (&old, &section.old) {
            (Some(path), Some(name)) => {
                let found = self.tree.find(path).map_err(|stop| stopped(stop, name))?;
                Some(found.ok_or_else(|| by(name, "there is no such file".to_string()))?)
            }
            _ => None,
        };
        if let (Some(before), Some(name)) = (&before, &section.old) {
            version::check_kind(before, section).map_err(|why| by(name, why.to_string()))?;
        }
        let bytes = self
            .content(section, before.as_ref())
            .map_err(|(why, misfit)| Refused::By(Refusal { name: shown.clone(), line: section.number, why, misfit }))?;
        let Some(new) = new else {
            if !bytes.is_empty() {
                return Err(refused("it is not removed whole: the hunks leave some of its lines"));
            }
            return self.remove(section, old, before.as_ref(), refused);
        };
        self.room =
            self.room.checked_sub(bytes.len()).ok_or_else(|| refused("all new contents together exceed 256 MiB"))?;
        let after = version::of(section, before.as_ref(), bytes);
        if after.is_link {
            let check = links::check(&new, &after.bytes, self.tree, self.rules);
            let missing = check.map_err(|stop| stopped(stop, &shown))?;
            self.targets.extend(missing.map(|target| (target, new.clone(), section.number)));
        }
        let is_edit = old.as_ref() == Some(&new);
        let there = match (&before, is_edit) {
            (Some(before), true) => Some(before.identity),
            _ => self.tree.find(&new).map_err(|stop| stopped(stop, &shown))?.map(|found| found.identity),
        };
        let is_same = before.as_ref().is_some_and(|before| {
            is_edit && before.bytes == after.bytes && (before.is_link || before.permissions == after.permissions)
        });
        let mode = match (&before, after.is_link) {
            (Some(before), false) if !before.is_link && before.permissions != after.permissions => {
                Some(if after.permissions & 0o100 != 0 { "100755" } else { "100644" })
            }
            (None, true) => Some("120000"),
            (None, false) if after.permissions & 0o100 != 0 => Some("100755"),
            _ => None,
        };
        if is_same {
            self.unchanged.insert(new.clone());
        }
        self.plan.records.push(Record {
            change: match &old {
                _ if is_same => "unchanged",
                None => "added",
                Some(_) if is_edit => "changed",
                Some(_) if section.is_copy => "copied",
                Some(_) => "renamed",
            },
            path: new.clone(),
            from: old.clone().filter(|_| !is_edit),
            lines: lines(section),
            mode,
            sha256: Some(digest::sha256(&after.bytes)),
        });
        if let (Some(old), Some(before), false) = (old, &before, section.is_copy)
            && self.removed.insert(old, (before.identity, section.number)).is_some()
        {
            return Err(refused("the patch changes the file in two places. Put all hunks of a file below one header"));
        }
        match self.written.insert(new, (after, there, section.number)) {
            None => Ok(()),
            Some(_) => {
                Err(refused("the patch writes the file in two places. Put all hunks of a file below one header"))
            }
        }
    }

    fn remove(
        &mut self,
        section: &Section<'_>,
        old: Option<PathBuf>,
        before: Option<&Found>,
        refused: impl Fn(&str) -> Refused,
    ) -> std::result::Result<(), Refused> {
        let (Some(old), Some(before)) = (old, before) else { return Err(refused("the patch names no file")) };
        self.plan.records.push(Record {
            path: old.clone(),
            change: "removed",
            from: None,
            lines: lines(section),
            mode: None,
            sha256: None,
        });
        match self.removed.insert(old, (before.identity, section.number)) {
            None => Ok(()),
            Some(_) => {
                Err(refused("the patch changes the file in two places. Put all hunks of a file below one header"))
            }
        }
    }

    /// The content of a file afterwards, or why there is none.
    fn content(
        &mut self,
        section: &Section<'_>,
        before: Option<&Found>,
    ) -> std::result::Result<Vec<u8>, (String, Option<Box<Misfit>>)> {
        let bytes = before.map_or(&[][..], |found| &found.bytes);
        let refused = |why: &str| (why.to_string(), None);
        if let Some(binary) = &section.binary {
            let full = |bytes: &[u8]| {
                let mut name = ObjectName::new(self.format, "blob", bytes.len() as u64);
                name.update(bytes);
                name.finish().to_string()
            };
            let ids = section.ids.as_ref().ok_or_else(|| refused("the binary patch has no `index` line"))?;
            let is_full = |id: &String| id.len() == full(b"").len();
            if !ids.iter().all(is_full) {
                return Err(refused(
                    "the `index` line of the binary patch has short ids. Make the patch with `git diff --binary`",
                ));
            }
            if before.is_some() && full(bytes) != ids[0] {
                return Err(refused("the binary patch is for another content of the file"));
            }
            let after = binary.apply(bytes).map_err(refused)?;
            return match section.new.is_some() && full(&after) != ids[1] {
                true => Err(refused("the binary patch does not give the content that its `index` line names")),
                false => Ok(after),
            };
        }
        if section.new.is_none() && section.hunks.is_empty() && !bytes.is_empty() {
            return Err(refused("the lines to remove are missing. Make the patch without `--irreversible-delete`"));
        }
        placement::applied(bytes, &section.hunks, &mut self.work).map_err(|misfit| {
            (format!("hunk {} (line {}) does not fit: {}", misfit.hunk, misfit.line, misfit.why), Some(misfit))
        })
    }

    /// Whether a path is the HEAD of a bare repository that the patch writes. Git would run what its settings name.
    fn makes_repository(&self, path: &Path) -> bool {
        let folded = |name: Option<&OsStr>| name.map_or(String::new(), |name| folded(&name.to_string_lossy()));
        let Some(dir) = path.parent().filter(|_| folded(path.file_name()) == "head") else { return false };
        let below = self.written.keys().filter_map(|other| other.strip_prefix(dir).ok());
        below.map(|other| folded(other.iter().next())).any(|first| first == "objects" || first == "refs")
    }

    /// Checks of the files together.
    fn check_together(&mut self) {
        let mut found = Vec::new();
        for (path, (_, there, line)) in &self.written {
            let mut why = None;
            if there.is_some() && !self.removed.contains_key(path) {
                why = Some("it exists already".to_string());
            }
            let above = path.ancestors().skip(1).find(|above| self.written.contains_key(*above));
            if let Some(above) = above {
                why = Some(format!("{} is a file in the same patch", above.display()));
            }
            if self.makes_repository(path) {
                why = Some("the patch would make another repository".to_string());
            }
            found.extend(why.map(|why| refusal(path, *line, why)));
        }
        for (target, link, line) in &self.targets {
            if !self.written.contains_key(target) {
                found.push(refusal(
                    link,
                    *line,
                    format!("it is a symbolic link to {}, which does not exist", target.display()),
                ));
            }
        }
        self.plan.refusals.extend(found);
    }
}

fn refusal(path: &Path, line: usize, why: String) -> Refusal {
    use std::os::unix::ffi::OsStrExt;
    Refusal { name: path.as_os_str().as_bytes().to_vec(), line, why, misfit: None }
}

/// The moves of a plan that has no refusals: first what goes, then what comes.
fn moves(
    removed: BTreeMap<PathBuf, (Identity, usize)>,
    written: BTreeMap<PathBuf, (After, Option<Identity>, usize)>,
) -> Vec<Move> {
    let gone = removed.into_iter().filter(|(path, _)| !written.contains_key(path));
    let gone: Vec<Move> = gone.map(|(path, (before, _))| Move { path, before: Some(before), after: None }).collect();
    let new = written.into_iter().map(|(path, (after, before, _))| Move { path, before, after: Some(after) });
    gone.into_iter().chain(new).collect()
}

fn lines(section: &Section<'_>) -> (usize, usize) {
    section.hunks.iter().map(|hunk| hunk.size()).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
}
