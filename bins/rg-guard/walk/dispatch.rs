//! Runs one simple command: shows it to the judge, then follows what it changes, runs and prints.

use super::walker::{Io, Walker};
use crate::command::marks::{self, UNSET, is_unknown};
use crate::command::{Arg, Call, JUDGE_PID};
use crate::programs::unknown_programs::{WRAPPABLE, unreadable_reason};
use crate::programs::{interpreters, output, wrappers};

/// Variables whose value programs run as a command.
const COMMAND_VARIABLES: [&str; 29] = [
    "GIT_PAGER",
    "PAGER",
    "MANPAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "EDITOR",
    "VISUAL",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "PROMPT_COMMAND",
    "PS4",
    "BROWSER",
    "LESSOPEN",
    "RSYNC_RSH",
    "GIT_ASKPASS",
    "SUDO_ASKPASS",
    "SSH_ASKPASS",
    "GIT_SSH",
    "SYSTEMD_PAGER",
    "GH_PAGER",
    "GH_EDITOR",
    "BAT_PAGER",
    "DELTA_PAGER",
    "PSQL_PAGER",
    "AWS_PAGER",
    "LESSCLOSE",
    "SVN_SSH",
    "KUBE_EDITOR",
];

/// Subcommands of git that are programs of their own: `git-reset`.
const DASHED_GIT_VERBS: [&str; 16] = [
    "reset",
    "clean",
    "push",
    "checkout",
    "restore",
    "switch",
    "branch",
    "stash",
    "update-ref",
    "reflog",
    "gc",
    "filter-branch",
    "rm",
    "worktree",
    "send-pack",
    "commit",
];

/// The argument with its unset variables as empty texts; None where that changes nothing, or for a path.
fn without_empty(arg: &Arg) -> Option<Arg> {
    let text = &arg.text;
    if !marks::may_have_mark(text) {
        return None;
    }
    let some_left = text.chars().any(|c| !is_unknown(c));
    let is_word = text.contains(UNSET) && some_left && !text.contains('/') && !text.contains(marks::is_wildcard);
    is_word.then(|| Arg::new(text.replace(UNSET, ""), arg.span))
}

impl Walker<'_> {
    /// Runs a simple command, and returns what it prints.
    pub fn run_command(&mut self, program: Arg, mut call: Call, io: &Io) -> String {
        self.spend(64);
        if self.is_exhausted() {
            return String::new();
        }
        if without_empty(&program).is_some() || call.args.iter().any(|arg| without_empty(arg).is_some()) {
            // `git re${nothing}set` is `git reset` where the variable is empty.
            let drop = |arg: &Arg| without_empty(arg).unwrap_or_else(|| arg.clone());
            let empty = Call { args: call.args.iter().map(drop).collect(), ..call.clone() };
            let io = Io { input: io.input.clone(), capture: false };
            self.in_subshell(|walker| walker.run_command(drop(&program), empty, &io));
        }
        // `/b?n/r[m]` may be `rm`.
        let tail = program.text.rsplit('/').next().unwrap_or("");
        if tail.contains(marks::is_wildcard)
            && tail.contains(char::is_alphanumeric)
            && let Some(name) = WRAPPABLE.iter().find(|name| marks::matches_name(tail, name))
        {
            return self.run_command(Arg::new(*name, program.span), call, io);
        }
        let given = match program.text.as_str() {
            "/proc/self/exe" | "/proc/$$/exe" => "bash",
            text => text,
        };
        call.path = marks::literal(given);
        call.is_remote = self.is_remote;
        call.is_throwaway = self.is_throwaway;
        call.mounts = Some(self.mounts.clone());
        call.links = Some(self.links.clone());
        call.reader = self.reader.clone();
        call.trail = self.trail.clone();
        if call.trail.len() > crate::shell::DEPTH {
            return self.report_too_deep();
        }
        let Some(name) = marks::known_text(given) else {
            // `$(git --exec-path)/git-reset` is known by its last component.
            if let Some((_, tail)) = given.rsplit_once('/')
                && let Some(tail) = marks::known_text(tail).filter(|tail| !tail.is_empty())
            {
                let known = Arg::new(tail, program.span);
                return self.run_command(known, call, io);
            }
            return self.run_unknown_program(given, call, io);
        };
        call.name = name.trim_end_matches('/').rsplit('/').next().unwrap_or("").to_string();
        if let Some(name) = call.name.strip_suffix(".exe") {
            call.name = name.to_string();
        }
        if let Some(verb) = call.name.strip_prefix("git-").filter(|verb| DASHED_GIT_VERBS.contains(verb)) {
            call.args.insert(0, Arg::new(verb, call.span));
            return self.run_command(Arg::new("git", call.span), call, io);
        }
        for (_, value) in call
            .assigns
            .iter()
            .filter(|(name, _)| COMMAND_VARIABLES.contains(&name.as_str()))
            .cloned()
            .collect::<Vec<_>>()
        {
            self.run_by(&call, |walker| walker.run_text(&value, Some(call.span), &Io::default()));
        }
        // A job may be the program of the gate.
        if call.name == "kill" && self.scope.has_judge {
            call.args.iter_mut().filter(|arg| arg.text.starts_with('%')).for_each(|arg| arg.text = JUDGE_PID.into());
        }
        // git is shown later, without its global options.
        if call.name != "git" || call.args.is_empty() {
            self.show(&call);
        }
        if let Some(body) = self.scope.functions.get(&name).cloned() {
            let printed = self.run_function(&name, &body, &call, io);
            // `command git` and `unset -f git` bypass a function, so the program is run as well.
            if !self.is_program(&call.name) {
                return printed;
            }
        }
        // A file that an earlier command writes is run as a script.
        if name.contains('/')
            && let Some(contents) = self.scope.file_contents(&name)
        {
            return self.run_script(&call, &contents, &call.args.clone(), io);
        }
        if let Some(printed) = self.run_builtin(&call, io) {
            return printed;
        }
        if let Some(printed) = self.run_program(&call, io) {
            return printed;
        }
        if let Some(printed) = self.run_wrapped(&call, io) {
            return printed;
        }
        interpreters::run_code_of(self, &call, io);
        self.run_mentioned_commands(&call, io);
        self.record_files(&call);
        self.scope.has_mount |= matches!(call.name.as_str(), "mount" | "bindfs" | "sshfs" | "ln" | "gln");
        let printed = if io.capture { output::printed_by(&call, &self.scope) } else { String::new() };
        if call.name == "mktemp" && self.scope.made_dirs.len() < 64 {
            let made = self.scope.absolute(printed.trim());
            self.scope.made_dirs.push(made);
        }
        printed
    }

    /// Whether rules or the walk know a program of that name.
    pub fn is_program(&self, name: &str) -> bool {
        crate::rules::knows(name) || wrappers::wrapper(name).is_some() || crate::programs::shells::is_shell(name)
    }

    /// Does what `call` runs: `call` is on the trail meanwhile.
    pub fn run_by<T>(&mut self, call: &Call, work: impl FnOnce(&mut Self) -> T) -> T {
        self.trail.push(call.name.clone());
        let away = self.is_remote;
        let done = work(self);
        self.is_remote = away;
        self.trail.pop();
        done
    }

    /// Runs the operands of `call` from `at` on as a command.
    pub fn run_operands(&mut self, call: &Call, at: usize, io: &Io) -> String {
        let Some(program) = call.args.get(at).cloned() else { return String::new() };
        self.spend(16 * call.args.len());
        let inner = Call {
            args: call.args[at + 1..].to_vec(),
            input: io.input.clone(),
            cwd: self.scope.cwd.clone(),
            span: call.span,
            assigns: call.assigns.clone(),
            ..Call::default()
        };
        self.run_by(call, |walker| walker.run_command(program, inner, io))
    }

    fn run_wrapped(&mut self, call: &Call, io: &Io) -> Option<String> {
        let wrapper = wrappers::wrapper(&call.name)?;
        self.run_command_options(call);
        let wrapped = wrapper.command(&call.name, &call.args)?;
        if wrapper.is_shell {
            let words: Vec<String> = call.args[wrapped.at..].iter().map(|arg| marks::literal(&arg.text)).collect();
            // One word is a shell line, several are a command. Some programs take each word as a line.
            if words.len() == 1 || matches!(call.name.as_str(), "hyperfine" | "concurrently" | "run-p" | "run-s") {
                let text = words.join("\n");
                return Some(self.run_by(call, |walker| walker.run_text(&text, Some(call.span), io)));
            }
        }
        let mut outer = call.clone();
        outer.assigns.extend(wrapped.assigns);
        let away = wrapper.is_remote;
        Some(self.in_subshell(|walker| {
            let before = walker.is_remote;
            walker.is_remote |= away;
            let fresh = walker.is_throwaway;
            walker.is_throwaway &= !matches!(call.name.as_str(), "chroot" | "nsenter");
            let printed = walker.run_operands(&outer, wrapped.at, io);
            (walker.is_remote, walker.is_throwaway) = (before, fresh);
            printed
        }))
    }

    fn run_function(&mut self, name: &str, body: &[crate::shell::Node], call: &Call, io: &Io) -> String {
        // A second level of recursion shows nothing new.
        if self.running_functions.iter().filter(|running| *running == name).count() > 1 {
            return String::new();
        }
        if self.running_functions.len() >= crate::shell::DEPTH {
            return self.report_too_deep();
        }
        self.running_functions.push(name.to_string());
        let arguments = call.args.iter().map(|arg| marks::expand_wildcards(&arg.text)).collect();
        let before = self.scope.arguments.replace(arguments);
        let printed = self.run_nodes(body, io);
        self.scope.arguments = before;
        self.running_functions.pop();
        printed
    }

    /// Runs a text as a script: in a shell, or in the interpreter of its first line.
    pub fn run_script(&mut self, call: &Call, text: &str, arguments: &[Arg], io: &Io) -> String {
        if let Some(unknown) = unreadable_reason(text) {
            let shown = Call {
                name: unknown.into(),
                args: vec![Arg::new(text.chars().take(200).collect::<String>(), call.span)],
                ..call.clone()
            };
            self.show(&shown);
            if text.chars().all(|c| is_unknown(c) || c.is_whitespace()) {
                return String::new();
            }
        }
        let first = text.lines().next().unwrap_or("");
        if let Some(language) = first.strip_prefix("#!").and_then(interpreters::language_of_line) {
            interpreters::run_code(self, call, language, text);
            return String::new();
        }
        let arguments = arguments.iter().map(|arg| arg.text.clone()).collect();
        let before = self.scope.arguments.replace(arguments);
        let printed = self.run_by(call, |walker| walker.run_text(text, Some(call.span), io));
        self.scope.arguments = before;
        printed
    }

    /// Ends the walk as too deep.
    pub fn report_too_deep(&mut self) -> String {
        self.run_text(&"(".repeat(crate::shell::DEPTH + 2), None, &Io::default())
    }
}
