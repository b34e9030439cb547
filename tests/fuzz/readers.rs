//! Fuzzes what reads foreign bytes: the event line, a task's journal and its folds, DONE.md, a reviewer's decision. The first byte says
//! which. Nothing may panic, and nothing may be granted by what cannot be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use review_gate::event::Event;
use review_gate::store::loops::stack::Stack;
use review_gate::store::journal::Journal;
use review_gate::review::decision;
use review_gate::review::record::Reviews;
use review_gate::store::task::{Ledger, Prompts};
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let Some((which, bytes)) = bytes.split_first() else { return };
    match which % 4 {
        0 => {
            if let Ok(event) = Event::parse(bytes) {
                let line = event.line().expect("an event that was read can be written");
                Event::parse(line.trim_ascii_end()).expect("and read again");
            }
        }
        1 => {
            let journal = Journal::read(bytes);
            let (ledger, _): (Ledger, Prompts) = (journal.fold(), journal.fold());
            let _: Reviews = journal.fold();
            let _ = (Stack::of(&journal).summary(), ledger.since_given_up(), ledger.unclosed_stops().count());
        }
        2 => {
            let _ = review_gate::donefile::parse("DONE.md", bytes, Path::new("/"));
        }
        _ => {
            let _ = decision::read(&String::from_utf8_lossy(bytes), "request");
        }
    }
});
