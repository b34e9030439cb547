//! Names of files that programs load although nothing names them: configuration that a tool looks for, and modules that can take the
//! place of others.

use std::path::Path;

/// Configuration that build tools and test runners look for. The names have no extension of [`MODULES`].
const CONFIGURATION: &[&str] = &[
    "GNUmakefile",
    "Makefile",
    "makefile",
    "justfile",
    "Justfile",
    ".justfile",
    "Rakefile",
    "Gemfile",
    "CMakeLists.txt",
    "CMakePresets.json",
    "package.json",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    "tsconfig.json",
    "jsconfig.json",
    "jest.config.json",
    "babel.config.json",
    "deno.json",
    "deno.jsonc",
    "bunfig.toml",
    "biome.json",
    "pyproject.toml",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "mypy.ini",
    "ruff.toml",
    "Cargo.toml",
    "config.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "clippy.toml",
    "go.mod",
    "go.work",
    "pom.xml",
    "gradle.properties",
    "phpunit.xml",
    "composer.json",
    "mix.exs",
    "Taskfile.yml",
    "meson.build",
    "BUILD",
    "BUILD.bazel",
];

/// Beginnings of names of such configuration.
const PREFIXES: &[&str] = &[
    ".env",
    ".mocharc",
    ".eslintrc",
    ".prettierrc",
    ".stylelintrc",
    ".rspec",
    ".pytest.ini",
    ".ruff.toml",
    ".flake8",
    ".golangci.",
    ".rubocop",
    ".clang-",
    ".editorconfig",
    ".gitattributes",
    ".phpcs",
    ".scalafmt",
];

/// Extensions of modules that a program of the same language may import instead of others, and of scripts of build tools.
const MODULES: &[&str] = &[
    "py", "pth", "so", "pyd", "js", "jsx", "cjs", "mjs", "node", "ts", "tsx", "cts", "mts", "rb", "php", "pm", "go",
    "rs", "java", "kts", "gradle", "mk",
];

/// Parts of the names under which tools write a compiled copy of their configuration for a moment, and editors their own files.
const COPIES: &[&str] = &[".timestamp-", ".bundled_", ".compiled.", ".#", "rollup.config-"];

/// Whether a file of that name may be loaded although nothing names it.
pub fn is_loaded_unasked(name: &Path) -> bool {
    let extension = name.extension().and_then(|end| end.to_str()).unwrap_or_default();
    let name = name.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // `.pylintrc`, `.coveragerc`, `.eslintignore` and the like.
    let is_dot_file = name.starts_with('.') && (name.ends_with("rc") || name.ends_with("ignore"));
    let is_prefixed = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let has_name = CONFIGURATION.contains(&name) || is_dot_file || is_prefixed;
    (has_name || MODULES.contains(&extension)) && !COPIES.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_and_modules_are_loaded_unasked_and_data_is_not() {
        for name in ["conftest.py", "sitecustomize.py", "GNUmakefile", ".npmrc", "x.pth", "jest.config.js", ".env.test"]
        {
            assert!(is_loaded_unasked(Path::new(name)), "{name}");
        }
        let data = [
            "test.db-journal",
            "out.txt",
            "conftest.c",
            "4913",
            "tmpab12",
            "a.json",
            "vite.config.ts.timestamp-1-2.mjs",
        ];
        for name in data {
            assert!(!is_loaded_unasked(Path::new(name)), "{name}");
        }
    }
}
