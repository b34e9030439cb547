//! The guards of DONE.md: names, levels and files. Guards that donegate has keep its names and defaults.

use crate::event::{Level, Rule};

/// A guard.
pub struct GuardSpec {
    /// The rule of its findings; its word is the name of the guard.
    pub rule: Rule,
    /// Its default level.
    pub default: Level,
    /// Whether donegate has it.
    pub is_donegates: bool,
}

const fn guard(rule: Rule, default: Level, is_donegates: bool) -> GuardSpec {
    GuardSpec { rule, default, is_donegates }
}

/// All guards. DONE.md(5) has the same table.
pub const GUARDS: [GuardSpec; 18] = [
    guard(Rule::NoDoneEdits, Level::Tampered, true),
    guard(Rule::NoProtectedEdits, Level::Tampered, true),
    guard(Rule::NoDeletedTests, Level::Tampered, true),
    guard(Rule::NoNewSkips, Level::Tampered, true),
    guard(Rule::NoDisabledLint, Level::Tampered, true),
    guard(Rule::NoNewTodos, Level::Warning, true),
    guard(Rule::NoDebugArtifacts, Level::Warning, true),
    guard(Rule::NoHookEdits, Level::Tampered, false),
    guard(Rule::NoHiddenChanges, Level::Tampered, false),
    guard(Rule::NoPathEscapes, Level::Tampered, false),
    guard(Rule::NoFocusedTests, Level::Tampered, false),
    guard(Rule::NoEmptiedTests, Level::Tampered, false),
    guard(Rule::NoWeakenedAsserts, Level::Tampered, false),
    guard(Rule::NoLoweredCoverage, Level::Tampered, false),
    guard(Rule::NoConfigLoosening, Level::Tampered, false),
    guard(Rule::NoScriptGutting, Level::Tampered, false),
    guard(Rule::NoCiGutting, Level::Tampered, false),
    guard(Rule::NoRunnerHooks, Level::Tampered, false),
];

/// donegate's default for `test_globs`.
const TEST_GLOBS: [&str; 16] = [
    "**/*.test.*",
    "**/*.spec.*",
    "**/test_*.py",
    "**/*_test.py",
    "**/*_test.go",
    "**/*_test.rb",
    "**/*_test.exs",
    "**/*Test.java",
    "**/*Test.kt",
    "**/*Test.php",
    "**/*Tests.cs",
    "**/*Tests.swift",
    "**/tests/**",
    "**/__tests__/**",
    "test/**",
    "spec/**",
];

/// The `guards` and `paths` of DONE.md.
#[derive(Clone, Debug, PartialEq)]
pub struct Guards {
    /// The guards that are on, each with the level of its findings.
    levels: Vec<(Rule, Level)>,
    /// The guards whose level DONE.md names.
    named: Vec<Rule>,
    /// Only donegate's guards are on by default.
    is_donegates: bool,
    /// Which files are tests, as donegate's globs.
    pub test_globs: Vec<String>,
    /// Files that most guards skip, as donegate's globs.
    pub exclude: Vec<String>,
    /// Files that must not change, as donegate's globs.
    pub protect: Vec<String>,
    /// The only files that may change, as gitignore patterns; empty for no limit.
    pub allow: Vec<String>,
    /// Files that may not change, as gitignore patterns.
    pub deny: Vec<String>,
}

impl Guards {
    /// Whether DONE.md says which files are tests, or asks for donegate's guards.
    pub fn has_own_test_globs(&self) -> bool {
        self.is_donegates || self.test_globs != TEST_GLOBS
    }
}

impl Default for Guards {
    fn default() -> Guards {
        Guards {
            levels: GUARDS.iter().map(|guard| (guard.rule, guard.default)).collect(),
            named: Vec::new(),
            is_donegates: false,
            test_globs: TEST_GLOBS.map(String::from).to_vec(),
            exclude: Vec::new(),
            protect: Vec::new(),
            allow: Vec::new(),
            deny: Vec::new(),
        }
    }
}

impl Guards {
    /// Whether an edit of DONE.md is tampering.
    pub fn protects_definition(&self) -> bool {
        self.level(Rule::NoDoneEdits).is_some_and(|level| level >= Level::Tampered)
    }

    /// The level of a guard; None if it is off.
    pub fn level(&self, rule: Rule) -> Option<Level> {
        self.levels.iter().find(|(known, _)| *known == rule).map(|(_, level)| *level)
    }

    /// Sets a guard; None switches it off. Returns false if there is no guard of that name.
    pub fn set(&mut self, name: &str, level: Option<Level>) -> bool {
        let Some(guard) = GUARDS.iter().find(|guard| guard.rule.word() == name) else { return false };
        self.levels.retain(|(known, _)| *known != guard.rule);
        self.levels.extend(level.map(|level| (guard.rule, level)));
        self.named.push(guard.rule);
        true
    }

    /// Whether the user chose the level of a guard, by its name or with donegate's preset. Then it holds for all its findings.
    pub fn is_chosen(&self, rule: Rule) -> bool {
        self.is_donegates || self.named.contains(&rule)
    }

    /// Switches off all guards that donegate does not have.
    pub fn keep_donegates(&mut self) {
        self.levels.retain(|(rule, _)| GUARDS.iter().any(|guard| guard.rule == *rule && guard.is_donegates));
        self.is_donegates = true;
    }

    /// The guard that judges focused tests. donegate has one guard for them and for skipped tests.
    pub fn of_focused_tests(&self) -> Rule {
        let is_alike = self.is_donegates && self.level(Rule::NoFocusedTests).is_none();
        if is_alike { Rule::NoNewSkips } else { Rule::NoFocusedTests }
    }

    /// Whether any guard is on.
    pub fn any(&self) -> bool {
        !self.levels.is_empty()
    }
}
