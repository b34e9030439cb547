//! The bypasses of donegate that worked (docs/bypasses.md), each tried on rg-tamper, and unusual repositories, in which rg-tamper must
//! find all tampering and report nothing else.

use crate::scratch::Scratch;
use crate::tamper::{AGAINST, JS, SESSION, against, found, repo, session, verdict, want};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A source in which the next edit adds a mark.
const MARK: &str = "// eslint-disable-line\n";

/// Begins a task, calls `hide`, and adds the mark: both modes must find it.
fn finds_despite(what: &str, hide: impl Fn(&Scratch)) {
    println!("{what}");
    let scratch = repo("");
    scratch.prompt("s", "go");
    scratch.append("src/a.js", MARK);
    hide(&scratch);
    let row = ("no_disabled_lint".to_string(), "tampered".to_string(), "src/a.js:3".to_string());
    for (mode, event) in [("session", session(&scratch)), ("commit", against(&scratch))] {
        assert!(found(&event).contains(&row), "{what}, {mode}: {event}");
        assert_eq!(verdict(&event), "tampered", "{what}, {mode}");
    }
}

#[test]
fn b08_a_diff_header_inside_a_comment_hides_no_mark() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    scratch.append("src/a.js", "/*\n++ notes.md\n*/\n// eslint-disable-line\n");
    let row = want(&[("no_disabled_lint", "tampered", "src/a.js:6")]);
    assert_eq!((found(&session(&scratch)), found(&against(&scratch))), (row.clone(), row));
}

#[test]
fn b09_to_b13_git_settings_hide_no_mark() {
    let lines = [
        (
            "B09 attributes",
            "mkdir -p .git/info && echo '*.js -diff' >.git/info/attributes && echo '* -diff -text' >.gitattributes",
        ),
        ("B10 external diff", "git config diff.external true && git config core.pager false"),
        (
            "B11 clean filter",
            "git config filter.x.clean 'git show HEAD:src/a.js' && echo '*.js filter=x' >.gitattributes && git add -A",
        ),
        ("B12 assume-unchanged", "git update-index --assume-unchanged src/a.js"),
        ("B12 skip-worktree", "git update-index --skip-worktree src/a.js"),
        ("B13 replaced commit", "git commit -qam x && git replace HEAD~1 HEAD"),
        (
            "B13 replaced blob",
            "git commit -qam x && git replace $(git rev-parse HEAD~1:src/a.js) $(git rev-parse HEAD:src/a.js)",
        ),
        ("B13 grafts", "mkdir -p .git/info && git commit -qam x && git rev-parse HEAD >.git/info/grafts"),
        ("B28 exclude file", "mkdir -p .git/info && echo '*' >.git/info/exclude"),
        ("B28 new ignore rule, untracked", "echo '*' >.gitignore && git rm -qr --cached src"),
        ("B35 mnemonic prefix", "git config diff.mnemonicPrefix true && git config diff.noprefix true"),
        (
            "T45 fsmonitor",
            "git config core.fsmonitor true && git config core.untrackedCache true && git update-index --untracked-cache",
        ),
        (
            "autocrlf",
            "git config core.autocrlf true && git config core.fileMode false && git config core.ignoreCase true",
        ),
        ("an aliased git", "git config alias.ls-tree '!true' && git config alias.cat-file '!true'"),
        ("a broken configuration of the user", "echo '[core' >$HOME/.gitconfig.bad"),
    ];
    for (what, line) in lines {
        finds_despite(what, |scratch| drop(scratch.ok(line)));
    }
    // The setting is a finding itself, unless it has honest uses.
    let hidden = |line: &str| {
        let scratch = repo("");
        scratch.prompt("s", "go");
        scratch.append("src/a.js", "x\n");
        scratch.ok(line);
        found(&session(&scratch)).into_iter().filter(|(rule, ..)| rule == "no_hidden_changes").count()
    };
    for (what, line) in lines {
        let want = usize::from(["B12", "B13"].iter().any(|row| what.starts_with(row)));
        assert_eq!(hidden(line), want, "{what}");
    }
    assert_eq!(
        hidden("git update-index --assume-unchanged src/b.py"),
        0,
        "a flag on what did not change hides nothing"
    );
}

#[test]
fn b14_large_files_and_nul_bytes_hide_no_mark() {
    finds_despite("B14 a staged file of 33 MiB", |s| {
        s.ok("yes 'filler filler filler' | head -c 34603008 >big.txt && git add big.txt");
    });
    let scratch = repo("");
    scratch.prompt("s", "go");
    scratch.append("src/a.js", "// \0\n// eslint-disable-line\n");
    for event in [session(&scratch), against(&scratch)] {
        let rows = [
            ("no_disabled_lint", "tampered", "src/a.js:4"),
            ("no_hidden_changes", "warning", "src/a.js"),
            ("unreadable", "inconclusive", "src/a.js"),
        ];
        assert_eq!(found(&event), want(&rows));
    }
    // A picture is not source code.
    let scratch = repo("");
    scratch.prompt("s", "go");
    fs::write(scratch.work().join("logo.png"), b"\x89PNG\0\0 TODO eslint-disable \0").unwrap();
    assert_eq!((found(&session(&scratch)), found(&against(&scratch))), (want(&[]), want(&[])));
}

#[test]
fn b18_b20_commits_and_reinstalling_keep_the_baseline_and_removed_tests_are_found_in_every_mode() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    scratch.write("test/a.test.js", &JS[..45]);
    scratch.ok("git commit -qam 'one test less'");
    scratch.ok("rg-install claude -C . >/dev/null");
    let row = want(&[("no_deleted_tests", "tampered", "test/a.test.js")]);
    assert!(found(&session(&scratch)).is_superset(&row) && found(&against(&scratch)).is_superset(&row));
}

#[test]
fn b19_an_untracked_file_does_not_change_the_base() {
    let scratch = repo("");
    scratch.ok("sed -i \"s/it('a'/it.skip('a'/\" test/a.test.js && git commit -qam skip");
    let row = want(&[("no_new_skips", "tampered", "test/a.test.js:1")]);
    let by_hand = |scratch: &Scratch| scratch.sh("rg-event stop | rg-tamper | cat", b"").json();
    assert_eq!(found(&by_hand(&scratch)), row);
    scratch.write("scratch.txt", "x");
    let event = by_hand(&scratch);
    assert_eq!((found(&event), &event["base"]["kind"]), (row, &json!("merge-base")));
    // The second run gives the same result, because the first one leaves no files behind.
    assert_eq!(found(&by_hand(&scratch)), found(&event));
    assert_eq!(scratch.ok("git status --porcelain").out, "?? scratch.txt\n");
}

#[test]
fn b23_b27_a_substituted_definition_does_not_apply() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    scratch.ok("rm test/a.test.js");
    scratch
        .write("sub/DONE.md", "```yaml\nchecks:\n  - {name: t, run: \"true\"}\nguards: {no_deleted_tests: off}\n```\n");
    let payload = scratch.stop_payload("s", json!({"cwd": scratch.work().join("sub")}));
    assert!(found(&scratch.sh(SESSION, &payload).json()).is_superset(&want(&[(
        "no_deleted_tests",
        "tampered",
        "test/a.test.js"
    )])));
    // B27: a link to an easier one, committed or not.
    let scratch = repo("");
    scratch.write("easy.md", "```yaml\nchecks:\n  - {name: t, run: \"true\"}\n```\n");
    scratch.ok("ln -sf easy.md DONE.md && git add -A && git commit -qm easy");
    assert!(found(&against(&scratch)).contains(&("no_done_edits".into(), "tampered".into(), "DONE.md".into())));
}

#[test]
fn b25_nothing_to_compare_with_does_not_pass() {
    let scratch = repo("");
    scratch.ok("git checkout -q main && rm test/a.test.js && git commit -qam gone");
    let said = scratch.run("rg-tamper", &["--now"], b"");
    assert!(said.status == 111 && said.out.contains("no commit since the base branch"), "{said:?}");
    let outside = Scratch::new();
    outside.write("DONE.md", "```yaml\nchecks:\n  - {name: t, run: \"true\"}\n```\n");
    // An untracked file is not enough to compare with: the commits stay unknown.
    scratch.write("scratch.txt", "x");
    let said = scratch.run("rg-tamper", &["--now"], b"");
    assert!(said.status == 111 && said.out.contains("only uncommitted changes"), "{said:?}");
    let said = outside.run("rg-tamper", &["--now"], b"");
    assert!(said.status == 111 && said.out.contains("not in a git repository"), "{said:?}");
}

#[test]
fn b28_a_directory_called_build_is_not_special() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    for dir in ["build", "dist", "vendor", "node_modules/x", ".venv", "coverage"] {
        scratch.write(&format!("{dir}/n.js"), MARK);
        scratch.write(&format!("{dir}/n.test.js"), "it.skip('x')\n");
    }
    for event in [session(&scratch), against(&scratch)] {
        // No guard looks at the lines of code that others maintain.
        assert_eq!(found(&event).len(), 10, "{event}");
    }
    // An ignore rule makes it build output: it is reported and is no tampering.
    scratch.write(".gitignore", "/build/\n");
    let levels = |event: &Value| -> Vec<String> {
        let of_build = found(event).into_iter().filter(|(_, _, place)| place.starts_with("build/"));
        of_build.map(|(rule, level, _)| format!("{rule} {level}")).collect()
    };
    assert_eq!(levels(&session(&scratch)), ["no_disabled_lint warning", "no_new_skips warning"]);
}

#[test]
fn b31_protected_workflows_are_found_in_a_session() {
    let scratch = repo("  protect: [\".github/workflows/**\"]\n");
    scratch.write(".github/workflows/ci.yml", "steps: [test, lint]\n");
    scratch.ok("git add -A && git commit -qm ci && git branch -f main");
    for (edit, place) in [
        ("echo 'steps: [test]' >.github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("rm .github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("echo x >.github/workflows/deploy.yml", ".github/workflows/deploy.yml"),
    ] {
        scratch.ok("git checkout -q . && git clean -qfd");
        scratch.prompt(edit, "go");
        scratch.ok(edit);
        let event = scratch.sh(SESSION, &scratch.stop_payload(edit, json!({}))).json();
        let row = want(&[("no_protected_edits", "tampered", place)]);
        assert_eq!((found(&event), found(&against(&scratch))), (row.clone(), row), "{edit}");
    }
}

#[test]
fn b33_a_definition_in_a_subdirectory_applies_to_its_own_paths() {
    let scratch = Scratch::new();
    scratch.write("pkg/DONE.md", "```yaml\nchecks:\n  - {name: t, run: \"true\"}\nguards:\n  protect: [package.json]\n  exclude: [\"gen/**\"]\n```\n");
    scratch.write("pkg/package.json", "{}\n");
    scratch.write("pkg/test/a.js", JS);
    scratch.write("package.json", "{}\n");
    scratch.ok("git init -q -b main && git add -A && git commit -qm x && git checkout -qb work");
    let payload = |scratch: &Scratch, event: &str| {
        scratch.payload("s", json!({"hook_event_name": event, "cwd": scratch.work().join("pkg"), "prompt": "go"}))
    };
    scratch.sh("rg-event --client claude | rg-tamper", &payload(&scratch, "UserPromptSubmit"));
    scratch.append("pkg/DONE.md", "\n");
    scratch.append("pkg/package.json", "\n");
    scratch.append("package.json", "\n\n");
    scratch.write("gen/x.js", MARK);
    scratch.write("pkg/gen/x.js", MARK);
    scratch.ok("sed -i \"s/it('b'/it.skip('b'/\" pkg/test/a.js");
    let rows = [
        ("no_done_edits", "tampered", "DONE.md"),
        ("no_protected_edits", "tampered", "package.json"),
        ("no_new_skips", "tampered", "test/a.js:4"),
        ("no_disabled_lint", "warning", "../gen/x.js:1"),
    ];
    let by_commit = scratch.sh(&format!("cd pkg && {AGAINST}"), b"").json();
    let in_session = scratch.sh(SESSION, &payload(&scratch, "Stop")).json();
    assert_eq!((found(&in_session), found(&by_commit)), (want(&rows), want(&rows)));
}

#[test]
fn existing_line_endings_and_lfs_pointers_are_no_change() {
    // A checkout with CRLF of what is committed with LF; a pointer of git-lfs and what it points to.
    let scratch = repo("  protect: [\"*.bin\", \"src/**\"]\n");
    scratch.write(".gitattributes", "*.js text eol=crlf\n*.bin filter=lfs -text\n");
    let content = "the real content\n";
    let oid = review_gate::sys::digest::sha256(content.as_bytes());
    scratch.write(
        "data.bin",
        &format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {}\n", content.len()),
    );
    scratch.ok("git add -A && git commit -qm pointer && git branch -f main");
    scratch.ok("rm src/a.js test/a.test.js && git checkout -q . && grep -q $(printf '\\r') src/a.js");
    scratch.write("data.bin", content);
    scratch.prompt("s", "go");
    scratch.write("other.txt", "x\n");
    assert_eq!((found(&session(&scratch)), found(&against(&scratch))), (want(&[]), want(&[])));
    // Both modes still find changes.
    scratch.write("data.bin", "other content\n");
    scratch.append("src/a.js", "// eslint-disable-line\r\n");
    let rows = want(&[
        ("no_protected_edits", "tampered", "data.bin"),
        ("no_protected_edits", "tampered", "src/a.js"),
        ("no_disabled_lint", "tampered", "src/a.js:3"),
    ]);
    assert_eq!((found(&session(&scratch)), found(&against(&scratch))), (rows.clone(), rows));
}

#[test]
fn a_session_with_git_filters_compares_with_the_files_on_disk() {
    let scratch = repo("");
    scratch.write(".gitattributes", "*.py filter=up\n");
    scratch.ok("git config filter.up.clean 'tr A-Z a-z' && git config filter.up.smudge 'tr a-z A-Z' && git add -A && git commit -qm filter && rm src/b.py && git checkout -q src/b.py && git status --porcelain | grep . && exit 1; grep -q DEF src/b.py");
    scratch.prompt("s", "go");
    assert_eq!(scratch.records("baseline")[0]["copied"], 1, "git holds other bytes: these are kept");
    scratch.append("src/b.py", "X = 1  # noqa\n");
    assert_eq!(found(&session(&scratch)), want(&[("no_disabled_lint", "warning", "src/b.py:3")]));
}

#[test]
fn sparse_checkouts_worktrees_and_shallow_clones_are_compared_with_their_own_base() {
    let scratch = repo("");
    scratch.ok("git sparse-checkout set --cone src 2>/dev/null");
    assert!(!scratch.work().join("test").exists());
    scratch.prompt("s", "go");
    scratch.append("src/a.js", MARK);
    assert_eq!(found(&session(&scratch)), want(&[("no_disabled_lint", "tampered", "src/a.js:3")]));
    assert_eq!(
        found(&against(&scratch)),
        want(&[("no_disabled_lint", "tampered", "src/a.js:3"), ("not-checked-out", "warning", "")]),
        "what is not checked out is not gone"
    );

    let scratch = repo("");
    scratch.ok("git worktree add -q ../tree main && cd ../tree && git checkout -qb other");
    let in_tree = |event: &str| {
        let tree = scratch.top().join("tree");
        scratch.payload("t", json!({"hook_event_name": event, "cwd": tree, "prompt": "go"}))
    };
    scratch.sh("rg-event --client claude | rg-tamper", &in_tree("UserPromptSubmit"));
    scratch.ok("cd ../tree && rm test/a.test.js");
    let row = want(&[("no_deleted_tests", "tampered", "test/a.test.js")]);
    assert_eq!(found(&scratch.sh(SESSION, &in_tree("Stop")).json()), row);
    assert_eq!(found(&scratch.sh(&format!("cd ../tree && {AGAINST}"), b"").json()), row);
    scratch.prompt("s", "go");
    assert_eq!(verdict(&session(&scratch)), "not-required", "the other tree's changes are its own");

    let scratch = repo("");
    scratch.ok(
        "rm test/a.test.js && git commit -qam gone && git clone -q --depth 1 --no-single-branch file://$PWD ../shallow",
    );
    let shallow = "cd ../shallow && rg-event stop --against origin/main | rg-tamper | cat";
    let event = scratch.sh(shallow, b"").json();
    assert_eq!(verdict(&event), "inconclusive", "without a common history the tip would charge others' work: {event}");
    scratch.ok("cd ../shallow && git fetch -q --unshallow");
    assert_eq!(found(&scratch.sh(shallow, b"").json()), row);
}

#[test]
fn submodules_are_compared_by_commit_and_files() {
    let scratch = repo("");
    scratch.ok("git init -q -b main ../lib && cd ../lib && mkdir test && echo \"it('s', () => {})\" >test/s.test.js && git add -A && git commit -qm lib");
    scratch.ok("git submodule --quiet add ../lib lib && git commit -qm sub && git branch -f main");
    let row = want(&[("no_deleted_tests", "tampered", "lib/test/s.test.js")]);
    scratch.ok("sed -i 's/^```$/guards: {test_globs: [\"**\\/test\\/**\"]}\\n```/' DONE.md && git commit -qam globs && git branch -f main");
    scratch.prompt("s", "go");
    scratch.ok("rm lib/test/s.test.js");
    assert_eq!((found(&session(&scratch)), found(&against(&scratch))), (row.clone(), row.clone()), "in its files");
    scratch.ok("cd lib && git commit -qam gone && cd .. && git commit -qam bump");
    assert_eq!((found(&session(&scratch)), found(&against(&scratch))), (row.clone(), row), "and in its commits");
    // Not checked out: it has no files here.
    let scratch = scratch.ok("git clone -q . ../clone && cd ../clone && git checkout -q work && git branch -q main origin/main && rg-event stop --against main | rg-tamper | cat").json();
    assert_eq!(found(&scratch), want(&[]));
}

#[test]
fn a_branch_without_a_commit_and_a_directory_without_git_have_baselines() {
    for init in ["git init -q", "true"] {
        let scratch = Scratch::new();
        scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: t, run: \"true\"}\n```\n");
        scratch.write("test/a.test.js", JS);
        scratch.ok(init);
        scratch.prompt("s", "go");
        scratch.write("test/a.test.js", &JS.replace("it('a'", "it.skip('a'"));
        assert_eq!(found(&session(&scratch)), want(&[("no_new_skips", "tampered", "test/a.test.js:1")]), "{init}");
    }
}

#[test]
fn a_missing_or_lying_git_never_passes() {
    let mut scratch = repo("");
    scratch.ok("rm test/a.test.js && git commit -qam gone");
    let path = scratch.env["PATH"].clone();
    for (program, body) in [
        ("git", "exit 1"),
        ("git", "exit 0"),
        ("git", "echo 0000000000000000000000000000000000000000"),
        ("git", "kill -9 $$"),
    ] {
        let bin = scratch.top().join("bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join(program), format!("#!/bin/sh\n{body}\n")).unwrap();
        scratch.ok("chmod +x ../bin/git");
        scratch.set("PATH", &format!("{}:{path}", bin.display()));
        let said = scratch.run("rg-tamper", &["--now"], b"");
        assert_eq!(said.status, 111, "{body}: {said:?}");
        let said = scratch.run("rg-tamper", &["--now", "--against", "main"], b"");
        assert!(matches!(said.status, 100 | 111), "{body}: {said:?}");
        scratch.set("PATH", &path);
    }
}

/// git does not verify that an object matches its name, so the objects of a base are verified.
#[test]
fn a_replaced_object_is_rejected() {
    let forge = |scratch: &Scratch, name: &str, like: &str| {
        let path = |id: &str| format!(".git/objects/{}/{}", &id[..2], &id[2..]);
        let id = |name: &str| scratch.ok(&format!("git rev-parse {name}")).out.trim().to_string();
        let (from, to) = (path(&id(like)), path(&id(name)));
        scratch.ok(&format!("chmod u+w {to} && cp {from} {to}"));
    };
    for (name, like) in
        [("main:src/a.js", "HEAD:src/a.js"), ("main:src", "HEAD:src"), ("main^{tree}", "HEAD^{tree}"), ("main", "HEAD")]
    {
        let scratch = repo("");
        scratch.append("src/b.py", "x = 2\n");
        scratch.ok("git commit -qam b");
        scratch.prompt("s", "go");
        scratch.append("src/a.js", MARK);
        scratch.ok("git commit -qam mark");
        let begun = scratch.records("begin")[0]["head"].as_str().unwrap().to_string();
        forge(&scratch, name, like);
        forge(&scratch, &name.replace("main", &begun), like);
        // If DONE.md cannot be read from the commit, there is no event line, which does not pass either.
        for line in [SESSION, AGAINST] {
            let said = scratch.sh(line, &scratch.stop_payload("s", json!({})));
            let heard = serde_json::from_str::<Value>(&said.out);
            assert!(
                heard.is_err() || matches!(verdict(&heard.unwrap()), "tampered" | "inconclusive"),
                "{name}: {said:?}"
            );
        }
    }
}

#[test]
fn a_tag_is_not_used_as_a_branch() {
    let scratch = repo("");
    scratch.ok("rm test/a.test.js && git commit -qam gone && git tag main HEAD");
    let said = scratch.run("rg-tamper", &["--now", "--against", "main"], b"");
    assert!(said.status == 100 && said.err.contains("ambiguous"), "{said:?}");
    assert_eq!(scratch.run("rg-tamper", &["--now", "--against", "refs/heads/main"], b"").status, 3);
    assert_eq!(scratch.run("rg-tamper", &["--now"], b"").status, 3);
}

#[test]
fn an_unreadable_settings_file_counts_as_a_settings_file() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    let padded = format!("{{\"disableAllHooks\":true}}{}", " ".repeat(5 << 20));
    scratch.write(".claude/settings.json", &padded);
    assert_eq!(found(&session(&scratch)), want(&[("no_hook_edits", "tampered", ".claude/settings.json")]));
    let scratch = repo("");
    scratch.write("elsewhere.json", "{\"disableAllHooks\":true}");
    scratch.ok("mkdir .claude && ln -s ../elsewhere.json .claude/settings.json");
    assert!(found(&against(&scratch)).contains(&(
        "no_hook_edits".into(),
        "tampered".into(),
        ".claude/settings.json".into()
    )));
}

#[test]
fn a_file_too_large_for_the_baseline_is_a_note() {
    let scratch = repo("");
    scratch.write("tests/f.bin", &"x".repeat(9 << 20));
    scratch.write("big.json", &"y\n".repeat(5 << 20));
    scratch.prompt("s", "go");
    assert_eq!(scratch.records("baseline")[0]["left_out"], json!(["big.json", "tests/f.bin"]));
    scratch.append("tests/f.bin", "x");
    scratch.append("big.json", "x");
    let levels: Vec<String> =
        found(&session(&scratch)).into_iter().map(|(rule, level, _)| format!("{rule} {level}")).collect();
    assert_eq!(levels, ["too-large-to-keep warning"]);
    // A blob that was stored and is missing is not reported so.
    let scratch = repo("");
    scratch.write("big.json", &"y\n".repeat(5 << 20));
    scratch.write("test/u.test.js", JS);
    scratch.prompt("s", "go");
    fs::remove_file(scratch.state().join("blobs").join(review_gate::sys::digest::sha256(JS.as_bytes()))).unwrap();
    scratch.write("test/u.test.js", &JS[..45]);
    assert!(found(&session(&scratch)).contains(&(
        "no_hidden_changes".into(),
        "tampered".into(),
        "test/u.test.js".into()
    )));
}

/// With any number of findings, the event line stays below the limit of all programs.
#[test]
fn findings_are_limited_and_the_limit_is_reported() {
    let scratch = repo("");
    (0..12).for_each(|n| scratch.write(&format!("src/n{n}.js"), "let a = 1;\n"));
    scratch.prompt("s", "go");
    for n in 0..12 {
        let lines: String = (0..9_990).map(|line| format!("/* eslint-disable r{line} */ // TODO {line}\n")).collect();
        scratch.write(&format!("src/n{n}.js"), &lines);
    }
    let said = scratch.sh(SESSION, &scratch.stop_payload("s", json!({})));
    assert!(said.out.len() < 1 << 20, "{} bytes", said.out.len());
    let event = said.json();
    let texts: Vec<&str> = event["findings"].as_array().unwrap().iter().filter_map(|f| f["text"].as_str()).collect();
    assert!(
        texts.len() <= 202 && texts.iter().any(|text| text.contains("more findings in 12 files")),
        "{}",
        texts.len()
    );
    assert_eq!(verdict(&event), "tampered");
    assert!(scratch.stop("s").reason().contains("eslint-disable"));
}

#[test]
fn a_damaged_blob_is_replaced_by_the_next_task() {
    let scratch = repo("");
    scratch.write("loose.js", "x\n");
    scratch.prompt("s", "go");
    let blob = scratch.state().join("blobs").join(review_gate::sys::digest::sha256(b"x\n"));
    fs::write(&blob, "").unwrap();
    scratch.prompt("t", "go");
    assert_eq!(fs::read(&blob).unwrap(), b"x\n");
}

#[test]
fn invalid_patterns_are_errors_and_directories_match_their_content() {
    let scratch = repo("");
    scratch
        .write("DONE.md", "```yaml\nchecks:\n  - {name: t, run: \"true\"}\npaths: {deny: [\"vendor/[z-a]*\"]}\n```\n");
    let said = scratch.run("rg-tamper", &["--now"], b"");
    assert!(
        said.status == 100 && said.err.contains("DONE.md:4:") && said.err.contains("is not a gitignore pattern"),
        "{said:?}"
    );
    for pattern in ["vendor", "vendor/", "/vendor/", "vendor/**"] {
        let scratch = repo(&format!("  protect: [\"{pattern}\"]\n"));
        scratch.write("vendor/lib.c", "1\n");
        scratch.ok("git add -A && git commit -qm vendor && git branch -f main");
        scratch.prompt("s", "go");
        scratch.append("vendor/lib.c", "2\n");
        let row = want(&[("no_protected_edits", "tampered", "vendor/lib.c")]);
        assert_eq!((found(&session(&scratch)), found(&against(&scratch))), (row.clone(), row), "{pattern}");
    }
}

#[test]
fn a_waiver_for_an_unknown_rule_is_refused() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    let said = scratch.run("rg-bounce", &["waive", "--why", "x", "--scope", "rule:no_delted_tests"], b"");
    assert!(said.status == 100 && said.err.contains("unknown rule"), "{said:?}");
}

#[test]
fn a_file_that_cannot_be_read_is_a_finding() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    let path = scratch.work().join("test/a.test.js");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let payload = scratch.stop_payload("s", json!({}));
    let said = if fs::read(&path).is_err() {
        scratch.sh(SESSION, &payload)
    } else {
        // root can read everything, so another user runs this.
        let nobody = format!("setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '{SESSION}'");
        let given = scratch.sh(
            "chown -R 65534:65534 .. && setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'rg-tamper --version'",
            b"",
        );
        if given.status != 0 {
            crate::scratch::skipped("no setpriv, or programs that nobody else may run");
            return;
        }
        scratch.sh(&nobody, &payload)
    };
    assert_eq!(
        found(&said.json()),
        want(&[
            ("no_hidden_changes", "tampered", "test/a.test.js"),
            ("no_deleted_tests", "tampered", "test/a.test.js")
        ])
    );
}
