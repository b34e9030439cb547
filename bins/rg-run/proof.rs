//! Receipts of today that runs.jsonl does not account for: records were removed, and what was spent is unknown.

use crate::account;
use review_gate::store::daily::day;
use review_gate::store::journal::Journal;
use review_gate::store::receipt::{Integrity, ReceiptFile};
use review_gate::store::state::State;
use review_gate::sys::clock::{self, Time};
use review_gate::sys::ids;

/// The digits of a ULID that hold its time.
const TIME: usize = 10;

/// How much smaller a sum of costs may be because of rounding.
const ROUNDING: f64 = 1e-6;

/// Why the journal of a state directory lacks something that was spent today; None if it holds all that today's receipts name.
pub fn why_incomplete(state: &State, journal: &Journal) -> Option<String> {
    let now = clock::now();
    let midnight = Time(now.0 - now.0 % 86_400_000);
    let first = ids::ulid_at(midnight, &[]);
    let totals = account::totals(journal);
    let files = ReceiptFile::all(state).into_iter().filter(|file| file.id.get(..TIME) >= first.get(..TIME));
    for file in files {
        // Most receipts are of no run, and need not be parsed.
        let Ok(bytes) = file.bytes() else { continue };
        if memchr::memmem::find(&bytes, b"\"run\"").is_none() {
            continue;
        }
        let Ok(receipt) = file.receipt() else { continue };
        let Some(run) = receipt.run.as_ref().filter(|_| day(receipt.at) == day(now)) else { continue };
        let is_held = totals.get(&run.id).is_some_and(|held| {
            let tokens = run.tokens.is_none_or(|told| held.tokens.is_none_or(|held| held >= told));
            let cost = run.cost.is_none_or(|told| held.cost.is_none_or(|held| held + ROUNDING >= told));
            tokens && cost
        });
        // One that no journal seals says nothing.
        if !is_held && matches!(file.integrity(state, &receipt), Ok(Integrity::Sealed { .. })) {
            let path = state.runs();
            let what = format!("{} lacks records of {}, which receipt {} names", path.display(), run.id, file.id);
            return Some(what);
        }
    }
    None
}
