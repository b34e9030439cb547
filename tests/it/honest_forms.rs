//! Honest rewrites of assertions: another form of the same demand, each beside a weaker one.

use crate::honest_tests::{edited, found};

/// A test of JavaScript with this body, before and after.
fn rewritten(then: &str, now: &str) -> String {
    let test = |body: &str| {
        format!("import {{ f }} from '../src/f.js';\n\ntest('works', async () => {{\n  const x = f(1);\n{body}}});\n")
    };
    edited("test/f.test.js", &test(then), &test(now))
}

#[test]
fn another_matcher_for_the_same_value_is_as_strong() {
    let undefined = "  expect(x).to.equal(undefined);\n";
    assert_eq!(rewritten(undefined, "  expect(x).toBeUndefined();\n"), "");
    assert_eq!(rewritten(undefined, "  expect(x).toBeDefined();\n"), "tampered no_weakened_asserts");
    let length = "  expect(x.items.length).toBe(2);\n";
    assert_eq!(rewritten(length, "  expect(x.items).toHaveLength(2);\n"), "");
    assert_ne!(rewritten(length, "  expect(x.items).toBeTruthy();\n"), "");
}

#[test]
fn the_error_of_a_rejection_may_be_asserted_in_one_matcher() {
    let then = "  const error = await f(1).catch((e) => e);\n  expect(error.message).toMatch(/must be a number/);\n  expect(error.code).toBe('E_NUMBER');\n";
    let one = "  await expect(f(1)).rejects.toMatchObject({ code: 'E_NUMBER', message: 'this must be a number' });\n";
    assert_eq!(rewritten(then, one), "");
    let any = "  await expect(f(1)).rejects.toMatchObject({ code: expect.anything() });\n";
    assert_ne!(rewritten(then, any), "");
}

#[test]
fn brackets_around_a_condition_change_nothing() {
    let test = |assert: &str| format!("from src.f import f\n\n\ndef test_a():\n    out = f()\n    {assert}\n");
    let then = test("assert \"a long text\" in out");
    assert_eq!(
        edited("tests/test_f.py", &then, &test("assert (\n        \"a longer text\"\n        in out\n    )")),
        ""
    );
    assert_ne!(edited("tests/test_f.py", &then, &test("assert (out)")), "");
}

#[test]
fn assertions_that_became_a_table_of_several_asserts_are_not_lost() {
    let single = "from src.f import split\n\n\ndef test_split():\n    a, b = split('--x')\n    assert a == '--'\n    assert b == 'x'\n    a, b = split('-x')\n    assert a == '-'\n    assert b == 'x'\n    a, b = split('x')\n    assert a == ''\n    assert b == 'x'\n";
    let table = |rows: &str| {
        format!(
            "import pytest\nfrom src.f import split\n\n\n@pytest.mark.parametrize('value, first, rest', [{rows}])\ndef test_split(value, first, rest):\n    a, b = split(value)\n    assert a == first\n    assert b == rest\n"
        )
    };
    assert_eq!(edited("tests/test_f.py", single, &table("('--x', '--', 'x'), ('-x', '-', 'x'), ('x', '', 'x')")), "");
    assert_ne!(edited("tests/test_f.py", single, &table("('--x', '--', 'x')")), "");
}

#[test]
fn a_test_whose_demand_another_one_took_over_is_merged() {
    let test = |name: &str, expected: &str| {
        format!(
            "  it('{name}', (done) => {{\n    request(server()).post('/').send('a=1').expect(413, {expected}, done);\n  }});\n"
        )
    };
    let file = |tests: &[String]| format!("describe('urlencoded', () => {{\n{}}});\n", tests.concat());
    let then = file(&[test("rejects", "/too many parameters/"), test("has the type", "'parameters.too.many'")]);
    let now = file(&[test("rejects", "'[parameters.too.many] too many parameters'")]);
    assert_eq!(edited("test/urlencoded.js", &then, &now), "");
    let gone = file(&[test("rejects", "'[too.large] payload'")]);
    assert_eq!(edited("test/urlencoded.js", &then, &gone), "tampered no_deleted_tests");
}

#[test]
fn a_test_goes_with_the_file_that_its_directory_names() {
    let test = "import subprocess\n\n\ndef test_script():\n    assert subprocess.run(['x']).returncode == 0\n";
    let with = |source: &str| {
        found(&[
            ("tests/test_clicks/test_tutorial001.py", Some(test), None),
            (&format!("docs/{source}.py"), Some("print('a')\n"), None),
            ("docs/others/tutorial001.py", Some("print('b')\n"), Some("print('c')\n")),
        ])
    };
    assert_eq!(with("clicks/tutorial001"), "");
    assert_eq!(with("clicks/tutorial001_py39"), "");
    assert_eq!(with("clicks/tutorial0012"), "tampered no_deleted_tests");
    assert_eq!(with("unlike/tutorial001"), "tampered no_deleted_tests");
}

#[test]
fn a_file_in_another_language_has_other_suppressions() {
    let java = "class Maps {\n  @SuppressWarnings(\"unchecked\")\n  void add(Object o) {}\n}\n";
    let kotlin =
        |more: &str| format!("class Maps {{\n  @Suppress(\"UNCHECKED_CAST\")\n  fun add(o: Any) {{}}\n{more}}}\n");
    let with = |more: &str| found(&[("src/Maps.java", Some(java), None), ("src/Maps.kt", None, Some(&kotlin(more)))]);
    assert_eq!(with(""), "");
    assert_eq!(with("  @Suppress(\"UNUSED\")\n  fun remove() {}\n"), "warning no_disabled_lint");
}

#[test]
fn a_matcher_has_two_names() {
    let test = |assert: &str| format!("test('calls back', () => {{\n  const fn = run();\n  {assert}\n}});\n");
    let with = |then: &str, now: &str| edited("test/run.test.js", &test(then), &test(now));
    for (then, now) in [
        ("expect(fn).toBeCalledTimes(1);", "expect(fn).toHaveBeenCalledTimes(1);"),
        ("expect(fn).not.toBeCalled();", "expect(fn).not.toHaveBeenCalled();"),
        ("expect(fn).nthCalledWith(2, 'a');", "expect(fn).toHaveBeenNthCalledWith(2, 'a');"),
        ("expect(() => fn()).toThrowError('no');", "expect(() => fn()).toThrow('no');"),
    ] {
        assert_eq!(with(then, now), "", "{then} {now}");
    }
    assert_eq!(with("expect(count).toBe(1);", "expect(fn).toHaveBeenCalledTimes(1);"), "");
    assert_ne!(with("expect(count).toBe(1);", "expect(fn).toHaveBeenCalled();"), "", "however often");
    assert_ne!(with("expect(fn).toBeCalledTimes(1);", "expect(fn).toHaveBeenCalled();"), "", "however often");
    assert_ne!(with("expect(fn).nthCalledWith(2, 'a');", "expect(fn).toHaveBeenCalledTimes(2);"), "", "with anything");
}

#[test]
fn one_error_is_stricter_than_its_text() {
    let test = |assert: &str| {
        format!(
            "test('passes the error on', async () => {{\n  const error = new TypeError('bang');\n  {assert}\n}});\n"
        )
    };
    let with = |then: &str, now: &str| edited("test/render.test.js", &test(then), &test(now));
    let text = "await expect(render(error)).rejects.toThrow('bang');";
    assert_eq!(with(text, "await expect(render(error)).rejects.toBe(error);"), "");
    assert_ne!(with(text, "await expect(render(error)).rejects.toThrow(Error);"), "", "any error");
    assert_ne!(with("await expect(render(error)).rejects.toBe(error);", text), "", "the other way round");
}

#[test]
fn an_assertion_may_move_into_a_helper_that_is_called_before_and_after() {
    let helper = |assert: &str| format!("def read(name):\n    out = load(name)\n{assert}    return out\n\n\n");
    let test = |assert: &str| format!("def test_read():\n    out = read('a')\n{assert}    assert out.name == 'a'\n");
    let check = "    assert out.error == 0\n";
    let with = |helper_now: &str, test_now: &str| {
        let then = format!("{}{}", helper(""), test(check));
        edited("tests/test_read.py", &then, &format!("{}{}", helper(helper_now), test(test_now)))
    };
    assert_eq!(with(check, ""), "");
    assert_ne!(with("", ""), "", "nothing asserts it");
    assert_ne!(with("    assert out.error\n", ""), "", "the helper asserts less");
}

#[test]
fn a_test_that_had_to_fail_demanded_nothing() {
    let test = |mark: &str, rest: &str| {
        format!("{mark}def test_bad():\n    with pytest.raises(ValueError) as e:\n        parse('?')\n{rest}")
    };
    let text = "    assert 'mark' in str(e.value)\n    assert 'parse' in str(e.value)\n";
    let with = |mark: &str, rest: &str| edited("tests/test_parse.py", &test(mark, text), &test("", rest));
    assert_eq!(with("@pytest.mark.xfail(strict=True)\n", ""), "");
    assert_ne!(with("", ""), "", "it passed before");
    let (then, now) = (test("@pytest.mark.xfail\n", text), "def test_bad():\n    parse('?')\n");
    assert_ne!(edited("tests/test_parse.py", &then, now), "", "nothing is asserted");
}

#[test]
fn the_new_part_of_a_split_test_may_have_a_condition() {
    let remove = "    with warnings.catch_warnings(record=True) as w:\n        on_error(os.open, fn)\n        assert not [x.message for x in w]\n";
    let first = "def test_error():\n    fn = make()\n    assert fn.is_file()\n";
    let skip = "@pytest.mark.skipif(sys.platform == 'win32', reason='no')\n";
    let part = |name: &str, mark: &str| format!("\n\n{mark}def {name}():\n    fn = make()\n{remove}");
    let then = format!("{first}{remove}");
    let file = part("test_error_of_a_file", "");
    let dir = part("test_error_of_a_directory", skip);
    assert_eq!(edited("tests/test_error.py", &then, &format!("{first}{file}{dir}")), "");
    assert_ne!(edited("tests/test_error.py", &then, &format!("{first}{dir}")), "", "no part always runs");
}

#[test]
fn a_loop_that_waits_fails_with_its_assertion() {
    let then = "def assert_file(path, text)\n  retries = 0\n  begin\n    assert_includes File.read(path), text\n  rescue EOFError\n    sleep 0.1\n    retries += 1\n    retry if retries < 50\n    flunk 'reading took too long'\n  end\nend\n";
    let now = "def assert_file(path, text)\n  retries = 0\n  loop do\n    content = File.read(path)\n    return if content.include?(text)\n    retries += 1\n    if retries < 50\n      sleep 0.1\n    else\n      assert_includes File.read(path), text\n    end\n  end\nend\n";
    let test = "\nclass FileTest < Minitest::Test\n  def test_file\n    assert_file 'a', 'b'\n  end\nend\n";
    let with = |now: &str| edited("test/file_test.rb", &format!("{then}{test}"), &format!("{now}{test}"));
    assert_eq!(with(now), "");
    assert_ne!(
        with(
            &then
                .replace("    flunk 'reading took too long'\n", "")
                .replace("    sleep 0.1\n", "")
                .replace("    retry if retries < 50\n", "")
        ),
        "",
        "nothing waits"
    );
}
