//! `init` and `clean`: the files of issues.

use crate::options::{Options, store};
use crate::print;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::count;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

/// How long ago an issue must have ended, in seconds.
const AGE: f64 = 30.0 * clock::DAY;

/// Creates the talk directory.
pub fn init(args: &Args, options: &Options) -> Result<Exit> {
    options.operands(args, [])?;
    store(args)?.talk.init()?;
    Ok(Exit::Yes)
}

/// Moves the issues that ended long ago to the file of old issues.
pub fn clean(args: &Args, options: &Options) -> Result<Exit> {
    options.operands(args, [])?;
    let store = store(args)?;
    let before = clock::now().plus(-options.age.unwrap_or(AGE));
    let moved = if options.dry_run { store.old(before)? } else { store.set_aside(before)? };
    if options.quiet {
        for id in &moved {
            print::id(id)?;
        }
    } else {
        let done = if options.dry_run { "would set aside" } else { "set aside" };
        let line = format!("{done} {}; rg-issue list --all prints them\n", count(moved.len(), "issue"));
        pipes::write(line.as_bytes())?;
    }
    Ok(Exit::Yes)
}
