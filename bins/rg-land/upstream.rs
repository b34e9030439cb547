//! The base as the remote has it: fetched into a reference of our own, and moved only from where we saw it.

use crate::plan::Plan;
use crate::remote::Remote;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use review_gate::sys::text::count;
use std::collections::BTreeSet;

/// What became of a push.
pub enum Pushed {
    /// The base holds it.
    Landed,
    /// Somebody was faster; where the base is now.
    Lost(String),
}

/// Where the base was seen last, in a reference of our own.
fn seen(plan: &Plan) -> String {
    let remote = plan.remote.as_ref().map_or("local", |remote| &remote.name);
    format!("refs/review-gate/upstream/{}/{}", ids::file_name(remote), ids::file_name(&plan.base))
}

/// The base's commit now. Nothing but a reference of ours is moved.
pub fn fetch(plan: &Plan) -> Result<String> {
    let Some(Remote { name: remote, branch, .. }) = &plan.remote else {
        let tip = plan.repository.tip(&plan.local_base())?;
        return tip.ok_or_else(|| Error::usage(format!("no such branch: {}", plan.base)));
    };
    let seen = seen(plan);
    let to = format!("+{branch}:{seen}");
    // The reference keeps a log: what the base once was and is no more must not come back. Those that follow the remote stay where
    // they are: they may be anything, a person's own branch too.
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
    let fetched = plan.repository.ask(&words)?;
    if !fetched.ok {
        let listed = plan.repository.ask(&["ls-remote", "--quiet", "--", remote, branch])?;
        return Err(match (listed.ok, listed.out.is_empty()) {
            (true, true) => Error::refused(format!("{remote} has no {}: push the base there first", plan.base)),
            (true, false) => {
                Error::child(format!("{} cannot be fetched, nothing was changed: {}", plan.base, fetched.words))
            }
            _ => Error::child(format!("{remote} cannot be reached, nothing was changed: {}", fetched.words)),
        });
    }
    plan.repository.tip(&seen)?.ok_or_else(|| Error::missing(format!("{remote} sent no {}", plan.base)))
}

/// The base may only have grown since the branch went off. What the branch holds of it and the base holds no more was
/// rewritten there, or never pushed: neither is ours to land.
pub fn is_grown(plan: &Plan, upstream: &str) -> Result<()> {
    let git = &plan.repository;
    if git.line(&["merge-base", upstream, &plan.tip])?.is_none() {
        let text = format!("{} and {} have nothing in common (a shallow clone?): not landed", plan.short(), plan.base);
        return Err(Error::refused(text));
    }
    let known = known(plan)?;
    if known.is_empty() {
        return Ok(());
    }
    let count_of = |out: Vec<u8>| String::from_utf8_lossy(&out).trim().parse::<usize>().ok();
    let own = count_of(git.act(&["rev-list", "--count", &format!("{upstream}..{}", plan.tip)])?);
    // A record may name what is not here any more.
    let words = ["rev-list", "--count", "--ignore-missing", "--stdin"];
    let not: String = known.iter().map(|name| format!("^{name}\n")).collect();
    let new = count_of(git.feed(&words, format!("{}\n^{upstream}\n{not}", plan.tip).into_bytes())?);
    let (Some(own), Some(new)) = (own, new) else { return Err(Error::child("git rev-list counts nothing")) };
    match own.saturating_sub(new) {
        0 => Ok(()),
        old => Err(Error::refused(format!(
            "{} holds {} of {} that its remote does not have (never pushed, or rewritten there): push them, or rebase the branch, then land",
            plan.short(),
            count(old, "commit"),
            plan.base
        ))),
    }
}

/// Everything that the base is known to have been: where the branch went off, what was seen at the remote, what is here.
fn known(plan: &Plan) -> Result<BTreeSet<String>> {
    let mut known: BTreeSet<String> = plan.fork.iter().cloned().collect();
    if let Some(remote) = &plan.remote {
        let seen = seen(plan);
        let follow = || remote.tracking.iter().map(String::as_str);
        let words: Vec<&str> =
            ["rev-list", "--ignore-missing", "--walk-reflogs", &seen].into_iter().chain(follow()).collect();
        // Without a log there is none to walk.
        let out = plan.repository.ask(&[&words[..], &["--"]].concat())?.out;
        known.extend(String::from_utf8_lossy(&out).lines().map(str::to_string));
        known.extend(follow().map(str::to_string));
        known.insert(plan.local_base());
    }
    Ok(known)
}

/// Moves the base from `old` to `new`, which descends from it; or says who was faster. A refusal by the remote is an error.
pub fn push(plan: &mut Plan, old: &str, new: &str) -> Result<Pushed> {
    let Some(remote) = &plan.remote else { return move_local(plan, old, new) };
    let Remote { name, branch, .. } = remote;
    let lease = format!("--force-with-lease={branch}:{old}");
    let refspec = format!("{new}:{branch}");
    let mut words = vec!["push", "--quiet", "--atomic", "--no-follow-tags", "--recurse-submodules=check", &lease];
    words.extend(["--", to(remote)?, &refspec]);
    let pushed = plan.repository.ask(&words)?;
    if pushed.ok {
        // Where it is pushed to may be another repository than the one it is fetched from.
        let is_there = remote.push_urls.is_empty() || plan.repository.descends(&fetch(plan)?, new)?;
        return match is_there {
            true => Ok(Pushed::Landed),
            false => Err(Error::unverified(format!(
                "it was pushed, but {name} does not have it: remote.{name}.pushurl is another repository than its url"
            ))),
        };
    }
    // What a broken connection did is for the remote to say.
    let now = fetch(plan).map_err(|error| {
        Error::unverified(format!("it is not known whether it landed, run it again: {} ({error})", pushed.words))
    })?;
    if plan.repository.descends(&now, new)? {
        Ok(Pushed::Landed)
    } else if now == old {
        // A hook of one's own says no in other words.
        let by_remote = ["rejected]", "remote: "].iter().any(|mark| pushed.words.contains(mark));
        let what = if by_remote { format!("{name} refused it") } else { format!("it was not pushed to {name}") };
        Err(Error::refused(format!("{what}: {}", pushed.words)))
    } else {
        Ok(Pushed::Lost(now))
    }
}

/// What git is to push to. To a remote by its name, unless git would then move references that are not there to follow it: those
/// may be a person's own branches.
fn to(remote: &Remote) -> Result<&str> {
    if remote.is_followed_apart() {
        return Ok(&remote.name);
    }
    match if remote.push_urls.is_empty() { &remote.urls[..] } else { &remote.push_urls[..] } {
        [url] => Ok(url),
        _ => Err(Error::refused(format!(
            "{} is fetched over branches of your own and has not one URL: not landed",
            remote.name
        ))),
    }
}

/// Without a remote the base is moved here: with its files where it is checked out, else only from where it was.
fn move_local(plan: &mut Plan, old: &str, new: &str) -> Result<Pushed> {
    plan.look_around()?;
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
