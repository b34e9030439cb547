//! Completions in the shells themselves: each shell loads the script of every program and completes a verb and an option.

use crate::scratch::{Scratch, skipped};
use crate::tidy::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether the shell is installed. Reports a skipped test if it is not.
fn has(shell: &str) -> bool {
    let there = Command::new(shell).arg("--version").output().is_ok();
    if !there {
        skipped(&format!("no {shell}"));
    }
    there
}

/// The scripts of all programs for a shell, under the names that the shell looks for.
fn scripts(scratch: &Scratch, shell: &str, place: impl Fn(&str) -> String) -> PathBuf {
    let dir = scratch.top().join("completions");
    fs::create_dir_all(&dir).unwrap();
    for tool in tools() {
        let said = scratch.run(&tool, &["--completion", shell], b"");
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{tool} {shell}");
        fs::write(dir.join(place(&tool)), said.out).unwrap();
    }
    dir
}

/// What a shell prints for a script; it must succeed without a message.
fn said(scratch: &Scratch, args: &[&str]) -> Vec<String> {
    let out = scratch.command("timeout").args(["60"]).args(args).output().unwrap();
    let err = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success() && err.is_empty(), "{args:?}: {} {err}", String::from_utf8_lossy(&out.stdout));
    String::from_utf8_lossy(&out.stdout).lines().map(|line| line.trim_end().to_string()).collect()
}

#[test]
fn fish_completes_a_verb_and_an_option_of_every_program() {
    if !has("fish") {
        return;
    }
    let scratch = Scratch::new();
    let dir = scripts(&scratch, "fish", |tool| format!("{tool}.fish"));
    let mut script = format!("for file in {}/*.fish; source $file; end\n", dir.display());
    for tool in tools() {
        script.push_str(&format!("complete -C '{tool} --he'\n"));
    }
    script.push_str(
        "complete -C 'rg-loop sto'\ncomplete -C 'rg-loop start --ma'\ncomplete -C 'rg-loop -C . start --ma'\n",
    );
    let lines = said(&scratch, &["fish", "--no-config", "-c", &script]);
    let first: Vec<&str> = lines.iter().map(|line| line.split('\t').next().unwrap()).collect();
    let helps = vec!["--help"; tools().len()];
    assert_eq!(first, [helps.as_slice(), &["stop", "--max", "--max"]].concat());
}

/// Types lines into an interactive zsh at a pseudo terminal, with Tab at the end of each one.
const ZSH: &str = r#"
zmodload zsh/zpty || exit 3
zpty inner zsh -f -i
zpty -w inner "fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; source $2"
for line in "${@[3,-1]}"; zpty -w inner $line$'\t'
zpty -w inner exit
while zpty -r inner; do :; done >/dev/null
"#;

#[test]
fn zsh_completes_a_verb_and_an_option_of_every_program() {
    if !has("zsh") {
        return;
    }
    let scratch = Scratch::new();
    let dir = scripts(&scratch, "zsh", |tool| format!("_{tool}"));
    // Each program is replaced by a function that notes its arguments.
    let (log, functions) = (scratch.top().join("log"), scratch.top().join("functions"));
    let define = |tool: &String| format!("{tool}() print -r -- \"$0 $*\" >>{}\n", log.display());
    fs::write(&functions, tools().iter().map(define).collect::<String>()).unwrap();
    let mut lines: Vec<String> = tools().iter().map(|tool| format!("{tool} --he")).collect();
    lines.extend(["rg-loop sto", "rg-loop start --ma", "rg-loop -C . start --ma"].map(str::to_string));
    let path = |path: &Path| path.to_str().unwrap().to_string();
    let args = ["zsh", "-f", "-c", ZSH, "zsh"].map(str::to_string).into_iter();
    let args: Vec<String> = args.chain([path(&dir), path(&functions)]).chain(lines).collect();
    said(&scratch, &args.iter().map(String::as_str).collect::<Vec<_>>());
    let mut want: Vec<String> = tools().iter().map(|tool| format!("{tool} --help")).collect();
    want.extend(["rg-loop stop", "rg-loop start --max", "rg-loop -C . start --max"].map(str::to_string));
    assert_eq!(fs::read_to_string(&log).unwrap().lines().collect::<Vec<_>>(), want);
}
