//! Integrates the branch with the base in a scratch worktree, so that no file, index or branch of the user changes.

use crate::checkout;
use crate::local::Step;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::short;
use review_gate::git::{Repository, resolve_parent};
use review_gate::snapshot::Snapshot;
use review_gate::snapshot::commit::of_commit;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{count, cut_end, one_line};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// The path of the scratch worktree: the same each time, so that a later run finds what a killed one left.
pub fn scratch_path(plan: &Plan) -> PathBuf {
    plan.state.dir().join("land").join("tree")
}

/// Removes the scratch worktree of an earlier run; the lock keeps other runs out. The files are removed without git, because git fails
/// on a partly removed worktree.
pub fn clear(plan: &Plan) -> Result<()> {
    let path = scratch_path(plan);
    if fs::symlink_metadata(&path).is_ok() {
        fs::remove_dir_all(&path).map_err(|e| Error::io("remove", &path, &e))?;
    }
    let Some(entry) = entry(plan, &path) else { return Ok(()) };
    let words = ["worktree", "remove", "--force", "--force"].map(OsStr::new);
    let words: Vec<&OsStr> = words.into_iter().chain([path.as_os_str()]).collect();
    match plan.repository.try_run(&words)?.is_success {
        true => Ok(()),
        // Git does not recognise its entry any more.
        false => fs::remove_dir_all(&entry).map_err(|e| Error::io("remove", &entry, &e)),
    }
}

/// Git's directory for the worktree at a path, whether the worktree exists or not.
fn entry(plan: &Plan, path: &Path) -> Option<PathBuf> {
    let sought = resolve_parent(path);
    plan.repository.linked_worktrees().into_iter().find(|(_, top)| *top == sought).map(|(entry, _)| entry)
}

/// The result of an integration.
pub struct Integrated {
    /// The commit that is to land.
    pub new: String,
    /// Its files, which the scratch worktree has byte by byte.
    pub files: Snapshot,
    /// The snapshot of the branch's tip in a clean worktree.
    pub tip: String,
}

impl Integrated {
    /// In which form the branch lands, if it is not its own commits.
    pub fn step(&self, plan: &Plan, upstream: &str, squash: bool) -> Step {
        let onto = short(upstream);
        match (self.new == plan.tip, squash) {
            (true, _) => Step::Nothing,
            (false, true) => Step::Done(format!("made one commit of {} on {onto}", plan.short())),
            (false, false) => Step::Done(format!("rebased {} on {onto}", plan.short())),
        }
    }
}

/// Makes the commit that is to land on `upstream` and checks it out in the scratch worktree: the tip itself if it descends from
/// `upstream`, else the rebased branch; with `squash` all changes as one commit.
pub fn onto(plan: &Plan, upstream: &str, squash: bool) -> Result<Integrated> {
    clear(plan)?;
    let path = scratch_path(plan);
    plan.state.make_parent(&path)?;
    let settings = Settings::of(&plan.repository)?;
    let words = ["worktree", "add", "--quiet", "--detach"].map(OsString::from).into_iter();
    let words = settings.with(words.chain([path.into_os_string(), plan.tip.as_str().into()]));
    let added = plan.repository.try_run(&words)?;
    if !added.is_success {
        return Err(Error::child(format!("git worktree add failed: {}", added.message)));
    }
    let scratch = scratch(plan)?;
    disable_sparse_checkout(&scratch)?;
    submodules(&scratch, &settings)?;
    let tip = of_commit(&scratch, &plan.tip)?.digest();
    let mut new = plan.tip.clone();
    if !plan.repository.is_descendant(&plan.tip, upstream)? {
        new = rebase(plan, &scratch, &settings, upstream)?;
        require_merges_kept(plan, &scratch, upstream, &new)?;
    }
    if squash && new != upstream {
        new = squash_all(&scratch, upstream, &new)?;
        scratch.run(&settings.with(["checkout", "--quiet", "--detach", &new]))?;
    }
    if new != plan.tip {
        submodules(&scratch, &settings)?;
    }
    let files = checkout::make_exact(plan, &scratch, &new)?;
    Ok(Integrated { new, files, tip })
}

/// Turns sparse checkout off in the scratch worktree, because all files must be judged. Removing its own patterns leaves the user's
/// settings unchanged.
fn disable_sparse_checkout(scratch: &Repository) -> Result<()> {
    let patterns = scratch.git_dir.join("info/sparse-checkout");
    match fs::symlink_metadata(&patterns) {
        Ok(_) => fs::remove_file(&patterns).map_err(|e| Error::io("remove", &patterns, &e)),
        Err(_) => Ok(()),
    }
}

fn submodules(scratch: &Repository, settings: &Settings) -> Result<()> {
    match scratch.top.join(".gitmodules").exists() {
        true => scratch.run(&settings.with(["submodule", "--quiet", "update", "--init", "--recursive"])).map(drop),
        false => Ok(()),
    }
}

/// The scratch worktree as a repository.
pub fn scratch(plan: &Plan) -> Result<Repository> {
    Repository::at(&scratch_path(plan)).ok_or_else(|| Error::missing("git worktree add made no worktree"))
}

fn rebase(plan: &Plan, scratch: &Repository, settings: &Settings, upstream: &str) -> Result<String> {
    let mut words: Vec<&str> = Vec::new();
    for setting in
        ["rebase.autoStash=false", "rebase.autoSquash=false", "rebase.updateRefs=false", "rerere.enabled=false"]
    {
        words.extend(["-c", setting]);
    }
    // Apply a commit even if an equivalent one is on the base: it may have been reverted there. Git drops it if it changes nothing.
    words.extend(["rebase", "--quiet", "--no-rebase-merges", "--no-fork-point", "--reapply-cherry-picks", upstream]);
    let said = scratch.try_run_with(&settings.with(words), &[("GIT_EDITOR", OsStr::new("true"))])?;
    if !said.is_success {
        let stopped = scratch.line(&["log", "-1", "--format=%h %s", "REBASE_HEAD"])?.unwrap_or_default();
        let out = scratch.run(&["diff", "--name-only", "--diff-filter=U", "-z"])?;
        let names: Vec<String> = out
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .map(|name| cut_end(&one_line(&String::from_utf8_lossy(name)), 80))
            .collect();
        if names.is_empty() {
            return Err(Error::child(format!("unable to rebase {}: {}", plan.short(), said.message)));
        }
        let shown = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        return Err(Error::refused(format!(
            "{} when {} is rebased on {}, at {}: {shown}. Rebase {} yourself, then run rg-land again",
            count(names.len(), "conflict"),
            plan.short(),
            plan.base,
            cut_end(&one_line(&stopped), 80),
            plan.short()
        )));
    }
    scratch.tip("HEAD")?.ok_or_else(|| Error::missing("the rebase left no commit"))
}

/// An error if a merge commit on the branch changed something by itself, because a rebase would drop that change.
fn require_merges_kept(plan: &Plan, scratch: &Repository, upstream: &str, new: &str) -> Result<()> {
    let merges = scratch.run(&["rev-list", "--merges", "-n", "1", &format!("{upstream}..{}", plan.tip)])?;
    if merges.is_empty() {
        return Ok(());
    }
    let merged = scratch.line(&["merge-tree", "--write-tree", upstream, &plan.tip])?;
    let rebased = scratch.line(&["rev-parse", &format!("{new}^{{tree}}")])?;
    match merged == rebased {
        true => Ok(()),
        false => Err(Error::refused(format!(
            "{} has merge commits with changes that a rebase would drop. Rebase it on {} yourself, then run rg-land again",
            plan.short(),
            plan.base
        ))),
    }
}

/// Makes one commit of all changes since `upstream`. Its message names each commit; its author is that of the last one.
fn squash_all(scratch: &Repository, upstream: &str, new: &str) -> Result<String> {
    let out = scratch.run(&["log", "--reverse", "--format=%s", &format!("{upstream}..{new}")])?;
    let subjects: Vec<String> = String::from_utf8_lossy(&out).lines().map(str::to_string).collect();
    let message = match subjects.as_slice() {
        [_] => String::from_utf8_lossy(&scratch.run(&["log", "-1", "--format=%B", new])?).into_owned(),
        all => {
            let listed: Vec<String> = all.iter().map(|subject| format!("* {subject}")).collect();
            let head = format!("{}\n\n{}\n", all.first().cloned().unwrap_or_default(), listed.join("\n"));
            // Keep co-authors and sign-offs.
            let range = format!("{upstream}..{new}");
            let out = scratch.run(&["log", "--reverse", "--format=%(trailers:only,unfold)", &range])?;
            let mut trailers: Vec<String> = Vec::new();
            for line in String::from_utf8_lossy(&out).lines().filter(|line| !line.is_empty()) {
                if !trailers.iter().any(|trailer| trailer == line) {
                    trailers.push(line.to_string());
                }
            }
            if trailers.is_empty() { head } else { format!("{head}\n{}\n", trailers.join("\n")) }
        }
    };
    let out = scratch.run(&["log", "-1", "--format=%an%n%ae%n%aI", new])?;
    let text = String::from_utf8_lossy(&out);
    let names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"];
    let author: Vec<(&str, &OsStr)> = names.into_iter().zip(text.lines().map(OsStr::new)).collect();
    let tree = format!("{new}^{{tree}}");
    let mut words = vec!["commit-tree", &tree, "-p", upstream, "-m", message.trim_end()];
    // Unlike commit and rebase, commit-tree ignores this setting.
    if scratch.line(&["config", "--type=bool", "--get", "commit.gpgSign"])?.as_deref() == Some("true") {
        words.push("-S");
    }
    let said = scratch.try_run_with(&words, &author)?;
    match said.is_success {
        true => Ok(String::from_utf8_lossy(&said.stdout).trim().to_string()),
        false => Err(Error::child(format!("git commit-tree failed: {}", said.message))),
    }
}
