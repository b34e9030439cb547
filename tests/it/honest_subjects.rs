//! Honest changes of tests whose subject went, was renamed or moved. Each stands beside tampering that looks like it.

use crate::honest_tests::{edited, found};

/// A source file with two functions and what else it holds.
fn source(rest: &str) -> String {
    format!("def keep_words(text):\n    return text.split()\n\n\n{rest}")
}

#[test]
fn a_test_goes_with_a_name_that_it_imported_from_the_file_that_lost_it() {
    let drops = "def drop_marks(text):\n    text = text.replace(',', '')\n    return text.replace('.', '')\n";
    let imports = "from app.words import drop_marks, keep_words\n\n\n";
    let kept = "def test_keeps():\n    assert keep_words('a b') == ['a', 'b']\n";
    let test = "\n\ndef test_drops():\n    assert drop_marks('a,b') == 'ab'\n";
    let then = format!("{imports}{kept}{test}");
    let now = format!("{}{kept}", imports.replace("drop_marks, ", ""));
    // Another package defines the same name.
    let other = ("other/marks.py", Some(drops), Some(drops));
    let with = |after: &str, tests: &str| {
        found(&[
            ("app/words.py", Some(&source(drops)), Some(after)),
            ("tests/test_words.py", Some(&then), Some(tests)),
            other,
        ])
    };
    assert_eq!(with(&source(""), &now), "");
    assert_eq!(with(&source(drops), &now), "tampered no_deleted_tests", "the function is still there");
    let renamed = source(&drops.replace("drop_marks", "strip_marks"));
    assert_eq!(with(&renamed, &now), "tampered no_deleted_tests", "it was renamed");
    let unused = format!("{imports}{kept}");
    assert!(with(&source(""), &unused).contains("no_deleted_tests"), "the file still imports it");
    let moved = found(&[
        ("app/words.py", Some(&source(drops)), Some(&source(""))),
        ("app/marks.py", None, Some(drops)),
        ("tests/test_words.py", Some(&then), Some(&now)),
        other,
    ]);
    assert_eq!(moved, "tampered no_deleted_tests", "another file defines it now");
    let helper = found(&[
        ("tests/words.py", Some(&source(drops)), Some(&source(""))),
        ("tests/test_words.py", Some(&then), Some(&now)),
        other,
    ]);
    assert!(helper.contains("tampered no_deleted_tests"), "a helper of tests is no subject: {helper}");
}

#[test]
fn a_test_of_a_renamed_option_is_succeeded_by_the_test_of_the_new_name() {
    let source = |name: &str| {
        format!(
            "exports.serialize = function (value, options) {{\n  if (options.{name}) {{\n    value += '; Site';\n  }}\n  return value;\n}};\n"
        )
    };
    let plain = "test('plain', function() {\n  assert.equal(cookie.serialize('a', {}), 'a');\n});\n";
    let test = |name: &str, asserts: &str| format!("test('{name}', function() {{\n{asserts}}});\n{plain}");
    let asserts =
        |name: &str, value: &str| format!("  assert.equal(cookie.serialize('a', {{ {name}: true }}), {value});\n");
    let then = test("firstPartyOnly", &asserts("firstPartyOnly", "'a; Site'"));
    let with = |source_now: &str, now: &str| {
        found(&[
            ("index.js", Some(&source("firstPartyOnly")), Some(source_now)),
            ("test/serialize.js", Some(&then), Some(now)),
        ])
    };
    let renamed = source("sameSite");
    assert_eq!(with(&renamed, &test("sameSite", &asserts("sameSite", "'a; Site'"))), "");
    assert_eq!(with(&renamed, plain), "tampered no_deleted_tests", "no test takes its place");
    let weak = "  assert.ok(cookie.serialize('a', { sameSite: true }));\n";
    assert_ne!(with(&renamed, &test("sameSite", weak)), "", "the new one demands less");
    let skipped =
        test("sameSite", &asserts("sameSite", "'a; Site'")).replace("test('sameSite'", "test.skip('sameSite'");
    assert!(with(&renamed, &skipped).contains("tampered"), "the new one does not run");
}

#[test]
fn a_file_of_a_test_package_without_tests_is_no_removed_test() {
    let data =
        "package slug\n\nvar inputs = []string{\"a\", \"b\"}\n\nfunc input(n int) string {\n\treturn inputs[n]\n}\n";
    assert_eq!(found(&[("slug_data_test.go", Some(data), None)]), "");
    let asserts = "package slug\n\nfunc check(t *testing.T, x string) {\n\tif x != \"a\" {\n\t\tt.Fatal(x)\n\t}\n}\n";
    assert_ne!(found(&[("slug_check_test.go", Some(asserts), None)]), "", "it asserts for tests");
    let test = "package slug\n\nfunc TestSlug(t *testing.T) {\n\tif slug(\"a\") != \"a\" {\n\t\tt.Fatal()\n\t}\n}\n";
    assert_ne!(found(&[("slug_test.go", Some(test), None)]), "", "it holds a test");
}

#[test]
fn a_test_that_another_one_runs_is_not_removed() {
    let rust = |attribute: &str, value: &str, caller: &str| {
        format!(
            "{caller}{attribute}fn loads() {{\n    let out = load(\"a\");\n    assert_eq!(out.name, {value});\n    assert_eq!(out.size, 1);\n}}\n"
        )
    };
    let caller = "#[test]\nfn all_in_order() {\n    loads();\n}\n\n";
    let old = rust("#[test]\n", "\"a\"", "");
    let with = |now: &str| edited("tests/load.rs", &old, now);
    assert_eq!(with(&rust("", "\"a\"", caller)), "");
    assert_ne!(with(&rust("", "out.name", caller)), "", "it asserts less");
    assert_ne!(with(&rust("", "\"a\"", &caller.replace("loads();", "setup();"))), "", "nothing calls it");
    assert_ne!(with(&rust("", "\"a\"", &caller.replace("#[test]", "#[test]\n#[ignore]"))), "", "the caller is skipped");
}

#[test]
fn a_case_that_another_table_makes_now_is_not_lost() {
    let table = |name: &str, rows: &str, assert: &str| {
        format!("@pytest.mark.parametrize('value', [\n{rows}])\ndef {name}(value):\n    {assert}\n\n\n")
    };
    let bad = |rows: &str| table("test_bad", rows, "with pytest.raises(ValueError):\n        parse(value)");
    let good = |rows: &str, assert: &str| table("test_good", rows, assert);
    let exact = "assert parse(value).text == value";
    let then =
        format!("{}{}", bad("    'foo <bar>>',\n    'first.last <a@b.c>',\n"), good("    'plain <a@b.c>',\n", exact));
    let with = |good: &str| edited("tests/test_mail.py", &then, &format!("{}{good}", bad("    'foo <bar>>',\n")));
    assert_eq!(with(&good("    'plain <a@b.c>',\n    'first.last <a@b.c>',\n", exact)), "");
    assert_eq!(with(&good("    'plain <a@b.c>',\n", exact)), "tampered no_deleted_tests", "no table has it");
    let other = good("    'plain <a@b.c>',\n    'someone else <a@b.c>',\n", exact);
    assert_eq!(with(&other), "tampered no_deleted_tests", "another case");
    let comment = format!("{}# 'first.last <a@b.c>'\n", good("    'plain <a@b.c>',\n", exact));
    assert_eq!(with(&comment), "tampered no_deleted_tests", "a comment");
    let print =
        format!("{}def test_print():\n    parse('first.last <a@b.c>')\n", good("    'plain <a@b.c>',\n", exact));
    assert!(with(&print).contains("no_deleted_tests"), "nothing is asserted");
}

#[test]
fn a_case_that_stood_twice_may_stand_once() {
    let table = |rows: &str| {
        format!(
            "@pytest.mark.parametrize('value', [\n{rows}])\ndef test_slug(value):\n    assert slug(value) == value\n"
        )
    };
    let with = |now: &str| edited("tests/test_slug.py", &table("    'a',\n    'b',\n    'a',\n"), &table(now));
    assert_eq!(with("    'a',\n    'b',\n"), "");
    assert_eq!(with("    'a',\n"), "tampered no_deleted_tests", "another case is gone, too");
    assert_eq!(with("    'a',\n    'a',\n"), "tampered no_deleted_tests", "the other case is gone");
}

#[test]
fn a_text_that_says_less_is_asserted_less() {
    let source = |text: &str| {
        format!(
            "def cut(lines, most):\n    rest = len(lines) - most\n    return lines[:most] + [f'...Output cut{text}']\n"
        )
    };
    let imports = "from app.report import cut\n\n\n";
    let test = |rest: &str| {
        format!(
            "{imports}def test_cut():\n    result = cut(['a'] * 50, 8)\n    assert 'Output cut' in result[-1]\n{rest}"
        )
    };
    let hidden = "    assert '42 lines hidden' in result[-1]\n";
    let with = |text: &str, now: &str| {
        found(&[
            ("app/report.py", Some(&source(" ({rest} lines hidden)")), Some(&source(text))),
            ("tests/test_report.py", Some(&test(hidden)), Some(now)),
        ])
    };
    assert_eq!(with("", &test("")), "");
    assert!(with(" ({rest} lines hidden)", &test("")).contains("no_weakened_asserts"), "the text is as before");
    assert!(with(" ({rest} of the lines hidden)", &test("")).contains("no_weakened_asserts"), "it has the words");
    let bare = test("").replace("    assert 'Output cut' in result[-1]\n", "    assert len(result) == 9\n");
    assert!(with("", &bare).contains("no_weakened_asserts"), "nothing of the text is asserted");
}

#[test]
fn a_test_of_a_moved_file_may_be_written_for_another_runner() {
    let old = "class TestZone(unittest.TestCase):\n    def setUp(self):\n        self.EST = Zone(-5)\n\n    def test_inheritance(self):\n        self.assertIsInstance(self.EST, tzinfo)\n\n    def test_offset(self):\n        self.assertEqual(self.EST.offset(5), -5)\n";
    let new = "EST = Zone(-5)\n\n\ndef test_inheritance():\n    assert isinstance(EST, tzinfo)\n\n\ndef test_offset():\n    assert EST.offset(5) == -5\n";
    let with = |now: &str| {
        found(&[("core/tests/test_zone.py", Some(old), None), ("tests/core/test_zone.py", None, Some(now))])
    };
    assert_eq!(with(new), "");
    let fewer = new.replace("def test_inheritance():\n    assert isinstance(EST, tzinfo)\n\n\n", "");
    assert!(with(&fewer).contains("no_deleted_tests"), "one is gone");
    assert_ne!(with(&new.replace("assert EST.offset(5) == -5", "assert EST.offset(5)")), "", "it asserts less");
    let two = "describe('slug', () => {\n  it('drops all', () => {\n    assert.equal(slug('a,b'), 'ab');\n  });\n});\n";
    let typed =
        "describe('slug()', () => {\n  it('drops all', () => {\n    expect(slug('a,b')).toBe('ab');\n  });\n});\n";
    let with = |now: &str| found(&[("test/slug.test.js", Some(two), None), ("test/slug.spec.ts", None, Some(now))]);
    assert_eq!(with(typed), "");
    assert_ne!(with(&typed.replace("it(", "it.skip(")), "", "it is skipped");
    assert_ne!(with(&typed.replace(".toBe('ab')", ".toBeDefined()")), "", "it asserts less");
}
