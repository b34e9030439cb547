//! donegate's definitions of done. They are valid here as they are, so the YAML is taken over unchanged.

use crate::{TOOL, destination, trial};
use review_gate::donefile::{self, FoundDonefile};
use review_gate::event::CheckEnd;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, one_line};
use review_gate::tool::{cli, pipes};
use std::path::Path;

/// Writes DONE.md from the definition of donegate, and reports which of its checks pass here.
pub fn run(root: &Path, is_dry: bool) -> Result<Exit> {
    let missing = || Error::usage(format!("--from donegate: none of {} is here", donefile::NAMES.join(", ")));
    let found = donefile::at(root)?.ok_or_else(missing)?;
    let done = donefile::parse(found.name, &found.bytes, root)?;
    if found.name == "DONE.md" {
        let text = "DONE.md is valid for review-gate as it is: nothing to write. Read it with `rg-check --validate`\n";
        pipes::write(text.as_bytes())?;
        return Ok(Exit::Yes);
    }
    let text = text(&found);
    let same = donefile::parse("DONE.md", text.as_bytes(), root);
    if !same.is_ok_and(|same| same == done) {
        let why = "cannot stand in a Markdown file, perhaps because of a line with three backquotes";
        return Err(Error::refused(format!("{}: its YAML {why}. Write DONE.md by hand", found.name)));
    }
    if is_dry {
        pipes::write(text.as_bytes())?;
        return Ok(Exit::Yes);
    }
    cli::progress(&format!("{}: running {} ...", TOOL.name, count(done.checks.len(), "check")));
    let time = done.checks.iter().map(|check| check.timeout).sum();
    let mut report = String::new();
    for ran in trial::try_definition(&text, root, time)? {
        let word = if ran.ended == CheckEnd::Passed { "passed" } else { "does not pass here, and stays in DONE.md" };
        report.push_str(&format!("{}: {}: {word}\n", one_line(&ran.name), one_line(&ran.run)));
    }
    destination::write(root, &text, false)?;
    report.push_str(&format!("wrote DONE.md from {0}. It takes precedence: remove {0}\n", found.name));
    pipes::write(report.as_bytes())?;
    Ok(Exit::Yes)
}

/// The YAML of a definition inside Markdown.
fn text(found: &FoundDonefile) -> String {
    let yaml = String::from_utf8_lossy(&found.bytes);
    let yaml = yaml.trim_start_matches('\u{feff}').trim_end();
    format!("# Definition of done\n\nrg-init took this over from {}, unchanged.\n\n```yaml\n{yaml}\n```\n", found.name)
}
