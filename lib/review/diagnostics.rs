//! Diagnostics: commands that DONE.md declares and a reviewer asks for by name. No other command that a model proposes is ever run.

use crate::donefile::Donefile;
use crate::sys::clock::Time;
use crate::sys::process::{self, Command};
use crate::sys::signal;
use crate::sys::text::plain;
use std::path::Path;
use std::time::Duration;

/// How much of a command's output is returned, in bytes.
const OUTPUT_LIMIT: usize = 4 << 10;

/// The time that is reserved for the answer.
const MARGIN: Duration = Duration::from_secs(10);

/// Runs the named diagnostics in the root, and returns their output.
pub fn run(done: &Donefile, names: &[String], root: &Path, until: Option<Time>) -> String {
    let mut out = String::new();
    for one in done.diagnostics.iter().filter(|one| names.contains(&one.name)) {
        let mut command = Command::new("sh");
        command.args(["-e", "-c", &one.run]).current_dir(root);
        let left = until.map_or(Duration::MAX, |until| until.remaining().saturating_sub(MARGIN));
        let deadline = Duration::from_secs_f64(one.timeout).min(left);
        let mut tail: Vec<u8> = Vec::new();
        let ended = process::run(command, deadline, |bytes| {
            tail.extend_from_slice(bytes);
            let beyond = tail.len().saturating_sub(OUTPUT_LIMIT);
            tail.drain(..beyond);
        });
        let how = match ended {
            Ok(ended) => match ended.status {
                Some(status) => signal::how_it_ended(status),
                None => "timed out".to_string(),
            },
            Err(error) => error.to_string(),
        };
        out.push_str(&format!("diagnostic {} ({}): {how}\n{}\n", one.name, one.run, plain(&tail)));
    }
    out
}
