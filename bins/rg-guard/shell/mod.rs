//! A parser of shell commands: one pass over the text, no grammar tables, nothing run.
//!
//! It reads what sh, bash and zsh share, and most of what bash adds. It never rejects a text: it notes the first syntax error
//! and reads on, so that a rule sees every command that a shell could see.

mod compound;
pub mod decode;
mod expansions;
mod reader;
mod redirects;
mod tree;
mod words;

pub use reader::{DEPTH, PIECES, read};
pub use tree::*;

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of all simple commands, in order, wherever they stand.
    fn names(nodes: &[Node]) -> Vec<String> {
        let of_words = |words: &[Word]| -> Vec<String> {
            let inside = words.iter().flat_map(|word| &word.parts).flat_map(|part| match part {
                Part::Output { body, .. } | Part::Process { body, .. } => names(body),
                _ => Vec::new(),
            });
            inside.collect()
        };
        let mut found = Vec::new();
        for node in nodes {
            match node {
                Node::Simple(simple) => {
                    if let Some([Part::Text { text, .. }]) = simple.words.first().map(|word| word.parts.as_slice()) {
                        found.push(text.to_string());
                    }
                    found.extend(of_words(&simple.words));
                }
                Node::Pipeline(all) | Node::AndOr(all) => found.extend(names(all)),
                Node::Background(one) => found.extend(names(std::slice::from_ref(one))),
                Node::Compound(compound) => match &compound.shape {
                    Shape::Group(body) | Shape::Subshell(body) | Shape::Count(_, body) => found.extend(names(body)),
                    Shape::For(_, words, body) => {
                        found.extend(of_words(words.as_deref().unwrap_or_default()));
                        found.extend(names(body));
                    }
                    Shape::If(arms, otherwise) => {
                        for (condition, body) in arms {
                            found.extend(names(condition));
                            found.extend(names(body));
                        }
                        found.extend(names(otherwise));
                    }
                    Shape::While(condition, body) => {
                        found.extend(names(condition));
                        found.extend(names(body));
                    }
                    Shape::Case(_, arms) => arms.iter().for_each(|(_, body)| found.extend(names(body))),
                    Shape::Function(_, body) => found.extend(names(body)),
                    Shape::Test(words) => found.extend(of_words(words)),
                    Shape::Arithmetic(_) => {}
                },
            }
        }
        found
    }

    #[test]
    fn commands_are_found_wherever_they_stand() {
        for (text, want) in [
            ("a; b & c | d && e || ! f", "a b c d e f"),
            ("( a ) ; { b; }", "a b"),
            ("if a; then b; elif c; then d; else e; fi", "a b c d e"),
            ("while a; do b; done; until c; do d; done", "a b c d"),
            ("for x in $(a) y; do b; done; for ((i=0;i<1;i++)); do c; done", "a b c"),
            ("case x in (a|b) c;; d) e;& *) f;; esac", "c e f"),
            ("x=$(case y in y) a;; esac) b", "b"),
            ("f() { a; }; function g { b; }; function h() ( c )", "a b c"),
            ("a <<X <<'Y' | b\n$(c) x\nX\nd $(e)\nY\nf", "a b f"),
            ("a \"$(b <<'E'\nit's \"one\nE\n)\"; c", "a b c"),
            ("[[ -n $(a) && x =~ ^(y|z)$ ]] && b", "a b"),
            ("((1 + 2)); a $((3 * (4)))", "a"),
            ("((a); b)", "a b"),
            ("a `b \\`c\\``", "a b c"),
            ("a <(b) >(c)", "a b c"),
            ("select x in y; do a; done; coproc N { b; }; time ( c )", "a b c"),
            ("a \\\n  b # c\n# d\ne", "a e"),
            ("a\r\nb\r\n", "a b"),
            ("{fd}>x a 2>&1 >|y &>z", "a"),
            ("a=(x y $z) b+=(c) d", "d"),
        ] {
            let tree = read(text, None);
            assert_eq!(tree.error, None, "{text}");
            assert_eq!(names(&tree.nodes).join(" "), want, "{text}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_noted_and_the_rest_is_read() {
        for text in ["a 'b", "a \"b", "a `b", "a; ) b", "if a; then b", "a ${b", "fi", "a; done; b"] {
            let tree = read(text, None);
            assert!(tree.error.is_some(), "{text}");
        }
        assert_eq!(names(&read("fi; a; ) b", None).nodes), ["a", "b"]);
    }
}
