//! docs/agent-loops.md: its commands run, in a repository with an agent.

use crate::scratch::Scratch;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The shell texts of the page.
fn blocks() -> Vec<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agent-loops.md")).unwrap();
    page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_string()).collect()
}

/// A repository on `main` with a remote, whose check fails until the agent has worked.
fn repository() -> Scratch {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: grep -q done work.txt}\n");
    scratch.write("work.txt", "begun\n");
    scratch.write("agent", "#!/bin/sh\ncat >/dev/null\necho done >work.txt\n");
    fs::set_permissions(scratch.work().join("agent"), fs::Permissions::from_mode(0o755)).unwrap();
    scratch.write(".gitignore", "reason.txt\n");
    scratch.ok("git add -A && git commit -qm agent");
    scratch.ok("git init -q --bare ../remote.git && git remote add origin ../remote.git && git push -q origin main");
    scratch
}

#[test]
fn every_command_of_the_page_runs() {
    let blocks = blocks();
    // What each block prints when the agent works, and its status.
    let wants = [("\"outcome\":\"done\"", 0), ("accepted", 0), ("", 0), ("done", 0), ("landed", 0), ("is not done", 0)];
    assert_eq!(blocks.len(), wants.len());
    for (block, (text, status)) in blocks.iter().zip(wants) {
        let scratch = repository();
        if text == "done" {
            scratch.write("work.txt", "done\n");
        }
        let said = scratch.sh(block, b"");
        assert!(said.status == status && said.out.contains(text), "{block}: {said:?}");
        assert!(!said.err.contains("not found"), "{block}: {said:?}");
    }
}

#[test]
fn an_agent_that_lowers_the_bar_is_refused_by_each_gate_of_the_page() {
    let blocks = blocks();
    let cheat = "sed -i 's/grep -q done work.txt/true/' DONE.md";
    for (at, refusal) in [(1, "DONE.md"), (2, "DONE.md"), (3, "DONE.md"), (4, "login did not land")] {
        let scratch = repository();
        scratch.write("agent", &format!("#!/bin/sh\n{cheat}\n"));
        scratch.ok("git add -A && git commit -qm cheat && git push -q origin main");
        if matches!(at, 2 | 3) {
            scratch.ok(cheat);
        }
        let said = scratch.sh(&blocks[at], b"");
        assert!(said.out.contains(refusal) && !said.out.contains("accepted"), "{}: {said:?}", blocks[at]);
    }
}
