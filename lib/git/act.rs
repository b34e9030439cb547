//! Git, where something is to be changed: repositories with and without a work tree, their work trees, long patience.

use super::command::{self, Mode};
use super::{REMOTE_TRUNK, Repository, TRUNKS, to_path};
use crate::sys::error::{Error, Result};
use crate::sys::process;
use crate::sys::text::{cut_end, one_line};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// How long one call may take: a remote, or a large checkout, has its time.
const PATIENCE: Duration = Duration::from_secs(600);

/// What git said.
pub struct Said {
    /// It succeeded.
    pub ok: bool,
    /// Its standard output.
    pub out: Vec<u8>,
    /// Its complaint, in a line.
    pub words: String,
}

/// One work tree of a repository, as git lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkTree {
    /// Where it is; of a bare repository, itself.
    pub path: PathBuf,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// The branch by its whole name; None where the head is detached.
    pub branch: Option<String>,
    /// It is the repository itself, which has no work tree.
    pub bare: bool,
    /// Somebody locked it, and why.
    pub locked: Option<String>,
    /// Its directory is gone.
    pub gone: bool,
}

impl Repository {
    /// Makes the bare repository that this one is to be.
    pub fn init_bare(&self) -> Result<()> {
        let above = self.git_dir.parent().unwrap_or(&self.git_dir);
        let mut command = command::git(Mode::Act, above);
        command.args(["init", "--quiet", "--bare"]).arg(&self.git_dir);
        match process::output(command, PATIENCE)?.success() {
            true => Ok(()),
            false => Err(Error::child(format!("git init failed in {}", self.git_dir.display()))),
        }
    }

    /// Runs git here and returns what it said, whatever that is.
    pub fn ask<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Said> {
        self.ask_with(args, &[])
    }

    /// The same with variables of its own.
    pub fn ask_with<S: AsRef<OsStr>>(&self, args: &[S], env: &[(&str, &OsStr)]) -> Result<Said> {
        let mut command = command::git(Mode::Act, &self.top);
        command.args(args);
        command.envs(env.iter().copied());
        let output = process::output(command, PATIENCE)?;
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let lines = words.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("hint:"));
        let words = cut_end(&one_line(&lines.collect::<Vec<_>>().join("; ")), 300);
        Ok(Said { ok: output.success(), out: output.stdout, words })
    }

    /// Runs git here; that it fails is an error with its words.
    pub fn act<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Vec<u8>> {
        let said = self.ask(args)?;
        let name = args.iter().map(|arg| arg.as_ref().to_string_lossy()).find(|arg| !arg.starts_with('-'));
        match said.ok {
            true => Ok(said.out),
            false => Err(Error::child(format!("git {} failed: {}", name.unwrap_or_default(), said.words))),
        }
    }

    /// The one line that git prints, or None where it fails.
    pub fn line<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Option<String>> {
        let said = self.ask(args)?;
        let line = String::from_utf8_lossy(&said.out).trim_end().to_string();
        Ok(Some(line).filter(|line| said.ok && !line.is_empty()))
    }

    /// The commit that a reference of that whole name is at. No expression is taken for a name.
    pub fn tip(&self, name: &str) -> Result<Option<String>> {
        if name.starts_with("refs/") {
            return self.line(&["show-ref", "--verify", "--hash", "--", name]);
        }
        self.line(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
    }

    /// The branch that work goes off from and lands on where nobody says: of the remote `origin`, else main or master.
    pub fn trunk(&self) -> Result<String> {
        let here = TRUNKS.map(|name| format!("refs/heads/{name}"));
        for name in std::iter::once(REMOTE_TRUNK.to_string()).chain(here) {
            if self.tip(&name)?.is_some() {
                return Ok(name);
            }
        }
        Err(Error::usage("no base: neither origin/HEAD, main nor master; name one with --base"))
    }

    /// Whether everything in `old` is in `new`, too.
    pub fn descends(&self, new: &str, old: &str) -> Result<bool> {
        Ok(self.ask(&["merge-base", "--is-ancestor", old, new])?.ok)
    }

    /// All work trees, the main one (or the bare repository) first.
    pub fn worktrees(&self) -> Result<Vec<WorkTree>> {
        let out = self.act(&["worktree", "list", "--porcelain", "-z"])?;
        let mut all: Vec<WorkTree> = Vec::new();
        for line in out.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let (key, value) = match line.iter().position(|byte| *byte == b' ') {
                Some(at) => (&line[..at], &line[at + 1..]),
                None => (line, &b""[..]),
            };
            let text = String::from_utf8_lossy(value).into_owned();
            match (key, all.last_mut()) {
                (b"worktree", _) => all.push(WorkTree { path: to_path(value), ..WorkTree::default() }),
                (b"HEAD", Some(tree)) => tree.head = Some(text).filter(|id| id.bytes().any(|byte| byte != b'0')),
                (b"branch", Some(tree)) => tree.branch = Some(text),
                (b"bare", Some(tree)) => tree.bare = true,
                (b"locked", Some(tree)) => tree.locked = Some(one_line(&text)),
                (b"prunable", Some(tree)) => tree.gone = true,
                _ => {}
            }
        }
        if let Some(top) = all.first().and_then(|first| self.main_top(first)) {
            all[0].path = top;
        }
        Ok(all)
    }
}
