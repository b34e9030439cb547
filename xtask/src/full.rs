//! `full`: CI, and everything that is too slow for it. Each step runs, also after one failed.

use crate::{Failure, stage};
use std::process::Command;

/// What CI leaves out, each with what it is about.
const STEPS: [(&str, &[&str]); 7] = [
    ("CI", &["bash", ".ci/run"]),
    ("the gate on this project, with all checks and the proof", &["tests/gate", "--full"]),
    ("the labelled commands of rg-guard", &["cargo", "xtask", "guard-score"]),
    ("the labelled changes of rg-tamper", &["cargo", "xtask", "tamper-score", "--enforce"]),
    ("the time budgets", &["cargo", "xtask", "bench"]),
    ("the archives of a release", &["cargo", "xtask", "dist", "--out", "target/full-dist"]),
    ("the flake", &["tests/nix/run"]),
];

/// Runs all steps.
pub fn run() -> Result<(), Failure> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut failed = Vec::new();
    for (what, words) in STEPS {
        stage::print_error(&format!("== {what}: {}", words.join(" ")));
        let status = Command::new(words[0]).args(&words[1..]).current_dir(root).status();
        if !status.is_ok_and(|status| status.success()) {
            failed.push(words.join(" "));
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("failed: {}", failed.join(", ")).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_step_is_there_and_ci_is_the_first() {
        assert_eq!(STEPS[0].1, ["bash", ".ci/run"]);
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        for (_, words) in STEPS {
            let program = if words[0] == "bash" { words[1] } else { words[0] };
            assert!(program == "cargo" || root.join(program).is_file(), "{program}");
            if words.starts_with(&["cargo", "xtask"]) {
                assert!(crate::TASKS.contains(&format!("\n  {}", words[2])), "{}", words[2]);
            }
        }
    }
}
