//! The workflow that judges pull requests in CI: written if there is none, and removed if nobody changed it.

use crate::{Request, preview};
use review_gate::git::Repository;
use review_gate::sys::digest::sha256;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::tool::cli;
use review_gate::tool::pipes;
use std::fs;
use std::path::Path;

/// Where it is, relative to the top of the working tree.
const PATH: &str = ".github/workflows/review-gate.yml";

/// The largest workflow that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// How its first line begins. The digest of the rest follows.
const MARK: &str = "# Written by `rg-install ci`. Remove it with `rg-install ci --uninstall`. sha256 of the rest: ";

/// The workflow. `VERSION` and `REPOSITORY` stand for those of this program.
const WORKFLOW: &str = include_str!("workflow.yml");

/// Writes the workflow, or removes it.
pub fn edit(top: &Path, request: &Request) -> Result<()> {
    if Repository::find(top).is_none() {
        return Err(Error::usage(format!("no git repository in {}", top.display())));
    }
    let path = top.join(PATH);
    let bytes = files::read(&path, LIMIT)?;
    let before = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let is_own = before.as_deref().is_none_or(is_unchanged);
    let after = (!request.removes).then(text);
    if !is_own && before != after {
        let what = "it was not written by this program, or was changed since";
        return Err(Error::usage(format!(
            "unable to replace {}: {what}. Move it away, or edit it yourself",
            path.display()
        )));
    }
    if request.is_dry {
        return pipes::write(preview::difference(PATH, before.as_deref(), after.as_deref()).as_bytes());
    }
    let shown = path.display();
    let said = match (&before, &after) {
        (None, None) => format!("no workflow of review-gate: {shown}\n"),
        (Some(_), None) => {
            fs::remove_file(&path).map_err(|error| Error::io("remove", &path, &error))?;
            // A directory that holds something else stays.
            for dir in path.ancestors().skip(1).take(2) {
                let _ = fs::remove_dir(dir);
            }
            format!("removed {shown}\n")
        }
        (before, Some(_)) if *before == after => format!("already there: {shown}\n"),
        (_, Some(text)) => {
            let parent = path.parent().unwrap_or(top);
            fs::create_dir_all(parent).map_err(|error| Error::io("make", parent, &error))?;
            files::write_whole(&path, text.as_bytes(), true)?;
            format!(
                "wrote {shown}: pull requests are judged against their base; the findings go to code scanning, the report becomes a comment\n\
                 Commit it. It needs a DONE.md, and installs review-gate on the runner with cargo if it is not there.\n"
            )
        }
    };
    pipes::write(said.as_bytes())
}

/// The text of the file.
fn text() -> String {
    let rest = WORKFLOW.replace("VERSION", cli::VERSION).replace("REPOSITORY", env!("CARGO_PKG_REPOSITORY"));
    format!("{MARK}{}\n{rest}", sha256(rest.as_bytes()))
}

/// Whether a file is as a version of this program wrote it.
fn is_unchanged(text: &str) -> bool {
    let parts = text.strip_prefix(MARK).and_then(|rest| rest.split_once('\n'));
    parts.is_some_and(|(digest, rest)| sha256(rest.as_bytes()) == digest)
}
