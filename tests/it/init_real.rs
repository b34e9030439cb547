//! rg-init with the build tools that this machine has: a check that passes by hand is active, and DONE.md is green.

use crate::scratch::{Scratch, skipped};

/// A small project: a name, its files, and the command that tests it.
type Project = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const PROJECTS: [Project; 6] = [
    ("make", &[("Makefile", "test:\n\t@grep -q x src.txt\n"), ("src.txt", "x\n")], "make test"),
    ("npm", &[("package.json", r#"{"name": "a", "scripts": {"test": "node -e 0"}}"#)], "npm test"),
    (
        "unittest",
        &[
            ("setup.py", ""),
            ("tests/test_a.py", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n"),
        ],
        "python3 -m unittest discover -s tests",
    ),
    ("rake", &[("Rakefile", "task :test do\n  raise 'no' unless 1 == 1\nend\n")], "rake test"),
    ("rspec", &[(".rspec", ""), ("spec/a_spec.rb", "RSpec.describe(1) { it('a') { expect(1).to eq 1 } }\n")], "rspec"),
    ("just", &[("justfile", "test:\n  true\n")], "just test"),
];

#[test]
fn with_real_build_tools_the_definition_is_green() {
    for (name, files, command) in PROJECTS {
        let scratch = Scratch::new();
        files.iter().for_each(|(path, text)| scratch.write(path, text));
        scratch.write(".gitignore", "__pycache__/\n");
        scratch.ok("git init -q");
        if scratch.sh(&format!("exec 2>&1; {command}"), b"").status != 0 {
            skipped(&format!("{name} does not run here"));
            continue;
        }
        let said = scratch.run("rg-init", &[], b"");
        assert_eq!(said.status, 0, "{name}: {said:?}");
        assert!(said.out.contains(&format!("tests: {command}: passed (")), "{name}: {said:?}");
        let judged = scratch.run("rg-check", &["--now"], b"");
        assert_eq!(judged.status, 0, "{name}: {judged:?}");
    }
}
