//! Code of other languages that a command hands to an interpreter: what it would remove, write and run.

use super::arguments::flags;
use super::expand::Arg;
use super::marks::{self, ALL, SOME};
use super::tokens::{Language, Token, tokens};
use super::walk::{Call, Io, Walker, Write, quoted};
use crate::decode;
use std::collections::HashMap;

/// Interpreters: how their names begin, their language, and the options whose value is code.
const INTERPRETERS: [(&str, Language, &str); 20] = [
    ("python", Language::Python, "-c"),
    ("pypy", Language::Python, "-c"),
    ("ipython", Language::Python, "-c"),
    ("node", Language::Script, "-e -p --eval --print -pe"),
    ("bun", Language::Script, "-e -p --eval --print"),
    ("deno", Language::Script, "eval"),
    ("tsx", Language::Script, "-e --eval"),
    ("ts-node", Language::Script, "-e --eval"),
    ("perl", Language::Perl, "-e -E"),
    ("ruby", Language::Ruby, "-e"),
    ("irb", Language::Ruby, "-e"),
    ("php", Language::Php, "-r"),
    ("lua", Language::Lua, "-e"),
    ("luajit", Language::Lua, "-e"),
    ("Rscript", Language::Other, "-e"),
    ("julia", Language::Other, "-e"),
    ("elixir", Language::Other, "-e"),
    ("osascript", Language::Other, "-e"),
    ("groovy", Language::Script, "-e"),
    ("rails", Language::Ruby, "runner"),
];

/// The interpreter of that name; versions in the name do not matter.
fn interpreter(name: &str) -> Option<&'static (&'static str, Language, &'static str)> {
    let bare =
        name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == 'w' && name.starts_with("python"));
    INTERPRETERS.iter().find(|(known, _, _)| *known == bare || *known == "node" && bare == "nodejs")
}

/// The language that a script's first line names; None for a shell.
pub fn language_of_line(line: &str) -> Option<Language> {
    let words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(""));
    let name = words.filter(|word| *word != "env" && !word.starts_with('-')).next()?;
    interpreter(name).map(|(_, language, _)| *language)
}

/// Looks into the code that an interpreter is given.
pub fn look(walker: &mut Walker<'_>, call: &Call, io: &Io) {
    let Some((_, language, options)) = interpreter(&call.name) else { return };
    let mut texts: Vec<String> = Vec::new();
    for (number, arg) in call.args.iter().enumerate() {
        let text = arg.text.as_str();
        let is_option = options.split(' ').any(|option| {
            // `-ne`, `-lane`: the letter that takes the code comes last.
            let bundled = option.len() == 2
                && text.starts_with('-')
                && !text.starts_with("--")
                && text.ends_with(&option[1..])
                && text.len() < 8;
            text == option || bundled
        });
        if is_option {
            texts.extend(
                call.args[number + 1..]
                    .iter()
                    .find(|arg| !arg.text.starts_with('-') || arg.text.len() > 12)
                    .map(|arg| marks::plain(&arg.text)),
            );
        }
        texts.extend(text.strip_prefix("--eval=").map(marks::plain));
    }
    let found = flags(&call.args, "-c -e -E -r -m -W -X -I -C -S -M");
    if texts.is_empty() {
        match found.operands.first().map(|arg| arg.text.as_str()) {
            None | Some("-" | "/dev/stdin") if found.value("-m").is_none() => {
                texts.extend(io.input.as_deref().map(str::to_string))
            }
            Some(path) => texts.extend(walker.scope.file(path).map(|held| held.to_string())),
            None => {}
        }
    }
    for text in texts {
        run(walker, call, *language, &text);
    }
}

/// Shows what a text in `language` would do.
pub fn run(walker: &mut Walker<'_>, call: &Call, language: Language, text: &str) {
    if let Some(unknown) = super::dispatch::unreadable(text) {
        walker.show(&Call { name: unknown.into(), ..call.clone() });
    }
    walker.spend(text.len() * 8);
    if walker.exhausted() || walker.trail.len() > crate::shell::DEPTH {
        return;
    }
    let mut code = Code {
        tokens: tokens(text, language),
        values: HashMap::new(),
        swept: Vec::new(),
        home: walker.scope.home.clone(),
        language,
    };
    code.assignments();
    walker.below(call, |walker| {
        walker.apart(|walker| {
            for act in code.acts() {
                perform(walker, call, language, act);
            }
        });
    });
}

/// Something that code does.
enum Act {
    Shell(String),
    Command(Vec<String>),
    Code(String),
    Write(String),
    Sql(String),
}

fn perform(walker: &mut Walker<'_>, call: &Call, language: Language, act: Act) {
    match act {
        Act::Shell(text) => {
            walker.script(call, &text, &[], &Io::default());
        }
        Act::Command(words) => {
            let args = words.into_iter().map(|word| Arg::new(word, call.span)).collect();
            let inner = Call { args, input: None, ..call.clone() };
            walker.operands_run(&inner, 0, &Io::default());
        }
        Act::Code(text) => run(walker, call, language, &text),
        Act::Write(path) => {
            let write = Write { path, append: false, span: call.span };
            let shown = Call {
                name: String::new(),
                args: Vec::new(),
                writes: vec![write],
                input: None,
                trail: walker.trail.clone(),
                ..call.clone()
            };
            walker.show(&shown);
        }
        Act::Sql(text) => {
            let shown = Call {
                name: "sql".into(),
                args: vec![Arg::new(text, call.span)],
                input: None,
                trail: walker.trail.clone(),
                ..call.clone()
            };
            walker.show(&shown);
        }
    }
}

/// Functions that run a shell line, or a program with a list.
const RUNNERS: [&str; 30] = [
    "system",
    "popen",
    "popen2",
    "popen3",
    "exec",
    "execSync",
    "getoutput",
    "getstatusoutput",
    "check_output",
    "check_call",
    "run",
    "call",
    "Popen",
    "spawn",
    "spawnSync",
    "execFile",
    "execFileSync",
    "shell_exec",
    "passthru",
    "proc_open",
    "execute",
    "execv",
    "execvp",
    "execl",
    "execlp",
    "create_subprocess_shell",
    "create_subprocess_exec",
    "capture2",
    "capture3",
    "capture2e",
];

/// What stands before the dot of a runner whose own name says little.
const RUNNER_HOMES: [&str; 16] = [
    "subprocess",
    "sp",
    "os",
    "cp",
    "child_process",
    "childProcess",
    "Bun",
    "Deno",
    "IO",
    "Kernel",
    "Open3",
    "Process",
    "io",
    "proc",
    "shell",
    "asyncio",
];

/// Functions that remove what their argument names, and whether they go down into directories.
const REMOVERS: [(&str, bool); 24] = [
    ("rmtree", true),
    ("remove_tree", true),
    ("rm_rf", true),
    ("rm_r", true),
    ("rmSync", true),
    ("removeSync", true),
    ("emptyDirSync", true),
    ("emptyDir", true),
    ("rimraf", true),
    ("rimrafSync", true),
    ("remove_entry_secure", true),
    ("remove_dir", true),
    ("rm", true),
    ("remove", true),
    ("rmdirSync", true),
    ("rmdir", true),
    ("removedirs", true),
    ("unlink", false),
    ("unlinkSync", false),
    ("rm_f", false),
    ("delete", false),
    ("deleteSync", true),
    ("truncateSync", false),
    ("safe_unlink", false),
];

/// What stands before the dot of a remover whose own name says little.
const FILE_HOMES: [&str; 13] = [
    "os",
    "fs",
    "fsp",
    "fse",
    "Deno",
    "shutil",
    "FileUtils",
    "File",
    "Dir",
    "promises",
    "fsPromises",
    "Path",
    "pathlib",
];

/// Functions that write the file that their first argument names.
const WRITERS: [&str; 12] = [
    "writeFileSync",
    "writeFile",
    "appendFileSync",
    "appendFile",
    "write_text",
    "write_bytes",
    "file_put_contents",
    "createWriteStream",
    "writeTextFile",
    "writeTextFileSync",
    "truncate",
    "outputFileSync",
];

/// Functions that go through a directory.
const SWEEPERS: [&str; 9] =
    ["walk", "rglob", "glob", "iterdir", "readdirSync", "listdir", "scandir", "children", "each_child"];

struct Code {
    tokens: Vec<Token>,
    /// Variables with a value that is written out.
    values: HashMap<String, String>,
    /// Directories that it goes through.
    swept: Vec<String>,
    home: String,
    language: Language,
}

impl Code {
    fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Sign(c)) => Some(*c),
            _ => None,
        }
    }

    /// `name = value`, in the order in which they stand.
    fn assignments(&mut self) {
        for at in 0..self.tokens.len() {
            if let (Token::Name(name), Some('=')) = (&self.tokens[at], self.sign(at + 1))
                && self.sign(at + 2) != Some('=')
            {
                let name = name.clone();
                let end = self.end_of(at + 2);
                if let Some(value) = self.value(at + 2, end).filter(|value| value.len() < 4096) {
                    self.values.insert(name, value);
                }
            }
        }
    }

    /// Where the expression that begins at `at` ends.
    fn end_of(&self, mut at: usize) -> usize {
        let mut open = 0_usize;
        let most = at + 200;
        while at < self.tokens.len() && at < most {
            match self.tokens[at] {
                Token::Sign('(' | '[' | '{') => open += 1,
                Token::Sign(')' | ']' | '}') if open == 0 => return at,
                Token::Sign(')' | ']' | '}') => open -= 1,
                Token::Sign(',' | ';' | '\n') if open == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// The arguments of a call whose name stands at `at`, as ranges of tokens.
    fn arguments(&self, at: usize) -> Vec<(usize, usize)> {
        let bracket = self.sign(at + 1) == Some('(');
        let mut from = if bracket { at + 2 } else { at + 1 };
        let mut found = Vec::new();
        while from < self.tokens.len() && found.len() < 32 {
            let end = self.end_of(from);
            if end > from {
                found.push((from, end));
            }
            if self.sign(end) != Some(',') {
                break;
            }
            from = end + 1;
            // A list may go on in the next line.
            while self.sign(from) == Some('\n') {
                from += 1;
            }
        }
        found
    }

    /// The value of an expression, as far as it is written out.
    fn value(&self, from: usize, to: usize) -> Option<String> {
        let mut text = String::new();
        let mut at = from;
        let mut any = false;
        while at < to {
            match &self.tokens[at] {
                Token::Text(piece) => {
                    text.push_str(&self.filled(piece));
                    at += 1;
                }
                Token::Sign('+' | '.' | '\n' | '(' | ')') => {
                    at += 1;
                    continue;
                }
                // `Path('/') / 'etc'`
                Token::Sign('/') => {
                    text.push('/');
                    at += 1;
                    continue;
                }
                Token::Name(name) => {
                    let last = name.rsplit('.').next().unwrap_or("");
                    let inner = || {
                        let arguments = self.arguments(at);
                        let values: Option<Vec<String>> =
                            arguments.iter().map(|(from, to)| self.value(*from, *to)).collect();
                        (values, arguments.last().map_or(at + 1, |(_, to)| to + 1))
                    };
                    let is_home = matches!(last, "homedir" | "home_dir")
                        || name.ends_with("Path.home")
                        || name.ends_with("Dir.home")
                        || last == "home";
                    let environment = name.contains("env") || name == "$ENV" || name == "ENV" || last == "getenv";
                    if is_home || name.ends_with("env.HOME") {
                        text.push_str(&self.home);
                        at += 1;
                    } else if environment
                        && self.tokens[at..to]
                            .iter()
                            .take(4)
                            .any(|token| *token == Token::Text("HOME".into()) || *token == Token::Name("HOME".into()))
                    {
                        text.push_str(&self.home);
                        at = to;
                    } else if matches!(
                        last,
                        "expanduser"
                            | "Path"
                            | "PurePath"
                            | "PosixPath"
                            | "realpath"
                            | "abspath"
                            | "resolve"
                            | "join"
                            | "expand_path"
                            | "normalize"
                            | "glob"
                            | "String"
                            | "str"
                            | "format"
                    ) {
                        let (values, end) = inner();
                        text.push_str(&self.joined(&values?));
                        at = end;
                    } else if matches!(
                        last,
                        "b64decode" | "decode_base64" | "atob" | "decode64" | "base64_decode" | "urlsafe_b64decode"
                    ) || name == "Buffer.from"
                    {
                        let (values, end) = inner();
                        text.push_str(&decode::base64(values?.first()?)?);
                        at = end;
                    } else if matches!(last, "fromhex" | "unhexlify" | "hex2bin") {
                        let (values, end) = inner();
                        text.push_str(&decode::hexadecimal(values?.first()?)?);
                        at = end;
                    } else if matches!(name.as_str(), "require" | "__import__" | "import") {
                        at = inner().1.max(at + 1);
                        continue;
                    } else if matches!(last, "decode" | "toString" | "strip" | "trim" | "encode") {
                        at = inner().1.max(at + 1);
                        continue;
                    } else if let Some(value) = self.values.get(name) {
                        text.push_str(value);
                        at += 1;
                    } else {
                        return None;
                    }
                }
                _ => return None,
            }
            any = true;
        }
        any.then_some(text)
    }

    /// Pieces of a path.
    fn joined(&self, values: &[String]) -> String {
        let text = values.join("/");
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.home),
            _ => text,
        }
    }

    /// A string with what is put into it from elsewhere marked as not known.
    fn filled(&self, text: &str) -> String {
        let sign = match self.language {
            Language::Script => "${",
            Language::Ruby => "#{",
            _ => return text.to_string(),
        };
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(sign) {
            out.push_str(&rest[..at]);
            out.push(SOME);
            rest = rest[at..].find('}').map_or("", |end| &rest[at + end + 1..]);
        }
        out.push_str(rest);
        out
    }

    /// The words of a list that begins at `from`.
    fn list(&self, from: usize, to: usize) -> Option<Vec<String>> {
        if self.sign(from) != Some('[') {
            return None;
        }
        let mut words = Vec::new();
        let mut at = from + 1;
        while at < to {
            let end = self.end_of(at).min(to);
            if end > at {
                words.push(self.value(at, end).unwrap_or_else(|| SOME.to_string()));
            }
            if self.sign(end) == Some(']') {
                break;
            }
            at = end + 1;
        }
        Some(words)
    }

    /// What the expression before a method is about: `Path('/etc').unlink()`.
    fn before(&self, at: usize) -> Option<String> {
        let mut open = 0_usize;
        let mut start = at;
        while start > 0 {
            start -= 1;
            match &self.tokens[start] {
                Token::Sign(')' | ']') => open += 1,
                Token::Sign('(' | '[') if open == 0 => return None,
                Token::Sign('(' | '[') => open -= 1,
                Token::Name(name) if open == 0 && !name.starts_with('.') => return self.value(start, at),
                Token::Text(_) if open == 0 => return self.value(start, at),
                _ => {}
            }
            if at - start > 40 {
                return None;
            }
        }
        None
    }

    /// Everything it does that a guard asks about.
    fn acts(&mut self) -> Vec<Act> {
        let mut acts = Vec::new();
        self.sweeps();
        for at in 0..self.tokens.len() {
            match &self.tokens[at] {
                Token::Shell(text) => acts.push(Act::Shell(text.clone())),
                Token::Name(name) => self.act(at, &name.clone(), &mut acts),
                _ => {}
            }
        }
        acts
    }

    fn sweeps(&mut self) {
        let mut swept = Vec::new();
        for at in 0..self.tokens.len() {
            let Token::Name(name) = &self.tokens[at] else { continue };
            let last = name.rsplit('.').next().unwrap_or("");
            if SWEEPERS.contains(&last) {
                let first = self.arguments(at).first().and_then(|(from, to)| self.value(*from, *to));
                let base = if name.starts_with('.') { self.before(at) } else { first };
                swept.extend(base);
            }
        }
        swept.truncate(8);
        self.swept = swept;
    }

    fn act(&self, at: usize, name: &str, acts: &mut Vec<Act>) {
        let (home, last) = name.rsplit_once('.').unwrap_or(("", name));
        let home = home.rsplit('.').next().unwrap_or("");
        let called = self.sign(at + 1) == Some('(') || matches!(self.tokens.get(at + 1), Some(Token::Text(_)));
        // `exec` and others are methods of many things.
        let after_bracket = name.starts_with('.');
        if !called {
            return;
        }
        let arguments = self.arguments(at);
        let first = arguments.first().and_then(|(from, to)| self.value(*from, *to));
        let says_little = matches!(
            last,
            "run" | "call" | "exec" | "execute" | "remove" | "rm" | "delete" | "rmdir" | "truncate" | "rename"
        );
        let of_runner = if says_little {
            RUNNER_HOMES.contains(&home) || home.is_empty() && last != "run" && last != "call"
        } else {
            true
        };
        let of_files = if says_little || last == "unlink" {
            FILE_HOMES.contains(&home) || home.is_empty() && !after_bracket && (last != "delete" && last != "remove")
        } else {
            true
        };
        let of_files = of_files || matches!(last, "unlink" | "rmdir") && arguments.is_empty();
        let is_sql = matches!(
            last,
            "execute"
                | "executescript"
                | "executemany"
                | "query"
                | "raw"
                | "prepare"
                | "exec"
                | "queryRaw"
                | "executeRaw"
                | "$executeRawUnsafe"
                | "do"
        ) && !matches!(home, "os" | "subprocess");
        if is_sql && let Some(text) = &first {
            acts.push(Act::Sql(text.clone()));
        }
        if last == "exec" && self.language == Language::Python && home.is_empty() || last == "eval" {
            acts.extend(first.map(Act::Code));
        } else if RUNNERS.contains(&last) && of_runner {
            self.command(&arguments, first, acts);
        } else if let Some((_, deep)) =
            REMOVERS.iter().find(|(known, _)| *known == last).filter(|_| of_files || after_bracket)
        {
            let no_operand = arguments.is_empty() || after_bracket && self.before(at).is_some();
            let base = if after_bracket && no_operand { self.before(at) } else { None };
            let option = if *deep { "-rf" } else { "-f" };
            match base.or(first.filter(|_| !after_bracket || of_files)) {
                Some(path) => acts.push(Act::Command(vec!["rm".into(), option.into(), self.joined(&[path])])),
                None => {
                    for dir in &self.swept {
                        acts.push(Act::Command(vec![
                            "rm".into(),
                            "-rf".into(),
                            format!("{}/{ALL}", self.joined(std::slice::from_ref(dir)).trim_end_matches('/')),
                        ]));
                    }
                }
            }
        } else if WRITERS.contains(&last) {
            let base = if after_bracket && last.starts_with("write_") { self.before(at) } else { first };
            acts.extend(base.map(|path| Act::Write(self.joined(&[path]))));
        } else if last == "open" || last == "write" && home == "File" {
            let mode = arguments.get(1).and_then(|(from, to)| self.value(*from, *to)).unwrap_or_default();
            let writes = last == "write" || mode.contains(['w', 'a', '+', '>']) || mode.starts_with('>');
            acts.extend(first.clone().filter(|_| writes).map(|path| Act::Write(self.joined(&[path]))));
            if let Some(path) = first.filter(|_| !writes) {
                acts.push(Act::Command(vec!["cat".into(), self.joined(&[path])]));
            }
        } else if matches!(
            last,
            "rename"
                | "move"
                | "copy"
                | "copyfile"
                | "copyFileSync"
                | "renameSync"
                | "replace"
                | "copytree"
                | "mv"
                | "cp"
        ) && (FILE_HOMES.contains(&home) || last.ends_with("Sync"))
        {
            let to = arguments.get(1).and_then(|(from, to)| self.value(*from, *to));
            if let (Some(from), Some(to)) = (first, to) {
                let program =
                    if matches!(last, "rename" | "move" | "renameSync" | "replace" | "mv") { "mv" } else { "cp" };
                acts.push(Act::Command(vec![program.into(), self.joined(&[from]), self.joined(&[to])]));
            }
        } else if last == "readFileSync" || last == "readFile" || last == "file_get_contents" {
            acts.extend(first.map(|path| Act::Command(vec!["cat".into(), self.joined(&[path])])));
        }
    }

    fn command(&self, arguments: &[(usize, usize)], first: Option<String>, acts: &mut Vec<Act>) {
        let Some((from, to)) = arguments.first().copied() else { return };
        if let Some(words) = self.list(from, to) {
            acts.push(Act::Command(words));
            return;
        }
        let Some(first) = first else { return };
        if let Some(words) = arguments.get(1).and_then(|(from, to)| self.list(*from, *to)) {
            let repeats = words.first() == Some(&first);
            acts.push(Act::Command(
                std::iter::once(first).chain(words.into_iter().skip(usize::from(repeats))).collect(),
            ));
            return;
        }
        let more: Vec<String> = arguments.iter().skip(1).filter_map(|(from, to)| self.value(*from, *to)).collect();
        let is_list =
            matches!(self.language, Language::Perl | Language::Ruby) && !more.is_empty() && !first.contains(' ');
        match is_list {
            true => acts.push(Act::Command(std::iter::once(first).chain(more).collect())),
            // `do shell script "..."` and `system("...")`
            false => acts.push(Act::Shell(if first.is_empty() { quoted(&first) } else { first })),
        }
    }
}
