//! rg-check: run the definition of done.
//!
//! Judges a stop by the checks of DONE.md; writes checks/ in the state directory.
//! man: rg-check(1)

mod definition;
mod record;
mod runner;

use review_gate::answer;
use review_gate::donefile::Donefile;
use review_gate::event::{
    Check, CheckEnd, CheckFields, Event, Finding, Level, Rewritten, Rule, Section, Stage, Verdict,
};
use review_gate::snapshot::Snapshot;
use review_gate::snapshot::definition::Basis;
use review_gate::store::record::Run;
use review_gate::store::state::prune;
use review_gate::sys::clock;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::process;
use review_gate::sys::text::{count, cut_end};
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use std::process::ExitCode;
use std::time::Duration;

const TOOL: Tool = Tool {
    name: "rg-check",
    about: "run the definition of done",
    hint: "rg-check --now",
    forms: &[
        Form { takes: &["fresh", "only"], ..Form::BARE },
        Form { needs: &["now"], takes: &["against", "fresh", "json", "only"], ..Form::BARE },
    ],
    options: &[
        Opt::with("against", "ref", "With --now: the commit to compare with; its DONE.md judges."),
        Opt::flag("fresh", "Run the checks even if a recorded run answers."),
        Opt::flag("json", "With --now: print the verdict as one JSON object."),
        Opt::flag("now", "Judge the files as they are now and print the verdict."),
        Opt::with("only", "name", "Run only these checks, separated by commas; the outcome is then unverified."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| filter::run(args, RgCheck::default()))
}

/// How many logs of checks are kept for a root.
const LOGS: usize = 100;

#[derive(Default)]
struct RgCheck {
    /// Checks to run, by name; empty for all.
    only: Vec<String>,
    /// Do not answer from a record.
    fresh: bool,
}

/// What this tool says.
type Said = Section<CheckFields>;

impl Filter for RgCheck {
    type Section = Said;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Check;
    const DECIDES: bool = true;

    fn option(&mut self, flag: &Flag, args: &mut Args) -> Result<bool> {
        match flag {
            Flag::Long(name) if name == "fresh" => self.fresh = true,
            Flag::Long(name) if name == "only" => {
                let names = args.value()?;
                self.only.extend(names.split(',').map(|name| name.trim().to_string()));
                if self.only.iter().any(String::is_empty) {
                    return Err(args.wrong("--only: empty name"));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn concerns(&self, event: &Event) -> bool {
        event.is_open_stop() && event.requires(&Self::STAGE)
    }

    fn pass(&self, event: &Event, said: &mut Said) -> Result<()> {
        let mut basis = Basis::of(event)?;
        let tampered = definition::against_begin(event, &basis);
        let is_tampered = tampered.iter().any(|finding| finding.level == Level::Tampered);
        tampered.into_iter().for_each(|finding| said.find(finding));
        let done = match basis.donefile(event) {
            Ok(Some(done)) => done,
            Ok(None) => {
                said.judge(Verdict::NotRequired, "no definition of done there");
                return Ok(());
            }
            Err(error) if error.is_of_definition() => return broken(said, &error),
            Err(error) => return Err(error),
        };
        said.own.not_judged = done.not_judged.clone();
        basis.fresh |= self.fresh;
        let before = basis.last_look(event)?;
        let snapshot = before.digest();
        said.look(snapshot.clone());
        let begun_with = basis.task.as_ref().and_then(|task| task.begin.snapshot.as_ref());
        let begun_beside = basis.task.as_ref().map(|task| task.begin.worktrees.as_slice());
        let is_blind = before.is_blind(begun_beside);
        // Whoever says in a loop that it is done says it of work.
        let asked_for = self.fresh || !self.only.is_empty() || event.looping.is_some();
        let was_red = basis.task.as_ref().is_some_and(|task| task.is_red(event.pid));
        if begun_with == Some(&snapshot) && !is_tampered && !asked_for && !was_red && !is_blind {
            said.judge(Verdict::NotRequired, "no file changed since the task began");
            return Ok(());
        }
        let mut answered = self.answered(event, &basis, &done, &before, is_blind)?;
        if let Some(begun_with) = begun_with {
            mark_red_before(&mut answered.checks, &record::key(begun_with, &done), &basis, event);
        }
        if answered.wrote.is_empty() {
            // What a check declares to write, and nothing else, has changed since the others looked.
            let rewritten = Rewritten { seen_before: snapshot.clone(), seen_after: answered.seen.clone() };
            said.own.rewritten = (answered.seen != snapshot).then_some(rewritten);
        }
        speak(said, answered);
        // A check may have done to the definition what nobody else dared.
        for finding in definition::against_begin(event, &basis) {
            let mut known = event.findings().iter().chain(said.findings());
            if !known.any(|known| known.key == finding.key) {
                said.find(finding);
            }
        }
        Ok(())
    }
}

/// What the checks gave, from a run or from a record.
struct Answered {
    checks: Vec<Check>,
    /// The files that the answer is about.
    judged: String,
    /// The last look at the files.
    seen: String,
    /// Files that changed meanwhile and that no check declares.
    wrote: Vec<String>,
}

impl RgCheck {
    /// From the record of the same files and the same checks, else by running them. Two sessions over one tree wait for
    /// each other and share the answer.
    fn answered(
        &self,
        event: &Event,
        basis: &Basis,
        done: &Donefile,
        before: &Snapshot,
        is_blind: bool,
    ) -> Result<Answered> {
        let snapshot = before.digest();
        let key = record::key(&snapshot, done);
        let journal = basis.state.checks(&event.root);
        let may_replay = !self.fresh && self.only.is_empty() && !is_blind;
        let known = || -> Result<Option<Run>> { if may_replay { record::find(&journal, &key) } else { Ok(None) } };
        let answer = |run: Run| {
            let seen = snapshot.clone();
            Answered { checks: run.checks, judged: seen.clone(), seen, wrote: Vec::new() }
        };
        let first = known()?;
        let before_us = first.as_ref().map(|run| run.id.clone());
        if let Some(run) = first.filter(|run| record::answers(run, before_us.as_deref())) {
            return Ok(answer(run));
        }
        let _turn = runner::wait_for_turn(&basis.state, &journal, done, event.until)?;
        if let Some(run) = known()?.filter(|run| record::answers(run, before_us.as_deref())) {
            return Ok(answer(run));
        }
        let wanted = self.wanted(done)?;
        process::end_with_us();
        let run = record::begin(&basis.state, &journal, &key)?;
        let logs = journal.with_extension("logs");
        let mut checks = Vec::new();
        for (at, check) in done.checks.iter().enumerate().filter(|(_, check)| wanted.contains(&check.name)) {
            checks.push(runner::run(check, event, &logs.join(format!("{run}-{at}.log"))));
        }
        prune(&logs, LOGS, Duration::ZERO);
        let partial = wanted.len() < done.checks.len();
        for check in &mut checks {
            check.partial = partial;
        }
        let after = basis.look(event)?;
        let (wrote, declared) = runner::undeclared(done, event, after.changed_since(before));
        let seen = after.digest();
        let judged = if wrote.is_empty() { seen.clone() } else { snapshot };
        let answered = Answered { checks, judged, seen, wrote };
        if !partial && answered.checks.iter().all(|check| check.ended != CheckEnd::NotRun) {
            let key = record::key(&answered.judged, done);
            record::end(&basis.state, &journal, &key, &answered, &declared)?;
        }
        Ok(answered)
    }

    fn wanted(&self, done: &Donefile) -> Result<Vec<String>> {
        let all = || done.checks.iter().map(|check| check.name.clone());
        if self.only.is_empty() {
            return Ok(all().collect());
        }
        match self.only.iter().find(|name| !all().any(|known| known == **name)) {
            Some(name) => {
                let names: Vec<String> = all().collect();
                Err(Error::usage(format!("--only {name}: no such check; there are: {}", names.join(", "))))
            }
            None => Ok(all().filter(|name| self.only.contains(name)).collect()),
        }
    }
}

/// Says what the checks gave.
fn speak(said: &mut Said, answered: Answered) {
    let Answered { checks, judged, seen, wrote } = answered;
    let find = |rule: Rule, level, what: &str, text| Finding::new(Stage::Check, rule, level, None, what, text);
    let red = checks.iter().filter(|check| matches!(check.ended, CheckEnd::Failed | CheckEnd::TimedOut));
    for check in red {
        let text = format!("check \"{}\" {}", check.name, answer::how_it_ended(check));
        said.find(find(Rule::CheckFailed, Level::Error, &check.name, text));
    }
    let not_run: Vec<&Check> = checks.iter().filter(|check| check.ended == CheckEnd::NotRun).collect();
    for check in &not_run {
        let text = format!("check \"{}\" was not run: {}", check.name, cut_end(&check.tail, 200));
        said.find(find(Rule::CheckNotRun, Level::Inconclusive, &check.name, text));
    }
    let red = checks.iter().filter(|check| check.ended != CheckEnd::Passed).count();
    let of = count(checks.len(), "check");
    said.look(seen);
    let partial = checks.iter().any(|check| check.partial);
    let (verdict, why) = match red {
        0 => (Verdict::Pass, format!("{of} passed")),
        red if not_run.len() == red => (Verdict::Inconclusive, format!("{red} of {of} not run")),
        _ => (Verdict::Fail, format!("{red} of {of} red")),
    };
    said.judge_files(verdict, why, Some(judged), partial);
    if !wrote.is_empty() {
        let shown = wrote.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let text = format!(
            "{} changed while the checks ran ({shown}): ignore them in .gitignore, or declare them in `writes`",
            count(wrote.len(), "file")
        );
        said.find(find(Rule::CheckWrote, Level::Inconclusive, &shown, text));
    }
    said.own.checks = checks;
}

/// A definition of done that was broken from the start: nobody can judge by it, and that is said aloud.
fn broken(said: &mut Said, error: &Error) -> Result<()> {
    let text = error.to_string();
    let mut finding = Finding::new(Stage::Check, Rule::DonefileBroken, Level::Inconclusive, None, "", &text);
    // Where an editor can jump to.
    if let ErrorKind::Definition { file, line: Some(line), words } = error.kind() {
        finding.path = Some(file.clone());
        finding.line = Some(*line as u64);
        finding.text = words.clone();
    }
    said.find(finding);
    said.judge(Verdict::Inconclusive, "the definition of done cannot be read");
    Ok(())
}

/// Says of each red check whether it was red before the task began, where a record of those files stands.
fn mark_red_before(checks: &mut [Check], key: &str, basis: &Basis, event: &Event) {
    let before = record::find(&basis.state.checks(&event.root), key).ok().flatten();
    let before = before.map(|run| run.checks).unwrap_or_default();
    for check in checks.iter_mut().filter(|check| check.ended != CheckEnd::Passed) {
        check.red_before = before.iter().any(|then| then.name == check.name && then.ended != CheckEnd::Passed);
    }
}

/// How long until somebody stops waiting, less what is needed to answer.
fn time_left(until: Option<clock::Time>) -> Option<std::time::Duration> {
    until.map(|until| until.remaining().saturating_sub(runner::MARGIN))
}
