//! Laws of rg-land against a repository or a caller that would make the checks pass: it judges the blobs of the commit, without hooks,
//! in an environment of its own.

use crate::land::{commit, land, refused, remote, shared, shared_with, tip, within, work};
use crate::scratch::{STOP, Said, Scratch};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A script that may be executed.
fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Puts a directory first in the caller's `PATH`.
fn first_in_path(scratch: &mut Scratch, dir: &Path) {
    let path = format!("{}:{}", dir.display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
}

fn landed(scratch: &Scratch, args: &[&str]) -> Said {
    let said = land(scratch, args);
    assert_eq!(said.status, 0, "{said:?}");
    said
}

#[test]
fn filters_and_link_settings_of_the_repository_do_not_change_what_is_judged() {
    let scratch = shared_with("  - {name: link, run: '[ ! -L l.txt ]'}\n");
    scratch.ok("git config filter.f.smudge 'sed s/bad/good/' && git config filter.f.clean 'sed s/good/bad/'");
    scratch.ok("git config filter.f.required true && echo 'a.txt filter=f' >.git/info/attributes");
    let path = work(&scratch, "a", "a.txt", "bad\n");
    refused(&scratch, &["rg/a"], 1, "judging the files as the commit stores them, without filter=f (1 file: a.txt)");
    refused(&scratch, &["rg/a"], 1, "not landed: rg/a on main is not-done");
    // The same after a rebase.
    scratch.ok("git clone -q ../remote.git ../other && cd ../other && echo o >o.txt && git add -A && git commit -qm other && git push -q");
    refused(&scratch, &["rg/a"], 1, "not landed: rg/a on main is not-done");
    commit(&scratch, &path, "a.txt", "fine\n");
    landed(&scratch, &["rg/a"]);
    // A link that git checks out as a file.
    let path = work(&scratch, "b", "b.txt", "b\n");
    within(&scratch, &path, "ln -s b.txt l.txt && git add -A && git commit -qm link && git config core.symlinks false");
    within(&scratch, &path, "git reset -q --hard");
    refused(&scratch, &["rg/b"], 1, "not landed: rg/b on main is not-done");
}

#[test]
fn a_commit_with_line_ends_and_large_files_in_its_attributes_lands_and_the_user_is_told() {
    let scratch = shared_with("  - {name: blob, run: '[ \"$(cat a.bat)\" = x ] && grep -q oid a.bin'}\n");
    let path = work(&scratch, "a", ".gitattributes", "* text=auto\n*.bat eol=crlf\n*.bin filter=lfs\n");
    commit(&scratch, &path, "a.bat", "x\r\n");
    commit(&scratch, &path, "a.bin", "oid sha256:0\n");
    let said = landed(&scratch, &["rg/a"]);
    let words = "rg-land: judging the files as the commit stores them, without eol=crlf (1 file: a.bat), filter=lfs (1 file: a.bin)\n";
    assert_eq!(said.err, words);
    assert_eq!(fs::read_to_string(scratch.work().join("a.bat")).unwrap(), "x\r\n", "the user's files are as ever");
    // Plain text files are not worth a word.
    work(&scratch, "b", "b.txt", "b\n");
    scratch.ok("git config core.autocrlf input");
    let said = landed(&scratch, &["rg/b"]);
    assert!(!said.err.contains("b.txt"), "{said:?}");
}

#[test]
fn no_hook_runs_in_the_scratch_worktree() {
    let scratch = shared_with("  - {name: plain, run: '[ ! -e seen ] && [ ! -e made ] && [ ! -d empty ]'}\n");
    let path = work(&scratch, "a", "a.txt", "a\n");
    commit(&scratch, &path, ".gitignore", "made\n");
    scratch.ok("echo seen >>.git/info/exclude");
    for name in ["post-checkout", "post-rewrite", "post-commit", "pre-rebase", "reference-transaction"] {
        let script =
            "case $PWD in */land/tree) touch seen made; mkdir -p empty; echo $0 >>../../hooks-ran;; esac; exit 0";
        program(&scratch.work().join(".git/hooks").join(name), script);
    }
    scratch.ok("git config core.hooksPath \"$PWD/.git/hooks\"");
    landed(&scratch, &["--keep", "rg/a"]);
    // The same for a rebase and a squash.
    scratch.ok("git clone -q ../remote.git ../other && cd ../other && echo o >o.txt && git add -A && git commit -qm other && git push -q");
    commit(&scratch, &path, "b.txt", "b\n");
    commit(&scratch, &path, "c.txt", "c\n");
    landed(&scratch, &["--squash", "rg/a"]);
    assert!(!scratch.state().join("hooks-ran").exists());
}

#[test]
fn a_submodule_that_the_configuration_skips_does_not_land() {
    let scratch = shared_with("  - {name: inner, run: '[ ! -e inner/x ] || grep -q good inner/x'}\n");
    scratch.ok("git init -q ../inner && cd ../inner && echo evil >x && git add -A && git commit -qm x");
    let path = work(&scratch, "a", "a.txt", "a\n");
    let inner = scratch.top().join("inner");
    within(&scratch, &path, &format!("git submodule --quiet add '{}' inner && git commit -qam inner", inner.display()));
    refused(&scratch, &["rg/a"], 1, "not landed: rg/a on main is not-done");
    scratch.ok("git config submodule.inner.update none && git config submodule.inner.url \"$PWD/../inner\"");
    refused(&scratch, &["rg/a"], 1, "the submodule inner was not checked out");
}

#[test]
fn variables_of_the_caller_do_not_reach_the_checks() {
    let names =
        ["MAKEFLAGS", "BASH_ENV", "ENV", "LD_X", "NODE_OPTIONS", "npm_config_script_shell", "PYTHONPATH", "PERL5OPT"];
    let names = names.into_iter().chain(["GIT_DIR", "GIT_CONFIG_GLOBAL", "CI", "CLAUDECODE", "SECRET"]);
    let all: String = names.clone().map(|name| format!("${name}")).collect();
    let checks = format!("  - {{name: bare, run: '[ -z \"{all}\" ]'}}\n");
    let kept = "  - {name: kept, run: '[ \"$HOME$USER$LC_ALL$own$GIVEN\" ] && [ $own = 1 ] && [ $GIVEN = 2 ]', env: {own: \"1\"}}\n";
    let mut scratch = shared_with(&format!("{checks}{kept}land: {{env: [GIVEN]}}\n"));
    work(&scratch, "a", "a.txt", "a\n");
    for name in names.filter(|name| *name != "GIT_CONFIG_GLOBAL") {
        scratch.set(name, if name == "GIT_DIR" { "/nowhere" } else { "n" });
    }
    scratch.set("GIVEN", "2");
    let said = land(&scratch, &["rg/a"]);
    scratch.env.remove("GIT_DIR");
    assert_eq!(said.status, 0, "{said:?}");
}

#[test]
fn a_program_of_the_caller_shadows_none_of_the_system() {
    let mut scratch = shared();
    let path = work(&scratch, "a", "a.txt", "bad\n");
    let own = scratch.top().join("home/e");
    program(&own.join("grep"), "exit 1");
    let git = scratch.ok("command -v git").out;
    program(&own.join("git"), &format!("echo \"$@\" >>{}/used; exec {} \"$@\"", own.display(), git.trim()));
    first_in_path(&mut scratch, &own);
    let said = land(&scratch, &["rg/a"]);
    assert_eq!(said.status, 1, "{said:?}");
    assert!(!own.join("used").exists(), "rg-land itself runs the git of the system");
    commit(&scratch, &path, "a.txt", "good\n");
    fs::remove_file(own.join("used")).unwrap();
    landed(&scratch, &["rg/a"]);
    // An empty PATH does not hide a program from the checks.
    let mut scratch = shared_with("  - {name: seen, run: 'command -v grep'}\n");
    work(&scratch, "a", "a.txt", "a\n");
    scratch.set("PATH", "/nowhere");
    landed(&scratch, &["rg/a"]);
}

#[test]
fn a_left_out_program_is_named_with_the_line_that_brings_it_back() {
    let mut scratch =
        shared_with("  - {name: tool, run: rg-test-tool}\n  - {name: cargo, run: 'rg-test-cargo $DATABASE_URL'}\n");
    let home = PathBuf::from(&scratch.env["HOME"]);
    program(&home.join(".cargo/bin/rg-test-cargo"), "[ \"$1\" ]");
    let node = home.join(".nvm/versions/node/v20.1.0/bin");
    program(&node.join("rg-test-tool"), "exit 0");
    first_in_path(&mut scratch, &node);
    scratch.set("RUSTUP_HOME", home.to_str().unwrap());
    scratch.set("DATABASE_URL", "x");
    scratch.set("UNRELATED", "x");
    work(&scratch, "a", "a.txt", "a\n");
    for words in [
        "rg-test-tool was not found: rg-land leaves ~/.nvm/versions/node/*/bin out of PATH, because programs there can be replaced. To use it, add `land: {path: [~/.nvm/versions/node/*/bin]}` to DONE.md on main",
        "the checks ran without DATABASE_URL, RUSTUP_HOME. To pass on what they need, add `land: {env: [DATABASE_URL, RUSTUP_HOME]}` to DONE.md on main",
    ] {
        refused(&scratch, &["rg/a"], 1, words);
    }
    assert!(!land(&scratch, &["rg/a"]).err.contains("rg-test-cargo was not found"), "the usual toolchains are there");
    scratch.ok(
        "sed -i 's|^```$|land: {path: [~/.nvm/versions/node/*/bin], env: [RUSTUP_HOME, DATABASE_URL]}\\n```|' DONE.md",
    );
    scratch.ok("git commit -qam 'land: path' && git push -q");
    landed(&scratch, &["rg/a"]);
    for (land, words) in [
        ("env: [MAKEFLAGS]", "\"env\": MAKEFLAGS is never passed on: set it in the check's \"env\""),
        ("env: [PATH]", "\"env\": PATH is never passed on: name its directories in \"path\""),
        ("env: ['A=b']", "not a variable name: \"A=b\""),
        ("path: [bin]", "\"path\": \"bin\" must begin with / or ~/"),
        ("path: ['/a:/b']", "must begin with / or ~/, without \":\" and \"..\""),
    ] {
        let scratch = shared_with(&format!("land: {{{land}}}\n"));
        work(&scratch, "a", "a.txt", "a\n");
        refused(&scratch, &["rg/a"], 100, words);
    }
}

/// Runs a session that ends as done, in a worktree with one commit.
fn session(scratch: &Scratch, id: &str, start: bool) {
    let tree = work(scratch, id, &format!("{id}-first.txt"), "x\n");
    let line = "rg-event --client claude | rg-tamper | rg-answer";
    if start {
        let payload = json!({"hook_event_name": "SessionStart", "source": "startup", "cwd": tree});
        scratch.sh(line, &scratch.payload(id, payload));
    }
    let payload = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": tree});
    scratch.sh(line, &scratch.payload(id, payload));
    commit(scratch, &tree, &format!("{id}.txt"), "x\n");
    let said = scratch.sh(STOP, &scratch.stop_payload(id, json!({"cwd": tree})));
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{said:?}");
    assert_eq!(scratch.receipt()["outcome"], "done");
}

#[test]
fn a_session_is_believed_only_if_its_client_ran_the_checks_in_a_plain_environment() {
    let mut scratch = shared();
    session(&scratch, "plain", true);
    assert_eq!(scratch.receipt()["environment"], json!({"overrides": []}));
    assert!(landed(&scratch, &["--dry-run", "rg/plain"]).out.contains("judged earlier"));
    session(&scratch, "unseen", false);
    assert!(landed(&scratch, &["--dry-run", "rg/unseen"]).out.contains("judged now"));
    scratch.set("MAKEFLAGS", "n");
    scratch.set("LD_X", "n");
    session(&scratch, "flags", true);
    assert_eq!(scratch.receipt()["environment"], json!({"overrides": ["LD_X", "MAKEFLAGS"]}));
    for name in ["MAKEFLAGS", "LD_X"] {
        scratch.env.remove(name);
    }
    assert!(landed(&scratch, &["--dry-run", "rg/flags"]).out.contains("judged now"));
    // A session made by hand.
    let tree = work(&scratch, "hand", "h.txt", "x\n");
    within(&scratch, &tree, "rg-event prompt --session h --prompt go | rg-tamper | rg-answer");
    commit(&scratch, &tree, "i.txt", "x\n");
    let line =
        STOP.replace("--client claude --within 3560", "stop --session h").replace("--client claude --kind stop", "");
    within(&scratch, &tree, &line);
    assert_eq!(scratch.receipt()["outcome"], "done");
    assert!(landed(&scratch, &["--dry-run", "rg/hand"]).out.contains("judged now"));
    assert_eq!(remote(&scratch), tip(&scratch, "rev-parse main"));
}

#[test]
fn a_run_that_the_caller_recorded_in_the_same_place_is_not_reused() {
    let scratch = shared_with("  - {name: made, run: 'env >../env; [ -e made ]'}\n");
    work(&scratch, "a", ".gitignore", "made\n");
    refused(&scratch, &["rg/a"], 1, "not landed: rg/a on main is not-done");
    let line = "git worktree add -q --detach ../state/land/tree rg/a && cd ../state/land/tree && touch made\n\
        set --; while IFS= read -r one; do set -- \"$@\" \"$one\"; done <../env\n\
        stages='rg-event stop --against main | rg-tamper | rg-check | rg-answer'\n\
        env -i \"$@\" RG_STATE=\"$RG_STATE\" RG_NOW=\"$RG_NOW\" sh -c \"$(echo \"$stages\" | sed \"s|rg-|$BIN/rg-|g\")\"\n\
        git worktree remove --force \"$PWD\"\n";
    let said = scratch.sh(&line.replace("$BIN", crate::scratch::bin_dir().to_str().unwrap()), b"");
    assert!(said.status == 0 && said.out.contains("ok   made: passed"), "{said:?}");
    refused(&scratch, &["rg/a"], 1, "not landed: rg/a on main is not-done");
}
