//! What to do instead of a denied command: a way out is about the program that was called.

use super::rule::Rule;
use crate::command::{Call, pattern};

/// The way out where no command is one.
const ASK: &str = "ask the user to run it";

/// Programs that do the same kind of work: a way out by one of them helps with the others.
const FAMILIES: &[&str] = &[
    "rm|grm|zf_rm|unlink|rmdir|shred|gshred|srm|wipe|rimraf|del|del-cli|ri|Remove-Item|find|gfind|bfs|fd|mv|gmv|cp|gcp|ls|ln|gln|install|tar|gtar|bsdtar|zip|7z|rsync",
    "truncate|gtruncate|fallocate|mkfile|dd|gdd",
    "pip|pip3|python|python3|conda|mamba|micromamba|uv",
    "|echo|printf|print|tee|gtee|cat|gcat|sed|gsed|awk|gawk|cp|gcp|ln|gln|install|touch|truncate|gtruncate|export|exec|:|true|dd|sponge|mv|gmv",
    "cat|tac|less|more|head|tail|bat|nl|od|xxd|hexdump|strings|base64|base32|cut|sort|uniq|awk|gawk|sed|grep|egrep|fgrep|rg|ag|jq|yq|cp|mv|tee|paste|fold|rev|diff|cmp|view|vim|vi|nano|ls|printenv|env|set|",
    "chmod|chown|chgrp|setfacl|chattr|gchmod|gchown|icacls|setcap|getcap",
    "kill|killall5|pkill|killall|skill|pgrep|lsof",
    "systemctl|service|launchctl|rc-service",
    "docker|podman|nerdctl|docker-compose|podman-compose",
    "lxc|incus",
    "VBoxManage|vboxmanage",
    "kubectl|oc|k|kubecolor",
    "terraform|tofu|terragrunt",
    "curl|wget|http|https|xh",
    "npm|pnpm|yarn|npx|bun",
    "gradle|gradlew",
    "apt|apt-get|aptitude|dpkg",
    "dnf|yum|rpm",
    "gcloud|gsutil|bq",
    "az|azcopy|azd",
    "fly|flyctl",
    "fdisk|sfdisk|cfdisk|parted|sgdisk|gdisk|lsblk|wipefs|blkdiscard|badblocks|hdparm|nvme|mkfs|mke2fs|mkswap|dd|gdd|dcfldd|ddrescue|nwipe|partx|losetup|cp|tee|shred",
    "lvremove|vgremove|pvremove|vgreduce|lvreduce|lvresize|pvcreate|lsblk",
    "ip|ifconfig|ifdown|route",
    "iptables|ip6tables|nft|ufw",
    "nmcli|networksetup",
    "crontab|at|batch|atrm",
    "psql|dropdb|createdb|pg_dump|pg_restore|dropuser",
    "mysql|mariadb|mysqladmin|mysqldump",
    "redis-cli|valkey-cli|keydb-cli",
    "mongosh|mongo",
    "git|hub|git-filter-repo|bfg",
    "tmux|screen|kitty|kitten|wezterm|zellij",
];

/// Ways out of single programs: a rule, or `*` for all, the pattern of the command, and the way out.
const OF_PROGRAMS: &[(&str, &str, &str)] = &[
    ("docker-destroy", "docker|podman|nerdctl compose", "stop it and keep its volumes: `docker compose down`"),
    ("machine-destroy", "docker-compose|podman-compose", "stop it and keep its volumes: `docker compose down`"),
    ("docker-destroy", "docker|podman|nerdctl volume", "list the volumes: `docker volume ls`"),
    ("docker-destroy", "docker|podman|nerdctl", "list what it would remove: `docker system df`"),
    ("docker-remove-all", "docker|podman|nerdctl rmi|image", "name your own image: `docker rmi web`"),
    ("docker-prune", "docker|podman|nerdctl builder|buildx", "list the images: `docker images`"),
    ("docker-prune", "docker|podman|nerdctl network", "list the networks: `docker network ls`"),
    ("docker-prune", "kind", "list the clusters: `kind get clusters`"),
    ("*", "minikube", "stop it: `minikube stop`"),
    ("docker-prune", "k3d", "list the clusters: `k3d cluster list`"),
    ("*", "vagrant", "stop the machine: `vagrant halt`"),
    ("*", "lxc|incus", "stop the machine: `lxc stop web`"),
    ("*", "limactl", "stop the machine: `limactl stop web`"),
    ("*", "virsh", "stop the machine: `virsh shutdown web`"),
    ("*", "VBoxManage|vboxmanage", "list the machines: `VBoxManage list vms`"),
    ("cluster-destroy", "kubectl|oc|k scale", "read its state: `kubectl get deploy web`"),
    ("cluster-destroy", "kubectl|oc|k", "do a dry run first: `kubectl drain node --dry-run=client`"),
    ("cluster-destroy", "eksctl", "list the clusters: `eksctl get cluster`"),
    ("cluster-destroy", "argocd", "list them: `argocd app list`"),
    ("cluster-destroy", "velero", "list them: `velero backup get`"),
    ("infrastructure-apply", "pulumi", "preview it: `pulumi preview`"),
    ("infrastructure-apply", "cdk", "compare first: `cdk diff`"),
    ("infrastructure-apply", "ansible-playbook", "check first: `ansible-playbook site.yml --check`"),
    ("infrastructure-destroy", "pulumi", "preview it: `pulumi preview`"),
    ("infrastructure-destroy", "cdk", "compare first: `cdk diff`"),
    ("forge-publish", "gh pr", "show its state to the user: `gh pr view`"),
    ("forge-publish", "gh workflow", "list the workflows: `gh workflow list`"),
    ("forge-publish", "gh", "list what is there: `gh release list`"),
    ("forge-publish", "glab", "show its state to the user: `glab mr view`"),
    ("forge-publish", "npm|pnpm|yarn|bun", "do a dry run first: `npm publish --dry-run`"),
    ("forge-publish", "npx semantic-release", "do a dry run first: `npx semantic-release --dry-run`"),
    ("forge-publish", "uv", "build it only: `uv build`"),
    ("forge-publish", "poetry", "build it only: `poetry build`"),
    ("forge-publish", "hatch", "build it only: `hatch build`"),
    ("forge-publish", "flit", "build it only: `flit build`"),
    ("forge-publish", "pdm", "build it only: `pdm build`"),
    ("forge-publish", "twine", "check the files: `twine check dist/*`"),
    ("forge-publish", "gem", "build it only: `gem build x.gemspec`"),
    ("forge-publish", "docker|podman", "build it only: `docker build -t web .`"),
    ("forge-publish", "helm", "package it only: `helm package .`"),
    ("forge-publish", "mvn", "install it on this machine only: `mvn install`"),
    ("forge-publish", "gradle|gradlew", "publish it on this machine only: `gradle publishToMavenLocal`"),
    ("forge-publish", "goreleaser", "build a snapshot: `goreleaser release --snapshot`"),
    ("forge-publish", "semantic-release", "do a dry run first: `semantic-release --dry-run`"),
    ("forge-publish", "dotnet", "package it only: `dotnet pack`"),
    ("forge-publish", "vsce", "package it only: `vsce package`"),
    ("forge-destroy", "gh secret", "list the names: `gh secret list`"),
    ("forge-destroy", "gh release", "list them first: `gh release list`"),
    ("forge-destroy", "glab", "inspect it first: `glab repo view`"),
    ("forge-destroy", "npm|pnpm", "mark the version instead, with the user: `npm view x versions`"),
    ("forge-destroy", "cargo", "look at the versions: `cargo search x`"),
    ("aws-destroy", "aws s3", "list them first: `aws s3 ls`"),
    ("cloud-change", "vercel", "deploy a preview: `vercel deploy`"),
    ("cloud-change", "netlify", "deploy a draft: `netlify deploy`"),
    ("cloud-change", "firebase", "try it on this machine: `firebase emulators:start`"),
    ("cloud-change", "wrangler", "try it on this machine: `wrangler dev`"),
    ("cloud-change", "fly|flyctl", "read its state: `fly status`"),
    ("cloud-change", "gcloud", "list them first: `gcloud run services list`"),
    ("cloud-destroy", "wrangler", "list them first: `wrangler d1 list`"),
    ("cloud-destroy", "doctl", "list them first: `doctl compute droplet list`"),
    ("cloud-destroy", "hcloud", "list them first: `hcloud server list`"),
    ("cloud-destroy", "linode-cli", "list them first: `linode-cli linodes list`"),
    ("cloud-destroy", "fly|flyctl", "read its state: `fly status`"),
    ("cloud-destroy", "vercel", "list them first: `vercel ls`"),
    ("cloud-destroy", "b2", "list them first: `b2 ls`"),
    ("backup-destroy", "rclone", "do a dry run first: `rclone purge --dry-run remote:x`"),
    ("backup-destroy", "s3cmd", "list them first: `s3cmd ls`"),
    ("backup-destroy", "mc", "list them first: `mc ls`"),
    ("backup-destroy", "borg", "list them first: `borg list`"),
    ("backup-destroy", "b2", "list them first: `b2 ls`"),
    ("process-stop", "systemctl|service", "read its state: `systemctl status web`"),
    ("account-change", "useradd|adduser|usermod|userdel|deluser|gpasswd|groupdel|delgroup", ASK),
    ("package-remove", "brew", "list the packages: `brew list`"),
    ("package-remove", "pacman", "show what would go: `pacman -Rp jq`"),
    ("package-remove", "dnf|yum", "list the packages: `dnf list`"),
    ("package-remove", "snap", "list the packages: `snap list`"),
    ("machine-change", "iptables|ip6tables", "list the rules: `iptables -L`"),
    ("machine-change", "nmcli", "read its state: `nmcli device status`"),
    ("machine-change", "ufw", "read its state: `ufw status`"),
    ("log-erase", "history", "read it: `history`"),
    ("machine-change", "sysctl", "read the settings: `sysctl -a`"),
    ("write-outside", "cp|install|ln|mv", "install it in the project: `cp tool ./bin/tool`"),
    ("write-home-settings", "cp|install|ln|mv", "write a copy in the project: `cp tool ./tool.new`"),
    ("secret-key", "openssl", "make a key of your own in the project: `openssl genrsa -out server.key 2048`"),
    ("secret-print", "npm", "test whether you are logged in: `npm whoami`"),
    ("secret-print", "aws", "test whether you are logged in: `aws sts get-caller-identity`"),
    ("secret-print", "gcloud", "test whether you are logged in: `gcloud auth list`"),
    ("secret-print", "kubectl", "list the names: `kubectl get secret`"),
    ("secret-print", "gpg", "export the public key: `gpg --export --armor NAME`"),
    ("secret-print", "vault", "read its state: `vault status`"),
    ("secret-environment", "rg", "test whether a name is set: `rg -q KEY .env`"),
    ("vcs-discard", "svn", "keep them first: `svn diff`"),
    ("vcs-discard", "jj", "look at them first: `jj log`"),
    ("vcs-discard", "p4", "look at them first: `p4 opened`"),
];

/// The way out of a rule for a command.
pub fn way_out(rule: &'static Rule, call: &Call) -> &'static str {
    let is_meant = |id: &str| id == "*" || id == rule.id;
    let own = OF_PROGRAMS.iter().find(|(id, pattern, _)| is_meant(id) && pattern::matches(pattern, call));
    if let Some((_, _, text)) = own {
        return text;
    }
    let is_own = !rule.instead.contains('`')
        || is_about_text(call)
        || programs_in(rule.instead).any(|name| is_of_family(name, &call.name));
    if is_own { rule.instead } else { ASK }
}

/// Whether a call stands for a text that would run, not for a program.
fn is_about_text(call: &Call) -> bool {
    let names = ["run-downloaded", "run-decoded", "run-unknown", "fork-bomb", "unknown-program", "terminal-input"];
    names.contains(&call.name.as_str()) || call.name == "remote-shell"
}

/// The program of each command in backquotes.
fn programs_in(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter_map(|command| command.split_whitespace().next())
}

/// Whether a way out by the program `ours` helps whoever called `theirs`. The gate's programs are about the gate.
fn is_of_family(ours: &str, theirs: &str) -> bool {
    let has = |family: &&str, name: &str| family.split('|').any(|known| known == name);
    ours == theirs || ours.starts_with("rg-") || FAMILIES.iter().any(|family| has(family, ours) && has(family, theirs))
}

/// Every way out of a single program, for tests.
#[cfg(test)]
pub fn of_programs() -> impl Iterator<Item = &'static str> {
    OF_PROGRAMS.iter().map(|(_, _, text)| *text)
}

/// Whether a way out names no program, or one of the family of the program that was called.
#[cfg(test)]
pub fn is_about_program(text: &str, name: &str) -> bool {
    programs_in(text).next().is_none() || programs_in(text).any(|ours| is_of_family(ours, name))
}
