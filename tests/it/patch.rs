//! Tests of rg-patch: what it applies, what it prints, which DONE.md holds, and what a killed or disturbed run leaves.

use crate::scratch::{Said, Scratch, bin_dir};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Each file below a directory, without git's own: whether it is executable, and its bytes. A link has its target.
pub type Files = BTreeMap<PathBuf, (bool, Vec<u8>)>;

pub fn files_below(top: &Path) -> Files {
    let (mut found, mut open) = (Files::new(), vec![top.to_path_buf()]);
    while let Some(dir) = open.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            let meta = fs::symlink_metadata(&path).unwrap();
            let key = path.strip_prefix(top).unwrap().to_path_buf();
            if meta.is_dir() {
                if !path.ends_with(".git") {
                    open.push(path);
                }
            } else if meta.is_symlink() {
                let target = fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
                found.insert(key, (false, [b"link to ".to_vec(), target].concat()));
            } else if meta.is_file() {
                found.insert(key, (meta.mode() & 0o100 != 0, fs::read(&path).unwrap()));
            }
        }
    }
    found
}

/// A repository in which only `src` may change, without its `secret`.
pub fn repo() -> Scratch {
    let yaml =
        "checks: [{name: tests, run: \"true\"}]\npaths:\n  allow: [\"/src/\"]\n  deny: [\"/src/secret/\", \".env\"]\n";
    let scratch = Scratch::repo_with(yaml);
    for path in ["src/a.txt", "src/b.txt", "src/secret/k", "src-secrets/k", "lib/x", ".env"] {
        scratch.write(path, "one\n");
    }
    scratch.ok("git add -A && git commit -qm files");
    scratch
}

/// A patch of a file that contains `one`.
pub fn edit(path: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-one\n+two\n")
}

pub fn patch(scratch: &Scratch, text: &str) -> Said {
    scratch.run("rg-patch", &[], text.as_bytes())
}

fn read(scratch: &Scratch, path: &str) -> String {
    fs::read_to_string(scratch.work().join(path)).unwrap()
}

#[test]
fn a_patch_is_applied_and_each_file_is_recorded() {
    let scratch = repo();
    scratch.write("src/run.sh", "one\n");
    let text = format!(
        "diff --git a/src/a.txt b/src/sub/c.txt\nsimilarity index 50%\nrename from src/a.txt\nrename to src/sub/c.txt\n\
         --- a/src/a.txt\n+++ b/src/sub/c.txt\n@@ -1 +1,2 @@\n one\n+two\n{}\
         diff --git a/src/run.sh b/src/run.sh\nold mode 100644\nnew mode 100755\n\
         diff --git a/src/new.txt b/src/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.txt\n@@ -0,0 +1 @@\n+n\n",
        edit("src/b.txt")
    );
    let check = scratch.run("rg-patch", &["--check"], text.as_bytes());
    assert_eq!((check.status, check.out.lines().count()), (0, 4), "{check:?}");
    assert!(check.out.lines().all(|line| line.starts_with("would be ")), "{check:?}");
    assert!(scratch.work().join("src/a.txt").exists() && read(&scratch, "src/b.txt") == "one\n");
    let said = patch(&scratch, &text);
    let wanted = "renamed src/a.txt to src/sub/c.txt (+1 -0)\nchanged src/b.txt (+1 -1)\nchanged src/run.sh, mode 100755\n\
                  added src/new.txt (+1 -0)\n";
    assert_eq!((said.status, said.out.as_str()), (0, wanted), "{said:?}");
    assert!(!scratch.work().join("src/a.txt").exists());
    assert_eq!((read(&scratch, "src/sub/c.txt"), read(&scratch, "src/b.txt")), ("one\ntwo\n".into(), "two\n".into()));
    let mode = |path: &str| fs::metadata(scratch.work().join(path)).unwrap().permissions().mode() & 0o111;
    assert!(mode("src/run.sh") != 0 && mode("src/new.txt") == 0);
    assert!(scratch.ok("git diff --cached --stat").out.is_empty(), "the index changed");
    // In reverse, as JSON.
    let said = scratch.run("rg-patch", &["--reverse", "--json"], text.as_bytes());
    let records: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(said.status, 0, "{said:?}");
    let of = |at: usize, key: &str| records[at][key].as_str().unwrap_or("").to_string();
    assert_eq!(
        (of(0, "change"), of(0, "path"), of(0, "from")),
        ("renamed".into(), "src/a.txt".into(), "src/sub/c.txt".into())
    );
    assert_eq!(
        (of(3, "change"), &records[1]["added"], &records[1]["applied"]),
        ("removed".into(), &1.into(), &true.into())
    );
    assert_eq!(of(1, "sha256"), review_gate::sys::digest::sha256(b"one\n"));
    assert!(!scratch.work().join("src/sub").exists(), "an empty directory stays");
    assert!(scratch.ok("git status --porcelain -uno").out.is_empty());
}

/// All files of a patch are refused if one is, and each one is named.
#[test]
fn a_refusal_names_every_file_and_changes_none() {
    let scratch = repo();
    let text = format!("{}{}{}", edit("src/a.txt"), edit("lib/x"), edit("src/secret/k"));
    let before = files_below(&scratch.work());
    let said = patch(&scratch, &text);
    assert_eq!(said.status, 1, "{said:?}");
    let wanted = "refused lib/x: `paths.allow` of DONE.md does not allow it\nrefused src/secret/k: `paths.deny` of DONE.md denies it\n";
    assert_eq!((said.out.as_str(), said.err.as_str()), (wanted, "rg-patch: refused 2 files: nothing was changed\n"));
    assert_eq!(files_below(&scratch.work()), before);
    let said = scratch.run("rg-patch", &["--json"], text.as_bytes());
    let record: Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert_eq!((&record["change"], &record["line"], &record["applied"]), (&"refused".into(), &6.into(), &false.into()));
}

/// A hunk that does not fit is shown line by line beside the file, so that the sender can correct it. A forbidden file is never shown.
#[test]
fn a_hunk_that_does_not_fit_is_shown_beside_the_file() {
    let scratch = repo();
    scratch.write("src/a.txt", "alpha\nbeta\ngamma\n");
    let text = "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,3 +1,3 @@\n alpha\n-Beta\n+delta\n gamma\n";
    let said = patch(&scratch, text);
    let wanted = "refused src/a.txt: hunk 1 (line 3) does not fit: its lines are not in the file\n    @@ -1,3 +1,3 @@\n    \
                  line      the patch | the file\n         1    alpha     | alpha\n         2 !  Beta      | beta\n         \
                  3    gamma     | gamma\n";
    assert_eq!((said.status, said.out.as_str()), (1, wanted));
    let said = scratch.run("rg-patch", &["--json"], text.as_bytes());
    let record: Value = serde_json::from_str(&said.out).unwrap();
    let row = &record["hunk"]["rows"][1];
    assert_eq!(
        (&row["expected"], &row["found"], &row["line"]),
        (&"Beta".into(), &"beta".into(), &2.into()),
        "{record}"
    );
    assert_eq!(read(&scratch, "src/a.txt"), "alpha\nbeta\ngamma\n");
    scratch.write("src/secret/k", "the password\n");
    let said = patch(&scratch, &edit("src/secret/k"));
    assert!(said.status == 1 && !said.out.contains("password"), "{said:?}");
    // A second run of the same patch is told apart.
    let again = edit("src/b.txt");
    assert_eq!(patch(&scratch, &again).status, 0);
    assert!(patch(&scratch, &again).out.contains("it seems to be applied"));
}

/// A DONE.md that was edited, in the working tree or in the session, allows nothing more.
#[test]
fn an_edited_done_md_allows_nothing_more() {
    let mut scratch = repo();
    let wide = "# Done\n\n```yaml\nchecks: [{name: tests, run: \"true\"}]\n```\n";
    scratch.write("DONE.md", wide);
    assert_eq!(patch(&scratch, &edit("lib/x")).status, 1, "the DONE.md of HEAD holds");
    fs::remove_file(scratch.work().join("DONE.md")).unwrap();
    assert_eq!(patch(&scratch, &edit("lib/x")).status, 1, "the DONE.md of HEAD holds");
    // Git shows another DONE.md in place of the committed one.
    scratch.write("DONE.md", wide);
    scratch.ok("git replace $(git rev-parse HEAD:DONE.md) $(git hash-object -w DONE.md)");
    assert_eq!(patch(&scratch, &edit("lib/x")).status, 1, "the object itself holds");
    scratch.ok("git replace -d $(git rev-parse HEAD:DONE.md)");
    // A stricter one on disk holds at once.
    scratch
        .write("DONE.md", "# Done\n\n```yaml\nchecks: [{name: t, run: \"true\"}]\npaths: {allow: [\"/docs/\"]}\n```\n");
    assert_eq!(patch(&scratch, &edit("src/a.txt")).status, 1);
    // The session's task keeps the one that it began with, after a commit, too.
    scratch.ok("git checkout -q DONE.md");
    scratch.prompt("s", "go");
    scratch.write("DONE.md", wide);
    scratch.ok("git commit -qam wide");
    scratch.set("CLAUDE_CODE_SESSION_ID", "s");
    assert_eq!(patch(&scratch, &edit("lib/x")).status, 1, "the task's DONE.md holds");
    scratch.env.remove("CLAUDE_CODE_SESSION_ID");
    // A named commit decides alone.
    let said = scratch.run("rg-patch", &["--against", "HEAD~1"], edit("lib/x").as_bytes());
    assert_eq!(said.status, 1, "{said:?}");
    assert_eq!(scratch.run("rg-patch", &["--against", "nothing"], edit("lib/x").as_bytes()).status, 100);
    assert_eq!(patch(&scratch, &edit("lib/x")).status, 0);
    scratch.write("DONE.md", "# Done\n\n```yaml\npaths: 3\n```\n");
    assert_eq!(patch(&scratch, &edit("src/a.txt")).status, 100, "a broken DONE.md");
}

#[test]
fn the_gates_own_files_need_a_pattern_that_names_them() {
    let wide = |allow: &str| {
        let scratch =
            Scratch::repo_with(&format!("checks: [{{name: tests, run: \"true\"}}]\npaths: {{allow: [{allow}]}}\n"));
        let text = "--- a/DONE.md\n+++ b/DONE.md\n@@ -1,2 +1,2 @@\n-# Done\n+# Nearly done\n \n";
        (patch(&scratch, text).status, patch(&scratch, &edit_new(".claude/settings.json")).status)
    };
    assert_eq!(wide("\"*\""), (1, 1));
    assert_eq!(wide("\"/DONE.md\""), (0, 1));
    assert_eq!(wide("\"*\", \".claude/settings.json\""), (1, 0));
    let none = Scratch::new();
    assert_eq!(patch(&none, &edit_new("DONE.md")).status, 1);
    assert_eq!(patch(&none, &edit_new("a/b.txt")).status, 0, "without a repository and a DONE.md");
    assert_eq!(read(&none, "a/b.txt"), "new\n");
}

fn edit_new(path: &str) -> String {
    format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+new\n")
}

#[test]
fn a_git_directory_is_no_working_tree() {
    let scratch = Scratch::new();
    scratch.ok("git init -q --bare .");
    let before = files_below(&scratch.work());
    for dir in [".", "hooks"] {
        let said = scratch.run("rg-patch", &["-C", dir], edit_new("update").as_bytes());
        assert!(said.status == 100 && said.err.contains("is a git directory"), "{dir}: {said:?}");
    }
    assert_eq!(files_below(&scratch.work()), before);
}

/// A DONE.md of a directory above holds in the directory below it, too.
#[test]
fn the_rules_of_every_directory_above_hold() {
    let scratch = repo();
    scratch.write(
        "src/web/DONE.md",
        "# Done\n\n```yaml\nchecks: [{name: t, run: \"true\"}]\npaths: {deny: [\"/x\"]}\n```\n",
    );
    for (path, status) in [("lib/new", 1), ("src/web/x", 1), ("src/web/y", 0), ("src/secret/n", 1)] {
        let said = scratch.run("rg-patch", &["-C", "src/web"], edit_new(path).as_bytes());
        assert_eq!(said.status, status, "{path}: {said:?}");
    }
}

/// Several at the same time wait for each other, and none loses the change of another one.
#[test]
fn patches_at_the_same_time_wait_for_each_other() {
    let scratch = repo();
    let lines: String = (0..12).map(|at| format!("line {at}\n")).collect();
    scratch.write("src/a.txt", &lines);
    let start = |at: usize| {
        let mut command = scratch.command(bin_dir().join("rg-patch"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let text = format!("--- a/src/a.txt\n+++ b/src/a.txt\n@@ -{0} +{0} @@\n-line {at}\n+LINE {at}\n", at + 1);
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child
    };
    let children: Vec<_> = (0..12).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(read(&scratch, "src/a.txt"), lines.to_uppercase());
}

/// A patch that changes, adds, removes, renames and links files.
const MANY: &str = "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-one\n+two\n\
    diff --git a/src/b.txt b/src/b.txt\ndeleted file mode 100644\n--- a/src/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n\
    diff --git a/src/n/m/new.txt b/src/n/m/new.txt\nnew file mode 100755\n--- /dev/null\n+++ b/src/n/m/new.txt\n@@ -0,0 +1 @@\n+n\n\
    diff --git a/src/c.txt b/src/d/c.txt\nsimilarity index 100%\nrename from src/c.txt\nrename to src/d/c.txt\n\
    diff --git a/src/l b/src/l\nnew file mode 120000\n--- /dev/null\n+++ b/src/l\n@@ -0,0 +1 @@\n+a.txt\n\\ No newline at end of file\n";

/// Killed at any step, the next run makes the tree old or new, and nothing else stays.
#[test]
fn a_killed_run_is_undone_or_finished_by_the_next_one() {
    let fresh = || {
        let scratch = repo();
        scratch.write("src/c.txt", "one\n");
        scratch
    };
    let old = files_below(&fresh().work());
    let done = fresh();
    assert_eq!(patch(&done, MANY).status, 0);
    let new = files_below(&done.work());
    assert!(new.contains_key(Path::new("src/n/m/new.txt")) && !new.contains_key(Path::new("src/b.txt")));
    let (mut olds, mut news, mut halves) = (0, 0, 0);
    for at in 1..200 {
        let mut scratch = fresh();
        scratch.set("RG_CRASH", &at.to_string());
        let said = patch(&scratch, MANY);
        scratch.env.remove("RG_CRASH");
        let killed = files_below(&scratch.work());
        if said.status == 0 {
            assert_eq!(killed, new);
            assert!(at > 15, "{at} crash points");
            break;
        }
        assert_eq!(said.status, -1, "{at}: {said:?}");
        halves += usize::from(killed != old && killed != new);
        // The next run recovers before it reads its input.
        assert_eq!(patch(&scratch, "").status, 100);
        let after = files_below(&scratch.work());
        assert!(after == old || after == new, "{at}: {:?}", after.keys());
        assert!(!scratch.work().join("src/n").exists() || after == new, "{at}: a directory stays");
        olds += usize::from(after == old);
        news += usize::from(after == new);
        assert_eq!(patch(&scratch, MANY).status, i32::from(after == new), "{at}");
    }
    assert!(olds > 10 && news > 0 && halves > 5, "{olds} {news} {halves}");
}

/// A kill of the recovery changes nothing about that, at any step and any number of times.
#[test]
fn a_killed_recovery_is_continued_by_the_next_run() {
    let fresh = || {
        let scratch = repo();
        scratch.write("src/c.txt", "one\n");
        scratch
    };
    let old = files_below(&fresh().work());
    let done = fresh();
    assert_eq!(patch(&done, MANY).status, 0);
    let new = files_below(&done.work());
    let mut kills = 0;
    for first in (4..60).step_by(3) {
        let mut scratch = fresh();
        scratch.set("RG_CRASH", &first.to_string());
        if patch(&scratch, MANY).status == 0 {
            break;
        }
        for second in 1..60 {
            scratch.set("RG_CRASH", &second.to_string());
            if patch(&scratch, "").status == 100 {
                break;
            }
            kills += 1;
        }
        let after = files_below(&scratch.work());
        assert!(after == old || after == new, "{first}: {:?}", after.keys());
        scratch.env.remove("RG_CRASH");
        assert_eq!(patch(&scratch, MANY).status, i32::from(after == new), "{first}");
    }
    assert!(kills > 30, "{kills}");
}

/// A file that somebody changed in between is kept.
#[test]
fn a_file_that_changed_after_the_kill_is_kept() {
    let mut kept = 0;
    for at in 1..40 {
        let mut scratch = repo();
        scratch.write("src/c.txt", "one\n");
        scratch.set("RG_CRASH", &at.to_string());
        if patch(&scratch, MANY).status == 0 {
            break;
        }
        scratch.env.remove("RG_CRASH");
        scratch.write("src/a.txt", "mine, and long\n");
        let said = patch(&scratch, "");
        assert_eq!(read(&scratch, "src/a.txt"), "mine, and long\n", "{at}");
        assert!(matches!(said.status, 100 | 111), "{at}: {said:?}");
        if said.status == 111 {
            assert!(said.err.contains("src/a.txt"), "{said:?}");
            kept += 1;
        }
        assert_eq!(patch(&scratch, "").status, 100, "{at}: the next run is free");
    }
    assert!(kept > 3, "{kept}");
}

/// If a write fails, every file is as before and no temporary file stays.
#[test]
fn a_failing_write_leaves_every_file_as_it_was() {
    let scratch = repo();
    let before = files_below(&scratch.work());
    let long: String = (0..4000).map(|at| format!("+line {at}\n")).collect();
    let text = format!("{}--- /dev/null\n+++ b/src/n/long.txt\n@@ -0,0 +1,4000 @@\n{long}", edit("src/a.txt"));
    let said = scratch.sh("trap '' XFSZ; ulimit -f 8; exec rg-patch", text.as_bytes());
    assert_eq!(said.status, 111, "{said:?}");
    assert!(said.err.contains("unable to write src/n/long.txt"), "{said:?}");
    assert_eq!(files_below(&scratch.work()), before);
    assert_eq!(patch(&scratch, &text).status, 0);
    // The state directory cannot be made.
    let mut scratch = repo();
    scratch.set("RG_STATE", "/dev/null/state");
    assert_eq!(patch(&scratch, &edit("src/a.txt")).status, 111);
    assert_eq!(read(&scratch, "src/a.txt"), "one\n");
}

/// A small generator, so that each run tests the same patches.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// What `git diff` prints between two trees makes one of the other, in both directions.
#[test]
fn a_diff_of_git_makes_one_tree_of_the_other() {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    let mut dice = Dice(7);
    let names = ["a.txt", "b c.txt", "d/e.txt", "d/\u{e9}\t.txt", "bin", "f/g/h", "\"q\""];
    let styles = [
        "",
        "-U1",
        "-U8",
        "--no-prefix",
        "-M",
        "-C --find-copies-harder",
        "--src-prefix=x/ --dst-prefix=y/",
        "--patience",
    ];
    let mut seen = 0;
    for round in 0..32 {
        let make = |dice: &mut Dice, old: Option<&str>| {
            let line = |dice: &mut Dice| format!("{}\n", dice.roll(6));
            let mut lines: Vec<String> = match old {
                Some(old) => old.split_inclusive('\n').map(str::to_string).collect(),
                None => (0..dice.roll(30)).map(|_| line(dice)).collect(),
            };
            for _ in 0..dice.roll(4) {
                let at = dice.roll(lines.len() + 1);
                match dice.roll(2) {
                    0 => lines.insert(at, line(dice)),
                    _ => drop(lines.drain(at..(at + 1).min(lines.len()))),
                }
            }
            let mut text = lines.concat();
            if dice.roll(5) == 0 {
                text = text.trim_end().to_string();
            }
            text
        };
        scratch.ok("git rm -rfq --ignore-unmatch . && git clean -fdqx");
        for name in names {
            if dice.roll(4) > 0 {
                let text = make(&mut dice, None);
                scratch.write(name, if name == "bin" { "\0\u{1}x\0" } else { &text });
            }
        }
        scratch.ok("git add -A && git commit -q --allow-empty -m old && git tag -f old >/dev/null");
        let old = files_below(&scratch.work());
        for name in names {
            let path = scratch.work().join(name);
            match (path.exists(), dice.roll(5)) {
                (true, 0) => fs::remove_file(&path).unwrap(),
                (true, 1) => drop(fs::rename(&path, scratch.work().join(format!("moved{}", dice.roll(9))))),
                (true, 2) => fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap(),
                (true, 3) if name != "bin" => {
                    let text = fs::read_to_string(&path).unwrap();
                    scratch.write(name, &make(&mut dice, Some(&text)));
                }
                (true, _) if name == "bin" => scratch.write(name, &format!("\0{}\0", "y".repeat(dice.roll(2000)))),
                (false, 0..3) => scratch.write(name, &make(&mut dice, None)),
                _ => {}
            }
        }
        scratch.ok("git add -A && git commit -q --allow-empty -m new && git tag -f new >/dev/null");
        let new = files_below(&scratch.work());
        let style = styles[round % styles.len()];
        let diff = scratch.ok(&format!("git diff --binary {style} old new")).out;
        if diff.is_empty() {
            continue;
        }
        seen += 1;
        scratch.ok("git checkout -q old");
        let said = patch(&scratch, &diff);
        assert_eq!(said.status, 0, "{round} {style}: {said:?}\n{diff}");
        assert_eq!(files_below(&scratch.work()), new, "{round} {style}\n{diff}");
        if !diff.contains("\ncopy from ") {
            let said = scratch.run("rg-patch", &["--reverse"], diff.as_bytes());
            assert_eq!(said.status, 0, "{round} {style}: {said:?}\n{diff}");
            assert_eq!(files_below(&scratch.work()), old, "{round} {style}\n{diff}");
        }
        scratch.ok("git checkout -qf new && git clean -fdqx");
    }
    assert!(seen > 24, "{seen}");
}
