//! Patterns over the words of a command, for rules and for DONE.md.
//!
//! `docker|podman volume rm` is a program and its first operands; `-f|--force` an option that must be there, in any of its
//! spellings; `!--dry-run` one that must not; `--request=DELETE` one with that value; `*` any characters of one word; `...`
//! any number of operands. More operands may follow.

use crate::run::{Call, Flags, flags, marks};

/// Options of known programs that take the next word as their value: without them an operand could not be told from a value.
const VALUED: &[(&str, &str)] = &[
    ("mount|umount", "-o -t -L -U"),
    (
        "kubectl|oc|k|kubens|kubecolor",
        "-n --namespace --context --kubeconfig --cluster --user -s --server -l --selector -f --filename -o --output --token --as --field-selector --grace-period --timeout -c --container -k --kustomize --cascade --as-group --request-timeout --patch -p --type",
    ),
    ("docker|podman|nerdctl", "-n --namespace -H --host --context --config -l --log-level --filter -t --time"),
    ("docker-compose|podman-compose", "-f --file -p --project-name --profile --env-file -t --timeout"),
    ("helm", "-n --namespace --kube-context --kubeconfig -f --values --set --timeout --version --kube-apiserver"),
    ("aws", "--profile --region --output --query --endpoint-url --cli-input-json --ca-bundle --color"),
    ("gcloud|gsutil|bq", "--project --zone --region --format --account --configuration --filter -o -h -u -m-"),
    ("az", "--subscription -g --resource-group -n --name -o --output --query"),
    ("terraform|tofu|terragrunt", "-chdir -var -var-file -target -state -backend-config --terragrunt-working-dir"),
    ("pulumi", "-s --stack -C --cwd --color -m --message"),
    (
        "gh",
        "-R --repo -X --method -F -f --field --raw-field -H --header -t --template -q --jq -b --body --title -l --label --search -a --assignee --json -L --limit -e --env -o --org",
    ),
    ("glab", "-R --repo -t --title -d --description -X --method"),
    (
        "curl",
        "-X --request -H --header -d --data --data-raw --data-binary -o --output -u --user -A --user-agent -F --form -b -c -e -m -T -w -x --url --retry --connect-timeout --max-time --cacert --cert --key -K --data-urlencode -E",
    ),
    ("redis-cli|valkey-cli|keydb-cli", "-h -p -a -n -u -r -i -s --user --pass --cacert --cert --key"),
    ("systemctl|service", "-H --host -M --machine -t --type -n -o"),
    ("apt|apt-get|aptitude", "-o -t -c --option"),
    ("npm|pnpm|yarn", "--prefix -C --registry --tag -w --workspace --otp --dir --cwd"),
    (
        "ansible|ansible-playbook",
        "-m -a -i -u -e -l -f -M -c -t --module-name --args --inventory --extra-vars --limit --become-user -b-",
    ),
    ("heroku", "-a --app -r --remote --confirm -c"),
    ("flyctl|fly", "-a --app -c --config"),
    ("vault", "-address -namespace -mount -format -field"),
    (
        "restic|borg|kopia",
        "-r --repo -p --password-file --keep-last --keep-daily --keep-weekly --keep-monthly --tag --host",
    ),
    (
        "kafka-topics.sh|kafka-topics|kafka-consumer-groups.sh|kafka-consumer-groups",
        "--topic --bootstrap-server --zookeeper --group --partitions",
    ),
    ("migrate", "-path -database -source"),
    ("talosctl", "-n --nodes -e --endpoints --talosconfig"),
    ("zkCli.sh|zkCli|zookeeper-shell|zookeeper-shell.sh", "-server -timeout"),
    ("celery", "-A --app -b --broker -Q --queues"),
    ("hg", "--config -R --cwd -r --rev"),
    ("svn", "-m --message -r -F --username --password"),
    ("java", "-jar -cp -classpath --class-path"),
    ("helmfile", "-e --environment -f --file -n --namespace -l --selector"),
    ("mysqladmin", "-u -h -P -S --user --host --port --socket"),
    ("wrangler", "-c --config -e --env --name"),
    (
        "cargo",
        "-p --package --manifest-path --features --target --vers --version --token --registry --index -Z --config",
    ),
    ("rclone", "--config --filter --include --exclude --transfers"),
    ("mongosh|mongo", "--eval --host --port -u -p --username --password --authenticationDatabase -f --file"),
    ("firebase", "--project -P --token"),
    ("vercel|netlify|railway|render", "-t --token --scope -S -A --site -s"),
    (
        "influx|etcdctl|consul|nomad|rabbitmqctl|rabbitmqadmin",
        "-t --token -o --org -n --name --endpoints --host -c --id -p -u -V --vhost -namespace -address --bucket",
    ),
];

/// The same for the verbs of git.
const GIT: &[(&str, &str)] = &[
    ("push", "-o --push-option --repo --receive-pack --exec"),
    ("commit", "-m --message -F --file -C -c --reuse-message --reedit-message --author --date -t --template"),
    ("checkout", "-b -B --orphan --conflict --pathspec-from-file"),
    ("switch", "-c -C --create --force-create --orphan --conflict"),
    ("restore", "-s --source --conflict --pathspec-from-file"),
    ("rebase", "-x --exec --onto -X -s --strategy --strategy-option"),
    ("merge|pull|cherry-pick|revert", "-m -F -s -X --strategy --strategy-option"),
    ("clean", "-e --exclude"),
    ("tag", "-m -F -u --message --file --sort --contains"),
    ("branch", "-u --set-upstream-to --sort --contains --format"),
    ("reflog", "--expire --expire-unreachable"),
    ("worktree", "-b -B --reason"),
    ("update-ref", "-m"),
    ("stash", "-m --message"),
    ("config", "-f --file --blob --type"),
];

/// Options of a verb of git that take a value.
pub fn valued_git(verb: &str) -> &'static str {
    GIT.iter().find(|(verbs, _)| verbs.split('|').any(|known| known == verb)).map_or("", |(_, valued)| valued)
}

/// Options of a call's program that take a value.
fn valued_of(call: &Call) -> &'static str {
    if call.name == "git" {
        return valued_git(call.args.first().map_or("", |arg| arg.text.as_str()));
    }
    let composes = call.args.iter().any(|arg| arg.text == "compose");
    valued(if composes { "docker-compose" } else { &call.name })
}

/// Options of a program that take a value.
pub fn valued(name: &str) -> &'static str {
    VALUED.iter().find(|(names, _)| names.split('|').any(|known| known == name)).map_or("", |(_, valued)| valued)
}

/// Whether a program only explains itself, in whichever way it is asked to.
fn explains(name: &str, found: &Flags<'_>) -> bool {
    let short =
        "helm|az|terraform|tofu|terragrunt|kubectl|oc|pulumi|gh|glab|flyctl|fly|doctl|hcloud|vercel|wrangler|eksctl";
    found.options.contains(&"--help")
        || found.options.iter().any(|option| matches!(*option, "-h" | "-help")) && any(short, name)
        || name == "aws" && found.operands.last().is_some_and(|last| last.text == "help")
}

/// Whether a pattern matches a command.
pub fn matches(pattern: &str, call: &Call) -> bool {
    let mut tokens = pattern.split(' ').filter(|token| !token.is_empty());
    let Some(names) = tokens.next() else { return false };
    if !any(names, &call.name) {
        return false;
    }
    let found = flags(&call.args, valued_of(call));
    // A program that only explains itself does nothing else.
    if explains(&call.name, &found) {
        return false;
    }
    let (mut at, mut skipping) = (0, false);
    for token in tokens {
        match token {
            "..." => skipping = true,
            "$" => {
                if at < found.operands.len() {
                    return false;
                }
            }
            token if token.starts_with('!') => {
                if has_any(&found, &token[1..]) {
                    return false;
                }
            }
            token if token.starts_with('-') => {
                if !has_any(&found, token) {
                    return false;
                }
            }
            token => {
                let rest = found.operands.get(at..).unwrap_or_default();
                let reach = if skipping { rest.len() } else { 1 };
                match rest.iter().take(reach).position(|arg| any(token, &marks::plain(&arg.text))) {
                    Some(more) => at += more + 1,
                    None => return false,
                }
                skipping = false;
            }
        }
    }
    true
}

/// Whether any of several options is there, with its value where one is named.
fn has_any(found: &Flags<'_>, token: &str) -> bool {
    let (names, value) = match token.split_once('=') {
        Some((names, value)) => (names, Some(value)),
        None => (token, None),
    };
    names.split('|').any(|name| match value {
        Some(wanted) => found.value(name).is_some_and(|value| any(wanted, &marks::plain(&value))),
        None => found.has(name),
    })
}

/// Whether a pattern is about a program of that name.
pub fn is_about(pattern: &str, name: &str) -> bool {
    pattern.as_bytes().split(|c| *c == b' ').next().is_some_and(|names| is_one_of(names, name))
}

/// Whether a word is one of `a|b*c`.
pub fn any(alternatives: &str, word: &str) -> bool {
    is_one_of(alternatives.as_bytes(), word)
}

fn is_one_of(alternatives: &[u8], word: &str) -> bool {
    alternatives.split(|c| *c == b'|').any(|pattern| is_like(pattern, word.as_bytes()))
}

/// `*` is any number of any characters; all else is itself.
fn is_like(pattern: &[u8], word: &[u8]) -> bool {
    fits(pattern, word, |piece| *piece == b'*', |piece, c| piece == c)
}

/// Whether a pattern of pieces fits a word, where a star is any number of anything. Goes back to the last star only: time is at worst
/// the product of both lengths.
pub fn fits<P, C>(pattern: &[P], word: &[C], is_star: impl Fn(&P) -> bool, is_one: impl Fn(&P, &C) -> bool) -> bool {
    let (mut p, mut w) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while w < word.len() {
        let piece = pattern.get(p);
        if piece.is_some_and(&is_star) {
            star = Some((p + 1, w));
            p += 1;
        } else if piece.is_some_and(|piece| is_one(piece, &word[w])) {
            p += 1;
            w += 1;
        } else if let Some((after, from)) = star {
            star = Some((after, from + 1));
            (p, w) = (after, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(is_star)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Arg;

    fn call(line: &str) -> Call {
        let mut words = line.split(' ');
        let name = words.next().unwrap().to_string();
        Call { name, args: words.map(|word| Arg::new(word, Default::default())).collect(), ..Call::default() }
    }

    #[test]
    fn words_options_and_values_are_matched() {
        for (pattern, line, want) in [
            ("kubectl delete ns", "kubectl -n x delete ns prod", true),
            ("kubectl delete ns !--dry-run", "kubectl delete ns x --dry-run=client", false),
            ("docker ... prune -a|--all", "docker system prune -af", true),
            ("curl -X|--request=DELETE", "curl -XDELETE https://x", true),
            ("curl -X|--request=DELETE", "curl -X GET https://x", false),
            ("gh repo delete", "gh issue list --search repo", false),
            ("aws * delete-*", "aws --profile p rds delete-db-instance", true),
            ("mkfs|mkfs.* /dev/*", "mkfs.ext4 /dev/sda", true),
            ("terraform destroy", "terraform destroy --help", false),
            ("gh repo delete $", "gh repo delete x", false),
        ] {
            assert_eq!(matches(pattern, &call(line)), want, "{pattern} over {line}");
        }
    }
}
