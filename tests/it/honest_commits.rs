//! What commits of projects do every day: conditions in other words, doubles in newer words, helpers that compare. Each stands beside a loss.

use crate::honest_tests::{edited, found};

#[test]
fn a_skip_says_the_same_in_other_words() {
    let php = |condition: &str| {
        format!(
            "<?php\nclass MongoTest extends TestCase\n{{\n    public function testHandles()\n    {{\n        if ({condition}) {{\n            $this->markTestSkipped('not installed');\n        }}\n        $this->assertSame(1, handle());\n    }}\n}}\n"
        )
    };
    let of = |then: &str, now: &str| edited("tests/MongoTest.php", &php(then), &php(now));
    assert_eq!(of("!(class_exists('MongoDB\\Client'))", "!class_exists(Client::class)"), "");
    assert_eq!(of("!function_exists('zend_event')", "!\\function_exists('zend_event')"), "");
    assert_ne!(of("!class_exists('MongoDB\\Client')", "!class_exists(Server::class)"), "", "another class");
    // A condition on the whole file became one on each test.
    let rust = |first: &str, mark: &str| {
        format!("{first}#![cfg(feature = \"net\")]\n\n{mark}#[test]\nfn sends() {{\n    assert_eq!(send(), 1);\n}}\n")
    };
    let then = rust("#![cfg(not(target_os = \"wasi\"))]\n", "");
    let of = |mark: &str| edited("tests/send.rs", &then, &rust("", mark));
    assert_eq!(of(""), "");
    assert_eq!(of("#[cfg_attr(target_os = \"wasi\", ignore = \"no threads, no fun)\")]\n"), "");
    assert_ne!(of("#[cfg_attr(target_os = \"linux\", ignore = \"no threads\")]\n"), "", "another system");
}

#[test]
fn a_new_row_may_be_skipped() {
    let go = |row: &str, lines: &str| {
        format!(
            "package a\n\nimport \"testing\"\n\nfunc TestParse(t *testing.T) {{\n\ttests := []struct{{ src string; want int }}{{\n\t\t{{\"foo\", 1}},\n{row}\t}}\n\tfor _, tt := range tests {{\n\t\tt.Run(tt.src, func(t *testing.T) {{\n{lines}\t\t\tif got := Parse(tt.src); got != tt.want {{\n\t\t\t\tt.Fatal(got)\n\t\t\t}}\n\t\t}})\n\t}}\n}}\n"
        )
    };
    let skip =
        |text: &str| format!("\t\t\tif tt.src == \"{text}\" {{\n\t\t\t\tt.Skip(\"not supported here\")\n\t\t\t}}\n");
    let of = |row: &str, text: &str| edited("a_test.go", &go("", ""), &go(row, &skip(text)));
    assert_eq!(of("\t\t{\"foo[*]\", 2},\n", "foo[*]"), "");
    assert_ne!(of("\t\t{\"foo[*]\", 2},\n", "foo"), "", "a row that was there");
    assert_ne!(of("", "foo[*]"), "", "no row is new, the text may come from elsewhere");
}

#[test]
fn a_test_may_be_given_a_function_and_other_values() {
    let ava = |helper: &str, test: &str| {
        format!(
            "import test from 'ava';\n\nconst testKill = async (t, delay, signal) => {{\n{helper}}};\n\ntest('kills', {test});\n"
        )
    };
    let asserts = "  t.is(await kill(delay), signal);\n";
    let then = ava(asserts, "testKill, 50");
    let of = |helper: &str, test: &str| edited("test/kill.js", &then, &ava(helper, test));
    assert_eq!(of(asserts, "testKill, undefined, false"), "");
    assert_ne!(of("  await kill(delay);\n", "testKill, undefined, false"), "", "the function asserts nothing");
    assert_ne!(of(asserts, "() => {}"), "", "nothing runs the function");
}

#[test]
fn an_expected_error_may_be_an_assertion_of_the_library() {
    let kotlin = |mark: &str, lines: &str| {
        format!("class InheritanceTest {{\n    @Test{mark}\n    fun testThrows() {{\n{lines}    }}\n}}\n")
    };
    let helper = "fun assertFailsWith(message: String) {\n    assertEquals(message, last())\n}\n";
    let then = kotlin("(expected = SerializationException::class)", "        decode<B>(\"x\")\n");
    let now = |error: &str| {
        kotlin("", &format!("        assertFailsWith<{error}> {{\n            decode<B>(\"x\")\n        }}\n"))
    };
    // Another module has a helper of the name.
    let of = |now: &str| {
        found(&[
            ("json/test/InheritanceTest.kt", Some(then.as_str()), Some(now)),
            ("proto/test/HelperTest.kt", Some("fun other() {}\n"), Some(helper)),
        ])
    };
    assert_eq!(of(&now("SerializationException")), "");
    assert_ne!(of(&kotlin("", "        decode<B>(\"x\")\n")), "", "no error is expected");
}

#[test]
fn what_is_shipped_asserts_for_no_test_of_another_file() {
    let day = |lines: &str| {
        format!(
            "pub fn day(n: i64) -> i64 {{\n    n\n}}\n\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn goes_round() {{\n{lines}    }}\n}}\n"
        )
    };
    let span =
        |name: &str| format!("pub fn new(nanos: i64) -> i64 {{\n    debug_assert!(nanos > {name});\n    nanos\n}}\n");
    let then = day("        let n = Day::new(1).unwrap();\n        assert_eq!(day(n), n);\n");
    let now = day("        assert_eq!(day(1), 1);\n");
    let edits = |now: &str| {
        found(&[("src/day.rs", Some(then.as_str()), Some(now)), ("src/span.rs", Some(&span("0")), Some(&span("MIN")))])
    };
    assert_eq!(edits(&now), "");
    assert_ne!(edits(&day("        day(1);\n")), "", "its own assertion");
    let cpp = |lines: &str| format!("TEST_CASE(\"sends\")\n{{\n{lines}    CHECK(sent() == 1);\n}}\n");
    let helper = "void check_all(int a)\n{\n    CHECK(a == 1);\n    CHECK(left() == 0);\n}\n";
    let of = |path: &str| {
        let helper: (&str, Option<&str>, Option<&str>) = (path, Some(helper), Some("// nothing\n"));
        found(&[("tests/send.cpp", Some(&cpp("    check_all(1);\n")), Some(&cpp(""))), helper])
    };
    assert_ne!(of("tests/support.cpp"), "", "a helper of tests");
}

#[test]
fn equality_may_be_asked_of_a_function() {
    let cpp = |line: &str| format!("TEST_CASE(\"reverses\")\n{{\n    auto reversed = reverse(j);\n    {line}\n}}\n");
    let then = cpp("CHECK(reversed == expected);");
    let of = |line: &str| edited("tests/reverse.cpp", &then, &cpp(line));
    assert_eq!(of("CHECK(std::ranges::equal(reversed, expected));"), "");
    assert_ne!(of("CHECK(std::ranges::equal(reversed, reversed));"), "", "with itself");
    assert_ne!(of("CHECK(std::ranges::contains(reversed, expected));"), "", "only a part");
    let swift = |line: &str| {
        format!("final class WalkTests: XCTestCase {{\n    func testWalks() {{\n        {line}\n    }}\n}}\n")
    };
    let then = swift("XCTAssertEqual(walked, expected)");
    let of = |line: &str| edited("Tests/WalkTests.swift", &then, &swift(line));
    assert_eq!(of("XCTAssertTrue(walked.elementsEqual(expected))"), "");
    assert_ne!(of("XCTAssertTrue(walked.elementsEqual(walked))"), "");
}

#[test]
fn a_double_of_phpunit_may_have_newer_words() {
    let php = |lines: &str| {
        format!(
            "<?php\nclass RedisTest extends TestCase\n{{\n    public function testSends()\n    {{\n{lines}        $this->assertSame(1, send($redis));\n    }}\n}}\n"
        )
    };
    let call = |count: &str, rest: &str| format!("        $redis->expects($this->{count}())->method('exec'){rest};\n");
    let of = |then: &str, now: &str| edited("tests/RedisTest.php", &php(then), &php(now));
    assert_eq!(of(&call("once", "->will($this->returnValue(2))"), &call("once", "->willReturn(2)")), "");
    assert_eq!(of(&call("once", "->will($this->returnSelf())"), &call("once", "->willReturnSelf()")), "");
    assert_eq!(of(&call("any", "->will($this->returnValue(2))"), ""), "", "it demanded nothing");
    assert_ne!(of(&call("once", "->will($this->returnValue(2))"), ""), "");
    assert_ne!(of(&call("once", "->with('a')->willReturn(2)"), &call("any", "->willReturn(2)")), "");
}

#[test]
fn tests_may_hand_their_texts_to_a_helper_under_other_names() {
    let single = |name: &str, given: &str, path: &str| {
        format!(
            "    def test_{name}(self):\n        error = ValidationError(path=[{given}])\n        self.assertEqual(error.json_path, {path})\n\n"
        )
    };
    let helper = "    def check_path(self, given, path):\n        error = ValidationError(path=[given])\n        self.assertEqual(error.json_path, path)\n\n";
    let call = |name: &str, given: &str, path: &str| {
        format!("    def test_{name}(self):\n        self.check_path({given}, {path})\n\n")
    };
    let class = |tests: &str| format!("class TestPath(TestCase):\n{tests}");
    let then = class(&(single("numeric_str", "\"1\"", "\"$['1']\"") + &single("empty_str", "\"\"", "\"$['']\"")));
    let of = |tests: &str| edited("tests/test_path.py", &then, &class(&(helper.to_string() + tests)));
    let number = call("number", "\"1\"", "\"$['1']\"");
    assert_eq!(of(&(number.clone() + &call("empty", "\"\"", "\"$['']\""))), "");
    assert_ne!(of(&number), "", "one of two");
    assert_ne!(of(&(number + &call("empty", "\"\"", "\"$\""))), "", "another text");
}

#[test]
fn one_more_rule_of_a_line_is_a_warning_and_all_rules_are_sent_back() {
    let js = |mark: &str| format!("const a = 1;\n// eslint-disable-next-line {mark}\nlog(a);\n");
    let of = |now: &str| edited("src/a.js", &js("no-console"), &js(now));
    assert_eq!(of("no-console, no-alert"), "warning no_disabled_lint");
    assert_eq!(of(""), "tampered no_disabled_lint");
    let java = |mark: &str| format!("class A {{\n  @SuppressWarnings({mark})\n  int a;\n}}\n");
    let of = |now: &str| edited("src/A.java", &java("\"unused\""), &java(now));
    assert_eq!(of("{\"unused\", \"rawtypes\"}"), "warning no_disabled_lint");
    assert_eq!(of("{\"unused\", \"all\"}"), "tampered no_disabled_lint");
    let sharp = |lines: &str| format!("class A\n{{\n    void F()\n    {{\n{lines}    }}\n}}\n");
    let code = "        Send(1);\n";
    let long = code.repeat(8);
    let block =
        |code: &str, rules: &str| format!("#pragma warning disable{rules}\n{code}#pragma warning restore{rules}\n");
    let of = |then: &str, now: &str| edited("src/A.cs", &sharp(then), &sharp(now));
    assert_eq!(of(code, &block(code, " CS0618")), "warning no_disabled_lint");
    assert_eq!(of(code, &block(code, "")), "tampered no_disabled_lint", "all rules");
    assert_eq!(of(&long, &block(&long, " CS0618")), "tampered no_disabled_lint", "much code");
}
