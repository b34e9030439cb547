//! The rules of findings: every rule that a tool of this release writes, and the word for it.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Deref;

/// Declares the rules with their words.
macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $word:literal),* $(,)?) => {
        /// What a finding is about. The manual of the tool that reports it describes the rule and the remedy.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Rule { $($(#[$doc])* $rule),* }

        impl Rule {
            /// All of them.
            pub const ALL: &[Rule] = &[$(Rule::$rule),*];

            /// The word in findings, in DONE.md and in scopes of waivers.
            pub const fn word(self) -> &'static str {
                match self { $(Rule::$rule => $word),* }
            }
        }
    };
}

rules! {
    /// A check failed or timed out.
    CheckFailed = "check-failed",
    /// A check could not be started or finished.
    CheckNotRun = "check-not-run",
    /// Files changed while the checks ran.
    CheckWrote = "check-wrote",
    /// No test was executed.
    NoTestsRan = "no-tests-ran",
    /// The report of the tests is missing or cannot be used.
    NoTestReport = "no-test-report",
    /// Tests of the base did not run.
    TestsNotRun = "tests-not-run",
    /// Tests failed, and the command succeeded.
    FailuresHidden = "failures-hidden",
    /// A check failed and then passed on the same files.
    CheckFlaky = "check-flaky",
    /// The agent claims a run that is not on record.
    ClaimWithoutRecord = "claim-without-record",
    /// A check failed, and `quarantine` permits it.
    CheckQuarantined = "check-quarantined",
    /// Tests of the base fail on the new code.
    OldTestsFail = "old-tests-fail",
    /// New tests pass without the change of the code.
    TestsProveNothing = "tests-prove-nothing",
    /// No test notices that a change is undone.
    ChangeNotTested = "change-not-tested",
    /// DONE.md was removed since the task began.
    DonefileMissing = "donefile-missing",
    /// DONE.md cannot be read, and could be when the task began.
    DonefileUnreadable = "donefile-unreadable",
    /// DONE.md was malformed when the task began.
    DonefileBroken = "donefile-broken",
    /// DONE.md became malformed since the task began.
    DonefileBrokenSince = "donefile-broken-since",
    /// A definition of done appeared under another name that has priority over DONE.md.
    DonefileShadowed = "donefile-shadowed",
    /// DONE.md became a symbolic link.
    DonefileLink = "donefile-link",
    /// A DONE.md in a subdirectory has no effect.
    DonefileNested = "donefile-nested",
    /// Records that must be there are absent.
    StateMissing = "state-missing",
    /// The task's journal was edited.
    JournalEdited = "journal-edited",
    /// Files changed between two tasks of a session.
    ChangedBetweenTasks = "changed-between-tasks",
    /// `HEAD` moved to a commit that existed when the task began.
    HeadMoved = "head-moved",
    /// There is no valid review of these files.
    ReviewOwed = "review-owed",
    /// A reviewer raised an issue.
    ReviewIssue = "review-issue",
    /// A file changed while it was judged.
    Unstable = "unstable",
    /// A file cannot be read.
    Unreadable = "unreadable",
    /// A file of the base is not in this clone.
    BaseMissing = "base-missing",
    /// Files are not checked out.
    NotCheckedOut = "not-checked-out",
    /// A file of the baseline was too large to keep.
    TooLargeToKeep = "too-large-to-keep",
    /// The syntax of a file became broken.
    SyntaxError = "syntax-error",
    /// A file contains more marks than are counted.
    TooManyMarks = "too-many-marks",
    /// The agent wrote the file that disables loops.
    LoopDisabled = "loop-disabled",
    /// The agent of a run changed source files and no test.
    UntestedChange = "untested-change",
    /// The agent of a run changed a file that its plan does not name.
    UnplannedChange = "unplanned-change",
    /// The agent of a run added a dependency that neither the goal nor its answer names.
    UnnamedDependency = "unnamed-dependency",
    /// Guard: the definition of done must not change.
    NoDoneEdits = "no_done_edits",
    /// Guard: protected files must not change.
    NoProtectedEdits = "no_protected_edits",
    /// Guard: no test may be removed.
    NoDeletedTests = "no_deleted_tests",
    /// Guard: no test may be skipped.
    NoNewSkips = "no_new_skips",
    /// Guard: no lint may be suppressed.
    NoDisabledLint = "no_disabled_lint",
    /// Guard: no TODO may be added.
    NoNewTodos = "no_new_todos",
    /// Guard: no debugging code may be added.
    NoDebugArtifacts = "no_debug_artifacts",
    /// Guard: settings that determine which hooks run must not change.
    NoHookEdits = "no_hook_edits",
    /// Guard: no change may be hidden from git.
    NoHiddenChanges = "no_hidden_changes",
    /// Guard: no file outside of the allowed paths may change.
    NoPathEscapes = "no_path_escapes",
    /// Guard: no test may keep others from running.
    NoFocusedTests = "no_focused_tests",
    /// Guard: no test may lose all that it asserts.
    NoEmptiedTests = "no_emptied_tests",
    /// Guard: no test may assert less.
    NoWeakenedAsserts = "no_weakened_asserts",
    /// Guard: no threshold of coverage may be lowered.
    NoLoweredCoverage = "no_lowered_coverage",
    /// Guard: no configuration of a check may be loosened.
    NoConfigLoosening = "no_config_loosening",
    /// Guard: no script may check less.
    NoScriptGutting = "no_script_gutting",
    /// Guard: no CI job may check less.
    NoCiGutting = "no_ci_gutting",
    /// Guard: no code may be added that decides the outcome of checks.
    NoRunnerHooks = "no_runner_hooks",
}

impl Rule {
    /// The rule of that word.
    pub fn named(word: &str) -> Option<Rule> {
        Rule::ALL.iter().copied().find(|rule| rule.word() == word)
    }
}

/// The rule of a finding, as it is written. What writes one takes it from a [`Rule`]; a reader also accepts words of later releases.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleName(Cow<'static, str>);

impl RuleName {
    /// Whether the finding is about DONE.md itself.
    pub fn is_about_definition(&self) -> bool {
        *self == Rule::NoDoneEdits || self.starts_with("donefile-")
    }
}

impl From<Rule> for RuleName {
    fn from(rule: Rule) -> RuleName {
        RuleName(Cow::Borrowed(rule.word()))
    }
}

impl Deref for RuleName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<Rule> for RuleName {
    fn eq(&self, rule: &Rule) -> bool {
        **self == *rule.word()
    }
}

impl std::fmt::Display for RuleName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_found_by_its_own_word() {
        for rule in Rule::ALL {
            assert_eq!(Rule::named(rule.word()), Some(*rule));
        }
        assert_eq!(Rule::named("rule-of-a-later-release"), None);
    }

    #[test]
    fn a_reader_accepts_a_rule_that_it_does_not_know() {
        for word in ["rule-of-a-later-release", "check-failed", "", "a \"quoted\"\nname"] {
            let read: RuleName = serde_json::from_value(word.into()).unwrap();
            assert_eq!((&*read, serde_json::to_value(&read).unwrap()), (word, word.into()));
        }
    }
}
