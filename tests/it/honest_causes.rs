//! Honest changes of tests by their causes: wrappers that declare tests, errors that are allowed now, one comparison of a whole value.
//! Each stands beside tampering that looks like it.

use crate::honest_tests::{edited, found};

#[test]
fn a_test_that_a_wrapper_declares_now_is_not_removed() {
    let test = |word: &str, value: &str| {
        format!("describe 'Slug' do\n  {word} 'drops commas' do\n    expect(slug('a,b')).to eq({value})\n  end\nend\n")
    };
    let helper = |body: &str| format!("def self.deprecated(*args, &block)\n{body}end\n");
    let good = helper("  it(*args) do\n    instance_exec(&block)\n  end\n");
    let path = "spec/slug_spec.rb";
    let with = |helper: Option<&str>, value: &str| {
        let (then, now) = (test("it", "'ab'"), test("deprecated", value));
        found(&[(path, Some(&then), Some(&now)), ("spec/spec_helper.rb", helper, helper)])
    };
    assert_eq!(with(Some(&good), "'ab'"), "");
    assert!(with(None, "'ab'").contains("no_deleted_tests"), "nothing defines it");
    assert!(with(Some(&helper("  puts args\n")), "'ab'").contains("no_deleted_tests"), "it declares no test");
    assert!(with(Some(&helper("  it(*args)\n")), "'ab'").contains("no_deleted_tests"), "the body is dropped");
    let skips = good.replace("instance_exec", "skip; instance_exec");
    assert!(with(Some(&skips), "'ab'").contains("no_deleted_tests"), "it is skipped");
    assert!(with(Some(&good), "slug('a,b')").contains("no_deleted_tests"), "the body differs");
}

#[test]
fn a_wrapper_of_the_same_file_may_come_and_go() {
    let body = |title: &str| format!("'{title}', () => {{\n  expect(slug('{title}')).toBe('{title}');\n}});\n");
    let by = |word: &str, titles: &[&str]| -> String {
        titles.iter().map(|title| format!("{word}({}", body(title))).collect()
    };
    let wrapper = "const testCase = (name, fn) => test(name, () => {\n  reset();\n  fn();\n});\n";
    let silent = "const testCase = (name, fn) => test(name, () => {\n  reset();\n});\n";
    let path = "test/slug.test.js";
    let (plain, wrapped) = (by("test", &["a", "b"]), by("testCase", &["a", "b"]));
    assert_eq!(edited(path, &plain, &format!("{wrapper}{wrapped}")), "");
    assert_eq!(edited(path, &plain, &format!("{silent}{wrapped}")), "tampered no_deleted_tests");
    assert_eq!(edited(path, &format!("{wrapper}{wrapped}"), &plain), "");
    let less = by("test", &["a"]);
    assert!(edited(path, &format!("{wrapper}{wrapped}"), &less).contains("no_deleted_tests"), "one is gone");
}

#[test]
fn a_macro_may_declare_a_test() {
    let then = "#[test]\nfn drops_commas() {\n    let out = slug(\"a,b\");\n    assert_eq!(out, \"ab\");\n}\n";
    let now = |attribute: &str| {
        format!(
            "macro_rules! rgtest {{\n    ($name:ident, $fun:expr) => {{\n        {attribute}\n        fn $name() {{\n            $fun();\n        }}\n    }};\n}}\n\nrgtest!(drops_commas, || {{\n    let out = slug(\"a,b\");\n    assert_eq!(out, \"ab\");\n}});\n"
        )
    };
    assert_eq!(edited("tests/slug.rs", then, &now("#[test]")), "");
    assert_ne!(edited("tests/slug.rs", then, &now("#[allow(dead_code)]")), "");
}

#[test]
fn an_error_that_is_allowed_now_is_a_note() {
    let raises = "    with pytest.raises(TypeError) as e:\n        fields(C())\n\n    assert 'must be a class' == e.value.args[0]\n";
    let test = |body: &str| format!("def test_instance():\n{body}");
    let source = |check: &str| format!("def fields(cls):\n{check}    return cls.names\n");
    let check = "    if not isinstance(cls, type):\n        raise TypeError('must be a class')\n";
    let other = "    if cls is None:\n        raise TypeError('must be a class')\n    cls = cls if isinstance(cls, type) else type(cls)\n";
    let with = |now: &str, body: &str| {
        found(&[
            ("src/fields.py", Some(&source(check)), Some(now)),
            ("tests/test_fields.py", Some(&test(raises)), Some(&test(body))),
        ])
    };
    let value = "    assert fields(C()) == fields(C)\n";
    assert_eq!(with(&source(other), value), "");
    assert!(with(&source(check), value).contains("no_weakened_asserts"), "the code is as before");
    let comment = format!("# Another note.\n{}", source(check));
    assert!(with(&comment, value).contains("no_weakened_asserts"), "only a comment differs");
    assert!(with(&source(other), "    assert fields(C()) is not None\n").contains("no_weakened_asserts"), "no value");
    assert!(with(&source(other), "    fields(C())\n").contains("no_emptied_tests"), "nothing is asserted");
    assert!(with(&source(other), "    assert other.name == 'c'\n").contains("no_weakened_asserts"), "another subject");
}

#[test]
fn one_comparison_of_a_whole_holds_its_parts() {
    let test = |body: &str| format!("from src.user import load\n\n\ndef test_load():\n    user = load()\n{body}");
    let parts = "    assert user.name == 'ada'\n    assert user.age == 36\n    assert user.role == 'admin'\n";
    let with = |now: &str| edited("tests/test_user.py", &test(parts), &test(now));
    assert_eq!(with("    assert user == User(name='ada', age=36, role='admin')\n"), "");
    assert_ne!(with("    assert user == User(name='ada', age=mock.ANY, role=mock.ANY)\n"), "");
    assert_ne!(with("    assert user == user\n"), "");
    assert_ne!(with("    assert user == User(name='ada')\n"), "");
}

#[test]
fn an_error_may_be_allowed_by_a_new_test_beside_the_old_one() {
    let refused = "  await expect(load('host-without-socket')).rejects.toThrow('no socket');\n";
    let other = "  await expect(load('other')).rejects.toThrow('no socket');\n";
    let test = |body: &str| format!("test('refuses sockets', async () => {{\n{body}}});\n");
    let new = |host: &str| {
        format!(
            "\ntest('follows a plain host', async () => {{\n  const body = await load('{host}');\n  expect(body).toBe('reached');\n}});\n"
        )
    };
    let then = test(&format!("{refused}{other}"));
    let with = |source: &str, new: &str| {
        let now = format!("{}{new}", test(other));
        found(&[
            ("src/load.js", Some("export const isSocket = (host) => !host.includes('.');\n"), Some(source)),
            ("test/load.test.js", Some(&then), Some(&now)),
        ])
    };
    let source = "export const isSocket = (host) => host.startsWith('unix:');\n";
    assert_eq!(with(source, &new("host-without-socket")), "");
    assert!(with(source, &new("somewhere")).contains("no_weakened_asserts"), "another value");
    let same = "export const isSocket = (host) => !host.includes('.');\n";
    assert!(with(same, &new("host-without-socket")).contains("no_weakened_asserts"), "the code is as before");
}

#[test]
fn a_test_goes_with_the_dependency_that_it_was_about() {
    let manifest =
        |dependency: &str| format!("{{\n  \"dependencies\": {{\n{dependency}    \"left\": \"1.0.0\"\n  }}\n}}\n");
    let keep = "test('pads', () => {\n  expect(pad('a')).toBe(' a');\n});\n";
    let gone = "test('stops a promise', async () => {\n  await expect(new PCancelable(run)).rejects.toBeInstanceOf(CancelError);\n});\n";
    let head = "import PCancelable, {CancelError} from 'p-cancelable';\n";
    let with = |now: &str, rest: &str| {
        found(&[
            ("package.json", Some(&manifest("    \"p-cancelable\": \"4.0.0\",\n")), Some(&manifest(now))),
            ("test/stop.test.js", Some(&format!("{head}{keep}{gone}")), Some(&format!("{rest}{keep}"))),
        ])
    };
    assert_eq!(with("", ""), "");
    assert_eq!(with("    \"p-cancelable\": \"5.0.0\",\n", ""), "tampered no_deleted_tests", "it is still there");
    assert_eq!(with("", head), "tampered no_deleted_tests", "it is still imported");
}

#[test]
fn a_helper_that_comes_from_elsewhere_now_still_asserts() {
    let helper = "def check_user(user):\n    assert user.name == 'ada'\n";
    let test = |load: &str, call: &str| format!("def test_user():\n    user = {load}\n    {call}(user)\n");
    let with = |now: &str, test_now: &str| {
        let then = test("load()", "check_user");
        found(&[("tests/helpers.py", Some(helper), Some(now)), ("tests/test_user.py", Some(&then), Some(test_now))])
    };
    let other = "def another():\n    return 1\n";
    let called = test("load('ada')", "check_user");
    assert_eq!(with(other, &called), "");
    assert!(with("def check_user(user):\n    pass\n", &called).contains("no_emptied_tests"), "it asserts nothing");
    assert!(with(other, &test("load('ada')", "load")).contains("no_emptied_tests"), "nothing asserts");
}

#[test]
fn the_settings_of_a_removed_package_go_with_it() {
    let manifest = "{\n  \"name\": \"old\",\n  \"scripts\": { \"test\": \"jest\" },\n  \"jest\": { \"coverageThreshold\": { \"global\": { \"lines\": 90 } } }\n}\n";
    let config = "{\n  \"compilerOptions\": { \"strict\": true }\n}\n";
    let with = |rest: Option<&str>| {
        found(&[
            ("packages/old/package.json", Some(manifest), None),
            ("packages/old/tsconfig.json", Some(config), None),
            ("packages/old/index.js", Some("export const a = 1;\n"), rest),
        ])
    };
    assert_eq!(with(None), "");
    assert_ne!(with(Some("export const a = 1;\n")), "", "the package is still there");
}

#[test]
fn the_parameters_of_a_fixture_are_rows() {
    let test = |params: &str| {
        format!(
            "import pytest\n\n\n@pytest.fixture(name='mod', params=[{params}])\ndef mod(request):\n    return load(request.param)\n\n\ndef test_runs(mod):\n    assert run(mod.app).exit_code == 0\n"
        )
    };
    let single = |name: &str| {
        format!("from docs import {name} as mod\n\n\ndef test_runs():\n    assert run(mod.app).exit_code == 0\n")
    };
    let with = |params: &str| {
        found(&[
            ("tests/test_one.py", Some(&single("one")), Some(&test(params))),
            ("tests/test_one_py39.py", Some(&single("one_py39")), None),
        ])
    };
    assert_eq!(with("'one', 'one_py39'"), "");
    assert_eq!(with("'one'"), "tampered no_deleted_tests");
    let path = "tests/test_one.py";
    assert_eq!(edited(path, &test("'one'"), &test("'one', 'two'")), "");
    assert_eq!(edited(path, &test("'one', 'two'"), &test("'one'")), "tampered no_deleted_tests");
}

#[test]
fn a_test_of_ava_with_a_macro_may_be_skipped() {
    let test = |word: &str| {
        format!("{word}('reads', withServer, async (t, server) => {{\n  t.is(await read(server), 1);\n}});\n")
    };
    let path = "test/read.js";
    assert_eq!(edited(path, &test("test"), &test("test.skip")), "tampered no_new_skips");
    assert_eq!(edited(path, &test("test.skip"), ""), "", "it did not run");
}

#[test]
fn what_holds_always_or_lets_the_error_pass_is_no_loss() {
    let test = |body: &str| format!("test('reads', async t => {{\n{body}}});\n");
    let path = "test/read.js";
    let value = "  t.is(await read(), 1);\n";
    assert_eq!(edited(path, &test(&format!("{value}  t.pass();\n")), &test(value)), "");
    assert_ne!(edited(path, &test(value), &test("  await read();\n  t.pass();\n")), "");
    let caught = format!("  try {{\n  {value}  }} catch (error) {{\n    t.fail(error.stack);\n  }}\n");
    assert_eq!(edited(path, &test(&caught), &test(value)), "");
    let swallowed = caught.replace("    t.fail(error.stack);\n", "");
    assert_ne!(edited(path, &test(&caught), &test(&swallowed)), "");
}

#[test]
fn an_assertion_that_is_made_twice_is_lost_once() {
    let test = |body: &str| format!("def test_load():\n    user = load()\n{body}");
    let (one, call) = ("    assert user.name == 'ada'\n", "    assert step() == 1\n");
    let path = "tests/test_user.py";
    assert_eq!(edited(path, &test(&format!("{one}{one}")), &test(one)), "");
    assert_ne!(edited(path, &test(&format!("{call}{call}")), &test(call)), "", "a call may give another value");
}

#[test]
fn a_test_in_the_same_place_may_succeed_another() {
    let test = |name: &str, body: &str| format!("test('{name}', async () => {{\n{body}}});\n");
    let (first, last) = (
        test("parses json", "  expect(parse('1')).toBe(1);\n"),
        test("parses text", "  expect(parse('a')).toBe('a');\n"),
    );
    let body = "  const body = await load('b').buffer();\n";
    let then = test("Buffer response", &format!("{body}  expect(body).toEqual(Buffer.from('b'));\n"));
    let with = |now: &str| edited("test/load.test.js", &format!("{first}{then}{last}"), &format!("{first}{now}{last}"));
    let bytes = "  expect(body).toEqual(new Uint8Array([98]));\n  expect(Buffer.isBuffer(body)).toBe(false);\n";
    assert_eq!(with(&test("Uint8Array response", &format!("{body}{bytes}"))), "");
    assert_ne!(with(&test("Uint8Array response", body)), "", "it asserts less");
    assert_ne!(with(&test("sums response", "  expect(sum(1, 2)).toBe(3);\n")), "", "another subject");
    assert_ne!(with(""), "", "it is gone");
}

#[test]
fn a_few_tests_of_a_removed_file_go_with_the_others() {
    let source = |more: &str| format!("export const keep = () => 1;\n{more}");
    let cancel = "export class CancelError extends Error {}\nexport const cancelAll = () => new CancelError();\n";
    let gone = |at: u8| {
        format!("test('cancels {at}', () => {{\n  expect(cancelAll({at})).toBeInstanceOf(CancelError);\n}});\n")
    };
    let rest = "test('throws on incomplete responses', () => {\n  expect(keep()).toBe(1);\n});\n";
    let with = |count: u8, now: &str| {
        let test: String = (0..count).map(gone).chain([rest.to_string()]).collect();
        found(&[("src/a.js", Some(&source(cancel)), Some(now)), ("test/cancel.test.js", Some(&test), None)])
    };
    assert_eq!(with(3, &source("")), "");
    assert_eq!(with(2, &source("")), "tampered no_deleted_tests", "too few others");
    assert_eq!(with(3, &source(cancel)), "tampered no_deleted_tests", "the others still have their subject");
}

#[test]
fn a_helper_that_expects_a_panic_asserts() {
    let test = |body: &str| format!("package a\n\nimport \"testing\"\n\nfunc TestSplit(t *testing.T) {{\n{body}}}\n");
    let by_hand = "\tdefer func() {\n\t\tif r := recover(); r == nil {\n\t\t\tt.Errorf(\"should have panicked\")\n\t\t}\n\t}()\n\tSplit(\"\")\n";
    let by_helper = "\tPanicMatches(t, func() { Split(\"\") }, \"empty\")\n";
    let path = "a_test.go";
    assert_eq!(edited(path, &test(by_hand), &test(by_helper)), "");
    assert_ne!(edited(path, &test(by_hand), &test("\tdefer func() { recover() }()\n\tSplit(\"\")\n")), "");
}

#[test]
fn data_of_tests_may_hold_any_bytes() {
    let path = |end: &str| format!("tests/examples/issue.{end}");
    assert_eq!(edited(&path("txt"), "a\n", "a\0b\n"), "");
    assert!(edited(&path("py"), "a = 1\n", "a = 1\n# \0\n").contains("no_hidden_changes"));
}

#[test]
fn a_program_that_measures_prints_to_its_user() {
    let code = "console.log('total');\n";
    assert_eq!(found(&[("perf-testing/run.mjs", None, Some(code))]), "");
    assert_eq!(found(&[("src/perform/run.mjs", None, Some(code))]), "warning no_debug_artifacts");
}

#[test]
fn a_condition_of_a_suite_that_shows_now_is_no_new_skip() {
    let test = |suite: &str, test: &str| {
        format!(
            "describe{suite}('transitions', () => {{\n  it{test}('commits once', () => {{\n    expect(commit()).toBe(1);\n  }});\n}});\n"
        )
    };
    let (of_suite, own) = (".skipIf(typeof start !== 'function')", ".skipIf(typeof use === 'function')");
    let path = "test/transition.test.ts";
    assert_eq!(edited(path, &test(of_suite, own), &test(of_suite, "")), "");
    assert!(edited(path, &test("", own), &test(of_suite, "")).contains("no_new_skips"), "the suite had no condition");
    assert!(edited(path, &test(of_suite, own), &test(".skip", "")).contains("no_new_skips"), "it never runs");
}

#[test]
fn one_matcher_may_demand_a_call_and_its_arguments() {
    let test = |body: &str| format!("test('calls', () => {{\n  run(f);\n{body}}});\n");
    let two = "  expect(f).toHaveBeenCalledOnce();\n  expect(f).toHaveBeenCalledWith('next');\n";
    let with = |now: &str| edited("test/calls.test.js", &test(two), &test(now));
    assert_eq!(with("  expect(f).toHaveBeenCalledExactlyOnceWith('next');\n"), "");
    assert_ne!(with("  expect(f).toHaveBeenCalled();\n"), "");
}

#[test]
fn a_helper_that_asserts_nothing_now_is_told_though_its_tests_are_unchanged() {
    let python =
        |body: &str| format!("def check_user(user):\n    {body}\n\n\ndef check_name(name):\n    assert name\n");
    let then = python("assert user.name == 'ada'");
    let with = |body: &str| edited("tests/helpers.py", &then, &python(body));
    for body in ["pass", "return user.name == 'ada'", "user.name"] {
        assert!(with(body).contains("no_weakened_asserts"), "{body}: {}", with(body));
    }
    // What it calls now may assert.
    for body in ["check_name(user.name)", "verify_user(user)", "assert user.name == 'ada'"] {
        assert_eq!(with(body), "", "{body}");
    }
    let script = |body: &str| format!("export function expectUser(user) {{\n  {body}\n}}\n");
    let emptied = edited("test/helpers.js", &script("expect(user.name).toBe('ada');"), &script("return user.name;"));
    assert!(emptied.contains("no_weakened_asserts"), "{emptied}");
    // In source, a check of arguments is no assertion of a test.
    let check = |body: &str| format!("def area(side):\n    {body}\n    return side * side\n");
    assert_eq!(edited("src/area.py", &check("assert side > 0"), &check("side = abs(side)")), "");
}
