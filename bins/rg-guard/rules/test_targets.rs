//! Targets that hold data of tests on this machine: rules about data do not apply to them.

use super::rule::Rule;
use crate::command::{Call, flags, marks, valued_options};

/// Rules that do not apply to such a target.
const ABOUT_DATA: [&str; 11] = [
    "aws-destroy",
    "cloud-change",
    "cluster-destroy",
    "database-reset",
    "docker-destroy",
    "docker-prune",
    "kubectl-delete",
    "kubectl-restart",
    "machine-destroy",
    "sql-destroy",
    "sql-destroy-test",
];

/// Whether a name says that it is for tests. `dev` and `example` may hold what somebody wants to keep.
fn is_test_name(name: &str) -> bool {
    let name = marks::literal(name).to_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let is_test = |word: &str| matches!(word, "test" | "tests" | "testing" | "ci" | "e2e");
    let is_live = |word: &str| matches!(word, "prod" | "production" | "live" | "staging");
    words.clone().any(is_test) && !words.any(is_live)
}

/// Whether a host is this machine.
fn is_local_host(host: &str) -> bool {
    let name = host.rsplit('@').next().unwrap_or("");
    let name = if name.starts_with('[') { name.split(']').next() } else { name.split(':').next() };
    matches!(name, Some("localhost" | "127.0.0.1" | "[::1" | "0.0.0.0"))
}

/// The host and the path of a URL.
fn host_and_path(url: &str) -> Option<(&str, &str)> {
    let (_, rest) = url.split_once("://")?;
    let rest = rest.split(['?', '#']).next()?;
    Some(rest.split_once('/').unwrap_or((rest, "")))
}

/// Whether a URL of a database names one of tests: a file by its name, or a database on this machine.
fn is_test_url(url: &str) -> bool {
    match host_and_path(url) {
        Some((host, path)) if !host.is_empty() => is_local_host(host) && is_test_name(path),
        _ => {
            let file = ["file:", "sqlite:", "sqlite3:"].iter().find_map(|scheme| url.strip_prefix(scheme));
            file.is_some_and(|path| path == ":memory:" || is_test_name(path.rsplit('/').next().unwrap_or("")))
        }
    }
}

/// Whether all of the given values are test names, and there is one.
fn all_for_tests<'a>(mut values: impl Iterator<Item = &'a str>) -> bool {
    values.next().is_some_and(|first| is_test_name(first) && values.all(is_test_name))
}

/// Whether the environment of a call, or its options, select the database of tests.
fn selects_test_database(call: &Call) -> bool {
    let of_arg = |arg: &'_ crate::command::Arg| {
        arg.text.split_once('=').map(|(name, value)| (name.to_string(), value.to_string()))
    };
    let all = || call.assigns.iter().cloned().chain(call.args.iter().filter_map(of_arg));
    // Other programs take their database from a file.
    let reads_url =
        matches!(call.name.as_str(), "prisma" | "rails" | "rake" | "diesel" | "sqlx" | "dbmate" | "drizzle-kit")
            || call.name == "npx" && call.args.iter().any(|arg| arg.text.starts_with("prisma"));
    if let Some((_, url)) = all().find(|(name, _)| name == "DATABASE_URL").filter(|_| reads_url) {
        return is_test_url(&url);
    }
    let names: &[&str] = match call.name.as_str() {
        "rails" | "rake" => &["RAILS_ENV", "RACK_ENV"],
        "mix" => &["MIX_ENV"],
        "sequelize" | "sequelize-cli" | "knex" => &["NODE_ENV", "--env"],
        "console" | "symfony" => &["APP_ENV", "--env"],
        _ => return false,
    };
    let mut found = all().filter(|(name, _)| names.contains(&name.as_str())).peekable();
    found.peek().is_some() && found.all(|(_, value)| matches!(value.as_str(), "test" | "testing"))
}

/// Whether SQL reaches beyond the database that a client connects to: to other databases, users, or into files.
fn reaches_beyond(call: &Call) -> bool {
    let far = ["DATABASE", "DROP USER", "DROP ROLE", "DROP OWNED", "TABLESPACE", "\\", "USE "];
    let is_mysql = matches!(call.name.as_str(), "mysql" | "mariadb" | "mycli");
    let sql =
        call.args.iter().map(|arg| arg.text.as_str()).filter(|text| text.contains(' ')).chain(call.input.as_deref());
    sql.map(str::to_uppercase).any(|text| far.iter().any(|word| text.contains(word)) || is_mysql && text.contains('.'))
}

/// Whether a client of a database connects to one of tests on this machine, and changes that one only.
fn connects_to_tests(call: &Call) -> bool {
    if reaches_beyond(call) {
        return false;
    }
    if let Some(url) = call.args.iter().map(|arg| arg.text.as_str()).find(|text| text.contains("://")) {
        return is_test_url(url);
    }
    let found =
        flags(&call.args, "-h --host -d --dbname -D --database -U -u -p -P -c -e --command --execute --user --port");
    let of = |names: &[&str]| names.iter().find_map(|name| found.value(name));
    let name =
        of(&["-d", "--dbname", "-D", "--database"]).or_else(|| found.operands.first().map(|arg| arg.text.clone()));
    of(&["-h", "--host"]).is_some_and(|host| is_local_host(&host)) && name.is_some_and(|name| is_test_name(&name))
}

/// The files and projects of `docker compose`, or the volumes of `docker volume rm`.
fn is_test_stack(call: &Call) -> bool {
    // Another machine's data is not that of one's own tests.
    let is_elsewhere = |text: &str| matches!(text.split('=').next(), Some("-H" | "--host" | "--context" | "-c"));
    let by_variable = call.assigns.iter().any(|(name, _)| matches!(name.as_str(), "DOCKER_HOST" | "DOCKER_CONTEXT"));
    if by_variable || call.args.iter().any(|arg| is_elsewhere(&arg.text)) {
        return false;
    }
    let composes = call.name.ends_with("-compose") || call.args.iter().any(|arg| arg.text == "compose");
    let found = flags(&call.args, valued_options::of_call(call));
    if !composes {
        let volumes = found.operands.get(2..).unwrap_or_default();
        let removes = found.operand(0) == "volume" && matches!(found.operand(1), "rm" | "remove");
        return removes && all_for_tests(volumes.iter().map(|arg| arg.text.as_str()));
    }
    let is_place = |option: &str| matches!(option, "-f" | "--file" | "-p" | "--project-name");
    let apart = found.values.iter().filter(|(option, _)| is_place(option)).map(|(_, value)| value.text.as_str());
    let joined = found
        .options
        .iter()
        .filter_map(|option| option.strip_prefix("--file=").or(option.strip_prefix("--project-name=")));
    all_for_tests(apart.chain(joined))
}

/// Whether a cluster is a local one of tests.
fn is_test_cluster(call: &Call, rule: &Rule) -> bool {
    let found = flags(&call.args, valued_options::of_program(if call.name == "helm" { "helm" } else { "kubectl" }));
    let Some(name) = found.value("--context").or_else(|| found.value("--kube-context")) else { return false };
    let is_local = ["kind-", "k3d-", "minikube"].iter().any(|start| name.starts_with(start));
    is_local && (rule.id == "kubectl-restart" || is_test_name(&name))
}

/// Whether a rule about data does not apply, because the call names a target of tests.
pub fn is_for_tests(rule: &Rule, call: &Call) -> bool {
    if !ABOUT_DATA.contains(&rule.id) {
        return false;
    }
    match call.name.as_str() {
        "aws" => {
            let found = flags(&call.args, valued_options::of_program("aws"));
            let url = found.value("--endpoint-url");
            url.as_deref().and_then(host_and_path).is_some_and(|(host, _)| is_local_host(host))
        }
        "kubectl" | "oc" | "k" | "kubecolor" | "helm" => is_test_cluster(call, rule),
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => is_test_stack(call),
        "kind" | "k3d" | "minikube" => {
            let found = flags(&call.args, "-n --name -p --profile");
            let named = ["--name", "-n", "--profile", "-p"].iter().find_map(|name| found.value(name));
            named.or_else(|| found.operands.get(2).map(|arg| arg.text.clone())).is_some_and(|name| is_test_name(&name))
        }
        "psql" | "mysql" | "mariadb" | "pgcli" | "mycli" | "usql" => connects_to_tests(call),
        _ => rule.id == "database-reset" && selects_test_database(call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_of_tests_is_known_by_its_url() {
        for (url, want) in [
            ("postgres://localhost/test", true),
            ("postgres://app:pw@127.0.0.1:5432/app_test?sslmode=disable", true),
            ("file:./test.db", true),
            ("sqlite::memory:", true),
            ("postgres://localhost/app", false),
            ("postgres://localhost/latest", false),
            ("postgres://localhost/test_prod", false),
            ("postgres://db.example.com/test", false),
            ("postgres://localhost.example.com/test", false),
            ("file:./dev.db", false),
            ("test", false),
        ] {
            assert_eq!(is_test_url(url), want, "{url}");
        }
    }
}
