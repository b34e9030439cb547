//! The sizes of the programs of a release, and their limits.

use super::programs;
use crate::{Failure, stage};
use std::fs;
use std::path::Path;

/// The most bytes of a program, for those that differ from [`OTHERS`]; None for the one that holds the grammars.
/// docs/decisions/059 says why the limits are not smaller.
const LIMITS: [(&str, Option<u64>); 5] = [
    ("review-gate", Some(1_000_000)),
    ("rg-answer", Some(2_300_000)),
    ("rg-guard", Some(8_300_000)),
    ("rg-outline", None),
    ("rg-tamper", Some(10_000_000)),
];

/// The most bytes of every other program: a tenth over the largest of them.
const OTHERS: u64 = 7_400_000;

/// The most bytes of a program; None if it has no limit.
fn limit_of(program: &str) -> Option<u64> {
    LIMITS.iter().find(|(name, _)| *name == program).map_or(Some(OTHERS), |(_, limit)| *limit)
}

/// Prints the size of each program. Errors: one is over its limit.
pub fn check(target: &str, bin: &Path) -> Result<(), Failure> {
    stage::say(&format!("{target}: bytes of each program, and its limit"));
    let mut over = Vec::new();
    for name in programs()? {
        let size = fs::metadata(bin.join(&name))?.len();
        let limit = limit_of(&name);
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
        for (name, bytes) in [("review-gate", 1_000_001), ("rg-check", 7_400_001)] {
            let file = fs::File::options().write(true).open(bin.0.join(name)).unwrap();
            file.set_len(bytes).unwrap();
        }
        let file = fs::File::options().write(true).open(bin.0.join("rg-outline")).unwrap();
        file.set_len(40_000_000).unwrap();
        let error = check("here", &bin.0).unwrap_err().to_string();
        assert_eq!(error, "over the limit: rg-check, review-gate");
    }
}
