//! What is said in the end: the client's reply, or words and a status for a person.

mod person;
mod reason;

pub use reason::{found, how_it_ended, open_findings, open_keys, reason, reason_digest};

use crate::dialect::claude::{self, ReplyParts};
use crate::event::outcome::{self, Row, Ruling};
use crate::event::{Action, Client, Event, Kind, Level, Outcome, Rule, Scope, Stage, Verdict, Waiver};
use crate::sys::exit::Exit;
use crate::sys::text::one_line;

/// The most characters of context that go to a client in all.
const CONTEXT_LIMIT: usize = 9_500;

/// How an answer is given.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// The form for people; the client's own reply for a client unless one is named.
    pub format: Option<Format>,
    /// Whether `waived` is a no.
    pub strict: bool,
    /// Whether a terminal shows it.
    pub color: bool,
}

impl Style {
    /// For a client.
    pub fn client() -> Style {
        Style::default()
    }

    /// For whoever called, in colour on a terminal.
    pub fn person() -> Style {
        use std::io::IsTerminal;
        Style { color: std::io::stdout().is_terminal() && !crate::sys::env::is_color_unwanted(), ..Style::default() }
    }
}

/// A form for people and programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines for a terminal and for editors.
    Text,
    /// The event as it ended, one JSON object.
    Json,
    /// What the judge that was asked alone says, one JSON object: `--now --json`.
    Verdict,
    /// For a comment or a summary page.
    Markdown,
    /// GitHub's workflow commands, and the words behind them.
    Github,
}

/// An answer.
pub struct Answer {
    /// Standard output.
    pub out: String,
    /// The status.
    pub exit: Exit,
    /// What the person must be told, also where the client shows nothing; empty when nothing.
    pub tell: String,
    /// What was decided, on a stop.
    pub ruling: Option<Ruling>,
}

/// Answers an event.
pub fn answer(mut event: Event, style: &Style) -> Answer {
    let is_stop = matches!(event.kind, Kind::Stop | Kind::SubagentStop);
    if is_stop {
        miss_deciders(&mut event);
    }
    let ruling = is_stop.then(|| outcome::ruling(&event));
    event.conclude(ruling.and_then(|ruling| ruling.outcome));
    let tell = tell(&event, ruling);
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
    if event.client == Client::Claude && style.format.is_none() {
        if let Some(reply) = refused {
            let out = claude::permission_reply(reply.action == Action::Ask, &reply.reason);
            return Answer { out, exit: Exit::Yes, tell, ruling };
        }
        let block = ruling.is_some_and(|ruling| ruling.is_blocked);
        let words = ReplyParts {
            reason: if block { reason(&event) } else { String::new() },
            tell: tell.clone(),
            context: context(&event),
            instead: event.instead().clone(),
        };
        let mut out = claude::encode(&event.kind, block, words);
        if !out.is_empty() {
            out.push('\n');
        }
        return Answer { out, exit: Exit::Yes, tell, ruling };
    }
    let out = match style.format.unwrap_or(Format::Text) {
        Format::Text => person::text(&event, ruling, &tell, style.color),
        Format::Markdown => person::markdown(&event, ruling),
        Format::Github => person::github(&event) + &person::text(&event, ruling, &tell, false),
        Format::Verdict => person::verdict(&event, ruling, exit),
        Format::Json => serde_json::to_string(&event).map(|line| line + "\n").unwrap_or_default(),
    };
    Answer { out, exit, tell, ruling }
}

/// What was answered to an event of which a receipt holds the decision: nothing is decided anew.
pub fn recorded(event: &Event, ruling: Ruling, style: &Style) -> String {
    match style.format {
        Some(Format::Markdown) => person::markdown(event, Some(ruling)),
        _ => person::text(event, Some(ruling), "", style.color),
    }
}

/// A deciding tool that the line did not pass through could not judge.
fn miss_deciders(event: &mut Event) {
    if !outcome::is_counted(event) {
        return;
    }
    if event.is_unjudged() && event.reply().is_none() && !event.is_gate_waived() {
        return;
    }
    for stage in claude::deciders(&event.kind, event) {
        if !event.passed(&stage) {
            event.fail(stage, "it did not run");
        }
    }
}

/// By hand, a DONE.md that cannot be read is a question asked wrongly.
fn is_broken_definition(event: &Event) -> bool {
    !outcome::is_counted(event) && event.findings().iter().any(|finding| finding.rule == Rule::DonefileBroken)
}

fn context(event: &Event) -> String {
    let joined = event.context().iter().map(|said| said.text.trim()).collect::<Vec<_>>().join("\n");
    crate::sys::text::cut_end(&joined, CONTEXT_LIMIT)
}

/// What the person must be told about this event, in a few lines; empty when nothing.
pub fn tell(event: &Event, ruling: Option<Ruling>) -> String {
    let mut lines: Vec<String> = event.tell().iter().map(|said| said.text.clone()).collect();
    if let Some(Ruling { outcome: Some(word), row, notify, is_blocked, .. }) = ruling {
        let show = event.receipt().map_or(String::new(), |id| format!(" See: rg-receipt show {id}"));
        let why = one_line(&why(event, word));
        if notify {
            lines.push(format!("review-gate: {word}: {why}.{show}"));
        } else if is_blocked && event.client == Client::Claude && row != Row::Continued {
            let round = event.bounce().map_or(String::new(), |b| format!(" (round {} of {})", b.n, b.of));
            let task = event.task.as_ref().map_or(String::new(), |task| format!(" --task {task}"));
            let scope = waivable(event).map_or(String::new(), |rule| format!(" --scope rule:{rule}"));
            let way_out = format!("To let it end: rg-bounce waive --why TEXT{scope}{task}");
            lines.push(format!("review-gate: sent back{round}: {why}. {way_out}"));
        }
    }
    lines.join("\n")
}

/// The one rule that keeps the turn from ending, where there is but one and a person may well have meant what it found.
fn waivable(event: &Event) -> Option<&str> {
    let mut rules: Vec<&str> = reason::open_findings(event).map(|finding| &*finding.rule).collect();
    rules.dedup();
    let is_all_tampering = reason::open_findings(event).all(|finding| finding.level == Level::Tampered);
    if rules.len() == 1 && is_all_tampering { rules.pop() } else { None }
}

/// Why it is that word, in a sentence without its full stop.
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

/// The same where the findings stand above it already.
pub fn why_below_findings(event: &Event, word: Outcome) -> String {
    match word {
        Outcome::Unverified if event.reply().is_none() => unverified(event, false),
        word => why(event, word),
    }
}

/// Who could not judge, and why.
fn unverified(event: &Event, with_findings: bool) -> String {
    let could_not = event.verdicts().iter().filter(|judged| judged.verdict == Verdict::Inconclusive);
    let mut whys: Vec<String> = could_not.map(|judged| format!("{}: {}", judged.by, judged.why)).collect();
    for owed in event.required() {
        match event.verdict_of(owed) {
            None => whys.push(format!("{owed}: it did not run")),
            Some(judged) if judged.verdict == Verdict::Inconclusive => {}
            Some(judged) if judged.partial => whys.push(format!("{owed}: only a part of its checks was run")),
            Some(judged) if !event.is_about_these_files(judged) => {
                whys.push(format!("{owed}: files changed while they were judged"));
            }
            Some(_) => {}
        }
    }
    let found = event.findings().iter().filter(|f| with_findings && f.level == Level::Inconclusive);
    for finding in found {
        // A judge whose own word is the finding says it once.
        if !whys.iter().any(|why| why.contains(&finding.text)) {
            whys.push(reason::place(finding) + &finding.text);
        }
    }
    if whys.is_empty() { open(event) } else { whys.join("; ") }
}

/// What is open, by the findings' own words.
fn open(event: &Event) -> String {
    let open: Vec<String> =
        reason::open_findings(event).map(|finding| reason::place(finding) + &finding.text).collect();
    match open.len() {
        0 => event.verdicts().iter().map(|judged| judged.why.clone()).collect::<Vec<_>>().join("; "),
        1..=4 => open.join("; "),
        n => format!("{}; and {} more", open[..3].join("; "), n - 3),
    }
}
