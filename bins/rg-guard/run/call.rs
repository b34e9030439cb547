//! A simple command, as it would run.

use super::expand::Arg;
use super::mounts::{self, Mount};
use super::place::{self, Class};
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
    pub away: bool,
    /// It runs in a container that was made for it.
    pub fresh: bool,
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
    pub found: Found,
}

impl Call {
    /// A path of the call, whole, as it is called on this machine; None where it is another machine's or a container's own.
    pub fn here(&self, path: &str) -> Option<String> {
        let whole = place::join(&self.cwd, path);
        if self.away { mounts::outside(&self.mounts, &whole) } else { Some(whole) }
    }

    /// Whether a path is another machine's or a container's own. What ssh does is looked at all the same.
    pub fn is_elsewhere(&self, path: &str) -> bool {
        self.away && !self.trail.iter().any(|name| name == "ssh") && self.here(path).is_none()
    }

    /// Where a path below a link that was just made leads.
    pub fn behind_link(&self, path: &str) -> Option<String> {
        if self.away || self.links.is_empty() {
            return None;
        }
        mounts::behind(&self.links, &place::join(&self.cwd, path))
    }

    /// Whether a path lies in a container that was made for the call, and in nothing that stays.
    pub fn is_passing(&self, path: &str) -> bool {
        self.fresh && !mounts::stays(&self.mounts, &place::join(&self.cwd, path))
    }
}

/// What is found out about a call once, for all rules that ask. A copy of the call begins anew: it may be changed.
#[derive(Debug, Default)]
pub struct Found {
    /// Where it writes, and whether what was there stays.
    pub written: OnceCell<Vec<(String, bool)>>,
    /// What it removes, and whether with everything in it; None where it removes nothing.
    pub removed: OnceCell<Option<(Vec<String>, bool)>>,
    /// Every path that it may change, whole.
    pub touched: OnceCell<Vec<String>>,
    /// What kind of place a path of it names, for the first few.
    pub classes: RefCell<Vec<(String, Class)>>,
}

impl Clone for Found {
    fn clone(&self) -> Found {
        Found::default()
    }
}

/// A file that a redirection writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    pub path: String,
    pub append: bool,
    pub span: Span,
}
