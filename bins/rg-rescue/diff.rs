//! `diff`: prints what changed since a backup.

use crate::backups::Backups;
use crate::plan::Scope;
use crate::{TOOL, restore};
use review_gate::rescue::{self, BackupOptions};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

/// Prints the patch; status 1 if something changed.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (from, paths) = restore::operands(args)?;
    let backups = Backups::here(args)?;
    let copy = backups.one(from.as_deref())?;
    let scope = Scope::of(&backups.store.top, &args.dir()?, &paths)?;
    let wish = BackupOptions { by: TOOL.name, ignored: copy.info.ignored, ..BackupOptions::default() };
    let now = rescue::tree_of(&backups.root, &backups.state, &wish)?.to_string();
    // No external diff program and no filter may run, and paths are not patterns.
    let words = ["--literal-pathspecs", "diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv"];
    let ends = ["--src-prefix=copy/", "--dst-prefix=now/", &copy.commit, &now, "--"];
    let patch = backups.store.git.git_with_paths(&[&words[..], &ends].concat(), scope.paths())?;
    pipes::write(&patch)?;
    Ok(if patch.is_empty() { Exit::Yes } else { Exit::No })
}
