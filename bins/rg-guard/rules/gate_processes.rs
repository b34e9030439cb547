//! Rules about the processes of clients and of the gate: signals, limits, a world of their own.

use super::context::Context;
use super::rule::{Rule, When, deny};
use crate::command::guarded_programs::{Match, is_gate_program, mentions, selects};
use crate::command::{Arg, CLIENT_PID, Call, JUDGE_PID, flags, marks};

/// Programs that signal, limit, stop or trace a process.
const PROCESS_TOOLS: &[&str] = &[
    "kill",
    "pkill",
    "skill",
    "killall",
    "prlimit",
    "gdb",
    "lldb",
    "strace",
    "ltrace",
    "perf",
    "renice",
    "chrt",
    "ionice",
    "taskset",
    "cpulimit",
    "reptyr",
    "criu",
    "choom",
    "cgclassify",
    "nsenter",
    "dlv",
    "r2",
    "frida",
    "bpftrace",
    "pkexec",
];

/// Whether a call signals, limits or traces the client.
fn handles_client(call: &Call, _: &Context) -> bool {
    let names_client = |text: &str| {
        text.match_indices(CLIENT_PID)
            .any(|(at, pid)| !text[at + pid.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    };
    if call.writes.iter().any(|write| write.path.starts_with("/proc/") && names_client(&write.path)) {
        return true;
    }
    if !PROCESS_TOOLS.contains(&call.name.as_str()) || !call.args.iter().any(|arg| names_client(&arg.text)) {
        return false;
    }
    // Signal 0 asks whether the process exists.
    let first = call.args.first().map_or("", |arg| arg.text.as_str());
    !(call.name == "kill" && matches!(first, "-0" | "-l"))
}

/// Whether `pkill` or `killall` selects a client or a program of the gate. It counts whether one runs now: the command may wait.
fn selects_guarded(call: &Call, _: &Context) -> bool {
    // `-STOP` is a signal, and no option with a value.
    let is_name = |arg: &&Arg| {
        arg.text.len() > 2 && arg.text.starts_with('-') && arg.text[1..].chars().all(|c| c.is_ascii_uppercase())
    };
    let rest = usize::from(call.args.first().filter(is_name).is_some());
    let found = flags(&call.args[rest..], "-s -g -t --signal -P -G -F -u -U");
    let is_harmless = |text: &&str| matches!(*text, "-0" | "-l" | "-L" | "--help");
    if found.options.iter().any(is_harmless) || is_signal(call, &["CONT", "18"]) {
        return false;
    }
    if call.name == "fuser" {
        return found.any(&["-k", "--kill"]) && call.args.iter().any(|arg| mentions(&arg.text));
    }
    let is_regex = call.name == "pkill" || found.any(&["-r", "--regexp"]);
    let is_guarded = |text: &str| match is_regex {
        true => selects(text, Match::of(found.any(&["-x", "--exact"]), found.any(&["-f", "--full"]))),
        false => mentions(text),
    };
    found.operands.iter().any(|arg| is_guarded(&marks::literal(&arg.text)))
}

/// Signals that stop a process without ending it, by name and by number on Linux and macOS.
const STOPS: [&str; 8] = ["STOP", "TSTP", "TTIN", "TTOU", "19", "20", "21", "22"];

/// Whether a call sends one of these signals: `-STOP`, `-s SIGSTOP`, `--signal=19`.
fn is_signal(call: &Call, signals: &[&str]) -> bool {
    let bare = |text: &str| text.to_ascii_uppercase().trim_start_matches("SIG").to_string();
    let first = call.args.first().and_then(|arg| arg.text.strip_prefix('-')).map(bare);
    let found = flags(&call.args, "-s -n --signal -k --kill-after");
    let named = ["-s", "-n", "--signal"].iter().filter_map(|name| found.value(name)).map(|text| bare(&text));
    let is_one = |text: String| signals.contains(&text.as_str());
    first.into_iter().chain(named).any(is_one)
}

/// Whether a call leaves a program of the gate stopped: it keeps its lock, and never ends.
fn stops_judge(call: &Call, _: &Context) -> bool {
    if !is_signal(call, &STOPS) {
        return false;
    }
    match call.name.as_str() {
        "kill" => {
            call.args.iter().any(|arg| arg.text.trim_start_matches('-').split_whitespace().any(|id| id == JUDGE_PID))
        }
        _ => call.args.iter().any(|arg| mentions(&arg.text)),
    }
}

/// Programs that run another one with files, users or times of their own.
const WORLDS: &[&str] = &[
    "unshare",
    "nsenter",
    "chroot",
    "bwrap",
    "proot",
    "firejail",
    "systemd-nspawn",
    "faketime",
    "fakeroot",
    "fakechroot",
];

/// Whether a program of the gate runs in such a world: what it records would be true there only.
fn judges_elsewhere(call: &Call, _: &Context) -> bool {
    let is_gate = |path: &str| is_gate_program(path.rsplit('/').next().unwrap_or(""));
    match WORLDS.contains(&call.name.as_str()) {
        true => call.args.iter().any(|arg| is_gate(&arg.text)),
        false => is_gate(&call.name) && call.trail.iter().any(|name| WORLDS.contains(&name.as_str())),
    }
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        core: true,
        when: When::Check(&["*"], handles_client),
        denied: &[
            "prlimit --pid $PPID --as=1048576",
            "kill -STOP $PPID",
            "kill -9 $CLAUDE_PID",
            "kill -TERM -- -$PPID",
            "pkill -P $PPID",
            "gdb -p $PPID -batch -ex 'call (int)close(3)'",
            "strace -p $PPID",
            "echo 1000 > /proc/$PPID/oom_score_adj",
            "sh -c 'kill -STOP $PPID'",
            "python3 -c 'import os; os.kill(os.getppid(), 19)'",
            "node -e 'process.kill(process.ppid)'",
            "kill $(ps -o ppid= -p $$)",
            "kill -STOP $(pgrep claude)",
        ],
        allowed: &[
            "kill -0 $PPID",
            "sleep 100 & kill $!",
            "kill $(cat server.pid)",
            "kill $(pgrep -f 'npm start')",
            "prlimit --nofile=64 make",
            "gdb -p 1234",
            "ps -p $PPID",
            "python3 -c 'import os; os.kill(p.pid, 15)'",
        ],
        ..deny(
            "gate-client-process",
            "it signals, limits or traces the client or a program of the gate",
            "signal a process of your own: `kill %1`",
        )
    },
    Rule {
        core: true,
        when: When::Check(&["pkill", "killall", "skill", "fuser"], selects_guarded),
        denied: &[
            "pkill rg-check",
            "(sleep 60; pkill rg-check) &",
            "pkill -f '[r]g-tamper'",
            "killall -STOP rg-loop",
            "pkill -9 -f 'claude --resume'",
            "pkill 'rg-.*'",
            "pkill -x codex",
            "pkill -f 'sh -c'",
            "fuser -k $(which rg-check)",
        ],
        allowed: &["pgrep -af rg-check", "pkill -CONT rg-check", "pkill -0 claude", "pkill -l"],
        ..deny(
            "gate-process-select",
            "it signals the client or a program of the gate",
            "signal a process of your own: `kill 12345`",
        )
    },
    Rule {
        core: true,
        when: When::Check(&["kill", "timeout", "gtimeout"], stops_judge),
        denied: &[
            "rg-check --now & sleep 1; kill -STOP $!",
            "rg-check --now & P=$!; kill -s TSTP \"$P\"",
            "timeout 60 rg-check --now & kill -19 %1",
            "timeout -s STOP 1 rg-check --now",
            "timeout --signal=SIGSTOP 1 sh -c 'rg-check --now'",
        ],
        allowed: &[
            "timeout 600 rg-check --now",
            "rg-check --now & sleep 1; kill $!",
            "sleep 60 & kill -STOP $!",
            "rg-check --now & sleep 9 & kill -STOP $!",
            "timeout -s STOP 1 sleep 5",
        ],
        ..deny("gate-process-stop", "it stops a program of the gate, which then never ends", "end it: `kill %1`")
    },
    Rule {
        core: true,
        when: When::Check(&["*"], judges_elsewhere),
        denied: &[
            "unshare -rm sh -c 'mount --bind /tmp/src src; rg-check --now'",
            "unshare -r rg-check --now",
            "faketime '2020-01-01' rg-check --now",
            "bwrap --bind / / rg-prove --now",
        ],
        allowed: &["nice rg-check --now", "env A=1 rg-check --now", "unshare -r id", "fakeroot make install"],
        ..deny(
            "gate-elsewhere",
            "it runs a program of the gate with files, users or times of its own",
            "judge the files in the working tree: `rg-check --now`",
        )
    },
];
