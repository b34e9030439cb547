//! rg-tamper: was the bar lowered since the baseline?
//!
//! Takes a baseline at a task's begin and at a subagent's; at their stops compares the files with it, byte by byte, and judges
//! what changed by the guards of DONE.md. The verb `bless` writes a person's new baseline.
//! man: rg-tamper(1)

mod agents;
mod baseline;
mod bless;
mod guards;
mod moves;
mod patterns;
mod pinned;
mod scan;
mod sides;

use guards::Guarding;
use review_gate::donefile::Guards;
use review_gate::event::{
    BaseKind, BudgetOwner, Event, Finding, Kind, Level, Rule, RuleName, Section, Stage, TamperFields, Verdict,
};
use review_gate::snapshot::baseline::shown;
use review_gate::snapshot::changes::{self, Compared, Nothing};
use review_gate::snapshot::definition::Basis;
use review_gate::snapshot::{self, Rules, Snapshot, Use};
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
    about: "say whether the bar was lowered since the baseline",
    hint: "rg-tamper --now",
    forms: &[
        Form::BARE,
        Form { needs: &["now"], takes: &["against", "json"], ..Form::BARE },
        Form {
            verb: "bless",
            about: "Accept the files as they are now as the baseline.",
            needs: &["why"],
            takes: &["task"],
            ..Form::BARE
        },
    ],
    options: &[
        Opt::with("against", "ref", "With --now: the commit to compare with; its DONE.md judges."),
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

/// What this tool says.
type Said = Section<TamperFields>;

impl Filter for RgTamper {
    type Section = Said;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Tamper;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        let is_required = event.requires(&Self::STAGE);
        match event.kind {
            Kind::SessionStart => event.donefile.is_some(),
            // What a reviewer will look at is held against the same files.
            Kind::Prompt => event.donefile.is_some() || event.review_armed.is_some(),
            Kind::SubagentStart => event.task.is_some() && event.donefile.is_some() && event.subagent().is_some(),
            _ => event.is_open_stop() && is_required,
        }
    }

    fn pass(&self, event: &Event, said: &mut Said) -> Result<()> {
        let basis = Basis::of(event)?;
        match event.kind {
            Kind::SessionStart => warm(event, &basis),
            Kind::Prompt => {
                if let Err(error) = begun(event, &basis) {
                    let text = "review-gate: no baseline could be taken: what is committed will have none";
                    said.tell(format!("{text}: {error}"));
                }
                Ok(())
            }
            Kind::SubagentStart => agents::started(event, &basis),
            _ => judge(event, &basis, said),
        }
    }
}

/// A look at a session's start costs the person nothing, and makes the first prompt's cheap.
fn warm(event: &Event, basis: &Basis) -> Result<()> {
    match basis.task {
        Some(_) => basis.look(event).map(drop),
        None => snapshot::take(&event.root, &Rules::Today, &basis.state, Use::Cache).map(drop),
    }
}

/// The task's first prompt: the files as they stand now are what its work is held against.
fn begun(event: &Event, basis: &Basis) -> Result<()> {
    let Some(task) = basis.task.as_ref().filter(|task| !task.has_baseline(&BudgetOwner::Main)) else { return Ok(()) };
    match (&task.begin.snapshot, &task.begin.before) {
        // What was done before was never judged: the baseline of the task before goes on.
        (None, Some(_)) => baseline::carry_on(basis, task),
        (Some(_), _) => baseline::take(event, basis, task, &BudgetOwner::Main).map(drop),
        // A review that is asked for in the middle of a task is about all of it: its commit is what there is to compare with.
        (None, None) => Ok(()),
    }
}

/// A stop: what changed since the base, held against every guard.
fn judge(event: &Event, basis: &Basis, said: &mut Said) -> Result<()> {
    let done = match basis.donefile(event) {
        Ok(Some(done)) => done,
        Ok(None) => return not_owed(said, "no definition of done there"),
        // rg-check, where it is asked, says of a definition that cannot be read where and why.
        Err(error) if error.is_of_definition() && event.requires(&Stage::Check) => {
            said.judge(Verdict::Inconclusive, "the definition of done cannot be read");
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    if !done.guards.any() {
        return not_owed(said, "every guard is off");
    }
    let now = basis.look(event)?;
    let snapshot = now.digest();
    said.look(snapshot.clone());
    // A turn that changed nothing needs no base.
    if !basis.task.as_ref().is_some_and(|task| task.has_baseline(&event.budget_owner)) && is_as_begun(&snapshot, basis)
    {
        return not_owed(said, "no file changed since the task began");
    }
    let compared = match changes::compare(event, basis, &now)? {
        Ok(compared) => compared,
        Err(Nothing(why)) => {
            said.judge(Verdict::Inconclusive, format!("nothing to compare with: {why}"));
            return Ok(());
        }
    };
    said.own.base = Some(compared.base.clone());
    let mut found = held_against_pins(event, &done.guards, &compared, &now)?;
    let nothing = compared.changes.is_empty() && found.is_empty() && !edited_unseen(event, &compared);
    if nothing && compared.baseline.is_some() {
        return not_owed(said, "no file changed since the baseline");
    }
    let changes = compared.changes.len();
    let mut guarding = Guarding::new(event, &done.guards);
    guarding.look(basis, &compared)?;
    found.extend(guarding.found);
    if event.agent.is_some() {
        agents::leave_to_others(event, basis, &mut found);
    } else if let Some(task) = &basis.task {
        agents::say_whose(task, &mut found);
    }
    found.sort_by(|a, b| (&a.path, a.line, &a.rule).cmp(&(&b.path, b.line, &b.rule)));
    let found = cut(found);
    speak(said, found, changes);
    Ok(())
}

/// Whether the files are those of the task's begin.
fn is_as_begun(snapshot: &str, basis: &Basis) -> bool {
    basis.task.as_ref().and_then(|task| task.begin.snapshot.as_deref()) == Some(snapshot)
}

/// A definition of done that is in no snapshot (git ignores it) can be edited all the same.
fn edited_unseen(event: &Event, compared: &Compared) -> bool {
    let then = compared.baseline.as_ref().and_then(|baseline| baseline.donefile.as_ref());
    let path = event.donefile.as_ref().map(|done| event.root.join(&done.path));
    let now = path.and_then(|path| files::try_read(&path, limits::SETTINGS));
    let now = now.map(|bytes| review_gate::sys::digest::sha256(&bytes));
    then.is_some() && then != now.as_ref()
}

/// How many findings of one rule in one file are named, and how many in all.
const PER_FILE: usize = 20;
const IN_ALL: usize = 200;

/// What is beyond that becomes one finding a rule, at its weight: a line of events must stay one that can be read.
fn cut(found: Vec<Finding>) -> Vec<Finding> {
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
        let text = format!("and {} more of this in {}", more.len(), count(files.len(), "file"));
        kept.push(Finding::new(Stage::Tamper, rule, level, None, &keys, text));
    }
    kept
}

fn not_owed(said: &mut Said, why: &str) -> Result<()> {
    said.judge(Verdict::NotRequired, why);
    Ok(())
}

/// Settings, protected files that no snapshot holds, index flags, stand-in objects: held against what the task began with.
fn held_against_pins(event: &Event, guards: &Guards, compared: &Compared, now: &Snapshot) -> Result<Vec<Finding>> {
    let mut guarding = Guarding::new(event, guards);
    let pins = pinned::now(event, guards, now)?;
    let then = compared.baseline.as_ref().map(|baseline| &baseline.pinned);
    if let Some(then) = &then {
        for (path, what) in pinned::changed(&then.settings, &pins.settings) {
            let now = pins.settings.get(&path).map_or("", String::as_str);
            guarding.find(Rule::NoHookEdits, &path, None, now, format!("{what}: it decides which hooks run"));
        }
        for (path, what) in pinned::changed(&then.protected, &pins.protected) {
            guarding.find(Rule::NoProtectedEdits, &path, None, what, format!("protected, but {what}"));
        }
        for name in pins.replaced.iter().filter(|name| !then.replaced.contains(name)) {
            let text =
                format!("another object stands in for {name} (git replace, grafts): git shows people something else");
            guarding.find(Rule::NoHiddenChanges, "", None, name, text);
        }
    }
    if compared.absent > 0 {
        let text =
            format!("{} not checked out (sparse): as they were, as far as git knows", count(compared.absent, "file"));
        guarding.find_at(Level::Warning, Rule::NotCheckedOut, "", None, "sparse", text);
    }
    for path in &pins.unlooked {
        let is_new = then.as_ref().is_none_or(|then| !then.unlooked.contains(path));
        let differs = compared.changes.iter().any(|change| change.path == *path && change.now.is_some());
        if is_new && differs {
            let text = "changed, and git is told not to look (assume-unchanged, skip-worktree)".to_string();
            guarding.find(Rule::NoHiddenChanges, &shown(&guarding.top, &event.root, path), None, "unlooked", text);
        }
    }
    Ok(guarding.found)
}

fn speak(said: &mut Said, found: Vec<Finding>, changes: usize) {
    let worst = found.iter().map(|finding| finding.level).max().unwrap_or(Level::Note);
    let of = |level: Level| found.iter().filter(|finding| finding.level == level).count();
    let base = said.own.base.as_ref();
    let since = match base.map(|base| base.kind) {
        Some(BaseKind::Task) => "since the task began".to_string(),
        Some(BaseKind::Subagent) => "since this subagent began".to_string(),
        _ => {
            let commit = base.and_then(|base| base.commit.clone()).unwrap_or_default();
            format!("since {}", commit.get(..12).unwrap_or(&commit))
        }
    };
    let changed = format!("{} changed {since}", count(changes, "file"));
    // Nobody knows what is committed already: nothing found in the rest is no yes.
    let is_half = base.is_some_and(|base| base.kind == BaseKind::Head);
    let (verdict, why) = match worst {
        Level::Warning | Level::Note if is_half => {
            let why = "only what is not committed could be compared; name a base with --against".to_string();
            (Verdict::Inconclusive, why)
        }
        Level::Tampered | Level::Error => {
            (Verdict::Tampered, format!("the bar was lowered: {}", count(of(Level::Tampered), "finding")))
        }
        Level::Inconclusive => {
            (Verdict::Inconclusive, format!("{} could not be judged", count(of(Level::Inconclusive), "file")))
        }
        Level::Warning => {
            (Verdict::Pass, format!("guards clean but for {}, {changed}", count(of(Level::Warning), "warning")))
        }
        Level::Note => (Verdict::Pass, format!("guards clean, {changed}")),
    };
    said.judge(verdict, why);
    found.into_iter().for_each(|finding| said.find(finding));
}
