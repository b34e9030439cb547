//! Secrets taken out of what is kept: known token shapes, private keys, and values assigned to secret-looking names.

/// Prefixes of well-known tokens, each with the least length of the whole token.
const PREFIXES: [(&str, usize); 22] = [
    ("AKIA", 20),
    ("ASIA", 20),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 40),
    ("glpat-", 20),
    ("sk-ant-", 24),
    ("sk-proj-", 24),
    ("sk-", 35),
    ("sk_live_", 20),
    ("rk_live_", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xoxa-", 20),
    ("AIza", 35),
    ("npm_", 30),
    ("pypi-", 40),
    ("hf_", 30),
    ("eyJ", 60),
];

/// Words in a name whose assigned value is taken for a secret.
const NAMES: [&str; 8] = ["password", "passwd", "secret", "token", "api_key", "apikey", "access_key", "private_key"];

/// What stands where a secret stood.
const MARK: &str = "[redacted]";

/// `text` without its secrets. Linear in its length; text without any comes back as it was.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_key = false;
    for line in text.split_inclusive('\n') {
        if in_key {
            in_key = !line.contains("-----END");
            continue;
        }
        if let Some(at) = line.find("-----BEGIN ").filter(|at| line[*at..].contains("PRIVATE KEY")) {
            out.push_str(&line[..at]);
            out.push_str(MARK);
            in_key = !line[at..].contains("-----END");
            if line.ends_with('\n') || in_key {
                out.push('\n');
            }
            continue;
        }
        redact_line(line, &mut out);
    }
    out
}

/// Characters that tokens are made of.
fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '=' | '~')
}

fn redact_line(line: &str, out: &mut String) {
    let mut rest = line;
    let mut name_before = false;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_token(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        if word.is_empty() {
            let c = rest.chars().next().unwrap_or(' ');
            // A name stays in force over `: `, `= "` and the like; anything else ends it.
            name_before &= matches!(c, ':' | '"' | '\'' | ' ' | '\t');
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if is_secret_name(name) => (Some(name), value),
            _ => (None, word),
        };
        let said = out.trim_end().as_bytes();
        let bearer = said[said.len().saturating_sub(6)..].eq_ignore_ascii_case(b"bearer");
        let is_secret = (name.is_some() || name_before || bearer) && value.len() >= 8 || is_known_token(value);
        if let Some(name) = name {
            out.push_str(name);
            out.push('=');
        }
        out.push_str(if is_secret { MARK } else { value });
        let assigns = after.trim_start_matches(['"', '\'', ' ']).starts_with([':', '=']) || value.is_empty();
        name_before = is_secret_name(name.unwrap_or(word)) && assigns;
        rest = after;
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let name = name.trim_end_matches(['=', '_']);
    NAMES.iter().any(|secret| name.ends_with(secret))
}

fn is_known_token(word: &str) -> bool {
    PREFIXES.iter().any(|(prefix, least)| word.len() >= *least && word.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_costs_its_length() {
        let began = std::time::Instant::now();
        redact(&"a line of words and words\n".repeat(100_000));
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }

    #[test]
    fn secrets_go_and_text_stays() {
        for (text, want) in [
            ("export AWS_SECRET=abcdefgh12345", "export AWS_SECRET=[redacted]"),
            ("password: hunter2hunter2", "password: [redacted]"),
            ("{\"api_key\": \"0123456789abcdef\"}", "{\"api_key\": \"[redacted]\"}"),
            ("Authorization: Bearer abc.def.ghi", "Authorization: Bearer [redacted]"),
            ("key ghp_0123456789012345678901234567890123 end", "key [redacted] end"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter", "[redacted]\nafter"),
            ("the password is wrong", "the password is wrong"),
            ("token count: 5 tokens, secretary=present", "token count: 5 tokens, secretary=present"),
            ("test result: FAILED. 1 passed", "test result: FAILED. 1 passed"),
            ("ünïcode ✓ stays", "ünïcode ✓ stays"),
        ] {
            assert_eq!(redact(text), want);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,200}") {
            let _ = redact(&text);
        }
    }
}
