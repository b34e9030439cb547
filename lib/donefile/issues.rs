//! The `issues` key of DONE.md: what becomes an issue.

use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::event::words;
use crate::sys::error::Result;
use serde::{Deserialize, Serialize};

words! {
    /// Where an issue comes from.
    IssueSource {
        /// A reviewer.
        Review = "review",
        /// A landing that failed.
        Land = "land",
        /// A stop that was abandoned.
        Abandoned = "abandoned",
    }
}

/// What becomes an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueSpec {
    /// Whose findings.
    pub from: Vec<IssueSource>,
    /// A program that each new issue is given to.
    pub command: Option<Vec<String>>,
}

impl Reader<'_> {
    /// `issues`
    pub(super) fn issues(&self, node: &Node) -> Result<IssueSpec> {
        let mut spec = IssueSpec::default();
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, &format!("\"issues\" must be a map, not {}", node.value.name()));
        };
        for (key, node) in entries {
            match key.as_str() {
                "from" => {
                    let Value::List(items) = &node.value else {
                        return self.wrong(node.line, "\"from\" must be a list of review, land and abandoned");
                    };
                    let known = [IssueSource::Review, IssueSource::Land, IssueSource::Abandoned];
                    for item in items {
                        spec.from.push(self.word(item, "from", &known)?);
                    }
                }
                "command" => spec.command = Some(self.program(node, key)?),
                name => return self.unknown(node.line, name, "key of issues", &["from", "command"]),
            }
        }
        Ok(spec)
    }
}
