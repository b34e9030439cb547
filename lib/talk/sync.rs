//! The exchange of messages and issues with other clones, through a reference of a git remote that is no branch.
//!
//! The reference holds a commit with the files of the talk. An exchange adds the lines that are only there to the files here, and pushes
//! the lines of both if the reference has not moved. Killed between any two steps, it has lost nothing: the next one goes on.

use super::directory::TalkDir;
use super::lines;
use crate::git::Repository;
use crate::sys::digest;
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::text::count;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// The reference on the remote.
const REFERENCE: &str = "refs/review-gate/talk";

/// How often an exchange begins again because another clone was faster.
const ROUNDS: u32 = 40;

/// Who makes the commits. They say nothing about the lines, which name their senders.
const IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "review-gate"),
    ("GIT_AUTHOR_EMAIL", "review-gate"),
    ("GIT_COMMITTER_NAME", "review-gate"),
    ("GIT_COMMITTER_EMAIL", "review-gate"),
];

/// What an exchange did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// Lines that came from the remote.
    pub received: usize,
    /// Lines that the remote did not have.
    pub sent: usize,
}

impl Exchange {
    /// The line that a program prints.
    pub fn line(&self, as_json: bool) -> String {
        let Exchange { received, sent } = self;
        match as_json {
            true => format!("{}\n", json!({"received": received, "sent": sent})),
            false => format!("received {}, sent {}\n", count(*received, "line"), count(*sent, "line")),
        }
    }
}

/// The remote that an operand names; by default `origin`.
pub fn remote(operands: &[String]) -> Result<&str> {
    match operands {
        [] => Ok("origin"),
        [name] if !name.is_empty() && !name.starts_with('-') => Ok(name),
        [name] => Err(Error::usage(format!("{name:?} is not the name of a remote"))),
        [_, extra, ..] => Err(Error::usage(format!("unexpected operand {extra:?}"))),
    }
}

/// Exchanges the messages and issues with the remote of that name. Errors: git cannot reach it, or refuses the push.
pub fn exchange(repository: &Repository, talk: &TalkDir, remote: &str) -> Result<Exchange> {
    let mut done = Exchange::default();
    for round in 1..=ROUNDS {
        let there = fetch(repository, remote)?;
        let theirs = match &there {
            Some(commit) => read(repository, commit)?,
            None => BTreeMap::new(),
        };
        env::crash_point();
        done.received += receive(talk, &theirs)?;
        env::crash_point();
        let ours = all(talk)?;
        let number = |files: &Files| files.values().map(BTreeSet::len).sum::<usize>();
        if ours == theirs {
            return Ok(done);
        }
        let commit = commit(repository, &ours, there.as_deref())?;
        env::crash_point();
        if push(repository, remote, &commit, there.as_deref())? {
            done.sent = number(&ours).saturating_sub(number(&theirs));
            return Ok(done);
        }
        // Another clone was faster.
        pause(round);
    }
    Err(Error::changed(format!("other clones pushed to {remote} {ROUNDS} times meanwhile: try again")))
}

/// The lines of each file by its name, sorted, so that the same lines always make the same commit.
type Files = BTreeMap<String, BTreeSet<Vec<u8>>>;

/// Whether a file of that name belongs to the talk.
fn is_ours(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    let is_topic = || name.starts_with("topic-") && name.ends_with(".jsonl") && name.len() < 100;
    matches!(name, "issues.jsonl" | "issues-old.jsonl") || is_topic() && name.chars().all(is_plain)
}

/// Keeps a line if it is a record: a conflict marker or half a line is not worth a journey.
fn add(lines: &mut BTreeSet<Vec<u8>>, line: &[u8]) {
    if lines::id_of(line).is_some() {
        lines.insert(line.to_vec());
    }
}

/// The files here.
fn all(talk: &TalkDir) -> Result<Files> {
    let mut found = Files::new();
    let issues = ["issues.jsonl", "issues-old.jsonl"].map(|name| talk.path().join(name));
    for path in talk.files()?.into_iter().chain(issues) {
        let Some(name) = path.file_name().and_then(OsStr::to_str).filter(|name| is_ours(name)) else { continue };
        let mut lines = BTreeSet::new();
        lines::each_line(&path, |line| add(&mut lines, line))?;
        if !lines.is_empty() {
            found.insert(name.to_string(), lines);
        }
    }
    Ok(found)
}

/// Adds the lines that are not here. Returns how many. What was set aside here does not come back to the first file of issues.
fn receive(talk: &TalkDir, theirs: &Files) -> Result<usize> {
    let mut received = 0;
    for (name, there) in theirs {
        let path = talk.path().join(name);
        let also: &[&str] = if name.starts_with("issues") { &["issues.jsonl", "issues-old.jsonl"] } else { &[] };
        let also: Vec<PathBuf> = also.iter().map(|name| talk.path().join(name)).collect();
        if !there.is_empty() {
            talk.make()?;
            received += lines::append_missing(&path, &also, there.iter().map(Vec::as_slice))?;
        }
    }
    Ok(received)
}

/// The commit on the remote, whose objects are here afterwards; None if nobody has pushed yet.
fn fetch(repository: &Repository, remote: &str) -> Result<Option<String>> {
    // A reference of our own keeps the objects, so that the next exchange fetches only what is new.
    let kept = format!("refs/review-gate/talk-of/{}", &digest::sha256(remote.as_bytes())[..16]);
    let refspec = format!("+{REFERENCE}:{kept}");
    let args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=", "--"];
    for round in 1..=ROUNDS {
        let fetched = repository.try_run(&[&args[..], &[remote, &refspec]].concat())?;
        if fetched.is_success {
            require_commit(repository, remote, &kept)?;
            return repository.tip(&kept);
        }
        // Another exchange in this clone moves the reference now.
        if fetched.message.contains("cannot lock ref") {
            pause(round);
            continue;
        }
        return match tip_there(repository, remote)? {
            None => Ok(None),
            Some(_) => Err(Error::child(format!("unable to fetch from {remote}: {}", fetched.message))),
        };
    }
    Err(Error::changed(format!("{kept} is locked: another exchange runs in this clone")))
}

/// Errors: what was fetched is no commit. Anybody who may push can put another object there.
fn require_commit(repository: &Repository, remote: &str, kept: &str) -> Result<()> {
    let kind = String::from_utf8_lossy(&repository.run(&["cat-file", "-t", kept])?).trim().to_string();
    if kind == "commit" {
        return Ok(());
    }
    let what = format!("{REFERENCE} of {remote} is a {kind}, not a commit with messages and issues");
    Err(Error::child(format!("{what}. Remove it: `git push {remote} --delete {REFERENCE}`. The messages here stay")))
}

/// Waits before the next try. Exchanges that wait for different times do not meet again.
fn pause(round: u32) {
    let spread = u64::from(std::process::id() % 50) + 1;
    std::thread::sleep(Duration::from_millis(spread * u64::from(round.min(10))));
}

/// The commit that the remote says it has.
fn tip_there(repository: &Repository, remote: &str) -> Result<Option<String>> {
    let listed = repository.try_run(&["ls-remote", "--quiet", "--", remote, REFERENCE])?;
    if !listed.is_success {
        let is_plain = !remote.contains(['/', ':']) && !repository.top.join(remote).exists();
        if is_plain && !repository.try_run(&["remote", "get-url", "--", remote])?.is_success {
            let how = format!("Add it: `git remote add {remote} URL`, or name another remote after `sync`");
            return Err(Error::missing(format!("no remote {remote:?}. {how}")));
        }
        return Err(Error::child(format!("unable to reach {remote}: {}", listed.message)));
    }
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(text.split_whitespace().next().map(str::to_string))
}

/// The files in a commit. Anything that is not a regular file of the talk is left out.
fn read(repository: &Repository, commit: &str) -> Result<Files> {
    let mut found = Files::new();
    let listed = repository.run(&["ls-tree", "-z", commit])?;
    for entry in listed.split(|byte| *byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok()) {
        let Some((object, name)) = entry.split_once('\t').filter(|(_, name)| is_ours(name)) else { continue };
        let Some(id) = object.strip_prefix("100644 blob ") else { continue };
        let bytes = repository.run(&["cat-file", "blob", id])?;
        let mut lines = BTreeSet::new();
        bytes.split(|byte| *byte == b'\n').for_each(|line| add(&mut lines, line.trim_ascii()));
        if !lines.is_empty() {
            found.insert(name.to_string(), lines);
        }
    }
    Ok(found)
}

/// Makes a commit with these files.
fn commit(repository: &Repository, all: &Files, parent: Option<&str>) -> Result<String> {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_string();
    let mut tree = String::new();
    for (name, lines) in all {
        let bytes = lines.iter().flat_map(|line| line.iter().copied().chain([b'\n'])).collect();
        let id = text(repository.feed(&["hash-object", "-w", "--stdin"], bytes)?);
        tree.push_str(&format!("100644 blob {id}\t{name}\n"));
    }
    let tree = text(repository.feed(&["mktree"], tree.into_bytes())?);
    let mut args = vec!["commit-tree", "--no-gpg-sign", "-m", "messages and issues", &tree];
    args.extend(parent.into_iter().flat_map(|parent| ["-p", parent]));
    let made = repository.try_run_with(&args, &IDENTITY.map(|(name, value)| (name, OsStr::new(value))))?;
    match made.is_success {
        true => Ok(text(made.stdout)),
        false => Err(Error::child(format!("git commit-tree failed: {}", made.message))),
    }
}

/// Pushes a commit if the reference is still where it was. Returns whether it was.
fn push(repository: &Repository, remote: &str, commit: &str, there: Option<&str>) -> Result<bool> {
    let lease = format!("--force-with-lease={REFERENCE}:{}", there.unwrap_or_default());
    let refspec = format!("{commit}:{REFERENCE}");
    // The user's hooks are about branches.
    let args =
        ["push", "--quiet", "--no-verify", "--no-signed", "--recurse-submodules=no", &lease, "--", remote, &refspec];
    let pushed = repository.try_run(&args)?;
    if pushed.is_success {
        return Ok(true);
    }
    // A push that lost its answer may still have succeeded.
    match tip_there(repository, remote)? {
        now if now.as_deref() == Some(commit) => Ok(true),
        now if now.as_deref() != there => Ok(false),
        // Two pushes at once can lock the reference against each other.
        _ if pushed.message.contains("lock") => Ok(false),
        _ => Err(Error::child(format!("unable to push to {remote}: {}", pushed.message))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_of_the_talk_are_taken_from_a_remote() {
        for name in ["topic-a.jsonl", "topic-a-b.0123456789abcdef.jsonl", "issues.jsonl", "issues-old.jsonl"] {
            assert!(is_ours(name), "{name}");
        }
        let long = format!("topic-{}.jsonl", "a".repeat(200));
        for name in ["topic-../x.jsonl", ".gitattributes", "topic-A.jsonl", "topic-a.jsonl\n", "x.jsonl", "", &long] {
            assert!(!is_ours(name), "{name:?}");
        }
    }
}
