//! The base at its remote: fetched into a reference of review-gate, and pushed only if the remote has not moved since.

use crate::local::Step;
use crate::plan::Plan;
use crate::remote::Remote;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use review_gate::sys::text::count;
use std::collections::BTreeSet;

/// The result of a push.
pub enum Pushed {
    /// The base contains the commit, and what was done for it.
    Landed(Step),
    /// Another push moved the base first; the base's commit now.
    Overtaken(String),
}

/// The name of review-gate's reference for the base as it was last fetched.
fn fetched_ref(plan: &Plan) -> String {
    let remote = plan.remote.as_ref().map_or("local", |remote| &remote.name);
    format!("refs/review-gate/upstream/{}/{}", ids::file_name(remote), ids::file_name(&plan.base))
}

/// Fetches the base and returns its commit. Moves only review-gate's own reference.
pub fn fetch(plan: &Plan) -> Result<String> {
    let Some(Remote { name: remote, branch, .. }) = &plan.remote else {
        let tip = plan.repository.tip(&plan.local_base())?;
        return tip.ok_or_else(|| Error::usage(format!("no such branch: {}", plan.base)));
    };
    let reference = fetched_ref(plan);
    let to = format!("+{branch}:{reference}");
    // The reference keeps a log, so that commits that were removed from the base are recognised later. The tracking references are
    // not moved: a refspec may name the user's own branches.
    let words = [
        "-c",
        "core.logAllRefUpdates=always",
        "fetch",
        "--refmap=",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--no-prune",
        "--no-prune-tags",
        "--",
        remote,
        &to,
    ];
    let fetched = plan.repository.try_run(&words)?;
    if !fetched.is_success {
        let listed = plan.repository.try_run(&["ls-remote", "--quiet", "--", remote, branch])?;
        return Err(match (listed.is_success, listed.stdout.is_empty()) {
            (true, true) => Error::refused(format!("{remote} has no branch {}. Push the base there first", plan.base)),
            (true, false) => {
                Error::child(format!("unable to fetch {}, nothing was changed: {}", plan.base, fetched.message))
            }
            _ => Error::child(format!("unable to reach {remote}, nothing was changed: {}", fetched.message)),
        });
    }
    plan.repository
        .tip(&reference)?
        .ok_or_else(|| Error::missing(format!("git fetch brought no {} from {remote}", plan.base)))
}

/// An error if the branch contains commits of the base that the remote's base does not have: they were never pushed, or were removed
/// there, and must not land with the branch.
pub fn refuse_unpushed(plan: &Plan, upstream: &str) -> Result<()> {
    let git = &plan.repository;
    if git.line(&["merge-base", upstream, &plan.tip])?.is_none() {
        let text = format!("not landed: {} and {} have no common ancestor (a shallow clone?)", plan.short(), plan.base);
        return Err(Error::refused(text));
    }
    let known = known_base(plan)?;
    if known.is_empty() {
        return Ok(());
    }
    let count_of = |out: Vec<u8>| String::from_utf8_lossy(&out).trim().parse::<usize>().ok();
    let own = count_of(git.run(&["rev-list", "--count", &format!("{upstream}..{}", plan.tip)])?);
    // The recorded fork point may name a commit that was removed here.
    let words = ["rev-list", "--count", "--ignore-missing", "--stdin"];
    let not: String = known.iter().map(|name| format!("^{name}\n")).collect();
    let new = count_of(git.feed(&words, format!("{}\n^{upstream}\n{not}", plan.tip).into_bytes())?);
    let (Some(own), Some(new)) = (own, new) else { return Err(Error::child("git rev-list printed no count")) };
    match own.saturating_sub(new) {
        0 => Ok(()),
        old => Err(Error::refused(format!(
            "{} contains {} of {} that its remote does not have (never pushed, or rewritten there). Push them or rebase the branch, then run rg-land again",
            plan.short(),
            count(old, "commit"),
            plan.base
        ))),
    }
}

/// All commits that the base is known to have had: the fork point, the logs of the fetched and tracking references, and the local
/// base.
fn known_base(plan: &Plan) -> Result<BTreeSet<String>> {
    let mut known: BTreeSet<String> = plan.fork.iter().cloned().collect();
    if let Some(remote) = &plan.remote {
        let reference = fetched_ref(plan);
        let tracking = || remote.tracking.iter().map(String::as_str);
        let words: Vec<&str> =
            ["rev-list", "--ignore-missing", "--walk-reflogs", &reference].into_iter().chain(tracking()).collect();
        // Without a log git fails, and there is nothing to add.
        let out = plan.repository.try_run(&[&words[..], &["--"]].concat())?.stdout;
        known.extend(String::from_utf8_lossy(&out).lines().map(str::to_string));
        known.extend(tracking().map(str::to_string));
        known.insert(plan.local_base());
    }
    Ok(known)
}

/// Moves the base from `old` to its descendant `new`, unless another push moved it first. A rejection by the remote is an error.
pub fn push(plan: &mut Plan, old: &str, new: &str) -> Result<Pushed> {
    let Some(remote) = &plan.remote else { return move_local(plan, old, new) };
    let Remote { name, branch, .. } = remote;
    let lease = format!("--force-with-lease={branch}:{old}");
    let refspec = format!("{new}:{branch}");
    let mut words = vec!["push", "--quiet", "--atomic", "--no-follow-tags", "--recurse-submodules=check", &lease];
    words.extend(["--", push_target(remote)?, &refspec]);
    let pushed = plan.repository.try_run(&words)?;
    if pushed.is_success {
        // `pushurl` may name another repository than `url`.
        let is_there = remote.push_urls.is_empty() || plan.repository.is_descendant(&fetch(plan)?, new)?;
        return match is_there {
            true => Ok(Pushed::Landed(Step::Done(format!("pushed {} to {name}", plan.base)))),
            false => Err(Error::unverified(format!(
                "the push succeeded, but {name} does not have the commit: remote.{name}.pushurl is another repository than remote.{name}.url"
            ))),
        };
    }
    // After a failed push only the remote knows whether the commit landed.
    let now = fetch(plan).map_err(|error| {
        Error::unverified(format!("unknown whether the commit landed. Run rg-land again: {} ({error})", pushed.message))
    })?;
    if plan.repository.is_descendant(&now, new)? {
        Ok(Pushed::Landed(Step::Nothing))
    } else if now == old {
        // A local pre-push hook fails without these words.
        let by_remote = ["rejected]", "remote: "].iter().any(|mark| pushed.message.contains(mark));
        let what = if by_remote { format!("{name} rejected the push") } else { format!("unable to push to {name}") };
        Err(Error::refused(format!("{what}: {}", pushed.message)))
    } else {
        Ok(Pushed::Overtaken(now))
    }
}

/// The target of the push: the remote's name, or its URL if git would otherwise move references outside of refs/remotes, which may be
/// the user's branches.
fn push_target(remote: &Remote) -> Result<&str> {
    if remote.has_only_remote_tracking() {
        return Ok(&remote.name);
    }
    match if remote.push_urls.is_empty() { &remote.urls[..] } else { &remote.push_urls[..] } {
        [url] => Ok(url),
        _ => Err(Error::refused(format!(
            "not landed: the refspec of {} updates local branches, and it does not have exactly one URL",
            remote.name
        ))),
    }
}

/// Without a remote: moves the local base, with its files if it is checked out.
fn move_local(plan: &mut Plan, old: &str, new: &str) -> Result<Pushed> {
    plan.refresh_worktrees()?;
    let step = crate::local::move_base(plan, new)?;
    let now = fetch(plan)?;
    if now == new || plan.repository.is_descendant(&now, new)? {
        Ok(Pushed::Landed(step))
    } else if now == old {
        let why = if let Step::Left(why) = step { why } else { format!("{} did not move", plan.base) };
        Err(Error::refused(format!("not landed: {why}")))
    } else {
        Ok(Pushed::Overtaken(now))
    }
}
