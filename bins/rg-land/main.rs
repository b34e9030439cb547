//! rg-land: land exactly the commit that was verified.
//!
//! Fetches, integrates in a scratch worktree, verifies what came of it, journals its id (land.jsonl), pushes it if nobody was
//! faster, then moves the local base. Killed anywhere and run again it finishes or starts over.
//! man: rg-land(1)

mod integrate;
mod landings;
mod local;
mod plan;
mod receipts;
mod record;
mod remote;
mod upstream;
mod verify;

use plan::Plan;
use review_gate::donefile::Land;
use review_gate::store::record::{Landed, Landing};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::lock;
use review_gate::sys::process;
use review_gate::sys::text::count;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
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

/// How long another landing in this repository is waited for.
const PATIENCE: Duration = Duration::from_secs(1800);

/// How long nothing is said of it.
const BRIEFLY: Duration = Duration::from_millis(300);

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
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
    let mut asked = Asked::default();
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Operand(word) if asked.branch.is_none() => asked.branch = Some(word.clone()),
            Flag::Long(name) => match name.as_str() {
                "base" => asked.base = Some(args.value()?),
                "dry-run" => asked.dry_run = true,
                "keep" => asked.keep = true,
                "no-push" => asked.no_push = true,
                "squash" => asked.squash = true,
                _ => return Err(args.unknown(&flag)),
            },
            _ => return Err(args.unknown(&flag)),
        }
    }
    process::end_with_us();
    let mut plan = Plan::of(args, &asked)?;
    let path = plan.state.dir().join("land.lock");
    plan.state.make_parent(&path)?;
    let _lock = lock::take(&path, BRIEFLY).or_else(|_| {
        cli::progress(&format!("{}: another landing is under way in this repository, waiting ...", TOOL.name));
        lock::take(&path, PATIENCE)
    })?;
    // What was true before we waited may not be any more.
    plan.refresh()?;
    integrate::clear(&plan)?;
    let done = land(&mut plan, &asked);
    // Whether it landed is not for what is left over to say; the next run takes that away.
    if let Err(error) = integrate::clear(&plan) {
        cli::complain(&TOOL, &error.to_string());
    }
    done
}

fn land(plan: &mut Plan, asked: &Asked) -> Result<Exit> {
    let mut upstream = upstream::fetch(plan)?;
    if let Some(landing) = record::landed(plan, &upstream)? {
        let how = "was landed before";
        return if asked.dry_run { landed(plan, &landing, how) } else { finish(plan, asked, &landing, how) };
    }
    // A branch that somebody deleted lands no more, whatever was begun.
    if plan.gone {
        return Err(Error::usage(format!("no such branch: {}", plan.short())));
    }
    plan.is_clean()?;
    if plan.repository.descends(&upstream, &plan.tip)? {
        return say(format!("nothing to land: {} holds all of {}", plan.base, plan.short()));
    }
    let mut races = 0;
    loop {
        upstream::is_grown(plan, &upstream)?;
        let integrated = integrate::onto(plan, &upstream, asked.squash)?;
        let new = &integrated.new;
        if *new == upstream {
            return say(format!("nothing is left to land: {} holds all changes of {}", plan.base, plan.short()));
        }
        let (land, verified) = verify::verified(plan, &upstream, &integrated)?;
        if asked.dry_run {
            return say(format!("would land {} on {} ({})", short(new), plan.base, verified.words()));
        }
        if !plan.repository.descends(new, &upstream)? {
            return Err(Error::unverified(format!("{new} does not descend from {upstream}: not landed")));
        }
        let landing = record::landing(plan, &upstream, new, &verified);
        record::write(plan, landing.clone())?;
        match upstream::push(plan, &upstream, new)? {
            Pushed::Landed => return finish(plan, asked, &landing, &verified.words()),
            Pushed::Lost(now) => upstream = now,
        }
        races += 1;
        lost(plan, races, &land)?;
    }
}

/// Somebody was faster: once more, while that is allowed.
fn lost(plan: &Plan, races: u32, land: &Land) -> Result<()> {
    if races > land.retries {
        let times = count(races as usize, "time");
        return Err(Error::refused(format!("{} moved on {times} meanwhile: not landed, run it again", plan.base)));
    }
    cli::progress(&format!("{}: {} moved on, once more ...", TOOL.name, plan.base));
    Ok(())
}

/// It is on the base: what is left to do here. Nothing of it can undo the landing.
fn finish(plan: &mut Plan, asked: &Asked, landing: &Landing, how: &str) -> Result<Exit> {
    plan.look_around()?;
    let mut left: Vec<String> = local::move_base(plan, &landing.new)?.into_iter().collect();
    local::keep_original(plan, landing)?;
    if !asked.keep {
        left.extend(local::take_away(plan)?);
    }
    record::write(plan, Landed(landing.clone()))?;
    for words in left {
        cli::complain(&TOOL, &words);
    }
    landed(plan, landing, how)
}

fn landed(plan: &Plan, landing: &Landing, how: &str) -> Result<Exit> {
    say(format!("landed {} on {} ({how})", short(&landing.new), plan.base))
}

fn say(words: String) -> Result<Exit> {
    pipes::write((words + "\n").as_bytes())?;
    Ok(Exit::Yes)
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
