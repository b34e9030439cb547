//! The interim: what changed between two tasks of a session, when no turn of the agent ran.
//!
//! The user may have changed it, or a process that the agent left behind. The prompt tells the user. A change of what the agent may
//! not change makes the stop `unverified` until the user accepts it.

use review_gate::donefile::{self, Donefile, Guards};
use review_gate::event::{BudgetOwner, Event, Finding, Level, Rule, Stage};
use review_gate::snapshot::baseline::{display_path, last};
use review_gate::snapshot::workspace::Workspace;
use review_gate::snapshot::{self, CurrentIgnores, File, Snapshot, client_settings};
use review_gate::store::record::{Baseline, ChangesBetweenTasks, GuardedChange, PinnedState, PreviousFiles};
use review_gate::store::task::Task;
use review_gate::sys::digest::{hex, sha256};
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::glob;
use review_gate::sys::limits;
use review_gate::sys::text::count;
use std::collections::BTreeMap;

/// How many names a notice holds.
const NAMED: usize = 5;

/// How many files the user has to accept are listed.
const LISTED: usize = 50;

/// What changed between the end of the session's previous task and `now`; None if nothing did, or if there was no such task.
pub fn changes(
    event: &Event,
    workspace: &Workspace,
    task: &Task,
    (now, pinned): (&Snapshot, &PinnedState),
) -> Result<Option<ChangesBetweenTasks>> {
    let Some(previous) = &task.begin.previous else { return Ok(None) };
    let Some(before) = Task::load(&workspace.state, &previous.task)? else { return Ok(None) };
    let definitions = Definitions::of(&before, task);
    let mut interim = Interim { event, definitions, listed: BTreeMap::new(), guarded: Vec::new() };
    interim.add_files(workspace, previous, now);
    if let Some(baseline) = last(&before, &BudgetOwner::Main) {
        interim.add_pins(Rule::NoHookEdits, &baseline.pinned.settings, &pinned.settings);
        interim.add_pins(Rule::NoProtectedEdits, &baseline.pinned.protected, &pinned.protected);
    }
    interim.add_definition(&before, task);
    let Interim { listed, mut guarded, .. } = interim;
    guarded.truncate(LISTED);
    let first = listed.values().flatten().take(NAMED).cloned().collect();
    let changes = ChangesBetweenTasks { count: listed.values().map(Vec::len).sum(), first, guarded };
    Ok((changes.count > 0).then_some(changes))
}

/// The definitions of done of two tasks.
struct Definitions {
    then: Option<Donefile>,
    now: Option<Donefile>,
}

impl Definitions {
    fn of(before: &Task, task: &Task) -> Definitions {
        let parsed = |task: &Task| {
            let begun = task.begin.donefile.as_ref()?;
            let bytes = task.state.read_blob(&begun.sha256).ok()?;
            donefile::parse(&begun.path.to_string_lossy(), &bytes, &task.begin.root).ok()
        };
        Definitions { then: parsed(before), now: parsed(task) }
    }

    fn guards(&self) -> impl Iterator<Item = &Guards> {
        [&self.then, &self.now].into_iter().flatten().map(|done| &done.guards)
    }

    /// Whether a guard makes such a change tampering, by either definition: the later one may have been written with the change.
    fn is_guarded(&self, rule: Rule) -> bool {
        self.guards().any(|guards| guards.level(rule).is_some_and(|level| level >= Level::Tampered))
    }

    fn is_protected(&self, path: &str) -> bool {
        self.guards().any(|guards| glob::any_above(&guards.protect, path))
    }

    fn is_test(&self, path: &str) -> bool {
        self.guards().any(|guards| glob::any(&guards.test_globs, path))
    }
}

/// In which order files are named.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Definition,
    Guarded,
    Test,
    Other,
}

/// The changes while they are collected.
struct Interim<'a> {
    event: &'a Event,
    definitions: Definitions,
    listed: BTreeMap<Class, Vec<String>>,
    guarded: Vec<GuardedChange>,
}

impl Interim<'_> {
    fn add_files(&mut self, workspace: &Workspace, previous: &PreviousFiles, now: &Snapshot) {
        if previous.snapshot == now.digest() {
            return;
        }
        let then = workspace.state.read_blob(&previous.snapshot).ok().and_then(|bytes| snapshot::read_manifest(&bytes));
        let Some(then) = then else {
            // The record may have been removed so that nothing is told.
            let text = "files changed, and the record of the previous ones is missing".to_string();
            self.add(Class::Guarded, "(unknown files)");
            self.guarded.push(GuardedChange { path: String::new(), text, then: String::new(), now: now.digest() });
            return;
        };
        let top = snapshot::top_of(&self.event.root);
        let mut ignores = CurrentIgnores::new(&top);
        for (then, now) in snapshot::differences(&then, &now.files) {
            let Some(path) = now.or(then).map(|file| file.path.clone()) else { continue };
            let shown = display_path(&top, &self.event.root, &path);
            let is_protected = self.definitions.is_protected(&shown);
            // The previous task may have added an ignore rule; its files are still there.
            let mut is_hidden = || ignores.hide(&path) && std::fs::symlink_metadata(top.join(&path)).is_ok();
            if self.is_definition(&shown) || now.is_none() && !is_protected && is_hidden() {
                continue;
            }
            let digest = |file: Option<&File>| file.map_or(String::new(), |file| hex(&file.entry.sha256));
            if is_protected && self.definitions.is_guarded(Rule::NoProtectedEdits) {
                self.guard(&shown, "DONE.md protects it", (digest(then), digest(now)));
            } else if self.definitions.is_test(&shown) {
                self.add(Class::Test, &shown);
            } else {
                self.add(Class::Other, &shown);
            }
        }
    }

    /// Adds the changes of what no snapshot holds: clients' settings, ignored files that are protected.
    fn add_pins(&mut self, rule: Rule, then: &BTreeMap<String, String>, now: &BTreeMap<String, String>) {
        let why = if rule == Rule::NoHookEdits { "it decides which hooks run" } else { "DONE.md protects it" };
        if !self.definitions.is_guarded(rule) {
            return;
        }
        for (path, _) in client_settings::differences(then, now) {
            let digest = |side: &BTreeMap<String, String>| side.get(&path).cloned().unwrap_or_default();
            let (then, now) = (digest(then), digest(now));
            self.listed.values_mut().for_each(|names| names.retain(|name| *name != path));
            self.guard(&path, why, (then, now));
        }
    }

    /// Adds a changed definition of done. Only prose, and more of the same, needs no consent.
    fn add_definition(&mut self, before: &Task, task: &Task) {
        let of = |task: &Task| task.begin.donefile.as_ref().map(|done| (done.path.clone(), done.sha256.clone()));
        let (then, now) = (of(before), of(task));
        if then == now {
            return;
        }
        let path = now.as_ref().or(then.as_ref()).map(|(path, _)| path.display().to_string()).unwrap_or_default();
        let asks_no_less = match (&self.definitions.then, &self.definitions.now) {
            (Some(then), Some(now)) => asks_no_less(now, then),
            (then, _) => then.is_none(),
        };
        if asks_no_less || !self.definitions.is_guarded(Rule::NoDoneEdits) {
            return self.add(Class::Definition, &path);
        }
        let digest = |side: Option<(_, String)>| side.map(|(_, digest)| digest).unwrap_or_default();
        self.guard(&path, "its checks, guards or settings differ", (digest(then), digest(now)));
    }

    fn is_definition(&self, shown: &str) -> bool {
        self.event.donefile.as_ref().is_some_and(|done| done.path == std::path::Path::new(shown))
    }

    fn add(&mut self, class: Class, name: &str) {
        self.listed.entry(class).or_default().push(name.to_string());
    }

    fn guard(&mut self, path: &str, why: &str, (then, now): (String, String)) {
        self.add(Class::Guarded, path);
        self.guarded.push(GuardedChange { path: path.to_string(), text: why.to_string(), then, now });
    }
}

/// Whether a definition has every check of another one, and the same settings.
fn asks_no_less(now: &Donefile, then: &Donefile) -> bool {
    let has_all = then.checks.iter().all(|check| now.checks.contains(check));
    has_all && Donefile { checks: then.checks.clone(), ..now.clone() } == *then
}

/// What the user is told at the prompt; None if an earlier prompt told it.
pub fn notice(changes: &ChangesBetweenTasks, task: &Task) -> Option<String> {
    let quiet = task.begin.previous.as_ref().and_then(|previous| previous.quiet.as_ref());
    let quiet = quiet.and_then(|id| Task::load(&task.state, id).ok()?);
    if quiet.and_then(|quiet| last(&quiet, &BudgetOwner::Main)?.between_tasks).as_ref() == Some(changes) {
        return None;
    }
    let rest = changes.count - changes.first.len();
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    let told = format!(
        "review-gate: {} changed between the last task and this prompt: {}{more}",
        count(changes.count, "file"),
        changes.first.join(", ")
    );
    match changes.guarded.first() {
        None => Some(told),
        Some(change) => {
            let which = if change.path.is_empty() { "That" } else { &change.path };
            let accept = format!("`rg-tamper bless --why TEXT --task {}`", task.id);
            Some(format!(
                "{told}. {which}: {}. Accept it with {accept}, or with the prompt after the next stop at which nothing else is open",
                change.text
            ))
        }
    }
}

/// The findings at a stop: one for each change that the user has to accept, and a note about the others.
pub fn findings(baseline: &Baseline, event: &Event) -> Vec<Finding> {
    let Some(changes) = &baseline.between_tasks else { return Vec::new() };
    let rule = Rule::ChangedBetweenTasks;
    let open = changes.guarded.iter().filter(|change| !is_restored(change, event));
    let mut found: Vec<Finding> = open
        .map(|change| {
            let text = format!(
                "changed between the last task and this one: {}. The user decides; leave it as it is",
                change.text
            );
            let path = Some(change.path.as_str()).filter(|path| !path.is_empty());
            Finding::new(Stage::Tamper, rule, Level::Inconclusive, path, &change.now, text)
        })
        .collect();
    let names = changes.first.join(", ");
    let text = format!("{} changed between the last task and this one: {names}", count(changes.count, "file"));
    found.push(Finding::new(Stage::Tamper, rule, Level::Note, None, &names, text));
    found
}

/// Whether the file has its content of the end of the previous task.
pub fn is_restored(change: &GuardedChange, event: &Event) -> bool {
    // A path in the home directory names settings, of which only a part counts.
    let is_of_root = !change.path.is_empty() && !change.path.starts_with('~');
    let bytes = files::try_read_following(&event.root.join(&change.path), limits::SETTINGS);
    is_of_root && bytes.map_or(String::new(), |bytes| sha256(&bytes)) == change.then
}

/// Removes the findings about files with their content of the end of the previous task: to restore a file is no edit.
pub fn drop_restored(baseline: &Baseline, event: &Event, found: &mut Vec<Finding>) {
    let guarded = baseline.between_tasks.iter().flat_map(|changes| &changes.guarded);
    let restored: Vec<&str> =
        guarded.filter(|change| is_restored(change, event)).map(|change| change.path.as_str()).collect();
    let is_edit = |finding: &Finding| {
        [Rule::NoProtectedEdits, Rule::NoDoneEdits].iter().any(|rule| finding.rule == *rule)
            && finding.path.as_deref().is_some_and(|path| restored.contains(&path))
    };
    found.retain(|finding| !is_edit(finding));
}
