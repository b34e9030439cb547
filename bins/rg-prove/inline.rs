//! The lines of tests in source files. In Rust they are the modules that are compiled for tests alone.

use std::ops::Range;

/// The attributes of such a module, without blanks.
const ATTRIBUTES: [&str; 2] = ["#[cfg(test)]", "#[cfg(all(test"];

/// The ranges of lines, from 0, of the test modules and test functions of a Rust file. Each ends with the brace that has the indent of its attribute, as
/// rustfmt writes it.
pub fn tests_of_rust(text: &str) -> Vec<Range<usize>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let plain: String = lines[at].chars().filter(|c| !c.is_whitespace()).collect();
        let is_test = ATTRIBUTES.iter().any(|begin| plain.starts_with(begin)) || is_test_attribute(&plain);
        let end = is_test.then(|| end_of(&lines, at)).flatten();
        match end {
            Some(end) => {
                found.push(at..end);
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// `#[test]`, and that of a runtime (`#[tokio::test]`).
fn is_test_attribute(plain: &str) -> bool {
    let name = plain.strip_prefix("#[").and_then(|rest| rest.split([']', '(']).next()).unwrap_or("");
    name == "test" || name.ends_with("::test") || name == "rstest"
}

/// The line after the item that begins with the attribute in line `at`.
fn end_of(lines: &[&str], at: usize) -> Option<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines[at]);
    for (number, line) in lines.iter().enumerate().skip(at + 1) {
        let rest = line.trim();
        let is_attribute = rest.starts_with("#[") || rest.starts_with("//");
        if rest.is_empty() || indent(line) > own || is_attribute {
            continue;
        }
        if indent(line) < own {
            return None;
        }
        // An item of one line, such as `use x;`, or the brace that closes it.
        if rest.starts_with('}') || rest.ends_with(';') || rest.ends_with('}') {
            return Some(number + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    // A list of one range is meant.
    #![allow(clippy::single_range_in_vec_init)]
    use super::*;

    #[test]
    fn test_modules_and_functions_are_found() {
        let text = "fn a() {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn b() {}\n}\nfn c() {}\n";
        assert_eq!(tests_of_rust(text), [4..11]);
        let text = "#[cfg(test)]\nuse x;\nfn a() {}\n#[test]\n#[should_panic]\nfn b() {\n    a();\n}\n";
        assert_eq!(tests_of_rust(text), [0..2, 3..8]);
        assert!(tests_of_rust("#[cfg(test)]\nmod tests {\n").is_empty());
        assert!(tests_of_rust("#[cfg(not(test))]\nfn a() {}\n").is_empty());
    }
}
