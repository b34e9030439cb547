//! Honest changes of configuration, scripts and CI, each beside one that checks less.

use crate::honest_tests::{edited, found};

/// A workflow whose job has this matrix and this condition.
fn workflow(matrix: &str, condition: &str, rest: &str) -> String {
    format!(
        "on: [pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n{matrix}    steps:\n      - run: pytest\n      - run: mypy .\n        if: {condition}\n{rest}"
    )
}

const CI: &str = ".github/workflows/ci.yml";

#[test]
fn a_condition_follows_the_matrix() {
    let versions = |list: &str| format!("        python: [{list}]\n");
    let with = |list: &str, condition: &str| {
        let then = workflow(&versions("'3.9', '3.10'"), "matrix.python == '3.9'", "");
        found(&[(CI, Some(&then), Some(&workflow(&versions(list), condition, "")))])
    };
    assert_eq!(with("'3.10', '3.11'", "matrix.python == '3.10'"), "");
    assert_ne!(with("'3.10', '3.11'", "matrix.python == '3.8'"), "", "no cell has this value");
    assert_ne!(with("'3.9', '3.10'", "matrix.python == '3.10'"), "", "the old value is still there");
    assert_ne!(with("'3.10', '3.11'", "github.actor == '3.10'"), "", "another condition");
}

#[test]
fn a_value_of_a_matrix_may_move() {
    let then = workflow("        os: [ubuntu-latest, windows-latest, macos-13]\n", "always()", "");
    let with = |matrix: &str, rest: &str| found(&[(CI, Some(&then), Some(&workflow(matrix, "always()", rest)))]);
    let two = "        os: [ubuntu-latest, windows-latest]\n";
    let include = format!("{two}        include:\n          - os: macos-13\n            extra: 1\n");
    assert_eq!(with(&include, ""), "");
    let job = "  mac:\n    runs-on: macos-13\n    steps:\n      - run: pytest\n      - run: mypy .\n";
    assert_eq!(with(two, job), "");
    assert_eq!(with(two, ""), "warning no_ci_gutting", "it is gone");
    let other = format!("{two}        include:\n          - os: windows-latest\n            extra: 1\n");
    assert_eq!(with(&other, ""), "warning no_ci_gutting", "another value is included");
}

#[test]
fn one_command_may_stand_for_several() {
    let package = |lint: &str| format!("{{\"scripts\": {{\"test\": \"jest\", \"lint\": \"{lint}\"}}}}\n");
    let then = package("eslint index.js lib/*.js && eslint types/*.ts tests/*.ts");
    let with = |lint: &str| found(&[("package.json", Some(&then), Some(&package(lint)))]);
    assert_eq!(with("eslint ."), "");
    assert_ne!(with("eslint index.js lib/*.js"), "", "fewer paths");
    assert_ne!(with("eslint . || true"), "", "it does not fail");
    assert_ne!(with("eslint --quiet ."), "", "with an option");
}

#[test]
fn the_first_configuration_of_a_tool_lowers_no_bar() {
    let ruff = "line-length = 120\n[lint]\nignore = [\"E501\"]\n";
    let project = |more: &str| format!("[project]\nname = \"a\"\n{more}");
    let with = |more: &str| {
        let project = project(more);
        found(&[("ruff.toml", None, Some(ruff)), ("pyproject.toml", Some(&project), Some(&project))])
    };
    assert_eq!(with(""), "");
    assert_ne!(with("[dependency-groups]\ndev = [\"ruff\"]\n"), "", "it was used without configuration");
    let ci = "on: [push]\njobs:\n  lint:\n    steps:\n      - run: ruff check\n";
    assert_ne!(found(&[("ruff.toml", None, Some(ruff)), (CI, Some(ci), Some(ci))]), "", "CI calls it");
}

#[test]
fn fewer_exclusions_are_no_fewer_values_of_a_matrix() {
    let ci = |exclude: &str, values: &str| {
        format!(
            "on: [push]\njobs:\n  test:\n    strategy:\n      matrix:\n        ruby: [{values}]\n        exclude:\n{exclude}    steps:\n      - run: rake test\n"
        )
    };
    let one = "          - ruby: '3.1'\n";
    let two = "          - ruby: '3.1'\n          - ruby: '3.0'\n";
    let values = "'3.2', '3.1', '3.0'";
    assert_eq!(edited(CI, &ci(two, values), &ci(one, values)), "");
    assert_ne!(edited(CI, &ci(one, values), &ci(one, "'3.2'")), "");
}

#[test]
fn an_included_item_of_a_matrix_may_move_to_another_job() {
    let job = |name: &str, items: &str, runs_on: &str| {
        let matrix = if items.is_empty() {
            String::new()
        } else {
            format!("    strategy:\n      matrix:\n        include:\n{items}")
        };
        format!("  {name}:\n    runs-on: {runs_on}\n{matrix}    steps:\n      - run: pytest\n")
    };
    let (linux, mac) = (
        "          - {os: linux, python: cp39}\n          - {os: linux, python: cp310}\n",
        "          - {os: mac, python: cp311}\n",
    );
    let then = format!("on: [push]\njobs:\n{}", job("test", &format!("{linux}{mac}"), "x"));
    let with = |more: &str| {
        let now = format!("on: [push]\njobs:\n{}{more}", job("test", linux, "x"));
        found(&[(CI, Some(&then), Some(&now))])
    };
    assert_eq!(with(&job("mac", mac, "x")), "", "to the matrix of another job");
    let plain = format!("{}    env:\n      PYTHON: cp311\n", job("mac", "", "mac"));
    assert_eq!(with(&plain), "", "to a job of its own");
    assert_eq!(with(&job("mac", "", "mac")), "warning no_ci_gutting", "with another version");
    assert_eq!(with(""), "warning no_ci_gutting", "it is gone");
}

#[test]
fn a_configuration_that_is_joined_to_a_list_of_projects_lowers_no_bar() {
    let root = |projects: &str| format!("{{\"files\": [], \"references\": [{projects}]}}\n");
    let loose = "{\"compilerOptions\": {\"strict\": false, \"skipLibCheck\": true}}\n";
    let code = "export const a = 1;\n";
    let with = |then: &str, now: &str, path: &str| {
        let (then, now) = (root(then), root(now));
        found(&[
            ("tsconfig.json", Some(&then), Some(&now)),
            ("tools/a.ts", Some(code), Some(code)),
            (path, None, Some(loose)),
        ])
    };
    let (one, two) = ("{\"path\": \"./src\"}", "{\"path\": \"./src\"}, {\"path\": \"./tools\"}");
    assert_eq!(with(one, two, "tools/tsconfig.json"), "");
    assert_ne!(with(one, one, "tools/tsconfig.json"), "", "nothing names it");
    assert_ne!(with(one, "{\"path\": \"./tools\"}", "tools/tsconfig.json"), "", "another one left the list");
    let jest = |projects: &str, lines: u8| {
        format!(
            "module.exports = {{\n  projects: [{projects}],\n  coverageThreshold: {{ global: {{ lines: {lines} }} }},\n}};\n"
        )
    };
    let more = "module.exports = {\n  coverageThreshold: { global: { lines: 10 } },\n};\n";
    let joined = |then: &str, now: &str| {
        found(&[("jest.config.js", Some(then), Some(now)), ("jest.e2e.config.js", None, Some(more))])
    };
    let (a, b) = ("'<rootDir>/a'", "'<rootDir>/a', './jest.e2e.config.js'");
    assert_eq!(joined(&jest(a, 90), &jest(b, 90)), "");
    assert_eq!(
        joined(&jest(a, 90), &jest(b, 80)),
        "tampered no_lowered_coverage",
        "the file with the list demands less"
    );
    assert_eq!(joined(&jest("", 90), &jest("", 10)), "tampered no_lowered_coverage");
}

#[test]
fn a_command_may_run_under_several_conditions() {
    let ci = |conditions: [&str; 2], other: &str| {
        let step = |condition: &str| format!("      - run: pytest {other}\n        if: {condition}\n");
        format!(
            "on: [push]\njobs:\n  test:\n    steps:\n{}{}      - run: mypy .\n",
            step(conditions[0]),
            step(conditions[1])
        )
    };
    let then = ci(["matrix.os == 'linux'", "matrix.os == 'mac'"], "");
    let with = |now: &str| found(&[(CI, Some(&then), Some(now))]);
    assert_eq!(with(&ci(["matrix.os == 'mac'", "matrix.os == 'linux'"], "")), "", "in another order");
    assert_ne!(with(&ci(["matrix.os == 'linux'", "github.actor == 'a'"], "")), "", "one condition is another one");
}

#[test]
fn fewer_modules_of_an_exception_are_no_looser() {
    let project = |modules: &str| {
        format!("[tool.mypy]\nstrict = true\n\n[[tool.mypy.overrides]]\nmodule = [{modules}]\nignore_errors = true\n")
    };
    let then = project("'app.a', 'app.b'");
    let with = |modules: &str| found(&[("pyproject.toml", Some(&then), Some(&project(modules)))]);
    assert_eq!(with("'app.a'"), "");
    assert_ne!(with("'app.a', 'app.c'"), "", "another module");
    assert_ne!(with("'app.a', 'app.b', 'app.c'"), "", "one more");
}
