//! One question to the arbiter or the moderator: a program that the task began with, a prompt with a nonce, one JSON object as the reply.

use crate::{TOOL, launch, time_for_a_model};
use review_gate::event::Event;
use review_gate::review::ask::{Question, Target};
use review_gate::review::decision::{self, Fields};
use review_gate::review::model_call;
use review_gate::review::record::ReviewRequest;
use review_gate::review::request;
use review_gate::review::subject::Subject;
use review_gate::snapshot::workspace::Workspace;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use review_gate::tool::cli;

/// What is asked.
pub struct Case<'a> {
    /// The event of the stop.
    pub event: &'a Event,
    /// Its workspace.
    pub workspace: &'a Workspace,
    /// The files, the changes and the reviews.
    pub subject: &'a Subject,
    /// The review request for these files.
    pub request: &'a ReviewRequest,
}

/// A question to one program.
pub struct Ask<'a> {
    /// Its role, for messages.
    pub role: &'static str,
    /// The file of its prompt, with a head for clients.
    pub system: &'static str,
    /// What it must decide, with its material.
    pub text: &'a str,
    /// The fields of its reply beside the request and the nonce, as they stand in the form.
    pub form: &'static str,
}

impl Case<'_> {
    /// Asks once. Errors: no program, no time, no usable reply, or files that changed meanwhile.
    pub fn ask(&self, target: &Target, ask: &Ask<'_>) -> Result<Fields> {
        let Case { event, workspace, subject, request } = self;
        let id = &request.id;
        let nonce = ids::ulid(&["nonce", id, ask.role, ask.text]);
        let (material, left_out) = request::context(event, workspace, subject, request, &[], false)?;
        if !left_out.is_empty() {
            return Err(Error::unverified(format!("the change is too large for the {}", ask.role)));
        }
        let prompt = format!(
            "# Request {id}\n\n{}\n\n# Material\n\n{material}\n## Your reply\n\nEnd with one JSON object, bare or in a json fence:\n{{\"request\": \"{id}\", \"nonce\": \"{nonce}\", {}}}\n",
            ask.text, ask.form
        );
        let system = ask.system.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
        let system = system.map_or(ask.system, |(_, body)| body).trim();
        let Some(within) = time_for_a_model(event, subject.spec.timeout, 1.0) else {
            return Err(Error::deadline(format!("no time left for the {}", ask.role)));
        };
        let question = Question {
            prompt: &prompt,
            system,
            model: subject.spec.model.as_deref(),
            effort: subject.spec.effort.as_deref(),
            within,
        };
        let place = launch::place(workspace, subject, target)?;
        let dir = place.as_ref().map_or(event.root.as_path(), |place| place.path());
        cli::progress(&format!("{}: {} is asked as the {} ...", TOOL.name, target.name, ask.role));
        let answer = model_call::ask((&workspace.state, TOOL.name), ask.role, target, &question, dir)?;
        let now = workspace.look(event)?;
        if now.digest() != request.snapshot || !now.restored_since(&subject.now).is_empty() {
            return Err(Error::changed(format!("files changed while the {} worked", ask.role)));
        }
        let Some(message) = answer.text else {
            let why = answer.ask.unavailable.unwrap_or_default();
            return Err(Error::child(format!("the {} {} is unavailable: {why}", ask.role, target.name)));
        };
        let reply = decision::reply(&message, id)
            .ok_or_else(|| Error::child(format!("the {} gave no JSON object for request {id}", ask.role)))?;
        if reply.text("nonce").trim() != nonce {
            return Err(Error::child(format!("the {} did not repeat the nonce", ask.role)));
        }
        Ok(reply)
    }
}
