//! Laws of rg-prove: what the tests prove about a change, found out in a copy.

use crate::scratch::{Said, Scratch, skipped};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A repository with a function, and a test of it.
fn repository(check: &str) -> Scratch {
    let scratch = Scratch::repo_with(&format!("checks:\n  - {check}\n"));
    scratch.write("shop.sh", "price() { echo $(($1 * 2)); }\n");
    scratch.write("tests/price.sh", ". ./shop.sh\n[ \"$(price 2)\" = 4 ]\n");
    scratch.ok("git add -A && git commit -qm base");
    scratch
}

fn shop() -> Scratch {
    repository("{name: tests, run: sh tests/price.sh}")
}

fn prove(scratch: &Scratch, more: &str) -> (Said, Value) {
    let said = scratch.sh(&format!("rg-prove --now --json {more}"), b"");
    let value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err));
    (said, value)
}

fn experiments(value: &Value) -> Vec<&str> {
    value["findings"].as_array().unwrap().iter().map(|finding| finding["experiment"].as_str().unwrap()).collect()
}

#[test]
fn a_test_that_was_changed_to_fit_is_found_and_its_honest_twin_is_not() {
    let scratch = shop();
    scratch.write("shop.sh", "price() { echo $(($1 * 3)); }\n");
    scratch.write("tests/price.sh", ". ./shop.sh\n[ \"$(price 2)\" = 6 ]\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, experiments(&value)), (1, vec!["old-tests"]), "{value}");

    scratch.write("shop.sh", "price() { echo $(($1 * 2)); }\ntotal() { echo $(($1 + $2)); }\n");
    scratch.write("tests/price.sh", ". ./shop.sh\n[ \"$(price 2)\" = 4 ]\n[ \"$(total 1 2)\" = 3 ]\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, experiments(&value)), (0, vec![]), "{value}");
}

#[test]
fn a_test_that_passes_without_the_change_and_lines_that_no_test_notices_are_named() {
    let scratch = shop();
    scratch.append("shop.sh", "\n# A price less one.\ndiscount() { echo $(($1 - 1)); }\n");
    scratch.append("tests/price.sh", "[ \"$(price 3)\" = 6 ]\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, experiments(&value)), (1, vec!["new-tests", "undone"]), "{value}");
    assert!(value["findings"][1]["text"].as_str().unwrap().contains("shop.sh:2-4"), "{value}");
    // A comment alone is nothing that a test could notice.
    let scratch = shop();
    scratch.append("shop.sh", "# The price of two.\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, experiments(&value)), (0, vec![]), "{value}");
}

#[test]
fn tests_are_named_where_their_runner_names_them() {
    let scratch = Scratch::repo_with("checks:\n  - {name: unit, run: python3 -m unittest -v, kind: test}\n");
    if !scratch.sh("python3 --version", b"").out.starts_with("Python 3") {
        return skipped("no python3");
    }
    scratch.write(".gitignore", "__pycache__/\n");
    scratch.write("sums.py", "def add(a, b):\n    return a + b\n");
    let test = |cases: &str| format!("import sums\nimport unittest\n\n\nclass Sums(unittest.TestCase):\n{cases}");
    let add = "    def test_add(self):\n        self.assertEqual(sums.add(1, 2), 3)\n";
    scratch.write("test_sums.py", &test(add));
    scratch.ok("git add -A && git commit -qm base");
    scratch.append("sums.py", "\n\ndef sub(a, b):\n    return a - b\n");
    let sub = "    def test_sub(self):\n        self.assertEqual(sums.sub(3, 1), 2)\n";
    let idle = "    def test_idle(self):\n        self.assertEqual(sums.add(0, 0), 0)\n";
    let kept = "    def test_characterisation_of_add(self):\n        self.assertEqual(sums.add(2, 2), 4)\n";
    scratch.write("test_sums.py", &test(&[add, sub, idle, kept].concat()));
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, experiments(&value)), (1, vec!["new-tests"]), "{value}");
    let details = value["findings"][0]["details"].as_array().unwrap();
    assert_eq!(details.len(), 1, "{value}");
    assert!(details[0].as_str().unwrap().contains("test_idle"), "{value}");
    // Tests that cannot be loaded with the other files say nothing.
    scratch.ok("git checkout -q .");
    scratch.write(
        "test_sums.py",
        &test(add).replace("import sums\n", "from sums import add\n").replace("sums.add", "add"),
    );
    scratch.ok("git commit -qam other");
    scratch.write("sums.py", "def plus(a, b):\n    return a + b\n");
    let plus = "    def test_plus(self):\n        self.assertEqual(plus(1, 2), 3)\n";
    scratch.write("test_sums.py", &test(plus).replace("import sums\n", "from sums import plus\n"));
    let (_, value) = prove(&scratch, "");
    assert!(!experiments(&value).contains(&"old-tests"), "{value}");
    assert!(value["not_comparable"].to_string().contains("do not run"), "{value}");
}

#[test]
fn a_check_that_is_red_in_the_copy_is_not_comparable() {
    let scratch =
        repository("{name: tests, run: \"test \\\"$PWD\\\" = \\\"$(cat ../place)\\\" && sh tests/price.sh\"}");
    fs::write(scratch.work().join("../place"), scratch.work().to_str().unwrap()).unwrap();
    scratch.append("shop.sh", "more() { :; }\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, experiments(&value)), (111, vec![]), "{value}");
    assert!(value["not_comparable"].to_string().contains("red in a copy"), "{value}");
}

#[test]
fn what_ran_once_is_not_run_again_and_nothing_is_left_behind() {
    let scratch = repository("{name: tests, run: \"echo . >>$OUT; sh tests/price.sh\", env: {OUT: /dev/null}}");
    scratch.append("shop.sh", "more() { :; }\n");
    let first = prove(&scratch, "").1;
    assert_eq!(prove(&scratch, "").1, first);
    assert_eq!(prove(&scratch, "--fresh").1, first);
    assert!(!scratch.state().join("prove/copy").exists());
    assert_eq!(scratch.ok("git status --short").out, " M shop.sh\n");
    assert_eq!(scratch.ok("git worktree list | wc -l").out.trim(), "1");
}

#[test]
fn a_signal_ends_the_checks_and_removes_the_copy_and_a_killed_run_is_cleared_up() {
    let scratch = repository("{name: tests, run: \"sh tests/price.sh && sleep 300\"}");
    scratch.append("shop.sh", "more() { :; }\n");
    let copy = scratch.state().join("prove/copy");
    for (signal, is_removed) in [("TERM", true), ("KILL", false)] {
        let mut command = scratch.command("rg-prove");
        command.arg("--now");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begin = Instant::now();
        while !copy.join("state").read_dir().is_ok_and(|mut dir| dir.next().is_some()) {
            assert!(begin.elapsed() < Duration::from_secs(60), "the check does not begin");
            std::thread::sleep(Duration::from_millis(20));
        }
        scratch.ok(&format!("kill -{signal} {}", child.id()));
        assert!(!child.wait().unwrap().success());
        assert_eq!(!copy.exists(), is_removed, "{signal}");
    }
    let said = scratch.sh("rg-prove --now --minutes 0.02", b"");
    assert_eq!((said.status, copy.exists()), (111, false), "{}{}", said.out, said.err);
    assert!(said.out.contains("no time left"), "{}", said.out);
}

#[test]
fn odd_files_and_bad_options_are_told() {
    let scratch = shop();
    scratch.ok("ln -s shop.sh link && git add link && git commit -qm link && ln -sf tests/price.sh link");
    scratch.append("shop.sh", "more() { :; }\n");
    let (_, value) = prove(&scratch, "");
    assert!(value["not_comparable"].to_string().contains("link: "), "{value}");
    for bad in ["--minutes 0", "--minutes x", "--changes -1", "--against nowhere", "operand"] {
        let said = scratch.sh(&format!("rg-prove --now {bad}"), b"");
        assert_eq!(said.status, 100, "{bad}: {}{}", said.out, said.err);
    }
    scratch.ok("git rm -q DONE.md && git commit -qm none");
    assert_eq!(scratch.sh("rg-prove --now", b"").status, 100);
    assert!(scratch.sh("rg-prove", b"").err.contains("did you mean `rg-prove --now`?"));
}
