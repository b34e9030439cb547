//! What is to land where: the branch, its tip, the base, the remote that has it.

use crate::Asked;
use crate::landings;
use crate::remote::{self, Remote};
use review_gate::git::{Repository, Settings, WorkTree};
use review_gate::store::record::Made;
use review_gate::store::state::State;
use review_gate::store::worktrees;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli::Args;
use std::path::{Path, PathBuf};

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
    /// The remote that has the base; None where nothing is pushed.
    pub remote: Option<Remote>,
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
            Some(name) if !is_name(name) => return Err(Error::usage(format!("no such branch: {name:?}"))),
            Some(name) => format!("refs/heads/{}", name.strip_prefix("refs/heads/").unwrap_or(name)),
            None => repository
                .line(&["symbolic-ref", "--quiet", "HEAD"])?
                .ok_or_else(|| Error::usage("no branch is checked out here: name the one that lands"))?,
        };
        let made = worktrees::on(&state, &branch);
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
        plan.find_tip()?;
        Ok(plan)
    }

    /// Looks anew at what may have changed.
    pub fn refresh(&mut self) -> Result<()> {
        self.find_tip()?;
        self.look_around()
    }

    fn find_tip(&mut self) -> Result<()> {
        let tip = self.repository.tip(&self.branch)?;
        self.gone = tip.is_none();
        self.tip = match tip {
            Some(tip) => tip,
            // It landed earlier, and was removed then.
            None => landings::of_branch(&self.state, &self.branch, &self.base)
                .pop()
                .map(|landing| landing.tip)
                .ok_or_else(|| Error::usage(format!("no such branch: {}", self.short())))?,
        };
        Ok(())
    }

    /// Looks anew at what is checked out where: that may change while checks run.
    pub fn look_around(&mut self) -> Result<()> {
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

    /// The work trees that have a branch checked out: more than one where somebody forced git.
    pub fn trees_of(&self, branch: &str) -> Vec<&WorkTree> {
        self.trees.iter().filter(|tree| tree.branch.as_deref() == Some(branch)).collect()
    }

    /// What is under way on a branch that git lists as checked out nowhere meanwhile, and where: its reference is not ours to move.
    pub fn at_work(&self, branch: &str) -> Option<(&'static str, String)> {
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

    /// What is not committed does not land, and is not passed over in silence either.
    pub fn is_clean(&self) -> Result<()> {
        if let Some((what, place)) = self.at_work(&self.branch) {
            let text = format!("{what} of {} is under way in {place}: finish it, then land", self.short());
            return Err(Error::refused(text));
        }
        self.trees_of(&self.branch).into_iter().filter(|tree| !tree.gone).try_for_each(is_clean)
    }
}

fn is_clean(tree: &WorkTree) -> Result<()> {
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

/// The base's local name and where it is pushed to: as it was named, recorded, set, else the trunk.
fn base_of(repository: &Repository, asked: &Asked, made: Option<&Made>) -> Result<(String, Option<Remote>)> {
    let settings = Settings::of(repository)?;
    let remotes = remote::remotes(&settings);
    let recorded = made.map(|made| made.base.as_str()).filter(|_| asked.base.is_none());
    let named = asked.base.as_deref().or(recorded).or(settings.last("review-gate.base")).map(str::to_string);
    let name = match named {
        Some(name) => name,
        None => repository.trunk()?,
    };
    let whole = whole_name(repository, &name)?.ok_or_else(|| {
        Error::usage(match made.filter(|_| recorded.is_some()) {
            // Where it should land instead is not for us to guess.
            Some(made) => {
                let branch = made.branch.strip_prefix("refs/heads/").unwrap_or(&made.branch);
                format!("{branch} was made from {name}, which is no branch: name its base with --base")
            }
            None => format!("no such branch: {name:?}"),
        })
    })?;
    if let Some(rest) = whole.strip_prefix("refs/remotes/") {
        let remote = remotes.iter().filter(|remote| rest.starts_with(&format!("{remote}/"))).max_by_key(|r| r.len());
        let remote = remote.ok_or_else(|| Error::usage(format!("{name}: no such remote")))?;
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

/// The whole name of a branch, here or at a remote. A tag or a commit is none.
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

/// Whether git could have a reference of that name, and it is no expression: `main~1` is a commit, not a branch.
fn is_name(name: &str) -> bool {
    let is_odd = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    !name.is_empty() && !name.starts_with('-') && !name.contains("..") && !name.contains("@{") && !name.contains(is_odd)
}

/// Whether a directory lies in a work tree.
pub fn is_in(dir: &Path, tree: &WorkTree) -> bool {
    std::fs::canonicalize(&tree.path).is_ok_and(|top| dir.starts_with(top))
}
