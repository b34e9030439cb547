//! `list` and `show`: print the backups, and the contents of one.

use crate::backups::Backups;
use review_gate::rescue::{Backup, Kind, REFS};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, cut_end, one_line, plain};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use serde_json::{Value, json};

/// Prints one line for each backup, the newest last.
pub fn list(args: &mut Args) -> Result<Exit> {
    let mut as_json = false;
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "json" => as_json = true,
            _ => return Err(args.unknown(&flag)),
        }
    }
    let backups = Backups::here(args)?;
    let line = |copy: &Backup| match as_json {
        true => fields(copy).map(|value| format!("{value}\n")),
        false => Ok(line(&backups, copy)),
    };
    let out: String = backups.all.iter().map(line).collect::<Result<_>>()?;
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

fn line(backups: &Backups, copy: &Backup) -> String {
    let about = &copy.info;
    let at = copy.at.local_minute_and_zone();
    let branch = about.branch.as_deref().map_or("-", |branch| branch.trim_start_matches("refs/heads/"));
    let mut what = vec![count(about.files, "file"), cut_end(&one_line(branch), 40)];
    if about.ignored {
        what.push("with ignored files".to_string());
    }
    if !about.why.is_empty() {
        what.push(cut_end(&one_line(&about.why), 100));
    }
    if !backups.is_here(copy) {
        what.push(format!("of {}", one_line(&about.worktree)));
    }
    format!("{} {at} {}\n", copy.id, what.join(", "))
}

fn fields(copy: &Backup) -> Result<Value> {
    let mut value = json!({"id": copy.id, "at": copy.at, "ref": format!("{REFS}/{}", copy.id), "commit": copy.commit});
    let about = serde_json::to_value(&copy.info).map_err(|e| Error::stream("write", e))?;
    if let (Some(fields), Value::Object(about)) = (value.as_object_mut(), about) {
        fields.extend(about);
    }
    Ok(value)
}

/// Prints one backup, and how it differs from the commit that was checked out.
pub fn show(args: &mut Args) -> Result<Exit> {
    let (mut as_json, mut id) = (false, None);
    while let Some(flag) = args.flag()? {
        match &flag {
            Flag::Long(name) if name == "json" => as_json = true,
            Flag::Operand(word) if id.is_none() => id = Some(word.clone()),
            _ => return Err(args.unknown(&flag)),
        }
    }
    let backups = Backups::here(args)?;
    let copy = backups.one(id.as_deref())?;
    let out = if as_json { format!("{}\n", fields(copy)?) } else { description(&backups, copy)? };
    pipes::write(out.as_bytes())?;
    Ok(Exit::Yes)
}

fn description(backups: &Backups, copy: &Backup) -> Result<String> {
    let about = &copy.info;
    let by = if about.by.is_empty() { "-".to_string() } else { one_line(&about.by) };
    let mut out = format!("{}, saved {} by {by}\n", copy.id, copy.at.local());
    let mut line = |name: &str, text: Option<&str>| {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            out.push_str(&format!("{name} {}\n", one_line(text)));
        }
    };
    line("why", Some(&about.why));
    line("worktree", Some(&about.worktree));
    line("branch", about.branch.as_deref());
    line("head", about.head.as_deref());
    line("under way", about.under_way.as_deref());
    line("ref", Some(&format!("{REFS}/{}", copy.id)));
    line("files", Some(&about.files.to_string()));
    for odd in backups.beside(copy)?.not_copied() {
        let why = if odd.kind == Kind::Repository { "another repository" } else { "cannot be copied" };
        line("not included", Some(&format!("{}: {why}", odd.path.to_string_lossy())));
    }
    // The difference to the commit, with git's status letters.
    let options = ["diff-tree", "-r", "--no-renames", "--name-status", "--no-commit-id", "--end-of-options"];
    let changes = match &about.head {
        Some(head) => backups.store.git.git(&[&options[..], &[head, &copy.commit]].concat())?,
        None => backups.store.git.git(&["ls-tree", "-r", "--name-only", "--full-tree", &copy.commit])?,
    };
    out.push_str(&plain(&changes));
    Ok(out)
}
