//! What was said in a task: the prompts, and what they ask for of a review.

use crate::event::Actor;
use crate::store::journal::{Fold, Line};
use crate::store::record::{Body, Damaged, Kind, Prompt, Record, Switch, Unknown};

/// The fold.
#[derive(Clone, Debug, Default)]
pub struct Prompts {
    /// All of them, in order, each with the client's process.
    all: Vec<(Option<i32>, Prompt)>,
    review: Option<Switch>,
    /// Some prompt cannot be read.
    lost: bool,
}

impl Fold for Prompts {
    fn record(&mut self, _line: &Line, record: &Record) {
        if let Body::Prompt(prompt) = &record.body {
            self.review = prompt.review.or(self.review);
            self.all.push((record.envelope.pid, prompt.clone()));
        }
    }

    fn unknown(&mut self, _line: &Line, unknown: &Unknown) {
        self.lost |= unknown.may_be(Kind::Prompt);
    }

    fn damaged(&mut self, _line: &Line, damaged: &Damaged) {
        self.lost |= damaged.may_be(Kind::Prompt);
    }
}

impl Prompts {
    /// The prompts of the user's, in order, each with the client's process.
    pub fn of_user(&self) -> impl DoubleEndedIterator<Item = &(Option<i32>, Prompt)> {
        self.all.iter().filter(|(_, prompt)| prompt.by == Actor::User)
    }

    /// The last one, whoever made it.
    pub fn last(&self) -> Option<&Prompt> {
        self.all.last().map(|(_, prompt)| prompt)
    }

    /// Whether a prompt asks for a review: the last one that said anything of it counts. Where one cannot be read, it is not
    /// known that none is wanted.
    pub fn is_review_asked(&self) -> Option<bool> {
        match self.review {
            Some(Switch::On) => Some(true),
            Some(Switch::Off) if !self.lost => Some(false),
            Some(Switch::Off) | None => None,
        }
    }

    /// Whether any prompt spoke of a review.
    pub fn speaks_of_reviews(&self) -> bool {
        self.all.iter().any(|(_, prompt)| prompt.review.is_some())
    }
}
