//! What may happen to one command: nothing, a question, a denial.

use crate::policy::{Policy, Preset, Said};
use crate::rules::{self, Level, Rule};
use crate::run::{Call, Outcome, Scope, Walker, marks};
use crate::shell::Span;
use crate::world::World;

/// The longest command that is looked at, in bytes. A longer one is denied.
pub const LIMIT: usize = 1 << 20;

/// Why a command does not simply run.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub level: Level,
    /// The rule's name.
    pub rule: String,
    pub reason: String,
    pub instead: String,
    /// Where it stands in the command.
    pub span: Span,
    /// The command as it would run.
    pub command: String,
    /// What runs it, outermost first.
    pub trail: Vec<String>,
}

impl Finding {
    /// One that no call is behind.
    pub fn of_text(rule: &str, reason: impl Into<String>, instead: &str) -> Finding {
        Finding {
            level: Level::Deny,
            rule: rule.to_string(),
            reason: reason.into(),
            instead: instead.to_string(),
            span: Span::default(),
            command: String::new(),
            trail: Vec::new(),
        }
    }

    fn of_rule(rule: &Rule, level: Level, call: &Call) -> Finding {
        Finding {
            level,
            command: shown(call),
            trail: call.trail.clone(),
            span: call.span,
            ..Finding::of_text(rule.id, rule.reason, rule.instead)
        }
    }

    fn of_policy(said: &Said, level: Level, call: &Call) -> Finding {
        let rule = format!("DONE.md: {}", said.pattern);
        Finding {
            level,
            command: shown(call),
            trail: call.trail.clone(),
            span: call.span,
            ..Finding::of_text(&rule, said.reason.clone(), "")
        }
    }

    /// In one paragraph, for whoever wanted to run it.
    pub fn told(&self) -> String {
        let mut text = format!("{}: {}", self.rule, self.reason);
        if !self.command.is_empty() {
            let by = if self.trail.is_empty() { String::new() } else { format!(" (run by {})", self.trail.join(", ")) };
            text.push_str(&format!(": {}{by}", review_gate::sys::text::cut_end(&self.command, 200)));
        }
        if !self.instead.is_empty() {
            text.push_str(&format!(". Instead: {}", self.instead));
        }
        text
    }
}

/// A call as a line, for people.
pub fn shown(call: &Call) -> String {
    if matches!(call.name.as_str(), "run-downloaded" | "run-decoded" | "run-unknown" | "fork-bomb" | "unknown-program")
    {
        return format!("{} ...", marks::shown(&call.path));
    }
    let mut words: Vec<String> = Vec::new();
    if !call.path.is_empty() {
        words.push(marks::shown(if call.name == "git" { "git" } else { &call.path }));
    }
    words.extend(call.args.iter().map(|arg| marks::shown(&arg.text)));
    words.extend(
        call.writes
            .iter()
            .map(|write| format!("{} {}", if write.append { ">>" } else { ">" }, marks::shown(&write.path))),
    );
    review_gate::sys::text::one_line(&words.join(" "))
}

/// Judges a command. `each` sees every simple command on the way.
pub fn judge_showing(text: &str, world: &World, policy: &Policy, each: &mut dyn FnMut(&Call)) -> Option<Finding> {
    if text.len() > LIMIT {
        let why = format!("the command is longer than {} MiB, and nobody looks that far", LIMIT >> 20);
        return Some(Finding::of_text("too-long", why, "put the text into a file and name that"));
    }
    let text = marks::cleaned(text);
    let mut worst: Option<Finding> = None;
    let mut judging = |call: &Call| {
        each(call);
        let found = about(call, world, policy);
        if let Some(found) = found
            && worst.as_ref().is_none_or(|worst| worst.level < found.level)
        {
            worst = Some(found);
        }
        worst.as_ref().is_some_and(|worst| worst.level == Level::Deny)
    };
    let cwd = world.cwd.to_string_lossy();
    let mut walker = Walker::new(Scope::new(&world.home, &cwd), text.len(), &mut judging);
    let outcome = walker.walk(&text);
    if let Outcome::Broken(..) = outcome {
        // What was read was judged; the rest is judged by its words.
        walker.words(&text);
    }
    match outcome {
        _ if worst.as_ref().is_some_and(|worst| worst.level == Level::Deny) => worst,
        Outcome::TooDeep => Some(Finding::of_text(
            "too-deep",
            "commands stand inside each other deeper than anybody looks",
            "write it flat, or as a script in the project",
        )),
        Outcome::TooMuch => Some(Finding::of_text(
            "too-much",
            "what it would run is more than anybody looks through",
            "write it plainly, or as a script in the project",
        )),
        _ => worst,
    }
}

/// Judges a command.
pub fn judge(text: &str, world: &World, policy: &Policy) -> Option<Finding> {
    judge_showing(text, world, policy, &mut |_| {})
}

/// What is to be said about one simple command: the first rule that denies, else the first that asks.
pub fn about(call: &Call, world: &World, policy: &Policy) -> Option<Finding> {
    let said = |list: &'_ [Said]| list.iter().find(|said| said.matches(call)).cloned();
    if let Some(said) = said(&policy.deny) {
        return Some(Finding::of_policy(&said, Level::Deny, call));
    }
    let allowed = said(&policy.allow).is_some();
    let mut asked = said(&policy.ask).map(|said| Finding::of_policy(&said, Level::Ask, call));
    for rule in rules::applying(call, world) {
        if !rule.core && (allowed || policy.preset == Preset::Off) {
            continue;
        }
        let level = if policy.preset == Preset::Strict { Level::Deny } else { rule.level };
        let found = Finding::of_rule(rule, level, call);
        if level == Level::Deny {
            return Some(found);
        }
        asked.get_or_insert(found);
    }
    asked
}
