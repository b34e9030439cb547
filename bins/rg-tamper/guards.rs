//! The guards that look at changed files. DONE.md sets their levels.

use crate::build_output::Output;
use crate::config;
use crate::moves;
use crate::new_code::NewCode;
use crate::outlines::Code;
use crate::outlines::reader::Reader;
use crate::packages;
use crate::patterns::{Kind, rule_of};
use crate::places;
use crate::scan;
use crate::sides::{self, Role, Sides, Source, noun};
use review_gate::donefile::{self, Guards};
use review_gate::event::{Event, Finding, Level, Rule, Stage};
use review_gate::outline::language;
use review_gate::snapshot::baseline::display_path;
use review_gate::snapshot::changes::{Change, Comparison};
use review_gate::snapshot::workspace::Workspace;
use review_gate::snapshot::{self, Snapshot, What, client_settings};
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::gitignore::Patterns;
use review_gate::sys::glob;
use review_gate::sys::limits;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Ends of names in test directories that are not tests.
const LEFT_OVER: [&str; 10] = [".md", ".markdown", ".rst", ".adoc", ".pyc", ".swp", ".swo", ".snap.new", ".orig", "~"];

/// Whether a removed file in a test directory was prose, or left by a compiler or an editor.
fn is_left_over(change: &Change, lower: &str) -> bool {
    change.now.is_none() && LEFT_OVER.iter().any(|end| lower.ends_with(end))
}

/// Extensions of data, which has no comments that a linter reads.
const DATA: [&str; 6] = ["csv", "json", "jsonl", "lock", "map", "svg"];

/// Extensions of data for tests that may hold any bytes.
const PLAIN: [&str; 27] = [
    "wasm", "woff", "woff2", "ttf", "otf", "txt", "png", "jpg", "jpeg", "gif", "ico", "webp", "pdf", "gz", "z", "bz2",
    "xz", "zst", "zip", "bin", "dat", "whl", "egg", "tar", "tgz", "jar", "gem",
];

/// Ends of names of prose, in which no marks are looked for.
const DOCS: [&str; 6] = [".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt"];

/// Extensions of source files, which are scanned even if they hold NUL bytes.
const SOURCES: [&str; 64] = [
    "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "py", "pyi", "rb", "go", "rs", "java", "kt",
    "kts", "scala", "groovy", "cs", "fs", "vb", "php", "swift", "m", "mm", "ex", "exs", "erl", "sh", "bash", "zsh",
    "fish", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "dart", "lua", "pl", "r", "jl", "clj", "hs", "ml", "sql", "tf",
    "html", "css", "scss", "yml", "yaml", "json", "toml", "ini", "cfg", "xml", "gradle", "mk", "make",
];

/// The guards that read code.
pub const CODE: [Rule; 8] = [
    Rule::NoDeletedTests,
    Rule::NoNewSkips,
    Rule::NoFocusedTests,
    Rule::NoEmptiedTests,
    Rule::NoWeakenedAsserts,
    Rule::NoDisabledLint,
    Rule::NoNewTodos,
    Rule::NoDebugArtifacts,
];

/// The findings about one event, while its changes are inspected.
pub struct Inspection<'a> {
    pub event: &'a Event,
    pub guards: &'a Guards,
    pub found: Vec<Finding>,
    /// The top of the working tree.
    pub top: PathBuf,
    /// What was found, by rule, path and key.
    keys: HashSet<(String, Option<String>, String)>,
}

impl<'a> Inspection<'a> {
    /// An inspection without findings.
    pub fn new(event: &'a Event, guards: &'a Guards) -> Inspection<'a> {
        let top = snapshot::top_of(&event.root);
        Inspection { event, guards, found: Vec::new(), top, keys: HashSet::new() }
    }

    /// Adds a finding of a guard at its level, unless the guard is off. A second finding with the same key is dropped.
    pub fn find(&mut self, rule: Rule, path: &str, line: Option<u64>, key: &str, text: String) {
        if let Some(level) = self.guards.level(rule) {
            self.find_at(level, rule, path, line, key, text);
        }
    }

    /// Adds a finding at a level.
    pub fn find_at(&mut self, level: Level, rule: Rule, path: &str, line: Option<u64>, key: &str, text: String) {
        let path = (!path.is_empty()).then_some(path);
        self.add(key, line, Finding::new(Stage::Tamper, rule, level, path, key, text));
    }

    /// Adds a finding that is another one with each `lost`: a waiver of it covers no greater loss at that place.
    pub fn find_lost(
        &mut self,
        level: Level,
        rule: Rule,
        (path, line): (&str, Option<u64>),
        (key, lost): (&str, &str),
        text: String,
    ) {
        let path = (!path.is_empty()).then_some(path);
        self.add(key, line, Finding::new(Stage::Tamper, rule, level, path, &format!("{key}\n{lost}"), text));
    }

    fn add(&mut self, key: &str, line: Option<u64>, mut finding: Finding) {
        finding.line = line;
        if self.keys.insert((finding.rule.to_string(), finding.path.clone(), key.to_string())) {
            self.found.push(finding);
        }
    }

    /// What to scan a changed file for.
    fn role(&self, change: &Change) -> Role {
        let shown = display_path(&self.top, &self.event.root, &change.path);
        let lower = shown.to_ascii_lowercase();
        // The git directory of a repository below this one.
        let is_git_internal = shown.starts_with(".git/") || shown.contains("/.git/");
        let is_conventional = !self.guards.has_own_test_globs() && places::is_test_by_convention(&shown);
        let is_test = (glob::any(&self.guards.test_globs, &shown) || is_conventional) && !is_git_internal;
        let is_excluded = glob::any(&self.guards.exclude, &shown);
        let of_donegate = shown.starts_with(".donegate/") && !is_test;
        let is_meta = DOCS.iter().any(|end| lower.ends_with(end)) || of_donegate || self.is_definition(&shown);
        let end = lower.rsplit_once('.').map(|(_, end)| end);
        let mut kinds = Vec::new();
        let mut language = None;
        if !is_excluded && !is_meta && !is_git_internal {
            let is_on = CODE.iter().any(|rule| self.guards.level(*rule).is_some());
            language = language::of(&shown).filter(|_| is_on);
            let on = |rule: Rule| self.guards.level(rule).is_some();
            let looks = [
                (Kind::Skip, is_test && on(Rule::NoNewSkips)),
                (Kind::Lint, on(Rule::NoDisabledLint) && !end.is_some_and(|end| DATA.contains(&end))),
                (Kind::Todo, on(Rule::NoNewTodos)),
                (Kind::Debug, !is_test && on(Rule::NoDebugArtifacts)),
            ];
            kinds.extend(looks.into_iter().filter(|(_, wanted)| *wanted).map(|(kind, _)| kind));
        }
        let counts = is_test && !is_excluded;
        let is_source = is_test || end.is_some_and(|end| SOURCES.contains(&end));
        Role {
            is_test: counts && change.now.is_some(),
            was_test: counts && change.then.is_some() && !is_left_over(change, &lower),
            is_named: is_conventional
                || self.guards.test_globs.iter().any(|glob| !glob.ends_with("**") && glob::matches(glob, &shown)),
            kinds,
            is_source,
            language,
            is_refused: false,
            shown,
        }
    }

    fn is_definition(&self, shown: &str) -> bool {
        self.event.donefile.as_ref().is_some_and(|done| done.path == Path::new(shown))
    }

    /// Applies all guards to the changes.
    pub fn inspect(&mut self, workspace: &Workspace, compared: &Comparison, now: &Snapshot) -> Result<()> {
        let changes: Vec<(Change, Role)> =
            compared.changes.iter().map(|change| (change.clone(), self.role(change))).collect();
        let mut reader = Reader::default();
        let mut all = sides::scan_now(&self.top, changes, &mut reader);
        // The base's side is only read where it may tell of moves, tests or filters: without marks now, no mark is new.
        let any_marked = all.iter().any(|one| one.now.as_ref().is_some_and(|now| !now.hits.is_empty()));
        let by_name = compared.baseline.is_none();
        sides::scan_then(&self.top, &workspace.state, &mut all, &mut reader, |one| {
            by_name || one.role.was_test || one.role.language.is_some() || any_marked && !one.role.kinds.is_empty()
        })?;
        reader.finish(|key| sides::bytes_again(&self.top, &workspace.state, &all, key));
        if by_name {
            all.retain(|one| !sides::is_filtered(one));
        }
        all.iter_mut().for_each(sides::clear_binary);
        let (moved, new_code) = (moves::find(&all), NewCode::of(&all));
        let code = Code::of(&all, &mut reader);
        self.find_unread(&all, compared, &new_code);
        self.find_links(&all);
        self.find_protected(&all, compared);
        self.find_definition(&all, compared);
        let mut output = Output::new(&self.top);
        self.find_escapes(&mut output, &all);
        let top = self.top.clone();
        let source = Source { top: &top, state: &workspace.state, now };
        self.find_removed_tests(&all, &moved, &code, &source);
        self.find_marks(&mut output, &all, &moved, &new_code);
        self.find_in_code(&all, &code, &new_code, &mut output, &source);
        let is_gone =
            |one: &&Sides| one.change.now.is_none() && packages::is_gone_with_manifest(&one.change.path, &all, now);
        let gone: HashSet<&Path> = all.iter().filter(is_gone).map(|one| one.change.path.as_path()).collect();
        config::find(self, workspace, compared, &gone)
    }

    /// Finds files that could not be read on disk or at the base.
    fn find_unread(&mut self, all: &[Sides], compared: &Comparison, new_code: &NewCode) {
        let left_out: &[PathBuf] = compared.baseline.as_ref().map_or(&[], |baseline| &baseline.left_out);
        for (at, one) in all.iter().enumerate() {
            let path = &one.role.shown;
            let is_unreadable = one.change.now.as_ref().is_some_and(|file| file.entry.what == What::Unreadable);
            if one.is_moving && !one.role.is_source && !glob::any_above(&self.guards.protect, path) {
                let text = "changed while it was judged".to_string();
                self.find_at(Level::Note, Rule::Unstable, path, None, "moving", text);
            } else if one.is_moving {
                let text = "changed while it was judged. Finish again when no process writes to it".to_string();
                self.find_at(Level::Inconclusive, Rule::Unstable, path, None, "moving", text);
            } else if is_unreadable && one.change.then.is_some() {
                self.find(Rule::NoHiddenChanges, path, None, "unreadable", "can no longer be read".into());
            } else if is_unreadable {
                self.find_at(Level::Inconclusive, Rule::Unreadable, path, None, "unreadable", "cannot be read".into());
            } else if one.is_lost && left_out.contains(&one.change.path) {
                if one.role.is_source {
                    let text = "the baseline has no copy of this large file: only its current content was scanned";
                    self.find_at(Level::Warning, Rule::TooLargeToKeep, path, None, "large", text.to_string());
                }
            } else if one.is_lost && compared.baseline.is_none() && one.is_missing {
                let text =
                    "the old content is not in this partial clone. Fetch it with `git fetch --refetch --no-filter`"
                        .to_string();
                self.find_at(Level::Inconclusive, Rule::BaseMissing, path, None, "missing", text);
            } else if one.is_lost {
                let text = "the old content is missing or damaged. Restore it".to_string();
                self.find(Rule::NoHiddenChanges, path, None, "lost", text);
            }
            let now_nul = one.now.as_ref().is_some_and(|now| now.has_nul);
            let then_nul = one.then.as_ref().is_some_and(|then| then.has_nul);
            let wide = one
                .now
                .as_ref()
                .is_some_and(|now| now.head.starts_with(b"\xff\xfe") || now.head.starts_with(b"\xfe\xff"));
            let end = Path::new(path).extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
            let is_data = end.is_some_and(|end| PLAIN.contains(&end.as_str()));
            let is_hidden = now_nul && !then_nul && one.role.is_source && !is_data;
            if is_hidden && wide {
                let text = "is UTF-16: its lines were not scanned".to_string();
                self.find_at(Level::Inconclusive, Rule::Unreadable, path, None, "utf-16", text);
            } else if is_hidden {
                let text = "a new NUL byte makes tools treat this source file as binary. It was scanned".to_string();
                self.find_at(Level::Warning, Rule::NoHiddenChanges, path, None, "nul", text);
            }
            for kind in one.now.iter().flat_map(|now| &now.more) {
                // Marks beyond the limit cannot be compared. The kind's name is part of the key.
                let level = self.guards.level(rule_of(*kind).0);
                let text = format!("more than {} marks. If it is generated, add it to `exclude`", scan::MAX_MARKS);
                let known = one.then.as_ref().is_some_and(|then| then.more.contains(kind));
                if let Some(level) = level.filter(|_| !known) {
                    let is_new = *kind == Kind::Lint && new_code.is_new_file(at);
                    let level = if is_new { level.min(Level::Warning) } else { level };
                    self.find_at(level, Rule::TooManyMarks, path, None, &format!("{kind:?}"), text);
                }
            }
        }
    }

    /// Finds files and directories that became links: the snapshot does not hold what is behind a link.
    fn find_links(&mut self, all: &[Sides]) {
        let is_link = |one: &&Sides| one.change.now.as_ref().is_some_and(|file| file.entry.what == What::Link);
        for link in all.iter().filter(is_link) {
            let path = &link.change.path;
            let was_file = link.change.then.as_ref().is_some_and(|then| then.what.is_file());
            let below = |one: &Sides| {
                one.change.then.is_some() && one.change.path.starts_with(path) && one.change.path != *path
            };
            let what = if was_file { "file" } else { "directory" };
            // The guard of tests reports test files that became links.
            if was_file && !link.role.was_test || all.iter().any(below) {
                let text = format!("this {what} became a link: what is behind it is not judged");
                self.find(Rule::NoHiddenChanges, &link.role.shown, None, "link", text);
            }
        }
    }

    /// Finds changes of protected files and, with a commit as the base, of client settings.
    fn find_protected(&mut self, all: &[Sides], compared: &Comparison) {
        for one in all.iter().filter(|one| glob::any_above(&self.guards.protect, &one.role.shown)) {
            let key = content_of(&one.change);
            let text = format!("{}: DONE.md protects it", what_happened(&one.change));
            self.find(Rule::NoProtectedEdits, &one.role.shown, None, &key, text);
        }
        // A baseline pins the settings; a commit holds them as files.
        for one in all.iter().filter(|one| compared.baseline.is_none() && client_settings::is_settings(&one.role.shown))
        {
            let part =
                |scan: &Option<scan::Scan>| client_settings::deciding_part_in(&one.role.shown, &scan.as_ref()?.head);
            let is_link = one.change.now.as_ref().is_some_and(|file| file.entry.what == What::Link);
            if is_link || part(&one.then) != part(&one.now) {
                let text = format!("{}: it decides which hooks run", what_happened(&one.change));
                self.find(Rule::NoHookEdits, &one.role.shown, None, &content_of(&one.change), text);
            }
        }
    }

    /// Finds an edited definition of done. At a task's stop rg-check reports one that was removed or cannot be read.
    fn find_definition(&mut self, all: &[Sides], compared: &Comparison) {
        let Some(done) = &self.event.donefile else { return };
        let Some(baseline) = &compared.baseline else {
            // The file with the first of these names judges; files with later names have no effect.
            let place = |shown: &str| donefile::NAMES.iter().position(|name| *name == shown);
            let Some(judging) = done.path.to_str().and_then(place) else { return };
            for one in all.iter().filter(|one| place(&one.role.shown).is_some_and(|at| at <= judging)) {
                let is_first = one.change.then.is_none() && place(&one.role.shown) == Some(judging);
                if !is_first {
                    let what = what_happened(&one.change);
                    let text = match &self.event.against {
                        Some(name) => format!("{what}: the version of {name} applies"),
                        None => format!("{what}: it is the definition of done"),
                    };
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
                let text = "edited: the baseline's version applies".to_string();
                self.find(Rule::NoDoneEdits, &path, None, &now, text);
            }
            None if self.event.agent.is_some() => {
                self.find(Rule::NoDoneEdits, &path, None, "gone", "removed, or no longer a regular file".to_string());
            }
            None => {}
        }
    }

    /// Finds changes that `paths` of DONE.md does not allow.
    fn find_escapes(&mut self, output: &mut Output, all: &[Sides]) {
        if self.guards.allow.is_empty() && self.guards.deny.is_empty() {
            return;
        }
        let root = self.event.root.clone();
        let (allow, deny) = (Patterns::of(&self.guards.allow), Patterns::of(&self.guards.deny));
        let below = |path: &Path| path.strip_prefix(&root).unwrap_or(Path::new("")).to_path_buf();
        for one in all {
            let whole = output.top.join(&one.change.path);
            // A link also counts as its target, because files can be changed through it.
            let is_link = one.change.now.as_ref().is_some_and(|file| file.entry.what == What::Link);
            let leads = if is_link { std::fs::canonicalize(&whole).ok() } else { None };
            let places = || std::iter::once(&whole).chain(leads.iter());
            let is_denied = places().any(|path| deny.matches(&below(path)));
            let is_outside =
                !self.guards.allow.is_empty() && !places().all(|path| allow.matches_strictly(&below(path)));
            if is_denied || is_outside {
                let text = format!("{}: `paths` in DONE.md does not allow it", what_happened(&one.change));
                // A new file that a new ignore rule hides is the output of a build or a tool.
                let is_output = one.change.then.is_none() && output.holds(&one.change.path);
                if let Some(level) = self.guards.level(Rule::NoPathEscapes) {
                    let level = if is_output { level.min(Level::Warning) } else { level };
                    self.find_at(level, Rule::NoPathEscapes, &one.role.shown, None, &content_of(&one.change), text);
                }
            }
        }
    }
}

/// The digest of the file on disk, for the key of a finding: other bytes are another finding.
fn content_of(change: &Change) -> String {
    change.now.as_ref().map_or(String::new(), |file| review_gate::sys::digest::hex(&file.entry.sha256))
}

fn what_happened(change: &Change) -> String {
    match (&change.then, &change.now) {
        (None, Some(_)) => "added".into(),
        (Some(_), None) => "deleted".into(),
        (Some(then), Some(now)) if noun(then.what) != noun(now.entry.what) => {
            format!("became a {}", noun(now.entry.what))
        }
        _ if change.is_mode_only() => "mode changed".into(),
        _ => "edited".into(),
    }
}
