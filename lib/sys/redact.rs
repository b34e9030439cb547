//! Removes secrets from text that is stored: known forms of tokens, private keys, and values of names such as `password`.

/// The forms of well-known tokens: the prefix, the minimum length, and the characters it may have besides letters and digits.
const SHAPES: [(&str, usize, &str); 25] = [
    ("AKIA", 20, ""),
    ("ASIA", 20, ""),
    ("ghp_", 30, "_-"),
    ("gho_", 30, "_-"),
    ("ghu_", 30, "_-"),
    ("ghs_", 30, "_-."),
    ("ghr_", 30, "_-"),
    ("github_pat_", 40, "_-"),
    ("glpat-", 20, "_-."),
    ("sk-ant-", 24, "_-"),
    ("sk-proj-", 24, "_-"),
    ("sk-svcacct-", 35, "_-"),
    ("sk-admin-", 35, "_-"),
    ("sk-or-v1-", 35, ""),
    // Names of branches and packages begin like this, too, but are shorter.
    ("sk-", 35, ""),
    ("sk_live_", 20, "_"),
    ("rk_live_", 20, "_"),
    ("xoxb-", 20, "-"),
    ("xoxp-", 20, "-"),
    ("xoxa-", 20, "-"),
    ("AIza", 35, "_-"),
    ("npm_", 30, ""),
    ("pypi-", 40, "_-"),
    ("hf_", 30, ""),
    ("eyJ", 60, "_-."),
];

/// The first characters of the prefixes.
const FIRST_CHARACTERS: &[u8] = b"Aghsrxnpe";

/// Endings of names whose value counts as a secret.
const NAMES: [&str; 8] = ["password", "passwd", "secret", "token", "api_key", "apikey", "access_key", "private_key"];

/// The replacement of a secret.
const MARK: &str = "[redacted]";

/// The minimum length of a secret value.
const SHORTEST: usize = 8;

/// A value of this length is not a single word of prose.
const NO_WORD: usize = 16;

/// How much of a token is examined to distinguish it from plain words, so that the time stays linear.
const LOOKED_AT: usize = 128;

/// The longest private key, in bytes.
const KEY_LIMIT: usize = 32 << 10;

/// `text` with its secrets replaced; text without secrets is unchanged. Takes linear time.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((begin, length)) = private_key(rest) {
        rest[..begin].split_inclusive('\n').for_each(|line| redact_line(line, &mut out));
        out.push_str(MARK);
        rest = &rest[begin + length..];
    }
    rest.split_inclusive('\n').for_each(|line| redact_line(line, &mut out));
    out
}

/// The first private key of a text: where it begins, and its length.
fn private_key(text: &str) -> Option<(usize, usize)> {
    let marks = text.match_indices("-----BEGIN ").map(|(at, mark)| (at, at + mark.len()));
    let is_private = |kind: &[u8]| kind.windows(11).any(|words| words == b"PRIVATE KEY");
    let (begin, end) = marks.into_iter().find_map(|(at, kind)| {
        let length = dashes(&text[kind..])?;
        is_private(&text.as_bytes()[kind..kind + length]).then_some((at, kind + length))
    })?;
    let key = &text[end..];
    let until = key.find("-----BEGIN ").unwrap_or(key.len()).min(KEY_LIMIT);
    let mut length = 0;
    if let Some(at) = memchr::memmem::find(&key.as_bytes()[..until], b"-----END") {
        let at = at + "-----END".len();
        length = at + dashes(&key[at..]).unwrap_or(0);
    } else if key.trim_start_matches([' ', '\t', '\r']).starts_with('\n') {
        // The key was cut off: lines that look like a key are removed, the text after them stays.
        let is_of_key = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-');
        let is_of_key = |line: &&str| !line.trim().is_empty() && line.trim().bytes().all(is_of_key);
        let mut lines = key.split_inclusive('\n');
        let first = lines.next().map_or(0, str::len);
        let of_key: usize = lines.take_while(is_of_key).map(str::len).sum();
        length = if of_key == 0 { 0 } else { first + of_key };
        length -= usize::from(key[..length].ends_with('\n'));
    }
    Some((begin, end - begin + length))
}

/// The position after the dashes that end a `BEGIN` or `END` line.
fn dashes(text: &str) -> Option<usize> {
    let near = &text.as_bytes()[..text.len().min(48)];
    near.windows(5).position(|five| five == b"-----").map(|at| at + 5)
}

/// Characters that tokens are made of.
fn is_token(b: u8) -> bool {
    matches!(b, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'~')
}

/// The name of a secret, and the characters since.
#[derive(Clone, Copy, Default)]
struct Named {
    /// `name=`, without a space.
    is_assigned: bool,
    /// The name is the first word of its line.
    is_first: bool,
    /// The name is in quotation marks.
    is_quoted: bool,
    /// A colon came after it.
    has_colon: bool,
    /// An equals sign came after it.
    has_equals: bool,
    /// An opening quotation mark came after it.
    is_opened: bool,
}

impl Named {
    /// Records a character after the name. Returns false if no value can follow.
    fn can_precede_value(&mut self, c: char) -> bool {
        match c {
            ':' => self.has_colon = true,
            '"' | '\'' if self.has_colon || self.has_equals || self.is_assigned => self.is_opened = true,
            '"' | '\'' => self.is_quoted = true,
            ' ' | '\t' | '\\' => {}
            '>' => return self.has_equals,
            _ => return false,
        }
        true
    }

    /// Whether the value is a secret. The word after `token` in `unexpected token: identifier` is not.
    fn is_secret(self, value: &str, after: &str) -> bool {
        let is_last = || after.bytes().all(|b| b.is_ascii() && !b.is_ascii_alphanumeric());
        let in_quotes = self.is_opened && (self.has_equals || self.is_quoted);
        if self.is_assigned || in_quotes || self.is_first && !self.has_equals && is_last() {
            return true;
        }
        // In source code, the value is mostly another name or a call.
        if self.has_equals { is_mixed(value) && !after.starts_with('(') } else { is_no_word(value) }
    }
}

fn redact_line(line: &str, out: &mut String) {
    let mut at = 0;
    let (mut named, mut bearer, mut is_first): (Option<Named>, bool, bool) = (None, false, true);
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let length = rest.bytes().position(|b| !is_token(b)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        if word.is_empty() {
            named = named.and_then(|mut named| named.can_precede_value(c).then_some(named));
            bearer &= c.is_whitespace();
            is_first &= c.is_ascii();
            out.push(c);
            at += c.len_utf8();
            continue;
        }
        if let Some(named) = named.as_mut().filter(|_| word.bytes().all(|b| b == b'=')) {
            named.has_equals = true;
            out.push_str(word);
            at += length;
            continue;
        }
        let mut signs = word.match_indices('=').map(|(sign, _)| sign + 1);
        let value_at = signs.find(|sign| is_secret_name(&word[..sign - 1]));
        let (name, value) = word.split_at(value_at.unwrap_or(0));
        let is_secret = match named {
            _ if value.len() < SHORTEST => false,
            _ if value_at.is_some() => true,
            Some(named) => named.is_secret(value, after),
            None => bearer && (is_no_word(value) || value.trim_matches('.').contains('.')),
        };
        without_tokens(line, at, at + name.len(), out);
        if is_secret {
            out.push_str(MARK);
        } else {
            without_tokens(line, at + name.len(), at + length, out);
        }
        let has_value = || after.trim_start_matches(['"', '\'', '\\', ' ', '\t']).starts_with([':', '=']);
        named = match value_at {
            Some(_) if value.is_empty() => Some(Named { is_assigned: true, is_first, ..Named::default() }),
            None if has_value() && is_secret_name(word) => Some(Named { is_first, ..Named::default() }),
            _ => None,
        };
        bearer = word.len() >= 6 && word[word.len() - 6..].eq_ignore_ascii_case("bearer");
        is_first &= word.bytes().all(|b| !b.is_ascii_alphanumeric());
        at += length;
    }
}

/// Copies a word or a part of one without the tokens in it. A token begins after a character that is not a letter or a digit.
fn without_tokens(line: &str, from: usize, to: usize, out: &mut String) {
    let (mut done, mut at) = (from, from);
    while at < to {
        let is_first = FIRST_CHARACTERS.contains(&line.as_bytes()[at]) && may_begin(line.as_bytes(), at);
        if let Some(length) = is_first.then(|| token(&line[at..to])).flatten() {
            out.push_str(&line[done..at]);
            out.push_str(MARK);
            done = at + length;
        }
        at = done.max(at + 1);
    }
    out.push_str(&line[done..to]);
}

/// Whether a token may begin at this position, which includes the position after an escape: `\n` in JSON, `%2F` in a URL.
fn may_begin(line: &[u8], at: usize) -> bool {
    let before = &line[..at];
    let is_after_percent = || matches!(before, [.., b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    !before.last().is_some_and(u8::is_ascii_alphanumeric)
        || matches!(before, [.., b'\\', b'n' | b't' | b'r'])
        || is_after_percent()
}

/// The length of the token that a text begins with.
fn token(text: &str) -> Option<usize> {
    let mut shapes =
        SHAPES.iter().filter_map(|(prefix, least, joins)| Some((text.strip_prefix(prefix)?, least, joins)));
    shapes.find_map(|(body, least, joins)| {
        let prefix = text.len() - body.len();
        let is_its = |b: &u8| b.is_ascii_alphanumeric() || joins.as_bytes().contains(b);
        let looked_at = body.bytes().take(LOOKED_AT).take_while(|b| is_its(b)).count();
        // Plain words joined by hyphens are not a token.
        let is_random = |body: &[u8]| {
            body.iter().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
                || body.split(|b| !b.is_ascii_alphanumeric()).any(|run| run.len() >= 24)
        };
        let is_token = prefix + looked_at >= *least && is_random(&body.as_bytes()[..looked_at]);
        let length = || body.bytes().take_while(|b| is_its(b)).count();
        is_token.then(|| prefix + body[..length()].trim_end_matches('.').len())
    })
}

fn is_secret_name(name: &str) -> bool {
    // Only the end of the name matters; it is ASCII.
    let name = name[name.len().saturating_sub(32)..].to_ascii_lowercase().replace('-', "_");
    let name = name.trim_end_matches(['=', '_']);
    NAMES.iter().any(|secret| name.ends_with(secret))
}

/// Whether a value is not a word of prose.
fn is_no_word(value: &str) -> bool {
    let value = value.trim_matches('.');
    is_mixed(value) || value.len() >= NO_WORD && !value.contains(['/', '.'])
}

/// Whether a value has digits, signs, or capitals within a word.
fn is_mixed(value: &str) -> bool {
    let value = value.trim_matches(['.', '=']).as_bytes();
    let is_odd = |b: &u8| b.is_ascii_digit() || matches!(b, b'+' | b'=' | b'~');
    let words = value.split(|b| !b.is_ascii_alphabetic());
    let has_odd_case = |word: &[u8]| {
        let ends: Vec<usize> =
            (1..word.len()).filter(|at| word[at - 1].is_ascii_lowercase() && word[*at].is_ascii_uppercase()).collect();
        ends.iter().zip(ends.iter().skip(1).chain([&word.len()])).any(|(from, to)| to - from < 3)
    };
    value.len() >= SHORTEST && (value.iter().any(is_odd) || words.into_iter().any(has_odd_case))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_costs_its_length() {
        let began = std::time::Instant::now();
        for unit in [
            "a line of words and words\n",
            "sk-ant-",
            "eyJ.",
            "eyJ/npm_",
            "npm_config_",
            "token=",
            "token = ",
            "password: ",
            "token",
            "bearer ",
            "a=",
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n",
            "-----END",
            "\"password\" ",
            "%41",
        ] {
            redact(&unit.repeat((64 << 10) / unit.len()));
        }
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

    /// One made-up token of each shape.
    fn tokens() -> Vec<String> {
        let made = |prefix: &str, least: usize| {
            let body = "0Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St".repeat(3);
            format!("{prefix}{}", &body[..(least + 4).max(20) - prefix.len()])
        };
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
        let letters = "abcdefghijklmnopqrstuvwxyzabcdefghijkl";
        let of_letters = ["ghp_", "hf_", "sk_live_"].map(|prefix| format!("{prefix}{letters}"));
        let shaped = SHAPES.iter().map(|(prefix, least, _)| made(prefix, *least));
        let others = ["AKIAABCDEFGHIJKLMNOP", "glpat-a_b-c_d-e_f-g_h-1i", jwt].map(String::from);
        shaped.chain(of_letters).chain(others).collect()
    }

    #[test]
    fn every_shape_is_looked_for() {
        assert!(SHAPES.iter().all(|(prefix, ..)| FIRST_CHARACTERS.contains(&prefix.as_bytes()[0])));
    }

    #[test]
    fn a_token_is_removed_wherever_in_a_word_it_begins() {
        for token in tokens() {
            for (before, after) in [
                ("", ""),
                ("Use GH=", " to log in."),
                ("feat/", ""),
                ("d/", "/f"),
                ("hook https://x.y/", ""),
                ("https://me:", "@github.com/a/b.git"),
                ("https://", "@github.com"),
                ("me@", ""),
                ("a-", ""),
                ("a.", ""),
                ("x_", ""),
                ("~/", "/x"),
                ("\"", "\""),
                ("'", "',"),
                ("`", "`"),
                ("(", ")"),
                ("a=b=", "=c"),
                ("--key=", " --more"),
                ("?q=", "&b=c"),
                ("{\"run\":\"echo\\n", "\\n\"}"),
                ("a%3D", "%26b"),
                ("ü", "ü"),
                ("über:", ", und"),
            ] {
                let text = format!("{before}{token}{after}");
                assert_eq!(redact(&text), format!("{before}[redacted]{after}"), "{text}");
            }
            if !token.contains('.') {
                assert_eq!(redact(&format!("x{token}")), format!("x{token}"), "a word that contains the token");
            }
        }
    }

    #[test]
    fn values_of_secrets_are_removed() {
        for (text, want) in [
            ("password: correcthorse", "password: [redacted]"),
            ("  - db-password: correcthorse", "  - db-password: [redacted]"),
            ("+  token: correcthorse,", "+  token: [redacted],"),
            ("password=correcthorse", "password=[redacted]"),
            ("a?x=y=token=correcthorse&b", "a?x=y=token=[redacted]&b"),
            ("password= 'correcthorse'", "password= '[redacted]'"),
            ("password = \"correcthorse\"", "password = \"[redacted]\""),
            ("secret => 'correcthorse'", "secret => '[redacted]'"),
            ("token := \"correcthorse\"", "token := \"[redacted]\""),
            ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPx", "aws_secret_access_key = [redacted]"),
            ("it says {\"token\": \"correcthorse\"} there", "it says {\"token\": \"[redacted]\"} there"),
            ("{\\\"token\\\": \\\"correcthorse\\\"} x", "{\\\"token\\\": \\\"[redacted]\\\"} x"),
            ("log in with the password: hunter2hunter2 please", "log in with the password: [redacted] please"),
            ("log in with the password: hUnTeRhUnTeR please", "log in with the password: [redacted] please"),
            ("the password: correct-horse-battery-staple works", "the password: [redacted] works"),
            ("curl -H 'Authorization: Bearer abcdefgh1' x", "curl -H 'Authorization: Bearer [redacted]' x"),
        ] {
            assert_eq!(redact(text), want);
        }
    }

    #[test]
    fn plain_words_stay() {
        for text in [
            "#loop fix the parser error 'unexpected token: identifier' in src.txt",
            "unexpected token: identifier.",
            "Unexpected token: 'StringLiteral', wanted \"token: Identifier\" or so",
            "unexpected token: getHTTPResponse in src/lexer.rs",
            "the token: src/lexer/mod.rs says so",
            "the secret: patience, not password: required or so",
            "let token = identifier;",
            "let token = lexer.next_token();",
            "let secret = base64_decode2(text);",
            "if token == expected { return }",
            "Switch from Basic to Bearer authentication.",
            "the standard-bearer candidate",
            "feat/sk-1234-add-the-login-form-to-the-mobile-application",
            "sk-learn-based-model-training-pipeline-for-something",
            "npm_config_registry_and_something_long_and_more npm_config_legacy_peer_deps_v2_option",
            "pypi-publishing-workflow-for-the-release-of-packages",
            "sk-ant-colony-optimisation-in-plain-words",
            "ASIA-PACIFIC-REGION-REPORT-2024 and risk-ghp_short",
            "3f1c9a52d0b44e2f8a7e6d5c4b3a29180f1e2d3c snapshots and commits are no secrets",
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
            "-----BEGIN ",
            "https://example.com/a-b_c.d/e?f=g&h=i#j",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn a_private_key_is_removed_and_the_text_around_it_stays() {
        let key = "-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----";
        let lines = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn+/Nz\nQyNTUxOQ==\n";
        for (text, want) in [
            (format!("{{\"key\":\"{key}\\n\",\"more\":1}}"), "{\"key\":\"[redacted]\\n\",\"more\":1}".to_string()),
            (format!("{key} and {key}\nend"), "[redacted] and [redacted]\nend".to_string()),
            (format!("-----BEGIN CERTIFICATE-----{key} end"), "-----BEGIN CERTIFICATE-----[redacted] end".to_string()),
            (format!("a\n{lines}"), "a\n[redacted]\n".to_string()),
            (format!("{lines}That is all of it.\n"), "[redacted]\nThat is all of it.\n".to_string()),
            (
                "grep for -----BEGIN PRIVATE KEY----- in docs\nand then\nfix it".to_string(),
                "grep for [redacted] in docs\nand then\nfix it".to_string(),
            ),
        ] {
            assert_eq!(redact(&text), want, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_redacted(text in "\\PC{0,200}") {
            let _ = redact(&text);
        }

        #[test]
        fn redaction_is_idempotent(text in "(token|password|[:= \"'\n]|ghp_0123456789abcdef0123456789ab|[a-zA-Z0-9]{1,9}|-----BEGIN PRIVATE KEY-----|-----END|bearer){0,30}") {
            let once = redact(&text);
            proptest::prop_assert_eq!(redact(&once), once);
        }
    }
}
