//! Where commands are judged: whose home, which project. Looked up when a rule asks, never before.

use crate::risk::Risk;
use crate::run::Call;
use crate::run::place::{self, Class};
use review_gate::git::Repository;
use review_gate::sys::env;
use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::path::PathBuf;

/// How many places of one call are remembered.
const CLASSES: usize = 16;

/// What rules know beside the command.
pub struct World {
    pub cwd: PathBuf,
    pub home: String,
    root: OnceCell<String>,
    /// Where the gate keeps its records.
    pub records: OnceCell<Vec<String>>,
    /// Where the client's plugin lies, where it is one.
    pub plugin: OnceCell<Option<String>>,
    /// What the call that is judged may lose.
    pub risks: RefCell<Vec<Risk>>,
    /// The paths that were asked about, whole, each with what may happen to it.
    pub asked: RefCell<HashSet<(&'static str, String)>>,
}

impl World {
    /// The world of a call made in `cwd`.
    pub fn at(cwd: PathBuf) -> World {
        let home =
            env::home().map_or_else(|| "/home/nobody".to_string(), |home| place::join("", &home.to_string_lossy()));
        World {
            cwd,
            home,
            root: OnceCell::new(),
            records: OnceCell::new(),
            plugin: OnceCell::new(),
            risks: RefCell::default(),
            asked: RefCell::default(),
        }
    }

    #[cfg(test)]
    /// The same with a home and a root that are said, not found.
    pub fn with(cwd: PathBuf, home: String, root: PathBuf) -> World {
        World { home, root: OnceCell::from(root.to_string_lossy().into_owned()), ..World::at(cwd) }
    }

    /// The project's top directory: the repository's, else where we are.
    pub fn root(&self) -> &str {
        self.root.get_or_init(|| {
            let top = Repository::find(&self.cwd).map_or_else(|| self.cwd.clone(), |repository| repository.top);
            place::join("", &top.to_string_lossy())
        })
    }

    /// What kind of place a path of that call names.
    pub fn class(&self, call: &Call, path: &str) -> Class {
        if call.away {
            return match call.here(path) {
                Some(here) => self.class_here(&here),
                None => match place::class(path, &call.cwd, &self.home, "/away/from/here") {
                    // It goes with the container.
                    class if call.is_passing(path) && class != Class::Root => Class::Temp,
                    class => class,
                },
            };
        }
        let mut known = call.found.classes.borrow_mut();
        if let Some((_, class)) = known.iter().find(|(known, _)| known == path) {
            return *class;
        }
        let own = place::class(path, &call.cwd, &self.home, self.root());
        let there = call.behind_link(path).map(|there| self.class_here(&there));
        // The link may not have been made: a path is never less than what it is by itself.
        let is_less = |class: Class| matches!(class, Class::Inside | Class::Temp | Class::Cache | Class::Outside);
        let class = there.filter(|there| is_less(own) && !is_less(*there)).unwrap_or(own);
        if known.len() < CLASSES {
            known.push((path.to_string(), class));
        }
        class
    }

    /// What kind of place a whole path of this machine names.
    pub fn class_here(&self, whole: &str) -> Class {
        place::class(whole, "/", &self.home, self.root())
    }

    /// A path of that call, whole, as it is called here where it is here at all.
    pub fn whole(&self, call: &Call, path: &str) -> String {
        call.here(path).unwrap_or_else(|| place::join(&call.cwd, path))
    }

    /// The path below a home directory; None outside of one.
    pub fn below_home(&self, whole: &str) -> Option<String> {
        let own = whole.strip_prefix(&self.home).filter(|_| place::is_in(whole, &self.home));
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
