//! Laws of open tasks: those of runs that have ended are not open, and rg-doctor and rg-loop name the same loops.

use crate::scratch::Scratch;
use serde_json::{Value, json};

fn report(scratch: &Scratch) -> Value {
    scratch.run("rg-doctor", &["--json"], b"").json()
}

#[test]
fn a_run_that_has_ended_leaves_no_open_task() {
    let mut scratch = Scratch::repo();
    // Records where a user has them: RG_STATE would be the directory of the sessions, too.
    scratch.env.remove("RG_STATE");
    for builder in ["true", "false", "echo more >>src.txt"] {
        scratch.run("rg-run", &["--builder", builder, "--rounds", "1", "go"], b"");
    }
    let tasks = report(&scratch)["tasks"].as_array().unwrap().clone();
    assert_eq!(tasks.len(), 3, "a task for each run: {tasks:?}");
    assert!(tasks.iter().all(|task| task["outcome"].is_string()), "each one ended with an outcome: {tasks:?}");
    let said = scratch.run("rg-anchor", &["show"], b"");
    assert!(said.status == 100 && said.err.contains("no open task in this repository: "), "{said:?}");
    // The task of a session is the only one.
    scratch.prompt("s", "go");
    let said = scratch.run("rg-anchor", &["show"], b"");
    assert_eq!(said.status, 0, "{said:?}");
}

#[test]
fn rg_loop_means_the_loop_that_rg_doctor_shows() {
    let scratch = Scratch::repo();
    let looped = |session: &str| {
        let fields = json!({"hook_event_name": "UserPromptSubmit", "prompt": "#loop go"});
        scratch.sh(
            "rg-event --client claude | rg-tamper | rg-loop mark | rg-answer --client claude",
            &scratch.payload(session, fields),
        );
    };
    looped("a");
    scratch.prompt("b", "another task");
    scratch.append("src.txt", "more\n");
    scratch.stop("b");
    let loops = report(&scratch)["loops"].clone();
    let task = loops[0]["task"].as_str().unwrap();
    assert_eq!((loops.as_array().unwrap().len(), &loops[0]["has_ended"]), (1, &json!(true)));
    let said = scratch.run("rg-loop", &["show"], b"");
    assert!(said.status == 0 && said.out.starts_with(&format!("task {task}: 1 loop\n")), "{said:?}");
    let screen = scratch.run("rg-doctor", &[], b"").out;
    let mend = format!("its client has ended: resume the session, or `rg-loop stop --task {task}`");
    assert!(screen.contains(&mend), "{screen}");
    assert_eq!(scratch.run("rg-loop", &["stop"], b"").status, 0);
    assert_eq!(report(&scratch)["loops"], json!([]));
    assert_eq!(scratch.run("rg-loop", &["stop"], b"").status, 1);
    // Two of them must be named.
    looped("a");
    looped("c");
    scratch.prompt("b", "go on");
    let said = scratch.run("rg-loop", &["stop"], b"");
    assert!(said.status == 100 && said.err.contains("several tasks have loops: "), "{said:?}");
}

#[test]
fn a_loop_of_a_client_that_has_ended_is_told() {
    let scratch = Scratch::repo();
    scratch.prompt("a", "go");
    let said = scratch.run("rg-loop", &["start", "the rest"], b"");
    assert!(
        said.status == 0 && said.out.contains(" has ended: the loop goes on only if its session is resumed"),
        "{said:?}"
    );
}
