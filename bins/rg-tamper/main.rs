//! rg-tamper: find tampering since the baseline.
//!
//! Takes a baseline when a task or a subagent begins. At a stop it compares the files with the baseline, byte by byte, and checks
//! each change against the guards of DONE.md. The verb `bless` takes a new baseline for the user.
//! man: rg-tamper(1)

mod agents;
mod baseline;
mod bless;
mod build_output;
mod carried;
mod code;
mod config;
mod guards;
mod interim;
mod line;
mod marks;
mod moves;
mod new_code;
mod other_tree;
mod outlines;
mod packages;
mod patterns;
mod pins;
mod places;
mod removed_tests;
mod scan;
mod sides;
mod test_data;

use guards::Inspection;
use review_gate::donefile::Guards;
use review_gate::event::{
    BaseKind, BudgetOwner, Event, Finding, Kind, Level, Rule, RuleName, Section, Stage, TamperFields, Verdict,
};
use review_gate::snapshot::baseline::display_path;
use review_gate::snapshot::changes::{self, Comparison, NoBase};
use review_gate::snapshot::workspace::Workspace;
use review_gate::snapshot::{self, Rules, Snapshot, Use, client_settings};
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::limits;
use review_gate::sys::text::count;
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-tamper",
    about: "find tampering since the baseline",
    hint: "rg-tamper --now",
    forms: &[
        Form::BARE,
        Form { needs: &["now"], takes: &["against", "json"], ..Form::BARE },
        Form {
            verb: "bless",
            about: "Accept the files as they are now as the baseline.",
            needs: &["why"],
            takes: &["definition", "task"],
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("against", "ref", "With --now: the commit to compare with; its DONE.md judges."),
        Opt::flag("definition", "Accept only DONE.md, which judges from then on."),
        Opt::flag("json", "With --now: print the verdict as one JSON object."),
        Opt::flag("now", "Judge the files as they are now and print the verdict."),
        Opt::with("task", "id", "The task; by default the open one."),
        Opt::with("why", "text", "The reason; every later receipt shows it."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "" => filter::run(args, RgTamper),
        "bless" => bless::run(args),
        verb => Err(args.unknown_verb(verb)),
    })
}

struct RgTamper;

type TamperSection = Section<TamperFields>;

impl Filter for RgTamper {
    type Section = TamperSection;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Tamper;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        let is_required = event.requires(&Self::STAGE);
        match event.kind {
            Kind::SessionStart => event.donefile.is_some(),
            // A review compares the files with the same baseline.
            Kind::Prompt => event.donefile.is_some() || event.review_armed.is_some(),
            Kind::SubagentStart => event.task.is_some() && event.donefile.is_some() && event.subagent().is_some(),
            _ => event.is_open_stop() && is_required,
        }
    }

    fn pass(&self, event: &Event, section: &mut TamperSection) -> Result<()> {
        let workspace = Workspace::of(event)?;
        match event.kind {
            Kind::SessionStart => fill_cache(event, &workspace),
            Kind::Prompt => {
                match take_task_baseline(event, &workspace) {
                    Ok(told) => told.into_iter().for_each(|text| section.tell(text)),
                    Err(error) => {
                        let effect = "Committed changes may not be judged";
                        section.tell(format!("review-gate: cannot take a baseline: {error}. {effect}"));
                    }
                }
                Ok(())
            }
            Kind::SubagentStart => agents::take_baseline(event, &workspace),
            _ => judge(event, &workspace, section),
        }
    }
}

/// Takes a snapshot at a session's start, where nobody waits for it, so that the first prompt finds the stat cache filled.
fn fill_cache(event: &Event, workspace: &Workspace) -> Result<()> {
    match workspace.task {
        Some(_) => workspace.look(event).map(drop),
        None => snapshot::take(&event.root, &Rules::Today, &workspace.state, Use::Cache).map(drop),
    }
}

/// Takes the baseline of a task at its first prompt, and returns what the user is told about changes since the previous task.
fn take_task_baseline(event: &Event, workspace: &Workspace) -> Result<Option<String>> {
    let Some(task) = workspace.task.as_ref().filter(|task| !task.has_baseline(&BudgetOwner::Main)) else {
        return Ok(None);
    };
    match (&task.begin.snapshot, &task.begin.before) {
        // The work of the previous task was never judged, so its baseline continues.
        (None, Some(_)) => baseline::inherit(workspace, task).map(|()| None),
        (Some(_), _) => {
            let taken = baseline::take(event, workspace, task, &BudgetOwner::Main)?;
            Ok(taken.between_tasks.and_then(|changes| interim::notice(&changes, task)))
        }
        // A review that is requested during a task is about the whole task: the commit at its begin is the base.
        (None, None) => Ok(None),
    }
}

/// Judges a stop: checks every change since the base against the guards.
fn judge(event: &Event, workspace: &Workspace, section: &mut TamperSection) -> Result<()> {
    let done = match workspace.donefile(event) {
        Ok(Some(done)) => done,
        Ok(None) => return not_required(section, "there is no definition of done"),
        // If rg-check is required, it reports the line and the error.
        Err(error) if error.is_definition_error() && event.requires(&Stage::Check) => {
            section.judge(Verdict::Inconclusive, "the definition of done cannot be read");
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    if !done.guards.any() {
        return not_required(section, "all guards are off");
    }
    let (now, handover) = workspace.look_and_hand_over(event)?;
    let snapshot = now.digest();
    section.set_snapshot(snapshot.clone());
    section.own.handover = handover;
    // They count as findings, whatever the verdict about the root is.
    other_tree::findings(event, &done.guards)?.into_iter().for_each(|finding| section.find(finding));
    // Without changes no base is needed.
    if !workspace.task.as_ref().is_some_and(|task| task.has_baseline(&event.budget_owner))
        && is_unchanged_since_begin(&snapshot, workspace)
    {
        return not_required(section, "no file changed since the task began");
    }
    let compared = match changes::compare(event, workspace, &now)? {
        Ok(compared) => compared,
        Err(NoBase(why)) => {
            section.judge(Verdict::Inconclusive, format!("nothing to compare with: {why}"));
            return Ok(());
        }
    };
    section.own.base = Some(compared.base.clone());
    let mut found = pin_findings(event, &done.guards, &compared, &now)?;
    let is_unchanged = compared.changes.is_empty() && found.is_empty() && !is_definition_edited(event, &compared);
    if is_unchanged && compared.baseline.is_some() && compared.moved.is_none() {
        return not_required(section, "no file changed since the baseline");
    }
    if let Some(baseline) = compared.baseline.as_ref().filter(|_| event.agent.is_none()) {
        found.extend(interim::findings(baseline, event));
    }
    let changes = compared.changes.len();
    let mut inspection = Inspection::new(event, &done.guards);
    inspection.inspect(workspace, &compared, &now)?;
    found.extend(inspection.found);
    if let Some(baseline) = &compared.baseline {
        interim::drop_restored(baseline, event, &mut found);
    }
    found.extend(history_note(&compared));
    if event.agent.is_some() {
        agents::drop_findings_of_others(event, workspace, &mut found);
    } else if let Some(task) = &workspace.task {
        agents::name_subagents(task, &mut found);
        carried::add(event, workspace, &done.guards, &now, &mut found)?;
    }
    found.sort_by(|a, b| (&a.path, a.line, &a.rule).cmp(&(&b.path, b.line, &b.rule)));
    let found = limit(found);
    give_verdict(section, found, changes);
    Ok(())
}

/// Whether the files are those of the task's begin.
fn is_unchanged_since_begin(snapshot: &str, workspace: &Workspace) -> bool {
    workspace.task.as_ref().and_then(|task| task.begin.snapshot.as_deref()) == Some(snapshot)
}

/// Whether the definition of done was edited. If git ignores the file, no snapshot holds it.
fn is_definition_edited(event: &Event, compared: &Comparison) -> bool {
    let then = compared.baseline.as_ref().and_then(|baseline| baseline.donefile.as_ref());
    let path = event.donefile.as_ref().map(|done| event.root.join(&done.path));
    let now = path.and_then(|path| files::try_read(&path, limits::SETTINGS));
    let now = now.map(|bytes| review_gate::sys::digest::sha256(&bytes));
    then.is_some() && then != now.as_ref()
}

/// How many findings of one rule in one file are listed.
const PER_FILE: usize = 20;

/// How many findings are listed in all.
const IN_ALL: usize = 200;

/// Replaces the findings beyond these limits by one finding per rule and level, because an event line has a maximum length.
fn limit(found: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    let mut of_file: HashMap<(RuleName, Option<String>), usize> = HashMap::new();
    let mut rest: BTreeMap<(RuleName, Level), Vec<Finding>> = BTreeMap::new();
    for finding in found {
        let seen = of_file.entry((finding.rule.clone(), finding.path.clone())).or_default();
        *seen += 1;
        if *seen > PER_FILE || kept.len() >= IN_ALL {
            rest.entry((finding.rule.clone(), finding.level)).or_default().push(finding);
        } else {
            kept.push(finding);
        }
    }
    for ((rule, level), more) in rest {
        let files: BTreeSet<&Option<String>> = more.iter().map(|finding| &finding.path).collect();
        let keys: String = more.iter().map(|finding| finding.key.as_str()).collect();
        let text = format!("{} more findings in {}", more.len(), count(files.len(), "file"));
        kept.push(Finding::new(Stage::Tamper, rule, level, None, &keys, text));
    }
    kept
}

fn not_required(section: &mut TamperSection, why: &str) -> Result<()> {
    section.judge(Verdict::NotRequired, why);
    Ok(())
}

/// Findings about what no snapshot holds: client settings, ignored protected files, index flags and replaced git objects.
fn pin_findings(event: &Event, guards: &Guards, compared: &Comparison, now: &Snapshot) -> Result<Vec<Finding>> {
    let mut inspection = Inspection::new(event, guards);
    let pins = pins::now(event, guards, now)?;
    let then = compared.baseline.as_ref().map(|baseline| &baseline.pinned);
    if let Some(then) = &then {
        for (path, what) in client_settings::changed(&then.settings, &pins.settings) {
            let now = pins.settings.get(&path).map_or("", String::as_str);
            inspection.find(Rule::NoHookEdits, &path, None, now, format!("{what}: it decides which hooks run"));
        }
        for (path, what) in client_settings::differences(&then.protected, &pins.protected) {
            inspection.find(Rule::NoProtectedEdits, &path, None, what, format!("{what}: DONE.md protects it"));
        }
        for name in pins.replaced.iter().filter(|name| !then.replaced.contains(name)) {
            let text = format!("git object {name} was replaced (git replace or grafts): git shows other content");
            inspection.find(Rule::NoHiddenChanges, "", None, name, text);
        }
    }
    if compared.absent > 0 {
        let text = format!(
            "{} outside of the sparse checkout: not read, and unchanged in git's index",
            count(compared.absent, "file")
        );
        inspection.find_at(Level::Warning, Rule::NotCheckedOut, "", None, "sparse", text);
    }
    for path in &pins.unlooked {
        let is_new = then.as_ref().is_none_or(|then| !then.unlooked.contains(path));
        let differs = compared.changes.iter().any(|change| change.path == *path && change.now.is_some());
        if is_new && differs {
            let text = "changed, but git is told to ignore that (assume-unchanged, skip-worktree)".to_string();
            inspection.find(
                Rule::NoHiddenChanges,
                &display_path(&inspection.top, &event.root, path),
                None,
                "unlooked",
                text,
            );
        }
    }
    Ok(inspection.found)
}

fn give_verdict(section: &mut TamperSection, found: Vec<Finding>, changes: usize) {
    let worst = found.iter().map(|finding| finding.level).max().unwrap_or(Level::Note);
    let of = |level: Level| found.iter().filter(|finding| finding.level == level).count();
    let base = section.own.base.as_ref();
    let since = match base.map(|base| base.kind) {
        Some(BaseKind::Task) => "since the task began".to_string(),
        Some(BaseKind::Subagent) => "since this subagent began".to_string(),
        _ => {
            let commit = base.and_then(|base| base.commit.clone()).unwrap_or_default();
            format!("since {}", commit.get(..12).unwrap_or(&commit))
        }
    };
    let changed = format!("{} changed {since}", count(changes, "file"));
    // With the checked-out commit as the base, committed changes were not compared.
    let is_uncommitted_only = base.is_some_and(|base| base.kind == BaseKind::Head);
    let (verdict, why) = match worst {
        Level::Warning | Level::Note if is_uncommitted_only => {
            let why =
                "only uncommitted changes could be compared. Name a reference commit: `--against REF`".to_string();
            (Verdict::Inconclusive, why)
        }
        Level::Tampered | Level::Error => {
            (Verdict::Tampered, format!("tampering: {}", count(of(Level::Tampered), "finding")))
        }
        Level::Inconclusive if found.iter().all(awaits_user) => {
            (Verdict::Inconclusive, "the user has not accepted changes between two tasks".to_string())
        }
        Level::Inconclusive => {
            (Verdict::Inconclusive, format!("{} could not be judged", count(of(Level::Inconclusive), "file")))
        }
        Level::Warning => (Verdict::Pass, format!("no tampering, {}, {changed}", count(of(Level::Warning), "warning"))),
        Level::Note => (Verdict::Pass, format!("no tampering, {changed}")),
    };
    section.judge(verdict, why);
    found.into_iter().for_each(|finding| section.find(finding));
}

fn awaits_user(finding: &Finding) -> bool {
    finding.level < Level::Inconclusive || finding.rule == Rule::ChangedBetweenTasks
}

/// A note about the files that are not charged because `HEAD` moved to a commit that existed when the task began.
fn history_note(compared: &Comparison) -> Option<Finding> {
    let moved = compared.moved.as_ref().filter(|moved| !moved.paths.is_empty())?;
    let commit = moved.commit.get(..12).unwrap_or(&moved.commit);
    let text = format!(
        "HEAD moved to {commit}, whose files existed when the task began: {} of it not counted as changes",
        count(moved.paths.len(), "file")
    );
    Some(Finding::new(Stage::Tamper, Rule::HeadMoved, Level::Note, None, &moved.commit, text))
}
