//! git: strips its global options, and runs its aliases and whatever else it runs.

use super::output;
use crate::command::path::is_in;
use crate::command::{Arg, Call, GitFacts, flags, marks, quote};
use crate::walk::{Io, Walker};

/// Global options of git that take the next argument.
const VALUED: [&str; 8] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"];

/// Settings whose value is a command.
const COMMAND_SETTINGS: [&str; 12] = [
    "core.pager",
    "core.editor",
    "sequence.editor",
    "core.sshcommand",
    "core.fsmonitor",
    "core.askpass",
    "credential.helper",
    "diff.external",
    "gpg.program",
    "core.gitproxy",
    "uploadpack.packobjectshook",
    "web.browser",
];

impl Walker<'_> {
    /// Runs git: shows `git <subcommand> ...` without the global options, in the directory where it works.
    pub fn run_git(&mut self, call: &Call, io: &Io) -> String {
        let mut at = 0;
        let mut settings: Vec<(String, String)> = Vec::new();
        let mut dir: Option<String> = None;
        while let Some(arg) = call.args.get(at) {
            let text = arg.text.as_str();
            if !text.starts_with('-') {
                break;
            }
            let next = call.args.get(at + 1).map(|arg| arg.text.clone()).unwrap_or_default();
            match text {
                "-C" => dir = Some(crate::command::path::join(dir.as_deref().unwrap_or(&call.cwd), &next)),
                "-c" => {
                    settings.extend(next.split_once('=').map(|(name, value)| (name.to_lowercase(), value.to_string())))
                }
                "--exec-path" => settings.push((text.to_string(), next.clone())),
                text if text.starts_with("--exec-path=") => {
                    settings.push(("--exec-path".into(), text["--exec-path=".len()..].into()))
                }
                "--work-tree" => dir = Some(crate::command::path::join(&call.cwd, &next)),
                text if text.starts_with("--work-tree=") => {
                    dir = Some(crate::command::path::join(&call.cwd, &text["--work-tree=".len()..]))
                }
                _ => {}
            }
            at += if VALUED.contains(&text) { 2 } else { 1 };
        }
        settings.extend(from_environment(call));
        settings.extend(self.scope.git_settings.iter().cloned());
        for (name, value) in &settings {
            let filter = name.starts_with("filter.")
                || name.ends_with(".textconv")
                || name.ends_with(".cmd")
                || name.ends_with(".command")
                || name.starts_with("pager.");
            if COMMAND_SETTINGS.contains(&name.as_str()) || filter {
                let text = marks::literal(value.trim_start_matches('!'));
                self.run_by(call, |walker| {
                    walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
                });
            }
        }
        let verb = call.args.get(at).map(|arg| arg.text.clone()).unwrap_or_default();
        let rest = call.args.get(at + 1..).unwrap_or_default().to_vec();
        if let Some((_, value)) = settings
            .iter()
            .find(|(name, _)| name.strip_prefix("alias.").is_some_and(|alias| alias.eq_ignore_ascii_case(&verb)))
        {
            return self.run_git_alias(call, value, &rest, io);
        }
        let cwd = dir.unwrap_or_else(|| call.cwd.clone());
        let shown = Call {
            name: "git".into(),
            git: self.git_facts(call, at, &cwd),
            cwd,
            args: call.args.get(at..).unwrap_or_default().to_vec(),
            assigns: call
                .assigns
                .iter()
                .cloned()
                .chain(settings.into_iter().map(|(name, value)| (format!("git:{name}"), value)))
                .collect(),
            ..call.clone()
        };
        self.show(&shown);
        self.record_git(&shown, &verb, &rest);
        self.run_git_verb(&shown, &verb, &rest, io);
        if io.capture { output::printed_by(&shown, &self.scope) } else { String::new() }
    }

    /// What is known of the repository in which a command of git works in `cwd`; its subcommand is at `at`.
    fn git_facts(&self, call: &Call, at: usize, cwd: &str) -> GitFacts {
        let is_place =
            |name: &str| matches!(name, "GIT_DIR" | "GIT_WORK_TREE" | "GIT_COMMON_DIR" | "GIT_OBJECT_DIRECTORY");
        let by_option = call.args[..at.min(call.args.len())]
            .iter()
            .any(|arg| arg.text.starts_with("--git-dir") || arg.text.starts_with("--work-tree"));
        let by_variable = call.assigns.iter().any(|(name, _)| is_place(name))
            || ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| self.scope.is_set(name));
        let by_setting = self.scope.git_settings.iter().any(|(name, _)| name == "core.worktree")
            || call.args.iter().any(|arg| arg.text.to_ascii_lowercase().starts_with("core.worktree="));
        GitFacts {
            is_made: self.scope.made_dirs.iter().any(|made| is_in(cwd, made)),
            has_saved_diff: self.scope.has_saved_diff,
            is_elsewhere: by_option || by_variable || by_setting || self.scope.has_mount,
        }
    }

    /// Records the directory that `git clone` or `git init` makes, and changes that `git diff` saves in a file.
    fn record_git(&mut self, call: &Call, verb: &str, rest: &[Arg]) {
        let found = flags(
            rest,
            "-b --branch --depth -c --config -o --origin -j --jobs --reference --template --filter --initial-branch",
        );
        let made = match (verb, found.operands.as_slice()) {
            ("clone", [_, dir, ..]) | ("init", [dir, ..]) => dir.text.clone(),
            ("clone", [url]) => {
                let name = url.text.trim_end_matches('/').trim_end_matches(".git");
                name.rsplit(['/', ':']).next().unwrap_or("").to_string()
            }
            ("init", []) => ".".to_string(),
            _ => String::new(),
        };
        if !made.is_empty() && self.scope.made_dirs.len() < 64 {
            self.scope.made_dirs.push(crate::command::path::join(&call.cwd, &made));
        }
        let is_whole = |arg: &Arg| {
            matches!(arg.text.as_str(), "HEAD" | "--binary" | "--full-index" | "-p" | "--patch" | "--no-color")
        };
        let is_saved = call.writes.iter().any(|write| !write.path.starts_with("/dev/") && !write.append);
        self.scope.has_saved_diff |= verb == "diff" && is_saved && rest.iter().all(is_whole);
    }

    fn run_git_alias(&mut self, call: &Call, value: &str, rest: &[Arg], io: &Io) -> String {
        let more: Vec<String> = rest.iter().map(|arg| quote(&marks::literal(&arg.text))).collect();
        let text = match value.strip_prefix('!') {
            Some(command) => format!("{command} {}", more.join(" ")),
            None => format!("git {value} {}", more.join(" ")),
        };
        if self.trail.len() > crate::shell::DEPTH {
            return self.report_too_deep();
        }
        self.run_by(call, |walker| walker.run_text(&text, Some(call.span), io))
    }

    /// Runs the commands of a subcommand's arguments.
    fn run_git_verb(&mut self, call: &Call, verb: &str, rest: &[Arg], io: &Io) {
        let words: Vec<&str> = rest.iter().map(|arg| arg.text.as_str()).collect();
        let mut texts: Vec<String> = Vec::new();
        match verb {
            "submodule" | "for-each-repo" => {
                if let Some(at) = words.iter().position(|word| *word == "foreach") {
                    let words: Vec<&Arg> = rest[at + 1..].iter().skip_while(|arg| arg.text.starts_with('-')).collect();
                    match words.as_slice() {
                        [one] => texts.push(marks::literal(&one.text)),
                        several => texts.push(
                            several.iter().map(|arg| quote(&marks::literal(&arg.text))).collect::<Vec<_>>().join(" "),
                        ),
                    }
                }
            }
            "rebase" | "difftool" | "mergetool" | "bundle-run" | "grep" | "clone" | "fetch" | "pull" | "push"
            | "ls-remote" => {
                let names =
                    ["--exec", "-x", "--extcmd", "--upload-pack", "-u", "--receive-pack", "--open-files-in-pager"];
                let runs = |word: &str| match verb {
                    "rebase" => matches!(word, "--exec" | "-x"),
                    "difftool" => matches!(word, "--extcmd" | "-x"),
                    "clone" | "fetch" | "ls-remote" | "pull" => word == "--upload-pack",
                    "push" => word == "--receive-pack",
                    _ => false,
                };
                for (number, word) in words.iter().enumerate() {
                    if runs(word) {
                        texts.extend(rest.get(number + 1).map(|arg| marks::literal(&arg.text)));
                    }
                    let pager = word.strip_prefix("-O").filter(|text| verb == "grep" && !text.is_empty());
                    texts.extend(pager.map(marks::literal));
                    let joined = names.iter().find_map(|name| word.strip_prefix(name)?.strip_prefix('='));
                    texts.extend(joined.map(marks::literal));
                }
            }
            "bisect" if words.first() == Some(&"run") => {
                let inner = Call { args: rest[1..].to_vec(), ..call.clone() };
                self.in_subshell(|walker| walker.run_operands(&inner, 0, io));
            }
            "filter-branch" => {
                for (number, word) in words.iter().enumerate() {
                    if word.ends_with("-filter") {
                        texts.extend(rest.get(number + 1).map(|arg| marks::literal(&arg.text)));
                    }
                }
            }
            "config" => {
                // An alias is run at once: a later command may use it.
                let operands: Vec<&Arg> =
                    rest.iter().filter(|arg| !arg.text.starts_with('-') && arg.text != "set").collect();
                if let [name, value, ..] = operands.as_slice() {
                    let name = name.text.to_lowercase();
                    if self.scope.git_settings.len() < 64 {
                        self.scope.git_settings.push((name.clone(), value.text.clone()));
                    }
                    if name.starts_with("alias.") {
                        let value = value.text.clone();
                        self.in_subshell(|walker| walker.run_git_alias(call, &value, &[], &Io::default()));
                    } else if COMMAND_SETTINGS.contains(&name.as_str()) {
                        texts.push(marks::literal(value.text.trim_start_matches('!')));
                    }
                }
            }
            _ => {}
        }
        for text in texts {
            self.run_by(call, |walker| {
                walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
            });
        }
    }
}

/// Settings from `GIT_CONFIG_COUNT` and its companions, or from `GIT_CONFIG_PARAMETERS`.
fn from_environment(call: &Call) -> Vec<(String, String)> {
    let value = |name: &str| call.assigns.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let mut settings = Vec::new();
    for number in 0..8 {
        if let (Some(key), Some(value)) =
            (value(&format!("GIT_CONFIG_KEY_{number}")), value(&format!("GIT_CONFIG_VALUE_{number}")))
        {
            settings.push((key.to_lowercase(), value));
        }
    }
    if let Some(all) = value("GIT_CONFIG_PARAMETERS") {
        let pairs = all.split('\'').filter_map(|piece| piece.split_once('='));
        settings.extend(pairs.map(|(name, value)| (name.to_lowercase(), value.to_string())));
    }
    settings
}
