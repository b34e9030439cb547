//! The agent's call of the client's reviewer: before the call runs, its prompt is replaced by the review request. The agent's own
//! prompt is included as quoted claims.

use crate::{TOOL, write_request};
use review_gate::event::{Event, Origin};
use review_gate::review::REVIEWER;
use review_gate::review::decision::Severity;
use review_gate::review::judge::Output;
use review_gate::review::record::ReviewRequest;
use review_gate::review::request::{self, Extras};
use review_gate::review::subject::Subject;
use review_gate::review::{matches_paths, second};
use review_gate::snapshot::workspace::Workspace;
use review_gate::store::record::{NewRecord, OpenedCall, ReviewStep};
use review_gate::sys::digest::sha256;
use review_gate::sys::error::Result;
use review_gate::sys::ids;
use review_gate::tool::origin::is_from_client;
use serde_json::{Map, Value};

/// The client's names of the tool that starts a subagent.
const AGENT_TOOLS: [&str; 2] = ["Agent", "Task"];

/// Whether a tool call starts the reviewer.
pub fn is_of_reviewer(event: &Event) -> bool {
    let Some(tool) = event.tool.as_ref().filter(|tool| AGENT_TOOLS.contains(&tool.name.as_str())) else { return false };
    match &tool.input {
        // The input was too long and was cut, so it is no JSON: search its text.
        Value::String(text) => text.contains(&format!("\"{REVIEWER}\"")),
        input => input.get("subagent_type").and_then(Value::as_str) == Some(REVIEWER),
    }
}

/// Opens the call: records the review request before the reviewer starts, and replaces the call's prompt.
pub fn open(event: &Event, workspace: &Workspace, output: &mut Output) -> Result<()> {
    let Some(task) = &workspace.task else { return Ok(()) };
    let subject = Subject::of(event, workspace)?;
    let request = match subject.reviews.request_of(&subject.now.digest()) {
        Some(request) => request.clone(),
        None => {
            let request = subject.request(event, workspace)?;
            write_request(task, &request)?;
            request
        }
    };
    let Some(tool) = &event.tool else { return Ok(()) };
    let text = |name: &str| tool.input.get(name).and_then(Value::as_str).unwrap_or("");
    let claims = [text("description"), text("prompt")].join("\n");
    let extra = Extras { claims: &claims, ask: ask_line(&subject, &request), can_run: true, ..Extras::default() };
    let prompt = request::text(event, workspace, &subject, &request, &extra)?;
    let opened = OpenedCall {
        request: request.id.clone(),
        call: tool.id.clone(),
        prompt_sha256: sha256(prompt.as_bytes()),
        claims_sha256: Some(sha256(claims.as_bytes())),
        session: event.session.clone(),
        origin: origin(event),
        record: ids::ulid(&["opened", &event.id]),
    };
    let id = opened.record.clone();
    task.append(TOOL.name, NewRecord::new(ReviewStep::Opened(opened)).with_id(&id))?;
    let mut instead = Map::new();
    instead.insert("description".into(), format!("Review request {}", request.id).into());
    instead.insert("subagent_type".into(), REVIEWER.into());
    instead.insert("prompt".into(), prompt.into());
    // The agent must not choose its reviewer's model or worktree, so only this option of its call is copied.
    if let Some(background) = tool.input.get("run_in_background").filter(|value| value.is_boolean()) {
        instead.insert("run_in_background".into(), background.clone());
    }
    if let Some(model) = &subject.spec.model {
        instead.insert("model".into(), model.clone().into());
    }
    output.own.instead = Value::Object(instead);
    Ok(())
}

/// The command that asks another model for a second opinion, if one is required.
pub fn ask_line(subject: &Subject, request: &ReviewRequest) -> Option<String> {
    let is_critical = matches_paths(&subject.spec, &subject.paths())
        || subject
            .reviews
            .decisions
            .iter()
            .flat_map(|given| &given.issues)
            .any(|issue| issue.severity == Severity::Critical);
    second::is_wanted(subject.spec.second, is_critical).then(|| format!("rg-ask --request {}", request.id))
}

/// The hook origin of an event: the one in its line, or `Manual` if the client did not start this process.
pub fn origin(event: &Event) -> Origin {
    if event.origin == Origin::Client && !is_from_client(event) { Origin::Manual } else { event.origin }
}
