//! What may run, and may lose work: before it a copy of the work tree is kept, which rg-rescue(1) gives back.
//!
//! Only commands that can lose files of a work tree are looked at twice; for any other call this costs a comparison of names.

use crate::rules::{self, Level, files};
use crate::run::{Call, marks, place, search_at};
use crate::verdict::{Finding, shown};
use crate::world::World;
use review_gate::error::{Error, Result};
use review_gate::event::Client;
use review_gate::exit::Exit;
use review_gate::git::Repository;
use review_gate::redact::redact;
use review_gate::rescue::{self, Wish};
use review_gate::snapshot::HiddenToday;
use review_gate::state::State;
use review_gate::text::cut_end;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

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
    /// The work tree.
    top: PathBuf,
}

/// Notes what a command of a call that is being judged may lose.
pub fn note(call: &Call, world: &World) {
    if call.away {
        return;
    }
    let tops: Vec<PathBuf> = match call.name.as_str() {
        "git" if call.args.first().is_some_and(|arg| arg.text == "worktree") => removed_trees(call),
        "git" if git(call, world) => {
            Repository::find(Path::new(&call.cwd)).map(|repository| repository.top).into_iter().collect()
        }
        "git" => return,
        "find" | "gfind" | "bfs" => swept(call),
        _ => match files::removed(call) {
            Some((paths, _)) => {
                let is_new = |path: &&str| world.asked.borrow_mut().insert((call.cwd.clone(), path.to_string()));
                paths.into_iter().filter(is_new).filter_map(|path| lost(call, path, false)).collect()
            }
            None => return,
        },
    };
    let mut risks = world.risks.borrow_mut();
    for top in tops {
        if risks.len() <= TREES && !risks.iter().any(|risk| risk.top == top) {
            risks.push(Risk { command: cut_end(&redact(&shown(call)), KEPT), top });
        }
    }
}

/// The work trees that `git worktree remove --force` takes away.
fn removed_trees(call: &Call) -> Vec<PathBuf> {
    let words = || call.args.iter().skip(1).map(|arg| arg.text.as_str());
    if words().next() != Some("remove") || !words().any(|word| matches!(word, "-f" | "--force" | "-ff")) {
        return Vec::new();
    }
    words().skip(1).filter(|word| !word.starts_with('-')).filter_map(|path| lost(call, path, true)).collect()
}

/// Whether a command of git may lose what is not committed.
fn git(call: &Call, world: &World) -> bool {
    let Some(verb) = call.args.first().map(|arg| arg.text.as_str()) else { return false };
    let has = |options: &[&str]| call.args.iter().any(|arg| options.contains(&arg.text.as_str()));
    let ruled = |ids: &[&str]| ids.iter().any(|id| rules::named(id).is_some_and(|rule| rule.applies(call, world)));
    if has(&["--help", "-h"]) {
        return false;
    }
    match verb {
        "reset" => ruled(&["git-reset-hard"]) || has(&["--keep"]),
        "checkout" => ruled(&["git-checkout-discard", "git-checkout-file"]),
        "restore" => ruled(&["git-restore-discard"]),
        "switch" => ruled(&["git-switch-discard"]),
        "clean" => ruled(&["git-clean"]),
        "checkout-index" | "read-tree" => ruled(&["git-overwrite"]),
        "rm" => !has(&["--cached", "-n", "--dry-run"]),
        "rebase" => !has(&["--continue", "--edit-todo", "--show-current-patch"]),
        "merge" | "cherry-pick" | "revert" | "am" => has(&["--abort", "--quit", "--skip"]),
        "pull" => has(&["--rebase", "-r", "--autostash"]),
        "filter-branch" | "filter-repo" => true,
        _ => false,
    }
}

/// The work trees that a search takes files away from.
fn swept(call: &Call) -> Vec<PathBuf> {
    let Some(at) = call.args.iter().position(|arg| arg.text == "-delete") else { return Vec::new() };
    search_at(call, at).places.iter().filter_map(|path| lost(call, path, true)).collect()
}

/// The work tree that loses a path, or, where that itself stays, what is in it; None where nothing is there, or only what is ignored and made again.
fn lost(call: &Call, path: &str, stays: bool) -> Option<PathBuf> {
    let whole = place::join(&call.cwd, &marks::plain(path));
    let known: PathBuf = Path::new(&whole)
        .components()
        .take_while(|part| {
            !part.as_os_str().to_string_lossy().contains(|c: char| marks::is_mark(c) || "*?[".contains(c))
        })
        .collect();
    let is_known = known == Path::new(&whole);
    // Where nothing is, nothing is lost.
    fs::symlink_metadata(&known).ok()?;
    // Another work tree of a repository keeps its copies where it does not go itself.
    if let Some(inner) = Repository::at(&known).filter(Repository::is_linked_worktree) {
        return Some(inner.top);
    }
    // A repository inside goes with its own records; what is around it is not lost by that.
    let top = Repository::find(if is_known && !stays { known.parent()? } else { &known })?.top;
    let below = known.strip_prefix(&top).ok()?;
    // A rule may be about directories alone: what lies in one tells.
    let asked = if known.is_dir() { below.join("0") } else { below.to_path_buf() };
    let hidden = !below.as_os_str().is_empty() && HiddenToday::new(&top).hide(&asked);
    (!hidden).then_some(top)
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
    let why = format!("before: {}", risk.command);
    let wish = Wish { by: crate::TOOL.name, why: &why, most: Some(MOST), ..Wish::default() };
    Ok(rescue::take(&risk.top, &State::of(&risk.top)?, &wish)?.id)
}

fn failed(risk: &Risk, error: &Error) -> Finding {
    let level = if error.exit == Exit::No { Level::Ask } else { Level::Deny };
    let why = format!("it may lose work, and no copy of {} could be kept first ({error})", risk.top.display());
    let instead = "keep one by hand: `rg-rescue save`";
    Finding { level, command: risk.command.clone(), ..Finding::of_text("rescue-failed", why, instead) }
}

/// Where copies were kept stands in the task's journal, where a session has one. That it cannot be written changes nothing.
pub fn write_down(session: &str, agent: &str, tool: &str, kept: &[Kept]) -> Result<()> {
    if kept.is_empty() {
        return Ok(());
    }
    let Some((state, task)) = crate::definition::task_of(Client::Claude, session)? else { return Ok(()) };
    for Kept { id, risk } in kept {
        let record = json!({
            "session": session,
            "agent": agent,
            "tool": tool,
            "copy": id,
            "worktree": risk.top,
            "input": risk.command,
        });
        state.append(&state.task(&task), crate::TOOL.name, "rescued", record)?;
    }
    Ok(())
}
