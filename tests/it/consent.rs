//! The user's consent to a protected file that changed between two tasks, if a stop in between was bounced for something else.

use crate::scratch::Scratch;

/// A session whose first task is done. Then the user changes the protected test, which fails now.
fn changed_test() -> Scratch {
    let mut scratch =
        Scratch::repo_with("checks:\n  - {name: tests, run: sh test.sh}\nguards:\n  protect: [test.sh]\n");
    scratch.prompt("s", "fix it");
    scratch.write("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    scratch.later(60.0);
    scratch.write("test.sh", "grep -q more src.txt || { echo no more; exit 1; }\n");
    assert!(scratch.prompt("s", "make the new test pass").told().contains("test.sh: DONE.md protects it"));
    scratch.append("src.txt", "x\n");
    assert!(scratch.stop("s").reason().contains("no more"));
    scratch
}

/// The stop at which only the change is open, the prompt that accepts it, and a stop that is done.
fn accept(scratch: &mut Scratch) {
    scratch.append("src.txt", "more\n");
    let told = scratch.stop("s").told();
    assert!(told.contains("unverified: ") && told.contains("If you made this change, accept it with"), "{told}");
    scratch.later(60.0);
    assert_eq!(scratch.prompt("s", "go on").told(), "");
    scratch.append("src.txt", "and more\n");
    assert_eq!(scratch.stop("s").out, "");
}

#[test]
fn after_a_bounce_the_user_is_asked_once_and_the_next_prompt_accepts() {
    let mut scratch = changed_test();
    accept(&mut scratch);
    assert_eq!(scratch.words(), ["done", "not-done", "unverified", "done"]);
}

#[test]
fn a_prompt_after_an_abandoned_turn_accepts_nothing_that_was_open_beside_other_work() {
    let mut scratch = changed_test();
    assert!(scratch.stop_saying("s", "CANNOT: I do not know how").told().contains("abandoned"));
    scratch.later(60.0);
    scratch.prompt("s", "try again");
    accept(&mut scratch);
    assert_eq!(scratch.words(), ["done", "not-done", "abandoned", "unverified", "done"]);
}
