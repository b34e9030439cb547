//! Issues: a file of changes, one JSON line each, and the state that they add up to.
//!
//! The file is merged by git as the messages are. A change names the fields that it sets, so that two changes of different fields both
//! survive. No judge reads issues.

pub mod board;
pub mod change;
pub mod columns;
pub mod course;
pub mod filing;
pub mod import;
pub mod order;
mod scan;
pub mod store;
