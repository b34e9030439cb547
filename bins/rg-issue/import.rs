//! `import`: issues of other programs.

use crate::options::{Options, store};
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, one_line};
use review_gate::talk::issue::import;
use review_gate::tool::body;
use review_gate::tool::cli::{self, Args};
use review_gate::tool::pipes;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Adds the issues in a file, in the directory of another program, or on standard input.
pub fn import(args: &Args, options: &Options) -> Result<Exit> {
    let [path] = options.operands(args, ["path"])?;
    let text = body::read(args, None, Some(&file(Path::new(path))?))?;
    let found = import::read(&text)?;
    let added = store(args)?.add(&found.changes)?;
    if !options.quiet {
        if found.skipped > 0 {
            let skipped = count(found.skipped, "entry");
            cli::print_error(args.tool, &format!("warning: skipped {skipped} that cannot be read"));
        }
        for (what, number) in &found.left_out {
            cli::print_error(args.tool, &format!("warning: left out: {} ({number})", one_line(what)));
        }
    }
    let (issues, known) = (found.issues, found.changes.len() - added);
    let line = match (options.json, options.quiet) {
        (true, _) => {
            format!("{}\n", json!({"issues": issues, "added": added, "known": known, "skipped": found.skipped}))
        }
        (false, true) => String::new(),
        (false, false) => format!("{}: {} added, {known} known\n", count(issues, "issue"), count(added, "change")),
    };
    pipes::write(line.as_bytes())?;
    Ok(Exit::Yes)
}

/// The file of issues at `path`: itself, or that of tissue or beads in it.
fn file(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_path_buf());
    }
    let inside = ["issues.jsonl", ".tissue/issues.jsonl", ".beads/issues.jsonl", "beads.jsonl", ".beads/beads.jsonl"];
    let found = inside.iter().map(|name| path.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| Error::usage(format!("{} has no issues.jsonl", path.display())))
}
