//! The storage of backups: in the repository, or outside a repository in a bare one in the state directory.

use super::{REFS, place_digest};
use crate::git::{ObjectId, Repository};
use crate::snapshot;
use crate::store::state::State;
use crate::sys::clock::{self, DAY, Time};
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many backups of a working tree are kept regardless of their age.
pub const KEEP: usize = 20;
/// How long every backup is kept, in seconds: fourteen days.
pub const LONGEST: f64 = 14.0 * DAY;

/// The most backups of a working tree that are kept after one day.
const MAX_KEPT: usize = 500;

/// The interval of automatic expiry.
const EXPIRY_INTERVAL: Duration = Duration::from_secs(3600);

/// The storage of a working tree's backups.
pub struct Store {
    /// The top of the working tree.
    pub top: PathBuf,
    /// The repository that holds the objects.
    pub git: Repository,
    /// review-gate created the repository, so nothing else maintains it.
    pub is_own: bool,
}

/// The description of a backup: JSON in the message of its commit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BackupInfo {
    /// The version of this format.
    pub v: u32,
    /// The working tree.
    pub worktree: String,
    /// A digest of that path.
    pub place: String,
    /// The branch that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Why it was taken.
    #[serde(default)]
    pub why: String,
    /// The program that took it.
    #[serde(default)]
    pub by: String,
    /// It includes ignored files.
    #[serde(default)]
    pub ignored: bool,
    /// The id of the backup that was about to be restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The operation that was in progress: a merge or a rebase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_way: Option<String>,
    /// When the index was written, in nanoseconds. git cannot tell by its times whether a file changed at that moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_at: Option<i64>,
    /// How many files it holds.
    #[serde(default)]
    pub files: usize,
    /// How many paths could not be copied.
    #[serde(default)]
    pub left: usize,
}

impl BackupInfo {
    /// The commit message.
    pub fn message(&self) -> Result<String> {
        let first = if self.why.is_empty() {
            "a backup of the files".to_string()
        } else {
            crate::sys::text::one_line(&self.why)
        };
        let json = serde_json::to_string(self).map_err(|e| Error::stream("write record", e))?;
        Ok(format!("review-gate: {first}\n\n{json}\n"))
    }
}

/// One backup.
#[derive(Clone, Debug)]
pub struct Backup {
    /// Its id: the last part of its ref.
    pub id: String,
    /// When it was taken.
    pub at: Time,
    /// Its commit.
    pub commit: String,
    /// The commit that holds the index and the metadata; None if the description is missing.
    pub second: Option<String>,
    /// Its description.
    pub info: BackupInfo,
}

impl Store {
    /// The storage for the working tree that holds `root`. Creates it if it is missing.
    pub fn open(root: &Path, state: &State) -> Result<Store> {
        let store = Store::at(root, state)?;
        if store.is_own && !store.git.git_dir.join("HEAD").exists() {
            state.make_parent(&store.git.git_dir)?;
            store.git.init_bare()?;
        }
        Ok(store)
    }

    /// The same, without creating it. Error for a git directory: restoring one would undo commits.
    pub fn at(root: &Path, state: &State) -> Result<Store> {
        if let Some(git) = Repository::find(root) {
            return Ok(Store { top: git.top.clone(), git, is_own: false });
        }
        if let Some(dir) = Repository::enclosing_git_dir(root) {
            return Err(Error::usage(format!(
                "a git directory has no working tree to back up: {}. Run this in the working tree",
                dir.display()
            )));
        }
        let dir = state.dir().join("rescue").join("store.git");
        let git = Repository { top: dir.clone(), git_dir: dir.clone(), common_dir: dir };
        Ok(Store { top: snapshot::top_of(root), git, is_own: true })
    }

    /// Whether the storage exists.
    pub fn exists(&self) -> bool {
        !self.is_own || self.git.git_dir.join("HEAD").exists()
    }

    /// Creates the ref of a backup and returns its id.
    pub fn name(&self, commit: ObjectId) -> Result<String> {
        for n in 0.. {
            let id = ids::ulid(&["rescue", &commit.to_string(), &n.to_string()]);
            let name = format!("{REFS}/{id}");
            if self.git.is_ref_at(&name, commit) {
                return Ok(id);
            }
            if !self.git.common_dir.join(&name).exists() {
                self.git.create_ref(&name, commit)?;
                return Ok(id);
            }
        }
        Err(Error::missing("no free id for a backup"))
    }

    /// All backups, the oldest first.
    pub fn list(&self) -> Result<Vec<Backup>> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let format = "--format=%(refname)%00%(objectname)%00%(parent)%00%(contents)%00";
        let out = self.git.git(&["for-each-ref", "--sort=refname", format, REFS])?;
        let text = String::from_utf8_lossy(&out).into_owned();
        let fields: Vec<&str> = text.split('\0').collect();
        let copies = fields.chunks_exact(4).filter_map(|fields| {
            let id = fields[0].trim_start().strip_prefix(REFS)?.strip_prefix('/')?.to_string();
            let mut info: Option<BackupInfo> = fields[3].lines().find_map(|line| serde_json::from_str(line).ok());
            if let Some(info) = &mut info {
                // Any program can create such a commit, so the id is checked before it is passed to git.
                info.head = info.head.take().filter(|head| ObjectId::parse(head.as_bytes()).is_some());
            }
            let second = info.as_ref().and_then(|_| fields[2].split(' ').next_back()).map(str::to_string);
            Some(Backup {
                at: ids::time_of(&id)?,
                id,
                commit: fields[1].to_string(),
                second: second.filter(|second| !second.is_empty()),
                info: info.unwrap_or_default(),
            })
        });
        Ok(copies.collect())
    }

    /// Removes backups.
    pub fn remove(&self, ids: &[String]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let lines: String = ids.iter().map(|id| format!("delete {REFS}/{id}\n")).collect();
        self.git.feed(&["update-ref", "--no-deref", "--stdin"], lines.into_bytes())?;
        match self.is_own {
            // Nothing else uses objects that no backup names.
            true => self.git.git(&["prune", "--expire=now"]).map(drop),
            false => Ok(()),
        }
    }

    /// The expired backups: those older than `longest` seconds and not among the last `keep` of their working tree, and those older
    /// than a day and not among the last `MAX_KEPT`.
    pub fn expired(&self, keep: usize, longest: f64) -> Result<Vec<Backup>> {
        let now = clock::now();
        let all = self.list()?;
        let newer = |backup: &Backup| {
            all.iter().filter(|other| other.info.place == backup.info.place && other.id > backup.id).count()
        };
        let is_expired = |backup: &&Backup| {
            let (age, newer) = (now.since(backup.at), newer(backup));
            age > longest && newer >= keep || age > DAY && newer >= MAX_KEPT
        };
        Ok(all.iter().filter(is_expired).cloned().collect())
    }

    /// Removes expired backups at most once an hour. Errors are ignored.
    pub fn tidy(&self, state: &State) {
        let mark = self.note(state, "tidied");
        let is_young =
            fs::metadata(&mark).and_then(|meta| meta.modified()).is_ok_and(|at| clock::age(at) < EXPIRY_INTERVAL);
        if is_young || state.write_whole(&mark, b"", false).is_err() {
            return;
        }
        let ids = self.expired(KEEP, LONGEST).map(|old| old.into_iter().map(|backup| backup.id).collect::<Vec<_>>());
        let _ = ids.and_then(|ids| self.remove(&ids));
    }

    /// The last backup, if nothing changed since.
    pub fn last_known(&self, state: &State, key: &str) -> Option<String> {
        let text = String::from_utf8(files::try_read(&self.note(state, "rescue"), 1 << 16)?).ok()?;
        let mut words = text.split_whitespace();
        let (known, id, commit) = (words.next()?, words.next()?, words.next()?);
        let commit = ObjectId::parse(commit.as_bytes())?;
        (known == key && self.git.is_ref_at(&format!("{REFS}/{id}"), commit)).then(|| id.to_string())
    }

    /// Remembers the last backup. If that fails, a later call takes a redundant backup.
    pub fn remember(&self, state: &State, key: &str, id: &str, commit: ObjectId) {
        let text = format!("{key} {id} {commit}\n");
        let _ = state.write_whole(&self.note(state, "rescue"), text.as_bytes(), false);
    }

    /// A cache file of this working tree.
    fn note(&self, state: &State, what: &str) -> PathBuf {
        state.dir().join("cache").join(format!("{}.{what}", place_digest(&self.top)))
    }
}
