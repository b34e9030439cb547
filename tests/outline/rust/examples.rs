//! A crate with examples.
//!
//! ```
//! assert_eq!(examples::add(1, 2), 3);
//! ```

/// Adds.
///
/// ```
/// # use examples::add;
/// assert_eq!(add(1, 2), 3);
/// assert!(add(0, 0) == 0);
/// ```
///
/// ```should_panic
/// examples::add(255, 1);
/// ```
///
/// ```text
/// no code
/// ```
#[must_use]
pub fn add(a: u8, b: u8) -> u8 {
    a + b
}

/// Runs forever.
///
/// ```no_run
/// examples::run();
/// ```
///
/// ```ignore
/// examples::never();
/// ```
///
/// ```compile_fail
/// let x: u8 = examples::run();
/// ```
pub fn run() {}

pub const TEXT: &str = "
/// ```
/// in a string
/// ```
";
