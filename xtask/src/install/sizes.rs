//! The sizes of the programs of a release, and their limits.

use super::programs;
use crate::{Failure, stage};
use std::fs;
use std::path::Path;

/// What decides a program's limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// It holds the grammars: no limit.
    Grammars,
    /// A stage of a hook that judges nothing.
    Stage,
    /// Every other program.
    Other,
}

impl Class {
    fn of(program: &str) -> Class {
        match program {
            "rg-outline" => Class::Grammars,
            "review-gate" | "rg-answer" => Class::Stage,
            _ => Class::Other,
        }
    }

    /// The most bytes of such a program.
    fn limit(self) -> Option<u64> {
        match self {
            Class::Grammars => None,
            Class::Stage => Some(1_000_000),
            Class::Other => Some(2_500_000),
        }
    }
}

/// Prints the size of each program. Errors: one is over its limit.
pub fn check(target: &str, bin: &Path) -> Result<(), Failure> {
    stage::say(&format!("{target}: bytes of each program, and its limit"));
    let mut over = Vec::new();
    for name in programs()? {
        let size = fs::metadata(bin.join(&name))?.len();
        let limit = Class::of(&name).limit();
        let shown = limit.map_or_else(|| "-".to_string(), |limit| limit.to_string());
        stage::say(&format!("  {name:<16} {size:>10} {shown:>10}"));
        over.extend(limit.filter(|limit| size > *limit).map(|_| name));
    }
    match over.as_slice() {
        [] => Ok(()),
        over => Err(format!("over the limit: {}", over.join(", ")).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Dir, built};
    use super::*;

    #[test]
    fn a_program_over_its_limit_fails_the_release() {
        let bin = Dir::new("sizes");
        built(&bin.0, "1");
        check("here", &bin.0).unwrap();
        for (name, bytes) in [("rg-answer", 1_000_001), ("rg-check", 2_500_001)] {
            let file = fs::File::options().write(true).open(bin.0.join(name)).unwrap();
            file.set_len(bytes).unwrap();
        }
        let file = fs::File::options().write(true).open(bin.0.join("rg-outline")).unwrap();
        file.set_len(40_000_000).unwrap();
        let error = check("here", &bin.0).unwrap_err().to_string();
        assert_eq!(error, "over the limit: rg-check, rg-answer");
    }
}
