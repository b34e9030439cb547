//! What is to land where: the branch, its tip, the base, the remote that has it.

use crate::Asked;
use review_gate::cli::Args;
use review_gate::error::{Error, Result};
use review_gate::git::{Repository, WorkTree};
use review_gate::made::Made;
use review_gate::state::State;
use review_gate::text::{count, cut_end, one_line};
use std::path::{Path, PathBuf};

/// Where work lands, where nobody says.
const TRUNKS: [&str; 3] = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];

/// A landing before it begins.
pub struct Plan {
    /// Where git is run.
    pub repository: Repository,
    /// Where the records lie.
    pub state: State,
    /// Where we were asked.
    pub dir: PathBuf,
    /// The branch, by its whole name.
    pub branch: String,
    /// The commit that lands.
    pub tip: String,
    /// The branch itself is gone: its tip is that of its last landing.
    pub gone: bool,
    /// The local name of the base.
    pub base: String,
    /// The remote, and the base's whole name there; None where nothing is pushed.
    pub remote: Option<(String, String)>,
    /// The commit from which the branch went off, as it was recorded.
    pub fork: Option<String>,
    /// All work trees of the repository.
    pub trees: Vec<WorkTree>,
}

impl Plan {
    /// What was asked for.
    pub fn of(args: &Args, asked: &Asked) -> Result<Plan> {
        let dir = args.dir()?;
        let repository = Repository::around(&dir)?;
        let state = State::of_repository(&repository)?;
        let branch = match &asked.branch {
            Some(name) => format!("refs/heads/{}", name.trim_start_matches("refs/heads/")),
            None => repository
                .line(&["symbolic-ref", "--quiet", "HEAD"])?
                .ok_or_else(|| Error::usage("no branch is checked out here: name the one that lands"))?,
        };
        let made = Made::on(&state, &branch);
        let (base, remote) = base_of(&repository, asked, made.as_ref())?;
        // The main worktree stands in for all: where a remote is named by a relative path, it is meant from there.
        let trees = repository.worktrees()?;
        let main = trees.first().map(|tree| Repository::around(&tree.path)).transpose()?;
        let main = main.filter(|main| main.common_dir == repository.common_dir);
        let mut plan = Plan {
            repository: main.unwrap_or(repository),
            state,
            dir,
            branch,
            tip: String::new(),
            gone: false,
            base,
            remote: remote.filter(|_| !asked.no_push),
            fork: made.map(|made| made.fork),
            trees,
        };
        if plan.branch == plan.local_base() {
            return Err(Error::usage(format!("{} is the base: work lands from a branch of its own", plan.base)));
        }
        plan.refresh()?;
        Ok(plan)
    }

    /// Looks anew at what may have changed.
    pub fn refresh(&mut self) -> Result<()> {
        let tip = self.repository.tip(&self.branch)?;
        self.gone = tip.is_none();
        self.tip = match tip {
            Some(tip) => tip,
            None => crate::record::tip_of_landed(self)
                .ok_or_else(|| Error::usage(format!("no such branch: {}", self.short())))?,
        };
        self.trees = self.repository.worktrees()?;
        Ok(())
    }

    /// The base's whole local name.
    pub fn local_base(&self) -> String {
        format!("refs/heads/{}", self.base)
    }

    /// The branch as people call it.
    pub fn short(&self) -> &str {
        self.branch.trim_start_matches("refs/heads/")
    }

    /// The work tree that has a branch checked out.
    pub fn tree_of(&self, branch: &str) -> Option<&WorkTree> {
        self.trees.iter().find(|tree| tree.branch.as_deref() == Some(branch) && !tree.gone)
    }

    /// What is not committed does not land, and is not passed over in silence either.
    pub fn is_clean(&self) -> Result<()> {
        let Some(tree) = self.tree_of(&self.branch) else { return Ok(()) };
        let Some(inside) = Repository::at(&tree.path) else { return Ok(()) };
        let status = inside.status()?;
        let files: Vec<_> = [&status.staged, &status.unstaged, &status.untracked].into_iter().flatten().collect();
        if let Some(first) = files.first() {
            let first = cut_end(&one_line(&first.to_string_lossy()), 80);
            let files = count(files.len(), "file");
            return Err(Error::refused(format!(
                "{files} not committed in {} ({first}): commit it, then land",
                tree.path.display()
            )));
        }
        match inside.under_way() {
            Some(what) => {
                Err(Error::refused(format!("{what} is under way in {}: finish it, then land", tree.path.display())))
            }
            None => Ok(()),
        }
    }
}

/// The base's local name and where it is pushed to: as it was named, recorded, set, else the trunk.
fn base_of(repository: &Repository, asked: &Asked, made: Option<&Made>) -> Result<(String, Option<(String, String)>)> {
    let out = repository.act(&["remote"])?;
    let remotes: Vec<String> = String::from_utf8_lossy(&out).lines().map(str::to_string).collect();
    let configured = repository.line(&["config", "--get", "review-gate.base"])?;
    let named = asked.base.clone().or(made.map(|made| made.base.clone())).or(configured);
    let trunk = || -> Result<Option<String>> {
        for name in TRUNKS {
            if repository.tip(name)?.is_some() {
                return Ok(Some(name.to_string()));
            }
        }
        Ok(None)
    };
    let name = match named {
        Some(name) => name,
        None => trunk()?
            .ok_or_else(|| Error::usage("no base: neither origin/HEAD, main nor master; name one with --base"))?,
    };
    let whole = whole_name(repository, &name)?;
    if let Some(rest) = whole.strip_prefix("refs/remotes/") {
        let remote = remotes.iter().filter(|remote| rest.starts_with(&format!("{remote}/"))).max_by_key(|r| r.len());
        let remote = remote.ok_or_else(|| Error::usage(format!("{name}: no such remote")))?;
        let branch = rest[remote.len() + 1..].to_string();
        return Ok((branch.clone(), Some((remote.clone(), format!("refs/heads/{branch}")))));
    }
    let base = whole.trim_start_matches("refs/heads/").to_string();
    let tracked = repository.line(&["config", "--get", &format!("branch.{base}.remote")])?;
    let only = || remotes.iter().find(|name| *name == "origin").or(remotes.first().filter(|_| remotes.len() == 1));
    let remote = match &tracked {
        Some(name) if name == "." => None,
        Some(name) if remotes.contains(name) => Some(name),
        _ => only(),
    };
    let there = match &tracked {
        Some(_) => repository.line(&["config", "--get", &format!("branch.{base}.merge")])?,
        None => None,
    };
    let there = there.unwrap_or_else(|| format!("refs/heads/{base}"));
    Ok((base, remote.map(|name| (name.clone(), there))))
}

/// The whole name of a branch, here or at a remote. A tag or a commit is none.
fn whole_name(repository: &Repository, name: &str) -> Result<String> {
    if name.is_empty() || name.starts_with('-') {
        return Err(Error::usage(format!("no such branch: {name:?}")));
    }
    for whole in [name.to_string(), format!("refs/heads/{name}"), format!("refs/remotes/{name}")] {
        if whole.starts_with("refs/heads/") || whole.starts_with("refs/remotes/") {
            if let Some(target) = repository.line(&["symbolic-ref", "--quiet", &whole])? {
                return Ok(target);
            }
            if repository.tip(&whole)?.is_some() {
                return Ok(whole);
            }
        }
    }
    Err(Error::usage(format!("no such branch: {name:?}")))
}

/// Whether a directory lies in a work tree.
pub fn is_in(dir: &Path, tree: &WorkTree) -> bool {
    std::fs::canonicalize(&tree.path).is_ok_and(|top| dir.starts_with(top))
}
