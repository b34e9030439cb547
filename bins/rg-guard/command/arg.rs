//! One argument of a command.

use super::marks;
use crate::shell::Span;

/// One argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arg {
    /// The text, with marks for what is not known.
    pub text: String,
    pub span: Span,
}

impl Arg {
    /// An argument with a text and its place.
    pub fn new(text: impl Into<String>, span: Span) -> Arg {
        Arg { text: text.into(), span }
    }

    /// The text where all of it is known.
    pub fn known_text(&self) -> Option<String> {
        marks::known_text(&self.text)
    }
}
