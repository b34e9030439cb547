//! Rules about the machine: processes, services, users, the network.

use super::processes::signals_own;
use super::rule::{Rule, When, ask, deny};
use crate::command::pattern::{any, matches};
use crate::command::{Call, SHELL_PID, flags, marks, valued_options};

fn kills_everything(call: &Call) -> bool {
    let texts: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    let shows = texts.iter().any(|text| matches!(*text, "-l" | "-L" | "--help" | "-0"));
    match call.name.as_str() {
        "kill" => {
            // `-9` is a signal, `-1` as a target is every process; a signal alone has no target.
            let mut targets = texts.clone();
            if targets.first().is_some_and(|text| text.starts_with('-') && *text != "--") {
                let takes_next = matches!(targets[0], "-s" | "-n" | "--signal");
                targets.drain(..(1 + usize::from(takes_next)).min(targets.len()));
            }
            !shows && targets.iter().any(|text| matches!(*text, "-1" | "1" | "0" | "-0") || text.contains(marks::ALL))
        }
        "killall5" => true,
        "pkill" | "killall" | "skill" => {
            let found = flags(&call.args, "-s -g -t --signal -P -G -F -r");
            let vital = |text: &str| {
                matches!(
                    text,
                    "." | ""
                        | ".*"
                        | "init"
                        | "systemd"
                        | "sshd"
                        | "launchd"
                        | "bash"
                        | "sh"
                        | "zsh"
                        | "dockerd"
                        | "containerd"
                        | "claude"
                        | "codex"
                )
            };
            // `-USR1` and `-HUP` are signals.
            let is_signal =
                |text: &str| text.len() > 2 && text[1..].bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
            let mut options = found.options.iter().filter(|text| !is_signal(text));
            let by_user =
                options.any(|text| !text.starts_with("--") && text.contains(['u', 'U'])) && call.name != "skill";
            !shows && (found.operands.iter().any(|arg| vital(&arg.text)) || by_user)
        }
        _ => false,
    }
}

const SERVICES: &str = "ssh|sshd|ssh.service|sshd.service|network*|networking|NetworkManager*|systemd-*|dbus*|firewalld|ufw|iptables|docker|containerd|kubelet|cron|crond|rsyslog|auditd|fail2ban";

fn stops_service(call: &Call) -> bool {
    let found = flags(&call.args, valued_options::of_program("systemctl"));
    let (verb, rest) = if call.name == "service" {
        (found.operand(1), vec![found.operand(0)])
    } else {
        (found.operand(0), found.operands.iter().skip(1).map(|arg| arg.text.as_str()).collect())
    };
    let stops = matches!(verb, "stop" | "disable" | "mask" | "kill" | "isolate" | "unload" | "bootout");
    stops && rest.iter().any(|name| any(SERVICES, name))
}

/// Commands that stop services or processes.
const STOPS: [&str; 6] = [
    "pm2 delete|stop all",
    "pm2 kill",
    "systemctl stop|disable|mask|kill !--user",
    "service * stop",
    "pkill|killall !-0|-l",
    "launchctl unload|remove|bootout",
];

/// Whether `pkill -P $$` selects children of the shell that runs it.
fn selects_children(call: &Call) -> bool {
    let found = flags(&call.args, "-P --parent --signal");
    let parent = found.value("-P").or_else(|| found.value("--parent"));
    call.name == "pkill" && parent.is_some_and(|pid| pid == SHELL_PID)
}

/// Whether a signal only lets processes go on.
fn is_continued(call: &Call) -> bool {
    let is_signal = |text: &str| matches!(text, "-CONT" | "-SIGCONT" | "-18" | "--signal=CONT" | "--signal=SIGCONT");
    call.args.iter().any(|arg| is_signal(&arg.text))
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        core: true,
        when: When::Check(&["fork-bomb"], |_, _| true),
        denied: &[":(){ :|:& };:", "bomb() { bomb | bomb & }; bomb"],
        allowed: &["f() { echo hi; }; f", "walk() { ls \"$1\"; }; walk ."],
        ..deny("fork-bomb", "it starts itself without end", "call a function once: `f() { echo hi; }; f`")
    },
    Rule {
        when: When::Words(&[
            "systemctl isolate",
            "poweroff",
            "halt",
            "shutdown !-c|-k",
            "reboot",
            "init|telinit 0|1|2|3|4|5|6|s|S",
            "systemctl poweroff|halt|reboot|soft-reboot|rescue|emergency|suspend|hibernate|kexec",
            "loginctl poweroff|reboot|terminate-user|terminate-session|kill-user",
            "kexec",
            "pm-suspend",
            "Stop-Computer",
            "Restart-Computer",
        ]),
        denied: &["poweroff", "halt -f", "sudo shutdown -h now", "systemctl reboot", "init 0"],
        allowed: &["uptime", "shutdown -c", "systemctl status nginx"],
        ..deny("machine-stop", "it stops the machine", "leave it running: `uptime` shows its state")
    },
    Rule {
        when: When::Check(&["kill", "killall5", "pkill", "killall", "skill"], |call, _| kills_everything(call)),
        denied: &[
            "kill -9 -1",
            "kill -KILL -1",
            "sudo kill -9 1",
            "pkill -u dev",
            "killall -9 sshd",
            "ps -eo pid= | xargs kill",
        ],
        allowed: &["kill %1", "kill -9 12345", "kill -0 1234", "lsof -ti:3000 | xargs kill"],
        ..deny(
            "kill-everything",
            "it kills processes of others, or all processes",
            "kill your own process: `kill 12345`",
        )
    },
    Rule {
        when: When::Check(&["systemctl", "service", "launchctl", "rc-service"], |call, _| stops_service(call)),
        denied: &["systemctl stop sshd", "systemctl disable --now NetworkManager", "service ssh stop"],
        allowed: &["systemctl status sshd", "systemctl --user restart app"],
        ..deny("service-stop", "it stops a service that the machine needs", "read its state: `systemctl status sshd`")
    },
    Rule {
        when: When::Check(&["systemctl", "service", "pkill", "killall", "launchctl", "pm2"], |call, context| {
            let is_own = || is_continued(call) || selects_children(call) || signals_own(call, context);
            STOPS.iter().any(|pattern| matches(pattern, call)) && !is_own()
        }),
        denied: &["sudo systemctl stop postgresql", "pkill node", "killall node", "pm2 delete all"],
        allowed: &["pgrep node", "systemctl list-units", "pkill -CONT -f sleepy", "pkill -P $$"],
        ..ask(
            "process-stop",
            "it may stop services or processes of others",
            "find your own process, by its port or its command: `lsof -t -i:8000`, `pgrep -af 'npm start'`, and stop it: `kill 12345`",
        )
    },
    Rule {
        when: When::Words(&[
            "crontab -r",
            "userdel",
            "deluser",
            "groupdel",
            "delgroup",
            "usermod -L|-p|--lock",
            "passwd",
            "chpasswd",
            "visudo !-c|--check",
            "vipw",
            "sysadminctl -deleteUser",
            "dscl . -delete",
            "gpasswd -d|-r",
            "atrm",
            "adduser|useradd",
            "usermod -aG|-G|--groups",
        ]),
        denied: &["crontab -r", "userdel -r dev", "sudo passwd root"],
        allowed: &["crontab -l", "id dev", "who"],
        ..deny("account-change", "it changes accounts, or removes their scheduled jobs", "list the jobs: `crontab -l`")
    },
    Rule {
        when: When::Words(&["crontab !-l|-r|-e"]),
        denied: &["crontab new.txt", "crontab -l | grep -v job | crontab -"],
        allowed: &[],
        ..ask(
            "crontab-change",
            "it replaces the scheduled jobs",
            "note the job for the user: `echo '0 3 * * * job' >> NOTES.md`",
        )
    },
    Rule {
        when: When::Words(&[
            "umount /|/home|/usr|/var|/boot",
            "nmcli radio ... off",
            "mount -o=*remount*",
            "iptables|ip6tables -F|--flush|-X",
            "iptables|ip6tables -P|--policy",
            "nft flush",
            "ufw disable|reset|delete",
            "firewall-cmd --panic-on",
            "nmcli networking|radio off",
            "nmcli connection|con|c delete|down",
            "ip link|l set ... down",
            "ip route|r flush|del|delete",
            "ip addr|address|a flush",
            "ifconfig * down",
            "ifdown",
            "networksetup -setnetworkserviceenabled|-setairportpower",
            "route flush|delete",
            "pfctl -F|-d",
            "setenforce 0",
            "swapoff -a|--all",
            "sysctl -w",
            "modprobe -r",
            "rmmod",
            "insmod",
            "sysrq",
            "efibootmgr -B|-b",
            "update-initramfs -d",
            "defaults delete",
            "nvram -c|-d",
            "grub-install",
            "mount -o=*remount*",
            "csrutil disable",
            "spctl --master-disable|--global-disable",
            "timedatectl set-time",
            "hostnamectl set-hostname",
        ]),
        denied: &["iptables -F", "nmcli networking off", "swapoff -a", "ufw disable", "ip link set eth0 down"],
        allowed: &["iptables -L", "ip addr", "nmcli device status", "free -m"],
        ..deny(
            "machine-change",
            "it changes the network, the kernel or the security of the machine",
            "read the settings: `ip addr`",
        )
    },
    Rule {
        when: When::Words(&[
            "history -c|-d",
            "auditctl -D|-e",
            "journalctl --vacuum-size|--vacuum-time|--rotate|--vacuum-files",
            "wevtutil cl",
        ]),
        denied: &["history -c", "journalctl --vacuum-time=1s"],
        allowed: &["history", "journalctl -n 50"],
        ..deny("log-erase", "it removes the record of what ran", "read the last lines: `journalctl -n 50`")
    },
];
