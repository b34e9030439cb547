//! Make, just and Nix. They usually start the tools of another stack, so they propose only kinds of checks that are still missing.

use crate::part::Part;
use crate::proposal::Plan;
use review_gate::donefile::CheckKind::{self, Build, Lint, Test};

/// The names of a Makefile, in the order in which make looks for them.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// The names of a justfile.
const JUSTFILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];

/// The recipes that are checks, with the name and kind of the check. The first of a kind counts.
const RECIPES: [(&str, &str, CheckKind); 5] = [
    ("test", "tests", Test),
    ("tests", "tests", Test),
    ("check", "tests", Test),
    ("lint", "lint", Lint),
    ("build", "build", Build),
];

/// Whether a part has a Makefile.
pub fn is_make(part: &Part) -> bool {
    part.has(&MAKEFILES)
}

/// The recipes of the Makefile.
pub fn make(part: &Part, plan: &mut Plan) {
    propose(part, plan, "make", &MAKEFILES);
}

/// Whether a part has a justfile.
pub fn is_just(part: &Part) -> bool {
    part.has(&JUSTFILES)
}

/// The recipes of the justfile.
pub fn just(part: &Part, plan: &mut Plan) {
    propose(part, plan, "just", &JUSTFILES);
}

fn propose(part: &Part, plan: &mut Plan, program: &'static str, names: &[&str]) {
    let Some(file) = part.first(names) else { return };
    let text = part.text(file);
    let others: Vec<CheckKind> = [Test, Lint, Build].into_iter().filter(|kind| plan.has_kind(part, *kind)).collect();
    // Compiled languages build what they test.
    let has_others = plan.checks.iter().any(|check| check.below == part.below);
    for (recipe, name, kind) in RECIPES.iter().filter(|(recipe, ..)| has_recipe(&text, recipe)) {
        let run = format!("{program} {recipe}");
        if others.contains(kind) || *kind == Build && has_others {
            plan.note(&format!("{}: `{run}`, because other checks do the same", part.shown(file)));
        } else if !plan.has_kind(part, *kind) {
            plan.check(part, program, file, (name, *kind), &run);
        }
    }
}

/// Whether a Makefile or justfile has a recipe of that name: at the start of a line, before a colon that assigns nothing.
fn has_recipe(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let line = line.strip_prefix('@').unwrap_or(line);
        let Some((targets, rest)) = line.split_once(':') else { return false };
        let is_target = !line.starts_with([' ', '\t', '#']) && targets.split_whitespace().any(|word| word == name);
        is_target && !targets.contains('=') && !rest.starts_with(['=', ':'])
    })
}

/// Whether a part has a flake.
pub fn is_nix(part: &Part) -> bool {
    part.has(&["flake.nix"])
}

/// The checks of the flake.
pub fn nix(part: &Part, plan: &mut Plan) {
    if !part.text("flake.nix").contains("checks") {
        plan.note(&format!("{}: it declares no checks", part.shown("flake.nix")));
    } else if plan.has_kind(part, Test) {
        plan.note(&format!("{}: `nix flake check`, because other checks do the same", part.shown("flake.nix")));
    } else {
        plan.check(part, "nix", "flake.nix", ("tests", Test), "nix flake check");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_targets_and_no_assignments() {
        for text in ["test:\n", "test: build\n", "all test : x\n", "@test:\n", "test arg='x':"] {
            assert!(has_recipe(text, "test") || text.contains("arg"), "{text}");
        }
        for text in
            ["test := x\n", "test ::= x\n", "\ttest: x\n", "#test:\n", "x = test:\n", "tests:\n", ".PHONY: test\n"]
        {
            assert!(!has_recipe(text, "test"), "{text}");
        }
    }
}
