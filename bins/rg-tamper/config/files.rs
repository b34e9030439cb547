//! Which files configure which tools, and where in a file the settings of a tool are.

use super::value::Value;
use super::{ini, literal, toml, xml, yaml};

/// A tool whose settings are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    Ava,
    Bandit,
    Biome,
    Cargo,
    CargoConfig,
    Checkstyle,
    Clippy,
    Codecov,
    CoveragePy,
    Deny,
    Detekt,
    Dotnet,
    Eslint,
    Flake8,
    Golangci,
    Jest,
    Karma,
    Maven,
    Mocha,
    Mypy,
    Nextest,
    Npmrc,
    Nyc,
    Phpstan,
    Phpunit,
    Playwright,
    PreCommit,
    Pylint,
    Pyright,
    Pytest,
    Rspec,
    Rubocop,
    Ruff,
    Sonar,
    Stylelint,
    Swiftlint,
    Tarpaulin,
    TestPlan,
    TypeScript,
    Vitest,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    Script,
    Toml,
    Yaml,
    Ini,
    Xml,
    /// Patterns of files, one a line.
    Patterns,
    /// Options of a command line.
    Options,
}

/// Reads a text; None if it is not of that format.
pub fn read(format: Format, text: &str) -> Option<Value> {
    match format {
        Format::Json => literal::json(text),
        Format::Script => literal::script(text),
        Format::Toml => toml::read(text),
        Format::Yaml => yaml::read(text),
        Format::Ini => Some(ini::read(text)),
        Format::Xml => xml::read(text),
        Format::Patterns => {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            let lines = lines.map(|line| Value::Text(line.to_string())).collect();
            Some(Value::Map(vec![("ignorePatterns".into(), Value::List(lines)), ("ignoreFiles".into(), Value::Null)]))
        }
        Format::Options => {
            let is_option = |word: &&str| word.starts_with('-');
            let mut words = text.split_whitespace().peekable();
            let mut options = Vec::new();
            while let Some(word) = words.next() {
                let (name, given) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
                let value = given.or_else(|| words.next_if(|next| is_option(&word) && !is_option(next)));
                let value = value.map_or(Value::Bool(true), |value| Value::Text(value.to_string()));
                options.push((name.to_string(), value));
            }
            Some(Value::map(options))
        }
    }
}

/// The format of a file, and the tools that it configures, each with the place of its settings. None if no tool is known.
pub fn of(path: &str) -> Option<(Format, &'static [(Tool, &'static str)])> {
    use Format::*;
    use Tool::*;
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_script = ["js", "cjs", "mjs", "ts", "cts", "mts"].iter().any(|end| name.ends_with(&format!(".{end}")));
    let any = match () {
        () if name.ends_with(".json") || name.ends_with(".jsonc") || name.ends_with(".json5") => Json,
        () if is_script => Script,
        () if name.ends_with(".toml") => Toml,
        () if name.ends_with(".xml")
            || name.ends_with(".dist")
            || name.ends_with("proj")
            || name.ends_with(".props") =>
        {
            Xml
        }
        () if name.ends_with(".ini") || name.ends_with(".cfg") || name.ends_with(".properties") => Ini,
        () => Yaml,
    };
    let starts = |start: &str| name.starts_with(start);
    Some(match name {
        "package.json" => (
            Json,
            &[
                (Jest, "jest"),
                (Nyc, "nyc"),
                (Nyc, "c8"),
                (Eslint, "eslintConfig"),
                (Mocha, "mocha"),
                (Ava, "ava"),
                (Stylelint, "stylelint"),
            ],
        ),
        "pyproject.toml" => (
            Toml,
            &[
                (Pytest, "tool/pytest/ini_options"),
                (Pytest, "tool/pytest"),
                (CoveragePy, "tool/coverage"),
                (Mypy, "tool/mypy"),
                (Ruff, "tool/ruff"),
                (Pyright, "tool/pyright"),
                (Pyright, "tool/basedpyright"),
                (Pylint, "tool/pylint"),
                (Flake8, "tool/flake8"),
                (Bandit, "tool/bandit"),
            ],
        ),
        "setup.cfg" | "tox.ini" => (
            Ini,
            &[
                (Pytest, "tool:pytest"),
                (Pytest, "pytest"),
                (CoveragePy, "~coverage"),
                (Mypy, "~mypy"),
                (Flake8, "flake8"),
                (Pylint, "~pylint"),
            ],
        ),
        "pytest.ini" | ".pytest.ini" => (Ini, &[(Pytest, "pytest")]),
        ".coveragerc" => (Ini, &[(CoveragePy, "")]),
        "mypy.ini" | ".mypy.ini" => (Ini, &[(Mypy, "~mypy")]),
        "ruff.toml" | ".ruff.toml" => (Toml, &[(Ruff, "")]),
        ".flake8" => (Ini, &[(Flake8, "flake8")]),
        ".pylintrc" | "pylintrc" => (Ini, &[(Pylint, "")]),
        "pyrightconfig.json" => (Json, &[(Pyright, "")]),
        ".bandit" => (Ini, &[(Bandit, "bandit")]),
        ".nycrc" | ".c8rc" => (Json, &[(Nyc, "")]),
        ".eslintrc" | ".stylelintrc" if !path.is_empty() => {
            (Yaml, if starts(".e") { &[(Eslint, "")] } else { &[(Stylelint, "")] })
        }
        ".eslintignore" => (Patterns, &[(Eslint, "")]),
        "codecov.yml" | ".codecov.yml" | "codecov.yaml" | ".codecov.yaml" => (Yaml, &[(Codecov, "")]),
        "biome.json" | "biome.jsonc" => (Json, &[(Biome, "")]),
        "Cargo.toml" => (Toml, &[(Cargo, "")]),
        "config.toml" | "config" if path.ends_with(".cargo/config.toml") || path.ends_with(".cargo/config") => {
            (Toml, &[(CargoConfig, "")])
        }
        "clippy.toml" | ".clippy.toml" => (Toml, &[(Clippy, "")]),
        "tarpaulin.toml" | ".tarpaulin.toml" => (Toml, &[(Tarpaulin, "")]),
        "nextest.toml" => (Toml, &[(Nextest, "")]),
        "deny.toml" => (Toml, &[(Deny, "")]),
        ".rubocop.yml" | ".rubocop_todo.yml" => (Yaml, &[(Rubocop, "")]),
        ".rspec" | ".rspec-local" => (Options, &[(Rspec, "")]),
        "detekt.yml" | "detekt.yaml" => (Yaml, &[(Detekt, "")]),
        ".swiftlint.yml" => (Yaml, &[(Swiftlint, "")]),
        "phpunit.xml" | "phpunit.xml.dist" => (Xml, &[(Phpunit, "")]),
        "phpstan.neon" | "phpstan.neon.dist" => (Yaml, &[(Phpstan, "")]),
        "pom.xml" => (Xml, &[(Maven, "")]),
        "sonar-project.properties" => (Ini, &[(Sonar, "")]),
        ".npmrc" => (Ini, &[(Npmrc, "")]),
        ".pre-commit-config.yaml" | ".pre-commit-config.yml" => (Yaml, &[(PreCommit, "")]),
        "checkstyle.xml" | "google_checks.xml" | "sun_checks.xml" | "pmd.xml" | "ruleset.xml" | "pmd-ruleset.xml" => {
            (Xml, &[(Checkstyle, "")])
        }
        _ if name.ends_with("checkstyle.xml") || name.ends_with("checks.xml") && path.contains("checkstyle") => {
            (Xml, &[(Checkstyle, "")])
        }
        _ if starts("jest") && (is_script && name.contains("config") || name.ends_with(".json")) => {
            (any, &[(Jest, "")])
        }
        _ if (starts("vitest.") || starts("vite.config.")) && is_script => (any, &[(Vitest, "")]),
        _ if starts("playwright") && is_script && name.contains("config") => (any, &[(Playwright, "")]),
        _ if starts("karma.conf") || starts("karma-") && is_script => (any, &[(Karma, "")]),
        _ if starts(".mocharc.") => (any, &[(Mocha, "")]),
        _ if starts("ava.config.") => (any, &[(Ava, "")]),
        _ if starts(".nycrc.") || starts("nyc.config.") || starts(".c8rc.") => (any, &[(Nyc, "")]),
        _ if starts(".eslintrc.") || starts("eslint.config.") => (any, &[(Eslint, "")]),
        _ if starts(".stylelintrc.") || starts("stylelint.config.") => (any, &[(Stylelint, "")]),
        _ if (starts("tsconfig") || starts("jsconfig")) && name.ends_with(".json") => (Json, &[(TypeScript, "")]),
        _ if starts(".golangci.") => (any, &[(Golangci, "")]),
        _ if name.ends_with(".xctestplan") => (Json, &[(TestPlan, "")]),
        _ if name.ends_with(".csproj") || name.ends_with(".fsproj") || starts("Directory.Build.") => {
            (Xml, &[(Dotnet, "")])
        }
        _ => return None,
    })
}

/// The settings at a place. A place `~name` is the section of that name, and the sections whose name goes on after it.
pub fn settings(value: &Value, place: &str) -> Option<Value> {
    let Some(name) = place.strip_prefix('~') else {
        return value.at(place).cloned();
    };
    let mut entries: Vec<(String, Value)> = Vec::new();
    for (section, value) in value.entries() {
        match section.strip_prefix(name) {
            Some("") => entries.extend(value.entries().iter().cloned()),
            Some(rest) if rest.starts_with([':', '-', '.', ' ']) => {
                entries.push((rest[1..].trim().to_string(), value.clone()));
            }
            _ => {}
        }
    }
    (!entries.is_empty()).then_some(Value::Map(entries))
}
