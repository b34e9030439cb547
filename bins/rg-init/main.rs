//! rg-init: write a DONE.md whose checks pass.
//!
//! Finds the build tools of the repository, runs each check that it proposes once with rg-check, and writes DONE.md.
//! man: rg-init(1)

mod definition;
mod destination;
mod donegate;
mod dualagent;
mod part;
mod proposal;
mod source;
mod stacks;
mod trial;

use proposal::{Plan, Trial};
use review_gate::donefile::{self, CheckKind, SKELETON};
use review_gate::sys::clock;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, one_line};
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
use std::path::Path;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-init",
    about: "write a DONE.md whose checks pass",
    hint: "rg-init --dry-run",
    forms: &[Form { takes: &["dry-run", "force", "from", "within"], ..Form::BARE }],
    options: &[
        Opt::flag("dry-run", "Print DONE.md; write nothing."),
        Opt::flag("force", "Replace an existing DONE.md; the old one is kept as DONE.md.old."),
        Opt::with("from", "source", "Take the checks from package.json, donegate or a .dualagent.json."),
        Opt::with("within", "seconds", "How long each check may take when it is tried; default 600."),
    ],
};

/// How long each check may take when it is tried, in seconds.
const LIMIT: f64 = 600.0;

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let (mut is_dry, mut is_forced, mut from, mut limit) = (false, false, None, LIMIT);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "dry-run" => is_dry = true,
            Flag::Long(name) if name == "force" => is_forced = true,
            Flag::Long(name) if name == "from" => from = Some(args.value()?),
            Flag::Long(name) if name == "within" => {
                let word = args.value()?;
                let seconds = word.parse().ok().filter(|seconds| (1.0..=3600.0).contains(seconds));
                limit = seconds.ok_or_else(|| args.wrong(&format!("--within is not 1 to 3600 seconds: {word:?}")))?;
            }
            _ => return Err(args.unknown(&flag)),
        }
    }
    let root = args.dir()?;
    if from.as_deref() == Some("donegate") {
        return donegate::run(&root, is_dry);
    }
    let mut plan = match from {
        Some(from) => source::read(&from, &root)?,
        None => stacks::find(&root),
    };
    if !is_dry {
        destination::refuse_existing(&root, is_forced)?;
    }
    if plan.checks.is_empty() {
        plan.notes.splice(0..0, std::mem::take(&mut plan.lacking));
    }
    plan.make_names_unique();
    try_all(&mut plan, &root, limit)?;
    let text = definition::text(&plan);
    if is_dry && !plan.checks.is_empty() { print(&plan, &text, &root) } else { finish(&plan, &text, &root, is_forced) }
}

/// Tries each check once.
fn try_all(plan: &mut Plan, root: &Path, limit: f64) -> Result<()> {
    for check in &mut plan.checks {
        cli::progress(&format!("{}: {}: {} ...", TOOL.name, check.name, one_line(&check.run)));
        (check.trial, check.has_evidence) = trial::try_once(check, root, limit)?;
    }
    Ok(())
}

/// How many checks passed. Errors: the text does not mean what was tried.
fn passed(plan: &Plan, text: &str, root: &Path) -> Result<usize> {
    let passed = plan.checks.iter().filter(|check| check.has_passed()).count();
    if passed > 0 {
        verify(plan, text, root)?;
    }
    Ok(passed)
}

/// Prints the definition.
fn print(plan: &Plan, text: &str, root: &Path) -> Result<Exit> {
    let passed = passed(plan, text, root)?;
    pipes::write(text.as_bytes())?;
    Ok(if passed > 0 { Exit::Yes } else { Exit::No })
}

/// Writes the definition and reports what it holds.
fn finish(plan: &Plan, text: &str, root: &Path, is_forced: bool) -> Result<Exit> {
    let mut report: String = plan.checks.iter().map(line).collect();
    report.extend(plan.rows.iter().map(|row| format!("{row}\n")));
    report.extend(plan.notes.iter().map(|note| format!("left out: {note}\n")));
    let exit = match passed(plan, text, root)? {
        0 if plan.checks.is_empty() => {
            let why = if plan.notes.is_empty() { "no known build tool" } else { "nothing that can be a check" };
            report.push_str(&format!("{why} in {}. An example of a DONE.md:\n\n{SKELETON}", root.display()));
            Exit::No
        }
        0 => {
            report.push_str("no check passed: DONE.md is not written. Install what is missing, or correct a check, and run `rg-init` again\n");
            Exit::No
        }
        passed => {
            let old = destination::write(root, text, is_forced)?;
            let left_out = plan.checks.len() - passed;
            report.push_str(&format!("wrote DONE.md: {}, {left_out} left out\n", count(passed, "check")));
            report.extend(old.map(|name| format!("the old one is {name}\n")));
            if let Some(above) = destination::above(root) {
                let above = above.display();
                report.push_str(&format!("{above} does not apply to work that begins in this directory any more\n"));
            }
            report.push_str("Read it, then connect your client with `rg-install`\n");
            Exit::Yes
        }
    };
    pipes::write(report.as_bytes())?;
    Ok(exit)
}

/// The line about a check in the report.
fn line(check: &proposal::Proposal) -> String {
    let what = match &check.trial {
        Trial::Passed(seconds) if check.kind == CheckKind::Test && !check.has_evidence => {
            format!("passed ({}), and reported no test: `kind: test` is left out", clock::human(*seconds))
        }
        Trial::Passed(seconds) => format!("passed ({})", clock::human(*seconds)),
        Trial::LeftOut(why) => format!("left out: {}", one_line(why)),
        Trial::Untried => "not tried".to_string(),
    };
    format!("{}: {}: {what}\n", check.name, one_line(&check.run))
}

/// Makes sure that the text means what was tried.
fn verify(plan: &Plan, text: &str, root: &Path) -> Result<()> {
    let done = donefile::parse("DONE.md", text.as_bytes(), root)
        .map_err(|error| Error::bug(format!("the new DONE.md is not valid: {error}")))?;
    let wanted = plan.checks.iter().filter(|check| check.has_passed());
    let is_same = done.checks.iter().map(|check| (&check.name, &check.run)).eq(wanted.map(|c| (&c.name, &c.run)));
    if is_same { Ok(()) } else { Err(Error::bug("the new DONE.md has other checks than those that passed")) }
}
