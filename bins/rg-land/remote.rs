//! The remote that has the base, from git's settings: the branch's name there, and the references that track it here.

use review_gate::git::Settings;
use std::collections::BTreeSet;

/// A remote that has the base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remote {
    /// The remote's name.
    pub name: String,
    /// The base's full name there.
    pub branch: String,
    /// The references here that track it.
    pub tracking: Vec<String>,
    /// The URLs to fetch from.
    pub urls: Vec<String>,
    /// The URLs to push to, if `pushurl` is set.
    pub push_urls: Vec<String>,
}

impl Remote {
    /// Whether all tracking references are below refs/remotes, so that git may move them on a fetch or push.
    pub fn has_only_remote_tracking(&self) -> bool {
        self.tracking.iter().all(|name| name.starts_with("refs/remotes/"))
    }
}

/// The names of all remotes.
pub fn remotes(settings: &Settings) -> BTreeSet<String> {
    let names = settings.names().filter_map(|key| key.strip_prefix("remote.")?.rsplit_once('.'));
    let is_place = |what: &str| matches!(what, "url" | "pushurl" | "fetch");
    names.filter(|(_, what)| is_place(what)).map(|(name, _)| name.to_string()).collect()
}

/// The remote with that name, for the base `branch`.
pub fn remote(settings: &Settings, name: &str, branch: &str) -> Remote {
    let of = |what: &str| settings.all(&format!("remote.{name}.{what}"));
    let tracking = of("fetch").iter().filter_map(|refspec| tracked_as(refspec, branch)).collect();
    Remote { name: name.into(), branch: branch.into(), tracking, urls: of("url"), push_urls: of("pushurl") }
}

/// The reference here that a refspec maps `branch` to.
fn tracked_as(refspec: &str, branch: &str) -> Option<String> {
    let (from, to) = refspec.strip_prefix('+').unwrap_or(refspec).split_once(':').filter(|(_, to)| !to.is_empty())?;
    let whole = |name: &str| if name.starts_with("refs/") { name.into() } else { format!("refs/heads/{name}") };
    match from.split_once('*') {
        None => (whole(from) == branch).then(|| whole(to)),
        Some((before, after)) => {
            let middle = branch.strip_prefix(before)?.strip_suffix(after)?;
            Some(to.replacen('*', middle, 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refspec_maps_a_branch_to_its_tracking_reference() {
        let cases = [
            ("+refs/heads/*:refs/remotes/origin/*", Some("refs/remotes/origin/a/b")),
            ("+refs/heads/*:refs/heads/*", Some("refs/heads/a/b")),
            ("+refs/*:refs/*", Some("refs/heads/a/b")),
            ("refs/heads/a/b:refs/x", Some("refs/x")),
            ("a/b:kept", Some("refs/heads/kept")),
            ("+refs/heads/a/*:refs/heads/it/*/x", Some("refs/heads/it/b/x")),
            ("refs/heads/a/b", None),
            ("refs/heads/a/b:", None),
            ("refs/tags/*:refs/tags/*", None),
            ("^refs/heads/a/b", None),
            ("", None),
        ];
        for (refspec, expected) in cases {
            assert_eq!(tracked_as(refspec, "refs/heads/a/b").as_deref(), expected, "{refspec}");
        }
    }
}
