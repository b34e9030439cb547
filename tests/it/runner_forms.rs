//! Tests as their runners declare them: of QUnit, Deno, ava, Kotest, Swift Testing, each beside a loss; files that are tests by their name.

use crate::honest_tests::{edited, found};

#[test]
fn tests_of_qunit_are_tests() {
    let test = |declared: &str, body: &str| {
        format!(
            "QUnit.module('store', function () {{\n  {declared}('saves', function (assert) {{\n    {body}\n  }});\n}});\n"
        )
    };
    let then = test("QUnit.test", "assert.strictEqual(save(1), 2);");
    let of = |declared: &str, body: &str| edited("tests/unit/store-test.js", &then, &test(declared, body));
    assert_eq!(of("QUnit.skip", "assert.strictEqual(save(1), 2);"), "tampered no_new_skips");
    assert_eq!(of("QUnit.only", "assert.strictEqual(save(1), 2);"), "tampered no_focused_tests");
    assert_eq!(of("QUnit.test", "assert.ok(true);"), "tampered no_emptied_tests");
    assert_eq!(of("QUnit.test", "assert.equal(save(1), 2);"), "");
}

#[test]
fn a_test_of_deno_may_have_its_options_first() {
    let test = |head: &str| format!("Deno.test({head}, () => {{\n  assertEquals(f(1), 2);\n}});\n");
    let then = test("\"adds\"");
    // Deno runs the files of these names.
    let of = |head: &str| edited("sum_test.ts", &then, &test(head));
    assert_eq!(of("{ name: \"adds\", ignore: true }"), "tampered no_new_skips");
    assert_eq!(of("{ name: \"adds\", permissions: { read: true } }"), "");
}

#[test]
fn a_test_of_ava_is_told_by_what_its_macro_is_given() {
    let tests = |titles: [&str; 2], rest: &str| {
        format!(
            "const macro = (t, input, expected) => t.is(walk(input), expected);\ntest('{}', macro, {{}}, ['a.js']);\n{}",
            titles[0],
            rest.replace("TITLE", titles[1])
        )
    };
    let second = "test('TITLE', macro, { dot: true }, ['.hidden']);\n";
    let then = tests(["default", "dot"], second);
    let of = |titles: [&str; 2], rest: &str| edited("test/walk.test.js", &then, &tests(titles, rest));
    assert_eq!(of(["skips hidden files", "walks hidden files"], second), "");
    assert_eq!(of(["default", "dot"], ""), "tampered no_deleted_tests");
}

#[test]
fn rows_of_kotest_and_of_swift_testing_are_rows() {
    let kotlin = |rows: &str| {
        format!(
            "class WrapSpec : StringSpec({{\n    \"wraps\" {{\n        table(\n            headers(\"text\", \"width\"),\n{rows}        ).forAll {{ text, width ->\n            wrap(text, width) shouldBe text\n        }}\n    }}\n}})\n"
        )
    };
    let (one, two) = ("            row(\"\", 10),\n", "            row(\"one\", 4),\n");
    let then = kotlin(&format!("{one}{two}"));
    assert_eq!(edited("src/test/kotlin/WrapSpec.kt", &then, &kotlin(one)), "tampered no_deleted_tests");
    let swift = |rows: &str| {
        format!(
            "import Testing\n\nstruct HexTests {{\n    @Test(arguments: [\n{rows}    ] as [(String, Int)])\n    func parses(hex: String, red: Int) {{\n        #expect(Color(hex).red == red)\n    }}\n}}\n"
        )
    };
    let (one, two) = ("        (\"#ff\", 255),\n", "        (\"#0f\", 15),\n");
    let then = swift(&format!("{one}{two}"));
    assert_eq!(edited("Tests/HexTests.swift", &then, &swift(one)), "tampered no_deleted_tests");
}

#[test]
fn an_attribute_of_the_project_may_not_skip_the_tests_that_existed() {
    let tests = |mark: &str| {
        format!(
            "public class ApiTests\n{{\n    [{mark}]\n    public void Posts()\n    {{\n        Assert.Equal(201, Post());\n    }}\n}}\n"
        )
    };
    let class = |line: &str| {
        format!(
            "public sealed class ApiFactAttribute : FactAttribute\n{{\n    public ApiFactAttribute()\n    {{\n        {line}\n    }}\n}}\n"
        )
    };
    let of = |line: &str| {
        found(&[
            ("tests/ApiTests.cs", Some(&tests("Fact")), Some(&tests("ApiFact"))),
            ("tests/ApiFactAttribute.cs", None, Some(&class(line))),
        ])
    };
    assert_ne!(of("Skip = \"off by default\";"), "");
    assert_eq!(of("DisplayName = \"api\";"), "");
}

#[test]
fn a_branch_that_failed_may_not_end_the_test_silently() {
    let test = |line: &str| {
        format!(
            "package feed\n\nimport \"testing\"\n\nfunc TestParse(t *testing.T) {{\n\tf, err := Parse(data)\n\tif err != nil {{\n\t\t{line}\n\t}}\n\tif f.Title != \"A\" {{\n\t\tt.Errorf(\"%q\", f.Title)\n\t}}\n}}\n"
        )
    };
    let of = |line: &str| edited("parse_test.go", &test("t.Fatalf(\"Parse: %v\", err)"), &test(line));
    assert_ne!(of("return"), "");
    assert_eq!(of("t.Fatal(err)"), "");
}

#[test]
fn a_helper_that_asserts_by_its_name_may_not_only_print() {
    let helper = |line: &str| {
        format!(
            "module SchemaAssertions\n  def assert_matches_schema(name, body)\n    errors = validate(name, body)\n    {line}\n  end\nend\n"
        )
    };
    let of = |line: &str| edited("test/support/schema_assertions.rb", &helper("assert_empty errors"), &helper(line));
    assert_ne!(of("puts \"differs: #{errors.join(', ')}\" if errors.any?"), "");
    assert_eq!(of("assert_equal [], errors"), "");
}

#[test]
fn a_suppression_in_a_test_of_types_is_what_it_asserts() {
    let test = "import { test } from 'vitest';\n\ntest('types', () => {\n  // @ts-expect-error a number\n  emit('progress', 'half');\n});\n";
    assert_eq!(found(&[("src/emitter.test-d.ts", None, Some(test))]), "");
    assert_eq!(found(&[("src/emitter.ts", None, Some(test))]), "warning no_disabled_lint");
}

#[test]
fn a_skip_of_another_runner_may_say_the_same() {
    let xctest = |condition: &str| {
        format!(
            "final class KeyTests: XCTestCase {{\n    func testReads() throws {{\n        try XCTSkipIf({condition}, \"none\")\n        XCTAssertEqual(read(), 1)\n    }}\n}}\n"
        )
    };
    let testing = |condition: &str| {
        format!(
            "import Testing\n\n@Suite(.enabled(if: {condition}, \"none\"))\nstruct KeyTests {{\n    @Test func testReads() throws {{\n        #expect(read() == 1)\n    }}\n}}\n"
        )
    };
    let of = |condition: &str| edited("Tests/KeyTests.swift", &xctest("env[\"SANDBOX\"] != nil"), &testing(condition));
    assert_eq!(of("env[\"SANDBOX\"] == nil"), "");
    assert_ne!(of("env[\"SANDBOX\"] != nil"), "", "the opposite");
}

#[test]
fn an_assumption_with_a_message_skips() {
    let java = |line: &str| {
        format!(
            "class CacheTest {{\n    @Before\n    public void open() {{\n{line}        cache = open();\n    }}\n\n    @Test\n    public void reads() {{\n        assertEquals(1, cache.read());\n    }}\n}}\n"
        )
    };
    let of = |line: &str| edited("src/test/java/CacheTest.java", &java(""), &java(line));
    assert_ne!(of("        assumeTrue(\"needs a disk\", Boolean.getBoolean(\"cache.tests\"));\n"), "");
    assert_eq!(of("        root = newFolder(\"cache\", Boolean.getBoolean(\"cache.tests\"));\n"), "");
    let kotlin = |line: &str| {
        format!(
            "class NoteTest {{\n    @Test\n    fun searches() {{\n{line}        assertEquals(1, search(\"a\"))\n    }}\n}}\n"
        )
    };
    let of = |line: &str| edited("src/test/kotlin/NoteTest.kt", &kotlin(""), &kotlin(line));
    assert_eq!(of("        assumeTrue(\"flaky\", false)\n"), "tampered no_new_skips");
    assert_eq!(of("        record(\"flaky\", false)\n"), "");
}

#[test]
fn a_method_that_is_named_skip_skips_no_test() {
    let go = |line: &str| {
        format!(
            "package lines\n\nimport \"testing\"\n\nfunc TestSkip(t *testing.T) {{\n\ts := scan(\"# a\")\n{line}\tassert.Equal(t, 1, all(s))\n}}\n"
        )
    };
    let of = |line: &str| found(&[("scanner_test.go", None, Some(&go(line)))]);
    assert_eq!(of("\ts.Skip(func(line string) bool { return true })\n"), "");
    assert_ne!(of("\tt.Skip(\"later\")\n"), "");
    let lexer = |skip: &str, line: &str| format!("{skip}Token Lexer::next() {{\n{line}    return Token{{}};\n}}\n");
    let own = "void Lexer::skip() {\n    ++pos_;\n}\n\n";
    assert_eq!(edited("src/lexer.cpp", &lexer("", ""), &lexer(own, "    skip();\n")), "");
}

#[test]
fn a_test_may_not_end_if_what_it_tests_lacks_a_method() {
    let ruby = |line: &str| {
        format!(
            "RSpec.describe Extractor do\n  it 'refuses' do\n    extractor = Extractor.new('a')\n{line}    expect {{ extractor.extract }}.to raise_error(UnsafePath)\n  end\nend\n"
        )
    };
    let of = |line: &str| edited("spec/extractor_spec.rb", &ruby(""), &ruby(line));
    assert_eq!(of("    next unless extractor.respond_to?(:safe_mode?)\n"), "tampered no_weakened_asserts");
    assert_ne!(of("    next unless Process.respond_to?(:fork)\n"), "tampered no_weakened_asserts", "the platform");
}
