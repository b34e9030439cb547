//! Rules of the repository: forbidden code, the length of files, the agreement of code and documents.

use review_gate::event::Rule;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(dirs: &[&str], ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = dirs.iter().map(|dir| checkout().join(dir)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push((path.strip_prefix(checkout()).unwrap().to_path_buf(), fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Whether a file contains only the unit tests of its parent module.
pub fn is_unit_tests(path: &Path) -> bool {
    let dir = path.parent().unwrap();
    let declared = format!("#[cfg(test)]\nmod {};", path.file_stem().unwrap().to_string_lossy());
    let around =
        [dir.join("mod.rs"), dir.with_extension("rs")].into_iter().find_map(|path| fs::read_to_string(path).ok());
    around.is_some_and(|text| text.contains(&declared))
}

/// A file without its unit tests.
fn shipped<'a>(path: &Path, text: &'a str) -> &'a str {
    if is_unit_tests(&checkout().join(path)) { "" } else { text.split("#[cfg(test)]\nmod tests").next().unwrap() }
}

/// The sources below a directory, without their unit tests.
pub fn sources_of(dir: &str) -> Vec<String> {
    files(&[dir], ".rs").iter().map(|(path, text)| shipped(path, text).to_string()).collect()
}

/// The tools, by the binaries of Cargo.toml.
pub fn tools() -> Vec<String> {
    let manifest = fs::read_to_string(checkout().join("Cargo.toml")).unwrap();
    let names = manifest.split("[[bin]]").skip(1).map(|part| part.split('"').nth(1).unwrap().to_string());
    names.collect()
}

#[test]
fn every_file_has_a_summary_and_a_limited_length() {
    for (path, text) in files(&["lib", "bins", "tests/it", "xtask/src"], ".rs") {
        assert!(text.starts_with("//! "), "{} does not open with a //! line", path.display());
        assert!(
            !text.contains(" \n") && text.ends_with("}\n") | text.ends_with(";\n"),
            "{}: white space",
            path.display()
        );
        let limit = [("tests", 700), ("lib", 400)]
            .iter()
            .find(|(dir, _)| path.starts_with(dir))
            .map_or(420, |(_, limit)| *limit);
        let lines = shipped(&path, &text).lines().count();
        assert!(lines <= limit, "{} has {lines} lines: is it two ideas?", path.display());
    }
}

#[test]
fn forbidden_code_is_absent() {
    let only: [(&str, &[&str]); 11] = [
        ("println!", &[]),
        ("process::exit", &[]),
        ("unsafe ", &[]),
        (".unwrap()", &[]),
        ("todo!(", &[]),
        ("std::env::var", &["lib/sys/env.rs"]),
        ("SystemTime::now", &["lib/sys/clock.rs"]),
        ("io::stdout()", &["lib/tool/pipes.rs", "lib/answer/mod.rs"]),
        ("io::stderr()", &["lib/tool/cli.rs"]),
        ("Command::new(\"git\")", &["lib/git/command.rs"]),
        ("\"master\"", &["lib/git/mod.rs"]),
    ];
    for (path, text) in files(&["lib", "bins"], ".rs") {
        for (what, allowed) in only {
            let here = allowed.iter().any(|known| path == Path::new(known));
            assert!(here || !shipped(&path, &text).contains(what), "{} has {what}", path.display());
        }
        let literal_two = ["ExitCode::from(2)", "exit(2)"].iter().any(|two| shipped(&path, &text).contains(two));
        let literal_two = literal_two || path.ends_with("lib/sys/exit.rs") && shipped(&path, &text).contains("= 2,");
        assert!(!literal_two, "{}: status 2 is never ours", path.display());
    }
}

/// Only the table of rules contains the word of a rule. `unstable` and `unreadable` are also plain English, and rg-guard has its own rules.
#[test]
fn no_rule_is_written_as_a_string() {
    for (path, text) in files(&["lib", "bins"], ".rs") {
        if path == Path::new("lib/event/rule.rs") || path.starts_with("bins/rg-guard") {
            continue;
        }
        for rule in Rule::ALL.iter().map(|rule| rule.word()).filter(|word| word.contains(['-', '_'])) {
            assert!(!shipped(&path, &text).contains(&format!("\"{rule}\"")), "{}: {rule}", path.display());
        }
    }
}

#[test]
fn no_tool_imports_another_and_main_is_one_call() {
    for tool in tools() {
        let single = checkout().join(format!("bins/{tool}.rs"));
        let path = if single.exists() { single } else { checkout().join(format!("bins/{tool}/main.rs")) };
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("fn main() -> ExitCode {\n    cli::main(&TOOL, "), "{tool}");
        assert!(text.contains(&format!("//! man: {tool}(1)")), "{tool} does not name its manual");
        assert!(!text.contains("#[path"), "{tool}");
    }
}

/// The names in a text.
fn names(text: &str) -> HashSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

/// Each public item is used outside of its module; one in a file of a module directory is used in another file.
#[test]
fn every_public_item_of_the_library_has_a_user_elsewhere() {
    let all = files(&["lib", "bins"], ".rs");
    let used: Vec<(&PathBuf, HashSet<&str>)> =
        all.iter().map(|(path, text)| (path, names(shipped(path, text)))).collect();
    let module = |path: &Path| path.components().nth(1).unwrap().as_os_str().to_owned();
    let (mut checked, mut unused) = (0, Vec::new());
    for (path, text) in all.iter().filter(|(path, _)| path.starts_with("lib")) {
        let is_in_room = path.components().count() > 2;
        for line in shipped(path, text).lines() {
            let Some(rest) = line.trim_start().strip_prefix("pub ") else { continue };
            let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '_');
            let name = match words.next() {
                Some("fn" | "struct" | "enum" | "const" | "static" | "trait") => words.next().unwrap(),
                _ => continue,
            };
            let is_elsewhere = |other: &Path| if is_in_room { other != path } else { module(other) != module(path) };
            let is_used = used.iter().any(|(other, names)| is_elsewhere(other) && names.contains(name));
            // A type counts as used if it is the type of a public field or of a result.
            let is_part = rest.starts_with(['s', 'e', 't']) && shipped(path, text).matches(name).count() > 2;
            if !(is_used || is_part) {
                unused.push(format!("{}: {name}", path.display()));
            }
            checked += 1;
        }
    }
    assert!(unused.is_empty(), "nobody uses these: {unused:#?}");
    assert!(checked > 500, "{checked}");
}

#[test]
fn one_version_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    for file in ["plugin.json", "marketplace.json"] {
        let text = fs::read_to_string(checkout().join(".claude-plugin").join(file)).unwrap();
        assert!(text.contains(&format!("\"version\": \"{version}\"")), "{file}");
    }
    let changelog = fs::read_to_string(checkout().join("CHANGELOG.md")).unwrap();
    assert_eq!(changelog.matches(&format!("## {version}")).count(), 1, "CHANGELOG.md");
    for tool in tools() {
        let said = crate::scratch::Scratch::new().run(&tool, &["--version"], b"");
        assert_eq!((said.status, said.out), (0, format!("{tool} {version}\n")));
    }
}

#[test]
fn every_tool_is_documented_everywhere() {
    let seventh = fs::read_to_string(checkout().join("man/review-gate.7")).unwrap();
    let readme = fs::read_to_string(checkout().join("README.md")).unwrap();
    let changelog = fs::read_to_string(checkout().join("CHANGELOG.md")).unwrap();
    let transcripts: String = files(&["tests/pipe"], ".sh").into_iter().map(|(_, text)| text).collect();
    for tool in tools() {
        assert!(seventh.contains(&format!(".It Xr {tool} 1 Ta ")), "{tool} in review-gate(7)");
        assert!(readme.contains(&format!("`{tool}`")), "{tool} in README.md");
        assert!(changelog.contains(&tool), "{tool} in CHANGELOG.md");
        assert!(transcripts.contains(&tool), "{tool} in no transcript");
    }
}

/// The reviewer's prompt names every lens, allows only read tools, and uses the words that the parser accepts.
#[test]
fn the_reviewers_prompt_names_every_lens() {
    let text = fs::read_to_string(checkout().join("agents/reviewer.md")).unwrap().to_lowercase();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for lens in [
        "null",
        "empty",
        "huge",
        "negative",
        "malformed",
        "unicode",
        "infinity",
        "contracts",
        "invariants",
        "deletion",
        "shell injection",
        "traversal",
        "sql injection",
        "xss",
        "deserialisation",
        "secrets",
        "fails without the change",
        "scope",
        "not for the agent",
        "read-only",
        "assume that there is an error",
        "strongest case",
        "be proportional",
        "how_to_verify",
        "reviewed",
        "nonce",
        "approve",
        "issues",
        "unsure",
        "human",
        "critical",
        "major",
        "minor",
    ] {
        assert!(text.contains(lens), "agents/reviewer.md does not speak of {lens}");
    }
}

#[test]
fn hook_lines_are_plain_and_timed() {
    let hooks: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(checkout().join("hooks.json")).unwrap()).unwrap();
    for (event, groups) in hooks["hooks"].as_object().unwrap() {
        for hook in groups.as_array().unwrap().iter().flat_map(|group| group["hooks"].as_array().unwrap()) {
            let line = hook["command"].as_str().unwrap();
            let timeout = hook["timeout"].as_f64().unwrap();
            let within = |text: &str| {
                text.split_once("--within ").map(|(_, rest)| rest.split(' ').next().unwrap().parse::<f64>().unwrap())
            };
            // A single program is started without a shell: its path is not quoted, and its arguments are separate.
            let place = if hook.get("args").is_some() {
                "${CLAUDE_PLUGIN_ROOT}/bin/"
            } else {
                "\"${CLAUDE_PLUGIN_ROOT}\"/bin/"
            };
            for stage in line.split(" | ") {
                let tool = stage.strip_prefix(place).unwrap_or_else(|| panic!("{event}: {stage}"));
                assert!(tools().contains(&tool.split(' ').next().unwrap().to_string()), "{event}: {tool} is not built");
                assert!(within(stage).is_none_or(|within| within < timeout), "{event}: {stage} outlives {timeout}");
            }
            assert!(!line.contains([';', '&', '<', '>', '`', '(']) && !line.contains("set "), "{event}: shell logic");
        }
    }
}

/// The plugin's second file of hooks, the only one with shell logic: it works where no program of review-gate does.
#[test]
fn a_plugin_says_once_that_its_programs_are_missing() {
    let hooks = fs::read_to_string(checkout().join("hooks/hooks.json")).unwrap();
    let hooks: serde_json::Value = serde_json::from_str(&hooks).unwrap();
    let events: Vec<&String> = hooks["hooks"].as_object().unwrap().keys().collect();
    let group = &hooks["hooks"]["SessionStart"][0];
    assert!(events == ["SessionStart"] && group["matcher"] == "startup|resume", "{hooks}");
    let scratch = crate::scratch::Scratch::new();
    let plugin = scratch.top().join("a plugin's folder");
    fs::create_dir_all(plugin.join("hooks")).unwrap();
    fs::copy(checkout().join("hooks/no-programs.json"), plugin.join("hooks/no-programs.json")).unwrap();
    let said = || {
        let mut line = scratch.command("sh");
        line.args(["-c", group["hooks"][0]["command"].as_str().unwrap()]).env("CLAUDE_PLUGIN_ROOT", &plugin);
        crate::scratch::feed(&mut line, b"{}")
    };
    let missing = said();
    let context = missing.json()["hookSpecificOutput"]["additionalContext"].to_string();
    assert!(missing.status == 0 && missing.err.is_empty() && missing.out.lines().count() == 1, "{missing:?}");
    assert!(missing.told().contains("`cargo xtask plugin DIR`") && context.contains("no programs"), "{missing:?}");
    std::os::unix::fs::symlink(crate::scratch::bin_dir(), plugin.join("bin")).unwrap();
    let complete = said();
    assert_eq!((complete.status, complete.out.as_str(), complete.err.as_str()), (0, "", ""));
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = fs::read_to_string(checkout().join("Cargo.toml")).unwrap();
    let contributing = fs::read_to_string(checkout().join("CONTRIBUTING.md")).unwrap();
    for section in ["[dependencies]", "musl\")'.dependencies]", "[dev-dependencies]"] {
        let part = manifest.split(section).nth(1).unwrap().split("\n[").next().unwrap();
        for name in part.lines().filter_map(|line| line.split(" = ").next()).filter(|name| !name.is_empty()) {
            assert!(contributing.contains(&format!("| {name} |")), "{name} has no reason in CONTRIBUTING.md");
        }
    }
}

#[test]
fn every_law_names_a_test_that_exists() {
    let texts = files(&["docs/laws.md", "docs/bypasses.md", "docs/clients.md", "docs/donegate.md"], ".md");
    let laws: String = texts.into_iter().map(|(_, text)| text).collect();
    let sources: String =
        files(&["lib", "bins", "tests/it", "xtask/src"], ".rs").into_iter().map(|(_, text)| text).collect();
    let mut count = 0;
    let quoted = laws.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('`').skip(1).step_by(2));
    for name in quoted.filter(|name| name.contains("::")) {
        let test = name.rsplit("::").next().unwrap();
        assert!(sources.contains(&format!("fn {test}(")), "{name} is no test");
        count += 1;
    }
    assert!(count > 90, "{count}");
}

/// The places in the checkout that a text names: paths below its directories, and pages by their names alone. A placeholder ends a
/// path (`bins/<name>/main.rs` names `bins/`). Paths in a user's project do not count.
fn cited(text: &str) -> Vec<&str> {
    const DIRS: [&str; 12] = [
        "agents/",
        "bins/",
        "commands/",
        "docs/",
        "lib/",
        "man/",
        "nix/",
        "schema/",
        "skills/",
        "tests/",
        "xtask/",
        ".ci/",
    ];
    // Files of clients in a user's project.
    const OF_USERS: [&str; 5] = ["AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "CLAUDE.md", "GEMINI.md"];
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-+*<>~$\\".contains(c);
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_end_matches(['.', '-']));
    let named = words.filter(|word| DIRS.iter().any(|dir| word.starts_with(dir)) || word.ends_with(".md"));
    named
        .filter(|word| word.starts_with(".ci/") || !word.starts_with(['/', '~', '$', '<', '.']))
        .filter(|word| !word.ends_with("/DONE.md"))
        .filter(|word| !OF_USERS.contains(word))
        .map(|word| match word.find(['*', '<']) {
            Some(end) => &word[..word[..end].rfind('/').map_or(0, |slash| slash + 1)],
            None => word,
        })
        .collect()
}

/// Whether the checkout has what `from` calls `name`: from the top, beside it, a page by its name, a decision by its number.
fn is_there(from: &Path, name: &str, pages: &HashSet<String>) -> bool {
    let beside = checkout().join(from).parent().unwrap().join(name);
    let decision = name.strip_prefix("docs/decisions/").is_some_and(|number| {
        let starts = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&format!("{number}-"));
        number.len() == 3 && fs::read_dir(checkout().join("docs/decisions")).unwrap().flatten().any(|e| starts(&e))
    });
    checkout().join(name).exists() || beside.exists() || pages.contains(name) || decision
}

/// Whoever follows a reference finds it in the checkout: in pages, in manuals, in comments.
#[test]
fn every_path_that_is_named_exists() {
    let mut texts = files(
        &[
            "README.md",
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "DONE.md",
            "docs",
            "agents",
            "commands",
            "skills",
        ],
        ".md",
    );
    let pages: HashSet<String> =
        texts.iter().map(|(path, _)| path.file_name().unwrap().to_str().unwrap().into()).collect();
    for section in [".1", ".5", ".7"] {
        texts.extend(files(&["man"], section));
    }
    for (path, text) in files(&["lib", "bins", "tests/it", "xtask/src"], ".rs") {
        let comments = text.lines().filter_map(|line| line.split_once("//")).map(|(_, comment)| comment);
        texts.push((path, comments.collect::<Vec<_>>().join("\n")));
    }
    let (mut count, mut missing) = (0, Vec::new());
    for (path, text) in &texts {
        for name in cited(text) {
            count += 1;
            if !is_there(path, name, &pages) {
                missing.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "named, and not there: {missing:#?}");
    assert!(count > 150, "{count}");
    for name in ["docs/none.md", "lib/none.rs", "none.md", "docs/decisions/999"] {
        assert_eq!(cited(&format!("see `{name}`.")), [name]);
        assert!(!is_there(Path::new("docs/laws.md"), name, &pages), "{name}");
    }
}

/// A file is named after the noun that it defines; participles and prepositions alone name nothing.
#[test]
fn no_file_is_named_by_a_participle_or_a_preposition() {
    let names = "said left made kept held gone told given taken asked wanted before after around away beside inner outer \
        amid with without each other anew";
    let all = files(&["lib", "bins", "tests/it", "xtask/src"], ".rs");
    assert!(all.len() > 200);
    for (path, _) in all {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(!names.split_whitespace().any(|word| word == name), "{}", path.display());
    }
}

/// Each source has a title and a place, and the threat model says what it was read for.
#[test]
fn every_source_is_cited_and_every_citation_has_an_entry() {
    let bibliography = fs::read_to_string(checkout().join("docs/references.bib")).unwrap();
    let page = fs::read_to_string(checkout().join("docs/threat-model.md")).unwrap();
    let cited: Vec<&str> = page
        .split("## Sources")
        .nth(1)
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let mut keys = Vec::new();
    for entry in bibliography.split("\n@misc{").skip(1) {
        let (key, rest) = entry.split_once(',').unwrap();
        for field in ["title", "url"] {
            let value = rest.lines().find_map(|line| line.trim().strip_prefix(field)?.split_once("= {"));
            assert!(value.is_some_and(|(_, value)| value.trim_end_matches([',', '}']).len() > 5), "{key}: {field}");
        }
        assert!(rest.contains("author ") || rest.contains("note "), "{key}: nobody is named");
        keys.push(key);
    }
    assert!(keys.len() >= 9);
    assert_eq!(cited, keys);
}
