//! The `issues.jsonl` of tissue: a line for each revision of an issue, for each comment and each relation.

use super::{Found, after, id_of};
use crate::sys::clock::Time;
use crate::sys::ids;
use crate::talk::issue::change::{Dep, Fields, PRIORITY, Relation, Status};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A record of tissue.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    Issue {
        id: String,
        #[serde(default)]
        rev: String,
        title: String,
        #[serde(default)]
        body: String,
        #[serde(default)]
        status: Option<Status>,
        #[serde(default)]
        priority: Option<u8>,
        #[serde(default)]
        tags: Vec<String>,
        created_at: u64,
        #[serde(default)]
        updated_at: u64,
    },
    Comment {
        id: String,
        issue_id: String,
        body: String,
        created_at: u64,
    },
    Dep {
        src_id: String,
        dst_id: String,
        kind: Relation,
        #[serde(default)]
        state: String,
        created_at: u64,
        #[serde(default)]
        rev: String,
    },
}

/// Each record of an issue is a whole revision. A change sets only what differs from the revision before.
pub fn add(mut records: Vec<Record>, found: &mut Found) {
    const BY: &str = "tissue";
    records.sort_by(|one, next| rank(one).cmp(&rank(next)));
    let mut known: BTreeMap<String, (String, Time, Fields)> = BTreeMap::new();
    for record in &records {
        let Record::Issue { id, rev, title, body, status, priority, tags, created_at, updated_at } = record else {
            continue;
        };
        let key = format!("tissue:{id}");
        let now = Fields {
            title: Some(title.clone()),
            body: Some(body.clone()),
            status: Some(status.unwrap_or_default()),
            priority: Some(priority.unwrap_or(PRIORITY).clamp(1, 5)),
            tags: tags.clone(),
            ..Fields::default()
        };
        match known.get_mut(id) {
            None => {
                let at = Time(*created_at);
                let issue = id_of(&key, at);
                found.issues += 1;
                found.push(at, &[&key], &issue, BY, Fields { key: Some(key.clone()), ..now.clone() });
                known.insert(id.clone(), (issue, at, now));
            }
            Some((issue, last, before)) => {
                let at = after(Time(*updated_at), *last);
                found.push(at, &[&key, rev], issue, BY, difference(before, &now));
                (*last, *before) = (at, now);
            }
        }
    }
    let mut lost = 0;
    let mut last_deps: BTreeMap<[&str; 3], Time> = BTreeMap::new();
    for record in &records {
        match record {
            Record::Issue { .. } => {}
            Record::Comment { id, issue_id, body, created_at } => match known.get(issue_id) {
                Some((issue, ..)) => {
                    let at = after(Time(*created_at), ids::time_of(issue).unwrap_or(Time(0)));
                    let set = Fields { comment: Some(body.clone()), ..Fields::default() };
                    found.push(at, &["tissue-comment", id], issue, BY, set);
                }
                None => lost += 1,
            },
            Record::Dep { src_id, dst_id, kind, state, created_at, rev } => {
                match (known.get(src_id), known.get(dst_id)) {
                    (Some((issue, ..)), Some((target, ..))) => {
                        let made = ids::time_of(rev).unwrap_or(Time(*created_at));
                        let name = [src_id.as_str(), kind.word(), dst_id];
                        let last = last_deps.get(&name).copied().or_else(|| ids::time_of(issue));
                        let at = after(made, last.unwrap_or(Time(0)));
                        last_deps.insert(name, at);
                        let dep = Dep { relation: *kind, target: target.clone(), removed: state == "removed" };
                        let set = Fields { deps: vec![dep], ..Fields::default() };
                        found.push(at, &["tissue-dep", src_id, kind.word(), dst_id, rev], issue, BY, set);
                    }
                    _ => lost += 1,
                }
            }
        }
    }
    found.skipped += lost;
}

/// Revisions of an issue follow each other by `rev`, whose beginning is a time.
fn rank(record: &Record) -> (&str, u64) {
    match record {
        Record::Issue { rev, updated_at, .. } => (rev, *updated_at),
        Record::Comment { id, created_at, .. } => (id, *created_at),
        Record::Dep { rev, created_at, .. } => (rev, *created_at),
    }
}

fn difference(before: &Fields, now: &Fields) -> Fields {
    fn changed<T: PartialEq + Clone>(before: &Option<T>, now: &Option<T>) -> Option<T> {
        if before == now { None } else { now.clone() }
    }
    let missing = |from: &[String], of: &[String]| -> Vec<String> {
        of.iter().filter(|tag| !from.contains(tag)).cloned().collect()
    };
    Fields {
        title: changed(&before.title, &now.title),
        body: changed(&before.body, &now.body),
        status: changed(&before.status, &now.status),
        priority: changed(&before.priority, &now.priority),
        tags: missing(&before.tags, &now.tags),
        untags: missing(&now.tags, &before.tags),
        ..Fields::default()
    }
}
