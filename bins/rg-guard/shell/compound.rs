//! Compound commands: groups, subshells, loops, conditions, functions.

use super::reader::Reader;
use super::tree::*;
use std::rc::Rc;

impl Reader<'_> {
    /// Reads a compound command; None where there is none.
    pub fn compound(&mut self) -> Option<Node> {
        let start = self.at;
        let shape = match self.peek()? {
            b'(' if self.starts("((") && !self.not_arithmetic.contains(&start) => self.double_bracket(start),
            b'(' => {
                self.at += 1;
                let body = self.nested(Self::list);
                self.close(")");
                Some(Shape::Subshell(body))
            }
            b'{' if self.take_word("{") => {
                let body = self.nested(Self::list);
                self.close("}");
                Some(Shape::Group(body))
            }
            b'[' if self.take_word("[[") => Some(Shape::Test(self.test_words())),
            b'i' if self.take_word("if") => Some(self.condition()),
            b'w' | b'u' if self.take_word("while") || self.take_word("until") => {
                let condition = self.nested(Self::list);
                Some(Shape::While(condition, self.body()))
            }
            b'f' | b's' if self.take_word("for") || self.take_word("select") => Some(self.for_loop()),
            b'c' if self.take_word("case") => Some(self.case()),
            b'f' if self.take_word("function") => self.function(),
            b'c' if self.take_word("coproc") => self.coproc(),
            _ => None,
        };
        let Some(shape) = shape else {
            self.at = start;
            return None;
        };
        let mut redirects = Vec::new();
        if !matches!(shape, Shape::Function(..)) {
            loop {
                self.blanks();
                if !self.redirect(&mut redirects) {
                    break;
                }
            }
        }
        Some(Node::Compound(Box::new(Compound { shape, redirects, span: self.span(start) })))
    }

    /// Takes the closing word, or notes the error.
    pub fn close(&mut self, word: &str) {
        self.lines();
        let is_sign = matches!(word, ")" | "}" | "))");
        let taken = if is_sign { self.take(word) } else { self.take_word(word) };
        if !taken {
            self.note_error("something that is not closed");
        }
    }

    /// Reads `do ... done`, or braces in their place.
    fn body(&mut self) -> Vec<Node> {
        self.lines();
        while self.peek() == Some(b';') {
            self.at += 1;
            self.lines();
        }
        if self.take_word("{") {
            let body = self.nested(Self::list);
            self.close("}");
            return body;
        }
        if !self.take_word("do") {
            self.note_error("a loop without do");
        }
        let body = self.nested(Self::list);
        self.close("done");
        body
    }

    fn condition(&mut self) -> Shape {
        let mut arms = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            let condition = self.nested(Self::list);
            if !self.take_word("then") {
                self.note_error("an if without then");
            }
            arms.push((condition, self.nested(Self::list)));
            if self.take_word("elif") {
                continue;
            }
            if self.take_word("else") {
                otherwise = self.nested(Self::list);
            }
            self.close("fi");
            return Shape::If(arms, otherwise);
        }
    }

    fn for_loop(&mut self) -> Shape {
        self.blanks();
        if self.starts("((") {
            self.at += 2;
            let parts = self.nested(|reader| reader.arithmetic()).unwrap_or_default();
            return Shape::Count(parts, self.body());
        }
        let name = self.name();
        self.lines();
        let words = self.take_word("in").then(|| {
            let mut words = Vec::new();
            loop {
                self.blanks();
                if matches!(self.peek(), None | Some(b'\n' | b';' | b'&' | b'|' | b')')) {
                    return words;
                }
                let before = self.at;
                words.push(self.word());
                if self.at == before {
                    self.at += 1;
                }
            }
        });
        Shape::For(name, words, self.body())
    }

    fn case(&mut self) -> Shape {
        self.blanks();
        let subject = self.word();
        self.lines();
        if !self.take_word("in") {
            self.note_error("a case without in");
        }
        let mut arms = Vec::new();
        loop {
            self.lines();
            if self.take_word("esac") {
                break;
            }
            if self.peek().is_none() {
                self.note_error("a case without esac");
                break;
            }
            let before = self.at;
            self.take("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word());
                self.blanks();
                if !self.take("|") {
                    break;
                }
            }
            if !self.take(")") {
                self.note_error("a case pattern without its bracket");
            }
            let body = self.nested(Self::list);
            let ended = self.take(";;&") || self.take(";;") || self.take(";&") || self.is_word("esac");
            if !ended && self.at == before {
                self.skip_one();
            }
            arms.push((patterns, body));
        }
        Shape::Case(subject, arms)
    }

    fn name(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| !super::reader::is_delimiter(c) && c != b'{' && c != b'}') {
            self.at += 1;
        }
        self.text(start, self.at).into_owned()
    }

    fn function(&mut self) -> Option<Shape> {
        self.blanks();
        let name = self.name();
        self.blanks();
        if self.take("(") {
            self.blanks();
            self.take(")");
        }
        Some(Shape::Function(name, self.function_body()))
    }

    fn function_body(&mut self) -> Rc<Vec<Node>> {
        self.lines();
        let body = self.nested(|reader| reader.compound().into_iter().collect::<Vec<_>>());
        if body.is_empty() {
            self.note_error("a function without a body");
        }
        Rc::new(body)
    }

    /// Reads `() body` after a name that was read as a word.
    pub fn function_after(&mut self, simple: &Simple, start: usize) -> Option<Node> {
        let mut ahead = 1;
        while matches!(self.peek_at(ahead), Some(b' ' | b'\t')) {
            ahead += 1;
        }
        if self.peek_at(ahead) != Some(b')') {
            self.note_error("a bracket inside of a command");
            self.at += 1;
            return None;
        }
        let name = match simple.words[0].parts.as_slice() {
            [Part::Text { text, quoted: false }] => text.to_string(),
            _ => return None,
        };
        self.at += ahead + 1;
        let body = self.function_body();
        let shape = Shape::Function(name, body);
        Some(Node::Compound(Box::new(Compound { shape, redirects: Vec::new(), span: self.span(start) })))
    }

    /// `coproc NAME { ...; }` and `coproc command`.
    fn coproc(&mut self) -> Option<Shape> {
        self.blanks();
        let start = self.at;
        let name = self.name();
        self.blanks();
        let named = !name.is_empty() && matches!(self.peek(), Some(b'{' | b'('));
        if !named {
            self.at = start;
        }
        let body = self.nested(|reader| {
            let one = reader.compound();
            match one {
                Some(node) => vec![node],
                None => reader.one_command(),
            }
        });
        Some(Shape::Subshell(body))
    }

    /// The words of `[[ ... ]]`.
    fn test_words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.lines();
            if self.take_word("]]") {
                return words;
            }
            match self.peek() {
                None => {
                    self.note_error("a [[ without ]]");
                    return words;
                }
                Some(b'(' | b')' | b'<' | b'>' | b'&' | b'|' | b';') => self.at += 1,
                _ => {
                    let before = self.at;
                    words.push(self.word());
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    /// `((...))`, or two subshells.
    fn double_bracket(&mut self, start: usize) -> Option<Shape> {
        self.at += 2;
        match self.nested(|reader| reader.arithmetic()) {
            Some(parts) => Some(Shape::Arithmetic(parts)),
            None => {
                self.not_arithmetic.insert(start);
                self.at = start + 1;
                let body = self.nested(Self::list);
                self.close(")");
                Some(Shape::Subshell(body))
            }
        }
    }
}
