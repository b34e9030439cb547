//! Compares texts of two runs token by token. Times, ids and digests differ between any two runs; everything else must agree.

use super::terms::WORDS;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How a token is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// A time or a duration: equal to any other one.
    Time,
    /// An id or a digest: equal to the one that it is bound to.
    Id,
    Hex,
    /// Any other word: equal if it is the same, or renamed by `WORDS`.
    Plain,
}

type Token<'a> = (Class, &'a str);

/// The ids and digests of the old run, each bound to one of the new run.
#[derive(Clone, Default)]
pub struct Pairs {
    to_new: BTreeMap<String, String>,
    to_old: BTreeMap<String, String>,
}

impl Pairs {
    /// Binds `old` and `new` to each other and records that in `bound`. Returns false if either is bound to another id.
    fn bind<'a>(&mut self, old: &'a str, new: &str, bound: &mut Vec<&'a str>) -> bool {
        match (self.to_new.get(old), self.to_old.contains_key(new)) {
            (None, false) => {
                self.to_new.insert(old.into(), new.into());
                self.to_old.insert(new.into(), old.into());
                bound.push(old);
                true
            }
            (Some(known), true) => known == new,
            _ => false,
        }
    }

    /// Whether the texts have the same meaning. Texts that differ bind nothing.
    pub fn agree(&mut self, old: &str, new: &str) -> bool {
        let mut bound = Vec::new();
        let agreed = self.walk(&tokens(old), &tokens(new), &mut bound);
        if !agreed {
            for name in bound {
                let new = self.to_new.remove(name);
                new.and_then(|new| self.to_old.remove(&new));
            }
        }
        agreed
    }

    fn walk<'a>(&mut self, old: &[Token<'a>], new: &[Token], bound: &mut Vec<&'a str>) -> bool {
        let (mut i, mut j) = (0, 0);
        while i < old.len() && j < new.len() {
            let ((class, mine), (other, theirs)) = (old[i], new[j]);
            let same = match (class, other) {
                (Class::Time, Class::Time) => true,
                (Class::Id, Class::Id) => self.bind(mine, theirs, bound),
                (Class::Hex, Class::Hex) => mine.len() == theirs.len() && self.bind(mine, theirs, bound),
                _ => mine == theirs,
            };
            let step = if same { Some((1, 1)) } else { renamed(&old[i..], &new[j..]) };
            let Some((mine, theirs)) = step else { return false };
            i += mine;
            j += theirs;
        }
        i == old.len() && j == new.len()
    }

    /// The old text with the new ids and without times, as reports show it.
    pub fn shown(&self, text: &str) -> String {
        let shown = tokens(text).into_iter().map(|(class, token)| match class {
            Class::Time => "<time>",
            _ => self.to_new.get(token).map_or(token, String::as_str),
        });
        shown.collect()
    }
}

/// The number of tokens on each side that a row of `WORDS` covers.
fn renamed(old: &[Token], new: &[Token]) -> Option<(usize, usize)> {
    let covers = |side: &[Token], term: &str| {
        let term = tokens(term);
        side.starts_with(&term).then_some(term.len())
    };
    WORDS.iter().find_map(|(mine, theirs)| Some((covers(old, mine)?, covers(new, theirs)?)))
}

/// A file name with `*` for its ids. Two files with the same pattern may correspond.
pub fn shape(name: &str) -> String {
    tokens(name).into_iter().map(|(class, token)| if class == Class::Plain { token } else { "*" }).collect()
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    const PARTS: &str = r"(?x)
        (?P<time> [0-9]{4}-[0-9]{2}-[0-9]{2}[T\x20][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?Z?
            | [0-9]{2}:[0-9]{2}:[0-9]{2}
            | [0-9]+\.[0-9]+\x20s
            | [0-9]+\x20(s|min|h|d)\x20ago )
        | [A-Za-z0-9_]+ | (?s: .)";
    static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PARTS).ok());
    let Some(token) = TOKEN.as_ref() else { return vec![(Class::Plain, text)] };
    let classified = token.captures_iter(text).map(|found| {
        let all = found.get(0).map_or("", |all| all.as_str());
        (if found.name("time").is_some() { Class::Time } else { class(all) }, all)
    });
    classified.collect()
}

/// The kind of a word. A digest has 7 to 64 digits, a ULID 26; a number is neither.
fn class(word: &str) -> Class {
    let bytes = word.as_bytes();
    let is_hex = bytes.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_base32 = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'Z') && !b"ILOU".contains(byte);
    match bytes.len() {
        26 if bytes.iter().all(is_base32) && bytes[0] <= b'7' => Class::Id,
        7..=64 if is_hex && (bytes.len() >= 40 || bytes.iter().any(u8::is_ascii_lowercase)) => Class::Hex,
        _ => Class::Plain,
    }
}
