//! Holds what an agent's last message claims against what was executed in its task.

mod message;
mod records;

use crate::CheckSection;
use message::Claim;
use records::Records;
use review_gate::event::{Check, CheckEnd, Event, Finding, Level, Rule, Stage};
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::text::{count, cut_end, one_line};

/// The longest claim that is shown, in characters.
const WIDTH: usize = 120;

/// Adds a warning for each claim without a record, and tells the user.
pub fn judge(event: &Event, state: &State, task: Option<&Task>, checks: &[Check], section: &mut CheckSection) {
    let claims = event.message.as_deref().map(message::claims).unwrap_or_default();
    if claims.is_empty() || event.agent.is_some() {
        return;
    }
    let records = Records::of(event, state, task, checks);
    let found: Vec<String> = claims.iter().filter_map(|claim| without_record(claim, checks, &records)).collect();
    for text in &found {
        let text = format!("the last message says {text}");
        section.find(Finding::new(Stage::Check, Rule::ClaimWithoutRecord, Level::Warning, None, &text, text.clone()));
    }
    if let Some(first) = found.first() {
        let more =
            if found.len() > 1 { format!(" (and {} more)", count(found.len() - 1, "claim")) } else { String::new() };
        section.tell(format!("review-gate: the agent says {first}{more}"));
    }
}

/// What is wrong with a claim; None if a record supports it, or if nothing is known.
fn without_record(claim: &Claim, checks: &[Check], records: &Records) -> Option<String> {
    let shown = |text: &str| cut_end(&one_line(text), WIDTH);
    // A check that could not be run says nothing about the tests.
    let has_failed = |check: &Check| !check.is_green() && check.ended != CheckEnd::NotRun;
    let red = || checks.iter().find(|check| has_failed(check) && (check.tests.is_some() || runs_tests(check)));
    let failed = |words: &str, check: &Check| format!("\"{}\", and check \"{}\" failed", shown(words), check.name);
    match claim {
        Claim::Count { tests, are_all, words } => {
            if let Some(check) = red().filter(|_| *are_all) {
                return Some(failed(words, check));
            }
            let is_beyond = *tests > records.most && (records.has_tests || records.has_calls);
            (is_beyond && !records.has_number(*tests)).then(|| match records.most {
                0 => format!("\"{}\", and no run of tests is on record", shown(words)),
                most => {
                    format!("\"{}\", and the largest run on record has {}", shown(words), count(most as usize, "test"))
                }
            })
        }
        Claim::AllPass { words } => match red() {
            Some(check) => Some(failed(words, check)),
            None if records.has_calls && !records.has_tests && !has_any_test_command(checks, records) => {
                Some(format!("\"{}\", and no run of tests is on record", shown(words)))
            }
            None => None,
        },
        Claim::Ran { command } => (records.has_calls && !records.has_command(command))
            .then(|| format!("that `{}` ran, and no record shows it", shown(command))),
        Claim::Test { name } => (records.has_tests && !records.may_have_passed(name))
            .then(|| format!("that test `{}` passes, and no record shows it", shown(name))),
    }
}

/// Whether any command that may have run tests is on record. Its output may not say so.
fn has_any_test_command(checks: &[Check], records: &Records) -> bool {
    checks.iter().any(runs_tests) || records.any_command(is_of_tests)
}

fn runs_tests(check: &Check) -> bool {
    is_of_tests(&check.name) || is_of_tests(&check.run)
}

fn is_of_tests(text: &str) -> bool {
    ["test", "spec", "check", "jest", "mocha"].iter().any(|word| text.contains(word))
}
