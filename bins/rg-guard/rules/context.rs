//! The context of a judgement: the directory, the home, the project. Each is looked up when a rule first needs it.

use crate::command::path::{self, Class};
use crate::command::{Call, marks};
use review_gate::git::Repository;
use review_gate::sys::env;
use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};

/// How many paths of one call have their class cached.
const CACHED_CLASSES: usize = 16;

/// A root that is no directory of this machine: the paths of a container or of another machine are judged against it.
const REMOTE_ROOT: &str = "/away/from/here";

/// What rules know besides the command.
pub struct Context {
    pub cwd: PathBuf,
    pub home: String,
    /// Whether rules may look at processes and branches. A file of labels is judged by its words alone.
    pub looks: bool,
    /// Whether the agent owns the machine.
    pub owns_machine: Cell<bool>,
    root: OnceCell<String>,
    /// The state directories of the gate, in lower case.
    pub state_dirs: OnceCell<Vec<String>>,
    /// The directory of the client's plugin, where rg-guard runs as one.
    pub plugin: OnceCell<Option<String>>,
    /// The user's own directories of clients that the environment moves, each with its usual name.
    pub moved_dirs: OnceCell<Vec<(String, &'static str)>>,
}

impl Context {
    /// The context of a call in `cwd`.
    pub fn at(cwd: PathBuf) -> Context {
        let home =
            env::home().map_or_else(|| "/home/nobody".to_string(), |home| path::join("", &home.to_string_lossy()));
        Context {
            cwd,
            home,
            looks: true,
            owns_machine: Cell::new(false),
            root: OnceCell::new(),
            state_dirs: OnceCell::new(),
            plugin: OnceCell::new(),
            moved_dirs: OnceCell::new(),
        }
    }

    #[cfg(test)]
    /// A context with a given home and root.
    pub fn with(cwd: PathBuf, home: String, root: PathBuf) -> Context {
        Context { home, looks: false, root: OnceCell::from(root.to_string_lossy().into_owned()), ..Context::at(cwd) }
    }

    /// The project's top directory: the repository's top, else the current directory.
    pub fn root(&self) -> &str {
        self.root.get_or_init(|| {
            let top = Repository::find(&self.cwd).map_or_else(|| self.cwd.clone(), |repository| repository.top);
            path::join("", &top.to_string_lossy())
        })
    }

    /// The repository in which a command of git on this machine runs.
    fn repository(&self, call: &Call) -> Option<Repository> {
        if call.is_remote || !self.looks || call.cwd.contains(marks::is_mark) {
            return None;
        }
        Repository::find(Path::new(&call.cwd))
    }

    /// Whether a branch does not exist, or is the current one: renaming the current branch to it overwrites nothing.
    pub fn is_new_branch(&self, call: &Call, name: &str) -> bool {
        let Some(repository) = self.repository(call) else { return !call.is_remote };
        let full = format!("refs/heads/{name}");
        repository.branch().as_deref() == Some(name)
            || repository.git(&["for-each-ref", "--count=1", &full]).is_ok_and(|out| out.is_empty())
    }

    /// Whether another branch, local or fetched, has all commits of a local branch: git is asked.
    pub fn is_contained_branch(&self, call: &Call, name: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '#');
        let Some(repository) = self.repository(call).filter(|_| name.chars().all(is_plain)) else { return false };
        let full = format!("refs/heads/{name}");
        let args = ["for-each-ref", "--format=%(refname)", "--contains", &full, "refs/heads", "refs/remotes"];
        let out = repository.git(&args).unwrap_or_default();
        String::from_utf8_lossy(&out).lines().any(|other| other != full)
    }

    /// The class of a path of the call.
    pub fn class(&self, call: &Call, path: &str) -> Class {
        if call.is_remote {
            return match call.local_path(path) {
                Some(local) => self.local_class(&local),
                None => match path::class(path, &call.cwd, &self.home, REMOTE_ROOT) {
                    // It is removed with the container.
                    class if call.is_throwaway_path(path) && class != Class::Root => Class::Temp,
                    class => class,
                },
            };
        }
        let mut known = call.cache.classes.borrow_mut();
        if let Some((_, class)) = known.iter().find(|(known, _)| known == path) {
            return *class;
        }
        let own = self.owned(path::class(path, &call.cwd, &self.home, self.root()), || self.whole(call, path));
        let target = call.link_target(path).map(|target| self.local_class(&target));
        // Creating the link may have failed: the path keeps its own class where that is the worse one.
        let is_harmless = |class: Class| matches!(class, Class::Inside | Class::Temp | Class::Cache | Class::Outside);
        let class = target.filter(|target| is_harmless(own) && !is_harmless(*target)).unwrap_or(own);
        if known.len() < CACHED_CLASSES {
            known.push((path.to_string(), class));
        }
        class
    }

    /// The class of an absolute path of this machine.
    pub fn local_class(&self, whole: &str) -> Class {
        self.owned(path::class(whole, "/", &self.home, self.root()), || whole.to_string())
    }

    /// The class of a path where the agent may own the machine: then everything below a system directory is its own.
    fn owned(&self, class: Class, whole: impl Fn() -> String) -> Class {
        if !self.owns_machine.get() {
            return class;
        }
        let is_below =
            || whole().trim_matches('/').split('/').filter(|name| !name.contains(marks::is_mark)).count() > 1;
        match class {
            Class::System if is_below() => Class::Temp,
            Class::InHome | Class::Outside | Class::Cache | Class::TempRoot => Class::Temp,
            class => class,
        }
    }

    /// A path of the call as an absolute path, under its name on this machine where it has one.
    pub fn whole(&self, call: &Call, path: &str) -> String {
        call.local_path(path).unwrap_or_else(|| path::join(&call.cwd, path))
    }

    /// The path below a home directory; None outside of one.
    pub fn below_home(&self, whole: &str) -> Option<String> {
        let own = whole.strip_prefix(&self.home).filter(|_| path::is_in(whole, &self.home));
        own.map(|rest| rest.trim_start_matches('/').to_string()).or_else(|| {
            let mut names = whole.trim_start_matches('/').splitn(3, '/');
            match (names.next(), names.next(), names.next()) {
                (Some("home" | "Users"), Some(_), Some(rest)) => Some(rest.to_string()),
                (Some("root"), Some(name), rest) => {
                    Some(rest.map_or(name.to_string(), |rest| format!("{name}/{rest}")))
                }
                _ => None,
            }
        })
    }
}
