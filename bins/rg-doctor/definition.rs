//! DONE.md: whether it is valid, what it checks, who can review, and what in it can go wrong without a message.

use crate::report::{Definition, Report};
use review_gate::donefile::{self, CheckSpec, Donefile};
use review_gate::review::programs;
use review_gate::sys::clock;
use review_gate::sys::error::Error;
use std::path::Path;

/// How long a client waits for the stop, in seconds, without what the other stages take.
const WAIT: f64 = 3_540.0;

/// Looks at the definition of done for `root`.
pub fn look(root: &Path, report: &mut Report) {
    let found = match donefile::find(root) {
        Ok(Some(found)) => found,
        Ok(None) => {
            let (text, mend) = match donefile::broken_link(root) {
                Some(text) => (text, "correct the link, or remove it and run `rg-init`"),
                None => (format!("no DONE.md in {}", root.display()), "rg-init"),
            };
            return report.problem("no-definition", format!("{text}: the hooks check nothing"), mend);
        }
        Err(error) => return broken(report, Definition::default(), &error),
    };
    let mut known = Definition { path: found.root.join(found.name), ..Definition::default() };
    let definition = match donefile::parse(found.name, &found.bytes, &found.root) {
        Ok(definition) => definition,
        Err(error) => return broken(report, known, &error),
    };
    known.checks = definition.checks.iter().map(|check| check.name.clone()).collect();
    known.review = definition.review.when.word().to_string();
    let pins = programs::now(&definition.review, &definition.ask, &found.root);
    known.reviewers = programs::found(&definition.review, &definition.ask, &found.root);
    judge(&definition, report);
    if definition.review.command.is_some() {
        for name in &pins.absent {
            let is_named = definition.review.command.iter().flatten().next().is_some_and(|word| word == name);
            if is_named {
                let text = format!("a review may be required, and its program {name} is not found");
                report.problem("no-reviewer", text, format!("install {name}, or change `review.command` in DONE.md"));
            }
        }
    }
    report.definition = Some(known);
}

fn broken(report: &mut Report, mut known: Definition, error: &Error) {
    known.error = Some(error.to_string());
    report.definition = Some(known);
    report.problem("definition-broken", error.to_string(), "rg-check --validate");
}

/// Finds checks that cannot end in time, and those whose failure is lost.
fn judge(definition: &Donefile, report: &mut Report) {
    let all: f64 = definition.checks.iter().map(|check| check.timeout).sum();
    if all > WAIT {
        let text = format!(
            "the checks may take {} together, and a client waits at most {}",
            clock::human(all),
            clock::human(WAIT)
        );
        report.problem("timeouts", text, "lower `timeout` of the checks in DONE.md");
    }
    for check in definition.checks.iter().filter(|check| hides_failure(check)) {
        let text = format!("check {:?}: a pipe passes on only the status of its last command", check.name);
        report.problem("pipe", text, "add `shell: [bash, -eo, pipefail, -c]` to the check in DONE.md");
    }
}

/// Whether a check has a pipe, and its shell does not fail for the commands before the last one.
fn hides_failure(check: &CheckSpec) -> bool {
    let is_strict = check.run.contains("pipefail") || check.shell.iter().any(|word| word.contains("pipefail"));
    !is_strict && has_pipe(&check.run)
}

/// Whether a shell line has a pipe outside of quotes.
fn has_pipe(line: &str) -> bool {
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => drop(chars.next()),
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '#') => while chars.next().is_some_and(|c| c != '\n') {},
            (None, '|') if chars.peek() == Some(&'|') => drop(chars.next()),
            (None, '|') => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_no_text_and_no_alternative() {
        for line in ["make | tee log", "a && b|c"] {
            assert!(has_pipe(line), "{line}");
        }
        for line in ["a || b", "echo 'a | b'", "echo \"a | \\\" b\"", "make # a | b", "a \\| b"] {
            assert!(!has_pipe(line), "{line}");
        }
    }
}
