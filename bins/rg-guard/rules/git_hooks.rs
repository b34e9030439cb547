//! Rules about the hooks of a repository: skipping and removing them.

use super::context::Context;
use super::files;
use super::git_history::verb;
use super::rule::{Rule, When, ask, deny};
use crate::command::{Call, flags};

fn skips_hooks(call: &Call) -> bool {
    let verbs = ["commit", "push", "merge", "am", "rebase", "cherry-pick", "pull"];
    let skipped = verbs.iter().any(|name| {
        let dry = *name == "push";
        verb(call, name).is_some_and(|found| found.has("--no-verify") || *name == "commit" && found.has("-n") && !dry)
    });
    let dry_push = verb(call, "push").is_some_and(|found| found.is_set(&["-n", "--dry-run"]));
    let setting = |(name, value): &(String, String)| {
        // Programs of another directory take the place of git's own, and of its hooks.
        let is_path = matches!(name.as_str(), "git:core.hookspath" | "git:--exec-path" | "GIT_EXEC_PATH");
        is_path || name == "HUSKY" && value == "0" || name == "HUSKY_SKIP_HOOKS" || name == "SKIP"
    };
    let by_setting = call.assigns.iter().any(setting) && verbs.iter().any(|name| verb(call, name).is_some());
    let configures = verb(call, "config").is_some_and(|found| {
        let unsets = found.any(&["--unset", "--unset-all"]) || found.operand(0) == "unset";
        if unsets && found.operands.iter().any(|arg| arg.text.eq_ignore_ascii_case("core.hookspath")) {
            return true;
        }
        let words: Vec<&String> = found.operands.iter().map(|arg| &arg.text).filter(|text| *text != "set").collect();
        words.first().is_some_and(|name| name.eq_ignore_ascii_case("core.hookspath"))
            && words.len() > 1
            && !is_hooks_dir(words[1])
    });
    skipped && !dry_push || by_setting || configures
}

/// Whether a directory is a usual one for a project's own hooks.
fn is_hooks_dir(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    matches!(name, ".githooks" | "githooks" | "hooks" | ".husky" | "_") && !path.starts_with("/tmp")
}

/// Directories of a project's own hooks.
const HOOK_DIRS: [&str; 3] = [".husky", ".githooks", "githooks"];

/// Whether a path is such a directory, or a hook in one: `.husky`, `.githooks/pre-commit`.
fn is_hook(path: &str) -> bool {
    let mut names = path.trim_end_matches('/').rsplit('/');
    let (last, above) = (names.next().unwrap_or(""), names.next().unwrap_or(""));
    let is_name =
        |name: &str| ["pre-", "post-", "commit-msg", "prepare-commit-msg"].iter().any(|start| name.starts_with(start));
    HOOK_DIRS.contains(&last) || HOOK_DIRS.contains(&above) && is_name(last)
}

/// Whether a call removes, renames or locks the hooks of a project.
fn removes_hooks(call: &Call, _: &Context) -> bool {
    if call.is_remote {
        return false;
    }
    let is_lost = |paths: Vec<&str>| paths.into_iter().any(is_hook);
    match call.name.as_str() {
        "git" => verb(call, "rm").is_some_and(|found| {
            !found.has("--cached") && is_lost(found.operands.iter().map(|arg| arg.text.as_str()).collect())
        }),
        "mv" => {
            let found = flags(&call.args, "-t -S");
            let count = found.operands.len().saturating_sub(1);
            is_lost(found.operands.iter().take(count).map(|arg| arg.text.as_str()).collect())
        }
        "chmod" => {
            let texts: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
            let locks =
                texts.iter().any(|text| text.contains("-x") || matches!(*text, "644" | "0644" | "600" | "000" | "0"));
            locks && is_lost(texts)
        }
        _ => files::removed_paths(call).is_some_and(|(paths, _)| is_lost(paths.iter().map(String::as_str).collect())),
    }
}

/// The programs that may remove a hook.
const REMOVERS: &[&str] = &["rm", "unlink", "rimraf", "shred", "mv", "chmod", "git"];

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(&["git"], |call, _| skips_hooks(call)),
        denied: &[
            "git commit --no-verify -m wip",
            "git commit -nm wip",
            "git -c core.hooksPath=/dev/null commit -m x",
            "HUSKY=0 git commit -m x",
            "git config --unset core.hooksPath; git commit -m x",
            "git --exec-path=/tmp/x commit -m x",
        ],
        allowed: &[
            "git commit -m 'no -n here'",
            "git push -n origin main",
            "git config core.hooksPath .githooks",
            "git --exec-path",
        ],
        ..deny(
            "git-skip-hooks",
            "it skips the hooks of this repository",
            "fix what the hook reports, and commit: `git commit -m wip`",
        )
    },
    Rule {
        when: When::Check(REMOVERS, removes_hooks),
        denied: &[
            "rm -rf .husky && git commit -am x",
            "git rm -r .githooks",
            "mv .husky/pre-commit /tmp/",
            "chmod -x .githooks/pre-commit",
        ],
        allowed: &[
            "chmod +x .husky/pre-commit",
            "rm -rf hooks/useCart.ts",
            "cat .husky/pre-commit",
            "rm .husky/README.md",
        ],
        ..ask(
            "git-hooks-remove",
            "it takes away hooks of this repository",
            "fix what the hook reports, and commit: `git commit -m wip`",
        )
    },
];
