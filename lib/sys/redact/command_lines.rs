//! Passwords on command lines: `mysql -pSECRET`, `curl -u user:SECRET`, `--password SECRET`, `PGPASSWORD=SECRET`.

use super::{is_no_word, is_placeholder};
use std::ops::Range;

/// The part of a value that is the secret.
#[derive(Clone, Copy, PartialEq)]
enum Secret {
    Whole,
    /// The part after the first of this sign: `user:password`.
    After(char),
}

/// The options of a program whose value is a secret.
struct Program {
    names: &'static [&'static str],
    /// Options with the value in the same word: `-pSECRET`.
    joined: &'static [&'static str],
    /// Options with the value in the next word, or in the same one.
    apart: &'static [&'static str],
    secret: Secret,
    /// A word that must come before the option: `docker login -p`.
    verb: Option<&'static str>,
}

const fn program(names: &'static [&'static str], apart: &'static [&'static str]) -> Program {
    Program { names, joined: &[], apart, secret: Secret::Whole, verb: None }
}

/// A name that ends with `*` is the beginning of names.
const PROGRAMS: [Program; 13] = [
    Program { joined: &["-p"], ..program(&["mysql*", "mariadb*", "mycli"], &[]) },
    Program { joined: &["-p"], ..program(&["7z", "7za", "7zr", "7zz"], &[]) },
    program(&["redis-cli", "valkey-cli", "keydb-cli"], &["-a", "--pass"]),
    program(&["sshpass"], &["-p"]),
    program(&["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"], &["-p"]),
    program(&["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"], &["-w"]),
    program(&["sqlcmd", "bcp", "osql", "zip", "unzip"], &["-P"]),
    Program {
        secret: Secret::After(':'),
        ..program(&["curl", "wget", "aria2c"], &["-u", "-U", "--user", "--proxy-user"])
    },
    Program { secret: Secret::After(':'), ..program(&["http", "https", "xh", "httpie"], &["-a", "--auth"]) },
    Program { secret: Secret::After('%'), ..program(&["smbclient", "rpcclient"], &["-U", "--user"]) },
    Program { secret: Secret::After(':'), ..program(&["openssl"], &["-pass", "-passin", "-passout"]) },
    Program {
        verb: Some("login"),
        ..program(&["docker", "podman", "nerdctl", "helm", "oras", "skopeo", "buildah", "crane", "az", "oc"], &["-p"])
    },
    program(&["keytool", "jarsigner"], &["-storepass", "-keypass"]),
];

/// The last parts of an option's name, or of a variable's, whose value is a secret of any length and form.
const PASSWORDS: [&str; 3] = ["password", "passwd", "passphrase"];

/// The last parts of an option's name whose value is a secret where it is no word.
const TOKENS: [&str; 6] = ["token", "secret", "key", "apikey", "credential", "credentials"];

/// Variables that hold a password and are not named so.
const VARIABLES: [&str; 3] = ["MYSQL_PWD", "SSHPASS", "REDISCLI_AUTH"];

/// Words after `--password` in a sentence about the option.
const PROSE: [&str; 24] = [
    "a",
    "an",
    "and",
    "argument",
    "as",
    "can",
    "flag",
    "for",
    "from",
    "in",
    "is",
    "it",
    "must",
    "not",
    "on",
    "option",
    "options",
    "or",
    "parameter",
    "the",
    "to",
    "value",
    "was",
    "with",
];

/// The secrets of a line, in order.
pub(super) fn secrets(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if memchr::memchr2(b'-', b'=', line.as_bytes()).is_none() {
        return found;
    }
    let (mut at, mut running, mut has_verb) = (0, None::<&Program>, false);
    while let Some(word) = next_word(line, at) {
        if word.ends_command {
            (running, has_verb) = (None, false);
        }
        let text = &line[word.range.clone()];
        at = word.range.end;
        let found_here = option_value(line, &word.range, running, has_verb)
            .or_else(|| long_option_value(line, &word.range))
            .or_else(|| variable_value(line, &word.range));
        if let Some(secret) = found_here {
            at = at.max(secret.end);
            found.push(secret);
            continue;
        }
        has_verb |= running.and_then(|program| program.verb).is_some_and(|verb| verb == text);
        if let Some(program) = program_of(text) {
            (running, has_verb) = (Some(program), false);
        }
    }
    found
}

fn program_of(word: &str) -> Option<&'static Program> {
    let name = word.rsplit('/').next().unwrap_or("");
    let is_it = |known: &&str| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *known,
    };
    PROGRAMS.iter().find(|program| program.names.iter().any(is_it))
}

/// A word, and whether a command ends before it.
struct Word {
    range: Range<usize>,
    ends_command: bool,
}

/// The next word: quotes, brackets and signs of the shell end it. Letters after a backslash, as JSON has them, are blanks.
fn next_word(line: &str, from: usize) -> Option<Word> {
    let bytes = line.as_bytes();
    let (mut at, mut ends_command) = (from, false);
    while let Some(b) = bytes.get(at).filter(|b| is_break(**b)) {
        let is_line = *b == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b't' | b'r'));
        ends_command |= matches!(b, b';' | b'|' | b'&' | b'(' | b'`') || is_line;
        at += 1 + usize::from(is_line);
    }
    let length = bytes.get(at..)?.iter().position(|b| is_break(*b)).unwrap_or(bytes.len() - at);
    (length > 0).then(|| Word { range: at..at + length, ends_command })
}

fn is_break(b: u8) -> bool {
    b.is_ascii_whitespace()
        || matches!(
            b,
            b'"' | b'\''
                | b'`'
                | b'\\'
                | b';'
                | b'|'
                | b'&'
                | b'('
                | b')'
                | b'<'
                | b'>'
                | b','
                | b'{'
                | b'}'
                | b'['
                | b']'
        )
}

/// The value that begins at `from`: up to its closing quotation mark, or to a blank or a sign of the shell.
fn value_at(line: &str, from: usize) -> Range<usize> {
    let rest = &line[from..];
    for quote in ["\\\"", "\\'", "\"", "'"] {
        if let Some(inner) = rest.strip_prefix(quote)
            && let Some(length) = inner.find(quote)
        {
            let begin = from + quote.len();
            return begin..begin + length;
        }
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | ';' | '|' | '&' | ')' | '`');
    from..rest.find(ends).map_or(line.len(), |length| from + length)
}

/// The value after a word: the rest of the word from `at`, a quotation right after it, or, where `apart`, the next word.
fn value_after(line: &str, word: &Range<usize>, at: usize, apart: bool) -> Option<Range<usize>> {
    if at < word.end {
        return Some(value_at(line, at));
    }
    let rest = &line[word.end..];
    let is_quoted = rest.starts_with(['"', '\'']) && rest[1..].find(&rest[..1]).is_some_and(|length| length > 0);
    if is_quoted || rest.starts_with("\\\"") && rest[2..].find("\\\"").is_some_and(|length| length > 0) {
        return Some(value_at(line, word.end));
    }
    let blanks = rest.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    (apart && blanks > 0 && blanks < rest.len()).then(|| value_at(line, word.end + blanks))
}

/// The secret of an option of the running program.
fn option_value(line: &str, word: &Range<usize>, running: Option<&Program>, has_verb: bool) -> Option<Range<usize>> {
    let program = running.filter(|program| program.verb.is_none() || has_verb)?;
    let text = &line[word.clone()];
    let joined = program.joined.iter().find(|name| text.starts_with(**name) && !text.starts_with("--"));
    let apart = || {
        program.apart.iter().find(|name| {
            let is_long = name.len() > 2;
            text == **name
                || text.strip_prefix(**name).is_some_and(|rest| !is_long || rest.starts_with('='))
                || is_last_of_bundle(text, name)
        })
    };
    let value = match joined {
        Some(name) => value_after(line, word, word.start + name.len(), false)?,
        None => {
            let name = apart()?;
            let after =
                text.strip_prefix(*name).map_or(text.len(), |rest| name.len() + usize::from(rest.starts_with('=')));
            value_after(line, word, word.start + after, true)?
        }
    };
    let value = match program.secret {
        Secret::Whole => value,
        Secret::After(sign) => value.start + line[value.clone()].find(sign)? + 1..value.end,
    };
    let text = &line[value.clone()];
    (!is_placeholder(text) && !text.starts_with('-')).then_some(value)
}

/// Whether a short option is the last letter of a bundle: `-sSu`.
fn is_last_of_bundle(text: &str, name: &str) -> bool {
    let is_bundle =
        (3..=5).contains(&text.len()) && text.starts_with('-') && text[1..].bytes().all(|b| b.is_ascii_alphabetic());
    is_bundle && name.len() == 2 && text.ends_with(&name[1..])
}

/// The secret of a long option of any program: `--password VALUE`, `--api-token=VALUE`.
fn long_option_value(line: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let option = line[word.clone()].strip_prefix("--")?;
    let name = option.split('=').next().unwrap_or("");
    let has_sign = name.len() < option.len();
    let last = name.rsplit(['-', '_', '.']).next().unwrap_or("");
    let is_password = PASSWORDS.contains(&last) && !name.starts_with("no-") || name == "pass";
    let is_token = TOKENS.contains(&last);
    if !is_password && !is_token {
        return None;
    }
    let value = value_after(line, word, word.start + 2 + name.len() + usize::from(has_sign), !has_sign)?;
    let text = &line[value.clone()];
    let is_plain = is_placeholder(text)
        || text.starts_with('-')
        || !has_sign && PROSE.contains(&text.trim_end_matches(['.', ',', ':']));
    let is_no_path = !text.contains(['/', '.', '=']);
    (!is_plain && (is_password || is_no_word(text) && is_no_path)).then_some(value)
}

/// The secret of a variable whose name says that it is a password: `PGPASSWORD=x`.
fn variable_value(line: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let text = &line[word.clone()];
    let (before, _) = text.split_once('=')?;
    let name =
        before.rsplit(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')).next().unwrap_or("");
    let is_password = ["PASSWORD", "PASSWD", "PASSPHRASE", "_PASS"].iter().any(|end| name.ends_with(end));
    if !is_password && !VARIABLES.contains(&name) {
        return None;
    }
    let value = value_after(line, word, word.start + before.len() + 1, false)?;
    let text = &line[value.clone()];
    // A count: `TESTS_PASS=12`.
    let is_count = name.ends_with("_PASS") && text.len() < 6 && text.bytes().all(|b| b.is_ascii_digit());
    (!is_placeholder(text) && !is_count).then_some(value)
}
