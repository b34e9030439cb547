//! What a reviewer's command runs: the programs that it names, and the files that decide what they do. Makefiles, scripts of
//! package.json and shell scripts are followed; variables and what a program imports are not.

use crate::sys::files;
use crate::sys::limits;
use crate::sys::shell::{self, INTERPRETERS, SHELLS};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many makefiles, scripts and recipes inside each other are followed.
const DEPTH: usize = 4;

/// How many commands are followed in all.
const COMMANDS: usize = 200;

/// Follows the name of package.json: only its `scripts` count, because a dependency may be added in any task.
pub const SCRIPTS: &str = "#scripts";

/// Programs that run the program among their operands.
const WRAPPERS: [&str; 10] =
    ["command", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "time", "timeout", "xargs"];

/// The options of a shell that take a text of commands.
const TEXT_OPTIONS: [&str; 4] = ["-c", "-ec", "-lc", "-euc"];

/// Programs that read their commands from a file with one of these names.
const RUNNERS: [(&str, &[&str]); 6] = [
    ("cargo", &[".cargo/config.toml", ".cargo/config"]),
    ("deno", &["deno.json", "deno.jsonc"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("mise", &["mise.toml", ".mise.toml"]),
    ("rake", &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"]),
    ("task", &["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"]),
];

/// What a command names. Paths are as written, relative to the root; they need not exist.
#[derive(Debug, Default)]
pub struct CommandFiles {
    /// The names of programs.
    pub programs: BTreeSet<String>,
    /// The files.
    pub files: BTreeSet<String>,
    followed: usize,
}

/// What a command of DONE.md names: its words, or `sh -c` and a text.
pub fn of(words: &[String], root: &Path) -> CommandFiles {
    let mut found = CommandFiles::default();
    found.command(words, "", root, 0);
    found
}

impl CommandFiles {
    fn line(&mut self, line: &str, dir: &str, root: &Path, depth: usize) {
        for words in shell::commands(line) {
            self.command(&words, dir, root, depth);
        }
    }

    /// Adds what one command names. At the top every operand may be a file; below, only what is run.
    fn command(&mut self, words: &[String], dir: &str, root: &Path, depth: usize) {
        self.followed += 1;
        if depth > DEPTH || self.followed > COMMANDS {
            return;
        }
        let is_set = |word: &&String| {
            word.split_once('=').is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        };
        let words: Vec<&String> = words.iter().skip_while(is_set).collect();
        let Some((program, args)) = words.split_first() else { return };
        let name = shell::program_name(program);
        match program.contains('/') {
            true => self.file(dir, program),
            false => drop(self.programs.insert(program.to_string())),
        }
        let of_option = |names: &[&str]| {
            let at = args.iter().position(|word| names.contains(&word.as_str()))?;
            args.get(at + 1).map(|word| word.to_string())
        };
        let text = of_option(&TEXT_OPTIONS).filter(|_| SHELLS.contains(&name));
        if depth == 0 && name != "tee" {
            // The text of a shell's command is no file.
            self.operands(args.iter().filter(|word| Some(**word) != text.as_ref()), dir);
        }
        let script = args.iter().find(|word| !word.starts_with('-'));
        match name {
            _ if SHELLS.contains(&name) => match (text, script) {
                (Some(text), _) => self.line(&text, dir, root, depth),
                (None, Some(script)) => self.script(script, dir, root, depth),
                _ => {}
            },
            "make" | "gmake" => self.make(args, dir, root, depth),
            "npm" | "pnpm" | "yarn" | "bun" => self.package_script(name, args, dir, root, depth),
            _ if WRAPPERS.contains(&name) => {
                let is_program =
                    |word: &&&String| !word.starts_with('-') && !word.contains('=') && word.parse::<f64>().is_err();
                if let Some(at) = args.iter().position(|word| is_program(&word)) {
                    let inner: Vec<String> = args[at..].iter().map(|word| word.to_string()).collect();
                    self.command(&inner, dir, root, depth + 1);
                }
            }
            _ => {}
        }
        if INTERPRETERS.contains(&name) {
            match of_option(&["-m"]) {
                Some(module) => {
                    let base = module.replace('.', "/");
                    let names = [format!("{base}.py"), format!("{base}/__init__.py"), format!("{base}/__main__.py")];
                    names.iter().for_each(|name| self.file(dir, name));
                }
                None => script.into_iter().for_each(|script| self.file(dir, script)),
            }
        }
        for (_, names) in RUNNERS.iter().filter(|(runner, _)| *runner == name) {
            names.iter().for_each(|name| self.file(dir, name));
        }
        if program.contains('/') {
            self.script(program, dir, root, depth);
        }
    }

    /// Adds the operands that may be files, without the targets of redirections.
    fn operands<'a>(&mut self, args: impl Iterator<Item = &'a &'a String>, dir: &str) {
        let mut is_target = false;
        for word in args {
            let redirects = word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('>');
            let is_file = !is_target && !redirects && !word.starts_with('-') && !word.chars().any(char::is_whitespace);
            is_target = redirects && word.ends_with('>');
            let path = word.rsplit(['=', '<']).next().unwrap_or(word);
            if is_file && !path.is_empty() {
                self.file(dir, path);
            }
        }
    }

    /// Adds a file, unless its name is only known to the shell that runs it.
    fn file(&mut self, dir: &str, path: &str) {
        if !path.contains(['$', '*', '?', '\0']) {
            self.files.insert(join(dir, path));
        }
    }

    /// Adds a script, and what it runs if it is a shell's.
    fn script(&mut self, path: &str, dir: &str, root: &Path, depth: usize) {
        self.file(dir, path);
        let Some(text) = text_of(root, &join(dir, path)) else { return };
        let head = text.lines().next().unwrap_or("");
        let is_of_shell = !head.starts_with("#!") || head.contains("sh");
        if is_of_shell && !text.contains('\0') {
            self.line(&text, dir, root, depth + 1);
        }
    }

    /// Adds the makefiles, and what the recipes of the named targets run.
    fn make(&mut self, args: &[&String], dir: &str, root: &Path, depth: usize) {
        let (mut dir, mut makefile, mut targets) = (dir.to_string(), None, Vec::new());
        let mut words = args.iter().map(|word| word.as_str());
        while let Some(word) = words.next() {
            match word {
                "-C" | "--directory" => dir = words.next().map_or(dir.clone(), |below| join(&dir, below)),
                "-f" | "--file" | "--makefile" => makefile = words.next().map(str::to_string),
                _ if word.starts_with("--directory=") => dir = join(&dir, word.trim_start_matches("--directory=")),
                _ if word.starts_with("--file=") => makefile = Some(word.trim_start_matches("--file=").to_string()),
                _ if word.starts_with('-') || word.contains('=') => {}
                _ => targets.push(word.to_string()),
            }
        }
        let names =
            makefile.map_or(["GNUmakefile", "makefile", "Makefile"].map(String::from).to_vec(), |name| vec![name]);
        names.iter().for_each(|name| self.file(&dir, name));
        let Some(text) = names.iter().find_map(|name| text_of(root, &join(&dir, name))) else { return };
        let mut rules = Rules::default();
        rules.read(&text, &dir, root, self, 0);
        let mut open = if targets.is_empty() { rules.first.clone().into_iter().collect() } else { targets };
        let mut seen = BTreeSet::new();
        while let Some(target) = open.pop() {
            if !seen.insert(target.clone()) {
                continue;
            }
            for line in rules.recipes.get(&target).cloned().unwrap_or_default() {
                let line =
                    line.trim_start_matches(['@', '-', '+', ' ']).replace("$(MAKE)", "make").replace("${MAKE}", "make");
                // A variable of make is no command substitution.
                let line = line.replace("$(", "${");
                self.line(&line, &dir, root, depth + 1);
            }
            open.extend(rules.needs.get(&target).cloned().unwrap_or_default());
        }
    }

    /// Adds package.json's scripts, and what the named one runs.
    fn package_script(&mut self, program: &str, args: &[&String], dir: &str, root: &Path, depth: usize) {
        let mut operands = args.iter().map(|word| word.as_str()).filter(|word| !word.starts_with('-'));
        let script = match operands.next() {
            Some("run" | "run-script") => operands.next(),
            Some(name) if program != "npm" || matches!(name, "test" | "start") => Some(name),
            _ => None,
        };
        let Some(script) = script else { return };
        let path = join(dir, "package.json");
        self.files.insert(format!("{path}{SCRIPTS}"));
        self.file(dir, ".npmrc");
        let value = text_of(root, &path).and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        for name in [format!("pre{script}"), script.to_string(), format!("post{script}")] {
            let text = value.as_ref().and_then(|value| value.get("scripts")?.get(&name)?.as_str());
            for words in text.map(shell::commands).unwrap_or_default() {
                if let Some(program) = words.first().filter(|word| !word.contains('/')) {
                    self.file(dir, &format!("node_modules/.bin/{program}"));
                }
                self.command(&words, dir, root, depth + 1);
            }
        }
    }
}

/// The rules of a makefile.
#[derive(Default)]
struct Rules {
    first: Option<String>,
    needs: BTreeMap<String, Vec<String>>,
    recipes: BTreeMap<String, Vec<String>>,
}

impl Rules {
    fn read(&mut self, text: &str, dir: &str, root: &Path, found: &mut CommandFiles, depth: usize) {
        let mut targets: Vec<String> = Vec::new();
        for line in text.replace("\\\n", " ").lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if line.starts_with('\t') {
                for target in &targets {
                    self.recipes.entry(target.clone()).or_default().push(line.trim().to_string());
                }
            } else if matches!(words.first(), Some(&("include" | "-include" | "sinclude"))) {
                for name in words[1..].iter().filter(|_| depth < DEPTH) {
                    found.file(dir, name);
                    if let Some(text) = text_of(root, &join(dir, name)) {
                        self.read(&text, dir, root, found, depth + 1);
                    }
                }
            } else if let Some((names, needs)) = line.split_once(':').filter(|(names, rest)| {
                !names.contains(['=', '#'])
                    && !names.trim().is_empty()
                    && !rest.trim_start_matches(':').starts_with('=')
            }) {
                targets = names.split_whitespace().map(str::to_string).collect();
                let (needs, recipe) = needs.split_once(';').unwrap_or((needs, ""));
                for target in &targets {
                    let known = self.needs.entry(target.clone()).or_default();
                    known.extend(needs.split_whitespace().map(str::to_string));
                    if !recipe.trim().is_empty() {
                        self.recipes.entry(target.clone()).or_default().push(recipe.trim().to_string());
                    }
                }
                self.first = self.first.take().or(targets.first().filter(|name| !name.starts_with('.')).cloned());
            }
        }
    }
}

fn join(dir: &str, path: &str) -> String {
    let path = path.trim_start_matches("./");
    if dir.is_empty() || path.starts_with('/') { path.to_string() } else { format!("{dir}/{path}") }
}

fn text_of(root: &Path, path: &str) -> Option<String> {
    let bytes = files::try_read_following(&root.join(path), limits::DEFINITION)?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The programs and files of a shell command in a directory with these files.
    fn named(line: &str, written: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in written {
            fs::create_dir_all(dir.path().join(path).parent().unwrap()).unwrap();
            fs::write(dir.path().join(path), text).unwrap();
        }
        let found = of(&["sh".into(), "-c".into(), line.into()], dir.path());
        (found.programs.into_iter().collect(), found.files.into_iter().collect())
    }

    #[test]
    fn a_command_names_its_programs_and_what_they_read() {
        let make = "include more.mk\nX := 1\nall: test\n\ttrue\nreview: build/x\n\t@python3 tools/rev.py $(X)\nbuild/x: ; node gen.js\n";
        let package =
            r#"{"scripts":{"review":"reviewer --fast && node tools/r.js","test":"jest"},"dependencies":{"a":"1"}}"#;
        type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str], &'a [&'a str]);
        let cases: [Case<'_>; 8] = [
            ("A=1 codex exec -", &[], &["codex", "sh"], &["exec"]),
            (
                "sh tools/r.sh",
                &[("tools/r.sh", "set -e\npython3 tools/x.py README.md\n")],
                &["python3", "set", "sh"],
                &["tools/r.sh", "tools/x.py"],
            ),
            ("reviewer >review.log 2> err.log", &[], &["reviewer", "sh"], &[]),
            (
                "make -s review",
                &[("Makefile", make), ("more.mk", "")],
                &["make", "node", "python3", "sh"],
                &["GNUmakefile", "Makefile", "gen.js", "makefile", "more.mk", "review", "tools/rev.py"],
            ),
            (
                "make",
                &[("Makefile", make)],
                &["make", "sh", "true"],
                &["GNUmakefile", "Makefile", "makefile", "more.mk"],
            ),
            (
                "npm run review",
                &[("package.json", package)],
                &["node", "npm", "reviewer", "sh"],
                &[
                    ".npmrc",
                    "node_modules/.bin/node",
                    "node_modules/.bin/reviewer",
                    "package.json#scripts",
                    "review",
                    "run",
                    "tools/r.js",
                ],
            ),
            (
                "timeout 60 python3 -m tools.rev",
                &[],
                &["python3", "sh", "timeout"],
                &["60", "python3", "tools.rev", "tools/rev.py", "tools/rev/__init__.py", "tools/rev/__main__.py"],
            ),
            ("just review", &[], &["just", "sh"], &[".justfile", "Justfile", "justfile", "review"]),
        ];
        for (line, written, programs, files) in cases {
            let (named_programs, named_files) = named(line, written);
            assert_eq!(
                (named_programs, named_files),
                (programs.iter().map(|s| s.to_string()).collect(), files.iter().map(|s| s.to_string()).collect()),
                "{line}"
            );
        }
    }

    #[test]
    fn files_that_name_each_other_end() {
        let make = "a: b\n\t$(MAKE) a\nb: a\n\tsh x.sh\ninclude Makefile\n";
        let (_, files) = named("make a", &[("Makefile", make), ("x.sh", "sh x.sh; make a; sh x.sh")]);
        assert!(files.contains(&"x.sh".to_string()), "{files:?}");
    }
}
