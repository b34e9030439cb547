//! Where copies lie: in the repository itself, or, where there is none, in one of their own in the state directory.

use super::{REFS, place_of};
use crate::git::{ObjectId, Repository};
use crate::snapshot;
use crate::store::state::State;
use crate::sys::clock::{self, Time};
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::ids;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many copies of a work tree stay whatever their age, and for how long, in seconds, all of them do.
pub const KEEP: usize = 20;
/// Fourteen days.
pub const LONGEST: f64 = 14.0 * 86_400.0;

/// However young, so many stay and no more, once a day has passed.
const MANY: usize = 500;
const DAY: f64 = 86_400.0;

/// How often expiry is looked at by itself.
const HOUR: Duration = Duration::from_secs(3600);

/// Where the copies of a work tree lie.
pub struct Store {
    /// The top of the files.
    pub top: PathBuf,
    /// What holds the objects.
    pub git: Repository,
    /// It is of our own making: nobody else looks after it.
    pub own: bool,
}

/// What a copy says of itself, as JSON in its commit's message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct About {
    /// The version of this.
    pub v: u32,
    /// Of which work tree it is.
    pub worktree: String,
    /// The digest of that path.
    pub place: String,
    /// The branch that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// What for.
    #[serde(default)]
    pub why: String,
    /// Who took it.
    #[serde(default)]
    pub by: String,
    /// It holds what .gitignore hides, too.
    #[serde(default)]
    pub ignored: bool,
    /// It was taken before another one was restored: that one's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// What was under way: a merge, a rebase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_way: Option<String>,
    /// When the index was written, in nanoseconds: what changed in that very moment git does not know by its times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_at: Option<i64>,
    /// How many files it holds.
    #[serde(default)]
    pub files: usize,
    /// How many things could not be copied.
    #[serde(default)]
    pub left: usize,
}

impl About {
    /// As a commit's message.
    pub fn message(&self) -> Result<String> {
        let first =
            if self.why.is_empty() { "a copy of the files".to_string() } else { crate::sys::text::one_line(&self.why) };
        let json = serde_json::to_string(self).map_err(|e| Error::stream("write record", e))?;
        Ok(format!("review-gate: {first}\n\n{json}\n"))
    }
}

/// One copy that is kept.
#[derive(Clone, Debug)]
pub struct Copy {
    /// Its id: the last part of its reference.
    pub id: String,
    /// When it was taken.
    pub at: Time,
    /// Its commit.
    pub commit: String,
    /// The commit that holds the index; None in a copy of another making.
    pub second: Option<String>,
    /// What it says of itself.
    pub about: About,
}

impl Store {
    /// Where copies of the work tree around `root` lie; made where there is nothing yet.
    pub fn open(root: &Path, state: &State) -> Result<Store> {
        let store = Store::at(root, state)?;
        if store.own && !store.git.git_dir.join("HEAD").exists() {
            state.make_parent(&store.git.git_dir)?;
            store.git.init_bare()?;
        }
        Ok(store)
    }

    /// The same, made or not. What git keeps its own in is not for copies: to restore it would undo commits.
    pub fn at(root: &Path, state: &State) -> Result<Store> {
        if let Some(git) = Repository::find(root) {
            return Ok(Store { top: git.top.clone(), git, own: false });
        }
        if let Some(dir) = Repository::enclosing_git_dir(root) {
            return Err(Error::usage(format!("{} is a git directory and no work tree", dir.display())));
        }
        let dir = state.dir().join("rescue").join("store.git");
        let git = Repository { top: dir.clone(), git_dir: dir.clone(), common_dir: dir };
        Ok(Store { top: snapshot::top_of(root), git, own: true })
    }

    /// Whether there can be a copy at all.
    pub fn exists(&self) -> bool {
        !self.own || self.git.git_dir.join("HEAD").exists()
    }

    /// Gives a copy its name; from then on it is one.
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
        Err(Error::missing("no name is free for a copy"))
    }

    /// All copies, the oldest first.
    pub fn list(&self) -> Result<Vec<Copy>> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let format = "--format=%(refname)%00%(objectname)%00%(parent)%00%(contents)%00";
        let out = self.git.git(&["for-each-ref", "--sort=refname", format, REFS])?;
        let text = String::from_utf8_lossy(&out).into_owned();
        let fields: Vec<&str> = text.split('\0').collect();
        let copies = fields.chunks_exact(4).filter_map(|fields| {
            let id = fields[0].trim_start().strip_prefix(REFS)?.strip_prefix('/')?.to_string();
            let mut about: Option<About> = fields[3].lines().find_map(|line| serde_json::from_str(line).ok());
            if let Some(about) = &mut about {
                // Anybody can make such a commit: what goes to git must be a name of git's.
                about.head = about.head.take().filter(|head| ObjectId::parse(head.as_bytes()).is_some());
            }
            let second = about.as_ref().and_then(|_| fields[2].split(' ').next_back()).map(str::to_string);
            Some(Copy {
                at: ids::time_of(&id)?,
                id,
                commit: fields[1].to_string(),
                second: second.filter(|second| !second.is_empty()),
                about: about.unwrap_or_default(),
            })
        });
        Ok(copies.collect())
    }

    /// Removes copies.
    pub fn remove(&self, ids: &[String]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let lines: String = ids.iter().map(|id| format!("delete {REFS}/{id}\n")).collect();
        self.git.feed(&["update-ref", "--no-deref", "--stdin"], lines.into_bytes())?;
        match self.own {
            // What no copy names any more is nobody's.
            true => self.git.git(&["prune", "--expire=now"]).map(drop),
            false => Ok(()),
        }
    }

    /// The copies that have had their time: older than `longest` seconds and not among the last `keep` of their work tree, or
    /// older than a day where there are very many.
    pub fn expired(&self, keep: usize, longest: f64) -> Result<Vec<Copy>> {
        let now = clock::now();
        let all = self.list()?;
        let newer = |copy: &Copy| {
            all.iter().filter(|other| other.about.place == copy.about.place && other.id > copy.id).count()
        };
        let has_gone = |copy: &&Copy| {
            let (age, newer) = (now.since(copy.at), newer(copy));
            age > longest && newer >= keep || age > DAY && newer >= MANY
        };
        Ok(all.iter().filter(has_gone).cloned().collect())
    }

    /// Old copies go, looked at once an hour. That it fails harms nobody.
    pub fn tidy(&self, state: &State) {
        let mark = self.note(state, "tidied");
        let is_young = fs::metadata(&mark).and_then(|meta| meta.modified()).is_ok_and(|at| clock::age(at) < HOUR);
        if is_young || state.write_whole(&mark, b"", false).is_err() {
            return;
        }
        let ids = self.expired(KEEP, LONGEST).map(|old| old.into_iter().map(|copy| copy.id).collect::<Vec<_>>());
        let _ = ids.and_then(|ids| self.remove(&ids));
    }

    /// The last copy, when nothing changed since.
    pub fn last_known(&self, state: &State, key: &str) -> Option<String> {
        let text = String::from_utf8(files::try_read(&self.note(state, "rescue"), 1 << 16)?).ok()?;
        let mut words = text.split_whitespace();
        let (known, id, commit) = (words.next()?, words.next()?, words.next()?);
        let commit = ObjectId::parse(commit.as_bytes())?;
        (known == key && self.git.is_ref_at(&format!("{REFS}/{id}"), commit)).then(|| id.to_string())
    }

    /// Remembers which copy is of what. That it cannot be written costs a copy too many.
    pub fn remember(&self, state: &State, key: &str, id: &str, commit: ObjectId) {
        let text = format!("{key} {id} {commit}\n");
        let _ = state.write_whole(&self.note(state, "rescue"), text.as_bytes(), false);
    }

    /// A file of the cache that is about this work tree.
    fn note(&self, state: &State, what: &str) -> PathBuf {
        state.dir().join("cache").join(format!("{}.{what}", place_of(&self.top)))
    }
}
