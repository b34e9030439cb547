//! The output of a child that has ended.

use crate::sys::signal;
use std::process::ExitStatus;

/// A child that has ended, with its output.
#[derive(Debug)]
pub struct Output {
    /// Its status; None if it reached the deadline.
    pub status: Option<ExitStatus>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl Output {
    /// Whether it exited with status 0 before the deadline.
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// How it ended, for a message.
    pub fn how_it_ended(&self) -> String {
        self.status.map_or("timed out".to_string(), signal::how_it_ended)
    }

    /// Its exit status; None if a signal killed it.
    pub fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }
}
