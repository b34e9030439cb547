//! What is true of a task's reviews: a fold over its journal.

use crate::store::journal::{Fold, Line};
pub use crate::store::record::{Approval, Began, Given, Opened, Packet, Raised, SentBack, Standing};
use crate::store::record::{Asked, Body, Damaged, Kind, Record, ReviewStep, Unknown};
use crate::store::task::Task;

/// Everything that stands of reviews in one task.
#[derive(Clone, Debug, Default)]
pub struct Reviews {
    /// In the order of the journal, as all that follows.
    pub packets: Vec<Packet>,
    /// Calls.
    pub opened: Vec<Opened>,
    /// Reviewers.
    pub began: Vec<Began>,
    /// Agents of the reviewer's role that began in no call of the gate's, and why they do not count.
    pub uninvited: Vec<(String, String)>,
    /// SHA-256 of the reviewer's definition, as it was at the task's first prompt.
    pub pinned: Option<String>,
    /// What was asked for.
    pub sent_back: Vec<SentBack>,
    /// Decisions.
    pub given: Vec<Given>,
    /// What the user approved.
    pub approvals: Vec<Approval>,
    /// The lines of steps that cannot be read.
    unreadable: Vec<usize>,
}

impl Fold for Reviews {
    fn record(&mut self, line: &Line, record: &Record) {
        match &record.body {
            Body::Packet(packet) => self.packets.push(packet.clone()),
            Body::Review(step) | Body::Asked(Asked(step)) => self.take(line.number, step),
            Body::Approve(approval) => self.approvals.push(approval.clone()),
            _ => {}
        }
    }

    fn unknown(&mut self, line: &Line, unknown: &Unknown) {
        if unknown.may_be(Kind::Review) || unknown.may_be(Kind::Asked) {
            self.unreadable.push(line.number);
        }
    }

    // What cannot be read approves nothing, and may have been a rejection.
    fn damaged(&mut self, line: &Line, damaged: &Damaged) {
        if damaged.may_be(Kind::Review) || damaged.may_be(Kind::Asked) {
            self.unreadable.push(line.number);
        }
    }
}

impl Reviews {
    /// Those of a task; none of an event by hand.
    pub fn of(task: Option<&Task>) -> Reviews {
        task.map(|task| task.journal.fold()).unwrap_or_default()
    }

    fn take(&mut self, place: usize, step: &ReviewStep) {
        match step {
            ReviewStep::Pinned { definition } => self.pinned = self.pinned.take().or(Some(definition.clone())),
            ReviewStep::Opened(opened) => self.opened.push(opened.clone()),
            ReviewStep::Began(began) => self.began.push(began.clone()),
            ReviewStep::Uninvited { agent, why } => self.uninvited.push((agent.clone(), why.clone())),
            ReviewStep::SentBack(sent) => self.sent_back.push(sent.clone()),
            ReviewStep::Decided(given) => self.given.push(Given { place, ..given.clone() }),
        }
    }

    /// A packet by its id, or the beginning of it.
    pub fn packet(&self, id: &str) -> Option<&Packet> {
        self.packets.iter().rfind(|packet| packet.id == id || id.len() >= 6 && packet.id.starts_with(id))
    }

    /// The last packet of those files.
    pub fn packet_of(&self, snapshot: &str) -> Option<&Packet> {
        self.packets.iter().rfind(|packet| packet.snapshot == snapshot)
    }

    /// The decisions that are somebody's word.
    pub fn counting(&self) -> impl DoubleEndedIterator<Item = &Given> {
        self.given.iter().filter(|given| given.standing != Standing::Void)
    }

    /// Issues that were raised, keep the work from being done, and were not found settled since.
    pub fn open_issues(&self) -> Vec<Raised> {
        let mut open: Vec<Raised> = Vec::new();
        let decided = |given: &&Given| matches!(given.standing, Standing::Approved | Standing::Rejected);
        for given in self.counting().filter(decided) {
            open.retain(|issue| !given.settled.contains(&issue.key));
            for issue in given.issues.iter().filter(|issue| issue.blocks && given.standing == Standing::Rejected) {
                open.retain(|known| known.key != issue.key);
                open.push(issue.clone());
            }
        }
        open
    }

    /// How often the work was rejected from that line of the journal on; a step that cannot be read may have been a rejection.
    pub fn rejections_since(&self, line: usize) -> u32 {
        let rejected = self.counting().filter(|given| given.place >= line && given.standing == Standing::Rejected);
        let unreadable = self.unreadable.iter().filter(|at| **at >= line);
        (rejected.count() + unreadable.count()) as u32
    }

    /// How often a reviewer was asked for that.
    pub fn times_sent_back(&self, agent: &str, about: &str) -> usize {
        self.sent_back.iter().filter(|sent| sent.agent == agent && sent.about == about).count()
    }
}
