//! rg-install: add the hooks to the settings of clients, or remove them.
//!
//! Edits the settings file in place, keeps everything else in it, and records its earlier text.
//! man: rg-install(1)

mod git_hooks;
mod preview;
mod settings;
mod tasks;
mod workflow;

use review_gate::donefile;
use review_gate::event::Client;
use review_gate::snapshot;
use review_gate::store::installs;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
use review_gate::wiring::clients::{CLIENTS, Wired};
use review_gate::wiring::{self, nix_store, versions};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-install",
    about: "add the hooks to the settings of clients, or remove them",
    hint: "rg-install claude",
    forms: &[Form { takes: &["dry-run", "global", "local", "uninstall"], operands: "client", ..Form::BARE }],
    options: &[
        Opt::flag("dry-run", "Print what would change in each file; write nothing."),
        Opt::flag("global", "Edit the user's settings instead of the project's."),
        Opt::flag("local", "Edit settings.local.json, which is not shared (claude only)."),
        Opt::flag("uninstall", "Remove the hooks."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, run)
}

/// The operand for the workflow of CI.
const CI: &str = "ci";

/// The operand for the hooks of git.
const GIT: &str = "git";

/// The operand for the tasks of Visual Studio Code.
const VSCODE: &str = "vscode";

/// What to do with the settings.
#[derive(Default)]
struct Request {
    is_global: bool,
    is_local: bool,
    removes: bool,
    is_dry: bool,
}

fn run(args: &mut Args) -> Result<Exit> {
    let (mut name, mut request) = (None, Request::default());
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Operand(word) if name.is_none() => name = Some(word.clone()),
            Flag::Long(name) if name == "global" => request.is_global = true,
            Flag::Long(name) if name == "local" => request.is_local = true,
            Flag::Long(name) if name == "uninstall" => request.removes = true,
            Flag::Long(name) if name == "dry-run" => request.is_dry = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let top = snapshot::top_of(&args.dir()?);
    if let Some(name @ (CI | GIT | VSCODE)) = name.as_deref() {
        if request.is_global || request.is_local {
            return Err(args.wrong(&format!("{name} is for a project: --global and --local do not apply")));
        }
        let edit = match name {
            CI => workflow::edit,
            GIT => git_hooks::edit,
            _ => tasks::edit,
        };
        if name != CI {
            keep_programs(&request)?;
        }
        return edit(&top, &request).map(|()| Exit::Yes);
    }
    let clients = named(args, name.as_deref(), &top, &request)?;
    if request.is_local && (request.is_global || clients.iter().any(|client| client.client != Client::Claude)) {
        return Err(args.wrong("--local is for the settings of claude in a project"));
    }
    keep_programs(&request)?;
    let mut edited = 0;
    for client in &clients {
        // Of all clients, those without settings have nothing to remove.
        let is_left_out =
            name.as_deref() == Some("all") && request.removes && !path_of(client, &top, &request)?.exists();
        if !is_left_out {
            edit(client, &top, &request)?;
            edited += 1;
        }
    }
    if edited == 0 {
        pipes::write(format!("no client has settings in {}\n", top.display()).as_bytes())?;
    }
    if !request.removes && !request.is_dry && !request.is_global && donefile::find(&top)?.is_none() {
        let text = format!("no DONE.md in {}: the hooks check nothing yet. Write one with `rg-init`\n", top.display());
        pipes::write(text.as_bytes())?;
    }
    if !request.removes && !request.is_dry && wiring::has_dynamic_program()? {
        let cost = "dynamically linked programs: a stop takes about four times the processor time of static ones";
        cli::print_error(&TOOL, &format!("{cost}. Install static ones with `cargo xtask install`"));
    }
    Ok(Exit::Yes)
}

/// Keeps programs that are in the Nix store from its next garbage collection.
fn keep_programs(request: &Request) -> Result<()> {
    if request.removes || request.is_dry {
        return Ok(());
    }
    let Some(package) = nix_store::unkept(wiring::bin_dir()?) else { return Ok(()) };
    let (state, _) = installs::journal()?;
    let root = nix_store::keep(&package, &state.dir().join("gcroots"))?;
    pipes::write(format!("keeps the programs in the Nix store: {}\n", root.display()).as_bytes())
}

/// The clients of that name; `all` are those that are used here, and all if the hooks are removed.
fn named(args: &Args, name: Option<&str>, top: &Path, request: &Request) -> Result<Vec<&'static Wired>> {
    let known = || {
        CLIENTS.iter().map(|client| client.client.word()).chain(["all", CI, GIT, VSCODE]).collect::<Vec<_>>().join(", ")
    };
    let Some(name) = name else {
        return Err(args.wrong(&format!("no client. Known clients: {}", known())));
    };
    if name == "all" {
        let found: Vec<&Wired> = CLIENTS.iter().filter(|client| request.removes || client.is_found(top)).collect();
        if found.is_empty() {
            let names = CLIENTS.each_ref().map(|client| client.program).join(", ");
            return Err(args.wrong(&format!(
                "no client found on PATH or by its directory: {names}. Name one, for example `rg-install claude`"
            )));
        }
        return Ok(found);
    }
    let client = CLIENTS.iter().find(|client| client.client.word() == name);
    let wrong = || args.wrong(&format!("unknown client {name:?}. Known clients: {}", known()));
    client.map(|client| vec![client]).ok_or_else(wrong)
}

/// The settings file of a client that is meant.
fn path_of(client: &Wired, top: &Path, request: &Request) -> Result<PathBuf> {
    let mut path = client.settings((!request.is_global).then_some(top))?;
    if request.is_local {
        path.set_file_name("settings.local.json");
    }
    Ok(path)
}

/// Edits the settings of one client, and says what is watched now.
fn edit(client: &Wired, top: &Path, request: &Request) -> Result<()> {
    let path = path_of(client, top, request)?;
    let before = settings::read(&path)?;
    let after = match request.removes {
        true => settings::without(&path, &before)?,
        false => settings::with(client, &path, &before)?,
    };
    let is_for_all = !request.is_global && client.settings(None).is_ok_and(|of_user| of_user == path);
    if request.is_dry && after != before {
        let shown = path.display().to_string();
        return pipes::write(preview::difference(&shown, before.as_deref(), after.as_deref()).as_bytes());
    }
    let mut said = match (after == before, request.removes) {
        (true, true) => format!("no review-gate hooks in {}\n", path.display()),
        (true, false) => format!("already wired: {}\n", path.display()),
        (false, true) => format!("removed the hooks from {}\n", path.display()),
        (false, false) => format!("wired {}: {}\n", path.display(), wiring::events(client)?.join(", ")),
    };
    if after != before {
        settings::write(client.client, &path, before.as_deref(), after.as_deref(), request.removes)?;
    }
    if after == before
        && !request.removes
        && !request.is_dry
        && settings::record_programs(client.client, &path, before.as_deref().unwrap_or(""))?
    {
        said.push_str("recorded the programs as they are now\n");
    }
    if after != before && !request.removes {
        if is_for_all {
            said.push_str("these are your own settings: the hooks run in all projects\n");
        }
        said.push_str(&summary(client));
        if !request.is_global {
            said.push_str(&format!("{}\n", client.trust));
        }
        if let Some(text) = versions::too_old(client) {
            said.push_str(&format!("{text}.\n"));
        }
        for limit in client.limits {
            said.push_str(&format!("{}: {limit}.\n", client.name));
        }
    }
    if !request.removes {
        for off in files_that_switch_hooks_off(client, top, &path) {
            let off = off.display();
            said.push_str(&format!("{} runs no hook: remove `disableAllHooks` from {off}\n", client.name));
        }
    }
    pipes::write(said.as_bytes())
}

/// The settings files that switch all hooks off: the edited one, and those that apply beside it.
fn files_that_switch_hooks_off(client: &Wired, top: &Path, path: &Path) -> Vec<PathBuf> {
    let of_project = client.settings(Some(top)).ok();
    let local = of_project.as_ref().map(|path| path.with_file_name("settings.local.json"));
    let mut found: Vec<PathBuf> = Vec::new();
    for file in [Some(path.to_path_buf()), of_project, local, client.settings(None).ok()].into_iter().flatten() {
        let is_off = wiring::settings::read(&file).is_ok_and(|own| own.is_some_and(|own| own.is_off));
        if is_off && !found.contains(&file) {
            found.push(file);
        }
    }
    found
}

/// What a user calls the events of hooks.json.
const WATCHED: [(&str, &str); 6] = [
    ("your prompts", "UserPromptSubmit"),
    ("tool calls", "PreToolUse"),
    ("failed tool calls", "PostToolUseFailure"),
    ("subagents", "SubagentStop"),
    ("compactions", "PreCompact"),
    ("stops", "Stop"),
];

/// What the hooks of a client watch, and what they do not.
fn summary(client: &Wired) -> String {
    let (seen, unseen): (Vec<_>, Vec<_>) = WATCHED.iter().partition(|(_, event)| wiring::has_event(client, event));
    let names = |of: Vec<&(&str, &str)>| of.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    match (names(seen), names(unseen)) {
        (seen, unseen) if unseen.is_empty() => format!("watched: {seen}\n"),
        (seen, unseen) => format!("watched: {seen}\nnot watched: {unseen}\n"),
    }
}
