//! Values of expressions, as far as they are constant.

use super::effects::Code;
use super::tokens::{Language, Token};
use crate::command::known_variable;
use crate::command::marks::SOME;
use crate::shell::decode;

/// How deep nested calls are evaluated.
const NESTED: usize = 12;

impl Code {
    /// The sign at `at`; None for another token.
    pub fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Sign(c)) => Some(*c),
            _ => None,
        }
    }

    /// Records `name = value`, in order.
    pub fn assignments(&mut self) {
        self.imports();
        for at in 0..self.tokens.len() {
            if let (Token::Name(name), Some('=')) = (&self.tokens[at], self.sign(at + 1))
                && self.sign(at + 2) != Some('=')
            {
                let name = name.clone();
                let end = self.end_of(at + 2);
                if let Some(value) = self.value(at + 2, end).filter(|value| value.len() < 4096) {
                    self.variables.insert(name, value);
                }
            }
        }
    }

    /// Records imported names: `import x as y`, `from x import y as z`, `import {x as y} from`.
    fn imports(&mut self) {
        let word = |at: usize| match self.tokens.get(at) {
            Some(Token::Name(name)) => name.as_str(),
            _ => "",
        };
        let (mut aliases, mut loop_variables) = (Vec::new(), Vec::new());
        let mut module = "";
        let mut listed = false;
        for at in 0..self.tokens.len() {
            match word(at) {
                "from" => {
                    module = word(at + 1);
                    listed = false;
                }
                "import" => listed = true,
                // `from subprocess import run`
                name if listed
                    && name != "as"
                    && !module.is_empty()
                    && !name.is_empty()
                    && word(at + 1) != "as"
                    && word(at - 1) != "as" =>
                {
                    aliases.push((name.to_string(), format!("{module}.{name}")));
                }
                // `{execFileSync: run} = require('child_process')`
                name if self.sign(at + 1) == Some(':') && !word(at + 2).is_empty() && self.is_required(at) => {
                    aliases.push((word(at + 2).to_string(), name.to_string()));
                }
                // `for dir in ['/etc', '/usr']`: the first value stands for all.
                "in" if at > 0 && self.sign(at + 1).is_some_and(|c| "[(".contains(c)) => {
                    if let Some(Token::Text(first)) = self.tokens.get(at + 2) {
                        loop_variables.push((word(at - 1).to_string(), first.clone()));
                    }
                }
                "as" if at > 0 => {
                    let known = word(at - 1);
                    let first = known.is_empty() || word(at + 1).is_empty();
                    let whole = if module.is_empty() { known.to_string() } else { format!("{module}.{known}") };
                    aliases.extend((!first).then(|| (word(at + 1).to_string(), whole)));
                }
                _ if self.sign(at) == Some('\n') || self.sign(at) == Some(';') => (module, listed) = ("", false),
                _ => {}
            }
        }
        self.aliases.extend(aliases);
        self.variables.extend(loop_variables);
    }

    /// Whether names in braces are taken from a required module.
    fn is_required(&self, at: usize) -> bool {
        let rest = self.tokens.get(at..(at + 40).min(self.tokens.len())).unwrap_or_default();
        let Some(end) = rest.iter().position(|token| *token == Token::Sign('}')) else { return false };
        rest.get(end + 1) == Some(&Token::Sign('='))
            && matches!(rest.get(end + 2), Some(Token::Name(name)) if name == "require")
    }

    /// A name under its name in the imported module.
    pub fn resolve_import(&self, name: &str) -> String {
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        match (self.aliases.get(first), rest) {
            (Some(known), Some(rest)) => format!("{known}.{rest}"),
            (Some(known), None) => known.clone(),
            (None, _) => name.to_string(),
        }
    }

    /// The end of the expression that begins at `at`.
    pub fn end_of(&self, mut at: usize) -> usize {
        let mut open = 0_usize;
        let most = at + 200;
        while at < self.tokens.len() && at < most {
            match self.tokens[at] {
                Token::Sign('(' | '[' | '{') => open += 1,
                Token::Sign(')' | ']' | '}') if open == 0 => return at,
                Token::Sign(')' | ']' | '}') => open -= 1,
                Token::Sign(',' | ';' | '\n') if open == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// The arguments of the call whose name is at `at`, as ranges of tokens.
    pub fn arguments(&self, at: usize) -> Vec<(usize, usize)> {
        let bracket = self.sign(at + 1) == Some('(');
        let mut from = if bracket { at + 2 } else { at + 1 };
        let mut found = Vec::new();
        while from < self.tokens.len() && found.len() < 32 {
            let end = self.end_of(from);
            if end > from {
                found.push((from, end));
            }
            if self.sign(end) != Some(',') {
                break;
            }
            from = end + 1;
            // A list may continue on the next line.
            while self.sign(from) == Some('\n') {
                from += 1;
            }
        }
        found
    }

    /// The value of an expression where it is constant.
    pub fn value(&self, from: usize, to: usize) -> Option<String> {
        if self.depth.get() >= NESTED {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let value = self.evaluate(from, to);
        self.depth.set(self.depth.get() - 1);
        value
    }

    fn evaluate(&self, from: usize, to: usize) -> Option<String> {
        let mut text = String::new();
        let mut at = from;
        let mut any = false;
        while at < to {
            match &self.tokens[at] {
                Token::Text(piece) => {
                    text.push_str(&self.interpolated(piece));
                    at += 1;
                }
                Token::Sign('+' | '.' | '\n' | '(' | ')') => {
                    at += 1;
                    continue;
                }
                // `['.claude', 'x'].join('/')`
                Token::Sign('[') => {
                    let (joined, end) = self.joined_list(at, to)?;
                    text.push_str(&joined);
                    at = end;
                }
                // `Path('/') / 'etc'`
                Token::Sign('/') => {
                    text.push('/');
                    at += 1;
                    continue;
                }
                // `$_SERVER["HOME"] . "/x"`
                Token::Name(name) if name == "." => {
                    at += 1;
                    continue;
                }
                Token::Name(name) => {
                    let last = name.rsplit('.').next().unwrap_or("");
                    let nested = || {
                        let arguments = self.arguments(at);
                        let values: Option<Vec<String>> =
                            arguments.iter().map(|(from, to)| self.value(*from, *to)).collect();
                        (values, arguments.last().map_or(at + 1, |(_, to)| to + 1))
                    };
                    let is_home = matches!(last, "homedir" | "home_dir" | "user_home")
                        || name.ends_with("Path.home")
                        || name.ends_with("Dir.home")
                        || last == "home";
                    let environment = name.contains("env")
                        || matches!(name.as_str(), "$ENV" | "ENV")
                        || last == "getenv"
                        || last.ends_with("_SERVER")
                        || last.ends_with("_ENV");
                    // `"/".join(['.claude', 'x'])`
                    if last == "join"
                        && name.starts_with('.')
                        && matches!(self.tokens.get(at.wrapping_sub(1)), Some(Token::Text(_)))
                        && let Some((from, list_end)) = self.arguments(at).first().copied()
                        && let (Some(words), Some(Token::Text(sign))) =
                            (self.list(from, list_end), self.tokens.get(at - 1))
                    {
                        text.truncate(text.len() - self.interpolated(sign).len());
                        text.push_str(&words.join(sign));
                        at = list_end + 1;
                        any = true;
                        continue;
                    }
                    if matches!(
                        name.as_str(),
                        "os.getcwd" | "getcwd" | "process.cwd" | "Dir.pwd" | "Path.cwd" | "pathlib.Path.cwd"
                    ) {
                        text.push('.');
                        at += 1;
                    } else if name == "Dir" && self.sign(at + 1) == Some('[') {
                        // `Dir["*"]` has the pattern as its value.
                        let Some(Token::Text(pattern)) = self.tokens.get(at + 2) else { return None };
                        text.push_str(pattern);
                        at += 4;
                    } else if is_home || name.ends_with("env.HOME") {
                        text.push_str(&self.home);
                        at += 1;
                    } else if let Some((value, end)) = environment.then(|| self.environment_value(at, to)).flatten() {
                        text.push_str(&value);
                        at = end;
                    } else if matches!(
                        last,
                        "expanduser"
                            | "File"
                            | "Path"
                            | "PurePath"
                            | "PosixPath"
                            | "realpath"
                            | "abspath"
                            | "resolve"
                            | "join"
                            | "expand_path"
                            | "normalize"
                            | "glob"
                            | "String"
                            | "str"
                            | "format"
                    ) {
                        let (values, end) = nested();
                        text.push_str(&self.join_path(&values?));
                        at = end;
                    } else if matches!(
                        last,
                        "b64decode" | "decode_base64" | "atob" | "decode64" | "base64_decode" | "urlsafe_b64decode"
                    ) || name == "Buffer.from"
                    {
                        let (values, end) = nested();
                        text.push_str(&decode::base64(values?.first()?)?);
                        at = end;
                    } else if matches!(last, "fromhex" | "unhexlify" | "hex2bin") {
                        let (values, end) = nested();
                        text.push_str(&decode::hexadecimal(values?.first()?)?);
                        at = end;
                    } else if matches!(
                        last,
                        "decode" | "toString" | "strip" | "trim" | "encode" | "require" | "__import__" | "import"
                    ) {
                        at = nested().1.max(at + 1);
                        continue;
                    } else if let Some(value) = self.variables.get(name) {
                        text.push_str(value);
                        at += 1;
                    } else {
                        return None;
                    }
                }
                _ => return None,
            }
            any = true;
        }
        any.then_some(text)
    }

    /// The value of a well-known variable of the environment, and the end of its expression: `os.environ['HOME']`.
    fn environment_value(&self, at: usize, to: usize) -> Option<(String, usize)> {
        let dotted = match &self.tokens[at] {
            Token::Name(name) => name.rsplit('.').next().and_then(|last| known_variable(last, &self.home)),
            _ => None,
        };
        if let Some(value) = dotted {
            return Some((value, at + 1));
        }
        let near = self.tokens.get(at..to.min(at + 5)).unwrap_or_default();
        let (place, value) = near.iter().enumerate().find_map(|(place, token)| match token {
            Token::Text(name) | Token::Name(name) => Some((place, known_variable(name, &self.home)?)),
            _ => None,
        })?;
        // The bracket after the name belongs to it, with what stands for the value where the variable is not set.
        let open = near[..place].iter().any(|token| matches!(token, Token::Sign('(' | '[' | '{')));
        let mut end = at + place + 1;
        while open && end < to && !matches!(self.tokens[end], Token::Sign(')' | ']' | '}')) {
            end += 1;
        }
        Some((value, if open { (end + 1).min(to) } else { end }))
    }

    /// The value of a list that is joined by a method, and the end of the expression.
    fn joined_list(&self, at: usize, to: usize) -> Option<(String, usize)> {
        let words = self.list(at, to)?;
        let end = (at..to).find(|end| self.sign(*end) == Some(']'))? + 1;
        match self.tokens.get(end) {
            Some(Token::Name(name)) if name == ".join" || name == "join" => {
                let (from, to) = self.arguments(end).first().copied()?;
                Some((words.join(&self.value(from, to)?), to + 1))
            }
            _ => None,
        }
    }

    /// The components of a path, joined.
    pub fn join_path(&self, values: &[String]) -> String {
        let text = values.join("/");
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.home),
            _ => text,
        }
    }

    /// A string with a mark for each interpolated expression.
    pub fn interpolated(&self, text: &str) -> String {
        let sign = match self.language {
            Language::Script => "${",
            Language::Ruby => "#{",
            _ => return text.to_string(),
        };
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(sign) {
            out.push_str(&rest[..at]);
            out.push(SOME);
            rest = rest[at..].find('}').map_or("", |end| &rest[at + end + 1..]);
        }
        out.push_str(rest);
        out
    }

    /// The elements of the list that begins at `from`.
    pub fn list(&self, from: usize, to: usize) -> Option<Vec<String>> {
        if self.sign(from) != Some('[') {
            return None;
        }
        let mut words = Vec::new();
        let mut at = from + 1;
        while at < to {
            let end = self.end_of(at).min(to);
            if end > at {
                words.push(self.value(at, end).unwrap_or_else(|| SOME.to_string()));
            }
            if self.sign(end) == Some(']') {
                break;
            }
            at = end + 1;
        }
        Some(words)
    }

    /// The receiver of the method at `at`: `Path('/etc')` of `Path('/etc').unlink()`.
    pub fn receiver(&self, at: usize) -> Option<String> {
        let mut open = 0_usize;
        let mut start = at;
        while start > 0 {
            start -= 1;
            match &self.tokens[start] {
                Token::Sign(')' | ']') => open += 1,
                Token::Sign('(' | '[') if open == 0 => return None,
                Token::Sign('(' | '[') => open -= 1,
                Token::Name(name) if open == 0 && !name.starts_with('.') => return self.value(start, at),
                Token::Text(_) if open == 0 => return self.value(start, at),
                _ => {}
            }
            if at - start > 40 {
                return None;
            }
        }
        None
    }
}
