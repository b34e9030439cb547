//! Real test runners, each on a small project with two tests that pass and one that is skipped: what rg-check reads of their runs.
//!
//! Programs are found on PATH, and in `RG_RUNNERS` (otherwise `~/.cache/rg-runners`): `node/node_modules/.bin` and `venv/bin`.
//! `tests/data/evidence` holds reports of all of them.

use crate::scratch::{Scratch, skipped};
use serde_json::Value;
use std::path::PathBuf;

pub fn runners() -> PathBuf {
    match std::env::var_os("RG_RUNNERS") {
        Some(dir) => dir.into(),
        None => PathBuf::from(std::env::var("HOME").unwrap_or_default()).join(".cache/rg-runners"),
    }
}

/// Where cargo finds its toolchain, which is in the user's home.
pub fn with_rust(scratch: &mut Scratch) {
    let home = PathBuf::from(std::env::var("HOME").unwrap_or_default());
    for (name, dir) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        let place = std::env::var_os(name).map_or_else(|| home.join(dir), PathBuf::from);
        scratch.set(name, &place.display().to_string());
    }
}

/// The test run of a check that runs this command in a project with these files; None if the probe fails.
fn run(probe: &str, check: &str, files: &[(&str, &str)]) -> Option<(String, Value)> {
    let mut scratch = Scratch::repo_with(&format!("checks:\n  - {check}\n"));
    let places = ["node/node_modules/.bin", "venv/bin"].map(|dir| runners().join(dir).display().to_string());
    let path = std::env::var("PATH").unwrap_or_default();
    scratch.set("PATH", &format!("{}:{}:{path}", crate::scratch::bin_dir().display(), places.join(":")));
    with_rust(&mut scratch);
    if scratch.sh(probe, b"").status != 0 {
        skipped(&format!("no {probe}"));
        return None;
    }
    files.iter().for_each(|(path, text)| scratch.write(path, text));
    scratch.ok("git add -A && git commit -qm project");
    let said = scratch.run("rg-check", &["--now", "--json"], b"");
    let value: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
    let tests = value["checks"][0]["tests"].clone();
    assert!(!tests.is_null(), "{value}");
    Some((value["verdict"].as_str().unwrap_or("none").to_string(), tests))
}

/// Two tests pass and one is skipped.
fn two_pass(probe: &str, runner: &str, check: &str, files: &[(&str, &str)]) {
    let Some((verdict, tests)) = run(probe, check, files) else { return };
    let counts = (&tests["executed"], &tests["failed"], &tests["skipped"]);
    assert_eq!(counts, (&2.into(), &0.into(), &1.into()), "{tests}");
    assert_eq!((verdict.as_str(), &tests["runners"][0]), ("pass", &runner.into()), "{tests}");
}

const PYTHON: &str = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n\n    def test_b(self):\n        pass\n\n    @unittest.skip('later')\n    def test_c(self):\n        pass\n";

/// For runners with `test` and `test.skip` as global names.
const JAVASCRIPT: &str = "test('a', () => {});\ntest('b', () => {});\ntest.skip('c', () => {});\n";

const RUST: &str = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n    #[test]\n    fn b() {}\n    #[test]\n    #[ignore]\n    fn c() {}\n}\n";

const CARGO: &str = "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

const RUST_FILES: [(&str, &str); 3] =
    [("Cargo.toml", CARGO), ("src/lib.rs", RUST), (".gitignore", "target/\nCargo.lock\n")];

#[test]
fn cargo() {
    two_pass("cargo --version", "cargo", "{name: t, run: cargo test --offline --lib, kind: test}", &RUST_FILES);
}

#[test]
fn nextest() {
    let check = "{name: t, run: cargo nextest run --offline, kind: test}";
    two_pass("cargo nextest --version", "nextest", check, &RUST_FILES);
}

#[test]
fn unittest() {
    let files = [("test_a.py", PYTHON), (".gitignore", "__pycache__/\n")];
    two_pass("python3 --version", "unittest", "{name: t, run: python3 -m unittest -v, kind: test}", &files);
}

#[test]
fn pytest() {
    let files = [("test_a.py", PYTHON), (".gitignore", "__pycache__/\n.pytest_cache/\nr.xml\n")];
    two_pass("pytest --version", "pytest", "{name: t, run: pytest -q, kind: test}", &files);
    let check = "{name: t, run: pytest -q --junitxml r.xml, kind: test, report: 'junit:r.xml'}";
    two_pass("pytest --version", "junit", check, &files);
}

#[test]
fn node() {
    let text = "const test = require('node:test');\ntest('a', () => {});\ntest('b', () => {});\ntest('c', { skip: true }, () => {});\n";
    let Some((verdict, tests)) =
        run("node --test --version", "{name: t, run: node --test, kind: test}", &[("a.test.js", text)])
    else {
        return;
    };
    assert_eq!((verdict.as_str(), &tests["executed"], &tests["skipped"]), ("pass", &2.into(), &1.into()), "{tests}");
}

#[test]
fn jest() {
    let files = [("a.test.js", JAVASCRIPT), ("package.json", "{}\n")];
    two_pass("jest --version", "jest", "{name: t, run: jest --ci --rootDir ., kind: test}", &files);
}

#[test]
fn vitest() {
    let files = [("a.test.js", JAVASCRIPT), ("package.json", "{}\n")];
    two_pass("vitest --version", "vitest", "{name: t, run: vitest run --globals --root ., kind: test}", &files);
}

#[test]
fn mocha() {
    let text = "it('a', () => {});\nit('b', () => {});\nit.skip('c', () => {});\n";
    two_pass("mocha --version", "mocha", "{name: t, run: mocha test, kind: test}", &[("test/a.js", text)]);
}

#[test]
fn go() {
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/go-cache");
    let check = format!("{{name: t, run: go test -v ./..., kind: test, env: {{GOCACHE: {cache}}}}}");
    let text = "package p\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\nfunc TestC(t *testing.T) { t.Skip() }\n";
    let files = [("go.mod", "module p\n\ngo 1.18\n"), ("a_test.go", text)];
    two_pass("go version", "go", &check, &files);
    two_pass("go version", "go json", &check.replace("-v", "-json"), &files);
}

#[test]
fn rspec() {
    let text = "describe 'p' do\n  it('a') {}\n  it('b') {}\n  xit('c') {}\nend\n";
    two_pass("rspec --version", "rspec", "{name: t, run: rspec, kind: test}", &[("spec/a_spec.rb", text)]);
}

#[test]
fn minitest() {
    let text = "require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_a\n  end\n  def test_b\n  end\n  def test_c\n    skip\n  end\nend\n";
    let check = "{name: t, run: ruby test/a_test.rb -v, kind: test}";
    let Some((verdict, tests)) = run("ruby -e 'require \"minitest\"'", check, &[("test/a_test.rb", text)]) else {
        return;
    };
    assert_eq!((verdict.as_str(), &tests["skipped"]), ("pass", &1.into()), "{tests}");
}

#[test]
fn phpunit() {
    let text = "<?php\nuse PHPUnit\\Framework\\TestCase;\nfinal class ATest extends TestCase\n{\n    public function testA(): void { $this->assertTrue(true); }\n    public function testB(): void { $this->assertTrue(true); }\n    public function testC(): void { $this->markTestSkipped('later'); }\n}\n";
    let files = [("tests/ATest.php", text), (".gitignore", ".phpunit.result.cache\n.phpunit.cache/\n")];
    two_pass("phpunit --version", "phpunit", "{name: t, run: phpunit tests, kind: test}", &files);
}

/// Maven fetches its plugins; where they cannot be had, `tests/excerpts/maven-surefire.txt` is a recorded run.
#[test]
fn junit_through_maven() {
    let pom = "<project><modelVersion>4.0.0</modelVersion><groupId>p</groupId><artifactId>p</artifactId><version>1</version>\n<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>\n<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies></project>\n";
    let text = "import org.junit.*;\npublic class ATest {\n  @Test public void a() {}\n  @Test public void b() {}\n  @Ignore @Test public void c() {}\n}\n";
    let files = [("pom.xml", pom), ("src/test/java/ATest.java", text), (".gitignore", "target/\n")];
    // Debian's repository of Maven serves a build without a network.
    let maven = "mvn -o -q -Dmaven.repo.local=/usr/share/maven-repo";
    let probe = "test -d /usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin && mvn --version";
    let check = format!("{{name: t, run: '{} test', kind: test}}", maven.replace(" -q", " -B"));
    two_pass(probe, "maven", &check, &files);
}
