//! Rules about the gate itself: its records, its programs, its hooks, the verbs of its user.

use super::context::Context;
use super::rule::{Rule, When, deny};
use crate::command::path::{Class, is_in, join};
use crate::command::{Call, flags, marks};
use review_gate::sys::env;
use std::borrow::Cow;
use std::path::Path;

/// The programs of the gate. Most are filters: an agent that runs one could report events that did not happen.
const PROGRAMS: &[&str] = &[
    "rg-event",
    "rg-answer",
    "rg-tamper",
    "rg-check",
    "rg-bounce",
    "rg-receipt",
    "rg-trace",
    "rg-review-state",
    "rg-review",
    "rg-anchor",
    "rg-loop",
    "rg-issue",
    "rg-guard",
    "rg-ask",
    "rg-rescue",
    "rg-worktree",
    "rg-land",
    "rg-install",
    "rg-doctor",
];

/// The programs that take no events.
const NON_FILTERS: [&str; 6] = ["rg-ask", "rg-rescue", "rg-worktree", "rg-land", "rg-install", "rg-doctor"];

/// Verbs for the user only, by program.
const USER_VERBS: [(&str, &[&str]); 4] = [
    ("rg-tamper", &["bless"]),
    ("rg-bounce", &["waive"]),
    ("rg-review-state", &["approve", "adopt"]),
    ("rg-install", &["claude", "codex", "gemini", "cursor"]),
];

/// Verbs of rg-loop for the user only, and its filters.
const USER_LOOP_VERBS: [&str; 5] = ["off", "on", "stop", "mark", "next"];

/// Variables that mark an agent's shell. A loop that is started without them counts as the user's.
const AGENT_VARIABLES: [&str; 3] = ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT"];

/// Programs that can unset these variables or open a terminal.
const TERMINAL_MAKERS: [&str; 8] = ["env", "genv", "script", "expect", "unbuffer", "tmux", "screen", "systemd-run"];

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

/// Whether a call feeds events to a filter, or uses a verb for the user only.
fn speaks_for_the_gate(call: &Call) -> bool {
    let first = call.args.first().map_or("", |arg| arg.text.as_str());
    if matches!(first, "--help" | "--version" | "-h" | "-V") && call.args.len() == 1 {
        return false;
    }
    let is_user_verb = USER_VERBS
        .iter()
        .any(|(name, verbs)| *name == call.name && call.args.iter().any(|arg| verbs.contains(&arg.text.as_str())));
    // The prompt of a loop may contain any word: only the first one is the verb.
    let ends_loop = call.name == "rg-loop" && USER_LOOP_VERBS.contains(&first);
    let hides_agent = call.trail.iter().any(|name| TERMINAL_MAKERS.contains(&name.as_str()))
        || call.assigns.iter().any(|(name, _)| AGENT_VARIABLES.contains(&name.as_str()));
    let begins_loop = call.name == "rg-loop" && first == "start" && hides_agent;
    if is_user_verb || ends_loop || begins_loop || call.name == "rg-event" {
        return true;
    }
    if call.name == "rg-rescue" {
        // An agent may take and restore backups; only the user prunes them.
        return first == "prune" && !call.args.iter().any(|arg| arg.text == "--dry-run");
    }
    if NON_FILTERS.contains(&call.name.as_str()) {
        return false;
    }
    let found =
        flags(&call.args, "-C --against --client --kind --within --format --task --session --only --why --scope --for");
    let as_hook = found.any(&["--hook", "--client"]);
    let alone = found.has("--now") || !found.operands.is_empty();
    as_hook || !alone
}

/// The state directories of the gate, in lower case.
fn state_dirs(context: &Context) -> &[String] {
    context.state_dirs.get_or_init(|| {
        let named = env::state_override().into_iter();
        let usual = env::state_home().map(|home| home.join("review-gate")).into_iter();
        let own = Path::new(&context.home).join(".local/state/review-gate");
        let all = named.chain(usual).chain([own]);
        all.map(|dir| join("", &dir.to_string_lossy().to_lowercase())).collect()
    })
}

/// The path in lower case: some file systems ignore case.
fn folded(path: &str) -> Cow<'_, str> {
    let is_small = path.chars().all(|c| c.is_ascii() && !c.is_ascii_uppercase() || marks::is_mark(c));
    if is_small { Cow::Borrowed(path) } else { Cow::Owned(path.to_lowercase()) }
}

/// Whether an absolute path lies in a state directory of the gate.
pub fn is_state(context: &Context, whole: &str) -> bool {
    let folded = folded(whole);
    state_dirs(context).iter().any(|dir| is_in(&folded, dir))
}

/// Files and directories that configure a client's hooks and agents.
const WIRING: [&str; 15] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude.json",
    ".claude/agents",
    ".claude/hooks",
    ".claude/plugins",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".codex/agents",
    ".gemini/settings.json",
    ".gemini/agents",
    ".cursor/hooks.json",
    ".cursor/hooks",
    ".cursor/agents",
    "claude-code/managed-settings.json",
];

/// Whether an absolute path is one of them, or lies in one.
pub fn is_wiring(context: &Context, whole: &str) -> bool {
    let folded = folded(whole);
    let plugin = context.plugin.get_or_init(|| env::plugin_root().map(|root| join("", &root.to_string_lossy())));
    // A path below a configured directory is part of it.
    let is_named = |below: &str| {
        let ends = |rest: &str| rest.is_empty() || rest.starts_with('/');
        below.starts_with(['.', 'c']) && WIRING.iter().any(|name| below.strip_prefix(name).is_some_and(ends))
    };
    let named = folded.match_indices('/').any(|(at, _)| is_named(&folded[at + 1..]));
    named || plugin.as_ref().is_some_and(|root| is_in(whole, root))
}

/// Whether a directory holds such files.
fn holds_wiring(whole: &str) -> bool {
    [".claude", ".codex", ".gemini", ".cursor"]
        .iter()
        .any(|name| whole.trim_end_matches('/').strip_suffix(name).is_some_and(|above| above.ends_with('/')))
}

/// The absolute paths that a call may change: it writes, removes or renames them, or changes their mode.
fn changed_paths<'a>(call: &'a Call, context: &Context) -> &'a [String] {
    call.cache.changed_paths.get_or_init(|| find_changed_paths(call, context))
}

fn find_changed_paths(call: &Call, context: &Context) -> Vec<String> {
    let changes = matches!(
        call.name.as_str(),
        "rm" | "unlink"
            | "shred"
            | "mv"
            | "chmod"
            | "chown"
            | "chattr"
            | "rmdir"
            | "truncate"
            | "ln"
            | "install"
            | "rsync"
            | "rimraf"
            | "setfacl"
            | "mount"
            | "sqlite3"
            | "patch"
            | "git"
    );
    let found = if changes { flags(&call.args, "-m").operands } else { Vec::new() };
    let operands = found.into_iter().map(|arg| arg.text.as_str());
    let written = super::writes::written_paths(call).iter().map(|(path, _)| path.as_str());
    operands.chain(written).map(|path| context.whole(call, &marks::literal(path))).collect()
}

fn touches_state(call: &Call, context: &Context) -> bool {
    if changed_paths(call, context).iter().any(|path| is_state(context, path)) {
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
    let is_ours = |path: &String| PROGRAMS.contains(&path.rsplit('/').next().unwrap_or(""));
    let outside = |path: &String| !matches!(context.local_class(path), Class::Inside | Class::Temp);
    changed_paths(call, context).iter().any(|path| is_ours(path) && outside(path))
}

/// Whether a command of git removes or moves a backup.
fn removes_backups(call: &Call) -> bool {
    let verb = call.args.first().map_or("", |arg| arg.text.as_str());
    matches!(verb, "update-ref" | "symbolic-ref" | "fetch" | "pull" | "push")
        && call.args.iter().skip(1).any(|arg| arg.text.contains("refs/review-gate/"))
}

fn rewires(call: &Call, context: &Context) -> bool {
    let removes = matches!(call.name.as_str(), "rm" | "mv" | "rimraf");
    changed_paths(call, context).iter().any(|path| is_wiring(context, path) || removes && holds_wiring(path))
}

fn impersonates(call: &Call) -> bool {
    let texts: Vec<String> = call.args.iter().map(|arg| arg.text.to_lowercase()).collect();
    let has = |word: &str| texts.iter().any(|text| text.contains(word));
    match call.name.as_str() {
        "claude" => {
            has("reviewer") && has("--agent")
                || has("claude_code_session_id")
                || matches!(texts.first().map(String::as_str), Some("plugin" | "plugins"))
                    && (has("disable") || has("uninstall") || has("remove"))
                || has("--settings") && has("disableallhooks")
        }
        "codex" | "gemini" => {
            has("hooks=false") || has("features.hooks=false") || has("--dangerously-bypass-hook-trust")
        }
        _ => false,
    }
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        core: true,
        when: When::Check(PROGRAMS, |call, _| speaks_for_the_gate(call)),
        denied: &[
            "printf '{}' | rg-event --client claude | rg-review-state | rg-answer",
            "rg-bounce waive --scope gate --why x --for 1h",
            "script -qec 'rg-tamper bless --why x' /dev/null",
            "rg-review-state approve --why fine",
            "rg-review-state adopt receipt.json",
            "tmux new -d 'rg-bounce waive --scope gate'",
            "rg-event stop | rg-check",
            "rg-install claude --uninstall",
            "rg-loop off",
            "rg-loop stop --task 01TASK",
            "rg-loop mark <line.json | rg-loop next",
            "env -u CLAUDECODE -u CLAUDE_CODE_SESSION_ID rg-loop start --max 100 x",
            "CLAUDECODE= rg-loop start --max 100 x",
            "script -qec 'rg-loop start --max 100 x' /dev/null",
            "rg-rescue prune --keep 0 --older 1",
        ],
        allowed: &[
            "rg-loop start 'port the parser, then stop'",
            "rg-loop start stop",
            "rg-loop status --prompt",
            "rg-land --squash",
            "rg-worktree create '#12 Fix login'",
            "rg-worktree remove --force fix-login",
            "rg-check --now",
            "rg-receipt show last",
            "rg-guard explain 'git reset --hard'",
            "rg-event --help",
            "rg-tamper --now --against main",
            "rg-review-state show",
            "rg-review-state context 01PACKET src/a.rs",
            "rg-ask --request 01PACKET",
            "rg-review --now",
            "rg-rescue save --why 'before prune'",
            "rg-rescue list",
            "rg-rescue show last",
            "rg-rescue diff src",
            "rg-rescue restore --from 01COPY -- src/a.rs",
            "rg-rescue prune --dry-run",
        ],
        ..deny(
            "gate-speak",
            "only the client's hooks and the user may run this",
            "judge the files in the working tree: `rg-check --now`",
        )
    },
    Rule {
        core: true,
        when: When::Check(&["git"], |call, _| removes_backups(call)),
        denied: &[
            "git update-ref -d refs/review-gate/rescue/01COPY",
            "git update-ref refs/review-gate/rescue/01COPY HEAD",
            "git fetch . +HEAD:refs/review-gate/rescue/01COPY",
            "git push . :refs/review-gate/rescue/01COPY",
        ],
        allowed: &["git show refs/review-gate/rescue/01COPY:a.txt", "git for-each-ref refs/review-gate/rescue"],
        ..deny(
            "gate-rescue",
            "it removes a backup",
            "leave it: old backups are pruned on their own; `rg-rescue list` lists them",
        )
    },
    Rule {
        core: true,
        when: When::Check(&["*"], touches_state),
        denied: &[
            "rm -rf ~/.local/state/review-gate",
            "echo x >> ~/.local/state/review-gate/p/tasks/t.jsonl",
            "python3 -c \"open('/home/dev/.local/state/review-gate/x','w')\"",
            "sqlite3 ~/.local/state/review-gate/x.db 'select 1'",
        ],
        allowed: &["tail ~/.local/state/review-gate/p/checks/log", "ls ~/.local/state/review-gate"],
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
        ],
        allowed: &["cat .claude/settings.json", "ls .claude/agents", "echo x > .claude/commands/x.md"],
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
            "cp /bin/true ~/.local/bin/rg-tamper",
            "mv x /usr/local/bin/rg-land",
        ],
        allowed: &["rm -f target/debug/rg-check", "which rg-guard"],
        ..deny("gate-programs", "it changes a program of the gate", "read its help: `rg-guard --help`")
    },
    Rule {
        core: true,
        when: When::Check(&["claude", "codex", "gemini"], |call, _| impersonates(call)),
        denied: &[
            "claude --agent review-gate:reviewer --resume x",
            "claude -p hi --resume $CLAUDE_CODE_SESSION_ID",
            "claude plugin disable review-gate",
            "codex --dangerously-bypass-hook-trust exec x",
        ],
        allowed: &["claude --version", "claude -p 'explain this'", "claude plugin list"],
        ..deny(
            "gate-impersonate",
            "it runs as the reviewer, or switches the gate off",
            "finish the work: the gate requests the review at the stop",
        )
    },
];
