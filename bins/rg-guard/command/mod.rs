//! A simple command as data: its arguments with marks for what is not known, its options, its paths.

mod arg;
mod call;
mod flags;
pub mod guarded_programs;
pub mod marks;
pub mod mounts;
pub mod path;
pub mod pattern;
mod quote;
mod search;
pub mod valued_options;
mod variables;
mod wildcard;

pub use arg::Arg;
pub use call::{Call, GitFacts, Write};
pub use flags::{Flags, flags};
pub use quote::quote;
pub use search::{search, search_at};
pub use variables::{CLIENT_PID, JUDGE_PID, SHELL_PID, known_variable};
