//! An event that its source is still building. Once it is finished, the fields of the source do not change.

use super::{Action, Event, Finding, Note, Reply, Source, Stage};
use crate::sys::text::cut_middle;
use std::ops::Deref;

/// An event that is still being built. It derefs to the event.
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
    /// A draft by rg-event.
    pub fn new(source: Source) -> Draft {
        Draft::by(Stage::Event, source)
    }

    /// A draft by another program, for an event line that did not arrive.
    pub fn by(by: Stage, source: Source) -> Draft {
        Draft { event: Event::new(source), by }
    }

    /// The fields of the source, for changes.
    pub fn set(&mut self) -> &mut Source {
        &mut self.event.source
    }

    /// Adds text for the user.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.event.results.tell.push(Note { by: self.by.clone(), text: text.into() });
    }

    /// Adds a finding.
    pub fn find(&mut self, finding: Finding) {
        self.event.results.findings.push(Finding { by: self.by.clone(), ..finding });
    }

    /// Sets the verdict `inconclusive` of the program that builds the event.
    pub fn fail(&mut self, why: impl Into<String>) {
        self.event.fail(self.by.clone(), why);
    }

    /// Removes all verdicts.
    pub fn clear_verdicts(&mut self) {
        self.event.results.verdicts.clear();
    }

    /// Sets the reply.
    pub fn reply(&mut self, action: Action, reason: impl Into<String>) {
        self.event.results.reply = Some(Reply { action, reason: reason.into(), by: self.by.clone() });
    }

    /// Removes all other required judges, for a user who runs this one with `--now`.
    pub fn require_only(&mut self, stage: &Stage) {
        self.event.source.required_at_intake.retain(|required| required == stage);
    }

    /// Adds programs to `via`.
    pub fn pass_through(&mut self, via: impl IntoIterator<Item = String>) {
        self.event.via.extend(via);
    }

    /// The event. Of a long prompt only the head and the tail are kept.
    pub fn finish(mut self) -> Event {
        let prompt = self.event.source.prompt.take();
        self.event.source.prompt = prompt.map(|text| cut_middle(&text, crate::sys::limits::TEXT));
        self.event
    }
}
