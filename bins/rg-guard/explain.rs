//! `explain`: what a command would run, which rule applies, where, and what to do instead.

use crate::policy::Policy;
use crate::rules::{self, Level, Rule};
use crate::run::marks;
use crate::verdict;
use crate::world::World;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{cut_end, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// The most commands that are shown.
const SHOWN: usize = 200;

/// What a rule is there for, by its name.
fn about(rule: &Rule) -> String {
    let mut out = format!("{}: {}\ninstead: {}\n", rule.id, rule.reason, rule.instead);
    for (word, examples) in [("denied", rule.denied), ("allowed", rule.allowed)] {
        out.extend(examples.iter().map(|example| format!("{word}: {}\n", one_line(example))));
    }
    out
}

/// Explains one command, or one rule. The status is 0 whatever becomes of it.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut command = None;
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Operand(word) if command.is_none() => command = Some(word),
            flag => return Err(args.unknown(&flag)),
        }
    }
    if let Some(rule) = command.as_deref().and_then(rules::named) {
        pipes::write(about(rule).as_bytes())?;
        return Ok(Exit::Yes);
    }
    let command = crate::given(&command.ok_or_else(|| args.wrong("no command"))?)?;
    let world = World::at(args.dir()?);
    let mut steps: Vec<String> = Vec::new();
    let found = verdict::judge_showing(&command, &world, &Policy::default(), &mut |call| {
        let set = call.assigns.iter().filter(|(_, value)| !value.is_empty());
        let set: String = set.map(|(name, value)| format!("{name}={} ", marks::shown(value))).collect();
        let text = format!("{set}{}", verdict::shown(call));
        if steps.len() < SHOWN && !text.trim().is_empty() {
            let by = if call.trail.is_empty() { String::new() } else { format!("  [{}]", call.trail.join(" > ")) };
            steps.push(format!("  {}{by}\n", cut_end(one_line(&text).trim_end(), 160)));
        }
    });
    let mut out = format!("runs:\n{}", steps.concat());
    match found {
        None => out.push_str("allowed: no rule applies\n"),
        Some(found) => {
            let word = if found.level == Level::Ask { "ask" } else { "denied" };
            let core = if rules::named(&found.rule).is_some_and(|rule| rule.core) {
                " (no DONE.md switches it off)"
            } else {
                ""
            };
            out.push_str(&format!("{word}: {}{core}\n", found.rule));
            out.push_str(&format!("why: {}\n", found.reason));
            let text = command.get(found.span.start..found.span.end).unwrap_or("");
            if !text.is_empty() {
                let place = format!("bytes {} to {}", found.span.start, found.span.end);
                out.push_str(&format!("where: {place}: {}\n", cut_end(&one_line(text), 160)));
            }
            if !found.instead.is_empty() {
                out.push_str(&format!("instead: {}\n", found.instead));
            }
        }
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}
