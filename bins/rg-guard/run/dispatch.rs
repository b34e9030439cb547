//! One simple command: what it changes, what it runs, what it prints.

use super::call::Call;
use super::expand::Arg;
use super::marks::{self, UNSET, is_unknown};
use super::unknown::{BEHIND, unreadable};
use super::walk::{Io, Walker};
use super::{code, printed, wrappers};

/// Variables whose value is a command that programs run.
const RUN_VARIABLES: [&str; 17] = [
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
];

/// Verbs of git that are programs of their own: `git-reset`.
const DASHED: [&str; 16] = [
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

/// A word without the variables in it that may be empty; None where that changes nothing, or where it is a path.
fn without_empty(arg: &Arg) -> Option<Arg> {
    let text = &arg.text;
    let some_left = text.chars().any(|c| !is_unknown(c));
    let is_word = text.contains(UNSET) && some_left && !text.contains('/') && !text.contains(marks::is_wildcard);
    is_word.then(|| Arg::new(text.replace(UNSET, ""), arg.span))
}

impl Walker<'_> {
    /// Runs a simple command.
    pub fn run(&mut self, program: Arg, mut call: Call, io: &Io) -> String {
        self.spend(64);
        if self.exhausted() {
            return String::new();
        }
        if without_empty(&program).is_some() || call.args.iter().any(|arg| without_empty(arg).is_some()) {
            // `git re${nothing}set` is what it is when the variable is empty.
            let drop = |arg: &Arg| without_empty(arg).unwrap_or_else(|| arg.clone());
            let empty = Call { args: call.args.iter().map(drop).collect(), ..call.clone() };
            let io = Io { input: io.input.clone(), capture: false };
            self.apart(|walker| walker.run(drop(&program), empty, &io));
        }
        // `/b?n/r[m]`
        let tail = program.text.rsplit('/').next().unwrap_or("");
        if tail.contains(marks::is_wildcard)
            && tail.contains(char::is_alphanumeric)
            && let Some(name) = BEHIND.iter().find(|name| marks::stands_for(tail, name))
        {
            return self.run(Arg::new(*name, program.span), call, io);
        }
        let given = match program.text.as_str() {
            "/proc/self/exe" | "/proc/$$/exe" => "bash".to_string(),
            text => text.to_string(),
        };
        call.path = marks::plain(&given);
        call.away = self.away;
        call.fresh = self.fresh;
        call.mounts = self.mounts.clone();
        call.links = self.links.clone();
        call.reader = self.reader.clone();
        call.trail = self.trail.clone();
        if call.trail.len() > crate::shell::DEPTH {
            return self.too_deep();
        }
        let Some(name) = marks::written(&given) else {
            // `$(git --exec-path)/git-reset` is a program of that name, wherever it lies.
            if let Some((_, tail)) = given.rsplit_once('/')
                && let Some(tail) = marks::written(tail).filter(|tail| !tail.is_empty())
            {
                let known = Arg::new(tail, program.span);
                return self.run(known, call, io);
            }
            return self.unknown_program(&given, call, io);
        };
        call.name = name.trim_end_matches('/').rsplit('/').next().unwrap_or("").to_string();
        if let Some(name) = call.name.strip_suffix(".exe") {
            call.name = name.to_string();
        }
        if let Some(verb) = call.name.strip_prefix("git-").filter(|verb| DASHED.contains(verb)) {
            call.args.insert(0, Arg::new(verb, call.span));
            return self.run(Arg::new("git", call.span), call, io);
        }
        for (_, value) in
            call.assigns.iter().filter(|(name, _)| RUN_VARIABLES.contains(&name.as_str())).cloned().collect::<Vec<_>>()
        {
            self.below(&call, |walker| walker.text(&value, Some(call.span), &Io::default()));
        }
        // git is shown once its own options are off.
        if call.name != "git" || call.args.is_empty() {
            self.show(&call);
        }
        if let Some(body) = self.scope.functions.get(&name).cloned() {
            let printed = self.function(&name, &body, &call, io);
            // A function of a program's name does not stand before it everywhere: `command git`, `unset -f git`.
            if !self.is_program(&call.name) {
                return printed;
            }
        }
        // A file that was written or downloaded a moment ago is run as what it holds.
        if name.contains('/')
            && let Some(held) = self.scope.file(&name)
        {
            return self.script(&call, &held, &call.args.clone(), io);
        }
        if let Some(printed) = self.builtin(&call, io) {
            return printed;
        }
        if let Some(printed) = self.inner(&call, io) {
            return printed;
        }
        if let Some(printed) = self.wrapped(&call, io) {
            return printed;
        }
        code::look(self, &call, io);
        self.behind(&call, io);
        self.effects(&call);
        if io.capture { printed::of(&call, self) } else { String::new() }
    }

    /// Whether a name is that of a program which rules or walks know.
    pub fn is_program(&self, name: &str) -> bool {
        crate::rules::knows(name) || wrappers::wrapper(name).is_some() || super::inner::is_shell(name)
    }

    /// Something that `call` runs, one level down.
    pub fn below<T>(&mut self, call: &Call, work: impl FnOnce(&mut Self) -> T) -> T {
        self.trail.push(call.name.clone());
        let away = self.away;
        let done = work(self);
        self.away = away;
        self.trail.pop();
        done
    }

    /// The operands of `call` from `at` on, as a command.
    pub fn operands_run(&mut self, call: &Call, at: usize, io: &Io) -> String {
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
        self.below(call, |walker| walker.run(program, inner, io))
    }

    fn wrapped(&mut self, call: &Call, io: &Io) -> Option<String> {
        let wrapper = wrappers::wrapper(&call.name)?;
        self.executed(call);
        let wrapped = wrapper.inner(&call.name, &call.args)?;
        if wrapper.shell {
            let words: Vec<String> = call.args[wrapped.at..].iter().map(|arg| marks::plain(&arg.text)).collect();
            // One word is a text for a shell, several are a command; of some programs each is one.
            if words.len() == 1 || matches!(call.name.as_str(), "hyperfine" | "concurrently" | "run-p" | "run-s") {
                let text = words.join("\n");
                return Some(self.below(call, |walker| walker.text(&text, Some(call.span), io)));
            }
        }
        let mut outer = call.clone();
        outer.assigns.extend(wrapped.assigns);
        let away = wrapper.away;
        Some(self.apart(|walker| {
            let before = walker.away;
            walker.away |= away;
            let fresh = walker.fresh;
            walker.fresh &= !matches!(call.name.as_str(), "chroot" | "nsenter");
            let printed = walker.operands_run(&outer, wrapped.at, io);
            (walker.away, walker.fresh) = (before, fresh);
            printed
        }))
    }

    fn function(&mut self, name: &str, body: &[crate::shell::Node], call: &Call, io: &Io) -> String {
        // A function that calls itself adds nothing new.
        if self.running.iter().filter(|running| *running == name).count() > 1 {
            return String::new();
        }
        if self.running.len() >= crate::shell::DEPTH {
            return self.too_deep();
        }
        self.running.push(name.to_string());
        let arguments = call.args.iter().map(|arg| marks::plain_names(&arg.text)).collect();
        let before = self.scope.arguments.replace(arguments);
        let printed = self.nodes(body, io);
        self.scope.arguments = before;
        self.running.pop();
        printed
    }

    /// A text that a shell, or whoever its first line names, runs with these arguments.
    pub fn script(&mut self, call: &Call, text: &str, arguments: &[Arg], io: &Io) -> String {
        if let Some(unknown) = unreadable(text) {
            let told = Call {
                name: unknown.into(),
                args: vec![Arg::new(text.chars().take(200).collect::<String>(), call.span)],
                ..call.clone()
            };
            self.show(&told);
            if text.chars().all(|c| is_unknown(c) || c.is_whitespace()) {
                return String::new();
            }
        }
        let first = text.lines().next().unwrap_or("");
        if let Some(language) = first.strip_prefix("#!").and_then(code::language_of_line) {
            code::run(self, call, language, text);
            return String::new();
        }
        let arguments = arguments.iter().map(|arg| arg.text.clone()).collect();
        let before = self.scope.arguments.replace(arguments);
        let printed = self.below(call, |walker| walker.text(text, Some(call.span), io));
        self.scope.arguments = before;
        printed
    }

    pub fn too_deep(&mut self) -> String {
        self.text(&"(".repeat(crate::shell::DEPTH + 2), None, &Io::default())
    }
}
