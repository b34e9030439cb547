//! Mocks that became doubles of the project, errors that are expected in another way, and names for tests and values, each beside a loss.

use crate::honest_tests::{edited, found};

#[test]
fn a_list_of_calls_states_what_a_mock_was_asked() {
    let java = |lines: &str| {
        format!(
            "class ReminderTest {{\n    @Test\n    void remindsTheOverdue() {{\n        service.remind(List.of(overdue), TODAY);\n{lines}    }}\n}}\n"
        )
    };
    let then = java("        verify(mailer).send(\"ann@a.b\", \"Due\");\n        verifyNoMoreInteractions(mailer);\n");
    let of = |lines: &str| edited("src/test/java/ReminderTest.java", &then, &java(lines));
    assert_eq!(of("        assertEquals(List.of(new Sent(\"ann@a.b\", \"Due\")), mailer.sent());\n"), "");
    assert_ne!(of("        assertEquals(new Sent(\"ann@a.b\", \"Due\"), mailer.last());\n"), "", "others may be sent");
    assert_ne!(of("        verify(mailer).send(\"ann@a.b\", \"Due\");\n"), "", "others may be sent");
    let ruby = |lines: &str| format!("RSpec.describe Checkout do\n  it 'charges' do\n{lines}  end\nend\n");
    let then = ruby(
        "    expect(gateway).to receive(:charge).with(2500, 'EUR').once.and_return(:ok)\n    expect(checkout.call(order)).to eq(:paid)\n",
    );
    let of = |lines: &str| {
        let lines = format!("    expect(checkout.call(order)).to eq(:paid)\n{lines}");
        edited("spec/checkout_spec.rb", &then, &ruby(&lines))
    };
    assert_eq!(of("    expect(gateway.charges).to eq([[2500, 'EUR']])\n"), "");
    assert_ne!(of("    expect(gateway.charges.size).to eq(1)\n"), "");
}

#[test]
fn an_error_may_be_expected_in_one_call() {
    let elixir = |lines: &str| {
        format!("defmodule MatrixTest do\n  use ExUnit.Case\n\n  test \"refuses sizes\" do\n{lines}  end\nend\n")
    };
    let then = elixir(
        "    try do\n      Matrix.multiply([[1]], [[1, 2]])\n      flunk(\"expected an error\")\n    rescue\n      e in ArgumentError -> assert e.message == \"cannot multiply\"\n    end\n",
    );
    let of = |lines: &str| edited("test/matrix_test.exs", &then, &elixir(lines));
    let call = "fn -> Matrix.multiply([[1]], [[1, 2]]) end";
    assert_eq!(of(&format!("    assert_raise ArgumentError, \"cannot multiply\", {call}\n")), "");
    assert_ne!(
        of(
            "    try do\n      Matrix.multiply([[1]], [[1, 2]])\n    rescue\n      e in ArgumentError -> assert e.message == \"cannot multiply\"\n    end\n"
        ),
        "",
        "no error passes"
    );
    let unit = "<?php\n\nclass TemperatureTest extends TestCase\n{\n    public function test_absolute_zero_is_the_limit(): void\n    {\n        $this->expectException(InvalidArgumentException::class);\n        $this->expectExceptionMessage('below zero');\n        Temperature::celsius(-274);\n    }\n}\n";
    let of = |expected: &str| {
        let pest = format!(
            "<?php\n\ntest('absolute zero is the limit', function () {{\n    expect(fn () => Temperature::celsius(-274))->toThrow({expected});\n}});\n"
        );
        edited("tests/Unit/TemperatureTest.php", unit, &pest)
    };
    assert_eq!(of("InvalidArgumentException::class, 'below zero'"), "");
    assert_ne!(of("Exception::class"), "");
}

#[test]
fn a_failure_that_a_callback_was_given_may_be_thrown() {
    let swift = |head: &str, lines: &str| {
        format!("final class LoaderTests: XCTestCase {{\n    func testLoads() {head}{{\n{lines}    }}\n}}\n")
    };
    let then = swift(
        "",
        "        let done = expectation(description: \"loaded\")\n        loader.load(id: 1) { result in\n            switch result {\n            case .success(let profile):\n                XCTAssertEqual(profile.name, \"Ann\")\n            case .failure(let error):\n                XCTFail(\"unexpected: \\(error)\")\n            }\n            done.fulfill()\n        }\n        wait(for: [done], timeout: 1)\n",
    );
    let of = |lines: &str| edited("Tests/LoaderTests.swift", &then, &swift("async throws ", lines));
    let name = "        XCTAssertEqual(profile.name, \"Ann\")\n";
    assert_eq!(of(&format!("        let profile = try await loader.load(id: 1)\n{name}")), "");
    assert_ne!(of("        _ = try await loader.load(id: 1)\n"), "", "nothing is compared");
}

#[test]
fn a_matcher_may_be_given_the_value_that_had_a_name() {
    let test = |lines: &str| format!("it('sums', () => {{\n{lines}}});\n");
    let then =
        test("  const total = sum([1, 2]);\n  expect(total.cents).toBe(350);\n  expect(total.currency).toBe('EUR');\n");
    let matcher = "expect.extend({\n  toBeMoney(received, cents, currency) {\n    const pass = received.cents === cents && received.currency === currency;\n    return { pass, message: () => 'no' };\n  },\n});\n";
    let of = |line: &str| {
        let now = test(line);
        found(&[("test/sum.test.js", Some(&then), Some(&now)), ("test/to-be-money.js", None, Some(matcher))])
    };
    assert_eq!(of("  expect(sum([1, 2])).toBeMoney(350, 'EUR');\n"), "");
    assert_ne!(of("  expect(sum([1, 2]).cents).toBe(350);\n"), "", "no currency is compared");
}

#[test]
fn tests_of_a_function_of_elixir_go_with_it() {
    let test = |more: &str| {
        format!(
            "defmodule SettingsTest do\n  use ExUnit.Case\n\n  describe \"fetch!/1\" do\n    test \"finds\" do\n      assert Settings.fetch!(:port) == 4000\n    end\n  end\n{more}end\n"
        )
    };
    let then = test(
        "\n  describe \"get!/1\" do\n    test \"returns the value\" do\n      assert Settings.get!(:port) == 4000\n    end\n  end\n",
    );
    let code =
        |more: &str| format!("defmodule Settings do\n  def fetch!(key), do: Keyword.fetch!(all(), key)\n{more}end\n");
    let of = |more: &str| {
        let with = code("\n  def get!(key) do\n    Keyword.get(all(), key)\n  end\n");
        found(&[
            ("lib/settings.ex", Some(&with), Some(&code(more))),
            ("test/settings_test.exs", Some(&then), Some(&test(""))),
        ])
    };
    assert_eq!(of(""), "");
    assert_eq!(of("\n  def get!(key), do: Keyword.get(all(), key)\n"), "tampered no_deleted_tests");
}

#[test]
fn a_long_test_may_become_groups_with_a_subject() {
    let of = |one: &str| {
        let then = "RSpec.describe Booking do\n  it 'validates' do\n    booking = build(:booking, guests: 0)\n    expect(booking).not_to be_valid\n    expect(booking.errors[:guests]).to eq(['too few'])\n\n    expect(build(:booking)).to be_valid\n  end\nend\n";
        let now = format!(
            "RSpec.describe Booking do\n  it 'is valid by default' do\n    expect(build(:booking)).to be_valid\n  end\n\n  context 'without guests' do\n    subject(:booking) {{ build(:booking, guests: 0) }}\n\n{one}    it 'has an error' do\n      booking.validate\n      expect(booking.errors[:guests]).to eq(['too few'])\n    end\n  end\nend\n"
        );
        edited("spec/booking_spec.rb", then, &now)
    };
    assert_eq!(of("    it { is_expected.not_to be_valid }\n\n"), "");
    assert_ne!(of(""), "", "one is gone");
}

#[test]
fn a_test_that_has_a_telling_name_now_makes_the_same_assertions() {
    let c = |tests: &str| format!("#include \"unity.h\"\n\n{tests}");
    let then = c(
        "void test_1(void)\n{\n    TEST_ASSERT_EQUAL_HEX16(0xFFFF, crc16(NULL, 0));\n}\n\nvoid test_2(void)\n{\n    const char *msg = \"123456789\";\n    TEST_ASSERT_EQUAL_HEX16(0x29B1, crc16((const uint8_t *)msg, strlen(msg)));\n}\n",
    );
    let now = |text: &str, crc: &str| {
        c(&format!(
            "static uint16_t crc_of(const char *text)\n{{\n    return crc16((const uint8_t *)text, strlen(text));\n}}\n\nvoid test_no_input(void)\n{{\n    TEST_ASSERT_EQUAL_HEX16(0xFFFF, crc16(NULL, 0));\n}}\n\nvoid test_check_value(void)\n{{\n    TEST_ASSERT_EQUAL_HEX16({crc}, crc_of(\"{text}\"));\n}}\n"
        ))
    };
    assert_eq!(edited("test/test_crc.c", &then, &now("123456789", "0x29B1")), "");
    assert_ne!(edited("test/test_crc.c", &then, &now("12345678", "0x29B1")), "", "another text");
    assert_ne!(edited("test/test_crc.c", &then, &now("123456789", "0x0001")), "", "another value");
}

#[test]
fn facts_of_a_value_stand_in_the_whole_one() {
    let test = |lines: &str| format!("it('parses', () => {{\n  const result = parse('a=1');\n{lines}}});\n");
    let loose = "  expect(Array.isArray(result)).toBe(true);\n  expect(result.length).toBe(1);\n  expect(result[0].name).toBe('a');\n";
    let of = |lines: &str| edited("test/parse.test.js", &test(loose), &test(lines));
    assert_eq!(of("  expect(result).toEqual([{ name: 'a', value: 1 }]);\n"), "");
    assert_ne!(of("  expect(result).toEqual(expect.anything());\n"), "");
}

#[test]
fn a_helper_may_be_given_what_the_test_compared() {
    let rust = |helper: &str, lines: &str| {
        format!("use tokens::{{tokenize, Kind}};\n\n{helper}#[test]\nfn a_keyword() {{\n{lines}}}\n")
    };
    let then = rust(
        "",
        "    let tokens = tokenize(\"let x\");\n    assert_eq!(tokens.len(), 2);\n    assert_eq!(tokens[0].kind, Kind::Let);\n    assert_eq!(tokens[0].text, \"let\");\n    assert_eq!(tokens[1].text, \"x\");\n",
    );
    let helper = |line: &str| {
        format!(
            "fn assert_tokens(source: &str, want: &[(Kind, &str)]) {{\n    let got = pairs(tokenize(source));\n    {line}\n}}\n\n"
        )
    };
    let of = |line: &str, rows: &str| {
        let now = rust(&helper(line), &format!("    assert_tokens(\"let x\", &[{rows}]);\n"));
        edited("tests/tokens.rs", &then, &now)
    };
    let rows = "(Kind::Let, \"let\"), (Kind::Ident, \"x\")";
    assert_eq!(of("assert_eq!(got, want);", rows), "");
    assert_ne!(of("assert!(!got.is_empty());", rows), "", "the helper compares nothing");
}

#[test]
fn a_test_may_be_divided_moved_to_a_group_or_inherited() {
    let php = |members: &str| format!("<?php\n\nfinal class MoneyTest extends TestCase\n{{\n{members}}}\n");
    let then = php(
        "    public function testMoney(): void\n    {\n        $a = new Money(150);\n        self::assertSame(200, $a->add(50));\n        self::assertSame('1.50', (string) $a);\n    }\n",
    );
    let of = |last: &str| {
        let add =
            "    public function testAdd(): void\n    {\n        self::assertSame(200, $this->a->add(50));\n    }\n";
        let setup = "    protected function setUp(): void\n    {\n        $this->a = new Money(150);\n    }\n";
        edited("tests/MoneyTest.php", &then, &php(&format!("{setup}{add}{last}")))
    };
    let string =
        "    public function testString(): void\n    {\n        self::assertSame('1.50', (string) $this->a);\n    }\n";
    assert_eq!(of(string), "");
    assert_ne!(of(""), "", "a part is gone");
    let go = |name: &str, text: &str| {
        format!(
            "func {name}(t *testing.T) {{\n\tgot, err := Parse(\"{text}\")\n\tif err != nil {{\n\t\tt.Fatal(err)\n\t}}\n\tif got != want {{\n\t\tt.Error(got)\n\t}}\n}}\n\n"
        )
    };
    let file = |tests: &str| format!("package a\n\nimport \"testing\"\n\n{tests}");
    let then = file(&format!("{}{}", go("TestComments", "# a"), go("TestBlanks", "  b")));
    assert_ne!(edited("parse_test.go", &then, &file(&go("TestNumbers", "12"))), "", "about another text");
    let one = "def test_cart_is_empty_at_first():\n    assert len(Cart('EUR')) == 0\n";
    let other = "def test_adds():\n    assert add(1, 2) == 3\n";
    let moved = |body: &str| {
        let now = format!("class TestCart:\n    def test_is_empty_at_first(self, cart):\n        {body}\n");
        found(&[
            ("tests/test_shop.py", Some(&format!("{other}\n\n{one}")), Some(other)),
            ("tests/test_cart.py", None, Some(&now)),
        ])
    };
    assert_eq!(moved("assert len(cart) == 0"), "");
    assert_ne!(moved("assert len(cart) >= 0"), "");
    let case = |name: &str, base: &str, body: &str| format!("class {name}({base}):\n{body}\n\n");
    let test = "    def test_round_trip(self):\n        self.assertEqual(CODEC.decode(CODEC.encode('a')), 'a')\n";
    let then =
        format!("import unittest\n\n\n{}", case("HexTest", "unittest.TestCase", &test.replace("CODEC", "Hex()")));
    let contract = format!("class Contract:\n{}\n\n", test.replace("CODEC", "self.codec"));
    let inherited = |contract: &str, bases: &str| {
        let now = format!("import unittest\n\n\n{contract}{}", case("HexTest", bases, "    codec = Hex()\n"));
        edited("tests/test_codecs.py", &then, &now)
    };
    assert_eq!(inherited(&contract, "Contract, unittest.TestCase"), "");
    assert_ne!(inherited(&contract, "unittest.TestCase"), "", "nobody runs it");
    let weaker = contract.replace("assertEqual(", "assertTrue(");
    assert_ne!(inherited(&weaker, "Contract, unittest.TestCase"), "", "it asserts less");
}

#[test]
fn a_renamed_test_may_lose_what_it_asserted_of_code_that_is_gone() {
    let with = "def load(path, legacy_mode=False):\n    if legacy_mode:\n        return convert_legacy(path)\n    return read(path)\n";
    let without = "def load(path):\n    return read(path)\n";
    let then = "def test_legacy_mode():\n    result = load('a', legacy_mode=True)\n    assert result == ['converted', 'a']\n    assert len(result) == 2\n";
    let of = |source: &str, name: &str| {
        let now = format!("def {name}():\n    result = load('a')\n    assert 'a' in result\n");
        found(&[("src/load.py", Some(with), Some(source)), ("tests/test_load.py", Some(then), Some(&now))])
    };
    assert_eq!(of(without, "test_mode_is_plain"), "");
    assert_ne!(of(with, "test_mode_is_plain"), "", "the code is there");
}

#[test]
fn other_words_for_a_value_and_its_error_demand_as_much() {
    let kotlin = |lines: &str| format!("class TakeTest {{\n    @Test\n    fun refuses() {{\n{lines}    }}\n}}\n");
    let then = kotlin(
        "        val e = assertThrows<IllegalStateException> { take(2) }\n        assertEquals(\"only 1\", e.message)\n",
    );
    let of = |lines: &str| edited("src/test/kotlin/TakeTest.kt", &then, &kotlin(lines));
    let throws = "        val e = shouldThrow<IllegalStateException> { take(2) }\n";
    assert_eq!(of(&format!("{throws}        e shouldHaveMessage \"only 1\"\n")), "");
    assert_ne!(of(throws), "");
    let sharp = |head: &str, lines: &str| {
        format!("public class PayTests\n{{\n    [Fact]\n    public {head} Refuses()\n    {{\n{lines}    }}\n}}\n")
    };
    let then = sharp(
        "void",
        "        var e = Assert.Throws<AggregateException>(() => pay.Async(-1m).Wait());\n        Assert.IsType<ArgumentException>(e.InnerException);\n",
    );
    let of = |lines: &str| edited("tests/PayTests.cs", &then, &sharp("async Task", lines));
    assert_eq!(of("        await Assert.ThrowsAsync<ArgumentException>(() => pay.Async(-1m));\n"), "");
    assert_ne!(of("        await pay.Async(1m);\n"), "");
    let php = |line: &str| {
        format!(
            "<?php\n\nclass RouterTest extends TestCase\n{{\n    public function testMatches(): void\n    {{\n        $match = match_route('/a');\n        {line}\n    }}\n}}\n"
        )
    };
    let of = |line: &str| edited("tests/RouterTest.php", &php("$this->assertTrue($match !== null);"), &php(line));
    assert_eq!(of("$this->assertNotNull($match);"), "");
    assert_ne!(of("$this->assertTrue(true);"), "");
    let go = |lines: &str| {
        format!(
            "package a\n\nimport \"testing\"\n\nfunc TestRead(t *testing.T) {{\n\t_, err := Read(\"c\")\n{lines}}}\n"
        )
    };
    let then = go("\tif err == nil || err.Error() != \"line 2\" {\n\t\tt.Errorf(\"unexpected: %v\", err)\n\t}\n");
    let now = |condition: &str| {
        go(&format!(
            "\tif err == nil {{\n\t\tt.Fatal(\"no error\")\n\t}}\n\tif {condition} {{\n\t\tt.Errorf(\"message %q\", err.Error())\n\t}}\n"
        ))
    };
    assert_eq!(edited("read_test.go", &then, &now("want := \"line 2\"; err.Error() != want")), "");
    assert_ne!(edited("read_test.go", &then, &go("\t_ = err\n")), "");
}
