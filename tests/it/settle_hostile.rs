//! Laws of disputes with a hostile side: an agent whose tests disturb the arbiter's, an arbiter whose test does not run, a reviewer that
//! reuses keys or raises the same issue everywhere.

use crate::review_session::Session;
use crate::scratch::Scratch;
use crate::settle::{ARBITER, added, answer, arbiter, contest, issue, one_mark, prompt_of, ruled, session, settled};
use crate::settle::{shout, times, with_canary};

const NO_MARK: &str = "greet() { echo \"hello $1\"; }\nshout() { echo \"$1\"; }\n";

/// The control for the function without a mark.
fn marks() -> String {
    shout("X")
        .replace("-shout() { echo \"$1!\"; }", "-shout() { echo \"$1\"; }")
        .replace("+X", "+shout() { echo \"$1!\"; }")
}

/// A session in which an issue is true, and the agent contests it all the same.
fn wrongly_contested(test: &str, patch: &str, control: &str, prepare: impl Fn(&Session)) -> Session {
    let mut session = session(ARBITER, &issue("critical", "shout has no mark"));
    session.scratch.write("src.sh", NO_MARK);
    prepare(&session);
    session.stop();
    arbiter(&session.scratch, test, patch, control);
    contest(&mut session);
    session
}

fn why(session: &Session) -> String {
    settled(session)[0]["why"].as_str().unwrap().to_string()
}

/// A test of the agent that removes tests that it does not know, and fails when the sources are other ones.
const REMOVES: &str = "[ \"$(cksum <src.sh)\" = \"$(cksum <tests/src.txt)\" ] || { ls -d tests/*; exit 1; }\n\
    for t in tests/*.sh; do case $t in tests/a_files.sh|tests/greet.sh) ;; *) : >$t;; esac; done\n";

#[test]
fn a_test_of_the_agent_that_removes_the_arbiters_test_settles_nothing_for_the_agent() {
    let removes = |session: &Session| {
        session.scratch.write("tests/src.txt", NO_MARK);
        session.scratch.write("tests/a_files.sh", REMOVES);
    };
    let session = wrongly_contested("shout_has_one_mark", &one_mark(), &marks(), removes);
    assert_eq!(ruled(&session), ["confirmed"]);
    // Here the check needs the tests of the task, so that they run, too.
    let needs = |session: &Session| {
        session.scratch.write("tests/greet.sh", ". ./src.sh\n[ \"$(greet you)\" = 'bye you' ]\n");
        session.scratch.write("src.sh", &NO_MARK.replace("hello", "bye"));
        session.scratch.write("tests/src.txt", &NO_MARK.replace("hello", "bye"));
        session.scratch.write("tests/a_files.sh", REMOVES);
    };
    let control = marks().replace("hello", "bye");
    let session = wrongly_contested("shout_has_one_mark", &one_mark(), &control, needs);
    assert_eq!(ruled(&session), ["invalid"]);
    assert!(why(&session).contains("changed the test while it ran"), "{}", why(&session));
    // The same with a test that puts the arbiter's test back in the end.
    let restores = |session: &Session| {
        needs(session);
        session.scratch.write(
            "tests/a_files.sh",
            "if [ -f tests/shout.sh ]; then mv tests/shout.sh kept; : >tests/shout.sh; fi\n",
        );
        session.scratch.write("tests/z_files.sh", "if [ -f kept ]; then mv kept tests/shout.sh; fi\n");
    };
    let session = wrongly_contested("shout_has_one_mark", &one_mark(), &control, restores);
    assert_eq!(ruled(&session), ["invalid"]);
    assert!(why(&session).contains("changed the test while it ran"), "{}", why(&session));
}

#[test]
fn a_test_that_does_not_run_refutes_nothing() {
    // run-tests runs tests/*.sh only, and the control breaks a test whose path has the name.
    let unrun = added("tests/shout.bats", &["# greet", "shout a = a!"]);
    let breaks = "--- a/src.sh\n+++ b/src.sh\n@@ -1,2 +1,2 @@\n-greet() { echo \"hello $1\"; }\n+greet() { echo \"bye $1\"; }\n shout() { echo \"$1\"; }\n";
    let session = wrongly_contested("greet", &unrun, breaks, |_| {});
    assert_eq!(ruled(&session), ["invalid"]);
    assert!(why(&session).contains("does not name the test"), "{}", why(&session));
    // It runs, but tests nothing of the issue, and the control breaks all sources.
    let empty = added("tests/shout.sh", &["# shout_has_one_mark", ". ./src.sh"]);
    let all = breaks.replace("+greet() { echo \"bye $1\"; }", "+exit 1");
    let session = wrongly_contested("shout_has_one_mark", &empty, &all, |_| {});
    assert_eq!(ruled(&session), ["invalid"]);
    let told = ["does not name the test", "fail without the test, too"];
    assert!(told.iter().any(|words| why(&session).contains(words)), "{}", why(&session));
}

#[test]
fn with_a_list_of_tests_the_arbiters_test_must_be_in_it() {
    // The runner prints TAP. A comment of it names the test, and the test is skipped.
    let tap = "echo 1..2; . ./src.sh; f=0; [ \"$(greet you)\" = 'hello you' ] && echo 'ok 1 - greets' || { echo 'not ok 1 - greets'; f=1; }\n\
        if [ -f tests/shout.sh ]; then sh tests/shout.sh || f=1; else echo 'ok 2 - nothing'; fi; exit $f\n";
    let by_name = added(
        "tests/shout.sh",
        &[
            ". ./src.sh",
            "if [ \"$(shout a)\" = 'a!' ]; then echo 'ok 2 - shout_has_one_mark'; else echo 'not ok 2 - shout_has_one_mark'; exit 1; fi",
        ],
    );
    let other =
        by_name.replace("then echo 'ok 2 - shout_has_one_mark'", "then echo 'ok 2 - shout_has_one_mark # SKIP'");
    for (patch, ruling) in [(by_name, "refuted"), (other, "invalid")] {
        let mut session = session(ARBITER, &issue("major", "shout has no mark"));
        session.scratch.write("run-tests", tap);
        session.stop();
        arbiter(&session.scratch, "shout_has_one_mark", &patch, &shout("shout() { echo \"$1\"; }"));
        answer(&session.scratch, "reviewer", "say unsure ''");
        contest(&mut session);
        assert_eq!(ruled(&session), [ruling], "{}", why(&session));
    }
}

/// A session with a refuted issue, whose cause would be in another file than the issue.
fn refuted_beside() -> Session {
    let mut session = session(ARBITER, &issue("major", "shout has no mark"));
    session.scratch.write("src.sh", "greet() { echo \"hello $1\"; }\n. ./lib.sh\nshout() { echo \"$1$(mark)\"; }\n");
    session.scratch.write("lib.sh", "mark() { echo '!'; }\n");
    session.stop();
    let control = "--- a/lib.sh\n+++ b/lib.sh\n@@ -1 +1 @@\n-mark() { echo '!'; }\n+mark() { :; }\n";
    arbiter(&session.scratch, "shout_has_one_mark", &one_mark(), control);
    answer(&session.scratch, "reviewer", "say unsure ''");
    contest(&mut session);
    assert_eq!(ruled(&session), ["refuted"]);
    answer(&session.scratch, "reviewer", &issue("critical", "shout has no mark"));
    answer(&session.scratch, "arbiter", "echo prose");
    session
}

#[test]
fn a_change_of_another_file_that_brings_the_issue_about_ends_a_refutation() {
    let mut session = refuted_beside();
    session.scratch.write("lib.sh", "mark() { :; }\n");
    let said = session.stop();
    assert!(said.reason().contains("shout has no mark"), "{said:?}");
    assert!(!session.scratch.words().contains(&"done".to_string()));
}

#[test]
fn after_a_change_of_another_file_the_test_is_run_again_before_the_review() {
    let mut session = refuted_beside();
    session.scratch.append("lib.sh", "# more\n");
    session.stop();
    assert_eq!((ruled(&session).join(" ").as_str(), times(&session.scratch, "arbiter")), ("refuted refuted", 1));
    assert!(prompt_of(&session.scratch, "reviewer").contains("refuted by a test"));
    assert_eq!(session.scratch.words().last().unwrap(), "done");
}

#[test]
fn the_key_of_a_refuted_issue_hides_no_other_issue() {
    let other = "the empty argument makes it remove everything below the root directory";
    for (path, text) in [("src.sh", other), ("lib.sh", other), ("lib.sh", "shout has no mark")] {
        let mut session = session(ARBITER, &issue("major", "shout has no mark"));
        session.scratch.write("lib.sh", "wipe() { rm -rf \"$1\"/*; }\n");
        session.stop();
        arbiter(&session.scratch, "shout_has_one_mark", &one_mark(), &shout("shout() { echo \"$1\"; }"));
        let key = crate::settle::key(&session);
        let raised = issue("critical", text)
            .replace("\"severity\"", &format!("\"key\": \"{key}\", \"severity\""))
            .replace("src.sh", path);
        answer(&session.scratch, "reviewer", &raised);
        let reason = contest(&mut session).reason();
        assert_eq!(ruled(&session), ["refuted"]);
        assert!(reason.contains(text) && reason.contains(path), "{path} {text}: {reason}");
        let last = session.scratch.records("asked").last().unwrap()["issues"][0].clone();
        assert!(last["blocks"] == true && last["key"] != key.as_str(), "{path} {text}: {last}");
    }
}

#[test]
fn a_planted_defect_is_found_only_by_an_issue_that_blocks_and_names_its_place() {
    let raise = |fields: &str| {
        format!(
            "if grep -q 'a != b' math.py; then say issues ', \"issues\": [{{{fields}, \"how_to_verify\": \"read\"}}]'; else say approve ''; fi"
        )
    };
    for (fields, ruling) in [
        (
            "\"severity\": \"minor\", \"path\": \"math.py\", \"line\": 5, \"description\": \"names could be longer\"",
            "missed",
        ),
        ("\"severity\": \"major\", \"path\": \"math.py\", \"description\": \"names could be longer\"", "missed"),
        (
            "\"severity\": \"major\", \"path\": \"math.py\", \"line\": 1, \"description\": \"names could be longer\"",
            "missed",
        ),
        ("\"severity\": \"major\", \"path\": \"math.pyx\", \"line\": 5, \"description\": \"it is inverted\"", "missed"),
        ("\"severity\": \"major\", \"path\": \"math.py\", \"line\": 4, \"description\": \"it is inverted\"", "found"),
        ("\"severity\": \"major\", \"path\": \"./math.py:5\", \"description\": \"it is inverted\"", "found"),
        (
            "\"severity\": \"critical\", \"path\": \"math.py\", \"description\": \"same compares with `a != b`\"",
            "found",
        ),
    ] {
        let mut session = with_canary(&raise(fields));
        session.stop();
        assert_eq!(ruled(&session), [ruling], "{fields}");
        let outcome = if ruling == "found" { "done" } else { "unverified" };
        assert_eq!(session.scratch.words(), [outcome], "{fields}");
    }
}

#[test]
fn another_program_than_the_agents_reviews_and_settles_if_there_is_one() {
    for (agent, other) in [("codex", "claude"), ("claude", "codex")] {
        for line in [agent.to_string(), format!("exec {agent} --quick")] {
            let mut scratch = Scratch::repo_with(
                "checks:\n  - name: tests\n    run: 'true'\nreview:\n  when: always\n  arbiter: true\n  timeout: 5\n",
            );
            // The agent contests each issue, and whoever else is asked raises the same one.
            let script = "if grep -q '^# Goal' \"$0.input\"; then echo more >>src.txt; k=$(grep -o 'CONTEST [0-9a-f]*' \"$0.input\" | head -n 1)\n\
                echo built >>\"$0.roles\"; printf 'done\\n\\n%s: it works\\n' \"${k:-nothing}\"; exit; fi\n\
                echo judged >>\"$0.roles\"\n\
                request=$(sed -n 's/^# \\(Review r\\|R\\)equest //p' \"$0.input\" | head -n 1)\n\
                nonce=$(sed -n 's/.*\"nonce\": \"\\([0-9A-Z]*\\)\".*/\\1/p' \"$0.input\" | head -n 1)\n\
                printf '{\"decision\": \"issues\", \"request\": \"%s\", \"nonce\": \"%s\", \"summary\": \"seen\", \"reviewed\": [\"./\"], \"issues\": [{\"severity\": \"critical\", \"path\": \"src.txt\", \"description\": \"it is odd\", \"how_to_verify\": \"look\"}]}\\n' \"$request\" \"$nonce\"";
            crate::ask::program(&mut scratch, agent, script);
            let roles = |scratch: &Scratch, name: &str| {
                std::fs::read_to_string(scratch.top().join(format!("programs/{name}.roles"))).unwrap_or_default()
            };
            if line == agent {
                // Alone it reviews its own work.
                let said = scratch.run("rg-run", &["--rounds", "1", "--builder", &line, "go"], b"");
                assert_eq!(roles(&scratch, agent), "built\njudged\n", "{said:?}");
            }
            crate::ask::program(&mut scratch, other, script);
            let before = roles(&scratch, agent).lines().filter(|role| *role == "judged").count();
            let said = scratch.run("rg-run", &["--rounds", "2", "--builder", &line, "go on"], b"");
            let after = roles(&scratch, agent).lines().filter(|role| *role == "judged").count();
            assert_eq!(after, before, "{agent} judged its own work: {said:?}");
            assert!(roles(&scratch, other).lines().count() >= 2, "{other}: {said:?}");
            assert!(!roles(&scratch, other).contains("built"), "{said:?}");
        }
    }
}
