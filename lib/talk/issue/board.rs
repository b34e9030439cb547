//! The issues as they stand: all changes added up in the order of their ids, so that every clone gets the same.

use super::change::{self, Change, Dep, Fields, Holder, Line, PRIORITY, Relation, Status};
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
    /// Where it stands.
    pub status: Status,
    /// Its priority, 1 to 5; 1 is the most urgent.
    pub priority: u8,
    /// Its tags.
    pub tags: BTreeSet<String>,
    /// What it is to other issues, by relation and id.
    pub deps: BTreeSet<(Relation, String)>,
    /// Its comments, the oldest first.
    pub comments: Vec<Comment>,
    /// The last claim. It may have run out.
    pub claim: Option<Claim>,
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
    /// How many changes had no effect, because another holder had claimed the issue.
    pub void: usize,
    /// How many claims it has had.
    fence: u64,
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

/// A claim: one holder works on the issue for a while.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The id of its change.
    pub id: String,
    /// Who works on it.
    pub holder: Holder,
    /// When the claim runs out.
    pub until: Time,
    /// The number of the claim among those of the issue. A later one has a larger number.
    pub fence: u64,
}

impl Claim {
    /// Whether it holds at that time.
    pub fn holds(&self, at: Time) -> bool {
        at < self.until
    }
}

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
        for issue in board.issues.values().filter(|issue| !issue.status.is_end()) {
            for (_, target) in issue.deps.iter().filter(|(relation, _)| *relation == Relation::Blocks) {
                board.blockers.entry(target.clone()).or_default().push(issue.id.clone());
            }
        }
        board
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
            status: Status::default(),
            priority: PRIORITY,
            tags: BTreeSet::new(),
            deps: BTreeSet::new(),
            comments: Vec::new(),
            claim: None,
            by: change.by.clone(),
            created: change.at,
            updated: change.at,
            key: None,
            commit: None,
            void: 0,
            fence: 0,
            last: change.id.clone(),
        }
    }

    /// The time of its next change: after its last one, even if that was made by a clock that was ahead.
    pub fn next_time(&self, time: Time) -> Time {
        ids::time_of(&self.last).map_or(time, |last| time.max(Time(last.0 + 1)))
    }

    /// The claim that holds at that time.
    pub fn claim_at(&self, at: Time) -> Option<&Claim> {
        self.claim.as_ref().filter(|claim| claim.holds(at) && !self.status.is_end())
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
        let is_void = status.is_some_and(|to| to.is_end() && !force && !self.may_end(at, &by, under.as_deref()));
        self.void += usize::from(is_void);
        if let Some(status) = status.filter(|_| !is_void) {
            self.status = status;
            self.commit = if status.is_end() { set.commit } else { None };
            if status.is_end() || status == Status::Open || status == Status::Paused {
                self.claim = None;
            }
        }
        if let Some(until) = claim {
            self.take_claim(&id, at, &by, until);
        }
        let is_holder = |claim: &Claim| claim.holder == by;
        if release && (force || self.claim.as_ref().is_some_and(is_holder)) {
            self.claim = None;
            if self.status == Status::InProgress {
                self.status = Status::Open;
            }
        }
        self.last = id;
    }

    /// Whether somebody may end the issue: nobody else has claimed it, and a claim of their own that they name has not run out.
    fn may_end(&self, at: Time, by: &Holder, under: Option<&str>) -> bool {
        match (&self.claim, under) {
            (Some(claim), Some(under)) => claim.id == under && claim.holds(at),
            (None, Some(_)) => false,
            (Some(claim), None) => claim.holder == *by || !claim.holds(at),
            (None, None) => true,
        }
    }

    fn take_claim(&mut self, id: &str, at: Time, by: &Holder, until: Time) {
        if self.status.is_end() {
            return;
        }
        match &mut self.claim {
            Some(claim) if claim.holds(at) && claim.holder == *by => claim.until = until,
            Some(claim) if claim.holds(at) => {
                self.void += 1;
                return;
            }
            claim => {
                self.fence += 1;
                *claim = Some(Claim { id: id.to_string(), holder: by.clone(), until, fence: self.fence });
            }
        }
        self.status = Status::InProgress;
    }
}
