//! Honest moves of tests between forms: shared examples, split tests, tables, helpers of a shell, each beside a loss.

use crate::honest_tests::{edited, found};

#[test]
fn a_test_may_move_into_shared_examples_that_its_group_includes() {
    let spec = |body: &str, other: &str| {
        format!(
            "RSpec.describe Cache::Memory do\n{body}\n  it \"stores\" do\n    expect(subject.read(\"k\")).to eq(\"v\")\n  end\nend\n\nRSpec.describe Cache::Null do\n{other}\n  it \"forgets\" do\n    expect(subject.read(\"k\")).to be_nil\n  end\nend\n"
        )
    };
    let own = "  it \"knows no other keys\" do\n    expect(subject.read(\"nope\")).to be_nil\n  end\n";
    let shared = format!("RSpec.shared_examples \"a cache\" do\n{own}end\n");
    let includes = "  it_behaves_like \"a cache\"\n";
    let of = |one: &str, other: &str| {
        let (then, now) = (spec(own, own), spec(one, other));
        found(&[("spec/cache_spec.rb", Some(&then), Some(&now)), ("spec/support/cache.rb", None, Some(&shared))])
    };
    assert_eq!(of(includes, includes), "");
    assert_ne!(of(includes, ""), "", "one group does not include it");
}

#[test]
fn a_test_may_be_split_into_several_with_a_fixture() {
    let then = "class QueueTest(unittest.TestCase):\n    def test_everything(self):\n        queue = Queue()\n        queue.push('a')\n        self.assertEqual(len(queue), 1)\n        self.assertEqual(queue.pop(), 'a')\n        try:\n            queue.pop()\n        except Empty:\n            pass\n        else:\n            self.fail('pop of an empty queue')\n";
    let now = |rest: &str| {
        format!(
            "class QueueTest(unittest.TestCase):\n    def setUp(self):\n        self.queue = Queue()\n        self.queue.push('a')\n\n    def test_counts(self):\n        self.assertEqual(len(self.queue), 1)\n{rest}"
        )
    };
    let rest = "\n    def test_pops(self):\n        self.assertEqual(self.queue.pop(), 'a')\n\n    def test_raises(self):\n        self.queue.pop()\n        with self.assertRaises(Empty):\n            self.queue.pop()\n";
    assert_eq!(edited("tests/test_queue.py", then, &now(rest)), "");
    assert_ne!(edited("tests/test_queue.py", then, &now("")), "");
}

#[test]
fn a_table_may_declare_methods_or_be_a_constant() {
    let single = "class PluralTest < Minitest::Test\n  def test_cat\n    assert_equal \"cats\", Plural.call(\"cat\")\n  end\n\n  def test_bus\n    assert_equal \"buses\", Plural.call(\"bus\")\n  end\nend\n";
    let table = |rows: &str| {
        format!(
            "class PluralTest < Minitest::Test\n  {{\n{rows}  }}.each do |one, many|\n    define_method(\"test_#{{one}}\") do\n      assert_equal many, Plural.call(one)\n    end\n  end\nend\n"
        )
    };
    assert_eq!(
        edited("test/plural_test.rb", single, &table("    \"cat\" => \"cats\",\n    \"bus\" => \"buses\"\n")),
        ""
    );
    assert_ne!(edited("test/plural_test.rb", single, &table("    \"cat\" => \"cats\"\n")), "");
    let rust = |list: &str, of: &str| {
        format!(
            "{list}#[test]\nfn totals() {{\n    for (text, total) in {of} {{\n        assert_eq!(parse(text), total);\n    }}\n}}\n"
        )
    };
    let inline = rust("", "[(\"a\", 1), (\"b\", 2)]");
    let named = |rows: &str| rust(&format!("const CASES: &[(&str, u32)] = &[{rows}];\n\n"), "CASES");
    assert_eq!(edited("tests/t.rs", &inline, &named("(\"a\", 1), (\"b\", 2)")), "");
    assert_ne!(edited("tests/t.rs", &inline, &named("(\"a\", 1)")), "");
}

#[test]
fn a_function_of_a_shell_asserts_if_it_fails_where_the_test_failed() {
    let test = |body: &str| format!("load test_helper\n\n@test \"formats\" {{\n{body}}}\n");
    let then = test("  run fmt a.json\n  [ \"$status\" -eq 0 ]\n  [ \"$output\" = \"$(cat a.want)\" ]\n");
    let now = test("  assert_formats a.json a.want\n");
    let helper = |ends: &str| {
        format!(
            "assert_formats() {{\n  run fmt \"$1\"\n  if [ \"$status\" -ne 0 ]; then\n    echo \"$output\" >&2\n    {ends}\n  fi\n  if [ \"$output\" != \"$(cat \"$2\")\" ]; then\n    echo \"$output\" >&2\n    {ends}\n  fi\n}}\n"
        )
    };
    let of = |ends: &str| {
        found(&[
            ("test/fmt.bats", Some(&then), Some(&now)),
            ("test/test_helper.bash", Some("ROOT=.\n"), Some(&helper(ends))),
        ])
    };
    assert_eq!(of("return 1"), "");
    assert_ne!(of("return 0"), "");
}

#[test]
fn a_file_of_functions_that_assert_may_go_if_its_tests_assert_the_same() {
    let helper = "export function expectPoint(p, x) {\n  expect(p.x).to.be.closeTo(x, 1e-9);\n}\n";
    let test = |import: &str, line: &str| format!("{import}it('turns', () => {{\n  const p = turn(1);\n{line}}});\n");
    let then = test("import { expectPoint } from './expect-point';\n", "  expectPoint(p, 2);\n");
    let of = |line: &str| {
        let now = test("", line);
        found(&[("test/m.spec.ts", Some(&then), Some(&now)), ("test/expect-point.ts", Some(helper), None)])
    };
    assert_eq!(of("  expect(p.x).to.be.closeTo(2, 1e-9);\n"), "");
    assert_ne!(of("  expect(p.x).to.exist;\n"), "");
}

#[test]
fn a_test_of_cypress_is_a_test_wherever_it_lies() {
    let test = |line: &str| format!("it('shows the total', () => {{\n  cy.visit('/cart');\n{line}}});\n");
    let total = test("  cy.get('#total').should('have.text', '30 EUR');\n");
    let of = |line: &str| edited("cypress/e2e/cart.cy.js", &total, &test(line));
    assert_ne!(of("  // cy.get('#total').should('have.text', '30 EUR');\n"), "");
    assert_ne!(of("  cy.get('#total').should('exist');\n"), "");
    assert_eq!(of("  cy.get('[data-cy=total]').should('have.text', '30 EUR');\n"), "");
}

#[test]
fn a_file_that_is_only_called_test_is_one_if_it_holds_tests() {
    let test = |line: &str| format!("it('adds', () => {{\n  {line}\n}});\n");
    let then = test("assert.equal(add(1, 2), 3);");
    let of = |line: &str| edited("src/add/test.ts", &then, &test(line));
    assert_eq!(of("add(1, 2);"), "tampered no_emptied_tests");
    assert_eq!(of("assert.equal(add(2, 2), 4);"), "");
    let entry = "declare const require: any;\nrequire.context('./', true).keys();\n";
    assert_eq!(found(&[("src/test.ts", Some(entry), None)]), "", "it starts the tests");
    assert_eq!(found(&[("src/add/test.ts", Some(&then), None)]), "tampered no_deleted_tests");
}

#[test]
fn a_helper_that_returns_what_it_asserted_asserts_nothing() {
    let helper = |body: &str| format!("export function expectValid(order) {{\n{body}}}\n");
    let asserting = helper("  expect(order.id).toMatch(/^o\\d$/);\n  expect(order.total).toBe(3);\n");
    let returning = helper("  return /^o\\d$/.test(order.id) && order.total === 3;\n");
    let test = "it('merges', () => {\n  expectValid(merge(1, 2));\n});\n";
    let edits = [
        ("test/helpers/valid.js", Some(asserting.as_str()), Some(returning.as_str())),
        ("test/m.test.js", Some(test), Some(test)),
    ];
    assert_ne!(found(&edits), "");
}

#[test]
fn an_argument_of_a_command_leaves_the_script_with_its_test() {
    let script = |arm: &str| format!("case \"${{1:-}}\" in\n  build) make all ;;\n{arm}esac\n");
    let test = |more: &str| format!("@test \"builds\" {{\n  run dev build\n  [ \"$status\" -eq 0 ]\n}}\n{more}");
    let upload = "\n@test \"uploads\" {\n  run dev upload-ftp\n  [ \"$status\" -eq 0 ]\n}\n";
    let arm = script("  upload-ftp) curl -T out ;;\n");
    let of = |now: &str| {
        let tests = (test(upload), test(""));
        found(&[("bin/dev.sh", Some(&arm), Some(now)), ("test/dev.bats", Some(&tests.0), Some(&tests.1))])
    };
    assert_eq!(of(&script("")), "");
    assert_eq!(of(&arm), "tampered no_deleted_tests");
}

#[test]
fn a_new_test_may_be_skipped_by_a_directive_of_the_platform() {
    let test = |more: &str| {
        format!(
            "import XCTest\n\nfinal class PathsTests: XCTestCase {{\n    func testCache() {{\n        XCTAssertEqual(cache(), \"a\")\n    }}\n{more}}}\n"
        )
    };
    let new = |skip: &str| {
        format!("\n    func testSupport() throws {{\n{skip}        XCTAssertEqual(support(), \"b\")\n    }}\n")
    };
    let of = |skip: &str| edited("Tests/PathsTests/PathsTests.swift", &test(""), &test(&new(skip)));
    assert_eq!(of("        #if !os(macOS)\n        throw XCTSkip(\"macOS only\")\n        #endif\n"), "");
    assert_eq!(of("        throw XCTSkip(\"later\")\n"), "warning no_new_skips");
}

#[test]
fn an_error_may_be_expected_where_its_text_is_compared() {
    let test = |body: &str| {
        format!(
            "import kotlin.test.Test\nimport kotlin.test.assertEquals\n\nclass CacheTest {{\n    @Test\n    fun rejects(){body}}}\n"
        )
    };
    let then = test(
        " {\n        val error = assertFailsWith<IllegalArgumentException> { Cache(0) }\n        assertEquals(\"limit\", error.message)\n    }\n",
    );
    let nested = |kind: &str| {
        test(&format!(" =\n        assertEquals(\"limit\", assertFailsWith<{kind}> {{ Cache(0) }}.message)\n"))
    };
    assert_eq!(edited("src/test/kotlin/CacheTest.kt", &then, &nested("IllegalArgumentException")), "");
    assert_ne!(edited("src/test/kotlin/CacheTest.kt", &then, &nested("Throwable")), "");
}
