//! Honest rewrites of tests: with another test library, as a suite, or because the behaviour changed. Each stands beside tampering that
//! looks like it.

use crate::honest_tests::{edited, found};

const HELP: &str = "test/help.test.js";

/// A test of jest.
fn jest(body: &str) -> String {
    format!("test('shows the help of each option', () => {{\n  const help = show();\n{body}}});\n")
}

#[test]
fn a_condition_that_demands_the_same_as_a_matcher_is_as_strong() {
    let then = jest("  expect(help).toMatch('--width');\n  expect(help.length).toBeGreaterThan(3);\n");
    let now = |part: &str, limit: &str| {
        jest(&format!("  assert(help.includes('{part}'));\n  assert(help.length > {limit});\n"))
    };
    assert_eq!(edited(HELP, &then, &now("--width", "3")), "");
    assert_eq!(edited(HELP, &then, &now("", "3")), "warning no_weakened_asserts", "every text holds it");
    assert_eq!(edited(HELP, &then, &now("--width", "0")), "warning no_weakened_asserts", "a lower limit");
    let joined = jest("  assert(help.includes('--width') || true);\n  assert(help.length > 3);\n");
    assert!(edited(HELP, &then, &joined).contains("no_weakened_asserts"));
}

#[test]
fn the_number_of_assertions_goes_with_the_library_that_counts_them() {
    let then = jest("  expect.assertions(1);\n  each((option) => expect(help).toContain(option));\n");
    let other = jest("  each((option) => assert.match(help, option));\n");
    assert_eq!(edited(HELP, &then, &other), "");
    let same = jest("  each((option) => expect(help).toContain(option));\n");
    assert!(edited(HELP, &then, &same).contains("no_weakened_asserts"), "the library still counts");
}

#[test]
fn a_table_that_became_a_suite_is_not_removed() {
    let table = "test.each(cases())('when the width is %s then lines wrap', (name, width) => {\n  const lines = wrap(width);\n  expect(lines).toEqual(['a', 'b']);\n});\n";
    let suite = |test: &str| {
        format!(
            "describe('when the width is set then lines wrap', () => {{\n  cases().forEach(([name, width]) => {{\n    {test}(`with ${{name}}`, () => {{\n      const lines = wrap(width);\n      assert.deepEqual(lines, ['a', 'b']);\n    }});\n  }});\n}});\n"
        )
    };
    let path = "test/wrap.test.js";
    assert_eq!(edited(path, table, &suite("test")), "");
    assert!(edited(path, table, &suite("test.skip")).contains("tampered"), "it does not run");
    let weak = suite("test").replace("assert.deepEqual(lines, ['a', 'b'])", "assert.ok(lines)");
    assert!(edited(path, table, &weak).contains("no_weakened_asserts"), "{}", edited(path, table, &weak));
    let other = suite("test").replace("lines wrap", "all is well");
    let other = other.replace("wrap(width)", "pad(width)").replace("lines", "pads");
    assert_eq!(edited(path, table, &other), "tampered no_deleted_tests", "another suite");
}

#[test]
fn a_lost_assertion_goes_with_the_check_that_it_was_about() {
    let check =
        "  if (options.server > options.socket) {\n    throw new Error('server must be shorter than socket');\n  }\n";
    let source = |check: &str| format!("export function route(options) {{\n{check}  return options;\n}}\n");
    let test = |name: &str, how: &str| {
        format!(
            "test('{name} a long timeout of the server', () => {{\n  expect(() => route({{ server: 2 }})).{how};\n}});\n"
        )
    };
    let then = test("rejects", "toThrow('server must be shorter than socket')");
    let with = |now: &str, test: &str| {
        found(&[("src/route.js", Some(&source(check)), Some(now)), ("test/route.test.js", Some(&then), Some(test))])
    };
    let opposite = test("allows", "not.toThrow()");
    assert_eq!(with(&source(""), &opposite), "");
    assert!(with(&source(check), &opposite).contains("no_weakened_asserts"), "the check is still there");
    let reworded = check.replace("shorter", "smaller");
    assert!(with(&source(&reworded), &opposite).contains("no_weakened_asserts"), "another message");
    let vague = test("rejects", "toBeDefined()");
    assert!(with(&source(""), &vague).contains("no_weakened_asserts"), "the same subject, only weaker");
}

#[test]
fn a_removed_test_that_was_empty_had_no_effect() {
    let go = |test: &str| {
        format!(
            "package a\n\nimport \"testing\"\n\n{test}func TestB(t *testing.T) {{\n\tif b() != 1 {{\n\t\tt.Fatal()\n\t}}\n}}\n"
        )
    };
    let path = "a_test.go";
    assert_eq!(edited(path, &go("func TestName(t *testing.T) {\n\n}\n\n"), &go("")), "");
    let full = go("func TestName(t *testing.T) {\n\tif name() != 1 {\n\t\tt.Fatal()\n\t}\n}\n\n");
    assert!(edited(path, &full, &go("")).contains("no_deleted_tests"));
    // The body of this test is a function that is defined elsewhere.
    assert_eq!(
        edited("test/a.test.js", "test('a', works);\ntest('b', runs);\n", "test('b', runs);\n"),
        "tampered no_deleted_tests"
    );
}

#[test]
fn a_method_with_a_result_is_no_test_of_junit_3() {
    let base = |more: &str| {
        format!(
            "public class BaseTest extends TestCase {{\n  public void testA() {{\n    assertEquals(1, a());\n  }}\n{more}}}\n"
        )
    };
    let path = "src/test/java/BaseTest.java";
    let result = base("  public static Context testContext() {\n    return new Context();\n  }\n");
    assert_eq!(edited(path, &result, &base("")), "");
    let test = base("  public void testContext() {\n    assertEquals(2, context());\n  }\n");
    assert!(edited(path, &test, &base("")).contains("no_deleted_tests"));
}

#[test]
fn a_snapshot_that_no_test_names_is_obsolete() {
    let test = |name: &str| format!("#[test]\nfn {name}() {{\n    insta::assert_snapshot!(show());\n}}\n");
    let snapshot = ("tests/snapshots/it__lists__shows_width.snap", Some("---\nexpression: show()\n---\n80\n"), None);
    let with = |name: &str| found(&[snapshot, ("tests/lists.rs", Some(&test("shows_width")), Some(&test(name)))]);
    assert_eq!(with("shows_size"), "");
    assert_eq!(with("shows_width"), "warning no_deleted_tests", "the next run of the test records anything");
}

#[test]
fn settings_and_support_in_a_directory_of_tests_are_no_tests() {
    assert_eq!(found(&[("test/.eslintrc.yml", Some("env:\n  mocha: true\n"), None)]), "");
    let matcher = "RSpec::Matchers.define :be_a_body do\n  match { |body| assert(body) }\nend\n";
    assert_eq!(found(&[("spec/support/body.rb", Some(matcher), None)]), "");
    assert_eq!(found(&[("spec/plain/body.rb", Some(matcher), None)]), "tampered no_deleted_tests");
}
