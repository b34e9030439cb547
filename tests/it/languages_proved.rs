//! Laws of rg-prove in six languages: each experiment finds its planted fault and stays silent on its honest twin.

use crate::prove::{prove, rules};
use crate::real_runners::with_rust;
use crate::scratch::{Scratch, skipped};

/// The base has a fault: `absolute` returns negative numbers as they are.
const FAULT: Body = Body::Plain;

/// What `absolute` returns.
#[derive(Clone, Copy, PartialEq)]
enum Body {
    /// Its argument.
    Plain,
    /// Its absolute value.
    Right,
    /// Its argument and one.
    Wrong,
}

/// A test: its name, the argument, and what is expected.
type Case = (&'static str, i32, i32);

/// The path of a file and its text.
type File = (&'static str, String);

const KNOWN: Case = ("keeps", 3, 3);
const NEW: Case = ("turns", -2, 2);
const IDLE: Case = ("also_keeps", 5, 5);

/// How a language writes the function, an untested one before it, and the tests.
struct Language {
    /// Exits 0 if its runner is here.
    probe: &'static str,
    check: &'static str,
    more: &'static [(&'static str, &'static str)],
    files: fn(Body, bool, &[Case]) -> Vec<File>,
}

/// Writes the project in this state and commits it, or leaves it as a change.
fn write(scratch: &Scratch, language: &Language, body: Body, extra: bool, cases: &[Case]) {
    for (path, text) in (language.files)(body, extra, cases) {
        scratch.write(path, &text);
    }
}

fn proved(language: &Language) {
    let mut scratch = Scratch::repo_with(&format!("checks:\n  - {}\n", language.check));
    with_rust(&mut scratch);
    if scratch.sh(language.probe, b"").status != 0 {
        return skipped(&format!("no {}", language.probe));
    }
    language.more.iter().for_each(|(path, text)| scratch.write(path, text));
    write(&scratch, language, FAULT, false, &[KNOWN]);
    scratch.ok("git add -A && git commit -qm base");
    let bent = ("keeps", 3, 4);
    for (what, body, extra, cases, want) in [
        ("honest", Body::Right, false, vec![KNOWN, NEW], vec![]),
        ("bent", Body::Wrong, false, vec![bent], vec!["old-tests-fail"]),
        ("idle", Body::Right, false, vec![KNOWN, NEW, IDLE], vec!["tests-prove-nothing"]),
        ("unnoticed", Body::Right, true, vec![KNOWN, NEW], vec!["change-not-tested"]),
    ] {
        write(&scratch, language, body, extra, &cases);
        let (said, value) = prove(&scratch, "");
        assert_eq!(rules(&value), want, "{what}: {value}\n{}", said.err);
        if what == "honest" {
            let proved = value["proved"].to_string();
            assert!(proved.contains("1 of 1 new or changed test need"), "{value}");
            assert!(proved.contains("tests notice 1 of 1 undone change"), "{value}");
        }
        if what == "idle" {
            assert!(value["findings"][0]["details"].to_string().contains("also_keeps"), "{value}");
            assert_eq!(value["findings"][0]["details"].as_array().unwrap().len(), 1, "{value}");
        }
    }
}

fn cases(all: &[Case], one: impl Fn(&Case) -> String) -> String {
    all.iter().map(one).collect()
}

/// The expression of a body in a language with `n < 0 ? -n : n`.
fn expression(body: Body) -> &'static str {
    match body {
        Body::Plain => "n",
        Body::Right => "n < 0 ? -n : n",
        Body::Wrong => "n + 1",
    }
}

#[test]
fn in_python() {
    proved(&Language {
        probe: "python3 --version",
        check: "{name: tests, run: python3 -m unittest -v, kind: test}",
        more: &[(".gitignore", "__pycache__/\n")],
        files: |body, extra, all| {
            let value = match body {
                Body::Plain => "n",
                Body::Right => "-n if n < 0 else n",
                Body::Wrong => "n + 1",
            };
            let extra = if extra { "def extra(n):\n    return n * 7\n\n\n" } else { "" };
            let tests = cases(all, |(name, n, want)| {
                format!("    def test_{name}(self):\n        self.assertEqual(numbers_.absolute({n}), {want})\n\n")
            });
            vec![
                (
                    "numbers_.py",
                    format!("{extra}def zero():\n    return 0\n\n\ndef absolute(n):\n    return {value}\n"),
                ),
                (
                    "test_numbers.py",
                    format!("import unittest\n\nimport numbers_\n\n\nclass Numbers(unittest.TestCase):\n{tests}"),
                ),
            ]
        },
    });
}

#[test]
fn in_javascript() {
    proved(&Language {
        probe: "node --test --version",
        check: "{name: tests, run: node --test, kind: test}",
        more: &[("package.json", "{\"type\": \"module\"}\n")],
        files: |body, extra, all| {
            let extra = if extra { "export function extra(n) {\n  return n * 7;\n}\n\n" } else { "" };
            let tests = cases(all, |(name, n, want)| {
                format!("test('{name}', () => {{\n  assert.equal(absolute({n}), {want});\n}});\n\n")
            });
            let value = expression(body);
            vec![
                (
                    "numbers.js",
                    format!(
                        "{extra}export function zero() {{\n  return 0;\n}}\n\nexport function absolute(n) {{\n  return {value};\n}}\n"
                    ),
                ),
                (
                    "numbers.test.js",
                    format!(
                        "import assert from 'node:assert';\nimport test from 'node:test';\nimport {{ absolute }} from './numbers.js';\n\n{tests}"
                    ),
                ),
            ]
        },
    });
}

#[test]
fn in_rust_with_the_tests_in_the_source_file() {
    proved(&Language {
        probe: "cargo --version",
        check: "{name: tests, run: cargo test --offline --lib, kind: test}",
        more: &[
            (".gitignore", "target/\n"),
            ("Cargo.toml", "[package]\nname = \"numbers\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n"),
        ],
        files: |body, extra, all| {
            let value = match body {
                Body::Plain => "n",
                Body::Right => "if n < 0 { -n } else { n }",
                Body::Wrong => "n + 1",
            };
            let extra = if extra { "pub fn extra(n: i32) -> i32 {\n    n * 7\n}\n\n" } else { "" };
            let tests = cases(all, |(name, n, want)| {
                format!("    #[test]\n    fn {name}() {{\n        assert_eq!(absolute({n}), {want});\n    }}\n\n")
            });
            vec![(
                "src/lib.rs",
                format!(
                    "{extra}pub fn zero() -> i32 {{\n    0\n}}\n\npub fn absolute(n: i32) -> i32 {{\n    {value}\n}}\n\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{tests}}}\n"
                ),
            )]
        },
    });
}

#[test]
fn in_go() {
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/go-cache");
    let check =
        format!("{{name: tests, run: go test -v ./..., kind: test, env: {{GOCACHE: {cache}, GOFLAGS: -mod=mod}}}}");
    proved(&Language {
        probe: "go version",
        check: Box::leak(check.into_boxed_str()),
        more: &[("go.mod", "module numbers\n\ngo 1.18\n")],
        files: |body, extra, all| {
            let body = match body {
                Body::Plain => "\treturn n\n",
                Body::Right => "\tif n < 0 {\n\t\treturn -n\n\t}\n\treturn n\n",
                Body::Wrong => "\treturn n + 1\n",
            };
            let extra = if extra { "func Extra(n int) int {\n\treturn n * 7\n}\n\n" } else { "" };
            let tests = cases(all, |(name, n, want)| {
                format!(
                    "func Test_{name}(t *testing.T) {{\n\tif Absolute({n}) != {want} {{\n\t\tt.Fatal(Absolute({n}))\n\t}}\n}}\n\n"
                )
            });
            vec![
                (
                    "numbers.go",
                    format!(
                        "package numbers\n\n{extra}func Zero() int {{\n\treturn 0\n}}\n\nfunc Absolute(n int) int {{\n{body}}}\n"
                    ),
                ),
                ("numbers_test.go", format!("package numbers\n\nimport \"testing\"\n\n{tests}")),
            ]
        },
    });
}

#[test]
fn in_ruby() {
    proved(&Language {
        probe: "ruby -e 'require \"minitest\"'",
        check: "{name: tests, run: ruby -I. test/numbers_test.rb -v, kind: test}",
        more: &[],
        files: |body, extra, all| {
            let extra = if extra { "def extra(n)\n  n * 7\nend\n\n" } else { "" };
            let tests = cases(all, |(name, n, want)| {
                format!("  def test_{name}\n    assert_equal {want}, absolute({n})\n  end\n\n")
            });
            let value = expression(body);
            vec![
                ("numbers.rb", format!("{extra}def zero\n  0\nend\n\ndef absolute(n)\n  {value}\nend\n")),
                (
                    "test/numbers_test.rb",
                    format!(
                        "require 'minitest/autorun'\nrequire 'numbers'\n\nclass NumbersTest < Minitest::Test\n{tests}end\n"
                    ),
                ),
            ]
        },
    });
}

#[test]
fn in_php_with_a_report_file() {
    proved(&Language {
        probe: "phpunit --version",
        check: "{name: tests, run: phpunit --log-junit report.xml tests, kind: test, report: 'junit:report.xml'}",
        more: &[(".gitignore", "report.xml\n.phpunit.result.cache\n.phpunit.cache/\n")],
        files: |body, extra, all| {
            let value = expression(body).replace('n', "$n");
            let extra = if extra { "function extra($n)\n{\n    return $n * 7;\n}\n\n" } else { "" };
            let tests = cases(all, |(name, n, want)| {
                format!(
                    "    public function test_{name}(): void\n    {{\n        $this->assertSame({want}, absolute({n}));\n    }}\n\n"
                )
            });
            vec![
                (
                    "numbers.php",
                    format!(
                        "<?php\n\n{extra}function zero()\n{{\n    return 0;\n}}\n\nfunction absolute($n)\n{{\n    return {value};\n}}\n"
                    ),
                ),
                (
                    "tests/NumbersTest.php",
                    format!(
                        "<?php\n\nuse PHPUnit\\Framework\\TestCase;\n\nrequire_once __DIR__ . '/../numbers.php';\n\nfinal class NumbersTest extends TestCase\n{{\n{tests}}}\n"
                    ),
                ),
            ]
        },
    });
}
