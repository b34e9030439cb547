//! Rules about pushes that rewrite or remove branches of others.

use super::rule::{Rule, When, ask, deny};
use crate::command::{Call, flags, marks, valued_options};
use review_gate::git::TRUNKS;

/// Shared branches beside the trunks.
const PROTECTED: [&str; 8] = ["trunk", "develop", "dev-main", "production", "prod", "stable", "staging", "HEAD"];

/// Whether a branch is shared. An unknown name may be one.
pub fn is_protected(name: &str) -> bool {
    let name = name.trim_start_matches('+');
    let name = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("heads/")).unwrap_or(name);
    TRUNKS.contains(&name)
        || PROTECTED.contains(&name)
        || name.starts_with("release")
        || name.contains(['*', marks::STAR, marks::ALL, marks::PRINTED])
}

/// What a push does.
struct Push {
    forced: bool,
    leased: bool,
    /// The refs that are pushed to; empty where none is named.
    targets: Vec<String>,
    /// The refs that are removed.
    removed: Vec<String>,
    wholesale: bool,
}

fn push(call: &Call) -> Option<Push> {
    if !matches!(call.args.first()?.text.as_str(), "push" | "send-pack") {
        return None;
    }
    let found = flags(&call.args[1..], valued_options::of_git("push"));
    if found.is_set(&["-n", "--dry-run"]) || found.has("--help") {
        return None;
    }
    let delete = found.any(&["-d", "--delete"]);
    let mut push = Push {
        forced: found.any(&["-f", "--force"]),
        leased: found.any(&["--force-with-lease"]),
        targets: Vec::new(),
        removed: Vec::new(),
        wholesale: found.any(&["--mirror", "--prune"]),
    };
    let mirrors = |(name, value): &(String, String)| {
        name.starts_with("git:remote.")
            && name.ends_with(".mirror")
            && !matches!(value.as_str(), "false" | "0" | "no" | "off")
    };
    push.wholesale |= call.assigns.iter().any(mirrors) && found.operands.len() < 2;
    // `git -c remote.origin.push=+main:main push`
    let set = call.assigns.iter().filter(|(name, _)| name.starts_with("git:remote.") && name.ends_with(".push"));
    let set: Vec<&str> = set.map(|(_, value)| value.as_str()).filter(|_| found.operands.len() < 2).collect();
    for refspec in found.operands.iter().skip(1).map(|arg| arg.text.as_str()).chain(set) {
        push.forced |= refspec.starts_with('+');
        match refspec.split_once(':') {
            Some(("" | "+", target)) if !target.is_empty() => push.removed.push(target.to_string()),
            Some((_, target)) => push.targets.push(target.to_string()),
            None if delete => push.removed.push(refspec.to_string()),
            None => push.targets.push(refspec.to_string()),
        }
    }
    Some(push)
}

fn rewrites(push: &Push) -> bool {
    push.forced
        && (push.targets.is_empty() && push.removed.is_empty() || push.targets.iter().any(|name| is_protected(name)))
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        core: true,
        when: When::Check(&["git"], |call, _| push(call).is_some_and(|push| rewrites(&push))),
        denied: &[
            "git push --force origin main",
            "git push -uf origin master",
            "git push origin +HEAD:refs/heads/main",
            "git push -f",
        ],
        allowed: &[
            "git push -u origin feature/login",
            "git push --dry-run --force origin main",
            "git push --force-with-lease",
        ],
        ..deny(
            "git-push-force",
            "it rewrites the history of a shared branch",
            "push new commits or a branch of your own: `git push origin HEAD`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| push(call).is_some_and(|push| push.wholesale)),
        denied: &["git push --mirror", "git push --prune origin", "git config remote.origin.mirror true; git push"],
        allowed: &["git push --tags", "git push --all origin"],
        ..deny(
            "git-push-mirror",
            "it removes every remote ref that does not exist locally",
            "push named refs: `git push origin HEAD`",
        )
    },
    Rule {
        core: true,
        when: When::Check(&["git"], |call, _| {
            push(call).is_some_and(|push| push.removed.iter().any(|name| is_protected(name)))
        }),
        denied: &[
            "git push origin $(git branch -r | sed 's/origin\\//:/')",
            "git push origin :main",
            "git push -d origin master",
            "git push origin --delete refs/heads/main",
        ],
        allowed: &["git push origin main:main"],
        ..deny("git-push-delete", "it removes a shared branch", "ask the user to remove it")
    },
    Rule {
        when: When::Check(&["git"], |call, _| push(call).is_some_and(|push| !push.removed.is_empty())),
        denied: &["git push origin --delete feature/x", "git push origin :feature/x"],
        allowed: &[],
        ..ask("git-push-delete-branch", "it removes a remote ref", "ask the user to remove it")
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            push(call)
                .is_some_and(|push| push.forced || push.leased && push.targets.iter().any(|name| is_protected(name)))
        }),
        denied: &[
            "git push -f origin feature/login",
            "git push origin +feature/login",
            "git push --force-with-lease origin main",
        ],
        allowed: &["git push --force-with-lease", "git push --force-with-lease origin feature/x"],
        ..ask(
            "git-push-force-branch",
            "it rewrites a remote branch",
            "`git push --force-with-lease origin feature/x` fails where somebody else pushed",
        )
    },
];
