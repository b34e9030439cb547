//! Code of other languages: what it runs, removes and writes.

mod effects;
mod functions;
mod indirect_calls;
mod tokens;
mod values;

pub use effects::{Code, Effect};
pub use tokens::{Language, tokens};
