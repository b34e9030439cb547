//! What happened here: tasks, loops, waivers, denied calls, receipts, notices, and when each client was here last.

use crate::report::{DenialLine, LoopLine, ReceiptLine, Report, Seen, TaskLine, WaiverLine};
use review_gate::event::Client;
use review_gate::store::journal::{self, Journal};
use review_gate::store::loops::stack::Stack;
use review_gate::store::receipt::ReceiptFile;
use review_gate::store::record::{Body, FrameStep, Kind, Notice, Record, ShownNotices};
use review_gate::store::state::{State, files_by_age};
use review_gate::store::task::Task;
use review_gate::sys::clock::Time;
use review_gate::sys::text::{count, cut_end, one_line};
use std::collections::HashSet;

/// How many of the newest tasks are read.
const TASKS: usize = 8;

/// How many receipts and denied calls are shown.
const SHOWN: usize = 10;

/// The longest input and reason, in characters.
const WIDTH: usize = 100;

/// Reads the records of this repository. A journal that cannot be read is left out.
pub fn look(state: &State, report: &mut Report) {
    let files = files_by_age(&state.dir().join("tasks"));
    let ids: Vec<&str> = files.iter().rev().filter_map(|(_, path)| path.file_stem()?.to_str()).collect();
    let (newest, older) = ids.split_at(ids.len().min(TASKS));
    for task in newest.iter().filter_map(|id| Task::load(state, id).ok()?) {
        add_task(&task, report);
    }
    // A loop of an older task is one that rg-loop shows.
    let has_frames = |id: &&&str| {
        journal::search::<FrameStep>(&state.task(id), Kind::Frame.word()).is_ok_and(|steps| !steps.is_empty())
    };
    for task in older.iter().filter(has_frames).filter_map(|id| Task::load(state, id).ok()?) {
        add_loop(&task, report);
    }
    report.denials.sort_by_key(|denial| std::cmp::Reverse(denial.at));
    report.denials.truncate(SHOWN);
    let receipts = ReceiptFile::all(state);
    for receipt in receipts.iter().rev().take(SHOWN).filter_map(|file| file.receipt().ok()) {
        see(report, receipt.client, receipt.at);
        let why = cut_end(&one_line(&receipt.why), WIDTH);
        report.receipts.push(ReceiptLine { id: receipt.id, at: receipt.at, outcome: receipt.outcome, why });
    }
    let unread = unread(state);
    report.unread_notices = unread.len();
    if let Some(last) = unread.last() {
        let last = cut_end(&one_line(last), WIDTH);
        let text = format!("{} that no session start has shown: {last}", count(unread.len(), "notice"));
        report.problem("unread-notices", text, "start a session here: it shows them");
    }
}

fn add_task(task: &Task, report: &mut Report) {
    let records = || task.journal.records();
    let Some(at) = records().next().map(|(_, record)| record.envelope.at) else { return };
    let client = task.begin.client;
    if let Some(last) = records().map(|(_, record)| record.envelope.at).max() {
        see(report, client, last);
    }
    let outcome = task.ledger.last_judged().and_then(|entry| Some(entry.sealed.as_ref()?.outcome));
    report.tasks.push(TaskLine { id: task.id.clone(), client, at, outcome });
    add_loop(task, report);
    for waiver in task.waivers_now() {
        report.waivers.push(WaiverLine {
            scope: waiver.scope.to_string(),
            why: one_line(&waiver.why),
            who: one_line(&waiver.who),
            until: waiver.until,
        });
    }
    for (_, record) in records() {
        if let Body::Denied(call) = &record.body {
            let (tool, input) = (one_line(&call.tool), cut_end(&one_line(&call.input), WIDTH));
            report.denials.push(DenialLine { at: record.envelope.at, tool, input, rule: call.rule.clone() });
        }
    }
    if task.first_edited_record().is_some() {
        let text = format!("the journal of task {} was edited: it grants nothing", task.id);
        report.problem(
            "edited-journal",
            text,
            "quit the client, put the records aside with `rg-doctor --reset`, and start a new session",
        );
    }
}

/// Adds the loop of a task, if it has one.
fn add_loop(task: &Task, report: &mut Report) {
    if let Some(top) = Stack::of(&task.journal).summary() {
        report.loops.push(LoopLine {
            task: task.id.clone(),
            iteration: top.iteration,
            of: top.of,
            has_ended: task.client_is_running() == Some(false),
        });
    }
}

/// Notes when a client was here.
fn see(report: &mut Report, client: Client, at: Time) {
    match report.seen.iter_mut().find(|seen| seen.client == client) {
        Some(seen) => seen.at = seen.at.max(at),
        None => report.seen.push(Seen { client, at }),
    }
}

/// The texts of the notices that no session start has shown yet, the oldest first.
fn unread(state: &State) -> Vec<String> {
    let Ok(journal) = Journal::open(&state.notices()) else { return Vec::new() };
    let seen: HashSet<&String> = journal.of::<ShownNotices>().flat_map(|shown| &shown.ids).collect();
    let is_unread = |id: &String, notice: &Notice| !seen.contains(id) && !notice.text.is_empty();
    let text = |record: &Record| match &record.body {
        Body::Notice(notice) if is_unread(&record.envelope.id, notice) => Some(notice.text.clone()),
        _ => None,
    };
    journal.records().filter_map(|(_, record)| text(record)).collect()
}
