//! The prompts of a task, and whether they ask for a review.

use crate::event::Actor;
use crate::store::journal::{Fold, Line};
use crate::store::record::{Body, Damaged, Kind, Prompt, Record, Switch, Unknown};

/// The fold.
#[derive(Clone, Debug, Default)]
pub struct Prompts {
    /// All of them, in order, each with the client's process.
    all: Vec<(Option<i32>, Prompt)>,
    review: Option<Switch>,
    /// A prompt cannot be read.
    has_unreadable: bool,
}

impl Fold for Prompts {
    fn record(&mut self, _line: &Line, record: &Record) {
        if let Body::Prompt(prompt) = &record.body {
            self.review = prompt.review.or(self.review);
            self.all.push((record.envelope.pid, prompt.clone()));
        }
    }

    fn unknown(&mut self, _line: &Line, unknown: &Unknown) {
        self.has_unreadable |= unknown.may_be(Kind::Prompt);
    }

    fn damaged(&mut self, _line: &Line, damaged: &Damaged) {
        self.has_unreadable |= damaged.may_be(Kind::Prompt);
    }
}

impl Prompts {
    /// The user's prompts, in order, each with the client's process.
    pub fn of_user(&self) -> impl DoubleEndedIterator<Item = &(Option<i32>, Prompt)> {
        self.all.iter().filter(|(_, prompt)| prompt.by == Actor::User)
    }

    /// The last prompt of any author.
    pub fn last(&self) -> Option<&Prompt> {
        self.all.last().map(|(_, prompt)| prompt)
    }

    /// Whether the last prompt that mentions a review asks for one. None if no prompt mentions one, or if one that cannot be read
    /// may ask for a review.
    pub fn is_review_asked(&self) -> Option<bool> {
        match self.review {
            Some(Switch::On) => Some(true),
            Some(Switch::Off) if !self.has_unreadable => Some(false),
            Some(Switch::Off) | None => None,
        }
    }

    /// Whether any prompt mentions a review.
    pub fn mentions_reviews(&self) -> bool {
        self.all.iter().any(|(_, prompt)| prompt.review.is_some())
    }
}
