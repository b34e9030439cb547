//! The transcripts of tests/pipe: a shell runs each NN-title.sh, and the output must equal NN-title.exp.
//! `BLESS=1 cargo test pipe` replaces the expected output.

use crate::scratch::{Scratch, feed};
use std::fs;
use std::path::{Path, PathBuf};

/// Runs a transcript in a new directory and returns both streams in one, with the directory replaced by $T.
fn play(shell: &str, script: &Path) -> String {
    let scratch = Scratch::new();
    let mut command = scratch.command("sh");
    let lib = script.with_file_name("lib");
    command.env("T", scratch.top()).env("LIB", lib).args(["-c", &format!("exec {shell} \"$0\" 2>&1")]).arg(script);
    let said = feed(&mut command, b"");
    let mut text = said.out.replace(scratch.top().to_str().unwrap(), "$T");
    if said.status != 0 {
        text.push_str(&format!("(the script ended with status {})\n", said.status));
    }
    text
}

#[test]
fn transcripts_match_their_expected_output() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pipe");
    let mut scripts: Vec<PathBuf> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|end| end == "sh"));
    scripts.sort();
    assert!(!scripts.is_empty());
    let mut wrong = Vec::new();
    let at_a_terminal = |script: &Path| fs::read_to_string(script).unwrap().contains("script -q");
    for script in &scripts {
        if at_a_terminal(script) && std::process::Command::new("script").arg("--version").output().is_err() {
            crate::scratch::skipped("no script");
            continue;
        }
        let expected = script.with_extension("exp");
        let name = script.file_name().unwrap().to_string_lossy().into_owned();
        let got = play("sh", script);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, &got).unwrap();
        }
        let want = fs::read_to_string(&expected).unwrap_or_default();
        if got != want {
            wrong.push(format!("--- {name}: printed\n{got}--- wanted\n{want}"));
        }
        match Path::new("/bin/bash").exists() {
            true => {
                let got = play("bash", script);
                if got != want {
                    wrong.push(format!("--- {name}: with bash, printed\n{got}--- wanted\n{want}"));
                }
            }
            false => crate::scratch::skipped("no bash"),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
