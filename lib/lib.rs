//! What two or more of the review-gate tools share: the event line, the decision, the evidence and its storage.
//!
//! Modules are listed in layers; each uses only those above it. ARCHITECTURE.md is the map.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

/// musl's own allocator gives every small group of blocks back to the kernel at once; a program that lives for a millisecond
/// spends a third of it on that.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

pub mod error;
pub mod exit;

pub mod clock;
pub mod digest;
pub mod env;
pub mod gitignore;
pub mod glob;
pub mod ids;
pub mod limits;
pub mod markdown;
pub mod shell;
pub mod text;

pub mod files;

pub mod proc;

pub mod event;
pub mod outcome;
pub mod redact;
pub mod said;

pub mod dialect;

pub mod child;
pub mod frames;
pub mod git;
pub mod journal;
pub mod lock;
pub mod record;
pub mod state;
pub mod task;

pub mod donefile;
pub mod snapshot;

pub mod rescue;

pub mod answer;
pub mod ask;
pub mod asks;
pub mod base;
pub mod baseline;
pub mod basis;
pub mod before;
pub mod calling;
pub mod copies;
pub mod intake;
pub mod left;
pub mod loops;
pub mod made;
pub mod receipt;
pub mod review;

pub mod cli;
pub mod filter;
pub mod wire;
