//! The base as the remote has it: fetched into a reference of our own, and moved only from where we saw it.

use crate::plan::Plan;
use review_gate::error::{Error, Result};
use review_gate::ids;
use review_gate::text::count;

/// What became of a push.
pub enum Pushed {
    /// The base holds it.
    Landed,
    /// Somebody was faster; where the base is now.
    Lost(String),
}

/// Where the base was seen last, in a reference of our own.
fn seen(plan: &Plan) -> String {
    let remote = plan.remote.as_ref().map_or("local", |(name, _)| name);
    format!("refs/review-gate/upstream/{}/{}", ids::file_name(remote), ids::file_name(&plan.base))
}

/// The base's commit now. Nothing but a reference of ours is moved.
pub fn fetch(plan: &Plan) -> Result<String> {
    let Some((remote, branch)) = &plan.remote else {
        let tip = plan.repository.tip(&plan.local_base())?;
        return tip.ok_or_else(|| Error::usage(format!("no such branch: {}", plan.base)));
    };
    let seen = seen(plan);
    let to = format!("+{branch}:{seen}");
    let words = [
        "fetch",
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
    let fetched = plan.repository.ask(&words)?;
    if !fetched.ok {
        let listed = plan.repository.ask(&["ls-remote", "--quiet", "--", remote, branch])?;
        return Err(match listed.ok && listed.out.is_empty() {
            true => Error::refused(format!("{remote} has no {}: push the base there first", plan.base)),
            false => Error::unjudged(format!("{remote} cannot be reached, nothing was changed: {}", fetched.words)),
        });
    }
    plan.repository.tip(&seen)?.ok_or_else(|| Error::unjudged(format!("{remote} sent no {}", plan.base)))
}

/// The base may only have grown since the branch went off. What the branch holds of it and the base holds no more was
/// rewritten there, or never pushed: neither is ours to land.
pub fn is_grown(plan: &Plan, upstream: &str) -> Result<()> {
    let git = &plan.repository;
    if git.line(&["merge-base", upstream, &plan.tip])?.is_none() {
        let text = format!("{} and {} have nothing in common (a shallow clone?): not landed", plan.short(), plan.base);
        return Err(Error::refused(text));
    }
    let mut known: Vec<String> = plan.fork.iter().cloned().collect();
    if let Some((remote, branch)) = &plan.remote {
        let tracking = format!("refs/remotes/{remote}/{}", branch.trim_start_matches("refs/heads/"));
        known.extend(git.line(&["rev-parse", "--verify", "--quiet", &format!("{tracking}@{{1}}")])?);
        known.extend(git.tip(&plan.local_base())?);
    }
    for commit in known {
        // A record may name what is not here any more.
        let Some(common) = git.line(&["merge-base", &commit, &plan.tip])? else { continue };
        if !git.descends(upstream, &common)? {
            let range = format!("{upstream}..{common}");
            let n = git.line(&["rev-list", "--count", &range])?.and_then(|n| n.parse().ok()).unwrap_or(1);
            return Err(Error::refused(format!(
                "{} holds {} of {} that its remote does not have (never pushed, or rewritten there): push them, or rebase the branch, then land",
                plan.short(),
                count(n, "commit"),
                plan.base
            )));
        }
    }
    Ok(())
}

/// Moves the base from `old` to `new`, which descends from it; or says who was faster. A refusal by the remote is an error.
pub fn push(plan: &Plan, old: &str, new: &str) -> Result<Pushed> {
    let Some((remote, branch)) = &plan.remote else { return move_local(plan, old, new) };
    let lease = format!("--force-with-lease={branch}:{old}");
    let refspec = format!("{new}:{branch}");
    let mut words = vec!["push", "--quiet", "--atomic", "--no-follow-tags", "--recurse-submodules=check", &lease];
    words.extend(["--", remote, &refspec]);
    let pushed = plan.repository.ask(&words)?;
    if pushed.ok {
        return Ok(Pushed::Landed);
    }
    // What a broken connection did is for the remote to say.
    let now = fetch(plan).map_err(|error| {
        Error::unjudged(format!("it is not known whether it landed, run it again: {} ({error})", pushed.words))
    })?;
    if plan.repository.descends(&now, new)? {
        Ok(Pushed::Landed)
    } else if now == old {
        Err(Error::refused(format!("{remote} refused it: {}", pushed.words)))
    } else {
        Ok(Pushed::Lost(now))
    }
}

/// Without a remote the base is moved here: with its files where it is checked out, else only from where it was.
fn move_local(plan: &Plan, old: &str, new: &str) -> Result<Pushed> {
    let left = crate::local::move_base(plan, new)?;
    let now = fetch(plan)?;
    if now == new || plan.repository.descends(&now, new)? {
        Ok(Pushed::Landed)
    } else if now == old {
        Err(Error::refused(format!("not landed: {}", left.unwrap_or_default())))
    } else {
        Ok(Pushed::Lost(now))
    }
}
