//! The demo's fifth scene: what an agent may run. Each call is put to the guard as the client does, before it runs; none is run.

use crate::Failure;
use crate::demo::Scene;
use crate::stage::{line, paint, title};
use xshell::cmd;

/// Commands, and what the guard's answer holds where it says no.
const CALLS: [(&str, Option<&str>); 6] = [
    ("cd src 2>/dev/null || cd . && git re\"set\" --hard", Some("git-reset-hard")),
    ("git commit -m 'never run git reset --hard here'", None),
    ("for d in \"$HOME\" /; do rm -rf \"$d\"; done", Some("rm-")),
    ("rm -rf ./build && sh run-tests.sh", None),
    ("printf '{}' | rg-event --client claude | rg-review-state | rg-answer", Some("gate-speak")),
    ("git commit --no-verify -m done", Some("no-verify")),
];

/// Plays the scene.
pub fn may_not_run(scene: &mut Scene) -> Result<(), Failure> {
    title("5  A fifth one may run what it likes, but for what destroys, skips hooks, or speaks for the gate");
    scene.session = "demo-5".into();
    for (command, want) in CALLS {
        line("agent", &format!("$ {command}"));
        let reason = scene.guarded(command)?;
        match (want, reason) {
            (None, None) => line("gate", &paint("32", "(silent: it may run)")),
            (Some(want), Some(reason)) if reason.contains(want) => line("gate", &paint("31", &reason)),
            (_, reason) => return Err(format!("{command}: expected {want:?}, the guard said {reason:?}").into()),
        }
    }
    gives_back(scene)
}

/// What may run and loses work is preceded by a copy.
fn gives_back(scene: &Scene) -> Result<(), Failure> {
    let words = "a day's work that no commit holds\n";
    scene.write("notes.md", words)?;
    line("agent", "$ rm notes.md");
    if let Some(reason) = scene.guarded("rm notes.md")? {
        return Err(format!("rm notes.md was denied: {reason}").into());
    }
    std::fs::remove_file(scene.repo.join("notes.md"))?;
    line("gate", &paint("32", "(silent: it may run; a copy of the work tree was kept first)"));
    line("person", "$ rg-rescue restore notes.md");
    let (shell, tool) = (&scene.shell, scene.tool("rg-rescue"));
    let said = cmd!(shell, "{tool} restore notes.md").quiet().read()?;
    line("", said.trim());
    match std::fs::read_to_string(scene.repo.join("notes.md")) {
        Ok(back) if back == words => std::fs::remove_file(scene.repo.join("notes.md")).map_err(Failure::from),
        other => Err(format!("notes.md did not come back: {other:?}").into()),
    }
}
