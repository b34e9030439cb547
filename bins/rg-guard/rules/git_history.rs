//! Rules about git commands that lose work: uncommitted changes, commits.

use super::rule::{Rule, When, ask, deny};
use super::scratch_repositories::is_scratch;
use crate::command::path::Class;
use crate::command::{Arg, Call, Flags, flags, marks, valued_options};

/// The options and operands after a subcommand; None for another subcommand, and where git prints its help.
pub(super) fn verb<'a>(call: &'a Call, name: &str) -> Option<Flags<'a>> {
    if call.args.first()?.text != name {
        return None;
    }
    let found = flags(&call.args[1..], valued_options::of_git(name));
    if found.options.contains(&"--help") || found.options.contains(&"-h") { None } else { Some(found) }
}

pub(super) fn with(call: &Call, name: &str, options: &[&str]) -> bool {
    verb(call, name).is_some_and(|found| found.any(options))
}

/// Suffixes of file names: an operand of checkout with one is not a branch.
const ENDINGS: [&str; 30] = [
    "rs", "py", "js", "ts", "tsx", "jsx", "go", "c", "h", "cpp", "cc", "hpp", "java", "kt", "rb", "php", "sh", "md",
    "txt", "json", "yml", "yaml", "toml", "css", "html", "sql", "swift", "cs", "lock", "vue",
];

/// Whether a path is a file by its name.
fn is_file(text: &str) -> bool {
    !text.contains(marks::is_mark) && text.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// Whether an operand is a pathspec with magic, which selects more than one file: `:/`, `:(top)`, `:!x`.
fn is_magic(text: &str) -> bool {
    [":/", ":(", ":!", ":^"].iter().any(|start| text.starts_with(start))
}

/// Whether an input answers the questions of `-p` so that changes go: `yes |`, `< answers`.
fn is_answered(call: &Call) -> bool {
    let keeps = |line: &str| matches!(line.trim(), "" | "n" | "q" | "d" | "?");
    call.input.as_deref().is_some_and(|text| !text.lines().all(keeps))
}

fn checkout_discards(call: &Call) -> bool {
    let Some(found) = verb(call, "checkout") else { return false };
    let creates = call.args.iter().any(|arg| matches!(arg.text.as_str(), "-b" | "-B" | "--orphan"));
    if found.any(&["-f", "--force"]) {
        return true;
    }
    if found.any(&["-p", "--patch"]) {
        return is_answered(call);
    }
    if creates || found.any(&["--ours", "--theirs"]) {
        return false;
    }
    let after = call.args.iter().position(|arg| arg.text == "--").map(|at| call.args.len() - at - 1);
    let is_path = |text: &str| {
        text == "."
            || text == ".."
            || text.starts_with("./")
            || text.ends_with('/')
            || is_magic(text)
            || text.contains(marks::is_wildcard)
    };
    let after = after.unwrap_or(0);
    // What a stash added is a file.
    if found.operand(0).starts_with("stash@{") && after == 1 && found.operands.len() == 2 && !is_path(found.operand(1))
    {
        return false;
    }
    // Files after the dashes that have no ending may be directories.
    after > 0 && !found.operands.iter().rev().take(after).all(|arg| is_file(&arg.text))
        || found.has("--pathspec-from-file")
        || found.operands.iter().any(|arg| is_path(&arg.text))
}

/// Whether an earlier command saved the changes that a checkout or a restore discards. Staged ones may go with `-f` and `-S`.
fn is_saved(call: &Call) -> bool {
    let spares_index = |arg: &Arg| !matches!(arg.text.as_str(), "-f" | "--force" | "-S" | "--staged" | "-SW" | "-WS");
    call.git.has_saved_diff && call.args.iter().all(spares_index)
}

fn checkout_may_discard(call: &Call) -> bool {
    let Some(found) = verb(call, "checkout") else { return false };
    let names_branch = call.args.iter().any(|arg| {
        matches!(arg.text.as_str(), "-b" | "-B" | "--orphan" | "-t" | "--track" | "-p" | "--ours" | "--theirs")
    });
    !names_branch && (found.operands.len() > 1 || found.operands.iter().any(|arg| is_file(&arg.text)))
}

fn restore_discards(call: &Call) -> bool {
    let Some(found) = verb(call, "restore") else { return false };
    let staged_only = found.any(&["-S", "--staged"]) && !found.any(&["-W", "--worktree"]);
    let named = !found.operands.is_empty() || found.has("--pathspec-from-file");
    if found.any(&["-p", "--patch"]) {
        return !staged_only && is_answered(call);
    }
    named && !staged_only
}

/// Whether a restore names files only.
fn restores_files(call: &Call) -> bool {
    let Some(found) = verb(call, "restore") else { return false };
    let is_listed = found.has("--pathspec-from-file") || found.operands.is_empty();
    !is_listed && found.operands.iter().all(|arg| is_file(&arg.text))
}

fn cleans(call: &Call) -> bool {
    let Some(found) = verb(call, "clean") else { return false };
    let lenient = call.assigns.iter().any(|(name, value)| {
        name == "git:clean.requireforce" && matches!(value.as_str(), "false" | "0" | "no" | "off")
    });
    // `yes |` answers the question of `-i`.
    let asks = found.any(&["-i", "--interactive"]) && call.input.is_none();
    let forced = found.any(&["-f", "--force"]) || lenient || found.any(&["-i", "--interactive"]);
    forced && !asks && !found.is_set(&["-n", "--dry-run"])
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(&["git"], |call, context| {
            // git accepts `--h` for `--hard`.
            let is_hard = with(call, "reset", &["--hard", "--merge"])
                || verb(call, "reset").is_some_and(|found| found.options.contains(&"--h"));
            is_hard && !is_scratch(call, context)
        }),
        denied: &["git reset --hard", "git reset --har HEAD~1", "git -C x reset -q --hard"],
        allowed: &[
            "git reset -- src/main.rs",
            "git reset --soft HEAD~1",
            "git reset --hard --help",
            "git clone https://x/y /tmp/y && cd /tmp/y && git reset --hard v1.0",
        ],
        ..deny(
            "git-reset-hard",
            "it throws away changes that are not committed",
            "keep them first: `git stash push -u`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, context| {
            checkout_discards(call) && !is_saved(call) && !is_scratch(call, context)
        }),
        denied: &[
            "git checkout -- .",
            "git checkout .",
            "git checkout HEAD -- src/",
            "git checkout -qf main",
            "git checkout ':(top)'",
            "yes | git checkout -p",
        ],
        allowed: &["git checkout -b feature/x", "git checkout -", "git checkout --orphan new", "git checkout -p"],
        ..deny(
            "git-checkout-discard",
            "it overwrites changes that are not committed",
            "keep them first: `git stash push -u`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, context| {
            let is_asked = checkout_may_discard(call)
                || restore_discards(call) && restores_files(call)
                || is_saved(call) && (checkout_discards(call) || restore_discards(call));
            is_asked && !is_scratch(call, context)
        }),
        denied: &[
            "git checkout main src/lib.rs",
            "git checkout src/lib.rs",
            "git checkout -- src/lib.rs",
            "git restore src/lib.rs",
            "git checkout stash@{0} -- newfile",
            "git diff > /tmp/x.patch && git checkout . && git apply /tmp/x.patch",
        ],
        allowed: &["git checkout -b hotfix origin/main", "git checkout main"],
        ..ask(
            "git-checkout-file",
            "it may overwrite changes in that file",
            "set the changes aside, so that they can come back: `git stash push -- src/lib.rs`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, context| {
            restore_discards(call) && !restores_files(call) && !is_saved(call) && !is_scratch(call, context)
        }),
        denied: &["git restore .", "git restore -SW .", "git restore --worktree src/"],
        allowed: &["git restore --staged .", "git restore -S src/main.rs"],
        ..deny(
            "git-restore-discard",
            "it overwrites changes that are not committed",
            "keep them first: `rg-rescue save` or `git stash push -u`; `git restore --staged .` only unstages",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, context| {
            with(call, "switch", &["-f", "--force", "--discard-changes"]) && !is_scratch(call, context)
        }),
        denied: &["git switch -f main", "git switch --discard-changes main"],
        allowed: &["git switch -c feature/y", "git switch main"],
        ..deny(
            "git-switch-discard",
            "it throws away changes that are not committed",
            "keep them first: `git stash push -u`",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, context| cleans(call) && !is_scratch(call, context)),
        denied: &["git clean -fdx", "git clean -f", "git -c clean.requireForce=false clean -d"],
        allowed: &["git clean -ndx", "git clean -nfdx"],
        ..deny(
            "git-clean",
            "it removes files that are in no commit",
            "list them: `git clean -nd`, take a backup: `rg-rescue save`, then remove your own files by name",
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
            "it removes stashed changes for good",
            "leave them; `git stash apply` applies and keeps them",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            let expires = verb(call, "reflog").is_some_and(|found| {
                matches!(found.operand(0), "expire" | "delete" | "drop") && !found.is_set(&["-n", "--dry-run"])
            });
            let prunes = verb(call, "gc")
                .is_some_and(|found| found.value("--prune").is_some_and(|when| when == "now" || when == "all"));
            let set = |(name, value): &(String, String)| {
                matches!(name.as_str(), "git:gc.pruneexpire" | "git:gc.reflogexpire" | "git:gc.reflogexpireunreachable")
                    && matches!(value.as_str(), "now" | "all" | "0")
            };
            let prunes = prunes || verb(call, "gc").is_some() && call.assigns.iter().any(set);
            let removes = verb(call, "prune").is_some_and(|found| !found.is_set(&["-n", "--dry-run"]));
            expires || prunes || removes
        }),
        denied: &[
            "git reflog expire --expire=now --all",
            "git reflog delete HEAD@{1}",
            "git gc --prune=now --aggressive",
        ],
        allowed: &["git reflog", "git reflog show main", "git gc"],
        ..deny("git-reflog-expire", "it removes the only references to lost commits", "leave it to git: `git gc`")
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            // The output of `git diff` applied in reverse discards every uncommitted change.
            verb(call, "apply").is_some_and(|found| {
                let given = call.input.is_some() || found.operands.iter().any(|arg| arg.text.starts_with("/dev/fd/"));
                found.any(&["-R", "--reverse"]) && given && !found.any(&["--check", "--cached", "--stat"])
            })
        }),
        denied: &["git diff | git apply -R", "git apply --reverse <(git diff)"],
        allowed: &["git apply -R fix.patch", "git diff | git apply --check -R"],
        ..deny("git-apply-reverse", "it reverts changes that are not committed", "keep them first: `git stash push -u`")
    },
    Rule {
        when: When::Words(&[
            "git filter-branch",
            "git filter-repo !--analyze",
            "bfg",
            "git-filter-repo !--analyze",
            "git replay",
            "java -jar=*bfg*.jar",
            "python|python3 *git-filter-repo*",
        ]),
        denied: &["git filter-branch --tree-filter true -- --all", "git filter-repo --path x --invert-paths"],
        allowed: &["git log --follow x"],
        ..deny("git-history-rewrite", "it rewrites the whole history", "add a commit: `git revert HEAD`")
    },
    Rule {
        when: When::Check(&["git"], |call, context| {
            // A directory for temporary files keeps nothing; a second `--force` removes a locked work tree.
            let is_force = |arg: &&Arg| matches!(arg.text.as_str(), "-f" | "--force");
            let is_locked = call.args.iter().filter(is_force).count() > 1;
            let is_kept = |path: &str| is_locked || !path.starts_with('/') || context.class(call, path) != Class::Temp;
            verb(call, "worktree").is_some_and(|found| {
                found.operand(0) == "remove" && found.any(&["-f", "--force"]) && is_kept(found.operand(1))
            }) || verb(call, "submodule")
                .is_some_and(|found| found.operand(0) == "deinit" && found.any(&["-f", "--force"]))
        }),
        denied: &["git worktree remove --force ../wt", "git submodule deinit -f --all"],
        allowed: &[
            "git worktree list",
            "git worktree remove ../wt",
            "git worktree prune --dry-run",
            "git worktree remove --force /tmp/wt",
        ],
        ..deny(
            "git-worktree-remove",
            "it removes a work tree with its changes",
            "remove it without `--force`: `git worktree remove ../wt` fails where there are changes",
        )
    },
    Rule {
        when: When::Check(&["git"], |call, _| {
            verb(call, "checkout-index").is_some_and(|found| {
                found.any(&["-f", "--force"]) && found.value("--prefix").is_none_or(|prefix| prefix.is_empty())
            }) || with(call, "read-tree", &["--reset", "-u"])
                || verb(call, "rm").is_some_and(|found| {
                    found.has("-r")
                        && !found.has("--cached")
                        && !found.is_set(&["-n", "--dry-run"])
                        && found.operands.iter().any(|arg| {
                            matches!(arg.text.as_str(), "." | "./" | "*")
                                || is_magic(&arg.text)
                                || arg.text.chars().all(marks::is_wildcard)
                        })
                        || !found.has("--cached")
                            && !found.is_set(&["-n", "--dry-run"])
                            && found.operands.iter().any(|arg| arg.text.contains(marks::ALL))
                })
        }),
        denied: &["git checkout-index -a -f", "git read-tree --reset -u HEAD", "git rm -rf .", "git rm -r :/"],
        allowed: &["git rm --cached secrets.env", "git rm -r old/module"],
        ..deny(
            "git-overwrite",
            "it overwrites or removes the files of the work tree",
            "keep changes first: `git stash push -u`",
        )
    },
    Rule {
        when: When::Words(&[
            "hg purge",
            "hg strip",
            "hg ... strip",
            "hg update -C|--clean",
            "hg revert -a|--all",
            "svn revert -R|--recursive",
            "svn delete|del|remove|rm *://*",
            "p4 revert -w",
            "p4 revert //...",
            "p4 obliterate",
            "p4 clean !-n",
            "jj abandon",
            "jj op abandon",
        ]),
        denied: &["hg update -C", "hg purge --all", "svn revert -R ."],
        allowed: &["hg status", "jj describe -m x"],
        ..deny("vcs-discard", "it discards changes", "keep them first; `hg status` lists them")
    },
];
