//! Failures that `quarantine` of DONE.md permits until a date.

use review_gate::donefile::{Donefile, Quarantine};
use review_gate::event::{Check, CheckEnd};
use review_gate::evidence::{Ending, TestList};
use review_gate::store::state::State;
use review_gate::sys::clock::Time;
use review_gate::sys::text::{count, cut_end, one_line};

/// Says of each failed check whether its failure is permitted now.
pub fn apply(checks: &mut [Check], done: &Donefile, state: &State, now: Time) {
    for check in checks.iter_mut() {
        check.quarantined = reason(check, done, state, now);
    }
}

/// Why the failure is permitted; None if it is not.
fn reason(check: &Check, done: &Donefile, state: &State, now: Time) -> Option<String> {
    if check.ended != CheckEnd::Failed {
        return None;
    }
    let open: Vec<&Quarantine> = done
        .quarantine
        .iter()
        .filter(|entry| entry.until > now && entry.check.as_ref().is_none_or(|name| *name == check.name))
        .collect();
    if let Some(entry) = open.iter().find(|entry| entry.test.is_none()) {
        return Some(format!("in quarantine until {}: {}", day(entry.until), text(&entry.why)));
    }
    if !is_one_command(&check.run) {
        return None;
    }
    let run = check.tests.as_ref().filter(|run| !run.incomplete && run.failed > 0)?;
    let tests = TestList::parse(&state.read_blob(run.list.as_ref()?).ok()?);
    let failed: Vec<&str> = tests.named(Ending::Failed).collect();
    // A failure without a name may be of any test.
    if failed.len() as u64 != run.failed {
        return None;
    }
    let entry_of = |name: &&str| open.iter().find(|entry| entry.test.as_ref().is_some_and(|test| is_named(name, test)));
    let entries: Vec<&&Quarantine> = failed.iter().map(entry_of).collect::<Option<_>>()?;
    let first = entries.first()?;
    let until = entries.iter().map(|entry| entry.until).min()?;
    let names: Vec<String> = failed.iter().take(5).map(|name| text(name)).collect();
    let failed = count(failed.len(), "failed test");
    Some(format!("{failed} in quarantine until {}: {} ({})", day(until), names.join(", "), text(&first.why)))
}

/// Commands that judge nothing.
const PREPARING: [&str; 12] =
    [".", "cd", "echo", "exit", "export", "mkdir", "printf", "set", "source", "ulimit", "umask", "unset"];

/// Arguments with which a package manager or build tool judges nothing.
const INSTALLING: [&str; 8] = ["build", "ci", "fetch", "generate", "i", "install", "restore", "sync"];

/// Whether a check is one command, beside what prepares it. Of several, the shell does not run those after a failed one, so that a
/// failure in quarantine would hide them.
pub fn is_one_command(run: &str) -> bool {
    let joined = run.replace("\\\n", " ");
    let commands = joined.split(['\n', ';']).flat_map(|line| line.split("&&")).map(str::trim);
    let judging = commands.filter(|command| !command.is_empty() && !command.starts_with('#')).filter(|command| {
        let mut words = command.split_whitespace();
        let first = words.next().unwrap_or("");
        let is_assignment = !command.contains(' ') && first.contains('=');
        !is_assignment && !PREPARING.contains(&first) && !words.next().is_some_and(|word| INSTALLING.contains(&word))
    });
    judging.count() <= 1
}

/// Whether an entry names the test: its whole name, or the end of it after a separator.
fn is_named(name: &str, entry: &str) -> bool {
    let before = name.strip_suffix(entry);
    before
        .is_some_and(|before| before.is_empty() || ["::", " > ", " ", ".", "/"].iter().any(|end| before.ends_with(end)))
}

fn day(time: Time) -> String {
    time.to_string().chars().take(10).collect()
}

fn text(text: &str) -> String {
    cut_end(&one_line(text), 120)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_one_command_beside_what_prepares_it() {
        for run in [
            "cargo test",
            "cd api && go test ./...",
            "set -e\nnpm ci\nnpm test -- --verbose\n",
            "A=1\nexport A\n# tests\npytest \\\n  -q | tee out",
            "cargo build && cargo test; exit",
        ] {
            assert!(is_one_command(run), "{run}");
        }
        for run in ["pytest; ruff check", "npm test && npm run lint", "sh a.sh\nsh b.sh"] {
            assert!(!is_one_command(run), "{run}");
        }
    }
}
