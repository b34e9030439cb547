//! The `issues.jsonl` of beads: a line for each issue as it stands.

use super::{Current, Found, add_current, after, id_of};
use crate::sys::clock::Time;
use crate::sys::ids;
use crate::talk::issue::change::{Dep, Fields, Relation, Status};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The sender of changes of which beads names none.
const BY: &str = "beads";

/// An issue of beads, as it stands.
#[derive(Deserialize)]
pub struct Bead {
    id: String,
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    design: String,
    #[serde(default)]
    acceptance_criteria: String,
    #[serde(default)]
    notes: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    priority: Option<u8>,
    #[serde(default)]
    issue_type: String,
    #[serde(default)]
    labels: Vec<String>,
    created_at: String,
    #[serde(default)]
    updated_at: String,
    #[serde(default)]
    close_reason: String,
    #[serde(default)]
    dependencies: Vec<BeadDep>,
    #[serde(default)]
    comments: Vec<BeadComment>,
}

#[derive(Deserialize)]
struct BeadDep {
    depends_on_id: String,
    #[serde(default)]
    created_at: String,
    #[serde(rename = "type", default)]
    kind: String,
}

#[derive(Deserialize)]
struct BeadComment {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    author: String,
    text: String,
    created_at: String,
}

/// Adds the issues.
pub fn add(beads: Vec<Bead>, found: &mut Found) {
    let named = beads.iter().filter_map(|bead| {
        let created = Time::parse_with_offset(&bead.created_at)?;
        Some((bead.id.clone(), (id_of(&key_of(&bead.id), created), created)))
    });
    let ids: BTreeMap<String, (String, Time)> = named.collect();
    for bead in beads {
        match ids.get(&bead.id) {
            None => found.skipped += 1,
            Some(_) if bead.status == "tombstone" => found.leave_out("deleted issues"),
            Some((_, created)) => bead.add(*created, &ids, found),
        }
    }
}

fn key_of(id: &str) -> String {
    format!("beads:{id}")
}

impl Bead {
    fn add(self, created: Time, ids: &BTreeMap<String, (String, Time)>, found: &mut Found) {
        let key = key_of(&self.id);
        let parts = [
            ("", &self.description),
            ("Design", &self.design),
            ("Acceptance criteria", &self.acceptance_criteria),
            ("Notes", &self.notes),
            ("Closed", &self.close_reason),
        ];
        let written = parts.iter().filter(|(_, text)| !text.trim().is_empty());
        let body: Vec<String> = written
            .map(|(head, text)| if head.is_empty() { (*text).clone() } else { format!("## {head}\n\n{text}") })
            .collect();
        let status = match self.status.as_str() {
            "in_progress" | "hooked" => Status::InProgress,
            "deferred" | "pinned" => Status::Paused,
            "closed" => Status::Closed,
            // Blocked follows from the relations.
            _ => Status::Open,
        };
        let mut tags = self.labels;
        tags.extend(Some(self.issue_type).filter(|kind| !kind.is_empty() && kind != "task"));
        let state = Fields {
            body: Some(body.join("\n\n")),
            status: Some(status),
            priority: Some(self.priority.unwrap_or(2).min(4) + 1),
            tags,
            ..Fields::default()
        };
        let current = Current { key: &key, title: &self.title, by: BY, created, updated: &self.updated_at };
        let issue = add_current(found, &current, state);
        for comment in self.comments {
            let Some(at) = Time::parse_with_offset(&comment.created_at) else {
                found.skipped += 1;
                continue;
            };
            let by = if comment.author.is_empty() { BY } else { &comment.author };
            let name = comment.id.to_string();
            let set = Fields { comment: Some(comment.text.clone()), ..Fields::default() };
            found.push(after(at, created), &[&key, "comment", &name, &comment.text], &issue, by, set);
        }
        for dep in self.dependencies {
            let Some((other, _)) = ids.get(&dep.depends_on_id) else {
                found.leave_out("relations to issues that are not in the file");
                continue;
            };
            let (relation, from, to) = match dep.kind.as_str() {
                "blocks" | "conditional-blocks" | "" => (Relation::Blocks, other, &issue),
                "parent-child" => (Relation::Parent, other, &issue),
                _ => (Relation::Relates, &issue, other),
            };
            let made = Time::parse_with_offset(&dep.created_at).unwrap_or(created);
            let at = after(made, ids::time_of(from).unwrap_or(created));
            let set = Fields { deps: vec![Dep { relation, target: to.clone(), removed: false }], ..Fields::default() };
            found.push(at, &[&key, "dep", &dep.kind, &dep.depends_on_id], from, BY, set);
        }
    }
}
