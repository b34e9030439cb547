//! Laws of rg-check and of DONE.md.

use crate::scratch::Scratch;
use crate::sleeper;
use serde_json::json;
use std::fs;
use std::time::Duration;

/// Runs `rg-check --now` with a DONE.md of this YAML.
fn now(yaml: &str) -> (Scratch, crate::scratch::Said) {
    let scratch = Scratch::repo_with(yaml);
    let said = scratch.run("rg-check", &["--now"], b"");
    (scratch, said)
}

fn check(run: &str) -> String {
    format!("checks:\n  - name: c\n    run: {}\n", serde_json::to_string(run).unwrap())
}

#[test]
fn a_check_ends_at_the_first_failing_command() {
    let (_keep, said) = now("checks:\n  - name: c\n    run: |\n      false\n      true\n");
    assert_eq!(said.status, 1, "{said:?}");
}

#[test]
fn the_shell_can_be_set() {
    let yaml = "checks:\n  - name: c\n    shell: [bash, -eo, pipefail, -c]\n    run: false | true\n";
    assert_eq!(now(yaml).1.status, 1);
    assert_eq!(now("checks:\n  - name: c\n    run: false | true\n").1.status, 0);
}

#[test]
fn all_checks_run_even_when_one_fails() {
    let (scratch, said) = now("checks:\n  - {name: a, run: \"false\"}\n  - {name: b, run: touch ran; rm ran}\n");
    assert!(said.status == 1 && said.out.contains("ok   b"), "{said:?}");
    drop(scratch);
}

#[test]
fn cwd_and_env_apply_and_cwd_stays_inside_the_root() {
    let yaml = "checks:\n  - name: c\n    cwd: sub\n    env: {GREETING: hello}\n    run: '[ \"$GREETING\" = hello ] && [ -e here ]'\n";
    let scratch = Scratch::repo_with(yaml);
    assert_eq!(scratch.run("rg-check", &["--now"], b"").status, 1, "the directory does not exist");
    scratch.write("sub/here", "");
    assert_eq!(scratch.run("rg-check", &["--now"], b"").status, 0);
    std::os::unix::fs::symlink("/tmp", scratch.work().join("link")).unwrap();
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: c, cwd: link, run: pwd}\n```\n");
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.status == 100 && said.out.contains("leaves the root"), "{said:?}");
}

#[test]
fn a_deadline_holds_against_processes_that_escape() {
    let began = std::time::Instant::now();
    let yaml = "checks:\n  - name: c\n    timeout: 1\n    run: \"setsid sleep 300 & (trap '' TERM; sleep 300)\"\n";
    let (_keep, said) = now(yaml);
    assert!(said.status == 1 && said.out.contains("timed out"), "{said:?}");
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
}

#[test]
fn processes_of_a_check_do_not_outlive_it() {
    let time = sleeper::time();
    let (_keep, said) = now(&check(&format!("setsid sleep {time} & (setsid sh -c 'sleep {time}' &) ; sleep {time} &")));
    assert_eq!(said.status, 0, "{said:?}");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(sleeper::count(&time), 0);
}

#[test]
fn a_flood_of_output_is_logged_in_part_and_its_tail_kept() {
    let (scratch, said) = now(&check("head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last words; exit 1"));
    assert!(
        said.status == 1 && said.out.contains("| last words"),
        "{}",
        &said.out[said.out.len().saturating_sub(300)..]
    );
    let log = scratch.sh("cat ../state/checks/*.logs/* | wc -c", b"").out;
    assert!(log.trim().parse::<u64>().unwrap() <= 8 << 20, "{log}");
}

#[test]
fn output_is_shown_without_control_sequences_and_without_secrets() {
    let scratch = Scratch::repo_with(&check("cat ../printed; exit 1"));
    fs::write(scratch.top().join("printed"), "\u{1b}[31mred\u{1b}[0m\rover\npassword=hunter2hunter2\n").unwrap();
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.out.contains("| over\n") && said.out.contains("password=[redacted]"), "{said:?}");
    let records = scratch.sh("cat ../state/checks/*.jsonl", b"").out;
    assert!(!records.contains("hunter2") && records.contains("[redacted]"));
}

#[test]
fn checks_do_not_see_the_gates_environment() {
    let mut scratch = Scratch::repo_with(&check(
        "env | grep -E '^(RG_|GIT_DIR|GIT_INDEX_FILE|CLAUDE_P|CLAUDECODE)' && exit 1; exit 0",
    ));
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDECODE", "RG_ASK"] {
        scratch.set(name, "/nowhere");
    }
    let said = scratch.run("rg-check", &["--now"], b"");
    assert_eq!(said.status, 0, "{said:?}");
}

#[test]
fn a_check_has_no_standard_input() {
    let (_keep, said) = now(&check("cat; read x || echo end"));
    assert!(said.status == 0 && said.took < Duration::from_secs(10), "{said:?}");
}

#[test]
fn a_check_that_cannot_start_is_unverified() {
    let (_keep, said) = now("checks:\n  - name: c\n    shell: [no-such-shell, -c]\n    run: x\n");
    assert!(said.status == 111 && said.out.contains("no-such-shell is not on PATH: install no-such-shell"), "{said:?}");
    let (_keep, said) = now(&check("no-such-command"));
    assert!(said.status == 1 && said.out.contains("exit 127"), "{said:?}");
}

#[test]
fn results_for_the_same_files_are_reused_unless_fresh() {
    let scratch = Scratch::repo_with(&check("echo x >> ../count"));
    let runs = || fs::read_to_string(scratch.top().join("count")).unwrap().lines().count();
    scratch.run("rg-check", &["--now"], b"");
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.out.contains("cached") && runs() == 1, "{said:?}");
    scratch.run("rg-check", &["--now", "--fresh"], b"");
    assert_eq!(runs(), 2);
    scratch.append("src.txt", "one byte\n");
    scratch.run("rg-check", &["--now"], b"");
    assert_eq!(runs(), 3, "other files: the check runs");
    scratch.ok("sed -i 's/echo x/echo  x/' DONE.md");
    scratch.run("rg-check", &["--now"], b"");
    assert_eq!(runs(), 4, "another check: it runs");
}

#[test]
fn two_sessions_in_one_tree_share_results() {
    let scratch = Scratch::repo_with(&check("sleep 1; echo x >> ../count"));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(scratch.run("rg-check", &["--now"], b"").status, 0));
        }
    });
    assert_eq!(fs::read_to_string(scratch.top().join("count")).unwrap(), "x\n");
}

#[test]
fn no_check_runs_on_the_files_of_the_tasks_begin() {
    let scratch = Scratch::repo_with(&check("echo x >> ../count; exit 1"));
    scratch.prompt("s", "what is this?");
    assert_eq!(scratch.stop("s").out, "");
    assert!(!scratch.top().join("count").exists() && scratch.words().is_empty());
    assert_eq!(scratch.records("close").len(), 1, "the stop is closed");
}

#[test]
fn files_that_a_check_changes_are_unverified_unless_declared() {
    let (_keep, said) = now(&check("date +%N > generated.txt"));
    assert!(said.status == 111 && said.out.contains("generated.txt"), "{said:?}");
    let yaml =
        "checks:\n  - name: c\n    writes: [generated.txt]\n    run: date +%N > generated.txt; echo x >> ../count\n";
    let (scratch, said) = now(yaml);
    assert_eq!(said.status, 0, "{said:?}");
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.status == 0 && said.out.contains("cached"), "what it wrote is what was judged: {said:?}");
}

#[test]
fn a_red_check_that_also_writes_is_red() {
    let (_keep, said) = now(&check("date +%N > generated.txt; exit 1"));
    assert_eq!(said.status, 1, "{said:?}");
}

#[test]
fn a_check_that_was_red_before_the_task_is_marked() {
    let scratch = Scratch::repo();
    assert_eq!(scratch.run("rg-check", &["--now"], b"").status, 1);
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    assert!(
        scratch.stop("s").reason().contains("it also failed before the task began"),
        "a run on those files is on record"
    );
}

#[test]
fn the_definition_of_the_tasks_begin_judges() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: tests, run: \"true\"}\n```\n");
    assert!(scratch.stop("s").reason().contains("sh test.sh"));
}

#[test]
fn a_missing_broken_shadowed_or_linked_definition_is_tampered() {
    type Attack = fn(&Scratch);
    let attacks: [(&str, Attack); 5] = [
        ("removed after the task began", |s| fs::remove_file(s.work().join("DONE.md")).unwrap()),
        ("was valid when the task began", |s| s.write("DONE.md", "garbage\n")),
        ("became a symbolic link", |s| {
            fs::rename(s.work().join("DONE.md"), s.top().join("elsewhere.md")).unwrap();
            std::os::unix::fs::symlink("../elsewhere.md", s.work().join("DONE.md")).unwrap();
        }),
        ("removed after the task began", |s| {
            fs::remove_file(s.work().join("DONE.md")).unwrap();
            fs::create_dir(s.work().join("DONE.md")).unwrap();
        }),
        ("takes precedence over DONE.md", |s| {
            fs::remove_file(s.work().join("DONE.md")).unwrap();
            s.write("done.yml", "checks:\n  - {name: easy, run: \"true\"}\n");
        }),
    ];
    for (at, (words, attack)) in attacks.iter().enumerate() {
        let scratch = Scratch::repo();
        scratch.prompt("s", "go");
        scratch.append("src.txt", "fixed\n");
        attack(&scratch);
        let said = scratch.stop("s");
        let words = if at == 4 { "done.yml" } else { words };
        assert!(said.reason().contains(words), "{words}: {said:?}");
        assert_eq!(scratch.receipt()["verdicts"][1]["verdict"], "pass", "the checks from the begin ran");
        assert_eq!(scratch.receipt()["row"], "tampered");
    }
}

#[test]
fn a_definition_broken_from_the_start_is_unverified() {
    let scratch = Scratch::repo();
    scratch.write("DONE.md", "```yaml\nchekcs:\n```\n");
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    let told = scratch.stop("s").told();
    assert!(
        told.contains("unverified") && told.contains("DONE.md:2: unknown key \"chekcs\" (did you mean \"checks\"?)"),
        "{told}"
    );
}

#[test]
fn a_definition_added_during_the_task_judges() {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    scratch.prompt("s", "write a DONE.md");
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: tests, run: \"false\"}\n```\n");
    assert_eq!(scratch.stop("s").json()["decision"], "block");
}

#[test]
fn mistakes_in_a_definition_are_100_and_name_their_line() {
    for (yaml, want) in [
        ("checks: []\n", "DONE.md:4: \"checks\" is empty"),
        ("gate: {max_bounces: 3}\n", "DONE.md:4: \"checks\" is missing"),
        ("checks:\n  - run: x\n", "DONE.md:5: a check needs a name"),
        ("checks:\n  - name: 7\n    run: x\n", "DONE.md:5: \"name\" must be a text, not a number"),
        ("checks:\n  - name: a\n    run: true\n", "DONE.md:6: \"run\" must be a text: quote it: \"true\""),
        ("checks:\n  - {name: a, run: x}\n  - {name: a, run: y}\n", "DONE.md:6: duplicate check name \"a\""),
        ("checks:\n  - {name: a, run: x, timeout: 0}\n", "DONE.md:5: \"timeout\" must be a number of seconds above 0"),
        ("checks:\n  - {name: a, run: x, timeout: -1}\n", "DONE.md:5: \"timeout\""),
        ("checks:\n  - {name: a, run: x, needs: b}\n", "DONE.md:5: unknown key of a check \"needs\""),
        ("checks:\n  - {name: a, run: x, cwd: ../..}\n", "DONE.md:5: \"../..\" leaves the root"),
        ("checks:\n  - {name: a, run: x, report: 'junit:/etc/x'}\n", "DONE.md:5: \"/etc/x\" leaves the root"),
        (
            "checks:\n  - {name: a, run: x}\ngaurds:\n  no_new_skips: true\n",
            "DONE.md:6: unknown key \"gaurds\" (did you mean \"guards\"?)",
        ),
        ("checks:\n  - {name: a, run: x}\nguards:\n", "DONE.md:6: \"guards\" must be a map"),
        ("checks:\n  - {name: a, run: x}\nguards:\n  no_new_skip: true\n", "DONE.md:7: unknown guard \"no_new_skip\""),
        ("checks:\n  - {name: a, run: x}\nguards:\n  no_new_skips: maybe\n", "DONE.md:7: \"no_new_skips\" must be"),
        (
            "checks:\n  - {name: a, run: x}\ngate: {max_bounces: 0}\n",
            "DONE.md:6: \"max_bounces\" must be a number from 1 to 20; a client may allow fewer: Claude Code allows 8",
        ),
        ("checks:\n  - {name: a, run: x}\ngate: {on_error: explode}\n", "DONE.md:6: \"on_error\" must be one of"),
        ("version: 2\nchecks:\n  - {name: a, run: x}\n", "DONE.md:4: version must be 1"),
        ("version: \"2\"\nchecks:\n  - {name: a, run: x}\n", "DONE.md:4: version must be 1"),
        ("checks:\n\t- name: a\n", "DONE.md:5: "),
        ("checks: &a\n  - {name: a, run: x}\n", "DONE.md:4: anchors and tags"),
        ("- a\n", "DONE.md:4: it must be a map, not a list"),
        ("", "DONE.md:4: empty"),
    ] {
        let (_keep, said) = now(yaml);
        assert!(
            said.status == 100 && said.out.contains(&want.replacen(": ", ": inconclusive: ", 1)),
            "{yaml:?}: {said:?}"
        );
    }
    let scratch = Scratch::new();
    for (text, want) in [
        ("no block at all\n", "no fenced yaml block"),
        ("# a\n```yaml\nchecks:\n", "DONE.md:2: inconclusive: the yaml block that begins here is not closed"),
        ("", "the file is empty: `rg-init --force` writes a definition"),
    ] {
        scratch.write("DONE.md", text);
        let said = scratch.run("rg-check", &["--now"], b"");
        assert!(said.status == 100 && said.out.contains(want), "{said:?}");
    }
    fs::write(scratch.work().join("DONE.md"), b"# x\n```yaml\n\xff\n```\n").unwrap();
    assert!(scratch.run("rg-check", &["--now"], b"").out.contains("DONE.md:3: inconclusive: not UTF-8"));
}

/// The files of donegate's documentation are judged unchanged.
#[test]
fn donegate_files_have_the_same_meaning() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/donefiles");
    let mut count = 0;
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let text = fs::read_to_string(&path).unwrap();
        let (expect, place) = name.split_once('-').unwrap();
        let scratch = Scratch::new();
        let place = if place.ends_with(".md") { "DONE.md" } else { "done.yml" };
        fs::write(scratch.work().join(place), &text).unwrap();
        scratch.ok("git init -q && git add -A && git commit -qm start");
        let said = scratch.run("rg-check", &["--now"], b"");
        assert_eq!(said.status.to_string(), expect, "{name}: {said:?}");
        // A client's stop has the same result: bounced or allowed.
        scratch.prompt("s", "go");
        scratch.write("work.txt", "x\n");
        let said = scratch.stop("s");
        assert_eq!(said.out.is_empty(), expect == "0", "{name}: {said:?}");
        count += 1;
    }
    assert!(count >= 10, "{count} files");
}

#[test]
fn a_definition_is_found_upwards_but_never_above_the_repository() {
    let scratch = Scratch::repo();
    scratch.write("a/b/c.txt", "");
    let said = scratch.run("rg-check", &["--now", "-C", "a/b"], b"");
    assert!(said.status == 1 && said.out.contains("src.txt:1: not fixed"), "its checks run where it lies: {said:?}");
    scratch.ok("git init -q a");
    assert_eq!(scratch.run("rg-check", &["--now", "-C", "a/b"], b"").status, 100, "another repository");
}

#[test]
fn no_time_left_is_unverified() {
    let scratch = Scratch::repo_with(&check("sleep 30"));
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    let line = crate::scratch::STOP.replace("3560", "12");
    let mut scratch = scratch;
    scratch.env.remove("RG_NOW");
    let said = scratch.sh(&line, &scratch.stop_payload("s", json!({})));
    assert!(said.told().contains("unverified") && said.told().contains("no time left"), "{said:?}");
    assert!(said.took < Duration::from_secs(8), "{:?}", said.took);
}
