//! What holds while a command runs: variables, the current directory, functions, files that were written.

use super::marks::{self, SOME, UNSET};
use crate::shell::Node;
use std::collections::HashMap;
use std::rc::Rc;

/// The values that a variable may have; several where that depends on what happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    pub all: Vec<String>,
    /// They are elements of a list, not alternatives.
    pub list: bool,
}

impl Values {
    pub fn one(text: impl Into<String>) -> Values {
        Values { all: vec![text.into()], list: false }
    }
}

/// The most alternatives that are told apart.
pub const ALTERNATIVES: usize = 8;

/// The longest value that is kept, in bytes.
const LONGEST: usize = 64 << 10;

/// The longest directory that is followed, in bytes: no system has longer ones.
const LONGEST_PATH: usize = 4096;

/// Variables and the rest, with a log that takes changes back.
pub struct Scope {
    pub home: String,
    pub cwd: String,
    pub before: String,
    pub stack: Vec<String>,
    variables: HashMap<String, Values>,
    log: Vec<(String, Option<Values>)>,
    pub functions: HashMap<String, Rc<Vec<Node>>>,
    /// Names that stand for other variables: `declare -n`.
    pub references: HashMap<String, String>,
    pub aliases: HashMap<String, String>,
    /// What was written to which path.
    pub files: HashMap<String, Rc<str>>,
    /// Settings that git was given for good.
    pub settings: Vec<(String, String)>,
    /// The arguments of the function or script that runs.
    pub arguments: Option<Vec<String>>,
}

/// Variables that are always set, and that nobody sees the value of.
const ALWAYS: [&str; 23] = [
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
            before: SOME.to_string(),
            stack: Vec::new(),
            variables: HashMap::new(),
            log: Vec::new(),
            functions: HashMap::new(),
            references: HashMap::new(),
            aliases: HashMap::new(),
            files: HashMap::new(),
            settings: Vec::new(),
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
            "OLDPWD" => Values::one(&self.before),
            "TMPDIR" | "TMP" | "TEMP" => Values::one("/tmp"),
            "SHELL" | "BASH" => Values::one("/bin/bash"),
            "CLAUDE_CODE_SESSION_ID" => Values::one("claude_code_session_id"),
            "IFS" => Values::one(" \t\n"),
            "@" | "*" => match &self.arguments {
                Some(all) => Values { all: all.clone(), list: true },
                None => Values::one(UNSET),
            },
            name if ALWAYS.contains(&name) => Values::one(SOME),
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
            if value.len() > LONGEST {
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
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    /// Takes back what was set since `mark`.
    pub fn take_back(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some((name, old)) = self.log.pop() {
                self.put_back(name, old);
            }
        }
    }

    fn put_back(&mut self, name: String, old: Option<Values>) {
        match old {
            Some(old) => self.variables.insert(name, old),
            None => self.variables.remove(&name),
        };
    }

    /// What was set since `mark` may or may not have been: both values count from now on.
    pub fn may_have(&mut self, mark: usize) {
        let changed: Vec<(String, Option<Values>)> = self.log.drain(mark..).collect();
        let mut seen = std::collections::HashSet::new();
        for (name, old) in changed {
            // The first change holds the value from before.
            if seen.insert(name.clone()) {
                if let Some(now) = self.variables.get_mut(&name)
                    && !now.list
                {
                    for value in old.iter().filter(|old| !old.list).flat_map(|old| &old.all) {
                        if now.all.len() < ALTERNATIVES && !now.all.contains(value) {
                            now.all.push(value.clone());
                        }
                    }
                }
                self.log.push((name, old));
            }
        }
    }

    /// Goes to a directory.
    pub fn enter(&mut self, dir: &str) {
        let mut there = super::place::join(&self.cwd, dir);
        if there.len() > LONGEST_PATH {
            there = SOME.to_string();
        }
        self.before = std::mem::replace(&mut self.cwd, there);
    }

    /// A path as files that were written are known by.
    pub fn file_name(&self, path: &str) -> String {
        super::place::join(&self.cwd, path)
    }

    /// What is known to be in a file.
    pub fn file(&self, path: &str) -> Option<Rc<str>> {
        self.files.get(&self.file_name(path)).cloned()
    }

    /// A value for the rest of a text, joined with blanks.
    pub fn joined(values: &Values) -> String {
        marks::plain(&values.all.join(" "))
    }
}
