//! The issues as they stand: all changes added up in the order of their ids, so that every clone gets the same.

use super::change::{self, Change, Dep, Fields, Holder, Line, PRIORITY, Relation, Status};
use super::course::{self, Course, Step};
use crate::sys::clock::{self, Time};
use crate::sys::error::{Error, Result};
use crate::sys::ids;
use crate::talk::lines::{self, Skipped};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// The fewest characters of the end of an id that name an issue. The beginnings of ids are times and much alike.
const ENDING: usize = 4;

/// An issue.
#[derive(Clone, Debug)]
pub struct Issue {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// Where it stands and who has it.
    pub course: Course<Holder, String>,
    /// Its priority, 1 to 5; 1 is the most urgent.
    pub priority: u8,
    /// Its tags.
    pub tags: BTreeSet<String>,
    /// What it is to other issues, by relation and id.
    pub deps: BTreeSet<(Relation, String)>,
    /// Its comments, the oldest first.
    pub comments: Vec<Comment>,
    /// Who made it.
    pub by: Holder,
    /// When it was made.
    pub created: Time,
    /// When it was last changed.
    pub updated: Time,
    /// The finding that it is about, or where it was imported from.
    pub key: Option<String>,
    /// The commit that closed it.
    pub commit: Option<String>,
    /// The id of its last change.
    last: String,
}

/// A comment.
#[derive(Clone, Debug)]
pub struct Comment {
    /// The id of its change.
    pub id: String,
    /// When it was made.
    pub at: Time,
    /// Who made it.
    pub by: Holder,
    /// Its text.
    pub text: String,
}

/// A claim.
pub type Claim = course::Claim<Holder, String>;

/// All issues.
#[derive(Default)]
pub struct Board {
    issues: BTreeMap<String, Issue>,
    /// Which issues that have not ended block an issue, by its id.
    blockers: HashMap<String, Vec<String>>,
    /// What was skipped.
    pub skipped: Skipped,
}

impl Board {
    /// The issues in the files at `paths`. A file that does not exist has none.
    pub fn read(paths: &[impl AsRef<Path>]) -> Result<Board> {
        let mut skipped = Skipped::default();
        let mut changes: Vec<Change> = Vec::new();
        for path in paths {
            lines::each_line(path.as_ref(), |line| match change::parse(line) {
                _ if line.is_empty() => {}
                Line::Change(change) => changes.push(*change),
                Line::Newer => skipped.newer += 1,
                Line::Damaged => skipped.damaged += 1,
            })?;
        }
        Ok(Board::of(changes, skipped))
    }

    /// Adds changes up.
    pub fn of(mut changes: Vec<Change>, mut skipped: Skipped) -> Board {
        if !changes.is_sorted_by(|one, next| one.id < next.id) {
            // Of two changes with one id the smaller line counts, whichever came first.
            changes.sort_by_cached_key(|change| (change.id.clone(), change.to_line()));
            changes.dedup();
            let distinct = changes.len();
            changes.dedup_by(|next, kept| next.id == kept.id);
            skipped.damaged += distinct - changes.len();
        }
        let now = clock::now();
        let mut board = Board { skipped, ..Board::default() };
        let mut early: HashMap<String, Vec<Change>> = HashMap::new();
        for change in changes {
            board.skipped.note_time(&change.id, now);
            match board.issues.get_mut(&change.issue) {
                Some(issue) => issue.add(change),
                None if change.set.title.is_some() => {
                    let id = change.issue.clone();
                    let mut issue = Issue::new(&change);
                    // A clock that was behind made these earlier than the issue.
                    early.remove(&id).into_iter().flatten().for_each(|change| issue.add(change));
                    issue.add(change);
                    board.issues.insert(id, issue);
                }
                None => early.entry(change.issue.clone()).or_default().push(change),
            }
        }
        board.find_blockers();
        board
    }

    /// Adds a change whose id is later than all those of its issue.
    pub(super) fn add(&mut self, change: Change) {
        if let Some(issue) = self.issues.get_mut(&change.issue) {
            issue.add(change);
            self.find_blockers();
        }
    }

    fn find_blockers(&mut self) {
        self.blockers.clear();
        for issue in self.issues.values().filter(|issue| !issue.course.status.is_end()) {
            for (_, target) in issue.deps.iter().filter(|(relation, _)| *relation == Relation::Blocks) {
                self.blockers.entry(target.clone()).or_default().push(issue.id.clone());
            }
        }
    }

    /// The ids of the issues that block an issue and have not ended.
    pub fn blockers(&self, id: &str) -> &[String] {
        self.blockers.get(id).map_or(&[], Vec::as_slice)
    }

    /// All issues, the oldest first.
    pub fn issues(&self) -> impl Iterator<Item = &Issue> {
        self.issues.values()
    }

    /// The issue with that id.
    pub fn get(&self, id: &str) -> Option<&Issue> {
        self.issues.get(id)
    }

    /// The issue that a user means: by its id, a beginning of it, or the last characters, at least four. Errors: there is none, or
    /// there are several.
    pub fn find(&self, word: &str) -> Result<&Issue> {
        let wanted = word.to_ascii_uppercase();
        if wanted.is_empty() {
            return Err(Error::usage("the id is empty"));
        }
        let starting = self.issues().filter(|issue| issue.id.starts_with(&wanted));
        let mut found: Vec<&Issue> = starting.collect();
        if found.is_empty() && wanted.len() >= ENDING {
            found = self.issues().filter(|issue| issue.id.ends_with(&wanted)).collect();
        }
        match &found[..] {
            [only] => Ok(only),
            [] => Err(Error::usage(format!("no issue has the id {word:?}"))),
            several => {
                let named: Vec<&str> = several.iter().take(4).map(|issue| issue.id.as_str()).collect();
                Err(Error::usage(format!("{} issues have the id {word:?}: {}", several.len(), named.join(", "))))
            }
        }
    }
}

impl Issue {
    fn new(change: &Change) -> Issue {
        Issue {
            id: change.issue.clone(),
            title: String::new(),
            body: String::new(),
            course: Course::new(Status::default()),
            priority: PRIORITY,
            tags: BTreeSet::new(),
            deps: BTreeSet::new(),
            comments: Vec::new(),
            by: change.by.clone(),
            created: change.at,
            updated: change.at,
            key: None,
            commit: None,
            last: change.id.clone(),
        }
    }

    /// The time of its next change: after its last one, even if that was made by a clock that was ahead.
    pub fn next_time(&self, time: Time) -> Time {
        ids::time_of(&self.last).map_or(time, |last| time.max(Time(last.0 + 1)))
    }

    /// Whether somebody can begin to work on it, if nothing blocks it.
    pub fn is_free(&self, now: Time) -> bool {
        self.course.is_free(now)
    }

    /// The claim that holds at that time.
    pub fn claim_at(&self, at: Time) -> Option<&Claim> {
        self.course.claim.as_ref().filter(|claim| claim.holds(at) && !self.course.status.is_end())
    }

    /// Adds the next change. What contradicts a claim has no effect, so that every clone names the same winner.
    fn add(&mut self, change: Change) {
        let Change { id, at, by, set, .. } = change;
        let Fields { title, body, status, priority, tags, untags, deps, comment, claim, release, under, force, .. } =
            set;
        self.updated = at.max(self.updated);
        self.title = title.unwrap_or_else(|| std::mem::take(&mut self.title));
        self.body = body.unwrap_or_else(|| std::mem::take(&mut self.body));
        self.priority = priority.unwrap_or(self.priority);
        self.key = set.key.or_else(|| self.key.take());
        for tag in &untags {
            self.tags.remove(tag);
        }
        self.tags.extend(tags);
        for Dep { relation, target, removed } in deps {
            match removed {
                true => self.deps.remove(&(relation, target)),
                false => self.deps.insert((relation, target)),
            };
        }
        if let Some(text) = comment {
            self.comments.push(Comment { id: id.clone(), at, by: by.clone(), text });
        }
        let step = Step { id: id.clone(), at, by, status, claim, release, under, force };
        if let Some(status) = self.course.take(&step) {
            self.commit = if status.is_end() { set.commit } else { None };
        }
        self.last = id;
    }
}
