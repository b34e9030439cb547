//! What tests lose in less usual forms, beside what only looks alike: helpers that skip, parts of a record, errors of any kind.

use crate::honest_tests::edited;

const SKIPS: &str = "no_new_skips";
const LESS: &str = "no_weakened_asserts";

/// Whether a rule has a finding about a change of one file, beside a test of it that stays.
fn is_found(path: &str, then: &str, now: &str, rule: &str) -> bool {
    edited(path, then, now).contains(rule)
}

#[test]
fn a_helper_or_a_hook_that_skips_tests_now_is_found() {
    let fixture = "import pytest\n\n\n@pytest.fixture\ndef server():\n    srv = Server()\nGAP    yield srv\n\n\ndef test_relay(server):\n    assert server.port == 1\n";
    let start = fixture.replace("GAP", "    srv.start()\n");
    let skipping = "    try:\n        srv.start()\n    except Exception as e:\n        pytest.skip(str(e))\n";
    assert!(is_found("tests/test_relay.py", &start, &fixture.replace("GAP", skipping), SKIPS));
    let failing = "    try:\n        srv.start()\n    except Exception as e:\n        pytest.fail(str(e))\n";
    assert!(!is_found("tests/test_relay.py", &start, &fixture.replace("GAP", failing), SKIPS));
    let hook = "import pytest\n\n\ndef pytest_collection_modifyitems(config, items):\n    items.sort(key=str)\n";
    let marking = "    slow = pytest.mark.skip(reason=\"slow\")\n    for item in items:\n        if \"rounding\" in item.nodeid:\n            item.add_marker(slow)\n";
    assert!(is_found("tests/conftest.py", hook, &format!("{hook}{marking}"), SKIPS));
    let go = "package relay\n\nimport \"testing\"\n\nfunc start(t *testing.T) *Server {\n\ts, err := Start()\n\tif err != nil {\n\t\tt.GAP(err)\n\t}\n\treturn s\n}\n\nfunc TestRelay(t *testing.T) {\n\ts := start(t)\n\tif s.Port != 1 {\n\t\tt.Fatal(s.Port)\n\t}\n}\n";
    assert!(is_found("relay_test.go", &go.replace("GAP", "Fatal"), &go.replace("GAP", "Skip"), SKIPS));
    assert!(!is_found("relay_test.go", &go.replace("GAP", "Skip"), &go.replace("GAP", "Skip"), SKIPS), "as before");
}

#[test]
fn some_fields_of_a_record_are_not_the_record() {
    let python = |asserts: &str| format!("def test_invoice(client):\n    response = client.get('/1')\n{asserts}");
    let whole = python("    assert response.json() == {'number': 'a', 'net': 100, 'vat': 19, 'paid': False}\n");
    let some =
        python("    payload = response.json()\n    assert payload['number'] == 'a'\n    assert 'vat' in payload\n");
    assert!(is_found("tests/test_invoice.py", &whole, &some, LESS));
    let all = python(
        "    payload = response.json()\n    assert payload['number'] == 'a'\n    assert payload['net'] == 100\n    assert payload['vat'] == 19\n    assert payload['paid'] == False\n",
    );
    assert!(!is_found("tests/test_invoice.py", &whole, &all, LESS), "every field");
    let js = |asserts: &str| format!("it('maps', () => {{\n{asserts}}});\n");
    let whole = js("  expect(user(raw)).toStrictEqual({ id: 17, mail: 'a@b', roles: ['admin', 'editor'] });\n");
    let some = js(
        "  const made = user(raw);\n  expect(made).toMatchObject({ id: 17, mail: 'a@b' });\n  expect(made.roles).toEqual(expect.arrayContaining(['admin']));\n",
    );
    assert!(is_found("test/user.test.js", &whole, &some, LESS));
}

#[test]
fn an_error_of_any_kind_and_a_larger_difference_of_images_are_wider() {
    let node = |error: &str| format!("test('login', async () => {{\n  await assert.rejects({error});\n}});\n");
    let then = node("login('a'), { name: 'AuthError', status: 401 }");
    assert!(is_found("test/login.test.js", &then, &node("() => login('a')"), LESS));
    assert!(is_found("test/login.test.js", &then, &node("() => login('a'), Error"), LESS));
    let same = node("() => login('a'), { name: 'AuthError', status: 401 }");
    assert!(!is_found("test/login.test.js", &then, &same, LESS));
    let image = |share: &str| {
        format!(
            "test('home', async ({{ page }}) => {{\n  await expect(page).toHaveScreenshot('a.png', {{ maxDiffPixelRatio: {share} }});\n}});\n"
        )
    };
    assert!(is_found("e2e/home.spec.ts", &image("0.01"), &image("0.35"), LESS));
    assert!(!is_found("e2e/home.spec.ts", &image("0.35"), &image("0.01"), LESS));
}

#[test]
fn a_helper_that_logs_instead_of_asserting_is_empty() {
    let helper = |line: &str| {
        format!(
            "import logging\n\nlogger = logging.getLogger(__name__)\n\n\ndef assert_rows(got, want):\n    for a, b in zip(got, want):\n        {line}\n"
        )
    };
    let (then, now) = (helper("assert a == b"), helper("a == b or logger.warning('%r', a)"));
    assert!(is_found("tests/helpers.py", &then, &now, LESS));
}

#[test]
fn the_same_demand_in_another_form_is_no_loss() {
    let unit = |body: &str| format!("class TableTest(TestCase):\n    def test_table(self):\n{body}");
    for (then, now) in [
        ("        self.assertFalse('b' in self.names)\n", "        self.assertNotIn('b', self.names)\n"),
        ("        self.assertTrue('b' in self.names)\n", "        self.assertIn('b', self.names)\n"),
        ("        assert run.call_count == 0\n", "        run.assert_not_called()\n"),
        ("        assert run.call_count == 1\n", "        run.assert_called_once()\n"),
        (
            "        assert run.call_count == 2\n        assert run.call_args_list[0][0] == ('a',)\n        assert run.call_args_list[1][0] == ('b',)\n",
            "        assert run.call_args_list == [call('a'), call('b')]\n",
        ),
        ("        self.assertEqual(len(self.names), 2)\n", "        assert len(self.names) == 2\n"),
    ] {
        assert!(!is_found("tests/test_table.py", &unit(then), &unit(now), LESS), "{then}{now}");
    }
}

#[test]
fn the_same_skip_in_another_form_is_no_new_one() {
    let unit = "import sys\nimport unittest\n\n\nclass ProcTest(unittest.TestCase):\n    @unittest.skipUnless(sys.platform.startswith('linux'), 'reads /proc')\n    def test_rss(self):\n        assert rss() > 0\n";
    let bare = |condition: &str| {
        format!(
            "import sys\n\nimport pytest\n\n\n@pytest.mark.skipif({condition}, reason='reads /proc')\ndef test_rss():\n    assert rss() > 0\n"
        )
    };
    assert!(!is_found("tests/test_proc.py", unit, &bare("not sys.platform.startswith('linux')"), SKIPS));
    assert!(is_found("tests/test_proc.py", unit, &bare("sys.platform.startswith('linux')"), SKIPS), "the opposite");
}

#[test]
fn rows_of_a_template_are_counted() {
    let one = |name: &str, text: &str, value: &str| {
        format!("it('{name}', () => {{\n  expect(parse('{text}')).toBe({value});\n}});\n")
    };
    let then = one("reads yes", "yes", "true") + &one("reads no", "no", "false") + &one("reads 1", "1", "true");
    let table = |rows: &str| {
        format!(
            "it.each`\n  text | value\n{rows}`('reads $text', ({{ text, value }}) => {{\n  expect(parse(text)).toBe(value);\n}});\n"
        )
    };
    let rows = ["  ${'yes'} | ${true}\n", "  ${'no'} | ${false}\n", "  ${'1'} | ${true}\n"];
    let gone = "no_deleted_tests";
    assert!(!is_found("test/parse.test.js", &then, &table(&rows.concat()), "tampered no_deleted_tests"));
    assert!(is_found("test/parse.test.js", &table(&rows.concat()), &table(&rows[..2].concat()), gone), "a lost row");
}
