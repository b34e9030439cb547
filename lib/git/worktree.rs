//! Git calls that may change a repository or contact a remote, and the list of a repository's work trees.

use super::command::{self, Mode};
use super::{Format, REMOTE_TRUNK, Repository, TRUNKS, to_path};
use crate::sys::error::{Error, Result};
use crate::sys::process;
use crate::sys::text::{cut_end, one_line};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long one call may take; a remote or a large checkout may be slow.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often a command is tried again while another process changes the list of worktrees.
const RACES: usize = 40;

/// The result of a git call.
pub struct GitOutput {
    /// Whether it succeeded.
    pub is_success: bool,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error on one line, without hints.
    pub message: String,
}

/// One work tree of a repository, as git lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkTree {
    /// Its top; for a bare repository, the repository.
    pub path: PathBuf,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// The full name of the branch; None if the head is detached.
    pub branch: Option<String>,
    /// Whether it is a bare repository, which has no work tree.
    pub is_bare: bool,
    /// The reason if it is locked.
    pub lock_reason: Option<String>,
    /// Whether its directory does not exist any more.
    pub is_prunable: bool,
}

impl Repository {
    /// Creates this repository as a bare one.
    pub fn init_bare(&self) -> Result<()> {
        let above = self.git_dir.parent().unwrap_or(&self.git_dir);
        let mut command = command::git(Mode::Act, above);
        command.args(["init", "--quiet", "--bare"]).arg(&self.git_dir);
        match process::output(command, PATIENCE)?.success() {
            true => Ok(()),
            false => Err(Error::child(format!("git init failed in {}", self.git_dir.display()))),
        }
    }

    /// Creates a repository with a work tree in an existing directory, without hooks and other files of a template.
    pub fn init(top: &Path, format: Format) -> Result<Repository> {
        let mut command = command::git(Mode::Act, top);
        let format = if format == Format::Sha256 { "sha256" } else { "sha1" };
        command.args(["init", "--quiet", "--template=", &format!("--object-format={format}")]);
        let is_made = process::output(command, PATIENCE)?.success();
        let made = is_made.then(|| Repository::at(top)).flatten();
        made.ok_or_else(|| Error::child(format!("git init failed in {}", top.display())))
    }

    /// Runs git here. A failure of git is not an error.
    pub fn try_run<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<GitOutput> {
        let mut output = self.try_run_with(args, &[])?;
        // Another process makes or removes a worktree, and git reads all of them: a moment later that one is whole, or gone.
        for _ in 0..RACES {
            let is_race = output.message.contains("failed to read") && output.message.contains("/worktrees/");
            if output.is_success || !is_race {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
            output = self.try_run_with(args, &[])?;
        }
        Ok(output)
    }

    /// Like [`Repository::try_run`], with additional environment variables.
    pub fn try_run_with<S: AsRef<OsStr>>(&self, args: &[S], env: &[(&str, &OsStr)]) -> Result<GitOutput> {
        let mut command = command::git(Mode::Act, &self.top);
        command.args(args);
        command.envs(env.iter().copied());
        let output = process::output(command, PATIENCE)?;
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let lines = message.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("hint:"));
        let message = cut_end(&one_line(&lines.collect::<Vec<_>>().join("; ")), 300);
        Ok(GitOutput { is_success: output.success(), stdout: output.stdout, message })
    }

    /// Runs git here and returns its standard output. Errors: git failed, with its message.
    pub fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Vec<u8>> {
        let output = self.try_run(args)?;
        let words: Vec<_> = args.iter().map(|arg| arg.as_ref().to_string_lossy()).collect();
        let is_verb = |at: &usize| !words[*at].starts_with('-') && (*at == 0 || words[*at - 1] != "-c");
        let name = (0..words.len()).find(is_verb).map(|at| words[at].clone());
        match output.is_success {
            true => Ok(output.stdout),
            false => Err(Error::child(format!("git {} failed: {}", name.unwrap_or_default(), output.message))),
        }
    }

    /// The one line that git prints; None if it fails or prints nothing.
    pub fn line<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Option<String>> {
        let output = self.try_run(args)?;
        let line = String::from_utf8_lossy(&output.stdout).trim_end().to_string();
        Ok(Some(line).filter(|line| output.is_success && !line.is_empty()))
    }

    /// The commit of a reference with that full name, or of another revision. None if it does not exist.
    pub fn tip(&self, name: &str) -> Result<Option<String>> {
        if name.starts_with("refs/") {
            return self.line(&["show-ref", "--verify", "--hash", "--", name]);
        }
        self.line(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
    }

    /// The default base: the default branch of the remote `origin`, else main or master.
    pub fn trunk(&self) -> Result<String> {
        let here = TRUNKS.map(|name| format!("refs/heads/{name}"));
        for name in std::iter::once(REMOTE_TRUNK.to_string()).chain(here) {
            if self.tip(&name)?.is_some() {
                return Ok(name);
            }
        }
        // Without a commit no branch exists that could be named.
        if self.line(&["rev-list", "--all", "--max-count=1"])?.is_none() {
            return Err(super::no_commit());
        }
        Err(Error::usage("no base branch: origin/HEAD, main and master do not exist. Pass `--base <branch>`"))
    }

    /// Whether the commit `old` is an ancestor of `new`.
    pub fn is_descendant(&self, new: &str, old: &str) -> Result<bool> {
        Ok(self.try_run(&["merge-base", "--is-ancestor", old, new])?.is_success)
    }

    /// All work trees; the first is the main one or the bare repository.
    pub fn worktrees(&self) -> Result<Vec<WorkTree>> {
        let out = self.run(&["worktree", "list", "--porcelain", "-z"])?;
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
                (b"bare", Some(tree)) => tree.is_bare = true,
                (b"locked", Some(tree)) => tree.lock_reason = Some(one_line(&text)),
                (b"prunable", Some(tree)) => tree.is_prunable = true,
                _ => {}
            }
        }
        if let Some(top) = all.first().and_then(|first| self.main_top(first)) {
            all[0].path = top;
        }
        Ok(all)
    }
}
