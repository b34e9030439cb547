//! Filters: what a program prints, given its input.

use crate::command::guarded_programs::{Match, mentions, selects};
use crate::command::marks::{self, ALL, DECODED, EACH, FETCHED, FILE, PRINTED};
use crate::command::{CLIENT_PID, Call, flags};
use crate::shell::decode;
use crate::walk::Scope;

/// Programs that print their input, or a part of it.
const FILTERS: [&str; 26] = [
    "grep", "egrep", "fgrep", "rg", "head", "tail", "sort", "uniq", "sed", "awk", "gawk", "cut", "tac", "shuf", "nl",
    "fold", "paste", "column", "iconv", "dos2unix", "expand", "envsubst", "jq", "yq", "strings", "pv",
];

/// Whether a program prints its input, or a part of it.
pub fn is_filter(name: &str) -> bool {
    FILTERS.contains(&name)
}

/// `paste -s`: joins the lines of its input or of files.
pub fn pasted(call: &Call, scope: &Scope) -> String {
    let options = flags(&call.args, "-d --delimiters");
    let files: Vec<&str> = options.operands.iter().map(|arg| arg.text.as_str()).filter(|text| *text != "-").collect();
    let text: String = match files.as_slice() {
        [] => call.input.as_deref().unwrap_or("").to_string(),
        files => files.iter().map(|path| scope.contents_or_mark(path)).collect(),
    };
    if !options.any(&["-s", "--serial"]) {
        return text;
    }
    let between = options.value("-d").or_else(|| options.value("--delimiters")).unwrap_or_else(|| "\t".to_string());
    text.lines().collect::<Vec<_>>().join(&decode::unescape(&between)) + "\n"
}

/// The output of a decoder: `base64 -d`, `gunzip`, `gpg -d`.
pub fn decoded(call: &Call, input: &str, scope: &Scope) -> String {
    let options = flags(&call.args, "-w -i --wrap -in -out -c -s -l -k -K -iv -pass");
    let file = options.operands.iter().find(|arg| arg.text != "-").map(|arg| scope.contents_or_mark(&arg.text));
    let text = match call.name.as_str() {
        "openssl" => input.to_string(),
        _ => file.unwrap_or_else(|| input.to_string()),
    };
    let is_openssl = call.args.iter().any(|arg| matches!(arg.text.as_str(), "base64" | "-base64" | "-a"));
    let back = options.any(&["-d", "-D", "--decode", "-r"])
        || matches!(call.name.as_str(), "gunzip" | "zcat" | "uudecode" | "bzcat" | "xzcat");
    if text.contains(FETCHED) {
        return FETCHED.to_string();
    }
    let known = marks::known_text(&text);
    let plain = match (call.name.as_str(), known) {
        (_, None) => None,
        ("base64" | "gbase64" | "basenc", Some(text)) if back => decode::base64(&text),
        ("base32", Some(text)) if back => decode::base32(&text),
        ("xxd", Some(text)) if back => decode::hexadecimal(&text),
        ("openssl", Some(text)) if is_openssl && back => decode::base64(&text),
        _ => None,
    };
    match plain {
        Some(plain) => plain,
        None if back || call.name == "gpg" || call.name == "openssl" => DECODED.to_string(),
        None => PRINTED.to_string(),
    }
}

/// `sed s/a/b/` over a known text, without regular expressions.
pub fn substituted(call: &Call, input: &str) -> String {
    let script = flags(&call.args, "-e").operands.first().map(|arg| marks::literal(&arg.text)).unwrap_or_default();
    let mut chars = script.chars();
    if chars.next() == Some('s')
        && let Some(sign) = chars.next()
    {
        let pieces: Vec<&str> = script[1 + sign.len_utf8()..].split(sign).collect();
        if let [from, to, how] = pieces.as_slice()
            && !from.is_empty()
            && !from.contains(['*', '.', '[', '^', '$', '\\'])
        {
            return if how.contains('g') { input.replace(from, to) } else { input.replacen(from, to, 1) };
        }
    }
    if script.is_empty() { input.to_string() } else { DECODED.to_string() }
}

/// What a script of awk or sed makes of each line, where it adds words of its own: `print "rm " $1`, `s/^/rm /`.
fn composed(call: &Call, input: &str) -> Option<String> {
    let mark = [FETCHED, DECODED, ALL, EACH].into_iter().find(|mark| input.contains(*mark)).unwrap_or(PRINTED);
    let found = flags(&call.args, if call.name == "sed" { "-e -f" } else { "-F -v -f" });
    let script = found.value("-e").or_else(|| found.operands.first().map(|arg| arg.text.clone()))?;
    let script = marks::literal(&script);
    let text = match call.name.as_str() {
        "sed" => super::text_scripts::sed_lines(&script, mark),
        _ => super::text_scripts::awk_lines(&script, mark),
    };
    // A text that only separates what was there adds no command.
    let adds = |text: &str| text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| word.len() > 1);
    // A sign in front makes another refspec of a branch: `:main`, `+main`.
    let marks_refs = |text: &str| text.starts_with([':', '+']);
    Some(text).filter(|text| adds(text) || marks_refs(text))
}

/// The output of a filter that has no function of its own.
pub fn filtered(call: &Call, input: &str, scope: &Scope) -> String {
    // `grep -l rg-check /proc/*/comm`
    let reads_processes = call.args.iter().any(|arg| arg.text.starts_with("/proc/"));
    if (input.contains(marks::PROCESSES) || reads_processes) && picks_guarded(call) {
        // Each field of a line: `read` may take any of them.
        return format!("{CLIENT_PID} {CLIENT_PID} {CLIENT_PID}\n");
    }
    if input.starts_with(CLIENT_PID) {
        return input.to_string();
    }
    let composes = matches!(call.name.as_str(), "awk" | "gawk" | "sed")
        && marks::known_text(input).is_none_or(|text| text.is_empty());
    if composes && let Some(text) = composed(call, input) {
        return text;
    }
    let passes = matches!(
        call.name.as_str(),
        "sort" | "uniq" | "tac" | "shuf" | "head" | "tail" | "pv" | "iconv" | "dos2unix" | "nl"
    );
    if call.input.is_none() {
        let file = flags(&call.args, "-n -c -e -f -k -t -F -v").operands.last().map(|arg| arg.text.clone());
        return match file.and_then(|file| scope.file_contents(&file)) {
            Some(contents) if contents.contains(FETCHED) => FETCHED.to_string(),
            _ => FILE.to_string(),
        };
    }
    match marks::known_text(input) {
        // A filter of a known text prints at most all of it.
        Some(text)
            if passes
                || matches!(call.name.as_str(), "grep" | "egrep" | "fgrep" | "rg" | "strings" | "fold" | "cut") =>
        {
            text
        }
        Some(_) => DECODED.to_string(),
        None if passes && !matches!(call.name.as_str(), "head" | "tail") || leaves_most(call) => input.to_string(),
        None => narrowed(input),
    }
}

/// Whether a filter picks the processes of a client or of the gate from a list: `grep '[c]laude'`, `awk '/rg-check/'`.
fn picks_guarded(call: &Call) -> bool {
    let found = flags(&call.args, "-e -f -A -B -C -m --regexp -F -v");
    match call.name.as_str() {
        "grep" | "egrep" | "fgrep" | "rg" => {
            let pattern = found.value("-e").or_else(|| found.value("--regexp"));
            let pattern = pattern.or_else(|| found.operands.first().map(|arg| arg.text.clone()));
            !found.any(&["-v", "--invert-match"])
                && pattern.is_some_and(|text| selects(&marks::literal(&text), Match::Line))
        }
        "awk" | "gawk" | "sed" => call.args.iter().any(|arg| mentions(&arg.text.replace(['[', ']'], ""))),
        _ => false,
    }
}

/// Whether a filter keeps most of its input: `grep -v`, `tail -n +2`, `cut -d/ -f1`, `awk '{print $9}'`.
fn leaves_most(call: &Call) -> bool {
    let texts = call.args.iter().map(|arg| arg.text.as_str());
    match call.name.as_str() {
        "grep" | "egrep" | "fgrep" | "rg" => flags(&call.args, "-e -f").any(&["-v", "--invert-match"]),
        "tail" => texts.clone().any(|text| text.starts_with('+') || text.starts_with("-n+")),
        "head" => texts.clone().any(|text| text.starts_with("-n-") || text.starts_with("--lines=-")),
        "cut" => true,
        "awk" | "gawk" | "mawk" => texts.clone().any(|text| text.starts_with('{') || text.starts_with("NR>")),
        _ => false,
    }
}

/// A list after a selection: its marks for all names become marks for some.
pub fn narrowed(text: &str) -> String {
    text.replace(ALL, &EACH.to_string())
}
