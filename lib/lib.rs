//! What two or more of the review-gate tools share: the event line, the decision, the evidence and its storage.
//!
//! The rooms are listed in order; each uses only those above it. ARCHITECTURE.md is the map.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

/// musl's own allocator gives every small group of blocks back to the kernel at once; a program that lives for a millisecond
/// spends a third of it on that.
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
