//! Tasks of the repository that need code: the demo, the plugin folder, the installation, benchmarks, comparisons.
#![allow(clippy::disallowed_methods)]

mod bench;
mod bench_against;
mod bench_calls;
mod bench_doctor;
mod bench_guards;
mod bench_review;
mod bench_talk;
mod bench_work;
mod change;
mod compare;
mod demo;
mod demo_calls;
mod demo_review;
mod demo_work;
mod full;
mod guard_score;
mod history_score;
mod install;
mod languages;
mod parallel;
mod place;
mod plugin;
mod score;
mod stage;
mod tamper_score;

use std::process::ExitCode;

/// The tasks, with one line each.
const TASKS: &str = "usage: cargo xtask task [options]

tasks:
  bench [--only text] ...      check the time budgets, with static programs; only rows whose names contain a text
  compare old-dir new-dir      compare the decisions of two sets of programs
          [--old-tree dir] [--captures dir] [--cases dir] [--only text] [--no-state]
  demo [--plugin dir]          play the main job in a scratch repository
  dist [--out dir] [--bin dir] build the release archives, with checksums and install.sh
  full                         run CI, and all measures that are too slow for it
  guard-score                  compare rg-guard with the labelled commands
  history-score repository...  judge commits of real repositories that touch tests
          [--commits n] [--json file] [--labels file] [--findings] [--enforce] [--bin dir]
  install [--prefix dir] [--bin dir] [--dry-run] [--uninstall]
                               install programs, manuals and completions, by default into ~/.local
  plugin dir [--bin dir]       create a plugin folder for Claude Code
  tamper-score [file...]       compare rg-tamper with the labelled changes
          [--only text] [--wrong] [--enforce] [--bin dir]
";

/// Any error; its text is printed.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            stage::print_error(&format!("xtask: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let mut args = lexopt::Parser::from_env();
    let task = match args.next()? {
        Some(lexopt::Arg::Value(task)) => task.to_string_lossy().into_owned(),
        _ => return Err(TASKS.into()),
    };
    match task.as_str() {
        "bench" => bench::run(&mut args),
        "compare" => compare::run(&mut args),
        "dist" => install::dist::run(&mut args),
        "full" => full::run(),
        "guard-score" => guard_score::run(),
        "history-score" => history_score::run(&mut args),
        "install" => install::run(&mut args),
        "demo" => demo::run(&mut args),
        "plugin" => plugin::run(&mut args),
        "tamper-score" => tamper_score::run(&mut args),
        _ => Err(format!("unknown task {task:?}\n{TASKS}").into()),
    }
}
