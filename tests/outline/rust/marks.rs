//! Every way in which Rust's tests are marked.
#![allow(dead_code, clippy::all)]

fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain() {
        assert_eq!(add(1, 1), 2);
    }

    #[test]
    #[ignore]
    fn ignored() {
        assert_eq!(add(1, 1), 2);
    }

    #[ignore = "slow"] // why
    #[test]
    fn ignored_before() {
        assert_eq!(add(1, 1), 2);
    }

    /// Documented.
    #[cfg_attr(windows, ignore = "no fork")]
    #[test]
    fn ignored_under_condition() {
        assert_eq!(add(1, 1), 2);
    }

    #[test]
    #[cfg_attr(all(), ignore)]
    fn ignored_always() {
        assert_eq!(add(1, 1), 2);
    }

    #[test]
    #[should_panic]
    fn panics() {
        add(i32::MAX, 1);
    }

    #[test]
    #[should_panic(expected = "overflow")]
    fn panics_with_text() {
        add(i32::MAX, 1);
    }

    #[test]
    #[cfg(unix)]
    fn only_on_unix() {
        assert_eq!(add(1, 1), 2);
    }

    #[test]
    #[allow(clippy::unwrap_used)]
    fn with_result() -> Result<(), String> {
        assert_eq!(add(1, 1), 2);
        Ok(())
    }

    mod inner {
        #[test]
        fn nested() {
            assert_eq!(super::add(1, 1), 2);
        }
    }

    #[cfg(unix)]
    mod on_unix {
        #[test]
        fn nested() {
            assert_eq!(super::add(1, 1), 2);
        }
    }

    #[cfg(windows)]
    fn helper() {}
}

#[test]
fn outside_of_modules() {
    assert!(add(1, 1) == 2);
}
