//! Runs a command without running anything: which simple commands would a shell start, with which arguments, where?

mod acts;
mod arguments;
mod away;
mod braces;
mod builtin;
mod call;
mod code;
mod dispatch;
mod each;
mod escapes;
mod expand;
mod functions;
mod git;
mod held;
mod indirect;
mod inner;
pub mod marks;
mod mounts;
pub mod place;
mod printed;
mod scope;
mod search;
mod simple;
mod tokens;
mod unknown;
mod values;
mod walk;
mod wrappers;

pub use arguments::{Flags, flags};
pub use call::{Call, Write};
pub use expand::Arg;
pub use scope::Scope;
pub use search::search_at;
pub use simple::quoted;
pub use walk::{Outcome, Walker};
