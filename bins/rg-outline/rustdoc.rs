//! Examples in the documentation of Rust, which `cargo test` runs as tests.

use std::collections::BTreeSet;

/// How many examples of a file are read.
const EXAMPLES: usize = 500;

/// One example.
#[derive(Debug, PartialEq, Eq)]
pub struct Example {
    /// The line of its fence, from 1.
    pub line: u64,
    /// What is documented: the name of the item, or `module`.
    pub item: String,
    /// The words of its fence that say how it is run: `ignore`, `no_run`, `should_panic`, `compile_fail`.
    pub words: Vec<String>,
    /// Its code, a line for each line of the comment.
    pub code: String,
}

/// The examples of a text. `comments` are the lines at which comments begin.
pub fn examples(text: &[u8], comments: &BTreeSet<u64>) -> Vec<Example> {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    let doc = |at: usize| {
        let line = lines.get(at)?.trim_start();
        let rest =
            line.strip_prefix("//!").or_else(|| line.strip_prefix("///").filter(|rest| !rest.starts_with('/')))?;
        let is_comment = u64::try_from(at + 1).is_ok_and(|line| comments.contains(&line));
        is_comment.then(|| (line.starts_with("//!"), rest.strip_prefix(' ').unwrap_or(rest)))
    };
    let mut found = Vec::new();
    let mut open: Option<(Example, &str)> = None;
    for at in 0..=lines.len() {
        let Some((is_module, line)) = doc(at) else {
            // The documentation ends, and with it an open fence.
            found.extend(open.take().map(|(example, _)| example));
            continue;
        };
        if found.len() >= EXAMPLES {
            break;
        }
        let fence = fence(line);
        match (&mut open, fence) {
            (Some((_, mark)), Some((other, ""))) if other.starts_with(*mark) => {
                found.extend(open.take().map(|(example, _)| example));
            }
            (Some((example, _)), _) => {
                // A line that begins with `#` is not shown.
                let plain = line.trim_start();
                let shown = plain.strip_prefix("# ").or_else(|| (plain == "#").then_some("")).unwrap_or(line);
                example.code.push_str(shown);
                example.code.push('\n');
            }
            (None, Some((mark, words))) => {
                let words: Vec<String> = words.split([',', ' ', '\t']).map(str::to_string).collect();
                let item = if is_module { "module".into() } else { item(&lines[at..]) };
                let example = Example { line: at as u64 + 1, item, words, code: String::new() };
                open = Some((example, mark));
            }
            (None, None) => {}
        }
    }
    found.retain(|example| example.words.iter().all(|word| is_of_rust(word)));
    for example in &mut found {
        example.words.retain(|word| !word.is_empty() && word != "rust");
    }
    found
}

/// The marks of a fence, and what stands behind them.
fn fence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let end = line.find(|c| !line.starts_with(c)).unwrap_or(line.len());
    let is_fence = end >= 3 && line.starts_with(['`', '~']);
    is_fence.then(|| (&line[..end], line[end..].trim())).filter(|(_, words)| !words.contains('`'))
}

/// Whether rustdoc takes an example with this word for a test.
fn is_of_rust(word: &str) -> bool {
    let is_error =
        word.strip_prefix('E').is_some_and(|code| code.len() == 4 && code.bytes().all(|b| b.is_ascii_digit()));
    matches!(word, "" | "rust" | "no_run" | "should_panic" | "compile_fail" | "test_harness" | "standalone")
        || word.starts_with("ignore")
        || word.starts_with("edition")
        || is_error
}

/// The name of the item below the documentation that begins here.
fn item(lines: &[&str]) -> String {
    let is_before = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with("//") || line.starts_with("#[") || line.is_empty()
    };
    let line = lines.iter().find(|line| !is_before(line)).copied().unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = line.split(|c| !is_name(c)).filter(|word| !word.is_empty());
    let keywords =
        ["fn", "struct", "enum", "trait", "mod", "const", "static", "type", "union", "macro_rules", "use", "impl"];
    let first = words.clone().next().unwrap_or("item");
    let named = words.find(|word| keywords.contains(word)).and_then(|keyword| {
        // `const fn name`
        if keyword == "const" { words.find(|word| *word != "fn" && *word != "unsafe") } else { words.next() }
    });
    named.unwrap_or(first).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(u64, String, String, String)> {
        let lines: BTreeSet<u64> = (1..=text.lines().count() as u64).collect();
        let all = examples(text.as_bytes(), &lines);
        all.into_iter().map(|one| (one.line, one.item, one.words.join(" "), one.code)).collect()
    }

    #[test]
    fn examples_are_read_with_their_item_and_their_marks() {
        let text = "/// Adds.\n///\n/// ```\n/// # use a::add;\n/// assert_eq!(add(1, 2), 3);\n/// ```\n#[inline]\npub const fn add(a: u8) {}\n\n//! ```no_run,edition2021\n//! run();\n//! ```\n\n/// ~~~ignore\n/// x\n/// ~~~\nstruct B;\n";
        assert_eq!(
            read(text),
            [
                (3, "add".into(), String::new(), "use a::add;\nassert_eq!(add(1, 2), 3);\n".into()),
                (10, "module".into(), "no_run edition2021".into(), "run();\n".into()),
                (14, "B".into(), "ignore".into(), "x\n".into()),
            ]
        );
    }

    #[test]
    fn what_rustdoc_does_not_run_is_no_example() {
        for text in [
            "/// ```text\n/// a\n/// ```\n",
            "/// ```json\n/// {}\n/// ```\n",
            "// ```\n// a\n// ```\n",
            "//// ```\n//// a\n",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
        assert_eq!(read("/// ```\n/// a();\nfn open() {}\n").len(), 1, "a fence that is not closed");
        assert_eq!(examples(b"/// ```\n/// a\n", &BTreeSet::new()), [], "in a string");
    }
}
