//! Splits a shell command line into commands and words, which is enough to find the programs that it names. rg-guard has its own
//! parser for the effects of a line.

/// Programs that read commands from the file that is their operand.
pub const SHELLS: [&str; 7] = ["bash", "dash", "ksh", "sh", "zsh", ".", "source"];

/// Programs that run the program in the file that is their first operand.
pub const INTERPRETERS: [&str; 8] = ["bun", "deno", "node", "perl", "php", "python", "python3", "ruby"];

/// The commands of a line, each as its words without quotes. The content of `$(...)`, backquotes and parentheses is a separate command
/// before the text that follows it. Expansions are not expanded.
pub fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut word: Option<String> = None;
    // Whether each open parenthesis, and an open backquote, is inside double quotes.
    let (mut outer, mut backquote) = (Vec::new(), None);
    let mut is_quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(next) => word.get_or_insert_default().push(next),
            },
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            '\'' if !is_quoted => word.get_or_insert_default().extend(chars.by_ref().take_while(|c| *c != '\'')),
            '$' if chars.next_if_eq(&'(').is_some() => {
                outer.push(is_quoted);
                is_quoted = false;
                end_command(&mut all, &mut word);
            }
            ')' if !is_quoted => {
                is_quoted = outer.pop().unwrap_or(false);
                end_command(&mut all, &mut word);
            }
            '`' => {
                let (inner, open) = match backquote {
                    Some(outer) => (outer, None),
                    None => (false, Some(is_quoted)),
                };
                (is_quoted, backquote) = (inner, open);
                end_command(&mut all, &mut word);
            }
            ';' | '&' | '|' | '\n' | '(' if !is_quoted => end_command(&mut all, &mut word),
            c if c.is_whitespace() && !is_quoted => end_word(&mut all, &mut word),
            c => word.get_or_insert_default().push(c),
        }
    }
    end_command(&mut all, &mut word);
    all.retain(|words| !words.is_empty());
    all
}

/// The last component of a program's path.
pub fn program_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn end_word(all: &mut [Vec<String>], word: &mut Option<String>) {
    if let (Some(word), Some(last)) = (word.take(), all.last_mut()) {
        last.push(word);
    }
}

fn end_command(all: &mut Vec<Vec<String>>, word: &mut Option<String>) {
    end_word(all, word);
    all.push(Vec::new());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_split_as_a_shell_splits_it() {
        let split: [(&str, &[&[&str]]); 12] = [
            ("", &[]),
            (" a  b\tc ", &[&["a", "b", "c"]]),
            ("a|b && c; d & e\nf || g", &[&["a"], &["b"], &["c"], &["d"], &["e"], &["f"], &["g"]]),
            ("a 'b; c' \"d | e\" f\\ g", &[&["a", "b; c", "d | e", "f g"]]),
            ("a \"\" ''", &[&["a", "", ""]]),
            ("'/my dir'/a b", &[&["/my dir/a", "b"]]),
            ("a \\\n b", &[&["a", "b"]]),
            ("(a; b)", &[&["a"], &["b"]]),
            ("x=$(a b) c", &[&["x="], &["a", "b"], &["c"]]),
            ("x=\"$(a 'b' \"c d\") e\"", &[&["x="], &["a", "b", "c d"], &[" e"]]),
            ("x=\"`a b` c d\"", &[&["x="], &["a", "b"], &[" c d"]]),
            ("a 'b; c", &[&["a", "b; c"]]),
        ];
        for (line, want) in split {
            assert_eq!(commands(line), want, "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn plain_words_are_kept(words in proptest::collection::vec("[a-zA-Z0-9_./=-]{1,9}", 1..9)) {
            prop_assert_eq!(commands(&words.join(" ")), vec![words]);
        }

        #[test]
        fn any_line_can_be_split(line in "[\\PC\n\t '\"`$();&|\\\\]{0,200}") {
            commands(&line);
        }
    }
}
