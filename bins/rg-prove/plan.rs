//! What is compared: the base, the files that changed since, and which of them are tests.

use crate::change::{Changed, Content, Role};
use crate::outlines;
use review_gate::donefile::{self, CheckKind, CheckSpec, Donefile, ProofSpec};
use review_gate::event::Event;
use review_gate::git::Repository;
use review_gate::snapshot::changes::{self, Change, OldFile};
use review_gate::snapshot::commit::of_commit;
use review_gate::snapshot::old_bytes::{self, OldBytes};
use review_gate::snapshot::workspace::{Workspace, donefile_of, root_of};
use review_gate::snapshot::{self, File, Rules, Snapshot, Use, What, differences};
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::{digest, files, glob};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The largest file that an experiment replaces, in bytes.
const FILE: u64 = 16 << 20;

/// Files beside the tests that decide how they run.
const TEST_CONFIGURATION: [&str; 12] = [
    "**/conftest.py",
    "**/pytest.ini",
    "**/tox.ini",
    "**/jest.config.*",
    "**/jest.setup.*",
    "**/vitest.config.*",
    "**/vitest.setup.*",
    "**/.mocharc.*",
    "**/phpunit.xml*",
    "**/.rspec",
    "**/nextest.toml",
    "**/*.snap",
];

/// The base and what changed since.
pub struct Plan {
    /// The root.
    pub root: PathBuf,
    /// The repository.
    pub repository: Repository,
    /// The state directory.
    pub state: State,
    /// The base, for people: a commit, or the begin of the task.
    pub base: String,
    /// The bytes of the definition of done that judges.
    pub definition: Vec<u8>,
    /// How the change is proved.
    pub spec: ProofSpec,
    /// The checks that may take part.
    pub checks: Vec<CheckSpec>,
    /// The changed files, sorted.
    pub changed: Vec<Changed>,
    /// Changed files that cannot be replaced, each with the reason.
    pub left_out: Vec<String>,
    /// Identifies the files, the base and the definition.
    pub key: String,
}

/// What is compared with what, before the files are read.
struct Sides {
    root: PathBuf,
    repository: Repository,
    state: State,
    base: String,
    name: String,
    definition: Vec<u8>,
    changes: Vec<Change>,
    snapshot: String,
}

impl Plan {
    /// Compares the work tree with the merge base of `against`, or with HEAD. The definition of done is that of the base, if it has one.
    pub fn of_commit(dir: &Path, against: Option<&str>) -> Result<Plan> {
        let (root, found) = root_of(dir)?;
        let repository = repository_of(&root)?;
        let commit = repository.resolve(against.unwrap_or("HEAD"))?;
        let base = repository.merge_base(&commit).unwrap_or(commit);
        let (name, definition) = match (donefile_of(&root, &base)?, found) {
            (Some(of_base), _) => of_base,
            (None, Some(found)) => (found.name.to_string(), found.bytes),
            (None, None) => {
                return Err(Error::usage(
                    "no DONE.md here: its checks are what a change is proved with. See rg-init(1)",
                ));
            }
        };
        let state = State::of_repository(&repository)?;
        let now = snapshot::take(&repository.top, &Rules::Today, &state, Use::Cache)?;
        let changes = changes_between(&of_commit(&repository, &base)?, &now);
        let snapshot = now.digest();
        Plan::of(Sides { root, repository, state, base, name, definition, changes, snapshot })
    }

    /// Compares the files of a stop with what it is judged against. None if they are the same, or if there is nothing to compare with.
    pub fn of_event(event: &Event, workspace: &Workspace) -> Result<Option<Plan>> {
        let Some((name, definition)) = workspace.definition(event)? else { return Ok(None) };
        let repository = repository_of(&event.root)?;
        let now = workspace.last_look(event)?;
        let Ok(compared) = changes::compare(event, workspace, &now)? else { return Ok(None) };
        if compared.changes.is_empty() {
            return Ok(None);
        }
        let base = match (&compared.baseline, compared.base.commit) {
            (None, Some(commit)) => commit,
            _ => "the begin of the task".to_string(),
        };
        let (root, state, snapshot) = (event.root.clone(), workspace.state.clone(), now.digest());
        Plan::of(Sides { root, repository, state, base, name, definition, changes: compared.changes, snapshot })
            .map(Some)
    }

    fn of(sides: Sides) -> Result<Plan> {
        let Sides { root, repository, state, base, name, definition, changes, snapshot } = sides;
        let done = donefile::parse(&name, &definition, &root)?;
        let mut left_out = Vec::new();
        let mut changed = contents(&repository, &root, &done, &state, changes, &mut left_out)?;
        outlines::read(&mut changed);
        // rg-check reads the definition as DONE.md.
        let definition = match name.ends_with(".md") {
            true => definition,
            false => [b"```yaml\n".as_slice(), &definition, b"\n```\n"].concat(),
        };
        let old: Vec<u8> = changed.iter().flat_map(|one| digest::raw(&one.old_bytes())).collect();
        let key = digest::sha256_parts(&[&old, snapshot.as_bytes(), &definition]);
        let spec = done.proof.clone();
        // A check that is no test judges the form of the code, which the experiments break.
        let takes_part = |check: &CheckSpec| match spec.checks.is_empty() {
            true => matches!(check.kind, None | Some(CheckKind::Test)),
            false => spec.checks.contains(&check.name),
        };
        let checks = done.checks.into_iter().filter(takes_part).collect();
        Ok(Plan { root, repository, state, base, definition, spec, checks, changed, left_out, key })
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.left_out.is_empty()
    }

    /// The changed files that hold tests.
    pub fn tests(&self) -> impl Iterator<Item = &Changed> {
        self.changed.iter().filter(|changed| changed.has_tests())
    }

    /// The changed files that hold code.
    pub fn sources(&self) -> impl Iterator<Item = &Changed> {
        self.changed.iter().filter(|changed| changed.has_source())
    }
}

fn repository_of(root: &Path) -> Result<Repository> {
    Repository::find(root).ok_or_else(|| Error::usage(format!("not in a git repository: {}", root.display())))
}

fn changes_between(then: &Snapshot, now: &Snapshot) -> Vec<Change> {
    let change = |(then, now): (Option<&File>, Option<&File>)| Change {
        path: now.or(then).map(|file| file.path.clone()).unwrap_or_default(),
        then: then.map(|file| OldFile { what: file.entry.what, id: file.id, sha256: Some(file.entry.sha256) }),
        now: now.cloned(),
    };
    differences(&then.files, &now.files).into_iter().map(change).collect()
}

/// The contents of the changed files before and after.
fn contents(
    repository: &Repository,
    root: &Path,
    done: &Donefile,
    state: &State,
    changes: Vec<Change>,
    left_out: &mut Vec<String>,
) -> Result<Vec<Changed>> {
    let mut old = old_contents(repository, state, &changes)?;
    let mut all = Vec::new();
    for (at, change) in changes.into_iter().enumerate() {
        let path = change.path;
        let is_gone = |file: &Option<OldFile>| file.as_ref().is_none_or(|file| file.what.is_file());
        let then = match is_gone(&change.then) {
            true => old[at].take().ok_or("it was too large, or cannot be read"),
            false => Err("it was a link or a submodule"),
        };
        let now = match change.now.as_ref() {
            Some(file) if !file.entry.what.is_file() => Err("it is no regular file".to_string()),
            Some(_) => read(&repository.top.join(&path)).map(Some).map_err(|error| error.to_string()),
            None => Ok(None),
        };
        match (then, now) {
            (Ok(old), Ok(new)) => {
                let whole = repository.top.join(&path);
                let below = whole.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                let is_configuration = || TEST_CONFIGURATION.iter().any(|pattern| glob::matches(pattern, &below));
                let is_test = glob::any(&done.guards.test_globs, &below) || is_configuration();
                all.push(Changed::new(path, below, old, new, if is_test { Role::Test } else { Role::Source }));
            }
            (Err(why), _) => left_out.push(format!("{}: {why}", path.display())),
            (_, Err(why)) => left_out.push(format!("{}: {why}", path.display())),
        }
    }
    Ok(all)
}

fn read(path: &Path) -> Result<Content> {
    let file = files::open_nofollow(path).map_err(|_| Error::usage("it is no regular file"))?;
    let meta = file.metadata().map_err(|e| Error::io("read", path, &e))?;
    if !meta.is_file() {
        return Err(Error::usage("it is no regular file"));
    }
    let bytes = files::read_opened(&file, path, FILE)?;
    Ok(Content { bytes, is_executable: meta.permissions().mode() & 0o100 != 0 })
}

/// The old contents, by change: None if they cannot be had; a file that was not there has none.
fn old_contents(repository: &Repository, state: &State, changes: &[Change]) -> Result<Vec<Option<Option<Content>>>> {
    let mut found: Vec<Option<Option<Content>>> = changes.iter().map(|_| None).collect();
    for (at, _) in changes.iter().enumerate().filter(|(_, change)| change.then.is_none()) {
        found[at] = Some(None);
    }
    let mut open: Vec<u8> = Vec::new();
    old_bytes::read(&repository.top, state, changes, |at, piece| match piece {
        OldBytes::Begin => open.clear(),
        OldBytes::Bytes(bytes) if open.len() + bytes.len() <= FILE as usize + 1 => open.extend_from_slice(bytes),
        OldBytes::Bytes(_) => open.resize(FILE as usize + 1, 0),
        OldBytes::End if open.len() <= FILE as usize => {
            let is_executable = changes[at].then.as_ref().is_some_and(|then| then.what == What::Executable);
            found[at] = Some(Some(Content { bytes: std::mem::take(&mut open), is_executable }));
        }
        OldBytes::End | OldBytes::Lost { .. } => {}
    })?;
    Ok(found)
}
