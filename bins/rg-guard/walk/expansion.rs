//! Expansion: words become arguments, by variables, substitutions, splitting, braces and tildes.

use super::braces::{braces, has_braces};
use super::scope::{MAX_ALTERNATIVES, Values};
use super::simple_command::expanding_again;
use super::walker::{Io, Walker};
use crate::command::Arg;
use crate::command::marks::{self, BRACKET, SOME, UNSET, is_unknown};
use crate::shell::{Assign, Assigned, Op, Part, Span, Word};
use std::borrow::Cow;
use std::rc::Rc;

/// The arguments of a word while it is expanded: the alternatives of the open one, and the complete ones.
#[derive(Default)]
struct Fields {
    open: Option<Vec<String>>,
    whole: Vec<String>,
}

impl Fields {
    fn push(&mut self, text: &str) {
        match &mut self.open {
            Some(all) => all.iter_mut().for_each(|open| open.push_str(text)),
            None => self.open = Some(vec![text.to_string()]),
        }
    }

    /// Appends each value to each alternative of the open argument.
    fn cross(&mut self, values: &[String]) {
        let open = self.open.take().unwrap_or_else(|| vec![String::new()]);
        let all = open.iter().flat_map(|open| values.iter().map(move |value| format!("{open}{value}")));
        self.open = Some(all.take(MAX_ALTERNATIVES).collect());
    }

    fn end(&mut self) {
        self.whole.extend(self.open.take().into_iter().flatten());
    }

    /// Appends an unquoted value: its separators end arguments.
    fn split(&mut self, text: &str, separators: &str) {
        let is_blank = |c: char| separators.contains(c);
        let mut pieces = text.split(is_blank).peekable();
        while let Some(piece) = pieces.next() {
            if !piece.is_empty() {
                self.push(&marks::with_wildcards(piece));
            }
            if pieces.peek().is_some() && self.open.is_some() {
                self.end();
            }
        }
    }
}

impl Walker<'_> {
    /// The arguments of a list of words.
    pub fn expand_all(&mut self, words: &[Word]) -> Vec<Arg> {
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            match plain_text(word) {
                Some(text) => {
                    self.spend(text.len());
                    out.push(Arg::new(text, word.span));
                }
                None => self.expand(word, &mut out),
            }
        }
        out
    }

    /// Adds the arguments of one word.
    fn expand(&mut self, word: &Word, out: &mut Vec<Arg>) {
        if !has_braces(&word.parts) {
            return self.expand_plain(&word.parts, word.span, out);
        }
        let Some(words) = braces(&word.parts) else { return self.spend(usize::MAX) };
        for parts in words {
            self.expand_plain(&parts, word.span, out);
        }
    }

    /// Adds the arguments of parts without braces.
    fn expand_plain(&mut self, parts: &[Part], span: Span, out: &mut Vec<Arg>) {
        let mut fields = Fields::default();
        self.expand_parts(parts, &mut fields);
        for text in fields.whole.into_iter().chain(fields.open.into_iter().flatten()) {
            self.spend(text.len());
            out.push(Arg::new(text, span));
        }
    }

    fn expand_parts(&mut self, parts: &[Part], fields: &mut Fields) {
        for part in parts {
            match part {
                Part::Text { text, quoted: true } => fields.push(text),
                Part::Text { text, quoted: false } => {
                    let rest = if fields.open.is_none() { self.expand_tilde(text, fields) } else { text };
                    if fields.open.is_some() || !rest.is_empty() {
                        fields.push(&marks::with_wildcards(rest));
                    }
                }
                Part::Variable { name, op, quoted } => {
                    let values = self.expand_variable(name, op);
                    self.push_values(values, *quoted, matches!(op, Op::All) && name != "*", fields);
                }
                Part::Output { body, quoted } => {
                    let printed = self.substitution_output(body);
                    let trimmed = printed.trim_end_matches('\n').to_string();
                    self.push_values(Values::one(trimmed), *quoted, false, fields);
                }
                Part::Process { body, reads } => {
                    let path = self.process_substitution(body, *reads);
                    fields.push(&path);
                }
                Part::Arithmetic { parts } => {
                    let mut ignored = Fields::default();
                    self.expand_parts(parts, &mut ignored);
                    fields.push(&SOME.to_string());
                }
            }
        }
    }

    fn push_values(&mut self, values: Values, quoted: bool, each: bool, fields: &mut Fields) {
        let spent: usize = values.all.iter().map(String::len).sum();
        self.spend(spent);
        if self.is_exhausted() {
            fields.push(&SOME.to_string());
            return;
        }
        if values.is_list && (each || !quoted) {
            for (number, value) in values.all.iter().enumerate() {
                if number > 0 {
                    fields.end();
                }
                match quoted {
                    true => fields.push(value),
                    false => fields.split(value, " \t\n"),
                }
            }
            return;
        }
        let all = if values.is_list { vec![values.all.join(" ")] } else { values.all };
        match (all.as_slice(), quoted) {
            ([one], true) => fields.push(&marks::as_literal(one)),
            ([one], false) => {
                let separators = self.field_separators();
                fields.split(one, &separators);
            }
            (several, _) => {
                let plain: Vec<String> = several.iter().map(|value| marks::literal(value)).collect();
                fields.cross(&plain);
            }
        }
    }

    fn field_separators(&self) -> Cow<'static, str> {
        if !self.scope.changes_separators() {
            return Cow::Borrowed(" \t\n");
        }
        let ifs = self.scope.value("IFS").all.into_iter().next().unwrap_or_default();
        if ifs.contains(is_unknown) { Cow::Borrowed(" \t\n") } else { Cow::Owned(ifs) }
    }

    /// The values of `${name...}`.
    fn expand_variable(&mut self, name: &str, op: &Op) -> Values {
        match op {
            Op::Plain => {
                let mut values = self.scope.value(name);
                // `$list` is its first element.
                if values.is_list && !matches!(name, "@" | "*") {
                    values.all.truncate(1);
                    values.is_list = false;
                }
                values
            }
            Op::All => Values { is_list: true, ..self.scope.value(name) },
            Op::Element(subscript) => {
                self.expand_joined(subscript);
                Values { is_list: false, ..self.scope.value(name) }
            }
            Op::Length => Values::one(SOME),
            Op::Indirect => match self.scope.value(name).all.first().and_then(|name| marks::known_text(name)) {
                Some(name) => self.scope.value(&name),
                None => Values::one(UNSET),
            },
            Op::Default(parts) | Op::Assign(parts) => {
                if self.scope.is_set(name) {
                    let kept = self.scope.value(name);
                    if kept.all.iter().any(|value| !value.is_empty()) {
                        return kept;
                    }
                }
                let values = self.expand_joined(parts);
                if matches!(op, Op::Assign(_)) {
                    self.scope.set(name, values.clone());
                }
                values
            }
            Op::Alternate(parts) => {
                let mut values = self.expand_joined(parts);
                if !self.scope.is_set(name) {
                    values.all.push(String::new());
                }
                values
            }
            Op::Required(parts) => {
                self.expand_joined(parts);
                let values = self.scope.value(name);
                let known = !values.all.iter().any(|value| value.contains(UNSET) || value.is_empty());
                if known { values } else { Values::one(SOME) }
            }
            Op::Changed(parts) => {
                let how = self.expand_joined(parts).all.pop().unwrap_or_default();
                let mut values = self.scope.value(name);
                // `${name@P}` expands its value a second time.
                let prompts: Vec<String> =
                    values.all.iter().filter(|_| how == "@P").map(|value| expanding_again(value)).collect();
                for text in prompts {
                    self.in_subshell(|walker| walker.run_text(&text, None, &Io::default()));
                }
                for value in &mut values.all {
                    *value = changed(value, &how);
                }
                values
            }
        }
    }

    /// The value of parts without splitting.
    fn expand_joined(&mut self, parts: &[Part]) -> Values {
        let mut fields = Fields::default();
        self.expand_parts(parts, &mut fields);
        fields.end();
        Values::one(marks::literal(&fields.whole.join(" ")))
    }

    /// The text of a here-document, or of other double-quoted parts.
    pub fn expand_text(&mut self, parts: &[Part]) -> Rc<str> {
        if let [Part::Text { text, .. }] = parts {
            return text.clone();
        }
        self.expand_joined(parts).all.pop().unwrap_or_default().into()
    }

    /// The values of a word without splitting: the right side of an assignment, the target of a redirection.
    pub fn expand_unsplit(&mut self, word: &Word) -> Values {
        let mut fields = Fields::default();
        let parts: Vec<Part> = word.parts.iter().map(quoted_once_more).collect();
        self.expand_parts(&parts, &mut fields);
        let all = fields.open.take().unwrap_or_else(|| vec![String::new()]);
        Values {
            all: if fields.whole.is_empty() { all } else { vec![fields.whole.join(" ") + &all.concat()] },
            is_list: false,
        }
    }

    /// The values that an assignment assigns.
    pub fn assigned_values(&mut self, assign: &Assign) -> Values {
        let mut values = match &assign.value {
            Assigned::One(word) => self.expand_unsplit(word),
            Assigned::Many(words) => {
                // `[key]=value`
                let value =
                    |text: String| match text.strip_prefix(['[', BRACKET]).and_then(|rest| rest.split_once("]=")) {
                        Some((_, value)) => value.to_string(),
                        None => text,
                    };
                let all = self.expand_all(words).into_iter().map(|arg| value(arg.text)).collect();
                Values { all, is_list: true }
            }
        };
        if assign.append {
            let old = self.scope.value(&assign.name);
            if values.is_list || old.is_list {
                values = Values { all: old.all.into_iter().chain(values.all).collect(), is_list: true };
            } else {
                let both = old.all.iter().flat_map(|old| values.all.iter().map(move |new| format!("{old}{new}")));
                let unset = old.all == [UNSET.to_string()];
                values = if unset { values.clone() } else { Values { all: both.collect(), is_list: false } };
            }
        }
        let spent: usize = values.all.iter().map(String::len).sum();
        self.spend(spent);
        values
    }

    /// Pushes the home directory for `~` or `~user`, and returns the rest of the text.
    fn expand_tilde<'t>(&mut self, text: &'t str, fields: &mut Fields) -> &'t str {
        let Some(rest) = text.strip_prefix('~') else { return text };
        let name = rest.split('/').next().unwrap_or("");
        let home = match name {
            "" => self.scope.home.clone(),
            "+" => self.scope.cwd.clone(),
            "-" => self.scope.old_cwd.clone(),
            "root" => "/root".to_string(),
            name if name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) => {
                format!("/home/{name}")
            }
            _ => return text,
        };
        fields.push(&home);
        &rest[name.len()..]
    }
}

/// The text of a word that expands to itself.
fn plain_text(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [Part::Text { text, quoted: true }] => Some(text),
        [Part::Text { text, quoted: false }] if !text.is_empty() && !text.contains(['~', '{', '*', '?', '[']) => {
            Some(text)
        }
        _ => None,
    }
}

/// The part with its value unsplit. Its wildcards stay active.
fn quoted_once_more(part: &Part) -> Part {
    match part.clone() {
        Part::Variable { name, op, .. } => Part::Variable { name, op, quoted: true },
        Part::Output { body, .. } => Part::Output { body, quoted: true },
        part => part,
    }
}

/// `${name<how>}` of a known value, for the simple forms.
fn changed(value: &str, how: &str) -> String {
    if value.contains(is_unknown) {
        return value.chars().filter(|c| is_unknown(*c)).take(1).collect();
    }
    let numbers =
        how.strip_prefix(':').map(|rest| rest.split(':').map(|n| n.trim().parse::<usize>()).collect::<Vec<_>>());
    match (numbers.as_deref(), how) {
        (Some([Ok(start)]), _) => value.chars().skip(*start).collect(),
        (Some([Ok(start), Ok(count)]), _) => value.chars().skip(*start).take(*count).collect(),
        (_, "##*/") => value.rsplit('/').next().unwrap_or("").to_string(),
        (_, "%/*") => value.rsplit_once('/').map_or(value, |(above, _)| above).to_string(),
        (_, "^^") => value.to_uppercase(),
        (_, ",," | "@L") => value.to_lowercase(),
        (_, "@U") => value.to_uppercase(),
        (_, "@E") => crate::shell::decode::unescape(value),
        (_, "@P" | "@Q" | "@A" | "@K" | "@k") => value.to_string(),
        (_, how) if how.starts_with('/') => {
            let mut pieces = how.trim_start_matches('/').splitn(2, '/');
            let (from, to) = (pieces.next().unwrap_or(""), pieces.next().unwrap_or(""));
            match (from.is_empty() || from.contains(['*', '?', '[']), how.starts_with("//")) {
                (true, _) => SOME.to_string(),
                (_, true) => value.replace(from, to),
                (_, false) => value.replacen(from, to, 1),
            }
        }
        (_, how) if how.starts_with(['%', '#']) => {
            let cut = how.trim_start_matches(['%', '#']);
            let rest = if how.starts_with('%') { value.strip_suffix(cut) } else { value.strip_prefix(cut) };
            // A pattern removes a part of the value: at worst nothing.
            rest.unwrap_or(value).to_string()
        }
        _ => SOME.to_string(),
    }
}
