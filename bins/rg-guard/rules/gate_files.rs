//! Rules about the gate's files: its records, its programs, and the wiring of its clients.

use super::context::Context;
use super::filled_dirs::filled_dirs;
use super::gate::PROGRAMS;
use super::protected_files::{holds_state, holds_wiring, is_state, is_wiring, may_make_wiring, names_of};
use super::rule::{Rule, When, deny};
use crate::command::path::Class;
use crate::command::{Call, flags, search_at};

/// Programs that only read.
const READERS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "grep",
    "rg",
    "ls",
    "jq",
    "wc",
    "stat",
    "file",
    "du",
    "find",
    "tree",
    "sha256sum",
    "diff",
    "cd",
    "pushd",
    "test",
    "[",
    "echo",
    "realpath",
    "readlink",
    "bat",
    "zcat",
];

/// Programs of which every operand changes.
const CHANGERS: [&str; 18] = [
    "rm", "unlink", "shred", "mv", "chmod", "chown", "chgrp", "chattr", "rmdir", "truncate", "ln", "install", "rimraf",
    "setfacl", "mount", "umount", "sqlite3", "patch",
];

/// Subcommands of git that only read, or that only record what the files hold.
const GIT_READERS: [&str; 14] = [
    "add",
    "blame",
    "cat-file",
    "check-ignore",
    "commit",
    "diff",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "rev-list",
    "rev-parse",
    "show",
    "status",
];

/// The absolute paths that a call may change: it writes, removes or renames them, or changes their mode.
fn changed_paths<'a>(call: &'a Call, context: &Context) -> &'a [String] {
    call.cache.changed_paths.get_or_init(|| find_changed_paths(call, context))
}

fn find_changed_paths(call: &Call, context: &Context) -> Vec<String> {
    let reads = || call.args.first().is_some_and(|arg| GIT_READERS.contains(&arg.text.as_str()));
    let changes = CHANGERS.contains(&call.name.as_str()) || call.name == "git" && !reads();
    let found = if changes { flags(&call.args, "-m").operands } else { Vec::new() };
    let operands = found.into_iter().map(|arg| arg.text.as_str());
    let written = super::writes::written_paths(call).iter().map(|(path, _)| path.as_str());
    operands.chain(written).flat_map(|path| names_of(call, context, path)).collect()
}

/// The directories that a call hides, locks or moves away as a whole.
fn hidden_dirs(call: &Call) -> Vec<&str> {
    let found = || flags(&call.args, "-m -t -o -S -x --target-directory --reference").operands;
    match call.name.as_str() {
        "mount" | "umount" | "bindfs" | "sshfs" | "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => {
            found().into_iter().map(|arg| arg.text.as_str()).collect()
        }
        "mv" | "gmv" => {
            let mut sources = found();
            if !flags(&call.args, "").any(&["-t", "--target-directory"]) {
                sources.pop();
            }
            sources.into_iter().map(|arg| arg.text.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

fn touches_state(call: &Call, context: &Context) -> bool {
    if changed_paths(call, context).iter().any(|path| is_state(context, path)) {
        return true;
    }
    // Modes and owners of the whole system have rules of their own.
    let is_place = |path: &&str| path.contains(['/', '.']) && !matches!(context.class(call, path), Class::Root);
    let is_deep = || flags(&call.args, "").any(&["-R", "--recursive"]);
    let is_other = |path: &&str| !(is_deep() && context.class(call, path) == Class::Home);
    let mut hidden = hidden_dirs(call).into_iter().filter(is_place).filter(is_other);
    if hidden.any(|path| holds_state(context, &context.whole(call, path))) {
        return true;
    }
    let known = READERS.contains(&call.name.as_str()) || call.name.starts_with("rg-");
    !known
        && call.args.iter().any(|arg| {
            let path = arg.text.split_once('=').map_or(arg.text.as_str(), |(_, path)| path);
            path.contains('/') && is_state(context, &context.whole(call, path))
        })
}

fn touches_programs(call: &Call, context: &Context) -> bool {
    let is_ours = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or("");
        // A directory is often called review-gate.
        PROGRAMS.contains(&name) && (name.starts_with("rg-") || path.ends_with(&format!("bin/{name}")))
    };
    let outside = |path: &String| !matches!(context.local_class(path), Class::Inside | Class::Temp);
    changed_paths(call, context).iter().any(|path| is_ours(path) && outside(path))
        || mounts_over_programs(call, context)
}

/// Whether a mount hides a directory of programs, one above it, or a program: checks would run others.
fn mounts_over_programs(call: &Call, context: &Context) -> bool {
    if call.is_remote || !matches!(call.name.as_str(), "mount" | "bindfs") {
        return false;
    }
    let operands = flags(&call.args, "-t -o -L -U").operands;
    let Some(target) = operands.get(1) else { return false };
    let whole = context.whole(call, &target.text);
    let above = ["/", "/usr", "/usr/local", "/nix", "/opt"].map(String::from);
    let own = [".local", ".cargo", ".nix-profile"].map(|name| format!("{}/{name}", context.home));
    above.contains(&whole)
        || own.contains(&whole)
        || whole.split('/').any(|name| matches!(name, "bin" | "sbin" | ".bin" | "libexec"))
}

fn rewires(call: &Call, context: &Context) -> bool {
    if changed_paths(call, context).iter().any(|path| is_wiring(context, path)) {
        return true;
    }
    let removes = matches!(call.name.as_str(), "rm" | "mv" | "rimraf" | "mount" | "umount" | "chmod" | "chattr")
        || call.name == "git" && git_takes_away(call);
    if removes && changed_paths(call, context).iter().any(|path| holds_wiring(path)) {
        return true;
    }
    filled_dirs(call)
        .iter()
        .any(|dir| names_of(call, context, dir).any(|whole| holds_wiring(&whole) || is_wiring(context, &whole)))
        || renames_members(call)
        || sweeps(call, context)
}

/// Whether a command of git takes the named files out of the working tree, or puts others in their place.
fn git_takes_away(call: &Call) -> bool {
    let verb = call.args.first().map_or("", |arg| arg.text.as_str());
    let index_only = call.args.iter().any(|arg| matches!(arg.text.as_str(), "--cached" | "--staged" | "-S"));
    matches!(verb, "rm" | "mv" | "stash" | "checkout" | "restore" | "clean") && !index_only
}

/// Whether an archive's members get names that may be those of wiring: `tar --transform 's,^x,.claude,'`.
fn renames_members(call: &Call) -> bool {
    if !matches!(call.name.as_str(), "tar" | "gtar" | "bsdtar" | "pax") {
        return false;
    }
    let found = flags(&call.args, "--transform --xform -s");
    let bsd = call.name == "bsdtar" || call.name == "pax";
    let texts = ["--transform", "--xform"].into_iter().chain(bsd.then_some("-s")).filter_map(|name| found.value(name));
    // The part after the first separator's second occurrence is the replacement.
    texts.into_iter().any(|text| {
        text.split(';').any(|one| {
            let sign = one.trim().trim_start_matches('s').chars().next().unwrap_or('/');
            one.split(sign).nth(2).is_some_and(may_make_wiring)
        })
    })
}

/// Whether `find -delete` removes such files.
fn sweeps(call: &Call, context: &Context) -> bool {
    if !matches!(call.name.as_str(), "find" | "gfind" | "bfs") {
        return false;
    }
    call.args.iter().enumerate().filter(|(_, arg)| arg.text == "-delete").any(|(at, _)| {
        let search = search_at(call, at);
        let named = search.name.as_deref().is_some_and(|name| holds_wiring(&format!("/{name}")));
        named
            || search.places.iter().any(|place| {
                let whole = context.whole(call, place);
                holds_wiring(&whole) || is_wiring(context, &whole)
            })
    })
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        core: true,
        when: When::Check(&["*"], touches_state),
        denied: &[
            "rm -rf ~/.local/state/review-gate",
            "echo x >> ~/.local/state/review-gate/p/tasks/t.jsonl",
            "python3 -c \"open('/home/dev/.local/state/review-gate/x','w')\"",
            "sqlite3 ~/.local/state/review-gate/x.db 'select 1'",
            "mount -t tmpfs none ~/.local/state",
            "unshare -rm sh -c 'mount --bind /tmp/x ~/.local'",
            "chmod 000 ~/.local/state",
            "sudo chattr -R +i ~/.local",
            "mv ~/.local/state /tmp/x",
            "echo x > ~/.local/state/review-*/p/tasks/t.jsonl",
            "echo x > \"${XDG_STATE_HOME:-$HOME/.local/state}/review-gate/x\"",
        ],
        allowed: &[
            "tail ~/.local/state/review-gate/p/checks/log",
            "ls ~/.local/state/review-gate",
            "chmod 600 notes.md",
            "mv a b",
        ],
        ..deny("gate-state", "it changes the gate's records", "read them: `rg-receipt show last`")
    },
    Rule {
        core: true,
        when: When::Check(&["*"], rewires),
        denied: &[
            "rm ~/.claude/settings.json",
            "echo '{}' > ~/.claude/settings.json",
            "cp x .claude/agents/reviewer.md",
            "sed -i s/a/b/ .claude/settings.local.json",
            "mv .cursor/hooks.json /tmp/x",
            "rm -rf .claude",
            "git rm -r .claude",
            "git stash push -- .claude",
            "git checkout main -- .codex",
            "cp -r tmpl/.claude .",
            "cp -a t .claude",
            "cp -t .claude tmpl/settings.local.json",
            "mv t .claude",
            "rsync -a tmpl/.claude/ .claude/",
            "ln -s /tmp/x .claude",
            "ln -s /tmp/x/.claude",
            "git clone https://x/y .claude",
            "git worktree add .codex",
            "tar xf x.tar -C .claude",
            "unzip x.zip -d .claude",
            "tar xf x.tar --transform 's,^x,.claude,'",
            "ln -s .claude d; echo '{}' > d/settings.local.json",
            "mkdir d; mount --bind .claude d",
            "echo '{}' > .c*/settings.local.json",
            "rm -rf .cl*",
            "find . -path './.claude/*' -name '*.json' -delete",
            "find .claude -name 'settings*' -exec cp x {} \\;",
            "python3 -c \"import os; os.chdir('.claude'); open('settings.local.json', 'w')\"",
            "node -e \"require('fs').writeFileSync(['.claude', 'settings.json'].join('/'), '{}')\"",
            "awk 'BEGIN { print \"{}\" > \".claude/settings.json\" }'",
            "sed -n 's/a/b/w .claude/settings.json' x",
            "vim -es -c 'w! .claude/settings.json' -c q x",
            "curl -sO --output-dir .claude https://x/settings.local.json",
            "wget -P .claude https://x/settings.local.json",
            "openssl enc -d -in x -out .claude/settings.local.json",
            "yq -i '.disableAllHooks = true' .claude/settings.local.json",
            "script -c true .claude/settings.local.json",
        ],
        allowed: &[
            "cat .claude/settings.json",
            "ls .claude/agents",
            "echo x > .claude/commands/x.md",
            "cp -r tmpl/.config .",
            "cp x.md .claude/commands/",
            "ln -s ../a b",
            "rsync -a src/ dst/",
            "tar xf x.tar.gz",
            "tar czf x.tgz .claude",
            "git diff .claude/settings.json",
            "git rm -r --cached .claude",
            "git stash push -u",
            "yq .hooks .claude/settings.json",
            "find . -path ./.claude -prune -o -name '*.orig' -delete",
            "mkdir -p .claude/commands",
        ],
        ..deny(
            "gate-wiring",
            "it changes which hooks and agents the client runs",
            "ask the user to change it; `cat .claude/settings.json` shows it",
        )
    },
    Rule {
        core: true,
        when: When::Check(&["*"], touches_programs),
        denied: &[
            "chmod -x $(which rg-guard)",
            "rm /usr/local/bin/rg-check",
            "cp /bin/true /usr/local/bin/review-gate",
            "cp /bin/true ~/.local/bin/rg-tamper",
            "mv x /usr/local/bin/rg-land",
            "unshare -rm sh -c 'mount --bind /tmp/python3 /usr/bin/python3; make test'",
            "sudo mount -t tmpfs none ~/.cargo/bin",
        ],
        allowed: &[
            "rm -f target/debug/rg-check",
            "which rg-guard",
            "mkdir -p ~/src/review-gate",
            "sudo mount --bind /dev /tmp/root/dev",
        ],
        ..deny(
            "gate-programs",
            "it changes a program of the gate, or hides programs that checks run",
            "read its help: `rg-guard --help`",
        )
    },
];
