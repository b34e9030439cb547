//! The guards of DONE.md: which there are, at what level, over which files. donegate's names and defaults where it has one.

use crate::event::{Level, Rule};

/// A guard that may be set.
pub struct Known {
    /// The rule of its findings, whose word is its name.
    pub rule: Rule,
    /// Its level unless DONE.md says otherwise; None is off.
    pub default: Option<Level>,
    /// donegate has it, too.
    pub donegate: bool,
    /// This release judges it.
    pub judged: bool,
}

const fn known(rule: Rule, default: Option<Level>, donegate: bool, judged: bool) -> Known {
    Known { rule, default, donegate, judged }
}

/// All guards. DONE.md(5) has the same table.
pub const GUARDS: [Known; 18] = [
    known(Rule::NoDoneEdits, Some(Level::Tampered), true, true),
    known(Rule::NoProtectedEdits, Some(Level::Tampered), true, true),
    known(Rule::NoDeletedTests, Some(Level::Tampered), true, true),
    known(Rule::NoNewSkips, Some(Level::Tampered), true, true),
    known(Rule::NoDisabledLint, Some(Level::Tampered), true, true),
    known(Rule::NoNewTodos, Some(Level::Warning), true, true),
    known(Rule::NoDebugArtifacts, Some(Level::Warning), true, true),
    known(Rule::NoHookEdits, Some(Level::Tampered), false, true),
    known(Rule::NoHiddenChanges, Some(Level::Tampered), false, true),
    known(Rule::NoPathEscapes, Some(Level::Tampered), false, true),
    known(Rule::NoFocusedTests, None, false, false),
    known(Rule::NoEmptiedTests, None, false, false),
    known(Rule::NoWeakenedAsserts, None, false, false),
    known(Rule::NoLoweredCoverage, None, false, false),
    known(Rule::NoConfigLoosening, None, false, false),
    known(Rule::NoScriptGutting, None, false, false),
    known(Rule::NoCiGutting, None, false, false),
    known(Rule::NoRunnerHooks, None, false, false),
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
    /// Those that are on, each with the level of its findings.
    levels: Vec<(Rule, Level)>,
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
            levels: GUARDS.iter().filter_map(|guard| Some((guard.rule, guard.default?))).collect(),
            test_globs: TEST_GLOBS.map(String::from).to_vec(),
            exclude: Vec::new(),
            protect: Vec::new(),
            allow: Vec::new(),
            deny: Vec::new(),
        }
    }
}

impl Guards {
    /// The level of a guard; None where it is off.
    pub fn level(&self, rule: Rule) -> Option<Level> {
        self.levels.iter().find(|(known, _)| *known == rule).map(|(_, level)| *level)
    }

    /// Sets a guard; None switches it off. False where there is none of that name.
    pub fn set(&mut self, name: &str, level: Option<Level>) -> bool {
        let Some(guard) = GUARDS.iter().find(|guard| guard.rule.word() == name) else { return false };
        self.levels.retain(|(known, _)| *known != guard.rule);
        self.levels.extend(level.map(|level| (guard.rule, level)));
        true
    }

    /// Leaves donegate's own guards only.
    pub fn keep_donegates(&mut self) {
        self.levels.retain(|(rule, _)| GUARDS.iter().any(|guard| guard.rule == *rule && guard.donegate));
    }

    /// Whether any guard that this release judges is on.
    pub fn any(&self) -> bool {
        self.levels.iter().any(|(rule, _)| GUARDS.iter().any(|guard| guard.rule == *rule && guard.judged))
    }

    /// Guards that are on and that this release does not judge.
    pub fn not_judged(&self) -> impl Iterator<Item = &'static str> + '_ {
        let later = |rule: &Rule| GUARDS.iter().any(|guard| guard.rule == *rule && !guard.judged);
        self.levels.iter().map(|(rule, _)| *rule).filter(later).map(Rule::word)
    }
}
