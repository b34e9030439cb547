//! The expressions of `find` and `fd`: where they search, and what their tests select.

use super::call::Call;
use super::flags::flags;
use super::marks;

/// Directories that keep their name in the result of a search by path: git's own, and those of clients.
const KEPT_DIRS: [&str; 5] = [".git", ".claude", ".codex", ".gemini", ".cursor"];

/// What a search, or one action of it, applies to.
pub struct Search {
    pub places: Vec<String>,
    /// Whether the tests select some files only: by a name, an age, a size.
    pub is_selective: bool,
    /// The one name that the tests select.
    pub name: Option<String>,
}

/// Whether a pattern of names that a search applies matches git's own directory, and no test leaves that directory out.
fn may_find_git(call: &Call, pattern: &str) -> bool {
    let texts = || call.args.iter().map(|arg| arg.text.as_str());
    let is_files = texts().zip(texts().skip(1)).any(|pair| pair == ("-type", "f"));
    let mut places = texts().take_while(|text| !text.starts_with(['-', '(', '!']));
    // A directory of the project has none of its own.
    let is_top = places.all(|place| place.starts_with(['/', '.', marks::TOP]) && !place.starts_with(".git"));
    let leaves_out = texts().any(|text| text.split('/').any(|part| part == ".git"));
    is_top && !is_files && !leaves_out && marks::matches_name(&marks::with_wildcards(pattern), ".git")
}

/// What the whole search finds.
pub fn search(call: &Call) -> Search {
    search_at(call, call.args.len())
}

/// What reaches the argument at `end`. An action sees what the tests of its own alternative let through.
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
        let named = words.windows(2).filter(|pair| matches!(pair[0], "-name" | "-iname"));
        let mut patterns = named.map(|pair| marks::literal(pair[1])).filter(|pattern| pattern.starts_with('.'));
        if tests.name.is_none() && patterns.any(|pattern| may_find_git(call, &pattern)) {
            tests.name = Some(".git".to_string());
        }
    }
    if places.is_empty() {
        places.push(".".to_string());
    }
    Search { places, is_selective: tests.is_selective, name: tests.name }
}

/// What a sequence of tests selects.
#[derive(Default)]
struct Tests {
    is_selective: bool,
    name: Option<String>,
}

/// Reads alternatives up to the end. `whole` selects what any of them lets through; otherwise only the last one counts, which
/// is still open.
fn expression<'a>(words: impl Iterator<Item = &'a str>, whole: bool) -> Tests {
    // Per open parenthesis: the alternatives before, the current one, and whether the group is negated.
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
            // A negation selects nearly everything.
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
                // Any component of a path may be the git directory.
                let known = |part: &str| KEPT_DIRS.into_iter().find(|dir| part.trim_end_matches('*') == *dir);
                if let Some(dir) = plain.split('/').find_map(known).filter(|_| !of_names) {
                    // A path with a client's directory in it is mostly a file in that directory.
                    let is_git = dir == ".git";
                    now.name = Some(if is_git { dir.to_string() } else { format!("{dir}/{}", marks::EACH) });
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
    // What stands before a parenthesis holds inside of it as well.
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

/// What any of the alternatives lets through.
fn either(all: Vec<Tests>) -> Tests {
    let is_selective = all.iter().all(|tests| tests.is_selective);
    Tests { is_selective, name: all.into_iter().find_map(|tests| tests.name) }
}
