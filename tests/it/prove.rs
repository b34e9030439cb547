//! Laws of rg-prove: what the tests prove about a change, found out in copies.

use crate::scratch::{Said, Scratch, skipped};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A repository with a function, and a test of it.
pub fn repository(check: &str, more: &str) -> Scratch {
    let scratch = Scratch::repo_with(&format!("checks:\n  - {check}\n{more}"));
    scratch.write("shop.sh", "price() { echo $(($1 * 2)); }\n");
    scratch.write("tests/price.sh", ". ./shop.sh\n[ \"$(price 2)\" = 4 ]\n");
    scratch.ok("git add -A && git commit -qm base");
    scratch
}

fn shop() -> Scratch {
    repository("{name: tests, run: sh tests/price.sh}", "")
}

/// A function that nothing tests.
pub const UNTESTED: &str = "more() { :; }\n";

pub fn prove(scratch: &Scratch, more: &str) -> (Said, Value) {
    let said = scratch.sh(&format!("rg-prove --now --json {more}"), b"");
    let value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err));
    (said, value)
}

/// The rules of the findings.
pub fn rules(value: &Value) -> Vec<&str> {
    value["findings"].as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

const OLD: &str = "old-tests-fail";
const NEW: &str = "tests-prove-nothing";
const UNDONE: &str = "change-not-tested";

#[test]
fn a_test_that_was_changed_to_fit_is_found_and_its_honest_twin_is_not() {
    let scratch = shop();
    scratch.write("shop.sh", "price() { echo $(($1 * 3)); }\n");
    scratch.write("tests/price.sh", ". ./shop.sh\n[ \"$(price 2)\" = 6 ]\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (1, vec![OLD]), "{value}");

    scratch.write("shop.sh", "price() { echo $(($1 * 2)); }\ntotal() { echo $(($1 + $2)); }\n");
    scratch.write("tests/price.sh", ". ./shop.sh\n[ \"$(price 2)\" = 4 ]\n[ \"$(total 1 2)\" = 3 ]\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (0, vec![]), "{value}");
}

#[test]
fn a_test_that_passes_without_the_change_and_lines_that_no_test_notices_are_named() {
    let scratch = shop();
    scratch.append("shop.sh", "\n# A price less one.\ndiscount() { echo $(($1 - 1)); }\n");
    scratch.append("tests/price.sh", "[ \"$(price 3)\" = 6 ]\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (1, vec![NEW, UNDONE]), "{value}");
    let undone = &value["findings"][1];
    assert!(undone["text"].as_str().unwrap().contains("shop.sh:2-4"), "{value}");
    assert_eq!((&undone["path"], &undone["line"]), (&"shop.sh".into(), &2.into()), "{value}");
    // A comment alone is nothing that a test could notice.
    let scratch = shop();
    scratch.append("shop.sh", "# The price of two.\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (0, vec![]), "{value}");
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
    assert_eq!((said.status, rules(&value)), (1, vec![NEW]), "{value}");
    let details = value["findings"][0]["details"].as_array().unwrap();
    assert_eq!(details.len(), 1, "{value}");
    assert!(details[0].as_str().unwrap().contains("test_idle"), "{value}");
    // A test that is formatted otherwise is no new one.
    scratch.write("test_sums.py", &test(&[add, sub].concat()).replace("(1, 2)", "(\n            1,\n            2)"));
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (0, vec![]), "{value}");
    // Nor is one whose assertion is written otherwise.
    scratch.write("test_sums.py", &test(&[add, sub].concat()).replace("sums.add(1, 2), 3", "3, sums.add(1, 2)"));
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (0, vec![]), "{value}");
    // Nor is one that moved to another file, and no test notices a text.
    scratch.write("test_sums.py", &test(sub));
    scratch.write("test_more.py", &test(add));
    scratch.write(".github/workflows/ci.yml", "on: push\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (0, vec![]), "{value}");
    scratch.ok("git clean -qfd");
    // Nor if all tests moved, and none is new.
    scratch.ok("git checkout -q . && git mv test_sums.py test_moved.py");
    scratch.write("sums.py", "def add(a, b):\n    return b + a\n");
    let (_, value) = prove(&scratch, "");
    assert_eq!(rules(&value), [UNDONE], "{value}");
    scratch.ok("git reset -q --hard");
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
    assert!(!rules(&value).contains(&OLD), "{value}");
    assert!(value["not_comparable"].to_string().contains("do not run"), "{value}");
}

#[test]
fn a_test_with_parameters_is_one_test_and_one_case_is_enough() {
    let scratch = repository("{name: tests, run: sh run.sh, kind: test}", "");
    scratch.write("tax.sh", "tax() { echo $(($1 / 10)); }\n");
    // Prints a line for each case of a test, as pytest does; a line of cases.txt is a test, an argument and the result.
    let run = ". ./tax.sh\necho '===== test session starts ====='\nfailed=0; n=0\nwhile read -r name in out; do\n  n=$((n + 1))\n  \
               if [ \"$(tax $in)\" = $out ]; then end=PASSED; else end=FAILED; failed=$((failed + 1)); fi\n  \
               echo \"tests/test_tax.py::$name[$in-$out] $end\"\ndone <tests/cases.txt\n\
               echo \"===== $failed failed, $((n - failed)) passed in 0.01s =====\"\n[ $failed = 0 ]\n";
    scratch.write("run.sh", run);
    let test = |name: &str, cases: &str| {
        format!(
            "import pytest\n\n\n@pytest.mark.parametrize(\"a, b\", [{cases}])\ndef {name}(a, b):\n    assert tax(a) == b\n\n\n"
        )
    };
    scratch.write("tests/test_tax.py", &test("test_tax", "(10, 1), (20, 2)"));
    scratch.write("tests/cases.txt", "test_tax 10 1\ntest_tax 20 2\n");
    scratch.ok("git add -A && git commit -qm tax");
    scratch.write("tax.sh", "tax() { echo $((($1 + 9) / 10)); }\n");
    let tax = test("test_tax", "(10, 1), (20, 2), (21, 3)");
    scratch.write("tests/test_tax.py", &tax);
    scratch.write("tests/cases.txt", "test_tax 10 1\ntest_tax 20 2\ntest_tax 21 3\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (0, vec![]), "{value}");
    assert!(value["proved"].to_string().contains("1 of 1 new or changed test needs the change"), "{value}");
    // A case that was changed to fit has another name.
    scratch.write("tax.sh", "tax() { echo $((($1 + 19) / 10)); }\n");
    scratch.write("tests/cases.txt", "test_tax 10 2\ntest_tax 20 3\ntest_tax 21 4\n");
    scratch.write("tests/test_tax.py", &test("test_tax", "(10, 2), (20, 3), (21, 4)"));
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (1, vec![OLD]), "{value}");
    let bent = &value["findings"][0];
    assert!(bent["text"].as_str().unwrap().starts_with("1 test of the base fails"), "{value}");
    assert!(bent["details"].to_string().contains("test_tax[20-2]"), "{value}");
    // No case of the other test needs it.
    scratch.write("tax.sh", "tax() { echo $((($1 + 9) / 10)); }\n");
    scratch.write("tests/cases.txt", "test_tax 10 1\ntest_tax 20 2\ntest_tax 21 3\n");
    scratch.write("tests/test_tax.py", &(tax + &test("test_idle", "(30, 3), (40, 4)")));
    scratch.append("tests/cases.txt", "test_idle 30 3\ntest_idle 40 4\n");
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (1, vec![NEW]), "{value}");
    assert_eq!(value["findings"][0]["details"].to_string(), "[\"tests/test_tax.py::test_idle\"]", "{value}");
}

#[test]
fn a_failing_run_without_names_says_nothing_about_single_tests() {
    let scratch = repository("{name: tests, run: sh run.sh, kind: test}", "");
    // Names its tests only if all of them pass.
    let run = "n=0; failed=0; names=\n. ./shop.sh\nwhile read -r name; do n=$((n + 1)); names=\"$names test_shop.py::$name\"; \
               $name || failed=$((failed + 1)); done <tests/names\n\
               [ $failed = 0 ] && for name in $names; do echo \"$name PASSED\"; done\n\
               echo \"===== $failed failed, $((n - failed)) passed in 0.01s =====\"\n[ $failed = 0 ]\n";
    scratch.write("run.sh", run);
    scratch.append("shop.sh", "test_a() { :; }\ntest_c() { :; }\n");
    scratch.write("tests/names", "test_a\n");
    let test = |name: &str| format!("def {name}():\n    assert shop()\n\n\n");
    scratch.write("tests/test_shop.py", &test("test_a"));
    scratch.ok("git add -A && git commit -qm run");
    scratch.append("shop.sh", "test_b() { :; }\n");
    scratch.write("tests/names", "test_a\ntest_b\ntest_c\n");
    scratch.write("tests/test_shop.py", &["test_a", "test_b", "test_c"].map(test).concat());
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (0, vec![]), "{value}");
    let proved = value["proved"].to_string();
    assert!(proved.contains("the tests fail without the change") && !proved.contains("of 2"), "{value}");
}

#[test]
fn a_check_that_is_red_in_the_copy_is_not_comparable() {
    let scratch =
        repository("{name: tests, run: \"test \\\"$PWD\\\" = \\\"$(cat ../place)\\\" && sh tests/price.sh\"}", "");
    fs::write(scratch.work().join("../place"), scratch.work().to_str().unwrap()).unwrap();
    scratch.append("shop.sh", UNTESTED);
    let (said, value) = prove(&scratch, "");
    assert_eq!((said.status, rules(&value)), (111, vec![]), "{value}");
    assert!(value["not_comparable"].to_string().contains("red in a copy"), "{value}");
}

#[test]
fn a_result_that_changes_from_run_to_run_is_not_comparable() {
    // With the tests of the base the check fails once, and then passes.
    let check =
        "{name: tests, run: \"if grep -q old tests/price.sh && [ ! -e ../../seen ]; then : >../../seen; exit 1; fi\"}";
    let scratch = repository(check, "");
    scratch.ok("echo '# old' >tests/price.sh && git commit -qam old && echo '# new' >tests/price.sh");
    let (_, value) = prove(&scratch, "");
    assert!(!rules(&value).contains(&OLD), "{value}");
    assert!(value["not_comparable"].to_string().contains("fails and passes on the same files"), "{value}");
}

#[test]
fn what_ran_once_is_not_run_again_and_nothing_is_left_behind() {
    let scratch = repository("{name: tests, run: \"echo . >>$OUT; sh tests/price.sh\", env: {OUT: RUNS}}", "");
    let runs = scratch.top().join("home/runs");
    scratch.ok(&format!("sed -i 's|RUNS|{}|' DONE.md && git commit -qam runs", runs.display()));
    scratch.append("shop.sh", UNTESTED);
    let count = || fs::read_to_string(&runs).unwrap_or_default().lines().count();
    let first = prove(&scratch, "").1;
    let then = count();
    assert_eq!((prove(&scratch, "").1, count()), (first.clone(), then));
    assert_eq!((prove(&scratch, "--fresh").1, count()), (first, 2 * then));
    assert!(!scratch.state().join("prove/copy").exists());
    assert_eq!(scratch.ok("git status --short").out, " M shop.sh\n");
    assert_eq!(scratch.ok("git worktree list | wc -l").out.trim(), "1");
}

#[test]
fn a_signal_ends_the_checks_and_removes_the_copy_and_a_killed_run_is_cleared_up() {
    let scratch = repository("{name: tests, run: \"sh tests/price.sh && sleep 300\"}", "");
    scratch.append("shop.sh", UNTESTED);
    let copy = scratch.state().join("prove/copy");
    for (signal, is_removed) in [("TERM", true), ("KILL", false)] {
        let mut command = scratch.command("rg-prove");
        command.arg("--now");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begin = Instant::now();
        while !copy.join("state1").read_dir().is_ok_and(|mut dir| dir.next().is_some()) {
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
    scratch.append("shop.sh", UNTESTED);
    scratch.write("empty.sh", "");
    let (_, value) = prove(&scratch, "");
    assert!(value["not_comparable"].to_string().contains("link: "), "{value}");
    assert!(value["findings"].to_string().contains("no test notices the new, empty file empty.sh"), "{value}");
    for bad in ["--minutes 0", "--minutes x", "--changes -1", "--jobs 0", "--land", "--against nowhere", "operand"] {
        let said = scratch.sh(&format!("rg-prove --now {bad}"), b"");
        assert_eq!(said.status, 100, "{bad}: {}{}", said.out, said.err);
    }
    assert!(scratch.sh("rg-prove --fresh", b"").err.contains("did you mean `rg-prove --now`?"));
    scratch.ok("git rm -q DONE.md && git commit -qm none");
    assert_eq!(scratch.sh("rg-prove --now", b"").status, 100);
}

#[test]
fn experiments_run_at_the_same_time_only_if_each_check_permits_it() {
    // A check that fails if another one runs at the same time.
    let check = |more: &str| {
        format!(
            "{{name: tests, run: \"mkdir ../../busy && sleep 0.3 && rmdir ../../busy && sh tests/price.sh\"{more}}}"
        )
    };
    for (more, is_parallel) in [("", false), (", parallel: true", true)] {
        let scratch = repository(&check(more), "proof: {jobs: 3, changes: 3}\n");
        for name in ["a.sh", "b.sh", "c.sh"] {
            scratch.write(name, "x=1\n");
        }
        let (_, value) = prove(&scratch, "");
        let undone = rules(&value).iter().filter(|rule| **rule == UNDONE).count();
        // All three are green one after another; at the same time the checks disturb each other.
        assert_eq!(undone == 3, !is_parallel, "{more}: {value}");
    }
}

#[test]
fn a_part_that_breaks_the_syntax_is_undone_with_its_neighbour() {
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh tests/t.sh}\n");
    scratch.write("shop.py", "def f():\n    a,\n    b,\n    c,\n    d,\n");
    scratch.write("tests/t.sh", "grep -q 'def f' shop.py\n");
    scratch.ok("git add -A && git commit -qm base");
    // The bracket opens in one hunk and closes in another one.
    scratch.write("shop.py", "def f():\n    g(\n    a,\n    b,\n    c,\n    d,\n    )\n");
    let (_, value) = prove(&scratch, "");
    let texts = value["findings"].to_string();
    assert!(texts.contains("shop.py:2-7"), "{value}");
    assert_eq!(rules(&value), [UNDONE], "{value}");
}
