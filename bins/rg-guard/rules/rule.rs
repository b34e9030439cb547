//! A rule: its condition, its reason, and what to do instead.

use super::context::Context;
use crate::command::{Call, pattern};

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The user is asked. In an unattended session the command is denied.
    Ask,
    /// The command is denied.
    Deny,
}

/// The condition of a rule.
#[derive(Clone, Copy)]
pub enum When {
    /// Any of these patterns matches the words.
    Words(&'static [&'static str]),
    /// The program is one of these, and the check holds. `*` is every program; an empty name is a command of redirections only.
    Check(&'static [&'static str], fn(&Call, &Context) -> bool),
}

/// A rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its name, as policies and journals refer to it.
    pub id: &'static str,
    pub level: Level,
    /// Whether DONE.md cannot switch it off.
    pub core: bool,
    pub when: When,
    /// What the command would do.
    pub reason: &'static str,
    /// What to do instead. A command in backquotes must be allowed.
    pub instead: &'static str,
    pub denied: &'static [&'static str],
    pub allowed: &'static [&'static str],
}

/// A rule that denies, without condition and examples.
pub const fn deny(id: &'static str, reason: &'static str, instead: &'static str) -> Rule {
    Rule { id, level: Level::Deny, core: false, when: When::Words(&[]), reason, instead, denied: &[], allowed: &[] }
}

/// A rule that asks, without condition and examples.
pub const fn ask(id: &'static str, reason: &'static str, instead: &'static str) -> Rule {
    Rule { level: Level::Ask, ..deny(id, reason, instead) }
}

impl Rule {
    /// How the names of the programs begin that the rule may be about.
    pub const fn starts(&self) -> u64 {
        let (When::Words(names) | When::Check(names, _)) = self.when;
        let (mut bits, mut at) = (0, 0);
        while at < names.len() {
            bits |= pattern::starts_of(names[at]);
            at += 1;
        }
        bits
    }

    /// Whether the rule is about a program of that name.
    pub fn is_about(&self, name: &str) -> bool {
        match self.when {
            When::Words(patterns) => patterns.iter().any(|pattern| pattern::is_about(pattern, name)),
            When::Check(names, _) => names.iter().any(|known| *known == "*" || *known == name),
        }
    }

    /// Whether the rule is about all programs.
    pub fn is_general(&self) -> bool {
        matches!(self.when, When::Check(names, _) if names.contains(&"*"))
    }

    /// Whether the rule applies to a command.
    pub fn applies(&self, call: &Call, context: &Context) -> bool {
        match self.when {
            When::Words(patterns) => patterns.iter().any(|pattern| pattern::matches(pattern, call)),
            When::Check(_, check) => check(call, context),
        }
    }
}
