//! Lines of a failure that say nothing but where it happened.

use super::frames::split_place;

/// The place that a line gives, if it says nothing else that matters: `src/a.js:3:7`.
pub fn of(line: &str) -> Option<String> {
    let text = line.trim();
    let place = in_frame(text)
        .or_else(|| text.strip_prefix("--> "))
        .or_else(|| text.strip_prefix("panicked at ").map(|place| place.trim_end_matches(':')))
        .or_else(|| text.strip_prefix("location: ").map(|place| place.trim_matches('\'')))
        .or_else(|| text.strip_prefix("Error Trace:").map(str::trim))
        .filter(|place| is_place(place))
        .map(str::to_string);
    place.or_else(|| above_diff(text)).or_else(|| in_python(text)).or_else(|| is_place(text).then(|| text.to_string()))
}

/// `at name (path:3:7)`, `❯ name path:3:7`, `# ./path:3:in name`
fn in_frame(text: &str) -> Option<&str> {
    let (sign, rest) = text.split_once(' ')?;
    let rest = rest.trim();
    match sign {
        "at" | "at:" => Some(match rest.rsplit_once('(') {
            Some((_, place)) => place.trim_end_matches(')'),
            None => rest.rsplit(' ').next().unwrap_or(rest),
        }),
        "\u{276f}" => rest.rsplit(' ').next(),
        "#" => Some(rest.split(":in ").next().unwrap_or(rest).trim_start_matches("./")),
        _ => None,
    }
}

/// `test_a.py:3: AssertionError`, `test_a.py:3: in name` and `File "path", line 3, in name`
fn in_python(text: &str) -> Option<String> {
    if let Some((path, rest)) = text.strip_prefix("File \"").and_then(|rest| rest.split_once("\", line ")) {
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        return (!number.is_empty()).then(|| format!("{path}:{number}"));
    }
    let (path, rest) = split_place(text)?;
    let is_name = rest.starts_with("in ") || !rest.is_empty() && !rest.contains(' ');
    (path.ends_with(".py") && is_name)
        .then(|| text[..text.len() - rest.len()].trim_end().trim_end_matches(':').to_string())
}

/// `a_test.go:3: mismatch (-want +got):` says what the lines below it are, and takes their room.
fn above_diff(text: &str) -> Option<String> {
    let (path, _) = split_place(text)?;
    let text = text.strip_suffix(':')?;
    path.ends_with(".go").then(|| text.to_string())
}

/// `path:3`, `path:3:7`
fn is_place(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = text.rsplit(':');
    let has_number = parts.next().is_some_and(is_number);
    let path = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    has_number && path.contains(['.', '/']) && !path.contains(['"', '=', ' ', '\t'])
}
