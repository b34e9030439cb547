//! SQL that destroys: in arguments of clients, on their input, in strings that programs execute.

use super::{Rule, When, ask, deny};
use crate::run::{Call, flags, marks};

/// Clients: their names, the options whose value is SQL, and the number of the operand that is (0: none).
const CLIENTS: &[(&str, &str, usize)] = &[
    ("psql", "-c --command", 0),
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
    ("neonctl", "", 0),
    ("db2", "", 1),
    ("prisma", "", 0),
    ("sql", "", 1),
    ("execute-sql", "", 1),
    ("mycli", "-e", 0),
    ("harlequin", "", 0),
    ("surreal", "", 0),
];

const NAMES: &[&str] = &[
    "psql",
    "pgcli",
    "mysqlsh",
    "mysql",
    "mariadb",
    "mycli",
    "sqlite3",
    "sqlite",
    "litecli",
    "sqlcmd",
    "mssql-cli",
    "osql",
    "clickhouse-client",
    "clickhouse",
    "duckdb",
    "cqlsh",
    "cockroach",
    "snowsql",
    "snow",
    "bq",
    "usql",
    "trino",
    "presto",
    "beeline",
    "hive",
    "impala-shell",
    "spark-sql",
    "turso",
    "wrangler",
    "ysqlsh",
    "tsql",
    "isql",
    "sqlplus",
    "pscale",
    "planetscale",
    "supabase",
    "heroku",
    "db2",
    "prisma",
    "sql",
];

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
    // Each time that an option is given, and its joined forms: `-tAc SQL`, `--command=SQL`.
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
        // Of sqlite3 each operand behind the file is a line of its own.
        let count = if call.name == "sqlite3" { usize::MAX } else { 1 };
        texts.extend(found.operands.iter().skip(operand - 1).take(count).map(|arg| arg.text.clone()));
    }
    texts.extend(call.input.as_deref().map(str::to_string));
    texts.iter().map(|text| marks::plain(text)).collect()
}

/// What a statement does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Harm {
    /// A table, schema, database, user goes, or all its rows.
    Lost,
    /// Something whose name says that it is for tests.
    OfTests,
}

/// Statements, each as its words in capitals, without comments; strings are one word `'`.
pub fn statements(text: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    let chars: Vec<char> = text.chars().collect();
    let mut word = String::new();
    let mut at = 0;
    let push = |word: &mut String, all: &mut Vec<Vec<String>>| {
        if !word.is_empty()
            && let Some(last) = all.last_mut()
        {
            last.push(std::mem::take(word).to_uppercase());
        }
    };
    while at < chars.len() {
        let c = chars[at];
        let next = chars.get(at + 1).copied();
        // A line that is the client's own: `\c prod`, `.headers on`.
        let begins = (at == 0 || chars[at - 1] == '\n') && word.is_empty() && all.last().is_some_and(Vec::is_empty);
        match c {
            '\\' | '.' if begins && next.is_some_and(|c| c.is_alphabetic()) => {
                while at < chars.len() && chars[at] != '\n' {
                    at += 1;
                }
            }
            '-' if next == Some('-') => {
                while at < chars.len() && chars[at] != '\n' {
                    at += 1;
                }
                continue;
            }
            '#' if word.is_empty() && next == Some(' ') => {
                while at < chars.len() && chars[at] != '\n' {
                    at += 1;
                }
                continue;
            }
            '/' if next == Some('*') => {
                // `/*! ... */` is run by MySQL.
                if chars.get(at + 2) == Some(&'!') {
                    at += 3;
                    continue;
                }
                while at < chars.len() && !(chars[at] == '*' && chars.get(at + 1) == Some(&'/')) {
                    at += 1;
                }
                at += 2;
                push(&mut word, &mut all);
                continue;
            }
            '\'' => {
                push(&mut word, &mut all);
                at += 1;
                while at < chars.len() && chars[at] != '\'' {
                    at += if chars[at] == '\\' { 2 } else { 1 };
                }
                word.push('\'');
                push(&mut word, &mut all);
            }
            ';' => {
                push(&mut word, &mut all);
                all.push(Vec::new());
            }
            '"' | '`' => {}
            c if c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '-') => word.push(c),
            c if c.is_whitespace() => push(&mut word, &mut all),
            c => {
                push(&mut word, &mut all);
                word.push(c);
                push(&mut word, &mut all);
            }
        }
        at += 1;
    }
    push(&mut word, &mut all);
    all.retain(|words| !words.is_empty());
    all
}

/// Whether a name says that it is for tests, or for a while.
pub fn is_for_tests(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        matches!(
            word,
            "test" | "tests" | "testing" | "tmp" | "temp" | "scratch" | "sandbox" | "ci" | "dev" | "dummy" | "example"
        )
    })
}

fn harm(words: &[String]) -> Option<Harm> {
    // What stands before: `BEGIN`, `EXPLAIN`, `WITH x AS (...)`.
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let named = |name: &str| if is_for_tests(name) { Harm::OfTests } else { Harm::Lost };
    if matches!(word(0), "INSERT" | "SELECT" | "CREATE" | "COMMENT" | "EXPLAIN" | "SHOW" | "DESCRIBE")
        && !words.iter().any(|w| w == "DELETE")
    {
        return None;
    }
    for at in 0..words.len() {
        let starts = at == 0
            || at > 1 && word(at - 1) == "(" && word(at - 2) == "AS"
            || matches!(word(at - 1), "BEGIN" | ")" | "DO" | "EXEC" | "EXECUTE" | ">" | "AS" | "THEN")
            || words[..at].iter().all(|w| w.starts_with('-'));
        if !starts {
            continue;
        }
        match word(at) {
            "DROP" => {
                let kinds = [
                    "DATABASE",
                    "SCHEMA",
                    "TABLE",
                    "USER",
                    "ROLE",
                    "OWNED",
                    "TABLESPACE",
                    "KEYSPACE",
                    "COLLECTION",
                    "WAREHOUSE",
                    "EXTENSION",
                    "MATERIALIZED",
                    "PUBLICATION",
                    "CATALOG",
                    "DICTIONARY",
                    "STAGE",
                    "ALL",
                ];
                if kinds.contains(&word(at + 1)) {
                    let skip = words[at + 2..]
                        .iter()
                        .find(|w| !matches!(w.as_str(), "IF" | "EXISTS" | "BY" | "CONCURRENTLY" | "VIEW"));
                    return Some(skip.map_or(Harm::Lost, |name| named(name)));
                }
            }
            "TRUNCATE" => {
                let name = words[at + 1..].iter().find(|w| !matches!(w.as_str(), "TABLE" | "ONLY" | "IF" | "EXISTS"));
                return Some(name.map_or(Harm::Lost, |name| named(name)));
            }
            "DELETE" if matches!(word(at + 1), "FROM" | "*") && !is_selective(within(&words[at..])) => {
                return Some(named(word(at + 2)));
            }
            "UPDATE" if words.iter().any(|w| w == "SET") && !is_selective(within(&words[at..])) => {
                return Some(named(word(at + 1)));
            }
            "ALTER"
                if words[at..]
                    .windows(2)
                    .any(|pair| pair[0] == "DROP" && matches!(pair[1].as_str(), "COLUMN" | "PARTITION")) =>
            {
                return Some(Harm::Lost);
            }
            _ => {}
        }
    }
    None
}

/// What stands before the bracket that closes around it: `WITH gone AS (DELETE FROM users) SELECT ... WHERE ...`.
fn within(words: &[String]) -> &[String] {
    let mut open = 0_usize;
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" => open += 1,
            ")" if open == 0 => return &words[..at],
            ")" => open -= 1,
            _ => {}
        }
    }
    words
}

/// Whether a `WHERE` leaves anything out.
fn is_selective(words: &[String]) -> bool {
    if words.iter().any(|w| w == "LIMIT" || w == "USING" || w == "JOIN") {
        return true;
    }
    let Some(at) = words.iter().position(|w| w == "WHERE") else { return false };
    let rest: Vec<&str> = words[at + 1..].iter().map(String::as_str).collect();
    !matches!(rest.as_slice(), [] | ["TRUE"] | ["1"] | ["NOT", "FALSE"])
        && !matches!(rest.as_slice(), [a, "=", b] if a == b)
        && !rest.ends_with(&["OR", "1", "=", "1"])
        && !rest.ends_with(&["OR", "TRUE"])
}

fn harms(call: &Call, which: Harm) -> bool {
    texts(call).iter().any(|text| statements(text).iter().any(|words| harm(words) == Some(which)))
}

pub const RULES: &[Rule] = &[
    Rule {
        when: When::Check(NAMES, |call, _| harms(call, Harm::Lost)),
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
            "psql -c 'DELETE FROM sessions WHERE id = 5'",
            "psql -c \"INSERT INTO logs VALUES ('DROP DATABASE')\"",
            "psql -c '-- DROP DATABASE x\nSELECT 1'",
            "grep 'DROP TABLE' schema.sql",
        ],
        ..deny(
            "sql-destroy",
            "it destroys data: tables, databases, or every row",
            "look first: `psql -c 'SELECT count(*) FROM users'`",
        )
    },
    Rule {
        when: When::Check(NAMES, |call, _| harms(call, Harm::OfTests)),
        denied: &["psql -c 'DROP DATABASE app_test'"],
        allowed: &["psql -c 'CREATE DATABASE app_test'"],
        ..ask(
            "sql-destroy-test",
            "it destroys data whose name says that it is for tests",
            "make another one: `createdb app_test2`",
        )
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart_from_strings_and_comments() {
        for (text, want) in [
            ("DROP TABLE users", true),
            ("select 'DROP TABLE users'", false),
            ("/* DROP TABLE x */ select 1", false),
            ("begin; drop schema public cascade; commit", true),
            ("delete from t where id = 5", false),
            ("DELETE FROM t", true),
            ("delete from t where 1=1", true),
            ("update t set a = 1 where b = 2", false),
            ("UPDATE t SET a = 1", true),
            ("drop index i", false),
            ("alter table t drop column c", true),
            ("create table dropped (id int)", false),
            ("\\c prod\nDROP TABLE users;", true),
            (".headers on\ndelete from users;", true),
            ("with d as (delete from users returning *) select count(*) from d where 1 = 2", true),
            ("with d as (delete from users where id = 5 returning *) select * from d", false),
        ] {
            assert_eq!(statements(text).iter().any(|words| harm(words).is_some()), want, "{text}");
        }
    }
}
