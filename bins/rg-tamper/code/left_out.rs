//! Tests that are left out by their tag: an older test has a tag now that the configuration of its runner, which did not change, excludes.

use super::Judgement;
use crate::guards::Inspection;
use crate::sides::Source;
use regex::Regex;
use review_gate::event::Rule;
use review_gate::outline::compare::Side;
use review_gate::sys::files;
use review_gate::sys::text::{count, cut_end, one_line};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

/// The largest configuration that is read, in bytes.
const LARGEST: u64 = 256 << 10;

/// How many files of configuration are read.
const FILES: usize = 20;

/// A language with the tags of its tests.
struct Tagged {
    languages: &'static [&'static str],
    /// A tag in the line of a test or group; what is left without it is the line without the tag.
    inline: Option<LazyLock<Option<Regex>>>,
    /// A line that only holds a tag and stands above a test or a group.
    above: Option<LazyLock<Option<Regex>>>,
    /// How the names of files end in which a runner is configured.
    configured: &'static [&'static str],
    /// How a file leaves tests out; the names stand in what is found.
    excludes: LazyLock<Option<Regex>>,
}

static ALL: [Tagged; 5] = [
    Tagged {
        languages: &["ruby"],
        inline: Some(LazyLock::new(|| Regex::new(r",\s*(?::(\w+)\b(?:\s*=>\s*true)?|(\w+):\s*true\b)").ok())),
        above: None,
        configured: &["spec_helper.rb", "rails_helper.rb", ".rspec"],
        excludes: LazyLock::new(|| {
            Regex::new(r"(?m)filter_run_excluding[^\n]*|--tag\s+~\S+|filter_run_when[^\n]*").ok()
        }),
    },
    Tagged {
        languages: &["php"],
        inline: None,
        above: Some(LazyLock::new(|| Regex::new(r#"#\[(?:\w+\\)*Group\(\s*["'](\w[\w-]*)["']"#).ok())),
        configured: &["phpunit.xml", "phpunit.xml.dist"],
        excludes: LazyLock::new(|| Regex::new(r"(?s)<exclude>\s*<group>.*?</exclude>").ok()),
    },
    Tagged {
        languages: &["elixir"],
        inline: None,
        above: Some(LazyLock::new(|| Regex::new(r"@(?:tag|describetag|moduletag)\s+:?(\w+)").ok())),
        configured: &["test_helper.exs"],
        excludes: LazyLock::new(|| Regex::new(r"(?s)\bexclude:\s*(?:\[.*?\]|:\w+)").ok()),
    },
    Tagged {
        languages: &["python"],
        inline: None,
        above: Some(LazyLock::new(|| Regex::new(r"@(?:pytest\.)?mark\.(\w+)").ok())),
        configured: &["pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", ".pytest.ini"],
        excludes: LazyLock::new(|| Regex::new(r#"-m[ =]?\\?["']\s*not [^"'\n]*"#).ok()),
    },
    Tagged {
        languages: &["java", "kotlin"],
        inline: None,
        above: Some(LazyLock::new(|| Regex::new(r#"@Tag\(\s*"([\w-]+)"\s*\)"#).ok())),
        configured: &["build.gradle", "build.gradle.kts", "pom.xml", "junit-platform.properties"],
        excludes: LazyLock::new(|| Regex::new(r"excludeTags\b[^\n]*|<excludedGroups>[^<]*</excludedGroups>").ok()),
    },
];

impl Inspection<'_> {
    /// Finds older tests that have such a tag only now.
    pub fn find_left_out(&mut self, judgement: &Judgement<'_>, source: &Source<'_>) {
        let Some(level) = self.guards.level(Rule::NoNewSkips) else { return };
        for tagged in &ALL {
            let is_of = |file: &usize| {
                let language = judgement.sides(*file).role.language;
                let had_tests = judgement.outline(Side::Then, *file).is_some_and(|then| !then.tests.is_empty());
                had_tests && language.is_some_and(|language| tagged.languages.contains(&language))
            };
            let excluded = LazyCell::new(|| excluded(source, tagged));
            for file in (0..judgement.code.files.len()).filter(is_of) {
                let Some((then, now)) = judgement.texts(source).lines(file) else { continue };
                let mut by_tag: BTreeMap<String, Vec<usize>> = BTreeMap::new();
                for (at, tag) in new_tags(tagged, then, now) {
                    by_tag.entry(tag).or_default().push(at);
                }
                let tests = judgement.outline(Side::Then, file).map_or(0, |outline| outline.tests.len());
                for (tag, places) in by_tag {
                    // One mark of the group took the place of one of each test.
                    if then.iter().filter(|line| is_tag(tagged, line, &tag)).count() >= tests {
                        continue;
                    }
                    let Some(line) = excluded.iter().find(|line| holds(line, &tag)) else { continue };
                    let (shown, what) = (cut_end(&one_line(line), 80), count(places.len(), "place"));
                    let text = format!("older tests have the tag \"{tag}\" now ({what}), and are left out: `{shown}`");
                    let place = (judgement.shown(file), places.first().map(|at| *at as u64 + 1));
                    self.find_at(judgement.level(file, level), Rule::NoNewSkips, place.0, place.1, &tag, text);
                }
            }
        }
    }
}

/// Whether a line holds a tag.
fn is_tag(tagged: &Tagged, line: &str, tag: &str) -> bool {
    let forms = [&tagged.inline, &tagged.above].into_iter().flatten();
    forms.filter_map(|regex| regex.as_ref()).any(|regex| regex.is_match(line)) && holds(line, tag)
}

/// What files of configuration say that leaves tests out.
fn excluded(source: &Source<'_>, tagged: &Tagged) -> Vec<String> {
    let Some(regex) = tagged.excludes.as_ref() else { return Vec::new() };
    let is_configured = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        tagged.configured.contains(&name.as_str())
    };
    let paths = source.now.files.iter().map(|file| &file.path).filter(|path| is_configured(path)).take(FILES);
    let texts = paths.filter_map(|path| files::try_read(&source.top.join(path), LARGEST));
    let found = |text: Vec<u8>| -> Vec<String> {
        let text = String::from_utf8_lossy(&text).into_owned();
        regex.find_iter(&text).map(|found| found.as_str().to_string()).collect()
    };
    texts.flat_map(found).collect()
}

/// Whether a piece of configuration names a tag.
fn holds(text: &str, tag: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.split(|c| !is_part(c)).any(|word| word.trim_matches('-') == tag)
}

/// The new tags of tests and groups that were there before, each with its line.
fn new_tags(tagged: &Tagged, then: &[String], now: &[String]) -> Vec<(usize, String)> {
    let was_there = |text: &str| then.iter().any(|line| line.trim() == text);
    let inline = tagged.inline.as_ref().and_then(|regex| regex.as_ref());
    let above = tagged.above.as_ref().and_then(|regex| regex.as_ref());
    let name =
        |found: &regex::Captures<'_>| found.iter().skip(1).flatten().next().map(|name| name.as_str().to_string());
    let mut tags = Vec::new();
    for (at, line) in now.iter().enumerate() {
        let text = line.trim();
        if let Some(regex) = inline.filter(|_| !was_there(text)) {
            for found in regex.captures_iter(text) {
                let whole = found.get(0).map_or(0..0, |whole| whole.range());
                let bare = format!("{}{}", &text[..whole.start], &text[whole.end..]);
                tags.extend(name(&found).filter(|_| was_there(&bare)).map(|tag| (at, tag)));
            }
        }
        let is_mark = |line: &&String| {
            let text = line.trim();
            text.is_empty() || text.starts_with(['@', '#'])
        };
        if let Some(found) = above.and_then(|regex| regex.captures(text)).filter(|_| is_mark(&line)) {
            let below = now[at + 1..].iter().find(|line| !is_mark(line)).map_or("", |line| line.trim());
            let place = then.iter().position(|line| line.trim() == below).filter(|_| !below.is_empty());
            let Some(place) = place else { continue };
            let had = then[..place].iter().rev().take_while(is_mark).any(|line| line.trim() == text);
            tags.extend(name(&found).filter(|_| !had).map(|tag| (at, tag)));
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn a_new_tag_of_an_older_test_is_told() {
        let of = |language: &str, then: &str, now: &str| -> Vec<String> {
            let tagged = ALL.iter().find(|one| one.languages.contains(&language)).unwrap();
            new_tags(tagged, &lines(then), &lines(now)).into_iter().map(|(_, tag)| tag).collect()
        };
        assert_eq!(of("ruby", "it \"a\" do\nend", "it \"a\", :nightly do\nend"), ["nightly"]);
        assert_eq!(of("ruby", "it \"a\" do\nend", "it \"a\", slow: true do\nend"), ["slow"]);
        assert!(of("ruby", "it \"a\", :slow do", "it \"a\", :slow do").is_empty(), "it had it");
        assert!(of("ruby", "", "it \"b\", :slow do").is_empty(), "a new test");
        let php = "public function testA(): void";
        assert_eq!(of("php", php, &format!("#[Group('legacy')]\n{php}")), ["legacy"]);
        assert!(of("php", &format!("#[Group('legacy')]\n{php}"), &format!("#[Group('legacy')]\n{php}")).is_empty());
        assert_eq!(of("elixir", "test \"a\" do", "@tag :slow\ntest \"a\" do"), ["slow"]);
        assert_eq!(of("python", "def test_a():", "@pytest.mark.slow\ndef test_a():"), ["slow"]);
        assert_eq!(of("java", "void a() {", "@Test\n@Tag(\"slow\")\nvoid a() {"), ["slow"]);
    }

    #[test]
    fn configuration_names_what_it_leaves_out() {
        let of = |language: &str, text: &str, tag: &str| {
            let tagged = ALL.iter().find(|one| one.languages.contains(&language)).unwrap();
            let regex = tagged.excludes.as_ref().unwrap();
            regex.find_iter(text).any(|found| holds(found.as_str(), tag))
        };
        assert!(of("ruby", "config.filter_run_excluding :nightly unless ENV[\"N\"]", "nightly"));
        assert!(of("ruby", "--tag ~slow", "slow") && !of("ruby", "--tag slow", "slow"));
        assert!(of("php", "<groups>\n<exclude>\n<group>legacy</group>\n</exclude>", "legacy"));
        assert!(!of("php", "<include>\n<group>legacy</group>\n</include>", "legacy"));
        assert!(of("elixir", "ExUnit.start(exclude: [:external, :slow])", "slow"));
        assert!(
            of("python", "addopts = \"-m 'not slow'\"", "slow") && of("python", "addopts = -m \"not slow\"", "slow")
        );
        assert!(!of("python", "addopts = \"-m slow\"", "slow"));
        assert!(of("java", "useJUnitPlatform { excludeTags 'slow' }", "slow"));
        assert!(of("java", "<excludedGroups>slow</excludedGroups>", "slow"));
    }
}
