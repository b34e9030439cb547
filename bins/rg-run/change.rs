//! A patch of an agent: applied by rg-patch, and the files that an agent may read before it writes one.

use crate::settings::Place;
use review_gate::review::diff::DenyList;
use review_gate::store::record::RunStart;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::limits;
use review_gate::sys::process::{self, Command};
use review_gate::sys::redact::redact;
use review_gate::sys::text::{cut_middle, plain};
use std::path::{Component, Path};
use std::time::Duration;

/// How many bytes of files a round may hand over.
pub const MOST_BYTES: usize = 256 << 10;

/// How often a round may ask for files.
pub const MOST_ASKS: usize = 3;

/// How long rg-patch may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// The longest refusal that the agent gets, in bytes.
const LONGEST_REFUSAL: usize = 3000;

/// Applies a patch. Returns why it was refused; None if it was applied.
pub fn apply(place: &Place, start: &RunStart, patch: &str) -> Result<Option<String>> {
    let bin = env::bin_dir().ok_or_else(|| Error::missing("unable to find the directory of this program"))?;
    let mut command = Command::new(bin.join("rg-patch"));
    if let Some(base) = &start.base {
        command.args(["--against", base]);
    }
    command.current_dir(&place.root).envs(env::own_variables());
    let said = process::output_with_input(command, patch.as_bytes().to_vec(), PATIENCE, limits::LINE)?;
    let words = || cut_middle(format!("{}{}", plain(&said.stdout), plain(&said.stderr)).trim(), LONGEST_REFUSAL);
    match said.code() {
        Some(0) => Ok(None),
        // Refused, or no patch: another answer may help.
        Some(1 | 100) => Ok(Some(words())),
        _ => Err(Error::child(format!("rg-patch failed: {}", words()))),
    }
}

/// The contents of files that an agent asked for, in at most `room` bytes. What it may not read is named with the reason.
pub fn contents(place: &Place, paths: &[String], room: usize) -> String {
    let deny = place.done.as_ref().map(|done| done.guards.deny.clone()).unwrap_or_default();
    let deny = DenyList::new(&deny);
    let mut text = String::new();
    for name in paths {
        let left = room.saturating_sub(text.len());
        let content = match content(place, name, &deny) {
            Ok(content) if content.len() + 200 > left => Err("the files of this round are too long".to_string()),
            other => other,
        };
        let shown = review_gate::sys::text::one_line(&review_gate::sys::text::cut_end(name, 200));
        match content {
            Ok(content) => {
                text += &format!("## {shown}\n\n");
                content.lines().for_each(|line| text += &format!("| {line}\n"));
                text.push('\n');
            }
            Err(why) if left > 400 => text += &format!("## {shown}: not shown: {why}\n\n"),
            Err(_) => {}
        }
    }
    text
}

fn content(place: &Place, name: &str, deny: &DenyList) -> std::result::Result<String, String> {
    let path = Path::new(name);
    if name.is_empty() || !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err("no path below the root".to_string());
    }
    let why = deny.why(name);
    if !why.is_empty() {
        return Err(why.to_string());
    }
    // Through a link, a path may lead anywhere.
    let root = std::fs::canonicalize(&place.root).map_err(|_| "the root is gone".to_string())?;
    let real = std::fs::canonicalize(root.join(path)).map_err(|_| "no such file".to_string())?;
    if real != root.join(path.components().collect::<std::path::PathBuf>()) {
        return Err("it is reached through a link".to_string());
    }
    if real.components().any(|part| part.as_os_str() == ".git") {
        return Err("it belongs to git".to_string());
    }
    let bytes = files::read(&real, MOST_BYTES as u64).map_err(|_| "it cannot be read, or is too long".to_string())?;
    let text = String::from_utf8(bytes.unwrap_or_default()).map_err(|_| "it is not UTF-8".to_string())?;
    Ok(redact(&text))
}
