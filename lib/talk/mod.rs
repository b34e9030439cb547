//! The talk: messages that agents and people leave for each other, one append-only file of JSON lines for each topic.
//!
//! The files are merged by git like others, so their lines may come in any order, twice, torn, or between conflict markers. A reader
//! sorts the messages by id and counts the lines that it skips. The messages are no evidence: no judge reads them.

pub mod announcement;
pub mod directory;
pub mod import;
pub mod index;
pub mod index_log;
mod index_rows;
pub mod issue;
pub mod lines;
pub mod log;
pub mod markdown;
pub mod message;
pub mod query;
pub mod search;
pub mod sync;
pub mod tail;
