//! Brace expansion: one word becomes several.

use crate::shell::Part;

/// The longest word that is expanded, in bytes.
const LONGEST: usize = 4096;

/// The most words that one expansion makes.
const BRACES: usize = 256;

/// The most characters that one expansion copies.
const WORK: usize = 64 << 10;

/// A character, or a part that braces do not split.
#[derive(Clone)]
enum Atom {
    Char(char),
    Part(Part),
}

/// Whether a word has unquoted braces.
pub fn has_braces(parts: &[Part]) -> bool {
    let unquoted =
        |sign: char| parts.iter().any(|part| matches!(part, Part::Text { text, quoted: false } if text.contains(sign)));
    unquoted('{') && unquoted('}')
}

/// The words of a brace expansion; None where it exceeds a limit.
pub fn braces(parts: &[Part]) -> Option<Vec<Vec<Part>>> {
    let length = |part: &Part| if let Part::Text { text, quoted: false } = part { text.len() } else { 1 };
    if parts.iter().map(length).sum::<usize>() > LONGEST {
        return None;
    }
    let mut atoms = Vec::new();
    for part in parts {
        match part {
            Part::Text { text, quoted: false } => atoms.extend(text.chars().map(Atom::Char)),
            part => atoms.push(Atom::Part(part.clone())),
        }
    }
    let mut open = vec![atoms];
    let mut whole = Vec::new();
    let mut work = 0_usize;
    while let Some(atoms) = open.pop() {
        work += atoms.len();
        if work > WORK {
            return None;
        }
        match first_brace(&atoms).filter(|_| open.len() + whole.len() < BRACES) {
            Some(words) => open.extend(words.into_iter().rev()),
            None => whole.push(atoms),
        }
    }
    Some(whole.into_iter().map(parts_of).collect())
}

/// The words that the first brace makes; None where there is no brace.
fn first_brace(atoms: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let is = |at: usize, sign: char| matches!(atoms.get(at), Some(Atom::Char(c)) if *c == sign);
    let mut starts: Vec<usize> = Vec::new();
    let mut commas: Vec<Vec<usize>> = Vec::new();
    for at in 0..atoms.len() {
        if is(at, '{') {
            starts.push(at);
            commas.push(Vec::new());
        } else if is(at, ',') {
            if let Some(commas) = commas.last_mut() {
                commas.push(at);
            }
        } else if is(at, '}')
            && let (Some(start), Some(commas)) = (starts.pop(), commas.pop())
        {
            let with = |inside: &[Atom]| [&atoms[..start], inside, &atoms[at + 1..]].concat();
            if !commas.is_empty() {
                let edges: Vec<usize> = std::iter::once(start).chain(commas).chain([at]).collect();
                return Some(edges.windows(2).take(BRACES).map(|pair| with(&atoms[pair[0] + 1..pair[1]])).collect());
            }
            if let Some(values) = sequence(&atoms[start + 1..at]) {
                let words = values.iter().map(|v| with(&v.chars().map(Atom::Char).collect::<Vec<_>>()));
                return Some(words.collect());
            }
        }
    }
    None
}

/// `1..9`, `a..e`.
fn sequence(atoms: &[Atom]) -> Option<Vec<String>> {
    let text: Option<String> =
        atoms.iter().map(|atom| if let Atom::Char(c) = atom { Some(*c) } else { None }).collect();
    let text = text?;
    let (from, to) = text.split_once("..")?;
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let range: Vec<i64> =
            if from <= to { (from..=to).take(BRACES).collect() } else { (to..=from).take(BRACES).collect() };
        return Some(range.iter().map(i64::to_string).collect());
    }
    let (mut from, mut to) = (from.chars(), to.chars());
    match (from.next(), from.next(), to.next(), to.next()) {
        (Some(a), None, Some(b), None) => Some((a.min(b)..=a.max(b)).take(BRACES).map(String::from).collect()),
        _ => None,
    }
}

fn parts_of(atoms: Vec<Atom>) -> Vec<Part> {
    let (mut parts, mut text) = (Vec::new(), String::new());
    let flush = |text: &mut String, parts: &mut Vec<Part>| {
        if !text.is_empty() {
            parts.push(Part::Text { text: std::mem::take(text).into(), quoted: false });
        }
    };
    for atom in atoms {
        match atom {
            Atom::Char(c) => text.push(c),
            Atom::Part(part) => {
                flush(&mut text, &mut parts);
                parts.push(part);
            }
        }
    }
    flush(&mut text, &mut parts);
    parts
}
