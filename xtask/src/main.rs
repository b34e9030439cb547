//! Tasks of the repository that need code: the demo, the plugin folder, the installation, benchmarks, comparisons.
#![allow(clippy::disallowed_methods)]

mod bench;
mod bench_calls;
mod bench_guards;
mod bench_review;
mod bench_work;
mod compare;
mod demo;
mod demo_calls;
mod demo_review;
mod demo_work;
mod guard_score;
mod install;
mod plugin;
mod stage;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask bench\n       cargo xtask compare [--old-tree dir] [--captures dir] [--cases dir] [--only text] [--no-state] old-dir new-dir\n       cargo xtask demo [--plugin dir]\n       cargo xtask guard-score\n       cargo xtask install [--prefix dir] [--bin dir] [--dry-run] [--uninstall]\n       cargo xtask plugin dir [--bin dir]\n";

/// Any error; its text is printed.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            stage::complain(&format!("xtask: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let mut args = lexopt::Parser::from_env();
    let verb = match args.next()? {
        Some(lexopt::Arg::Value(verb)) => verb.to_string_lossy().into_owned(),
        _ => return Err(USAGE.into()),
    };
    match verb.as_str() {
        "bench" => bench::run(),
        "compare" => compare::run(&mut args),
        "guard-score" => guard_score::run(),
        "install" => install::run(&mut args),
        "demo" => demo::run(&mut args),
        "plugin" => plugin::run(&mut args),
        _ => Err(format!("unknown verb {verb:?}\n{USAGE}").into()),
    }
}
