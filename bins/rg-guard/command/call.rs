//! A simple command, as it would run.

use super::arg::Arg;
use super::mounts::{self, Mount};
use super::path::{self, Class};
use crate::shell::Span;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// A simple command that would run.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The program's name without its directory; empty for a redirection alone.
    pub name: String,
    /// The name as it was given.
    pub path: String,
    pub args: Vec<Arg>,
    pub writes: Vec<Write>,
    /// Files that are read by redirection.
    pub reads: Vec<String>,
    /// What comes in on standard input, where that is known at all.
    pub input: Option<Rc<str>>,
    pub cwd: String,
    /// Variables set for it alone.
    pub assigns: Vec<(String, String)>,
    /// It runs in a container or on another machine.
    pub is_remote: bool,
    /// It runs in a container that was made for it.
    pub is_throwaway: bool,
    /// Directories of this machine that are seen there.
    pub mounts: Rc<[Mount]>,
    /// Links that were made a moment ago.
    pub links: Rc<[Mount]>,
    /// Who reads what it prints, when that is another program.
    pub reader: Option<String>,
    pub span: Span,
    /// The commands that run it, outermost first.
    pub trail: Vec<String>,
    /// What rules found out about it.
    pub cache: RuleCache,
}

impl Call {
    /// A path of the call, whole, as it is called on this machine; None where it is another machine's or a container's own.
    pub fn local_path(&self, path: &str) -> Option<String> {
        let whole = path::join(&self.cwd, path);
        if self.is_remote { mounts::local_path(&self.mounts, &whole) } else { Some(whole) }
    }

    /// Whether a path is another machine's or a container's own. What ssh does is looked at all the same.
    pub fn is_remote_path(&self, path: &str) -> bool {
        self.is_remote && !self.trail.iter().any(|name| name == "ssh") && self.local_path(path).is_none()
    }

    /// Where a path below a link that was just made leads.
    pub fn link_target(&self, path: &str) -> Option<String> {
        if self.is_remote || self.links.is_empty() {
            return None;
        }
        mounts::link_target(&self.links, &path::join(&self.cwd, path))
    }

    /// Whether a path lies in a container that was made for the call, and in nothing that stays.
    pub fn is_throwaway_path(&self, path: &str) -> bool {
        self.is_throwaway && !mounts::is_mounted(&self.mounts, &path::join(&self.cwd, path))
    }
}

/// What is found out about a call once, for all rules that ask. A copy of the call begins anew: it may be changed.
#[derive(Debug, Default)]
pub struct RuleCache {
    /// Where it writes, and whether what was there stays.
    pub written_paths: OnceCell<Vec<(String, bool)>>,
    /// What it removes, and whether with everything in it; None where it removes nothing.
    pub removed_paths: OnceCell<Option<(Vec<String>, bool)>>,
    /// Every path that it may change, whole.
    pub changed_paths: OnceCell<Vec<String>>,
    /// What kind of place a path of it names, for the first few.
    pub classes: RefCell<Vec<(String, Class)>>,
}

impl Clone for RuleCache {
    fn clone(&self) -> RuleCache {
        RuleCache::default()
    }
}

/// A file that a redirection writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    pub path: String,
    pub append: bool,
    pub span: Span,
}
