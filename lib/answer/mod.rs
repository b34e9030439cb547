//! The answer to an event: the reply in the client's protocol, or a report and an exit status for a user.

mod exports;
mod reason;
mod report;

pub use reason::{how_it_ended, open_findings, open_keys, open_work, reason, reason_digest};

use crate::dialect::{self, ReplyParts};
use crate::event::outcome::{self, Row, Ruling};
use crate::event::{Action, Client, Event, Finding, Kind, Level, Outcome, Rule, Scope, Stage, Verdict, Waiver};
use crate::store::task::NEW_SESSION;
use crate::sys::exit::Exit;
use crate::sys::text::one_line;

/// The most characters of context that one reply to a client holds.
const CONTEXT_LIMIT: usize = 9_500;

/// The form of an answer.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// The format of the report. None: the client's own protocol for an event of a client, else text.
    pub format: Option<Format>,
    /// Whether the outcome `waived` exits with status 1.
    pub strict: bool,
    /// Whether the text is coloured.
    pub color: bool,
    /// Whether the text is printed at a terminal.
    pub is_terminal: bool,
}

impl Style {
    /// The style for a client.
    pub fn for_client() -> Style {
        Style::default()
    }

    /// The style for a user, with colours if standard output is a terminal.
    pub fn for_user() -> Style {
        use std::io::IsTerminal;
        let is_terminal = std::io::stdout().is_terminal();
        Style { color: is_terminal && !crate::sys::env::is_color_unwanted(), is_terminal, ..Style::default() }
    }
}

/// A format for users and scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines for a terminal. Editors can parse the findings.
    Text,
    /// The final event as one JSON object.
    Json,
    /// The verdict of a single judge as one JSON object, for `--now --json`.
    Verdict,
    /// Markdown, for a comment or a summary page.
    Markdown,
    /// GitHub's workflow commands, followed by the text.
    Github,
    /// SARIF 2.1.0, for code scanners.
    Sarif,
    /// JUnit's XML, for CI.
    Junit,
}

/// An answer.
pub struct Answer {
    /// Standard output.
    pub out: String,
    /// The exit status.
    pub exit: Exit,
    /// The notice for the user, which is recorded for clients that show none. Empty if there is nothing to report.
    pub notice: String,
    /// The decision, if the event is a stop.
    pub ruling: Option<Ruling>,
}

/// Answers an event.
pub fn answer(mut event: Event, style: &Style) -> Answer {
    let is_stop = matches!(event.kind, Kind::Stop | Kind::SubagentStop);
    if is_stop {
        fail_missing_stages(&mut event);
    }
    let ruling = is_stop.then(|| outcome::ruling(&event));
    event.conclude(ruling.and_then(|ruling| ruling.outcome));
    let notice = notice(&event, ruling);
    let refused = event
        .reply()
        .filter(|reply| event.kind == Kind::ToolBefore && matches!(reply.action, Action::Deny | Action::Ask));
    let exit = match ruling {
        Some(ruling) if style.strict && ruling.outcome == Some(Outcome::Waived) => Exit::No,
        Some(_) if is_broken_definition(&event) => Exit::Usage,
        Some(ruling) => ruling.status,
        None if refused.is_some() => Exit::No,
        None => Exit::Yes,
    };
    if event.client != Client::Text && style.format.is_none() {
        if let Some(reply) = refused {
            let out = dialect::refusal(event.client, reply.action == Action::Ask, &reply.reason);
            return Answer { out, exit: Exit::Yes, notice, ruling };
        }
        let block = ruling.is_some_and(|ruling| ruling.is_blocked);
        let words = ReplyParts {
            reason: if block { reason(&event) } else { String::new() },
            tell: notice.clone(),
            context: context(&event),
            instead: event.instead().clone(),
        };
        let out = dialect::reply(event.client, &event.kind, block, words);
        return Answer { out, exit: Exit::Yes, notice, ruling };
    }
    let out = match style.format.unwrap_or(Format::Text) {
        Format::Text if style.is_terminal => {
            report::text(&event, ruling, &notice, style.color) + report::skeleton(&event, ruling)
        }
        Format::Text => report::text(&event, ruling, &notice, style.color),
        Format::Markdown => report::markdown(&event, ruling),
        Format::Github => report::github(&event) + &report::text(&event, ruling, &notice, false),
        Format::Sarif => exports::sarif(&event, ruling, exit),
        Format::Junit => exports::junit(&event, ruling),
        Format::Verdict => report::verdict(&event, ruling, exit),
        Format::Json => serde_json::to_string(&event).map(|line| line + "\n").unwrap_or_default(),
    };
    Answer { out, exit, notice, ruling }
}

/// The report of an event that a receipt restored. The ruling is the recorded one.
pub fn recorded_report(event: &Event, ruling: Ruling, style: &Style) -> String {
    match style.format {
        Some(Format::Markdown) => report::markdown(event, Some(ruling)),
        _ => report::text(event, Some(ruling), "", style.color),
    }
}

/// Adds an inconclusive verdict for each required stage that is missing from the pipeline.
fn fail_missing_stages(event: &mut Event) {
    if !outcome::is_counted(event) {
        return;
    }
    if event.is_unjudged() && event.reply().is_none() && !event.is_gate_waived() {
        return;
    }
    for stage in dialect::deciders(event) {
        if !event.passed(&stage) {
            event.fail(stage, "it did not run");
        }
    }
}

/// Whether a manual event has a DONE.md that cannot be read, which is a usage error.
fn is_broken_definition(event: &Event) -> bool {
    !outcome::is_counted(event) && event.findings().iter().any(|finding| finding.rule == Rule::DonefileBroken)
}

fn context(event: &Event) -> String {
    let joined = event.context().iter().map(|note| note.text.trim()).collect::<Vec<_>>().join("\n");
    crate::sys::text::cut_end(&joined, CONTEXT_LIMIT)
}

/// The notice for the user about this event, in a few lines. Empty if there is nothing to report.
pub fn notice(event: &Event, ruling: Option<Ruling>) -> String {
    let mut lines: Vec<String> = event.tell().iter().map(|note| note.text.clone()).collect();
    if let Some(Ruling { outcome: Some(word), row, notify, is_blocked, .. }) = ruling {
        let show = event.receipt().map_or(String::new(), |id| format!(" Details: `rg-receipt show {id}`"));
        let why = one_line(&why(event, word));
        if notify {
            let accept = acceptance(event).map_or(String::new(), |text| format!(" {text}"));
            lines.push(format!("review-gate: {word}: {why}.{show}{accept}"));
        } else if is_blocked && event.client != Client::Text && row != Row::Continued {
            let round = event.bounce().map_or(String::new(), |b| format!(" ({} of {})", b.n, b.of));
            lines.push(format!("review-gate: bounced{round}: {why}. {}", way_out(event)));
        }
    }
    lines.join("\n")
}

/// The command with which the user lets the turn end.
fn way_out(event: &Event) -> String {
    let has = |rule: Rule| reason::open_findings(event).any(|finding| finding.rule == rule);
    let task = task_option(event);
    match waivable_scope(event) {
        _ if has(Rule::JournalEdited) => format!("An edited journal can waive nothing. {NEW_SESSION}"),
        _ if has(Rule::NoDoneEdits) => {
            let accept = format!("`rg-tamper bless --definition --why TEXT{task}`");
            format!(
                "If you edited DONE.md, accept it with {accept}. To let the turn end, run `rg-bounce waive --why TEXT{task}`"
            )
        }
        scope => {
            let scope = scope.map_or(String::new(), |scope| format!(" --scope {scope}"));
            format!("To let the turn end, run `rg-bounce waive --why TEXT{scope}{task}`")
        }
    }
}

/// How the user accepts what only the user can accept; None if something else is open.
fn acceptance(event: &Event) -> Option<String> {
    let bless = format!("`rg-tamper bless --why TEXT{}`", task_option(event));
    awaits_user(event).then(|| format!("If you made this change, accept it with {bless} or with your next prompt"))
}

/// Whether only changes between two tasks are open.
pub fn awaits_user(event: &Event) -> bool {
    let passes = |judge: &Stage| matches!(outcome::judge_verdict(event, judge), Verdict::Pass | Verdict::NotRequired);
    let mut open = reason::open_findings(event).peekable();
    open.peek().is_some()
        && open.all(|finding| finding.rule == Rule::ChangedBetweenTasks)
        && outcome::judges(event).into_iter().all(|judge| *judge == Stage::Tamper || passes(judge))
}

fn task_option(event: &Event) -> String {
    event.task.as_ref().map_or(String::new(), |task| format!(" --task {task}"))
}

/// The scope of a waiver for all open findings, if all of them are tampering and one scope covers them: the user may have wanted that
/// change.
fn waivable_scope(event: &Event) -> Option<Scope> {
    let open: Vec<&Finding> = reason::open_findings(event).collect();
    let first = open.first()?;
    let is_all_tampering = open.iter().all(|finding| finding.level == Level::Tampered && finding.rule == first.rule);
    match open.len() {
        _ if !is_all_tampering => None,
        1 => Some(Scope::Key(first.key.clone())),
        _ => Some(Scope::Rule(first.rule.to_string())),
    }
}

/// Why the event has this outcome: one sentence without its final period.
pub fn why(event: &Event, word: Outcome) -> String {
    if let Some(reply) = event.reply().filter(|reply| reply.by == Stage::Event) {
        return reply.reason.clone();
    }
    let ended = event.ended().map(|ended| ended.text.clone());
    let matched =
        |w: &&Waiver| w.scope == Scope::Gate || event.findings().iter().any(|f| w.scope.covers(&f.rule, &f.key));
    let waived = event.waivers().filter(matched).map(|w| format!("{} ({}, until {})", w.why, w.who, w.until));
    let waived: Vec<String> = waived.collect();
    match word {
        Outcome::Waived => waived.join("; "),
        Outcome::Abandoned => {
            [ended.unwrap_or_default(), open(event)].join("; open: ").trim_end_matches("; open: ").into()
        }
        Outcome::Unverified => unverified(event, true),
        Outcome::NotDone => open(event),
        Outcome::Done => event.verdicts().iter().map(|judged| judged.why.clone()).collect::<Vec<_>>().join("; "),
    }
}

/// The same for a report that has listed the findings already.
pub fn why_below_findings(event: &Event, word: Outcome) -> String {
    match word {
        Outcome::Unverified if event.reply().is_none() => unverified(event, false),
        word => why(event, word),
    }
}

/// The judges that could not judge, each with the reason.
fn unverified(event: &Event, with_findings: bool) -> String {
    let could_not = event.verdicts().iter().filter(|judged| judged.verdict == Verdict::Inconclusive);
    let mut whys: Vec<String> = could_not.map(|judged| format!("{}: {}", judged.by, judged.why)).collect();
    for owed in event.required() {
        match event.verdict_of(owed) {
            None => whys.push(format!("{owed}: it did not run")),
            Some(judged) if judged.verdict == Verdict::Inconclusive => {}
            Some(judged) if judged.partial => whys.push(format!("{owed}: only some of its checks ran")),
            Some(judged) if !event.is_about_these_files(judged) => {
                whys.push(format!("{owed}: files changed during the checks"));
            }
            Some(_) => {}
        }
    }
    let found = event.findings().iter().filter(|f| with_findings && f.level == Level::Inconclusive);
    for finding in found {
        // A judge may give a finding's text as its reason: it is listed once.
        if !whys.iter().any(|why| why.contains(&finding.text)) {
            whys.push(reason::place(finding) + &finding.text);
        }
    }
    if whys.is_empty() { open(event) } else { whys.join("; ") }
}

/// The texts of the open findings.
fn open(event: &Event) -> String {
    let open: Vec<String> =
        reason::open_findings(event).map(|finding| reason::place(finding) + &finding.text).collect();
    match open.len() {
        0 => event.verdicts().iter().map(|judged| judged.why.clone()).collect::<Vec<_>>().join("; "),
        1..=4 => open.join("; "),
        n => format!("{}; and {} more", open[..3].join("; "), n - 3),
    }
}
