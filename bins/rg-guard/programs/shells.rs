//! Shells, and `env`, which may split a text into a command.

use crate::command::marks::{self, PRINTED, is_unknown};
use crate::command::{Arg, Call, flags, quote};
use crate::walk::{Io, Values, Walker};

/// The shells.
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
    /// Runs a shell: its `-c` text, its script or its input.
    pub fn run_shell(&mut self, call: &Call, io: &Io) -> String {
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
                    self.run_startup_file(call, &path);
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
            self.run_startup_file(call, path);
        }
        let rest = call.args.get(at..).unwrap_or_default().to_vec();
        let unread = Io { input: io.input.clone(), capture: io.capture };
        let Some(first) = rest.first().filter(|_| command || !reads) else {
            return match io.input.clone() {
                Some(text) => self.in_subshell(|walker| {
                    walker.run_script(call, &text, &rest, &Io { input: None, capture: io.capture })
                }),
                None => String::new(),
            };
        };
        if command {
            let text = marks::literal(&first.text);
            let arguments = rest.get(2..).unwrap_or_default().to_vec();
            return self.in_subshell(|walker| {
                if let Some(zero) = rest.get(1) {
                    walker.scope.set("0", Values::one(zero.text.as_str()));
                }
                walker.run_script(call, &text, &arguments, &unread)
            });
        }
        let contents = match first.text.as_str() {
            "/dev/stdin" | "/dev/fd/0" => io.input.clone(),
            path => self.scope.file_contents(path),
        };
        match contents {
            Some(text) => self.in_subshell(|walker| walker.run_script(call, &text, &rest[1..], &unread)),
            None if unreadable_path(&first.text) => self.run_script(call, &first.text, &[], &unread),
            None => PRINTED.to_string(),
        }
    }

    /// Runs a startup file, where its contents are known.
    fn run_startup_file(&mut self, call: &Call, path: &str) {
        if let Some(contents) = self.scope.file_contents(path) {
            self.in_subshell(|walker| walker.run_script(call, &contents, &[], &Io::default()));
        }
    }

    /// `env -S 'command'`, `env -C dir command`.
    pub fn run_env(&mut self, call: &Call, io: &Io) -> Option<String> {
        let options = flags(&call.args, "-u -C -S --unset --chdir --split-string");
        let split = options.value("-S").or_else(|| options.value("--split-string"));
        let dir = options.value("-C").or_else(|| options.value("--chdir"));
        if let Some(split) = split {
            let operands: Vec<String> = options.operands.iter().map(|arg| quote(&marks::literal(&arg.text))).collect();
            let text = format!("env {} {}", marks::literal(&split), operands.join(" "));
            return Some(self.run_by(call, |walker| walker.run_text(&text, Some(call.span), io)));
        }
        let dir = dir?;
        Some(self.in_subshell(|walker| {
            walker.scope.change_dir(&dir);
            let args: Vec<Arg> = call
                .args
                .iter()
                .filter(|arg| !arg.text.starts_with("-C") && !arg.text.starts_with("--chdir") && arg.text != dir)
                .cloned()
                .collect();
            let call = Call { args, ..call.clone() };
            walker.run_operands(&call, 0, io)
        }))
    }
}

/// Whether a path stands for downloaded or decoded text.
fn unreadable_path(path: &str) -> bool {
    path.contains([marks::FETCHED, marks::DECODED]) && path.chars().all(|c| is_unknown(c) || c.is_whitespace())
}
