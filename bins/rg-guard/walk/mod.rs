//! Walks over a text as a shell would run it, without running anything.

mod braces;
mod builtins;
mod dispatch;
mod expansion;
mod scope;
mod simple_command;
mod walker;

pub use scope::{Scope, Values};
pub use walker::{Io, WalkEnd, Walker};
