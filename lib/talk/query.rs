//! A search in the bodies of messages. Any text is a query: what is no word in it is ignored.

use super::message::Message;
use crate::sys::clock::Time;
use std::borrow::Cow;

/// What a message must have.
#[derive(Default)]
pub struct Query {
    phrases: Vec<Phrase>,
    /// Its topic.
    pub topic: Option<String>,
    /// The name of its sender.
    pub from: Option<String>,
    /// The earliest time.
    pub since: Option<Time>,
}

/// Words that follow each other. Of the last one only the beginning is given if `is_prefix`.
#[derive(Debug, PartialEq, Eq)]
struct Phrase {
    words: Vec<String>,
    is_prefix: bool,
}

impl Query {
    /// Reads a query: words that must all occur, `beginning*`, and `"several words"` in their order.
    pub fn parse(text: &str) -> Query {
        let mut phrases = Vec::new();
        for (at, part) in text.split('"').enumerate() {
            let quoted = [part];
            let bare: Vec<&str> = part.split_whitespace().collect();
            for piece in if at % 2 == 1 { &quoted[..] } else { &bare[..] } {
                let words = words_of(piece);
                if !words.is_empty() {
                    phrases.push(Phrase { words, is_prefix: piece.trim_end().ends_with('*') });
                }
            }
        }
        Query { phrases, ..Query::default() }
    }

    /// Whether it selects messages by their text, topic, sender or time.
    pub fn has_terms(&self) -> bool {
        !self.phrases.is_empty() || self.topic.is_some() || self.from.is_some() || self.since.is_some()
    }

    /// Its words, and whether each one is only the beginning of a word.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&str, bool)> {
        self.phrases.iter().flat_map(|phrase| {
            let last = phrase.words.len() - 1;
            phrase.words.iter().enumerate().map(move |(at, word)| (word.as_str(), phrase.is_prefix && at == last))
        })
    }

    /// Whether a message has all of it.
    pub fn matches(&self, message: &Message) -> bool {
        let is_of = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        if !is_of(&self.topic, &message.topic) || !is_of(&self.from, &message.sender.from) {
            return false;
        }
        if self.since.is_some_and(|since| message.at < since) {
            return false;
        }
        self.fits(&message.body)
    }

    /// Whether a text has all the words.
    pub fn fits(&self, text: &str) -> bool {
        if self.phrases.is_empty() {
            return true;
        }
        let words = words_of(text);
        self.phrases.iter().all(|phrase| phrase.is_in(&words))
    }
}

impl Phrase {
    fn is_in(&self, words: &[String]) -> bool {
        let Some((last, first)) = self.words.split_last() else { return true };
        words.windows(self.words.len()).any(|window| {
            let Some((end, start)) = window.split_last() else { return false };
            start == first && (end == last || self.is_prefix && end.starts_with(last.as_str()))
        })
    }
}

/// The words of a text in lower case: runs of letters and digits.
fn words_of(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// A text from which a reader that knows only ASCII gets the same words: it separates at all other ASCII characters.
pub(super) fn as_words(text: &str) -> Cow<'_, str> {
    match text.is_ascii() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(words_of(text).join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::talk::message::Sender;

    fn fits(query: &str, body: &str) -> bool {
        let sender = Sender { from: "a".into(), ..Sender::default() };
        let message = Message::new(crate::sys::ids::ulid(&[]), Time(0), "t", None, &sender, body);
        Query::parse(query).matches(&message)
    }

    #[test]
    fn all_words_must_occur_and_phrases_in_their_order() {
        let body = "The parser of Caf\u{e9} menus fails: see lib/parser.rs";
        for query in
            ["parser", "PARSER menus", "fail*", "\"of caf\u{e9}\"", "lib/parser.rs", "CAF\u{c9}", "\"of caf*\""]
        {
            assert!(fits(query, body), "{query}");
        }
        for query in ["parse", "parser lexer", "\"menus parser\"", "fai", "x*", "rs/lib"] {
            assert!(!fits(query, body), "{query}");
        }
    }

    #[test]
    fn no_query_is_an_error() {
        for query in ["", "\"", "***", "\"\"\"", "(((", "AND OR NOT", "' --", "\0", "-*-", "a AND", "NEAR(a b, 5)"] {
            fits(query, "some text");
        }
        assert!(!Query::parse("*** \"\" --").has_terms());
    }
}
