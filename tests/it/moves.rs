//! Tests of moved tests and marks: each case was once misjudged as a move, or as tampering.

use crate::scratch::Scratch;
use crate::tamper::{JS, against, found, repo, session, want};
use serde_json::Value;

/// Guards whose level DONE.md names: it holds in an experimental language, too.
const NAMED: &str = "  no_new_skips: fail\n  no_disabled_lint: fail\n";

/// Edits that the first version took for moves, each in both modes.
#[test]
fn an_edit_that_resembles_a_move_is_no_move() {
    type Edit = fn(&Scratch);
    type Rows = &'static [(&'static str, &'static str, &'static str)];
    let rust = "#[test]\n#[ignore]\nfn easy() {}\n\n#[test]\nfn hard() {}\n";
    let py = "@pytest.mark.skip\ndef test_a():\n    pass\n\ndef test_b():\n    pass\n";
    let setup = |s: &Scratch| {
        s.write("tests/r.rs", rust);
        s.write("tests/test_p.py", py);
        for name in ["p", "q", "r"] {
            let text = JS.replace("'a'", &format!("'{name} one'")).replace("'b'", &format!("'{name} two'"));
            s.write(&format!("test/{name}.test.js"), &text);
        }
        s.write("src/mark.js", "// eslint-disable-next-line no-console\nlog();\n");
        s.write("test/old.test.js", "it.skip('old', () => {});\nit('new', () => {});\n");
        s.ok("git add -A && git commit -qm more && git branch -f main");
    };
    let cases: &[(&str, Edit, Rows)] = &[
        (
            "out of the runner's sight by its end",
            |s| drop(s.ok("git mv test/p.test.js test/p.test.js.bak")),
            &[("no_deleted_tests", "tampered", "test/p.test.js")],
        ),
        (
            "an attribute on another test",
            |s| s.write("tests/r.rs", "#[test]\nfn easy() {}\n\n#[test]\n#[ignore]\nfn hard() {}\n"),
            &[("no_new_skips", "tampered", "tests/r.rs:5")],
        ),
        (
            "a decorator on another test",
            |s| s.write("tests/test_p.py", "def test_a():\n    pass\n\n@pytest.mark.skip\ndef test_b():\n    pass\n"),
            &[("no_new_skips", "tampered", "tests/test_p.py:4")],
        ),
        (
            "one arrival for a rename and a move",
            |s| {
                s.write("test/p.test.js", &JS[45..].replace("'b'", "'p two'"));
                s.write("test/q.test.js", &JS.replace("'a'", "'p one'").replace("'b'", "'q two'"));
            },
            &[("no_deleted_tests", "tampered", "test/q.test.js")],
        ),
        (
            "three files gone for one that came",
            |s| {
                s.ok("git rm -q test/p.test.js test/q.test.js test/r.test.js");
                s.write("test/n.test.js", &JS.replace("'a'", "'p one'").replace("'b'", "'p two'"));
            },
            &[("no_deleted_tests", "tampered", "test/q.test.js"), ("no_deleted_tests", "tampered", "test/r.test.js")],
        ),
        (
            "a wider mark in the same place",
            |s| s.write("src/mark.js", "/* eslint-disable */\nlog();\n"),
            &[("no_disabled_lint", "tampered", "src/mark.js:1")],
        ),
        (
            "another skip on the same line",
            |s| {
                s.write(
                    "test/old.test.js",
                    "it.skip('old', () => {}); describe.skip('all', () => {\nit('new', () => {});\n});\n",
                )
            },
            &[("no_new_skips", "tampered", "test/old.test.js:1")],
        ),
        (
            "a directory that leads elsewhere",
            |s| drop(s.ok("mv src ../src && ln -s ../src src && echo '// eslint-disable' >>src/a.js")),
            &[("no_hidden_changes", "tampered", "src")],
        ),
        (
            "tracked, whatever rule hides it",
            |s| {
                s.write(".gitignore", "test/n.test.js\n");
                s.write("test/n.test.js", "it.only('n', () => {});\n");
                s.ok("git add -f -A && git commit -qm hidden");
            },
            &[("no_focused_tests", "tampered", "test/n.test.js:1")],
        ),
        (
            "a script without an end to its name",
            |s| s.write("bin/cli", "#!/usr/bin/env node\n/* eslint-disable */ // \0\n"),
            &[("no_disabled_lint", "warning", "bin/cli:2")],
        ),
        (
            "more marks than are kept",
            |s| s.append("src/a.sql", &"// eslint-disable-line\n".repeat(10_001)),
            &[("no_disabled_lint", "warning", "src/a.sql:1"), ("too-many-marks", "warning", "src/a.sql")],
        ),
    ];
    let mut wrong = Vec::new();
    for (what, edit, rows) in cases {
        let scratch = repo(NAMED);
        setup(&scratch);
        scratch.prompt("s", "go");
        edit(&scratch);
        for (mode, event) in [("session", session(&scratch)), ("commit", against(&scratch))] {
            if found(&event) != want(rows) {
                wrong.push(format!("{what}, {mode}: {:?}", found(&event)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Many added tests do not hide a skip.
    let scratch = repo("");
    scratch.prompt("s", "go");
    scratch.write("test/a.test.js", &("// it('pad')\n".repeat(10_001) + &JS.replace("it('a'", "it.skip('a'")));
    assert!(found(&session(&scratch)).contains(&(
        "no_new_skips".into(),
        "tampered".into(),
        "test/a.test.js:10002".into()
    )));
    // Honest edits: a file split into two, and the quotes and semicolons of another formatter.
    for edit in [
        "head -3 test/p.test.js >test/p1.test.js && tail -3 test/p.test.js >test/p2.test.js && rm test/p.test.js",
        "cat test/p.test.js >>test/q.test.js && rm test/p.test.js",
        "sed -i \"s/'/\\\"/g; s/;//\" test/old.test.js src/mark.js",
        "printf 'node_modules/\\n' >.gitignore && mkdir -p node_modules/x/test && echo \"it.skip('x')\" >node_modules/x/test/x.test.js",
    ] {
        let scratch = repo("");
        setup(&scratch);
        scratch.prompt("s", "go");
        scratch.ok(edit);
        let gamed = |event: &Value| found(event).into_iter().filter(|(_, level, _)| level == "tampered").count();
        assert_eq!((gamed(&session(&scratch)), gamed(&against(&scratch))), (0, 0), "{edit}");
    }
}

/// Edits that the second version missed, and edits that it reported wrongly.
#[test]
fn a_reworded_mark_must_not_suppress_more() {
    let before = [
        ("tests/test_c.py", "import sys\n@pytest.mark.skipif(sys.platform == 'win32')\ndef test_a():\n    pass\n"),
        ("src/Old.java", "class A {\n  @SuppressWarnings(\"unused\")\n  int a;\n}\n"),
        ("src/o.rs", "#[allow(dead_code)]\nfn f() {}\n"),
        ("src/e.js", "let a = 1;\n// eslint-disable-next-line no-console\nlog(a);\n"),
        ("src/g.go", "package g\nvar _ = f() //nolint:errcheck\nvar x = 1\n"),
        ("src/t.ts", "let a = 1;\n// @ts-ignore\nf(a);\n"),
        ("src/J.java", "class T {\n  @Ignore(\"slow\")\n  @Test void a() {}\n}\n"),
        (
            "test/s.test.js",
            "it.skip('slow', () => {\n  setup();\n});\nit('b', () => {\n  setup();\n});\nit('c', () => {\n  setup();\n});\n",
        ),
        ("test/x.test.js", "xit('one', () => {});\n"),
        ("tests/test_m.py", "def test_m():\n    pass\n"),
    ];
    let cases: [(&str, &str, &str, usize); 16] = [
        ("another condition", "tests/test_c.py", "s/sys.platform == 'win32'/True/", 1),
        ("the condition turned round", "tests/test_c.py", "s/==/!=/", 1),
        ("a reason for the same condition", "tests/test_c.py", "s/'win32')/'win32', reason='posix')/", 0),
        ("all warnings", "src/Old.java", "s/unused/all/", 1),
        ("more lints", "src/o.rs", "s/dead_code/dead_code, warnings/", 1),
        ("every rule", "src/e.js", "s/ no-console//", 1),
        ("every linter", "src/g.go", "s/nolint:errcheck/nolint/", 1),
        ("swapped between equal neighbours", "test/s.test.js", "s/it.skip(/it(/; s/it('b'/it.skip('b'/", 1),
        ("a stricter one", "src/t.ts", "s/@ts-ignore/@ts-expect-error/", 0),
        ("a fewer one", "src/e.js", "s/next-line no-console/next-line no-console -- needed here/", 0),
        ("the next framework's word", "src/J.java", "s/@Ignore/@Disabled/", 0),
        ("another spelling of the same skip", "test/x.test.js", "s/xit(/it.skip(/", 0),
        ("a formatter", "src/o.rs", "s/fn f() {}/fn f( ) { }/", 0),
        ("a renamed skipped test", "test/s.test.js", "s/'slow'/'very slow'/", 0),
        ("a skip inside of a test", "tests/test_m.py", "s/    pass/    self.skipTest('later')/", 1),
        ("the line below a mark", "src/g.go", "s/x = 1/x = 2/", 0),
    ];
    let mut wrong = Vec::new();
    for (what, path, edit, want) in cases {
        let scratch = repo(NAMED);
        before.iter().for_each(|(path, text)| scratch.write(path, text));
        scratch.ok("git add -A && git commit -qm marks && git branch -f main");
        scratch.prompt("s", "go");
        scratch.ok(&format!("sed -i \"{}\" {path}", edit.replace('"', "\\\"")));
        let gamed = |event: &Value| found(event).into_iter().filter(|(_, level, _)| level == "tampered").count();
        let counts = (gamed(&session(&scratch)), gamed(&against(&scratch)));
        if counts != (want, want) {
            wrong.push(format!("{what}: {counts:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let gamed_by = |setup: &str, edit: &str| {
        let scratch = repo(NAMED);
        scratch.ok(setup);
        scratch.ok("git add -A && git commit -q --allow-empty -m setup && git branch -f main");
        scratch.prompt("s", "go");
        scratch.ok(edit);
        let rows = |event: &Value| -> Vec<String> {
            found(event)
                .into_iter()
                .filter(|(_, level, _)| level == "tampered")
                .map(|(rule, _, place)| format!("{rule} {place}"))
                .collect()
        };
        (rows(&session(&scratch)), rows(&against(&scratch)))
    };
    let both = |row: &[&str]| {
        (row.iter().map(|r| r.to_string()).collect::<Vec<_>>(), row.iter().map(|r| r.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(
        gamed_by("mkdir src/impl.git && echo 'let a;' >src/impl.git/x.ts", "echo '// @ts-nocheck' >>src/impl.git/x.ts"),
        both(&["no_disabled_lint src/impl.git/x.ts:2"])
    );
    assert_eq!(
        gamed_by("mkdir tests; echo 'def test_m(): pass' >tests/test_m.py", "git mv tests/test_m.py tests/m_checks.py"),
        both(&["no_deleted_tests tests/test_m.py"])
    );
    let inside = "printf 'def test_net():\\n    pytest.skip(\"flaky\")\\n    c = client()\\n\\ndef test_core():\\n    c = client()\\n' >tests/test_i.py";
    let setup = format!("mkdir -p tests && {inside}");
    let swap = "printf 'def test_net():\\n    c = client()\\n\\ndef test_core():\\n    pytest.skip(\"flaky\")\\n    c = client()\\n' >tests/test_i.py";
    assert_eq!(gamed_by(&setup, swap), both(&["no_new_skips tests/test_i.py:5"]));
    let away = "printf 'def test_net():\\n    c = client()\\n\\ndef test_core():\\n    c = client()\\n' >tests/test_i.py; printf 'def test_far():\\n    pytest.skip(\"flaky\")\\n    c = client()\\n' >tests/test_j.py";
    assert_eq!(gamed_by(&setup, away), both(&[]), "a new test is new code");
    assert_eq!(gamed_by("touch test/README.md test/a.pyc", "rm test/README.md test/a.pyc"), both(&[]));
    let hidden = gamed_by(
        "echo 'let a;' >src/a.ts",
        "git rm -q --cached src/a.ts && echo src/a.ts >.gitignore && git add .gitignore && git commit -qm x && echo '// @ts-nocheck' >src/a.ts",
    );
    assert_eq!(hidden, both(&["no_disabled_lint src/a.ts:1"]), "the rules of the fork point count");
    let absent = gamed_by("true", "git update-index --assume-unchanged test/a.test.js && rm test/a.test.js");
    assert_eq!(absent, both(&["no_deleted_tests test/a.test.js"]), "not looked at is not sparse");
}
