//! The integration tests: the built programs, in scratch repositories, with a pinned clock, HOME and git configuration.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod anchor;
mod answer;
mod ask;
mod attack;
mod bounce;
mod bypass;
mod check;
mod clients;
mod closed;
mod desk;
mod event;
mod failure;
mod forgery;
mod git;
mod guard;
mod guard_hook;
mod ignored;
mod install;
mod land;
mod land_odd;
mod launched;
mod loop_asked;
mod loop_records;
mod loop_rounds;
mod loops;
mod man;
mod moves;
mod person;
mod pipe;
mod receipt;
mod rescue;
mod rescue_odd;
mod review;
mod risk;
mod schema;
mod scratch;
mod snapshot;
mod statcache;
mod subagent;
mod tamper;
mod tidy;
mod trace;
mod worktree;
mod worktree_odd;
