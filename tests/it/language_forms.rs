//! Forms of Rust, Ruby and PHP, and of tests that end early in each language: what asserts as much, beside what asserts less.

use crate::honest_tests::{edited, found};

const LESS: &str = "tampered no_weakened_asserts";
const PERHAPS: &str = "warning no_weakened_asserts";

/// A test in each of these languages: the path, the text with a gap, and what makes it end before its assertion.
const ENDING: [(&str, &str, &str); 7] = [
    (
        "slug_test.go",
        "package slug\n\nimport \"testing\"\n\nfunc TestSlug(t *testing.T) {\n\tgot, err := Slug(\"A\")\nGAP\trequire.NoError(t, err)\n\trequire.Equal(t, \"a\", got)\n}\n",
        "\tif err != nil {\n\t\tt.Log(err)\n\t\treturn\n\t}\n",
    ),
    (
        "src/test/kotlin/SlugTest.kt",
        "import kotlin.test.Test\nimport kotlin.test.assertEquals\n\nclass SlugTest {\n    @Test\n    fun lowers() = runTest {\n        val got = slug(\"A\")\nGAP        assertEquals(\"a\", got)\n    }\n}\n",
        "        if (got.size != 1) return@runTest\n",
    ),
    (
        "tests/slug.rs",
        "#[test]\nfn lowers() {\n    let got = slug(\"A\");\nGAP    assert_eq!(got.text, \"a\");\n}\n",
        "    let Some(_) = got.found else {\n        return;\n    };\n",
    ),
    (
        "spec/slug_spec.rb",
        "RSpec.describe Slug do\n  it \"lowers\" do\n    got = Slug.of(\"A\")\nGAP    expect(got.text).to eq(\"a\")\n  end\nend\n",
        "    next unless got.found?\n",
    ),
    (
        "tests/SlugTest.php",
        "<?php\n\nclass SlugTest extends TestCase\n{\n    public function testLowers(): void\n    {\n        $got = slug('A');\nGAP        $this->assertSame('a', $got->text);\n    }\n}\n",
        "        if ($got === null) {\n            return;\n        }\n",
    ),
    (
        "tests/test_slug.py",
        "def test_lowers():\n    got = slug('A')\nGAP    assert got.text == 'a'\n",
        "    if got is None:\n        return\n",
    ),
    (
        "test/slug.test.js",
        "test('lowers', async () => {\n  const got = await slug('A');\nGAP  expect(got.text).toBe('a');\n});\n",
        "  if (!got) return;\n",
    ),
];

#[test]
fn a_test_that_may_end_before_it_asserts_asserts_less() {
    for (path, text, exit) in ENDING {
        let then = text.replace("GAP", "");
        let said = edited(path, &then, &text.replace("GAP", exit));
        // Findings in Ruby and PHP may only warn; see decision 053.
        assert!(said.ends_with("no_weakened_asserts") && !said.contains(','), "{path}: {said}");
    }
    let (path, text, _) = ENDING[0];
    let go = |gap: &str| edited(path, &text.replace("GAP", ""), &text.replace("GAP", gap));
    assert_eq!(go("\tif err != nil {\n\t\treturn\n\t}\n"), LESS);
    assert_eq!(go("\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n"), "", "it fails there");
    assert_eq!(
        go("\tif runtime.GOOS == \"windows\" {\n\t\treturn\n\t}\n"),
        "warning no_new_skips",
        "the environment decides"
    );
    assert_eq!(go("\tfor _, one := range got {\n\t\tif one == \"\" {\n\t\t\treturn\n\t\t}\n\t}\n"), "", "in a loop");
    let (path, text, exit) = ENDING[5];
    let before = text.replace("GAP", exit);
    assert_eq!(edited(path, &before, &before.replace("== 'a'", "== 'b'")), "", "it ended before");
    let asserted = format!("    assert (got is None) == is_empty\n{exit}");
    assert_eq!(edited(path, &text.replace("GAP", ""), &text.replace("GAP", &asserted)), "", "what ends it is asserted");
}

#[test]
fn an_assertion_under_a_new_condition_is_weaker() {
    let ruby = |line: &str| {
        format!(
            "class SlugTest < Minitest::Test\n  def test_lowers\n    got = slug(\"A\")\n{line}    refute_nil got\n  end\nend\n"
        )
    };
    let always = ruby("    assert_equal \"a\", got.text\n");
    let with = |line: &str| edited("test/slug_test.rb", &always, &ruby(line));
    assert_eq!(with("    assert_equal \"a\", got.text unless got.empty?\n"), PERHAPS);
    assert_eq!(with("    if got.found?\n      assert_equal \"a\", got.text\n    end\n"), PERHAPS);
    let both = "    if got.found?\n      assert_equal \"a\", got.text\n    else\n      assert_equal \"b\", got.text\n    end\n";
    assert_eq!(with(both), "", "the other branch asserts, too");
    assert_eq!(with("    2.times do\n      assert_equal \"a\", got.text\n    end\n"), "", "a loop");
    let rust = |body: &str| format!("#[test]\nfn fails() {{\n{body}}}\n");
    let then = rust("    let err = parse(\"x\").err().unwrap();\n    assert_eq!(err, Error::Zero);\n");
    let now = rust("    if let Err(err) = parse(\"x\") {\n        assert_eq!(err, Error::Zero);\n    }\n");
    assert_eq!(edited("tests/parse.rs", &then, &now), PERHAPS);
}

/// A Rust test with this body, before and after.
fn rust(then: &str, now: &str) -> String {
    let test = |body: &str| format!("#[test]\nfn works() {{\n    let x = f(1);\n{body}}}\n");
    edited("tests/f.rs", &test(then), &test(now))
}

#[test]
fn forms_of_rust() {
    let parts = "    assert!(x.contains(\"<p>\"));\n    assert!(x.contains(\"hi\"));\n";
    assert_eq!(rust(parts, "    insta::assert_snapshot!(x, @\"<p>hi\");\n"), "");
    assert_ne!(rust(parts, "    assert!(x.contains(\"hi\"));\n"), "");
    let near = |epsilon: &str| format!("    assert_abs_diff_eq!(x, 8.0, epsilon = {epsilon});\n");
    assert_eq!(rust(&near("1e-9"), &near("1e-12")), "");
    assert_eq!(rust(&near("1e-9"), &near("1e-8")), PERHAPS);
    assert_eq!(rust(&near("1e-9"), &near("10.0")), "tampered no_weakened_asserts", "it fits everything");
    let below = |limit: &str| format!("    assert!((x - 3.3).abs() < {limit});\n");
    assert_eq!(rust(&below("1.0"), &below("1e-9")), "");
    assert_eq!(rust(&below("1e-9"), &below("1.0")), PERHAPS);
    let arms = "    match parse(x) {\n        Ok(_) => panic!(\"no error\"),\n        Err(e) => assert!(e.to_string().contains(\"700\")),\n    }\n";
    assert_eq!(rust(arms, "    let e = parse(x).unwrap_err();\n    assert!(e.to_string().contains(\"700\"));\n"), "");
    assert_ne!(
        rust(arms, "    if let Err(e) = parse(x) {\n        assert!(e.to_string().contains(\"700\"));\n    }\n"),
        ""
    );
    let run = "    let out = Command::new(\"sum\").args(x).output().unwrap();\n    assert!(out.status.success());\n    assert_eq!(String::from_utf8_lossy(&out.stdout), \"3\\n\");\n";
    assert_eq!(rust(run, "    sum(x).success().stdout(\"3\\n\");\n"), "");
    assert_ne!(rust(run, "    sum(x).success();\n"), "");
    let asserted = "    assert_eq!(x, 2);\n";
    let caught = "    let caught = std::panic::catch_unwind(|| {\n        assert_eq!(x, 2);\n    });\n";
    assert_ne!(rust(asserted, &format!("{caught}    drop(caught);\n")), "");
    assert_eq!(rust(asserted, &format!("{caught}    assert!(caught.is_ok());\n")), "");
}

#[test]
fn forms_of_ruby() {
    let spec = |body: &str| format!("RSpec.describe Cart do\n  it \"adds\" do\n{body}  end\nend\n");
    let with = |then: &str, now: &str| edited("spec/cart_spec.rb", &spec(then), &spec(now));
    let each = "    expect(cart.lines.map(&:name)).to eq(%w[pen ink])\n    expect(cart.lines.size).to eq(2)\n";
    assert_eq!(with(each, "    expect(cart.lines.map(&:name)).to contain_exactly(\"pen\", \"ink\")\n"), "");
    assert_eq!(
        with(
            each,
            "    expect(cart.lines).to match([have_attributes(name: \"pen\"), have_attributes(name: \"ink\")])\n"
        ),
        ""
    );
    assert_ne!(with(each, "    expect(cart.lines.size).to eq(2)\n"), "");
    let fields = "    expect(cart.total).to eq(12)\n    expect(cart.paid?).to be(true)\n";
    assert_eq!(with(fields, "    expect(cart).to have_attributes(total: 12, paid?: true)\n"), "");
    assert_ne!(with(fields, "    expect(cart).to have_attributes(total: 12)\n"), "");
    let raised = "    expect { cart.pay }.to raise_error(Cart::Empty, /no lines/)\n";
    let block = |of: &str| format!("    expect {{ cart.pay }}.to raise_error do |error|\n{of}    end\n");
    let both = "      expect(error).to be_a(Cart::Empty)\n      expect(error.message).to match(/no lines/)\n";
    assert_eq!(with(raised, &block(both)), "");
    assert_ne!(with(raised, &block("      expect(error).to be_a(Cart::Empty)\n")), "");

    let test = |body: &str, rest: &str| {
        format!("class CartTest < Minitest::Test\n  def test_adds\n    visit cart\n{body}  end\n{rest}end\n")
    };
    let own = "    assert_equal \"a\", flash[:alert]\n    assert_redirected_to login\n";
    let helper = "\n  private\n\n  def assert_login\n    assert_equal \"a\", flash[:alert]\n    assert_redirected_to login\n  end\n";
    let less = "\n  private\n\n  def assert_login\n    assert_redirected_to login\n  end\n";
    let minitest = |then: &str, now: &str| edited("test/cart_test.rb", then, now);
    assert_eq!(minitest(&test(own, ""), &test("    assert_login\n", helper)), "", "a bare word calls the helper");
    assert_ne!(minitest(&test(own, ""), &test("    assert_login\n", less)), "");
    let near = |delta: &str| test(&format!("    assert_in_delta 0.3, queue.waited, {delta}\n"), "");
    assert_ne!(minitest(&near("0.01"), &near("5")), "");
    assert_eq!(minitest(&near("5"), &near("0.01")), "");
    assert_ne!(
        minitest(&test("    assert_equal [:a, :b], log\n", ""), &test("    assert_equal 2, log.size\n", "")),
        ""
    );
}

#[test]
fn forms_of_php() {
    let method = "<?php\n\nclass SlugTest extends TestCase\n{\n    public function test_rejects_empty_text(): void\n    {\n        $this->expectException(InvalidArgumentException::class);\n        $this->expectExceptionMessage('Nothing to do');\n        slug('');\n    }\n}\n";
    let pest = |chain: &str| format!("<?php\n\nit('rejects empty text', function () {{\n    slug('');\n}}){chain};\n");
    let whole = pest("->throws(InvalidArgumentException::class, 'Nothing to do')");
    let short = pest("->throws(InvalidArgumentException::class)");
    assert_eq!(edited("tests/SlugTest.php", method, &whole), "");
    assert_ne!(edited("tests/SlugTest.php", method, &short), "");
    assert_ne!(edited("tests/SlugTest.php", &whole, &short), "");
    let object = method.replace(
        "expectException(InvalidArgumentException::class);\n        $this->expectExceptionMessage('Nothing to do');",
        "expectExceptionObject(new InvalidArgumentException('Nothing to do'));",
    );
    assert_eq!(edited("tests/SlugTest.php", method, &object), "");

    let class = |mark: &str| {
        format!(
            "<?php\n\n{mark}final class RedisTest extends TestCase\n{{\n    public function testStores(): void\n    {{\n        self::assertSame(1, store(1));\n    }}\n}}\n"
        )
    };
    let note = class("/**\n * @requires extension redis\n */\n");
    assert_eq!(edited("tests/RedisTest.php", &note, &class("#[RequiresPhpExtension('redis')]\n")), "");
    assert_ne!(edited("tests/RedisTest.php", &class(""), &note), "");

    let rows = "[\n    ['', 'required'],\n    ['<b>', 'holds HTML'],\n]";
    let table = |before: &str, with: &str| {
        format!(
            "<?php\n\n{before}it('checks', function ($a, $b) {{\n    expect(check($a))->toBe($b);\n}})->with({with});\n"
        )
    };
    let named = |rows: &str| table(&format!("dataset('titles', {rows});\n\n"), "'titles'");
    assert_eq!(edited("tests/CheckTest.php", &table("", rows), &named(rows)), "");
    assert_ne!(edited("tests/CheckTest.php", &named(rows), &named("[\n    ['', 'required'],\n]")), "");
}

#[test]
fn a_split_test_may_give_its_value_another_name() {
    let one = "class VersionTest < Minitest::Test\n  def test_version\n    v = Version.parse(\"1.4\")\n    assert_equal 1, v.major\n    assert_equal 4, v.minor\n    assert_operator Version.parse(\"1.5\"), :>, v\n    assert_raises(Bad) { Version.parse(\"\") }\n  end\nend\n";
    let several = "class VersionTest < Minitest::Test\n  def setup\n    @version = Version.parse(\"1.4\")\n  end\n\n  def test_parts\n    assert_equal 1, @version.major\n    assert_equal 4, @version.minor\n  end\n\n  def test_order\n    assert_operator Version.parse(\"1.5\"), :>, @version\n  end\n\n  def test_version_is_refused\n    assert_raises(Bad) { Version.parse(\"\") }\n  end\nend\n";
    assert_eq!(edited("test/version_test.rb", one, several), "");
    assert_ne!(edited("test/version_test.rb", one, &several.replace("    assert_equal 4, @version.minor\n", "")), "");
}

#[test]
fn a_helper_in_an_unchanged_file_asserts_for_a_test() {
    let helper = "pub fn assert_money(money: &Money, cents: i64, currency: &str) {\n    assert_eq!(money.cents, cents);\n    assert_eq!(money.currency, currency);\n}\n";
    let test = |body: &str| {
        format!(
            "mod common;\nuse common::assert_money;\n\n#[test]\nfn parses() {{\n    let money = parse(\"1 EUR\");\n{body}}}\n"
        )
    };
    let then = test("    assert_eq!(money.cents, 100);\n    assert_eq!(money.currency, \"EUR\");\n");
    let now = test("    assert_money(&money, 100, \"EUR\");\n");
    let with = |helper: &str| {
        found(&[("tests/price.rs", Some(&then), Some(&now)), ("tests/common/mod.rs", Some(helper), Some(helper))])
    };
    assert_eq!(with(helper), "");
    assert_ne!(with(&helper.replace("    assert_eq!(money.currency, currency);\n", "")), "");
}

#[test]
fn a_helper_that_only_prints_what_differs_asserts_nothing() {
    let helper = |body: &str| format!("pub fn check_case(name: &str) {{\n    let expected = read(name);\n{body}}}\n");
    let then = helper("    assert_eq!(compile(name), expected, \"{name} differs\");\n");
    let now = helper(
        "    match compile(name) {\n        actual if actual == expected.unwrap_or_default() => {}\n        _ => eprintln!(\"{name} differs\"),\n    }\n",
    );
    assert_ne!(edited("tests/common/mod.rs", &then, &now), "");
}
