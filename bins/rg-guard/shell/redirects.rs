//! Redirections and assignments.

use super::reader::{Pending, Reader};
use super::tree::*;

impl Reader<'_> {
    /// Reads one redirection; false where there is none.
    pub fn redirect(&mut self, into: &mut Vec<Redirect>) -> bool {
        let start = self.at;
        let mut fd = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            fd = Some(fd.unwrap_or(0_u32).saturating_mul(10).saturating_add(u32::from(digit - b'0')));
            self.at += 1;
        }
        if self.peek() == Some(b'{') && fd.is_none() {
            // `{name}>file`
            let mut ahead = 1;
            while self.peek_at(ahead).is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_') {
                ahead += 1;
            }
            if ahead > 1 && self.peek_at(ahead) == Some(b'}') && matches!(self.peek_at(ahead + 1), Some(b'<' | b'>')) {
                self.at += ahead + 1;
                fd = Some(u32::MAX);
            }
        }
        let process = matches!(self.peek(), Some(b'<' | b'>')) && self.peek_at(1) == Some(b'(') && fd.is_none();
        let found = if process { None } else { self.direction() };
        let Some((direction, tabs)) = found else {
            self.at = start;
            return false;
        };
        self.blanks();
        let target = self.word();
        let body = (direction == Direction::Heredoc).then(|| {
            let (delimiter, quoted) = plain_text(&target);
            let body = Body::default();
            self.pending.push(Pending { body: body.clone(), delimiter: delimiter.into_bytes(), quoted, tabs });
            body
        });
        into.push(Redirect { fd, direction, target, body });
        true
    }

    /// Reads the sign of a redirection: its kind, and whether it strips tabs.
    pub fn direction(&mut self) -> Option<(Direction, bool)> {
        let table: [(&str, Direction, bool); 12] = [
            ("&>>", Direction::Append, false),
            ("&>", Direction::Write, false),
            ("<<<", Direction::Herestring, false),
            ("<<-", Direction::Heredoc, true),
            ("<<", Direction::Heredoc, false),
            ("<>", Direction::Both, false),
            ("<&", Direction::Copy, false),
            (">>", Direction::Append, false),
            (">&", Direction::Copy, false),
            (">|", Direction::Write, false),
            ("<", Direction::Read, false),
            (">", Direction::Write, false),
        ];
        if !matches!(self.peek(), Some(b'<' | b'>' | b'&')) {
            return None;
        }
        let found = table.iter().find(|(sign, _, _)| self.starts(sign))?;
        self.at += found.0.len();
        Some((found.1, found.2))
    }

    /// Reads `name=value`; None where there is none.
    pub fn assign(&mut self) -> Option<Assign> {
        let start = self.at;
        let mut ahead = 0;
        while self.peek_at(ahead).is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_') {
            ahead += 1;
        }
        if ahead == 0 || self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return None;
        }
        let name_end = start + ahead;
        // `name[index]=value`
        let mut subscript = None;
        if self.peek_at(ahead) == Some(b'[') {
            let close = (1..64).find(|more| matches!(self.peek_at(ahead + more), Some(b']' | b' ' | b'\n') | None))?;
            if self.peek_at(ahead + close) != Some(b']') {
                return None;
            }
            let inside = &self.src[start + ahead + 1..start + ahead + close];
            subscript = Some(String::from_utf8_lossy(inside).trim_matches(['"', '\'']).to_string());
            ahead += close + 1;
        }
        let append = self.peek_at(ahead) == Some(b'+') && self.peek_at(ahead + 1) == Some(b'=');
        if !append && self.peek_at(ahead) != Some(b'=') {
            return None;
        }
        let name = self.text(start, name_end).into_owned();
        self.at = start + ahead + 1 + usize::from(append);
        if self.peek() != Some(b'(') {
            return Some(Assign { name, subscript, append, value: Assigned::One(self.word()) });
        }
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.lines();
            if self.take(")") || self.peek().is_none() {
                break;
            }
            let before = self.at;
            words.push(self.word());
            if self.at == before {
                self.at += 1;
            }
        }
        Some(Assign { name, subscript, append, value: Assigned::Many(words) })
    }
}

/// The literal text of a here-document's delimiter, and whether any of it is quoted.
fn plain_text(word: &Word) -> (String, bool) {
    let mut all = String::new();
    let mut any = false;
    for part in &word.parts {
        match part {
            Part::Text { text, quoted } => {
                all.push_str(text);
                any |= quoted;
            }
            Part::Variable { name, .. } => {
                all.push('$');
                all.push_str(name);
            }
            _ => {}
        }
    }
    (all, any)
}
