//! A signal that ends rg-run during a run: the children end, the interruption is recorded, and the user is told how to go on.

use crate::TOOL;
use review_gate::store::record::{RunInterrupted, RunStep};
use review_gate::store::state::State;
use review_gate::sys::ending;
use review_gate::sys::process;
use review_gate::tool::cli;
use std::sync::OnceLock;

/// The run that a signal interrupts.
static RUN: OnceLock<(State, String)> = OnceLock::new();

/// From now on a signal interrupts that run.
pub fn watch(state: &State, run: &str) {
    let _ = RUN.set((state.clone(), run.to_string()));
    ending::on_signal(|| {
        process::stop_all();
        if let Some((state, run)) = RUN.get() {
            // Without it, the minutes of the last turn are not counted.
            let step = RunStep::Interrupted(RunInterrupted { run: run.clone() });
            let _ = state.append(&state.runs(), TOOL.name, step);
            cli::print_error(&TOOL, &format!("interrupted. To go on, run `rg-run --resume {run}`"));
        }
    });
}
