//! A rule: when it applies, why, and what to do instead.

use super::context::Context;
use crate::command::{Call, pattern};

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A person is asked; where nobody attends it is a denial.
    Ask,
    /// It does not run.
    Deny,
}

/// When a rule applies.
#[derive(Clone, Copy)]
pub enum When {
    /// Any of these patterns over the words matches.
    Words(&'static [&'static str]),
    /// The program is one of these (all of them: `*`; a redirection alone: an empty name), and the check says so.
    Check(&'static [&'static str], fn(&Call, &Context) -> bool),
}

/// A rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its name: stable, what policies and journals call it.
    pub id: &'static str,
    pub level: Level,
    /// No DONE.md switches it off.
    pub core: bool,
    pub when: When,
    /// What would happen.
    pub reason: &'static str,
    /// What to do instead: a command between backquotes must be allowed.
    pub instead: &'static str,
    pub denied: &'static [&'static str],
    pub allowed: &'static [&'static str],
}

pub const fn deny(id: &'static str, reason: &'static str, instead: &'static str) -> Rule {
    Rule { id, level: Level::Deny, core: false, when: When::Words(&[]), reason, instead, denied: &[], allowed: &[] }
}

pub const fn ask(id: &'static str, reason: &'static str, instead: &'static str) -> Rule {
    Rule { level: Level::Ask, ..deny(id, reason, instead) }
}

impl Rule {
    pub fn is_about(&self, name: &str) -> bool {
        match self.when {
            When::Words(patterns) => patterns.iter().any(|pattern| pattern::is_about(pattern, name)),
            When::Check(names, _) => names.iter().any(|known| *known == "*" || *known == name),
        }
    }

    /// Whether it is about all programs.
    pub fn is_general(&self) -> bool {
        matches!(self.when, When::Check(names, _) if names.contains(&"*"))
    }

    /// Whether it speaks of that command.
    pub fn applies(&self, call: &Call, context: &Context) -> bool {
        match self.when {
            When::Words(patterns) => patterns.iter().any(|pattern| pattern::matches(pattern, call)),
            When::Check(_, check) => check(call, context),
        }
    }
}
