//! Rules about forges and registries: repositories, releases, packages.

use super::rule::{Rule, When, ask, deny};
use crate::command::{Call, flags, valued_options};

/// Whether a request removes something on a server. Local servers count only where they hold data.
fn requests_removal(call: &Call) -> bool {
    let found = flags(&call.args, valued_options::of_program(&call.name));
    let method = match call.name.as_str() {
        "curl" => found.value("-X").or_else(|| found.value("--request")),
        "wget" => found.value("--method"),
        _ => Some(found.operand(0).to_string()),
    };
    let is_delete = method.is_some_and(|method| method.eq_ignore_ascii_case("delete"));
    let urls: Vec<&str> = found.operands.iter().map(|arg| arg.text.as_str()).collect();
    let by_query = urls.iter().any(|url| url.contains("/_delete_by_query"));
    by_query || is_delete && !urls.iter().any(|url| is_dev_server(url)) && !found.options.contains(&"--help")
}

/// Whether a URL is a development server on this machine, not a data store.
fn is_dev_server(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or("");
    let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
    let home = matches!(name, "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1]") || name.is_empty() && !port.is_empty();
    // Elasticsearch, CouchDB, Consul, etcd, Qdrant, InfluxDB, Solr, ClickHouse, registries.
    home && !matches!(port, "9200" | "5984" | "8500" | "2379" | "6333" | "8086" | "8983" | "8123" | "5000")
}

/// Whether a call starts a workflow that may do more than check: its name has no `ci`, `test` or `lint`.
fn starts_workflow(call: &Call) -> bool {
    let found = flags(&call.args, valued_options::of_program("gh"));
    if found.operand(0) != "workflow" || found.operand(1) != "run" || found.options.contains(&"--help") {
        return false;
    }
    let name = found.operand(2).to_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let checks = |word: &str| matches!(word, "ci" | "test" | "tests" | "lint" | "check" | "checks" | "e2e");
    let changes = |word: &str| word.contains("deploy") || word.contains("release") || word.contains("publish");
    !words.clone().any(checks) || words.any(changes)
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(&["curl", "wget", "http", "https", "xh"], |call, _| requests_removal(call)),
        denied: &[
            "curl -XDELETE https://api.github.com/repos/o/r",
            "http DELETE https://api.example.com/users/5",
            "curl -X DELETE localhost:9200/orders",
        ],
        allowed: &[
            "curl -sS -X DELETE http://localhost:3000/api/items/5",
            "http DELETE :3000/api/items/5",
            "curl -I https://example.com",
        ],
        ..deny(
            "request-delete",
            "it asks a server to remove something",
            "read it first: `curl -s https://example.com/items`",
        )
    },
    Rule {
        when: When::Words(&[
            "gh repo delete|archive|rename",
            "gh repo edit --visibility",
            "gh api -X|--method=DELETE",
            "gh api -X|--method=PATCH -f|-F|--field|--raw-field=force=true",
            "gh api graphql -f|-F|--field|--raw-field=*mutation*delete*",
            "gh secret|ssh-key|gpg-key delete|remove",
            "gh release delete|delete-asset",
            "gh issue delete",
            "gh run delete",
            "gh codespace delete",
            "gh project delete",
            "gh environment delete",
            "gh gist delete",
            "glab repo|project delete|archive",
            "glab api -X|--method=DELETE",
            "glab variable|release|issue|mr delete",
            "hub delete",
            "hub api -X|--method=DELETE",
            "tea repo delete|rm",
            "bb repo delete",
            "npm unpublish",
            "pnpm unpublish",
            "cargo yank !--undo",
            "cargo owner --remove|-r",
            "gem yank",
            "npm owner rm",
            "npm access revoke",
            "npm team destroy",
            "dotnet nuget delete",
            "nuget delete",
            "pod trunk delete",
            "pod trunk deprecate",
            "skopeo delete",
            "crane delete",
            "regctl tag|image|manifest delete",
            "oras manifest delete",
            "docker trust revoke",
            "doctl registry delete-*",
        ]),
        denied: &[
            "gh repo delete owner/repo --yes",
            "gh api -X DELETE repos/o/r",
            "gh secret delete TOKEN",
            "gh repo archive o/r -y",
            "glab repo delete o/r -y",
            "hub delete o/r",
            "npm unpublish x --force",
            "cargo yank --version 1.0.0 x",
        ],
        allowed: &[
            "gh pr view 12",
            "gh issue list --search 'repo delete'",
            "gh api repos/o/r",
            "gh secret list",
            "curl -I https://example.com",
            "curl -X POST -d x http://localhost/lint",
        ],
        ..deny(
            "forge-destroy",
            "it removes what others use: repositories, releases, packages, secrets",
            "inspect it first: `gh repo view`",
        )
    },
    Rule {
        when: When::Check(&["gh"], |call, _| starts_workflow(call)),
        denied: &["gh workflow run deploy.yml", "gh workflow run"],
        allowed: &["gh workflow run ci.yml", "gh workflow view ci.yml"],
        ..ask(
            "forge-workflow",
            "it starts a workflow that may change what others use",
            "list the workflows: `gh workflow list`",
        )
    },
    Rule {
        when: When::Words(&[
            "cargo publish !--dry-run|-n",
            "npm|pnpm|yarn|bun publish !--dry-run !--registry=http://localhost|http://localhost:*|http://localhost/*|http://127.0.0.1:*",
            "npm deprecate",
            "npm dist-tag|dist-tags add|rm|remove|del",
            "npm access set|grant|public|restricted|2fa-required|2fa-not-required|edit",
            "npm owner add|set",
            "twine upload",
            "poetry|uv|flit|hatch|pdm publish !--dry-run",
            "gem push",
            "docker|podman push",
            "helm push",
            "gh release create|edit !--draft|-d",
            "gh repo create|fork",
            "gh workflow disable|enable",
            "gh variable delete",
            "gh api -X|--method=PUT|PATCH|POST|put|patch|post */protection|*/protection/*|*/rulesets|*/rulesets/*|*/collaborators/*|*/hooks",
            "gh pr merge",
            "glab mr merge",
            "mvn ... deploy|release:perform|deploy:*",
            "gradle|gradlew ... publish|publish*Repository|publishAll*|publishPlugins|publishToSonatype|publishToMavenCentral|publishToCentral*",
            "goreleaser release !--snapshot",
            "semantic-release !--dry-run|-d",
            "npx|pnpx|bunx semantic-release|semantic-release@* !--dry-run|-d",
            "npm|pnpm|yarn|bun release !--dry-run",
            "npm|pnpm|yarn|bun run release|publish|publish-*|publish:* !--dry-run",
            "npm stage publish",
            "jsr publish !--dry-run",
            "npx|pnpx|bunx|pnpm|deno jsr publish !--dry-run",
            "deno publish !--dry-run",
            "deno run *publish* !--dry-run",
            "rake release",
            "bundle exec rake release",
            "github-release release|upload|edit|delete",
            "publish|publish.sh|release.sh|make-release.sh !--dry-run|-n|--help",
            "lerna publish",
            "changeset publish",
            "npx changeset publish",
            "dotnet nuget push",
            "pod trunk push",
            "vsce publish",
            "npx vsce publish",
            "gh repo sync --force",
        ]),
        denied: &[
            "cargo publish",
            "twine upload dist/*",
            "gem push x.gem",
            "docker push app:latest",
            "npx semantic-release@25.0.1",
            "mvn -B release:perform",
            "pnpm release",
            "./scripts/publish",
            "deno run -A jsr:@david/publish-on-tag@0.1.4",
            "gh release create v1",
            "gh release edit v1 --draft=false",
            "npm deprecate x 'msg'",
            "gh workflow disable ci",
            "gh api -X PUT repos/x/y/branches/main/protection -f enforce_admins=null",
        ],
        allowed: &[
            "npm run build",
            "mvn release:prepare -DdryRun",
            "./scripts/publish.sh --dry-run",
            "cargo publish --dry-run",
            "npm pack",
            "npm dist-tag ls pkg",
            "npm publish --registry http://localhost:4873",
            "./gradlew publishToMavenLocal",
            "gh release list",
            "gh release create v1 --draft",
            "gh pr create --fill",
        ],
        ..ask(
            "forge-publish",
            "it publishes, or changes what others see",
            "do a dry run first: `cargo publish --dry-run`",
        )
    },
];
