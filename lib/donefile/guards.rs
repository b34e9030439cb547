//! The guards of DONE.md: names, levels and files. Guards that donegate has keep its names and defaults.

use crate::event::Level;

/// A guard that may be set.
pub struct Known {
    /// Its name, which is also the rule of its findings.
    pub name: &'static str,
    /// Its default level; None means off.
    pub default: Option<Level>,
    /// Whether donegate has it.
    pub donegate: bool,
    /// Whether it is implemented.
    pub judged: bool,
}

const fn known(name: &'static str, default: Option<Level>, donegate: bool, judged: bool) -> Known {
    Known { name, default, donegate, judged }
}

/// All guards. DONE.md(5) has the same table.
pub const GUARDS: [Known; 18] = [
    known("no_done_edits", Some(Level::Tampered), true, true),
    known("no_protected_edits", Some(Level::Tampered), true, true),
    known("no_deleted_tests", Some(Level::Tampered), true, true),
    known("no_new_skips", Some(Level::Tampered), true, true),
    known("no_disabled_lint", Some(Level::Tampered), true, true),
    known("no_new_todos", Some(Level::Warning), true, true),
    known("no_debug_artifacts", Some(Level::Warning), true, true),
    known("no_hook_edits", Some(Level::Tampered), false, true),
    known("no_hidden_changes", Some(Level::Tampered), false, true),
    known("no_path_escapes", Some(Level::Tampered), false, true),
    known("no_focused_tests", None, false, false),
    known("no_emptied_tests", None, false, false),
    known("no_weakened_asserts", None, false, false),
    known("no_lowered_coverage", None, false, false),
    known("no_config_loosening", None, false, false),
    known("no_script_gutting", None, false, false),
    known("no_ci_gutting", None, false, false),
    known("no_runner_hooks", None, false, false),
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
    levels: Vec<(&'static str, Level)>,
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

impl Default for Guards {
    fn default() -> Guards {
        Guards {
            levels: GUARDS.iter().filter_map(|guard| Some((guard.name, guard.default?))).collect(),
            test_globs: TEST_GLOBS.map(String::from).to_vec(),
            exclude: Vec::new(),
            protect: Vec::new(),
            allow: Vec::new(),
            deny: Vec::new(),
        }
    }
}

impl Guards {
    /// Whether there is a guard of that name.
    pub fn is_known(name: &str) -> bool {
        GUARDS.iter().any(|guard| guard.name == name)
    }

    /// The level of a guard; None if it is off.
    pub fn level(&self, name: &str) -> Option<Level> {
        self.levels.iter().find(|(known, _)| *known == name).map(|(_, level)| *level)
    }

    /// Sets a guard; None switches it off. Returns false if there is no guard of that name.
    pub fn set(&mut self, name: &str, level: Option<Level>) -> bool {
        let Some(guard) = GUARDS.iter().find(|guard| guard.name == name) else { return false };
        self.levels.retain(|(known, _)| *known != name);
        self.levels.extend(level.map(|level| (guard.name, level)));
        true
    }

    /// Switches off all guards that donegate does not have.
    pub fn keep_donegates(&mut self) {
        self.levels.retain(|(name, _)| GUARDS.iter().any(|guard| guard.name == *name && guard.donegate));
    }

    /// Whether any implemented guard is on.
    pub fn any(&self) -> bool {
        self.levels.iter().any(|(name, _)| GUARDS.iter().any(|guard| guard.name == *name && guard.judged))
    }

    /// Guards that are on and not implemented.
    pub fn not_judged(&self) -> impl Iterator<Item = &'static str> + '_ {
        let later = |name: &&'static str| GUARDS.iter().any(|guard| guard.name == *name && !guard.judged);
        self.levels.iter().map(|(name, _)| *name).filter(later)
    }
}
