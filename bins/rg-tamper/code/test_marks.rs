//! Attributes of the project that mark tests: one that skips its tests, `class ApiFactAttribute : FactAttribute { … Skip = "…" }`.

use super::Judgement;
use super::extent;
use crate::guards::Inspection;
use crate::sides::Source;
use regex::Regex;
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::Side;
use review_gate::sys::text::count;
use std::sync::LazyLock;

/// A class of C# that stands for an attribute of tests.
static CLASS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\bclass\s+(\w+?)(?:Attribute)?\s*(?:\([^)]*\))?\s*:\s*(?:\w+\.)*(?:Fact|Theory|Test\w*)Attribute\b")
        .ok()
});

impl Inspection<'_> {
    /// Finds tests that existed and have such an attribute only now.
    pub fn find_skipping_attributes(&mut self, judgement: &Judgement<'_>, source: &Source<'_>) {
        let Some(level) = self.guards.level(Rule::NoNewSkips) else { return };
        let is_c_sharp = |file: &usize| judgement.sides(*file).role.language == Some("csharp");
        let files: Vec<usize> = (0..judgement.code.files.len()).filter(is_c_sharp).collect();
        let had_tests = |file: &usize| judgement.outline(Side::Then, *file).is_some_and(|then| !then.tests.is_empty());
        if !files.iter().any(had_tests) {
            return;
        }
        let texts = judgement.texts(source);
        let lines = |file: &usize| texts.lines(*file);
        let names: Vec<String> = files.iter().filter_map(lines).flat_map(|(_, now)| skipping(now)).collect();
        for name in names {
            for file in &files {
                let Some((then, now)) = lines(file) else { continue };
                let marks = |lines: &[String]| lines.iter().filter(|line| is_mark(line, &name)).count();
                let (before, after) = (marks(then), marks(now));
                if then.is_empty() || after <= before {
                    continue;
                }
                let was = if after - before == 1 { "has" } else { "have" };
                let text =
                    format!("{} {was} the attribute {name} now, which may skip them", count(after - before, "test"));
                let level = judgement.level(*file, level.min(Level::Warning));
                self.find_at(level, Rule::NoNewSkips, judgement.shown(*file), None, &name, text);
            }
        }
    }
}

/// The attributes that these lines define, and that set a reason to skip.
fn skipping(lines: &[String]) -> Vec<String> {
    let names = |at: usize| {
        let name = CLASS.as_ref()?.captures(&lines[at])?.get(1)?.as_str().to_string();
        let body = &lines[extent::of(lines, at)];
        body.iter().any(|line| line.trim_start().starts_with("Skip =") || line.contains(" Skip =>")).then_some(name)
    };
    (0..lines.len()).filter_map(names).collect()
}

/// Whether a line marks a test with an attribute.
fn is_mark(line: &str, name: &str) -> bool {
    let inner = line.trim_start().strip_prefix('[').and_then(|rest| rest.split(']').next());
    inner.is_some_and(|inner| inner.split(',').any(|one| one.split('(').next().is_some_and(|word| word.trim() == name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_that_skips_is_told_from_one_that_does_not() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let class = |line: &str| {
            lines(&format!(
                "public sealed class ApiFactAttribute : FactAttribute\n{{\n    public ApiFactAttribute()\n    {{\n        {line}\n    }}\n}}"
            ))
        };
        assert_eq!(skipping(&class("Skip = \"off\";")), ["ApiFact"]);
        assert!(skipping(&class("DisplayName = \"api\";")).is_empty());
        assert!(is_mark("    [ApiFact]", "ApiFact") && is_mark("[Trait(1), ApiFact(2)]", "ApiFact"));
        assert!(!is_mark("[ApiFacts]", "ApiFact") && !is_mark("// ApiFact", "ApiFact"));
    }
}
