//! Presets: named sets of rules, of which one holds the rules of another.

/// The names of sets, from the smallest to the largest.
const SETS: [&[&str]; 5] = [
    &["none", "off"],
    &["minimum", "minimal", "essential", "base", "default"],
    &["recommended"],
    &["strict"],
    &["all"],
];

/// What ends the name of a set that also uses types.
const TYPED: [&str; 2] = ["-type-checked", "-requiring-type-checking"];

/// A preset: what precedes the name of its set, how large the set is, and whether it uses types.
fn read(name: &str) -> Option<(&str, usize, bool)> {
    let (plain, is_typed) =
        TYPED.iter().find_map(|end| name.strip_suffix(end)).map_or((name, false), |rest| (rest, true));
    let at = plain.rfind(['/', ':', '-']).map_or(0, |at| at + 1);
    let size = SETS.iter().position(|names| names.contains(&&plain[at..]))?;
    Some((&plain[..at], size, is_typed))
}

/// Tools that demand all that another one demands, and more.
const STRICTER: [(&str, &str); 2] = [("gofumpt", "gofmt"), ("goimports", "gofmt")];

/// Whether a preset has at least the rules of another one, or a tool at least the demands of another one.
pub fn holds(now: &str, then: &str) -> bool {
    if STRICTER.contains(&(now, then)) {
        return true;
    }
    match (read(now), read(then)) {
        (Some((of, size, is_typed)), Some((of_then, size_then, was_typed))) => {
            of == of_then && size >= size_then && is_typed >= was_typed
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn a_larger_set_of_the_same_rules_holds_the_smaller_one() {
        for (now, then, want) in [
            ("latest-all", "latest-recommended", true),
            ("latest-recommended", "latest-all", false),
            ("plugin:@typescript-eslint/strict-type-checked", "plugin:@typescript-eslint/strict", true),
            ("plugin:@typescript-eslint/strict", "plugin:@typescript-eslint/recommended-type-checked", false),
            ("plugin:vue/strict", "plugin:react/recommended", false),
            ("eslint:all", "eslint:recommended", true),
            ("airbnb", "eslint:recommended", false),
            ("gofumpt", "gofmt", true),
            ("gofmt", "gofumpt", false),
        ] {
            assert_eq!(holds(now, then), want, "{then} -> {now}");
        }
    }
}
