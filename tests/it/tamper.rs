//! Laws of rg-tamper: the base, the findings, moved lines. A baseline and a commit as the base give the same findings.

use crate::scratch::{STOP, Scratch, lines_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

pub const SESSION: &str = "rg-event --client claude --within 100 | rg-tamper | cat";
pub const AGAINST: &str = "rg-event stop --against main | rg-tamper | cat";

pub const JS: &str = "it('a', () => {\n  expect(one()).toBe(1);\n});\nit('b', () => {\n  expect(two()).toBe(2);\n});\n";

/// A repository with a branch `work` off `main`, with this YAML below `guards:`, tests and sources.
pub fn repo(guards: &str) -> Scratch {
    let scratch = Scratch::new();
    let guards = if guards.is_empty() { String::new() } else { format!("guards:\n{guards}") };
    scratch.write("DONE.md", &format!("```yaml\nchecks:\n  - {{name: t, run: \"true\"}}\n{guards}```\n"));
    scratch.write("test/a.test.js", JS);
    scratch.write("src/a.js", "export const one = () => 1;\nexport const two = () => 2;\n");
    scratch.write("src/b.py", "def f():\n    return 1\n");
    scratch.ok("git init -q -b main && git add -A && git commit -qm start && git checkout -qb work");
    scratch
}

/// The findings: rule, level, place.
pub type Found = BTreeSet<(String, String, String)>;

pub fn found(event: &Value) -> Found {
    let text = |value: &Value| value.as_str().unwrap_or("").to_string();
    let of = |finding: &Value| {
        let line = finding["line"].as_u64().map_or(String::new(), |line| format!(":{line}"));
        (text(&finding["rule"]), text(&finding["level"]), text(&finding["path"]) + &line)
    };
    event["findings"].as_array().into_iter().flatten().map(of).collect()
}

pub fn want(rows: &[(&str, &str, &str)]) -> Found {
    rows.iter().map(|(rule, level, place)| (rule.to_string(), level.to_string(), place.to_string())).collect()
}

/// The event of a stop in a session that has begun.
pub fn session(scratch: &Scratch) -> Value {
    scratch.sh(SESSION, &scratch.stop_payload("s", json!({}))).json()
}

pub fn against(scratch: &Scratch) -> Value {
    scratch.sh(AGAINST, b"").json()
}

pub fn verdict(event: &Value) -> &str {
    event["verdicts"][0]["verdict"].as_str().unwrap()
}

/// Begins a session, edits, and compares the findings against a baseline and a commit with `rows`.
pub fn both(scratch: &Scratch, edit: impl FnOnce(&Scratch), rows: &[(&str, &str, &str)]) {
    scratch.prompt("s", "go");
    edit(scratch);
    let (in_session, by_commit) = (session(scratch), against(scratch));
    assert_eq!(found(&in_session), want(rows), "in the session");
    assert_eq!(found(&by_commit), want(rows), "against the commit");
    let is_tampered = rows.iter().any(|(_, level, _)| *level == "tampered");
    let verdicts = if is_tampered { ["tampered", "tampered"] } else { ["pass", "pass"] };
    assert_eq!([verdict(&in_session), verdict(&by_commit)], verdicts);
}

#[test]
fn each_guard_finds_its_changes_with_a_baseline_and_a_commit() {
    type Edit = fn(&Scratch);
    type Rows = &'static [(&'static str, &'static str, &'static str)];
    let cases: &[(&str, Edit, Rows)] = &[
        (
            "a skip",
            |s| s.write("test/a.test.js", &JS.replace("it('a'", "it.skip('a'")),
            &[("no_new_skips", "tampered", "test/a.test.js:1")],
        ),
        (
            "a focus",
            |s| s.write("test/a.test.js", &JS.replace("it('b'", "it.only('b'")),
            &[("no_focused_tests", "tampered", "test/a.test.js:4")],
        ),
        (
            "a new test file with a skip",
            |s| s.write("test/n.test.js", "it.todo('x')\n"),
            &[("no_new_skips", "warning", "test/n.test.js:1")],
        ),
        (
            "a test file deleted",
            |s| drop(s.ok("rm test/a.test.js")),
            &[("no_deleted_tests", "tampered", "test/a.test.js")],
        ),
        (
            "a test file emptied",
            |s| s.write("test/a.test.js", ""),
            &[("no_deleted_tests", "tampered", "test/a.test.js")],
        ),
        (
            "one of two tests deleted",
            |s| s.write("test/a.test.js", &JS[..45]),
            &[("no_deleted_tests", "tampered", "test/a.test.js")],
        ),
        (
            "a test file as a link",
            |s| drop(s.ok("mv test/a.test.js x && ln -s ../x test/a.test.js")),
            &[("no_deleted_tests", "tampered", "test/a.test.js")],
        ),
        (
            "suppressed lint",
            |s| s.append("src/a.js", "// eslint-disable-next-line\n"),
            &[("no_disabled_lint", "tampered", "src/a.js:3")],
        ),
        (
            "suppressed lint in an untracked file",
            |s| s.write("src/n.py", "x = 1  # noqa\n"),
            &[("no_disabled_lint", "warning", "src/n.py:1")],
        ),
        ("unfinished work", |s| s.append("src/b.py", "# TODO later\n"), &[("no_new_todos", "warning", "src/b.py:3")]),
        (
            "a debugging aid",
            |s| s.append("src/a.js", "console.log(1)\n"),
            &[("no_debug_artifacts", "warning", "src/a.js:3")],
        ),
        ("the same in a test", |s| s.append("test/a.test.js", "console.log(1)\n"), &[]),
        ("prose", |s| s.write("test/README.md", "TODO: never use it.skip( or eslint-disable\n"), &[]),
        ("the definition", |s| s.append("DONE.md", "\nmore\n"), &[("no_done_edits", "tampered", "DONE.md")]),
    ];
    for (what, edit, rows) in cases {
        println!("{what}");
        both(&repo(""), edit, rows);
        // The findings are the same after a commit.
        let committed = |s: &Scratch| {
            edit(s);
            s.ok("git add -A && git commit -qm work");
        };
        both(&repo(""), committed, rows);
    }
}

#[test]
fn moved_marks_and_tests_are_not_findings() {
    type Edit = fn(&Scratch);
    let marked = "// eslint-disable-next-line no-x\nconst a = x;\nconst b = 2;\n";
    let setup = |s: &Scratch| {
        s.write("src/m.js", marked);
        s.write("test/m.test.js", "it.skip('slow', () => {\n  wait();\n});\nit('quick', () => {\n  go();\n});\n");
        s.write(
            "test/n_test.py",
            "@pytest.mark.skip(reason='old')\ndef test_x():\n    pass\n\ndef test_y():\n    pass\n",
        );
        s.ok("git add -A && git commit -qm marks && git branch -f main");
    };
    let cases: [(&str, Edit); 12] = [
        ("mv without git add", |s| drop(s.ok("mv test/a.test.js test/b.test.js"))),
        ("git mv", |s| drop(s.ok("mkdir -p pkg/tests && git mv test/a.test.js pkg/tests/a.test.js"))),
        ("moved and edited a little", |s| {
            s.write("test/c.test.js", &JS.replace("two()", "deux()"));
            s.ok("rm test/a.test.js");
        }),
        ("a test moved to another test file", |s| {
            s.write("test/a.test.js", &JS[..45]);
            s.write("test/other.test.js", &JS[45..]);
        }),
        ("a test renamed", |s| s.write("test/a.test.js", &JS.replace("it('a'", "it('the first'"))),
        ("another indentation", |s| {
            s.write("src/m.js", "{\n    // eslint-disable-next-line   no-x\n    const a = x;\n}\nconst b = 2;\n")
        }),
        ("further down", |s| {
            s.write("src/m.js", "const b = 2;\nconst c = 3;\n// eslint-disable-next-line no-x\nconst a = x;\n")
        }),
        ("to another file, with its line", |s| {
            s.write("src/m.js", "const b = 2;\n");
            s.write("src/k.js", "// eslint-disable-next-line no-x\nconst a = x;\n");
        }),
        ("the whole file", |s| drop(s.ok("mv src/m.js src/elsewhere.js"))),
        ("another reason for the same skip", |s| {
            let text = "@pytest.mark.skip(reason='old, see 12')\ndef test_x():\n    pass\n\ndef test_y():\n    pass\n";
            s.write("test/n_test.py", text);
        }),
        ("a skip taken away", |s| {
            s.write("test/m.test.js", "it('slow', () => {\n  wait();\n});\nit('quick', () => {\n  go();\n});\n")
        }),
        ("ends of lines", |s| drop(s.ok("sed -i 's/$/\\r/' src/m.js test/m.test.js"))),
    ];
    for (what, edit) in cases {
        println!("{what}");
        let scratch = repo("");
        setup(&scratch);
        both(&scratch, edit, &[]);
    }
    // Not moves: another test is skipped instead; the mark is before another line; the runner no longer finds a test.
    let cases: [(&str, Edit, (&str, &str, &str)); 3] = [
        (
            "another one skipped instead",
            |s| {
                s.write(
                    "test/m.test.js",
                    "it('slow', () => {\n  wait();\n});\nit.skip('quick', () => {\n  go();\n});\n",
                );
            },
            ("no_new_skips", "tampered", "test/m.test.js:4"),
        ),
        (
            "to another file, before another line",
            |s| {
                s.write("src/m.js", "const a = x;\nconst b = 2;\n");
                s.write("src/k.js", "// eslint-disable-next-line no-x\nconst z = y;\n");
            },
            ("no_disabled_lint", "warning", "src/k.js:1"),
        ),
        (
            "out of the runner's sight",
            |s| drop(s.ok("git mv test/a.test.js src/a.checks.js")),
            ("no_deleted_tests", "tampered", "test/a.test.js"),
        ),
    ];
    for (what, edit, row) in cases {
        println!("{what}");
        let scratch = repo("");
        setup(&scratch);
        both(&scratch, edit, &[row]);
    }
}

#[test]
fn only_allowed_paths_may_change() {
    let scratch = || {
        let scratch = repo("");
        let yaml = "```yaml\nchecks:\n  - {name: t, run: \"true\"}\npaths:\n  allow: [\"/src/\", \"*.md\"]\n  deny: [\"*.lock\"]\n```\n";
        scratch.write("DONE.md", yaml);
        scratch.ok("git add -A && git commit -qm paths && git branch -f main");
        scratch
    };
    both(&scratch(), |s| s.write("src/deep/x.js", "1"), &[]);
    both(&scratch(), |s| s.write("notes.md", "1"), &[]);
    both(&scratch(), |s| s.write("src-secrets", "1"), &[("no_path_escapes", "tampered", "src-secrets")]);
    both(&scratch(), |s| s.write("src/a.lock", "1"), &[("no_path_escapes", "tampered", "src/a.lock")]);
    both(
        &scratch(),
        |s| symlink("../test", s.work().join("src/t")).unwrap(),
        &[("no_path_escapes", "tampered", "src/t")],
    );
    both(&scratch(), |s| drop(s.ok("git mv src/b.py b.py")), &[("no_path_escapes", "tampered", "b.py")]);
}

#[test]
fn the_baseline_is_taken_at_the_first_prompt_and_no_commit_moves_it() {
    let scratch = repo("");
    scratch.write("notes.js", "// TODO mine\n");
    scratch.prompt("s", "go");
    assert_eq!(scratch.records("baseline").len(), 1);
    assert_eq!(scratch.records("baseline")[0]["copied"], 1, "the baseline has a copy of what git does not hold");
    assert_eq!(verdict(&session(&scratch)), "not-required");
    scratch.prompt("s", "and more");
    assert_eq!(scratch.records("baseline").len(), 1);
    // The user's mark was there before, the agent's is new. Git never held the file.
    scratch.append("notes.js", "// eslint-disable\n");
    scratch.ok("git add -A && git commit -qm a && git reset -q --hard && git checkout -qb other");
    let event = session(&scratch);
    assert_eq!(found(&event), want(&[("no_disabled_lint", "tampered", "notes.js:2")]));
    assert_eq!(event["base"]["kind"], "task");
    assert_eq!(event["base"]["commit"], scratch.records("begin")[0]["head"]);
    // After the change is undone nothing is found, for any history of git.
    scratch.write("notes.js", "// TODO mine\n");
    assert_eq!(verdict(&session(&scratch)), "not-required");
}

#[test]
fn a_new_task_has_a_new_baseline_unless_the_last_was_not_judged() {
    let mut scratch = repo("");
    scratch.prompt("s", "go");
    scratch.append("src/a.js", "x\n");
    assert_eq!(scratch.stop("s").out, "");
    scratch.later(60.0);
    scratch.prompt("s", "next");
    assert_eq!((scratch.records("begin").len(), scratch.records("baseline").len()), (2, 2));
    // Under a waiver nothing is judged, so that work is compared with the old baseline.
    scratch.later(60.0);
    scratch.prompt("s", "#gate:off");
    scratch.write("test/a.test.js", &JS.replace("it('b'", "it.skip('b'"));
    scratch.stop("s");
    assert_eq!(scratch.words(), ["done", "waived"]);
    scratch.later(60.0);
    scratch.prompt("s", "#gate:on");
    let last = scratch.records("baseline").pop().unwrap();
    assert!(last["from"].is_string() && scratch.records("begin").len() == 3, "{last}");
    scratch.later(60.0);
    assert!(scratch.stop("s").reason().contains("test/a.test.js:4: tampered"));
}

#[test]
fn a_deliberate_removal_is_waived_and_not_found_again() {
    let mut scratch = repo("");
    scratch.prompt("s", "remove b");
    scratch.write("test/a.test.js", &JS[..45]);
    assert!(scratch.stop("s").told().contains("--scope key:"));
    let Some(said) = person(&scratch, "rg-bounce waive --why 'b is gone' --scope rule:no_deleted_tests --for 30m")
    else {
        return;
    };
    assert_eq!(said.status, 0, "{said:?}");
    let told = scratch.stop("s").told();
    assert!(told.contains("waived: b is gone (tester"), "{told}");
    assert_eq!(scratch.words(), ["not-done", "waived"]);
    // The next task starts from the judged files, after the waiver has expired.
    scratch.later(7200.0);
    scratch.prompt("s", "next");
    scratch.append("src/a.js", "y\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["not-done", "waived", "done"]);
}

/// Runs a line at a terminal; None without script(1).
fn person(scratch: &Scratch, line: &str) -> Option<crate::scratch::Said> {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        crate::scratch::skipped("no script");
        return None;
    }
    Some(scratch.run("script", &["-qec", line, "/dev/null"], b""))
}

#[test]
fn bless_needs_the_user_and_is_in_every_later_receipt() {
    let mut scratch = repo("");
    scratch.prompt("s", "go");
    scratch.write("test/a.test.js", &JS[..45]);
    let said = scratch.run("rg-tamper", &["bless", "--why", "x"], b"");
    assert!(said.status == 100 && said.err.contains("at a terminal"), "{said:?}");
    assert_eq!(scratch.run("rg-tamper", &["bless"], b"").status, 100);
    scratch.set("CLAUDECODE", "1");
    let Some(said) = person(&scratch, "rg-tamper bless --why x") else { return };
    assert!(said.status == 100 && said.out.contains("an agent's shell"), "{said:?}");
    scratch.env.remove("CLAUDECODE");
    assert_eq!(person(&scratch, "rg-tamper bless --why 'b went'").unwrap().status, 0);
    assert_eq!(scratch.records("bless")[0]["who"], "tester");
    assert_eq!(verdict(&session(&scratch)), "not-required", "the files are the baseline");
    for n in 0..2 {
        scratch.later(60.0);
        scratch.append("src/a.js", &format!("{n}\n"));
        scratch.stop("s");
        assert_eq!(scratch.receipt()["base"]["blessed"][0]["why"], "b went");
        let shown = scratch.run("rg-receipt", &["show"], b"").out;
        assert!(shown.contains("blessed: b went (tester"), "{shown}");
    }
    assert_eq!(
        found(&against(&scratch)),
        want(&[("no_deleted_tests", "tampered", "test/a.test.js")]),
        "a commit does not heed it"
    );
}

#[test]
fn only_the_deciding_part_of_hook_settings_is_pinned() {
    let set = |scratch: &Scratch, path: &str, text: &str| {
        let path = scratch.top().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let begun = || {
        let scratch = repo("");
        scratch.write(".gitignore", ".claude/settings.local.json\n");
        scratch.ok("git add -A && git commit -qm ignore && git branch -f main");
        set(&scratch, "repo/.claude/settings.json", "{\"hooks\":{\"Stop\":[1]},\"model\":\"x\"}");
        set(&scratch, "home/.claude/settings.json", "{\"hooks\":{\"Stop\":[2]}}");
        scratch.prompt("s", "go");
        scratch
    };
    for (path, text, place) in [
        ("repo/.claude/settings.json", "{}", ".claude/settings.json"),
        ("repo/.claude/settings.json", "", ".claude/settings.json"),
        ("repo/.claude/settings.json", "{\"hooks\":{\"Stop\":[1]},\"disableAllHooks\":true}", ".claude/settings.json"),
        ("repo/.claude/settings.local.json", "{\"disableAllHooks\":true}", ".claude/settings.local.json"),
        ("home/.claude/settings.json", "{\"hooks\":{}}", "~/.claude/settings.json"),
        ("repo/.codex/hooks.json", "{\"hooks\":{}}", ".codex/hooks.json"),
    ] {
        let scratch = begun();
        set(&scratch, path, text);
        assert_eq!(found(&session(&scratch)), want(&[("no_hook_edits", "tampered", place)]), "{path} {text}");
    }
    // A permission that the client writes when the user allows a tool is no edit of hooks.
    let scratch = begun();
    set(
        &scratch,
        "repo/.claude/settings.json",
        "{\"model\":\"y\",\"hooks\":{\"Stop\":[1]},\"permissions\":{\"allow\":[\"Bash(ls)\"]}}",
    );
    set(&scratch, "repo/.claude/settings.local.json", "{\"permissions\":{\"allow\":[\"Bash(ls)\"]}}");
    assert_eq!((found(&session(&scratch)), verdict(&session(&scratch))), (want(&[]), "pass"));
    // A commit holds them as ordinary files.
    let scratch = repo("");
    scratch.write(".claude/settings.json", "{\"hooks\":{\"Stop\":[1]}}");
    scratch.ok("git add -A && git commit -qm hooks && git branch -f main");
    scratch.write(".claude/settings.json", "{\"disableAllHooks\":true}");
    assert_eq!(found(&against(&scratch)), want(&[("no_hook_edits", "tampered", ".claude/settings.json")]));
}

#[test]
fn a_protected_file_that_git_ignores_is_pinned_too() {
    let scratch = repo("  protect: [\".env.test\"]\n");
    scratch.write(".gitignore", ".env.test\n");
    scratch.write(".env.test", "A=1\n");
    scratch.prompt("s", "go");
    assert_eq!(verdict(&session(&scratch)), "not-required");
    scratch.write(".env.test", "A=2\n");
    assert_eq!(found(&session(&scratch)), want(&[("no_protected_edits", "tampered", ".env.test")]));
}

#[test]
fn a_base_that_git_lost_is_a_finding() {
    let scratch = repo("");
    scratch.write("src/c.js", "// eslint-disable\n");
    scratch.ok("git add -A && git commit -qm c");
    scratch.prompt("s", "go");
    scratch.append("src/c.js", "// eslint-disable-line\n");
    scratch.ok(
        "git add -A && git commit -q --amend -m d && git reflog expire --expire=now --all && git gc -q --prune=now",
    );
    let rows = found(&session(&scratch));
    assert!(rows.contains(&("no_hidden_changes".into(), "tampered".into(), "src/c.js".into())), "{rows:?}");
    // The baseline has a copy of a file that git never held, which cannot be lost this way.
    let scratch = repo("");
    scratch.write("src/c.js", "// eslint-disable\n");
    scratch.prompt("s", "go");
    scratch.append("src/c.js", "x\n");
    scratch.ok("git gc -q --prune=now");
    assert_eq!(found(&session(&scratch)), want(&[]));
    // An altered blob is not used.
    let name = review_gate::sys::digest::sha256(b"// eslint-disable\n");
    fs::write(scratch.state().join("blobs").join(name), "// eslint-disable\n// more\n").unwrap();
    assert_eq!(verdict(&session(&scratch)), "tampered");
}

#[test]
fn a_damaged_baseline_is_unverified() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    scratch.ok("rm test/a.test.js");
    for blob in fs::read_dir(scratch.state().join("blobs")).unwrap().flatten() {
        fs::write(blob.path(), "garbage").unwrap();
    }
    let said = scratch.sh(STOP, &scratch.stop_payload("s", json!({})));
    assert!(said.told().contains("unverified"), "{said:?}");
    fs::remove_dir_all(scratch.state().join("blobs")).unwrap();
    assert!(scratch.stop("s").told().contains("unverified"));
}

#[test]
fn a_session_without_records_is_compared_with_the_fork_point() {
    let scratch = repo("");
    scratch.ok("sed -i \"s/it('a'/it.skip('a'/\" test/a.test.js && git commit -qam skip");
    let said = scratch.stop("never-seen");
    assert!(said.reason().contains("test/a.test.js:1: tampered"), "{said:?}");
    assert_eq!(scratch.receipt()["state"], "missing");
    assert_eq!(
        scratch.receipt()["base"],
        json!({"kind": "merge-base", "ref": "refs/heads/main", "commit": scratch.ok("git rev-parse main").out.trim()})
    );
}

#[test]
fn the_base_is_the_fork_point_not_the_tip() {
    let scratch = repo("");
    scratch.ok(
        "git checkout -q main && git rm -q test/a.test.js && git commit -qm 'others remove it' && git checkout -q work",
    );
    scratch.append("src/a.js", "x\n");
    assert_eq!(found(&against(&scratch)), want(&[]), "changes on main are not this branch's");
    scratch.ok("git checkout -q main && echo \"it('n', () => {})\" >test.test.js && git add -A && git commit -qm 'others add' -- test.test.js && git checkout -q work");
    assert_eq!(found(&against(&scratch)), want(&[]));
}

#[test]
fn declared_writes_do_not_void_the_guards_verdict() {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: date +%N >out.txt, writes: [out.txt]}\n");
    scratch.prompt("s", "go");
    scratch.append("src.txt", "x\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn an_ignored_definition_is_compared_too() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", ".donegate/\n");
    scratch.write(".donegate/done.yml", "checks:\n  - {name: t, run: \"true\"}\n");
    scratch.ok("git init -q && git add -A && git commit -qm x");
    scratch.prompt("s", "go");
    scratch.append(".donegate/done.yml", "gate: {max_bounces: 20}\n");
    assert_eq!(found(&session(&scratch)), want(&[("no_done_edits", "tampered", ".donegate/done.yml")]));
}

#[test]
fn odd_file_names_and_types_are_handled() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scratch = repo("");
    // Tests that no other file holds.
    let js = &JS.replace("it('", "it('odd ");
    scratch.write("test/new\nline.test.js", js);
    scratch.write("test/ \"quote\\.test.js", js);
    fs::write(scratch.work().join(OsStr::from_bytes(b"test/bad\xff.test.js")), js).unwrap();
    scratch.ok("git add -A && git commit -qm odd && git branch -f main");
    scratch.prompt("s", "go");
    scratch.ok("rm test/new*line.test.js test/*quote* test/bad* && ln -s loop loop && mkfifo src/pipe && ln -s . src/round && ln -s /dev/zero src/zero");
    for event in [session(&scratch), against(&scratch)] {
        let gone = found(&event).into_iter().filter(|(rule, ..)| rule == "no_deleted_tests").count();
        assert_eq!(gone, 3, "{event}");
    }
    let said = scratch.stop("s");
    assert!(said.reason().contains("tampered") && said.took.as_secs() < 30, "{said:?}");
}

#[test]
fn large_files_and_bundles_are_scanned_whole_within_bounds() {
    let scratch = repo("");
    let line = "const filler = 'nothing to see here, really nothing at all';\n";
    scratch.write("src/big.js", &line.repeat(1000));
    scratch.ok("git add -A && git commit -qm big && git branch -f main");
    scratch.prompt("s", "go");
    // 100 MiB with a mark at the end, and a bundle of one line; both untracked.
    scratch.write("src/big.js", &(line.repeat((100 << 20) / line.len()) + "// eslint-disable-line\n"));
    scratch.write("src/bundle.js", &("f(1);".repeat(2 << 20) + "/* eslint-disable */"));
    let began = std::time::Instant::now();
    let limited = format!("ulimit -v 400000; {SESSION}");
    let event = scratch.sh(&limited, &scratch.stop_payload("s", json!({}))).json();
    let last = (100 << 20) / line.len() + 1;
    assert_eq!(
        found(&event),
        want(&[
            ("no_disabled_lint", "tampered", &format!("src/big.js:{last}")),
            ("no_disabled_lint", "warning", "src/bundle.js:1"),
            // rg-outline read it at the base, and no longer does.
            ("unreadable", "inconclusive", "src/big.js")
        ])
    );
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn a_findings_key_does_not_depend_on_the_line_number() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    scratch.append("src/a.js", "// eslint-disable-next-line\nfoo();\n");
    let key = |event: &Value| event["findings"][0]["key"].as_str().unwrap().to_string();
    let before = session(&scratch);
    scratch.write("src/a.js", &format!("\n\n{}", fs::read_to_string(scratch.work().join("src/a.js")).unwrap()));
    let after = session(&scratch);
    assert_eq!((key(&before), &before["findings"][0]["line"]), (key(&after), &json!(3)));
    assert_eq!(after["findings"][0]["line"], 5);
}

#[test]
fn a_failure_at_the_prompt_shows_at_the_stop() {
    let scratch = repo("");
    let line = "rg-event --client claude --within 290 | rg-answer --client claude --kind prompt";
    let prompt = scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"}));
    scratch.sh(line, &prompt);
    assert!(scratch.records("baseline").is_empty());
    assert_eq!(verdict(&session(&scratch)), "not-required", "no file changed since the task began");
    scratch.ok("rm test/a.test.js");
    assert_eq!(
        found(&session(&scratch)),
        want(&[("no_deleted_tests", "tampered", "test/a.test.js")]),
        "held against HEAD"
    );
    // Committed changes have no base then, so the verdict is not a pass.
    scratch.ok("git checkout -q main && git rm -q test/a.test.js && git commit -qm gone && echo x >scratch.txt");
    assert_eq!(verdict(&session(&scratch)), "inconclusive");
}

#[test]
fn receipts_name_the_base_and_the_trace_the_findings() {
    let scratch = repo("");
    scratch.prompt("s", "go");
    scratch.ok("rm test/a.test.js");
    let line = STOP.replace("| rg-answer", "| rg-trace | rg-answer");
    scratch.sh(&line, &scratch.stop_payload("s", json!({})));
    assert_eq!(scratch.receipt()["base"]["kind"], "task");
    assert_eq!(scratch.receipt()["row"], "tampered");
    let trace = lines_of(&scratch.state().join("trace/s.jsonl"));
    assert_eq!(trace.last().unwrap()["findings"][0]["rule"], "no_deleted_tests");
    assert!(Path::new(&scratch.state()).join("cache").exists());
}

#[test]
fn a_baseline_that_cannot_be_taken_is_reported_at_once() {
    let scratch = repo("");
    fs::create_dir_all(scratch.state()).unwrap();
    scratch.write("loose.js", "x\n");
    let begun = scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"}));
    let event = scratch.sh("rg-event --client claude", &begun).out;
    fs::rename(scratch.state().join("blobs"), scratch.state().join("kept")).unwrap();
    fs::write(scratch.state().join("blobs"), "in the way").unwrap();
    let said = scratch.sh("rg-tamper | rg-answer --client claude --kind prompt", event.as_bytes());
    assert!(said.told().contains("cannot take a baseline"), "{said:?}");
}

/// Another process keeps writing the file, and each version has a mark. The mark is found or the verdict is inconclusive, never a
/// pass.
#[test]
fn a_file_that_changes_while_it_is_read_does_not_pass() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let scratch = repo("");
    scratch.prompt("s", "go");
    let (path, next) = (scratch.work().join("src/a.js"), scratch.top().join("next"));
    let before = fs::read_to_string(&path).unwrap();
    scratch.write("src/a.js", &format!("/* eslint-disable */\n{before}"));
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0.. {
                if ended.load(Ordering::SeqCst) {
                    break;
                }
                let filler = "const x = 1;\n".repeat(n % 2000);
                fs::write(&next, format!("/* eslint-disable */\n{before}{filler}const n = {n};\n")).unwrap();
                fs::rename(&next, &path).unwrap();
            }
        });
        let events: Vec<Value> = (0..30).map(|_| session(&scratch)).collect();
        ended.store(true, Ordering::SeqCst);
        for event in events {
            let seen = |(rule, ..): &(String, String, String)| matches!(rule.as_str(), "no_disabled_lint" | "unstable");
            assert!(found(&event).iter().any(seen), "{event}");
            assert!(matches!(verdict(&event), "tampered" | "inconclusive"), "{event}");
        }
    });
}
