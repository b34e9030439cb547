//! `sync`: the exchange with other clones.

use crate::options::{Options, place};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::talk::sync;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

/// Exchanges messages and issues with a remote.
pub fn sync(args: &Args, options: &Options) -> Result<Exit> {
    let remote = sync::remote(&options.operands)?;
    let (talk, repository) = place(args)?;
    let repository = repository.ok_or_else(|| Error::usage("this is not a git repository"))?;
    let done = sync::exchange(&repository, &talk, remote)?;
    if !options.quiet {
        pipes::write(done.line(options.json).as_bytes())?;
    }
    Ok(Exit::Yes)
}
