//! Where commands are judged: whose home, which project. Looked up when a rule asks, never before.

use crate::risk::Risk;
use crate::run::Call;
use crate::run::place::{self, Class};
use review_gate::env;
use review_gate::git::Repository;
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// How many places are remembered.
const CLASSES: usize = 1024;

/// What rules know beside the command.
pub struct World {
    pub cwd: PathBuf,
    pub home: String,
    root: OnceCell<String>,
    /// Where the gate keeps its records.
    pub records: OnceCell<Vec<String>>,
    /// Places that were looked at, by directory and path: many rules ask about each.
    classes: RefCell<HashMap<String, Class>>,
    /// What the call that is judged may lose.
    pub risks: RefCell<Vec<Risk>>,
    /// The paths that were asked about, each with where it was said: loops say the same again.
    pub asked: RefCell<HashSet<(String, String)>>,
}

impl World {
    /// The world of a call made in `cwd`.
    pub fn at(cwd: PathBuf) -> World {
        let home = env::home().map_or_else(|| "/home/nobody".to_string(), |home| home.to_string_lossy().into_owned());
        World {
            cwd,
            home,
            root: OnceCell::new(),
            records: OnceCell::new(),
            classes: RefCell::default(),
            risks: RefCell::default(),
            asked: RefCell::default(),
        }
    }

    #[cfg(test)]
    /// The same with a home and a root that are said, not found.
    pub fn with(cwd: PathBuf, home: String, root: PathBuf) -> World {
        let known = OnceCell::from(root.to_string_lossy().into_owned());
        World {
            cwd,
            home,
            root: known,
            records: OnceCell::new(),
            classes: RefCell::default(),
            risks: RefCell::default(),
            asked: RefCell::default(),
        }
    }

    /// The project's top directory: the repository's, else where we are.
    pub fn root(&self) -> &str {
        self.root.get_or_init(|| {
            let top = Repository::find(&self.cwd).map_or_else(|| self.cwd.clone(), |repository| repository.top);
            top.to_string_lossy().into_owned()
        })
    }

    /// What kind of place a path of that call names.
    pub fn class(&self, call: &Call, path: &str) -> Class {
        if call.away {
            return place::class(path, &call.cwd, &self.home, "/away/from/here");
        }
        // NUL is in no path.
        let key = [call.cwd.as_str(), path].join("\0");
        if let Some(known) = self.classes.borrow().get(&key) {
            return *known;
        }
        let class = place::class(path, &call.cwd, &self.home, self.root());
        let mut known = self.classes.borrow_mut();
        if known.len() < CLASSES {
            known.insert(key, class);
        }
        class
    }

    /// A path of that call, whole.
    pub fn whole(&self, call: &Call, path: &str) -> String {
        place::join(&call.cwd, path)
    }

    /// The path below a home directory; None outside of one.
    pub fn below_home(&self, whole: &str) -> Option<String> {
        let own = Path::new(whole).strip_prefix(&self.home).ok().map(|rest| rest.to_string_lossy().into_owned());
        own.or_else(|| {
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
