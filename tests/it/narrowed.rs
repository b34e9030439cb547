//! Tests that compare less, no longer run, or write what they expect, each beside an honest form.

use crate::honest_tests::{edited, found};

fn go(body: &str) -> String {
    format!("package a\n\nimport \"testing\"\n\nfunc TestPrice(t *testing.T) {{\n{body}}}\n")
}

#[test]
fn a_comparison_may_leave_nothing_out_that_the_test_named() {
    let diff = |options: &str| {
        go(&format!(
            "\tgot := Price(cart)\n\twant := Order{{Total: 900}}\n\tif diff := cmp.Diff(want, got{options}); diff != \"\" {{\n\t\tt.Errorf(\"%s\", diff)\n\t}}\n"
        ))
    };
    let of = |options: &str| edited("price_test.go", &diff(""), &diff(options));
    assert_eq!(of(", cmpopts.IgnoreFields(Order{}, \"Total\")"), "tampered no_weakened_asserts");
    assert_eq!(of(", cmpopts.IgnoreFields(Order{}, \"ID\")"), "warning no_weakened_asserts");
    assert_eq!(of(", cmpopts.EquateEmpty()"), "");
    let frame = |options: &str| {
        format!("def test_totals():\n    result = totals(1)\n    pdt.assert_frame_equal(result, expected{options})\n")
    };
    let of = |now: &str| edited("tests/test_t.py", &frame(""), &frame(now));
    assert_ne!(of(", check_dtype=False"), "");
    assert_eq!(of(", check_exact=True"), "");
    let audit = |lines: &str| {
        format!("it('is accessible', async () => {{\n  const results = await audit(page);\n{lines}}});\n")
    };
    let all = audit("  expect(results.violations).toEqual([]);\n");
    let some = audit(
        "  const critical = results.violations.filter((v) => v.impact === 'critical');\n  expect(critical).toEqual([]);\n",
    );
    let named = audit("  const violations = results.violations;\n  expect(violations).toEqual([]);\n");
    assert_ne!(edited("e2e/a11y.spec.ts", &all, &some), "");
    assert_eq!(edited("e2e/a11y.spec.ts", &all, &named), "");
}

#[test]
fn a_type_is_less_than_a_value() {
    let js = |line: &str| {
        format!("it('survives', () => {{\n  const rows = make(1);\n  const parsed = parse(print(rows));\n{line}}});\n")
    };
    let of = |line: &str| edited("test/csv.test.ts", &js("  expect(parsed).toEqual(rows);\n"), &js(line));
    assert_ne!(of("  expect(Array.isArray(parsed)).toBe(true);\n"), "");
    assert_eq!(of("  expect(parsed).toStrictEqual(rows);\n"), "");
    assert_ne!(of("  expect().nothing();\n"), "", "jasmine's word for no assertion");
}

#[test]
fn an_argument_of_a_test_is_no_name_that_the_source_lost() {
    let source = |body: &str| format!("export function parse(text) {{\n{body}}}\n");
    let (long, short) = (source("  const rows = [];\n  return rows;\n"), source("  return text.split(',');\n"));
    let test = |line: &str| format!("it('survives', () => {{\n  forAll((rows) => {{\n{line}  }});\n}});\n");
    let then = test("    expect(parse(print(rows))).toEqual(rows);\n");
    let now = test("    expect(Array.isArray(parse(print(rows)))).toBe(true);\n");
    let edits =
        [("src/csv.js", Some(long.as_str()), Some(short.as_str())), ("test/csv.test.js", Some(&then), Some(&now))];
    assert_ne!(found(&edits), "");
}

#[test]
fn one_of_several_patterns_and_a_range_of_calls_allow_more() {
    let rust = |line: &str| format!("#[test]\nfn fails() {{\n    let err = parse(\"a\").unwrap_err();\n{line}}}\n");
    let pattern = |text: &str| rust(&format!("    assert!(matches!(err, {text}), \"got {{err:?}}\");\n"));
    let of = |text: &str| edited("tests/p.rs", &pattern("E::Eof { offset: 11 }"), &pattern(text));
    assert_ne!(of("E::Eof { .. } | E::Syntax(_)"), "");
    assert_eq!(of("E::Eof { offset: 12 }"), "");
    let mock = |times: &str| {
        rust(&format!("    Mock::given(method(\"GET\")){times}.mount(&server);\n    assert_eq!(err.code, 3);\n"))
    };
    let of = |times: &str| edited("tests/p.rs", &mock(".expect(3)"), &mock(times));
    assert_ne!(of(".expect(1..)"), "");
    assert_ne!(of(""), "");
    assert_eq!(of(".expect(4)"), "");
}

#[test]
fn a_module_of_tests_stays_declared() {
    let main = |more: &str| format!("mod common;\n{more}mod streams;\n");
    let tests = "use super::common;\n\n#[test]\nfn waits_longer() {\n    assert_eq!(common::wait(1), 50);\n}\n";
    let helper = "pub fn wait(n: u32) -> u32 {\n    n * 50\n}\n";
    let of = |file: &str| {
        found(&[
            ("tests/it/main.rs", Some(&main("mod reconnect;\n")), Some(&main(""))),
            ("tests/it/reconnect.rs", Some(file), Some(file)),
            ("tests/it/common.rs", Some(helper), Some(helper)),
        ])
    };
    assert_eq!(of(tests), "tampered no_deleted_tests");
    assert_eq!(of(helper), "", "it holds no test");
}

#[test]
fn rows_of_a_macro_are_tests() {
    let table = |rows: &str| {
        format!(
            "macro_rules! lex_tests {{\n    ($($name:ident: $text:expr => $want:expr),+ $(,)?) => {{\n        $(\n            #[test]\n            fn $name() {{\n                assert_eq!(lex($text), $want);\n            }}\n        )+\n    }};\n}}\n\nlex_tests! {{\n{rows}}}\n"
        )
    };
    let two = table("    integer: \"42\" => [Int(42)],\n    hex: \"0xff\" => [Int(255)],\n");
    let of = |rows: &str| edited("tests/lexer.rs", &two, &table(rows));
    assert_eq!(of("    integer: \"42\" => [Int(42)],\n"), "tampered no_deleted_tests");
    assert_eq!(of("    integer: \"42\" => [Int(42)],\n    hexadecimal: \"0xff\" => [Int(255)],\n"), "", "a name");
    assert_eq!(
        of("    integer: \"42\" => [Int(42)],\n    hex: \"0xff\" => [Int(255)],\n    sum: \"1\" => [Int(1)],\n"),
        ""
    );
}

#[test]
fn a_switch_that_writes_what_is_expected_stays_off() {
    let test = |value: &str| {
        format!(
            "package a\n\nvar update = flag.Bool(\"update\", {value}, \"rewrite golden files\")\n\nfunc TestGolden(t *testing.T) {{\n\tif got := render(); got != golden(t) {{\n\t\tt.Fatal(got)\n\t}}\n}}\n"
        )
    };
    assert_eq!(edited("a_test.go", &test("false"), &test("true")), "tampered no_weakened_asserts");
    assert_eq!(edited("a_test.go", &test("true"), &test("false")), "");
}

#[test]
fn what_finds_leaks_is_an_assertion() {
    let main = |line: &str| format!("package a\n\nfunc TestMain(m *testing.M) {{\n\t{line}\n}}\n");
    let of = |line: &str| edited("main_test.go", &main("goleak.VerifyTestMain(m)"), &main(line));
    assert_ne!(of("os.Exit(m.Run())"), "");
    assert_eq!(of("goleak.VerifyTestMain(m, goleak.IgnoreCurrent())"), "");
}

#[test]
fn a_function_that_asserts_may_be_given_to_the_runner() {
    let check =
        "func check(t *testing.T, s string) {\n\tif got := Twice(s); got != s+s {\n\t\tt.Fatal(got)\n\t}\n}\n\n";
    let fuzz = |line: &str| format!("func FuzzTwice(f *testing.F) {{\n\tf.Add(\"a\")\n\t{line}\n}}\n");
    let inline =
        "f.Fuzz(func(t *testing.T, s string) {\n\t\tif got := Twice(s); got != s+s {\n\t\t\tt.Fatal(got)\n\t\t}\n\t})";
    let then = format!("package a\n\n{}", fuzz(inline));
    assert_eq!(edited("a_test.go", &then, &format!("package a\n\n{check}{}", fuzz("f.Fuzz(check)"))), "");
    assert_ne!(edited("a_test.go", &then, &format!("package a\n\n{}", fuzz("f.Fuzz(other)"))), "");
}

#[test]
fn a_suite_may_be_dissolved_and_not_be_left_without_its_runner() {
    let runner = "func TestQueueSuite(t *testing.T) { suite.Run(t, new(QueueSuite)) }\n\n";
    let method = "func (s *QueueSuite) TestPops() {\n\ts.Equal(\"a\", s.q.Pop())\n\ts.Equal(\"b\", s.q.Pop())\n}\n";
    let plain = "func TestPops(t *testing.T) {\n\tq := New(2)\n\tassert.Equal(t, \"a\", q.Pop())\n\tassert.Equal(t, \"b\", q.Pop())\n}\n";
    let file = |text: &str| format!("package a\n\n{text}");
    let then = file(&format!("{runner}{method}"));
    assert_eq!(edited("q_test.go", &then, &file(plain)), "");
    assert_ne!(edited("q_test.go", &then, &file(method)), "", "nobody runs the method");
}

#[test]
fn a_removed_test_may_be_a_row_of_another_file() {
    let old = "<?php\n\nclass CustomerTest extends TestCase\n{\n    public function testName(): void\n    {\n        $this->assertSame('Ann', name(1));\n    }\n\n    public function testAddress(): void\n    {\n        $address = new Address('High St', 'SW1A', 'London');\n        $this->assertSame(\"High St, London\", $address->format());\n    }\n}\n";
    let now = "<?php\n\nclass CustomerTest extends TestCase\n{\n    public function testName(): void\n    {\n        $this->assertSame('Ann', name(1));\n    }\n}\n";
    let table = |row: &str| {
        format!(
            "<?php\n\nclass AddressTest extends TestCase\n{{\n    #[DataProvider('addresses')]\n    public function testFormat(Address $address, string $expected): void\n    {{\n        $this->assertSame($expected, $address->format());\n    }}\n\n    public static function addresses(): iterable\n    {{\n{row}    }}\n}}\n"
        )
    };
    let of = |row: &str| {
        found(&[("tests/CustomerTest.php", Some(old), Some(now)), ("tests/AddressTest.php", None, Some(&table(row)))])
    };
    assert_eq!(of("        yield 'UK' => [new Address('High St', 'SW1A', 'London'), \"High St, London\"];\n"), "");
    assert_ne!(of("        yield 'DE' => [new Address('Allee', '10115', 'Berlin'), \"Allee, Berlin\"];\n"), "");
}

#[test]
fn single_assertions_may_become_rows_of_a_loop() {
    let then = "class ConvertTest(unittest.TestCase):\n    def test_lengths(self):\n        self.assertEqual(convert(1, \"km\", \"m\"), 1000)\n        self.assertEqual(convert(1, \"in\", \"mm\"), 25.4)\n";
    let now = |rows: &str| {
        format!(
            "class ConvertTest(unittest.TestCase):\n    def test_lengths(self):\n        rows = [\n{rows}        ]\n        for amount, source, target, expected in rows:\n            with self.subTest(source=source):\n                self.assertEqual(convert(amount, source, target), expected)\n"
        )
    };
    let first = "            (1, \"km\", \"m\", 1000),\n";
    let of = |rows: &str| edited("tests/test_c.py", then, &now(rows));
    assert_eq!(of(&format!("{first}            (1, \"in\", \"mm\", 25.4),\n")), "");
    assert_ne!(of(first), "", "one row is missing");
}

#[test]
fn a_test_of_a_state_machine_is_a_test() {
    let machine = "class BufferMachine(RuleBasedStateMachine):\n    @invariant()\n    def same(self):\n        assert list(self.buffer) == self.model\n\n\n";
    let case = "TestBuffer = BufferMachine.TestCase\n";
    let other = "\n\ndef test_empty():\n    assert len(Buffer(1)) == 0\n";
    let of =
        |now: &str| edited("tests/test_b.py", &format!("{machine}{case}{other}"), &format!("{machine}{now}{other}"));
    assert_eq!(of(case), "");
    assert_ne!(of(""), "");
}

#[test]
fn a_condition_may_be_wider_or_have_another_form() {
    let rust = |of: &str| {
        format!(
            "#[cfg({of})]\nmod tests {{\n    #[test]\n    fn adds() {{\n        assert_eq!(mode(1), 3);\n    }}\n}}\n"
        )
    };
    let linux = rust("all(test, target_os = \"linux\")");
    assert_eq!(edited("src/perm.rs", &linux, &rust("all(test, unix)")), "");
    assert_ne!(edited("src/perm.rs", &rust("all(test, unix)"), &linux), "");
    let suite = |head: &str| {
        format!(
            "const ready = () => probe(1);\n{head}('runs', () => {{\n  it('prints', () => {{\n    expect(run(1)).toBe(3);\n  }});\n}});\n"
        )
    };
    let by_name = suite("const describeReady = ready() ? describe : describe.skip;\n\ndescribeReady");
    assert_eq!(edited("test/r.test.ts", &by_name, &suite("describe.skipIf(!ready())")), "");
    assert_ne!(edited("test/r.test.ts", &by_name, &suite("describe.skipIf(ready())")), "");
}

#[test]
fn a_count_of_assertions_may_go_with_the_branch_that_caught_an_error() {
    let test = |lines: &str| format!("it('throws', async () => {{\n{lines}}});\n");
    let then = test(
        "  expect.assertions(2);\n  try {\n    await get('/me');\n  } catch (err) {\n    expect(err).toBeInstanceOf(ApiError);\n    expect(err.status).toBe(500);\n  }\n",
    );
    let now = test(
        "  await expect(get('/me')).rejects.toBeInstanceOf(ApiError);\n  await expect(get('/me')).rejects.toMatchObject({ status: 500 });\n",
    );
    let silent = then.replace("  expect.assertions(2);\n", "");
    assert_eq!(edited("test/c.test.js", &then, &now), "");
    assert_ne!(edited("test/c.test.js", &then, &silent), "");
}

#[test]
fn a_helper_that_only_collects_or_logs_asserts_nothing() {
    let helper = |body: &str| format!("def assert_matches(invoice, net, vat):\n{body}");
    let then = helper("    assert invoice.net == net\n    assert invoice.vat == vat\n");
    let now = helper(
        "    found = []\n    if invoice.net != net:\n        found.append(net)\n    for one in found:\n        log.warning(one)\n    return not found\n",
    );
    assert_ne!(edited("tests/helpers.py", &then, &now), "");
}

#[test]
fn shared_examples_may_have_a_parameter_and_old_syntax_may_be_new() {
    let own = "  describe \"tagging\" do\n    let(:article) { create(:article) }\n\n    it \"splits\" do\n      expect(article.tags).to eq(%w[a b])\n    end\n  end\n";
    let spec = |body: &str| format!("RSpec.describe Article do\n{body}end\n");
    let shared = "RSpec.shared_examples \"a taggable model\" do |factory|\n  let(:record) { create(factory) }\n\n  it \"splits\" do\n    expect(record.tags).to eq(%w[a b])\n  end\nend\n";
    let of = |now: &str| {
        let (then, now) = (spec(own), spec(now));
        found(&[("spec/article_spec.rb", Some(&then), Some(&now)), ("spec/support/taggable.rb", None, Some(shared))])
    };
    assert_eq!(of("  it_behaves_like \"a taggable model\", :article\n"), "");
    assert_ne!(of("  it \"exists\" do\n    expect(build(:article)).to eq(1)\n  end\n"), "");
    let test = |line: &str| format!("describe Point do\n  it \"measures\" do\n    {line}\n  end\nend\n");
    let should = test("point.distance_to(other).should be_within(700).of(878_000)");
    let expect = |delta: &str| test(&format!("expect(point.distance_to(other)).to be_within({delta}).of(878_000)"));
    assert_eq!(edited("spec/point_spec.rb", &should, &expect("700")), "");
    assert_ne!(edited("spec/point_spec.rb", &should, &expect("70000")), "");
}

#[test]
fn a_filter_in_the_program_of_tests_leaves_the_others_out() {
    let main = |line: &str| {
        format!(
            "#include <gtest/gtest.h>\n\nint main(int argc, char** argv) {{\n  ::testing::InitGoogleTest(&argc, argv);\n{line}  return RUN_ALL_TESTS();\n}}\n"
        )
    };
    let of = |line: &str| edited("tests/test_main.cc", &main(""), &main(line));
    assert_ne!(of("  ::testing::GTEST_FLAG(filter) = \"SchedulerTest.*\";\n"), "");
    assert_eq!(of("  ::testing::GTEST_FLAG(death_test_style) = \"threadsafe\";\n"), "");
    let helper = |line: &str| format!("Mox.defmock(A, for: B)\n{line}\n");
    let of = |line: &str| edited("test/test_helper.exs", &helper("ExUnit.start()"), &helper(line));
    assert_ne!(of("ExUnit.start(exclude: [:slow])"), "");
    assert_eq!(of("ExUnit.start(max_failures: 5)"), "");
}

#[test]
fn a_word_that_only_says_success_asserts_nothing() {
    let test = |lines: &str| format!("#include <gtest/gtest.h>\n\nTEST(Message, Decodes) {{\n{lines}}}\n");
    let then = test("  const auto decoded = Decode(Encode(3));\n  EXPECT_EQ(decoded->type(), 3);\n");
    assert_ne!(edited("message_test.cc", &then, &test("  SUCCEED();\n")), "");
}

#[test]
fn a_silent_end_may_become_a_skip_under_the_same_condition() {
    let then = "#include <gtest/gtest.h>\n\nTEST(Sum, Adds) {\n  if (DeviceCount() == 0) {\n    return;\n  }\n  EXPECT_EQ(Sum({1, 2}), 3);\n}\n";
    let now = |condition: &str| {
        format!(
            "#include <gtest/gtest.h>\n\nTEST(Sum, Adds) {{\n  if ({condition}) {{\n    GTEST_SKIP() << \"no device\";\n  }}\n  EXPECT_EQ(Sum({{1, 2}}), 3);\n}}\n"
        )
    };
    assert_eq!(edited("sum_test.cc", then, &now("DeviceCount() == 0")), "");
    assert_ne!(edited("sum_test.cc", then, &now("DeviceCount() < 8")), "");
}
