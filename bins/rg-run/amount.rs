//! Amounts: what a run may spend, and what turns have spent. What an agent does not report is unknown, never nothing.

use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::count;

/// A limit of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Tokens.
    Tokens(f64),
    /// US dollars.
    Cost(f64),
}

impl Amount {
    /// Reads `200000`, `200k`, `2M` (tokens) or `5usd`.
    pub fn parse(text: &str) -> Result<Amount> {
        let wrong = || Error::usage(format!("--budget needs tokens (200000, 200k, 2M) or a cost (5usd): {text:?}"));
        let (digits, factor, is_cost) = match text {
            text if text.ends_with("usd") => (&text[..text.len() - 3], 1.0, true),
            text if text.ends_with('k') => (&text[..text.len() - 1], 1e3, false),
            text if text.ends_with('M') => (&text[..text.len() - 1], 1e6, false),
            text => (text, 1.0, false),
        };
        let number: f64 = digits.parse().map_err(|_| wrong())?;
        match number.is_finite() && number > 0.0 {
            true if is_cost => Ok(Amount::Cost(number)),
            true => Ok(Amount::Tokens((number * factor).ceil())),
            false => Err(wrong()),
        }
    }

    /// Its tokens; None for a cost.
    pub fn tokens(&self) -> Option<f64> {
        match self {
            Amount::Tokens(tokens) => Some(*tokens),
            Amount::Cost(_) => None,
        }
    }

    /// Its cost; None for tokens.
    pub fn cost(&self) -> Option<f64> {
        match self {
            Amount::Cost(cost) => Some(*cost),
            Amount::Tokens(_) => None,
        }
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

impl Spent {
    /// Nothing.
    pub const NOTHING: Spent = Spent { tokens: Some(0), cost: Some(0.0) };

    /// Adds a turn.
    pub fn add(&mut self, tokens: Option<u64>, cost: Option<f64>) {
        self.tokens = self.tokens.zip(tokens).map(|(sum, tokens)| sum.saturating_add(tokens));
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum + cost);
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
        for (text, wanted) in [
            ("200000", Some(Amount::Tokens(200_000.0))),
            ("1.5k", Some(Amount::Tokens(1500.0))),
            ("2M", Some(Amount::Tokens(2e6))),
            ("5usd", Some(Amount::Cost(5.0))),
            ("0.25usd", Some(Amount::Cost(0.25))),
            ("0", None),
            ("-1", None),
            ("nan", None),
            ("infusd", None),
            ("usd", None),
            ("", None),
            ("5 usd", None),
        ] {
            assert_eq!(Amount::parse(text).ok(), wanted, "{text}");
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
