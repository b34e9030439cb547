//! Integration: in a scratch worktree of its own, so that nobody's files, index or branch is touched.

use crate::plan::Plan;
use review_gate::git::{Repository, resting_place};
use review_gate::snapshot::{self, Rules, Use};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{count, cut_end, one_line};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the scratch worktree is: the same place each time, so that checks are answered from their record.
pub fn place(plan: &Plan) -> PathBuf {
    plan.state.dir().join("land").join("tree")
}

/// Takes away what an earlier run left; nobody else is at work there while we hold the lock. However little of it is left, git
/// is not asked about its files: it would only say that something is missing.
pub fn clear(plan: &Plan) -> Result<()> {
    let path = place(plan);
    if fs::symlink_metadata(&path).is_ok() {
        fs::remove_dir_all(&path).map_err(|e| Error::io("remove", &path, &e))?;
    }
    let Some(entry) = entry(plan, &path) else { return Ok(()) };
    let words = ["worktree", "remove", "--force", "--force"].map(OsStr::new);
    let words: Vec<&OsStr> = words.into_iter().chain([path.as_os_str()]).collect();
    match plan.repository.ask(&words)?.ok {
        true => Ok(()),
        // Git does not know any more what it was.
        false => fs::remove_dir_all(&entry).map_err(|e| Error::io("remove", &entry, &e)),
    }
}

/// Git's own directory of the worktree at a path, whether that is there or not.
fn entry(plan: &Plan, path: &Path) -> Option<PathBuf> {
    let sought = resting_place(path);
    plan.repository.linked().into_iter().find(|(_, top)| *top == sought).map(|(entry, _)| entry)
}

/// What came of it.
pub struct Integrated {
    /// The commit.
    pub new: String,
    /// Its files, as a clean worktree holds them.
    pub files: String,
    /// The same of the branch's own tip.
    pub tip: String,
}

/// The commit that is to land on `upstream`, checked out in the scratch worktree: the tip itself where it descends from there, else
/// its commits one by one on top of it, or all of them as one.
pub fn onto(plan: &Plan, upstream: &str, squash: bool) -> Result<Integrated> {
    clear(plan)?;
    let path = place(plan);
    plan.state.make_parent(&path)?;
    let words = ["-c", "core.sparseCheckout=false", "worktree", "add", "--quiet", "--detach"].map(OsStr::new);
    let words: Vec<&OsStr> = words.into_iter().chain([path.as_os_str(), OsStr::new(&plan.tip)]).collect();
    let added = plan.repository.ask(&words)?;
    if !added.ok {
        return Err(Error::child(format!("git worktree add failed: {}", added.words)));
    }
    let scratch = scratch(plan)?;
    whole(&scratch)?;
    submodules(&scratch)?;
    let tip = look(plan, &scratch, &plan.tip)?;
    let mut new = plan.tip.clone();
    if !plan.repository.descends(&plan.tip, upstream)? {
        new = rebased(plan, &scratch, upstream)?;
        holds_merges(plan, &scratch, upstream, &new)?;
    }
    if squash && new != upstream {
        new = squashed(&scratch, upstream, &new)?;
        scratch.act(&["checkout", "--quiet", "--detach", &new])?;
    }
    let files = match new == plan.tip {
        true => tip.clone(),
        false => {
            submodules(&scratch)?;
            look(plan, &scratch, &new)?
        }
    };
    Ok(Integrated { new, files, tip })
}

/// A worktree that is made from a sparse one would be sparse as well: what lands is judged whole. Without patterns it is not, and
/// nobody's settings are touched.
fn whole(scratch: &Repository) -> Result<()> {
    let patterns = scratch.git_dir.join("info/sparse-checkout");
    match fs::symlink_metadata(&patterns) {
        Ok(_) => fs::remove_file(&patterns).map_err(|e| Error::io("remove", &patterns, &e)),
        Err(_) => Ok(()),
    }
}

fn submodules(scratch: &Repository) -> Result<()> {
    match scratch.top.join(".gitmodules").exists() {
        true => scratch.act(&["submodule", "--quiet", "update", "--init", "--recursive"]).map(drop),
        false => Ok(()),
    }
}

/// The files of the scratch worktree, each of them read. They must be that commit's and nothing else: what a killed run left at
/// work there, or a check wrote, is not what lands.
pub fn look(plan: &Plan, scratch: &Repository, commit: &str) -> Result<String> {
    let files = snapshot::take(&scratch.top, &Rules::Today, &plan.state, Use::Fresh)?.digest();
    let status = scratch.status()?;
    let differing: Vec<_> = [&status.staged, &status.unstaged, &status.untracked].into_iter().flatten().collect();
    if let Some(first) = differing.first() {
        let first = cut_end(&one_line(&first.to_string_lossy()), 80);
        let files = count(differing.len(), "file");
        let text = format!(
            "{files} in the scratch worktree that the commit does not hold so ({first}): a hook or something else writes there, not landed"
        );
        return Err(Error::changed(text));
    }
    if scratch.is_sparse() || scratch.tracked()?.iter().any(|entry| entry.absent || entry.unlooked) {
        return Err(Error::changed("git was told not to look at files of the scratch worktree: not landed"));
    }
    match status.head.as_deref() == Some(commit) {
        true => Ok(files),
        false => Err(Error::changed("something else is at work in the scratch worktree: not landed, run it again")),
    }
}

/// Git, in the scratch worktree.
pub fn scratch(plan: &Plan) -> Result<Repository> {
    Repository::at(&place(plan)).ok_or_else(|| Error::missing("git made no worktree to integrate in"))
}

fn rebased(plan: &Plan, scratch: &Repository, upstream: &str) -> Result<String> {
    let mut words: Vec<&str> = Vec::new();
    for setting in
        ["rebase.autoStash=false", "rebase.autoSquash=false", "rebase.updateRefs=false", "rerere.enabled=false"]
    {
        words.extend(["-c", setting]);
    }
    // A commit whose like the base has, or had, is put there all the same: if it changes nothing any more, it goes by itself.
    words.extend(["rebase", "--quiet", "--no-rebase-merges", "--no-fork-point", "--reapply-cherry-picks", upstream]);
    let said = scratch.ask_with(&words, &[("GIT_EDITOR", OsStr::new("true"))])?;
    if !said.ok {
        let stopped = scratch.line(&["log", "-1", "--format=%h %s", "REBASE_HEAD"])?.unwrap_or_default();
        let out = scratch.act(&["diff", "--name-only", "--diff-filter=U", "-z"])?;
        let names: Vec<String> = out
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .map(|name| cut_end(&one_line(&String::from_utf8_lossy(name)), 80))
            .collect();
        if names.is_empty() {
            return Err(Error::child(format!("{} cannot be rebased: {}", plan.short(), said.words)));
        }
        let shown = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        return Err(Error::refused(format!(
            "{} in {} ({shown}) when {} is put on {}: rebase {} yourself, then land",
            count(names.len(), "conflict"),
            plan.short(),
            cut_end(&one_line(&stopped), 80),
            plan.base,
            plan.short()
        )));
    }
    scratch.tip("HEAD")?.ok_or_else(|| Error::missing("the rebase left no commit"))
}

/// A rebase leaves merges out, and with them what only they changed: then nothing lands.
fn holds_merges(plan: &Plan, scratch: &Repository, upstream: &str, new: &str) -> Result<()> {
    let merges = scratch.act(&["rev-list", "--merges", "-n", "1", &format!("{upstream}..{}", plan.tip)])?;
    if merges.is_empty() {
        return Ok(());
    }
    let merged = scratch.line(&["merge-tree", "--write-tree", upstream, &plan.tip])?;
    let rebased = scratch.line(&["rev-parse", &format!("{new}^{{tree}}")])?;
    match merged == rebased {
        true => Ok(()),
        false => Err(Error::refused(format!(
            "{} holds merges that a rebase does not carry over: rebase it on {} yourself, then land",
            plan.short(),
            plan.base
        ))),
    }
}

/// All changes since `upstream` as one commit: its message names each of them, its author is the last one's.
fn squashed(scratch: &Repository, upstream: &str, new: &str) -> Result<String> {
    let out = scratch.act(&["log", "--reverse", "--format=%s", &format!("{upstream}..{new}")])?;
    let subjects: Vec<String> = String::from_utf8_lossy(&out).lines().map(str::to_string).collect();
    let message = match subjects.as_slice() {
        [_] => String::from_utf8_lossy(&scratch.act(&["log", "-1", "--format=%B", new])?).into_owned(),
        all => {
            let listed: Vec<String> = all.iter().map(|subject| format!("* {subject}")).collect();
            let head = format!("{}\n\n{}\n", all.first().cloned().unwrap_or_default(), listed.join("\n"));
            // Who else wrote or signed them off is not forgotten.
            let range = format!("{upstream}..{new}");
            let out = scratch.act(&["log", "--reverse", "--format=%(trailers:only,unfold)", &range])?;
            let mut trailers: Vec<String> = Vec::new();
            for line in String::from_utf8_lossy(&out).lines().filter(|line| !line.is_empty()) {
                if !trailers.iter().any(|trailer| trailer == line) {
                    trailers.push(line.to_string());
                }
            }
            if trailers.is_empty() { head } else { format!("{head}\n{}\n", trailers.join("\n")) }
        }
    };
    let out = scratch.act(&["log", "-1", "--format=%an%n%ae%n%aI", new])?;
    let text = String::from_utf8_lossy(&out);
    let names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"];
    let author: Vec<(&str, &OsStr)> = names.into_iter().zip(text.lines().map(OsStr::new)).collect();
    let tree = format!("{new}^{{tree}}");
    let mut words = vec!["commit-tree", &tree, "-p", upstream, "-m", message.trim_end()];
    // Unlike commit and rebase it does not look at this setting.
    if scratch.line(&["config", "--type=bool", "--get", "commit.gpgSign"])?.as_deref() == Some("true") {
        words.push("-S");
    }
    let said = scratch.ask_with(&words, &author)?;
    match said.ok {
        true => Ok(String::from_utf8_lossy(&said.out).trim().to_string()),
        false => Err(Error::child(format!("git commit-tree failed: {}", said.words))),
    }
}
