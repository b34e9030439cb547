//! The system and plain data: files, processes, time, digests, texts, errors.

pub mod clock;
pub mod coprocess;
pub mod dialog;
pub mod digest;
pub mod ending;
pub mod env;
pub mod error;
pub mod exit;
pub mod files;
pub mod gitignore;
pub mod glob;
pub mod ids;
pub mod limits;
pub mod lock;
pub mod markdown;
pub mod mounts;
pub mod output;
pub mod process;
pub mod procfs;
pub mod redact;
pub mod scrub;
pub mod shell;
pub mod signal;
pub mod text;
pub mod user;
pub mod watch;
