//! A simple command as it would run.

use super::arg::Arg;
use super::mounts::{self, Mount};
use super::path::{self, Class};
use crate::shell::Span;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// A simple command that would run.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The program's name without its directory; empty where there are only redirections.
    pub name: String,
    /// The name as given, with its directory.
    pub path: String,
    pub args: Vec<Arg>,
    pub writes: Vec<Write>,
    /// Files that a redirection reads.
    pub reads: Vec<String>,
    /// The text on standard input, with marks; None where nothing is connected to it.
    pub input: Option<Rc<str>>,
    pub cwd: String,
    /// Variables that are set for this command only. Settings of git are named `git:NAME`.
    pub assigns: Vec<(String, String)>,
    /// The command runs in a container or on another machine.
    pub is_remote: bool,
    /// The command runs in a container that is created for it.
    pub is_throwaway: bool,
    /// Directories of this machine that are mounted in the container.
    pub mounts: Option<Rc<[Mount]>>,
    /// Links that earlier commands of the same text create.
    pub links: Option<Rc<[Mount]>>,
    /// The program that reads the command's standard output, where it is part of a pipeline.
    pub reader: Option<String>,
    /// What the text did before that matters to git.
    pub git: GitFacts,
    pub span: Span,
    /// The programs that run this command, outermost first.
    pub trail: Vec<String>,
    /// What rules computed about the call.
    pub cache: RuleCache,
}

/// What earlier commands of the same text, and git's own options, say of a command of git.
#[derive(Clone, Copy, Debug, Default)]
pub struct GitFacts {
    /// An earlier command made the directory in which git works.
    pub is_made: bool,
    /// An earlier command saved all changes with `git diff > FILE`.
    pub has_saved_diff: bool,
    /// The repository or the working tree may be another one than the directory says: `--git-dir`, a mount, a link.
    pub is_elsewhere: bool,
}

impl Call {
    /// The absolute path of this machine for a path of the call; None where only the container or the other machine has it.
    pub fn local_path(&self, path: &str) -> Option<String> {
        let whole = path::join(&self.cwd, path);
        if self.is_remote {
            mounts::local_path(self.mounts.as_deref().unwrap_or_default(), &whole)
        } else {
            Some(whole)
        }
    }

    /// Whether a path belongs to a container or to another machine. For ssh it is judged like a path of this machine.
    pub fn is_remote_path(&self, path: &str) -> bool {
        self.is_remote && !self.trail.iter().any(|name| name == "ssh") && self.local_path(path).is_none()
    }

    /// The target of a path below a link that an earlier command creates.
    pub fn link_target(&self, path: &str) -> Option<String> {
        let links = self.links.as_deref().filter(|links| !self.is_remote && !links.is_empty())?;
        mounts::link_target(links, &path::join(&self.cwd, path))
    }

    /// Whether a path lies in a container that is created for the call, outside of its mounts.
    pub fn is_throwaway_path(&self, path: &str) -> bool {
        let mounts = self.mounts.as_deref().unwrap_or_default();
        self.is_throwaway && !mounts::is_mounted(mounts, &path::join(&self.cwd, path))
    }
}

/// What rules compute about a call, cached for other rules. A clone starts empty, because the cloned call may be changed.
#[derive(Debug, Default)]
pub struct RuleCache {
    /// The paths that the call writes, each with whether it appends.
    pub written_paths: OnceCell<Vec<(String, bool)>>,
    /// The paths that the call removes, and whether recursively; None where it removes nothing.
    pub removed_paths: OnceCell<Option<(Vec<String>, bool)>>,
    /// The absolute paths that the call may change.
    pub changed_paths: OnceCell<Vec<String>>,
    /// The classes of the first few paths.
    pub classes: RefCell<Vec<(String, Class)>>,
}

impl Clone for RuleCache {
    fn clone(&self) -> RuleCache {
        RuleCache::default()
    }
}

/// A file that a redirection or a tool writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    pub path: String,
    pub append: bool,
    pub span: Span,
}
