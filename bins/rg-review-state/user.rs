//! `approve` and `adopt`: a user at a terminal approves the files, or takes over an external review.

use crate::verbs::{NAME, parse_options, task_and_event};
use review_gate::event::{ReviewState, Stage, Trust, Verdict};
use review_gate::store::receipt::Receipt;
use review_gate::store::record::{Approval, CheckedDecision, NewRecord, ReviewStep, Standing};
use review_gate::store::task::NO_OPEN_TASK;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::files;
use review_gate::sys::ids;
use review_gate::sys::limits;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;
use std::path::Path;

/// `approve`: approves exactly the current files; the outcome is `waived`.
pub fn approve(args: &mut Args) -> Result<Exit> {
    let options = parse_options(args, &["why"])?;
    if options.why.is_empty() {
        return Err(args.wrong("approve needs --why TEXT: the receipt records the reason"));
    }
    args.require_user("approve")?;
    let (event, workspace) = task_and_event(args, options.task)?;
    let snapshot = workspace.look(&event)?.digest();
    let Some(task) = &workspace.task else { return Err(Error::missing(NO_OPEN_TASK)) };
    let id = ids::ulid(&["approve", &task.id, &snapshot, &task.journal.lines().len().to_string()]);
    let approval =
        Approval { id: id.clone(), snapshot: snapshot.clone(), why: options.why, who: review_gate::sys::user::name() };
    task.append(NAME, NewRecord::new(approval).with_id(&id))?;
    let short = snapshot.get(..12).unwrap_or(&snapshot);
    pipes::write(
        format!("approved: snapshot {short} in task {}. Any later edit voids the approval.\n", task.id).as_bytes(),
    )?;
    Ok(Exit::Yes)
}

/// `adopt`: takes over the approval in a receipt of CI or of another user, if it is about exactly the current files.
pub fn adopt(args: &mut Args) -> Result<Exit> {
    let options = parse_options(args, &["why", ""])?;
    let [file] = options.names.as_slice() else {
        return Err(args.wrong("adopt needs one operand: the file of a receipt"));
    };
    if options.why.is_empty() {
        return Err(args.wrong("adopt needs --why TEXT: the receipt records the reason"));
    }
    args.require_user("adopt")?;
    let bytes = files::try_read(Path::new(file), limits::RECEIPT)
        .ok_or_else(|| Error::usage(format!("unable to read {file}")))?;
    let receipt =
        Receipt::parse(&bytes, Path::new(file)).map_err(|_| Error::usage(format!("not a receipt: {file}")))?;
    let passed = receipt.verdicts.iter().any(|one| one.by == Stage::ReviewState && one.verdict == Verdict::Pass);
    let Some(review) = receipt.review.filter(|review| passed && review.state == ReviewState::Approved) else {
        return Err(Error::usage(format!("the receipt records no approval by a reviewer: {file}")));
    };
    let (event, workspace) = task_and_event(args, options.task)?;
    let snapshot = workspace.look(&event)?.digest();
    if review.snapshot.as_ref() != Some(&snapshot) {
        return Err(Error::usage(format!(
            "the receipt is about other files than those in the working tree ({}): {file}",
            snapshot.get(..12).unwrap_or("")
        )));
    }
    let Some(task) = &workspace.task else { return Err(Error::missing(NO_OPEN_TASK)) };
    let given = CheckedDecision {
        snapshot: Some(snapshot),
        trust: Some(Trust::External),
        standing: Standing::Approved,
        why: format!("adopted by {}: {}", review_gate::sys::user::name(), options.why),
        summary: review.summary,
        ..CheckedDecision::new(format!("{} (receipt {})", review.by.unwrap_or_default(), receipt.id), review.request)
    };
    task.append(NAME, ReviewStep::Decided(given))?;
    pipes::write(format!("adopted the review of receipt {} in task {}\n", receipt.id, task.id).as_bytes())?;
    Ok(Exit::Yes)
}
