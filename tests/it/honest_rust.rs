//! Honest changes of projects in Rust, each beside a change that lowers the bar.

use crate::honest_tests::{edited, found};

const SENT_BACK: &str = "tampered no_disabled_lint";

#[test]
fn a_single_lint_of_clippy_that_is_allowed_is_a_warning() {
    let source = |lints: &str| format!("#![allow({lints})]\n\npub fn area(side: u32) -> u32 {{\n    side * side\n}}\n");
    let of = |lints: &str| edited("src/lib.rs", &source("clippy::needless_return"), &source(lints));
    assert_eq!(of("clippy::needless_return, clippy::too_many_lines"), "warning no_disabled_lint");
    assert_eq!(of("clippy::needless_return, clippy::all"), SENT_BACK);
    assert_eq!(of("clippy::needless_return, clippy::correctness"), SENT_BACK);
    let bare = "pub fn area(side: u32) -> u32 {\n    side * side\n}\n";
    let denied = format!("#![deny(clippy::unwrap_used)]\n{bare}");
    assert_eq!(edited("src/lib.rs", &denied, &denied.replace("deny", "allow")), SENT_BACK, "the file demanded it");
    let with = |lint: &str| edited("src/lib.rs", bare, &format!("#![allow({lint})]\n{bare}"));
    assert_eq!(with("clippy::wildcard_imports"), "warning no_disabled_lint");
    assert_eq!(with("clippy::wildcard_imports, dead_code"), SENT_BACK, "one finding for one attribute");
    assert_eq!(
        (with("dead_code"), with("warnings"), with("unused")),
        (SENT_BACK.into(), SENT_BACK.into(), SENT_BACK.into())
    );
}

#[test]
fn a_lint_of_the_compiler_is_a_warning_on_one_definition_and_in_code_that_is_not_shipped() {
    let helper = "pub fn area(side: u32) -> u32 {\n    side * side\n}\n";
    let with = |path: &str, lint: &str| edited(path, helper, &format!("#![allow({lint})]\n{helper}"));
    assert_eq!(with("tests/util/mod.rs", "dead_code"), "warning no_disabled_lint");
    assert_eq!(with("benches/area.rs", "deprecated"), "warning no_disabled_lint");
    assert_eq!(with("tests/util/mod.rs", "unused_must_use"), SENT_BACK);
    assert_eq!(with("tests/util/mod.rs", "warnings"), SENT_BACK);
    let import = |lints: &str| {
        edited("src/lib.rs", &format!("#[allow(unused_imports)]\n{helper}"), &format!("#[allow({lints})]\n{helper}"))
    };
    assert_eq!(import("unused_imports, unreachable_pub"), "warning no_disabled_lint");
    assert_eq!(import("unused_imports, warnings"), SENT_BACK);
}

/// The findings if a test that always ran gets an attribute.
fn with_attribute(attribute: &str, manifests: (&str, &str), source: (&str, &str)) -> String {
    let test = "#[test]\nfn reads() {\n    assert_eq!(tally::read(\"a\"), 1);\n}\n";
    found(&[
        ("Cargo.toml", Some(manifests.0), Some(manifests.1)),
        ("src/lib.rs", Some(source.0), Some(source.1)),
        ("tests/read.rs", Some(test), Some(&format!("{attribute}\n{test}"))),
    ])
}

const PACKAGE: &str = "[package]\nname = \"tally\"\nversion = \"0.1.0\"\n";
const READ: &str = "pub fn read(text: &str) -> usize {\n    text.len()\n}\n";
const SKIPPED: &str = "tampered no_new_skips";

#[test]
fn a_feature_that_the_package_had_or_builds_by_default_is_a_warning() {
    let features = |list: &str| format!("{PACKAGE}\n[features]\n{list}");
    let (none, env, std) = (features(""), features("env = []\n"), features("default = [\"std\"]\nstd = []\n"));
    let of = |attribute: &str, then: &str, now: &str| with_attribute(attribute, (then, now), (READ, READ));
    let is_env = "#[cfg(feature = \"env\")]";
    assert_eq!(of(is_env, &env, &env), "warning no_new_skips");
    assert_eq!(of(is_env, &none, &env), SKIPPED, "the change brings it");
    assert_eq!(of(is_env, &none, &none), SKIPPED, "nobody declares it");
    assert_eq!(of("#[cfg(feature = \"std\")]", &none, &std), "warning no_new_skips", "it is built by default");
    assert_eq!(of("#[cfg(not(feature = \"std\"))]", &std, &std), SKIPPED, "it is built by default");
    assert_eq!(of("#[cfg(all(feature = \"env\", any()))]", &env, &env), SKIPPED, "it never holds");
    assert_eq!(of("#[cfg(all(feature = \"env\", not(test)))]", &env, &env), SKIPPED, "it never holds in a test");
}

#[test]
fn a_name_that_the_code_asked_for_before_is_a_warning() {
    let asking = format!("#[cfg(not(no_threads))]\npub fn spawn() {{}}\n\n{READ}");
    let calling = format!("pub fn no_threads() {{}}\n\n{READ}");
    let of = |then: &str, now: &str| with_attribute("#[cfg(not(no_threads))]", (PACKAGE, PACKAGE), (then, now));
    assert_eq!(of(&asking, &asking), "warning no_new_skips");
    assert_eq!(of(READ, &asking), SKIPPED, "the change brings it");
    assert_eq!(of(&calling, &calling), SKIPPED, "it is a function");
    let unwinds = "#[cfg_attr(not(panic = \"unwind\"), ignore)]";
    assert_eq!(with_attribute(unwinds, (PACKAGE, PACKAGE), (READ, READ)), "warning no_new_skips");
}

#[test]
fn an_example_in_documentation_that_changes_is_a_warning() {
    let source = |example: &str, rest: &str| {
        format!("/// Adds.\n///\n{example}pub fn add(a: u8, b: u8) -> u8 {{\n    a + b\n}}\n\n{rest}")
    };
    let example = "/// ```\n/// let sum = tally::add(1, 2);\n/// assert_eq!(sum, 3);\n/// assert_eq!(tally::add(0, 0), 0);\n/// ```\n";
    let of = |now: &str| edited("src/lib.rs", &source(example, ""), &source(now, ""));
    assert_eq!(of(""), "warning no_deleted_tests");
    assert_eq!(of(&example.replace("/// assert_eq!(sum, 3);\n", "")), "warning no_weakened_asserts");
    assert_eq!(of(&example.replace("```\n/// let", "```no_run\n/// let")), "warning no_new_skips");
    let test = "#[test]\nfn adds() {\n    assert_eq!(add(2, 3), 5);\n}\n";
    assert_eq!(edited("src/lib.rs", &source("", test), &source("", "")), "tampered no_deleted_tests", "a test");
}

#[test]
fn an_example_is_no_predecessor_of_a_test() {
    let example = "/// ```\n/// span!(Level::INFO, \"large span\", a = 1);\n/// assert!(large_span(1));\n/// assert!(large_span(2));\n/// ```\n";
    let source = "pub fn large_span(a: u8) -> bool {\n    a > 0\n}\n";
    let test = "#[test]\nfn large_span() {\n    span!(Level::INFO, \"large span\", a = 1, b = 2);\n}\n";
    let edits = [
        ("src/lib.rs", Some(format!("{example}{source}")), Some(source.to_string())),
        ("tests/macros.rs", None, Some(test.to_string())),
    ];
    let edits: Vec<_> = edits.iter().map(|(path, then, now)| (*path, then.as_deref(), now.as_deref())).collect();
    assert_eq!(found(&edits), "warning no_deleted_tests");
}

#[test]
fn a_test_that_has_another_name_and_left_its_own_to_a_new_one_is_the_same_test() {
    let test = |mark: &str, name: &str, value: &str| {
        format!(
            "{mark}#[test]\nfn {name}() {{\n    let list = parse(\"{value}\");\n    assert_eq!(list.len(), 2);\n    assert_eq!(list[0], \"{value}\");\n}}\n"
        )
    };
    let windows = "#[cfg(not(slow_machine))]\n";
    let then = test("", "parses", "a");
    let now = format!("{}\n{}", test("", "parses_basic", "a"), test(windows, "parses", "b"));
    assert_eq!(edited("tests/parse.rs", &then, &now), "");
    let now = format!("{}\n{}", test(windows, "parses_basic", "a"), test("", "parses", "b"));
    assert_eq!(edited("tests/parse.rs", &then, &now), SKIPPED);
}

#[test]
fn a_macro_of_the_file_asserts_for_the_tests_that_call_it() {
    let file = |rule: &str, new: &str| {
        format!(
            "macro_rules! match_next {{\n    ($iter:ident, $value:literal, $($style:tt)+) => {{\n        let _next = $iter.next().unwrap();\n{rule}    }};\n}}\n\npub fn parse(text: &str) -> Vec<String> {{\n    let one = text.split(',').map(str::to_string);\n{new}    one.collect()\n}}\n\n#[test]\nfn parses_one() {{\n    let all = parse(\"a\");\n    let mut all = all.iter();\n    match_next!(all, \"a\", None);\n}}\n"
        )
    };
    let rule = "        assert_eq!(_next, $value);\n        $( assert_eq!(_next.style(), $style); )+\n";
    let check = "    match text {\n        \"\" => unreachable!(),\n        _ => {}\n    }\n";
    let then = file(rule, check);
    let now = file(rule, "").replace("let mut all = all.iter();", "let mut all = all.into_iter();");
    assert_eq!(edited("src/parse.rs", &then, &now), "");
    assert_eq!(edited("tests/parse.rs", &then, &file("", check)), "tampered no_weakened_asserts");
}

#[test]
fn a_test_of_what_compiles_asserts() {
    let test = |name: &str, line: &str| {
        format!("#[test]\nfn {name}() {{\n    let t = trybuild::TestCases::new();\n{line}}}\n")
    };
    let (pass, fail) = ("    t.pass(\"tests/ui/pass/*.rs\");\n", "    t.compile_fail(\"tests/ui/fail/*.rs\");\n");
    let then = test("compile_fail", fail);
    let now = format!("{}\n{}", test("pass", pass), test("compile_fail", fail));
    assert_eq!(edited("tests/ui.rs", &then, &now), "");
    assert_eq!(edited("tests/ui.rs", &now, &format!("{}\n{}", test("pass", ""), then)), "tampered no_emptied_tests");
}

#[test]
fn a_test_that_another_one_calls_in_a_file_with_a_condition_still_runs() {
    let gate = "#![cfg(feature = \"registry\")]\n\n";
    let body =
        |name: &str| format!("fn {name}() {{\n    let level = {name}_level();\n    assert_eq!(level, 3);\n}}\n\n");
    let then = format!("{gate}#[test]\n{}#[test]\n{}", body("handle"), body("filter"));
    let now = |mark: &str| {
        let caller = format!("{mark}#[test]\nfn all_in_turn() {{\n    handle();\n    filter();\n}}\n\n");
        format!("{gate}{caller}{}{}", body("handle"), body("filter"))
    };
    assert_eq!(edited("tests/reload.rs", &then, &now("")), "");
    assert_ne!(edited("tests/reload.rs", &then, &now("#[ignore]\n")), "");
}

#[test]
fn a_file_of_helpers_that_moved_to_source_is_not_removed() {
    let helpers = "pub struct Mock {\n    calls: usize,\n}\n\nimpl Mock {\n    pub fn call(&mut self, name: &str) {\n        self.calls += 1;\n        assert!(!name.is_empty());\n    }\n}\n";
    let moved = helpers.replace("pub struct", "/// A mock.\npub struct");
    let of = |then: &str, now: Option<&str>| {
        found(&[("tests/support.rs", Some(then), None), ("mock/src/mock.rs", None, now)])
    };
    assert_eq!(of(helpers, Some(&moved)), "");
    assert_eq!(of(helpers, Some("pub struct Other;\n")), "tampered no_deleted_tests", "other lines");
    let program = format!("{helpers}\nfn main() {{\n    Mock {{ calls: 0 }}.call(\"a\");\n}}\n");
    assert_eq!(of(&program, Some(&program)), "tampered no_deleted_tests", "a program of its own");
}

#[test]
fn a_test_that_was_never_built_is_not_removed() {
    let rest = "#[test]\nfn reads() {\n    assert_eq!(read(\"a\"), 1);\n}\n";
    let gated = format!(
        "{rest}\n#[cfg(feature = \"sizes\")]\n#[test]\nfn reads_all() {{\n    assert_eq!(read(\"abc\"), 3);\n}}\n"
    );
    let of = |features: &str| {
        let manifest = format!("{PACKAGE}\n[features]\n{features}");
        found(&[("Cargo.toml", Some(&manifest), Some(&manifest)), ("tests/read.rs", Some(&gated), Some(rest))])
    };
    assert_eq!(of("std = []\n"), "");
    assert_eq!(of("sizes = []\n"), "tampered no_deleted_tests");
}

#[test]
fn lints_of_what_the_change_deprecates_are_a_warning() {
    let source = |mark: &str| format!("{mark}pub fn old_area(side: u32) -> u32 {{\n    side * side\n}}\n");
    let of = |mark: &str| {
        let (then, now) = (source(""), format!("#![allow(deprecated)]\n\n{}", source(mark)));
        edited("src/old.rs", &then, &now)
    };
    assert_eq!(of("#[deprecated]\n"), "warning no_disabled_lint");
    assert_eq!(of(""), SENT_BACK);
}

#[test]
fn a_new_target_may_run_without_the_harness() {
    let manifest = |rest: &str| format!("{PACKAGE}{rest}");
    let target = "\n[[test]]\nname = \"suite\"\npath = \"tests/suite.rs\"\nharness = false\n";
    let program = "fn main() {\n    tally::run_all();\n}\n";
    let of = |then: Option<&str>| {
        found(&[("Cargo.toml", Some(&manifest("")), Some(&manifest(target))), ("tests/suite.rs", then, Some(program))])
    };
    assert_eq!(of(None), "");
    assert_eq!(of(Some("fn main() {\n    tally::run();\n}\n")), "tampered no_config_loosening");
}

#[test]
fn a_test_of_a_macro_may_have_its_name_behind_a_key() {
    let test = |name: &str, status: &str| {
        format!(
            "test! {{\n    name: {name},\n    server: expected: \"GET / HTTP/1.1\",\n    client: status: {status},\n}}\n"
        )
    };
    let both = format!("{}\n{}", test("client_get", "OK"), test("client_post", "CREATED"));
    assert_eq!(edited("tests/client.rs", &both, &test("client_post", "CREATED")), "tampered no_deleted_tests");
    let longer = format!("{both}\n{}", test("client_head", "OK"));
    assert_eq!(edited("tests/client.rs", &both, &longer), "");
}

#[test]
fn the_message_of_an_expected_panic_may_be_a_raw_string() {
    let test =
        |attribute: &str| format!("#[test]\n#[should_panic{attribute}]\nfn rejects() {{\n    route(\"/\");\n}}\n");
    let then = test(" = \"Invalid route \\\"/\\\": insertion failed\"");
    assert_eq!(edited("tests/route.rs", &then, &test(" = r#\"Invalid route \"/\": Insertion failed\"#")), "");
    assert_ne!(edited("tests/route.rs", &then, &test("")), "");
}

#[test]
fn an_assertion_of_a_pattern_may_have_a_macro_of_its_own() {
    let test = |one: &str, other: &str| format!("#[test]\nfn finds() {{\n{one}{other}}}\n");
    let then = |path: &str| {
        format!(
            "    let result = find({path});\n    assert!(\n        matches!(result, Ok(Err(NotFound {{ .. }}))),\n        \"in {path}: {{result:?}}\"\n    );\n"
        )
    };
    let now = |path: &str| {
        format!(
            "    let result = find({path});\n    assert_matches!(\n        result,\n        Ok(Err(NotFound {{ .. }})),\n        \"in {path}: {{result:?}}\"\n    );\n"
        )
    };
    let of = |one: &str, other: &str| edited("tests/find.rs", &test(&then("1"), &then("2")), &test(one, other));
    assert_eq!(of(&now("1"), &now("2")), "");
    assert_ne!(of(&now("1"), "    let result = find(2);\n"), "");
}

#[test]
fn a_value_of_fewer_items_is_no_table_of_fewer_cases() {
    let test = |value: &str, rest: &str| {
        format!(
            "#[test]\nfn extends() {{\n    let mut range = 0..10;\n    let all: List<_, 5> = {value}.map(|n| n).collect();\n{rest}}}\n"
        )
    };
    let of = |rest: &str| {
        let (then, now) = (test("range.by_ref()", rest), test("range.by_ref().take(5)", rest));
        edited("tests/list.rs", &then, &now)
    };
    assert_eq!(of("    assert_eq!(all.len(), 5);\n"), "");
    assert_ne!(of("    for n in all {\n        assert_eq!(read(n), n);\n    }\n"), "");
}

#[test]
fn a_single_lint_that_a_manifest_allows_is_a_warning() {
    let manifest = |lints: &str| format!("{PACKAGE}\n[lints.clippy]\nall = \"warn\"\n{lints}");
    let of = |lints: &str| edited("Cargo.toml", &manifest(""), &manifest(lints));
    assert_eq!(of("type_complexity = \"allow\"\n"), "warning no_config_loosening");
    assert_eq!(of("correctness = \"allow\"\n"), "tampered no_config_loosening");
}

#[test]
fn a_closure_that_ends_in_its_line_holds_no_assertion_below() {
    let test = |call: &str| {
        format!(
            "#[test]\nfn groups() {{\n    for (key, part) in &text().{call}(|c| c) {{\n        assert_eq!(part, key);\n    }}\n}}\n"
        )
    };
    let source = "pub fn group(f: Key) -> Groups {\n    Groups { f }\n}\n\npub fn chunk(f: Key) -> Groups {\n    Groups::default()\n}\n";
    let of = |then: &str, now: &str| {
        found(&[("src/lib.rs", Some(source), Some(source)), ("tests/list.rs", Some(then), Some(now))])
    };
    assert_eq!(of(&test("group"), &test("chunk")), "");
    let inside = "#[test]\nfn groups() {\n    chunk(|key| {\n        assert_eq!(part(), key);\n    });\n}\n";
    let bare = "#[test]\nfn groups() {\n    let key = one();\n    assert_eq!(part(), key);\n}\n";
    assert_eq!(of(bare, inside), "tampered no_weakened_asserts");
}

#[test]
fn a_macro_that_is_broken_hides_no_test() {
    let test = |name: &str| format!("#[test]\nfn {name}() {{\n    assert_eq!({name}_of(1), 2);\n}}\n\n");
    for broken in
        ["macro_rules! a { () => }\n", "macro_rules! a {\n    ($($x:tt)*) => { $( $\n", "macro_rules! { $ }\n"]
    {
        let then = format!("{}{}{broken}", test("first"), test("second"));
        let now = format!("{}{broken}", test("first"));
        assert!(edited("tests/a.rs", &then, &now).contains("tampered no_deleted_tests"), "{broken}");
    }
}
