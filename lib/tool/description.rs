//! The description of a command line: forms, verbs and options. Usage lines, `--help`, messages and completions come from it.

/// A tool, as its command line shows it.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line; the same text as in its manual's NAME.
    pub about: &'static str,
    /// The command to suggest if a user starts the tool without operands at a terminal, where it would wait for an event line.
    pub hint: &'static str,
    /// The ways to call it, in the order of its manual's SYNOPSIS.
    pub forms: &'static [Form],
    /// The options of all forms, by name.
    pub options: &'static [Opt],
}

/// One way to call a tool.
#[derive(Clone, Copy)]
pub struct Form {
    /// Its verb; empty for none.
    pub verb: &'static str,
    /// What the verb does, in one line.
    pub about: &'static str,
    /// Required options.
    pub needs: &'static [&'static str],
    /// Optional options; `a | b` if they exclude each other.
    pub takes: &'static [&'static str],
    /// Its operands, as the usage line shows them.
    pub operands: &'static str,
}

impl Form {
    /// A form without verb, options and operands, as most filters have.
    pub const BARE: Form = Form { verb: "", about: "", needs: &[], takes: &[], operands: "" };

    /// The names of its options.
    pub fn options(&self) -> impl Iterator<Item = &'static str> {
        self.needs.iter().chain(self.takes).flat_map(|names| names.split(" | "))
    }
}

/// One option.
#[derive(Clone, Copy)]
pub struct Opt {
    /// Its name, without dashes.
    pub name: &'static str,
    /// The name of its value; empty if it takes none.
    pub value: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
}

impl Opt {
    /// An option without a value.
    pub const fn flag(name: &'static str, about: &'static str) -> Opt {
        Opt { name, value: "", about }
    }

    /// An option with a value.
    pub const fn with(name: &'static str, value: &'static str, about: &'static str) -> Opt {
        Opt { name, value, about }
    }

    /// `--name value`
    pub fn shown(&self) -> String {
        let dashes = if self.name.len() == 1 { "-" } else { "--" };
        let blank = if self.value.is_empty() { "" } else { " " };
        format!("{dashes}{}{blank}{}", self.name, self.value)
    }
}

/// The options of every tool.
pub const COMMON: [Opt; 4] = [
    Opt::with("C", "dir", "Work as if started in dir."),
    Opt::with("completion", "shell", "Print the completion script for bash, zsh or fish."),
    Opt::flag("help", "Print this help."),
    Opt::flag("version", "Print the version."),
];

/// The widest usage line, in columns.
const WIDTH: usize = 100;

impl Tool {
    /// The verbs and what they do, in the order of the forms.
    pub fn verbs(&self) -> impl Iterator<Item = &'static Form> {
        self.forms.iter().filter(|form| !form.verb.is_empty())
    }

    /// The forms with this verb; an empty verb selects the forms without one.
    pub fn forms_of(&self, verb: &str) -> impl Iterator<Item = &'static Form> {
        self.forms.iter().filter(move |form| form.verb == verb)
    }

    /// Whether a form with this verb has the option.
    pub fn takes(&self, verb: &str, option: &str) -> bool {
        self.forms_of(verb).any(|form| form.options().any(|name| name == option))
    }

    /// The options of the forms with this verb, without the options of every tool.
    pub fn options_of(&self, verb: &str) -> impl Iterator<Item = &'static Opt> {
        self.options.iter().filter(move |option| self.takes(verb, option.name))
    }

    /// The usage lines, one for each form.
    pub fn usage(&self) -> Vec<String> {
        self.forms.iter().map(|form| self.words(form).join(" ")).collect()
    }

    /// The parts of a usage line; it may be wrapped between them.
    fn words(&self, form: &Form) -> Vec<String> {
        let shown = |name: &&str| {
            let one = |name: &str| self.options.iter().find(|known| known.name == name).map(Opt::shown);
            name.split(" | ").filter_map(one).collect::<Vec<_>>().join(" | ")
        };
        let mut words = vec![self.name.to_string(), form.verb.to_string()];
        words.extend(form.needs.iter().map(shown));
        words.push("[-C dir]".to_string());
        words.extend(form.takes.iter().map(|name| format!("[{}]", shown(name))));
        words.push(form.operands.to_string());
        words.retain(|word| !word.is_empty());
        words
    }

    /// The output of `--help`.
    pub fn help(&self) -> String {
        let mut text = String::new();
        for (at, form) in self.forms.iter().enumerate() {
            text.push_str(if at == 0 { "usage:" } else { "      " });
            let mut width = "usage:".len();
            for word in self.words(form) {
                if width + 1 + word.len() > WIDTH {
                    width = "usage: ".len() + self.name.len();
                    text.push_str(&format!("\n{:width$}", ""));
                }
                text.push_str(&format!(" {word}"));
                width += 1 + word.len();
            }
            text.push('\n');
        }
        text.push_str(&format!("\n{}: {}.\n", self.name, self.about));
        let verbs: Vec<_> = self.verbs().map(|form| (form.verb.to_string(), form.about)).collect();
        let mut options: Vec<&Opt> = self.options.iter().chain(&COMMON).collect();
        options.sort_by_key(|option| option.name.to_lowercase());
        let options: Vec<_> = options.into_iter().map(|option| (option.shown(), option.about)).collect();
        text.push_str(&list("Verbs", &verbs));
        text.push_str(&list("Options", &options));
        text.push_str(&format!("\nManual: {}(1).\n", self.name));
        text
    }

    /// The names of the verbs: `mark, next, off, on`.
    pub fn verb_names(&self) -> String {
        self.verbs().map(|form| form.verb).collect::<Vec<_>>().join(", ")
    }
}

/// A titled list of names with their descriptions; empty if there are none.
fn list(title: &str, lines: &[(String, &str)]) -> String {
    let Some(width) = lines.iter().map(|(name, _)| name.len()).max() else { return String::new() };
    let lines: String = lines.iter().map(|(name, about)| format!("  {name:width$}  {about}\n")).collect();
    format!("\n{title}:\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: Tool = Tool {
        name: "rg-x",
        about: "try a description",
        hint: "rg-x show",
        forms: &[
            Form { takes: &["json | md"], ..Form::BARE },
            Form { verb: "show", about: "Print one.", needs: &["why"], operands: "[id]", ..Form::BARE },
        ],
        options: &[
            Opt::flag("json", "Print JSON."),
            Opt::flag("md", "Print Markdown."),
            Opt::with("why", "text", "The reason."),
        ],
    };

    #[test]
    fn usage_lines_show_required_options_first() {
        assert_eq!(TOOL.usage(), ["rg-x [-C dir] [--json | --md]", "rg-x show --why text [-C dir] [id]"]);
    }

    #[test]
    fn an_option_belongs_to_the_forms_that_name_it() {
        assert!(TOOL.takes("", "md") && TOOL.takes("show", "why"));
        assert!(!TOOL.takes("show", "md") && !TOOL.takes("", "why") && !TOOL.takes("list", "why"));
    }

    #[test]
    fn long_usage_lines_are_wrapped() {
        const WIDE: Tool = Tool {
            forms: &[Form { takes: &["why", "why", "why", "why", "why", "why", "why", "why"], ..Form::BARE }],
            ..TOOL
        };
        let help = WIDE.help();
        assert!(help.lines().all(|line| line.len() <= WIDTH), "{help}");
        assert_eq!(help.matches("[--why text]").count(), 8);
    }
}
