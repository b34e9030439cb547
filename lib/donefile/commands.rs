//! The `commands` key of DONE.md: patterns over the words of commands, each with a reason and an expiry.

use super::model::{CommandPreset, CommandRule, Commands};
use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::sys::clock::Time;
use crate::sys::error::Result;

/// The keys of the section.
const KEYS: [&str; 4] = ["preset", "deny", "ask", "allow"];

impl Reader<'_> {
    /// Reads the section.
    pub(super) fn commands(&self, node: &Node) -> Result<Commands> {
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, "\"commands\" must be a map of preset, deny, ask and allow");
        };
        let mut commands = Commands::default();
        for (key, node) in entries {
            match key.as_str() {
                "preset" => {
                    let known =
                        [CommandPreset::Standard, CommandPreset::Strict, CommandPreset::Container, CommandPreset::Off];
                    commands.preset = self.word(node, key, &known)?;
                }
                "deny" => commands.deny = self.command_rules(node, key)?,
                "ask" => commands.ask = self.command_rules(node, key)?,
                "allow" => commands.allow = self.command_rules(node, key)?,
                name => return self.unknown(node.line, name, "key of commands", &KEYS),
            }
        }
        Ok(commands)
    }

    fn command_rules(&self, node: &Node, name: &str) -> Result<Vec<CommandRule>> {
        let Value::List(items) = &node.value else {
            return self.wrong(node.line, &format!("\"{name}\" must be a list, not {}", node.value.name()));
        };
        items.iter().map(|item| self.command_rule(item, name)).collect()
    }

    /// A pattern, or a map of a pattern, its reason and its expiry.
    fn command_rule(&self, item: &Node, name: &str) -> Result<CommandRule> {
        let mut rule = CommandRule { pattern: String::new(), reason: String::new(), until: None };
        match &item.value {
            Value::Map(entries) => {
                for (key, node) in entries {
                    match key.as_str() {
                        "pattern" => rule.pattern = self.text(node, key)?,
                        "reason" => rule.reason = self.text(node, key)?,
                        "until" => rule.until = Some(self.time(node)?),
                        other => {
                            return self.unknown(node.line, other, "key of a command", &["pattern", "reason", "until"]);
                        }
                    }
                }
            }
            _ => rule.pattern = self.text(item, name)?,
        }
        rule.pattern = rule.pattern.split_whitespace().collect::<Vec<_>>().join(" ");
        if rule.pattern.is_empty() || rule.pattern.starts_with(['-', '!']) {
            return self.wrong(item.line, &format!("\"{name}\": a pattern begins with the name of a program"));
        }
        if rule.pattern == "*" && name == "allow" {
            return self
                .wrong(item.line, "\"allow\": \"*\" is not a pattern. To allow every command, set \"preset: off\"");
        }
        if rule.reason.is_empty() {
            rule.reason = "DONE.md says so".to_string();
        }
        Ok(rule)
    }

    /// A day, which means its start in UTC, or an RFC 3339 time.
    fn time(&self, node: &Node) -> Result<Time> {
        let text = self.text(node, "until")?;
        let whole = Time::parse(&text).or_else(|| Time::parse(&format!("{text}T00:00:00Z")));
        match whole {
            Some(time) => Ok(time),
            None => self.wrong(node.line, "\"until\" must be a day (2026-12-31) or an RFC 3339 time in UTC"),
        }
    }
}
