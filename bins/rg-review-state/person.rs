//! What a person at a terminal may do: approve files themselves, or take over a review that was given elsewhere.

use crate::verbs::{NAME, asked, looked_up};
use review_gate::before;
use review_gate::cli::Args;
use review_gate::env;
use review_gate::error::{Error, Result};
use review_gate::event::Trust;
use review_gate::exit::Exit;
use review_gate::review::record::Standing;
use review_gate::wire;
use serde_json::{Value, json};
use std::path::Path;

/// `approve`: these files, and no others; the word is `waived`.
pub fn approve(args: &mut Args) -> Result<Exit> {
    let asked = asked(args, &["why"])?;
    if asked.why.is_empty() {
        return Err(args.wrong("approve wants --why: it stands in the receipt"));
    }
    args.by_a_person("approve")?;
    let (event, basis) = looked_up(args, asked.task)?;
    let snapshot = basis.look(&event)?.digest();
    let Some(task) = &basis.task else { return Err(Error::unjudged("no task")) };
    let record = json!({"snapshot": snapshot, "why": asked.why, "who": env::user()});
    task.state.append(&task.state.task(&task.id), NAME, "approve", record)?;
    let short = snapshot.get(..12).unwrap_or(&snapshot);
    wire::write(
        format!("approved: snapshot {short} in task {}; one more edit, and it does not count\n", task.id).as_bytes(),
    )?;
    Ok(Exit::Yes)
}

/// `adopt`: a receipt of CI or of another user, in which a reviewer approved these very files.
pub fn adopt(args: &mut Args) -> Result<Exit> {
    let asked = asked(args, &["why", ""])?;
    let [file] = asked.names.as_slice() else { return Err(args.wrong("adopt wants one file: a receipt")) };
    if asked.why.is_empty() {
        return Err(args.wrong("adopt wants --why: it stands in the receipt"));
    }
    args.by_a_person("adopt")?;
    let bytes =
        before::read_now(Path::new(file), 16 << 20).ok_or_else(|| Error::usage(format!("unable to read {file}")))?;
    let receipt: Value =
        serde_json::from_slice(&bytes).map_err(|e| Error::usage(format!("{file} is no receipt: {e}")))?;
    let text = |path: &str| receipt.pointer(path).and_then(Value::as_str).unwrap_or("").to_string();
    let is_receipt = ["/id", "/event", "/outcome", "/by_tool"].iter().all(|path| !text(path).is_empty());
    let verdicts = receipt.pointer("/verdicts").and_then(Value::as_array).cloned().unwrap_or_default();
    let passed = verdicts.iter().any(|verdict| verdict["by"] == NAME && verdict["verdict"] == "pass");
    if !is_receipt {
        return Err(Error::usage(format!("{file} is no receipt")));
    }
    if text("/review/state") != "approved" || !passed {
        return Err(Error::usage(format!("{file}: no reviewer approved there")));
    }
    let (event, basis) = looked_up(args, asked.task)?;
    let snapshot = basis.look(&event)?.digest();
    if text("/review/snapshot") != snapshot {
        return Err(Error::usage(format!(
            "{file} is about other files than those that lie here ({})",
            snapshot.get(..12).unwrap_or("")
        )));
    }
    let Some(task) = &basis.task else { return Err(Error::unjudged("no task")) };
    let record = json!({
        "state": "decided",
        "packet": text("/review/packet"),
        "snapshot": snapshot,
        "by": format!("{} (receipt {})", text("/review/by"), text("/id")),
        "trust": Trust::External,
        "standing": Standing::Approved,
        "why": format!("taken over by {}: {}", env::user(), asked.why),
        "summary": text("/review/summary"),
    });
    task.state.append(&task.state.task(&task.id), NAME, "review", record)?;
    wire::write(format!("adopted: the review of receipt {} in task {}\n", text("/id"), task.id).as_bytes())?;
    Ok(Exit::Yes)
}
