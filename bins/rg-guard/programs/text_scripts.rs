//! Scripts of sed, awk and editors: the commands that they run, and the files that they write.

use crate::command::{marks, quote};

/// `1e command`, `s/a/command/e`, and `w file`.
pub fn sed(script: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in script.split(['\n', ';']) {
        let mut rest = line.trim_start();
        if let Some(after) = rest.strip_prefix('/') {
            rest = after.split_once('/').map_or("", |(_, rest)| rest);
        }
        let rest = rest
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | ' ' | '!' | '~' | '+' | '{'));
        // Writing a file is shown as `tee`.
        let is_path = |rest: &&str| rest.starts_with([' ', '.', '/', '~']);
        if let Some(path) = rest.strip_prefix(['w', 'W']).filter(is_path) {
            found.push(tee(path));
        }
        if let Some(command) = rest.strip_prefix("e ") {
            found.push(command.to_string());
        }
        let mut chars = rest.chars();
        if chars.next() == Some('s')
            && let Some(sign) = chars.next().filter(|c| c.is_ascii_punctuation())
        {
            let pieces = split_at(&rest[1 + sign.len_utf8()..], sign);
            // The name of the file may have the separator in it.
            if let [_, _, how @ ..] = pieces.as_slice()
                && let how = how.join(&sign.to_string())
                && let Some((before, path)) = how.split_once('w')
                && before.chars().all(|c| c.is_ascii_digit() || "gpiIme".contains(c))
            {
                found.push(tee(path));
            }
            if let [_, to, how] = pieces.as_slice()
                && how.contains('e')
                && how.chars().all(|c| c.is_ascii_alphanumeric())
            {
                found.push(to.replace(&format!("\\{sign}"), &sign.to_string()));
            }
        }
    }
    found
}

/// What `s/^/TEXT/` and the like make of a line that is not known; empty where they only change a part of it.
pub fn sed_lines(script: &str, mark: char) -> String {
    let mut out = String::new();
    for line in script.split('\n') {
        let Some(sign) = line.strip_prefix('s').and_then(|rest| rest.chars().next()).filter(char::is_ascii_punctuation)
        else {
            continue;
        };
        let pieces = split_at(&line[1 + sign.len_utf8()..], sign);
        let [from, to, ..] = pieces.as_slice() else { continue };
        let is_whole = from.contains(".*") || from.contains(".\\+") || from.contains(".+");
        // `s/origin\//:/` puts the sign before what is left.
        if !from.starts_with('^') && !is_whole && !to.starts_with([':', '+']) {
            continue;
        }
        let mut text = to.replace('&', &mark.to_string());
        for group in 1..10 {
            text = text.replace(&format!("\\{group}"), &mark.to_string());
        }
        let rest = if is_whole { String::new() } else { mark.to_string() };
        out.push_str(&format!("{text}{rest}\n"));
    }
    out
}

/// What the `print` statements of a script of awk print, each field as `mark`.
pub fn awk_lines(script: &str, mark: char) -> String {
    let mut out = String::new();
    for statement in statements(script) {
        let Some((_, printed)) = statement.split_once("print") else { continue };
        let printed = printed.trim_start_matches('f');
        let end = marked_signs(printed).find(['>', '|']).unwrap_or(printed.len());
        let printed = printed.get(..end).unwrap_or("");
        let mut is_text = false;
        for piece in printed.split('"') {
            match is_text {
                true => {
                    let text = crate::shell::decode::unescape(piece);
                    out.push_str(&text.replace("%s", &mark.to_string()).replace("%d", &mark.to_string()));
                }
                false if printed.contains('%') => {}
                false if piece.contains(|c: char| c == '$' || c.is_ascii_alphanumeric()) => out.push(mark),
                false => {}
            }
            is_text = !is_text;
        }
        out.push('\n');
    }
    out
}

/// The statements of a script of awk.
fn statements(script: &str) -> Vec<&str> {
    let quoted = marked_signs(script);
    let mut start = 0;
    let mut found = Vec::new();
    for (at, sign) in quoted.match_indices([';', '{', '}', '\n']) {
        found.push(&script[start..at]);
        start = at + sign.len();
    }
    found.push(&script[start..]);
    found
}

/// Writing a file, as a command.
fn tee(path: &str) -> String {
    format!("tee {}", quote(path.trim()))
}

/// The file or the command that an editor's line writes to: `w! FILE`, `%w FILE`, `saveas FILE`, `w !COMMAND`.
pub fn editor_write(text: &str) -> Option<String> {
    text.split('|').find_map(|line| {
        let line = line
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | ' ' | '%' | ',' | '.' | '$' | '\''));
        if let Some((_, rest)) = line.split_once("writefile(") {
            return rest.split(',').nth(1).map(|path| tee(path.trim_matches([' ', '"', '\'', ')'])));
        }
        let (verb, rest) = line.split_once(' ')?;
        let known = matches!(
            verb.trim_end_matches('!'),
            "w" | "wr" | "write" | "wq" | "x" | "xit" | "sav" | "saveas" | "up" | "update" | "wn" | "e" | "edit" | "r!"
        );
        let rest = rest.trim();
        match rest.strip_prefix('!') {
            _ if !known || rest.is_empty() => None,
            Some(command) => Some(command.to_string()),
            None => Some(tee(rest.trim_start_matches("++p ").trim_start_matches(['>', ' ']))),
        }
    })
}

/// The files that a script of awk prints to: `print > "FILE"`, or a variable with a known value.
pub fn awk_writes(script: &str, texts: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let quoted = marked_signs(script);
    for (at, _) in quoted.match_indices('>') {
        let statement = quoted[..at].rsplit([';', '{', '}', '\n']).next().unwrap_or("");
        if !statement.contains("print") {
            continue;
        }
        let target = script[at..].trim_start_matches(['>', ' ']);
        let literal = target.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        if let Some((path, after)) = literal {
            let after = after.split([';', '}', '\n']).next().unwrap_or("").trim_matches([')', ' ']);
            let rest = if after.is_empty() { String::new() } else { marks::EACH.to_string() };
            found.push(tee(&format!("{path}{rest}")));
            continue;
        }
        let name: String = target.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let given = texts.iter().filter_map(|text| text.trim_start_matches("-v").split_once('='));
        let set = script.split([';', '{', '}', '\n']).filter_map(|text| text.split_once('='));
        let all = given.chain(set).filter(|(known, _)| known.trim() == name && !name.is_empty());
        found.extend(all.map(|(_, path)| tee(path.trim().trim_matches('"'))));
    }
    found
}

/// A script of the same length with a blank for each character in a string.
fn marked_signs(script: &str) -> String {
    let (mut in_string, mut is_escaped) = (false, false);
    let blank = |c: char| {
        let was = in_string;
        in_string ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        if was && in_string { " ".repeat(c.len_utf8()) } else { c.to_string() }
    };
    script.chars().map(blank).collect()
}

/// A text split at a character that has no backslash before it.
fn split_at(text: &str, sign: char) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        if c == sign && !escaped {
            pieces.push(String::new());
        } else if let Some(last) = pieces.last_mut() {
            last.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    pieces
}

/// `system("...")`, `print | "..."`, `"..." | getline`.
pub fn awk(script: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = script;
    let blank: String = script.chars().filter(|c| !c.is_whitespace()).collect();
    let literal = blank.matches("system(\"").count() == blank.matches("system(").count();
    let shells = ["|\"sh\"", "|\"bash\"", "|\"/bin/sh\""].iter().any(|shell| blank.contains(shell));
    let read = blank.match_indices("|getline").any(|(at, _)| !blank[..at].ends_with('"'));
    let indirect = !literal || shells || read;
    while let Some(at) = rest.find('"') {
        let before = rest[..at].trim_end();
        let inside = &rest[at + 1..];
        let mut end = None;
        let mut escaped = false;
        for (place, c) in inside.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    end = Some(place);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else { break };
        let text = crate::shell::decode::unescape(&inside[..end]);
        let after = inside[end + 1..].trim_start();
        // A variable's value, or what is printed into a shell, may be any string of the script.
        let runs = indirect
            || before.ends_with("system(")
            || before.ends_with('|')
            || before.ends_with("|&")
            || after.starts_with('|') && after.contains("getline");
        if runs {
            // `system("rm -rf " $1)`
            let goes_on = before.ends_with("system(") && !after.is_empty() && !after.starts_with([')', ';']);
            found.push(if goes_on { format!("{text}{}", marks::EACH) } else { text });
        }
        rest = &inside[end + 1..];
    }
    found
}
