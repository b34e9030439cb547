//! Laws of the environment: a path that must be absolute is an error if it is relative, and no program passes over it.

use crate::scratch::Scratch;
use serde_json::json;

const TOLD: &str = " is not an absolute path: here. Set it to one that begins with /\n";

#[test]
fn a_relative_state_or_talk_directory_is_a_usage_error() {
    for (name, lines) in [
        ("RG_STATE", ["rg-check --now", "rg-doctor", "rg-receipt list", "rg-tamper --now"]),
        ("RG_TALK", ["rg-msg list", "rg-issue list", "rg-msg init", "rg-doctor"]),
    ] {
        let mut scratch = Scratch::repo();
        scratch.set(name, "here");
        for line in lines {
            let said = scratch.sh(line, b"");
            assert!(said.status == 100 && said.err.ends_with(&format!("{name}{TOLD}")), "{line}: {said:?}");
        }
        assert!(!scratch.work().join("here").exists());
    }
}

#[test]
fn a_relative_home_is_named() {
    let mut scratch = Scratch::repo();
    scratch.env.remove("RG_STATE");
    scratch.set("HOME", "here");
    let said = scratch.run("rg-install", &["claude", "--global"], b"");
    assert!(said.status == 100 && said.err.ends_with(&format!("HOME{TOLD}")), "{said:?}");
    assert_eq!(scratch.run("rg-doctor", &["--json"], b"").status, 1, "XDG_STATE_HOME says where the records are");
    // The XDG specification says that a relative path is to be ignored. Then HOME counts.
    scratch.set("XDG_STATE_HOME", "here");
    let said = scratch.run("rg-doctor", &[], b"");
    assert!(said.status == 100 && said.err.ends_with(&format!("HOME{TOLD}")), "{said:?}");
    let home = scratch.top().join("home");
    scratch.set("HOME", home.to_str().unwrap());
    let state = scratch.run("rg-doctor", &["--json"], b"").json()["state"]["path"].as_str().unwrap().to_string();
    assert!(state.starts_with(home.join(".local/state/review-gate").to_str().unwrap()), "{state}");
}

#[test]
fn a_hook_with_a_relative_state_directory_says_so_and_is_never_done() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "fixed\n");
    let good = scratch.env["RG_STATE"].clone();
    scratch.set("RG_STATE", "here");
    let said = scratch.stop("s");
    let why = "RG_STATE is not an absolute path: here";
    assert!(said.told().contains("unverified") && said.told().contains(why), "{said:?}");
    let call =
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git reset --hard"}});
    let said = scratch.run("rg-guard", &["--hook", "--client", "claude"], &scratch.payload("s", call));
    assert!(said.out.contains("\"deny\"") && said.out.contains(why), "{said:?}");
    scratch.set("RG_STATE", &good);
    assert!(scratch.words().is_empty() && !scratch.work().join("here").exists());
}
