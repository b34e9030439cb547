//! SQL statements: split from strings and comments, and what each destroys.

use crate::command::marks;

/// What a statement destroys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Harm {
    /// A table, a schema, a database, a user, or all rows.
    Data,
    /// The same, where the name says that it is for tests.
    TestData,
}

/// The statements of a text, each as its words in upper case, without comments. A string is one word `'`.
pub fn statements(text: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    let chars: Vec<char> = text.chars().collect();
    let mut word = String::new();
    let mut at = 0;
    let mut texts: Vec<String> = Vec::new();
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
        // A command of the client itself: `\c prod`, `.headers on`.
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
                // MySQL runs `/*! ... */`.
                if chars.get(at + 2) == Some(&'!') {
                    at += 3;
                    // `/*!50000` has a minimum version.
                    while chars.get(at).is_some_and(char::is_ascii_digit) {
                        at += 1;
                    }
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
                let start = at;
                while at < chars.len() && chars[at] != '\'' {
                    at += if chars[at] == '\\' { 2 } else { 1 };
                }
                // A statement in a string: `EXECUTE '...'`, `DO '...'`, `PREPARE q FROM '...'`, `EXEC('...')`.
                let last = all.last().and_then(|words| words.iter().rev().find(|word| *word != "("));
                if last.is_some_and(|word| matches!(word.as_str(), "EXECUTE" | "EXEC" | "DO" | "IMMEDIATE"))
                    || last.is_some_and(|word| word == "FROM")
                        && all.last().is_some_and(|words| words.first().is_some_and(|word| word == "PREPARE"))
                {
                    texts.push(chars[start..at.min(chars.len())].iter().collect::<String>());
                }
                word.push('\'');
                push(&mut word, &mut all);
            }
            ';' => {
                push(&mut word, &mut all);
                all.push(Vec::new());
            }
            '"' | '`' => {}
            // The contents of a file are unknown; what follows them is a new statement.
            marks::FILE => {
                push(&mut word, &mut all);
                all.push(Vec::new());
            }
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
    // Terminates: each string is shorter than the text around it.
    all.extend(texts.iter().flat_map(|text| statements(text)));
    all.retain(|words| !words.is_empty());
    all
}

/// Whether a name says that it is for tests, or temporary.
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

/// What a statement destroys, if anything.
pub fn harm(words: &[String]) -> Option<Harm> {
    // A statement may follow `BEGIN`, `EXPLAIN` or `WITH x AS (...)`.
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let named = |name: &str| if is_for_tests(name) { Harm::TestData } else { Harm::Data };
    if matches!(word(0), "INSERT" | "SELECT" | "CREATE" | "COMMENT" | "EXPLAIN" | "SHOW" | "DESCRIBE")
        && !words.iter().any(|w| w == "DELETE")
    {
        return None;
    }
    for at in 0..words.len() {
        let starts = at == 0
            || at > 1 && word(at - 1) == "(" && word(at - 2) == "AS"
            || matches!(word(at - 1), "BEGIN" | "$" | "$$" | ")" | "DO" | "EXEC" | "EXECUTE" | ">" | "AS" | "THEN")
            || words[..at].iter().all(|w| w.starts_with('-'));
        if !starts {
            continue;
        }
        match word(at) {
            // SurrealDB says `REMOVE`.
            "DROP" | "REMOVE" => {
                let kinds = [
                    "NAMESPACE",
                    "DATABASE",
                    "SCHEMA",
                    "TABLE",
                    "TABLES",
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
                    return Some(skip.map_or(Harm::Data, |name| named(name)));
                }
            }
            "TRUNCATE" => {
                let name = words[at + 1..].iter().find(|w| !matches!(w.as_str(), "TABLE" | "ONLY" | "IF" | "EXISTS"));
                return Some(name.map_or(Harm::Data, |name| named(name)));
            }
            "DELETE" if matches!(word(at + 1), "FROM" | "*") && !is_selective(inside_bracket(&words[at..])) => {
                return Some(named(word(at + 2)));
            }
            "UPDATE" if words.iter().any(|w| w == "SET") && !is_selective(inside_bracket(&words[at..])) => {
                return Some(named(word(at + 1)));
            }
            "ALTER"
                if words[at..]
                    .windows(2)
                    .any(|pair| pair[0] == "DROP" && matches!(pair[1].as_str(), "COLUMN" | "PARTITION")) =>
            {
                return Some(Harm::Data);
            }
            _ => {}
        }
    }
    None
}

/// The words before the bracket that closes around them: `WITH gone AS (DELETE FROM users) SELECT ... WHERE ...`.
fn inside_bracket(words: &[String]) -> &[String] {
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

/// Whether a `WHERE` selects some rows only.
fn is_selective(words: &[String]) -> bool {
    if words.iter().any(|w| w == "LIMIT" || w == "JOIN") {
        return true;
    }
    let Some(at) = words.iter().position(|w| w == "WHERE") else { return false };
    let rest: Vec<&str> = words[at + 1..].iter().map(String::as_str).collect();
    !matches!(rest.as_slice(), [] | ["TRUE"] | ["1"] | ["NOT", "FALSE"])
        && !matches!(rest.as_slice(), [a, "=", b] if a == b)
        && !rest.ends_with(&["OR", "1", "=", "1"])
        && !rest.ends_with(&["OR", "TRUE"])
}

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
            ("DELETE FROM t USING u", true),
            ("DELETE FROM t USING u WHERE t.id = u.id", false),
            ("delete from t where 1=1", true),
            ("update t set a = 1 where b = 2", false),
            ("UPDATE t SET a = 1", true),
            ("drop index i", false),
            ("alter table t drop column c", true),
            ("create table dropped (id int)", false),
            ("\\c prod\nDROP TABLE users;", true),
            ("DO $$ BEGIN EXECUTE 'DROP TABLE users'; END $$", true),
            ("/*!50000 DROP TABLE users */", true),
            ("PREPARE q FROM 'DROP TABLE x'; EXECUTE q", true),
            ("SELECT 'EXECUTE DROP TABLE x'", false),
            (".headers on\ndelete from users;", true),
            ("with d as (delete from users returning *) select count(*) from d where 1 = 2", true),
            ("with d as (delete from users where id = 5 returning *) select * from d", false),
        ] {
            assert_eq!(statements(text).iter().any(|words| harm(words).is_some()), want, "{text}");
        }
    }
}
