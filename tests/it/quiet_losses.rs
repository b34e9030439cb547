//! Losses that stand in no assertion: a file that is overwritten before it is compared, a result that is compared with itself, a tag that the
//! runner leaves out, a mock that may be called anyhow. Each stands beside an honest change.

use crate::honest_tests::{edited, found};

#[test]
fn a_golden_file_may_not_be_written_before_it_is_compared() {
    let go = |lines: &str| {
        format!(
            "package a\n\nimport \"testing\"\n\nfunc TestRender(t *testing.T) {{\n\tgolden := path(\"a\")\n{lines}\twant, err := os.ReadFile(golden)\n\tif err != nil {{\n\t\tt.Fatal(err)\n\t}}\n\tif !bytes.Equal(render(), want) {{\n\t\tt.Error(\"differs\")\n\t}}\n}}\n"
        )
    };
    let of = |lines: &str| edited("a_test.go", &go(""), &go(lines));
    let write = "if err := os.WriteFile(golden, render(), 0o644); err != nil {\n\t\tt.Fatal(err)\n\t}\n";
    assert_eq!(of(&format!("\t{write}")), "tampered no_weakened_asserts");
    assert_eq!(of(&format!("\tif *update {{\n\t\t{write}\t}}\n")), "");
}

#[test]
fn a_result_may_not_be_compared_with_itself() {
    let java = |value: &str| {
        format!(
            "class LabelTest {{\n    @Test\n    void renders() {{\n        String expected = {value};\n        assertEquals(expected, label.render());\n    }}\n}}\n"
        )
    };
    let then = java("\"^XA^XZ\"");
    assert_eq!(edited("src/test/java/LabelTest.java", &then, &java("label.render()")), "tampered no_weakened_asserts");
    assert_eq!(edited("src/test/java/LabelTest.java", &then, &java("\"^XA^FS^XZ\"")), "");
    let swift = |value: &str| {
        format!(
            "final class EncoderTests: XCTestCase {{\n    func testDigits() {{\n        XCTAssertEqual(encoder.encode(\"73\"), {value})\n    }}\n}}\n"
        )
    };
    let of = |value: &str| edited("Tests/EncoderTests.swift", &swift("\"--... ...--\""), &swift(value));
    assert_eq!(of("Encoder().encode(\"73\")"), "tampered no_weakened_asserts");
    let python = |lines: &str| format!("def test_digit():\n{lines}");
    let then = python("    assert check(\"40\") == \"1\"\n");
    let now = python("    digits = \"40\"\n    expected = check(digits)\n    assert check(digits) == expected\n");
    assert_ne!(edited("tests/test_digit.py", &then, &now), "");
}

#[test]
fn a_tag_that_the_runner_leaves_out_is_a_skip() {
    let helper = "RSpec.configure do |config|\n  config.filter_run_excluding :nightly unless ENV['NIGHTLY']\nend\n";
    let spec = |tag: &str| {
        format!(
            "RSpec.describe Chord do\n  it \"moves up\"{tag} do\n    expect(shift('C', 2)).to eq('D')\n  end\nend\n"
        )
    };
    let of = |tag: &str| {
        found(&[
            ("spec/spec_helper.rb", Some(helper), Some(helper)),
            ("spec/chord_spec.rb", Some(&spec("")), Some(&spec(tag))),
        ])
    };
    assert_eq!(of(", :nightly"), "tampered no_new_skips");
    assert_eq!(of(", :fast"), "", "the runner knows no such tag");
    let test = |mark: &str| {
        format!(
            "<?php\n\nfinal class MoonTest extends TestCase\n{{\n{mark}    public function testNext(): void\n    {{\n        self::assertSame('a', next());\n    }}\n}}\n"
        )
    };
    let xml =
        "<phpunit>\n  <groups>\n    <exclude>\n      <group>legacy</group>\n    </exclude>\n  </groups>\n</phpunit>\n";
    let of = |group: &str| {
        let now = test(&format!("    #[Group('{group}')]\n"));
        found(&[("phpunit.xml", Some(xml), Some(xml)), ("tests/MoonTest.php", Some(&test("")), Some(&now))])
    };
    assert_eq!(of("legacy"), "tampered no_new_skips");
    assert_eq!(of("slow"), "");
    // One mark of the module in place of one of each test.
    let helper = "ExUnit.start(exclude: [:elastic])\n";
    let tests = |module: &str, own: &str| {
        format!(
            "defmodule IndexTest do\n  use ExUnit.Case\n{module}\n{own}  test \"puts\" do\n    assert put(1) == 1\n  end\nend\n"
        )
    };
    let of = |then: &str, now: &str| {
        found(&[("test/test_helper.exs", Some(helper), Some(helper)), ("test/index_test.exs", Some(then), Some(now))])
    };
    assert_eq!(of(&tests("", "  @tag :elastic\n"), &tests("  @moduletag :elastic\n", "")), "");
    assert_eq!(of(&tests("", ""), &tests("", "  @tag :elastic\n")), "tampered no_new_skips");
}

#[test]
fn an_assertion_about_the_object_only_stands_for_none_about_its_answer() {
    let spec = |lines: &str| {
        format!(
            "RSpec.describe Board do\n  it \"forbids castling\" do\n    board.move('h1', 'h2')\n    {lines}\n  end\nend\n"
        )
    };
    let then = spec("expect(board.moves('e1')).not_to include('g1')");
    let of = |line: &str| edited("spec/board_spec.rb", &then, &spec(line));
    assert_ne!(of("expect(board).to be_truthy"), "");
    assert_eq!(of("expect(board.moves('e1')).not_to include('g1', 'c1')"), "");
}

#[test]
fn a_mock_that_may_be_called_anyhow_asks_for_nothing() {
    let test = |chain: &str| {
        format!(
            "<?php\n\nfinal class RenewerTest extends MockeryTestCase\n{{\n    public function testCharges(): void\n    {{\n        $gateway = Mockery::mock(Gateway::class);\n        $gateway->shouldReceive('charge'){chain};\n        (new Renewer($gateway))->renew();\n    }}\n}}\n"
        )
    };
    let then = test("->once()->with('cus_1', 990)");
    let of = |chain: &str| edited("tests/RenewerTest.php", &then, &test(chain));
    assert_ne!(of("->withAnyArgs()"), "");
    assert_ne!(of("->zeroOrMoreTimes()"), "");
    assert_eq!(of("->once()->with('cus_1', 980)"), "");
}

#[test]
fn an_assertion_may_not_move_to_where_something_was_caught() {
    let test = |lines: &str| format!("it('refuses', async () => {{\n{lines}}});\n");
    let then = test(
        "  let error;\n  try {\n    await write(11);\n  } catch (e) {\n    error = e;\n  }\n  expect(error.message).to.equal('quota exceeded');\n",
    );
    let of = |lines: &str| edited("test/quota.test.js", &then, &test(lines));
    let caught = "  } catch (e) {\n    expect(e.message).to.equal('quota exceeded');\n  }\n";
    assert_ne!(of(&format!("  try {{\n    await write(11);\n{caught}")), "");
    assert_eq!(of(&format!("  try {{\n    await write(11);\n    expect.fail('passed');\n{caught}")), "");
}

#[test]
fn a_hook_of_a_base_class_skips_the_tests_of_others() {
    let class = |lines: &str| {
        format!(
            "<?php\n\nabstract class DatabaseTestCase extends TestCase\n{{\n    protected function setUp(): void\n    {{\n        parent::setUp();\n{lines}    }}\n}}\n"
        )
    };
    let of = |lines: &str| edited("tests/DatabaseTestCase.php", &class(""), &class(lines));
    assert_ne!(of("        $this->markTestSkipped('unstable');\n"), "");
    assert_eq!(of("        $this->connection = connect();\n"), "");
}

#[test]
fn cases_that_a_chain_or_a_group_no_longer_runs_are_lost() {
    let java = |link: &str| {
        format!(
            "class QuoteTest {{\n    @TestFactory\n    Stream<DynamicTest> quotes() {{\n        return cases()\n{link}                .map(c -> dynamicTest(c.name(), () -> assertEquals(c.out(), quote(c.in()))));\n    }}\n}}\n"
        )
    };
    let of = |link: &str| edited("src/test/java/QuoteTest.java", &java(""), &java(link));
    assert_eq!(of("                .filter(c -> c.name().equals(\"plain\"))\n"), "tampered no_weakened_asserts");
    let groups = |list: &str| {
        format!(
            "const stores = [{list}];\n\ndescribe.each(stores)('%s', (name) => {{\n  it('gets', () => {{\n    expect(open(name).get('k')).toBe(1);\n  }});\n}});\n"
        )
    };
    let of = |list: &str| edited("test/stores.test.js", &groups("'memory', 'file'"), &groups(list));
    assert_eq!(of("'memory'"), "tampered no_deleted_tests");
    assert_eq!(of("'memory', 'file', 'net'"), "");
    let tests = |list: &str| {
        format!(
            "defmodule DurationTest do\n  use ExUnit.Case\n\n  @invalid [{list}]\n\n  for text <- @invalid do\n    test \"refuses #{{text}}\" do\n      assert parse(unquote(text)) == :error\n    end\n  end\nend\n"
        )
    };
    let of = |list: &str| edited("test/duration_test.exs", &tests("\"\", \"P\""), &tests(list));
    assert_eq!(of("\"\""), "tampered no_deleted_tests");
}

#[test]
fn a_tolerance_that_a_function_is_given_allows_more() {
    let test =
        |tolerance: &str| format!("#[test]\nfn far() {{\n    assert!(close(distance(1), 343.56, {tolerance}));\n}}\n");
    let of = |tolerance: &str| edited("tests/far.rs", &test("0.05"), &test(tolerance));
    assert_eq!(of("50.0"), "tampered no_weakened_asserts");
    assert_eq!(of("0.06"), "");
}
