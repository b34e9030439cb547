//! What holds while a command runs: variables, the current directory, functions, files that were written.

use crate::command::marks::{self, FILE, SOME, UNSET};
use crate::shell::Node;
use std::collections::HashMap;
use std::rc::Rc;

/// The values that a variable may have; several where that depends on what happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    pub all: Vec<String>,
    /// They are elements of a list, not alternatives.
    pub is_list: bool,
}

impl Values {
    pub fn one(text: impl Into<String>) -> Values {
        Values { all: vec![text.into()], is_list: false }
    }

    /// All values as one text, with blanks between them.
    pub fn joined(&self) -> String {
        marks::literal(&self.all.join(" "))
    }
}

/// The most alternatives that are told apart.
pub const MAX_ALTERNATIVES: usize = 8;

/// The longest value that is kept, in bytes.
const MAX_VALUE: usize = 64 << 10;

/// The longest directory that is followed, in bytes: no system has longer ones.
const MAX_PATH: usize = 4096;

/// Variables and the rest, with a log that takes changes back.
pub struct Scope {
    pub home: String,
    pub cwd: String,
    pub old_cwd: String,
    pub dir_stack: Vec<String>,
    variables: HashMap<String, Values>,
    log: Vec<(String, Option<Values>)>,
    pub functions: HashMap<String, Rc<Vec<Node>>>,
    /// Names that stand for other variables: `declare -n`.
    pub references: HashMap<String, String>,
    pub aliases: HashMap<String, String>,
    /// What was written to which path.
    pub files: HashMap<String, Rc<str>>,
    /// Settings that git was given for good.
    pub git_settings: Vec<(String, String)>,
    /// The arguments of the function or script that runs.
    pub arguments: Option<Vec<String>>,
}

/// Variables that are always set, and that nobody sees the value of.
const ALWAYS_SET: [&str; 23] = [
    "$",
    "#",
    "?",
    "!",
    "-",
    "0",
    "_",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "UID",
    "EUID",
    "PPID",
    "BASHPID",
    "USER",
    "LOGNAME",
    "HOSTNAME",
    "PATH",
    "LANG",
    "EPOCHSECONDS",
    "SRANDOM",
    "TERM",
    "BASH_VERSION",
];

impl Scope {
    pub fn new(home: &str, cwd: &str) -> Scope {
        Scope {
            home: home.to_string(),
            cwd: cwd.to_string(),
            old_cwd: SOME.to_string(),
            dir_stack: Vec::new(),
            variables: HashMap::new(),
            log: Vec::new(),
            functions: HashMap::new(),
            references: HashMap::new(),
            aliases: HashMap::new(),
            files: HashMap::new(),
            git_settings: Vec::new(),
            arguments: None,
        }
    }

    /// The value of a variable; `UNSET` where nothing here sets it.
    pub fn value(&self, name: &str) -> Values {
        // A reference to a reference is as far as anybody goes.
        let name = self.references.get(name).map_or(name, String::as_str);
        if let Some(values) = self.variables.get(name) {
            return values.clone();
        }
        match name {
            "HOME" => Values::one(&self.home),
            "PWD" => Values::one(&self.cwd),
            "OLDPWD" => Values::one(&self.old_cwd),
            "TMPDIR" | "TMP" | "TEMP" => Values::one("/tmp"),
            "SHELL" | "BASH" => Values::one("/bin/bash"),
            "CLAUDE_CODE_SESSION_ID" => Values::one("claude_code_session_id"),
            "IFS" => Values::one(" \t\n"),
            "@" | "*" => match &self.arguments {
                Some(all) => Values { all: all.clone(), is_list: true },
                None => Values::one(UNSET),
            },
            name if ALWAYS_SET.contains(&name) => Values::one(SOME),
            name => match (name.parse::<usize>(), &self.arguments) {
                (Ok(number @ 1..), Some(all)) => Values::one(all.get(number - 1).cloned().unwrap_or_default()),
                _ => Values::one(UNSET),
            },
        }
    }

    /// Whether something here set it.
    pub fn is_set(&self, name: &str) -> bool {
        let positional = name.parse::<usize>().is_ok_and(|number| {
            number > 0 && self.arguments.as_ref().is_some_and(|all| all.get(number - 1).is_some_and(|v| !v.is_empty()))
        });
        self.variables.contains_key(name) || matches!(name, "HOME" | "PWD" | "IFS") || positional
    }

    pub fn set(&mut self, name: &str, mut values: Values) {
        for value in &mut values.all {
            if value.len() > MAX_VALUE {
                *value = SOME.to_string();
            }
        }
        let old = self.variables.insert(name.to_string(), values);
        self.log.push((name.to_string(), old));
    }

    pub fn unset(&mut self, name: &str) {
        let old = self.variables.insert(name.to_string(), Values::one(""));
        self.log.push((name.to_string(), old));
    }

    /// Where the log stands.
    pub fn checkpoint(&self) -> usize {
        self.log.len()
    }

    /// Takes back what was set since `mark`.
    pub fn undo_since(&mut self, checkpoint: usize) {
        while self.log.len() > checkpoint {
            if let Some((name, old)) = self.log.pop() {
                self.restore(name, old);
            }
        }
    }

    fn restore(&mut self, name: String, old: Option<Values>) {
        match old {
            Some(old) => self.variables.insert(name, old),
            None => self.variables.remove(&name),
        };
    }

    /// What was set since `mark` may or may not have been: both values count from now on.
    pub fn merge_since(&mut self, checkpoint: usize) {
        let changed: Vec<(String, Option<Values>)> = self.log.drain(checkpoint..).collect();
        let mut seen = std::collections::HashSet::new();
        for (name, old) in changed {
            // The first change holds the value from before.
            if seen.insert(name.clone()) {
                if let Some(now) = self.variables.get_mut(&name)
                    && !now.is_list
                {
                    for value in old.iter().filter(|old| !old.is_list).flat_map(|old| &old.all) {
                        if now.all.len() < MAX_ALTERNATIVES && !now.all.contains(value) {
                            now.all.push(value.clone());
                        }
                    }
                }
                self.log.push((name, old));
            }
        }
    }

    /// Goes to a directory.
    pub fn change_dir(&mut self, dir: &str) {
        let mut there = crate::command::path::join(&self.cwd, dir);
        if there.len() > MAX_PATH {
            there = SOME.to_string();
        }
        self.old_cwd = std::mem::replace(&mut self.cwd, there);
    }

    /// A path as files that were written are known by.
    pub fn absolute(&self, path: &str) -> String {
        crate::command::path::join(&self.cwd, path)
    }

    /// What is known to be in a file, or the mark for a file's contents.
    pub fn contents_or_mark(&self, path: &str) -> String {
        self.file_contents(path).map_or_else(|| FILE.to_string(), |text| text.to_string())
    }

    /// What is known to be in a file.
    pub fn file_contents(&self, path: &str) -> Option<Rc<str>> {
        self.files.get(&self.absolute(path)).cloned()
    }
}
