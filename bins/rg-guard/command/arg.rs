//! One argument of a command.

use super::marks;
use crate::shell::Span;

/// One argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arg {
    /// Its text, with marks in it.
    pub text: String,
    pub span: Span,
}

impl Arg {
    pub fn new(text: impl Into<String>, span: Span) -> Arg {
        Arg { text: text.into(), span }
    }

    /// The text, when all of it is known.
    pub fn known_text(&self) -> Option<String> {
        marks::known_text(&self.text)
    }
}
