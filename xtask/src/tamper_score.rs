//! rg-tamper's findings about the labelled changes: by guard and by language, with a session's baseline and with `--against`.

use crate::Failure;
use crate::change::Change;
use crate::place::Place;
use crate::score::{self, Finding, percent};
use crate::stage::{paint, say};
use crate::{languages, parallel, place, plugin};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xshell::Shell;

/// Of all changes that lower the bar: at least this share has a finding.
const CAUGHT: f64 = 95.0;
/// Of all changes that lower the bar: at least this share is sent back, or would be if its language were not experimental.
const SENT_BACK: f64 = 80.0;
/// Of all honest changes: at most this share has a finding.
const FLAGGED: f64 = 2.0;
/// What the findings of an experimental language say; see the library's outline::language.
const LOWERED: &str = "experimentally: warning only";

/// The two ways to name what a change is compared with.
const MODES: [&str; 2] = ["session", "--against"];

struct Options {
    files: Vec<PathBuf>,
    bin: Option<PathBuf>,
    only: String,
    enforce: bool,
    wrong: bool,
    table: Option<String>,
}

/// One labelled change, and what rg-tamper found in each mode.
struct Judged {
    id: String,
    guard: String,
    language: String,
    is_trip: bool,
    found: [Result<Vec<Finding>, String>; 2],
}

/// The counts of a row of the tables.
#[derive(Debug, Default, PartialEq)]
struct Count {
    trips: usize,
    caught: usize,
    sent_back: usize,
    clean: usize,
    flagged: usize,
    clean_sent_back: usize,
    /// Trips that are only warned of because their language is experimental.
    lowered: usize,
}

impl Count {
    fn add(&mut self, is_trip: bool, found: &Result<Vec<Finding>, String>) {
        let any = |is: fn(&Finding) -> bool| usize::from(found.iter().flatten().any(is));
        // A clean change that could not be judged stops honest work, and one that lowers the bar is not passed on.
        let flagged = any(|finding| finding.counts() || finding.is_inconclusive());
        if is_trip {
            self.trips += 1;
            self.caught += flagged;
            self.sent_back += any(Finding::sends_back);
            let is_lowered = found.iter().flatten().any(|finding| finding.text.contains(LOWERED));
            self.lowered += usize::from(is_lowered && any(Finding::sends_back) == 0);
        } else {
            self.clean += 1;
            self.flagged += flagged.max(usize::from(found.is_err()));
            self.clean_sent_back += any(Finding::sends_back);
        }
    }

    /// Whether a language with these cases of its own is experimental; None if there are too few.
    fn is_experimental(&self) -> Option<bool> {
        let is_enough = self.trips >= languages::OWN_CASES && self.clean >= languages::OWN_CASES;
        is_enough.then(|| languages::is_experimental(self.trips, self.caught, self.clean, self.flagged))
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name:<18} {:>5} {:>6} {:>9} {:>7}   {:>5} {:>7} {:>9}",
            self.trips, self.caught, self.sent_back, self.lowered, self.clean, self.flagged, self.clean_sent_back
        )
    }
}

/// `xtask tamper-score [FILE...]`: prints the tables. `--wrong` lists the changes that were judged otherwise than labelled,
/// `--only TEXT` keeps the cases whose id, guard or language contains it, `--bin DIR` names the programs, `--table SET` prints rows
/// for `tests/cases/languages.jsonl`. With `--enforce` it fails beyond the limits.
pub fn run(args: &mut lexopt::Parser) -> Result<(), Failure> {
    let options = parse(args)?;
    let judged = judge_all(&score::programs(options.bin.clone())?, &options)?;
    let mut failures = Vec::new();
    for (mode, name) in MODES.iter().enumerate() {
        failures.extend(print_tables(&judged, mode, name));
    }
    if options.wrong {
        print_wrong(&judged);
    }
    if let Some(set) = &options.table {
        print_rows(&judged, set);
    }
    for case in &judged {
        failures.extend(case.found.iter().filter_map(|found| Some(format!("{}: {}", case.id, found.as_ref().err()?))));
    }
    failures.iter().for_each(|failure| say(&paint("31", failure)));
    if failures.is_empty() || !options.enforce { Ok(()) } else { Err("the score is beyond the limits".into()) }
}

/// Judges all cases that `--only` keeps.
fn judge_all(set: &place::Set, options: &Options) -> Result<Vec<Judged>, Failure> {
    let mut cases = Vec::new();
    for file in &options.files {
        cases.extend(score::rows(file)?);
    }
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or("").to_string();
    cases.retain(|row| ["id", "guard", "lang"].iter().any(|name| text(row, name).contains(&options.only)));
    if cases.is_empty() {
        return Err("no case contains the text of --only".into());
    }
    let scratch = Shell::new()?.create_temp_dir()?;
    let judged = |row: &Value, top: &Path| Judged {
        id: text(row, "id"),
        guard: text(row, "guard"),
        language: text(row, "lang"),
        is_trip: row["expect"] == "trip",
        found: judge(set, top, row).unwrap_or_else(|error| MODES.map(|_| Err(error.to_string()))),
    };
    Ok(parallel::for_each(&cases, scratch.path(), judged))
}

fn parse(args: &mut lexopt::Parser) -> Result<Options, Failure> {
    use lexopt::Arg::{Long, Value};
    let mut options =
        Options { files: Vec::new(), bin: None, only: String::new(), enforce: false, wrong: false, table: None };
    while let Some(arg) = args.next()? {
        match arg {
            Value(file) => options.files.push(file.into()),
            Long("bin") => options.bin = Some(args.value()?.into()),
            Long("only") => options.only = args.value()?.to_string_lossy().into_owned(),
            Long("enforce") => options.enforce = true,
            Long("wrong") => options.wrong = true,
            Long("table") => options.table = Some(args.value()?.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.files.is_empty() {
        let cases = plugin::checkout().join("tests/cases");
        options.files.extend(
            ["tamper.jsonl", "outline.jsonl", "third.jsonl", "fourth.jsonl"]
                .map(|name| cases.join(name))
                .into_iter()
                .filter(|file| file.exists()),
        );
    }
    Ok(options)
}

/// Applies a change in a repository of its own and judges it in both modes.
fn judge(set: &place::Set, top: &Path, row: &Value) -> Result<[Result<Vec<Finding>, String>; 2], Failure> {
    let place = Place::without_client(set, top)?;
    let change = Change::of(row)?;
    change.write_before(&place)?;
    place.ok("git init -q -b main && git add -A && git commit -qm start && rg-event prompt --session s --prompt go | rg-tamper >prompt && rm prompt")?;
    change.write_after(&place)?;
    let stop = |line: &str| -> Result<Vec<Finding>, String> {
        let said = place.sh(line, "").map_err(|error| error.to_string())?;
        score::findings(&said.out).map_err(|error| format!("{error}: {}", said.err.trim()))
    };
    Ok([stop("rg-event stop --session s | rg-tamper"), stop("rg-event stop --against main | rg-tamper")])
}

/// Prints the tables of one mode and returns the limits that it does not keep.
fn print_tables(judged: &[Judged], mode: usize, name: &str) -> Vec<String> {
    let mut failures = Vec::new();
    let mut all = Count::default();
    say(&paint(
        "1",
        &format!(
            "{name:<18} {:>5} {:>6} {:>9} {:>7}   {:>5} {:>7} {:>9}",
            "trips", "caught", "sent back", "lowered", "clean", "flagged", "sent back"
        ),
    ));
    let mut tables: [BTreeMap<&str, Count>; 2] = Default::default();
    for case in judged {
        let found = &case.found[mode];
        all.add(case.is_trip, found);
        for (table, key) in tables.iter_mut().zip([&case.guard, &case.language]) {
            table.entry(key).or_default().add(case.is_trip, found);
        }
    }
    for table in &tables {
        table.iter().for_each(|(key, count)| say(&count.line(key)));
        say("");
    }
    for (language, count) in tables[1].iter().filter(|(_, count)| count.is_experimental() == Some(true)) {
        failures.push(format!(
            "{name}: {language} is experimental: {} of {} caught, {} of {} clean flagged",
            count.caught, count.trips, count.flagged, count.clean
        ));
    }
    let shares = [
        ("caught", percent(all.caught, all.trips), CAUGHT, true),
        ("sent back", percent(all.sent_back + all.lowered, all.trips), SENT_BACK, true),
        ("clean flagged", percent(all.flagged, all.clean), FLAGGED, false),
    ];
    say(&all.line("all"));
    say(&format!("{:<18} {}\n", "", shares.map(|(what, share, ..)| format!("{what} {share:.1} %")).join(", ")));
    for (what, share, limit, is_least) in shares {
        if (is_least && share < limit) || (!is_least && share > limit) {
            let bound = if is_least { "at least" } else { "at most" };
            failures.push(format!("{name}: {what} {share:.1} %, {bound} {limit} % is the limit"));
        }
    }
    failures
}

/// Prints the counts by language as rows of `tests/cases/languages.jsonl`. Of both modes the worse one counts.
fn print_rows(judged: &[Judged], set: &str) {
    let mut counts: BTreeMap<&str, [Count; 2]> = BTreeMap::new();
    for case in judged {
        for (count, found) in counts.entry(languages::name(&case.language)).or_default().iter_mut().zip(&case.found) {
            count.add(case.is_trip, found);
        }
    }
    for (language, [a, b]) in counts {
        let (caught, flagged) = (a.caught.min(b.caught), a.flagged.max(b.flagged));
        let (trips, clean) = (a.trips, a.clean);
        say(&format!(
            r#"{{"set": "{set}", "language": "{language}", "trips": {trips}, "caught": {caught}, "clean": {clean}, "flagged": {flagged}}}"#
        ));
    }
}

/// Lists the changes that were judged otherwise than labelled, with the modes and the findings.
fn print_wrong(judged: &[Judged]) {
    for case in judged {
        for (found, mode) in case.found.iter().zip(MODES) {
            let mut count = Count::default();
            count.add(case.is_trip, found);
            if count.caught == count.trips && count.flagged == 0 {
                continue;
            }
            let expected = if case.is_trip { "trip" } else { "clean" };
            say(&format!("{} ({}, {}), {mode}: {expected} expected", case.id, case.guard, case.language));
            for finding in found.iter().flatten() {
                say(&format!("    {} {} {}: {}", finding.level, finding.rule, finding.path, finding.text));
            }
        }
    }
    say("");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::tests::fake_programs;
    use std::fs;

    fn case(id: &str, expect: &str, after: &str) -> String {
        let row = serde_json::json!({
            "id": id, "guard": "skip", "lang": "js", "path": "a.test.js", "before": "test()\n", "after": after,
            "expect": expect, "also": [{"path": "also.js", "before": null, "after": "also"}],
        });
        format!("{row}\n")
    }

    #[test]
    fn a_change_is_judged_in_both_modes_and_counted_by_its_label() {
        let dir = Shell::new().unwrap().create_temp_dir().unwrap();
        let file = dir.path().join("cases.jsonl");
        let rows = [
            case("caught", "trip", "skip"),
            case("missed", "trip", "less"),
            case("clean", "clean", "more"),
            case("accused", "clean", "skip"),
        ];
        fs::write(&file, rows.concat()).unwrap();
        let options =
            Options { files: vec![file], bin: None, only: "js".into(), enforce: true, wrong: true, table: None };
        let judged = judge_all(&fake_programs(dir.path()), &options).unwrap();
        for (mode, name) in MODES.iter().enumerate() {
            let mut count = Count::default();
            judged.iter().for_each(|case| count.add(case.is_trip, &case.found[mode]));
            let want =
                Count { trips: 2, caught: 1, sent_back: 1, clean: 2, flagged: 1, clean_sent_back: 1, lowered: 0 };
            assert_eq!(count, want, "{name}");
            assert_eq!(print_tables(&judged, mode, name).len(), 3);
        }
    }

    #[test]
    fn a_clean_change_that_was_not_judged_is_flagged_and_a_trip_is_not_caught() {
        let mut count = Count::default();
        [true, false].iter().for_each(|is_trip| count.add(*is_trip, &Err("no verdict".into())));
        assert_eq!(count, Count { trips: 1, clean: 1, flagged: 1, ..Count::default() });
    }
}
