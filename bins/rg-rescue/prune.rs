//! `prune`: removes old backups.

use crate::backups::Backups;
use review_gate::rescue::{Backup, KEEP, LONGEST};
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// Removes the backups that are older than a duration and not among the last ones of their worktree.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (mut dry_run, mut keep, mut longest) = (false, KEEP, LONGEST);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "dry-run" => dry_run = true,
            Flag::Long(name) if name == "keep" => {
                let word = args.value()?;
                keep = word.parse().map_err(|_| args.wrong(&format!("--keep: not a number: {word:?}")))?;
            }
            Flag::Long(name) if name == "older" => {
                let word = args.value()?;
                let parsed = if word == "0" { Some(0.0) } else { clock::parse_duration(&word) };
                longest = parsed.ok_or_else(|| args.wrong(&format!("--older: not a duration: {word:?}")))?;
            }
            _ => return Err(args.unknown(&flag)),
        }
    }
    let backups = Backups::here(args)?;
    let all = backups.store.list()?;
    let old = backups.store.expired(keep, longest)?;
    let ids: Vec<String> = old.iter().map(|copy| copy.id.clone()).collect();
    if !dry_run && !ids.is_empty() {
        args.require_user("prune")?;
        backups.store.remove(&ids)?;
    }
    let word = if dry_run { "would remove" } else { "removed" };
    let mut out: String = old.iter().map(|copy| format!("{word} {} {}\n", copy.id, one_line(&copy.info.why))).collect();
    out.push_str(&kept(&all, &ids, keep, longest));
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

/// How many backups are kept, and why: those that are young, and of the others the last ones of their worktree.
fn kept(all: &[Backup], removed: &[String], keep: usize, longest: f64) -> String {
    let now = clock::now();
    let kept: Vec<&Backup> = all.iter().filter(|backup| !removed.contains(&backup.id)).collect();
    let young = kept.iter().filter(|backup| now.since(backup.at) <= longest).count();
    let reasons = [
        (young, format!("not older than {}", clock::human(longest))),
        (kept.len() - young, format!("among the last {keep} of its worktree")),
    ];
    let reasons = reasons.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect::<Vec<_>>();
    match kept.len() {
        0 => "kept no backup\n".into(),
        n => format!("kept {}: {}\n", count(n, "backup"), reasons.join(", ")),
    }
}
