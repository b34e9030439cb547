//! Rules about removing files outside of the project that belong neither to the system nor to git.

use super::context::Context;
use super::files::{REMOVERS, removes, sweeps};
use super::rule::{Rule, When, ask};
use crate::command::path::Class;
use crate::command::{Call, flags, marks};

/// Whether a search selects by age, size or kind, and by no name.
fn selects_without_name(call: &Call) -> bool {
    let names =
        |text: &str| text.contains("name") || text.contains("path") || text.contains("regex") || text == "-empty";
    !call.args.iter().any(|arg| arg.text.starts_with('-') && names(&arg.text))
}

/// Whether a path is a known name below a directory that is not empty: `${OUT:?}/x`. Below the root it may be a system directory.
fn is_required_base(path: &str) -> bool {
    let Some((base, rest)) = path.split_once('/') else { return false };
    let is_name = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(marks::is_mark);
    base.chars().eq([marks::SOME])
        && rest.trim_end_matches('/').split('/').all(is_name)
        && !crate::command::path::is_system_name(rest.split('/').next().unwrap_or(""))
}

/// Directories of `~/.cache` whose program downloads or makes them again.
const DOWNLOADS: [&str; 18] = [
    "pip",
    "pip-tools",
    "uv",
    "pypoetry",
    "pipenv",
    "yarn",
    "pnpm",
    "npm",
    "node-gyp",
    "go-build",
    "golangci-lint",
    "pre-commit",
    "mypy",
    "ruff",
    "eslint",
    "prettier",
    "typescript",
    "ccache",
];

/// Whether a path is such a directory, or in one.
fn is_download(context: &Context, whole: &str) -> bool {
    let below = context.below_home(whole).unwrap_or_default();
    let name = below.strip_prefix(".cache/").and_then(|rest| rest.split('/').next());
    name.is_some_and(|name| DOWNLOADS.contains(&name))
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(&["find", "gfind", "bfs"], |call, context| {
            sweeps(call, context, |class, _| match class {
                Class::Outside => !call.is_remote,
                Class::Unknown => selects_without_name(call),
                _ => false,
            })
        }),
        denied: &[
            "find /srv/data -name '*.bak' -delete",
            "find /srv/data -delete",
            "find $UNSET -type f -mtime +7 -delete",
        ],
        allowed: &["find /srv/data -name '*.bak'", "find \"$DIR\" -name '*.pyc' -delete", "find /tmp/x -delete"],
        ..ask(
            "find-delete-outside",
            "it removes files outside of the project, or in a directory that is not known",
            "list the files first: `find . -name '*.pyc'`",
        )
    },
    Rule {
        when: When::Check(REMOVERS, |call, context| {
            removes(call, context, |class, path, deep| match class {
                Class::Unknown => deep && !is_required_base(path),
                Class::Outside | Class::InHome => deep || !call.is_remote && call.link_target(path).is_none(),
                Class::Cache => deep && !is_download(context, &context.whole(call, path)),
                Class::TempRoot => deep,
                Class::System => path.contains("/usr/local/"),
                _ => false,
            })
        }),
        denied: &[
            "rm -rf \"$BUILD_DIR\"",
            "rm -rf /opt/app/build",
            "rm -rf /tmp/*",
            "rm ~/notes.txt",
            "shred -u /opt/app/data.db",
            "rm -rf ~/.local/share/Trash/files",
        ],
        allowed: &["rm -rf node_modules", "rm -f out.log", "rm -rf ~/.cache/pip", "rm -rf \"${OUT:?}/x\""],
        ..ask(
            "rm-outside",
            "it removes an unknown path, or something outside of the project",
            "write a path inside of the project: `rm -rf ./target`",
        )
    },
    Rule {
        when: When::Check(&["mv", "gmv"], |call, context| {
            let found = flags(&call.args, "-t -S --target-directory --suffix");
            let named = found.value("-t").or_else(|| found.value("--target-directory"));
            let count = found.operands.len().saturating_sub(usize::from(named.is_none()));
            let target = named.unwrap_or_else(|| found.operand(count).to_string());
            let is_outside = |path: &str| matches!(context.class(call, path), Class::InHome | Class::Outside);
            !call.is_remote
                && matches!(context.class(call, &target), Class::Temp | Class::TempRoot)
                && found.operands.iter().take(count).any(|arg| is_outside(&arg.text))
        }),
        denied: &["mv ~/Documents/t /tmp/", "mv ~/photos/* /tmp/x/"],
        allowed: &["mv /tmp/x ~/Documents/", "mv src/a.rs /tmp/", "mv ../notes.md ."],
        ..ask(
            "mv-outside",
            "it moves files from outside of the project to a directory that is emptied",
            "copy them: `cp -r ~/Documents/t /tmp/t`",
        )
    },
    Rule {
        when: When::Check(&["rsync"], |call, context| {
            let found = flags(&call.args, "-e --rsh --exclude --include --filter -f");
            let deletes = found.options.iter().any(|option| option.starts_with("--del"));
            let target = found.operands.last().filter(|arg| !arg.text.contains(':'));
            deletes
                && !call.is_remote
                && !found.is_set(&["-n", "--dry-run"])
                && target.is_some_and(|arg| matches!(context.class(call, &arg.text), Class::InHome | Class::Outside))
        }),
        denied: &["rsync -a --delete empty/ ~/Documents/", "rsync -a --delete dist/ /srv/www/"],
        allowed: &["rsync -a --delete dist/ build/", "rsync -an --delete dist/ /srv/www/", "rsync -a dist/ /srv/www/"],
        ..ask(
            "rsync-delete-outside",
            "it removes files outside of the project that are not in the source",
            "do a dry run first: `rsync -an --delete a/ b/`",
        )
    },
];
