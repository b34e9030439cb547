//! The waivers of a task that still apply.

use crate::event::{Scope, Waiver};
use crate::store::journal::{Fold, Line};
use crate::store::record::{Body, Damaged, Kind, Record, Unknown};
use crate::sys::clock::Time;

/// The reason of the waiver that `#gate:off` sets.
const GATE_OFF: &str = "#gate:off";

/// The fold. It starts with the waivers in the task's first record.
#[derive(Clone, Debug, Default)]
pub struct Waivers {
    all: Vec<Waiver>,
    has_begun: bool,
}

impl Fold for Waivers {
    fn record(&mut self, _line: &Line, record: &Record) {
        let id = record.envelope.id.clone();
        match &record.body {
            Body::Begin(begin) if !self.has_begun => {
                self.has_begun = true;
                self.all.extend(begin.waivers.iter().cloned());
            }
            Body::Waive(waive) => self.all.push(Waiver {
                id,
                scope: waive.scope.clone(),
                why: waive.why.clone(),
                who: waive.who.clone(),
                at: Some(record.envelope.at),
                origin: None,
                until: waive.until,
            }),
            Body::GateOff(off) => self.all.push(Waiver {
                id,
                scope: Scope::Gate,
                why: GATE_OFF.to_string(),
                who: off.who.clone(),
                at: Some(record.envelope.at),
                origin: off.origin,
                until: off.until,
            }),
            Body::GateOn(_) => self.switch_on(),
            _ => {}
        }
    }

    fn unknown(&mut self, _line: &Line, unknown: &Unknown) {
        if unknown.may_be(Kind::GateOn) {
            self.switch_on();
        }
    }

    // An unreadable line waives nothing, and it may have switched the gate on again.
    fn damaged(&mut self, _line: &Line, damaged: &Damaged) {
        if damaged.may_be(Kind::GateOn) {
            self.switch_on();
        }
    }
}

impl Waivers {
    fn switch_on(&mut self) {
        self.all.retain(|waiver| waiver.why != GATE_OFF);
    }

    /// The waivers that apply at `now`.
    pub fn at(self, now: Time) -> Vec<Waiver> {
        self.all.into_iter().filter(|waiver| waiver.until > now).collect()
    }
}
