//! Markdown as in CommonMark: which parts of a message are quotations, code or comments, and so not the author's own statements. If
//! CommonMark shows a part and a stricter reading hides it, it counts as hidden (docs/decisions/020).

use crate::sys::limits::MARKDOWN;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use std::ops::Range;

/// How many bytes at the start of a line may open lists and quotations. This bounds the nesting, and so the time for one line.
const DEEPEST: usize = 256;

/// How often parsing restarts after a fence or a comment that extends past its list. After that, the rest of the message counts as code.
const RESTARTS: usize = 64;

/// How many columns of indentation make a line code.
const CODE_COLUMNS: usize = 4;

/// HTML elements whose content is not parsed as Markdown.
const VERBATIM: [&str; 4] = ["pre", "script", "style", "textarea"];

/// A part of a message that is not the author's own statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotation {
    /// The range of its bytes.
    pub range: Range<usize>,
    /// The info string, if it is a fenced code block.
    pub fence: Option<String>,
}

/// The quotations of a message: block quotes, code, comments, verbatim HTML. They are in order and do not overlap. A message past the
/// limit is one quotation.
pub fn quotations(message: &str) -> Vec<Quotation> {
    let mut found = Vec::new();
    let mut from = 0;
    if message.len() <= MARKDOWN {
        let text = neutral(message);
        for _ in 0..RESTARTS {
            match read_from(&text, from, &mut found) {
                Some(next) => from = next,
                None => return found,
            }
        }
    }
    found.push(Quotation { range: from..message.len(), fence: None });
    found
}

/// The lines of a message that are the author's own: their text begins outside of quotations, and they are not indented as code.
pub fn own_lines(message: &str) -> Vec<&str> {
    let quotations = quotations(message);
    let mut rest = quotations.as_slice();
    let mut at = 0;
    let mut own = Vec::new();
    for line in message.split_inclusive('\n') {
        let (column, text) = indented(line);
        let begin = at + line.len() - text.len();
        at += line.len();
        while rest.first().is_some_and(|quotation| quotation.range.end <= begin) {
            rest = &rest[1..];
        }
        let is_quoted = rest.first().is_some_and(|quotation| quotation.range.start <= begin);
        if !is_quoted && column < CODE_COLUMNS && !text.trim_end().is_empty() {
            own.push(line.trim_end_matches('\n').trim_end_matches('\r'));
        }
    }
    own
}

/// Parses the text from `from`. If a fence or a comment extends past the list or the quotation that contains it, returns the
/// position after it.
fn read_from(text: &str, from: usize, found: &mut Vec<Quotation>) -> Option<usize> {
    // The end of the current quotation.
    let mut end = from;
    for (event, range) in Parser::new_ext(&text[from..], Options::empty()).into_offset_iter() {
        let range = from + range.start..from + range.end;
        let is_within = range.start < end;
        let mut fence = None;
        let closed = match event {
            // In the rendered HTML, an open comment also hides the text after the quotation.
            Event::Start(Tag::HtmlBlock) if text[range.start..].starts_with("<!--") => comment_end(text, range.start),
            _ if is_within => continue,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(words))) => {
                fence = Some(words.into_string());
                fence_end(text, range.start)
            }
            Event::Start(Tag::BlockQuote(_) | Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::Code(_) => range.end,
            Event::InlineHtml(html) if html.starts_with("<!") || html.starts_with("<?") => range.end,
            _ => continue,
        };
        let whole = if is_within { end } else { range.end };
        end = whole.max(closed);
        match found.last_mut().filter(|_| is_within) {
            Some(outer) => outer.range.end = end,
            None => found.push(Quotation { range: range.start..end, fence }),
        }
        if closed > whole {
            return Some(end);
        }
    }
    None
}

/// The end of the comment that begins at `start`: after the line that closes it, or the end of the text.
fn comment_end(text: &str, start: usize) -> usize {
    let end = text[start + 2..].find("-->").map_or(text.len(), |at| start + 2 + at);
    text[end..].find('\n').map_or(text.len(), |at| end + at + 1)
}

/// The end of the fence that opens at `start`, regardless of the list that contains it: after the line that closes it, or the end of
/// the text.
fn fence_end(text: &str, start: usize) -> usize {
    let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let opened_at = columns(&text[begin..start]);
    let mark = text[start..].chars().next().unwrap_or('`');
    let count = |line: &str| line.chars().take_while(|c| *c == mark).count();
    let least = count(&text[start..]);
    let mut at = start;
    for (n, line) in text[start..].split_inclusive('\n').enumerate() {
        at += line.len();
        let (column, line) = indented(line);
        let line = line.trim_end();
        if n > 0 && count(line) >= least && line.len() == count(line) && column < opened_at + CODE_COLUMNS {
            return at;
        }
    }
    text.len()
}

/// The column where a line's text begins, and the text.
fn indented(line: &str) -> (usize, &str) {
    let text = line.trim_start_matches([' ', '\t']);
    (columns(&line[..line.len() - text.len()]), text)
}

fn columns(text: &str) -> usize {
    text.chars().fold(0, |column, c| if c == '\t' { column / 4 * 4 + 4 } else { column + 1 })
}

/// The message with the same length, but without text that must not affect the parser: HTML at the start of a line, inside which
/// fences and quotations would not count; lists and quotations that nest too deep; carriage returns within a line.
fn neutral(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    for line in message.split_inclusive('\n') {
        let opens = |c: char| c.is_ascii_digit() || " \t>*+-.)".contains(c);
        let lead = line.len() - line.trim_start_matches(opens).len();
        let kept = lead.min(DEEPEST);
        out.push_str(&line[..kept]);
        out.extend(std::iter::repeat_n('x', lead - kept));
        let text = &line[lead..];
        let text = if is_open_tag(text) { ["x", &text[1..]].concat() } else { text.to_string() };
        let (body, end) = text.split_at(text.len() - if text.ends_with("\r\n") { 2 } else { 0 });
        out.push_str(&body.replace('\r', " "));
        out.push_str(end);
    }
    out
}

/// Whether a text begins with a tag after which CommonMark parses no Markdown up to the next blank line.
fn is_open_tag(text: &str) -> bool {
    let Some(tag) = text.strip_prefix('<') else { return false };
    let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("").to_ascii_lowercase();
    tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') && !VERBATIM.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether the line `X` is the author's own in each of these messages.
    #[test]
    fn fenced_quoted_and_indented_lines_are_not_the_authors_own() {
        for (message, want) in [
            ("X", true),
            ("a\nX\nb", true),
            ("```\nX\n```", false),
            ("```\nX", false),
            ("```\n```\nX", true),
            ("~~~~\n~~~\nX\n~~~~", false),
            ("~~~ a `b`\nX\n~~~", false),
            ("```rust\nX\n```", false),
            ("```\n``` a\nX\n```", false),
            // Lines that do not open a fence.
            ("    ```\nX", true),
            ("\t```\nX", true),
            ("  \t```\nX", true),
            ("   ```\nX", false),
            ("``` ```x``` is what it prints ```\nX", true),
            ("```x``` and so on\nX", true),
            ("``\nX", true),
            // Lines that do not close one.
            ("```\n    ```\nX\n```", false),
            ("   ```\n    ```\nX", false),
            // In a list.
            ("- ```\n  X\n  ```", false),
            ("- ```\nX\n  ```", false),
            ("1. ```sh\n   a\n   ```\nX", true),
            ("10. a\n\n    ```\n    b\n    ```\n\nX", true),
            ("-     ```\nX", true),
            ("- 2) ~~~\nX\n     ~~~", false),
            ("- a\nX", true),
            // Quoted.
            ("> X", false),
            ("> The manual says to end with\nX", false),
            ("> a\nb\nX", false),
            ("> a\n\nX", true),
            (">\nX", true),
            ("> a\n>\nX", true),
            ("> # a\nX", true),
            ("> a\n- b\nX", true),
            ("> a\n# b\nX", true),
            ("> a\n---\nX", true),
            ("> a\n```\nb\n```\nX", true),
            ("> ```\n> a\n> ```\nX", true),
            ("    > a\nX", true),
            // Commented out.
            ("<!--\nX\n-->", false),
            ("<!-- a\n\nX\n-->", false),
            ("<!-- a -->\nX", true),
            ("<!-->\nX", true),
            ("<!-- a\n-->\nX", true),
            ("<!--\n```\n-->\nX", true),
            ("<!--\nX", false),
            ("> a\n<!-- b -->\nX", true),
            ("a <!--\nX\n-->", false),
            ("a <!-- b --> <!--\nX\n-->", false),
            ("a <!--\nX\n\n-->", true),
            ("a `<!--` b\nX\n-->", true),
            ("a <!-- b -->\nX", true),
            ("```\n<!--\n```\nX", true),
            ("    X", false),
            ("\tX", false),
            // In code that spans lines, and in verbatim HTML.
            ("`a\nX\nb`", false),
            ("a ` b\n\nX\n\nc `", true),
            ("<pre>\nX\n</pre>", false),
            ("<?a\nX\n?>", false),
            ("a <?b\nX\n?>", false),
            // Other HTML is no wrapping.
            ("<div>\nX\n</div>", true),
            ("- <div>\n  X", true),
            ("<div>\n```\nX\n```\n</div>", false),
            ("<div>\n> a\nX\n</div>", false),
            ("> <div>\nX", false),
            // A fence or a comment that extends past its list or quotation.
            ("- <!--\nX\n-->", false),
            ("> <!--\nX\n-->", false),
            ("- ```\na\n  ```\nX", true),
            ("- <!--\na\n-->\nX", true),
            ("- > a\nX", false),
            ("> ---\nX", true),
            ("\\<!--\nX\n-->", true),
            ("a\r```\rb\nX", true),
            ("```\na\r```\nX", false),
        ] {
            let said = own_lines(message);
            assert_eq!(said.iter().any(|line| line.trim() == "X"), want, "{message:?}: {said:?}");
        }
    }

    #[test]
    fn a_long_message_takes_linear_time() {
        let began = crate::sys::procfs::processor_time();
        let units = ["a <!--\n", "<!--\n", "> a\n", "- ", "```\n", "1. ```\n", " ", "`", "<!-- "];
        let more = [
            ">",
            "> ",
            "[",
            "![",
            "[a](",
            "`a",
            "` `` ",
            "*a **b ",
            "+ ",
            "<",
            "<a ",
            "\\",
            "- ```\nX\n",
            "- <!--\nX\n",
        ];
        for unit in units.into_iter().chain(more) {
            own_lines(&unit.repeat((1 << 19) / unit.len()));
        }
        // Open lists and quotations, and lines that continue them.
        for (open, line) in [("> ", "b\n"), ("+ ", "b\n"), ("1) ", "b\n"), ("- ", "\n"), ("> ", ">\n"), ("+ ", "a\n\n")]
        {
            own_lines(&(open.repeat((1 << 18) / open.len()) + "a\n" + &line.repeat((1 << 18) / line.len())));
        }
        let mut stairs: String = (0..700).map(|deep| "  ".repeat(deep) + "- a\n").collect();
        stairs.push_str(&"b\n".repeat(1 << 17));
        own_lines(&stairs);
        let took = crate::sys::procfs::processor_time().saturating_sub(began);
        assert!(took.as_secs() < 60, "{took:?}");
    }

    #[test]
    fn a_message_past_the_limit_has_no_own_lines() {
        let long = |length: usize| "a\n".repeat(length / 2);
        assert_eq!(own_lines(&long(MARKDOWN)).len(), MARKDOWN / 2);
        assert!(own_lines(&long(MARKDOWN + 2)).is_empty());
    }

    #[test]
    fn quotations_are_in_order_and_do_not_overlap() {
        let message = "> a\nb\n\n- ```JSON x\nc\n  ```\nd `e` <!-- f -->\n";
        let found: Vec<_> =
            quotations(message).into_iter().map(|one| (message[one.range].to_string(), one.fence)).collect();
        let text = |text: &str| (text.to_string(), None);
        let fence = ("```JSON x\nc\n  ```\n".to_string(), Some("JSON x".to_string()));
        assert_eq!(found, [text("> a\nb\n"), fence, text("`e`"), text("<!-- f -->")]);
    }

    proptest! {
        #[test]
        fn any_message_can_be_read(message in "[\\PC\n\t`~<>!/ 1.)-]{0,300}") {
            own_lines(&message);
        }
    }
}
