//! Laws of disputes: the arbiter, the moderator, the modes, the confidence and the planted defects of a review.

use crate::review_session::Session;
use crate::scratch::Scratch;
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

/// The head of a scripted model: reads what it receives, and finds the request and the nonce.
const HEAD: &str = "cat >\"$0.prompt\"\n\
    request=$(sed -n 's/^# \\(Review r\\|R\\)equest //p' \"$0.prompt\" | head -n 1)\n\
    nonce=$(sed -n 's/.*\"nonce\": \"\\([0-9A-Z]*\\)\".*/\\1/p' \"$0.prompt\" | head -n 1)\n\
    echo x >>\"$0.count\"\n\
    . \"$0.answer\"\n";

/// A reviewer that raises this issue.
pub fn issue(severity: &str, text: &str) -> String {
    format!(
        "say issues ', \"issues\": [{{\"severity\": \"{severity}\", \"path\": \"src.sh\", \"description\": \"{text}\", \"how_to_verify\": \"run it\"}}]'"
    )
}

/// The definition of `say` of a reviewer.
const SAY: &str = "say() { printf '{\"decision\": \"%s\", \"request\": \"%s\", \"nonce\": \"%s\", \"summary\": \"seen\", \"reviewed\": [\"./\", \"tests/\"%s]%s}\\n' \"$1\" \"$request\" \"$nonce\" \"$KEYS\" \"$2\"; }\n";

/// Writes what a model answers.
pub fn answer(scratch: &Scratch, name: &str, script: &str) {
    fs::write(scratch.top().join(format!("{name}.sh.answer")), format!("{SAY}{script}\n")).unwrap();
}

/// How often a model was started.
pub fn times(scratch: &Scratch, name: &str) -> usize {
    fs::read_to_string(scratch.top().join(format!("{name}.sh.count"))).unwrap_or_default().lines().count()
}

pub fn prompt_of(scratch: &Scratch, name: &str) -> String {
    fs::read_to_string(scratch.top().join(format!("{name}.sh.prompt"))).unwrap_or_default()
}

/// A session with a function that greets, a runner of `tests/*.sh`, and scripted models.
pub fn session(keys: &str, reviewer: &str) -> Session {
    let scratch = Scratch::repo_with(&format!(
        "checks:\n  - name: tests\n    run: sh run-tests\nreview:\n  command: sh ../reviewer.sh\n  timeout: 5\n{keys}"
    ));
    scratch.write("run-tests", "for t in tests/*.sh; do sh \"$t\" || { echo \"FAILED $t\"; exit 1; }; done\n");
    scratch.write("tests/greet.sh", ". ./src.sh\n[ \"$(greet you)\" = 'hello you' ]\n");
    scratch.write("src.sh", "greet() { echo \"hello $1\"; }\n");
    scratch.ok("git add -A && git commit -qm start");
    for name in ["reviewer", "arbiter", "moderator"] {
        fs::write(scratch.top().join(format!("{name}.sh")), HEAD).unwrap();
        answer(&scratch, name, "echo prose");
    }
    answer(&scratch, "reviewer", reviewer);
    let mut session = Session::of(scratch);
    session.prompt("#review shout at nobody");
    session.scratch.write("src.sh", "greet() { echo \"hello $1\"; }\nshout() { echo \"$1!\"; }\n");
    session
}

/// An arbiter that gives these patches.
pub fn arbiter(scratch: &Scratch, test: &str, patch: &str, control: &str) {
    let value = json!({"test": test, "test_patch": patch, "control_patch": control, "explanation": "it was tried"});
    let text = value.to_string().replace('\'', "'\\''");
    let script = format!(
        "printf '%s' '{text}' | sed \"s/^{{/{{\\\"request\\\": \\\"$request\\\", \\\"nonce\\\": \\\"$nonce\\\", /\""
    );
    answer(scratch, "arbiter", &script);
}

/// A patch that adds a file with these lines.
pub fn added(path: &str, lines: &[&str]) -> String {
    let body: String = lines.iter().map(|line| format!("+{line}\n")).collect();
    format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{} @@\n{body}", lines.len())
}

/// A patch of the function that shouts.
pub fn shout(new: &str) -> String {
    format!(
        "--- a/src.sh\n+++ b/src.sh\n@@ -1,2 +1,2 @@\n greet() {{ echo \"hello $1\"; }}\n-shout() {{ echo \"$1!\"; }}\n+{new}\n"
    )
}

/// A test that demands three marks.
fn three_marks() -> String {
    added("tests/shout.sh", &["# shout_has_three_marks", ". ./src.sh", "[ \"$(shout a)\" = 'a!!!' ]"])
}

/// A test that demands one mark.
pub fn one_mark() -> String {
    added("tests/shout.sh", &["# shout_has_one_mark", ". ./src.sh", "[ \"$(shout a)\" = 'a!' ]"])
}

pub fn key(session: &Session) -> String {
    let asked = session.scratch.records("asked");
    let last = asked.iter().rfind(|step| step["issues"][0]["blocks"] == true).unwrap();
    last["issues"][0]["key"].as_str().unwrap().to_string()
}

pub fn contest(session: &mut Session) -> crate::scratch::Said {
    let key = key(session);
    session.stop_with(json!({"last_assistant_message": format!("It is right.\n\nCONTEST {}: it works", &key[..8])}))
}

pub fn settled(session: &Session) -> Vec<Value> {
    session.scratch.records("settled")
}

pub fn ruled(session: &Session) -> Vec<String> {
    settled(session).iter().map(|one| one["ruled"].as_str().unwrap().to_string()).collect()
}

pub const ARBITER: &str = "  arbiter: sh ../arbiter.sh\n";

#[test]
fn a_test_of_the_arbiter_confirms_a_contested_issue_and_stays() {
    let mut session = session(ARBITER, &issue("major", "shout has one mark only"));
    let reason = session.stop().reason();
    let line = format!("CONTEST {}: <reason>", &key(&session)[..8]);
    assert!(reason.contains(&line), "{reason}");
    arbiter(&session.scratch, "shout_has_three_marks", &three_marks(), &shout("shout() { echo \"$1!!!\"; }"));
    let reason = contest(&mut session).reason();
    assert!(reason.contains("A test confirms it and fails: tests/shout.sh"), "{reason}");
    let prompt = prompt_of(&session.scratch, "arbiter");
    assert!(
        prompt.contains("| it works") && prompt.contains("| major src.sh") && prompt.contains("You settle a dispute"),
        "{prompt}"
    );
    assert!(session.scratch.work().join("tests/shout.sh").exists());
    assert!(fs::read_to_string(session.scratch.work().join("src.sh")).unwrap().contains("$1!\""));
    assert_eq!(ruled(&session), ["confirmed"]);
    // The test stays: it fails until the issue is resolved, and then the reviewer need not name the issue.
    let reason = session.stop().reason();
    assert!(reason.contains("FAILED tests/shout.sh"), "{reason}");
    session.scratch.write("src.sh", "greet() { echo \"hello $1\"; }\nshout() { echo \"$1!!!\"; }\n");
    answer(&session.scratch, "reviewer", "say approve ''");
    assert_eq!(session.stop().out, "");
    assert_eq!(session.scratch.words().last().unwrap(), "done");
}

#[test]
fn without_its_test_a_confirmed_issue_stays_open() {
    let mut session = session(ARBITER, &issue("major", "shout has one mark only"));
    session.stop();
    arbiter(&session.scratch, "shout_has_three_marks", &three_marks(), &shout("shout() { echo \"$1!!!\"; }"));
    contest(&mut session);
    fs::remove_file(session.scratch.work().join("tests/shout.sh")).unwrap();
    session.scratch.append("src.sh", "# looked at\n");
    answer(&session.scratch, "reviewer", "say approve ''");
    let said = session.stop();
    assert!(said.reason().contains("shout has one mark only"), "{said:?}");
    assert_ne!(session.scratch.words().last().unwrap(), "done");
}

#[test]
fn a_test_of_the_arbiter_refutes_an_issue_which_is_remembered() {
    let mut session = session(ARBITER, &issue("major", "shout has no mark"));
    session.stop();
    arbiter(&session.scratch, "shout_has_one_mark", &one_mark(), &shout("shout() { echo \"$1\"; }"));
    // The reviewer raises the same issue in other words of case and number, and it does not block again.
    answer(&session.scratch, "reviewer", &issue("critical", "Shout has NO mark 2"));
    let said = contest(&mut session);
    assert_eq!(ruled(&session), ["refuted"]);
    assert_eq!(session.scratch.words(), ["not-done", "done"], "{said:?}");
    assert!(
        prompt_of(&session.scratch, "reviewer").contains("refuted by a test"),
        "{}",
        prompt_of(&session.scratch, "reviewer")
    );
    assert!(!session.scratch.work().join("tests/shout.sh").exists());
    let issues = session.scratch.records("asked").last().unwrap()["issues"].clone();
    assert_eq!(
        (issues[0]["blocks"].as_bool(), issues[0]["why_not"].as_str()),
        (Some(false), Some("refuted by a test"))
    );
    assert_eq!(times(&session.scratch, "arbiter"), 1);
}

/// A session with a refuted issue, before its file changes.
fn refuted() -> Session {
    let mut session = session(ARBITER, &issue("major", "shout has no mark"));
    session.stop();
    arbiter(&session.scratch, "shout_has_one_mark", &one_mark(), &shout("shout() { echo \"$1\"; }"));
    answer(&session.scratch, "reviewer", "say unsure ''");
    contest(&mut session);
    assert_eq!(ruled(&session), ["refuted"]);
    answer(&session.scratch, "reviewer", &issue("major", "shout has no mark"));
    answer(&session.scratch, "arbiter", "echo prose");
    session
}

#[test]
fn in_a_changed_file_the_same_test_refutes_an_issue_again() {
    let mut session = refuted();
    session.scratch.append("src.sh", "bye() { echo \"bye $1\"; }\n");
    let said = session.stop();
    assert_eq!((ruled(&session).join(" ").as_str(), times(&session.scratch, "arbiter")), ("refuted refuted", 1));
    assert_eq!(session.scratch.words().last().unwrap(), "done", "{said:?}");
    let last = session.scratch.records("asked").last().unwrap()["issues"][0].clone();
    assert_eq!(last["why_not"], "refuted by a test");
    assert!(!session.scratch.work().join("tests/shout.sh").exists());
}

#[test]
fn a_change_that_brings_the_issue_about_ends_a_refutation() {
    let brings = "greet() { echo \"hello $1\"; }\nshout() { echo \"$1\"; }\n";
    // The test passes, but the control does not fit any more: whether it would notice the issue is not known.
    let elsewhere = "greet() { echo \"hello $1\"; }\nshout() { mark=!; echo \"$1$mark\"; }\n";
    for (what, source) in [("the issue is there", brings), ("the control does not fit", elsewhere)] {
        let mut session = refuted();
        session.scratch.write("src.sh", source);
        let said = session.stop();
        assert!(said.reason().contains("shout has no mark"), "{what}: {said:?}");
        assert_eq!(
            (ruled(&session).join(" ").as_str(), times(&session.scratch, "arbiter")),
            ("refuted invalid", 2),
            "{what}"
        );
    }
}

#[test]
fn an_issue_that_comes_back_is_settled_without_being_contested() {
    let mut session = session(ARBITER, &issue("major", "shout has one mark only"));
    answer(&session.scratch, "arbiter", "echo prose");
    session.stop();
    assert_eq!(times(&session.scratch, "arbiter"), 0);
    session.scratch.append("src.sh", "# better\n");
    session.stop();
    assert_eq!(times(&session.scratch, "arbiter"), 1);
    assert!(prompt_of(&session.scratch, "arbiter").contains("the reviewer raised it again"));
}

#[test]
fn an_arbiter_that_breaks_the_rules_settles_nothing() {
    let control = shout("shout() { echo \"$1!!!\"; }");
    let always_fails = added("tests/shout.sh", &["# shout_fails", "exit 1"]);
    let always_passes = added("tests/shout.sh", &["# shout_passes", "exit 0"]);
    let broken = added("tests/shout.sh", &["# shout_is_broken", "if then ((("]);
    let source = added("other.sh", &["# shout_elsewhere", "exit 1"]);
    let removes = "--- a/tests/greet.sh\n+++ b/tests/greet.sh\n@@ -1,2 +1,2 @@\n . ./src.sh\n-[ \"$(greet you)\" = 'hello you' ]\n+# shout_no_test\n".to_string();
    let deletes = "diff --git a/tests/greet.sh b/tests/greet.sh\ndeleted file mode 100644\n--- a/tests/greet.sh\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-. ./src.sh\n-[ \"$(greet you)\" = 'hello you' ]\n".to_string();
    let outside = added("../outside/tests/shout.sh", &["# shout_outside", "exit 1"]);
    let link = "diff --git a/tests/shout.sh b/tests/shout.sh\nnew file mode 120000\n--- /dev/null\n+++ b/tests/shout.sh\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n".to_string();
    let cases = [
        ("always fails", "shout_fails", always_fails.clone(), control.clone(), "fails with and without"),
        ("always passes", "shout_passes", always_passes, control.clone(), "passes with and without"),
        ("cannot be parsed", "shout_is_broken", broken, control.clone(), "fails with and without"),
        ("is no test", "shout_elsewhere", source, control.clone(), "only add files or lines"),
        ("removes lines", "shout_no_test", removes, control.clone(), "only add files or lines"),
        ("deletes a test", "shout_deleted", deletes, control.clone(), "only add files or lines"),
        ("is outside", "shout_outside", outside, control.clone(), "rg-patch refused it"),
        ("is a link", "/etc/passwd", link, control.clone(), ""),
        ("is no patch", "shout_prose", "I would test it.".into(), control.clone(), ""),
        (
            "controls by a test",
            "shout_has_three_marks",
            three_marks(),
            added("tests/z.sh", &["exit 0"]),
            "must not change tests",
        ),
        ("has no control", "shout_has_three_marks", three_marks(), String::new(), "lacks"),
        ("has another name", "another_name", three_marks(), control.clone(), "does not name the test"),
    ];
    for (what, test, patch, control, told) in cases {
        let mut session = session(ARBITER, &issue("major", "shout has one mark only"));
        session.stop();
        arbiter(&session.scratch, test, &patch, &control);
        let before = session.scratch.ok("git status --porcelain; cat src.sh tests/greet.sh").out;
        let reason = contest(&mut session).reason();
        assert_eq!(ruled(&session), ["invalid"], "{what}: {reason}");
        let why = settled(&session)[0]["why"].as_str().unwrap().to_string();
        assert!(why.contains(told), "{what}: {why}");
        assert!(reason.contains("The arbiter gave no valid test"), "{what}: {reason}");
        assert_eq!(session.scratch.ok("git status --porcelain; cat src.sh tests/greet.sh").out, before, "{what}");
        // It is not asked again about the same files.
        contest(&mut session);
        assert_eq!(times(&session.scratch, "arbiter"), 1, "{what}");
    }
}

#[test]
fn an_arbiter_that_misbehaves_settles_nothing_and_ends() {
    for (what, script, told) in [
        ("dies", "exit 7", "failed with status 7"),
        ("is silent", "true", "empty answer"),
        ("hangs", "sleep 600", "did not end within"),
        ("floods", "yes '{\"request\": \"x\"}' | head -c 20000000", "no JSON object"),
        ("answers prose", "echo The builder is right.", "no JSON object"),
        (
            "lies about the nonce",
            "printf '{\"request\": \"%s\", \"nonce\": \"0\", \"test\": \"x\"}' \"$request\"",
            "nonce",
        ),
        (
            "answers twice",
            "for n in 1 2; do printf '{\"request\": \"%s\", \"nonce\": \"%s\", \"test\": \"%s\"}\\n' \"$request\" \"$nonce\" $n; done",
            "no JSON object",
        ),
        ("edits a file", "echo '# x' >>src.sh", "files changed"),
    ] {
        let mut session = session(ARBITER, &issue("major", "shout has one mark only"));
        session.stop();
        answer(&session.scratch, "arbiter", script);
        let began = std::time::Instant::now();
        contest(&mut session);
        assert!(began.elapsed() < Duration::from_secs(30), "{what}: {:?}", began.elapsed());
        assert_eq!(ruled(&session), ["invalid"], "{what}");
        let why = settled(&session)[0]["why"].as_str().unwrap().to_string();
        assert!(why.contains(told), "{what}: {why}");
        assert!(!session.scratch.words().contains(&"done".to_string()), "{what}");
    }
}

/// Three versions of the work, and a reviewer that raises the same issue in each.
fn moderated(keys: &str, decision: &str) -> Session {
    let mut session = session(&format!("  rounds: 9\n{keys}"), &issue("major", "shout is too quiet"));
    answer(
        &session.scratch,
        "moderator",
        &format!(
            "printf '{{\"request\": \"%s\", \"nonce\": \"%s\", \"decision\": \"{decision}\", \"reasoning\": \"I tried it.\"}}' \"$request\" \"$nonce\""
        ),
    );
    session.stop();
    assert_eq!(times(&session.scratch, "moderator"), 0);
    session.scratch.append("src.sh", "# louder\n");
    session
}

const MODERATOR: &str = "  moderator: sh ../moderator.sh\n";

#[test]
fn a_moderator_that_accepts_the_work_waives_it_only_if_the_baseline_allows_that() {
    let mut allowed = moderated(&format!("{MODERATOR}  moderator_waives: true\n"), "accept_builder");
    let said = allowed.stop();
    assert_eq!(ruled(&allowed), ["accept_builder"]);
    assert_eq!(allowed.scratch.words(), ["not-done", "waived"], "{said:?}");
    let prompt = prompt_of(&allowed.scratch, "moderator");
    assert!(prompt.contains("| #review shout at nobody") && prompt.contains("| +# louder"), "{prompt}");
    assert!(prompt.contains("| major src.sh: shout is too quiet") && prompt.contains("| tests: passed"), "{prompt}");
    let mut not_allowed = moderated(MODERATOR, "accept_builder");
    let told = not_allowed.stop().told();
    assert!(told.contains("a person must decide") && told.contains("`moderator_waives` is not set"), "{told}");
    assert_eq!(not_allowed.scratch.words(), ["not-done", "unverified"]);
}

#[test]
fn a_moderator_that_accepts_the_work_accepts_exactly_these_files() {
    let mut session = moderated(&format!("{MODERATOR}  moderator_waives: true\n"), "accept_builder");
    session.scratch.write("tests/greet.sh", ". ./src.sh\n[ \"$(greet you)\" = 'hello me' ]\n");
    session.stop();
    assert_eq!(times(&session.scratch, "moderator"), 0, "red work is not moderated");
    session.scratch.ok("git checkout -q tests/greet.sh");
    session.stop();
    assert_eq!(session.scratch.words().last().unwrap(), "waived");
    session.prompt("#review go on");
    session.scratch.append("src.sh", "# another byte\n");
    session.stop();
    assert_eq!(session.scratch.words().last().unwrap(), "not-done");
}

#[test]
fn a_moderator_that_upholds_the_issues_leaves_them_open() {
    let mut session = moderated(MODERATOR, "accept_reviewer");
    let reason = session.stop().reason();
    assert!(reason.contains("The moderator upholds it"), "{reason}");
    // It is not asked again about the same files.
    session.stop();
    assert_eq!(times(&session.scratch, "moderator"), 1);
    assert!(!session.scratch.words().contains(&"done".to_string()));
}

#[test]
fn if_the_moderator_accepts_nobody_a_person_must_decide() {
    for (keys, decision) in [(MODERATOR, "reject_both"), ("  moderator: human\n", "")] {
        let mut session = moderated(keys, decision);
        let told = session.stop().told();
        assert!(told.contains("a person must decide") && told.contains("rg-review-state approve"), "{keys}: {told}");
        assert_eq!(session.scratch.words(), ["not-done", "unverified"], "{keys}");
        session.stop();
        assert!(!session.scratch.words().contains(&"done".to_string()), "{keys}");
    }
}

#[test]
fn the_moderator_is_asked_when_a_set_of_issues_comes_back_and_at_the_last_round() {
    let mut session = session(&format!("  rounds: 9\n{MODERATOR}"), &issue("major", "shout is too quiet"));
    session.stop();
    for (text, asked) in [("shout is too loud", 0), ("shout is too quiet", 1)] {
        session.scratch.append("src.sh", "# again\n");
        let other = issue("major", text).replace("\"issues\"", "\"x\": 1, \"issues\"");
        // The reviewer finds the earlier issue resolved.
        let earlier = key(&session);
        answer(&session.scratch, "reviewer", &format!("KEYS=', \"{earlier}\"'; {other}"));
        session.stop();
        assert_eq!(times(&session.scratch, "moderator"), asked, "{text}");
    }
    let mut last = self::session(&format!("  rounds: 1\n{MODERATOR}"), &issue("critical", "shout is too quiet"));
    last.stop();
    assert_eq!(times(&last.scratch, "moderator"), 1);
    assert_eq!(last.scratch.words(), ["abandoned"]);
    let mut minor =
        self::session(&format!("  rounds: 1\n  floor: strict\n{MODERATOR}"), &issue("minor", "shout is too quiet"));
    minor.stop();
    assert_eq!(times(&minor.scratch, "moderator"), 0);
}

#[test]
fn a_moderator_that_misbehaves_decides_nothing_and_ends() {
    for (what, script) in [
        ("dies", "exit 7"),
        ("is silent", "true"),
        ("hangs", "sleep 600"),
        ("floods", "yes accept_builder | head -c 20000000"),
        ("answers prose", "echo accept_builder"),
        (
            "invents a decision",
            "printf '{\"request\": \"%s\", \"nonce\": \"%s\", \"decision\": \"approve\", \"reasoning\": \"x\"}' \"$request\" \"$nonce\"",
        ),
        (
            "gives no reason",
            "printf '{\"request\": \"%s\", \"nonce\": \"%s\", \"decision\": \"accept_builder\"}' \"$request\" \"$nonce\"",
        ),
        (
            "lies about the nonce",
            "printf '{\"request\": \"%s\", \"nonce\": \"1\", \"decision\": \"accept_builder\", \"reasoning\": \"x\"}' \"$request\"",
        ),
        (
            "contradicts itself",
            "for d in accept_builder reject_both; do printf '{\"request\": \"%s\", \"nonce\": \"%s\", \"decision\": \"%s\", \"reasoning\": \"x\"}\\n' \"$request\" \"$nonce\" $d; done",
        ),
        (
            "edits a file",
            "echo '# x' >>src.sh; printf '{\"request\": \"%s\", \"nonce\": \"%s\", \"decision\": \"accept_builder\", \"reasoning\": \"x\"}' \"$request\" \"$nonce\"",
        ),
    ] {
        let mut session = moderated(&format!("{MODERATOR}  moderator_waives: true\n"), "");
        answer(&session.scratch, "moderator", script);
        let began = std::time::Instant::now();
        session.stop();
        assert!(began.elapsed() < Duration::from_secs(30), "{what}: {:?}", began.elapsed());
        assert_eq!(ruled(&session), ["invalid"], "{what}");
        let words = session.scratch.words();
        assert!(!words.iter().any(|word| word == "done" || word == "waived"), "{what}: {words:?}");
    }
}

#[test]
fn an_issue_below_the_confidence_is_shown_and_does_not_block() {
    for (given, blocks) in [
        ("\"low\"", false),
        ("\"medium\"", true),
        ("\"high\"", true),
        ("0.2", false),
        ("0.9", true),
        ("95", true),
        ("-3", false),
        ("null", true),
        ("\"certain\"", true),
    ] {
        let raised = issue("major", "shout is too quiet")
            .replace("\"severity\"", &format!("\"confidence\": {given}, \"severity\""));
        let mut session = session("  confidence: medium\n", &raised);
        session.stop();
        let want = if blocks { "not-done" } else { "done" };
        assert_eq!(session.scratch.words(), [want], "{given}");
        assert!(prompt_of(&session.scratch, "reviewer").contains("An issue below medium does not block."));
        let receipt = session.scratch.receipt();
        assert!(receipt["findings"].to_string().contains("shout is too quiet"), "{given}: {receipt}");
    }
}

/// A session whose change has a line that can carry a defect, with a reviewer outside of the root.
pub fn with_canary(reviewer: &str) -> Session {
    let scratch = Scratch::repo_with("checks: []\n");
    let path = scratch.top().join("reviewer.sh");
    let done = format!(
        "```yaml\nchecks:\n  - name: tests\n    run: 'true'\nreview:\n  command: [sh, {}]\n  timeout: 5\n  canary: 1\n```\n",
        path.display()
    );
    scratch.write("DONE.md", &done);
    scratch.write("math.py", "def add(a, b):\n    return a\n");
    scratch.ok("git add -A && git commit -qm start");
    fs::write(&path, HEAD).unwrap();
    answer(&scratch, "reviewer", reviewer);
    let mut session = Session::of(scratch);
    session.prompt("#review compare");
    session.scratch.write("math.py", "def add(a, b):\n    return a\n\ndef same(a, b):\n    return a == b\n");
    session
}

#[test]
fn a_reviewer_that_approves_a_planted_defect_approves_nothing() {
    let mut session = with_canary("cp math.py \"$0.seen\"; say approve ''");
    let told = session.stop().told();
    assert!(told.contains("approved a planted defect in math.py"), "{told}");
    assert_eq!(session.scratch.words(), ["unverified"]);
    assert_eq!(ruled(&session), ["missed"]);
    let seen = fs::read_to_string(session.scratch.top().join("reviewer.sh.seen")).unwrap();
    assert!(seen.contains("return a != b"), "{seen}");
    assert!(prompt_of(&session.scratch, "reviewer").contains("| +    return a != b\n"));
    assert!(fs::read_to_string(session.scratch.work().join("math.py")).unwrap().contains("return a == b"));
    // It is not trusted again in this task, whatever it decides.
    session.scratch.append("math.py", "# more\n");
    session.stop();
    assert_eq!(session.scratch.words(), ["unverified", "unverified"]);
    assert!(session.scratch.receipt()["verdicts"].to_string().contains("planted defect"));
    let said = session.scratch.run("rg-review-state", &["list", "--reviewers"], b"");
    assert!(said.out.contains("planted defects 0 found, 1 missed"), "{said:?}");
}

#[test]
fn a_reviewer_that_finds_the_planted_defect_is_asked_about_the_real_files() {
    let careful = "if grep -q 'a != b' math.py; then say issues ', \"issues\": [{\"severity\": \"critical\", \"path\": \"math.py\", \"line\": 5, \"description\": \"same is not the same\", \"how_to_verify\": \"read\"}]'; else say approve ''; fi";
    let mut session = with_canary(careful);
    assert_eq!(session.stop().out, "");
    assert_eq!(session.scratch.words(), ["done"]);
    assert_eq!(ruled(&session), ["found"]);
    assert_eq!(times(&session.scratch, "reviewer"), 2);
    assert!(session.scratch.receipt()["verdicts"].to_string().contains("planted defect: found"));
    // The issue that it raised about the planted defect reaches nobody.
    assert!(!session.scratch.receipt().to_string().contains("not the same"));
}

#[test]
fn where_no_defect_can_be_planted_that_is_recorded() {
    let mut session = with_canary("say approve ''");
    session.scratch.write("math.py", "def add(a, b):\n    return a  # 1 == 1\n");
    assert_eq!(session.stop().out, "");
    assert_eq!(ruled(&session), ["not-planted"]);
    assert_eq!(session.scratch.words(), ["done"]);
    assert!(session.scratch.receipt()["verdicts"].to_string().contains("planted defect: not-planted"));
}

#[test]
fn keys_of_a_review_that_contradict_each_other_are_named() {
    for (keys, told) in [
        ("moderator: true", "\"moderator\" must be a command, not true"),
        ("arbiter_check: tests", "\"arbiter_check\" needs \"arbiter\""),
        ("moderator_waives: true", "\"moderator_waives\" needs a program"),
        ("{moderator: human, moderator_waives: true}", "\"moderator_waives\" needs a program"),
        ("{by: agent, canary: true}", "\"canary\" needs by: command"),
        ("mode: sometimes", "always, selective, final_only"),
        ("confidence: 7", "confidence"),
        ("{arbiter: sh a, arbiter_check: none}", "review.arbiter_check names \"none\", which is no check"),
        ("mode: selective", "loop.checkpoint is 0"),
    ] {
        let yaml = if keys.starts_with('{') { format!("review: {keys}\n") } else { format!("review:\n  {keys}\n") };
        let scratch = Scratch::repo_with(&format!("checks:\n  - name: tests\n    run: 'true'\n{yaml}"));
        let said = scratch.run("rg-check", &["--validate"], b"");
        assert!(format!("{}{}", said.out, said.err).contains(told), "{keys}: {said:?}");
    }
}

/// A session in a loop with a checkpoint at each iteration, and a change.
fn looping(mode: &str) -> Session {
    let mut session = Session::with(&format!(
        "review:\n  when: always\n  command: sh ../reviewer.sh\n  mode: {mode}\nloop: {{checkpoint: 1}}\n"
    ));
    fs::write(session.scratch.top().join("reviewer.sh"), HEAD).unwrap();
    answer(&session.scratch, "reviewer", "say approve ''");
    session.prompt("#loop go");
    session.scratch.append("src.txt", "more\n");
    session
}

#[test]
fn the_mode_decides_which_stops_of_a_loop_are_reviewed() {
    let complete = json!({"last_assistant_message": "<loop-done>COMPLETE</loop-done>"});
    for (mode, at_checkpoint, at_inner_end) in [("always", 1, 2), ("selective", 0, 1), ("final_only", 0, 0)] {
        let mut session = looping(mode);
        let said = session.stop();
        assert!(said.reason().contains("[iteration 2 of 10]"), "{mode}: {said:?}");
        assert_eq!(times(&session.scratch, "reviewer"), at_checkpoint, "{mode}");
        session.scratch.set("CLAUDE_CODE_SESSION_ID", "s");
        session.scratch.run("rg-loop", &["start", "--max", "3", "a part"], b"");
        session.scratch.append("src.txt", "a part\n");
        let said = session.stop_with(complete.clone());
        assert!(said.reason().contains("The inner loop is done."), "{mode}: {said:?}");
        assert_eq!(times(&session.scratch, "reviewer"), at_inner_end, "{mode}");
        session.scratch.append("src.txt", "the rest\n");
        session.stop_with(complete.clone());
        assert_eq!(times(&session.scratch, "reviewer"), at_inner_end + 1, "{mode}");
        assert_eq!(session.scratch.words(), ["done"], "{mode}");
    }
}

#[test]
fn a_stop_that_was_not_reviewed_because_of_the_mode_ends_no_task() {
    for mode in ["selective", "final_only"] {
        let session = looping(mode);
        // The stage that would continue the loop is missing.
        let line = "rg-event --client claude --within 3560 | rg-loop mark | rg-tamper | rg-check | rg-review-state | rg-review | rg-bounce | rg-receipt | rg-answer --client claude --kind stop";
        let payload =
            session.scratch.stop_payload("s", json!({"last_assistant_message": "Hm.", "background_tasks": []}));
        let said = session.scratch.sh(line, &payload);
        assert!(!session.scratch.words().contains(&"done".to_string()), "{mode}: {said:?}");
        assert!(said.told().contains("no reviewer saw these files"), "{mode}: {said:?}");
    }
}

#[test]
fn an_issue_of_the_clients_own_reviewer_is_settled_too() {
    let mut session = Session::with("review:\n  arbiter: sh ../arbiter.sh\n");
    fs::write(session.scratch.top().join("arbiter.sh"), HEAD).unwrap();
    answer(&session.scratch, "arbiter", "echo prose");
    session.prompt("#review go");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    let begun = session.review("a1");
    let decision = json!({"request": begun.request, "nonce": begun.nonce, "summary": "no", "reviewed": ["src.txt"], "decision": "issues",
        "issues": [{"severity": "major", "path": "src.txt", "description": "it is odd", "how_to_verify": "look"}]});
    session.says("a1", &decision.to_string());
    let reason = session.stop().reason();
    let key = session.scratch.receipt()["findings"][0]["key"].as_str().unwrap().to_string();
    assert!(reason.contains(&format!("CONTEST {}", &key[..8])), "{reason}");
    let reason =
        session.stop_with(json!({"last_assistant_message": format!("CONTEST {}: it is even", &key[..8])})).reason();
    assert!(reason.contains("The arbiter gave no valid test"), "{reason}");
    assert_eq!(ruled(&session), ["invalid"]);
}

#[test]
fn an_edited_decision_of_the_moderator_accepts_nothing() {
    let mut session = moderated(&format!("{MODERATOR}  moderator_waives: true\n"), "");
    session.stop();
    assert_eq!(ruled(&session), ["invalid"]);
    session.scratch.ok("sed -i 's/\"ruled\":\"invalid\"/\"ruled\":\"accept_builder\"/' \"$RG_STATE\"/tasks/*.jsonl");
    assert_eq!(ruled(&session), ["accept_builder"]);
    session.stop();
    let words = session.scratch.words();
    assert!(!words.iter().any(|word| word == "done" || word == "waived"), "{words:?}");
}
