//! The list that `gh issue list --json` prints: issues of GitHub as they stand.

use super::{Current, Found, add_current, after};
use crate::sys::clock::Time;
use crate::talk::issue::change::{Fields, PRIORITY, Status};
use serde::Deserialize;

/// An issue of GitHub, as it stands.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    number: u64,
    title: String,
    #[serde(default)]
    body: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    state_reason: Option<String>,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    updated_at: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    author: Option<Author>,
    #[serde(default)]
    comments: Vec<Comment>,
}

#[derive(Deserialize)]
struct Label {
    name: String,
}

#[derive(Deserialize)]
struct Author {
    #[serde(default)]
    login: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Comment {
    #[serde(default)]
    id: String,
    body: String,
    #[serde(default)]
    author: Option<Author>,
    created_at: String,
}

impl Issue {
    /// Adds the issue.
    pub fn add(self, found: &mut Found) {
        // Without the time, the number still orders the issues.
        let created = self.created_at.as_deref().and_then(Time::parse_with_offset).unwrap_or(Time(self.number));
        let key = format!("github:{}", self.url.unwrap_or_else(|| format!("#{}", self.number)));
        let by = self.author.map_or_else(String::new, |author| author.login);
        let is_duplicate = self.state_reason.is_some_and(|reason| reason.eq_ignore_ascii_case("duplicate"));
        let status = match self.state.to_ascii_lowercase().as_str() {
            "closed" if is_duplicate => Status::Duplicate,
            "closed" => Status::Closed,
            _ => Status::Open,
        };
        let state = Fields {
            body: Some(self.body),
            status: Some(status),
            priority: Some(PRIORITY),
            tags: self.labels.into_iter().map(|label| label.name).collect(),
            ..Fields::default()
        };
        let by = if by.is_empty() { "github" } else { &by };
        let updated = self.updated_at.unwrap_or_default();
        let issue =
            add_current(found, &Current { key: &key, title: &self.title, by, created, updated: &updated }, state);
        for comment in self.comments {
            let Some(at) = Time::parse_with_offset(&comment.created_at) else {
                found.skipped += 1;
                continue;
            };
            let by = comment.author.map_or_else(|| "github".to_string(), |author| author.login);
            let set = Fields { comment: Some(comment.body.clone()), ..Fields::default() };
            found.push(after(at, created), &[&key, "comment", &comment.id, &comment.body], &issue, &by, set);
        }
    }
}
