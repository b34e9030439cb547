//! The effects of code: what it runs, removes and writes.

use super::functions::{DIRECTORY_READERS, FILE_MODULES, REMOVERS, RUNNER_MODULES, RUNNERS, WRITERS};
use super::tokens::{Language, Token};
use crate::command::marks::{ALL, FETCHED, with_wildcards};
use crate::command::{CLIENT_PID, quote};
use std::cell::Cell;
use std::collections::HashMap;

/// One effect of code.
pub enum Effect {
    Shell(String),
    Command(Vec<String>),
    Code(String),
    Write(String),
    /// Later relative paths are below this directory.
    ChangeDir(String),
    Sql(String),
    /// A shell for the other end of a connection.
    RemoteShell,
}

/// A piece of code: its tokens, and what is known of its variables.
pub struct Code {
    pub tokens: Vec<Token>,
    /// Variables with a constant value.
    pub variables: HashMap<String, String>,
    /// Directories that the code lists or walks through.
    pub searched_dirs: Vec<String>,
    /// Whether all databases of the code are in memory or in temporary files.
    pub has_temporary_database: bool,
    pub home: String,
    pub language: Language,
    /// Local names of imported names.
    pub aliases: HashMap<String, String>,
    /// The current depth of evaluation.
    pub depth: Cell<usize>,
}

impl Code {
    fn is_apple_script(&self, at: usize) -> bool {
        let name = |back: usize| at.checked_sub(back).and_then(|at| self.tokens.get(at));
        name(1) == Some(&Token::Name("script".into())) && name(2) == Some(&Token::Name("shell".into()))
    }

    /// Whether an expression downloads something.
    fn downloads(&self, arguments: &[(usize, usize)]) -> bool {
        let fetches = |token: &Token| match token {
            Token::Name(name) => {
                let last = name.rsplit('.').next().unwrap_or("");
                matches!(last, "urlopen" | "urlretrieve" | "fetch") || name.starts_with("requests.")
            }
            _ => false,
        };
        let from_afar = |text: &Token| matches!(text, Token::Text(text) if text.starts_with("http://") || text.starts_with("https://"));
        arguments.iter().any(|(from, to)| {
            let tokens = self.tokens.get(*from..*to).unwrap_or_default();
            let reads = tokens.iter().any(|token| matches!(token, Token::Name(name) if name == "file_get_contents"));
            tokens.iter().any(fetches) || reads && tokens.iter().any(from_afar)
        })
    }

    /// All effects.
    pub fn effects(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.find_searched_dirs();
        self.has_temporary_database = self.connects_to_temporary();
        self.library_effects(&mut effects);
        for at in 0..self.tokens.len() {
            match &self.tokens[at] {
                Token::Shell(text) => effects.push(Effect::Shell(text.clone())),
                // AppleScript: `do shell script "..."`.
                Token::Text(text) if self.is_apple_script(at) => effects.push(Effect::Shell(text.clone())),
                Token::Name(name) => self.call_effects(at, &self.resolve_import(name), &mut effects),
                _ => {}
            }
        }
        effects
    }

    /// Whether each connection that the code opens is to a file of sqlite in memory or in a temporary directory.
    fn connects_to_temporary(&self) -> bool {
        let opens = |name: &str| {
            matches!(
                name.rsplit('.').next(),
                Some("connect" | "DatabaseSync" | "Database" | "createConnection" | "create_engine")
            )
        };
        let is_temporary = |text: String| {
            let path = text.strip_prefix("sqlite:///").unwrap_or(&text);
            let is_below = |dir: &str| path.starts_with(dir) && !path.contains("..");
            text == "sqlite://" || path == ":memory:" || is_below("/tmp/") || is_below("/var/tmp/")
        };
        let mut targets = (0..self.tokens.len()).filter_map(|at| match &self.tokens[at] {
            Token::Name(name) if opens(name) && self.sign(at + 1) == Some('(') => {
                let value = self.arguments(at).first().and_then(|(from, to)| self.value(*from, *to));
                Some(value.is_some_and(is_temporary))
            }
            _ => None,
        });
        targets.next() == Some(true) && targets.all(|temporary| temporary)
    }

    /// Records the directories that the code lists or walks through.
    pub fn find_searched_dirs(&mut self) {
        let mut searched_dirs = Vec::new();
        for at in 0..self.tokens.len() {
            let Token::Name(name) = &self.tokens[at] else { continue };
            let last = name.rsplit('.').next().unwrap_or("");
            if DIRECTORY_READERS.contains(&last) {
                let arguments = self.arguments(at);
                let mut arguments = arguments.iter();
                // `finddepth(sub {...}, "dir")` has the directory second.
                let first = match self.language {
                    Language::Perl => arguments.find_map(|(from, to)| self.value(*from, *to)),
                    _ => arguments.next().and_then(|(from, to)| self.value(*from, *to)),
                };
                let is_method = name.starts_with('.') && !self.is_of_module(at);
                let base = if is_method { self.receiver(at) } else { first };
                searched_dirs.extend(base);
            }
        }
        searched_dirs.truncate(8);
        self.searched_dirs = searched_dirs;
    }

    /// Whether the function at `at` is one of a required module: `require('fs').rm`.
    fn is_of_module(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).and_then(|at| self.tokens.get(at));
        matches!(before(2), Some(Token::Text(_))) && matches!(before(4), Some(Token::Name(name)) if name == "require")
    }

    /// `shell.rm('-rf', 'x')` of shelljs, whose functions take the options of the programs.
    fn shell_function(&self, last: &str, home: &str, arguments: &[(usize, usize)]) -> Option<Vec<String>> {
        let is_shell = matches!(home, "shell" | "shelljs" | "sh");
        let is_known = matches!(last, "rm" | "mv" | "cp" | "ln" | "chmod" | "sed" | "touch") && is_shell;
        let mut words = vec![last.to_string()];
        for (from, to) in arguments.iter().filter(|_| is_known) {
            match self.list(*from, *to) {
                Some(list) => words.extend(list),
                None => words.extend(self.value(*from, *to)),
            }
        }
        (words.len() > 1).then(|| words.iter().map(|word| with_wildcards(word).into_owned()).collect())
    }

    /// Adds the effects of the call of `name` at `at`.
    pub fn call_effects(&self, at: usize, name: &str, effects: &mut Vec<Effect>) {
        // A shell line as a template: `Bun.$`...``, `$`...``.
        if self.language == Language::Script
            && matches!(name, "$" | "Bun.$")
            && let Some(Token::Text(text)) = self.tokens.get(at + 1)
        {
            effects.push(Effect::Shell(self.interpolated(text)));
            return;
        }
        let (home, last) = name.rsplit_once('.').unwrap_or(("", name));
        let home = home.rsplit('.').next().unwrap_or("");
        let next = self.tokens.get(at + 1);
        let called = self.sign(at + 1) == Some('(')
            || matches!(next, Some(Token::Text(_)))
            || matches!(next, Some(Token::Name(name)) if name == "glob")
            || self.language == Language::Ruby && matches!(next, Some(Token::Name(name)) if name.starts_with("Dir"))
            || self.language == Language::Perl && last == "open" && matches!(next, Some(Token::Name(_)))
            || self.language == Language::Perl && last == "kill";
        // `exec` and others are methods of many objects; `require('fs').rm` is unambiguous.
        let module = match self.tokens.get(at.wrapping_sub(2)) {
            Some(Token::Text(module)) if name.starts_with('.') => module.trim_start_matches("node:"),
            _ => "",
        };
        let module = match module {
            "fs" | "fs/promises" | "fs-extra" => "fs",
            "child_process" => "child_process",
            "shelljs" => "shell",
            _ => "",
        };
        let is_method = name.starts_with('.') && module.is_empty();
        let home = if module.is_empty() { home } else { module };
        if !called {
            return;
        }
        let arguments = self.arguments(at);
        if let Some(act) = self.indirect_effect(at, last, &arguments) {
            effects.push(act);
            return;
        }
        // GitPython: `Repo('.').git.reset('--hard')`.
        if let Some((_, verb)) = name.rsplit_once(".git.").filter(|_| self.language == Language::Python) {
            let words = arguments.iter().filter_map(|(from, to)| self.value(*from, *to));
            let words = ["git".to_string(), verb.replace('_', "-")].into_iter().chain(words);
            effects.push(Effect::Command(words.collect()));
            return;
        }
        if matches!(last, "kill" | "killpg" | "prlimit") && self.names_client(&arguments) {
            effects.push(Effect::Command(vec!["kill".into(), CLIENT_PID.into()]));
            return;
        }
        let is_all = |(from, to): &(usize, usize)| {
            *to == from + 2 && self.sign(*from) == Some('-') && self.sign(from + 1) == Some('1')
        };
        if last == "kill" && arguments.iter().any(is_all) {
            effects.push(Effect::Command(["kill", "-9", "-1"].map(String::from).into()));
            return;
        }
        if let Some(words) = self.shell_function(last, home, &arguments) {
            effects.push(Effect::Command(words));
            return;
        }
        let first = arguments.first().and_then(|(from, to)| self.value(*from, *to));
        if last == "chdir" {
            effects.extend(first.map(|dir| Effect::ChangeDir(self.join_path(&[dir]))));
            return;
        }
        if let Some(words) = self.link_or_copy(at, last, home, &arguments) {
            effects.push(Effect::Command(words));
            return;
        }
        let is_ambiguous = matches!(
            last,
            "cmd"
                | "Command"
                | "run"
                | "call"
                | "exec"
                | "execute"
                | "remove"
                | "rm"
                | "delete"
                | "rmdir"
                | "truncate"
                | "rename"
        );
        let is_runner = if is_ambiguous {
            RUNNER_MODULES.contains(&home) || home.is_empty() && !matches!(last, "run" | "call" | "cmd" | "Command")
        } else {
            true
        };
        let is_file_function = if is_ambiguous || last == "unlink" {
            FILE_MODULES.contains(&home) || home.is_empty() && !is_method && (last != "delete" && last != "remove")
        } else {
            true
        };
        let is_file_function = is_file_function || matches!(last, "unlink" | "rmdir") && arguments.is_empty();
        let is_sql = matches!(
            last,
            "execute"
                | "executescript"
                | "executemany"
                | "query"
                | "raw"
                | "prepare"
                | "exec"
                | "statement"
                | "unprepared"
                | "queryRaw"
                | "executeRaw"
                | "$executeRawUnsafe"
                | "do"
        ) && !matches!(home, "os" | "subprocess");
        if is_sql && let Some(text) = first.as_ref().filter(|_| !self.has_temporary_database) {
            effects.push(Effect::Sql(text.clone()));
        }
        if last == "exec" && self.language == Language::Python && home.is_empty() || last == "eval" {
            if self.downloads(&arguments) {
                effects.push(Effect::Code(FETCHED.to_string()));
            }
            effects.extend(first.map(Effect::Code));
        } else if RUNNERS.contains(&last) && is_runner {
            self.run_effects(&arguments, first, effects);
        } else if let Some((_, deep)) =
            REMOVERS.iter().find(|(known, _)| *known == last).filter(|_| is_file_function || is_method)
        {
            let no_operand = arguments.is_empty() || is_method && self.receiver(at).is_some();
            let base = if is_method && no_operand { self.receiver(at) } else { None };
            match base.or(first.filter(|_| !is_method || is_file_function)) {
                Some(path) => effects.push(self.removal(path, *deep)),
                None => {
                    for dir in &self.searched_dirs {
                        effects.push(Effect::Command(vec![
                            "rm".into(),
                            "-rf".into(),
                            format!(
                                "{}/{ALL}",
                                with_wildcards(self.join_path(std::slice::from_ref(dir)).trim_end_matches('/'))
                                    .into_owned()
                            ),
                        ]));
                    }
                }
            }
        } else if WRITERS.contains(&last) {
            let base = if is_method && last.starts_with("write_") { self.receiver(at) } else { first };
            effects.extend(base.map(|path| Effect::Write(self.join_path(&[path]))));
        } else if last == "open" || last == "write" && home == "File" {
            let mode = arguments.get(1).and_then(|(from, to)| self.value(*from, *to)).unwrap_or_default();
            let writes = last == "write" || mode.contains(['w', 'a', '+', '>']) || mode.starts_with('>');
            effects.extend(first.clone().filter(|_| writes).map(|path| Effect::Write(self.join_path(&[path]))));
            if let Some(path) = first.filter(|_| !writes) {
                effects.push(Effect::Command(vec!["cat".into(), self.join_path(&[path])]));
            }
        } else if matches!(
            last,
            "rename" | "move" | "copy" | "copyfile" | "copyFileSync" | "renameSync" | "replace" | "mv" | "cp"
        ) && (FILE_MODULES.contains(&home) || last.ends_with("Sync"))
        {
            let to = arguments.get(1).and_then(|(from, to)| self.value(*from, *to));
            if let (Some(from), Some(to)) = (first, to) {
                let program =
                    if matches!(last, "rename" | "move" | "renameSync" | "replace" | "mv") { "mv" } else { "cp" };
                effects.push(Effect::Command(vec![program.into(), self.join_path(&[from]), self.join_path(&[to])]));
            }
        } else if last == "readFileSync" || last == "readFile" || last == "file_get_contents" {
            effects.extend(first.map(|path| Effect::Command(vec!["cat".into(), self.join_path(&[path])])));
        }
    }

    /// Whether arguments name the parent process: in an agent's shell, the client.
    fn names_client(&self, arguments: &[(usize, usize)]) -> bool {
        let is_parent = |token: &Token| match token {
            Token::Name(name) => matches!(name.rsplit('.').next(), Some("getppid" | "ppid")),
            _ => false,
        };
        arguments.iter().any(|(from, to)| self.tokens.get(*from..*to).unwrap_or_default().iter().any(is_parent))
    }

    /// The command that a function stands for which links, or which copies or unpacks a directory.
    fn link_or_copy(&self, at: usize, last: &str, home: &str, arguments: &[(usize, usize)]) -> Option<Vec<String>> {
        let value = |at: usize| arguments.get(at).and_then(|(from, to)| self.value(*from, *to));
        let is_bare = home.is_empty() && matches!(self.language, Language::Perl | Language::Php);
        let is_known = FILE_MODULES.contains(&home) || last.ends_with("Sync") || is_bare;
        let words = match last {
            "symlink" | "symlinkSync" | "ln_s" | "ln_sf" if is_known => {
                ["ln", "-s", &value(0)?, &value(1)?].map(String::from)
            }
            "copytree" | "cp_r" | "cpSync" | "copySync" if is_known => {
                ["cp", "-r", &value(0)?, &value(1)?].map(String::from)
            }
            "symlink_to" => ["ln", "-s", &value(0)?, &self.receiver(at)?].map(String::from),
            "extractall" => ["tar", "-x", "-C", &value(0)?].map(String::from),
            _ => return None,
        };
        Some(words.into_iter().map(|word| self.join_path(&[word])).collect())
    }

    /// The removal of a path.
    pub fn removal(&self, path: String, deep: bool) -> Effect {
        let option = if deep { "-rf" } else { "-f" };
        Effect::Command(vec!["rm".into(), option.into(), with_wildcards(&self.join_path(&[path])).into_owned()])
    }

    /// Adds the effects of a function that runs a shell line or a program.
    pub fn run_effects(&self, arguments: &[(usize, usize)], first: Option<String>, effects: &mut Vec<Effect>) {
        let Some((from, to)) = arguments.first().copied() else { return };
        // `shlex.split('git reset --hard')` is the line that it splits.
        if matches!(self.tokens.get(from), Some(Token::Name(name)) if name.ends_with("shlex.split") || name == "split")
        {
            let text = self.arguments(from).first().and_then(|(from, to)| self.value(*from, *to));
            effects.extend(text.map(Effect::Shell));
            return;
        }
        if let Some(words) = self.list(from, to) {
            effects.push(Effect::Command(words));
            return;
        }
        let Some(first) = first else { return };
        // `spawn('rm', ['-rf'])`, `new Command('rm', {args: ['-rf']})`
        let bracket =
            |(from, to): &(usize, usize)| (*from..*to).find(|at| self.sign(*at) == Some('[')).map(|at| (at, *to));
        if let Some(words) = arguments.get(1).and_then(bracket).and_then(|(from, to)| self.list(from, to)) {
            let repeats = words.first() == Some(&first);
            effects.push(Effect::Command(
                std::iter::once(first).chain(words.into_iter().skip(usize::from(repeats))).collect(),
            ));
            return;
        }
        let more: Vec<String> = arguments.iter().skip(1).filter_map(|(from, to)| self.value(*from, *to)).collect();
        let is_list =
            matches!(self.language, Language::Perl | Language::Ruby) && !more.is_empty() && !first.contains(' ');
        match is_list {
            true => effects.push(Effect::Command(std::iter::once(first).chain(more).collect())),
            // `do shell script "..."` and `system("...")`
            false => effects.push(Effect::Shell(if first.is_empty() { quote(&first) } else { first })),
        }
    }
}
