//! `rg-check flaky`: the checks that failed and then passed on the same files, according to the recorded runs.

use review_gate::event::{Check, CheckEnd};
use review_gate::evidence::{Ending, TestList};
use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::record::Run;
use review_gate::store::state::State;
use review_gate::sys::clock::Time;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

/// The most tests that a line names.
const SHOWN: usize = 5;

/// What is known of one check.
#[derive(Default)]
struct History {
    runs: usize,
    flaky: usize,
    last: Option<Time>,
    /// The tests that failed before the check passed.
    tests: BTreeSet<String>,
    /// The outputs of the last failure and of the run that passed.
    logs: Vec<PathBuf>,
}

/// Prints a line for each flaky check.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut as_json = false;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "json" => as_json = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let (root, _) = workspace::root_of(&args.dir()?)?;
    let state = State::of(&root)?;
    let path = state.checks(&root);
    let journals = [path.with_extension("old.jsonl"), path.to_path_buf()];
    let mut all: BTreeMap<String, History> = BTreeMap::new();
    // The last failure on the same files, of each check.
    let mut red: HashMap<(String, String), Check> = HashMap::new();
    for journal in journals {
        for run in Journal::open(&journal)?.of::<Run>() {
            run.checks.iter().for_each(|check| add(&mut all, &mut red, &state, run, check));
        }
    }
    let flaky = all.iter().filter(|(_, history)| history.flaky > 0);
    let out: String = flaky.map(|(name, history)| line(name, history, as_json) + "\n").collect();
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// Adds the result of a check in one run.
fn add(
    all: &mut BTreeMap<String, History>,
    red: &mut HashMap<(String, String), Check>,
    state: &State,
    run: &Run,
    check: &Check,
) {
    let history = all.entry(check.name.clone()).or_default();
    history.runs += 1;
    let key = (run.key.clone(), check.name.clone());
    if check.ended == CheckEnd::Failed {
        red.insert(key, check.clone());
        return;
    }
    let before = red.remove(&key).filter(|_| check.ended == CheckEnd::Passed);
    let failed: Vec<&Check> = check.failed_tries.iter().chain(before.as_ref()).collect();
    let Some(last) = failed.first() else { return };
    (history.flaky, history.last) = (history.flaky + 1, Some(run.at));
    history.logs = [last.log.clone(), check.log.clone()].into_iter().flatten().collect();
    for failed in failed {
        let list = failed.tests.as_ref().and_then(|tests| state.read_blob(tests.list.as_ref()?).ok());
        let tests = TestList::parse(&list.unwrap_or_default());
        history.tests.extend(tests.named(Ending::Failed).map(str::to_string));
    }
}

fn line(name: &str, history: &History, as_json: bool) -> String {
    let History { runs, flaky, last, tests, logs } = history;
    if as_json {
        let fields = json!({"check": name, "flaky": flaky, "runs": runs, "last": last, "tests": tests, "logs": logs});
        return fields.to_string();
    }
    let at = last.map_or("-".to_string(), |at| at.local_minute_and_zone());
    let names: Vec<String> = tests.iter().take(SHOWN).map(|test| cut_end(&one_line(test), 100)).collect();
    let more = if tests.len() > SHOWN { format!(" and {} more", tests.len() - SHOWN) } else { String::new() };
    let names = if names.is_empty() { String::new() } else { format!(": {}{more}", names.join(", ")) };
    format!("{}: flaky in {flaky} of {}, last {at}{names}", one_line(name), count(*runs, "run"))
}
