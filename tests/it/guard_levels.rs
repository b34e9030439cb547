//! Laws of the guards' levels: DONE.md sets them, excludes files, and chooses the preset of donegate.

use crate::scratch::Scratch;
use crate::tamper::{JS, against, both, found, repo, session, verdict, want};

#[test]
fn done_md_sets_levels_globs_exclusions_and_presets() {
    let both_of = |guards: &str, edit: fn(&Scratch), rows: &[(&str, &str, &str)]| {
        println!("{guards}");
        both(&repo(guards), edit, rows);
    };
    let lint = |s: &Scratch| s.append("src/a.js", "// eslint-disable-line\n");
    both_of("  no_disabled_lint: warn\n", lint, &[("no_disabled_lint", "warning", "src/a.js:3")]);
    // One rule on one existing line: a warning, unless the level was chosen.
    let one_rule = |s: &Scratch| {
        s.write(
            "src/a.js",
            "export const one = () => 1;\n// eslint-disable-next-line no-x\nexport const two = () => 2;\n",
        );
    };
    both_of("", one_rule, &[("no_disabled_lint", "warning", "src/a.js:2")]);
    both_of("  no_disabled_lint: fail\n", one_rule, &[("no_disabled_lint", "tampered", "src/a.js:2")]);
    both_of("  preset: donegate\n", one_rule, &[("no_disabled_lint", "tampered", "src/a.js:2")]);
    both_of("  no_disabled_lint: off\n", lint, &[]);
    both_of("  no_disabled_lint: false\n", lint, &[]);
    both_of(
        "  no_new_todos: true\n",
        |s| s.append("src/b.py", "# FIXME\n"),
        &[("no_new_todos", "tampered", "src/b.py:3")],
    );
    both_of("  exclude: [\"src/**\"]\n", lint, &[]);
    both_of(
        "  exclude: [\"DONE.md\", \"**\"]\n  protect: [\"src/*\"]\n",
        lint,
        &[("no_protected_edits", "tampered", "src/a.js")],
    );
    both_of("  test_globs: [\"checks/**\"]\n", |s| drop(s.ok("rm test/a.test.js")), &[]);
    both_of(
        "  test_globs: [\"src/*.py\"]\n",
        |s| s.append("src/b.py", "def test_f():\n    f()\n\ntest_f.only = 1\n"),
        &[],
    );
    both_of(
        "  preset: donegate\n",
        |s| s.write("test/a.test.js", &JS.replace("it('b'", "it.only('b'")),
        &[("no_new_skips", "tampered", "test/a.test.js:4")],
    );
    both_of("  preset: donegate\n", |s| s.write("test/a.test.js", &JS.replace("  expect(two()).toBe(2);\n", "")), &[]);
    // Protected files: any change of bytes or mode, a deletion, a new file.
    let protect = "  protect: [\"src/**\", \"gone.txt\"]\n";
    both_of(protect, |s| drop(s.ok("chmod +x src/a.js")), &[("no_protected_edits", "tampered", "src/a.js")]);
    both_of(protect, |s| drop(s.ok("rm src/a.js")), &[("no_protected_edits", "tampered", "src/a.js")]);
    both_of(protect, |s| s.write("src/new.js", ""), &[("no_protected_edits", "tampered", "src/new.js")]);
    both_of(protect, |s| drop(s.ok("touch src/a.js && echo >other")), &[]);
    let off = GUARDS.map(|name| format!("  {name}: off\n")).concat();
    let scratch = repo(&off);
    scratch.prompt("s", "go");
    scratch.ok("rm test/a.test.js");
    assert_eq!((verdict(&session(&scratch)), verdict(&against(&scratch))), ("not-required", "not-required"));
    // The preset turns the other guards off, except those that are named.
    let links = |guards: &str| {
        let scratch = repo(guards);
        scratch.write(".claude/settings.json", "{\"hooks\":{\"Stop\":[]}}");
        scratch.prompt("s", "go");
        scratch.write(".claude/settings.json", "{}");
        found(&session(&scratch))
    };
    let row = ("no_hook_edits", "tampered", ".claude/settings.json");
    assert_eq!(links(""), want(&[row]));
    assert_eq!(links("  preset: donegate\n"), want(&[]));
    assert_eq!(links("  no_hook_edits: true\n  preset: donegate\n"), want(&[row]));
}

const GUARDS: [&str; 18] = [
    "no_done_edits",
    "no_protected_edits",
    "no_deleted_tests",
    "no_new_skips",
    "no_disabled_lint",
    "no_new_todos",
    "no_debug_artifacts",
    "no_hook_edits",
    "no_hidden_changes",
    "no_path_escapes",
    "no_focused_tests",
    "no_emptied_tests",
    "no_weakened_asserts",
    "no_lowered_coverage",
    "no_config_loosening",
    "no_script_gutting",
    "no_ci_gutting",
    "no_runner_hooks",
];
