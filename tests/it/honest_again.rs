//! Honest changes of tests in other words: retried assertions, duplicates, conditions and assertions in another form. Each stands beside
//! tampering that looks like it.

use crate::honest_tests::{edited, found};

const WEAK: &str = "warning no_weakened_asserts";

/// One test around a body, in JavaScript.
fn js(body: &str) -> String {
    format!(
        "test('fills the list', async () => {{\n  const list = render();\n  expect(list.kind).toBe('open');\n{body}}});\n"
    )
}

#[test]
fn an_assertion_that_is_tried_again_demands_the_same() {
    let with = |now: &str| edited("list.test.js", &js("  expect(list.size).toBe(3);\n"), &js(now));
    assert_eq!(with("  await waitFor(() => expect(list.size).toBe(3));\n"), "");
    assert_eq!(with("  await expect.poll(() => list.size).toBe(3);\n"), "");
    assert_eq!(with("  await expect(async () => {\n    expect(list.size).toBe(3);\n  }).toPass();\n"), "");
    assert_ne!(with("  await waitFor(() => expect(list.size).toBeDefined());\n"), "", "less is demanded");
    assert_ne!(with("  await waitFor(() => list);\n"), "", "nothing is demanded");
    let py = |body: &str| format!("def test_queue():\n    queue = start()\n    assert queue.name == 'a'\n    {body}\n");
    let with = |now: &str| edited("tests/test_queue.py", &py("assert queue.size == 3"), &py(now));
    assert_eq!(with("wait_until(lambda: queue.size == 3)"), "");
    assert_ne!(with("wait_until(lambda: queue.size)"), "");
}

#[test]
fn a_duplicate_of_a_test_may_go() {
    let test = |name: &str, value: &str| {
        format!(
            "def {name}():\n    out = slug('a,b', strict=True)\n    assert out == {value}\n    assert out.isascii()\n\n\n"
        )
    };
    let both = |other: &str| format!("{}{}", test("test_drops_commas", "'ab'"), other);
    let with = |other: &str| edited("tests/test_slug.py", &both(other), &both(""));
    assert_eq!(with(&test("test_commas_are_dropped", "'ab'")), "");
    assert!(with(&test("test_commas_are_dropped", "'a-b'")).contains("no_deleted_tests"), "it expects another value");
    let skipped = format!("@pytest.mark.skip\n{}", test("test_drops_commas", "'ab'"));
    let (then, now) = (both(&test("test_commas_are_dropped", "'ab'")), skipped);
    assert!(edited("tests/test_slug.py", &then, &now).contains("no_deleted_tests"), "the other one does not run");
}

#[test]
fn a_condition_in_other_words_is_the_same_skip() {
    let py = |condition: &str| {
        format!("@pytest.mark.skipif({condition}, reason='no')\ndef test_a():\n    assert slug('a') == 'a'\n")
    };
    let with = |then: &str, now: &str| edited("tests/test_slug.py", &py(then), &py(now));
    assert_eq!(with("sys.platform == 'win32'", "os.name == 'nt'"), "");
    assert_eq!(with("sys.version_info < (3, 8)", "sys.version_info < (3, 9)"), "");
    assert_ne!(with("sys.platform == 'win32'", "sys.platform != 'win32'"), "", "the opposite");
    assert_ne!(with("sys.platform == 'win32'", "sys.platform in ('win32', 'linux')"), "", "the usual platform");
    assert_ne!(with("sys.platform == 'win32'", "os.environ.get('CI')"), "", "something else");
}

#[test]
fn elements_measures_and_emptiness_have_several_forms() {
    let rb =
        |lines: &str| format!("class StockTest < Minitest::Test\n  def test_a\n    list = stock\n{lines}  end\nend\n");
    let with = |then: &str, now: &str| edited("test/stock_test.rb", &rb(then), &rb(now));
    assert_eq!(with("    assert_equal true, list.include?(\"tea\")\n", "    assert_includes list, \"tea\"\n"), "");
    assert_eq!(with("    assert_equal [], list\n", "    assert_empty list\n"), "");
    assert_ne!(with("    assert_equal true, list.include?(\"tea\")\n", "    refute_nil list\n"), "", "less");
    assert_ne!(with("    assert_equal [], list\n", "    refute_empty list\n"), "", "the opposite");
    let ex = |lines: &str| {
        format!("defmodule RolesTest do\n  use ExUnit.Case\n\n  test \"a\" do\n    roles = all()\n{lines}  end\nend\n")
    };
    let with = |then: &str, now: &str| edited("test/roles_test.exs", &ex(then), &ex(now));
    assert_eq!(with("    assert Enum.member?(roles, :a) == true\n", "    assert :a in roles\n"), "");
    assert_eq!(with("    assert Enum.member?(roles, :a) == false\n", "    refute :a in roles\n"), "");
    assert_eq!(with("    assert Enum.count(roles) == 2\n", "    assert length(roles) == 2\n"), "");
    assert_ne!(with("    assert Enum.count(roles) == 2\n", "    assert length(roles) > 0\n"), "");
}

#[test]
fn tests_that_became_the_table_of_a_fixture_are_not_removed() {
    let one = |name: &str, value: &str| {
        format!("TEST(SnakeTest, {name}) {{\n  EXPECT_EQ(snake(\"{value}\"), \"{value}\");\n}}\n\n")
    };
    let table = |values: &str| {
        format!(
            "class SnakeTest : public testing::TestWithParam<const char*> {{}};\n\nTEST_P(SnakeTest, Converts) {{\n  EXPECT_EQ(snake(GetParam()), GetParam());\n}}\n\nINSTANTIATE_TEST_SUITE_P(Words, SnakeTest, testing::Values({values}));\n"
        )
    };
    let then = ["Empty", "Word", "Two"].map(|name| one(name, name)).concat();
    let with = |values: &str| edited("test/snake_test.cc", &then, &table(values));
    assert_eq!(with("\"Empty\", \"Word\", \"Two\""), "");
    assert!(with("\"Empty\", \"Word\"").contains("no_deleted_tests"), "a row is missing");
}

#[test]
fn a_group_of_sections_goes_with_its_sections() {
    let section = |kind: &str, name: &str, value: &str| {
        format!("{kind}(\"{name}\") {{\n  REQUIRE(total({value}) == {value});\n}}\n")
    };
    let then =
        format!("TEST_CASE(\"adding\") {{\n{}{}}}\n", section("SECTION", "one", "1"), section("SECTION", "two", "2"));
    let now = format!("{}{}", section("TEST_CASE", "one", "1"), section("TEST_CASE", "two", "2"));
    assert_eq!(edited("test/total.cpp", &then, &now), "");
    let less = section("TEST_CASE", "one", "1");
    assert!(edited("test/total.cpp", &then, &less).contains("no_deleted_tests"), "a section is gone");
}

#[test]
fn a_chain_of_comparisons_compares_twice() {
    let py = |lines: &str| format!("def test_a():\n    a, b = pair()\n{lines}");
    let with = |then: &str, now: &str| edited("tests/test_pair.py", &py(then), &py(now));
    assert_eq!(with("    assert a == 1\n    assert b == 1\n", "    assert a == b == 1\n"), "");
    assert_ne!(with("    assert a == b == 1\n", "    assert a == b\n"), "", "one comparison is gone");
}

#[test]
fn an_assertion_of_another_library_is_the_same() {
    let junit = "class Tests {\n    @Test\n    fun a() {\n        assertFalse(\"z\" in tree())\n        assertNull(tree().find(\"z\"))\n    }\n}\n";
    let kotest = junit.replace("assertFalse(\"z\" in tree())", "(\"z\" in tree()).shouldBeFalse()");
    let kotest = kotest.replace("assertNull(tree().find(\"z\"))", "tree().find(\"z\").shouldBeNull()");
    assert_eq!(edited("src/test/kotlin/Tests.kt", junit, &kotest), "");
    let php = "<?php\nclass StackTest extends TestCase\n{\n    public function test_push(): void\n    {\n        $stack = stack('a');\n        $this->assertSame('b', $stack->pop());\n        $this->assertCount(1, $stack);\n    }\n}\n";
    let pest = |rest: &str| {
        format!(
            "<?php\ntest('push', function () {{\n    $stack = stack('a');\n    expect($stack->pop())->toBe('b'){rest};\n}});\n"
        )
    };
    assert_eq!(edited("tests/StackTest.php", php, &pest("\n        ->and($stack)->toHaveCount(1)")), "");
    assert_eq!(edited("tests/StackTest.php", php, &pest("")), WEAK, "one is gone");
}

#[test]
fn what_a_placeholder_opens_is_weaker() {
    let ex = |line: &str| {
        format!(
            "defmodule CartTest do\n  use ExUnit.Case\n\n  test \"a\" do\n    cart = new()\n    assert cart.size == 0\n    {line}\n  end\nend\n"
        )
    };
    let with = |then: &str, now: &str| edited("test/cart_test.exs", &ex(then), &ex(now));
    assert_eq!(with("assert {:error, :count} = add(cart)", "assert {:error, _} = add(cart)"), WEAK);
    assert_eq!(with("assert {:error, _} = add(cart)", "assert {:error, :count} = add(cart)"), "", "stricter");
    assert_eq!(with("assert {:error, :count} = add(cart)", "assert {:error, :limit} = add(cart)"), "", "another value");
    let rb = |line: &str| {
        format!(
            "describe Cart do\n  it 'a' do\n    cart = described_class.new\n    expect(cart.size).to eq(0)\n    {line}\n  end\nend\n"
        )
    };
    let with = |now: &str| {
        edited("spec/cart_spec.rb", &rb("expect { cart.add }.to raise_error(ArgumentError, 'count')"), &rb(now))
    };
    assert_eq!(with("expect { cart.add }.to raise_error(ArgumentError)"), WEAK);
    assert_eq!(with("expect { cart.add }.to raise_error(ArgumentError, /count/)"), "");
}

#[test]
fn one_field_does_not_stand_for_the_whole() {
    let kt = |line: &str| {
        format!("class Tests {{\n    @Test\n    fun a() {{\n        val dto = map(1)\n        {line}\n    }}\n}}\n")
    };
    let then = kt("assertEquals(Dto(id = \"1\", name = \"Ada\"), dto)");
    let with = |line: &str| edited("src/test/kotlin/Tests.kt", &then, &kt(line));
    assert_eq!(with("assertEquals(\"1\", dto.id)"), WEAK);
    assert_eq!(with("assertEquals(\"1\", dto.id)\n        assertEquals(\"Ada\", dto.name)"), "", "all of them do");
}

#[test]
fn a_helper_that_prints_instead_of_asserting_is_told() {
    let bats = |line: &str| {
        format!(
            "check_total() {{\n  local want=$1\n  {line}\n}}\n\n@test \"counts\" {{\n  rotate log\n  check_total 1\n}}\n"
        )
    };
    let then = bats("[ \"$(cat log)\" = \"$want\" ]");
    assert_ne!(edited("test/rotate.bats", &then, &bats("echo \"$want\"")), "");
    assert_eq!(edited("test/rotate.bats", &then, &bats("[ \"$want\" = \"$(cat log)\" ]")), "");
}

#[test]
fn a_test_that_the_environment_ends_or_builds_is_skipped() {
    let kt = |line: &str| {
        format!("class Tests {{\n    @Test\n    fun a() {{\n{line}        assertEquals(1, total())\n    }}\n}}\n")
    };
    let guard = kt("        if (System.getenv(\"CI\") != null) return\n");
    assert!(edited("src/test/kotlin/Tests.kt", &kt(""), &guard).contains("no_new_skips"));
    let bats = |line: &str| format!("@test \"rolls back\" {{\n{line}  run deploy\n  assert_failure\n}}\n");
    let guard = bats("  [ \"${RUN_SLOW:-0}\" = 1 ] || return 0\n");
    assert!(edited("test/deploy.bats", &bats(""), &guard).contains("no_new_skips"));
    let local = bats("  [ \"$n\" = 1 ] || return 0\n");
    assert!(!edited("test/deploy.bats", &bats(""), &local).contains("no_new_skips"), "no variable of the environment");
    let test = "TEST(Total, Adds) {\n  EXPECT_EQ(total(1), 1);\n}\n";
    let built = format!("#ifdef RUN_TOTALS\n{test}#endif\n");
    assert!(edited("test/total_test.cc", test, &built).contains("no_new_skips"));
    let guarded = format!("#ifndef TOTAL_TEST_H\n#define TOTAL_TEST_H\n{test}#endif\n");
    assert_eq!(edited("test/total_test.h", test, &guarded), "", "a guard against a second inclusion");
}

#[test]
fn a_test_that_is_opened_to_a_further_mode_may_be_skipped_there() {
    let test = |mark: &str| {
        format!(
            "import {{ isBundled }} from '~utils';\n\ntest{mark}('shows the image', async () => {{\n  expect(await image()).toBe('a.png');\n}});\n"
        )
    };
    let list = |entry: &str| format!("export default {{\n  include: [\n    './playground/hmr/**',\n{entry}  ],\n}};\n");
    let (path, config) = ("playground/assets/__tests__/assets.spec.ts", "vitest.config.bundled.ts");
    let utils = "export const isBundled = process.env.BUNDLED === '1';\n";
    let with = |mark: &str, entry: &str| {
        found(&[
            (path, Some(&test("")), Some(&test(mark))),
            (config, Some(&list("")), Some(&list(entry))),
            ("playground/utils.ts", Some(utils), Some(utils)),
        ])
    };
    let opened = "    './playground/assets/**',\n";
    assert_eq!(with(".skipIf(isBundled)", opened), "");
    assert!(with(".skipIf(isBundled)", "").contains("no_new_skips"), "the file is not opened");
    assert!(with(".skipIf(!isBundled)", opened).contains("no_new_skips"), "the modes in which it ran");
    assert!(with(".skip", opened).contains("no_new_skips"), "every mode");
}

#[test]
fn a_retry_of_the_project_has_to_fail_in_the_end() {
    let test =
        |body: &str| format!("def test_queue():\n    queue = start()\n    assert queue.name == 'a'\n    {body}\n");
    let then = test("assert queue.size == 3");
    let helper = |name: &str, end: &str| {
        format!(
            "def {name}(fn):\n    for _ in range(9):\n        if fn():\n            return\n        time.sleep(1)\n{end}"
        )
    };
    let with = |call: &str, before: Option<&str>, now: Option<&str>| {
        let test = test(&format!("{call}(lambda: queue.size == 3)"));
        found(&[("tests/test_queue.py", Some(&then), Some(&test)), ("tests/helpers/again.py", before, now)])
    };
    let good = helper("with_retry", "    raise AssertionError('never')\n");
    assert_eq!(with("with_retry", Some(&good), Some(&good)), "");
    let silent = helper("with_retry", "");
    assert_ne!(with("with_retry", Some(&silent), Some(&silent)), "", "it gives up without a failure");
    assert_ne!(with("with_retry", None, None), "", "nobody defines it");
    assert_eq!(with("wait_until", None, None), "", "a library may");
    assert_ne!(
        with("wait_until", None, Some(&helper("wait_until", ""))),
        "",
        "the change defines one that never fails"
    );
}

#[test]
fn a_value_may_be_taken_again_and_again() {
    let test = |body: &str| {
        format!(
            "test('shows the text', async () => {{\n  const page = await open();\n  expect(page.kind).toBe('open');\n{body}}});\n"
        )
    };
    let then = test("  const text = await page.textContent('.title');\n  expect(text).toBe('a');\n");
    let with = |now: &str| edited("page.test.js", &then, &test(now));
    assert_eq!(with("  await expect.poll(() => page.textContent('.title')).toBe('a');\n"), "");
    assert_eq!(with("  await expect\n    .poll(() => page.textContent('.title'))\n    .toBe('a');\n"), "");
    assert_ne!(with("  await expect.poll(() => page.textContent('.other')).toBeTruthy();\n"), "", "of something else");
    let py = |body: &str| format!("def test_queue():\n    queue = start()\n    assert queue.name == 'a'\n{body}");
    let then = py("    assert queue.size == 3\n");
    let with = |now: &str| edited("tests/test_queue.py", &then, &py(now));
    let again = "    for _ in range(50):\n        if queue.size == 3:\n            break\n        time.sleep(0.1)\n";
    assert_eq!(with(&format!("{again}    else:\n        pytest.fail('queue.size is never 3')\n")), "");
    assert_ne!(with(again), "", "it gives up without a failure");
}

#[test]
fn a_condition_may_get_a_name() {
    let test = |condition: &str| {
        format!("@pytest.mark.skipif({condition}, reason='no')\ndef test_a():\n    assert slug('a') == 'a'\n")
    };
    let then = test("platform.system() == 'Windows'");
    let with = |condition: &str, before: Option<&str>, now: Option<&str>| {
        found(&[("tests/test_slug.py", Some(&then), Some(&test(condition))), ("app/compat.py", before, now)])
    };
    let same = "WIN = platform.system() == \"Windows\"\n";
    assert_eq!(with("WIN", None, Some(same)), "");
    assert_eq!(with("WIN", Some(same), Some(same)), "", "it was there before");
    assert_eq!(with("not POSIX", None, Some("POSIX = platform.system() != 'Windows'\n")), "");
    for value in
        ["WIN = True\n", "WIN = platform.system() == 'Linux'\n", "WIN = platform.system() == 'Windows' or CI\n"]
    {
        assert_ne!(with("WIN", None, Some(value)), "", "{value}");
    }
    assert_ne!(with("not WIN", None, Some(same)), "", "the opposite");
    assert_ne!(with("WIN", None, None), "", "nothing defines it");
    let then = test("locale.getencoding() != 'UTF-8'");
    let with = |path: &str, function: &str| {
        found(&[
            ("tests/test_slug.py", Some(&then), Some(&test("locale_encoding() != 'UTF-8'"))),
            (path, None, Some(function)),
        ])
    };
    let function = "def locale_encoding():\n    if NEW:\n        return locale.getencoding()\n    return 'ascii'\n";
    assert_eq!(with("app/compat.py", function), "");
    assert_ne!(with("tests/helpers/compat.py", function), "", "the tests define it");
    assert_ne!(with("app/compat.py", "def locale_encoding():\n    return 'ascii'\n"), "", "it asks for something else");
}
