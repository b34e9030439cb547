//! Rules about git commands that lose refs: shared branches, tags.

use super::context::Context;
use super::git_history::{verb, with};
use super::git_push::is_protected;
use super::rule::{Rule, When, ask, deny};
use crate::command::{Arg, Call, marks};

/// Branches that `git branch -D` and the like remove.
fn branches_lost(call: &Call) -> Vec<String> {
    let Some(found) = verb(call, "branch") else { return Vec::new() };
    let deletes = found.has("-D") || found.any(&["-d", "--delete"]) && found.any(&["-f", "--force"]);
    if deletes { found.operands.iter().map(|arg| arg.text.clone()).collect() } else { Vec::new() }
}

fn loses_branch(call: &Call) -> bool {
    let lost = branches_lost(call);
    lost.iter().any(|name| is_protected(name) || name.contains([marks::EACH, marks::ALL, marks::PRINTED, marks::FILE]))
}

fn moves_branch(call: &Call, context: &Context) -> bool {
    let Some(found) = verb(call, "branch") else { return false };
    let forced = found
        .options
        .iter()
        .any(|option| option.starts_with("--forc") || !option.starts_with("--") && option.contains('f'));
    let first = forced && found.operands.first().is_some_and(|arg| is_protected(&arg.text));
    let renamed = found.options.iter().any(|option| !option.starts_with("--") && option.contains(['M', 'C']))
        || forced && found.any(&["-m", "--move", "-c", "--copy"]);
    // With one name the current branch is renamed.
    let is_own = found.operands.len() == 1
        && found
            .operands
            .last()
            .is_some_and(|arg| !arg.text.contains(marks::is_mark) && context.is_new_branch(call, &arg.text));
    first && !found.any(&["-d", "-D", "--delete", "--format"])
        || renamed && !is_own && found.operands.last().is_some_and(|arg| is_protected(&arg.text))
}

/// Whether a shared branch is reset or overwritten by a fetch.
fn remakes_branch(call: &Call) -> bool {
    let made = |name: &str, options: &[&str]| {
        let words: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
        words.first() == Some(&name) && words.windows(2).any(|pair| options.contains(&pair[0]) && is_protected(pair[1]))
    };
    let by_name = verb(call, "update-ref").is_some_and(|found| {
        let name = found.operand(0);
        found.operands.len() > 1 && name.starts_with("refs/heads/") && is_protected(name)
    });
    let fetched = verb(call, "fetch").is_some_and(|found| {
        let forced = found.any(&["-f", "--force"]);
        let of_branches =
            |arg: &&&Arg| !["refs/tags/", "refs/remotes/"].iter().any(|dir| arg.text.contains(&format!(":{dir}")));
        found.operands.iter().skip(1).filter(of_branches).any(|arg| {
            let onto = arg.text.split_once(':').map_or("", |(_, onto)| onto);
            let over_all = onto.starts_with("refs/heads/") && onto.contains(['*', marks::STAR]);
            (forced || arg.text.starts_with('+'))
                && (over_all || !onto.contains('*') && !onto.is_empty() && is_protected(onto))
        })
    });
    made("switch", &["-C", "--force-create"]) || made("checkout", &["-B"]) || fetched || by_name
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        core: true,
        when: When::Check(&["git"], |call, _| loses_branch(call)),
        denied: &["git branch -D main", "git branch -df master", "git branch -D $(git branch --merged)"],
        allowed: &["git branch -d feature/done", "git branch --list 'D*'"],
        ..deny(
            "git-branch-delete",
            "it removes a shared branch, or every branch in a list",
            "name your own branch: `git branch -d feature/done`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, context| {
            let lost = branches_lost(call);
            !lost.is_empty() && !lost.iter().all(|name| context.is_contained_branch(call, name))
        }),
        denied: &[
            "git branch -D feature/old",
            "git branch --delete --force feature/old",
            "git branch -d -f feature/old",
            "git branch --force --delete feature/old",
        ],
        allowed: &["git branch -d feature/old"],
        ..ask(
            "git-branch-delete-unmerged",
            "it removes a branch that may not be merged",
            "`git branch -d feature/old` fails where it is not merged",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, context| moves_branch(call, context) || remakes_branch(call)),
        denied: &[
            "git branch -f main HEAD~10",
            "git branch -M feature main",
            "git switch -C main HEAD~20",
            "git fetch origin +feature:main",
            "git update-ref refs/heads/main HEAD~20",
            "git branch --move --force x main",
        ],
        allowed: &[
            "git branch -m old new",
            "git branch -M main",
            "git branch feature",
            "git switch -C feature/x main",
            "git update-ref refs/review/x HEAD",
            "git fetch origin '+refs/heads/*:refs/remotes/origin/*'",
            "git fetch origin +refs/heads/*:refs/remotes/origin/*",
            "git fetch --depth=1 origin +refs/tags/*:refs/tags/*",
        ],
        ..deny(
            "git-branch-move",
            "it makes a shared branch point to other commits",
            "create your own branch: `git branch feature`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            with(call, "update-ref", &["-d", "--stdin"]) || with(call, "symbolic-ref", &["-d", "--delete"])
        }),
        denied: &["git update-ref -d refs/heads/main", "git update-ref --stdin", "git symbolic-ref -d HEAD"],
        allowed: &["git show-ref", "git symbolic-ref HEAD"],
        ..deny(
            "git-ref-delete",
            "it removes refs without git's checks",
            "remove a merged branch: `git branch -d feature/done`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            verb(call, "tag").is_some_and(|found| {
                found.any(&["-d", "--delete"]) && found.operands.iter().any(|arg| arg.text.contains(marks::is_unknown))
            })
        }),
        denied: &["git tag -d $(git tag)", "git tag -l | xargs git tag -d"],
        allowed: &["git tag -l"],
        ..deny("git-tag-delete-all", "it removes every tag in a list", "name the tag that you created")
    },
];
