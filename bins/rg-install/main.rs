//! rg-install: add the hooks to the settings of a client, or remove them.
//!
//! Edits the settings file in place, keeps everything else in it, and records its earlier text.
//! man: rg-install(1)

mod jsonc;
mod linking;
mod settings;
mod wiring;

use review_gate::snapshot;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
use std::path::PathBuf;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-install",
    about: "add the hooks to the settings of a client, or remove them",
    hint: "rg-install claude",
    forms: &[Form { takes: &["dry-run", "global", "uninstall"], operands: "client", ..Form::BARE }],
    options: &[
        Opt::flag("dry-run", "Print the settings file as it would be; write nothing."),
        Opt::flag("global", "Edit the user's settings instead of the project's."),
        Opt::flag("uninstall", "Remove the hooks."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

fn run(args: &mut Args) -> Result<Exit> {
    let (mut client, mut global, mut uninstall, mut dry) = (None, false, false, false);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Operand(word) if client.is_none() => client = Some(word.clone()),
            Flag::Long(name) if name == "global" => global = true,
            Flag::Long(name) if name == "uninstall" => uninstall = true,
            Flag::Long(name) if name == "dry-run" => dry = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    match client.as_deref() {
        Some("claude") => {}
        Some(other) => return Err(args.wrong(&format!("unknown client {other:?}. Known clients: claude"))),
        None => return Err(args.wrong("rg-install needs a client. Known clients: claude")),
    }
    let path = settings_path(args, global)?;
    let before = settings::read(&path)?;
    let after = if uninstall { settings::without(&path, &before)? } else { settings::with(&path, &before)? };
    let mut said = match (after == before, uninstall) {
        (true, true) => format!("no review-gate hooks in {}\n", path.display()),
        (true, false) => format!("already wired: {}\n", path.display()),
        (false, true) => format!("removed the hooks from {}\n", path.display()),
        (false, false) => format!("wired {}: {}\n", path.display(), wiring::events()?.join(", ")),
    };
    if dry {
        pipes::write(after.unwrap_or_default().as_bytes())?;
        return Ok(Exit::Yes);
    }
    if after != before {
        settings::write(&path, before.as_deref(), after.as_deref(), uninstall)?;
    }
    if after != before && !uninstall && !global {
        said.push_str("Claude Code runs the hooks once you trust this folder; it asks in a terminal.\n");
    }
    pipes::write(said.as_bytes())?;
    if !uninstall && wiring::has_dynamic_program()? {
        let cost = "dynamically linked programs: a stop takes about four times the processor time of static ones";
        cli::print_error(&TOOL, &format!("{cost}. Install static ones with `cargo xtask install`"));
    }
    Ok(Exit::Yes)
}

/// The client's settings file: of the project that contains the directory, or of the user.
fn settings_path(args: &Args, global: bool) -> Result<PathBuf> {
    if !global {
        return Ok(snapshot::top_of(&args.dir()?).join(".claude/settings.json"));
    }
    let home = env::claude_config_dir().or_else(|| Some(env::home()?.join(".claude")));
    home.map(|home| home.join("settings.json")).ok_or_else(|| Error::missing("--global: HOME is not set"))
}
