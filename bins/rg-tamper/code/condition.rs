//! Conditions of skips: those that the environment decides (platform, version, tool, network), and those that are as good as none.

use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that ask for the platform, a version, a tool or the network.
static ENVIRONMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = concat!(
        r"platform|ostype|windows|win32|win64|mingw|cygwin|_msc_ver|__apple__|linux|darwin|macos|freebsd|android|ios|wasm|unix|posix|x86|aarch64|arm64|endian|goos|goarch",
        r"|version|netframework|netstandard|netcoreapp|\bnet\d|ruby_engine|jruby|truffleruby|pypy|implementation|interpreter|runtime|node_|deno|bun\b|jre|jvm|sdk|api_level",
        r"|target_|panic\s*=|miri|sanitizer|nightly|debug_assertions|race\b|testing\.short|cgo",
        r"|\bwhich\b|lookpath|command -v|importlib|find_spec|hasattr|has_module|installed|available|supports|supported|responds_to|(?-i:\b[A-Z])\w*\.respond_to",
        r"|os\.name|onos\b|currentos|extension_loaded|requiresphp|@requires|network|online|offline|internet|ipv6|locale|timezone|euid|getuid",
        r"|docker|container|filesystem|symlink|case_sensitive|gpu|cuda"
    );
    Regex::new(&format!("(?i){words}")).ok()
});

/// Names of flags that are set elsewhere: `isBuild`, `has_ipv6`, `HAVE_ZLIB`.
static FLAG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?:(?:is|has|have|can|supports)[A-Z_]\w*|(?:IS|HAS|HAVE|CAN|SUPPORTS)_\w+)").ok());

/// Environment variables, and the name of the service that runs the tests: who runs the tests sets them as the skip needs.
static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)process\.env\b|process\(?\)?\.environment|os\.environ|getenv|\benv\[|env::var|\$\{?[A-Z]|environmentvariable|\b(?:is_?)?ci\b")
        .ok()
});

/// The function that skips a test if a module is not installed.
const IMPORT_OR_SKIP: &str = "importorskip";

/// The module without which a mark skips a test.
pub fn module<'a>(mark: &str, condition: &'a str) -> Option<&'a str> {
    let name = condition.trim_matches(['"', '\'']);
    (mark.contains(IMPORT_OR_SKIP) && name.len() >= 3).then_some(name)
}

fn matches(regex: &Option<Regex>, text: &str) -> bool {
    regex.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// Whether the environment decides a condition. Names that the change itself defines decide nothing.
pub fn is_of_environment(condition: &str, mark: &str, new_names: &BTreeSet<&str>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let is_defined_here = condition.split(|c| !is_part(c)).any(|name| new_names.contains(name));
    let is_variable = matches(&VARIABLE, condition) && !condition.contains("OSTYPE") || matches(&VARIABLE, mark);
    let is_tool = mark.contains(IMPORT_OR_SKIP) || matches(&ENVIRONMENT, condition) || matches(&FLAG, condition);
    !is_defined_here && !is_variable && is_tool
}

/// A question that a value of the test answers: `total.isVisible()`.
static QUESTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:\.|->|::)(?:is|has|have|can)[A-Z_]\w*").ok());

/// Whether the environment decides a condition in the lines of a test. What a value of the test answers is no such condition.
pub fn is_of_given(condition: &str, new_names: &BTreeSet<&str>) -> bool {
    let keep = |found: &regex::Captures<'_>| {
        if matches(&ENVIRONMENT, &found[0]) { found[0].to_string() } else { String::new() }
    };
    let text = QUESTION.as_ref().map_or(condition.into(), |regex| regex.replace_all(condition, keep));
    is_of_environment(&text, "", new_names)
}

/// What the environment may be asked for: words of conditions, in lower case.
const KINDS: [&[&str]; 4] = [
    &[
        "platform",
        "ostype",
        "goos",
        "os.name",
        "windows",
        "win32",
        "linux",
        "darwin",
        "macos",
        "onos",
        "currentos",
        "uname",
        "posix",
    ],
    &["version", "onjre", "onjava", "sdk", "api_level", "rubyversion", "requiresphp(", "requires php "],
    &["pypy", "cpython", "jruby", "ruby_engine", "truffleruby", "implementation"],
    &["requires", "importorskip", "find_spec", "extension", "which", "lookpath", "command", "installed"],
];

/// Systems on which tests usually run.
const USUAL: [&str; 5] = ["linux", "darwin", "macos", "posix", "unix"];

/// Whether two conditions ask the environment for the same, in other words: the platform, a version, the interpreter, or a tool of one name.
pub fn is_alike(before: (&str, &str), now: (&str, &str)) -> bool {
    let text = |(mark, condition): (&str, &str)| format!("{mark} {condition}").to_lowercase();
    let (old, new) = (text(before), text(now));
    let asks = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
    let same = |at: usize| asks(&old, KINDS[at]) && asks(&new, KINDS[at]);
    let is_part = |c: char| c.is_alphanumeric();
    let named = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c| !is_part(c)).filter(|word| word.len() > 1 && !word.chars().all(|c| c.is_numeric()));
        words.filter(|word| !KINDS[3].iter().any(|kind| word.contains(kind))).map(str::to_string).collect()
    };
    // A platform on which tests usually run is another demand.
    let is_usual = USUAL.iter().any(|word| new.contains(word) && !old.contains(word));
    // An attribute holds its condition itself.
    let subject = |(mark, condition): (&str, &str)| {
        let text = if condition.is_empty() { mark } else { condition };
        named(&text.to_lowercase())
    };
    let (old_names, new_names) = (subject(before), subject(now));
    let is_tool = same(3) && old_names.intersection(&new_names).next().is_some();
    same(0) && !is_usual || same(1) || same(2) || is_tool
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_is_not_installed_is_a_condition_of_the_environment() {
        assert!(is_of_environment("\"numpy\"", "pytest.importorskip", &BTreeSet::new()));
        assert!(!is_of_environment("\"numpy\"", "skipif", &BTreeSet::new()));
        assert_eq!(module("pytest.importorskip", "\"numpy\""), Some("numpy"));
        assert_eq!(module("skipif", "\"numpy\""), None);
    }

    #[test]
    fn a_condition_in_other_words_asks_for_the_same() {
        let is = |a: &str, b: &str| is_alike(("skipif", a), ("skipif", b));
        assert!(is("sys.platform == 'win32'", "os.name == 'nt'"));
        assert!(is("sys.version_info < (3, 8)", "sys.version_info < (3, 9)"));
        assert!(is_alike(("assumeTrue", "(OS.LINUX.isCurrentOs)"), ("@EnabledOnOs", "(OS.LINUX)")));
        assert!(is_alike(("@requires extension gd", "@requires extension gd"), ("RequiresPhpExtension('gd')", "")));
        assert!(!is("sys.platform == 'win32'", "sys.platform in ('win32', 'linux')"), "the usual platform");
        assert!(!is("sys.platform == 'win32'", "sys.version_info < (3, 9)"), "something else");
        assert!(!is("which gzip", "which tar"), "another tool");
    }

    #[test]
    fn the_environment_decides_platforms_versions_and_tools() {
        let is = |condition: &str| is_of_environment(condition, "skipif", &["isReady"].into());
        for condition in [
            "sys.platform == 'win32'",
            "process.platform === 'win32'",
            "runtime.GOOS == \"windows\"",
            "sys.version_info < (3, 9)",
            "testing.Short()",
            "RUBY_ENGINE == 'jruby'",
            "isBuild",
            "!has_ipv6()",
            "!HAVE_ZLIB",
            "[[ \"$OSTYPE\" == msys ]]",
        ] {
            assert!(is(condition), "{condition}");
        }
        for condition in [
            "true",
            "1",
            "isReady",
            "reason",
            "process.env.CI",
            "isCI",
            "-z \"$CI\"",
            "!process.env.SLOW",
            "not os.environ.get('SLOW')",
            "os.Getenv(\"SLOW\") == \"\"",
            "Date.now() > 0",
            "browser === 'webkit'",
            "x === undefined",
            "feature = \"slow\"",
        ] {
            assert!(!is(condition), "{condition}");
        }
        assert!(!is_of_environment("matches = \"1\"", "@EnabledIfEnvironmentVariable", &BTreeSet::new()));
    }
}
