//! What is compared: the base, the files that changed since, and which of them are tests.

use review_gate::donefile::{self, CheckKind, CheckSpec, Donefile};
use review_gate::git::{Piece, Repository, TreeFile};
use review_gate::snapshot::commit::of_commit;
use review_gate::snapshot::workspace::{donefile_of, root_of};
use review_gate::snapshot::{self, Rules, Use};
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::{digest, files, glob};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The largest file that an experiment replaces, in bytes.
const FILE: u64 = 16 << 20;

/// A file as it was, or as it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether its owner may execute it.
    pub is_executable: bool,
}

/// A changed file.
pub struct Changed {
    /// Relative to the top of the work tree.
    pub path: PathBuf,
    /// At the base; None if it did not exist.
    pub old: Option<Content>,
    /// Now; None if it does not exist.
    pub new: Option<Content>,
    /// Whether it is a test, or what tests need.
    pub is_test: bool,
}

/// The base and what changed since.
pub struct Plan {
    /// The root.
    pub root: PathBuf,
    /// The repository.
    pub repository: Repository,
    /// The state directory.
    pub state: State,
    /// The commit of the base.
    pub base: String,
    /// The bytes of the definition of done that judges: that of the base, if it has one.
    pub definition: Vec<u8>,
    /// The checks that may take part.
    pub checks: Vec<CheckSpec>,
    /// The changed files, sorted.
    pub changed: Vec<Changed>,
    /// Changed files that cannot be replaced, each with the reason.
    pub left_out: Vec<String>,
    /// Identifies the files, the base and the definition.
    pub key: String,
}

impl Plan {
    /// Compares the work tree with the merge base of `against`, or with HEAD.
    pub fn new(dir: &Path, against: Option<&str>) -> Result<Plan> {
        let (root, found) = root_of(dir)?;
        let repository = Repository::find(&root)
            .ok_or_else(|| Error::usage(format!("not in a git repository: {}", root.display())))?;
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
        let done = donefile::parse(&name, &definition, &root)?;
        let state = State::of_repository(&repository)?;
        let mut left_out = Vec::new();
        let (changed, digest) = changed(&repository, &root, &base, &done, &state, &mut left_out)?;
        // rg-check reads the definition as DONE.md.
        let definition = match name.ends_with(".md") {
            true => definition,
            false => [b"```yaml\n".as_slice(), &definition, b"\n```\n"].concat(),
        };
        let key = digest::sha256_parts(&[base.as_bytes(), digest.as_bytes(), &definition]);
        // A check that is no test judges the form of the code, which the experiments break.
        let checks =
            done.checks.into_iter().filter(|check| matches!(check.kind, None | Some(CheckKind::Test))).collect();
        Ok(Plan { root, repository, state, base, definition, checks, changed, left_out, key })
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// The changed files that are tests.
    pub fn tests(&self) -> impl Iterator<Item = &Changed> {
        self.changed.iter().filter(|changed| changed.is_test)
    }

    /// The changed files that are no tests.
    pub fn sources(&self) -> impl Iterator<Item = &Changed> {
        self.changed.iter().filter(|changed| !changed.is_test)
    }
}

fn changed(
    repository: &Repository,
    root: &Path,
    base: &str,
    done: &Donefile,
    state: &State,
    left_out: &mut Vec<String>,
) -> Result<(Vec<Changed>, String)> {
    let before = of_commit(repository, base)?;
    let now = snapshot::take(&repository.top, &Rules::Today, state, Use::Cache)?;
    let tree = repository.tree(base)?;
    let tree: BTreeMap<&Path, &TreeFile> = tree.iter().map(|file| (file.path.as_path(), file)).collect();
    let paths = now.changed_since(&before);
    let old = old_contents(repository, paths.iter().filter_map(|path| tree.get(path.as_path()).copied()))?;
    let mut all = Vec::new();
    for path in paths {
        let new = now.get(&path).map(|_| read(&repository.top.join(&path))).transpose();
        let old = match tree.get(path.as_path()) {
            Some(file) if !file.is_regular() => Err(Error::usage("it was a link or a submodule")),
            Some(_) => old.get(&path).cloned().map(Some).ok_or_else(|| Error::usage("it was too large")),
            None => Ok(None),
        };
        match (old, new) {
            (Ok(old), Ok(new)) => {
                let below = repository.top.join(&path);
                let below = below.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                let is_test = glob::any(&done.guards.test_globs, &below);
                all.push(Changed { path, old, new, is_test });
            }
            (Err(why), _) | (_, Err(why)) => left_out.push(format!("{}: {why}", path.display())),
        }
    }
    Ok((all, now.digest()))
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

/// The regular files of the base, without those that are too large.
fn old_contents<'a>(
    repository: &Repository,
    files: impl Iterator<Item = &'a TreeFile>,
) -> Result<BTreeMap<PathBuf, Content>> {
    let files: Vec<&TreeFile> = files.filter(|file| file.is_regular()).collect();
    let ids: Vec<_> = files.iter().map(|file| file.id).collect();
    let mut found: BTreeMap<PathBuf, Content> = BTreeMap::new();
    let mut open: Option<Vec<u8>> = None;
    repository.contents(&ids, |at, piece| match piece {
        Piece::Begin(length) => open = (length <= FILE).then(Vec::new),
        Piece::Bytes(bytes) => {
            if let Some(open) = &mut open {
                open.extend_from_slice(bytes);
            }
        }
        Piece::End => {
            if let Some(bytes) = open.take() {
                let is_executable = files[at].mode == 0o100755;
                found.insert(files[at].path.clone(), Content { bytes, is_executable });
            }
        }
        Piece::Missing => {}
    })?;
    Ok(found)
}
