//! Rules about infrastructure that files describe.

use super::files;
use super::rule::{Rule, When, ask, deny};

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(files::REMOVERS, |call, _| {
            let of_state = |path: &String| path.contains(".tfstate");
            files::removed_paths(call).is_some_and(|(paths, _)| paths.iter().any(of_state))
        }),
        denied: &["rm -f terraform.tfstate terraform.tfstate.backup", "rm -rf .terraform terraform.tfstate*"],
        allowed: &["rm -rf .terraform", "rm -f plan.tfplan"],
        ..deny(
            "infra-state",
            "it removes the state file, the only record of the created resources",
            "list the resources: `terraform state list`",
        )
    },
    Rule {
        when: When::Words(&[
            "terraform|tofu|terragrunt destroy",
            "terraform|tofu|terragrunt apply -destroy",
            "terraform|tofu apply destroy*",
            "terragrunt run-all|run destroy",
            "terragrunt destroy-all",
            "terraform|tofu workspace delete",
            "terraform|tofu state rm|push|replace-provider",
            "terraform|tofu taint",
            "pulumi destroy|down !--preview-only",
            "pulumi stack rm",
            "pulumi state delete",
            "cdk destroy",
            "npx cdk destroy",
            "cdktf destroy",
            "sls|serverless remove",
            "npx sls|serverless remove",
            "sam delete",
            "copilot app|env|svc delete",
            "sst remove",
            "npx sst remove",
            "amplify delete",
            "cloudformation delete-stack",
            "nomad job stop -purge",
            "nomad namespace delete",
            "consul-destroy",
            "ansible ... -a|--args=*state=absent*path=/*|*path=/*state=absent*",
            "salt * cmd.run *rm*-rf*",
            "waypoint destroy",
            "knife node|client|role|environment delete|bulk_delete",
            "bosh delete-deployment|delete-env",
            "garden delete env|environment",
            "vercel remove|rm",
            "atmos terraform destroy",
        ]),
        denied: &[
            "terraform destroy -auto-approve",
            "terraform -chdir=infra destroy",
            "terraform apply -destroy",
            "terraform workspace delete -force prod",
            "pulumi stack rm prod --force",
            "sls remove",
            "cdk destroy --all",
            "ansible all -b -m file -a 'path=/etc state=absent'",
            "yes | terraform destroy",
        ],
        allowed: &[
            "terraform plan",
            "terraform destroy --help",
            "terraform plan -destroy",
            "pulumi preview",
            "cdk diff",
        ],
        ..deny(
            "infrastructure-destroy",
            "it destroys the described infrastructure with its data",
            "plan it first: `terraform plan -destroy`",
        )
    },
    Rule {
        when: When::Words(&[
            "terraform|tofu|terragrunt apply",
            "terraform|tofu force-unlock|import",
            "pulumi up|update|import|refresh",
            "cdk deploy",
            "npx cdk deploy",
            "sls|serverless deploy",
            "sam deploy",
            "ansible-playbook !--check|--syntax-check|--list-tasks|--list-hosts",
        ]),
        denied: &[
            "terraform apply -auto-approve",
            "terraform force-unlock x",
            "pulumi up --yes",
            "ansible-playbook site.yml",
        ],
        allowed: &["terraform init", "terraform fmt -recursive", "ansible-playbook site.yml --check"],
        ..ask("infrastructure-apply", "it changes something that others use", "plan it first: `terraform plan`")
    },
];
