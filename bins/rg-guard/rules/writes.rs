//! Rules about writing files: redirections, and programs that write what their operands name.

use super::context::Context;
use super::rule::{Rule, When, ask, deny};
use crate::command::path::Class;
use crate::command::{Call, flags, marks};

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
            let dry = call.name == "rsync" && found.is_set(&["-n", "--dry-run"]);
            if dry {
                return paths;
            }
            let target = found.value("-t").or_else(|| found.value("--target-directory"));
            let mut sources = found.operands.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>();
            let last = if target.is_none() && sources.len() > 1 { sources.pop().map(str::to_string) } else { None };
            // The target may be a directory: then the files in it are written.
            for path in target.into_iter().chain(last) {
                let dir = path.trim_end_matches('/');
                let names = sources.iter().take(MAX_SOURCES).map(|from| from.trim_end_matches('/').rsplit('/').next());
                paths.extend(names.map(|name| (format!("{dir}/{}", name.unwrap_or("")), false)));
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
        "curl" | "wget" | "wget2" | "aria2c" => paths.extend(downloads(call).into_iter().map(|path| (path, false))),
        "vim" | "vi" | "nvim" | "ex" | "ed" | "nano" if call.name == "ed" || call.name == "ex" || is_batch(call) => {
            paths.extend(
                operands("-c --cmd -S -s -u -T -p")
                    .into_iter()
                    .filter(|path| !path.starts_with('+'))
                    .map(|path| (path, true)),
            )
        }
        "yq" | "tomlq" | "xq" | "jaq" | "sd" | "prettier" | "dasel" | "gawk" | "awk" | "json" | "jsonlint"
            if edits(call) =>
        {
            paths.extend(operands("-f -e -i -p -o").into_iter().map(|path| (path, true)))
        }
        "script" => paths
            .extend(operands("-c -E -T -O -I -B -m -o --command").into_iter().take(1).map(|path| (path, has("-a")))),
        "apply_patch" | "applypatch" => {
            let text = call.input.as_deref().unwrap_or("");
            let given = call.args.iter().flat_map(|arg| arg.text.lines());
            paths.extend(text.lines().chain(given).filter_map(patched_file).map(|path| (path.to_string(), false)));
        }
        "patch" => paths.extend(operands("-p -i -d -o").into_iter().take(1).map(|path| (path, false))),
        "grep" | "ls" | "ssh" | "ps" | "mount" | "rg" | "cat" | "set" | "find" | "test" | "lsof" | "jq" => {}
        "visudo" if call.args.iter().any(|arg| arg.text.starts_with("-c") || arg.text == "--check") => {}
        "git" => {
            let outputs =
                call.args.windows(2).filter(|pair| pair[0].text == "--output").map(|pair| pair[1].text.as_str());
            let joined = call.args.iter().filter_map(|arg| arg.text.strip_prefix("--output="));
            paths.extend(outputs.chain(joined).map(|path| (path.to_string(), false)));
        }
        "visudo" => paths.push(("/etc/sudoers".into(), false)),
        _ => paths.extend(outputs(call).map(|path| (path, false))),
    }
    paths
}

/// How many sources of one copy are followed by name.
const MAX_SOURCES: usize = 256;

/// Options of any program whose value is a file that it writes.
const OUTPUT_OPTIONS: [&str; 9] =
    ["-o", "-out", "--out", "--output", "--outfile", "--output-file", "--out-file", "-outfile", "--log-file"];

/// The files of output options: `sort -o FILE`, `openssl -out FILE`, `pandoc --output=FILE`.
fn outputs(call: &Call) -> impl Iterator<Item = String> {
    let apart = call.args.windows(2).filter(|pair| OUTPUT_OPTIONS.contains(&pair[0].text.as_str()));
    let apart = apart.map(|pair| pair[1].text.clone()).filter(|path| !path.starts_with('-'));
    let joined = call.args.iter().filter_map(|arg| {
        let (name, path) = arg.text.split_once('=')?;
        (name.starts_with("--") && OUTPUT_OPTIONS.contains(&name)).then(|| path.to_string())
    });
    apart.chain(joined)
}

/// The files that a download writes.
fn downloads(call: &Call) -> Vec<String> {
    let is_curl = call.name == "curl";
    let found = flags(
        &call.args,
        if is_curl {
            "-o --output --output-dir -D --dump-header -c --cookie-jar -H -d -X -u -A -T -F -e -m --trace --stderr"
        } else if call.name == "aria2c" {
            "-o --out -d --dir --header -t"
        } else {
            "-O --output-document -P --directory-prefix -o --output-file --header --post-data -U -t -T -w"
        },
    );
    let all = |names: &[&str]| {
        let apart = found.values.iter().filter(|(option, _)| names.iter().any(|name| is_that(option, name)));
        let joined = names
            .iter()
            .filter(|name| found.values.is_empty() || name.starts_with("--"))
            .filter_map(|name| found.value(name));
        apart.map(|(_, value)| value.text.clone()).chain(joined).collect::<Vec<String>>()
    };
    let dirs = all(if is_curl { &["--output-dir"] } else { &["-P", "--directory-prefix", "-d", "--dir"] });
    let mut files = all(if is_curl {
        &["-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--stderr"]
    } else {
        &["-O", "--output-document", "-o", "--output-file", "--out"]
    });
    let keeps_name = !is_curl || found.any(&["-O", "--remote-name", "--remote-name-all"]);
    if keeps_name && (!dirs.is_empty() || is_curl) {
        let name =
            |url: &str| url.split(['?', '#']).next().and_then(|url| url.rsplit('/').next()).unwrap_or("").to_string();
        files.extend(found.operands.iter().map(|arg| name(&arg.text)).filter(|name| !name.is_empty()));
    }
    let Some(dir) = dirs.first() else { return files };
    files.into_iter().map(|file| if file.starts_with('/') { file } else { format!("{dir}/{file}") }).collect()
}

/// Whether an option is that one, alone or as the last letter of a bundle: `-sLo`.
fn is_that(option: &str, name: &str) -> bool {
    option == name || name.len() == 2 && !option.starts_with("--") && option.ends_with(&name[1..])
}

/// Whether an editor runs commands without a user.
fn is_batch(call: &Call) -> bool {
    let found = flags(&call.args, "-c --cmd -S -s");
    found.any(&["-es", "-Es", "-e", "-c", "--headless", "-s"]) || call.input.is_some()
}

/// Whether a program that prints by default writes its operands: `yq -i`, `prettier --write`, `gawk -i inplace`.
fn edits(call: &Call) -> bool {
    let found = flags(&call.args, "-f -e -p -o");
    match call.name.as_str() {
        "sd" => !found.any(&["-p", "--preview", "-s"]),
        "prettier" => found.any(&["--write", "-w"]),
        "json" => found.has("-I"),
        "awk" | "gawk" => call.args.windows(2).any(|pair| pair[0].text == "-i" && pair[1].text == "inplace"),
        "dasel" => call.args.first().is_some_and(|arg| matches!(arg.text.as_str(), "put" | "delete")),
        _ => found.any(&["-i", "--in-place", "--inplace"]),
    }
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
    path.starts_with("/dev/")
        || path == "-"
        || path.contains(':') && path.contains("://")
        || path.starts_with("/proc/self/fd/")
}

/// Whether a call copies `/dev/null`.
pub fn reads_nothing(call: &Call) -> bool {
    matches!(call.name.as_str(), "cp" | "gcp" | "install" | "ln" | "gln" | "cat" | "dd" | "tee" | "rsync")
        && (call.args.iter().any(|arg| matches!(arg.text.as_str(), "/dev/null" | "if=/dev/null"))
            || call.reads.iter().any(|path| path == "/dev/null"))
}

/// Whether a call of sed or perl leaves no line of the files that it edits.
fn deletes_lines(call: &Call) -> bool {
    let found = flags(&call.args, "-e --expression");
    let script = found.value("-e").or_else(|| found.value("--expression"));
    let script = script.unwrap_or_else(|| found.operand(0).to_string());
    let script = marks::literal(&script).replace(' ', "");
    let quiet = found.any(&["-n", "--quiet", "--silent"]);
    match call.name.as_str() {
        "sed" | "gsed" => {
            matches!(
                script.as_str(),
                "d" | "1,$d" | "1~1d" | "0~1d" | "/^/d" | "/$/d" | "/.*/d" | "//d" | "$!d" | "1!d"
            ) || quiet && !script.contains(['p', 'P', 'w', 'i', 'a', 'c'])
        }
        "perl" => quiet && !script.contains("print") && !script.contains("say"),
        _ => false,
    }
}

/// Whether a call adds to a log, or writes one of a program that the system does not have.
fn is_own_log(call: &Call, context: &Context, path: &str, append: bool) -> bool {
    let whole = context.whole(call, path);
    let Some(name) = whole.strip_prefix("/var/log/") else { return false };
    let systems = [
        "syslog",
        "messages",
        "auth",
        "secure",
        "kern",
        "dmesg",
        "wtmp",
        "btmp",
        "lastlog",
        "faillog",
        "audit",
        "journal",
        "boot",
        "cron",
        "daemon",
        "dpkg",
        "apt",
        "yum",
        "dnf",
        "maillog",
        "mail",
        "installer",
        "sudo",
    ];
    let first = name.split(['/', '.', '-']).next().unwrap_or("");
    let is_known = !name.contains(marks::is_mark);
    is_known && !systems.contains(&first) && (append || !empties(call))
}

/// Whether a call empties the files that it writes.
fn empties(call: &Call) -> bool {
    matches!(call.name.as_str(), "" | ":" | "true" | "truncate" | "gtruncate") || reads_nothing(call)
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
            writes(call, context, |class, path, append| {
                matches!(class, Class::System | Class::Root)
                    && !installs(call, path)
                    && !is_own_log(call, context, path, append)
                    && call.name != "touch"
            })
        }),
        denied: &[
            "echo x > /etc/passwd",
            "tee -a /etc/sudoers",
            "cp /dev/null /etc/passwd",
            "sed -i d /etc/passwd",
            "exec > /etc/passwd",
            "truncate -s 0 /etc/hosts",
            "truncate -s 0 /var/log/app.log",
            "echo > /var/log/auth.log",
        ],
        allowed: &[
            "./run.sh > /var/log/app.log 2>&1",
            "tee -a /var/log/app.log",
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
                matches!(call.name.as_str(), "" | ":" | "true" | "truncate" | "gtruncate" | "echo" | "printf")
                    || reads_nothing(call)
                    || deletes_lines(call);
            empties && writes(call, context, |class, _, append| class == Class::Project && !append)
        }),
        denied: &[
            "truncate -s0 $(git ls-files)",
            "for f in $(git ls-files); do : > \"$f\"; done",
            "for f in $(git ls-files); do cp /dev/null $f; done",
            "git ls-files | while read f; do cat /dev/null > $f; done",
            "git ls-files | xargs -I{} ln -sf /dev/null {}",
            "for f in $(git ls-files); do install /dev/null $f; done",
            "for f in $(git ls-files); do dd if=/dev/null of=$f; done",
            "git ls-files -z | xargs -0 sed -i d",
            "find . -type f -exec sed -i '1,$d' {} +",
        ],
        allowed: &[
            "truncate -s0 app.log",
            "for f in a b; do : > \"$f\"; done",
            "git ls-files -z | xargs -0 sed -i 's/a/b/'",
            "sed -i d app.log",
        ],
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
                // A line for a host's own key lets nobody in.
                let names_host = append && below == ".ssh/known_hosts";
                let keys = (below.starts_with(".ssh/") || below.starts_with(".gnupg/")) && !names_host;
                hidden && (!append && call.name != "touch" && call.name != "sed" || keys)
            })
        }),
        denied: &["echo > ~/.bashrc", "> ~/.ssh/id_ed25519", "echo key >> ~/.ssh/authorized_keys"],
        allowed: &["echo x > notes.md", "echo x > /tmp/out", "ssh-keyscan github.com >> ~/.ssh/known_hosts"],
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
                let is_setting = below.starts_with('.') && below != ".ssh/known_hosts";
                class == Class::InHome && is_setting && (append || call.name == "sed")
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
