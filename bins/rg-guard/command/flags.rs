//! What the arguments of a program are: options with and without values, operands.

use super::arg::Arg;

/// Arguments, told apart.
#[derive(Debug, Default)]
pub struct Flags<'a> {
    /// Everything that begins with a dash and stands before `--`.
    pub options: Vec<&'a str>,
    /// The values of options that take one, with their option.
    pub values: Vec<(&'a str, &'a Arg)>,
    /// Everything else, in its order.
    pub operands: Vec<&'a Arg>,
}

/// Tells arguments apart. `valued` names the options that take the next word as their value, separated by blanks: `-u`,
/// `--user`. A value that is joined on (`--user=x`, `-ux`) is no word of its own.
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
        // The last letter of a bundle may take a value, too: `-nu dev`.
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
    /// Whether an option is there: `-f` alone or bundled, `--force` whole, with a value, or as a beginning of it that is at
    /// least two letters long.
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|option| is_option(option, name))
    }

    /// Whether any of several is there.
    pub fn any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// The value of an option, joined on or as the next word.
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

    /// The text of the operand at a place; empty where there is none.
    pub fn operand(&self, at: usize) -> &'a str {
        self.operands.get(at).map_or("", |arg| arg.text.as_str())
    }
}

/// Whether `option` is the option `name` in any of its spellings.
pub fn is_option(option: &str, name: &str) -> bool {
    if option == name {
        return true;
    }
    if let Some(long) = name.strip_prefix("--") {
        let Some(given) = option.strip_prefix("--") else { return false };
        let given = given.split('=').next().unwrap_or("");
        // `--force` is an option of its own beside `--force-with-lease`; a shorter beginning of it is not.
        return given == long || given.len() > 1 && long.starts_with(given) && given != "force" && given != "no";
    }
    match name.strip_prefix('-') {
        // `-f` in `-rf`.
        Some(letter) if letter.len() == 1 => {
            !option.starts_with("--")
                && option.starts_with('-')
                && option[1..].split('=').next().is_some_and(|bundle| bundle.contains(letter))
        }
        // `-destroy`, as terraform has it; `-destroy=true` and `--destroy` are the same.
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
