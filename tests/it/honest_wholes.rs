//! Facts that a whole value states, and tests that move to a table, a hook, a template or another form, each beside a loss.

use crate::honest_tests::{edited, found};

/// A test of Elixir.
fn elixir(lines: &str) -> String {
    format!("defmodule WrapTest do\n  use ExUnit.Case\n\n  test \"wraps\" do\n{lines}  end\nend\n")
}

/// A test of Go.
fn go(lines: &str) -> String {
    format!("package a\n\nimport \"testing\"\n\nfunc TestParse(t *testing.T) {{\n{lines}}}\n")
}

#[test]
fn a_list_that_is_written_out_states_what_was_asked_of_it() {
    let then = elixir(
        "    lines = Wrap.lines(\"a b\", 1)\n    assert length(lines) == 2\n    assert hd(lines) == \"a\"\n    assert Enum.at(lines, 1) == \"b\"\n    assert Enum.all?(lines, &(String.length(&1) <= 1))\n    refute \"\" in lines\n",
    );
    let of = |line: &str| edited("test/wrap_test.exs", &then, &elixir(line));
    assert_eq!(of("    assert Wrap.lines(\"a b\", 1) == [\"a\", \"b\"]\n"), "");
    assert_ne!(of("    assert Wrap.lines(\"a b\", 1) == [\"a\", \"c\"]\n"), "", "another element");
    assert_ne!(of("    assert Wrap.lines(\"a c\", 1) == [\"a\", \"b\"]\n"), "", "of another call");
    let then = elixir("    assert Wrap.parse(\"x\") == {:error, {:unknown, \"x\"}}\n");
    let of = |pattern: &str| {
        edited("test/wrap_test.exs", &then, &elixir(&format!("    assert {pattern} = Wrap.parse(\"x\")\n")))
    };
    assert_eq!(of("{:error, {:unknown, \"x\"}}"), "");
    assert_ne!(of("{:error, _}"), "");
}

#[test]
fn a_record_that_is_written_out_states_its_fields() {
    let then = go("\ta := Parse(\"x\")\n\tassert.Equal(t, \"x\", a.Name)\n\tassert.Empty(t, a.OS)\n");
    let of = |lines: &str| edited("a_test.go", &then, &go(lines));
    assert_eq!(of("\tassert.Equal(t, Agent{Name: \"x\"}, Parse(\"x\"))\n"), "");
    assert_ne!(of("\tassert.NotNil(t, Parse(\"x\"))\n"), "");
    let then = go(
        "\tgot := Parse(\"x\")\n\tif got.Name != \"x\" {\n\t\tt.Error(got.Name)\n\t}\n\tif got.TTL != 3600 {\n\t\tt.Error(got.TTL)\n\t}\n",
    );
    let of = |want: &str| {
        let lines = format!(
            "\tgot := Parse(\"x\")\n\twant := {want}\n\tif diff := cmp.Diff(want, got); diff != \"\" {{\n\t\tt.Error(diff)\n\t}}\n"
        );
        edited("a_test.go", &then, &go(&lines))
    };
    assert_eq!(of("MX{Name: \"x\", TTL: 3600}"), "");
    assert_ne!(of("wanted()"), "", "what it is compared with is not said");
    let python = |lines: &str| format!("def test_dashes():\n{lines}");
    let then = python(
        "    hit = parse('::1 -')\n    assert isinstance(hit, Hit)\n    assert hit.host == \"::1\"\n    assert hit.size == 0\n",
    );
    let of = |value: &str| {
        edited(
            "tests/test_parse.py",
            &then,
            &python(&format!("    line = '::1 -'\n    assert parse(line) == {value}\n")),
        )
    };
    assert_eq!(of("Hit(host=\"::1\", size=0)"), "");
    assert_ne!(of("parse(line)"), "", "with itself");
    let test = |base: &str, lines: &str| {
        format!("describe('remote', () => {{\n  const base = {base};\n  it('parses', () => {{\n{lines}  }});\n}});\n")
    };
    let base = "{ host: 'a.b', owner: 'c' }";
    let then = test(
        base,
        "    const r = parse('x');\n    expect(r.host).toBe('a.b');\n    expect(r.owner).toBe('c');\n    expect(r.ssh).toBe(true);\n",
    );
    let of = |matcher: &str| {
        let line = format!("    expect(parse('x')).{matcher}({{ ...base, ssh: true }});\n");
        edited("test/r.test.js", &then, &test(base, &line))
    };
    assert_eq!(of("toStrictEqual"), "");
    assert_ne!(of("not.toEqual"), "");
}

#[test]
fn a_table_takes_the_tests_that_ask_the_same_of_it() {
    let single = |name: &str, lines: &str| format!("func {name}(t *testing.T) {{\n{lines}}}\n\n");
    let good = |input: &str| {
        format!(
            "\td, err := Parse(\"{input}\")\n\tif err != nil {{\n\t\tt.Fatal(err)\n\t}}\n\tif d != 1 {{\n\t\tt.Error(d)\n\t}}\n"
        )
    };
    let bad =
        |input: &str| format!("\tif _, err := Parse(\"{input}\"); err == nil {{\n\t\tt.Error(\"accepted\")\n\t}}\n");
    let head = "package a\n\nimport \"testing\"\n\n";
    let then = format!(
        "{head}{}{}{}{}",
        single("TestParseSeconds", &good("1s")),
        single("TestParseDays", &good("1d")),
        single("TestParseRejectsEmpty", &bad("")),
        single("TestParseRejectsGarbage", &bad("x y"))
    );
    let table = "func TestParse(t *testing.T) {\n\tfor _, tt := range []struct{ in string; want int }{\n\t\t{\"1s\", 1},\n\t\t{\"1d\", 1},\n\t\t{\"2d\", 2},\n\t\t{\"3d\", 3},\n\t} {\n\t\tt.Run(tt.in, func(t *testing.T) {\n\t\t\tgot, err := Parse(tt.in)\n\t\t\tif err != nil {\n\t\t\t\tt.Fatal(err)\n\t\t\t}\n\t\t\tif got != tt.want {\n\t\t\t\tt.Error(got)\n\t\t\t}\n\t\t})\n\t}\n}\n\n";
    let rejects = "func TestParseRejects(t *testing.T) {\n\tfor _, in := range []string{\"\", \"x y\"} {\n\t\tif _, err := Parse(in); err == nil {\n\t\t\tt.Error(in)\n\t\t}\n\t}\n}\n";
    assert_eq!(edited("a_test.go", &then, &format!("{head}{table}{rejects}")), "");
    assert_eq!(
        edited("a_test.go", &then, &format!("{head}{table}")),
        "tampered no_deleted_tests",
        "no row is an error"
    );
}

#[test]
fn a_row_may_be_one_text_and_what_all_rows_share_stands_in_the_test() {
    let single = |name: &str, line: &str| format!("    @Test\n    fun `{name}`() {{\n        {line}\n    }}\n\n");
    let class = |body: &str| format!("class LeapTest {{\n{body}}}\n");
    let then = class(&format!(
        "{}{}",
        single("february of 2024", "assertEquals(29, daysIn(2024, 2))"),
        single("february of 2023", "assertEquals(28, daysIn(2023, 2))")
    ));
    let table = |rows: &str| {
        class(&format!(
            "    @ParameterizedTest\n    @CsvSource({rows})\n    fun `days of february`(year: Int, days: Int) {{\n        assertEquals(days, daysIn(year, 2))\n    }}\n"
        ))
    };
    let of = |rows: &str| edited("src/test/kotlin/LeapTest.kt", &then, &table(rows));
    assert_eq!(of("\"2024, 29\", \"2023, 28\", \"1900, 28\""), "");
    assert_eq!(of("\"2024, 29\""), "tampered no_deleted_tests");
}

#[test]
fn a_list_of_cases_may_be_given_to_a_function_that_loops() {
    let looped = "    for value <- [0, 1, -1] do\n      assert Codec.decode(Codec.encode(value)) == value\n    end\n";
    let then = elixir(looped);
    let helper = "\n  defp round_trip(values) do\n    for value <- values do\n      assert Codec.decode(Codec.encode(value)) == value\n    end\n  end\nend\n";
    let of = |list: &str| {
        let now = elixir(&format!("    round_trip({list})\n"));
        edited("test/codec_test.exs", &then, &format!("{}{helper}", now.strip_suffix("end\n").unwrap()))
    };
    assert_eq!(of("[0, 1, -1]"), "");
    assert_eq!(of("[0]"), "tampered no_deleted_tests");
}

#[test]
fn a_check_may_move_to_a_hook_that_runs_after_each_test() {
    let cpp = |hook: &str, check: &str| {
        format!(
            "class ArenaTest : public ::testing::Test {{\n protected:\n{hook}  Arena arena_{{1024}};\n}};\n\nTEST_F(ArenaTest, Small) {{\n  arena_.Allocate(16);\n{check}}}\n"
        )
    };
    let check = "  EXPECT_EQ(arena_.corruptions(), 0);\n";
    let then = cpp("", check);
    let hook = |line: &str| format!("  void TearDown() override {{\n  {line}  }}\n");
    assert_eq!(edited("alloc/arena_test.cc", &then, &cpp(&hook(check), "")), "");
    assert_eq!(
        edited("alloc/arena_test.cc", &then, &cpp(&hook("  EXPECT_GE(arena_.used(), 0);\n"), "")),
        "tampered no_emptied_tests"
    );
    let ruby = |hook: &str, check: &str| {
        format!(
            "class AlarmTest < Minitest::Test\n{hook}  def test_starts\n    @siren.expect(:start, true)\n    @alarm.measure(81)\n{check}  end\nend\n"
        )
    };
    let then = ruby("", "    assert @siren.verify\n");
    assert_eq!(edited("test/alarm_test.rb", &then, &ruby("  def teardown\n    assert_mock @siren\n  end\n\n", "")), "");
    assert_ne!(edited("test/alarm_test.rb", &then, &ruby("", "")), "");
}

#[test]
fn tests_may_come_from_a_template_or_a_macro() {
    let tests = |of: &str| {
        format!(
            "  test \"a miss is nil\" do\n    assert {of}.get(:k) == nil\n  end\n\n  test \"a hit\" do\n    assert {of}.get(:h) == 1\n  end\n"
        )
    };
    let then = format!("defmodule EtsTest do\n  use ExUnit.Case\n\n{}end\n", tests("Ets"));
    let template = format!(
        "defmodule Contract do\n  use ExUnit.CaseTemplate\n\n  using opts do\n    quote do\n{}    end\n  end\nend\n",
        tests("@adapter")
    );
    let of = |line: &str| {
        let now = format!("defmodule EtsTest do\n  {line}\nend\n");
        found(&[("test/ets_test.exs", Some(&then), Some(&now)), ("test/support/contract.ex", None, Some(&template))])
    };
    assert_eq!(of("use Contract, adapter: Ets"), "");
    assert_eq!(of("alias Contract"), "tampered no_deleted_tests");
    let single = |name: &str, value: &str, bytes: &str| {
        format!(
            "#[test]\nfn {name}() {{\n    let mut buf = Vec::new();\n    write(&mut buf, {value});\n    assert_eq!(buf, {bytes});\n    assert_eq!(read(&buf), Ok({value}));\n}}\n\n"
        )
    };
    let then = format!("{}{}", single("zero", "0", "[0x00]"), single("one", "1", "[0x01]"));
    let of = |check: &str| {
        let rule = format!(
            "macro_rules! wire_test {{\n    ($name:ident, $value:expr, $bytes:expr) => {{\n        #[test]\n        fn $name() {{\n            let mut buf = Vec::new();\n            write(&mut buf, $value);\n            assert_eq!(buf, $bytes);\n            {check}\n        }}\n    }};\n}}\n\nwire_test!(zero, 0, [0x00]);\nwire_test!(one, 1, [0x01]);\n"
        );
        edited("tests/wire.rs", &then, &rule)
    };
    assert_eq!(of("assert_eq!(read(&buf), Ok($value));"), "");
    assert_ne!(of("let _ = read(&buf);"), "");
}

#[test]
fn a_suppression_may_become_a_narrower_one() {
    let ruby = |first: &str, head: &str, last: &str| {
        format!("{first}class Classifier\n  {head}\n    case char\n    when 'a' then :a\n    end\n  end\nend\n{last}")
    };
    let cops = "Metrics/MethodLength, Lint/DuplicateBranch";
    let then = ruby(&format!("# rubocop:disable {cops}\n"), "def kind(char)", &format!("# rubocop:enable {cops}\n"));
    let of = |head: &str| edited("lib/classifier.rb", &then, &ruby("", head, ""));
    assert_eq!(of("def kind(char) # rubocop:disable Metrics/MethodLength"), "");
    assert_ne!(of("def kind(char) # rubocop:disable Style/MultilineWhenThen"), "", "another rule");
    let below = |first: &str, line: &str| {
        let method = |name: &str| format!("  def {name}\n    {name}_of(char)\n  end\n");
        format!("class Classifier\n{first}{}{line}  def other\n    other_of(char)\n  end\nend\n", method("kind"))
    };
    let block = "  # rubocop:disable Metrics/AbcSize\n  def first\n    first_of(char)\n  end\n  # rubocop:enable Metrics/AbcSize\n";
    let without =
        block.replace("  # rubocop:disable Metrics/AbcSize\n", "").replace("  # rubocop:enable Metrics/AbcSize\n", "");
    let now = below(&without, "").replace("def other", "def other # rubocop:disable Metrics/AbcSize");
    assert_ne!(edited("lib/classifier.rb", &below(block, ""), &now), "", "other code than that of the block");
    // A block that holds nothing but new lines is on new code.
    let class = |body: &str| {
        format!(
            "public class ClientTests\n{{\n    [Fact]\n    public void Sends()\n    {{\n        Assert.Equal(1, new Client().Sent);\n    }}\n{body}}}\n"
        )
    };
    let then = class(
        "\n    [Fact]\n    public void Old()\n    {\n        client.Send(1);\n        Assert.Equal(2, client.Sent);\n    }\n",
    );
    let block = |line: &str| format!("#pragma warning disable CS0618\n{line}#pragma warning restore CS0618\n");
    let new = format!(
        "\n    [Fact]\n    public void New()\n    {{\n{}        Assert.Equal(3, client.Sent);\n    }}\n",
        block("        client.Ping(1);\n")
    );
    let path = "tests/ClientTests.cs";
    assert_eq!(edited(path, &class(""), &class(&new)), "warning no_disabled_lint");
    let old = then.replace("        client.Send(1);\n", &block("        client.Send(1);\n"));
    assert_eq!(edited(path, &then, &old), "warning no_disabled_lint");
}

#[test]
fn a_skip_may_be_written_in_another_form() {
    let java = |lines: &str| {
        format!(
            "class PublisherIT {{\n    private static final String BROKER = System.getenv(\"BROKER\");\n\n    @Test\n    void delivers() {{\n{lines}        assertEquals(1, publish(BROKER));\n    }}\n}}\n"
        )
    };
    let then = java("        if (BROKER == null) {\n            return;\n        }\n");
    let of = |line: &str| edited("src/test/java/PublisherIT.java", &then, &java(line));
    assert_eq!(of("        assumeTrue(BROKER != null, \"no broker\");\n"), "");
    assert_ne!(of("        assumeTrue(BROKER == null, \"no broker\");\n"), "", "the opposite");
    let node = |head: &str, skip: &str| {
        format!("{head}test('follows a link', {{ skip: {skip} }}, () => {{\n  assert.equal(walk(1), 2);\n}});\n")
    };
    let then = node("", "process.platform === 'win32'");
    let of = |value: &str| edited("test/walk.test.js", &then, &node(&format!("const off = {value};\n\n"), "off"));
    assert_eq!(of("process.platform === 'win32' && 'links need rights'"), "");
    assert_ne!(of("true && 'links need rights'"), "");
}

#[test]
fn a_double_may_keep_its_calls_as_texts() {
    let java = |lines: &str| {
        format!(
            "class RotationTest {{\n    @Test\n    void rotates() {{\n        rotation.run(\"wed\");\n{lines}    }}\n}}\n"
        )
    };
    let then = java(
        "        InOrder order = inOrder(remote);\n        order.verify(remote).upload(\"wed\");\n        order.verify(remote).delete(\"mon\");\n        order.verifyNoMoreInteractions();\n",
    );
    let of = |list: &str| {
        edited(
            "src/test/java/RotationTest.java",
            &then,
            &java(&format!("        assertEquals({list}, remote.calls);\n")),
        )
    };
    assert_eq!(of("List.of(\"upload wed\", \"delete mon\")"), "");
    assert_ne!(of("List.of(\"upload wed\")"), "");
}

#[test]
fn a_value_whose_member_is_read_has_to_be_there() {
    let python = |lines: &str| format!("def test_counts(crawler):\n    crawler.crawl()\n{lines}");
    let read = "    assert crawler.stats.get(\"count\") == 1\n";
    let then = python(&format!("    assert crawler.stats\n{read}"));
    assert_eq!(edited("tests/test_crawl.py", &then, &python(read)), "");
    assert_ne!(edited("tests/test_crawl.py", &then, &python("    assert crawler.stats\n")), "");
}

#[test]
fn a_function_of_the_project_may_give_the_expectation() {
    let then = "it('dedents', () => {\n  expect(dedent(['  a'])).to.deep.equal(['a']);\n});\n";
    let now = |rest: &str| {
        format!(
            "function expectDedent(lines) {{\n  return expect(dedent(lines));\n}}\n\nit('dedents', () => {{\n  expectDedent(['  a']){rest};\n}});\n"
        )
    };
    assert_eq!(edited("test/dedent.test.js", then, &now(".to.deep.equal(['a'])")), "");
    assert_ne!(edited("test/dedent.test.js", then, &now("")), "", "nothing is compared");
}
