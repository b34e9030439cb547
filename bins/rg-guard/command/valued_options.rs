//! Options of known programs that take the next argument as their value.

use super::call::Call;

/// By program. Without these a value would be taken for an operand.
const VALUED: &[(&str, &str)] = &[
    ("mount|umount", "-o -t -L -U"),
    (
        "kubectl|oc|k|kubens|kubecolor",
        "-n --namespace --context --kubeconfig --cluster --user -s --server -l --selector -f --filename -o --output --token --as --field-selector --grace-period --timeout -c --container -k --kustomize --cascade --as-group --request-timeout --patch -p --type",
    ),
    ("docker|podman|nerdctl", "-n --namespace -H --host --context --config -l --log-level --filter -t --time"),
    ("docker-compose|podman-compose", "-f --file -p --project-name --profile --env-file -t --timeout"),
    ("helm", "-n --namespace --kube-context --kubeconfig -f --values --set --timeout --version --kube-apiserver"),
    ("aws", "--profile --region --output --query --endpoint-url --cli-input-json --ca-bundle --color --request-items"),
    ("lvresize|lvextend|lvreduce", "-L --size -l --extents"),
    ("gcloud|gsutil|bq", "--project --zone --region --format --account --configuration --filter -o -h -u -m-"),
    ("az", "--mode --role --assignee --template-file --subscription -g --resource-group -n --name -o --output --query"),
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
    ("conda|mamba|micromamba", "-n --name -p --prefix -c --channel"),
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

/// By subcommand of git.
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

/// The valued options of a subcommand of git.
pub fn of_git(verb: &str) -> &'static str {
    GIT.iter().find(|(verbs, _)| verbs.split('|').any(|known| known == verb)).map_or("", |(_, valued)| valued)
}

/// The valued options of a call's program.
pub fn of_call(call: &Call) -> &'static str {
    if call.name == "git" {
        return of_git(call.args.first().map_or("", |arg| arg.text.as_str()));
    }
    let composes = call.args.iter().any(|arg| arg.text == "compose");
    of_program(if composes { "docker-compose" } else { &call.name })
}

/// The valued options of a program.
pub fn of_program(name: &str) -> &'static str {
    VALUED.iter().find(|(names, _)| names.split('|').any(|known| known == name)).map_or("", |(_, valued)| valued)
}
