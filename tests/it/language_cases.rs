//! Cases, mocks and matchers of Rust, Ruby and PHP: what a test demands as before, beside what it demands less.

use crate::honest_tests::{edited, found};

/// A Rust test with this body, before and after.
fn rust(then: &str, now: &str) -> String {
    let test = |body: &str| format!("#[test]\nfn works() {{\n{body}}}\n");
    edited("tests/f.rs", &test(then), &test(now))
}

#[test]
fn a_test_that_runs_only_some_of_its_cases_is_weaker() {
    let looped = |of: &str| {
        format!(
            "    let cases = [(\"a\", 1), (\"b\", 2)];\n    for (text, want) in {of} {{\n        assert_eq!(parse(text), want);\n    }}\n"
        )
    };
    assert_ne!(rust(&looped("cases.iter()"), &looped("cases.iter().take(1)")), "");
    assert_ne!(rust(&looped("cases"), &looped("cases[..1]")), "");
    assert_eq!(rust(&looped("cases.iter().take(1)"), &looped("cases.iter()")), "");
    let provider = |rows: &str, end: &str| {
        format!(
            "<?php\n\nclass ParseTest extends TestCase\n{{\n    /** @dataProvider texts */\n    public function testParses(string $text, int $want): void\n    {{\n        $this->assertSame($want, parse($text));\n    }}\n\n    public static function texts(): array\n    {{\n        return {rows}[\n            ['a', 1],\n            ['b', 2],\n        ]{end};\n    }}\n}}\n"
        )
    };
    assert_ne!(edited("tests/ParseTest.php", &provider("", ""), &provider("array_slice(", ", 0, 1)")), "");
}

#[test]
fn a_helper_may_be_called_for_each_case() {
    let alone = "#[test]\nfn works() {\n    assert_eq!(parse(\"a\"), 1);\n    assert_eq!(parse(\"b\"), 2);\n}\n";
    let with = |calls: &str| {
        format!(
            "fn check(text: &str, want: u32) {{\n    assert_eq!(parse(text), want);\n}}\n\n#[test]\nfn works() {{\n{calls}}}\n"
        )
    };
    let of = |calls: &str| edited("tests/f.rs", alone, &with(calls));
    assert_eq!(of("    check(\"a\", 1);\n    check(\"b\", 2);\n"), "");
    assert_ne!(of("    check(\"a\", 1);\n"), "", "one case is gone");
    assert_ne!(of("    check(\"a\", 1);\n    check(\"a\", 1);\n"), "", "one case is gone");
}

#[test]
fn elements_may_be_compared_as_one_list() {
    let each = "    let list = parse(\"a b\");\n    assert_eq!(list.len(), 2);\n    assert_eq!(list[0].name, \"a\");\n    assert_eq!(list[1].name, \"b\");\n";
    let one = |list: &str| {
        format!(
            "    let names: Vec<_> = parse(\"a b\").into_iter().map(|item| item.name).collect();\n    assert_eq!(names, {list});\n"
        )
    };
    assert_eq!(rust(each, &one("[\"a\", \"b\"]")), "");
    assert_ne!(rust(each, &one("[\"a\"]")), "");
    assert_eq!(rust("    assert_eq!(f(1).is_some(), true);\n", "    assert!(f(1).is_some());\n"), "");
    assert_ne!(rust("    assert_eq!(f(1).is_some(), true);\n", "    assert!(g(1).is_ok());\n"), "");
}

/// A Ruby spec with this body, before and after.
fn ruby(then: &str, now: &str) -> String {
    let spec = |body: &str| format!("RSpec.describe Cart do\n  it \"works\" do\n{body}  end\nend\n");
    edited("spec/cart_spec.rb", &spec(then), &spec(now))
}

#[test]
fn matchers_of_ruby() {
    let near = |delta: &str| format!("    expect(cart.total).to be_within({delta}).of(9.99)\n");
    assert_ne!(ruby(&near("0.01"), &near("10")), "");
    assert_eq!(ruby(&near("10"), &near("0.01")), "");
    let lines = |more: &str| format!("    expect(page).to have_selector(\".line\"{more})\n");
    assert_ne!(ruby(&lines(", count: 3"), &lines("")), "");
    assert_eq!(ruby(&lines(""), &lines(", count: 3")), "");
    assert_eq!(ruby("    cart.should be_open\n", "    expect(cart).to be_open\n"), "");
    let two = "    expect(cart.names).to include(\"pen\")\n    expect(cart.names).to include(\"ink\")\n";
    assert_eq!(ruby(two, "    expect(cart.names).to include(\"pen\", \"ink\")\n"), "");
    assert_ne!(ruby(two, "    expect(cart.names).to include(\"pen\")\n"), "");
    let keys = "    expect(json[\"id\"]).to eq(7)\n    expect(json[\"name\"]).to eq(\"pen\")\n";
    assert_eq!(ruby(keys, "    expect(json).to include(\"id\" => 7, \"name\" => \"pen\")\n"), "");
    assert_ne!(ruby(keys, "    expect(json).to include(\"id\" => 7)\n"), "");
    let test = |body: &str| format!("class CartTest < Minitest::Test\n  def test_works\n{body}  end\nend\n");
    let minitest = |then: &str, now: &str| edited("test/cart_test.rb", &test(then), &test(now));
    let raises = |types: &str| format!("    assert_raises({types}) {{ cart.pay }}\n");
    assert_ne!(minitest(&raises("Cart::Empty"), &raises("Cart::Empty, StandardError")), "");
    assert_eq!(minitest(&raises("Cart::Empty, Cart::Closed"), &raises("Cart::Empty")), "");
    let by = |more: &str| format!("    assert_difference(\"Line.count\"{more}) {{ cart.fill }}\n");
    assert_ne!(minitest(&by(", 2"), &by("")), "");
    assert_eq!(
        minitest("    before = Line.count\n    cart.fill\n    assert_equal before + 2, Line.count\n", &by(", 2")),
        ""
    );
}

#[test]
fn an_example_may_be_about_the_subject_of_its_group() {
    let then = "RSpec.describe Cart do\n  it \"has a tax\" do\n    expect(cart.tax).to eq(19)\n  end\nend\n";
    let now = |value: u8| {
        format!(
            "RSpec.describe Cart do\n  describe \"#tax\" do\n    subject {{ cart.tax }}\n\n    it {{ is_expected.to eq({value}) }}\n  end\nend\n"
        )
    };
    assert_eq!(edited("spec/cart_spec.rb", then, &now(19)), "");
    assert_ne!(edited("spec/cart_spec.rb", then, &now(7)), "");
    let minitest = "class CartTest < Minitest::Test\n  def test_has_a_tax\n    assert_equal 19, cart.tax\n  end\nend\n";
    let spec = then.replace("describe Cart", "describe \"CartTest\"");
    let moved = found(&[("test/cart_test.rb", Some(minitest), None), ("spec/cart_spec.rb", None, Some(&spec))]);
    assert_eq!(moved, "", "the runner of Ruby's specs finds them by their name");
}

#[test]
fn mocks_and_matchers_of_php() {
    let class = |body: &str| {
        format!(
            "<?php\n\nclass CartTest extends TestCase\n{{\n    public function testWorks(): void\n    {{\n{body}    }}\n}}\n"
        )
    };
    let php = |then: &str, now: &str| edited("tests/CartTest.php", &class(then), &class(now));
    let mock = |links: &str| {
        format!(
            "        $gateway->shouldReceive('charge'){links}->andReturn(true);\n        (new Cart())->pay($gateway);\n"
        )
    };
    assert_ne!(php(&mock("->with(300)->once()"), &mock("")), "");
    assert_eq!(php(&mock(""), &mock("->with(300)->once()")), "");
    let one = |assert: &str| format!("        {assert};\n");
    assert_eq!(php(&one("$this->assertEquals(null, $cart->coupon())"), &one("$this->assertNull($cart->coupon())")), "");
    let status =
        "        $response = $this->getJson('/7');\n        $this->assertSame('pen', $response->json('name'));\n";
    assert_eq!(php(status, "        $this->getJson('/7')->assertJsonPath('name', 'pen');\n"), "");
    let pest = |body: &str| format!("<?php\n\nit('sums', function () {{\n{body}}});\n");
    let each = pest(
        "    $cart = cart();\n    expect($cart->names())->toHaveCount(2);\n    expect($cart->names())->toContain('pen');\n",
    );
    let chain = |end: &str| pest(&format!("    expect(cart())\n        ->names()->toHaveCount(2){end};\n"));
    assert_eq!(edited("tests/SumTest.php", &each, &chain("->toContain('pen')")), "");
    assert_ne!(edited("tests/SumTest.php", &each, &chain("")), "");
}

#[test]
fn a_group_or_a_tag_that_a_runner_leaves_out_is_a_loosened_configuration() {
    let xml = |groups: &str| {
        format!(
            "<phpunit bootstrap=\"vendor/autoload.php\">\n  <testsuites>\n    <testsuite name=\"all\">\n      <directory>tests</directory>\n    </testsuite>\n  </testsuites>\n{groups}</phpunit>\n"
        )
    };
    let left = "  <groups>\n    <exclude>\n      <group>broken</group>\n    </exclude>\n  </groups>\n";
    assert!(edited("phpunit.xml", &xml(""), &xml(left)).contains("no_config_loosening"));
    assert_eq!(edited("phpunit.xml", &xml(left), &xml("")), "");
    let helper = |line: &str| format!("RSpec.configure do |config|\n  config.order = :random\n{line}end\n");
    let tag = helper("  config.filter_run_excluding :broken\n");
    assert!(edited("spec/spec_helper.rb", &helper(""), &tag).contains("no_config_loosening"));
    assert_eq!(edited("spec/spec_helper.rb", &tag, &helper("")), "");
}
