//! rg-prove: find out what the tests prove about a change.
//!
//! Runs the checks on mixtures of the old and the new files, in copies. Writes prove/ in the state directory.
//! man: rg-prove(1)

mod change;
mod copy;
mod experiments;
mod inline;
mod judge;
mod outlines;
mod parts;
mod plan;
mod report;
mod runs;

use plan::Plan;
use report::Report;
use review_gate::donefile::{CHANGES, JOBS, MINUTES};
use review_gate::event::{Event, ProveFields, Section, Stage};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::filter::{self, Filter};
use review_gate::tool::pipes;
use runs::Runs;
use std::process::ExitCode;
use std::time::Duration;

const TOOL: Tool = Tool {
    name: "rg-prove",
    about: "find out what the tests prove about a change",
    hint: "rg-prove --now",
    forms: &[
        Form { takes: &["land"], ..Form::BARE },
        Form { needs: &["now"], takes: &["against", "changes", "fresh", "jobs", "json", "minutes"], ..Form::BARE },
    ],
    options: &[
        Opt::with(
            "against",
            "ref",
            "With --now: judge what changed since the merge base with this commit; without it, since HEAD.",
        ),
        Opt::with("changes", "n", "With --now: how many changes are undone one by one."),
        Opt::flag("fresh", "With --now: run the checks even if a recorded run answers."),
        Opt::with("jobs", "n", "With --now: how many experiments run at the same time, if the checks permit it."),
        Opt::flag("json", "With --now: print one JSON object."),
        Opt::flag("land", "The event is that of a landing."),
        Opt::with("minutes", "n", "With --now: how long the checks may run in all."),
        Opt::flag("now", "Compare the files as they are now."),
    ],
};

/// What the caller of `--now` asks for; the defaults are those of DONE.md.
#[derive(Default)]
struct Options {
    against: Option<String>,
    changes: Option<usize>,
    minutes: Option<f64>,
    jobs: Option<usize>,
    is_now: bool,
    is_fresh: bool,
    as_json: bool,
    is_landing: bool,
}

struct RgProve {
    /// `--land`: the event is that of a landing.
    is_landing: bool,
}

impl Filter for RgProve {
    type Section = Section<ProveFields>;
    const TOOL: Tool = TOOL;
    const STAGE: Stage = Stage::Prove;
    const DECIDES: bool = true;

    fn concerns(&self, event: &Event) -> bool {
        judge::concerns(event)
    }

    fn pass(&self, event: &Event, section: &mut Section<ProveFields>) -> Result<()> {
        judge::judge(self.is_landing, event, section)
    }
}

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let options = options(args)?;
    if !options.is_now {
        return filter::run(args, RgProve { is_landing: options.is_landing });
    }
    copy::prepare();
    let plan = Plan::of_commit(&args.dir()?, options.against.as_deref())?;
    let limit = options.minutes.map_or(plan.spec.limit(), |minutes| Duration::from_secs_f64(minutes * 60.0));
    let report = match plan.is_empty() {
        true => Report::default(),
        false => {
            let runs = Runs::new(&plan, limit, options.jobs.unwrap_or(plan.spec.jobs), options.is_fresh);
            experiments::run(&plan, &runs, options.changes.unwrap_or(plan.spec.changes), &Vec::new())?
        }
    };
    let text = if options.as_json { report.json(&plan) } else { report.text(&plan) };
    pipes::write(text.as_bytes())?;
    Ok(report.exit())
}

fn options(args: &mut Args) -> Result<Options> {
    let mut options = Options::default();
    while let Some(flag) = args.flag()? {
        let Flag::Long(name) = &flag else { return Err(args.unknown(&flag)) };
        match name.as_str() {
            "now" => options.is_now = true,
            "land" => options.is_landing = true,
            "fresh" => options.is_fresh = true,
            "json" => options.as_json = true,
            "against" => options.against = Some(filter::against(args)?),
            "changes" => options.changes = Some(number(args, "changes", 0, CHANGES)?),
            "jobs" => options.jobs = Some(number(args, "jobs", 1, JOBS)?),
            "minutes" => {
                let word = args.value()?;
                let is_usable = |minutes: &f64| *minutes > 0.0 && *minutes <= MINUTES;
                let minutes = word.parse().ok().filter(is_usable);
                let wrong = || args.wrong(&format!("--minutes {word}: a number above 0 and up to {MINUTES}"));
                options.minutes = Some(minutes.ok_or_else(wrong)?);
            }
            _ => return Err(args.unknown(&flag)),
        }
    }
    let Options { against, changes, minutes, jobs, is_now, is_fresh, as_json, is_landing } = &options;
    let needs_now =
        against.is_some() || changes.is_some() || minutes.is_some() || jobs.is_some() || *is_fresh || *as_json;
    match (is_now, needs_now, is_landing) {
        (false, true, _) => Err(args.wrong("this option needs --now; did you mean `rg-prove --now`?")),
        (true, _, true) => Err(args.wrong("--now and --land cannot be used together")),
        _ => Ok(options),
    }
}

fn number(args: &mut Args, name: &str, from: usize, to: usize) -> Result<usize> {
    let word = args.value()?;
    let number = word.parse().ok().filter(|number| (from..=to).contains(number));
    number.ok_or_else(|| args.wrong(&format!("--{name} {word}: a whole number from {from} to {to}")))
}
