//! Which languages of rg-outline are experimental, by labelled changes that nobody who wrote the queries had seen.

/// A language is judged by this many of its own changes of each kind.
pub const OWN_CASES: usize = 15;

/// So many of fifteen changes may be judged wrongly, of each kind.
const OWN_WRONG: usize = 1;

/// Whether a language with these counts is experimental.
pub fn is_experimental(trips: usize, caught: usize, clean: usize, flagged: usize) -> bool {
    let is_beyond = |wrong: usize, all: usize| all < OWN_CASES || wrong > all / OWN_CASES * OWN_WRONG;
    is_beyond(trips - caught, trips) || is_beyond(flagged, clean)
}

/// So many of fifteen may be judged wrongly before a measured language becomes experimental: one more is chance.
#[cfg(test)]
const OWN_WRONG_AGAIN: usize = 2;

/// The name of a language in outlines, by its name in a file of cases.
pub fn name(language: &str) -> &str {
    match language {
        "js" => "javascript",
        "ts" => "typescript",
        "py" => "python",
        "shell" | "sh" => "bash",
        "c++" => "cpp",
        "c#" | "cs" => "csharp",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plugin, score};
    use review_gate::outline::language::{LANGUAGES, State};

    #[test]
    fn a_language_is_experimental_with_two_wrong_of_its_fifteen() {
        assert!(!is_experimental(15, 14, 15, 1) && !is_experimental(30, 28, 31, 2));
        assert!(is_experimental(15, 13, 15, 0) && is_experimental(15, 15, 15, 2));
        assert!(is_experimental(14, 14, 15, 0) && is_experimental(15, 15, 14, 0), "too few to tell");
    }

    /// The sums of the newest sets that together have enough changes of each kind, without the `later` newest ones.
    fn counts(language: &str, later: usize) -> [usize; 4] {
        let rows = score::rows(&plugin::checkout().join("tests/cases/languages.jsonl")).unwrap();
        let mut sums = [0; 4];
        for row in rows.iter().rev().filter(|row| row["language"] == language).skip(later) {
            for (sum, name) in sums.iter_mut().zip(["trips", "caught", "clean", "flagged"]) {
                *sum += usize::try_from(row[name].as_u64().unwrap()).unwrap();
            }
            if sums[0] >= OWN_CASES && sums[2] >= OWN_CASES {
                break;
            }
        }
        sums
    }

    #[test]
    fn the_states_of_the_languages_are_those_that_the_measures_give() {
        let mut wrong = Vec::new();
        for language in &LANGUAGES {
            // These share their queries with another language, and have no changes of their own.
            let measured_as = match language.name {
                "tsx" | "vue" => "typescript",
                name => name,
            };
            let [trips, caught, clean, flagged] = counts(measured_as, 0);
            let is_measured =
                |[trips, caught, clean, flagged]: [usize; 4]| !is_experimental(trips, caught, clean, flagged);
            let is_right = match language.state {
                State::Experimental => !is_measured([trips, caught, clean, flagged]),
                State::Measured => {
                    let most = trips.min(clean) / OWN_CASES * OWN_WRONG_AGAIN;
                    (0..9).any(|later| is_measured(counts(measured_as, later)))
                        && trips - caught <= most
                        && flagged <= most
                }
            };
            if !is_right {
                wrong.push(format!("{}: {caught} of {trips} caught, {flagged} of {clean} flagged", language.name));
            }
        }
        assert!(wrong.is_empty(), "lib/outline/language.rs names another state: {}", wrong.join("; "));
    }
}
