//! What may run, and may lose work: before it a copy of the work tree is kept, which rg-rescue(1) gives back.

use crate::losses::{self, Loss};
use crate::rules::Level;
use crate::run::Call;
use crate::verdict::{Finding, shown};
use crate::world::World;
use review_gate::event::Client;
use review_gate::git::Repository;
use review_gate::rescue::{self, Kind, Wish};
use review_gate::store::record::Rescued;
use review_gate::store::state::State;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::redact::redact;
use review_gate::sys::text::{count, cut_end, one_line};
use std::fs;
use std::path::Path;

/// The most that a copy which nobody asked for may have to write, in bytes.
const MOST: u64 = 512 << 20;

/// How many work trees one call may put at risk before nobody follows any more.
const TREES: usize = 8;

/// How much of a command is written down, in characters.
const KEPT: usize = 200;

/// A command that may lose work.
#[derive(Clone, Debug)]
pub struct Risk {
    /// As it would run.
    command: String,
    /// What may go.
    loss: Loss,
}

/// Notes what a command of a call that is being judged may lose.
pub fn note(call: &Call, world: &World) {
    let mut risks = world.risks.borrow_mut();
    for loss in losses::of(call, world) {
        match risks.iter().position(|risk| risk.loss.top == loss.top) {
            Some(at) => risks[at].loss.paths.extend(loss.paths),
            None if risks.len() <= TREES => {
                risks.push(Risk { command: cut_end(&redact(&shown(call)), KEPT), loss });
            }
            None => {}
        }
    }
}

/// A copy that was kept.
pub struct Kept {
    id: String,
    risk: Risk,
}

/// Keeps a copy of every work tree that is at risk. Where one cannot be kept the call does not run; where it is only too much, a
/// person is asked.
pub fn keep(world: &World) -> std::result::Result<Vec<Kept>, Box<Finding>> {
    let risks = world.risks.take();
    if risks.len() > TREES {
        let why = format!("it may lose work in more than {TREES} work trees, and of so many no copy is kept");
        return Err(Box::new(Finding::of_text("rescue-failed", why, "one after the other")));
    }
    risks
        .into_iter()
        .map(|risk| one(&risk).map(|id| Kept { id, risk: risk.clone() }).map_err(|e| Box::new(failed(&risk, &e))))
        .collect()
}

fn one(risk: &Risk) -> Result<String> {
    let top = &risk.loss.top;
    let why = format!("before: {}", risk.command);
    let wish = Wish { by: crate::TOOL.name, why: &why, most: Some(MOST), ..Wish::default() };
    let taken = rescue::take(top, &State::of(top)?, &wish)?;
    let goes = |path: &Path| risk.loss.paths.iter().any(|gone| path.starts_with(gone) || gone.starts_with(path));
    for odd in &taken.held.beside.odd {
        let path = top.join(&odd.path);
        match odd.kind {
            Kind::Left if goes(&path) => {
                return Err(Error::unreadable(
                    &path,
                    format!("{} cannot be copied", one_line(&path.to_string_lossy())),
                ));
            }
            Kind::Repository if goes(&path) => inside(&path, &wish)?,
            _ => {}
        }
    }
    Ok(taken.id)
}

/// A repository inside of what goes. A submodule's own records stay behind, and take a copy; any other's go with it.
fn inside(path: &Path, wish: &Wish<'_>) -> Result<()> {
    let Some(inner) = Repository::at(path) else { return Ok(()) };
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if !real(&inner.common_dir).starts_with(real(path)) {
        return rescue::take(path, &State::of(path)?, wish).map(drop);
    }
    let status = inner.status()?;
    let files = status.staged.len() + status.unstaged.len() + status.untracked.len();
    let unpushed = inner.line(&["rev-list", "--max-count=1", "--all", "--not", "--remotes"])?.is_some();
    let what = match (files, unpushed) {
        (0, false) => return Ok(()),
        (0, true) => "commits that no remote has".to_string(),
        (files, _) => format!("{} not committed", count(files, "file")),
    };
    let name = one_line(&path.to_string_lossy());
    Err(Error::refused(format!("{name} is a repository of its own with {what}, which go with it")))
}

fn failed(risk: &Risk, error: &Error) -> Finding {
    let level = if *error.kind() == ErrorKind::Refused { Level::Ask } else { Level::Deny };
    let why = format!("it may lose work, and no copy of {} could be kept first ({error})", risk.loss.top.display());
    let instead = "keep one by hand: `rg-rescue save`, or move it away: `mv vendor /tmp/`";
    Finding { level, command: risk.command.clone(), ..Finding::of_text("rescue-failed", why, instead) }
}

/// Where copies were kept stands in the task's journal, where a session has one. That it cannot be written changes nothing.
pub fn write_down(session: &str, agent: &str, tool: &str, kept: &[Kept]) -> Result<()> {
    if kept.is_empty() {
        return Ok(());
    }
    let Some((state, task)) = crate::definition::task_of(Client::Claude, session)? else { return Ok(()) };
    for Kept { id, risk } in kept {
        let rescued = Rescued {
            session: session.to_string(),
            agent: agent.to_string(),
            tool: tool.to_string(),
            backup: id.to_string(),
            worktree: risk.loss.top.clone(),
            input: risk.command.clone(),
        };
        state.append(&state.task(&task), crate::TOOL.name, rescued)?;
    }
    Ok(())
}
