//! Reads a query file.

use super::names::Names;
use super::text::{Token, tokens};
use super::{Count, Item, Kind, Kinds, Node, Pattern, Query, Test, TestKind, What};
use std::cell::OnceCell;

/// How deep patterns may be nested.
const DEPTH: usize = 64;

/// Reads a query file. The error is the line and what is wrong there.
pub fn parse<'t>(names: &Names<'t>, text: &'t str) -> Result<Query, (usize, String)> {
    let mut parser =
        Parser { names, tokens: tokens(text)?, at: 0, captures: Vec::new(), expressions: Vec::new(), depth: 0 };
    let mut patterns = Vec::new();
    while parser.at < parser.tokens.len() {
        let pattern = parser.pattern().map_err(|why| (parser.line(), why))?;
        patterns.extend(expanded(pattern));
    }
    let expressions = parser.expressions.into_iter().map(|text| (text, OnceCell::new())).collect();
    Ok(Query { patterns, captures: parser.captures, kind_count: names.kind_count(), expressions })
}

/// A pattern that begins with an optional node stands for two: with it and without it.
fn expanded(pattern: Pattern) -> Vec<Pattern> {
    let with = match pattern.items.first().map(|item| item.count) {
        Some(Count::Any) if pattern.items.len() > 1 => Count::Some,
        Some(Count::Optional) if pattern.items.len() > 1 => Count::One,
        _ => return vec![pattern],
    };
    let Pattern { mut items, tests, properties, captures, .. } = pattern;
    let rest = Pattern::of(items[1..].to_vec(), tests.clone(), properties.clone(), captures.clone());
    items[0].count = with;
    let mut all = vec![Pattern::of(items, tests, properties, captures)];
    all.extend(expanded(rest));
    all
}

struct Parser<'a, 't> {
    names: &'a Names<'t>,
    tokens: Vec<(usize, Token<'t>)>,
    at: usize,
    captures: Vec<String>,
    expressions: Vec<String>,
    depth: usize,
}

/// What a list of siblings holds.
#[derive(Default)]
struct Parts {
    items: Vec<Item>,
    is_closed: bool,
    absent: Vec<u16>,
    tests: Vec<Test>,
    properties: Vec<(String, String)>,
}

impl<'t> Parser<'_, 't> {
    fn line(&self) -> usize {
        let at = self.at.saturating_sub(1).min(self.tokens.len().saturating_sub(1));
        self.tokens.get(at).map_or(1, |token| token.0)
    }

    fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at).map(|token| &token.1)
    }

    fn take(&mut self, mark: char) -> bool {
        let is_here = self.peek() == Some(&Token::Mark(mark));
        self.at += usize::from(is_here);
        is_here
    }

    fn word(&mut self) -> Option<&'t str> {
        let Some(&Token::Word(word)) = self.peek() else { return None };
        self.at += 1;
        Some(word)
    }

    fn capture(&mut self, word: &str) -> u16 {
        let name = word.trim_start_matches('@');
        let known = self.captures.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.captures.push(name.to_string());
            self.captures.len() - 1
        }) as u16
    }

    /// The number of an expression; equal ones have the same.
    fn expression(&mut self, text: String) -> usize {
        let known = self.expressions.iter().position(|known| *known == text);
        known.unwrap_or_else(|| {
            self.expressions.push(text);
            self.expressions.len() - 1
        })
    }

    /// A pattern of the top level.
    fn pattern(&mut self) -> Result<Pattern, String> {
        let mut parts = Parts::default();
        let item = self.item(&mut parts)?;
        let mut captures = Vec::new();
        collect_captures(&item, &mut captures);
        let mut uncertain = Vec::new();
        collect_repeated(&item, false, &mut uncertain);
        for test in &mut parts.tests {
            let is_plain = !matches!(test.what, TestKind::Capture(_));
            test.is_early = is_plain && !uncertain.contains(&test.capture);
        }
        let items = match item {
            Item { what: What::Group(items), count: Count::One, .. } => items,
            item => vec![item],
        };
        if items.is_empty() || items.iter().all(|item| matches!(item.count, Count::Any | Count::Optional)) {
            return Err("the pattern may match nothing".into());
        }
        if let Some(test) = parts.tests.iter().find(|test| !captures.contains(&test.capture)) {
            return Err(format!("the pattern has no @{}", self.captures[test.capture as usize]));
        }
        Ok(Pattern::of(items, parts.tests, parts.properties, captures))
    }

    /// One element with its captures and its quantifier. Predicates go to `around`.
    fn item(&mut self, around: &mut Parts) -> Result<Item, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("nested too deeply".into());
        }
        let mut item = match self.tokens.get(self.at).map(|token| token.1.clone()) {
            Some(Token::Mark('(')) => {
                self.at += 1;
                self.parenthesis(around)?
            }
            Some(Token::Mark('[')) => {
                self.at += 1;
                let mut choices = Vec::new();
                while !self.take(']') {
                    choices.push(self.item(around)?);
                }
                if choices.is_empty() {
                    return Err("`[]` has no choices".into());
                }
                Item::of(What::Choice(choices))
            }
            Some(Token::Quoted(text)) => {
                self.at += 1;
                Item::node(Kind::Token(Kinds::of(self.names.kinds(text, false)?)), Parts::default())
            }
            Some(Token::Word("_")) => {
                self.at += 1;
                Item::node(Kind::Any, Parts::default())
            }
            Some(Token::Word(word)) if word.ends_with(':') => {
                self.at += 1;
                let field = self.names.field(word.trim_end_matches(':'))?;
                let mut item = self.item(around)?;
                item.field = field;
                self.depth -= 1;
                return Ok(item);
            }
            Some(token) => {
                self.at += 1;
                return Err(format!("expected a node, not {}", shown(&token)));
            }
            None => return Err("the file ends inside a pattern".into()),
        };
        self.suffix(&mut item)?;
        self.depth -= 1;
        Ok(item)
    }

    /// The quantifier and the captures behind an element, in any order.
    fn suffix(&mut self, item: &mut Item) -> Result<(), String> {
        loop {
            match self.peek() {
                Some(Token::Mark('?')) => item.count = Count::Optional,
                Some(Token::Mark('*')) => item.count = Count::Any,
                Some(Token::Mark('+')) => item.count = Count::Some,
                Some(&Token::Word(word)) if word.starts_with('@') => {
                    if matches!(item.what, What::Group(_)) {
                        self.at += 1;
                        return Err("a group has no captures".into());
                    }
                    let capture = self.capture(word);
                    item.captures.push(capture);
                }
                _ => return Ok(()),
            }
            self.at += 1;
        }
    }

    /// What follows an opening parenthesis: a node, or a group.
    fn parenthesis(&mut self, around: &mut Parts) -> Result<Item, String> {
        if let Some(&Token::Word(word)) = self.peek()
            && !word.starts_with(['#', '@'])
            && !word.ends_with(':')
        {
            self.at += 1;
            let kind = match word {
                "_" => Kind::Named,
                "MISSING" => return Err("MISSING is not supported".into()),
                word => Kind::Of(Kinds::of(self.names.kinds(word.into(), true)?)),
            };
            let parts = self.list(around)?;
            return Ok(Item::node(kind, parts));
        }
        let parts = self.list(around)?;
        if parts.is_closed || !parts.absent.is_empty() {
            return Err("`.` at the end and `!` belong into a node".into());
        }
        Ok(Item::of(What::Group(parts.items)))
    }

    /// Siblings up to the closing parenthesis.
    fn list(&mut self, around: &mut Parts) -> Result<Parts, String> {
        let mut parts = Parts::default();
        let mut is_anchored = false;
        loop {
            if self.take(')') {
                parts.is_closed = is_anchored;
                return Ok(parts);
            }
            if self.take('.') {
                is_anchored = true;
                continue;
            }
            if self.take('!') {
                let name = self.word().ok_or("expected a field behind `!`")?;
                parts.absent.push(self.names.field(name)?);
                continue;
            }
            let is_predicate = self.peek() == Some(&Token::Mark('('))
                && matches!(self.tokens.get(self.at + 1), Some((_, Token::Word(word))) if word.starts_with('#'));
            if is_predicate {
                self.at += 1;
                self.predicate(around)?;
                continue;
            }
            let mut item = self.item(around)?;
            item.is_anchored = std::mem::take(&mut is_anchored);
            parts.items.push(item);
        }
    }

    /// `#eq? @a "b")` and the like.
    fn predicate(&mut self, around: &mut Parts) -> Result<(), String> {
        let name = self.word().unwrap_or_default();
        let mut operands = Vec::new();
        while !self.take(')') {
            let token = self.tokens.get(self.at).ok_or("the file ends inside a predicate")?.1.clone();
            self.at += 1;
            operands.push(token);
        }
        let text = |token: &Token| match token {
            Token::Quoted(text) => Ok(text.to_string()),
            Token::Word(word) if !word.starts_with('@') => Ok(word.to_string()),
            token => Err(format!("expected a text, not {}", shown(token))),
        };
        if name == "#set!" {
            let key = operands.first().map(text).ok_or("#set! needs a key")??;
            let value = operands.get(1).map(text).transpose()?.unwrap_or_default();
            around.properties.push((key, value));
            return Ok(());
        }
        let (positive, is_negated) = match name.strip_prefix("#not-") {
            Some(rest) => (format!("#{rest}"), true),
            None => (name.to_string(), false),
        };
        let Some(Token::Word(first)) =
            operands.first().filter(|token| matches!(token, Token::Word(w) if w.starts_with('@')))
        else {
            return Err(format!("{name} needs a capture"));
        };
        let capture = self.capture(first);
        let what = match (positive.as_str(), &operands[1..]) {
            ("#eq?", [Token::Word(other)]) if other.starts_with('@') => TestKind::Capture(self.capture(other)),
            ("#eq?", [one]) => TestKind::Words(vec![text(one)?]),
            ("#any-of?", words) if !words.is_empty() => {
                TestKind::Words(words.iter().map(text).collect::<Result<_, _>>()?)
            }
            ("#match?", [one]) => TestKind::Pattern(self.expression(text(one)?)),
            _ => return Err(format!("{name} is not known, or has other operands")),
        };
        around.tests.push(Test { capture, is_negated, is_early: false, what });
        Ok(())
    }
}

impl Item {
    fn of(what: What) -> Item {
        Item { field: 0, count: Count::One, is_anchored: false, what, captures: Vec::new() }
    }

    fn node(kind: Kind, parts: Parts) -> Item {
        let Parts { items: children, is_closed, absent, .. } = parts;
        Item::of(What::Node(Node { kind, children, is_closed, absent }))
    }
}

fn collect_captures(item: &Item, found: &mut Vec<u16>) {
    found.extend(&item.captures);
    let inner = match &item.what {
        What::Node(node) => &node.children,
        What::Choice(items) | What::Group(items) => items,
    };
    inner.iter().for_each(|item| collect_captures(item, found));
}

/// The captures that a match may have several times or not at all.
fn collect_repeated(item: &Item, is_inside: bool, found: &mut Vec<u16>) {
    let is_inside = is_inside || item.count != Count::One;
    if is_inside {
        found.extend(&item.captures);
    }
    let inner = match &item.what {
        What::Node(node) => &node.children,
        What::Choice(items) | What::Group(items) => items,
    };
    inner.iter().for_each(|item| collect_repeated(item, is_inside, found));
}

fn shown(token: &Token) -> String {
    match token {
        Token::Mark(c) => format!("`{c}`"),
        Token::Word(word) => format!("`{word}`"),
        Token::Quoted(text) => format!("{text:?}"),
    }
}
