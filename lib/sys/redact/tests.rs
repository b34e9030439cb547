//! Tests: what goes, and what stays.

use super::tokens::{FIRST_CHARACTERS, SHAPES};
use super::*;

#[test]
fn a_long_text_costs_its_length() {
    let began = crate::sys::procfs::processor_time();
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
        "://",
        "x://a:b",
        "authorization: ",
        "mysql -p",
        "--password ",
        "--password \"",
        "A_PASSWORD=\\\"",
    ] {
        redact(&unit.repeat((64 << 10) / unit.len()));
    }
    redact(&"a line of words and words\n".repeat(100_000));
    let took = crate::sys::procfs::processor_time().saturating_sub(began);
    assert!(took.as_secs() < 10, "{took:?}");
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

#[test]
fn passwords_of_urls_headers_and_command_lines_are_removed() {
    for (text, want) in [
        ("git clone https://me:s3cr3t@github.com/a/b", "git clone https://me:[redacted]@github.com/a/b"),
        ("postgres://app:pw@db:5432/x?sslmode=off", "postgres://app:[redacted]@db:5432/x?sslmode=off"),
        ("redis://:pw@cache/0", "redis://:[redacted]@cache/0"),
        ("\"amqp://u:p@ss@mq\"", "\"amqp://u:[redacted]@mq\""),
        ("{\"url\":\"mongodb+srv://u:pw@h\\n\"}", "{\"url\":\"mongodb+srv://u:[redacted]@h\\n\"}"),
        ("curl -H 'Authorization: Basic dXNlcjpwYXNz' x", "curl -H 'Authorization: Basic [redacted]' x"),
        ("authorization: bearer AbC", "authorization: bearer [redacted]"),
        ("{\"Authorization\": \"Token abc123\"}", "{\"Authorization\": \"Token [redacted]\"}"),
        ("-H \\\"Authorization: Basic dTpw\\\" x", "-H \\\"Authorization: Basic [redacted]\\\" x"),
        ("curl -u me:pw https://x", "curl -u me:[redacted] https://x"),
        ("curl -su me:pw x; curl --user 'me:p w' x", "curl -su me:[redacted] x; curl --user 'me:[redacted]' x"),
        ("curl -ume:pw x", "curl -ume:[redacted] x"),
        ("mysql -uroot -psecret db", "mysql -uroot -p[redacted] db"),
        ("sudo mysqldump -p'a b' db", "sudo mysqldump -p'[redacted]' db"),
        ("docker exec db mysql -u root -ppw -e 'select 1'", "docker exec db mysql -u root -p[redacted] -e 'select 1'"),
        ("mysql --password=pw --host h", "mysql --password=[redacted] --host h"),
        ("x --password pw -v", "x --password [redacted] -v"),
        ("x --db-password 'a b'", "x --db-password '[redacted]'"),
        ("x --api-token abc12345", "x --api-token [redacted]"),
        ("redis-cli -h h -a pw ping", "redis-cli -h h -a [redacted] ping"),
        ("sshpass -p pw ssh a@b", "sshpass -p [redacted] ssh a@b"),
        ("sshpass -ppw ssh a@b", "sshpass -p[redacted] ssh a@b"),
        ("PGPASSWORD=pw psql -h h", "PGPASSWORD=[redacted] psql -h h"),
        ("docker run -e MYSQL_ROOT_PASSWORD=pw mysql", "docker run -e MYSQL_ROOT_PASSWORD=[redacted] mysql"),
        ("export DB_PASS='a b'", "export DB_PASS='[redacted]'"),
        ("docker login -u me -p pw reg.io", "docker login -u me -p [redacted] reg.io"),
        ("openssl enc -pass pass:pw -in x", "openssl enc -pass pass:[redacted] -in x"),
        ("{\"command\":\"cd x\\nmysql -ppw db\"}", "{\"command\":\"cd x\\nmysql -p[redacted] db\"}"),
        ("{\"command\":\"x --password \\\"a b\\\" y\"}", "{\"command\":\"x --password \\\"[redacted]\\\" y\"}"),
        ("mongosh -u a -p pw; mkdir -p dir", "mongosh -u a -p [redacted]; mkdir -p dir"),
    ] {
        assert_eq!(redact(text), want, "{text}");
        assert_eq!(redact(want), want, "again: {want}");
    }
}

#[test]
fn honest_command_lines_and_addresses_stay() {
    for text in [
        "mkdir -p src/a && git commit -a -m 'mysql port'",
        "docker run -p 80:80 -u 1000:1000 mysql:8",
        "mysql -p mydb -u root",
        "mysql -p",
        "mysql -p$PASS -h db; ssh -p 2222 me@host",
        "me@example.com wrote to you@example.org",
        "git clone git@github.com:a/b.git; scp x user@host:path",
        "https://example.com:8443/a@b?c=d:e@f and ssh://git@host:22/x",
        "https://user:${PASS}@host and https://user:<password>@host",
        "curl -u me https://x; curl -u $USER:$PASS https://x",
        "redis-cli ping; redis-cli -h host -n 1",
        "x --password-stdin <file; x --password-file f --no-password y",
        "Use the --password option or --token VALUE.",
        "x --password $PASS --token ${TOKEN} --secret id=npm,src=.npmrc",
        "x --key src/key.pem --token-file t --public-key ~/.ssh/id.pub",
        "PASS=12 FAIL=0 TESTS_PASS=12 OLDPWD=/tmp PWD=/home/me PGPASSWORD=$X",
        "Authorization: the caller must be signed in. Authorization is Basic here.",
        "Authorization: Basic authentication, then Bearer.",
        "Authorization: Bearer $TOKEN",
        "tar -cpf a.tar; cp -a x y; ls -a; ps -u root; unzip -p x.zip",
        "docker login -u me --password-stdin reg.io",
    ] {
        assert_eq!(redact(text), text);
    }
}
