//! Python: pytest or unittest, below uv or poetry if a project uses them.

use super::toolchains::has_table;
use crate::part::Part;
use crate::proposal::Plan;
use review_gate::donefile::CheckKind::{Lint, Test};

/// Files that make a directory a Python project.
const MANIFESTS: [&str; 8] = [
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "pytest.ini",
    "tox.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "Pipfile",
];

/// Whether a part is a Python project.
pub fn is_used(part: &Part) -> bool {
    part.has(&MANIFESTS)
}

/// Tests; the linters, formatters and type checkers that are configured.
pub fn propose(part: &Part, plan: &mut Plan) {
    let project = part.text("pyproject.toml");
    let all = MANIFESTS.map(|name| part.text(name)).concat();
    let prefix = if part.has(&["uv.lock"]) || has_table(&project, "tool.uv") {
        "uv run "
    } else if part.has(&["poetry.lock"]) || has_table(&project, "tool.poetry") {
        "poetry run "
    } else {
        ""
    };
    let python = if prefix.is_empty() { "python3" } else { "python" };
    let module = |name: &str| format!("{prefix}{python} -m {name}");
    let manifest = part.first(&MANIFESTS).unwrap_or("setup.py");
    if part.has(&["pytest.ini", "conftest.py", "tests/conftest.py"]) || all.contains("pytest") {
        plan.check(part, "python", manifest, ("tests", Test), &module("pytest"));
    } else if uses_unittest(part) {
        // Without __init__.py the directory of the tests is no package, and discovery begins in it.
        let dir = if part.has_dir("tests") && !part.has(&["tests/__init__.py"]) { " discover -s tests" } else { "" };
        plan.check(part, "python", manifest, ("tests", Test), &module(&format!("unittest{dir}")));
    } else {
        plan.note(&format!("{}: neither pytest nor tests of unittest were found", part.shown(manifest)));
    }
    let tools = [
        ("ruff", "lint", "ruff check .", &["ruff.toml", ".ruff.toml"][..], "tool.ruff"),
        ("flake8", "lint", "flake8", &[".flake8"], "flake8"),
        ("mypy", "types", "mypy .", &["mypy.ini", ".mypy.ini"], "tool.mypy"),
        ("pyright", "types", "pyright", &["pyrightconfig.json"], "tool.pyright"),
        ("black", "format", "black --check .", &[], "tool.black"),
    ];
    for (tool, name, run, files, table) in tools {
        let file = part.first(files).or(has_table(&project, table).then_some("pyproject.toml"));
        let file = file.or((tool == "flake8" && has_table(&part.text("setup.cfg"), table)).then_some("setup.cfg"));
        if let Some(file) = file {
            plan.check(part, tool, file, (name, Lint), &format!("{prefix}{run}"));
        }
    }
    for file in ["tox.ini", "noxfile.py"] {
        if part.has(&[file]) {
            plan.note(&format!("{}: its environments are not run", part.shown(file)));
        }
    }
}

/// Whether a test file uses unittest.
fn uses_unittest(part: &Part) -> bool {
    ["", "tests", "test"].iter().any(|below| {
        let dir = Part { dir: part.dir.join(below), below: String::new() };
        let files = dir.with_extension("py");
        files.iter().any(|name| name.starts_with("test") && dir.text(name).contains("unittest"))
    })
}
