//! `sync`: the exchange with other clones.

use crate::options::{Options, store};
use review_gate::git::Repository;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::talk::sync;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

/// Exchanges messages and issues with a remote.
pub fn sync(args: &Args, options: &Options) -> Result<Exit> {
    let remote = sync::remote(&options.operands)?;
    let repository = Repository::discover(&args.dir()?)?;
    let done = sync::exchange(&repository, &store(args)?.talk, remote)?;
    if !options.quiet {
        pipes::write(done.line(options.json).as_bytes())?;
    }
    Ok(Exit::Yes)
}
