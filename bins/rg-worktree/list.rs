//! `list`: every worktree beside the main one, and what would be lost with it.

use crate::inspect;
use crate::place::{self, Place};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::one_line;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

const GONE: &str = "its directory is gone";

/// Prints them.
pub fn run(args: &mut Args) -> Result<Exit> {
    if let Some(flag) = args.flag()? {
        return Err(args.unknown(&flag));
    }
    let place = Place::of(args)?;
    let mut out = String::new();
    for tree in &place.linked {
        let branch = match &tree.branch {
            Some(branch) => branch.trim_start_matches("refs/heads/").to_string(),
            None => "(detached)".to_string(),
        };
        let words = match inspect::of(&place, tree) {
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
