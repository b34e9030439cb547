//! The user's own configuration: budgets for each day, over all tasks of all repositories.

use super::reader::Reader;
use super::yaml::{self, Node, Value};
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::files;
use crate::sys::limits::DEFINITION;
use std::path::{Path, PathBuf};

/// The budgets of one day; a budget that is not set is unlimited.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Daily {
    /// Bounces.
    pub bounces: Option<u32>,
    /// Decisions of reviewers.
    pub reviews: Option<u32>,
    /// Minutes of work after bounces.
    pub minutes: Option<f64>,
    /// Tokens that the agents of rg-run report.
    pub tokens: Option<u64>,
    /// What they cost, in US dollars.
    pub cost: Option<f64>,
}

impl Daily {
    /// The budgets of the user; without a configuration all are unlimited. Errors: the file cannot be read or is no valid configuration.
    pub fn of_user() -> Result<Daily> {
        let Some(path) = path() else { return Ok(Daily::default()) };
        let Some(bytes) = files::read_following(&path, DEFINITION)? else { return Ok(Daily::default()) };
        let name = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|_| Error::definition(&name, None, "not UTF-8"))?;
        let reader = Reader { file: &name, root: Path::new("/") };
        reader.configuration(&yaml::read(&name, &text, 1)?)
    }
}

/// The file of the configuration.
fn path() -> Option<PathBuf> {
    Some(env::config_home()?.join("review-gate").join("config.yaml"))
}

impl Reader<'_> {
    fn configuration(&self, top: &Node) -> Result<Daily> {
        let mut daily = Daily::default();
        let entries = match &top.value {
            Value::Map(entries) => entries.as_slice(),
            Value::Null => &[],
            other => return self.wrong(top.line, &format!("it must be a map, not {}", other.name())),
        };
        for (key, node) in entries {
            match (key.as_str(), &node.value) {
                ("daily", Value::Map(budgets)) => daily = self.daily(budgets)?,
                ("daily", other) => {
                    return self.wrong(node.line, &format!("\"daily\" must be a map, not {}", other.name()));
                }
                (name, _) => return self.unknown(node.line, name, "key", &["daily"]),
            }
        }
        Ok(daily)
    }

    fn daily(&self, budgets: &[(String, Node)]) -> Result<Daily> {
        let mut daily = Daily::default();
        for (key, node) in budgets {
            let count = || match node.value {
                Value::Number(n) if (1.0..=1e6).contains(&n) => Ok(Some(n.floor() as u32)),
                _ => self.wrong(node.line, &format!("\"{key}\" must be a number from 1")),
            };
            match key.as_str() {
                "bounces" => daily.bounces = count()?,
                "reviews" => daily.reviews = count()?,
                "minutes" => daily.minutes = Some(self.positive(node, key)?),
                "tokens" => daily.tokens = Some(self.positive(node, key)?.ceil() as u64),
                "cost" => daily.cost = Some(self.positive(node, key)?),
                name => {
                    let keys = ["bounces", "reviews", "minutes", "tokens", "cost"];
                    return self.unknown(node.line, name, "key of daily", &keys);
                }
            }
        }
        Ok(daily)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_strict() {
        let read = |text: &str| {
            let reader = Reader { file: "config.yaml", root: Path::new("/") };
            reader.configuration(&yaml::read("config.yaml", text, 1).unwrap())
        };
        let daily = Daily { bounces: Some(20), minutes: Some(90.5), cost: Some(2.5), ..Daily::default() };
        assert_eq!(read("daily: {bounces: 20, minutes: 90.5, cost: 2.5}\n").unwrap(), daily);
        assert_eq!(read("").unwrap(), Daily::default());
        for text in [
            "- a\n",
            "daily: 3\n",
            "dayly: {}\n",
            "daily: {bounces: 0}\n",
            "daily: {hours: 1}\n",
            "daily: {minutes: x}\n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
