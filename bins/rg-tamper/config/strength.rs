//! Compares what two versions of a command check: which steps are gone, which failures are lost, which options check less.

use super::command::{Category, Command, commands};
use super::flags;
use super::shell::{OnFailure, Step, is_idle, steps};
use review_gate::sys::text::{cut_end, one_line};
use std::collections::HashSet;

/// How deep scripts may call each other.
const CALLS: usize = 8;

/// How many commands of one text are compared.
const COMMANDS: usize = 400;

/// A text of commands, and how to find the scripts that it calls.
pub struct Text<'a> {
    /// The commands.
    pub text: &'a str,
    /// What the shell does when one fails.
    pub on_failure: OnFailure,
    /// The text of a script, a target or a file of the same side.
    pub find: &'a dyn Fn(&str) -> Option<String>,
}

/// Something that a text of commands lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What happened: `was replaced`, `loses ...`.
    pub what: String,
    /// Whether fewer violations are found for certain.
    pub is_certain: bool,
    /// Whether it is about coverage.
    pub is_coverage: bool,
}

/// A command that does something.
#[derive(Clone, Debug)]
pub struct Effective {
    /// The command.
    pub command: Command,
    /// Its failure is lost.
    pub is_masked: bool,
    /// Its output goes through a pipe.
    pub is_piped: bool,
}

/// The commands that a text runs, with those of the scripts that it calls.
pub fn effective(text: &Text<'_>) -> Vec<Effective> {
    let mut found = Vec::new();
    add(text, text.text, text.on_failure, false, &mut HashSet::new(), &mut found);
    found
}

fn add(
    text: &Text<'_>,
    part: &str,
    on_failure: OnFailure,
    is_masked: bool,
    open: &mut HashSet<String>,
    found: &mut Vec<Effective>,
) {
    for step in steps(part, on_failure) {
        if is_idle(&step.words) || found.len() >= COMMANDS {
            continue;
        }
        for command in commands(&step) {
            let is_masked = is_masked || step.is_masked || is_lenient(&step, &command);
            let target = command.target.clone().filter(|target| open.len() < CALLS && !open.contains(target));
            match target.as_deref().and_then(text.find) {
                Some(inner) => {
                    let target = target.unwrap_or_default();
                    open.insert(target.clone());
                    add(text, &inner, OnFailure::Continue, is_masked, open, found);
                    open.remove(&target);
                }
                None => found.push(Effective { command, is_masked, is_piped: step.is_piped }),
            }
        }
    }
}

/// Whether `make` is told to go on after errors.
fn is_lenient(step: &Step, command: &Command) -> bool {
    command.name.starts_with("make") && step.words.iter().any(|word| matches!(word.as_str(), "-i" | "--ignore-errors"))
}

/// What `now` lost against `then`. `category` is what the name of the text says that it checks.
pub fn lost(then: &Text<'_>, now: &Text<'_>, category: Option<Category>) -> Vec<Lost> {
    lost_between(&effective(then), &effective(now), category)
}

/// The same for commands that were taken out of their texts.
pub fn lost_between(old: &[Effective], new: &[Effective], category: Option<Category>) -> Vec<Lost> {
    let certain = |what: String| Lost { what, is_certain: true, is_coverage: false };
    let doubtful = |what: String| Lost { what, is_certain: false, is_coverage: false };
    let mut found: Vec<Lost> = Vec::new();
    let is_check = |one: &&Effective| !one.is_masked && one.command.category.is_some();
    let checks: Vec<&Effective> = old.iter().filter(is_check).collect();
    // A command of a text that is a check by its name, and that runs nothing any more.
    if old.iter().any(|one| !one.is_masked) && !new.iter().any(|one| !one.is_masked) {
        let is_known = category.is_some() || !checks.is_empty();
        if is_known && new.is_empty() {
            return vec![certain("was replaced".to_string())];
        }
        if is_known {
            return vec![certain("no longer fails when its command fails".to_string())];
        }
        return Vec::new();
    }
    let mut taken = vec![false; new.len()];
    // Commands that did not change pair first.
    let is_same = |one: &Effective, other: &Effective| {
        other.command == one.command && !other.is_masked && other.is_piped <= one.is_piped
    };
    let mut rest: Vec<&Effective> = Vec::new();
    for one in checks {
        match (0..new.len()).find(|at| !taken[*at] && is_same(one, &new[*at])) {
            Some(at) => taken[at] = true,
            None => rest.push(one),
        }
    }
    for one in rest {
        let is_free = |at: &usize| !taken[*at];
        let same = |at: &usize| new[*at].command.name == one.command.name;
        let shared = |at: &usize| {
            let other = &new[*at].command;
            let options = other.options.iter().filter(|option| one.command.options.contains(option)).count();
            let operands = other.operands.iter().filter(|word| one.command.operands.contains(word)).count();
            (usize::from(!new[*at].is_masked), options + operands, usize::MAX - other.operands.len())
        };
        let pair = (0..new.len()).filter(is_free).filter(same).max_by_key(shared);
        if let Some(at) = pair {
            taken[at] = true;
            let (other, name) = (&new[at], &one.command.name);
            if other.is_masked {
                found.push(certain(format!("no longer fails when `{name}` fails")));
            } else if other.is_piped && !one.is_piped {
                found.push(doubtful(format!("pipes the output of `{name}`, which may hide its status")));
            }
            found.extend(flags::differences(&one.command, &other.command).into_iter().map(|difference| Lost {
                what: if difference.what.starts_with("runs") || difference.what.starts_with("no longer") {
                    format!("{}: `{name}`", difference.what)
                } else {
                    difference.what
                },
                is_certain: difference.is_certain,
                is_coverage: difference.is_coverage,
            }));
            continue;
        }
        // A command that checks the whole tree, or all the same paths, stands for several.
        if new.iter().any(|other| covers(other, one)) {
            continue;
        }
        // Another program of the same kind took its place.
        let is_new =
            |other: &Effective| !other.is_masked && !old.iter().any(|known| known.command.name == other.command.name);
        let replaced = (0..new.len()).filter(is_free).find(|at| {
            is_new(&new[*at]) && (new[*at].command.category == one.command.category || is_both(&new[*at].command))
        });
        if new.iter().any(|other| is_same(one, other)) {
            let text = cut_end(&one_line(&shown(&one.command)), 60);
            found.push(doubtful(format!("runs `{text}` less often")));
            continue;
        }
        let is_build = one.command.category == Some(Category::Types) && one.command.name.ends_with(" build");
        let is_same_program = |other: &Effective| !other.is_masked && other.command.name == one.command.name;
        if is_build || new.iter().any(is_same_program) {
            let text = cut_end(&one_line(&shown(&one.command)), 60);
            found.push(doubtful(format!("no longer runs `{text}`")));
            continue;
        }
        let unknown = new.iter().find(|other| is_new(other) && other.command.category.is_none());
        let text = cut_end(&one_line(&shown(&one.command)), 60);
        match (replaced, unknown) {
            (Some(_), _) => {}
            (None, Some(other)) => {
                let by = cut_end(&one_line(&shown(&other.command)), 60);
                found.push(doubtful(format!("runs `{by}` instead of `{text}`")));
            }
            (None, None) => found.push(certain(format!("no longer runs `{text}`"))),
        }
    }
    found.sort_by_key(|one| !one.is_certain);
    found.dedup();
    found
}

/// Whether a command checks at least what another one of the same program checks: the whole tree, or its paths, with no other options.
fn covers(other: &Effective, one: &Effective) -> bool {
    let (all, some) = (&other.command, &one.command);
    let is_whole = all.operands.iter().any(|word| word == "." || word == "./");
    let holds = !some.operands.is_empty() && some.operands.iter().all(|word| all.operands.contains(word));
    all.name == some.name
        && !other.is_masked
        && other.is_piped <= one.is_piped
        && all.options == some.options
        && all.env == some.env
        && (is_whole || holds)
}

/// Whether a program both formats and lints, or lints and tests.
fn is_both(command: &Command) -> bool {
    matches!(
        command.name.as_str(),
        "biome" | "pre-commit" | "prek" | "tox" | "nox" | "mvn" | "gradle" | "deno check" | "xo" | "turbo" | "nx"
    ) || command.name.starts_with("turbo ")
        || command.name.starts_with("nx ")
        || command.target.is_some() && command.category.is_some()
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(&command.name).chain(&command.operands).chain(&command.options);
    words.map(String::as_str).collect::<Vec<_>>().join(" ")
}
/// Whether filters of warnings only lost such that made warnings milder than the others do.
pub fn is_stricter_filter(before: &[String], after: &[String]) -> bool {
    let has_begin = |item: &str, words: &[&str]| words.iter().any(|word| item.trim().starts_with(word));
    // Without an `ignore` that stays, the milder ones were exceptions to an error or to the default.
    let hides = after.iter().any(|item| has_begin(item, &["ignore"]));
    let is_mild = |item: &String| {
        has_begin(item, &["ignore"]) || !hides && has_begin(item, &["always", "default", "module", "once"])
    };
    let mut left = after.iter().peekable();
    let lost: Vec<&String> = before.iter().filter(|item| left.next_if_eq(item).is_none()).collect();
    // What only makes errors of warnings is stricter.
    left.all(|item| has_begin(item, &["error"])) && lost.into_iter().all(is_mild)
}
