//! What git's settings say of the base: the remote that has it, under which name, and where that is followed here.

use review_gate::git::Settings;
use std::collections::BTreeSet;

/// A remote that has the base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remote {
    /// The remote's name.
    pub name: String,
    /// The base's whole name there.
    pub branch: String,
    /// The references here that follow it.
    pub tracking: Vec<String>,
    /// From where it is fetched.
    pub urls: Vec<String>,
    /// Where it is pushed to, where that is set apart.
    pub push_urls: Vec<String>,
}

impl Remote {
    /// Whether what follows it is nothing but that: git moves it when it fetches and when it pushes.
    pub fn is_followed_apart(&self) -> bool {
        self.tracking.iter().all(|name| name.starts_with("refs/remotes/"))
    }
}

/// The names of all remotes.
pub fn remotes(settings: &Settings) -> BTreeSet<String> {
    let names = settings.names().filter_map(|key| key.strip_prefix("remote.")?.rsplit_once('.'));
    let is_place = |what: &str| matches!(what, "url" | "pushurl" | "fetch");
    names.filter(|(_, what)| is_place(what)).map(|(name, _)| name.to_string()).collect()
}

/// The remote of that name, as it has the base.
pub fn remote(settings: &Settings, name: &str, branch: &str) -> Remote {
    let of = |what: &str| settings.all(&format!("remote.{name}.{what}"));
    let tracking = of("fetch").iter().filter_map(|refspec| followed_by(refspec, branch)).collect();
    Remote { name: name.into(), branch: branch.into(), tracking, urls: of("url"), push_urls: of("pushurl") }
}

/// The reference that a refspec puts that one in.
fn followed_by(refspec: &str, branch: &str) -> Option<String> {
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
    fn a_refspec_says_what_follows_a_branch() {
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
            assert_eq!(followed_by(refspec, "refs/heads/a/b").as_deref(), expected, "{refspec}");
        }
    }
}
