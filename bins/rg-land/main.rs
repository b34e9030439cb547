//! rg-land: land exactly the commit that was verified.
//!
//! Fetches the base, integrates the branch in a scratch worktree, verifies the resulting commit, records it in land.jsonl, pushes it,
//! and moves the local base. Safe to rerun after a crash.
//! man: rg-land(1)

mod checkout;
mod environment;
mod integrate;
mod issues;
mod judges;
mod landings;
mod local;
mod plan;
mod receipts;
mod record;
mod remote;
mod review;
mod settings;
mod upstream;
mod verify;

use local::Step;
use plan::Plan;
use review_gate::donefile::Land;
use review_gate::store::record::{Landed, Landing};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::lock;
use review_gate::sys::process;
use review_gate::sys::scrub;
use review_gate::sys::text::count;
use review_gate::talk::announcement::announce;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
use review_gate::wiring::shell_quoted;
use std::process::ExitCode;
use std::time::Duration;
use upstream::Pushed;

const TOOL: Tool = Tool {
    name: "rg-land",
    about: "land exactly the commit that was verified",
    hint: "rg-land --dry-run",
    forms: &[Form { takes: &["base", "dry-run", "keep", "no-push", "squash"], operands: "[branch]", ..Form::BARE }],
    options: &[
        Opt::with("base", "branch", "The branch to land on."),
        Opt::flag("dry-run", "Print what would be done; change nothing."),
        Opt::flag("keep", "Keep the branch and its worktree afterwards."),
        Opt::flag("no-push", "Move only the local base."),
        Opt::flag("squash", "Land one commit."),
    ],
};

/// How long to wait for another landing in this repository.
const PATIENCE: Duration = Duration::from_secs(1800);

/// How long to wait before printing that another landing is under way.
const BRIEFLY: Duration = Duration::from_millis(300);

/// The parsed options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--base`
    pub base: Option<String>,
    /// `--dry-run`
    pub dry_run: bool,
    /// `--keep`
    pub keep: bool,
    /// `--no-push`
    pub no_push: bool,
    /// `--squash`
    pub squash: bool,
    /// The branch.
    pub branch: Option<String>,
}

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let mut options = Options::default();
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Operand(word) if options.branch.is_none() => options.branch = Some(word.clone()),
            Flag::Long(name) => match name.as_str() {
                "base" => options.base = Some(args.value()?),
                "dry-run" => options.dry_run = true,
                "keep" => options.keep = true,
                "no-push" => options.no_push = true,
                "squash" => options.squash = true,
                _ => return Err(args.unknown(&flag)),
            },
            _ => return Err(args.unknown(&flag)),
        }
    }
    scrub::run_again()?;
    process::end_children_on_signal();
    let mut plan = Plan::of(args, &options)?;
    let path = plan.state.dir().join("land.lock");
    plan.state.make_parent(&path)?;
    let _lock = lock::take(&path, BRIEFLY).or_else(|_| {
        cli::progress(&format!("{}: another landing is under way in this repository, waiting ...", TOOL.name));
        lock::take(&path, PATIENCE)
    })?;
    // Branches may have moved while this process waited for the lock.
    plan.refresh()?;
    integrate::clear(&plan)?;
    let done = land(&mut plan, &options);
    // A failed clean-up does not change whether the commit landed; the next run removes the rest.
    if let Err(error) = integrate::clear(&plan) {
        cli::print_error(&TOOL, &error.to_string());
    }
    done
}

fn land(plan: &mut Plan, options: &Options) -> Result<Exit> {
    let mut upstream = upstream::fetch(plan)?;
    if let Some(landing) = record::earlier_landing(plan, &upstream)? {
        let how = "landed earlier";
        let steps = Vec::new();
        return if options.dry_run {
            landed(plan, &landing, how, steps)
        } else {
            finish(plan, options, &landing, how, steps)
        };
    }
    // A deleted branch does not land, even if an earlier landing of it was interrupted.
    if plan.is_gone {
        return Err(Error::usage(format!("no such branch: {}", plan.short())));
    }
    plan.require_clean()?;
    if plan.repository.is_descendant(&upstream, &plan.tip)? {
        return print(format!("nothing to land: {} contains all commits of {}", plan.base, plan.short()));
    }
    let mut races = 0;
    loop {
        upstream::refuse_unpushed(plan, &upstream)?;
        let integrated = integrate::onto(plan, &upstream, options.squash)?;
        let new = &integrated.new;
        if *new == upstream {
            return print(format!("nothing to land: {} contains all changes of {}", plan.base, plan.short()));
        }
        let (land, verified) = verify::verified(plan, &upstream, &integrated)?;
        if options.dry_run {
            let proof = proof_command(plan);
            return print(format!(
                "would land {} on {} ({})\n  `{proof}` finds out what the tests prove about it",
                short(new),
                plan.base,
                verified.words()
            ));
        }
        if !plan.repository.is_descendant(new, &upstream)? {
            return Err(Error::unverified(format!("not landed: {new} does not descend from {upstream}")));
        }
        let landing = record::landing(plan, &upstream, new, &verified);
        record::write(plan, landing.clone())?;
        match upstream::push(plan, &upstream, new)? {
            Pushed::Landed(pushed) => {
                let steps = vec![integrated.step(plan, &upstream, options.squash), pushed];
                return finish(plan, options, &landing, &verified.words(), steps);
            }
            Pushed::Overtaken(now) => upstream = now,
        }
        races += 1;
        retry(plan, races, &land)?;
    }
}

/// The command that proves the change of the branch.
fn proof_command(plan: &Plan) -> String {
    let tree = plan.trees_of(&plan.branch).into_iter().next().filter(|tree| !plan::is_in(&plan.dir, tree));
    let place = tree.map(|tree| format!(" -C {}", shell_quoted(&tree.path.to_string_lossy()))).unwrap_or_default();
    format!("rg-prove --now{place} --against {}", plan.base)
}

/// Another push moved the base first: allows another attempt, up to `land.retries`.
fn retry(plan: &Plan, races: u32, land: &Land) -> Result<()> {
    if races > land.retries {
        let times = count(races as usize, "time");
        return Err(Error::refused(format!(
            "not landed: {} moved {times} during the landing. Run rg-land again",
            plan.base
        )));
    }
    cli::progress(&format!("{}: {} has moved, retrying ...", TOOL.name, plan.base));
    Ok(())
}

/// Updates the local repository after the commit landed. No failure here undoes the landing.
fn finish(plan: &mut Plan, options: &Options, landing: &Landing, how: &str, mut steps: Vec<Step>) -> Result<Exit> {
    plan.refresh_worktrees()?;
    steps.push(local::move_base(plan, &landing.new)?);
    steps.push(local::keep_original(plan, landing)?);
    if !options.keep {
        steps.push(local::remove_branch(plan)?);
    }
    record::write(plan, Landed(landing.clone()))?;
    steps.push(issues::close(plan, &landing.new));
    let name = plan.repository.top.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let branch = landing.branch.trim_start_matches("refs/heads/");
    let text = format!("LANDED {branch} sha:{}", landing.new);
    announce(&plan.repository.top, &format!("project:{name}"), "land", &text);
    landed(plan, landing, how, steps)
}

/// Prints that the commit landed and what was done. What was not done goes to standard error.
fn landed(plan: &Plan, landing: &Landing, how: &str, steps: Vec<Step>) -> Result<Exit> {
    let mut words = format!("landed {} on {} ({how})", short(&landing.new), plan.base);
    for step in steps {
        match step {
            Step::Nothing => {}
            Step::Done(done) => words.push_str(&format!("\n  {done}")),
            Step::Left(left) => cli::print_error(&TOOL, &left),
        }
    }
    print(words)
}

fn print(words: String) -> Result<Exit> {
    pipes::write((words + "\n").as_bytes())?;
    Ok(Exit::Yes)
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
