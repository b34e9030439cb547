//! Programs that are not known, and texts that cannot be read: what they may run all the same.

use crate::command::marks::{self, FETCHED, UNSET, is_unknown};
use crate::command::{Arg, Call};
use crate::shell::Span;
use crate::walk::{Io, Walker};

/// Programs that are judged behind an unknown program or variable.
pub const WRAPPABLE: [&str; 30] = [
    "git",
    "rm",
    "sh",
    "bash",
    "zsh",
    "dd",
    "find",
    "chmod",
    "chown",
    "shred",
    "kubectl",
    "terraform",
    "docker",
    "sudo",
    "env",
    "xargs",
    "eval",
    "rimraf",
    "truncate",
    "psql",
    "mysql",
    "redis-cli",
    "mongosh",
    "aws",
    "gcloud",
    "helm",
    "ssh",
    "perl",
    "python3",
    "node",
];

/// Options of any program whose value is a command.
const COMMAND_OPTIONS: [&str; 9] =
    ["--exec", "--cmd", "--command", "--run", "--prepare", "--cleanup", "--setup", "--conclude", "--eval-command"];

/// Programs that take names of commands as arguments, and do not run them.
const MENTIONERS: [&str; 64] = [
    "man",
    "which",
    "type",
    "whatis",
    "whereis",
    "apropos",
    "info",
    "help",
    "tldr",
    "cheat",
    "apt",
    "apt-get",
    "brew",
    "yum",
    "dnf",
    "pacman",
    "npm",
    "pip",
    "cargo",
    "go",
    "echo",
    "alias",
    "complete",
    "rg-guard",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "printf",
    "print",
    "logger",
    "say",
    "notify-send",
    "test",
    "[",
    "expr",
    "jq",
    "yq",
    "gh",
    "glab",
    "code",
    "vim",
    "nvim",
    "nano",
    "cat",
    "less",
    "ls",
    "mkdir",
    "touch",
    "cd",
    "pushd",
    "local",
    "export",
    "readonly",
    "declare",
    "set",
    "unset",
    "read",
    "hash",
    "pgrep",
    "pip3",
    "npx",
];

impl Walker<'_> {
    /// Judges each piece of a text as a command: for a text with a syntax error.
    pub fn run_words(&mut self, text: &str) {
        let ends = |c: char| matches!(c, '\n' | ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`' | '"' | '\'');
        for piece in text.split(ends) {
            let mut words = piece.split_whitespace().map(|word| Arg::new(word, Span::default()));
            if let Some(program) = words.next() {
                let call = Call { args: words.collect(), cwd: self.scope.cwd.clone(), ..Call::default() };
                self.run_command(program, call, &Io::default());
            }
        }
    }

    /// Runs a program whose name is not known.
    pub fn run_unknown_program(&mut self, given: &str, call: Call, io: &Io) -> String {
        if unreadable_reason(given) == Some("run-downloaded") {
            let shown = Call { name: "run-downloaded".into(), ..call.clone() };
            self.show(&shown);
        } else {
            let shown = Call { name: "unknown-program".into(), ..call.clone() };
            self.show(&shown);
        }
        // `$SUDO rm -rf /` is `rm -rf /` where the variable is empty, and a wrapper where it is not.
        // An unknown program without arguments may be a shell that reads its input.
        let text = io.input.as_deref().and_then(marks::known_text);
        if let Some(text) = text.filter(|_| given.chars().all(is_unknown) && call.args.is_empty()) {
            return self.run_script(&call, &text, &[], &Io::default());
        }
        if given.chars().all(is_unknown)
            && given.contains([UNSET, marks::SOME, marks::PRINTED])
            && !call.args.is_empty()
        {
            let known = call.args[0]
                .known_text()
                .is_some_and(|name| WRAPPABLE.contains(&name.rsplit('/').next().unwrap_or("")));
            if known {
                let outer = Call { name: "unknown".into(), ..call };
                return self.run_operands(&outer, 0, io);
            }
        }
        String::new()
    }

    /// Runs the commands among the operands of an unknown program: it may be a wrapper.
    pub fn run_mentioned_commands(&mut self, call: &Call, io: &Io) {
        if MENTIONERS.contains(&call.name.as_str()) || crate::rules::knows(&call.name) || call.name.contains('.') {
            return;
        }
        let is_known = |arg: &Arg| {
            arg.known_text()
                .is_some_and(|name| WRAPPABLE.contains(&name.rsplit('/').next().unwrap_or("")) && !name.is_empty())
        };
        let places = call.args.iter().enumerate().filter(|(at, arg)| is_known(arg) && at + 1 < call.args.len());
        for at in places.map(|(at, _)| at).take(3).collect::<Vec<_>>() {
            self.in_subshell(|walker| walker.run_operands(call, at, io));
        }
        self.run_command_options(call);
    }

    /// Runs the values of options that take a command.
    pub fn run_command_options(&mut self, call: &Call) {
        for pair in call.args.windows(2).filter(|pair| COMMAND_OPTIONS.contains(&pair[0].text.as_str())) {
            let text = marks::literal(&pair[1].text);
            self.run_by(call, |walker| {
                walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
            });
        }
    }
}

/// Why a text that is to be run cannot be read: the program name that rules know it by. None where it can be read.
pub fn unreadable_reason(text: &str) -> Option<&'static str> {
    if text.contains(FETCHED) {
        return Some("run-downloaded");
    }
    if text.contains(marks::DECODED) {
        return Some("run-decoded");
    }
    let blank = |c: char| c.is_whitespace() || is_unknown(c);
    if !text.is_empty()
        && text.chars().all(blank)
        && text.contains(is_unknown)
        && !text.contains([marks::SETUP, marks::FILE])
    {
        return Some("run-unknown");
    }
    None
}
