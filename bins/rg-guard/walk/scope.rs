//! The state of a shell during a walk: variables, the current directory, functions, files that commands write.

use crate::command::JUDGE_PID;
use crate::command::marks::{self, FILE, SOME, UNSET};
use crate::shell::Node;
use std::collections::HashMap;
use std::rc::Rc;

/// The values of a variable. It has several alternatives where its value depends on what happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    pub all: Vec<String>,
    /// Whether `all` are the elements of an array, not alternatives.
    pub is_list: bool,
}

impl Values {
    /// A single value.
    pub fn one(text: impl Into<String>) -> Values {
        Values { all: vec![text.into()], is_list: false }
    }

    /// All values as one text, separated by blanks.
    pub fn joined(&self) -> String {
        marks::literal(&self.all.join(" "))
    }
}

/// The most alternatives that are kept.
pub const MAX_ALTERNATIVES: usize = 8;

/// The longest value that is kept, in bytes.
const MAX_VALUE: usize = 64 << 10;

/// The longest directory name that is kept, in bytes: PATH_MAX of Linux.
const MAX_PATH: usize = 4096;

/// The state of a shell, with a log of variable changes that can be undone.
pub struct Scope {
    pub home: String,
    pub cwd: String,
    pub old_cwd: String,
    pub dir_stack: Vec<String>,
    variables: HashMap<String, Values>,
    log: Vec<(String, Option<Values>)>,
    pub functions: HashMap<String, Rc<Vec<Node>>>,
    /// Variables that are references to others: `declare -n`.
    pub references: HashMap<String, String>,
    pub aliases: HashMap<String, String>,
    /// What commands wrote into files, by absolute path.
    pub files: HashMap<String, Rc<str>>,
    /// Settings that `git config` made.
    pub git_settings: Vec<(String, String)>,
    /// The arguments of the running function or script.
    pub arguments: Option<Vec<String>>,
    /// Whether a program of the gate was started in the background.
    pub has_judge: bool,
    /// Directories that commands made: `git clone`, `git init`, `mktemp`.
    pub made_dirs: Vec<String>,
    pub has_saved_diff: bool,
    /// Whether a command mounted or linked something.
    pub has_mount: bool,
}

/// Variables that are always set, to an unknown value.
const ALWAYS_SET: [&str; 22] = [
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
    /// The state of a shell that starts in `cwd`.
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
            has_judge: false,
            made_dirs: Vec::new(),
            has_saved_diff: false,
            has_mount: false,
        }
    }

    /// The values of a variable; `UNSET` where the text does not set it.
    pub fn value(&self, name: &str) -> Values {
        // Only one level of references is followed.
        let name = self.references.get(name).map_or(name, String::as_str);
        if let Some(values) = self.variables.get(name) {
            return values.clone();
        }
        if let Some(value) = crate::command::known_variable(name, &self.home) {
            return Values::one(value);
        }
        match name {
            "PWD" => Values::one(&self.cwd),
            "OLDPWD" => Values::one(&self.old_cwd),
            "TMPDIR" | "TMP" | "TEMP" => Values::one("/tmp"),
            "SHELL" | "BASH" => Values::one("/bin/bash"),
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

    /// Whether the text sets the separators of fields.
    pub fn changes_separators(&self) -> bool {
        self.variables.contains_key("IFS") || self.references.contains_key("IFS")
    }

    /// Whether the text sets a variable, or the shell sets it to a known value.
    pub fn is_set(&self, name: &str) -> bool {
        let positional = name.parse::<usize>().is_ok_and(|number| {
            number > 0 && self.arguments.as_ref().is_some_and(|all| all.get(number - 1).is_some_and(|v| !v.is_empty()))
        });
        self.variables.contains_key(name) || matches!(name, "HOME" | "PWD" | "IFS" | "XDG_STATE_HOME") || positional
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &str, mut values: Values) {
        for value in &mut values.all {
            if value.len() > MAX_VALUE {
                *value = SOME.to_string();
            }
        }
        let old = self.variables.insert(name.to_string(), values);
        self.log.push((name.to_string(), old));
    }

    /// Sets `$!` where a program of the gate was started in the background at some time.
    pub fn set_background(&mut self, is_judge: bool) {
        if is_judge || self.variables.contains_key("!") {
            self.set("!", Values::one(if is_judge { JUDGE_PID.to_string() } else { SOME.to_string() }));
        }
        self.has_judge |= is_judge;
    }

    /// Unsets a variable.
    pub fn unset(&mut self, name: &str) {
        let old = self.variables.insert(name.to_string(), Values::one(""));
        self.log.push((name.to_string(), old));
    }

    /// The current position in the log.
    pub fn checkpoint(&self) -> usize {
        self.log.len()
    }

    /// Undoes the changes since `checkpoint`.
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

    /// Keeps the changes since `checkpoint` as possible ones: old and new values become alternatives.
    pub fn merge_since(&mut self, checkpoint: usize) {
        let changed: Vec<(String, Option<Values>)> = self.log.drain(checkpoint..).collect();
        let mut seen = std::collections::HashSet::new();
        for (name, old) in changed {
            // The first change of a variable holds its old value.
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

    /// Changes the current directory.
    pub fn change_dir(&mut self, dir: &str) {
        let mut there = crate::command::path::join(&self.cwd, dir);
        if there.len() > MAX_PATH {
            there = SOME.to_string();
        }
        self.old_cwd = std::mem::replace(&mut self.cwd, there);
    }

    /// The absolute form of a path: the key of `files`.
    pub fn absolute(&self, path: &str) -> String {
        crate::command::path::join(&self.cwd, path)
    }

    /// The known contents of a file, or the mark for unknown contents.
    pub fn contents_or_mark(&self, path: &str) -> String {
        self.file_contents(path).map_or_else(|| FILE.to_string(), |text| text.to_string())
    }

    /// The known contents of a file.
    pub fn file_contents(&self, path: &str) -> Option<Rc<str>> {
        self.files.get(&self.absolute(path)).cloned()
    }
}
