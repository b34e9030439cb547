//! `import`: the messages of a jwz store.

use crate::TOOL;
use crate::options::{Options, place};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, one_line};
use review_gate::talk::import::Store;
use review_gate::tool::cli::{self, Args};
use review_gate::tool::pipes;
use serde_json::json;
use std::path::{Path, PathBuf};

/// How many topics are named.
const NAMED: usize = 10;

/// Adds the messages of a store that the talk does not have.
pub fn import(args: &Args, options: &Options) -> Result<Exit> {
    let path = Path::new(options.operand(args, "jwz store")?);
    let (talk, _) = place(args)?;
    // `.` in the middle of a path would be in the messages.
    let path: PathBuf = args.dir()?.join(path).components().collect();
    let mut store = Store::read(&path)?;
    let (damaged, empty, database) = (store.damaged, std::mem::take(&mut store.empty), store.database.take());
    let imported = store.write(&talk)?;
    if options.json {
        let left_out = json!({"lines": damaged, "topics": empty, "database": database});
        let done = json!({"messages": imported.messages, "known": imported.known, "topics": imported.topics, "left_out": left_out});
        pipes::write(format!("{done}\n").as_bytes())?;
    } else if !options.quiet {
        let (messages, topics) = (count(imported.messages, "message"), count(imported.topics, "topic"));
        let known = if imported.known > 0 { format!("; {} known", imported.known) } else { String::new() };
        pipes::write(format!("imported {messages} of {topics}{known}\n").as_bytes())?;
    }
    if !options.quiet {
        let mut left_out = Vec::new();
        if damaged > 0 {
            left_out.push(format!("{} that cannot be read", count(damaged, "line")));
        }
        if !empty.is_empty() {
            let names: Vec<String> = empty.iter().take(NAMED).map(|name| one_line(name)).collect();
            let more = if empty.len() > NAMED { ", ..." } else { "" };
            left_out.push(format!("{} without a message: {}{more}", count(empty.len(), "topic"), names.join(", ")));
        }
        if let Some(database) = database {
            left_out.push(format!("the blobs in {}, if there are any", one_line(&database.to_string_lossy())));
        }
        if !left_out.is_empty() {
            cli::print_error(&TOOL, &format!("left out {}", left_out.join("; ")));
        }
    }
    Ok(Exit::Yes)
}
