//! The agent calls the client's own reviewer: the gate sees the call before it runs, and writes the prompt. What the agent wrote
//! reaches the reviewer as quoted claims.

use crate::{TOOL, write_packet};
use review_gate::event::{Event, Origin};
use review_gate::review::REVIEWER;
use review_gate::review::decision::Severity;
use review_gate::review::desk::Desk;
use review_gate::review::judge::Said;
use review_gate::review::packet::{self, Extra};
use review_gate::review::record::Packet;
use review_gate::review::{matches_paths, second};
use review_gate::snapshot::definition::Basis;
use review_gate::store::record::{NewRecord, Opened, ReviewStep};
use review_gate::sys::digest::sha256;
use review_gate::sys::error::Result;
use review_gate::sys::ids;
use review_gate::tool::origin::is_the_clients;
use serde_json::{Map, Value};

/// The client's names of its tool that starts a subagent.
const AGENT_TOOLS: [&str; 2] = ["Agent", "Task"];

/// Whether a tool call is one of the reviewer.
pub fn is_of_reviewer(event: &Event) -> bool {
    let Some(tool) = event.tool.as_ref().filter(|tool| AGENT_TOOLS.contains(&tool.name.as_str())) else { return false };
    match &tool.input {
        // An input that was cut is read by its words.
        Value::String(text) => text.contains(&format!("\"{REVIEWER}\"")),
        input => input.get("subagent_type").and_then(Value::as_str) == Some(REVIEWER),
    }
}

/// Opens the call: the packet is on record before the reviewer begins, and its prompt is the gate's.
pub fn open(event: &Event, basis: &Basis, said: &mut Said) -> Result<()> {
    let Some(task) = &basis.task else { return Ok(()) };
    let desk = Desk::of(event, basis)?;
    let packet = match desk.reviews.packet_of(&desk.now.digest()) {
        Some(packet) => packet.clone(),
        None => {
            let packet = desk.packet(event, basis)?;
            write_packet(task, &packet)?;
            packet
        }
    };
    let Some(tool) = &event.tool else { return Ok(()) };
    let text = |name: &str| tool.input.get(name).and_then(Value::as_str).unwrap_or("");
    let claims = [text("description"), text("prompt")].join("\n");
    let extra = Extra { claims: &claims, ask: ask_line(&desk, &packet), can_run: true, ..Extra::default() };
    let prompt = packet::text(event, basis, &desk, &packet, &extra)?;
    let opened = Opened {
        packet: packet.id.clone(),
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
    instead.insert("description".into(), format!("Review packet {}", packet.id).into());
    instead.insert("subagent_type".into(), REVIEWER.into());
    instead.insert("prompt".into(), prompt.into());
    // Neither a weaker model nor another work tree is the agent's to choose for its reviewer.
    if let Some(background) = tool.input.get("run_in_background").filter(|value| value.is_boolean()) {
        instead.insert("run_in_background".into(), background.clone());
    }
    if let Some(model) = &desk.spec.model {
        instead.insert("model".into(), model.clone().into());
    }
    said.own.instead = Value::Object(instead);
    Ok(())
}

/// The line that asks another model about a packet, where that is wanted.
pub fn ask_line(desk: &Desk, packet: &Packet) -> Option<String> {
    let is_critical = matches_paths(&desk.spec, &desk.paths())
        || desk.reviews.given.iter().flat_map(|given| &given.issues).any(|issue| issue.severity == Severity::Critical);
    second::is_wanted(desk.spec.second, is_critical).then(|| format!("rg-ask --packet {}", packet.id))
}

/// How an event reached us: as its line says, unless we see ourselves that this line is not one that the client runs.
pub fn origin(event: &Event) -> Origin {
    if event.origin == Origin::Client && !is_the_clients(event) { Origin::Manual } else { event.origin }
}
