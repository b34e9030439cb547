//! The demo's fifth scene: tool calls. rg-guard judges each command as a client's hook does; no command runs.

use crate::Failure;
use crate::demo::Scene;
use crate::stage::{line, paint, title};
use xshell::cmd;

/// Commands, each with a part of the reason if it is denied.
const CALLS: [(&str, Option<&str>); 6] = [
    ("cd src 2>/dev/null || cd . && git re\"set\" --hard", Some("git-reset-hard")),
    ("git commit -m 'never run git reset --hard here'", None),
    ("for d in \"$HOME\" /; do rm -rf \"$d\"; done", Some("rm-")),
    ("rm -rf ./build && sh run-tests.sh", None),
    ("printf '{}' | rg-event --client claude | rg-review-state | rg-answer", Some("gate-speak")),
    ("git commit --no-verify -m done", Some("no-verify")),
];

/// Plays the scene.
pub fn play(scene: &mut Scene) -> Result<(), Failure> {
    title("5  An agent runs commands. Those that destroy, skip hooks or fake the gate's events are denied");
    scene.session = "demo-5".into();
    for (command, want) in CALLS {
        line("agent", &format!("$ {command}"));
        let reason = scene.denial_of(command)?;
        match (want, reason) {
            (None, None) => line("gate", &paint("32", "(no output: it may run)")),
            (Some(want), Some(reason)) if reason.contains(want) => line("gate", &paint("31", &reason)),
            (_, reason) => return Err(format!("{command}: expected {want:?}, got {reason:?}").into()),
        }
    }
    restores_a_backup(scene)
}

/// rg-guard takes a backup before an allowed command that loses work.
fn restores_a_backup(scene: &Scene) -> Result<(), Failure> {
    let words = "a day's work that no commit holds\n";
    scene.write("notes.md", words)?;
    line("agent", "$ rm notes.md");
    if let Some(reason) = scene.denial_of("rm notes.md")? {
        return Err(format!("rm notes.md was denied: {reason}").into());
    }
    std::fs::remove_file(scene.repo.join("notes.md"))?;
    line("gate", &paint("32", "(no output: it may run; a backup of the working tree was taken first)"));
    line("user", "$ rg-rescue restore notes.md");
    let (shell, tool) = (&scene.shell, scene.tool("rg-rescue"));
    let said = cmd!(shell, "{tool} restore notes.md").quiet().read()?;
    line("", said.trim());
    match std::fs::read_to_string(scene.repo.join("notes.md")) {
        Ok(back) if back == words => std::fs::remove_file(scene.repo.join("notes.md")).map_err(Failure::from),
        other => Err(format!("notes.md was not restored: {other:?}").into()),
    }
}
