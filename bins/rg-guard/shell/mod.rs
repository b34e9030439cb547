//! A reader of shell commands: one pass over the text, no grammar tables, nothing run.
//!
//! It reads what sh, bash and zsh share and most of what bash adds. It never refuses a text: what makes no sense is noted,
//! and reading goes on, so that a rule sees every command that a shell could see.

mod compound;
mod expansions;
mod reader;
mod redirects;
mod tree;
mod words;

pub use reader::{DEPTH, read};
pub use tree::*;
