//! The names of tests.

/// The last part of a name, without parameters: what the test is called in its file.
pub fn leaf(name: &str) -> &str {
    let name = name.split_once(" (").filter(|(_, rest)| rest.ends_with(')')).map_or(name, |(name, _)| name);
    let name = without_parameters(name);
    if is_go(name) {
        return name.rsplit(' ').next().unwrap_or(name);
    }
    let name = name.rsplit(" > ").next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}

/// A name without the parameters of one case, which is the same for all cases of a test.
pub fn without_parameters(name: &str) -> &str {
    if name.ends_with(']') {
        return name.split('[').next().unwrap_or(name);
    }
    let test = name.rfind(' ').map_or(0, |at| at + 1);
    match name[test..].find('/').filter(|_| is_go(name)) {
        Some(slash) => &name[..test + slash],
        None => name,
    }
}

/// Whether it is a name of go: `package TestA/sub`.
fn is_go(name: &str) -> bool {
    name.split(' ').count() <= 2 && name.rsplit(' ').next().is_some_and(|word| word.starts_with("Test"))
}

/// Whether a runner's name of a test is that of the test with this title or function name.
pub fn is_named(name: &str, title: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.ends_with([' ', '.', ':', '>', '/', '#']);
    leaf(name) == title || name.strip_suffix(title).is_some_and(is_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name_is_found() {
        for (name, want) in [
            ("tests/a.py::Sum::test_adds[1-2]", "test_adds"),
            ("tests::adds", "adds"),
            ("sum tests::adds", "adds"),
            ("sum.test.mjs > sum > adds two", "adds two"),
            ("shop TestTax/zero", "TestTax"),
            ("TestTax", "TestTax"),
            ("test_adds (tests.test_unit.Sum.test_adds)", "test_adds"),
            ("adds", "adds"),
            ("", ""),
        ] {
            assert_eq!(leaf(name), want, "{name}");
        }
    }

    #[test]
    fn all_cases_of_a_test_have_one_name_without_parameters() {
        for (name, want) in [
            ("tests/a.py::Sum::test_adds[1-[2]]", "tests/a.py::Sum::test_adds"),
            ("shop TestTax/zero/a", "shop TestTax"),
            ("TestTax/zero", "TestTax"),
            ("sum > adds a/b", "sum > adds a/b"),
            ("tests::adds", "tests::adds"),
            ("", ""),
        ] {
            assert_eq!(without_parameters(name), want, "{name}");
        }
    }

    #[test]
    fn a_title_names_a_test_and_no_part_of_a_word_does() {
        for (name, title, is_same) in [
            ("Sum adds two", "adds two", true),
            ("com.x.SumTest.adds", "adds", true),
            ("SumTest::adds", "adds", true),
            ("tests/a.py::test_adds[1-2]", "test_adds", true),
            ("tests::it_adds", "adds", false),
            ("adds", "adds two", false),
        ] {
            assert_eq!(is_named(name, title), is_same, "{name} {title}");
        }
    }
}
