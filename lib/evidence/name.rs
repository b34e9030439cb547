//! The names of tests.

/// The last part of a name, without parameters: what the test is called in its file.
pub fn leaf(name: &str) -> &str {
    let name = name.split_once(" (").filter(|(_, rest)| rest.ends_with(')')).map_or(name, |(name, _)| name);
    let name = if name.ends_with(']') { name.split('[').next().unwrap_or(name) } else { name };
    let name = name.rsplit(" > ").next().unwrap_or(name);
    let name = name.rsplit("::").next().unwrap_or(name);
    // go: `package TestA/sub`
    let is_go = name.split(' ').count() <= 2 && name.rsplit(' ').next().is_some_and(|word| word.starts_with("Test"));
    match is_go {
        true => name.rsplit(' ').next().unwrap_or(name).split('/').next().unwrap_or(name),
        false => name,
    }
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
