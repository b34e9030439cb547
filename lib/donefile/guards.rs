//! The guards of DONE.md: which there are, at what level, over which files. donegate's names and defaults where it has one.

use crate::event::Level;

/// A guard that may be set.
pub struct Known {
    /// Its name: the rule of its findings.
    pub name: &'static str,
    /// Its level unless DONE.md says otherwise; None is off.
    pub default: Option<Level>,
    /// donegate has it, too.
    pub donegate: bool,
    /// This release judges it.
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

/// The files that donegate takes for tests unless DONE.md names others.
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

/// What DONE.md says of guards.
#[derive(Clone, Debug, PartialEq)]
pub struct Guards {
    /// Those that are on, by name, each with the level of its findings.
    levels: Vec<(&'static str, Level)>,
    /// Which files are tests; donegate's glob language.
    pub test_globs: Vec<String>,
    /// Which files no guard but those of DONE.md, of protected files and of hooks looks at.
    pub exclude: Vec<String>,
    /// Which files nobody may touch.
    pub protect: Vec<String>,
    /// The only files that may change, and those that may not, as gitignore patterns; empty for no such limit.
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

    /// The level of a guard; None where it is off.
    pub fn level(&self, name: &str) -> Option<Level> {
        self.levels.iter().find(|(known, _)| *known == name).map(|(_, level)| *level)
    }

    /// Sets a guard; None switches it off. False where there is none of that name.
    pub fn set(&mut self, name: &str, level: Option<Level>) -> bool {
        let Some(guard) = GUARDS.iter().find(|guard| guard.name == name) else { return false };
        self.levels.retain(|(known, _)| *known != name);
        self.levels.extend(level.map(|level| (guard.name, level)));
        true
    }

    /// Leaves donegate's own guards only.
    pub fn keep_donegates(&mut self) {
        self.levels.retain(|(name, _)| GUARDS.iter().any(|guard| guard.name == *name && guard.donegate));
    }

    /// Whether any guard that this release judges is on.
    pub fn any(&self) -> bool {
        self.levels.iter().any(|(name, _)| GUARDS.iter().any(|guard| guard.name == *name && guard.judged))
    }

    /// Guards that are on and that this release does not judge.
    pub fn not_judged(&self) -> impl Iterator<Item = &'static str> + '_ {
        let later = |name: &&'static str| GUARDS.iter().any(|guard| guard.name == *name && !guard.judged);
        self.levels.iter().map(|(name, _)| *name).filter(later)
    }
}
