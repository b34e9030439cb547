//! What rg-init says about a package.json without checks, about tests that do not exist, and about a DONE.md above.

use crate::scratch::{Said, Scratch, skipped};

fn init(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-init", args, b"")
}

fn repository() -> Scratch {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    scratch
}

#[test]
fn a_package_without_checks_is_named_with_what_is_missing() {
    let scratch = repository();
    for (text, why) in [
        ("{\"name\": \"x\"}", "package.json: it has no script `test`, `lint` or `build`\n"),
        ("{\"scripts\": {\"start\": \"node .\"}}", "package.json: it has no script `test`, `lint` or `build`\n"),
        (
            "{\"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"}}",
            "package.json: the script `test` is the placeholder of `npm init`\n",
        ),
        ("{\"scripts\": ", "package.json is not valid JSON: "),
    ] {
        scratch.write("package.json", text);
        for args in [&[][..], &["--dry-run"]] {
            let said = init(&scratch, args);
            assert!(said.status == 1 && said.out.starts_with(&format!("left out: {why}")), "{text}: {said:?}");
            assert!(said.out.contains("nothing that can be a check in ") && !said.out.contains("no known build tool"));
        }
    }
    scratch.ok("rm package.json");
    assert!(init(&scratch, &[]).out.starts_with("no known build tool in "));
}

#[test]
fn tests_that_do_not_exist_are_told() {
    let scratch = repository();
    if scratch.sh("node --version && npm --version", b"").status != 0 {
        return skipped("no node");
    }
    scratch.write("package.json", "{\"scripts\": {\"test\": \"node --test\"}}\n");
    let said = init(&scratch, &[]);
    assert!(said.status == 0 && said.out.contains(", and reported no test: `kind: test` is left out\n"), "{said:?}");
    scratch.write("a.test.js", "require('node:test')('adds', () => {});\n");
    let said = init(&scratch, &["--force"]);
    assert!(said.status == 0 && !said.out.contains("reported no test"), "{said:?}");
    assert!(scratch.ok("cat DONE.md").out.contains("kind: test"));
}

#[test]
fn a_definition_above_is_named() {
    let scratch = Scratch::repo();
    scratch.write("sub/Makefile", "test:\n\ttrue\n");
    let said = init(&scratch, &["-C", "sub"]);
    let above = scratch.work().join("DONE.md");
    let told = format!("{} does not apply to work that begins in this directory any more\n", above.display());
    assert!(said.status == 0 && said.out.contains(&told), "{said:?}");
    scratch.ok("rm DONE.md sub/DONE.md");
    assert!(!init(&scratch, &["-C", "sub"]).out.contains("does not apply"));
}

#[test]
fn a_wrong_source_is_named_before_an_existing_definition() {
    let scratch = Scratch::repo();
    let said = init(&scratch, &["--from", "nope"]);
    assert!(said.status == 100 && said.err.contains("unknown source \"nope\""), "{said:?}");
}
