//! `rg-anchor show`: prints the whole summary of a task, or with `--prompts` the user's prompts.

use crate::layout;
use crate::summary::Summary;
use review_gate::snapshot::workspace;
use review_gate::store::state::State;
use review_gate::store::task;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::plain;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// Prints the summary or the prompts.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (mut id, mut only_prompts) = (None, false);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "task" => id = Some(args.value()?),
            Flag::Long(name) if name == "prompts" => only_prompts = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let summary = Summary::of(&task::named_or_open(&state, id)?);
    let out = match only_prompts {
        true => summary.prompts.iter().map(|prompt| plain(prompt.as_bytes()) + "\n").collect::<Vec<_>>().join("\n"),
        false => layout::whole(&summary),
    };
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}
