//! Programs that run other commands, and what programs print.

mod command_options;
mod consoles;
mod containers;
mod find;
mod git;
pub mod interpreters;
pub mod output;
mod output_filters;
mod package_runners;
mod remote;
mod shell_escapes;
pub mod shells;
mod text_scripts;
pub mod unknown_programs;
pub mod wrappers;
mod written_files;
mod xargs;

use crate::command::marks::{self};
use crate::command::{Arg, Call, flags};
use crate::walk::{Io, Walker};

impl Walker<'_> {
    /// Runs a program that runs commands in its own way; None where the walk goes on with the program itself.
    pub fn run_program(&mut self, call: &Call, io: &Io) -> Option<String> {
        let name = call.name.as_str();
        let text_at = |at: usize| call.args.get(at).map(|arg| marks::literal(&arg.text));
        match name {
            name if shells::is_shell(name) => Some(self.run_shell(call, io)),
            "command" if call.args.first().is_some_and(|arg| matches!(arg.text.as_str(), "-v" | "-V")) => {
                Some(output::printed_by(call, &self.scope))
            }
            "ansible" => {
                let options = flags(&call.args, "-m -a -i -u -e -l -f --module-name --args --inventory");
                let module = options.value("-m").or_else(|| options.value("--module-name")).unwrap_or_default();
                let text = options.value("-a").or_else(|| options.value("--args"));
                if let Some(text) = text.filter(|_| matches!(module.as_str(), "" | "shell" | "command" | "raw")) {
                    let text = marks::literal(&text);
                    self.run_remotely(call, |walker| walker.run_script(call, &text, &[], &Io::default()));
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
                if let Some(text) = text.map(marks::literal) {
                    self.run_by(call, |walker| {
                        walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
                    });
                }
                None
            }
            "iex" | "Invoke-Expression" if io.input.is_some() => {
                let text = io.input.clone()?;
                Some(self.run_script(call, &text, &[], &Io::default()))
            }
            // capsh gives the arguments after the dashes to a shell.
            "capsh" => {
                let dashes = call.args.iter().position(|arg| arg.text == "--" || arg.text == "==")?;
                let inner = Call { args: call.args[dashes + 1..].to_vec(), ..call.clone() };
                Some(self.run_shell(&inner, io))
            }
            "start-stop-daemon" => {
                let options =
                    flags(&call.args, "-x -a --exec --startas -u -c -g -p -d -N -n --chuid --pidfile --chdir --name");
                let program = ["-x", "--exec", "-a", "--startas"].iter().find_map(|name| options.value(name))?;
                let dashes = call.args.iter().position(|arg| arg.text == "--").map_or(call.args.len(), |at| at + 1);
                let mut args = call.args[dashes..].to_vec();
                args.insert(0, Arg::new(program, call.span));
                Some(self.run_operands(&Call { args, ..call.clone() }, 0, io))
            }
            "sudo" | "doas" if flags(&call.args, "-u -g -h -p -C").operands.is_empty() => {
                // `sudo -i` reads commands from its input.
                let text = io.input.clone().filter(|_| call.args.iter().any(|arg| arg.text.starts_with('-')))?;
                Some(self.run_script(call, &text, &[], &Io::default()))
            }
            "eval" => {
                let text = call.args.iter().map(|arg| marks::literal(&arg.text)).collect::<Vec<_>>().join(" ");
                let arguments = self.scope.arguments.clone().unwrap_or_default();
                let arguments: Vec<Arg> = arguments.into_iter().map(|text| Arg::new(text, call.span)).collect();
                Some(self.run_script(call, &text, &arguments, io))
            }
            "source" | "." => {
                let contents = match text_at(0).as_deref() {
                    Some("/dev/stdin" | "/dev/fd/0" | "-") => io.input.clone(),
                    Some(path) => self.scope.file_contents(path),
                    None => None,
                };
                Some(contents.map_or(String::new(), |contents| self.run_script(call, &contents, &call.args[1..], io)))
            }
            "trap" => {
                let first = text_at(usize::from(text_at(0).as_deref() == Some("--")));
                if let Some(text) = first.filter(|text| !matches!(text.as_str(), "-" | "" | "-l" | "-p")) {
                    self.run_by(call, |walker| {
                        walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
                    });
                }
                Some(String::new())
            }
            "exec" if call.args.is_empty() => Some(String::new()),
            "env" | "genv" => self.run_env(call, io),
            "find" | "gfind" | "fd" | "fdfind" | "bfs" => {
                self.run_find(call, io);
                None
            }
            "xargs" | "gxargs" => Some(self.run_xargs(call, io)),
            "parallel" | "rush" | "sem" => Some(self.run_parallel(call, io)),
            "ssh" | "mosh" | "autossh" => {
                Some(self.run_on_host(call, "-p -i -l -o -F -J -L -R -D -b -c -e -E -I -m -O -Q -S -W -w -B", 1, io))
            }
            "pdsh" | "clush" | "dsh" | "pssh" | "parallel-ssh" | "fab" => {
                Some(self.run_on_host(call, "-w -g -x -l -m -f -t -u -h -H -p -o -e -O -A -G --machine --group", 0, io))
            }
            "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "kubectl" | "oc" | "k" | "lxc"
            | "incus" | "vagrant" | "wsl" | "flatpak" | "distrobox" | "toolbox" | "nomad" | "fly" | "flyctl"
            | "heroku" | "gcloud" | "crictl" | "ctr" | "minikube" | "multipass" | "apptainer" | "singularity" => {
                self.run_container(call, io)
            }
            "su" | "runuser" | "script" | "flock" | "sg" | "newgrp" | "nix-shell" | "nix" | "npx" | "pnpx" | "npm"
            | "pnpm" | "yarn" | "bunx" | "devenv" | "watchman-make" => self.run_option_value(call, io),
            "uvx" | "pipx" | "bun" | "deno" => self.run_package(call, io),
            "uv" if call.args.first().is_some_and(|arg| arg.text == "tool") => {
                let args = call.args.get(2..).unwrap_or_default().to_vec();
                let is_run = call.args.get(1).is_some_and(|arg| arg.text == "run");
                if is_run { self.run_package(&Call { name: "uvx".into(), args, ..call.clone() }, io) } else { None }
            }
            "crontab" | "at" | "batch" => {
                if let Some(text) = io.input.clone() {
                    // A line of a crontab has five times before its command.
                    let lines: Vec<&str> =
                        text.lines().map(|line| if name == "crontab" { after_times(line) } else { line }).collect();
                    let text = lines.join("\n");
                    self.run_by(call, |walker| {
                        walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
                    });
                }
                None
            }
            "make" | "gmake" | "just" => {
                self.run_makefile(call, io);
                None
            }
            "git" | "hub" => Some(self.run_git(call, io)),
            // Shell escapes in the arguments or the input.
            _ => {
                self.show_sql_files(call);
                for text in shell_escapes::commands_in(call) {
                    self.run_by(call, |walker| {
                        walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
                    });
                }
                None
            }
        }
    }
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
