//! Programs that run commands in ways of their own: shells, `eval`, `find`, `xargs`, `ssh`, containers.

use super::arguments::flags;
use super::call::Call;
use super::expand::Arg;
use super::marks::{self, PRINTED, is_unknown};
use super::scope::Values;
use super::simple::quoted;
use super::walk::{Io, Walker};

/// Shells.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "ash",
    "fish",
    "mksh",
    "yash",
    "rbash",
    "rzsh",
    "tcsh",
    "csh",
    "pwsh",
    "powershell",
    "nu",
    "xonsh",
    "elvish",
];

/// Whether a program is a shell.
pub fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

impl Walker<'_> {
    /// Follows a program that runs commands; None when it is none of these.
    pub fn inner(&mut self, call: &Call, io: &Io) -> Option<String> {
        let name = call.name.as_str();
        let text_at = |at: usize| call.args.get(at).map(|arg| marks::plain(&arg.text));
        match name {
            name if SHELLS.contains(&name) => Some(self.shell(call, io)),
            "command" if call.args.first().is_some_and(|arg| matches!(arg.text.as_str(), "-v" | "-V")) => {
                Some(super::printed::of(call, self))
            }
            "ansible" => {
                let options = flags(&call.args, "-m -a -i -u -e -l -f --module-name --args --inventory");
                let module = options.value("-m").or_else(|| options.value("--module-name")).unwrap_or_default();
                let text = options.value("-a").or_else(|| options.value("--args"));
                if let Some(text) = text.filter(|_| matches!(module.as_str(), "" | "shell" | "command" | "raw")) {
                    let text = marks::plain(&text);
                    self.there(call, |walker| walker.script(call, &text, &[], &Io::default()));
                }
                None
            }
            // `cmd /c TEXT`, `gh alias set NAME '!TEXT'`, `cargo watch -s TEXT`
            "cmd" | "gh" | "cargo" | "knife" => {
                let texts: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
                let text = match (name, texts.as_slice()) {
                    ("cmd", [.., option, text]) if option.eq_ignore_ascii_case("/c") => Some(*text),
                    ("gh", ["alias", "set", "-s" | "--shell", .., text]) => Some(*text),
                    ("gh", ["alias", "set", .., text]) => text.strip_prefix('!'),
                    ("knife", ["ssh", _, text, ..]) => Some(*text),
                    ("cargo", ["watch", rest @ ..]) => {
                        rest.windows(2).find(|pair| matches!(pair[0], "-s" | "--shell")).map(|pair| pair[1])
                    }
                    _ => None,
                };
                if let Some(text) = text.map(marks::plain) {
                    self.below(call, |walker| {
                        walker.apart(|walker| walker.text(&text, Some(call.span), &Io::default()))
                    });
                }
                None
            }
            "iex" | "Invoke-Expression" if io.input.is_some() => {
                let text = io.input.clone()?;
                Some(self.script(call, &text, &[], &Io::default()))
            }
            // What stands after the dashes is for a shell.
            "capsh" => {
                let dashes = call.args.iter().position(|arg| arg.text == "--" || arg.text == "==")?;
                let inner = Call { args: call.args[dashes + 1..].to_vec(), ..call.clone() };
                Some(self.shell(&inner, io))
            }
            "start-stop-daemon" => {
                let options =
                    flags(&call.args, "-x -a --exec --startas -u -c -g -p -d -N -n --chuid --pidfile --chdir --name");
                let program = ["-x", "--exec", "-a", "--startas"].iter().find_map(|name| options.value(name))?;
                let dashes = call.args.iter().position(|arg| arg.text == "--").map_or(call.args.len(), |at| at + 1);
                let mut args = call.args[dashes..].to_vec();
                args.insert(0, Arg::new(program, call.span));
                Some(self.operands_run(&Call { args, ..call.clone() }, 0, io))
            }
            "sudo" | "doas" if flags(&call.args, "-u -g -h -p -C").operands.is_empty() => {
                // `sudo -i` reads commands.
                let text = io.input.clone().filter(|_| call.args.iter().any(|arg| arg.text.starts_with('-')))?;
                Some(self.script(call, &text, &[], &Io::default()))
            }
            "eval" => {
                let text = call.args.iter().map(|arg| marks::plain(&arg.text)).collect::<Vec<_>>().join(" ");
                let arguments = self.scope.arguments.clone().unwrap_or_default();
                let arguments: Vec<Arg> = arguments.into_iter().map(|text| Arg::new(text, call.span)).collect();
                Some(self.script(call, &text, &arguments, io))
            }
            "source" | "." => {
                let held = match text_at(0).as_deref() {
                    Some("/dev/stdin" | "/dev/fd/0" | "-") => io.input.clone(),
                    Some(path) => self.scope.file(path),
                    None => None,
                };
                Some(held.map_or(String::new(), |held| self.script(call, &held, &call.args[1..], io)))
            }
            "trap" => {
                let first = text_at(usize::from(text_at(0).as_deref() == Some("--")));
                if let Some(text) = first.filter(|text| !matches!(text.as_str(), "-" | "" | "-l" | "-p")) {
                    self.below(call, |walker| {
                        walker.apart(|walker| walker.text(&text, Some(call.span), &Io::default()))
                    });
                }
                Some(String::new())
            }
            "exec" if call.args.is_empty() => Some(String::new()),
            "env" | "genv" => self.env(call, io),
            "find" | "gfind" | "fd" | "fdfind" | "bfs" => {
                self.find(call, io);
                None
            }
            "xargs" | "gxargs" => Some(self.xargs(call, io)),
            "parallel" | "rush" | "sem" => Some(self.parallel(call, io)),
            "ssh" | "mosh" | "autossh" => {
                Some(self.far(call, "-p -i -l -o -F -J -L -R -D -b -c -e -E -I -m -O -Q -S -W -w -B", 1, io))
            }
            "pdsh" | "clush" | "dsh" | "pssh" | "parallel-ssh" | "fab" => {
                Some(self.far(call, "-w -g -x -l -m -f -t -u -h -H -p -o -e -O -A -G --machine --group", 0, io))
            }
            "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "kubectl" | "oc" | "k" | "lxc"
            | "incus" | "vagrant" | "wsl" | "flatpak" | "distrobox" | "toolbox" | "nomad" | "fly" | "flyctl"
            | "heroku" | "gcloud" | "crictl" | "ctr" | "minikube" | "multipass" | "apptainer" | "singularity" => {
                self.container(call, io)
            }
            "su" | "runuser" | "script" | "flock" | "sg" | "newgrp" | "nix-shell" | "nix" | "npx" | "npm" | "pnpm"
            | "yarn" | "bunx" | "devenv" | "watchman-make" => self.by_option(call, io),
            "crontab" | "at" | "batch" => {
                if let Some(text) = io.input.clone() {
                    // The five times before a command are skipped with whatever they hold.
                    let lines: Vec<&str> =
                        text.lines().map(|line| if name == "crontab" { after_times(line) } else { line }).collect();
                    let text = lines.join("\n");
                    self.below(call, |walker| {
                        walker.apart(|walker| walker.text(&text, Some(call.span), &Io::default()))
                    });
                }
                None
            }
            "make" | "gmake" | "just" => {
                self.make(call, io);
                None
            }
            "git" | "hub" => Some(self.git(call, io)),
            // Whose arguments hold commands is told there.
            _ => {
                self.sql_of_file(call);
                for text in super::escapes::commands_in(call) {
                    self.below(call, |walker| {
                        walker.apart(|walker| walker.text(&text, Some(call.span), &Io::default()))
                    });
                }
                None
            }
        }
    }

    fn shell(&mut self, call: &Call, io: &Io) -> String {
        let mut at = 0;
        let (mut command, mut reads, mut only_checked) = (false, false, false);
        while let Some(arg) = call.args.get(at) {
            let text = arg.text.as_str();
            if text == "--" || text == "-" {
                at += 1;
                break;
            }
            if !(text.starts_with('-') || text.starts_with('+')) || text.len() < 2 {
                break;
            }
            at += 1;
            match text {
                "--rcfile" | "--init-file" => {
                    let path = call.args.get(at).map(|arg| arg.text.clone()).unwrap_or_default();
                    self.started_with(call, &path);
                    at += 1;
                }
                "-O" | "+O" | "-o" | "+o" => at += 1,
                "--command" => command = true,
                text if text.starts_with("--") => {}
                text if text.eq_ignore_ascii_case("-command") => command = true,
                text if text.starts_with('-') => {
                    command |= text.contains('c');
                    reads |= text.contains('s');
                    only_checked |= text.contains('n');
                    // `-eo pipefail`
                    at += usize::from(text.ends_with('o'));
                }
                _ => {}
            }
        }
        if only_checked {
            return String::new();
        }
        for (_, path) in call.assigns.iter().filter(|(name, _)| matches!(name.as_str(), "BASH_ENV" | "ENV")) {
            self.started_with(call, path);
        }
        let rest = call.args.get(at..).unwrap_or_default().to_vec();
        let unread = Io { input: io.input.clone(), capture: io.capture };
        let Some(first) = rest.first().filter(|_| command || !reads) else {
            return match io.input.clone() {
                Some(text) => {
                    self.apart(|walker| walker.script(call, &text, &rest, &Io { input: None, capture: io.capture }))
                }
                None => String::new(),
            };
        };
        if command {
            let text = marks::plain(&first.text);
            let arguments = rest.get(2..).unwrap_or_default().to_vec();
            return self.apart(|walker| {
                if let Some(zero) = rest.get(1) {
                    walker.scope.set("0", Values::one(zero.text.as_str()));
                }
                walker.script(call, &text, &arguments, &unread)
            });
        }
        let held = match first.text.as_str() {
            "/dev/stdin" | "/dev/fd/0" => io.input.clone(),
            path => self.scope.file(path),
        };
        match held {
            Some(text) => self.apart(|walker| walker.script(call, &text, &rest[1..], &unread)),
            None if unreadable_path(&first.text) => self.script(call, &first.text, &[], &unread),
            None => PRINTED.to_string(),
        }
    }

    /// What a shell reads before anything else.
    fn started_with(&mut self, call: &Call, path: &str) {
        if let Some(held) = self.scope.file(path) {
            self.apart(|walker| walker.script(call, &held, &[], &Io::default()));
        }
    }

    /// `env -S 'command'`, `env -C dir command`.
    fn env(&mut self, call: &Call, io: &Io) -> Option<String> {
        let options = flags(&call.args, "-u -C -S --unset --chdir --split-string");
        let split = options.value("-S").or_else(|| options.value("--split-string"));
        let dir = options.value("-C").or_else(|| options.value("--chdir"));
        if let Some(split) = split {
            let operands: Vec<String> = options.operands.iter().map(|arg| quoted(&marks::plain(&arg.text))).collect();
            let text = format!("env {} {}", marks::plain(&split), operands.join(" "));
            return Some(self.below(call, |walker| walker.text(&text, Some(call.span), io)));
        }
        let dir = dir?;
        Some(self.apart(|walker| {
            walker.scope.enter(&dir);
            let args: Vec<Arg> = call
                .args
                .iter()
                .filter(|arg| !arg.text.starts_with("-C") && !arg.text.starts_with("--chdir") && arg.text != dir)
                .cloned()
                .collect();
            let call = Call { args, ..call.clone() };
            walker.operands_run(&call, 0, io)
        }))
    }
}

/// A path that stands for something nobody can look into.
fn unreadable_path(path: &str) -> bool {
    path.contains([marks::FETCHED, marks::DECODED]) && path.chars().all(|c| is_unknown(c) || c.is_whitespace())
}

/// The command of a line of a crontab.
fn after_times(line: &str) -> &str {
    let line = line.trim_start();
    let count = if line.starts_with('@') { 1 } else { 5 };
    let mut rest = line;
    for _ in 0..count {
        rest = rest.trim_start();
        rest = rest.find(char::is_whitespace).map_or("", |at| &rest[at..]);
    }
    rest
}
