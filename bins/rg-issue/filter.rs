//! The filter: issues that are ready as context, findings that become issues, and claims that end with their session.

use crate::TOOL;
use review_gate::answer;
use review_gate::donefile::{IssueSource, IssueSpec};
use review_gate::event::{BudgetOwner, Event, Finding, IssueFields, Kind, Outcome, Section, Stage};
use review_gate::git::Repository;
use review_gate::review::{self, record::Reviews};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::record::Severity;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::redact::redact;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::talk::directory::TalkDir;
use review_gate::talk::issue::filing::{self, Filed, Filing, Owner};
use review_gate::talk::issue::store::Store;
use review_gate::tool::cli::Tool;
use review_gate::tool::filter::Filter;

/// How many ready issues a session is told of.
const SHOWN: usize = 10;

/// The longest title there, in characters.
const TITLE: usize = 80;

/// The two commands that an agent needs.
const VERBS: &str = "Claim one with `rg-issue claim ID`; `rg-issue ready` prints what is ready. Write to other agents with \
                     `rg-msg post TOPIC -m TEXT`.";

/// The filter.
pub struct RgIssue;

type Output = Section<IssueFields>;

impl Filter for RgIssue {
    type Section = Output;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Issue;
    const DECIDES: bool = false;

    fn concerns(&self, event: &Event) -> bool {
        let has_definition = || event.donefile.is_some() && event.task.is_some();
        match event.kind {
            Kind::SessionStart => event.agent.is_none(),
            Kind::SessionEnd => event.session_key().is_some(),
            Kind::SubagentStop => review::is_reviewer(event) && has_definition(),
            Kind::Stop => {
                let is_decided = matches!(event.outcome(), Some(Outcome::Abandoned | Outcome::Done));
                is_decided && event.budget_owner == BudgetOwner::Main && has_definition()
            }
            _ => false,
        }
    }

    fn pass(&self, event: &Event, output: &mut Output) -> Result<()> {
        let repository = Repository::find(&event.root);
        let talk = TalkDir::of(&event.root, repository.as_ref())?;
        // An issue would be a change of the work.
        if talk.is_judged(repository.as_ref()) {
            return Ok(());
        }
        let store = Store::of(talk);
        match event.kind {
            Kind::SessionStart => tell_ready(&store, output),
            Kind::SessionEnd => match event.session_key() {
                Some(session) => store.release_session(session).map(drop),
                None => Ok(()),
            },
            _ => file_findings(event, &store, output),
        }
    }
}

/// Adds what is ready to the context.
fn tell_ready(store: &Store, output: &mut Output) -> Result<()> {
    if !store.has_issues() {
        if store.talk.is_initialised() {
            output.context(format!("review-gate: agents share messages and issues here. {VERBS}"));
        }
        return Ok(());
    }
    let ready = store.ready(clock::now(), SHOWN)?;
    if ready.ids.is_empty() {
        output.context(format!("review-gate: no issue is ready. {VERBS}"));
        return Ok(());
    }
    let mut text = match ready.count {
        all if all > SHOWN => format!("review-gate: {} are ready. The first {SHOWN}:\n", count(all, "issue")),
        1 => "review-gate: an issue is ready:\n".to_string(),
        all => format!("review-gate: {} are ready:\n", count(all, "issue")),
    };
    for issue in ready.ids.iter().filter_map(|id| ready.board.get(id)) {
        let title = cut_end(&redact(&one_line(&issue.title)), TITLE);
        text.push_str(&format!("- {} (priority {}): {title}\n", issue.id, issue.priority));
    }
    output.context(text + VERBS);
    Ok(())
}

/// Files what DONE.md names, and closes what is gone.
fn file_findings(event: &Event, store: &Store, output: &mut Output) -> Result<()> {
    let workspace = Workspace::of(event)?;
    let Some(spec) = workspace.usable_donefile(event).map(|done| done.issues) else { return Ok(()) };
    let Some(task) = &workspace.task else { return Ok(()) };
    let wants = |source| spec.from.contains(&source);
    let owner = |source: IssueSource| Owner { source: source.to_string(), scope: format!("task:{}", task.id) };
    let mut filed = Vec::new();
    if wants(IssueSource::Review) {
        let found = review_issues(&Reviews::of(Some(task)), &task.id);
        filed.push(filing::settle(store, &owner(IssueSource::Review), &found)?);
    }
    if wants(IssueSource::Abandoned) && event.kind == Kind::Stop {
        // Work that is done has no open finding.
        let is_abandoned = event.outcome() == Some(Outcome::Abandoned);
        let open: Vec<Filing> = match is_abandoned {
            true => answer::open_findings(event).map(|finding| of_finding(finding, event, &task.id)).collect(),
            false => Vec::new(),
        };
        filed.push(filing::settle(store, &owner(IssueSource::Abandoned), &open)?);
    }
    for filed in filed {
        report(&filed, &spec, event, store, output);
    }
    Ok(())
}

/// What the reviewers found and no later decision found resolved.
fn review_issues(reviews: &Reviews, task: &str) -> Vec<Filing> {
    let raised = reviews.open_issues().into_iter();
    raised
        .map(|issue| {
            let place = place(&issue.path, issue.line);
            let verify = match issue.how_to_verify.as_str() {
                "" => String::new(),
                how => format!("How to verify: {how}\n"),
            };
            Filing {
                key: issue.key,
                text: redact(&format!("{place}{}", issue.description)),
                details: redact(&format!(
                    "{place}{}\n{verify}A reviewer found this in task {task}.",
                    issue.description
                )),
                priority: if issue.severity == Severity::Critical { 1 } else { 2 },
            }
        })
        .collect()
}

fn of_finding(finding: &Finding, event: &Event, task: &str) -> Filing {
    let receipt = event.receipt().map_or(String::new(), |id| format!(" `rg-receipt show {id}` shows the rest."));
    Filing::of(finding, &format!("This was open when task {task} was abandoned.{receipt}"))
}

fn place(path: &str, line: Option<u64>) -> String {
    match (path, line) {
        ("", _) => String::new(),
        (path, Some(line)) => format!("{path}:{line}: "),
        (path, None) => format!("{path}: "),
    }
}

/// Tells the user what was filed, and gives new issues to the program of DONE.md.
fn report(filed: &Filed, spec: &IssueSpec, event: &Event, store: &Store, output: &mut Output) {
    let opened = filed.made.len() + filed.reopened.len();
    let parts = [(opened, "filed"), (filed.closed.len(), "closed")];
    let parts: Vec<String> =
        parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what} {}", count(n, "issue"))).collect();
    if !parts.is_empty() {
        output.tell(format!("review-gate: {}. `rg-issue list` prints them", parts.join(", ")));
    }
    let command = spec.command.as_deref().unwrap_or_default();
    for error in filing::hand_over(store, command, &event.root, &filed.made) {
        output.tell(format!("review-gate: {error}"));
    }
}
