//! Honest changes of tests whose behaviour went although other code holds each of its words. Each stands beside tampering that looks like it.

use crate::honest_tests::{edited, found};

/// A source file with a part that goes. Its words stand elsewhere, too.
const LEXER: &str = "def read_scope(text):\n    words = text.split()\n    report('Globbed Scope Path:', words)\n    report('Scope of Globbed words', words)\n    trace(words)\n    flush(words)\n    return words\n\n\ndef keep_globbed(path):\n    return path\n\n\ndef keep_scope(scope):\n    return scope\n";
const KEPT: &str = "def test_keeps():\n    assert keep_scope('a') == 'a'\n";

#[test]
fn a_test_goes_with_a_phrase_that_no_code_holds_any_more() {
    let gone = "\n\ndef test_reports(capsys):\n    read_scope('a b')\n    assert 'Globbed Scope Path:' in capsys.readouterr().out\n";
    let less =
        LEXER.replace("    report('Globbed Scope Path:', words)\n    report('Scope of Globbed words', words)\n", "");
    let then = format!("from app.lexer import keep_scope, read_scope\n\n\n{KEPT}{gone}");
    let now = then.replace(gone, "");
    let with = |source: &str, tests: &str| {
        found(&[
            ("app/lexer.py", Some(LEXER), Some(source)),
            ("tests/test_lexer.py", Some(&then), Some(tests)),
            (
                "app/path.py",
                Some("Globbed = 1\nScope = 2\nPath = 3\nreport = 4\n"),
                Some("Globbed = 1\nScope = 2\nPath = 3\nreport = 4\n"),
            ),
        ])
    };
    assert_eq!(with(&less, &now), "");
    assert_eq!(with(LEXER, &now), "tampered no_deleted_tests", "source still says it");
    let moved = LEXER.replace("'Globbed Scope Path:'", "'Globbed Scope Path: '");
    assert_eq!(with(&moved, &now), "tampered no_deleted_tests", "source says it in another way");
    let commented = format!("{less}\n\n# unrelated\n");
    assert_eq!(
        with(&commented.replace("trace(words)", "report('Globbed Scope Path:', words)"), &now),
        "tampered no_deleted_tests"
    );
}

#[test]
fn a_test_that_goes_with_a_check_that_fails_is_a_warning() {
    let source = "class Account:\n    def take(self, amount):\n        if amount > self.rest:\n            raise ValueError('cannot overdraw this account')\n        self.rest = self.rest - amount\n        return self.rest\n\n\ndef overdraw(account):\n    return account\n\n\ndef cannot(this):\n    raise ValueError(this)\n";
    let check = "        if amount > self.rest:\n            raise ValueError('cannot overdraw this account')\n";
    let test = "\n\ndef test_no_overdraft():\n    with pytest.raises(ValueError, match='cannot overdraw this account'):\n        Account(1).take(2)\n";
    let kept =
        "import pytest\nfrom app.account import Account\n\n\ndef test_takes():\n    assert Account(3).take(1) == 2\n";
    let then = format!("{kept}{test}");
    let with = |now: &str| {
        found(&[("app/account.py", Some(source), Some(now)), ("tests/test_account.py", Some(&then), Some(kept))])
    };
    assert_eq!(with(&source.replace(check, "")), "warning no_deleted_tests");
    assert_eq!(with(source), "tampered no_deleted_tests", "the check is still there");
}

#[test]
fn an_assertion_goes_with_a_phrase_that_source_lost() {
    let source = "class Undefined:\n    __slots__ = ('name',)\n\n    def __str__(self):\n        return ''\n\n\nclass Chained(Undefined):\n    __slots__ = ()\n\n\ndel (\n    Chained.__slots__,\n)\n";
    let asserts = "    with pytest.raises(AttributeError):\n        getattr(Chained, '__slots__')\n";
    let test = |asserts: &str| {
        format!(
            "import pytest\nfrom app.undefined import Chained\n\n\ndef test_chained():\n    und = Chained()\n    assert str(und) == ''\n    assert und == und\n{asserts}    assert und is not None\n"
        )
    };
    let with = |now: &str| {
        found(&[
            ("app/undefined.py", Some(source), Some(now)),
            ("tests/test_undefined.py", Some(&test(asserts)), Some(&test(""))),
        ])
    };
    assert_eq!(with(&source.replace("\n\ndel (\n    Chained.__slots__,\n)\n", "")), "");
    assert_ne!(with(source), "", "source still deletes it");
}

#[test]
fn a_test_of_changed_code_is_succeeded_by_one_that_demands_as_much() {
    let source =
        |sign: &str| format!("exports.slug = function (text) {{\n  return text.split(' ').join('{sign}');\n}};\n");
    let test = |name: &str, body: &str| format!("test('{name}', function() {{\n{body}}});\n");
    let kept = test("plain", "  assert.equal(slug('a'), 'a');\n");
    let old = test(
        "joins words with an underscore",
        "  assert.equal(slug('a b'), 'a_b');\n  assert.equal(slug('a b c'), 'a_b_c');\n",
    );
    let then = format!("{kept}{old}");
    let with = |now: &str, source_now: &str| {
        found(&[
            ("index.js", Some(&source("_")), Some(source_now)),
            ("test/slug.js", Some(&then), Some(&format!("{kept}{now}"))),
        ])
    };
    let new = test(
        "a hyphen is between parts",
        "  const text = slug('one two');\n  assert.equal(text, 'one-two');\n  assert.equal(slug('x y'), 'x-y');\n",
    );
    let one = test("a hyphen is between parts", "  assert.ok(slug('one two'));\n");
    assert_eq!(with(&new, &source("-")), "");
    assert_ne!(with(&one, &source("-")), "", "it demands less");
    assert_ne!(with("", &source("-")), "", "no test takes its place");
}

#[test]
fn a_test_that_stands_elsewhere_as_well_is_not_lost() {
    let body = "    words = keep_words('a b')\n    assert words == ['a', 'b']\n    assert len(words) == 2\n";
    let test = format!("from app.words import keep_words\n\n\ndef test_keeps():\n{body}");
    let other = "\n\ndef test_other():\n    assert keep_words('') == []\n";
    let then = format!("{test}{other}");
    let now = format!("from app.words import keep_words\n{other}");
    let with = |elsewhere: &str| {
        found(&[("tests/test_a.py", Some(&then), Some(&now)), ("tests/test_b.py", Some(elsewhere), Some(elsewhere))])
    };
    assert_eq!(with(&test), "");
    let gone = "tampered no_deleted_tests";
    assert_eq!(with(&test.replace("'b']", "'c']")), gone, "another one");
    assert_eq!(with(&test.replace("app.words", "app.other")), gone, "of something else");
    let skipped = test.replace("def test_keeps", "@pytest.mark.skip\ndef test_keeps");
    assert_eq!(with(&skipped), gone, "it does not run");
}

#[test]
fn one_of_two_tests_that_are_the_same_is_no_loss() {
    let test = |name: &str, value: &str| {
        format!("it('{name}', () => {{\n  const out = parse('a b');\n  expect(out.length).toBe({value});\n}});\n")
    };
    let then = format!("{0}{0}", test("parses twice", "2"));
    assert_eq!(edited("a.test.js", &then, &test("parses words twice", "3")), "");
    let two = format!("{}{}", test("parses twice", "2"), test("parses more", "2").replace("'a b'", "'a b c'"));
    assert_eq!(edited("a.test.js", &two, &test("parses twice", "2")), "tampered no_deleted_tests");
}

#[test]
fn data_of_tests_go_with_the_code_that_names_them() {
    let test = |lines: &str| format!("def test_keeps():\n    assert read('kept.yml')['a'] == 1\n{lines}");
    let lines = "\n\ndef test_more():\n    assert read('languages_more.yml')['b'] == 2\n";
    let source = "def read_more(path):\n    return load_more(path)\n";
    let with = |now: &str| {
        found(&[
            ("app/read.py", Some(&format!("def read(path):\n    return load(path)\n\n\n{source}")), Some(now)),
            ("tests/test_read.py", Some(&test(&lines.replace("read(", "read_more("))), Some(&test(""))),
            ("tests/site/languages_more.yml", Some("b: 2\n"), None),
            ("tests/site/kept.yml", Some("a: 1\n"), Some("a: 1\n")),
        ])
    };
    assert_eq!(with("def read(path):\n    return load(path)\n"), "");
    let only = |tests: &str| {
        found(&[
            ("tests/test_read.py", Some(&test(lines)), Some(tests)),
            ("tests/site/languages_more.yml", Some("b: 2\n"), None),
        ])
    };
    assert!(only(&test(lines)).contains("tampered"), "the test still names it");
    let cases = "import glob\n\n\ndef test_cases():\n    for path in glob.glob('tests/cases/*.json'):\n        assert check(path) == 1\n";
    let case = found(&[
        ("tests/test_cases.py", Some(cases), Some(&format!("{cases}\n\ndef test_x():\n    assert x() == 1\n"))),
        ("tests/cases/empty_list.json", Some("[]\n"), None),
    ]);
    assert_eq!(case, "tampered no_deleted_tests", "a case that tests find by its directory");
}

#[test]
fn helpers_of_rust_and_merged_data_are_no_removed_tests() {
    let helper = "use std::process::Command;\n\npub fn run() -> String {\n    let out = Command::new(\"a\").output().expect(\"it runs\");\n    String::from_utf8(out.stdout).expect(\"text\")\n}\n";
    assert_eq!(found(&[("tests/testsuite/common.rs", Some(helper), None)]), "");
    let test =
        "#[test]\nfn runs() {\n    let out = run();\n    assert_eq!(out, \"a\");\n    assert!(out.len() == 1);\n}\n";
    assert_ne!(found(&[("tests/testsuite/runs.rs", Some(test), None)]), "", "it declares a test");
    let case =
        |name: &str| format!("  {{\n    \"description\": \"{name} is valid\",\n    \"data\": \"{name}://a\"\n  }}");
    let (kept, off) = (format!("[\n{}\n]\n", case("http")), format!("[\n{}\n]\n", case("iris")));
    let both = format!("[\n{},\n{}\n]\n", case("http"), case("iris"));
    let with = |now: &str| {
        found(&[("tests/cases/uri.json", Some(&kept), Some(now)), ("tests/cases/_uri.json", Some(&off), None)])
    };
    assert_eq!(with(&both), "");
    let other = format!("[\n{},\n{}\n]\n", case("http"), case("file"));
    assert_eq!(with(&other), "tampered no_deleted_tests", "its cases are gone");
}
