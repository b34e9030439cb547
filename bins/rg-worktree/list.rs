//! `list`: prints every worktree except the main one, and what would be lost with it.

use crate::inspect;
use crate::losses::Losses;
use crate::place::{self, Place};
use review_gate::git::WorkTree;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::one_line;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use serde_json::json;

const GONE: &str = "its directory is gone";

/// Prints the worktrees.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut as_json = false;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "json" => as_json = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let place = Place::of(args)?;
    let mut out = String::new();
    for tree in &place.linked {
        let branch = match &tree.branch {
            Some(branch) => branch.trim_start_matches("refs/heads/").to_string(),
            None => "(detached)".to_string(),
        };
        let losses = inspect::of(&place, tree);
        if as_json {
            out.push_str(&fields(tree, losses));
            continue;
        }
        let words = match losses {
            Ok(losses) if place::has_no_files(tree) && losses.is_none() => GONE.to_string(),
            Ok(losses) if place::has_no_files(tree) => format!("{GONE}; {}", losses.words()),
            Ok(losses) if losses.is_none() => "nothing to lose".to_string(),
            Ok(losses) => losses.words(),
            Err(error) => error.to_string(),
        };
        out.push_str(&format!("{branch}  {}  {words}\n", one_line(&tree.path.to_string_lossy())));
    }
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// A worktree as one JSON object in a line.
fn fields(tree: &WorkTree, losses: Result<Losses>) -> String {
    let (losses, error) = match losses {
        Ok(losses) => (Some(losses), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let fields = json!({
        "path": tree.path.to_string_lossy(),
        "branch": tree.branch,
        "head": tree.head,
        "gone": place::has_no_files(tree),
        "losses": losses.map(|losses| losses.all()),
        "error": error,
    });
    format!("{fields}\n")
}
