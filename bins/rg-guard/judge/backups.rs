//! Backups of work trees before a command that may lose work. rg-rescue(1) restores them.

use super::losses::{self, Loss, Questions};
use super::refusal::{Refusal, command_line};
use crate::command::Call;
use crate::rules::{Context, Level};
use review_gate::git::Repository;
use review_gate::rescue::{self, BackupOptions, Kind};
use review_gate::store::state::State;
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::redact::redact;
use review_gate::sys::text::{count, cut_end, one_line};
use std::fs;
use std::path::{Path, PathBuf};

/// The most that one backup may write, in bytes. Beyond it the user is asked.
const MAX_BYTES: u64 = 512 << 20;

/// The most work trees that one tool call may put at risk.
const MAX_TREES: usize = 8;

/// How much of a command is recorded, in characters.
const MAX_COMMAND: usize = 200;

/// A command that may lose work.
#[derive(Clone, Debug)]
struct Risk {
    /// The command as it would run.
    command: String,
    loss: Loss,
}

/// What one tool call may lose.
#[derive(Debug, Default)]
pub struct Risks {
    risks: Vec<Risk>,
    questions: Questions,
}

/// A backup that was taken.
pub struct Backup {
    pub id: String,
    pub worktree: PathBuf,
    /// The command that it was taken for.
    pub command: String,
}

impl Risks {
    /// Adds what a simple command may lose.
    pub fn note(&mut self, call: &Call, context: &Context) {
        for loss in losses::find(call, context, &mut self.questions) {
            match self.risks.iter().position(|risk| risk.loss.top == loss.top) {
                Some(at) => self.risks[at].loss.paths.extend(loss.paths),
                None if self.risks.len() <= MAX_TREES => {
                    self.risks.push(Risk { command: cut_end(&redact(&command_line(call)), MAX_COMMAND), loss });
                }
                None => {}
            }
        }
    }

    /// Takes a backup of every work tree at risk. Where one fails the call is denied; where one is too large the user is asked.
    pub fn back_up(self, tool: &str) -> std::result::Result<Vec<Backup>, Box<Refusal>> {
        if self.risks.len() > MAX_TREES {
            let reason = format!("it may lose work in more than {MAX_TREES} work trees, the most that are backed up");
            return Err(Box::new(Refusal::new("rescue-failed", reason, "run it for one work tree at a time")));
        }
        let backup = |risk: Risk| match back_up(&risk, tool) {
            Ok(id) => Ok(Backup { id, worktree: risk.loss.top, command: risk.command }),
            Err(error) => Err(Box::new(failure(&risk, &error))),
        };
        self.risks.into_iter().map(backup).collect()
    }
}

fn back_up(risk: &Risk, tool: &str) -> Result<String> {
    let top = &risk.loss.top;
    let why = format!("before: {}", risk.command);
    let wish = BackupOptions { by: tool, why: &why, most: Some(MAX_BYTES), ..BackupOptions::default() };
    let taken = rescue::take(top, &State::of(top)?, &wish)?;
    let is_lost = |path: &Path| risk.loss.paths.iter().any(|lost| path.starts_with(lost) || lost.starts_with(path));
    for odd in &taken.files.metadata.entries {
        let path = top.join(&odd.path);
        match odd.kind {
            Kind::NotCopied if is_lost(&path) => {
                return Err(Error::unreadable(
                    &path,
                    format!("{} cannot be copied", one_line(&path.to_string_lossy())),
                ));
            }
            Kind::Repository if is_lost(&path) => back_up_nested(&path, &wish)?,
            _ => {}
        }
    }
    Ok(taken.id)
}

/// A repository inside of what is lost. A submodule's git directory lies outside of it, and keeps a backup; any other nested
/// repository is lost with its git directory, so it must have nothing that exists only there.
fn back_up_nested(path: &Path, wish: &BackupOptions<'_>) -> Result<()> {
    let Some(nested) = Repository::at(path) else { return Ok(()) };
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if !real(&nested.common_dir).starts_with(real(path)) {
        return rescue::take(path, &State::of(path)?, wish).map(drop);
    }
    let status = nested.status()?;
    let files = status.staged.len() + status.unstaged.len() + status.untracked.len();
    let has_unpushed = nested.line(&["rev-list", "--max-count=1", "--all", "--not", "--remotes"])?.is_some();
    let what = match (files, has_unpushed) {
        (0, false) => return Ok(()),
        (0, true) => "unpushed commits".to_string(),
        (files, _) => format!("{} not committed", count(files, "file")),
    };
    let name = one_line(&path.to_string_lossy());
    Err(Error::refused(format!("{name} is a nested repository with {what}, which would be lost")))
}

fn failure(risk: &Risk, error: &Error) -> Refusal {
    let level = if *error.kind() == ErrorKind::Refused { Level::Ask } else { Level::Deny };
    let reason = format!("it may lose work, and {} could not be backed up ({error})", risk.loss.top.display());
    let instead = "take a backup: `rg-rescue save`, or move the files away: `mv vendor /tmp/`";
    Refusal { level, command: risk.command.clone(), ..Refusal::new("rescue-failed", reason, instead) }
}
