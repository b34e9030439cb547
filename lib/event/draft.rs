//! An event while its source still makes it. Once it is finished nobody changes what the source said.

use super::{Action, Event, Finding, Note, Reply, Source, Stage};
use crate::sys::text::cut_middle;
use std::ops::Deref;

/// An event that is still being made; it reads as the event that it will be.
#[derive(Clone, Debug)]
pub struct Draft {
    event: Event,
    by: Stage,
}

impl Deref for Draft {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.event
    }
}

impl Draft {
    /// Begun by rg-event.
    pub fn new(source: Source) -> Draft {
        Draft::by(Stage::Event, source)
    }

    /// Begun by another program: for an event that never came.
    pub fn by(by: Stage, source: Source) -> Draft {
        Draft { event: Event::new(source), by }
    }

    /// What the source says, to be changed.
    pub fn set(&mut self) -> &mut Source {
        &mut self.event.source
    }

    /// Something for the person.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.event.results.tell.push(Note { by: self.by.clone(), text: text.into() });
    }

    /// Adds a finding.
    pub fn find(&mut self, finding: Finding) {
        self.event.results.findings.push(Finding { by: self.by.clone(), ..finding });
    }

    /// Whoever makes the event could not judge: why.
    pub fn fail(&mut self, why: impl Into<String>) {
        self.event.fail(self.by.clone(), why);
    }

    /// Takes back that it could not judge.
    pub fn unfail(&mut self) {
        self.event.results.verdicts.clear();
    }

    /// Chooses the reply.
    pub fn reply(&mut self, action: Action, reason: impl Into<String>) {
        self.event.results.reply = Some(Reply { action, reason: reason.into(), by: self.by.clone() });
    }

    /// A person alone asks that judge: no other one is required.
    pub fn require_only(&mut self, stage: &Stage) {
        self.event.source.required_at_intake.retain(|required| required == stage);
    }

    /// The event passed through these programs.
    pub fn pass_through(&mut self, via: impl IntoIterator<Item = String>) {
        self.event.via.extend(via);
    }

    /// The event. A long prompt is kept by its head and tail.
    pub fn finish(mut self) -> Event {
        let prompt = self.event.source.prompt.take();
        self.event.source.prompt = prompt.map(|text| cut_middle(&text, crate::sys::limits::TEXT));
        self.event
    }
}
