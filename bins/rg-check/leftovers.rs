//! Caches and logs that tools leave in the working tree. No tool loads code or configuration from them that it would not also
//! load from an ignored file, so an untracked one may change while the checks run.

use review_gate::snapshot::Snapshot;
use review_gate::sys::gitignore::Patterns;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files that tools leave under a name of their own, as gitignore patterns.
const CACHES: &[&str] = &[
    // Python.
    "**/__pycache__/*.pyc",
    "**/__pycache__/*.pyc.*",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".coverage",
    ".coverage.*",
    "coverage.xml",
    "**/htmlcov/*.html",
    "**/htmlcov/*.json",
    "**/htmlcov/*.css",
    "**/htmlcov/*.png",
    "**/htmlcov/*.js",
    "**/htmlcov/.gitignore",
    "**/*.egg-info/PKG-INFO",
    "**/*.egg-info/SOURCES.txt",
    "**/*.egg-info/dependency_links.txt",
    "**/*.egg-info/requires.txt",
    "**/*.egg-info/top_level.txt",
    // JavaScript.
    "**/node_modules/.cache/",
    "**/node_modules/.vite/",
    "**/node_modules/.vite-temp/",
    "**/node_modules/.vitest/",
    ".vite/",
    ".vitest/",
    ".eslintcache",
    ".stylelintcache",
    ".parcel-cache/",
    ".turbo/",
    ".swc/",
    ".nyc_output/",
    "*.tsbuildinfo",
    "lcov.info",
    "*.lcov",
    "**/coverage/*.json",
    "**/coverage/*.xml",
    "**/coverage/*.html",
    "**/coverage/*.css",
    "**/coverage/*.png",
    "**/coverage/lcov-report/",
    // PHP and Ruby.
    ".phpunit.result.cache",
    ".phpunit.cache/",
    ".php-cs-fixer.cache",
    ".rspec_status",
    // The JVM.
    ".gradle/",
    ".kotlin/",
    // Coverage of compiled languages.
    "*.gcda",
    "*.profraw",
    "*.profdata",
    // Logs, editors, file managers.
    "*.log",
    "*.log.[0-9]*",
    "nohup.out",
    "*.pid",
    ".*.sw[a-p]",
    ".#*",
    "*~",
    ".DS_Store",
];

/// Output directories, each with the tracked files of which one must be beside it: the name alone is a common one.
const OUTPUTS: &[(&str, &[&str])] =
    &[("target", &["Cargo.toml", "pom.xml"]), ("build", &["build.gradle", "build.gradle.kts"])];

/// Lock files: what they hold belongs into a commit.
const LOCKS: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "Gemfile.lock",
    "composer.lock",
    "go.sum",
    "flake.lock",
    "mix.lock",
    "pubspec.lock",
    "gradle.lockfile",
    ".terraform.lock.hcl",
];

/// Recognises the caches and logs of tools in one working tree.
pub struct Leftovers<'a> {
    before: &'a Snapshot,
    committed: &'a BTreeSet<PathBuf>,
    caches: Vec<(&'static str, Patterns)>,
}

impl<'a> Leftovers<'a> {
    /// For the tree of a snapshot from before the checks, with those committed paths.
    pub fn new(before: &'a Snapshot, committed: &'a BTreeSet<PathBuf>) -> Leftovers<'a> {
        let caches = CACHES.iter().map(|pattern| (*pattern, Patterns::new([*pattern]))).collect();
        Leftovers { before, committed, caches }
    }

    /// The ignore rule that would cover a cache or a log; None for any other file.
    pub fn ignore_rule(&self, path: &Path) -> Option<String> {
        // Only a pattern of a directory matches what is below it.
        let is_match = |(pattern, patterns): &&(&str, Patterns)| match pattern.ends_with('/') {
            true => patterns.matches(path),
            false => patterns.decide(path, false) == Some(true),
        };
        let named = self.caches.iter().find(is_match);
        named.map(|(pattern, _)| rule_of(pattern)).or_else(|| self.output(path))
    }

    /// The ignore rule of an output directory above the path, if the build file that it belongs to is committed beside it.
    fn output(&self, path: &Path) -> Option<String> {
        let is_output = |dir: &&Path| {
            OUTPUTS.iter().any(|(name, builds)| {
                let build_files = builds.iter().map(|build| dir.with_file_name(build));
                let mut beside =
                    build_files.filter(|build| self.before.get(build).is_some_and(|found| found.what.is_file()));
                dir.file_name().is_some_and(|found| found == *name)
                    && beside.any(|build| self.committed.contains(&build))
            })
        };
        let dir = path.ancestors().skip(1).filter(is_output).last()?;
        Some(format!("{}/", dir.file_name()?.to_string_lossy()))
    }
}

/// The part of a pattern that ignores the whole directory.
fn rule_of(pattern: &str) -> String {
    let pattern = pattern.strip_prefix("**/").unwrap_or(pattern);
    let end = pattern.find('/').map_or(pattern.len(), |slash| slash + 1);
    pattern[..end].to_string()
}

/// Whether a path is that of a lock file of a package manager.
pub fn is_lock_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    LOCKS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(path: &str) -> Option<String> {
        let (before, committed) = (Snapshot::default(), BTreeSet::new());
        Leftovers::new(&before, &committed).ignore_rule(Path::new(path))
    }

    #[test]
    fn caches_and_logs_are_leftovers_with_the_rule_that_ignores_them() {
        for (path, want) in [
            ("__pycache__/calc.cpython-311.pyc", "__pycache__/"),
            ("pkg/sub/__pycache__/calc.cpython-311.pyc.140213", "__pycache__/"),
            (".pytest_cache/v/cache/lastfailed", ".pytest_cache/"),
            ("api/.mypy_cache/3.11/calc.data.json", ".mypy_cache/"),
            (".ruff_cache/0.6.1/1234", ".ruff_cache/"),
            (".coverage.host.4242.XyZ", ".coverage.*"),
            ("web/node_modules/.cache/babel-loader/ab.json", "node_modules/"),
            ("node_modules/.vite/deps/_metadata.json", "node_modules/"),
            ("coverage/lcov-report/sorter.js", "coverage/"),
            ("tsconfig.tsbuildinfo", "*.tsbuildinfo"),
            (".gradle/8.7/checksums/checksums.lock", ".gradle/"),
            ("src/tiny.egg-info/PKG-INFO", "*.egg-info/"),
            ("server.log", "*.log"),
            ("src/.main.rs.swp", ".*.sw[a-p]"),
            ("src/.#main.rs", ".#*"),
            ("src/main.rs~", "*~"),
        ] {
            assert_eq!(rule(path).as_deref(), Some(want), "{path}");
        }
    }

    #[test]
    fn nothing_that_a_tool_loads_unasked_is_a_leftover() {
        for path in [
            "conftest.py",
            "sitecustomize.py",
            "__pycache__/conftest.py",
            "GNUmakefile",
            ".npmrc",
            "node_modules/x.js",
            "node_modules/.bin/jest",
            "coverage/__init__.py",
            "coverage/fake.test.js",
            "htmlcov/__init__.py",
            "target/debug/app",
            "build/classes/Main.class",
            "dist/bundle.js",
            "calc.pyc",
            "log/config.py",
            "x.log/conftest.py2",
            "package.json",
            "plugin.egg-info/entry_points.txt",
            ".git",
            "DONE.md",
        ] {
            assert_eq!(rule(path), None, "{path}");
        }
    }
}
