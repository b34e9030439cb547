//! Persistent state: the state directories, records, journals, receipts, and the tasks, loops and worktrees that they describe.

pub mod call_marks;
pub mod daily;
pub mod installs;
pub mod journal;
pub mod loops;
pub mod open_asks;
pub mod open_findings;
pub mod receipt;
pub mod record;
pub mod retention;
pub mod state;
pub mod survey;
pub mod task;
pub mod worktrees;

#[cfg(test)]
mod field_names;
