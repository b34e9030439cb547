//! Finds the patch in standard input: the whole input, or the fenced `diff` blocks of a model's answer.

use review_gate::sys::error::{Error, Result};

/// The largest input, in bytes.
pub const LIMIT: usize = 16 << 20;

/// One line of the patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number in the input.
    pub number: usize,
    /// Its bytes, with its newline.
    pub text: &'a [u8],
}

impl<'a> Line<'a> {
    /// The text without its newline.
    pub fn trimmed(&self) -> &'a [u8] {
        self.text.strip_suffix(b"\n").unwrap_or(self.text)
    }

    /// The text after a prefix, without its newline.
    pub fn after(&self, prefix: &str) -> Option<&'a [u8]> {
        self.trimmed().strip_prefix(prefix.as_bytes())
    }
}

/// The input with plain line ends. If every line ends with CR LF, a transport added the CRs, and they are removed.
pub fn normalized(bytes: Vec<u8>) -> Vec<u8> {
    let has_cr = |line: &[u8]| line.ends_with(b"\r\n");
    if bytes.is_empty() || !bytes.split_inclusive(|b| *b == b'\n').all(has_cr) {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        out.extend_from_slice(&line[..line.len() - 2]);
        out.push(b'\n');
    }
    out
}

/// A fence that opens a block: its character, its length, the word after it.
struct Fence<'a> {
    mark: u8,
    length: usize,
    word: &'a [u8],
}

/// The lines of the patch. Errors (100): a block is not closed, or there is a patch in a block and another one outside.
pub fn patch_lines(bytes: &[u8]) -> Result<Vec<Line<'_>>> {
    let texts = bytes.split_inclusive(|b| *b == b'\n').enumerate();
    let lines: Vec<Line<'_>> = texts.map(|(at, text)| Line { number: at + 1, text }).collect();
    let first_header = (0..lines.len()).find(|at| is_header(&lines[*at..]));
    let opens_patch = |at: usize| fence(&lines[at]).is_some_and(|fence| is_patch_block(&fence, &lines[at + 1..]));
    let first_block = (0..first_header.unwrap_or(lines.len())).find(|at| opens_patch(*at));
    let Some(first_block) = first_block else { return Ok(lines) };
    let (mut patch, mut at, mut outside) = (Vec::new(), first_block, None);
    while at < lines.len() {
        let Some(opened) = fence(&lines[at]) else {
            if is_header(&lines[at..]) {
                outside = outside.or(Some(lines[at].number));
            }
            at += 1;
            continue;
        };
        let (begin, wanted) = (at + 1, opens_patch(at));
        let end = (begin..lines.len()).find(|end| closes(&lines[*end], &opened));
        let Some(end) = end else {
            if wanted {
                let number = lines[at].number;
                return Err(Error::usage(format!(
                    "the block that line {number} opens is not closed: is the text cut off?"
                )));
            }
            break;
        };
        if wanted {
            patch.extend_from_slice(&lines[begin..end]);
        } else if let Some(stray) = (begin..end).find(|at| is_header(&lines[*at..end])) {
            outside = outside.or(Some(lines[stray].number));
        }
        at = end + 1;
    }
    match outside {
        None => Ok(patch),
        Some(number) => Err(Error::usage(format!(
            "line {number}: a patch outside of the ```diff blocks. Put all of it into ```diff blocks, or send it alone"
        ))),
    }
}

/// Whether a file's part of a patch begins with these lines.
pub fn is_header(lines: &[Line<'_>]) -> bool {
    let Some(first) = lines.first() else { return false };
    first.after("diff --git ").is_some() || is_pair(lines)
}

/// Whether these lines begin with `--- <name>` and `+++ <name>`.
pub fn is_pair(lines: &[Line<'_>]) -> bool {
    let starts = |at: usize, prefix: &str| lines.get(at).is_some_and(|line: &Line<'_>| line.after(prefix).is_some());
    starts(0, "--- ") && starts(1, "+++ ")
}

fn fence<'a>(line: &Line<'a>) -> Option<Fence<'a>> {
    let text = line.trimmed().trim_ascii_end();
    let mark = *text.first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = text.iter().take_while(|byte| **byte == mark).count();
    let word = text[length..].trim_ascii().split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    (length >= 3 && !word.contains(&b'`')).then_some(Fence { mark, length, word })
}

fn closes(line: &Line<'_>, open: &Fence<'_>) -> bool {
    fence(line).is_some_and(|close| close.mark == open.mark && close.length >= open.length && close.word.is_empty())
}

/// Whether a block holds a patch: its word is `diff` or `patch`, or it has no word and begins with a header.
fn is_patch_block(fence: &Fence<'_>, body: &[Line<'_>]) -> bool {
    match fence.word {
        b"" => is_header(body),
        word => word.eq_ignore_ascii_case(b"diff") || word.eq_ignore_ascii_case(b"patch"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch_of(text: &str) -> std::result::Result<String, String> {
        let lines = patch_lines(text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(lines.iter().map(|line| String::from_utf8_lossy(line.text).into_owned()).collect())
    }

    #[test]
    fn the_patch_is_the_whole_input_or_its_fenced_blocks() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        let bare = format!("I changed x.\n{diff}Done.\n");
        assert_eq!(patch_of(&bare).unwrap(), bare);
        for (open, close) in [("```diff", "```"), ("~~~~patch", "~~~~"), ("```", "```"), ("```Diff title", "`````")] {
            let text = format!("First:\n{open}\n{diff}{close}\nThen:\n```sh\nls\n```\n{open}\n{diff}{close}\n");
            assert_eq!(patch_of(&text).unwrap(), format!("{diff}{diff}"), "{open}");
        }
        // A patch of a page that holds a fence is not the content of that fence.
        let page = "--- a/p.md\n+++ b/p.md\n@@ -1 +1,3 @@\n a\n+```diff\n+x\n";
        assert_eq!(patch_of(page).unwrap(), page);
    }

    #[test]
    fn a_block_that_is_cut_off_or_not_alone_is_refused() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        assert!(patch_of(&format!("```diff\n{diff}")).unwrap_err().contains("line 1 opens is not closed"));
        let both = format!("```diff\n{diff}```\n{diff}");
        assert!(patch_of(&both).unwrap_err().contains("line 8: a patch outside"));
        let hidden = format!("```diff\n{diff}```\n```text\n{diff}```\n");
        assert!(patch_of(&hidden).unwrap_err().contains("line 9: a patch outside"));
    }

    #[test]
    fn carriage_returns_of_a_transport_are_removed() {
        assert_eq!(normalized(b"--- a\r\n+b\r\n".to_vec()), b"--- a\n+b\n");
        assert_eq!(normalized(b"--- a\n+b\r\n".to_vec()), b"--- a\n+b\r\n");
        assert_eq!(normalized(b"--- a\r\n+b".to_vec()), b"--- a\r\n+b");
    }
}
