//! Rules about packages: those of the system, and all of an environment.

use super::context::Context;
use super::rule::{Rule, When, ask, deny};
use crate::command::pattern::{any, matches};
use crate::command::{Call, flags, marks, valued_options};

/// Packages that a system does not run without.
const VITAL: &str = "libc6*|glibc*|bash|coreutils|systemd*|linux-image*|kernel*|openssh-server|sudo|apt|dpkg|rpm|yum|dnf|init|grub*|python3|python3-minimal|util-linux|base-files|passwd|login|dash|*";

fn vital(name: &str) -> bool {
    let known = VITAL.trim_end_matches("|*");
    any(known, name)
}

fn removes_packages(call: &Call) -> Option<bool> {
    let found = flags(&call.args, valued_options::of_program("apt"));
    let verb = found.operand(0);
    let (removes, skip) = match call.name.as_str() {
        "dpkg" | "rpm" => (found.any(&["-r", "-P", "-e", "--remove", "--purge", "--erase"]), 0),
        "pacman" => (call.args.iter().any(|arg| arg.text.starts_with("-R") || arg.text == "--remove"), 0),
        "apk" => (verb == "del", 1),
        "brew" => (matches!(verb, "uninstall" | "remove" | "rm"), 1),
        "rustup" => (verb == "self" && found.operand(1) == "uninstall", 2),
        "snap" | "flatpak" => (matches!(verb, "remove" | "uninstall" | "purge"), 1),
        "dnf" | "yum" if verb == "group" => (matches!(found.operand(1), "remove" | "erase"), 2),
        _ => (matches!(verb, "remove" | "purge" | "autoremove" | "erase" | "rm" | "groupremove"), 1),
    };
    let prints = call.args.iter().any(|arg| {
        let is_bundle = arg.text.starts_with("-R") && arg.text.contains('p');
        is_bundle || matches!(arg.text.as_str(), "-p" | "--print")
    });
    let dry = match call.name.as_str() {
        "pacman" => prints,
        _ => found.any(&["--simulate", "--just-print", "--help"]) || found.is_set(&["-s", "--dry-run"]),
    };
    if !removes || dry {
        return None;
    }
    let forced = call.args.iter().any(|arg| {
        arg.text.starts_with("--force") || arg.text == "--nodeps" || arg.text.contains("dd") && call.name == "pacman"
    });
    Some(forced || found.operands.iter().skip(skip).any(|arg| vital(&arg.text)))
}

const MANAGERS: &[&str] = &[
    "apt", "apt-get", "aptitude", "yum", "dnf", "zypper", "dpkg", "rpm", "pacman", "apk", "brew", "snap", "flatpak",
    "rustup",
];

/// Programs that remove packages of an environment.
const ENVIRONMENTS: &[&str] = &["pip", "pip3", "uv", "python", "python3", "conda", "mamba", "micromamba"];

/// Whether a call removes every package of an environment: those of a list, or the base of conda.
fn empties_environment(call: &Call, _: &Context) -> bool {
    let texts: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    if call.name.ends_with("conda") || call.name.ends_with("mamba") {
        return matches("conda|mamba|micromamba remove|uninstall --all -n|--name=base|root", call)
            || matches("conda|mamba|micromamba remove|uninstall --all !-n|--name|-p|--prefix", call);
    }
    let rest = match texts.as_slice() {
        ["pip", rest @ ..] if call.name == "uv" => rest,
        ["-m", "pip", rest @ ..] if call.name.starts_with("python") => rest,
        rest if call.name.starts_with("pip") => rest,
        _ => return false,
    };
    let is_listed =
        |text: &&str| text.contains([marks::PRINTED, marks::ALL, marks::EACH]) || text.starts_with("/dev/fd/");
    rest.first() == Some(&"uninstall") && rest.iter().any(is_listed)
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(MANAGERS, |call, _| !call.is_throwaway && removes_packages(call) == Some(true)),
        denied: &[
            "apt-get remove --purge -y libc6",
            "dpkg --purge --force-all bash",
            "rpm -e --nodeps glibc",
            "yum remove -y kernel",
        ],
        allowed: &["apt-get install -y jq", "apt-get update", "dpkg -l", "apt-get -s remove libc6"],
        ..deny("package-remove-vital", "it removes a package that the system needs", "list the packages: `dpkg -l`")
    },
    Rule {
        when: When::Check(MANAGERS, |call, _| removes_packages(call) == Some(false)),
        denied: &["sudo apt-get remove -y nginx", "brew uninstall jq", "rustup self uninstall"],
        allowed: &["brew list"],
        ..ask("package-remove", "it removes a package that others may use", "list the packages: `dpkg -l`")
    },
    Rule {
        when: When::Check(ENVIRONMENTS, empties_environment),
        denied: &[
            "pip freeze | xargs pip uninstall -y",
            "python -m pip uninstall -y $(pip freeze)",
            "conda remove -n base --all -y",
        ],
        allowed: &["pip uninstall -y requests", "conda remove -n scratch --all -y", "conda remove numpy"],
        ..ask(
            "package-remove-all",
            "it removes every package of an environment",
            "make an environment of your own: `python3 -m venv .venv`",
        )
    },
];
