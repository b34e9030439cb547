//! The rules: one file for each family, one entry for each rule.
//!
//! A rule has a condition (patterns over the words, or a check), a reason, and what to do instead. Its examples are its tests.

mod cloud;
mod containers;
mod context;
mod databases;
mod disk;
mod downloads;
pub mod files;
mod filled_dirs;
mod forges;
mod gate;
mod gate_clients;
mod gate_files;
mod gate_processes;
mod git_history;
mod git_hooks;
mod git_push;
mod git_refs;
mod huge_files;
mod infrastructure;
mod outside_files;
mod packages;
mod permissions;
mod processes;
mod protected_files;
mod rule;
mod scratch_repositories;
pub mod secrets;
mod sql;
mod statements;
mod system;
mod test_targets;
mod ways_out;
pub mod writes;

use crate::command::{Call, pattern};
pub use context::Context;
pub use rule::{Level, Rule};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
pub use ways_out::way_out;

/// All families. Where several rules deny, the first one is reported.
pub const FAMILIES: [(&str, &[Rule]); 24] = [
    ("gate", gate::RULES),
    ("gate clients", gate_clients::RULES),
    ("gate processes", gate_processes::RULES),
    ("gate files", gate_files::RULES),
    ("git push", git_push::RULES),
    ("git history", git_history::RULES),
    ("git hooks", git_hooks::RULES),
    ("git refs", git_refs::RULES),
    ("files", files::RULES),
    ("outside files", outside_files::RULES),
    ("disk", disk::RULES),
    ("permissions", permissions::RULES),
    ("writes", writes::RULES),
    ("huge files", huge_files::RULES),
    ("sql", sql::RULES),
    ("databases", databases::RULES),
    ("containers", containers::RULES),
    ("infrastructure", infrastructure::RULES),
    ("cloud", cloud::RULES),
    ("forges", forges::RULES),
    ("system", system::RULES),
    ("packages", packages::RULES),
    ("downloads", downloads::RULES),
    ("secrets", secrets::RULES),
];

/// The rule of that name.
pub fn named(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|(_, rules)| rules.iter())
}

/// The number of rules.
const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].1.len();
        family += 1;
    }
    count
};

/// How the names of the programs begin that each rule may be about, in the order of `all`. Most rules are about other programs.
static STARTS: [u64; COUNT] = {
    let mut starts = [0; COUNT];
    let (mut at, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let rules = FAMILIES[family].1;
        let mut rule = 0;
        while rule < rules.len() {
            starts[at] = rules[rule].starts();
            (at, rule) = (at + 1, rule + 1);
        }
        family += 1;
    }
    starts
};

/// How many programs have their rules cached.
const REMEMBERED: usize = 1024;

thread_local! {
    /// The rules about each program, once it is judged.
    static ABOUT: RefCell<HashMap<String, Rc<[&'static Rule]>>> = RefCell::default();
}

fn about(name: &str) -> Rc<[&'static Rule]> {
    if let Some(known) = ABOUT.with_borrow(|known| known.get(name).cloned()) {
        return known;
    }
    let start = pattern::start_of(name);
    let (mut about, mut at) = (Vec::new(), 0);
    for (_, rules) in &FAMILIES {
        let likely = rules.iter().zip(&STARTS[at..]).filter(|(_, starts)| **starts & start != 0);
        about.extend(likely.map(|(rule, _)| rule).filter(|rule| rule.is_about(name)));
        at += rules.len();
    }
    let about: Rc<[&'static Rule]> = about.into();
    ABOUT.with_borrow_mut(|known| {
        if known.len() < REMEMBERED {
            known.insert(name.to_string(), about.clone());
        }
    });
    about
}

/// Rules about the machine that the agent works on: they do not apply where it owns that machine.
const OF_MACHINE: [&str; 12] = [
    "service-stop",
    "process-stop",
    "account-change",
    "crontab-change",
    "package-remove",
    "package-remove-vital",
    "machine-change",
    "log-erase",
    "docker-destroy",
    "docker-remove-all",
    "docker-prune",
    "mode-capability",
];

/// Whether a rule is about the machine, and the command stays on it.
pub fn is_of_machine(rule: &Rule, call: &Call) -> bool {
    let leaves =
        call.is_remote && call.trail.iter().any(|name| matches!(name.as_str(), "ssh" | "ansible" | "pdsh" | "kubectl"));
    let is_elsewhere = |text: &str| {
        let option = text.split('=').next().unwrap_or("");
        matches!(
            option,
            "-H" | "--host" | "--context" | "-M" | "--machine" | "stack" | "swarm" | "service" | "node" | "context"
        )
    };
    let by_option = call.args.iter().any(|arg| is_elsewhere(&arg.text))
        || call.assigns.iter().any(|(name, _)| matches!(name.as_str(), "DOCKER_HOST" | "DOCKER_CONTEXT"));
    OF_MACHINE.contains(&rule.id) && !leaves && !by_option
}

/// Every rule that applies to a command.
pub fn applying<'a>(call: &'a Call, context: &'a Context) -> impl Iterator<Item = &'static Rule> + 'a {
    let about = about(&call.name);
    // Rules about all programs do not apply to a program that only reads and has no redirections.
    let quiet = call.writes.is_empty() && call.reads.is_empty() && QUIET.contains(&call.name.as_str());
    let rules = (0..about.len()).map(move |at| about[at]);
    rules.filter(move |rule| {
        !(quiet && rule.is_general()) && rule.applies(call, context) && !test_targets::is_for_tests(rule, call)
    })
}

/// Programs that change nothing by themselves.
const QUIET: [&str; 20] = [
    "[", "test", "echo", "printf", "cat", "ls", "date", "true", "false", "sleep", "pwd", "head", "tail", "wc", "grep",
    "basename", "dirname", "cut", "uniq", "jq",
];

/// The files that a command changes: it writes or removes them.
pub fn changed_files(call: &Call) -> impl Iterator<Item = &str> {
    let written = writes::written_paths(call).iter().map(|(path, _)| path.as_str());
    written.chain(files::removed_paths(call).into_iter().flat_map(|(paths, _)| paths).map(String::as_str))
}

/// Whether some rule is about a program of that name: its operands are understood.
pub fn knows(name: &str) -> bool {
    about(name).iter().any(|rule| !rule.is_general())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Refusal, judge};
    use std::collections::HashSet;
    use std::path::PathBuf;

    fn judged(command: &str) -> Option<Refusal> {
        let project = PathBuf::from("/home/dev/proj");
        judge(command, &Context::with(project.clone(), "/home/dev".into(), project), &Default::default())
    }

    /// What stands between backquotes.
    fn commands(text: &str) -> impl Iterator<Item = &str> {
        text.split('`').skip(1).step_by(2)
    }

    #[test]
    fn every_rule_denies_and_allows_its_examples() {
        let mut wrong = Vec::new();
        for rule in all() {
            assert!(!rule.denied.is_empty(), "{} has no example", rule.id);
            for command in rule.denied {
                match judged(command) {
                    Some(found) if found.level >= rule.level => {}
                    found => wrong.push(format!("{}: {command:?} is {found:?}", rule.id)),
                }
            }
            for command in rule.allowed {
                if let Some(found) = judged(command) {
                    wrong.push(format!("{}: {command:?} is {found:?}", rule.id));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_rule_that_an_example_is_for_is_the_one_that_is_named() {
        let unnamed = all().filter(|rule| {
            !rule.denied.iter().any(|command| judged(command).is_some_and(|found| found.rule == rule.id))
        });
        let unnamed: Vec<&str> = unnamed.map(|rule| rule.id).collect();
        assert!(unnamed.is_empty(), "{unnamed:?}");
    }

    #[test]
    fn every_way_out_is_itself_allowed() {
        for rule in all() {
            assert!(commands(rule.instead).next().is_some() || !rule.instead.is_empty(), "{} offers nothing", rule.id);
            for command in commands(rule.instead) {
                assert!(judged(command).is_none(), "{} suggests {command:?}: {:?}", rule.id, judged(command));
            }
        }
    }

    #[test]
    fn every_way_out_of_a_program_is_itself_allowed() {
        for text in ways_out::of_programs() {
            for command in commands(text) {
                assert!(judged(command).is_none(), "{text:?}: {:?}", judged(command));
            }
        }
    }

    /// The examples of the rules and all labelled commands.
    #[test]
    fn every_way_out_is_about_the_program_that_was_called() {
        let mut texts: Vec<String> = all().flat_map(|rule| rule.denied.iter().map(|text| text.to_string())).collect();
        for name in ["guard", "guard-more", "guard-gate", "guard-real"] {
            let path = format!("{}/tests/cases/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
            let bytes = review_gate::sys::files::try_read(std::path::Path::new(&path), 64 << 20).unwrap();
            let rows = String::from_utf8(bytes).unwrap();
            let of_row =
                |row: &str| serde_json::from_str::<serde_json::Value>(row).unwrap()["cmd"].as_str().map(str::to_string);
            texts.extend(rows.lines().filter_map(of_row));
        }
        let project = PathBuf::from("/home/dev/proj");
        let context = Context::with(project.clone(), "/home/dev".into(), project);
        let mut wrong = Vec::new();
        for text in texts {
            let policy = Default::default();
            crate::judge::judge_each(&text, &context, &policy, &mut |call| {
                let Some(refusal) = crate::judge::judge_call(call, &context, &policy) else { return };
                let is_text = call.name.contains("run-") || refusal.rule.starts_with("gate-");
                let is_synthetic =
                    matches!(call.name.as_str(), "fork-bomb" | "remote-shell" | "unknown-program" | "terminal-input");
                if !is_text && !is_synthetic && !ways_out::is_about_program(&refusal.instead, &call.name) {
                    wrong.push(format!("{}: {:?} is told {:?}", refusal.rule, call.name, refusal.instead));
                }
            });
        }
        wrong.sort();
        wrong.dedup();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn no_rule_is_missed_by_the_start_of_its_names() {
        let named = |rule: &'static Rule| match rule.when {
            rule::When::Words(names) | rule::When::Check(names, _) => names.iter().copied(),
        };
        let parts = all().flat_map(named).filter_map(|pattern| pattern.split(' ').next());
        let names = parts.flat_map(|names| names.split('|')).flat_map(|name| [name.replace('*', "x"), name.into()]);
        for name in names.chain(["".into(), "é".into(), "MKFS".into(), "a|b".into(), "*".into(), "g*".into()]) {
            let wanted: Vec<&str> = all().filter(|rule| rule.is_about(&name)).map(|rule| rule.id).collect();
            let found: Vec<&str> = about(&name).iter().map(|rule| rule.id).collect();
            assert_eq!(found, wanted, "{name}");
        }
    }

    #[test]
    fn names_are_there_once_and_in_one_form() {
        let mut seen = HashSet::new();
        for rule in all() {
            assert!(seen.insert(rule.id), "{} is there twice", rule.id);
            assert!(rule.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.id);
            assert!(!rule.reason.ends_with('.') && rule.reason.starts_with(char::is_lowercase), "{}", rule.id);
        }
    }

    #[test]
    fn patterns_are_whole() {
        for rule in all() {
            let rule::When::Words(patterns) = rule.when else { continue };
            for pattern in patterns {
                let odd = pattern
                    .split(' ')
                    .any(|token| token.is_empty() || token.ends_with(['-', '|']) || token.starts_with('|'));
                assert!(!odd, "{}: {pattern:?}", rule.id);
            }
        }
    }
}
