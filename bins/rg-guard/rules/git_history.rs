//! git commands that lose work: uncommitted changes, commits, refs, hooks.

use super::git_push::is_protected;
use super::{Rule, When, ask, deny};
use crate::pattern::valued_git;
use crate::run::{Call, Flags, flags, marks};

/// The options and operands behind the verb; None for another verb, and where git only explains itself.
fn verb<'a>(call: &'a Call, name: &str) -> Option<Flags<'a>> {
    if call.args.first()?.text != name {
        return None;
    }
    let found = flags(&call.args[1..], valued_git(name));
    if found.options.contains(&"--help") || found.options.contains(&"-h") { None } else { Some(found) }
}

fn with(call: &Call, name: &str, options: &[&str]) -> bool {
    verb(call, name).is_some_and(|found| found.any(options))
}

/// Endings of files: a single operand of checkout with one is no branch.
const ENDINGS: [&str; 30] = [
    "rs", "py", "js", "ts", "tsx", "jsx", "go", "c", "h", "cpp", "cc", "hpp", "java", "kt", "rb", "php", "sh", "md",
    "txt", "json", "yml", "yaml", "toml", "css", "html", "sql", "swift", "cs", "lock", "vue",
];

fn checkout_discards(call: &Call) -> bool {
    let Some(found) = verb(call, "checkout") else { return false };
    let creates = call.args.iter().any(|arg| matches!(arg.text.as_str(), "-b" | "-B" | "--orphan"));
    if found.any(&["-f", "--force"]) {
        return true;
    }
    if creates || found.any(&["-p", "--patch", "--ours", "--theirs"]) {
        return false;
    }
    let after = call.args.iter().position(|arg| arg.text == "--").map(|at| call.args.len() - at - 1);
    let is_path = |text: &str| {
        text == "."
            || text == ".."
            || text.starts_with("./")
            || text.ends_with('/')
            || text.starts_with(":/")
            || text.contains(marks::is_wildcard)
    };
    after.is_some_and(|count| count > 0)
        || found.has("--pathspec-from-file")
        || found.operands.iter().any(|arg| is_path(&arg.text))
}

fn checkout_may_discard(call: &Call) -> bool {
    let Some(found) = verb(call, "checkout") else { return false };
    let names_branch = call.args.iter().any(|arg| {
        matches!(arg.text.as_str(), "-b" | "-B" | "--orphan" | "-t" | "--track" | "-p" | "--ours" | "--theirs")
    });
    let is_file = |text: &str| text.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
    !names_branch && (found.operands.len() > 1 || found.operands.iter().any(|arg| is_file(&arg.text)))
}

fn restore_discards(call: &Call) -> bool {
    let Some(found) = verb(call, "restore") else { return false };
    let staged_only = found.any(&["-S", "--staged"]) && !found.any(&["-W", "--worktree"]);
    let named = !found.operands.is_empty() || found.has("--pathspec-from-file");
    named && !staged_only && !found.any(&["-p", "--patch"])
}

fn cleans(call: &Call) -> bool {
    let Some(found) = verb(call, "clean") else { return false };
    let lenient = call.assigns.iter().any(|(name, value)| {
        name == "git:clean.requireforce" && matches!(value.as_str(), "false" | "0" | "no" | "off")
    });
    // `yes |` answers what `-i` asks.
    let asks = found.any(&["-i", "--interactive"]) && call.input.is_none();
    let forced = found.any(&["-f", "--force"]) || lenient || found.any(&["-i", "--interactive"]);
    forced && !asks && !found.any(&["-n", "--dry-run"])
}

/// Branches that `git branch -D` and its like remove.
fn branches_lost(call: &Call) -> Vec<String> {
    let Some(found) = verb(call, "branch") else { return Vec::new() };
    let deletes = found.has("-D") || found.any(&["-d", "--delete"]) && found.any(&["-f", "--force"]);
    if deletes { found.operands.iter().map(|arg| arg.text.clone()).collect() } else { Vec::new() }
}

fn loses_branch(call: &Call) -> bool {
    let lost = branches_lost(call);
    lost.iter().any(|name| is_protected(name) || name.contains([marks::EACH, marks::ALL, marks::PRINTED, marks::FILE]))
}

fn moves_branch(call: &Call) -> bool {
    let Some(found) = verb(call, "branch") else { return false };
    let forced = found
        .options
        .iter()
        .any(|option| option.starts_with("--forc") || !option.starts_with("--") && option.contains('f'));
    let first = forced && found.operands.first().is_some_and(|arg| is_protected(&arg.text));
    let renamed = found.options.iter().any(|option| !option.starts_with("--") && option.contains(['M', 'C']));
    first && !found.any(&["-d", "-D", "--delete", "--format"])
        || renamed && found.operands.last().is_some_and(|arg| is_protected(&arg.text))
}

/// Whether a branch that others build on is made anew elsewhere, or fetched over.
fn remakes_branch(call: &Call) -> bool {
    let made = |name: &str, options: &[&str]| {
        let words: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
        words.first() == Some(&name)
            && words.windows(3).any(|three| {
                // Where it is on the other side is where it belongs.
                options.contains(&three[0]) && is_protected(three[1]) && !three[2].ends_with(&format!("/{}", three[1]))
            })
    };
    let fetched = verb(call, "fetch").is_some_and(|found| {
        let forced = found.any(&["-f", "--force"]);
        found.operands.iter().skip(1).any(|arg| {
            let onto = arg.text.split_once(':').map_or("", |(_, onto)| onto);
            (forced || arg.text.starts_with('+')) && !onto.contains('*') && !onto.is_empty() && is_protected(onto)
        })
    });
    made("switch", &["-C", "--force-create"]) || made("checkout", &["-B"]) || fetched
}

fn skips_hooks(call: &Call) -> bool {
    let verbs = ["commit", "push", "merge", "am", "rebase", "cherry-pick", "pull"];
    let skipped = verbs.iter().any(|name| {
        let dry = *name == "push";
        verb(call, name).is_some_and(|found| found.has("--no-verify") || *name == "commit" && found.has("-n") && !dry)
    });
    let dry_push = verb(call, "push").is_some_and(|found| found.any(&["-n", "--dry-run"]));
    let setting = |(name, value): &(String, String)| {
        name == "git:core.hookspath" || name == "HUSKY" && value == "0" || name == "HUSKY_SKIP_HOOKS" || name == "SKIP"
    };
    let by_setting = call.assigns.iter().any(setting) && verbs.iter().any(|name| verb(call, name).is_some());
    let configures = verb(call, "config").is_some_and(|found| {
        let words: Vec<&String> = found.operands.iter().map(|arg| &arg.text).filter(|text| *text != "set").collect();
        words.first().is_some_and(|name| name.eq_ignore_ascii_case("core.hookspath"))
            && words.len() > 1
            && !is_hooks_dir(words[1])
    });
    skipped && !dry_push || by_setting || configures
}

/// Where projects keep the hooks that they want.
fn is_hooks_dir(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    matches!(name, ".githooks" | "githooks" | "hooks" | ".husky" | "_") && !path.starts_with("/tmp")
}

pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(&["git"], |call, _| with(call, "reset", &["--hard", "--merge"])),
        denied: &["git reset --hard", "git reset --har HEAD~1", "git -C x reset -q --hard"],
        allowed: &["git reset -- src/main.rs", "git reset --soft HEAD~1", "git reset --hard --help"],
        ..deny(
            "git-reset-hard",
            "it throws away changes that are not committed",
            "keep them first: `git stash push -u`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| checkout_discards(call)),
        denied: &["git checkout -- .", "git checkout .", "git checkout HEAD -- src/", "git checkout -qf main"],
        allowed: &["git checkout -b feature/x", "git checkout -", "git checkout --orphan new"],
        ..deny(
            "git-checkout-discard",
            "it overwrites changes that are not committed",
            "keep them first: `git stash push -u`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| checkout_may_discard(call)),
        denied: &["git checkout main src/lib.rs", "git checkout src/lib.rs"],
        allowed: &["git checkout -b hotfix origin/main", "git checkout main"],
        ..ask("git-checkout-file", "it may overwrite changes in that file", "look first: `git diff -- src`")
    },
    Rule {
        when: When::Check(&["git"], |call, _| restore_discards(call)),
        denied: &["git restore .", "git restore -SW .", "git restore --worktree src/"],
        allowed: &["git restore --staged .", "git restore -S src/main.rs"],
        ..deny(
            "git-restore-discard",
            "it overwrites changes that are not committed",
            "keep them first: `rg-rescue save` or `git stash push -u`; `git restore --staged .` only unstages",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| with(call, "switch", &["-f", "--force", "--discard-changes"])),
        denied: &["git switch -f main", "git switch --discard-changes main"],
        allowed: &["git switch -c feature/y", "git switch main"],
        ..deny(
            "git-switch-discard",
            "it throws away changes that are not committed",
            "keep them first: `git stash push -u`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| cleans(call)),
        denied: &["git clean -fdx", "git clean -f", "git -c clean.requireForce=false clean -d"],
        allowed: &["git clean -ndx", "git clean -nfdx"],
        ..deny(
            "git-clean",
            "it removes files that no commit has",
            "look first: `git clean -nd`, keep a copy: `rg-rescue save`, then remove by name what you made",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            verb(call, "stash").is_some_and(|found| matches!(found.operand(0), "drop" | "clear"))
        }),
        denied: &["git stash drop", "git stash drop -q stash@{1}", "git stash clear"],
        allowed: &["git stash list", "git stash push -u", "git stash apply"],
        ..deny(
            "git-stash-drop",
            "it removes kept changes for good",
            "leave them; `git stash apply` uses them and keeps them",
        )
    },
    Rule {
        core: true,
        when: When::Check(&["git"], |call, _| loses_branch(call)),
        denied: &["git branch -D main", "git branch -df master", "git branch -D $(git branch --merged)"],
        allowed: &["git branch -d feature/done", "git branch --list 'D*'"],
        ..deny(
            "git-branch-delete",
            "it removes a branch that others build on, or whichever branches come up",
            "name one branch of your own: `git branch -d feature/done`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| !branches_lost(call).is_empty()),
        denied: &[
            "git branch -D feature/old",
            "git branch --delete --force feature/old",
            "git branch -d -f feature/old",
            "git branch --force --delete feature/old",
        ],
        allowed: &["git branch -d feature/old"],
        ..ask(
            "git-branch-delete-unmerged",
            "it removes a branch whether it is merged or not",
            "`git branch -d feature/old` refuses what is not merged",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| moves_branch(call) || remakes_branch(call)),
        denied: &[
            "git branch -f main HEAD~10",
            "git branch -M feature main",
            "git switch -C main HEAD~20",
            "git fetch origin +feature:main",
        ],
        allowed: &[
            "git branch -m old new",
            "git branch feature",
            "git checkout -B main origin/main",
            "git switch -C feature/x main",
            "git fetch origin '+refs/heads/*:refs/remotes/origin/*'",
        ],
        ..deny(
            "git-branch-move",
            "it makes a branch that others build on point elsewhere",
            "make a branch of your own: `git branch feature`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            let expires = verb(call, "reflog").is_some_and(|found| {
                matches!(found.operand(0), "expire" | "delete") && !found.any(&["-n", "--dry-run"])
            });
            let prunes = verb(call, "gc")
                .is_some_and(|found| found.value("--prune").is_some_and(|when| when == "now" || when == "all"));
            let removes = verb(call, "prune").is_some_and(|found| !found.any(&["-n", "--dry-run"]));
            expires || prunes || removes
        }),
        denied: &[
            "git reflog expire --expire=now --all",
            "git reflog delete HEAD@{1}",
            "git gc --prune=now --aggressive",
        ],
        allowed: &["git reflog", "git reflog show main", "git gc"],
        ..deny("git-reflog-expire", "it removes the last way back to lost commits", "leave it to git: `git gc`")
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            with(call, "update-ref", &["-d", "--stdin"]) || with(call, "symbolic-ref", &["-d", "--delete"])
        }),
        denied: &["git update-ref -d refs/heads/main", "git update-ref --stdin", "git symbolic-ref -d HEAD"],
        allowed: &["git show-ref", "git symbolic-ref HEAD"],
        ..deny(
            "git-ref-delete",
            "it removes refs behind git's own checks",
            "`git branch -d feature/done` removes a branch that is merged",
        )
    },
    Rule {
        when: When::Words(&["git filter-branch", "git filter-repo", "bfg", "git-filter-repo", "git replay"]),
        denied: &["git filter-branch --tree-filter true -- --all", "git filter-repo --path x --invert-paths"],
        allowed: &["git log --follow x"],
        ..deny("git-history-rewrite", "it rewrites every commit", "commit on top: `git revert HEAD`")
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            verb(call, "worktree").is_some_and(|found| found.operand(0) == "remove" && found.any(&["-f", "--force"]))
                || verb(call, "submodule")
                    .is_some_and(|found| found.operand(0) == "deinit" && found.any(&["-f", "--force"]))
        }),
        denied: &["git worktree remove --force ../wt", "git submodule deinit -f --all"],
        allowed: &["git worktree list", "git worktree remove ../wt", "git worktree prune --dry-run"],
        ..deny(
            "git-worktree-remove",
            "it removes a work tree with its changes",
            "`git worktree remove ../wt` refuses when there are changes",
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
        ..deny("git-tag-delete-all", "it removes whichever tags come up", "name the one that you made")
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            with(call, "checkout-index", &["-f", "--force"])
                || with(call, "read-tree", &["--reset", "-u"])
                || verb(call, "rm").is_some_and(|found| {
                    found.has("-r")
                        && !found.any(&["--cached", "-n", "--dry-run"])
                        && found.operands.iter().any(|arg| {
                            matches!(arg.text.as_str(), "." | "./" | "*") || arg.text.chars().all(marks::is_wildcard)
                        })
                })
        }),
        denied: &["git checkout-index -a -f", "git read-tree --reset -u HEAD", "git rm -rf ."],
        allowed: &["git rm --cached secrets.env", "git rm -r old/module"],
        ..deny(
            "git-overwrite",
            "it overwrites or removes the files of the work tree",
            "keep changes first: `git stash push -u`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| skips_hooks(call)),
        denied: &[
            "git commit --no-verify -m wip",
            "git commit -nm wip",
            "git -c core.hooksPath=/dev/null commit -m x",
            "HUSKY=0 git commit -m x",
        ],
        allowed: &["git commit -m 'no -n here'", "git push -n origin main", "git config core.hooksPath .githooks"],
        ..deny(
            "git-skip-hooks",
            "it skips the checks that this repository runs",
            "mend what the hook found: `git commit -m wip`",
        )
    },
    Rule {
        when: When::Words(&[
            "hg purge",
            "hg strip",
            "hg update -C|--clean",
            "hg revert -a|--all",
            "svn revert -R|--recursive",
            "jj abandon",
            "jj op abandon",
        ]),
        denied: &["hg update -C", "hg purge --all", "svn revert -R ."],
        allowed: &["hg status", "jj describe -m x"],
        ..deny("vcs-discard", "it throws away changes", "keep them first; `hg status` shows what there is")
    },
];
