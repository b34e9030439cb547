//! Texts of others in Markdown, which cannot end their place in the page.

use crate::sys::text::{one_line, plain};

/// A text as a quotation, line by line.
pub fn quotation(text: &str) -> String {
    plain(text.as_bytes()).lines().map(|line| format!("> {line}").trim_end().to_string() + "\n").collect()
}

/// A text as a code span: its fence is longer than every run of backquotes in it.
pub fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.is_empty() || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_code_span() {
        for (text, wanted) in [("a", "`a`"), ("", "`  `"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("x\n# y", "`x # y`")]
        {
            assert_eq!(code(text), wanted);
        }
    }
}
