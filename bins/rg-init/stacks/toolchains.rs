//! Cargo, Go, .NET and Swift.

use crate::part::Part;
use crate::proposal::Plan;
use review_gate::donefile::CheckKind::{Lint, Test};

/// Whether a part is a package or a workspace of cargo.
pub fn is_cargo(part: &Part) -> bool {
    part.has(&["Cargo.toml"])
}

/// Whether `cargo test` in the part also tests packages below it.
pub fn is_cargo_workspace(part: &Part) -> bool {
    has_table(&part.text("Cargo.toml"), "workspace")
}

/// Whether a TOML text has that table, or one below it.
pub fn has_table(text: &str, name: &str) -> bool {
    text.lines().filter_map(|line| line.trim().strip_prefix('[')).any(|rest| {
        let rest = rest.trim_start_matches('[').trim_start();
        rest.strip_prefix(name).is_some_and(|end| end.starts_with([']', '.', ' ']))
    })
}

/// Tests; clippy and rustfmt if they are configured.
pub fn cargo(part: &Part, plan: &mut Plan) {
    let text = part.text("Cargo.toml");
    let workspace = if is_cargo_workspace(part) { " --workspace" } else { "" };
    let locked = if part.has(&["Cargo.lock"]) { " --locked" } else { "" };
    plan.check(part, "cargo", "Cargo.toml", ("tests", Test), &format!("cargo test{workspace}{locked}"));
    let is_linted = has_table(&text, "lints") || has_table(&text, "workspace.lints");
    match part.first(&["clippy.toml", ".clippy.toml"]).or(is_linted.then_some("Cargo.toml")) {
        Some(file) => {
            let run = format!("cargo clippy{workspace} --all-targets{locked} -- -D warnings");
            plan.check(part, "cargo", file, ("lint", Lint), &run);
        }
        None => plan.note(&format!("{}: clippy is not configured", part.shown("Cargo.toml"))),
    }
    if let Some(file) = part.first(&["rustfmt.toml", ".rustfmt.toml"]) {
        plan.check(part, "cargo", file, ("format", Lint), "cargo fmt --all --check");
    }
}

/// Whether a part is a Go module.
pub fn is_go(part: &Part) -> bool {
    part.has(&["go.mod"])
}

/// Tests; golangci-lint if it is configured.
pub fn go(part: &Part, plan: &mut Plan) {
    plan.check(part, "go", "go.mod", ("tests", Test), "go test ./...");
    if let Some(file) = part.first(&[".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"]) {
        plan.check(part, "go", file, ("lint", Lint), "golangci-lint run");
    }
}

/// The solutions and projects of .NET.
fn dotnet_files(part: &Part) -> Vec<String> {
    ["sln", "slnx", "csproj", "fsproj", "vbproj"].iter().flat_map(|end| part.with_extension(end)).collect()
}

/// Whether a part has a solution or a project of .NET.
pub fn is_dotnet(part: &Part) -> bool {
    !dotnet_files(part).is_empty()
}

/// Tests.
pub fn dotnet(part: &Part, plan: &mut Plan) {
    let files = dotnet_files(part);
    let Some(file) = files.first() else { return };
    plan.check(part, "dotnet", file, ("tests", Test), "dotnet test");
}

/// Whether a part is a Swift package.
pub fn is_swift(part: &Part) -> bool {
    part.has(&["Package.swift"])
}

/// Tests; swiftlint if it is configured.
pub fn swift(part: &Part, plan: &mut Plan) {
    plan.check(part, "swift", "Package.swift", ("tests", Test), "swift test");
    if part.has(&[".swiftlint.yml"]) {
        plan.check(part, "swift", ".swiftlint.yml", ("lint", Lint), "swiftlint lint --strict");
    }
}
