//! What was executed in this task: the results of the checks, and the tool calls that rg-trace recorded.

use super::message::program;
use crate::record;
use review_gate::event::{Check, Event, Kind};
use review_gate::evidence::{Ending, OutputReader, TestList, is_named};
use review_gate::store::journal;
use review_gate::store::record::TracedEvent;
use review_gate::store::state::State;
use review_gate::store::task::Task;
use review_gate::sys::shell;
use serde_json::Value;

/// The most bytes of a recorded text that are split into commands.
const COMMAND: usize = 64 << 10;

/// Programs whose first operand says what they do.
const WITH_VERBS: [&str; 19] = [
    "cargo", "npm", "yarn", "pnpm", "bun", "go", "make", "just", "mvn", "mvnw", "gradle", "gradlew", "dotnet", "mix",
    "rake", "swift", "composer", "deno", "tox",
];

/// Words before a program that run it.
const LAUNCHERS: [&str; 16] = [
    "npx", "env", "time", "nice", "timeout", "uv", "poetry", "bundle", "pnpm", "exec", "run", "sudo", "command",
    "xvfb-run", "dlx", "pipenv",
];

/// What was executed in this task.
pub struct Records {
    /// The numbers of tests that runs report.
    pub counts: Vec<u64>,
    /// The most tests of one run.
    pub most: u64,
    /// Whether any run of tests is on record.
    pub has_tests: bool,
    /// Whether the tool calls of the agent are on record.
    pub has_calls: bool,
    /// Whether all runs of tests name their tests.
    is_named: bool,
    tests: Vec<TestList>,
    /// The texts of tool calls: inputs and outputs.
    texts: Vec<String>,
    /// The commands, without options.
    commands: Vec<Vec<String>>,
}

impl Records {
    /// Reads them. `checks` are the results for the files as they are.
    pub fn of(event: &Event, state: &State, task: Option<&Task>, checks: &[Check]) -> Records {
        let mut records = Records {
            counts: Vec::new(),
            most: 0,
            has_tests: false,
            has_calls: false,
            is_named: true,
            tests: Vec::new(),
            texts: Vec::new(),
            commands: Vec::new(),
        };
        let since = task.and_then(|task| Some(task.journal.records().next()?.0.at));
        let earlier = since.map(|since| record::checks_since(&state.checks(&event.root), since)).unwrap_or_default();
        checks.iter().for_each(|check| records.add_check(check, state));
        // The checks of earlier stops ran, too, but they say nothing of how many tests there are.
        for check in &earlier {
            records.commands.extend(plain_commands(&check.run));
            records
                .counts
                .extend(check.tests.iter().flat_map(|run| [run.executed, run.executed.saturating_sub(run.failed)]));
        }
        let sum = checks.iter().filter_map(|check| Some(check.tests.as_ref()?.executed)).sum();
        records.counts.push(sum);
        records.most = records.most.max(sum);
        let Some(session) = event.session_key() else { return records };
        for kind in [Kind::ToolAfter, Kind::ToolFailed] {
            let calls: Vec<TracedEvent> = journal::search(&state.trace(session), kind.name()).unwrap_or_default();
            for call in calls {
                let is_of_task = task.is_some_and(|task| call.task.as_deref() == Some(&task.id));
                records.has_calls |= is_of_task;
                if let Some(tool) = &call.tool {
                    records.add_call(tool.input.as_deref(), tool.output.as_deref().or(tool.error.as_deref()));
                }
            }
        }
        records
    }

    fn add_check(&mut self, check: &Check, state: &State) {
        self.commands.extend(plain_commands(&check.run));
        self.texts.push(check.tail.clone());
        let Some(run) = &check.tests else { return };
        self.has_tests |= run.executed > 0;
        self.most = self.most.max(run.executed.saturating_add(run.skipped));
        let passed = run.executed.saturating_sub(run.failed);
        self.counts.extend([run.executed, passed, run.executed.saturating_add(run.skipped)]);
        match run.list.as_ref().and_then(|list| state.read_blob(list).ok()) {
            Some(bytes) => self.tests.push(TestList::parse(&bytes)),
            None => self.is_named = false,
        }
    }

    fn add_call(&mut self, input: Option<&str>, output: Option<&str>) {
        let input = input.map(strings).unwrap_or_default();
        for text in &input {
            self.commands.extend(plain_commands(text));
        }
        let mut reader = OutputReader::default();
        for text in output.map(strings).unwrap_or_default() {
            reader.take(text.as_bytes());
            reader.take(b"\n");
            self.texts.push(text);
        }
        if let Some(evidence) = reader.finish(Vec::new) {
            let run = evidence.run;
            self.has_tests |= run.executed > 0;
            self.most = self.most.max(run.executed.saturating_add(run.skipped));
            self.counts.extend([run.executed, run.executed.saturating_sub(run.failed)]);
            match evidence.tests {
                Some(tests) => self.tests.push(tests),
                None => self.is_named = false,
            }
        }
        self.texts.extend(input);
    }

    /// Whether a number stands in any record.
    pub fn has_number(&self, number: u64) -> bool {
        let word = number.to_string();
        self.counts.contains(&number) || self.texts.iter().any(|text| has_word(text, &word))
    }

    /// Whether a command like this ran: the same program, and the same verb if the program has verbs.
    pub fn has_command(&self, command: &str) -> bool {
        plain_commands(command).iter().all(|wanted| {
            let is_same = |known: &Vec<String>| known.len() >= wanted.len() && known[..wanted.len()] == wanted[..];
            // A runner may have been started by another program, which printed its name.
            self.commands.iter().any(is_same) || self.texts.iter().any(|text| has_word(text, &wanted.join(" ")))
        })
    }

    /// Whether a command fulfils this.
    pub fn any_command(&self, fits: impl Fn(&str) -> bool) -> bool {
        self.commands.iter().flatten().any(|word| fits(word))
    }

    /// Whether a test of this name may have passed: it did, or not all names are known.
    pub fn may_have_passed(&self, name: &str) -> bool {
        let title = name.rsplit("::").next().unwrap_or(name);
        let has = |list: &TestList| list.named(Ending::Passed).any(|known| is_named(known, title));
        !self.is_named
            || self.tests.is_empty()
            || self.tests.iter().any(has)
            || self.texts.iter().any(|text| has_word(text, title))
    }
}

/// The texts in a recorded value. One that was cut is no JSON.
fn strings(text: &str) -> Vec<String> {
    fn collect(value: Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(items) => {
                // A command may be a list of words.
                let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                found.push(words.join(" "));
                items.into_iter().for_each(|item| collect(item, found));
            }
            Value::Object(fields) => fields.into_iter().for_each(|(_, value)| collect(value, found)),
            _ => {}
        }
    }
    match serde_json::from_str(text) {
        Ok(value) => {
            let mut found = Vec::new();
            collect(value, &mut found);
            found
        }
        Err(_) => vec![text.replace("\\n", "\n").replace("\\\"", "\"")],
    }
}

/// Whether a text has this word, and not only as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_digit = |c: char| c.is_ascii_digit();
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let is_decimal = |after: &str| after.strip_prefix('.').is_some_and(|rest| rest.starts_with(is_digit));
        let is_fraction = before.strip_suffix('.').is_some_and(|rest| rest.ends_with(is_digit));
        let is_number = word.ends_with(is_digit) && (is_decimal(after) || is_fraction);
        !before.ends_with(is_part) && !after.starts_with(is_part) && !is_number
    })
}

/// The commands of a text, each as its program and, if it has verbs, its verb.
fn plain_commands(text: &str) -> Vec<Vec<String>> {
    if text.len() > COMMAND {
        return Vec::new();
    }
    let mut found = Vec::new();
    for words in shell::commands(text) {
        found.extend(plain(&words));
        // `sh -c 'a && b'` holds further commands.
        for inner in words.iter().filter(|word| word.contains(' ')) {
            found.extend(shell::commands(inner).iter().filter_map(|words| plain(words)));
        }
    }
    found
}

/// A command as its program and its verb: `npx jest --ci` is `jest`, `npm run test` is `npm test`, `python3 -m pytest` is `pytest`.
fn plain(words: &[String]) -> Option<Vec<String>> {
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.contains('=')).collect();
    let module = words.iter().position(|word| *word == "-m").filter(|at| *at > 0 && words[0].contains("python"));
    if let Some(at) = module {
        return words.get(at + 1).map(|module| vec![module.to_string()]);
    }
    let operands: Vec<&str> =
        words.iter().copied().filter(|word| !word.starts_with(['-', '+'])).map(shell::program_name).collect();
    let is_launcher = |at: usize| LAUNCHERS.contains(&operands[at]) && operands.get(at + 1).is_some();
    let mut at = 0;
    // `pnpm test` is a command of its own, and `timeout 60 make test` has a number.
    while at < operands.len() {
        let next = operands.get(at + 1).copied().unwrap_or("");
        let is_number = operands[at].starts_with(|c: char| c.is_ascii_digit());
        let is_own = operands[at] == "pnpm" && !["exec", "dlx"].contains(&next);
        if is_number || is_launcher(at) && !is_own { at += 1 } else { break }
    }
    let name = *operands.get(at)?;
    let verb = operands[at + 1..].iter().find(|word| **word != "run" && **word != "exec");
    match verb.filter(|_| WITH_VERBS.contains(&name)) {
        Some(verb) => Some(vec![name.to_string(), if *verb == "t" { "test".to_string() } else { verb.to_string() }]),
        None => program(&[name.to_string()]).map(|name| vec![name.to_string()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_its_program_and_its_verb() {
        for (command, want) in [
            ("cargo test --locked", "cargo test"),
            ("cargo +nightly t", "cargo test"),
            ("RUST_LOG=1 timeout 60 cargo clippy -- -D warnings", "cargo clippy"),
            ("npm run test", "npm test"),
            ("npx jest --ci", "jest"),
            ("pnpm exec vitest run", "vitest"),
            ("pnpm test", "pnpm test"),
            ("uv run pytest -q", "pytest"),
            ("python3 -m pytest tests", "pytest"),
            (".venv/bin/pytest -x", "pytest"),
            ("./gradlew test", "gradlew test"),
            ("make", "make"),
        ] {
            assert_eq!(
                plain_commands(command).first().map(|words| words.join(" ")).as_deref(),
                Some(want),
                "{command}"
            );
        }
        assert!(
            plain_commands("cd x && bash -lc 'cargo build && cargo test'")
                .contains(&vec!["cargo".into(), "test".into()])
        );
    }
}
