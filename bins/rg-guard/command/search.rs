//! What `find` and `fd` look through, and what their actions are done to.

use super::call::Call;
use super::flags::flags;
use super::marks;

/// What a search, or one action of it, goes through.
pub struct Search {
    pub places: Vec<String>,
    /// Only some of what is there: by a name, an age, a size.
    pub is_selective: bool,
    /// The one name that it looks for.
    pub name: Option<String>,
}

/// Whatever the search finds.
pub fn search(call: &Call) -> Search {
    search_at(call, call.args.len())
}

/// What is left when the word at `end` is reached: an action stands behind the tests of its own alternative only.
pub fn search_at(call: &Call, end: usize) -> Search {
    let (mut places, mut tests) = (Vec::new(), Tests::default());
    if matches!(call.name.as_str(), "fd" | "fdfind") {
        let found = flags(
            &call.args,
            "-e -t -d -E -x -X -c -S -j --extension --type --max-depth --exclude --exec --exec-batch --size",
        );
        let pattern = found.operand(0);
        tests.is_selective = found.any(&["-e", "--extension", "-S"]) || !pattern.is_empty() && pattern != ".";
        places.extend(found.operands.iter().skip(1).map(|arg| arg.text.clone()));
    } else {
        let mut at = 0;
        let text = |at: usize| call.args.get(at).map(|arg| arg.text.as_str());
        while text(at).is_some_and(|text| matches!(text, "-L" | "-H" | "-P") || text.starts_with("-O")) {
            at += 1;
        }
        while let Some(place) = text(at).filter(|text| !text.starts_with(['-', '(', '!'])) {
            places.push(place.to_string());
            at += 1;
        }
        let is_whole = end >= call.args.len();
        let words: Vec<&str> = call.args[at..end.max(at)].iter().map(|arg| arg.text.as_str()).collect();
        tests = expression(words.iter().copied(), is_whole);
    }
    if places.is_empty() {
        places.push(".".to_string());
    }
    Search { places, is_selective: tests.is_selective, name: tests.name }
}

/// What tests leave.
#[derive(Default)]
struct Tests {
    is_selective: bool,
    name: Option<String>,
}

/// Alternatives up to the end or a closing parenthesis. `whole`: whatever any of them lets through; else only the last one
/// counts, which is still open.
fn expression<'a>(words: impl Iterator<Item = &'a str>, whole: bool) -> Tests {
    // Each with what it is so far, and whether it is a negation.
    let mut open: Vec<(Vec<Tests>, Tests, bool)> = vec![(Vec::new(), Tests::default(), false)];
    let (mut negated, mut words) = (false, words.peekable());
    while let Some(word) = words.next() {
        let depth = open.len();
        let Some((before, now, _)) = open.last_mut() else { break };
        match word {
            "(" => open.push((Vec::new(), Tests::default(), negated)),
            ")" if depth > 1 => {
                let Some((mut all, last, all_but)) = open.pop() else { break };
                all.push(last);
                let group = either(all);
                if let Some((_, now, _)) = open.last_mut().filter(|_| !all_but) {
                    now.is_selective |= group.is_selective;
                    now.name = now.name.take().or(group.name);
                }
            }
            "-o" | "-or" | "," => before.push(std::mem::take(now)),
            // All but some is as good as all.
            "!" | "-not" => {
                negated = true;
                continue;
            }
            word if negated && word.starts_with('-') => drop(words.next_if(|word| !word.starts_with(['-', '(', ')']))),
            "-exec" | "-execdir" | "-ok" | "-okdir" => drop(words.find(|word| matches!(*word, ";" | "+"))),
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" => {
                let pattern = words.next().unwrap_or("");
                let wild = |c: char| marks::is_mark(c) || matches!(c, '*' | '?' | '[');
                let of_names = matches!(word, "-name" | "-iname");
                if of_names && !pattern.contains(wild) {
                    now.name = Some(pattern.to_string());
                }
                let plain = marks::literal(pattern);
                // A repository's own directory is named by any part of a path.
                if !of_names && plain.split('/').any(|part| part.trim_end_matches('*') == ".git") {
                    now.name = Some(".git".to_string());
                }
                now.is_selective |= !plain.trim_matches(['*', '.', '/', '?']).is_empty();
            }
            "-empty" | "-newer" | "-mtime" | "-mmin" | "-ctime" | "-cmin" | "-atime" | "-amin" | "-size" | "-perm"
            | "-xtype" | "-inum" | "-samefile" | "-links" | "-newermt" => now.is_selective = true,
            _ => {}
        }
        negated = false;
    }
    let (mut all, last, _) = open.pop().unwrap_or_default();
    // What stands before an action that is in parentheses holds for it as well.
    let outer = open.into_iter().map(|(_, now, _)| now).fold(Tests::default(), both);
    if !whole || all.is_empty() {
        return both(outer, last);
    }
    all.push(last);
    both(outer, either(all))
}

fn both(a: Tests, b: Tests) -> Tests {
    Tests { is_selective: a.is_selective || b.is_selective, name: b.name.or(a.name) }
}

/// Whatever one of them lets through.
fn either(all: Vec<Tests>) -> Tests {
    let is_selective = all.iter().all(|tests| tests.is_selective);
    Tests { is_selective, name: all.into_iter().find_map(|tests| tests.name) }
}
