//! `explain`: what a command would run, which rule applies, where, and what to do instead.

use super::command_of;
use crate::command::marks;
use crate::judge::{self, command_line};
use crate::rules::{self, Context, Level, Rule};
use review_gate::donefile::Commands;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::spelling::nearest;
use review_gate::sys::text::{cut_end, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// The most commands that are printed.
const MAX_STEPS: usize = 200;

/// Commands of the shell itself that no rule is about and that may not be on PATH.
const BUILTINS: [&str; 24] = [
    "alias", "bg", "break", "builtin", "cd", "command", "continue", "declare", "dirs", "eval", "exec", "exit",
    "export", "fg", "jobs", "local", "popd", "pushd", "read", "return", "set", "shift", "source", "unset",
];

/// The page of a rule: its reason, what to do instead, its examples.
fn rule_page(rule: &Rule) -> String {
    let mut out = format!("{}: {}\ninstead: {}\n", rule.id, rule.reason, rule.instead);
    for (word, examples) in [("denied", rule.denied), ("allowed", rule.allowed)] {
        out.extend(examples.iter().map(|example| format!("{word}: {}\n", one_line(example))));
    }
    out
}

/// A note about a word that may be meant as the name of a rule: it is no program that a rule or PATH knows.
fn no_rule(word: &str) -> String {
    let is_name = !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let is_program = || rules::knows(word) || BUILTINS.contains(&word) || env::program(word).is_some();
    if !is_name || is_program() {
        return String::new();
    }
    let near = nearest(word, rules::all().map(|rule| rule.id));
    let near = near.map_or(String::new(), |id| format!(". The nearest is {id}: `rg-guard explain {id}`"));
    format!("note: no rule is named {word}{near}\n")
}

/// Explains one command, or one rule. The status is 0 whether the command is denied or not.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut command = None;
    while let Some(flag) = super::flag_beside(args, command.as_deref())? {
        match flag {
            Flag::Operand(word) if command.is_none() => command = Some(word),
            Flag::Operand(_) => return Err(super::not_one_command(args, "explain")),
            flag => return Err(args.unknown(&flag)),
        }
    }
    if let Some(rule) = command.as_deref().and_then(rules::named) {
        pipes::write(rule_page(rule).as_bytes())?;
        return Ok(Exit::Yes);
    }
    let command = command_of(&command.ok_or_else(|| args.wrong("no command"))?)?;
    let context = Context::at(args.dir()?);
    let mut steps: Vec<String> = Vec::new();
    let refusal = judge::judge_each(&command, &context, &Commands::default(), &mut |call| {
        let set = call.assigns.iter().filter(|(_, value)| !value.is_empty());
        let set: String = set.map(|(name, value)| format!("{name}={} ", marks::display(value))).collect();
        let text = format!("{set}{}", command_line(call));
        if steps.len() < MAX_STEPS && !text.trim().is_empty() {
            let by = if call.trail.is_empty() { String::new() } else { format!("  [{}]", call.trail.join(" > ")) };
            steps.push(format!("  {}{by}\n", cut_end(one_line(&text).trim_end(), 160)));
        }
    });
    let mut out = format!("runs:\n{}", steps.concat());
    match refusal {
        None => {
            out.push_str("allowed: no rule applies\n");
            out.push_str(&no_rule(&command));
        }
        Some(refusal) => {
            let level = if refusal.level == Level::Ask { "ask" } else { "denied" };
            let core = if rules::named(&refusal.rule).is_some_and(|rule| rule.core) {
                " (DONE.md cannot switch it off)"
            } else {
                ""
            };
            out.push_str(&format!("{level}: {}{core}\n", refusal.rule));
            out.push_str(&format!("why: {}\n", refusal.reason));
            let text = command.get(refusal.span.start..refusal.span.end).unwrap_or("");
            if !text.is_empty() {
                let place = format!("bytes {} to {}", refusal.span.start, refusal.span.end);
                out.push_str(&format!("where: {place}: {}\n", cut_end(&one_line(text), 160)));
            }
            if !refusal.instead.is_empty() {
                out.push_str(&format!("instead: {}\n", refusal.instead));
            }
        }
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}
