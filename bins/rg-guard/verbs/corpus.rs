//! `test`: judges a file of labelled commands, and counts the wrong answers.

use crate::judge;
use crate::rules::{Context, Level};
use review_gate::donefile::Commands;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::files;
use review_gate::sys::text::{count, cut_end, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};

/// One line of the file.
#[derive(Deserialize)]
struct Row {
    cmd: String,
    /// `deny`, `ask`, `allow`, or `ask?` for an arguable command, which is not counted.
    expect: String,
    #[serde(default)]
    family: String,
}

/// Judges each row. The status is 1 where any answer differs from its label.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (mut file, mut as_json) = (None, false);
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Long(name) if name == "json" => as_json = true,
            Flag::Operand(word) if file.is_none() => file = Some(PathBuf::from(word)),
            flag => return Err(args.unknown(&flag)),
        }
    }
    let file = file.ok_or_else(|| args.wrong("no file"))?;
    let mut context = Context::at(args.dir()?);
    context.looks = false;
    let mut out = String::new();
    let (mut judged, mut wrong) = (0, 0);
    let mut unreadable = None;
    for (number, row) in rows(&file)? {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                unreadable = Some(error);
                break;
            }
        };
        let refusal = judge::judge(&row.cmd, &context, &Commands::default());
        let got = match &refusal {
            None => "allow",
            Some(refusal) if refusal.level == Level::Ask => "ask",
            Some(_) => "deny",
        };
        // In an unattended session a question is a denial.
        let is_right = match row.expect.as_str() {
            "deny" | "ask" => got != "allow",
            "allow" => got == "allow",
            _ => true,
        };
        judged += 1;
        wrong += usize::from(!is_right);
        let rule = refusal.map(|refusal| refusal.rule).unwrap_or_default();
        let answer = if rule.is_empty() { got.to_string() } else { format!("{got} by {rule}") };
        if as_json {
            let line = json!({"line": number, "cmd": row.cmd, "expect": row.expect, "got": got, "rule": rule, "family": row.family});
            out.push_str(&format!("{line}\n"));
        } else if !is_right {
            let command = cut_end(&one_line(&row.cmd), 120);
            out.push_str(&format!("{}:{}: {} expected, {answer}: {command}\n", file.display(), number, row.expect));
        }
    }
    if !as_json {
        out.push_str(&format!("{}, {wrong} wrong\n", count(judged, "command")));
    }
    pipes::write(out.as_bytes())?;
    // What was judged before a line that cannot be read is printed first.
    if let Some(error) = unreadable {
        return Err(error);
    }
    Ok(if wrong == 0 { Exit::Yes } else { Exit::No })
}

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 256 << 20;

/// The rows of a file, each with its line, from 1.
fn rows(file: &Path) -> Result<Vec<(usize, Result<Row>)>> {
    let missing = || Error::missing(format!("no such file: {}", file.display()));
    let bytes = files::read_following(file, MAX_FILE)?.ok_or_else(missing)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::usage(format!("{}: not UTF-8", file.display())))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let row = |(number, line): (usize, &str)| {
        let row = serde_json::from_str(line);
        (number, row.map_err(|e| Error::usage(format!("{}:{number}: {e}", file.display())).caused_by(e)))
    };
    Ok(lines.map(row).collect())
}
