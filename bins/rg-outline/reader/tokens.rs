//! The tokens of a piece of text, without comments and without what formatters change.

use crate::tree::{Id, Tree};
use review_gate::outline::Digest;

/// The longest subject or expected value that is kept, in bytes.
const LIMIT: usize = 200;

/// The tokens between two nodes, the first included.
fn tokens<'t>(tree: &'t Tree, from: Id, to: Id) -> impl Iterator<Item = Id> + 't {
    let mut at = from;
    let leaves = std::iter::from_fn(move || {
        while at < to {
            let id = at;
            if tree.is_extra(id) {
                at = tree.next(id).max(id + 1);
                continue;
            }
            at += 1;
            if tree.is_leaf(id) && !tree.text_of(id).trim_ascii().is_empty() {
                return Some(id);
            }
        }
        None
    });
    let mut leaves = leaves.peekable();
    std::iter::from_fn(move || {
        loop {
            let id = leaves.next()?;
            let is_dropped = match tree.text_of(id) {
                b";" => true,
                b"," => leaves.peek().is_none_or(|next| matches!(tree.text_of(*next), b")" | b"]" | b"}" | b">")),
                _ => false,
            };
            if !is_dropped {
                return Some(id);
            }
        }
    })
}

/// The text of a token. Both kinds of quotes are the same.
fn text<'t>(tree: &Tree<'t>, id: Id) -> &'t [u8] {
    match tree.text_of(id) {
        b"'" => b"\"",
        other => other,
    }
}

/// The digest of tokens, and how many there are: FNV-1a with 64 bits, each token followed by a byte that no text has.
fn digest_of<'t>(tree: &'t Tree, tokens: impl Iterator<Item = Id> + 't) -> (Digest, u64) {
    let (mut digest, mut count) = (0xcbf2_9ce4_8422_2325_u64, 0);
    for id in tokens {
        for byte in text(tree, id).iter().chain(&[0xff]) {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        count += 1;
    }
    (Digest(if count == 0 { 0 } else { digest }), count)
}

/// The digest of a node, and how many tokens it has.
pub fn digest(tree: &Tree, id: Id) -> (Digest, u64) {
    digest_of(tree, tokens(tree, id, tree.next(id)))
}

/// The digest of the tokens from one node to another one, which is not included.
pub fn digest_between(tree: &Tree, from: Id, to: Id) -> (Digest, u64) {
    digest_of(tree, tokens(tree, from, to))
}

/// The same for what runs: brackets around it do not count.
pub fn body_digest(tree: &Tree, id: Id) -> (Digest, u64) {
    let children: Vec<Id> = tree.children(id).filter(|child| !tree.is_extra(*child)).take(2).collect();
    let last = tree.children(id).last();
    let is_mark = |child: Option<Id>| child.is_some_and(|child| !tree.is_named(child) && tree.is_leaf(child));
    match last {
        Some(last) if is_mark(children.first().copied()) && is_mark(Some(last)) && children[0] != last => {
            digest_of(tree, tokens(tree, children[0] + 1, last))
        }
        _ => digest(tree, id),
    }
}

/// The digest of the tokens that begin on a line.
pub fn line_digest(tree: &Tree, line: u64) -> (Digest, u64) {
    let range = tree.bytes_of_line(line);
    let (from, to) = (tree.first_from(range.start), tree.first_from(range.end));
    // A comment that began on an earlier line is no code of this one.
    digest_of(tree, tokens(tree, from, to).filter(move |id| tree.range(*id).start >= range.start))
}

/// The tokens of nodes as text: a blank between two words, nothing else between tokens.
pub fn shown(tree: &Tree, id: Id) -> String {
    let mut line: Vec<u8> = Vec::with_capacity(LIMIT / 4);
    let mut end = 0;
    for token in tokens(tree, id, tree.next(id)) {
        let text = text(tree, token);
        let range = tree.range(token);
        let is_word =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80);
        if range.start > end && is_word(line.last()) && is_word(text.first()) {
            line.push(b' ');
        }
        line.extend_from_slice(text);
        end = range.end;
        if line.len() > LIMIT {
            break;
        }
    }
    cut(&line, LIMIT)
}

/// The beginning of a text on one line, at most `limit` bytes.
pub fn cut(text: &[u8], limit: usize) -> String {
    let text = &text[..text.len().min(limit + 4)];
    // Most texts need no change.
    let is_plain = text.iter().fold(true, |is_plain, byte| is_plain & (b' '..=b'~').contains(byte));
    if is_plain && let Ok(text) = std::str::from_utf8(&text[..text.len().min(limit)]) {
        return text.trim().to_string();
    }
    let text = String::from_utf8_lossy(text).replace(['\n', '\r', '\t'], " ");
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim().to_string()
}

/// A line as it is written.
pub fn line_text(tree: &Tree, line: u64) -> String {
    cut(tree.text[tree.bytes_of_line(line)].trim_ascii(), LIMIT)
}

/// A name without its quotes. The text of an expression is kept.
pub fn name(tree: &Tree, id: Id) -> String {
    let text = String::from_utf8_lossy(tree.text_of(id));
    for quote in ["\"\"\"", "'''", "\"", "'", "`"] {
        if text.len() >= 2 * quote.len()
            && let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote))
        {
            return unescaped(inner);
        }
    }
    shown(tree, id)
}

/// A text in which quotes do not need a backslash.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match rest.peek() {
            Some(next) if c == '\\' && "\"'`\\".contains(*next) => plain.extend(rest.next()),
            _ => plain.push(c),
        }
    }
    plain
}
