//! rg-check: run the checks of DONE.md.
//!
//! Judges a stop by the checks of DONE.md. Writes checks/ in the state directory.
//! man: rg-check(1)

mod claims;
mod comparison;
mod definition;
mod earlier_reports;
mod flaky;
mod leftovers;
mod loaded;
mod other_tree;
mod quarantine;
mod record;
mod report;
mod runner;
mod test_sources;
mod validate;
mod verdict;
mod window;

use comparison::Context;
use review_gate::donefile::{self, Donefile, NAMES};
use review_gate::event::outcome;
use review_gate::event::{
    Check, CheckEnd, CheckEnvironment, CheckFields, Client, DonefileRef, Event, Finding, Level, Rewritten, Rule,
    Section, Stage, Verdict,
};
use review_gate::git;
use review_gate::snapshot::workspace::Workspace;
use review_gate::snapshot::{self, Snapshot};
use review_gate::store::record::Run;
use review_gate::store::retention::{self, LOGS};
use review_gate::sys::clock;
use review_gate::sys::digest::sha256;
use review_gate::sys::ending;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::limits::DEFINITION;
use review_gate::sys::scrub;
use review_gate::sys::watch::DirWatch;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use review_gate::tool::{pipes, status_line};
use std::process::ExitCode;
use std::time::Duration;
use test_sources::Sources;
use window::Changes;

const TOOL: Tool = Tool {
    name: "rg-check",
    about: "run the checks of DONE.md",
    hint: "rg-check --now",
    forms: &[
        Form { takes: &["fresh", "only"], ..Form::BARE },
        Form { needs: &["now"], takes: &["against | definition", "fresh", "json", "only", "quiet"], ..Form::BARE },
        Form { needs: &["validate"], takes: &["json"], operands: "[file]", ..Form::BARE },
        Form {
            verb: "flaky",
            about: "Print the checks that failed and then passed on the same files.",
            takes: &["json"],
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("against", "ref", "With --now: the commit to compare with; its DONE.md judges."),
        Opt::flag("definition", "With --now: read the DONE.md that judges from standard input."),
        Opt::flag("fresh", "Run the checks even if a recorded run answers."),
        Opt::flag("json", "With --now or --validate: print one JSON object. With flaky: one for each check."),
        Opt::flag("now", "Judge the files as they are now and print the verdict."),
        Opt::with("only", "name", "Run only these checks, separated by commas; the outcome is then unverified."),
        Opt::flag("quiet", "With --now: print nothing if the outcome is done."),
        Opt::flag("validate", "Read DONE.md, run nothing and print its settings or its first error."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => filter::run(args, RgCheck::default()),
        "flaky" => flaky::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

#[derive(Default)]
struct RgCheck {
    /// The names of the checks to run; empty for all.
    only: Vec<String>,
    /// Whether recorded runs are ignored.
    is_fresh: bool,
    /// Whether the definition of done is only read.
    validates: bool,
    /// The definition of done that applies instead of the one on disk.
    definition: Option<Vec<u8>>,
    /// The operand: the definition of done to read.
    file: Option<String>,
}

type CheckSection = Section<CheckFields>;

impl Filter for RgCheck {
    type Section = CheckSection;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Check;
    const DECIDES: bool = true;

    fn option(&mut self, flag: &Flag, args: &mut Args) -> Result<bool> {
        match flag {
            Flag::Long(name) if name == "fresh" => self.is_fresh = true,
            Flag::Long(name) if name == "only" => {
                let names = args.value()?;
                self.only.extend(names.split(',').map(|name| name.trim().to_string()));
                if self.only.iter().any(String::is_empty) {
                    return Err(args.wrong("--only: a name is empty"));
                }
            }
            Flag::Long(name) if name == "definition" => {
                self.definition = Some(pipes::read_text(DEFINITION as usize, None)?.into_bytes())
            }
            Flag::Long(name) if name == "validate" => self.validates = true,
            Flag::Operand(word) if self.file.is_none() => self.file = Some(word.clone()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn definition(&self) -> Option<DonefileRef> {
        let reference = |bytes: &Vec<u8>| DonefileRef { path: NAMES[0].into(), sha256: sha256(bytes) };
        self.definition.as_ref().map(reference)
    }

    fn other_work(&self, args: &Args, as_json: bool, judges: bool) -> Option<Result<Exit>> {
        match (self.validates, &self.file) {
            (false, None) => None,
            (false, Some(word)) => Some(Err(args.unknown(&Flag::Operand(word.clone())))),
            (true, _) if judges || self.is_fresh || self.definition.is_some() || !self.only.is_empty() => {
                Some(Err(args.wrong("--validate runs no check: only --json and a file may stand beside it")))
            }
            (true, file) => Some(validate::run(args, file.as_deref(), as_json)),
        }
    }

    fn concerns(&self, event: &Event) -> bool {
        event.is_open_stop() && event.requires(&Self::STAGE)
    }

    fn pass(&self, event: &Event, section: &mut CheckSection) -> Result<()> {
        self.judge(event, section)?;
        other_tree::judge(self, event, section)
    }
}

impl RgCheck {
    /// Judges the files of the root.
    fn judge(&self, event: &Event, section: &mut CheckSection) -> Result<()> {
        let mut workspace = Workspace::of(event)?;
        let tampered = definition::compare_with_begin(event, &workspace);
        let is_tampered = tampered.iter().any(|finding| finding.level == Level::Tampered);
        tampered.into_iter().for_each(|finding| section.find(finding));
        let done = match self.definition_of(event, &workspace) {
            Ok(Some(done)) => done,
            Ok(None) => {
                section.judge(Verdict::NotRequired, "there is no definition of done");
                return Ok(());
            }
            Err(error) if error.is_definition_error() => return report_broken(section, &error),
            Err(error) => return Err(error),
        };
        section.own.not_judged = done.not_judged.clone();
        if self.is_fresh {
            (workspace.fresh, workspace.handover) = (true, None);
        }
        let before = workspace.last_look(event)?;
        let taken = clock::file_nanos();
        let snapshot = before.digest();
        section.set_snapshot(snapshot.clone());
        let begun_with = workspace.task.as_ref().and_then(|task| task.begin.snapshot.as_ref());
        let begun_beside = workspace.task.as_ref().map(|task| task.begin.worktrees.as_slice());
        let is_blind = before.is_blind(begun_beside);
        // A loop's stop claims that work is done, even if no file changed.
        let must_run = self.is_fresh || !self.only.is_empty() || event.looping.is_some();
        let was_red = workspace.task.as_ref().is_some_and(|task| task.is_red(event.pid));
        if begun_with == Some(&snapshot) && !is_tampered && !must_run && !was_red && !is_blind {
            section.judge(Verdict::NotRequired, "no file changed since the task began");
            return Ok(());
        }
        section.own.environment = Some(CheckEnvironment { overrides: scrub::overrides() });
        let mut results = self.results(event, &workspace, &done, (&before, taken), !is_blind)?;
        let journal = workspace.state.checks(&event.root);
        let base = begun_with.map(|begun_with| record::most_tests(&journal, begun_with)).unwrap_or_default();
        let top = snapshot::top_of(&event.root);
        let sources = Sources { top: &top, root: &event.root, files: &before, done: &done };
        let context = Context { done: &done, base: &base, state: &workspace.state, sources };
        let mut found = context.findings(&results.checks);
        let is_open = |finding: &Finding| finding.level >= Level::Inconclusive;
        if results.checks.iter().any(|check| check.replayed_at.is_some()) && found.iter().any(is_open) {
            // Like that of a red check, the cause may lie outside the files.
            results = self.results(event, &workspace, &done, (&before, taken), false)?;
            found = context.findings(&results.checks);
        }
        found.into_iter().for_each(|finding| section.find(finding));
        if let Some(begun_with) = begun_with {
            mark_red_before(&mut results.checks, &record::key(begun_with, &done), &workspace, event);
        }
        if !results.unignored.is_empty() {
            let rules = results.unignored.join(" ");
            let text = format!("tools left caches or logs in the working tree. Add to .gitignore: {rules}");
            match event.client {
                Client::Text => {
                    section.find(Finding::new(Stage::Check, Rule::CheckWrote, Level::Note, None, &rules, text));
                }
                _ => section.tell(format!("review-gate: {text}")),
            }
        }
        let seen = results.seen.clone();
        claims::judge(event, &workspace.state, workspace.task.as_ref(), &results.checks, section);
        verdict::give(section, results);
        let is_permitted = |finding: &Finding| {
            finding.rule != Rule::CheckWrote
                || finding.level == Level::Note
                || outcome::is_waived(event, &finding.rule, &finding.key)
        };
        if section.findings().iter().all(is_permitted) {
            // Since the snapshot of the other judges, only files have changed that checks declare or that the user permits.
            let rewritten = Rewritten { seen_before: snapshot.clone(), seen_after: seen.clone() };
            section.own.rewritten = (seen != snapshot).then_some(rewritten);
        }
        // A check may have changed the definition.
        for finding in definition::compare_with_begin(event, &workspace) {
            let mut known = event.findings().iter().chain(section.findings());
            if !known.any(|known| known.key == finding.key) {
                section.find(finding);
            }
        }
        Ok(())
    }
}

/// The results of the checks, from a run or from a record.
struct Results {
    checks: Vec<Check>,
    /// The snapshot that the results are about.
    judged: String,
    /// The last snapshot.
    seen: String,
    /// The files that changed between both.
    changes: Changes,
    /// Ignore rules for caches and logs that no earlier run left.
    unignored: Vec<String>,
}

impl RgCheck {
    /// The definition of done that judges.
    fn definition_of(&self, event: &Event, workspace: &Workspace) -> Result<Option<Donefile>> {
        match &self.definition {
            Some(bytes) => donefile::parse(NAMES[0], bytes, &event.root).map(Some),
            None => workspace.donefile(event),
        }
    }

    /// The results from the record of the same files and checks, else from running them. Two sessions in one directory wait for
    /// each other and share the results.
    fn results(
        &self,
        event: &Event,
        workspace: &Workspace,
        done: &Donefile,
        (before, taken): (&Snapshot, i64),
        can_reuse: bool,
    ) -> Result<Results> {
        let snapshot = before.digest();
        let key = record::key(&snapshot, done);
        let journal = workspace.state.checks(&event.root);
        let can_reuse = can_reuse && !self.is_fresh && self.only.is_empty();
        let last = || -> Result<Option<Run>> { if can_reuse { record::last(&journal, &key) } else { Ok(None) } };
        let reuse = |run: Run| {
            let seen = snapshot.clone();
            let (changes, unignored) = (Changes::default(), Vec::new());
            Results { checks: run.checks, judged: seen.clone(), seen, changes, unignored }
        };
        let permitted = |mut run: Run| {
            // An entry may have ended since the run.
            quarantine::apply(&mut run.checks, done, &workspace.state, clock::now());
            run
        };
        let first = last()?.map(permitted);
        let before_us = first.as_ref().map(|run| run.id.clone());
        if let Some(run) = first.filter(|run| record::is_reusable(run, before_us.as_deref())) {
            return Ok(reuse(run));
        }
        let _turn = runner::wait_for_turn(&workspace.state, &journal, done, event.until)?;
        if let Some(run) = last()?.map(permitted).filter(|run| record::is_reusable(run, before_us.as_deref())) {
            return Ok(reuse(run));
        }
        let selected = self.selected(done)?;
        ending::on_signal(status_line::stop_all);
        let run = record::begin(&workspace.state, &journal, &key)?;
        let logs = journal.with_extension("logs");
        git::end_reader();
        let watch = window::watch(before, &event.root);
        window::outlast_resolution(before, taken);
        let mut checks = Vec::new();
        for (at, check) in done.checks.iter().enumerate().filter(|(_, check)| selected.contains(&check.name)) {
            checks.push(runner::run(check, event, &logs.join(format!("{run}-{at}.log")), &workspace.state));
        }
        retention::prune(&logs, LOGS, Duration::ZERO);
        let partial = selected.len() < done.checks.len();
        for check in &mut checks {
            check.partial = partial;
        }
        quarantine::apply(&mut checks, done, &workspace.state, clock::now());
        let after = workspace.look(event)?;
        let events = watch.map(DirWatch::finish).unwrap_or_default();
        let changes = Changes::between(before, &after, events, done, event);
        let seen = after.digest();
        let judged = if changes.differing.is_empty() { seen.clone() } else { snapshot };
        let unignored = record::new_leftovers(&journal, &changes.leftovers)?;
        let results = Results { checks, judged, seen, changes, unignored };
        if !partial && results.checks.iter().all(|check| check.ended != CheckEnd::NotRun) {
            let key = record::key(&results.judged, done);
            record::end(&workspace.state, &journal, &key, &results)?;
        }
        Ok(results)
    }

    /// The names of the checks to run.
    fn selected(&self, done: &Donefile) -> Result<Vec<String>> {
        let all = || done.checks.iter().map(|check| check.name.clone());
        if self.only.is_empty() {
            return Ok(all().collect());
        }
        match self.only.iter().find(|name| !all().any(|known| known == **name)) {
            Some(name) => {
                let names: Vec<String> = all().collect();
                Err(Error::usage(format!("--only: no such check: {name}. Checks: {}", names.join(", "))))
            }
            None => Ok(all().filter(|name| self.only.contains(name)).collect()),
        }
    }
}

/// Reports a definition of done that was broken when the task began: the verdict is inconclusive.
fn report_broken(section: &mut CheckSection, error: &Error) -> Result<()> {
    let text = error.to_string();
    let mut finding = Finding::new(Stage::Check, Rule::DonefileBroken, Level::Inconclusive, None, "", &text);
    // An editor can jump to the path and the line.
    if let ErrorKind::Definition { file, line: Some(line), words } = error.kind() {
        finding.path = Some(file.clone());
        finding.line = Some(*line as u64);
        finding.text = words.clone();
    }
    section.find(finding);
    section.judge(Verdict::Inconclusive, "the definition of done cannot be read");
    Ok(())
}

/// Marks the red checks that were red on the files at the task's begin, if a run of those is on record.
fn mark_red_before(checks: &mut [Check], key: &str, workspace: &Workspace, event: &Event) {
    let before = record::last(&workspace.state.checks(&event.root), key).ok().flatten();
    let before = before.map(|run| run.checks).unwrap_or_default();
    for check in checks.iter_mut().filter(|check| !check.is_green()) {
        check.red_before = before.iter().any(|then| then.name == check.name && then.ended != CheckEnd::Passed);
    }
}

/// The time until the caller stops waiting, less the margin for the answer.
fn time_left(until: Option<clock::Time>) -> Option<std::time::Duration> {
    until.map(|until| until.remaining().saturating_sub(runner::MARGIN))
}
