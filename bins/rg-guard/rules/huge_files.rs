//! A rule about files that no program can read to their end.

use super::context::Context;
use super::rule::{Rule, When, deny};
use super::writes::written_paths;
use crate::command::path::Class;
use crate::command::{Call, flags, marks};

/// The size from which on a file is too large to be read by checks and backups: 100 GiB.
const HUGE: u64 = 100 << 30;

/// A size as these programs take it: `8T`, `+1G`, `512KB`, `1GiB`; None where it is not known.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim_start_matches(['+', '%', '<', '>', '/', '=']);
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..end].parse().ok().or_else(|| (end > 18).then_some(u64::MAX))?;
    let mut unit = text[end..].chars();
    let power = match unit.next().map(|c| c.to_ascii_uppercase()) {
        None | Some('B') => 0,
        Some(c) => "KMGTPEZY".find(c)? as u32 + 1,
    };
    let base = if unit.next().is_some_and(|c| c.eq_ignore_ascii_case(&'b')) { 1000_u64 } else { 1024 };
    Some(base.checked_pow(power).and_then(|unit| number.checked_mul(unit)).unwrap_or(u64::MAX))
}

/// The size that a call gives a file.
fn size(call: &Call) -> Option<u64> {
    let found = flags(&call.args, "-s --size -l --length -o --offset -r --reference");
    let of = |names: &[&str]| names.iter().find_map(|name| found.value(name)).and_then(|text| bytes(&text));
    match call.name.as_str() {
        "truncate" | "gtruncate" => of(&["-s", "--size"]),
        "fallocate" => of(&["-l", "--length"]),
        "mkfile" => found.operands.first().and_then(|arg| bytes(&arg.text)),
        _ => {
            let given = |name: &str| call.args.iter().find_map(|arg| arg.text.strip_prefix(name)).map(marks::literal);
            let block = given("obs=").or_else(|| given("bs=")).and_then(|text| bytes(&text)).unwrap_or(512);
            let blocks = given("seek=").or_else(|| given("count=")).and_then(|text| bytes(&text))?;
            Some(block.saturating_mul(blocks))
        }
    }
}

/// Whether a call makes such a file in the project.
fn fills_project(call: &Call, context: &Context) -> bool {
    let is_own = |path: &String| matches!(context.class(call, path), Class::Inside | Class::Project);
    let target = || match call.name.as_str() {
        "mkfile" => call.args.last().is_some_and(|arg| is_own(&arg.text)),
        _ => written_paths(call).iter().any(|(path, _)| is_own(path)),
    };
    size(call).is_some_and(|size| size >= HUGE) && target()
}

/// The rules of this family.
pub const RULES: &[Rule] = &[Rule {
    when: When::Check(&["truncate", "gtruncate", "fallocate", "mkfile", "dd", "gdd"], fills_project),
    denied: &["truncate -s 8T x", "fallocate -l 500GiB big.bin", "dd if=/dev/zero of=x bs=1 count=0 seek=8T"],
    allowed: &["truncate -s 20G disk.img", "dd if=/dev/zero of=disk.img bs=1M count=10", "truncate -s 8T /tmp/x"],
    ..deny(
        "write-huge",
        "it makes a file in the project that checks and backups cannot read to its end",
        "make a smaller one: `truncate -s 1G disk.img`",
    )
}];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        for (text, want) in [
            ("0", Some(0)),
            ("+8T", Some(8 << 40)),
            ("1KB", Some(1000)),
            ("1GiB", Some(1 << 30)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("9999Y", Some(u64::MAX)),
            ("x", None),
        ] {
            assert_eq!(bytes(text), want, "{text}");
        }
    }
}
