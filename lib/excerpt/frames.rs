//! Lines of stack traces, and places in source files.

/// Parts of frames in runtimes, test runners and installed packages.
const RUNTIME: [&str; 37] = [
    "node:internal",
    "node_modules/",
    "<anonymous>)",
    "<Jasmine>",
    "(node:",
    "at node:",
    "/rustc/",
    "site-packages",
    "/lib/python",
    "<frozen ",
    "/lib/go-",
    "/go/src/",
    "/src/testing/",
    "/src/runtime/",
    "org.junit.",
    "junit.framework.",
    "java.base/",
    "jdk.internal",
    "org.gradle.",
    "org.apache.maven",
    "sun.reflect.",
    "at java.",
    "at app//org.junit",
    "/gems/",
    "/lib/ruby/",
    "<internal:",
    "/usr/share/php/",
    "/vendor/",
    "testing.go:",
    "org.opentest4j",
    "kotlin.",
    "worker.org.gradle",
    "jdk.compiler/",
    "_testmain.go:",
    "(internal:",
    "(ext:",
    ".pxi",
];

/// Whether a frame is in a runtime, a test runner or an installed package.
pub fn is_of_runtime(line: &str) -> bool {
    RUNTIME.iter().any(|part| line.contains(part))
}

/// The path and the text of `path:line: text` or `path:line:column: text`.
pub fn split_place(line: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    loop {
        let at = from + line.get(from..)?.find(':')?;
        let digits = line[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && at > 0 {
            let mut end = at + 1 + digits;
            let more = line[end..].strip_prefix(':').unwrap_or("");
            let column = more.bytes().take_while(u8::is_ascii_digit).count();
            if column > 0 && more[column..].starts_with(':') {
                end += 1 + column;
            }
            let path = &line[..at];
            let rest = line[end..].strip_prefix(':')?;
            let is_path =
                path.len() < 300 && !path.contains(['"', '(', '|', '<', '>', '=']) && path.contains(['.', '/']);
            return (is_path && !path.starts_with(char::is_whitespace) && path.split_whitespace().count() <= 2)
                .then_some((path, rest.trim_start()));
        }
        from = at + 1;
        if from > 400 {
            return None;
        }
    }
}

/// Whether a line begins with a number and then this sign: `  12 | code`.
pub fn is_numbered(line: &str, sign: char) -> bool {
    let text = line.trim_start().trim_start_matches('>').trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.trim_start().starts_with(sign)
}
