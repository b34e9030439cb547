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
    texts.extend(call.input.as_deref().map(str::to_string));
    // `\gexec` runs what a query selects: `select 'drop table ' || name ... \\gexec`.
    let made =
        texts.iter().filter(|text| text.contains("\\gexec")).flat_map(|text| text.split('\'').skip(1).step_by(2));
    let made: Vec<String> = made.map(str::to_string).collect();
    texts.extend(made);
    texts.iter().map(|text| marks::literal(text)).collect()
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
        when: When::Check(NAMES, |call, context| harms(call, context, Harm::Data)),
        denied: &[
            "psql -c 'DROP DATABASE prod'",
            "psql -tAc 'TRUNCATE users CASCADE'",
            "mysql -e 'DROP TABLE users'",
            "echo 'drop table users' | psql",
            "sqlite3 app.db 'delete from users where 1=1'",
            "psql -c 'UPDATE users SET admin = true'",
            "python3 -c \"c.execute('DROP DATABASE prod')\"",
        ],
        allowed: &[
            "psql -c 'SELECT 1'",
            "sqlite3 :memory: 'create table t(x); drop table t'",
            "sqlite3 /tmp/x.db 'drop table t'",
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
