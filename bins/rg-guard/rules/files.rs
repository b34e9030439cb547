//! Rules about removing files.

use super::context::Context;
use super::rule::{Rule, When, deny};
use crate::command::path::Class;
use crate::command::{Call, flags, marks};

/// Programs that remove what their operands name.
pub const REMOVERS: &[&str] = &[
    "rm",
    "grm",
    "tar",
    "gtar",
    "bsdtar",
    "zip",
    "unlink",
    "zf_rm",
    "shred",
    "gshred",
    "srm",
    "wipe",
    "rimraf",
    "del",
    "del-cli",
    "rmdir",
    "Remove-Item",
    "ri",
    "7z",
    "7za",
    "7zr",
    "7zz",
    "rsync",
];

/// The paths that a call removes, and whether recursively.
pub fn removed_paths(call: &Call) -> Option<(&[String], bool)> {
    let (paths, deep) = call.cache.removed_paths.get_or_init(|| find_removed_paths(call)).as_ref()?;
    Some((paths, *deep))
}

fn find_removed_paths(call: &Call) -> Option<(Vec<String>, bool)> {
    if matches!(call.name.as_str(), "tar" | "gtar" | "bsdtar" | "zip" | "7z" | "7za" | "7zr" | "7zz" | "rsync") {
        return packed_away(call).map(|paths| (paths, true));
    }
    if !REMOVERS.contains(&call.name.as_str()) {
        return None;
    }
    let found = flags(&call.args, "-n -s --iterations --size --random-source");
    if found.any(&["--help", "--version"]) {
        return None;
    }
    let deep = match call.name.as_str() {
        "rm" | "grm" | "zf_rm" | "srm" | "wipe" | "del" => found.any(&["-r", "-R", "--recursive"]),
        "rimraf" | "del-cli" => true,
        "Remove-Item" | "ri" => found.options.iter().any(|option| option.eq_ignore_ascii_case("-recurse")),
        // rmdir removes empty directories only.
        "rmdir" => return None,
        // shred destroys a file also without `-u`.
        _ => false,
    };
    let path = |text: &str| match call.name.as_str() {
        // These programs expand patterns themselves.
        "del" | "del-cli" | "rimraf" => marks::with_wildcards(text).into_owned(),
        "Remove-Item" | "ri" => of_a_drive(&text.replace('\\', "/")),
        _ => text.to_string(),
    };
    Some((found.operands.iter().map(|arg| path(&arg.text)).collect(), deep))
}

/// The files that are removed after they are archived or sent: `tar --remove-files`, `zip -m`, `7z -sdel`,
/// `rsync --remove-source-files`.
fn packed_away(call: &Call) -> Option<Vec<String>> {
    let (found, skip) = match call.name.as_str() {
        "zip" => (flags(&call.args, "-x -i -b -t"), 1),
        "7z" | "7za" | "7zr" | "7zz" => (flags(&call.args, ""), 2),
        "rsync" => {
            let found = flags(&call.args, "-e --rsh --exclude --include --filter -f");
            let removes = found.has("--remove-source-files") && !found.is_set(&["-n", "--dry-run"]);
            let count = found.operands.len().saturating_sub(1);
            return removes.then(|| found.operands.iter().take(count).map(|arg| arg.text.clone()).collect());
        }
        _ => (flags(&call.args, "-f -C -T -X --file --directory --exclude"), 0),
    };
    let takes = |option: &&str| match option.strip_prefix("--") {
        Some(long) => matches!(long, "remove-files" | "move"),
        None if call.name.starts_with("7z") => *option == "-sdel",
        None => call.name == "zip" && option.contains('m'),
    };
    found.options.iter().any(takes).then(|| found.operands.iter().skip(skip).map(|arg| arg.text.clone()).collect())
}

/// `C:/Users` as `/Users`.
fn of_a_drive(path: &str) -> String {
    match path.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 && rest.starts_with('/') => rest.to_string(),
        _ => path.to_string(),
    }
}

/// Whether a call removes a path for which the check holds.
pub(super) fn removes(call: &Call, context: &Context, is_bad: impl Fn(Class, &str, bool) -> bool) -> bool {
    let Some((paths, deep)) = removed_paths(call) else { return false };
    paths.iter().any(|path| is_bad(context.class(call, path), path, deep))
}

/// Whether a path is below a hidden name in a home directory, where programs keep their settings.
fn is_hidden(call: &Call, context: &Context, path: &str) -> bool {
    context.below_home(&context.whole(call, path)).is_some_and(|below| below.starts_with('.'))
}

/// Whether a path is an unknown name right below the root: `/{}`, `/$X`.
fn is_below_root(call: &Call, context: &Context, path: &str) -> bool {
    let whole = context.whole(call, path);
    let first = whole.trim_start_matches('/').split('/').next().unwrap_or("");
    path.starts_with('/') && (first == "{}" || first.starts_with(crate::command::marks::is_unknown))
}

/// Whether a path stands for the files of a selection: `*.jpg`, what `find` finds.
fn is_selection(path: &str) -> bool {
    path.contains([marks::ALL, marks::EACH]) || path.contains(marks::is_wildcard)
}

/// Whether a path is in a cache of a package manager, which downloads it again.
fn is_package_cache(whole: &str) -> bool {
    let caches = ["/var/lib/apt/lists/", "/var/cache/apt/", "/var/cache/apk/", "/var/cache/yum/", "/var/cache/dnf/"];
    caches.iter().any(|cache| whole.starts_with(cache))
}

fn device(path: &str) -> bool {
    path.starts_with("/dev/")
}

/// Whether `find -delete` and the like delete in a bad place.
pub(super) fn sweeps(call: &Call, context: &Context, is_bad: impl Fn(Class, bool) -> bool) -> bool {
    let mut deletes = call.args.iter().enumerate().filter(|(at, arg)| {
        // In `-name -delete` it is a pattern.
        arg.text == "-delete"
            && !(*at > 0 && matches!(call.args[at - 1].text.as_str(), "-name" | "-iname" | "-path" | "-regex"))
    });
    let writes = call.args.windows(2).filter(|pair| pair[0].text.starts_with("-fprint") || pair[0].text == "-fls");
    let mut written = writes.map(|pair| context.class(call, &pair[1].text));
    if written.any(|class| matches!(class, Class::System | Class::Root)) {
        return is_bad(Class::System, false);
    }
    deletes.any(|(at, _)| {
        let search = crate::command::search_at(call, at);
        let git = search.name.as_deref() == Some(".git");
        let class = |place: &String| if git { Class::Git } else { context.class(call, place) };
        search.places.iter().any(|place| is_bad(class(place), search.is_selective))
    })
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        core: true,
        when: When::Check(REMOVERS, |call, context| {
            removes(call, context, |class, _, _| matches!(class, Class::Root | Class::Home))
        }),
        denied: &[
            "rm -rf /",
            "rm -fr ~",
            "rm -rf \"$HOME\"/*",
            "cd / && rm -rf ./*",
            "sudo rm -rf -- /",
            "echo / | xargs rm -rf",
        ],
        allowed: &["rm -rf ./target", "echo 'rm -rf /'", "rm -rf /tmp/x"],
        ..deny(
            "rm-root-or-home",
            "it removes the whole system, or a whole home directory",
            "name the directory that you created: `rm -rf ./target`",
        )
    },
    Rule {
        core: true,
        when: When::Check(REMOVERS, |call, context| {
            removes(call, context, |class, path, _| class == Class::Git && !path.ends_with(".lock"))
        }),
        denied: &[
            "rm -rf .git",
            "rm -f .git/index",
            "rm -rf ../other/.git",
            "find . -path ./.git -exec rm -rf {} +",
            "find src -name x -exec rm {} + -o -path '*/.git/*' -exec rm -rf {} \\;",
        ],
        allowed: &["rm -rf .github/old", "rm .gitignore", "rm -f .git/index.lock"],
        ..deny(
            "rm-git",
            "it removes git's own files, and with them every unpushed commit",
            "leave them; `git status` shows what is wrong",
        )
    },
    Rule {
        when: When::Check(REMOVERS, |call, context| {
            removes(call, context, |class, path, deep| {
                (class == Class::System && (deep || !path.contains("/usr/local/")))
                    && !device(path)
                    && !is_package_cache(&context.whole(call, path))
                    || deep && is_below_root(call, context, path)
            })
        }),
        denied: &[
            "rm -rf /etc",
            "rm /etc/passwd",
            "rm -rf /e*",
            "rm -rf /var/log",
            "xargs sh -c 'rm -rf /{}'",
            "cat list | xargs -I{} rm -rf /{}",
        ],
        allowed: &["rm -rf /var/tmp/x", "rm -rf /var/lib/apt/lists/*", "rm -rf /var/cache/apt/archives/*.deb"],
        ..deny("rm-system", "it removes system files", "use the package manager, or ask the user")
    },
    Rule {
        when: When::Check(REMOVERS, |call, context| {
            removes(call, context, |class, _, deep| {
                matches!(class, Class::Project | Class::Above) && (deep || class == Class::Project)
            })
        }),
        denied: &[
            "rm -rf .",
            "rm -rf *",
            "setopt extendedglob; rm -rf ^src",
            "rm -rf ..",
            "git ls-files | xargs rm",
            "for f in *; do rm -rf \"$f\"; done",
            "find . -type f -exec rm {} + -o -path ./.git -exec rm -rf {} \\;",
            "find . -name node_modules -prune -o -type f -exec rm {} +",
        ],
        allowed: &[
            "rm -rf ./dist/*",
            "cd target && rm -rf *",
            "rm -f *.o",
            "find . \\( -name '*.o' -o -name '*.d' \\) -exec rm {} +",
            "find . -name '*.o' -exec rm {} + -o -name '*.d' -exec rm {} +",
            "find . -path ./.git -prune -o -name '*.pyc' -exec rm {} +",
        ],
        ..deny(
            "rm-project",
            "it removes the whole project, or more",
            "name the directory that you created: `rm -rf ./target`",
        )
    },
    Rule {
        when: When::Check(REMOVERS, |call, context| {
            removes(call, context, |class, path, deep| {
                class == Class::InHome && (deep || is_hidden(call, context, path) || is_selection(path))
            })
        }),
        denied: &[
            "rm -rf ~/Documents",
            "rm -f ~/.ssh/id_ed25519",
            "rm -rf ~/.config",
            "rm -f ~/photos/*",
            "cd ~/photos && rm *",
            "find ~/photos -type f -exec rm {} +",
        ],
        allowed: &["rm -rf /tmp/foo"],
        ..deny(
            "rm-home",
            "it removes files of a home directory outside of the project",
            "remove only inside of the project: `rm -rf ./target`",
        )
    },
    Rule {
        when: When::Check(REMOVERS, |call, context| {
            removes(call, context, |class, path, deep| (deep || path.contains(marks::ALL)) && class == Class::MaybeRoot)
        }),
        denied: &["rm -rf \"$UNSET/\"", "rm -rf \"${PREFIX}\"/*", "rm -rf $ROOT/bin"],
        allowed: &["D=/tmp/x; rm -rf \"$D/work\"", "rm -rf \"$TMPDIR/x\"", "W=$(mktemp -d); rm -rf \"$W/work\""],
        ..deny(
            "rm-empty-variable",
            "it removes from the root directory on where that variable is empty",
            "write the path in full: `rm -rf ./target`",
        )
    },
    Rule {
        when: When::Check(&["find", "gfind", "bfs"], |call, context| {
            sweeps(call, context, |class, is_selective| match class {
                Class::Root
                | Class::Home
                | Class::System
                | Class::Above
                | Class::InHome
                | Class::Git
                | Class::MaybeRoot => true,
                Class::Project => !is_selective,
                _ => false,
            })
        }),
        denied: &[
            "find / -delete",
            "find . -delete",
            "find ~ -name '*.log' -delete",
            "find \"$DIR/\" -delete",
            "find . -not -path './.git/*' -delete",
            "find . ! \\( -name a -o -name b \\) -delete",
            "find . -name x -print -o -type f -delete",
            "find . -path './.git/*' -delete",
        ],
        allowed: &[
            "find . -name '*.pyc' -delete",
            "find target -name '*.d' -delete",
            "find . -name -delete -print",
            "find . -path ./.git -prune -o -name '*.orig' -delete",
            "find . -not -path './.git/*' -name '*.orig' -delete",
        ],
        ..deny(
            "find-delete",
            "it removes everything that it finds there",
            "list the files first: `find . -name '*.pyc'`",
        )
    },
    Rule {
        when: When::Check(&["mv", "gmv"], |call, context| {
            let found = flags(&call.args, "-t -S --target-directory --suffix");
            let count = found.operands.len();
            let lost = found.operand(count.saturating_sub(1)) == "/dev/null";
            let sources = found.operands.iter().take(count.saturating_sub(1)).map(|arg| context.class(call, &arg.text));
            lost || sources.into_iter().any(|class| {
                matches!(class, Class::Root | Class::Home | Class::System | Class::Project | Class::Above | Class::Git)
            })
        }),
        denied: &["mv ~ /tmp/x", "mv .git /tmp/", "mv src/main.rs /dev/null", "mv /etc/passwd /tmp"],
        allowed: &["mv -f a b", "mv src/a.rs src/b.rs"],
        ..deny("mv-away", "it moves away something that others rely on", "copy what you need: `cp -r src /tmp/src`")
    },
    Rule {
        when: When::Check(&["rsync", "rclone"], |call, context| {
            let found = flags(&call.args, "-e --rsh --exclude --include --filter -f");
            let deletes =
                found.options.iter().any(|option| option.starts_with("--del")) && !found.is_set(&["-n", "--dry-run"]);
            let target = found.operands.last().map(|arg| context.class(call, &arg.text));
            deletes
                && target.is_some_and(|class| {
                    matches!(
                        class,
                        Class::Root
                            | Class::Home
                            | Class::System
                            | Class::Above
                            | Class::Project
                            | Class::Git
                            | Class::MaybeRoot
                    )
                })
        }),
        denied: &["rsync -a --delete empty/ ~/", "rsync -a --delete empty/ ."],
        allowed: &["rsync -av src/ dst/", "rsync -an --delete a/ ."],
        ..deny(
            "rsync-delete",
            "it removes everything in the target that is not in the source",
            "do a dry run first: `rsync -an --delete a/ b/`",
        )
    },
];
