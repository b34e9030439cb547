//! The library that the review-gate tools share: the event line, the decision, the records and their storage.
//!
//! The modules are listed in order: each uses only those above it. ARCHITECTURE.md describes them.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

/// musl's own allocator returns every small group of blocks to the kernel at once, which takes a third of the time of a program
/// that runs for a millisecond.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

pub mod sys;

pub mod git;

pub mod event;

pub mod dialect;

pub mod store;

pub mod donefile;

pub mod answer;

pub mod snapshot;

pub mod rescue;

pub mod review;

pub mod tool;
