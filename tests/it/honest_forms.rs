//! Honest rewrites of assertions: another form of the same demand, each beside a weaker one.

use crate::honest_tests::{edited, found};

/// A test of JavaScript with this body, before and after.
fn rewritten(then: &str, now: &str) -> String {
    let test = |body: &str| {
        format!("import {{ f }} from '../src/f.js';\n\ntest('works', async () => {{\n  const x = f(1);\n{body}}});\n")
    };
    edited("test/f.test.js", &test(then), &test(now))
}

#[test]
fn another_matcher_for_the_same_value_is_as_strong() {
    let undefined = "  expect(x).to.equal(undefined);\n";
    assert_eq!(rewritten(undefined, "  expect(x).toBeUndefined();\n"), "");
    assert_eq!(rewritten(undefined, "  expect(x).toBeDefined();\n"), "tampered no_weakened_asserts");
    let length = "  expect(x.items.length).toBe(2);\n";
    assert_eq!(rewritten(length, "  expect(x.items).toHaveLength(2);\n"), "");
    assert_ne!(rewritten(length, "  expect(x.items).toBeTruthy();\n"), "");
}

#[test]
fn the_error_of_a_rejection_may_be_asserted_in_one_matcher() {
    let then = "  const error = await f(1).catch((e) => e);\n  expect(error.message).toMatch(/must be a number/);\n  expect(error.code).toBe('E_NUMBER');\n";
    let one = "  await expect(f(1)).rejects.toMatchObject({ code: 'E_NUMBER', message: 'this must be a number' });\n";
    assert_eq!(rewritten(then, one), "");
    let any = "  await expect(f(1)).rejects.toMatchObject({ code: expect.anything() });\n";
    assert_ne!(rewritten(then, any), "");
}

#[test]
fn brackets_around_a_condition_change_nothing() {
    let test = |assert: &str| format!("from src.f import f\n\n\ndef test_a():\n    out = f()\n    {assert}\n");
    let then = test("assert \"a long text\" in out");
    assert_eq!(
        edited("tests/test_f.py", &then, &test("assert (\n        \"a longer text\"\n        in out\n    )")),
        ""
    );
    assert_ne!(edited("tests/test_f.py", &then, &test("assert (out)")), "");
}

#[test]
fn assertions_that_became_a_table_of_several_asserts_are_not_lost() {
    let single = "from src.f import split\n\n\ndef test_split():\n    a, b = split('--x')\n    assert a == '--'\n    assert b == 'x'\n    a, b = split('-x')\n    assert a == '-'\n    assert b == 'x'\n    a, b = split('x')\n    assert a == ''\n    assert b == 'x'\n";
    let table = |rows: &str| {
        format!(
            "import pytest\nfrom src.f import split\n\n\n@pytest.mark.parametrize('value, first, rest', [{rows}])\ndef test_split(value, first, rest):\n    a, b = split(value)\n    assert a == first\n    assert b == rest\n"
        )
    };
    assert_eq!(edited("tests/test_f.py", single, &table("('--x', '--', 'x'), ('-x', '-', 'x'), ('x', '', 'x')")), "");
    assert_ne!(edited("tests/test_f.py", single, &table("('--x', '--', 'x')")), "");
}

#[test]
fn a_test_whose_demand_another_one_took_over_is_merged() {
    let test = |name: &str, expected: &str| {
        format!(
            "  it('{name}', (done) => {{\n    request(server()).post('/').send('a=1').expect(413, {expected}, done);\n  }});\n"
        )
    };
    let file = |tests: &[String]| format!("describe('urlencoded', () => {{\n{}}});\n", tests.concat());
    let then = file(&[test("rejects", "/too many parameters/"), test("has the type", "'parameters.too.many'")]);
    let now = file(&[test("rejects", "'[parameters.too.many] too many parameters'")]);
    assert_eq!(edited("test/urlencoded.js", &then, &now), "");
    let gone = file(&[test("rejects", "'[too.large] payload'")]);
    assert_eq!(edited("test/urlencoded.js", &then, &gone), "tampered no_deleted_tests");
}

#[test]
fn a_test_goes_with_the_file_that_its_directory_names() {
    let test = "import subprocess\n\n\ndef test_script():\n    assert subprocess.run(['x']).returncode == 0\n";
    let with = |source: &str| {
        found(&[
            ("tests/test_clicks/test_tutorial001.py", Some(test), None),
            (&format!("docs/{source}.py"), Some("print('a')\n"), None),
            ("docs/others/tutorial001.py", Some("print('b')\n"), Some("print('c')\n")),
        ])
    };
    assert_eq!(with("clicks/tutorial001"), "");
    assert_eq!(with("clicks/tutorial001_py39"), "");
    assert_eq!(with("clicks/tutorial0012"), "tampered no_deleted_tests");
    assert_eq!(with("unlike/tutorial001"), "tampered no_deleted_tests");
}

#[test]
fn a_file_in_another_language_has_other_suppressions() {
    let java = "class Maps {\n  @SuppressWarnings(\"unchecked\")\n  void add(Object o) {}\n}\n";
    let kotlin =
        |more: &str| format!("class Maps {{\n  @Suppress(\"UNCHECKED_CAST\")\n  fun add(o: Any) {{}}\n{more}}}\n");
    let with = |more: &str| found(&[("src/Maps.java", Some(java), None), ("src/Maps.kt", None, Some(&kotlin(more)))]);
    assert_eq!(with(""), "");
    assert_eq!(with("  @Suppress(\"UNUSED\")\n  fun remove() {}\n"), "warning no_disabled_lint");
}
