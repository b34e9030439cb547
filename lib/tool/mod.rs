//! The frame of a tool: its command line, its pipes, how it reads an event and passes it on.

pub mod authority;
pub mod body;
pub mod cli;
pub mod completion;
pub mod description;
pub mod filter;
pub mod intake;
pub mod origin;
pub mod pipes;
pub mod status_line;
