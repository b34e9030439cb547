//! `diff`: what changed since a copy was taken.

use crate::plan::Scope;
use crate::which::Kept;
use crate::{TOOL, restore};
use review_gate::rescue::{self, Wish};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

/// Status 1 where something did.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (from, paths) = restore::operands(args)?;
    let kept = Kept::here(args)?;
    let copy = kept.one(from.as_deref())?;
    let scope = Scope::of(&kept.store.top, &args.dir()?, &paths)?;
    let wish = Wish { by: TOOL.name, ignored: copy.about.ignored, ..Wish::default() };
    let now = rescue::tree_of(&kept.root, &kept.state, &wish)?.to_string();
    // Neither a program of the user's nor a driver stands between, and no path is a pattern.
    let words = ["--literal-pathspecs", "diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv"];
    let ends = ["--src-prefix=copy/", "--dst-prefix=now/", &copy.commit, &now, "--"];
    let patch = kept.store.git.git_over(&[&words[..], &ends].concat(), scope.paths())?;
    pipes::write(&patch)?;
    Ok(if patch.is_empty() { Exit::Yes } else { Exit::No })
}
