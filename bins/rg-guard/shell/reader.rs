//! The reader: lists, pipelines and simple commands.

use super::tree::*;
use std::borrow::Cow;
use std::collections::HashSet;

/// The deepest nesting of commands that is read.
pub const DEPTH: usize = 64;

/// The most words and parts of words that are read. A text with more of them is data.
pub const PIECES: usize = 20_000;

/// Parses a text in time and memory proportional to its length. `place` is its place where it is part of another text.
pub fn read(text: &str, place: Option<Span>) -> Tree {
    let mut reader = Reader::new(text.as_bytes(), place);
    let mut nodes = reader.list();
    while reader.at < reader.end {
        // A shell rejects a closing word without an opening one; what follows it is read all the same.
        reader.note_error("a closing word without its beginning");
        reader.skip_one();
        nodes.extend(reader.list());
    }
    Tree { nodes, error: reader.error, too_deep: reader.too_deep, pieces: reader.pieces }
}

/// A here-document whose body has not been read yet.
pub struct Pending {
    pub body: Body,
    pub delimiter: Vec<u8>,
    pub quoted: bool,
    pub tabs: bool,
}

/// The state of reading.
pub struct Reader<'a> {
    pub src: &'a [u8],
    pub at: usize,
    /// Where reading ends: before the end of `src` in the body of a here-document.
    pub end: usize,
    pub depth: usize,
    pub too_deep: bool,
    pub pieces: usize,
    pub error: Option<(usize, &'static str)>,
    pub pending: Vec<Pending>,
    /// The memory for the characters of the current word.
    pub buffer: Vec<u8>,
    /// Offsets of `((` that begin two subshells.
    pub not_arithmetic: HashSet<usize>,
    /// The place of everything, where the text is part of another one.
    pub place: Option<Span>,
}

/// Words that end a list where a command could begin.
const CLOSING: [&str; 7] = ["then", "do", "done", "fi", "elif", "else", "esac"];

impl<'a> Reader<'a> {
    /// A reader at the beginning of a text.
    pub fn new(src: &'a [u8], place: Option<Span>) -> Reader<'a> {
        Reader {
            src,
            at: 0,
            end: src.len(),
            depth: 0,
            too_deep: false,
            pieces: 0,
            error: None,
            pending: Vec::new(),
            buffer: Vec::new(),
            not_arithmetic: HashSet::new(),
            place,
        }
    }

    /// The next byte.
    pub fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    /// The byte `ahead` of the next one.
    pub fn peek_at(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        if at < self.end { Some(self.src[at]) } else { None }
    }

    /// Whether `text` comes next.
    pub fn starts(&self, text: &str) -> bool {
        self.src[self.at..self.end].starts_with(text.as_bytes())
    }

    /// Takes `text` where it comes next.
    pub fn take(&mut self, text: &str) -> bool {
        let is_next = self.starts(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// The text from `start` to `stop`.
    pub fn text(&self, start: usize, stop: usize) -> Cow<'a, str> {
        let bytes = &self.src[start..stop];
        // Only a part that begins or ends inside a character is not UTF-8.
        std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
    }

    /// The place from `start` to here.
    pub fn span(&self, start: usize) -> Span {
        self.place.unwrap_or(Span { start, end: self.at })
    }

    /// Notes a syntax error; the first one counts.
    pub fn note_error(&mut self, what: &'static str) {
        self.error.get_or_insert((self.at.min(self.end), what));
    }

    /// Reads one level deeper. Past the limit it skips the rest, and notes that.
    pub fn nested<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH {
            self.too_deep = true;
            self.at = self.end;
            return T::default();
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }

    /// Counts a word or a part. Past the limit nothing more is read.
    pub fn piece(&mut self) {
        self.pieces += 1;
        if self.pieces > PIECES {
            self.at = self.end;
        }
    }

    /// Skips one character, or one closing word.
    pub fn skip_one(&mut self) {
        let word = CLOSING.iter().find(|word| self.is_word(word));
        self.at = (self.at + word.map_or(1, |word| word.len())).min(self.end);
    }

    /// Skips blanks, line continuations and comments.
    pub fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\r') if matches!(self.peek_at(1), Some(b'\n') | None) => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                Some(b'\\') if self.starts("\\\r\n") => self.at += 3,
                Some(b'#') => {
                    while self.peek().is_some_and(|c| c != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips blanks and line ends. The bodies of here-documents follow a line end.
    pub fn lines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.at += 1;
            self.bodies();
        }
    }

    /// Reads the bodies of the here-documents of the last line.
    fn bodies(&mut self) {
        for wanted in std::mem::take(&mut self.pending) {
            let start = self.at;
            let mut stop = None;
            while self.at < self.end {
                let line = self.at;
                let length = memchr::memchr(b'\n', &self.src[line..self.end]);
                let line_end = length.map_or(self.end, |length| line + length);
                self.at = (line_end + 1).min(self.end);
                let mut text = &self.src[line..line_end];
                text = text.strip_suffix(b"\r").unwrap_or(text);
                while wanted.tabs && text.first() == Some(&b'\t') {
                    text = &text[1..];
                }
                // In `$(cat <<EOF ... EOF)` the delimiter stands before the bracket.
                if text == wanted.delimiter {
                    stop = Some(line);
                    break;
                }
            }
            // Without a delimiter the body goes to the end of the text, as in a shell.
            let stop = stop.unwrap_or(self.end);
            let parts = if wanted.quoted {
                vec![Part::Text { text: self.text(start, stop).into(), quoted: true }]
            } else {
                self.body_parts(start, stop)
            };
            // Each body is set once.
            let _ = wanted.body.set(parts);
        }
    }

    /// The parts of an unquoted body, with its substitutions.
    fn body_parts(&mut self, start: usize, stop: usize) -> Vec<Part> {
        let (at, end) = (self.at, self.end);
        (self.at, self.end) = (start, stop);
        let parts = self.nested(|reader| reader.quoted_parts(None));
        (self.at, self.end) = (at, end);
        parts
    }

    /// Whether a reserved word comes next.
    pub fn is_word(&self, word: &str) -> bool {
        self.starts(word) && self.peek_at(word.len()).is_none_or(is_delimiter)
    }

    /// Takes a reserved word where it comes next.
    pub fn take_word(&mut self, word: &str) -> bool {
        let is_next = self.is_word(word);
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    fn closes(&self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b'}') => self.is_word("}"),
            Some(b';') => matches!(self.peek_at(1), Some(b';' | b'&')),
            Some(b't' | b'd' | b'f' | b'e') => CLOSING.iter().any(|word| self.is_word(word)),
            _ => false,
        }
    }

    /// Reads commands up to a closing word or sign.
    pub fn list(&mut self) -> Vec<Node> {
        // Most nested lists are one command.
        let mut nodes = Vec::with_capacity(1);
        loop {
            self.lines();
            if self.peek() == Some(b';') && !self.closes() || self.peek() == Some(b'&') {
                // A shell rejects an empty command; it is harmless.
                self.at += 1;
                continue;
            }
            if self.closes() {
                return nodes;
            }
            let before = self.at;
            let node = self.and_or();
            self.blanks();
            let background = self.peek() == Some(b'&') && self.peek_at(1) != Some(b'&');
            if background {
                self.at += 1;
                nodes.extend(node.map(|node| Node::Background(Box::new(node))));
            } else {
                nodes.extend(node);
            }
            if self.at == before {
                self.note_error("a character that begins no command");
                self.skip_one();
            }
        }
    }

    fn and_or(&mut self) -> Option<Node> {
        self.joined(Self::pipeline, |reader| reader.take("&&") || reader.take("||"), Node::AndOr)
    }

    fn pipeline(&mut self) -> Option<Node> {
        self.joined(Self::stage, Self::pipe, Node::Pipeline)
    }

    /// Reads commands with signs between them. A single one stays itself.
    fn joined(
        &mut self,
        one: fn(&mut Self) -> Option<Node>,
        sign: fn(&mut Self) -> bool,
        join: fn(Vec<Node>) -> Node,
    ) -> Option<Node> {
        let first = one(self);
        self.blanks();
        if !sign(self) {
            return first;
        }
        let mut nodes: Vec<Node> = first.into_iter().collect();
        loop {
            self.lines();
            nodes.extend(one(self));
            self.blanks();
            if !sign(self) {
                break;
            }
        }
        if nodes.len() > 1 { Some(join(nodes)) } else { nodes.pop() }
    }

    /// Takes `|` or `|&`.
    fn pipe(&mut self) -> bool {
        let is_next = self.peek() == Some(b'|') && self.peek_at(1) != Some(b'|');
        if is_next {
            self.at += 1;
            self.take("&");
        }
        is_next
    }

    /// Reads one command of a pipeline.
    fn stage(&mut self) -> Option<Node> {
        self.blanks();
        while self.take_word("!") || self.times() {
            self.blanks();
        }
        self.command()
    }

    /// Takes `time` or `time -p` before a compound command. Before any other command it is a program.
    fn times(&mut self) -> bool {
        let start = self.at;
        if self.take_word("time") {
            self.blanks();
            if self.take_word("-p") {
                self.blanks();
            }
            if matches!(self.peek(), Some(b'(' | b'{' | b'['))
                || self.is_word("if")
                || self.is_word("for")
                || self.is_word("while")
            {
                return true;
            }
        }
        self.at = start;
        false
    }

    /// Reads a simple or a compound command; None where there is none.
    pub fn command(&mut self) -> Option<Node> {
        if self.closes() {
            return None;
        }
        if let Some(node) = self.compound() {
            return Some(node);
        }
        let start = self.at;
        let mut simple = Simple::default();
        loop {
            self.blanks();
            if self.redirect(&mut simple.redirects) {
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') if simple.words.len() == 1 && simple.assigns.is_empty() => {
                    if let Some(node) = self.function_after(&simple, start) {
                        return Some(node);
                    }
                    break;
                }
                Some(b'(') => {
                    // Patterns of `shopt -s extglob`, and flags of zsh; a shell rejects anything else.
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            // `declare a=(b c)` assigns, as do export, local, readonly and typeset.
            let may_assign = simple.words.is_empty() || is_declaration(&simple.words[0]);
            if may_assign && let Some(assign) = self.assign() {
                simple.assigns.push(assign);
                continue;
            }
            let before = self.at;
            let word = self.word();
            if self.at == before {
                break;
            }
            simple.words.push(word);
        }
        simple.span = self.span(start);
        let empty = simple.words.is_empty() && simple.assigns.is_empty() && simple.redirects.is_empty();
        if empty { None } else { Some(Node::Simple(simple)) }
    }
}

fn is_declaration(word: &Word) -> bool {
    matches!(word.parts.as_slice(), [Part::Text { text, .. }] if declares(text))
}

/// Whether an unquoted character ends a word.
pub fn is_delimiter(c: u8) -> bool {
    matches!(c, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
