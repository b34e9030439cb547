//! The user's budgets for each day, over all tasks.

use review_gate::donefile::Daily;
use review_gate::event::{Score, Stage};
use review_gate::store::daily::Spent;
use review_gate::store::state::State;
use review_gate::sys::error::Result;

/// Why no further bounce is allowed today; None if one is. Reviews count if the work waits for one.
pub fn reached(state: &State, score: &Score) -> Result<Option<String>> {
    let daily = Daily::of_user()?;
    // rg-run holds the budgets of its agents.
    if daily == (Daily { tokens: daily.tokens, cost: daily.cost, ..Daily::default() }) {
        return Ok(None);
    }
    let spent = Spent::today(state)?;
    let needs_review = matches!(score.judge, Some(Stage::ReviewState | Stage::Review));
    let over = |budget: Option<u32>, spent: u32| budget.filter(|budget| spent >= *budget);
    let text = if let Some(budget) = over(daily.bounces, spent.bounces) {
        Some(format!("{budget} bounces"))
    } else if let Some(budget) = over(daily.reviews.filter(|_| needs_review), spent.reviews) {
        Some(format!("{budget} reviews"))
    } else {
        daily.minutes.filter(|budget| spent.minutes >= *budget).map(|budget| format!("{budget:.0} minutes"))
    };
    Ok(text.map(|what| format!("the daily budget of {what} over all tasks is spent")))
}
