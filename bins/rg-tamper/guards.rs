//! The guards that look at files: each from what changed to its findings. Levels are DONE.md's; docs are no code.

use crate::moves::{self, Moved};
use crate::patterns::Kind;
use crate::sides::{self, Role, Sides, noun};
use crate::{pinned, scan};
use review_gate::donefile::{self, Guards};
use review_gate::event::{Event, Finding, Level, Rule, Stage};
use review_gate::git::Repository;
use review_gate::snapshot::baseline::shown;
use review_gate::snapshot::changes::{Change, Compared};
use review_gate::snapshot::definition::Basis;
use review_gate::snapshot::{self, HiddenToday, What};
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::gitignore::Patterns;
use review_gate::sys::glob;
use review_gate::sys::limits;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Ends of what lies among tests and is none.
const LEFT_OVER: [&str; 9] = [".md", ".markdown", ".rst", ".pyc", ".swp", ".swo", ".snap.new", ".orig", "~"];

/// Whether a file among the tests is prose, a compiler's or an editor's.
fn is_left_over(change: &Change, lower: &str) -> bool {
    change.now.is_none() && LEFT_OVER.iter().any(|end| lower.ends_with(end))
}

/// Prose: what it says of marks is no mark.
const DOCS: [&str; 4] = [".md", ".markdown", ".rst", ".txt"];

/// Ends of names that are source, whatever bytes are in it.
const SOURCES: [&str; 64] = [
    "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "py", "pyi", "rb", "go", "rs", "java", "kt",
    "kts", "scala", "groovy", "cs", "fs", "vb", "php", "swift", "m", "mm", "ex", "exs", "erl", "sh", "bash", "zsh",
    "fish", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "dart", "lua", "pl", "r", "jl", "clj", "hs", "ml", "sql", "tf",
    "html", "css", "scss", "yml", "yaml", "json", "toml", "ini", "cfg", "xml", "gradle", "mk", "make",
];

/// At work on one event.
pub struct Guarding<'a> {
    pub event: &'a Event,
    pub guards: &'a Guards,
    pub found: Vec<Finding>,
    /// The work tree's top.
    pub top: PathBuf,
    known: HashSet<String>,
}

impl<'a> Guarding<'a> {
    /// Nothing found yet.
    pub fn new(event: &'a Event, guards: &'a Guards) -> Guarding<'a> {
        let top = snapshot::top_of(&event.root);
        Guarding { event, guards, found: Vec::new(), top, known: HashSet::new() }
    }

    /// A finding of a guard, at its level; nothing where it is off. What is found under `key` again is the same finding.
    pub fn find(&mut self, rule: Rule, path: &str, line: Option<u64>, key: &str, text: String) {
        if let Some(level) = self.guards.level(rule) {
            self.find_at(level, rule, path, line, key, text);
        }
    }

    /// A finding of a weight of its own.
    pub fn find_at(&mut self, level: Level, rule: Rule, path: &str, line: Option<u64>, key: &str, text: String) {
        let path = (!path.is_empty()).then_some(path);
        let mut finding = Finding::new(Stage::Tamper, rule, level, path, key, text);
        finding.line = line;
        if self.known.insert(finding.key.clone()) {
            self.found.push(finding);
        }
    }

    /// What is to be looked for in a changed file.
    fn role(&self, change: &Change) -> Role {
        let shown = shown(&self.top, &self.event.root, &change.path);
        let lower = shown.to_ascii_lowercase();
        // What git keeps for itself, of a repository below this one.
        let is_gits = shown.starts_with(".git/") || shown.contains("/.git/");
        let is_test = glob::any(&self.guards.test_globs, &shown) && !is_gits;
        let is_excluded = glob::any(&self.guards.exclude, &shown);
        let of_donegate = shown.starts_with(".donegate/") && !is_test;
        let is_meta = DOCS.iter().any(|end| lower.ends_with(end)) || of_donegate || self.is_definition(&shown);
        let end = lower.rsplit_once('.').map(|(_, end)| end);
        let mut kinds = Vec::new();
        if !is_excluded && !is_meta && !is_gits {
            let on = |rule: Rule| self.guards.level(rule).is_some();
            let looks = [
                (Kind::Skip, is_test && on(Rule::NoNewSkips)),
                (Kind::Lint, on(Rule::NoDisabledLint)),
                (Kind::Todo, on(Rule::NoNewTodos)),
                (Kind::Debug, !is_test && on(Rule::NoDebugArtifacts)),
                (Kind::Test, is_test && on(Rule::NoDeletedTests)),
            ];
            kinds.extend(looks.into_iter().filter(|(_, wanted)| *wanted).map(|(kind, _)| kind));
        }
        let counts = is_test && !is_excluded;
        let is_source = is_test || end.is_some_and(|end| SOURCES.contains(&end));
        Role {
            is_test: counts && change.now.is_some(),
            was_test: counts && change.then.is_some() && !is_left_over(change, &lower),
            is_named: self.guards.test_globs.iter().any(|glob| !glob.ends_with("**") && glob::matches(glob, &shown)),
            kinds,
            is_source,
            shown,
        }
    }

    fn is_definition(&self, shown: &str) -> bool {
        self.event.donefile.as_ref().is_some_and(|done| done.path == Path::new(shown))
    }

    /// All guards that look at what changed.
    pub fn look(&mut self, basis: &Basis, compared: &Compared) -> Result<()> {
        let changes: Vec<(Change, Role)> =
            compared.changes.iter().map(|change| (change.clone(), self.role(change))).collect();
        let mut all = sides::scan_now(&self.top, changes);
        // Where nothing is marked now, nothing can be new; what was there is read where it may tell of moves, tests, filters.
        let any_marked = all
            .iter()
            .any(|one| one.now.as_ref().is_some_and(|now| now.hits.iter().any(|hit| hit.kind() != Kind::Test)));
        let by_name = compared.baseline.is_none();
        sides::scan_then(&self.top, &basis.state, &mut all, |one| {
            by_name || one.role.was_test || any_marked && !one.role.kinds.is_empty()
        })?;
        if by_name {
            all.retain(|one| !sides::is_filtered(one));
        }
        all.iter_mut().for_each(sides::leave_pictures);
        self.unseen(&all, compared);
        self.become_links(&all);
        self.protected(&all, compared);
        self.definition(&all, compared);
        let mut output = Output::new(&self.top);
        self.escapes(&mut output, &all);
        let moved = moves::find(&all);
        self.deleted_tests(&all, &moved);
        self.marks(&mut output, &all, &moved);
        Ok(())
    }

    /// What could not be read, or not be held against what stood there.
    fn unseen(&mut self, all: &[Sides], compared: &Compared) {
        let left_out: &[PathBuf] = compared.baseline.as_ref().map_or(&[], |baseline| &baseline.left_out);
        for one in all {
            let path = &one.role.shown;
            let is_unreadable = one.change.now.as_ref().is_some_and(|file| file.entry.what == What::Unreadable);
            if one.is_moving && !one.role.is_source && !glob::any_above(&self.guards.protect, path) {
                let text = "changed while it was judged".to_string();
                self.find_at(Level::Note, Rule::Unstable, path, None, "moving", text);
            } else if one.is_moving {
                let text = "changed while it was judged: finish again when nothing writes it".to_string();
                self.find_at(Level::Inconclusive, Rule::Unstable, path, None, "moving", text);
            } else if is_unreadable && one.change.then.is_some() {
                self.find(Rule::NoHiddenChanges, path, None, "unreadable", "cannot be read any more".into());
            } else if is_unreadable {
                self.find_at(Level::Inconclusive, Rule::Unreadable, path, None, "unreadable", "cannot be read".into());
            } else if one.is_lost && left_out.contains(&one.change.path) {
                if one.role.is_source {
                    let text = "too large to keep what stood here at the base: only what stands here now was looked at";
                    self.find_at(Level::Warning, Rule::TooLargeToKeep, path, None, "large", text.to_string());
                }
            } else if one.is_lost && compared.baseline.is_none() && one.is_missing {
                let text =
                    "this clone lacks what stood here at the base (a partial clone?): fetch it whole".to_string();
                self.find_at(Level::Inconclusive, Rule::BaseMissing, path, None, "missing", text);
            } else if one.is_lost {
                let text =
                    "what stood here at the base can be read no more, or is not what it was: restore it".to_string();
                self.find(Rule::NoHiddenChanges, path, None, "lost", text);
            }
            let now_nul = one.now.as_ref().is_some_and(|now| now.has_nul);
            let then_nul = one.then.as_ref().is_some_and(|then| then.has_nul);
            let wide = one
                .now
                .as_ref()
                .is_some_and(|now| now.head.starts_with(b"\xff\xfe") || now.head.starts_with(b"\xfe\xff"));
            if now_nul && !then_nul && one.role.is_source && wide {
                let text = "is UTF-16: its lines were not read".to_string();
                self.find_at(Level::Inconclusive, Rule::Unreadable, path, None, "utf-16", text);
            } else if now_nul && !then_nul && one.role.is_source {
                let text = "a NUL byte makes tools take this source for binary; it was read all the same".to_string();
                self.find_at(Level::Warning, Rule::NoHiddenChanges, path, None, "nul", text);
            }
            for kind in one.now.iter().flat_map(|now| &now.more) {
                // What cannot be counted cannot be cleared; generated files belong among the excluded ones.
                let level = rule_of(*kind).and_then(|(rule, _)| self.guards.level(rule));
                let text = "holds more marks than are counted: exclude it if it is generated".to_string();
                let known = one.then.as_ref().is_some_and(|then| then.more.contains(kind));
                if let Some(level) = level.filter(|_| !known) {
                    self.find_at(level, Rule::TooManyMarks, path, None, &format!("{kind:?}"), text);
                }
            }
        }
    }

    /// What was a file or a directory and is a link now: nothing that it leads to is seen any more.
    fn become_links(&mut self, all: &[Sides]) {
        let is_link = |one: &&Sides| one.change.now.as_ref().is_some_and(|file| file.entry.what == What::Link);
        for link in all.iter().filter(is_link) {
            let path = &link.change.path;
            let was_file = link.change.then.as_ref().is_some_and(|then| then.what.is_file());
            let below = |one: &Sides| {
                one.change.then.is_some() && one.change.path.starts_with(path) && one.change.path != *path
            };
            let what = if was_file { "file" } else { "directory" };
            // Of a test file that is a link now the guard of tests says so.
            if was_file && !link.role.was_test || all.iter().any(below) {
                let text = format!("was a {what}, and is a link now: what it leads to is not seen");
                self.find(Rule::NoHiddenChanges, &link.role.shown, None, "link", text);
            }
        }
    }

    /// Any byte, any mode, any new file.
    fn protected(&mut self, all: &[Sides], compared: &Compared) {
        for one in all.iter().filter(|one| glob::any_above(&self.guards.protect, &one.role.shown)) {
            let key = content_of(&one.change);
            let text = format!("protected, but {}", what_happened(&one.change));
            self.find(Rule::NoProtectedEdits, &one.role.shown, None, &key, text);
        }
        // In a commit the settings are files like others; what a task began with is pinned.
        for one in all.iter().filter(|one| compared.baseline.is_none() && pinned::is_settings(&one.role.shown)) {
            let part = |scan: &Option<scan::Scan>| scan.as_ref().and_then(|scan| pinned::deciding_part(&scan.head));
            let is_link = one.change.now.as_ref().is_some_and(|file| file.entry.what == What::Link);
            if is_link || part(&one.then) != part(&one.now) {
                let text = format!("{}: it decides which hooks run", what_happened(&one.change));
                self.find(Rule::NoHookEdits, &one.role.shown, None, &content_of(&one.change), text);
            }
        }
    }

    /// The definition of done: its bytes. Of a task rg-check says that it is gone, or can be read no more.
    fn definition(&mut self, all: &[Sides], compared: &Compared) {
        let Some(done) = &self.event.donefile else { return };
        let Some(baseline) = &compared.baseline else {
            // The first of its names judges: one that comes before it is an edit, one after it nothing.
            let place = |shown: &str| donefile::NAMES.iter().position(|name| *name == shown);
            let Some(judging) = done.path.to_str().and_then(place) else { return };
            for one in all.iter().filter(|one| place(&one.role.shown).is_some_and(|at| at <= judging)) {
                let is_first = one.change.then.is_none() && place(&one.role.shown) == Some(judging);
                if !is_first {
                    let text = format!("{}: what it says at the base is what counts", what_happened(&one.change));
                    self.find(Rule::NoDoneEdits, &one.role.shown, None, &content_of(&one.change), text);
                }
            }
            return;
        };
        let path = done.path.to_string_lossy().into_owned();
        let now = files::try_read(&self.event.root.join(&done.path), limits::SETTINGS);
        match now.map(|bytes| review_gate::sys::digest::sha256(&bytes)) {
            now if now == baseline.donefile => {}
            Some(now) => {
                let text = "edited since the begin: what it said then still judges".to_string();
                self.find(Rule::NoDoneEdits, &path, None, &now, text);
            }
            None if self.event.agent.is_some() => {
                self.find(Rule::NoDoneEdits, &path, None, "gone", "is gone, or no file any more".to_string());
            }
            None => {}
        }
    }

    /// Only what `paths` of DONE.md allows may change.
    fn escapes(&mut self, output: &mut Output, all: &[Sides]) {
        if self.guards.allow.is_empty() && self.guards.deny.is_empty() {
            return;
        }
        let root = self.event.root.clone();
        let (allow, deny) = (Patterns::of(&self.guards.allow), Patterns::of(&self.guards.deny));
        let below = |path: &Path| path.strip_prefix(&root).unwrap_or(Path::new("")).to_path_buf();
        for one in all {
            let whole = output.top.join(&one.change.path);
            // A link is what it leads to, too: through it everything there can be changed.
            let is_link = one.change.now.as_ref().is_some_and(|file| file.entry.what == What::Link);
            let leads = if is_link { std::fs::canonicalize(&whole).ok() } else { None };
            let places = || std::iter::once(&whole).chain(leads.iter());
            let is_denied = places().any(|path| deny.matches(&below(path)));
            let is_outside =
                !self.guards.allow.is_empty() && !places().all(|path| allow.matches_strictly(&below(path)));
            if is_denied || is_outside {
                let text = format!("{}, but `paths` of DONE.md does not allow it", what_happened(&one.change));
                // What a build or a tool left, ignored by a rule of its own, weighs less.
                let is_output = one.change.then.is_none() && output.holds(&one.change.path);
                if let Some(level) = self.guards.level(Rule::NoPathEscapes) {
                    let level = if is_output { level.min(Level::Warning) } else { level };
                    self.find_at(level, Rule::NoPathEscapes, &one.role.shown, None, &content_of(&one.change), text);
                }
            }
        }
    }

    /// Tests that are gone: whole files, and fewer of them in a file. What only moved, or has another name, is not gone.
    fn deleted_tests(&mut self, all: &[Sides], moved: &Moved) {
        for (at, one) in all.iter().enumerate().filter(|(_, one)| one.role.was_test) {
            let is_file = one.change.now.as_ref().is_some_and(|file| file.entry.what.is_file());
            let was_file = one.change.then.as_ref().is_some_and(|then| then.what.is_file());
            let is_submodule = one.change.then.as_ref().is_some_and(|then| then.what == What::Submodule);
            let was_loose = one.change.then.as_ref().is_some_and(|then| then.id.is_none());
            let gone = moved.gone.get(&at);
            let text = match (&one.change.now, gone) {
                (None, _) if is_submodule => "this submodule of tests is gone".to_string(),
                _ if !was_file => continue,
                (Some(file), _) if !is_file => format!("this test file has become a {}", noun(file.entry.what)),
                (None, Some(gone)) if gone.count < gone.of => {
                    format!("this test file is gone, and {} with it", gone.say())
                }
                (None, _) if moved.whole.contains(&at) => continue,
                // What nobody committed, declares nothing and only lies in a directory of tests was left by a tool.
                (None, None) if was_loose && !one.role.is_named => continue,
                (None, _) => "this test file is gone".to_string(),
                (Some(_), Some(gone)) => format!("missing here since the base: {}", gone.say()),
                (Some(_), None) => continue,
            };
            let key = gone.map_or("file", |gone| gone.key.as_str());
            self.find(Rule::NoDeletedTests, &one.role.shown, None, key, text);
        }
    }

    /// Marks that are new: neither there before, nor moved, nor another wording of one that was.
    fn marks(&mut self, output: &mut Output, all: &[Sides], moved: &Moved) {
        for (at, hit) in &moved.new_marks {
            let one = &all[*at];
            let Some((rule, what)) = rule_of(hit.kind()) else { continue };
            let Some(level) = self.guards.level(rule) else { continue };
            // Output that was given a rule of its own is no source; it is read, and said.
            let is_output = one.change.then.is_none() && output.holds(&one.change.path);
            let (level, note) =
                if is_output { (level.min(Level::Warning), " (hidden by a new ignore rule)") } else { (level, "") };
            let text = format!("{what}: {}{note}", hit.text);
            let key = format!("{:x}{:x}{:x}", hit.mark, hit.own, hit.after);
            self.find_at(level, rule, &one.role.shown, Some(hit.line), &key, text);
        }
    }
}

/// The guard that a mark is for, and what it means in words.
fn rule_of(kind: Kind) -> Option<(Rule, &'static str)> {
    match kind {
        Kind::Skip => Some((Rule::NoNewSkips, "a test is skipped or focused")),
        Kind::Lint => Some((Rule::NoDisabledLint, "a linter is told to look away")),
        Kind::Todo => Some((Rule::NoNewTodos, "work put off")),
        Kind::Debug => Some((Rule::NoDebugArtifacts, "debugging left in")),
        Kind::Test => None,
    }
}

/// New files that today's rules hide and git does not track, though the base's rules did not hide them: what a build left.
struct Output {
    top: PathBuf,
    rules: HiddenToday,
    tracked: OnceCell<HashSet<PathBuf>>,
}

impl Output {
    fn new(top: &Path) -> Output {
        Output { top: top.to_path_buf(), rules: HiddenToday::new(top), tracked: OnceCell::new() }
    }

    fn holds(&mut self, path: &Path) -> bool {
        let top = &self.top;
        let index = || Repository::at(top).and_then(|repository| repository.tracked().ok()).unwrap_or_default();
        let tracked = self.tracked.get_or_init(|| index().iter().map(|tracked| tracked.path.to_path_buf()).collect());
        !tracked.contains(path) && self.rules.hide(path)
    }
}

/// What stands there now, for the key of a finding: other bytes are another finding.
fn content_of(change: &Change) -> String {
    change.now.as_ref().map_or(String::new(), |file| review_gate::sys::digest::hex(&file.entry.sha256))
}

fn what_happened(change: &Change) -> String {
    match (&change.then, &change.now) {
        (None, Some(_)) => "new".into(),
        (Some(_), None) => "deleted".into(),
        (Some(then), Some(now)) if noun(then.what) != noun(now.entry.what) => format!("a {} now", noun(now.entry.what)),
        _ if change.is_mode_only() => "its mode was changed".into(),
        _ => "edited".into(),
    }
}
