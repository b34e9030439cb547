//! What lands where: the branch, its tip, the base, and the remote that has the base.

use crate::Options;
use crate::landings;
use crate::remote::{self, Remote};
use review_gate::git::{Repository, Settings, WorkTree};
use review_gate::store::record::CreatedWorktree;
use review_gate::store::state::State;
use review_gate::store::worktrees;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::talk;
use review_gate::tool::cli::Args;
use std::path::{Path, PathBuf};

/// The branch, the base and the remote of a landing.
pub struct Plan {
    /// The repository in which git runs: the main worktree if there is one.
    pub repository: Repository,
    /// The state directory.
    pub state: State,
    /// The directory that the tool was called in, or `-C`.
    pub dir: PathBuf,
    /// The full name of the branch.
    pub branch: String,
    /// The commit that lands.
    pub tip: String,
    /// The branch does not exist any more; its tip is that of its last landing.
    pub is_gone: bool,
    /// The local name of the base.
    pub base: String,
    /// The remote that has the base; None if nothing is pushed.
    pub remote: Option<Remote>,
    /// What the branch was made for, as rg-worktree was told: perhaps the id of an issue.
    pub issue: Option<String>,
    /// The recorded fork point of the branch.
    pub fork: Option<String>,
    /// All worktrees of the repository.
    pub trees: Vec<WorkTree>,
}

impl Plan {
    /// Makes the plan from the options.
    pub fn of(args: &Args, options: &Options) -> Result<Plan> {
        let dir = args.dir()?;
        let repository = Repository::discover(&dir)?;
        let state = State::of_repository(&repository)?;
        let branch = match &options.branch {
            Some(name) if !is_name(name) => return Err(Error::usage(format!("no such branch: {name:?}"))),
            Some(name) => format!("refs/heads/{}", name.strip_prefix("refs/heads/").unwrap_or(name)),
            None => repository
                .line(&["symbolic-ref", "--quiet", "HEAD"])?
                .ok_or_else(|| Error::usage("no branch is checked out. Name the branch to land"))?,
        };
        let made = worktrees::on_branch(&state, &branch);
        let (base, remote) = base_of(&repository, options, made.as_ref())?;
        // A relative path of a remote is relative to the main worktree.
        let trees = repository.worktrees()?;
        let main = trees.first().map(|tree| Repository::discover(&tree.path)).transpose()?;
        let main = main.filter(|main| main.common_dir == repository.common_dir);
        let mut plan = Plan {
            repository: main.unwrap_or(repository),
            state,
            dir,
            branch,
            tip: String::new(),
            is_gone: false,
            base,
            remote: remote.filter(|_| !options.no_push),
            issue: made.as_ref().map(|made| made.name.clone()),
            fork: made.map(|made| made.fork),
            trees,
        };
        if plan.branch == plan.local_base() {
            return Err(Error::usage(format!("{} is the base itself. Land another branch", plan.base)));
        }
        plan.find_tip()?;
        Ok(plan)
    }

    /// Reads again what may have changed: the tip and the worktrees.
    pub fn refresh(&mut self) -> Result<()> {
        self.find_tip()?;
        self.refresh_worktrees()
    }

    fn find_tip(&mut self) -> Result<()> {
        let tip = self.repository.tip(&self.branch)?;
        self.is_gone = tip.is_none();
        self.tip = match tip {
            Some(tip) => tip,
            // It landed earlier and was removed.
            None => landings::of_branch(&self.state, &self.branch, &self.base)
                .pop()
                .map(|landing| landing.tip)
                .ok_or_else(|| Error::usage(format!("no such branch: {}", self.short())))?,
        };
        Ok(())
    }

    /// Reads the list of worktrees again: it may change while checks run.
    pub fn refresh_worktrees(&mut self) -> Result<()> {
        self.trees = self.repository.worktrees()?;
        Ok(())
    }

    /// The full local name of the base.
    pub fn local_base(&self) -> String {
        format!("refs/heads/{}", self.base)
    }

    /// The short name of the branch.
    pub fn short(&self) -> &str {
        self.branch.trim_start_matches("refs/heads/")
    }

    /// The worktrees that have a branch checked out: more than one if the user forced git.
    pub fn trees_of(&self, branch: &str) -> Vec<&WorkTree> {
        self.trees.iter().filter(|tree| tree.branch.as_deref() == Some(branch)).collect()
    }

    /// The rebase or bisection of a branch that is under way, and its worktree. Git does not list such a branch as checked out, but its
    /// reference must not be moved.
    pub fn operation_on(&self, branch: &str) -> Option<(&'static str, String)> {
        let short = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        self.trees.iter().find_map(|tree| {
            let inside = Repository::at(&tree.path)?;
            let of = |file: &str| {
                let bytes = files::try_read_following(&inside.git_dir.join(file), 1 << 20).unwrap_or_default();
                String::from_utf8(bytes).unwrap_or_default()
            };
            let is_rebased = ["rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs"]
                .iter()
                .any(|file| of(file).lines().any(|line| line.trim() == branch));
            let what = match is_rebased {
                true => "a rebase",
                false if of("BISECT_START").trim() == short => "a bisection",
                false => return None,
            };
            Some((what, one_line(&tree.path.to_string_lossy())))
        })
    }

    /// An error if the branch has uncommitted changes, or a rebase or another operation under way.
    pub fn require_clean(&self) -> Result<()> {
        if let Some((what, place)) = self.operation_on(&self.branch) {
            let text = format!("{what} of {} is under way in {place}. Finish it, then run rg-land again", self.short());
            return Err(Error::refused(text));
        }
        self.trees_of(&self.branch).into_iter().filter(|tree| !tree.is_prunable).try_for_each(require_clean)
    }
}

fn require_clean(tree: &WorkTree) -> Result<()> {
    let Some(inside) = Repository::at(&tree.path) else { return Ok(()) };
    // A merge with conflicts leaves uncommitted files, too.
    if let Some(what) = inside.operation_in_progress() {
        return Err(Error::refused(format!(
            "{what} is under way in {}. Finish it, then run rg-land again",
            tree.path.display()
        )));
    }
    let status = inside.status()?;
    // Messages are no work: the programs themselves post some.
    let is_work = |path: &&PathBuf| inside.is_linked_worktree() || !path.starts_with(talk::directory::NAME);
    let files: Vec<_> =
        [&status.staged, &status.unstaged, &status.untracked].into_iter().flatten().filter(is_work).collect();
    if let Some(first) = files.first() {
        let first = cut_end(&one_line(&first.to_string_lossy()), 80);
        let files = count(files.len(), "uncommitted file");
        return Err(Error::refused(format!(
            "{files} in {} ({first}). Commit or remove them, then run rg-land again",
            tree.path.display()
        )));
    }
    Ok(())
}

/// The base's local name and its remote. The base is `--base`, else the recorded one, else `review-gate.base`, else the trunk.
fn base_of(
    repository: &Repository,
    options: &Options,
    made: Option<&CreatedWorktree>,
) -> Result<(String, Option<Remote>)> {
    let settings = Settings::of(repository)?;
    let remotes = remote::remotes(&settings);
    let recorded = made.map(|made| made.base.as_str()).filter(|_| options.base.is_none());
    let named = options.base.as_deref().or(recorded).or(settings.last("review-gate.base")).map(str::to_string);
    let name = match named {
        Some(name) => name,
        None => repository.trunk()?,
    };
    let whole = whole_name(repository, &name)?.ok_or_else(|| {
        Error::usage(match made.filter(|_| recorded.is_some()) {
            // Guessing another base could land the branch in the wrong place.
            Some(made) => {
                let branch = made.branch.strip_prefix("refs/heads/").unwrap_or(&made.branch);
                format!("{branch} was created from {name}, which is not a branch. Name its base with `--base`")
            }
            None => format!("no such branch: {name:?}"),
        })
    })?;
    if let Some(rest) = whole.strip_prefix("refs/remotes/") {
        let remote = remotes.iter().filter(|remote| rest.starts_with(&format!("{remote}/"))).max_by_key(|r| r.len());
        let remote = remote.ok_or_else(|| Error::usage(format!("no such remote: {name}")))?;
        let branch = rest[remote.len() + 1..].to_string();
        let remote = remote::remote(&settings, remote, &format!("refs/heads/{branch}"));
        return Ok((branch, Some(remote)));
    }
    let base = whole.trim_start_matches("refs/heads/").to_string();
    let tracked = settings.last(&format!("branch.{base}.remote"));
    let only = || remotes.get("origin").or(remotes.first().filter(|_| remotes.len() == 1)).map(String::as_str);
    let remote = match tracked {
        Some(".") => None,
        Some(name) if remotes.contains(name) => Some(name),
        _ => only(),
    };
    let there = tracked.and_then(|_| settings.last(&format!("branch.{base}.merge")));
    let there = there.map_or_else(|| format!("refs/heads/{base}"), str::to_string);
    Ok((base, remote.map(|name| remote::remote(&settings, name, &there))))
}

/// The full name of a local or remote branch; None for a tag or a commit.
fn whole_name(repository: &Repository, name: &str) -> Result<Option<String>> {
    if !is_name(name) {
        return Ok(None);
    }
    for whole in [name.to_string(), format!("refs/heads/{name}"), format!("refs/remotes/{name}")] {
        if whole.starts_with("refs/heads/") || whole.starts_with("refs/remotes/") {
            if let Some(target) = repository.line(&["symbolic-ref", "--quiet", &whole])? {
                return Ok(Some(target));
            }
            if repository.tip(&whole)?.is_some() {
                return Ok(Some(whole));
            }
        }
    }
    Ok(None)
}

/// Whether a name is valid for a reference: `main~1` is an expression for a commit, not a branch.
fn is_name(name: &str) -> bool {
    let is_odd = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    !name.is_empty() && !name.starts_with('-') && !name.contains("..") && !name.contains("@{") && !name.contains(is_odd)
}

/// Whether a directory is in a worktree.
pub fn is_in(dir: &Path, tree: &WorkTree) -> bool {
    std::fs::canonicalize(&tree.path).is_ok_and(|top| dir.starts_with(top))
}
