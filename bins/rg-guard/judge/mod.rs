//! Judges a command: DONE.md's patterns and the rules, over each simple command that a shell would run.

pub mod backups;
mod losses;
pub mod read_only;
mod refusal;

pub use refusal::{Refusal, command_line};

use crate::command::{Call, marks, pattern};
use crate::rules::{self, Context, Level};
use crate::walk::{Scope, WalkEnd, Walker};
use review_gate::donefile::{CommandPreset, CommandRule, Commands};
use review_gate::sys::clock;

/// The longest command that is judged, in bytes. A longer one is denied.
pub const LIMIT: usize = 1 << 20;

/// Judges a command. None allows it.
pub fn judge(text: &str, context: &Context, policy: &Commands) -> Option<Refusal> {
    judge_each(text, context, policy, &mut |_| {})
}

/// Judges a command, and shows each simple command of it to `visit`.
pub fn judge_each(text: &str, context: &Context, policy: &Commands, visit: &mut dyn FnMut(&Call)) -> Option<Refusal> {
    if text.len() > LIMIT {
        let reason = format!("the command exceeds the limit of {} MiB", LIMIT >> 20);
        return Some(Refusal::new("too-long", reason, "put the text into a file, and pass the file's name"));
    }
    let text = marks::sanitize(text);
    let mut worst: Option<Refusal> = None;
    let mut judge_one = |call: &Call| {
        visit(call);
        let refusal = judge_call(call, context, policy);
        if let Some(refusal) = refusal
            && worst.as_ref().is_none_or(|worst| worst.level < refusal.level)
        {
            worst = Some(refusal);
        }
        worst.as_ref().is_some_and(|worst| worst.level == Level::Deny)
    };
    let cwd = context.cwd.to_string_lossy();
    let mut walker = Walker::new(Scope::new(&context.home, &cwd), text.len(), &mut judge_one);
    let end = walker.walk(&text);
    if end == WalkEnd::SyntaxError {
        // The part before the error was judged as a shell reads it; the whole text is judged word by word as well.
        walker.run_words(&text);
    }
    match end {
        _ if worst.as_ref().is_some_and(|worst| worst.level == Level::Deny) => worst,
        WalkEnd::TooDeep => Some(Refusal::new(
            "too-deep",
            "its commands are nested deeper than the limit",
            "write it without nesting, or as a script in the project",
        )),
        WalkEnd::TooMuch => Some(Refusal::new(
            "too-much",
            "it would run more commands than the limit",
            "write it without expansions and loops, or as a script in the project",
        )),
        _ => worst,
    }
}

/// Judges one simple command: the first rule that denies, else the first that asks.
pub fn judge_call(call: &Call, context: &Context, policy: &Commands) -> Option<Refusal> {
    let matching = |rules: &'_ [CommandRule]| rules.iter().find(|rule| is_match(rule, call)).cloned();
    if let Some(rule) = matching(&policy.deny) {
        return Some(Refusal::by_policy(&rule, Level::Deny, call));
    }
    let is_allowed = matching(&policy.allow).is_some();
    let mut question = matching(&policy.ask).map(|rule| Refusal::by_policy(&rule, Level::Ask, call));
    context.owns_machine.set(policy.preset == CommandPreset::Container);
    for rule in rules::applying(call, context) {
        let is_owned = policy.preset == CommandPreset::Container && rules::is_of_machine(rule, call);
        if !rule.core && (is_allowed || is_owned || policy.preset == CommandPreset::Off) {
            continue;
        }
        let level = if policy.preset == CommandPreset::Strict { Level::Deny } else { rule.level };
        let refusal = Refusal::by_rule(rule, level, call);
        if level == Level::Deny {
            return Some(refusal);
        }
        question.get_or_insert(refusal);
    }
    question
}

/// Whether a pattern of DONE.md matches the command and has not expired.
fn is_match(rule: &CommandRule, call: &Call) -> bool {
    pattern::matches(&rule.pattern, call) && rule.until.is_none_or(|until| until > clock::now())
}
