//! A refusal: why a command is denied or asked about, and what to run instead.

use crate::command::{Call, marks};
use crate::rules::{Level, Rule, way_out};
use crate::shell::Span;
use review_gate::donefile::CommandRule;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{cut_end, one_line};

/// Why a command is denied, or why the user is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub level: Level,
    /// The rule's name.
    pub rule: String,
    pub reason: String,
    /// What to do instead; empty where there is nothing.
    pub instead: String,
    /// The place of the refused part in the text.
    pub span: Span,
    /// The simple command as it would run; empty where the refusal is about the whole text.
    pub command: String,
    /// The programs that run it, outermost first.
    pub trail: Vec<String>,
}

impl Refusal {
    /// A denial of a whole text or a tool call.
    pub fn new(rule: &str, reason: impl Into<String>, instead: &str) -> Refusal {
        Refusal {
            level: Level::Deny,
            rule: rule.to_string(),
            reason: reason.into(),
            instead: instead.to_string(),
            span: Span::default(),
            command: String::new(),
            trail: Vec::new(),
        }
    }

    /// The refusal of a simple command by a rule of rg-guard.
    pub fn by_rule(rule: &'static Rule, level: Level, call: &Call) -> Refusal {
        Refusal::new(rule.id, rule.reason, way_out(rule, call)).of_call(level, call)
    }

    /// The refusal of a simple command by a pattern of DONE.md.
    pub fn by_policy(rule: &CommandRule, level: Level, call: &Call) -> Refusal {
        Refusal::new(&format!("DONE.md: {}", rule.pattern), rule.reason.clone(), "").of_call(level, call)
    }

    fn of_call(self, level: Level, call: &Call) -> Refusal {
        Refusal { level, command: redact(&command_line(call)), trail: call.trail.clone(), span: call.span, ..self }
    }

    /// The refusal as one paragraph: the rule, the reason, the command, what to do instead.
    pub fn message(&self) -> String {
        let mut text = format!("{}: {}", self.rule, self.reason);
        if !self.command.is_empty() {
            let by = if self.trail.is_empty() { String::new() } else { format!(" (run by {})", self.trail.join(", ")) };
            text.push_str(&format!(": `{}`{by}", cut_end(&self.command, 200)));
        }
        if !self.instead.is_empty() {
            text.push_str(&format!(". Instead: {}", self.instead));
        }
        text
    }
}

/// A simple command as one line for people.
pub fn command_line(call: &Call) -> String {
    if matches!(
        call.name.as_str(),
        "run-downloaded" | "run-decoded" | "run-unknown" | "fork-bomb" | "unknown-program" | "terminal-input"
    ) {
        return format!("{} ...", marks::display(&call.path));
    }
    let mut words: Vec<String> = Vec::new();
    if !call.path.is_empty() {
        words.push(marks::display(if call.name == "git" { "git" } else { &call.path }));
    }
    words.extend(call.args.iter().map(|arg| marks::display(&arg.text)));
    words.extend(
        call.writes
            .iter()
            .map(|write| format!("{} {}", if write.append { ">>" } else { ">" }, marks::display(&write.path))),
    );
    one_line(&words.join(" "))
}
