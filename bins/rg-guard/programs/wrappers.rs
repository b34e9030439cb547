//! Wrappers: programs whose operands are a command that they run. A new one is one row.

use crate::command::pattern::{start_of, starts_of};
use crate::command::{Arg, flags};

/// A program that runs its operands.
pub struct Wrapper {
    names: &'static [&'static str],
    /// How the names begin.
    starts: u64,
    /// Its options that take the next argument.
    valued: &'static str,
    /// How many operands stand before the command.
    skip: usize,
    /// Whether `NAME=value` operands may stand before the command.
    has_assigns: bool,
    /// Whether the command runs in a container, in another root, or on another machine.
    pub is_remote: bool,
    /// Whether its operands are joined into a shell line.
    pub is_shell: bool,
}

const fn plain(names: &'static [&'static str], valued: &'static str, skip: usize) -> Wrapper {
    let (mut starts, mut at) = (0, 0);
    while at < names.len() {
        starts |= starts_of(names[at]);
        at += 1;
    }
    Wrapper { names, starts, valued, skip, has_assigns: false, is_remote: false, is_shell: false }
}

/// The wrappers.
const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        has_assigns: true,
        ..plain(
            &["sudo"],
            "-u -g -h -p -C -T -R -D -r -t -U --user --group --host --prompt --close-from --command-timeout --chroot --chdir --role --type --other-user",
            0,
        )
    },
    Wrapper { has_assigns: true, ..plain(&["doas"], "-u -C", 0) },
    Wrapper {
        has_assigns: true,
        ..plain(&["env", "genv"], "-u -C --unset --chdir --block-signal --default-signal --ignore-signal", 0)
    },
    plain(
        &[
            "command",
            "builtin",
            "nohup",
            "time",
            "eatmydata",
            "unbuffer",
            "proxychains",
            "proxychains4",
            "torsocks",
            "noglob",
            "nocorrect",
            "caffeinate",
            "gtime",
            "fakeroot",
            "catchsegv",
            "busybox",
            "toybox",
            "dbus-run-session",
            "wine",
            "rtk",
            "corepack",
        ],
        "-f -o --format --output -w",
        0,
    ),
    plain(&["setsid", "setarch", "linux32", "linux64", "i386", "x86_64", "tini", "dumb-init", "catatonit"], "-p", 0),
    plain(&["arch"], "-e -d", 0),
    plain(&["perf"], "-e -o -p -t -C -F -c -G -D -I -r -u --call-graph --event --output", 1),
    plain(&["cpulimit"], "-l -p -e -P --limit --pid --exe --path", 0),
    plain(&["sshpass"], "-p -f -d -P", 0),
    plain(&["faketime", "logsave", "envdir"], "-f", 1),
    plain(&["retry", "rlwrap", "chronic", "annotate-output", "ifne"], "-t -d -m -s --times --delay -f -H", 0),
    plain(&["srun", "mpirun", "mpiexec"], "-n -N -p -J -t -c -np --host -H", 0),
    // `start-stop-daemon` has an option for the program: see `Walker::run_program`. `machinectl shell MACHINE PROGRAM`.
    Wrapper { is_remote: true, ..plain(&["machinectl"], "-M -H --uid --setenv", 2) },
    Wrapper {
        is_remote: true,
        ..plain(&["systemd-nspawn"], "-D -M -i -u --directory --machine --image --user --bind", 0)
    },
    Wrapper { has_assigns: true, ..plain(&["cross-env", "env-cmd", "dotenv"], "-f -e --file --environments", 0) },
    plain(&["exec"], "-a", 0),
    plain(&["nice", "gnice"], "-n --adjustment", 0),
    plain(&["ionice"], "-c -n -p -P -u --class --classdata --pid", 0),
    plain(&["chrt"], "-T -P -D", 1),
    plain(&["taskset"], "", 1),
    plain(&["gosu", "su-exec", "setuidgid"], "-u -g", 1),
    plain(&["chpst", "softlimit"], "-u -U -e -/ -n -l -L -m -d -o -p -f -c -r -t -a -s", 0),
    plain(&["pkexec", "run0", "dzdo"], "--user -u", 0),
    plain(&["numactl"], "-N -m -C -p -i", 0),
    plain(&["timeout", "gtimeout"], "-k -s --kill-after --signal", 1),
    plain(&["stdbuf"], "-i -o -e --input --output --error", 0),
    plain(&["strace"], "-e -o -p -s -u -a -b -E -I -O -P -S -U -X", 0),
    plain(&["ltrace"], "-a -A -D -e -F -l -n -o -p -s -u -w -x", 0),
    plain(&["gdb"], "-ex -x -cd", 0),
    plain(&["valgrind", "xvfb-run", "dbus-launch"], "-n -s -e -f -w -p --server-args --server-num --error-file", 0),
    plain(&["setpriv", "capsh", "prlimit", "choom"], "--reuid --regid --groups -n -p", 0),
    plain(&["flock"], "-w -E --timeout --wait --conflict-exit-code", 1),
    plain(&["runuser"], "-u -g -G -s --user --group --supp-group --shell", 0),
    Wrapper { is_remote: true, ..plain(&["nsenter"], "-t -S -G -r -w --target --setuid --setgid", 0) },
    plain(&["unshare", "firejail", "systemd-inhibit"], "-S -G -R -w --what --who --why --mode", 0),
    plain(
        &["systemd-run"],
        "-u -p -E -M -H -d --unit --property --setenv --description --slice --uid --gid --working-directory --on-calendar --on-active",
        0,
    ),
    plain(&["chroot"], "--userspec --groups", 1),
    plain(&["direnv"], "", 2),
    plain(
        &["uv", "poetry", "pipenv", "rye", "hatch", "pdm", "bundle", "pixi", "conda", "mamba", "micromamba", "foreman"],
        "--project --directory --with --python -p --env-file --package --extra --group -n --name --prefix --cwd -e",
        1,
    ),
    plain(
        &[
            "mise",
            "rtx",
            "asdf",
            "op",
            "doppler",
            "chamber",
            "aws-vault",
            "devbox",
            "teller",
            "infisical",
            "dotenvx",
            "nvm",
            "fnm",
            "volta",
        ],
        "-p --project --config -c -f --env-file --env -C",
        1,
    ),
    Wrapper { is_shell: true, ..plain(&["watch"], "-n -q --interval --equexit", 0) },
    Wrapper {
        is_shell: true,
        ..plain(
            &["hyperfine"],
            "-w -r -m -M -p -c -s -S -i -N -n -L -D --warmup --runs --prepare --cleanup --export-json --export-markdown --parameter-list --shell",
            0,
        )
    },
    Wrapper { is_shell: true, ..plain(&["entr"], "", 0) },
    Wrapper {
        is_shell: true,
        ..plain(&["concurrently", "run-p", "run-s"], "-n -c -p --names --prefix --prefix-colors", 0)
    },
    Wrapper {
        is_shell: true,
        ..plain(
            &["watchexec", "nodemon", "reflex", "cargo-watch"],
            "-e -w -i -d -s -f -x --exts --watch --ignore --ext --exec",
            0,
        )
    },
];

/// Subcommands of wrappers that run the command.
const RUN_VERBS: [&str; 5] = ["exec", "run", "x", "e", "with"];

/// Operands of `setarch` before the command.
const ARCHITECTURES: [&str; 10] =
    ["x86_64", "i386", "i486", "i586", "i686", "arm64", "aarch64", "linux32", "linux64", "uname26"];

/// The wrapper of that name.
pub fn wrapper(name: &str) -> Option<&'static Wrapper> {
    let start = start_of(name);
    WRAPPERS.iter().find(|wrapper| wrapper.starts & start != 0 && wrapper.names.contains(&name))
}

/// The command among a wrapper's arguments.
pub struct WrappedCommand {
    /// Where the command begins.
    pub at: usize,
    pub assigns: Vec<(String, String)>,
}

impl Wrapper {
    /// Finds the command among the arguments; None where there is none.
    pub fn command(&self, name: &str, args: &[Arg]) -> Option<WrappedCommand> {
        let mut at = 0;
        let mut skip = self.skip;
        let mut assigns = Vec::new();
        let subcommands = matches!(
            name,
            "uv" | "poetry"
                | "pipenv"
                | "rye"
                | "hatch"
                | "pdm"
                | "bundle"
                | "pixi"
                | "conda"
                | "mamba"
                | "micromamba"
                | "foreman"
                | "mise"
                | "rtx"
                | "asdf"
                | "op"
                | "doppler"
                | "chamber"
                | "aws-vault"
                | "devbox"
                | "teller"
                | "infisical"
                | "nvm"
                | "fnm"
        );
        // `aws-vault exec prod -- rm`: the command begins after the dashes.
        let runs = args.first().is_some_and(|arg| RUN_VERBS.contains(&arg.text.as_str()));
        if let Some(dashes) = args.iter().position(|arg| arg.text == "--").filter(|_| subcommands && runs) {
            return (dashes + 1 < args.len()).then_some(WrappedCommand { at: dashes + 1, assigns });
        }
        while let Some(arg) = args.get(at) {
            let text = arg.text.as_str();
            if matches!(name, "setarch" | "arch") && ARCHITECTURES.contains(&text.trim_start_matches('-')) {
                at += 1;
                continue;
            }
            if text == "--" {
                at += 1;
                if skip == 0 || subcommands {
                    break;
                }
                continue;
            }
            if text.starts_with('-') && text.len() > 1 {
                // An option, with its value where it takes one.
                let pair = &args[at..args.len().min(at + 2)];
                at += if flags(pair, self.valued).values.is_empty() { 1 } else { 2 };
                continue;
            }
            if self.has_assigns
                && let Some((name, value)) = text.split_once('=').filter(|(name, _)| is_name(name))
            {
                assigns.push((name.to_string(), value.to_string()));
                at += 1;
                continue;
            }
            if skip > 0 {
                if subcommands && !RUN_VERBS.contains(&text) {
                    return None;
                }
                skip -= 1;
                at += 1;
                continue;
            }
            break;
        }
        (at < args.len() && skip == 0 || subcommands && at < args.len()).then_some(WrappedCommand { at, assigns })
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
