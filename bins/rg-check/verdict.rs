//! The verdict about the results of the checks, and the findings about each result.

use crate::{CheckSection, Results};
use review_gate::answer;
use review_gate::event::{Check, CheckEnd, Finding, Level, Rule, Stage, Verdict};
use review_gate::sys::text::{count, cut_end};

/// Adds the results, the findings and the verdict to the section.
pub fn give(section: &mut CheckSection, results: Results) {
    let Results { checks, judged, seen, changes, .. } = results;
    let find = |rule: Rule, level, what: &str, text| Finding::new(Stage::Check, rule, level, None, what, text);
    for check in checks.iter().filter(|check| !check.is_green()) {
        if matches!(check.ended, CheckEnd::Failed | CheckEnd::TimedOut) {
            let text = format!("check \"{}\" {}", check.name, answer::how_it_ended(check));
            section.find(find(Rule::CheckFailed, Level::Error, &check.name, text));
        }
    }
    let not_run: Vec<&Check> = checks.iter().filter(|check| check.ended == CheckEnd::NotRun).collect();
    for check in &not_run {
        let text = format!("check \"{}\" could not be judged: {}", check.name, cut_end(&check.tail, 200));
        section.find(find(Rule::CheckNotRun, Level::Inconclusive, &check.name, text));
    }
    for check in checks.iter().filter(|check| check.is_flaky()) {
        let tries = count(check.failed_tries.len(), "time");
        let text = format!(
            "check \"{}\" is flaky: it failed {tries} and then passed on the same files. See `rg-check flaky`",
            check.name
        );
        section.find(find(Rule::CheckFlaky, Level::Warning, &check.name, text));
    }
    for (check, why) in checks.iter().filter_map(|check| Some((check, check.quarantined.as_ref()?))) {
        let text = format!("check \"{}\" failed, which DONE.md permits: {why}", check.name);
        section.find(find(Rule::CheckQuarantined, Level::Warning, &check.name, text));
    }
    let red = checks.iter().filter(|check| !check.is_green()).count();
    let of = count(checks.len(), "check");
    section.set_snapshot(seen);
    let partial = checks.iter().any(|check| check.partial);
    let quarantined = checks.iter().filter(|check| check.quarantined.is_some()).count();
    let (verdict, why) = match red {
        0 if quarantined > 0 => (Verdict::Pass, format!("{of} passed, {quarantined} of them in quarantine")),
        0 => (Verdict::Pass, format!("{of} passed")),
        red if not_run.len() == red => (Verdict::Inconclusive, format!("{red} of {of} could not be judged")),
        _ => (Verdict::Fail, format!("{red} of {of} did not pass")),
    };
    section.judge_files(verdict, why, Some(judged), partial);
    for (what, text) in changes.reports() {
        section.find(find(Rule::CheckWrote, Level::Inconclusive, &what, text));
    }
    section.own.checks = checks;
}
