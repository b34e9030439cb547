//! Rules about the gate's programs: the verbs of its user, and its backups.

use super::rule::{Rule, When, deny};
pub use crate::command::guarded_programs::PROGRAMS;
use crate::command::{Call, flags};
use review_gate::sys::env::AGENT_VARIABLES;

/// The programs that take no events.
const NON_FILTERS: [&str; 8] =
    ["rg-ask", "rg-msg", "rg-rescue", "rg-worktree", "rg-land", "rg-install", "rg-init", "rg-doctor"];

/// Verbs for the user only, by program.
const USER_VERBS: [(&str, &[&str]); 7] = [
    ("rg-tamper", &["bless"]),
    ("rg-bounce", &["waive"]),
    ("rg-review", &["accept"]),
    ("rg-review-state", &["approve", "adopt"]),
    ("rg-install", &["claude", "codex", "gemini", "cursor", "all", "git"]),
    ("rg-init", &["--force"]),
    ("rg-doctor", &["--reset"]),
];

/// Verbs of rg-loop for the user only, and its filters.
const USER_LOOP_VERBS: [&str; 5] = ["off", "on", "stop", "mark", "next"];

/// Programs that can unset these variables or open a terminal.
const TERMINAL_MAKERS: [&str; 8] = ["env", "genv", "script", "expect", "unbuffer", "tmux", "screen", "systemd-run"];

/// Whether a call feeds events to a filter, or uses a verb for the user only. `review-gate x` is `rg-x`.
fn speaks_for_the_gate(call: &Call) -> bool {
    if call.name != "review-gate" {
        return speaks(call);
    }
    let takes_value = |at: usize| at > 0 && call.args[at - 1].text == "-C";
    let is_word = |at: &usize| !call.args[*at].text.starts_with('-') && !takes_value(*at);
    let Some(at) = (0..call.args.len()).find(is_word) else { return false };
    let args = call.args[at + 1..].to_vec();
    match call.args[at].text.as_str() {
        "hook" => !args.iter().any(|arg| matches!(arg.text.as_str(), "--print" | "--help")),
        word => speaks(&Call { name: format!("rg-{}", word.trim_start_matches("rg-")), args, ..call.clone() }),
    }
}

fn speaks(call: &Call) -> bool {
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
    let forgets = call.name == "rg-trace" && first == "forget";
    if is_user_verb || forgets || ends_loop || begins_loop || call.name == "rg-event" {
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
    let alone = found.any(&["--now", "--validate"]) || !found.operands.is_empty();
    as_hook || !alone
}

/// Whether a command of git removes or moves a backup.
fn removes_backups(call: &Call) -> bool {
    let verb = call.args.first().map_or("", |arg| arg.text.as_str());
    matches!(verb, "update-ref" | "symbolic-ref" | "fetch" | "pull" | "push")
        && call.args.iter().skip(1).any(|arg| arg.text.contains("refs/review-gate/"))
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
            "rg-review accept",
            "rg-review-state approve --why fine",
            "rg-review-state adopt receipt.json",
            "tmux new -d 'rg-bounce waive --scope gate'",
            "rg-event stop | rg-check",
            "rg-install claude --uninstall",
            "rg-install all",
            "rg-install git --uninstall",
            "review-gate bounce waive --why x",
            "review-gate -C .. rg-tamper bless",
            "review-gate install claude --uninstall",
            "sh -c 'review-gate review-state approve'",
            "review-gate hook claude Stop <stop.json",
            "review-gate event stop | review-gate check",
            "rg-init --force",
            "rg-doctor --reset",
            "review-gate doctor --reset",
            "rg-loop off",
            "rg-trace forget s1",
            "rg-loop stop --task 01TASK",
            "rg-loop mark <line.json | rg-loop next",
            "env -u CLAUDECODE -u CLAUDE_CODE_SESSION_ID rg-loop start --max 100 x",
            "CLAUDECODE= rg-loop start --max 100 x",
            "script -qec 'rg-loop start --max 100 x' /dev/null",
            "rg-rescue prune --keep 0 --older 1",
        ],
        allowed: &[
            "rg-trace search forget",
            "rg-loop start 'port the parser, then stop'",
            "rg-loop start stop",
            "rg-loop status --prompt",
            "rg-land --squash",
            "rg-msg post task:12 -m 'the parser is done'",
            "make test | rg-msg post task:12 --as builder",
            "review-gate msg read task:12",
            "rg-worktree create '#12 Fix login'",
            "rg-worktree remove --force fix-login",
            "rg-check --now",
            "review-gate check --now",
            "review-gate -C src guard explain 'git reset --hard'",
            "review-gate hook --print claude Stop",
            "review-gate --help",
            "rg-check --validate",
            "rg-check --now --definition <draft.md",
            "rg-init",
            "rg-init --dry-run",
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
];
