//! Amounts: what a run may spend, and what turns have spent. What an agent does not report is unknown, never nothing.

use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::count;

/// What may be spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Tokens.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
    /// Tokens in a day.
    pub tokens_per_day: Option<u64>,
    /// US dollars in a day.
    pub cost_per_day: Option<f64>,
}

impl Limits {
    /// Adds `200000`, `200k`, `2M` (tokens) or `5usd`, each with `/day` for a day. Of two limits of one kind the lower one holds.
    pub fn add(&mut self, text: &str) -> Result<()> {
        let wrong = || {
            let forms = "tokens (200000, 200k, 2M) or a cost (5usd), perhaps with /day";
            Error::usage(format!("--budget needs {forms}: {text:?}"))
        };
        let amount = text.strip_suffix("/day");
        let (amount, is_daily) = (amount.unwrap_or(text), amount.is_some());
        let (digits, factor, is_cost) = match amount.as_bytes() {
            [digits @ .., b'u', b's', b'd'] => (digits.len(), 1.0, true),
            [digits @ .., b'k'] => (digits.len(), 1e3, false),
            [digits @ .., b'M'] => (digits.len(), 1e6, false),
            digits => (digits.len(), 1.0, false),
        };
        let number: f64 = amount[..digits].parse().map_err(|_| wrong())?;
        if !(number.is_finite() && number > 0.0) {
            return Err(wrong());
        }
        let (tokens, cost) = match is_daily {
            false => (&mut self.tokens, &mut self.cost),
            true => (&mut self.tokens_per_day, &mut self.cost_per_day),
        };
        match is_cost {
            true => *cost = Some(cost.map_or(number, |before| before.min(number))),
            false => {
                let count = (number * factor).ceil() as u64;
                *tokens = Some(tokens.map_or(count, |before| before.min(count)));
            }
        }
        Ok(())
    }
}

/// What turns have spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// The tokens; None if a turn reported none.
    pub tokens: Option<u64>,
    /// The cost; None if a turn reported none.
    pub cost: Option<f64>,
}

impl Default for Spent {
    fn default() -> Spent {
        Spent::NOTHING
    }
}

impl Spent {
    /// Nothing.
    pub const NOTHING: Spent = Spent { tokens: Some(0), cost: Some(0.0) };

    /// Unknown amounts.
    pub const UNKNOWN: Spent = Spent { tokens: None, cost: None };

    /// Adds a turn.
    pub fn add(&mut self, tokens: Option<u64>, cost: Option<f64>) {
        self.tokens = self.tokens.zip(tokens).map(|(sum, tokens)| sum.saturating_add(tokens));
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum + cost);
    }

    /// The larger one of each amount.
    pub fn max(self, other: Spent) -> Spent {
        Spent {
            tokens: self.tokens.zip(other.tokens).map(|(one, other)| one.max(other)),
            cost: self.cost.zip(other.cost).map(|(one, other)| one.max(other)),
        }
    }

    /// The same for people.
    pub fn words(&self) -> String {
        let tokens = self.tokens.map_or("tokens unknown".to_string(), |tokens| count(tokens as usize, "token"));
        let cost = self.cost.map_or("cost unknown".to_string(), |cost| format!("${cost:.2}"));
        format!("{tokens}, {cost}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_tokens_or_dollars() {
        let none = Limits::default();
        for (words, wanted) in [
            (vec!["200000"], Some(Limits { tokens: Some(200_000), ..none })),
            (vec!["1.5k"], Some(Limits { tokens: Some(1500), ..none })),
            (vec!["2M", "3M", "0.25usd"], Some(Limits { tokens: Some(2_000_000), cost: Some(0.25), ..none })),
            (vec!["5usd", "4usd"], Some(Limits { cost: Some(4.0), ..none })),
            (vec!["5usd/day", "1k"], Some(Limits { cost_per_day: Some(5.0), tokens: Some(1000), ..none })),
            (vec!["7/day", "9k/day"], Some(Limits { tokens_per_day: Some(7), ..none })),
            (vec!["0"], None),
            (vec!["-1"], None),
            (vec!["nan"], None),
            (vec!["infusd"], None),
            (vec!["usd"], None),
            (vec!["/day"], None),
            (vec!["5usd/week"], None),
            (vec![""], None),
            (vec!["5 usd"], None),
        ] {
            let mut limits = Limits::default();
            let read = words.iter().try_for_each(|word| limits.add(word)).ok().map(|()| limits);
            assert_eq!(read, wanted, "{words:?}");
        }
    }

    #[test]
    fn an_unknown_turn_makes_the_sum_unknown() {
        let mut spent = Spent::NOTHING;
        spent.add(Some(5), Some(0.5));
        assert_eq!(spent, Spent { tokens: Some(5), cost: Some(0.5) });
        spent.add(None, Some(0.25));
        spent.add(Some(7), None);
        assert_eq!(spent, Spent { tokens: None, cost: None });
        assert_eq!(spent.words(), "tokens unknown, cost unknown");
    }
}
