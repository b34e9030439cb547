//! The clients: which settings files hold hooks, which programs their lines start, and what keeps them from running.

use crate::report::{ProgramLine, Report, WiredFile};
use review_gate::event::Client;
use review_gate::store::installs;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::shell;
use review_gate::sys::{files, limits};
use review_gate::wiring::clients::{CLIENTS, Wired};
use review_gate::wiring::settings::{self, OwnHooks};
use review_gate::wiring::{self, HookLine, versions};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Looks at the settings of all clients for the working tree at `top`.
pub fn look(top: &Path, report: &mut Report) -> Result<()> {
    for client in &CLIENTS {
        let mut wired = Vec::new();
        for path in settings_files(client, top) {
            match settings::read(&path) {
                Ok(None) => {}
                Ok(Some(own)) => {
                    if own.is_off {
                        let mend = format!("remove `disableAllHooks` from {}", path.display());
                        report.problem("hooks-off", format!("{} runs no hook: {}", client.name, path.display()), mend);
                    }
                    if !own.hooks.is_empty() {
                        wired.push((path, own));
                    }
                }
                Err(why) => {
                    let text = format!("{} cannot be read: {why}", path.display());
                    report.problem("settings-unreadable", text, format!("correct {}", path.display()));
                }
            }
        }
        if wired.is_empty() && is_used(client, top) && !is_plugin(client) {
            let text = format!("{} is used here, and its sessions are not gated", client.name);
            report.problem("not-wired", text, format!("rg-install {}", client.client));
        }
        for (path, own) in &wired {
            judge(client, path, own, report);
            compare_programs(client, path, report);
        }
        if !wired.is_empty()
            && let Some(text) = versions::too_old(client)
        {
            report.problem("old-client", text, format!("update {}", client.name));
        }
        if client.client == Client::Codex && !wired.is_empty() && !is_codex_trusted(top) {
            let text = "Codex skips hooks that were not approved, and its settings hold no approval".to_string();
            report.problem("untrusted", text, "run `codex`, then `/hooks`, and approve each one");
        }
    }
    if report.wired.is_empty()
        && report.problems.iter().all(|problem| problem.name != "not-wired")
        && env::plugin_root().is_none()
    {
        let (text, mend) = match CLIENTS.iter().any(|client| client.is_found(top)) {
            true => ("no client has hooks of review-gate here", "rg-install all"),
            false => ("no client has hooks of review-gate here, and none was found", "rg-install claude"),
        };
        report.problem("not-wired", text, mend);
    }
    if report.wired.iter().flat_map(|file| &file.programs).any(|program| program.is_found && !program.is_static) {
        let text = "some programs are dynamically linked: a stop takes about four times the processor time. Mend: cargo xtask install";
        report.notes.push(text.to_string());
    }
    Ok(())
}

/// The settings files with hooks of review-gate, of all clients. The plugin's own file is one if this program belongs to a plugin.
pub fn wired(top: &Path) -> Vec<(&'static Wired, PathBuf, OwnHooks)> {
    let mut found = Vec::new();
    for client in &CLIENTS {
        let of_plugin = env::plugin_root().filter(|_| is_plugin(client)).map(|root| root.join("hooks.json"));
        for path in settings_files(client, top).into_iter().chain(of_plugin) {
            if let Ok(Some(own)) = settings::read(&path)
                && !own.hooks.is_empty()
            {
                found.push((client, path, own));
            }
        }
    }
    found
}

/// The settings files of a client that may hold hooks: of the project and of the user.
fn settings_files(client: &Wired, top: &Path) -> Vec<PathBuf> {
    let of_project = client.settings(Some(top)).ok();
    let local = of_project.clone().filter(|_| client.client == Client::Claude);
    let local = local.map(|path| path.with_file_name("settings.local.json"));
    let mut files: Vec<PathBuf> = Vec::new();
    // In the home directory the settings of the project are those of the user.
    for path in [of_project, local, client.settings(None).ok()].into_iter().flatten() {
        if !files.contains(&path) {
            files.push(path);
        }
    }
    files
}

/// Whether a client is used in this project: it has a directory in it.
fn is_used(client: &Wired, top: &Path) -> bool {
    client.settings(Some(top)).ok().and_then(|path| path.parent().map(Path::is_dir)).unwrap_or(false)
}

/// Whether this program runs as a part of the client's plugin.
fn is_plugin(client: &Wired) -> bool {
    client.client == Client::Claude && env::plugin_root().is_some()
}

/// Compares the lines of a settings file with those of this version, and looks for their programs.
fn judge(client: &Wired, path: &Path, own: &OwnHooks, report: &mut Report) {
    let mend = || install_command(client, path);
    let lines = own.lines();
    let programs = programs(&lines);
    for program in programs.iter().filter(|program| !program.is_found) {
        let text = format!("{}: {} is missing: its hooks fail", path.display(), program.path.display());
        report.problem("program-missing", text, mend());
    }
    for line in lines.iter().filter(|line| is_pipe_without_answer(&line.line)) {
        let text =
            format!("{}: the line of {} does not end with rg-answer: nothing is decided", path.display(), line.event);
        report.problem("no-answer", text, mend());
    }
    let events: BTreeSet<&str> = lines.iter().map(|line| line.event.as_str()).collect();
    match wiring::events(client) {
        Ok(wanted) => {
            let missing: Vec<&str> =
                wanted.iter().map(String::as_str).filter(|event| !events.contains(event)).collect();
            if !missing.is_empty() {
                let text = format!("{} has no hook for {}", path.display(), missing.join(", "));
                report.problem("event-missing", text, mend());
            }
            let is_current = wiring::lines(client).is_ok_and(|wanted| is_same(&wanted, &lines));
            if missing.is_empty() && !is_current {
                let text = format!("the hooks in {} are not those of this version", path.display());
                report.problem("other-lines", text, mend());
            }
        }
        Err(error) => report.problem("program-missing", error.to_string(), "install all programs beside rg-doctor"),
    }
    report.wired.push(WiredFile {
        client: client.client.word(),
        path: path.to_path_buf(),
        events: events.into_iter().map(str::to_string).collect(),
        programs,
    });
}

/// The command that writes the hooks of this file again.
pub fn install_command(client: &Wired, path: &Path) -> String {
    let is_of_user = client.settings(None).is_ok_and(|of_user| of_user == path);
    let scope = match path.file_name().and_then(|name| name.to_str()) {
        _ if is_of_user => " --global",
        Some("settings.local.json") => " --local",
        _ => "",
    };
    format!("rg-install {}{scope}", client.client)
}

/// Compares the programs with those at the install of this file.
fn compare_programs(client: &Wired, path: &Path, report: &mut Report) {
    let Some(last) = installs::of_file(path).and_then(|mut installs| installs.pop()) else { return };
    let changed = last.programs.iter().filter(|(program, recorded)| !installs::is_same(program, recorded));
    let changed: Vec<String> = changed.map(|(program, _)| program.display().to_string()).collect();
    if !changed.is_empty() {
        let text = format!("changed since the hooks were installed: {}", changed.join(", "));
        let mend =
            format!("if you updated review-gate, run `{}`; if not, install it again", install_command(client, path));
        report.problem("program-changed", text, mend);
    }
}

/// Whether two lists of lines are the same, in any order.
fn is_same(wanted: &[HookLine], own: &[HookLine]) -> bool {
    let of = |lines: &[HookLine]| {
        let mut texts: Vec<String> = lines.iter().map(|line| format!("{} {}", line.event, line.line)).collect();
        texts.sort();
        texts
    };
    of(wanted) == of(own)
}

/// The programs of review-gate that these lines start, each once.
fn programs(lines: &[HookLine]) -> Vec<ProgramLine> {
    let words = lines.iter().flat_map(|line| shell::commands(&line.line));
    let paths: BTreeSet<PathBuf> = words
        .filter_map(|words| words.into_iter().next())
        .filter(|word| word.contains('/') && shell::program_name(word).starts_with("rg-"))
        .map(PathBuf::from)
        .collect();
    let line = |path: PathBuf| ProgramLine {
        is_found: path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0),
        is_static: !wiring::is_dynamic(&path),
        path,
    };
    paths.into_iter().map(line).collect()
}

/// Whether a pipeline of an event ends without the stage that answers.
fn is_pipe_without_answer(line: &str) -> bool {
    let commands: Vec<Vec<String>> = shell::commands(line).into_iter().filter(|words| !words.is_empty()).collect();
    let name = |words: Option<&Vec<String>>| {
        words.and_then(|words| words.first()).map(|word| shell::program_name(word).to_string())
    };
    name(commands.first()).as_deref() == Some("rg-event") && name(commands.last()).as_deref() != Some("rg-answer")
}

/// Whether Codex's settings hold an approval of a hook.
fn is_codex_trusted(top: &Path) -> bool {
    let user = env::codex_home().or_else(|| Some(env::home()?.join(".codex")));
    let places = [user.map(|dir| dir.join("config.toml")), Some(top.join(".codex/config.toml"))];
    let has_approval = |text: &str| text.contains("[hooks.state") || text.contains("trusted_hash");
    let holds = |path: &PathBuf| {
        files::try_read_following(path, limits::SETTINGS)
            .is_some_and(|bytes| has_approval(&String::from_utf8_lossy(&bytes)))
    };
    places.iter().flatten().any(holds)
}
