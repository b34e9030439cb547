//! Migrations of tests: to base classes and shared functions, to promises, to whole comparisons, to matchers of the project, each beside a loss.

use crate::honest_tests::{edited, found};

const STORE: &str = "  it('knows no other key', async () => {\n    expect(await store.get('no')).to.equal(undefined);\n  });\n\n  it('stores', async () => {\n    await store.set('k', 1);\n    expect(await store.get('k')).to.equal(1);\n  });\n";

#[test]
fn tests_may_move_into_a_function_that_each_file_calls() {
    let spec = |body: &str| format!("describe('Memory', () => {{\n{body}}});\n");
    let shared =
        |tests: &str| format!("module.exports = function behavesLikeAStore(create) {{\n  let store;\n{tests}}};\n");
    let of = |call: &str, tests: &str| {
        let now = format!("const behavesLikeAStore = require('./shared/store');\n{}", spec(call));
        found(&[
            ("test/memory.spec.js", Some(&spec(STORE)), Some(&now)),
            ("test/redis.spec.js", Some(&spec(STORE)), Some(&now)),
            ("test/shared/store.js", None, Some(&shared(tests))),
        ])
    };
    assert_eq!(of("  behavesLikeAStore(() => new Memory());\n", STORE), "");
    assert_ne!(of("  it('opens', () => {\n    expect(new Memory()).to.equal(1);\n  });\n", STORE), "", "no call");
    let weaker = STORE.replace("to.equal(1)", "to.exist");
    assert_ne!(of("  behavesLikeAStore(() => new Memory());\n", &weaker), "", "it asserts less");
}

#[test]
fn tests_may_move_into_a_class_that_their_class_extends() {
    let tests = |create: &str| {
        format!(
            "    public function testReads(): void\n    {{\n        $store = {create};\n        $store->write('id', 7);\n        self::assertSame(7, $store->read('id'));\n    }}\n"
        )
    };
    let then = format!("<?php\n\nfinal class FileTest extends TestCase\n{{\n{}}}\n", tests("new FileStore()"));
    let base = format!("<?php\n\nabstract class StoreCase extends TestCase\n{{\n{}}}\n", tests("$this->create()"));
    let of = |class: &str| {
        let now = format!(
            "<?php\n\nfinal class FileTest extends {class}\n{{\n    protected function create()\n    {{\n        return new FileStore();\n    }}\n}}\n"
        );
        found(&[("tests/FileTest.php", Some(&then), Some(&now)), ("tests/StoreCase.php", None, Some(&base))])
    };
    assert_eq!(of("StoreCase"), "");
    assert_ne!(of("TestCase"), "", "nobody runs the tests of the base");
}

#[test]
fn a_macro_may_declare_the_tests_whose_names_it_is_given() {
    let test = |name: &str, ty: &str| {
        format!(
            "#[test]\nfn {name}() {{\n    for x in [{ty}::MIN, {ty}::MAX] {{\n        assert_eq!(read::<{ty}>(&write(x)), x);\n    }}\n}}\n\n"
        )
    };
    let then = test("one_byte", "u8") + &test("two_bytes", "u16");
    let now = |body: &str, names: &str| {
        format!(
            "macro_rules! limits {{\n    ($($name:ident: $ty:ty),+) => {{\n        $(\n            #[test]\n            fn $name() {{\n                for x in [<$ty>::MIN, <$ty>::MAX] {{\n                    {body}\n                }}\n            }}\n        )+\n    }};\n}}\n\nlimits! {{\n{names}}}\n"
        )
    };
    let whole = "assert_eq!(read::<$ty>(&write(x)), x);";
    let of = |body: &str, names: &str| edited("tests/limits.rs", &then, &now(body, names));
    assert_eq!(of(whole, "    one_byte: u8,\n    two_bytes: u16,\n"), "");
    assert_ne!(of(whole, "    one_byte: u8,\n"), "", "one is gone");
    assert_ne!(of("write(x);", "    one_byte: u8,\n    two_bytes: u16,\n"), "", "it asserts nothing");
}

#[test]
fn a_snapshot_may_go_if_its_test_compares_the_value_itself() {
    let test = |line: &str| format!("it('lists', () => {{\n  const list = build(1);\n{line}}});\n");
    let then = test("  expect(list).toMatchSnapshot();\n");
    let snapshot = "exports[`lists 1`] = `\n{\n  \"a\": 1,\n}\n`;\n";
    let of = |line: &str| {
        let now = test(line);
        found(&[
            ("test/list.test.js", Some(&then), Some(&now)),
            ("test/__snapshots__/list.test.js.snap", Some(snapshot), None),
        ])
    };
    assert_eq!(of("  expect(list).toStrictEqual({ a: 1 });\n"), "");
    assert_ne!(of("  expect(list).toMatchSnapshot();\n"), "", "the next run records anything");
    assert_ne!(of("  expect(list).toBeDefined();\n"), "");
}

#[test]
fn a_named_tolerance_may_not_grow() {
    let test = |eps: &str| {
        format!(
            "package a\n\nimport (\n\t\"math\"\n\t\"testing\"\n)\n\nconst eps = {eps}\n\nfunc near(a, b float64) bool {{\n\treturn math.Abs(a-b) <= eps\n}}\n\nfunc TestMean(t *testing.T) {{\n\tif got := Mean(1, 2); !near(got, 1.5) {{\n\t\tt.Errorf(\"mean %v\", got)\n\t}}\n}}\n"
        )
    };
    let of = |eps: &str| edited("a_test.go", &test("1e-9"), &test(eps));
    assert_eq!(of("0.75"), "tampered no_weakened_asserts");
    assert_eq!(of("2e-9"), "warning no_weakened_asserts");
    assert_eq!(of("1e-12"), "");
    let helper = |value: &str| {
        format!(
            "pub fn assert_close(a: f64, b: f64) {{\n    const TOLERANCE: f64 = {value};\n    assert!((a - b).abs() < TOLERANCE);\n}}\n"
        )
    };
    assert_eq!(edited("tests/common/mod.rs", &helper("1e-9"), &helper("25.0")), "tampered no_weakened_asserts");
    let source =
        |value: &str| format!("pub const EPSILON: f64 = {value};\npub fn near(a: f64) -> bool {{ a < EPSILON }}\n");
    assert_eq!(edited("src/near.rs", &source("1e-9"), &source("0.1")), "", "no test");
}

#[test]
fn what_a_callback_was_given_may_be_awaited() {
    let then = "it('reads', (done) => {\n  read('ok.json', (err, config) => {\n    expect(err).toBeNull();\n    expect(config).toEqual({ port: 1 });\n    done();\n  });\n});\n\nit('fails', (done) => {\n  read('no.json', (err, config) => {\n    expect(err.code).toBe('ENOENT');\n    expect(config).toBeUndefined();\n    done();\n  });\n});\n";
    let now = |value: &str| {
        format!(
            "it('reads', async () => {{\n  await expect(read('ok.json')).resolves.{value};\n}});\n\nit('fails', async () => {{\n  await expect(read('no.json')).rejects.toMatchObject({{ code: 'ENOENT' }});\n}});\n"
        )
    };
    assert_eq!(edited("test/r.test.js", then, &now("toEqual({ port: 1 })")), "");
    assert_ne!(edited("test/r.test.js", then, &now("toBeDefined()")), "");
    let silent = then.replace("    expect(err).toBeNull();\n", "");
    assert_ne!(edited("test/r.test.js", then, &silent), "", "nothing is awaited");
}

#[test]
fn a_matcher_of_the_project_compares_what_it_names() {
    let test =
        |lines: &str| format!("it('greets', async () => {{\n  const res = await handle('/hello');\n{lines}}});\n");
    let then = test("  expect(res.status).toBe(200);\n  expect(res.headers.get('type')).toBe('json');\n");
    let now = test("  expect(res).toBeJson(200);\n");
    let of = |pass: &str| {
        let matcher = format!(
            "expect.extend({{\n  toBeJson(res, status) {{\n    const type = res.headers.get('type');\n    return {{ pass: {pass}, message: () => type }};\n  }},\n}});\n"
        );
        found(&[("test/h.test.js", Some(&then), Some(&now)), ("test/support/matchers.js", None, Some(&matcher))])
    };
    assert_eq!(of("res.status === status && type === 'json'"), "");
    assert_ne!(of("true"), "");
}

#[test]
fn parts_may_become_a_whole_comparison() {
    let js = |lines: &str| format!("it('shows', () => {{\n  const body = me(1);\n{lines}}});\n");
    let parts =
        js("  expect(body.id).toBe(1);\n  expect(body.name).toBe('Ann');\n  expect(body.password).toBeUndefined();\n");
    let of = |line: &str| edited("test/me.test.js", &parts, &js(line));
    assert_eq!(of("  expect(body).toStrictEqual({ id: 1, name: 'Ann' });\n"), "");
    assert_ne!(of("  expect(body).toMatchObject({ id: 1, name: 'Ann' });\n"), "", "it may have a password");
    let its = "RSpec.describe Address do\n  subject { parse(\"Main St 5\") }\n\n  its(:street) { is_expected.to eq(\"Main St\") }\n  its(:zip) { is_expected.to eq(5) }\nend\n";
    let one = |values: &str| {
        format!(
            "RSpec.describe Address do\n  it \"has parts\" do\n    expect(parse(\"Main St 5\")).to have_attributes({values})\n  end\nend\n"
        )
    };
    assert_eq!(edited("spec/address_spec.rb", its, &one("street: \"Main St\", zip: 5")), "");
    assert_ne!(edited("spec/address_spec.rb", its, &one("street: \"Main St\"")), "", "the zip is gone");
}

#[test]
fn recorded_warnings_may_become_errors() {
    let then = "import pytest\n\n\ndef test_is_silent():\n    with pytest.warns(None) as record:\n        conn = connect('a')\n    assert not record\n    assert conn.host == 'a'\n";
    let now = |line: &str| {
        format!(
            "import warnings\n\n\ndef test_is_silent():\n    with warnings.catch_warnings():\n        {line}\n        conn = connect('a')\n    assert conn.host == 'a'\n"
        )
    };
    assert_eq!(edited("tests/test_c.py", then, &now("warnings.simplefilter('error')")), "");
    assert_ne!(edited("tests/test_c.py", then, &now("warnings.simplefilter('ignore')")), "");
}

#[test]
fn words_of_a_language_are_no_subject_of_a_test() {
    let store = |lock: &str| {
        format!(
            "package a\n\ntype Store struct{{ m map[string]int }}\n\nfunc (s *Store) Incr(k string) {{\n{lock}\ts.m[k]++\n}}\n"
        )
    };
    let test = |more: &str| {
        format!(
            "package a\n\nimport \"testing\"\n\nfunc TestIncr(t *testing.T) {{\n\ts := New()\n\ts.Incr(\"a\")\n\tif s.m[\"a\"] != 1 {{\n\t\tt.Fatal(s.m)\n\t}}\n}}\n{more}"
        )
    };
    let parallel = "\nfunc TestParallel(t *testing.T) {\n\ts := New()\n\tdefer s.Close()\n\ts.Incr(\"b\")\n\tif s.m[\"b\"] != 1 {\n\t\tt.Fatal(s.m)\n\t}\n}\n";
    let (with, without) = (test(parallel), test(""));
    let edits = [
        ("store.go", Some(store("\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n")), Some(store(""))),
        ("store_test.go", Some(with), Some(without)),
    ];
    let edits = edits.each_ref().map(|(path, then, now)| (*path, then.as_deref(), now.as_deref()));
    assert_eq!(found(&edits), "tampered no_deleted_tests");
}

#[test]
fn a_helper_that_only_counts_an_assertion_asserts_nothing() {
    let helper = |body: &str| {
        format!(
            "<?php\n\ntrait FeedAssertions\n{{\n    protected function assertValidFeed(string $xml): void\n    {{\n        $document = new DOMDocument();\n{body}    }}\n}}\n"
        )
    };
    let then = helper("        self::assertTrue($document->loadXML($xml));\n");
    let now = helper("        @$document->loadXML($xml);\n        $this->addToAssertionCount(1);\n");
    assert_ne!(edited("tests/Support/FeedAssertions.php", &then, &now), "");
}
