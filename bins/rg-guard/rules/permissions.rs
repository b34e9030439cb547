//! Rules about modes and owners.

use super::context::Context;
use super::rule::{Rule, When, ask, deny};
use crate::command::path::Class;
use crate::command::{Call, flags};

const CHANGERS: &[&str] = &["chmod", "chown", "chgrp", "setfacl", "chattr", "gchmod", "gchown", "icacls"];

/// The paths whose mode or owner a call changes, and whether recursively.
fn changed(call: &Call) -> (Vec<&str>, bool) {
    let found = flags(&call.args, if call.name == "setfacl" { "-m -x -M -X" } else { "--reference --from" });
    // `chmod -x file`: the mode looks like an option.
    let first_is_mode = !call.args.iter().any(|arg| is_mode(&arg.text))
        && !found.has("--reference")
        && !matches!(call.name.as_str(), "setfacl" | "chattr");
    let paths = found.operands.iter().skip(usize::from(first_is_mode)).map(|arg| arg.text.as_str());
    let paths = paths.filter(|path| !path.starts_with(['+', '=']));
    (
        paths.collect(),
        found.options.iter().any(|option| !is_mode(option) && (option.contains('R') || option.starts_with("--recur"))),
    )
}

/// Whether a text is a mode that begins with a sign: `-x`, `-rw`.
fn is_mode(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| "rwxXst".contains(c)))
}

fn mode(call: &Call) -> &str {
    call.args.iter().find(|arg| !arg.text.starts_with('-') || is_mode(&arg.text)).map_or("", |arg| arg.text.as_str())
}

/// Whether a mode lets everybody write.
fn is_open(mode: &str) -> bool {
    let digits = mode.len() >= 3 && mode.chars().all(|c| c.is_ascii_digit());
    digits && mode.ends_with(['2', '3', '6', '7'])
        || mode.contains("o+w")
        || mode.contains("a+w")
        || mode.contains("a+rw")
        || mode.contains("o+rw")
        || mode.contains("ugo+") && mode.contains('w')
}

/// Whether a mode takes away the right to run a file.
fn is_not_run(mode: &str) -> bool {
    let digits = mode.len() >= 3 && mode.chars().all(|c| c.is_digit(8));
    let is_clause = |clause: &str| match clause.split_once(['-', '=']) {
        Some((_, rights)) if clause.contains('-') => rights.contains('x'),
        Some((who, rights)) => !rights.contains(['x', 'X']) && (who.is_empty() || who.contains(['u', 'a'])),
        None => false,
    };
    digits && !mode[mode.len() - 3..].starts_with(['1', '3', '5', '7']) || mode.split(',').any(is_clause)
}

fn touches(call: &Call, context: &Context, is_bad: impl Fn(Class, bool, &str) -> bool) -> bool {
    let (paths, deep) = changed(call);
    paths.iter().any(|path| is_bad(context.class(call, path), deep, path))
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(CHANGERS, |call, context| {
            let stops = is_not_run(mode(call));
            stops
                && touches(call, context, |class, _, path| {
                    class == Class::Git && path.contains("/hooks")
                        || [".husky", ".githooks"].iter().any(|dir| path.split('/').any(|part| part == *dir))
                })
        }),
        denied: &[
            "chmod -x .git/hooks/pre-commit",
            "chmod 644 .git/hooks/pre-commit",
            "chmod a-x .git/hooks/*",
            "chmod -R 000 .git/hooks",
            "chmod u-x .husky/pre-commit",
        ],
        allowed: &["chmod +x .git/hooks/pre-commit", "chmod 755 .husky/pre-commit", "chmod -x notes.sh"],
        ..deny("permissions-hooks", "git then skips the hook", "mend what the hook reports: `git commit` shows it")
    },
    Rule {
        when: When::Words(&["setcap * *"]),
        denied: &["sudo setcap cap_setuid+ep /usr/bin/python3.11"],
        allowed: &["getcap /usr/bin/ping", "setcap -r ./server"],
        ..ask("mode-capability", "it gives a program rights of root", "read its capabilities: `getcap /usr/bin/ping`")
    },
    Rule {
        core: true,
        when: When::Check(CHANGERS, |call, context| {
            touches(call, context, |class, deep, _| {
                class == Class::Root || deep && matches!(class, Class::Home | Class::MaybeRoot)
            })
        }),
        denied: &["chmod -R 777 /", "chmod 777 /", "chown -R dev:dev /", "chown -R dev ~"],
        allowed: &["chmod -R 755 dist", "chmod 600 ~/.ssh/id_ed25519"],
        ..deny(
            "permissions-root",
            "it changes modes or owners of the whole system, or of a home directory",
            "name your own files: `chmod -R 755 dist`",
        )
    },
    Rule {
        when: When::Check(CHANGERS, |call, context| {
            touches(call, context, |class, deep, path| {
                let shared = path.starts_with("/usr/local/") || path.starts_with("/var/www/");
                let system = class == Class::System && !shared && !path.starts_with("/dev/");
                let home = matches!(class, Class::InHome | Class::Above) && deep && is_open(mode(call))
                    || class == Class::Above && deep;
                let keys = path.contains(".ssh") && is_open(mode(call));
                system || home || keys
            })
        }),
        denied: &["chown -R nobody /etc", "chmod -x /usr/bin/chmod", "chmod 4755 /bin/sh", "chmod -R 777 ~/.ssh"],
        allowed: &["chmod 777 /tmp/x", "chmod +x script.sh", "stat -c %a /etc/passwd"],
        ..deny(
            "permissions-system",
            "it changes modes or owners that the system relies on",
            "name your own files: `chmod +x script.sh`",
        )
    },
    Rule {
        when: When::Check(CHANGERS, |call, context| {
            let (_, deep) = changed(call);
            deep && is_open(mode(call)) && touches(call, context, |class, _, _| !matches!(class, Class::Temp))
        }),
        denied: &["chmod -R 777 /var/www/html", "chmod -R 777 ."],
        allowed: &["chmod -R u+rwX dist"],
        ..ask("permissions-open", "it lets everybody write there", "give the owner access only: `chmod -R u+rwX dist`")
    },
];
