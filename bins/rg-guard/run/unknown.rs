//! What cannot be known: a program with no name, one that nobody knows, a text that cannot be read.

use super::call::Call;
use super::expand::Arg;
use super::marks::{self, FETCHED, UNSET, is_unknown};
use super::walk::{Io, Walker};
use crate::shell::Span;

/// Programs that a name which nobody knows may stand before.
pub const BEHIND: [&str; 30] = [
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

/// Options whose value is a command, of programs that nobody knows.
const EXECUTES: [&str; 9] =
    ["--exec", "--cmd", "--command", "--run", "--prepare", "--cleanup", "--setup", "--conclude", "--eval-command"];

/// Programs that take commands as words about which they talk.
const TALKERS: [&str; 64] = [
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
    /// Judges a text that no shell can read by its words: whatever could begin a command does.
    pub fn words(&mut self, text: &str) {
        let ends = |c: char| matches!(c, '\n' | ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`' | '"' | '\'');
        for piece in text.split(ends) {
            let mut words = piece.split_whitespace().map(|word| Arg::new(word, Span::default()));
            if let Some(program) = words.next() {
                let call = Call { args: words.collect(), cwd: self.scope.cwd.clone(), ..Call::default() };
                self.run(program, call, &Io::default());
            }
        }
    }

    /// A program whose name is not known.
    pub fn unknown_program(&mut self, given: &str, call: Call, io: &Io) -> String {
        if unreadable(given) == Some("run-downloaded") {
            let told = Call { name: "run-downloaded".into(), ..call.clone() };
            self.show(&told);
        } else {
            let told = Call { name: "unknown-program".into(), ..call.clone() };
            self.show(&told);
        }
        // `$SUDO rm -rf /` with nothing in it is `rm -rf /`; `$X` may be a wrapper in any case.
        // A shell, for all that is known, that reads what comes in.
        let text = io.input.as_deref().and_then(marks::written);
        if let Some(text) = text.filter(|_| given.chars().all(is_unknown) && call.args.is_empty()) {
            return self.script(&call, &text, &[], &Io::default());
        }
        if given.chars().all(is_unknown)
            && given.contains([UNSET, marks::SOME, marks::PRINTED])
            && !call.args.is_empty()
        {
            let known =
                call.args[0].known().is_some_and(|name| BEHIND.contains(&name.rsplit('/').next().unwrap_or("")));
            if known {
                let outer = Call { name: "unknown".into(), ..call };
                return self.operands_run(&outer, 0, io);
            }
        }
        String::new()
    }

    /// A program that nobody knows, with a whole command among its words: it may well run it.
    pub fn behind(&mut self, call: &Call, io: &Io) {
        if TALKERS.contains(&call.name.as_str()) || crate::rules::knows(&call.name) || call.name.contains('.') {
            return;
        }
        let is_known = |arg: &Arg| {
            arg.known().is_some_and(|name| BEHIND.contains(&name.rsplit('/').next().unwrap_or("")) && !name.is_empty())
        };
        let places = call.args.iter().enumerate().filter(|(at, arg)| is_known(arg) && at + 1 < call.args.len());
        for at in places.map(|(at, _)| at).take(3).collect::<Vec<_>>() {
            self.apart(|walker| walker.operands_run(call, at, io));
        }
        self.executed(call);
    }

    /// Commands that are an option's value.
    pub fn executed(&mut self, call: &Call) {
        for pair in call.args.windows(2).filter(|pair| EXECUTES.contains(&pair[0].text.as_str())) {
            let text = marks::plain(&pair[1].text);
            self.below(call, |walker| walker.apart(|walker| walker.text(&text, Some(call.span), &Io::default())));
        }
    }
}

/// Why a text that is to be run cannot be looked into: the name under which rules know that.
pub fn unreadable(text: &str) -> Option<&'static str> {
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
