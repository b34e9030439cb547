//! Rules about containers and clusters.

use super::rule::{Rule, When, ask, deny};
use crate::command::pattern::matches;
use crate::command::{Call, flags, marks, valued_options};

const ENGINES: &[&str] = &["docker", "podman", "nerdctl"];

/// Whether the operands of some subcommands come from a list.
fn everything(call: &Call, verbs: &[&str]) -> bool {
    let found = flags(&call.args, valued_options::of_program(&call.name));
    let listed = |text: &str| text.contains([marks::PRINTED, marks::ALL, marks::EACH]);
    verbs.iter().any(|verb| matches(verb, call)) && found.operands.iter().any(|arg| listed(&arg.text))
}

/// The kind of resource that `kubectl delete` deletes, and whether it deletes all of them.
fn deleted(call: &Call) -> Option<(String, bool)> {
    let found = flags(&call.args, valued_options::of_program("kubectl"));
    let dry = found.is_set(&["--dry-run"]);
    if found.operand(0) != "delete" || dry || found.any(&["--help"]) {
        return None;
    }
    let kind = found.operand(1).split('/').next().unwrap_or("").to_lowercase();
    Some((kind, found.any(&["--all", "-A", "--all-namespaces"]) || found.operand(2).contains(marks::is_unknown)))
}

/// Kinds of resources that a controller or the next run creates again.
const PASSING: [&str; 8] = ["pod", "pods", "po", "job", "jobs", "event", "events", "replicaset"];

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(ENGINES, |call, _| {
            let found = flags(&call.args, valued_options::of_program(&call.name));
            let prunes =
                matches("docker|podman|nerdctl system prune", call) && found.any(&["-a", "--all", "--volumes"]);
            let volumes = matches("docker|podman|nerdctl volume prune|rm|remove", call)
                || matches("docker|podman machine rm|reset", call)
                || matches("podman system reset", call);
            let images = matches("docker|podman|nerdctl image prune -a|--all", call);
            let stacks = matches("docker|podman stack|service|swarm|config|secret|context|node rm|remove|leave", call);
            let down = matches("docker|podman|nerdctl compose down -v|--volumes|--rmi", call)
                || matches("docker|podman compose rm -v", call);
            prunes || volumes || images || stacks || down
        }),
        denied: &[
            "docker system prune -af --volumes",
            "docker volume prune -f",
            "docker stack rm prod",
            "docker compose down -v",
            "docker volume rm db",
        ],
        allowed: &[
            "docker system prune --help",
            "docker ps -a",
            "docker compose up -d",
            "docker image prune -f",
            "docker compose -f docker-compose.test.yml down -v",
            "docker volume rm test-data",
            "docker run --rm -it alpine sh",
        ],
        ..deny(
            "docker-destroy",
            "it removes volumes, or everything that is not running",
            "name your own container: `docker rm web`",
        )
    },
    Rule {
        when: When::Check(ENGINES, |call, _| {
            everything(
                call,
                &[
                    "docker|podman|nerdctl rm|rmi|kill|stop",
                    "docker|podman|nerdctl container|image|volume|network rm|remove|kill",
                ],
            )
        }),
        denied: &[
            "docker rm -f $(docker ps -aq)",
            "docker ps -aq | xargs docker rm -f",
            "docker rmi -f $(docker images -q)",
        ],
        allowed: &["docker rm web", "docker stop web", "docker stop $(docker ps -qf name=web)"],
        ..deny(
            "docker-remove-all",
            "it removes everything in a list, including what others created",
            "name your own container: `docker rm web`",
        )
    },
    Rule {
        when: When::Words(&[
            "docker|podman rm -a|--all",
            "docker-compose|podman-compose down -v|--volumes",
            "lxc|incus delete !--help",
            "lxc|incus storage|image|network delete",
            "multipass delete|purge",
            "vagrant destroy",
            "limactl delete|remove|rm|factory-reset",
            "colima delete",
            "virsh undefine|destroy|vol-delete|pool-destroy|pool-delete",
            "VBoxManage|vboxmanage unregistervm --delete|--delete-all",
            "qm|pct destroy",
            "machinectl remove",
            "minikube delete --all|--purge",
            "kind delete clusters --all|-A",
            "k3d cluster delete --all|-a",
            "crictl rmi|rm --all|-a",
        ]),
        denied: &[
            "lxc delete --force web",
            "multipass delete --all --purge",
            "vagrant destroy -f",
            "minikube delete --all --purge",
        ],
        allowed: &["lxc list", "multipass list", "vagrant status"],
        ..deny("machine-destroy", "it destroys machines with their data", "stop the machine: `multipass stop web`")
    },
    Rule {
        // `image prune` removes untagged images only; with `-a` it is denied above.
        when: When::Words(&[
            "docker|podman|nerdctl system|container|network|builder|buildx prune",
            "kind delete",
            "minikube delete",
            "k3d cluster delete",
        ]),
        denied: &["docker system prune", "docker container prune -f"],
        allowed: &["docker compose stop", "docker compose down", "docker images"],
        ..ask("docker-prune", "it removes everything that is not running", "name your own container: `docker rm web`")
    },
    Rule {
        when: When::Check(&["kubectl", "oc", "k", "kubecolor"], |call, _| {
            deleted(call).is_some_and(|(kind, all)| all || !kind.is_empty() && !PASSING.contains(&kind.as_str()))
        }),
        denied: &[
            "kubectl delete ns prod",
            "kubectl --context=prod -n x delete deploy --all",
            "k delete pv data",
            "oc delete project prod",
            "kubectl delete pods --all",
        ],
        allowed: &["kubectl get ns", "kubectl delete ns prod --dry-run=client", "kubectl auth can-i delete ns"],
        ..deny(
            "kubectl-delete",
            "it removes cluster resources that others use",
            "do a dry run first: `kubectl delete ns prod --dry-run=client`",
        )
    },
    Rule {
        when: When::Words(&[
            "kubectl|oc|k drain !--dry-run",
            "kubectl|oc|k replace --force",
            "kubectl|oc|k apply --prune",
            "kubectl|oc|k scale --replicas=0",
            "kubectl|oc|k patch -p|--patch=*finalizers*",
            "kubectl config delete-context|delete-cluster|unset",
            "helm uninstall|delete|del|un !--dry-run",
            "helmfile destroy|delete",
            "eksctl delete",
            "kops delete",
            "kubeadm reset",
            "k3s-uninstall.sh",
            "rke remove",
            "kustomize-delete",
            "flux uninstall|delete",
            "argocd app|appset|proj|cluster delete|rm",
            "velero backup|restore|schedule delete",
            "velero delete",
            "juju destroy-model|destroy-controller|kill-controller",
            "lxc-destroy",
            "istioctl uninstall",
            "linkerd uninstall",
            "rancher cluster|clusters delete",
            "talosctl reset",
            "crossplane-delete",
            "tkn-delete",
            "skaffold delete",
            "tilt-down",
            "okteto destroy",
            "devspace purge",
            "oc adm prune --confirm",
            "etcdadm reset",
        ]),
        denied: &[
            "kubectl drain node-1 --force",
            "kubectl replace --force -f x.yaml",
            "helm -n prod uninstall web",
            "eksctl delete cluster prod",
            "argocd app delete prod --cascade",
            "velero backup delete b1 --confirm",
            "kubectl scale deploy/web --replicas=0",
        ],
        allowed: &["helm list", "helm uninstall web --dry-run", "kubectl diff -f x.yaml", "kubectl logs web"],
        ..deny(
            "cluster-destroy",
            "it takes down cluster resources that others use",
            "do a dry run first: `helm uninstall web --dry-run`",
        )
    },
    Rule {
        when: When::Check(&["kubectl", "oc", "k", "kubecolor"], |call, _| {
            deleted(call).is_some_and(|(kind, all)| !all && (PASSING.contains(&kind.as_str()) || kind.is_empty()))
                || matches("kubectl|oc|k rollout restart|undo", call)
        }),
        denied: &["kubectl delete pod web-abc123", "kubectl delete -f x.yaml", "kubectl rollout restart deploy/web"],
        allowed: &["kubectl describe pod web"],
        ..ask(
            "kubectl-restart",
            "it restarts or removes cluster resources that others may use",
            "list them first: `kubectl get pods`",
        )
    },
];
