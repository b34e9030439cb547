//! The limits of a run: why no further round may follow.

use crate::past::Past;
use review_gate::event::{EndedWhy, LastRound};
use review_gate::store::record::RunStart;
use review_gate::sys::text::count;

/// Why no round may follow the given one; None if one may.
pub fn last_round(start: &RunStart, past: &Past, round: u32, minutes: f64) -> Option<LastRound> {
    let last = |why, text: String| Some(LastRound { why, text });
    if minutes >= start.minutes {
        return last(EndedWhy::Minutes, format!("the run took its {} minutes", start.minutes));
    }
    if start.rounds.is_some_and(|rounds| round >= rounds) {
        return last(EndedWhy::Rounds, format!("the run used its {}", count(round as usize, "round")));
    }
    match (start.tokens, past.spent.tokens) {
        (Some(_), None) => {
            return last(EndedWhy::Budget, "the agent reported no tokens: the budget cannot be held".to_string());
        }
        (Some(limit), Some(spent)) if spent >= limit => {
            return last(EndedWhy::Budget, format!("the run spent {spent} of {limit} tokens"));
        }
        _ => {}
    }
    match (start.cost, past.spent.cost) {
        (Some(_), None) => last(EndedWhy::Budget, "the agent reported no cost: the budget cannot be held".to_string()),
        (Some(limit), Some(spent)) if spent >= limit => {
            last(EndedWhy::Budget, format!("the run spent ${spent:.2} of ${limit:.2}"))
        }
        _ => None,
    }
}
