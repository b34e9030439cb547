//! Calls in tests: those that may assert, those that print, and those of assertions that were read.

use review_gate::outline::compare::{Loss, LossKind};
use review_gate::outline::{Assert, Test};

/// Begins of names of functions that assert.
const ASSERTING: [&str; 9] = ["assert", "expect", "check", "verify", "should", "ensure", "must", "validate", "require"];

/// Whether a function asserts by its name.
pub fn is_asserting(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.trim_start_matches('_');
    let is_of_panic = name.starts_with("panic") && name.len() > "panic".len();
    let is_type = ["error", "exception", "assertion", "expectations"].iter().any(|end| name.ends_with(end));
    is_of_panic || !is_type && ASSERTING.iter().any(|begin| name.starts_with(begin))
}

/// Calls that print or read, or only tell a runner that something was asserted.
const PRINTING: [&str; 32] = [
    "echo",
    "printf",
    "print",
    "println",
    "puts",
    "p",
    "pp",
    "log",
    "Log",
    "Logf",
    "Println",
    "Printf",
    "info",
    "debug",
    "warn",
    "warning",
    "error",
    "cat",
    "ls",
    "true",
    "false",
    ":",
    "eprintln",
    "var_dump",
    "addToAssertionCount",
    "expectNotToPerformAssertions",
    "WriteLine",
    "fprintf",
    "print_r",
    "NSLog",
    "SUCCEED",
    "GTEST_SUCCEED",
];

/// Calls of standard libraries that make another value of one or collect values, and assert nothing.
const CONVERTING: [&str; 78] = [
    "test",
    "match",
    "matches",
    "includes",
    "include?",
    "startsWith",
    "endsWith",
    "every",
    "some",
    "any",
    "any?",
    "none?",
    "empty?",
    "all",
    "has",
    "reduce",
    "find",
    "keys",
    "values",
    "entries",
    "split",
    "join",
    "replace",
    "toString",
    "stringify",
    "unwrap_or_default",
    "unwrap_or",
    "unwrap_or_else",
    "ok",
    "err",
    "clone",
    "to_string",
    "to_owned",
    "into",
    "as_str",
    "as_ref",
    "iter",
    "collect",
    "map",
    "filter",
    "trim",
    "len",
    "length",
    "size",
    "is_empty",
    "empty",
    "inspect",
    "append",
    "extend",
    "push",
    "insert",
    "add",
    "pop",
    "sort",
    "sorted",
    "list",
    "tuple",
    "set",
    "dict",
    "str",
    "int",
    "float",
    "zip",
    "enumerate",
    "range",
    "get",
    "format",
    "items",
    "stream",
    "forEach",
    "each",
    "for_each",
    "getLogger",
    "joinToString",
    "valueToTree",
    "Println",
    "toList",
    "toSet",
];

/// Whether a call only makes another value of one, or collects values.
pub fn is_converting(name: &str) -> bool {
    CONVERTING.contains(&name)
}

/// Whether a call only prints.
pub fn is_printing(name: &str) -> bool {
    PRINTING.contains(&name)
}

/// Whether a call is a part of an assertion that was lost, or of the weaker one about the same subject.
pub fn names(loss: &Loss, call: &str) -> bool {
    let holds = |assert: &Assert| {
        let code = format!("{} {}", assert.subject, assert.expected);
        code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == call)
    };
    let after = loss.after.as_ref().filter(|after| {
        let (a, b) = (&loss.before.subject, &after.subject);
        loss.kind != LossKind::Replaced || !a.is_empty() && !b.is_empty() && (a.contains(b) || b.contains(a))
    });
    after.is_some_and(|after| holds(&loss.before) || holds(after))
}

/// Calls of libraries that only take the value of an assertion, or its condition: the matcher or the comparison in them is read.
const BEGINS: [&str; 62] = [
    "Assert",
    "Check",
    "To",
    "ToNot",
    "NotTo",
    "ShouldNot",
    "require",
    "CHECK_THAT",
    "shouldBe",
    "shouldNotBe",
    "assertThatObject",
    "assertTrue",
    "assertFalse",
    "True",
    "False",
    "IsTrue",
    "IsFalse",
    "That",
    "XCTAssert",
    "XCTAssertTrue",
    "XCTAssertFalse",
    "EXPECT_TRUE",
    "EXPECT_FALSE",
    "ASSERT_TRUE",
    "ASSERT_FALSE",
    "CHECK",
    "REQUIRE",
    "BOOST_TEST",
    "BOOST_CHECK",
    "BOOST_REQUIRE",
    "TEST_ASSERT",
    "Error",
    "Errorf",
    "Fatal",
    "Fatalf",
    "Fail",
    "FailNow",
    "assert",
    "expect",
    "expectTypeOf",
    "assertType",
    "assertThat",
    "assertThatThrownBy",
    "assertThatCode",
    "assertThatExceptionOfType",
    "assertThatException",
    "assertThatRuntimeException",
    "assertThatIllegalArgumentException",
    "assertThatIllegalStateException",
    "assertThatNullPointerException",
    "assertThatIOException",
    "assertWithMessage",
    "assertFailure",
    "expectThat",
    "expectCatching",
    "Expect",
    "ExpectWithOffset",
    "Should",
    "should",
    "EXPECT_THAT",
    "ASSERT_THAT",
    "REQUIRE_THAT",
];

/// Whether a call is one of an assertion of the test that was read.
pub fn is_read_of(test: &Test, call: &str) -> bool {
    let begins = BEGINS.contains(&call) && !test.asserts.is_empty();
    begins || test.asserts.iter().any(|assert| assert.how.split('.').any(|how| how == call))
}
