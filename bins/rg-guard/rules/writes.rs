//! Rules about writing files: redirections, and programs that write what their operands name.

use super::context::Context;
use super::rule::{Rule, When, ask, deny};
use crate::command::path::Class;
use crate::command::{Call, flags};

/// The paths that a call writes, each with whether it appends.
pub fn written_paths(call: &Call) -> &[(String, bool)] {
    call.cache.written_paths.get_or_init(|| find_written_paths(call))
}

fn find_written_paths(call: &Call) -> Vec<(String, bool)> {
    let mut paths: Vec<(String, bool)> = call.writes.iter().map(|write| (write.path.clone(), write.append)).collect();
    let operands =
        |valued: &str| flags(&call.args, valued).operands.iter().map(|arg| arg.text.clone()).collect::<Vec<_>>();
    let has = |name: &str| flags(&call.args, "").has(name);
    match call.name.as_str() {
        "tee" | "gtee" => paths.extend(operands("").into_iter().map(|path| (path, has("-a") || has("--append")))),
        "sponge" => paths.extend(operands("").into_iter().map(|path| (path, has("-a")))),
        "cp" | "gcp" | "mv" | "gmv" | "install" | "ln" | "gln" | "scp" | "rsync" => {
            let found = flags(
                &call.args,
                "-t -S -m -o -g --target-directory --suffix --mode --owner --group -e -i -P- -F -l- --exclude",
            );
            let dry = call.name == "rsync" && found.any(&["-n", "--dry-run"]);
            if dry {
                return paths;
            }
            let target = found.value("-t").or_else(|| found.value("--target-directory"));
            let last = if found.operands.len() > 1 { found.operands.last().map(|arg| arg.text.clone()) } else { None };
            // The target may be a directory: then the file in it is written.
            for path in target.into_iter().chain(last) {
                if let [from, _] = found.operands.as_slice() {
                    let name = from.text.trim_end_matches('/').rsplit('/').next().unwrap_or("").to_string();
                    paths.push((format!("{}/{name}", path.trim_end_matches('/')), false));
                }
                paths.push((path, false));
            }
        }
        "truncate" | "gtruncate" => {
            paths.extend(operands("-s -r --size --reference").into_iter().map(|path| (path, false)))
        }
        "fallocate" => paths.extend(operands("-l -o --length --offset").into_iter().map(|path| (path, false))),
        "touch" => paths.extend(operands("-d -t -r --date --reference").into_iter().map(|path| (path, true))),
        "dd" => {
            paths.extend(call.args.iter().filter_map(|arg| Some((arg.text.strip_prefix("of=")?.to_string(), false))))
        }
        "sed" | "gsed"
            if call.args.iter().any(|arg| {
                arg.text.starts_with("-i")
                    || arg.text.starts_with("--in-p")
                    || arg.text.starts_with('-')
                        && !arg.text.starts_with("--")
                        && arg.text.contains('i')
                        && arg.text.len() < 5
            }) =>
        {
            let found = flags(&call.args, "-e -f --expression --file");
            let skip =
                usize::from(!found.any(&["-e", "--expression", "-f", "--file"]) || found.options.contains(&"-i"));
            let skip = if found.values.is_empty() { skip } else { 0 };
            paths.extend(found.operands.iter().skip(skip).map(|arg| (arg.text.clone(), false)));
        }
        "perl" | "ruby"
            if call
                .args
                .iter()
                .any(|arg| arg.text.starts_with("-") && arg.text[1..].contains('i') && arg.text.len() < 8) =>
        {
            paths.extend(operands("-e -E -I -M").into_iter().map(|path| (path, false)));
        }
        "curl" | "wget" | "aria2c" => {
            let found = flags(&call.args, "-o -O --output --output-document -H -d -X -u -A");
            let named = if call.name == "curl" { found.value("-o") } else { found.value("-O") };
            paths.extend(
                named
                    .or_else(|| found.value("--output"))
                    .or_else(|| found.value("--output-document"))
                    .map(|path| (path, false)),
            );
        }
        "apply_patch" | "applypatch" => {
            let text = call.input.as_deref().unwrap_or("");
            let given = call.args.iter().flat_map(|arg| arg.text.lines());
            paths.extend(text.lines().chain(given).filter_map(patched_file).map(|path| (path.to_string(), false)));
        }
        "patch" => paths.extend(operands("-p -i -d -o").into_iter().take(1).map(|path| (path, false))),
        "sort" => paths.extend(flags(&call.args, "-o -k -t -T -S").value("-o").map(|path| (path, false))),
        "visudo" if call.args.iter().any(|arg| arg.text.starts_with("-c") || arg.text == "--check") => {}
        "git" => {
            let outputs =
                call.args.windows(2).filter(|pair| pair[0].text == "--output").map(|pair| pair[1].text.as_str());
            let joined = call.args.iter().filter_map(|arg| arg.text.strip_prefix("--output="));
            paths.extend(outputs.chain(joined).map(|path| (path.to_string(), false)));
        }
        "visudo" => paths.push(("/etc/sudoers".into(), false)),
        _ => {}
    }
    paths
}

/// The file that a line of a patch names, in the formats that agents write.
pub fn patched_file(line: &str) -> Option<&str> {
    let marks = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/"];
    marks.iter().find_map(|mark| line.trim().strip_prefix(mark)).map(str::trim)
}

fn writes(call: &Call, context: &Context, is_bad: impl Fn(Class, &str, bool) -> bool) -> bool {
    // A path of a container counts only in its mounts.
    let mut written = written_paths(call).iter().filter(|(path, _)| !is_stream(path) && !call.is_remote_path(path));
    written.any(|(path, append)| is_bad(context.class(call, path), path, *append))
}

/// Whether a path is not a file.
fn is_stream(path: &str) -> bool {
    path.starts_with("/dev/") || path == "-" || path.contains("://") || path.starts_with("/proc/self/fd/")
}

/// Whether a program installs a file of its own there.
fn installs(call: &Call, path: &str) -> bool {
    path.starts_with("/usr/local/")
        || path.starts_with("/etc/apt/")
        || path.starts_with("/usr/share/") && call.name != "sed"
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(&["*"], |call, context| {
            writes(call, context, |class, path, _| {
                matches!(class, Class::System | Class::Root) && !installs(call, path) && call.name != "touch"
            })
        }),
        denied: &[
            "echo x > /etc/passwd",
            "tee -a /etc/sudoers",
            "cp /dev/null /etc/passwd",
            "sed -i d /etc/passwd",
            "exec > /etc/passwd",
            "truncate -s 0 /etc/hosts",
        ],
        allowed: &[
            "echo x >> CHANGELOG.md",
            "cp /etc/hosts ./hosts.bak",
            "grep root /etc/passwd > users.txt",
            "echo '> /etc/passwd'",
        ],
        ..deny("write-system", "it changes system files", "write a copy in the project: `cp /etc/hosts ./hosts.new`")
    },
    Rule {
        when: When::Check(&["*"], |call, context| {
            let empties =
                matches!(call.name.as_str(), "" | ":" | "true" | "truncate" | "gtruncate" | "echo" | "printf");
            empties && writes(call, context, |class, _, append| class == Class::Project && !append)
        }),
        denied: &["truncate -s0 $(git ls-files)", "for f in $(git ls-files); do : > \"$f\"; done"],
        allowed: &["truncate -s0 app.log", "for f in a b; do : > \"$f\"; done"],
        ..deny("write-project", "it empties every file of the project", "name your own file: `truncate -s0 app.log`")
    },
    Rule {
        core: true,
        when: When::Check(&["*"], |call, context| {
            writes(call, context, |class, path, _| {
                class == Class::Git
                    && !path.ends_with("info/exclude")
                    && !path.ends_with("_EDITMSG")
                    && !path.ends_with("_MSG")
                    && !path.contains("/hooks/")
            })
        }),
        denied: &["> .git/index", "echo '' > .git/HEAD", "cp x .git/config"],
        allowed: &["echo target >> .git/info/exclude", "echo x > .gitignore"],
        ..deny("write-git", "it overwrites git's own files", "use git: `git config user.name x`")
    },
    Rule {
        when: When::Check(&["*"], |call, context| {
            writes(call, context, |class, path, _| class == Class::Git && path.contains("/hooks/"))
        }),
        denied: &["echo 'exit 0' > .git/hooks/pre-commit"],
        allowed: &["echo 'exit 0' > .githooks/pre-commit"],
        ..deny(
            "write-git-hooks",
            "it changes the checks that git runs",
            "put hooks into the project: `git config core.hooksPath .githooks`",
        )
    },
    Rule {
        when: When::Check(&["*"], |call, context| {
            writes(call, context, |class, path, append| {
                let below = context.below_home(&context.whole(call, path)).unwrap_or_default();
                let hidden = class == Class::InHome
                    && below.starts_with('.')
                    && !below.starts_with(".local/bin")
                    && !below.starts_with(".local/share/");
                let keys = below.starts_with(".ssh/") || below.starts_with(".gnupg/");
                hidden && (!append && call.name != "touch" && call.name != "sed" || keys)
            })
        }),
        denied: &["echo > ~/.bashrc", "> ~/.ssh/id_ed25519", "echo key >> ~/.ssh/authorized_keys"],
        allowed: &["echo x > notes.md", "echo x > /tmp/out"],
        ..deny(
            "write-home-settings",
            "it overwrites settings or keys of a home directory",
            "set it for this project only: `export EDITOR=vi`",
        )
    },
    Rule {
        when: When::Check(&["*"], |call, context| {
            writes(call, context, |class, path, append| {
                let below = context.below_home(&context.whole(call, path)).unwrap_or_default();
                class == Class::InHome && below.starts_with('.') && (append || call.name == "sed")
                    || class == Class::System && installs(call, path)
            })
        }),
        denied: &["echo 'export A=1' >> ~/.bashrc", "cp tool /usr/local/bin/tool"],
        allowed: &["echo 'export A=1' >> .envrc"],
        ..ask(
            "write-outside",
            "it changes settings outside of the project",
            "set it for this project only: `export EDITOR=vi`",
        )
    },
];
