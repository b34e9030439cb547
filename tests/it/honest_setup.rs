//! What goes with a change of code: rows of a table, steps of setup, ways to wait and marks of the build, each beside what lowers the bar.

use crate::honest_tests::{Edit, edited, found};

#[test]
fn a_row_goes_with_the_value_that_it_names() {
    let test = |row: &str| {
        format!(
            "public class CodecTests\n{{\n    [Theory]\n    [InlineData(Algorithm.Gzip)]\n    [InlineData(Algorithm.Brotli)]\n{row}    public void RoundTrips(Algorithm algorithm)\n    {{\n        Assert.Equal(\"a\", Codec.Of(algorithm).Trip(\"a\"));\n    }}\n}}\n"
        )
    };
    let source = |value: &str, arm: &str| {
        format!(
            "public enum Algorithm {{ Gzip, Brotli{value} }}\n\npublic class Codec\n{{\n    public static Codec Of(Algorithm algorithm) => algorithm switch\n    {{\n        Algorithm.Gzip => new GzipCodec(),\n        Algorithm.Brotli => new BrotliCodec(),\n{arm}        _ => throw new ArgumentException(),\n    }};\n}}\n"
        )
    };
    let row = "    [InlineData(Algorithm.Lzma)]\n";
    let (then, now) = (source(", Lzma", "        Algorithm.Lzma => new LzmaCodec(),\n"), source("", ""));
    let with = |now: &str, row_now: &str| {
        let edits: [Edit<'_>; 2] =
            [("src/Codec.cs", Some(&then), Some(now)), ("tests/CodecTests.cs", Some(&test(row)), Some(&test(row_now)))];
        found(&edits)
    };
    assert_eq!(with(&now, ""), "");
    assert_eq!(with(&then, ""), "tampered no_deleted_tests", "the value is still there");
    let other = then.replace("new GzipCodec()", "new GzipCodec(9)");
    assert_eq!(with(&other, ""), "tampered no_deleted_tests", "the source lost nothing");
}

#[test]
fn a_check_of_setup_goes_with_its_call() {
    let test = |body: &str| {
        format!("package f\n\nimport \"testing\"\n\nfunc TestTable(t *testing.T) {{\n\tgot := Table(1)\n{body}}}\n")
    };
    let golden = test(
        "\twant, err := os.ReadFile(\"testdata/a.golden\")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif got != string(want) {\n\t\tt.Errorf(\"got %s\", got)\n\t}\n",
    );
    let inline = test("\twant := \"| a |\\n\"\n\tif got != want {\n\t\tt.Errorf(\"got %s\", got)\n\t}\n");
    assert_eq!(edited("f_test.go", &golden, &inline), "");
    let less = inline.replace("got != want", "len(got) == 0");
    assert_ne!(edited("f_test.go", &golden, &less), "");
    let own = golden.replace("os.ReadFile(", "render.Load(");
    assert_ne!(edited("f_test.go", &own, &inline), "", "a call of the code under test");
}

#[test]
fn the_old_form_of_a_build_tag_is_the_same_condition() {
    let test = |tag: &str, name: &str| {
        format!(
            "{tag}\n\npackage f\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {{\n\t{name} := f()\n\trequire.Equal(t, 1, {name})\n}}\n"
        )
    };
    let with = |then: &str, now: &str| edited("f_test.go", &test(then, "x"), &test(now, "y"));
    assert_eq!(with("// +build integration", "//go:build integration"), "");
    assert_eq!(with("// +build linux darwin", "//go:build linux || darwin"), "");
    assert_ne!(with("// +build integration", "//go:build nightly"), "");
}

#[test]
fn a_test_waits_for_a_result_instead_of_a_callback() {
    let test = |body: &str| {
        format!(
            "import XCTest\n\nfinal class FTests: XCTestCase {{\n    func testLoads() async throws {{\n        let loader = Loader()\n{body}    }}\n}}\n"
        )
    };
    let called = test(
        "        let done = expectation(description: \"done\")\n        loader.load { value in\n            XCTAssertEqual(value, 3)\n            done.fulfill()\n        }\n        waitForExpectations(timeout: 1)\n",
    );
    let path = "Tests/FTests.swift";
    let awaited = test("        let value = try await loader.load()\n        XCTAssertEqual(value, 3)\n");
    assert_eq!(edited(path, &called, &awaited), "");
    assert_ne!(
        edited(path, &called, &called.replace("        waitForExpectations(timeout: 1)\n", "")),
        "",
        "nobody waits"
    );
    assert_ne!(edited(path, &called, &awaited.replace("XCTAssertEqual(value, 3)", "XCTAssertNotNil(value)")), "");
}

#[test]
fn a_comparison_that_leaves_parts_out_asserts_less() {
    let test = |option: &str| {
        format!(
            "package f\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {{\n\topts := []cmp.Option{{\n\t\tcmpopts.SortSlices(less),\n{option}\t}}\n\tif diff := cmp.Diff(want, f(), opts...); diff != \"\" {{\n\t\tt.Error(diff)\n\t}}\n}}\n"
        )
    };
    let ignoring = test("\t\tcmpopts.IgnoreFields(Item{}, \"Qty\"),\n");
    assert_ne!(edited("f_test.go", &test(""), &ignoring), "");
    assert_eq!(edited("f_test.go", &ignoring, &test("")), "");
}

#[test]
fn a_helper_that_gets_the_test_is_for_tests_wherever_it_stands() {
    let helper = |report: &str| {
        format!(
            "package testutil\n\nimport \"testing\"\n\nfunc Golden(t testing.TB, got, want string) {{\n\tt.Helper()\n\tif got != want {{\n\t\tt.{report}(\"got %s\", got)\n\t}}\n}}\n"
        )
    };
    let path = "internal/testutil/golden.go";
    assert_ne!(edited(path, &helper("Errorf"), &helper("Logf")), "");
    assert_eq!(edited(path, &helper("Errorf"), &helper("Fatalf")), "");
    let source =
        "package slug\n\nfunc Load(got, want string) {\n\tif got != want {\n\t\tlog.Fatalf(\"got %s\", got)\n\t}\n}\n";
    assert_eq!(edited("slug/slug.go", source, &source.replace("log.Fatalf", "log.Printf")), "", "no test");
}

#[test]
fn a_macro_that_defines_a_matcher_is_read() {
    let test = |head: &str, body: &str| {
        format!("#include <gmock/gmock.h>\n\n{head}TEST(F, Works) {{\n  auto x = make(1);\n{body}}}\n")
    };
    let then = test("", "  ASSERT_EQ(x.size(), 2u);\n  EXPECT_EQ(x[0].text, \"a\");\n  EXPECT_EQ(x[1].text, \"b\");\n");
    let matcher = "MATCHER_P2(IsToken, kind, text, \"\") {\n  return arg.kind == kind && arg.text == text;\n}\n\n";
    let now = test(matcher, "  EXPECT_THAT(x, ElementsAre(IsToken(kName, \"a\"), IsToken(kName, \"b\")));\n");
    assert_eq!(edited("tests/f_test.cpp", &then, &now), "");
    assert_ne!(edited("tests/f_test.cpp", &then, &test(matcher, "  EXPECT_THAT(x, Not(IsEmpty()));\n")), "");
}
