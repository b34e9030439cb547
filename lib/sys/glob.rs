//! donegate's globs, which DONE.md uses for tests, exclusions and protected files. `**/` matches any number of directories, `**`
//! any text, `*` any text without a slash, `?` one character except a slash; other characters match themselves. The whole path must match.

/// Whether any of the patterns matches a path below the root.
pub fn any(patterns: &[String], path: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, path))
}

/// Whether any of the patterns matches a path or a directory above it, so that a protected directory protects its files.
pub fn any_above(patterns: &[String], path: &str) -> bool {
    let dirs = path.match_indices('/').map(|(at, _)| &path[..at]);
    let trimmed: Vec<String> = patterns.iter().map(|pattern| pattern.trim_matches('/').to_string()).collect();
    dirs.chain([path]).any(|path| any(&trimmed, path))
}

/// Whether a pattern matches a path below the root.
pub fn matches(pattern: &str, path: &str) -> bool {
    reaches(pattern.as_bytes(), path.as_bytes())
}

/// Whether a pattern matches exactly one path.
pub fn is_literal(pattern: &str) -> bool {
    !pattern.contains(['*', '?'])
}

/// Matches in time proportional to the product of both lengths, however many stars there are.
fn reaches(pattern: &[u8], path: &[u8]) -> bool {
    // For each prefix of the pattern: which prefixes of the path it can match.
    let mut reach = vec![false; path.len() + 1];
    reach[0] = true;
    let mut at = 0;
    while at < pattern.len() {
        let rest = &pattern[at..];
        let mut next = vec![false; path.len() + 1];
        if rest.starts_with(b"**/") {
            at += 3;
            let mut open = false;
            for to in 0..=path.len() {
                open |= reach[to];
                // No directory, or any number of directories that end with a slash.
                next[to] = reach[to] || (open && to > 0 && path[to - 1] == b'/');
            }
        } else if rest.starts_with(b"**") {
            at += 2;
            let mut open = false;
            for to in 0..=path.len() {
                open |= reach[to];
                next[to] = open;
            }
        } else if rest[0] == b'*' {
            at += 1;
            let mut open = false;
            for to in 0..=path.len() {
                open = (open && path[to - 1] != b'/') || reach[to];
                next[to] = open;
            }
        } else {
            at += 1;
            for to in 1..=path.len() {
                let fits = if rest[0] == b'?' { path[to - 1] != b'/' } else { path[to - 1] == rest[0] };
                next[to] = reach[to - 1] && fits;
            }
        }
        reach = next;
    }
    reach[path.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    #[test]
    fn patterns_match_as_the_manual_documents() {
        for (pattern, path, want) in [
            ("**/*.test.*", "a.test.js", true),
            ("**/*.test.*", "a/b/c.test.ts", true),
            ("**/*.test.*", "a/test/x.js", false),
            ("test/**", "test/a/b", true),
            ("test/**", "pkg/test/a", false),
            ("**/tests/**", "tests/a", true),
            ("**/tests/**", "a/tests/b/c", true),
            ("**/tests/**", "a/mytests/b", false),
            ("*.json", "a.json", true),
            ("*.json", "a/b.json", false),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("[x]{y}", "[x]{y}", true),
            ("package.json", "package.json", true),
            ("package.json", "sub/package.json", false),
            ("**", "a/b", true),
            ("A", "a", false),
        ] {
            assert_eq!(matches(pattern, path), want, "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_of_a_directory_matches_its_files() {
        for pattern in ["vendor", "vendor/", "/vendor/", "vendor/**", "**/vendor"] {
            assert!(any_above(&[pattern.to_string()], "vendor/a/b.c"), "{pattern}");
            assert!(!any_above(&[pattern.to_string()], "vendored/a"), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn a_glob_matches_like_its_regular_expression(pattern in "[a/*?]{0,7}", path in "[ab/]{0,9}") {
            let mut regex = String::from("^");
            let mut rest = pattern.as_str();
            while !rest.is_empty() {
                let (used, part) = match rest {
                    rest if rest.starts_with("**/") => (3, "(?:.*/)?"),
                    rest if rest.starts_with("**") => (2, ".*"),
                    rest if rest.starts_with('*') => (1, "[^/]*"),
                    rest if rest.starts_with('?') => (1, "[^/]"),
                    rest => (1, &rest[..1]),
                };
                regex.push_str(part);
                rest = &rest[used..];
            }
            let regex = Regex::new(&(regex + "$")).unwrap();
            prop_assert_eq!(matches(&pattern, &path), regex.is_match(&path));
        }
    }
}
