//! The demo's fifth scene: what an agent may run. Each call is put to the guard as the client does, before it runs; none is run.

use crate::Failure;
use crate::demo::Scene;
use crate::stage::{line, paint, title};

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
    Ok(())
}
