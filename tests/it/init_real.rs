//! rg-init with the build tools that this machine has: a check that passes by hand is active, and DONE.md is green.

use crate::scratch::{Scratch, skipped};

/// A small project: a name, its files, and the command that tests it.
type Project = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const PROJECTS: [Project; 20] = [
    ("make", &[("Makefile", "test:\n\t@grep -q x src.txt\n"), ("src.txt", "x\n")], "make test"),
    ("npm", &[("package.json", r#"{"name": "a", "scripts": {"test": "node -e 0"}}"#)], "npm test"),
    (
        "pnpm",
        &[
            ("package.json", r#"{"name": "a", "scripts": {"test": "node -e 0"}}"#),
            ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n"),
        ],
        "pnpm test",
    ),
    ("yarn", &[("package.json", r#"{"name": "a", "scripts": {"test": "node -e 0"}}"#), ("yarn.lock", "")], "yarn test"),
    (
        "bun",
        &[
            ("package.json", r#"{"name": "a", "scripts": {"test": "bun test"}}"#),
            (
                "bun.lock",
                "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {\"\": {\"name\": \"a\"}},\n  \"packages\": {}\n}\n",
            ),
            ("a.test.js", "import { expect, test } from 'bun:test';\ntest('a', () => expect(1).toBe(1));\n"),
        ],
        "bun run test",
    ),
    (
        "deno",
        &[("deno.json", "{}\n"), ("a_test.ts", "Deno.test('a', () => { if (1 + 1 !== 2) throw new Error('no'); });\n")],
        "deno test",
    ),
    (
        "unittest",
        &[
            ("setup.py", ""),
            ("tests/test_a.py", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n"),
        ],
        "python3 -m unittest discover -s tests",
    ),
    (
        "pytest",
        &[("pyproject.toml", "[tool.pytest.ini_options]\n"), ("test_a.py", "def test_a():\n    assert 1 + 1 == 2\n")],
        "python3 -m pytest",
    ),
    (
        "cargo",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n"),
            ("src/lib.rs", "#[test]\nfn a() {}\n"),
        ],
        "cargo test --locked",
    ),
    (
        "go",
        &[
            ("go.mod", "module a\n\ngo 1.19\n"),
            ("a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n}\n"),
        ],
        "go test ./...",
    ),
    (
        "maven",
        &[(
            "pom.xml",
            "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId>\
             <version>1</version><packaging>pom</packaging></project>\n",
        )],
        "mvn -B -q test",
    ),
    (
        "gradle",
        &[("settings.gradle", ""), ("build.gradle", "task test { doLast { assert 1 + 1 == 2 } }\n")],
        "gradle --no-daemon --console=plain test",
    ),
    ("rake", &[("Rakefile", "task :test do\n  raise 'no' unless 1 == 1\nend\n")], "rake test"),
    ("rspec", &[(".rspec", ""), ("spec/a_spec.rb", "RSpec.describe(1) { it('a') { expect(1).to eq 1 } }\n")], "rspec"),
    (
        "composer",
        &[
            ("composer.json", r#"{"scripts": {"test": "phpunit tests"}}"#),
            (
                "tests/ATest.php",
                "<?php\nuse PHPUnit\\Framework\\TestCase;\nfinal class ATest extends TestCase {\n    \
                 public function testA(): void { $this->assertSame(1, 1); }\n}\n",
            ),
        ],
        "composer run-script test",
    ),
    (
        "dotnet",
        &[(
            "a.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>\n",
        )],
        "dotnet test",
    ),
    (
        "swift",
        &[
            (
                "Package.swift",
                "// swift-tools-version:5.5\nimport PackageDescription\nlet package = Package(name: \"a\", targets: [\n    \
                 .target(name: \"a\"), .testTarget(name: \"aTests\", dependencies: [\"a\"]),\n])\n",
            ),
            ("Sources/a/a.swift", "func two() -> Int { 2 }\n"),
            (
                "Tests/aTests/aTests.swift",
                "import XCTest\n@testable import a\nfinal class T: XCTestCase {\n    func testA() { XCTAssertEqual(two(), 2) }\n}\n",
            ),
        ],
        "swift test",
    ),
    (
        "mix",
        &[
            (
                "mix.exs",
                "defmodule A.MixProject do\n  use Mix.Project\n  def project, do: [app: :a, version: \"0.1.0\", deps: []]\nend\n",
            ),
            ("lib/a.ex", "defmodule A do\n  def two, do: 2\nend\n"),
            ("test/test_helper.exs", "ExUnit.start()\n"),
            ("test/a_test.exs", "defmodule ATest do\n  use ExUnit.Case\n  test \"a\", do: assert(A.two() == 2)\nend\n"),
        ],
        "mix test",
    ),
    ("just", &[("justfile", "test:\n  true\n")], "just test"),
    (
        "nix",
        &[(
            "flake.nix",
            "{ outputs = _: { checks = builtins.listToAttrs (map (system: { name = system; value.a = derivation {\n  \
             name = \"a\"; inherit system; builder = \"/bin/sh\"; args = [ \"-c\" \"echo >$out\" ]; }; }) [ \"x86_64-linux\" ]); }; }\n",
        )],
        "nix flake check",
    ),
];

/// What build tools leave behind; a repository ignores it.
const IGNORED: &str = "__pycache__/\n.pytest_cache/\n.phpunit*\ntarget/\n.gradle/\nbuild/\n_build/\n.build/\nbin/\nobj/\nnode_modules/\nflake.lock\n";

#[test]
fn with_real_build_tools_the_definition_is_green() {
    let home = std::env::var("HOME").unwrap_or_default();
    let (mut green, mut wrong) = (Vec::new(), Vec::new());
    for (name, files, command) in PROJECTS {
        let mut scratch = Scratch::new();
        // The programs of rustup are links to it.
        for (variable, place) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
            scratch.set(variable, &std::env::var(variable).unwrap_or(format!("{home}/{place}")));
        }
        scratch.set(
            "NIX_CONFIG",
            "experimental-features = nix-command flakes\nsandbox = false\nbuild-users-group =\nsubstituters =",
        );
        scratch.set("COMPOSER_ALLOW_SUPERUSER", "1");
        files.iter().for_each(|(path, text)| scratch.write(path, text));
        scratch.write(".gitignore", IGNORED);
        scratch.ok("git init -q && git add -A && git commit -qm start");
        if scratch.sh(&format!("exec 2>&1; {command}"), b"").status != 0 {
            skipped(&format!("{name} does not run here"));
            continue;
        }
        let said = scratch.run("rg-init", &[], b"");
        if said.status != 0 || !said.out.contains(&format!("tests: {command}: passed (")) {
            wrong.push(format!("{name}: {said:?}"));
            continue;
        }
        let judged = scratch.run("rg-check", &["--now"], b"");
        if judged.status != 0 {
            wrong.push(format!("{name}: {judged:?}\n{}", scratch.ok("cat DONE.md").out));
        }
        green.push(name);
    }
    assert!(wrong.is_empty(), "green: {green:?}, wrong: {}", wrong.join("\n"));
    assert!(green.len() >= 2, "{green:?}");
}
