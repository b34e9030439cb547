//! The library of the review-gate programs: events, outcomes, records, snapshots, reviews and answers.
//!
//! Each module uses only the modules listed above it. ARCHITECTURE.md describes them.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

/// musl's own allocator returns each small group of blocks to the kernel at once. A program that runs for a millisecond spends a
/// third of its time on that.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

pub mod sys;

pub mod outline;

pub mod evidence;

pub mod excerpt;

pub mod git;

pub mod event;

pub mod dialect;

pub mod wiring;

pub mod talk;

pub mod store;

pub mod donefile;

pub mod answer;

pub mod snapshot;

pub mod rescue;

pub mod review;

pub mod tool;
