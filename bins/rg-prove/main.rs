//! rg-prove: find out what the tests prove about a change.
//!
//! Runs the checks on mixtures of the old and the new files, in a copy. Writes prove/ in the state directory.
//! man: rg-prove(1)

mod copy;
mod experiments;
mod hunks;
mod plan;
mod print;
mod runs;

use copy::Copy;
use plan::Plan;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::{ending, process};
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
use runs::Runs;
use std::process::ExitCode;
use std::time::Duration;

const TOOL: Tool = Tool {
    name: "rg-prove",
    about: "find out what the tests prove about a change",
    hint: "rg-prove --now",
    forms: &[Form { needs: &["now"], takes: &["against", "changes", "fresh", "json", "minutes"], ..Form::BARE }],
    options: &[
        Opt::with(
            "against",
            "ref",
            "Judge what changed since the merge base with this commit; without it, since HEAD.",
        ),
        Opt::with("changes", "n", "How many changes are undone one by one; 10 without it."),
        Opt::flag("fresh", "Run the checks even if a recorded run answers."),
        Opt::flag("json", "Print one JSON object."),
        Opt::with("minutes", "n", "How long the checks may run in all; 10 without it."),
        Opt::flag("now", "Compare the files as they are now."),
    ],
};

/// What the caller asks for.
struct Options {
    against: Option<String>,
    changes: usize,
    minutes: f64,
    is_fresh: bool,
    as_json: bool,
}

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let options = options(args)?;
    let plan = Plan::new(&args.dir()?, options.against.as_deref())?;
    ending::on_signal(stop);
    process::adopt_orphans();
    let limit = Duration::from_secs_f64(options.minutes * 60.0);
    let report = match plan.is_empty() {
        true => experiments::Report::default(),
        false => {
            let copy = Copy::make(&plan)?;
            let runs = Runs::new(&plan, &copy, limit, options.is_fresh);
            experiments::run(&plan, &copy, runs, options.changes)?
        }
    };
    let text = if options.as_json { print::json(&plan, &report) } else { print::text(&plan, &report) };
    pipes::write(text.as_bytes())?;
    Ok(report.exit())
}

/// A signal ends the checks and removes the copy.
fn stop() {
    process::stop_all();
    copy::remove_on_signal();
}

fn options(args: &mut Args) -> Result<Options> {
    let mut options = Options { against: None, changes: 10, minutes: 10.0, is_fresh: false, as_json: false };
    let mut is_now = false;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "now" => is_now = true,
            Flag::Long(name) if name == "against" => options.against = Some(args.value()?),
            Flag::Long(name) if name == "changes" => {
                let word = args.value()?;
                let count = word.parse().ok().filter(|count| *count <= 1000);
                options.changes = count.ok_or_else(|| args.wrong(&format!("--changes {word}: a number up to 1000")))?;
            }
            Flag::Long(name) if name == "minutes" => {
                let word = args.value()?;
                let is_usable = |minutes: &f64| *minutes > 0.0 && *minutes <= 1440.0;
                let minutes = word.parse().ok().filter(is_usable);
                options.minutes =
                    minutes.ok_or_else(|| args.wrong(&format!("--minutes {word}: a number above 0 and up to 1440")))?;
            }
            Flag::Long(name) if name == "fresh" => options.is_fresh = true,
            Flag::Long(name) if name == "json" => options.as_json = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    match is_now {
        true => Ok(options),
        false => Err(args.wrong("rg-prove runs the checks several times; did you mean `rg-prove --now`?")),
    }
}
