//! Laws of rg-guard over commands as agents, CI and scripts write them.

use crate::scratch::Scratch;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/guard-real.jsonl");

/// Misses and false alarms that were found on real commands, each with honest twins.
#[test]
fn commands_from_real_sessions_and_scripts_are_judged_as_they_are_labelled() {
    let said = Scratch::repo().run("rg-guard", &["test", CASES], b"");
    assert_eq!(said.status, 0, "{}", said.out);
}
