//! Lists: the parts of what is expected, and comparisons that many values meet.

/// Comparisons that many values meet.
pub const ORDERS: [&str; 6] = ["!=", "!==", "<", ">", "<=", ">="];

/// The parts of a list, divided by commas outside of brackets and texts.
pub fn items(text: &str) -> Vec<&str> {
    let inner = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let text = inner.filter(|text| !text.contains('(')).unwrap_or(text);
    let (mut items, mut from, mut depth, mut quote) = (Vec::new(), 0, 0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                items.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(&text[from..]);
    items.retain(|item| !item.trim().is_empty());
    items
}

/// The parts of a list or a record, without the bracket around it.
pub fn parts(text: &str) -> Vec<&str> {
    let bare = |text: &str, open: char, close: char| {
        text.trim().strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).map(str::len)
    };
    let closes = [('(', ')'), ('{', '}'), ('[', ']')];
    let is_around = closes.iter().any(|(open, close)| bare(text, *open, *close).is_some());
    let text = text.trim();
    items(if is_around { &text[1..text.len() - 1] } else { text })
}

/// How many fields a value states: the arguments of its constructor.
pub fn fields(expected: &str) -> usize {
    let inner = expected.split_once(['(', '{']).map_or(expected, |(_, inner)| inner);
    items(inner.trim_end_matches([')', '}'])).len()
}
