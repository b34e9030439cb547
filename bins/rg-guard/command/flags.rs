//! The arguments of a program: its options, their values, its operands.

use super::arg::Arg;

/// Arguments, parsed.
#[derive(Debug, Default)]
pub struct Flags<'a> {
    /// The arguments before `--` that begin with a dash.
    pub options: Vec<&'a str>,
    /// The options that take the next argument, each with that value.
    pub values: Vec<(&'a str, &'a Arg)>,
    /// All other arguments, in order.
    pub operands: Vec<&'a Arg>,
}

/// Parses arguments. `valued` lists the options that take the next argument as their value, separated by blanks: `-u --user`.
/// A joined value (`--user=x`, `-ux`) is part of its option.
pub fn flags<'a>(args: &'a [Arg], valued: &str) -> Flags<'a> {
    let mut found = Flags::default();
    let takes = |name: &[u8]| valued.as_bytes().split(|c| *c == b' ').any(|known| known == name);
    let mut rest = args.iter();
    let mut ended = false;
    while let Some(arg) = rest.next() {
        let text = arg.text.as_str();
        if ended || !text.starts_with('-') || text == "-" {
            found.operands.push(arg);
            continue;
        }
        if text == "--" {
            ended = true;
            continue;
        }
        found.options.push(text);
        // The last letter of a bundle may take a value: `-nu dev`.
        let bundled = || match &text.as_bytes()[1..] {
            [inner @ .., last] if !inner.is_empty() && text[1..].bytes().all(|c| c.is_ascii_alphanumeric()) => {
                takes(&[b'-', *last]) && !inner.iter().any(|letter| takes(&[b'-', *letter]))
            }
            _ => false,
        };
        if (takes(text.as_bytes()) || bundled())
            && let Some(value) = rest.next()
        {
            found.values.push((text, value));
        }
    }
    found
}

impl<'a> Flags<'a> {
    /// Whether an option is given: `-f` alone or in a bundle, `--force` in full, with a value, or abbreviated to at least two
    /// letters.
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|option| is_option(option, name))
    }

    /// Whether any of several options is given.
    pub fn any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// Whether the last of these options sets it: `--dry-run=none` and a later `--no-dry-run` take it back.
    pub fn is_set(&self, names: &[&str]) -> bool {
        let takes_back = |option: &str| {
            let (option, value) = option.split_once('=').unwrap_or((option, ""));
            let off = matches!(value.to_ascii_lowercase().as_str(), "false" | "none" | "no" | "0" | "off" | "f");
            let negated = option.strip_prefix("--no-").is_some_and(|given| {
                given.len() > 1 && names.iter().any(|name| name.trim_start_matches('-').starts_with(given))
            });
            let given = names.iter().any(|name| is_option(option, name));
            if negated || given && off { Some(false) } else { given.then_some(true) }
        };
        self.options.iter().rev().find_map(|option| takes_back(option)).unwrap_or(false)
    }

    /// The value of an option, joined or as the next argument.
    pub fn value(&self, name: &str) -> Option<String> {
        if let Some((_, value)) = self.values.iter().find(|(option, _)| is_option(option, name)) {
            return Some(value.text.clone());
        }
        let joined = |option: &&str| {
            let rest = option.strip_prefix(name)?;
            match rest.strip_prefix('=') {
                Some(value) => Some(value.to_string()),
                None if !name.starts_with("--") && name.len() == 2 && !rest.is_empty() => Some(rest.to_string()),
                None => None,
            }
        };
        self.options.iter().find_map(joined)
    }

    /// The text of the operand at an index; empty where there is none.
    pub fn operand(&self, at: usize) -> &'a str {
        self.operands.get(at).map_or("", |arg| arg.text.as_str())
    }
}

/// Whether `option` is a spelling of the option `name`.
pub fn is_option(option: &str, name: &str) -> bool {
    if option == name {
        return true;
    }
    if let Some(long) = name.strip_prefix("--") {
        let Some(given) = option.strip_prefix("--") else { return false };
        let given = given.split('=').next().unwrap_or("");
        // `--force` and `--export` are options of their own, so they abbreviate no longer one.
        return given == long
            || given.len() > 1 && long.starts_with(given) && !matches!(given, "force" | "no" | "export");
    }
    match name.strip_prefix('-') {
        // `-f` in `-rf`.
        Some(letter) if letter.len() == 1 => {
            !option.starts_with("--")
                && option.starts_with('-')
                && option[1..].split('=').next().is_some_and(|bundle| bundle.contains(letter))
        }
        // Single-dash words as terraform has them: `-destroy`, `-destroy=true` and `--destroy` are equal.
        Some(word) => {
            let given = option.trim_start_matches('-');
            given.split('=').next() == Some(word)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_known_in_all_their_spellings() {
        for (option, name, want) in [
            ("-rf", "-f", true),
            ("-rf", "-r", true),
            ("--forc", "--force", true),
            ("--force", "--force", true),
            ("--force", "--force-with-lease", false),
            ("--force-with-lease", "--force", false),
            ("--force-with", "--force-with-lease", true),
            ("--ha", "--hard", true),
            ("-destroy", "-destroy", true),
            ("--destroy=true", "-destroy", true),
            ("-auto-approve", "-destroy", false),
        ] {
            assert_eq!(is_option(option, name), want, "{option} {name}");
        }
    }
}
