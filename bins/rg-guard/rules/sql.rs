//! Rules about destructive SQL: in arguments and input of clients, in strings that programs execute.

use super::context::Context;
use super::rule::{Rule, When, ask, deny};
use super::statements::{Harm, harm, statements};
use crate::command::path::Class;
use crate::command::{Call, flags, marks};

/// Clients: name, options whose value is SQL, index of the operand that is SQL (counted from 1, 0 for none).
const CLIENTS: &[(&str, &str, usize)] = &[
    ("psql", "-c --command", 0),
    ("vsql", "-c", 0),
    ("influx", "-execute", 0),
    ("pgcli", "-c --command -e --execute", 0),
    ("mysqlsh", "-e --execute", 0),
    ("mysql", "-e --execute", 0),
    ("mariadb", "-e --execute", 0),
    ("mycli", "-e --execute", 0),
    ("sqlite3", "-cmd", 2),
    ("sqlite", "-cmd", 2),
    ("litecli", "-e", 2),
    ("sqlcmd", "-Q -q", 0),
    ("mssql-cli", "-Q -q", 0),
    ("osql", "-Q -q", 0),
    ("clickhouse-client", "-q --query", 0),
    ("clickhouse", "-q --query", 0),
    ("duckdb", "-c -s -cmd", 2),
    ("cqlsh", "-e --execute", 0),
    ("cockroach", "-e --execute", 0),
    ("snowsql", "-q --query", 0),
    ("snow", "-q --query", 0),
    ("bq", "--query", 2),
    ("usql", "-c --command", 0),
    ("trino", "--execute", 0),
    ("presto", "--execute", 0),
    ("beeline", "-e", 0),
    ("hive", "-e", 0),
    ("impala-shell", "-q --query", 0),
    ("spark-sql", "-e", 0),
    ("turso", "", 4),
    ("wrangler", "--command", 0),
    ("ysqlsh", "-c --command", 0),
    ("tsql", "", 0),
    ("isql", "", 0),
    ("sqlplus", "", 0),
    ("rqlite", "", 0),
    ("pscale", "", 0),
    ("planetscale", "", 0),
    ("supabase", "--sql", 0),
    ("heroku", "-c --command", 0),
    ("fly", "", 0),
    ("flyctl", "", 0),
    ("railway", "", 0),
    ("neonctl", "", 0),
    ("db2", "", 1),
    ("prisma", "", 0),
    ("sql", "", 1),
    ("execute-sql", "", 1),
    ("harlequin", "", 0),
    ("surreal", "", 0),
    ("aws", "--sql --sqls --query-string", 0),
    ("gcloud", "--sql --ddl", 0),
    ("rails", "", 0),
    ("manage.py", "", 0),
    ("django-admin", "", 0),
];

const NAMES: &[&str] = &names();

const fn names() -> [&'static str; CLIENTS.len()] {
    let mut names = [""; CLIENTS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = CLIENTS[at].0;
        at += 1;
    }
    names
}

/// The SQL that a call runs.
fn texts(call: &Call) -> Vec<String> {
    let Some((_, options, operand)) = CLIENTS.iter().find(|(name, _, _)| *name == call.name) else { return Vec::new() };
    let found = flags(
        &call.args,
        "-c --command -e --execute -Q -q --query -h -U -p- -P -u -d -f -D --host --user --port --dbname --database -cmd -s -S -v --set -o --location --config",
    );
    if found.options.contains(&"--help") {
        return Vec::new();
    }
    // An option may be repeated, or joined: `-tAc SQL`, `--command=SQL`.
    let mut texts = Vec::new();
    let mut args = call.args.iter().peekable();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        for option in options.split(' ').filter(|option| !option.is_empty()) {
            let bundled = option.len() == 2
                && text.starts_with('-')
                && !text.starts_with("--")
                && text.ends_with(&option[1..])
                && text.len() < 8;
            if text == option || bundled {
                texts.extend(args.peek().map(|next| next.text.clone()));
            } else if let Some(rest) = text.strip_prefix(option) {
                texts.push(rest.trim_start_matches('=').to_string());
            }
        }
    }
    if *operand > 0 {
        // Every operand of sqlite3 after the file is SQL.
        let count = if call.name == "sqlite3" { usize::MAX } else { 1 };
        texts.extend(found.operands.iter().skip(operand - 1).take(count).map(|arg| arg.text.clone()));
    }
    texts.extend(call.input.as_deref().filter(|_| reads_input(call)).map(str::to_string));
    // `\gexec` runs what a query selects: `select 'drop table ' || name ... \\gexec`.
    let made =
        texts.iter().filter(|text| text.contains("\\gexec")).flat_map(|text| text.split('\'').skip(1).step_by(2));
    let made: Vec<String> = made.map(str::to_string).collect();
    texts.extend(made);
    texts.iter().map(|text| marks::literal(text)).collect()
}

/// Whether the input of a client is SQL. Some clients read it for one subcommand only.
fn reads_input(call: &Call) -> bool {
    let is_console = |arg: &crate::command::Arg| matches!(arg.text.as_str(), "dbshell" | "dbconsole" | "db");
    match call.name.as_str() {
        "aws" | "gcloud" => false,
        "rails" | "manage.py" | "django-admin" => call.args.iter().any(is_console),
        _ => true,
    }
}

/// Programs that send requests.
const SENDERS: &[&str] = &["curl", "wget", "http", "https", "xh"];

/// The SQL in a request, for databases that speak HTTP: in the query of the URL, or as the body.
fn sent_texts(call: &Call) -> Vec<String> {
    let named = ["query", "q", "sql"];
    let of_field = |text: &str| {
        let (name, value) = text.split_once('=')?;
        named.contains(&name).then(|| decoded(value))
    };
    let mut texts = Vec::new();
    for arg in &call.args {
        let text = marks::literal(&arg.text);
        let body = ["--data-binary=", "--data-urlencode=", "--data-raw=", "--data=", "--post-data=", "-d"]
            .iter()
            .find_map(|option| text.strip_prefix(option))
            .unwrap_or(&text);
        texts.extend(of_field(body));
        if let Some((_, query)) = text.split_once('?').filter(|(url, _)| url.contains(':')) {
            texts.extend(query.split('&').filter_map(of_field));
        }
        // `["DROP TABLE x"]`
        texts.push(body.trim_start_matches(['[', '"', ' ']).to_string());
    }
    texts.extend(call.input.as_deref().map(str::to_string));
    texts
}

/// The value of a field of a form.
fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    let mut pieces = text.split('%');
    let mut out = pieces.next().unwrap_or("").to_string();
    for piece in pieces {
        let code = piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code.filter(u8::is_ascii) {
            Some(byte) => {
                out.push(char::from(byte));
                out.push_str(&piece[2..]);
            }
            None => out.push_str(piece),
        }
    }
    out
}

/// Whether a URL is that of a database that speaks HTTP, by its port or its host.
fn is_database(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest).split(['/', '?']).next().unwrap_or("");
    // ClickHouse, InfluxDB, rqlite, QuestDB, CrateDB.
    let ports = [":8123", ":8443", ":8086", ":4001", ":9000", ":4200"];
    let names = ["clickhouse", "influx", "rqlite", "questdb", "surreal", "crate", "timescale", "druid", "pinot"];
    ports.iter().any(|port| host.ends_with(port)) || names.iter().any(|name| host.contains(name))
}

/// Whether a request destroys data of a database that speaks HTTP.
fn sends_harm(call: &Call) -> bool {
    call.args.iter().any(|arg| is_database(&arg.text))
        && sent_texts(call).iter().any(|text| statements(text).iter().any(|words| harm(words).is_some()))
}

/// Whether a client replaces the whole database by another one: `.restore FILE`.
fn replaces(call: &Call, context: &Context) -> bool {
    matches!(call.name.as_str(), "sqlite3" | "sqlite" | "litecli")
        && !passes(call, context)
        && texts(call).iter().any(|text| text.lines().any(|line| line.trim_start().starts_with(".restore")))
}

/// Whether a database is temporary: in memory, or a file in a temporary directory.
fn passes(call: &Call, context: &Context) -> bool {
    let is_file = matches!(call.name.as_str(), "sqlite3" | "sqlite" | "litecli" | "duckdb");
    let found = flags(&call.args, "-cmd -c -s -e -separator -init");
    let name = found.operands.first().filter(|_| is_file);
    name.is_some_and(|name| name.text == ":memory:" || context.class(call, &name.text) == Class::Temp)
}

fn harms(call: &Call, context: &Context, which: Harm) -> bool {
    !passes(call, context)
        && texts(call).iter().any(|text| statements(text).iter().any(|words| harm(words) == Some(which)))
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(NAMES, |call, context| harms(call, context, Harm::Data) || replaces(call, context)),
        denied: &[
            "psql -c 'DROP DATABASE prod'",
            "psql -tAc 'TRUNCATE users CASCADE'",
            "mysql -e 'DROP TABLE users'",
            "echo 'drop table users' | psql",
            "sqlite3 app.db 'delete from users where 1=1'",
            "psql -c 'UPDATE users SET admin = true'",
            "python3 -c \"c.execute('DROP DATABASE prod')\"",
            "sqlite3 prod.db '.restore empty.db'",
            "aws rds-data execute-statement --sql 'drop table x'",
            "gcloud spanner databases execute-sql d --sql='DROP TABLE x'",
            "surreal sql <<< 'REMOVE TABLE x'",
        ],
        allowed: &[
            "sqlite3 prod.db '.backup copy.db'",
            "psql -c 'SELECT 1'",
            "sqlite3 :memory: 'create table t(x); drop table t'",
            "sqlite3 /tmp/x.db 'drop table t'",
            "psql postgres://localhost/test -c 'truncate users'",
            "python3 -c \"import sqlite3; c=sqlite3.connect(':memory:'); c.execute('drop table t')\"",
            "psql -c 'DELETE FROM sessions WHERE id = 5'",
            "psql -c \"INSERT INTO logs VALUES ('DROP DATABASE')\"",
            "psql -c '-- DROP DATABASE x\nSELECT 1'",
            "grep 'DROP TABLE' schema.sql",
        ],
        ..deny(
            "sql-destroy",
            "it destroys data: tables, databases, or every row",
            "count the rows first: `psql -c 'SELECT count(*) FROM users'`",
        )
    },
    Rule {
        when: When::Check(SENDERS, |call, _| sends_harm(call)),
        denied: &[
            "curl -X POST http://clickhouse:8123 -d 'DROP TABLE x'",
            "curl 'http://clickhouse:8123/?query=DROP+TABLE%20x'",
            "echo 'TRUNCATE TABLE x' | curl http://clickhouse:8123 --data-binary @-",
            "curl -XPOST http://influx:8086/query --data-urlencode 'q=DROP DATABASE metrics'",
        ],
        allowed: &[
            "curl 'http://clickhouse:8123/?query=SELECT+1'",
            "curl -d 'drop me a line' https://x.io",
            "curl -d '{\"q\": \"drop table\"}' http://localhost:3000/search",
        ],
        ..deny(
            "sql-request",
            "it asks a database to destroy data: tables, databases, or every row",
            "count the rows first: `curl 'http://db:8123/?query=SELECT+1'`",
        )
    },
    Rule {
        when: When::Check(NAMES, |call, context| harms(call, context, Harm::TestData)),
        denied: &["psql -c 'DROP DATABASE app_test'"],
        allowed: &["psql -c 'CREATE DATABASE app_test'"],
        ..ask(
            "sql-destroy-test",
            "it destroys data that has the name of test data",
            "create another test database: `createdb app_test2`",
        )
    },
];
