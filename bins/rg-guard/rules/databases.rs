//! Rules about databases, queues and file servers, by their own clients.

use super::rule::{Rule, When, ask, deny};
use super::statements::is_for_tests;
use crate::command::{Call, flags, marks, valued_options};

/// The script that a client of a document store runs.
fn script(call: &Call) -> String {
    let found =
        flags(&call.args, "--eval --host --port -u -p --username --password --authenticationDatabase -f --file");
    let input = call.input.as_deref().unwrap_or("").to_string();
    marks::literal(&format!("{}\n{input}", found.value("--eval").unwrap_or_default()))
}

fn destroys_documents(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    [
        "dropDatabase(",
        ".drop(",
        "deleteMany({})",
        ".remove({})",
        "dropAllUsersFromDatabase(",
        "dropUser(",
        ".dropIndexes(",
        "{dropDatabase:",
        "{\"dropDatabase\":",
    ]
    .iter()
    .any(|call| text.contains(call))
}

/// The commands that a client of a key-value store sends.
fn commands(call: &Call) -> Vec<Vec<String>> {
    let found = flags(&call.args, valued_options::of_program("redis-cli"));
    let words = |text: &str| text.split_whitespace().map(str::to_uppercase).collect::<Vec<_>>();
    let given: Vec<String> = found.operands.iter().map(|arg| marks::literal(&arg.text).to_uppercase()).collect();
    let input = call.input.as_deref().unwrap_or("");
    std::iter::once(given).chain(input.lines().map(words)).filter(|words| !words.is_empty()).collect()
}

/// Whether a call only empties a numbered store of this machine: the number 0 is the usual one, tests take others.
fn flushes_numbered(call: &Call) -> bool {
    let found = flags(&call.args, valued_options::of_program("redis-cli"));
    let is_local = |host: String| matches!(host.as_str(), "localhost" | "127.0.0.1");
    let numbered = found.value("-n").is_some_and(|number| number.parse::<u32>().is_ok_and(|number| number > 0));
    let own = !call.is_remote && found.value("-h").is_none_or(is_local) && found.value("-u").is_none();
    let is_flush = |words: &Vec<String>| words[0] == "FLUSHDB";
    numbered && own && commands(call).iter().all(is_flush)
}

fn flushes(call: &Call) -> bool {
    commands(call).iter().any(|words| {
        let second = words.get(1).map_or("", String::as_str);
        matches!(words[0].as_str(), "FLUSHALL" | "FLUSHDB" | "SHUTDOWN")
            || words[0] == "DEBUG" && matches!(second, "SEGFAULT" | "PANIC" | "RESTART" | "CRASH-AND-RECOVER")
            || words[0] == "CLUSTER" && matches!(second, "RESET" | "FLUSHSLOTS" | "FORGET")
            || words[0] == "CONFIG"
                && second == "SET"
                && words.iter().any(|word| matches!(word.as_str(), "DIR" | "DBFILENAME"))
            || words[0] == "SCRIPT" && second == "FLUSH-ALL"
            || words[0] == "EVAL" && words.iter().any(|word| word.contains("FLUSHALL") || word.contains("FLUSHDB"))
    })
}

fn drops(call: &Call, of_tests: bool) -> bool {
    // mysqladmin takes a password joined to `-p`, or asks for it.
    let admin = call.name.ends_with("admin");
    let valued = "-h -U -u -P -S --host --port --username --maintenance-db --user --socket";
    let found = flags(&call.args, if admin { valued } else { "-h -p -U --host --port --username --maintenance-db" });
    if found.options.contains(&"--help") {
        return false;
    }
    let name = match call.name.as_str() {
        "mysqladmin" | "mariadb-admin" => match found.operands.iter().position(|arg| arg.text == "drop") {
            Some(at) => found.operand(at + 1),
            None => return false,
        },
        _ => found.operand(0),
    };
    is_for_tests(name) == of_tests
}

/// Whether text sent into a socket empties a store.
fn flushes_by_socket(call: &Call) -> bool {
    let text = call.input.as_deref().unwrap_or("").to_ascii_lowercase();
    text.split(['\n', '\r'])
        .any(|line| matches!(line.split_whitespace().next(), Some("flushall" | "flushdb" | "flush_all")))
}

/// Whether a query destroys a graph.
fn destroys_graph(call: &Call) -> bool {
    let texts = call.args.iter().map(|arg| arg.text.as_str()).chain(call.input.as_deref());
    texts.map(str::to_ascii_uppercase).any(|text| text.contains("DETACH DELETE") || text.contains("DROP DATABASE"))
}

/// Whether a script destroys a column store.
fn destroys_columns(call: &Call) -> bool {
    let words = ["drop ", "drop_all ", "truncate ", "truncate_preserve ", "disable_all ", "drop_namespace "];
    call.input.as_deref().unwrap_or("").lines().any(|line| words.iter().any(|word| line.trim().starts_with(word)))
}

/// Whether a request deletes whatever a query finds.
fn deletes_by_query(call: &Call) -> bool {
    let texts = call.args.iter().map(|arg| arg.text.as_str()).chain(call.input.as_deref());
    let blank = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    texts.map(blank).any(|text| {
        text.contains("<delete><query>*:*")
            || text.contains("\"delete\":{\"query\":\"*:*\"")
            || text.contains("/_delete_by_query")
    })
}

/// Whether a script removes many files on a server.
fn clears_files(call: &Call) -> bool {
    let given = call.args.windows(2).filter(|pair| matches!(pair[0].text.as_str(), "-c" | "-e"));
    let texts = given.map(|pair| pair[1].text.as_str()).chain(call.input.as_deref());
    texts.flat_map(|text| text.split(['\n', ';'])).any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.split_first() {
            Some((&("rm" | "mrm" | "del" | "delete" | "mdelete" | "mdel"), rest)) => {
                rest.iter().any(|word| word.contains('*') || word.starts_with("-r"))
            }
            Some((&"mirror", rest)) => rest.contains(&"--delete"),
            Some((&("deltree" | "rmtree"), _)) => true,
            _ => false,
        }
    })
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(&["hbase"], |call, _| destroys_columns(call)),
        denied: &["echo \"drop 'users'\" | hbase shell -n"],
        allowed: &["echo \"scan 'users'\" | hbase shell -n"],
        ..deny("columns-destroy", "it destroys tables", "list the tables first: `echo list | hbase shell -n`")
    },
    Rule {
        when: When::Check(&["curl", "http", "https", "wget"], |call, _| deletes_by_query(call)),
        denied: &[
            "curl -X POST 'http://es:9200/logs/_delete_by_query' -d '{\"query\":{\"match_all\":{}}}'",
            "curl http://solr:8983/solr/prod/update -d '<delete><query>*:*</query></delete>'",
        ],
        allowed: &["curl 'http://solr:8983/solr/prod/select?q=*:*'"],
        ..deny(
            "search-destroy",
            "it deletes every document that the query matches",
            "list the indices first: `curl http://es:9200/_cat/indices`",
        )
    },
    Rule {
        when: When::Check(&["sftp", "ftp", "lftp", "smbclient"], |call, _| clears_files(call)),
        denied: &[
            "sftp -b - prod <<< 'rm /srv/app/*'",
            "lftp -c 'open sftp://prod; rm -r -f /var/www'",
            "smbclient //nas/share -c 'deltree projects'",
        ],
        allowed: &["sftp host <<< 'get a.txt'", "lftp -c 'open ftp://h; ls'"],
        ..deny("remote-files", "it removes files on a server", "list them first: `lftp -c 'open sftp://prod; ls'`")
    },
    Rule {
        when: When::Check(&["nc", "ncat", "netcat", "telnet"], |call, _| flushes_by_socket(call)),
        denied: &["printf 'FLUSHALL\\r\\n' | nc localhost 6379", "echo flush_all | nc localhost 11211"],
        allowed: &["echo stats | nc localhost 11211"],
        ..deny("store-flush", "it empties the store", "inspect the store first: `echo stats | nc localhost 11211`")
    },
    Rule {
        when: When::Check(&["cypher-shell"], |call, _| destroys_graph(call)),
        denied: &["cypher-shell 'MATCH (n) DETACH DELETE n'"],
        allowed: &["cypher-shell 'MATCH (n) RETURN count(n)'"],
        ..deny(
            "graph-destroy",
            "it destroys nodes or databases",
            "count the nodes first: `cypher-shell 'MATCH (n) RETURN count(n)'`",
        )
    },
    Rule {
        when: When::Check(&["dropdb", "dropuser", "mysqladmin", "mariadb-admin"], |call, _| drops(call, false)),
        denied: &["dropdb prod", "dropuser app", "mysqladmin -f drop prod"],
        allowed: &["createdb app_test", "dropdb --help", "mysqladmin status"],
        ..deny("database-drop", "it destroys a database", "list the databases first: `psql -l`")
    },
    Rule {
        when: When::Check(&["dropdb", "dropuser", "mysqladmin", "mariadb-admin"], |call, _| drops(call, true)),
        denied: &["dropdb test_app"],
        allowed: &["createdb test_app"],
        ..ask(
            "database-drop-test",
            "it destroys a database that has the name of a test database",
            "create another test database: `createdb app_test2`",
        )
    },
    Rule {
        when: When::Check(&["mongosh", "mongo", "mongocli"], |call, _| destroys_documents(&script(call))),
        denied: &["mongosh --eval 'db.dropDatabase()'", "echo 'db.users.drop()' | mongosh prod"],
        allowed: &["mongosh --eval 'db.users.countDocuments()'", "rg 'dropDatabase\\(' src"],
        ..deny(
            "mongo-destroy",
            "it destroys documents, collections or databases",
            "inspect the database first: `mongosh --eval 'db.stats()'`",
        )
    },
    Rule {
        when: When::Check(&["redis-cli", "valkey-cli", "keydb-cli", "dragonfly-cli"], |call, _| {
            flushes(call) && !flushes_numbered(call)
        }),
        denied: &[
            "redis-cli FLUSHALL",
            "redis-cli -n 0 flushdb async",
            "echo FLUSHALL | redis-cli",
            "redis-cli DEBUG SEGFAULT",
        ],
        allowed: &["redis-cli GET key", "redis-cli INFO"],
        ..deny("redis-flush", "it empties or stops the store", "count the keys first: `redis-cli DBSIZE`")
    },
    Rule {
        when: When::Check(&["redis-cli", "valkey-cli", "keydb-cli", "dragonfly-cli"], |call, _| {
            flushes(call) && flushes_numbered(call)
        }),
        denied: &["redis-cli -n 15 flushdb"],
        allowed: &["redis-cli -n 15 dbsize"],
        ..ask(
            "redis-flush-numbered",
            "it empties a numbered store of this machine",
            "count the keys first: `redis-cli -n 15 DBSIZE`",
        )
    },
    Rule {
        when: When::Words(&[
            "neo4j-admin database delete",
            "sqlite-utils drop-table|drop-view",
            "php ... doctrine:database:drop|doctrine:schema:drop|db:wipe",
            "sequelize|sequelize-cli db:drop|db:migrate:undo:all",
            "knex migrate:rollback --all",
            "memcached-tool ... flush|flush_all",
            "memcflush|memflush",
            "influx delete",
            "etcdctl del --prefix|--from-key",
            "etcdctl del",
            "consul kv delete",
            "kafka-topics|kafka-topics.sh --delete",
            "kafka-delete-records|kafka-delete-records.sh",
            "kafka-consumer-groups|kafka-consumer-groups.sh --delete",
            "rabbitmqctl delete_vhost|reset|force_reset|delete_queue|delete_user|purge_queue|stop_app",
            "rabbitmqadmin delete|purge",
            "influx bucket|org delete",
            "nodetool decommission|removenode|assassinate",
            "vault kv metadata delete",
            "vault kv destroy|delete",
            "vault secrets disable",
            "vault delete",
            "vault lease revoke -prefix|-force",
            "tootctl ... delete|cull|purge|self-destruct|remove",
            "borg debug delete-obj",
            "vault operator seal",
            "pg_dropcluster",
            "pg_resetwal !-n|--dry-run|--help",
            "mongorestore --drop",
            "curl -X|--request=DELETE *:9200/*",
            "nats stream rm|purge",
            "zkCli.sh|zkCli|zookeeper-shell|zookeeper-shell.sh ... deleteall|rmr",
            "rpk topic|cluster|group delete",
            "celery ... purge",
            "talosctl ... reset",
            "pulsar-admin ... delete",
        ]),
        denied: &[
            "etcdctl del '' --prefix",
            "kafka-topics.sh --delete --topic orders --bootstrap-server b:9092",
            "rabbitmqctl delete_vhost prod",
            "influx bucket delete -n prod",
            "vault kv metadata delete secret/app",
        ],
        allowed: &["etcdctl get key", "vault kv get secret/app", "kafka-topics.sh --list --bootstrap-server b:9092"],
        ..deny("store-destroy", "it destroys data in a store", "list the data first: `vault kv list secret`")
    },
    Rule {
        when: When::Words(&[
            "rake|rails db:drop*|db:reset*|db:purge*|db:schema:load*|db:migrate:reset*|db:truncate_all*",
            "bin/rails db:drop*|db:reset*",
            "prisma migrate reset",
            "npx prisma migrate reset",
            "prisma db push --force-reset|--accept-data-loss",
            "npx prisma db push --force-reset|--accept-data-loss",
            "supabase db reset !--linked !--local",
            "php artisan migrate:fresh|migrate:reset|db:wipe|migrate:refresh",
            "artisan migrate:fresh|migrate:reset|db:wipe|migrate:refresh",
            "manage.py|django-admin flush|reset_db|sqlflush",
            "manage.py|django-admin migrate * zero",
            "alembic downgrade base",
            "flyway clean",
            "sequelize db:drop",
            "npx sequelize db:drop",
            "knex migrate:rollback --all",
            "typeorm schema:drop",
            "npx typeorm schema:drop",
            "mix ecto.drop|ecto.reset",
            "diesel database drop|reset",
            "sqlx database drop|reset",
            "liquibase drop-all|dropAll",
            "drizzle-kit drop",
            "npx drizzle-kit drop",
            "dotnet ef database drop",
            "redis-cli|valkey-cli del|DEL|unlink|UNLINK",
            "pg_restore -c|--clean",
            "goose reset",
            "console|symfony ... doctrine:schema:drop|doctrine:database:drop",
            "migrate ... drop",
            "wp db reset|drop|clean",
            "drush ... sql:drop|sql-drop",
            "airflow db reset",
            "dbmate drop",
        ]),
        denied: &[
            "rake db:reset",
            "npx prisma migrate reset",
            "supabase db reset",
            "redis-cli del session:1",
            "python -m django flush --no-input",
            "python3 manage.py migrate shop zero",
            "diesel database drop",
        ],
        allowed: &[
            "RAILS_ENV=test bin/rails db:drop db:create db:migrate",
            "DATABASE_URL=file:./test.db npx prisma migrate reset --force",
            "supabase db reset --local",
            "rails db:migrate",
            "alembic upgrade head",
            "python manage.py migrate shop",
        ],
        ..ask("database-reset", "it recreates the database without its data", "migrate forward: `alembic upgrade head`")
    },
    Rule {
        when: When::Words(&[
            "supabase db reset --linked",
            "supabase projects delete",
            "supabase branches delete",
            "flyway clean -url=*prod*",
            "pscale|planetscale branch|database delete",
            "neonctl projects|branches delete",
            "turso db destroy",
        ]),
        denied: &["supabase db reset --linked", "planetscale branch delete app main --force"],
        allowed: &["supabase status"],
        ..deny(
            "database-remote-destroy",
            "it destroys a database that others use",
            "inspect it first: `supabase status`",
        )
    },
];
