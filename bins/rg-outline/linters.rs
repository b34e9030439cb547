//! The comments with which linters, type checkers and coverage tools are told to look away, for all languages.

/// Where the code is that a comment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The line of the comment, or the next one if it stands alone.
    Here,
    /// The next line with code.
    Next,
    /// The line before.
    Previous,
    /// The line of the comment; alone on its line everything up to the mark that ends it.
    HereOrBlock,
    /// The line of the comment; alone at the start the whole file.
    HereOrFile,
    /// Everything up to the mark that ends it.
    Block,
    /// The whole file.
    File,
}

/// How a comment lists rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lister {
    /// It lists none.
    None,
    /// `a, b -- reason`
    Commas,
    /// `: a, b`; without a colon it means all rules.
    Colon,
    /// Between brackets.
    Brackets(char, char),
    /// The next word.
    First,
    /// The next words, up to a reason behind ` - `.
    Words,
}

/// One form of comment.
pub struct Form {
    /// The linter.
    pub linter: &'static str,
    /// What the comment begins with.
    pub prefix: &'static str,
    /// What it is about.
    pub place: Place,
    /// How it lists rules.
    pub lister: Lister,
}

const fn form(linter: &'static str, prefix: &'static str, place: Place, lister: Lister) -> Form {
    Form { linter, prefix, place, lister }
}

use Lister::{Brackets, Colon, Commas, First, Words};
use Place::{Block, File, Here, HereOrBlock, HereOrFile, Next, Previous};

/// The forms. Of two that fit, the first counts: a longer prefix stands before a shorter one.
pub const FORMS: &[Form] = &[
    form("eslint", "eslint-disable-next-line", Next, Commas),
    form("eslint", "eslint-disable-line", Here, Commas),
    form("eslint", "eslint-disable", Block, Commas),
    form("oxlint", "oxlint-disable-next-line", Next, Commas),
    form("oxlint", "oxlint-disable-line", Here, Commas),
    form("oxlint", "oxlint-disable", Block, Commas),
    form("tslint", "tslint:disable-next-line", Next, Colon),
    form("tslint", "tslint:disable-line", Here, Colon),
    form("tslint", "tslint:disable", Block, Colon),
    form("jshint", "jshint ignore:line", Here, Lister::None),
    form("jshint", "jshint ignore:start", Block, Lister::None),
    form("typescript", "@ts-ignore", Next, Lister::None),
    form("typescript", "@ts-expect-error", Next, Lister::None),
    form("typescript", "@ts-nocheck", File, Lister::None),
    form("flow", "$FlowFixMe", Next, Brackets('[', ']')),
    form("flow", "$FlowIgnore", Next, Brackets('[', ']')),
    form("flow", "@noflow", File, Lister::None),
    form("biome", "biome-ignore-all", File, First),
    form("biome", "biome-ignore-start", Block, First),
    form("biome", "biome-ignore", Next, First),
    form("deno", "deno-lint-ignore-file", File, Commas),
    form("deno", "deno-lint-ignore", Next, Commas),
    form("coverage", "istanbul ignore file", File, Lister::None),
    form("coverage", "istanbul ignore", Next, Lister::None),
    form("coverage", "c8 ignore file", File, Lister::None),
    form("coverage", "c8 ignore start", Block, Lister::None),
    form("coverage", "c8 ignore", Next, Lister::None),
    form("coverage", "v8 ignore file", File, Lister::None),
    form("coverage", "v8 ignore start", Block, Lister::None),
    form("coverage", "v8 ignore", Next, Lister::None),
    form("coverage", "node:coverage disable", Block, Lister::None),
    form("coverage", "node:coverage ignore", Next, Lister::None),
    form("semgrep", "nosemgrep", Here, Colon),
    form("sonar", "NOSONAR", Here, Lister::None),
    form("ruff", "ruff: noqa", File, Colon),
    form("ruff", "ruff:noqa", File, Colon),
    form("flake8", "flake8: noqa", File, Colon),
    form("ruff", "noqa", Here, Colon),
    form("mypy", "type: ignore", HereOrFile, Brackets('[', ']')),
    form("mypy", "type:ignore", HereOrFile, Brackets('[', ']')),
    form("mypy", "mypy: ignore-errors", File, Lister::None),
    form("mypy", "mypy: disable-error-code", File, Colon),
    form("pyright", "pyright: ignore", HereOrFile, Brackets('[', ']')),
    form("pyright", "pyright: basic", File, Lister::None),
    form("pyright", "pyright: standard", File, Lister::None),
    form("pylint", "pylint: disable-next", Next, Colon),
    form("pylint", "pylint: disable", HereOrBlock, Colon),
    form("pylint", "pylint:disable", HereOrBlock, Colon),
    form("pylint", "pylint: skip-file", File, Lister::None),
    form("pyre", "pyre-ignore-all-errors", File, Brackets('[', ']')),
    form("pyre", "pyre-ignore", Here, Brackets('[', ']')),
    form("pyre", "pyre-fixme", Here, Brackets('[', ']')),
    form("ty", "ty: ignore", HereOrFile, Brackets('[', ']')),
    form("pyrefly", "pyrefly: ignore-errors", File, Lister::None),
    form("pyrefly", "pyrefly: ignore", Here, Brackets('[', ']')),
    form("pytype", "pytype: skip-file", File, Lister::None),
    form("pytype", "pytype: disable", HereOrBlock, Colon),
    form("coverage", "pragma: no cover", Here, Lister::None),
    form("coverage", "pragma: no branch", Here, Lister::None),
    form("bandit", "nosec", Here, First),
    form("golangci-lint", "nolint", HereOrFile, Colon),
    form("staticcheck", "lint:ignore", Next, First),
    form("staticcheck", "lint:file-ignore", File, First),
    form("gosec", "nosec", Here, First),
    form("gosec", "gosec:disable", Here, First),
    form("exhaustive", "exhaustive:ignore", Next, Lister::None),
    form("exhaustruct", "exhaustruct:ignore", Next, Lister::None),
    form("coverage", "coverage:ignore", Here, Lister::None),
    form("revive", "revive:disable-next-line", Next, Colon),
    form("revive", "revive:disable-line", Here, Colon),
    form("revive", "revive:disable", Block, Colon),
    form("checkstyle", "CHECKSTYLE:OFF", Block, Colon),
    form("checkstyle", "CHECKSTYLE.OFF", Block, Colon),
    form("checkstyle", "CHECKSTYLE.SUPPRESS", Here, Colon),
    form("pmd", "NOPMD", Here, Lister::None),
    form("inspection", "noinspection", Next, Commas),
    form("ktlint", "ktlint-disable", HereOrBlock, Commas),
    form("resharper", "ReSharper disable once", Next, Commas),
    form("resharper", "ReSharper disable", Block, Commas),
    form("rubocop", "rubocop:disable", HereOrBlock, Commas),
    form("rubocop", "rubocop:todo", HereOrBlock, Commas),
    form("rubocop", "standard:disable", HereOrBlock, Commas),
    form("coverage", ":nocov:", Block, Lister::None),
    form("sorbet", "typed: false", File, Lister::None),
    form("sorbet", "typed: ignore", File, Lister::None),
    form("reek", ":reek:", Next, First),
    form("phpcs", "phpcs:ignoreFile", File, Commas),
    form("phpcs", "phpcs:ignore", Here, Commas),
    form("phpcs", "phpcs:disable", Block, Commas),
    form("phpcs", "@phpcsSuppress", Next, First),
    form("phpcs", "@codingStandardsIgnoreFile", File, Lister::None),
    form("phpcs", "@codingStandardsIgnoreStart", Block, Lister::None),
    form("phpcs", "@codingStandardsIgnoreLine", Here, Lister::None),
    form("phpmd", "@SuppressWarnings", Next, Brackets('(', ')')),
    form("phan", "@phan-suppress-next-line", Next, First),
    form("phan", "@phan-suppress-current-line", Here, First),
    form("phan", "@phan-suppress", Next, First),
    form("infection", "@infection-ignore-all", Next, Lister::None),
    form("inspection", "@noinspection", Next, First),
    form("phpstan", "@phpstan-ignore-next-line", Next, Lister::None),
    form("phpstan", "@phpstan-ignore-line", Here, Lister::None),
    form("phpstan", "@phpstan-ignore", Here, Commas),
    form("psalm", "@psalm-suppress", Next, First),
    form("coverage", "@codeCoverageIgnoreStart", Block, Lister::None),
    form("coverage", "@codeCoverageIgnore", Here, Lister::None),
    form("swiftlint", "swiftlint:disable:next", Next, Words),
    form("swiftlint", "swiftlint:disable:this", Here, Words),
    form("swiftlint", "swiftlint:disable:previous", Previous, Words),
    form("swiftlint", "swiftlint:disable", Block, Words),
    form("swift-format", "swift-format-ignore-file", File, Colon),
    form("swift-format", "swift-format-ignore", Next, Colon),
    form("periphery", "periphery:ignore:all", File, Lister::None),
    form("periphery", "periphery:ignore", Next, Lister::None),
    form("credo", "credo:disable-for-this-file", File, First),
    form("credo", "credo:disable-for-next-line", Next, First),
    form("credo", "credo:disable-for-previous-line", Previous, First),
    form("credo", "credo:disable-for-lines", Block, Lister::None),
    form("sobelow", "sobelow_skip", Next, Lister::None),
    form("coverage", "coveralls-ignore-start", Block, Lister::None),
    form("coverage", "coveralls-ignore-next-line", Next, Lister::None),
    form("clang-tidy", "NOLINTNEXTLINE", Next, Brackets('(', ')')),
    form("clang-tidy", "NOLINTBEGIN", Block, Brackets('(', ')')),
    form("clang-tidy", "NOLINT", Here, Brackets('(', ')')),
    form("cppcheck", "cppcheck-suppress-file", File, First),
    form("cppcheck", "cppcheck-suppress", Here, First),
    form("coverage", "LCOV_EXCL_START", Block, Lister::None),
    form("coverage", "LCOV_EXCL_LINE", Here, Lister::None),
    form("coverage", "GCOVR_EXCL_START", Block, Lister::None),
    form("coverage", "GCOVR_EXCL_LINE", Here, Lister::None),
    form("shellcheck", "shellcheck disable", HereOrFile, Colon),
];

/// What ends a block, by linter.
pub const ENDS: &[(&str, &str)] = &[
    ("eslint", "eslint-enable"),
    ("oxlint", "oxlint-enable"),
    ("tslint", "tslint:enable"),
    ("jshint", "jshint ignore:end"),
    ("biome", "biome-ignore-end"),
    ("coverage", "ignore stop"),
    ("coverage", "ignore end"),
    ("coverage", "node:coverage enable"),
    ("pylint", "pylint: enable"),
    ("revive", "revive:enable"),
    ("checkstyle", "CHECKSTYLE:ON"),
    ("checkstyle", "CHECKSTYLE.ON"),
    ("ktlint", "ktlint-enable"),
    ("resharper", "ReSharper restore"),
    ("rubocop", "rubocop:enable"),
    ("rubocop", "standard:enable"),
    ("coverage", ":nocov:"),
    ("phpcs", "phpcs:enable"),
    ("coverage", "@codeCoverageIgnoreEnd"),
    ("phpcs", "@codingStandardsIgnoreEnd"),
    ("pytype", "pytype: enable"),
    ("swiftlint", "swiftlint:enable"),
    ("coverage", "coveralls-ignore-stop"),
    ("clang-tidy", "NOLINTEND"),
    ("coverage", "EXCL_STOP"),
];

/// The signs behind which another mark may stand.
const SIGNS: [char; 4] = ['#', '/', '*', ';'];

/// The parts of a comment that may begin with the prefix of a form: all of it, and what stands behind a sign.
pub fn starts(body: &str) -> Vec<&str> {
    let behind = body.match_indices(SIGNS).map(|(at, sign)| body[at + sign.len()..].trim_start());
    std::iter::once(body).chain(behind).collect()
}

/// What follows the prefix of a form, if the comment has that form. A linter's mark may follow other marks: `# type: ignore # noqa`.
pub fn after<'t>(form: &Form, body: &'t str) -> Option<&'t str> {
    let at = body.find(form.prefix)?;
    let is_start = at == 0 || body[..at].trim_end().ends_with(SIGNS);
    let rest = &body[at + form.prefix.len()..];
    let is_whole = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
    (is_start && is_whole).then_some(rest)
}
